/* Slices to events: what they are called, and the facts that they tell. */
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/engine/parallel.h"
#include "netan/exports/pftrace/state.h"
#include "netan/methods/ranks/bus.h"
#include "netan/model/gpu/kernels.h"

/* clang-format off */
const struct na_pft_word na_pft_facts[NA_PFT_N_FACTS] = {
	[NA_PFT_FACT_COUNT] = {NA_PFT_FACT_COUNT, M_count},
	[NA_PFT_FACT_BYTES] = {NA_PFT_FACT_BYTES, M_bytes},
	[NA_PFT_FACT_SRC] = {NA_PFT_FACT_SRC, M_src},
	[NA_PFT_FACT_DST] = {NA_PFT_FACT_DST, M_dst},
	[NA_PFT_FACT_TYPE] = {NA_PFT_FACT_TYPE, M_transfer_type},
	[NA_PFT_FACT_LAUNCH] = {NA_PFT_FACT_LAUNCH, M_launch},
	[NA_PFT_FACT_ITERATION] = {NA_PFT_FACT_ITERATION, M_iteration},
	[NA_PFT_FACT_CHUNK] = {NA_PFT_FACT_CHUNK, M_chunk},
	[NA_PFT_FACT_DEVICE] = {NA_PFT_FACT_DEVICE, M_device},
	[NA_PFT_FACT_GROUP] = {NA_PFT_FACT_GROUP, M_group},
	[NA_PFT_FACT_SEQUENCE] = {NA_PFT_FACT_SEQUENCE, M_sequence},
	[NA_PFT_FACT_CLASS] = {NA_PFT_FACT_CLASS, M_left_out},
};
/* clang-format on */

enum { MOST_FACTS = 8, LOOK_EVERY = 4096 };

struct writing {
	struct na_pft_gather *g;
	struct na_pft_counters *counters;
	struct na_pft_note notes[MOST_FACTS];
	char text[64]; /* of a step */
	struct na_pft_event e;
	uint64_t bytes;       /* of the event; 0: none */
	uint64_t flow_at_end; /* of a receive */
};

static void add_int(struct writing *w, enum na_pft_fact fact, int64_t v)
{
	w->notes[w->e.n_notes++] =
		(struct na_pft_note){.name = na_pft_facts[fact], .value = v};
}

static void add_text(struct writing *w, enum na_pft_fact fact, uint32_t id,
		     const char *text)
{
	if (text)
		w->notes[w->e.n_notes++] =
			(struct na_pft_note){.name = na_pft_facts[fact],
					     .kind = NA_PFT_TEXT,
					     .text = {id, text}};
}

static void add_bytes(struct writing *w, uint64_t bytes)
{
	w->bytes = bytes < INT64_MAX ? bytes : INT64_MAX;
	add_int(w, NA_PFT_FACT_BYTES, (int64_t)w->bytes);
}

/* ---- words, by where they are in the store */

static const struct na_names *names_of(const struct writing *w)
{
	return &w->g->scope->store->names;
}

static void add_end(struct writing *w, enum na_pft_fact fact, uint32_t end)
{
	add_text(w, fact, end + 1, na_sql_endpoint(&w->g->texts, end).s);
}

static void add_name(struct writing *w, enum na_pft_fact fact, uint32_t name)
{
	add_text(w, fact, (uint32_t)names_of(w)->n_endpoints + 1 + name,
		 na_sql_name(&w->g->texts, name).s);
}

/* False: there is none of that index. */
static bool call_it(struct writing *w, uint32_t name)
{
	const char *text = na_sql_name(&w->g->texts, name).s;

	if (text)
		w->e.name = (struct na_pft_word){NA_PFT_WORD_LEAST + name,
						 text};
	return text;
}

/* ---- one of each kind */

static void tell_transfer(struct writing *w, const struct na_pft_slice *s,
			  bool sent)
{
	const struct na_transfer t = na_unpack_transfer(s->of);
	const struct na_store *store = w->g->scope->store;
	const char *other =
		na_sql_endpoint(&w->g->texts, sent ? t.dst : t.src).s;

	w->e.category = NA_PFT_TRANSFER;
	if (!call_it(w, t.collective) && other)
		w->e.name = (struct na_pft_word){
			(uint32_t)(NA_PFT_WORD_LEAST + names_of(w)->strings.n) +
				(sent ? t.dst : t.src),
			other};
	add_bytes(w, t.size_bytes);
	add_end(w, NA_PFT_FACT_SRC, t.src);
	add_end(w, NA_PFT_FACT_DST, t.dst);
	add_name(w, NA_PFT_FACT_TYPE, t.type);
	if (t.launch != NA_UNKNOWN_U32)
		add_int(w, NA_PFT_FACT_LAUNCH, t.launch);
	if (t.iteration != NA_UNKNOWN_U32)
		add_int(w, NA_PFT_FACT_ITERATION, t.iteration);
	if (t.chunk != NA_UNKNOWN_I32)
		add_int(w, NA_PFT_FACT_CHUNK, t.chunk);
	if (t.klass == NA_CLOCK_SKEW || t.klass == NA_NO_LATENCY) {
		add_text(w, NA_PFT_FACT_CLASS, 0,
			 t.klass == NA_CLOCK_SKEW ? M_clock_skew
						  : M_no_latency);
		w->e.type = NA_PFT_INSTANT;
	}
	w->e.correlation = na_pft_execution(t.launch, t.iteration, t.collective,
					    na_store_run_of(store, t.input));
	if (sent)
		w->e.flow = s->link;
	else
		w->flow_at_end = s->link;
}

static void tell_graph(struct writing *w, const struct na_pft_slice *s)
{
	const struct na_exec e = na_unpack_exec(s->of);

	w->e.category = NA_PFT_COLLECTIVE;
	if (!call_it(w, e.collective))
		w->e.name = (struct na_pft_word){0, "unknown"};
	if (e.size_bytes)
		add_bytes(w, e.size_bytes);
	add_end(w, NA_PFT_FACT_DEVICE, e.device);
	add_name(w, NA_PFT_FACT_TYPE, e.type);
	w->e.correlation = s->link;
}

static void tell_span(struct writing *w, const struct na_pft_slice *s)
{
	const struct na_span *x = s->of;

	w->e.category = NA_PFT_STEP;
	if (x->kind == NA_SPAN_MODULE && call_it(w, x->name))
		return;
	if (x->number >= 0)
		snprintf(w->text, sizeof(w->text), "step %lld",
			 (long long)x->number);
	else
		snprintf(w->text, sizeof(w->text), "step");
	w->e.name = (struct na_pft_word){0, w->text};
}

static void tell_op(struct writing *w, const struct na_pft_slice *s)
{
	const struct na_op *x = s->of;
	const struct na_op_type *t =
		&w->g->scope->store->devices.types.items[x->type];

	w->e.category = NA_PFT_COLLECTIVE;
	if (!call_it(w, t->name))
		w->e.name = (struct na_pft_word){0, "unknown"};
	if (t->size_bytes != NA_UNKNOWN_U64)
		add_bytes(w, t->size_bytes);
	add_name(w, NA_PFT_FACT_TYPE, t->transfer_type);
	w->e.correlation = s->link;
}

static const char *word_of(const struct na_comm *c)
{
	const char *word = na_opcode_word(c->operation);

	return c->operation == NA_OPCODE_SEND   ? "SEND"
	       : c->operation == NA_OPCODE_RECV ? "RECV"
	       : word                           ? word
						: "unknown";
}

/* What it moves while nobody waits any more. */
static void count_comm(struct writing *w, const struct na_pft_slice *s)
{
	const struct na_comm *c = s->of;
	const struct na_ranks *r = &w->g->clocks.ranks;
	uint32_t part = w->g->part_of[c - w->g->clocks.comms.v];
	const struct na_rank_instance *x;
	int64_t from_ns;
	uint64_t bytes;

	if (part == NA_UNKNOWN_U32)
		return;
	x = &r->instances.v[r->parts.v[part].instance];
	if (x->times != NA_RANK_RAN || x->size_bytes >= NA_RANK_BYTES_MAX)
		return;
	bytes = (uint64_t)((double)x->size_bytes *
			   na_bus_factor(x->operation,
					 r->groups.v[x->group].size));
	from_ns = s->end_ns - na_pft_ns(x->transfer_ps);
	from_ns = from_ns < s->start_ns ? s->start_ns : from_ns;
	if (c->operation != NA_OPCODE_SEND)
		na_pft_count(w->counters, NA_PFT_RX, from_ns, s->end_ns, bytes);
	if (c->operation != NA_OPCODE_RECV)
		na_pft_count(w->counters, NA_PFT_TX, from_ns, s->end_ns, bytes);
}

static void tell_comm(struct writing *w, const struct na_pft_slice *s)
{
	const struct na_comm *c = s->of;

	w->e.category = NA_PFT_COLLECTIVE;
	w->e.name = (struct na_pft_word){(uint32_t)NA_PFT_WORD_OPCODE +
						 (c->operation < NA_N_OPCODES
							  ? c->operation
							  : 0u),
					 word_of(c)};
	if (c->size_bytes != NA_UNKNOWN_U64)
		add_bytes(w, c->size_bytes);
	add_name(w, NA_PFT_FACT_GROUP, c->group);
	if (c->sequence >= 0)
		add_int(w, NA_PFT_FACT_SEQUENCE, c->sequence);
	w->e.correlation = s->link;
	if (s->link && na_rank_is_pair(c)) {
		if (c->operation == NA_OPCODE_SEND)
			w->e.flow = na_pft_mix(NA_PFT_PAIR, s->link);
		else
			w->flow_at_end = na_pft_mix(NA_PFT_PAIR, s->link);
	}
	count_comm(w, s);
}

static void tell(struct writing *w, const struct na_pft_slice *s,
		 enum na_pft_kind kind)
{
	w->e = (struct na_pft_event){.at_ns = s->start_ns, .notes = w->notes};
	w->bytes = w->flow_at_end = 0;
	if (s->what == NA_PFT_OF_TRANSFER)
		tell_transfer(w, s, kind == NA_PFT_SENDS);
	else if (s->what == NA_PFT_OF_GRAPH)
		tell_graph(w, s);
	else if (s->what == NA_PFT_OF_SPAN)
		tell_span(w, s);
	else if (s->what == NA_PFT_OF_OP)
		tell_op(w, s);
	else
		tell_comm(w, s);
}

/* ---- all of a process */

static void count(struct writing *w, const struct na_pft_slice *s,
		  enum na_pft_kind kind)
{
	if (s->what == NA_PFT_OF_TRANSFER)
		na_pft_count(w->counters,
			     kind == NA_PFT_SENDS ? NA_PFT_TX : NA_PFT_RX,
			     s->start_ns, s->end_ns, w->bytes);
	if (kind == NA_PFT_COLLECTIVES ||
	    (kind == NA_PFT_RECEIVES && !w->g->graphs && !w->g->clocks.comms.n))
		na_pft_count(w->counters, NA_PFT_PENDING, s->start_ns,
			     s->end_ns, 0);
}

static void put_group(struct writing *w, uint32_t at,
		      const struct na_pft_slice **v, size_t n)
{
	const struct na_pft_group group = w->g->x->groups.v[at];
	const struct na_core *core =
		group.core != NA_UNKNOWN_U32
			? &w->g->scope->store->devices.cores[group.core]
			: NULL;
	char device[NA_CORE_BUF];
	struct na_pft_lanes lanes = {.x = w->g->x,
				     .group = at,
				     .device = core ? na_core_print(device,
								    core, ' ')
						    : NULL};

	for (size_t i = 0; i < NA_PFT_LANES; i++)
		lanes.ends_ns[i] = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		if (i % LOOK_EVERY == 0 && na_interrupted())
			return;
		tell(w, v[i], group.kind);
		if (w->e.type == NA_PFT_INSTANT) {
			w->e.last_of_flow = w->flow_at_end;
			w->e.track = na_pft_lane(w->g->x, at, 0, lanes.device);
			na_pft_put(&w->g->x->out, &w->e);
			w->g->x->instants++;
			continue;
		}
		na_pft_lay(&lanes, v[i], &w->e, w->flow_at_end, w->bytes);
		count(w, v[i], group.kind);
	}
	na_pft_lay_rest(&lanes);
}

struct range { /* of a group */
	uint32_t process, kind, core, group;
};

NA_ORDER(by_process, struct range, NA_UP(process), NA_UP(kind), NA_UP(core),
	 NA_UP(group))

static struct range *ranges_of(const struct na_pft_gather *g, size_t n_groups)
{
	struct range *r = na_calloc(n_groups, sizeof(*r));

	for (uint32_t i = 0; r && i < n_groups; i++) {
		const struct na_pft_group *x = &g->x->groups.v[i];

		r[i] = (struct range){x->process, x->kind, x->core, i};
	}
	if (r)
		na_sort(r, n_groups, by_process);
	return r;
}

/* None of its times is below 0 then. */
static void shift(struct na_pft *x)
{
	/* Whole seconds, so that times can still be compared by eye. */
	if (x->first_ns < 0)
		x->out.shift_ns = (-x->first_ns / NA_NS_PER_S + 1) *
				  NA_NS_PER_S;
}

/* Who did nothing may be the one that the others wait for. */
static void tell_idle(struct na_pft_gather *g)
{
	const struct na_store *s = g->scope->store;

	for (uint32_t i = 0; i < s->n_sources; i++) {
		const struct na_host *h = &s->hosts[i];

		if (h->recorded && !h->nobody && !h->of_ranks &&
		    na_filter_input(g->scope->bound, i))
			na_pft_tell_process(g->x, g->host_process[i]);
	}
	for (uint32_t i = 0; i < s->devices.n_cores; i++) {
		if (g->core_process[i] != NA_UNKNOWN_U32 &&
		    na_filter_input(g->scope->bound,
				    s->devices.cores[i].input))
			na_pft_tell_process(g->x, g->core_process[i]);
	}
}

bool na_pft_write(struct na_pft_gather *g)
{
	size_t n = g->x->groups.n;
	struct writing w = {.g = g};
	struct na_pft_order order = {.v = NULL};
	struct range *r = ranges_of(g, n);
	bool ok = r && na_pft_sort(&order, g->slices.v, g->slices.n, n);

	shift(g->x);
	w.counters = na_pft_counters_new(g->x, g->x->first_ns, g->x->last_ns,
					 g->x->processes.n);
	ok = ok && w.counters;
	for (size_t i = 0; ok && i < n; i++) {
		const size_t *from = &order.from[r[i].group];

		put_group(&w, r[i].group, order.v + from[0], from[1] - from[0]);
		if (i + 1 == n || r[i + 1].process != r[i].process)
			na_pft_counters_put(w.counters, r[i].process);
	}
	tell_idle(g);
	na_pft_counters_free(w.counters);
	na_pft_order_fini(&order);
	free(r);
	return ok;
}
