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

/* Takes from x the median of its group; *median: by group. */
static bool take_median(double *x, size_t n, const uint32_t *const *cols,
			size_t n_cols, struct na_groups *g, double **median,
			struct na_arena *tmp)
{
	if (!na_j_group(g, cols, n_cols, NULL, n, tmp))
		return false;
	*median = NA_J_NEW(tmp, double, g->n);
	if (!*median || !na_j_quantiles(g, x, .5, *median, tmp))
		return false;
	for (size_t i = 0; i < g->n; i++)
		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			x[g->row[k]] -= (*median)[i];
	return true;
}

static bool of_side(const struct na_j_session *s, double *x, int side,
		    double *most, struct na_arena *tmp)
{
	const uint32_t *const cell[] = {s->host[side], s->step};
	struct na_groups cells, g;
	uint32_t *host, *step;
	double *e, *median, *slow, *off;

	if (!na_j_group(&cells, cell, 2, NULL, s->n, tmp))
		return false;
	e = NA_J_NEW(tmp, double, cells.n);
	host = NA_J_NEW(tmp, uint32_t, cells.n);
	step = NA_J_NEW(tmp, uint32_t, cells.n);
	if (!e || !host || !step || !na_j_quantiles(&cells, x, .5, e, tmp))
		return false;
	for (size_t i = 0; i < cells.n; i++) {
		host[i] = s->host[side][na_j_first(&cells, i)];
		step[i] = s->step[na_j_first(&cells, i)];
	}
	if (!take_median(e, cells.n, (const uint32_t *const[]){step}, 1, &g,
			 &median, tmp) ||
	    !take_median(e, cells.n, (const uint32_t *const[]){host}, 1, &g,
			 &median, tmp))
		return false;
	slow = median;
	off = NA_J_NEW(tmp, double, g.n);
	if (!off || !na_j_quantiles(&g, e, 1 - slow_steps, slow, tmp))
		return false;
	for (size_t i = 0; i < cells.n; i++)
		e[i] = fabs(e[i]);
	if (!na_j_quantiles(&g, e, .5, off, tmp))
		return false;
	for (size_t i = 0; i < g.n; i++) {
		double n = (double)na_j_count(&g, i);

		if (n >= NA_J_MIN_SAMPLE)
			*most = fmax(*most, slow[i] + quantile_error *
							      NA_MAD_SIGMA *
							      off[i] / sqrt(n));
	}
	return true;
}

bool na_j_spells(const struct na_j_session *s, double *most)
{
	const uint32_t *const own[] = {s->pair, s->coll};
	struct na_arena tmp = {0};
	double *x = NA_J_NEW(&tmp, double, s->n), *median;
	struct na_groups g;
	bool ok = x;

	*most = 0;
	/* Without the load of ports, which a slow one lengthens itself. */
	for (size_t i = 0; ok && i < s->n; i++)
		x[i] = s->view[s->n_views - 1][i];
	ok = ok && take_median(x, s->n, own, 2, &g, &median, &tmp) &&
	     of_side(s, x, 0, most, &tmp) && of_side(s, x, 1, most, &tmp);
	na_arena_fini(&tmp);
	return ok;
}
