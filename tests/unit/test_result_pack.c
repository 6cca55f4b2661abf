/* Rows that are packed read as those that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "netan/base/vec.h"
#include "netan/result/emit.h"

enum { ROWS = 6000, NAMES = 13, ODD = 4500 };

typedef struct na_value *list_maker(struct na_result *r, struct na_value *in,
				    const char *name);

/* Row i, with members of every kind; from ODD on each has a shape of its own,
 * more of them than are numbered. */
static void put_row(struct na_result *r, struct na_value *list, int i)
{
	static const char *const fields[] = {"a", "b", NULL};
	static const int64_t cells[] = {1, 2, 3, -4};
	struct na_value *row = na_put_object(r, list, NULL), *key, *inner;
	double *reals;

	key = na_put_object(r, row, "key");
	na_put_textf(r, key, "name", "a collective with a long name %d", i % 7);
	na_put_text(r, row, "name", i % 3 ? "short" : "");
	na_put_textf(r, row, "again", "a collective with a long name %d",
		     i % 7);
	na_put_int(r, row, "int", i % 2 ? INT64_MIN + i : i);
	na_put_id(r, row, "id", UINT64_MAX - (uint64_t)i);
	na_put_bool(r, row, "flag", i % 5 == 0);
	na_put_null(r, row, "null");
	na_put_real(r, row, "p50", i % 4 ? i / 3.0 : NAN);
	na_put_real(r, row, "p99", i % 4 ? i / 3.0 : -0.0);
	na_put_text(r, row, "none", NULL);
	inner = na_put_list(r, row, "inner");
	for (int k = 0; k < i % 4; k++)
		na_put_real(r, na_put_object(r, inner, NULL), "x", k * 0.1);
	reals = na_put_reals(r, row, "reals", 2);
	assert_non_null(reals);
	reals[0] = i;
	reals[1] = NAN;
	if (i % 10 == 0)
		na_put_rows(r, row, "rows", fields, cells, 2);
	for (int bit = 0; i >= 500 && bit < NAMES; bit++) {
		const char name[] = {(char)('a' + bit), '\0'};

		if ((i - 500) >> bit & 1)
			na_put_int(r, row, name, bit);
	}
}

static struct na_result *result_of(list_maker *make, int n)
{
	struct na_result *r = na_result_new();
	struct na_value *list = make(r, na_result_body(r), "rows");

	for (int i = 0; i < n; i++)
		put_row(r, list, i);
	assert_int_equal(list->n, n);
	assert_true(na_result_ok(r));
	return r;
}

static char *printed(const struct na_result *r, const char *format)
{
	const struct na_emit_opts o = {.columns = 0};
	struct na_err err = {.status = NA_OK};
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(na_emitter_find(format)->write(r, &o, out, &err),
			 NA_OK);
	fclose(out);
	return text;
}

static void is_printed_alike(const struct na_result *a,
			     const struct na_result *b, const char *format)
{
	char *one = printed(a, format), *other = printed(b, format);

	assert_string_equal(one, other);
	free(one);
	free(other);
}

static void alike(void **state)
{
	static const int sizes[] = {0, 1, 2, 40, ROWS};
	static const char *const formats[] = {"json", "csv", "tsv"};

	(void)state;
	for (size_t i = 0; i < NA_LEN(sizes); i++) {
		struct na_result *a = result_of(na_put_list, sizes[i]);
		struct na_result *b = result_of(na_put_packed, sizes[i]);

		for (size_t k = 0; k < NA_LEN(formats); k++)
			is_printed_alike(a, b, formats[k]);
		/* And unpacked, and packed no more. */
		assert_ptr_equal(na_first(na_result_body(b), "rows"),
				 na_first(na_result_body(b), "rows"));
		assert_int_equal(na_length(na_result_body(b), "rows"),
				 sizes[i]);
		is_printed_alike(a, b, "json");
		na_result_free(a);
		na_result_free(b);
	}
}

/* Walks in walks, and such as are left. */
static void walks(void **state)
{
	struct na_result *r = result_of(na_put_packed, 50);
	const struct na_value *list = na_get(na_result_body(r), "rows");
	const char *kept = NULL;
	int outer = 0, pairs = 0;

	(void)state;
	na_each_row (v, list) {
		if (++outer == 20)
			kept = na_text_at(v, "key.name");
		na_each_row (w, list) {
			pairs += na_count_at(v, "int") == na_count_at(w, "int");
			if (++pairs % 7 == 0)
				break;
		}
		assert_string_equal(na_text_at(v, "key.name"),
				    na_text_at(v, "again"));
		assert_int_equal(na_length(v, "inner"), (outer - 1) % 4);
	}
	assert_int_equal(outer, 50);
	assert_string_equal(kept, "a collective with a long name 5");
	assert_null(na_dig(list, "50"));
	assert_string_equal(na_text_at(list, "19.again"),
			    "a collective with a long name 5");
	na_result_free(r);
}

/* Two lists in turn, and a row that is shown elsewhere. */
static void in_turn(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	struct na_value *a = na_put_packed(r, body, "a");
	struct na_value *b = na_put_packed(r, body, "b");
	struct na_value *shown = na_put_list(r, na_result_side(r), "shown");

	(void)state;
	for (int i = 0; i < 30; i++) {
		put_row(r, a, i);
		put_row(r, b, 2 * i);
	}
	na_each_row (v, a) {
		if (na_count_at(v, "int") == 4)
			na_put_alias(r, na_put_object(r, shown, NULL), "row",
				     v);
	}
	na_put_more_rows(shown, 2);
	assert_int_equal(na_length(na_result_side(r), "shown"), 3);
	assert_string_equal(na_text_at(na_items(shown), "row.key.name"),
			    "a collective with a long name 4");
	assert_int_equal(na_length(na_items(na_items(shown)), "inner"), 0);
	/* More of them after they were read. */
	put_row(r, b, 60);
	assert_int_equal(na_length(body, "b"), 31);
	assert_true(na_count_at(b, "30.int") == 60);
	na_result_free(r);
}

static char *louder(void *ctx, const char *member, const char *text)
{
	char *made = strdup(text);

	(void)ctx;
	(void)member;
	if (made && *made)
		made[0] = 'X';
	return made;
}

static void retexted(void **state)
{
	struct na_result *a = result_of(na_put_list, 40);
	struct na_result *b = result_of(na_put_packed, 40);

	(void)state;
	na_result_retext(a, louder, NULL);
	na_result_retext(b, louder, NULL);
	is_printed_alike(a, b, "json");
	assert_string_equal(na_text_at(na_first(na_result_body(b), "rows"),
				       "key.name"),
			    "X collective with a long name 0");
	na_result_free(a);
	na_result_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike),
		cmocka_unit_test(walks),
		cmocka_unit_test(in_turn),
		cmocka_unit_test(retexted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
