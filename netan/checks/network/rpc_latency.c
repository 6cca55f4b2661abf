/*
 * rpc-latency: transfers that are far later than their size asks for, while
 * the link has room.  p99 / p50 is taken of latency over expectation: of the
 * latencies themselves it tells how sizes differ.  Modes near retransmission
 * timers count whatever the load: a full link does not wait 200 ms; clocks that
 * differ by as much look alike, and are clock-skew's.  A capture
 * that shows no retransmission acquits the network: who answers took its time.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"
#include "netan/stats/time/timers.h"

enum {
	LEAST = 3, /* late transfers that make a mode */
	FEW = 100  /* have no p99: one late transfer is one late transfer */
};

/* Of those whose transfers are told: TCP of other hosts is no witness. */
static bool packets_seen(struct na_case *c)
{
	return na_case_body(c, "tcp") && na_packets_saw_any(c);
}

static int64_t lost_of(const struct na_case *c)
{
	return na_count_at(na_case_body(c, "tcp"),
			   M_totals "." M_needed_retransmissions);
}

/* Packets are there, and none was sent again.  Without packets a timer is no
 * more than possible. */
static bool none_lost(struct na_case *c)
{
	return packets_seen(c) && !lost_of(c);
}

static bool any_lost(struct na_case *c)
{
	return packets_seen(c) && lost_of(c) > 0;
}

/* Nor is it one of hosts of which no packet was seen. */
static bool is_acquitted(struct na_case *c, const struct na_value *mode)
{
	bool all = none_lost(c);

	na_for_each (v, na_get(mode, M_hosts))
		all = all && na_packets_saw(c, na_text_of(v, ""));
	return all && (na_length(mode, M_hosts) || na_packets_told(c));
}

static double ahead_ms(const struct na_value *offset)
{
	return na_number_at(offset, M_ahead_us) / 1e3;
}

static bool among(const struct na_value *mode, const char *host)
{
	return !na_length(mode, M_hosts) ||
	       na_lists(na_get(mode, M_hosts), host);
}

static bool is_ahead(const struct na_value *mode, double ms)
{
	/* As far from a timer as rpc lets pass. */
	return fabs(ms) >= 0.9 * na_number_at(mode, M_latency_ms) &&
	       fabs(ms) <= 1.3 * na_number_at(mode, M_latency_ms);
}

/* A clock that is ahead of another one by as much makes transfers late, at
 * one of the mode's hosts: no timer is needed. */
static bool of_clocks(const struct na_case *c, const struct na_value *mode)
{
	na_for_each (v, na_get(na_case_body(c, "pairs"), M_clock_offsets)) {
		bool here = among(mode, na_text_at(v, M_host));

		if (here && is_ahead(mode, ahead_ms(v)))
			return true;
		for (const struct na_value *w = v->next; w; w = w->next) {
			if ((here || among(mode, na_text_at(w, M_host))) &&
			    is_ahead(mode, ahead_ms(v) - ahead_ms(w)))
				return true;
		}
	}
	return false;
}

/* Too few pairs to tell by how much. */
static bool unknown_clocks(const struct na_case *c)
{
	return na_clocks_differ(c) &&
	       !na_length(na_case_body(c, "pairs"), M_clock_offsets);
}

static bool delays_acknowledgement(const struct na_value *mode)
{
	return strstr(na_text_at(mode, M_cause), "acknowledgement") != NULL;
}

/* What its transfers wait together. */
static double waited_s(const struct na_value *mode)
{
	return na_number_at(mode, M_count) * na_number_at(mode, M_latency_ms) /
	       NA_MS_PER_S;
}

static void put_mode(struct na_case *c, struct na_value *to,
		     const struct na_value *mode)
{
	na_case_copy(c, to, mode, M_latency_ms, M_cause);
	na_put_int(c->r, to, M_transfers, na_count_at(mode, M_count));
	na_put_real(c->r, to, M_transfers_share, na_number_at(mode, M_share));
	na_case_copy(c, to, mode, M_hosts);
	na_put_int(c->r, to, M_pairs, na_count_at(mode, M_pairs_affected));
	na_put_real(c->r, to, M_waited_s, waited_s(mode));
	na_put_text(c->r, to, M_load,
		    na_text_or(mode, M_load "." M_state, NULL));
}

static struct na_fact remedy_of_late(struct na_case *c)
{
	const struct na_value *culprit = na_first_culprit(c);

	if (any_lost(c))
		return na_fact_first_stop_loss();
	if (culprit)
		return na_fact_first_mend_endpoint(
			na_text_at(culprit, M_suspect));
	return na_fact_late_remedy(
		na_packets_told(c) &&
		!na_count_at(na_case_body(c, "tcp"), M_connections_used));
}

static void judge_mode(struct na_case *c, const struct na_value *mode,
		       bool surely)
{
	const struct na_value *hosts = na_get(mode, M_hosts);
	const char *who = na_case_names(c, hosts, 3);
	bool acquitted = is_acquitted(c, mode), unsure = unknown_clocks(c);
	bool acks = delays_acknowledgement(mode);
	double share = na_number_at(mode, M_share);
	double late_ms = na_number_at(mode, M_latency_ms);
	struct na_finding *f =
		na_case_find(c,
			     acquitted || unsure ? NA_SEV_INFO : NA_SEV_WARNING,
			     surely && !acquitted && !unsure && packets_seen(c)
				     ? NA_LIKELY
				     : NA_POSSIBLE,
			     "rpc");

	if (f->confidence == NA_LIKELY)
		f->sure = na_case_say(c, na_fact_delay_is_a_timer());
	na_case_draw(c, f, "rpc -o rpc.svg");
	f->from_s = na_number_at(mode, M_first_s);
	f->to_s = na_number_at(mode, M_last_s);
	f->culprit = na_case_say(c, na_fact_packets_seem_lost(who));
	/* One timeout makes all late who wait for it: whose it was is for
	 * pairs to find, which rules it out where they are even. */
	f->suspicion = unsure ||
		       (!acquitted && !acks && !na_pairs_acquit(c));
	f->how = na_case_say(c, na_fact_late_as_by_resend(share, late_ms));
	f->title = na_case_say(
		c, na_fact_late_by_mode(na_count_at(mode, M_count), share,
					late_ms, acquitted,
					na_text_at(mode, M_cause), who,
					unsure));
	f->remedy = na_case_say(c, acquitted ? na_fact_look_at_who_answers()
				   : acks    ? na_fact_delayed_acks_remedy()
					     : na_fact_timeouts_remedy());
	na_case_evidence(c, f, na_fact_waited_in_all(waited_s(mode)));
	na_case_evidence(c, f,
			 na_fact_pairs_and_load(
				 na_count_at(mode, M_pairs_affected),
				 na_says(mode, M_load "." M_state, "usual")));
	f->otherwise = na_case_say(c, na_fact_mode_otherwise(acquitted));
	put_mode(c, f->evidence, mode);
}

/* The kernel of a send or receive runs from when its rank calls it. */
static void tell_waits(struct na_case *c, struct na_finding *f)
{
	f->severity = NA_SEV_INFO;
	f->remedy = na_case_say(c, na_fact_look_at_late_ranks());
	f->otherwise = na_case_say(c, na_fact_slow_network_holds_wait());
}

static double quantile_s(const struct na_value *all, const char *name)
{
	return na_number_at(all, name) / NA_US_PER_S;
}

/* Those that so many transfers have. */
static void tell_quantiles(struct na_case *c, struct na_finding *f,
			   const struct na_value *all, int64_t n)
{
	double p50_s = quantile_s(all, M_p50_us);

	na_case_evidence(
		c, f,
		n < FEW ? na_fact_few_latencies(p50_s,
						quantile_s(all, M_max_us), n)
			: na_fact_latency_quantiles(
				  p50_s, quantile_s(all, M_p99_us),
				  n < 10 * FEW ? (double)NAN
					       : quantile_s(all, M_p99_9_us),
				  n));
}

static double long_tail(const struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "rpc");

	return na_number_at(side, M_times_p99) /
	       na_number_at(side, M_times_p50);
}

static void judge_ratio(struct na_case *c)
{
	const struct na_value *all = na_get(na_case_body(c, "rpc"), M_overall);
	double ratio = long_tail(c);
	int64_t n = na_count_at(all, M_transfers);
	struct na_finding *f;

	/* Of two clocks that differ one shortens what the other lengthens. */
	if (!(ratio > c->limits->tail_ratio) || na_link_is_full(c) ||
	    na_clocks_differ(c))
		return;
	f = na_case_find(c,
			 none_lost(c) || na_packets_told(c) || n < FEW
				 ? NA_SEV_INFO
				 : NA_SEV_WARNING,
			 NA_POSSIBLE, "rpc");
	na_case_draw(c, f, "rpc -o rpc.svg");
	/* The quantile that it is: the slowest 1 % are there always, and how
	 * much slower they are is what is found. */
	f->title = na_case_say(
		c, na_fact_slowest_are_late(n < FEW, n, ratio,
					    c->capacity_gbps > 0));
	f->remedy = na_case_say(c, remedy_of_late(c));
	tell_quantiles(c, f, all, n);
	na_case_evidence(c, f, na_fact_told_above(c->limits->tail_ratio));
	f->otherwise = na_case_say(c, na_fact_requests_wait_their_turn());
	if (na_of_ranks(c))
		tell_waits(c, f);
	na_case_copy(c, f->evidence, all, M_transfers);
	na_put_real(c->r, f->evidence, M_p99_over_p50_of_size, ratio);
	na_case_copy(c, f->evidence, all, M_p50_us, M_p99_us, M_p99_9_us);
}

/* What rpc says of late transfers, as a remark: of so many. */
static struct na_fact alike_of(const struct na_value *alike, int64_t tail,
			       double transfers, int64_t *of)
{
	int64_t n = na_count_at(alike, M_count);
	double late_ms = na_number_at(alike, M_latency_ms);
	bool is_tail = !(late_ms < NA_TAIL_MS);

	*of = is_tail ? tail : n;
	return na_fact_late_alike(*of, (double)*of / transfers,
				  is_tail ? NA_TAIL_MS : 0, n == tail, n,
				  late_ms,
				  na_flag_at(alike, M_nothing_sent_again));
}

/* Of captures TCP is the witness of modes: tcp-connection has who is behind
 * them, if anybody. */
static struct na_fact said_of(const struct na_case *c, int64_t tail,
			      double transfers, int64_t *of)
{
	const struct na_value *body = na_case_body(c, "rpc");
	const struct na_value *mode = na_first(body, M_modes);
	int64_t n = na_count_at(mode, M_count);

	if (na_get(body, M_alike))
		return alike_of(na_get(body, M_alike), tail, transfers, of);
	*of = n >= LEAST ? n : tail;
	if (n >= LEAST)
		return na_fact_late_like(n, (double)n / transfers,
					 na_number_at(mode, M_latency_ms),
					 na_text_at(mode, M_cause));
	return na_fact_late_by_no_timer(tail, (double)tail / transfers,
					NA_TAIL_MS);
}

/* Rarer than the slowest 1 %, so that those are no slower than usual. */
static void tell_late(struct na_case *c, int64_t tail)
{
	const struct na_value *all = na_get(na_case_body(c, "rpc"), M_overall);
	double n = na_number_at(all, M_transfers);
	int64_t late;
	struct na_fact said = said_of(c, tail, n, &late);
	struct na_finding *f;

	if (late < LEAST)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE, "rpc");
	na_case_draw(c, f, "rpc -o rpc.svg");
	f->title = na_case_say(c, said);
	f->remedy = na_case_say(c, remedy_of_late(c));
	tell_quantiles(c, f, all, (int64_t)n);
	f->otherwise = na_case_say(c, na_fact_requests_wait_their_turn());
	if (na_of_ranks(c))
		tell_waits(c, f);
	na_put_int(c->r, f->evidence, M_transfers, late);
	na_put_real(c->r, f->evidence, M_transfers_share, (double)late / n);
	na_case_copy(c, f->evidence, all, M_p50_us, M_p99_us, M_p99_9_us);
}

/* Latency that is high all the time hides what a timer adds to it. */
static void miss_high(struct na_case *c, const struct na_value *body)
{
	int64_t constant = na_count_at(body, M_tail "." M_constant);

	if (constant)
		na_case_needs(c, na_fact_needs_other_late_transfers(constant));
	else
		na_case_needs(c, na_fact_needs_low_latency(quantile_s(
					 na_get(body, M_overall), M_p50_us)));
}

/* Nothing was found: that says something only where it could have been. */
static void tell_unseen(struct na_case *c, const struct na_value *body,
			int64_t tail)
{
	int64_t n = na_count_at(body, M_overall "." M_transfers);

	if (unknown_clocks(c))
		na_case_needs(c, na_fact_needs_clocks_that_agree());
	else if (na_says(body, M_verdict, "constantly high"))
		miss_high(c, body);
	else if (tail)
		na_case_needs(c, na_fact_needs_late_transfers(LEAST, tail, n,
							      NA_TAIL_MS));
	else if (long_tail(c) > c->limits->tail_ratio)
		na_case_needs(c, na_fact_needs_link_with_room(n, long_tail(c)));
}

/* A straggler, a server that is slow itself: who waits for it is late as well.
 * Of a tail without timers no more is known. */
static void point_to(struct na_case *c, struct na_finding *f,
		     const struct na_finding *e)
{
	bool awaited = e->check->explains == NA_EXPLAINS_WAITING;

	na_case_evidence(c, f,
			 na_fact_explains_some(awaited, e->culprit,
					       e->check->id));
	f->remedy = na_case_say(
		c, awaited ? na_fact_first_mend(e->culprit, e->check->id, false)
			   : na_fact_first_see(e->check->id, e->culprit));
}

static void settle_late(struct na_case *c, struct na_finding *f)
{
	if (na_get(f->evidence, M_latency_ms) || f->no_wait || any_lost(c) ||
	    na_first_culprit(c))
		return;
	for (size_t i = 0; i < c->n; i++) {
		if (na_may_explain(c->findings[i], f)) {
			point_to(c, f, c->findings[i]);
			return;
		}
	}
}

static void judge_rpc_latency(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "rpc");
	/* TCP is the witness of what packets waited for: tcp-connection. */
	bool told = na_packets_told(c);
	bool surely = na_says(body, M_verdict, "RTO-like") ||
		      na_says(body, M_verdict, "low-RTO-like") ||
		      na_says(body, M_verdict, "delayed-ACK-like");
	double n = na_number_or(body, M_overall "." M_transfers, 0);
	int64_t tail = na_count_at(body, M_tail "." M_count);
	bool clocks = false;
	size_t before = c->n;

	na_for_each (v, told ? NULL : na_get(body, M_modes)) {
		bool off = of_clocks(c, v);

		clocks |= off;
		if (na_count_at(v, M_count) >= LEAST && !off)
			judge_mode(c, v, surely);
	}
	if (c->n == before)
		judge_ratio(c);
	if (c->n == before && n >= FEW && !clocks && !unknown_clocks(c) &&
	    !na_says(body, M_verdict, "constantly high"))
		tell_late(c, tail);
	if (c->n == before)
		tell_unseen(c, body, tail);
	na_transfers_few(c, n, FEW);
	na_check_failed_calls(c);
}

const struct na_check na_check_rpc_latency = {
	.id = "rpc-latency",
	.version = 1,
	.question = "late transfers while the link has room: tails, timers",
	.does_not_mean = "that the network is slow: an answer is late for its "
			 "server as well as for its path",
	.needs = {"rpc"},
	.uses = {"timeline", "pairs", "tcp", "session"},
	.judge = judge_rpc_latency,
	.of_either = true,
	.settle = settle_late,
	.acquits = NA_ACQUITS,
	.each_host = true,
};
