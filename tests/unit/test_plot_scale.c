#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plot/scale.h"
#include "plot/theme.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fmax(1, fabs(want))))
		fail_msg("got %.17g, want %.17g", got, want);
}

static void test_scale_maps(void **state)
{
	struct na_scale lin = {10, 20, 100, 300, false};
	struct na_scale down = {0, 1, 50, 10, false};
	struct na_scale log = {1, 1000, 0, 300, true};

	(void)state;
	near(na_scale_at(&lin, 10), 100);
	near(na_scale_at(&lin, 15), 200);
	near(na_scale_at(&lin, 25), 400);
	near(na_scale_at(&down, 0.25), 40);
	near(na_scale_at(&log, 1), 0);
	near(na_scale_at(&log, 10), 100);
	near(na_scale_at(&log, 1000), 300);
}

static void test_ticks_linear(void **state)
{
	static const struct {
		double from, to;
		size_t most;
		double step, first, last;
		size_t n;
	} rows[] = {
		{0, 10, 5, 2, 0, 10, 6},
		{0, 850, 5, 200, 0, 800, 5},
		{0, 1, 4, 0.5, 0, 1, 3},
		{0, 1, 10, 0.1, 0, 1, 11},
		{-3, 7, 5, 2, -2, 6, 5},
		{-1.2e-4, 1.8e-4, 6, 5e-5, -1e-4, 1.5e-4, 6},
		{0, 1e-300, 5, 2e-301, 0, 1e-300, 6},
		{0, 1e300, 5, 2e299, 0, 1e300, 6},
		{14.1, 14.2, 1, 0.1, 14.1, 14.2, 2},
		{1000, 1001, 2, 0.5, 1000, 1001, 3},
	};
	struct na_ticks t;

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		na_ticks_linear(&t, rows[i].from, rows[i].to, rows[i].most);
		assert_int_equal(t.n, rows[i].n);
		near(t.step / rows[i].step, 1);
		near(t.at[0], rows[i].first);
		near(t.at[t.n - 1] / rows[i].last, 1);
	}
}

static void test_ticks_refuse(void **state)
{
	struct na_ticks t;

	(void)state;
	na_ticks_linear(&t, 1, 1, 5);
	assert_int_equal(t.n, 0);
	na_ticks_linear(&t, 2, 1, 5);
	assert_int_equal(t.n, 0);
	na_ticks_linear(&t, NAN, 1, 5);
	assert_int_equal(t.n, 0);
	na_ticks_linear(&t, 0, INFINITY, 5);
	assert_int_equal(t.n, 0);
	na_ticks_linear(&t, -1.7e308, 1.7e308, 5);
	assert_int_equal(t.n, 0);
	na_ticks_linear(&t, 0, 1, 0);
	assert_int_equal(t.n, 0);
	na_ticks_linear(&t, 1e18, nextafter(1e18, 2e18), 5);
	assert_int_equal(t.n, 0);
	na_ticks_log(&t, 0, 10, 5);
	assert_int_equal(t.n, 0);
	na_ticks_linear(&t, 0, 1, 100000);
	assert_true(t.n <= NA_TICKS_MAX);
}

/* Every tick is inside, ascending, and there are never too many. */
static void test_ticks_sweep(void **state)
{
	struct na_ticks t;

	(void)state;
	for (int e = -300; e < 300; e += 7) {
		for (size_t most = 1; most < 20; most++) {
			double to = pow(10, e) * (1 + (double)most / 7);

			na_ticks_linear(&t, 0, to, most);
			assert_in_range(t.n, 1, most + 1);
			for (size_t i = 0; i < t.n; i++) {
				assert_true(t.at[i] >= 0);
				assert_true(t.at[i] <= to * (1 + 1e-8));
				assert_true(!i || t.at[i] > t.at[i - 1]);
			}
		}
	}
}

static void test_ticks_bytes_and_time(void **state)
{
	struct na_ticks t;

	(void)state;
	na_ticks_in_unit(&t, 0, 3.5 * 1048576, 4, 1048576);
	near(t.step, 1048576);
	assert_int_equal(t.n, 4);
	na_ticks_time(&t, 0, 14, 14);
	near(t.step, 1);
	na_ticks_time(&t, 0, 200, 8);
	near(t.step, 30);
	na_ticks_time(&t, 0, 3600, 7);
	near(t.step, 600);
	na_ticks_time(&t, 0, 86400, 5);
	near(t.step, 21600);
	na_ticks_time(&t, 0, 1e7, 5);
	near(t.step, 2e6);
}

static void test_ticks_log(void **state)
{
	struct na_ticks t;
	size_t named = 0;

	(void)state;
	na_ticks_log(&t, 1, 1000, 9);
	for (size_t i = 0; i < t.n; i++)
		named += !t.minor[i];
	assert_int_equal(named, 10); /* 1 2 5 10 ... 1000 */
	assert_int_equal(t.n, 28);
	na_ticks_log(&t, 1e-9, 1e3, 4);
	assert_int_equal(t.n, 13);
	named = 0;
	for (size_t i = 0; i < t.n; i++)
		named += !t.minor[i];
	assert_int_equal(named, 5); /* 1e-9 1e-6 ... 1e3 */
}

static void test_units(void **state)
{
	static const struct {
		enum na_quantity q;
		double max;
		const char *name;
	} rows[] = {
		{NA_Q_RATE, 0, "bit/s"},
		{NA_Q_RATE, 999, "bit/s"},
		{NA_Q_RATE, 1e3, "kbit/s"},
		{NA_Q_RATE, 800e9, "Gbit/s"},
		{NA_Q_RATE, 1e12, "Tbit/s"},
		{NA_Q_RATE, 1e30, "x 1e15 Pbit/s"},
		{NA_Q_BYTES, 1023, "B"},
		{NA_Q_BYTES, 1024, "KiB"},
		{NA_Q_BYTES, 3e6, "MiB"},
		{NA_Q_SECONDS, 0, "s"},
		{NA_Q_SECONDS, 1e-12, "ps"},
		{NA_Q_SECONDS, 2e-4, "us"},
		{NA_Q_SECONDS, 14, "s"},
		{NA_Q_SECONDS, 9e6, "s"},
		{NA_Q_COUNT, 9999, ""},
		{NA_Q_COUNT, 20000, "thousand"},
		{NA_Q_COUNT, 2e6, "million"},
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		assert_string_equal(na_unit_for(rows[i].q, rows[i].max).name,
				    rows[i].name);
}

static void test_labels(void **state)
{
	char buf[NA_LABEL_BUF];

	(void)state;
	assert_string_equal(na_label_fixed(buf, 0, 3), "0");
	assert_string_equal(na_label_fixed(buf, -0.0001, 2), "0.00");
	assert_string_equal(na_label_fixed(buf, 2.5, 1), "2.5");
	assert_string_equal(na_label_fixed(buf, 0.05, 2), "0.05");
	assert_string_equal(na_label_fixed(buf, -120, 0), "\xe2\x88\x92"
							  "120");
	assert_string_equal(na_label_fixed(buf, 1e300, 9), "1e300");
	assert_string_equal(na_label_fixed(buf, NAN, 1), "-");
	assert_string_equal(na_label_fixed(buf, INFINITY, 1), "-");
	assert_string_equal(na_label_short(buf, 4.887, 3), "4.89");
	assert_string_equal(na_label_short(buf, 14, 3), "14");
	assert_string_equal(na_label_short(buf, 1500, 2), "1500");
	assert_string_equal(na_label_short(buf, 0.001, 3), "0.001");
	assert_string_equal(na_label_quantity(buf, NA_Q_RATE, 71.23e9, 3),
			    "71.2 Gbit/s");
	assert_string_equal(na_label_quantity(buf, NA_Q_BYTES, 1536, 3),
			    "1.5 KiB");
	assert_string_equal(na_label_quantity(buf, NA_Q_SECONDS, 0, 3), "0 s");
	assert_int_equal(na_label_digits(0.5, 1), 1);
	assert_int_equal(na_label_digits(20, 1), 0);
	assert_int_equal(na_label_digits(0.001, 1), 3);
	assert_int_equal(na_label_digits(0, 1), 0);
}

/* The figure language promises 3:1 on dark; text needs 4.5:1 on both. */
static void test_theme_contrast(void **state)
{
	const struct na_theme *t[] = {&na_theme_light, &na_theme_dark};
	const struct na_color black = {0, 0, 0, 255};
	const struct na_color white = {255, 255, 255, 255};

	(void)state;
	near(na_contrast(black, white), 21);
	for (size_t i = 0; i < 2; i++) {
		assert_true(na_contrast(t[i]->text, t[i]->background) > 7);
		assert_true(na_contrast(t[i]->secondary, t[i]->background) >
			    4.5);
		assert_true(na_contrast(t[i]->limit, t[i]->background) > 4.5);
	}
	for (int h = 0; h < NA_HUES; h++)
		assert_true(na_contrast(na_theme_dark.hue[h],
					na_theme_dark.background) > 3);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale_maps),
		cmocka_unit_test(test_ticks_linear),
		cmocka_unit_test(test_ticks_refuse),
		cmocka_unit_test(test_ticks_sweep),
		cmocka_unit_test(test_ticks_bytes_and_time),
		cmocka_unit_test(test_ticks_log),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_theme_contrast),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
