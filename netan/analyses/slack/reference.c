/*
 * slack --reference: as XProf's Megascale stats count (docs/methods.md,
 * "XProf's numbers, and where netan differs").  One state for each collective,
 * set anew by each send; ops inside a program run alone; times cut to ns, each
 * execution's to us.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/slack/slack.h"
#include "netan/base/vec.h"

struct one { /* the state of a collective */
	bool sent;
	int64_t start_ns;
	na_i128 spent_ns, stall_ns;
	struct sl_occ o;
};

struct walk {
	struct sl_core *c;
	const struct na_op_type *types;
	struct na_triples collectives;
	NA_VEC(struct one) all;
	int64_t zero_ns; /* 0 to 999: where microseconds begin */
	na_i128 spent_ns;
};

static int64_t floor_of(int64_t x, int64_t by)
{
	return x / by - (x % by < 0);
}

static struct one *one_of(struct walk *w, uint32_t collective)
{
	uint32_t at = na_triples_add(&w->collectives,
				     (struct na_triple){collective, 0, 0});

	if (at == NA_NO_TRIPLE)
		return NULL;
	if (at == w->all.n) {
		struct one *x = na_push(&w->all);

		if (!x)
			return NULL;
		memset(x->o.types, 0xff, sizeof(x->o.types));
		x->o.collective = collective;
	}
	return &w->all.v[at];
}

/* A time as its microsecond, in ps. */
static int64_t cut(const struct walk *w, int64_t ns)
{
	return na_slack_clamp((na_i128)floor_of(ns + w->zero_ns, NA_NS_PER_US) *
			      NA_PS_PER_US);
}

static bool put_occurrence(const struct sl_state *s, struct walk *w,
			   const struct one *x, const struct na_op *done)
{
	struct sl_core *c = w->c;
	int64_t done_ns = floor_of(done->start_ps, NA_PS_PER_NS);
	int64_t end_ns = done_ns + na_slack_duration(done) / NA_PS_PER_NS;
	na_i128 slack_ns = (na_i128)done_ns - x->start_ns -
			   (w->spent_ns - x->spent_ns);
	struct sl_occ o = x->o;

	o.end_ps = done->end_ps > done->start_ps ? done->end_ps
						 : done->start_ps;
	o.done_ps = done->start_ps;
	o.core = done->core;
	o.host_stall_ps = NA_UNKNOWN_PS;
	o.slack_ps = na_slack_clamp(slack_ns / NA_NS_PER_US * NA_PS_PER_US);
	o.observed_ps = na_slack_minus(cut(w, end_ns), cut(w, x->start_ns));
	o.wire_ps = o.observed_ps;
	o.stall_ps = na_slack_clamp(x->stall_ns / NA_NS_PER_US * NA_PS_PER_US);
	if (!na_slack_wanted(s, c, &o)) {
		na_slack_leave_out(s, c, &o);
		return true;
	}
	c->left[SL_NEGATIVE] += o.slack_ps < 0;
	return na_add(&c->occs, o);
}

static bool count_op(const struct sl_state *s, struct walk *w,
		     const struct na_op *x)
{
	const struct na_op_type *t = &w->types[x->type];
	enum sl_part part = na_slack_part_of(t);
	struct one *at = one_of(w, t->collective);
	int64_t ns = na_slack_duration(x) / NA_PS_PER_NS;
	bool ok = at;

	if (!ok)
		return false;
	at->stall_ns += ns;
	at->o.types[part] = x->type;
	at->o.part_ps[part] = na_slack_duration(x) / NA_PS_PER_US *
			      NA_PS_PER_US;
	if (part == SL_SEND) {
		at->sent = true;
		at->start_ns = floor_of(x->start_ps, NA_PS_PER_NS);
		at->o.start_ps = x->start_ps;
		at->spent_ns = w->spent_ns;
		at->stall_ns = ns;
	} else if (part == SL_RECV_DONE) {
		w->c->left[SL_DONE_FIRST] +=
			!at->sent &&
			na_slack_meets(s, x->start_ps, x->end_ps);
		ok = !at->sent || put_occurrence(s, w, at, x);
	}
	w->spent_ns += ns;
	return ok;
}

/* Wholly inside a run of a program. */
static bool in_module(const struct sl_core *c, size_t *run,
		      const struct na_op *x)
{
	while (*run < c->n_modules && c->modules[*run].start_ps <= x->start_ps)
		++*run;
	return *run && c->modules[*run - 1].end_ps >= x->end_ps;
}

bool na_slack_walk_reference(const struct sl_state *s, struct sl_core *c)
{
	const struct na_devices *v = &s->scope->store->devices;
	struct walk w = {.c = c, .types = v->types.items};
	bool ok = true;
	size_t run = 0;

	if (c->n_ops && s->scope->zero_ns) {
		w.zero_ns = s->scope->zero_ns[v->cores[c->ops[0].core].input] %
			    NA_NS_PER_US;
		w.zero_ns += w.zero_ns < 0 ? NA_NS_PER_US : 0;
	}
	for (size_t i = 0; ok && i < c->n_ops; i++) {
		const struct na_op *x = &c->ops[i];
		bool meets = na_slack_meets(s, x->start_ps, x->end_ps);

		if (!in_module(c, &run, x))
			c->left[SL_OUTSIDE_MODULES] += meets;
		else if (w.types[x->type].collective == NA_UNKNOWN_U32)
			c->left[SL_NO_COLLECTIVE] += meets;
		else
			ok = count_op(s, &w, x);
	}
	na_vec_free(&w.all);
	na_triples_fini(&w.collectives);
	return ok;
}
