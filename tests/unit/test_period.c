/* The period of a series: found where there is one, and only there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/time/period.h"
#include "netan/synth/rng.h"

enum { N = 600 };

/* Pulses of one fifth of the period, some later than others, and noise. */
static void pulses(double *x, size_t n, size_t period, uint64_t late,
		   double noise, struct na_rng *r)
{
	for (size_t i = 0; i < n; i++)
		x[i] = noise * (double)na_rng_below(r, 1000) / 1000;
	for (size_t at = 0; at < n; at += period) {
		size_t from = at + (late ? na_rng_below(r, late + 1) : 0);

		for (size_t i = from; i < from + period / 5 && i < n; i++)
			x[i] += 10;
	}
}

static void periods_are_found(void **state)
{
	double x[N];
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 3);
	for (size_t period = 6; period < N / 4; period += 7) {
		size_t lag;

		pulses(x, N, period, 0, 0, &r);
		assert_int_equal(na_period(x, N), period);
		pulses(x, N, period, period / 20, 4, &r);
		lag = na_period(x, N);
		assert_true(fabs((double)lag - (double)period) <=
			    1 + (double)period / 10);
	}
}

static void waves(void **state)
{
	double x[N];

	(void)state;
	/* 25 samples: exactly; what does not divide: to the nearest. */
	for (size_t i = 0; i < N; i++)
		x[i] = sin((double)i * 2 * acos(-1) / 25);
	assert_int_equal(na_period(x, N), 25);
	for (size_t i = 0; i < N; i++)
		x[i] = 1e6 + sin((double)i * 2 * acos(-1) / 40.4);
	assert_in_range(na_period(x, N), 40, 41);
}

static void nothing_repeats(void **state)
{
	double x[N];
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 4);
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < N; i++)
			x[i] = (double)na_rng_below(&r, 100);
		assert_int_equal(na_period(x, N), 0);
	}
	for (size_t i = 0; i < N; i++)
		x[i] = 7;
	for (size_t n = 0; n < N; n += 1 + n / 2)
		assert_int_equal(na_period(x, n), 0);
	/* One pulse, a ramp. */
	x[N / 2] = 9;
	assert_int_equal(na_period(x, N), 0);
	for (size_t i = 0; i < N; i++)
		x[i] = (double)i;
	assert_int_equal(na_period(x, N), 0);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_are_found),
		cmocka_unit_test(waves),
		cmocka_unit_test(nothing_repeats),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
