/* Rows that are packed are put together as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "netan/analyses/collectives/state.h"

#define WIDE_MAX ((na_i128)(~(unsigned __int128)0 >> 1))

enum { MANY = 200000, RUN = 7 };

static uint32_t kind_of(struct coll_rows *rows, bool of_ranks, uint32_t type)
{
	const struct coll_kind kind = {.type = type,
				       .group_size = 4,
				       .n_groups = UINT32_MAX,
				       .opcode = NA_OPCODE_ALL_GATHER,
				       .uneven = !of_ranks,
				       .of_ranks = of_ranks};

	return na_collectives_kind(rows, &kind);
}

static uint32_t program_of(struct coll_rows *rows, uint32_t module)
{
	return na_triples_add(&rows->programs,
			      (struct na_triple){RUN * NA_N_NETWORKS +
							 NA_NET_ICI,
						 module, 0});
}

static void same_us(const double *got, const double *want)
{
	assert_memory_equal(got, want, COLL_N_US * sizeof(*got));
}

static void same_sums(const struct coll_matched *got,
		      const struct coll_matched *want)
{
	assert_true(got->executions == want->executions);
	assert_true(got->sized == want->sized);
	assert_true(got->queued == want->queued);
	assert_true(got->bytes == want->bytes);
	assert_true(got->most == want->most);
	assert_true(got->instances == want->instances);
	assert_true(got->sized_bytes == want->sized_bytes);
	assert_true(got->sized_ps == want->sized_ps);
	assert_true(got->wait_ps == want->wait_ps);
	assert_true(got->rank_ps == want->rank_ps);
	assert_memory_equal(&got->bus_bits, &want->bus_bits, sizeof(double));
	same_us(got->us, want->us);
	assert_true(got->last_n == want->last_n);
	assert_int_equal(got->last_core, want->last_core);
	assert_int_equal(got->name, want->name);
}

static void extremes_of_devices(void **state)
{
	struct na_strtab names = {0};
	struct coll_rows rows = {.names = &names};
	uint32_t type = na_strtab_add(&names, "ALL_GATHER_RING", 15);
	const struct coll_matched all[] = {
		{.name = NA_UNKNOWN_U32,
		 .us = {NAN, NAN, NAN, NAN, NAN, NAN}},
		{.name = UINT32_MAX - 1,
		 .executions = UINT64_MAX,
		 .sized = UINT64_MAX,
		 .bytes = WIDE_MAX,
		 .most = UINT64_MAX,
		 .instances = UINT64_MAX,
		 .sized_bytes = WIDE_MAX,
		 .sized_ps = WIDE_MAX,
		 .wait_ps = -1,
		 .rank_ps = -WIDE_MAX - 1,
		 .bus_bits = 1e300,
		 .us = {1 / 3.0, 1 / 3.0, -0.0, 0, NAN, INFINITY},
		 .last_n = UINT64_MAX,
		 .last_core = UINT32_MAX,
		 .took_part = UINT32_MAX,
		 .took_full = UINT32_MAX - 1,
		 .crew = UINT32_MAX},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(all); i++) {
		struct coll_matched x = all[i];

		x.program = program_of(&rows, i ? UINT32_MAX : 0);
		x.kind = kind_of(&rows, false, i ? type : NA_UNKNOWN_U32);
		assert_true(na_collectives_pack(&rows, &x));
	}
	for (size_t i = 0; i < NA_LEN(all); i++) {
		struct coll_matched x = na_collectives_row(&rows, i);
		struct coll_matched head = na_collectives_row_head(&rows, i);

		same_sums(&x, &all[i]);
		assert_int_equal(x.id, i);
		assert_int_equal(x.run, RUN);
		assert_int_equal(x.network, NA_NET_ICI);
		assert_int_equal(x.module, i ? UINT32_MAX : 0);
		assert_int_equal(x.opcode, NA_OPCODE_ALL_GATHER);
		assert_true(x.uneven && !x.of_ranks);
		assert_int_equal(x.group_size, 4);
		assert_int_equal(x.n_groups, UINT32_MAX);
		assert_string_equal(x.type,
				    i ? "ALL_GATHER_RING" : "ALL_GATHER");
		assert_int_equal(x.crew, all[i].crew);
		assert_int_equal(x.took_part, all[i].took_part);
		assert_int_equal(x.took_full, all[i].took_full);
		assert_int_equal(x.participants, all[i].took_part);
		assert_int_equal(x.n_missing, 0);
		assert_true(head.bytes == x.bytes && head.rank_ps == x.rank_ps);
		assert_true(head.sized == x.sized && head.name == x.name);
	}
	na_collectives_rows_fini(&rows);
	na_strtab_fini(&names);
}

static void extremes_of_ranks(void **state)
{
	struct coll_rows rows = {.clipped = true};
	const struct coll_matched want = {
		.program = program_of(&rows, 0),
		.kind = kind_of(&rows, true, NA_UNKNOWN_U32),
		.name = NA_UNKNOWN_U32,
		.executions = 0,
		.queued = UINT64_MAX,
		.us = {1, 2, 2, 3, 4, 5},
		.group = NA_UNKNOWN_U32,
		.times = NA_RANK_LASTED,
		.begun = UINT64_MAX,
		.participants = UINT32_MAX,
		.not_captured = UINT64_MAX,
	};
	struct coll_matched got;

	(void)state;
	assert_true(na_collectives_pack(&rows, &want));
	got = na_collectives_row(&rows, 0);
	same_sums(&got, &want);
	assert_true(got.of_ranks);
	assert_int_equal(got.group, want.group);
	assert_int_equal(got.times, want.times);
	assert_true(got.begun == want.begun);
	assert_int_equal(got.participants, UINT32_MAX);
	assert_true(got.not_captured == UINT64_MAX);
	assert_true(na_collectives_row_head(&rows, 0).queued == UINT64_MAX);
	na_collectives_rows_fini(&rows);
}

/* Of devices that run the program: as the window cuts it, or not. */
static void who_is_missing(void **state)
{
	static const struct {
		bool clipped;
		uint64_t most;
		uint32_t part, full, missing;
	} all[] = {
		{false, 5, 8, 6, 4}, {true, 5, 8, 6, 2}, {true, 2, 8, 6, 0},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(all); i++) {
		struct coll_rows rows = {.clipped = all[i].clipped};
		struct coll_matched x = {
			.program = program_of(&rows, 0),
			.kind = kind_of(&rows, false, NA_UNKNOWN_U32),
			.most = all[i].most,
			.took_part = all[i].part,
			.took_full = all[i].full};

		assert_true(na_add(&rows.n_cores, 10));
		assert_true(na_collectives_pack(&rows, &x));
		x = na_collectives_row(&rows, 0);
		assert_int_equal(x.n_missing, all[i].missing);
		assert_int_equal(x.participants, 10);
		na_collectives_rows_fini(&rows);
	}
}

static void many_rows_take_little(void **state)
{
	struct coll_rows rows = {.clipped = false};
	struct coll_matched x = {
		.program = program_of(&rows, 3),
		.kind = kind_of(&rows, false, NA_UNKNOWN_U32),
		.executions = 2,
		.sized = 2,
		.instances = 1,
		.most = 1,
		.took_part = 2,
		.took_full = 2,
		.sized_bytes = 262144,
		.us = {9.123456, 9.123456, 0.1234567, 1.5, 1.5, 1.5}};

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		x.name = i;
		x.rank_ps = (na_i128)i * i * i;
		assert_true(na_collectives_pack(&rows, &x));
	}
	for (size_t i = 0; i + 1 < rows.groups.n; i++)
		assert_in_range(rows.groups.v[i].at[COLL_GROUP - 1], 1,
				COLL_GROUP * 60);
	for (size_t i = 0; i < MANY; i++) {
		struct coll_matched got = na_collectives_row(&rows, i);

		assert_int_equal(got.name, i);
		assert_true(got.rank_ps == (na_i128)i * (na_i128)(i * i));
		same_us(got.us, x.us);
	}
	na_collectives_rows_fini(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extremes_of_devices),
		cmocka_unit_test(extremes_of_ranks),
		cmocka_unit_test(who_is_missing),
		cmocka_unit_test(many_rows_take_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
