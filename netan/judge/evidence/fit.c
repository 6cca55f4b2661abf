/*
 * Healthy shifts of sides: most likely under the null, one side after the
 * other, then the same by collective (a root, a port busy in one exchange).
 */
#include <math.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/judge/constants.h"
#include "netan/judge/evidence/level.h"
#include "netan/stats/tests/robust.h"

double na_j_level_nu(const struct na_j_level *v)
{
	return fmin(fmax(v->nu, NA_J_NU_UNIT_MIN), NA_J_NU_FEW);
}

double na_j_level_rest(const struct na_j_level *v, const struct na_j_unit *u,
		       int side)
{
	return u->centre - v->mu -
	       (v->shift[!side][u->host[!side]] + u->by_coll[!side]);
}

na_j_kernel *na_j_collectives(const struct na_j_level *v, int side)
{
	na_j_kernel *k = na_calloc(1, sizeof(*k));

	if (k && v->n_coll > 1)
		na_j_kernel_init(v->grid, v->side[side].tau_coll, NA_J_NU_FEW,
				 *k);
	return k;
}

void na_j_level_groups(const struct na_j_level *v, int side,
		       const struct na_groups *g, size_t from, size_t to,
		       double less, const na_j_kernel collectives, double *ll)
{
	struct na_j_sum sum;

	memset(ll, 0, NA_J_GRID * sizeof(*ll));
	for (size_t group = from; group < to; group++) {
		na_j_sum_start(&sum, na_j_level_nu(v));
		for (uint32_t n = g->from[group]; n < g->from[group + 1]; n++) {
			const struct na_j_unit *u = &v->units[g->row[n]];

			na_j_sum_add(&sum, v->grid,
				     na_j_level_rest(v, u, side) - less,
				     u->scale);
		}
		na_j_sum_end(&sum);
		if (v->n_coll > 1)
			na_j_smear(collectives, sum.log);
		for (size_t a = 0; a < NA_J_GRID; a++)
			ll[a] += sum.log[a];
	}
}

size_t na_j_level_side(const struct na_j_level *v, int side, size_t group,
		       const na_j_kernel collectives, double *ll)
{
	const struct na_groups *g = &v->by_side_coll[side];
	uint32_t host = v->units[na_j_first(g, group)].host[side];
	size_t end = group;

	while (end < g->n && v->units[na_j_first(g, end)].host[side] == host)
		end++;
	na_j_level_groups(v, side, g, group, end, 0, collectives, ll);
	return end;
}

const double *na_j_level_connection(const struct na_j_level *v,
				    size_t connection, const double *x,
				    struct na_j_sum *sum)
{
	const struct na_groups *g = &v->by_connection;

	na_j_sum_start(sum, NA_J_NU_FEW);
	for (uint32_t k = g->from[connection]; k < g->from[connection + 1];
	     k++) {
		uint32_t u = g->row[k];

		na_j_sum_add(sum, v->grid, x[u],
			     hypot(v->units[u].se, v->unit_coll));
	}
	return na_j_sum_end(sum);
}

/* A side of one pair has no shift of its own: that is the pair's. */
static bool fit_side(struct na_j_level *v, int side)
{
	const struct na_groups *g = &v->by_side_coll[side];
	na_j_kernel *k = na_j_collectives(v, side);
	double ll[NA_J_GRID], null[NA_J_GRID];

	na_j_null(v->grid, v->side[side].tau, v->side[side].nu, null);
	for (size_t i = 0; k && i < g->n;) {
		uint32_t host = v->units[na_j_first(g, i)].host[side];

		i = na_j_level_side(v, side, i, NA_J_KERNEL(k), ll);
		for (size_t a = 0; a < NA_J_GRID; a++)
			ll[a] += null[a] - v->grid->log_width[a];
		v->shift[side][host] =
			v->peers[side][host] > 1
				? v->grid->at[na_j_largest(ll, NA_J_GRID)]
				: 0;
	}
	free(k);
	return k;
}

static double shifted(const struct na_j_level *v, const struct na_j_unit *u)
{
	return u->centre - v->mu - v->shift[0][u->host[0]] -
	       v->shift[1][u->host[1]];
}

static bool pairs_at_least_two(const struct na_j_level *v, const uint32_t *unit,
			       size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v->units[unit[i]].pair != v->units[unit[0]].pair)
			return true;
	return false;
}

/* Where at least two pairs share the shift. */
static void fit_collectives(struct na_j_level *v, int side)
{
	const struct na_groups *g = &v->by_side_coll[side];
	double null[NA_J_GRID];
	struct na_j_sum sum;

	for (size_t a = 0; a < NA_J_GRID; a++)
		null[a] = na_j_t_log(v->grid->at[a] / v->side[side].tau_coll,
				     NA_J_NU_FEW);
	for (size_t i = 0; i < g->n; i++) {
		const uint32_t *unit = g->row + g->from[i];
		size_t n = na_j_count(g, i);
		double shift;

		if (!pairs_at_least_two(v, unit, n))
			continue;
		na_j_sum_start(&sum, na_j_level_nu(v));
		for (size_t k = 0; k < n; k++)
			na_j_sum_add(&sum, v->grid, v->units[unit[k]].own,
				     v->units[unit[k]].scale);
		na_j_sum_end(&sum);
		for (size_t a = 0; a < NA_J_GRID; a++)
			sum.log[a] += null[a];
		shift = v->grid->at[na_j_largest(sum.log, NA_J_GRID)];
		for (size_t k = 0; k < n; k++) {
			v->units[unit[k]].by_coll[side] = shift;
			v->units[unit[k]].own -= shift;
		}
	}
}

static void start(struct na_j_level *v, double *x)
{
	for (int side = 0; side < 2; side++)
		memset(v->shift[side], 0, v->n_hosts * sizeof(double));
	for (size_t u = 0; u < v->n; u++) {
		v->units[u].by_coll[0] = v->units[u].by_coll[1] = 0;
		x[u] = v->units[u].centre;
	}
	v->mu = na_median(x, v->n);
}

bool na_j_level_fit(struct na_j_level *v)
{
	struct na_arena tmp = {0};
	double *x = NA_NEW(&tmp, double, v->n);
	bool ok = x && (v->spreads_known || na_j_level_spreads(v));

	v->any = 0;
	if (ok)
		start(v, x);
	for (int round = 0; ok && round < 2; round++) {
		ok = fit_side(v, 0) && fit_side(v, 1);
		for (size_t u = 0; u < v->n; u++)
			x[u] = shifted(v, &v->units[u]);
		v->mu += na_median(x, v->n);
	}
	for (size_t u = 0; u < v->n; u++)
		v->units[u].own = shifted(v, &v->units[u]);
	for (int side = 0; ok && v->n_coll > 1 && side < 2; side++)
		fit_collectives(v, side);
	na_arena_fini(&tmp);
	return ok;
}
