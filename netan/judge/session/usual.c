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
	double *centre = na_j_quantiles(g, x, .5, tmp);

	for (size_t i = 0; centre && i < g->n; i++)
		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			out[g->row[k]] = na_j_count(g, i) < 3
						 ? NAN
						 : x[g->row[k]] - centre[i];
	return centre;
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
	double *y = NA_NEW(tmp, double, s->n),
	       *load = NA_NEW(tmp, double, s->n),
	       *x = NA_NEW(tmp, double, s->n), above = 0, below = 0, k;
	struct na_groups g;

	if (!y || !load || !x ||
	    !na_j_group(&g, NA_J_BY(s->pair, s->cell), NULL, s->n, tmp) ||
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

bool na_j_usual_by(const struct na_j_session *s, const uint32_t *key,
		   const double *x, double q, struct na_j_usual *out,
		   struct na_arena *a)
{
	uint32_t *of;

	return na_j_group(&out->pairs, NA_J_BY(key, s->pair), NULL, s->n, a) &&
	       (out->of_pair = na_j_quantiles(&out->pairs, x, q, a)) &&
	       (of = na_j_of_groups(&out->pairs, key, a)) &&
	       na_j_group(&out->keys, NA_J_BY(of), NULL, out->pairs.n, a) &&
	       (out->of_key = na_j_quantiles(&out->keys, out->of_pair, .5, a));
}

/* Takes what is usual by `key` from e where at least so many pairs have it. */
static bool centre(const struct na_j_session *s, const uint32_t *key, double q,
		   size_t least, double *e)
{
	struct na_arena tmp = {0};
	struct na_j_usual u;
	bool ok = na_j_usual_by(s, key, e, q, &u, &tmp);

	/* Groups are in order of their key, as those of pairs are. */
	for (size_t o = 0; ok && o < u.keys.n; o++) {
		uint32_t first = u.pairs.from[u.keys.from[o]],
			 last = u.pairs.from[u.keys.from[o + 1]];

		if (na_j_count(&u.keys, o) < least)
			continue;
		for (uint32_t k = first; k < last; k++)
			e[u.pairs.row[k]] -= u.of_key[o];
	}
	na_arena_fini(&tmp);
	return ok;
}

static bool add_view(struct na_j_session *s, double kappa)
{
	double *e = NA_NEW(&s->columns, double, s->n);

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
