/* HLO modules come back from a transfer file, as they were. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/transfer_file/file.h"
#include "tests/unit/reading.h"
#include "tests/unit/synth_session.h"
#include "tests/unit/xfer_story.h"

/* All of a program: its bytes, behind those before it. */
static enum na_status collect(void *ctx, const struct na_program_bytes *x,
			      struct na_err *err)
{
	struct na_xf_bytes *to = ctx;

	(void)err;
	na_xf_put(to, x->name.s, x->name.n);
	na_xf_put(to, &x->id, sizeof(x->id));
	na_xf_put(to, x->p, x->n);
	return NA_OK;
}

/* The trace's programs, once from it and once from a transfer file. */
static void there_and_back(void **state)
{
	const struct na_xfer_source source = {.host = "host"};
	const struct na_xfer_head head = {&source, 1, 0};
	struct na_err err = {.status = NA_OK};
	struct na_xf_bytes file = {.p = NULL};
	struct na_xfer_file *f;
	struct na_xf_bytes want = {.p = NULL}, got = {.p = NULL};
	struct session job;
	struct na_input in, back;
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
	assert_false(back.slim_programs);
	assert_int_equal(in.reader->program_bytes(&in, collect, &want, &err),
			 NA_OK);
	assert_int_equal(back.reader->program_bytes(&back, collect, &got, &err),
			 NA_OK);
	assert_true(want.n > 0);
	assert_int_equal(want.n, got.n);
	assert_memory_equal(want.p, got.p, got.n);
	na_xf_bytes_fini(&want);
	na_xf_bytes_fini(&got);
	na_input_close(&in);
	na_input_close(&back);
	na_xf_bytes_fini(&file);
	free(p);
	session_end(&job);
}

/* One that no reader would unpack is left out, and said. */
static void too_long(bool anonymize)
{
	struct na_pseudonyms *hidden = anonymize ? na_pseudonyms_new() : NULL;
	const struct na_xfer_source source = {.host = "host"};
	const struct na_xfer_head head = {&source, 1, 0, hidden, 0};
	struct na_err err = {.status = NA_OK};
	struct na_xf_bytes file = {.p = NULL}, got = {.p = NULL};
	struct na_xfer_file *f = na_xfer_new(append, &file, &head, &err);
	struct session job;
	struct na_input in, back;
	uint8_t *p;
	size_t n;

	session_init(&job);
	session_make(&job, NA_OK);
	p = session_bytes(&job, 1, &n);
	open_programs(&in, p, n);
	assert_non_null(f);
	f->max_program_bytes = 16;
	assert_int_equal(na_xfer_source_end(f, 0, &in, &err), NA_OK);
	assert_int_equal(na_xfer_finish(f, &err), NA_OK);
	na_xfer_free(f);
	assert_true(in.n_warnings > 0);
	assert_non_null(
		strstr(in.warnings->text, "is longer than 16 B: left out"));
	open_programs(&back, file.p, file.n);
	assert_int_equal(back.n_warnings, in.n_warnings);
	assert_string_equal(back.warnings->text, in.warnings->text);
	assert_int_equal(back.reader->program_bytes(&back, collect, &got, &err),
			 NA_OK);
	assert_int_equal(got.n, 0);
	na_xf_bytes_fini(&got);
	na_input_close(&in);
	na_input_close(&back);
	na_xf_bytes_fini(&file);
	na_pseudonyms_free(hidden);
	free(p);
	session_end(&job);
}

static void too_long_as_it_is(void **state)
{
	(void)state;
	too_long(false);
}

static void too_long_without_names(void **state)
{
	(void)state;
	too_long(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(too_long_as_it_is),
		cmocka_unit_test(too_long_without_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
