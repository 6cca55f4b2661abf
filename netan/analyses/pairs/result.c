/* pairs: from sums and findings to the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/methods/put.h"

bool na_pairs_has_runs(const struct pairs_state *s)
{
	return s->scope->store->n_runs > 1;
}

bool na_pairs_placed(const struct pairs_state *s)
{
	bool placed = true;

	for (size_t i = 0; i < s->scope->store->n_runs; i++)
		placed &= s->runs[i].placed || !s->runs[i].n_remote;
	return placed;
}

struct na_value *na_pairs_put_row(struct na_result *r, struct na_value *list,
				  const struct pairs_run *run)
{
	struct na_value *row = na_put_object(r, list, NULL);

	if (na_pairs_has_runs(run->of))
		na_put_text(r, row, M_label,
			    na_store_label(run->of->scope->store, run->index));
	return row;
}

/* A suspect's own first; of each the worst first: by how slow it is at least,
 * with 97.5 % confidence; then those of which nothing is expected. */
struct ranked {
	double least;
	uint32_t pair, turn;
};

NA_ORDER(by_least, struct ranked, NA_UP(turn), NA_DOWN(least), NA_UP(pair))

/* NULL: it is not compared. */
static const struct pairs_effect *judged(const struct pairs_state *s,
					 const struct pairs_pair *p)
{
	const struct pairs_run *run = &s->runs[p->run];

	return !run->effects || p->local ? NULL : &run->effects[p - run->pairs];
}

/* NaN: nothing is expected of it. */
static double least_of(const struct pairs_state *s, const struct pairs_pair *p)
{
	const struct pairs_effect *x = judged(s, p);
	double least = x ? x->effect - 1.96 * x->se : (double)NAN;

	return x && isnan(least) && !isnan(x->effect) ? -1e100 : least;
}

static struct ranked *rank_pairs(const struct pairs_state *s)
{
	struct ranked *order = na_calloc(s->keys.n, sizeof(*order));

	for (uint32_t i = 0; order && i < s->keys.n; i++) {
		const struct pairs_pair *p = &s->pairs[i];
		double least = least_of(s, p);

		order[i] =
			(struct ranked){isnan(least) ? -INFINITY : least, i,
					!na_pairs_is_suspect(&s->runs[p->run],
							     p)};
	}
	if (order)
		na_sort(order, s->keys.n, by_least);
	return order;
}

/* The host of an end; of a rank where it runs. */
static const char *machine(const struct pairs_state *s,
			   const struct pairs_node *n)
{
	const struct na_store *store = s->scope->store;
	uint32_t e = n->first.slice == NA_ADDRESS
			     ? na_names_find(&store->names, n->first.slice,
					     n->first.device)
			     : NA_UNKNOWN_U32;

	return e >= store->names.n_endpoints
		       ? n->host_name
		       : store->hosts[na_store_machine_of(store, n->run, e)]
				 .name;
}

static void put_pair(struct na_result *r, struct na_value *list,
		     const struct pairs_state *s, uint32_t i)
{
	const struct pairs_pair *p = &s->pairs[i];
	const struct pairs_run *run = &s->runs[p->run];
	const struct pairs_node *src = &run->nodes[p->src],
				*dst = &run->nodes[p->dst];
	const struct pairs_effect *x = judged(s, p);
	const struct pairs_sum *sum = &s->sums.v[p->found];
	double excess = x ? exp(x->effect) : (double)NAN;
	struct na_value *row = na_pairs_put_row(r, list, run);

	na_put_text(r, row, M_src, src->name);
	na_put_text(r, row, M_dst, dst->name);
	na_put_text(r, row, M_src_host, machine(s, src));
	na_put_text(r, row, M_dst_host, machine(s, dst));
	na_put_int(r, row, M_count, (int64_t)sum->n);
	na_put_int(r, row, M_clock_skew, (int64_t)sum->clamped);
	na_put_whole(r, row, M_bytes, sum->bytes);
	na_put_real(r, row, M_p50_us, s->quantiles[i].p50_us);
	na_put_real(r, row, M_p99_us, s->quantiles[i].p99_us);
	na_put_real(r, row, M_expected_us, s->quantiles[i].p50_us / excess);
	na_put_real(r, row, M_excess, excess);
	na_put_real(r, row, M_q_value, x ? x->q_value : NAN);
	if (na_pairs_is_suspect(run, p))
		na_put_text(r, row, M_role, "suspect");
}

static bool put_pairs(struct na_result *r, struct na_value *body,
		      const struct pairs_state *s)
{
	struct na_value *list = na_put_packed(r, body, M_pairs);
	struct ranked *order = rank_pairs(s);
	size_t n = s->keys.n, top = s->scope->top;
	size_t listed = top && top < n ? top : n;

	for (size_t i = 0; order && i < listed; i++)
		put_pair(r, list, s, order[i].pair);
	if (listed < n)
		na_put_count(r, body, M_pairs_not_listed, n - listed);
	free(order);
	return order != NULL;
}

static void put_hosts(struct na_result *r, struct na_value *row,
		      const struct pairs_run *run, const struct na_place *who)
{
	struct na_value *list = na_put_list(r, row, M_hosts);
	const char *last = NULL;

	for (uint32_t h = 0; run->rack_of && h < run->n_nodes; h++) {
		uint32_t rack = run->rack_of[h];
		const char *name = run->nodes[h].host_name;

		if (rack != who->a &&
		    (rack != who->b || who->cause != NA_JUDGE_RACK_PAIR))
			continue;
		if (!last || strcmp(last, name) != 0) /* devices of a host */
			na_put_text(r, list, NULL, name);
		last = name;
	}
}

/* Devices whose host has no file, as hosts of their own; the file that they
 * must be from. */
static void put_group(struct na_result *r, struct na_value *row,
		      const struct pairs_run *run, uint32_t node)
{
	const struct pairs_state *s = run->of;
	const struct na_absent_group *g = na_pairs_group_of(run, node);
	struct na_value *list;

	if (g->file != NA_UNKNOWN_U32)
		na_put_text(r, row, M_host,
			    s->scope->store->hosts[g->file].name);
	list = na_put_list(r, row, M_hosts);
	for (uint32_t i = 0; i < run->n_nodes; i++) {
		if (run->first_of[i] == run->first_of[node])
			na_put_text(r, list, NULL, run->nodes[i].host_name);
	}
}

/* The one of a host's devices that is named. */
static void put_device(struct na_result *r, struct na_value *row,
		       const struct pairs_state *s, uint32_t device)
{
	const struct na_names *names = &s->scope->store->names;
	char buf[NA_ENDPOINT_BUF];

	na_endpoint_print(buf, names, &names->endpoints[device]);
	na_put_text(r, row, M_endpoint, buf);
}

void na_pairs_put_who(struct na_result *r, struct na_value *row,
		      const struct pairs_run *run, const struct na_place *who,
		      bool whole)
{
	const struct pairs_state *s = run->of;
	const struct pairs_node *a, *b;

	na_put_text(r, row, M_kind, na_judge_kinds[who->cause]);
	if (who->cause > NA_JUDGE_PAIR) {
		put_hosts(r, row, run, who);
		return;
	}
	a = &run->nodes[who->a];
	if (who->cause != NA_JUDGE_PAIR && na_pairs_group_of(run, who->a)) {
		put_group(r, row, run, who->a);
		return;
	}
	if (who->cause != NA_JUDGE_PAIR) {
		na_put_text(r, row, M_host, a->host_name);
		if (who->b != NA_JUDGE_NONE)
			put_device(r, row, s, who->b);
		else if (!s->of_hosts && !whole)
			na_put_text(r, row, M_endpoint, a->name);
		return;
	}
	b = &run->nodes[who->b];
	na_put_text(r, row, M_src_host, a->host_name);
	na_put_text(r, row, M_dst_host, b->host_name);
	if (!s->of_hosts) {
		na_put_text(r, row, M_src, a->name);
		na_put_text(r, row, M_dst, b->name);
	}
}

static void put_cost(struct na_result *r, struct na_value *row,
		     const struct pairs_run *run,
		     const struct na_judge_finding *f)
{
	const struct na_whatif_cost none = {(double)NAN, (double)NAN, false};
	const struct na_whatif_cost *x =
		run->costs ? &run->costs[f - run->found.findings] : &none;

	na_put_real(r, row, M_cost_ms_per_step, x->median_ms);
	if (x->least)
		na_put_bool(r, row, M_cost_at_least, true);
	na_put_real(r, row, M_mean_cost_ms_per_step, x->mean_ms);
}

/* Beyond that a number of odds says nothing more. */
#define MOST_ODDS 1e9

static double odds_of(const struct na_judge_finding *f)
{
	double rival = f->rival.place.cause < NA_JUDGE_CAUSES
			       ? fmax(f->rival.log_odds, 0)
			       : 0;

	return fmin(exp(fmin(f->log_odds - rival, 100)), MOST_ODDS);
}

static const char *unit_of(const struct pairs_run *run,
			   const struct na_judge_finding *f)
{
	return f->place.cause > NA_JUDGE_PAIR                     ? "rack"
	       : f->place.cause == NA_JUDGE_PAIR                  ? "connection"
	       : run->of->of_hosts && f->place.b == NA_JUDGE_NONE ? "host"
								  : "device";
}

static void put_odds(struct na_result *r, struct na_value *row,
		     const struct pairs_run *run,
		     const struct na_judge_finding *f)
{
	struct na_value *effect;

	na_put_real(r, row, M_posterior, f->posterior);
	na_put_real(r, row, M_odds, odds_of(f));
	if (f->rival.place.cause < NA_JUDGE_CAUSES)
		na_pairs_put_who(r, na_put_object(r, row, M_rival), run,
				 &f->rival.place, false);
	effect = na_put_object(r, row, M_effect);
	na_put_real(r, effect, M_factor, exp(f->effect));
	na_put_real(r, effect, M_from, exp(f->low));
	na_put_real(r, effect, M_to, exp(f->high));
	na_put_text(r, row, M_unit, unit_of(run, f));
}

/* Explanations of the same observations share what is left. */
static void put_alternatives(struct na_result *r, struct na_value *row,
			     const struct pairs_run *run,
			     const struct na_judge_finding *f)
{
	struct na_value *list = na_put_list(r, row, M_alternatives);

	for (size_t i = 0; i < f->n_alternatives; i++) {
		const struct na_rival *a = &f->alternatives[i];
		struct na_value *to = na_put_object(r, list, NULL);

		na_pairs_put_who(r, to, run, &a->place, false);
		na_put_real(r, to, M_posterior,
			    f->posterior * exp(a->log_odds - f->log_odds));
	}
}

static void put_late(struct na_result *r, struct na_value *row,
		     const struct na_judge_finding *f)
{
	if (f->mechanism != NA_MECH_LATE)
		return;
	na_put_int(r, row, M_tails, (int64_t)f->late);
	na_put_int(r, row, M_episodes, (int64_t)f->late);
	na_put_bool(r, row, M_loses_packets, true);
}

static void put_culprit(struct na_result *r, struct na_value *list,
			const struct pairs_run *run,
			const struct na_judge_finding *f)
{
	const double ci[2] = {exp(f->low), exp(f->high)};
	struct na_value *row;
	char buf[PAIRS_WORDS];
	struct na_str who = na_str_over(buf, sizeof(buf));

	row = na_pairs_put_row(r, list, run);
	na_pairs_put_who(r, row, run, &f->place, na_pairs_is_whole(run, f));
	put_odds(r, row, run, f);
	na_put_real(r, row, M_excess, exp(f->effect));
	na_put_series(r, row, M_excess_ci95, ci, 2);
	na_put_null(r, row, M_p_value);
	na_put_text(r, row, M_channel, na_pairs_channel_names[f->mechanism]);
	na_put_int(r, row, M_pairs, (int64_t)f->pairs);
	na_put_int(r, row, M_transfers, (int64_t)f->transfers);
	na_put_bool(r, row, M_intermittent, f->mechanism == NA_MECH_LATE);
	na_put_bool(r, row, M_one_clock, !run->found.two_clocks);
	put_cost(r, row, run, f);
	put_late(r, row, f);
	put_alternatives(r, row, run, f);
	na_put_alias(r, row, M_terms, na_pairs_terms_of(r, run, &f->place));
	if (na_pairs_is_of_two(run))
		na_put_bool(r, row, M_of_two_hosts, true);
	na_put_text(r, row, M_needs, na_pairs_needs(run, f));
	if (f->place.cause >= NA_JUDGE_RACK_UPLINK)
		na_put_bool(r, row, M_on_topology, true);
	na_pairs_say_who(&who, run, &f->place, na_pairs_is_whole(run, f));
	na_put_text(r, row, M_suspect, who.s);
	na_put_text(r, row, M_test_next, na_pairs_next_test(run, f));
	if (f->place.cause < NA_JUDGE_PAIR &&
	    na_pairs_group_of(run, f->place.a))
		na_put_bool(r, row, M_no_file, true);
}

/* A host has one clock, whatever the number of its devices, and pauses as a
 * whole: of findings about devices of one host the best one is told. */
static bool same_host(const struct pairs_run *run, uint32_t a, uint32_t b)
{
	return run->nodes[a].host == run->nodes[b].host;
}

bool na_pairs_surest_clock(const struct pairs_run *run, size_t k)
{
	const struct pairs_clock *c = run->clocks.v;

	for (size_t i = 0; i < run->clocks.n; i++) {
		if (i != k && same_host(run, c[i].host, c[k].host) &&
		    (c[i].uncertainty_us < c[k].uncertainty_us ||
		     (c[i].uncertainty_us == c[k].uncertainty_us && i < k)))
			return false;
	}
	return true;
}

static void put_clock(struct na_result *r, struct na_value *list,
		      const struct pairs_run *run, const struct pairs_clock *c)
{
	const struct pairs_node *n = &run->nodes[c->host];
	struct na_value *row = na_pairs_put_row(r, list, run);

	na_put_text(r, row, M_host, n->host_name);
	na_put_real(r, row, M_ahead_us, c->ahead_us);
	na_put_real(r, row, M_uncertainty_us, c->uncertainty_us);
}

/* An explanation that is more likely than no fault, and not named. */
static void put_undecided(struct na_result *r, struct na_value *list,
			  const struct pairs_run *run, const struct na_rival *x)
{
	struct na_value *row = na_pairs_put_row(r, list, run);
	struct na_value *pairs;
	struct na_judge_finding f = {.place = x->place};
	char who[PAIRS_WORDS];
	struct na_str w = na_str_over(who, sizeof(who));
	int64_t n = 0;

	na_pairs_say_open(&w, run, x);
	na_put_text(r, row, M_what, who);
	na_put_text(r, row, M_needs, na_pairs_needs(run, &f));
	pairs = na_put_list(r, row, M_pairs);
	for (uint32_t i = 0; i < run->n_remote; i++) {
		const struct pairs_pair *p = &run->pairs[i];
		struct na_value *to;

		if (!na_pairs_is_of(run, &x->place, false, p->src, p->dst))
			continue;
		to = na_put_object(r, pairs, NULL);
		na_put_text(r, to, M_src, run->nodes[p->src].name);
		na_put_text(r, to, M_dst, run->nodes[p->dst].name);
		na_put_real(r, to, M_excess, exp(run->effects[i].effect));
		n++;
	}
	na_put_int(r, row, M_n_pairs, n);
}

static void put_findings(struct na_result *r, struct na_value *body,
			 const struct pairs_state *s)
{
	struct na_value *culprits = na_put_list(r, body, M_culprits);
	struct na_value *clocks = na_put_list(r, body, M_clock_offsets);
	struct na_value *undecided;

	na_put_list(r, body, M_stalls);
	undecided = na_put_list(r, body, M_undecided);

	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct pairs_run *run = &s->runs[i];
		const struct na_judge_result *f = &run->found;

		for (size_t k = 0; k < f->n_findings; k++)
			put_culprit(r, culprits, run, &f->findings[k]);
		for (size_t k = 0; k < run->clocks.n; k++) {
			if (na_pairs_surest_clock(run, k))
				put_clock(r, clocks, run, &run->clocks.v[k]);
		}
		for (size_t k = 0; k < f->n_open && !f->n_findings; k++) {
			if (f->open[k].log_odds > 0)
				put_undecided(r, undecided, run, &f->open[k]);
		}
	}
}

/* One line, whatever the number of runs. */
static void put_verdict(struct na_result *r, struct na_value *body,
			const struct pairs_state *s)
{
	char text[2000], buf[PAIRS_WORDS];
	struct na_str all = na_str_over(text, sizeof(text));

	for (uint32_t i = 0; s->keys.n && i < s->scope->store->n_runs; i++) {
		struct na_str w = na_str_over(buf, sizeof(buf));
		const char *label = na_store_label(s->scope->store, i);

		na_pairs_say_verdict(&w, &s->runs[i]);
		if (na_pairs_has_runs(s))
			na_str_addf(&all, "%s%.40s: ", i ? ". " : "",
				    label ? label : "");
		na_str_addf(&all, "%s", w.s);
	}
	na_put_text(r, body, M_verdict, s->keys.n ? all.s : NULL);
}

static void put_sends_left(struct na_result *r, struct na_value *body,
			   const struct pairs_state *s)
{
	struct na_value *to;
	bool asked = false;

	for (size_t i = 0; i < s->scope->store->n_runs; i++)
		asked |= s->runs[i].of_sends;
	if (!asked || !(s->left.no_step + s->left.no_time))
		return;
	to = na_put_object(r, body, M_sends_left_out);
	na_put_int(r, to, M_of, (int64_t)s->left.all);
	na_put_int(r, to, M_no_step, (int64_t)s->left.no_step);
	na_put_int(r, to, M_no_time, (int64_t)s->left.no_time);
}

/* What only the rows of pairs tell: the picture needs room. */
static void drop_told(struct pairs_state *s)
{
	free(s->quantiles);
	s->quantiles = NULL;
}

enum na_status na_pairs_finish(void *state, struct na_result *r,
			       struct na_err *err)
{
	struct pairs_state *s = state;
	struct na_value *body = na_result_body(r);
	enum na_status st = na_pairs_costs(s, err);

	if (st != NA_OK)
		return st;
	na_put_text(r, body, M_level,
		    s->of_hosts && !na_store_of_ranks(s->scope->store)
			    ? "host"
			    : "device");
	if (!put_pairs(r, body, s))
		return na_fail_nomem(err);
	drop_told(s);
	na_pairs_put_terms(r, body, s);
	put_findings(r, body, s);
	put_verdict(r, body, s);
	na_put_count(r, na_result_side(r), M_clock_skew, s->clamped);
	na_pairs_put_outcome(r, body, s);
	put_sends_left(r, body, s);
	na_pairs_put_picture(r, s);
	na_pairs_views(r, s);
	return NA_OK;
}
