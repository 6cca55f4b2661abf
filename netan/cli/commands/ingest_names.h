/*
 * netan ingest -o DIR: what the file of each input is called there.
 */
#ifndef NETAN_CLI_COMMANDS_INGEST_NAMES_H
#define NETAN_CLI_COMMANDS_INGEST_NAMES_H

#include "netan/engine/session/listing.h"

/*
 * A path in `dir` for each of the listed files, in the arena: called like the
 * host of a trace, or like the file before its endings.  Where two would be
 * called alike, or the directory would list them in another order than the
 * session has them, by more of their paths, else by number: hosts have the
 * same order in both.  `hidden`: names tell nothing ("input-3").
 * NULL: no memory.
 */
const char **na_ingest_names(const struct na_listing *l, const char *dir,
			     bool hidden, struct na_arena *a);

#endif
