/*
 * Which slices belong together.  A send and its receive are of one transfer
 * where sender, receiver, collective, launch, iteration and chunk are the same,
 * as many are sent as received, and none would arrive before it is sent; an
 * execution of a graph is that whose transfers end in it, in the order of ends.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/exports/pftrace/state.h"

uint64_t na_pft_execution(uint32_t launch, uint32_t iteration,
			  uint32_t collective, uint32_t run)
{
	uint64_t which = (uint64_t)launch << 32 | iteration;

	if (launch == NA_UNKNOWN_U32 || collective == NA_UNKNOWN_U32)
		return 0;
	return na_pft_mix(na_pft_mix(NA_PFT_EXECUTION, which),
			  (uint64_t)run << 32 | collective);
}

/* ---- sends and receives */

struct end {
	uint64_t key;
	int64_t at_ns; /* begin of a send, end of a receive */
	uint32_t slice;
	uint8_t side;
};

NA_ORDER(by_transfer, struct end, NA_UP(key), NA_DOWN(side), NA_UP(at_ns),
	 NA_UP(slice))

static bool is_movement(const struct na_pft_slice *s,
			const struct na_transfer *t)
{
	return !s->link && t->src != NA_UNKNOWN_U32 &&
	       t->dst != NA_UNKNOWN_U32;
}

static uint64_t key_of(const struct na_transfer *t, uint32_t run)
{
	uint64_t ends = (uint64_t)t->src << 32 | t->dst;
	uint64_t launch = (uint64_t)t->launch << 32 | t->iteration;
	uint64_t part = (uint64_t)(uint32_t)t->chunk << 32 | t->collective;

	return na_pft_mix(na_pft_mix(ends, launch), na_pft_mix(part, run));
}

/* n of a key: sends first. */
static void join(struct na_pft_gather *g, const struct end *v, size_t n)
{
	size_t sends = NA_BOUND(i, 0, n, v[i].side == NA_RX);

	if (!sends || sends * 2 != n)
		return;
	for (size_t i = 0; i < sends; i++) {
		if (v[i].at_ns > v[i + sends].at_ns)
			return;
	}
	for (size_t i = 0; i < sends; i++) {
		uint64_t flow = na_pft_mix(NA_PFT_MOVED, ++g->x->flows);

		g->slices.v[v[i].slice].link = flow;
		g->slices.v[v[i + sends].slice].link = flow;
	}
}

/* Of which sender and receiver there are both sides. */
struct pairs {
	struct na_triples keys; /* run, src, dst */
	NA_VEC(uint8_t) sides;  /* bits */
	bool any;               /* that has both */
};

enum { BOTH_SIDES = 1 << NA_RX | 1 << NA_TX };

static struct na_triple pair_of(const struct na_pft_gather *g,
				const struct na_transfer *t)
{
	return (struct na_triple){na_store_run_of(g->scope->store, t->input),
				  t->src, t->dst};
}

static bool note_pair(struct pairs *p, const struct na_pft_gather *g,
		      const struct na_transfer *t)
{
	uint8_t *sides = na_triples_at(&p->keys, &p->sides, pair_of(g, t));

	if (!sides)
		return false;
	*sides |= (uint8_t)(1u << t->side);
	p->any |= *sides == BOTH_SIDES;
	return true;
}

struct ends {
	struct end *v;
	size_t n, cap;
};

static bool find_ends(const struct na_pft_gather *g, struct pairs *p,
		      struct ends *ends)
{
	struct na_transfer t;
	bool ok = true;

	for (size_t i = 0; ok && i < g->slices.n && i < UINT32_MAX; i++) {
		const struct na_pft_slice *x = &g->slices.v[i];
		struct na_triple pair;

		if (x->what != NA_PFT_OF_TRANSFER)
			continue;
		t = na_unpack_transfer(x->of);
		if (!is_movement(x, &t))
			continue;
		pair = pair_of(g, &t);
		if (p->sides.v[na_triples_add(&p->keys, pair)] == BOTH_SIDES)
			ok = na_add(ends,
				    ((struct end){key_of(&t, pair.a),
						  t.side == NA_TX ? x->start_ns
								  : x->end_ns,
						  (uint32_t)i, t.side}));
	}
	return ok;
}

/* Keys are spread evenly: first by their upper bits, so that what is left to
 * sort is little. */
static bool sort_ends(struct ends *ends)
{
	enum { BUCKETS = 1 << 12, SHIFT = 64 - 12 };
	size_t *from = na_calloc(BUCKETS + 2, sizeof(*from));
	struct end *sorted = na_calloc(ends->n, sizeof(*sorted));
	bool ok = from && sorted;

	/* Counted two places on, so that filling leaves the beginnings. */
	for (size_t i = 0; ok && i < ends->n; i++)
		from[(ends->v[i].key >> SHIFT) + 2]++;
	for (size_t i = 2; ok && i < BUCKETS + 2; i++)
		from[i] += from[i - 1];
	for (size_t i = 0; ok && i < ends->n; i++)
		sorted[from[(ends->v[i].key >> SHIFT) + 1]++] = ends->v[i];
	for (size_t i = 0; ok && i < BUCKETS; i++)
		na_sort(sorted + from[i], from[i + 1] - from[i], by_transfer);
	free(from);
	if (!ok) {
		free(sorted);
		return false;
	}
	free(ends->v);
	ends->v = sorted;
	ends->cap = ends->n;
	return true;
}

static bool join_transfers(struct na_pft_gather *g, struct pairs *pairs)
{
	struct ends ends = {.v = NULL};
	bool ok = !pairs->any || (find_ends(g, pairs, &ends) &&
				  sort_ends(&ends));

	for (size_t i = 0, n; ok && i < ends.n; i += n) {
		for (n = 1;
		     i + n < ends.n && ends.v[i + n].key == ends.v[i].key;)
			n++;
		join(g, ends.v + i, n);
	}
	na_vec_free(&ends);
	return ok;
}

/* ---- executions of graphs */

struct ended { /* the last transfer of an execution on a device, as it saw it */
	int64_t end_ns;
	uint32_t launch, iteration;
};

NA_ORDER(by_launch, struct ended, NA_UP(launch), NA_UP(iteration),
	 NA_UP(end_ns))
NA_ORDER(by_end, struct ended, NA_UP(end_ns))

/* One on a device, by its slice. */
struct ran {
	int64_t end_ns, start_ns;
	uint32_t slice;
	uint32_t early, late; /* what ends in it, plus 1: see choose() */
};

NA_ORDER(by_run, struct ran, NA_UP(end_ns), NA_UP(start_ns), NA_UP(slice))

struct executions {
	struct na_triples places; /* input, device, collective */
	NA_VEC(struct place {
		NA_VEC(struct ended) of;
		NA_VEC(struct ran) ran;
	}) v;
};

static bool note_execution(struct executions *x, const struct na_transfer *t,
			   int64_t end_ns)
{
	uint32_t device = t->side == NA_RX ? t->dst : t->src;
	struct ended *last;
	struct place *p;

	if (t->launch == NA_UNKNOWN_U32 || t->collective == NA_UNKNOWN_U32)
		return true;
	p = na_triples_at(&x->places, &x->v,
			  ((struct na_triple){t->input, device,
					      t->collective}));
	if (!p)
		return false;
	last = p->of.n ? &p->of.v[p->of.n - 1] : NULL;
	if (!last || last->launch != t->launch ||
	    last->iteration != t->iteration)
		return na_add(&p->of, ((struct ended){end_ns, t->launch,
						      t->iteration}));
	if (end_ns > last->end_ns)
		last->end_ns = end_ns;
	return true;
}

/* One of each execution, by time. */
static void settle(struct place *p)
{
	struct ended *v = p->of.v;
	size_t n = 0;

	na_sort(v, p->of.n, by_launch);
	for (size_t i = 0; i < p->of.n; i++) {
		if (i + 1 == p->of.n || v[i + 1].launch != v[i].launch ||
		    v[i + 1].iteration != v[i].iteration)
			v[n++] = v[i];
	}
	p->of.n = n;
	na_sort(v, n, by_end);
}

/* Executions end in the order in which their transfers do.  Each in turn gets
 * the first that is left and ends in it, and from behind the last: where both
 * ways agree, no other one could be meant. */
static void choose(struct place *p)
{
	const struct ended *v = p->of.v;
	size_t first = 0, left = p->of.n;

	na_sort(p->ran.v, p->ran.n, by_run);
	for (size_t i = 0; i < p->ran.n; i++) {
		struct ran *x = &p->ran.v[i];

		while (first < p->of.n && v[first].end_ns < x->start_ns)
			first++;
		if (first < p->of.n && v[first].end_ns <= x->end_ns)
			x->early = (uint32_t)++first;
	}
	for (size_t i = p->ran.n; i-- > 0;) {
		struct ran *x = &p->ran.v[i];

		while (left && v[left - 1].end_ns > x->end_ns)
			left--;
		if (left && v[left - 1].end_ns >= x->start_ns)
			x->late = (uint32_t)left--;
	}
}

static void join_place(const struct na_pft_gather *g, struct place *p)
{
	settle(p);
	choose(p);
	for (size_t i = 0; i < p->ran.n; i++) {
		const struct ran *x = &p->ran.v[i];
		struct na_pft_slice *s = &g->slices.v[x->slice];
		const struct na_exec e = na_unpack_exec(s->of);
		const struct ended *last;

		if (!x->early || x->early != x->late)
			continue;
		last = &p->of.v[x->early - 1];
		s->link = na_pft_execution(
			last->launch, last->iteration, e.collective,
			na_store_run_of(g->scope->store, e.input));
	}
}

static bool add_run(struct executions *x, const struct na_pft_slice *s,
		    size_t slice)
{
	const struct na_exec e = na_unpack_exec(s->of);
	uint32_t place = na_triples_find(&x->places,
					 (struct na_triple){e.input, e.device,
							    e.collective});

	return place == NA_NO_TRIPLE || slice > UINT32_MAX ||
	       na_add(&x->v.v[place].ran,
		      ((struct ran){.end_ns = s->end_ns,
				    .start_ns = s->start_ns,
				    .slice = (uint32_t)slice}));
}

static bool join_graphs(struct na_pft_gather *g, struct executions *x)
{
	bool ok = true;

	for (size_t i = 0; ok && i < g->slices.n; i++) {
		if (g->slices.v[i].what == NA_PFT_OF_GRAPH)
			ok = add_run(x, &g->slices.v[i], i);
	}
	for (size_t i = 0; ok && i < x->v.n; i++)
		join_place(g, &x->v.v[i]);
	return ok;
}

/* ---- both */

struct na_pft_links {
	struct pairs pairs;
	struct executions executions;
};

struct na_pft_links *na_pft_links_new(void)
{
	return na_calloc(1, sizeof(struct na_pft_links));
}

void na_pft_links_free(struct na_pft_links *l)
{
	struct executions *x = l ? &l->executions : NULL;

	if (!l)
		return;
	for (size_t i = 0; i < x->v.n; i++) {
		na_vec_free(&x->v.v[i].of);
		na_vec_free(&x->v.v[i].ran);
	}
	na_vec_free(&x->v);
	na_triples_fini(&x->places);
	na_triples_fini(&l->pairs.keys);
	na_vec_free(&l->pairs.sides);
	free(l);
}

bool na_pft_note(struct na_pft_gather *g, const struct na_transfer *t,
		 const struct na_pft_slice *s)
{
	struct na_pft_links *l = g->links;

	return !is_movement(s, t) ||
	       (note_pair(&l->pairs, g, t) &&
		(!g->graphs || note_execution(&l->executions, t, s->end_ns)));
}

bool na_pft_link(struct na_pft_gather *g)
{
	return join_graphs(g, &g->links->executions) &&
	       join_transfers(g, &g->links->pairs);
}
