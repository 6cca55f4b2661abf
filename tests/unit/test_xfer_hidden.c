/* An anonymous file, once more when more names are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/xfer_story.h"

static void hide_again(const struct na_xf_bytes *from, struct na_pseudonyms *p,
		       struct na_xf_bytes *to)
{
	struct na_err err = {.status = NA_OK};
	uint64_t n;

	assert_int_equal(na_xfer_hide_again(from->p, from->n, p, append, to, &n,
					    &err),
			 NA_OK);
	assert_int_equal(n, to->n);
}

static void nothing_new(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();
	struct na_xf_bytes file = {.p = NULL}, again = {.p = NULL};

	(void)state;
	make_file(&file, 3, 200, true);
	hide_again(&file, p, &again);
	assert_int_equal(again.n, file.n);
	assert_memory_equal(again.p, file.p, file.n);
	na_pseudonyms_free(p);
	na_xf_bytes_fini(&file);
	na_xf_bytes_fini(&again);
}

static void tell_file(const struct na_xf_bytes *file, struct told *t)
{
	struct back b;

	told_init(t);
	open_back(&b, file->p, file->n, EVERYTHING);
	assert_true(b.opened);
	assert_false(b.in[0].damaged || b.in[1].damaged);
	tell_all(&b, t);
	assert_int_equal(t->damaged, 0);
	close_back(&b);
}

/* "name-K" for all K that the story has, and of a user who begins them. */
static void a_name_told_later(void **state)
{
	struct na_pseudonyms *p = na_pseudonyms_new();
	struct na_xf_bytes file = {.p = NULL}, again = {.p = NULL};
	struct told before, after;

	(void)state;
	make_file(&file, 3, 200, true);
	na_pseudonym(p, NA_ALIAS_USER, "name");
	hide_again(&file, p, &again);
	tell_file(&file, &before);
	tell_file(&again, &after);
	assert_int_equal(after.records, before.records);
	assert_non_null(strstr(before.text, "'name-"));
	assert_null(strstr(after.text, "'name-"));
	assert_non_null(strstr(after.text, "'user-1-"));
	assert_non_null(strstr(after.text, "'addr-1'"));
	told_fini(&before);
	told_fini(&after);
	na_pseudonyms_free(p);
	na_xf_bytes_fini(&file);
	na_xf_bytes_fini(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_new),
		cmocka_unit_test(a_name_told_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
