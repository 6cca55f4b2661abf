/* Lines of NCCL Inspector's logs as records; see inspector.c. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ingest/gpu/rank_map.h"
#include "ingest/nccl/inspector_line.h"
#include "ingest/nccl/names.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

/* A communicator, the record's names of it, and its ranks in the job. */
struct told_group {
	struct na_text id;
	const struct na_comm_rank *member; /* NULL: not among the first lines */
	uint32_t name;
	uint16_t purpose;
};

struct reading {
	const struct na_input *in;
	const struct na_sink *sink;
	struct told_group groups[16]; /* the last ones, by turns */
	size_t n_groups;
	const struct told_group *group; /* of this line */
	uint32_t core;
};

static int32_t job_rank(const struct reading *r, int64_t rank)
{
	return r->group->member ? na_comm_rank_job(r->group->member, rank) : -1;
}

static void damaged(const struct reading *r, struct na_text line,
		    const char *why)
{
	const struct na_sink *s = r->sink;

	s->left_out(s->ctx, NA_LEFT_DAMAGED, 1);
	s->warn(s->ctx, (uint64_t)((const uint8_t *)line.s - r->in->data), why);
}

static uint32_t rank_address(const struct na_sink *s, int64_t rank)
{
	char buf[24];
	int n = snprintf(buf, sizeof(buf), "r%" PRId64, rank);

	return s->address(s->ctx, buf, (size_t)n);
}

static enum na_status tell_transfer(const struct reading *r,
				    const struct na_inspector_line *x,
				    int64_t from_ps, int64_t to_ps,
				    enum na_opcode what, struct na_text type)
{
	bool receives = what == NA_OPCODE_RECV, sends = what == NA_OPCODE_SEND;
	const struct na_sink *s = r->sink;
	struct na_transfer t = {
		NA_TRANSFER_OF_CAPTURE,
		.start_ps = from_ps,
		.end_ps = to_ps,
		.size_bytes = x->bytes > 0 ? (uint64_t)x->bytes : 0,
		.style = NA_STYLE_CAPTURE,
		.klass = from_ps < to_ps ? NA_VALID : NA_NO_LATENCY,
		.component = sends ? NA_COMP_SEND : NA_COMP_NETWORK,
	};
	uint32_t self = rank_address(s, r->in->rank);
	uint32_t peer = rank_address(s, job_rank(r, x->peer));

	t.side = sends ? NA_TX : NA_RX;
	t.src = receives ? peer : self;
	t.dst = receives ? self : peer;
	t.collective = r->group->name;
	t.type = s->name(s->ctx, type.s, type.n);
	return s->transfer(s->ctx, &t);
}

/* The group of a line, as its ranks in the job where all are known. */
static bool name_group(struct reading *r, struct na_text id)
{
	const size_t most = sizeof(r->groups) / sizeof(r->groups[0]);
	const struct na_sink *s = r->sink;
	struct told_group *g;
	struct na_text name = id;

	for (size_t i = 0; i < r->n_groups && i < most; i++) {
		r->group = &r->groups[i];
		if (na_text_same(r->group->id, id))
			return true;
	}
	g = &r->groups[r->n_groups++ % most];
	*g = (struct told_group){.id = id,
				 .member = na_comm_rank_of(r->in, id)};
	if (g->member && g->member->list.n) {
		name = g->member->list;
		g->purpose = g->member->twin;
	}
	g->name = s->name(s->ctx, name.s, name.n);
	r->group = g;
	return g->name != NA_UNKNOWN_U32;
}

static bool name_core(struct reading *r)
{
	const struct na_sink *s = r->sink;

	if (r->core == NA_UNKNOWN_U32)
		r->core = s->core(s->ctx, NA_DEVICE_RANK, r->in->rank);
	return r->core != NA_UNKNOWN_U32;
}

static enum na_status tell_op(const struct reading *r,
			      const struct na_inspector_line *x,
			      const struct na_comm *c)
{
	const struct na_sink *s = r->sink;
	struct na_op_type t;
	struct na_op op = {.start_ps = c->start_ps, .end_ps = c->end_ps};
	const char *word = na_opcode_word(c->operation);

	memset(&t, 0, sizeof(t));
	t.program_id = NA_UNKNOWN_U64;
	t.channel = -1;
	t.size_bytes = c->size_bytes;
	t.name = s->name(s->ctx, x->operation.s, x->operation.n);
	t.kernel = t.module = t.collective = NA_UNKNOWN_U32;
	t.start_op = NA_UNKNOWN_U32;
	t.transfer_type = word ? s->name(s->ctx, word, strlen(word))
			       : NA_UNKNOWN_U32;
	t.group_size = c->group_size;
	t.opcode = c->operation;
	t.network = NA_NET_GPU;
	op.type = s->op_type(s->ctx, &t);
	op.core = c->core;
	return op.type == NA_UNKNOWN_U32 ? NA_ENOMEM : s->op(s->ctx, &op);
}

/* False: it is not known when, or for how long. */
static bool times_of(const struct reading *r, const struct na_inspector_line *x,
		     struct na_comm *c)
{
	int64_t zero = r->in->zero_ns;

	if (na_inspector_timed(x))
		return na_ps_since(x->kernel_start_ns, zero, &c->start_ps) &&
		       na_ps_since(x->kernel_stop_ns, zero, &c->end_ps);
	return x->exec_ps >= 0 && x->exec_ps < NA_OP_MAX_PS &&
	       x->dump_ns >= 0 && na_ps_since(x->dump_ns, zero, &c->end_ps) &&
	       na_add_i64(c->end_ps, -x->exec_ps, &c->start_ps);
}

/*
 * Inspector tells one rank's part of what is gathered or scattered, and counts
 * its bandwidth of the whole (inspectorComputeCollBw of NVIDIA/nccl's
 * plugins/profiler/inspector/inspector.cc).  A line whose bandwidth is that of
 * its bytes as they stand was written by somebody who tells the whole.
 */
static uint64_t whole_bytes(const struct na_inspector_line *x,
			    enum na_opcode what)
{
	double parts = (double)x->n_ranks, bytes = (double)x->bytes, told;

	if (x->bytes < 0)
		return NA_UNKNOWN_U64;
	told = (double)x->rate_mb_s * (double)x->exec_ps * 1e-6;
	if ((what != NA_OPCODE_ALL_GATHER &&
	     what != NA_OPCODE_REDUCE_SCATTER) ||
	    x->parts & NA_INSPECTOR_P2P || bytes * parts >= 0x1p62 ||
	    (x->rate_mb_s > 0 && x->exec_ps > 0 &&
	     told < bytes * sqrt(parts)))
		return (uint64_t)x->bytes;
	return (uint64_t)(x->bytes * x->n_ranks);
}

static enum na_status tell_comm(struct reading *r,
				const struct na_inspector_line *x,
				struct na_text line)
{
	uint32_t wants = r->in->wants;
	bool p2p = x->parts & NA_INSPECTOR_P2P;
	bool receives, peer;
	struct na_comm c = {
		.sequence = x->sequence,
		.group_size = (uint32_t)x->n_ranks,
		.type = NA_UNKNOWN_U32,
		.stream = NA_UNKNOWN_U32,
		.operation = (uint8_t)na_nccl_opcode(x->operation),
		.source = !na_inspector_timed(x) ? NA_COMM_LASTED
			  : na_text_is(x->source, "collective_cpu")
				  ? NA_COMM_CPU
				  : NA_COMM_KERNEL,
	};
	enum na_status st = NA_OK;

	c.size_bytes = whole_bytes(x, c.operation);
	if (!x->operation.n || !na_inspector_is_rank(x->rank, x) ||
	    !times_of(r, x, &c)) {
		damaged(r, line, "an operation without its name, rank or time");
		return NA_OK;
	}
	if (r->in->rank < 0) {
		r->sink->left_out(r->sink->ctx, NA_LEFT_BAD_KEY, 1);
		return NA_OK;
	}
	if (!name_core(r))
		return NA_ENOMEM;
	receives = c.operation == NA_OPCODE_RECV;
	c.peer = p2p ? job_rank(r, x->peer) : -1;
	peer = c.peer >= 0;
	c.group = r->group->name;
	c.purpose = r->group->purpose;
	c.core = r->core;
	if (wants & NA_WANT_COMMS)
		st = r->sink->comm(r->sink->ctx, &c);
	if (st == NA_OK && wants & NA_WANT_OPS && na_inspector_timed(x))
		st = tell_op(r, x, &c);
	if (st == NA_OK && peer && wants & NA_WANT_TRANSFERS &&
	    !r->in->p2p_told && na_inspector_timed(x))
		st = tell_transfer(r, x, c.start_ps, c.end_ps, c.operation,
				   receives ? na_text_n("RECV", 4)
					    : na_text_n("SEND", 4));
	return st;
}

/* What a step of the proxy sends: from when it is posted to when it has gone.
 * A receiver waits for its peer in that time, so it tells of no transfer. */
static enum na_status tell_step(const struct reading *r,
				const struct na_inspector_line *x,
				struct na_text line)
{
	int64_t from, to, zero = r->in->zero_ns;

	if (!(r->in->wants & NA_WANT_TRANSFERS) ||
	    !na_text_is(x->record, "proxy_step") ||
	    !na_text_is(x->direction, "send") || r->in->rank < 0 ||
	    (na_inspector_is_rank(x->peer, x) && job_rank(r, x->peer) < 0))
		return NA_OK;
	if (!na_inspector_is_rank(x->rank, x) ||
	    !na_inspector_is_rank(x->peer, x) || x->send_ns < 0 ||
	    x->stop_ns < x->send_ns || !na_ps_since(x->send_ns, zero, &from) ||
	    !na_ps_since(x->stop_ns, zero, &to)) {
		damaged(r, line, "a step without its ranks or its times");
		return NA_OK;
	}
	return tell_transfer(r, x, from, to, NA_OPCODE_OTHER, x->record);
}

static enum na_status one_line(struct reading *r, struct na_text line,
			       struct na_inspector_line *about)
{
	const struct na_sink *s = r->sink;
	struct na_inspector_line x;

	if (!na_inspector_parse(line, &x)) {
		damaged(r, line, "no whole object of NCCL Inspector's");
		return NA_OK;
	}
	if (x.parts & NA_INSPECTOR_STATS) {
		*about = x;
		if (x.lost)
			s->left_out(s->ctx, NA_LEFT_AGGREGATED,
				    (uint64_t)x.lost);
	}
	if (!(x.parts & NA_INSPECTOR_OPERATIONS))
		return NA_OK;
	if (!na_inspector_complete(&x, about)) {
		damaged(r, line,
			"an operation without the dump_stats line that says "
			"of which communicator it is");
		return NA_OK;
	}
	if (!name_group(r, x.group))
		return NA_ENOMEM;
	return x.parts & NA_INSPECTOR_PROXY ? tell_step(r, &x, line)
					    : tell_comm(r, &x, line);
}

enum na_status na_inspector_read(const struct na_input *in,
				 const struct na_block *b,
				 const struct na_sink *sink, struct na_err *err)
{
	struct reading r = {.in = in, .sink = sink, .core = NA_UNKNOWN_U32};
	struct na_inspector_line about;
	const struct na_text *before = b->owner;
	const uint8_t *p = b->p;
	struct na_text line;
	enum na_status st = NA_OK;

	if (!before || !na_inspector_parse(*before, &about))
		about = (struct na_inspector_line){.group = {NULL, 0}};
	while (st == NA_OK && na_inspector_next(&p, b->end, &line))
		st = one_line(&r, line, &about);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}
