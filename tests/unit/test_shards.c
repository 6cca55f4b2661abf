/*
 * What waits for copies out of devices: gaps, serial sends, and the check's
 * limits; executions in any order and in blocks of any size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/hand_case.h"
#include "tests/unit/hand_drive.h"

extern const struct na_analysis na_an_shards;

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       INT64_C(1000000000)
#define MIB      (UINT64_C(1) << 20)

#define GRAPH(d, coll, from, to) \
	{ \
		.what = HAND_GRAPH, .start_ps = from, .end_ps = to, .src = d, \
		.name = coll \
	}
#define D2H(d, coll, from, to) \
	{ \
		.what = HAND_ACTION, .number = NA_ACT_D2H, .start_ps = from, \
		.end_ps = to, .src = d, .name = coll \
	}
#define TX(d, coll, from, to, bytes) \
	{ \
		.what = HAND_TX, .start_ps = from, .end_ps = to, .src = d, \
		.dst = 100 + d, .name = coll, .size = bytes \
	}

struct run {
	struct hand h;
	struct na_scope scope;
	struct driven d;
};

static void run_it(struct run *x, const char *const *labels, size_t sources,
		   const struct hand_row *rows, size_t n, size_t block)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, sources, labels);
	x->h.filter.components |= NA_COMP_BIT(NA_COMP_D2H);
	hand_fill(&x->h, rows, n, block);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	hand_drive(&x->d, &na_an_shards, &x->scope, NULL, block, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

static void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

static const struct na_value *run_at(const struct run *x, size_t i)
{
	return value_at(na_get(na_result_body(x->d.r), "runs"), i);
}

static const struct na_value *coll(const struct run *x, size_t run, size_t i)
{
	return value_at(na_get(run_at(x, run), "collectives"), i);
}

#define SAME(v, path, want) \
	do { \
		double got_ = na_real_of(na_dig(v, path), -12345); \
		if (got_ != (double)(want)) \
			fail_msg("%s: %.17g, not %.17g", path, got_, \
				 (double)(want)); \
	} while (0)

/* A second execution of the same collective, one of another device, one of
 * another collective in the same time; waiting behind the copy is not its. */
static void gaps(void **state)
{
	static const struct hand_row rows[] = {
		TX(1, "a", 60 * MS, 70 * MS, 8 * MIB),
		D2H(1, "a", 50 * MS, 56 * MS),
		GRAPH(1, "a", 50 * MS, 100 * MS),
		GRAPH(1, "a", 0, 40 * MS),
		D2H(1, "a", 0, 10 * MS),
		TX(1, "a", 4 * MS, 20 * MS, 8 * MIB),
		TX(1, "a", 11 * MS, 20 * MS, 8 * MIB),
		GRAPH(2, "a", 0, 10 * MS),
		D2H(2, "a", 0, 2 * MS),
		TX(2, "a", 2 * MS, 3 * MS, 8 * MIB),
		GRAPH(1, "b", 0, 10 * MS),
		D2H(1, "b", 1 * MS, 1 * MS + 5), /* short: its own gap */
	};

	(void)state;
	for (size_t block = 1; block <= COUNT(rows); block++) {
		struct run x;

		run_it(&x, NULL, 1, rows, COUNT(rows), block);
		assert_int_equal(x.d.used, 4);
		SAME(run_at(&x, 0), "sends", 4);
		SAME(run_at(&x, 0), "bytes", 4 * 8 * MIB);
		assert_string_equal(
			na_text_of(na_get(coll(&x, 0, 0), "collective"), ""),
			"a");
		SAME(coll(&x, 0, 0), "executions", 3);
		SAME(coll(&x, 0, 0), "gap_p50_s", 0.004);
		SAME(coll(&x, 0, 0), "gap_max_s", 0.006);
		SAME(coll(&x, 0, 0), "gap_share",
		     (0.004 + 0.006 + 0.002) / (0.04 + 0.05 + 0.01));
		SAME(coll(&x, 0, 0), "large_sends", 0);
		SAME(coll(&x, 0, 1), "gap_max_s", 5e-12);
		assert_null(coll(&x, 0, 2));
		end(&x);
	}
}

/* A chunk's copy after another: a large send is serial behind the last. */
static void serial(void **state)
{
	static const struct hand_row rows[] = {
		GRAPH(1, "a", 0, 100 * MS),
		D2H(1, "a", 0, 5 * MS),
		D2H(1, "a", 5 * MS, 20 * MS),
		TX(1, "a", 19 * MS, 30 * MS, 32 * MIB),
		TX(1, "a", 20 * MS, 30 * MS, 32 * MIB),
		TX(1, "a", 20 * MS, 30 * MS, 32 * MIB - 1),
		TX(1, "a", 200 * MS, 300 * MS, 64 * MIB), /* nobody's */
	};
	struct run x;

	(void)state;
	run_it(&x, NULL, 1, rows, COUNT(rows), 3);
	SAME(coll(&x, 0, 0), "executions", 1);
	SAME(coll(&x, 0, 0), "gap_p50_s", 0.019);
	SAME(coll(&x, 0, 0), "large_sends", 2);
	SAME(coll(&x, 0, 0), "serial_sends", 1);
	SAME(coll(&x, 0, 0), "serial_bytes", 32 * MIB);
	SAME(coll(&x, 0, 0), "max_bytes", 32 * MIB);
	end(&x);
}

static void nothing_long(void **state)
{
	static const struct hand_row rows[] = {
		GRAPH(1, "a", 0, 100 * MS),
		D2H(1, "a", 0, MS - 1),
		TX(1, "a", 19 * MS, 30 * MS, 32 * MIB - 1),
	};
	struct run x;

	(void)state;
	run_it(&x, NULL, 1, rows, COUNT(rows), 3);
	assert_int_equal(x.d.used, 1);
	assert_null(coll(&x, 0, 0));
	end(&x);
	/* And no copies at all: nobody can say. */
	run_it(&x, NULL, 1, rows + 2, 1, 3);
	assert_int_equal(x.d.used, 0);
	assert_non_null(na_result_get_word(x.d.r, NA_WORD_EMPTY, NULL));
	end(&x);
}

static void runs_apart(void **state)
{
	static const char *const labels[] = {"old", "new"};
	struct hand_row rows[] = {
		GRAPH(1, "a", 0, 100 * MS),
		D2H(1, "a", 0, 20 * MS),
		TX(1, "a", 20 * MS, 30 * MS, 8 * MIB),
		GRAPH(1, "a", 0, 100 * MS),
		D2H(1, "a", 0, 30 * MS),
		TX(1, "a", 30 * MS, 40 * MS, 8 * MIB),
	};
	struct run x;

	(void)state;
	for (size_t i = 3; i < 6; i++)
		rows[i].source = 1;
	run_it(&x, labels, 2, rows, COUNT(rows), 2);
	SAME(coll(&x, 0, 0), "gap_p50_s", 0.02);
	SAME(coll(&x, 1, 0), "gap_p50_s", 0.03);
	SAME(coll(&x, 1, 0), "executions", 1);
	end(&x);
}

/* ---- the check */

struct limit {
	int64_t copy_ps, graph_ps;
	uint64_t large, small; /* bytes of two sends */
	const char *want;
};

static void limits(void **state)
{
	static const struct limit rows[] = {
		/* more than 10 ms in the median */
		{10 * MS, 100 * MS, 8 * MIB, 8 * MIB, "none"},
		{10 * MS + 1000, 100 * MS, 8 * MIB, 8 * MIB, "info"},
		/* 5 % of the executions' time */
		{11 * MS, 219 * MS, 8 * MIB, 8 * MIB, "info"},
		{11 * MS, 221 * MS, 8 * MIB, 8 * MIB, "none"},
		/* more than a tenth of the bytes in large sends */
		{5 * MS, 50 * MS, 32 * MIB, 287 * MIB, "info"},
		{5 * MS, 50 * MS, 32 * MIB, 289 * MIB, "none"},
		{5 * MS, 50 * MS, 32 * MIB - 1, 8, "none"},
		{5 * MS, 101 * MS, 32 * MIB, 8 * MIB, "none"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct limit *l = &rows[i];
		const struct hand_row events[] = {
			GRAPH(1, "a", 0, l->graph_ps),
			D2H(1, "a", 0, l->copy_ps),
			TX(1, "a", l->copy_ps, l->graph_ps, l->large),
			/* not behind its copy */
			GRAPH(2, "b", 0, l->graph_ps),
			D2H(2, "b", 0, 1 * MS),
			TX(2, "b", 1, l->graph_ps, l->small),
		};
		struct hand_case c;
		struct run x;

		run_it(&x, NULL, 1, events, COUNT(events), 2);
		hand_case_init(&c);
		hand_show(&c, "shards", x.d.r);
		hand_run(&c, "large-shards");
		if (strcmp(hand_severity(&c, 0), l->want) != 0)
			fail_msg("row %zu: %s, not %s", i, hand_severity(&c, 0),
				 l->want);
		assert_null(hand_missing(&c));
		assert_null(hand_finding(&c, 1));
		hand_case_fini(&c);
		end(&x);
	}
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps),
		cmocka_unit_test(serial),
		cmocka_unit_test(nothing_long),
		cmocka_unit_test(runs_apart),
		cmocka_unit_test(limits),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
