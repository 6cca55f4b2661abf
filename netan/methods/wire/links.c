/* What crosses a link of a rack, or a path, and what is left without it. */
#include <math.h>
#include <stdlib.h>

#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define SOME   0.25 /* of a pair's connections in collectives */
#define NEARLY 0.75 /* of them: all */
#define OF_ONE 0.67 /* of the slow pairs: most */
#define DIFFER 3.0  /* deviates: one in 700 by chance */

static bool covers(const struct wi *w, const struct wi_link *l,
		   const struct na_wire_connection *c)
{
	uint32_t from, to;

	if (l->who.kind == NA_LZ_PAIR)
		return c->src == l->who.a && c->dst == l->who.b;
	from = w->in->rack_of[c->src];
	to = w->in->rack_of[c->dst];
	if (from == to)
		return false;
	switch (l->who.kind) {
	case NA_LZ_RACK_UPLINK:
		return from == l->who.a;
	case NA_LZ_RACK_DOWNLINK:
		return to == l->who.a;
	default:
		return from == l->who.a && to == l->who.b;
	}
}

/* What a host sends across it to another one; zero between hosts. */
struct between {
	uint32_t connection; /* the last one that was seen */
	size_t connections, lanes, slow;
};

static void gather(const struct wi *w, const struct wi_link *l, uint32_t src,
		   struct between *to)
{
	size_t n = 0;
	const uint32_t *lanes = wi_lanes_of(w, WI_TX, src, &n);

	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *x = &w->lanes.v[lanes[i]];
		const struct na_wire_connection *c =
			&w->in->connections[x->connection];
		struct between *b = &to[c->dst];

		if (!x->judged || !covers(w, l, c))
			continue;
		b->connections += !b->lanes || b->connection != x->connection;
		b->connection = x->connection;
		b->lanes++;
		b->slow += x->effect > l->effect / 2;
	}
}

/* What one host sends across it, or gets. */
struct of_host {
	size_t connections, lanes, slow; /* of lanes */
	size_t slow_pairs;
};

/* Of pairs of hosts: how many with more than one connection are slow on all,
 * and on some; those that are slow at all. */
struct slow_pairs {
	size_t wholly, partly, several, any;
	struct of_host *of[WI_SIDES]; /* [hosts] */
};

static void add_to_host(struct of_host *h, const struct between *b, bool slow)
{
	h->connections += b->connections;
	h->lanes += b->lanes;
	h->slow += b->slow;
	h->slow_pairs += slow;
}

static void count_pair(struct slow_pairs *n, const struct between *b,
		       uint32_t src, uint32_t dst)
{
	double share = (double)b->slow / (double)b->lanes;
	bool several = b->connections > 1;

	n->any += share >= SOME;
	n->several += several;
	n->wholly += several && share >= NEARLY;
	n->partly += several && share >= SOME && share < NEARLY;
	add_to_host(&n->of[WI_TX][src], b, share >= SOME);
	add_to_host(&n->of[WI_RX][dst], b, share >= SOME);
}

static void count_host(struct wi *w, const struct wi_link *l, uint32_t src,
		       struct between *to, struct slow_pairs *n)
{
	size_t n_lanes = 0;
	const uint32_t *lanes = wi_lanes_of(w, WI_TX, src, &n_lanes);

	gather(w, l, src, to);
	for (size_t i = 0; i < n_lanes; i++) {
		uint32_t k = w->lanes.v[lanes[i]].connection;
		uint32_t dst = w->in->connections[k].dst;

		if (!to[dst].lanes)
			continue;
		count_pair(n, &to[dst], src, dst);
		to[dst] = (struct between){0};
	}
}

/* False: no memory.  slow_pairs_fini() in any case. */
static bool count_slow(struct wi *w, const struct wi_link *l,
		       struct slow_pairs *n)
{
	size_t hosts = w->in->n_hosts;
	struct between *to = na_calloc(hosts, sizeof(*to));
	bool ok;

	*n = (struct slow_pairs){0};
	for (int side = 0; side < WI_SIDES; side++)
		n->of[side] = na_calloc(hosts, sizeof(*n->of[side]));
	ok = to && n->of[WI_TX] && n->of[WI_RX];
	w->failed |= !ok;
	for (uint32_t h = 0; ok && h < hosts; h++)
		count_host(w, l, h, to, n);
	free(to);
	return ok;
}

static void slow_pairs_fini(struct slow_pairs *n)
{
	free(n->of[WI_TX]);
	free(n->of[WI_RX]);
}

static bool of_one_host(const struct slow_pairs *n, enum wi_side side,
			size_t hosts)
{
	size_t most = 0;

	for (size_t h = 0; h < hosts; h++) {
		size_t of = n->of[side][h].slow_pairs;

		most = of > most ? of : most;
	}
	return (double)most > OF_ONE * (double)n->any;
}

static double slow_share(const struct of_host *h)
{
	return h->lanes ? (double)h->slow / (double)h->lanes : 0;
}

/*
 * A fabric deals connections out to links whichever hosts they are of.  Do
 * hosts differ in their slow ones by more than that does?  Pearson's chi-square
 * of homogeneity, as a normal deviate (Wilson and Hilferty, PNAS 1931).
 */
static bool hosts_differ(const struct slow_pairs *n, enum wi_side side,
			 size_t hosts)
{
	const struct of_host *of = n->of[side];
	double all = 0, slow = 0, x = 0, freedom = -1, p, at;

	for (size_t h = 0; h < hosts; h++) {
		all += (double)of[h].connections;
		slow += (double)of[h].connections * slow_share(&of[h]);
		freedom += of[h].connections > 0;
	}
	p = slow / all;
	if (!(freedom > 0 && p > 0 && p < 1))
		return false;
	for (size_t h = 0; h < hosts; h++)
		x += (double)of[h].connections *
		     (slow_share(&of[h]) - p) * (slow_share(&of[h]) - p);
	at = 2 / (9 * freedom);
	return (cbrt(x / (p * (1 - p)) / freedom) - 1 + at) / sqrt(at) >
	       DIFFER;
}

static bool is_else(const struct slow_pairs *n, size_t hosts)
{
	for (int side = 0; side < WI_SIDES; side++) {
		if (of_one_host(n, (enum wi_side)side, hosts) ||
		    hosts_differ(n, (enum wi_side)side, hosts))
			return true;
	}
	return 2 * n->wholly < n->several && n->wholly > 2 * n->partly;
}

bool wi_link_is_else(struct wi *w, const struct wi_link *l)
{
	struct slow_pairs n;
	bool is = count_slow(w, l, &n) && is_else(&n, w->in->n_hosts);

	slow_pairs_fini(&n);
	return is;
}

size_t wi_link_slow_pairs(struct wi *w, const struct wi_link *l)
{
	struct slow_pairs n;

	count_slow(w, l, &n);
	slow_pairs_fini(&n);
	return n.any;
}

/* Pairs of hosts, as of a side: a connection is of two devices. */
size_t wi_link_rows(struct wi *w, const struct wi_link *l, size_t *pairs)
{
	struct na_triples seen = {0};
	size_t n = 0;

	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *x = &w->lanes.v[i];
		const struct na_wire_connection *c =
			&w->in->connections[x->connection];

		if (!covers(w, l, c))
			continue;
		n += x->n;
		w->failed |= na_triples_add(&seen,
					    (struct na_triple){c->src, c->dst,
							       0}) ==
			     NA_NO_TRIPLE;
	}
	*pairs = seen.n;
	na_triples_fini(&seen);
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

/* Of what it sends there the median of what is slow as the link is; NaN. */
static double slow_effect(struct wi *w, const struct wi_link *l, uint32_t src,
			  uint32_t dst)
{
	size_t n = 0, slow = 0;
	const uint32_t *lanes = wi_lanes_of(w, WI_TX, src, &n);

	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *x = &w->lanes.v[lanes[i]];

		if (x->judged && x->effect > l->effect / 2 &&
		    w->in->connections[x->connection].dst == dst)
			w->room[slow++] = x->effect;
	}
	return slow ? na_median(w->room, slow) : (double)NAN;
}

void wi_link_alike(struct wi *w, const struct wi_link *l)
{
	for (size_t i = 0; i < w->out->n_alike; i++) {
		struct na_wire_alike *x = &w->out->alike[i];
		const struct na_wire_connection c = {x->src, x->dst};

		if (!covers(w, l, &c))
			continue;
		x->effect = l->who.kind == NA_LZ_PAIR
				    ? l->effect
				    : fmax(x->effect,
					   slow_effect(w, l, x->src, x->dst));
	}
}
