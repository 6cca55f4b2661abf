/*
 * Hostile text: decoding, escaping, width, patterns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/shell.h"
#include "netan/base/text.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

static void utf8_is_decoded(void **state)
{
	static const struct {
		const char *s;
		size_t n, took;
		uint32_t want;
	} rows[] = {
		{"a", 1, 1, 'a'},
		{"\xc3\xa9", 2, 2, 0xE9},
		{"\xe2\x82\xac", 3, 3, 0x20AC},
		{"\xf0\x9f\x98\x80", 4, 4, 0x1F600},
		{"\xf4\x8f\xbf\xbf", 4, 4, 0x10FFFF},
		{"\xef\xbf\xbd", 3, 3, 0xFFFD},
		{"\x80", 1, 1, NA_RUNE_BAD},     /* lone tail */
		{"\xc0\xaf", 2, 1, NA_RUNE_BAD}, /* overlong */
		{"\xe0\x80\xaf", 3, 1, NA_RUNE_BAD},
		{"\xf0\x80\x80\xaf", 4, 1, NA_RUNE_BAD},
		{"\xed\xa0\x80", 3, 1, NA_RUNE_BAD}, /* surrogate */
		{"\xf4\x90\x80\x80", 4, 1, NA_RUNE_BAD},
		{"\xf5\x80\x80\x80", 4, 1, NA_RUNE_BAD},
		{"\xe2\x82", 2, 2, NA_RUNE_BAD}, /* cut */
		{"\xe2\x82\x41", 3, 2, NA_RUNE_BAD},
		{"\xf0\x9f\x98", 3, 3, NA_RUNE_BAD},
		{"\xc3", 1, 1, NA_RUNE_BAD},
		{"\xff", 1, 1, NA_RUNE_BAD},
		{"\xef\xbf\xbe", 3, 3, NA_RUNE_BAD}, /* no characters */
		{"\xef\xbf\xbf", 3, 3, NA_RUNE_BAD},
	};

	(void)state;
	for (size_t k = 0; k < N(rows); k++) {
		/* a block of exactly this size, for the sanitizer */
		char *copy = malloc(rows[k].n);
		uint32_t rune;

		assert_non_null(copy);
		memcpy(copy, rows[k].s, rows[k].n);
		assert_int_equal(na_utf8_next(copy, rows[k].n, &rune),
				 rows[k].took);
		assert_int_equal(rune, rows[k].want);
		assert_int_equal(na_utf8_valid(copy, rows[k].n),
				 rune != NA_RUNE_BAD || k == 5);
		free(copy);
	}
}

static void utf8_is_encoded(void **state)
{
	(void)state;
	for (uint32_t r = 1; r <= 0x10FFFF; r += r < 0x1000 ? 1 : 257) {
		uint32_t back;
		char buf[4];
		size_t n;

		if (r >= 0xD800 && r <= 0xDFFF)
			continue;
		n = na_utf8_put(buf, r);
		assert_int_equal(na_utf8_next(buf, n, &back), n);
		assert_int_equal(back, r);
	}
}

/* clang-format off */
static const struct {
	enum na_escape how;
	const char *text, *want;
} escapes[] = {
	{NA_ESC_TERMINAL, "plain \xc3\xa9 name", "plain \xc3\xa9 name"},
	{NA_ESC_TERMINAL, "a\x1b[31mb", "a\\x1b[31mb"},
	{NA_ESC_TERMINAL, "a\nb\tc\rd", "a\\nb\\tc\\rd"},
	{NA_ESC_TERMINAL, "a\x7f\xc2\x9b" "2J", "a\\x7f\\u009b2J"},
	{NA_ESC_TERMINAL, "a\xe2\x80\xae" "b\xe2\x81\xa6" "c\xe2\x80\x8e",
	 "a\\u202eb\\u2066c\\u200e"},
	{NA_ESC_TERMINAL, "a\xf3\xa0\x81\x81", "a\\U000e0041"},
	{NA_ESC_TERMINAL, "a\xff" "b\xe2\x82", "a\xef\xbf\xbd" "b\xef\xbf\xbd"},
	{NA_ESC_TERMINAL, "", ""},
	{NA_ESC_JSON, "say \"hi\" \\ /", "say \\\"hi\\\" \\\\ /"},
	{NA_ESC_JSON, "\x01\x07\x08\t\n\x0b\f\r",
	 "\\u0001\\u0007\\b\\t\\n\\u000b\\f\\r"},
	{NA_ESC_JSON, "\xe2\x80\xae\xe2\x80\xa8", "\\u202e\\u2028"},
	{NA_ESC_JSON, "\xf3\xa0\x81\x81", "\\udb40\\udc41"},
	{NA_ESC_JSON, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{NA_ESC_CSV, "a\"b", "a\"\"b"},
	{NA_ESC_CSV, "=1+1", "'=1+1"}, {NA_ESC_CSV, "+1", "+1"},
	{NA_ESC_CSV, "-1", "-1"}, {NA_ESC_CSV, "@x", "'@x"},
	{NA_ESC_CSV, "+1.50", "+1.50"}, {NA_ESC_TSV, "-2e-6", "-2e-6"},
	{NA_ESC_CSV, "-1+1", "'-1+1"}, {NA_ESC_CSV, "-1e", "'-1e"},
	{NA_ESC_CSV, "-", "'-"}, {NA_ESC_CSV, "-.5", "'-.5"},
	{NA_ESC_CSV, "--1", "'--1"}, {NA_ESC_CSV, "-A1", "'-A1"},
	{NA_ESC_CSV, "\tx", "'\\tx"}, {NA_ESC_CSV, "\rx", "'\\rx"},
	{NA_ESC_CSV, "\xef\xbc\x9d" "1", "'\xef\xbc\x9d" "1"},
	{NA_ESC_CSV, "a=1", "a=1"}, {NA_ESC_CSV, "", ""},
	{NA_ESC_TSV, "a\tb\nc", "a\\tb\\nc"}, {NA_ESC_TSV, "=x", "'=x"},
	{NA_ESC_HTML, "<b a='1' c=\"2\">&amp;</b>",
	 "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;&lt;/b&gt;"},
	{NA_ESC_HTML, "</script>]]>-->", "&lt;/script&gt;]]&gt;--&gt;"},
	{NA_ESC_HTML, "a\nb\x01\x7f", "a\\nb\\x01\\x7f"},
	{NA_ESC_HTML, "\xe2\x80\xae" "gnp\xc2\x85", "\\u202egnp\\u0085"},
	{NA_ESC_HTML, "\xff" "caf\xc3\xa9", "\xef\xbf\xbd" "caf\xc3\xa9"},
	{NA_ESC_MD, "a|b", "a\\|b"}, {NA_ESC_MD, "<b>&", "&lt;b&gt;&amp;"},
	{NA_ESC_MD, "*a* `b` [c](d)", "\\*a\\* \\`b\\` \\[c\\](d)"},
	{NA_ESC_MD, "all_reduce_1", "all_reduce_1"},
	{NA_ESC_MD, "_x_", "\\_x\\_"}, {NA_ESC_MD, "a\nb", "a\\nb"},
};
/* clang-format on */

static void text_is_escaped(void **state)
{
	char buf[200];

	(void)state;
	for (size_t k = 0; k < N(escapes); k++) {
		size_t n = na_escape(escapes[k].how, escapes[k].text, buf,
				     sizeof(buf));

		assert_string_equal(buf, escapes[k].want);
		assert_int_equal(n, strlen(escapes[k].want));
	}
}

/* Every size: never over the end, always a whole prefix, same length. */
static void short_buffers_hold(void **state)
{
	(void)state;
	for (size_t k = 0; k < N(escapes); k++) {
		size_t need = strlen(escapes[k].want);

		for (size_t size = 0; size <= need + 1; size++) {
			char *buf = malloc(size ? size : 1);

			assert_non_null(buf);
			assert_int_equal(na_escape(escapes[k].how,
						   escapes[k].text, buf, size),
					 need);
			if (size) {
				assert_true(strlen(buf) < size);
				assert_memory_equal(buf, escapes[k].want,
						    strlen(buf));
			}
			free(buf);
		}
	}
}

static void streams_get_the_same(void **state)
{
	char *text = NULL;
	size_t size = 0;

	(void)state;
	for (size_t k = 0; k < N(escapes); k++) {
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		assert_true(na_escape_to(escapes[k].how, escapes[k].text, out));
		fclose(out);
		assert_string_equal(text, escapes[k].want);
		free(text);
	}
}

static void widths_are_columns(void **state)
{
	(void)state;
	assert_int_equal(na_text_width("abc"), 3);
	assert_int_equal(na_text_width(""), 0);
	assert_int_equal(na_text_width("\xc3\xa9"), 1);
	assert_int_equal(na_text_width("e\xcc\x81"), 1);    /* combining */
	assert_int_equal(na_text_width("\xe6\x97\xa5"), 2); /* wide */
	assert_int_equal(na_text_width("1\xe2\x80\xaf"
				       "000"),
			 5);
	assert_int_equal(na_text_width("\x1b"), 4); /* "\x1b" */
	assert_int_equal(na_text_width("\xff"), 1);
	/* A long text is looked at as far as it matters, and not much more. */
	assert_int_equal(na_text_width_to("abc", 3), 3);
	assert_in_range(na_text_width_to("abcdef", 3), 4, 6);
	assert_in_range(na_text_width_to("\xe6\x97\xa5\xe6\x97\xa5", 1), 2,
			4);
	assert_int_equal(na_text_width_to("", 0), 0);
}

static void patterns_match(void **state)
{
	/* clang-format off */
	static const struct { const char *p, *t; bool want; } rows[] = {
		{"*", "", true}, {"*", "abc", true}, {"", "", true},
		{"", "a", false}, {"a", "", false}, {"abc", "abc", true},
		{"a*c", "abbbc", true}, {"a*c", "abbbd", false},
		{"*b*", "abc", true}, {"*.pb", "x.pb.pb", true},
		{"h?", "h1", true}, {"h?", "h", false}, {"h?", "h12", false},
		{"?", "\xe6\x97\xa5", true}, {"??", "\xe6\x97\xa5", false},
		{"s[0-3]d*", "s2d7", true}, {"s[0-3]d*", "s4d7", false},
		{"[!a-c]", "d", true}, {"[!a-c]", "b", false},
		{"[^a]", "b", true}, {"[]]", "]", true}, {"[a-]", "-", true},
		{"[a", "[a", true}, {"[a", "a", false}, {"[", "[", true},
		{"\\*", "*", true}, {"\\*", "a", false}, {"a\\", "a\\", true},
		{"[\\]]", "]", true}, {"A", "a", false},
		{"[\xc3\xa0-\xc3\xbc]", "\xc3\xa9", true},
		{"host-*", "host-1", true}, {"***a", "bba", true},
		{"a*b*c", "aXbXbXc", true}, {"[a-c]x", "bx", true},
		{"*[0-9]", "abc7", true}, {"*[0-9]", "abc", false},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k < N(rows); k++)
		if (na_glob(rows[k].p, rows[k].t) != rows[k].want)
			fail_msg("%s on %s", rows[k].p, rows[k].t);
}

/* Backtracking to every star would take 2^40 steps. */
static void patterns_stay_fast(void **state)
{
	char text[4001];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(na_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

/* ---- words of a command to paste */

/* A word of up to 11 characters that mean something to a shell, mostly. */
static void make_word(uint32_t *seed, char word[12])
{
	static const char chars[] =
		"ab ;&|<>$`'\"\\(){}[]*?!#~=%^-\t\n\x01\xc3";
	size_t n;

	*seed = *seed * 1664525u + 1013904223u;
	n = *seed >> 28 < 11 ? *seed >> 28 : 11;
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 1664525u + 1013904223u;
		word[i] = chars[(*seed >> 16) % (sizeof(chars) - 1)];
	}
	word[n] = '\0';
}

/* What a shell makes of them is what they were, and nothing else is run. */
static void shells_take_words_as_they_are(void **state)
{
	enum { WORDS = 2000 };
	char path[] = "/tmp/netan-words-XXXXXX", command[64], word[12];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	uint32_t seed = 7;
	FILE *got;

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < WORDS; i++) {
		make_word(&seed, word);
		fputs("printf '%s\\0' ", f);
		na_shell_put(f, word);
		putc('\n', f);
	}
	assert_int_equal(fclose(f), 0);
	snprintf(command, sizeof(command), "exec sh %s 2>&1", path);
	got = popen(command, "r");
	assert_non_null(got);
	seed = 7;
	for (int i = 0; i < WORDS; i++) {
		make_word(&seed, word);
		for (size_t k = 0; k <= strlen(word); k++)
			assert_int_equal(getc(got), (unsigned char)word[k]);
	}
	assert_int_equal(getc(got), EOF);
	assert_int_equal(pclose(got), 0);
	unlink(path);
}

static void words_in_texts_are_whole(void **state)
{
	char buf[8];

	(void)state;
	assert_string_equal(na_shell_word(buf, 8, "eth0", "NIC"), "eth0");
	assert_string_equal(na_shell_word(buf, 8, "a;b", "NIC"), "'a;b'");
	assert_string_equal(na_shell_word(buf, 8, "", "NIC"), "''");
	assert_string_equal(na_shell_word(buf, 8, "abcdefg", "NIC"), "abcdefg");
	assert_string_equal(na_shell_word(buf, 8, "abcdefgh", "NIC"), "NIC");
	assert_string_equal(na_shell_word(buf, 8, "a b c d", "NIC"), "NIC");
	assert_string_equal(na_shell_word(buf, 8, "a\nb", "NIC"), "NIC");
	assert_string_equal(na_shell_word(buf, 8, "--help", "NIC"), "NIC");
	assert_true(na_shell_plain("nexthop via 10.0.0.1 dev eth0@if2"));
	assert_false(na_shell_plain("eth0;touch PWNED"));
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_decoded),
		cmocka_unit_test(utf8_is_encoded),
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(short_buffers_hold),
		cmocka_unit_test(streams_get_the_same),
		cmocka_unit_test(widths_are_columns),
		cmocka_unit_test(patterns_match),
		cmocka_unit_test(patterns_stay_fast),
		cmocka_unit_test(shells_take_words_as_they_are),
		cmocka_unit_test(words_in_texts_are_whole),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
