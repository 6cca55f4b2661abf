/*
 * One directed path between two hosts: slow in all that it carries, and far
 * slower than any other.  A fabric's own collisions of hashes slow some
 * paths, too, and less.
 */
#include <math.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/tests.h"

#define SCORE  6.0
#define EFFECT 0.6931 /* log 2 */
#define ALONE  1.0986 /* log 3, where racks are not known: a far pair? */
#define ALL    0.2624 /* log 1.3, in each collective */
#define AHEAD  2.5    /* times the next path's score */

struct path {
	uint32_t src, dst;
	double score, least, effect;
	size_t lanes;
};

typedef NA_VEC(struct path) paths;

NA_ORDER(by_ends, struct path, NA_UP(src), NA_UP(dst))
NA_ORDER(by_score, struct path, NA_DOWN(score), NA_UP(src), NA_UP(dst))

static void collect(struct wi *w, paths *all)
{
	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *l = &w->lanes.v[i];
		const struct na_wire_connection *c =
			&w->in->connections[l->connection];

		if (l->judged)
			w->failed |= !na_add(all,
					     ((struct path){c->src, c->dst,
							    l->score, l->effect,
							    l->effect, 1}));
	}
}

/* Lanes of a pair of hosts become one path. */
static void fold(paths *all)
{
	size_t n = 0;

	na_sort(all->v, all->n, by_ends);
	for (size_t i = 0; i < all->n; i++) {
		struct path *p = n ? &all->v[n - 1] : NULL;
		const struct path x = all->v[i];

		if (!p || p->src != x.src || p->dst != x.dst) {
			all->v[n++] = x;
			continue;
		}
		p->score = fmax(p->score, x.score);
		p->effect = fmax(p->effect, x.effect);
		p->least = fmin(p->least, x.least);
		p->lanes += x.lanes;
	}
	all->n = n;
}

/* Both ends talk to others as well: else it may be a side of either. */
static bool has_others(const paths *all, const struct path *p)
{
	bool from = false, to = false;

	for (size_t i = 0; i < all->n; i++) {
		const struct path *x = &all->v[i];

		from |= x->src == p->src && x->dst != p->dst;
		to |= x->dst == p->dst && x->src != p->src;
	}
	return from && to;
}

bool wi_path_best(struct wi *w, struct wi_link *best)
{
	double effect = w->in->n_racks > 1 ? EFFECT : ALONE;
	paths all = {NULL, 0, 0};
	const struct path *p;

	*best = (struct wi_link){0};
	if (w->in->two_clocks)
		return false;
	collect(w, &all);
	fold(&all);
	na_sort(all.v, all.n, by_score);
	p = all.v;
	if (all.n > 1 && p->score > SCORE && p->effect > effect &&
	    p->least > ALL && p->lanes > 1 && p->score > AHEAD * p[1].score &&
	    has_others(&all, p))
		*best = (struct wi_link){
			.who = {NA_LZ_PAIR, p->src, p->dst},
			.score = p->score,
			.effect = p->effect,
			.p_value = na_normal_upper(p->score),
			.lanes = 1,
		};
	na_vec_free(&all);
	return best->lanes > 0;
}
