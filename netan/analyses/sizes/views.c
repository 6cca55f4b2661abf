/* sizes: what a person sees in a terminal. */
#include "members.h"
#include "netan/analyses/sizes/sizes.h"

#include <math.h>

enum { SHOWN_GROUPS = 20, SHOWN_SIZES = 20 };

static void sums_view(struct na_result *r, const struct na_value *body,
		      const struct na_value *one)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_verdict, "verdict", NA_F_TEXT, 0, 0},
		{M_bytes, "bytes, MB", NA_F_NUMBER, 4, 1e-6},
		{M_mean_bytes, "mean size, KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_half_bytes_size, "half of the bytes from, KiB", NA_F_NUMBER,
		 4, 1.0 / 1024},
		{M_small_count_share, "small: share of transfers, %",
		 NA_F_NUMBER, 3, 100},
		{M_small_bytes_share, "small: share of bytes, %", NA_F_NUMBER,
		 3, 100},
		{M_small_time_share, "small: share of time, %", NA_F_NUMBER, 3,
		 100},
		{M_fixed_cost_share, "fixed cost: share of time, %",
		 NA_F_NUMBER, 3, 100},
		{M_transfers_per_execution, "transfers per collective run",
		 NA_F_NUMBER, 4, 0},
		{M_transfers_per_step, "transfers per step", NA_F_NUMBER, 4,
		 0},
		/* Of one group only: what sums up all has none. */
		{M_min_bytes, "smallest, KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_p50_bytes, "p50, KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_p90_bytes, "p90, KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_p99_bytes, "p99, KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_max_bytes, "largest, KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_gini, "Gini", NA_F_FIXED, 3, 0},
	};
	/* clang-format on */
	enum { ALL = sizeof(cols) / sizeof(cols[0]), OF_GROUP = 6 };

	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL),
		       one ? one : na_get(body, M_total), NULL, cols,
		       one ? ALL : ALL - OF_GROUP, 0);
}

static void groups_view(struct na_result *r, const struct sz_state *s,
			const struct na_value *groups)
{
	/* clang-format off */
	static const struct na_column sums[] = {
		{M_verdict, "verdict", NA_F_TEXT, 0, 0},
		{M_count, "transfers", NA_F_COUNT, 0, 0},
		{M_bytes, "MB", NA_F_NUMBER, 4, 1e-6},
		{M_distinct_sizes, "sizes", NA_F_COUNT, 0, 0},
		{M_p50_bytes, "p50 KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_p99_bytes, "p99 KiB", NA_F_NUMBER, 4, 1.0 / 1024},
		{M_half_bytes_size, "half from KiB", NA_F_NUMBER, 4,
		 1.0 / 1024},
		{M_small_count_share, "small: count %", NA_F_NUMBER, 3, 100},
		{M_small_bytes_share, "bytes %", NA_F_NUMBER, 3, 100},
		{M_small_time_share, "time %", NA_F_NUMBER, 3, 100},
		{M_gini, "Gini", NA_F_FIXED, 3, 0},
	};
	/* clang-format on */
	enum { SUMS = sizeof(sums) / sizeof(sums[0]) };
	struct na_column cols[NA_MAX_KEYS + SUMS];
	size_t n = na_groups_columns(&s->scope->by, cols);

	for (size_t i = 0; i < SUMS; i++)
		cols[n + i] = sums[i];
	na_result_view(r, "groups, most bytes first", groups, NULL, cols,
		       n + SUMS, s->scope->top ? 0 : SHOWN_GROUPS);
}

static void put_size(struct na_result *r, struct na_value *list,
		     const int64_t *cell, const struct na_value *one)
{
	struct na_value *row = na_put_object(r, list, NULL);
	double count = na_real_of(na_get(one, M_count), NAN);
	double bytes = na_real_of(na_get(one, M_bytes), NAN);
	char buf[NA_UNIT_BUF];

	na_put_text(r, row, "size", na_print_bytes(buf, (double)cell[0], 4));
	na_put_int(r, row, M_bytes, cell[0]);
	na_put_int(r, row, M_count, cell[1]);
	na_put_real(r, row, "count_share", (double)cell[1] / count);
	na_put_real(r, row, "bytes_share",
		    bytes > 0 ? (double)cell[0] * (double)cell[1] / bytes
			      : NAN);
}

static size_t count_above(const int64_t *cells, size_t n, int64_t least)
{
	size_t above = 0;

	for (size_t i = 0; i < n; i++)
		above += cells[2 * i + 1] > least;
	return above;
}

/* The least count that at most `most` sizes exceed: by bisection, for there
 * may be as many sizes as transfers. */
static int64_t least_count(const int64_t *cells, size_t n, size_t most)
{
	int64_t lo = 0, hi = 0;

	if (n <= most)
		return 0;
	for (size_t i = 0; i < n; i++)
		hi = cells[2 * i + 1] > hi ? cells[2 * i + 1] : hi;
	while (lo < hi) {
		int64_t mid = lo + (hi - lo) / 2;

		if (count_above(cells, n, mid) <= most)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* The sizes that occur most, in ascending order; of equally frequent ones
 * the smallest. */
static struct na_value *frequent(struct na_result *r,
				 const struct na_value *one, size_t most)
{
	struct na_value *list = na_put_list(r, na_result_side(r), "frequent");
	size_t n, equal;
	const int64_t *cells = na_rows_of(na_get(one, M_distinct), &n);
	int64_t least = least_count(cells, n, most);

	equal = n <= most ? 0 : most - count_above(cells, n, least);
	for (size_t i = 0; i < n; i++) {
		const int64_t *cell = &cells[2 * i];

		if (cell[1] > least || (cell[1] == least && equal)) {
			equal -= cell[1] == least;
			put_size(r, list, cell, one);
		}
	}
	if (n > most)
		na_result_note(r,
			       "%zu less frequent sizes are not shown: --top N "
			       "shows more, --format csv --table distinct all",
			       n - most);
	return list;
}

static void sizes_view(struct na_result *r, const struct sz_state *s,
		       const struct na_value *one)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"size", "size", NA_F_TEXT, 0, 0},
		{M_bytes, "bytes", NA_F_COUNT, 0, 0},
		{M_count, "transfers", NA_F_COUNT, 0, 0},
		{"count_share", "transfers %", NA_F_NUMBER, 3, 100},
		{"bytes_share", "bytes %", NA_F_NUMBER, 3, 100},
	};
	/* clang-format on */
	size_t n, most = s->scope->top ? s->scope->top : SHOWN_SIZES;

	na_rows_of(na_get(one, M_distinct), &n);
	na_result_view(r, n > most ? "most frequent sizes" : "distinct sizes",
		       frequent(r, one, most), NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

void sz_views(struct na_result *r, const struct sz_state *s,
	      const struct na_value *groups)
{
	const struct na_value *one = s->scope->by.n ? NULL : groups->u.of.first;

	if (!s->scope->used->n)
		return;
	/* Runs side by side are never added up. */
	if (s->scope->store->n_runs < 2)
		sums_view(r, na_result_body(r), one);
	if (one)
		sizes_view(r, s, one);
	else
		groups_view(r, s, groups);
}
