/* What crosses a link of a rack, or a path, and what is left without it. */
#include "netan/methods/wire/state.h"

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
