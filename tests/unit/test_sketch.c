/* The sketch: its error, and that merging adds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/samples/sketch.h"
#include "netan/stats/samples/sort.h"
#include "netan/synth/rng.h"

enum { N = 20000 };

/* From alike to sixty orders of magnitude. */
static double draw(struct na_rng *r, int kind)
{
	double u = (double)(na_rng_next(r) >> 11) / 9007199254740992.0;

	switch (kind) {
	case 0:
		return 42;
	case 1:
		return 1e-6 + u;
	case 2:
		return exp(140 * (u - 0.5));
	case 3:
		return na_rng_below(r, 3) ? u : 0;
	default:
		return 1 / pow(u + 1e-12, 1 / 1.5); /* Pareto */
	}
}

static void error_is_bounded(void **state)
{
	static const double p[] = {0, .01, .5, .9, .99, .999, .9999, 1};
	double *x = calloc(2 * N, sizeof(*x));

	(void)state;
	assert_non_null(x);
	for (int kind = 0; kind < 5; kind++) {
		struct na_sketch s = {.count = NULL};
		struct na_rng r;

		na_rng_seed(&r, 7 + (uint64_t)kind);
		for (size_t i = 0; i < N; i++) {
			x[i] = draw(&r, kind);
			assert_true(na_sketch_add(&s, x[i]));
		}
		na_sort_f64(x, x + N, N);
		for (size_t i = 0; i < 8; i++) {
			double want = x[(size_t)floor((N - 1) * p[i])];
			double got = na_sketch_quantile(&s, p[i]);

			if (fabs(got - want) > 0.0050001 * want)
				fail_msg("kind %d, p %g: %g, not %g", kind,
					 p[i], got, want);
		}
		na_sketch_fini(&s);
	}
	free(x);
}

static uint64_t bucket(const struct na_sketch *s, int32_t i)
{
	return i < s->first || i >= s->first + (int32_t)s->n
		       ? 0
		       : s->count[i - s->first];
}

static void merge_is_union(void **state)
{
	struct na_sketch all = {.count = NULL}, part[3] = {{.count = NULL}};
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 3);
	for (size_t i = 0; i < N; i++) {
		double x = draw(&r, (int)(i % 5));

		assert_true(na_sketch_add(&all, x));
		assert_true(na_sketch_add(&part[i % 3], x));
	}
	assert_true(na_sketch_merge(&part[0], &part[2]));
	assert_true(na_sketch_merge(&part[0], &part[1]));
	assert_int_equal(part[0].total, all.total);
	assert_int_equal(part[0].zeros, all.zeros);
	for (int32_t i = -20000; i < 20000; i++)
		assert_int_equal(bucket(&part[0], i), bucket(&all, i));
	for (size_t i = 0; i < 3; i++)
		na_sketch_fini(&part[i]);
	na_sketch_fini(&all);
}

static void edges(void **state)
{
	struct na_sketch s = {.count = NULL}, none = {.count = NULL};

	(void)state;
	assert_true(isnan(na_sketch_quantile(&s, .5)));
	assert_true(na_sketch_merge(&s, &none));
	assert_true(na_sketch_add(&s, 0));
	assert_true(na_sketch_quantile(&s, 1) == 0);
	assert_true(na_sketch_add(&s, 5e-324));
	assert_true(na_sketch_add(&s, 1.7e308));
	assert_true(na_sketch_quantile(&s, 0) == 0);
	assert_true(fabs(na_sketch_quantile(&s, 1) / 1.7e308 - 1) < 0.00501);
	assert_int_equal(s.total, 3);
	na_sketch_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_is_bounded),
		cmocka_unit_test(merge_is_union),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
