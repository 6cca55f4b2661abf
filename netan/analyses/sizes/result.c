/* sizes: from counts to the result. */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/sizes/state.h"
#include "netan/base/order.h"
#include "netan/methods/put.h"

enum { DEFAULT_TOP = 1024 };

/* What the groups that have a row sum up to. */
struct rows {
	struct na_shown shown;
	struct sizes_sums *sums; /* by row */
	struct na_weighted *sizes;  /* of all rows, then the result's */
	size_t *from;               /* [rows + 1] */
	int64_t fixed_ps;           /* -1: cannot be told */
};

static double share(na_i128 part, na_i128 whole)
{
	return whole > 0 ? (double)part / (double)whole : NAN;
}

double na_sizes_count_share(const struct sizes_sums *x)
{
	return share(x->small_n, x->n);
}

double na_sizes_time_share(const struct sizes_sums *x)
{
	return share(x->small_time_ps, x->time_ps);
}

bool na_sizes_many_small(const struct sizes_sums *x)
{
	return na_sizes_count_share(x) > 0.5 && na_sizes_time_share(x) > 0.25;
}

/* NULL: nothing was counted. */
static const char *verdict(const struct sizes_sums *x)
{
	if (!x->n)
		return NULL;
	return na_sizes_many_small(x) ? "many_small" : "few_large";
}

/* Groups that only executions belong to have no row; without --by there is
 * one, even of nothing. */
static bool has_row(const struct sizes_state *s, size_t group)
{
	return s->sums.v[group].n || !s->scope->by.n;
}

/* By bytes. */
static bool rank(const struct sizes_state *s, struct na_shown *shown)
{
	size_t n = na_groups_count(&s->groups), top = s->scope->top;
	na_i128 *amounts = na_calloc(n, sizeof(*amounts));
	bool ok = amounts;

	for (size_t i = 0; ok && i < n; i++)
		amounts[i] = has_row(s, i) ? s->sums.v[i].bytes : -1;
	ok = ok && na_shown_init(shown, amounts, n, top ? top : DEFAULT_TOP);
	free(amounts);
	return ok;
}

static bool choose_rows(struct sizes_state *s, struct rows *w)
{
	struct na_shown *shown = &w->shown;

	if (!rank(s, shown))
		return false;
	w->sums = na_calloc(shown->n, sizeof(*w->sums));
	w->from = na_calloc(shown->n + 1, sizeof(*w->from));
	if (!w->sums || !w->from)
		return false;
	for (size_t i = 0; i < s->sums.n; i++) {
		if (has_row(s, i))
			na_sizes_add(&w->sums[shown->row_of[i]], &s->sums.v[i]);
	}
	for (size_t i = 0; i < s->counts.n; i++)
		na_census_regroup(&s->counts.runs[i], shown->row_of);
	return na_census_join(&s->counts, shown->n, &w->sizes, w->from);
}

static void put_small(struct na_result *r, struct na_value *row,
		      const struct sizes_sums *x, int64_t half_bytes)
{
	na_put_real(r, row, M_small_count_share, na_sizes_count_share(x));
	na_put_real(r, row, M_small_bytes_share,
		    share(x->small_bytes, x->bytes));
	na_put_real(r, row, M_small_time_share, na_sizes_time_share(x));
	na_put_whole(r, row, M_half_bytes_size, half_bytes);
}

static void put_costs(struct na_result *r, struct na_value *row,
		      const struct sizes_state *s, const struct sizes_sums *x,
		      int64_t fixed_ps)
{
	uint64_t steps = x->n ? s->steps[x->run].n : 0;
	bool by_step = na_grouping_has(&s->scope->by, NA_KEY_STEP);
	double fixed_share = share((na_i128)fixed_ps * x->n, x->time_ps);

	na_put_text(r, row, M_verdict, verdict(x));
	na_put_real(r, row, M_mean_bytes, share(x->bytes, x->n));
	na_put_real(r, row, M_time_s, na_s(x->time_ps));
	na_put_real(r, row, M_fixed_cost_share,
		    fixed_ps < 0 ? NAN : fixed_share);
	na_put_whole(r, row, M_executions,
		     s->executions ? (na_i128)x->executions : -1);
	na_put_real(r, row, M_transfers_per_execution,
		    s->executions ? share(x->n, x->executions) : NAN);
	na_put_real(r, row, M_transfers_per_step,
		    by_step ? NAN : share(x->in_steps, steps));
}

static void put_class(struct na_result *r, struct na_value *list, unsigned k,
		      uint64_t n, na_i128 bytes)
{
	struct na_value *bin = na_put_object(r, list, NULL);
	na_i128 to = (na_i128)1 << k;

	na_put_whole(r, bin, M_from_bytes, to >> 1);
	na_put_whole(r, bin, M_to_bytes, to);
	na_put_whole(r, bin, M_count, n);
	na_put_whole(r, bin, M_bytes, bytes);
}

/* From the first class with a transfer to the last, empty ones between. */
static void put_histogram(struct na_result *r, struct na_value *row,
			  const struct na_weighted *x, size_t n)
{
	struct na_value *list = na_put_list(r, row, M_histogram);
	size_t i = 0;

	if (!n)
		return;
	for (unsigned k = na_size_class((uint64_t)x[0].value); i < n; k++) {
		uint64_t count = 0;
		na_i128 bytes = 0;

		for (; i < n && na_size_class((uint64_t)x[i].value) == k; i++) {
			count += (uint64_t)x[i].count;
			bytes += (na_i128)x[i].value * x[i].count;
		}
		put_class(r, list, k, count, bytes);
	}
}

static void put_spread(struct na_result *r, struct na_value *row,
		       const struct na_weighted *x, size_t n)
{
	na_put_whole(r, row, M_min_bytes, n ? x[0].value : -1);
	na_put_real(r, row, M_p50_bytes, na_weighted_quantile(x, n, 0.5));
	na_put_real(r, row, M_p90_bytes, na_weighted_quantile(x, n, 0.9));
	na_put_real(r, row, M_p99_bytes, na_weighted_quantile(x, n, 0.99));
	na_put_whole(r, row, M_max_bytes, n ? x[n - 1].value : -1);
}

static void put_group(struct na_result *r, struct na_value *list,
		      const struct sizes_state *s, const struct rows *w, size_t i)
{
	static const char *const fields[] = {M_bytes, M_count, NULL};
	struct na_value *row = na_put_object(r, list, NULL);
	const struct sizes_sums *sums = &w->sums[i];
	const struct na_weighted *x = w->sizes ? w->sizes + w->from[i] : NULL;
	size_t n = w->from[i + 1] - w->from[i];

	na_groups_put_key(r, row, &s->scope->by, s->scope->store, &s->groups,
			  w->shown.group[i], na_shown_is_rest(&w->shown, i));
	na_put_whole(r, row, M_count, sums->n);
	na_put_whole(r, row, M_bytes, sums->bytes);
	put_spread(r, row, x, n);
	put_small(r, row, sums, na_weighted_half(x, n));
	na_put_real(r, row, M_gini, na_weighted_gini(x, n));
	put_costs(r, row, s, sums, w->fixed_ps);
	na_put_whole(r, row, M_distinct_sizes, n);
	na_put_rows(r, row, M_distinct, fields, x ? &x->value : NULL, n);
	put_histogram(r, row, x, n);
}

static na_i128 bytes_up_to(const struct rows *w, int64_t size)
{
	na_i128 bytes = 0;

	for (size_t i = 0; i < w->from[w->shown.n]; i++) {
		if (w->sizes[i].value <= size)
			bytes += (na_i128)w->sizes[i].value * w->sizes[i].count;
	}
	return bytes;
}

/* As na_weighted_half(), of all rows together: by bisection, since each row
 * is ascending by itself. */
static int64_t half_of_all(const struct rows *w, na_i128 bytes)
{
	if (!bytes)
		return -1;
	if (w->shown.n == 1)
		return na_weighted_half(w->sizes, w->from[1]);
	return (int64_t)NA_BOUND(size, 0, INT64_MAX,
				 2 * bytes_up_to(w, (int64_t)size) >= bytes);
}

static void put_total(struct na_result *r, struct na_value *body,
		      const struct sizes_state *s, const struct sizes_sums *all,
		      int64_t half_bytes, int64_t fixed_ps)
{
	struct na_value *total;

	na_put_text(r, body, M_verdict, verdict(all));
	na_put_int(r, body, M_small_limit_bytes, s->params->small_bytes);
	na_put_real(r, body, M_fixed_us, fixed_ps < 0 ? NAN : na_us(fixed_ps));
	total = na_put_object(r, body, M_total);
	na_put_whole(r, total, M_count, all->n);
	na_put_whole(r, total, M_bytes, all->bytes);
	put_small(r, total, all, half_bytes);
	put_costs(r, total, s, all, fixed_ps);
}

enum na_status na_sizes_finish(void *state, struct na_result *r,
			       struct na_err *err)
{
	struct sizes_state *s = state;
	struct na_value *body = na_result_body(r), *list;
	struct sizes_sums all = {.n = 0};
	struct rows w = {.sums = NULL};
	bool ok = choose_rows(s, &w);

	na_result_adopt(r, w.sizes);
	if (ok) {
		int64_t half;

		w.fixed_ps = na_fixed_cost(s->small.v, s->small.n,
					   s->of_pair.v);
		list = na_put_list(r, body, M_groups);
		for (size_t i = 0; i < w.shown.n; i++) {
			put_group(r, list, s, &w, i);
			na_sizes_add(&all, &w.sums[i]);
		}
		half = half_of_all(&w, all.bytes);
		put_total(r, body, s, &all, half, w.fixed_ps);
		na_sizes_say(r, s, &all, half);
	}
	na_shown_fini(&w.shown);
	free(w.sums);
	free(w.from);
	return ok ? NA_OK : na_fail_nomem(err);
}
