/*
 * slack: what transfers tell of it: how long one takes on the network, which
 * no slack should be below; by how much hosts' clocks differ; and why the
 * slowest executions were late.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/slack/slack.h"
#include "netan/base/vec.h"
#include "netan/methods/late/late.h"
#include "netan/stats/samples/census.h"

static bool has_row(const bool *rows, size_t n, uint32_t collective)
{
	return collective < n && rows[collective];
}

static bool count_latencies(const struct sl_state *s, const bool *rows,
			    struct na_census *to)
{
	const struct na_store *store = s->scope->store;

	for (struct na_chunk *c = store->transfers.first; c; c = c->next) {
		const struct na_packed_transfer *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			struct na_transfer t;

			if (na_packed_aside(&x[i], NA_RX))
				continue;
			t = na_unpack_transfer(&x[i]);
			if (t.klass == NA_VALID && t.side == NA_RX &&
			    na_filter_when(s->scope->bound, &t) &&
			    has_row(rows, store->names.strings.n,
				    t.collective) &&
			    !na_census_add(to, t.collective,
					   na_time_between(t.start_ps,
							   t.end_ps)))
				return false;
		}
	}
	na_census_close(to);
	return true;
}

bool na_slack_latencies(struct sl_state *s)
{
	size_t names = s->scope->store->names.strings.n;
	bool *rows = na_calloc(names, sizeof(*rows));
	size_t *from = na_calloc(names + 1, sizeof(*from));
	struct na_census_stack stack = {.n = 0};
	struct na_census census = {.n = 0};
	struct na_weighted *all = NULL;
	bool ok = rows && from;

	for (size_t i = 0; ok && i < s->n_rows; i++)
		rows[s->rows[i].collective] = true;
	ok = ok && count_latencies(s, rows, &census) &&
	     na_census_push(&stack, &census) &&
	     na_census_join(&stack, names, &all, from);
	for (size_t i = 0; ok && i < s->n_rows; i++) {
		uint32_t c = s->rows[i].collective;

		s->rows[i].network_us =
			all ? na_us(na_weighted_quantile(all + from[c],
							 from[c + 1] - from[c],
							 0.5))
			    : NAN;
	}
	na_census_fini(&census);
	na_census_stack_fini(&stack);
	free(all);
	free(rows);
	free(from);
	return ok;
}

/* Over all groups, the collective with the largest total stall; of equal
 * ones the one that is told first. */
static uint32_t worst_collective(const struct sl_state *s, bool *ok)
{
	size_t names = s->scope->store->names.strings.n;
	na_i128 *sum = na_calloc(names, sizeof(*sum));
	uint32_t worst = NA_UNKNOWN_U32;

	*ok = sum;
	for (size_t i = 0; sum && i < s->n_rows; i++)
		sum[s->rows[i].collective] += s->rows[i].stall_ps;
	for (size_t i = 0; sum && i < s->n_rows; i++) {
		uint32_t c = s->rows[s->ranked[i]].collective;

		if (worst == NA_UNKNOWN_U32 || sum[c] > sum[worst])
			worst = c;
	}
	free(sum);
	return worst;
}

/* Into its place among the n slowest so far; the earlier one wins. */
static size_t insert(const struct sl_state *s, uint32_t *slow, size_t n,
		     size_t most, uint32_t at)
{
	int64_t stall = s->occs[at].stall_ps;
	size_t i = n;

	while (i > 0 && s->occs[slow[i - 1]].stall_ps < stall)
		i--;
	if (i == most)
		return n;
	if (n < most)
		n++;
	for (size_t k = n - 1; k > i; k--)
		slow[k] = slow[k - 1];
	slow[i] = at;
	return n;
}

static size_t slowest(const struct sl_state *s, uint32_t collective,
		      struct na_late_ask asks[SL_LATE_MAX])
{
	uint32_t slow[SL_LATE_MAX];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->occs[i].collective == collective &&
		    s->occs[i].row != NA_UNKNOWN_U32)
			n = insert(s, slow, n, (size_t)s->params->late,
				   (uint32_t)i);
	}
	for (size_t i = 0; i < n; i++) {
		const struct sl_occ *o = &s->occs[slow[i]];

		asks[i] = (struct na_late_ask){
			.collective = o->collective,
			.core = o->core,
			.from_ps = o->start_ps,
			.to_ps = o->end_ps,
			.stall_ps = o->stall_ps,
		};
		if (o->host_stall_ps == NA_UNKNOWN_PS)
			continue;
		asks[i].graph_to_ps =
			na_slack_clamp((na_i128)o->done_ps + o->host_stall_ps);
		asks[i].graph_from_ps = na_slack_minus(asks[i].graph_to_ps,
						       o->wire_ps);
	}
	return n;
}

enum na_status na_slack_put_late(const struct sl_state *s, struct na_result *r,
				 struct na_err *err)
{
	struct na_host_clocks own = {.store = s->scope->store};
	const struct na_host_clocks *clocks;
	struct na_late_ask asks[SL_LATE_MAX];
	enum na_status st;
	uint32_t worst;
	bool ok;

	if (!s->params->late || s->params->reference || !s->used.n)
		return NA_OK;
	worst = worst_collective(s, &ok);
	clocks = ok ? na_host_clocks_of(s->scope, NULL, &own) : NULL;
	if (clocks)
		st = na_put_late(s->scope, clocks, asks,
				 slowest(s, worst, asks), r, err);
	else
		st = na_fail_nomem(err);
	na_host_clocks_fini(&own);
	return st;
}
