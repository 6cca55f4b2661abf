/*
 * Op types completed from HLO modules and from each other.  The modules are
 * texts; what must come out stands beside each op.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/hlo/hlo.h"
#include "tests/unit/hand_store.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define DCN(rendezvous) \
	"is_host_transfer=true, frontend_attributes={" \
	"_xla_host_transfer_handler_name=\"xla_megascale_runtime\"," \
	"_xla_host_transfer_rendezvous=\"" rendezvous "\"," \
	"_xla_megascale_transfer_type=\"ALL_REDUCE\"}"

/* The -done are numbered unlike their starts, and say no rendezvous.  By
 * number send-done.5 would be of send.5, which is another collective. */
static const char crossed[] =
	"HloModule jit_step, replica_count=2, num_partitions=4\n"
	"ENTRY %main (p: bf16[8,128]) -> bf16[8,128] {\n"
	"  %p = bf16[8,128] parameter(0)\n"
	"  %q = f32[16] constant({...})\n"
	"  %t = token[] after-all()\n"
	"  %send.5 = (bf16[8,128], u32[], token[]) send(%p, %t), channel_id=1, " DCN(
		"psum.1_0") "\n"
			    "  %recv.5 = (bf16[8,128], u32[], token[]) recv(%t), channel_id=2, " DCN(
				    "psum.1_0") "\n"
						"  %send.6 = (f32[16], u32[], token[]) send(%q, %t), channel_id=3, " DCN(
							"psum.2_0") "\n"
								    "  %recv.6 = (f32[16], u32[], token[]) recv(%t), channel_id=4, " DCN(
									    "psum.2_0") "\n"
											"  %send-done.5 = token[] send-done(%send.6), "
											"is_host_transfer=true\n"
											"  %send-done.6 = token[] send-done(%send.5), "
											"is_host_transfer=true\n"
											"  %recv-done.5 = (f32[16], token[]) recv-done(%recv.6), "
											"is_host_transfer=true\n"
											"  %recv-done.6 = (bf16[8,128], token[]) recv-done(%recv.5), "
											"is_host_transfer=true\n"
											"  %ars = bf16[8,128] all-reduce-start(%p), channel_id=9, "
											"replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=%add\n"
											"  %ard = bf16[8,128] all-reduce-done(%ars)\n"
											"  %ags = (f32[16], f32[64]) all-gather-start(%q), channel_id=10, "
											"replica_groups=[2,4]<=[8]\n"
											"  %agd = f32[64] all-gather-done(%ags)\n"
											"  %ar = f32[16] all-reduce(%q), replica_groups={}\n"
											"  %local = (f32[16], u32[], token[]) send(%q, %t), channel_id=11\n"
											"  %other = (f32[16], u32[], token[]) send(%q, %t), channel_id=12, "
											"is_host_transfer=true, frontend_attributes={"
											"_xla_host_transfer_handler_name=\"tf_rendezvous\","
											"_xla_host_transfer_rendezvous=\"x_1\"}\n"
											"  ROOT %r = bf16[8,128] copy(%p)\n"
											"}\n";

enum { SEND = NA_OPCODE_SEND, RECV = NA_OPCODE_RECV };
enum { START = NA_OP_START, DONE = NA_OP_DONE, WHOLE = NA_OP_WHOLE };

struct row {
	const char *name, *module;
	uint64_t program;
	uint8_t opcode, phase, network;
	/* From its text, where it has one. */
	const char *collective, *start;
	int64_t channel; /* 0: none */
	uint64_t size;   /* 0: not told */
	/* Wanted. */
	const char *want, *want_start;
	enum na_op_join way;
	uint64_t want_size; /* 0: unknown */
	uint32_t group_size, n_groups;
	int source;
	uint32_t info; /* group size of its dcn_collective_info */
};

static struct hand hand;
static struct na_hlo hlo;
static struct na_op_joins joins;

static void module(const char *text, const char *worker, uint32_t input,
		   uint64_t program)
{
	struct na_err err = {.status = NA_OK};

	if (na_hlo_read_text(&hlo, text, strlen(text),
			     na_hlo_worker(&hlo, worker), &err) != NA_OK)
		fail_msg("%s", err.text);
	hlo.modules[hlo.n_modules - 1].input = input;
	hlo.modules[hlo.n_modules - 1].program_id = program;
}

static void fill(const struct row *rows, size_t n)
{
	struct hand_row to[32];

	assert_true(n <= COUNT(to));
	memset(to, 0, sizeof(to));
	hand_init(&hand, 2, NULL);
	for (size_t i = 0; i < n; i++) {
		struct na_op_type *t = &to[i].op;

		to[i].what = HAND_OP;
		to[i].source = rows[i].source;
		to[i].end_ps = 10;
		to[i].op_name = rows[i].name;
		to[i].module = rows[i].module;
		to[i].name = rows[i].collective;
		to[i].start_op = rows[i].start;
		t->program_id = rows[i].program ? rows[i].program
						: NA_UNKNOWN_U64;
		t->opcode = rows[i].opcode;
		t->phase = rows[i].phase;
		t->network = rows[i].network;
		t->channel = rows[i].channel ? rows[i].channel : -1;
		t->size_bytes = rows[i].size ? rows[i].size : NA_UNKNOWN_U64;
		t->group_size = rows[i].info;
		if (rows[i].collective)
			t->joined = NA_OPJOIN_LONG_NAME;
	}
	hand_fill(&hand, to, n, 100);
	hand_resolve(&hand, NA_ANCHOR_AUTO);
}

static const char *shown(uint32_t name)
{
	return name == NA_UNKNOWN_U32
		       ? NULL
		       : na_strtab_at(&hand.store.names.strings, name);
}

static void same(const char *op, const char *what, const char *got,
		 const char *want)
{
	if (!got != !want || (got && strcmp(got, want) != 0))
		fail_msg("%s: %s is %s, not %s", op, what, got ? got : "none",
			 want ? want : "none");
}

static void check(const struct row *rows, size_t n)
{
	struct na_err err = {.status = NA_OK};
	uint64_t ways[NA_N_OPJOINS] = {0};

	fill(rows, n);
	assert_int_equal(na_store_join_programs(&hand.store, &hlo, &joins,
						&err),
			 NA_OK);
	assert_int_equal(hand.store.devices.types.n, n);
	for (size_t i = 0; i < n; i++) {
		const struct na_op_type *t = &hand.store.devices.types.items[i];
		uint64_t size = rows[i].want_size ? rows[i].want_size
						  : NA_UNKNOWN_U64;

		same(rows[i].name, "name", shown(t->name), rows[i].name);
		same(rows[i].name, "collective", shown(t->collective),
		     rows[i].want);
		same(rows[i].name, "start", shown(t->start_op),
		     rows[i].want_start);
		if (t->size_bytes != size)
			fail_msg("%s: size %llu", rows[i].name,
				 (unsigned long long)t->size_bytes);
		if (t->joined != rows[i].way)
			fail_msg("%s: joined by %d, not %d", rows[i].name,
				 t->joined, rows[i].way);
		if (t->group_size != rows[i].group_size ||
		    (rows[i].n_groups && t->n_groups != rows[i].n_groups))
			fail_msg("%s: %u groups of %u", rows[i].name,
				 t->n_groups, t->group_size);
		if (t->opcode != NA_OPCODE_OTHER)
			ways[rows[i].way]++;
	}
	assert_memory_equal(ways, joins.types, sizeof(ways));
	assert_int_equal(joins.modules, hlo.n_modules);
	hand_fini(&hand);
	na_hlo_fini(&hlo);
}

/* clang-format off */
static const struct row crossed_rows[] = {
	{"send.5", "jit_step", 77, SEND, START, NA_NET_DCN, .want = "psum.1_0",
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 2048},
	{"recv.5", "jit_step", 77, RECV, START, NA_NET_DCN, .want = "psum.1_0",
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 2048},
	{"send-done.5", "jit_step", 77, SEND, DONE, NA_NET_DCN,
	 .want = "psum.2_0", .want_start = "send.6", .way = NA_OPJOIN_GRAPH,
	 .want_size = 64},
	{"send-done.6", "jit_step", 77, SEND, DONE, NA_NET_DCN,
	 .want = "psum.1_0", .want_start = "send.5", .way = NA_OPJOIN_GRAPH,
	 .want_size = 2048},
	{"recv-done.5", "jit_step", 77, RECV, DONE, NA_NET_DCN,
	 .want = "psum.2_0", .want_start = "recv.6", .way = NA_OPJOIN_GRAPH,
	 .want_size = 64},
	{"recv-done.6", "jit_step", 77, RECV, DONE, NA_NET_DCN,
	 .want = "psum.1_0", .want_start = "recv.5", .way = NA_OPJOIN_GRAPH,
	 .want_size = 2048},
	{"ars", "jit_step", 77, NA_OPCODE_ALL_REDUCE, START, NA_NET_ICI,
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 2048, .group_size = 4,
	 .n_groups = 2},
	{"ard", "jit_step", 77, NA_OPCODE_ALL_REDUCE, DONE, NA_NET_ICI,
	 .want_start = "ars", .way = NA_OPJOIN_INSTRUCTION, .want_size = 2048,
	 .group_size = 4, .n_groups = 2},
	{"ags", "jit_step", 77, NA_OPCODE_ALL_GATHER, START, NA_NET_ICI,
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 256, .group_size = 4,
	 .n_groups = 2},
	{"ar", "jit_step", 77, NA_OPCODE_ALL_REDUCE, WHOLE, NA_NET_ICI,
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 64, .group_size = 2,
	 .n_groups = 4},
	{"ags", "jit_step", 77, NA_OPCODE_ALL_GATHER, WHOLE, NA_NET_GPU,
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 256, .group_size = 4},
};
/* clang-format on */

static void operands_decide(void **state)
{
	(void)state;
	na_hlo_init(&hlo, false);
	module(crossed, "a", 0, 77);
	check(crossed_rows, COUNT(crossed_rows));
}

/* By the module's name, where the trace numbers the program otherwise; from
 * a dump; of the run's name "jit_step(77)". */
static void by_name_and_dump(void **state)
{
	(void)state;
	na_hlo_init(&hlo, false);
	module(crossed, "a", 0, 5);
	check(crossed_rows, COUNT(crossed_rows));
	na_hlo_init(&hlo, false);
	module(crossed, "dumps", NA_UNKNOWN_U32, NA_UNKNOWN_U64);
	check(crossed_rows, COUNT(crossed_rows));
}

/* clang-format off */
static const struct row network_rows[] = {
	/* No text told that one stays in the slice, one in the host. */
	{"local", "jit_step", 77, SEND, START, NA_NET_DCN,
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 64},
	{"other", "jit_step", 77, SEND, START, NA_NET_DCN, .want = "x_1",
	 .way = NA_OPJOIN_INSTRUCTION, .want_size = 64},
	/* Its dcn_collective_info says that it does not. */
	{"local", "jit_step", 77, SEND, START, NA_NET_DCN, .info = 2,
	 .group_size = 2},
	/* The category said nothing, the module does. */
	{"send.5", "jit_step", 77, SEND, START, NA_NET_ICI,
	 .want = "psum.1_0"},
};
/* clang-format on */

static void networks(void **state)
{
	const struct na_op_type *t;
	struct na_err err = {.status = NA_OK};

	(void)state;
	na_hlo_init(&hlo, false);
	module(crossed, "a", 0, 77);
	fill(network_rows, COUNT(network_rows));
	assert_int_equal(na_store_join_programs(&hand.store, &hlo, &joins,
						&err),
			 NA_OK);
	t = hand.store.devices.types.items;
	assert_int_equal(t[0].network, NA_NET_ICI);
	assert_int_equal(t[0].opcode, SEND);
	assert_int_equal(t[1].opcode, NA_OPCODE_OTHER);
	assert_int_equal(t[2].network, NA_NET_DCN);
	assert_int_equal(t[3].network, NA_NET_DCN);
	same("send.5", "collective", shown(t[3].collective), "psum.1_0");
	assert_int_equal(joins.types[NA_OPJOIN_NONE], 1);
	assert_int_equal(joins.types[NA_OPJOIN_INSTRUCTION], 2);
	hand_fini(&hand);
	na_hlo_fini(&hlo);
}

/* No module at all: texts, the operand in a text, channel, suffix. */
static void texts_alone(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{"send.5", NULL, 1, SEND, START, NA_NET_DCN, "psum.1_0",
		 .channel = 1, .size = 2052, .want = "psum.1_0", .info = 8,
		 .way = NA_OPJOIN_LONG_NAME, .want_size = 2048,
		 .group_size = 8},
		{"recv.5", NULL, 1, RECV, START, NA_NET_DCN, "psum.1_0",
		 .channel = 2, .size = 2052, .want = "psum.1_0",
		 .way = NA_OPJOIN_LONG_NAME, .want_size = 2048,
		 .group_size = 8},
		/* Numbered as another's start: its operand decides. */
		{"send-done.6", NULL, 1, SEND, DONE, NA_NET_DCN, NULL,
		 "send.5", .channel = 1, .want = "psum.1_0",
		 .want_start = "send.5", .way = NA_OPJOIN_GRAPH,
		 .want_size = 2048, .group_size = 8},
		/* No operand in its text: the channel. */
		{"recv-done.9", NULL, 1, RECV, DONE, NA_NET_DCN, NULL, NULL,
		 .channel = 2, .size = 2048, .want = "psum.1_0",
		 .want_start = "recv.5", .way = NA_OPJOIN_CHANNEL,
		 .want_size = 2048, .group_size = 8},
		{"send.6", NULL, 1, SEND, START, NA_NET_DCN, "psum.2_0",
		 .channel = 3, .want = "psum.2_0", .way = NA_OPJOIN_LONG_NAME},
		{"recv.7", NULL, 1, RECV, START, NA_NET_DCN, "psum.3_0",
		 .channel = 4, .want = "psum.3_0", .way = NA_OPJOIN_LONG_NAME},
		/* Nothing but a name: the suffix. */
		{"recv-done.7", NULL, 1, RECV, DONE, NA_NET_DCN,
		 .want = "psum.3_0", .want_start = "recv.7",
		 .way = NA_OPJOIN_SUFFIX},
		/* Operands that start nothing: the channel; its own text. */
		{"send-done.9", NULL, 1, SEND, DONE, NA_NET_DCN, NULL, "x",
		 .channel = 3, .want = "psum.2_0", .want_start = "send.6",
		 .way = NA_OPJOIN_CHANNEL},
		{"send-done.10", NULL, 1, SEND, DONE, NA_NET_DCN, "psum.3_0",
		 "param.1", .want = "psum.3_0", .way = NA_OPJOIN_LONG_NAME},
		/* No such suffix. */
		{"recv-done.8", NULL, 1, RECV, DONE, NA_NET_DCN, .way = 0},
		{"all-reduce.1", NULL, 1, NA_OPCODE_ALL_REDUCE, WHOLE,
		 NA_NET_ICI, .size = 64, .want_size = 64,
		 .way = NA_OPJOIN_LONG_NAME},
		{"all-reduce.2", NULL, 1, NA_OPCODE_ALL_REDUCE, WHOLE,
		 NA_NET_ICI, .way = 0},
	};
	/* clang-format on */

	(void)state;
	na_hlo_init(&hlo, false);
	check(rows, COUNT(rows));
}

/* The same channel and the same .N in two programs, and on two hosts. */
static void channels_again(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{"send.1", NULL, 1, SEND, START, NA_NET_DCN, "a_0",
		 .channel = 7, .want = "a_0", .way = NA_OPJOIN_LONG_NAME},
		{"send.1", NULL, 2, SEND, START, NA_NET_DCN, "b_0",
		 .channel = 7, .want = "b_0", .way = NA_OPJOIN_LONG_NAME},
		{"send-done.4", NULL, 1, SEND, DONE, NA_NET_DCN,
		 .channel = 7, .want = "a_0", .want_start = "send.1",
		 .way = NA_OPJOIN_CHANNEL},
		{"send-done.4", NULL, 2, SEND, DONE, NA_NET_DCN,
		 .channel = 7, .want = "b_0", .want_start = "send.1",
		 .way = NA_OPJOIN_CHANNEL},
		/* Two collectives on one channel of one program: no guess by
		 * channel; by suffix it is one. */
		{"recv.1", NULL, 1, RECV, START, NA_NET_DCN, "c_0",
		 .channel = 8, .want = "c_0", .way = NA_OPJOIN_LONG_NAME},
		{"recv.2", NULL, 1, RECV, START, NA_NET_DCN, "d_0",
		 .channel = 8, .want = "d_0", .way = NA_OPJOIN_LONG_NAME},
		{"recv-done.2", NULL, 1, RECV, DONE, NA_NET_DCN,
		 .channel = 8, .want = "d_0", .want_start = "recv.2",
		 .way = NA_OPJOIN_SUFFIX},
		{"recv-done.3", NULL, 1, RECV, DONE, NA_NET_DCN, .channel = 8},
		/* Another host. */
		{"send-done.4", NULL, 1, SEND, DONE, NA_NET_DCN, .channel = 7,
		 .source = 1},
	};
	/* clang-format on */

	(void)state;
	na_hlo_init(&hlo, false);
	check(rows, COUNT(rows));
}

/* Without a suffix: alike only among themselves, and only if there is one. */
static void no_suffix(void **state)
{
	/* clang-format off */
	static const struct row one[] = {
		{"send", NULL, 1, SEND, START, NA_NET_DCN, "a_0",
		 .want = "a_0", .way = NA_OPJOIN_LONG_NAME},
		{"send.0", NULL, 1, SEND, START, NA_NET_DCN, "b_0",
		 .want = "b_0", .way = NA_OPJOIN_LONG_NAME},
		{"send-done", NULL, 1, SEND, DONE, NA_NET_DCN, .want = "a_0",
		 .want_start = "send", .way = NA_OPJOIN_SUFFIX},
		{"send-done.0", NULL, 1, SEND, DONE, NA_NET_DCN,
		 .want = "b_0", .want_start = "send.0",
		 .way = NA_OPJOIN_SUFFIX},
	};
	static const struct row two[] = {
		{"send", NULL, 1, SEND, START, NA_NET_DCN, "a_0",
		 .want = "a_0", .way = NA_OPJOIN_LONG_NAME},
		{"my_send", NULL, 1, SEND, START, NA_NET_DCN, "b_0",
		 .want = "b_0", .way = NA_OPJOIN_LONG_NAME},
		{"send-done", NULL, 1, SEND, DONE, NA_NET_DCN, .way = 0},
		{"my_done", NULL, 1, SEND, DONE, NA_NET_DCN, .way = 0},
	};
	/* clang-format on */

	(void)state;
	na_hlo_init(&hlo, false);
	check(one, COUNT(one));
	na_hlo_init(&hlo, false);
	check(two, COUNT(two));
}

#define LITTLE(dims, rendezvous) \
	"HloModule jit_f\nENTRY main {\n  t = token[] after-all()\n" \
	"  recv.1 = (f32[" dims \
	"], u32[], token[]) recv(t), channel_id=5, " DCN( \
		rendezvous) "\n" \
			    "  ROOT recv-done.1 = (f32[" dims \
			    "], token[]) recv-done(recv.1), " \
			    "is_host_transfer=true\n}\n"

/* Dumps of one name: what contradicts the trace is of another compilation;
 * among equals that of the host counts. */
static void which_dump(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{"recv-done.1", "jit_f", 3, RECV, DONE, NA_NET_DCN,
		 .size = 64, .want = "new_0", .want_start = "recv.1",
		 .way = NA_OPJOIN_GRAPH, .want_size = 64},
		{"recv-done.1", "jit_f", 3, RECV, DONE, NA_NET_DCN,
		 .size = 64, .want = "mine_0", .want_start = "recv.1",
		 .way = NA_OPJOIN_GRAPH, .want_size = 64, .source = 1},
		{"recv-done.1", "jit_g", 3, RECV, DONE, NA_NET_DCN,
		 .size = 64, .want_size = 64},
	};
	/* clang-format on */

	(void)state;
	na_hlo_init(&hlo, false);
	module(LITTLE("8", "old_0"), "w", NA_UNKNOWN_U32, NA_UNKNOWN_U64);
	module(LITTLE("16", "new_0"), "w", NA_UNKNOWN_U32, NA_UNKNOWN_U64);
	module(LITTLE("16", "mine_0"), "b", NA_UNKNOWN_U32, NA_UNKNOWN_U64);
	check(rows, COUNT(rows));
}

/* The trace does not name the module, but its runs do. */
static void named_by_runs(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{"recv-done.1", NULL, 3, RECV, DONE, NA_NET_DCN,
		 .want = "x_0", .way = NA_OPJOIN_GRAPH, .want_size = 64},
	};
	static const struct hand_row run[] = {
		{HAND_MODULE, 0, 0, 5, .name = "jit_f(3)"},
	};
	/* clang-format on */
	struct na_err err = {.status = NA_OK};

	(void)state;
	na_hlo_init(&hlo, false);
	module(LITTLE("16", "x_0"), "w", NA_UNKNOWN_U32, NA_UNKNOWN_U64);
	fill(rows, 1);
	hand_fill(&hand, run, 1, 1);
	assert_int_equal(na_store_join_programs(&hand.store, &hlo, &joins,
						&err),
			 NA_OK);
	assert_int_equal(joins.types[NA_OPJOIN_GRAPH], 1);
	same("recv-done.1", "collective",
	     shown(hand.store.devices.types.items[0].collective), "x_0");
	hand_fini(&hand);
	na_hlo_fini(&hlo);
}

/* Not even runs do; but one module alone has most of the ops. */
static void only_module(void **state)
{
	/* clang-format off */
	static const struct row rows[] = {
		{"recv-done.1", NULL, 0, RECV, DONE, NA_NET_DCN,
		 .want = "x_0", .want_start = "recv.1",
		 .way = NA_OPJOIN_GRAPH, .want_size = 64},
	};
	/* clang-format on */

	(void)state;
	na_hlo_init(&hlo, false);
	module("HloModule jit_o\nENTRY %m (p: f32[2]) -> f32[2] {\n"
	       "  ROOT %p = f32[2] parameter(0)\n}\n",
	       "w", 0, 7);
	module(LITTLE("16", "x_0"), "w", 0, 9);
	check(rows, COUNT(rows));
}

/* Ops that name no program: one name, in runs of two. */
static void in_runs(void **state)
{
	/* clang-format off */
	static const struct hand_row all[] = {
		{HAND_MODULE, 0, 0, 100, .name = "jit_f(3)"},
		{HAND_MODULE, 0, 100, 200, .name = "jit_g(4)"},
		{HAND_OP, 0, 150, 160, .op_name = "recv-done.1"},
		{HAND_OP, 0, 50, 60, .op_name = "recv-done.1"},
		{HAND_OP, 0, 170, 180, .op_name = "recv-done.1"},
		{HAND_OP, 0, 200, 210, .op_name = "recv-done.1"},
	};
	/* clang-format on */
	static const char *const want[] = {"y_0", "x_0", "y_0", NULL};
	struct hand_row rows[COUNT(all)];
	struct na_err err = {.status = NA_OK};
	const struct na_op *x;

	(void)state;
	memcpy(rows, all, sizeof(rows));
	for (size_t i = 2; i < COUNT(rows); i++) {
		rows[i].op.program_id = NA_UNKNOWN_U64;
		rows[i].op.opcode = RECV;
		rows[i].op.phase = DONE;
		rows[i].op.channel = -1;
		rows[i].op.size_bytes = NA_UNKNOWN_U64;
	}
	na_hlo_init(&hlo, false);
	module(LITTLE("16", "x_0"), "w", 0, 3);
	module(LITTLE("16", "y_0"), "w", 0, 4);
	hand_init(&hand, 1, NULL);
	hand_fill(&hand, rows, COUNT(rows), 100);
	hand_resolve(&hand, NA_ANCHOR_AUTO);
	assert_int_equal(na_store_join_programs(&hand.store, &hlo, &joins,
						&err),
			 NA_OK);
	assert_int_equal(hand.store.devices.types.n, 3);
	assert_int_equal(hand.store.ops.n, COUNT(want));
	x = (const void *)hand.store.ops.first->data;
	for (size_t i = 0; i < COUNT(want); i++)
		same("recv-done.1", "collective",
		     shown(hand.store.devices.types.items[x[i].type]
				   .collective),
		     want[i]);
	hand_fini(&hand);
	na_hlo_fini(&hlo);
}

/* A -done in a loop's body waits for what the iteration before started: no
 * operand leads there, but the channel does. */
static void across_iterations(void **state)
{
	static const char loop[] =
		"HloModule jit_l\n"
		"%body (p: (f32[16])) -> (f32[16]) {\n"
		"  %p = ((f32[16], u32[], token[])) parameter(0)\n"
		"  %g = (f32[16], u32[], token[]) get-tuple-element(%p), "
		"index=0\n"
		"  %recv-done.3 = (f32[16], token[]) recv-done(%g), "
		"channel_id=6, is_host_transfer=true\n"
		"  %t = token[] get-tuple-element(%recv-done.3), index=1\n"
		"  %recv.1 = (f32[16], u32[], token[]) recv(%t), "
		"channel_id=6, " DCN(
			"l_0") "\n"
			       "  ROOT %r = ((f32[16], u32[], token[])) tuple(%recv.1)\n"
			       "}\n";
	/* clang-format off */
	static const struct row rows[] = {
		{"recv.1", "jit_l", 3, RECV, START, NA_NET_DCN, .want = "l_0",
		 .way = NA_OPJOIN_INSTRUCTION, .want_size = 64},
		{"recv-done.3", "jit_l", 3, RECV, DONE, NA_NET_DCN,
		 .want = "l_0", .want_start = "recv.1",
		 .way = NA_OPJOIN_CHANNEL, .want_size = 64},
	};
	/* clang-format on */

	(void)state;
	na_hlo_init(&hlo, false);
	module(loop, "a", 0, 3);
	check(rows, COUNT(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_decide),
		cmocka_unit_test(by_name_and_dump),
		cmocka_unit_test(networks),
		cmocka_unit_test(texts_alone),
		cmocka_unit_test(channels_again),
		cmocka_unit_test(no_suffix),
		cmocka_unit_test(which_dump),
		cmocka_unit_test(named_by_runs),
		cmocka_unit_test(in_runs),
		cmocka_unit_test(only_module),
		cmocka_unit_test(across_iterations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
