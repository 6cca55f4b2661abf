/*
 * What a transfer costs however few bytes it moves: the weighted median
 * latency of small records (docs/methods.md, "Sizes").
 */
#ifndef NETAN_STATS_TESTS_FIXED_COST_H
#define NETAN_STATS_TESTS_FIXED_COST_H

#include <stddef.h>
#include <stdint.h>

/* A record is small here up to this size; fewer records tell nothing. */
enum { NA_FIXED_BYTES = 8192, NA_FIXED_LEAST = 20 };

struct na_small_record {
	int64_t latency_ps;
	uint32_t pair; /* index into n_of_pair */
};

/*
 * The lowest latency at which the cumulative weight reaches half of the
 * whole.  A pair with c records counts as at most 50 of them, so that no
 * chatty pair defines what is normal: weight min(1, 50 / c).
 *
 *   x         [n]  any order, n < 2^32
 *   n_of_pair      records of each pair, of any size
 *
 * -1 for fewer than NA_FIXED_LEAST records.  O(n) a pass, one pass for each
 * ten bits of the range of the latencies; order does not matter.
 */
int64_t na_fixed_cost(const struct na_small_record *x, size_t n,
		      const uint64_t *n_of_pair);

#endif
