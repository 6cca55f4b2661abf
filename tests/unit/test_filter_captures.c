/*
 * Filters on what only captures tell: connections, packets, calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/hand_store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { A, B, C }; /* addresses, in order of appearance */
static const struct hand_row rows[] = {
	{.what = HAND_FRAME, .src_ip = "10.0.0.1", .dst_ip = "10.0.0.2"},
	{.what = HAND_FRAME, .src_ip = "fe80::3", .dst_ip = "fe80::3"},
};

struct filtered {
	struct hand h;
	struct na_bound_filter bound;
};

static void begin(struct filtered *x)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, 1, NULL);
	hand_fill(&x->h, rows, COUNT(rows), 1);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
}

static void apply(struct filtered *x)
{
	na_filter_unbind(&x->bound);
	assert_true(na_filter_bind(&x->bound, &x->h.filter, &x->h.store));
}

static void end(struct filtered *x)
{
	na_filter_unbind(&x->bound);
	hand_fini(&x->h);
}

static struct na_text_list one(const char **item)
{
	return (struct na_text_list){.items = item, .n = 1};
}

static void connections_by_either_end(void **state)
{
	const struct na_connection c = {.src = A, .dst = B, .to_ps = 10};
	const char *a = "10.0.0.1", *b = "10.0.0.2", *other = "fe80::*";
	const struct na_text_list la = one(&a), lb = one(&b);
	const struct na_text_list lo = one(&other);
	struct filtered x;

	(void)state;
	begin(&x);
	x.h.filter.src = &lb; /* the data flows back, too */
	apply(&x);
	assert_true(na_filter_connection(&x.bound, &c));
	x.h.filter.dst = &lb;
	apply(&x);
	assert_false(na_filter_connection(&x.bound, &c));
	x.h.filter.dst = &la;
	apply(&x);
	assert_true(na_filter_connection(&x.bound, &c));
	x.h.filter.src = x.h.filter.dst = NULL;
	x.h.filter.host = &lb;
	apply(&x);
	assert_true(na_filter_connection(&x.bound, &c));
	x.h.filter.host = &lo;
	apply(&x);
	assert_false(na_filter_connection(&x.bound, &c));
	end(&x);
}

static void connections_by_port(void **state)
{
	const struct na_connection c = {.src = A,
					.dst = B,
					.src_port = 40000,
					.dst_port = 80,
					.to_ps = 1};
	const struct na_connection v6 = {
		.src = C, .dst = C, .src_port = 5, .dst_port = 6, .to_ps = 1};
	const char *here = "10.0.0.1:40000", *other = "10.0.0.1:80";
	const char *port = "*:80", *six = "[fe80::3]:6";
	const struct na_text_list lh = one(&here), lo = one(&other);
	const struct na_text_list lp = one(&port), l6 = one(&six);
	struct filtered x;

	(void)state;
	begin(&x);
	x.h.filter.src = &lh;
	x.h.filter.dst = &lp;
	apply(&x);
	assert_true(na_filter_connection(&x.bound, &c));
	assert_false(na_filter_connection(&x.bound, &v6));
	x.h.filter.dst = &lo;
	apply(&x);
	assert_false(na_filter_connection(&x.bound, &c));
	x.h.filter.src = x.h.filter.dst = NULL;
	x.h.filter.host = &l6;
	apply(&x);
	assert_true(na_filter_connection(&x.bound, &v6));
	assert_false(na_filter_connection(&x.bound, &c));
	end(&x);
}

static void connections_that_meet_the_window(void **state)
{
	/* clang-format off */
	static const struct { int64_t from, to; bool clipped, whole; }
	cases[] = {
		{0, 5, false, false},  {0, 11, true, false},
		{12, 14, true, false}, {20, 30, true, false},
		{21, 30, false, false}, {10, 21, true, true},
		{10, 20, true, false}, {INT64_MIN, INT64_MAX, true, true},
	};
	/* clang-format on */
	struct na_connection c = {.src = A,
				  .dst = B,
				  .from_ps = 10,
				  .to_ps = 20};
	struct filtered x;

	(void)state;
	begin(&x);
	for (size_t i = 0; i < COUNT(cases); i++) {
		x.h.filter.from_ps = cases[i].from;
		x.h.filter.to_ps = cases[i].to;
		apply(&x);
		c.clipped = true; /* what is in it alone was counted */
		assert_int_equal(na_filter_connection(&x.bound, &c),
				 cases[i].clipped);
		c.clipped = false;
		assert_int_equal(na_filter_connection(&x.bound, &c),
				 cases[i].whole);
	}
	end(&x);
}

static void packets_have_sides(void **state)
{
	const struct na_wire_packet w = {.src = A, .dst = B, .time_ps = 7};
	const struct na_wire_packet self = {.src = C, .dst = C, .time_ps = 7};
	const unsigned rx = NA_SIDE_BIT(NA_RX), tx = NA_SIDE_BIT(NA_TX);
	const char *a = "10.0.0.1", *ten = "10.*", *c = "fe80::3";
	const struct na_text_list la = one(&a), lt = one(&ten), lc = one(&c);
	struct filtered x;

	(void)state;
	begin(&x);
	apply(&x);
	assert_int_equal(na_filter_packet(&x.bound, &w), rx);
	x.h.filter.side = NA_TX;
	apply(&x);
	assert_int_equal(na_filter_packet(&x.bound, &w), tx);
	x.h.filter.side = -1;
	x.h.filter.host = &la;
	apply(&x);
	assert_int_equal(na_filter_packet(&x.bound, &w), tx);
	x.h.filter.host = &lt;
	apply(&x);
	assert_int_equal(na_filter_packet(&x.bound, &w), rx | tx);
	assert_int_equal(na_filter_packet(&x.bound, &self), 0);
	x.h.filter.host = &lc;
	apply(&x);
	assert_int_equal(na_filter_packet(&x.bound, &self), rx | tx);
	x.h.filter.from_ps = 8;
	apply(&x);
	assert_int_equal(na_filter_packet(&x.bound, &self), 0);
	end(&x);
}

static void calls_by_their_end(void **state)
{
	struct na_call c = {.src = A,
			    .dst = B,
			    .start_ps = 10,
			    .end_ps = 20,
			    .bytes_req = UINT64_MAX,
			    .bytes_resp = 1,
			    .method = NA_UNKNOWN_U32};
	struct filtered x;

	(void)state;
	begin(&x);
	x.h.filter.from_ps = 15;
	x.h.filter.min_bytes = 1000;
	apply(&x);
	assert_true(na_filter_call(&x.bound, &c));
	c.end_ps = NA_UNKNOWN_PS; /* no answer: by its start */
	assert_false(na_filter_call(&x.bound, &c));
	c.start_ps = 15;
	assert_true(na_filter_call(&x.bound, &c));
	x.h.filter.components = NA_COMP_BIT(NA_COMP_NETWORK);
	assert_false(na_filter_call(&x.bound, &c));
	end(&x);
}

/* A transfer of a trace, a call of a capture: of one run or of two. */
static void traces_and_captures(void **state)
{
	static const struct hand_row both[] = {
		{.what = HAND_RX, .source = 0, .end_ps = 10, .src = 0,
		 .dst = 100},
		{.what = HAND_CALL, .source = 1, .end_ps = 10,
		 .src_ip = "10.0.0.1", .dst_ip = "10.0.0.2", .name = "m"},
	};
	static const char *const apart[] = {"x", "y"};
	static const struct {
		const char *const *labels;
		bool traces_first, captures_alone;
		uint32_t components; /* 0: as they are */
		unsigned passes;     /* bit of each source */
	} cases[] = {
		{NULL, false, false, 0, 3},
		{NULL, true, false, 0, 1},
		{NULL, true, true, 0, 2},
		{NULL, true, false, NA_COMP_BIT(NA_COMP_RPC), 2},
		/* Each is a run of its own: none is mixed. */
		{apart, true, false, 0, 3},
		{apart, true, true, 0, 3},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct filtered x = {.bound = {NULL}};
		unsigned passed = 0;

		hand_init(&x.h, 2, cases[i].labels);
		x.h.sources[1].capture = true;
		hand_fill(&x.h, both, COUNT(both), 1);
		hand_resolve(&x.h, NA_ANCHOR_AUTO);
		x.h.filter.traces_first = cases[i].traces_first;
		x.h.filter.captures_alone = cases[i].captures_alone;
		if (cases[i].components)
			x.h.filter.components = cases[i].components;
		apply(&x);
		na_each_record (const struct na_packed_transfer, p,
				&x.h.store.transfers) {
			struct na_transfer t = na_unpack_transfer(p);

			if (na_filter_transfer(&x.bound, &t) == NA_KEEP)
				passed |= 1U << t.input;
		}
		assert_int_equal(passed, cases[i].passes);
		end(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_by_either_end),
		cmocka_unit_test(connections_by_port),
		cmocka_unit_test(connections_that_meet_the_window),
		cmocka_unit_test(packets_have_sides),
		cmocka_unit_test(calls_by_their_end),
		cmocka_unit_test(traces_and_captures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
