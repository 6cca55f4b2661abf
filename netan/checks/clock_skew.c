/* clock-skew: transfers that arrive when they are sent, or before. */
#include <math.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

static const char *offsets(struct na_case *c, const struct na_value *list)
{
	const char *text = "";
	size_t n = 0;

	for (const struct na_value *v = list ? list->u.of.first : NULL;
	     v && n < 3; v = v->next, n++) {
		double us = na_number_at(v, M_ahead_us);

		text = na_case_text(
			c, "%s%sthe clock of %s is %s %s (give or take %s)",
			text, n ? ", " : "", na_text_at(v, M_host),
			na_case_seconds(c, fabs(us) / NA_US_PER_S),
			us < 0 ? "behind" : "ahead",
			na_case_seconds(c, na_number_at(v, M_uncertainty_us) /
						   1e6));
	}
	return text;
}

/* Of ranks, when they leave operations together tells it: these clocks are
 * corrected, and no finding. */
static void note_corrected(struct na_case *c)
{
	const struct na_value *list = na_get(na_case_side(c, "collectives"),
					     M_clocks);
	size_t n = list ? list->n : 0;

	if (n)
		na_result_note(c->r,
			       "clocks corrected from when ranks leave "
			       "operations together: %s%s",
			       offsets(c, list),
			       n > 3 ? na_case_text(c, ", and %zu more", n - 3)
				     : "");
}

static void judge_clock_skew(struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");
	const struct na_value *pairs = na_case_body(c, "pairs");
	double skewed = na_number_at(side, M_clock_skew);
	double share = na_skewed_share(c);
	const char *who = offsets(c, na_get(pairs, M_clock_offsets));
	bool many = share > c->limits->skewed;
	struct na_finding *f;

	note_corrected(c);
	if (!many && !*who) {
		if (na_one_host(c))
			na_case_missing(c, "%s", na_other_hosts);
		return;
	}
	f = na_case_find(c, NA_SEV_INFO, many ? NA_CERTAIN : NA_LIKELY,
			 "pairs");
	f->title = na_case_text(
		c, "%s%s%s", who, *who && many ? "; " : "",
		many ? na_case_text(c,
				    "%s %% of the transfers seem to take no "
				    "time",
				    na_case_number(c, 100 * share))
		     : "");
	f->remedy = "do not compare times between these hosts: one-way "
		    "latencies are off by as much; let all hosts follow one "
		    "time source (chronyc tracking)";
	na_case_fact(c, f,
		     "%lld transfers arrive when they are sent, or "
		     "before",
		     (long long)skewed);
	if (na_length(pairs, M_clock_offsets))
		na_case_fact(c, f,
			     "%zu clock%s off, estimated from traffic "
			     "both ways",
			     na_length(pairs, M_clock_offsets),
			     na_length(pairs, M_clock_offsets) == 1 ? " is"
								    : "s are");
	na_put_real(c->r, f->evidence, M_clock_skew, skewed);
	na_put_real(c->r, f->evidence, M_clock_skew_share, share);
	if (na_length(pairs, M_clock_offsets))
		na_put_alias(c->r, f->evidence, M_clock_offsets,
			     na_get(pairs, M_clock_offsets));
}

const struct na_check na_check_clock_skew = {
	.id = "clock-skew",
	.question = "clocks of hosts that disagree",
	.needs = {"session", "pairs"},
	.judge = judge_clock_skew,
};
