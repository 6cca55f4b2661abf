/* HLO modules without what does not communicate: what is left is the same,
 * and comes back from a transfer file. */
#include "ingest/transfer_file/hlo_slim.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/hlo/hlo.h"
#include "tests/unit/reading.h"
#include "tests/unit/synth_session.h"
#include "tests/unit/xfer_story.h"

/* One line for each instruction of that kind, and its operands. */
static char *told_of(const struct na_hlo *h, bool talks)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	for (size_t k = 0; k < h->n_modules; k++) {
		const struct na_hlo_module *m = &h->modules[k];

		fprintf(f, "%s %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
			na_strtab_at(&h->strings, m->name), m->program_id,
			m->replicas, m->partitions);
		for (size_t i = 0; i < m->n_instructions; i++) {
			const struct na_hlo_instruction *x =
				&m->instructions[i];

			if ((x->opcode != NA_OPCODE_OTHER) != talks)
				continue;
			fprintf(f,
				"%s %s %" PRIu64 " %" PRId64 " %s %s %s "
				"%" PRIu32 "x%" PRIu32 " %d %d %d %d:",
				na_strtab_at(&h->strings, x->name),
				na_strtab_at(&h->strings, x->opcode_name),
				x->size_bytes, x->channel,
				na_strtab_at(&h->strings, x->rendezvous),
				na_strtab_at(&h->strings, x->transfer_type),
				na_strtab_at(&h->strings, x->handler),
				x->n_groups, x->group_size, x->opcode, x->phase,
				x->host_transfer, x->all_devices);
			for (uint32_t o = 0; o < x->n_operands; o++) {
				uint32_t i_of =
					m->operands[x->first_operand + o];
				const struct na_hlo_instruction *y =
					&m->instructions[i_of];

				assert_true(i_of < m->n_instructions);
				fprintf(f, " %s %" PRIu64,
					na_strtab_at(&h->strings, y->name),
					y->size_bytes);
			}
			fputc('\n', f);
		}
	}
	fclose(f);
	return text;
}

struct slimming {
	size_t n, whole_bytes, slim_bytes;
};

static enum na_status compare(void *ctx, const struct na_program_bytes *x,
			      struct na_err *err)
{
	struct slimming *s = ctx;
	struct na_xf_bytes slim = {.p = NULL};
	struct na_hlo whole, less;
	char *a, *b;

	na_hlo_init(&whole, false);
	na_hlo_init(&less, false);
	assert_true(na_hlo_slim(x->p, x->n, &slim));
	assert_int_equal(na_hlo_read_proto(&whole, x->p, x->n,
					   na_hlo_worker(&whole, "w"), err),
			 NA_OK);
	assert_int_equal(na_hlo_read_proto(&less, slim.p, slim.n,
					   na_hlo_worker(&less, "w"), err),
			 NA_OK);
	a = told_of(&whole, true);
	b = told_of(&less, true);
	assert_string_equal(a, b);
	assert_true(less.modules[0].n_instructions <
		    whole.modules[0].n_instructions);
	s->n++;
	s->whole_bytes += x->n;
	s->slim_bytes += slim.n;
	free(a);
	free(b);
	na_xf_bytes_fini(&slim);
	na_hlo_fini(&whole);
	na_hlo_fini(&less);
	return NA_OK;
}

static void a_job(void **state)
{
	struct slimming s = {.n = 0};
	struct na_err err = {.status = NA_OK};
	struct session job;
	struct na_input in;
	uint8_t *p;
	size_t n;

	(void)state;
	session_init(&job);
	session_make(&job, NA_OK);
	p = session_bytes(&job, 0, &n);
	open_programs(&in, p, n);
	assert_int_equal(in.reader->program_bytes(&in, compare, &s, &err),
			 NA_OK);
	assert_true(s.n > 0);
	assert_true(s.slim_bytes < s.whole_bytes);
	na_input_close(&in);
	free(p);
	session_end(&job);
}

/* The trace's programs, once from it and once from a transfer file. */
static void there_and_back(void **state)
{
	const struct na_xfer_source source = {.host = "host"};
	const struct na_xfer_head head = {&source, 1, 0};
	struct na_err err = {.status = NA_OK};
	struct na_xf_bytes file = {.p = NULL};
	struct na_xfer_file *f;
	struct na_hlo want, got;
	struct session job;
	struct na_input in, back;
	char *a, *b;
	uint8_t *p;
	size_t n;

	(void)state;
	session_init(&job);
	session_make(&job, NA_OK);
	p = session_bytes(&job, 1, &n);
	open_programs(&in, p, n);
	f = na_xfer_new(append, &file, &head, &err);
	assert_non_null(f);
	assert_int_equal(na_xfer_source_end(f, 0, &in, &err), NA_OK);
	assert_int_equal(na_xfer_finish(f, &err), NA_OK);
	na_xfer_free(f);
	open_programs(&back, file.p, file.n);
	na_hlo_init(&want, false);
	na_hlo_init(&got, false);
	assert_int_equal(na_input_programs(&in, 3, &want, &err), NA_OK);
	assert_int_equal(na_input_programs(&back, 3, &got, &err), NA_OK);
	assert_true(want.n_modules > 0);
	assert_int_equal(got.modules[0].input, 3);
	a = told_of(&want, true);
	b = told_of(&got, true);
	assert_string_equal(a, b);
	free(a);
	free(b);
	na_hlo_fini(&want);
	na_hlo_fini(&got);
	na_input_close(&in);
	na_input_close(&back);
	na_xf_bytes_fini(&file);
	free(p);
	session_end(&job);
}

/* Every cut of a module, and every byte of it changed: no harm is done. */
static enum na_status harm(void *ctx, const struct na_program_bytes *x,
			   struct na_err *err)
{
	(void)ctx;
	(void)err;
	for (size_t i = 0; i < x->n; i += 1 + i / 200) {
		uint8_t *copy = malloc(x->n);
		struct na_xf_bytes slim = {.p = NULL};

		assert_non_null(copy);
		memcpy(copy, x->p, x->n);
		copy[i] ^= 0x55;
		na_hlo_slim(copy, x->n, &slim);
		assert_false(slim.failed);
		na_xf_bytes_fini(&slim);
		copy = realloc(copy, i + 1);
		slim = (struct na_xf_bytes){.p = NULL};
		assert_false(na_hlo_slim(copy, i, &slim));
		na_xf_bytes_fini(&slim);
		free(copy);
	}
	return NA_OK;
}

static void damaged(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct session job;
	struct na_input in;
	uint8_t *p;
	size_t n;

	(void)state;
	session_init(&job);
	session_make(&job, NA_OK);
	p = session_bytes(&job, 0, &n);
	open_programs(&in, p, n);
	assert_int_equal(in.reader->program_bytes(&in, harm, NULL, &err),
			 NA_OK);
	na_input_close(&in);
	free(p);
	session_end(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
