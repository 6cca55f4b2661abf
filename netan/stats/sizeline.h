/*
 * What a transfer of a given size should take: a fixed cost plus bytes over
 * a bandwidth, robust against tails and against what one chatty pair does
 * (algorithms.md, section 1.1, steps 1 and 2, for one class of paths).
 */
#ifndef NETAN_STATS_SIZELINE_H
#define NETAN_STATS_SIZELINE_H

#include <stddef.h>

struct na_sized {
	double bytes, latency_us; /* finite, >= 0 */
	double weight;            /* > 0: min(1, 50 / n of its pair) */
};

struct na_sizeline {
	double fixed_us;    /* a */
	double us_per_byte; /* b; bandwidth in Gbit/s is 0.008 / b */
};

/*
 * a: weighted median latency of the small ones (<= 8 KiB); b: weighted
 * median of max(latency - a, 0) / bytes over the large ones (>= 128 KiB).
 * With fewer than 20 small (large) ones all sizes up to (from) the 30 %
 * (70 %) quantile of the sizes count instead.  n = 0: both 0.
 *
 * The weighted median is the smallest value at which the summed weights
 * reach half of all.  Reorders x; the same line for any order of x.
 * O(n log n).
 */
void na_sizeline_fit(struct na_sized *x, size_t n, struct na_sizeline *line);

/* What to expect, in us; at least 1. */
double na_sizeline_at(const struct na_sizeline *line, double bytes);

#endif
