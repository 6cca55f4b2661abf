/*
 * A module as an HloProto.
 */
#include "netan/synth/hlo/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* xla/service/hlo.proto, xla/xla_data.proto */
enum { PROTO_MODULE = 1 };
enum {
	MODULE_NAME = 1,
	MODULE_ENTRY = 2,
	MODULE_COMPUTATIONS = 3,
	MODULE_PROGRAM = 4,
	MODULE_ID = 5,
	MODULE_ENTRY_ID = 6,
	MODULE_DEVICES = 15
};
enum {
	COMP_NAME = 1,
	COMP_INSTRUCTIONS = 2,
	COMP_PROGRAM = 4,
	COMP_ID = 5,
	COMP_ROOT = 6
};
enum { PROGRAM_PARAMETERS = 1, PROGRAM_RESULT, PROGRAM_NAMES };
enum {
	INSTR_NAME = 1,
	INSTR_OPCODE = 2,
	INSTR_SHAPE = 3,
	INSTR_METADATA = 7,
	INSTR_PARAMETER = 9,
	INSTR_FUSION_KIND = 11,
	INSTR_DIMENSIONS = 14,
	INSTR_CHANNEL = 26,
	INSTR_ID = 35,
	INSTR_OPERANDS = 36,
	INSTR_CALLS = 38,
	INSTR_HOST_TRANSFER = 47,
	INSTR_PAIRS = 52,
	INSTR_ATTRIBUTES = 68,
	INSTR_GLOBAL_IDS = 71,
	INSTR_GROUPS = 87
};
enum { METADATA_TYPE = 1, METADATA_NAME, METADATA_FILE, METADATA_LINE };
enum { SHAPE_TYPE = 2, SHAPE_DIMS = 3, SHAPE_TUPLE = 4, SHAPE_LAYOUT = 5 };
enum { TYPE_U32 = 8, TYPE_TUPLE = 13, TYPE_BF16 = 16, TYPE_TOKEN = 17 };
enum { LAYOUT_ORDER = 1 };
enum { ATTR_MAP = 1, MAP_KEY = 1, MAP_VALUE = 2 };
enum { DEVICES_REPLICAS = 1, DEVICES_COMPUTATIONS, DEVICES_LIST };
enum { LIST_IDS = 1 };
enum { GROUPS_IOTA = 2 };
enum { PAIR_SOURCE = 1, PAIR_TARGET = 2 };
enum { IOTA_GROUPS = 1, IOTA_SIZE, IOTA_DIMS, IOTA_ORDER };

/* Beyond so many the list of devices is left out. */
enum { MOST_DEVICES = 4096 };

static void put_packed(struct na_wire *w, unsigned field, const uint64_t *v,
		       size_t n)
{
	size_t at = na_wire_begin(w, field);

	for (size_t i = 0; i < n; i++)
		na_wire_varint(w, v[i]);
	na_wire_end(w, at);
}

static void put_array(struct na_wire *w, unsigned field, uint64_t bytes)
{
	uint64_t dims[] = {bytes / 256, 128}, order[] = {1, 0};
	size_t at = na_wire_begin(w, field), in;

	na_wire_int(w, SHAPE_TYPE, TYPE_BF16);
	put_packed(w, SHAPE_DIMS, dims, 2);
	in = na_wire_begin(w, SHAPE_LAYOUT);
	put_packed(w, LAYOUT_ORDER, order, 2);
	na_wire_end(w, in);
	na_wire_end(w, at);
}

static void put_simple(struct na_wire *w, unsigned field, int type)
{
	size_t at = na_wire_begin(w, field);

	na_wire_int(w, SHAPE_TYPE, type);
	na_wire_end(w, at);
}

static void put_shape(struct na_wire *w, unsigned field,
		      const struct na_inst *inst)
{
	size_t at;

	switch (inst->shape) {
	case NA_SHAPE_SCALAR:
		put_simple(w, field, TYPE_BF16);
		return;
	case NA_SHAPE_ARRAY:
		put_array(w, field, inst->bytes);
		return;
	case NA_SHAPE_TOKEN:
		put_simple(w, field, TYPE_TOKEN);
		return;
	default:
		break;
	}
	at = na_wire_begin(w, field);
	na_wire_int(w, SHAPE_TYPE, TYPE_TUPLE);
	put_array(w, SHAPE_TUPLE, inst->bytes);
	if (inst->shape == NA_SHAPE_IN_FLIGHT)
		put_simple(w, SHAPE_TUPLE, TYPE_U32);
	put_simple(w, SHAPE_TUPLE, TYPE_TOKEN);
	na_wire_end(w, at);
}

/* What a computation takes and gives. */
static void put_program(const struct na_module *m,
			const struct na_computation *c, struct na_wire *w,
			unsigned field)
{
	const struct na_inst *from = &m->insts[c->first], *to = from + c->n;
	size_t at = na_wire_begin(w, field);

	for (const struct na_inst *i = from; i < to; i++) {
		if (!strcmp(i->opcode, "parameter"))
			put_shape(w, PROGRAM_PARAMETERS, i);
	}
	put_shape(w, PROGRAM_RESULT, to - 1);
	for (const struct na_inst *i = from; i < to; i++) {
		if (!strcmp(i->opcode, "parameter"))
			na_wire_str(w, PROGRAM_NAMES, i->name);
	}
	na_wire_end(w, at);
}

static void put_attribute(struct na_wire *w, const char *key, const char *value)
{
	size_t at = na_wire_begin(w, ATTR_MAP);

	na_wire_str(w, MAP_KEY, key);
	na_wire_str(w, MAP_VALUE, value);
	na_wire_end(w, at);
}

static void put_attributes(const struct na_job *job, const struct na_coll *c,
			   struct na_wire *w)
{
	size_t at = na_wire_begin(w, INSTR_ATTRIBUTES);
	char target[48];

	na_hlo_target(job, target, sizeof(target));
	put_attribute(w, "_xla_host_transfer_handler_name",
		      "xla_megascale_runtime");
	put_attribute(w, "_xla_host_transfer_rendezvous", c->name);
	put_attribute(w, "_xla_megascale_target", target);
	put_attribute(w, "_xla_megascale_transfer_type", na_coll_type(c->kind));
	na_wire_end(w, at);
}

/* The same devices as na_inst_text() prints. */
static void put_groups(struct na_wire *w, const struct na_inst *inst)
{
	uint64_t slices = (uint64_t)inst->n_groups * inst->group_size /
			  inst->slice;
	uint64_t flat[] = {inst->slice * slices};
	uint64_t dims[] = {slices, inst->group_size, inst->stride};
	uint64_t order[] = {0, 2, 1};
	size_t at = na_wire_begin(w, INSTR_GROUPS);
	size_t in = na_wire_begin(w, GROUPS_IOTA);
	bool turned = inst->stride > 1;

	na_wire_int(w, IOTA_GROUPS, inst->n_groups);
	na_wire_int(w, IOTA_SIZE, inst->group_size);
	put_packed(w, IOTA_DIMS, turned ? dims : flat, turned ? 3 : 1);
	put_packed(w, IOTA_ORDER, order, turned ? 3 : 1);
	na_wire_end(w, in);
	na_wire_end(w, at);
}

static void put_metadata(const struct na_module *m, struct na_wire *w)
{
	size_t at = na_wire_begin(w, INSTR_METADATA);

	na_wire_str(w, METADATA_TYPE, "dot_general");
	na_wire_str(w, METADATA_NAME,
		    "jit(train_step)/transformer/dot_general");
	na_wire_str(w, METADATA_FILE, "train.py");
	na_wire_int(w, METADATA_LINE, m->source_line);
	na_wire_end(w, at);
}

static void put_inst(const struct na_module *m, size_t i, struct na_wire *w)
{
	const struct na_inst *inst = &m->insts[i];
	uint64_t ids[2], id;
	size_t at = na_wire_begin(w, COMP_INSTRUCTIONS), n = 0;

	na_wire_str(w, INSTR_NAME, inst->name);
	na_wire_str(w, INSTR_OPCODE, inst->opcode);
	put_shape(w, INSTR_SHAPE, inst);
	if (!strcmp(inst->opcode, "parameter"))
		na_wire_scalar(
			w, INSTR_PARAMETER,
			(int64_t)i - m->computations[inst->computation].first);
	if (!strcmp(inst->opcode, "fusion")) {
		put_metadata(m, w);
		na_wire_str(w, INSTR_FUSION_KIND, "kOutput");
	}
	if (!strncmp(inst->opcode, "all-gather", 10) ||
	    !strcmp(inst->opcode, "reduce-scatter")) {
		id = 0;
		put_packed(w, INSTR_DIMENSIONS, &id, 1);
	}
	na_wire_scalar(w, INSTR_CHANNEL, inst->channel);
	na_wire_int(w, INSTR_ID, (int64_t)i + 1);
	for (; n < 2 && inst->operands[n] != NA_NO_INST; n++)
		ids[n] = (uint64_t)inst->operands[n] + 1;
	if (n)
		put_packed(w, INSTR_OPERANDS, ids, n);
	id = (uint64_t)inst->calls + 1;
	if (inst->calls != NA_NO_INST)
		put_packed(w, INSTR_CALLS, &id, 1);
	if (inst->coll) {
		na_wire_int(w, INSTR_HOST_TRANSFER, 1);
		if (!inst->bare)
			put_attributes(m->job, inst->coll, w);
	}
	for (uint32_t k = 0; k < inst->ring_pairs; k++) {
		size_t in = na_wire_begin(w, INSTR_PAIRS);

		na_wire_scalar(w, PAIR_SOURCE, k);
		na_wire_scalar(w, PAIR_TARGET, (k + 1) % inst->ring_pairs);
		na_wire_end(w, in);
	}
	if (inst->n_groups) {
		na_wire_int(w, INSTR_GLOBAL_IDS, 1);
		put_groups(w, inst);
	}
	na_wire_end(w, at);
}

static void put_devices(struct na_wire *w, uint32_t n)
{
	size_t at = na_wire_begin(w, MODULE_DEVICES);

	na_wire_int(w, DEVICES_REPLICAS, 1);
	na_wire_int(w, DEVICES_COMPUTATIONS, n);
	for (uint64_t i = 0; i < n; i++) {
		size_t in = na_wire_begin(w, DEVICES_LIST);

		put_packed(w, LIST_IDS, &i, 1);
		na_wire_end(w, in);
	}
	na_wire_end(w, at);
}

void na_module_proto(const struct na_module *m, struct na_wire *out)
{
	size_t at = na_wire_begin(out, PROTO_MODULE);

	na_wire_str(out, MODULE_NAME, NA_MODULE_NAME);
	na_wire_str(out, MODULE_ENTRY,
		    m->computations[m->n_computations - 1].name);
	for (size_t c = 0; c < m->n_computations; c++) {
		const struct na_computation *comp = &m->computations[c];
		size_t in = na_wire_begin(out, MODULE_COMPUTATIONS);

		na_wire_str(out, COMP_NAME, comp->name);
		for (uint32_t i = 0; i < comp->n; i++)
			put_inst(m, comp->first + i, out);
		put_program(m, comp, out, COMP_PROGRAM);
		na_wire_int(out, COMP_ID, (int64_t)c + 1);
		na_wire_int(out, COMP_ROOT, comp->first + comp->n);
		na_wire_end(out, in);
	}
	put_program(m, &m->computations[m->n_computations - 1], out,
		    MODULE_PROGRAM);
	na_wire_int(out, MODULE_ID, (int64_t)m->program_id);
	na_wire_int(out, MODULE_ENTRY_ID, (int64_t)m->n_computations);
	if (m->job->n_devs <= MOST_DEVICES)
		put_devices(out, m->job->n_devs);
	na_wire_end(out, at);
}
