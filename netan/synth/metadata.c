/*
 * The compiled program, as an HloProto in the metadata plane, and the
 * plane that holds the capture's wall clock.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/synth/write.h"

/* xla/service/hlo.proto, xla/xla_data.proto */
enum { PROTO_MODULE = 1 };
enum {
	MODULE_NAME = 1,
	MODULE_ENTRY = 2,
	MODULE_COMPUTATIONS = 3,
	MODULE_ID = 5,
	MODULE_ENTRY_ID = 6
};
enum { COMP_NAME = 1, COMP_INSTRUCTIONS = 2, COMP_ID = 5, COMP_ROOT = 6 };
enum {
	INSTR_NAME = 1,
	INSTR_OPCODE = 2,
	INSTR_SHAPE = 3,
	INSTR_CHANNEL = 26,
	INSTR_ID = 35,
	INSTR_OPERANDS = 36,
	INSTR_HOST_TRANSFER = 47,
	INSTR_ATTRIBUTES = 68
};
enum { SHAPE_TYPE = 2, SHAPE_DIMS = 3, SHAPE_TUPLE = 4, SHAPE_LAYOUT = 5 };
enum { TYPE_U32 = 8, TYPE_TUPLE = 13, TYPE_BF16 = 16, TYPE_TOKEN = 17 };
enum { LAYOUT_ORDER = 1 };
enum { ATTR_MAP = 1, MAP_KEY = 1, MAP_VALUE = 2 };

struct hlo {
	const struct na_job *job;
	struct na_wire out;
	int64_t next_id, fusion;         /* fusion: the last compute's id */
	int64_t *tokens, *sends, *recvs; /* ids by collective */
};

static void put_array(struct na_wire *w, unsigned field, uint64_t bytes)
{
	size_t at = na_wire_begin(w, field), in;

	na_wire_int(w, SHAPE_TYPE, TYPE_BF16);
	in = na_wire_begin(w, SHAPE_DIMS);
	/* Packed: varints one after another, without tags. */
	for (uint64_t v = bytes / 256;; v >>= 7) {
		uint8_t b = (uint8_t)(v >= 128 ? v | 128 : v);

		na_wire_raw(w, &b, 1);
		if (v < 128)
			break;
	}
	na_wire_raw(w, "\x80\x01", 2);
	na_wire_end(w, in);
	in = na_wire_begin(w, SHAPE_LAYOUT);
	na_wire_bytes(w, LAYOUT_ORDER, "\x01\x00", 2);
	na_wire_end(w, in);
	na_wire_end(w, at);
}

static void put_simple(struct na_wire *w, unsigned field, int type)
{
	size_t at = na_wire_begin(w, field);

	na_wire_int(w, SHAPE_TYPE, type);
	na_wire_end(w, at);
}

static void put_shape(struct na_wire *w, enum na_op_kind kind, uint64_t bytes)
{
	size_t at;

	if (kind == NA_OP_COMPUTE) {
		put_array(w, INSTR_SHAPE, bytes);
		return;
	}
	if (kind == NA_OP_SEND_DONE) {
		put_simple(w, INSTR_SHAPE, TYPE_TOKEN);
		return;
	}
	at = na_wire_begin(w, INSTR_SHAPE);
	na_wire_int(w, SHAPE_TYPE, TYPE_TUPLE);
	put_array(w, SHAPE_TUPLE, bytes);
	if (kind != NA_OP_RECV_DONE)
		put_simple(w, SHAPE_TUPLE, TYPE_U32);
	put_simple(w, SHAPE_TUPLE, TYPE_TOKEN);
	na_wire_end(w, at);
}

static void put_attribute(struct na_wire *w, const char *key, const char *value)
{
	size_t at = na_wire_begin(w, ATTR_MAP);

	na_wire_str(w, MAP_KEY, key);
	na_wire_str(w, MAP_VALUE, value);
	na_wire_end(w, at);
}

static void put_attributes(struct hlo *h, const struct na_coll *c)
{
	struct na_wire *w = &h->out;
	size_t at = na_wire_begin(w, INSTR_ATTRIBUTES);
	char target[48];

	na_hlo_target(h->job, target, sizeof(target));
	put_attribute(w, "_xla_host_transfer_handler_name",
		      "xla_megascale_runtime");
	put_attribute(w, "_xla_host_transfer_rendezvous", c->name);
	put_attribute(w, "_xla_megascale_target", target);
	put_attribute(w, "_xla_megascale_transfer_type", na_coll_type(c->kind));
	na_wire_end(w, at);
}

/* Operands in the order of the op's text; 0 is none. */
static void put_operands(struct na_wire *w, int64_t a, int64_t b)
{
	if (a)
		na_wire_int(w, INSTR_OPERANDS, a);
	if (b)
		na_wire_int(w, INSTR_OPERANDS, b);
}

static size_t open_instruction(struct hlo *h, const char *name,
			       const char *opcode)
{
	size_t at = na_wire_begin(&h->out, COMP_INSTRUCTIONS);

	na_wire_str(&h->out, INSTR_NAME, name);
	na_wire_str(&h->out, INSTR_OPCODE, opcode);
	return at;
}

static void put_plain(struct hlo *h, const char *name, const char *opcode,
		      int type)
{
	size_t at = open_instruction(h, name, opcode);

	if (type == TYPE_BF16)
		put_array(&h->out, INSTR_SHAPE, 1 << 20);
	else
		put_simple(&h->out, INSTR_SHAPE, type);
	na_wire_int(&h->out, INSTR_ID, h->next_id++);
	na_wire_end(&h->out, at);
}

static void put_dcn(struct hlo *h, const struct na_op *op, uint32_t coll)
{
	const struct na_coll *c = &h->job->colls[coll];
	struct na_wire *w = &h->out;
	bool send = op->kind == NA_OP_SEND || op->kind == NA_OP_SEND_DONE;

	na_wire_int(w, INSTR_CHANNEL, c->channel + !send);
	na_wire_int(w, INSTR_ID, h->next_id);
	if (op->kind == NA_OP_SEND)
		put_operands(w, h->fusion, h->tokens[coll]);
	else if (op->kind == NA_OP_RECV)
		put_operands(w, h->tokens[coll], 0);
	else
		put_operands(w, send ? h->sends[coll] : h->recvs[coll], 0);
	na_wire_int(w, INSTR_HOST_TRANSFER, 1);
	if (op->kind != NA_OP_RECV_DONE)
		put_attributes(h, c);
	if (op->kind == NA_OP_SEND)
		h->sends[coll] = h->next_id;
	if (op->kind == NA_OP_RECV)
		h->recvs[coll] = h->next_id;
}

static void put_op(struct hlo *h, const struct na_op *op)
{
	const struct na_slot *slot = NULL;
	char name[48];
	size_t at;

	if (op->kind != NA_OP_COMPUTE) {
		slot = &h->job->slots[op->slot];
		if (slot->iteration)
			return; /* the loop runs the same op */
	}
	na_hlo_name(h->job, op, name, sizeof(name));
	at = open_instruction(h, name, na_hlo_opcode(op->kind));
	put_shape(&h->out, op->kind, na_hlo_bytes(h->job, op));
	if (slot) {
		put_dcn(h, op, slot->coll);
	} else {
		na_wire_int(&h->out, INSTR_ID, h->next_id);
		put_operands(&h->out, h->fusion, 0);
		h->fusion = h->next_id;
	}
	h->next_id++;
	na_wire_end(&h->out, at);
}

static void put_computation(struct hlo *h, bool other_program)
{
	size_t at = na_wire_begin(&h->out, MODULE_COMPUTATIONS);
	char name[48];

	na_wire_str(&h->out, COMP_NAME, "main");
	h->next_id = h->fusion = 1;
	put_plain(h, "param.0", "parameter", TYPE_BF16);
	if (other_program)
		put_plain(h, "constant.1", "constant", TYPE_BF16);
	for (uint32_t i = 0; i < h->job->n_colls; i++) {
		h->tokens[i] = h->next_id;
		snprintf(name, sizeof(name), "after-all.%" PRIu32,
			 h->job->colls[i].number);
		put_plain(h, name, "after-all", TYPE_TOKEN);
	}
	for (uint32_t i = 0; i < h->job->n_ops; i++)
		put_op(h, &h->job->ops[i]);
	na_wire_int(&h->out, COMP_ID, 1);
	na_wire_int(&h->out, COMP_ROOT, h->next_id - 1);
	na_wire_end(&h->out, at);
}

static void put_module(struct hlo *h, uint64_t program, bool other_program)
{
	size_t at = na_wire_begin(&h->out, PROTO_MODULE);

	na_wire_str(&h->out, MODULE_NAME, NA_MODULE_NAME);
	na_wire_str(&h->out, MODULE_ENTRY, "main");
	put_computation(h, other_program);
	na_wire_int(&h->out, MODULE_ID, (int64_t)program);
	na_wire_int(&h->out, MODULE_ENTRY_ID, 1);
	na_wire_end(&h->out, at);
}

uint64_t na_writer_program(const struct na_writer *w)
{
	uint64_t other = na_job_fault(w->job, NA_FAULT_PROGRAM, w->host)
				 ? UINT64_C(0x5a5a0000)
				 : 0;

	return w->job->program_id ^ other;
}

enum na_status na_write_metadata(struct na_writer *w, struct na_err *err)
{
	struct hlo h = {.job = w->job};
	uint64_t program = na_writer_program(w);
	struct na_plane p;
	enum na_status st;
	char name[64];
	size_t at;

	h.tokens = na_calloc(3 * (size_t)w->job->n_colls, sizeof(*h.tokens));
	if (!h.tokens)
		return na_fail_nomem(err);
	h.sends = h.tokens + w->job->n_colls;
	h.recvs = h.sends + w->job->n_colls;
	put_module(&h, program, program != w->job->program_id);
	snprintf(name, sizeof(name), NA_MODULE_NAME "(%" PRIu64 ")", program);
	na_plane_start(&p, &w->trace, 0, "/host:metadata");
	na_plane_define_as(&p, (int64_t)program, name, &at);
	na_stat_bytes(&p, na_plane_stat(&p, "Hlo Proto"), h.out.p, h.out.n);
	na_plane_define_end(&p, at);
	if (h.out.failed)
		p.body.failed = true;
	st = na_plane_finish(&p, err);
	na_wire_fini(&h.out);
	free(h.tokens);
	return st;
}

enum na_status na_write_environment(struct na_writer *w, struct na_err *err)
{
	int64_t start = w->trace.truth->start_unix_ns;
	int64_t end = na_host_time(w->job, w->host, w->job->end_ps);
	struct na_plane p;

	na_plane_start(&p, &w->trace, 0, "Task Environment");
	na_plane_const_uint(&p, "profile_start_time", (uint64_t)start);
	na_plane_const_uint(&p, "profile_stop_time",
			    (uint64_t)(start + end / NA_PS_PER_NS) + 1000000);
	return na_plane_finish(&p, err);
}
