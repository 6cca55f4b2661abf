/*
 * Sides of hosts: in each stratum (a collective, in a rack or across) the
 * lower quartile and the median of a side's transfers in each step, their
 * median over steps, and how far that stands from the other hosts'.
 */
#include <math.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

/* Healthy hosts differ by this much, however alike they look. */
#define LEAST_SPREAD 0.02

/* So few hosts say little of how hosts differ. */
#define FEW_SPREAD 0.1

static void cut_groups(struct wi *w, enum wi_side side)
{
	const uint32_t *order = w->order[side], *host = w->host[side];

	for (uint32_t i = 0, to; i < w->n; i = to) {
		uint32_t at = order[i];
		struct wi_group *g = na_push(&w->groups[side]);

		for (to = i; to < w->n; to++) {
			uint32_t r = order[to];

			if (host[r] != host[at] ||
			    w->stratum[r] != w->stratum[at] ||
			    w->step[r] != w->step[at])
				break;
		}
		w->failed |= !g;
		if (g)
			*g = (struct wi_group){.host = host[at],
					       .stratum = w->stratum[at],
					       .step = w->step[at],
					       .first = i,
					       .n = to - i};
	}
}

static void cut_strata(struct wi *w, enum wi_side side)
{
	for (uint32_t i = 0, to; i < w->groups[side].n; i = to) {
		const struct wi_group *g = w->groups[side].v;
		struct wi_stratum *s = na_push(&w->strata[side]);

		for (to = i;
		     to < w->groups[side].n && g[to].host == g[i].host &&
		     g[to].stratum == g[i].stratum;
		     to++)
			;
		w->failed |= !s;
		if (s)
			*s = (struct wi_stratum){.host = g[i].host,
						 .stratum = g[i].stratum,
						 .first = i,
						 .n = to - i};
	}
}

bool wi_sides_index(struct wi *w)
{
	cut_groups(w, WI_TX);
	cut_groups(w, WI_RX);
	cut_strata(w, WI_TX);
	cut_strata(w, WI_RX);
	return !w->failed;
}

static void judge_group(struct wi *w, enum wi_side side, struct wi_group *g)
{
	const uint32_t *rows = w->order[side] + g->first;

	for (size_t i = 0; i < g->n; i++)
		w->room[i] = (double)w->fluid[rows[i]];
	g->low = (float)na_quantile(w->room, g->n, 0.25);
	g->mid = (float)na_median(w->room, g->n);
	for (size_t i = 0; i < g->n; i++)
		w->room[i] = (double)w->raw[rows[i]];
	g->raw = (float)na_median(w->room, g->n);
}

/* Who sends as often in a step plays the same part, as in a tree the leaves
 * do and the root does not: only those can be compared. */
static uint32_t role_of(const struct wi *w, enum wi_side side,
			const struct wi_group *g, size_t n)
{
	uint32_t most = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t all = g[i].n + wi_roles_more(w, side, &g[i]);

		most = all > most ? all : most;
	}
	return most;
}

#define OVER_STEPS(to, member) \
	do { \
		for (size_t k = 0; k < s->n; k++) \
			w->room[k] = (double)g[k].member; \
		(to) = na_median(w->room, s->n); \
	} while (0)

static void sum_up(struct wi *w, enum wi_side side, struct wi_stratum *s)
{
	struct wi_group *g = w->groups[side].v + s->first;

	for (size_t k = 0; k < s->n; k++)
		judge_group(w, side, &g[k]);
	s->role = role_of(w, side, g, s->n);
	OVER_STEPS(s->raw, raw);
	OVER_STEPS(s->low, low);
	OVER_STEPS(s->mid, mid);
}

NA_ORDER(by_role, struct wi_stratum *, NA_CMP((*x)->stratum, (*y)->stratum),
	 NA_CMP((*x)->role, (*y)->role), NA_CMP((*x)->host, (*y)->host))

#define ACROSS(to, member) \
	do { \
		for (size_t k = 0; k < n; k++) \
			w->room[k] = s[k]->member; \
		(to) = wi_centre_of(w->room, n, LEAST_SPREAD); \
	} while (0)

/* The smaller of the two where both agree by half. */
static double both(double low, double mid)
{
	return fmax(fmin(low, 2 * mid), fmin(mid, 2 * low));
}

static void judge_one(struct wi_stratum *s)
{
	const struct wi_usual *u = &s->usual;

	s->z_low = (s->low - u->low.at) / u->low.spread;
	s->z_mid = (s->mid - u->mid.at) / u->mid.spread;
	s->score = both(s->z_low, s->z_mid);
	s->effect = fmin(s->mid - u->mid.at, 2 * (s->low - u->low.at));
	s->raw_effect = s->raw - u->raw.at;
	s->leads = s->effect > (s->host == u->first ? u->effect_2 : u->effect);
	s->judged = true;
}

static void rank_first(struct wi_stratum *const *s, size_t n,
		       struct wi_usual *u)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i]->effect > u->effect) {
			u->effect_2 = u->effect;
			u->second = u->first;
			u->effect = s[i]->effect;
			u->first = s[i]->host;
		} else if (s[i]->effect > u->effect_2) {
			u->effect_2 = s[i]->effect;
			u->second = s[i]->host;
		}
	}
}

/* One stratum of all hosts. */
static void compare(struct wi *w, struct wi_stratum **s, size_t n)
{
	struct wi_usual u;

	ACROSS(u.low, low);
	ACROSS(u.mid, mid);
	ACROSS(u.raw, raw);
	if (n < NA_WIRE_MIN_HOSTS)
		u.low.spread = u.mid.spread = fmax(u.low.spread, FEW_SPREAD);
	u.first = u.second = WI_NONE;
	u.effect = u.effect_2 = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		s[i]->usual = u;
		judge_one(s[i]);
	}
	rank_first(s, n, &u);
	for (size_t i = 0; i < n; i++) {
		s[i]->usual = u;
		judge_one(s[i]);
	}
}

struct wi_stratum *wi_strata_of(struct wi *w, enum wi_side side, uint32_t host,
				size_t *n)
{
	struct wi_stratum *v = w->strata[side].v;
	size_t all = w->strata[side].n;
	size_t from = NA_BOUND(i, 0, all, v[i].host >= host);

	*n = NA_BOUND(i, from, all, v[i].host > host) - from;
	return v + from;
}

const uint32_t *wi_rows_of(const struct wi *w, enum wi_side side,
			   const struct wi_stratum *s, size_t *n)
{
	const struct wi_group *g = w->groups[side].v + s->first;
	const struct wi_group *last = g + s->n - 1;

	*n = last->first + last->n - g->first;
	return w->order[side] + g->first;
}

/* Of so many hosts one that changes leaves the middle where it is. */
enum { SWAYS = 64 };

void wi_stratum_again(struct wi *w, enum wi_side side, struct wi_stratum *s)
{
	sum_up(w, side, s);
	if (s->n_like <= SWAYS)
		compare(w, w->by_role[side].v + s->like, s->n_like);
	else
		judge_one(s);
}

static bool alike(const struct wi_stratum *a, const struct wi_stratum *b)
{
	return a->stratum == b->stratum && a->role == b->role;
}

void wi_sides_judge(struct wi *w, enum wi_side side)
{
	size_t all = w->strata[side].n, n = 0;
	struct wi_stratum **of;

	w->by_role[side].n = 0;
	w->failed |= !na_room(&w->by_role[side], all);
	of = w->failed ? NULL : w->by_role[side].v;
	for (size_t i = 0; of && i < all; i++) {
		struct wi_stratum *s = &w->strata[side].v[i];

		s->judged = false;
		if (s->n < NA_WIRE_MIN_STEPS)
			continue;
		sum_up(w, side, s);
		of[n++] = s;
	}
	if (of)
		na_sort(of, n, by_role);
	w->by_role[side].n = n;
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i; to < n && alike(of[to], of[i]); to++)
			;
		for (size_t k = i; k < to; k++) {
			of[k]->like = (uint32_t)i;
			of[k]->n_like = (uint32_t)(to - i);
		}
		if (to - i >= NA_WIRE_FEW_HOSTS)
			compare(w, of + i, to - i);
	}
}
