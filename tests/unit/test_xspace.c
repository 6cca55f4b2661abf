/*
 * The XSpace reader, row by row: the examples of the format's description,
 * grammars, classes in their order, names that are nearly right.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/xspace/xspace.h"
#include "netan/engine/session/reread.h"
#include "tests/unit/little_trace.h"
#include "tests/unit/reading.h"

#define US       INT64_C(1000000)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Every line of the text that begins with `what`, joined. */
static void expect(const struct reading *r, const char *what, const char *want,
		   const char *row)
{
	char got[4000] = "";
	const char *s = r->text;

	if (r->status != NA_OK)
		fail_msg("%s: %s", row, r->err.text);
	for (; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t n = strcspn(s, "\n");

		if (strchr(what, *s) && strlen(got) + n + 2 < sizeof(got)) {
			strncat(got, s, n);
			strcat(got, "\n");
		}
	}
	if (strcmp(got, want) != 0)
		fail_msg("%s:\n got %swant %s", row, got, want);
}

static void read_little(struct reading *r, const struct little_trace *t)
{
	size_t n;
	uint8_t *p = little_bytes(t, &n);

	read_bytes(r, p, n, ALL_RECORDS);
	free(p);
}

struct row {
	const char *want;
	struct little_event event;
};

static void check_rows(const struct row *rows, size_t n, const char *plane,
		       const char *what)
{
	for (size_t i = 0; i < n; i++) {
		struct little_trace t = {.plane = plane,
					 .events = &rows[i].event,
					 .n = 1};
		char name[160];
		struct reading r;

		snprintf(name, sizeof(name), "row %zu, %.100s", i,
			 rows[i].event.name);
		read_little(&r, &t);
		expect(&r, what, rows[i].want, name);
		reading_end(&r);
	}
}

/* ---- the worked example of the format's description */

/* clang-format off */
static const uint8_t worked[] = {
	0x0a, 0x69, 0x12, 0x09, '/', 'h', 'o', 's', 't', ':', 'C', 'P', 'U',
	0x1a, 0x1b, 0x08, 0x09, 0x18, 0xe8, 0x07, 0x22, 0x14, 0x08, 0x07,
	0x10, 0xe0, 0xc6, 0x5b, 0x18, 0x00, 0x22, 0x04, 0x08, 0x01, 0x38,
	0x03, 0x22, 0x04, 0x08, 0x02, 0x20, 0x32, 0x22, 0x09, 0x08, 0x07,
	0x12, 0x05, 0x08, 0x07, 0x12, 0x01, 'E', 0x2a, 0x11, 0x08, 0x01,
	0x12, 0x0d, 0x08, 0x01, 0x12, 0x09, 'd', 'c', 'n', '_', 'l', 'a',
	'b', 'e', 'l', 0x2a, 0x13, 0x08, 0x02, 0x12, 0x0f, 0x08, 0x02, 0x12,
	0x0b, 'd', 'u', 'r', 'a', 't', 'i', 'o', 'n', '_', 'u', 's', 0x2a,
	0x0c, 0x08, 0x03, 0x12, 0x08, 0x08, 0x03, 0x12, 0x04, 'a', 'r', '.',
	'1',
};
/* clang-format on */

static void worked_example(void **state)
{
	struct reading r;

	(void)state;
	assert_int_equal(sizeof(worked), 107);
	read_bytes(&r, worked, sizeof(worked), ALL_RECORDS | NA_WANT_COUNTS);
	expect(&r, "TACSLUW", "", "worked example");
	assert_int_equal(r.in.n_sections, 1);
	assert_string_equal(r.in.sections[0].name, "/host:CPU");
	assert_int_equal(r.in.sections[0].lines, 1);
	assert_int_equal(r.in.sections[0].events, 1);
	assert_int_equal(r.in.first_ns, 1000);
	assert_false(r.in.has_wall);
	assert_false(r.in.damaged);
	reading_end(&r);
}

/* ---- action graphs */

#define KEY \
	{ \
		"graph_key", "s:device_100001_gid_ag.5_0$l456^i78" \
	}
#define LATENCY(v) \
	{ \
		"network_transport_latency_us", v \
	}
#define BUFFERS(v) \
	{ \
		"buffer_sizes", v \
	}

/* The record of a receive that ends at 3 us. */
#define GRAPH_T(klass, start, act, size, ends, chunk) \
	"T rx graph " klass " " start " 3000000 act " act " " size " " ends \
	" ag.5_0 - l456 i78 c" chunk " v-1\n"
#define RX \
	{ \
		.name = "NetworkReceive END", .at_ps = 2 * US, .dur_ps = US, \
		.stats = {
#define END_RX \
	} \
	}

static void graph_values(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		/* The example of 3.6: end at 3 us, window [2, 3] us. */
		{ GRAPH_T("valid", "2000000", "-", "1000", "s1d1->s2d1", "0"),
		  RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s100001->200001d|$c0=1000") END_RX },
		/* Any numeric kind, decimal text, a reference. */
		{ GRAPH_T("valid", "2000000", "-", "1000", "s1d1->s2d1", "0"),
		  RX KEY, LATENCY("i:1"),
		  BUFFERS("r:s100001->200001d|$c0=1000") END_RX },
		{ GRAPH_T("valid", "2000000", "-", "1000", "s1d1->s2d1", "0"),
		  RX KEY, LATENCY("s:1"),
		  BUFFERS("z:s100001->200001d|$c0=1000") END_RX },
		{ GRAPH_T("valid", "2000000", "5000", "1000", "s1d1->s2d1",
			  "0"),
		  RX KEY, LATENCY("r:1"), { "action_duration_ns", "u:5" },
		  BUFFERS("s:s100001->200001d|$c0=1000") END_RX },
		{ GRAPH_T("valid", "1000000", "-", "1000", "s1d1->s2d1", "0"),
		  RX KEY, LATENCY("d:2.0"),
		  BUFFERS("s:s100001->200001d|$c0=1000") END_RX },
		/* A later stat of the same name overrides. */
		{ GRAPH_T("valid", "0", "-", "1000", "s1d1->s2d1", "0"),
		  RX KEY, LATENCY("u:1"), LATENCY("u:3"),
		  BUFFERS("s:s100001->200001d|$c0=1000") END_RX },
		/* Before the capture's start. */
		{ GRAPH_T("valid", "-97000000", "-", "1000", "s1d1->s2d1",
			  "0"),
		  RX KEY, LATENCY("u:100"),
		  BUFFERS("s:s100001->200001d|$c0=1000") END_RX },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows), MEGA_PLANE, "TCLUW");
}

static void graph_buffers(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		/* Slice 0 has short numbers. */
		{ GRAPH_T("valid", "2000000", "-", "7", "s0d3->s0d5", "0"),
		  RX KEY, LATENCY("u:1"), BUFFERS("s:s3->5d|$c0=7") END_RX },
		/* Several entries, several chunks of one pair. */
		{ GRAPH_T("valid", "2000000", "-", "7", "s0d3->s2d5", "0")
		  GRAPH_T("valid", "2000000", "-", "8", "s0d3->s2d5", "1")
		  GRAPH_T("valid", "2000000", "-", "9", "s0d4->s2d6", "2"),
		  RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s3->200005d|$c0=7|$c1=8, s4->200006d|$c2=9")
		  END_RX },
		/* Anything between d and $c. */
		{ GRAPH_T("valid", "2000000", "-", "7", "s0d3->s2d5", "12"),
		  RX KEY, LATENCY("u:1"),
		  BUFFERS("s:[s3->200005d some $words$c12=7]") END_RX },
		/* The older form takes its ends from other stats. */
		{ GRAPH_T("valid", "2000000", "-", "1000", "s1d2->s2d4", "0"),
		  RX KEY, LATENCY("u:1"), BUFFERS("s:$c0=1000"),
		  { "transfer_source", "i:100002" },
		  { "transfer_destinations", "s:[200004]" } END_RX },
		{ GRAPH_T("valid", "2000000", "-", "1000", "s1d2->s2d4", "0"),
		  RX KEY, LATENCY("u:1"), BUFFERS("s:$c0=1000"),
		  { "transfer_source", "s:100002" },
		  { "transfer_destinations", "u:200004" } END_RX },
		/* Ends named in the entry come before those stats. */
		{ GRAPH_T("valid", "2000000", "-", "7", "s0d3->s0d5", "0"),
		  RX KEY, LATENCY("u:1"), BUFFERS("s:s3->5d|$c0=7"),
		  { "transfer_source", "i:1" },
		  { "transfer_destinations", "i:2" } END_RX },
		{ GRAPH_T("valid", "2000000", "-", "9223372036854775807",
			  "s0d3->s0d5", "0"),
		  RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s3->5d|$c0=9223372036854775807") END_RX },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows), MEGA_PLANE, "TCLUW");
}

#define C_RX(klass, n) "C rx graph " klass " " n "\n"

static void graph_bad_keys(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("i:5") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s100001->200001d") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s->d|$c0=5") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s1->2d|$c=5") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s1->2d|$c0=") END_RX },
		/* No ends anywhere, or none by another name. */
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:$c0=1000") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:$c0=1000"), { "transfer_source", "i:-1" },
		  { "transfer_destinations", "i:2" } END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:$c0=1000"), { "transfer_source", "s:-1" },
		  { "transfer_destinations", "i:2" } END_RX },
		/* Numbers that fit nowhere. */
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s1->2d|$c0=99999999999999999999") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s999999999999999999->2d|$c0=1") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s1->999999999999999d|$c0=1") END_RX },
		/* A bad key comes before everything else. */
		{ C_RX("bad_key", "1"), RX KEY END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("u:0") END_RX },
		{ C_RX("bad_key", "1"), RX KEY, LATENCY("i:-1") END_RX },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows), MEGA_PLANE, "TCLUW");
}

static void graph_classes(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{ GRAPH_T("no_latency", "3000000", "-", "7", "s0d3->s0d5",
			  "0"),
		  RX KEY, BUFFERS("s:s3->5d|$c0=7") END_RX },
		{ GRAPH_T("no_latency", "3000000", "-", "7", "s0d3->s0d3",
			  "0"),
		  RX KEY, LATENCY("s:soon"), BUFFERS("s:s3->3d|$c0=7")
		  END_RX },
		{ GRAPH_T("clock_skew", "3000000", "-", "7", "s0d3->s0d5",
			  "0"),
		  RX KEY, LATENCY("u:0"), BUFFERS("s:s3->5d|$c0=7") END_RX },
		{ GRAPH_T("clock_skew", "3000000", "-", "7", "s0d3->s0d3",
			  "0"),
		  RX KEY, LATENCY("u:0"), BUFFERS("s:s3->3d|$c0=7") END_RX },
		/* The same device; another of the same slice is network. */
		{ GRAPH_T("loopback", "2000000", "-", "7", "s0d3->s0d3", "0"),
		  RX KEY, LATENCY("u:1"), BUFFERS("s:s3->3d|$c0=7") END_RX },
		{ GRAPH_T("loopback", "2000000", "-", "7", "s0d3->s0d3", "0")
		  GRAPH_T("valid", "2000000", "-", "8", "s0d3->s0d4", "1"),
		  RX KEY, LATENCY("u:1"),
		  BUFFERS("s:s3->3d|$c0=7 s3->4d|$c1=8") END_RX },
		{ C_RX("bad_duration", "1") C_RX("bad_duration", "1"),
		  RX KEY, LATENCY("i:-1"),
		  BUFFERS("s:s3->5d|$c0=7 s3->6d|$c0=7") END_RX },
		{ C_RX("bad_duration", "1"), RX KEY,
		  LATENCY("u:18446744073709551615"),
		  BUFFERS("s:s3->5d|$c0=7") END_RX },
		{ C_RX("bad_duration", "1"),
		  { .name = "NetworkReceive END", .at_ps = 2 * US,
		    .dur_ps = -1,
		    .stats = { KEY, BUFFERS("s:s3->5d|$c0=7") } } },
		{ C_RX("bad_duration", "1"),
		  { .name = "NetworkReceive END", .at_ps = INT64_MAX - 5,
		    .dur_ps = 10,
		    .stats = { KEY, BUFFERS("s:s3->5d|$c0=7") } } },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows), MEGA_PLANE, "TCLUW");
}

static void graph_sends(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		/* The drawn duration ends right and begins anywhere. */
		{ "T tx graph valid -17600000 3000000 act 20600000 7 "
		  "s0d3->s2d5 ag.5_0 ALL_GATHER l456 i78 c0 v2\n"
		  "A send graph -17600000 3000000 size 0 s1d1 ag.5_0 "
		  "ALL_GATHER l456 i78 NetworkSend END\n",
		  { "NetworkSend END", 2 * US, US,
		    { KEY, { "action_duration_ns", "i:20600" },
		      { "collective_type", "r:ALL_GATHER" },
		      { "dcn_topology_level", "s:2" },
		      BUFFERS("s:s3->200005d|$c0=7") } } },
		{ "T tx graph no_latency 3000000 3000000 act - 7 s0d3->s2d5 "
		  "- - l- i- c0 v-1\n"
		  "A send graph 2000000 3000000 size 0 - - - l- i- "
		  "NetworkSend END\n",
		  { "NetworkSend END", 2 * US, US,
		    { BUFFERS("s:s3->200005d|$c0=7") } } },
	};
	/* clang-format on */

	(void)state;
	check_rows(rows, COUNT(rows), MEGA_PLANE, "TACLUW");
}

static void graph_keys(void **state)
{
	static const struct {
		const char *key, *device, *name, *l, *i;
	} keys[] = {
		{"device_100003_gid_op_name.123_0$l456^i78", "s1d3",
		 "op_name.123_0", "456", "78"},
		{"device_5_gid_psum.4_0$1^i0", "s0d5", "psum.4_0", "1", "0"},
		{"device_99999_gid_a-b.c_1$l7^i8^j9", "s0d99999", "a-b.c_1",
		 "7", "8"},
		{"device_200005_gid_x_1", "s2d5", "x_1", "-", "-"},
		{"device_200005_gid_x_1$", "s2d5", "x_1", "-", "-"},
		{"device_200005_gid_x_1$l3", "s2d5", "x_1", "3", "-"},
		{"device_200005_gid_x_1$lone^i4", "s2d5", "x_1", "-", "-"},
		/* No key: the event's own name is one. */
		{"", "s1d3", "all-reduce.7_2", "-", "-"},
		{"device_x_gid_y_1", "s1d3", "all-reduce.7_2", "-", "-"},
		{"device_4_gid_", "s1d3", "all-reduce.7_2", "-", "-"},
		{"gid_y_1", "s1d3", "all-reduce.7_2", "-", "-"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++) {
		const char *shown = "device_100003_gid_all-reduce.7_2";
		char key[120], want[300];
		struct row row = {want,
				  {shown,
				   0,
				   US,
				   {{"graph_key", key},
				    {"input_size", "i:64"}}}};

		snprintf(key, sizeof(key), "s:%s", keys[i].key);
		snprintf(want, sizeof(want),
			 "A graph graph 0 1000000 size 64 "
			 "%s %s - l%s i%s %s\n",
			 keys[i].device, keys[i].name, keys[i].l, keys[i].i,
			 shown);
		check_rows(&row, 1, MEGA_PLANE, "TACLUW");
	}
}

/* Names that differ in the middle only, each inflated to the same place. */
static void inflated_names_do_not_linger(void **state)
{
	/* clang-format off */
	static const struct little_event events[] = {
		{ "DeviceToHost END", 0, 1,
		  { { "graph_key", "z:device_1_gid_all-reduce.1.of.psum_312" },
		    { "collective_type", "z:ALL_REDUCE_1_OF_TWO" } } },
		{ "DeviceToHost END", 0, 1,
		  { { "graph_key", "z:device_1_gid_all-reduce.2.of.psum_312" },
		    { "collective_type", "z:ALL_REDUCE_2_OF_TWO" } } },
	};
	/* clang-format on */
	struct little_trace t = {.plane = MEGA_PLANE, .events = events, .n = 2};
	struct reading r;

	(void)state;
	read_little(&r, &t);
	expect(&r, "TACLUW",
	       "A d2h graph 0 1 size 0 s0d1 all-reduce.1.of.psum_312 "
	       "ALL_REDUCE_1_OF_TWO l- i- DeviceToHost END\n"
	       "A d2h graph 0 1 size 0 s0d1 all-reduce.2.of.psum_312 "
	       "ALL_REDUCE_2_OF_TWO l- i- DeviceToHost END\n",
	       "two events");
	reading_end(&r);
}

/* What comes after the key of another collective is not read, bad or good;
 * an event whose key cannot tell is. */
static void others_are_passed_over(void **state)
{
	/* clang-format off */
	static const struct little_event events[] = {
		{ "DeviceToHost END", 0, 1,
		  { { "graph_key", "s:device_1_gid_mine.1_1$l1" } } },
		{ "DeviceToHost END", 5, 1,
		  { { "graph_key", "s:device_1_gid_other.1_1$l1" },
		    { "action_duration_ns", "i:-1" } } },
		{ "NetworkReceive END", 5, 1,
		  { { "graph_key", "s:device_1_gid_other.1_1$l1" },
		    { "buffer_sizes", "s:none" } } },
		{ "DeviceToHost END", 7, 1, { { "graph_key", "s:no key" } } },
	};
	/* clang-format on */
	struct little_trace t = {.plane = MEGA_PLANE,
				 .events = events,
				 .n = COUNT(events)};
	struct reading r;
	size_t n;
	uint8_t *p = little_bytes(&t, &n);

	(void)state;
	read_only(&r, p, n, ALL_RECORDS, "mine.1_1");
	expect(&r, "TACLUW",
	       "A d2h graph 0 1 size 0 s0d1 mine.1_1 - l1 i- "
	       "DeviceToHost END\n"
	       "A d2h graph 7 8 size 0 - - - l- i- DeviceToHost END\n",
	       "four events");
	reading_end(&r);
	free(p);
}

/* ---- actions that are asked for once all is read */

struct second {
	char name[64], asked[256]; /* collective, from and to, a line each */
	bool looks;
	size_t actions;
};

static uint32_t second_name(void *ctx, const char *s, size_t n)
{
	struct second *x = ctx;

	snprintf(x->name, sizeof(x->name), "%.*s", (int)n, s);
	return 0;
}

static bool second_looks(void *ctx, uint32_t collective, int64_t from_ps,
			 int64_t to_ps)
{
	struct second *x = ctx;
	size_t n = strlen(x->asked);

	assert_int_equal(collective, 0);
	snprintf(x->asked + n, sizeof(x->asked) - n,
		 "%s %" PRId64 " %" PRId64 "\n", x->name, from_ps, to_ps);
	return x->looks;
}

static enum na_status second_action(void *ctx, const struct na_action *a)
{
	struct second *x = ctx;

	(void)a;
	x->actions++;
	return NA_OK;
}

/* What the first reading did not want is known of, too. */
static void read_twice(const struct little_event *events, size_t n_events,
		       struct second *x)
{
	struct little_trace t = {
		.plane = MEGA_PLANE, .events = events, .n = n_events};
	struct na_sink sink = na_ignoring_sink(x);
	struct na_input again, like;
	struct reading r;
	struct na_block b;
	size_t n;
	uint8_t *p = little_bytes(&t, &n);

	read_bytes(&r, p, n, NA_WANT_TRANSFERS | NA_WANT_AGAIN);
	like = r.in;
	like.wants = ALL_RECORDS;
	assert_int_equal(na_input_open_source(&again, &like, 0, &r.err), NA_OK);
	again.zero_ns = r.in.zero_ns;
	sink.name = second_name;
	sink.action = second_action;
	sink.looks_within = second_looks;
	while (again.reader->cut(&again, &b, &r.err) == NA_OK)
		assert_int_equal(again.reader->read(&again, &b, &sink, &r.err),
				 NA_OK);
	na_input_close(&again);
	reading_end(&r);
	free(p);
}

static void blocks_are_passed_over(void **state)
{
	/* clang-format off */
	static const struct little_event events[] = {
		{ "DeviceToHost START", 0, 1,
		  { { "graph_key", "s:device_1_gid_one.1_1$l1" } } },
		{ "DeviceToHost END", 9000, 1,
		  { { "graph_key", "s:device_1_gid_one.1_1$l1" },
		    { "action_duration_ns", "i:7" } } },
		{ "NetworkReceive END", 5000, 10,
		  { { "graph_key", "s:device_1_gid_two.1_1$l1" },
		    { "buffer_sizes", "s:s1->2d$c0=5" } } },
		{ "device_1_gid_two.1_1$l1", 4000, 500, { { NULL, NULL } } },
		{ "DeviceToHost END", 100, 1,
		  { { "graph_key", "s:device_1_gid_one.1_1$l1" },
		    { "action_duration_ns", "i:-7" } } },
		{ "DeviceToHost END", 7, 1, { { "graph_key", "s:no key" } } },
	};
	/* clang-format on */
	struct second x = {.looks = false};

	(void)state;
	read_twice(events, COUNT(events), &x);
	assert_string_equal(x.asked, "one.1_1 100 9001\ntwo.1_1 4000 5010\n");
	assert_int_equal(x.actions, 0);
	x = (struct second){.looks = true};
	read_twice(events, COUNT(events), &x);
	assert_string_equal(x.asked, "one.1_1 100 9001\n");
	assert_int_equal(x.actions, 4);
}

/* More collectives than a block is noted for: it is read. */
static void blocks_of_many_are_read(void **state)
{
	struct little_event events[XS_WHENS + 1];
	char keys[XS_WHENS + 1][64];
	struct second x = {.looks = false};

	(void)state;
	memset(events, 0, sizeof(events));
	for (size_t i = 0; i <= XS_WHENS; i++) {
		snprintf(keys[i], sizeof(keys[i]), "s:device_1_gid_c.%zu$l1",
			 i);
		events[i].name = "DeviceToHost END";
		events[i].stats[0].name = "graph_key";
		events[i].stats[0].value = keys[i];
	}
	read_twice(events, XS_WHENS, &x);
	assert_int_equal(x.actions, 0);
	read_twice(events, XS_WHENS + 1, &x);
	assert_int_equal(x.actions, XS_WHENS + 1);
}

static void names_nearly_right(void **state)
{
	/* clang-format off */
	static const struct { const char *name, *want; } rows[] = {
		{ "NetworkRecv END", "U NetworkRecv END\nL unknown_name 1\n" },
		{ "NetworkReceived END",
		  "U NetworkReceived END\nL unknown_name 1\n" },
		{ "Network Receive END",
		  "U Network Receive END\nL unknown_name 1\n" },
		{ "DeviceToHst END", "U DeviceToHst END\nL unknown_name 1\n" },
		{ "NetworkReceive", "U NetworkReceive\nL unknown_name 1\n" },
		{ "", "U \nL unknown_name 1\n" },
		{ "NETWORKRECEIVE end", "C rx graph bad_key 1\n"
		  "A receive graph 0 1 size 0 - - - l- i- "
		  "NETWORKRECEIVE end\n" },
		{ "NetworkReceive START", "" },
		{ "Reduce START", "" },
		{ "Reduce END", "A compute graph 0 1 size 0 - - - l- i- "
		  "Reduce END\n" },
		{ "DeviceToHost END", "A d2h graph 0 1 size 0 - - - l- i- "
		  "DeviceToHost END\n" },
		{ "HostToDevice END", "A h2d graph 0 1 size 0 - - - l- i- "
		  "HostToDevice END\n" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct row row = {rows[i].want,
				  {rows[i].name, 0, 1, {{NULL, NULL}}}};

		check_rows(&row, 1, MEGA_PLANE, "TACLUW");
	}
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),
		cmocka_unit_test(graph_values),
		cmocka_unit_test(graph_buffers),
		cmocka_unit_test(graph_bad_keys),
		cmocka_unit_test(graph_classes),
		cmocka_unit_test(graph_sends),
		cmocka_unit_test(graph_keys),
		cmocka_unit_test(inflated_names_do_not_linger),
		cmocka_unit_test(others_are_passed_over),
		cmocka_unit_test(names_nearly_right),
		cmocka_unit_test(blocks_are_passed_over),
		cmocka_unit_test(blocks_of_many_are_read),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
