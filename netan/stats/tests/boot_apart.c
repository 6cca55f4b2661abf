#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/stats/tests/boot.h"

/* Of each unit that holds anything; returns how many do. */
static size_t by_unit(const struct na_boot *b, double at, double *out)
{
	size_t n = 0;

	for (size_t u = 0; u < b->n_units; u++)
		out[u] = isnan(at) ? b->sums[u] : b->all[u];
	for (size_t i = 0; i < b->n && b->x[i].value <= at; i++)
		out[b->x[i].unit] -= b->weight ? b->weight[b->x[i].kind] : 1;
	for (size_t u = 0; u < b->n_units; u++) {
		if (b->all[u] > 0)
			out[n++] = out[u] / b->all[u];
	}
	return n;
}

double na_boot_apart(const struct na_boot *a, const struct na_boot *b,
		     double at)
{
	double *x, *y, wins = NAN;
	size_t n, m;

	if (a->by_events || b->by_events || !a->n || !b->n)
		return NAN;
	x = na_calloc(a->n_units + 1, sizeof(*x));
	y = na_calloc(b->n_units + 1, sizeof(*y));
	if (x && y) {
		wins = 0;
		n = by_unit(a, at, x);
		m = by_unit(b, at, y);
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < m; k++)
				wins += y[k] > x[i] ? 1 : y[k] < x[i] ? 0 : 0.5;
		}
		wins /= (double)n * (double)m;
	}
	free(x);
	free(y);
	return wins;
}
