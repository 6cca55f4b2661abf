#include "netan/stats/tests/tests.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"

double na_normal_upper(double z)
{
	return gsl_cdf_ugaussian_Q(z);
}

double na_t_within(double x, double nu)
{
	return 2 * gsl_cdf_tdist_P(x, nu) - 1;
}

/* GSL's upper tails of counts are strict. */
static unsigned before(uint64_t k)
{
	return k - 1 > UINT32_MAX ? UINT32_MAX : (unsigned)(k - 1);
}

double na_poisson_upper(uint64_t k, double mean)
{
	if (!k)
		return 1;
	return mean > 0 ? gsl_cdf_poisson_Q(before(k), mean) : 0;
}

double na_binomial_upper(uint64_t k, uint64_t n, double p)
{
	if (!k)
		return 1;
	if (k > n || p <= 0)
		return 0;
	if (p >= 1)
		return 1;
	gsl_set_error_handler_off();
	return gsl_cdf_beta_P(p, (double)k, (double)(n - k) + 1);
}

double na_ln_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* From k on each term is smaller than the one before it. */
double na_fisher_upper(uint64_t k, uint64_t drawn, uint64_t marked,
		       uint64_t all)
{
	double x = (double)k, n = (double)drawn, m = (double)marked;
	double rest = (double)all - m - n, term, sum = 0;

	if (!all || x * (double)all <= n * m)
		return 1;
	if (k > drawn || k > marked || drawn > all || marked > all)
		return 0;
	term = exp(na_ln_choose(m, x) + na_ln_choose((double)all - m, n - x) -
		   na_ln_choose((double)all, n));
	for (; term > sum * 1e-17 && x <= n && x <= m; x++) {
		sum += term;
		term *= (m - x) * (n - x) / ((x + 1) * (rest + x + 1));
	}
	return fmin(1, sum);
}

double na_count_llr(double n, double mean)
{
	return n > mean ? n * log(n / mean) - (n - mean) : 0;
}

double na_share_llr(double k, double n, double p)
{
	double share = k / n, llr = k * log(share / p);

	return k < n ? llr + (n - k) * log((1 - share) / (1 - p)) : llr;
}

struct ranked {
	double p;
	size_t at;
};

NA_ORDER(by_p, struct ranked, NA_UP(p))

bool na_bh(const double *p, double *q, size_t n)
{
	struct ranked *sorted = na_calloc(n, sizeof(*sorted));
	size_t m = 0;
	double least = 1;

	for (size_t i = 0; sorted && i < n; i++) {
		q[i] = p[i];
		if (!isnan(p[i]))
			sorted[m++] = (struct ranked){p[i], i};
	}
	na_sort(sorted, m, by_p);
	for (size_t i = m; i-- > 0;) {
		double v = (double)m / (double)(i + 1) * sorted[i].p;

		least = v < least ? v : least;
		q[sorted[i].at] = least;
	}
	free(sorted);
	return sorted != NULL;
}

double na_side_p_value(uint64_t k, uint64_t n, uint64_t all_k, uint64_t all_n,
		       size_t hosts)
{
	uint64_t rest = all_n - n;
	double rate;

	if (!rest || !n)
		return NAN;
	rate = fmax((double)(all_k - k), 0.5) / (double)rest;
	if (rate >= 1 || k > n)
		return 1;
	return fmin(1, 2 * (double)hosts * na_binomial_upper(k, n, rate));
}
