/*
 * What `check` says of each of the two runs that diff compares: whoever is
 * accused stands before what changed most.
 */
#ifndef NETAN_CLI_COMMANDS_DIFF_JUDGED_H
#define NETAN_CLI_COMMANDS_DIFF_JUDGED_H

#include "netan/analyses/diff/diff.h"
#include "netan/base/arena.h"
#include "netan/cli/cli.h"

/* Reads the inputs of each run, A's first, once more, and says nothing.  A run
 * of which check says nothing is left empty: one from a pipe, that cannot be
 * read, or holds nothing that is asked for.  Texts live in the arena. */
void na_diff_judge_runs(const struct na_cli *cli, struct na_arena *arena,
			struct diff_judged judged[2]);

#endif
