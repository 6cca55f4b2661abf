/*
 * One directed path between two hosts: slow in all that it carries, and far
 * slower than any other.  A fabric's own collisions of hashes slow some
 * paths, too, and less.  What waits for it in one collective, or in two, is
 * as slow there and not in the others: so paths are compared by the median of
 * what they carry.
 */
#include <math.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define SCORE  6.0
#define EFFECT 0.6931 /* log 2 */
#define FAR    1.0986 /* log 3, where it may as well be far */
#define BACK   0.3    /* of its effect: its way back is no slower */
#define ALL    0.2624 /* log 1.3 */
#define NEARLY 0.75   /* of its connections in collectives */
#define AHEAD  2.5    /* times the next path's score */

/* Several may be slow, each by itself: those that are far ahead of all others,
 * on every connection of theirs. */
enum { MOST_AHEAD = 4, OWN_CONNECTIONS = 2 };

struct path {
	uint32_t src, dst;
	double score, effect; /* medians */
	uint32_t connection;
	size_t lanes, slow, connections;
};

typedef NA_VEC(struct path) paths;

NA_ORDER(by_ends, struct path, NA_UP(src), NA_UP(dst), NA_UP(connection))
NA_ORDER(by_score, struct path, NA_DOWN(score), NA_UP(src), NA_UP(dst))

static void collect(struct wi *w, paths *all)
{
	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *l = &w->lanes.v[i];
		const struct na_wire_connection *c =
			&w->in->connections[l->connection];

		if (l->judged)
			w->failed |= !na_add(
				all,
				((struct path){.src = c->src,
					       .dst = c->dst,
					       .score = l->score,
					       .effect = l->effect,
					       .connection = l->connection,
					       .slow = l->effect > ALL}));
	}
}

/* Lanes of a pair of hosts [from, to) as one path. */
static struct path path_of(struct wi *w, const paths *all, size_t from,
			   size_t to)
{
	struct path p = all->v[from];

	p.lanes = to - from;
	p.slow = 0;
	for (size_t i = from; i < to; i++) {
		w->room[i - from] = all->v[i].score;
		p.connections += i == from || all->v[i].connection !=
						      all->v[i - 1].connection;
	}
	p.score = na_median(w->room, p.lanes);
	for (size_t i = from; i < to; i++) {
		w->room[i - from] = all->v[i].effect;
		p.slow += all->v[i].slow;
	}
	p.effect = na_median(w->room, p.lanes);
	return p;
}

static void fold(struct wi *w, paths *all)
{
	size_t n = 0;

	na_sort(all->v, all->n, by_ends);
	for (size_t i = 0, to; i < all->n; i = to) {
		for (to = i; to < all->n && all->v[to].src == all->v[i].src &&
			     all->v[to].dst == all->v[i].dst;
		     to++)
			;
		all->v[n++] = path_of(w, all, i, to);
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

/* Its racks are known, or its way back is as quick as others: it is not far. */
static bool is_near(const struct wi *w, const paths *all, const struct path *p)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct path *x = &all->v[i];

		if (x->src == p->dst && x->dst == p->src)
			return w->in->n_racks > 1 ||
			       x->effect < BACK * p->effect;
	}
	return w->in->n_racks > 1;
}

static bool is_slow(const struct path *p)
{
	return p->score > SCORE && p->lanes >= 2 &&
	       (double)p->slow >= NEARLY * (double)p->lanes;
}

/* Several that meet at one end are as well explained by that host's side. */
static bool meets(const struct path *p, const struct path *before, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p->src == before[i].src || p->dst == before[i].dst)
			return true;
	}
	return false;
}

/* The slowest, or it and others like it. */
static bool is_far_ahead(const paths *all)
{
	const struct path *p = all->v;
	bool several = true;

	for (size_t n = 1; n <= MOST_AHEAD && n < all->n && several; n++, p++) {
		if (p->score > AHEAD * p[1].score)
			return true;
		several = p->connections >= OWN_CONNECTIONS && is_slow(p) &&
			  p[1].connections >= OWN_CONNECTIONS &&
			  is_slow(p + 1) && !meets(p + 1, all->v, n);
	}
	return false;
}

/* What keeps the slowest path from being named; NULL: nothing. */
static const char *against(const struct wi *w, const paths *all)
{
	const struct path *p = all->v;

	if (all->n < 2 || !has_others(all, p))
		return "its ends talk to nobody else, so that a side of either "
		       "looks the same";
	if (!is_far_ahead(all))
		return "other paths are nearly as slow";
	if (!is_slow(p))
		return "not all that it carries is slow";
	if (p->effect <= EFFECT)
		return "a collision of hashes in the fabric slows a path as "
		       "much";
	if (p->effect <= FAR && !is_near(w, all, p))
		return "without the topology a far pair looks as slow";
	return NULL;
}

bool wi_path_best(struct wi *w, struct wi_link *best, const char **why)
{
	paths all = {NULL, 0, 0};

	*best = (struct wi_link){0};
	*why = "clocks may differ so much";
	if (w->in->two_clocks)
		return false;
	collect(w, &all);
	fold(w, &all);
	na_sort(all.v, all.n, by_score);
	*why = all.n ? against(w, &all) : "";
	if (all.n)
		*best = (struct wi_link){
			.who = {NA_LZ_PAIR, all.v->src, all.v->dst},
			.score = all.v->score,
			.effect = all.v->effect,
			.p_value = na_normal_upper(all.v->score),
			.lanes = 1,
		};
	na_vec_free(&all);
	return !*why;
}
