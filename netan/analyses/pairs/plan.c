/* pairs: from keys in order of appearance to nodes and pairs in theirs. */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

size_t na_pairs_at(const struct pairs_run *run, uint32_t src, uint32_t dst)
{
	const struct pairs_pair *v = run->pairs;
	size_t n = run->n_remote, at;

	at = NA_BOUND(i, 0, n,
		      v[i].src > src || (v[i].src == src && v[i].dst >= dst));
	return at < n && v[at].src == src && v[at].dst == dst ? at : n;
}

size_t na_pairs_rows_of(const struct pairs_state *s, const struct pairs_pair *p)
{
	return (size_t)s->sums.v[p->found].n + s->sums.v[p->found].clamped;
}

/* By slice, host, device; runs apart. */
NA_ORDER(by_place, struct pairs_node, NA_UP(run), NA_UP(first.slice),
	 x->host == y->host ? 0 : na_natural_order(x->name, y->name),
	 NA_UP(host), NA_UP(first.device), NA_UP(raw))

/* Where the node of a key's end stands in a table of all possible ones. */
static size_t slot_of(const struct pairs_state *s, uint32_t run, uint32_t raw)
{
	return s->of_hosts
		       ? raw
		       : run * s->scope->store->names.n_endpoints + (size_t)raw;
}

static void lower(struct na_endpoint *to, const struct na_endpoint *e)
{
	if (e->slice < to->slice ||
	    (e->slice == to->slice && e->device < to->device))
		*to = *e;
}

/* The lowest device of each host. */
static void first_devices(const struct na_store *store, struct na_endpoint *of)
{
	size_t n = store->names.n_endpoints;

	for (size_t h = 0; h < store->n_hosts; h++)
		of[h] = (struct na_endpoint){INT32_MAX, INT32_MAX};
	for (size_t run = 0; run < store->n_runs; run++) {
		for (size_t e = 0; e < n; e++) {
			uint32_t h = store->host_of[run * n + e];

			if (h < store->n_hosts)
				lower(&of[h], &store->names.endpoints[e]);
		}
	}
}

static struct pairs_node node_of(const struct pairs_state *s, uint32_t run,
				 uint32_t raw, const struct na_endpoint *of)
{
	const struct na_store *store = s->scope->store;
	struct pairs_node n = {.run = run, .raw = raw, .host = raw};

	if (s->of_hosts) {
		n.first = of[raw];
	} else {
		n.host = na_store_host_of(store, run, raw);
		n.first = store->names.endpoints[raw];
	}
	n.name = n.host_name = store->hosts[n.host].name; /* to sort by */
	return n;
}

static bool name_nodes(struct pairs_state *s)
{
	char buf[NA_ENDPOINT_BUF];

	for (size_t i = 0; i < s->nodes.n && !s->of_hosts; i++) {
		struct pairs_node *n = &s->nodes.v[i];

		na_endpoint_print(buf, &s->scope->store->names, &n->first);
		/* A device that stands for its host is called like it. */
		if (strcmp(buf, n->name) != 0)
			n->name = na_arena_strn(&s->mem, buf, strlen(buf));
		if (!n->name)
			return false;
	}
	return true;
}

/* Nodes in order; `at` gets the node of each slot. */
static bool plan_nodes(struct pairs_state *s, uint32_t *at, size_t n_slots,
		       const struct na_endpoint *of)
{
	memset(at, 0, n_slots * sizeof(*at));
	for (size_t i = 0; i < s->keys.n; i++) {
		const struct na_triple *k = &s->keys.keys[i];

		for (int end = 0; end < 2; end++) {
			uint32_t raw = end ? k->c : k->b;
			uint32_t *seen = &at[slot_of(s, k->a, raw)];

			if ((*seen)++)
				continue;
			*seen = 1;
			if (!na_add(&s->nodes, node_of(s, k->a, raw, of)))
				return false;
		}
	}
	na_sort(s->nodes.v, s->nodes.n, by_place);
	for (size_t i = 0; i < s->nodes.n; i++) {
		struct pairs_node *n = &s->nodes.v[i];
		struct pairs_run *run = &s->runs[n->run];

		if (!run->n_nodes)
			run->nodes = n;
		at[slot_of(s, n->run, n->raw)] = (uint32_t)run->n_nodes++;
	}
	return name_nodes(s);
}

NA_ORDER(by_ends, struct pairs_pair, NA_UP(run), NA_UP(local), NA_UP(src),
	 NA_UP(dst))

static void plan_pairs(struct pairs_state *s, const uint32_t *at)
{
	size_t rows = 0;

	for (size_t i = 0; i < s->keys.n; i++) {
		const struct na_triple *k = &s->keys.keys[i];
		const struct pairs_node *nodes = s->runs[k->a].nodes;
		struct pairs_pair *p = &s->pairs[i];

		*p = (struct pairs_pair){
			.run = k->a & INT32_MAX, /* n_runs is below */
			.src = at[slot_of(s, k->a, k->b)],
			.dst = at[slot_of(s, k->a, k->c)],
			.found = (uint32_t)i,
		};
		p->local = nodes[p->src].host == nodes[p->dst].host;
	}
	na_sort(s->pairs, s->keys.n, by_ends);
	for (size_t i = 0; i < s->keys.n; i++) {
		s->place_of[s->pairs[i].found] = (uint32_t)i;
		s->pairs[i].first = rows;
		rows += na_pairs_rows_of(s, &s->pairs[i]);
	}
}

static void plan_runs(struct pairs_state *s)
{
	for (size_t i = 0; i < s->keys.n; i++) {
		struct pairs_pair *p = &s->pairs[i];
		struct pairs_run *run = &s->runs[p->run];

		if (!run->n_pairs++)
			run->pairs = p;
		if (p->local)
			continue;
		run->n_remote++;
		run->n_rows += na_pairs_rows_of(s, p);
	}
}

static bool start_runs(struct pairs_state *s)
{
	const struct na_store *store = s->scope->store;

	s->runs = NA_NEW(&s->mem, struct pairs_run, store->n_runs);
	for (uint32_t i = 0; s->runs && i < store->n_runs; i++) {
		unsigned styles = na_store_styles(store, i);

		s->runs[i].of = s;
		s->runs[i].index = i;
		s->runs[i].captured = styles &&
				      !(styles & ~NA_STYLES_OF_PACKETS);
	}
	return s->runs;
}

/* A microsecond, or what makes the whole time fit 32 bits. */
static int64_t tick_for(const struct pairs_state *s)
{
	uint64_t span = (uint64_t)s->ends.last_ps - (uint64_t)s->ends.first_ps;
	int64_t tick = NA_PS_PER_US;

	while (s->ends.n && span / (uint64_t)tick > UINT32_MAX)
		tick *= 2;
	return tick;
}

enum na_status na_pairs_plan(struct pairs_state *s, struct na_err *err)
{
	const struct na_store *store = s->scope->store;
	size_t n_slots = s->of_hosts ? store->n_hosts
				     : store->n_runs * store->names.n_endpoints;
	struct na_endpoint *of = na_calloc(s->of_hosts ? store->n_hosts : 0,
					   sizeof(*of));
	uint32_t *at = na_calloc(n_slots, sizeof(*at));
	bool ok;

	s->pairs = na_calloc(s->keys.n, sizeof(*s->pairs));
	s->place_of = na_calloc(s->keys.n, sizeof(*s->place_of));
	s->filled = na_calloc(s->keys.n, sizeof(*s->filled));
	s->rows = na_calloc((size_t)s->ends.n, sizeof(*s->rows));
	s->tick_ps = tick_for(s);
	ok = of && at && s->pairs && s->place_of && s->filled && s->rows &&
	     start_runs(s);
	if (ok) {
		if (s->of_hosts)
			first_devices(store, of);
		ok = plan_nodes(s, at, n_slots, of);
	}
	if (ok) {
		plan_pairs(s, at);
		plan_runs(s);
	}
	free(of);
	free(at);
	return ok ? NA_OK : na_fail_nomem(err);
}
