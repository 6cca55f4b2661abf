/*
 * Which files a command line names, by its tables of options: one list for the
 * sandbox, and for outputs that must be no inputs.
 */
#ifndef NETAN_CLI_PATHS_H
#define NETAN_CLI_PATHS_H

#include "netan/cli/cli.h"

typedef void (*na_path_fn)(void *ctx, const char *path, enum na_opt_path kind);

/* Of options, each with what its row says. */
void na_each_option_path(const struct na_cli *cli, na_path_fn fn, void *ctx);

#endif
