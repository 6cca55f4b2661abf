/* The graph as a simulation needs it: its clocks, how many transfers of a host
 * go on at once, and what programs, lines and groups of sends wait for. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/sim.h"

/* By so much the clocks of two hosts may be apart here. */
#define APART_PS (60 * NA_PS_PER_US)
/* Of the sends: fewer that wait in a queue are no queue. */
#define QUEUED 0.05

static int64_t common(const struct wf_sim *s, uint32_t line, int64_t at_ps)
{
	uint32_t host = wf_host_of(s->w, line);

	return wf_plus(na_host_clocks_time(s->w->clocks, host, at_ps),
		       s->shift_ps[host]);
}

/* ---- clocks */

enum { ROUNDS = 16 };

int64_t wf_way_ps(const struct wf_sim *s, const struct wf_move *m)
{
	int64_t way = wf_minus(common(s, m->to, m->taken_ps),
			       common(s, m->from, m->sent_ps));

	return wf_minus(way, wf_plus(m->waited_ps,
				     wf_excess_ps(s->w, s->ask, m)));
}

/* Who is slow one way makes clocks look apart.  They are moved until nothing
 * arrives before it was sent. */
static void move_clocks(struct wf_sim *s)
{
	const struct na_whatif *w = s->w;
	bool moved = true;

	for (int i = 0; moved && i < ROUNDS; i++) {
		moved = false;
		for (size_t k = 0; k < w->moves.n; k++) {
			const struct wf_move *m = &w->moves.v[k];
			uint32_t dst = wf_host_of(w, m->to);
			int64_t way = wf_way_ps(s, m);

			/* Of one clock alone it is no other clock's fault. */
			if (way >= 0 || wf_host_of(w, m->from) == dst)
				continue;
			s->shift_ps[dst] = wf_minus(s->shift_ps[dst], way);
			moved = true;
		}
	}
}

/* ---- how many at once */

struct edge {
	uint32_t host;
	int64_t at_ps;
	int32_t by;
};

NA_ORDER(by_edge, struct edge, NA_UP(host), NA_UP(at_ps), NA_UP(by))

/* 0: no queue. */
static unsigned turns_of(struct edge *v, size_t n)
{
	int32_t now = 0, most = 0;

	na_sort(v, n, by_edge);
	for (size_t i = 0; i < n; i++) {
		now = i && v[i].host != v[i - 1].host ? v[i].by : now + v[i].by;
		most = now > most ? now : most;
	}
	return most > TURNS_MOST ? 0 : (unsigned)most;
}

static bool count_turns(struct wf_sim *s)
{
	const struct na_whatif *w = s->w;
	struct edge *out, *in;
	size_t n_out = 0, n_in = 0;
	bool ok;

	if ((double)w->n_queued <= QUEUED * (double)w->moves.n)
		return true;
	out = na_calloc(2 * w->moves.n, sizeof(*out));
	in = na_calloc(2 * w->moves.n, sizeof(*in));
	ok = out && in;
	for (size_t i = 0; ok && i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];
		int64_t from = common(s, m->from, m->sent_ps);
		int64_t to = common(s, m->to, m->taken_ps);

		if (m->twin)
			continue;
		if (m->gone_ps > m->sent_ps) {
			uint32_t h = wf_host_of(w, m->from);

			out[n_out++] = (struct edge){h, m->sent_ps, 1};
			out[n_out++] = (struct edge){h, m->gone_ps, -1};
		}
		if (na_time_between(from, to) > 2 * APART_PS) {
			uint32_t h = wf_host_of(w, m->to);

			in[n_in++] = (struct edge){h, from + APART_PS, 1};
			in[n_in++] = (struct edge){h, to - APART_PS, -1};
		}
	}
	if (ok) {
		s->turns_out = turns_of(out, n_out);
		s->turns_in = turns_of(in, n_in);
	}
	free(out);
	free(in);
	return ok;
}

/* Of each host one at least, where its last transfer is told. */
static bool make_turns(struct wf_sim *s)
{
	s->n_out = s->w->n_hosts * (s->turns_out ? s->turns_out : 1);
	s->n_in = s->w->n_hosts * (s->turns_in ? s->turns_in : 1);
	s->out_ps = na_calloc(s->n_out, sizeof(*s->out_ps));
	s->in_ps = na_calloc(s->n_in, sizeof(*s->in_ps));
	return s->out_ps && s->in_ps;
}

/* ---- the graph */

static uint32_t program_of(const struct na_whatif *w, const struct wf_event *e)
{
	return e->kind == WF_ENDED
		       ? w->ends.v[e->of].core
		       : w->place_keys.keys[w->ops.v[e->of].place].a;
}

static bool of_program(const struct wf_event *e)
{
	return e->kind == WF_LAUNCHED || e->kind == WF_WAITED ||
	       e->kind == WF_ENDED;
}

static bool lay_out_items(struct wf_sim *s)
{
	const struct na_whatif *w = s->w;
	size_t n = 0;

	for (size_t i = 0; i < w->events.n; i++) {
		if (of_program(&w->events.v[i])) {
			s->programs[program_of(w, &w->events.v[i])].end++;
			n++;
		}
	}
	s->items = na_calloc(n, sizeof(*s->items));
	n = 0;
	for (size_t i = 0; i < s->n_programs; i++) {
		size_t own = s->programs[i].end;

		s->programs[i].first = s->programs[i].end = n;
		n += own;
	}
	for (size_t i = 0; s->items && i < w->events.n; i++) {
		const struct wf_event *e = &w->events.v[i];

		if (of_program(e))
			s->items[s->programs[program_of(w, e)].end++] =
				(struct item){
					wf_plus(na_host_clocks_time(w->clocks,
								    e->host,
								    e->at_ps),
						s->shift_ps[e->host]),
					0, (uint32_t)i, WF_NONE};
	}
	if (s->items && s->ask->own)
		wf_find_own(s);
	return s->items;
}

/* The last item of its program before a line begins, or what launched it. */
static void anchor(struct wf_sim *s, uint32_t line, const uint32_t *item_of)
{
	const struct na_whatif *w = s->w;
	const struct wf_line *l = &w->lines.v[line];
	const struct wf_exec *x = &w->execs.v[l->exec];
	const struct program *p =
		&s->programs[w->place_keys.keys[x->place].a];
	int64_t seen = common(s, line, l->begin_ps);
	uint32_t item = item_of[l->exec];

	if (!l->begun)
		return;
	if (item == WF_NONE) {
		size_t k = NA_BOUND(i, p->first, p->end,
				    s->items[i].seen_ps > seen);

		item = k > p->first ? (uint32_t)(k - 1) : WF_NONE;
	}
	if (item == WF_NONE) {
		s->lines[line].alone = true;
		s->lines[line].lag_ps = seen;
		return;
	}
	s->lines[line].lag_ps = wf_minus(seen, s->items[item].seen_ps);
	s->lines[line].next = s->items[item].lines;
	s->items[item].lines = line;
}

static bool anchor_lines(struct wf_sim *s)
{
	struct na_whatif *w = s->w;
	uint32_t *item_of = na_calloc(w->execs.n, sizeof(*item_of));

	if (!item_of)
		return false;
	for (size_t i = 0; i < w->execs.n; i++)
		item_of[i] = WF_NONE;
	for (size_t i = 0; i < s->n_programs; i++)
		for (size_t k = s->programs[i].first; k < s->programs[i].end;
		     k++) {
			const struct wf_event *e =
				&w->events.v[s->items[k].event];

			if (e->kind == WF_LAUNCHED &&
			    w->ops.v[e->of].of != WF_NONE)
				item_of[w->ops.v[e->of].of] = (uint32_t)k;
			if (e->kind == WF_WAITED &&
			    w->ops.v[e->of].of != WF_NONE)
				s->execs[w->ops.v[e->of].of].op = e->of;
		}
	for (uint32_t i = 0; i < w->lines.n; i++)
		anchor(s, i, item_of);
	free(item_of);
	return true;
}

static uint32_t need(const struct na_whatif *w, uint32_t turn, uint32_t cell)
{
	uint32_t n = *wf_need_of(w, turn, cell);

	return n <= w->cells.v[cell].n ? n : 0;
}

/* What a new group waits for: its line, and receives. */
static bool open_group(struct wf_sim *s, struct group *g,
		       const struct wf_move *m)
{
	const struct na_whatif *w = s->w;
	uint32_t id = (uint32_t)(g - s->groups.v);
	uint32_t i = w->lines.v[m->from].cells;

	g->needs = 1;
	g->sends = WF_NONE;
	g->next = s->lines[m->from].groups;
	s->lines[m->from].groups = id;
	for (; i != WF_NONE; i = w->cells.v[i].next) {
		uint32_t n = need(w, m->turn, i), *first;

		if (!n)
			continue;
		first = &s->followed[w->cells.v[i].first + n - 1];
		if (!na_add(&s->followers, ((struct follower){id, *first})))
			return false;
		*first = (uint32_t)s->followers.n - 1;
		g->needs++;
	}
	return true;
}

static bool add_to_group(struct wf_sim *s, uint32_t move)
{
	const struct na_whatif *w = s->w;
	const struct wf_move *m = &w->moves.v[move];
	size_t known = s->groups.n;
	struct group *g = na_triples_at(
		&s->group_keys, &s->groups,
		((struct na_triple){m->from, m->turn, 0}));

	if (!g || (s->groups.n > known && !open_group(s, g, m)))
		return false;
	s->moves[move].next = g->sends;
	g->sends = move;
	return true;
}

bool wf_counts(const struct wf_sim *s, uint32_t line, int64_t at_ps, bool sends)
{
	const struct na_whatif *w = s->w;
	const struct wf_exec *x = &w->execs.v[w->lines.v[line].exec];
	const struct exec *e = &s->execs[w->lines.v[line].exec];

	return e->op != WF_NONE && at_ps != NA_UNKNOWN_PS &&
	       at_ps <= w->ops.v[e->op].end_ps &&
	       !(sends && w->places.v[x->place].apart);
}

static void count_end(struct wf_sim *s, uint32_t line, int64_t at_ps,
		      bool sends)
{
	struct exec *e = &s->execs[s->w->lines.v[line].exec];

	if (!wf_counts(s, line, at_ps, sends))
		return;
	if (!e->needs || at_ps > e->seen_ps)
		e->seen_ps = at_ps;
	e->needs++;
}

static bool lay_out_moves(struct wf_sim *s)
{
	struct na_whatif *w = s->w;
	size_t before = 0, posted = 0;
	bool ok = true;

	/* The last one first: a group has them as they were sent. */
	for (size_t i = w->events.n; ok && i-- > 0;)
		ok = w->events.v[i].kind != WF_SENT ||
		     w->moves.v[w->events.v[i].of].twin ||
		     add_to_group(s, w->events.v[i].of);
	for (uint32_t i = 0; ok && i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];

		count_end(s, m->to, m->taken_ps, false);
		count_end(s, m->from, m->gone_ps, true);
		if (m->posted_ps == NA_UNKNOWN_PS)
			continue;
		posted++;
		before += na_time_between(common(s, m->from, m->sent_ps),
					  common(s, m->to, m->posted_ps)) >
			  APART_PS;
	}
	s->rendezvous = posted && 100 * before < posted;
	return ok;
}

static bool make(struct wf_sim *s)
{
	struct na_whatif *w = s->w;

	s->n_programs = w->store->devices.n_cores + w->n_hosts;
	s->programs = na_calloc(s->n_programs, sizeof(*s->programs));
	s->lines = na_calloc(w->lines.n, sizeof(*s->lines));
	s->execs = na_calloc(w->execs.n, sizeof(*s->execs));
	s->moves = na_calloc(w->moves.n, sizeof(*s->moves));
	s->got = na_calloc(w->cells.n, sizeof(*s->got));
	s->followed = na_calloc(w->moves.n, sizeof(*s->followed));
	s->shift_ps = na_calloc(w->n_hosts, sizeof(*s->shift_ps));
	if (!s->programs || !s->lines || !s->execs || !s->moves || !s->got ||
	    !s->followed || !s->shift_ps)
		return false;
	move_clocks(s);
	for (size_t i = 0; i < w->moves.n; i++)
		s->followed[i] = WF_NONE;
	for (size_t i = 0; i < w->lines.n; i++)
		s->lines[i].next = s->lines[i].groups = WF_NONE;
	for (size_t i = 0; i < w->execs.n; i++)
		s->execs[i].op = WF_NONE;
	return lay_out_items(s) && anchor_lines(s) && lay_out_moves(s) &&
	       count_turns(s) && make_turns(s);
}

struct wf_sim *wf_sim_make(struct na_whatif *w, const struct na_whatif_ask *ask)
{
	struct wf_sim *s = na_calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->w = w;
	s->ask = ask;
	if (make(s))
		return s;
	wf_sim_free(s);
	return NULL;
}

void wf_sim_free(struct wf_sim *s)
{
	if (!s)
		return;
	na_queue_fini(&s->queue);
	free(s->items);
	free(s->programs);
	na_vec_free(&s->groups);
	na_triples_fini(&s->group_keys);
	free(s->lines);
	free(s->execs);
	free(s->moves);
	free(s->got);
	free(s->followed);
	na_vec_free(&s->followers);
	free(s->out_ps);
	free(s->in_ps);
	free(s->shift_ps);
	free(s);
}
