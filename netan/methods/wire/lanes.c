/* Connections, each within a collective: what a fabric hashes to one path. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

/* Connections of healthy paths differ by this much. */
#define LEAST_SPREAD 0.03

static uint32_t end_of(const struct wi *w, enum wi_side side, uint32_t lane)
{
	const struct na_wire_connection *c =
		&w->in->connections[w->lanes.v[lane].connection];

	return side == WI_TX ? c->src : c->dst;
}

static bool index_ends(struct wi *w, enum wi_side side)
{
	size_t n = w->lanes.n;
	uint32_t *key = na_calloc(n, sizeof(*key)), *idx;
	bool ok;

	idx = w->lanes_of[side] = wi_take(w, n, sizeof(*idx));
	ok = key && idx;
	for (uint32_t i = 0; ok && i < n; i++) {
		idx[i] = i;
		key[i] = end_of(w, side, i);
	}
	ok = ok && wi_sort(idx, n, key, w->in->n_hosts);
	free(key);
	return ok;
}

const uint32_t *wi_lanes_of(const struct wi *w, enum wi_side side,
			    uint32_t host, size_t *n)
{
	const uint32_t *v = w->lanes_of[side];
	size_t all = w->lanes.n;
	size_t from = NA_BOUND(i, 0, all, end_of(w, side, v[i]) >= host);

	*n = NA_BOUND(i, from, all, end_of(w, side, v[i]) > host) - from;
	return v + from;
}

bool wi_lanes_index(struct wi *w)
{
	uint32_t *conn = na_calloc(w->n, sizeof(*conn));
	bool ok = conn != NULL;

	for (uint32_t i = 0; ok && i < w->n; i++) {
		w->by_lane[i] = i;
		conn[i] = w->in->rows[i].connection;
	}
	ok = ok && wi_sort(w->by_lane, w->n, w->step, w->in->n_steps) &&
	     wi_sort(w->by_lane, w->n, w->stratum, w->n_strata) &&
	     wi_sort(w->by_lane, w->n, conn, w->in->n_connections);
	for (uint32_t i = 0, to; ok && i < w->n; i = to) {
		uint32_t at = w->by_lane[i];
		struct wi_lane *l = na_push(&w->lanes);

		for (to = i; to < w->n && conn[w->by_lane[to]] == conn[at] &&
			     w->stratum[w->by_lane[to]] == w->stratum[at];
		     to++)
			;
		ok = l != NULL;
		if (ok)
			*l = (struct wi_lane){.connection = conn[at],
					      .stratum = w->stratum[at],
					      .first = i,
					      .n = to - i};
	}
	free(conn);
	return ok && index_ends(w, WI_TX) && index_ends(w, WI_RX);
}

/* Medians over the steps of a lane's lower quartile and median. */
void wi_lane_sum(struct wi *w, struct wi_lane *l)
{
	const uint32_t *rows = w->by_lane + l->first;
	double *lows = w->room + w->n, *mids, *raws;
	size_t steps = 0;

	mids = lows + w->in->n_steps;
	raws = mids + w->in->n_steps;
	for (size_t i = 0, to; i < l->n; i = to) {
		for (to = i; to < l->n && w->step[rows[to]] == w->step[rows[i]];
		     to++)
			w->room[to - i] = (double)w->fluid[rows[to]];
		lows[steps] = na_quantile(w->room, to - i, 0.25);
		mids[steps] = na_median(w->room, to - i);
		for (size_t k = i; k < to; k++)
			w->room[k - i] = (double)w->raw[rows[k]];
		raws[steps++] = na_quantile(w->room, to - i, 0.25);
	}
	l->steps = (uint32_t)steps;
	l->judged = steps >= NA_WIRE_MIN_STEPS;
	l->low = na_median(lows, steps);
	l->mid = na_median(mids, steps);
	l->raw = na_median(raws, steps);
}

NA_ORDER(by_stratum, struct wi_lane *, NA_CMP((*x)->stratum, (*y)->stratum),
	 NA_CMP((*x)->connection, (*y)->connection))

void wi_lane_judge(struct wi_lane *l)
{
	const struct wi_usual *u = &l->usual;
	double z_raw = (l->raw - u->raw.at) / u->raw.spread;
	double z = (l->low - u->low.at) / u->low.spread;

	l->effect = fmin(l->low - u->low.at, l->mid - u->mid.at);
	l->score = fmin(z_raw, 2 * z);
}

static void compare(struct wi *w, struct wi_lane **l, size_t n)
{
	struct wi_usual u;

	for (size_t i = 0; i < n; i++)
		w->room[i] = l[i]->mid;
	u.mid = wi_centre_of(w->room, n, LEAST_SPREAD);
	for (size_t i = 0; i < n; i++)
		w->room[i] = l[i]->low;
	u.low = wi_centre_of(w->room, n, LEAST_SPREAD);
	for (size_t i = 0; i < n; i++)
		w->room[i] = l[i]->raw;
	u.raw = wi_centre_of(w->room, n, LEAST_SPREAD);
	for (size_t i = 0; i < n; i++) {
		l[i]->usual = u;
		wi_lane_judge(l[i]);
	}
}

void wi_lanes_judge(struct wi *w)
{
	struct wi_lane **of = na_calloc(w->lanes.n, sizeof(*of));
	size_t n = 0;

	w->failed |= !of;
	for (size_t i = 0; of && i < w->lanes.n; i++) {
		wi_lane_sum(w, &w->lanes.v[i]);
		if (w->lanes.v[i].judged)
			of[n++] = &w->lanes.v[i];
	}
	if (of)
		na_sort(of, n, by_stratum);
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i; to < n && of[to]->stratum == of[i]->stratum; to++)
			;
		if (to - i >= NA_WIRE_MIN_HOSTS)
			compare(w, of + i, to - i);
		else
			for (size_t k = i; k < to; k++)
				of[k]->judged = false;
	}
	free(of);
}
