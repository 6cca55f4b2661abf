/*
 * Bayes factors of sides and pairs: a log-uniform effect against what healthy
 * ones show, both integrated over the effect.
 */
#include <math.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/judge/constants.h"
#include "netan/judge/evidence/level.h"

struct na_j_gain na_j_gain_of(const struct na_j_grid *g, const double *ll,
			      const double *null)
{
	const struct na_j_prior *p = &g->fault;
	size_t n = p->to - p->from;
	double fault[NA_J_GRID] = {0}, n1, mean = 0;

	for (size_t i = 0; i < n; i++)
		fault[i] = ll[p->from + i] + p->log_p[p->from + i];
	n1 = na_j_lse(fault, n);
	for (size_t i = 0; i < n; i++)
		mean += exp(fault[i] - n1) * g->at[p->from + i];
	return (struct na_j_gain){
		.there = true,
		.gain = n1 - na_j_lse_sum(ll, null, NA_J_GRID),
		.effect = mean,
		.low = na_j_grid_quantile(g, p->from, n, fault, .025),
		.high = na_j_grid_quantile(g, p->from, n, fault, .975)};
}

/* The same of a block of these prior odds, which may be what is at fault. */
static struct na_j_gain gain_of(struct na_j_level *v, const double *ll,
				const double *null, double odds)
{
	struct na_j_gain g = na_j_gain_of(v->grid, ll, null);

	v->any += odds * exp(g.gain);
	return g;
}

/* The fault's share of a shift: without what a healthy side has of its own. */
double na_j_bound_of(const struct na_j_grid *g, double *ll, const na_j_kernel k)
{
	na_j_smear(k, ll);
	for (size_t i = 0; i < NA_J_GRID; i++)
		ll[i] += g->log_width[i];
	return na_j_grid_quantile(g, 0, NA_J_GRID, ll, .975);
}

static bool side_gains(struct na_j_level *v, int side, struct na_j_gain *out)
{
	const struct na_groups *g = &v->by_side_coll[side];
	const struct na_j_side_spread *spread = &v->side[side];
	na_j_kernel *coll = na_j_collectives(v, side),
		    *own = na_calloc(1, sizeof(*own));
	double ll[NA_J_GRID], null[NA_J_GRID];
	bool ok = coll && own;

	if (ok)
		na_j_kernel_init(v->grid, spread->tau, spread->nu, *own);
	na_j_null(v->grid, spread->tau, spread->nu, null);
	for (size_t h = 0; h < v->n_hosts; h++) {
		out[h] = (struct na_j_gain){0};
		v->bound[side][h] = NAN;
	}
	for (size_t i = 0; ok && i < g->n;) {
		uint32_t host = v->units[na_j_first(g, i)].host[side];

		i = na_j_level_side(v, side, i, NA_J_KERNEL(coll), ll);
		/* How slow one pair is bounds both of its sides, and names
		 * neither; of two clocks the fit took it for the clocks'. */
		if (v->peers[side][host] < 2 && v->in->two_clocks)
			continue;
		if (v->peers[side][host] > 1)
			out[host] = gain_of(v, ll, null,
					    v->odds[side ? NA_JUDGE_DST
							 : NA_JUDGE_SRC]);
		v->bound[side][host] = na_j_bound_of(v->grid, ll,
						     NA_J_KERNEL(own));
	}
	free(coll);
	free(own);
	return ok;
}

bool na_j_level_gains(struct na_j_level *v, struct na_j_gain *out)
{
	return side_gains(v, 0, out) && side_gains(v, 1, out + v->n_hosts);
}

struct standing {
	double own;
	uint32_t pair;
};

NA_ORDER(furthest_first, struct standing, NA_DOWN(own), NA_UP(pair))

/* The pairs by what is left for them, the most first. */
static struct standing *order_pairs(const struct na_j_level *v, double *own,
				    struct na_arena *tmp)
{
	struct standing *s = NA_NEW(tmp, struct standing, v->n_pairs);
	double *pair;

	for (size_t u = 0; u < v->n; u++)
		own[u] = v->units[u].own;
	if (!s || !(pair = na_j_quantiles(&v->by_pair, own, .5, tmp)))
		return NULL;
	for (size_t p = 0; p < v->n_pairs; p++)
		s[p] = (struct standing){pair[p], (uint32_t)p};
	na_sort(s, v->n_pairs, furthest_first);
	return s;
}

/* A pair that is its sender's (receiver's) only one stands for that side. */
static double pair_odds(const struct na_j_level *v, const struct na_j_pair *p)
{
	return v->odds[NA_JUDGE_PAIR] +
	       (v->peers[0][p->src] == 1 ? v->odds[NA_JUDGE_SRC] : 0) +
	       (v->peers[1][p->dst] == 1 ? v->odds[NA_JUDGE_DST] : 0);
}

static struct na_j_gain pair_gain(struct na_j_level *v, uint32_t pair,
				  const double *own)
{
	size_t first = NA_BOUND(i, 0, v->n_connections,
				v->connections[i].pair >= pair),
	       c = first;
	double ll[NA_J_GRID] = {0}, null[NA_J_GRID], spread = 0;
	struct na_j_sum sum;

	for (; c < v->n_connections && v->connections[c].pair == pair; c++) {
		na_j_level_connection(v, c, own, &sum);
		for (size_t a = 0; a < NA_J_GRID; a++)
			ll[a] += sum.log[a];
		spread += v->connections[c].spread;
	}
	na_j_null(v->grid, spread / (double)(c - first), v->nu_connection,
		  null);
	return gain_of(v, ll, null, pair_odds(v, &v->pairs[pair]));
}

bool na_j_level_pairs(struct na_j_level *v, struct na_j_pair_gain *out,
		      size_t *n)
{
	struct na_arena tmp = {0};
	double *own = NA_NEW(&tmp, double, v->n);
	struct standing *s = own ? order_pairs(v, own, &tmp) : NULL;

	*n = v->n_pairs < NA_J_PAIRS_LEVEL ? v->n_pairs : NA_J_PAIRS_LEVEL;
	for (size_t i = 0; s && i < v->n_pairs; i++) {
		const struct na_j_pair *p = &v->pairs[s[i].pair];
		struct na_j_gain gain = pair_gain(v, s[i].pair, own);

		if (i < *n)
			out[i] = (struct na_j_pair_gain){p->src, p->dst, gain};
	}
	na_arena_fini(&tmp);
	return s;
}
