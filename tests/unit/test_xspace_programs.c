/*
 * The programs of a trace: plane /host:metadata of an XSpace, plain and
 * packed, with damaged ones among them.
 */
#include "ingest/hlo/hlo.h"
#include "tests/unit/proto_bytes.h"
#include "tests/unit/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/model/transfer.h"

enum { STAT_HLO = 1, STAT_ID = 2 };
enum how { BY_STAT, BY_TEXT, BY_NAME, BY_ENTRY, DAMAGED, EMPTY };

/* A HloProto of a module with one instruction. */
static struct proto_bytes proto(const char *name)
{
	struct proto_bytes shape = {.n = 0}, x = {.n = 0}, c = {.n = 0};
	struct proto_bytes m = {.n = 0}, all = {.n = 0};

	proto_number(&shape, 2, 11);
	proto_text(&x, 1, "p");
	proto_text(&x, 2, "parameter");
	proto_message(&x, 3, &shape);
	proto_text(&c, 1, "main");
	proto_message(&c, 2, &x);
	proto_text(&m, 1, name);
	proto_message(&m, 3, &c);
	proto_message(&all, 1, &m);
	return all;
}

static void stat_name(struct proto_bytes *plane, uint64_t id, const char *name)
{
	struct proto_bytes stat = {.n = 0}, entry = {.n = 0};

	proto_number(&stat, 1, id);
	proto_text(&stat, 2, name);
	proto_number(&entry, 1, id);
	proto_message(&entry, 2, &stat);
	proto_message(plane, 5, &entry);
}

static void program(struct proto_bytes *plane, uint64_t entry_id,
		    const char *name, const char *module, enum how how)
{
	struct proto_bytes entry = {.n = 0}, type = {.n = 0}, stat = {.n = 0};
	struct proto_bytes hlo = proto(module);

	if (how == DAMAGED)
		hlo.p[hlo.n - 3] ^= 0x7f;
	proto_number(&type, 1, entry_id);
	proto_text(&type, 2, name);
	if (how == BY_STAT || how == BY_TEXT) {
		proto_number(&stat, 1, STAT_ID);
		if (how == BY_STAT)
			proto_number(&stat, 3, 77);
		else
			proto_text(&stat, 5, "78");
		proto_message(&type, 5, &stat);
		stat.n = 0;
	}
	proto_number(&stat, 1, STAT_HLO);
	proto_message(&stat, 6, &hlo);
	if (how != EMPTY)
		proto_message(&type, 5, &stat);
	proto_number(&entry, 1, entry_id);
	proto_message(&entry, 2, &type);
	proto_message(plane, 4, &entry);
}

static struct proto_bytes space(bool damaged)
{
	struct proto_bytes plane = {.n = 0}, all = {.n = 0};

	proto_text(&plane, 2, "/host:metadata");
	program(&plane, 5, "jit_a(5)", "jit_a", BY_STAT);
	program(&plane, 6, "jit_b(6)", "jit_b", BY_TEXT);
	if (damaged)
		program(&plane, 7, "jit_c(7)", "jit_c", DAMAGED);
	program(&plane, 8, "jit_d(18446744073709551615)", "jit_d", BY_NAME);
	program(&plane, 9, "jit_e", "jit_e", BY_ENTRY);
	program(&plane, 10, "jit_f(x)", "", BY_ENTRY);
	program(&plane, 11, "jit_g(3)", "jit_g", EMPTY);
	stat_name(&plane, STAT_HLO, "Hlo Proto");
	stat_name(&plane, STAT_ID, "program_id");
	proto_message(&all, 1, &plane);
	plane.n = 0;
	proto_text(&plane, 2, "/host:elsewhere");
	program(&plane, 5, "jit_z(5)", "jit_z", BY_STAT);
	stat_name(&plane, STAT_HLO, "Hlo Proto");
	proto_message(&all, 1, &plane);
	return all;
}

static void check(struct reading *r, size_t n_warnings)
{
	/* clang-format off */
	static const struct { const char *name; uint64_t id; } want[] = {
		{"jit_a", 77}, {"jit_b", 78}, {"jit_d", UINT64_MAX},
		{"jit_e", 9}, {"jit_f(x)", 10},
	};
	/* clang-format on */
	enum { N = sizeof(want) / sizeof(want[0]) };
	struct na_err err = {.status = NA_OK};
	struct na_hlo h;

	assert_int_equal(r->status, NA_OK);
	na_hlo_init(&h, false);
	assert_int_equal(na_input_programs(&r->in, 4, &h, &err), NA_OK);
	assert_int_equal(h.n_modules, N);
	for (size_t i = 0; i < N; i++) {
		const struct na_hlo_module *m = &h.modules[i];

		assert_string_equal(na_strtab_at(&h.strings, m->name),
				    want[i].name);
		assert_true(m->program_id == want[i].id);
		assert_int_equal(m->input, 4);
		assert_int_equal(m->n_instructions, 1);
	}
	assert_int_equal(h.n_workers, 1);
	assert_int_equal(r->in.n_warnings, n_warnings);
	assert_int_equal(r->in.damaged, n_warnings > 0);
	na_hlo_fini(&h);
}

/* Packed ones are spooled: the plane must be kept for those who ask. */
static void ids_and_names(void **state)
{
	struct proto_bytes all = space(false);
	struct reading r;

	(void)state;
	read_bytes(&r, all.p, all.n, NA_WANT_PROGRAMS);
	check(&r, 0);
	reading_end(&r);
	read_packed(&r, all.p, all.n, NA_WANT_PROGRAMS | NA_WANT_OPS);
	check(&r, 0);
	reading_end(&r);
}

static void damaged_ones(void **state)
{
	struct proto_bytes all = space(true);
	struct reading r;
	const char *text;
	size_t at;

	(void)state;
	read_bytes(&r, all.p, all.n, NA_WANT_PROGRAMS);
	check(&r, 1);
	/* It says where in the file, and where in the module. */
	text = r.in.warnings->text;
	assert_non_null(strstr(text, "program \"jit_c\""));
	assert_non_null(strstr(text, "at byte "));
	at = (size_t)atol(strstr(text, "at byte ") + 8);
	assert_true(at < all.n && all.p[at] == 0x0a);
	assert_memory_equal(all.p + at + 2, "\x0a\x05jit_c", 7);
	reading_end(&r);
}

/* Any prefix of the file, and any byte of it changed. */
static void hostile(void **state)
{
	struct proto_bytes all = space(true);

	(void)state;
	for (size_t i = 0; i < 2 * all.n; i++) {
		struct na_err err = {.status = NA_OK};
		size_t n = i < all.n ? i : all.n;
		struct reading r;
		struct na_hlo h;

		if (i >= all.n)
			all.p[i - all.n] ^= 0x15;
		na_hlo_init(&h, false);
		read_exact(&r, all.p, n, NA_WANT_PROGRAMS);
		if (r.status == NA_OK)
			assert_int_equal(na_input_programs(&r.in, 0, &h, &err),
					 NA_OK);
		reading_end(&r);
		na_hlo_fini(&h);
		if (i >= all.n)
			all.p[i - all.n] ^= 0x15;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_and_names),
		cmocka_unit_test(damaged_ones),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
