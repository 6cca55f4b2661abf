/* Records of the store to slices of processes, on one clock. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/engine/anonymize.h"
#include "netan/exports/pftrace/state.h"
#include "netan/methods/step_kind.h"

/* ---- who there is */

static struct na_pft_process *new_process(struct na_pft_gather *g,
					  const char *host, uint32_t run,
					  bool of_rank, int32_t rank)
{
	const struct na_request *q = g->x->request;
	const char *label = na_store_label(g->scope->store, run);
	char *shown = host ? na_shown(q, host) : NULL;
	char *shown_label = label ? na_shown(q, label) : NULL;
	struct na_pft_process *p = NULL;

	if ((shown || !host) && (shown_label || !label))
		p = na_pft_process_new(g->x, shown, shown_label, of_rank, rank);
	free(shown);
	free(shown_label);
	return p;
}

static void set_clock(struct na_pft_process *p, struct na_export_clock clock)
{
	p->ahead_ps = clock.ahead_ps;
	p->uncertainty_ps = clock.uncertainty_ps;
}

/* Of one name in a run, from whatever files. */
static uint32_t process_of_host(struct na_pft_gather *g, uint32_t host)
{
	const struct na_host *h = &g->scope->store->hosts[host];
	struct na_str key = {.s = NULL};
	struct na_pft_process *p;
	uint32_t at;

	na_str_addf(&key, "%" PRIu32 " %s", h->run, h->name);
	at = key.failed ? NA_NO_NAME : na_strtab_add(&g->names, key.s, key.n);
	free(key.s);
	if (at == NA_NO_NAME || at < g->x->processes.n)
		return at;
	p = new_process(g, h->name, h->run, false, 0);
	if (!p)
		return NA_NO_NAME;
	set_clock(p, na_export_clock_of(&g->clocks, host));
	return at;
}

static bool find_hosts(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;
	bool ok = true;

	g->host_process = na_calloc(s->n_hosts, sizeof(*g->host_process));
	for (uint32_t i = 0; g->host_process && ok && i < s->n_hosts; i++) {
		g->host_process[i] = process_of_host(g, i);
		ok = g->host_process[i] != NA_NO_NAME;
	}
	return g->host_process && ok;
}

static bool is_rank(const struct na_pft_gather *g, uint32_t core)
{
	return g->scope->store->devices.cores[core].kind == NA_DEVICE_RANK;
}

/* UNKNOWN: nothing tells its clock. */
static uint32_t rank_of(const struct na_pft_gather *g, uint32_t core)
{
	const struct na_ranks *r = &g->clocks.ranks;

	return r->rank_of ? r->rank_of[core] : NA_UNKNOWN_U32;
}

static bool new_rank(struct na_pft_gather *g, uint32_t core)
{
	const struct na_store *s = g->scope->store;
	const struct na_core *c = &s->devices.cores[core];
	const struct na_source *from = &s->sources[c->input];
	struct na_pft_process *p =
		new_process(g, from->no_host ? NULL : from->host, from->run,
			    true, c->number);

	if (p)
		set_clock(p, na_export_rank_clock(&g->clocks, core));
	return p;
}

static bool find_ranks(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;
	size_t hosts = g->x->processes.n, n = s->devices.n_cores;
	struct na_triples ranks = {.n = 0};
	bool ok = true;

	g->core_process = na_calloc(n, sizeof(*g->core_process));
	if (!g->core_process)
		return false;
	for (uint32_t i = 0; ok && i < n; i++) {
		const struct na_core *c = &s->devices.cores[i];
		uint32_t run = na_store_run_of(s, c->input), at;

		g->core_process[i] = NA_UNKNOWN_U32;
		if (!is_rank(g, i))
			continue;
		at = na_triples_add(&ranks,
				    (struct na_triple){run, (uint32_t)c->number,
						       0});
		ok = at != NA_NO_TRIPLE &&
		     (hosts + at < g->x->processes.n || new_rank(g, i));
		g->core_process[i] = (uint32_t)hosts + at;
	}
	na_triples_fini(&ranks);
	return ok;
}

/* A rank's own process, else that of the host. */
static bool find_ends(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;
	size_t n = s->names.n_endpoints;

	g->end_process = na_calloc(n * s->n_runs, sizeof(*g->end_process));
	if (!g->end_process)
		return false;
	for (size_t i = 0; i < n * s->n_runs; i++)
		g->end_process[i] = s->host_of[i] < s->n_hosts
					    ? g->host_process[s->host_of[i]]
					    : NA_UNKNOWN_U32;
	for (uint32_t i = 0; i < s->devices.n_cores; i++) {
		const struct na_core *c = &s->devices.cores[i];
		uint32_t e = is_rank(g, i) ? na_rank_endpoint(s, c->number)
					   : NA_UNKNOWN_U32;

		if (e < n)
			g->end_process[na_store_run_of(s, c->input) * n + e] =
				g->core_process[i];
	}
	return true;
}

/* ---- when it was */

static int64_t host_time(const struct na_pft_gather *g, uint32_t host,
			 int64_t ps)
{
	int64_t out;

	return na_add_i64(ps, -na_export_clock_of(&g->clocks, host).ahead_ps,
			  &out)
		       ? out
		       : ps;
}

static int64_t core_time(const struct na_pft_gather *g, uint32_t core,
			 int64_t ps)
{
	uint32_t rank = is_rank(g, core) ? rank_of(g, core) : NA_UNKNOWN_U32;

	return rank != NA_UNKNOWN_U32
		       ? na_rank_time(&g->clocks.ranks, rank, ps)
		       : host_time(g,
				   g->scope->store->devices.cores[core].input,
				   ps);
}

/* Of devices nothing but --host is looked at before. */
static bool in_window(const struct na_pft_gather *g, int64_t start_ps,
		      int64_t end_ps)
{
	const struct na_bound_filter *b = g->scope->bound;

	return end_ps >= b->filter->from_ps && start_ps < b->filter->to_ps &&
	       end_ps >= b->steps_from_ps && start_ps < b->steps_to_ps;
}

/* When all begins and ends. */
static void note_span(const struct na_pft_gather *g,
		      const struct na_pft_slice *s)
{
	struct na_pft *x = g->x;

	if (!g->slices.n || s->start_ns < x->first_ns)
		x->first_ns = s->start_ns;
	if (!g->slices.n || s->end_ns > x->last_ns)
		x->last_ns = s->end_ns;
}

static bool add(struct na_pft_gather *g, uint32_t process, uint32_t core,
		enum na_pft_kind kind, struct na_pft_slice s, int64_t start_ps,
		int64_t end_ps)
{
	s.group = na_pft_group(g->x, process, core, kind);
	s.start_ns = na_pft_ns(start_ps);
	s.end_ns = na_pft_ns(end_ps);
	if (s.end_ns < s.start_ns)
		s.end_ns = s.start_ns;
	note_span(g, &s);
	return s.group != NA_NO_TRIPLE && na_add(&g->slices, s);
}

/* ---- each kind of record */

/* Operations of ranks tell them as well. */
static bool told_twice(const struct na_pft_gather *g,
		       const struct na_transfer *t)
{
	return t->style == NA_STYLE_CAPTURE && t->type != NA_UNKNOWN_U32 &&
	       (t->type == g->pair_words[0] || t->type == g->pair_words[1]) &&
	       g->scope->store->hosts[t->input].of_ranks;
}

/* As its receiver, or its sender, saw it. */
static bool add_side(struct na_pft_gather *g,
		     const struct na_packed_transfer *p,
		     const struct na_transfer *t, enum na_side side,
		     uint64_t flow)
{
	const struct na_store *s = g->scope->store;
	uint32_t run = na_store_run_of(s, t->input);
	uint32_t at = side == NA_RX ? t->dst : t->src;
	uint32_t process = NA_UNKNOWN_U32;
	int64_t end_ps = host_time(g, na_store_host_of(s, run, at), t->end_ps);
	int64_t start_ps;

	if (!na_add_i64(end_ps, -na_host_clocks_latency(g->clocks.hosts, t),
			&start_ps))
		start_ps = NA_TIME_MIN;
	if (at < s->names.n_endpoints)
		process = g->end_process[run * s->names.n_endpoints + at];
	if (process == NA_UNKNOWN_U32)
		process = g->host_process[t->input];
	return add(g, process, NA_UNKNOWN_U32,
		   side == NA_RX ? NA_PFT_RECEIVES : NA_PFT_SENDS,
		   (struct na_pft_slice){.of = p,
					 .what = NA_PFT_OF_TRANSFER,
					 .link = flow},
		   start_ps, end_ps) &&
	       na_pft_note(g, t, &g->slices.v[g->slices.n - 1]);
}

static bool add_transfer(struct na_pft_gather *g,
			 const struct na_packed_transfer *p)
{
	const struct na_transfer t = na_unpack_transfer(p);
	uint64_t flow = 0;

	if (na_filter_transfer(g->scope->bound, &t) != NA_KEEP ||
	    told_twice(g, &t))
		return true;
	/* Who captures both ends' packets saw it leave, too. */
	if (t.style >= NA_STYLE_CAPTURE && t.side == NA_RX &&
	    t.klass == NA_VALID) {
		flow = na_pft_mix(NA_PFT_MOVED, ++g->x->flows);
		if (!add_side(g, p, &t, NA_TX, flow))
			return false;
	}
	return add_side(g, p, &t, (enum na_side)t.side, flow);
}

static bool add_graph(struct na_pft_gather *g, const struct na_packed_exec *p)
{
	const struct na_exec e = na_unpack_exec(p);

	if (!na_filter_exec(g->scope->bound, &e))
		return true;
	g->graphs = true;
	return add(g, g->host_process[e.input], NA_UNKNOWN_U32,
		   NA_PFT_COLLECTIVES,
		   (struct na_pft_slice){.of = p, .what = NA_PFT_OF_GRAPH},
		   host_time(g, e.input, e.start_ps),
		   host_time(g, e.input, e.end_ps));
}

static bool add_of_core(struct na_pft_gather *g, uint32_t core,
			enum na_pft_kind kind, struct na_pft_slice s,
			int64_t start_ps, int64_t end_ps)
{
	const struct na_core *c = &g->scope->store->devices.cores[core];
	bool rank = is_rank(g, core);

	return !in_window(g, start_ps, end_ps) ||
	       add(g, rank ? g->core_process[core] : g->host_process[c->input],
		   rank ? NA_UNKNOWN_U32 : core, kind, s,
		   core_time(g, core, start_ps), core_time(g, core, end_ps));
}

/* Steps of a host: those of its devices with one number that overlap. */
struct host_step {
	uint32_t process;
	int64_t number, start_ns, end_ns;
	const struct na_span *first;
};

NA_ORDER(by_number, struct host_step, NA_UP(process), NA_UP(number),
	 NA_UP(start_ns), NA_UP(end_ns))

static bool add_host_steps(struct na_pft_gather *g)
{
	NA_VEC(struct host_step) v = {NULL, 0, 0};
	bool ok = true;
	size_t n = 0;

	for (size_t i = 0; ok && i < g->slices.n; i++) {
		const struct na_pft_slice *s = &g->slices.v[i];
		const struct na_pft_group *of = &g->x->groups.v[s->group];
		const struct na_span *x = s->of;

		if (s->what == NA_PFT_OF_SPAN && of->core != NA_UNKNOWN_U32)
			ok = na_add(&v,
				    ((struct host_step){of->process, x->number,
							s->start_ns, s->end_ns,
							x}));
	}
	na_sort(v.v, v.n, by_number);
	for (size_t i = 0; i < v.n; i++) {
		struct host_step *to = n ? &v.v[n - 1] : NULL;

		if (!to || to->process != v.v[i].process ||
		    to->number != v.v[i].number ||
		    to->end_ns <= v.v[i].start_ns)
			v.v[n++] = v.v[i];
		else if (v.v[i].end_ns > to->end_ns)
			to->end_ns = v.v[i].end_ns;
	}
	for (size_t i = 0; ok && i < n; i++) {
		struct na_pft_slice s = {.start_ns = v.v[i].start_ns,
					 .end_ns = v.v[i].end_ns,
					 .of = v.v[i].first,
					 .what = NA_PFT_OF_SPAN};

		s.group = na_pft_group(g->x, v.v[i].process, NA_UNKNOWN_U32,
				       NA_PFT_STEPS);
		ok = s.group != NA_NO_TRIPLE && na_add(&g->slices, s);
	}
	na_vec_free(&v);
	return ok;
}

/* told: by core, of its Steps line. */
static bool add_step(struct na_pft_gather *g, const struct na_span *x,
		     const size_t *told)
{
	return x->kind != na_step_kind(told[x->core]) ||
	       !na_filter_span(g->scope->bound, x) ||
	       add_of_core(g, x->core,
			   is_rank(g, x->core) ? NA_PFT_STEPS
					       : NA_PFT_DEVICE_STEPS,
			   (struct na_pft_slice){.of = x,
						 .what = NA_PFT_OF_SPAN},
			   x->start_ps, x->end_ps);
}

static bool add_steps(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;
	size_t *told = na_calloc(s->devices.n_cores + 1, sizeof(*told));
	bool ok = told;

	na_each_record (const struct na_span, x, &s->spans) {
		if (ok)
			told[x->core]++;
	}
	na_each_record (const struct na_span, x, &s->spans)
		ok = ok && add_step(g, x, told);
	na_each_record (const struct na_span, x, &s->modules)
		ok = ok && add_step(g, x, told);
	free(told);
	return ok && add_host_steps(g);
}

/* Of ranks the operations tell more. */
static bool add_op(struct na_pft_gather *g, const struct na_op *x)
{
	return is_rank(g, x->core) || !na_filter_op(g->scope->bound, x) ||
	       add_of_core(g, x->core, NA_PFT_OPERATIONS,
			   (struct na_pft_slice){.of = x, .what = NA_PFT_OF_OP},
			   x->start_ps, x->end_ps);
}

/* The receive of a rank whose sender is there, too. */
static bool is_joined(const struct na_pft_gather *g, const struct na_comm *c,
		      uint32_t part)
{
	const struct na_ranks *r = &g->clocks.ranks;
	const struct na_rank_instance *x =
		&r->instances.v[r->parts.v[part].instance];

	return c->operation == NA_OPCODE_RECV && na_rank_is_pair(c) &&
	       x->to - x->from > 1;
}

static bool add_comm(struct na_pft_gather *g, size_t i)
{
	const struct na_comm *c = &g->clocks.comms.v[i];
	uint32_t part = g->part_of[i];
	struct na_pft_slice s = {.of = c, .what = NA_PFT_OF_COMM};
	enum na_pft_kind kind = c->operation == NA_OPCODE_SEND ? NA_PFT_SENDS
				: c->operation == NA_OPCODE_RECV
					? NA_PFT_RECEIVES
					: NA_PFT_COLLECTIVES;

	if (part != NA_UNKNOWN_U32) {
		s.link = na_pft_mix(NA_PFT_MATCH,
				    g->clocks.ranks.parts.v[part].instance);
		g->x->flows += is_joined(g, c, part);
	}
	return g->clocks.ranks.apart[i] == NA_RANK_AGAIN ||
	       add_of_core(g, c->core, kind, s, c->start_ps, c->end_ps);
}

static bool add_comms(struct na_pft_gather *g)
{
	size_t n = g->clocks.comms.n;
	bool ok = true;

	g->part_of = na_calloc(n, sizeof(*g->part_of));
	if (!g->part_of)
		return false;
	for (size_t i = 0; i < n; i++)
		g->part_of[i] = NA_UNKNOWN_U32;
	for (uint32_t i = 0; i < g->clocks.ranks.parts.n; i++)
		g->part_of[g->clocks.ranks.parts.v[i].comm] = i;
	for (size_t i = 0; ok && i < n; i++)
		ok = add_comm(g, i);
	return ok;
}

/* ---- all of them */

static bool add_all(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;
	bool ok = true;

	na_each_record (const struct na_packed_exec, e, &s->graphs)
		ok = ok && add_graph(g, e);
	na_each_record (const struct na_packed_transfer, t, &s->transfers)
		ok = ok && add_transfer(g, t);
	ok = ok && add_steps(g);
	na_each_record (const struct na_op, o, &s->ops)
		ok = ok && add_op(g, o);
	return ok && (!g->clocks.comms.n || add_comms(g));
}

bool na_pft_gather(struct na_pft_gather *g)
{
	const struct na_strtab *names = &g->scope->store->names.strings;

	g->pair_words[0] = na_strtab_find(names, "SEND", 4);
	g->pair_words[1] = na_strtab_find(names, "RECV", 4);
	g->links = na_pft_links_new();
	return g->links && na_export_clocks_find(&g->clocks, g->scope) &&
	       na_sql_texts(&g->texts, g->scope->store, g->x->request) &&
	       find_hosts(g) && find_ranks(g) &&
	       find_ends(g) && add_all(g);
}

void na_pft_gather_fini(struct na_pft_gather *g)
{
	na_sql_texts_fini(&g->texts);
	na_export_clocks_fini(&g->clocks);
	free(g->host_process);
	free(g->core_process);
	free(g->end_process);
	free(g->part_of);
	na_strtab_fini(&g->names);
	na_vec_free(&g->slices);
	na_pft_links_free(g->links);
}
