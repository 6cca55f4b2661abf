#include "netan/model/filter.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/model/comm.h"
#include "netan/model/store.h"

void na_filter_init(struct na_filter *f)
{
	*f = (struct na_filter){
		.side = -1,
		.max_bytes = UINT64_MAX,
		.from_ps = NA_TIME_MIN,
		.to_ps = NA_TIME_MAX,
		.first_step = -1,
		.last_step = -1,
		.instants = true,
		.components = NA_COMP_BIT(NA_COMP_NETWORK) |
			      NA_COMP_BIT(NA_COMP_RPC),
	};
}

static bool any_glob(const struct na_text_list *l, const char *text)
{
	if (!l || !l->n)
		return true;
	for (size_t i = 0; i < l->n; i++) {
		if (na_glob(l->items[i], text))
			return true;
	}
	return false;
}

bool na_filter_collective(const struct na_filter *f, const char *name)
{
	return any_glob(f->collective, name);
}

/* The network's transfers of a trace are also the actions behind them. */
static bool component_ok(const struct na_filter *f, const struct na_transfer *t)
{
	if (t->style < NA_STYLE_CAPTURE)
		return !na_filter_calls_alone(f);
	return f->components & NA_COMP_BIT(t->component);
}

bool na_filter_alone(const struct na_filter *f, const struct na_transfer *t)
{
	if (!component_ok(f, t))
		return false;
	if (f->side >= 0 && t->side != f->side)
		return false;
	if (t->size_bytes < f->min_bytes || t->size_bytes > f->max_bytes)
		return false;
	if (t->style == NA_STYLE_MESSAGE)
		return true; /* its time is not settled yet */
	if (f->clip)
		return t->end_ps >= f->from_ps && t->start_ps < f->to_ps;
	return t->end_ps >= f->from_ps && t->end_ps < f->to_ps;
}

static bool has(const struct na_text_list *l)
{
	return l && l->n;
}

/* An endpoint is named by itself or by its host, of ranks where they run. */
static bool *endpoint_verdicts(const struct na_text_list *l,
			       const struct na_store *s)
{
	size_t n = s->names.n_endpoints;
	bool *ok = na_calloc(n * s->n_runs, sizeof(*ok));
	char buf[NA_ENDPOINT_BUF];

	for (size_t run = 0; ok && run < s->n_runs; run++) {
		for (size_t i = 0; i < n; i++) {
			uint32_t h = na_store_host_of(s, (uint32_t)run,
						      (uint32_t)i);
			uint32_t m = na_store_machine_of(s, (uint32_t)run,
							 (uint32_t)i);

			na_endpoint_print(buf, &s->names,
					  &s->names.endpoints[i]);
			ok[run * n + i] = any_glob(l, buf) ||
					  any_glob(l, s->hosts[h].name) ||
					  any_glob(l, s->hosts[m].name);
		}
	}
	return ok;
}

static struct na_run_window window_of(const struct na_filter *f, uint32_t run)
{
	return f->by_run ? f->by_run[run]
			 : (struct na_run_window){f->from_ps, f->to_ps,
						  f->first_step, f->last_step};
}

struct na_run_window na_filter_of_input(const struct na_filter *f,
					const struct na_store *store,
					uint32_t input)
{
	return window_of(f, na_store_run_of(store, input));
}

static const struct na_run_asked *asked_of(const struct na_bound_filter *l,
					   uint32_t input)
{
	return &l->runs[na_store_run_of(l->store, input)];
}

static bool ask_runs(struct na_bound_filter *l)
{
	const struct na_store *s = l->store;
	uint32_t n = s->n_runs ? (uint32_t)s->n_runs : 1;

	l->runs = na_calloc(n, sizeof(*l->runs));
	if (!l->runs)
		return false;
	for (uint32_t run = 0; run < n; run++) {
		struct na_run_window w = window_of(l->filter, run);
		bool all = w.first_step < 0;

		l->runs[run] = (struct na_run_asked){
			w, all ? NA_TIME_MIN : NA_TIME_MAX,
			all ? NA_TIME_MAX : NA_TIME_MIN};
	}
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct na_step *x = &s->steps[i];
		struct na_run_asked *of = &l->runs[x->run];

		if (!na_window_has_step(&of->window, x->number))
			continue;
		if (x->start_ps < of->steps_from_ps)
			of->steps_from_ps = x->start_ps;
		if (x->end_ps > of->steps_to_ps)
			of->steps_to_ps = x->end_ps;
	}
	l->steps_from_ps = NA_TIME_MAX;
	l->steps_to_ps = NA_TIME_MIN;
	for (uint32_t run = 0; run < n; run++) {
		const struct na_run_asked *of = &l->runs[run];

		if (of->steps_from_ps < l->steps_from_ps)
			l->steps_from_ps = of->steps_from_ps;
		if (of->steps_to_ps > l->steps_to_ps)
			l->steps_to_ps = of->steps_to_ps;
	}
	return true;
}

NA_ORDER(by_core, struct na_device_step, NA_UP(core), NA_UP(start_ps),
	 NA_UP(end_ps), NA_UP(asked))

static bool steps_of_devices(struct na_bound_filter *l)
{
	const struct na_filter *f = l->filter;
	const struct na_chunk_list *spans = &l->store->spans;

	if (f->first_step < 0)
		return true;
	l->steps = na_calloc(spans->n, sizeof(*l->steps));
	if (!l->steps)
		return false;
	na_each_record (const struct na_span, x, spans)
		l->steps[l->n_steps++] = (struct na_device_step){
			x->start_ps, x->end_ps, x->core,
			na_window_has_step(&asked_of(l, x->input)->window,
					   x->number)};
	na_sort(l->steps, l->n_steps, by_core);
	return true;
}

static bool nothing_asked(const struct na_filter *f)
{
	return !has(f->host) && !has(f->src) && !has(f->dst) &&
	       f->first_step < 0 && !f->by_run && f->min_latency_ps == 0 &&
	       f->max_rate_bps <= 0;
}

/* Captures of runs that hold both, or the traces of these.  False: no
 * memory. */
static bool put_aside(struct na_bound_filter *l)
{
	const struct na_filter *f = l->filter;
	const struct na_store *s = l->store;

	if (!(f->traces_first || f->captures_alone) || na_filter_calls_alone(f))
		return true;
	for (uint32_t run = 0; run < s->n_runs; run++) {
		if (!na_store_mixed(s, run))
			continue;
		if (!l->aside)
			l->aside = na_calloc(s->n_sources, sizeof(bool));
		if (!l->aside)
			return false;
		for (size_t i = 0; i < s->n_sources; i++)
			l->aside[i] |= s->sources[i].run == run &&
				       s->sources[i].capture !=
					       f->captures_alone;
	}
	return true;
}

bool na_filter_bind(struct na_bound_filter *l, const struct na_filter *f,
		    const struct na_store *s)
{
	*l = (struct na_bound_filter){.filter = f,
				      .store = s,
				      .open = nothing_asked(f)};
	l->all = l->open && !f->captures_alone && !has(f->collective) &&
		 f->from_ps == NA_TIME_MIN && f->to_ps == NA_TIME_MAX &&
		 !na_filter_calls_alone(f);
	if (!ask_runs(l))
		return false;
	if (has(f->host)) {
		l->host_ok = na_calloc(s->n_sources, sizeof(bool));
		for (size_t i = 0; l->host_ok && i < s->n_sources; i++)
			l->host_ok[i] = any_glob(f->host, s->sources[i].host);
		l->end_ok = endpoint_verdicts(f->host, s);
	}
	if (has(f->src))
		l->src_ok = endpoint_verdicts(f->src, s);
	if (has(f->dst))
		l->dst_ok = endpoint_verdicts(f->dst, s);
	return steps_of_devices(l) && put_aside(l) &&
	       ((l->host_ok && l->end_ok) || !has(f->host)) &&
	       (l->src_ok || !has(f->src)) && (l->dst_ok || !has(f->dst));
}

void na_filter_unbind(struct na_bound_filter *l)
{
	free(l->host_ok);
	free(l->end_ok);
	free(l->src_ok);
	free(l->dst_ok);
	free(l->steps);
	free(l->runs);
	free(l->aside);
}

/* Times may lie further apart than int64_t reaches. */
static uint64_t lasted_ps(const struct na_transfer *t)
{
	return (uint64_t)t->end_ps - (uint64_t)t->start_ps;
}

static bool too_fast(const struct na_filter *f, const struct na_transfer *t)
{
	double bits = (double)t->size_bytes * 8;
	double ps = (double)lasted_ps(t);

	return f->max_rate_bps > 0 && ps > 0 &&
	       bits * 1e12 > f->max_rate_bps * ps;
}

static bool in_window(const struct na_bound_filter *l, uint32_t input,
		      int64_t start_ps, int64_t end_ps)
{
	const struct na_run_window *w = &asked_of(l, input)->window;

	/* Half-open [from, to); an instant at `from` is inside. */
	if (!l->filter->clip || start_ps == end_ps)
		return end_ps >= w->from_ps && end_ps < w->to_ps;
	return end_ps > w->from_ps && start_ps < w->to_ps;
}

/* Of what belongs to no device: while one of the steps runs. */
static bool during_steps(const struct na_bound_filter *l, uint32_t input,
			 int64_t at_ps)
{
	const struct na_run_asked *of = asked_of(l, input);

	return l->filter->first_step < 0 ||
	       (at_ps >= of->steps_from_ps && at_ps < of->steps_to_ps);
}

static bool in_steps(const struct na_bound_filter *l, uint32_t input,
		     uint32_t step)
{
	const struct na_run_window *w = &asked_of(l, input)->window;

	return w->first_step < 0 ||
	       (step < l->store->n_steps &&
		na_window_has_step(w, l->store->steps[step].number));
}

/* The host of a trace is its file; in captures both ends have one. */
static bool host_ok(const struct na_bound_filter *l, size_t base,
		    const struct na_transfer *t)
{
	if (!l->host_ok)
		return true;
	if (t->style < NA_STYLE_CAPTURE)
		return l->host_ok[t->input];
	return l->end_ok[base + t->src] || l->end_ok[base + t->dst];
}

static bool step_ok(const struct na_bound_filter *l,
		    const struct na_transfer *t)
{
	return t->style < NA_STYLE_CAPTURE
		       ? in_steps(l, t->input, t->step)
		       : during_steps(l, t->input, t->end_ps);
}

enum na_verdict na_filter_asked(const struct na_bound_filter *l,
				const struct na_transfer *t)
{
	const struct na_store *s = l->store;
	size_t base;

	if ((l->filter->side >= 0 && t->side != l->filter->side) ||
	    !component_ok(l->filter, t) ||
	    na_filter_aside(l, t->input))
		return NA_DROP_FILTERED;
	if (l->open && in_window(l, t->input, t->start_ps, t->end_ps))
		return NA_KEEP;
	base = s->sources[t->input].run * s->names.n_endpoints;
	if (!host_ok(l, base, t) || (l->src_ok && !l->src_ok[base + t->src]) ||
	    (l->dst_ok && !l->dst_ok[base + t->dst]) || !step_ok(l, t) ||
	    !in_window(l, t->input, t->start_ps, t->end_ps) ||
	    lasted_ps(t) < (uint64_t)l->filter->min_latency_ps)
		return NA_DROP_FILTERED;
	return too_fast(l->filter, t) ? NA_DROP_TOO_FAST : NA_KEEP;
}

enum na_component na_exec_component(enum na_action_kind kind)
{
	/* clang-format off */
	static const enum na_component of[NA_N_ACTIONS] = {
		[NA_ACT_GRAPH] = NA_COMP_GRAPH,
		[NA_ACT_D2H] = NA_COMP_D2H,
		[NA_ACT_H2D] = NA_COMP_H2D,
		[NA_ACT_COMPUTE] = NA_COMP_COMPUTE,
		[NA_ACT_SEND] = NA_N_COMPONENTS,
		[NA_ACT_RECEIVE] = NA_N_COMPONENTS,
		[NA_ACT_KERNEL] = NA_COMP_KERNEL,
		[NA_ACT_REGISTRATION] = NA_N_COMPONENTS,
		[NA_ACT_COPY] = NA_N_COMPONENTS,
	};
	/* clang-format on */

	return of[kind];
}

/* Told by the newer generation of the same file as well. */
static bool told_twice(const struct na_store *s, const struct na_exec *e)
{
	return e->style == NA_STYLE_MESSAGE &&
	       na_store_style(s, e->input) == NA_STYLE_GRAPH &&
	       s->tallies[e->input].actions[NA_STYLE_GRAPH][e->kind];
}

static bool exec_in_time(const struct na_bound_filter *l,
			 const struct na_exec *e)
{
	const struct na_run_window *w = &asked_of(l, e->input)->window;

	if (e->kind == NA_ACT_GRAPH)
		return e->end_ps >= w->from_ps && e->start_ps <= w->to_ps &&
		       (e->device == NA_UNKNOWN_U32
				? during_steps(l, e->input, e->end_ps)
				: in_steps(l, e->input, e->step));
	return in_steps(l, e->input, e->step) &&
	       in_window(l, e->input, e->start_ps, e->end_ps) &&
	       (uint64_t)e->end_ps - (uint64_t)e->start_ps >=
		       (uint64_t)l->filter->min_latency_ps;
}

bool na_filter_exec_asked(const struct na_bound_filter *l,
			  const struct na_exec *e)
{
	const struct na_filter *f = l->filter;

	if (l->host_ok && !l->host_ok[e->input])
		return false;
	if (has(f->collective) &&
	    !na_filter_collective(f, na_strtab_at(&l->store->names.strings,
						  e->collective)))
		return false;
	if (e->kind != NA_ACT_GRAPH &&
	    (e->size_bytes < f->min_bytes || e->size_bytes > f->max_bytes))
		return false;
	return !told_twice(l->store, e) && exec_in_time(l, e);
}

bool na_filter_host_event(const struct na_bound_filter *l,
			  const struct na_host_event *e)
{
	return (!l->host_ok || l->host_ok[e->input]) &&
	       in_window(l, e->input, e->start_ps, e->end_ps) &&
	       during_steps(l, e->input, e->end_ps);
}

bool na_filter_input(const struct na_bound_filter *l, uint32_t input)
{
	return !l->host_ok || l->host_ok[input];
}

bool na_filter_span(const struct na_bound_filter *l, const struct na_span *x)
{
	return l->every_host || na_filter_input(l, x->input);
}

bool na_filter_comm(const struct na_bound_filter *l, const struct na_comm *x)
{
	return l->every_host || na_filter_input(l, x->input);
}

static uint32_t input_of(const struct na_bound_filter *l, uint32_t core)
{
	const struct na_devices *d = &l->store->devices;

	return core < d->n_cores ? d->cores[core].input : 0;
}

bool na_filter_op(const struct na_bound_filter *l, const struct na_op *x)
{
	return l->every_host || na_filter_input(l, input_of(l, x->core));
}

bool na_filter_busy(const struct na_bound_filter *l, const struct na_busy *x)
{
	return x->length_ps && na_filter_input(l, input_of(l, x->core));
}

bool na_filter_instant(const struct na_bound_filter *l, uint32_t input,
		       int64_t at_ps)
{
	return in_window(l, input, at_ps, at_ps) &&
	       during_steps(l, input, at_ps);
}

/* Where steps of a device overlap, the later one begins a new one. */
bool na_filter_step_of(const struct na_bound_filter *l, uint32_t core,
		       int64_t start_ps, int64_t end_ps)
{
	const struct na_device_step *x = l ? l->steps : NULL;
	int64_t at_ps = end_ps > start_ps ? end_ps - 1 : end_ps;
	size_t from, to, at;

	if (!l || asked_of(l, input_of(l, core))->window.first_step < 0)
		return true;
	from = NA_BOUND(i, 0, l->n_steps, x[i].core >= core);
	to = NA_BOUND(i, from, l->n_steps, x[i].core > core);
	if (from == to)
		return during_steps(l, input_of(l, core), end_ps);
	at = NA_BOUND(i, from, to, x[i].start_ps > at_ps);
	return at > from && x[at - 1].asked && at_ps < x[at - 1].end_ps;
}

bool na_filter_on_core(const struct na_bound_filter *l, uint32_t core,
		       int64_t start_ps, int64_t end_ps)
{
	return !l || (in_window(l, input_of(l, core), end_ps, end_ps) &&
		      na_filter_step_of(l, core, start_ps, end_ps));
}

bool na_filter_comm_when(const struct na_bound_filter *l,
			 const struct na_comm *x)
{
	return na_filter_on_core(l, x->core, x->start_ps, x->end_ps);
}

bool na_filter_call(const struct na_bound_filter *l, const struct na_call *c)
{
	const struct na_filter *f = l->filter;
	const struct na_strtab *names = &l->store->names.strings;
	uint64_t both = c->bytes_req + c->bytes_resp;
	const struct na_transfer t = {
		.start_ps = c->start_ps,
		.end_ps = c->end_ps == NA_UNKNOWN_PS ? c->start_ps : c->end_ps,
		.size_bytes = both < c->bytes_req ? UINT64_MAX : both,
		.src = c->src,
		.dst = c->dst,
		.collective = c->method,
		.step = NA_UNKNOWN_U32,
		.input = c->input,
		.side = NA_RX,
		.klass = NA_VALID,
		.style = NA_STYLE_CAPTURE,
		.component = NA_COMP_RPC,
	};

	if (has(f->collective) &&
	    !na_filter_collective(f, c->method < names->n
					     ? na_strtab_at(names, c->method)
					     : ""))
		return false;
	return na_filter_alone(f, &t) && na_filter_transfer(l, &t) == NA_KEEP;
}

/* One end of a connection. */
struct end {
	const struct na_names *names;
	size_t of_run; /* its endpoint there */
	uint32_t endpoint;
	uint16_t port;
};

/* By its endpoint, or by "address:port". */
static bool end_ok(const bool *ok, const struct na_text_list *l,
		   const struct end *e)
{
	char text[NA_SOCKET_BUF];

	if (!ok || ok[e->of_run])
		return true;
	na_socket_print(text, e->names, e->endpoint, e->port);
	for (size_t i = 0; i < l->n; i++) {
		/* The brackets of "[fd00::1]:80" are no pattern's. */
		if (strcmp(l->items[i], text) == 0 ||
		    na_glob(l->items[i], text))
			return true;
	}
	return false;
}

/* What was counted as a whole is of the window, and of the steps, when it lies
 * inside. */
static bool lasts_within(const struct na_bound_filter *l, uint32_t input,
			 int64_t from_ps, int64_t to_ps, bool clipped)
{
	const struct na_run_asked *of = asked_of(l, input);
	const struct na_run_window *w = &of->window;
	int64_t first_ps = w->from_ps > of->steps_from_ps ? w->from_ps
							  : of->steps_from_ps;
	int64_t last_ps = w->to_ps < of->steps_to_ps ? w->to_ps
						     : of->steps_to_ps;

	return to_ps >= first_ps && from_ps < last_ps &&
	       (clipped || (from_ps >= first_ps && to_ps < last_ps));
}

bool na_filter_connection_time(const struct na_bound_filter *l,
			       const struct na_connection *c)
{
	return lasts_within(l, c->input, c->from_ps, c->to_ps, c->clipped);
}

bool na_filter_connection(const struct na_bound_filter *l,
			  const struct na_connection *c)
{
	const struct na_store *s = l->store;
	size_t base = s->sources[c->input].run * s->names.n_endpoints;
	struct end a = {&s->names, base + c->src, c->src, c->src_port};
	struct end b = {&s->names, base + c->dst, c->dst, c->dst_port};
	const struct na_filter *f = l->filter;

	return na_filter_connection_time(l, c) &&
	       (end_ok(l->end_ok, f->host, &a) ||
		end_ok(l->end_ok, f->host, &b)) &&
	       ((end_ok(l->src_ok, f->src, &a) &&
		 end_ok(l->dst_ok, f->dst, &b)) ||
		(end_ok(l->src_ok, f->src, &b) &&
		 end_ok(l->dst_ok, f->dst, &a)));
}

bool na_filter_queue_pair(const struct na_bound_filter *l,
			  const struct na_queue_pair *q)
{
	const struct na_store *s = l->store;
	size_t base = s->sources[q->input].run * s->names.n_endpoints;

	return lasts_within(l, q->input, q->from_ps, q->to_ps, q->clipped) &&
	       (!l->end_ok || l->end_ok[base + q->src] ||
		l->end_ok[base + q->dst]) &&
	       (!l->src_ok || l->src_ok[base + q->src]) &&
	       (!l->dst_ok || l->dst_ok[base + q->dst]);
}

unsigned na_filter_packet(const struct na_bound_filter *l,
			  const struct na_wire_packet *w)
{
	const struct na_filter *f = l->filter;
	const struct na_run_window *asked = &asked_of(l, w->input)->window;
	const struct na_store *s = l->store;
	size_t base = s->sources[w->input].run * s->names.n_endpoints;
	unsigned sides = NA_SIDE_BIT(f->side == NA_TX ? NA_TX : NA_RX);

	if (na_filter_aside(l, w->input) ||
	    w->time_ps < asked->from_ps || w->time_ps >= asked->to_ps ||
	    !during_steps(l, w->input, w->time_ps) ||
	    (l->src_ok && !l->src_ok[base + w->src]) ||
	    (l->dst_ok && !l->dst_ok[base + w->dst]))
		return 0;
	if (l->end_ok)
		sides = (l->end_ok[base + w->dst] ? NA_SIDE_BIT(NA_RX) : 0) |
			(l->end_ok[base + w->src] ? NA_SIDE_BIT(NA_TX) : 0);
	return f->side < 0 ? sides : sides & NA_SIDE_BIT(f->side);
}
