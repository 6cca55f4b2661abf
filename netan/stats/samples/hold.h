/*
 * How long a level was held: the time-weighted distribution of a step
 * function that takes whole values from 0 on (docs/methods.md, "Pending and
 * bursts").
 *
 * Times are integers and add up in any order: the distribution of a whole is
 * the merge of those of its parts, bit for bit.
 */
#ifndef NETAN_STATS_SAMPLES_HOLD_H
#define NETAN_STATS_SAMPLES_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: nothing was held yet.  Memory: 8 bytes for each level between
 * the lowest and the highest, twice that while it grows. */
struct na_hold {
	uint64_t *ps; /* [n]: time at level base + i */
	int64_t base;
	size_t n;
};

/* The level (>= 0) held for so long.  Both: false when memory is short. */
bool na_hold_add(struct na_hold *h, int64_t level, uint64_t ps);
bool na_hold_merge(struct na_hold *into, const struct na_hold *from);
void na_hold_fini(struct na_hold *h);

/*
 * Over the total time T, in levels:
 *   mean      sum of level * time / T
 *   variance  sum of (level - mean)^2 * time / T
 *   p50 ...   smallest level up to which the time adds up to p * T or more
 *   max       highest level held
 *   idle      share of T at level 0
 * False, and nothing written, where T is 0.  O(levels).
 */
struct na_hold_stats {
	double mean, variance, idle;
	int64_t p50, p90, p99, max;
};
bool na_hold_read(const struct na_hold *h, struct na_hold_stats *out);

/* Time at the levels [from, to); time in all. */
uint64_t na_hold_between(const struct na_hold *h, int64_t from, int64_t to);
uint64_t na_hold_total(const struct na_hold *h);

#endif
