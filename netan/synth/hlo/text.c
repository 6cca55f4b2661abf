/*
 * The text of instructions and modules, as a compiler prints them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netan/synth/hlo/module.h"

/* DcnCollectiveInfoProto: plugin/xprof/protobuf/dcn_collective_info.proto */
enum { INFO_TYPE = 1, INFO_GROUPS = 2, INFO_ONE_TO_ONE = 3 };
enum { GROUP_ENDPOINTS = 1, ENDPOINT_SLICE = 1, ENDPOINT_DEVICE = 2 };
enum { PAIR_SOURCE = 1, PAIR_DESTINATION = 2 };

void na_hlo_target(const struct na_job *job, char *buf, size_t size)
{
	snprintf(buf, size, "{0:%" PRIu32 "}x{0:%" PRIu32 "}",
		 job->n_slices - 1, job->n_devs / job->n_slices - 1);
}

static void attributes(const struct na_job *job, const struct na_coll *c,
		       struct na_wire *w)
{
	char target[48];

	na_hlo_target(job, target, sizeof(target));
	na_wire_text(w,
		     ", is_host_transfer=true, frontend_attributes={"
		     "_xla_host_transfer_handler_name="
		     "\"xla_megascale_runtime\","
		     "_xla_host_transfer_rendezvous=\"%s\","
		     "_xla_megascale_target=\"%s\","
		     "_xla_megascale_transfer_type=\"%s\"%s}",
		     c->name, target, na_coll_type(c->kind),
		     c->kind == NA_COLL_ALL_REDUCE ||
				     c->kind == NA_COLL_REDUCE_SCATTER
			     ? ",_xla_megascale_reduce_operation=\"SUM\""
			     : "");
}

static void shape_text(const struct na_module *m, const struct na_inst *inst,
		       char *buf, size_t size)
{
	const char *tiles = m->gpu ? "{1,0}" : "{1,0:T(8,128)(2,1)}";
	const char *context = m->gpu ? "u32[]" : "u32[]{:S(2)}";
	char array[64];

	snprintf(array, sizeof(array), "bf16[%" PRIu64 ",128]%s",
		 inst->bytes / 256, tiles);
	switch (inst->shape) {
	case NA_SHAPE_SCALAR:
		snprintf(buf, size, "bf16[]");
		break;
	case NA_SHAPE_ARRAY:
		snprintf(buf, size, "%s", array);
		break;
	case NA_SHAPE_TOKEN:
		snprintf(buf, size, "token[]");
		break;
	case NA_SHAPE_IN_FLIGHT:
		snprintf(buf, size, "(%s, %s, token[])", array, context);
		break;
	case NA_SHAPE_RECEIVED:
		snprintf(buf, size, "(%s, token[])", array);
		break;
	}
}

static void groups_text(const struct na_inst *inst, struct na_wire *w)
{
	uint32_t n = inst->n_groups * inst->group_size;

	na_wire_text(w, ", replica_groups=[%" PRIu32 ",%" PRIu32 "]<=[",
		     inst->n_groups, inst->group_size);
	if (inst->stride > 1)
		na_wire_text(w, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]T(0,2,1)",
			     n / inst->slice, inst->group_size, inst->stride);
	else
		na_wire_text(w, "%" PRIu32 "]", n);
}

/* What follows the operands. */
static void rest_text(const struct na_module *m, const struct na_inst *inst,
		      struct na_wire *w)
{
	if (inst->channel)
		na_wire_text(w, ", channel_id=%" PRId64, inst->channel);
	if (inst->coll && inst->bare)
		na_wire_text(w, ", is_host_transfer=true");
	else if (inst->coll)
		attributes(m->job, inst->coll, w);
	if (inst->n_groups) {
		groups_text(inst, w);
		if (!strncmp(inst->opcode, "all-gather", 10) ||
		    !strcmp(inst->opcode, "reduce-scatter"))
			na_wire_text(w, ", dimensions={0}");
		na_wire_text(w, ", use_global_device_ids=true");
	}
	for (uint32_t i = 0; i < inst->ring_pairs; i++)
		na_wire_text(w, "%s{%" PRIu32 ",%" PRIu32 "}%s",
			     i ? "," : ", source_target_pairs={", i,
			     (i + 1) % inst->ring_pairs,
			     i + 1 == inst->ring_pairs ? "}" : "");
	if (!strcmp(inst->opcode, "fusion"))
		na_wire_text(w, ", kind=kOutput");
	if (inst->calls != NA_NO_INST)
		na_wire_text(w, ", %s=%%%s",
			     inst->n_groups ? "to_apply" : "calls",
			     m->computations[inst->calls].name);
}

static void inst_text(const struct na_module *m, uint32_t i, struct na_wire *w)
{
	const struct na_inst *inst = &m->insts[i];
	char shape[160];

	shape_text(m, inst, shape, sizeof(shape));
	na_wire_text(w, "%%%s = %s %s(", inst->name, shape, inst->opcode);
	if (!strcmp(inst->opcode, "parameter"))
		na_wire_text(w, "%" PRIu32,
			     i - m->computations[inst->computation].first);
	for (int k = 0; k < 2 && inst->operands[k] != NA_NO_INST; k++) {
		const struct na_inst *of = &m->insts[inst->operands[k]];

		shape_text(m, of, shape, sizeof(shape));
		na_wire_text(w, "%s%s %%%s", k ? ", " : "", shape, of->name);
	}
	na_wire_text(w, ")");
	rest_text(m, inst, w);
}

void na_inst_text(const struct na_module *m, uint32_t inst, struct na_wire *out)
{
	out->n = 0;
	inst_text(m, inst, out);
	na_wire_raw(out, "", 1);
}

static void computation_text(const struct na_module *m, size_t c,
			     struct na_wire *w)
{
	const struct na_computation *comp = &m->computations[c];
	uint32_t root = comp->first + comp->n - 1;
	char shape[160];
	bool comma = false;

	na_wire_text(w, "\n%s%%%s (",
		     c + 1 == m->n_computations ? "ENTRY " : "", comp->name);
	for (uint32_t i = comp->first; i <= root; i++) {
		if (strcmp(m->insts[i].opcode, "parameter"))
			continue;
		shape_text(m, &m->insts[i], shape, sizeof(shape));
		na_wire_text(w, "%s%s: %s", comma ? ", " : "", m->insts[i].name,
			     shape);
		comma = true;
	}
	shape_text(m, &m->insts[root], shape, sizeof(shape));
	na_wire_text(w, ") -> %s {\n", shape);
	for (uint32_t i = comp->first; i <= root; i++) {
		na_wire_text(w, i == root ? "  ROOT " : "  ");
		inst_text(m, i, w);
		if (!strcmp(m->insts[i].opcode, "fusion"))
			na_wire_text(
				w,
				", metadata={op_type=\"dot_general\" op_name=\""
				"jit(train_step)/transformer/dot_general\" "
				"source_file=\"train.py\" source_line=%" PRIu32
				"}",
				m->source_line);
		na_wire_text(w, "\n");
	}
	na_wire_text(w, "}\n");
}

void na_module_text(const struct na_module *m, struct na_wire *out)
{
	na_wire_text(out,
		     "HloModule " NA_MODULE_NAME
		     ", is_scheduled=true, num_partitions=%" PRIu32 "\n",
		     m->job->n_devs);
	for (size_t c = 0; c < m->n_computations; c++)
		computation_text(m, c, out);
}

static void put_endpoint(struct na_wire *w, unsigned field, uint32_t slice,
			 uint32_t device)
{
	size_t at = na_wire_begin(w, field);

	na_wire_scalar(w, ENDPOINT_SLICE, slice);
	na_wire_scalar(w, ENDPOINT_DEVICE, device);
	na_wire_end(w, at);
}

void na_hlo_info(enum na_coll_kind kind, uint32_t slices, uint32_t devices,
		 struct na_wire *out)
{
	/* clang-format off */
	static const int numbers[] = {
		[NA_COLL_ALL_TO_ALL] = 1, [NA_COLL_ONE_TO_ONE] = 2,
		[NA_COLL_REDUCE_SCATTER] = 3, [NA_COLL_ALL_GATHER] = 4,
		[NA_COLL_ALL_REDUCE] = 5
	};
	/* clang-format on */
	bool pairs = kind == NA_COLL_ONE_TO_ONE;

	out->n = 0;
	na_wire_int(out, INFO_TYPE, numbers[kind]);
	for (uint32_t d = 0; d < devices; d++) {
		size_t at = pairs ? 0 : na_wire_begin(out, INFO_GROUPS);

		for (uint32_t s = 0; s < slices; s++) {
			if (!pairs) {
				put_endpoint(out, GROUP_ENDPOINTS, s, d);
				continue;
			}
			at = na_wire_begin(out, INFO_ONE_TO_ONE);
			put_endpoint(out, PAIR_SOURCE, s, d);
			put_endpoint(out, PAIR_DESTINATION, (s + 1) % slices,
				     d);
			na_wire_end(out, at);
		}
		if (!pairs)
			na_wire_end(out, at);
	}
}

void na_hlo_dcn_info(const struct na_job *job, const struct na_coll *c,
		     struct na_wire *out)
{
	na_hlo_info(c->kind, job->n_slices, job->n_devs / job->n_slices, out);
}
