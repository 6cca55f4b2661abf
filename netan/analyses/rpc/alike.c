/*
 * rpc: late transfers that lie together at a wait of TCP's timers, where none
 * is shown to be why: nothing was sent again, or they are few beside others
 * that are late.  They are told, and make no verdict.
 *
 * That they lie together is told by their own scatter: the waits of timers are
 * so many and so wide from 200 ms on that nearly any lies at one.  The longest
 * is no more than 1.1 times the shortest, or 1.25 times below 100 ms, where
 * what comes on top of a timer counts for more.  A tail that just falls off has
 * as many below.  So none is below the shortest, from 0.7 times on, of five or
 * more at a wait under 200 ms; of longer ones, of which there are fewer, three
 * are enough where they are 60 % of the tail events.  Log-normal and Pareto
 * tails look so in at most 4 % (docs/methods.md).
 */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/rpc/tail.h"
#include "netan/base/order.h"

enum { LEAST_TAIL = 3 };

/* From here on timers need no showing: without `possible` TCP denied it. */
#define TAIL_MODE_MS 200

/* The longest over the shortest of those that lie together. */
#define SCATTER      1.1
#define SCATTER_LESS 1.25 /* below NA_TAIL_MS */

struct wait {
	double ms;
	bool near_late; /* what is as far below it would not be known */
};

NA_ORDER(by_length, struct wait, NA_UP(ms), NA_UP(near_late))

struct waits {
	struct wait *v; /* ascending */
	size_t n, tail;
};

/* From v[from] to v[to - 1]. */
struct group {
	const struct na_timer_mode *mode;
	size_t from, to;
};

static bool is_alike(struct rpc_near n, size_t tail, double ms)
{
	if (ms < TAIL_MODE_MS)
		return n.at >= RPC_EDGE_LEAST && !n.below;
	return n.at * 5 >= tail * 3 &&
	       (na_rpc_has_edge(n) || (n.at >= LEAST_TAIL && !n.below));
}

static bool is_told(const struct na_value *body, double ms)
{
	na_for_each (v, na_get(body, M_modes)) {
		double by = ms / na_number_at(v, M_latency_ms);

		/* Their bands meet. */
		if (by > NA_TIMER_LEAST / NA_TIMER_MOST &&
		    by < NA_TIMER_MOST / NA_TIMER_LEAST)
			return true;
	}
	return false;
}

static struct waits waits_of(const struct rpc_state *s)
{
	const struct rpc_late *all = (const void *)s->late.items;
	struct waits w = {.v = na_calloc(s->late.n, sizeof(*w.v))};

	for (size_t i = 0; w.v && i < s->late.n; i++) {
		const struct rpc_late *x = &all[i];

		if (x->constant)
			continue;
		w.tail += na_is_tail(x->excess_ms, x->expected_ms);
		w.v[w.n++] = (struct wait){
			x->excess_ms,
			/* Or is not kept. */
			RPC_BELOW * x->excess_ms < RPC_LATE_MS ||
				!na_is_late(RPC_BELOW * x->excess_ms,
					    x->expected_ms)};
	}
	if (w.v)
		na_sort(w.v, w.n, by_length);
	return w;
}

static double median_ms(const struct waits *w, const struct group *g)
{
	return w->v[g->from + (g->to - g->from) / 2].ms;
}

/* At m's wait, and no other's. */
static bool is_at(const struct na_timer_mode all[NA_TIMER_MODES],
		  const struct na_timer_mode *m, double ms)
{
	for (int i = 0; i < NA_TIMER_MODES; i++)
		if (fabs(log(ms / all[i].ms)) < fabs(log(ms / m->ms)))
			return false;
	return ms >= NA_TIMER_LEAST * m->ms && ms <= NA_TIMER_MOST * m->ms;
}

/* Those long enough for tail events come before the others, the more of them
 * the better; of equally many the shorter ones, which are looked at first. */
static bool is_better(const struct group *g, const struct group *best)
{
	if (best->mode && best->mode->ms < TAIL_MODE_MS &&
	    g->mode->ms >= TAIL_MODE_MS)
		return true;
	return g->to - g->from > best->to - best->from;
}

/* Those that begin at this wait. */
static void look_at(const struct waits *w,
		    const struct na_timer_mode all[NA_TIMER_MODES],
		    const struct na_timer_mode *m, const struct na_value *body,
		    struct group *best)
{
	double scatter = m->ms < NA_TAIL_MS ? SCATTER_LESS : SCATTER;
	size_t below = 0, to = 0, near_late = 0;

	for (size_t i = 0; i < w->n; i++) {
		double ms = w->v[i].ms;
		struct group g = {m, i, to};
		struct rpc_near n;

		if (ms > NA_TIMER_MOST * m->ms)
			return;
		for (; to < w->n && w->v[to].ms <= scatter * ms; to++)
			near_late += w->v[to].near_late;
		while (w->v[below].ms < RPC_BELOW * ms)
			below++;
		g.to = to;
		n = (struct rpc_near){.at = to - i, .below = i - below};
		if (is_better(&g, best) && !near_late && is_at(all, m, ms) &&
		    is_alike(n, w->tail, m->ms) && !is_told(body, median_ms(w, &g)))
			*best = g;
		near_late -= w->v[i].near_late;
	}
}

void na_rpc_put_alike(struct na_result *r, struct na_value *body,
		      const struct rpc_state *s)
{
	struct waits w;
	struct group best = {NULL, 0, 0};
	struct na_value *to;

	/* Of a sample the count would be too low. */
	if (s->late.shift)
		return;
	w = waits_of(s);
	for (int i = 0; i < NA_TIMER_MODES; i++)
		look_at(&w, s->all.verdict.modes, &s->all.verdict.modes[i],
			body, &best);
	if (best.mode) {
		to = na_put_object(r, body, M_alike);
		na_put_real(r, to, M_latency_ms, median_ms(&w, &best));
		na_put_int(r, to, M_count, (int64_t)(best.to - best.from));
		na_put_bool(r, to, M_nothing_sent_again,
			    s->tcp_seen && best.mode->ms >= TAIL_MODE_MS &&
				    !best.mode->possible);
	}
	free(w.v);
}
