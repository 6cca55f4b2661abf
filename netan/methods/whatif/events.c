/* All events of a host in their order, and what each of them waits for. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/state.h"

#define BEFORE_PS (2 * NA_PS_PER_US)

NA_ORDER(by_time, struct wf_event, NA_UP(host), NA_UP(at_ps), NA_UP(kind),
	 NA_UP(of))

/* What an execution does comes after its launch, whatever its clock says. */
static int64_t launched(const struct na_whatif *w, uint32_t line, int64_t at_ps)
{
	uint32_t op = w->execs.v[w->lines.v[line].exec].launch;

	return op != WF_NONE && w->ops.v[op].start_ps > at_ps
		       ? w->ops.v[op].start_ps
		       : at_ps;
}

/* Starts are told less well than ends, from which durations are taken: a send
 * may seem to come before the receive that it waits for. */
static int64_t sent_ps(const struct na_whatif *w, const struct wf_move *m)
{
	return wf_plus(launched(w, m->from, m->sent_ps), BEFORE_PS);
}

static bool add_events(struct na_whatif *w)
{
	for (uint32_t i = 0; i < w->moves.n; i++) {
		const struct wf_move *m = &w->moves.v[i];
		uint32_t src = wf_host_of(w, m->from);
		uint32_t dst = wf_host_of(w, m->to);

		if (!na_add(&w->events, ((struct wf_event){sent_ps(w, m), src,
							   i, WF_SENT})) ||
		    !na_add(&w->events,
			    ((struct wf_event){m->taken_ps, dst, i, WF_TAKEN})))
			return false;
		if (m->posted_ps != NA_UNKNOWN_PS &&
		    !na_add(&w->events,
			    ((struct wf_event){launched(w, m->to, m->posted_ps),
					       dst, i, WF_POSTED})))
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

static bool make_room(struct na_whatif *w)
{
	w->queue = na_calloc(w->n_hosts, sizeof(*w->queue));
	return w->queue;
}

bool wf_order(struct na_whatif *w)
{
	if (!wf_find_launches(w) || !add_events(w))
		return false;
	na_sort(w->events.v, w->events.n, by_time);
	find_hosts(w);
	return make_room(w) && wf_find_turns(w) && wf_find_queues(w) &&
	       wf_find_usual(w);
}
