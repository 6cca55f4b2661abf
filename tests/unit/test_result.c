/*
 * The tree of a result: order, copies, readers, what NULL and NaN become.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "netan/result/emit.h"

static void members_keep_their_order(void **state)
{
	static const char *const want[] = {"a", "b", "c", "d", "e", "f"};
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	const struct na_value *v;
	size_t k = 0;

	(void)state;
	na_put_int(r, body, "a", 1);
	na_put_real(r, body, "b", 2.5);
	na_put_text(r, body, "c", "x");
	na_put_bool(r, body, "d", true);
	na_put_null(r, body, "e");
	na_put_list(r, body, "f");
	assert_int_equal(body->n, 6);
	for (v = body->u.of.first; v; v = v->next)
		assert_string_equal(v->name, want[k++]);
	assert_int_equal(k, 6);
	assert_true(na_result_ok(r));
	na_result_free(r);
}

/* The envelope is added after the analysis and still stands in front. */
static void the_body_stays_last(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *doc = na_result_doc(r);

	(void)state;
	na_put_int(r, na_result_body(r), "n", 7);
	na_put_text(r, doc, "schema", "netan.x/1");
	na_put_text(r, doc, "netan_version", "0");
	assert_string_equal(doc->u.of.first->name, "schema");
	assert_string_equal(doc->u.of.first->next->name, "netan_version");
	assert_string_equal(doc->u.of.last->name, "result");
	assert_int_equal(doc->n, 3);
	assert_int_equal(na_int_of(na_dig(doc, "result.n"), 0), 7);
	na_result_free(r);
}

static void texts_are_copied(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	char name[] = "name", text[] = "text";

	(void)state;
	na_put_text(r, body, name, text);
	na_put_textf(r, body, "f", "%s %d", text, 42);
	na_put_text(r, body, "null", NULL);
	name[0] = text[0] = '!';
	assert_string_equal(na_text_of(na_get(body, "name"), ""), "text");
	assert_string_equal(na_text_of(na_get(body, "f"), ""), "text 42");
	assert_int_equal(na_get(body, "null")->kind, NA_V_NULL);
	na_result_free(r);
}

/* A path picks an item of a list by its number, and nothing else. */
static void items_by_number(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *list = na_put_list(r, na_result_body(r), "hosts");

	(void)state;
	na_put_text(r, na_put_object(r, list, NULL), "name", "a");
	na_put_text(r, na_put_object(r, list, NULL), "name", "b");
	assert_string_equal(na_text_at(na_result_body(r), "hosts.0.name"), "a");
	assert_string_equal(na_text_at(na_result_body(r), "hosts.1.name"), "b");
	assert_null(na_dig(na_result_body(r), "hosts.2"));
	assert_null(na_dig(na_result_body(r), "hosts.name"));
	assert_null(na_dig(na_result_body(r), "0"));
	na_result_free(r);
}

static void readers_fall_back(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	struct na_value *in = na_put_object(r, body, "in");
	size_t n = 9;

	(void)state;
	na_put_int(r, in, "i", -3);
	na_put_real(r, in, "d", 2.75);
	na_put_real(r, in, "nan", NAN);
	na_put_real(r, in, "inf", INFINITY);
	na_put_bool(r, in, "yes", true);
	na_put_real(r, in, "huge", 1e300);
	assert_int_equal(na_int_of(na_dig(body, "in.i"), 0), -3);
	assert_int_equal(na_int_of(na_dig(body, "in.d"), 0), 2);
	assert_int_equal(na_int_of(na_dig(body, "in.yes"), 0), 1);
	assert_int_equal(na_int_of(na_dig(body, "in.huge"), 5), 5);
	assert_true(fabs(na_real_of(na_dig(body, "in.i"), 0) + 3) < 1e-15);
	assert_int_equal(na_dig(body, "in.nan")->kind, NA_V_NULL);
	assert_int_equal(na_dig(body, "in.inf")->kind, NA_V_NULL);
	assert_true(isnan(na_real_of(na_dig(body, "in.nan"), NAN)));
	assert_string_equal(na_text_of(na_dig(body, "in.i"), "-"), "-");
	assert_null(na_dig(body, "in.nothing"));
	assert_null(na_dig(body, "in.i.deeper"));
	assert_null(na_dig(body, "inn"));
	assert_null(na_get(NULL, "x"));
	assert_int_equal(na_int_of(NULL, 4), 4);
	assert_null(na_reals_of(na_get(body, "in"), &n));
	assert_int_equal(n, 0);
	na_result_free(r);
}

static void arrays_are_packed(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	double *x = na_put_reals(r, body, "x", 100000);
	size_t n;

	(void)state;
	assert_non_null(x);
	assert_true(x[0] >= 0 && x[99999] <= 0);
	x[99999] = 1;
	assert_ptr_equal(na_reals_of(na_get(body, "x"), &n), x);
	assert_int_equal(n, 100000);
	assert_non_null(na_put_reals(r, body, "none", 0));
	assert_true(na_result_ok(r));
	na_result_free(r);
}

/* A size that cannot be had, and parents that never came to be. */
static void short_memory_is_remembered(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);

	(void)state;
	assert_null(na_put_reals(r, body, "x", SIZE_MAX / 4));
	assert_false(na_result_ok(r));
	assert_null(na_put_object(r, NULL, "x"));
	na_put_int(r, NULL, "x", 1);
	na_put_text(r, NULL, "x", "y");
	assert_null(na_put_list(NULL, NULL, NULL));
	assert_int_equal(body->n, 0);
	na_result_free(r);
	na_result_free(NULL);
	assert_false(na_result_ok(NULL));
}

static void views_and_notes_are_kept(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *list = na_put_list(r, na_result_body(r), "rows");
	char field[] = "a";
	struct na_column col = {field, "A", NA_F_COUNT, 0, 0};
	const struct na_view *view;

	(void)state;
	na_result_headline(r, "%d files", 2);
	na_result_view(r, "one", list, NULL, &col, 1, 5);
	na_result_view(r, NULL, list, NULL, &col, 1, 0);
	na_result_view(r, "nothing", NULL, NULL, &col, 1, 0);
	na_result_note(r, "first");
	na_result_note(r, "second %s", "note");
	field[0] = '!';
	view = na_result_views(r);
	assert_string_equal(na_result_get_headline(r), "2 files");
	assert_string_equal(view->title, "one");
	assert_string_equal(view->cols[0].field, "a");
	assert_int_equal(view->max_rows, 5);
	assert_null(view->next->title);
	assert_null(view->next->next);
	assert_string_equal(na_result_notes(r)->text, "first");
	assert_string_equal(na_result_notes(r)->next->text, "second note");
	assert_null(na_result_notes(r)->next->next);
	na_result_free(r);
}

static char *shouted(void *ctx, const char *member, const char *text)
{
	char *copy = strdup(text);

	(void)ctx;
	(void)member;
	for (char *c = copy; c && *c; c++)
		*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
	return copy;
}

/* All that a person or a program may read, but no name of a member. */
static void texts_can_be_replaced(void **state)
{
	static const struct na_column col = {"a", "a", NA_F_TEXT, 0, 0};
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *list, *row;

	(void)state;
	na_put_text(r, na_result_doc(r), "schema", "x/1");
	list = na_put_list(r, body, "rows");
	row = na_put_object(r, list, NULL);
	na_put_text(r, row, "a", "one");
	na_put_int(r, row, "n", 1);
	na_put_alias(r, body, "same", list);
	na_result_word(r, NA_WORD_MESSAGE, "two");
	na_result_headline(r, "three");
	na_result_view(r, "four", list, NULL, &col, 1, 0);
	na_result_text(r, NULL, "five\nsix");
	na_result_note(r, "seven");
	na_result_retext(r, shouted, NULL);
	assert_true(na_result_ok(r));
	assert_string_equal(na_text_of(na_get(na_result_doc(r), "schema"), ""),
			    "X/1");
	assert_string_equal(na_text_of(na_get(row, "a"), ""), "ONE");
	assert_int_equal(na_int_of(na_get(row, "n"), 0), 1);
	assert_string_equal(na_result_get_word(r, NA_WORD_MESSAGE, ""), "TWO");
	assert_string_equal(na_result_get_headline(r), "THREE");
	assert_string_equal(na_result_views(r)->title, "FOUR");
	assert_string_equal(na_result_views(r)->cols[0].header, "A");
	assert_null(na_result_views(r)->next->title);
	assert_string_equal(na_result_views(r)->next->text, "FIVE\nSIX");
	assert_string_equal(na_result_notes(r)->text, "SEVEN");
	na_result_free(r);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_keep_their_order),
		cmocka_unit_test(the_body_stays_last),
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(items_by_number),
		cmocka_unit_test(readers_fall_back),
		cmocka_unit_test(arrays_are_packed),
		cmocka_unit_test(short_memory_is_remembered),
		cmocka_unit_test(views_and_notes_are_kept),
		cmocka_unit_test(texts_can_be_replaced),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
