/*
 * Slow connections that nobody is named for, and that begin, or end, at a few
 * hosts: no one of them stands out, and what the racks say does not hold them
 * together.  Whether they are as slow among themselves tells a link that they
 * share from sides of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define SHARED 0.8  /* of the slow pairs: nearly all */
#define MEMBER 0.5  /* of the slow pairs that the foremost of them has */
#define MOST   0.5  /* of their pairs with others: slow */
#define SPARED 0.25 /* of those among themselves: hardly any */

struct grouping {
	struct wi *w;
	enum wi_side side;
	size_t *count; /* by host: of the slow pairs */
	bool *in;      /* by host */
	uint32_t *seen; /* by host: for whom it was last counted */
};

static uint32_t end_of(const struct na_wire_connection *c, enum wi_side side)
{
	return side == WI_TX ? c->src : c->dst;
}

/* How many of the slow pairs theirs are. */
static size_t gather(struct grouping *g, struct na_wire_group *to)
{
	const struct na_wire_result *out = g->w->out;
	size_t hosts = g->w->in->n_hosts, most = 0, theirs = 0;

	memset(g->count, 0, hosts * sizeof(*g->count));
	for (size_t i = 0; i < out->n_slow; i++) {
		size_t n = ++g->count[end_of(&out->slow[i], g->side)];

		most = n > most ? n : most;
	}
	for (uint32_t h = 0; h < hosts; h++) {
		g->in[h] = (double)g->count[h] >= MEMBER * (double)most;
		if (!g->in[h])
			continue;
		theirs += g->count[h];
		if (to->n < NA_WIRE_GROUP)
			to->hosts[to->n] = h;
		to->n++;
	}
	return theirs;
}

/* Pairs of hosts, among themselves and with others; those that are slow. */
struct ways {
	size_t all[2], slow[2];
};

static void count_ways(struct grouping *g, uint32_t host, struct ways *to)
{
	size_t n = 0;
	const uint32_t *lanes = wi_lanes_of(g->w, g->side, host, &n);

	for (size_t i = 0; i < n; i++) {
		const struct wi_lane *l = &g->w->lanes.v[lanes[i]];
		uint32_t peer = end_of(&g->w->in->connections[l->connection],
				       !g->side);

		to->all[!g->in[peer]] += l->judged && g->seen[peer] != host;
		if (l->judged)
			g->seen[peer] = host;
	}
}

static struct ways ways_of(struct grouping *g, const struct na_wire_group *of)
{
	const struct na_wire_result *out = g->w->out;
	struct ways n = {{0}, {0}};

	memset(g->seen, 0xff, g->w->in->n_hosts * sizeof(*g->seen));
	for (size_t i = 0; i < of->n; i++)
		count_ways(g, of->hosts[i], &n);
	for (size_t i = 0; i < out->n_slow; i++) {
		if (g->in[end_of(&out->slow[i], g->side)])
			n.slow[!g->in[end_of(&out->slow[i], !g->side)]]++;
	}
	return n;
}

/* Of what they send to (get from) others. */
static double effect_of(const struct grouping *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->w->lanes.n; i++) {
		const struct wi_lane *l = &g->w->lanes.v[i];
		const struct na_wire_connection *c =
			&g->w->in->connections[l->connection];

		if (l->judged && g->in[end_of(c, g->side)] &&
		    !g->in[end_of(c, !g->side)])
			g->w->room[n++] = l->effect;
	}
	return na_median(g->w->room, n);
}

static bool find(struct grouping *g, struct na_wire_group *to)
{
	static const enum na_lz_kind kinds[] = {NA_LZ_SRC, NA_LZ_DST};
	const struct na_wire_result *out = g->w->out;
	struct ways n;

	*to = (struct na_wire_group){.kind = kinds[g->side]};
	if ((double)gather(g, to) < SHARED * (double)out->n_slow ||
	    to->n < 2 || to->n > NA_WIRE_GROUP ||
	    2 * to->n >= g->w->in->n_hosts)
		return false;
	n = ways_of(g, to);
	to->slow = n.slow[1];
	to->all = n.all[1];
	to->apart = n.all[0] &&
		    (double)n.slow[0] < SPARED * (double)n.all[0];
	to->effect = effect_of(g);
	return (double)to->slow >= MOST * (double)to->all;
}

void wi_group(struct wi *w)
{
	size_t hosts = w->in->n_hosts;
	struct grouping g = {.w = w,
			     .count = na_calloc(hosts, sizeof(*g.count)),
			     .in = na_calloc(hosts, sizeof(*g.in)),
			     .seen = na_calloc(hosts, sizeof(*g.seen))};
	bool ok = g.count && g.in && g.seen, found = false;

	w->failed |= !ok;
	for (int side = 0; ok && !found && side < WI_SIDES; side++) {
		g.side = (enum wi_side)side;
		found = find(&g, &w->out->group);
	}
	if (!found)
		w->out->group.n = 0;
	free(g.count);
	free(g.in);
	free(g.seen);
}
