/*
 * Directories that files must not be written to: they would be inputs the
 * next time, or hide those that are.
 */
#ifndef NETAN_CLI_COMMANDS_INPUTS_OWN_H
#define NETAN_CLI_COMMANDS_INPUTS_OWN_H

#include <stdbool.h>

#include "netan/engine/session/listing.h"

/* Is the directory, there or not, one of q's inputs, that of a file of theirs,
 * or, where that is below a directory which was named (a run of a log
 * directory), beside it?  Also where memory is short. */
bool na_is_inputs_own(const struct na_request *q, const struct na_listing *list,
		      const char *dir);
extern const char na_inputs_own_said[];

#endif
