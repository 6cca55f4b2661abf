#include "netan/stats/tests/fixed_cost.h"

#include <stdbool.h>
#include <string.h>

enum { CHATTY = 50, DIGIT = 10, WEIGHT_BITS = 24 };

/* In 2^-24: the sum of 2^32 of them fits. */
static uint64_t weight(uint64_t n)
{
	return n <= CHATTY ? UINT64_C(1) << WEIGHT_BITS
			   : ((uint64_t)CHATTY << WEIGHT_BITS) / n;
}

/* How far a - b must be shifted to become one digit. */
static unsigned shift_of(int64_t lo, int64_t hi)
{
	uint64_t range = (uint64_t)hi - (uint64_t)lo;
	unsigned shift = 0;

	while (range >> shift >> DIGIT)
		shift++;
	return shift;
}

int64_t na_fixed_cost(const struct na_small_record *x, size_t n,
		      const uint64_t *n_of_pair)
{
	uint64_t cells[1 << DIGIT], all = 0, below = 0;
	int64_t lo, hi;

	if (n < NA_FIXED_LEAST)
		return -1;
	lo = hi = x[0].latency_ps;
	for (size_t i = 0; i < n; i++) {
		lo = x[i].latency_ps < lo ? x[i].latency_ps : lo;
		hi = x[i].latency_ps > hi ? x[i].latency_ps : hi;
		all += weight(n_of_pair[x[i].pair]);
	}
	while (lo < hi) {
		unsigned shift = shift_of(lo, hi);
		size_t k = 0;

		memset(cells, 0, sizeof(cells));
		for (size_t i = 0; i < n; i++) {
			int64_t v = x[i].latency_ps;

			if (v >= lo && v <= hi)
				cells[((uint64_t)v - (uint64_t)lo) >> shift] +=
					weight(n_of_pair[x[i].pair]);
		}
		while (2 * (below + cells[k]) < all)
			below += cells[k++];
		lo += (int64_t)((uint64_t)k << shift);
		if (((uint64_t)hi - (uint64_t)lo) >> shift)
			hi = lo + (int64_t)((UINT64_C(1) << shift) - 1);
	}
	return lo;
}
