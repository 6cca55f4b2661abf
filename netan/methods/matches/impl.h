/* What op_match.c (executions of an operation) and op_way.c (which of them are
 * one) share. */
#ifndef NETAN_METHODS_MATCHES_IMPL_H
#define NETAN_METHODS_MATCHES_IMPL_H

#include "netan/methods/matches/op_match.h"

/*
 * Which executions belong together: run ids may be shared by all devices, or
 * each device counts its own; a device may have run more of a program before
 * the trace began.  What is one execution overlaps in time, as far as one
 * clock can tell; the way that leaves most together in that sense is taken.
 *
 * IN_STEP is BY_RUN where nothing has to be sorted: the i-th on each device is
 * the same one.
 */
enum na_op_way {
	NA_OP_BY_RUN,
	NA_OP_BY_ORDER,
	NA_OP_BY_TIME,
	NA_OP_WAYS,
	NA_OP_IN_STEP = NA_OP_WAYS
};

/* All executions of one operation, of each core in their order. */
struct na_op_pieces {
	NA_VEC(struct na_op_piece);
	NA_VEC(size_t) from;            /* by core that has any */
	size_t longest;                 /* pieces of a core, at most */
	NA_VEC(struct na_op_piece) row; /* in step: the execution looked at */
};

/* Sorts them so that what is together stands together; in step they stay. */
enum na_op_way na_op_way_of(const struct na_op_match *m,
			    struct na_op_pieces *p);
/* The execution at *at, which begins at 0 and moves on; NULL: no more.  In step
 * there must be room for a row. */
struct na_op_piece *na_op_next(struct na_op_pieces *p, enum na_op_way way,
			       size_t *at, size_t *n);

#endif
