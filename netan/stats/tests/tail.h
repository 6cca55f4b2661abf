/* Rare events: how rare, how heavy their tail, how even in time. */
#ifndef NETAN_STATS_TESTS_TAIL_H
#define NETAN_STATS_TESTS_TAIL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Tail index alpha of the largest floor(share * n) of x by Hill (Ann. Stat.
 * 3, 1975): k / sum log(x(n-i+1) / x(n-k)), i = 1 ... k.
 *
 *   x [n]  ascending, finite
 *
 * NaN for n < 50 or where the values leave nothing to estimate (all equal,
 * not positive).
 */
double na_hill(const double *x, size_t n, double share);

/* Clopper and Pearson's interval (Biometrika 26, 1934) for the probability
 * behind k of n, k <= n, at `level`; NaN for n = 0. */
void na_share_ci(uint64_t k, uint64_t n, double level, double out[2]);

/*
 * Are events clustered in time beyond what their exposure explains?
 * Pearson's dispersion: sum (k - m)^2 / m over cells, divided by cells - 1,
 * with m = all events * exposure / all exposure; 1 for events that come
 * independently.  A cell is as many neighbouring bins as make m at least 2;
 * what is left at the end is passed over.
 *
 *   events, exposure [n]  counts by bin
 *
 * *sigmas says by how many standard deviations it is above 1.  NaN both
 * with fewer than 10 cells.
 */
double na_dispersion(const uint64_t *events, const uint64_t *exposure, size_t n,
		     double *sigmas);

#endif
