/*
 * From the bins of a time series to the columns of a picture, so that no
 * peak is dropped and a gap stays a gap.
 */
#ifndef PLOT_THIN_H
#define PLOT_THIN_H

#include <stddef.h>

struct na_column_range {
	double min, mean, max; /* all NaN: nothing known here */
};

/*
 * Minimum, mean and maximum of each of `m` columns of equal width that
 * cover [from, to) on the axis on which bin k is [k, k + 1).
 *
 *   bins [n]   any unit; NaN and infinities are gaps; borrowed
 *   from, to   finite, from < to; may reach outside [0, n)
 *   out  [m]   min and max are over every bin that a column touches; mean
 *              weighs each bin by the part of it inside the column
 *
 * Bins may be wider or narrower than columns.  Each finite bin that meets
 * [from, to) lies between min and max of some column.  O(n + m).
 */
void na_thin(const double *bins, size_t n, double from, double to,
	     struct na_column_range *out, size_t m);

#endif
