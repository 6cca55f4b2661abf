/*
 * Captures: whose data is delivered more slowly than that of others, without any
 * loss, as `tcp` judges it (delivery); why nobody can say that all are alike; and
 * what was looked for where all are.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

enum { COMPARED_HOSTS = 5 };

/* Of the likeliest side that is not named: a NIC at 0.7 of the rate of the
 * others comes to more, unless its bound is above `bound_most`. */
static const double doubt_few = 0.3, doubt_many = 0.015, bound_most = 2;

static const struct na_value *delivery_of(const struct na_case *c)
{
	return na_get(na_case_body(c, "tcp"), M_delivery);
}

bool na_packets_slow_side(const struct na_case *c)
{
	return na_length(delivery_of(c), M_culprits) > 0;
}

static double likeliest(const struct na_case *c)
{
	return na_number_or(na_first(delivery_of(c), M_undecided), M_posterior,
			    0);
}

static double largest_bound(const struct na_case *c)
{
	size_t unknown;

	return na_largest_bound(na_get(delivery_of(c), M_power), &unknown);
}

static bool many_hosts(const struct na_case *c)
{
	return na_count_at(delivery_of(c), M_n_hosts) >= COMPARED_HOSTS;
}

bool na_packets_compared(const struct na_case *c)
{
	return na_packets_slow_side(c) || many_hosts(c);
}

static void tell_slow(struct na_case *c, const struct na_value *x)
{
	const double *ci = na_reals_at(x, M_excess_ci95, 2);
	bool path = na_says(x, M_kind, "pair");
	struct na_finding *f = na_case_find(c, NA_SEV_ERROR, NA_LIKELY,
					    "tcp");

	na_case_accuse(f, NA_CAUSE_NETWORK, na_who_of(x), na_case_who(c, x));
	f->how = na_case_text(
		c, "data takes %s times as long as elsewhere, without loss",
		na_case_number(c, na_number_at(x, M_excess)));
	f->title = na_case_text(c, "%s is slow: %s", f->culprit, f->how);
	f->remedy = path ? "look at the speed that the NICs and switch ports "
			   "of both hosts have negotiated (ethtool), and at "
			   "shapers (tc -s qdisc); with more pairs of hosts "
			   "the slow end shows"
			 : "look at the speed that this NIC and its switch "
			   "port have negotiated (ethtool), at shapers (tc -s "
			   "qdisc) and at the lanes of its slot (lspci -vv)";
	na_case_fact(c, f,
		     "%s stretches of its data on %s paths, without a pause of "
		     "the program: %s times the time that other hosts need",
		     na_case_count(c, na_count_at(x, M_stretches)),
		     na_case_count(c, na_count_at(x, M_pairs)),
		     na_case_number(c, na_number_at(x, M_excess)));
	if (ci)
		na_case_fact(c, f, "95 %%: %s to %s times",
			     na_case_number(c, ci[0]),
			     na_case_number(c, ci[1]));
	f->sure = na_case_text(c, "odds %s to 1 against no fault",
			       na_case_number(c, na_number_at(x, M_odds)));
	f->otherwise = "its program writes or reads slowly in the middle of a "
		       "message, or the host is short of CPU";
	na_case_copy(c, f->evidence, x, M_kind, M_host, M_src_host, M_dst_host,
		     M_posterior, M_odds, M_excess, M_excess_ci95, M_pairs,
		     M_stretches);
}

void na_check_slow_sides(struct na_case *c)
{
	na_for_each (v, na_get(delivery_of(c), M_culprits))
		tell_slow(c, v);
}

static bool mentions(const struct na_finding *f, const char *host)
{
	const struct na_who *w = &f->who;

	if (!*host || !f->cause)
		return false;
	na_for_each (v, w->hosts) {
		if (strcmp(na_text_of(v, ""), host) == 0)
			return true;
	}
	return (w->host && strcmp(w->host, host) == 0) ||
	       (w->src_host && strcmp(w->src_host, host) == 0) ||
	       (w->dst_host && strcmp(w->dst_host, host) == 0);
}

/* Some finding is about one of its hosts. */
static bool is_explained(const struct na_case *c, const struct na_value *x)
{
	for (size_t i = 0; i < c->n; i++) {
		if (mentions(c->findings[i], na_text_at(x, M_host)) ||
		    mentions(c->findings[i], na_text_at(x, M_src_host)) ||
		    mentions(c->findings[i], na_text_at(x, M_dst_host)))
			return true;
	}
	return false;
}

/* Whom `pairs` names by the latencies of calls, and nothing else does. */
static const char *slow_calls(struct na_case *c)
{
	na_for_each (v, na_get(na_case_body(c, "pairs"), M_culprits)) {
		if (!is_explained(c, v))
			return na_case_text(
				c,
				"transfers of %s take %s times as long as "
				"others (netan pairs), and no packet says why: "
				"capture at both ends",
				na_case_who(c, v),
				na_case_number(c, na_number_at(v, M_excess)));
	}
	return NULL;
}

const char *na_packets_slow_open(struct na_case *c)
{
	const struct na_value *d = delivery_of(c);
	bool many = many_hosts(c);
	double most = largest_bound(c);

	if (likeliest(c) >= (many ? doubt_many : doubt_few))
		return na_case_text(
			c,
			"nothing is lost, but %s may be slower than others "
			"(probability %s): capture for longer, in the middle "
			"or on all hosts",
			na_case_who(c, na_first(d, M_undecided)),
			na_case_number(c, likeliest(c)));
	if (many && most > bound_most)
		return na_case_text(
			c,
			"nothing is lost, but a side of a host may be up to "
			"%sx slower than others (97.5 %% bound): capture for "
			"longer, in the middle or on all hosts",
			na_case_number(c, most));
	if (many && !na_length(delivery_of(c), M_undecided))
		return "nothing is lost, but hosts cannot be compared, as all "
		       "that was recorded is one host's: a slow NIC shows "
		       "where all pass, or in the captures of all hosts "
		       "together";
	return slow_calls(c);
}

static const char *rate(struct na_case *c)
{
	const struct na_value *d = delivery_of(c);
	double most = largest_bound(c);

	if (!(most > 0))
		return "rate (not compared: it takes four hosts that send ten "
		       "segments in a row)";
	return na_case_text(
		c, "rate (a side more than %sx slower would have shown on %s hosts)",
		na_case_number(c, most),
		na_case_count(c, na_count_at(d, M_n_hosts)));
}

/* Round trips that were measured, and the longest of the shortest. */
static const char *delay(struct na_case *c)
{
	double least = 0;
	long long n = 0;

	na_for_each (v, na_get(na_case_body(c, "tcp"), M_connections)) {
		double rtt = na_number_at(v, M_path_rtt_us);

		n += rtt > 0;
		least = fmax(least, rtt);
	}
	if (!n)
		return "delay and queues (no round trip is known)";
	return na_case_text(c,
			    "delay (round trips of at most %s at rest on %s "
			    "connection%s), queues (round trips under load "
			    "5 times that, and 8 ms longer, would have shown)",
			    na_case_seconds(c, least / NA_US_PER_S),
			    na_case_count(c, n), na_plural((size_t)n));
}

const char *na_packets_looked_for(struct na_case *c)
{
	if (!na_length(na_case_body(c, "tcp"), M_connections))
		return "";
	return na_case_text(c, "; also looked for: %s, %s", rate(c), delay(c));
}
