#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plot/thin.h"

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fmax(1, fabs(want))))
		fail_msg("got %.17g, want %.17g", got, want);
}

static void is(const struct na_column_range *c, double min, double mean,
	       double max)
{
	near(c->min, min);
	near(c->mean, mean);
	near(c->max, max);
}

static void test_finer_bins(void **state)
{
	const double bins[] = {1, 2, 3, 9, 0, 0, 0, 4};
	struct na_column_range c[2];

	(void)state;
	na_thin(bins, 8, 0, 8, c, 2);
	is(&c[0], 1, 15.0 / 4, 9);
	is(&c[1], 0, 1, 4);
}

static void test_bins_across_columns(void **state)
{
	const double bins[] = {6, 0, 3};
	struct na_column_range c[2];

	(void)state;
	na_thin(bins, 3, 0, 3, c, 2);
	is(&c[0], 0, 4, 6); /* a whole 6 and half a 0 */
	is(&c[1], 0, 2, 3);
}

static void test_coarser_bins(void **state)
{
	const double bins[] = {5, 7};
	struct na_column_range c[8];

	(void)state;
	na_thin(bins, 2, 0, 2, c, 8);
	for (size_t i = 0; i < 8; i++)
		is(&c[i], i < 4 ? 5 : 7, i < 4 ? 5 : 7, i < 4 ? 5 : 7);
}

static void test_gaps(void **state)
{
	const double bins[] = {1, NAN, NAN, NAN, INFINITY, 3};
	struct na_column_range c[3];

	(void)state;
	na_thin(bins, 6, 0, 6, c, 3);
	is(&c[0], 1, 1, 1); /* what is not known weighs nothing */
	assert_true(isnan(c[1].min) && isnan(c[1].mean) && isnan(c[1].max));
	is(&c[2], 3, 3, 3);
}

static void test_outside(void **state)
{
	const double bins[] = {1, 2};
	struct na_column_range c[4];

	(void)state;
	na_thin(bins, 2, -2, 6, c, 4);
	assert_true(isnan(c[0].mean));
	is(&c[1], 1, 1.5, 2);
	assert_true(isnan(c[2].mean));
	assert_true(isnan(c[3].mean));
	na_thin(NULL, 0, 0, 1, c, 4);
	assert_true(isnan(c[0].mean) && isnan(c[3].mean));
}

static void test_huge_values(void **state)
{
	const double bins[] = {1.7e308, 1.7e308, -1.7e308, 1.7e308};
	struct na_column_range c[1];

	(void)state;
	na_thin(bins, 4, 0, 4, c, 1);
	assert_true(isfinite(c[0].mean));
	assert_true(c[0].mean >= c[0].min && c[0].mean <= c[0].max);
}

/* One peak anywhere among n bins is the maximum of some column, and the
 * column means weigh to the mean of all, for widths that do not divide. */
static void test_no_peak_is_dropped(void **state)
{
	static const size_t sizes[] = {1, 2, 7, 100, 997, 1200, 12345};
	static const size_t widths[] = {1, 3, 100, 1123, 1200};
	double *bins = calloc(12345, sizeof(*bins));
	struct na_column_range c[1200];

	(void)state;
	assert_non_null(bins);
	for (size_t s = 0; s < 7; s++) {
		for (size_t w = 0; w < 5; w++) {
			size_t n = sizes[s], m = widths[w];

			for (size_t at = 0; at < n; at += 1 + n / 97) {
				double max = 0, sum = 0;

				bins[at] = 1;
				na_thin(bins, n, 0, (double)n, c, m);
				bins[at] = 0;
				for (size_t i = 0; i < m; i++) {
					max = fmax(max, c[i].max);
					sum += c[i].mean / (double)m;
					assert_true(c[i].min <= c[i].mean);
					assert_true(c[i].mean <= c[i].max);
				}
				near(max, 1);
				near(sum, 1.0 / (double)n);
			}
		}
	}
	free(bins);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finer_bins),
		cmocka_unit_test(test_bins_across_columns),
		cmocka_unit_test(test_coarser_bins),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_huge_values),
		cmocka_unit_test(test_no_peak_is_dropped),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
