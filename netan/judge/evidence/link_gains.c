/*
 * Bayes factors of links: a share of the connections of a block is shifted,
 * as hashing has it (mixtures: D. Donoho and J. Jin, Annals of Statistics 32,
 * 2004).  The smallest value without any one sender or receiver counts
 * (jackknife): what hangs on one host is that host's.
 */
#include <math.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/judge/constants.h"
#include "netan/judge/evidence/level.h"
#include "netan/stats/tests/robust.h"

enum {
	BATCH = 12, /* factors from exp(-50) to exp(50) */
	MOST_LOG = 50
};

/* Half the spread of links that are no more than a few. */
static const double least_spread = .05;
/* A bound says how slow this share of a link's connections may be: fewer do not
 * move the usual. */
static const double bound_share = .25;

/* Log likelihoods of a block of connections. */
struct block {
	double share[NA_J_SHARES][NA_J_GRID]; /* by share and shift from 1.5x */
	double all[NA_J_GRID]; /* all shifted, by shift */
	/* Of share: factors not in it yet. */
	double product[NA_J_SHARES][NA_J_GRID];
	size_t waiting;
};

/* One link's connections. */
struct link {
	struct na_j_level *v;
	const double *null;
	uint32_t *connection, *host[2];
	size_t n;
	size_t shifts; /* how many from 1.5x on */
	double *odds;  /* exp of ratio, [n][shifts] */
};

static void flush(struct block *b, size_t shifts)
{
	for (size_t f = 0; f < NA_J_SHARES; f++)
		for (size_t a = 0; a < shifts; a++) {
			b->share[f][a] += log(b->product[f][a]);
			b->product[f][a] = 1;
		}
	b->waiting = 0;
}

static void add(struct block *b, const struct link *l, size_t i)
{
	const double *odds = l->odds + i * l->shifts,
		     *ratio = l->v->ratio +
			      (size_t)l->connection[i] * NA_J_GRID;

	for (size_t f = 0; f < NA_J_SHARES; f++) {
		double share = na_j_link_shares[f];

		for (size_t a = 0; a < l->shifts; a++)
			b->product[f][a] *= 1 - share + share * odds[a];
	}
	for (size_t a = 0; a < NA_J_GRID; a++)
		b->all[a] += ratio[a];
	if (++b->waiting == BATCH)
		flush(b, l->shifts);
}

/* Of connections of a link: those listed, or the first n. */
static void sum_connections(const struct link *l, const uint32_t *only, size_t n,
			    struct block *b)
{
	memset(b, 0, sizeof(*b));
	for (size_t f = 0; f < NA_J_SHARES; f++)
		for (size_t a = 0; a < NA_J_GRID; a++)
			b->product[f][a] = 1;
	for (size_t i = 0; i < n; i++)
		add(b, l, only ? only[i] : i);
	flush(b, l->shifts);
}

static double clipped_odds(double log_odds)
{
	return exp(fmin(fmax(log_odds, -MOST_LOG), MOST_LOG));
}

/* Log Bayes factor of a block. */
static double factor(const struct link *l, struct block *b)
{
	const struct na_j_prior *p = &l->v->grid->high;
	double by_share[NA_J_SHARES];

	for (size_t f = 0; f < NA_J_SHARES; f++)
		by_share[f] = na_j_lse_sum(b->share[f], p->log_p + p->from,
					   l->shifts);
	return na_j_lse(by_share, NA_J_SHARES) - log(NA_J_SHARES) -
	       fmax(na_j_lse_sum(b->all, l->null, NA_J_GRID), 0);
}

/* What is left of a block without one host's connections. */
static double without(const struct link *l, const struct block *all,
		      const uint32_t *of_host, size_t n)
{
	struct block b;

	sum_connections(l, of_host, n, &b);
	for (size_t f = 0; f < NA_J_SHARES; f++)
		for (size_t a = 0; a < l->shifts; a++)
			b.share[f][a] = all->share[f][a] - b.share[f][a];
	for (size_t a = 0; a < NA_J_GRID; a++)
		b.all[a] = all->all[a] - b.all[a];
	return factor(l, &b);
}

static double jackknife(const struct link *l, const struct block *all,
			const struct na_groups *by_host, double gain)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t h = 0; gain > 0 && h < by_host[side].n; h++)
			gain = fmin(gain,
				    without(l, all,
					    by_host[side].row +
						    by_host[side].from[h],
					    na_j_count(&by_host[side], h)));
	return gain;
}

/* The most likely shift, with whatever share, and its posterior. */
static void effect_of(const struct link *l, struct block *b,
		      struct na_j_gain *out)
{
	const struct na_j_grid *g = l->v->grid;
	const struct na_j_prior *p = &g->high;
	double most = -INFINITY, posterior[NA_J_GRID], by_share[NA_J_SHARES];

	for (size_t f = 0; f < NA_J_SHARES; f++)
		for (size_t a = 0; a < l->shifts; a++) {
			double ll = b->share[f][a] + p->log_p[p->from + a];

			if (ll <= most)
				continue;
			out->likelihood = most = ll;
			out->effect = g->at[p->from + a];
		}
	for (size_t a = 0; a < l->shifts; a++) {
		for (size_t f = 0; f < NA_J_SHARES; f++)
			by_share[f] = b->share[f][a];
		posterior[a] = na_j_lse(by_share, NA_J_SHARES) +
			       p->log_p[p->from + a];
	}
	out->low = na_j_grid_quantile(g, p->from, l->shifts, posterior, .025);
	out->high = na_j_grid_quantile(g, p->from, l->shifts, posterior, .975);
}

/* 97.5 % bound of the shift, if a quarter of the connections had it, and at
 * least one: a fault that none of them meets slows nothing here. */
static double bound_of(const struct link *l)
{
	const struct na_j_grid *g = l->v->grid;
	double ll[NA_J_GRID] = {0}, none = (double)l->n * log1p(-bound_share);
	size_t n = NA_J_GRID - NA_J_GRID_ZERO;

	for (size_t i = 0; i < l->n; i++) {
		const double *ratio =
			l->v->ratio + (size_t)l->connection[i] * NA_J_GRID +
			NA_J_GRID_ZERO;

		for (size_t a = 0; a < n; a++)
			ll[a] += log(1 - bound_share +
				     bound_share * clipped_odds(ratio[a]));
	}
	for (size_t a = 0; a < n; a++)
		ll[a] += log(-expm1(none - ll[a])) +
			 g->log_width[NA_J_GRID_ZERO + a];
	return na_j_grid_quantile(g, NA_J_GRID_ZERO, n, ll, .975);
}

/* The connections of a link that this table has. */
static size_t list_connections(const struct na_j_level *v, size_t link,
			       uint32_t *out)
{
	const struct na_j_link *l = &v->links->v[link];
	size_t n = 0;

	for (uint32_t i = l->from; i < l->from + l->n; i++) {
		uint32_t p = v->links->pair[i];

		for (uint32_t c = v->of_pair[p]; c < v->of_pair[p + 1]; c++)
			out[n++] = c;
	}
	return n;
}

static bool link_gain(struct link *l, size_t link, struct na_j_gain *out)
{
	struct na_arena tmp = {0};
	struct na_j_level *v = l->v;
	struct na_groups by_host[2];
	struct block all;
	bool ok = true;

	for (size_t i = 0; i < l->n; i++) {
		const double *ratio =
			v->ratio + (size_t)l->connection[i] * NA_J_GRID +
			v->grid->high.from;

		for (int side = 0; side < 2; side++)
			l->host[side][i] =
				v->connections[l->connection[i]].host[side];
		for (size_t a = 0; a < l->shifts; a++)
			l->odds[i * l->shifts + a] = clipped_odds(ratio[a]);
	}
	for (int side = 0; ok && side < 2; side++)
		ok = na_j_group(&by_host[side], NA_J_BY(l->host[side]), NULL,
				l->n, &tmp);
	if (ok && by_host[0].n > 1 && by_host[1].n > 1) {
		sum_connections(l, NULL, l->n, &all);
		out->there = true;
		out->gain = factor(l, &all);
		v->any += v->odds[v->links->v[link].cause] * exp(out->gain);
		out->gain = jackknife(l, &all, by_host, out->gain);
		effect_of(l, &all, out);
		v->link_bound[link] = bound_of(l);
	}
	na_arena_fini(&tmp);
	return ok;
}

/* The median healthy spread of connections across racks. */
static double spread_across(const struct na_j_level *v, double *x)
{
	const uint32_t *rack = v->in->rack_of;
	size_t n = 0;

	for (size_t c = 0; c < v->n_connections; c++) {
		const struct na_j_level_connection *k = &v->connections[c];

		if (rack[k->host[0]] != rack[k->host[1]])
			x[n++] = k->spread;
	}
	return n ? na_median(x, n) : v->spread;
}

/* Sides enter a link's evidence as far as healthy ones may differ. */
static bool ratios(struct na_j_level *v, struct na_arena *tmp)
{
	const uint32_t *rack = v->in->rack_of;
	double *x = NA_NEW(tmp, double, v->n);
	na_j_kernel *k = NA_NEW(tmp, na_j_kernel, 1);
	struct na_j_sum sum;

	v->ratio = NA_NEW(&v->round, double, v->n_connections * NA_J_GRID);
	if (!x || !k || !v->ratio)
		return false;
	na_j_kernel_init(v->grid, spread_across(v, x), v->nu_connection, *k);
	for (size_t i = 0; i < v->n; i++) {
		const struct na_j_unit *u = &v->units[i];

		x[i] = u->centre - v->mu - u->by_coll[0] - u->by_coll[1];
		for (int side = 0; side < 2; side++)
			x[i] -= fmin(v->shift[side][u->host[side]],
				     2 * v->side[side].tau);
	}
	for (size_t c = 0; c < v->n_connections; c++) {
		double *to = v->ratio + c * NA_J_GRID;
		const uint32_t *host = v->connections[c].host;

		if (rack[host[0]] == rack[host[1]])
			continue;
		na_j_level_connection(v, c, x, &sum);
		na_j_smear(NA_J_KERNEL(k), sum.log);
		for (size_t a = 0; a < NA_J_GRID; a++)
			to[a] = sum.log[a] - sum.log[NA_J_GRID_ZERO];
	}
	return true;
}

/* Healthy spread of links, from what each way between two racks shows when all of
 * it is shifted: a faulty link moves few of the ways, and half of what enters the
 * other racks. */
static bool link_spread(const struct na_j_level *v, struct link *l,
			double *out, struct na_arena *tmp)
{
	double *x = NA_NEW(tmp, double, v->links->n), mad;
	size_t n = 0;

	if (!x)
		return false;
	for (size_t i = 0; i < v->links->n; i++) {
		double all[NA_J_GRID] = {0};

		l->n = list_connections(v, i, l->connection);
		if (l->n < NA_J_MIN_CONNECTIONS ||
		    v->links->v[i].cause != NA_JUDGE_RACK_PAIR)
			continue;
		for (size_t k = 0; k < l->n; k++)
			for (size_t a = 0; a < NA_J_GRID; a++)
				all[a] += v->ratio[(size_t)l->connection[k] *
							   NA_J_GRID +
						   a];
		x[n++] = v->grid->at[na_j_largest(all, NA_J_GRID)];
	}
	mad = na_j_mad(x, n);
	*out = sqrt((NA_J_PRIOR_WEIGHT * least_spread * least_spread +
		     (double)n * mad * mad) /
		    (NA_J_PRIOR_WEIGHT + (double)n));
	return true;
}

bool na_j_level_links(struct na_j_level *v, struct na_j_gain *out)
{
	struct na_arena tmp = {0};
	size_t most = v->n_connections;
	double null[NA_J_GRID], tau = least_spread;
	struct link l = {v, null,
			 .shifts = v->grid->high.to - v->grid->high.from};
	bool ok;

	if (!v->links->n)
		return true;
	na_arena_fini(&v->round);
	l.connection = NA_NEW(&tmp, uint32_t, most);
	l.host[0] = NA_NEW(&tmp, uint32_t, most);
	l.host[1] = NA_NEW(&tmp, uint32_t, most);
	l.odds = NA_NEW(&tmp, double, most * l.shifts);
	ok = l.connection && l.host[0] && l.host[1] && l.odds &&
	     ratios(v, &tmp) && link_spread(v, &l, &tau, &tmp);
	if (ok)
		na_j_null(v->grid, tau, NA_J_NU_FEW, null);
	for (size_t i = 0; ok && i < v->links->n; i++) {
		out[i] = (struct na_j_gain){0};
		v->link_bound[i] = NAN;
		l.n = list_connections(v, i, l.connection);
		if (l.n >= NA_J_MIN_CONNECTIONS)
			ok = link_gain(&l, i, &out[i]);
	}
	na_arena_fini(&tmp);
	return ok;
}
