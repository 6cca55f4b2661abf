/*
 * Transfers that stay with the ranks that have read them: rank 0 gets all else,
 * resolves it and tells the others what names, hosts and steps are, so that
 * each can let its own transfers through an analysis (passes.h).
 *
 * Transfers of a range of inputs in which one has messages of the older
 * generation are sent: what their times mean all inputs settle together.
 */
#ifndef NETAN_ENGINE_MPI_LOCAL_RECORDS_H
#define NETAN_ENGINE_MPI_LOCAL_RECORDS_H

#include "netan/engine/mpi/send_records.h"

/* Before the inputs are read: whether they stay, which all ranks find alike. */
enum na_status na_local_records_init(struct na_session *s,
				     struct na_err *err) NA_MUST_CHECK;
/* This session's do, to go through an analysis. */
bool na_keeps_local_records(const struct na_session *s);
/* Of a rank that has read the range: those that are not to be sent are out of
 * the store, and rank 0 is told. */
enum na_status na_local_records_keep(struct na_session *s, struct na_range r,
				     struct na_err *err) NA_MUST_CHECK;
/* Rank 0 is told of a range. */
bool na_local_records_heard(struct na_session *s, struct na_range r,
			    struct na_cursor *c);
/* Another rank, when it has sent all: what rank 0 has resolved, at c. */
enum na_status na_local_records_told(struct na_session *s, struct na_cursor c,
				     struct na_err *err) NA_MUST_CHECK;

#endif
