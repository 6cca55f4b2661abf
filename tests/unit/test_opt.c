/*
 * Option tables: every way to write an option, every way to get it wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "netan/base/similar.h"
#include "netan/cli/common.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

struct params {
	bool all, brief;
	int64_t count, gap_ps, size, low;
	double ratio, rate;
	const char *text, *word;
	int mode;
	struct na_text_list items;
};

#define AT(field) offsetof(struct params, field)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_FLAG, 'a', "all", AT(all), NULL, NULL, 0, 0, "everything"},
	{NA_OPT_FLAG, 'b', "brief", AT(brief), NULL, NULL, 0, 0, "less"},
	{NA_OPT_COUNT, 'n', "count", AT(count), "N", "3", 1, 9, "how many"},
	{NA_OPT_COUNT, 0, "low", AT(low), "N", NULL, -5, 5, "signed"},
	{NA_OPT_TIME, 'g', "gap", AT(gap_ps), "TIME", "10us", 0, 3.6e15,
	 "silence"},
	{NA_OPT_BYTES, 0, "size", AT(size), "BYTES", "64KiB", 0, 1e12,
	 "size"},
	{NA_OPT_REAL, 0, "ratio", AT(ratio), "X", "0.5", 0, 1, "share"},
	{NA_OPT_RATE, 0, "rate", AT(rate), "RATE", "100Gbps", 0, 0, "rate"},
	{NA_OPT_TEXT, 't', "text", AT(text), "TEXT", NULL, 0, 0, "any"},
	{NA_OPT_TEXT, 0, "side", AT(word), "rx|tx", NULL, 0, 0, "side"},
	{NA_OPT_CHOICE, 0, "mode", AT(mode), "fast|slow|auto", "slow", 0, 0,
	 "how"},
	{NA_OPT_LIST, 'i', "item", AT(items), "NAME", NULL, 0, 0, "names"},
	NA_OPT_END
};
/* clang-format on */

/* What a command line came to, as one line of text. */
static char seen[512];

static enum na_status operand(void *ctx, const char *text, struct na_err *err)
{
	const struct params *p = ctx;
	size_t n = strlen(seen);

	(void)err;
	snprintf(seen + n, sizeof(seen) - n, "[%s%s%s]", text,
		 p->text ? "@" : "", p->text ? p->text : "");
	return NA_OK;
}

static enum na_status parse(struct params *p, const char *line,
			    struct na_err *err)
{
	struct na_opt_group group = {"Options", opts, p};
	struct na_opt_parser parser = {.groups = &group,
				       .n_groups = 1,
				       .operand = operand,
				       .ctx = p};
	static char copy[256];
	char *argv[32], *save = NULL;
	int argc = 0;

	memset(p, 0, sizeof(*p));
	seen[0] = '\0';
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	assert_int_equal(na_opt_defaults(&group, 1, err), NA_OK);
	return na_opt_parse(&parser, argc, argv, err);
}

static void release(struct params *p)
{
	struct na_opt_group group = {"Options", opts, p};

	na_opt_free(&group, 1);
	assert_null(p->items.items);
}

static void describe(const struct params *p)
{
	size_t n = strlen(seen);

	n += (size_t)snprintf(
		seen + n, sizeof(seen) - n,
		"%s%s n=%d low=%d gap=%d size=%d ratio=%g rate=%g text=%s "
		"side=%s mode=%d",
		p->all ? "a" : "", p->brief ? "b" : "", (int)p->count,
		(int)p->low, (int)(p->gap_ps / 1000000), (int)p->size, p->ratio,
		p->rate, p->text ? p->text : "-", p->word ? p->word : "-",
		p->mode);
	for (size_t k = 0; k < p->items.n; k++)
		n += (size_t)snprintf(seen + n, sizeof(seen) - n, " i=%s",
				      p->items.items[k]);
}

#define REST " gap=10 size=65536 ratio=0.5 rate=1e+11 "

static void lines_are_parsed(void **state)
{
	/* clang-format off */
	static const struct { const char *line, *want; } rows[] = {
		{"", " n=3 low=0" REST "text=- side=- mode=1"},
		{"-a", "a n=3 low=0" REST "text=- side=- mode=1"},
		{"-ab", "ab n=3 low=0" REST "text=- side=- mode=1"},
		{"--brief x", "[x]b n=3 low=0" REST "text=- side=- mode=1"},
		{"-n4", " n=4 low=0" REST "text=- side=- mode=1"},
		{"-n 4", " n=4 low=0" REST "text=- side=- mode=1"},
		{"-abn4", "ab n=4 low=0" REST "text=- side=- mode=1"},
		{"-abn 4", "ab n=4 low=0" REST "text=- side=- mode=1"},
		{"-n=4", " n=4 low=0" REST "text=- side=- mode=1"},
		{"--count=4", " n=4 low=0" REST "text=- side=- mode=1"},
		{"--count 4", " n=4 low=0" REST "text=- side=- mode=1"},
		{"--count 4 --count 5", " n=5 low=0" REST
		 "text=- side=- mode=1"},
		{"--low -5", " n=3 low=-5" REST "text=- side=- mode=1"},
		{"--text=--all", " n=3 low=0" REST
		 "text=--all side=- mode=1"},
		{"--text -", " n=3 low=0" REST "text=- side=- mode=1"},
		{"--text=", " n=3 low=0" REST "text= side=- mode=1"},
		{"--side tx", " n=3 low=0" REST "text=- side=tx mode=1"},
		{"--mode auto", " n=3 low=0" REST "text=- side=- mode=2"},
		{"-i x -iy --item=z", " n=3 low=0" REST
		 "text=- side=- mode=1 i=x i=y i=z"},
		{"--gap 2ms --size 1 --ratio 1 --rate 1Gbps",
		 " n=3 low=0 gap=2000 size=1 ratio=1 rate=1e+09 "
		 "text=- side=- mode=1"},
		{"-- -a --count", "[-a][--count] n=3 low=0" REST
		 "text=- side=- mode=1"},
		{"- a -", "[-][a][-] n=3 low=0" REST "text=- side=- mode=1"},
		/* an operand sees the options in front of it */
		{"a -t x b -t y c", "[a][b@x][c@y] n=3 low=0" REST
		 "text=y side=- mode=1"},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k < N(rows); k++) {
		struct na_err err = {0};
		struct params p;

		if (parse(&p, rows[k].line, &err) != NA_OK)
			fail_msg("%s: %s", rows[k].line, err.text);
		describe(&p);
		assert_string_equal(seen, rows[k].want);
		release(&p);
	}
}

#define TIMES " (ps ns us ms s m h)"

static void mistakes_are_explained(void **state)
{
	/* clang-format off */
	static const struct { const char *line, *want; } rows[] = {
		{"--cuont 4", "unknown option --cuont; did you mean "
		 "--count?"},
		{"--rati", "unknown option --rati; did you mean --ratio?"},
		{"--gpa=3", "unknown option --gpa; did you mean --gap?"},
		{"--frobnicate", "unknown option --frobnicate"},
		{"-x", "unknown option -x"},
		{"-axb", "unknown option -x in -axb"},
		{"--all=yes", "--all takes no value"},
		{"--count", "--count needs a value: a whole number, such as "
		 "8"},
		{"-n", "-n needs a value: a whole number, such as 8"},
		{"-t -- x", "-t needs a value: TEXT"},
		{"--text --all", "--text needs a value: TEXT"},
		{"--count x", "--count x: wanted a whole number, such as 8"},
		{"--count 4.5", "--count 4.5: wanted a whole number, such as "
		 "8"},
		{"--count 99999999999999999999", "--count "
		 "99999999999999999999: wanted a whole number, such as 8"},
		{"-n 0", "-n 0: must be from 1 to 9"},
		{"-n10", "-n 10: must be from 1 to 9"},
		{"--low=-6", "--low -6: must be from -5 to 5"},
		{"--gap 3", "--gap 3: the unit is missing; for example --gap "
		 "3ms" TIMES},
		{"-g1.5", "-g 1.5: the unit is missing; for example -g "
		 "1.5ms" TIMES},
		{"--gap fast", "--gap fast: wanted a time with its unit, such "
		 "as 1.5s or 200us" TIMES},
		{"--gap 2h", "--gap 2h: must be from 0 s to 3600 s"},
		{"--gap -1s", "--gap -1s: must be from 0 s to 3600 s"},
		{"--rate 100", "--rate 100: the unit is missing; for example "
		 "--rate 100Gbps (kbps Mbps Gbps Tbps, or GB/s)"},
		{"--size 3XB", "--size 3XB: wanted a size, such as 64KiB or "
		 "10MB"},
		{"--size 2TB", "--size 2TB: must be from 0 B to 931.3 GiB"},
		{"--ratio nan", "--ratio nan: wanted a number, such as 1.5"},
		{"--ratio 0x1", "--ratio 0x1: wanted a number, such as 1.5"},
		{"--ratio 1.5", "--ratio 1.5: must be from 0 to 1"},
		{"--mode slo", "--mode slo: wanted one of fast, slow, auto"},
		{"--mode fast|slow", "--mode fast|slow: wanted one of fast, "
		 "slow, auto"},
		{"--side rtx", "--side rtx: wanted one of rx, tx"},
		{"--", ""},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k + 1 < N(rows); k++) {
		struct na_err err = {0};
		struct params p;

		if (parse(&p, rows[k].line, &err) != NA_EUSAGE)
			fail_msg("%s: was taken", rows[k].line);
		assert_string_equal(err.text, rows[k].want);
		release(&p);
	}
}

static void bad_defaults_are_found(void **state)
{
	/* clang-format off */
	static const struct na_opt bad[] = {
		{NA_OPT_TIME, 0, "gap", AT(gap_ps), "TIME", "10", 0, 0, ""},
		NA_OPT_END
	};
	/* clang-format on */
	struct params p;
	struct na_opt_group group = {"Options", bad, &p};
	struct na_err err = {0};

	(void)state;
	assert_int_equal(na_opt_defaults(&group, 1, &err), NA_EUSAGE);
}

static void close_names_are_suggested(void **state)
{
	static const char *const names[] = {"timeline", "info", "synth",
					    "completion", "help"};
	/* clang-format off */
	static const struct { const char *word, *want; } rows[] = {
		{"timelime", "timeline"}, {"tiemline", "timeline"},
		{"time", "timeline"}, {"Info", "info"}, {"inf", "info"},
		{"hlep", "help"}, {"x", NULL}, {"", NULL},
		{"latency", NULL}, {"synht", "synth"},
	};
	/* clang-format on */

	(void)state;
	for (size_t k = 0; k < N(rows); k++) {
		const char *got = na_closest(rows[k].word, names, N(names));

		if (!rows[k].want)
			assert_null(got);
		else
			assert_string_equal(got ? got : "nothing",
					    rows[k].want);
	}
}

static void help_is_80_columns_wide(void **state)
{
	struct params p;
	struct na_opt_group group = {"Options", opts, &p};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	na_opt_help(&group, 1, out);
	fclose(out);
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
		assert_true(strcspn(at, "\n") < 80);
	for (const struct na_opt *o = opts; o->kind != NA_OPT_NONE; o++)
		assert_non_null(strstr(text, o->name));
	assert_non_null(strstr(text, "  -n, --count N            how many "
				     "(default: 3)\n"));
	assert_non_null(strstr(text, "      --mode fast|slow|auto\n"));
	free(text);
}

/* Rows of every command: names once, defaults that parse, help there. */
static void tables_are_sound(void **state)
{
	(void)state;
	for (const struct na_command *const *c = na_commands; *c; c++) {
		char *argv[] = {(char[]){"netan"}, (char[]){"command"}, NULL};
		struct na_opt_group groups[NA_MAX_GROUPS];
		struct na_err err = {0};
		struct na_cli cli;
		size_t n;

		assert_int_equal(na_cli_parse(&cli, *c, 2, argv, &err), NA_OK);
		n = na_command_groups(*c, &cli, groups);
		for (size_t g = 0; g < n; g++)
			for (const struct na_opt *o = groups[g].opts;
			     o->kind != NA_OPT_NONE; o++) {
				const struct na_opt *same =
					na_opt_find(groups, n, o->name,
						    strlen(o->name));

				if (same != o)
					fail_msg("%s: --%s twice",
						 (*c)->info->name, o->name);
				assert_true(o->help && *o->help);
				assert_true(o->kind == NA_OPT_FLAG || o->arg);
			}
		na_cli_free(&cli);
	}
}

static void labels_go_with_what_follows(void **state)
{
	char *argv[] = {(char[]){"netan"}, (char[]){"timeline"},
			(char[]){"a"},     (char[]){"--label"},
			(char[]){"A"},     (char[]){"b"},
			(char[]){"c"},     (char[]){"--label=B"},
			(char[]){"d"},     NULL};
	const struct na_command *c = na_command_find("timeline");
	struct na_err err = {0};
	struct na_cli cli;

	(void)state;
	assert_non_null(c);
	assert_int_equal(na_cli_parse(&cli, c, 9, argv, &err), NA_OK);
	assert_int_equal(cli.request.n_inputs, 4);
	assert_null(cli.request.inputs[0].label);
	assert_string_equal(cli.request.inputs[1].label, "A");
	assert_string_equal(cli.request.inputs[2].label, "A");
	assert_string_equal(cli.request.inputs[3].label, "B");
	assert_string_equal(cli.request.inputs[3].path, "d");
	assert_int_equal(cli.request.max_size, -1);
	assert_true(fabs(cli.common.scale - 1) < 1e-12);
	na_cli_free(&cli);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_parsed),
		cmocka_unit_test(mistakes_are_explained),
		cmocka_unit_test(bad_defaults_are_found),
		cmocka_unit_test(close_names_are_suggested),
		cmocka_unit_test(help_is_80_columns_wide),
		cmocka_unit_test(tables_are_sound),
		cmocka_unit_test(labels_go_with_what_follows),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
