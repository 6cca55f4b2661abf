#include "netan/judge/grid.h"

#include <math.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

const double na_j_link_shares[NA_J_SHARES] = {.1, .2, .35, .5, .75, 1};

static const double freedoms[] = {1.5, 2, 3, 4, 6, 10, 30};
enum { FREEDOMS = sizeof(freedoms) / sizeof(freedoms[0]) };

static const double log_none = -690.77552789821368; /* 1e-300 */

static void prior_init(const struct na_j_grid *g, double least,
		       struct na_j_prior *p)
{
	double sum = 0;

	p->from = NA_BOUND(i, 0, NA_J_GRID, g->at[i] >= least);
	p->to = NA_BOUND(i, 0, NA_J_GRID, g->at[i] > NA_J_EFFECT_MAX);
	for (size_t i = p->from; i < p->to; i++)
		sum += g->width[i];
	for (size_t i = 0; i < NA_J_GRID; i++)
		p->log_p[i] = i < p->from || i >= p->to
				      ? log_none
				      : log(g->width[i] / sum);
}

void na_j_grid_init(struct na_j_grid *g)
{
	size_t n = 0;

	for (size_t i = 0; i < 38; i++)
		g->at[n++] = -1 + .04 * (double)i;
	for (size_t i = 0; i < 15; i++)
		g->at[n++] = .5 + .07 * (double)i;
	for (size_t i = 0; i < 18; i++)
		g->at[n++] = 1.5 + .12 * (double)i;
	for (size_t i = 0; i < n; i++) {
		size_t low = i ? i - 1 : 0, high = i + 1 < n ? i + 1 : i;

		g->width[i] = (g->at[high] - g->at[low]) / (double)(high - low);
		g->log_width[i] = log(g->width[i]);
	}
	prior_init(g, NA_J_EFFECT_MIN, &g->fault);
	prior_init(g, NA_J_EFFECT_HIGH, &g->high);
}

size_t na_j_largest(const double *x, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (x[i] > x[best])
			best = i;
	return best;
}

double na_j_lse(const double *x, size_t n)
{
	double most = x[na_j_largest(x, n)], sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += exp(x[i] - most);
	return log(sum) + most;
}

double na_j_lse_sum(const double *a, const double *b, size_t n)
{
	double x[NA_J_GRID] = {0};

	for (size_t i = 0; i < n; i++)
		x[i] = a[i] + b[i];
	return na_j_lse(x, n);
}

static double t_constant(double nu)
{
	return lgamma((nu + 1) / 2) - lgamma(nu / 2) - .5 * log(nu * M_PI);
}

double na_j_t_log(double z, double nu)
{
	return t_constant(nu) - (nu + 1) / 2 * log1p(z * z / nu);
}

/* Relative density of the t at x / tau. */
static double t_shape(double x, double tau, double nu)
{
	double z = x / tau;

	return exp(-(nu + 1) / 2 * log1p(z * z / nu));
}

void na_j_null(const struct na_j_grid *g, double tau, double nu, double *out)
{
	double sum = 0;

	for (size_t i = 0; i < NA_J_GRID; i++)
		sum += out[i] = t_shape(g->at[i], tau, nu) * g->width[i];
	for (size_t i = 0; i < NA_J_GRID; i++)
		out[i] = log(fmax(out[i] / sum, 1e-300));
}

void na_j_kernel_init(const struct na_j_grid *g, double tau, double nu,
		      na_j_kernel k)
{
	for (size_t to = 0; to < NA_J_GRID; to++) {
		double sum = 0;

		for (size_t i = 0; i < NA_J_GRID; i++) {
			k[i][to] = t_shape(g->at[i] - g->at[to], tau, nu) *
				   g->width[i];
			sum += k[i][to];
		}
		for (size_t i = 0; i < NA_J_GRID; i++)
			k[i][to] /= fmax(sum, 1e-300);
	}
}

void na_j_smear(const na_j_kernel k, double *ll)
{
	/* Beyond this a shift adds nothing: the kernel's tails are heavy. */
	enum { FAR_BELOW = 60 };
	double most = ll[na_j_largest(ll, NA_J_GRID)], sum[NA_J_GRID] = {0};

	for (size_t i = 0; i < NA_J_GRID; i++) {
		double p;

		if (ll[i] < most - FAR_BELOW)
			continue;
		p = exp(ll[i] - most);
		for (size_t to = 0; to < NA_J_GRID; to++)
			sum[to] += p * k[i][to];
	}
	for (size_t i = 0; i < NA_J_GRID; i++)
		ll[i] = log(fmax(sum[i], 1e-290)) + most;
}

void na_j_sum_start(struct na_j_sum *s, double nu)
{
	s->nu = nu;
	s->waiting = 0;
	for (size_t i = 0; i < NA_J_GRID; i++) {
		s->product[i] = 1;
		s->log[i] = 0;
	}
}

static void flush(struct na_j_sum *s)
{
	double power = -(s->nu + 1) / 2;

	for (size_t i = 0; s->waiting && i < NA_J_GRID; i++) {
		s->log[i] += power * log(s->product[i]);
		s->product[i] = 1;
	}
	s->waiting = 0;
}

void na_j_sum_add(struct na_j_sum *s, const struct na_j_grid *g, double x,
		  double scale)
{
	double by = 1 / (scale * scale * s->nu);

	for (size_t i = 0; i < NA_J_GRID; i++) {
		double d = x - g->at[i];

		s->product[i] *= 1 + d * d * by;
	}
	if (++s->waiting == NA_J_BATCH)
		flush(s);
}

const double *na_j_sum_end(struct na_j_sum *s)
{
	flush(s);
	return s->log;
}

double na_j_grid_quantile(const struct na_j_grid *g, size_t from, size_t n,
			  const double *ll, double p)
{
	double all = na_j_lse(ll, n), below = 0;

	for (size_t i = 0; i < n; i++) {
		double mass = exp(ll[i] - all), at = g->at[from + i],
		       edge = at + g->width[from + i] / 2;

		if (below + mass >= p || i + 1 == n) {
			double low = i ? g->at[from + i - 1] +
						 g->width[from + i - 1] / 2
				       : edge;

			if (below + mass <= p)
				return edge;
			return low + (edge - low) * (p - below) / mass;
		}
		below += mass;
	}
	return 0;
}

/* Sum of log(1 + x x / (scale scale nu)). */
static double log_sum(const double *x, size_t n, double scale, double nu)
{
	double by = 1 / (scale * scale * nu), product = 1, sum = 0;

	for (size_t i = 0; i < n; i++) {
		product *= 1 + x[i] * x[i] * by;
		if (product > 1e150) {
			sum += log(product);
			product = 1;
		}
	}
	return sum + log(product);
}

/* n values x <= cut of t with this scale, truncated there. */
static double truncated(const double *x, size_t n, double cut, double scale,
			double nu)
{
	return (double)n * (t_constant(nu) - log(scale) -
			    log(na_t_within(cut / scale, nu) + 1e-12)) -
	       (nu + 1) / 2 * log_sum(x, n, scale, nu);
}

static double best_freedom(const double *x, size_t n, double cut, double scale)
{
	static const double times[] = {.9, 1, 1.1};
	double best = 0, most = -INFINITY;

	for (size_t i = 0; i < FREEDOMS; i++)
		for (size_t k = 0; k < 3; k++) {
			double ll = truncated(x, n, cut, scale * times[k],
					      freedoms[i]) -
				    3 / freedoms[i];

			if (ll > most) {
				most = ll;
				best = freedoms[i];
			}
		}
	return best;
}

double na_j_tail(double *z, size_t n)
{
	double centre = na_median(z, n), cut, scale, nu;
	size_t keep = 0, trim = (size_t)(NA_J_TAIL_TRIM * (double)n);

	if (n < 12)
		return fmin(fmax((double)n - 1, 2), NA_J_NU_MAX);
	for (size_t i = 0; i < n; i++)
		z[i] = fabs(z[i] - centre);
	scale = fmax(na_median(z, n) / .6745, 1);
	cut = na_select(z, n, n - 1 - (trim > 2 ? trim : 2));
	for (size_t i = 0; i < n; i++)
		if (z[i] <= cut) {
			double t = z[keep];

			z[keep++] = z[i];
			z[i] = t;
		}
	nu = best_freedom(z, keep, cut, scale);
	return fmin(fmin(NA_J_NU_MAX, (double)n - 1), nu);
}
