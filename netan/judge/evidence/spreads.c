/*
 * How far healthy sides and connections differ.
 *
 * Two units of one sender differ by receivers, connections and noise, any two
 * by senders as well: variances come from such differences, so that a few
 * faulty units do not enter.  Tails come from what sides' medians show.
 */
#include <math.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
#include "netan/judge/evidence/level.h"
#include "netan/stats/tests/robust.h"

static double squared(double x)
{
	return x * x;
}

static double *by_unit(const struct na_j_level *v, struct na_arena *tmp)
{
	return NA_NEW(tmp, double, v->n);
}

/* The median of x[0..n), which stays as it is; `tmp` is overwritten. */
static double median_of(const double *x, size_t n, double *tmp)
{
	memcpy(tmp, x, n * sizeof(*x));
	return na_median(tmp, n);
}

/* Two-way fit of sides by weighted medians, not shrunk. */
struct polish {
	double *shift[2]; /* by host */
	double mu, *rest, *weight, *sum, *tmp; /* by unit */
	struct ordered {
		double rest;
		uint32_t unit;
	} *order;
};

NA_ORDER(by_rest, struct ordered, NA_UP(rest))

static bool polish_init(struct polish *p, const struct na_j_level *v,
			struct na_arena *tmp)
{
	p->shift[0] = NA_NEW(tmp, double, v->n_hosts);
	p->shift[1] = NA_NEW(tmp, double, v->n_hosts);
	p->rest = by_unit(v, tmp);
	p->weight = by_unit(v, tmp);
	p->sum = by_unit(v, tmp);
	p->tmp = NA_NEW(tmp, double, v->n + v->n_hosts);
	p->order = NA_NEW(tmp, struct ordered, v->n);
	if (!p->shift[0] || !p->shift[1] || !p->rest || !p->weight ||
	    !p->sum || !p->tmp || !p->order)
		return false;
	for (size_t u = 0; u < v->n; u++) {
		p->tmp[u] = v->units[u].centre;
		p->weight[u] = 1 / (squared(v->units[u].se) +
				    squared(NA_J_FLOOR_UNIT));
	}
	p->mu = na_median(p->tmp, v->n);
	for (size_t u = 0; u < v->n; u++)
		p->rest[u] = v->units[u].centre - p->mu;
	return true;
}

/* The weighted median of one host's units; *sum: weights of those before. */
static double weighted_median(struct polish *p, const uint32_t *unit, size_t n,
			      double *sum)
{
	double before = *sum;
	size_t at;

	for (size_t i = 0; i < n; i++)
		p->order[i] = (struct ordered){p->rest[unit[i]], unit[i]};
	na_sort(p->order, n, by_rest);
	for (size_t i = 0; i < n; i++)
		p->sum[i] = *sum += p->weight[p->order[i].unit];
	at = NA_BOUND(i, 0, n - 1, p->sum[i] >= (before + *sum) / 2);
	return p->order[at].rest;
}

/* One side's medians, around 0; the largest. */
static double polish_side(struct polish *p, const struct na_j_level *v,
			  int side)
{
	const struct na_groups *g = &v->by_side[side];
	double *found = p->tmp + v->n, sum = 0, middle, most = 0;

	for (size_t i = 0; i < g->n; i++)
		found[i] = weighted_median(p, g->row + g->from[i],
					   na_j_count(g, i), &sum);
	middle = median_of(found, g->n, p->tmp);
	for (size_t i = 0; i < g->n; i++) {
		double d = found[i] - middle;

		p->shift[side][v->units[na_j_first(g, i)].host[side]] += d;
		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			p->rest[g->row[k]] -= d;
		most = fmax(most, fabs(d));
	}
	return most;
}

static bool polish(struct polish *p, const struct na_j_level *v,
		   struct na_arena *tmp)
{
	enum { ROUNDS = 8 };

	if (!polish_init(p, v, tmp))
		return false;
	for (int round = 0; round < ROUNDS; round++) {
		double change = polish_side(p, v, 0) + polish_side(p, v, 1),
		       d = median_of(p->rest, v->n, p->tmp);

		p->mu += d;
		for (size_t u = 0; u < v->n; u++)
			p->rest[u] -= d;
		if (change < 1e-3)
			break;
	}
	return true;
}

/* Variance between collectives of one connection. */
static bool collective_variance(struct na_j_level *v, const double *connection,
				double *out, struct na_arena *tmp)
{
	double *x = by_unit(v, tmp), *se = by_unit(v, tmp), mad;
	size_t n = 0;

	if (!x || !se)
		return false;
	for (size_t u = 0; u < v->n; u++) {
		const struct na_j_unit *unit = &v->units[u];

		if (v->connections[unit->connection].units < 2)
			continue;
		x[n] = unit->centre - connection[unit->connection];
		se[n++] = squared(unit->se);
	}
	mad = na_j_mad(x, n);
	*out = n > 20 ? fmax(0, mad * mad * 1.3 - na_median(se, n)) : 0;
	return true;
}

/* Of connections' medians: what units' errors add. */
static void connection_variances(struct na_j_level *v, double by_coll)
{
	for (size_t c = 0; c < v->n_connections; c++)
		v->connections[c].variance = 0;
	for (size_t u = 0; u < v->n; u++)
		v->connections[v->units[u].connection].variance +=
			squared(v->units[u].se) + by_coll;
	for (size_t c = 0; c < v->n_connections; c++)
		v->connections[c].variance *=
			NA_J_MEDIAN_VARIANCE / squared(v->connections[c].units);
}

static double median_variance_of(const struct na_j_level *v, double *x)
{
	for (size_t c = 0; c < v->n_connections; c++)
		x[c] = v->connections[c].variance;
	return na_median(x, v->n_connections);
}

/*
 * Healthy hosts and connections differ within a rack as well; what all of a rack
 * share is the rack's, a slow link's perhaps.  So pairs' values are taken around
 * the median of those between the same two racks.
 */
static bool centre_by_racks(const struct na_j_level *v, double *x,
			    struct na_arena *tmp)
{
	size_t n = v->n_pairs;
	uint32_t *from = NA_NEW(tmp, uint32_t, n),
		 *to = NA_NEW(tmp, uint32_t, n);
	struct na_groups g;
	double *middle;

	if (!v->in->n_racks)
		return true;
	if (!from || !to)
		return false;
	for (size_t i = 0; i < n; i++) {
		from[i] = v->in->rack_of[v->pairs[i].src];
		to[i] = v->in->rack_of[v->pairs[i].dst];
	}
	if (!na_j_group(&g, NA_J_BY(from, to), NULL, n, tmp) ||
	    !(middle = na_j_quantiles(&g, x, .5, tmp)))
		return false;
	for (size_t i = 0; i < g.n; i++) {
		if (na_j_count(&g, i) < NA_J_MIN_CONNECTIONS)
			continue;
		for (uint32_t k = g.from[i]; k < g.from[i + 1]; k++)
			x[g.row[k]] -= middle[i];
	}
	return true;
}

/*
 * Variance of one kind of side, shrunk to the floor: of all pairs less that of
 * neighbouring pairs of one host, and not above what the hosts' medians show.
 */
static bool own_variance(const struct na_j_level *v, int side,
			 const double *pair, double all, double *out,
			 struct na_arena *tmp)
{
	uint32_t *host = NA_NEW(tmp, uint32_t, v->n_pairs);
	double *x = NA_NEW(tmp, double, v->n_pairs), *middle, variance = 0,
	       mad, least = squared(NA_J_FLOOR_SIDE), n_hosts;
	struct na_groups g;
	size_t n = 0;

	if (!host || !x)
		return false;
	for (size_t p = 0; p < v->n_pairs; p++)
		host[p] = side ? v->pairs[p].dst : v->pairs[p].src;
	if (!na_j_group(&g, NA_J_BY(host), NULL, v->n_pairs, tmp) ||
	    !(middle = na_j_quantiles(&g, pair, .5, tmp)))
		return false;
	for (size_t i = 0; i < g.n; i++)
		for (uint32_t k = g.from[i] + 1; k < g.from[i + 1]; k++)
			x[n++] = fabs(pair[g.row[k]] - pair[g.row[k - 1]]) *
				 M_SQRT1_2;
	mad = NA_MAD_SIGMA * na_median(x, n);
	if (n > 5)
		variance = fmax(0, all - mad * mad);
	mad = na_j_mad(middle, g.n);
	variance = fmin(variance, mad * mad);
	n_hosts = (double)g.n;
	*out = (NA_J_PRIOR_WEIGHT * least + n_hosts * fmax(variance, least)) /
		       (NA_J_PRIOR_WEIGHT + n_hosts) +
	       v->clock_variance;
	return true;
}

/* Sum of 1 / scale^2 by group. */
static void weights(const struct na_j_level *v, const struct na_groups *g,
		    double *out)
{
	for (size_t i = 0; i < g->n; i++) {
		out[i] = 0;
		for (uint32_t k = g->from[i]; k < g->from[i + 1]; k++)
			out[i] += 1 / squared(v->units[g->row[k]].scale);
	}
}

/* Collectives of each host, as the groups by host and collective come. */
static void count_collectives(const struct na_j_level *v, int side,
			      uint32_t *host, uint32_t *of)
{
	const struct na_groups *g = &v->by_side[side],
			       *coll = &v->by_side_coll[side];

	for (size_t i = 0, k = 0; i < g->n; i++) {
		uint32_t end = g->from[i + 1];

		for (host[i] = 0; k < coll->n && coll->from[k] < end; k++) {
			of[k] = (uint32_t)i;
			host[i]++;
		}
	}
}

/* Spread of a side from one collective to the other. */
static bool side_by_collective(struct na_j_level *v, int side, const double *x,
			       const double *host, struct na_arena *tmp)
{
	const struct na_groups *g = &v->by_side[side],
			       *coll = &v->by_side_coll[side];
	uint32_t *n_coll = NA_NEW(tmp, uint32_t, g->n),
		 *of = NA_NEW(tmp, uint32_t, coll->n);
	double *centre = na_j_quantiles(coll, x, .5, tmp),
	       *weight = NA_NEW(tmp, double, coll->n),
	       *more = NA_NEW(tmp, double, coll->n), mad;
	size_t n = 0;

	if (!n_coll || !of || !centre || !weight || !more)
		return false;
	weights(v, coll, weight);
	count_collectives(v, side, n_coll, of);
	for (size_t k = 0; k < coll->n; k++) {
		double many = n_coll[of[k]];

		if (many < 2)
			continue;
		centre[n] = centre[k] - host[of[k]];
		weight[n] = NA_J_MEDIAN_VARIANCE / weight[k];
		more[n++] = many / (many - 1);
	}
	v->side[side].tau_coll = NA_J_FLOOR_SIDE;
	if (n < 6)
		return true;
	mad = na_j_mad(centre, n);
	v->side[side].tau_coll =
		sqrt(fmax(squared(NA_J_FLOOR_SIDE),
			  mad * mad * na_median(more, n) -
				  na_median(weight, n)));
	return true;
}

/* Tails of a side's hosts, and its spread by collective, once the other side
 * is taken out. */
static bool side_spread(struct na_j_level *v, const struct polish *p, int side,
			struct na_arena *tmp)
{
	const struct na_groups *g = &v->by_side[side];
	double *x = by_unit(v, tmp), *host,
	       *weight = NA_NEW(tmp, double, g->n);

	if (!x || !weight)
		return false;
	for (size_t u = 0; u < v->n; u++)
		x[u] = v->units[u].centre - p->mu -
		       p->shift[!side][v->units[u].host[!side]];
	if (!(host = na_j_quantiles(g, x, .5, tmp)) ||
	    !side_by_collective(v, side, x, host, tmp))
		return false;
	weights(v, g, weight);
	for (size_t i = 0; i < g->n; i++)
		host[i] /= sqrt(squared(v->side[side].tau) +
				NA_J_MEDIAN_VARIANCE / weight[i]);
	v->side[side].nu = na_j_tail(host, g->n);
	return true;
}

/* Of units: error, spread by collective, and of the connection, which n units
 * share. */
static void scale_units(struct na_j_level *v)
{
	for (size_t u = 0; u < v->n; u++) {
		struct na_j_unit *unit = &v->units[u];
		const struct na_j_level_connection *c =
			&v->connections[unit->connection];

		unit->scale = sqrt(squared(unit->se) + squared(v->unit_coll) +
				   (double)c->units * squared(c->spread));
	}
}

/* Spreads of sides and connections, from differences. */
static bool variances(struct na_j_level *v, struct na_arena *tmp)
{
	double *x = by_unit(v, tmp), *mess = by_unit(v, tmp), *pair,
	       *connection, by_coll, all, of[2], errors;

	if (!x || !mess)
		return false;
	for (size_t u = 0; u < v->n; u++)
		x[u] = v->units[u].centre;
	if (!(connection = na_j_quantiles(&v->by_connection, x, .5, tmp)) ||
	    !(pair = na_j_quantiles(&v->by_pair, x, .5, tmp)) ||
	    !collective_variance(v, connection, &by_coll, tmp))
		return false;
	memcpy(mess, pair, v->n_pairs * sizeof(*pair));
	if (!centre_by_racks(v, pair, tmp))
		return false;
	for (size_t c = 0; c < v->n_connections; c++)
		connection[c] -= mess[v->connections[c].pair] -
				 pair[v->connections[c].pair];
	connection_variances(v, by_coll);
	memcpy(mess, pair, v->n_pairs * sizeof(*pair));
	all = squared(na_j_mad(mess, v->n_pairs));
	for (int side = 0; side < 2; side++) {
		if (!own_variance(v, side, pair, all, &of[side], tmp))
			return false;
		v->side[side].tau = sqrt(of[side]);
	}
	errors = median_variance_of(v, mess);
	if (v->n_connections > v->n_pairs)
		all = squared(na_j_mad(connection, v->n_connections));
	v->unit_coll = sqrt(by_coll);
	v->spread = sqrt(fmax(squared(NA_J_FLOOR_UNIT),
			      all - of[0] - of[1] - errors));
	for (size_t c = 0; c < v->n_connections; c++)
		v->connections[c].spread = v->spread;
	scale_units(v);
	return true;
}

/* Hashing across racks says nothing of connections inside: a spread of each
 * distance, shrunk to that of all. */
static bool spread_by_distance(struct na_j_level *v, const double *own,
			       struct na_arena *tmp)
{
	uint32_t *near = NA_NEW(tmp, uint32_t, v->n_connections);
	double *x = NA_NEW(tmp, double, v->n_connections),
	       *error = NA_NEW(tmp, double, v->n_connections);
	struct na_groups g;

	if (!near || !x || !error)
		return false;
	for (size_t c = 0; c < v->n_connections; c++)
		near[c] = (uint32_t)v->connections[c].near;
	if (!na_j_group(&g, NA_J_BY(near), NULL, v->n_connections, tmp))
		return false;
	for (size_t i = 0; i < g.n; i++) {
		size_t n = na_j_count(&g, i);
		const uint32_t *c = g.row + g.from[i];
		double of;

		for (size_t k = 0; k < n; k++) {
			x[k] = own[c[k]];
			error[k] = v->connections[c[k]].variance;
		}
		of = fmax(squared(NA_J_FLOOR_UNIT),
			  squared(na_j_mad(x, n)) - na_median(error, n));
		of = sqrt((NA_J_PRIOR_WEIGHT * squared(v->spread) +
			   (double)n * of) /
			  (NA_J_PRIOR_WEIGHT + (double)n));
		for (size_t k = 0; k < n; k++)
			v->connections[c[k]].spread = of;
	}
	return true;
}

/* Spread by distance, and tails, from what a first fit leaves. */
static bool refine(struct na_j_level *v, struct na_arena *tmp)
{
	double *x = by_unit(v, tmp), *own;

	if (!x)
		return false;
	for (size_t u = 0; u < v->n; u++)
		x[u] = v->units[u].own;
	if (!(own = na_j_quantiles(&v->by_connection, x, .5, tmp)) ||
	    !spread_by_distance(v, own, tmp))
		return false;
	scale_units(v);
	for (size_t u = 0; u < v->n; u++) {
		const struct na_j_unit *unit = &v->units[u];

		x[u] /= sqrt(squared(unit->se) + squared(v->unit_coll) +
			     squared(v->connections[unit->connection].spread));
	}
	for (size_t c = 0; c < v->n_connections; c++)
		own[c] /= sqrt(squared(v->connections[c].spread) +
			       v->connections[c].variance);
	v->nu = na_j_tail(x, v->n);
	v->nu_connection = na_j_tail(own, v->n_connections);
	return true;
}

/* The pair from dst to src, or n_pairs. */
static size_t way_back(const struct na_j_level *v, size_t pair)
{
	const struct na_j_pair *p = v->pairs, *of = &p[pair];
	size_t at = NA_BOUND(i, 0, v->n_pairs,
			     p[i].src > of->dst ||
				     (p[i].src == of->dst &&
				      p[i].dst >= of->src));

	return at < v->n_pairs && p[at].src == of->dst && p[at].dst == of->src
		       ? at
		       : v->n_pairs;
}

/*
 * Which part of what pairs have of their own both ways share: their correlation,
 * 1 less the variance of differences over that of all, as far as it is beyond
 * what chance makes of so many.
 */
static double shared_part(const struct na_j_level *v, const double *pair,
			  double *all, double *apart)
{
	size_t n = 0;
	double part;

	for (size_t i = 0; i < v->n_pairs; i++) {
		size_t back = way_back(v, i);

		if (back <= i || back == v->n_pairs)
			continue;
		all[2 * n] = pair[i];
		all[2 * n + 1] = pair[back];
		apart[n++] = (pair[i] - pair[back]) * M_SQRT1_2;
	}
	if (n < NA_J_MIN_SAMPLE)
		return 0;
	part = fmax(1 - squared(na_j_mad(apart, n)) /
				fmax(squared(na_j_mad(all, 2 * n)),
				     squared(NA_J_FLOOR_UNIT)),
		    0);
	/* Two standard errors of a correlation. */
	return fmax(part - 2 * (1 - part * part) / sqrt((double)n), 0);
}

static bool has_distances(const struct na_j_level *v)
{
	for (size_t c = 1; c < v->n_connections; c++)
		if (v->connections[c].near < v->connections[0].near ||
		    v->connections[c].near > v->connections[0].near)
			return true;
	return v->in->n_racks > 0;
}

/* A distance is the same both ways: where the input has none, the way back shows
 * it.  Of few pairs what their hosts have of their own is both ways', too. */
static bool learn_distances(struct na_j_level *v, const struct polish *p,
			    struct na_arena *tmp)
{
	double *pair = na_j_quantiles(&v->by_pair, p->rest, .5, tmp),
	       *all = NA_NEW(tmp, double, v->n_pairs),
	       *apart = NA_NEW(tmp, double, v->n_pairs), part;

	if (!pair || !all || !apart)
		return false;
	if (has_distances(v) ||
	    v->n_pairs < NA_J_MIN_CONNECTIONS * v->by_side[0].n)
		return true;
	part = shared_part(v, pair, all, apart);
	for (size_t u = 0; u < v->n; u++) {
		struct na_j_unit *unit = &v->units[u];
		size_t back = way_back(v, unit->pair);

		if (back == v->n_pairs)
			continue;
		unit->centre -= part * pair[back];
		unit->centre0 = unit->centre;
	}
	return true;
}

bool na_j_level_spreads(struct na_j_level *v)
{
	struct na_arena tmp = {0};
	struct polish p;
	bool ok = polish(&p, v, &tmp) && learn_distances(v, &p, &tmp) &&
		  variances(v, &tmp) && polish(&p, v, &tmp) &&
		  side_spread(v, &p, 0, &tmp) && side_spread(v, &p, 1, &tmp);

	v->nu = v->nu_connection = NA_J_NU_FEW;
	v->spreads_known = true;
	ok = ok && na_j_level_fit(v) && refine(v, &tmp);
	na_arena_fini(&tmp);
	return ok;
}
