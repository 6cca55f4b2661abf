/*
 * JSON items: each kind, what profilers write beyond the standard, and what
 * no text may do to us.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/json/json.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

/* One letter for each item, and its text. */
static void spell(struct na_json *j, struct na_str *s)
{
	static const char letters[] = "$<>[]ksntfzwd";

	while (na_json_next(j)) {
		bool has_text = j->kind == NA_JSON_KEY ||
				j->kind == NA_JSON_STRING ||
				j->kind == NA_JSON_NUMBER ||
				j->kind == NA_JSON_WORD;

		na_str_addf(s, "%c", letters[j->kind]);
		if (has_text)
			na_str_addf(s, "%.*s ", (int)j->text.n, j->text.s);
	}
	if (j->damage)
		na_str_addf(s, "!%d %s", (int)na_json_at(j), j->damage);
}

static void expect(const char *text, bool bare, const char *want)
{
	struct na_str s = {0};
	size_t n = strlen(text);
	char *copy = malloc(n + 1); /* no byte beyond the text */
	struct na_json j;

	assert_non_null(copy);
	copy = realloc(copy, n ? n : 1);
	assert_non_null(copy);
	for (size_t i = 0; i < n; i++)
		copy[i] = text[i];
	j = na_json_of(na_text_n(copy, n), 0);
	j.bare = bare;
	spell(&j, &s);
	assert_string_equal(s.s ? s.s : "", want);
	free(s.s);
	free(copy);
}

static void items(void **state)
{
	(void)state;
	expect("", false, "");
	expect(" \n", false, "");
	expect("{}", false, "<>");
	expect("[{\"a\": 1, \"b\":[true,false , null]},-2.5e+3]", false,
	       "[<ka n1 kb [tfz]>n-2.5e+3 ]");
	expect("\"a\\\"b\"", false, "sa\\\"b ");
	expect("{\"a\\\\\":{}}", false, "<ka\\\\ <>>");
	expect("1 2\n{\"a\":3}", false, "n1 n2 <ka n3 >");
}

static void beyond_the_standard(void **state)
{
	(void)state;
	expect("[1,]", false, "[n1 ]");
	expect("{\"a\":1,\n}", false, "<ka n1 >");
	expect("[NaN,Infinity,-Infinity]", false,
	       "[wNaN wInfinity w-Infinity ]");
	expect("{\"t\": ncclFloat32, \"s\": 0x262ca50}", true,
	       "<kt wncclFloat32 ks w0x262ca50 >");
	expect("{\"t\": ncclFloat32}", false, "<kt !6 a value");
	expect("[007]", false, "[!1 a value");
}

static void damage(void **state)
{
	(void)state;
	expect("[{\"a\":1},", false, "[<ka n1 >!9 the end of what is opened");
	expect("[1 2]", false, "[n1 !3 a comma or a closing bracket");
	expect("[1,,2]", false, "[n1 !3 a value");
	expect("[,1]", false, "[!1 a value");
	expect("[1}", false, "[n1 !2 another bracket");
	expect("]", false, "!0 another bracket");
	expect("{\"a\"}", false, "<!4 a colon behind a key");
	expect("{\"a\":}", false, "<ka !5 a value");
	expect("{1:2}", false, "<!1 a key");
	expect("{\"a\":12", false, "<ka !5 the end of a number");
	expect("[\"a", false, "[!1 the end of a string");
	expect("[\"a\\", false, "[!1 the end of a string");
}

/* Wherever a text is cut, what was whole before comes out, and damage. */
static void cut_anywhere(void **state)
{
	static const char whole[] =
		"{\"a\": [1, -2.5, \"x\\u00e9\"], \"b\": {\"c\": null}}";
	struct na_str all = {0};
	struct na_json j = na_json_of(na_text_n(whole, sizeof(whole) - 1), 0);

	(void)state;
	spell(&j, &all);
	for (size_t n = 1; n < sizeof(whole) - 1; n++) {
		struct na_str s = {0};
		const char *bad;

		j = na_json_of(na_text_n(whole, n), 0);
		spell(&j, &s);
		assert_non_null(j.damage);
		bad = strchr(s.s, '!');
		assert_non_null(bad);
		assert_memory_equal(s.s, all.s, (size_t)(bad - s.s));
		free(s.s);
	}
	free(all.s);
}

static void deep(void **state)
{
	enum { DEEP = 1000000 };
	char *text = malloc(2 * DEEP);
	struct na_json j;
	size_t n = 0;

	(void)state;
	assert_non_null(text);
	memset(text, '[', DEEP);
	memset(text + DEEP, ']', DEEP);
	j = na_json_of(na_text_n(text, 2 * DEEP), 0);
	while (na_json_next(&j))
		n++;
	assert_null(j.damage);
	assert_int_equal(n, 2 * NA_JSON_DEPTH + 1);
	j = na_json_of(na_text_n(text, 2 * DEEP - NA_JSON_DEPTH - 1), 0);
	while (na_json_next(&j))
		;
	assert_non_null(j.damage);
	free(text);
}

static void skips(void **state)
{
	static const char text[] =
		"{\"a\": {\"x\": [1, {}]}, \"b\": 7, \"c\": [[]]}";
	struct na_json j = na_json_of(na_text_n(text, sizeof(text) - 1), 100);

	(void)state;
	assert_int_equal(na_json_next(&j), NA_JSON_OBJECT);
	assert_int_equal(na_json_next(&j), NA_JSON_KEY);
	na_json_skip(&j);
	assert_int_equal(na_json_next(&j), NA_JSON_KEY);
	assert_true(na_json_is(&j, "b"));
	assert_int_equal(na_json_at(&j), 100 + (strstr(text, "\"b\"") - text));
	na_json_skip(&j);
	assert_int_equal(na_json_next(&j), NA_JSON_KEY);
	assert_int_equal(na_json_next(&j), NA_JSON_ARRAY);
	na_json_skip(&j);
	assert_int_equal(na_json_next(&j), NA_JSON_OBJECT_END);
	assert_int_equal(na_json_next(&j), NA_JSON_END);
	assert_null(j.damage);
}

static void unescaped(void **state)
{
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{"plain", "plain"},
		{"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
		{"\\u00e9\\u20AC", "\xc3\xa9\xe2\x82\xac"},
		{"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
		{"\\ud83d!", "\xef\xbf\xbd!"},
		{"\\ude00", "\xef\xbf\xbd"},
		{"\\u12", "\xef\xbf\xbd"
			  "12"},
		{"\\x", "\xef\xbf\xbd"
			"x"},
		{"\xff", "\xef\xbf\xbd"},
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct na_text raw = na_text_n(rows[i].raw,
					       strlen(rows[i].raw));

		na_json_unescape(raw, buf, sizeof(buf));
		assert_string_equal(buf, rows[i].want);
	}
	assert_int_equal(na_json_unescape(na_text_n("abcdef", 6), buf, 4), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(na_json_unescape(na_text_n("\xc3\xa9", 2), buf, 2), 0);
}

static void decimals(void **state)
{
	static const struct {
		const char *text;
		int power;
		bool good;
		int64_t want;
	} rows[] = {
		{"1.5", 3, true, 1500},
		{"1681415141735934", 6, false, 0},
		{"1681415141735934", 3, true, 1681415141735934000},
		{"4513321905.357", 6, true, 4513321905357000},
		{"0.0000019", 6, true, 1},
		{"-0.5", 1, true, -5},
		{"1.25e2", 1, true, 1250},
		{"125e-2", 0, true, 1},
		{"125E-2", 2, true, 125},
		{"0e99999999999", 0, true, 0},
		{"1e99999999999", 0, false, 0},
		{"1e-99999999999", 0, true, 0},
		{"9223372036854775807", 0, true, INT64_MAX},
		{"9223372036854775808", 0, false, 0},
		{"-9223372036854775807", 0, true, -INT64_MAX},
		{"1.", 1, true, 10},
		{"", 0, false, 0},
		{"-", 0, false, 0},
		{"1x", 0, false, 0},
		{"1e", 0, false, 0},
		{"1.2.3", 0, false, 0},
		{"NaN", 0, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct na_text t = na_text_n(rows[i].text,
					     strlen(rows[i].text));
		int64_t x = 77;

		assert_int_equal(na_json_decimal(t, rows[i].power, &x),
				 rows[i].good);
		assert_int_equal(x, rows[i].good ? rows[i].want : 77);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items),
		cmocka_unit_test(beyond_the_standard),
		cmocka_unit_test(damage),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(deep),
		cmocka_unit_test(skips),
		cmocka_unit_test(unescaped),
		cmocka_unit_test(decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
