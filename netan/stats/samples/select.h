/*
 * Quantiles of a member of records, where they lie: no copy of the data.
 */
#ifndef NETAN_STATS_SAMPLES_SELECT_H
#define NETAN_STATS_SAMPLES_SELECT_H

#include <stddef.h>

/*
 * The type 7 quantiles (see na_quantile_sorted) of the doubles at
 * first, first + stride bytes, ...
 *
 *   first [n]   finite, >= 0; borrowed
 *   p, q  [m]   asked, answered; each p in [0, 1]
 *   tmp   [2k]  scratch; more than k values are not sorted but counted
 *               through, six times for each p
 *
 * NaN for n = 0.  O(n m).
 */
void na_quantiles_of(const void *first, size_t stride, size_t n,
		     const double *p, double *q, size_t m, double *tmp,
		     size_t k);

#endif
