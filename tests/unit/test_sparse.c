/*
 * Sparse arrays against plain ones that were written alike.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "netan/base/sparse.h"
#include "netan/base/vec.h"
#include "netan/synth/rng.h"

enum { ROUNDS = 200, MOST = 5 * NA_SPARSE_PAGE };

static void write_some(struct na_sparse *x, uint64_t *plain, size_t n,
		       struct na_rng *r)
{
	for (uint64_t k = na_rng_below(r, 12); k; k--) {
		size_t i = na_rng_below(r, n);
		uint64_t *at = na_sparse_at(x, i);

		assert_non_null(at);
		assert_int_equal(*at, plain[i]);
		*at = plain[i] = na_rng_next(r);
	}
}

static void as_a_plain_array(void **state)
{
	struct na_rng r;

	(void)state;
	na_rng_seed(&r, 1);
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = 1 + na_rng_below(&r, MOST), next = 0;
		uint64_t *plain = na_calloc(n, sizeof(*plain));
		struct na_sparse x;

		assert_non_null(plain);
		assert_true(na_sparse_init(&x, n, sizeof(*plain)));
		write_some(&x, plain, n, &r);
		for (size_t i = 0; i < n; i++) {
			const uint64_t *at = na_sparse_get(&x, i);

			assert_int_equal(at ? *at : 0, plain[i]);
		}
		/* What is passed over is zero. */
		na_each_sparse (i, &x, n) {
			for (; next < i; next++)
				assert_int_equal(plain[next], 0);
			next = i + 1;
		}
		for (; next < n; next++)
			assert_int_equal(plain[next], 0);
		na_sparse_fini(&x);
		free(plain);
	}
}

static void pages_come_with_their_first_element(void **state)
{
	struct na_sparse x;

	(void)state;
	assert_true(na_sparse_init(&x, MOST, 3));
	assert_int_equal(na_sparse_next(&x, 0, MOST), MOST);
	assert_null(na_sparse_get(&x, NA_SPARSE_PAGE));
	assert_non_null(na_sparse_at(&x, NA_SPARSE_PAGE + 7));
	assert_non_null(na_sparse_get(&x, NA_SPARSE_PAGE));
	assert_null(na_sparse_get(&x, 0));
	assert_int_equal(na_sparse_next(&x, 0, MOST), NA_SPARSE_PAGE);
	assert_int_equal(na_sparse_next(&x, 2 * NA_SPARSE_PAGE, MOST), MOST);
	na_sparse_fini(&x);
	na_sparse_fini(&(struct na_sparse){.pages = NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_a_plain_array),
		cmocka_unit_test(pages_come_with_their_first_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
