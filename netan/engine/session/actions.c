/*
 * The actions of a few executions, with the transfers that the same events
 * tell.  Traces are read again on all cores; what is handed on comes in
 * input order, whatever thread read it.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/engine/blocks.h"
#include "netan/engine/mpi/mpi.h"
#include "netan/engine/session/reread.h"

struct asking {
	struct na_session *s, again; /* again: the traces, opened anew */
	struct na_reopened files;    /* of those that others have read */
	uint32_t *input_of;          /* of s, by input of `again` */
	const struct na_execution *of;
	size_t n;
	bool *names; /* of s: an asked collective */
	na_each_action each;
	void *arg;
	bool over;
};

struct found {
	struct na_action action;
	size_t first, n; /* transfers */
};

struct piece { /* what one block holds */
	const struct asking *q;
	uint32_t input;
	struct na_arena texts;
	struct found *found;
	size_t n, cap;
	struct na_transfer *transfers;
	size_t n_transfers, cap_transfers;
	size_t waiting; /* transfers from here on have no action yet */
};

static bool named(const struct piece *p, uint32_t collective)
{
	const struct asking *q = p->q;

	return collective < q->s->store.names.strings.n && q->names[collective];
}

static bool looks_at(void *ctx, uint32_t collective)
{
	return named(ctx, collective);
}

static bool asked(const struct piece *p, uint32_t collective, int64_t start_ps,
		  int64_t end_ps)
{
	const struct asking *q = p->q;
	uint32_t run = q->s->store.sources[p->input].run;

	if (!named(p, collective))
		return false;
	for (size_t i = 0; i < q->n; i++) {
		const struct na_execution *x = &q->of[i];

		if (x->collective == collective && x->run == run &&
		    start_ps <= x->to_ps && end_ps >= x->from_ps)
			return true;
	}
	return false;
}

static bool looks_within(void *ctx, uint32_t collective, int64_t from_ps,
			 int64_t to_ps)
{
	return asked(ctx, collective, from_ps, to_ps);
}

/* Where a trace holds both generations, they tell the same. */
static bool counts(const struct piece *p, enum na_style style)
{
	return style == na_store_style(&p->q->s->store, p->input);
}

static bool copy_text(struct piece *p, struct na_text *t)
{
	const char *s = t->n ? na_arena_strn(&p->texts, t->s, t->n) : "";

	t->s = s;
	return s;
}

static enum na_status keep_action(struct piece *p, const struct na_action *a,
				  size_t first, size_t n)
{
	struct found *f;

	if (!na_grow(&p->found, &p->cap, p->n + 1, sizeof(*p->found)))
		return NA_ENOMEM;
	f = &p->found[p->n];
	*f = (struct found){*a, first, n};
	if (!copy_text(p, &f->action.name) ||
	    !copy_text(p, &f->action.inputs) ||
	    !copy_text(p, &f->action.operation) ||
	    !copy_text(p, &f->action.action_type) ||
	    !copy_text(p, &f->action.hlo_module))
		return NA_ENOMEM;
	p->n++;
	return NA_OK;
}

static bool push_transfer(struct piece *p, const struct na_transfer *t)
{
	if (!na_grow(&p->transfers, &p->cap_transfers, p->n_transfers + 1,
		     sizeof(*p->transfers)))
		return false;
	p->transfers[p->n_transfers] = *t;
	p->transfers[p->n_transfers++].input = p->input;
	return true;
}

/* An old message is its own action, at its receiver or sender. */
static enum na_status keep_message(struct piece *p, const struct na_transfer *t)
{
	struct na_transfer x = *t;
	struct na_action a = {
		.kind = t->side == NA_TX ? NA_ACT_SEND : NA_ACT_RECEIVE,
		.style = NA_STYLE_MESSAGE,
		.size_bytes = t->size_bytes,
		.device = t->side == NA_TX ? t->src : t->dst,
		.collective = t->collective,
		.type = t->type,
		.launch = t->launch,
		.iteration = t->iteration,
		.local_device_id = -1,
		.num_actions = -1,
		.action_index = -1,
		.chunk = t->chunk,
		.level = -1,
		.send_channel_id = -1,
		.recv_channel_id = -1,
		.run_id = -1,
		.slack_us = NA_UNKNOWN_PS,
		.transmission_budget_us = NA_UNKNOWN_PS,
		.delay_budget_us = NA_UNKNOWN_PS,
		.activation_to_receive_us = NA_UNKNOWN_PS,
	};

	if (p->q->s->store.anchor == NA_ANCHOR_START) {
		int64_t latency = na_time_between(t->start_ps, t->end_ps);

		x.start_ps = t->end_ps;
		if (!na_add_i64(x.start_ps, latency, &x.end_ps))
			return NA_OK;
	}
	a.start_ps = x.start_ps;
	a.end_ps = x.end_ps;
	p->n_transfers = p->waiting;
	if (!asked(p, x.collective, x.start_ps, x.end_ps))
		return NA_OK;
	if (!push_transfer(p, &x))
		return NA_ENOMEM;
	p->waiting = p->n_transfers;
	return keep_action(p, &a, p->n_transfers - 1, 1);
}

/* Of one event: the same end, and what its key says. */
static bool same_event(const struct na_transfer *a, const struct na_transfer *b)
{
	return a->end_ps == b->end_ps && a->side == b->side &&
	       a->collective == b->collective && a->launch == b->launch &&
	       a->iteration == b->iteration;
}

static enum na_status on_transfer(void *ctx, const struct na_transfer *t)
{
	struct piece *p = ctx;

	if (!counts(p, (enum na_style)t->style))
		return NA_OK;
	if (t->style == NA_STYLE_MESSAGE)
		return keep_message(p, t);
	if (!named(p, t->collective))
		return NA_OK;
	if (p->n_transfers > p->waiting &&
	    !same_event(&p->transfers[p->waiting], t))
		p->n_transfers = p->waiting;
	return push_transfer(p, t) ? NA_OK : NA_ENOMEM;
}

static bool moves(const struct na_action *a, const struct na_transfer *t)
{
	return a->kind == (t->side == NA_TX ? NA_ACT_SEND : NA_ACT_RECEIVE) &&
	       a->end_ps == t->end_ps && a->collective == t->collective &&
	       a->launch == t->launch && a->iteration == t->iteration;
}

static enum na_status on_action(void *ctx, const struct na_action *a)
{
	struct piece *p = ctx;
	size_t first = p->waiting, n = p->n_transfers - p->waiting;

	if (!counts(p, a->style))
		return NA_OK;
	if (n && !moves(a, &p->transfers[first]))
		n = 0;
	if (!asked(p, a->collective, a->start_ps, a->end_ps)) {
		p->n_transfers = p->waiting;
		return NA_OK;
	}
	p->n_transfers = first + n;
	p->waiting = p->n_transfers;
	return keep_action(p, a, first, n);
}

/* Names and endpoints are those that the first reading has met. */
static uint32_t known_name(void *ctx, const char *s, size_t n)
{
	const struct piece *p = ctx;

	return na_strtab_find(&p->q->s->store.names.strings, s, n);
}

static uint32_t known_endpoint(void *ctx, int32_t slice, int32_t device)
{
	const struct piece *p = ctx;

	return na_names_find(&p->q->s->store.names, slice, device);
}

static void read_piece(void *ctx, void *part, size_t input,
		       const struct na_block *b, struct na_turn *turn,
		       struct na_err *err)
{
	const struct asking *q = ctx;
	const struct na_input *in = &q->again.inputs[input];
	struct na_sink sink = na_ignoring_sink(part);
	struct piece *p = part;

	(void)turn;
	p->q = q;
	p->input = q->input_of[input];
	sink.transfer = on_transfer;
	sink.action = on_action;
	sink.name = known_name;
	sink.endpoint = known_endpoint;
	sink.looks_at = looks_at;
	sink.looks_within = looks_within;
	if (in->reader->read(in, b, &sink, err) != NA_OK)
		na_fail_nomem(err); /* unless the reader said more */
}

static void take_piece(void *ctx, void *part, size_t input, struct na_err *err)
{
	struct asking *q = ctx;
	const struct piece *p = part;

	(void)input;
	for (size_t i = 0; i < p->n && !q->over; i++) {
		const struct found *f = &p->found[i];
		const struct na_transfer *of = f->n ? p->transfers + f->first
						    : NULL;
		const struct na_replay x = {p->input, &f->action, of, f->n};
		enum na_status st = q->each(q->arg, &x);

		q->over = st != NA_OK;
		if (st != NA_OK && st != NA_END)
			na_fail_nomem(err);
	}
}

static void end_piece(void *part)
{
	struct piece *p = part;

	na_arena_fini(&p->texts);
	free(p->found);
	free(p->transfers);
}

static bool wanted_run(const struct asking *q, uint32_t run)
{
	for (size_t i = 0; i < q->n; i++) {
		if (q->of[i].run == run)
			return true;
	}
	return false;
}

static enum na_status open_trace(struct asking *q, struct na_input *to,
				 const struct na_input *in, uint32_t wants,
				 struct na_err *err)
{
	return in->away ? na_reread_away(&q->files, to, in, &q->s->asks, wants,
					 err)
			: na_reread_open(to, in, wants, NA_UNKNOWN_U32, err);
}

static void close_traces(struct asking *q)
{
	while (q->again.n_inputs) /* borrowers first */
		na_input_close(&q->again.inputs[--q->again.n_inputs]);
	na_reopened_close(&q->files);
}

/* Where others have read the traces, this process may not see them.  Some of
 * the actions would tell of a cause that may be in the others: none is better.
 */
static enum na_status not_here(struct asking *q, struct na_err *err)
{
	struct na_mpi *t = q->s->request->mpi;

	pthread_mutex_lock(&t->asking);
	if (!t->told_away)
		na_say_warning(q->s->request,
			       "why the slowest executions were late is left "
			       "out: it is looked up in the traces, and not "
			       "all of these are here (%s)",
			       err->text);
	t->told_away = true;
	pthread_mutex_unlock(&t->asking);
	close_traces(q);
	*err = (struct na_err){.status = NA_OK};
	return NA_END;
}

/* Traces tell actions, and transfer files; a capture does not. */
static enum na_status open_traces(struct asking *q, size_t from, size_t to,
				  struct na_err *err)
{
	const uint32_t wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS |
			       NA_WANT_ACTIONS;
	struct na_session *s = q->s;

	for (size_t i = from; i < to; i++) {
		const struct na_input *in = &s->inputs[i];
		enum na_status st;

		if (!wanted_run(q, s->store.sources[i].run) ||
		    in->reader->packets)
			continue;
		q->input_of[q->again.n_inputs] = (uint32_t)i;
		st = open_trace(q, &q->again.inputs[q->again.n_inputs], in,
				wants, err);
		if (st != NA_OK)
			return st;
		q->again.n_inputs++;
	}
	return NA_OK;
}

static bool mark_names(struct asking *q)
{
	size_t names = q->s->store.names.strings.n;

	q->names = na_calloc(names, sizeof(*q->names));
	for (size_t i = 0; q->names && i < q->n; i++) {
		if (q->of[i].collective < names)
			q->names[q->of[i].collective] = true;
	}
	return q->names;
}

enum na_status na_session_actions(struct na_session *s,
				  const struct na_execution *of, size_t n,
				  na_each_action each, void *arg,
				  struct na_err *err)
{
	return na_mpi_actions(s, of, n, each, arg, err);
}

enum na_status na_range_actions(struct na_session *s, size_t from, size_t to,
				const struct na_execution *of, size_t n,
				na_each_action each, void *arg,
				struct na_err *err)
{
	struct asking q = {.s = s,
			   .again = *s,
			   .of = of,
			   .n = n,
			   .each = each,
			   .arg = arg};
	struct na_block_work work = {
		.part_size = sizeof(struct piece),
		.read = read_piece,
		.take = take_piece,
		.fini = end_piece,
		.ctx = &q,
	};
	enum na_status st = NA_OK;

	q.again.n_inputs = 0;
	q.again.inputs = na_calloc(to - from, sizeof(*q.again.inputs));
	q.input_of = na_calloc(to - from, sizeof(*q.input_of));
	q.files.v = na_calloc(to - from, sizeof(*q.files.v));
	if (!q.again.inputs || !q.input_of || !q.files.v || !mark_names(&q))
		st = na_fail_nomem(err);
	if (st == NA_OK)
		st = open_traces(&q, from, to, err);
	if (st == NA_EIO && s->request->mpi && s->request->mpi->world->files)
		st = not_here(&q, err);
	work.to = q.again.n_inputs;
	if (st == NA_OK && q.again.n_inputs)
		st = na_read_blocks(&q.again, &work, err);
	s->interrupted |= q.again.interrupted;
	close_traces(&q);
	free(q.files.v);
	free(q.again.inputs);
	free(q.input_of);
	free(q.names);
	return st;
}
