/*
 * Quantiles, their intervals, and the sorting below them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/sort.h"
#include "netan/synth/rng.h"

static void quantiles(void **state)
{
	/* R: quantile(c(1, 2, 4, 8, 16), c(0, .1, .5, .9, .99, 1)) */
	static const double x[] = {1, 2, 4, 8, 16};
	static const double p[] = {0, .1, .5, .9, .99, 1};
	static const double want[] = {1, 1.4, 4, 12.8, 15.68, 16};

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_true(fabs(na_quantile_sorted(x, 5, p[i]) - want[i]) <=
			    1e-12 * want[i]);
	assert_true(isnan(na_quantile_sorted(x, 0, .5)));
	assert_true(na_quantile_sorted(x, 1, .99) == 1);
}

static void intervals(void **state)
{
	FILE *f = fopen("tests/oracle/quantile_ci.tsv", "r");
	size_t n, l, u, got_l, got_u, rows = 0;
	char line[200];
	double p;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%zu %lf %zu %zu", &n, &p, &l, &u) != 4)
			continue;
		na_quantile_ci(n, p, 0.95, &got_l, &got_u);
		if (got_l != l || got_u != u)
			fail_msg("n %zu p %g: [%zu, %zu], want [%zu, %zu]", n,
				 p, got_l, got_u, l, u);
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 77);
	na_quantile_ci(0, .5, .95, &got_l, &got_u);
	assert_true(!got_l && !got_u);
	/* Large samples: about mean - 1.96 sd to mean + 1.96 sd. */
	na_quantile_ci(10000000, .5, .95, &got_l, &got_u);
	assert_in_range(got_l, 5000000 - 3110, 5000000 - 3090);
	assert_in_range(got_u, 5000000 + 3090, 5000000 + 3110);
}

/* The bar: the interval holds the true quantile in 95 of 100 samples. */
static void intervals_cover(void **state)
{
	static const struct {
		size_t n;
		double p;
		int pareto;
	} rows[] = {{20, .5, 0}, {20, .9, 0}, {1000, .5, 0}, {1000, .9, 0},
		    {20, .5, 1}, {20, .9, 1}, {1000, .5, 1}, {1000, .9, 1}};
	enum { DRAWS = 2000 };
	double x[1000], tmp[1000];
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 5);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		size_t n = rows[k].n, l, u, in = 0;
		double z = rows[k].p == .5 ? 0 : 1.2815515655446004;
		double q = rows[k].pareto ? pow(1 - rows[k].p, -1 / 1.5)
					  : exp(z);

		na_quantile_ci(n, rows[k].p, 0.95, &l, &u);
		for (int draw = 0; draw < DRAWS; draw++) {
			for (size_t i = 0; i < n; i++) {
				double a = ((double)(na_rng_next(&r) >> 12) +
					    0.5) /
					   4503599627370496.0;
				double b = ((double)(na_rng_next(&r) >> 12) +
					    0.5) /
					   4503599627370496.0;

				x[i] = rows[k].pareto ? pow(a, -1 / 1.5)
						      : exp(sqrt(-2 * log(a)) *
							    cos(2 * M_PI * b));
			}
			na_sort_f64(x, tmp, n);
			in += (!l || x[l - 1] <= q) && (!u || q < x[u - 1]);
		}
		if ((double)in < 0.935 * DRAWS ||
		    (n == 1000 && (double)in > 0.965 * DRAWS))
			fail_msg("n %zu, p %g: %zu of %d", n, rows[k].p, in,
				 DRAWS);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sorting(void **state)
{
	enum { N = 5000 };
	double x[N], y[N], tmp[N];
	uint64_t r = 1;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		x[i] = y[i] = (double)((int64_t)r >> (r >> 40 & 31)) *
			      (i % 3 ? 1 : 1e-300);
	}
	x[0] = y[0] = 0;
	na_sort_f64(x, tmp, N);
	qsort(y, N, sizeof(*y), by_value);
	for (size_t i = 0; i < N; i++)
		assert_true(x[i] == y[i]);
}

/* By insertion, at the border, and above. */
static void sorting_few(void **state)
{
	enum { N = 70 };
	int64_t x[N], tmp[N];
	uint64_t r = 1;

	(void)state;
	for (size_t n = 0; n <= N; n++) {
		int64_t sum = 0;

		for (size_t i = 0; i < n; i++) {
			r = r * 6364136223846793005u + 1442695040888963407u;
			x[i] = (int64_t)(r >> 33) % 50 - 25;
			sum += x[i];
		}
		na_sort_i64(x, tmp, n);
		for (size_t i = 0; i < n; i++) {
			assert_true(!i || x[i - 1] <= x[i]);
			sum -= x[i];
		}
		assert_true(sum == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles),       cmocka_unit_test(intervals),
		cmocka_unit_test(intervals_cover), cmocka_unit_test(sorting),
		cmocka_unit_test(sorting_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
