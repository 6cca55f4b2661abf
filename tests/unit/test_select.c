/* Quantiles in place, and small things that pairs stands on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/base/text.h"
#include "netan/base/triples.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/samples/select.h"
#include "netan/stats/samples/sort.h"
#include "netan/synth/rng.h"

struct record {
	double x;
	int y;
};

enum { N = 3000 };

static double value(struct na_rng *r, int look)
{
	switch (look) {
	case 0: /* many equal */
		return (double)na_rng_below(r, 5);
	case 1: /* all equal */
		return 42.5;
	case 2: /* many powers */
		return ldexp((double)na_rng_below(r, 1000),
			     (int)na_rng_below(r, 900) - 450);
	default:
		return (double)na_rng_below(r, UINT32_MAX) / 1e3;
	}
}

/* Sorted or counted, few or many: the definition's values. */
static void quantiles(void **state)
{
	static const double p[] = {0, 0.01, 0.25, 0.5, 0.9, 0.99, 1};
	static const size_t sizes[] = {1, 2, 3, 10, 999, 1024, 1025, N};
	static struct record records[N];
	static double sorted[N], tmp[2 * N];
	struct na_rng rng;

	(void)state;
	na_rng_seed(&rng, 5);
	for (int look = 0; look < 4; look++) {
		for (size_t i = 0; i < N; i++)
			records[i].x = value(&rng, look);
		for (size_t s = 0; s < 8; s++) {
			double a[7], b[7];

			for (size_t i = 0; i < sizes[s]; i++)
				sorted[i] = records[i].x;
			na_sort_f64(sorted, tmp, sizes[s]);
			na_quantiles_of(records, sizeof(*records), sizes[s], p,
					a, 7, tmp, N);
			na_quantiles_of(records, sizeof(*records), sizes[s], p,
					b, 7, tmp, 0);
			for (size_t i = 0; i < 7; i++) {
				double want = na_quantile_sorted(sorted,
								 sizes[s],
								 p[i]);

				assert_true(a[i] == want);
				assert_true(b[i] == want);
			}
		}
	}
}

static void no_values(void **state)
{
	double q = 0, p = 0.5, tmp[2];

	(void)state;
	na_quantiles_of(&p, sizeof(p), 0, &p, &q, 1, tmp, 1);
	assert_true(isnan(q));
	q = 0;
	na_quantiles_of(&p, sizeof(p), 0, &p, &q, 1, tmp, 0);
	assert_true(isnan(q));
}

static void triples(void **state)
{
	struct na_triples t = {.keys = NULL};

	(void)state;
	assert_int_equal(na_triples_find(&t, (struct na_triple){1, 2, 3}),
			 NA_NO_TRIPLE);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			struct na_triple k = {i % 7, i << 16, UINT32_MAX - i};

			assert_int_equal(na_triples_add(&t, k), i);
			assert_int_equal(na_triples_find(&t, k), i);
		}
	}
	assert_int_equal(t.n, 5000);
	assert_int_equal(na_triples_find(&t, (struct na_triple){9, 9, 9}),
			 NA_NO_TRIPLE);
	na_triples_fini(&t);
	assert_int_equal(t.n, 0);
}

static void natural_order(void **state)
{
	static const char *const up[] = {
		"",        "0",   "a",      "a-2",     "a-2-b",
		"a-2-b-7", "a-9", "a-10",   "a-010",   "a-10b",
		"a-11",    "b",   "host-9", "host-12", "host-100",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(up) / sizeof(up[0]); i++) {
		for (size_t k = 0; k < sizeof(up) / sizeof(up[0]); k++) {
			int got = na_natural_order(up[i], up[k]);

			if (strstr(up[i], "010") || strstr(up[k], "010"))
				continue;
			if ((got > 0) - (got < 0) != (i > k) - (i < k))
				fail_msg("%s and %s", up[i], up[k]);
		}
	}
	assert_true(na_natural_order("a-10", "a-010") != 0);
	assert_true(na_natural_order("a-010", "a-11") < 0);
	assert_true(na_natural_order("a-99999999999999999999999",
				     "a-100000000000000000000000") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles),
		cmocka_unit_test(no_values),
		cmocka_unit_test(triples),
		cmocka_unit_test(natural_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
