/* What finding the roots and telling of them share; see stall.h. */
#ifndef NETAN_ANALYSES_HANG_STALL_GRAPH_H
#define NETAN_ANALYSES_HANG_STALL_GRAPH_H

#include "netan/analyses/hang/stall.h"

struct na_stall_edge {
	int32_t from, to;
};

/* Why a rank may have caused the stall. */
struct na_rank_status {
	enum na_hang_cause kind; /* NA_HANG_UNKNOWN: nothing */
	size_t op;               /* the earliest of this kind; of a root, that
				    which it would have called first */
	bool weak;               /* by point-to-point operations alone */
	bool innocent, root;
	bool cleared;   /* it calls what most others call, in their order */
	bool out_of_order; /* most others call them in another order */
	bool holds;     /* a collective that has not ended */
	bool pending_p2p; /* a message that has not */
	bool undecided; /* it waits in a mismatch of which nobody tells who is
			   wrong: that it came no further accuses it of
			   nothing */
	uint32_t waiters;
};

/* What a root may have called before its operation. */
struct na_stall_doubt {
	int32_t rank;
	size_t op;
};

/* Two operations that two ranks call in different orders. */
struct na_stall_cross {
	size_t first, second;
};

struct na_stall_graph {
	struct na_stall_work *w;
	struct na_rank_status *statuses; /* by rank */
	size_t *first;                   /* of a rank's edges; n_ranks + 1 */
	uint8_t *reach;                  /* bits: accused by rank */
	int32_t *queue;
	struct na_stall_ranks accused;      /* hosts */
	NA_VEC(struct na_stall_edge) edges; /* who waits for whom, by from */
	NA_VEC(struct na_stall_doubt) doubts;
	NA_VEC(struct na_stall_cross) crossed;
	bool mismatch; /* whoever is wrong: messages alone accuse nobody
			  beside it */
};

/* When a rank called an operation, by its own count; INT64_MAX: it did not. */
int64_t na_stall_record_of(const struct na_stall_op *o, int32_t rank);

/* Of each root the operation that it would have called first, and those of
 * which nobody tells whether they come before that.  False: no memory. */
bool na_stall_first(struct na_stall_graph *c);

/* Of a stall with culprits and those who wait for them: who stands behind. */
bool na_stall_find_behind(struct na_stall *s, const struct na_stall_graph *c);

/* An event for each group of roots, with all that is told of it. */
bool na_stall_tell(const struct na_stall_graph *c, size_t n_roots,
		   struct na_stalls *x);

#endif
