/* sizes: from counts to the result and the words around it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/sizes/sizes.h"
#include "netan/base/vec.h"
#include "netan/methods/put.h"

enum { DEFAULT_TOP = 1024 };

/* Far above it, a transfer waits for its own copy to the host. */
#define VERY_LARGE (INT64_C(4) * (8 << 20))

/* Which groups have a row of their own; the others share the last one. */
struct rows {
	uint32_t *group;      /* of a row */
	uint32_t *of;         /* row of a group */
	struct sz_sums *sums; /* by row */
	size_t n;
	bool rest;
	struct na_weighted *sizes; /* of all rows, then the result's */
	size_t *from;              /* [n + 1] */
	int64_t fixed_ps;          /* -1: cannot be told */
};

static double share(na_i128 part, na_i128 whole)
{
	return whole > 0 ? (double)part / (double)whole : NAN;
}

static double count_share(const struct sz_sums *x)
{
	return share(x->small_n, x->n);
}

static double time_share(const struct sz_sums *x)
{
	return share(x->small_time_ps, x->time_ps);
}

/* From the shares as they are printed; NULL: nothing was counted. */
static const char *verdict(const struct sz_sums *x)
{
	if (!x->n)
		return NULL;
	return count_share(x) > 0.5 && time_share(x) > 0.25 ? "many_small"
							    : "few_large";
}

static void add_sums(struct sz_sums *to, const struct sz_sums *x)
{
	to->n += x->n;
	to->small_n += x->small_n;
	to->bytes += x->bytes;
	to->small_bytes += x->small_bytes;
	to->time_ps += x->time_ps;
	to->small_time_ps += x->small_time_ps;
	to->executions += x->executions;
	to->in_steps += x->in_steps;
	to->run = x->run;
}

/* By bytes; groups that only executions belong to come last, without a
 * row. */
static bool rank(const struct sz_state *s, struct rows *w)
{
	size_t n = na_groups_count(&s->groups), live = 0;
	size_t top = s->scope->top ? s->scope->top : DEFAULT_TOP;
	na_i128 *amounts = na_calloc(n, sizeof(*amounts));

	for (size_t i = 0; amounts && i < n; i++) {
		live += s->sums[i].n > 0;
		amounts[i] = s->sums[i].n ? s->sums[i].bytes : -1;
	}
	/* Without --by there is one group, even of nothing. */
	if (!s->scope->by.n)
		live = 1;
	w->rest = live > top;
	w->n = w->rest ? top + 1 : live;
	w->group = amounts ? na_groups_rank(amounts, n) : NULL;
	w->of = na_calloc(n, sizeof(*w->of));
	w->sums = na_calloc(w->n, sizeof(*w->sums));
	w->from = na_calloc(w->n + 1, sizeof(*w->from));
	free(amounts);
	if (!w->group || !w->of || !w->sums || !w->from)
		return false;
	for (size_t i = 0; i < live; i++) {
		size_t row = i < top ? i : top;

		w->of[w->group[i]] = (uint32_t)row;
		add_sums(&w->sums[row], &s->sums[w->group[i]]);
	}
	return true;
}

static bool choose_rows(struct sz_state *s, struct rows *w)
{
	if (!rank(s, w))
		return false;
	for (size_t i = 0; i < s->counts.n; i++)
		na_census_regroup(&s->counts.runs[i], w->of);
	return na_census_join(&s->counts, w->n, &w->sizes, w->from);
}

static void put_shares(struct na_result *r, struct na_value *row,
		       const struct sz_sums *x)
{
	na_put_real(r, row, M_small_count_share, count_share(x));
	na_put_real(r, row, M_small_bytes_share,
		    share(x->small_bytes, x->bytes));
	na_put_real(r, row, M_small_time_share, time_share(x));
}

/* Members beside the verdict's. */
static void put_more(struct na_result *r, struct na_value *row,
		     const struct sz_state *s, const struct sz_sums *x,
		     int64_t fixed_ps)
{
	uint64_t steps = x->n ? s->steps[x->run].n : 0;
	bool by_step = na_grouping_has(&s->scope->by, NA_KEY_STEP);

	na_put_text(r, row, M_verdict, verdict(x));
	na_put_real(r, row, M_mean_bytes, share(x->bytes, x->n));
	na_put_real(r, row, M_time_s, (double)x->time_ps / 1e12);
	na_put_real(r, row, M_fixed_cost_share,
		    fixed_ps < 0 ? NAN
				 : share((na_i128)fixed_ps * x->n, x->time_ps));
	na_put_whole(r, row, M_executions,
		     s->executions ? (na_i128)x->executions : -1);
	na_put_real(r, row, M_transfers_per_execution,
		    s->executions ? share(x->n, x->executions) : NAN);
	na_put_real(r, row, M_transfers_per_step,
		    by_step ? NAN : share(x->in_steps, steps));
}

/* Sizes in [2^(k-1), 2^k) are of class k, 0 of class 0. */
static unsigned class_of(int64_t bytes)
{
	unsigned k = 0;

	for (; bytes; bytes >>= 1)
		k++;
	return k;
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
	for (unsigned k = class_of(x[0].value); i < n; k++) {
		uint64_t count = 0;
		na_i128 bytes = 0;

		for (; i < n && class_of(x[i].value) == k; i++) {
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
		      const struct sz_state *s, const struct rows *w, size_t i)
{
	static const char *const fields[] = {"bytes", "count", NULL};
	struct na_value *row = na_put_object(r, list, NULL);
	const struct na_weighted *x = w->sizes ? w->sizes + w->from[i] : NULL;
	size_t n = w->from[i + 1] - w->from[i];

	na_groups_put_key(r, row, &s->scope->by, s->scope->store, &s->groups,
			  w->group[i], w->rest && i + 1 == w->n);
	na_put_whole(r, row, M_count, w->sums[i].n);
	na_put_whole(r, row, M_bytes, w->sums[i].bytes);
	put_spread(r, row, x, n);
	put_shares(r, row, &w->sums[i]);
	na_put_whole(r, row, M_half_bytes_size, na_weighted_half(x, n));
	na_put_real(r, row, M_gini, na_weighted_gini(x, n));
	put_more(r, row, s, &w->sums[i], w->fixed_ps);
	na_put_whole(r, row, M_distinct_sizes, n);
	na_put_rows(r, row, M_distinct, fields, x ? &x->value : NULL, n);
	put_histogram(r, row, x, n);
}

static const char *percent(char *buf, double x)
{
	if (isnan(x))
		return strcpy(buf, "none");
	if (x > 0 && x < 0.001)
		return strcpy(buf, "under 0.1 %");
	/* Three digits must not make 100 % of what is only near. */
	if (x > 0.999 && x < 1)
		return strcpy(buf, "over 99.9 %");
	snprintf(buf, NA_UNIT_BUF, "%.3g %%", 100 * x);
	return buf;
}

static bool only_captures(const struct na_store *s)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		if (!s->sources[i].capture)
			return false;
	}
	return s->n_sources > 0;
}

static void advise(struct na_result *r, struct na_value *body,
		   const struct na_store *store, const char *what,
		   int64_t half_bytes)
{
	bool packets = only_captures(store);
	const char *advice =
		"nothing to change in the sizes: small transfers do not take "
		"the time";

	if (!what)
		return;
	if (strcmp(what, "many_small") == 0 && packets)
		advice = "send fewer and larger messages: batch requests, "
			 "combine small collectives (larger buckets)";
	else if (strcmp(what, "many_small") == 0)
		advice = "combine small collectives into fewer, larger ones "
			 "(larger buckets), or raise the size below which "
			 "only some hosts reduce "
			 "(--megascale_sparse_reduction_threshold)";
	else if (half_bytes >= VERY_LARGE && packets)
		advice = "single transfers are far above 8 MiB: in smaller "
			 "pieces, others need not wait for all of one";
	else if (half_bytes >= VERY_LARGE)
		advice = "single transfers are far above 8 MiB: smaller "
			 "chunks (--megascale_chunk_size, "
			 "--megascale_max_reduction_shard_size) start sooner "
			 "if they wait for the copy from the device";
	na_put_text(r, body, M_advice, advice);
	if (store->n_runs <= 1)
		na_result_note(r, "what to change: %s", advice);
}

/* One answer for all, however they are grouped. */
static void say_one(struct na_result *r, const struct sz_state *s,
		    const struct sz_sums *x, int64_t half_bytes)
{
	char limit[NA_UNIT_BUF], a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	const char *what = verdict(x);

	na_print_bytes(limit, (double)s->params->small_bytes, 4);
	percent(a, count_share(x));
	percent(b, time_share(x));
	if (strcmp(what, "many_small") == 0)
		na_result_wordf(
			r, NA_WORD_MESSAGE,
			"Many small transfers: %s are at most %s, and they "
			"take %s of the time on the wire",
			a, limit, b);
	else if (half_bytes >= 0)
		na_result_wordf(
			r, NA_WORD_MESSAGE,
			"Few large transfers: half of all bytes move in "
			"sizes of %s or more; %s of the transfers are at most %s",
			na_print_bytes(b, (double)half_bytes, 4), a, limit);
	else
		na_result_wordf(
			r, NA_WORD_MESSAGE,
			"Few large transfers: %s are at most %s, and they "
			"take %s of the time on the wire",
			a, limit, b);
}

/* Runs side by side, each with its own verdict. */
static void say_runs(struct na_result *r, const struct sz_state *s)
{
	size_t n = s->scope->store->n_runs, small = 0;
	struct sz_sums *runs = na_calloc(n, sizeof(*runs));

	for (size_t i = 0; runs && i < s->n_sums; i++) {
		if (s->sums[i].n)
			add_sums(&runs[s->sums[i].run], &s->sums[i]);
	}
	for (size_t i = 0; runs && i < n; i++)
		small += runs[i].n &&
			 strcmp(verdict(&runs[i]), "many_small") == 0;
	free(runs);
	na_result_about(r)->runs_apart = true;
	if (small == 0 || small == n)
		na_result_wordf(r, NA_WORD_MESSAGE,
				"%zu runs side by side: %s transfers in each",
				n, small ? "many small" : "few large");
	else
		na_result_wordf(
			r, NA_WORD_MESSAGE,
			"%zu runs side by side: many small transfers in "
			"%zu, few large in the others",
			n, small);
}

static void say(struct na_result *r, const struct sz_state *s,
		const struct sz_sums *all, int64_t half_bytes)
{
	na_put_bool(r, na_result_side(r), "grouped", s->scope->by.n > 0);
	if (!all->n)
		na_result_word(r, NA_WORD_MESSAGE,
			       "No network transfers to count");
	else if (s->scope->store->n_runs > 1)
		say_runs(r, s);
	else
		say_one(r, s, all, half_bytes);
}

/* As na_weighted_half(), of all rows together: by bisection, since each row
 * is ascending by itself. */
static int64_t half_of_all(const struct rows *w, na_i128 bytes)
{
	int64_t lo = 0, hi = INT64_MAX;

	while (lo < hi) {
		int64_t mid = lo + (hi - lo) / 2;
		na_i128 below = 0;

		for (size_t i = 0; i < w->from[w->n]; i++) {
			if (w->sizes[i].value <= mid)
				below += (na_i128)w->sizes[i].value *
					 w->sizes[i].count;
		}
		if (2 * below >= bytes)
			hi = mid;
		else
			lo = mid + 1;
	}
	return bytes ? lo : -1;
}

static void put_total(struct na_result *r, struct na_value *body,
		      const struct sz_state *s, const struct sz_sums *all,
		      int64_t half_bytes, int64_t fixed_ps)
{
	struct na_value *total;

	na_put_text(r, body, M_verdict, verdict(all));
	na_put_int(r, body, M_small_limit_bytes, s->params->small_bytes);
	na_put_real(r, body, M_fixed_us,
		    fixed_ps < 0 ? NAN : (double)fixed_ps / 1e6);
	total = na_put_object(r, body, M_total);
	na_put_whole(r, total, M_count, all->n);
	na_put_whole(r, total, M_bytes, all->bytes);
	put_shares(r, total, all);
	na_put_whole(r, total, M_half_bytes_size, half_bytes);
	put_more(r, total, s, all, fixed_ps);
}

static void free_rows(struct rows *w)
{
	free(w->group);
	free(w->of);
	free(w->sums);
	free(w->from);
}

enum na_status sz_finish(void *state, struct na_result *r, struct na_err *err)
{
	struct sz_state *s = state;
	struct na_value *body = na_result_body(r), *list;
	struct sz_sums all = {.n = 0};
	struct rows w = {.group = NULL};
	int64_t half;

	if (!choose_rows(s, &w)) {
		free_rows(&w);
		return na_fail_nomem(err);
	}
	na_result_adopt(r, w.sizes);
	w.fixed_ps = na_fixed_cost(s->small, s->n_small, s->n_of_pair);
	list = na_put_list(r, body, M_groups);
	for (size_t i = 0; i < w.n; i++) {
		put_group(r, list, s, &w, i);
		add_sums(&all, &w.sums[i]);
	}
	half = w.n == 1 ? na_weighted_half(w.sizes, w.from[1])
			: half_of_all(&w, all.bytes);
	put_total(r, body, s, &all, half, w.fixed_ps);
	advise(r, body, s->scope->store, verdict(&all), half);
	say(r, s, &all, half);
	free_rows(&w);
	sz_views(r, s, list);
	return NA_OK;
}
