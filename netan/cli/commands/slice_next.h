/*
 * netan slice: what was written, and the command that looks at it.
 */
#ifndef NETAN_CLI_COMMANDS_SLICE_NEXT_H
#define NETAN_CLI_COMMANDS_SLICE_NEXT_H

#include "netan/cli/cli.h"
#include "netan/engine/session/session.h"

/* "next: netan check ...", on standard output, of a file or a directory. */
void na_slice_say_next(const struct na_cli *cli, const struct na_session *s,
		       const char *path, bool dir);
/* By input why one of its format is not cut, or NULL: the first of each format,
 * and how many there are. */
void na_slice_say_uncut(const struct na_session *s, const char *const *why);

#endif
