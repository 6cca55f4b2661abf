/*
 * netan from its command line to its exit status, for each of its binaries.
 */
#ifndef NETAN_CLI_PROGRAM_H
#define NETAN_CLI_PROGRAM_H

#include "netan/cli/cli.h"
#include "netan/cli/version/version.h"
#include "netan/world/world.h"

/* w NULL: netan; else netan-mpi, which ranks all call with the same words.
 * Standard output is closed afterwards. */
enum na_exit na_program(struct na_world *w, const struct na_build *build,
			int argc, char **argv);

/* The command line of a command alone; `q` speaks where there is no command yet, and has the
 * world.  On any thread, if it writes to files alone. */
enum na_exit na_command_run(const struct na_request *q, int argc, char **argv);

/* No results, for the system or the user forbade them. */
static inline bool na_exit_failed(enum na_exit code)
{
	return code != NA_EXIT_OK && code != NA_EXIT_FINDINGS;
}

/* What the launcher of a job says in the environment. */
struct na_launch {
	size_t task, tasks;
	const char *variable; /* that says how many; NULL: no launcher */
};

struct na_launch na_launch_of(void);

/*
 * Under a launcher of several tasks, and where each would do the same work:
 * becomes netan-mpi, beside this program or in PATH.  Returns where there is
 * nothing to hand over (NA_EXIT_OK), or nobody to hand it to: the first task
 * has said so then.
 */
enum na_exit na_hand_over(int argc, char **argv);

#endif
