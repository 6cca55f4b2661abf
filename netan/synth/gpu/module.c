/*
 * The program that the GPUs run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netan/synth/gpu/gpu.h"

static uint64_t fusion_bytes(uint32_t fusion)
{
	return UINT64_C(4096) * (256 + fusion % 5 * 64);
}

static uint32_t add_fusion(struct na_module *m, uint32_t fusion, uint32_t of,
			   bool other)
{
	struct na_inst inst = na_inst_plain("fusion", NA_SHAPE_ARRAY,
					    fusion_bytes(fusion));

	/* As in the other jobs: one of another shape, then one copy more. */
	if (other && fusion == m->job->n_fusions / 3 * 2) {
		struct na_inst copy = na_inst_plain("copy", NA_SHAPE_ARRAY,
						    m->insts[of].bytes);

		snprintf(copy.name, sizeof(copy.name), "copy.9001");
		copy.operands[0] = of;
		of = m->inserted = na_module_add(m, &copy);
	}
	if (other && fusion == m->job->n_fusions / 3) {
		inst.bytes *= 2;
		m->reshaped = (uint32_t)m->n;
	}
	snprintf(inst.name, sizeof(inst.name), "loop_fusion.%" PRIu32, fusion);
	inst.operands[0] = inst.operands[1] = of;
	inst.calls = fusion; /* the computations come in this order */
	return na_module_add(m, &inst);
}

void na_gpu_coll_name(const struct na_gpu_coll *c, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s.%" PRIu32, c->opcode,
		 c->split ? "-start" : "", c->number);
}

static uint32_t add_coll(struct na_module *m, uint32_t coll, uint32_t of,
			 uint32_t reduction)
{
	const struct na_gpu_coll *c = &m->job->gpu->colls[coll];
	struct na_inst inst = na_inst_plain(c->opcode, NA_SHAPE_ARRAY,
					    c->bytes);

	inst.operands[0] = of;
	inst.channel = coll + 1;
	if (c->permute) {
		inst.ring_pairs = c->group_size;
	} else {
		inst.n_groups = c->n_groups;
		inst.group_size = inst.slice = c->group_size;
		inst.stride = 1;
	}
	if (c->sums)
		inst.calls = reduction;
	if (c->split)
		inst.opcode = "all-reduce-start";
	na_gpu_coll_name(c, inst.name, sizeof(inst.name));
	return na_module_add(m, &inst);
}

void na_gpu_module(struct na_module *m, bool other)
{
	const struct na_job *job = m->job;
	const struct na_gpu *g = job->gpu;
	uint32_t n = (uint32_t)job->cfg->ops, of, reduction, first, fusion = 0;
	struct na_inst inst = na_inst_plain("parameter", NA_SHAPE_ARRAY,
					    1 << 20);
	char name[40];

	m->gpu = true;
	for (uint32_t i = 0; i < job->n_fusions; i++) {
		snprintf(name, sizeof(name), "fused_multiply.%" PRIu32, i);
		na_module_binary(m, name, "multiply", fusion_bytes(i));
	}
	reduction = na_module_binary(m, "region_0.1", "add", 2);
	na_module_computation(m, "main");
	snprintf(inst.name, sizeof(inst.name), "param.0");
	of = first = na_module_add(m, &inst);
	for (uint32_t i = 0; i < g->n_colls && !m->failed; i++) {
		inst.bytes = g->colls[i].input_bytes;
		snprintf(inst.name, sizeof(inst.name), "param.%" PRIu32, i + 1);
		na_module_add(m, &inst);
	}
	for (uint32_t c = 0; c <= g->n_colls && !m->failed; c++) {
		for (uint32_t i = 0; i < n && !m->failed; i++, fusion++)
			of = m->of_op[fusion] = add_fusion(m, fusion, of,
							   other);
		if (c < g->n_colls)
			m->of_op[job->n_fusions + c] =
				add_coll(m, c, first + 1 + c, reduction);
	}
	for (uint32_t c = 0; c < g->n_colls && !m->failed; c++) {
		if (!g->colls[c].split)
			continue;
		inst = na_inst_plain("all-reduce-done", NA_SHAPE_ARRAY,
				     g->colls[c].bytes);
		inst.operands[0] = m->of_op[job->n_fusions + c];
		snprintf(inst.name, sizeof(inst.name),
			 "all-reduce-done.%" PRIu32, g->colls[c].number);
		na_module_add(m, &inst);
	}
	if (!m->failed)
		m->of_op[fusion] = add_fusion(m, fusion, of, other);
}
