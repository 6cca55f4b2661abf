/*
 * What ranks.c finds and ranks_result.c tells.
 */
#ifndef NETAN_ANALYSES_COLLECTIVES_RANKS_H
#define NETAN_ANALYSES_COLLECTIVES_RANKS_H

#include "netan/analyses/collectives/state.h"
#include "netan/base/str.h"

struct coll_rank_count { /* of a row and a rank */
	uint32_t row, rank;
	uint64_t last; /* instances in which it came last */
};

struct coll_ranks {
	struct na_ranks joined;
	struct na_triples keys;      /* of rows: run, kind, operation */
	struct na_triples part_keys; /* row, rank */
	NA_VEC(struct coll_rank_count) counts; /* of these; then by row, last */
	NA_VEC(struct coll_matched) rows;      /* until they are packed */
	struct coll_times times[COLL_N_DURATIONS]; /* of them */
	struct na_triples nobody_keys;         /* row, core: of no rank */
	uint32_t first_row;
};

/* ranks_result.c: what a group is called: its ranks, its name, "0->1"; NULL:
 * not told.  `x` NULL: any instance of it. */
const char *na_collectives_group(const struct coll_state *s,
				 const struct na_ranks *k, uint32_t group,
				 const struct na_rank_instance *x,
				 struct na_str *text);
const char *na_collectives_host(const struct coll_state *s,
				const struct na_ranks *k, uint32_t rank);

/* By its end, on the clock of all, and the step of its rank. */
bool na_collectives_in_window(const struct coll_state *s,
			      const struct na_comm *c, int64_t end_ps);
/* As its first rank. */
bool na_collectives_instance_in_window(const struct coll_state *s,
				       const struct na_ranks *k,
				       const struct na_rank_instance *x);

#endif
