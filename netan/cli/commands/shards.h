/*
 * What partial and merge share.
 */
#ifndef NETAN_CLI_COMMANDS_SHARDS_H
#define NETAN_CLI_COMMANDS_SHARDS_H

#include "netan/cli/cli.h"
#include "netan/engine/partial/nap.h"

/* Do both lines of c ask for the same result?  Where it goes, how many threads
 * and how much is said may differ.  False, too: no memory. */
bool na_same_work(const struct na_command *c, const struct na_nap_head *a,
		  const struct na_nap_head *b);

#endif
