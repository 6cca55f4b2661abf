/* HLO instructions as text: what hlo/line.c makes of them. */
#include "ingest/hlo/line.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define UNKNOWN  NA_UNKNOWN_U64
#define MEGASCALE \
	"is_host_transfer=true, frontend_attributes={" \
	"_xla_host_transfer_handler_name=\"xla_megascale_runtime\"," \
	"_xla_host_transfer_rendezvous=\"psum.4_0\"," \
	"_xla_megascale_transfer_type=\"ALL_REDUCE\"}"

/* The text ends where its memory does. */
static bool line_of(const char *text, struct na_hlo_line *x, char **copy)
{
	size_t n = strlen(text);

	*copy = malloc(n ? n : 1);
	assert_non_null(*copy);
	memcpy(*copy, text, n);
	return na_hlo_line(*copy, n, x);
}

static void same(const struct na_text *t, const char *want, const char *text)
{
	if (t->n != strlen(want) || memcmp(t->s, want, t->n) != 0)
		fail_msg("\"%.*s\", not \"%s\" in: %s", (int)t->n, t->s, want,
			 text);
}

static void lines(void **state)
{
	static const struct {
		const char *text, *name, *opcode_name, *operand;
		uint8_t opcode, phase;
		uint64_t bytes;
		int64_t channel;
	} rows[] = {
		{"%send.5 = (bf16[8,128]{1,0:T(8,128)(2,1)}, u32[]{:S(2)}, "
		 "token[]) send(bf16[8,128]{1,0:T(8,128)(2,1)} %fusion.1, "
		 "token[] %after-all.2), channel_id=3, " MEGASCALE,
		 "send.5", "send", "fusion.1", NA_OPCODE_SEND, NA_OP_START,
		 8 * 128 * 2 + 4, 3},
		{"%recv-done.5 = (f32[10]{0}, token[]) recv-done((f32[10]{0}, "
		 "u32[], token[]) %recv.5), channel_id=4, "
		 "is_host_transfer=true",
		 "recv-done.5", "recv-done", "recv.5", NA_OPCODE_RECV,
		 NA_OP_DONE, 40, 4},
		{"ROOT all-reduce.1 = f32[4] all-reduce(x), channel_id=1",
		 "all-reduce.1", "all-reduce", "x", NA_OPCODE_ALL_REDUCE,
		 NA_OP_WHOLE, 16, 1},
		{"  %psum.9 = f32[2,3]{1,0:T(2,128)S(1)} "
		 "all-reduce-done(f32[2,3]{1,0} %all-reduce-start.9)",
		 "psum.9", "all-reduce-done", "all-reduce-start.9",
		 NA_OPCODE_ALL_REDUCE, NA_OP_DONE, 24, -1},
		{"%ag = (s8[4], s8[16]) all-gather-start(s8[4] %p), "
		 "channel_id=0",
		 "ag", "all-gather-start", "p", NA_OPCODE_ALL_GATHER,
		 NA_OP_START, 20, -1},
		{"%t = (f32[1]{0}, /*index=1*/f32[2]{0}, (pred[3], token[])) "
		 "while((f32[1]{0}, f32[2]{0}) %init), condition=%c, body=%b",
		 "t", "while", "init", NA_OPCODE_CONTAINER, NA_OP_WHOLE, 15,
		 -1},
		{"%e = () tuple()", "e", "tuple", "", NA_OPCODE_OTHER,
		 NA_OP_WHOLE, 0, -1},
		{"%d = f32[<=8,2]{1,0} fusion(%a, %b), kind=kLoop", "d",
		 "fusion", "a", NA_OPCODE_OTHER, NA_OP_WHOLE, 64, -1},
		{"%d = f32[?,2] custom-call(%a), custom_call_target=\"x(y\"",
		 "d", "custom-call", "a", NA_OPCODE_OTHER, NA_OP_WHOLE, UNKNOWN,
		 -1},
		{"%p = s4[5]{0:T(8)(2,1)E(4)S(1)} reduce-scatter(s4[5] %a)",
		 "p", "reduce-scatter", "a", NA_OPCODE_REDUCE_SCATTER,
		 NA_OP_WHOLE, 3, -1},
		{"%p = s4[5] all-to-all(%a)", "p", "all-to-all", "a",
		 NA_OPCODE_ALL_TO_ALL, NA_OP_WHOLE, 5, -1},
		{"%p = c128[3] ragged-all-to-all(%a)", "p", "ragged-all-to-all",
		 "a", NA_OPCODE_RAGGED_ALL_TO_ALL, NA_OP_WHOLE, 48, -1},
		{"%p = f32[0,9999] collective-permute-done(%a)", "p",
		 "collective-permute-done", "a", NA_OPCODE_PERMUTE, NA_OP_DONE,
		 0, -1},
		{"%p = f32[1] collective-broadcast(f32[1] %a)", "p",
		 "collective-broadcast", "a", NA_OPCODE_BROADCAST, NA_OP_WHOLE,
		 4, -1},
		{"%p = x9[1] all-reduce(%a)", "p", "all-reduce", "a",
		 NA_OPCODE_ALL_REDUCE, NA_OP_WHOLE, UNKNOWN, -1},
		{"%p = u64[4294967296,4294967296] add(%a, %b)", "p", "add", "a",
		 NA_OPCODE_OTHER, NA_OP_WHOLE, UNKNOWN, -1},
		/* what async-start wraps */
		{"%reduce-scatter-start.2 = ((f32[8]), f32[2]) "
		 "async-start(f32[8] %p), calls=%async_computation",
		 "reduce-scatter-start.2", "async-start", "p",
		 NA_OPCODE_REDUCE_SCATTER, NA_OP_START, 40, -1},
		{"%a.2 = f32[2] async-done(%a.1), calls=%all-to-all.3", "a.2",
		 "async-done", "a.1", NA_OPCODE_ALL_TO_ALL, NA_OP_DONE, 8, -1},
		{"%a.2 = f32[2] async-done(%a.1), calls=%sparse", "a.2",
		 "async-done", "a.1", NA_OPCODE_CONTAINER, NA_OP_DONE, 8, -1},
		{"%c.2 = f32[2] call-done(%c.1)", "c.2", "call-done", "c.1",
		 NA_OPCODE_CONTAINER, NA_OP_DONE, 8, -1},
		/* look-alikes */
		{"%all-reduce-fusion.2 = f32[2] fusion(%a)",
		 "all-reduce-fusion.2", "fusion", "a", NA_OPCODE_OTHER,
		 NA_OP_WHOLE, 8, -1},
		/* the end is missing */
		{"%all-reduce.2 = f32[2] all-reduce(f32[2] %a, f3",
		 "all-reduce.2", "all-reduce", "a", NA_OPCODE_ALL_REDUCE,
		 NA_OP_WHOLE, 8, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_hlo_line x;
		char *copy;

		if (!line_of(rows[i].text, &x, &copy))
			fail_msg("no line: %s", rows[i].text);
		same(&x.name, rows[i].name, rows[i].text);
		same(&x.opcode_name, rows[i].opcode_name, rows[i].text);
		same(&x.first_operand, rows[i].operand, rows[i].text);
		if (x.opcode != rows[i].opcode || x.phase != rows[i].phase ||
		    x.size_bytes != rows[i].bytes ||
		    x.channel != rows[i].channel ||
		    x.root != (rows[i].text[0] == 'R'))
			fail_msg("opcode %d phase %d bytes %" PRIu64
				 " channel %" PRId64 ": %s",
				 x.opcode, x.phase, x.size_bytes, x.channel,
				 rows[i].text);
		free(copy);
	}
}

static void no_lines(void **state)
{
	static const char *const rows[] = {
		"",
		"%",
		"fusion.3",
		"%a",
		"%a =",
		"%a = ",
		"%a = f32",
		"%a = f32[",
		"%a = f32[1",
		"%a = f32[1]",
		"%a = f32[1]{0",
		"%a = f32[1] add",
		"%a = (f32[1] add(b)",
		"%a = (f32[1], ",
		"= f32[1] add(b)",
		"%a = f32[1] (b)",
		"%a = {} add(b)",
		"HloModule jit_f, entry_computation_layout={()->f32[1]}",
		"ENTRY %main (p: f32[1]) -> f32[1] {",
		"}",
		"// %a = f32[1] add(b)",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_hlo_line x;
		char *copy;

		if (line_of(rows[i], &x, &copy))
			fail_msg("a line: %s", rows[i]);
		free(copy);
	}
}

static void nesting(void **state)
{
	char text[4 * HLO_LINE_DEPTH + 64];

	(void)state;
	for (size_t deep = HLO_LINE_DEPTH; deep < HLO_LINE_DEPTH + 2; deep++) {
		struct na_hlo_line x;
		size_t n = 0;

		n += (size_t)sprintf(text, "%%a = ");
		memset(text + n, '(', deep);
		n += deep;
		n += (size_t)sprintf(text + n, "f32[1]");
		memset(text + n, ')', deep);
		n += deep;
		n += (size_t)sprintf(text + n, " tuple(%%b)");
		assert_int_equal(na_hlo_line(text, n, &x),
				 deep <= HLO_LINE_DEPTH);
	}
}

static void groups(void **state)
{
	static const struct {
		const char *text;
		uint32_t size, n;
		bool uneven, all;
	} rows[] = {
		{"replica_groups={{0,1},{2,3}}", 2, 2, false, false},
		{"replica_groups={{0,1,2}}, dimensions={0}", 3, 1, false,
		 false},
		{"replica_groups={{0},{1,2}}", 1, 2, true, false},
		{"replica_groups={}", 0, 0, false, true},
		{"replica_groups={{}}", 0, 0, false, true},
		{"replica_groups=[2,4]<=[8]", 4, 2, false, false},
		{"replica_groups=[4,2]<=[2,4]T(1,0), to_apply=%r", 2, 4, false,
		 false},
		{"replica_groups=[0,4]<=[8]", 0, 0, false, false},
		{"replica_groups=[99999999999,4]<=[8]", 0, 0, false, false},
		{"replica_groups=[2", 0, 0, false, false},
		{"source_target_pairs={{0,1},{1,2},{2,0}}", 1, 3, false, false},
		{"metadata={op_name=\"replica_groups={{0,1}}\"}", 0, 0, false,
		 false},
		{"to_apply=%add", 0, 0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_hlo_line x;
		char text[160], *copy;

		snprintf(text, sizeof(text), "%%a = f32[1] all-reduce(%%b), %s",
			 rows[i].text);
		assert_true(line_of(text, &x, &copy));
		if (x.group_size != rows[i].size || x.n_groups != rows[i].n ||
		    x.uneven != rows[i].uneven || x.all_devices != rows[i].all)
			fail_msg("%" PRIu32 " x %" PRIu32 " %d %d: %s",
				 x.n_groups, x.group_size, x.uneven,
				 x.all_devices, text);
		free(copy);
	}
}

static void attributes(void **state)
{
	static const struct {
		const char *text, *rendezvous, *type, *handler;
		bool host;
	} rows[] = {
		{MEGASCALE, "psum.4_0", "ALL_REDUCE", "xla_megascale_runtime",
		 true},
		{"metadata={op_name=\"a\\\"b, is_host_transfer=true\"}, "
		 "channel_id=7",
		 "", "", "", false},
		{"is_host_transfer=false, frontend_attributes={"
		 "_xla_host_transfer_rendezvous=\"a\\\"b, c}\"}",
		 "a\\\"b, c}", "", "", false},
		{"frontend_attributes={x={{0,1},{1,2}},"
		 "_xla_host_transfer_handler_name=\"tf_rendezvous\"}",
		 "", "", "tf_rendezvous", false},
		{"backend_config={\"a\":{\"b\":[1,2]},\"is_host_transfer\":"
		 "\"true\"}, is_host_transfer=true",
		 "", "", "", true},
		{"frontend_attributes={_xla_host_transfer_rendezvous=\"cut",
		 "\"cut", "", "", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_hlo_line x;
		char text[400], *copy;

		snprintf(text, sizeof(text),
			 "%%send = (f32[1], u32[], token[]) send(%%b), %s",
			 rows[i].text);
		assert_true(line_of(text, &x, &copy));
		same(&x.rendezvous, rows[i].rendezvous, text);
		same(&x.transfer_type, rows[i].type, text);
		same(&x.handler, rows[i].handler, text);
		assert_int_equal(x.host_transfer, rows[i].host);
		free(copy);
	}
}

static void operands(void **state)
{
	static const char text[] =
		"%x = f32[1] fusion((f32[1]{0:T(8,128)}, /*index=1*/s32[]) "
		"%a.1, bf16[2,3]{1,0} %b, c, f32[] %d-e.2), kind=kLoop";
	static const char *const want[] = {"a.1", "b", "c", "d-e.2"};
	struct na_hlo_line x;
	struct na_text t;
	size_t at = 0, n = 0;

	(void)state;
	assert_true(na_hlo_line(text, strlen(text), &x));
	for (; na_hlo_next_operand(&x.operands, &at, &t); n++) {
		assert_true(n < COUNT(want));
		same(&t, want[n], text);
	}
	assert_int_equal(n, COUNT(want));
}

static void names(void **state)
{
	static const struct {
		const char *name;
		uint8_t opcode, phase;
	} rows[] = {
		{"recv-done.7", NA_OPCODE_RECV, NA_OP_DONE},
		{"send", NA_OPCODE_SEND, NA_OP_START},
		{"%recv.1.clone", NA_OPCODE_RECV, NA_OP_START},
		{"all-reduce-start.12", NA_OPCODE_ALL_REDUCE, NA_OP_START},
		{"all-gather.3.remat", NA_OPCODE_ALL_GATHER, NA_OP_WHOLE},
		{"while.2", NA_OPCODE_CONTAINER, NA_OP_WHOLE},
		{"all-reduce-scatter-fusion.2", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{"all-reduce-promotion", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{"all-reducer", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{"send-.1", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{"async", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{"caller.2", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{"", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{".", NA_OPCODE_OTHER, NA_OP_WHOLE},
		{"-start", NA_OPCODE_OTHER, NA_OP_WHOLE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t phase = 9;
		uint8_t opcode = na_hlo_opcode_of_name(rows[i].name,
						       strlen(rows[i].name),
						       &phase);

		if (opcode != rows[i].opcode || phase != rows[i].phase)
			fail_msg("%s: opcode %d phase %d", rows[i].name, opcode,
				 phase);
	}
}

/* The names and numbers of xla_data.proto say the same. */
static void types(void **state)
{
	static const struct {
		const char *name;
		uint64_t number;
		int bits;
	} rows[] = {
		{"pred", 1, 8},     {"s8", 2, 8},     {"s64", 5, 64},
		{"u16", 7, 16},     {"f16", 10, 16},  {"f32", 11, 32},
		{"token", 17, 0},   {"bf16", 16, 16}, {"c64", 15, 64},
		{"c128", 18, 128},  {"s4", 21, 8},    {"f4e2m1fn", 32, 8},
		{"nosuch", 99, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(na_hlo_type_bits(rows[i].name,
						  strlen(rows[i].name)),
				 rows[i].bits);
		assert_int_equal(na_hlo_type_number_bits(rows[i].number),
				 rows[i].bits);
	}
	assert_int_equal(na_hlo_type_number_bits(0), 0);
	assert_int_equal(na_hlo_type_number_bits(UINT64_MAX), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),      cmocka_unit_test(no_lines),
		cmocka_unit_test(nesting),    cmocka_unit_test(groups),
		cmocka_unit_test(attributes), cmocka_unit_test(operands),
		cmocka_unit_test(names),      cmocka_unit_test(types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
