/*
 * The difference of two means, each told by batches of values that are alike
 * within and independent between (batch means: Law and Kelton, Simulation
 * Modeling and Analysis, section 9.5).
 */
#ifndef NETAN_STATS_TIME_BATCHES_H
#define NETAN_STATS_TIME_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct na_batch {
	double sum; /* of its values */
	uint64_t n; /* 0: passed over */
};

/*
 * Mean of b's batch means less that of a's, with Welch's 95 % interval
 * (Biometrika 34, 1947) and two-sided p value.  False: fewer than two batches
 * on a side.  Where no batch differs from another, the interval is the
 * difference and p is 0, or 1 where that is 0.
 */
struct na_batch_diff {
	double diff, ci[2], p;
};
bool na_batches_compare(const struct na_batch *a, size_t na,
			const struct na_batch *b, size_t nb,
			struct na_batch_diff *out);

#endif
