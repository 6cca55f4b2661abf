/*
 * What match.c (rows) and join.c (executions) share.
 */
#ifndef NETAN_ANALYSES_COLLECTIVES_MATCH_H
#define NETAN_ANALYSES_COLLECTIVES_MATCH_H

#include "netan/analyses/collectives/collectives.h"
#include "netan/methods/matches/op_match.h"

#define CO_CMP(a, b) (((a) > (b)) - ((a) < (b)))

struct co_match {
	const struct co_state *s;
	const struct na_devices *d;
	struct co_found *f;
	struct na_op_match ops;
	uint32_t *row_of_unit;
	size_t cap_rows_of;
	struct na_triples row_keys;
	struct na_triples devices_of; /* module: run and network, name, core */
	struct na_triples took_part;  /* row, core */
	uint64_t *parts;              /* executions of it */
	size_t cap_parts;
	struct na_triples last; /* row, core */
	uint64_t *lasts;
	size_t cap_lasts;
};

/* join.c: an execution into its row; who is missing.  False: no
 * memory. */
bool co_add_instance(void *arg, const struct na_op_piece *x, size_t n);
bool co_find_missing(struct co_match *m);

#endif
