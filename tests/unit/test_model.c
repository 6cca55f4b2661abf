/*
 * Names, chunk lists, parts, and what only the whole store can tell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "netan/model/group.h"
#include "tests/unit/hand_store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define US       INT64_C(1000000)

/* ---- names, chunk lists */

static void names_merge_in_order(void **state)
{
	static const char *const words[] = {"x", "y", "x", "", "longer name"};
	struct na_names one, two;
	uint32_t *maps[2];

	(void)state;
	memset(&one, 0, sizeof(one));
	memset(&two, 0, sizeof(two));
	na_strtab_add(&one.strings, "y", 1);
	na_names_endpoint(&one, 3, 4);
	for (size_t i = 0; i < 5; i++)
		na_strtab_add(&two.strings, words[i], strlen(words[i]));
	/* Bytes of any kind, with a NUL inside. */
	na_strtab_add(&two.strings, "a\0b", 3);
	na_names_endpoint(&two, 0, 0);
	na_names_endpoint(&two, 3, 4);
	assert_true(na_names_merge(&one, &two, maps));
	assert_int_equal(two.strings.n, 5);
	assert_int_equal(maps[0][0], 1); /* x: new */
	assert_int_equal(maps[0][1], 0); /* y: was there */
	assert_int_equal(maps[0][2], 2); /* "" */
	assert_int_equal(maps[0][4], 4);
	assert_int_equal(one.strings.names[4].len, 3);
	assert_memory_equal(one.strings.names[4].s, "a\0b", 4);
	assert_int_equal(maps[1][0], 1);
	assert_int_equal(maps[1][1], 0);
	free(maps[0]);
	free(maps[1]);
	na_names_fini(&one);
	na_names_fini(&two);
}

static void many_endpoints(void **state)
{
	struct na_names t;
	char buf[NA_ENDPOINT_BUF];

	(void)state;
	memset(&t, 0, sizeof(t));
	for (int round = 0; round < 2; round++) {
		for (int32_t i = 0; i < 5000; i++)
			assert_int_equal(na_names_endpoint(&t, i % 70,
							   INT32_MAX - i / 70),
					 (uint32_t)i);
	}
	assert_string_equal(na_endpoint_print(buf, &t, &t.endpoints[71]),
			    "s1d2147483646");
	na_names_fini(&t);
}

static void bags_join(void **state)
{
	struct na_pool pool;
	struct na_chunk_list a, b;
	uint64_t next = 0;

	(void)state;
	na_pool_init(&pool);
	na_chunks_init(&a, &pool, sizeof(uint64_t[3]));
	na_chunks_init(&b, &pool, sizeof(uint64_t[3]));
	na_chunks_splice(&a, &b); /* nothing to nothing */
	assert_int_equal(a.n, 0);
	for (uint64_t i = 0; i < 30000; i++) {
		struct na_chunk_list *to = i < 10000 || i >= 20000 ? &a : &b;
		uint64_t *x;

		if (i == 20000)
			na_chunks_splice(&a, &b);
		x = na_chunks_push(to);
		assert_non_null(x);
		x[0] = x[1] = x[2] = i;
	}
	assert_int_equal(a.n, 30000);
	assert_int_equal(b.n, 0);
	assert_null(b.first);
	for (struct na_chunk *c = a.first; c; c = c->next) {
		const uint64_t *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++, next++)
			assert_true(x[3 * i] == next && x[3 * i + 2] == next);
	}
	assert_int_equal(next, 30000);
	na_pool_fini(&pool);
}

/* ---- stores */

static size_t records(const struct na_store *s, struct na_transfer *out,
		      size_t max)
{
	size_t n = 0;

	for (struct na_chunk *c = s->transfers.first; c; c = c->next) {
		const struct na_packed_transfer *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			assert_true(n < max);
			out[n++] = na_unpack_transfer(&x[i]);
		}
	}
	assert_int_equal(n, s->transfers.n);
	return n;
}

static const char *host_name(const struct hand *h, uint32_t run, int id)
{
	const struct na_store *s = &h->store;

	for (uint32_t e = 0; e < s->names.n_endpoints; e++) {
		if (s->names.endpoints[e].slice == id / 100 &&
		    s->names.endpoints[e].device == id % 100)
			return s->hosts[na_store_host_of(s, run, e)].name;
	}
	return "none";
}

/* Parts of one row or of many: the same indices, the same order. */
static void parts_merge_in_order(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 1, 9, 10, 101, 1, .name = "ar.1" },
		{ HAND_RX, 0, 2, 8, 20, 102, 2, .name = "ag.2" },
		{ HAND_RX, 0, 3, 7, 30, 101, 2, .name = "ar.1" },
		{ HAND_TX, 1, 1, 9, 40, 101, 1, .name = "rs.3" },
		{ HAND_RX, 1, 4, 6, 50, 1, 101, .name = "ag.2" },
	};
	/* clang-format on */
	struct na_transfer all[2][8];
	struct hand h;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		hand_init(&h, 2, NULL);
		hand_fill(&h, rows, COUNT(rows), k ? 100 : 1);
		hand_resolve(&h, NA_ANCHOR_AUTO);
		assert_int_equal(records(&h.store, all[k], 8), COUNT(rows));
		assert_int_equal(h.store.names.strings.n, 3);
		assert_int_equal(h.store.names.n_endpoints, 4);
		assert_string_equal(na_strtab_at(&h.store.names.strings,
						 all[k][3].collective),
				    "rs.3");
		assert_int_equal(all[k][3].input, 1);
		assert_int_equal(na_store_count(&h.store, SIZE_MAX, NA_RX,
						NA_VALID),
				 4);
		assert_int_equal(na_store_count(&h.store, 1, NA_TX, NA_VALID),
				 1);
		assert_int_equal(h.store.tallies[0].seen.first_ps, 1);
		assert_int_equal(h.store.tallies[1].seen.last_ps, 9);
		hand_fini(&h);
	}
	for (size_t i = 0; i < COUNT(rows); i++)
		hand_same_transfer(&all[0][i], &all[1][i]);
}

static void hosts_of_devices(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 1, 9, 10, 101, 1, .name = "x" },
		{ HAND_GRAPH, 0, 1, 9, 10, 2, 0, .name = "x" },
		{ HAND_RX, 1, 1, 9, 10, 205, 101, .name = "x" },
		/* Received by a host that does not own the sender. */
		{ HAND_RX, 1, 1, 9, 10, 2, 101, .name = "x" },
		{ HAND_RX, 0, 1, 9, 10, 1, 1, .name = "x",
		  .klass = NA_LOOPBACK },
	};
	/* clang-format on */
	struct hand h;

	(void)state;
	hand_init(&h, 2, NULL);
	hand_fill(&h, rows, 2, 9);
	hand_fill(&h, rows + 2, 3, 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_string_equal(host_name(&h, 0, 1), "a");
	assert_string_equal(host_name(&h, 0, 2), "a");
	assert_string_equal(host_name(&h, 0, 101), "b");
	/* A device without a file is a host of its own. */
	assert_string_equal(host_name(&h, 0, 205), "s2d5");
	assert_int_equal(h.store.n_hosts, 3);
	assert_true(h.store.hosts[1].recorded && !h.store.hosts[2].recorded);
	/* Loopback is counted, and not kept unless asked for. */
	assert_int_equal(h.store.transfers.n, 3);
	assert_int_equal(na_store_count(&h.store, 0, NA_RX, NA_LOOPBACK), 1);
	assert_int_equal(na_store_left_out(&h.store, 0, -1, NA_LEFT_LOOPBACK),
			 1);
	hand_fini(&h);
}

/* The same device in two runs belongs to each run's own host. */
static void runs_apart(void **state)
{
	static const char *const labels[] = {"old", "new", "old"};
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 1, 9, 10, 101, 1, .name = "x" },
		{ HAND_RX, 1, 1, 9, 10, 101, 1, .name = "x" },
		{ HAND_RX, 2, 1, 9, 10, 1, 101, .name = "x" },
	};
	/* clang-format on */
	struct hand h;

	(void)state;
	hand_init(&h, 3, labels);
	hand_fill(&h, rows, 3, 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.n_runs, 2);
	assert_string_equal(host_name(&h, 0, 1), "a");
	assert_string_equal(host_name(&h, 1, 1), "b");
	assert_string_equal(host_name(&h, 0, 101), "c");
	assert_string_equal(host_name(&h, 1, 101), "s1d1");
	hand_fini(&h);
}

/* ---- old messages */

#define OLD(what, at, latency, event) \
	{ \
		what, 0, (at) - (latency), at, 8, 101, 1, \
			.name = "x", .style = NA_STYLE_MESSAGE, \
			.action_ps = event \
	}

static void anchor_by_vote(void **state)
{
	static const struct {
		int64_t event[3];
		enum na_anchor asked, want;
	} rows[] = {
		{{0, 0, 0}, NA_ANCHOR_AUTO, NA_ANCHOR_END},
		{{50, 50, 51}, NA_ANCHOR_AUTO, NA_ANCHOR_START},
		{{50, 50, 0}, NA_ANCHOR_AUTO, NA_ANCHOR_START},
		{{50, 0, 1}, NA_ANCHOR_AUTO, NA_ANCHOR_END},
		{{500, 500, 500}, NA_ANCHOR_AUTO, NA_ANCHOR_END},
		{{50, 50, 50}, NA_ANCHOR_END, NA_ANCHOR_END},
		{{0, 0, 0}, NA_ANCHOR_START, NA_ANCHOR_START},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_transfer t[3];
		struct hand h;

		hand_init(&h, 1, NULL);
		for (int k = 0; k < 3; k++) {
			struct hand_row r = OLD(HAND_RX, 1000 * US, 50 * US,
						rows[i].event[k] * US);

			hand_fill(&h, &r, 1, 1);
		}
		hand_resolve(&h, rows[i].asked);
		assert_int_equal(h.store.anchor, rows[i].want);
		assert_true(h.store.anchor_mattered);
		assert_int_equal(records(&h.store, t, 3), 3);
		for (int k = 0; k < 3; k++) {
			int64_t start = rows[i].want == NA_ANCHOR_START
						? 1000 * US
						: 950 * US;

			assert_int_equal(t[k].start_ps, start);
			assert_int_equal(t[k].end_ps, start + 50 * US);
		}
		assert_int_equal(h.store.tallies[0].seen.last_ps, t[0].end_ps);
		hand_fini(&h);
	}
}

/* Both generations in one file tell of the same transfers: only there the
 * newer one counts. */
static void doubled_generations(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, 1, 9, 10, 101, 1, .name = "x" },
		{ HAND_RX, 0, 1, 900, 10, 101, 1, .name = "x",
		  .style = NA_STYLE_MESSAGE },
		{ HAND_RX, 0, 1, 900, 10, 101, 1, .name = "x",
		  .style = NA_STYLE_MESSAGE },
		{ HAND_RX, 1, 1, 9, 10, 1, 101, .name = "x",
		  .style = NA_STYLE_MESSAGE },
	};
	/* clang-format on */
	struct hand h;

	(void)state;
	hand_init(&h, 2, NULL);
	hand_fill(&h, rows, COUNT(rows), 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.doubled, 2);
	assert_int_equal(h.store.transfers.n, 2);
	assert_int_equal(na_store_count(&h.store, 0, NA_RX, NA_VALID), 1);
	assert_int_equal(na_store_count(&h.store, 1, NA_RX, NA_VALID), 1);
	assert_int_equal(h.store.tallies[0].seen.last_ps, 9);
	hand_fini(&h);
}

/* Even a newer record that is of no use says which generation it is. */
static void doubled_by_a_bad_key(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_RX, 0, .klass = HAND_BAD_KEY },
		{ HAND_RX, 0, 1, 900, 10, 101, 1, .name = "x",
		  .style = NA_STYLE_MESSAGE },
	};
	/* clang-format on */
	struct hand h;

	(void)state;
	hand_init(&h, 1, NULL);
	hand_fill(&h, rows, COUNT(rows), 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.transfers.n, 0);
	assert_int_equal(na_store_left_out(&h.store, 0, -1, NA_LEFT_BAD_KEY),
			 1);
	hand_fini(&h);
}

/* An old send enters the timeline only if it carries a duration. */
static void old_sends(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{ HAND_TX, 0, 5, 5, 10, 1, 101, .name = "x",
		  .style = NA_STYLE_MESSAGE, .klass = NA_NO_LATENCY },
		{ HAND_TX, 0, 1, 5, 10, 1, 101, .name = "x",
		  .style = NA_STYLE_MESSAGE },
		{ HAND_RX, 0, 5, 5, 10, 101, 1, .name = "x",
		  .style = NA_STYLE_MESSAGE, .klass = NA_NO_LATENCY },
	};
	/* clang-format on */
	struct hand h;

	(void)state;
	hand_init(&h, 1, NULL);
	hand_fill(&h, rows, COUNT(rows), 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.transfers.n, 2);
	assert_int_equal(na_store_count(&h.store, 0, NA_TX, NA_NO_LATENCY), 1);
	hand_fini(&h);
}

/* ---- steps */

static void steps_of_transfers(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		/* Plane 3 is that of device 1, the smaller one; plane 5 that
		 * of device 2. */
		{ HAND_STEP, 0, 0, 100, .src = 3, .number = 7 },
		{ HAND_STEP, 0, 100, 200, .src = 3, .number = 8 },
		{ HAND_STEP, 0, 50, 150, .src = 5, .number = 7 },
		{ HAND_STEP, 0, 150, 250, .src = 5, .number = 8 },
		{ HAND_STEP, 0, 0, 999, .src = 5, .number = -1 },
		{ HAND_RX, 0, 0, 99, 1, 201, 1, .name = "x" },
		{ HAND_RX, 0, 0, 100, 1, 201, 1, .name = "x" },
		{ HAND_RX, 0, 0, 199, 1, 201, 1, .name = "x" },
		{ HAND_RX, 0, 0, 200, 1, 201, 1, .name = "x" },
		{ HAND_RX, 0, -5, -1, 1, 201, 1, .name = "x" },
		{ HAND_RX, 0, 0, 120, 1, 201, 2, .name = "x" },
		{ HAND_TX, 0, 0, 150, 1, 2, 201, .name = "x" },
	};
	/* clang-format on */
	static const int64_t want[] = {7, 8, 8, -1, -1, 7, 8};
	struct na_transfer t[8];
	struct hand h;

	(void)state;
	hand_init(&h, 1, NULL);
	hand_fill(&h, rows, COUNT(rows), 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.n_steps, 2);
	assert_int_equal(h.store.steps[0].number, 7);
	assert_int_equal(h.store.steps[0].start_ps, 0);
	assert_int_equal(h.store.steps[0].end_ps, 150);
	assert_int_equal(h.store.steps[1].start_ps, 100);
	assert_int_equal(h.store.steps[1].end_ps, 250);
	assert_int_equal(records(&h.store, t, 8), COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		int64_t step = t[i].step == NA_UNKNOWN_U32
				       ? -1
				       : h.store.steps[t[i].step].number;

		if (step != want[i])
			fail_msg("row %zu: step %lld", i, (long long)step);
	}
	hand_fini(&h);
}

/* What is counted under its class or belongs to the other side is not
 * counted as filtered. */
static void left_out_once(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{.what = HAND_RX, .start_ps = 10, .end_ps = 20, .src = 1,
		 .dst = 101, .name = "a", .size = 5},
		{.what = HAND_RX, .start_ps = 20, .end_ps = 20, .src = 1,
		 .dst = 101, .name = "a", .klass = NA_CLOCK_SKEW, .size = 99},
		{.what = HAND_RX, .start_ps = 20, .end_ps = 20, .src = 1,
		 .dst = 101, .name = "a", .klass = NA_NO_LATENCY},
		{.what = HAND_RX, .start_ps = 10, .end_ps = 20, .src = 1,
		 .dst = 101, .name = "a", .size = 99},
		{.what = HAND_TX, .start_ps = 10, .end_ps = 20, .src = 101,
		 .dst = 1, .name = "a", .size = 5},
	};
	/* clang-format on */
	struct hand h;

	(void)state;
	hand_init(&h, 1, NULL);
	h.filter.instants = false;
	h.filter.side = NA_RX;
	h.filter.max_bytes = 50;
	hand_fill(&h, rows, COUNT(rows), 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.transfers.n, 1);
	assert_int_equal(na_store_left_out(&h.store, 0, NA_RX,
					   NA_LEFT_CLOCK_SKEW),
			 1);
	assert_int_equal(na_store_left_out(&h.store, 0, NA_RX,
					   NA_LEFT_NO_LATENCY),
			 1);
	assert_int_equal(na_store_left_out(&h.store, 0, NA_RX,
					   NA_LEFT_FILTERED),
			 1);
	assert_int_equal(na_store_left_out(&h.store, 0, -1, NA_LEFT_FILTERED),
			 2);
	hand_fini(&h);
}

/* Actions are kept where a component asks for them. */
static void actions_of_components(void **state)
{
	/* clang-format off */
	static const struct hand_row rows[] = {
		{.what = HAND_STEP, .start_ps = 0, .end_ps = 100, .number = 7},
		{.what = HAND_RX, .start_ps = 10, .end_ps = 20, .src = 1,
		 .dst = 101, .name = "a", .size = 5},
		{.what = HAND_GRAPH, .start_ps = 10, .end_ps = 20, .src = 101,
		 .name = "a"},
		{.what = HAND_ACTION, .start_ps = 10, .end_ps = 20, .src = 101,
		 .name = "a", .size = 8, .number = NA_ACT_D2H},
		{.what = HAND_ACTION, .start_ps = 10, .end_ps = 20, .src = 101,
		 .name = "a", .number = NA_ACT_H2D},
		{.what = HAND_ACTION, .start_ps = 10, .end_ps = 20, .src = 101,
		 .name = "a", .number = NA_ACT_COPY},
	};
	/* clang-format on */
	const struct na_grouping by = {{NA_KEY_COMPONENT, NA_KEY_PAIR,
					NA_KEY_STEP, NA_KEY_CLASS},
				       4};
	struct na_exec e;
	uint64_t values[NA_MAX_KEYS];
	char buf[NA_KEY_BUF];
	struct na_bound_filter bound;
	struct hand h;

	(void)state;
	hand_init(&h, 1, NULL);
	h.filter.components = NA_COMP_BIT(NA_COMP_D2H);
	hand_fill(&h, rows, COUNT(rows), 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.graphs.n, 1);
	assert_int_equal(h.store.actions.n, 1);
	e = na_unpack_exec((const void *)h.store.actions.first->data);
	assert_int_equal(e.kind, NA_ACT_D2H);
	na_group_of_exec(&by, &h.store, &e, values);
	assert_string_equal(na_key_text(&h.store, by.keys[0], values[0], buf),
			    "d2h");
	assert_string_equal(na_key_text(&h.store, by.keys[1], values[1], buf),
			    "unknown");
	assert_string_equal(na_key_text(&h.store, by.keys[2], values[2], buf),
			    "7");
	assert_string_equal(na_key_text(&h.store, by.keys[3], values[3], buf),
			    "unknown");
	assert_true(na_filter_bind(&bound, &h.filter, &h.store));
	assert_true(na_filter_exec(&bound, &e));
	h.filter.min_bytes = 9;
	assert_false(na_filter_exec(&bound, &e));
	na_filter_unbind(&bound);
	hand_fini(&h);
}

/* The class of a path comes from the topology, else from the trace. */
static void classes_of_paths(void **state)
{
	static const struct hand_row row = {.what = HAND_RX,
					    .start_ps = 10,
					    .end_ps = 20,
					    .src = 1,
					    .dst = 101,
					    .name = "a"};
	static const char text[] = "host,rack\na,r1\ns0d1,r2\n";
	const struct na_grouping by = {{NA_KEY_CLASS}, 1};
	struct na_transfer t0;
	uint64_t values[NA_MAX_KEYS];
	char buf[NA_KEY_BUF];
	struct na_topology t;
	struct hand h;

	(void)state;
	hand_init(&h, 1, NULL);
	hand_fill(&h, &row, 1, 9);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(na_topology_parse(&t, text, sizeof(text) - 1, "t",
					   &h.err),
			 NA_OK);
	assert_int_equal(na_store_place(&h.store, &t, &h.err), NA_OK);
	t0 = na_unpack_transfer((const void *)h.store.transfers.first->data);
	na_group_of(&by, &h.store, &t0, values);
	assert_string_equal(na_key_text(&h.store, NA_KEY_CLASS, values[0], buf),
			    "cross_rack");
	assert_int_not_equal(na_store_rack(&h.store, 0),
			     na_store_rack(&h.store, 1));
	na_topology_fini(&t);
	hand_fini(&h);
}

static void nothing_at_all(void **state)
{
	struct hand h;

	(void)state;
	hand_init(&h, 1, NULL);
	hand_resolve(&h, NA_ANCHOR_AUTO);
	assert_int_equal(h.store.n_hosts, 1);
	assert_int_equal(h.store.n_steps, 0);
	assert_false(h.store.anchor_mattered);
	hand_fini(&h);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_merge_in_order),
		cmocka_unit_test(many_endpoints),
		cmocka_unit_test(bags_join),
		cmocka_unit_test(parts_merge_in_order),
		cmocka_unit_test(hosts_of_devices),
		cmocka_unit_test(runs_apart),
		cmocka_unit_test(anchor_by_vote),
		cmocka_unit_test(doubled_generations),
		cmocka_unit_test(doubled_by_a_bad_key),
		cmocka_unit_test(old_sends),
		cmocka_unit_test(steps_of_transfers),
		cmocka_unit_test(left_out_once),
		cmocka_unit_test(actions_of_components),
		cmocka_unit_test(classes_of_paths),
		cmocka_unit_test(nothing_at_all),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
