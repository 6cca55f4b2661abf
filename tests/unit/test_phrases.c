/*
 * Phrases: how a template is rendered, and that all rows of en.def are good
 * templates: each renders with all of its arguments, and with none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "facts.h"
#include "netan/phrases/phrases.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

static void templates_are_rendered(void **state)
{
	static const char args[] =
		"n:count one:count none:count x:number nan:number share:percent "
		"s:seconds rank:integer yes:flag no:flag host:host empty:text "
		"unknown:integer f:factor size:bytes speed:rate";
	static const union na_arg arg[] = {
		{.integer = 12345}, {.integer = 1},     {.integer = 0},
		{.number = 2.3456}, {.number = NAN},    {.number = 0.0123},
		{.number = 0.0421}, {.integer = 12345}, {.integer = 1},
		{.integer = 0},    {.text = "host-3"}, {.text = NULL},
		{.integer = -1},    {.number = 2.3456}, {.number = 65536},
		{.number = 71.2e9}};
	/* clang-format off */
	static const struct { const char *text, *want; } rows[] = {
		{"", ""}, {"plain", "plain"}, {"{rank}", "12345"},
		{"{n}", "12\xe2\x80\xaf" "345"}, {"{size}, {speed}", "64 KiB, 71.2 Gbit/s"},
		{"{x}x, {f}x, {share} %, {s}", "2.35x, 2.3x, 1.23 %, 42.1 ms"},
		{"{one} pair{one||s}, {n} pair{n||s}", "1 pair, 12\xe2\x80\xaf" "345 pairs"},
		{"{one|it is|they are} {n|it is|they are}", "it is they are"},
		{"{yes?a|b}{no?a|b}{no?c}{yes?d}", "abd"},
		{"{empty?{host} is {n}|none of {host}}", "none of host-3"},
		{"[rank {rank}][ of {unknown}]", "rank 12345"},
		{"{no?[a {n}]|[b {one}][c {none}]}", "b 1"},
		{"a[, {host}][, {empty}][, {nan}][, {none}] b", "a, host-3 b"},
		{"[{x} [({empty}) ]of {n}]", "2.35 of 12\xe2\x80\xaf" "345"},
		{"[{yes?all} of {host}]", "all of host-3"}, {"{{{host}} [[{host}]", "{host-3} [host-3]"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct na_str s = {0};

		na_render(&s, args, arg, rows[i].text);
		assert_string_equal(s.s ? s.s : "", rows[i].want);
		free(s.s);
	}
}

static void all_phrases_are_templates(void **state)
{
	struct na_arena arena = {NULL};
	struct na_phrases p = {.arena = &arena};

	(void)state;
	for (int id = NA_NO_FACT + 1; id < NA_FACTS; id++) {
		for (int full = 0; full < 2; full++) {
			struct na_fact f = {.id = id};
			const char *text;

			/* A text in every argument: its address as a number
			 * is not 0, and its bits are a finite double. */
			for (size_t i = 0; full && i < NA_FACT_ARGS; i++)
				f.arg[i].text = "word";
			text = na_say(&p, f);
			if (full && (!*text || strstr(text, "  ")))
				fail_msg("fact %d: \"%s\"", id, text);
		}
	}
	assert_false(p.failed);
	na_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates_are_rendered),
		cmocka_unit_test(all_phrases_are_templates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
