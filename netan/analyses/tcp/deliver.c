/*
 * tcp: whose data is delivered more slowly than that of others, without any
 * loss: stretches of connections (netan/evidence/stretches.h), judged by the
 * one model (netan/judge).
 */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/tcp/state.h"
#include "netan/evidence/held_out.h"
#include "netan/evidence/stretches.h"
#include "netan/methods/put.h"

#define MOST_ODDS 1e9 /* beyond it says nothing more */

/* Hosts of the store that have stretches, as 0, 1, ... */
static uint32_t number_of(uint32_t *number, struct tcp_delivery *d, uint32_t host)
{
	if (number[host] == NA_UNKNOWN_U32) {
		number[host] = (uint32_t)d->n_hosts;
		d->hosts[d->n_hosts++] = host;
	}
	return number[host];
}

static size_t gather(struct tcp_state *s, struct na_stretched *v,
		     uint32_t *number)
{
	const struct na_store *store = s->scope->store;
	size_t n = 0;

	na_each_record (const struct na_connection, c, &store->connections) {
		uint32_t run = na_store_run_of(store, c->input);
		uint32_t src = na_store_host_of(store, run, c->src);
		uint32_t dst = na_store_host_of(store, run, c->dst);
		uint64_t seen = (uint64_t)c->dir[0].stretches_seen +
				c->dir[1].stretches_seen;

		if (!seen || src == dst || src >= store->n_hosts ||
		    dst >= store->n_hosts ||
		    !na_filter_connection_time(s->scope->bound, c))
			continue;
		s->delivery.stretches += seen;
		v[n++] = (struct na_stretched){
			c, number_of(number, &s->delivery, src),
			number_of(number, &s->delivery, dst)};
	}
	return n;
}

static enum na_status judge(struct tcp_state *s, struct na_stretched *v,
			    uint32_t *number, struct na_err *err)
{
	struct na_evidence e = {.n_hosts = 0};
	enum na_status st;
	size_t n;

	for (size_t i = 0; i < s->scope->store->n_hosts; i++)
		number[i] = NA_UNKNOWN_U32;
	n = gather(s, v, number);
	e.n_hosts = s->delivery.n_hosts;
	st = na_stretches_add(v, n, &e) ? NA_OK : na_fail_nomem(err);
	if (st == NA_OK && e.rows.n && e.n_hosts >= NA_HELD_OUT_LEAST) {
		st = na_stretches_judge(&e, &s->delivery.found, err);
		s->delivery.judged = st == NA_OK;
	}
	na_evidence_fini(&e);
	return st;
}

enum na_status na_tcp_judge_delivery(struct tcp_state *s, struct na_err *err)
{
	const struct na_store *store = s->scope->store;
	struct na_stretched *v = na_calloc(store->connections.n + 1, sizeof(*v));
	uint32_t *number = na_calloc(store->n_hosts + 1, sizeof(*number));
	enum na_status st = NA_OK;

	s->delivery.hosts = na_calloc(store->n_hosts + 1,
				      sizeof(*s->delivery.hosts));
	if (!v || !number || !s->delivery.hosts)
		st = na_fail_nomem(err);
	else if (store->n_runs < 2)
		st = judge(s, v, number, err);
	free(v);
	free(number);
	return st;
}

void na_tcp_delivery_free(struct tcp_delivery *d)
{
	na_judge_result_fini(&d->found);
	free(d->hosts);
}

static const char *name_of(const struct tcp_state *s, uint32_t host)
{
	return s->scope->store->hosts[s->delivery.hosts[host]].name;
}

static void put_who(struct na_result *r, struct na_value *to,
		    const struct tcp_state *s, const struct na_place *p)
{
	na_put_text(r, to, M_kind, na_judge_kinds[p->cause]);
	if (p->cause == NA_CAUSE_PAIR) {
		na_put_text(r, to, M_src_host, name_of(s, p->a));
		na_put_text(r, to, M_dst_host, name_of(s, p->b));
	} else if (p->cause < NA_CAUSE_PAIR) {
		na_put_text(r, to, M_host, name_of(s, p->a));
	}
}

static void put_rivals(struct na_result *r, struct na_value *list,
		       const struct tcp_state *s, const struct na_rival *v,
		       size_t n, double posterior, double log_odds)
{
	for (size_t i = 0; i < n; i++) {
		struct na_value *to = na_put_object(r, list, NULL);
		double odds = exp(fmin(v[i].log_odds, 100));

		put_who(r, to, s, &v[i].place);
		na_put_real(r, to, M_posterior,
			    isnan(posterior)
				    ? odds / (1 + odds)
				    : posterior *
					      exp(v[i].log_odds - log_odds));
	}
}

static void put_culprit(struct na_result *r, struct na_value *list,
			const struct tcp_state *s,
			const struct na_judge_finding *f)
{
	const double ci[2] = {exp(f->low), exp(f->high)};
	struct na_value *to = na_put_object(r, list, NULL);
	bool rival = f->rival.place.cause < NA_CAUSES;
	double against = rival ? fmax(f->rival.log_odds, 0) : 0;

	put_who(r, to, s, &f->place);
	na_put_real(r, to, M_posterior, f->posterior);
	na_put_real(r, to, M_odds,
		    fmin(exp(fmin(f->log_odds - against, 100)), MOST_ODDS));
	if (rival)
		put_who(r, na_put_object(r, to, M_rival), s, &f->rival.place);
	na_put_real(r, to, M_excess, exp(f->effect));
	na_put_series(r, to, M_excess_ci95, ci, 2);
	na_put_count(r, to, M_pairs, f->pairs);
	na_put_count(r, to, M_stretches, f->transfers);
	put_rivals(r, na_put_list(r, to, M_alternatives), s, f->alternatives,
		   f->n_alternatives, f->posterior, f->log_odds);
}

static void put_power(struct na_result *r, struct na_value *list,
		      const struct tcp_state *s, const struct na_judge_bound *b)
{
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_text(r, to, M_host, name_of(s, b->host));
	na_put_text(r, to, M_side, na_judge_kinds[b->side]);
	na_put_real(r, to, M_factor, b->upper);
	na_put_real(r, to, M_upper_factor, b->upper);
	na_put_text(r, to, M_why,
		    isnan(b->upper) ? "fewer than two pairs" : NULL);
}

void na_tcp_put_delivery(struct na_result *r, struct na_value *body,
			 const struct tcp_state *s)
{
	const struct na_judge_result *f = &s->delivery.found;
	struct na_value *to = na_put_object(r, body, M_delivery), *list;

	na_put_count(r, to, M_stretches, s->delivery.stretches);
	na_put_count(r, to, M_n_hosts, s->delivery.n_hosts);
	na_put_text(r, to, M_outcome,
		    f->n_findings                     ? "guilty"
		    : s->delivery.judged &&
				    f->outcome == NA_NOT_GUILTY
			    ? "not_guilty"
			    : "cannot_tell");
	list = na_put_list(r, to, M_culprits);
	for (size_t i = 0; i < f->n_findings; i++)
		put_culprit(r, list, s, &f->findings[i]);
	put_rivals(r, na_put_list(r, to, M_undecided), s, f->open, f->n_open,
		   NAN, 0);
	list = na_put_list(r, to, M_power);
	for (size_t i = 0; i < f->n_bounds; i++)
		put_power(r, list, s, &f->bounds[i]);
}
