/*
 * bad-endpoint: a source, destination or path that is slow whoever it talks
 * to, as `pairs` names it.  Who waits for it is a victim, and told with it.
 * Of captures alone it is one that loses packets, by counts of what had to be
 * sent again; a path whose round trips are long among hosts of one network; a
 * host that all wait for at once.  A slow call says nothing there: it may be
 * the server's own time.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"
#include "netan/checks/packets.h"

enum { WORST = 20 }; /* pairs that are looked at */

#define SLOW      1.3 /* times the expectation, and the reverse */
#define BY_CHANCE 0.01
#define TIMELESS  0.3 /* of the transfers: more than one clock hides */

static bool is_a(const struct na_value *culprit, const char *kind)
{
	return na_says(culprit, M_kind, kind);
}

static const char *who_of(struct na_case *c, const struct na_value *x)
{
	const char *host = na_text_at(x, M_host);

	if (is_a(x, "src"))
		return na_case_text(c, "transmit side of %s", host);
	if (is_a(x, "dst"))
		return na_case_text(c, "receive side of %s", host);
	if (is_a(x, "host"))
		return na_case_text(c, "both sides of %s", host);
	if (is_a(x, "pair"))
		return na_case_text(c, "path %s -> %s",
				    na_text_at(x, M_src_host),
				    na_text_at(x, M_dst_host));
	return na_case_text(c, "%s of rack {%s}",
			    is_a(x, "rack_uplink")     ? "uplink"
			    : is_a(x, "rack_downlink") ? "downlink"
						       : "links",
			    na_case_names(c, na_get(x, M_hosts), 2));
}

static const char *culprit_of(struct na_case *c, const struct na_value *x)
{
	const char *text = na_text_at(x, M_suspect);

	if (!*text)
		text = who_of(c, x);
	na_for_each (v, na_get(x, M_alternatives))
		text = na_case_text(c, "%s or %s", text, who_of(c, v));
	return text;
}

static const char *how_of(struct na_case *c, const struct na_value *x)
{
	char factor[NA_UNIT_BUF];
	long long pairs = (long long)na_count_at(x, M_pairs);

	na_print_number(factor, na_number_at(x, M_excess), 2);
	if (na_says(x, M_channel, "rate"))
		return na_case_text(c,
				    "%lld transfers wait for %s over %lld "
				    "pair%s, %s times the usual rate",
				    (long long)na_count_at(x, M_tails),
				    na_flag_at(x, M_loses_packets)
					    ? "a retransmission timeout"
					    : "over 100 ms",
				    pairs, na_plural(pairs), factor);
	return na_case_text(
		c, "%sx slower%s over %lld pair%s%s", factor,
		na_says(x, M_channel, "large") ? " in large transfers" : "",
		pairs, na_plural(pairs),
		na_flag_at(x, M_intermittent) ? ", now and then" : "");
}

/* Hosts whose steps are long since their transfers are, and who is not the
 * culprit. */
static void put_victims(struct na_case *c, struct na_finding *f,
			const struct na_value *culprit)
{
	const struct na_value *body = na_case_body(c, "steps");
	struct na_value *victims = NULL;

	na_for_each (v, na_get(body, M_stragglers)) {
		const char *host = na_text_at(v, M_host);

		if (na_slow_itself(v) || na_touches(culprit, host))
			continue;
		victims = victims ? victims
				  : na_put_list(c->r, f->evidence, M_victims);
		na_put_text(c->r, victims, NULL, host);
	}
}

static const struct na_value *slow_itself(const struct na_case *c,
					  const struct na_value *culprit)
{
	/* What one clock timed holds no wait for a host that is late. */
	if (na_flag_at(culprit, M_one_clock))
		return NULL;
	na_for_each (v, na_get(na_case_body(c, "steps"), M_stragglers)) {
		if (na_slow_itself(v) &&
		    na_touches(culprit, na_text_at(v, M_host)))
			return v;
	}
	return NULL;
}

static void put_evidence(struct na_case *c, struct na_finding *f,
			 const struct na_value *x)
{
	static const char *const copied[] = {
		M_kind,        M_host,     M_src_host,     M_dst_host,
		M_hosts,       M_endpoint, M_channel,      M_excess,
		M_excess_ci95, M_p_value,  M_pairs,        M_transfers,
		M_tails,       M_episodes, M_alternatives, M_needs};

	for (size_t i = 0; i < NA_LEN(copied); i++) {
		const struct na_value *v = na_get(x, copied[i]);

		if (v && v->kind != NA_V_NULL &&
		    !(v->kind == NA_V_LIST && !v->n))
			na_put_alias(c->r, f->evidence, copied[i], v);
	}
	na_for_each (w, na_get(x, M_windows)) {
		f->from_s = fmin(f->from_s, na_number_at(w, M_from_s));
		f->to_s = fmax(f->to_s, na_number_at(w, M_to_s));
	}
}

/* Where several clocks hide what transfers took, what is left of them names
 * the wrong side as often; of timeouts nobody doubts. */
static bool lost_in_clocks(const struct na_case *c, const struct na_value *x)
{
	return na_skewed_share(c) > TIMELESS &&
	       !na_says(x, M_channel, "rate") && !na_flag_at(x, M_one_clock);
}

static const char *doubt(struct na_case *c, const struct na_value *itself,
			 bool clocks)
{
	if (itself)
		return na_case_text(
			c,
			"; but its own steps are slow, and transfers may only "
			"wait for %s",
			na_text_at(itself, M_host));
	if (!clocks)
		return "";
	return na_case_text(c,
			    "; but clocks differ, and %s %% of the transfers "
			    "show no time",
			    na_case_number(c, 100 * na_skewed_share(c)));
}

/* "p below 1e-20": nobody needs more of it. */
static const char *chance_of(struct na_case *c, const struct na_value *x)
{
	double p = na_number_at(x, M_p_value);

	if (isnan(p))
		return "a test over all pairs rejects chance";
	if (p < 1e-20)
		return "chance would do this with p below 1e-20";
	return na_case_text(c, "chance would do this with p = %.2g", p);
}

static void put_facts(struct na_case *c, struct na_finding *f,
		      const struct na_value *x)
{
	const double *ci = na_reals_at(x, M_excess_ci95, 2);
	bool rate = na_says(x, M_channel, "rate");
	long long n = (long long)na_count_at(x, M_transfers);
	double share = na_number_at(f->evidence, M_path_share);

	if (rate)
		na_case_fact(c, f,
			     "%lld of its %lld transfers are late by a "
			     "timer, in %lld episodes",
			     (long long)na_count_at(x, M_tails), n,
			     (long long)na_count_at(x, M_episodes));
	else if (ci)
		na_case_fact(c, f,
			     "its %lld transfers take %s times what is "
			     "expected (95 %%: %s to %s)",
			     n, na_case_number(c, na_number_at(x, M_excess)),
			     na_case_number(c, ci[0]),
			     na_case_number(c, ci[1]));
	if (share > 0)
		na_case_fact(c, f,
			     "%s %% of the critical paths of the slowest "
			     "collectives are its transfers",
			     na_case_number(c, 100 * share));
	if (na_length(f->evidence, M_victims))
		na_case_fact(c, f, "%s only wait for it",
			     na_case_names(c, na_get(f->evidence, M_victims),
					   3));
	f->sure = chance_of(c, x);
}

/* What looks the same: other kinds of the same pattern, and what the trace
 * does not show. */
static const char *otherwise(const struct na_value *x)
{
	if (is_a(x, "src"))
		return "its sends wait on the host (CPU, memory, a queue), or "
		       "the links of its rack are shared and full";
	if (is_a(x, "dst"))
		return "the host posts its receives late, or the links of its "
		       "rack are shared and full";
	if (is_a(x, "pair"))
		return "the path is shared and full, or longer than others";
	if (is_a(x, "host"))
		return "the host itself is slow (CPU, memory), or farther away";
	return "one of several links or spines behind it";
}

static void judge_culprit(struct na_case *c, const struct na_value *x)
{
	const struct na_value *itself = slow_itself(c, x);
	bool clocks = lost_in_clocks(c, x);
	bool unsure = itself || clocks || na_length(x, M_alternatives);
	struct na_finding *f = na_case_find(c,
					    clocks   ? NA_SEV_INFO
					    : unsure ? NA_SEV_WARNING
						     : NA_SEV_ERROR,
					    unsure ? NA_POSSIBLE : NA_LIKELY,
					    "pairs");
	const char *next = na_text_at(x, M_test_next);

	/* Doubted, it is told and convicts nobody. */
	f->culprit = culprit_of(c, x);
	f->suspicion = !itself && clocks;
	if (!itself && !clocks)
		na_case_accuse(f, NA_CAUSE_NETWORK, na_who_of(x), f->culprit);
	f->how = how_of(c, x);
	put_evidence(c, f, x);
	put_victims(c, f, x);
	if (!unsure)
		na_culprit_cost(c, f, x);
	put_facts(c, f, x);
	f->otherwise = otherwise(x);
	f->title = na_case_text(c, "%s: %s%s", f->culprit, f->how,
				doubt(c, itself, clocks));
	f->remedy = na_case_text(
		c, "%sattach the table of pairs to the report; test first: %s",
		is_a(x, "src") || is_a(x, "dst") || is_a(x, "host")
			? "take the host or NIC out of the job if the test "
			  "agrees, and "
			: "",
		*next ? next : "iperf3 against two other hosts");
}

static void judge_stall(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_WARNING, NA_LIKELY,
					    "pairs");

	na_case_accuse(f, NA_CAUSE_COMPUTE,
		       (struct na_who){.kind = "host",
				       .host = na_text_at(x, M_host)},
		       na_case_text(c, "%s, which pauses",
				    na_text_at(x, M_host)));
	f->title =
		na_case_text(c,
			     "%s pauses now and then: %lld times, up to %s ms",
			     na_text_at(x, M_host),
			     (long long)na_count_at(x, M_episodes),
			     na_case_number(c, na_number_at(x, M_longest_ms)));
	f->remedy = "no NIC pauses like this: look at what else runs on the "
		    "host (garbage collection, checkpoints, memory pressure, "
		    "throttling)";
	na_case_copy(c, f->evidence, x, M_host, M_episodes, M_transfers,
		     M_longest_ms);
	na_case_fact(c, f, "%lld transfers wait in its pauses",
		     (long long)na_count_at(x, M_transfers));
}

static void judge_undecided(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE,
					    "pairs");
	const char *needs = na_text_at(x, M_needs);
	const char *host = na_text_at(x, M_host);
	const struct na_value *itself = *host ? slow_itself(c, x) : NULL;

	f->title = na_text_at(x, M_what);
	if (itself)
		f->title = na_case_text(c,
					"%s: they wait for %s, which is slow "
					"by itself (straggler)",
					f->title, host);
	f->suspicion = !itself;
	f->remedy = itself   ? "see the straggler first"
		    : *needs ? needs
			     : "look at the pairs";
	na_case_copy(c, f->evidence, x, M_n_pairs, M_pairs);
}

static void put_slow(struct na_case *c, struct na_value *list,
		     const struct na_value *row)
{
	na_case_copy(c, na_put_object(c->r, list, NULL), row, M_src, M_dst,
		     M_count, M_p50_us, M_excess, M_q_value);
}

static const struct na_value *reverse_of(const struct na_value *body,
					 const struct na_value *row)
{
	na_for_each (v, na_get(body, M_pairs)) {
		if (strcmp(na_text_at(v, M_src), na_text_at(row, M_dst)) == 0 &&
		    strcmp(na_text_at(v, M_dst), na_text_at(row, M_src)) == 0)
			return v;
	}
	return NULL;
}

/* Chance does not make it so slow. */
static bool is_slow(const struct na_value *row)
{
	return na_number_at(row, M_q_value) <= BY_CHANCE &&
	       na_number_at(row, M_excess) > SLOW;
}

/* Nor the distance: its reverse is as far. */
static bool slow_one_way(const struct na_value *body,
			 const struct na_value *row)
{
	const struct na_value *back = reverse_of(body, row);

	return back && na_number_at(row, M_excess) >
			       SLOW * na_number_at(back, M_excess);
}

/* Too little to blame anybody for, or the localisation had named it.  The list
 * of such pairs, or NULL. */
static struct na_value *find_slow(struct na_case *c, const struct na_value *row)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE,
					    "pairs");

	f->title = na_case_text(
		c,
		"transfers from %s to %s take %s times as long as expected, "
		"and not those back",
		na_text_at(row, M_src), na_text_at(row, M_dst),
		na_case_number(c, na_number_at(row, M_excess)));
	f->suspicion = true;
	f->remedy = "too little to blame the path: where steps wait for it, "
		    "compare the counters of the switches on both ways, or "
		    "try it with iperf3";
	return na_put_list(c->r, f->evidence, M_slow_pairs);
}

/* Slow both ways: as far ones are.  No finding accuses for it, and none
 * acquits. */
static struct na_value *find_far(struct na_case *c, const struct na_value *row)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE,
					    "pairs");

	f->title = na_case_text(
		c,
		"transfers from %s to %s take %s times as long as expected, "
		"without a cause",
		na_text_at(row, M_src), na_text_at(row, M_dst),
		na_case_number(c, na_number_at(row, M_excess)));
	f->suspicion = true;
	f->otherwise = "it is farther than the others";
	f->remedy = "give the topology (--topology FILE), which tells far "
		    "pairs from slow ones";
	return na_put_list(c->r, f->evidence, M_slow_pairs);
}

static void judge_slow(struct na_case *c, const struct na_value *body)
{
	const struct na_value *v = na_first(body, M_pairs); /* worst first */
	struct na_value *one_way = NULL, *far = NULL;

	for (size_t i = 0; v && i < WORST; v = v->next, i++) {
		if (!is_slow(v))
			continue;
		if (slow_one_way(body, v)) {
			one_way = one_way ? one_way : find_slow(c, v);
			put_slow(c, one_way, v);
		} else {
			far = far ? far : find_far(c, v);
			put_slow(c, far, v);
		}
	}
}

/* ---- captures: counts of packets, never latencies of calls */

enum { HOSTS_LEAST = 3, PATHS_LEAST = 3, EPISODES_LEAST = 3 };

static const double stood_ms = 100; /* longer than paths vary */

static void tell_lossy(struct na_case *c, const struct na_packets_side *x)
{
	const char *name = na_packets_name(c, x);
	struct na_finding *f = na_case_find(c, NA_SEV_ERROR, NA_LIKELY, "tcp");

	na_case_accuse(f, NA_CAUSE_NETWORK, na_packets_who(x),
		       na_case_text(c, "%s loses packets", name));
	f->how = na_case_text(
		c,
		"%lld of %lld segments (%s %%) had to be sent again, "
		"elsewhere %lld of %lld",
		(long long)x->events, (long long)x->segments,
		na_case_number(c, 100 * x->events / x->segments),
		(long long)x->rest_events, (long long)x->rest_segments);
	f->title = na_case_text(c, "%s loses packets: %s%s", name, f->how,
				x->both_fit ? "; one path alone shows it, so "
					      "either end may be to blame"
					    : "");
	f->remedy = "look at the drop and error counters of that NIC and of "
		    "its switch port (ethtool -S), its cable and optics";
	na_put_real(c->r, f->evidence, M_segments, x->segments);
	na_put_real(c->r, f->evidence, M_needed_retransmissions, x->events);
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
	double rtt_us;
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
						   na_text_at(row, M_dst), rtt};
		v[i].rtt_us = fmin(v[i].rtt_us, rtt);
	}
	return n;
}

NA_ORDER(by_rtt, struct far_path, NA_UP(rtt_us), strcmp(x->a, y->a),
	 strcmp(x->b, y->b))

static void tell_far(struct na_case *c, const struct far_path *x,
		     double usual_us)
{
	struct na_finding *f = na_case_find(c, NA_SEV_WARNING, NA_LIKELY,
					    "tcp");

	na_case_accuse(f, NA_CAUSE_NETWORK,
		       (struct na_who){.kind = "pair",
				       .src_host = x->a,
				       .dst_host = x->b},
		       na_case_text(c, "path %s -> %s, or back", x->a, x->b));
	f->how = na_case_text(c,
			      "a round trip of %s at least, %s on the others",
			      na_case_seconds(c, x->rtt_us / NA_US_PER_S),
			      na_case_seconds(c, usual_us / NA_US_PER_S));
	f->title = na_case_text(c, "path %s -> %s, or back, is slow: %s", x->a,
				x->b, f->how);
	f->remedy = "compare the routes of both ways (traceroute -T), and the "
		    "links that only these two use; captures at both ends "
		    "tell which direction it is";
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
	na_sort(v, n, by_rtt);
	usual = v[(n - 1) / 2].rtt_us;
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

static bool ends_in(const struct na_flow_sum *f, const char *host)
{
	return strcmp(f->src, host) == 0 || strcmp(f->dst, host) == 0;
}

/* Who is an end of all that stood still, and talks to several; NULL. */
static const char *standing(const struct na_flow_sum *v, size_t n)
{
	const struct na_flow_sum *first = NULL;
	bool src = true, dst = true;
	size_t paths = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(v[i].events > 0))
			continue;
		first = first ? first : &v[i];
		src &= ends_in(&v[i], first->src);
		dst &= ends_in(&v[i], first->dst);
		paths += !ends_in(&v[i], first->src) ||
			 !ends_in(&v[i], first->dst) || &v[i] == first;
	}
	if (!first || src == dst || paths < 2)
		return NULL;
	return src ? first->src : first->dst;
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
	size_t n;
	const struct na_flow_sum *v = na_packets_flows(c, in_vain, &n);
	const char *host = v ? standing(v, n) : NULL;
	double episodes = 0, longest = 0;
	struct na_finding *f;

	for (size_t i = 0; v && i < n; i++)
		episodes += v[i].events;
	na_for_each (row, na_get(na_case_body(c, "tcp"), M_connections))
		longest = fmax(
			longest,
			fmax(na_number_or(row, M_fwd "." M_longest_vain_ms, 0),
			     na_number_or(row, M_rev "." M_longest_vain_ms,
					  0)));
	/* A queue that grows beyond the timer explains as much. */
	if (episodes < EPISODES_LEAST || longest < stood_ms ||
	    n_of_verdict(c, queueing) > 0)
		return;
	f = na_case_find(c, NA_SEV_WARNING, host ? NA_LIKELY : NA_POSSIBLE,
			 "tcp");
	f->culprit = host ? na_case_text(c, "%s, which pauses", host)
			  : "a path or a host that stood still";
	if (host)
		na_case_accuse(f, NA_CAUSE_COMPUTE,
			       (struct na_who){.kind = "host", .host = host},
			       f->culprit);
	f->suspicion = !host;
	f->title = na_case_text(
		c,
		"%s: %lld timeouts for packets that were late, not lost, up "
		"to %s ms",
		f->culprit, (long long)episodes, na_case_number(c, longest));
	f->remedy = host ? "look at what else runs on the host (garbage "
			   "collection, checkpoints, memory pressure, a "
			   "virtual machine that is held)"
			 : "captures at both ends, or of several hosts, tell "
			   "whether the path stands still or one host";
	na_put_int(c->r, f->evidence, M_episodes, (int64_t)episodes);
	na_put_real(c->r, f->evidence, M_longest_ms, longest);
}

static void judge_packets(struct na_case *c)
{
	struct na_packets_side side[NA_SIDES_MOST];
	size_t flows;
	const struct na_flow_sum *v = na_packets_flows(c, na_packets_needed,
						       &flows);
	size_t n = v ? na_packets_sides(c, v, flows, NA_SEGMENTS_LEAST, side)
		     : 0;
	size_t before = c->n;

	for (size_t i = 0; i < n; i++)
		if (!isnan(side[i].p_value))
			tell_lossy(c, &side[i]);
	judge_far(c);
	judge_standstill(c);
	if (c->n == before && v && na_packets_hosts(v, flows) < HOSTS_LEAST)
		na_case_missing(c, "connections between three hosts or more, "
				   "to compare them");
}

static void judge_bad_endpoint(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "pairs");

	if (na_captures_alone(c)) {
		judge_packets(c);
		return;
	}
	/* Who is not compared is not acquitted. */
	if (!na_length(body, M_culprits) && !na_length(body, M_stalls) &&
	    !na_length(body, M_undecided) && na_few_pairs(c)) {
		na_case_missing(c, "transfers between more hosts: %s",
				na_text_at(body, M_verdict));
		return;
	}
	na_for_each (v, na_get(body, M_culprits))
		judge_culprit(c, v);
	na_for_each (v, na_get(body, M_stalls))
		judge_stall(c, v);
	na_for_each (v, na_get(body, M_undecided))
		judge_undecided(c, v);
	if (!na_length(body, M_culprits) && !na_length(body, M_undecided) &&
	    !na_case_body(c, "tcp"))
		judge_slow(c, body);
}

const struct na_check na_check_bad_endpoint = {
	.id = "bad-endpoint",
	.question = "a host, NIC or path that is slow whoever it talks to",
	.needs = {"pairs"},
	.uses = {"steps", "slack", "rpc", "tcp", "session"},
	.judge = judge_bad_endpoint,
	.acquits = NA_ACQUITS,
};
