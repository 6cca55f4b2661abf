/*
 * Links of racks, and paths.  A bad link among equal ones slows those of a
 * rack's connections that hash onto it: which ones is not known.  So slow
 * connections are counted in each block (out of a rack, into it, from one to
 * another) and compared with those outside, by likelihood.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

#define LEAST_EFFECT 0.1823 /* log 1.2, of a connection */
#define LINK_EFFECT  0.6931 /* log 2: the median of its slow connections */
#define USUAL_LEAST  0.005
#define TIMES_USUAL  4.0
#define OVER_USUAL   0.4
#define BY_CHANCE    500.0 /* likelihood ratio for each block */

enum { LEAST_RACKS = 3 }; /* of two, each link is the other one's */

static const double levels[] = {8, 6, 4.5, 3.5, 2.5};

/* A connection across racks: the collective that shows it best. */
struct across {
	uint32_t connection, src, dst, rack_a, rack_b;
	double score, effect;
};

typedef NA_VEC(struct across) crossing;

static bool is_slow_lane(const struct wi_lane *l)
{
	return l->judged && l->effect > LEAST_EFFECT;
}

static void collect(struct wi *w, crossing *x)
{
	const struct na_wire_input *in = w->in;

	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *l = &w->lanes.v[i];
		const struct na_wire_connection *c =
			&in->connections[l->connection];
		struct across *a;

		if (!l->judged || !(l->stratum & 1))
			continue;
		a = x->n ? &x->v[x->n - 1] : NULL;
		if (!a || a->connection != l->connection) {
			a = na_push(x);
			w->failed |= !a;
			if (!a)
				return;
			a->connection = l->connection;
			a->src = c->src;
			a->dst = c->dst;
			a->rack_a = in->rack_of[c->src];
			a->rack_b = in->rack_of[c->dst];
		}
		if (is_slow_lane(l) && l->score > a->score) {
			a->score = l->score;
			a->effect = l->effect;
		}
	}
}

static bool inside(const struct across *a, struct na_lz_who who)
{
	switch (who.kind) {
	case NA_LZ_RACK_UPLINK:
		return a->rack_a == who.a;
	case NA_LZ_RACK_DOWNLINK:
		return a->rack_b == who.a;
	default:
		return a->rack_a == who.a && a->rack_b == who.b;
	}
}

struct spread_of {
	uint32_t *seen; /* [hosts * 2 + racks] */
	size_t sources, sinks, racks, most;
};

static void count_ends(struct wi *w, const struct across *a,
		       struct na_lz_who who, struct spread_of *s)
{
	size_t h = w->in->n_hosts;
	uint32_t far = who.kind == NA_LZ_RACK_DOWNLINK ? a->rack_a : a->rack_b;
	uint32_t src = ++s->seen[a->src], dst = ++s->seen[h + a->dst];

	s->sources += src == 1;
	s->sinks += dst == 1;
	s->racks += s->seen[2 * h + far]++ == 0;
	s->most = src > s->most ? src : s->most;
	s->most = dst > s->most ? dst : s->most;
}

/* A link of a rack slows several hosts on either end. */
static bool spread_out(const struct spread_of *s, size_t slow)
{
	if (s->sources < 2 || s->sinks < 2)
		return false;
	if (s->racks < 2)
		return false;
	return slow < 4 || 3 * s->most <= 2 * slow;
}

static void judge_block(struct wi *w, const crossing *x, struct na_lz_who who,
			double level, struct spread_of *s, struct wi_link *best)
{
	double in_all = 0, in_slow = 0, all = 0, slow = 0, f0, f1, llr;
	double effect;
	double blocks = (double)(w->in->n_racks * (w->in->n_racks + 1));
	size_t n = 0;

	memset(s->seen, 0,
	       (2 * w->in->n_hosts + w->in->n_racks) * sizeof(*s->seen));
	s->sources = s->sinks = s->racks = s->most = 0;
	for (size_t i = 0; i < x->n; i++) {
		const struct across *a = &x->v[i];
		bool is = a->score > level;

		if (!inside(a, who)) {
			all++;
			slow += is;
			continue;
		}
		in_all++;
		if (!is)
			continue;
		in_slow++;
		count_ends(w, a, who, s);
		w->room[n++] = a->effect;
	}
	if (n < 2 || !spread_out(s, n))
		return;
	f1 = in_slow / in_all;
	f0 = all > 0 ? fmax((slow + 0.5) / all, USUAL_LEAST) : 1;
	if (f1 < TIMES_USUAL * f0 && f1 < f0 + OVER_USUAL)
		return;
	llr = na_share_llr(in_slow, in_all, f0) - log(BY_CHANCE * blocks);
	if (f1 <= f0 || llr <= best->score)
		return;
	effect = na_median(w->room, n);
	if (effect < LINK_EFFECT)
		return;
	*best = (struct wi_link){
		.who = who,
		.score = llr,
		.effect = effect,
		.p_value = exp(-llr) / BY_CHANCE,
		.lanes = n,
	};
}

static void judge_level(struct wi *w, const crossing *x, double level,
			struct spread_of *s, struct wi_link *best)
{
	uint32_t racks = (uint32_t)w->in->n_racks;

	for (uint32_t a = 0; a < racks; a++) {
		judge_block(w, x, (struct na_lz_who){NA_LZ_RACK_UPLINK, a, 0},
			    level, s, best);
		judge_block(w, x, (struct na_lz_who){NA_LZ_RACK_DOWNLINK, a, 0},
			    level, s, best);
	}
}

bool wi_link_best(struct wi *w, struct wi_link *best)
{
	crossing x = {NULL, 0, 0};
	struct spread_of s = {
		.seen = na_calloc(2 * w->in->n_hosts + w->in->n_racks,
				  sizeof(*s.seen))};

	*best = (struct wi_link){0};
	w->failed |= !s.seen;
	if (s.seen && w->in->n_racks >= LEAST_RACKS) {
		collect(w, &x);
		for (size_t i = 0; i < NA_LEN(levels); i++)
			judge_level(w, &x, levels[i], &s, best);
	}
	na_vec_free(&x);
	free(s.seen);
	return best->lanes > 0;
}

static bool covers(const struct wi *w, const struct wi_link *l,
		   const struct na_wire_connection *c)
{
	struct across a;

	if (l->who.kind == NA_LZ_PAIR)
		return c->src == l->who.a && c->dst == l->who.b;
	a.rack_a = w->in->rack_of[c->src];
	a.rack_b = w->in->rack_of[c->dst];
	return a.rack_a != a.rack_b && inside(&a, l->who);
}

size_t wi_link_rows(const struct wi *w, const struct wi_link *l)
{
	size_t n = 0;

	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *x = &w->lanes.v[i];

		if (covers(w, l, &w->in->connections[x->connection]))
			n += x->n;
	}
	return n;
}

void wi_link_remove(struct wi *w, const struct wi_link *l)
{
	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *x = &w->lanes.v[i];
		double e = x->effect;

		if (!x->judged || e <= 0 ||
		    !covers(w, l, &w->in->connections[x->connection]))
			continue;
		for (size_t k = 0; k < x->n; k++) {
			w->fluid[w->by_lane[x->first + k]] -= (float)e;
			w->raw[w->by_lane[x->first + k]] -= (float)e;
		}
	}
}
