/*
 * Words on a terminal: broken between words, never inside a command; the
 * loudness of titles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "netan/result/emit.h"

static char *table_of(const struct na_result *r, int columns, bool color)
{
	const struct na_emit_opts o = {.columns = columns, .color = color};
	struct na_err err = {.status = NA_OK};
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	assert_int_equal(na_emitter_find("table")->write(r, &o, out, &err),
			 NA_OK);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void words_are_broken(void **state)
{
	struct na_result *r = na_result_new();
	char *text;

	(void)state;
	na_result_text(r, "a title of words", "%s",
		       "one two three four\nMore: netan pairs job\nx");
	text = table_of(r, 10, false);
	assert_string_equal(text, "a title of\n  words\none two\n  three\n  "
				  "four\nMore: netan pairs job\nx\n");
	free(text);
	text = table_of(r, 0, false);
	assert_string_equal(text, "a title of words\none two three four\n"
				  "More: netan pairs job\nx\n");
	free(text);
	na_result_free(r);
}

/* A word that is wider than the terminal stands by itself. */
static void long_words(void **state)
{
	struct na_result *r = na_result_new();
	char *text;

	(void)state;
	na_result_text(r, NULL, "%s", "a abcdefghijklmno b");
	text = table_of(r, 8, false);
	assert_string_equal(text, "a\n  abcdefghijklmno\n  b\n");
	free(text);
	na_result_free(r);
}

static void tones(void **state)
{
	struct na_result *r = na_result_new();
	char *text;

	(void)state;
	na_result_tone(r, NA_SEV_ERROR); /* of nothing */
	na_result_text(r, "plain", "%s", "");
	na_result_text(r, "loud", "%s", "");
	na_result_tone(r, NA_SEV_ERROR);
	text = table_of(r, 0, true);
	assert_string_equal(text, "\033[1mplain\033[0m\n\n"
				  "\033[1;31mloud\033[0m\n");
	free(text);
	text = table_of(r, 0, false);
	assert_string_equal(text, "plain\n\nloud\n");
	free(text);
	na_result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_broken),
		cmocka_unit_test(long_words),
		cmocka_unit_test(tones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
