#include "netan/methods/clocks/host_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/units.h"

/* An end of a transfer: of a send its start, of a receive its end. */
struct sample {
	uint64_t size_bytes, key;
	int64_t at_ps;
};

struct samples {
	uint32_t n, cap;
	bool cut;           /* there were more */
	struct sample of[]; /* smallest first */
};

struct na_clock_pair {
	int64_t most_ps; /* from latencies: ahead(destination) - ahead(source)
			    is no more than this; NA_TIME_MAX */
	struct samples *sides[2];
};

static void drop_samples(struct na_host_clocks *c)
{
	for (size_t p = 0; p < c->of.n; p++) {
		for (enum na_side side = NA_RX; side <= NA_TX; side++) {
			free(c->of.v[p].sides[side]);
			c->of.v[p].sides[side] = NULL;
		}
	}
}

void na_host_clocks_fini(struct na_host_clocks *c)
{
	const struct na_store *store = c->store;

	drop_samples(c);
	na_triples_fini(&c->pairs);
	na_vec_free(&c->of);
	free(c->ahead_ps);
	free(c->uncertainty_ps);
	free(c->group);
	free(c->most_ps);
	*c = (struct na_host_clocks){.store = store};
}

/* Of each side of a pair: as few as bound them all. */
static uint32_t samples_of(size_t pairs)
{
	uint32_t n = NA_CLOCK_SAMPLES;

	while (n > NA_CLOCK_SAMPLES_LEAST && pairs > NA_CLOCK_SAMPLES_ALL / n)
		n /= 2;
	return n;
}

/* Those that would have stayed had it been so many from the beginning. */
static void keep_fewer(struct na_host_clocks *c, uint32_t most)
{
	for (size_t p = 0; p < c->of.n; p++) {
		for (enum na_side side = NA_RX; side <= NA_TX; side++) {
			struct samples *s = c->of.v[p].sides[side], *less;

			if (!s || s->cap <= most)
				continue;
			s->cut |= s->n > most;
			s->n = s->n < most ? s->n : most;
			less = realloc(s, sizeof(*s) + most * sizeof(s->of[0]));
			c->of.v[p].sides[side] = less ? less : s;
			c->of.v[p].sides[side]->cap = most;
		}
	}
}

static struct na_clock_pair *pair_of(struct na_host_clocks *c, uint32_t src,
				     uint32_t dst)
{
	uint32_t p = na_triples_add(&c->pairs, (struct na_triple){src, dst, 0});
	size_t n = c->of.n;

	if (p == NA_NO_TRIPLE ||
	    (p == n &&
	     !na_add(&c->of, ((struct na_clock_pair){.most_ps = NA_TIME_MAX}))))
		return NULL;
	if (c->of.n > n && samples_of(n + 1) < samples_of(n))
		keep_fewer(c, samples_of(n + 1));
	return &c->of.v[p];
}

static int by_size(const struct sample *a, const struct sample *b)
{
	return NA_THEN(NA_CMP(a->size_bytes, b->size_bytes),
		       NA_CMP(a->key, b->key), NA_CMP(a->at_ps, b->at_ps));
}

/* Most transfers are larger than those that are kept. */
static bool too_large(struct na_clock_pair *p, enum na_side side,
		      uint64_t size_bytes, uint32_t most)
{
	struct samples *s = p->sides[side];

	if (!s || s->n < most || size_bytes <= s->of[s->n - 1].size_bytes)
		return false;
	s->cut = true;
	return true;
}

/* Room for one more, up to `most`; NULL: no memory. */
static struct samples *room_for(struct na_clock_pair *p, enum na_side side,
				uint32_t most)
{
	struct samples *s = p->sides[side], *more;
	uint32_t cap = s ? 2 * s->cap : NA_CLOCK_SAMPLES_LEAST;

	if (s && (s->n < s->cap || s->cap >= most))
		return s;
	more = realloc(s, sizeof(*s) + cap * sizeof(s->of[0]));
	if (!more)
		return NULL;
	if (!s)
		*more = (struct samples){.n = 0};
	more->cap = cap;
	return p->sides[side] = more;
}

/* Keeps the smallest, whatever the order in which they come. */
static bool add_sample(struct na_clock_pair *p, enum na_side side,
		       const struct sample *x, uint32_t most)
{
	struct samples *s = room_for(p, side, most);
	size_t at;

	if (!s)
		return false;
	if (s->n == most) {
		s->cut = true;
		if (by_size(x, &s->of[s->n - 1]) >= 0)
			return true;
		s->n--;
	}
	for (at = s->n++; at > 0 && by_size(x, &s->of[at - 1]) < 0; at--)
		s->of[at] = s->of[at - 1];
	s->of[at] = *x;
	return true;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t mix_endpoint(uint64_t h, const struct na_endpoint *e)
{
	return mix(h, (uint64_t)(uint32_t)e->slice << 32 | (uint32_t)e->device);
}

/* What both sides call a transfer: by names and not by their indices, which
 * depend on what else there is. */
static uint64_t key_of(const struct na_names *names,
		       const struct na_transfer *t)
{
	uint32_t name = t->collective < names->strings.n
				? names->strings.names[t->collective].hash
				: NA_NO_NAME;
	uint64_t h = mix(0, (uint64_t)name << 32 | t->launch);

	h = mix(h, (uint64_t)t->iteration << 32 | (uint32_t)t->chunk);
	return mix_endpoint(mix_endpoint(h, &names->endpoints[t->src]),
			    &names->endpoints[t->dst]);
}

bool na_tells_clocks(const struct na_transfer *t)
{
	if (t->style >= NA_STYLE_CAPTURE || t->component != NA_COMP_NETWORK)
		return false;
	return t->klass == NA_VALID ||
	       (t->klass == NA_CLOCK_SKEW && t->side == NA_RX);
}

bool na_host_clocks_add(struct na_host_clocks *c, const struct na_transfer *t)
{
	enum na_side side = (enum na_side)t->side;
	uint32_t run, src, dst;
	struct na_clock_pair *p;
	int64_t most_ps;

	if (!na_tells_clocks(t))
		return true;
	run = c->store->sources[t->input].run;
	src = na_store_host_of(c->store, run, t->src);
	dst = na_store_host_of(c->store, run, t->dst);
	if (src == dst || src >= c->store->n_hosts || dst >= c->store->n_hosts)
		return true;
	p = pair_of(c, src, dst);
	if (!p)
		return false;
	if (t->side == NA_RX &&
	    na_add_i64(na_time_between(t->start_ps, t->end_ps), NA_PS_PER_US,
		       &most_ps) &&
	    most_ps < p->most_ps)
		p->most_ps = most_ps;
	/* Old messages do not tell which launch they are of. */
	return t->launch == NA_UNKNOWN_U32 ||
	       too_large(p, side, t->size_bytes, samples_of(c->of.n)) ||
	       add_sample(p, side,
			  &(struct sample){t->size_bytes,
					   key_of(&c->store->names, t),
					   side == NA_TX ? t->start_ps
							 : t->end_ps},
			  samples_of(c->of.n));
}

bool na_host_clocks_merge(struct na_host_clocks *c,
			  const struct na_host_clocks *from)
{
	for (size_t i = 0; i < from->of.n; i++) {
		const struct na_triple *k = &from->pairs.keys[i];
		const struct na_clock_pair *x = &from->of.v[i];
		struct na_clock_pair *p = pair_of(c, k->a, k->b);

		if (!p)
			return false;
		if (x->most_ps < p->most_ps)
			p->most_ps = x->most_ps;
		for (enum na_side side = NA_RX; side <= NA_TX; side++) {
			const struct samples *s = x->sides[side];

			for (size_t n = 0; s && n < s->n; n++) {
				if (!add_sample(p, side, &s->of[n],
						samples_of(c->of.n)))
					return false;
			}
			if (s)
				p->sides[side]->cut |= s->cut;
		}
	}
	return true;
}

static bool same_transfer(const struct sample *a, const struct sample *b)
{
	return a->size_bytes == b->size_bytes && a->key == b->key;
}

/* Is it the only one that is called so, as far as all are there? */
static bool alone(const struct samples *s, size_t i)
{
	return !(i > 0 && same_transfer(&s->of[i], &s->of[i - 1])) &&
	       (i + 1 < s->n ? !same_transfer(&s->of[i], &s->of[i + 1])
			     : !s->cut);
}

/* From sends and their receives; starts of sends are cut to whole ns. */
static int64_t most_by_samples(const struct na_clock_pair *p)
{
	const struct samples *r = p->sides[NA_RX], *s = p->sides[NA_TX];
	int64_t most = NA_TIME_MAX, x;

	for (size_t i = 0, k = 0; r && s && i < r->n && k < s->n;) {
		const struct sample a = r->of[i], b = s->of[k];

		if (same_transfer(&a, &b) && alone(r, i) && alone(s, k) &&
		    !__builtin_sub_overflow(a.at_ps, b.at_ps, &x) &&
		    na_add_i64(x, NA_PS_PER_NS, &x) && x < most)
			most = x;
		if (by_size(&(struct sample){a.size_bytes, a.key, 0},
			    &(struct sample){b.size_bytes, b.key, 0}) <= 0)
			i++;
		else
			k++;
	}
	return most;
}

struct edge {
	uint32_t src, dst;
	int64_t most_ps;
};

enum { OUT, IN, WAYS }; /* edges of a host: as their source, destination */

struct settling {
	struct na_host_clocks *c;
	struct edge *edges; /* those whose hosts send and receive */
	size_t n;
	/* By host: its edges of a way are edges[of[way][at[way][h]]] to
	 * before at[way][h + 1]. */
	uint32_t *of[WAYS], *at[WAYS];
	int64_t *far[WAYS]; /* distances; NA_TIME_MAX: no path */
	bool *done;         /* by host: it is in a group */
	/* Of one search: how many edges the path has, hosts whose neighbours
	 * have to be looked at again (a ring), and all that were reached. */
	uint32_t *hops, *queue, *reached;
	bool *queued;
	size_t n_reached;
};

static bool shorter(int64_t *best, int64_t via, int64_t by)
{
	int64_t sum;

	if (!na_add_i64(via, by, &sum) || sum >= *best)
		return false;
	*best = sum;
	return true;
}

/* From a host along its edges of a way to the hosts at their other ends:
 * those that are nearer by it are queued.  *sound is false where a path has
 * more edges than there are hosts. */
static size_t reach(struct settling *s, int way, uint32_t h, size_t tail,
		    bool *sound)
{
	size_t hosts = s->c->n_hosts;

	for (uint32_t i = s->at[way][h]; i < s->at[way][h + 1]; i++) {
		const struct edge *e = &s->edges[s->of[way][i]];
		uint32_t to = way == OUT ? e->dst : e->src;
		bool met = s->far[way][to] != NA_TIME_MAX;

		if (s->done[to] ||
		    !shorter(&s->far[way][to], s->far[way][h], e->most_ps))
			continue;
		if (!met)
			s->reached[s->n_reached++] = to;
		s->hops[to] = s->hops[h] + 1;
		*sound &= s->hops[to] < hosts;
		if (!s->queued[to])
			s->queue[tail++ % hosts] = to;
		s->queued[to] = true;
	}
	return tail;
}

/*
 * Shortest paths from the first host of a group, and to it (Bellman and
 * Ford, by a queue of who came nearer: bounds from sends and receives may be
 * below zero).  False: they get shorter forever, which bounds that hold do
 * not.
 */
static bool measure(struct settling *s, uint32_t first)
{
	size_t hosts = s->c->n_hosts;
	bool sound = true;

	for (size_t i = 0; i < s->n_reached; i++)
		s->far[OUT][s->reached[i]] = s->far[IN][s->reached[i]] =
			NA_TIME_MAX;
	s->n_reached = 0;
	for (int way = OUT; way < WAYS; way++) {
		size_t head = 0, tail = 1;

		s->far[way][first] = 0;
		s->hops[first] = 0;
		s->queue[0] = first;
		s->reached[s->n_reached++] = first;
		while (sound && head < tail) {
			uint32_t h = s->queue[head++ % hosts];

			s->queued[h] = false;
			tail = reach(s, way, h, tail, &sound);
		}
	}
	return sound;
}

/* ahead <= to, and -ahead <= from. */
static void settle_host(struct settling *s, uint32_t first, uint32_t h)
{
	na_i128 sum = (na_i128)s->far[OUT][h] + s->far[IN][h];
	na_i128 low = -(na_i128)s->far[IN][h];
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

	if (!measure(s, first))
		return false;
	/* No path between two hosts of another group comes by here. */
	s->done[first] = true;
	for (size_t i = 0; i < s->n_reached; i++) {
		uint32_t h = s->reached[i];

		if (s->done[h] || s->far[OUT][h] == NA_TIME_MAX ||
		    s->far[IN][h] == NA_TIME_MAX)
			continue;
		settle_host(s, first, h);
		s->done[h] = true;
		c->uncertainty_ps[first] = 0;
	}
	return true;
}

static bool index_edges(struct settling *s, int way)
{
	size_t hosts = s->c->n_hosts;
	uint32_t *at = na_calloc(hosts + 2, sizeof(*at));
	uint32_t *of = na_calloc(s->n, sizeof(*of));

	s->at[way] = at;
	s->of[way] = of;
	if (!at || !of)
		return false;
	/* Counted two places on, so that filling leaves the beginnings. */
	for (size_t i = 0; i < s->n; i++)
		at[(way == OUT ? s->edges[i].src : s->edges[i].dst) + 2]++;
	for (size_t h = 2; h < hosts + 2; h++)
		at[h] += at[h - 1];
	for (size_t i = 0; i < s->n; i++) {
		const struct edge *e = &s->edges[i];

		of[at[(way == OUT ? e->src : e->dst) + 1]++] = (uint32_t)i;
	}
	return true;
}

/* A host that only sends, or only receives, is in no group: most are, where
 * one trace of many is looked at. */
static bool list_edges(struct settling *s, bool samples)
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
		int64_t most = c->of.v[p].most_ps, by_samples = NA_TIME_MAX;

		if (ways[k->a] != 3 || ways[k->b] != 3)
			continue;
		if (samples)
			by_samples = most_by_samples(&c->of.v[p]);
		most = by_samples < most ? by_samples : most;
		if (most < NA_TIME_MAX)
			s->edges[s->n++] = (struct edge){k->a, k->b, most};
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

/* Of all edges: shortest paths from every host.  False: no memory. */
static bool fill_table(struct settling *s, bool *sound)
{
	struct na_host_clocks *c = s->c;
	size_t n = c->n_hosts;

	free(c->most_ps);
	c->most_ps = NULL;
	if (n > NA_CLOCK_TABLE)
		return true;
	c->most_ps = na_calloc(n * n, sizeof(*c->most_ps));
	if (!c->most_ps)
		return false;
	for (uint32_t h = 0; *sound && h < n; h++) {
		*sound = measure(s, h);
		memcpy(c->most_ps + h * n, s->far[OUT], n * sizeof(int64_t));
	}
	return true;
}

static bool make_search(struct settling *s)
{
	size_t n = s->c->n_hosts;

	for (int way = OUT; way < WAYS; way++) {
		s->far[way] = na_calloc(n, sizeof(*s->far[way]));
		for (size_t h = 0; s->far[way] && h < n; h++)
			s->far[way][h] = NA_TIME_MAX;
	}
	s->done = na_calloc(n, sizeof(*s->done));
	s->hops = na_calloc(n, sizeof(*s->hops));
	s->queue = na_calloc(n, sizeof(*s->queue));
	s->queued = na_calloc(n, sizeof(*s->queued));
	s->reached = na_calloc(2 * n, sizeof(*s->reached));
	return s->far[OUT] && s->far[IN] && s->done && s->hops && s->queue &&
	       s->queued && s->reached && index_edges(s, OUT) &&
	       index_edges(s, IN);
}

/* Of many hosts that no edge joins nothing is known: most of one trace's. */
static bool search_needed(const struct settling *s)
{
	return s->n || s->c->n_hosts <= NA_CLOCK_TABLE;
}

static void settling_fini(struct settling *s)
{
	for (int way = OUT; way < WAYS; way++) {
		free(s->of[way]);
		free(s->at[way]);
		free(s->far[way]);
	}
	free(s->edges);
	free(s->done);
	free(s->hops);
	free(s->queue);
	free(s->queued);
	free(s->reached);
}

/* Those with files alone, where nothing is known of any of many. */
static void keep_inputs(struct na_host_clocks *c)
{
	size_t n = c->n_hosts, least = c->store->n_sources;

	na_fit(&c->ahead_ps, &(size_t){n}, least, sizeof(*c->ahead_ps));
	na_fit(&c->uncertainty_ps, &(size_t){n}, least,
	       sizeof(*c->uncertainty_ps));
	na_fit(&c->group, &(size_t){n}, least, sizeof(*c->group));
	c->n_hosts = least < n ? least : n;
}

static bool settle(struct na_host_clocks *c, bool samples, bool *sound)
{
	struct settling s = {.c = c};
	bool done = make_room(c) && list_edges(&s, samples) &&
		    (!search_needed(&s) || make_search(&s));

	*sound = true;
	done = done && fill_table(&s, sound);
	if (done)
		forget(c);
	for (uint32_t h = 0; done && *sound && s.n && h < c->n_hosts; h++) {
		if (!s.done[h] && s.at[OUT][h] < s.at[OUT][h + 1])
			*sound = settle_group(&s, h);
	}
	if (done && !search_needed(&s))
		keep_inputs(c);
	settling_fini(&s);
	return done;
}

/* Clocks that were set while the traces were taken contradict themselves;
 * latencies, which are never below zero, do not. */
bool na_host_clocks_settle(struct na_host_clocks *c)
{
	bool sound, done = settle(c, true, &sound);

	done = done && (sound || settle(c, false, &sound));
	drop_samples(c);
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

/* As by the first host of their group. */
static int64_t by_group(const struct na_host_clocks *c, uint32_t a, uint32_t b,
			int64_t *known_ps)
{
	int64_t ahead;

	*known_ps = na_host_clocks_between(c, a, b);
	if (a == b || *known_ps == NA_TIME_MAX)
		return 0;
	if (na_add_i64(c->ahead_ps[a], -c->ahead_ps[b], &ahead))
		return ahead;
	*known_ps = NA_TIME_MAX;
	return 0;
}

int64_t na_host_clocks_ahead(const struct na_host_clocks *c, uint32_t a,
			     uint32_t b, int64_t *known_ps)
{
	size_t n = c->n_hosts;
	int64_t up, down;
	na_i128 half;

	if (!c->most_ps || a == b || a >= n || b >= n)
		return by_group(c, a, b, known_ps);
	up = c->most_ps[b * n + a];
	down = c->most_ps[a * n + b];
	half = ((na_i128)up + down + 1) / 2;
	*known_ps = up == NA_TIME_MAX || down == NA_TIME_MAX ||
				    half >= NA_TIME_MAX
			    ? NA_TIME_MAX
			    : (int64_t)half;
	if (*known_ps == NA_TIME_MAX)
		return 0;
	return (int64_t)(((na_i128)up - down) / 2);
}

int64_t na_host_clocks_time(const struct na_host_clocks *c, uint32_t host,
			    int64_t at_ps)
{
	int64_t out = at_ps;

	if (host < c->n_hosts && !na_add_i64(at_ps, -c->ahead_ps[host], &out))
		return at_ps;
	return out;
}
