/*
 * What a candidate must show besides significance ("Explanation"): on a shared
 * fabric most slow pairs are victims, and these keep them from being blamed.
 */
#include <math.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"
#include "netan/stats/tests/robust.h"

#define BROAD_SHARE     0.6
#define KEEPS           0.4 /* of the effect */
#define ABOVE_LEVEL     2.0
#define FLOOR           0.09531017980432493 /* log 1.1 */
#define PATH_FLOOR      0.13976194237515868 /* log 1.15 */
#define FLUID_LEAST     0.09531017980432493 /* log 1.1 */
#define FLUID_KEEPS     0.4
#define DIRECTION       0.1823215567939546 /* log 1.2 */
#define DIRECTION_NOISE 0.08

enum { MANY_PAIRS = 4, CELL_RECORDS = 3 };

/* Does the condition hold on each side that the candidate has? */
typedef bool side_test(struct lz_explain *x, const struct lz_candidate *c,
		       enum na_lz_kind side);

static bool each_side(struct lz_explain *x, const struct lz_candidate *c,
		      side_test *test)
{
	for (enum na_lz_kind k = NA_LZ_SRC; k <= NA_LZ_DST; k++) {
		if ((c->who.kind == k || c->who.kind == NA_LZ_HOST) &&
		    !test(x, c, k))
			return false;
	}
	return true;
}

static bool side_is_broad(struct lz_explain *x, const struct lz_candidate *c,
			  enum na_lz_kind side)
{
	size_t all = 0, slow = 0;

	lz_for_side (p, x->z, side, c->who.a) {
		all += x->v->n[*p] > 0;
		slow += x->v->n[*p] && x->cur[*p] > c->effect / 2;
	}
	return (double)slow >= BROAD_SHARE * (double)all;
}

/* An uplink, or a few hash collisions, slow a subset; a NIC slows all. */
static bool broad(struct lz_explain *x, const struct lz_candidate *c)
{
	return each_side(x, c, side_is_broad);
}

static bool side_in_rack(struct lz_explain *x, const struct lz_candidate *c,
			 enum na_lz_kind side)
{
	size_t all = 0, slow = 0;

	lz_for_side (p, x->z, side, c->who.a) {
		if (!x->v->n[*p] || lz_crosses(x->z, *p))
			continue;
		all++;
		slow += x->cur[*p] > KEEPS * c->effect;
	}
	return 2 * slow >= all;
}

/* In-rack pairs do not cross the fabric: a bad NIC slows them too. */
static bool in_rack(struct lz_explain *x, const struct lz_candidate *c)
{
	return !x->z->out->n_racks || each_side(x, c, side_in_rack);
}

static bool side_has_floor(struct lz_explain *x, const struct lz_candidate *c,
			   enum na_lz_kind side)
{
	size_t m = 0;

	lz_for_side (p, x->z, side, c->who.a) {
		if (x->v->n[*p])
			x->scratch[m++] = x->low[*p];
	}
	return na_median(x->scratch, m) > lz_larger(FLOOR, KEEPS * c->effect);
}

/* Even the best transfers of a bad NIC are slow, a victim's are not. */
static bool has_floor(struct lz_explain *x, const struct lz_candidate *c)
{
	return each_side(x, c, side_has_floor);
}

static bool side_beyond_share(struct lz_explain *x,
			      const struct lz_candidate *c,
			      enum na_lz_kind side)
{
	size_t m = 0;

	lz_for_side (p, x->z, side, c->who.a) {
		if (x->v->n[*p])
			x->scratch[m++] = x->fluid[*p];
	}
	return na_median(x->scratch, m) >
	       lz_larger(FLUID_LEAST, FLUID_KEEPS * c->effect);
}

/* What passed its ports meanwhile does not explain it. */
static bool beyond_share(struct lz_explain *x, const struct lz_candidate *c)
{
	uint32_t p;

	if (!x->z->shared)
		return true;
	if (c->who.kind != NA_LZ_PAIR)
		return each_side(x, c, side_beyond_share);
	p = na_lz_find_pair(x->z, c->who.a, c->who.b);
	return x->fluid[p] > lz_larger(FLUID_LEAST, FLUID_KEEPS * c->effect);
}

NA_ORDER(by_cell, struct lz_in_cell, NA_UP(collective), NA_UP(r))

/* The path's records with their collectives; a stride of them if many. */
static size_t read_cells(const struct lz_explain *x, uint32_t p,
			 struct lz_in_cell *out)
{
	const struct na_lz_input *in = x->z->in;
	const struct na_lz_pair *pair = &in->pairs[p];
	size_t step = pair->n / LZ_CELL_MOST + 1, n = 0;

	for (size_t i = 0; i < pair->n; i += step) {
		const struct na_lz_transfer *t =
			&in->transfers[pair->first + i];

		if (t->moment >= in->n_moments ||
		    !(t->size_bytes >= x->v->min_bytes))
			continue;
		out[n++] =
			(struct lz_in_cell){in->moments[t->moment].collective,
					    t->residual};
	}
	return n;
}

/* A path that is slow in one collective only shows that collective. */
static bool in_two_collectives(const struct lz_explain *x, uint32_t p,
			       double effect)
{
	struct lz_in_cell *cells = x->cells;
	double best = -HUGE_VAL, second = -HUGE_VAL;
	double base = x->v->centre + x->v->m[p] - x->cur[p];
	size_t n = read_cells(x, p, cells), counted = 0;

	na_sort(cells, n, by_cell);
	for (size_t i = 0, to; i < n; i = to) {
		double m;

		for (to = i; to < n; to++) {
			if (cells[to].collective != cells[i].collective)
				break;
		}
		if (to - i < CELL_RECORDS)
			continue;
		counted++;
		m = (double)(cells[(i + to) / 2].r +
			     cells[(i + to - 1) / 2].r) /
			    2 -
		    base;
		if (m > best) {
			second = best;
			best = m;
		} else if (m > second) {
			second = m;
		}
	}
	return counted < 2 || second >= KEEPS * effect;
}

/* Contention makes a long tail of slow pairs: a bad path stands out. */
static bool path_stands_out(struct lz_explain *x, const struct lz_candidate *c)
{
	uint32_t p;

	if (c->who.kind != NA_LZ_PAIR)
		return true;
	p = na_lz_find_pair(x->z, c->who.a, c->who.b);
	return x->cur[p] > lz_larger(LZ_MIN_PATH + x->path_level,
				     ABOVE_LEVEL * x->path_level) &&
	       x->low[p] > lz_larger(PATH_FLOOR, KEEPS * c->effect) &&
	       in_two_collectives(x, p, c->effect);
}

/* How much slower than its reverse; false: there is none. */
static bool direction(const struct lz_explain *x, uint32_t p, double *dv,
		      double *weight)
{
	uint32_t r = lz_reverse(x->z, p);

	if (r == NA_LZ_NONE || !x->v->n[r])
		return false;
	*dv = x->cur[p] - x->cur[r];
	*weight = 1 / (x->v->se2[p] + x->v->se2[r] +
		       2 * DIRECTION_NOISE * DIRECTION_NOISE);
	return true;
}

static bool path_exceeds_reverse(const struct lz_explain *x,
				 const struct lz_candidate *c)
{
	double limit = log((double)x->v->valid / x->z->alpha), dv, w;

	if (!direction(x, na_lz_find_pair(x->z, c->who.a, c->who.b), &dv, &w))
		return c->effect >= LZ_LOG_3;
	return dv > LZ_MIN_PATH && dv * dv * w / 2 > limit;
}

static bool side_exceeds_reverse(struct lz_explain *x,
				 const struct lz_candidate *c,
				 enum na_lz_kind side)
{
	double limit = log(3 * (double)x->z->hosts / x->z->alpha);
	double sum = 0, weights = 0, dv, w;
	size_t all = 0;

	lz_for_side (p, x->z, side, c->who.a) {
		all += x->v->n[*p] > 0;
		if (x->v->n[*p] && direction(x, *p, &dv, &w)) {
			sum += dv * w;
			weights += w;
		}
	}
	if (all >= MANY_PAIRS || c->effect >= LZ_LOG_3)
		return true;
	if (c->who.kind == NA_LZ_HOST || !(weights > 0))
		return false;
	dv = sum / weights;
	return dv > DIRECTION && dv * dv * weights / 2 > limit;
}

/* Without a topology both directions may be slow because they are far. */
static bool exceeds_reverse(struct lz_explain *x, const struct lz_candidate *c)
{
	if (x->z->in->locality_given)
		return true;
	if (c->who.kind == NA_LZ_PAIR)
		return path_exceeds_reverse(x, c);
	return each_side(x, c, side_exceeds_reverse);
}

static const struct {
	enum na_lz_part part;
	bool for_paths;
	bool (*holds)(struct lz_explain *x, const struct lz_candidate *c);
} conditions[] = {
	{NA_LZ_PART_BROAD, false, broad},
	{NA_LZ_PART_IN_RACK, false, in_rack},
	{NA_LZ_PART_FLOOR, false, has_floor},
	{NA_LZ_PART_FLUID, true, beyond_share},
	{NA_LZ_PART_PATH, true, path_stands_out},
	{NA_LZ_PART_REVERSE, true, exceeds_reverse},
};

bool na_lz_conditions_hold(struct lz_explain *x, const struct lz_candidate *c)
{
	bool path = c->who.kind == NA_LZ_PAIR;

	for (size_t i = 0; i < NA_LEN(conditions); i++) {
		if ((path && !conditions[i].for_paths) ||
		    !lz_on(x->z, conditions[i].part))
			continue;
		if (!conditions[i].holds(x, c))
			return false;
	}
	return true;
}
