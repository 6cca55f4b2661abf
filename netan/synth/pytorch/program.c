/*
 * The program of a step and the groups that execute it.
 */
#include <stdlib.h>

#include "netan/base/units.h"
#include "netan/synth/pytorch/pytorch.h"

const struct na_torch_names na_torch_names[] = {
	[NA_TORCH_ALL_REDUCE] = {"allreduce", "all_reduce", "AllReduce",
				 "AllReduce_Sum_bf16_RING_LL"},
	[NA_TORCH_ALL_GATHER] = {"_allgather_base", "_all_gather_base",
				 "AllGather", "AllGather_RING_LL"},
	[NA_TORCH_REDUCE_SCATTER] = {"_reduce_scatter_base",
				     "_reduce_scatter_base", "ReduceScatter",
				     "ReduceScatter_Sum_bf16_RING_LL"},
	[NA_TORCH_SEND] = {"send", "send", "Send", "SendRecv"},
	[NA_TORCH_RECV] = {"recv", "recv", "Recv", "SendRecv"},
};

static const char *const role_names[] = {
	[NA_ROLE_WORLD] = "default_pg",
	[NA_ROLE_TENSOR] = "TENSOR_MODEL_PARALLEL_GROUP",
	[NA_ROLE_PIPELINE] = "PIPELINE_MODEL_PARALLEL_GROUP",
	[NA_ROLE_DATA] = "DATA_PARALLEL_GROUP",
};

/* Elements of two bytes: of activations, and of a norm. */
enum { HIDDEN_ELEMENTS = 2048 * 2048, NORM_ELEMENTS = 2 };

const char *na_torch_role_name(int role)
{
	return role_names[role];
}

/* ---- groups */

static uint32_t tensor_size(const struct na_torch_job *job)
{
	return job->roles[NA_ROLE_TENSOR].size;
}

static uint32_t data_size(const struct na_torch_job *job)
{
	return job->roles[NA_ROLE_DATA].size;
}

uint32_t na_torch_stage(const struct na_torch_job *job, uint32_t rank)
{
	return rank / (tensor_size(job) * data_size(job));
}

uint32_t na_torch_host(const struct na_torch_job *job, uint32_t rank)
{
	return rank / (uint32_t)job->cfg->devices;
}

uint32_t na_torch_group(const struct na_torch_job *job, int role, uint32_t rank)
{
	uint32_t tensor = tensor_size(job);

	switch (role) {
	case NA_ROLE_TENSOR:
		return rank / tensor;
	case NA_ROLE_PIPELINE:
		return rank % (tensor * data_size(job));
	case NA_ROLE_DATA:
		return rank % tensor + tensor * na_torch_stage(job, rank);
	default:
		return 0;
	}
}

uint32_t na_torch_place(const struct na_torch_job *job, int role, uint32_t rank)
{
	switch (role) {
	case NA_ROLE_TENSOR:
		return rank % tensor_size(job);
	case NA_ROLE_PIPELINE:
		return na_torch_stage(job, rank);
	case NA_ROLE_DATA:
		return rank / tensor_size(job) % data_size(job);
	default:
		return rank;
	}
}

uint32_t na_torch_member(const struct na_torch_job *job, int role,
			 uint32_t group, uint32_t place)
{
	uint32_t tensor = tensor_size(job), data = data_size(job);

	switch (role) {
	case NA_ROLE_TENSOR:
		return group * tensor + place;
	case NA_ROLE_PIPELINE:
		return group + place * tensor * data;
	case NA_ROLE_DATA:
		return group % tensor +
		       tensor * (place + data * (group / tensor));
	default:
		return place;
	}
}

uint32_t na_torch_group_name(const struct na_torch_job *job, int role,
			     uint32_t group)
{
	return job->roles[role].first_name + group;
}

void na_torch_ranks(struct na_wire *w, const struct na_torch_job *job, int role,
		    uint32_t group, uint32_t most)
{
	uint32_t n = job->roles[role].size;

	na_wire_text(w, "[");
	for (uint32_t i = 0; i < n && i < most; i++)
		na_wire_text(w, "%s%u", i ? ", " : "",
			     na_torch_member(job, role, group, i));
	na_wire_text(w, n > most ? ", ...]" : "]");
}

/* ---- finding one's way */

const struct na_torch_op *na_torch_op(const struct na_torch_job *job,
				      uint32_t rank, uint32_t event)
{
	const struct na_torch_program *p =
		&job->programs[na_torch_stage(job, rank)];

	return &p->ops.v[event % p->ops.n];
}

struct na_torch_instance *na_torch_instance(const struct na_torch_job *job,
					    uint32_t rank, uint32_t event)
{
	const struct na_torch_op *op = na_torch_op(job, rank, event);
	const struct na_torch_role_info *r = &job->roles[op->role];
	size_t step = event / na_torch_n_ops(job, rank);
	size_t group = na_torch_group(job, op->role, rank);

	return &job->instances[op->role]
			      [(group * job->n_steps + step) * r->per_step +
			       op->ordinal];
}

uint32_t na_torch_sequence(const struct na_torch_job *job, uint32_t rank,
			   uint32_t event)
{
	const struct na_torch_program *p =
		&job->programs[na_torch_stage(job, rank)];
	const struct na_torch_op *op = na_torch_op(job, rank, event);

	return (uint32_t)(event / p->ops.n) * p->counts[op->role] + op->count +
	       1;
}

uint32_t na_torch_peer(const struct na_torch_job *job, uint32_t rank,
		       const struct na_torch_op *op)
{
	return na_torch_member(job, op->role,
			       na_torch_group(job, op->role, rank), op->peer);
}

struct na_torch_op na_torch_called(const struct na_torch_job *job,
				   uint32_t rank, uint32_t event)
{
	struct na_torch_op op = *na_torch_op(job, rank, event);
	const struct na_torch_rank *r = &job->ranks[rank];

	if (!r->hang || r->hang->kind != NA_FAULT_MISMATCH ||
	    event != r->hang_event)
		return op;
	if (job->differs == NA_DIFFERS_SIZE) {
		op.in *= 2;
		op.out *= 2;
		return op;
	}
	op.kind = op.kind == NA_TORCH_ALL_REDUCE ? NA_TORCH_ALL_GATHER
						 : NA_TORCH_ALL_REDUCE;
	op.out = op.in;
	if (op.kind == NA_TORCH_ALL_GATHER)
		op.out *= job->roles[op.role].size;
	return op;
}

/* ---- building */

struct builder {
	struct na_torch_job *job;
	struct na_torch_program *program;
	int64_t pending_ps; /* computing that no operation follows yet */
	bool failed;
};

static void add(struct builder *b, struct na_torch_op op)
{
	op.gap_ps = b->pending_ps;
	op.count = b->program->counts[op.role]++;
	if (op.role != NA_ROLE_PIPELINE)
		op.ordinal = op.count;
	b->pending_ps = 0;
	b->failed |= !na_add(&b->program->ops, op);
}

static void add_p2p(struct builder *b, enum na_torch_kind kind, uint32_t peer,
		    uint32_t ordinal)
{
	add(b, (struct na_torch_op){.role = NA_ROLE_PIPELINE,
				    .kind = kind,
				    .peer = peer,
				    .ordinal = ordinal,
				    .in = HIDDEN_ELEMENTS,
				    .out = HIDDEN_ELEMENTS});
}

/* One micro-batch through a stage, forward or back. */
static void add_pass(struct builder *b, uint32_t stage, uint32_t micro,
		     bool back, uint32_t layers, int64_t layer_ps)
{
	const struct na_torch_job *job = b->job;
	uint32_t last = job->stages - 1;
	uint32_t from = back ? stage + 1 : stage - 1;
	uint32_t to = back ? stage - 1 : stage + 1;
	bool starts = stage == (back ? last : 0);
	bool ends = stage == (back ? 0 : last);
	/* A boundary between stages has the lower one's number. */
	uint32_t first = back ? last : 0;

	if (!starts)
		add_p2p(b, NA_TORCH_RECV, from,
			(first + (back ? stage : from)) * job->micros + micro);
	for (uint32_t i = 0; i < layers; i++) {
		b->pending_ps += layer_ps;
		if (job->roles[NA_ROLE_TENSOR].size > 1)
			add(b, (struct na_torch_op){.role = NA_ROLE_TENSOR,
						    .kind = NA_TORCH_ALL_REDUCE,
						    .in = HIDDEN_ELEMENTS,
						    .out = HIDDEN_ELEMENTS});
	}
	if (!ends)
		add_p2p(b, NA_TORCH_SEND, to,
			(first + (back ? to : stage)) * job->micros + micro);
}

static void add_gradients(struct builder *b)
{
	uint32_t size = data_size(b->job);
	uint64_t all = (uint64_t)b->job->cfg->chunk_bytes / 2;
	uint64_t part = (all + size - 1) / size;

	if (size > 1) {
		add(b, (struct na_torch_op){.role = NA_ROLE_DATA,
					    .kind = NA_TORCH_REDUCE_SCATTER,
					    .in = part * size,
					    .out = part});
		add(b, (struct na_torch_op){.role = NA_ROLE_DATA,
					    .kind = NA_TORCH_ALL_GATHER,
					    .in = part,
					    .out = part * size});
	}
}

static void build_stage(struct builder *b, uint32_t stage)
{
	const struct na_torch_job *job = b->job;
	uint32_t passes = 2 * job->micros;
	uint32_t layers = (uint32_t)job->cfg->collectives / passes;
	/* A twentieth of the step is the optimizer's. */
	int64_t update_ps = job->cfg->step_ps / 20, layer_ps;

	layers = layers ? layers : 1;
	layer_ps = (job->cfg->step_ps - update_ps) / (passes * layers);
	for (uint32_t m = 0; m < job->micros; m++)
		add_pass(b, stage, m, false, layers, layer_ps);
	for (uint32_t m = 0; m < job->micros; m++)
		add_pass(b, stage, m, true, layers, layer_ps);
	add_gradients(b);
	b->pending_ps += update_ps;
	add(b, (struct na_torch_op){.role = NA_ROLE_WORLD,
				    .kind = NA_TORCH_ALL_REDUCE,
				    .in = NORM_ELEMENTS,
				    .out = NORM_ELEMENTS});
}

/* How a job of so many ranks is usually laid out. */
static void lay_out(struct na_torch_job *job)
{
	uint32_t devices = (uint32_t)job->cfg->devices;
	uint32_t tensor = 1, stages = 1, rest, name = 1, id = 1;

	if (devices % 4 == 0 && job->n_ranks >= 16)
		tensor = 4;
	else if (devices % 2 == 0)
		tensor = 2;
	rest = job->n_ranks / tensor;
	if (rest % 4 == 0 && rest >= 32)
		stages = 4;
	else if (rest % 2 == 0 && rest >= 4)
		stages = 2;
	job->stages = stages;
	job->micros = stages;
	job->roles[NA_ROLE_WORLD].size = job->n_ranks;
	job->roles[NA_ROLE_TENSOR].size = tensor;
	job->roles[NA_ROLE_PIPELINE].size = stages;
	job->roles[NA_ROLE_DATA].size = rest / stages;
	for (int r = 0; r < NA_N_ROLES; r++) {
		struct na_torch_role_info *i = &job->roles[r];

		i->groups = job->n_ranks / i->size;
		if (r == NA_ROLE_WORLD || i->size == 1)
			continue;
		i->first_name = name;
		i->pg_id = id++;
		name += i->groups;
	}
}

enum na_status na_torch_program(struct na_torch_job *job, struct na_err *err)
{
	lay_out(job);
	job->programs = na_calloc(job->stages, sizeof(*job->programs));
	if (!job->programs)
		return na_fail_nomem(err);
	for (uint32_t s = 0; s < job->stages; s++) {
		struct builder b = {.job = job, .program = &job->programs[s]};

		build_stage(&b, s);
		if (b.failed)
			return na_fail_nomem(err);
	}
	for (int r = 0; r < NA_N_ROLES; r++)
		job->roles[r].per_step = r == NA_ROLE_PIPELINE
						 ? 2 * (job->stages - 1) *
							   job->micros
						 : job->programs[0].counts[r];
	return NA_OK;
}
