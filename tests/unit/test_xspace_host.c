/*
 * The XSpace reader on host messages, device planes and clocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/wire_out.h"
#include "tests/unit/little_trace.h"
#include "tests/unit/reading.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NS       INT64_C(1000)
#define RECEIVE  "MegaScale: Communication Transport Receive"
#define SEND     "MegaScale: Communication Transport Send"

static void read_little(struct reading *r, const struct little_trace *t)
{
	size_t n;
	uint8_t *p = little_bytes(t, &n);

	read_bytes(r, p, n, ALL_RECORDS);
	free(p);
}

static void expect(struct reading *r, const char *want, size_t row)
{
	if (r->status != NA_OK)
		fail_msg("row %zu: %s", row, r->err.text);
	if (strcmp(r->text, want) != 0)
		fail_msg("row %zu:\n got %swant %s", row, r->text, want);
}

struct row {
	const char *want;
	struct little_event event;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct little_trace t = {.plane = "/host:CPU",
					 .events = &rows[i].event,
					 .n = 1};
		struct reading r;

		read_little(&r, &t);
		expect(&r, rows[i].want, i);
		reading_end(&r);
	}
}

/* ---- messages: the value examples of 4.4 and the classes in order */

#define LABEL(v) \
	{ \
		"dcn_label", v \
	}
#define ENDS(a, b, c, d) \
	{"dcn_source_slice_id", a}, {"dcn_source_per_slice_device_id", b}, \
		{"dcn_destination_slice_id", c}, \
	{ \
		"dcn_destination_per_slice_device_id", d \
	}
#define SIZE(v) \
	{ \
		"payload_size_bytes", v \
	}
#define TOOK(v) \
	{ \
		"duration_us", v \
	}

static void message_values(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{ "T rx message valid 50000000 100000000 act 0 32768 "
		  "s2d3->s1d3 all-reduce.273_312 - l- i24 c1 v-1\n",
		  { RECEIVE, 100000 * NS, 0,
		    { LABEL("r:all-reduce.273_312"),
		      ENDS("i:2", "i:3", "i:1", "i:3"), SIZE("i:32768"),
		      TOOK("i:50"), { "dcn_chunk", "i:1" },
		      { "dcn_loop_index", "i:24" } } } },
		{ "T rx message valid 125000000 175000000 act 0 1 "
		  "s112d1->s34d2 super-collective.1234 - l- i- c4 v-1\n",
		  { RECEIVE, 175000 * NS, 0,
		    { LABEL("s:super-collective.1234"),
		      ENDS("u:112", "u:1", "u:34", "u:2"), SIZE("u:1"),
		      TOOK("u:50"), { "dcn_chunk", "s:4" },
		      { "dcn_loop_index", "i:-1" } } } },
		{ "T rx message valid 75000000 150000000 act 0 10 "
		  "s9d3->s0d0 super-collective - l- i- c- v-1\n",
		  { RECEIVE, 150000 * NS, 0,
		    { LABEL("s:super-collective"),
		      ENDS("i:9", "i:3", "i:0", "i:0"), SIZE("i:10"),
		      TOOK("i:75") } } },
		{ "T rx message loopback 4000000000 5000000000 act 0 1000 "
		  "s2d3->s2d1 ar - l- i- c- v-1\n",
		  { RECEIVE, 5000000 * NS, 0,
		    { LABEL("s:ar"), ENDS("i:2", "i:3", "i:2", "i:1"),
		      SIZE("i:1000"), TOOK("i:1000") } } },
		{ "T rx message clock_skew 20000000 20000000 act 0 9 "
		  "s2d3->s1d1 ar - l- i- c- v-1\n",
		  { RECEIVE, 20000 * NS, 0,
		    { LABEL("s:ar"), ENDS("i:2", "i:3", "i:1", "i:1"),
		      SIZE("i:9"), TOOK("i:0") } } },
		{ "C rx message bad_key 1\n",
		  { RECEIVE, 50000 * NS, 0, { SIZE("i:100"), TOOK("i:10") } } },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows));
}

static void message_classes(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{ "C rx message bad_key 1\n",
		  { RECEIVE, 0, 0, { LABEL("s:"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:1", "i:1"), TOOK("i:1") } } },
		{ "C rx message bad_key 1\n",
		  { RECEIVE, 0, 0, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:-1", "i:1", "i:1"), TOOK("i:1") } } },
		{ "C rx message bad_key 1\n",
		  { RECEIVE, 0, 0, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "s:-1", "i:1"), TOOK("i:0") } } },
		/* No size: the reference lets it pass, netan does not. */
		{ "C rx message bad_key 1\n",
		  { RECEIVE, 0, 0, { LABEL("s:x"),
		    ENDS("i:2", "i:3", "i:1", "i:1"), TOOK("i:1") } } },
		{ "T rx message no_latency 0 0 act 0 1 s2d3->s2d1 x - l- i- "
		  "c- v-1\n",
		  { RECEIVE, 0, 0, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:2", "i:1") } } },
		{ "T rx message clock_skew 0 0 act 0 1 s2d3->s2d1 x - l- i- "
		  "c- v-1\n",
		  { RECEIVE, 0, 0, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:2", "i:1"), TOOK("i:0") } } },
		{ "C rx message bad_duration 1\n",
		  { RECEIVE, 0, 0, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:1", "i:1"), TOOK("i:-7") } } },
		{ "C tx message bad_duration 1\n",
		  { SEND, 0, -4, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:1", "i:1"), TOOK("i:7") } } },
		{ "T tx message valid -7000000 0 act 0 1 s2d3->s1d1 x - l- "
		  "i- c- v-1\n",
		  { SEND, 0, 0, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:1", "i:1"), TOOK("i:7") } } },
		{ "T tx message no_latency 0 0 act 0 1 s2d3->s1d1 x - l- i- "
		  "c- v-1\n",
		  { SEND, 0, 0, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:1", "i:1") } } },
		/* An event that spans its transfer keeps its own duration. */
		{ "T rx message valid -7000000 0 act 7000000 1 s2d3->s1d1 x "
		  "- l- i- c- v-1\n",
		  { RECEIVE, 0, 7000000, { LABEL("s:x"), SIZE("i:1"),
		    ENDS("i:2", "i:3", "i:1", "i:1"), TOOK("i:7") } } },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows));
}

static void message_names(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{ "A copy message 0 5 size 0 - - - l- i- Megascale: Memory "
		  "Copy @line\n", { "Megascale: Memory Copy", 0, 5,
				    { { NULL, NULL } } } },
		{ "A copy message 0 5 size 9 - x - l- i- MEGASCALE: memory "
		  "copy (host) @line\n",
		  { "MEGASCALE: memory copy (host)", 0, 5,
		    { LABEL("s:x"), { "buffer_size", "u:9" } } } },
		{ "A registration message 0 5 size 0 - - - l- i- "
		  "tpu::MapDmaBuffer @line\n",
		  { "tpu::MapDmaBuffer", 0, 5, { { NULL, NULL } } } },
		{ "A registration message 0 5 size 67100000 - - - l- i- "
		  "MapDmaBuffer @line\n",
		  { "MapDmaBuffer", 0, 5, { { "size", "r:67.1MB" } } } },
		{ "A registration message 0 5 size 7 - - - l- i- "
		  "MapDmaBuffer @line\n",
		  { "MapDmaBuffer", 0, 5,
		    { { "size", "s:99999999999999999999EiB" },
		      { "buffer_size", "i:-1" }, SIZE("i:7") } } },
		{ "L bad_duration 1\n",
		  { "MapDmaBuffer", 0, -5, { { NULL, NULL } } } },
		{ "U MegaScale: Communication Transport Recv\n"
		  "L unknown_name 1\n",
		  { "MegaScale: Communication Transport Recv", 0, 5,
		    { { NULL, NULL } } } },
		{ "", { "MegaScale: Barrier.", 0, 5, { { NULL, NULL } } } },
		{ "", { "ThreadpoolListener::Record", 0, 5,
			{ { NULL, NULL } } } },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows));
}

/* ---- device planes */

static void device_rows(void **state)
{
	static const struct {
		const char *plane, *line, *want;
		struct little_event event;
	} rows[] = {
		{"/device:TPU:3",
		 "Steps",
		 "S step 0 9 12 plane 3 \"12\"\n",
		 {"12", 0, 9, {{"step_num", "i:77"}}}},
		{"/device:TPU:0",
		 "Steps",
		 "S step 0 9 77 plane 0 \"train\"\n",
		 {"train", 0, 9, {{"step_num", "u:77"}}}},
		{"/device:TPU:0",
		 "Steps",
		 "S step 0 9 41 plane 0 \"train_41 \"\n",
		 {"train_41 ", 0, 9, {{NULL, NULL}}}},
		{"/device:TPU:0",
		 "Steps",
		 "S step 0 9 -1 plane 0 \"warm\"\n",
		 {"warm", 0, 9, {{NULL, NULL}}}},
		{"/device:TPU:0",
		 "XLA Modules",
		 "S module 0 9 5 plane 0 \"jit_f(3)\"\n",
		 {"jit_f(3)", 0, 9, {{"run_id", "u:5"}}}},
		{"/device:TPU:0",
		 "XLA Ops",
		 "",
		 {"send.5", 0, 9, {{NULL, NULL}}}},
		{"/device:TPU:0 SparseCore 1",
		 "Steps",
		 "",
		 {"12", 0, 9, {{NULL, NULL}}}},
		{"/device:GPU:2",
		 "Stream #14(Compute)",
		 "A kernel graph 0 9 size 0 - - ALL_REDUCE l- i- "
		 "ncclDevKernel_AllReduce_Sum_bf16_RING_LL\n",
		 {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
		  0,
		  9,
		  {{NULL, NULL}}}},
		{"/device:GPU:2",
		 "Stream #14(Compute)",
		 "",
		 {"fusion_3", 0, 9, {{NULL, NULL}}}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct little_trace t = {.plane = rows[i].plane,
					 .line = rows[i].line,
					 .events = &rows[i].event,
					 .n = 1};
		struct reading r;

		read_little(&r, &t);
		expect(&r, rows[i].want, i);
		reading_end(&r);
	}
}

/* ---- clocks */

static void clocks(void **state)
{
	static const struct little_event event = {"DeviceToHost END",
						  5,
						  0,
						  {{NULL, NULL}}};
	static const struct {
		int64_t line_ns, wall_ns, first_ns;
		bool has_wall;
	} rows[] = {
		{1000, 0, 1000, false},
		{0, 0, 0, false},
		{-1000, 0, -1000, false},
		{1000, INT64_C(1790000000000000000),
		 INT64_C(1790000000000001000), true},
		/* Nanoseconds since 1970 in the line: no time to overflow. */
		{INT64_C(1790000000000000000), 0, INT64_C(1790000000000000000),
		 true},
		{INT64_C(1790000000000000007), INT64_C(1790000000000000000),
		 INT64_C(1790000000000000007), true},
		{INT64_MAX, 0, INT64_MAX, true},
		{INT64_MIN, 0, INT64_MIN, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct little_trace t = {.plane = MEGA_PLANE,
					 .line_ns = rows[i].line_ns,
					 .wall_ns = rows[i].wall_ns,
					 .events = &event,
					 .n = 1};
		struct reading r;

		read_little(&r, &t);
		assert_int_equal(r.in.has_wall, rows[i].has_wall);
		assert_true(r.in.first_ns == rows[i].first_ns);
		if (rows[i].line_ns != INT64_MIN)
			expect(&r,
			       "A d2h graph 5 5 size 0 - - - l- i- "
			       "DeviceToHost END\n",
			       i);
		reading_end(&r);
	}
}

/* ---- fields in an order that no profiler has */

/* The line's stamp and name behind its events, the plane's name and maps
 * around its line. */
static uint8_t *backwards(const char *plane, const char *line, size_t *n)
{
	size_t p, l, at, value;
	struct na_wire w = {0};

	p = na_wire_begin(&w, 1);
	at = na_wire_begin(&w, 4);
	na_wire_int(&w, 1, 6);
	value = na_wire_begin(&w, 2);
	na_wire_str(&w, 2, "12");
	na_wire_end(&w, value);
	na_wire_end(&w, at);
	l = na_wire_begin(&w, 3);
	at = na_wire_begin(&w, 4);
	na_wire_int(&w, 3, 8);
	na_wire_int(&w, 2, 9);
	na_wire_int(&w, 1, 6);
	na_wire_end(&w, at);
	na_wire_int(&w, 3, 40);
	na_wire_str(&w, 2, line);
	na_wire_end(&w, l);
	na_wire_str(&w, 2, plane);
	na_wire_end(&w, p);
	assert_false(w.failed);
	*n = w.n;
	return w.p;
}

static void any_order(void **state)
{
	static const char want[] = "S step 9 17 12 plane 0 \"12\"\n";
	struct reading r;
	size_t n;
	uint8_t *p = backwards("/device:TPU:0", "Steps", &n);

	(void)state;
	read_bytes(&r, p, n, ALL_RECORDS);
	expect(&r, want, 0);
	assert_int_equal(r.in.first_ns, 40);
	reading_end(&r);
	read_packed(&r, p, n, ALL_RECORDS);
	expect(&r, want, 1);
	assert_int_equal(r.in.first_ns, 40);
	reading_end(&r);
	/* For info, the name of any line; and no wall clock out of nothing. */
	free(p);
	p = backwards("/host:other", "late", &n);
	read_bytes(&r, p, n, NA_WANT_COUNTS | NA_WANT_TRANSFERS);
	assert_string_equal(r.in.sections[0].parts[0].name, "late");
	assert_int_equal(r.in.sections[0].events, 1);
	assert_false(r.in.has_wall);
	assert_int_equal(r.in.first_ns, 40);
	reading_end(&r);
	free(p);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_values),
		cmocka_unit_test(message_classes),
		cmocka_unit_test(message_names),
		cmocka_unit_test(device_rows),
		cmocka_unit_test(clocks),
		cmocka_unit_test(any_order),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
