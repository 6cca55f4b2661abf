/* The period of a series, by its autocorrelation. */
#ifndef NETAN_STATS_TIME_PERIOD_H
#define NETAN_STATS_TIME_PERIOD_H

#include <stddef.h>

/*
 * r(k) = sum (x_i - m)(x_{i+k} - m) / sum (x_i - m)^2, m the mean (Box and
 * Jenkins, Time Series Analysis, chapter 2).  Fewer terms make the r of long
 * lags smaller: of lags that do as well the shorter one is preferred.
 *
 * The lag, from the first one at which r is not above 0 up to n / 3, that
 * repeats the series best: the shortest local maximum that reaches 0.8 of the
 * largest.  0 when that is below 0.3, or all values are equal.
 *
 *   x [n]  finite, at equal distances
 *
 * O(n^2): meant for the bins of a picture.
 */
size_t na_period(const double *x, size_t n);

#endif
