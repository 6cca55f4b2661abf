/*
 * Metadata ids to indices, against a plain list.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ingest/bytes/idmap.h"
#include "netan/synth/rng.h"

enum { IDS = 3000 };

static void empty(void **state)
{
	struct na_idmap m = {NULL, 0, NULL, 0, 0};

	(void)state;
	assert_int_equal(na_idmap_at(&m, 0), UINT32_MAX);
	assert_int_equal(na_idmap_at(&m, -1), UINT32_MAX);
	na_idmap_fini(&m);
}

static int64_t far_id(struct na_rng *r, size_t i)
{
	static const int64_t ends[] = {0,         -1,      INT64_MIN,
				       INT64_MAX, 1 << 20, (1 << 20) - 1,
				       4096,      4097};

	switch (na_rng_below(r, 5)) {
	case 0:
		return (int64_t)na_rng_next(r);
	case 1:
		return ends[na_rng_below(r, 8)];
	case 2:
		return (int64_t)na_rng_below(r, 10000);
	default:
		return (int64_t)i + 1;
	}
}

/* Whatever the ids and their order: the last index set is the one found. */
static void against_a_list(void **state)
{
	static int64_t ids[IDS];

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct na_idmap m = {NULL, 0, NULL, 0, 0};
		struct na_rng r;

		na_rng_seed(&r, seed);
		for (uint32_t i = 0; i < IDS; i++) {
			ids[i] = far_id(&r, i);
			assert_true(na_idmap_set(&m, ids[i], i));
		}
		for (uint32_t i = 0; i < IDS; i += 7) {
			uint32_t want = i;

			for (uint32_t k = i; k < IDS; k++)
				want = ids[k] == ids[i] ? k : want;
			assert_int_equal(na_idmap_at(&m, ids[i]), want);
		}
		assert_int_equal(na_idmap_at(&m, INT64_C(1) << 50), UINT32_MAX);
		na_idmap_fini(&m);
	}
}

/* One id far away does not cost a table up to it. */
static void sparse_ids_cost_little(void **state)
{
	struct na_idmap m = {NULL, 0, NULL, 0, 0};

	(void)state;
	assert_true(na_idmap_set(&m, 1000000, 0));
	assert_true(na_idmap_set(&m, 900000, 1));
	assert_int_equal(m.n_dense, 0);
	for (uint32_t i = 0; i < 5000; i++)
		assert_true(na_idmap_set(&m, (int64_t)i * 1000, i));
	assert_true(m.n_dense < 40000 && m.n_slots < 40000);
	assert_int_equal(na_idmap_at(&m, 900000), 900);
	assert_int_equal(na_idmap_at(&m, 4999000), 4999);
	assert_int_equal(na_idmap_at(&m, 4999001), UINT32_MAX);
	na_idmap_fini(&m);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(against_a_list),
		cmocka_unit_test(sparse_ids_cost_little),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
