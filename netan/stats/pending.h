/*
 * How many intervals are open at once: half-open [start, end), an end at t
 * counts before a start at t, intervals of no length never count in the
 * level (algorithms.md, section 4).
 */
#ifndef NETAN_STATS_PENDING_H
#define NETAN_STATS_PENDING_H

#include "netan/stats/sort.h"
#include "netan/stats/spread.h"

/* Intervals as two ascending lists, which need not be in step. */
struct na_run {
	int64_t *starts, *ends;
	size_t n;
};

/*
 * Largest level inside each bin [from, to) of b, over all runs together;
 * out has b->n values.  Times outside the bins count for the bins they
 * reach into.  Shares of the bins can be done side by side.  False when
 * memory is short (about 100 bytes for each run).
 */
bool na_pending_max(const struct na_run *runs, size_t n_runs,
		    const struct na_bins *b, size_t from, size_t to,
		    double *out);

#endif
