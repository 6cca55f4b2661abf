/* All events of a host in their order, and what each of them waits for. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/state.h"

NA_ORDER(by_time, struct wf_event, NA_UP(host), NA_UP(at_ps), NA_UP(kind),
	 NA_UP(of))

static uint32_t host_of(const struct na_whatif *w, uint32_t line)
{
	return w->execs.v[w->lines.v[line].exec].host;
}

static bool add_events(struct na_whatif *w)
{
	for (uint32_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];
		uint32_t src = host_of(w, m->from), dst = host_of(w, m->to);

		if (!na_add(&w->events,
			    ((struct wf_event){m->sent_ps, src, i, WF_SENT})) ||
		    !na_add(&w->events,
			    ((struct wf_event){m->taken_ps, dst, i, WF_TAKEN})))
			return false;
		if (m->posted_ps != NA_UNKNOWN_PS &&
		    !na_add(&w->events, ((struct wf_event){m->posted_ps, dst, i,
							   WF_POSTED})))
			return false;
	}
	return true;
}

static void find_hosts(struct na_whatif *w)
{
	for (size_t i = 0; i < w->events.n; i++) {
		struct wf_host *h = &w->hosts[w->events.v[i].host];

		if (i == 0 || w->events.v[i].host != w->events.v[i - 1].host)
			h->first = i;
		h->end = i + 1;
	}
}

/* Receives of a line before its host launched it. */
static void count_early(const struct na_whatif *w, struct wf_line *l,
			uint32_t *first)
{
	uint32_t launches = w->places.v[w->execs.v[l->exec].place].launches;

	if (l->got++ == 0)
		*first = launches;
	if (l->sends == 0 && launches == *first)
		l->early++;
}

/* How many since: none were early if it was launched before the first. */
static uint32_t since_launch(const struct na_whatif *w, struct wf_line *l,
			     uint32_t first)
{
	if (l->sends == 0 &&
	    w->places.v[w->execs.v[l->exec].place].launches == first)
		l->early = 0;
	return l->got - l->early;
}

struct turns {
	struct na_triples keys; /* collective, turn of the send, device */
	NA_VEC(uint32_t) least;
	uint32_t *key_of; /* by move */
	uint32_t *first;  /* by line: launches before its first receive */
};

static bool count_send(struct na_whatif *w, struct turns *t, uint32_t move)
{
	uint32_t line = w->moves.v[move].from;
	struct wf_line *l = &w->lines.v[line];
	struct na_triple key = w->line_keys.keys[line];
	uint32_t since = since_launch(w, l, t->first[line]);
	size_t known = t->least.n;
	uint32_t *n;

	key.b = l->sends++;
	n = na_triples_at(&t->keys, &t->least, key);
	if (!n)
		return false;
	if (t->least.n > known || since < *n)
		*n = since;
	t->key_of[move] = (uint32_t)(n - t->least.v);
	return true;
}

/* More than how long its device may take to begin. */
#define HELD_PS (100 * NA_PS_PER_US)

static void begin_line(struct wf_line *l, int64_t at_ps)
{
	if (!l->any)
		l->at_ps = at_ps;
	l->any = true;
}

/* From what the turn of a send waits for. */
static int64_t held_since(const struct na_whatif *w, const struct wf_line *l,
			  const struct wf_move *m)
{
	uint32_t turn = l->early + m->turn;

	return m->turn && turn <= l->got ? w->after[l->first + turn - 1]
					 : l->at_ps;
}

/* For how long each send was held, beyond the least that its turn ever took
 * from what it waits for. */
static bool find_held(struct na_whatif *w, const struct turns *t)
{
	int64_t *idle = na_calloc(t->least.n, sizeof(*idle));

	if (!idle)
		return false;
	for (size_t i = 0; i < t->least.n; i++)
		idle[i] = NA_TIME_MAX;
	for (size_t i = 0; i < w->lines.n; i++)
		w->lines.v[i].got = 0;
	for (size_t i = 0; i < w->events.n; i++) {
		const struct wf_event *e = &w->events.v[i];
		struct wf_line *l;

		if (e->kind == WF_TAKEN || e->kind == WF_POSTED) {
			l = &w->lines.v[w->moves.v[e->of].to];
			begin_line(l, e->at_ps);
			if (e->kind == WF_TAKEN)
				w->after[l->first + l->got++] = e->at_ps;
		} else if (e->kind == WF_SENT) {
			struct wf_move *m = &w->moves.v[e->of];
			int64_t *least = &idle[t->key_of[e->of]];

			l = &w->lines.v[m->from];
			begin_line(l, e->at_ps);
			m->held_ps = na_time_between(held_since(w, l, m),
						     e->at_ps);
			if (m->held_ps < *least)
				*least = m->held_ps;
		}
	}
	for (size_t i = 0; i < w->moves.n; i++)
		w->n_held += w->moves.v[i].held_ps - idle[t->key_of[i]] >
			     HELD_PS;
	free(idle);
	return true;
}

/*
 * After how many receives the i-th send of a device begins: the fewest in any
 * execution, since what came before it now and then it does not need.  And how
 * long each was held then.
 */
static bool find_turns(struct na_whatif *w)
{
	struct turns t = {.key_of = na_calloc(w->moves.n, sizeof(uint32_t)),
			  .first = na_calloc(w->lines.n, sizeof(uint32_t))};
	bool ok = t.key_of && t.first;

	for (size_t i = 0; ok && i < w->events.n; i++) {
		const struct wf_event *e = &w->events.v[i];
		uint32_t to;

		if (e->kind == WF_LAUNCHED)
			w->places.v[w->ops.v[e->of].place].launches++;
		if (e->kind == WF_SENT)
			ok = count_send(w, &t, e->of);
		if (e->kind == WF_TAKEN) {
			to = w->moves.v[e->of].to;
			count_early(w, &w->lines.v[to], &t.first[to]);
		}
	}
	for (size_t i = 0; ok && i < w->moves.n; i++)
		w->moves.v[i].turn = t.least.v[t.key_of[i]];
	ok = ok && find_held(w, &t);
	na_triples_fini(&t.keys);
	na_vec_free(&t.least);
	free(t.key_of);
	free(t.first);
	return ok;
}

static bool make_room(struct na_whatif *w)
{
	uint32_t at = 0;

	for (size_t i = 0; i < w->moves.n; i++)
		w->lines.v[w->moves.v[i].to].n++;
	for (size_t i = 0; i < w->lines.n; i++) {
		w->lines.v[i].first = at;
		at += w->lines.v[i].n;
	}
	w->after = na_calloc(at, sizeof(*w->after));
	w->queue = na_calloc(w->n_hosts, sizeof(*w->queue));
	return w->after && w->queue;
}

bool wf_order(struct na_whatif *w)
{
	if (!add_events(w))
		return false;
	na_sort(w->events.v, w->events.n, by_time);
	find_hosts(w);
	return make_room(w) && find_turns(w) && wf_find_usual(w);
}
