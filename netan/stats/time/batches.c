#include "netan/stats/time/batches.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

struct moments {
	double n, mean, variance; /* of the mean */
};

static struct moments moments_of(const struct na_batch *x, size_t n)
{
	struct moments m = {0, 0, 0};
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		double value, off;

		if (!x[i].n)
			continue;
		value = x[i].sum / (double)x[i].n;
		off = value - m.mean;
		m.n++;
		m.mean += off / m.n;
		squares += off * (value - m.mean);
	}
	if (m.n > 1)
		m.variance = squares / (m.n - 1) / m.n;
	return m;
}

bool na_batches_compare(const struct na_batch *a, size_t na,
			const struct na_batch *b, size_t nb,
			struct na_batch_diff *out)
{
	struct moments x = moments_of(a, na), y = moments_of(b, nb);
	double v = x.variance + y.variance, df, t;

	if (x.n < 2 || y.n < 2)
		return false;
	out->diff = y.mean - x.mean;
	out->ci[0] = out->ci[1] = out->diff;
	out->p = fabs(out->diff) > 0 ? 0 : 1;
	if (!(v > 0))
		return true;
	df = v * v /
	     (x.variance * x.variance / (x.n - 1) +
	      y.variance * y.variance / (y.n - 1));
	t = gsl_cdf_tdist_Qinv(0.025, df) * sqrt(v);
	out->ci[0] -= t;
	out->ci[1] += t;
	out->p = 2 * gsl_cdf_tdist_Q(fabs(out->diff) / sqrt(v), df);
	return true;
}
