#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"
#include "netan/stats/tests/boot.h"

#define Z95 1.959963984540054 /* normal quantile of 0.975 */

bool na_boot_span(struct na_boot_span *s, double at, double *x, size_t n,
		  size_t units, double freedom)
{
	double wider = units > 1 ? sqrt((double)units / (double)(units - 1))
				 : 1;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (isfinite(x[i]))
			x[kept++] = x[i];
	}
	if (!isfinite(at) || kept * 2 < n || !kept)
		return false;
	na_sort(x, kept, na_order_f64);
	s->at = at;
	s->freedom = freedom;
	s->down = fmax(0, at - na_quantile_sorted(x, kept, 0.025)) * wider;
	s->up = fmax(0, na_quantile_sorted(x, kept, 0.975) - at) * wider;
	return true;
}

double na_boot_p(const struct na_boot_span *s, double null)
{
	double off = s->at - null, side = off > 0 ? s->down : s->up, z;

	if (off > 0 || off < 0) {
		if (!(side > 0))
			return 0;
		z = fabs(off) / side * Z95;
		return s->freedom > 0 ? 2 * gsl_cdf_tdist_Q(z, s->freedom)
				      : 2 * gsl_cdf_ugaussian_Q(z);
	}
	return 1;
}

void na_boot_interval(const struct na_boot_span *s, double alpha, double out[2])
{
	double t = s->freedom > 0 ? gsl_cdf_tdist_Qinv(alpha / 2, s->freedom)
				  : gsl_cdf_ugaussian_Qinv(alpha / 2);

	out[0] = s->at - s->down * t / Z95;
	out[1] = s->at + s->up * t / Z95;
}

struct ranked {
	double p;
	size_t at;
};

NA_ORDER(by_p, struct ranked, NA_UP(p), NA_UP(at))

bool na_holm(const double *p, size_t n, double level, double *alpha,
	     bool *rejected)
{
	struct ranked *r = na_calloc(n + 1, sizeof(*r));
	double each = level;
	bool down = true;
	size_t m = 0;

	if (!r)
		return false;
	for (size_t i = 0; i < n; i++) {
		alpha[i] = level;
		rejected[i] = false;
		if (!isnan(p[i]))
			r[m++] = (struct ranked){p[i], i};
	}
	na_sort(r, m, by_p);
	for (size_t i = 0; i < m; i++) {
		if (down)
			each = level / (double)(m - i);
		down = down && r[i].p < each;
		alpha[r[i].at] = each;
		rejected[r[i].at] = down;
	}
	free(r);
	return true;
}

/* P(K > x) of Kolmogorov's distribution. */
static double kolmogorov_upper(double x)
{
	double sum = 0, sign = 1;

	if (x < 0.3)
		return 1;
	for (int k = 1; k <= 100; k++, sign = -sign) {
		double term = exp(-2.0 * k * k * x * x);

		sum += sign * term;
		if (term < 1e-16)
			break;
	}
	return fmin(1, fmax(0, 2 * sum));
}

/* Standard deviation of the two-sample statistic: Scholz and Stephens, (5).
 * h and g are sums over n; g in O(n) by the harmonic numbers. */
static double ad_sigma(double na, double nb)
{
	double n = na + nb, big_h = 1 / na + 1 / nb, h = 0, g = 0, inner = 0;
	double a, b, c, d;

	for (double i = 1; i < n; i++)
		h += 1 / i;
	/* g = sum_{i=1}^{n-2} 1 / (n - i) * sum_{j=i+1}^{n-1} 1 / j */
	for (double i = n - 2; i >= 1; i--) {
		inner += 1 / (i + 1);
		g += inner / (n - i);
	}
	a = (4 * g - 6) + (10 - 6 * g) * big_h;
	b = (2 * g - 4) * 4 + 8 * h * 2 + (2 * g - 14 * h - 4) * big_h - 8 * h +
	    4 * g - 6;
	c = (6 * h + 2 * g - 2) * 4 + (4 * h - 4 * g + 6) * 2 +
	    (2 * h - 6) * big_h + 4 * h;
	d = (2 * h + 6) * 4 - 4 * h * 2;
	return sqrt((a * n * n * n + b * n * n + c * n + d) /
		    ((n - 1) * (n - 2) * (n - 3)));
}

/* Quadratic through the log of the tabled levels, as Scholz and Stephens
 * suggest: critical values for k - 1 = 1. */
static double ad_p(double t)
{
	static const double b0[] = {0.675, 1.281, 1.645, 1.96,
				    2.326, 2.573, 3.085};
	static const double b1[] = {-0.245, 0.25,  0.678, 1.149,
				    1.822,  2.364, 3.615};
	static const double b2[] = {-0.105, -0.305, -0.362, -0.391,
				    -0.396, -0.345, -0.154};
	static const double level[] = {0.25, 0.1,   0.05, 0.025,
				       0.01, 0.005, 0.001};
	double x[7];
	size_t k = 0;

	for (size_t i = 0; i < 7; i++)
		x[i] = b0[i] + b1[i] + b2[i];
	if (!(t > x[0]))
		return 0.25;
	if (t >= x[6])
		return 0.001;
	while (t > x[k + 1])
		k++;
	return exp(log(level[k]) + (t - x[k]) / (x[k + 1] - x[k]) *
					   (log(level[k + 1]) - log(level[k])));
}

void na_two_samples(const struct na_boot_item *a, size_t na,
		    const struct na_boot_item *b, size_t nb,
		    struct na_two_samples *out)
{
	double n = (double)na + (double)nb, seen_a = 0, seen = 0, sum = 0;
	double m = (double)na, k = (double)nb;
	size_t i = 0, j = 0, distinct = 0;

	*out = (struct na_two_samples){NAN, NAN, NAN, NAN};
	if (!na || !nb)
		return;
	out->ks_d = 0;
	while (i < na || j < nb) {
		double x = j == nb || (i < na && a[i].value <= b[j].value)
				   ? a[i].value
				   : b[j].value;
		double fa = 0, f = 0, off, mid, mid_a;

		for (; i < na && !(a[i].value > x); i++)
			fa++;
		f = fa;
		for (; j < nb && !(b[j].value > x); j++)
			f++;
		mid = seen + f / 2;
		mid_a = seen_a + fa / 2;
		off = n * mid_a - mid * m;
		if (mid * (n - mid) - n * f / 4 > 0)
			sum += f / n * off * off /
			       (mid * (n - mid) - n * f / 4);
		seen_a += fa;
		seen += f;
		out->ks_d = fmax(out->ks_d,
				 fabs(seen_a / m - (seen - seen_a) / k));
		distinct++;
	}
	out->ks_p = kolmogorov_upper(out->ks_d * sqrt(m * k / n));
	if (distinct < 2 || n < 8)
		return;
	/* Of two samples, the second one's terms are the first one's over
	 * its own size: sum (1 / m + 1 / k). */
	sum *= (n - 1) / n * (1 / m + 1 / k);
	out->ad_t = (sum - 1) / ad_sigma(m, k);
	out->ad_p = ad_p(out->ad_t);
}
