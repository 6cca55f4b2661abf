/*
 * Changes of level and drifts: exact ones by hand, and how often noise is
 * taken for one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/time/course.h"
#include "netan/synth/rng.h"

enum { N = 200, LONG = 5000 };

static double noise(struct na_rng *r)
{
	return (double)na_rng_normal_q16(r) / 65536;
}

static void levels(void **state)
{
	struct na_course c;
	double x[N];

	(void)state;
	for (size_t at = 5; at <= N - 5; at++) {
		for (size_t i = 0; i < N; i++)
			x[i] = i < at ? 10 : 11;
		assert_true(na_course_judge(x, N, &c));
		assert_int_equal(c.n, 1);
		assert_int_equal(c.changes[0].at, at);
		assert_true(c.changes[0].from == 10 && c.changes[0].to == 11);
		assert_false(c.drifts);
	}
	/* Up and down again. */
	for (size_t i = 0; i < N; i++)
		x[i] = i >= 60 && i < 90 ? 30 : 20;
	assert_true(na_course_judge(x, N, &c));
	assert_int_equal(c.n, 2);
	assert_int_equal(c.changes[0].at, 60);
	assert_int_equal(c.changes[1].at, 90);
	assert_true(c.changes[1].to == 20);
}

static void nothing(void **state)
{
	struct na_course c;
	double x[N];

	(void)state;
	for (size_t n = 0; n <= N; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = n % 3 ? 7 : 0;
		assert_true(na_course_judge(x, n, &c));
		assert_int_equal(c.n, 0);
		assert_false(c.drifts);
	}
	/* Values that stand out, one in eight; a level below the effect. */
	for (size_t i = 0; i < N; i++)
		x[i] = i % 8 == 3 ? 50 : i < 100 ? 10 : 10.4;
	assert_true(na_course_judge(x, N, &c));
	assert_int_equal(c.n, 0);
	assert_false(c.drifts);
}

static void noisy(void **state)
{
	size_t false_alarms = 0, found = 0, near = 0, drifts = 0;
	struct na_course c;
	struct na_rng r;
	double x[N];

	(void)state;
	na_rng_seed(&r, 1);
	for (size_t run = 0; run < 300; run++) {
		for (size_t i = 0; i < N; i++)
			x[i] = 100 + 10 * noise(&r);
		assert_true(na_course_judge(x, N, &c));
		false_alarms += c.n || c.drifts;
		for (size_t i = 80; i < N; i++)
			x[i] += 25;
		assert_true(na_course_judge(x, N, &c));
		found += c.n == 1 && !c.drifts;
		near += c.n == 1 && c.changes[0].at >= 76 &&
			c.changes[0].at <= 84;
		for (size_t i = 0; i < N; i++)
			x[i] = 100 + 5 * noise(&r) + 0.2 * (double)i;
		assert_true(na_course_judge(x, N, &c));
		drifts += c.drifts && fabs(c.to - c.from - 0.2 * (N - 1)) < 6;
	}
	print_message("false alarms %zu, found %zu, near %zu, drifts %zu\n",
		      false_alarms, found, near, drifts);
	assert_true(false_alarms <= 3);
	assert_true(found >= 294 && near >= 285 && drifts >= 294);
}

/* Beyond NA_COURSE_POINTS a change is known to its group. */
static void many(void **state)
{
	double *x = malloc(LONG * sizeof(*x));
	struct na_course c;
	struct na_rng r;

	(void)state;
	assert_non_null(x);
	na_rng_seed(&r, 2);
	for (size_t i = 0; i < LONG; i++)
		x[i] = (i < 3000 ? 100 : 90) + noise(&r);
	assert_true(na_course_judge(x, LONG, &c));
	assert_int_equal(c.n, 1);
	assert_true(c.changes[0].at >= 2985 && c.changes[0].at <= 3015);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		cmocka_unit_test(nothing),
		cmocka_unit_test(noisy),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
