/*
 * The sandbox of a command line (netan/base/sandbox): what its own words let
 * it reach is found in its tables of options, before any file is opened.
 *
 * Of netan.conf (netan/cli/conf), which is read before, what it names is in
 * the command line then.
 *
 * To be read: inputs, and what options of NA_PATH_READ name, with what
 * symbolic links in them lead to; what libraries go by (places.def).  To be
 * written: the folders of outputs, and of temporary files.
 */
#ifndef NETAN_CLI_SANDBOX_SHUT_IN_H
#define NETAN_CLI_SANDBOX_SHUT_IN_H

#include "netan/cli/cli.h"

/* As cli->command->reach() says; nothing where the process is not its own
 * (na_request), or is many.  For NA_SHUT_CALLS, na_shut_in_files() follows. */
void na_shut_in(const struct na_cli *cli);

/* The rest of it: the files of cli, and of the command line in `words` (argc
 * of them, as main() gets them) that it runs; c: its command, or NULL. */
void na_shut_in_files(const struct na_cli *cli, const struct na_command *c,
		      int argc, char **words);

/* A live capture whose socket and outputs are open: what is left is their
 * folders, the counters of interfaces, and the socket. */
void na_shut_in_capture(const struct na_cli *cli);

/* Without a command, to know what would hold. */
void na_shut_in_nothing(void);

#endif
