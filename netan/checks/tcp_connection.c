/*
 * tcp-connection: what holds TCP connections of a capture back, as `tcp`
 * judges them, a finding for each kind of trouble.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"

enum { LISTED = 10, LOST_LEAST = 3 };

static const double lost_much = 0.01; /* of the segments: an error, as in tcp */

/* clang-format off */
static const struct trouble {
	const char *verdict, *title, *titles, *culprit, *remedy;
	bool network;
	enum na_severity severity;
	bool unanswered; /* of these alone; they are none of the others' */
} troubles[] = {
	{"timeout_bound", "is silent in retransmission timeouts",
	 "are silent in retransmission timeouts",
	 "the network loses packets",
	 "find where packets are lost (ethtool -S and nstat on both hosts, "
	 "drop counters of the switch ports between them) and lower the "
	 "minimum RTO to 5 ms (ip route change ... rto_min 5ms)",
	 true, NA_SEV_ERROR, false},
	{"network_loss", "loses packets", "lose packets", "the network loses packets",
	 "find where packets are lost: ethtool -S and nstat on both hosts, "
	 "drop counters of the switch ports between them, queues that "
	 "overflow in bursts",
	 true, NA_SEV_WARNING, false},
	{"timeout_bound", "is never answered", "are never answered",
	 "a peer that never answers",
	 "is it up and listening, does a firewall drop the packets, or does "
	 "the capture see one way only",
	 true, NA_SEV_WARNING, true},
	{"receiver_too_slow", "waits for a receiver that does not read",
	 "wait for a receiver that does not read",
	 "a receiver that does not read",
	 "look at the receiving application: CPU, threads, what it does "
	 "between reads; larger net.ipv4.tcp_rmem only where bursts are short",
	 false, NA_SEV_WARNING, false},
	{"window_limited", "is limited by the receive window",
	 "are limited by the receive window",
	 "receive windows that are too small",
	 "raise net.ipv4.tcp_rmem and tcp_wmem (third value) and "
	 "net.core.rmem_max, wmem_max to at least bandwidth x round trip (16 "
	 "MiB or more)",
	 false, NA_SEV_WARNING, false},
};
/* clang-format on */

static bool loses_much(const struct na_value *connection)
{
	static const char *const ways[] = {M_fwd, M_rev};

	for (size_t i = 0; i < 2; i++) {
		const struct na_value *d = na_get(connection, ways[i]);
		double n = na_number_at(d, M_retransmissions "." M_total) -
			   na_number_at(d, M_retransmissions "." M_spurious);

		if (n >= LOST_LEAST &&
		    n >= lost_much * na_number_at(d, M_data_packets))
			return true;
	}
	return false;
}

static bool is_unanswered(const struct na_value *connection)
{
	return na_number_at(connection, M_fwd "." M_packets) == 0 ||
	       na_number_at(connection, M_rev "." M_packets) == 0;
}

struct group {
	const struct na_value *worst;
	double lost_s, from_s, to_s;
	size_t n, others; /* others: of this verdict, another trouble */
	bool much;
};

/* Connections come worst first. */
static struct group gather(struct na_case *c, const struct trouble *t,
			   struct na_value *list)
{
	struct group g = {.from_s = INFINITY, .to_s = -INFINITY};

	na_for_each (v, na_get(na_case_body(c, "tcp"), M_connections)) {
		struct na_value *to;

		if (!na_says(v, M_verdict, t->verdict))
			continue;
		if (is_unanswered(v) != t->unanswered) {
			g.others++;
			continue;
		}
		g.worst = g.worst ? g.worst : v;
		g.lost_s = fmax(g.lost_s,
				na_number_at(v, M_lost_ms) / NA_MS_PER_S);
		g.from_s = fmin(g.from_s, na_number_at(v, M_from_s));
		g.to_s = fmax(g.to_s, na_number_at(v, M_to_s));
		g.much |= !t->unanswered && loses_much(v);
		if (g.n++ >= LISTED)
			continue;
		to = na_put_object(c->r, list, NULL);
		na_case_copy(c, to, v, M_src, M_dst, M_lost_ms);
		na_put_text(c->r, to, M_what,
			    na_text_of(na_first(v, M_evidence), NULL));
	}
	return g;
}

static void judge_trouble(struct na_case *c, const struct trouble *t)
{
	struct na_value *list = na_case_list(c);
	const struct na_value *body = na_case_body(c, "tcp");
	struct group g = gather(c, t, list);
	/* Those that are not listed are counted, too. */
	int64_t n = na_int_of(na_get(na_dig(body, M_totals "." M_verdicts),
				     t->verdict),
			      (int64_t)(g.n + g.others)) -
		    (int64_t)g.others;
	struct na_finding *f;

	if (!g.n)
		return;
	f = na_case_find(c, t->network && g.much ? NA_SEV_ERROR : t->severity,
			 t->unanswered ? NA_POSSIBLE : NA_LIKELY, "tcp");
	f->network = t->network;
	f->culprit = t->culprit;
	f->from_s = g.from_s;
	f->to_s = g.to_s;
	f->lost_s = g.lost_s;
	f->title = na_case_text(
		c, "%lld of %lld connections %s, the worst %s -> %s",
		(long long)n, (long long)na_count_at(body, M_connections_used),
		n == 1 ? t->title : t->titles, na_text_at(g.worst, M_src),
		na_text_at(g.worst, M_dst));
	/* A peer that is down is not the network: that convicts nobody. */
	f->how = t->unanswered ? NULL : f->title;
	f->remedy = t->remedy;
	na_put_int(c->r, f->evidence, M_connections, n);
	na_put_int(c->r, f->evidence, M_of,
		   na_count_at(body, M_connections_used));
	na_put_alias(c->r, f->evidence, M_worst, list);
}

static void judge_tcp_connection(struct na_case *c)
{
	for (size_t i = 0; i < NA_LEN(troubles); i++)
		judge_trouble(c, &troubles[i]);
}

const struct na_check na_check_tcp_connection = {
	.id = "tcp-connection",
	.question = "connections of captures that lose packets or wait",
	.needs = {"tcp"},
	.judge = judge_tcp_connection,
	.acquits = NA_ACQUITS_PACKETS,
};
