#include "netan/stats/tests/tail.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdbool.h>

double na_hill(const double *x, size_t n, double share)
{
	size_t k = (size_t)(share * (double)n);
	double sum = 0;

	if (n < 50 || !k || k >= n || !(x[n - k - 1] > 0))
		return NAN;
	for (size_t i = n - k; i < n; i++)
		sum += log(x[i] / x[n - k - 1]);
	return sum > 0 ? (double)k / sum : NAN;
}

/* Where P(Beta(a, b) <= p), or with `upper` P(> p), is `tail`, between lo
 * and hi, by bisection: gsl_cdf_beta_Pinv and Qinv fail for some rare
 * events among millions. */
static double beta_at(double a, double b, double tail, bool upper, double lo,
		      double hi)
{
	double p = lo + (hi - lo) / 2;

	while (p > lo && p < hi) {
		double at = upper ? gsl_cdf_beta_Q(p, a, b)
				  : gsl_cdf_beta_P(p, a, b);

		if ((at < tail) == upper)
			hi = p;
		else
			lo = p;
		p = lo + (hi - lo) / 2;
	}
	return p;
}

void na_share_ci(uint64_t k, uint64_t n, double level, double out[2])
{
	double tail = (1 - level) / 2, hits = (double)k, rest = (double)(n - k);
	double share = n ? hits / (double)n : NAN;

	out[0] = out[1] = share;
	if (!n)
		return;
	gsl_set_error_handler_off();
	if (k)
		out[0] = beta_at(hits, rest + 1, tail, false, 0, share);
	if (k < n)
		out[1] = beta_at(hits + 1, rest, tail, true, share, 1);
	/* Both ends have closed forms. */
	if (!k)
		out[1] = -expm1(log(tail) / (double)n);
	if (k == n)
		out[0] = exp(log(tail) / (double)n);
}

/* Neighbouring bins together until this many events are to be expected. */
#define LEAST 2.0

double na_dispersion(const uint64_t *events, const uint64_t *exposure, size_t n,
		     double *sigmas)
{
	double k = 0, all = 0, sum = 0, inverse = 0, got = 0, want = 0;
	size_t cells = 0;

	*sigmas = NAN;
	for (size_t i = 0; i < n; i++) {
		k += (double)events[i];
		all += (double)exposure[i];
	}
	if (k < 10 * LEAST || all <= 0)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		got += (double)events[i];
		want += k / all * (double)exposure[i];
		if (want < LEAST)
			continue;
		sum += (got - want) * (got - want) / want;
		inverse += 1 / want;
		cells++;
		got = want = 0;
	}
	if (cells < 10)
		return NAN;
	sum /= (double)(cells - 1);
	/* A Poisson cell's (k - m)^2 / m has the variance 2 + 1 / m. */
	*sigmas = (sum - 1) * (double)(cells - 1) /
		  sqrt(2 * (double)cells + inverse);
	return sum;
}
