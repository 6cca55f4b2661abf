/*
 * bad-endpoint: a source, destination or path that is slow whoever it talks
 * to, as `pairs` names it.  Who waits for it is a victim, and told with it.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"
#include "netan/checks/verdict.h"

#define MOST_ODDS 1000.0 /* that are printed as a number */

static bool is_a(const struct na_value *culprit, const char *kind)
{
	return na_says(culprit, M_kind, kind);
}

static const char *culprit_of(struct na_case *c, const struct na_value *x)
{
	const char *text = na_text_at(x, M_suspect);

	if (!*text)
		text = na_case_who(c, x);
	na_for_each (v, na_get(x, M_alternatives))
		text = na_case_say(c, na_fact_one_or_other(text,
							   na_case_who(c, v)));
	return text;
}

static struct na_fact how_of(const struct na_value *x)
{
	double excess = na_number_at(x, M_excess);
	int64_t pairs = na_count_at(x, M_pairs);

	if (na_says(x, M_channel, "rate"))
		return na_fact_endpoint_is_late_by_timer(na_count_at(x,
								     M_tails),
							 pairs, excess);
	return na_fact_endpoint_is_slower(excess,
					  na_says(x, M_channel, "large"), pairs,
					  na_flag_at(x, M_intermittent));
}

/* Hosts whose steps are long since their transfers are, and who are no
 * culprits. */
static void put_victims(struct na_case *c, struct na_finding *f)
{
	const struct na_value *body = na_case_body(c, "steps");
	struct na_value *victims = NULL;

	na_for_each (v, na_get(body, M_stragglers)) {
		const char *host = na_text_at(v, M_host);

		if (na_slow_itself(v) || na_is_culprit(c, host))
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
		M_kind,        M_host,         M_src_host,  M_dst_host,
		M_hosts,       M_posterior,    M_odds,      M_rival,
		M_unit,        M_endpoint,     M_channel,   M_excess,
		M_excess_ci95, M_pairs,        M_transfers, M_tails,
		M_episodes,    M_alternatives, M_needs};

	for (size_t i = 0; i < NA_LEN(copied); i++) {
		const struct na_value *v = na_get(x, copied[i]);

		if (v && v->kind != NA_V_NULL &&
		    !(v->kind == NA_V_LIST && !v->n))
			na_put_alias(c->r, f->evidence, copied[i], v);
	}
}

static struct na_fact odds_of(struct na_case *c, const struct na_value *x)
{
	const struct na_value *rival = na_get(x, M_rival);
	double odds = na_number_at(x, M_odds);

	if (!isfinite(odds))
		return na_fact_path_slower_than_back();
	return na_fact_endpoint_odds(odds > MOST_ODDS,
				     fmin(floor(odds), MOST_ODDS),
				     rival ? na_case_who(c, rival) : NULL);
}

static void put_facts(struct na_case *c, struct na_finding *f,
		      const struct na_value *x)
{
	const double *ci = na_reals_at(x, M_excess_ci95, 2);
	const struct na_value *victims = na_get(f->evidence, M_victims);
	int64_t n = na_count_at(x, M_transfers);
	double share = na_number_at(f->evidence, M_path_share);

	if (na_says(x, M_channel, "rate"))
		na_case_evidence(c, f,
				 na_fact_late_by_timer(na_count_at(x, M_tails),
						       n));
	else if (ci)
		na_case_evidence(
			c, f,
			na_fact_endpoint_excess(na_says(x, M_channel, "large"),
						n, na_number_at(x, M_excess),
						ci[0], ci[1]));
	if (share > 0)
		na_case_evidence(c, f, na_fact_endpoint_on_paths(share));
	if (victims)
		na_case_evidence(
			c, f,
			na_fact_hosts_wait_for_it(na_case_names(c, victims, 3),
						  (int64_t)victims->n));
	f->sure = na_case_say(c, odds_of(c, x));
}

/* What looks the same: other kinds of the same pattern, and what the trace
 * does not show. */
static struct na_fact otherwise(const struct na_value *x)
{
	if (is_a(x, "src"))
		return na_fact_or_sends_wait();
	if (is_a(x, "dst"))
		return na_fact_or_receives_are_late();
	if (is_a(x, "pair"))
		return na_fact_or_path_is_full();
	if (is_a(x, "host"))
		return na_fact_or_host_is_slow();
	return na_fact_or_link_behind();
}

static void judge_culprit(struct na_case *c, const struct na_value *x)
{
	const struct na_value *itself = slow_itself(c, x);
	bool unsure = itself || na_length(x, M_alternatives);
	struct na_finding *f =
		na_case_find(c, unsure ? NA_SEV_WARNING : NA_SEV_ERROR,
			     unsure ? NA_POSSIBLE : NA_LIKELY, "pairs");

	na_case_draw(c, f, "pairs -o pairs.svg");
	/* Of a straggler it is reported, and accuses nobody. */
	f->culprit = culprit_of(c, x);
	if (!itself)
		na_case_accuse(f, NA_CAUSE_NETWORK, na_who_of(x), f->culprit);
	f->how = na_case_say(c, how_of(x));
	put_evidence(c, f, x);
	put_victims(c, f);
	if (!unsure)
		na_culprit_cost(c, f, x);
	put_facts(c, f, x);
	f->otherwise = na_case_say(c, otherwise(x));
	f->on_racks = na_flag_at(x, M_on_topology);
	if (f->on_racks)
		f->otherwise =
			na_case_say(c, na_fact_or_racks_differ(f->otherwise));
	f->title = na_case_say(c, na_fact_endpoint_title(f->culprit, f->how,
							 na_text_at(itself,
								    M_host)));
	f->remedy = na_case_say(
		c, na_fact_endpoint_remedy(is_a(x, "src") || is_a(x, "dst") ||
						   is_a(x, "host"),
					   na_text_at(x, M_test_next)));
}

static void judge_undecided(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE,
					    "pairs");
	const char *needs = na_text_or(x, M_needs, NULL);
	int64_t n = na_count_at(x, M_n_pairs);

	na_case_draw(c, f, "pairs -o pairs.svg");
	f->title = na_text_at(x, M_what);
	f->suspicion = true;
	f->decides = needs;
	f->remedy = needs ? needs : na_case_say(c, na_fact_look_at_pairs());
	if (n)
		na_case_evidence(c, f, na_fact_pairs_are_slow_so(n));
	na_case_copy(c, f->evidence, x, M_n_pairs, M_pairs);
}

/* What captures tell of their own hosts.  Of what these lack traces are none
 * the poorer. */
static void judge_beside(struct na_case *c)
{
	size_t before = c->n;

	if (!na_captures_beside(c))
		return;
	na_bad_endpoint_packets(c);
	for (size_t i = before; i < c->n; i++)
		c->findings[i]->apart = na_captures_apart(c);
	c->missing = NULL;
}

/* Files that are missing come first. */
static const char *thin(struct na_case *c)
{
	const char *why = na_verdict_thin(c);
	const char *files = why ? na_files_missing(c) : NULL;

	return files ? files : why;
}

static void judge_bad_endpoint(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "pairs");
	size_t before = c->n;

	if (na_captures_alone(c)) {
		na_bad_endpoint_packets(c);
		if (na_sends_wait(c))
			na_bad_endpoint_ranks(c);
		return;
	}
	judge_beside(c);
	if (na_sends_wait(c) && na_bad_endpoint_ranks(c))
		return;
	if (!body) {
		c->missing = na_case_lacks(c, "pairs");
		return;
	}
	if (na_sends_wait(c)) {
		na_case_needs(c, na_fact_needs_transfers_alone());
		return;
	}
	/* Who is not compared is not acquitted. */
	if (!na_length(body, M_culprits) && !na_length(body, M_undecided) &&
	    na_few_pairs(c)) {
		na_case_needs(c,
			      na_fact_needs_more_hosts(na_pairs_sentence(c)));
		return;
	}
	na_for_each (v, na_get(body, M_culprits)) {
		if (na_flag_at(v, M_of_two_hosts))
			na_bad_endpoint_two(c, v);
		else
			judge_culprit(c, v);
	}
	na_for_each (v, na_get(body, M_undecided))
		judge_undecided(c, v);
	/* What proxies sent names nobody: what ranks waited for may. */
	if (!na_length(body, M_culprits) && na_of_ranks(c))
		na_bad_endpoint_ranks(c);
	if (na_one_host(c))
		na_case_needs(c, na_fact_other_hosts_files());
	else if (c->n == before && !c->missing)
		c->missing = thin(c);
}

const struct na_check na_check_bad_endpoint = {
	.id = "bad-endpoint",
	.version = 1,
	.question = "a host, NIC or path that is slow with all its peers",
	.does_not_mean = "that the NIC itself is broken: a late receiver, a "
			 "slow PCIe slot or a full link of its rack look the "
			 "same; swap the NIC to know",
	.uses = {"pairs", "steps", "slack", "rpc", "tcp", "session",
		 "collectives"},
	.judge = judge_bad_endpoint,
	.acquits = NA_ACQUITS,
	.each_host = true,
};
