/*
 * The command line of another command that looks at the same: what a user
 * can paste.
 */
#ifndef NETAN_CLI_AGAIN_H
#define NETAN_CLI_AGAIN_H

#include "netan/base/arena.h"
#include "netan/cli/cli.h"

/* What belongs behind "netan NAME ...": of the filters, input options and
 * --capacity that were given those that NAME takes, and the inputs, quoted
 * for a shell.  NULL when memory is short. */
const char *na_again(const struct na_cli *cli, const char *name,
		     struct na_arena *arena);

/* The option in argv[k], which begins with a dash, and its value or NULL; k
 * moves to its last word.  Of letters that are joined the last one.  NULL: the
 * command has no such option. */
const struct na_opt *na_option_at(const struct na_command *c, int argc,
				  char *const *argv, int *k,
				  const char **value);

/* What looks at the same inputs again: netan, but where they are not to be had
 * in one place. */
const char *na_program_of(const struct na_cli *cli);

/* This command line once more, without what says where to write, how many
 * threads to use and how much to talk: the result does not depend on these.
 * From malloc(); NULL: out of memory. */
char *na_command_line(const struct na_cli *cli);

#endif
