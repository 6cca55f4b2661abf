/*
 * An analysis over transfers that lie with the ranks that have read them
 * (local_records.h).  A pass goes through the inputs in their order: blocks of
 * another rank's come to rank 0 packed, and are merged there among its own; what
 * it has decided then, it tells them before the next pass.  So the result is
 * that of one process, and rank 0 does not hold the transfers.
 */
#ifndef NETAN_ENGINE_MPI_PASSES_H
#define NETAN_ENGINE_MPI_PASSES_H

#include "netan/engine/drive_impl.h"

/* Whether that is so; then, cuts d->chunks where one rank's inputs end. */
bool na_passes_shared(const struct drive *d);
enum na_status na_passes_cut(struct drive *d, struct na_err *err) NA_MUST_CHECK;
/* This rank is not the first: block i is sent. */
bool na_passes_elsewhere(const struct drive *d);
enum na_status na_passes_send(struct drive *d, size_t i,
			      struct na_err *err) NA_MUST_CHECK;
/* One pass. */
enum na_status na_passes_run(struct drive *d, struct na_err *err) NA_MUST_CHECK;
/* Rank 0, between passes: what was decided. */
enum na_status na_passes_tell(struct drive *d,
			      struct na_err *err) NA_MUST_CHECK;
/* All that another rank does, to the end: NA_END. */
enum na_status na_passes_serve(struct drive *d, const void *params,
			       struct na_err *err) NA_MUST_CHECK;
/* Rank 0, at the end: how much was sent. */
void na_passes_say(const struct drive *d);

#endif
