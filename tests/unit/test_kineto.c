/*
 * Traces of PyTorch jobs: hand-made ones record by record, real ones against
 * what another reader counted in them (NETAN_TEST_DATA), and hostile ones.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/gpu/file_name.h"
#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"
#include "netan/base/order.h"
#include "tests/unit/reading.h"

#define RANK_RECORDS \
	(NA_WANT_COMMS | NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_STEPS | \
	 NA_WANT_TRANSFERS)

/* ---- parts */

static struct na_text text_of(const char *s)
{
	return na_text_n(s, strlen(s));
}

static void times(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t us;
		int32_t ps;
	} rows[] = {
		{"1694128201429795", true, 1694128201429795, 0},
		{"4458676388068.751", true, 4458676388068, 751000},
		{"4458676388068.7512349", true, 4458676388068, 751234},
		{"0.000001", true, 0, 1},
		{"-0.5", true, -1, 500000},
		{"1.6941282014297955e15", true, 1694128201429795, 500000},
		{"9223372036854775", true, 9223372036854775, 0},
		{"9223372036854776", false, 0, 0},
		{"9223372036854775808", false, 0, 0},
		{"NaN", false, 0, 0},
		{"", false, 0, 0},
		{".5", false, 0, 0},
		{"1x", false, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		int64_t us = 0;
		int32_t ps = 0;

		assert_int_equal(kt_time(text_of(rows[i].text), &us, &ps),
				 rows[i].good);
		assert_int_equal(us, rows[i].us);
		assert_int_equal(ps, rows[i].ps);
	}
}

/* As whole nanoseconds, of which some that whole microseconds hold are none. */
static void nanoseconds(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t ns;
	} rows[] = {
		{"4458676388068.751234", true, 4458676388068751},
		{"-0.5", true, -500},
		{"9223372036854774.9", true, INT64_MAX - 907},
		{"9223372036854775.807", true, INT64_MAX},
		{"9223372036854775.808", false, 0},
		{"-9223372036854775", true, -9223372036854775000},
		{"-9223372036854775.1", false, 0},
		{"-9223372036854.775807", true, INT64_MIN / 1000 - 1},
		{"-1e300", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		int64_t ns = 0;

		assert_int_equal(kt_time_ns(text_of(rows[i].text), &ns),
				 rows[i].good);
		assert_int_equal(ns, rows[i].ns);
	}
}

static void ranks(void **state)
{
	static const struct {
		const char *list, *want;
	} rows[] = {
		{"[0, 1, 2]", "0,1,2"}, {"[10,9, 8]", "8,9,10"},
		{"[7]", "7"},           {"[]", ""},
		{"[0, 1, ...]", ""},    {"0, 1", ""},
		{"[0, 1", ""},          {"[-1]", ""},
		{"[0, 1] ", ""},        {"[9999999999]", ""},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct na_str s = {.s = NULL};

		kt_ranks(text_of(rows[i].list), &s);
		assert_string_equal(s.s ? s.s : "", rows[i].want);
		free(s.s);
	}
}

static void names(void **state)
{
	struct na_text host;

	(void)state;
	assert_int_equal(na_rank_of_path("/rank-9/trace_rank-3.json"), 3);
	assert_int_equal(na_rank_of_path("worker12_step.1.pt.trace.json"), 12);
	assert_int_equal(na_rank_of_path("a/rank_0.json.gz"), 0);
	assert_int_equal(na_rank_of_path("ranks.json"), -1);
	assert_int_equal(na_rank_of_path("trace.json"), -1);
	/* SGLang: where a stage or a replica begins is not told. */
	assert_int_equal(na_rank_of_path("17579.1-TP-3.trace.json.gz"), 3);
	assert_int_equal(na_rank_of_path("1-TP-3-DP-0-PP-0-EP-3.trace.json"),
			 3);
	assert_int_equal(na_rank_of_path("1-TP-3-DP-0-PP-1-EP-3.trace.json"),
			 -1);
	assert_int_equal(na_rank_of_path("1-TP-3-DP-1-EP-3.trace.json.gz"), -1);
	/* How many work side by side, not which. */
	assert_int_equal(na_rank_of_path("run-TP8-a.pt.trace.json"), -1);
	assert_true(kt_host_of_name("d/node_7_4711.16941.pt.trace.json",
				    text_of("4711"), &host));
	assert_true(na_text_is(host, "node_7"));
	assert_false(kt_host_of_name("node_7_4711.16941.pt.trace.json",
				     text_of("471"), &host));
	assert_false(kt_host_of_name("_4711.x", text_of("4711"), &host));
}

/* An event is found as the walker of items finds it. */
static void events(void **state)
{
	static const char text[] =
		"{\"ph\":\"X\", \"cat\" : \"kernel\",\n\"name\":\"a\\\"{b\","
		"\"pid\":0,\"tid\":\"s\\\\\",\"ts\":1.5,\"dur\":2,"
		"\"args\":{\"x\":[\"]}\\\\\\\"\",{}],\"y\":{}},"
		"\"name\":\"last\"}tail";
	size_t whole = sizeof(text) - 1 - 4;
	struct na_kineto_shape shape = {0};
	struct na_kineto_event e;

	(void)state;
	assert_ptr_equal(na_kineto_event(text, text + whole + 4, &shape, &e),
			 text + whole);
	assert_true(na_text_is(e.ph, "X") && na_text_is(e.cat, "kernel"));
	assert_true(na_text_is(e.name, "last") && na_text_is(e.pid, "0"));
	assert_true(na_text_is(e.ts, "1.5") && na_text_is(e.dur, "2"));
	assert_true(na_text_begins(e.args, "{\"x\""));
	assert_true(na_text_ends(e.args, "{}}"));
	for (size_t n = 1; n < whole; n++) {
		char *copy = malloc(n);

		assert_non_null(copy);
		for (size_t i = 0; i < n; i++)
			copy[i] = text[i];
		assert_null(na_kineto_event(copy, copy + n, &shape, &e));
		free(copy);
	}
}

/* ---- files */

static void expect_as(const char *format, const char *json, const char *want)
{
	struct reading r;

	read_bytes(&r, json, strlen(json), RANK_RECORDS);
	assert_int_equal(r.status, NA_OK);
	assert_string_equal(r.in.format, format);
	fflush(r.out);
	assert_string_equal(r.text, want);
	reading_end(&r);
	read_packed(&r, json, strlen(json), RANK_RECORDS);
	fflush(r.out);
	assert_string_equal(r.text, want);
	reading_end(&r);
}

static void expect(const char *json, const char *want)
{
	expect_as("kineto", json, want);
}

#define KERNEL(ts, dur, name, args) \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0," \
	"\"tid\":7,\"ts\":" ts ",\"dur\":" dur ",\"args\":{\"stream\":7," \
	"\"External id\":5,\"correlation\":9" args "}}"
#define JOB "\"distributedInfo\":{\"rank\":3,\"world_size\":4}"
#define STEP \
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":" \
	"\"ProfilerStep#12\",\"ts\":100,\"dur\":50}"

/* Rank and base time come last; NaN and what has no end are left out. */
static void whole_rank(void **state)
{
	(void)state;
	expect("{\"traceEvents\":[" STEP
	       "," KERNEL("101.000001", "2.5", "gemm", "") "," KERNEL(
		       "110", "4", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
		       ",\"Collective name\":\"allreduce\",\"In msg nelems\":8,"
		       "\"Out msg nelems\":\"16\",\"dtype\":\"Float\","
		       "\"Group size\":2,\"Process Group Ranks\":\"[3, 1]\","
		       "\"Seq\":17") "," KERNEL("120", "NaN", "gemm",
						"") "," KERNEL("9223372036854775808",
							       "1", "gemm",
							       "") "]," JOB
								   ",\"baseTimeNanoseconds\":1700000000000000000}",
	       "S step 0 50000000 12 plane 3 \"ProfilerStep#12\"\n"
	       "B rank 3 1000001 3500001\n"
	       "M kernel rank 3 10000000 14000000 op 3 size 64 Float of "
	       "[1,3]x2 s7 q17 peer -1\n"
	       "O gpu whole rank 3 ncclDevKernel_AllReduce_Sum_f32_RING_LL "
	       "10000000 14000000 op 3 size 64 - ALL_REDUCE - of - kernel "
	       "ncclDevKernel_AllReduce_Sum_f32_RING_LL\n"
	       "L bad_duration 1\nL bad_duration 1\n");
}

/* The kernel tells only the op's id; the op was called with the rest, and
 * the groups are told beside the events. */
static void joined_by_id(void **state)
{
	(void)state;
	expect("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":"
	       "\"record_param_comms\",\"ts\":1,\"dur\":1,\"pid\":8,\"args\":{"
	       "\"External id\":5,\"Collective name\":\"_allgather_base\","
	       "\"In msg nelems\":2,\"Out msg nelems\":4,\"dtype\":\"Half\","
	       "\"Process Group Name\":\"g\",\"Process Group Ranks\":"
	       "\"[0, 1, ...\"}}," KERNEL(
		       "3", "1", "ncclKernel_X",
		       "") "],"
			   "\"distributedInfo\":{\"rank\":0,\"pg_config\":[{\"pg_name\":"
			   "\"g\",\"pg_size\":3,\"ranks\":[2,1,0]}]}}",
	       "M kernel rank 0 2000000 3000000 op 4 size 8 Half of [0,1,2]x3 "
	       "s7 q-1 peer -1\n"
	       "O gpu whole rank 0 ncclKernel_X 2000000 3000000 op 4 size 8 - "
	       "ALL_GATHER - of - kernel ncclKernel_X\n");
}

/* Between two ranks: a transfer as well. */
static void point_to_point(void **state)
{
	(void)state;
	expect("{" JOB ",\"traceEvents\":[" KERNEL(
		       "3", "1", "ncclDevKernel_SendRecv(x)",
		       ",\"Collective name\":\"recv\",\"In msg nelems\":4,"
		       "\"Out msg nelems\":4,\"dtype\":\"BFloat16\","
		       "\"Src Rank\":1") "]}",
	       "M kernel rank 3 0 1000000 op 2 size 8 BFloat16 of [-]x0 s7 q-1 "
	       "peer 1\n"
	       "O gpu whole rank 3 ncclDevKernel_SendRecv 0 1000000 op 2 size "
	       "8 - - - of - kernel ncclDevKernel_SendRecv\n"
	       "T rx capture valid 0 1000000 act - 8 r1->r3 - RECV l- i- c- "
	       "v-1\n");
}

/* Without kernels the CPU's ranges count, in an array that is not closed. */
static void on_the_cpu(void **state)
{
	(void)state;
	expect("[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"gloo:broadcast\","
	       "\"ts\":3,\"dur\":2,\"pid\":8},",
	       "M cpu GPU 0 0 2000000 op 9 - of [-]x0 s- q-1 peer -1\n"
	       "O gpu whole GPU 0 gloo:broadcast 0 2000000 op 9 - BROADCAST - "
	       "of - kernel gloo:broadcast\n");
}

#define RANGE(cat, name, id, ts, args) \
	"{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"ts\":" ts \
	",\"dur\":2,\"args\":{\"External id\":" id args "}}"
#define SHAPE(type, dims) ",\"Input type\":[" type "],\"Input Dims\":[" dims "]"

/* gloo: the call around a range says the peer, within the group; shapes, how
 * much goes in. */
static void ranges_of_gloo(void **state)
{
	(void)state;
	expect("{\"distributedInfo\":{\"rank\":3,\"pg_config\":[{\"pg_name\":"
	       "\"0\",\"ranks\":[3, 5]}]},\"traceEvents\":[" //
	       RANGE("cpu_op", "c10d::send", "8", "1",
		     ",\"Concrete Inputs\":[\"\",\"\",\"1\",\"0\"]") "," //
	       RANGE("user_annotation", "gloo:send", "9", "1",
		     SHAPE("\"float\"", "[2,3]")) "," //
	       RANGE("user_annotation", "gloo:all_gather", "4", "5",
		     SHAPE("\"long int\",\"c10::Half\"", "[4],[]")) "," //
	       RANGE("user_annotation", "gloo:all_reduce", "5", "9",
		     SHAPE("\"odd\"", "[4]")) "]}",
	       "M cpu rank 3 0 2000000 op 1 size 24 - of [3,5]x2 s- q-1 peer "
	       "5\n"
	       "O gpu whole rank 3 gloo:send 0 2000000 op 1 size 24 - - - of "
	       "- kernel gloo:send\n"
	       "T tx capture valid 0 2000000 act - 24 r3->r5 - SEND l- i- c- "
	       "v-1\n"
	       "M cpu rank 3 4000000 6000000 op 4 size 68 - of [3,5]x2 s- q-1 "
	       "peer -1\n"
	       "O gpu whole rank 3 gloo:all_gather 4000000 6000000 op 4 size "
	       "68 - ALL_GATHER - of - kernel gloo:all_gather\n"
	       "M cpu rank 3 8000000 10000000 op 3 - of [3,5]x2 s- q-1 peer "
	       "-1\n"
	       "O gpu whole rank 3 gloo:all_reduce 8000000 10000000 op 3 - "
	       "ALL_REDUCE - of - kernel gloo:all_reduce\n");
}

/* What is no list of shapes, types or inputs tells nothing. */
static void odd_shapes(void **state)
{
	static const char *const rows[][2] = {
		{"[[4]]", "[]"},
		{"[[4", "[\"float\"]"},
		{"[4]", "[\"float\"]"},
		{"[[-4]]", "[\"float\"]"},
		{"[[4294967296,4294967296]]", "[\"float\"]"},
		{"[]", "[\"float\"]"},
		{"{}", "7"},
	};
	static const char *const inputs[] = {"[]", "[\"\",\"\",\"x\"]",
					     "[\"\",\"\",1]",
					     "[\"\",\"\",\"-1\"]", "{"};
	struct kt_args a = {.in = -1};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		a.dims = text_of(rows[i][0]);
		a.types = text_of(rows[i][1]);
		assert_true(kt_input_bytes(&a) == NA_UNKNOWN_U64);
	}
	for (size_t i = 0; i < NA_LEN(inputs); i++) {
		a.inputs = text_of(inputs[i]);
		assert_int_equal(kt_called_peer(&a), -1);
	}
	assert_int_equal(kt_rank_at("3,5,7", 2), 7);
	assert_int_equal(kt_rank_at("3,5,7", 3), -1);
	assert_int_equal(kt_rank_at("3,5,7", -1), -1);
}

/* Calls of the library where nothing tells how long it took; the rank's only
 * group; a name with escapes. */
static void calls_on_the_cpu(void **state)
{
	(void)state;
	expect("{\"distributedInfo\":{\"rank\":\"1\",\"pg_config\":[{"
	       "\"pg_name\":\"0\",\"ranks\":\"[1, 0]\"}]},"
	       "\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":"
	       "\"record_param_comms\",\"ts\":1,\"dur\":2,\"args\":{"
	       "\"Collective name\":\"init\"}},{\"ph\":\"X\",\"cat\":"
	       "\"cpu_op\",\"name\":\"record_param_comms\",\"ts\":4,\"dur\":2,"
	       "\"args\":{\"Collective name\":\"all\\u0072educe\"}}]}",
	       "M cpu rank 1 3000000 5000000 op 3 - of [0,1]x2 s- q-1 peer -1\n"
	       "O gpu whole rank 1 allreduce 3000000 5000000 op 3 - ALL_REDUCE "
	       "- of - kernel allreduce\n");
}

/* rocprofv3 tells names by number, here behind the dispatches. */
static void dispatches(void **state)
{
	(void)state;
	expect_as("rocprof",
		  "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"node\":{"
		  "\"hostname\":\"h\"}},\"agents\":[{\"id\":{\"handle\":4},"
		  "\"type\":1},{\"id\":{\"handle\":5},\"type\":2},{\"id\":{"
		  "\"handle\":6},\"type\":2}],\"buffer_records\":{"
		  "\"kernel_dispatch\":[{\"start_timestamp\":10,"
		  "\"end_timestamp\":12,\"dispatch_info\":{\"agent_id\":{"
		  "\"handle\":6},\"kernel_id\":2},\"stream_id\":{\"handle\":3}"
		  "},{\"start_timestamp\":13,\"end_timestamp\":14,"
		  "\"dispatch_info\":{\"agent_id\":{\"handle\":5},\"kernel_id\""
		  ":1}},{\"start_timestamp\":16,\"end_timestamp\":15}]},"
		  "\"kernel_symbols\":[{\"kernel_id\":2,"
		  "\"formatted_kernel_name\":\"ncclDevKernel_Generic_1(x)\"},"
		  "{\"kernel_id\":1,\"formatted_kernel_name\":null}]}]}",
		  "M kernel GPU 1 0 2000 op 0 - of [-]x0 s3 q-1 peer -1\n"
		  "O gpu whole GPU 1 ncclDevKernel_Generic_1 0 2000 op 0 - - - "
		  "of - kernel ncclDevKernel_Generic_1\n"
		  "B GPU 0 3000 4000\n"
		  "L bad_duration 1\n");
}

/* Cut anywhere: what is whole is read, and never more than that. */
static void cut_anywhere(void **state)
{
	static const char text[] = "{" JOB ",\"traceEvents\":[" KERNEL(
		"3", "1", "gemm", "") "," KERNEL("5", "1", "gemm",
						 "") "," STEP "],\"x\":1}";

	(void)state;
	for (size_t n = sizeof(JOB) + 18; n < sizeof(text) - 1; n++) {
		struct reading r;

		read_bytes(&r, text, n, RANK_RECORDS);
		assert_int_equal(r.status, NA_OK);
		assert_true(r.in.damaged);
		assert_int_equal(r.records, r.in.events);
		assert_int_equal(r.in.rank, 3);
		reading_end(&r);
	}
}

/* 10^6 brackets, and a string as long, inside of args. */
static void bounded(void **state)
{
	enum { DEEP = 1000000 };
	struct na_str s = {.s = NULL};
	struct reading r;

	(void)state;
	na_str_addf(&s, "{" JOB ",\"a\":");
	for (size_t i = 0; i < DEEP; i++)
		na_str_addf(&s, "[");
	for (size_t i = 0; i < DEEP; i++)
		na_str_addf(&s, "]");
	na_str_addf(&s, ",\"traceEvents\":[");
	na_str_addf(&s,
		    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%0*d\","
		    "\"ts\":1,\"dur\":1,\"args\":",
		    DEEP, 0);
	for (size_t i = 0; i < DEEP; i++)
		na_str_addf(&s, "{\"a\":");
	na_str_addf(&s, "1");
	for (size_t i = 0; i < DEEP; i++)
		na_str_addf(&s, "}");
	na_str_addf(&s, "}]}");
	assert_false(s.failed);
	read_bytes(&r, s.s, s.n, RANK_RECORDS);
	assert_int_equal(r.status, NA_OK);
	assert_false(r.in.damaged);
	fflush(r.out);
	assert_string_equal(r.text, "B rank 3 0 1000000\n");
	reading_end(&r);
	free(s.s);
}

/* ---- real files */

struct mapped {
	char *s;
	size_t n;
};

static struct mapped whole_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct mapped m = {.s = NULL};
	size_t cap = 0, got = 1;

	assert_non_null(f);
	while (got) {
		assert_true(na_grow(&m.s, &cap, m.n + 65536, 1));
		got = fread(m.s + m.n, 1, 65536, f);
		m.n += got;
	}
	fclose(f);
	return m;
}

/* The next value of that name, wherever it stands. */
static bool seek(struct na_json *j, const char *key)
{
	while (na_json_next(j)) {
		if (j->kind == NA_JSON_KEY && na_json_is(j, key))
			return na_json_next(j);
	}
	return false;
}

static int64_t number(const char *truth, size_t n, const char *key, int power)
{
	struct na_json j = na_json_of(na_text_n(truth, n), 0);
	int64_t x = 0;

	if (seek(&j, key))
		na_json_decimal(j.text, power, &x);
	return x;
}

/* Looked at first, for sscanf() goes through all of a text to its end. */
static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* The next communicating kernel among the lines. */
static bool next_comm(const char **s, int64_t *start, int64_t *end)
{
	while (*s && **s) {
		const char *line = *s;

		*s = strchr(line, '\n');
		*s = *s ? *s + 1 : NULL;
		if (begins(line, "M kernel rank ") &&
		    sscanf(line, "M kernel rank %*d %" SCNd64 " %" SCNd64,
			   start, end) == 2)
			return true;
	}
	return false;
}

struct span {
	int64_t start, end;
};

NA_ORDER(by_start, struct span, NA_UP(start), NA_UP(end))

static size_t comms_of(const struct reading *r, struct span *to, size_t max)
{
	const char *s = r->text;
	size_t n = 0;

	while (n < max && next_comm(&s, &to[n].start, &to[n].end))
		n++;
	na_sort(to, n, by_start);
	return n;
}

static void against_truth(const char *data, const char *name)
{
	enum { MAX = 4096 };
	static struct span comms[MAX];
	char path[512];
	struct na_text before, behind;
	struct mapped truth, file;
	struct reading r;
	struct na_json j;
	int64_t base, ns, ps, sum = 0;
	size_t n;

	snprintf(path, sizeof(path), "%s/truth/%s.json", data, name);
	truth = whole_file(path);
	snprintf(path, sizeof(path), "%s/chrome-trace/%s", data, name);
	file = whole_file(path);
	read_bytes(&r, file.s, file.n, RANK_RECORDS);
	fflush(r.out);
	assert_int_equal(r.status, NA_OK);
	assert_false(r.in.damaged);
	base = number(truth.s, truth.n, "baseTimeNanoseconds", 0);
	assert_int_equal(r.in.events, number(truth.s, truth.n, "n_events", 0));
	/* The rank is in the name, the size in Python's notation or JSON. */
	assert_int_equal(r.in.rank, na_rank_of_path(name));
	assert_true(na_text_split(na_text_n(truth.s, truth.n), "world_size",
				  &before, &behind));
	assert_int_equal(r.in.world_size,
			 strtol(strpbrk(behind.s, "0123456789"), NULL, 10));
	assert_int_equal(r.in.first_ns - base,
			 number(truth.s, truth.n, "first_ts_us", 3));
	n = comms_of(&r, comms, MAX);
	j = na_json_of(na_text_n(truth.s, truth.n), 0);
	assert_true(seek(&j, "device_collective_kernels") && seek(&j, "n"));
	na_json_decimal(j.text, 0, &ns);
	assert_int_equal(n, ns);
	assert_true(seek(&j, "sum_us"));
	na_json_decimal(j.text, 6, &ps);
	for (size_t i = 0; i < n; i++)
		sum += comms[i].end - comms[i].start;
	assert_true(llabs(sum - ps) < 1000);
	assert_true(seek(&j, "device_collective_kernels_first80"));
	for (size_t i = 0; i < 80 && i < n; i++) {
		assert_true(seek(&j, "ts_us"));
		na_json_decimal(j.text, 3, &ns);
		assert_int_equal(r.in.first_ns - base + comms[i].start / 1000,
				 ns);
		assert_true(seek(&j, "dur_us"));
		na_json_decimal(j.text, 6, &ps);
		assert_int_equal(comms[i].end - comms[i].start, ps);
	}
	reading_end(&r);
	free(truth.s);
	free(file.s);
}

static void real_files(void **state)
{
	static const char *const files[] = {
		"hta_2020_allreduce_rank1of2.json.gz",
		"hta_nccl_data_rank0of2.json.gz",
		"hta_sampled_rank-0of128.json.gz",
		"hta_sampled_rank-1of128.json.gz",
		"tracelens_b200_vllm_tp8_rank0.json.gz",
	};
	const char *data = getenv("NETAN_TEST_DATA");

	(void)state;
	if (!data) {
		puts("skip: NETAN_TEST_DATA is not set, or has "
		     "no such file");
		skip();
	}
	for (size_t i = 0; i < NA_LEN(files); i++)
		against_truth(data, files[i]);
}

/* Kernel by kernel: when each rank began. */
static void eight_ranks(void **state)
{
	static const char *const stamps[] = {"545", "556", "554", "557",
					     "547", "549", "553", "553"};
	const char *data = getenv("NETAN_TEST_DATA");
	struct span comms[16];
	struct mapped truth, file;
	char path[512], key[16];

	(void)state;
	if (!data) {
		puts("skip: NETAN_TEST_DATA is not set, or has "
		     "no such file");
		skip();
	}
	snprintf(path, sizeof(path), "%s/truth/dlrm_8ranks.json", data);
	truth = whole_file(path);
	for (int rank = 0; rank < 8; rank++) {
		struct na_json j = na_json_of(na_text_n(truth.s, truth.n), 0);
		struct reading r;
		int64_t us;

		snprintf(path, sizeof(path),
			 "%s/chrome-trace/dlrm_8ranks/worker%d_step_12."
			 "1694128201%s.pt.trace.json.gz",
			 data, rank, stamps[rank]);
		snprintf(key, sizeof(key), "%d", rank);
		file = whole_file(path);
		read_bytes(&r, file.s, file.n, RANK_RECORDS);
		fflush(r.out);
		assert_int_equal(r.in.rank, rank);
		assert_int_equal(comms_of(&r, comms, NA_LEN(comms)), 8);
		for (size_t i = 0; i < 8; i++) {
			assert_true(seek(&j, "start_us") && seek(&j, key));
			assert_true(na_json_decimal(j.text, 0, &us));
			assert_int_equal(r.in.first_ns / 1000 +
						 comms[i].start / 1000000,
					 us);
		}
		reading_end(&r);
		free(file.s);
	}
	free(truth.s);
}

/* Counted and summed in the file with Python's json module. */
static void rocprof(void **state)
{
	const char *data = getenv("NETAN_TEST_DATA");
	int64_t sum = 0, busy = 0, start, end;
	struct mapped file;
	struct reading r;
	char path[512];
	size_t n;

	(void)state;
	if (!data) {
		puts("skip: NETAN_TEST_DATA is not set, or has "
		     "no such file");
		skip();
	}
	snprintf(path, sizeof(path), "%s/rocprof/908_results.json.gz", data);
	file = whole_file(path);
	read_bytes(&r, file.s, file.n, RANK_RECORDS);
	fflush(r.out);
	assert_int_equal(r.status, NA_OK);
	assert_string_equal(r.in.format, "rocprof");
	assert_int_equal(r.in.events, 43915);
	assert_int_equal(r.in.first_ns, 63857982592000);
	assert_false(r.in.has_wall);
	for (const char *s = r.text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (begins(s, "M kernel GPU 0 ") &&
		    sscanf(s, "M kernel GPU 0 %" SCNd64 " %" SCNd64, &start,
			   &end) == 2)
			sum += end - start;
		else if (begins(s, "B GPU 0 ") &&
			 sscanf(s, "B GPU 0 %" SCNd64 " %" SCNd64, &start,
				&end) == 2)
			busy += end - start;
	}
	assert_int_equal(sum, INT64_C(4158756678) * 1000);
	assert_int_equal(busy, INT64_C(282984700) * 1000);
	n = 0;
	for (const char *s = r.text; (s = strstr(s, "M kernel")); s++)
		n++;
	assert_int_equal(n, 1310);
	reading_end(&r);
	free(file.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(nanoseconds),
		cmocka_unit_test(ranks),
		cmocka_unit_test(names),
		cmocka_unit_test(events),
		cmocka_unit_test(whole_rank),
		cmocka_unit_test(joined_by_id),
		cmocka_unit_test(point_to_point),
		cmocka_unit_test(on_the_cpu),
		cmocka_unit_test(ranges_of_gloo),
		cmocka_unit_test(odd_shapes),
		cmocka_unit_test(calls_on_the_cpu),
		cmocka_unit_test(dispatches),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(bounded),
		cmocka_unit_test(real_files),
		cmocka_unit_test(eight_ranks),
		cmocka_unit_test(rocprof),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
