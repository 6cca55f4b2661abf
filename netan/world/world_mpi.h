/*
 * The world of an MPI job: netan-mpi alone links this.
 */
#ifndef NETAN_WORLD_WORLD_MPI_H
#define NETAN_WORLD_WORLD_MPI_H

#include "netan/world/world.h"

/*
 * Starts MPI and compares what the ranks say of themselves: NA_EFORMAT where
 * one is of another version, with both, on every rank.  NA_EIO, NA_ENOMEM.
 * To be closed whatever comes back.  Also for a process that nothing launched:
 * a world of one.
 */
enum na_status na_world_mpi_open(struct na_world *w, int *argc, char ***argv,
				 const char *version,
				 struct na_err *err) NA_MUST_CHECK;

/*
 * All ranks are done: they end with the same *code.  That of rank 0, unless it
 * is fine and another one `failed`: then the lowest such rank's, and on rank 0
 * err says why.  A rank may come here early: others that wait for it then get
 * NA_EIO, and come here too.  After open succeeded, once.
 */
void na_world_mpi_end(struct na_world *w, bool failed, int *code,
		      struct na_err *err);

/* The last call.  Does not return where open had no memory, or where messages
 * were cut off on the way: then the launcher ends the job, with `code`. */
void na_world_mpi_close(struct na_world *w, int code);

/* Which MPI it is, in its own words; good until the next call. */
const char *na_world_mpi_library(void);

#endif
