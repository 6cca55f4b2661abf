/*
 * Transfer files of before threads were told: tests/data/no-threads.netan,
 * made with version 1 of the format when an action had 26 fields.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reading.h"

static uint8_t *old_file(size_t *n)
{
	FILE *f = fopen("tests/data/no-threads.netan", "rb");
	uint8_t *p = malloc(1 << 16);

	assert_non_null(f);
	assert_non_null(p);
	*n = fread(p, 1, 1 << 16, f);
	fclose(f);
	return p;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void without_threads(void **state)
{
	struct reading r;
	size_t n;
	uint8_t *p = old_file(&n);

	(void)state;
	read_bytes(&r, p, n, NA_WANT_HOST_EVENTS);
	assert_int_equal(r.status, NA_OK);
	assert_false(r.in.damaged);
	assert_int_equal(count(r.text, "A registration message "), 3);
	assert_int_equal(count(r.text, " MapDmaBuffer\n"), 3);
	/* Nothing else was asked for. */
	assert_int_equal(r.records, 3);
	reading_end(&r);
	/* Those who ask for actions hear of them, too. */
	read_bytes(&r, p, n, NA_WANT_ACTIONS);
	assert_int_equal(count(r.text, "A registration message "), 3);
	assert_true(r.records > 3);
	reading_end(&r);
	read_bytes(&r, p, n, NA_WANT_TRANSFERS);
	assert_int_equal(count(r.text, "A "), 0);
	reading_end(&r);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_threads)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
