/*
 * What one log tells of ranks, put into the model: a dump for each rank that
 * it names, with how far the rank is in each group.
 */
#ifndef INGEST_NCCL_NCCL_TO_DUMP_H
#define INGEST_NCCL_NCCL_TO_DUMP_H

#include "netan/base/scan.h"
#include "netan/model/logs/recorder.h"

struct na_nccl_dumps {
	struct na_flight_record *ranks;
	const char *path;       /* borrowed */
	NA_VEC(uint32_t) dumps; /* by rank: its dump + 1; 0: none */
};

/* The dump of a rank (0 to NA_FR_MAX - 1), new or known, valid until the
 * next one is asked for; it is by this evidence, too.  NULL: no memory. */
struct na_fr_dump *na_nccl_dump_of(struct na_nccl_dumps *t, int64_t rank,
				   enum na_hang_evidence by);
void na_nccl_dumps_fini(struct na_nccl_dumps *t);

/* The rank has enqueued (launched) all up to this one; completed -1: that is
 * not told.  False: no memory. */
bool na_nccl_dump_place(struct na_fr_dump *d, uint32_t group, int64_t enqueued,
			int64_t completed);

/* A collective that the rank holds; its elements, or UINT64_MAX; when it
 * was called, or INT64_MIN. */
bool na_nccl_dump_holds(struct na_fr_dump *d, uint32_t group, int64_t sequence,
			uint32_t operation, uint64_t elements,
			int64_t called_ns);

/* "AllReduce" as "all_reduce"; NA_NO_NAME: no memory. */
uint32_t na_nccl_dump_operation(struct na_flight_record *x,
				struct na_text function);

#endif
