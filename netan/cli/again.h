/*
 * The command line of another command that looks at the same: what a user
 * can paste.
 */
#ifndef NETAN_CLI_AGAIN_H
#define NETAN_CLI_AGAIN_H

#include "netan/base/arena.h"
#include "netan/checks/check.h"
#include "netan/cli/cli.h"
#include "netan/engine/session/session.h"

/* What belongs behind "netan LINE ...", a command and options of its own: of
 * the filters, input options and --capacity that were given those that the
 * command takes and LINE does not give, and the inputs, quoted for a shell.
 * NULL when memory is short. */
const char *na_again(const struct na_cli *cli, const char *line,
		     struct na_arena *arena);
/* The same, of the inputs that are `of` that kind in s, or hold such; all of
 * them where they tell together what a filter asks for. */
const char *na_again_of(const struct na_cli *cli, const struct na_session *s,
			enum na_inputs_of of, const char *line,
			struct na_arena *arena);

/* The option in argv[k], which begins with a dash, and its value or NULL; k
 * moves to its last word.  Of letters that are joined the last one.  NULL: the
 * command has no such option. */
const struct na_opt *na_option_at(const struct na_command *c, int argc,
				  char *const *argv, int *k,
				  const char **value);

/* An option that was given, in argv[first..last], and its value or NULL. */
struct na_given {
	const struct na_opt *o;
	const char *value;
	int first, last;
};

/* Where the walk over them begins: behind the command's name. */
#define NA_GIVEN_FIRST ((struct na_given){.last = 1})

/* The next one of the command's options, up to "--"; false: there is none. */
bool na_next_option(const struct na_cli *cli, struct na_given *g);

/* Is the option of that whole name among them? */
bool na_gives(const struct na_cli *cli, const char *option);

/* What looks at the same inputs again: netan, but where they are not to be had
 * in one place. */
const char *na_program_of(const struct na_cli *cli);

/* This command line once more, without what says where to write, how many
 * threads to use and how much to talk: the result does not depend on these.
 * From malloc(); NULL: out of memory. */
char *na_command_line(const struct na_cli *cli);

#endif
