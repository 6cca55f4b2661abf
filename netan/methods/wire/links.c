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

size_t wi_link_rows(const struct wi *w, const struct wi_link *l, size_t *pairs)
{
	uint32_t last = WI_NONE;
	size_t n = 0;

	*pairs = 0;

	for (size_t i = 0; i < w->lanes.n; i++) {
		const struct wi_lane *x = &w->lanes.v[i];

		if (!covers(w, l, &w->in->connections[x->connection]))
			continue;
		n += x->n;
		*pairs += x->connection != last;
		last = x->connection;
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
