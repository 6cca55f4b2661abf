#include "netan/stats/samples/quantile.h"

#include <gsl/gsl_randist.h>
#include <math.h>

double na_quantile_sorted(const double *x, size_t n, double p)
{
	double h, whole;
	size_t i;

	if (!n)
		return NAN;
	h = (double)(n - 1) * p;
	whole = floor(h);
	i = (size_t)whole;
	if (i + 1 >= n)
		return x[n - 1];
	return x[i] + (h - whole) * (x[i + 1] - x[i]);
}

#define ROUNDING 1e-12 /* of a sum of probabilities */

/* Binom(k; n, p) for one k after the other. */
struct mass {
	double n, odds, k, now;
};

static double take_mass(struct mass *m)
{
	double now = m->now;

	m->now = m->k < m->n ? now * (m->n - m->k) / (m->k + 1) * m->odds : 0;
	m->k++;
	return now;
}

void na_quantile_ci(size_t n, double p, double level, size_t *lower,
		    size_t *upper)
{
	double mean = (double)n * p, sd = sqrt(mean * (1 - p)), in = 0;
	double from = floor(fmax(mean - 9 * sd - 3, 0));
	double to = fmin(mean + 9 * sd + 3, (double)n);
	struct mass head, tail;
	size_t best = 0, length = 0;

	*lower = *upper = 0;
	if (!n)
		return;
	head = (struct mass){(double)n, p / (1 - p), from, 0};
	head.now = gsl_ran_binomial_pdf((unsigned)from, p, (unsigned)n);
	tail = head;
	/* [l, u) slides up: for each l the least u that holds enough. */
	for (;;) {
		size_t l = (size_t)tail.k;

		while (in < level - ROUNDING && head.k <= to)
			in += take_mass(&head);
		if (in < level - ROUNDING)
			break;
		if (!length || (size_t)head.k - l < length) {
			best = l;
			length = (size_t)head.k - l;
		}
		in -= take_mass(&tail);
	}
	*lower = best;
	*upper = best + length > n ? 0 : best + length;
}
