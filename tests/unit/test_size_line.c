/* Latency given size: the line against plain loops, and under noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/tests/size_line.h"
#include "netan/synth/rng.h"

static void as_the_oracle(void **state)
{
	FILE *f = fopen("tests/oracle/size_line.tsv", "r");
	char line[400], name[40];
	size_t rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct na_size_class c[16];
		struct na_size_line got;
		double fixed, slope;
		size_t n;
		int at, more;

		if (line[0] == '#' ||
		    sscanf(line, "%39s %zu%n", name, &n, &at) != 2)
			continue;
		assert_true(n <= 16);
		for (size_t i = 0; i < n; i++, at += more) {
			unsigned long count;

			assert_int_equal(sscanf(line + at, "%lf %lf %lu%n",
						&c[i].bytes, &c[i].us, &count,
						&more),
					 3);
			c[i].n = count;
		}
		assert_int_equal(sscanf(line + at, "%lf %lf", &fixed, &slope),
				 2);
		assert_true(na_size_line(c, n, &got));
		if (fabs(got.fixed_us - fixed) > 1e-9 * (1 + fixed) ||
		    fabs(got.us_per_byte - slope) > 1e-12)
			fail_msg("%s: %.17g %.17g, not %.17g %.17g", name,
				 got.fixed_us, got.us_per_byte, fixed, slope);
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 4);
}

/* 40 us + 10 Gbit/s, medians off by up to 3 %, one class by a factor. */
static void noise_does_not_move_it(void **state)
{
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 11);
	for (int draw = 0; draw < 200; draw++) {
		struct na_size_class c[14];
		struct na_size_line got;

		for (size_t i = 0; i < 14; i++) {
			double bytes = (double)(1024 << i);
			double off = (double)na_rng_below(&r, 61) - 30;

			c[i] = (struct na_size_class){
				bytes, (40 + bytes * 8e-4) * (1 + off / 1000),
				50 + na_rng_below(&r, 1000)};
		}
		c[na_rng_below(&r, 14)].us *= 20;
		assert_true(na_size_line(c, 14, &got));
		if (fabs(got.fixed_us / 40 - 1) > 0.12 ||
		    fabs(got.us_per_byte / 8e-4 - 1) > 0.05)
			fail_msg("draw %d: %g us, %g us/byte", draw,
				 got.fixed_us, got.us_per_byte);
	}
}

static void no_line(void **state)
{
	static const struct na_size_class rows[][2] = {
		{{1000, 50, 9}, {3999, 60, 9}}, /* too near */
		{{1000, 50, 4}, {9999, 60, 9}}, /* too few */
		{{1000, 0, 9}, {9999, 60, 9}},  /* takes no time */
		{{0, 50, 9}, {0, 60, 9}},       /* without sizes */
	};
	static const struct na_size_class zero[] = {{0, 50, 9}, {9999, 60, 9}};
	struct na_size_line got;

	(void)state;
	assert_false(na_size_line(NULL, 0, &got));
	for (size_t i = 0; i < 3; i++)
		assert_false(na_size_line(rows[i], 2, &got));
	assert_false(na_size_line(rows[3], 2, &got));
	assert_true(na_size_line(zero, 2, &got));
	assert_true(fabs(got.fixed_us - 50) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_oracle),
		cmocka_unit_test(noise_does_not_move_it),
		cmocka_unit_test(no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
