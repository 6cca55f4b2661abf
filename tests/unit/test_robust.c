/* Medians, MADs, tail probabilities and BH against R. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"
#include "netan/synth/rng.h"

enum { MOST = 1000 };

/* As in tests/oracle/robust.R. */
static void sample_of(double *x, size_t n, int kind)
{
	uint64_t s = 12345;

	for (size_t i = 0; i < n; i++) {
		s = s * 16807 % 2147483647;
		x[i] = kind == 0 ? (double)(s % 1000) / 8 - 60
				 : (double)(s % 7);
	}
}

static void near(const char *what, double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%s: %.17g, wanted %.17g", what, got, want);
}

static void check_sample(size_t n, int kind, const double want[4])
{
	double x[MOST];
	float f[MOST], tmp[MOST];

	sample_of(x, n, kind);
	near("median", na_median(x, n), want[0]);
	near("low", na_quantile(x, n, 0.25), want[2]);
	near("high", na_quantile(x, n, 0.95), want[3]);
	near("mad", na_mad(x, n, want[0]), want[1]);
	sample_of(x, n, kind);
	for (size_t i = 0; i < n; i++)
		f[i] = (float)x[i]; /* exact: eighths */
	na_sort_f32(f, tmp, n);
	for (size_t i = 1; i < n; i++)
		assert_true(f[i - 1] <= f[i]);
	near("median, float", na_quantile_f32(f, n, 0.5), want[0]);
	near("high, float", na_quantile_f32(f, n, 0.95), want[3]);
	near("mad, float", na_mad_f32(f, n, want[0]), want[1]);
}

static void check_bh(const double *p, const double *want, size_t n)
{
	double with_nan[16], q[16];

	assert_true(na_bh(p, q, n));
	for (size_t i = 0; i < n; i++)
		near("bh", q[i], want[i]);
	memcpy(with_nan, p, n * sizeof(*p));
	with_nan[n] = NAN;
	assert_true(na_bh(with_nan, q, n + 1));
	assert_true(isnan(q[n]));
	near("bh beside NaN", q[0], want[0]);
}

static void equals_r(void **state)
{
	FILE *f = fopen("tests/oracle/robust.tsv", "r");
	double v[4], m, p[16], q[16], count;
	size_t n, rows = 0, n_bh = 0;
	char line[200];
	unsigned long k;
	int kind;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		rows++;
		if (sscanf(line, "sample %zu %d %lf %lf %lf %lf", &n, &kind,
			   &v[0], &v[1], &v[2], &v[3]) == 6)
			check_sample(n, kind, v);
		else if (sscanf(line, "poisson %lu %lf %lf", &k, &m, v) == 3)
			near("poisson", na_poisson_upper(k, m), v[0]);
		else if (sscanf(line, "binomial %lu %lf %lf %lf", &k, &m,
				&count, v) == 4)
			near("binomial",
			     na_binomial_upper(k, (uint64_t)count, m), v[0]);
		else if (sscanf(line, "normal %lf %lf", &m, v) == 2)
			near("normal", na_normal_upper(m), v[0]);
		else if (sscanf(line, "bh %lf %lf", &p[n_bh], &q[n_bh]) == 2)
			n_bh++;
		else
			rows--;
	}
	fclose(f);
	assert_int_equal(rows, 14 + 12 + 5 + 5 + 9);
	check_bh(p, q, n_bh);
}

static void nothing_and_one(void **state)
{
	double x[2] = {3, 3}, q;
	float f[1] = {-2};

	(void)state;
	assert_true(na_median(x, 0) == 0 && na_mad(x, 0, 1) == 0);
	assert_true(na_quantile_f32(f, 0, 0.5) == 0);
	assert_true(na_mad_f32(f, 0, 0) == 0);
	assert_true(na_median(x, 1) == 3 && na_quantile(x, 2, 1) == 3);
	assert_true(na_quantile_f32(f, 1, 1) == -2);
	assert_true(na_bh(x, &q, 0));
}

/* Closed forms for one and two degrees of freedom. */
static void students_t(void **state)
{
	(void)state;
	for (double x = 0; x < 40; x += .7) {
		near("t1", na_t_within(x, 1), 2 * atan(x) / M_PI);
		near("t2", na_t_within(x, 2), x / sqrt(2 + x * x));
	}
}

static int by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Any bits that are numbers, and selection by every rank. */
static void sorts_anything(void **state)
{
	static float x[5000], want[5000], tmp[5000];
	static double d[5000];
	struct na_rng rng;

	(void)state;
	na_rng_seed(&rng, 4);
	for (size_t n = 1; n < 5000; n = n * 3 / 2 + 1) {
		for (size_t i = 0; i < n; i++) {
			x[i] = (float)na_rng_normal_q16(&rng) *
			       (n % 2 ? 1e30F : 1e-3F);
			if (n % 3 == 0)
				x[i] = (float)na_rng_below(&rng, 4);
			want[i] = x[i];
			d[i] = (double)x[i];
		}
		qsort(want, n, sizeof(*want), by_value);
		na_sort_f32(x, tmp, n);
		assert_memory_equal(x, want, n * sizeof(*x));
		for (size_t k = 0; k < n; k += 1 + n / 50)
			assert_true(na_select(d, n, k) == (double)want[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_r),
		cmocka_unit_test(nothing_and_one),
		cmocka_unit_test(students_t),
		cmocka_unit_test(sorts_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
