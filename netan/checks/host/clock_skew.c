/* clock-skew: transfers that arrive when they are sent, or before. */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

/* Receives that tell a latency, or that there is none. */
static int64_t told(const struct na_value *side)
{
	return na_count_at(side, M_receives) -
	       na_count_at(side, M_no_latency) - na_count_at(side, M_bad_key) -
	       na_count_at(side, M_loopback);
}

/* Nothing was found: by how many? */
static void pass(struct na_case *c, const struct na_value *side)
{
	int64_t n = told(side), all = na_count_at(side, M_receives);

	if (na_one_host(c))
		na_case_needs(c, na_fact_other_hosts_files());
	else if (na_captures_alone(c) && na_count_at(side, M_files) < 2)
		na_case_needs(c, na_fact_captures_of_several_hosts());
	else if (2 * n < all)
		na_case_needs(c, na_fact_latencies_of_receives(n, all));
}

static void judge_clock_skew(struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");
	const struct na_value *pairs = na_case_body(c, "pairs");
	double skewed = na_skewed(c);
	double share = na_skewed_share(c);
	const struct na_value *offsets = na_get(pairs, M_clock_offsets);
	const char *who = na_clocks_text(c, offsets);
	bool many = share > c->limits->skewed;
	struct na_finding *f;

	if (!many && !*who) {
		pass(c, side);
		return;
	}
	f = na_case_find(c, NA_SEV_INFO, many ? NA_CERTAIN : NA_LIKELY,
			 "pairs");
	f->title = na_case_say(c,
			       na_fact_clocks_differ(who, many ? share
							       : (double)NAN));
	f->brief = *who ? who : NULL;
	if (!many)
		f->sure = na_case_say(c, na_fact_clocks_estimated());
	f->remedy = na_case_say(c, na_fact_follow_one_time_source());
	if (skewed > 0)
		na_case_evidence(c, f,
				 na_fact_transfers_take_no_time(
					 (int64_t)skewed));
	if (offsets && offsets->n)
		na_case_evidence(c, f, na_fact_clocks_off((int64_t)offsets->n));
	na_put_real(c->r, f->evidence, M_clock_skew, skewed);
	na_put_real(c->r, f->evidence, M_clock_skew_share, share);
	if (offsets && offsets->n)
		na_put_alias(c->r, f->evidence, M_clock_offsets, offsets);
}

const struct na_check na_check_clock_skew = {
	.id = "clock-skew",
	.version = 1,
	.question = "clocks of hosts that disagree",
	.does_not_mean = "that the network is slow: latencies between two "
			 "clocks that disagree are wrong by their difference",
	.needs = {"session", "pairs"},
	.judge = judge_clock_skew,
	.each_host = true,
};
