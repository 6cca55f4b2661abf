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

static const char *remedy_of(const struct na_value *mode)
{
	if (strstr(na_text_at(mode, M_cause), "acknowledgement"))
		return "delayed acknowledgements hold small messages back: set "
		       "TCP_NODELAY or TCP_QUICKACK in the application, look "
		       "at requests that are written in pieces";
	return "lost packets wait for the retransmission timer: set the "
	       "minimum RTO to 5 ms (ip route change ... rto_min 5ms; netan "
	       "sysctl looks at it), look for drops at the hosts and switch "
	       "ports of the slow pairs (ethtool -S, nstat)";
}

static void put_mode(struct na_case *c, struct na_value *to,
		     const struct na_value *mode)
{
	na_case_copy(c, to, mode, M_latency_ms, M_cause);
	na_put_int(c->r, to, M_transfers, na_count_at(mode, M_count));
	na_put_real(c->r, to, M_transfers_share, na_number_at(mode, M_share));
	na_case_copy(c, to, mode, M_hosts);
	na_put_int(c->r, to, M_pairs, na_count_at(mode, M_pairs_affected));
	na_put_real(c->r, to, M_waited_s,
		    na_number_at(mode, M_count) *
			    na_number_at(mode, M_latency_ms) / NA_MS_PER_S);
	na_put_text(c->r, to, M_load,
		    na_text_or(mode, M_load "." M_state, NULL));
}

static const char *remedy_of_late(struct na_case *c)
{
	const struct na_value *culprit = na_first_culprit(c);

	if (any_lost(c))
		return "first mend what loses packets (tcp-connection): who "
		       "waits for one is late";
	if (culprit)
		return na_case_text(c,
				    "first mend %s (bad-endpoint), and look "
				    "again: who waits for it is late",
				    na_text_at(culprit, M_suspect));
	if (na_packets_told(c) &&
	    !na_count_at(na_case_body(c, "tcp"), M_connections_used))
		return "look at the slow pairs and the times of the worst "
		       "transfers (netan latency), and at their queue pairs "
		       "(netan rdma)";
	return "look at the slow pairs and the times of the worst transfers "
	       "(netan latency); check the hosts' TCP settings (netan sysctl)";
}

static void judge_mode(struct na_case *c, const struct na_value *mode,
		       bool surely)
{
	const struct na_value *hosts = na_get(mode, M_hosts);
	const char *who = na_case_names(c, hosts, 3);
	bool acquitted = is_acquitted(c, mode), unsure = unknown_clocks(c);
	bool lost = !acquitted && !unsure &&
		    !strstr(na_text_at(mode, M_cause), "acknowledgement");
	struct na_finding *f =
		na_case_find(c,
			     acquitted || unsure ? NA_SEV_INFO : NA_SEV_WARNING,
			     surely && !acquitted && !unsure && packets_seen(c)
				     ? NA_LIKELY
				     : NA_POSSIBLE,
			     "rpc");

	if (f->confidence == NA_LIKELY)
		f->sure = "the delay is a timer's, and packets that were sent "
			  "again are seen; whose they were follows from that";
	na_case_draw(c, f, "rpc -o rpc.svg");
	f->from_s = na_number_at(mode, M_first_s);
	f->to_s = na_number_at(mode, M_last_s);
	f->culprit = *who ? na_case_text(c, "packets seem lost at %s", who)
			  : "packets seem lost";
	/* One timeout makes all late who wait for it: whose it was is for
	 * pairs to tell, which acquits where they are no more than usual. */
	f->suspicion = (lost && !na_pairs_acquit(c)) || unsure;
	f->how = na_case_text(
		c, "%s %% of transfers come %s ms late, as by a retransmission",
		na_case_number(c, 100 * na_number_at(mode, M_share)),
		na_case_number(c, na_number_at(mode, M_latency_ms)));
	f->title = na_case_text(
		c, "%s transfers (%s %%) come %s ms late, %s%s%s%s%s",
		na_case_count(c, na_count_at(mode, M_count)),
		na_case_number(c, 100 * na_number_at(mode, M_share)),
		na_case_number(c, na_number_at(mode, M_latency_ms)),
		acquitted ? "though nothing was sent again" : "as if by ",
		acquitted ? "" : na_text_at(mode, M_cause), *who ? ", at " : "",
		who,
		unsure ? ", or since clocks differ, nobody knows by how much"
		       : "");
	f->remedy = acquitted ? "look at who answers these calls: not the "
				"network made them wait"
			      : remedy_of(mode);
	na_case_fact(c, f, "%s of waiting in all",
		     na_case_seconds(c,
				     na_number_at(mode, M_count) *
					     na_number_at(mode, M_latency_ms) /
					     NA_MS_PER_S));
	na_case_fact(c, f, "on %s pair%s, links loaded %s then",
		     na_case_count(c, na_count_at(mode, M_pairs_affected)),
		     na_plural(na_count_at(mode, M_pairs_affected)),
		     na_says(mode, M_load "." M_state, "usual") ? "as usual"
								: "heavily");
	f->otherwise = acquitted ? "the peer was busy, or answered on purpose "
				   "after that time"
				 : "a host that pauses as long, or an "
				   "application with such a timer";
	put_mode(c, f->evidence, mode);
}

/* The kernel of a send or receive runs from when its rank calls it. */
static void tell_waits(struct na_finding *f)
{
	f->severity = NA_SEV_INFO;
	f->remedy = "look at who comes late to these (netan collectives, netan "
		    "steps), before at the network";
	f->otherwise = "a slow network: the time of a send or receive holds "
		       "the wait for the other rank";
}

static const char *told(struct na_case *c, const struct na_value *all,
			const char *name)
{
	return na_case_seconds(c, na_number_at(all, name) / NA_US_PER_S);
}

/* Those that so many transfers have. */
static void tell_quantiles(struct na_case *c, struct na_finding *f,
			   const struct na_value *all, long long n)
{
	const char *beyond = "";

	if (n >= 10 * FEW)
		beyond = na_case_text(c, ", p99.9 %s",
				      told(c, all, M_p99_9_us));
	if (n < FEW)
		na_case_fact(c, f, "%s in the median, %s at most, %s transfers",
			     told(c, all, M_p50_us), told(c, all, M_max_us),
			     na_case_count(c, n));
	else
		na_case_fact(c, f, "p50 %s, p99 %s%s of %s transfers",
			     told(c, all, M_p50_us), told(c, all, M_p99_us),
			     beyond, na_case_count(c, n));
}

/* The quantile that it is: the slowest 1 % are there always, and how much
 * slower they are is what is found. */
static const char *title_of(struct na_case *c, long long n, double ratio)
{
	return na_case_text(
		c, "the slowest %s%s transfers take%s %s times as long as "
		   "usual for %s size or longer, %s",
		n < FEW ? "of " : "1 % of ", na_case_count(c, n),
		n < FEW ? "s" : "", na_case_number(c, ratio),
		n < FEW ? "its" : "their",
		c->capacity_gbps > 0 ? "without the link being full"
				     : "and whether a link was full then, "
				       "nothing tells (--capacity)");
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
	long long n = (long long)na_count_at(all, M_transfers);
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
	f->title = title_of(c, n, ratio);
	f->remedy = remedy_of_late(c);
	tell_quantiles(c, f, all, n);
	na_case_fact(c, f, "told above %s times (--tail-ratio)",
		     na_case_number(c, c->limits->tail_ratio));
	f->otherwise = "requests that wait for their turn at the sender or "
		       "the receiver";
	if (na_of_ranks(c))
		tell_waits(f);
	na_case_copy(c, f->evidence, all, M_transfers);
	na_put_real(c->r, f->evidence, M_p99_over_p50_of_size, ratio);
	na_case_copy(c, f->evidence, all, M_p50_us, M_p99_us, M_p99_9_us);
}

/* What rpc says of late transfers, as a remark: of so many. */
struct said {
	int64_t n;
	const char *how; /* "come more than 100 ms late, ..." */
};

static struct said alike_of(struct na_case *c, int64_t tail)
{
	const struct na_value *x = na_get(na_case_body(c, "rpc"), M_alike);
	int64_t n = na_count_at(x, M_count);
	const char *ms = na_case_number(c, na_number_at(x, M_latency_ms));
	const char *why = na_flag_at(x, M_nothing_sent_again)
				  ? ", though nothing was sent again"
				  : ": few, but as by a timer";

	if (na_number_at(x, M_latency_ms) < NA_TAIL_MS)
		return (struct said){
			n, na_case_text(c, "come %s ms late alike%s", ms, why)};
	return (struct said){
		tail, na_case_text(c,
				   "come more than %d ms late, %s by %s ms "
				   "alike%s",
				   NA_TAIL_MS,
				   n == tail ? "all"
					     : na_case_text(c, "%s of them",
							    na_case_count(c,
									  n)),
				   ms, why)};
}

/* Of captures TCP is the witness of modes: tcp-connection has who is behind
 * them, if anybody. */
static struct said said_of(struct na_case *c, int64_t tail)
{
	const struct na_value *body = na_case_body(c, "rpc");
	const struct na_value *mode = na_first(body, M_modes);

	if (na_get(body, M_alike))
		return alike_of(c, tail);
	if (na_count_at(mode, M_count) >= LEAST)
		return (struct said){
			na_count_at(mode, M_count),
			na_case_text(c,
				     "come %s ms late, like %s (netan tcp "
				     "tells whose)",
				     na_case_number(c, na_number_at(
							       mode,
							       M_latency_ms)),
				     na_text_at(mode, M_cause))};
	return (struct said){
		tail, na_case_text(c, "come more than %d ms late, not as a "
				      "timer makes them",
				   NA_TAIL_MS)};
}

/* Rarer than the slowest 1 %, so that those are no slower than usual. */
static void tell_late(struct na_case *c, int64_t tail)
{
	const struct na_value *all = na_get(na_case_body(c, "rpc"), M_overall);
	double n = na_number_at(all, M_transfers);
	const struct said said = said_of(c, tail);
	double share = (double)said.n / n;
	struct na_finding *f;

	if (said.n < LEAST)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE, "rpc");
	na_case_draw(c, f, "rpc -o rpc.svg");
	f->title = na_case_text(c, "%s transfers (%s %%) %s",
				na_case_count(c, said.n),
				na_case_number(c, 100 * share), said.how);
	f->remedy = remedy_of_late(c);
	tell_quantiles(c, f, all, (long long)n);
	f->otherwise = "requests that wait for their turn at the sender or "
		       "the receiver";
	if (na_of_ranks(c))
		tell_waits(f);
	na_put_int(c->r, f->evidence, M_transfers, said.n);
	na_put_real(c->r, f->evidence, M_transfers_share, share);
	na_case_copy(c, f->evidence, all, M_p50_us, M_p99_us, M_p99_9_us);
}

/* Latency that is high all the time hides what a timer adds to it. */
static void miss_high(struct na_case *c, const struct na_value *body)
{
	int64_t constant = na_count_at(body, M_tail "." M_constant);

	if (constant)
		na_case_missing(c,
				"transfers that are late now and then: %s are "
				"of a host that is late most of the time (see "
				"netan rpc and bad-endpoint)",
				na_case_count(c, constant));
	else
		na_case_missing(c,
				"a usual latency below 10 ms, beside which "
				"waits show: the median takes %s",
				told(c, na_get(body, M_overall), M_p50_us));
}

/* Nothing was found: that says something only where it could have been. */
static void tell_unseen(struct na_case *c, const struct na_value *body,
			int64_t tail)
{
	const char *n = na_case_count(c, na_count_at(body,
						     M_overall "."
						     M_transfers));

	if (unknown_clocks(c))
		na_case_missing(c, "clocks that agree, or more pairs to tell "
				   "by how much they do not: latencies are "
				   "off by as much");
	else if (na_says(body, M_verdict, "constantly high"))
		miss_high(c, body);
	else if (tail)
		na_case_missing(c,
				"%d late transfers or more, to tell what makes "
				"them late: %s of %s %s more than %d ms late",
				LEAST, na_case_count(c, tail), n,
				tail == 1 ? "is" : "are", NA_TAIL_MS);
	else if (long_tail(c) > c->limits->tail_ratio)
		na_case_missing(c, "a link with room, and clocks that agree: "
				   "the slowest 1 %% of %s transfers take %s "
				   "times as long as usual for their size",
				n, na_case_number(c, long_tail(c)));
}

/* A straggler, a server that is slow itself: who waits for it is late as well.
 * Of a tail without timers no more is known. */
static void point_to(struct na_case *c, struct na_finding *f,
		     const struct na_finding *e)
{
	bool awaited = e->check->explains == NA_EXPLAINS_WAITING;

	na_case_fact(c, f, "%s%s (%s): how much of this that explains is not "
			   "told",
		     awaited ? "others wait for " : "", e->culprit,
		     e->check->id);
	f->remedy = awaited ? na_case_text(c,
					   "first mend %s (%s), and look again",
					   e->culprit, e->check->id)
			    : na_case_text(c,
					   "first see %s: %s; then look again",
					   e->check->id, e->culprit);
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
