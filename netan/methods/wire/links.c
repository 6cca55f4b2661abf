/* What crosses a link of a rack, or a path, and what is left without it. */
#include <stdlib.h>

#include "netan/methods/wire/state.h"

#define SOME   0.25 /* of a pair's connections in collectives */
#define NEARLY 0.75 /* of them: all */
#define OF_ONE 0.67 /* of the slow pairs: most */

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

/* Of pairs of hosts: how many with more than one connection are slow on all,
 * and on some; those that are slow at all, and the most of one host. */
struct slow_pairs {
	size_t wholly, partly, several, any, of_one;
};

/* get: slow pairs of the receiver. */
static void count_pair(struct slow_pairs *n, const struct between *b,
		       size_t *get)
{
	double share = (double)b->slow / (double)b->lanes;
	bool several = b->connections > 1;

	n->any += share >= SOME;
	*get += share >= SOME;
	n->of_one = *get > n->of_one ? *get : n->of_one;
	n->several += several;
	n->wholly += several && share >= NEARLY;
	n->partly += several && share >= SOME && share < NEARLY;
}

static void count_host(struct wi *w, const struct wi_link *l, uint32_t src,
		       struct between *to, size_t *get, struct slow_pairs *n)
{
	size_t n_lanes = 0, before = n->any;
	const uint32_t *lanes = wi_lanes_of(w, WI_TX, src, &n_lanes);

	gather(w, l, src, to);
	for (size_t i = 0; i < n_lanes; i++) {
		uint32_t k = w->lanes.v[lanes[i]].connection;
		uint32_t dst = w->in->connections[k].dst;

		if (!to[dst].lanes)
			continue;
		count_pair(n, &to[dst], &get[dst]);
		to[dst] = (struct between){0};
	}
	n->of_one = n->any - before > n->of_one ? n->any - before : n->of_one;
}

static struct slow_pairs count_slow(struct wi *w, const struct wi_link *l)
{
	struct between *to = na_calloc(w->in->n_hosts, sizeof(*to));
	size_t *get = na_calloc(w->in->n_hosts, sizeof(*get));
	struct slow_pairs n = {0};

	w->failed |= !to || !get;
	for (uint32_t h = 0; to && get && h < w->in->n_hosts; h++)
		count_host(w, l, h, to, get, &n);
	free(to);
	free(get);
	return n;
}

bool wi_link_is_else(struct wi *w, const struct wi_link *l)
{
	struct slow_pairs n = count_slow(w, l);

	if ((double)n.of_one > OF_ONE * (double)n.any)
		return true;
	return 2 * n.wholly < n.several && n.wholly > 2 * n.partly;
}

size_t wi_link_slow_pairs(struct wi *w, const struct wi_link *l)
{
	return count_slow(w, l).any;
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
