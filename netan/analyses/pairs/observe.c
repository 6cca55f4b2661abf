/*
 * pairs: one run's transfers as observations for the judge.
 *
 * Sends, where those of nearly all transfers are here and end with their
 * acknowledgement: their own host's clock times each, and no wait for a late
 * receiver is in them.  Otherwise receives, whose two stamps are of two clocks;
 * of captures and of ranks whose both sides are joined, of one.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/evidence/evidence.h"
#include "netan/stats/tests/robust.h"
#include "netan/stats/tests/tests.h"

/* Of the receives: so many sends are here, or some hosts' files are not. */
#define COMPLETE 0.8
/* Of what receivers say it took: below, a send ends when its bytes are
 * handed over, not when they are acknowledged. */
#define ACKNOWLEDGED 0.6

bool na_pairs_of_sends(const struct pairs_state *s)
{
	return s->scope->filter->side == NA_TX;
}

enum na_status na_pairs_send_keep(struct pairs_state *block,
				  const struct na_transfer *t)
{
	bool timed = t->klass == NA_VALID && t->start_ps < t->end_ps;
	struct pairs_send *x;

	if (t->style >= NA_STYLE_CAPTURE)
		return NA_ASIDE;
	block->left.all++;
	block->left.no_time += !timed;
	block->left.no_step += timed && t->step == NA_UNKNOWN_U32;
	if (!timed || t->step == NA_UNKNOWN_U32)
		return NA_ASIDE;
	x = na_push(&block->sends);
	if (!x)
		return NA_ENOMEM;
	*x = (struct pairs_send){
		.start_ps = t->start_ps,
		.took_ps = t->end_ps - t->start_ps,
		.size_bytes = (float)t->size_bytes,
		.src = t->src,
		.dst = t->dst,
		.collective = t->collective,
		.iteration = t->iteration,
		.step = t->step,
		.input = t->input,
	};
	return NA_ASIDE;
}

enum na_status na_pairs_sends_merge(struct pairs_state *s,
				    struct pairs_state *b)
{
	bool ok = na_append(&s->sends, b->sends.v, b->sends.n);

	na_vec_free(&b->sends);
	s->left.all += b->left.all;
	s->left.no_step += b->left.no_step;
	s->left.no_time += b->left.no_time;
	return ok ? NA_OK : NA_ENOMEM;
}

/* ---- hosts as the judge numbers them */

/* Judged hosts: nodes of the run, where devices without a file that may share a
 * host count as one. */
struct observer {
	struct pairs_state *s;
	struct pairs_run *run;
	uint32_t *host_of; /* by node: judged host */
	uint32_t *node_of; /* by judged host: its (first) node */
	uint32_t *by_raw;  /* by host or endpoint of the store: node */
	size_t n_added;    /* between its hosts, also those skipped */
	struct na_evidence e;
	struct na_arena mem; /* its arrays */
};

static void observer_fini(struct observer *o)
{
	na_arena_fini(&o->mem);
	na_evidence_fini(&o->e);
}

static bool number_hosts(struct observer *o)
{
	const struct na_store *store = o->s->scope->store;
	size_t n = o->run->n_nodes;
	size_t raws = o->s->of_hosts ? store->n_hosts
				     : store->names.n_endpoints;

	o->host_of = NA_NEW(&o->mem, uint32_t, n);
	o->node_of = NA_NEW(&o->mem, uint32_t, n);
	o->by_raw = NA_NEW(&o->mem, uint32_t, raws);
	if (!o->host_of || !o->node_of || !o->by_raw)
		return false;
	for (size_t i = 0; i < raws; i++)
		o->by_raw[i] = NA_UNKNOWN_U32;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = o->run->first_of ? o->run->first_of[i] : i;

		o->by_raw[o->run->nodes[i].raw] = i;
		if (first == i)
			o->node_of[o->e.n_hosts++] = i;
		o->host_of[i] = first == i ? (uint32_t)o->e.n_hosts - 1
					   : o->host_of[first];
	}
	return true;
}

/* Racks as small numbers; none where the topology does not name those of all
 * hosts, or tells no pairs apart. */
static bool number_racks(struct observer *o)
{
	const struct na_store *store = o->s->scope->store;
	struct na_triples names = {0};
	bool ok, all = o->run->placed;

	o->e.rack_of = NA_NEW(&o->mem, uint32_t, o->e.n_hosts);
	ok = o->e.rack_of != NULL;
	for (size_t i = 0; ok && all && i < o->e.n_hosts; i++) {
		uint32_t rack =
			na_store_rack(store, o->run->nodes[o->node_of[i]].host);

		all = rack != NA_UNKNOWN_U32;
		o->e.rack_of[i] =
			na_triples_add(&names, (struct na_triple){rack, 0, 0});
		ok = o->e.rack_of[i] != NA_NO_TRIPLE;
	}
	o->e.n_racks = all ? names.n : 0;
	na_triples_fini(&names);
	return ok;
}

/* ---- rows */

/* NA_UNKNOWN_U32: none of the run. */
static uint32_t node_of_end(const struct observer *o, uint32_t endpoint)
{
	const struct na_store *store = o->s->scope->store;

	return o->by_raw[o->s->of_hosts ? na_store_host_of(store, o->run->index,
							   endpoint)
					: endpoint];
}

/* Adds a transfer between nodes of two hosts; of others it adds none. */
static bool add_between(struct observer *o, uint32_t src, uint32_t dst,
			uint32_t src_device, uint32_t dst_device,
			struct na_judge_row row)
{
	const struct na_judge_connection c = {o->host_of[src], o->host_of[dst],
					      src_device, dst_device,
					      na_pairs_class(o->run, src, dst)};

	if (o->run->nodes[src].host == o->run->nodes[dst].host ||
	    c.src == c.dst)
		return true;
	o->n_added++;
	return na_evidence_add(&o->e, &c, row);
}

static bool observe_send(struct observer *o, const struct pairs_send *x,
			 const struct na_host_clocks *clocks)
{
	uint32_t src = node_of_end(o, x->src), dst = node_of_end(o, x->dst);
	int64_t ahead_ps = x->input < clocks->n_hosts
				   ? clocks->ahead_ps[x->input]
				   : 0;

	return src == NA_UNKNOWN_U32 || dst == NA_UNKNOWN_U32 ||
	       add_between(o, src, dst, x->src, x->dst,
		   (struct na_judge_row){
			   .start_us = na_us((double)x->start_ps -
					     (double)o->s->ends.first_ps -
					     (double)ahead_ps),
			   .took_us = na_us((double)x->took_ps),
			   .size_bytes = x->size_bytes,
			   .collective = x->collective,
			   .part = x->iteration == NA_UNKNOWN_U32
					   ? 0
					   : x->iteration,
			   .step = x->step,
		   });
}

static bool observe_sends(struct observer *o)
{
	struct pairs_state *s = o->s;
	const struct na_host_clocks *clocks = na_pairs_clocks(s);
	bool ok = clocks != NULL;

	na_evidence_expect(&o->e, s->sends.n, s->scope->store->n_steps);
	for (size_t i = 0; ok && i < s->sends.n; i++) {
		const struct pairs_send *x = &s->sends.v[i];

		if (s->scope->store->sources[x->input].run == o->run->index)
			ok = observe_send(o, x, clocks);
	}
	return ok;
}

/* Of a run without steps: which stretch of time; so many that enough are left
 * where most are skipped. */
static uint32_t stretch_of(const struct observer *o, uint32_t tick)
{
	const struct pairs_state *s = o->s;
	uint64_t span = (uint64_t)s->ends.last_ps - (uint64_t)s->ends.first_ps;
	uint64_t at = (uint64_t)tick * (uint64_t)s->tick_ps;

	return (uint32_t)((double)at / ((double)span + 1) * NA_EVIDENCE_STEPS *
			  o->e.every);
}

static bool observe_receive(struct observer *o, uint32_t src, uint32_t dst,
			    const struct pairs_row *r, bool steps)
{
	const struct pairs_state *s = o->s;
	const struct na_triple *m = &s->moments.keys[r->moment];
	const struct na_triple *ends = &s->connections.keys[r->ends];

	return (steps && m->b == NA_UNKNOWN_U32) ||
	       add_between(o, src, dst, ends->a, ends->b,
		   (struct na_judge_row){
			   .start_us = (double)r->tick * na_us(s->tick_ps) -
				       r->latency_us,
			   .took_us = r->latency_us,
			   .size_bytes = r->size_bytes,
			   .collective = m->a,
			   .part = m->c == NA_UNKNOWN_U32 ? 0 : m->c,
			   .step = steps ? m->b : stretch_of(o, r->tick),
		   });
}

static bool has_steps(const struct pairs_state *s)
{
	for (size_t i = 0; i < s->moments.n; i++) {
		if (s->moments.keys[i].b != NA_UNKNOWN_U32)
			return true;
	}
	return false;
}

static bool observe_receives(struct observer *o)
{
	const struct pairs_state *s = o->s;
	bool ok = true, steps = has_steps(s);

	na_evidence_expect(&o->e, o->run->n_rows,
			   steps ? s->scope->store->n_steps : SIZE_MAX);
	for (size_t p = 0; ok && p < o->run->n_remote; p++) {
		const struct pairs_pair *x = &o->run->pairs[p];
		size_t n = na_pairs_rows_of(s, x);

		for (size_t i = 0; ok && i < n; i++)
			ok = observe_receive(o, x->src, x->dst,
					     &s->rows[x->first + i], steps);
	}
	o->e.two_clocks = !o->run->captured && !s->joined.n &&
			  !na_pairs_of_sends(s);
	return ok;
}

/* ---- do sends end with their acknowledgement? */

/* The quickest of each pair of the run, as sender and receiver time it. */
struct quick {
	double took_us, latency_us;
};

static void find_quickest(const struct observer *o, struct quick *q)
{
	const struct pairs_state *s = o->s;

	for (size_t p = 0; p < o->run->n_remote; p++) {
		const struct pairs_pair *x = &o->run->pairs[p];
		size_t n = na_pairs_rows_of(s, x);

		q[p] = (struct quick){INFINITY, INFINITY};
		for (size_t i = 0; i < n; i++)
			q[p].latency_us =
				fmin(q[p].latency_us,
				     s->rows[x->first + i].latency_us);
	}
	for (size_t i = 0; i < o->e.rows.n; i++) {
		const struct na_judge_row *r = &o->e.rows.v[i];
		const struct na_judge_connection *c =
			&o->e.connections.v[r->connection];
		size_t p = na_pairs_at(o->run, o->node_of[c->src],
				       o->node_of[c->dst]);

		if (p < o->run->n_remote)
			q[p].took_us = fmin(q[p].took_us, r->took_us);
	}
}

/* There and back, clocks cancel.  What was clamped says nothing. */
static double share_of(const struct observer *o, const struct quick *q,
		       size_t p)
{
	const struct pairs_pair *x = &o->run->pairs[p];
	size_t back = na_pairs_at(o->run, x->dst, x->src);

	if (back == o->run->n_remote || !(q[p].latency_us > 0) ||
	    !(q[back].latency_us > 0))
		return NAN;
	return (q[p].took_us + q[back].took_us) /
	       (q[p].latency_us + q[back].latency_us);
}

static bool find_acknowledged(struct observer *o, bool *is)
{
	size_t pairs = o->run->n_remote, n = 0;
	struct quick *q = NA_NEW(&o->mem, struct quick, pairs);
	double *shares = NA_NEW(&o->mem, double, pairs);
	bool ok = q && shares;

	if (ok)
		find_quickest(o, q);
	for (size_t p = 0; ok && p < pairs; p++) {
		double share = share_of(o, q, p);

		if (isfinite(share))
			shares[n++] = share;
	}
	*is = !n || na_median(shares, n) >= ACKNOWLEDGED;
	return ok;
}

/* ---- answers, by node */

static size_t judged_pair(const struct na_judge_result *r, uint32_t src,
			  uint32_t dst)
{
	const struct na_judge_pair *v = r->pairs;

	return NA_BOUND(i, 0, r->n_pairs,
			v[i].src > src || (v[i].src == src && v[i].dst >= dst));
}

/* Normal upper tails, corrected for the number of pairs. */
static bool find_chances(struct observer *o)
{
	struct pairs_run *run = o->run;
	double *p = NA_NEW(&o->mem, double, run->n_remote);
	double *q = NA_NEW(&o->mem, double, run->n_remote);
	bool ok = p && q;

	for (size_t i = 0; ok && i < run->n_remote; i++)
		p[i] = erfc(run->effects[i].effect / run->effects[i].se /
			    sqrt(2)) /
		       2;
	ok = ok && na_bh(p, q, run->n_remote);
	for (size_t i = 0; ok && i < run->n_remote; i++)
		run->effects[i].q_value = q[i];
	return ok;
}

static bool put_effects(struct observer *o)
{
	struct pairs_run *run = o->run;
	const struct na_judge_result *r = &run->found;

	run->effects =
		NA_NEW(&run->of->mem, struct pairs_effect, run->n_remote);
	for (size_t p = 0; run->effects && p < run->n_remote; p++) {
		const struct pairs_pair *x = &run->pairs[p];
		uint32_t src = o->host_of[x->src];
		uint32_t dst = o->host_of[x->dst];
		size_t at = judged_pair(r, src, dst);
		bool is = at < r->n_pairs && r->pairs[at].src == src &&
			  r->pairs[at].dst == dst;

		run->effects[p] = (struct pairs_effect){
			is ? r->pairs[at].effect : (double)NAN,
			is ? r->pairs[at].se : (double)NAN, (double)NAN};
	}
	return run->effects && find_chances(o);
}

static void to_node(const struct observer *o, struct na_place *x)
{
	if (x->cause > NA_JUDGE_PAIR)
		return; /* racks, or nowhere */
	x->a = o->node_of[x->a];
	if (x->cause == NA_JUDGE_PAIR)
		x->b = o->node_of[x->b];
}

static bool to_nodes(const struct observer *o)
{
	struct pairs_run *run = o->run;
	struct na_judge_result *r = &run->found;

	for (size_t i = 0; i < r->n_findings; i++) {
		struct na_judge_finding *f = &r->findings[i];

		to_node(o, &f->place);
		to_node(o, &f->rival.place);
		for (size_t k = 0; k < f->n_alternatives; k++)
			to_node(o, &f->alternatives[k].place);
	}
	for (size_t i = 0; i < r->n_open; i++)
		to_node(o, &r->open[i].place);
	for (size_t i = 0; i < r->n_bounds; i++)
		r->bounds[i].host = o->node_of[r->bounds[i].host];
	run->by_groups = run->first_of != NULL;
	if (!o->e.n_racks)
		return true;
	run->rack_of = NA_NEW(&run->of->mem, uint32_t, run->n_nodes);
	for (size_t i = 0; run->rack_of && i < run->n_nodes; i++)
		run->rack_of[i] = o->e.rack_of[o->host_of[i]];
	return run->rack_of;
}

static enum na_status explain(struct observer *o,
			      const struct na_judge_input *in,
			      struct na_err *err)
{
	struct pairs_run *run = o->run;
	struct na_judge_explanation *x = &run->terms;
	enum na_status st =
		na_judge_explain(in, o->host_of[run->explained], x, err);

	for (size_t i = 0; i < x->n_observations; i++) {
		struct na_judge_observation *v = &x->observations[i];

		v->peer = o->node_of[v->peer];
		if (v->collective != NA_JUDGE_NONE)
			v->collective = o->e.collectives.keys[v->collective].a;
	}
	for (size_t i = 0; i < x->n_rivals; i++)
		to_node(o, &x->rivals[i].place);
	return st;
}

/* ---- */

static bool observe(struct observer *o, bool sends)
{
	return number_hosts(o) && number_racks(o) &&
	       (sends ? observe_sends(o) : observe_receives(o));
}

/* *of_sends: with sends, which are many enough and acknowledged. */
static bool observe_best(struct observer *o, bool *of_sends)
{
	struct observer other = {.s = o->s, .run = o->run};

	*of_sends = false;
	if (!o->run->captured &&
	    (double)o->s->sends.n >= COMPLETE * (double)o->run->n_rows) {
		if (!observe(o, true) || !find_acknowledged(o, of_sends))
			return false;
		*of_sends = *of_sends &&
			    (double)o->n_added >=
				    COMPLETE * (double)o->run->n_rows;
		if (*of_sends)
			return true;
		observer_fini(o);
		*o = other;
	}
	return observe(o, false);
}

enum na_status na_pairs_ask_judge(struct pairs_state *s, struct pairs_run *run,
				  struct na_err *err)
{
	struct observer o = {.s = s, .run = run};
	struct na_judge_input in;
	enum na_status st = NA_OK;
	bool ok = observe_best(&o, &run->of_sends);

	/* The largest thing here, if no other run needs it. */
	if (s->scope->store->n_runs == 1)
		na_vec_free(&s->sends);
	in = na_evidence_input(&o.e);
	if (ok)
		st = na_judge(&in, &run->found, err);
	if (ok && st == NA_OK)
		ok = put_effects(&o) && to_nodes(&o);
	if (ok && st == NA_OK && run->explains)
		st = explain(&o, &in, err);
	observer_fini(&o);
	return ok ? st : na_fail_nomem(err);
}
