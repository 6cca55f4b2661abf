/* rpc: from sums to the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rpc/tail.h"
#include "netan/methods/put.h"

/* Without any transfer there are no bins, and nothing to point to. */
static const double *from_bin(const double *v, size_t at)
{
	return v ? v + at : NULL;
}

static void put_series(struct na_result *r, struct na_value *in,
		       const struct rpc_state *s, size_t row)
{
	size_t bins = s->bins.n, at = row * bins, rows = s->shown.n;
	double *count = na_put_reals(r, in, M_count, bins), *tail;

	na_put_series(r, in, M_p50_us, from_bin(s->p50, at), bins);
	na_put_series(r, in, M_p99_us, from_bin(s->p99, at), bins);
	na_put_series(r, in, M_max_us, from_bin(s->max, at), bins);
	tail = na_put_reals(r, in, M_tail_count, bins);
	if (!count || !tail)
		return;
	for (size_t from = row < rows ? row : 0, i = from;
	     i < (row < rows ? row + 1 : rows); i++) {
		for (size_t k = 0; k < bins; k++) {
			const size_t *cell = &s->cell_at[i * bins + k];

			count[k] += (double)(cell[1] - cell[0]);
			tail[k] += (double)s->tail_cell[i * bins + k];
		}
	}
}

static void put_overall(struct na_result *r, struct na_value *in,
			const struct rpc_row *row)
{
	struct na_value *to = na_put_object(r, in, M_overall);
	double none = row->n ? 0 : NAN;

	na_put_int(r, to, M_transfers, (int64_t)row->n);
	na_put_real(r, to, M_p50_us, row->p50_us + none);
	na_put_real(r, to, M_p99_us, row->p99_us + none);
	na_put_real(r, to, M_p99_9_us, row->p99_9_us + none);
	na_put_real(r, to, M_max_us, row->max_us + none);
}

/* Of the first run alone: runs side by side have a line each. */
static void put_expected(struct na_result *r, struct na_value *in,
			 const struct rpc_state *s)
{
	struct na_value *to = na_put_object(r, in, M_expected);
	bool one = s->ends.n && s->scope->store->n_runs < 2;
	double slope = one ? s->lines[0].us_per_byte : 0;

	na_put_real(r, to, M_fixed_us, one ? s->lines[0].fixed_us : NAN);
	na_put_real(r, to, M_bandwidth_gbps, slope > 0 ? 0.008 / slope : NAN);
}

/* What a group says, or all. */
static void put_row(struct na_result *r, struct na_value *to,
		    const struct rpc_state *s, const struct rpc_row *row,
		    uint32_t index)
{
	na_rpc_put_modes(r, to, s, row, index);
	if (s->ends.n)
		na_rpc_put_tail(r, to, s, row, index);
	else
		na_put_null(r, to, M_tail);
	na_put_text(r, to, M_verdict, na_rpc_verdict(s, row));
}

static void put_groups(struct na_result *r, struct na_value *body,
		       const struct rpc_state *s)
{
	struct na_value *list = na_put_list(r, body, M_groups);
	const struct na_scope *scope = s->scope;

	for (size_t i = 0; i < s->shown.n; i++) {
		struct na_value *to = na_put_object(r, list, NULL);

		na_groups_put_key(r, to, &scope->by, scope->store, &s->groups,
				  s->shown.group[i],
				  na_shown_is_rest(&s->shown, i));
		put_overall(r, to, &s->rows[i]);
		put_series(r, to, s, i);
		put_row(r, to, s, &s->rows[i], (uint32_t)i);
	}
}

/* For checks. */
static void put_times(struct na_result *r, const struct rpc_state *s)
{
	struct na_value *side = na_result_side(r);

	na_put_real(r, side, M_times_p50, na_sketch_quantile(&s->times, 0.5));
	na_put_real(r, side, M_times_p99, na_sketch_quantile(&s->times, 0.99));
}

enum na_status na_rpc_finish(void *state, struct na_result *r,
			     struct na_err *err)
{
	struct rpc_state *s = state;
	struct na_value *body = na_result_body(r);

	/* A call that nobody answered is no transfer, yet it is told. */
	if (!s->scope->used->n)
		s->scope->used->n = s->calls.n;
	if (s->ends.n) {
		if (!na_rpc_sort_rows(s) || !na_rpc_tail_prepare(s))
			return na_fail_nomem(err);
	}
	na_put_real(r, body, M_bin_s, na_s(na_rpc_bin_ps(s)));
	na_put_bin_starts(r, body, &s->bins);
	put_series(r, body, s, s->shown.n);
	put_overall(r, body, &s->all);
	put_expected(r, body, s);
	put_row(r, body, s, &s->all, RPC_ALL_ROWS);
	na_rpc_put_alike(r, body, s);
	if (s->ends.n) {
		put_times(r, s);
		if (s->scope->by.n)
			put_groups(r, body, s);
		na_rpc_put_scatter(r, s);
	}
	if (!na_rpc_put_calls(r, s->scope->store, &s->calls, s->scope->top))
		return na_fail_nomem(err);
	na_rpc_say(r, s);
	return NA_OK;
}
