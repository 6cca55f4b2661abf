#include "netan/cli/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "netan/analyses/analysis.h"
#include "netan/cli/common.h"

void na_put_word(FILE *out, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-,:=+@%";

	if (*s && !s[strspn(s, plain)]) {
		fputs(s, out);
		return;
	}
	putc('\'', out);
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", out);
		else
			putc(*s, out);
	}
	putc('\'', out);
}

/* One option as argv has it. */
struct given {
	const struct na_opt *opt;
	const char *value; /* NULL: a flag */
};

/* Options of one letter: *c moves on along "-qvj4". */
static const struct na_opt *by_letter(const struct na_opt_group *g, size_t n,
				      char letter)
{
	for (size_t i = 0; i < n; i++) {
		for (const struct na_opt *o = g[i].opts; o->name; o++) {
			if (o->short_name == letter)
				return o;
		}
	}
	return NULL;
}

struct line {
	const struct na_cli *cli;
	const struct na_analysis *a; /* of `to`, or NULL */
	struct na_opt_group from[NA_MAX_GROUPS], to[NA_MAX_GROUPS];
	size_t n_from, n_to;
	FILE *out;
};

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (strcmp(name, *names) == 0)
			return true;
	}
	return false;
}

/* How a command writes and talks, not what it looks at. */
static bool is_manner(const char *name)
{
	static const char *const manner[] = {"output", "format",  "table",
					     "quiet",  "verbose", "color",
					     "title",  "threads", "progress",
					     "help",   "fail-on", NULL};

	return is_one_of(name, manner);
}

/* What an analysis without transfers refuses. */
static bool refuses(const struct na_analysis *a, const char *name)
{
	static const char *const of_transfers[] = {
		"component",   "side",     "min-size",
		"max-size",    "max-rate", "include-loopback",
		"min-latency", "line",     NULL};
	static const char *const of_connections[] = {"collective", NULL};
	static const char *const of_ops[] = {"src", "dst", NULL};

	if (!a || a->add)
		return false;
	return is_one_of(name, of_transfers) ||
	       is_one_of(name, a->add_op ? of_ops : of_connections);
}

static void put_option(const struct line *l, const struct given *g)
{
	const char *name = g->opt->name;

	if (is_manner(name) || refuses(l->a, name) ||
	    !na_opt_find(l->to, l->n_to, name, strlen(name)))
		return;
	fprintf(l->out, " --%s", name);
	if (!g->value)
		return;
	putc(*g->value == '-' ? '=' : ' ', l->out);
	na_put_word(l->out, g->value);
}

/* "-qvj4", "-j", "4": returns how many arguments it took. */
static int put_letters(const struct line *l, int k)
{
	const struct na_cli *cli = l->cli;

	for (const char *c = cli->argv[k] + 1; *c; c++) {
		struct given g = {by_letter(l->from, l->n_from, *c), NULL};

		if (!g.opt)
			return 1;
		if (g.opt->kind == NA_OPT_FLAG) {
			put_option(l, &g);
			continue;
		}
		g.value = c[1]                ? c + 1
			  : k + 1 < cli->argc ? cli->argv[k + 1]
					      : NULL;
		put_option(l, &g);
		return c[1] ? 1 : 2;
	}
	return 1;
}

static int put_long(const struct line *l, int k)
{
	const struct na_cli *cli = l->cli;
	const char *name = cli->argv[k] + 2, *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);
	struct given g = {na_opt_find(l->from, l->n_from, name, n), NULL};

	if (!g.opt)
		return 1;
	if (g.opt->kind != NA_OPT_FLAG)
		g.value = equals              ? equals + 1
			  : k + 1 < cli->argc ? cli->argv[k + 1]
					      : NULL;
	put_option(l, &g);
	return g.opt->kind != NA_OPT_FLAG && !equals ? 2 : 1;
}

static void put_operand(const struct line *l, const char *s)
{
	putc(' ', l->out);
	/* "-x" is a file here, and must not read as an option. */
	if (*s == '-' && s[1])
		fputs("./", l->out);
	na_put_word(l->out, s);
}

/* Options and inputs in the order given: --label stands before its own. */
static void put_line(const struct line *l)
{
	const struct na_cli *cli = l->cli;
	bool options = true;

	for (int k = 2; k < cli->argc;) {
		const char *arg = cli->argv[k];

		if (options && strcmp(arg, "--") == 0) {
			options = false;
			k++;
		} else if (options && arg[0] == '-' && arg[1] == '-') {
			k += put_long(l, k);
		} else if (options && arg[0] == '-' && arg[1]) {
			k += put_letters(l, k);
		} else {
			put_operand(l, arg);
			k++;
		}
	}
}

char *na_command_like(const struct na_cli *cli, const struct na_command *to,
		      const char *extra)
{
	struct line l = {.cli = cli};
	struct na_common common;
	char *text = NULL;
	size_t size = 0;
	void *none = &common; /* the tables are looked at, nothing is set */

	l.out = open_memstream(&text, &size);
	if (!l.out)
		return NULL;
	l.a = na_analysis_find(to->face->name);
	l.n_from = na_command_groups(cli->command, &common, none, l.from);
	l.n_to = na_command_groups(to, &common, none, l.to);
	fprintf(l.out, "netan %s", to->face->name);
	put_line(&l);
	if (extra && *extra)
		fprintf(l.out, " %s", extra);
	if (fclose(l.out) == 0)
		return text;
	free(text);
	return NULL;
}

char *na_command_inputs(const struct na_cli *cli)
{
	struct line l = {.cli = cli};
	char *text = NULL;
	size_t size = 0;

	l.out = open_memstream(&text, &size);
	if (!l.out)
		return NULL;
	for (size_t i = 0; i < cli->n_inputs; i++)
		put_operand(&l, cli->inputs[i].path);
	if (fclose(l.out) != 0) {
		free(text);
		return NULL;
	}
	if (*text)
		memmove(text, text + 1, strlen(text));
	return text;
}
