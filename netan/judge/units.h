/*
 * Who stands out of units that do the same at the same time: hosts in steps,
 * servers in minutes, queue pairs in batches.
 *
 * An observation is a value of a unit in a replicate (a step, an execution):
 *
 *	value = replicate + unit + noise
 *
 * The replicate's effect is the median unit's value, so that what slows all
 * of them says nothing.  How far healthy units are apart, and with how heavy
 * tails, all but the outermost eighth of them tell (empirical null: Efron,
 * JASA 99, 2004); a unit's noise is told by blocks of replicates as clusters.
 * Two hypotheses of a unit compete with none: it is slower by one amount
 * always (level), or in a share of the replicates (spell).  The amount is
 * integrated out over a log-uniform prior (Bayes factors: Kass and Raftery,
 * JASA 90, 1995).  What other units show in the same way is taken off.  The
 * best unit is taken out and the rest judged again.
 *
 * Values are logarithms, or times; `least` is the smallest difference that is
 * a fault in their measure, and takes the place of log 1.15: effects reach
 * from there to 21 times as much, and larger ones count as these.
 */
#ifndef NETAN_JUDGE_UNITS_H
#define NETAN_JUDGE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

/* Several of one unit and replicate count as their median. */
struct na_units_row {
	uint32_t unit, replicate; /* replicates ascend in time */
	double value;             /* finite */
};

struct na_units_input {
	uint32_t n_units;
	size_t n_rows;
	const struct na_units_row *rows; /* in any order */
	double least;         /* above 0 */
	const double *unsure; /* by unit: error that all its values share
				 (clocks), in their measure; NULL: none */
};

struct na_units_result {  /* of a unit */
	double effect;    /* in the measure of values; of a spell in it */
	double upper;     /* 97.5 % credible bound of the level */
	double log_odds;  /* that it is at fault; -INFINITY: no rows */
	double posterior; /* of the same */
	uint32_t rival;  /* the best other one in its round; UINT32_MAX: none */
	uint32_t rounds; /* named in this one; 0: not named */
	bool spell;      /* in a share of the replicates */
};

/* out: [n_units].  False: no memory.  O(rows log rows), once more for each unit
 * that is named. */
bool na_units_judge(const struct na_units_input *in,
		    struct na_units_result *out) NA_MUST_CHECK;

/* So many replicates it takes to name one of n: the same one of equals is the
 * worst in all of k with a chance of 1 / n^(k - 1). */
size_t na_units_least_replicates(size_t n_units);

static inline bool na_units_named(const struct na_units_result *r)
{
	return r->rounds > 0;
}

#endif
