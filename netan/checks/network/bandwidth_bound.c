/*
 * bandwidth-bound: a host's link at capacity for over 5 % of the time, as
 * `timeline` finds it.  No saturation is claimed without a given capacity.  A
 * collective that cannot hide behind its computation is another matter:
 * cannot-hide.
 */

#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

static void put_side(struct na_case *c, struct na_value *list,
		     const struct na_full *x)
{
	struct na_value *to = na_put_object(c->r, list, NULL);

	na_case_copy(c, to, x->region, M_host, M_side);
	na_put_real(c->r, to, M_saturated_s, x->seconds);
	na_put_real(c->r, to, M_saturated_share, x->share);
	na_put_real(c->r, to, M_mean_gbps, x->gbps_seconds / x->seconds);
}

/* All hosts, so that the full one stands beside them, while it is full; no
 * further than there is something to see. */
static const char *window_of(struct na_case *c, const struct na_full *x)
{
	const struct na_value *body = na_case_body(c, "timeline");
	double more = 0.1 * (x->to_s - x->from_s);
	double from_s = x->from_s - more, to_s = x->to_s + more;
	size_t n = 0;
	const double *t = na_reals_of(na_get(body, M_time_s), &n);

	if (n) {
		from_s = fmax(from_s, t[0]);
		to_s = fmin(to_s, t[n - 1] + na_number_at(body, M_bin_s));
	}
	return na_case_text(c, "timeline --by host --from %.4fs --to %.4fs",
			    from_s, to_s);
}

/* Marks of ends that come late make a rate look higher than it was, but not
 * for long by so much. */
static const double beyond = 1.25;

/* No link carries more than it can. */
static void doubt_capacity(struct na_case *c, struct na_finding *f,
			   const struct na_full *x)
{
	if (!(x->gbps_seconds > beyond * c->capacity_gbps * x->seconds))
		return;
	f->culprit = na_case_say(
		c, na_fact_capacity_too_low(na_text_at(x->region, M_host),
					    na_says(x->region, M_side, "rx")));
	f->title = f->culprit;
	f->confidence = NA_POSSIBLE;
	f->otherwise = NULL;
	f->remedy = na_case_say(c, na_fact_give_whole_capacity());
}

static void judge_full(struct na_case *c)
{
	struct na_full x = {.region = NULL}, worst = x;
	struct na_value *list = na_case_list(c);
	struct na_finding *f;
	const char *host;

	while (na_next_full(c, &x)) {
		if (!(x.share > c->limits->saturated))
			continue;
		put_side(c, list, &x);
		if (x.share > worst.share)
			worst = x;
	}
	if (!worst.region)
		return;
	f = na_case_find(c, NA_SEV_WARNING, NA_CERTAIN, window_of(c, &worst));
	na_case_draw(c, f,
		     na_case_text(c, "%s -o full.svg", window_of(c, &worst)));
	f->from_s = worst.from_s;
	f->to_s = worst.to_s;
	host = na_text_at(worst.region, M_host);
	f->culprit = na_case_say(c, na_fact_job_is_bandwidth_bound(host));
	f->title = na_case_say(
		c, na_fact_link_at_capacity(host,
					    na_says(worst.region, M_side, "rx"),
					    worst.share,
					    list ? (int64_t)list->n - 1 : 0));
	na_case_evidence(c, f,
			 na_fact_rate_while_full(worst.gbps_seconds /
							 worst.seconds,
						 c->capacity_gbps));
	na_case_evidence(c, f, na_fact_time_at_capacity(worst.seconds));
	f->otherwise = na_case_say(c, na_fact_capacity_given_too_low());
	f->remedy = na_case_say(c, na_fact_bandwidth_remedy());
	doubt_capacity(c, f, &worst);
	na_put_real(c->r, f->evidence, M_capacity_gbps, c->capacity_gbps);
	na_put_alias(c->r, f->evidence, M_sides, list);
}

static void judge_bandwidth_bound(struct na_case *c)
{
	double plateau = na_number_at(na_case_body(c, "timeline"),
				      M_plateau_gbps);

	/* Collectives of ranks on one host are no traffic of its NICs, and
	 * several ranks share these. */
	if (na_of_ranks(c))
		na_case_needs(c, na_fact_needs_counters_of_nics());
	else if (c->capacity_gbps > 0)
		judge_full(c);
	else
		na_case_needs(c, na_fact_needs_capacity(
					 plateau > 0 ? plateau : (double)NAN));
}

const struct na_check na_check_bandwidth_bound = {
	.id = "bandwidth-bound",
	.version = 1,
	.question = "links that are full",
	.does_not_mean = "that the network is faulty: the job uses the whole "
			 "given capacity",
	.needs = {"timeline"},
	.judge = judge_bandwidth_bound,
	.explains = NA_EXPLAINS_DEMAND,
	.each_host = true,
};
