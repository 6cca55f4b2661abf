/* Each pair in a few numbers, and how far healthy pairs lie apart. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"
#include "netan/stats/tests/robust.h"

#define SIGMA_FEW   5 /* records that a pair's own MAD needs */
#define SIGMA_PRIOR 8 /* records that sigma0 counts for */
#define SIGMA_LEAST 0.02
#define TAU_PRIOR   12
#define TAU_TYPICAL 0.08
#define TAU_LEAST   0.06
#define SHARED_FROM 0.3
#define SHARED_MOST 0.9

struct summing {
	struct lz_view *v;
	const struct lz *z;
	double *sigma; /* by pair */
};

static void count_records(void *arg, size_t p, struct lz_room *room)
{
	const struct summing *g = arg;
	const struct na_lz_pair *pair = &g->z->in->pairs[p];
	const struct na_lz_transfer *t = g->z->in->transfers + pair->first;

	(void)room;
	for (size_t i = 0; i < pair->n; i++)
		g->v->n[p] += t[i].size_bytes >= g->v->min_bytes;
}

static void sum_up(void *arg, size_t p, struct lz_room *room)
{
	const struct summing *g = arg;
	const struct na_lz_pair *pair = &g->z->in->pairs[p];
	const struct na_lz_transfer *t = g->z->in->transfers + pair->first;
	struct lz_view *v = g->v;
	size_t n = 0;

	for (size_t i = 0; i < pair->n; i++) {
		if (t[i].size_bytes >= v->min_bytes)
			room->x[n++] = t[i].residual;
	}
	if (!n)
		return;
	na_sort_f32(room->x, room->tmp, n);
	v->m[p] = na_quantile_f32(room->x, n, 0.5);
	g->sigma[p] = NA_MAD_SIGMA * na_mad_f32(room->x, n, v->m[p]);
	v->low[p] = na_quantile_f32(room->x, n, 0.25);
	if (v->high)
		v->high[p] = na_quantile_f32(room->x, n, 0.75);
	if (!g->z->shared)
		return;
	n = 0;
	for (size_t i = 0; i < pair->n; i++) {
		if (t[i].size_bytes >= v->min_bytes)
			room->x[n++] = g->z->shared[pair->first + i];
	}
	na_sort_f32(room->x, room->tmp, n);
	v->fluid[p] = na_quantile_f32(room->x, n, 0.5);
}

/* Into x, of the pairs that have so many records in this channel. */
static size_t collect(const struct lz *z, const struct lz_view *v, size_t least,
		      const double *what, double *x)
{
	size_t m = 0;

	for (size_t p = 0; p < z->in->n_pairs; p++) {
		if (v->n[p] >= least)
			x[m++] = what[p];
	}
	return m;
}

static double median_of(const struct lz *z, const struct lz_view *v,
			const double *what, double *x)
{
	return na_median(x, collect(z, v, 1, what, x));
}

static double robust_variance(double *x, size_t n)
{
	return lz_square(NA_MAD_SIGMA * na_mad(x, n, na_median(x, n)));
}

/* Typical spread inside a pair, of pairs with enough records. */
static double typical_sigma(const struct lz *z, const struct lz_view *v,
			    const double *sigma, double *x)
{
	size_t m = collect(z, v, SIGMA_FEW, sigma, x);
	double typical;

	if (!m)
		m = collect(z, v, 2, sigma, x);
	if (m)
		typical = na_median(x, m);
	else /* one record for each pair: all spread is between them */
		typical = sqrt(robust_variance(x, collect(z, v, 1, v->m, x)));
	return lz_larger(typical, SIGMA_LEAST);
}

static void standard_errors(const struct lz *z, struct lz_view *v,
			    const double *sigma)
{
	double prior = SIGMA_PRIOR * lz_square(v->sigma0);

	for (size_t p = 0; p < z->in->n_pairs; p++) {
		double n = v->n[p], s2;

		if (!v->n[p])
			continue;
		s2 = (prior + (n - 1) * lz_square(sigma[p])) /
		     (SIGMA_PRIOR + n - 1);
		v->se2[p] = LZ_HALF_PI * s2 / n * (1 + 3 / n);
	}
}

/* Takes the median of each side out of m.  Returns how many sides. */
static size_t remove_sides(const struct lz *z, const struct lz_view *v,
			   enum na_lz_kind kind, double *m, double *x)
{
	size_t sides = 0;

	for (uint32_t h = 0; h < z->in->n_hosts; h++) {
		size_t k = 0;
		double centre;

		lz_for_side (p, z, kind, h) {
			if (v->n[*p])
				x[k++] = m[*p];
		}
		sides += k > 0;
		centre = na_median(x, k);
		lz_for_side (p, z, kind, h)
			m[*p] -= centre;
	}
	return sides;
}

static double spread_of_pairs(const struct lz *z, const struct lz_view *v,
			      const double *m, double *x, double se2)
{
	return lz_larger(robust_variance(x, collect(z, v, 1, m, x)) - se2, 0);
}

/* How far healthy pairs lie apart; m and x are room. */
static void fit_tau(const struct lz *z, struct lz_view *v, double *m, double *x)
{
	double se2 = median_of(z, v, v->se2, x), tau2, inner;
	double P = (double)v->valid, sides;

	tau2 = spread_of_pairs(z, v, v->m, x, se2);
	for (size_t p = 0; p < z->in->n_pairs; p++)
		m[p] = v->m[p];
	sides = (double)remove_sides(z, v, NA_LZ_SRC, m, x);
	sides += (double)remove_sides(z, v, NA_LZ_DST, m, x);
	if (P > 2 * sides) {
		inner = spread_of_pairs(z, v, m, x, se2);
		tau2 = lz_smaller(tau2, inner * P / (P - sides + 1));
	}
	tau2 = (TAU_PRIOR * lz_square(TAU_TYPICAL) + P * tau2) /
	       (TAU_PRIOR + P);
	v->tau2 = lz_larger(tau2, lz_square(TAU_LEAST));
}

/* What the two directions of a pair share: their distance. */
static double shared_variance(const struct lz *z, const struct lz_view *v,
			      double *sum, double *diff)
{
	size_t k = 0;
	double shared;

	for (size_t p = 0; p < z->in->n_pairs; p++) {
		uint32_t r = lz_reverse(z, p);

		if (r == NA_LZ_NONE || r < p || !v->n[p] || !v->n[r])
			continue;
		sum[k] = (v->m[p] + v->m[r]) / 2;
		diff[k++] = (v->m[p] - v->m[r]) / 2;
	}
	shared = robust_variance(sum, k) - robust_variance(diff, k);
	if (!(shared > SHARED_FROM * v->tau2))
		return 0;
	return lz_smaller(shared, SHARED_MOST * v->tau2);
}

static void centre(const struct lz *z, struct lz_view *v, double *x)
{
	double low = median_of(z, v, v->low, x);
	double fluid = v->fluid_centre = median_of(z, v, v->fluid, x);

	v->centre = median_of(z, v, v->m, x);
	for (size_t p = 0; p < z->in->n_pairs; p++) {
		if (!v->n[p])
			continue;
		v->m[p] -= v->centre;
		v->low[p] -= low;
		v->fluid[p] -= fluid;
	}
}

static bool view_room(struct lz_view *v, size_t n)
{
	struct lz_memory *m = &v->memory;

	v->m = na_lz_take(m, n, sizeof(*v->m));
	v->se2 = na_lz_take(m, n, sizeof(*v->se2));
	v->low = na_calloc(n, sizeof(*v->low));
	v->fluid = na_calloc(n, sizeof(*v->fluid));
	if (v->channel == NA_LZ_LARGE)
		v->high = na_lz_take(m, n, sizeof(*v->high));
	return !m->failed && v->low && v->fluid;
}

static enum na_status sum_all_up(struct lz_view *v, const struct lz *z,
				 struct na_err *err)
{
	size_t n = z->in->n_pairs;
	double *x = na_calloc(n, sizeof(*x)), *y = na_calloc(n, sizeof(*y));
	struct summing g = {.v = v, .z = z, .sigma = y};
	enum na_status s;

	if (x && y && view_room(v, n))
		s = na_lz_each_pair(z, sum_up, &g, err);
	else
		s = na_fail_nomem(err);
	if (s == NA_OK) {
		v->sigma0 = typical_sigma(z, v, g.sigma, x);
		standard_errors(z, v, g.sigma);
		fit_tau(z, v, y, x); /* y is room from here on */
		v->shared = shared_variance(z, v, x, y);
		centre(z, v, x);
	}
	free(x);
	free(y);
	return s;
}

enum na_status na_lz_view_init(struct lz_view *v, const struct lz *z,
			       enum na_lz_channel channel, struct na_err *err)
{
	size_t n = z->in->n_pairs;
	struct summing g = {.v = v, .z = z};
	enum na_status s;

	*v = (struct lz_view){.channel = channel,
			      .min_bytes = channel == NA_LZ_LARGE
						   ? (float)LZ_LARGE_B
						   : -1};
	v->n = na_calloc(n, sizeof(*v->n));
	if (!v->n)
		return na_fail_nomem(err);
	s = na_lz_each_pair(z, count_records, &g, err);
	for (size_t p = 0; s == NA_OK && p < n; p++)
		v->valid += v->n[p] > 0;
	if (s == NA_OK && v->valid)
		return sum_all_up(v, z, err);
	na_lz_view_fini(v);
	return s;
}

void na_lz_view_fini(struct lz_view *v)
{
	na_arena_fini(&v->memory.arena);
	free(v->n);
	free(v->low);
	free(v->fluid);
	v->n = NULL;
	v->low = v->fluid = NULL;
}
