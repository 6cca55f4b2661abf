#include "netan/judge/evidence/level.h"

#include <math.h>

#include "netan/base/vec.h"
#include "netan/judge/constants.h"
#include "netan/stats/tests/robust.h"

/* Variance of a unit's centre, a quantile of 25 %, over the squared spread of
 * its blocks' medians, for one block: that of normal values. */
static const double blocks_variance = 1.86;

/* Rows of a table. */
struct rows {
	const uint32_t *only; /* NULL: all */
	size_t n;
};

/* By unit, while the table is made. */
struct making {
	const struct na_j_session *s;
	struct rows rows;
	const double *view;
	struct na_groups unit;	/* rows by unit */
	struct na_groups block; /* rows by unit and block of steps */
	struct na_groups blocks; /* blocks by unit */
	double *median;		/* of a block */
	double *centre;		/* of a unit's blocks */
	double *spread;		/* 1.4826 MAD of them, for their number */
	struct na_arena tmp;
};

/* Does a pair typically have enough transfers of each collective? */
static bool by_collective(struct making *m, bool *yes)
{
	struct na_groups g;
	double *n;

	if (!na_j_group(&g, NA_J_BY(m->s->pair, m->s->coll), m->rows.only,
			m->rows.n, &m->tmp) ||
	    !(n = NA_NEW(&m->tmp, double, g.n)))
		return false;
	for (size_t i = 0; i < g.n; i++)
		n[i] = (double)na_j_count(&g, i);
	*yes = na_median(n, g.n) >= NA_J_MIN_SAMPLE && m->s->n_coll > 1;
	return true;
}

static bool group_rows(struct making *m, struct na_j_level *v)
{
	const struct na_j_session *s = m->s;
	size_t blocks = s->n_steps < NA_J_BLOCKS ? s->n_steps : NA_J_BLOCKS;
	uint32_t *block = NA_NEW(&m->tmp, uint32_t, s->n),
		 *coll = NA_NEW(&m->tmp, uint32_t, s->n), *unit;
	const uint32_t *of = v->of_connections ? s->connection : s->pair;
	bool colls;

	if (!block || !coll || !by_collective(m, &colls))
		return false;
	if (colls)
		coll = s->coll;
	v->all_collectives = !colls;
	for (size_t i = 0; i < s->n; i++)
		block[i] = (uint32_t)(s->step[i] * blocks / s->n_steps);
	if (!na_j_group(&m->unit, NA_J_BY(of, coll), m->rows.only, m->rows.n,
			&m->tmp) ||
	    !na_j_group(&m->block, NA_J_BY(of, coll, block), m->rows.only,
			m->rows.n, &m->tmp))
		return false;
	v->n = m->unit.n;
	v->units = NA_NEW(&v->mem, struct na_j_unit, v->n);
	unit = NA_NEW(&m->tmp, uint32_t, m->block.n);
	if (!v->units || !unit)
		return false;
	for (size_t i = 0; i < m->unit.n; i++)
		v->units[i].coll = coll[na_j_first(&m->unit, i)];
	/* Blocks come in the order of their units. */
	for (size_t b = 0, u = 0; b < m->block.n; b++) {
		while (m->block.from[b] >= m->unit.from[u + 1])
			u++;
		unit[b] = (uint32_t)u;
	}
	return na_j_group(&m->blocks, NA_J_BY(unit), NULL, m->block.n, &m->tmp);
}

/* Medians of blocks, and how far those of a unit spread. */
static bool block_medians(struct making *m, struct na_j_level *v)
{
	double *away = NA_NEW(&m->tmp, double, m->block.n),
	       *centre0 = na_j_quantiles(&m->unit, m->view, NA_J_CENTRE,
					 &m->tmp);

	m->median = na_j_quantiles(&m->block, m->view, .5, &m->tmp);
	if (!away || !centre0 || !m->median ||
	    !(m->centre = na_j_quantiles(&m->blocks, m->median, .5, &m->tmp)))
		return false;
	for (size_t u = 0; u < v->n; u++)
		for (uint32_t b = m->blocks.from[u]; b < m->blocks.from[u + 1];
		     b++)
			away[b] = fabs(m->median[b] - m->centre[u]);
	m->spread = na_j_quantiles(&m->blocks, away, .5, &m->tmp);
	for (size_t u = 0; m->spread && u < v->n; u++) {
		struct na_j_unit *unit = &v->units[u];
		double k = (double)na_j_count(&m->blocks, u);

		m->spread[u] *= NA_MAD_SIGMA * sqrt(k / fmax(k - 1, 1));
		unit->centre0 = unit->centre = centre0[u];
		unit->blocks = (uint32_t)k;
		unit->transfers = (uint32_t)na_j_count(&m->unit, u);
	}
	return m->spread;
}

/* Variance of a unit's centre from its blocks. */
static double from_blocks(const struct making *m, const struct na_j_level *v,
			  size_t u)
{
	double sd = fmax(m->spread[u], NA_J_FLOOR_CELL);

	return blocks_variance * sd * sd / (double)v->units[u].blocks;
}

/* Variance of one transfer where few units have enough blocks: from the
 * blocks of all that have two. */
static double pooled_blocks(const struct making *m, const struct na_j_level *v,
			    double *x)
{
	size_t n = 0, units = 0;
	double mad;

	for (size_t u = 0; u < v->n; u++)
		for (uint32_t b = m->blocks.from[u];
		     v->units[u].blocks >= 2 && b < m->blocks.from[u + 1]; b++)
			x[n++] = m->median[b] - m->centre[u];
	if (n <= 10)
		return .1;
	mad = 1.3 * na_j_mad(x, n);
	for (size_t u = 0; u < v->n; u++)
		if (v->units[u].blocks >= 2)
			x[units++] = (double)v->units[u].transfers /
				     (double)v->units[u].blocks;
	return blocks_variance * mad * mad * na_median(x, units);
}

/* Design effects are in it, for it comes of clusters. */
static double variance_of_one(const struct making *m,
			      const struct na_j_level *v, double *x)
{
	size_t n = 0;

	for (size_t u = 0; u < v->n; u++)
		if (v->units[u].blocks >= NA_J_MIN_SAMPLE)
			x[n++] = from_blocks(m, v, u) *
				 (double)v->units[u].transfers;
	return n > 10 ? na_median(x, n) : pooled_blocks(m, v, x);
}

/* Variances of few blocks, shrunk towards the pooled one (G. K. Smyth,
 * "Linear models and empirical Bayes methods", 2004). */
static bool errors(struct making *m, struct na_j_level *v)
{
	double *x = NA_NEW(&m->tmp, double, m->block.n + v->n), one;

	if (!x)
		return false;
	one = variance_of_one(m, v, x);
	for (size_t u = 0; u < v->n; u++) {
		struct na_j_unit *unit = &v->units[u];
		double k = (double)unit->blocks,
		       pooled = NA_J_PRIOR_WEIGHT * one /
				(double)unit->transfers;

		unit->se = sqrt((pooled + (k - 1) * from_blocks(m, v, u)) /
					(NA_J_PRIOR_WEIGHT + (k - 1)) +
				NA_J_FLOOR_CELL * NA_J_FLOOR_CELL / k);
	}
	return true;
}

/* Two clocks: their error, as a share of a unit's time, and common to a
 * side. */
static bool clock_errors(struct making *m, struct na_j_level *v)
{
	double *usual, middle;

	if (!(m->s->clock_se > 0))
		return true;
	if (!(usual = na_j_quantiles(&m->unit, m->s->log_took, .5, &m->tmp)))
		return false;
	for (size_t u = 0; u < v->n; u++) {
		usual[u] = fmin(m->s->clock_se / exp(usual[u]), 3);
		v->units[u].se = hypot(v->units[u].se, usual[u]);
	}
	middle = na_median(usual, v->n);
	v->clock_variance = middle * middle;
	return true;
}

static double median_distance(const struct making *m, size_t u, double *x)
{
	const struct na_j_session *s = m->s;
	size_t n = na_j_count(&m->unit, u);

	for (size_t i = 0; i < n; i++) {
		uint32_t row = m->unit.row[m->unit.from[u] + i];

		x[i] = s->connections[s->connection[row]].distance;
	}
	return na_j_order_statistic(x, n, .5);
}

/* Hosts, pairs and connections of the units. */
static bool place_units(struct making *m, struct na_j_level *v)
{
	const struct na_j_session *s = m->s;
	double *x = NA_NEW(&m->tmp, double, m->rows.n);
	uint32_t last_pair = UINT32_MAX, last = UINT32_MAX;

	v->pairs = NA_NEW(&v->mem, struct na_j_pair, v->n);
	v->connections =
		NA_NEW(&v->mem, struct na_j_level_connection, v->n);
	v->of_pair = NA_NEW(&v->mem, uint32_t, s->n_pairs + 1);
	if (!x || !v->pairs || !v->connections || !v->of_pair)
		return false;
	for (size_t u = 0; u < v->n; u++) {
		struct na_j_unit *unit = &v->units[u];
		uint32_t row = na_j_first(&m->unit, u), pair = s->pair[row],
			 of = v->of_connections ? s->connection[row] : pair;

		unit->host[0] = s->host[0][row];
		unit->host[1] = s->host[1][row];
		for (int side = 0; side < 2; side++)
			unit->device[side] = na_j_device_of(
				&s->connections[s->connection[row]], side);
		unit->near = median_distance(m, u, x);
		if (pair != last_pair)
			v->pairs[v->n_pairs++] = s->pairs[pair];
		unit->pair = (uint32_t)v->n_pairs - 1;
		if (of != last) {
			v->of_pair[pair + 1]++;
			v->connections[v->n_connections++] =
				(struct na_j_level_connection){
					{unit->host[0], unit->host[1]},
					unit->pair, 0, .near = unit->near};
		}
		unit->connection = (uint32_t)v->n_connections - 1;
		v->connections[unit->connection].units++;
		last_pair = pair;
		last = of;
	}
	for (size_t p = 0; p < s->n_pairs; p++)
		v->of_pair[p + 1] += v->of_pair[p];
	return true;
}

/* The number of collectives, for a side by collective is one of replicates. */
static size_t collectives(const struct na_j_level *v)
{
	for (size_t u = 1; u < v->n; u++)
		if (v->units[u].coll != v->units[0].coll)
			return 2;
	return 1;
}

static bool group_units(struct na_j_level *v)
{
	struct na_arena tmp = {0};
	uint32_t *host = NA_NEW(&tmp, uint32_t, v->n),
		 *device = NA_NEW(&tmp, uint32_t, v->n),
		 *pair = NA_NEW(&tmp, uint32_t, v->n),
		 *connection = NA_NEW(&tmp, uint32_t, v->n),
		 *coll = NA_NEW(&tmp, uint32_t, v->n);
	bool ok = host && device && pair && connection && coll;

	for (int side = 0; ok && side < 2; side++) {
		for (size_t u = 0; u < v->n; u++) {
			const struct na_j_unit *unit = &v->units[u];

			host[u] = unit->host[side];
			device[u] = unit->device[side];
			pair[u] = unit->pair;
			connection[u] = unit->connection;
			coll[u] = unit->coll;
		}
		ok = na_j_group(&v->by_side[side], NA_J_BY(host), NULL, v->n,
				&v->mem) &&
		     na_j_group(&v->by_side_coll[side], NA_J_BY(host, coll),
				NULL, v->n, &v->mem) &&
		     na_j_group(&v->by_device_coll[side],
				NA_J_BY(host, device, coll), NULL, v->n,
				&v->mem);
	}
	ok = ok &&
	     na_j_group(&v->by_pair, NA_J_BY(pair), NULL, v->n, &v->mem) &&
	     na_j_group(&v->by_connection, NA_J_BY(connection), NULL, v->n,
			&v->mem);
	na_arena_fini(&tmp);
	v->n_coll = collectives(v);
	return ok;
}

/* What is kept by host. */
static bool by_host(struct na_j_level *v)
{
	bool ok = true;

	for (size_t side = 0; side < 2; side++) {
		v->peers[side] = NA_NEW(&v->mem, uint32_t, v->n_hosts);
		v->shift[side] = NA_NEW(&v->mem, double, v->n_hosts);
		v->bound[side] = NA_NEW(&v->mem, double, v->n_hosts);
		ok = ok && v->peers[side] && v->shift[side] && v->bound[side];
	}
	v->link_bound = NA_NEW(&v->mem, double, v->links->n);
	for (size_t p = 0; ok && p < v->n_pairs; p++) {
		v->peers[0][v->pairs[p].src]++;
		v->peers[1][v->pairs[p].dst]++;
	}
	return ok && v->link_bound;
}

bool na_j_level_init(struct na_j_level *v, const struct na_j_session *s,
		     const double *view, bool large, bool of_connections,
		     const struct na_j_grid *grid,
		     const struct na_j_links *links, const double *odds)
{
	struct making m = {s, {large ? s->large : NULL,
			       large ? s->n_large : s->n}, view};
	bool ok;

	*v = (struct na_j_level){
		grid,        s->in,          links,
		s->n_hosts,  .large = large, .of_connections = of_connections,
		.odds = odds};
	ok = group_rows(&m, v) && block_medians(&m, v) && errors(&m, v) &&
	     clock_errors(&m, v) && place_units(&m, v);
	na_arena_fini(&m.tmp);
	return ok && group_units(v) && by_host(v);
}

void na_j_level_fini(struct na_j_level *v)
{
	na_arena_fini(&v->mem);
	na_arena_fini(&v->round);
}

void na_j_level_restore(struct na_j_level *v)
{
	for (size_t u = 0; u < v->n; u++)
		v->units[u].centre = v->units[u].centre0;
}
