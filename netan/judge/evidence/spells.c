/*
 * Of each side and step the median of its transfers, without what their pair
 * shows in that collective in the median; less the median side of that step,
 * and the side's median step.
 */
#include "netan/judge/evidence/spells.h"

#include <math.h>

#include "netan/judge/constants.h"
#include "netan/stats/tests/robust.h"

/* In fewer steps hosts that pause look the same. */
static const double slow_steps = 0.1;
/* 1.96 standard errors of a normal value's 90 % quantile, for one step. */
static const double quantile_error = 3.35;

/* Takes from x the median of its group. */
static bool take_median(double *x, const struct na_groups *g,
			struct na_arena *tmp)
{
	double *median = na_j_quantiles(g, x, .5, tmp);

	for (size_t i = 0; median && i < g->n; i++)
		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			x[g->row[k]] -= median[i];
	return median;
}

static bool of_side(const struct na_j_session *s, const double *x, int side,
		    double *most, struct na_arena *tmp)
{
	struct na_groups cells, steps, hosts;
	uint32_t *host, *step;
	double *e, *slow, *off;

	if (!na_j_group(&cells, NA_J_BY(s->host[side], s->step), NULL, s->n,
			tmp) ||
	    !(host = na_j_of_groups(&cells, s->host[side], tmp)) ||
	    !(step = na_j_of_groups(&cells, s->step, tmp)) ||
	    !(e = na_j_quantiles(&cells, x, .5, tmp)) ||
	    !na_j_group(&steps, NA_J_BY(step), NULL, cells.n, tmp) ||
	    !na_j_group(&hosts, NA_J_BY(host), NULL, cells.n, tmp) ||
	    !take_median(e, &steps, tmp) || !take_median(e, &hosts, tmp) ||
	    !(slow = na_j_quantiles(&hosts, e, 1 - slow_steps, tmp)))
		return false;
	for (size_t i = 0; i < cells.n; i++)
		e[i] = fabs(e[i]);
	if (!(off = na_j_quantiles(&hosts, e, .5, tmp)))
		return false;
	for (size_t i = 0; i < hosts.n; i++) {
		double n = (double)na_j_count(&hosts, i);

		if (n >= NA_J_MIN_SAMPLE)
			*most = fmax(*most, slow[i] + quantile_error *
							      NA_MAD_SIGMA *
							      off[i] / sqrt(n));
	}
	return true;
}

bool na_j_spells(const struct na_j_session *s, double *most)
{
	struct na_arena tmp = {0};
	double *x = NA_NEW(&tmp, double, s->n);
	struct na_groups g;
	bool ok = x;

	*most = 0;
	/* Without the load of ports, which a slow one lengthens itself. */
	for (size_t i = 0; ok && i < s->n; i++)
		x[i] = s->view[s->n_views - 1][i];
	ok = ok && na_j_group(&g, NA_J_BY(s->pair, s->coll), NULL, s->n, &tmp) &&
	     take_median(x, &g, &tmp) && of_side(s, x, 0, most, &tmp) &&
	     of_side(s, x, 1, most, &tmp);
	na_arena_fini(&tmp);
	return ok;
}
