#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/stats/boot.h"

#define LAGS 1.75 /* times the third root of the number of units */

/* What each unit adds to the statistic's error: of a quantile, how many more
 * than p of its values lie at or below it; of the mean, what its values are
 * beyond it. */
static void influence(const struct na_boot *b, double p, double *u)
{
	double at = na_boot_quantile(b, p), below = 0, share;

	for (size_t i = 0; i < b->n_units; i++)
		u[i] = isnan(p) ? b->sums[i] - b->mean * b->all[i] : 0;
	if (isnan(p))
		return;
	for (size_t i = 0; i < b->n && b->x[i].value <= at; i++) {
		double w = b->weight ? b->weight[b->x[i].kind] : 1;

		u[b->x[i].unit] += w;
		below += w;
	}
	share = below / b->total;
	for (size_t i = 0; i < b->n_units; i++)
		u[i] -= share * b->all[i];
}

static double product(const double *u, size_t n, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < n; i++)
		sum += u[i] * u[i + lag];
	return sum;
}

double na_boot_serial(const struct na_boot *b, double p)
{
	double *u, own, all;
	size_t n = 0, lags;

	if (b->by_events || !b->n || !(b->total > 0))
		return 1;
	u = na_calloc(b->n_units + 1, sizeof(*u));
	if (!u)
		return NAN;
	influence(b, p, u);
	for (size_t i = 0; i < b->n_units; i++) {
		if (b->all[i] > 0)
			u[n++] = u[i];
	}
	own = all = product(u, n, 0);
	lags = (size_t)(LAGS * cbrt((double)n));
	for (size_t k = 1; k <= lags && k < n; k++)
		all += 2 * (1 - (double)k / (double)(lags + 1)) *
		       product(u, n, k);
	free(u);
	return own > 0 && all > own ? sqrt(all / own) : 1;
}
