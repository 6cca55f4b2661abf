/* Blocks of records through an analysis, on all cores. */
#include "netan/engine/drive.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

#define STATES_BYTES ((size_t)16 << 20) /* of block states, at once */
enum { CHUNKS_PER_BLOCK = 256 };        /* fixed: up to 75 000 transfers */

enum { SHARES = 16 }; /* of heavy work; fixed, whatever the threads */

/* In this order through the analysis. */
enum bag {
	BAG_TRANSFERS,
	BAG_GRAPHS,
	BAG_ACTIONS,
	BAG_CALLS,
	BAG_FRAMES,
	BAG_CONNECTIONS,
	BAG_SEGMENTS,
	BAG_STEPS,
	BAG_MODULES,
	BAG_OPS,
	BAG_BUSY,
	BAG_STRAIGHT, /* of tangled cores */
	BAG_HOST_EVENTS,
	N_BAGS
};

struct drive {
	const struct na_analysis *a;
	struct na_session *s;
	struct na_scope scope;
	struct na_late late;
	void *state;
	unsigned pass;
	struct na_chunk **chunks; /* of all bags that are looked at */
	size_t ends[N_BAGS];      /* where each bag's chunks end */
	size_t n_chunks, first;
	unsigned char *blocks; /* states of one round */
	uint64_t (*dropped)[NA_N_REASONS];
	enum na_status *status;
	enum na_status shared[SHARES];
	struct na_filter filter; /* the session's, as this analysis means it */
	int64_t *zero_ns;
	struct na_driven *out;
};

/* Another analysis that shares the reading may ask for classes that this
 * one does not. */
static bool seen(const struct na_analysis *a, const struct na_transfer *t,
		 uint64_t dropped[NA_N_REASONS])
{
	if (t->klass == NA_CLOCK_SKEW && !a->instants)
		dropped[NA_LEFT_CLOCK_SKEW]++;
	else if (t->klass == NA_NO_LATENCY && !a->instants)
		dropped[NA_LEFT_NO_LATENCY]++;
	else
		return true;
	return t->klass == NA_CLOCK_SKEW && a->censored;
}

/* Left out already, as what it is: no second reason; or its packets count in
 * its place; or it was read for another analysis, which looks at both sides.
 */
static bool counted(const struct drive *d, const struct na_transfer *t)
{
	if (d->filter.side >= 0 && t->side != d->filter.side)
		return true;
	if (t->style >= NA_STYLE_CAPTURE && d->a->add_frame &&
	    d->s->store.frames.n)
		return true;
	return t->klass == NA_CLOCK_SKEW && !d->a->instants;
}

static enum na_status add_transfers(struct drive *d, void *state,
				    const struct na_chunk *c,
				    uint64_t dropped[NA_N_REASONS])
{
	const struct na_packed_transfer *x = (const void *)c->data;
	int side = d->filter.side;
	enum na_status st = NA_OK;

	/* An analysis of connections alone takes no transfers. */
	for (size_t i = 0; d->a->add && st == NA_OK && i < c->n; i++) {
		struct na_transfer t;

		if (side >= 0 && na_packed_aside(&x[i], side))
			continue;
		t = na_unpack_transfer(&x[i]);
		if (!seen(d->a, &t, dropped))
			continue;
		switch (na_filter_late(&d->late, &t)) {
		case NA_KEEP:
			st = d->a->add(state, &t);
			break;
		case NA_DROP_FILTERED:
			dropped[NA_LEFT_FILTERED] += !counted(d, &t);
			break;
		case NA_DROP_TOO_FAST:
			dropped[NA_LEFT_TOO_FAST] += !counted(d, &t);
			break;
		}
	}
	return st;
}

static enum na_status add_execs(struct drive *d, void *state,
				const struct na_chunk *c)
{
	const struct na_packed_exec *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && d->a->add_exec && i < c->n; i++) {
		const struct na_exec e = na_unpack_exec(&x[i]);

		if (na_filter_exec(&d->late, &e))
			st = d->a->add_exec(state, &e);
	}
	return st;
}

static enum na_status add_calls(struct drive *d, void *state,
				const struct na_chunk *c)
{
	const struct na_call *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		if (na_filter_call(&d->late, &x[i]))
			st = d->a->add_call(state, &x[i]);
	}
	return st;
}

static enum na_status add_frames(struct drive *d, void *state,
				 const struct na_chunk *c,
				 uint64_t dropped[NA_N_REASONS])
{
	const struct na_frame *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		unsigned sides = na_filter_frame(&d->late, &x[i]);

		dropped[NA_LEFT_FILTERED] += !sides;
		if (sides)
			st = d->a->add_frame(state, &x[i], sides);
	}
	return st;
}

static enum na_status add_connections(struct drive *d, void *state,
				      const struct na_chunk *c)
{
	const struct na_connection *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		if (na_filter_connection(&d->late, &x[i]))
			st = d->a->add_connection(state, &x[i]);
	}
	return st;
}

/* Segments are of the one connection that was asked for. */
static enum na_status add_segments(struct drive *d, void *state,
				   const struct na_chunk *c)
{
	const struct na_segment *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++)
		st = d->a->add_segment(state, &x[i]);
	return st;
}

static enum na_status add_ops(struct drive *d, void *state,
			      const struct na_chunk *c)
{
	const struct na_core *cores = d->s->store.devices.cores;
	const struct na_op *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		if (d->a->every_host ||
		    na_filter_input(&d->late, cores[x[i].core].input))
			st = d->a->add_op(state, &x[i]);
	}
	return st;
}

static enum na_status add_busy(struct drive *d, void *state,
			       const struct na_chunk *c, bool straight)
{
	const struct na_core *cores = d->s->store.devices.cores;
	const struct na_busy *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		const struct na_core *core = &cores[x[i].core];

		if (core->tangled == straight && x[i].length_ps &&
		    na_filter_input(&d->late, core->input))
			st = d->a->add_busy(state, x[i].core, x[i].start_ps,
					    x[i].start_ps +
						    (int64_t)x[i].length_ps);
	}
	return st;
}

static enum na_status
add_spans(struct drive *d, void *state, const struct na_chunk *c,
	  enum na_status (*add)(void *block, const struct na_span *s))
{
	const struct na_span *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		if (d->a->every_host || na_filter_input(&d->late, x[i].input))
			st = add(state, &x[i]);
	}
	return st;
}

static enum na_status add_host_events(struct drive *d, void *state,
				      const struct na_chunk *c)
{
	const struct na_host_event *x = (const void *)c->data;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->n; i++) {
		if (na_filter_host_event(&d->late, &x[i]))
			st = d->a->add_host_event(state, &x[i]);
	}
	return st;
}

static enum na_status add_chunk(struct drive *d, void *state, size_t k,
				uint64_t dropped[NA_N_REASONS])
{
	const struct na_chunk *c = d->chunks[k];
	enum bag bag = BAG_TRANSFERS;

	while (k >= d->ends[bag])
		bag++;
	switch (bag) {
	case BAG_TRANSFERS:
		return add_transfers(d, state, c, dropped);
	case BAG_CALLS:
		return add_calls(d, state, c);
	case BAG_FRAMES:
		return add_frames(d, state, c, dropped);
	case BAG_CONNECTIONS:
		return add_connections(d, state, c);
	case BAG_SEGMENTS:
		return add_segments(d, state, c);
	case BAG_STEPS:
		return add_spans(d, state, c, d->a->add_step);
	case BAG_MODULES:
		return add_spans(d, state, c, d->a->add_module);
	case BAG_OPS:
		return add_ops(d, state, c);
	case BAG_BUSY:
	case BAG_STRAIGHT:
		return add_busy(d, state, c, bag == BAG_STRAIGHT);
	case BAG_HOST_EVENTS:
		return add_host_events(d, state, c);
	default:
		return add_execs(d, state, c);
	}
}

static void run_block(void *ctx, size_t i)
{
	struct drive *d = ctx;
	void *state = d->blocks + i * d->a->state_size;
	size_t from = (d->first + i) * CHUNKS_PER_BLOCK;
	size_t to = from + CHUNKS_PER_BLOCK;
	enum na_status st = d->a->fork(state, d->state, d->pass);

	for (size_t k = from; st == NA_OK && k < to && k < d->n_chunks; k++)
		st = add_chunk(d, state, k, d->dropped[i]);
	if (st == NA_OK && d->a->seal)
		st = d->a->seal(state);
	d->status[i] = st;
}

static size_t round_of(const struct drive *d)
{
	size_t most = d->s->threads * 2, fit = most;

	if (d->a->weight && d->a->weight(d->state))
		fit = STATES_BYTES / d->a->weight(d->state);
	return fit < 1 ? 1 : fit < most ? fit : most;
}

/* One pass over all records, a round of blocks at a time, merged in input
 * order. */
static enum na_status run_pass(struct drive *d, uint64_t dropped[NA_N_REASONS],
			       struct na_err *err)
{
	size_t blocks = (d->n_chunks + CHUNKS_PER_BLOCK - 1) / CHUNKS_PER_BLOCK;
	size_t round = round_of(d);
	enum na_status st = NA_OK;

	for (d->first = 0; st == NA_OK && d->first < blocks;
	     d->first += round) {
		size_t n = blocks - d->first < round ? blocks - d->first
						     : round;

		memset(d->blocks, 0, n * d->a->state_size);
		memset(d->dropped, 0, n * sizeof(*d->dropped));
		if (!na_parallel(d->s->threads, n, run_block, d))
			return na_fail_nomem(err);
		for (size_t i = 0; i < n; i++) {
			void *block = d->blocks + i * d->a->state_size;

			st = st == NA_OK ? d->status[i] : st;
			if (st == NA_OK)
				st = d->a->merge(d->state, block, d->pass);
			d->a->fini(block);
			for (int k = 0; d->pass == 0 && k < NA_N_REASONS; k++)
				dropped[k] += d->dropped[i][k];
		}
	}
	return st == NA_OK ? NA_OK : na_fail_nomem(err);
}

static void run_share(void *ctx, size_t i)
{
	struct drive *d = ctx;

	d->shared[i] = d->a->share(d->state, i, SHARES);
}

static enum na_status run_shares(struct drive *d, struct na_err *err)
{
	if (!d->a->share)
		return NA_OK;
	if (!na_parallel(d->s->threads, SHARES, run_share, d))
		return na_fail_nomem(err);
	for (size_t i = 0; i < SHARES; i++) {
		if (d->shared[i] != NA_OK)
			return na_fail_nomem(err);
	}
	return NA_OK;
}

static bool list_chunks(struct drive *d)
{
	const struct na_store *s = &d->s->store;
	const struct na_bag *bags[N_BAGS] = {
		[BAG_TRANSFERS] = d->a->add ? &s->transfers : NULL,
		[BAG_GRAPHS] = &s->graphs,
		[BAG_ACTIONS] = &s->actions,
		[BAG_CALLS] = d->a->add_call ? &s->calls : NULL,
		[BAG_FRAMES] = d->a->add_frame ? &s->frames : NULL,
		[BAG_CONNECTIONS] = d->a->add_connection ? &s->connections
							 : NULL,
		[BAG_SEGMENTS] = d->a->add_segment ? &s->segments : NULL,
		[BAG_STEPS] = d->a->add_step ? &s->spans : NULL,
		[BAG_MODULES] = d->a->add_module ? &s->modules : NULL,
		[BAG_OPS] = d->a->add_op ? &s->devices.ops : NULL,
		[BAG_BUSY] = d->a->add_busy ? &s->devices.busy : NULL,
		[BAG_STRAIGHT] = d->a->add_busy ? &s->devices.straight : NULL,
		[BAG_HOST_EVENTS] = d->a->add_host_event ? &s->host_events
							 : NULL,
	};
	size_t n = 0;

	for (size_t b = 0; b < N_BAGS; b++) {
		for (struct na_chunk *c = bags[b] ? bags[b]->first : NULL; c;
		     c = c->next)
			n++;
	}
	d->chunks = na_calloc(n, sizeof(struct na_chunk *));
	for (size_t b = 0; d->chunks && b < N_BAGS; b++) {
		for (struct na_chunk *c = bags[b] ? bags[b]->first : NULL; c;
		     c = c->next)
			d->chunks[d->n_chunks++] = c;
		d->ends[b] = d->n_chunks;
	}
	return d->chunks;
}

static enum na_status run_drive(struct drive *d, const void *params,
				struct na_result *r, struct na_err *err)
{
	size_t round = d->s->threads * 2;
	enum na_status st;

	d->state = na_calloc(1, d->a->state_size);
	d->blocks = na_calloc(round, d->a->state_size);
	d->dropped = na_calloc(round, sizeof(*d->dropped));
	d->status = na_calloc(round, sizeof(*d->status));
	if (!d->state || !d->blocks || !d->dropped || !d->status ||
	    !list_chunks(d) ||
	    !na_late_init(&d->late, &d->filter, d->scope.store))
		return na_fail_nomem(err);
	st = d->a->open(d->state, &d->scope, params, err);
	for (d->pass = 0; st == NA_OK && d->pass < d->a->passes; d->pass++) {
		st = run_pass(d, d->out->dropped, err);
		if (st == NA_OK)
			st = d->a->turn(d->state, d->pass, err);
	}
	if (st == NA_OK || st == NA_END)
		st = run_shares(d, err);
	if (st == NA_OK)
		st = d->a->finish(d->state, r, err);
	if (st == NA_OK && !na_result_ok(r))
		st = na_fail_nomem(err);
	return st;
}

static void drive_fini(struct drive *d)
{
	if (d->state)
		d->a->fini(d->state);
	na_late_fini(&d->late);
	free(d->state);
	free(d->blocks);
	free(d->dropped);
	free(d->status);
	free(d->chunks);
	free(d->zero_ns);
}

static bool on_threads(void *ctx, size_t n, void (*job)(void *arg, size_t i),
		       void *arg)
{
	const struct na_session *s = ctx;

	return na_parallel(s->threads, n, job, arg);
}

static enum na_status segments(void *ctx, const struct na_connection *c,
			       na_each_segment each, void *arg,
			       struct na_err *err)
{
	return na_session_segments(ctx, c, each, arg, err);
}

static enum na_status actions(void *ctx, const struct na_execution *of,
			      size_t n, na_each_action each, void *arg,
			      struct na_err *err)
{
	return na_session_actions(ctx, of, n, each, arg, err);
}

/* Runs stand side by side: no group mixes them. */
static enum na_status by_run_too(struct na_grouping *by, size_t n_runs,
				 struct na_err *err)
{
	if (n_runs < 2 || na_grouping_has(by, NA_KEY_LABEL))
		return NA_OK;
	if (by->n == NA_MAX_KEYS)
		return na_fail(err, NA_EUSAGE,
			       "--by: at most %d keys beside "
			       "the labels",
			       NA_MAX_KEYS - 1);
	by->keys[by->n++] = NA_KEY_LABEL;
	return NA_OK;
}

/* Lines of a trace count from the start of the profile. */
static int64_t zero_of(const struct na_input *in)
{
	int64_t ns;

	return __builtin_sub_overflow(in->zero_ns, in->profile_start_ns, &ns)
		       ? 0
		       : ns;
}

enum na_status na_drive(struct na_session *s, const struct na_analysis *a,
			const void *params, const struct na_grouping *by,
			struct na_result *r, struct na_driven *out,
			struct na_err *err)
{
	const struct na_common *c = &s->cli->common;
	struct drive d = {.a = a, .s = s, .out = out};
	enum na_status st;

	*out = (struct na_driven){.used = 0};
	d.filter = na_drive_filter(a, &s->filter, by, c->component >= 0);
	d.scope = (struct na_scope){.store = &s->store,
				    .filter = &d.filter,
				    .late = &d.late,
				    .programs = s->programs,
				    .joins = s->programs ? &s->joins : NULL,
				    .by = *by,
				    .top = c->top > 0 ? (size_t)c->top : 0,
				    .components = d.filter.components,
				    .parallel = on_threads,
				    .parallel_ctx = s,
				    .segments = na_output_draws(s->cli)
							? segments
							: NULL,
				    .segments_ctx = s,
				    .actions = actions,
				    .actions_ctx = s,
				    .clocks = s->clocks};
	d.zero_ns = na_calloc(s->n_inputs, sizeof(*d.zero_ns));
	if (!d.zero_ns)
		return na_fail_nomem(err);
	d.scope.zero_ns = d.zero_ns;
	for (size_t i = 0; i < s->n_inputs; i++) {
		d.zero_ns[i] = zero_of(&s->inputs[i]);
		if (s->inputs[i].capture)
			d.scope.connections +=
				s->inputs[i].capture->connections;
	}
	st = by_run_too(&d.scope.by, s->store.n_runs, err);
	if (st == NA_OK)
		st = run_drive(&d, params, r, err);
	if (st == NA_OK) {
		a->used(d.state, &out->used, &out->first_ps, &out->last_ps);
		out->side = a->both_sides ? -1 : d.filter.side;
		if (a->severity)
			out->severity = a->severity(d.state);
	}
	drive_fini(&d);
	return st;
}

struct na_filter na_drive_filter(const struct na_analysis *a,
				 const struct na_filter *asked,
				 const struct na_grouping *by, bool component)
{
	struct na_filter f = *asked;

	f.clip = a->clips;
	f.instants = a->instants || a->censored;
	f.censored = a->censored && !a->instants;
	if (a->components && !component &&
	    na_grouping_has(by, NA_KEY_COMPONENT))
		f.components = a->components;
	f.components |= a->besides;
	if (a->both_sides || f.side >= 0)
		return f;
	if (f.components == NA_COMP_BIT(NA_COMP_SEND))
		f.side = NA_TX;
	else if (!(f.components & NA_COMP_BIT(NA_COMP_SEND)))
		f.side = NA_RX;
	return f;
}

uint32_t na_drive_wants(const struct na_analysis *a, const struct na_filter *f,
			const struct na_grouping *by)
{
	const uint32_t actions = NA_COMP_BIT(NA_COMP_D2H) |
				 NA_COMP_BIT(NA_COMP_H2D) |
				 NA_COMP_BIT(NA_COMP_COMPUTE);
	uint32_t wants = a->wants;

	if (f->components & actions)
		wants |= NA_WANT_ACTIONS;
	/* Graph executions tell the type of a collective. */
	if (f->components & NA_COMP_BIT(NA_COMP_GRAPH) ||
	    na_grouping_has(by, NA_KEY_TRANSFER_TYPE))
		wants |= NA_WANT_GRAPHS;
	if (f->components & NA_COMP_BIT(NA_COMP_KERNEL))
		wants |= NA_WANT_KERNELS;
	return wants;
}
