/* Quantiles of a sample, and how far they can be trusted. */
#ifndef NETAN_STATS_SAMPLES_QUANTILE_H
#define NETAN_STATS_SAMPLES_QUANTILE_H

#include <stddef.h>

/*
 * Linear interpolation between order statistics: type 7 of Hyndman and Fan,
 * "Sample quantiles in statistical packages", 1996; the default of R and
 * NumPy.
 *
 *   x [n]  ascending, finite
 *   p      in [0, 1]
 *
 * NaN for n = 0.  O(1).
 */
double na_quantile_sorted(const double *x, size_t n, double p);

/*
 * The order statistics x(lower) and x(upper), counted from 1, between which
 * the p quantile of the population lies with probability `level` or more,
 * whatever the distribution: the shortest interval with
 * sum_{k=lower}^{upper-1} Binom(k; n, p) >= level, of equally short ones the
 * lowest (David and Nagaraja, Order Statistics, 2003, section 7.1).  The
 * events must be independent.
 *
 * lower = 0: no order statistic bounds it from below; upper = 0: none from
 * above.  n = 0 gives 0 and 0.  0 < p < 1, 0 < level < 1.  O(sqrt(n)).
 */
void na_quantile_ci(size_t n, double p, double level, size_t *lower,
		    size_t *upper);

#endif
