#include "netan/cli/commands/carry.h"
#include "netan/base/shell.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/cli/again.h"
#include "netan/cli/common.h"

/* What runs where no command is named. */
#define USUAL "check"

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

static bool names_shard(const char *value)
{
	size_t n = value ? strlen(value) : 0;

	return n > 4 && strcmp(value + n - 4, ".nap") == 0;
}

static bool knows(const struct na_command *c, const char *option)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);

	return na_opt_find(groups, n, option, strlen(option));
}

struct splitting {
	struct na_carried *to;
	const struct na_command *c;
	int argc;
	char **argv;
	bool named; /* the command, or its first input */
};

static void add(char **to, int *n, char *const *from, int k, int last)
{
	while (k <= last)
		to[(*n)++] = from[k++];
}

/* Whose the option in argv[*k] is; *k moves to its last word. */
static void split_option(struct splitting *s, int *k)
{
	struct na_carried *to = s->to;
	const char *value;
	int last = *k;
	const struct na_opt *o = na_option_at(s->c, s->argc, s->argv, &last,
					      &value);

	if (o &&
	    (!s->named || names_shard(value) || !knows(to->command, o->name))) {
		add(to->own, &to->n_own, s->argv, *k, last);
	} else {
		last = *k;
		(void)na_option_at(to->command, s->argc, s->argv, &last,
				   &value);
		add(to->words, &to->n_words, s->argv, *k, last);
	}
	*k = last;
}

static void split_operand(struct splitting *s, int k)
{
	const struct na_command *c = na_command_find(s->argv[k]);

	if (!s->named && !c)
		s->to->instead = s->argv[k];
	if (!s->named && c)
		s->to->command = c;
	else
		add(s->to->words, &s->to->n_words, s->argv, k, k);
	s->named = true;
}

bool na_carry_split(struct na_carried *to, const struct na_command *c, int argc,
		    char **argv)
{
	static char program[] = "netan";
	struct splitting s = {to, c, argc, argv, false};
	size_t room = (size_t)argc + 3;

	*to = (struct na_carried){.command = na_command_find(USUAL),
				  .own = na_calloc(room, sizeof(char *)),
				  .words = na_calloc(room, sizeof(char *))};
	if (!to->own || !to->words)
		return false;
	add(to->own, &to->n_own, argv, 0, 1);
	to->words[0] = program;
	to->n_words = 2;
	for (int k = 2; k < argc; k++) {
		if (strcmp(argv[k], "--") == 0) {
			add(to->words, &to->n_words, argv, k, argc - 1);
			break;
		}
		if (is_option(argv[k]))
			split_option(&s, &k);
		else
			split_operand(&s, k);
	}
	to->words[1] = (char *)(uintptr_t)to->command->info->name;
	return true;
}

void na_carried_free(struct na_carried *c)
{
	free(c->own);
	free(c->words);
	*c = (struct na_carried){.command = NULL};
}

/* ---- joined */

bool na_carried_gives(const struct na_carried *c, const char *option)
{
	const struct na_cli cli = {.command = c->command,
				   .argc = c->n_words,
				   .argv = c->words};

	return na_gives(&cli, option);
}

static void add_options(char **to, int *n, const struct na_cli *cli)
{
	struct na_given g = NA_GIVEN_FIRST;

	while (na_next_option(cli, &g))
		add(to, n, cli->argv, g.first, g.last);
}

char **na_carry_join(const struct na_command *c, char **words, int *n,
		     const struct na_cli *more)
{
	char **to = na_calloc((size_t)*n + (size_t)more->argc + 1, sizeof(*to));
	bool joined = false;
	int at = 0;

	if (!to)
		return NULL;
	add(to, &at, words, 0, 1);
	for (int k = 2; k < *n; k++) {
		bool option = is_option(words[k]);
		bool end = strcmp(words[k], "--") == 0;
		const struct na_opt *o;
		const char *value;
		int first = k;

		if (!joined && (!option || end)) {
			add_options(to, &at, more);
			joined = true;
		}
		if (end) {
			add(to, &at, words, k, *n - 1);
			break;
		}
		o = option ? na_option_at(c, *n, words, &k, &value) : NULL;
		if (!o || !na_gives(more, o->name))
			add(to, &at, words, first, k);
	}
	if (!joined)
		add_options(to, &at, more);
	*n = at;
	return to;
}

void na_put_line(FILE *out, char *const *words, int n)
{
	for (int i = 0; i < n; i++) {
		putc(' ', out);
		na_shell_put(out, words[i]);
	}
}

bool na_same_work(const struct na_command *c, const struct na_nap_head *a,
		  const struct na_nap_head *b)
{
	const struct na_cli of_a = {.command = c,
				    .argc = a->n_words,
				    .argv = a->words};
	const struct na_cli of_b = {.command = c,
				    .argc = b->n_words,
				    .argv = b->words};
	char *x = na_command_line(&of_a), *y = na_command_line(&of_b);
	bool same = x && y && strcmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}
