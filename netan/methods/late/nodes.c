/* Which actions are of the execution, on the clock of the host that asks. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/late/state.h"

static bool same_run(const struct la_all *all, const struct la_action *a,
		     const struct la_path *p)
{
	return a->collective == p->ask->collective &&
	       all->store->sources[a->host].run == p->run;
}

/* The execution on this device that overlaps most of what is asked; graph
 * executions first. */
const struct la_action *na_late_execution(const struct la_all *all,
					  const struct la_path *p)
{
	const struct la_action *best = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < all->actions.n; i++) {
		const struct la_action *a = &all->actions.v[i];
		int64_t from = a->start_ps > p->ask->from_ps ? a->start_ps
							     : p->ask->from_ps;
		int64_t to = a->end_ps < p->ask->to_ps ? a->end_ps
						       : p->ask->to_ps;
		int64_t both = na_time_between(from, to);
		bool graph = a->kind == NA_ACT_GRAPH;
		bool better = graph != (best && best->kind == NA_ACT_GRAPH);

		if (from > to || a->host != p->host || !same_run(all, a, p) ||
		    a->device != p->device)
			continue;
		if (graph && a->start_ps == p->ask->graph_from_ps &&
		    a->end_ps == p->ask->graph_to_ps)
			return a;
		if (!best || (better ? graph : both > most)) {
			best = a;
			most = both;
		}
	}
	return best;
}

static bool unknown_or_same(uint32_t a, uint32_t b)
{
	return a == b || a == NA_UNKNOWN_U32 || b == NA_UNKNOWN_U32;
}

/* Of the same execution; old messages tell no launch, so that their time
 * must do. */
static bool of_execution(const struct la_all *all, const struct la_path *p,
			 const struct la_action *a, const struct la_node *n)
{
	int64_t length = na_time_between(p->ask->from_ps, p->ask->to_ps);

	if (!same_run(all, a, p) || !unknown_or_same(a->launch, p->launch) ||
	    !unknown_or_same(a->iteration, p->iteration))
		return false;
	if (a->launch != NA_UNKNOWN_U32 && p->launch != NA_UNKNOWN_U32)
		return true;
	return n->end_ps >= 0 && n->start_ps <= length;
}

NA_ORDER(by_end, struct la_node, NA_UP(end_ps), NA_UP(start_ps), NA_UP(action))

static bool to_asking_clock(const struct la_all *all, const struct la_path *p,
			    const struct la_action *a, struct la_node *n)
{
	int64_t known, ahead = na_host_clocks_ahead(all->clocks, a->host,
						    p->host, &known);
	int64_t from;

	return na_add_i64(p->ask->from_ps, ahead, &from) &&
	       !__builtin_sub_overflow(a->start_ps, from, &n->start_ps) &&
	       !__builtin_sub_overflow(a->end_ps, from, &n->end_ps);
}

/* The first of those that a device is joined with. */
static uint32_t first_of(uint32_t *joined, uint32_t e)
{
	while (joined[e] != e)
		e = joined[e] = joined[joined[e]];
	return e;
}

/* By device, one that stands for all that exchange anything, through others
 * too: a collective of one name may run in several groups that do not. */
static uint32_t *partners(const struct la_all *all, const struct la_path *p)
{
	uint32_t n = (uint32_t)all->store->names.n_endpoints;
	uint32_t *joined = na_calloc(n, sizeof(*joined));

	for (uint32_t e = 0; joined && e < n; e++)
		joined[e] = e;
	for (size_t i = 0; joined && i < all->moves.n; i++) {
		const struct la_move *m = &all->moves.v[i];
		uint32_t a, b;

		if (!same_run(all, &all->actions.v[m->action], p))
			continue;
		a = first_of(joined, m->src);
		b = first_of(joined, m->dst);
		joined[a > b ? a : b] = a > b ? b : a;
	}
	return joined;
}

static bool collect(const struct la_all *all, struct la_path *p,
		    uint32_t *joined)
{
	for (uint32_t i = 0; i < all->actions.n; i++) {
		struct la_node n = {.action = i};

		p->node_of[i] = LA_NONE;
		if (!to_asking_clock(all, p, &all->actions.v[i], &n))
			continue;
		if (all->actions.v[i].kind == NA_ACT_SEND &&
		    all->store->sources[all->actions.v[i].host].run == p->run)
			p->sends[p->n_sends++] = n;
		if (!of_execution(all, p, &all->actions.v[i], &n) ||
		    (all->actions.v[i].device != LA_NONE &&
		     first_of(joined, all->actions.v[i].device) !=
			     first_of(joined, p->device)))
			continue;
		if (!na_add(&p->nodes, n))
			return false;
	}
	return true;
}

bool na_late_find_nodes(const struct la_all *all, struct la_path *p)
{
	uint32_t *joined = partners(all, p);
	bool done;

	p->node_of = na_calloc(all->actions.n, sizeof(*p->node_of));
	p->sends = na_calloc(all->actions.n, sizeof(*p->sends));
	done = joined && p->node_of && p->sends && collect(all, p, joined);
	free(joined);
	if (!done)
		return false;
	na_sort(p->sends, p->n_sends, by_end);
	na_sort(p->nodes.v, p->nodes.n, by_end);
	for (uint32_t i = 0; i < p->nodes.n; i++)
		p->node_of[p->nodes.v[i].action] = i;
	return true;
}

void na_late_path_fini(struct la_path *p)
{
	na_vec_free(&p->nodes);
	free(p->sends);
	free(p->node_of);
	free(p->numbers);
	na_vec_free(&p->steps);
}
