/*
 * tcp-connection: connections that lose packets, as often as they do, and those
 * whose long packets never arrive.
 */
#include "netan/checks/packets/tcp_loss.h"

#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"
#include "netan/checks/verdict.h"

enum { LOST_LEAST = 3 };

static const double lost_much = 0.01; /* of the segments: an error, as in tcp */

bool na_loss_is_hole(const struct na_value *row)
{
	return na_flag_at(row, M_fwd "." M_black_hole) ||
	       na_flag_at(row, M_rev "." M_black_hole);
}

static bool is_gone(const struct na_value *way)
{
	return na_flag_at(way, M_black_hole) || na_flag_at(way, M_gone);
}

bool na_loss_is_back(const struct na_value *row)
{
	const struct na_value *fwd = na_get(row, M_fwd);
	const struct na_value *rev = na_get(row, M_rev);

	if (is_gone(fwd) || is_gone(rev))
		return !is_gone(fwd);
	return na_packets_needed(row, rev) > na_packets_needed(row, fwd);
}

bool na_loss_is_much(const struct na_value *connection)
{
	static const char *const ways[] = {M_fwd, M_rev};

	for (size_t i = 0; i < 2; i++) {
		const struct na_value *d = na_get(connection, ways[i]);
		double n = na_packets_lost(d);

		if (n >= LOST_LEAST && n >= lost_much * na_packets_segments(d))
			return true;
	}
	return false;
}

long long na_loss_connections(const struct na_case *c, const char *verdict)
{
	const struct na_value *body = na_case_body(c, "tcp");
	const struct na_value *all = na_dig(body, M_totals "." M_verdicts);
	long long listed = 0, holes = 0;

	na_for_each (v, na_get(body, M_connections)) {
		listed += na_says(v, M_verdict, verdict);
		holes += na_says(v, M_verdict, verdict) && na_loss_is_hole(v);
	}
	return (long long)na_int_of(na_get(all, verdict), listed) - holes;
}

/* What the ways that lose packets show, all together, whatever else holds their
 * connections back: it is one network that loses them. */
struct loss {
	double segments, needed, holes, timeouts, syns;
	double events; /* that do not follow from each other */
	long long ways, connections;
	long long listed; /* connections, where these are not all; 0: all are */
};

static void add_way(struct loss *x, const struct na_value *way)
{
	x->segments += na_packets_segments(way);
	x->needed += na_packets_lost(way);
	x->holes += na_number_or(way, M_capture_holes, 0);
	x->timeouts += na_number_or(way, M_timeouts, 0);
	x->ways++;
}

static double syns_of(const struct na_value *way)
{
	return na_number_or(way, M_needed_retransmissions, 0) -
	       na_packets_lost(way);
}

static struct loss loss_of(const struct na_case *c)
{
	static const char *const ways[] = {M_fwd, M_rev};
	const struct na_value *tcp = na_case_body(c, "tcp");
	struct loss x = {0};
	long long named = na_loss_connections(c, "timeout_bound") +
			  na_loss_connections(c, "network_loss");

	if (na_count_at(tcp, M_connections_not_listed))
		x.listed = (long long)na_length(tcp, M_connections);
	na_for_each (row, na_get(tcp, M_connections)) {
		long long before = x.ways;

		for (size_t i = 0; i < NA_LEN(ways); i++) {
			const struct na_value *way = na_get(row, ways[i]);

			if (!na_flag_at(way, M_loses) || na_loss_is_hole(row))
				continue;
			x.syns += syns_of(way);
			x.events += na_loss_events(
				way,
				na_number_or(way, M_needed_retransmissions, 0));
			if (na_packets_lost(way) > 0)
				add_way(&x, way);
		}
		x.connections += x.ways > before;
	}
	/* Segments are of what is listed, and so are their connections. */
	if (!x.listed && x.connections < named)
		x.connections = named;
	return x;
}

/* Of so few segments the capture missed as many as the network seems to have
 * lost: it, or a damaged file, is as good an explanation. */
static bool is_doubtful(const struct loss *x)
{
	return x->segments < NA_FEW_PACKETS && x->holes > 0 &&
	       x->holes >= x->needed;
}

/* One or two packets: every network loses some, and nobody is to blame for
 * them. */
static bool is_rare(const struct loss *x)
{
	return (x->segments > 0 || x->syns > 0) && x->needed < LOST_LEAST &&
	       x->syns < LOST_LEAST && x->timeouts < LOST_LEAST;
}

/* A few, and they cost next to nothing. */
static bool is_trifle(const struct na_case *c, const struct loss *x,
		      const struct na_value *worst)
{
	double most_s = NA_TRIFLE * na_packets_span_s(c);

	return x->events < NA_SEGMENTS_LEAST && x->timeouts < 1 &&
	       x->needed < lost_much * x->segments &&
	       na_number_at(worst, M_lost_ms) < most_s * NA_MS_PER_S;
}

static bool is_syns_alone(const struct loss *x)
{
	return x->syns > 0 && !(x->needed > 0);
}

/* "3 of 2 576 data segments (0.12 %)", in the digits that tcp prints. */
static const char *part_of(struct na_case *c, const struct loss *x)
{
	char percent[NA_UNIT_BUF];

	na_print_number(percent, 100 * x->needed / x->segments, 2);
	return na_case_say(c, na_fact_segments_lost((int64_t)x->needed,
						    (int64_t)x->segments,
						    percent));
}

static void say_lost(struct na_case *c, struct na_finding *f,
		     const struct na_value *worst, const struct loss *x)
{
	const char *ends = na_packets_ends(c, worst, na_loss_is_back(worst));
	int64_t n = x->connections;
	const char *which =
		na_case_say(c, na_fact_connections_that_lose(
				       n, x->listed,
				       na_count_at(na_case_body(c, "tcp"),
						   M_connections_used)));

	if (x->segments > 0)
		f->how = na_case_say(c, na_fact_lost_and_sent_again(
						part_of(c, x), x->ways > 1,
						which, n, ends));
	if (!is_syns_alone(x))
		return;
	f->how = na_case_say(c, na_fact_syns_sent_again((int64_t)x->syns, which,
							n, ends));
	f->otherwise = na_case_say(c, na_fact_syns_sent_again_otherwise());
}

/* Too little to blame anybody, in words; NULL: enough. */
static const char *too_few(struct na_case *c, const struct loss *x)
{
	if (is_doubtful(x))
		return na_case_say(
			c, na_fact_too_few_seem_lost((int64_t)x->needed,
						     (int64_t)x->segments,
						     (int64_t)x->holes));
	if (is_rare(x) && is_syns_alone(x))
		return na_case_say(c, na_fact_too_few_syns((int64_t)x->syns));
	if (is_rare(x))
		return na_case_say(c, na_fact_too_few_lost(part_of(c, x)));
	return NULL;
}

/* A side that this does not explain as well. */
static bool is_named(const struct na_packets_side *side, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!na_packets_is_doubted(&side[i]))
			return true;
	return false;
}

/* Enough to blame the network for it.  Between two hosts there is one path, and
 * nobody else: whoever loses, it is named. */
static bool is_sure(const struct loss *x, const struct na_flows *flows,
		    const struct na_packets_side *side, size_t n)
{
	if (!(x->segments > 0 || x->syns > 0) || x->events >= NA_LOST_SURELY)
		return true;
	return flows->hosts == 2 && x->segments > 0 && n == 1 &&
	       x->events >= NA_SEGMENTS_LEAST &&
	       !na_packets_is_doubted(&side[0]);
}

void na_loss_accuse(struct na_case *c, struct na_finding *f,
		    const struct na_value *worst)
{
	struct loss x = loss_of(c);
	const char *few = too_few(c, &x);
	struct na_packets_side side[NA_SIDES_MOST];
	struct na_flows flows = na_packets_flows(c, na_packets_losses);
	size_t n = flows.v ? na_packets_sides(c, &flows, NA_SEGMENTS_LEAST,
					      side)
			   : 0;
	/* Of captures beside traces nobody else localises. */
	bool told = na_captures_alone(c) && is_named(side, n) &&
		    na_case_body(c, "pairs");

	say_lost(c, f, worst, &x);
	if (few) {
		f->severity = NA_SEV_WARNING;
		f->confidence = NA_POSSIBLE;
		f->suspicion = true;
		f->culprit = few;
		return;
	}
	if (is_trifle(c, &x, worst)) {
		f->severity = NA_SEV_INFO;
		f->suspicion = true;
		f->culprit = na_case_say(c,
					 na_fact_too_few_lost(part_of(c, &x)));
		return;
	}
	if (!is_sure(&x, &flows, side, n))
		f->confidence = NA_POSSIBLE;
	if (n == 1 && isnan(side[0].p_value)) {
		na_case_accuse(f, NA_CAUSE_NETWORK, na_packets_who(&side[0]),
			       na_packets_loses(c, &side[0]));
		return;
	}
	/* Without exchanges nobody localises. */
	told &= na_case_asks(c, "bad-endpoint");
	f->culprit = na_case_say(c, na_fact_network_loses_packets(NULL, false,
								  false));
	if (!told)
		na_case_accuse(f, NA_CAUSE_NETWORK,
			       na_packets_between(c, &flows), f->culprit);
}

/* Of one way: which packets, and what to do. */
static void say_hole(struct na_case *c, struct na_finding *f,
		     const struct na_value *way)
{
	const struct na_value *x = na_get(way, M_lengths);
	int64_t all = na_count_at(x, M_short_sent);

	if (*f->remedy)
		return;
	f->how = na_case_say(c, na_fact_long_packets_lost(
					na_count_at(x, M_long_sent),
					na_count_at(x, M_long_least),
					all - na_count_at(x, M_short_lost), all,
					na_count_at(x, M_short_most)));
	f->remedy = na_text_at(way, M_black_hole_remedy);
}

void na_loss_accuse_hole(struct na_case *c, struct na_finding *f,
			 const struct na_value *worst)
{
	bool fwd = na_flag_at(worst, M_fwd "." M_black_hole);
	const struct na_value *way = na_get(worst, fwd ? M_fwd : M_rev);
	struct na_who who = {.kind = "pair",
			     .src_host = na_packets_host(c, worst, !fwd),
			     .dst_host = na_packets_host(c, worst, fwd)};

	f->culprit = na_text_at(way, M_black_hole_cause);
	say_hole(c, f, way);
	na_case_accuse(f, NA_CAUSE_NETWORK, who, f->culprit);
}
