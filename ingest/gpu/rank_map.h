/*
 * Ranks of communicators as ranks of the job.
 *
 * Some inputs know no other ranks than those within a communicator.  Where all
 * processes of a run are in one and the same, each as another rank, its ranks
 * are the job's: of several such the largest one.  Where none is, or as large
 * ones tell other ranks, processes are numbered by host and process id; that
 * stands in for the rank, and has to be said.
 */
#ifndef INGEST_GPU_RANK_MAP_H
#define INGEST_GPU_RANK_MAP_H

#include "ingest/input.h"

/* A rank of a communicator and that of the job. */
struct na_job_rank {
	int32_t rank, job;
};

/* What a process is in a communicator. */
struct na_comm_rank {
	struct na_text group; /* what the input calls it; borrowed from it */
	int32_t rank, size;
	/* From na_rank_map_settle(): */
	bool world;                        /* its ranks are the job's */
	const struct na_job_rank *taken;   /* by rank: those in the input */
	size_t n_taken;
	struct na_text list; /* "0,1,2,3", its ranks in the job; n 0: not all
				are known */
	/* Which one it is of several communicators of the same ranks, from 1
	 * on; 0: the only one. */
	uint16_t twin;
};

enum {
	NA_COMM_RANKS_MAX = 4096,   /* of an input */
	NA_COMM_RANKS_LISTED = 4096 /* ranks of a list */
};

/* Of the input's: the one of this communicator, or NULL. */
const struct na_comm_rank *na_comm_rank_of(const struct na_input *in,
					   struct na_text group);
/* A rank of the communicator as one of the job; -1: not known. */
int32_t na_comm_rank_job(const struct na_comm_rank *x, int64_t rank);

/* One more of `in`, in its arena; once for each communicator.  False: no
 * memory. */
bool na_comm_rank_add(struct na_input *in, struct na_text group, int32_t rank,
		      int32_t size);

/*
 * All n inputs of one run that have some, opened: their rank and size of the
 * job, and what those of communicators are there.  What that takes is in `a`,
 * which must last as long as the inputs.  False: no memory.
 *
 *	*stand_in	ranks are numbers by host and process id
 */
bool na_rank_map_settle(struct na_input *const *v, size_t n, struct na_arena *a,
			bool *stand_in) NA_MUST_CHECK;
/* The same where others told the ranks: in->rank and in->world_size stay. */
bool na_rank_map_known(struct na_input *const *v, size_t n,
		       struct na_arena *a) NA_MUST_CHECK;

#endif
