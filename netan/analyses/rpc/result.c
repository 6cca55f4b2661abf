/* rpc: from sums to the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rpc/tail.h"

static void put_series(struct na_result *r, struct na_value *in,
		       const struct rpc_state *s, size_t row)
{
	size_t bins = s->bins.n, at = row * bins, rows = s->n_rows;
	double *count = na_put_reals(r, in, M_count, bins);
	double *p50 = na_put_reals(r, in, M_p50_us, bins);
	double *p99 = na_put_reals(r, in, M_p99_us, bins);
	double *max = na_put_reals(r, in, M_max_us, bins);
	double *tail = na_put_reals(r, in, M_tail_count, bins);

	if (!count || !p50 || !p99 || !max || !tail)
		return;
	memcpy(p50, s->p50 + at, bins * sizeof(*p50));
	memcpy(p99, s->p99 + at, bins * sizeof(*p99));
	memcpy(max, s->max + at, bins * sizeof(*max));
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

	na_put_int(r, to, M_transfers, (int64_t)row->n);
	na_put_real(r, to, M_p50_us, row->n ? row->p50_us : NAN);
	na_put_real(r, to, M_p99_us, row->n ? row->p99_us : NAN);
	na_put_real(r, to, M_p99_9_us, row->n ? row->p99_9_us : NAN);
	na_put_real(r, to, M_max_us, row->n ? row->max_us : NAN);
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

static void put_groups(struct na_result *r, struct na_value *body,
		       const struct rpc_state *s)
{
	struct na_value *list = na_put_list(r, body, M_groups);
	const struct na_scope *scope = s->scope;

	for (size_t i = 0; i < s->n_rows; i++) {
		struct na_value *to = na_put_object(r, list, NULL);

		na_groups_put_key(r, to, &scope->by, scope->store, &s->groups,
				  s->row_group[i],
				  s->has_rest && i + 1 == s->n_rows);
		put_overall(r, to, &s->rows[i]);
		put_series(r, to, s, i);
		na_rpc_put_modes(r, to, s, &s->rows[i], (uint32_t)i);
		na_rpc_put_tail(r, to, s, &s->rows[i], (uint32_t)i);
		na_put_text(r, to, M_verdict, na_rpc_verdict(s, &s->rows[i]));
	}
}

/* Calls, and not one was answered. */
static void say_silence(struct na_result *r, const struct rpc_state *s)
{
	char text[300];

	if (!s->calls.n)
		return;
	snprintf(text, sizeof(text), "%zu call%s, none timed", s->calls.n,
		 s->calls.n == 1 ? "" : "s");
	na_rpc_calls_say(text, sizeof(text), r);
	na_result_word(r, NA_WORD_MESSAGE, text);
}

static void put_empty(struct na_result *r, struct na_value *body,
		      const struct rpc_state *s)
{
	/* clang-format off */
	static const char *const arrays[] = {
		M_time_s, "count", M_p50_us, M_p99_us, M_max_us, M_tail_count,
	};
	/* clang-format on */

	na_put_real(r, body, M_bin_s,
		    (double)(s->params->bin_ps ? s->params->bin_ps
					       : RPC_BIN_PS) /
			    1e12);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		na_put_reals(r, body, arrays[i], 0);
	put_overall(r, body, &s->all);
	put_expected(r, body, s);
	na_put_list(r, body, M_modes);
	na_put_null(r, body, M_tail);
	na_put_null(r, body, M_verdict);
	if (!s->calls.n)
		na_result_word(r, NA_WORD_MESSAGE,
			       "No network transfers to draw");
}

enum na_status na_rpc_finish(void *state, struct na_result *r,
			     struct na_err *err)
{
	struct rpc_state *s = state;
	struct na_value *body = na_result_body(r);
	double *t;

	/* A call that nobody answered is no transfer, yet it is told. */
	if (!s->scope->used->n)
		s->scope->used->n = s->calls.n;
	if (!s->ends.n) {
		put_empty(r, body, s);
		if (!na_rpc_put_calls(r, s->scope->store, &s->calls,
				      s->scope->top))
			return na_fail_nomem(err);
		say_silence(r, s);
		na_rpc_calls_views(r);
		return NA_OK;
	}
	na_rpc_sort_rows(s);
	if (!na_rpc_tail_prepare(s))
		return na_fail_nomem(err);
	na_put_real(r, body, M_bin_s, (double)s->bins.bin_ps / 1e12);
	t = na_put_reals(r, body, M_time_s, s->bins.n);
	for (size_t i = 0; t && i < s->bins.n; i++)
		t[i] = na_bins_start_s(&s->bins, i);
	put_series(r, body, s, s->n_rows);
	put_overall(r, body, &s->all);
	put_expected(r, body, s);
	/* For checks. */
	na_put_real(r, na_result_side(r), "times_p50",
		    na_sketch_quantile(&s->times, 0.5));
	na_put_real(r, na_result_side(r), "times_p99",
		    na_sketch_quantile(&s->times, 0.99));
	na_rpc_put_modes(r, body, s, &s->all, RPC_ALL_ROWS);
	na_rpc_put_tail(r, body, s, &s->all, RPC_ALL_ROWS);
	na_put_text(r, body, M_verdict, na_rpc_verdict(s, &s->all));
	if (s->scope->by.n)
		put_groups(r, body, s);
	na_rpc_put_scatter(r, s);
	if (!na_rpc_put_calls(r, s->scope->store, &s->calls, s->scope->top))
		return na_fail_nomem(err);
	na_rpc_say(r, s);
	na_rpc_views(r, s);
	return NA_OK;
}
