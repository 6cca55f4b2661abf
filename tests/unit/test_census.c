/*
 * The census against plain counting, whatever the split into blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/stats/samples/census.h"
#include "netan/stats/samples/quantile.h"
#include "netan/synth/rng.h"

enum { GROUPS = 3 };

struct record {
	uint32_t group;
	int64_t value;
};

static int compare(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* In blocks of `size`, whose groups are numbered from the other end. */
static void count(const struct record *r, size_t n, size_t size,
		  struct na_weighted **out, size_t from[GROUPS + 1])
{
	static const uint32_t back[GROUPS] = {2, 1, 0};
	struct na_census_stack stack = {.n = 0};

	for (size_t at = 0; at < n; at += size) {
		struct na_census c = {NULL, 0, 0};

		for (size_t i = at; i < n && i < at + size; i++)
			assert_true(na_census_add(&c, back[r[i].group],
						  r[i].value));
		na_census_close(&c);
		na_census_regroup(&c, back);
		assert_true(na_census_push(&stack, &c));
		na_census_fini(&c);
	}
	assert_true(na_census_join(&stack, GROUPS, out, from));
	na_census_stack_fini(&stack);
}

/* Walks the sorted records beside the counts. */
static void check(const struct record *sorted, size_t n,
		  const struct na_weighted *x, const size_t *from)
{
	size_t at = 0;

	assert_int_equal(from[0], 0);
	for (uint32_t g = 0; g < GROUPS; g++) {
		for (size_t k = from[g]; k < from[g + 1]; k++) {
			for (int64_t c = 0; c < x[k].count; c++, at++) {
				assert_true(at < n);
				assert_int_equal(sorted[at].group, g);
				assert_int_equal(sorted[at].value, x[k].value);
			}
		}
	}
	assert_int_equal(at, n);
}

/* All that differ, few that differ, multiples of a large power of two. */
static int64_t draw(struct na_rng *rng, int kind)
{
	uint64_t x = na_rng_below(rng, kind == 0 ? UINT64_MAX : 50);

	return kind == 0 ? (int64_t)(x >> 1)
			 : (int64_t)(kind == 1 ? x : x << 40);
}

static void any_split(void **state)
{
	static const size_t sizes[] = {1, 7, 64, 1000, 100000};
	enum { N = 3000 };
	struct record *r = calloc(N, sizeof(*r)), *sorted;

	(void)state;
	sorted = calloc(N, sizeof(*sorted));
	for (int kind = 0; kind < 3; kind++) {
		struct na_rng rng;

		na_rng_seed(&rng, (uint64_t)kind + 5);
		for (size_t i = 0; i < N; i++)
			r[i] = (struct record){(uint32_t)na_rng_below(&rng,
								      GROUPS),
					       draw(&rng, kind)};
		memcpy(sorted, r, N * sizeof(*r));
		qsort(sorted, N, sizeof(*sorted), compare);
		for (size_t i = 0; i < 5; i++) {
			struct na_weighted *x;
			size_t from[GROUPS + 1];

			count(r, N, sizes[i], &x, from);
			check(sorted, N, x, from);
			free(x);
		}
	}
	free(r);
	free(sorted);
}

/* Groups that become one, by one run and by several. */
static void regrouped(void **state)
{
	static const uint32_t into[] = {1, 0, 1};

	(void)state;
	for (int blocks = 1; blocks <= 3; blocks++) {
		struct na_census_stack stack = {.n = 0};
		struct na_weighted *x;
		size_t from[3];

		for (int i = 0; i < blocks; i++) {
			struct na_census c = {NULL, 0, 0};

			for (uint32_t g = 0; g < 3; g++) {
				assert_true(na_census_add(&c, g, 7));
				assert_true(na_census_add(&c, g, 1 + g));
			}
			na_census_close(&c);
			na_census_regroup(&c, into);
			assert_true(na_census_push(&stack, &c));
		}
		assert_true(na_census_join(&stack, 2, &x, from));
		assert_int_equal(from[1], 2);
		assert_int_equal(from[2], 5);
		assert_int_equal(x[0].value, 2);
		assert_int_equal(x[2].value, 1);
		assert_int_equal(x[3].value, 3);
		assert_int_equal(x[4].value, 7);
		assert_int_equal(x[4].count, 2 * blocks);
		free(x);
	}
}

static void nothing(void **state)
{
	struct na_weighted *x;
	size_t from[GROUPS + 1];

	(void)state;
	count(NULL, 0, 1, &x, from);
	assert_null(x);
	for (size_t g = 0; g <= GROUPS; g++)
		assert_int_equal(from[g], 0);
	assert_true(isnan(na_weighted_quantile(NULL, 0, 0.5)));
	assert_true(isnan(na_weighted_gini(NULL, 0)));
	assert_int_equal(na_weighted_half(NULL, 0), -1);
}

/* Counts that together pass 32 bits. */
static void many_of_one(void **state)
{
	struct na_census_stack stack = {.n = 0};
	struct na_weighted *x;
	size_t from[2];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct na_census c = {NULL, 0, 0};

		assert_true(na_census_add(&c, 0, 8));
		na_census_close(&c);
		c.items[0].count = UINT32_MAX;
		assert_true(na_census_push(&stack, &c));
	}
	assert_true(na_census_join(&stack, 1, &x, from));
	assert_int_equal(from[1], 1);
	assert_int_equal(x[0].count, 3 * (int64_t)UINT32_MAX);
	free(x);
}

/* A weighted sample against the same one written out. */
static void written_out(void **state)
{
	static const struct na_weighted x[] = {
		{0, 2}, {1, 5}, {7, 1}, {8, 90}, {4096, 3}};
	double all[101];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		for (int64_t k = 0; k < x[i].count; k++)
			all[n++] = (double)x[i].value;
	}
	for (int p = 0; p <= 1000; p++) {
		double want = na_quantile_sorted(all, n, p / 1000.0);
		double got = na_weighted_quantile(x, 5, p / 1000.0);

		assert_true(fabs(got - want) <= 1e-12 * want);
	}
	assert_int_equal(na_weighted_half(x, 5), 4096);
	assert_true(na_weighted_gini(&x[3], 1) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_split),   cmocka_unit_test(regrouped),
		cmocka_unit_test(nothing),     cmocka_unit_test(many_of_one),
		cmocka_unit_test(written_out),
	};

	return cmocka_run_group_tests_name("census", tests, NULL, NULL);
}
