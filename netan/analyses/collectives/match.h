/*
 * What match.c (rows), join.c (executions) and crew.c (devices) share.
 */
#ifndef NETAN_ANALYSES_COLLECTIVES_MATCH_H
#define NETAN_ANALYSES_COLLECTIVES_MATCH_H

#include "netan/analyses/collectives/state.h"
#include "netan/methods/matches/op_match.h"

/* What a device does of the open row. */
struct coll_part {
	uint64_t n, last; /* executions; in which it came last */
};

struct coll_match {
	const struct coll_state *s;
	const struct na_devices *d;
	struct coll_found *f;
	struct na_op_match ops;
	/* Units of one row follow one another.  NULL: each is a row. */
	uint32_t *row_of_unit;
	uint32_t *kind_of_row; /* plus 1 */

	/* Executions of one row follow one another, too: it is open. */
	uint32_t open; /* NA_NO_TRIPLE: none */
	struct coll_matched row;
	NA_VEC(double) us[COLL_N_DURATIONS];
	struct coll_part *parts; /* by core */
	NA_VEC(uint32_t) crew;   /* cores that have any */

	/* Of all rows. */
	struct na_varint_pack text; /* of a crew */
	struct na_triples teams;   /* program, crew */
	struct na_triples devices; /* program, 0, core; in that order */
};

/* match.c: the row of a unit is open.  False: no memory, in all of these. */
bool na_collectives_reach(struct coll_match *m, uint32_t unit);

/* join.c: an execution into its row. */
bool na_collectives_add_instance(void *arg, const struct na_op_piece *x,
				 size_t n);

/* crew.c: the devices of the open row, which is complete. */
bool na_collectives_man(struct coll_match *m);
/* Who is missing in any row. */
bool na_collectives_find_missing(struct coll_match *m);

#endif
