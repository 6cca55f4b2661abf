/*
 * Intervals spread over bins of equal width, exactly: the amounts that land
 * in the bins add up to what was put in, whatever the bins, and the sums
 * are integers, so that the order of adding does not matter.
 *
 * Bin k covers [k * bin_ps, (k + 1) * bin_ps).  An interval of no length
 * lands whole in the bin of its instant.
 *
 * Cost: O(1) for each interval, whatever the number of bins it covers
 * (what a whole bin gets goes to a difference array).
 */
#ifndef NETAN_STATS_TIME_SPREAD_H
#define NETAN_STATS_TIME_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/serialize.h"
#include "netan/base/units.h"

/* Fractions of a byte that an interval leaves in a bin are kept in units
 * of 2^-20 byte; what rounding leaves goes to the interval's last bin. */
#define NA_SPREAD_SHIFT 20

struct na_bins {
	int64_t bin_ps, first; /* width, > 0; index of bin 0 here */
	size_t n;
};

/* The bins that cover [from_ps, to_ps]; `to` on a border opens a bin only
 * when it is also `from`, or closed is set (an instant stands there). */
struct na_bins na_bins_over(int64_t from_ps, int64_t to_ps, bool closed,
			    int64_t bin_ps);
/* 1, 2 or 5 times a power of ten, so that about `want` bins cover it. */
int64_t na_bins_choose(int64_t duration_ps, size_t want);
/* Whether they cover all of it. */
bool na_bins_hold(const struct na_bins *b, int64_t from_ps, int64_t to_ps);
double na_bins_start_s(const struct na_bins *b, size_t k);

struct na_spread {
	na_i128 *edge, *step; /* [n] and [n + 1] */
};

bool na_spread_init(struct na_spread *s, const struct na_bins *b);
void na_spread_fini(struct na_spread *s);
void na_spread_merge(struct na_spread *into, const struct na_spread *from,
		     const struct na_bins *b);

/* For another process, and there into an empty one of the same bins. */
void na_spread_pack(const struct na_spread *s, const struct na_bins *b,
		    struct na_serializer *to);
void na_spread_unpack(struct na_spread *s, const struct na_bins *b,
		      struct na_deserializer *from);

/* The part of `bytes`, moved evenly over [start_ps, end_ps], that lies in
 * [lo_ps, hi_ps], which it overlaps or touches; in 2^-20 bytes. */
na_i128 na_spread_clipped(int64_t start_ps, int64_t end_ps, uint64_t bytes,
			  int64_t lo_ps, int64_t hi_ps);

/*
 * `bytes` evenly over [start_ps, end_ps], clipped in proportion to
 * [lo_ps, hi_ps].  Everything lies inside the bins.
 * Returns what was put in, in 2^-20 bytes.
 */
na_i128 na_spread_bytes(struct na_spread *s, const struct na_bins *b,
			int64_t start_ps, int64_t end_ps, uint64_t bytes,
			int64_t lo_ps, int64_t hi_ps);

/* A level of `weight` during [start_ps, end_ps): amounts are weight * ps. */
void na_spread_level(struct na_spread *s, const struct na_bins *b,
		     int64_t start_ps, int64_t end_ps, uint64_t weight);

/* Amounts of all bins, as doubles, times `scale`. */
void na_spread_read(const struct na_spread *s, const struct na_bins *b,
		    double scale, double *out);

#endif
