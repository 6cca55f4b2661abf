/*
 * bandwidth-bound: a host's link at capacity for over 5 % of the time, as
 * `timeline` finds it.  No saturation is claimed without a given capacity.  A
 * collective that cannot hide behind its computation is another matter:
 * cannot-hide.
 */

#include <math.h>

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

static const char *remedy = "a larger batch per replica, another sharding or "
			    "more overlap of communication with computation; "
			    "confirm the hosts' network settings (netan "
			    "sysctl) and the capacity that was given";

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
	f->culprit = na_case_text(
		c, "the capacity that was given is less than %s %s",
		na_text_at(x->region, M_host),
		na_says(x->region, M_side, "rx") ? "receives" : "sends");
	f->title = f->culprit;
	f->confidence = NA_POSSIBLE;
	f->otherwise = NULL;
	f->remedy = "give --capacity what all NICs of a host carry together: "
		    "whether links are full cannot be told before";
}

static void judge_full(struct na_case *c)
{
	struct na_full x = {.region = NULL}, worst = x;
	struct na_value *list = na_case_list(c);
	struct na_finding *f;

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
	f->culprit = na_case_text(c,
				  "the job is bandwidth-bound: the link of %s "
				  "is full",
				  na_text_at(worst.region, M_host));
	f->title = na_case_text(
		c, "%s %s at capacity for %s %% of the time%s",
		na_text_at(worst.region, M_host),
		na_says(worst.region, M_side, "rx") ? "receives" : "sends",
		na_case_number(c, 100 * worst.share),
		list && list->n > 1
			? na_case_text(c, " (and %zu more host sides)",
				       list->n - 1)
			: "");
	na_case_fact(c, f, "%s Gbit/s in the mean of that time, of %s",
		     na_case_number(c, worst.gbps_seconds / worst.seconds),
		     na_case_number(c, c->capacity_gbps));
	na_case_fact(c, f, "%s at 90 %% of the capacity or above",
		     na_case_seconds(c, worst.seconds));
	f->otherwise = "the capacity that was given is too low";
	f->remedy = remedy;
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
	if (na_of_ranks(c)) {
		na_case_missing(c, "counters of the NICs: what ranks exchange "
				   "within a host does not pass them, and the "
				   "traces do not tell it apart (netan "
				   "timeline draws both)");
	} else if (c->capacity_gbps > 0) {
		judge_full(c);
	} else if (plateau > 0) {
		na_case_missing(c,
				"--capacity RATE: what a host's NICs carry "
				"together (the traffic itself keeps to a level "
				"of %s Gbit/s)",
				na_case_number(c, plateau));
	} else {
		na_case_missing(c, "--capacity RATE: what a host's NICs carry "
				   "together");
	}
}

const struct na_check na_check_bandwidth_bound = {
	.id = "bandwidth-bound",
	.question = "links that are full",
	.does_not_mean = "that the network is faulty: the job sends as much as "
			 "the given capacity allows",
	.needs = {"timeline"},
	.judge = judge_bandwidth_bound,
	.explains = NA_EXPLAINS_DEMAND,
	.each_host = true,
};
