/*
 * collectives: what communication is there.  Over the data-center network
 * from graph executions, transfers and device ops; inside a slice and
 * between GPUs from device ops, whose executions are matched over the
 * devices (match.c).
 */
#include "netan/analyses/collectives/state.h"

#include <stdlib.h>

static enum na_status coll_open(void *state, const struct na_scope *scope,
				const void *params, struct na_err *err)
{
	struct coll_state *s = state;

	(void)params;
	for (size_t i = 0; i < scope->by.n; i++) {
		enum na_key k = scope->by.keys[i];

		if (k != NA_KEY_COLLECTIVE && k != NA_KEY_TRANSFER_TYPE &&
		    k != NA_KEY_LABEL)
			return na_fail(err, NA_EUSAGE,
				       "--by %s: collectives has one line for "
				       "each collective, or with --by "
				       "transfer_type for each type",
				       na_key_name(k));
	}
	s->scope = scope;
	s->by_type = na_grouping_has(&scope->by, NA_KEY_TRANSFER_TYPE) &&
		     !na_grouping_has(&scope->by, NA_KEY_COLLECTIVE);
	s->owned_steps = na_whole_steps(scope);
	if (!s->owned_steps)
		return na_fail_nomem(err);
	s->steps = s->owned_steps;
	s->clipped = scope->filter->from_ps != NA_TIME_MIN ||
		     scope->filter->to_ps != NA_TIME_MAX ||
		     scope->filter->first_step >= 0;
	if (scope->executions)
		s->tell = na_collectives_tell_new(scope->store);
	return s->tell || !scope->executions ? NA_OK : na_fail_nomem(err);
}

static enum na_status coll_fork(void *block, const void *state, unsigned pass)
{
	const struct coll_state *from = state;

	(void)pass;
	*(struct coll_state *)block =
		(struct coll_state){.scope = from->scope,
				    .by_type = from->by_type,
				    .tell = from->tell,
				    .steps = from->steps};
	return NA_OK;
}

static struct coll_sums *sums_of(struct coll_state *s, struct na_triple key,
				 uint32_t *row)
{
	size_t before = s->sums.n;
	struct coll_sums *x = na_triples_at(&s->rows, &s->sums, key);

	if (!x)
		return NULL;
	if (s->sums.n > before)
		x->type = NA_UNKNOWN_U32;
	*row = (uint32_t)(x - s->sums.v);
	return x;
}

/* The row of a collective; its type is that of its executions where the
 * record itself has none. */
static struct coll_sums *row_of(struct coll_state *s, uint32_t input,
				uint32_t collective, uint32_t type,
				uint32_t *row)
{
	const struct na_store *store = s->scope->store;
	struct na_triple key = {store->sources[input].run, collective, 0};
	struct coll_sums *x;

	if (type == NA_UNKNOWN_U32 && collective < store->n_type_of)
		type = store->type_of[collective];
	if (s->by_type)
		key.b = type;
	x = sums_of(s, key, row);
	if (x && x->type == NA_UNKNOWN_U32)
		x->type = type;
	return x;
}

static struct coll_member *member_of(struct coll_state *s, uint32_t row,
				     uint32_t endpoint)
{
	return na_collectives_member(&s->members, row, endpoint);
}

static struct coll_device *device_of(struct coll_state *s, uint32_t row,
				     uint32_t core)
{
	struct na_triple key = {row, core, 0};

	return na_triples_at(&s->device_keys, &s->devices, key);
}

/* Of sends what is sent, of recv-dones what came. */
static bool count_op(struct coll_state *s, uint32_t row, const struct na_op *op,
		     const struct na_op_type *t)
{
	int k = t->opcode == NA_OPCODE_RECV;
	struct coll_device *d;

	if ((t->opcode != NA_OPCODE_SEND && t->opcode != NA_OPCODE_RECV) ||
	    t->phase != (k ? NA_OP_DONE : NA_OP_START))
		return true;
	d = device_of(s, row, op->core);
	if (!d)
		return false;
	d->n[k]++;
	if (s->tell && !na_add(&s->device_ops,
			       ((struct coll_device_op){
				       op, (uint32_t)(d - s->devices.v)})))
		return false;
	if (t->size_bytes == NA_UNKNOWN_U64)
		return true;
	d->sized[k]++;
	d->bytes[k] += (na_i128)t->size_bytes;
	return true;
}

bool na_collectives_push_time(struct coll_times *v, int64_t time_ps,
			      uint32_t of)
{
	return na_add(v, ((struct coll_time){.time_ps = time_ps, .of = of}));
}

static bool name_peer(struct coll_state *s, uint32_t row, uint32_t endpoint)
{
	struct coll_member *m;

	if (endpoint == NA_UNKNOWN_U32)
		return true;
	m = member_of(s, row, endpoint);
	if (m)
		m->peer = true;
	return m;
}

static enum na_status coll_add(void *block, const struct na_transfer *t)
{
	struct coll_state *s = block;
	const struct na_whole_steps *steps =
		&s->steps[s->scope->store->sources[t->input].run];
	struct coll_sums *x;
	uint32_t row;

	if (t->style >= NA_STYLE_CAPTURE || t->side > NA_TX)
		return NA_ASIDE;
	x = row_of(s, t->input, t->collective, t->type, &row);
	if (!x || !name_peer(s, row, t->src) || !name_peer(s, row, t->dst))
		return NA_ENOMEM;
	x->transfers[t->side]++;
	x->moved[t->side] += (na_i128)t->size_bytes;
	if (t->side == NA_RX && steps->n && t->end_ps >= steps->from_ps &&
	    t->end_ps < steps->to_ps)
		s->step_bytes += (na_i128)t->size_bytes;
	s->n_transfers++;
	return NA_OK;
}

static enum na_status coll_add_action(void *block, const struct na_exec *e)
{
	struct coll_state *s = block;

	/* An old event tells that a reduction is done, not how long it took. */
	if (e->kind != NA_ACT_COMPUTE || e->style == NA_STYLE_MESSAGE)
		return NA_OK;
	return na_collectives_push_time(&s->reductions,
					na_time_between(e->start_ps, e->end_ps),
					e->input)
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status coll_add_graph(void *block, const struct na_exec *e)
{
	struct coll_state *s = block;
	int64_t time_ps = na_time_between(e->start_ps, e->end_ps);
	struct coll_member *m;
	struct coll_sums *x;
	uint32_t row;

	x = row_of(s, e->input, e->collective, e->type, &row);
	if (!x || !na_collectives_push_time(&s->times, time_ps, row))
		return NA_ENOMEM;
	x->executions++;
	x->bytes += (na_i128)e->size_bytes;
	x->time_ps += time_ps;
	s->n_executions++;
	if (e->device == NA_UNKNOWN_U32)
		return NA_OK;
	m = member_of(s, row, e->device);
	return m && na_collectives_executes(m, 1) ? NA_OK : NA_ENOMEM;
}

static enum na_status coll_add_op(void *block, const struct na_op *op)
{
	struct coll_state *s = block;
	const struct na_devices *d = &s->scope->store->devices;
	const struct na_op_type *t = &d->types.items[op->type];
	uint32_t row;

	/* Beside it is what the rank does in it (na_comm). */
	if (d->cores[op->core].kind == NA_DEVICE_RANK)
		return NA_ASIDE;
	if (t->opcode == NA_OPCODE_OTHER || t->opcode == NA_OPCODE_CONTAINER)
		return NA_ASIDE;
	if (t->network != NA_NET_DCN)
		return na_add(&s->ops, op) ? NA_ASIDE : NA_ENOMEM;
	/* That a device takes part, though its host may not have told so. */
	if (t->collective == NA_UNKNOWN_U32 ||
	    !na_filter_on_core(s->scope->bound, op->core, op->start_ps,
			       op->end_ps) ||
	    !na_filter_collective(s->scope->filter,
				  na_strtab_at(&s->scope->store->names.strings,
					       t->collective)))
		return NA_ASIDE;
	if (!row_of(s, t->input, t->collective, t->transfer_type, &row) ||
	    !name_peer(s, row, d->cores[op->core].endpoint) ||
	    !count_op(s, row, op, t))
		return NA_ENOMEM;
	return NA_OK;
}

static enum na_status coll_add_module(void *block, const struct na_span *x)
{
	struct coll_state *s = block;

	return na_add(&s->modules, *x) ? NA_OK : NA_ENOMEM;
}

static enum na_status coll_add_comm(void *block, const struct na_comm *x)
{
	struct coll_state *s = block;

	return na_add(&s->comms, *x) ? NA_ASIDE : NA_ENOMEM;
}

static enum na_status coll_add_step(void *block, const struct na_span *x)
{
	struct coll_state *s = block;

	return x->device != NA_DEVICE_RANK || na_add(&s->rank_steps, *x)
		       ? NA_OK
		       : NA_ENOMEM;
}

static bool merge_device_ops(struct coll_state *s, const struct coll_state *b,
			     const uint32_t *device_of_block)
{
	for (size_t i = 0; i < b->device_ops.n; i++) {
		struct coll_device_op x = b->device_ops.v[i];

		x.device = device_of_block[x.device];
		if (!na_add(&s->device_ops, x))
			return false;
	}
	return true;
}

static bool merge_devices(struct coll_state *s, const struct coll_state *b,
			  const uint32_t *row_of_block)
{
	uint32_t *of = na_calloc(b->devices.n + 1, sizeof(*of));
	bool ok = of;

	for (size_t i = 0; ok && i < b->devices.n; i++) {
		const struct na_triple *k = &b->device_keys.keys[i];
		const struct coll_device *from = &b->devices.v[i];
		struct coll_device *to = device_of(s, row_of_block[k->a], k->b);

		ok = to;
		for (int j = 0; ok && j < 2; j++) {
			to->n[j] += from->n[j];
			to->sized[j] += from->sized[j];
			to->bytes[j] += from->bytes[j];
		}
		of[i] = ok ? (uint32_t)(to - s->devices.v) : 0;
	}
	ok = ok && merge_device_ops(s, b, of);
	free(of);
	return ok;
}

static bool merge_rows(struct coll_state *s, const struct coll_state *b,
		       uint32_t *row_of_block)
{
	for (size_t i = 0; i < b->sums.n; i++) {
		size_t before = s->kept.n;
		struct coll_kept *to = na_triples_at(&s->rows, &s->kept,
						     b->rows.keys[i]);

		if (!to)
			return false;
		if (s->kept.n > before)
			to->type = NA_UNKNOWN_U32;
		row_of_block[i] = (uint32_t)(to - s->kept.v);
		if (!na_collectives_keep(s, row_of_block[i], &b->sums.v[i]))
			return false;
	}
	for (size_t i = 0; i < b->members.n; i++) {
		const struct coll_member *from = &b->members.v[i];
		struct coll_member *to = member_of(s, row_of_block[from->row],
						   from->endpoint);

		if (!to || !na_collectives_executes(to, from->executions))
			return false;
		to->peer = to->peer || from->peer;
	}
	return merge_devices(s, b, row_of_block);
}

static bool merge_times(struct coll_times *to, const struct coll_times *from,
			const uint32_t *of)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct coll_time *x = &from->v[i];

		if (!na_collectives_push_time(to, x->time_ps, of[x->of]))
			return false;
	}
	return true;
}

static enum na_status coll_merge(void *state, void *block, unsigned pass)
{
	struct coll_state *s = state, *b = block;
	uint32_t *of = na_calloc(b->sums.n + 1, sizeof(*of));
	bool ok = of && merge_rows(s, b, of) &&
		  merge_times(&s->times, &b->times, of) &&
		  na_append(&s->reductions, b->reductions.v, b->reductions.n) &&
		  na_append(&s->ops, b->ops.v, b->ops.n) &&
		  na_append(&s->modules, b->modules.v, b->modules.n) &&
		  na_append(&s->comms, b->comms.v, b->comms.n) &&
		  na_append(&s->rank_steps, b->rank_steps.v, b->rank_steps.n);

	(void)pass;
	free(of);
	s->step_bytes += b->step_bytes;
	s->n_transfers += b->n_transfers;
	s->n_executions += b->n_executions;
	return ok ? NA_OK : NA_ENOMEM;
}

/* A block may have as many rows as it has records, and each has members. */
static size_t coll_weight(const void *state)
{
	enum { RECORDS = 1 << 17, ROW_BYTES = 160 };
	const struct coll_state *s = state;
	size_t names = s->scope->store->names.strings.n;

	return (names < RECORDS ? names : RECORDS) * ROW_BYTES;
}

static void coll_block_fini(void *block)
{
	struct coll_state *s = block;

	na_triples_fini(&s->rows);
	na_triples_fini(&s->device_keys);
	free(s->owned_steps);
	na_vec_free(&s->sums);
	na_vec_free(&s->kept);
	na_vec_free(&s->wide);
	na_collectives_members_fini(&s->members);
	na_vec_free(&s->devices);
	na_vec_free(&s->device_ops);
	na_vec_free(&s->times);
	na_vec_free(&s->reductions);
	na_vec_free(&s->ops);
	na_vec_free(&s->modules);
	na_vec_free(&s->comms);
	na_vec_free(&s->rank_steps);
}

static void coll_fini(void *state)
{
	struct coll_state *s = state;

	na_collectives_tell_free(s->tell);
	coll_block_fini(s);
}

static enum na_severity coll_severity(const void *state)
{
	const struct coll_state *s = state;

	return s->missing || s->slow_hosts ? NA_SEV_WARNING : NA_SEV_NONE;
}

const struct na_analysis na_an_collectives = {
	.info.name = "collectives",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "what communication is there: types, bytes, "
			 "executions, bandwidth",
	.info.details =
		"One line for each collective, most bytes first: over the "
		"data-center network (dcn), inside a slice (ici) and between "
		"GPUs (gpu: NCCL and RCCL kernels). An execution is one run "
		"on one device.\n"
		"Data-center network: times are those of the graph "
		"executions on the hosts, bytes their input. Older traces "
		"have transfers only: bytes are the received ones, and there "
		"are no times. Without records of the host, executions are "
		"the devices' own. A device is missing if its host is among "
		"the inputs, others send to it or receive from it, and it "
		"executes the collective never or less often; devices of "
		"hosts without files are counted separately.\n"
		"Inside a slice and between GPUs, executions are matched "
		"over the devices by program run or order, or by time if a "
		"trace begins earlier. The last device does not wait: the "
		"time of an execution is the shortest over its devices, the "
		"rest is waiting. netan latency --component kernel shows "
		"whole kernels. If a program has several groups, and all "
		"their devices are there, each group is an execution: "
		"consecutive devices, or every n-th, as their ends agree. "
		"Bytes are of the result's shape in the HLO (--hlo); "
		"bus_gbps weighs the rate as nccl-tests do.\n"
		"Between ranks of GPU jobs, one file for each, executions "
		"are joined by group, operation and sequence, or by ordinal "
		"from the first common step. Clock differences are estimated "
		"from the times at which ranks leave. executions lists each "
		"of them (--format csv --table executions).\n"
		"Reductions on hosts are slow if a host's median is over 1.3 "
		"times that of the others and over 4 robust deviations from "
		"it.",
	.info.example =
		"netan collectives logdir\n"
		"netan collectives logdir --by transfer_type\n"
		"netan collectives logdir --step 3-5 -o inventory.json\n"
		"netan collectives logdir --collective 'all-reduce.*' "
		"--format csv",
	.info.method = "bus bandwidth: nccl-tests",
	.many = true,
	.forgets = true,
	.weight = coll_weight,
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_MODULES | NA_WANT_OPS | NA_WANT_PROGRAMS |
		 NA_WANT_COMMS,
	.both_sides = true,
	.extra_components = NA_COMP_BIT(NA_COMP_COMPUTE),
	.begins = 7,
	.state_size = sizeof(struct coll_state),
	.passes = 1,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(GRAPHS) | NA_COUNTS(OPS) |
		  NA_COUNTS(COMMS),
	.open = coll_open,
	.fork = coll_fork,
	.add_transfer = coll_add,
	.add_graph = coll_add_graph,
	.add_action = coll_add_action,
	.add_op = coll_add_op,
	.add_module = coll_add_module,
	.add_step = coll_add_step,
	.add_comm = coll_add_comm,
	.merge = coll_merge,
	.finish = na_collectives_finish,
	.fini = coll_fini,
	.fini_block = coll_block_fini,
	.severity = coll_severity,
};
