/*
 * collectives: what communication is there.  Over the data-center network
 * from graph executions, transfers and device ops; inside a slice and
 * between GPUs from device ops, whose executions are matched over the
 * devices (match.c).
 */
#include "netan/analyses/collectives/collectives.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

static enum na_status co_open(void *state, const struct na_scope *scope,
			      const void *params, struct na_err *err)
{
	struct co_state *s = state;

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
	return NA_OK;
}

static enum na_status co_fork(void *block, const void *state, unsigned pass)
{
	const struct co_state *from = state;

	(void)pass;
	*(struct co_state *)block = (struct co_state){.scope = from->scope,
						      .by_type = from->by_type,
						      .steps = from->steps};
	return NA_OK;
}

static struct co_sums *sums_of(struct co_state *s, struct na_triple key,
			       uint32_t *row)
{
	*row = na_triples_add(&s->rows, key);
	if (*row == NA_NO_TRIPLE ||
	    !na_grow(&s->sums, &s->cap_sums, (size_t)*row + 1,
		     sizeof(*s->sums)))
		return NULL;
	for (; s->n_sums <= *row; s->n_sums++)
		s->sums[s->n_sums] = (struct co_sums){.type = NA_UNKNOWN_U32};
	return &s->sums[*row];
}

/* The row of a collective; its type is that of its executions where the
 * record itself has none. */
static struct co_sums *row_of(struct co_state *s, uint16_t input,
			      uint32_t collective, uint32_t type, uint32_t *row)
{
	const struct na_store *store = s->scope->store;
	struct co_sums *x;

	if (type == NA_UNKNOWN_U32 && collective < store->n_type_of)
		type = store->type_of[collective];
	x = sums_of(s,
		    (struct na_triple){store->sources[input].run,
				       s->by_type ? type : collective, 0},
		    row);
	if (x && x->type == NA_UNKNOWN_U32)
		x->type = type;
	return x;
}

static struct co_member *member_of(struct co_state *s, uint32_t row,
				   uint32_t endpoint)
{
	uint32_t i = na_triples_add(&s->member_keys,
				    (struct na_triple){row, endpoint, 0});

	if (i == NA_NO_TRIPLE || !na_grow(&s->members, &s->cap_members,
					  (size_t)i + 1, sizeof(*s->members)))
		return NULL;
	for (; s->n_members <= i; s->n_members++)
		s->members[s->n_members] = (struct co_member){.executions = 0};
	return &s->members[i];
}

static struct co_device *device_of(struct co_state *s, uint32_t row,
				   uint32_t core)
{
	uint32_t i = na_triples_add(&s->device_keys,
				    (struct na_triple){row, core, 0});

	if (i == NA_NO_TRIPLE || !na_grow(&s->devices, &s->cap_devices,
					  (size_t)i + 1, sizeof(*s->devices)))
		return NULL;
	for (; s->n_devices <= i; s->n_devices++)
		s->devices[s->n_devices] = (struct co_device){.n = {0}};
	return &s->devices[i];
}

/* Of sends what is sent, of recv-dones what came. */
static bool count_op(struct co_state *s, uint32_t row, const struct na_op *op,
		     const struct na_op_type *t)
{
	int k = t->opcode == NA_OPCODE_RECV;
	struct co_device *d;

	if ((t->opcode != NA_OPCODE_SEND && t->opcode != NA_OPCODE_RECV) ||
	    t->phase != (k ? NA_OP_DONE : NA_OP_START))
		return true;
	d = device_of(s, row, op->core);
	if (!d)
		return false;
	d->n[k]++;
	if (t->size_bytes == NA_UNKNOWN_U64)
		return true;
	d->sized[k]++;
	d->bytes[k] += (na_i128)t->size_bytes;
	return true;
}

bool co_push_time(struct co_times *v, int64_t time_ps, uint32_t of)
{
	if (!na_grow(&v->items, &v->cap, v->n + 1, sizeof(*v->items)))
		return false;
	v->items[v->n++] = (struct co_time){.time_ps = time_ps, .of = of};
	return true;
}

static bool name_peer(struct co_state *s, uint32_t row, uint32_t endpoint)
{
	struct co_member *m;

	if (endpoint == NA_UNKNOWN_U32)
		return true;
	m = member_of(s, row, endpoint);
	if (m)
		m->peer = true;
	return m;
}

static enum na_status co_add(void *block, const struct na_transfer *t)
{
	struct co_state *s = block;
	const struct na_whole_steps *steps =
		&s->steps[s->scope->store->sources[t->input].run];
	struct co_sums *x;
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

static enum na_status co_add_action(void *block, const struct na_exec *e)
{
	struct co_state *s = block;

	/* An old event tells that a reduction is done, not how long it took. */
	if (e->kind != NA_ACT_COMPUTE || e->style == NA_STYLE_MESSAGE)
		return NA_OK;
	return co_push_time(&s->reductions,
			    na_time_between(e->start_ps, e->end_ps), e->input)
		       ? NA_OK
		       : NA_ENOMEM;
}

static enum na_status co_add_graph(void *block, const struct na_exec *e)
{
	struct co_state *s = block;
	int64_t time_ps = na_time_between(e->start_ps, e->end_ps);
	struct co_member *m;
	struct co_sums *x;
	uint32_t row;

	x = row_of(s, e->input, e->collective, e->type, &row);
	if (!x || !co_push_time(&s->times, time_ps, row))
		return NA_ENOMEM;
	x->executions++;
	x->bytes += (na_i128)e->size_bytes;
	x->time_ps += time_ps;
	s->n_executions++;
	if (e->device == NA_UNKNOWN_U32)
		return NA_OK;
	m = member_of(s, row, e->device);
	if (!m)
		return NA_ENOMEM;
	m->executions++;
	return NA_OK;
}

static enum na_status co_add_op(void *block, const struct na_op *op)
{
	struct co_state *s = block;
	const struct na_devices *d = &s->scope->store->devices;
	const struct na_op_type *t = &d->types.items[op->type];
	uint32_t row;

	if (t->opcode == NA_OPCODE_OTHER || t->opcode == NA_OPCODE_CONTAINER)
		return NA_ASIDE;
	if (t->network != NA_NET_DCN) {
		if (!na_grow(&s->ops.items, &s->ops.cap, s->ops.n + 1,
			     sizeof(*op)))
			return NA_ENOMEM;
		s->ops.items[s->ops.n++] = *op;
		return NA_ASIDE;
	}
	/* That a device takes part, though its host may not have told so. */
	if (t->collective == NA_UNKNOWN_U32 ||
	    (s->scope->bound &&
	     !na_filter_instant(s->scope->bound, op->end_ps)) ||
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

static enum na_status co_add_module(void *block, const struct na_span *x)
{
	struct co_spans *v = &((struct co_state *)block)->modules;

	if (!na_grow(&v->items, &v->cap, v->n + 1, sizeof(*x)))
		return NA_ENOMEM;
	v->items[v->n++] = *x;
	return NA_OK;
}

static bool merge_devices(struct co_state *s, const struct co_state *b,
			  const uint32_t *row_of_block)
{
	for (size_t i = 0; i < b->n_devices; i++) {
		const struct na_triple *k = &b->device_keys.keys[i];
		const struct co_device *from = &b->devices[i];
		struct co_device *to = device_of(s, row_of_block[k->a], k->b);

		if (!to)
			return false;
		for (int j = 0; j < 2; j++) {
			to->n[j] += from->n[j];
			to->sized[j] += from->sized[j];
			to->bytes[j] += from->bytes[j];
		}
	}
	return true;
}

static bool merge_rows(struct co_state *s, const struct co_state *b,
		       uint32_t *row_of_block)
{
	for (size_t i = 0; i < b->n_sums; i++) {
		const struct co_sums *from = &b->sums[i];
		struct co_sums *to = sums_of(s, b->rows.keys[i],
					     &row_of_block[i]);

		if (!to)
			return false;
		to->executions += from->executions;
		to->bytes += from->bytes;
		to->time_ps += from->time_ps;
		for (int k = 0; k < 2; k++) {
			to->transfers[k] += from->transfers[k];
			to->moved[k] += from->moved[k];
		}
		if (to->type == NA_UNKNOWN_U32)
			to->type = from->type;
	}
	for (size_t i = 0; i < b->n_members; i++) {
		const struct na_triple *k = &b->member_keys.keys[i];
		struct co_member *to = member_of(s, row_of_block[k->a], k->b);

		if (!to)
			return false;
		to->executions += b->members[i].executions;
		to->peer = to->peer || b->members[i].peer;
	}
	return merge_devices(s, b, row_of_block);
}

static bool merge_times(struct co_times *to, const struct co_times *from,
			const uint32_t *of)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct co_time *x = &from->items[i];

		if (!co_push_time(to, x->time_ps, of ? of[x->of] : x->of))
			return false;
	}
	return true;
}

static bool append(void *items, size_t *n, size_t *cap, const void *from,
		   size_t n_from, size_t size)
{
	unsigned char *base;

	if (!n_from)
		return true;
	if (!na_grow(items, cap, *n + n_from, size))
		return false;
	memcpy(&base, items, sizeof(base));
	memcpy(base + *n * size, from, n_from * size);
	*n += n_from;
	return true;
}

static enum na_status co_merge(void *state, void *block, unsigned pass)
{
	struct co_state *s = state, *b = block;
	uint32_t *of = na_calloc(b->n_sums + 1, sizeof(*of));
	bool ok = of && merge_rows(s, b, of) &&
		  merge_times(&s->times, &b->times, of) &&
		  merge_times(&s->reductions, &b->reductions, NULL) &&
		  append(&s->ops.items, &s->ops.n, &s->ops.cap, b->ops.items,
			 b->ops.n, sizeof(struct na_op)) &&
		  append(&s->modules.items, &s->modules.n, &s->modules.cap,
			 b->modules.items, b->modules.n,
			 sizeof(struct na_span));

	(void)pass;
	free(of);
	s->step_bytes += b->step_bytes;
	s->n_transfers += b->n_transfers;
	s->n_executions += b->n_executions;
	return ok ? NA_OK : NA_ENOMEM;
}

static enum na_status co_turn(void *state, unsigned done, struct na_err *err)
{
	(void)state;
	(void)done;
	(void)err;
	return NA_END;
}

static void co_fini(void *state)
{
	struct co_state *s = state;

	na_triples_fini(&s->device_keys);
	free(s->devices);
	na_triples_fini(&s->rows);
	na_triples_fini(&s->member_keys);
	free(s->owned_steps);
	free(s->sums);
	free(s->members);
	free(s->times.items);
	free(s->reductions.items);
	free(s->ops.items);
	free(s->modules.items);
}

static enum na_severity co_severity(const void *state)
{
	const struct co_state *s = state;

	return s->missing || s->slow_hosts ? NA_SEV_WARNING : NA_SEV_NONE;
}

const struct na_analysis na_an_collectives = {
	.face.name = "collectives",
	.face.usage = "[OPTION…] INPUT…",
	.face.question = "what communication is there: types, participants, "
			 "bytes, executions, bandwidth",
	.face.details =
		"One line for each collective, most bytes first: over the "
		"data-center network (dcn), inside a slice (ici) and between "
		"GPUs (gpu: NCCL and RCCL kernels).  An execution is one run "
		"on one device.\n"
		"Data-center network: the times are those of the graph "
		"executions on the hosts, bytes their input.  Older traces "
		"tell transfers alone: bytes are what was received, and there "
		"are no times; there, and where the host tells nothing, "
		"executions are the devices' own, and bytes, if nothing else "
		"tells them, what they send.  Who others send to or receive from, whose "
		"host is among the inputs, and who executes the collective "
		"never or less often than others, is missing; devices of "
		"hosts whose files are not there are counted apart.\n"
		"Inside a slice and between GPUs, executions are matched over "
		"the devices by program run or order, or by time where a "
		"trace of one device begins earlier. Who comes last does not "
		"wait: the time of an execution is the shortest over its "
		"devices, what others take longer is waiting for them. netan "
		"latency --component kernel shows whole kernels, waiting "
		"included. Where the program has several groups, and all "
		"their devices are there, each group is an execution of its "
		"own: devices that follow one another, or every n-th, as "
		"their ends agree. Bytes are of the result's shape in the "
		"HLO (--hlo); bus_gbps weighs the rate as nccl-tests do.\n"
		"Reductions on hosts are slow where a host's median is over "
		"1.3 times that of the others and over 4 robust deviations "
		"from it.",
	.face.example =
		"netan collectives logdir\n"
		"netan collectives logdir --by transfer_type\n"
		"netan collectives logdir --step 3-5 -o inventory.json\n"
		"netan collectives logdir --collective 'all-reduce.*' "
		"--format csv",
	.face.method = "bus bandwidth: nccl-tests",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_MODULES | NA_WANT_OPS | NA_WANT_PROGRAMS,
	.both_sides = true,
	.besides = NA_COMP_BIT(NA_COMP_COMPUTE),
	.begins = 7,
	.state_size = sizeof(struct co_state),
	.passes = 1,
	.counts = NA_COUNTS(TRANSFERS) | NA_COUNTS(GRAPHS) | NA_COUNTS(OPS),
	.open = co_open,
	.fork = co_fork,
	.add_transfer = co_add,
	.add_graph = co_add_graph,
	.add_action = co_add_action,
	.add_op = co_add_op,
	.add_module = co_add_module,
	.merge = co_merge,
	.turn = co_turn,
	.finish = co_finish,
	.fini = co_fini,
	.severity = co_severity,
};
