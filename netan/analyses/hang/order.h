/*
 * The order in which a rank would have called what it never called.
 *
 * Ranks of one job run few programs.  A twin of a rank runs the same one: it
 * has groups of the same names and sizes, and sits in the same place of those
 * with point-to-point operations, whose members do different things.
 *
 *   a member      of the groups of two operations lists both: the rank
 *                 would have called them in this order, too
 *   a twin        the same of operations with the same numbers in its groups.
 *                 What it called and no longer lists came before what it
 *                 lists without a gap to its last record
 *   records       number all operations of a rank; twins have the same for the
 *                 same operation, so that two who do not list both tell the
 *                 order.  How many a rank called, by its counters, says which
 *                 record it would have written next
 *
 * Where two contradict each other, nothing is told.
 */
#ifndef NETAN_ANALYSES_HANG_ORDER_H
#define NETAN_ANALYSES_HANG_ORDER_H

#include "netan/analyses/hang/stall.h"

enum { NA_STALL_CANDIDATES = 32 }; /* bits */

struct na_stall_candidate {
	size_t at; /* of the work's operations */
	const struct na_stall_op *op;
	int64_t number; /* as the rank would have counted it; -1 */
	int64_t record; /* of the twins; -1: none lists it */
	bool apart;     /* twins differ in it */
};

struct na_stall_order {
	const struct na_stall_work *w;
	NA_VEC(struct na_stall_entry) talks; /* point-to-point, of all ranks */
	int32_t rank;
	NA_VEC(uint32_t) own; /* its groups */
	struct na_stall_candidate v[NA_STALL_CANDIDATES];
	size_t n;
	/* Bit b of a: somebody says that a comes before b; or only that it
	 * has completed where b has not. */
	uint32_t before[NA_STALL_CANDIDATES], maybe[NA_STALL_CANDIDATES];
	size_t twins;  /* whose counters and records are told */
	int64_t shift; /* records less counters */
	int64_t next;  /* the record that it would have written; -1 */
};

/* Once for all ranks; false: no memory. */
bool na_stall_talks(struct na_stall_order *x);
/* All ranks on the candidates v[0] to v[n - 1]; the rest of a rank is zero. */
void na_stall_hear(struct na_stall_order *x);
/* Its next number of point-to-point operations of a group; -1: not told. */
int64_t na_stall_next_talk(const struct na_stall_order *x, uint32_t group);
/* Is it told that a comes before b, and by nobody that b does? */
bool na_stall_before(const struct na_stall_order *x, size_t a, size_t b);

#endif
