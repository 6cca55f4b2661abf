/*
 * What match.c (rows) and join.c (executions) share.
 */
#ifndef NETAN_ANALYSES_COLLECTIVES_MATCH_H
#define NETAN_ANALYSES_COLLECTIVES_MATCH_H

#include "netan/analyses/collectives/state.h"
#include "netan/methods/matches/op_match.h"

/* Where the executions of a core are counted: those of an operation follow
 * one another, each on the same cores. */
struct coll_seat {
	uint32_t unit, core;
	uint32_t part, last; /* of took_part; of coll_match.last */
	bool known, was_last;
};

struct coll_match {
	const struct coll_state *s;
	const struct na_devices *d;
	struct coll_found *f;
	struct na_op_match ops;
	uint32_t *row_of_unit;
	struct na_triples row_keys;
	struct na_triples devices_of; /* module: run and network, name, core */
	struct na_triples took_part;  /* row, core */
	NA_VEC(uint64_t) parts;       /* executions of it */
	struct na_triples last;       /* row, core */
	NA_VEC(uint64_t) lasts;
	NA_VEC(struct coll_seat) seats; /* by place in an execution */
};

/* join.c: an execution into its row; who is missing.  False: no
 * memory. */
bool na_collectives_add_instance(void *arg, const struct na_op_piece *x,
				 size_t n);
bool na_collectives_find_missing(struct coll_match *m);

#endif
