/*
 * bad-endpoint of two hosts: `pairs` names the direction that is slower than
 * the other, and which part of it is, takes a third host to tell.
 */

#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"
#include "netan/methods/sides.h"

/* The median, as the pairs have it. */
static const char *median_of(struct na_case *c, const char *src,
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
	return na_case_seconds(c, us / NA_US_PER_S);
}

/* What clocks or a late host do to it is told, and blames nobody. */
static void doubt(struct na_case *c, const struct na_value *x,
		  const struct na_value *itself)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE,
					    "pairs");

	f->title = na_case_text(
		c, "%s -> %s takes %sx as long as the way back, %s",
		na_text_at(x, M_src_host), na_text_at(x, M_dst_host),
		na_case_number(c, na_number_at(x, M_excess)),
		itself ? na_case_text(c,
				      "which may be the wait for %s, which is "
				      "slow by itself (straggler)",
				      na_text_at(itself, M_host))
		       : "and clocks differ");
	f->suspicion = true;
	f->decides = na_text_at(x, M_needs);
	f->remedy = itself ? "see the straggler first" : f->decides;
	na_case_copy(c, f->evidence, x, M_kind, M_src_host, M_dst_host,
		     M_excess);
}

static void convict(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_ERROR, NA_LIKELY,
					    "pairs");
	const char *src = na_text_at(x, M_src_host);
	const char *dst = na_text_at(x, M_dst_host);

	na_case_accuse(f, NA_CAUSE_NETWORK, na_who_of(x),
		       na_case_text(c,
				    "path %s -> %s or %s%s or %s%s", src, dst,
				    na_side_of("src"), src, na_side_of("dst"),
				    dst));
	f->how = na_case_text(c,
			      "%sx slower than the way back; a third host "
			      "would tell which",
			      na_case_number(c, na_number_at(x, M_excess)));
	f->title = na_case_text(c, "%s: %s", f->culprit, f->how);
	f->remedy = na_case_text(
		c,
		"test first: iperf3 both ways between the two, then each with "
		"a third host: what is slow from %s to it is the transmit "
		"side, from it to %s the receive side, else the path",
		src, dst);
	f->otherwise = "the two directions are loaded differently by others";
	f->sure = na_case_text(c,
			       "medians, and tails above them, of %s "
			       "transfers are as much slower, which a clock "
			       "does not do",
			       na_case_count(c, na_count_at(x, M_transfers)));
	na_case_fact(c, f,
		     "%s transfers each way, %s in the median from %s to %s",
		     na_case_count(c, na_count_at(x, M_transfers)),
		     median_of(c, src, dst), src, dst);
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
