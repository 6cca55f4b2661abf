/* Device ops of traces: what they are, and when the device was busy. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/little_trace.h"
#include "tests/unit/reading.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TPU      "/device:TPU:0"

static void read_little(struct reading *r, const struct little_trace *t,
			uint32_t wants)
{
	size_t n;
	uint8_t *p = little_bytes(t, &n);

	read_bytes(r, p, n, wants);
	free(p);
}

static void expect(struct reading *r, const char *want, const char *what)
{
	if (r->status != NA_OK)
		fail_msg("%s: %s", what, r->err.text);
	if (strcmp(r->text, want) != 0)
		fail_msg("%s:\n got %swant %s", what, r->text, want);
}

/* One event of one type, at 0 for 9 ps. */
static void check_type(const char *plane, const char *line, const char *want,
		       const struct little_type *type, uint32_t wants)
{
	const struct little_event event = {type->name, 0, 9, {{NULL, NULL}}};
	struct little_trace t = {.plane = plane,
				 .line = line,
				 .events = &event,
				 .n = 1,
				 .types = type,
				 .n_types = 1};
	struct reading r;

	read_little(&r, &t, wants);
	expect(&r, want, type->name);
	reading_end(&r);
}

#define HANDLER(name) "_xla_host_transfer_handler_name=\"" name "\""
#define PEER          "_xla_host_transfer_rendezvous=\"psum.4_0\""
#define SHAPE         "(f32[4]{0:T(128)}, u32[]{:S(2)}, token[])"

struct row {
	const char *want;
	struct little_type type;
};

/* docs/formats.md, "XSpace: device planes": which ops are of the data-center
 * network */
static const struct row dcn_rows[] = {
	{"O dcn start TPU 0 send.5 0 9 op 1 p7 c3 size 20 group 2x3 psum.4_0! "
	 "ALL_REDUCE jit_f of - kernel -\n",
	 {"%send.5 = " SHAPE " send(f32[4] %a, token[] %t), channel_id=3, "
	  "is_host_transfer=true, frontend_attributes={" HANDLER(
		  "xla_megascale_runtime") "," PEER
					   ",_xla_megascale_transfer_type=\"ALL_REDUCE\"}",
	  "send.5",
	  {{"hlo_category", "r:host send"},
	   {"program_id", "u:7"},
	   {"hlo_module", "s:jit_f(7)"},
	   {"dcn_collective_info", "b:0805"
				   "120c0a0408001000"
				   "0a0208010a00"
				   "120a0a0210010a0210020a00"}}}},
	/* the type only in the constants; unequal groups */
	{"O dcn start TPU 0 recv.5 0 9 op 2 p18446744073709551614 c4 size 20 "
	 "group 2x2? psum.4_0! ALL_GATHER - of - kernel -\n",
	 {"%recv.5 = " SHAPE " recv(token[] %t), channel_id=4, "
	  "is_host_transfer=true, frontend_attributes={" PEER "}",
	  NULL,
	  {{"program_id", "u:18446744073709551614"},
	   {"dcn_collective_info", "b:080412040a000a0012020a00"}}}},
	/* one to one: groups of one, whatever else there is */
	{"O dcn done TPU 0 recv-done.5 0 9 op 2 c4 size 16 group 3x1 - "
	 "ONE_TO_ONE - of recv.5 kernel -\n",
	 {"%recv-done.5 = (f32[4]{0:T(128)}, token[]) recv-done(" SHAPE
	  " %recv.5), channel_id=4, is_host_transfer=true",
	  "recv-done.5",
	  {{"dcn_collective_info", "b:080212020a001a001a001a00"}}}},
	/* by its category alone */
	{"O dcn done TPU 0 send-done.5 0 9 op 1 - - - of - kernel -\n",
	 {"send-done.5", NULL, {{"hlo_category", "s:Host Send-done"}}}},
	{"O dcn start TPU 0 recv.5 0 9 op 2 - - - of - kernel -\n",
	 {"long name that is no instruction",
	  "recv.5",
	  {{"hlo_category", "s:host recv"}}}},
	/* nothing but its name */
	{"O dcn start TPU 0 send 0 9 op 1 - - - of - kernel -\n",
	 {"send", NULL, {{NULL, NULL}}}},
	/* another handler: the host's own business */
	{"B TPU 0 0 9\n",
	 {"%send.5 = " SHAPE " send(%a), channel_id=3, is_host_transfer=true, "
	  "frontend_attributes={" HANDLER("tf_rendezvous") "," PEER "}",
	  "send.5",
	  {{"hlo_category", "s:host send"}}}},
};

static const struct row ici_rows[] = {
	{"O ici start TPU 0 send.5 0 9 op 1 c3 size 20 - - - of - kernel -\n",
	 {"%send.5 = " SHAPE " send(%a), channel_id=3",
	  NULL,
	  {{"hlo_category", "s:send"}}}},
	{"O ici whole TPU 0 psum.1 0 9 op 3 c1 size 16 group 4x2 - ALL_REDUCE "
	 "- of - kernel -\n",
	 {"%psum.1 = f32[4] all-reduce(f32[4] %b), channel_id=1, "
	  "replica_groups=[4,2]<=[2,4]T(1,0), to_apply=%r",
	  "psum.1",
	  {{NULL, NULL}}}},
	{"O ici done TPU 0 all-gather-done 0 9 op 4 size 16 - ALL_GATHER - of "
	 "all-gather-start kernel -\n",
	 {"%all-gather-done = f32[4] all-gather-done(%all-gather-start)",
	  NULL,
	  {{NULL, NULL}}}},
	{"O ici whole TPU 0 reduce-scatter.8 0 9 op 5 - REDUCE_SCATTER - of - "
	 "kernel -\n",
	 {"reduce-scatter.8", NULL, {{NULL, NULL}}}},
	{"O ici start TPU 0 mine 0 9 op 8 - COLLECTIVE_PERMUTE - of - kernel -\n",
	 {"mine", NULL, {{"hlo_category", "s:collective-permute-start"}}}},
	/* a fusion is what the text says, whatever its name is */
	{"B TPU 0 0 9\n",
	 {"%all-reduce.5 = f32[4] fusion(%a), kind=kCustom",
	  "all-reduce.5",
	  {{"hlo_category", "s:all-reduce fusion"}}}},
	{"B TPU 0 0 9\n", {"fusion.3", NULL, {{NULL, NULL}}}},
	{"B TPU 0 0 9\n", {"all-reduce-fusion.3", NULL, {{NULL, NULL}}}},
	/* they span others, and do nothing */
	{"", {"while.3", NULL, {{NULL, NULL}}}},
	{"",
	 {"%loop = (s32[], f32[4]) while(%tuple), condition=%c, body=%b",
	  "loop",
	  {{"hlo_category", "s:while"}}}},
	{"", {"call-start.3", NULL, {{NULL, NULL}}}},
};

static void types(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(dcn_rows); i++)
		check_type(TPU, "XLA Ops", dcn_rows[i].want, &dcn_rows[i].type,
			   DEVICE_RECORDS);
	for (size_t i = 0; i < COUNT(ici_rows); i++)
		check_type(TPU, "XLA Ops", ici_rows[i].want, &ici_rows[i].type,
			   DEVICE_RECORDS);
}

/* Only what was asked for, and only on the one line. */
static void elsewhere(void **state)
{
	static const struct little_type op = {"all-reduce.3",
					      NULL,
					      {{NULL, NULL}}};
	static const struct little_type pass = {"all-reduce",
						NULL,
						{{NULL, NULL}}};
	static const struct little_type fusion = {"fusion",
						  NULL,
						  {{NULL, NULL}}};

	(void)state;
	check_type(TPU, "Async XLA Ops", "", &op, DEVICE_RECORDS);
	check_type(TPU, "XLA TraceMe", "", &op, DEVICE_RECORDS);
	check_type(TPU " SparseCore 1", "XLA Ops", "", &op, DEVICE_RECORDS);
	check_type("/host:CPU", "XLA Ops", "", &pass, DEVICE_RECORDS);
	check_type("/host:CPU", "tf_xla-cpu-codegen/1", "", &pass,
		   DEVICE_RECORDS | ALL_RECORDS);
	check_type(TPU, "XLA Ops", "", &op, NA_WANT_BUSY);
	check_type(TPU, "XLA Ops", "", &fusion, NA_WANT_OPS);
	check_type(TPU, "XLA Ops", "", &fusion, NA_WANT_STEPS);
	check_type("/device:GPU:0", "XLA Ops", "", &op, DEVICE_RECORDS);
}

/* The -done of another handler's transfer does not say whose it is; its
 * start does: by operand, or by channel.  In another program the same names
 * are another transfer. */
static void other_handlers(void **state)
{
	static const struct little_type all[] = {
		{"%recv-done.1 = (f32[4], token[]) recv-done(%recv.1), "
		 "is_host_transfer=true",
		 "recv-done.1",
		 {{"program_id", "u:1"}, {"hlo_category", "s:host recv"}}},
		{"%recv.1 = " SHAPE " recv(%t), channel_id=5, "
		 "is_host_transfer=true, frontend_attributes={" HANDLER(
			 "tf_rendezvous") "}",
		 "recv.1",
		 {{"program_id", "i:1"}}},
		{"%recv-done.2 = (f32[4], token[]) recv-done(%x), "
		 "is_host_transfer=true, channel_id=5",
		 "recv-done.2",
		 {{"program_id", "u:1"}}},
		{"%recv-done.1 = (f32[4], token[]) recv-done(%recv.1), "
		 "is_host_transfer=true, channel_id=5",
		 "recv-done.1",
		 {{"program_id", "u:2"}}},
	};
	struct little_event events[COUNT(all)];
	struct little_trace t = {.plane = TPU,
				 .line = "XLA Ops",
				 .events = events,
				 .n = COUNT(all),
				 .types = all,
				 .n_types = COUNT(all)};
	struct reading r;

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++)
		events[i] = (struct little_event){all[i].name,
						  (int64_t)i * 10,
						  5,
						  {{NULL, NULL}}};
	read_little(&r, &t, DEVICE_RECORDS);
	expect(&r,
	       "B TPU 0 0 5\nB TPU 0 10 15\nB TPU 0 20 25\n"
	       "O dcn done TPU 0 recv-done.1 30 35 op 2 p2 c5 size 16 - - - "
	       "of recv.1 kernel -\n",
	       "handlers");
	reading_end(&r);
}

/* Times are the events' own; a type is told once for each block. */
static void events(void **state)
{
	static const struct little_event some[] = {
		{"send.1", 10, 0, {{"device_offset_ps", "u:77"}}},
		{"send.1", 20, 5, {{"device_duration_ps", "u:99"}}},
		{"fusion", 30, -1, {{NULL, NULL}}},
		{"while.1", 30, -1, {{NULL, NULL}}},
		{"fusion", INT64_MAX, 2, {{NULL, NULL}}},
		{"fusion", 40, 0, {{NULL, NULL}}},
		{"send.1", 50, INT64_MAX, {{NULL, NULL}}},
		{"infeed.1", 60, 7, {{"hlo_category", "s:infeed"}}},
		{"infeed.2", 70, 7, {{NULL, NULL}}},
		{"infeed-fix", 80, 7, {{NULL, NULL}}},
	};
	struct little_trace t = {.plane = TPU,
				 .line = "XLA Ops",
				 .line_ns = 3,
				 .events = some,
				 .n = COUNT(some)};
	struct reading r;

	(void)state;
	read_little(&r, &t, DEVICE_RECORDS);
	expect(&r,
	       "O dcn start TPU 0 send.1 10 10 op 1 - - - of - kernel -\n"
	       "O dcn start TPU 0 send.1 20 25 op 1 - - - of - kernel -\n"
	       "L bad_duration 1\n"
	       "L bad_duration 1\n"
	       "B TPU 0 40 40\n"
	       "L bad_duration 1\n"
	       "B TPU 0 80 87\n",
	       "events");
	assert_int_equal(r.types_told, 1);
	reading_end(&r);
}

/* ---- GPU streams */

static const struct {
	const char *line, *want;
	struct little_event event;
} gpu_rows[] = {
	{"Stream #14(Compute)",
	 "O gpu whole GPU 2 all-reduce-start.7 0 9 op 3 p5 - ALL_REDUCE jit_f "
	 "of - kernel ncclDevKernel_AllReduce_Sum_bf16_RING_LL\n",
	 {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<"
	  "4096ul>)",
	  0,
	  9,
	  {{"hlo_op", "r:all-reduce-start.7"},
	   {"hlo_module", "r:jit_f"},
	   {"program_id", "u:5"}}}},
	{"Stream #3",
	 "O gpu whole GPU 2 NCCLKernel_SendRecv 0 9 op 11 - SEND_RECV - of - "
	 "kernel NCCLKernel_SendRecv\n",
	 {"NCCLKernel_SendRecv", 0, 9, {{NULL, NULL}}}},
	{"Stream #3(Kernel,MemcpyD2D)",
	 "O gpu whole GPU 2 ncclKernel_ReduceScatter_RING_LL_Sum_float 0 9 op "
	 "5 - REDUCE_SCATTER - of - kernel "
	 "ncclKernel_ReduceScatter_RING_LL_Sum_float\n",
	 {"ncclKernel_ReduceScatter_RING_LL_Sum_float", 0, 9, {{NULL, NULL}}}},
	{"Stream #3",
	 "O gpu whole GPU 2 ncclDevKernel_Reduce_Sum_f32_TREE_LL 0 9 op 10 - "
	 "REDUCE - of - kernel ncclDevKernel_Reduce_Sum_f32_TREE_LL\n",
	 {"ncclDevKernel_Reduce_Sum_f32_TREE_LL", 0, 9, {{NULL, NULL}}}},
	/* a kernel for anything: what its instruction is */
	{"Stream #3",
	 "O gpu whole GPU 2 all-to-all.2 0 9 op 6 - ALL_TO_ALL - of - kernel "
	 "ncclDevKernel_Generic\n",
	 {"ncclDevKernel_Generic(ncclDevKernelArgsStorage)",
	  0,
	  9,
	  {{"hlo_op", "s:all-to-all.2"}}}},
	{"Stream #3",
	 "O gpu whole GPU 2 ncclDevKernel_Generic 0 9 op 0 - - - of - kernel "
	 "ncclDevKernel_Generic\n",
	 {"ncclDevKernel_Generic", 0, 9, {{NULL, NULL}}}},
	{"Stream #3", "B GPU 2 0 9\n", {"gemm_nccl", 0, 9, {{NULL, NULL}}}},
	{"Stream #3", "", {"MemcpyH2D", 0, 9, {{NULL, NULL}}}},
	{"Stream #3",
	 "",
	 {"anything", 0, 9, {{"memcpy_details", "s:kind_src:device"}}}},
	{"Stream #3(MemcpyH2D,Memset)", "", {"anything", 0, 9, {{NULL, NULL}}}},
	{"Stream #3(Compute,MemcpyH2D)",
	 "B GPU 2 0 9\n",
	 {"anything", 0, 9, {{NULL, NULL}}}},
	{"Stream #3", "L bad_duration 1\n", {"any", 0, -9, {{NULL, NULL}}}},
	{"CUPTI overhead", "", {"anything", 0, 9, {{NULL, NULL}}}},
};

static void gpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(gpu_rows); i++) {
		struct little_trace t = {.plane = "/device:GPU:2",
					 .line = gpu_rows[i].line,
					 .events = &gpu_rows[i].event,
					 .n = 1};
		struct reading r;

		read_little(&r, &t, DEVICE_RECORDS);
		expect(&r, gpu_rows[i].want, gpu_rows[i].event.name);
		reading_end(&r);
	}
}

/* Without a line of steps, kernels tell them. */
static void steps_of_kernels(void **state)
{
	const struct little_event event = {"gemm", 0, 9, {{"group_id", "i:7"}}};
	struct little_trace t = {.plane = "/device:GPU:2",
				 .line = "Stream #3",
				 .events = &event,
				 .n = 1};
	struct reading r;

	(void)state;
	read_little(&r, &t, NA_WANT_STEPS);
	expect(&r, "S step 0 9 7 plane 2 \"-\"\n", "gemm");
	reading_end(&r);
}

static size_t lines_with(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part))) {
		n++;
		text += strlen(part);
	}
	return n;
}

/* What no device can be busy for is damage, on either kind of plane; the
 * longest that it can is told. */
static void too_long(void **state)
{
	static const char *const planes[][3] = {
		{TPU, "XLA Ops", "%fusion.1 = f32[8] fusion(f32[8] %p)"},
		{TPU, "XLA Ops",
		 "%all-reduce.1 = f32[8] all-reduce(f32[8] %p)"},
		{"/device:GPU:2", "Stream #14", "gemm"},
		{"/device:GPU:2", "Stream #14", "ncclDevKernel_AllReduce"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(planes); i++) {
		const struct little_event events[] = {
			{planes[i][2], 7, NA_OP_MAX_PS + 1, {{NULL, NULL}}},
			{planes[i][2], 7, INT64_MAX - 7, {{NULL, NULL}}},
			{planes[i][2], 9, NA_OP_MAX_PS, {{NULL, NULL}}},
		};
		struct little_trace t = {.plane = planes[i][0],
					 .line = planes[i][1],
					 .events = events,
					 .n = COUNT(events)};
		struct reading r;

		read_little(&r, &t, DEVICE_RECORDS);
		assert_int_equal(r.status, NA_OK);
		assert_int_equal(lines_with(r.text, "bad_duration"), 2);
		assert_int_equal(lines_with(r.text, " 9 4503599627370505"), 1);
		assert_int_equal(lines_with(r.text, " 7 "), 0);
		reading_end(&r);
	}
}

/* A kernel as an action has its instruction for a collective. */
static void actions(void **state)
{
	struct little_trace t = {.plane = "/device:GPU:2",
				 .line = "Stream #14",
				 .events = &gpu_rows[0].event,
				 .n = 1};
	struct reading r;

	(void)state;
	read_little(&r, &t, NA_WANT_KERNELS);
	expect(&r,
	       "A kernel graph 0 9 size 0 - all-reduce-start.7 ALL_REDUCE l- "
	       "i- ncclDevKernel_AllReduce_Sum_bf16_RING_LL("
	       "ncclDevKernelArgsStorage<4096ul>)\n",
	       "kernel");
	reading_end(&r);
}

/* ---- real traces */

/* Sums of durations by device, from the truth file of the trace. */
static void check_sums(const char *text)
{
	static const int64_t want[] = {365076256344, 365112927984, 365089388922,
				       365127306422};
	int64_t sums[COUNT(want)] = {0}, start, end;
	int device;

	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		assert_int_equal(sscanf(p,
					"O ici whole TPU %d all-reduce "
					"%" SCNd64 " %" SCNd64 " op 3 p",
					&device, &start, &end),
				 3);
		assert_in_range(device, 0, COUNT(want) - 1);
		sums[device] += end - start;
	}
	assert_memory_equal(sums, want, sizeof(want));
}

static void real(void **state)
{
	static const struct {
		const char *name;
		size_t ops;
	} files[] = {
		{"tpu_inference_2", 12},
		{"gpu_mi300_8dev_conv", 0},
		{"gpu_mi355_te_fused_attn_megascale_plane_empty", 0},
	};
	const char *data = getenv("NETAN_TEST_DATA");

	(void)state;
	if (!data) {
		puts("skip: NETAN_TEST_DATA is not set");
		skip();
	}
	for (size_t i = 0; i < COUNT(files); i++) {
		struct reading r;
		size_t n = 0, size = 4 << 20;
		uint8_t *p = malloc(size);
		char path[400];
		FILE *f;

		snprintf(path, sizeof(path), "%s/xplane/%s.xplane.pb", data,
			 files[i].name);
		f = fopen(path, "rb");
		if (!f)
			fail_msg("cannot read %s", path);
		assert_non_null(p);
		n = fread(p, 1, size, f);
		fclose(f);
		assert_true(n && n < size);
		read_bytes(&r, p, n, NA_WANT_OPS);
		assert_int_equal(r.status, NA_OK);
		assert_int_equal(r.records, files[i].ops);
		if (files[i].ops)
			check_sums(r.text);
		reading_end(&r);
		free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types),    cmocka_unit_test(elsewhere),
		cmocka_unit_test(events),   cmocka_unit_test(other_handlers),
		cmocka_unit_test(gpus),     cmocka_unit_test(steps_of_kernels),
		cmocka_unit_test(actions),  cmocka_unit_test(real),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
