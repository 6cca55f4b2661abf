#include "plot/thin.h"

#include <math.h>

static struct na_column_range thin_column(const double *bins, size_t n,
					  double from, double to)
{
	struct na_column_range r = {NAN, NAN, NAN};
	double weights = 0;
	size_t k, last;

	if (to <= 0 || from >= (double)n)
		return r;
	k = from <= 0 ? 0 : (size_t)from;
	last = to >= (double)n ? n : (size_t)ceil(to);
	for (; k < last; k++) {
		double x = bins[k], w;

		if (!isfinite(x))
			continue;
		w = fmin(to, (double)k + 1) - fmax(from, (double)k);
		if (w <= 0)
			continue;
		if (weights == 0) {
			r = (struct na_column_range){x, x, x};
			weights = w;
			continue;
		}
		r.min = fmin(r.min, x);
		r.max = fmax(r.max, x);
		/* A running mean: a plain sum of huge values overflows. */
		weights += w;
		r.mean += x * (w / weights) - r.mean * (w / weights);
	}
	/* Rounding must not push the line out of its own band. */
	if (weights > 0)
		r.mean = fmin(fmax(r.mean, r.min), r.max);
	return r;
}

void na_thin(const double *bins, size_t n, double from, double to,
	     struct na_column_range *out, size_t m)
{
	double begin = from;

	for (size_t i = 0; i < m; i++) {
		/* The end of a column is, to the bit, the start of the next:
		 * no bin falls between two of them. */
		double end = i + 1 == m
				     ? to
				     : from + (to - from) * ((double)(i + 1) /
							     (double)m);

		out[i] = thin_column(bins, n, begin, end);
		begin = end;
	}
}
