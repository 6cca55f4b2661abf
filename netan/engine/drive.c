/* Blocks of records through an analysis, on all cores. */
#include "netan/engine/drive.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/engine/drive_impl.h"
#include "netan/engine/mpi/passes.h"

#define STATES_BYTES ((size_t)16 << 20) /* of block states, at once */
enum { CHUNKS_PER_BLOCK = 256 };        /* fixed: up to 75 000 transfers */

static void run_block(void *ctx, size_t i)
{
	struct drive *d = ctx;
	void *state = na_drive_block(d, i);
	size_t from = (d->first + i) * CHUNKS_PER_BLOCK;
	size_t to = from + CHUNKS_PER_BLOCK;
	enum na_status st = d->a->fork(state, d->state, d->pass);

	for (size_t k = from; st == NA_OK && k < to && k < d->n_now; k++)
		st = na_feed(d->a, &d->scope, state, &d->now[k], &d->fed[i]);
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

enum na_status na_drive_merge(struct drive *d, size_t i)
{
	enum na_status st = d->status[i];

	if (st == NA_OK)
		st = d->a->merge(d->state, na_drive_block(d, i), d->pass);
	if (st == NA_OK && d->pass == 0) {
		na_extent_join(&d->used, &d->fed[i].used);
		for (int k = 0; k < NA_N_REASONS; k++)
			d->out->dropped[k] += d->fed[i].dropped[k];
	}
	return st;
}

/* Merged, or sent to where it is. */
static enum na_status settle_block(struct drive *d, size_t i,
				   struct na_err *err)
{
	if (na_passes_elsewhere(d))
		return na_passes_send(d, i, err);
	return na_drive_merge(d, i) == NA_OK ? NA_OK : na_fail_nomem(err);
}

/* ---- records that nobody looks at again */

/* Nobody else looks at those of the kind. */
static bool may_forget(const struct drive *d, enum na_record_kind kind)
{
	const struct na_readers *all = d->s->readers;

	return !na_passes_shared(d) &&
	       (d->s->for_one || (all && atomic_load(&all->of[kind]) == 1));
}

/* Whether this pass is the last that looks at them, and finish does not. */
static bool lets_go(const struct drive *d)
{
	if (d->a->lets_go)
		return d->a->lets_go(d->state, d->pass);
	return d->a->forgets && d->pass + 1 == d->a->passes;
}

/* What a job of several gives back is gone for all. */
static void note_cut(struct drive *d, enum na_record_kind kind)
{
	if (d->s->readers)
		d->s->readers->cut[kind] = true;
}

static void forget_all(struct drive *d)
{
	if (d->s->for_one && !na_passes_shared(d)) {
		na_store_forget(&d->s->store);
		return;
	}
	for (int i = 0; i < NA_N_RECORDS; i++) {
		enum na_record_kind kind = (enum na_record_kind)i;

		if (!may_forget(d, kind))
			continue;
		note_cut(d, kind);
		na_store_forget_kind(&d->s->store, kind);
	}
}

/* Of a kind that is kept packed; NULL: of another, whose records an analysis
 * may point to. */
static struct na_chunk_list *packed_list(struct na_store *s,
					 enum na_record_kind kind)
{
	switch (kind) {
#define NA_RECORD(...)
#define NA_RECORD_PACKED(KIND, chunks, ...) \
	case NA_RECORDS_##KIND: \
		return &s->chunks;
#include "netan/model/records.def"
	default:
		return NULL;
	}
}

static struct na_chunk *chunk_of(const struct na_record_span *x)
{
	uintptr_t at = (uintptr_t)x->records;

	return (void *)(at - offsetof(struct na_chunk, data));
}

/* Chunks from the first of a list up to this one go. */
static void forget_until(struct na_chunk_list *b, struct na_chunk *last)
{
	struct na_chunk_list gone = *b;

	b->first = last->next;
	if (!b->first)
		b->last = NULL;
	gone.last = last;
	last->next = NULL;
	na_chunks_forget(&gone);
}

/* More would cut the map into too many. */
enum { CHUNKS_MOST = 1 << 14 };

/* The chunks [from, to) of the last pass that looks at any. */
static void forget_chunks(struct drive *d, size_t from, size_t to)
{
	if (!lets_go(d) || d->n_chunks > CHUNKS_MOST)
		return;
	to = to < d->n_now ? to : d->n_now;
	for (size_t i = from, end; i < to; i = end) {
		struct na_chunk_list *b = packed_list(&d->s->store,
						      d->now[i].kind);

		for (end = i + 1;
		     end < to && d->now[end].kind == d->now[i].kind;)
			end++;
		if (!b || !may_forget(d, d->now[i].kind) ||
		    b->first != chunk_of(&d->now[i]))
			continue;
		note_cut(d, d->now[i].kind);
		forget_until(b, chunk_of(&d->now[end - 1]));
	}
}

enum na_status na_drive_blocks(struct drive *d, const struct na_record_span *v,
			       size_t n, struct na_err *err)
{
	size_t blocks = (n + CHUNKS_PER_BLOCK - 1) / CHUNKS_PER_BLOCK;
	size_t round = round_of(d);
	enum na_status st = NA_OK;

	d->now = v;
	d->n_now = n;
	for (d->first = 0; st == NA_OK && d->first < blocks;
	     d->first += round) {
		size_t k = blocks - d->first < round ? blocks - d->first
						     : round;

		memset(d->blocks, 0, k * na_block_size(d->a));
		memset(d->fed, 0, k * sizeof(*d->fed));
		if (!na_parallel(d->s->threads, k, run_block, d))
			return na_fail_nomem(err);
		for (size_t i = 0; i < k; i++) {
			st = st == NA_OK ? settle_block(d, i, err) : st;
			na_block_fini(d->a, na_drive_block(d, i));
		}
		forget_chunks(d, d->first * CHUNKS_PER_BLOCK,
			      (d->first + k) * CHUNKS_PER_BLOCK);
	}
	return st;
}

/* One pass over all records. */
static enum na_status run_pass(struct drive *d, struct na_err *err)
{
	return na_passes_shared(d)
		       ? na_passes_run(d, err)
		       : na_drive_blocks(d, d->chunks, d->n_chunks, err);
}

static void run_share(void *ctx, size_t i)
{
	struct drive *d = ctx;

	d->shared[i] = d->a->share(d->state, i, NA_DRIVE_SHARES);
}

static enum na_status run_shares(struct drive *d, struct na_err *err)
{
	if (!d->a->share)
		return NA_OK;
	if (!na_parallel(d->s->threads, NA_DRIVE_SHARES, run_share, d))
		return na_fail_nomem(err);
	for (size_t i = 0; i < NA_DRIVE_SHARES; i++) {
		if (d->shared[i] != NA_OK)
			return na_fail_nomem(err);
	}
	return NA_OK;
}

static enum na_status run_drive(struct drive *d, const void *params,
				struct na_result *r, struct na_err *err)
{
	size_t round = d->s->threads * 2;
	enum na_status st;

	d->state = na_calloc(1, d->a->state_size);
	d->blocks = na_calloc(round, na_block_size(d->a));
	d->fed = na_calloc(round, sizeof(*d->fed));
	d->status = na_calloc(round, sizeof(*d->status));
	d->chunks = na_feed_list(d->a, d->scope.store, &d->n_chunks);
	if (!d->state || !d->blocks || !d->fed || !d->status || !d->chunks ||
	    !na_filter_bind(&d->bound, &d->filter, d->scope.store))
		return na_fail_nomem(err);
	d->bound.every_host = d->a->every_host;
	if (na_passes_shared(d) && na_passes_cut(d, err) != NA_OK)
		return err->status;
	if (na_passes_elsewhere(d))
		return na_passes_serve(d, params, err);
	st = d->a->open(d->state, &d->scope, params, err);
	for (d->pass = 0; st == NA_OK && d->pass < d->a->passes; d->pass++) {
		st = run_pass(d, err);
		if (st == NA_OK && d->a->turn)
			st = d->a->turn(d->state, d->pass, err);
		if (st == NA_OK && na_passes_shared(d) &&
		    d->pass + 1 < d->a->passes)
			st = na_passes_tell(d, err);
	}
	if (na_passes_shared(d))
		na_passes_say(d);
	if (st == NA_OK || st == NA_END)
		st = run_shares(d, err);
	if (d->a->forgets)
		forget_all(d);
	if (r)
		na_result_about(r)->hosts = na_store_of_hosts(d->scope.store);
	if (st == NA_OK)
		st = d->a->finish(d->state, r, err);
	if (st == NA_OK && !na_result_ok(r))
		st = na_fail_nomem(err);
	return st;
}

static void drive_fini(struct drive *d)
{
	if (d->state && d->a->fini)
		d->a->fini(d->state);
	na_filter_unbind(&d->bound);
	free(d->state);
	free(d->blocks);
	free(d->fed);
	free(d->status);
	free(d->chunks);
	free(d->zero_ns);
}

static bool beyond_slices(void *ctx, const struct na_filter *f)
{
	return na_session_is_narrower(ctx, f);
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
	const struct na_request *c = s->request;
	struct drive d = {.a = a, .s = s, .out = out};
	enum na_status st;

	*out = (struct na_driven){.used = 0};
	d.filter = na_drive_filter(a, &s->filter, by, c->component >= 0);
	d.scope = (struct na_scope){.store = &s->store,
				    .filter = &d.filter,
				    .bound = &d.bound,
				    .programs = s->programs,
				    .joins = s->programs ? &s->joins : NULL,
				    .by = *by,
				    .top = c->top > 0 ? (size_t)c->top : 0,
				    .components = d.filter.components,
				    .step_hosts = c->step_hosts,
				    .beyond_slices = beyond_slices,
				    .beyond_ctx = s,
				    .executions = c->executions,
				    .parallel = on_threads,
				    .parallel_ctx = s,
				    .segments = c->draws ? segments : NULL,
				    .segments_ctx = s,
				    .actions = actions,
				    .actions_ctx = s,
				    .clocks = s->clocks,
				    .used = &d.used};
	d.zero_ns = na_calloc(s->n_inputs, sizeof(*d.zero_ns));
	if (!d.zero_ns)
		return na_fail_nomem(err);
	d.scope.zero_ns = d.zero_ns;
	for (size_t i = 0; i < s->n_inputs; i++) {
		d.zero_ns[i] = zero_of(&s->inputs[i]);
		if (!s->inputs[i].capture)
			continue;
		d.scope.connections += s->inputs[i].capture->connections;
		d.scope.connections_outside +=
			s->inputs[i].capture->connections_outside;
	}
	st = by_run_too(&d.scope.by, s->store.n_runs, err);
	if (st == NA_OK)
		st = run_drive(&d, params, r, err);
	if (st == NA_OK) {
		out->used = d.used.n;
		out->first_ps = d.used.first_ps;
		out->last_ps = d.used.last_ps;
		out->side = a->ignores_sends && d.filter.side < 0 ? NA_RX
			    : a->both_sides                       ? -1
					    : d.filter.side;
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
	f.components |= a->extra_components;
	f.traces_first |= a->traces_first;
	if (a->both_sides || f.side >= 0)
		return f;
	if (f.components == NA_COMP_BIT(NA_COMP_SEND))
		f.side = NA_TX;
	else if (!(f.components & NA_COMP_BIT(NA_COMP_SEND)))
		f.side = NA_RX;
	return f;
}

struct na_filter na_drive_reads(const struct na_analysis *a,
				const struct na_filter *asked,
				const struct na_grouping *by, bool component)
{
	struct na_filter f = na_drive_filter(a, asked, by, component);

	if (a->clocks && asked->side < 0 && f.side == NA_RX) {
		f.side = -1;
		f.instants = true;
		f.censored = !a->instants;
	}
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
	if (f->first_step >= 0)
		wants |= NA_WANT_STEPS;
	return wants;
}
