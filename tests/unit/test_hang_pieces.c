/* Hang logs: the pieces of lines one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/logs/hang_prefix.h"
#include "ingest/logs/hang_wrapped.h"
#include "netan/base/units.h"

static struct na_text span(const char *s)
{
	return na_text_n(s, strlen(s));
}

static const char *or_none(const struct na_hang *h, uint32_t name)
{
	return name == NA_NO_NAME ? "-" : na_strtab_at(&h->names, name);
}

static void workers(void **state)
{
	/* clang-format off */
	static const struct { const char *text, *want; } rows[] = {
		{"host-a", "- - host-a - -"},
		{" trainer/3:host-a ", "trainer 3 host-a - -"},
		{"3:host-a", "- 3 host-a - -"},
		{"host-a:8471", "- - host-a:8471 - -"},
		{"7", "- 7 - - -"},
		{"trainer/7", "trainer 7 - - -"},
		{"a/b/7:h", "a/b 7 h - -"},
		{"3@host-a:1:0", "- 3 host-a 1 0"},
		{"3@host-a:1", "- 3 host-a 1 -"},
		{"job/3@host-a:8471:1:0", "job 3 host-a:8471 1 0"},
		{"[3:host-a@1:0]", "- 3 host-a 1 0"},
		{"job/3:host-a@1:0", "job 3 host-a 1 0"},
		{"3:host-a@1", "- 3 host-a 1 -"},
		{"slice0-task3", "- - slice0-task3 - -"},
		{"slice0-task3/5", "- 5 slice0-task3 - -"},
		{"two words", NULL}, {"", NULL}, {"[]", NULL}, {"@", NULL},
		{":", "- - : - -"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_hang_worker w;
		struct na_hang h;
		bool ok = true;
		char got[200];

		na_hang_init(&h);
		if (na_hang_worker_of(&h, span(rows[i].text), &w, &ok)) {
			snprintf(got, sizeof(got), "%s %s %s %s %s",
				 or_none(&h, w.job), or_none(&h, w.task),
				 or_none(&h, w.host), or_none(&h, w.chip),
				 or_none(&h, w.core));
			assert_non_null(rows[i].want);
			assert_string_equal(got, rows[i].want);
		} else if (rows[i].want) {
			fail_msg("%s: no worker", rows[i].text);
		}
		assert_true(ok);
		na_hang_fini(&h);
	}
}

static void spots(void **state)
{
	/* clang-format off */
	static const struct { const char *text, *want; } rows[] = {
		{"7:0x1f(fusion.3): host-a, host-b",
		 "7|0x1f|fusion.3|host-a, host-b"},
		{"0xab:12(f(x): [g]): h", "0xab|12|f(x): [g]|h"},
		{"2@17:0x1f(all-reduce.7): [3:h@1:0, 3:h@1:1]",
		 "17|0x1f|all-reduce.7|[3:h@1:0, 3:h@1:1]"},
		{"2@0x1f(x): [3:h@1:0]", "0x1f|0x1f|x|[3:h@1:0]"},
		{"7:1(hlo):", "7|1|hlo|"},
		{"host-a: 0x1f", NULL}, {"error (5): no", NULL},
		{"a b:1(x): h", NULL}, {"(): ", NULL}, {"", NULL},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_hang_spot s;
		char got[200];

		if (!na_hang_spot_of(span(rows[i].text), &s)) {
			assert_null(rows[i].want);
			continue;
		}
		snprintf(got, sizeof(got), "%.*s|%.*s|%.*s|%.*s", (int)s.tag.n,
			 s.tag.s, (int)s.pc.n, s.pc.s, (int)s.hlo.n, s.hlo.s,
			 (int)s.workers.n, s.workers.s);
		assert_non_null(rows[i].want);
		assert_string_equal(got, rows[i].want);
	}
}

static void durations(void **state)
{
	/* clang-format off */
	static const struct { const char *text; int64_t ms; } rows[] = {
		{"1m", 60000}, {"5m", 300000}, {"1m30s", 90000},
		{"2.5s", 2500}, {"1h0m0.5s", 3600500}, {"250ms", 250},
		{"5", -1}, {"", -1}, {"m", -1}, {"1x", -1}, {"1m3", -1},
		{"99999999999999h", -1},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t ps;
		bool ok = na_hang_duration(span(rows[i].text), &ps);

		assert_int_equal(ok, rows[i].ms >= 0);
		if (ok)
			assert_int_equal(ps, rows[i].ms * NA_PS_PER_MS);
	}
}

static void times(void **state)
{
	/* clang-format off */
	static const struct { const char *text, *want; } rows[] = {
		{"2026-01-02T03:04:05.600Z x", "2026-01-02T03:04:05.6Z"},
		{"2026-01-02 03:04:05,678 ERROR", "2026-01-02T03:04:05.678Z"},
		{"2026/01/02 03:04:05 x", "2026-01-02T03:04:05Z"},
		{"2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05Z"},
		{"2026-01-02T03:04:05-0800", "2026-01-02T11:04:05Z"},
		{"I0102 03:04:05.6 77 x.cc:9]", "01-02 03:04:05.6"},
		{"E20260102 03:04:05.6 77 x.cc:9]", "2026-01-02T03:04:05.6Z"},
		{"Jan  2 03:04:05 host", "01-02 03:04:05"},
		{"Nov 20 21:28:00 host", "11-20 21:28:00"},
		{"2026-13-02T03:04:05Z", NULL}, {"I0102 25:04:05.6 ", NULL},
		{"0000-01-02T03:04:05Z", NULL}, {"Foo  2 03:04:05", NULL},
		{"I0230 03:04:05.6", NULL}, {"", NULL},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_hang_time t = {.known = false};
		char buf[NA_HANG_TIME_BUF];

		if (!na_hang_time_of(span(rows[i].text), &t)) {
			assert_null(rows[i].want);
			continue;
		}
		assert_non_null(rows[i].want);
		assert_string_equal(na_hang_time_text(&t, buf), rows[i].want);
	}
}

static void prefixes(void **state)
{
	const char *p = "[pod/a] E0102 03:09:06.1 77 y.cc:8]";
	size_t end;

	(void)state;
	assert_int_equal(na_prefix_words(span(p)), 5);
	assert_int_equal(na_prefix_match(span(p), span(p), &end), 5);
	assert_int_equal(
		na_prefix_match(span(p),
				span("[pod/a] I0103 04:00:00.25 77 z.cc:19] x"),
				&end),
		5);
	assert_int_equal(end, strlen("[pod/a] I0103 04:00:00.25 77 z.cc:19]"));
	assert_int_equal(na_prefix_match(span(p), span("[pod/a]   host: 5"),
					 &end),
			 1);
	assert_int_equal(na_prefix_match(span(p), span("[pod/b]   x"), &end),
			 0);
	assert_int_equal(na_prefix_match(span(p),
					 span("[pod/a] E0102 03:09:06.1 78 "),
					 &end),
			 3);
	assert_false(na_prefix_may_end(span(p), 3));
	assert_true(na_prefix_may_end(span(p), 1));
	assert_true(na_prefix_may_end(span(p), 5));
	/* Addresses tell who speaks. */
	assert_int_equal(na_prefix_match(span("10.0.0.1 x"), span("10.0.0.2 x"),
					 &end),
			 0);
}

static void unescaping(void **state)
{
	char out[64];
	size_t n = na_hang_unescape(
		span("a\\n\\t\\\"b\\\\\\u00e9\\ud800\\/\\u12\" rest"), out);

	(void)state;
	out[n] = '\0';
	assert_string_equal(out, "a\n\t\"b\\\xc3\xa9\xef\xbf\xbd/u12");
	for (size_t cut = 0; cut < 9; cut++)
		assert_true(na_hang_unescape(na_text_n("\\u00e9\\n\\\"", cut),
					     out) <= cut);
}

static void put(char *out, size_t room, const char *name, struct na_text x)
{
	size_t n = strlen(out);

	if (x.s)
		snprintf(out + n, room - n, "%s=%.*s|", name, (int)x.n, x.s);
}

static const char *told(const struct na_hang_wrapped *w)
{
	static char out[400];

	out[0] = '\0';
	put(out, sizeof(out), "m", w->message);
	put(out, sizeof(out), "t", w->time);
	for (size_t i = 0; i < w->n_who; i++)
		put(out, sizeof(out), "w", w->who[i]);
	return out;
}

static void objects(void **state)
{
	/* clang-format off */
	static const struct { const char *text, *want; } rows[] = {
		{"{\"msg\":\"a\",\"ts\":12.5}{\"msg\":\"b\"}", "m=a|t=12.5|;m=b|;"},
		{" [ {\"msg\":\"}]\", \"x\":{\"pod\":\"p\"}}, {\"message\":\"b\\\"}\"}]",
		 "m=}]|w=p|;m=b\\\"}|;"},
		{"{\"textPayload\":\"\",\"jsonPayload\":{\"message\":\"m\"}}", "m=m|;"},
		{"\"log\": \"x\",", "m=x|;"},
		{"{\"msg\":\"cut of", "m=cut of|;"},
		{"{\"a\":{\"b\":1}}", "-;"}, {"[pod/x] {\"msg\":\"m\"}", ""},
		{"", ""}, {"[[[", ""}, {"{", "-;"}, {"}{", ""}, {"\"", "-;"},
		{"{\"msg\\", "-;"}, {"{\"msg\":\"\\", "m=\\|;"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_text rest = span(rows[i].text), object;
		struct na_hang_wrapped w;
		char got[400] = "";

		while (na_hang_next_object(&rest, &object)) {
			strcat(got,
			       na_hang_unwrap(object, &w) ? told(&w) : "-");
			strcat(got, ";");
		}
		assert_string_equal(got, rows[i].want);
	}
}

static void cut_arrays(void **state)
{
	/* clang-format off */
	static const char *const rows[][2] = {
		{"x\"}}, {\"a\":{\"b\":1}},{}", "{\"a\":{\"b\":1}},{}"},
		{"{\"a\":1},{\"b\":1}", "{\"b\":1}"},
		{"a {\"b\":1}", "a {\"b\":1}"}, {", {\"", ", {\""}, {"", ""},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(na_hang_from_object(span(rows[i][0])).s,
				    rows[i][1]);
}

static void columns(void **state)
{
	struct na_hang_csv c;
	struct na_hang_wrapped w;
	char row[] = "1,\"a \"\"b\"\",\nc\",,\"w,3\",x", cut[] = "1,\"a";

	(void)state;
	assert_false(na_hang_csv_head(span("a,b,c"), &c));
	assert_false(na_hang_csv_head(span("time, message"), &c));
	assert_false(na_hang_csv_head(span("[1,3]<stderr>:message"), &c));
	assert_false(na_hang_csv_head(span("message"), &c));
	assert_true(na_hang_csv_head(
		span("timestamp,jsonPayload.message,textPayload,\"pod\",x"),
		&c));
	assert_true(na_hang_csv_quoted(&c, span("1,\"a \"\"b\"\","), false));
	assert_false(na_hang_csv_quoted(&c, span("c\",,\"w,3\",x"), true));
	assert_false(na_hang_csv_quoted(&c, span("1,a \"b,c"), false));
	assert_true(na_hang_csv_fields(&c, row, strlen(row), &w));
	assert_string_equal(told(&w), "m=a \"b\",\nc|t=1|w=w,3|");
	assert_true(na_hang_csv_fields(&c, cut, strlen(cut), &w));
	assert_string_equal(told(&w), "m=a|t=1|");
	assert_false(na_hang_csv_fields(&c, cut, 1, &w));
}

static void pairs(void **state)
{
	/* clang-format off */
	static const struct { const char *text, *want; } rows[] = {
		{"time=12 level=error msg=\"a \\\"b\\\"\" pod=p", "m=a \\\"b\\\"|t=12|w=p|"},
		{"msg=\"cut", "m=cut|"}, {"level=error msg=one", NULL},
		{"see msg=\"x\"", NULL}, {"=\"x\"", NULL}, {"", NULL},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_hang_wrapped w;
		bool is = na_hang_logfmt(span(rows[i].text), &w);

		assert_int_equal(is, rows[i].want != NULL);
		if (is)
			assert_string_equal(told(&w), rows[i].want);
	}
}

static void colours(void **state)
{
	/* clang-format off */
	static const struct { const char *text, *want; } rows[] = {
		{"\033[1;31mred\033[0m", "red"}, {"^[[31mred^[[K", "red"},
		{"\033]0;title\aa\033cb", "ab"}, {"\xef\xbb\xbf" "a\r\xef\xbb\xbf", "a\xef\xbb\xbf"},
		{"\033]8;;http://x\033\\a\033]8;;\033\\b", "ab"}, {"\033]x\033[1ma", "a"},
		{"cut\033", "cut"}, {"cut\033[3", "cut"}, {"cut\033]x", "cut"},
		{"^[a ^", "^[a ^"}, {"", ""},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[40];

		strcpy(text, rows[i].text);
		text[na_hang_strip(text, strlen(text))] = '\0';
		assert_string_equal(text, rows[i].want);
	}
}

static void seconds(void **state)
{
	/* clang-format off */
	static const struct { const char *text; int64_t ns; } rows[] = {
		{"1767323045", 1767323045000000000},
		{"1767323045.25", 1767323045250000000},
		{"1767323045100", 1767323045100000000},
		{"1767323045100200", 1767323045100200000},
		{"1767323045100200300", 1767323045100200300},
		{"2026-01-02T03:04:05Z", 1767323045000000000},
		{"176732304", -1}, {"17673230451", -1}, {"", -1},
		{"9999999999999999999", -1}, {"17673230451002003001", -1},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_hang_wrapped w = {.time = span(rows[i].text)};
		struct na_hang_time t;

		na_hang_wrapped_time(&w, &t);
		assert_int_equal(t.known, rows[i].ns >= 0);
		if (t.known)
			assert_true(t.ns == rows[i].ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers),   cmocka_unit_test(spots),
		cmocka_unit_test(durations), cmocka_unit_test(times),
		cmocka_unit_test(prefixes),  cmocka_unit_test(unescaping),
		cmocka_unit_test(objects),   cmocka_unit_test(columns),
		cmocka_unit_test(pairs),     cmocka_unit_test(colours),
		cmocka_unit_test(seconds),   cmocka_unit_test(cut_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
