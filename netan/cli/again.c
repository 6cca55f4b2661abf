#include "netan/cli/again.h"

#include <stdlib.h>
#include <string.h>

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"
#include "netan/cli/common.h"

struct line {
	char *text;
	size_t n, cap;
	bool failed;
};

static void put(struct line *l, const char *s, size_t n)
{
	if (!na_grow(&l->text, &l->cap, l->n + n + 1, 1)) {
		l->failed = true;
		return;
	}
	memcpy(l->text + l->n, s, n);
	l->n += n;
	l->text[l->n] = '\0';
}

/* As one word of a POSIX shell. */
static void put_word(struct line *l, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	if (l->n)
		put(l, " ", 1);
	if (*s && !s[strspn(s, plain)]) {
		put(l, s, strlen(s));
		return;
	}
	put(l, "'", 1);
	for (; *s; s++) {
		if (*s == '\'')
			put(l, "'\\''", 4);
		else
			put(l, s, 1);
	}
	put(l, "'", 1);
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
	"host", "line", "src", "dst", "collective", "component", "side",
	"from", "to", "step", "min-size", "max-size", "min-latency",
	"include-loopback", "max-rate", "hosts", "filter", "anchor",
	"topology", "hlo", "capacity", NULL};
/* Of those that pick transfers, what analyses of none take all the same. */
static const char *const of_ops[] = {
	"host", "collective", "from", "to", "step", "hosts", "filter",
	"anchor", "topology", "hlo", "capacity", NULL};
static const char *const of_connections[] = {
	"host", "src", "dst", "from", "to", "hosts", "filter", "anchor",
	"topology", NULL};
/* clang-format on */

static bool takes(const struct na_command *c, const char *option)
{
	const struct na_analysis *a = na_analysis_find(c->face->name);
	struct na_opt_group groups[NA_MAX_GROUPS];
	struct na_common common;
	size_t n = na_command_groups(c, &common, NULL, groups);

	if (!among(carried, option) ||
	    !na_opt_find(groups, n, option, strlen(option)))
		return false;
	if (!a || a->add)
		return true;
	return among(a->add_op ? of_ops : of_connections, option);
}

/* The option in argv[k] and its value; k moves behind it.  The line was
 * parsed before: it is in order. */
static const struct na_opt *option_at(const struct na_cli *cli, int *k,
				      const char **value)
{
	const char *arg = cli->argv[*k], *sign = strchr(arg, '=');
	struct na_opt_group groups[NA_MAX_GROUPS];
	struct na_common common;
	size_t n = na_command_groups(cli->command, &common, NULL, groups);
	size_t length = sign ? (size_t)(sign - arg) - 2 : strlen(arg + 2);
	const struct na_opt *o = na_opt_find(groups, n, arg + 2, length);

	*value = sign ? sign + 1 : NULL;
	if (o && o->kind != NA_OPT_FLAG && !sign && *k + 1 < cli->argc)
		*value = cli->argv[++*k];
	return o;
}

static void put_options(struct line *l, const struct na_cli *cli,
			const struct na_command *to)
{
	for (int k = 2; k < cli->argc && strcmp(cli->argv[k], "--") != 0; k++) {
		struct line one = {NULL, 0, 0, false};
		const struct na_opt *o;
		const char *value;

		if (strncmp(cli->argv[k], "--", 2) != 0)
			continue;
		o = option_at(cli, &k, &value);
		if (!o || !takes(to, o->name))
			continue;
		put(&one, "--", 2);
		put(&one, o->name, strlen(o->name));
		if (value) {
			put(&one, "=", 1);
			put(&one, value, strlen(value));
		}
		if (one.failed)
			l->failed = true;
		else
			put_word(l, one.text);
		free(one.text);
	}
}

const char *na_again(const struct na_cli *cli, const char *name,
		     struct na_arena *arena)
{
	const struct na_command *to = na_command_find(name);
	struct line l = {NULL, 0, 0, false};
	const char *copy = NULL;
	bool dashes = false;

	if (to)
		put_options(&l, cli, to);
	for (size_t i = 0; i < cli->n_inputs; i++)
		dashes |= cli->inputs[i].path[0] == '-' &&
			  cli->inputs[i].path[1];
	if (dashes)
		put_word(&l, "--");
	for (size_t i = 0; i < cli->n_inputs; i++)
		put_word(&l, cli->inputs[i].path);
	if (!l.failed)
		copy = na_arena_strn(arena, l.text ? l.text : "", l.n);
	free(l.text);
	return copy;
}
