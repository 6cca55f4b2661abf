/*
 * Which slices belong together.  A send and its receive are of one transfer
 * where sender, receiver, collective, launch, iteration and chunk are the same,
 * as many are sent as received, and none would arrive before it is sent; an
 * execution of a graph is that whose transfers end in it.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/exports/pftrace/state.h"

/* The same for all devices that take part; 0: the trace does not tell. */
uint64_t na_pft_execution(const struct na_transfer *t, uint32_t run)
{
	uint64_t launch = (uint64_t)t->launch << 32 | t->iteration;

	if (t->launch == NA_UNKNOWN_U32 || t->collective == NA_UNKNOWN_U32)
		return 0;
	return na_pft_mix(na_pft_mix(2, launch),
			  (uint64_t)run << 32 | t->collective);
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

static bool is_movement(const struct na_pft_slice *s, struct na_transfer *t)
{
	if (s->what != NA_PFT_OF_TRANSFER || s->link)
		return false;
	*t = na_unpack_transfer(s->of);
	return t->src != NA_UNKNOWN_U32 && t->dst != NA_UNKNOWN_U32;
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
		uint64_t flow = na_pft_mix(3, ++g->x->flows);

		g->slices.v[v[i].slice].link = flow;
		g->slices.v[v[i + sends].slice].link = flow;
	}
}

static bool join_transfers(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;
	NA_VEC(struct end) ends = {NULL, 0, 0};
	bool ok = true, sent = false;
	struct na_transfer t;

	for (size_t i = 0; ok && i < g->slices.n && i < UINT32_MAX; i++) {
		const struct na_pft_slice *x = &g->slices.v[i];

		if (!is_movement(x, &t))
			continue;
		sent |= t.side == NA_TX;
		ok = na_add(
			&ends,
			((struct end){key_of(&t, na_store_run_of(s, t.input)),
				      t.side == NA_TX ? x->start_ns : x->end_ns,
				      (uint32_t)i, t.side}));
	}
	if (ok && sent)
		na_sort(ends.v, ends.n, by_transfer);
	for (size_t i = 0, n; ok && sent && i < ends.n; i += n) {
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
	uint32_t input, device, collective;
	int64_t end_ns;
	uint64_t execution;
};

NA_ORDER(by_place, struct ended, NA_UP(input), NA_UP(device), NA_UP(collective),
	 NA_UP(end_ns))

struct executions {
	struct na_triples keys;     /* device, collective, launch */
	struct na_triples launches; /* input, launch, iteration */
	NA_VEC(struct ended) v;
};

static bool note(struct executions *x, const struct na_transfer *t,
		 int64_t end_ns, uint32_t run)
{
	uint32_t device = t->side == NA_RX ? t->dst : t->src;
	uint64_t execution = na_pft_execution(t, run);
	struct ended *e;
	uint32_t launch;

	if (!execution)
		return true;
	launch = na_triples_add(&x->launches,
				(struct na_triple){t->input, t->launch,
						   t->iteration});
	if (launch == NA_NO_TRIPLE)
		return false;
	e = na_triples_at(&x->keys, &x->v,
			  ((struct na_triple){device, t->collective, launch}));
	if (!e)
		return false;
	if (!e->execution || end_ns > e->end_ns)
		*e = (struct ended){t->input, device, t->collective, end_ns,
				    execution};
	return true;
}

/* Of the one execution that ends in it; 0: none does, or several do. */
static uint64_t find(const struct executions *x, const struct na_exec *e,
		     const struct na_pft_slice *s)
{
	struct ended key = {e->input, e->device, e->collective, s->start_ns, 0};
	const struct ended *v = x->v.v;
	size_t at = NA_BOUND(i, 0, x->v.n, by_place(&v[i], &key) >= 0);

	key.end_ns = s->end_ns;
	if (at == x->v.n || by_place(&v[at], &key) > 0 ||
	    (at + 1 < x->v.n && by_place(&v[at + 1], &key) <= 0))
		return 0;
	return v[at].execution;
}

static bool join_graphs(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;
	struct executions x = {.keys = {.n = 0}};
	struct na_transfer t;
	bool ok = true;

	for (size_t i = 0; ok && i < g->slices.n; i++) {
		if (is_movement(&g->slices.v[i], &t))
			ok = note(&x, &t, g->slices.v[i].end_ns,
				  na_store_run_of(s, t.input));
	}
	if (ok)
		na_sort(x.v.v, x.v.n, by_place);
	for (size_t i = 0; ok && i < g->slices.n; i++) {
		struct na_pft_slice *slice = &g->slices.v[i];
		struct na_exec e;

		if (slice->what != NA_PFT_OF_GRAPH)
			continue;
		e = na_unpack_exec(slice->of);
		slice->link = find(&x, &e, slice);
	}
	na_triples_fini(&x.keys);
	na_triples_fini(&x.launches);
	na_vec_free(&x.v);
	return ok;
}

bool na_pft_link(struct na_pft_gather *g)
{
	return join_transfers(g) && (!g->graphs || join_graphs(g));
}
