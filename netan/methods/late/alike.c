/*
 * Whether other hosts wait as long as one does: who waits as all do is not
 * named.  Of each host counts the longest wait in the execution before an
 * action of that kind, as on the path from the end of what its inputs tell,
 * else of the last action of its device that it can have waited for.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/late/state.h"

static const double apart = 2; /* so many times the others' median stand out */

/* An end or a start of an action. */
struct la_edge {
	int64_t at_ps;
	uint32_t host, device, node;
	uint8_t is_start, kind;
};

/* What ended when something begins is there. */
NA_ORDER(by_device, struct la_edge, NA_UP(host), NA_UP(device), NA_UP(at_ps),
	 NA_UP(is_start), NA_UP(node))

/* NULL: no memory.  *n is 0 where copies do not tell their device. */
static struct la_edge *edges_of(const struct la_all *all,
				const struct la_path *p, size_t *n)
{
	struct la_edge *e = na_calloc(2 * p->nodes.n, sizeof(*e));

	*n = 0;
	for (uint32_t i = 0; e && i < p->nodes.n; i++) {
		const struct la_node *x = &p->nodes.v[i];
		const struct la_action *a = &all->actions.v[x->action];
		struct la_edge edge = {.at_ps = x->end_ps,
				       .host = a->host,
				       .device = a->device,
				       .node = i,
				       .kind = a->kind};

		if (a->device == LA_NONE) {
			*n = 0;
			return e;
		}
		e[(*n)++] = edge;
		edge.at_ps = x->start_ps;
		edge.is_start = true;
		e[(*n)++] = edge;
	}
	if (e)
		na_sort(e, *n, by_device);
	return e;
}

/* When what an action waited for had ended: before the first of a device,
 * what is asked began, on a clock that is known. */
static int64_t ready_at(const struct la_all *all, const struct la_path *p,
			const struct la_edge *x,
			const int64_t ended_ps[NA_N_ACTIONS])
{
	int64_t last = NA_TIME_MIN, known;
	uint32_t told = na_late_told_before(all, p, x->node);

	if (told != LA_NONE)
		return p->nodes.v[told].end_ps;
	for (unsigned k = 0; k < NA_N_ACTIONS; k++) {
		if (na_late_waits_for[x->kind] & 1u << k && ended_ps[k] > last)
			last = ended_ps[k];
	}
	if (last > NA_TIME_MIN)
		return last;
	na_host_clocks_ahead(all->clocks, x->host, p->host, &known);
	return known < NA_TIME_MAX && x->at_ps > 0 ? 0 : x->at_ps;
}

/* By host, its longest; below 0: it has no such action. */
static void longest_waits(const struct la_all *all, const struct la_path *p,
			  const struct la_edge *e, size_t n, uint8_t kind,
			  int64_t *waits_ps)
{
	int64_t ended_ps[NA_N_ACTIONS], wait;

	for (uint32_t h = 0; h < all->store->n_hosts; h++)
		waits_ps[h] = -1;
	for (size_t i = 0; i < n; i++) {
		if (!i || e[i].host != e[i - 1].host ||
		    e[i].device != e[i - 1].device) {
			for (unsigned k = 0; k < NA_N_ACTIONS; k++)
				ended_ps[k] = NA_TIME_MIN;
		}
		if (!e[i].is_start) {
			ended_ps[e[i].kind] = e[i].at_ps;
			continue;
		}
		if (e[i].kind != kind || e[i].host >= all->store->n_hosts)
			continue;
		wait = na_time_between(ready_at(all, p, &e[i], ended_ps),
				       e[i].at_ps);
		if (wait > waits_ps[e[i].host])
			waits_ps[e[i].host] = wait;
	}
}

/* Those of the others; nobody to compare with: it stands out. */
static enum la_alike compare(int64_t *waits_ps, uint32_t n_hosts,
			     const struct la_segment *s)
{
	double own = (double)(s->to_ps - s->from_ps);
	size_t n = 0;

	for (uint32_t h = 0; h < n_hosts; h++) {
		if (h != s->host && waits_ps[h] >= 0)
			waits_ps[n++] = waits_ps[h];
	}
	na_sort(waits_ps, n, na_order_i64);
	if (!n || own >= apart * (double)waits_ps[(n - 1) / 2])
		return LA_STANDS_OUT;
	return own < apart * (double)waits_ps[0] ? LA_AS_ALL : LA_AS_MOST;
}

bool na_late_alike(const struct la_all *all, const struct la_path *p,
		   const struct la_segment *s, enum la_alike *how)
{
	size_t n;
	int64_t *waits_ps = na_calloc(all->store->n_hosts, sizeof(*waits_ps));
	struct la_edge *e = waits_ps ? edges_of(all, p, &n) : NULL;

	*how = LA_STANDS_OUT;
	if (e && n) {
		longest_waits(all, p, e, n, all->actions.v[s->action].kind,
			      waits_ps);
		*how = compare(waits_ps, (uint32_t)all->store->n_hosts, s);
	}
	free(waits_ps);
	free(e);
	return e;
}
