/*
 * Robust location and spread of many small samples: medians and MADs.
 *
 * Type 7 quantiles everywhere, so the median of an even number is the mean
 * of the middle two.  MAD is the median absolute deviation; multiplied by
 * NA_MAD_SIGMA it estimates the standard deviation of normal data (Huber,
 * "Robust Statistics", 1981).  No values may be NaN.  n = 0 gives 0.
 */
#ifndef NETAN_STATS_TESTS_ROBUST_H
#define NETAN_STATS_TESTS_ROBUST_H

#include <stddef.h>
#include <stdint.h>

#define NA_MAD_SIGMA 1.4826

/* The k-th smallest, k < n; reorders x so that nothing before it is larger
 * and nothing behind it smaller.  O(n) on average (Hoare's FIND, with the
 * pivot of Floyd and Rivest's simpler kin: median of three). */
double na_select(double *x, size_t n, size_t k);

/* These reorder x.  O(n). */
double na_median(double *x, size_t n);
double na_quantile(double *x, size_t n, double p);
double na_mad(double *x, size_t n, double centre); /* overwrites x */

/* Ascending; tmp holds n values.  O(n), stable. */
void na_sort_f32(float *x, float *tmp, size_t n);

/* Of n ascending values.  O(1) and O(n). */
double na_quantile_f32(const float *x, size_t n, double p);
double na_mad_f32(const float *x, size_t n, double centre);

#endif
