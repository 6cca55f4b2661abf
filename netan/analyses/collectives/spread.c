/* collectives: durations by row, and their quantiles. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/collectives/state.h"
#include "netan/stats/tests/robust.h"

bool na_collectives_spread(struct coll_spread *out,
			   const struct coll_times *times, size_t n)
{
	size_t *at = na_calloc(n + 2, sizeof(*at));

	out->from = at;
	out->n = n;
	out->us = na_calloc(times->n + 1, sizeof(*out->us));
	if (!at || !out->us)
		return false;
	for (size_t i = 0; i < times->n; i++)
		at[times->v[i].of + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		at[i] += at[i - 1];
	/* The cursor of row i is at[i + 1], which ends as the row's end. */
	for (size_t i = 0; i < times->n; i++) {
		const struct coll_time *x = &times->v[i];

		out->us[at[x->of + 1]++] = na_us(x->time_ps);
	}
	return true;
}

double na_collectives_quantile(const struct coll_spread *x, size_t row,
			       double p)
{
	size_t n = row < x->n ? x->from[row + 1] - x->from[row] : 0;

	return n ? na_quantile(x->us + x->from[row], n, p) : NAN;
}

void na_collectives_spread_fini(struct coll_spread *x)
{
	free(x->us);
	free(x->from);
}
