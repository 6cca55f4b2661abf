/*
 * Events into records.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ingest/gpu/rank_op.h"
#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"
#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

struct reading {
	const struct na_input *in;
	const struct kineto *k;
	const struct na_sink *sink;
	struct na_kineto_shape shape;
	uint32_t core; /* NA_UNKNOWN_U32: not asked for yet */
	/* The ranks that were told last, and their name. */
	struct na_text ranks;
	uint32_t group;
	size_t group_size;
	struct na_str text;
	char name[512]; /* that held escapes */
};

/* An event with its times and what it was called with. */
struct event {
	struct na_kineto_event is;
	struct kt_args args;
	int64_t start_ps, end_ps;
	uint8_t opcode;
	uint64_t size_bytes;
	struct na_text name;
	uint32_t agent; /* rocprofv3's */
};

bool kt_starts_at(const struct na_input *in, struct na_text ts, int64_t *ps)
{
	const struct kineto *k = in->state;
	int64_t us, ns;
	int32_t rest;

	return kt_time(ts, &us, &rest) &&
	       !__builtin_mul_overflow(us, (int64_t)NA_NS_PER_US, &ns) &&
	       na_add_i64(ns, k->base_ns, &ns) &&
	       !__builtin_sub_overflow(ns, in->zero_ns, &ns) &&
	       na_mul_i64(ns, NA_PS_PER_NS, ps) && na_add_i64(*ps, rest, ps);
}

static bool times_of(const struct reading *r, struct event *e)
{
	int64_t dur;

	return kt_starts_at(r->in, e->is.ts, &e->start_ps) && e->is.dur.s &&
	       na_json_decimal(e->is.dur, 6, &dur) && dur >= 0 &&
	       dur <= NA_OP_MAX_PS && na_add_i64(e->start_ps, dur, &e->end_ps);
}

/* The device of the events: the job's rank, else what the file calls it. */
static uint32_t core_of(struct reading *r, const struct event *e)
{
	enum na_device_kind kind = NA_DEVICE_RANK;
	int32_t number = r->in->rank;

	if (number < 0 && r->k->agents.n)
		return r->sink->core(r->sink->ctx, NA_DEVICE_GPU,
				     (int32_t)e->agent);
	if (number < 0)
		return r->sink->core(r->sink->ctx, NA_DEVICE_GPU,
				     r->k->n_kernels ? kt_device_of(e->is.pid)
						     : 0);
	if (r->core == NA_UNKNOWN_U32)
		r->core = r->sink->core(r->sink->ctx, kind, number);
	return r->core;
}

/* ---- what a collective was called with */

static uint64_t bytes_of(const struct kt_args *a)
{
	int64_t n = a->in > a->out ? a->in : a->out;
	uint64_t each = a->type.s ? kt_type_bytes(a->type) : 0, bytes;

	if (n < 0 || !each || __builtin_mul_overflow((uint64_t)n, each, &bytes))
		return NA_UNKNOWN_U64;
	return bytes;
}

/* Of calls by id: the arguments of the first with that one; s NULL: none. */
static struct na_text args_by_id(const struct na_input *in,
				 const struct kt_call *v, size_t n, int64_t id)
{
	size_t i = NA_BOUND(k, 0, n, v[k].id >= (uint64_t)id);

	return id >= 0 && i < n && v[i].id == (uint64_t)id
		       ? na_text_n((const char *)in->data + v[i].at, v[i].n)
		       : (struct na_text){NULL, 0};
}

/* A kernel with no more than its op's id: what that op was called with.
 * Where the id only repeats the launch's, it is no op's. */
static void take_call(const struct na_input *in, struct kt_args *a)
{
	const struct kineto *k = in->state;
	int64_t stream = a->stream;
	struct na_text args;

	if (a->collective.s || a->external_id == a->correlation)
		return;
	args = args_by_id(in, k->calls.v, k->calls.n, a->external_id);
	if (!args.s)
		return;
	*a = kt_args_of(args);
	a->stream = stream;
}

/* ---- groups */

static bool told_ranks(struct reading *r, struct na_text list)
{
	if (r->ranks.s && na_text_same(r->ranks, list))
		return r->group_size;
	free(r->text.s);
	r->text = (struct na_str){.s = NULL};
	r->ranks = list;
	r->group_size = kt_ranks(list, &r->text);
	r->group = r->group_size
			   ? r->sink->name(r->sink->ctx, r->text.s, r->text.n)
			   : NA_UNKNOWN_U32;
	return r->group_size;
}

static size_t ranks_in(const char *ranks)
{
	size_t n = 1;

	for (; *ranks; ranks++)
		n += *ranks == ',';
	return n;
}

/* The only group of a job that has no other; NULL. */
static const char *only_group(const struct kineto *k)
{
	return k->group_ranks.n == 1 ? k->group_ranks.v[0] : NULL;
}

static void put_group(struct reading *r, const struct kt_args *a,
		      struct na_comm *c)
{
	const struct na_sink *sink = r->sink;
	const char *ranks;

	c->group = NA_UNKNOWN_U32;
	if (a->ranks.s && told_ranks(r, a->ranks)) {
		c->group = r->group;
		c->group_size = (uint32_t)r->group_size;
	} else if (a->group.s && (ranks = kt_group(r->k, a->group))) {
		c->group = sink->name(sink->ctx, ranks, strlen(ranks));
		c->group_size = (uint32_t)ranks_in(ranks);
	} else if (a->group.n) {
		c->group = sink->name(sink->ctx, a->group.s, a->group.n);
	} else if (c->source == NA_COMM_CPU && (ranks = only_group(r->k))) {
		/* gloo's ranges say nothing. */
		c->group = sink->name(sink->ctx, ranks, strlen(ranks));
		c->group_size = (uint32_t)ranks_in(ranks);
	}
	if (!c->group_size && a->group_size > 0 && a->group_size < UINT32_MAX)
		c->group_size = (uint32_t)a->group_size;
}

/* ---- records */

/* A name without its escapes, until the next one. */
static struct na_text plain(struct reading *r, struct na_text name)
{
	if (!name.n || !memchr(name.s, '\\', name.n))
		return name;
	return na_text_n(r->name,
			 na_json_unescape(name, r->name, sizeof(r->name)));
}

static int32_t peer_of(const struct event *e)
{
	int64_t peer = e->opcode == NA_OPCODE_SEND ? e->args.dst : e->args.src;

	if (e->opcode != NA_OPCODE_SEND && e->opcode != NA_OPCODE_RECV)
		return -1;
	return peer >= 0 && peer <= INT32_MAX ? (int32_t)peer : -1;
}

static uint32_t name_of(const struct reading *r, struct na_text x)
{
	return x.n ? r->sink->name(r->sink->ctx, x.s, x.n) : NA_UNKNOWN_U32;
}

static enum na_status put_all(struct reading *r, const struct event *e,
			      enum na_comm_source source)
{
	const struct kt_args *a = &e->args;
	struct na_rank_op t = {
		.comm = {.start_ps = e->start_ps,
			 .end_ps = e->end_ps,
			 .sequence = a->sequence,
			 .size_bytes = e->size_bytes,
			 .type = name_of(r, a->type),
			 .stream = a->stream >= 0 && a->stream < UINT32_MAX
					   ? (uint32_t)a->stream
					   : NA_UNKNOWN_U32,
			 .peer = peer_of(e),
			 .operation = e->opcode,
			 .source = (uint8_t)source},
		.core = core_of(r, e),
		.rank = r->in->rank,
		.name = e->name,
		.kernel = e->name,
		.collective = NA_UNKNOWN_U32,
	};

	put_group(r, a, &t.comm);
	t.comm.purpose = na_comm_purpose(a->purpose.s, a->purpose.n);
	if (t.comm.peer >= 0)
		t.collective = name_of(r, a->group);
	return na_rank_op_put(r->in, r->sink, &t);
}

static enum na_status talks(struct reading *r, struct event *e)
{
	uint64_t stream;

	e->args = kt_args_of(e->is.args);
	take_call(r->in, &e->args);
	e->opcode = NA_OPCODE_OTHER;
	if (e->args.collective.n)
		e->opcode = na_call_opcode(e->args.collective);
	if (e->opcode == NA_OPCODE_OTHER)
		e->opcode = na_kernel_opcode(e->is.name);
	e->size_bytes = bytes_of(&e->args);
	e->name = plain(r, na_kernel_short(e->is.name));
	/* Of kernels the thread is the stream. */
	if (e->args.stream < 0 && e->is.tid.s &&
	    na_text_number(e->is.tid, &stream) && stream < UINT32_MAX)
		e->args.stream = (int64_t)stream;
	return put_all(r, e, NA_COMM_KERNEL);
}

/* Of a range of gloo's: the one that c10d called, which got its number just
 * before, says the peer, and the shapes of what goes in how much it is. */
static void take_range(const struct reading *r, struct event *e)
{
	const char *ranks = only_group(r->k);
	struct kt_args *a = &e->args, call;
	int64_t peer;

	e->size_bytes = kt_input_bytes(a);
	if (e->opcode == NA_OPCODE_ALL_GATHER &&
	    (!ranks || __builtin_mul_overflow(e->size_bytes, ranks_in(ranks),
					      &e->size_bytes)))
		e->size_bytes = NA_UNKNOWN_U64;
	if (!ranks || a->external_id < 1)
		return;
	call = kt_args_of(args_by_id(r->in, r->k->p2p_calls.v,
				     r->k->p2p_calls.n, a->external_id - 1));
	peer = kt_rank_at(ranks, kt_called_peer(&call));
	if (e->opcode == NA_OPCODE_SEND)
		a->dst = peer;
	else if (e->opcode == NA_OPCODE_RECV)
		a->src = peer;
}

/* Ranges on the CPU count where no kernel is; calls, where no range tells
 * how long they took. */
static enum na_status on_cpu(struct reading *r, struct event *e)
{
	bool range = na_text_first(e->is.name, ':') != SIZE_MAX;

	if (r->k->n_kernels || (!range && r->k->n_ranges))
		return NA_OK;
	e->args = kt_args_of(e->is.args);
	e->name = plain(r,
			e->args.collective.n ? e->args.collective : e->is.name);
	e->opcode = na_call_opcode(e->name);
	if (!range && e->opcode == NA_OPCODE_OTHER)
		return NA_OK; /* "init", "wait" */
	e->size_bytes = bytes_of(&e->args);
	if (range)
		take_range(r, e);
	return put_all(r, e, NA_COMM_CPU);
}

/* Of each device that the process has; where its rank is told, they are one. */
static enum na_status put_step(struct reading *r, struct na_span *s)
{
	const struct na_sink *sink = r->sink;
	uint64_t devices = r->k->devices ? r->k->devices : 1;
	enum na_status st = NA_OK;

	if (r->in->rank >= 0) {
		s->plane = r->in->rank;
		s->device = NA_DEVICE_RANK;
		return sink->span(sink->ctx, s);
	}
	s->device = NA_DEVICE_GPU;
	for (int32_t i = 0; st == NA_OK && i < KT_DEVICES; i++) {
		s->plane = i;
		if (devices >> i & 1)
			st = sink->span(sink->ctx, s);
	}
	return st;
}

static enum na_status step(struct reading *r, const struct event *e)
{
	struct na_text name = plain(r, e->is.name), digits = name;
	uint64_t number;
	struct na_span s = {
		.kind = NA_SPAN_STEP,
		.start_ps = e->start_ps,
		.end_ps = e->end_ps,
		.number = -1,
	};

	if (na_text_past(&digits, "ProfilerStep#") &&
	    na_text_number(digits, &number) && number <= INT64_MAX)
		s.number = (int64_t)number;
	s.name = r->sink->name(r->sink->ctx, name.s, name.n);
	return put_step(r, &s);
}

static enum na_status busy(struct reading *r, const struct event *e)
{
	uint32_t core = core_of(r, e);

	if (!(r->in->wants & NA_WANT_BUSY))
		return NA_OK;
	return core == NA_UNKNOWN_U32 ? NA_ENOMEM
				      : r->sink->busy(r->sink->ctx, core,
						      e->start_ps, e->end_ps);
}

/* Nanoseconds of the file's clock to the origin's picoseconds. */
bool kt_from_ns(const struct na_input *in, struct na_text text, int64_t *ps)
{
	int64_t ns;

	return na_json_decimal(text, 0, &ns) &&
	       !__builtin_sub_overflow(ns, in->zero_ns, &ns) &&
	       na_mul_i64(ns, NA_PS_PER_NS, ps);
}

static enum na_status dispatch(struct reading *r, const char *s,
			       const char *end)
{
	struct kt_dispatch x = kt_dispatch_of(r->k, na_between(s, end));
	struct event e = {.size_bytes = NA_UNKNOWN_U64, .agent = x.agent};

	if (!x.start.s || !x.end.s ||
	    !kt_from_ns(r->in, x.start, &e.start_ps) ||
	    !kt_from_ns(r->in, x.end, &e.end_ps) || e.end_ps < e.start_ps ||
	    na_time_between(e.start_ps, e.end_ps) > NA_OP_MAX_PS) {
		r->sink->left_out(r->sink->ctx, NA_LEFT_BAD_DURATION, 1);
		return NA_OK;
	}
	if (!na_kernel_talks(x.name))
		return busy(r, &e);
	e.args = kt_args_of(na_text_n("", 0));
	e.args.stream = x.stream;
	e.opcode = na_kernel_opcode(x.name);
	e.name = na_kernel_short(x.name);
	return put_all(r, &e, NA_COMM_KERNEL);
}

/* end: where the next one begins, so that bytes which are lost by now are
 * looked at once. */
static enum na_status one_event(struct reading *r, const char *s,
				const char *end, enum kt_kind kind)
{
	const struct na_sink *sink = r->sink;
	struct event e = {.start_ps = 0};

	if (kind == KT_DISPATCH)
		return dispatch(r, s, end);
	if (!na_kineto_event(s, end, &r->shape, &e.is))
		return NA_OK; /* the survey did */
	if (!times_of(r, &e)) {
		sink->left_out(sink->ctx, NA_LEFT_BAD_DURATION, 1);
		return NA_OK;
	}
	switch (kind) {
	case KT_KERNEL:
		return busy(r, &e);
	case KT_TALKS:
		return talks(r, &e);
	case KT_CPU:
		return on_cpu(r, &e);
	default:
		return step(r, &e);
	}
}

enum na_status kt_read(const struct na_input *in, const struct na_block *b,
		       const struct na_sink *sink, struct na_err *err)
{
	const struct kineto *k = in->state;
	const struct kt_block *block = b->owner;
	size_t end = block + 1 < k->blocks.v + k->blocks.n ? block[1].first
							   : k->events.n;
	struct reading r = {.in = in,
			    .k = k,
			    .sink = sink,
			    .core = NA_UNKNOWN_U32};
	enum na_status st = NA_OK;

	for (size_t i = block->first; st == NA_OK && i < end; i++) {
		uint32_t at = k->events.v[i];
		const char *from = (const char *)b->p;
		const char *next = i + 1 < end
					   ? from + (k->events.v[i + 1] >>
						     KT_KIND_BITS)
					   : (const char *)b->end;

		st = one_event(&r, from + (at >> KT_KIND_BITS), next,
			       (enum kt_kind)(at & ((1U << KT_KIND_BITS) - 1)));
	}
	free(r.text.s);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}
