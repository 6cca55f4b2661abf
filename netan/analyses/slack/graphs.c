/*
 * slack: the graph execution on the host that belongs to an execution on its
 * device: the same device and collective, and times that meet.
 */
#include <stdlib.h>

#include "netan/analyses/slack/slack.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

static int by_device_time(const void *a, const void *b)
{
	const struct na_packed_exec *const *at = a, *const *to = b;
	const struct na_exec x = na_unpack_exec(*at), y = na_unpack_exec(*to);

	return NA_THEN(NA_CMP(x.input, y.input), NA_CMP(x.device, y.device),
		       NA_CMP(x.collective, y.collective),
		       NA_CMP(x.start_ps, y.start_ps),
		       NA_CMP(x.end_ps, y.end_ps));
}

/* The same device and collective? */
static int against(struct na_exec g, uint32_t input, uint32_t device,
		   uint32_t collective)
{
	return NA_THEN(NA_CMP(g.input, input), NA_CMP(g.device, device),
		       NA_CMP(g.collective, collective));
}

struct graphs { /* by device, collective and start */
	const struct na_packed_exec **all;
	bool *used;
	size_t n;
};

static struct na_exec graph(const struct graphs *g, size_t i)
{
	return na_unpack_exec(g->all[i]);
}

/* Of all inputs and times: what is chosen are executions, by their own. */
static bool collect(struct graphs *g, const struct na_store *s)
{
	g->all = na_calloc(s->graphs.n, sizeof(*g->all));
	g->used = na_calloc(s->graphs.n, sizeof(*g->used));
	if (!g->all || !g->used)
		return false;
	for (struct na_chunk *c = s->graphs.first; c; c = c->next) {
		const struct na_packed_exec *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			const struct na_exec e = na_unpack_exec(&x[i]);

			if (e.device != NA_UNKNOWN_U32 &&
			    e.collective != NA_UNKNOWN_U32)
				g->all[g->n++] = &x[i];
		}
	}
	na_sort(g->all, g->n, by_device_time);
	return true;
}

static size_t first_of(const struct graphs *g, uint32_t input, uint32_t device,
		       uint32_t collective)
{
	return NA_BOUND(i, 0, g->n,
			against(graph(g, i), input, device, collective) >= 0);
}

static int64_t common_ps(struct na_exec g, const struct sl_occ *o)
{
	int64_t from = g.start_ps > o->start_ps ? g.start_ps : o->start_ps;
	int64_t to = g.end_ps < o->end_ps ? g.end_ps : o->end_ps;

	return to < from ? -1 : na_slack_minus(to, from);
}

/* Nobody else's: the first that begins within it; where none does, the one
 * that shares most of its time; `to`: none.  A host may be done before the
 * device sends again, so that several begin within one execution: they are
 * taken in order.  *from: those before it are over. */
static size_t best_of(const struct graphs *g, size_t *from, size_t to,
		      const struct sl_occ *o)
{
	size_t best = to;
	int64_t most = -1;

	while (*from < to &&
	       (g->used[*from] || graph(g, *from).end_ps < o->start_ps))
		++*from;
	for (size_t i = *from, seen = 0; i < to && seen < SL_GRAPHS_SEEN;
	     i++, seen++) {
		const struct na_exec x = graph(g, i);
		int64_t common;

		if (x.start_ps > o->end_ps)
			break;
		if (g->used[i])
			continue;
		if (x.start_ps >= o->start_ps)
			return i;
		common = common_ps(x, o);
		if (common > most) {
			most = common;
			best = i;
		}
	}
	return best;
}

struct lane { /* executions of one collective on one core */
	size_t from, to;
};

static struct lane lane_of(const struct graphs *g, const struct na_core *c,
			   uint32_t collective)
{
	return (struct lane){first_of(g, c->input, c->endpoint, collective),
			     first_of(g, c->input, c->endpoint,
				      collective + 1)};
}

static void join(struct sl_state *s, struct graphs *g, struct lane *l,
		 struct sl_occ *o)
{
	size_t at = best_of(g, &l->from, l->to, o);
	struct na_exec x;

	if (at == l->to) {
		s->left[SL_NO_GRAPH]++;
		return;
	}
	g->used[at] = true;
	x = graph(g, at);
	o->host_stall_ps = na_slack_minus(x.end_ps, o->done_ps);
	o->wire_ps = na_time_between(x.start_ps, x.end_ps);
}

bool na_slack_join_graphs(struct sl_state *s)
{
	const struct na_core *cores = s->scope->store->devices.cores;
	struct graphs g = {.n = 0};
	struct na_triples keys = {.n = 0};
	NA_VEC(struct lane) lanes = {.v = NULL};
	/* No execution: nobody to join them with. */
	bool ok = !s->n || collect(&g, s->scope->store);

	for (size_t i = 0; ok && i < s->n; i++) {
		struct sl_occ *o = &s->occs[i];
		const struct na_core *c = &cores[o->core];
		uint32_t at = na_triples_add(
			&keys, (struct na_triple){o->core, o->collective, 0});

		if (at == lanes.n)
			ok = na_add(&lanes, lane_of(&g, c, o->collective));
		ok = ok && at != NA_NO_TRIPLE;
		if (ok)
			join(s, &g, &lanes.v[at], o);
	}
	free(g.all);
	free(g.used);
	na_vec_free(&lanes);
	na_triples_fini(&keys);
	return ok;
}
