/*
 * Less power, once the interface and the outputs are open.
 */
#ifndef NETAN_CLI_COMMANDS_PRIVILEGES_H
#define NETAN_CLI_COMMANDS_PRIVILEGES_H

#include "netan/base/err.h"

/*
 * Every capability goes, for good, and what is executed later can win none
 * back.  A program that is set-uid or started by sudo becomes that user, if
 * the user can write into the folder of `path` (NULL: nothing is written
 * any more); else the owner of that folder, if root without capabilities
 * could not write there; else it stays root without capabilities, who owns
 * what root owns and nothing else.  fd: an open output to hand over, or -1.
 * NA_EIO: whoever is left cannot write into the folder.
 */
enum na_status na_privileges_drop(const char *path, int fd,
				  struct na_err *err) NA_MUST_CHECK;

#endif
