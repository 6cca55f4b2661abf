/*
 * NCCL Inspector's logs: lines as they are in the wild and as its README
 * shows them, read through the front door.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/nccl/inspector_line.h"
#include "netan/base/vec.h"
#include "netan/model/devices.h"
#include "netan/model/hosts/names.h"
#include "tests/unit/reading.h"

#define WANTS (NA_WANT_COMMS | NA_WANT_OPS | NA_WANT_TRANSFERS)

/* From a test of DataDog's agent. */
static const char real[] =
	"{\"header\":{\"id\":\"0xad56c683b0c4ef\",\"rank\":1,\"n_ranks\":3,"
	"\"nnodes\":3},\"metadata\":{\"inspector_output_format_version\":"
	"\"v4.0\",\"git_rev\":\"standalone-build\",\"hostname\":"
	"\"nanogpt-nccl-test-worker-0\",\"pid\":48,\"dump_timestamp_us\":"
	"1772585717263338},\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_sn\":"
	"8995,\"coll_msg_size_bytes\":2360832,\"coll_exec_time_us\":5663.0,"
	"\"coll_timing_source\":\"kernel_gpu\",\"coll_algobw_gbs\":0.416887,"
	"\"coll_busbw_gbs\":0.555850}}\n";

/* The examples of its README, each on a line. */
#define MARK(records) \
	"{\"header\":{\"id\":\"0x7f8c496ae9f661\",\"rank\":2,\"n_ranks\":8," \
	"\"nnodes\":1},\"metadata\":{\"inspector_output_format_version\":" \
	"\"v4.3\",\"git_rev\":\"\",\"rec_mechanism\":" \
	"\"nccl_profiler_interface\",\"dump_timestamp_us\":1752867229276385," \
	"\"hostname\":\"example-hostname\",\"pid\":1639453},\"dump_stats\":{" records \
	"}}\n"
#define KERNEL(channel, start, stop) \
	"{\"channel_id\":" channel ",\"kernel_start_ts\":" start \
	",\"kernel_stop_ts\":" stop ",\"kernel_record_ts\":" stop "}"
static const char verbose[] =
	"{\"coll_perf\":{\"coll\":\"ReduceScatter\",\"coll_algo\":\"RING\","
	"\"coll_proto\":\"SIMPLE\",\"coll_sn\":1231,\"coll_msg_size_bytes\":"
	"2147483648,\"coll_exec_time_us\":41057,\"coll_timing_source\":"
	"\"kernel_gpu\",\"coll_algobw_gbs\":418.439467,\"event_trace_sn\":{"
	"\"coll_start_sn\":1,\"coll_stop_sn\":2},\"event_trace_ts\":{"
	"\"coll_start_ts\":1752867229235059,\"coll_stop_ts\":1752867229235064,"
	"\"kernel_events\":[" KERNEL("0", "1752867229235181",
				     "1752867229275811") "," //
	KERNEL("1", "1752867229235180", "1752867229275810") "]}}}\n";
static const char p2p[] =
	"{\"p2p_perf\":{\"p2p\":\"Recv\",\"p2p_sn\":7,\"p2p_peer\":5,"
	"\"p2p_msg_size_bytes\":4096,\"p2p_exec_time_us\":12,"
	"\"p2p_timing_source\":\"collective_cpu\",\"event_trace_ts\":{"
	"\"p2p_start_ts\":1752867229235059,\"kernel_events\":[" KERNEL(
		"0", "1752867229235200", "1752867229235212") "]}}}\n";
static const char step[] =
	"{\"proxy_trace\":{\"record_type\":\"proxy_step\",\"record_sn\":41,"
	"\"parent_type\":\"coll\",\"parent_sn\":1407,\"proxy_op_sn\":12,"
	"\"rank\":2,\"channel_id\":0,\"peer\":3,\"direction\":\"send\","
	"\"proxy_step_sn\":1,\"step\":0,\"trans_size_bytes\":1048576,"
	"\"event_trace_ts\":{\"proxy_step_start_ts\":1752867229235100,"
	"\"send_gpu_wait_ts\":1752867229235110,\"send_peer_wait_ts\":"
	"1752867229235120,\"send_wait_ts\":1752867229235130,"
	"\"proxy_step_stop_ts\":1752867229235140}}}\n";

/* ---- a sink that writes lines */

struct heard_lines {
	struct na_names names;
	struct na_devices devices;
	char *text;
	size_t n;
	FILE *out;
};

static enum na_status on_comm(void *ctx, const struct na_comm *x)
{
	struct heard_lines *h = ctx;

	fprintf(h->out,
		"%s/%u #%" PRId64 " op %u bytes %" PRIu64
		" peer %d r%d %" PRId64 "..%" PRId64 " by %u\n",
		na_strtab_at(&h->names.strings, x->group), x->group_size,
		x->sequence, x->operation, x->size_bytes, x->peer,
		h->devices.cores[x->core].number, x->start_ps, x->end_ps,
		x->source);
	return NA_OK;
}

static enum na_status on_op(void *ctx, const struct na_op *x)
{
	struct heard_lines *h = ctx;

	fprintf(h->out, "op %s\n",
		na_strtab_at(&h->names.strings,
			     h->devices.types.items[x->type].name));
	return NA_OK;
}

static enum na_status on_transfer(void *ctx, const struct na_transfer *t)
{
	char a[NA_ENDPOINT_BUF], b[NA_ENDPOINT_BUF];
	struct heard_lines *h = ctx;

	fprintf(h->out, "%s->%s %s %" PRIu64 " %" PRId64 "..%" PRId64 "\n",
		na_endpoint_print(a, &h->names, &h->names.endpoints[t->src]),
		na_endpoint_print(b, &h->names, &h->names.endpoints[t->dst]),
		na_strtab_at(&h->names.strings, t->type), t->size_bytes,
		t->start_ps, t->end_ps);
	return NA_OK;
}

static uint32_t on_core(void *ctx, enum na_device_kind kind, int32_t number)
{
	struct heard_lines *h = ctx;

	assert_int_equal(kind, NA_DEVICE_RANK);
	return na_devices_core(&h->devices, kind, 0, number);
}

static uint32_t on_op_type(void *ctx, const struct na_op_type *t)
{
	return na_devices_type(&((struct heard_lines *)ctx)->devices, t);
}

static uint32_t on_name(void *ctx, const char *s, size_t n)
{
	return na_strtab_add(&((struct heard_lines *)ctx)->names.strings, s, n);
}

static uint32_t on_address(void *ctx, const char *s, size_t n)
{
	return na_names_address(&((struct heard_lines *)ctx)->names, s, n);
}

static void on_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	fprintf(((struct heard_lines *)ctx)->out, "left %s %" PRIu64 "\n",
		why == NA_LEFT_DAMAGED ? "damaged" : "aggregated", n);
}

static void on_warn(void *ctx, uint64_t at, const char *text)
{
	(void)text;
	fprintf(((struct heard_lines *)ctx)->out, "warn at %" PRIu64 "\n", at);
}

static void hear(struct heard_lines *h, struct na_input *in)
{
	const struct na_sink sink = {
		.ctx = h,
		.comm = on_comm,
		.op = on_op,
		.transfer = on_transfer,
		.core = on_core,
		.op_type = on_op_type,
		.name = on_name,
		.address = on_address,
		.left_out = on_left_out,
		.warn = on_warn,
	};
	struct na_err err = {.status = NA_OK};
	struct na_block b;

	memset(h, 0, sizeof(*h));
	h->out = open_memstream(&h->text, &h->n);
	assert_non_null(h->out);
	in->zero_ns = in->first_ns;
	while (in->reader->cut(in, &b, &err) == NA_OK)
		assert_int_equal(in->reader->read(in, &b, &sink, &err), NA_OK);
	fclose(h->out);
}

static void forget(struct heard_lines *h, struct na_input *in)
{
	free(h->text);
	na_names_fini(&h->names);
	na_devices_fini(&h->devices);
	na_input_close(in);
}

static void open_text(struct na_input *in, const char *text, size_t n)
{
	struct na_err err = {.status = NA_OK};
	int fd = file_of(text, n);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(na_input_open(in, path, WANTS, NULL, &err), NA_OK);
	close(fd);
	assert_string_equal(in->format, "inspector");
}

static void expect(const char *text, const char *lines)
{
	struct heard_lines h;
	struct na_input in;

	open_text(&in, text, strlen(text));
	hear(&h, &in);
	assert_string_equal(h.text, lines);
	forget(&h, &in);
}

/* ---- tests */

static void test_real_line(void **state)
{
	struct heard_lines h;
	struct na_input in;

	(void)state;
	open_text(&in, real, sizeof(real) - 1);
	assert_int_equal(in.rank, 1);
	assert_int_equal(in.world_size, 3);
	assert_string_equal(in.host, "nanogpt-nccl-test-worker-0");
	assert_true(in.has_wall);
	assert_int_equal(in.first_ns, INT64_C(1772585717257675000));
	assert_int_equal(in.n_warnings, 1); /* not when it was */
	hear(&h, &in);
	assert_string_equal(h.text, "0,1,2/3 #8995 op 3 bytes 2360832 peer "
				    "-1 r1 0..5663000000 by 4\n");
	forget(&h, &in);
}

static void test_lines_of_a_dump(void **state)
{
	char text[8192];

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s%s", MARK("\"coll_records\":1"),
		 verbose, p2p, step);
	expect(text, "0,1,2,3,4,5,6,7/8 #1231 op 5 bytes 17179869184 peer -1 "
		     "r2 50000000..40681000000 by 0\n"
		     "op ReduceScatter\n"
		     "0,1,2,3,4,5,6,7/8 #7 op 2 bytes 4096 peer 5 r2 "
		     "70000000..82000000 by 1\n"
		     "op Recv\n"
		     "r5->r2 RECV 4096 70000000..82000000\n"
		     "r2->r3 proxy_step 1048576 0..10000000\n");
}

#define GATHERED(sn, more) \
	"{\"coll_perf\":{\"coll\":\"AllGather\",\"coll_sn\":" sn \
	",\"coll_msg_size_bytes\":8192,\"coll_exec_time_us\":12" more \
	",\"event_trace_ts\":{\"coll_start_ts\":1752867229235059," \
	"\"kernel_events\":[" KERNEL("0", "1752867229235200", \
				     "1752867229235212") "]}}}\n"

/* One rank's part, unless the line's own bandwidth says that it is all. */
static void test_gathered(void **state)
{
	char text[8192];

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s%s", MARK("\"coll_records\":3"),
		 GATHERED("1", ""),
		 GATHERED("2", ",\"coll_algobw_gbs\":5.461333"),
		 GATHERED("3", ",\"coll_algobw_gbs\":0.682667"));
	expect(text, "0,1,2,3,4,5,6,7/8 #1 op 4 bytes 65536 peer -1 r2 "
		     "0..12000000 by 0\nop AllGather\n"
		     "0,1,2,3,4,5,6,7/8 #2 op 4 bytes 65536 peer -1 r2 "
		     "0..12000000 by 0\nop AllGather\n"
		     "0,1,2,3,4,5,6,7/8 #3 op 4 bytes 8192 peer -1 r2 "
		     "0..12000000 by 0\nop AllGather\n");
}

#define RATED(rate) GATHERED("1", ",\"coll_algobw_gbs\":" rate)

/* As Inspector writes it of what took no time, and other such. */
static void test_no_bandwidth(void **state)
{
	static const char *const lines[] = {
		RATED("inf"),  RATED("\"nan\""), RATED("-nan"),
		RATED("null"), RATED("-0.5"),    RATED("1e300"),
	};
	char text[8192];

	(void)state;
	for (size_t i = 0; i < NA_LEN(lines); i++) {
		snprintf(text, sizeof(text), "%s%s", MARK(""), lines[i]);
		expect(text, "0,1,2,3,4,5,6,7/8 #1 op 4 bytes 65536 peer -1 r2 "
			     "0..12000000 by 0\nop AllGather\n");
	}
}

static void test_lost_records(void **state)
{
	(void)state;
	expect(MARK("\"coll_dropped_total\":4096,"
		    "\"coll_dropped_since_last_dump\":512,"
		    "\"p2p_dropped_since_last_dump\":3"),
	       "left aggregated 515\n");
}

static void test_without_its_dump(void **state)
{
	(void)state;
	expect(step, "left damaged 1\nwarn at 0\n");
}

/* A later communicator is another group; its ranks are not the job's. */
static void test_two_communicators(void **state)
{
	struct heard_lines h;
	struct na_input in;
	char text[4096];

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s",
		 "{\"header\":{\"id\":\"0x1\",\"rank\":0,\"n_ranks\":2},"
		 "\"metadata\":{\"dump_timestamp_us\":1752867229276385},"
		 "\"dump_stats\":{}}\n",
		 p2p, MARK(""));
	open_text(&in, text, strlen(text));
	assert_int_equal(in.rank, 2);
	assert_int_equal(in.world_size, 8);
	hear(&h, &in);
	assert_string_equal(h.text, "0x1/2 #7 op 2 bytes 4096 peer -1 r2 "
				    "0..12000000 by 1\nop Recv\n");
	forget(&h, &in);
}

/* More than a block: lines far behind their dump_stats still know it. */
static void test_blocks(void **state)
{
	enum { LINES = 5000 };
	size_t one = sizeof(verbose) - 1, n = 0;
	char *text = malloc(LINES * one + 1024);
	struct heard_lines h;
	struct na_input in;
	size_t told = 0;

	(void)state;
	assert_non_null(text);
	n = (size_t)sprintf(text, "%s", MARK(""));
	for (size_t i = 0; i < LINES; i++, n += one)
		memcpy(text + n, verbose, one);
	open_text(&in, text, n);
	hear(&h, &in);
	for (const char *p = h.text; (p = strstr(p, "#1231")); p++)
		told++;
	assert_int_equal(told, LINES);
	assert_null(strstr(h.text, "left"));
	forget(&h, &in);
	free(text);
}

/* Cut anywhere: what is whole is told, and the rest is counted once. */
static void test_every_cut(void **state)
{
	size_t mark = strlen(MARK("")), all;
	char text[8192];

	(void)state;
	all = (size_t)snprintf(text, sizeof(text), "%s%s", MARK(""), verbose);
	for (size_t n = mark; n < all; n++) {
		struct heard_lines h;
		struct na_input in;
		bool whole = n >= all - 1;

		open_text(&in, text, n);
		hear(&h, &in);
		assert_int_equal(strstr(h.text, "#1231") != NULL, whole);
		assert_int_equal(strstr(h.text, "left damaged 1") != NULL,
				 !whole && n > mark);
		forget(&h, &in);
	}
}

static void test_hostile_lines(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"}",
		"{}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
		"{\"header\":{\"id\":\"\\",
		"{\"header\":{\"id\":12}}",
		"{\"header\":{\"rank\":\"1\"}}",
		"{\"header\":{\"rank\":1e999}}",
		"{\"header\":{\"rank\":-7}}",
		"{\"coll_perf\":{\"coll_exec_time_us\":9223372036854775807}}",
	};
	static const char other[] =
		"{\"header\":{\"id\":\"\\\"rank\\\":3\",\"a\":{}},\"other\":{"
		"\"coll_sn\":5,\"rank\":9}}";
	struct na_inspector_line x;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(
			na_inspector_parse(na_text_n(bad[i], strlen(bad[i])),
					   &x));
	}
	/* Words of a string are no keys, and keys of others are not ours. */
	assert_true(
		na_inspector_parse(na_text_n(other, sizeof(other) - 1), &x));
	assert_int_equal(x.rank, -1);
	assert_int_equal(x.sequence, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_line),
		cmocka_unit_test(test_lines_of_a_dump),
		cmocka_unit_test(test_gathered),
		cmocka_unit_test(test_no_bandwidth),
		cmocka_unit_test(test_lost_records),
		cmocka_unit_test(test_without_its_dump),
		cmocka_unit_test(test_two_communicators),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_hostile_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
