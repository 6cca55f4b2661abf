#include "ingest/profiler/profiler.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/gpu/file_name.h"
#include "ingest/gpu/rank_op.h"
#include "ingest/nccl/names.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

/* A process has as many as its job has ways to cut its ranks. */
enum { COMMS_MAX = 4096 };

/* ---- survey */

static bool is_rank(int64_t rank)
{
	return rank >= 0 && rank < NA_NCCL_RANKS_MAX;
}

static size_t find(const struct na_profiled *p, uint64_t hash)
{
	size_t i = 0;

	while (i < p->comms.n && p->comms.v[i].hash != hash)
		i++;
	return i;
}

bool na_profiled_saw(struct na_profiled *p, uint64_t comm, int64_t rank,
		     int64_t peer)
{
	size_t i = find(p, comm);
	struct na_profiled_comm *c;
	int64_t highest = is_rank(peer) && peer > rank ? peer : rank;

	if (!is_rank(rank) || (i == p->comms.n && i == COMMS_MAX))
		return true;
	if (i == p->comms.n &&
	    !na_add(&p->comms,
		    ((struct na_profiled_comm){comm, rank, highest, false})))
		return false;
	c = &p->comms.v[i];
	c->several |= c->rank != rank;
	if (highest > c->highest)
		c->highest = highest;
	if (c->highest > p->comms.v[p->world].highest)
		p->world = i;
	return true;
}

void na_profiled_at(struct na_profiled *p, int64_t ns)
{
	if (!p->has_first || ns < p->first_ns)
		p->first_ns = ns;
	p->has_first = true;
}

bool na_profiled_border(struct na_profiled *p, const char *s)
{
	return (p->blocks.n &&
		s - p->blocks.v[p->blocks.n - 1] < NA_BLOCK_BYTES) ||
	       na_add(&p->blocks, s);
}

void na_profiled_settle(struct na_input *in, const struct na_profiled *p,
			const char *setting)
{
	int32_t named = na_rank_of_path(in->path);

	in->has_time = p->has_first;
	in->first_ns = p->has_first ? p->first_ns : 0;
	in->has_wall = p->has_first && p->first_ns > NA_PROFILED_EPOCH_NS;
	in->has_gpus = true;
	in->n_devices = 1;
	if (p->n_untimed)
		na_input_warn(in,
			      "%" PRIu64
			      " operation%s only said when put into the queue, "
			      "not when run: left out; %s tells it",
			      p->n_untimed, na_plural(p->n_untimed), setting);
	if (!p->comms.n || p->comms.v[p->world].several)
		return;
	in->rank = named >= 0 ? named : (int32_t)p->comms.v[p->world].rank;
}

enum na_status na_profiled_cut(struct na_input *in, struct na_block *b,
			       struct na_err *err)
{
	struct na_profiled *p = in->state;
	const char *from, *to;

	(void)err;
	if (p->next == p->blocks.n)
		return NA_END;
	from = p->blocks.v[p->next++];
	to = p->next == p->blocks.n ? p->end : p->blocks.v[p->next];
	*b = (struct na_block){p, (const uint8_t *)from, (const uint8_t *)to};
	return NA_OK;
}

void na_profiled_close(struct na_input *in)
{
	struct na_profiled *p = in->state;

	if (p) {
		na_vec_free(&p->comms);
		na_vec_free(&p->blocks);
	}
	free(p);
	in->state = NULL;
}

/* ---- records */

static const struct na_profiled_comm *world_of(const struct na_profiled *p,
					       uint64_t comm)
{
	return p->comms.n && p->comms.v[p->world].hash == comm
		       ? &p->comms.v[p->world]
		       : NULL;
}

/* In the job; -1: not told. */
static int32_t rank_of(const struct na_profiled_reading *r,
		       const struct na_profiled_op *op)
{
	if (!is_rank(op->rank))
		return -1;
	if (r->in->rank >= 0)
		return r->in->rank;
	return world_of(r->p, op->comm) ? (int32_t)op->rank : -1;
}

/* A rank of its communicator as one of the job. */
static int32_t peer_of(const struct na_profiled_reading *r,
		       const struct na_profiled_op *op, int64_t peer)
{
	const struct na_profiled_comm *w = world_of(r->p, op->comm);

	/* The file's name may say that these are not the job's. */
	if (!w || !is_rank(peer) ||
	    (r->in->rank >= 0 && w->rank != r->in->rank))
		return -1;
	return (int32_t)peer;
}

static bool name_group(struct na_profiled_reading *r, uint64_t comm)
{
	char text[24];
	int n;

	if (r->grouped && r->comm == comm)
		return true;
	n = snprintf(text, sizeof(text), "0x%" PRIx64, comm);
	r->group = r->sink->name(r->sink->ctx, text, (size_t)n);
	r->comm = comm;
	r->grouped = r->group != NA_UNKNOWN_U32;
	return r->grouped;
}

static bool name_core(struct na_profiled_reading *r, int32_t rank)
{
	if (r->rank == rank)
		return true;
	r->core = r->sink->core(r->sink->ctx, NA_DEVICE_RANK, rank);
	r->rank = r->core == NA_UNKNOWN_U32 ? -1 : rank;
	return r->rank >= 0;
}

/* The larger of what goes in and what comes out, where a rank's own buffer
 * is that. */
static uint64_t size_of(const struct na_profiled_op *op, uint8_t opcode)
{
	bool shares = opcode == NA_OPCODE_ALL_GATHER ||
		      opcode == NA_OPCODE_REDUCE_SCATTER ||
		      opcode == NA_OPCODE_ALL_TO_ALL;

	return op->count_bytes < 0 || shares ? NA_UNKNOWN_U64
					     : (uint64_t)op->count_bytes;
}

enum na_status na_profiled_put(struct na_profiled_reading *r,
			       const struct na_profiled_op *op)
{
	const struct na_sink *sink = r->sink;
	uint8_t opcode = na_call_opcode(op->name);
	struct na_rank_op t = {
		.comm.sequence = op->sequence,
		.comm.size_bytes = size_of(op, opcode),
		.comm.type = NA_UNKNOWN_U32,
		.comm.stream = NA_UNKNOWN_U32,
		.comm.peer = peer_of(r, op, op->peer),
		.comm.operation = opcode,
		.comm.source = NA_COMM_KERNEL,
		.rank = rank_of(r, op),
		.name = op->name,
	};

	if (op->start_ns < 0 || op->end_ns < op->start_ns ||
	    !na_ps_since(op->start_ns, r->in->zero_ns, &t.comm.start_ps) ||
	    !na_ps_since(op->end_ns, r->in->zero_ns, &t.comm.end_ps) ||
	    na_time_between(t.comm.start_ps, t.comm.end_ps) > NA_OP_MAX_PS) {
		sink->left_out(sink->ctx, NA_LEFT_NO_LATENCY, 1);
		return NA_OK;
	}
	if (t.rank < 0) {
		sink->left_out(sink->ctx, NA_LEFT_BAD_KEY, 1);
		return NA_OK;
	}
	if (!name_group(r, op->comm) || !name_core(r, t.rank))
		return NA_ENOMEM;
	t.comm.group = r->group;
	t.core = r->core;
	if (op->type.n)
		t.comm.type = sink->name(sink->ctx, op->type.s, op->type.n);
	return na_rank_op_put(r->in, sink, &t);
}

enum na_status na_profiled_put_sent(struct na_profiled_reading *r,
				    const struct na_profiled_op *op,
				    const struct na_profiled_sent *x)
{
	const struct na_sink *sink = r->sink;
	struct na_rank_send sent = {
		.size_bytes = (uint64_t)x->bytes,
		.rank = rank_of(r, op),
		.peer = peer_of(r, op, x->peer),
	};

	if (!(r->in->wants & NA_WANT_TRANSFERS) || sent.rank < 0 ||
	    sent.peer < 0)
		return NA_OK;
	if (x->bytes < 0 || x->from_ns < 0 || x->to_ns < x->from_ns ||
	    !na_ps_since(x->from_ns, r->in->zero_ns, &sent.from_ps) ||
	    !na_ps_since(x->to_ns, r->in->zero_ns, &sent.to_ps)) {
		sink->left_out(sink->ctx, NA_LEFT_NO_LATENCY, 1);
		return NA_OK;
	}
	if (!name_group(r, op->comm))
		return NA_ENOMEM;
	sent.group = r->group;
	sent.type = sink->name(sink->ctx, x->type, strlen(x->type));
	return na_rank_send_put(r->in, sink, &sent);
}

enum na_status na_profiled_put_qp(struct na_profiled_reading *r,
				  const struct na_profiled_op *op,
				  const struct na_profiled_sent *x, int64_t qp,
				  bool sends)
{
	struct na_qp_use use = {
		.sequence = op->sequence,
		.size_bytes = x->bytes < 0 ? 0 : (uint64_t)x->bytes,
		.qp = (uint32_t)qp,
		.rank = rank_of(r, op),
		.peer = peer_of(r, op, x->peer),
		.operation = na_call_opcode(op->name),
		.sends = sends,
	};

	if (!(r->in->wants & NA_WANT_QUEUE_PAIRS) || use.rank < 0 || qp < 0 ||
	    qp > 0xffffff || x->from_ns < 0 || x->to_ns < x->from_ns ||
	    !na_ps_since(x->from_ns, r->in->zero_ns, &use.start_ps) ||
	    !na_ps_since(x->to_ns, r->in->zero_ns, &use.end_ps))
		return NA_OK;
	if (!name_group(r, op->comm))
		return NA_ENOMEM;
	use.group = r->group;
	return r->sink->qp_use(r->sink->ctx, &use);
}
