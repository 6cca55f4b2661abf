/*
 * Names, texts and shapes of the program's ops, as a compiler prints them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "netan/synth/write.h"

/* DcnCollectiveInfoProto: plugin/xprof/protobuf/dcn_collective_info.proto */
enum { INFO_TYPE = 1, INFO_GROUPS = 2, INFO_ONE_TO_ONE = 3 };
enum { GROUP_ENDPOINTS = 1, ENDPOINT_SLICE = 1, ENDPOINT_DEVICE = 2 };
enum { PAIR_SOURCE = 1, PAIR_DESTINATION = 2 };

static const struct na_coll *coll_of(const struct na_job *job,
				     const struct na_op *op)
{
	return &job->colls[job->slots[op->slot].coll];
}

const char *na_hlo_opcode(enum na_op_kind kind)
{
	static const char *const names[] = {"fusion", "recv", "send",
					    "send-done", "recv-done"};

	return names[kind];
}

uint64_t na_hlo_bytes(const struct na_job *job, const struct na_op *op)
{
	const struct na_coll *c;

	if (op->kind == NA_OP_COMPUTE)
		return UINT64_C(4096) * (256 + op->fusion % 7 * 128);
	c = coll_of(job, op);
	return op->kind == NA_OP_SEND || op->kind == NA_OP_SEND_DONE
		       ? c->bytes
		       : c->out_bytes;
}

void na_hlo_name(const struct na_job *job, const struct na_op *op, char *buf,
		 size_t size)
{
	uint32_t n = op->kind == NA_OP_COMPUTE ? op->fusion
					       : coll_of(job, op)->number;

	snprintf(buf, size, "%s.%" PRIu32, na_hlo_opcode(op->kind), n);
}

void na_hlo_target(const struct na_job *job, char *buf, size_t size)
{
	snprintf(buf, size, "{0:%" PRIu32 "}x{0:%" PRIu32 "}",
		 job->n_slices - 1, job->n_devs / job->n_slices - 1);
}

static void attributes(const struct na_job *job, const struct na_coll *c,
		       char *buf, size_t size)
{
	char target[48];

	na_hlo_target(job, target, sizeof(target));
	snprintf(buf, size,
		 "is_host_transfer=true, frontend_attributes={"
		 "_xla_host_transfer_handler_name=\"xla_megascale_runtime\","
		 "_xla_host_transfer_rendezvous=\"%s\","
		 "_xla_megascale_target=\"%s\","
		 "_xla_megascale_transfer_type=\"%s\"%s}",
		 c->name, target, na_coll_type(c->kind),
		 c->kind == NA_COLL_ALL_REDUCE ||
				 c->kind == NA_COLL_REDUCE_SCATTER
			 ? ",_xla_megascale_reduce_operation=\"SUM\""
			 : "");
}

void na_hlo_text(const struct na_job *job, const struct na_op *op, char *buf,
		 size_t size)
{
	static const char tiles[] = "{1,0:T(8,128)(2,1)}";
	char name[48], attr[400], shape[64];
	const struct na_coll *c;
	uint64_t rows = na_hlo_bytes(job, op) / 256;
	int64_t channel;

	na_hlo_name(job, op, name, sizeof(name));
	snprintf(shape, sizeof(shape), "bf16[%" PRIu64 ",128]%s", rows, tiles);
	if (op->kind == NA_OP_COMPUTE) {
		snprintf(buf, size,
			 "%%%s = %s fusion(%s %%param.%" PRIu32
			 ", %s %%param.%" PRIu32 "), kind=kOutput, calls="
			 "%%fused_computation.%" PRIu32,
			 name, shape, shape, op->fusion, shape, op->fusion + 1,
			 op->fusion);
		return;
	}
	c = coll_of(job, op);
	attributes(job, c, attr, sizeof(attr));
	channel = op->kind == NA_OP_SEND || op->kind == NA_OP_SEND_DONE
			  ? c->channel
			  : c->channel + 1;
	switch (op->kind) {
	case NA_OP_SEND:
		snprintf(buf, size,
			 "%%%s = (%s, u32[]{:S(2)}, token[]) send("
			 "%s %%fusion.%" PRIu32 ", token[] %%after-all.%" PRIu32
			 "), channel_id=%" PRId64 ", %s",
			 name, shape, shape, op->slot, c->number, channel,
			 attr);
		break;
	case NA_OP_RECV:
		snprintf(buf, size,
			 "%%%s = (%s, u32[]{:S(2)}, token[]) recv("
			 "token[] %%after-all.%" PRIu32 "), channel_id=%" PRId64
			 ", %s",
			 name, shape, c->number, channel, attr);
		break;
	case NA_OP_SEND_DONE:
		snprintf(buf, size,
			 "%%%s = token[] send-done((%s, "
			 "u32[]{:S(2)}, token[]) %%send.%" PRIu32 "), "
			 "channel_id=%" PRId64 ", %s",
			 name, shape, c->number, channel, attr);
		break;
	default:
		/* The -done of a receive carries no attributes. */
		snprintf(buf, size,
			 "%%%s = (%s, token[]) recv-done((%s, "
			 "u32[]{:S(2)}, token[]) %%recv.%" PRIu32 "), "
			 "channel_id=%" PRId64 ", is_host_transfer=true",
			 name, shape, shape, c->number, channel);
		break;
	}
}

static void put_endpoint(struct na_wire *w, unsigned field, uint32_t slice,
			 uint32_t device)
{
	size_t at = na_wire_begin(w, field);

	na_wire_scalar(w, ENDPOINT_SLICE, slice);
	na_wire_scalar(w, ENDPOINT_DEVICE, device);
	na_wire_end(w, at);
}

void na_hlo_dcn_info(const struct na_job *job, const struct na_coll *c,
		     struct na_wire *out)
{
	/* clang-format off */
	static const int numbers[] = {
		[NA_COLL_ALL_TO_ALL] = 1, [NA_COLL_ONE_TO_ONE] = 2,
		[NA_COLL_REDUCE_SCATTER] = 3, [NA_COLL_ALL_GATHER] = 4,
		[NA_COLL_ALL_REDUCE] = 5
	};
	/* clang-format on */
	uint32_t per_slice = job->n_devs / job->n_slices;

	out->n = 0;
	na_wire_int(out, INFO_TYPE, numbers[c->kind]);
	for (uint32_t d = 0; d < per_slice; d++) {
		size_t at = 0;

		if (c->kind != NA_COLL_ONE_TO_ONE)
			at = na_wire_begin(out, INFO_GROUPS);
		for (uint32_t s = 0; s < job->n_slices; s++) {
			if (c->kind != NA_COLL_ONE_TO_ONE) {
				put_endpoint(out, GROUP_ENDPOINTS, s, d);
				continue;
			}
			at = na_wire_begin(out, INFO_ONE_TO_ONE);
			put_endpoint(out, PAIR_SOURCE, s, d);
			put_endpoint(out, PAIR_DESTINATION,
				     (s + 1) % job->n_slices, d);
			na_wire_end(out, at);
		}
		if (c->kind != NA_COLL_ONE_TO_ONE)
			na_wire_end(out, at);
	}
}
