/*
 * Late transfers: counts of those that wait for a timer, by pair.
 *
 * A count is negative binomial around what the other pairs of the same
 * distance show; a fault multiplies the rate.  One episode counts once: the
 * first of a pair, step and collective, and the first of a chain of transfers
 * that overlap at a shared host.
 */
#ifndef NETAN_JUDGE_LATE_H
#define NETAN_JUDGE_LATE_H

#include "netan/judge/blocks.h"
#include "netan/judge/level.h"

struct na_j_late_pair {
	uint32_t near;	    /* rank of distance */
	double late, late0; /* episodes; late0: nothing taken out */
	double transfers;
	uint32_t from, to; /* its collectives */
};

struct na_j_late_coll { /* of a pair */
	uint32_t pair, coll;
	double late, transfers;
};

struct na_j_late {
	const struct na_j_session *s;
	const struct na_j_blocks *blocks;
	size_t n_near;
	struct na_j_late_pair *pairs; /* as the session's */
	struct na_j_late_coll *colls; /* by pair, collective */
	struct na_groups by_coll;     /* of colls */
	double spread;		      /* dispersion of hosts' rates */
	struct na_arena mem;
};

bool na_j_late_init(struct na_j_late *v, const struct na_j_session *s,
		    const struct na_j_blocks *blocks);
void na_j_late_fini(struct na_j_late *v);
void na_j_late_restore(struct na_j_late *v);

/* Gains of SRC, DST and HOST, [3 n_hosts]; of the pairs with most; of links. */
bool na_j_late_gains(const struct na_j_late *v, struct na_j_gain *hosts,
		     struct na_j_pair_gain *pairs, size_t *n_pairs,
		     struct na_j_gain *links);

#endif
