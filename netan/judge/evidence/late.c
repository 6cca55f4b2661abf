#include "netan/judge/evidence/late.h"

#include <math.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
#include "netan/stats/tests/robust.h"

/* out[row] = the quantile of x over its group. */
static bool spread_quantile(const struct na_groups *g, const double *x,
			    double q, double *out, struct na_arena *tmp)
{
	double *by_group = na_j_quantiles(g, x, q, tmp);

	for (size_t i = 0; by_group && i < g->n; i++)
		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			out[g->row[k]] = by_group[i];
	return by_group;
}

/* Rows beyond the usual of their stratum, and of their pair's in this
 * collective. */
static bool late_rows(const struct na_j_session *s, uint32_t *late, size_t *n,
		      struct na_arena *tmp)
{
	double *usual = NA_NEW(tmp, double, s->n),
	       *high = NA_NEW(tmp, double, s->n),
	       *x = NA_NEW(tmp, double, s->n);
	struct na_groups g;

	if (!usual || !high || !x ||
	    !na_j_group(&g, NA_J_BY(s->stratum), NULL, s->n, tmp) ||
	    !spread_quantile(&g, s->took, .5, usual, tmp) ||
	    !spread_quantile(&g, s->took, .9, high, tmp))
		return false;
	for (size_t i = 0; i < s->n; i++)
		x[i] = log(s->took[i] / usual[i]);
	if (!na_j_group(&g, NA_J_BY(s->pair, s->coll), NULL, s->n, tmp) ||
	    !spread_quantile(&g, x, .5, x, tmp))
		return false;
	*n = 0;
	for (size_t i = 0; i < s->n; i++) {
		double own = usual[i] * exp(x[i]);

		if (s->took[i] - own > NA_J_LATE_US &&
		    s->took[i] > NA_J_LATE_TIMES * fmax(high[i], own))
			late[(*n)++] = (uint32_t)i;
	}
	return true;
}

/* Of those, the first of each pair, step and collective, in order of time. */
static bool first_of_each(const struct na_j_session *s, uint32_t *late,
			  size_t *n, struct na_arena *tmp)
{
	struct na_groups g;

	if (!na_j_order_times(late, *n, s->start) ||
	    !na_j_group(&g, NA_J_BY(s->pair, s->step, s->coll), late, *n, tmp))
		return false;
	for (size_t i = 0; i < g.n; i++)
		late[i] = na_j_first(&g, i);
	*n = g.n;
	return na_j_order_times(late, *n, s->start);
}

/* The first of each chain that overlaps at a shared host. */
static bool first_of_chains(const struct na_j_session *s, uint32_t *late,
			    size_t *n, struct na_arena *tmp)
{
	double *busy = NA_NEW(tmp, double, s->n_hosts);
	size_t keep = 0;

	if (!busy)
		return false;
	for (size_t h = 0; h < s->n_hosts; h++)
		busy[h] = -INFINITY;
	for (size_t i = 0; i < *n; i++) {
		uint32_t row = late[i];
		double start = s->start[row], end = start + s->took[row],
		       *a = &busy[s->host[0][row]], *b = &busy[s->host[1][row]];

		if (fmax(*a, *b) <= start)
			late[keep++] = row;
		*a = fmax(*a, end);
		*b = fmax(*b, end);
	}
	*n = keep;
	return true;
}

/* Pairs' collectives with what they count. */
static bool count(struct na_j_late *v, const uint32_t *late, size_t n,
		  struct na_arena *tmp)
{
	const struct na_j_session *s = v->s;
	uint32_t *of = NA_NEW(tmp, uint32_t, s->n), *coll;
	struct na_groups g;

	if (!of ||
	    !na_j_group(&g, NA_J_BY(s->pair, s->coll), NULL, s->n, tmp))
		return false;
	v->colls = NA_NEW(&v->mem, struct na_j_late_coll, g.n);
	coll = na_j_of_groups(&g, s->coll, tmp);
	if (!v->colls || !coll)
		return false;
	for (size_t i = 0; i < g.n; i++) {
		uint32_t row = na_j_first(&g, i);

		for (uint32_t k = g.from[i]; k < g.from[i + 1]; k++)
			of[g.row[k]] = (uint32_t)i;
		v->colls[i] = (struct na_j_late_coll){
			s->pair[row], s->coll[row], 0,
			(double)na_j_count(&g, i)};
	}
	for (size_t i = 0; i < n; i++)
		v->colls[of[late[i]]].late++;
	for (size_t i = 0; i < g.n; i++) {
		struct na_j_late_pair *p = &v->pairs[v->colls[i].pair];

		if (p->from == p->to)
			p->from = (uint32_t)i;
		p->to = (uint32_t)i + 1;
		p->late0 += v->colls[i].late;
		p->transfers += v->colls[i].transfers;
	}
	return na_j_group(&v->by_coll, NA_J_BY(coll), NULL, g.n, &v->mem);
}

/* The median distance of each pair's transfers, as a rank. */
static bool distances(struct na_j_late *v, struct na_arena *tmp)
{
	const struct na_j_session *s = v->s;
	double *x = NA_NEW(tmp, double, s->n), *middle;
	uint32_t *near = NA_NEW(tmp, uint32_t, s->n_pairs),
		 *rank = NA_NEW(tmp, uint32_t, s->n_pairs);
	struct na_groups g;

	if (!x || !near || !rank)
		return false;
	for (size_t i = 0; i < s->n; i++)
		x[i] = s->connections[s->connection[i]].distance;
	if (!na_j_group(&g, NA_J_BY(s->pair), NULL, s->n, tmp) ||
	    !(middle = na_j_quantiles(&g, x, .5, tmp)))
		return false;
	for (size_t p = 0; p < s->n_pairs; p++)
		near[p] = (uint32_t)middle[p];
	if (!na_j_rank(rank, &v->n_near, NA_J_BY(near), s->n_pairs, tmp))
		return false;
	for (size_t p = 0; p < s->n_pairs; p++)
		v->pairs[p].near = rank[p];
	return true;
}

/* Squared coefficient of variation of hosts' rates, at the median. */
static double dispersion(const struct na_j_late *v, int side, double *x)
{
	const struct na_groups *g = &v->blocks->by_side[side];
	double late = 0, transfers = 0;

	for (size_t p = 0; p < v->s->n_pairs; p++) {
		late += v->pairs[p].late0;
		transfers += v->pairs[p].transfers;
	}
	if (late <= 0)
		return 0;
	for (size_t i = 0; i < g->n; i++) {
		double k = 0, n = 0, e;

		for (uint32_t p = g->from[i]; p < g->from[i + 1]; p++) {
			k += v->pairs[g->row[p]].late0;
			n += v->pairs[g->row[p]].transfers;
		}
		e = n * late / fmax(transfers, 1);
		x[i] = ((k - e) * (k - e) - k) / fmax(e * e, 1e-9);
	}
	return fmin(fmax(na_median(x, g->n), 0), 4);
}

bool na_j_late_init(struct na_j_late *v, const struct na_j_session *s,
		    const struct na_j_blocks *blocks)
{
	struct na_arena tmp = {0};
	uint32_t *late = NA_NEW(&tmp, uint32_t, s->n);
	double *x = NA_NEW(&tmp, double, s->n_pairs);
	size_t n = 0;
	bool ok;

	*v = (struct na_j_late){s, blocks};
	v->pairs = NA_NEW(&v->mem, struct na_j_late_pair, s->n_pairs);
	ok = late && x && v->pairs && late_rows(s, late, &n, &tmp) &&
	     first_of_each(s, late, &n, &tmp) &&
	     first_of_chains(s, late, &n, &tmp) && count(v, late, n, &tmp) &&
	     distances(v, &tmp);
	if (ok) {
		v->spread = fmax(fmax(dispersion(v, 0, x), dispersion(v, 1, x)),
				 NA_J_LATE_SPREAD);
		na_j_late_restore(v);
	}
	na_arena_fini(&tmp);
	return ok;
}

void na_j_late_fini(struct na_j_late *v)
{
	na_arena_fini(&v->mem);
}

void na_j_late_restore(struct na_j_late *v)
{
	for (size_t p = 0; p < v->s->n_pairs; p++)
		v->pairs[p].late = v->pairs[p].late0;
}
