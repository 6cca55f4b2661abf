/*
 * rdma-queue-pair: what holds RoCEv2 queue pairs of a capture back, as `rdma`
 * judges them: a finding for each kind of trouble.  Loss and timeouts accuse
 * the side of a NIC, or the path, that a test of needed repeats names, else the
 * network; a receiver that is not ready is named, and acquits the network.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

enum { LISTED = 10, LOST_LEAST = 3 };

static const double lost_much = 0.01; /* of the packets: an error, as in rdma */
static const double trifle = 0.001; /* of the time: waits that hardly matter */

static bool is_of_loss(const struct na_value *row)
{
	return na_says(row, M_verdict, "loss") ||
	       na_says(row, M_verdict, "timeout");
}

static double needed_of(const struct na_value *row)
{
	return is_of_loss(row) ? na_number_or(row, M_repeats "." M_needed, 0)
			       : 0;
}

/* That do not follow from each other. */
static double losses_of(const struct na_value *row)
{
	return na_loss_events(na_get(row, M_repeats), needed_of(row));
}

/* What its queue pairs share of those with trouble: a side, or a path. */
static bool shared(struct na_case *c, const char *verdict,
		   struct na_packets_side *x)
{
	const struct na_value *first = NULL;
	bool src = true, dst = true;

	na_for_each (row, na_get(na_case_body(c, "rdma"), M_queue_pairs)) {
		if (!na_says(row, M_verdict, verdict))
			continue;
		first = first ? first : row;
		src &= strcmp(na_text_at(row, M_src),
			      na_text_at(first, M_src)) == 0;
		dst &= strcmp(na_text_at(row, M_dst),
			      na_text_at(first, M_dst)) == 0;
	}
	if (!first || (!src && !dst))
		return false;
	*x = (struct na_packets_side){
		.kind = src && dst ? "pair"
			: src      ? "src"
				   : "dst",
		.src = na_packets_end(first, false),
		.dst = na_packets_end(first, true),
		.host = na_packets_end(first, !src),
	};
	return true;
}

static double sum_of(const struct na_flows *f)
{
	double n = 0;

	for (size_t i = 0; f->v && i < f->n; i++)
		n += f->v[i].events;
	return n;
}

/* ---- whom it accuses */

/* One or two packets: nobody is to blame for them. */
static void tell_rare(struct na_case *c, struct na_finding *f, double lost)
{
	f->severity = NA_SEV_WARNING;
	f->confidence = NA_POSSIBLE;
	f->suspicion = true;
	f->culprit = na_case_say(c, na_fact_roce_losses_too_few((int64_t)lost));
}

static void accuse_loss(struct na_case *c, struct na_finding *f,
			const char *verdict)
{
	struct na_packets_side side[NA_SIDES_MOST];
	struct na_flows flows = na_packets_rdma_flows(c, losses_of);
	size_t n = flows.v ? na_packets_sides(c, &flows, NA_SEGMENTS_LEAST,
					      side)
			   : 0;
	double lost = sum_of(&flows);
	struct na_fact how;

	(void)verdict; /* losses and timeouts count together */
	if (lost < LOST_LEAST) {
		tell_rare(c, f, lost);
		return;
	}
	if (lost < NA_LOST_SURELY)
		f->confidence = NA_POSSIBLE;
	if (!n) {
		na_case_accuse(f, NA_CAUSE_NETWORK,
			       na_packets_between(c, &flows),
			       na_case_say(c, na_fact_network_loses_packets(
						      NULL, false, true)));
		return;
	}
	na_case_accuse(f, NA_CAUSE_NETWORK, na_packets_who(&side[0]),
		       na_packets_loses(c, &side[0]));
	if (isnan(side[0].p_value))
		return;
	how = na_fact_roce_losses_of_side((int64_t)side[0].events,
					  (int64_t)side[0].segments,
					  (int64_t)side[0].rest_events,
					  (int64_t)side[0].rest_segments);
	f->how = na_case_say(c, how);
	na_case_evidence(c, f,
			 na_fact_statement_on(na_packets_name(c, &side[0]),
					      f->how));
}

static void accuse_receiver(struct na_case *c, struct na_finding *f,
			    const char *verdict)
{
	struct na_packets_side x;

	if (!shared(c, verdict, &x) || strcmp(x.kind, "src") == 0) {
		f->culprit = na_case_say(c, na_fact_receiver_posts_late(NULL));
		return;
	}
	na_case_accuse(f, NA_CAUSE_SERVER,
		       (struct na_who){.kind = "host", .host = x.dst},
		       na_case_say(c, na_fact_receiver_posts_late(x.dst)));
}

static double is_congested(const struct na_value *row)
{
	return na_says(row, M_verdict, "congested");
}

static void accuse_queue(struct na_case *c, struct na_finding *f,
			 const char *verdict)
{
	struct na_flows flows = na_packets_rdma_flows(c, is_congested);
	struct na_packets_side x;
	bool known = shared(c, verdict, &x);

	na_case_accuse(
		f, NA_CAUSE_NETWORK,
		known ? na_packets_who(&x) : na_packets_between(c, &flows),
		na_case_say(c, na_fact_congestion_on(
				       known ? na_packets_name(c, &x) : NULL)));
}

/* clang-format off */
static const struct trouble {
	const char *verdict;
	struct na_fact (*title)(int64_t n);
	struct na_fact (*remedy)(void);
	void (*accuse)(struct na_case *c, struct na_finding *f,
		       const char *verdict);
	enum na_severity severity;
	enum na_confidence confidence;
} troubles[] = {
	{"timeout", na_fact_roce_timeouts, na_fact_roce_timeouts_remedy,
	 accuse_loss, NA_SEV_ERROR, NA_LIKELY},
	{"loss", na_fact_roce_loss, na_fact_roce_loss_remedy,
	 accuse_loss, NA_SEV_WARNING, NA_LIKELY},
	{"receiver_not_ready",
	 na_fact_receiver_not_ready, na_fact_receiver_not_ready_remedy,
	 accuse_receiver, NA_SEV_WARNING, NA_CERTAIN},
	{"congested", na_fact_roce_congestion, na_fact_roce_congestion_remedy,
	 accuse_queue, NA_SEV_WARNING, NA_LIKELY},
};
/* clang-format on */

/* Queue pairs of one trouble; they come worst first. */
struct group {
	const struct na_value *worst;
	struct na_value *list;
	double lost_s, from_s, to_s;
	double slowed_s; /* behind notifications, the worst */
	double events;   /* losses, notifications */
	double marks;    /* of congestion */
	size_t n;
	bool much;
};

static void add_to(struct na_case *c, struct group *g, const struct na_value *v)
{
	double needed = needed_of(v);
	struct na_value *to;

	g->worst = g->worst ? g->worst : v;
	g->lost_s = fmax(g->lost_s, na_number_at(v, M_lost_ms) / NA_MS_PER_S);
	/* Of older files: who knows. */
	g->slowed_s = fmax(g->slowed_s,
			   na_number_or(v, M_slowed_ms, INFINITY) /
				   NA_MS_PER_S);
	g->marks += na_number_or(v, M_ecn_marks, 0);
	g->from_s = fmin(g->from_s, na_number_at(v, M_from_s));
	g->to_s = fmax(g->to_s, na_number_at(v, M_to_s));
	g->events += is_of_loss(v) ? losses_of(v)
				   : na_number_or(v, M_cnps, 0);
	g->much |= needed >= LOST_LEAST &&
		   needed >= lost_much * na_number_at(v, M_packets);
	if (g->n++ >= LISTED)
		return;
	to = na_put_object(c->r, g->list, NULL);
	na_case_copy(c, to, v, M_src, M_dst, M_qp, M_lost_ms);
	na_put_text(c->r, to, M_what,
		    na_text_of(na_first(v, M_evidence), NULL));
}

/* A few, and they cost next to nothing; or more notifications, for which
 * senders were hardly slowed down. */
static bool is_trifle(const struct na_case *c, const struct trouble *t,
		      const struct group *g)
{
	double most_s = NA_TRIFLE * na_packets_span_s(c);

	if (t->accuse == accuse_receiver || t->severity >= NA_SEV_ERROR ||
	    g->much || g->lost_s >= most_s)
		return false;
	return g->events < NA_SEGMENTS_LEAST ||
	       (t->accuse == accuse_queue && g->slowed_s < most_s);
}

/* How fast it had been without, the packets do not tell; nor what a loss costs
 * whose end was not seen. */
static void suspect(struct na_case *c, struct na_finding *f,
		    const struct trouble *t, const struct group *g)
{
	bool queue = t->accuse == accuse_queue;
	bool marks = queue && !(g->events > 0);
	if (!queue && g->lost_s > 0)
		return;
	f->suspicion = true;
	f->culprit =
		na_case_say(c, na_fact_roce_cost_unknown(
				       (int64_t)(marks ? g->marks : g->events),
				       queue, marks));
}

/* What accuses no network and costs next to nothing is a remark. */
static enum na_severity severity_of(const struct na_case *c,
				    const struct trouble *t,
				    const struct group *g)
{
	if (g->much)
		return NA_SEV_ERROR;
	if (is_trifle(c, t, g))
		return NA_SEV_INFO;
	return t->accuse == accuse_receiver &&
			       g->lost_s < trifle * (g->to_s - g->from_s)
		       ? NA_SEV_INFO
		       : t->severity;
}

static void tell(struct na_case *c, const struct trouble *t, struct group *g)
{
	const struct na_value *body = na_case_body(c, "rdma");
	int64_t all = na_count_at(body, M_queue_pairs_used);
	int64_t n = na_int_of(na_get(na_dig(body, M_totals "." M_verdicts),
				     t->verdict),
			      (int64_t)g->n);
	const char *ends = na_packets_ends(c, g->worst, false);
	struct na_finding *f = na_case_find(c, severity_of(c, t, g),
					    t->confidence, "rdma");

	na_case_draw(c, f,
		     na_case_text(c, "%s -o rdma.svg",
				  na_packets_more(c, "rdma", g->worst)));
	f->from_s = g->from_s;
	f->to_s = g->to_s;
	f->title = na_case_say(c, na_fact_connections_in_trouble(
					  n, all, true,
					  na_case_say(c, t->title(n)), ends));
	f->remedy = na_case_say(c, t->remedy());
	na_for_each (v, na_get(g->worst, M_evidence))
		na_put_text(c->r, f->facts, NULL, na_text_of(v, ""));
	if (t->confidence == NA_LIKELY)
		f->sure = na_case_say(c, na_fact_counted_where_packets_were(
						 false));
	f->how = f->title;
	if (is_trifle(c, t, g))
		suspect(c, f, t, g);
	else
		t->accuse(c, f, t->verdict);
	na_packets_cost(c, f, g->lost_s);
	na_packets_whose(c, f, n, true, ends);
	na_put_int(c->r, f->evidence, M_queue_pairs, n);
	na_put_int(c->r, f->evidence, M_of, all);
	na_put_alias(c->r, f->evidence, M_worst, g->list);
}

/* To pass; NULL: enough. */
static const char *missing(struct na_case *c)
{
	const char *stalled = na_packets_rdma_stalled(c);

	if (stalled)
		return na_case_say(c, na_fact_waiting_data_to_end(stalled));
	return na_packets_few(c,
			      na_number_or(na_case_body(c, "rdma"),
					   M_totals "." M_packets, 0),
			      true);
}

static void judge_rdma_queue_pair(struct na_case *c)
{
	for (size_t i = 0; i < NA_LEN(troubles); i++) {
		struct group g = {.list = na_case_list(c),
				  .from_s = INFINITY,
				  .to_s = -INFINITY};

		na_for_each (v, na_get(na_case_body(c, "rdma"), M_queue_pairs))
			if (na_says(v, M_verdict, troubles[i].verdict))
				add_to(c, &g, v);
		if (g.n)
			tell(c, &troubles[i], &g);
	}
	c->missing = missing(c);
}

const struct na_check na_check_rdma_queue_pair = {
	.id = "rdma-queue-pair",
	.version = 1,
	.question = "RoCEv2 queue pairs that lose packets or wait",
	.does_not_mean = "which switch or cable drops packets: the capture "
			 "shows between which two points they are lost",
	.needs = {"rdma"},
	.judge = judge_rdma_queue_pair,
	.acquits = NA_ACQUITS_PACKETS,
};
