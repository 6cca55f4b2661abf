#include "netan/base/shell.h"
#include "netan/cli/again.h"

#include <stdlib.h>
#include <string.h>

#include "netan/analyses/analysis.h"
#include "netan/cli/common.h"
#include "netan/engine/anonymize.h"

/* One word, as it may be shown (--anonymize). */
static void put_shown(FILE *out, const struct na_cli *cli, const char *s)
{
	char *shown = na_shown(&cli->request, s);

	na_shell_put(out, shown ? shown : "");
	free(shown);
}

static bool among(const char *const *list, const char *name)
{
	for (; *list; list++) {
		if (strcmp(*list, name) == 0)
			return true;
	}
	return false;
}

/* clang-format off */
static const char *const carried[] = {
	"no-config",
	"host", "line", "src", "dst", "collective", "component", "side",
	"from", "to", "step", "min-size", "max-size", "min-latency",
	"include-loopback", "max-rate", "hosts", "filter", "anchor",
	"topology", "hlo", "capacity", NULL};
/* Of those that pick transfers, what analyses of none take all the same. */
static const char *const of_ops[] = {
	"no-config", "host", "collective", "from", "to", "step", "hosts", "filter",
	"anchor", "topology", "hlo", "capacity", NULL};
static const char *const of_connections[] = {
	"no-config", "host", "src", "dst", "from", "to", "hosts", "filter", "anchor",
	"topology", NULL};
/* clang-format on */

static bool takes(const struct na_command *c, const char *option)
{
	const struct na_analysis *a = na_analysis_find(c->info->name);
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);

	if (!among(carried, option) ||
	    !na_opt_find(groups, n, option, strlen(option)))
		return false;
	if (!a || a->add_transfer)
		return true;
	return among(a->add_op ? of_ops : of_connections, option);
}

static const struct na_opt *by_letter(const struct na_opt_group *g, size_t n,
				      char letter)
{
	for (size_t i = 0; i < n; i++) {
		for (const struct na_opt *o = g[i].opts; o->name; o++) {
			if (o->short_name && o->short_name == letter)
				return o;
		}
	}
	return NULL;
}

const struct na_opt *na_option_at(const struct na_command *c, int argc,
				  char *const *argv, int *k,
				  const char **value)
{
	const char *arg = argv[*k], *sign = strchr(arg, '=');
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);
	bool letters = arg[1] != '-';
	const struct na_opt *o;

	*value = sign ? sign + 1 : NULL;
	if (letters) {
		for (arg++; (o = by_letter(groups, n, *arg)) &&
			    o->kind == NA_OPT_FLAG && arg[1];)
			arg++;
		*value = o && arg[1] ? arg + 1 : NULL;
	} else {
		o = na_opt_find(groups, n, arg + 2, strcspn(arg + 2, "="));
	}
	if (o && o->kind != NA_OPT_FLAG && !*value && *k + 1 < argc)
		*value = argv[++*k];
	return o;
}

bool na_next_option(const struct na_cli *cli, struct na_given *g)
{
	while (++g->last < cli->argc && strcmp(cli->argv[g->last], "--") != 0) {
		const char *word = cli->argv[g->last];

		if (word[0] != '-' || !word[1])
			continue;
		g->first = g->last;
		g->o = na_option_at(cli->command, cli->argc, cli->argv,
				    &g->last, &g->value);
		if (g->o)
			return true;
	}
	return false;
}

bool na_gives(const struct na_cli *cli, const char *option)
{
	struct na_given g = NA_GIVEN_FIRST;

	while (na_next_option(cli, &g)) {
		if (strcmp(g.o->name, option) == 0)
			return true;
	}
	return false;
}

/* Does the line give it? */
static bool says(const char *line, const char *option)
{
	size_t n = strlen(option);

	while ((line = strstr(line, " --"))) {
		line += 3;
		if (strncmp(line, option, n) == 0 && strchr(" =", line[n]))
			return true;
	}
	return false;
}

/* Of which inputs; s NULL: all. */
struct kind {
	const struct na_session *s;
	bool captures;
};

/* A window of its own is not narrowed by that of this command. */
static bool has_own(const char *line, const char *option)
{
	static const char *const window[] = {"from", "to", "step", NULL};
	bool own = says(line, option);

	for (const char *const *w = window; among(window, option) && *w; w++)
		own |= says(line, *w);
	return own;
}

/* Hosts' traces tell their names themselves, and refuse other ones. */
static bool refuses(const struct kind *k, const char *option)
{
	return k->s && !k->captures && strcmp(option, "hosts") == 0;
}

static void put_options(FILE *out, const struct na_cli *cli,
			const struct na_command *to, const char *line,
			const struct kind *k)
{
	struct na_given g = NA_GIVEN_FIRST;

	while (na_next_option(cli, &g)) {
		if (!takes(to, g.o->name) || has_own(line, g.o->name) ||
		    refuses(k, g.o->name))
			continue;
		fprintf(out, "--%s%s", g.o->name, g.value ? "=" : "");
		if (g.value)
			put_shown(out, cli, g.value);
		putc(' ', out);
	}
}

static bool is_below(const char *path, const char *given)
{
	size_t n = strlen(given);

	return strncmp(path, given, n) == 0 &&
	       (!path[n] || path[n] == '/' || (n && given[n - 1] == '/'));
}

/* What is not known to be of the other kind alone. */
static bool is_kind(const struct kind *k, const char *given)
{
	bool other = false;

	for (size_t i = 0; k->s && i < k->s->n_inputs; i++) {
		const struct na_input *in = &k->s->inputs[i];

		if (!is_below(in->path, given))
			continue;
		if ((in->capture != NULL) == k->captures)
			return true;
		other = true;
	}
	return !other;
}

/* To the file, with a blank between. */
static void put_inputs(FILE *out, const struct na_cli *cli,
		       const struct kind *k)
{
	const char *blank = "";
	bool dashes = false;

	for (size_t i = 0; i < cli->request.n_inputs; i++)
		dashes |= cli->request.inputs[i].path[0] == '-' &&
			  cli->request.inputs[i].path[1];
	if (dashes && !cli->request.local.n)
		fputs("-- ", out);
	for (size_t i = 0; i < cli->request.n_inputs; i++) {
		if (!is_kind(k, cli->request.inputs[i].path))
			continue;
		fputs(blank, out);
		fputs(cli->request.local.n ? "--local " : "", out);
		put_shown(out, cli, cli->request.inputs[i].path);
		blank = " ";
	}
}

static const char *again(const struct na_cli *cli, const struct kind *k,
			 const char *line, struct na_arena *arena)
{
	const char *name = na_arena_strn(arena, line, strcspn(line, " "));
	const struct na_command *to = name ? na_command_find(name) : NULL;
	const char *copy = NULL;
	char *text = NULL;
	size_t n = 0;
	FILE *out = name ? open_memstream(&text, &n) : NULL;

	if (!out)
		return NULL;
	if (to)
		put_options(out, cli, to, line, k);
	put_inputs(out, cli, k);
	if (fclose(out) == 0)
		copy = na_arena_strn(arena, text, n);
	free(text);
	return copy;
}

const char *na_again(const struct na_cli *cli, const char *line,
		     struct na_arena *arena)
{
	return again(cli, &(struct kind){NULL}, line, arena);
}

/* Times count from the first of all inputs, steps are the traces', and of names
 * of hosts nobody knows whether they are of ranks or of addresses. */
static bool are_one(const struct na_cli *cli, const struct na_session *s,
		    const char *line)
{
	static const char *const window[] = {"from", "to", "step", NULL};

	for (const char *const *w = window; *w; w++) {
		if (na_gives(cli, *w) || says(line, *w))
			return true;
	}
	return cli->request.local.n ||
	       (s->store.ranked.inputs && na_gives(cli, "hosts"));
}

const char *na_again_of(const struct na_cli *cli, const struct na_session *s,
			enum na_inputs_of of, const char *line,
			struct na_arena *arena)
{
	bool all = of == NA_INPUTS_ALL || are_one(cli, s, line);
	struct kind k = {all ? NULL : s, of == NA_INPUTS_CAPTURES};

	return again(cli, &k, line, arena);
}

/* Whether argv[k] is of no consequence for the result; *skip counts
 * arguments. */
static bool is_manner(char *const *argv, int argc, int k, int *skip)
{
	static const char *const valued[] = {"--output",   "--threads",
					     "--memory",   "--color",
					     "--progress", "--cache",
					     NULL};
	static const char *const flags[] = {"--quiet", "--verbose", NULL};
	const char *arg = argv[k];

	*skip = 1;
	if (arg[0] == '-' && arg[1] && arg[1] != '-') {
		const char *c = arg + 1 + strspn(arg + 1, "qv");

		if (*c && *c != 'o' && *c != 'j')
			return false;
		*skip = *c && !c[1] && k + 1 < argc ? 2 : 1;
		return true;
	}
	for (const char *const *v = valued; *v; v++) {
		size_t n = strlen(*v);

		if (strncmp(arg, *v, n) == 0 && (!arg[n] || arg[n] == '=')) {
			*skip = !arg[n] && k + 1 < argc ? 2 : 1;
			return true;
		}
	}
	return among(flags, arg);
}

const char *na_program_of(const struct na_cli *cli)
{
	return cli->request.local.n ? "netan-mpi" : "netan";
}

char *na_command_line(const struct na_cli *cli)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool options = true;
	int skip;

	if (!out)
		return NULL;
	fputs(na_program_of(cli), out);
	for (int k = 1; k < cli->argc; k += skip) {
		options = options && strcmp(cli->argv[k], "--") != 0;
		skip = 1;
		if (options && is_manner(cli->argv, cli->argc, k, &skip))
			continue;
		putc(' ', out);
		put_shown(out, cli, cli->argv[k]);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
