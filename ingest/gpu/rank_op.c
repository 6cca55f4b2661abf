#include "ingest/gpu/rank_op.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netan/model/gpu/kernels.h"

static uint32_t name_of(const struct na_sink *sink, struct na_text t)
{
	return t.n ? sink->name(sink->ctx, t.s, t.n) : NA_UNKNOWN_U32;
}

static uint32_t word_of(const struct na_sink *sink, uint8_t opcode)
{
	const char *word = na_opcode_word(opcode);

	return word ? sink->name(sink->ctx, word, strlen(word))
		    : NA_UNKNOWN_U32;
}

static enum na_status put_op(const struct na_sink *sink,
			     const struct na_rank_op *t)
{
	struct na_op op = {.start_ps = t->comm.start_ps,
			   .end_ps = t->comm.end_ps,
			   .core = t->core};
	struct na_op_type type;

	memset(&type, 0, sizeof(type));
	type.program_id = NA_UNKNOWN_U64;
	type.channel = -1;
	type.size_bytes = t->comm.size_bytes;
	type.name = name_of(sink, t->name);
	type.kernel = name_of(sink, t->kernel);
	type.module = type.collective = type.start_op = NA_UNKNOWN_U32;
	type.transfer_type = word_of(sink, t->comm.operation);
	type.network = NA_NET_GPU;
	type.opcode = t->comm.operation;
	op.type = sink->op_type(sink->ctx, &type);
	return op.type == NA_UNKNOWN_U32 ? NA_ENOMEM : sink->op(sink->ctx, &op);
}

static enum na_status put_action(const struct na_sink *sink,
				 const struct na_rank_op *t)
{
	struct na_action a = {NA_ACTION_OF_KERNEL};

	a.start_ps = t->comm.start_ps;
	a.end_ps = t->comm.end_ps;
	a.name = t->kernel;
	a.local_device_id = t->rank;
	a.type = word_of(sink, t->comm.operation);
	return sink->action(sink->ctx, &a);
}

static uint32_t address_of(const struct na_sink *sink, int32_t rank)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "r%" PRId32, rank);

	return sink->address(sink->ctx, text, (size_t)n);
}

static enum na_status put_transfer(const struct na_sink *sink,
				   const struct na_rank_op *t)
{
	bool sent = t->comm.operation == NA_OPCODE_SEND;
	struct na_transfer x = {NA_TRANSFER_OF_CAPTURE};
	int32_t peer = t->comm.peer;

	if ((!sent && t->comm.operation != NA_OPCODE_RECV) || peer < 0 ||
	    t->rank < 0 || t->comm.size_bytes == NA_UNKNOWN_U64)
		return NA_OK;
	x.side = sent ? NA_TX : NA_RX;
	x.start_ps = t->comm.start_ps;
	x.end_ps = t->comm.end_ps;
	x.size_bytes = t->comm.size_bytes;
	x.src = address_of(sink, sent ? t->rank : peer);
	x.dst = address_of(sink, sent ? peer : t->rank);
	x.type = sink->name(sink->ctx, sent ? "SEND" : "RECV", 4);
	x.collective = t->collective;
	x.klass = peer == t->rank ? NA_LOOPBACK : NA_VALID;
	x.style = NA_STYLE_CAPTURE;
	x.component = sent ? NA_COMP_SEND : NA_COMP_NETWORK;
	return sink->transfer(sink->ctx, &x);
}

enum na_status na_rank_op_put(const struct na_input *in,
			      const struct na_sink *sink,
			      const struct na_rank_op *t)
{
	struct na_comm comm = t->comm;
	enum na_status st = t->core == NA_UNKNOWN_U32 ? NA_ENOMEM : NA_OK;

	comm.core = t->core;
	if (st == NA_OK && (in->wants & NA_WANT_COMMS))
		st = sink->comm(sink->ctx, &comm);
	/* Of the others nobody knows when the device was at it. */
	if (comm.source != NA_COMM_KERNEL && comm.source != NA_COMM_CPU)
		return st;
	if (st == NA_OK && (in->wants & NA_WANT_OPS))
		st = put_op(sink, t);
	if (st == NA_OK && (in->wants & NA_WANT_KERNELS) && t->kernel.n &&
	    t->comm.source == NA_COMM_KERNEL)
		st = put_action(sink, t);
	if (st == NA_OK && (in->wants & NA_WANT_TRANSFERS))
		st = put_transfer(sink, t);
	return st;
}

enum na_status na_rank_send_put(const struct na_input *in,
				const struct na_sink *sink,
				const struct na_rank_send *x)
{
	struct na_transfer t = {
		NA_TRANSFER_OF_CAPTURE,
		.start_ps = x->from_ps,
		.end_ps = x->to_ps,
		.size_bytes = x->size_bytes,
		.style = NA_STYLE_CAPTURE,
		.klass = x->from_ps < x->to_ps ? NA_VALID : NA_NO_LATENCY,
		.component = NA_COMP_NETWORK,
	};

	if (!(in->wants & NA_WANT_TRANSFERS) || x->rank < 0 || x->peer < 0)
		return NA_OK;
	t.src = address_of(sink, x->rank);
	t.dst = address_of(sink, x->peer);
	t.collective = x->group;
	t.type = x->type;
	return sink->transfer(sink->ctx, &t);
}
