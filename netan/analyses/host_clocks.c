#include "netan/analyses/host_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

void na_host_clocks_fini(struct na_host_clocks *c)
{
	const struct na_store *store = c->store;

	na_triples_fini(&c->pairs);
	free(c->most_ps);
	free(c->ahead_ps);
	free(c->uncertainty_ps);
	free(c->group);
	*c = (struct na_host_clocks){.store = store};
}

bool na_host_clocks_bound(struct na_host_clocks *c, uint32_t src, uint32_t dst,
			  int64_t most_ps)
{
	size_t known = c->pairs.n;
	uint32_t p = na_triples_add(&c->pairs, (struct na_triple){src, dst, 0});

	if (p == NA_NO_TRIPLE)
		return false;
	if (p == known) {
		if (!na_grow(&c->most_ps, &c->cap_most, known + 1,
			     sizeof(*c->most_ps)))
			return false;
		c->most_ps[p] = most_ps;
	} else if (most_ps < c->most_ps[p]) {
		c->most_ps[p] = most_ps;
	}
	return true;
}

/* Packets are seen on one clock, whoever sent them. */
static bool tells_clocks(const struct na_transfer *t)
{
	return t->side == NA_RX && t->style < NA_STYLE_CAPTURE &&
	       t->component == NA_COMP_NETWORK &&
	       (t->klass == NA_VALID || t->klass == NA_CLOCK_SKEW);
}

bool na_host_clocks_add(struct na_host_clocks *c, const struct na_transfer *t)
{
	uint32_t run, src, dst;
	int64_t most_ps;

	if (!tells_clocks(t))
		return true;
	run = c->store->sources[t->input].run;
	src = na_store_host_of(c->store, run, t->src);
	dst = na_store_host_of(c->store, run, t->dst);
	if (src == dst || src >= c->store->n_hosts || dst >= c->store->n_hosts)
		return true;
	most_ps = na_time_between(t->start_ps, t->end_ps);
	if (!na_add_i64(most_ps, NA_PS_PER_US, &most_ps))
		return true;
	return na_host_clocks_bound(c, src, dst, most_ps);
}

bool na_host_clocks_merge(struct na_host_clocks *c,
			  const struct na_host_clocks *from)
{
	for (size_t p = 0; p < from->pairs.n; p++) {
		const struct na_triple *k = &from->pairs.keys[p];

		if (!na_host_clocks_bound(c, k->a, k->b, from->most_ps[p]))
			return false;
	}
	return true;
}

struct edge {
	uint32_t src, dst;
	int64_t most_ps;
};

struct settling {
	struct na_host_clocks *c;
	struct edge *edges; /* those whose hosts send and receive */
	size_t n;
	int64_t *to, *from; /* distances; NA_TIME_MAX: no path */
};

static bool shorter(int64_t *best, int64_t via, int64_t by)
{
	int64_t sum;

	if (via == NA_TIME_MAX || !na_add_i64(via, by, &sum) || sum >= *best)
		return false;
	*best = sum;
	return true;
}

/*
 * Shortest paths from the first host of a group, and to it (Bellman and
 * Ford: bounds from na_host_clocks_bound() may be below zero).  False: they
 * get shorter forever, which bounds that hold do not.
 */
static bool measure(struct settling *s, uint32_t first)
{
	size_t hosts = s->c->n_hosts;
	bool moved = true;

	for (size_t h = 0; h < hosts; h++)
		s->to[h] = s->from[h] = NA_TIME_MAX;
	s->to[first] = s->from[first] = 0;
	for (size_t round = 0; moved && round <= hosts; round++) {
		moved = false;
		for (size_t i = 0; i < s->n; i++) {
			const struct edge *e = &s->edges[i];

			moved |= shorter(&s->to[e->dst], s->to[e->src],
					 e->most_ps);
			moved |= shorter(&s->from[e->src], s->from[e->dst],
					 e->most_ps);
		}
	}
	return !moved;
}

/* ahead <= to, and -ahead <= from. */
static void settle_host(struct settling *s, uint32_t first, uint32_t h)
{
	na_i128 sum = (na_i128)s->to[h] + s->from[h];
	na_i128 low = -(na_i128)s->from[h];
	na_i128 half = (sum + 1) / 2;

	s->c->group[h] = first;
	s->c->ahead_ps[h] = (int64_t)(low + sum / 2);
	s->c->uncertainty_ps[h] = half < NA_TIME_MAX ? (int64_t)half
						     : NA_TIME_MAX;
}

/* The hosts that are joined to `first` both ways, and are in no group. */
static bool settle_group(struct settling *s, uint32_t first)
{
	struct na_host_clocks *c = s->c;
	size_t kept = 0;

	if (!measure(s, first))
		return false;
	for (uint32_t h = first + 1; h < c->n_hosts; h++) {
		if (s->to[h] == NA_TIME_MAX || s->from[h] == NA_TIME_MAX)
			continue;
		settle_host(s, first, h);
		c->uncertainty_ps[first] = 0;
	}
	/* No path between two hosts of another group comes by here. */
	for (size_t i = 0; i < s->n; i++) {
		const struct edge *e = &s->edges[i];

		if (e->src != first && e->dst != first &&
		    c->uncertainty_ps[e->src] == NA_TIME_MAX &&
		    c->uncertainty_ps[e->dst] == NA_TIME_MAX)
			s->edges[kept++] = *e;
	}
	s->n = kept;
	return true;
}

/* A host that only sends, or only receives, is in no group: most are, where
 * one trace of many is looked at. */
static bool take_edges(struct settling *s)
{
	const struct na_host_clocks *c = s->c;
	size_t n = c->pairs.n;
	unsigned char *ways = na_calloc(c->n_hosts, 1);

	s->edges = na_calloc(n, sizeof(*s->edges));
	if (!s->edges || !ways) {
		free(ways);
		return false;
	}
	for (size_t p = 0; p < n; p++) {
		ways[c->pairs.keys[p].a] |= 1;
		ways[c->pairs.keys[p].b] |= 2;
	}
	for (size_t p = 0; p < n; p++) {
		const struct na_triple *k = &c->pairs.keys[p];

		if (ways[k->a] == 3 && ways[k->b] == 3)
			s->edges[s->n++] = (struct edge){k->a, k->b,
							 c->most_ps[p]};
	}
	free(ways);
	return true;
}

static void forget(struct na_host_clocks *c)
{
	for (uint32_t h = 0; h < c->n_hosts; h++) {
		c->ahead_ps[h] = 0;
		c->uncertainty_ps[h] = NA_TIME_MAX;
		c->group[h] = h;
	}
}

static bool make_room(struct na_host_clocks *c)
{
	if (c->group)
		return true;
	free(c->ahead_ps);
	free(c->uncertainty_ps);
	c->n_hosts = c->store->n_hosts;
	c->ahead_ps = na_calloc(c->n_hosts, sizeof(*c->ahead_ps));
	c->uncertainty_ps = na_calloc(c->n_hosts, sizeof(*c->uncertainty_ps));
	c->group = na_calloc(c->n_hosts, sizeof(*c->group));
	return c->ahead_ps && c->uncertainty_ps && c->group;
}

bool na_host_clocks_settle(struct na_host_clocks *c)
{
	struct settling s = {.c = c};
	bool done = make_room(c);

	s.to = done ? na_calloc(c->n_hosts, sizeof(*s.to)) : NULL;
	s.from = done ? na_calloc(c->n_hosts, sizeof(*s.from)) : NULL;
	done = s.to && s.from && take_edges(&s);
	c->contradictory = false;
	if (done)
		forget(c);
	for (uint32_t h = 0; done && s.n && h < c->n_hosts; h++) {
		if (c->uncertainty_ps[h] != NA_TIME_MAX || settle_group(&s, h))
			continue;
		c->contradictory = true;
		forget(c);
		break;
	}
	free(s.edges);
	free(s.to);
	free(s.from);
	return done;
}

int64_t na_host_clocks_between(const struct na_host_clocks *c, uint32_t a,
			       uint32_t b)
{
	int64_t sum;

	if (a == b)
		return 0;
	if (a >= c->n_hosts || b >= c->n_hosts || c->group[a] != c->group[b] ||
	    !na_add_i64(c->uncertainty_ps[a], c->uncertainty_ps[b], &sum))
		return NA_TIME_MAX;
	return sum;
}

int64_t na_host_clocks_time(const struct na_host_clocks *c, uint32_t host,
			    int64_t at_ps)
{
	int64_t out = at_ps;

	if (host < c->n_hosts && !na_add_i64(at_ps, -c->ahead_ps[host], &out))
		return at_ps;
	return out;
}
