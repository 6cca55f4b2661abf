/*
 * Command lines for a person to paste: of another command over the same
 * inputs, quoted for a shell.
 */
#ifndef NETAN_CLI_COMMAND_LINE_H
#define NETAN_CLI_COMMAND_LINE_H

#include "netan/cli/cli.h"

/*
 * "netan pairs --from 1s EXTRA run/": the inputs of `cli` in their order,
 * and those of its options that `to` has as well and takes: filters,
 * capacity, topology, but nothing of where to write and how much to say.
 * EXTRA is put behind them as it is.  From malloc(); NULL: out of memory.
 */
char *na_command_like(const struct na_cli *cli, const struct na_command *to,
		      const char *extra);

/* The inputs alone. */
char *na_command_inputs(const struct na_cli *cli);

/* One word, quoted where a shell needs it. */
void na_put_word(FILE *out, const char *s);

#endif
