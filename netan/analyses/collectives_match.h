/*
 * What collectives_match.c (executions of each device) and
 * collectives_join.c (the same execution on all devices) share.
 */
#ifndef NETAN_ANALYSES_COLLECTIVES_MATCH_H
#define NETAN_ANALYSES_COLLECTIVES_MATCH_H

#include "netan/analyses/collectives.h"

#define CO_CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* One execution on one device. */
struct co_piece {
	int64_t start_ps, end_ps;
	int64_t number; /* of the program run; -1: not known */
	uint32_t unit, core, type;
	uint32_t in_run, in_all; /* which one of its unit on this core */
};

struct co_match {
	const struct co_state *s;
	const struct na_devices *d;
	struct co_found *f;
	struct na_triples units; /* run and network, name, module */
	uint32_t *row_of_unit;
	size_t cap_rows_of;
	struct na_triples row_keys;
	uint32_t *unit_of;   /* by op type; NA_NO_TRIPLE: filtered */
	uint32_t *module_of; /* by op type: of the found, or NA_UNKNOWN_U32 */
	struct counter {     /* by unit, of the core that is walked */
		uint32_t core, in_run, in_all;
		size_t span;
		int64_t open_ps;
		bool is_open;
	} * counters;
	struct co_piece *pieces;
	size_t n;
	struct na_triples devices_of; /* module: run and network, name, core */
	struct na_triples took_part;  /* row, core */
	uint64_t *parts;              /* executions of it */
	size_t cap_parts;
	struct na_triples last; /* row, core */
	uint64_t *lasts;
	size_t cap_lasts;
};

/* collectives_join.c: m->pieces into rows; who is missing.  False: no
 * memory. */
bool co_join(struct co_match *m);
bool co_find_missing(struct co_match *m);

#endif
