/*
 * What this program is made of: `netan --version`.  A report of a bug begins
 * with it.
 */
#ifndef NETAN_CLI_VERSION_VERSION_H
#define NETAN_CLI_VERSION_VERSION_H

#include <stdbool.h>

/* What one binary knows of itself, and the library of all of them must not:
 * it would be another one after each commit. */
struct na_build {
	const char *commit; /* "unknown" where nobody has told */
	const char *mpi;    /* MPI's own words; NULL: built without */
};

/* Prints the version, alone on the first line, commit, compiler and libraries,
 * as they are at run time where they tell; with `verbose` also what holds of
 * the sandbox, which shuts this process in. */
void na_version_put(const struct na_build *build, bool verbose);

#endif
