/*
 * slack: which four ops are one execution.
 *
 * Executions of a collective that are not complete wait in a list, in order.
 * An op joins the first that still lacks it; of a -done whose operand is
 * known, the first whose send or recv that is.  A recv may come before its
 * send, never after its recv-done; a send-done may come after that.  A new run of a program ends all
 * lists: no execution reaches over it.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/slack/slack.h"
#include "netan/base/order.h"

struct list { /* of one collective: indices of occurrences, in order */
	uint32_t *v;
	size_t n, cap;
	size_t run; /* of the program, that they belong to */
};

struct walk {
	const struct sl_state *s;
	struct sl_core *c;
	const struct na_op_type *types;
	struct na_triples collectives;
	NA_VEC(struct list) lists;
	na_i128 spent_ps;      /* in all ops so far */
	NA_VEC(na_i128) spent; /* the same at the send of each occurrence */
	size_t run;
};

static struct list *list_of(struct walk *w, uint32_t collective)
{
	uint32_t at = na_triples_add(&w->collectives,
				     (struct na_triple){collective, 0, 0});
	struct list *l;

	if (at == NA_NO_TRIPLE || (at == w->lists.n && !na_push(&w->lists)))
		return NULL;
	l = &w->lists.v[at];
	if (l->run != w->run)
		l->n = 0;
	l->run = w->run;
	return l;
}

static void close_at(struct list *l, size_t i)
{
	memmove(l->v + i, l->v + i + 1, (l->n - i - 1) * sizeof(*l->v));
	l->n--;
}

static bool has(const struct sl_occ *o, enum sl_part part)
{
	return o->types[part] != NA_UNKNOWN_U32;
}

/* A new execution at the end of its list; NULL: no memory. */
static struct sl_occ *open_one(struct walk *w, struct list *l,
			       uint32_t collective)
{
	struct sl_core *c = w->c;
	struct sl_occ *o;

	if (l->n == SL_OPEN_MAX)
		close_at(l, 0);
	if (!na_add(l, (uint32_t)c->occs.n) || !na_add(&w->spent, 0))
		return NULL;
	o = na_push(&c->occs);
	if (!o)
		return NULL;
	memset(o->types, 0xff, sizeof(o->types));
	o->collective = collective;
	o->host_stall_ps = NA_UNKNOWN_PS;
	o->step = NA_UNKNOWN_U32;
	return o;
}

/* Where a -done says whose it is, its operand must be the execution's. */
static bool fits(const struct walk *w, const struct sl_occ *o,
		 const struct na_op_type *t, enum sl_part part)
{
	enum sl_part of = part == SL_SEND_DONE ? SL_SEND : SL_RECV;

	if ((part != SL_SEND_DONE && part != SL_RECV_DONE) ||
	    t->start_op == NA_UNKNOWN_U32 || !has(o, of))
		return true;
	return w->types[o->types[of]].name == t->start_op;
}

/* The first execution that lacks this op; l->n: none. */
static size_t find(const struct walk *w, const struct list *l,
		   const struct na_op_type *t, enum sl_part part)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct sl_occ *o = &w->c->occs.v[l->v[i]];

		if (!has(o, part) && fits(w, o, t, part) &&
		    (part != SL_SEND_DONE || has(o, SL_SEND)) &&
		    (part != SL_RECV || !has(o, SL_RECV_DONE)))
			return i;
	}
	return l->n;
}

static void put_op(struct walk *w, uint32_t at, const struct na_op *x,
		   enum sl_part part)
{
	struct sl_occ *o = &w->c->occs.v[at];

	o->types[part] = x->type;
	o->part_ps[part] = na_slack_duration(x);
	o->core = x->core;
	if (part == SL_SEND) {
		o->start_ps = o->end_ps = x->start_ps;
		w->spent.v[at] = w->spent_ps;
	} else if (part == SL_RECV && !has(o, SL_SEND)) {
		o->start_ps = o->end_ps = x->start_ps;
	} else if (part == SL_RECV_DONE) {
		o->done_ps = x->start_ps;
		o->end_ps = x->end_ps > x->start_ps ? x->end_ps : x->start_ps;
		o->slack_ps = na_slack_clamp((na_i128)x->start_ps -
					     o->start_ps -
					     (w->spent_ps - w->spent.v[at]));
	}
}

/* An op by itself. */
static void leave_op(const struct walk *w, const struct na_op *x,
		     enum sl_left why)
{
	w->c->left[why] += na_slack_meets(w->s, x->start_ps, x->end_ps);
}

/* False: no memory. */
static bool join_op(struct walk *w, const struct na_op *x)
{
	const struct na_op_type *t = &w->types[x->type];
	enum sl_part part = na_slack_part_of(t);
	struct list *l = list_of(w, t->collective);
	size_t i;

	if (!l)
		return false;
	i = find(w, l, t, part);
	if (i == l->n && (part == SL_SEND || part == SL_RECV)) {
		if (!open_one(w, l, t->collective))
			return false;
		i = l->n - 1;
	}
	if (i == l->n) {
		leave_op(w, x,
			 part == SL_RECV_DONE ? SL_DONE_FIRST : SL_STRAYS);
		return true;
	}
	if (part == SL_RECV_DONE && !has(&w->c->occs.v[l->v[i]], SL_SEND)) {
		/* The trace begins between its send and its recv. */
		leave_op(w, x, SL_DONE_FIRST);
		close_at(l, i);
		return true;
	}
	put_op(w, l->v[i], x, part);
	for (enum sl_part p = SL_SEND; p < SL_PARTS; p++) {
		if (!has(&w->c->occs.v[l->v[i]], p))
			return true;
	}
	close_at(l, i);
	return true;
}

/* The step on this device in which the recv-done began; its own steps tell
 * it, or else nobody. */
static uint32_t step_of(const struct sl_state *s, const struct sl_core *c,
			const struct sl_occ *o)
{
	size_t at = NA_BOUND(i, 0, c->n_steps,
			     c->steps[i].start_ps > o->done_ps);
	const struct na_span *x = at ? &c->steps[at - 1] : NULL;

	if (!x || o->done_ps >= x->end_ps || x->number < 0)
		return NA_UNKNOWN_U32;
	return na_slack_store_step(s->scope->store, x);
}

bool na_slack_wanted(const struct sl_state *s, const struct sl_core *c,
		     struct sl_occ *o)
{
	const struct na_store *store = s->scope->store;
	uint32_t input = store->devices.cores[o->core].input;
	const struct na_run_window w =
		na_filter_of_input(s->scope->filter, store, input);

	o->step = step_of(s, c, o);
	if (o->end_ps < w.from_ps || o->end_ps >= w.to_ps)
		return false;
	if (w.first_step < 0)
		return true;
	if (!c->n_steps)
		return na_filter_instant(s->scope->bound, input, o->end_ps);
	return o->step != NA_UNKNOWN_U32 &&
	       na_window_has_step(&w, store->steps[o->step].number);
}

bool na_slack_meets(const struct sl_state *s, int64_t start_ps, int64_t end_ps)
{
	const struct na_filter *f = s->scope->filter;
	const struct na_bound_filter *l = s->scope->bound;

	return end_ps >= f->from_ps && start_ps < f->to_ps &&
	       end_ps >= l->steps_from_ps && start_ps < l->steps_to_ps;
}

void na_slack_leave_out(const struct sl_state *s, struct sl_core *c,
			const struct sl_occ *o)
{
	c->left[na_slack_meets(s, o->start_ps, o->end_ps) ? SL_OUTSIDE
							  : SL_ELSEWHERE]++;
}

/* Complete ones alone, with what follows from their ops. */
static void settle(const struct sl_state *s, struct sl_core *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->occs.n; i++) {
		struct sl_occ *o = &c->occs.v[i];
		na_i128 stall = 0;

		if (!has(o, SL_SEND) || !has(o, SL_RECV_DONE)) {
			c->left[has(o, SL_SEND) ? SL_CUT : SL_STRAYS] +=
				na_slack_meets(s, o->start_ps, o->end_ps);
			continue;
		}
		if (!na_slack_wanted(s, c, o)) {
			na_slack_leave_out(s, c, o);
			continue;
		}
		for (int p = 0; p < SL_PARTS; p++)
			stall += o->part_ps[p];
		o->stall_ps = na_slack_clamp(stall);
		o->observed_ps = na_slack_minus(o->end_ps, o->start_ps);
		o->wire_ps = o->observed_ps;
		c->left[SL_NEGATIVE] += o->slack_ps < 0;
		c->occs.v[n++] = *o;
	}
	c->occs.n = n;
}

bool na_slack_walk(const struct sl_state *s, struct sl_core *c)
{
	struct walk w = {.s = s,
			 .c = c,
			 .types = s->scope->store->devices.types.items};
	bool ok = true;

	for (size_t i = 0; ok && i < c->n_ops; i++) {
		while (w.run < c->n_modules &&
		       c->modules[w.run].start_ps <= c->ops[i].start_ps)
			w.run++;
		if (w.types[c->ops[i].type].collective == NA_UNKNOWN_U32) {
			leave_op(&w, &c->ops[i], SL_NO_COLLECTIVE);
			continue;
		}
		ok = join_op(&w, &c->ops[i]);
		w.spent_ps += na_slack_duration(&c->ops[i]);
	}
	for (size_t i = 0; i < w.lists.n; i++)
		na_vec_free(&w.lists.v[i]);
	na_vec_free(&w.lists);
	na_vec_free(&w.spent);
	na_triples_fini(&w.collectives);
	if (ok)
		settle(s, c);
	return ok;
}
