#include "netan/synth/hlo/module.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/synth/gpu/gpu.h"

static const uint64_t param_bytes = 1 << 20;

uint32_t na_module_computation(struct na_module *m, const char *name)
{
	struct na_computation *c;

	if (!na_grow(&m->computations, &m->cap_computations,
		     m->n_computations + 1, sizeof(*m->computations))) {
		m->failed = true;
		return 0;
	}
	c = &m->computations[m->n_computations];
	memset(c, 0, sizeof(*c));
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->first = (uint32_t)m->n;
	return (uint32_t)m->n_computations++;
}

uint32_t na_module_add(struct na_module *m, const struct na_inst *inst)
{
	struct na_inst *to;

	if (!na_grow(&m->insts, &m->cap, m->n + 1, sizeof(*m->insts)) ||
	    !m->n_computations) {
		m->failed = true;
		return 0;
	}
	to = &m->insts[m->n];
	*to = *inst;
	to->computation = (uint32_t)m->n_computations - 1;
	m->computations[to->computation].n++;
	return (uint32_t)m->n++;
}

struct na_inst na_inst_plain(const char *opcode, enum na_inst_shape shape,
			     uint64_t bytes)
{
	return (struct na_inst){.opcode = opcode,
				.shape = shape,
				.bytes = bytes,
				.operands = {NA_NO_INST, NA_NO_INST},
				.calls = NA_NO_INST};
}

static uint32_t add_plain(struct na_module *m, const char *opcode,
			  uint32_t number, enum na_inst_shape shape,
			  uint64_t bytes, uint32_t operand)
{
	struct na_inst inst = na_inst_plain(opcode, shape, bytes);

	snprintf(inst.name, sizeof(inst.name), "%s.%" PRIu32,
		 strcmp(opcode, "parameter") ? opcode : "param", number);
	inst.operands[0] = operand;
	return na_module_add(m, &inst);
}

uint32_t na_module_binary(struct na_module *m, const char *name,
			  const char *opcode, uint64_t bytes)
{
	enum na_inst_shape shape = bytes > 2 ? NA_SHAPE_ARRAY : NA_SHAPE_SCALAR;
	uint32_t c = na_module_computation(m, name);
	struct na_inst inst = na_inst_plain("parameter", shape, bytes);
	uint32_t a, b;

	snprintf(inst.name, sizeof(inst.name), "param_0.%" PRIu32, c);
	a = na_module_add(m, &inst);
	snprintf(inst.name, sizeof(inst.name), "param_1.%" PRIu32, c);
	b = na_module_add(m, &inst);
	inst = na_inst_plain(opcode, shape, bytes);
	inst.operands[0] = a;
	inst.operands[1] = b;
	snprintf(inst.name, sizeof(inst.name), "%s.%" PRIu32, opcode, c);
	na_module_add(m, &inst);
	return c;
}

/* ---- the program of a step */

struct build {
	struct na_module *m;
	uint32_t fusion;                  /* the last one */
	uint32_t *tokens, *sends, *recvs; /* by collective */
	uint32_t *fused;                  /* computations by fusion */
	uint32_t reduction;               /* computation of the all-reduces */
	uint32_t *starts, *shares;        /* by in-slice collective */
};

static uint64_t fusion_bytes(uint32_t fusion)
{
	return UINT64_C(4096) * (256 + fusion % 7 * 128);
}

/* Which fusion has another shape in the other program, and before which
 * one it copies. */
static uint32_t odd_fusion(const struct na_job *job, bool insert)
{
	return job->n_fusions / 3 * (insert ? 2 : 1);
}

static void fused_computations(struct build *b)
{
	const struct na_job *job = b->m->job;
	char name[40];

	for (uint32_t i = 0; i < job->n_fusions; i++) {
		snprintf(name, sizeof(name), "fused_computation.%" PRIu32, i);
		b->fused[i] = na_module_binary(b->m, name, "multiply",
					       fusion_bytes(i));
	}
	if (job->n_icis)
		b->reduction = na_module_binary(b->m, "region_0.1", "add", 2);
}

static uint32_t add_fusion(struct build *b, const struct na_op *op, bool other)
{
	struct na_module *m = b->m;
	struct na_inst inst = na_inst_plain("fusion", NA_SHAPE_ARRAY,
					    fusion_bytes(op->fusion));

	if (other && op->fusion == odd_fusion(m->job, true)) {
		m->inserted = add_plain(m, "copy", 9001, NA_SHAPE_ARRAY,
					m->insts[b->fusion].bytes, b->fusion);
		b->fusion = m->inserted;
	}
	if (other && op->fusion == odd_fusion(m->job, false)) {
		inst.bytes *= 2;
		m->reshaped = (uint32_t)m->n;
	}
	snprintf(inst.name, sizeof(inst.name), "fusion.%" PRIu32, op->fusion);
	inst.operands[0] = inst.operands[1] = b->fusion;
	inst.calls = b->fused[op->fusion];
	b->fusion = na_module_add(m, &inst);
	return b->fusion;
}

/* The number behind the name of a -done: that of its start, or to lead
 * astray those who join by it, that of the next collective. */
static uint32_t done_number(const struct na_job *job, uint32_t coll)
{
	if (job->cfg->shuffle_suffixes)
		coll = (coll + 1) % job->n_colls;
	return job->colls[coll].number;
}

static uint32_t add_dcn(struct build *b, const struct na_op *op)
{
	const struct na_job *job = b->m->job;
	uint32_t coll = job->slots[op->slot].coll, *at;
	const struct na_coll *c = &job->colls[coll];
	bool send = op->kind == NA_OP_SEND || op->kind == NA_OP_SEND_DONE;
	bool done = op->kind == NA_OP_SEND_DONE || op->kind == NA_OP_RECV_DONE;
	struct na_inst inst = na_inst_plain(na_hlo_opcode(op->kind),
					    NA_SHAPE_IN_FLIGHT,
					    send ? c->bytes : c->out_bytes);

	at = send ? &b->sends[coll] : &b->recvs[coll];
	inst.coll = c;
	if (!na_job_without(job, NA_WITHOUT_CHANNELS))
		inst.channel = c->channel + !send;
	if (done) {
		inst.shape = send ? NA_SHAPE_TOKEN : NA_SHAPE_RECEIVED;
		inst.operands[0] = *at;
		/* The -done of a receive carries no attributes. */
		inst.bare = !send ||
			    na_job_without(job, NA_WITHOUT_DONE_RENDEZVOUS);
	} else {
		inst.operands[0] = send ? b->fusion : b->tokens[coll];
		if (send)
			inst.operands[1] = b->tokens[coll];
		*at = (uint32_t)b->m->n;
	}
	snprintf(inst.name, sizeof(inst.name), "%s.%" PRIu32, inst.opcode,
		 done ? done_number(job, coll) : c->number);
	return na_module_add(b->m, &inst);
}

static uint32_t add_ici(struct build *b, const struct na_op *op)
{
	const struct na_ici *c = &b->m->job->icis[op->slot];
	struct na_inst inst = na_inst_plain(na_ici_opcode(c, op->kind),
					    NA_SHAPE_ARRAY, c->bytes);

	inst.operands[0] = b->shares[op->slot];
	if (op->kind == NA_OP_ICI_DONE) {
		inst.operands[0] = b->starts[op->slot];
	} else {
		inst.channel = c->channel;
		inst.n_groups = c->n_groups;
		inst.group_size = c->group_size;
		inst.stride = c->stride;
		inst.slice = b->m->job->n_devs / b->m->job->n_slices;
		if (!c->gather)
			inst.calls = b->reduction;
	}
	if (op->kind == NA_OP_ICI_START)
		b->starts[op->slot] = (uint32_t)b->m->n;
	na_ici_name(c, op->kind, inst.name, sizeof(inst.name));
	return na_module_add(b->m, &inst);
}

/* Both iterations of a collective in a loop run the same op. */
static uint32_t op_before(const struct na_job *job, uint32_t i)
{
	const struct na_op *op = &job->ops[i];
	uint32_t k = 0;

	if (!na_op_is_dcn(op->kind) || !job->slots[op->slot].iteration)
		return i;
	while (job->ops[k].kind != op->kind ||
	       job->slots[job->ops[k].slot].coll != job->slots[op->slot].coll)
		k++;
	return k;
}

static void entry_computation(struct build *b, bool other)
{
	struct na_module *m = b->m;
	const struct na_job *job = m->job;

	na_module_computation(m, "main");
	b->fusion = add_plain(m, "parameter", 0, NA_SHAPE_ARRAY, param_bytes,
			      NA_NO_INST);
	for (uint32_t i = 0; i < job->n_icis; i++)
		b->shares[i] = add_plain(m, "parameter", i + 1, NA_SHAPE_ARRAY,
					 job->icis[i].input_bytes, NA_NO_INST);
	for (uint32_t i = 0; i < job->n_colls; i++)
		b->tokens[i] = add_plain(m, "after-all", job->colls[i].number,
					 NA_SHAPE_TOKEN, 0, NA_NO_INST);
	for (uint32_t i = 0; i < job->n_ops && !m->failed; i++) {
		const struct na_op *op = &job->ops[i];
		uint32_t before = op_before(job, i);

		if (before < i)
			m->of_op[i] = m->of_op[before];
		else if (op->kind == NA_OP_COMPUTE)
			m->of_op[i] = add_fusion(b, op, other);
		else if (na_op_is_dcn(op->kind))
			m->of_op[i] = add_dcn(b, op);
		else
			m->of_op[i] = add_ici(b, op);
	}
}

enum na_status na_module_build(struct na_module *m, const struct na_job *job,
			       uint32_t host, struct na_err *err)
{
	bool other = na_job_fault(job, NA_FAULT_PROGRAM, host);
	size_t n = job->n_colls;
	struct build b = {.m = m};

	memset(m, 0, sizeof(*m));
	m->job = job;
	m->program_id = job->program_id ^ (other ? UINT64_C(0x5a5a0000) : 0);
	m->source_line = 212 + host;
	if (job->gpu) {
		m->of_op = na_calloc(job->n_fusions + job->gpu->n_colls,
				     sizeof(*m->of_op));
		m->failed = !m->of_op;
		if (!m->failed)
			na_gpu_module(m, other);
		return m->failed ? na_fail_nomem(err) : NA_OK;
	}
	m->of_op = na_calloc(job->n_ops, sizeof(*m->of_op));
	b.tokens = na_calloc(3 * n + job->n_fusions + 2 * job->n_icis,
			     sizeof(*b.tokens));
	if (m->of_op && b.tokens) {
		b.sends = b.tokens + n;
		b.recvs = b.sends + n;
		b.fused = b.recvs + n;
		b.starts = b.fused + job->n_fusions;
		b.shares = b.starts + job->n_icis;
		fused_computations(&b);
		if (!m->failed)
			entry_computation(&b, other);
	} else {
		m->failed = true;
	}
	free(b.tokens);
	return m->failed ? na_fail_nomem(err) : NA_OK;
}

void na_module_fini(struct na_module *m)
{
	free(m->insts);
	free(m->computations);
	free(m->of_op);
	memset(m, 0, sizeof(*m));
}
