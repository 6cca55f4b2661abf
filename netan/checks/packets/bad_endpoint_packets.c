/*
 * bad-endpoint of captures alone: one that loses packets, by counts of what had
 * to be sent again; a path whose round trips are long among hosts of one
 * network; a host that all wait for at once.  A slow call says nothing there:
 * it may be the server's own time.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

enum { HOSTS_LEAST = 3, PATHS_LEAST = 3, EPISODES_LEAST = 3 };

static const double stood_ms = 100; /* longer than paths vary */

static void tell_lossy(struct na_case *c, const struct na_packets_side *x)
{
	bool doubted = na_packets_is_doubted(x);
	struct na_finding *f =
		na_case_find(c, doubted ? NA_SEV_WARNING : NA_SEV_ERROR,
			     doubted ? NA_POSSIBLE : NA_LIKELY, "tcp");

	na_case_accuse(f, NA_CAUSE_NETWORK, na_packets_who(x),
		       na_packets_loses(c, x));
	f->how = na_case_say(c,
			     na_fact_losses_of_side((int64_t)x->events,
						    (int64_t)x->segments,
						    x->events / x->segments,
						    (int64_t)x->rest_events,
						    (int64_t)x->rest_segments));
	f->title = na_case_say(c,
			       na_fact_losses_of_side_title(f->culprit, f->how,
							    x->both_fit));
	f->remedy = na_case_say(c, na_fact_losses_of_side_remedy());
	na_case_evidence(c, f,
			 na_fact_resent_for_losses((int64_t)x->again,
						   (int64_t)x->events));
	na_case_evidence(c, f,
			 na_fact_loss_elsewhere(x->rest_events /
						x->rest_segments));
	if (doubted)
		f->otherwise = na_case_say(c, na_fact_losses_by_standstill());
	f->sure = na_case_say(c, na_fact_chance_would_do_this(x->p_value));
	na_put_real(c->r, f->evidence, M_segments, x->segments);
	na_put_real(c->r, f->evidence, M_needed_retransmissions, x->again);
	na_put_real(c->r, f->evidence, M_loss_events, x->events);
	na_put_real(c->r, f->evidence, M_p_value, x->p_value);
}

/* 10.9.0.1 and 10.9.0.7 may be as near to all others; hosts of other networks
 * are elsewhere, and farther for that. */
static bool same_network(const char *a, const char *b)
{
	const char *x = strrchr(a, '.'), *y = strrchr(b, '.');

	return x && y && x - a == y - b && strncmp(a, b, (size_t)(x - a)) == 0;
}

struct far_path {
	const char *a, *b, *address_a, *address_b;
	double rtt_us, p50_us;
};

enum { FAR_MOST = 512 };

static size_t gather_paths(struct na_case *c, struct far_path *v)
{
	size_t n = 0;

	na_for_each (row, na_get(na_case_body(c, "tcp"), M_connections)) {
		double rtt = na_number_at(row, M_fwd "." M_rtt_us "." M_min) +
			     na_number_at(row, M_rev "." M_rtt_us "." M_min);
		const char *a = na_packets_host(c, row, false);
		const char *b = na_packets_host(c, row, true);
		size_t i = 0;

		if (!(rtt > 0))
			continue;
		while (i < n &&
		       !(strcmp(v[i].a, a) == 0 && strcmp(v[i].b, b) == 0) &&
		       !(strcmp(v[i].a, b) == 0 && strcmp(v[i].b, a) == 0))
			i++;
		if (i == FAR_MOST)
			continue;
		if (i == n)
			v[n++] = (struct far_path){a, b, na_text_at(row, M_src),
						   na_text_at(row, M_dst), rtt,
						   INFINITY};
		v[i].rtt_us = fmin(v[i].rtt_us, rtt);
		v[i].p50_us = fmin(
			v[i].p50_us,
			na_number_or(row, M_fwd "." M_rtt_us "." M_p50, 0) +
				na_number_or(row, M_rev "." M_rtt_us "." M_p50,
					     0));
	}
	return n;
}

NA_ORDER(by_p50, struct far_path, NA_UP(p50_us), NA_UP(rtt_us))
NA_ORDER(by_rtt, struct far_path, NA_UP(rtt_us), strcmp(x->a, y->a),
	 strcmp(x->b, y->b))

static void tell_far(struct na_case *c, const struct far_path *x,
		     double usual_us)
{
	struct na_fact how = na_fact_round_trip_is_long(x->rtt_us / NA_US_PER_S,
							usual_us / NA_US_PER_S);
	struct na_finding *f = na_case_find(c, NA_SEV_WARNING, NA_LIKELY,
					    "tcp");

	na_case_accuse(f, NA_CAUSE_NETWORK,
		       (struct na_who){.kind = "pair",
				       .src_host = x->a,
				       .dst_host = x->b},
		       na_case_say(c, na_fact_path_or_back(x->a, x->b)));
	f->how = na_case_say(c, how);
	f->title = na_case_say(c,
			       na_fact_side_is_slow(f->culprit, true, f->how));
	f->remedy = na_case_say(c, na_fact_path_is_slow_remedy());
	na_case_evidence(c, f, how);
	f->sure = na_case_say(c, na_fact_path_is_slow_sure());
	na_put_real(c->r, f->evidence, M_path_rtt_us, x->rtt_us);
}

static void judge_far(struct na_case *c)
{
	struct far_path *v = na_arena_alloc(c->arena, FAR_MOST * sizeof(*v));
	size_t n = v ? gather_paths(c, v) : 0, far = 0;
	double usual;

	c->failed |= !v;
	if (n < PATHS_LEAST)
		return;
	for (size_t i = 0; i < n; i++)
		if (!same_network(v[i].address_a, v[i].address_b) ||
		    !same_network(v[i].address_a, v[0].address_a))
			return;
	/* Where all send as much as they can, ports are never at rest: of that
	 * path alone all packets had to wait. */
	na_sort(v, n, by_p50);
	usual = na_packets_compared(c) ? v[(n - 1) / 2].p50_us : 0;
	na_sort(v, n, by_rtt);
	usual = fmax(usual, v[(n - 1) / 2].rtt_us);
	while (far < n && v[n - 1 - far].rtt_us > 5 * usual &&
	       v[n - 1 - far].rtt_us > usual + 2 * NA_US_PER_MS)
		far++;
	/* Where many are, distances differ. */
	for (size_t i = 0; far == 1 || 4 * far <= n ? i < far : false; i++)
		tell_far(c, &v[n - 1 - i], usual);
}

/* Timeouts for what had only come late. */
static double in_vain(const struct na_value *row, const struct na_value *way)
{
	(void)row;
	return na_number_or(way, M_vain_timeouts, 0);
}

/* Who is an end of all that stood still, and talks to several; NULL. */
static const char *standing(const struct na_flows *f)
{
	struct na_packets_side x;

	if (!f->v || !na_packets_common(f, &x) || !x.kind ||
	    strcmp(x.kind, "pair") == 0)
		return NULL;
	return x.host;
}

static int64_t n_of_verdict(const struct na_case *c, const char *verdict)
{
	const struct na_value *of = na_dig(na_case_body(c, "tcp"),
					   M_totals "." M_verdicts);

	return na_int_of(na_get(of, verdict), 0);
}

static void judge_standstill(struct na_case *c)
{
	static const char queueing[] = "queueing"; /* a verdict's word */
	struct na_flows flows = na_packets_flows(c, in_vain);
	const struct na_flow_sum *v = flows.v;
	size_t n = flows.n;
	const char *host = standing(&flows);
	int64_t episodes = 0;
	double longest_ms = 0;
	struct na_finding *f;

	for (size_t i = 0; v && i < n; i++)
		episodes += (int64_t)v[i].events;
	na_for_each (row, na_get(na_case_body(c, "tcp"), M_connections))
		longest_ms = fmax(
			longest_ms,
			fmax(na_number_or(row, M_fwd "." M_longest_vain_ms, 0),
			     na_number_or(row, M_rev "." M_longest_vain_ms,
					  0)));
	/* A queue that grows beyond the timer explains as much. */
	if (episodes < EPISODES_LEAST || longest_ms < stood_ms ||
	    n_of_verdict(c, queueing) > 0)
		return;
	f = na_case_find(c, NA_SEV_WARNING, host ? NA_LIKELY : NA_POSSIBLE,
			 "tcp");
	f->culprit = na_case_say(c, na_fact_host_pauses(host));
	if (host)
		na_case_accuse(f, NA_CAUSE_COMPUTE,
			       (struct na_who){.kind = "host", .host = host},
			       f->culprit);
	f->suspicion = !host;
	if (host)
		f->sure = na_case_say(c, na_fact_host_pauses_sure());
	f->title = na_case_say(c,
			       na_fact_host_pauses_title(f->culprit, episodes,
							 longest_ms));
	f->remedy = na_case_say(c, na_fact_host_pauses_remedy(host != NULL));
	na_case_evidence(c, f,
			 na_fact_unnecessary_timeouts(episodes, longest_ms));
	na_put_int(c->r, f->evidence, M_episodes, episodes);
	na_put_real(c->r, f->evidence, M_longest_ms, longest_ms);
}

/* A side is named from NA_SEGMENTS_LEAST of its segments on, and not where
 * nearly all are its own. */
static void tell_few(struct na_case *c, const struct na_flows *f)
{
	double least = NA_SEGMENTS_LEAST / NA_RUINOUS_LOSS, all = 0;

	for (size_t i = 0; i < f->n; i++)
		all += f->v[i].segments;
	if (all < least)
		na_case_needs(c, na_fact_segments_to_compare((int64_t)least,
							     (int64_t)all));
}

/* Losses single out nobody; who is slow without losing any, latencies may tell
 * or not. */
static void tell_unsure(struct na_case *c)
{
	const char *all = na_text_at(na_case_body(c, "pairs"), M_verdict);

	if (all != na_pairs_sentence(c))
		na_case_needs(c, na_fact_messages_to_tell_slow(
					 na_pairs_sentence(c)));
}

void na_bad_endpoint_packets(struct na_case *c)
{
	struct na_packets_side side[NA_SIDES_MOST];
	struct na_flows flows = na_packets_flows(c, na_packets_losses);
	size_t n = flows.v ? na_packets_sides(c, &flows, NA_SEGMENTS_LEAST,
					      side)
			   : 0;
	size_t before = c->n;

	for (size_t i = 0; i < n; i++)
		if (!isnan(side[i].p_value))
			tell_lossy(c, &side[i]);
	na_check_slow_sides(c);
	/* A port that is never idle has no short round trips, either. */
	if (!na_packets_slow_side(c)) {
		judge_far(c);
		judge_standstill(c);
	}
	if (c->n == before && flows.v && flows.hosts < HOSTS_LEAST)
		na_case_needs(c, na_fact_three_hosts_to_compare());
	else if (c->n == before)
		tell_few(c, &flows);
	if (c->n == before && !c->missing)
		tell_unsure(c);
}
