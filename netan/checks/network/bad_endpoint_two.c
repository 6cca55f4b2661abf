/*
 * bad-endpoint of two hosts: `pairs` names the direction that is slower than
 * the other, and which part of it is, takes a third host to tell.
 */

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

/* The median, as the pairs have it. */
static double median_s(const struct na_case *c, const char *src,
		       const char *dst)
{
	struct na_row_walk walk =
		na_row_walk(na_get(na_case_body(c, "pairs"), M_pairs));
	const struct na_value *v;
	double us = 0;

	while ((v = na_row_next(&walk))) {
		if (na_says(v, M_src_host, src) && na_says(v, M_dst_host, dst))
			us = na_number_at(v, M_p50_us);
	}
	na_row_end(&walk);
	return us / NA_US_PER_S;
}

/* What clocks or a late host do to it is told, and blames nobody. */
static void doubt(struct na_case *c, const struct na_value *x,
		  const struct na_value *itself)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE,
					    "pairs");

	f->title =
		na_case_say(c,
			    na_fact_way_is_slower(na_text_at(x, M_src_host),
						  na_text_at(x, M_dst_host),
						  na_number_at(x, M_excess),
						  na_text_at(itself, M_host)));
	f->suspicion = true;
	f->decides = na_text_at(x, M_needs);
	f->remedy = itself ? na_case_say(c, na_fact_see_straggler_first())
			   : f->decides;
	na_case_copy(c, f->evidence, x, M_kind, M_src_host, M_dst_host,
		     M_excess);
}

static void convict(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_ERROR, NA_LIKELY,
					    "pairs");
	const char *src = na_text_at(x, M_src_host);
	const char *dst = na_text_at(x, M_dst_host);
	int64_t n = na_count_at(x, M_transfers);

	na_case_accuse(f, NA_CAUSE_NETWORK, na_who_of(x),
		       na_case_say(c, na_fact_path_or_sides(src, dst)));
	f->how = na_case_say(c, na_fact_slower_than_way_back(
					na_number_at(x, M_excess)));
	f->title = na_case_say(c, na_fact_endpoint_title(f->culprit, f->how,
							 NULL));
	f->remedy = na_case_say(c, na_fact_two_hosts_remedy(src, dst));
	f->otherwise = na_case_say(c, na_fact_directions_loaded_differently());
	f->sure = na_case_say(c, na_fact_tails_slower_as_well(n));
	na_case_evidence(c, f,
			 na_fact_way_median(n, median_s(c, src, dst), src,
					    dst));
	na_case_copy(c, f->evidence, x, M_alternatives, M_kind, M_src_host,
		     M_dst_host, M_excess);
}

void na_bad_endpoint_two(struct na_case *c, const struct na_value *culprit)
{
	const struct na_value *itself = na_first_slow_itself(c);

	if (itself || na_clocks_differ(c))
		doubt(c, culprit, itself);
	else
		convict(c, culprit);
}
