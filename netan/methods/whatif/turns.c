/*
 * What a send waits for on its own device: a collective goes on in rounds, and
 * sends of one wait for receives of others.  Of each round as many as were
 * there in every execution, on any device that sends and receives as many:
 * what came before a send now and then it does not need.
 */
#include <stdlib.h>

#include "netan/methods/whatif/state.h"

/* ---- receives by line and round */

static bool add_cell(struct na_whatif *w, struct wf_move *m)
{
	struct wf_line *l = &w->lines.v[m->to];
	size_t known = w->cells.n;
	struct wf_cell *c =
		na_triples_at(&w->cell_keys, &w->cells,
			      ((struct na_triple){m->to, m->round % WF_CLASSES,
					   0}));

	if (!c)
		return false;
	m->cell = (uint32_t)(c - w->cells.v);
	if (w->cells.n > known) {
		c->next = l->cells;
		l->cells = m->cell;
	}
	c->n++;
	l->n++;
	w->lines.v[m->from].sends++;
	return true;
}

static bool find_cells(struct na_whatif *w)
{
	uint32_t at = 0;
	bool ok = true;

	for (size_t i = 0; i < w->lines.n; i++)
		w->lines.v[i].cells = WF_NONE;
	for (size_t i = 0; ok && i < w->moves.n; i++)
		ok = add_cell(w, &w->moves.v[i]);
	for (size_t i = 0; i < w->cells.n; i++) {
		w->cells.v[i].first = at;
		at += w->cells.v[i].n;
	}
	w->after = na_calloc(at, sizeof(*w->after));
	w->after_at_ps = na_calloc(at, sizeof(*w->after_at_ps));
	return ok && w->after && w->after_at_ps;
}

/* ---- turns */

static bool name_turn(struct na_whatif *w, struct na_triples *roles,
		      struct wf_move *m)
{
	const struct wf_line *l = &w->lines.v[m->from];
	uint32_t role = na_triples_add(
		roles, (struct na_triple){w->line_keys.keys[m->from].a, l->n,
					  l->sends});

	m->turn = na_triples_add(&w->turns,
				 (struct na_triple){role, m->round, 0});
	if (role == NA_NO_TRIPLE || m->turn == NA_NO_TRIPLE)
		return false;
	while (w->needs.n < w->turns.n * WF_CLASSES)
		if (!na_add(&w->needs, UINT32_MAX))
			return false;
	return true;
}

static void count_needs(struct na_whatif *w, const struct wf_move *m)
{
	uint32_t i = w->lines.v[m->from].cells;

	for (; i != WF_NONE; i = w->cells.v[i].next) {
		uint32_t *n = wf_need_of(w, m->turn, i);

		if (w->cells.v[i].got < *n)
			*n = w->cells.v[i].got;
	}
}

static bool find_needs(struct na_whatif *w)
{
	struct na_triples roles = {.n = 0};
	bool ok = true;

	for (size_t i = 0; ok && i < w->events.n; i++) {
		const struct wf_event *e = &w->events.v[i];

		if (e->kind == WF_SENT) {
			ok = name_turn(w, &roles, &w->moves.v[e->of]);
			if (ok)
				count_needs(w, &w->moves.v[e->of]);
		}
		if (e->kind == WF_TAKEN)
			w->cells.v[w->moves.v[e->of].cell].got++;
	}
	na_triples_fini(&roles);
	return ok;
}

uint32_t wf_needed(const struct na_whatif *w, const struct wf_move *m,
		   uint32_t cell)
{
	uint32_t need = *wf_need_of(w, m->turn, cell);
	const struct wf_cell *c = &w->cells.v[cell];

	return need && need <= c->got ? c->first + need - 1 : WF_NONE;
}

/* ---- for how long sends are held */

/* Since it has what its turn waits for. */
static int64_t held_ps(const struct na_whatif *w, const struct wf_move *m)
{
	const struct wf_line *l = &w->lines.v[m->from];
	int64_t since = l->begin_ps;

	for (uint32_t i = l->cells; i != WF_NONE; i = w->cells.v[i].next) {
		uint32_t k = wf_needed(w, m, i);

		if (k != WF_NONE && w->after_at_ps[k] > since)
			since = w->after_at_ps[k];
	}
	return na_time_between(since, m->sent_ps);
}

static void begin_line(struct wf_line *l, int64_t at_ps)
{
	if (!l->begun)
		l->begin_ps = at_ps;
	l->begun = true;
}

static void happen(struct na_whatif *w, const struct wf_event *e)
{
	struct wf_move *m;
	struct wf_cell *c;

	if (e->kind != WF_SENT && e->kind != WF_POSTED && e->kind != WF_TAKEN)
		return;
	m = &w->moves.v[e->of];
	c = &w->cells.v[m->cell];
	if (e->kind == WF_TAKEN) {
		w->after_at_ps[c->first + c->got++] = e->at_ps;
	} else if (e->kind == WF_POSTED) {
		begin_line(&w->lines.v[m->to], e->at_ps);
	} else {
		begin_line(&w->lines.v[m->from], e->at_ps);
		m->held_ps = held_ps(w, m);
	}
}

static void find_held(struct na_whatif *w)
{
	for (size_t i = 0; i < w->cells.n; i++)
		w->cells.v[i].got = 0;
	for (size_t i = 0; i < w->events.n; i++)
		happen(w, &w->events.v[i]);
}

bool wf_find_turns(struct na_whatif *w)
{
	if (!find_cells(w) || !find_needs(w))
		return false;
	find_held(w);
	return true;
}
