/* From the store to transfers, ops and ends of steps. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/whatif/state.h"

/* A transfer as one of its ends tells it. */
struct half {
	int64_t start_ps, end_ps, action_ps;
	uint64_t size_bytes;
	uint32_t order; /* of its collective's name among all */
	uint32_t collective, instance, src, dst, iteration;
	struct na_endpoint from, to;
	int32_t chunk;
	uint8_t side;
	bool graph; /* its actions are told: when it was posted, when sent */
};

/* By what they are called, not by the numbers of that: those of a slice of the
 * trace are others, and who comes first of two at one instant is to be the
 * same. */
NA_ORDER(by_ends, struct half, NA_UP(from.slice), NA_UP(from.device),
	 NA_UP(to.slice), NA_UP(to.device))
NA_ORDER(by_key_order, struct half, NA_UP(order), NA_UP(instance),
	 by_ends(x, y), NA_UP(iteration), NA_UP(chunk), NA_UP(size_bytes))

static int by_key(const void *first, const void *second)
{
	const struct half *x = first, *y = second;
	int order = by_key_order(x, y);

	return order ? order : NA_THEN2(NA_UP(side), NA_UP(end_ps));
}

struct gathering {
	struct na_whatif *w;
	NA_VEC(struct half) halves;
	uint32_t step_limit;
};

static bool of_run(const struct na_whatif *w, uint32_t input)
{
	return w->store->sources[input].run == w->run;
}

/* Steps that fit in what may be kept. */
static bool limit_steps(struct gathering *g)
{
	const struct na_store *store = g->w->store;
	uint64_t *n = na_calloc(store->n_steps, sizeof(*n)), sum = 0;

	if (!n)
		return false;
	na_each_record (struct na_packed_transfer, x, &store->transfers) {
		uint32_t step = *na_packed_step(x);

		if (step < store->n_steps)
			n[step]++;
	}
	while (g->step_limit < store->n_steps &&
	       (sum += n[g->step_limit]) <= 2 * (uint64_t)NA_WHATIF_MOST)
		g->step_limit++;
	free(n);
	return true;
}

/* Launches number the executions of a collective, and iterations those of a
 * loop; old messages have steps.  NA_NO_TRIPLE: no memory. */
static uint32_t instance_of(struct na_whatif *w, const struct na_transfer *t)
{
	bool launched = t->launch != NA_UNKNOWN_U32;

	return na_triples_add(&w->instances,
			      (struct na_triple){launched,
						 launched ? t->launch : t->step,
						 t->iteration});
}

/* Between two steps as well, where its launch says to which it belongs. */
static bool in_steps(const struct gathering *g, const struct na_transfer *t)
{
	return t->step < g->step_limit ||
	       (t->step == NA_UNKNOWN_U32 && t->launch != NA_UNKNOWN_U32 &&
		g->step_limit == g->w->store->n_steps);
}

static bool keep_half(struct gathering *g, const struct na_transfer *t)
{
	const struct na_endpoint *ends = g->w->store->names.endpoints;
	uint32_t instance;

	if (!na_filter_when(g->w->scope->bound, t) || !in_steps(g, t) ||
	    t->klass == NA_BAD_KEY || t->klass == NA_BAD_DURATION ||
	    !of_run(g->w, t->input) ||
	    t->src >= g->w->store->names.n_endpoints ||
	    t->dst >= g->w->store->names.n_endpoints)
		return true;
	instance = instance_of(g->w, t);
	return instance != NA_NO_TRIPLE &&
	       na_add(&g->halves, ((struct half){
					  .start_ps = t->start_ps,
					  .end_ps = t->end_ps,
					  .action_ps = t->action_ps,
					  .size_bytes = t->size_bytes,
					  .collective = t->collective,
					  .instance = instance,
					  .src = t->src,
					  .dst = t->dst,
					  .from = ends[t->src],
					  .to = ends[t->dst],
					  .iteration = t->iteration,
					  .chunk = t->chunk,
					  .side = t->side,
					  .graph = t->style == NA_STYLE_GRAPH,
				  }));
}

struct named {
	const char *name;
	uint32_t id;
};

NA_ORDER(by_name, struct named, strcmp(x->name, y->name), NA_UP(id))

/* `order` of each half.  False: no memory. */
static bool order_names(struct gathering *g)
{
	const struct na_strtab *strings = &g->w->store->names.strings;
	uint32_t *orders = na_calloc(strings->n, sizeof(*orders));
	NA_VEC(struct named) names = {.n = 0};
	bool ok = orders;

	for (size_t i = 0; ok && i < g->halves.n; i++) {
		uint32_t id = g->halves.v[i].collective;

		if (id < strings->n && !orders[id]++)
			ok = na_add(&names,
				    ((struct named){na_strtab_at(strings, id),
						    id}));
	}
	if (ok)
		na_sort(names.v, names.n, by_name);
	for (size_t i = 0; ok && i < names.n; i++)
		orders[names.v[i].id] = (uint32_t)i;
	for (size_t i = 0; ok && i < g->halves.n; i++) {
		struct half *h = &g->halves.v[i];

		h->order = h->collective < strings->n ? orders[h->collective]
						      : NA_UNKNOWN_U32;
	}
	na_vec_free(&names);
	free(orders);
	return ok;
}

/* ---- lines */

static uint32_t place_of(struct na_whatif *w, uint32_t program,
			 uint32_t collective)
{
	struct wf_place *p =
		na_triples_at(&w->place_keys, &w->places,
			      ((struct na_triple){program, collective, 0}));

	return p ? (uint32_t)(p - w->places.v) : WF_NONE;
}

/* Of the device's core, else of the first of its host. */
static uint32_t program_of(const struct na_whatif *w, uint32_t endpoint,
			   uint32_t host)
{
	uint32_t core = w->core_of[endpoint];

	if (core == WF_NONE)
		core = w->hosts[host].core;
	return core == WF_NONE ? (uint32_t)w->store->devices.n_cores + host
			       : core;
}

static uint32_t exec_of(struct na_whatif *w, const struct half *h,
			uint32_t endpoint)
{
	uint32_t host = na_store_host_of(w->store, w->run, endpoint);
	uint32_t program = program_of(w, endpoint, host);
	size_t known = w->execs.n;
	struct wf_exec *x = na_triples_at(
		&w->exec_keys, &w->execs,
		((struct na_triple){h->collective, h->instance, program}));

	if (!x)
		return WF_NONE;
	if (w->execs.n > known) {
		x->host = host;
		x->place = place_of(w, program, h->collective);
		if (x->place == WF_NONE)
			return WF_NONE;
	}
	return (uint32_t)(x - w->execs.v);
}

static uint32_t line_of(struct na_whatif *w, const struct half *h,
			uint32_t endpoint)
{
	size_t known = w->lines.n;
	struct wf_line *l = na_triples_at(
		&w->line_keys, &w->lines,
		((struct na_triple){h->collective, h->instance, endpoint}));

	if (!l)
		return WF_NONE;
	if (w->lines.n > known) {
		l->exec = exec_of(w, h, endpoint);
		if (l->exec == WF_NONE)
			return WF_NONE;
	}
	return (uint32_t)(l - w->lines.v);
}

/* ---- transfers */

static void wait_of(const struct na_whatif *w, struct wf_move *m, uint32_t src,
		    uint32_t dst)
{
	int64_t known, ahead, gone;

	if (m->posted_ps == NA_UNKNOWN_PS && !w->by_sends)
		return;
	ahead = na_host_clocks_ahead(w->clocks, dst, src, &known);
	if (known == NA_TIME_MAX || !na_add_i64(m->taken_ps, -ahead, &gone))
		return;
	gone = na_time_between(m->sent_ps, gone);
	m->waited_ps = na_time_between(m->took_ps, gone);
}

/* What it took by its receiver's stamp, clocks brought together. */
static int64_t took_of(const struct na_whatif *w, const struct half *rx,
		       uint32_t src, uint32_t dst, int64_t *sent_ps)
{
	int64_t known, took = na_time_between(rx->start_ps, rx->end_ps);
	int64_t ahead = na_host_clocks_ahead(w->clocks, dst, src, &known);

	if (known == NA_TIME_MAX || ahead > took ||
	    !na_add_i64(took, -ahead, &took))
		took = 0;
	if (!na_add_i64(rx->end_ps, -ahead, sent_ps) ||
	    !na_add_i64(*sent_ps, -took, sent_ps))
		*sent_ps = rx->start_ps;
	return took;
}

/* tx: NULL where no sender tells of it; nth of its key. */
static bool add_move(struct na_whatif *w, const struct half *tx,
		     const struct half *rx, uint32_t nth)
{
	uint32_t src = na_store_host_of(w->store, w->run, rx->src);
	uint32_t dst = na_store_host_of(w->store, w->run, rx->dst);
	struct wf_move m = {.posted_ps = NA_UNKNOWN_PS,
			    .taken_ps = rx->end_ps,
			    .gone_ps = tx ? tx->end_ps : NA_UNKNOWN_PS,
			    .behind = WF_NONE,
			    .followers = WF_NONE,
			    .next_follower = WF_NONE,
			    .next_twin = WF_NONE};

	m.took_ps = took_of(w, rx, src, dst, &m.sent_ps);
	if (tx) {
		m.sent_ps = tx->start_ps;
		if (w->by_sends)
			m.took_ps = na_time_between(tx->start_ps, tx->end_ps);
	}
	if (rx->graph && rx->action_ps != NA_UNKNOWN_PS &&
	    !na_add_i64(rx->end_ps, -rx->action_ps, &m.posted_ps))
		m.posted_ps = NA_UNKNOWN_PS;
	wait_of(w, &m, src, dst);
	m.stratum = na_triples_add(
		&w->strata,
		(struct na_triple){rx->collective,
				   na_store_rack(w->store, src) !=
					   na_store_rack(w->store, dst),
				   0});
	m.round = na_triples_add(
		&w->rounds, (struct na_triple){(uint32_t)rx->chunk, nth, 0});
	m.from = line_of(w, rx, rx->src);
	m.to = line_of(w, rx, rx->dst);
	if (m.to != WF_NONE)
		w->execs.v[w->lines.v[m.to].exec].n++;
	return m.stratum != NA_NO_TRIPLE && m.round != NA_NO_TRIPLE &&
	       m.from != WF_NONE &&
	       m.to != WF_NONE && na_add(&w->moves, m);
}

/* Of one key: the k-th send is that of the k-th receive. */
static bool join(struct gathering *g, const struct half *of, size_t n)
{
	size_t rx = 0;

	while (rx < n && of[rx].side == NA_RX)
		rx++;
	for (size_t i = 0; i < rx; i++)
		if (!add_move(g->w, rx + i < n ? &of[rx + i] : NULL, &of[i],
			      (uint32_t)i))
			return false;
	return true;
}

static bool gather_moves(struct gathering *g)
{
	bool ok = limit_steps(g);
	size_t to;

	na_each_record (struct na_packed_transfer, x, &g->w->store->transfers) {
		const struct na_transfer t = na_unpack_transfer(x);

		ok = ok && keep_half(g, &t);
	}
	ok = ok && order_names(g);
	if (ok)
		na_sort(g->halves.v, g->halves.n, by_key);
	for (size_t from = 0; ok && from < g->halves.n; from = to) {
		for (to = from + 1;
		     to < g->halves.n &&
		     by_key_order(&g->halves.v[from], &g->halves.v[to]) == 0;)
			to++;
		ok = join(g, g->halves.v + from, to - from);
	}
	return ok;
}

/* ---- programs */

static bool waits(const struct na_op_type *t)
{
	return t->opcode == NA_OPCODE_RECV && t->phase == NA_OP_DONE;
}

static bool launches(const struct na_op_type *t)
{
	return (t->opcode == NA_OPCODE_RECV || t->opcode == NA_OPCODE_SEND) &&
	       t->phase != NA_OP_DONE;
}

/* Of the window alone, as a slice of it has nothing else. */
static bool in_window(const struct na_whatif *w, uint32_t core, int64_t at_ps)
{
	const struct na_bound_filter *l = w->scope->bound;

	return !l || na_filter_instant(
			     l, w->store->devices.cores[core].input, at_ps);
}

static bool speaks(const struct na_whatif *w, const struct na_op *x)
{
	const struct na_op_type *t = &w->store->devices.types.items[x->type];

	return in_window(w, x->core, x->end_ps) && t->network == NA_NET_DCN &&
	       t->collective != NA_UNKNOWN_U32 &&
	       of_run(w, w->store->devices.cores[x->core].input) &&
	       (waits(t) || launches(t));
}

/* Which cores communicate, and which devices they are. */
static bool find_programs(struct na_whatif *w)
{
	const struct na_devices *d = &w->store->devices;
	size_t ends = w->store->names.n_endpoints;

	w->programs = na_calloc(d->n_cores + w->n_hosts, sizeof(*w->programs));
	w->speaks = na_calloc(d->n_cores, sizeof(*w->speaks));
	w->core_of = na_calloc(ends, sizeof(*w->core_of));
	if (!w->programs || !w->speaks || !w->core_of)
		return false;
	for (size_t i = 0; i < ends; i++)
		w->core_of[i] = WF_NONE;
	na_each_record (struct na_op, x, &w->store->ops) {
		const struct na_core *c = &d->cores[x->core];
		struct wf_host *h = &w->hosts[c->input];

		if (w->speaks[x->core] || !speaks(w, x))
			continue;
		w->speaks[x->core] = true;
		if (x->core < h->core)
			h->core = x->core;
		if (c->endpoint < ends)
			w->core_of[c->endpoint] = x->core;
	}
	return true;
}

static bool gather_ops(struct na_whatif *w)
{
	const struct na_devices *d = &w->store->devices;
	bool ok = true;

	na_each_record (struct na_op, x, &w->store->ops) {
		const struct na_op_type *t = &d->types.items[x->type];
		enum wf_kind kind = waits(t) ? WF_WAITED : WF_LAUNCHED;
		struct wf_op op = {.start_ps = x->start_ps,
				   .end_ps = x->end_ps,
				   .of = WF_NONE,
				   .receives = t->opcode == NA_OPCODE_RECV};

		if (!ok || !speaks(w, x))
			continue;
		op.place = place_of(w, x->core, t->collective);
		w->n_waits += kind == WF_WAITED;
		ok = op.place != WF_NONE && na_add(&w->ops, op) &&
		     na_add(&w->events,
			    ((struct wf_event){kind == WF_WAITED ? op.end_ps
								 : op.start_ps,
					       d->cores[x->core].input,
					       (uint32_t)w->ops.n - 1, kind}));
	}
	return ok;
}

struct ending {
	struct wf_end end;
	int64_t at_ps;
	uint32_t host;
};

NA_ORDER(by_number, struct ending, NA_UP(end.group), NA_UP(end.number),
	 NA_UP(host), NA_UP(at_ps))

/* Does the window hold the step whole? */
static bool is_asked(const struct na_scope *scope, const struct na_span *x)
{
	const struct na_filter *f = scope->filter;

	return !f || (x->start_ps >= f->from_ps && x->end_ps <= f->to_ps &&
		      (f->first_step < 0 || (x->number >= f->first_step &&
					     x->number <= f->last_step)));
}

static struct ending ending_of(const struct na_whatif *w,
			       const struct na_span *x)
{
	return (struct ending){
		.end = {.number = x->number,
			.at_ps = na_host_clocks_time(w->clocks, x->input,
						     x->end_ps),
			.group = w->clocks->group[x->input],
			.core = x->core},
		.at_ps = x->end_ps,
		.host = x->input};
}

static bool gather_ends(struct na_whatif *w)
{
	NA_VEC(struct ending) all = {.n = 0};
	bool ok = true;

	na_each_record (struct na_span, x, &w->store->spans)
		if (ok && x->core < w->store->devices.n_cores &&
		    w->speaks[x->core] && of_run(w, x->input) &&
		    is_asked(w->scope, x))
			ok = na_add(&all, ending_of(w, x));
	if (ok)
		na_sort(all.v, all.n, by_number);
	for (size_t i = 0; ok && i < all.n; i++)
		ok = na_add(&w->ends, all.v[i].end) &&
		     na_add(&w->events,
			    ((struct wf_event){all.v[i].at_ps, all.v[i].host,
					       (uint32_t)i, WF_ENDED}));
	na_vec_free(&all);
	return ok;
}

bool wf_gather(struct na_whatif *w)
{
	struct gathering g = {.w = w};
	bool ok = find_programs(w) && gather_moves(&g);

	na_vec_free(&g.halves);
	return ok && gather_ops(w) && wf_gather_slices(w) && gather_ends(w);
}
