/*
 * What the slow connections that nobody is named for have in common: one side
 * of a host, or two, or that they are one path.  And why that is not enough.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define SHARED 0.8 /* of the slow pairs: nearly all */

struct doubting {
	struct wi *w;
	const struct na_wire_connection *slow; /* pairs of hosts */
	size_t n;
	uint32_t *count[WI_SIDES]; /* by host: of the slow pairs left */
	bool *told;                /* by slow pair */
};

static uint32_t end_of(const struct na_wire_connection *c, enum wi_side side)
{
	return side == WI_TX ? c->src : c->dst;
}

static void count(struct doubting *d)
{
	for (int side = 0; side < WI_SIDES; side++) {
		memset(d->count[side], 0,
		       d->w->in->n_hosts * sizeof(*d->count[side]));
		for (size_t i = 0; i < d->n; i++) {
			if (!d->told[i])
				d->count[side][end_of(&d->slow[i],
						      (enum wi_side)side)]++;
		}
	}
}

/* The side of most of those that are left. */
static size_t most(const struct doubting *d, enum wi_side *side, uint32_t *host)
{
	size_t best = 0;

	for (int s = 0; s < WI_SIDES; s++) {
		for (uint32_t h = 0; h < d->w->in->n_hosts; h++) {
			if (d->count[s][h] <= best)
				continue;
			best = d->count[s][h];
			*side = (enum wi_side)s;
			*host = h;
		}
	}
	return best;
}

/* They are sorted. */
static bool is_slow(const struct doubting *d, uint32_t src, uint32_t dst)
{
	const struct na_wire_connection *v = d->slow;
	size_t at = NA_BOUND(i, 0, d->n,
			     v[i].src > src ||
				     (v[i].src == src && v[i].dst >= dst));

	return at < d->n && v[at].src == src && v[at].dst == dst;
}

/* Of its slow pairs, in what they are judged in. */
static double effect_of(const struct doubting *d, enum wi_side side,
			uint32_t host, uint32_t peer)
{
	size_t all = 0, n = 0;
	const uint32_t *lanes = wi_lanes_of(d->w, side, host, &all);

	for (size_t i = 0; i < all; i++) {
		const struct wi_lane *l = &d->w->lanes.v[lanes[i]];
		const struct na_wire_connection *c =
			&d->w->in->connections[l->connection];

		if (l->judged &&
		    (peer == WI_NONE || end_of(c, !side) == peer) &&
		    is_slow(d, c->src, c->dst))
			d->w->room[n++] = l->effect;
	}
	return n ? na_median(d->w->room, n) : 0;
}

static size_t peers_of(const struct doubting *d, enum wi_side side,
		       uint32_t host)
{
	size_t n = 0, all = 0;
	const uint32_t *lanes = wi_lanes_of(d->w, side, host, &all);

	memset(d->count[!side], 0,
	       d->w->in->n_hosts * sizeof(*d->count[!side]));
	for (size_t i = 0; i < all; i++) {
		const struct na_wire_connection *c =
			&d->w->in->connections[d->w->lanes.v[lanes[i]]
						       .connection];

		n += !d->count[!side][end_of(c, !side)]++;
	}
	return n;
}

static const char *against_side(struct wi *w, enum wi_side side, uint32_t host)
{
	struct wi_candidate c = wi_candidate(w, side, host);

	if (c.score < 1)
		return "over all that it does it hardly stands out";
	return c.against ? c.against : "the sides that it talks to look as slow";
}

static void put_side(struct doubting *d, enum wi_side side, uint32_t host,
		     size_t slow)
{
	static const enum na_lz_kind kinds[] = {NA_LZ_SRC, NA_LZ_DST};
	struct na_wire_result *out = d->w->out;

	out->doubts[out->n_doubts++] = (struct na_wire_doubt){
		.who = {kinds[side], host, 0},
		.effect = effect_of(d, side, host, WI_NONE),
		.slow = slow,
		.all = peers_of(d, side, host),
		.against = against_side(d->w, side, host),
	};
}

static void put_path(struct doubting *d)
{
	const struct na_wire_connection *c = d->slow;
	struct wi_link best;
	const char *why;

	wi_path_best(d->w, &best, &why);
	if (d->w->failed)
		return;
	if (!why || best.who.a != c->src || best.who.b != c->dst)
		why = "not all that it carries is slow";
	d->w->out->doubts[d->w->out->n_doubts++] = (struct na_wire_doubt){
		.who = {NA_LZ_PAIR, c->src, c->dst},
		.effect = effect_of(d, WI_TX, c->src, c->dst),
		.slow = 1,
		.all = 1,
		.against = why,
	};
}

/* One side, or two, of nearly all; else they have nothing in common. */
static void put_sides(struct doubting *d)
{
	struct na_wire_result *out = d->w->out;
	size_t left = d->n;

	while (out->n_doubts < NA_WIRE_DOUBTS &&
	       (double)left > (1 - SHARED) * (double)d->n) {
		enum wi_side side = WI_TX;
		uint32_t host = 0;
		size_t n;

		count(d);
		n = most(d, &side, &host);
		if (n < 2)
			break;
		for (size_t i = 0; i < d->n; i++)
			d->told[i] |= end_of(&d->slow[i], side) == host;
		left -= n;
		put_side(d, side, host, n);
	}
	if ((double)left > (1 - SHARED) * (double)d->n)
		out->n_doubts = 0;
}

void wi_doubt(struct wi *w)
{
	struct doubting d = {.w = w, .slow = w->out->slow, .n = w->out->n_slow};
	size_t hosts = w->in->n_hosts;

	if (!d.n || w->found.n)
		return;
	d.count[WI_TX] = na_calloc(hosts, sizeof(uint32_t));
	d.count[WI_RX] = na_calloc(hosts, sizeof(uint32_t));
	d.told = na_calloc(d.n, sizeof(*d.told));
	if (!d.count[WI_TX] || !d.count[WI_RX] || !d.told)
		w->failed = true;
	else if (d.n == 1)
		put_path(&d);
	else
		put_sides(&d);
	if (d.n > 1 && !w->failed && !w->out->n_doubts)
		wi_group(w);
	free(d.count[WI_TX]);
	free(d.count[WI_RX]);
	free(d.told);
}
