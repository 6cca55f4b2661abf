/*
 * Observed over usual time: what share of the ports' load enters (kappa), and
 * medians over pairs, by octave and distance, then by stratum.
 */
#include <math.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
#include "netan/judge/session/session.h"
#include "netan/stats/tests/robust.h"

/* x minus its median over the group; rows of groups below three: NaN. */
static bool within(const struct na_groups *g, const double *x, double *out,
		   struct na_arena *tmp)
{
	double *centre = NA_J_NEW(tmp, double, g->n);

	if (!centre || !na_j_quantiles(g, x, .5, centre, tmp))
		return false;
	for (size_t i = 0; i < g->n; i++)
		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			out[g->row[k]] = na_j_count(g, i) < 3
						 ? NAN
						 : x[g->row[k]] - centre[i];
	return true;
}

static double spread(const double *y, const double *load, double kappa,
		     size_t n, double *tmp)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(y[i]))
			tmp[m++] = y[i] - kappa * load[i];
	return na_j_mad(tmp, m);
}

/* The slope of log time on log load within pair and cell. */
static bool fit_kappa(struct na_j_session *s, struct na_arena *tmp)
{
	const uint32_t *const cols[] = {s->pair, s->cell};
	double *y = NA_J_NEW(tmp, double, s->n),
	       *load = NA_J_NEW(tmp, double, s->n),
	       *x = NA_J_NEW(tmp, double, s->n), above = 0, below = 0, k;
	struct na_groups g;

	if (!y || !load || !x || !na_j_group(&g, cols, 2, NULL, s->n, tmp) ||
	    !within(&g, s->log_took, y, tmp) || !within(&g, s->load, load, tmp))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (!isnan(y[i])) {
			above += fmin(fmax(y[i], -1), 1) * load[i];
			below += load[i] * load[i];
		}
	k = fmin(fmax(above / fmax(below, 1e-9), 0), 1);
	s->kappa = spread(y, load, k, s->n, x) <=
				   NA_J_LOAD_GAIN * spread(y, load, 0, s->n, x)
			   ? k
			   : 0;
	return true;
}

/* Takes from e the median over pairs of the pairs' quantiles q, by `key`,
 * where at least so many pairs have it. */
static bool centre(const struct na_j_session *s, const uint32_t *key, double q,
		   size_t least, double *e)
{
	const uint32_t *const cols[] = {key, s->pair};
	struct na_arena tmp = {0};
	struct na_groups g, outer;
	double *by_pair, *by_key;
	uint32_t *of;
	bool ok = na_j_group(&g, cols, 2, NULL, s->n, &tmp) &&
		  (of = NA_J_NEW(&tmp, uint32_t, g.n)) &&
		  (by_pair = NA_J_NEW(&tmp, double, g.n)) &&
		  na_j_quantiles(&g, e, q, by_pair, &tmp);

	for (size_t i = 0; ok && i < g.n; i++)
		of[i] = key[na_j_first(&g, i)];
	ok = ok &&
	     na_j_group(&outer, (const uint32_t *const[]){of}, 1, NULL, g.n,
			&tmp) &&
	     (by_key = NA_J_NEW(&tmp, double, outer.n)) &&
	     na_j_quantiles(&outer, by_pair, .5, by_key, &tmp);
	/* Groups are in order of their key, as those of pairs are. */
	for (size_t o = 0; ok && o < outer.n; o++) {
		uint32_t first = g.from[outer.from[o]],
			 last = g.from[outer.from[o + 1]];

		if (na_j_count(&outer, o) < least)
			continue;
		for (uint32_t k = first; k < last; k++)
			e[g.row[k]] -= by_key[o];
	}
	na_arena_fini(&tmp);
	return ok;
}

static bool add_view(struct na_j_session *s, double kappa)
{
	double *e = NA_J_NEW(&s->columns, double, s->n);

	if (!e)
		return false;
	for (size_t i = 0; i < s->n; i++)
		e[i] = s->log_took[i] - kappa * s->load[i];
	s->view[s->n_views++] = e;
	return centre(s, s->octave, .5, 1, e) &&
	       centre(s, s->stratum, NA_J_CENTRE, NA_J_MIN_SAMPLE, e);
}

bool na_j_usual(struct na_j_session *s)
{
	struct na_arena tmp = {0};
	bool ok = fit_kappa(s, &tmp);

	na_arena_fini(&tmp);
	return ok && add_view(s, s->kappa) &&
	       (s->kappa <= 0 || add_view(s, 0));
}
