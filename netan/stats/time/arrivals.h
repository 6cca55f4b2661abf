/*
 * Are arrivals bursty, random or regular?  One pass over instants in
 * ascending order; everything is summed in integers.
 *
 * Index of dispersion for counts (Gusella, IEEE JSAC 1991):
 *   IDC(w) = Var(N_w) / Mean(N_w) over consecutive windows of width w that
 *   tile the span from its first instant on; the last, partial window is
 *   dropped; sample variance (n - 1).  1 for a Poisson stream.
 * Burstiness (Goh and Barabasi, EPL 2008) with r = sd / mean of the gaps (sd
 * with / n): B = (r - 1) / (r + 1); and for n gaps (Kim and Jo, Phys. Rev. E
 * 94, 2016):
 *   B_n = (sqrt(n + 1) r - sqrt(n - 1)) / ((sqrt(n + 1) - 2) r + sqrt(n - 1))
 *   -1 regular, 0 random, 1 bursty.
 * Memory: the Pearson correlation of successive gaps.
 */
#ifndef NETAN_STATS_TIME_ARRIVALS_H
#define NETAN_STATS_TIME_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/units.h"

enum { NA_WINDOWS = 4 };
extern const int64_t na_windows_ms[NA_WINDOWS]; /* 1, 10, 100, 1000 */

__extension__ typedef unsigned __int128 na_u128;

struct na_arrivals {
	int64_t first_ps;        /* where the windows begin */
	int64_t start_ps, at_ps; /* the first arrival, the latest */
	uint64_t n;
	uint64_t gap, first_gap; /* the latest, the first */
	na_u128 squares, products;
	struct na_window {
		uint64_t width, windows; /* that are whole */
		uint64_t index, count;   /* of the open one */
		uint64_t border;         /* its end; 0: none yet */
		/* The first one, once another has begun. */
		uint64_t first_index, first_count;
		bool closed;
		uint64_t total; /* of those between */
		na_u128 squares;
	} windows[NA_WINDOWS];
};

/* The windows tile [first_ps, last_ps). */
void na_arrivals_init(struct na_arrivals *a, int64_t first_ps, int64_t last_ps);
/* `count` > 0 arrivals at one instant, later than those before. */
void na_arrivals_add(struct na_arrivals *a, int64_t at_ps, int64_t count);

/* Those of a later part of the same span, begun with the same init. */
void na_arrivals_join(struct na_arrivals *a, const struct na_arrivals *next);

/* NaN where it is not defined: burstiness of fewer than 3 arrivals, or where
 * all gaps are 0; memory of fewer than 4 gaps, or where they are all equal;
 * an index of fewer than 10 windows, or without an arrival in them. */
struct na_arrival_stats {
	double idc[NA_WINDOWS];
	uint64_t windows[NA_WINDOWS];
	double burstiness, burstiness_plain, memory;
};
void na_arrivals_read(const struct na_arrivals *a,
		      struct na_arrival_stats *out);

#endif
