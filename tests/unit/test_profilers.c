/*
 * Files of NCCL's profiler plugins: the object on CoMMA's page, events as the
 * example plugin wrote them in a job of four GPUs in one process, and files
 * that break off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reading.h"

#define WANTS (NA_WANT_COMMS | NA_WANT_TRANSFERS)

/* google/CoMMA docs/json-format.md */
static const char page[] =
	"{\n  \"args\":{\"size\":20971520},\n  \"cat\":\"COLL\",\n"
	"  \"child_dur\":1456,\n  \"comm_hash\":\"0x58aecebabb9e37af\",\n"
	"  \"dur\":11039,\n  \"name\":\"all_reduce\",\n  \"ph\":\"X\",\n"
	"  \"rank\":0,\n  \"seq_num\":57,\n  \"ts\":9615369,\n"
	"  \"proxyops\":[\n    {\"cat\":\"PROXY\",\"chunk_size\":1048576,"
	"\"dur\":1379,\"is_send\":false,\"n_steps\":2,\"name\":\"ProxyOp\","
	"\"peer\":16,\"ph\":\"X\",\"pid\":169,\"ts\":9624951,\"steps\":["
	"{\"end_time\":9626229,\"size\":1048576,\"start_time\":9624952,"
	"\"step\":1},{\"end_time\":9626229,\"size\":262144,\"start_time\":"
	"9624953,\"step\":2}]},\n"
	"{\"cat\":\"PROXY\",\"chunk_size\":1048576,\"dur\":1382,\"is_send\":"
	"true,\"n_steps\":2,\"name\":\"ProxyOp\",\"peer\":16,\"ph\":\"X\","
	"\"pid\":169,\"ts\":9625026,\"steps\":[{\"end_time\":9626408,"
	"\"size\":1048576,\"start_time\":9626308,\"step\":1},{\"end_time\":"
	"9626408,\"size\":262144,\"start_time\":9626332,\"step\":2}]}]}\n";

/* One rank of the job, as it was printed: the operation's end is that of its
 * queueing, and its kernel's end was never taken. */
#define EVENT(name, cat, ph, id, ts, args) \
	"{\"name\": \"" name "\", \"cat\": \"" cat "\", \"ph\": \"" ph \
	"\", \"id\": " id ", \"pid\": 3937375, \"tid\": 1, \"ts\": " ts args \
	"},\n"
#define ARGS(x) ", \"args\": {" x "}"
static const char queued[] = "[\n" EVENT(
	"Group API", "GROUP_API", "b", "0", "1467846.533691",
	ARGS("\"groupApiId\": 0, \"groupDepth\":2"))
	EVENT("KernelLaunch", "KERNEL_LAUNCH", "b", "0", "0.000000",
	      ARGS("\"groupId\": 0, \"Stream\": 0x262ca50")) EVENT("KernelLaunch",
								   "KERNEL_LAUNCH",
								   "e", "0",
								   "1804044.097656", )
		EVENT("Send", "P2P_API", "b", "0", "0.000000",
		      ARGS("\"count\": 268435456, \"datatype\": ncclFloat32, "
			   "\"GraphCaptured\":0, \"Stream\": 0x4142e90"))
			EVENT("Send", "P2P", "b", "0", "1818542.097656",
			      ARGS("\"CommHash\": 12715772615376301750, \"Rank\": 0, "
				   "\"Peer\": 1, \"Count\": 268435456, \"Datatype\": "
				   "\"ncclFloat32\", \"nChannels\": 16"))
				EVENT("KernelCh", "GPU", "b", "0",
				      "1824045.316895",
				      ARGS("\"Channel\": 16, \"StartGpuClk\": 1765223116927674080, "
					   "\"StopGpuClk\": 0"))
					EVENT("KernelCh", "GPU", "e", "0",
					      "0.000000", )
						EVENT("Send", "P2P", "e", "0",
						      "1818670.567871", )
							EVENT("Send", "P2P_API",
							      "e", "0",
							      "1467848.663574", );

/* The same of another rank, with the end that a later release takes. */
static const char ended[] = EVENT(
	"Recv", "P2P", "b", "1", "1818658.527832",
	ARGS("\"CommHash\": 12715772615376301750, \"Rank\": 3, "
	     "\"Peer\": 2, \"Count\": 268435456, \"Datatype\": "
	     "\"ncclFloat32\", \"nChannels\": 16"))
	EVENT("KernelCh", "GPU", "b", "0", "1824044.5",
	      ARGS("\"Channel\": 16, \"StartGpuClk\": 1765223116927674080, "
		   "\"StopGpuClk\": 0"))
		EVENT("KernelCh", "GPU", "e", "0", "0.000000", )
			EVENT("Recv", "P2P", "e", "1", "1924044.5", );

static void expect(const char *text, size_t n, const char *lines)
{
	struct reading r;

	read_bytes(&r, text, n, WANTS);
	assert_int_equal(r.status, NA_OK);
	assert_string_equal(r.text, lines);
	reading_end(&r);
}

/* It runs for its children's time, and ends with the last of them. */
static void test_page(void **state)
{
	struct reading r;

	(void)state;
	read_bytes(&r, page, sizeof(page) - 1, WANTS);
	assert_int_equal(r.status, NA_OK);
	assert_string_equal(r.in.format, "comma");
	assert_int_equal(r.in.rank, 0);
	assert_int_equal(r.in.first_ns, INT64_C(9624952000));
	assert_false(r.in.has_wall);
	assert_int_equal(r.in.n_warnings, 0);
	assert_string_equal(
		r.text,
		"M kernel rank 0 0 1456000000 op 3 size 20971520 - of "
		"[0x58aecebabb9e37af]x0 s- q57 peer -1\n"
		"T rx capture valid 1356000000 1456000000 act - 1048576 "
		"r0->r16 0x58aecebabb9e37af proxy_step l- i- c- v-1\n"
		"T rx capture valid 1380000000 1456000000 act - 262144 "
		"r0->r16 0x58aecebabb9e37af proxy_step l- i- c- v-1\n");
	reading_end(&r);
}

/* What stands between objects, and one that breaks off, costs only itself. */
static void test_broken(void **state)
{
	char text[4 * sizeof(page)];
	struct reading r;

	(void)state;
	strcpy(text, page);
	strcat(text, "{\"cat\":\"COLL\",oops\n");
	strcat(text, page);
	strcat(text, page);
	read_bytes(&r, text, strlen(text) - sizeof(page) / 2, NA_WANT_COMMS);
	assert_int_equal(r.status, NA_OK);
	assert_true(r.in.damaged);
	assert_int_equal(r.in.n_warnings, 1);
	assert_int_equal(r.records, 2);
	reading_end(&r);
}

/* Several ranks of one process: which is told by the operation. */
static void test_process(void **state)
{
	char text[sizeof(queued) + sizeof(ended) + 8];
	struct reading r;

	(void)state;
	strcpy(text, queued);
	strcat(text, ended);
	for (int closed = 0; closed < 2; closed++) {
		read_bytes(&r, text, strlen(text), WANTS);
		assert_int_equal(r.status, NA_OK);
		assert_string_equal(r.in.format, "nccl plugin");
		assert_int_equal(r.in.rank, -1);
		assert_false(r.in.damaged);
		assert_int_equal(r.in.n_warnings, 1); /* the first one */
		assert_string_equal(
			r.text,
			"L no_latency 1\n"
			"M kernel rank 3 0 100000000000 op 2 size 1073741824 "
			"ncclFloat32 of [0xb0777fd29824eeb6]x0 s- q-1 peer 2\n"
			"T rx capture valid 0 100000000000 act - 1073741824 "
			"r2->r3 0xb0777fd29824eeb6 RECV l- i- c- v-1\n");
		reading_end(&r);
		strcat(text, "{}]\n");
	}
}

/* Each cut is read without complaint up to its last whole event. */
static void test_cuts(void **state)
{
	(void)state;
	for (size_t n = sizeof(queued) - 1; n > 200; n--) {
		const char *end = &queued[n];
		bool whole = end[-1] == '\n' || end[0] == '\n' ||
			     (end[0] == ',' && end[1] == '\n');
		struct reading r;

		read_bytes(&r, queued, n, WANTS);
		assert_int_equal(r.status, NA_OK);
		assert_int_equal(r.in.damaged, !whole);
		reading_end(&r);
	}
}

/* Without its rank, its times, its name; with times beyond 64 bits. */
static void test_hostile(void **state)
{
#define OBJECT(rest) \
	"{\"cat\":\"COLL\",\"comm_hash\":\"0x1\",\"ph\":\"X\"" rest "}\n"
	static const char text[] = OBJECT("") //
		OBJECT(",\"name\":\"send\"")  //
		OBJECT(",\"name\":\"send\",\"ts\":5,\"dur\":9,\"child_dur\":9")
			OBJECT(",\"name\":\"all_reduce\",\"rank\":0,\"ts\":"
			       "9223372036854775807,\"dur\":9,\"child_dur\":9")
				OBJECT(",\"name\":\"all_reduce\",\"rank\":0,"
				       "\"ts\":9000000000000000,\"dur\":"
				       "9000000000000000,\"child_dur\":1,"
				       "\"proxyops\":[{\"is_send\":true,"
				       "\"peer\":1,\"steps\":[7,[],{},{"
				       "\"start_time\":1e99}]}]");

	(void)state;
	expect(text, sizeof(text) - 1,
	       "L damaged 1\nL no_latency 1\nL bad_key 1\nL no_latency 1\n"
	       "L no_latency 1\nL no_latency 1\nL no_latency 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),    cmocka_unit_test(test_broken),
		cmocka_unit_test(test_process), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
