/* Modules that were read apart, each with names of its own, become one list:
 * the same as read one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/hlo/hlo.h"

static void read_one(struct na_hlo *h, const char *worker, const char *name,
		     const char *op)
{
	struct na_err err = {.status = NA_OK};
	char text[500];
	int n = snprintf(text, sizeof(text),
			 "HloModule %s\n\nENTRY e.%s {\n"
			 "  p = f32[4] parameter(0)\n"
			 "  r.%s = f32[4] %s(p)\n"
			 "  s = (f32[4], u32[]) send(r.%s), channel_id=3, "
			 "is_host_transfer=true, frontend_attributes={"
			 "_xla_host_transfer_handler_name=\"h\","
			 "_xla_host_transfer_rendezvous=\"met.%s\","
			 "_xla_megascale_transfer_type=\"ALL_REDUCE\"}\n}\n",
			 name, op, op, op, op, op);

	assert_int_equal(na_hlo_read_text(h, text, (size_t)n,
					  na_hlo_worker(h, worker), &err),
			 NA_OK);
}

static void same_name(const struct na_hlo *a, uint32_t x,
		      const struct na_hlo *b, uint32_t y)
{
	assert_int_equal(x == NA_NO_NAME, y == NA_NO_NAME);
	assert_string_equal(na_strtab_at(&a->strings, x),
			    na_strtab_at(&b->strings, y));
}

static void same_module(const struct na_hlo *a, const struct na_hlo *b,
			size_t i)
{
	const struct na_hlo_module *x = &a->modules[i], *y = &b->modules[i];

	same_name(a, x->name, b, y->name);
	assert_string_equal(a->workers[x->worker].name,
			    b->workers[y->worker].name);
	assert_true(x->fingerprint == y->fingerprint);
	assert_int_equal(x->n_computations, y->n_computations);
	for (size_t k = 0; k < x->n_computations; k++)
		same_name(a, x->computations[k].name, b,
			  y->computations[k].name);
	assert_int_equal(x->n_instructions, y->n_instructions);
	for (size_t k = 0; k < x->n_instructions; k++) {
		const struct na_hlo_instruction *p = &x->instructions[k];
		const struct na_hlo_instruction *q = &y->instructions[k];

		same_name(a, p->name, b, q->name);
		same_name(a, p->opcode_name, b, q->opcode_name);
		same_name(a, p->rendezvous, b, q->rendezvous);
		same_name(a, p->transfer_type, b, q->transfer_type);
		same_name(a, p->handler, b, q->handler);
		same_name(a, x->texts[k], b, y->texts[k]);
		assert_true(p->hash == q->hash);
	}
}

static void apart_is_as_together(void **state)
{
	static const struct {
		const char *worker, *name, *op;
	} files[] = {{"w1", "jit_f", "copy"},
		     {"w2", "jit_g", "abs"},
		     {"w1", "jit_g", "abs"},
		     {"w3", "jit_copy", "negate"}};
	struct na_hlo whole, joined, part;

	(void)state;
	na_hlo_init(&whole, true);
	na_hlo_init(&joined, true);
	for (size_t i = 0; i < 4; i++) {
		na_hlo_init(&part, true);
		/* Somebody of whom there is no module. */
		assert_int_equal(na_hlo_worker(&part, "idle"), 0);
		read_one(&part, files[i].worker, files[i].name, files[i].op);
		read_one(&whole, files[i].worker, files[i].name, files[i].op);
		assert_true(na_hlo_take(&joined, &part));
		assert_int_equal(part.n_modules, 0);
	}
	na_hlo_init(&part, true);
	assert_true(na_hlo_take(&joined, &part));
	assert_int_equal(joined.n_modules, 4);
	assert_int_equal(joined.n_workers, 3);
	for (size_t i = 0; i < 4; i++)
		same_module(&whole, &joined, i);
	assert_string_equal(
		na_strtab_at(&joined.strings,
			     joined.modules[3].instructions[2].rendezvous),
		"met.negate");
	na_hlo_fini(&whole);
	na_hlo_fini(&joined);
}

static void stripped_modules_bring_their_name_only(void **state)
{
	struct na_hlo joined, part;
	uint64_t fingerprint;

	(void)state;
	na_hlo_init(&joined, true);
	na_hlo_init(&part, true);
	read_one(&part, "w", "jit_f", "copy");
	fingerprint = part.modules[0].fingerprint;
	na_hlo_strip(&part.modules[0]);
	assert_true(na_hlo_take(&joined, &part));
	assert_int_equal(joined.strings.n, 1);
	assert_int_equal(joined.modules[0].n_instructions, 3);
	assert_null(joined.modules[0].instructions);
	assert_true(joined.modules[0].fingerprint == fingerprint);
	na_hlo_fini(&joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apart_is_as_together),
		cmocka_unit_test(stripped_modules_bring_their_name_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
