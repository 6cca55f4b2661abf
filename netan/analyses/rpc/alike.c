/*
 * rpc: late transfers that lie together at a wait of TCP's timers, where none
 * is shown to be why: nothing was sent again, or they are few beside others
 * that are late.  They are told, and make no verdict.
 *
 * A tail that just falls off has as many below a wait as at it.  So none is
 * below it, from 0.7 times on, of five or more at a wait under 200 ms; of
 * longer ones, of which there are fewer, three are enough where they are 60 %
 * of the tail events.  Log-normal and Pareto tails look so in at most 4 %
 * (docs/methods.md).
 */
#include <math.h>

#include "members.h"
#include "netan/analyses/rpc/tail.h"

enum { LEAST_TAIL = 3, LEAST = 5 };

/* From here on timers need no showing: without `possible` TCP denied it. */
#define TAIL_MODE_MS 200

/* Times the wait: from here on it counts as below. */
#define BELOW 0.7

struct rpc_near na_rpc_near(const struct rpc_state *s, uint32_t index,
			    double ms)
{
	const struct rpc_late *all = (const void *)s->late.items;
	struct rpc_near n = {.at = 0};

	for (size_t i = 0; i < s->late.n; i++) {
		const struct rpc_late *x = &all[i];

		if ((index != RPC_ALL_ROWS && x->row != index) || x->constant)
			continue;
		n.tail += na_is_tail(x->excess_ms, x->expected_ms);
		n.below += x->excess_ms >= BELOW * ms &&
			   x->excess_ms < NA_TIMER_LEAST * ms;
		if (!(x->excess_ms >= NA_TIMER_LEAST * ms &&
		      x->excess_ms <= NA_TIMER_MOST * ms))
			continue;
		n.at++;
		n.expected_ms = fmax(n.expected_ms, x->expected_ms);
	}
	return n;
}

bool na_rpc_has_edge(const struct rpc_near *n)
{
	return n->at >= LEAST && n->below * 4 <= n->at;
}

static bool is_alike(const struct rpc_near *n, double ms)
{
	/* Those below would be late as well. */
	if (!na_is_late(BELOW * ms, n->expected_ms))
		return false;
	if (ms < TAIL_MODE_MS)
		return n->at >= LEAST && !n->below;
	return n->at * 5 >= n->tail * 3 &&
	       (na_rpc_has_edge(n) || (n->at >= LEAST_TAIL && !n->below));
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

/* Of those that are long enough for tail events, else of the others, the one
 * that most lie at; of equals the shorter one. */
void na_rpc_put_alike(struct na_result *r, struct na_value *body,
		      const struct rpc_state *s)
{
	const struct na_timer_mode *best = NULL;
	struct na_value *to;
	size_t most = 0;

	for (int i = 0; i < NA_TIMER_MODES; i++) {
		const struct na_timer_mode *m = &s->all.verdict.modes[i];
		const struct rpc_near n = na_rpc_near(s, RPC_ALL_ROWS, m->ms);

		bool longer = m->ms >= TAIL_MODE_MS && best &&
			      best->ms < TAIL_MODE_MS;

		if ((n.at <= most && !longer) || !is_alike(&n, m->ms) ||
		    is_told(body, m->ms))
			continue;
		best = m;
		most = n.at;
	}
	/* Of a sample the count would be too low. */
	if (!best || s->late.shift)
		return;
	to = na_put_object(r, body, M_alike);
	na_put_real(r, to, M_latency_ms, best->ms);
	na_put_int(r, to, M_count, (int64_t)most);
	na_put_bool(r, to, M_nothing_sent_again,
		    best->ms >= TAIL_MODE_MS && !best->possible);
}
