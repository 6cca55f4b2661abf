/*
 * Captures: whose data is delivered more slowly than that of others, without any
 * loss, as `tcp` judges it (delivery); why nobody can say that all are alike; and
 * what was looked for where all are.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
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
	double times = na_number_at(x, M_excess);
	struct na_finding *f = na_case_find(c, NA_SEV_ERROR, NA_LIKELY,
					    "tcp");

	na_case_accuse(f, NA_CAUSE_NETWORK, na_who_of(x), na_case_who(c, x));
	f->how = na_case_say(c, na_fact_data_takes_longer(times));
	f->title = na_case_say(c,
			       na_fact_side_is_slow(f->culprit, false, f->how));
	f->remedy = na_case_say(c, na_fact_data_takes_longer_remedy(
					   na_says(x, M_kind, "pair")));
	na_case_evidence(
		c, f,
		na_fact_stretches_take_longer(na_count_at(x, M_stretches),
					      na_count_at(x, M_pairs), times));
	if (ci)
		na_case_evidence(c, f, na_fact_times_ci95(ci[0], ci[1]));
	f->sure = na_case_say(c, na_fact_odds_against_no_fault(
					 na_number_at(x, M_odds)));
	f->otherwise = na_case_say(c, na_fact_data_takes_longer_otherwise());
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
			return na_case_say(c,
					   na_fact_transfers_take_longer(
						   na_case_who(c, v),
						   na_number_at(v, M_excess)));
	}
	return NULL;
}

const char *na_packets_slow_open(struct na_case *c)
{
	const struct na_value *d = delivery_of(c);
	bool many = many_hosts(c);
	double most = largest_bound(c);

	if (likeliest(c) >= (many ? doubt_many : doubt_few))
		return na_case_say(
			c, na_fact_side_may_be_slower(
				   na_case_who(c, na_first(d, M_undecided)),
				   likeliest(c)));
	if (many && most > bound_most)
		return na_case_say(c, na_fact_any_side_may_be_slower(most));
	if (many && !na_length(delivery_of(c), M_undecided))
		return na_case_say(c, na_fact_hosts_not_compared());
	return slow_calls(c);
}

const char *na_packets_looked_for(struct na_case *c)
{
	const struct na_value *rows = na_get(na_case_body(c, "tcp"),
					     M_connections);
	double bound = largest_bound(c);
	double longest_us = 0; /* of the shortest of each connection */
	int64_t n = 0;

	if (!na_items(rows))
		return "";
	na_for_each (v, rows) {
		double rtt_us = na_number_at(v, M_path_rtt_us);

		n += rtt_us > 0;
		longest_us = fmax(longest_us, rtt_us);
	}
	return na_case_say(c, na_fact_also_looked_for(
				      bound > 0 ? bound : NAN,
				      na_count_at(delivery_of(c), M_n_hosts), n,
				      longest_us / NA_US_PER_S));
}
