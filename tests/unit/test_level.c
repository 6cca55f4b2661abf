/*
 * Saturated regions and plateaus.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/time/level.h"

enum { BINS = 400 };

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

/* One character a bin: '.' nothing, ',' 49.9 % of the capacity, '-' half, 'o'
 * 89 %, '#' 90 %. */
static size_t rates(const char *s, double *out)
{
	size_t n = 0;

	for (; s[n]; n++)
		out[n] = s[n] == '#'   ? 90
			 : s[n] == 'o' ? 89
			 : s[n] == '-' ? 50
			 : s[n] == ',' ? 49.9
				       : 0;
	return n;
}

static void regions(void **state)
{
	static const struct {
		const char *rate;
		size_t n, at[6];
	} rows[] = {
		{"", 0, {0}},
		{"....", 0, {0}},
		{"oooooo", 0, {0}},
		{"##", 0, {0}},
		{"###", 1, {0, 3}},
		{".###.", 1, {1, 4}},
		{"#-#", 1, {0, 3}},
		{"#,#", 0, {0}},
		{"##.##", 0, {0}},
		{"##-##--##", 1, {0, 5}},
		{"###.###", 2, {0, 3, 4, 7}},
		{"###..###", 2, {0, 3, 5, 8}},
		{"#-#-#-#-", 1, {0, 7}},
		{"o###o", 1, {1, 4}},
		{"..#..#..#", 0, {0}},
		{"###..##..####", 2, {0, 3, 9, 13}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_region got[8];
		double rate[32];
		size_t n = rates(rows[i].rate, rate);

		assert_int_equal(na_regions(rate, n, 100, got, 8), rows[i].n);
		for (size_t k = 0; k < rows[i].n; k++) {
			double sum = 0;

			assert_int_equal(got[k].from, rows[i].at[2 * k]);
			assert_int_equal(got[k].to, rows[i].at[2 * k + 1]);
			for (size_t j = got[k].from; j < got[k].to; j++)
				sum += rate[j];
			assert_true(
				near(got[k].mean,
				     sum / (double)(got[k].to - got[k].from)));
		}
	}
}

/* What is found beyond the room is counted all the same. */
static void more_than_fit(void **state)
{
	struct na_region one = {7, 7, 7};
	double rate[16];
	size_t n = rates("###..###..###", rate);

	(void)state;
	assert_int_equal(na_regions(rate, n, 100, &one, 1), 3);
	assert_int_equal(one.from, 0);
	assert_int_equal(na_regions(rate, n, 100, NULL, 0), 3);
}

static void plateaus(void **state)
{
	static double rate[BINS], scratch[BINS];
	size_t in = 9;

	(void)state;
	/* Nothing, and too little to say. */
	assert_true(na_plateau(rate, 0, scratch, &in) == 0 && in == 0);
	assert_true(na_plateau(rate, BINS, scratch, &in) == 0 && in == 0);
	for (size_t i = 0; i < 9; i++)
		rate[i] = 50;
	assert_true(na_plateau(rate, BINS, scratch, &in) == 0 && in == 0);
	/* Forty bins near one level, the others anywhere below. */
	for (size_t i = 0; i < BINS; i++)
		rate[i] = i < 40 ? 95 + (double)(i % 5) : (double)(i % 60);
	assert_true(near(na_plateau(rate, BINS, scratch, &in), 97));
	assert_int_equal(in, 40);
	/* A slope has no level. */
	for (size_t i = 0; i < BINS; i++)
		rate[i] = i < 390 ? 1 : (double)(i * i);
	assert_true(na_plateau(rate, BINS, scratch, &in) == 0 && in == 0);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions),
		cmocka_unit_test(more_than_fit),
		cmocka_unit_test(plateaus),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
