/*
 * Spreading over bins and pending counts, against arithmetic done again in
 * 128-bit fractions, bin by bin, with no thought of speed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/time/pending.h"
#include "netan/stats/time/spread.h"
#include "netan/synth/rng.h"

enum { ITEMS = 40, ROUNDS = 400 };

struct item {
	int64_t start, end, lo, hi;
	uint64_t bytes;
};

static int64_t between(struct na_rng *r, int64_t lo, int64_t hi)
{
	return lo + (int64_t)na_rng_below(r, (uint64_t)(hi - lo) + 1);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Times around zero; many on the borders of bins, many of no length. */
static struct item some_item(struct na_rng *r, int64_t bin, int64_t span)
{
	struct item x = {.start = between(r, -span, span)};

	if (na_rng_below(r, 3) == 0)
		x.start -= x.start % bin;
	x.end = x.start + between(r, 0, na_rng_below(r, 2) ? span : bin);
	if (na_rng_below(r, 4) == 0)
		x.end = larger(x.start, x.end - x.end % bin);
	if (na_rng_below(r, 6) == 0)
		x.end = x.start;
	x.bytes = na_rng_below(r, 4) ? na_rng_below(r, 1 << 20)
				     : na_rng_next(r) >> 2;
	x.lo = NA_TIME_MIN;
	x.hi = NA_TIME_MAX;
	if (x.end > x.start + 2 && na_rng_below(r, 3) == 0) {
		x.lo = between(r, x.start - 5, x.end - 1);
		x.hi = between(r, larger(x.lo, x.start) + 1, x.end + 5);
	}
	return x;
}

/* What of an item falls into [from, to), in bytes. */
static long double expected(const struct item *x, int64_t from, int64_t to)
{
	int64_t lo = larger(larger(x->start, x->lo), from);
	int64_t hi = smaller(smaller(x->end, x->hi), to);

	if (x->start == x->end)
		return x->start >= from && x->start < to ? (long double)x->bytes
							 : 0;
	if (hi <= lo)
		return 0;
	return (long double)x->bytes * (long double)(hi - lo) /
	       (long double)(x->end - x->start);
}

static struct na_bins bins_of(const struct item *x, size_t n, int64_t bin)
{
	int64_t from = x[0].start, to = x[0].end;
	bool closed = false;

	for (size_t i = 0; i < n; i++) {
		from = smaller(from, x[i].start);
		to = larger(to, x[i].end);
	}
	for (size_t i = 0; i < n; i++)
		closed |= x[i].start == to;
	return na_bins_over(from, to, closed, bin);
}

static void check_bins(const struct na_spread *s, const struct na_bins *b,
		       const struct item *x, size_t n, na_i128 put)
{
	double *got = calloc(b->n, sizeof(*got));
	long double sum = 0, want_sum = 0;
	na_i128 exact = 0, level = 0;

	assert_non_null(got);
	na_spread_read(s, b, 1.0 / (1 << NA_SPREAD_SHIFT), got);
	for (size_t k = 0; k < b->n; k++) {
		int64_t from = (b->first + (int64_t)k) * b->bin_ps;
		long double want = 0, unit = n * (2.0L + (long double)b->n) /
					     (1 << NA_SPREAD_SHIFT);

		for (size_t i = 0; i < n; i++)
			want += expected(&x[i], from, from + b->bin_ps);
		if (fabsl(got[k] - want) > unit + want * 1e-12L)
			fail_msg("bin %zu: %.17g, wanted %.17Lg", k, got[k],
				 want);
		sum += got[k];
		want_sum += want;
		level += s->step[k];
		exact += s->edge[k] + level;
	}
	/* Not one unit is lost, whatever the bins. */
	assert_true(exact == put);
	assert_true(level + s->step[b->n] == 0);
	assert_true(fabsl(sum - want_sum) <= want_sum * 1e-12L + 1e-3L);
	free(got);
}

static void bytes_add_up(void **state)
{
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 11);
	for (int round = 0; round < ROUNDS; round++) {
		int64_t bin = between(&r, 1, na_rng_below(&r, 2) ? 50 : 5000);
		struct item x[ITEMS];
		struct na_spread s;
		struct na_bins b;
		na_i128 put = 0;

		for (size_t i = 0; i < ITEMS; i++)
			x[i] = some_item(&r, bin, bin * 100);
		b = bins_of(x, ITEMS, bin);
		assert_true(na_spread_init(&s, &b));
		for (size_t i = 0; i < ITEMS; i++)
			put += na_spread_bytes(&s, &b, x[i].start, x[i].end,
					       x[i].bytes, x[i].lo, x[i].hi);
		check_bins(&s, &b, x, ITEMS, put);
		na_spread_fini(&s);
	}
}

/* Unclipped bytes are whole numbers of units. */
static void nothing_clipped_is_exact(void **state)
{
	struct na_bins b = na_bins_over(-1000000, 1000000, true, 7);
	struct na_spread s;

	(void)state;
	assert_true(na_spread_init(&s, &b));
	assert_true(na_spread_bytes(&s, &b, -1000000, 1000000, UINT64_MAX,
				    NA_TIME_MIN, NA_TIME_MAX) ==
		    (na_i128)UINT64_MAX << NA_SPREAD_SHIFT);
	assert_true(na_spread_bytes(&s, &b, -3, 4, 1, NA_TIME_MIN,
				    NA_TIME_MAX) == 1 << NA_SPREAD_SHIFT);
	/* Half of it, by the window. */
	assert_true(na_spread_bytes(&s, &b, 0, 100, 10, 50, NA_TIME_MAX) ==
		    5 << NA_SPREAD_SHIFT);
	na_spread_fini(&s);
}

/* The order of adding does not matter, nor who adds. */
static void merging_is_adding(void **state)
{
	struct na_spread one, two[2];
	struct item x[ITEMS];
	struct na_bins b;
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 5);
	for (size_t i = 0; i < ITEMS; i++)
		x[i] = some_item(&r, 10, 1000);
	b = bins_of(x, ITEMS, 10);
	assert_true(na_spread_init(&one, &b) && na_spread_init(&two[0], &b) &&
		    na_spread_init(&two[1], &b));
	for (size_t i = 0; i < ITEMS; i++) {
		na_spread_bytes(&one, &b, x[i].start, x[i].end, x[i].bytes,
				x[i].lo, x[i].hi);
		na_spread_bytes(&two[i % 2], &b, x[i].start, x[i].end,
				x[i].bytes, x[i].lo, x[i].hi);
	}
	na_spread_merge(&two[1], &two[0], &b);
	assert_memory_equal(one.edge, two[1].edge, b.n * sizeof(na_i128));
	assert_memory_equal(one.step, two[1].step, (b.n + 1) * sizeof(na_i128));
	na_spread_fini(&one);
	na_spread_fini(&two[0]);
	na_spread_fini(&two[1]);
}

static void bins_cover(void **state)
{
	static const struct {
		int64_t from, to, bin;
		bool closed;
		int64_t first;
		size_t n;
	} rows[] = {
		{0, 0, 10, false, 0, 1},      {0, 0, 10, true, 0, 1},
		{0, 9, 10, false, 0, 1},      {0, 10, 10, false, 0, 1},
		{0, 10, 10, true, 0, 2},      {0, 11, 10, false, 0, 2},
		{-1, 1, 10, false, -1, 2},    {-10, 0, 10, false, -1, 1},
		{-10, 0, 10, true, -1, 2},    {-11, -10, 10, false, -2, 1},
		{-20, -20, 10, false, -2, 1}, {5, 6, 1, false, 5, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_bins b = na_bins_over(rows[i].from, rows[i].to,
						rows[i].closed, rows[i].bin);

		assert_int_equal(b.first, rows[i].first);
		assert_int_equal(b.n, rows[i].n);
	}
}

static void widths_are_round(void **state)
{
	(void)state;
	for (int64_t d = 0; d < INT64_MAX / 8; d = d * 2 + 1) {
		int64_t w = na_bins_choose(d, 600), head = w;

		while (head % 10 == 0)
			head /= 10;
		assert_true(head == 1 || head == 2 || head == 5);
		assert_true(w >= 1000 && d / w <= 1200);
		assert_true(w == 1000 || d / w >= 200);
	}
	assert_true(na_bins_choose(INT64_MAX, 600) > 0);
}

/* ---- levels */

static void levels_integrate(void **state)
{
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 3);
	for (int round = 0; round < ROUNDS; round++) {
		int64_t bin = between(&r, 1, 60);
		struct item x[ITEMS];
		struct na_spread s;
		struct na_bins b;
		double *got;

		for (size_t i = 0; i < ITEMS; i++)
			x[i] = some_item(&r, bin, bin * 50);
		b = bins_of(x, ITEMS, bin);
		assert_true(na_spread_init(&s, &b));
		for (size_t i = 0; i < ITEMS; i++)
			na_spread_level(&s, &b, x[i].start, x[i].end,
					x[i].bytes & 0xffff);
		got = calloc(b.n, sizeof(*got));
		assert_non_null(got);
		na_spread_read(&s, &b, 1, got);
		for (size_t k = 0; k < b.n; k++) {
			int64_t from = (b.first + (int64_t)k) * bin, want = 0;

			for (size_t i = 0; i < ITEMS; i++) {
				int64_t lo = larger(x[i].start, from);
				int64_t hi = smaller(x[i].end, from + bin);

				want += hi > lo ? (hi - lo) *
							  (int64_t)(x[i].bytes &
								    0xffff)
						: 0;
			}
			assert_true((int64_t)got[k] == want);
		}
		free(got);
		na_spread_fini(&s);
	}
}

/* ---- sorting and pending */

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sorting(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 3, 48, 49, 1000, 5000};
	int64_t *a = malloc(5000 * 8), *b = malloc(5000 * 8),
		*tmp = malloc(5000 * 8);
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 1);
	for (int kind = 0; kind < 6; kind++) {
		for (size_t s = 0; s < 8; s++) {
			size_t n = sizes[s];

			for (size_t i = 0; i < n; i++)
				a[i] = kind == 0   ? (int64_t)na_rng_next(&r)
				       : kind == 1 ? (int64_t)i
				       : kind == 2 ? -(int64_t)i
				       : kind == 3 ? between(&r, -3, 3)
				       : kind == 4 ? 7
				       : i % 2     ? INT64_MIN
						   : INT64_MAX - (int64_t)i;
			if (n)
				memcpy(b, a, n * 8);
			qsort(b, n, 8, by_value);
			na_sort_i64(a, tmp, n);
			if (n)
				assert_memory_equal(a, b, n * 8);
		}
	}
	free(a);
	free(b);
	free(tmp);
}

/* The level is constant between times: look at each time and each border. */
static void brute_pending(const struct item *x, size_t n,
			  const struct na_bins *b, double *out)
{
	for (size_t k = 0; k < b->n; k++) {
		int64_t from = (b->first + (int64_t)k) * b->bin_ps;

		out[k] = 0;
		for (size_t t = 0; t <= n; t++) {
			int64_t at = t < n ? x[t].start : from;
			double level = 0;

			if (at < from || at >= from + b->bin_ps)
				continue;
			for (size_t i = 0; i < n; i++)
				level += x[i].start <= at && x[i].end > at;
			out[k] = fmax(out[k], level);
		}
	}
}

/* As one share of the bins, and as several. */
static bool in_shares(const struct na_run *runs, size_t n,
		      const struct na_bins *b, double *out)
{
	size_t shares = 1 + b->n % 4;

	for (size_t i = 0; i < shares; i++) {
		if (!na_pending_max(runs, n, b, b->n * i / shares,
				    b->n * (i + 1) / shares, out))
			return false;
	}
	return true;
}

static void check_pending(const struct item *x, size_t n, int64_t bin,
			  struct na_rng *r)
{
	struct na_bins b = bins_of(x, n, bin);
	double *got = calloc(b.n, 8), *want = calloc(b.n, 8);
	int64_t starts[ITEMS], ends[ITEMS], tmp[ITEMS];
	struct na_run runs[ITEMS];
	size_t n_runs = 0;

	/* Cut in runs of any length, each sorted by itself. */
	for (size_t from = 0, to; from < n; from = to) {
		to = from + (size_t)na_rng_below(r, n - from + 1);
		for (size_t i = from; i < to; i++) {
			starts[i] = x[i].start;
			ends[i] = x[i].end;
		}
		na_sort_i64(starts + from, tmp, to - from);
		na_sort_i64(ends + from, tmp, to - from);
		assert_true(n_runs < ITEMS);
		if (n_runs + 1 < ITEMS || to == n)
			runs[n_runs++] = (struct na_run){starts + from,
							 ends + from,
							 to - from};
		else
			to = from;
	}
	assert_true(in_shares(runs, n_runs, &b, got));
	brute_pending(x, n, &b, want);
	for (size_t k = 0; k < b.n; k++) {
		if (got[k] != want[k])
			fail_msg("bin %zu: %g, wanted %g", k, got[k], want[k]);
	}
	free(got);
	free(want);
}

static void pending(void **state)
{
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 8);
	for (int round = 0; round < ROUNDS * 5; round++) {
		int64_t bin = between(&r, 1, 30);
		size_t n = 1 + (size_t)na_rng_below(&r, ITEMS - 1);
		struct item x[ITEMS] = {{.start = 0}};

		for (size_t i = 0; i < n; i++)
			x[i] = some_item(&r, bin, bin * 10);
		check_pending(x, n, bin, &r);
	}
}

static void pending_of_nothing(void **state)
{
	struct na_bins b = {10, 0, 3};
	double out[3] = {5, 5, 5};

	(void)state;
	assert_true(in_shares(NULL, 0, &b, out));
	assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_add_up),
		cmocka_unit_test(nothing_clipped_is_exact),
		cmocka_unit_test(merging_is_adding),
		cmocka_unit_test(bins_cover),
		cmocka_unit_test(widths_are_round),
		cmocka_unit_test(levels_integrate),
		cmocka_unit_test(sorting),
		cmocka_unit_test(pending),
		cmocka_unit_test(pending_of_nothing),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
