/*
 * HLO modules in binary form, written field by field.
 */
#include "ingest/hlo/hlo.h"
#include "tests/unit/proto_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/model/transfer.h"

#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))
#define NUMBERS(...) ((const int64_t[]){__VA_ARGS__, -1})

enum { BF16 = 16, F32 = 11, S4 = 21, PRED = 1, TUPLE = 13, TOKEN = 17 };

static struct na_hlo hlo;
static struct na_err err;

static int setup(void **state)
{
	(void)state;
	na_hlo_init(&hlo, true);
	err = (struct na_err){.status = NA_OK};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	na_hlo_fini(&hlo);
	return 0;
}

/* In a block of exactly its size. */
static enum na_status read_bytes(const uint8_t *p, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	enum na_status st;

	assert_non_null(copy);
	memcpy(copy, p, n);
	err = (struct na_err){.status = NA_OK};
	st = na_hlo_read_proto(&hlo, copy, n, na_hlo_worker(&hlo, "w"), &err);
	free(copy);
	return st;
}

static struct proto_bytes array(uint64_t type, const int64_t *dims)
{
	struct proto_bytes s = {.n = 0};

	proto_number(&s, 2, type);
	if (*dims >= 0)
		proto_packed(&s, 3, dims);
	return s;
}

static struct proto_bytes instruction(const char *name, const char *opcode,
				      uint64_t id,
				      const struct proto_bytes *shape,
				      const int64_t *operands)
{
	struct proto_bytes x = {.n = 0};

	proto_text(&x, 1, name);
	proto_text(&x, 2, opcode);
	proto_message(&x, 3, shape);
	proto_number(&x, 35, id);
	if (*operands >= 0)
		proto_packed(&x, 36, operands);
	return x;
}

static struct proto_bytes attribute(const char *key, const char *value)
{
	struct proto_bytes x = {.n = 0};

	proto_text(&x, 1, key);
	proto_text(&x, 2, value);
	return x;
}

/* A computation of instructions, a module of one, a HloProto of that. */
static struct proto_bytes wrapped(const struct proto_bytes *xs, size_t n)
{
	struct proto_bytes c = {.n = 0}, m = {.n = 0}, all = {.n = 0};

	proto_text(&c, 1, "main.7");
	for (size_t i = 0; i < n; i++)
		proto_message(&c, 2, &xs[i]);
	proto_number(&c, 5, 40);
	proto_text(&m, 1, "jit_f");
	proto_text(&m, 2, "main.7");
	proto_message(&m, 3, &c);
	proto_number(&m, 6, 40);
	proto_message(&all, 1, &m);
	return all;
}

static const struct na_hlo_module *must_read(const struct proto_bytes *xs,
					     size_t n)
{
	struct proto_bytes all = wrapped(xs, n);

	if (read_bytes(all.p, all.n) != NA_OK)
		fail_msg("%s", err.text);
	return &hlo.modules[hlo.n_modules - 1];
}

static const char *shown(uint32_t name)
{
	return na_strtab_at(&hlo.strings, name);
}

/* ---- sizes */

static void sizes(void **state)
{
	struct proto_bytes layout = {.n = 0}, eight = {.n = 0}, member;
	struct proto_bytes tuple = {.n = 0};
	struct {
		struct proto_bytes shape;
		uint64_t bytes;
	} rows[] = {
		{array(BF16, NUMBERS(8, 128)), 2048},
		{array(F32, NUMBERS(-1)), 4}, /* no dimensions: one */
		{array(F32, NUMBERS(0, 7)), 0},
		{array(S4, NUMBERS(5)), 5},
		{array(S4, NUMBERS(5)), 3}, /* packed */
		{array(S4, NUMBERS(5)), 5}, /* eight bits each */
		{array(PRED, NUMBERS(9)), 9},
		{array(TOKEN, NUMBERS(-1)), 0},
		{array(34, NUMBERS(-1)), 0},
		{array(18, NUMBERS(3)), 48},
		{array(99, NUMBERS(3)), NA_UNKNOWN_U64},
		{array(F32, NUMBERS(INT64_MAX, 4)), NA_UNKNOWN_U64},
		{{.n = 0}, 24}, /* a tuple */
		{{.n = 0}, 24},
	};

	(void)state;
	proto_number(&layout, 7, 4);
	proto_message(&rows[4].shape, 5, &layout);
	proto_number(&eight, 7, 8);
	proto_message(&rows[5].shape, 5, &eight);
	/* (bf16[8], (f32[2], token[])) */
	proto_number(&rows[12].shape, 2, TUPLE);
	member = array(BF16, NUMBERS(8));
	proto_message(&rows[12].shape, 4, &member);
	proto_number(&tuple, 2, TUPLE);
	member = array(F32, NUMBERS(2));
	proto_message(&tuple, 4, &member);
	member = array(TOKEN, NUMBERS(-1));
	proto_message(&tuple, 4, &member);
	proto_message(&rows[12].shape, 4, &tuple);
	/* Dimensions one by one. */
	proto_number(&rows[13].shape, 2, F32);
	proto_number(&rows[13].shape, 3, 2);
	proto_number(&rows[13].shape, 3, 3);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct proto_bytes x = instruction("x", "copy", 1,
						   &rows[i].shape, NUMBERS(-1));
		const struct na_hlo_module *m = must_read(&x, 1);

		if (m->instructions[0].size_bytes != rows[i].bytes)
			fail_msg("row %zu: %llu bytes", i,
				 (unsigned long long)m->instructions[0]
					 .size_bytes);
	}
}

static void deep_shape(void **state)
{
	struct proto_bytes s = array(F32, NUMBERS(2)), x;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct proto_bytes outer = {.n = 0};

		proto_number(&outer, 2, TUPLE);
		proto_message(&outer, 4, &s);
		s = outer;
	}
	x = instruction("x", "copy", 1, &s, NUMBERS(-1));
	assert_true(must_read(&x, 1)->instructions[0].size_bytes ==
		    NA_UNKNOWN_U64);
}

/* ---- groups */

static struct proto_bytes group(const int64_t *ids)
{
	struct proto_bytes g = {.n = 0};

	if (*ids >= 0)
		proto_packed(&g, 1, ids);
	return g;
}

static void check_groups(struct proto_bytes *x, uint32_t n, uint32_t size,
			 bool uneven, bool all)
{
	const struct na_hlo_instruction *got = must_read(x, 1)->instructions;

	assert_int_equal(got->n_groups, n);
	assert_int_equal(got->group_size, size);
	assert_int_equal(got->uneven, uneven);
	assert_int_equal(got->all_devices, all);
}

static void groups(void **state)
{
	struct proto_bytes f32 = array(F32, NUMBERS(4)), list = {.n = 0};
	struct proto_bytes iota = {.n = 0}, g, pair = {.n = 0};
	struct proto_bytes x = instruction("x", "all-reduce", 1, &f32,
					   NUMBERS(-1));
	struct proto_bytes y = x, z = x;

	(void)state;
	check_groups(&x, 0, 0, false, true);
	g = group(NUMBERS(0, 2));
	proto_message(&x, 49, &g);
	g = group(NUMBERS(1, 3));
	proto_message(&x, 49, &g);
	check_groups(&x, 2, 2, false, false);
	g = group(NUMBERS(4));
	proto_message(&x, 49, &g);
	check_groups(&x, 3, 2, true, false);
	/* The list of devices counts before the older groups. */
	proto_number(&iota, 1, 4);
	proto_number(&iota, 2, 8);
	proto_packed(&iota, 3, NUMBERS(8, 4));
	proto_packed(&iota, 4, NUMBERS(1, 0));
	proto_message(&list, 2, &iota);
	proto_message(&x, 87, &list);
	check_groups(&x, 4, 8, false, false);
	list.n = 0;
	g = group(NUMBERS(0, 1, 2));
	proto_message(&list, 1, &g);
	proto_message(&y, 87, &list);
	check_groups(&y, 1, 3, false, false);
	assert_non_null(strstr(shown(hlo.modules[hlo.n_modules - 1].texts[0]),
			       "replica_groups={0,1,2}"));
	/* Each pair is a group of one that sends. */
	z = instruction("x", "collective-permute", 1, &f32, NUMBERS(-1));
	proto_number(&pair, 1, 0);
	proto_number(&pair, 2, 1);
	proto_message(&z, 52, &pair);
	proto_message(&z, 52, &pair);
	check_groups(&z, 2, 1, false, false);
	assert_int_equal(must_read(&z, 1)->instructions->opcode,
			 NA_OPCODE_PERMUTE);
}

/* ---- a transfer, and what is the same */

struct how { /* what is done differently */
	const char *suffix;
	uint64_t first_id, channel;
	const char *opcode, *rendezvous;
	bool metadata, backwards, swapped;
};

static const struct how plain = {"",         1,     3,     "send",
				 "psum.4_0", false, false, false};

static struct proto_bytes attributes(const struct how *h)
{
	struct proto_bytes all = {.n = 0};
	struct proto_bytes entries[] = {
		attribute("_xla_host_transfer_rendezvous", h->rendezvous),
		attribute("_xla_megascale_transfer_type", "ALL_REDUCE"),
		attribute("_xla_host_transfer_handler_name",
			  "xla_megascale_runtime"),
	};

	for (size_t i = 0; i < COUNT(entries); i++)
		proto_message(
			&all, 1,
			&entries[h->swapped ? COUNT(entries) - 1 - i : i]);
	return all;
}

static const struct na_hlo_module *transfer(const struct how *h)
{
	struct proto_bytes f32 = array(F32, NUMBERS(4));
	struct proto_bytes none = array(TOKEN, NUMBERS(-1));
	struct proto_bytes xs[4], meta = {.n = 0}, attrs = attributes(h);
	char names[4][32];
	int64_t id = (int64_t)h->first_id;
	/* clang-format off */
	static const char *const base[4] = {"p", "tok", "send.1", "done"};
	/* clang-format on */

	for (int i = 0; i < 4; i++)
		snprintf(names[i], sizeof(names[i]), "%s%s", base[i],
			 h->suffix);
	xs[0] = instruction(names[0], "parameter", (uint64_t)id, &f32,
			    NUMBERS(-1));
	xs[1] = instruction(names[1], "after-all", (uint64_t)id + 1, &none,
			    NUMBERS(-1));
	xs[2] = instruction(names[2], h->opcode, (uint64_t)id + 2, &f32,
			    NUMBERS(id, id + 1));
	if (h->backwards) {
		proto_message(&xs[2], 68, &attrs);
		proto_number(&xs[2], 47, 1);
		proto_number(&xs[2], 26, h->channel);
	} else {
		proto_number(&xs[2], 26, h->channel);
		proto_number(&xs[2], 47, 1);
		proto_message(&xs[2], 68, &attrs);
	}
	if (h->metadata) {
		proto_text(&meta, 3, "file.py");
		proto_message(&xs[2], 7, &meta);
	}
	xs[3] = instruction(names[3], "send-done", (uint64_t)id + 3, &none,
			    NUMBERS(id + 2));
	return must_read(xs, 4);
}

static void fields(void **state)
{
	const struct na_hlo_module *m = transfer(&plain);
	const struct na_hlo_instruction *x = &m->instructions[2];

	(void)state;
	assert_string_equal(shown(m->name), "jit_f");
	assert_int_equal(m->n_computations, 1);
	assert_true(m->computations[0].entry);
	assert_string_equal(shown(m->computations[0].name), "main.7");
	assert_int_equal(m->computations[0].n, 4);
	assert_string_equal(shown(x->name), "send.1");
	assert_string_equal(shown(x->opcode_name), "send");
	assert_int_equal(x->opcode, NA_OPCODE_SEND);
	assert_int_equal(x->phase, NA_OP_START);
	assert_int_equal(x->channel, 3);
	assert_true(x->host_transfer);
	assert_string_equal(shown(x->rendezvous), "psum.4_0");
	assert_string_equal(shown(x->transfer_type), "ALL_REDUCE");
	assert_string_equal(shown(x->handler), "xla_megascale_runtime");
	assert_int_equal(x->n_operands, 2);
	assert_int_equal(m->operands[x->first_operand], 0);
	assert_int_equal(m->operands[x->first_operand + 1], 1);
	assert_int_equal(m->operands[m->instructions[3].first_operand], 2);
	assert_int_equal(m->instructions[3].phase, NA_OP_DONE);
	assert_int_equal(m->instructions[0].channel, -1);
	assert_int_equal(m->program_id, NA_UNKNOWN_U64);
	assert_int_equal(m->input, NA_UNKNOWN_U32);
	assert_string_equal(shown(m->texts[3]), "token[] send-done(-1)");
}

static uint64_t print(const struct how *h)
{
	return transfer(h)->fingerprint;
}

static void fingerprints(void **state)
{
	const uint64_t want = print(&plain);
	struct how h = plain;

	(void)state;
	/* Names, ids, metadata, the order of fields and of attributes. */
	h.suffix = ".9";
	h.first_id = 70000;
	h.metadata = h.backwards = h.swapped = true;
	assert_true(print(&h) == want);
	h = plain;
	h.opcode = "copy";
	assert_true(print(&h) != want);
	h = plain;
	h.channel = 4;
	assert_true(print(&h) != want);
	h = plain;
	h.rendezvous = "psum.5_0";
	assert_true(print(&h) != want);
	/* Only the instruction itself. */
	assert_true(hlo.modules[0].instructions[3].hash ==
		    hlo.modules[hlo.n_modules - 1].instructions[3].hash);
	assert_true(hlo.modules[0].instructions[2].hash !=
		    hlo.modules[hlo.n_modules - 1].instructions[2].hash);
}

/* ---- computations and the module */

static void module_fields(void **state)
{
	struct proto_bytes f32 = array(F32, NUMBERS(4)), c = {.n = 0};
	struct proto_bytes inner, start, done, m = {.n = 0}, all = {.n = 0};
	struct proto_bytes assignment = {.n = 0}, g = group(NUMBERS(0, 1));
	const struct na_hlo_module *got;

	(void)state;
	/* async-done(async-start(p)), which calls a reduce-scatter. */
	inner = instruction("rs", "reduce-scatter", 1, &f32, NUMBERS(-1));
	proto_number(&inner, 26, 9);
	proto_message(&inner, 49, &g);
	start = instruction("s", "async-start", 1, &f32, NUMBERS(-1));
	proto_packed(&start, 38, NUMBERS(6));
	done = instruction("d", "async-done", 2, &f32, NUMBERS(1));
	proto_text(&m, 1, "jit_g");
	proto_text(&c, 1, "called");
	proto_message(&c, 2, &inner);
	proto_number(&c, 5, 6);
	proto_message(&m, 3, &c);
	c.n = 0;
	proto_text(&c, 1, "main");
	proto_message(&c, 2, &start);
	proto_message(&c, 2, &done);
	proto_number(&c, 5, 7);
	proto_message(&m, 3, &c);
	proto_number(&m, 6, 7);
	proto_number(&assignment, 1, 2);
	proto_number(&assignment, 2, 16);
	proto_message(&m, 15, &assignment);
	/* A module alone is one, too. */
	assert_true(na_hlo_is_proto(m.p, m.n));
	assert_int_equal(read_bytes(m.p, m.n), NA_OK);
	proto_message(&all, 1, &m);
	assert_true(na_hlo_is_proto(all.p, all.n));
	assert_int_equal(read_bytes(all.p, all.n), NA_OK);
	assert_true(hlo.modules[0].fingerprint == hlo.modules[1].fingerprint);
	got = &hlo.modules[1];
	assert_int_equal(got->replicas, 2);
	assert_int_equal(got->partitions, 16);
	assert_false(got->computations[0].entry);
	assert_true(got->computations[1].entry);
	assert_int_equal(got->instructions[1].opcode, NA_OPCODE_REDUCE_SCATTER);
	assert_int_equal(got->instructions[1].phase, NA_OP_START);
	assert_int_equal(got->instructions[1].channel, 9);
	assert_int_equal(got->instructions[2].opcode, NA_OPCODE_REDUCE_SCATTER);
	assert_int_equal(got->instructions[2].phase, NA_OP_DONE);
	assert_int_equal(got->instructions[2].group_size, 2);
	/* Equal ids in both computations: operands are of their own. */
	assert_int_equal(got->operands[got->instructions[2].first_operand], 1);
}

/* ---- damage */

static void prefixes(void **state)
{
	struct proto_bytes f32 = array(F32, NUMBERS(4)), all;
	struct proto_bytes attrs = attributes(&plain);
	struct proto_bytes x = instruction("send.1", "send", 300, &f32,
					   NUMBERS(1));

	(void)state;
	proto_message(&x, 68, &attrs);
	all = wrapped(&x, 1);
	for (size_t n = 0; n < all.n; n++) {
		size_t before = hlo.n_modules;

		assert_int_equal(read_bytes(all.p, n), NA_EFORMAT);
		assert_int_equal(hlo.n_modules, before);
		assert_int_equal(strncmp(err.text, "byte ", 5), 0);
	}
	/* Any byte changed: read or refused, never anything else. */
	for (size_t i = 0; i < all.n; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			size_t before = hlo.n_modules;
			enum na_status st;

			all.p[i] ^= (uint8_t)(1u << bit);
			st = read_bytes(all.p, all.n);
			all.p[i] ^= (uint8_t)(1u << bit);
			assert_true(st == NA_OK || st == NA_EFORMAT);
			assert_int_equal(hlo.n_modules, before + (st == NA_OK));
		}
	}
}

static void damage_is_told(void **state)
{
	struct proto_bytes f32 = array(F32, NUMBERS(4)), all;
	struct proto_bytes x = {.n = 0};

	(void)state;
	proto_text(&x, 1, "nothing");
	proto_message(&x, 3, &f32);
	all = wrapped(&x, 1);
	assert_int_equal(read_bytes(all.p, all.n), NA_EFORMAT);
	assert_non_null(strstr(err.text, "without an opcode"));
	all = wrapped(NULL, 0);
	assert_int_equal(read_bytes(all.p, all.n), NA_EFORMAT);
	assert_non_null(strstr(err.text, "without an instruction"));
}

/* A trace begins with a plane: 08 id or 12 name. */
static void no_proto(void **state)
{
	static const char plane[] = "\x0a\x0b\x12\x09/host:CPU";
	static const char text[] = "\nHloModule x\n";

	(void)state;
	assert_false(na_hlo_is_proto(plane, sizeof(plane) - 1));
	assert_false(na_hlo_is_proto("\x0a\x04\x08\x01\x12\x00", 6));
	assert_false(na_hlo_is_proto(text, sizeof(text) - 1));
	assert_false(na_hlo_is_proto("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_shape, setup, teardown),
		cmocka_unit_test_setup_teardown(groups, setup, teardown),
		cmocka_unit_test_setup_teardown(fields, setup, teardown),
		cmocka_unit_test_setup_teardown(fingerprints, setup, teardown),
		cmocka_unit_test_setup_teardown(module_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(prefixes, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_is_told, setup,
						teardown),
		cmocka_unit_test(no_proto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
