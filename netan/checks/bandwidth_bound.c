/*
 * bandwidth-bound: a host's link at capacity for over 5 % of the time, or
 * collectives that need more than a host has.  No saturation is claimed
 * without a given capacity.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

enum { BEYOND = 1000 }; /* times the capacity: nobody builds it */

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
	f = na_case_find(c, NA_SEV_WARNING, NA_CERTAIN, "timeline --by host");
	f->from_s = worst.from_s;
	f->to_s = worst.to_s;
	f->culprit = na_case_text(c, "the link of %s is full",
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
	f->remedy = remedy;
	na_put_real(c->r, f->evidence, M_capacity_gbps, c->capacity_gbps);
	na_put_alias(c->r, f->evidence, M_sides, list);
}

static void put_row(struct na_case *c, struct na_value *list,
		    const struct na_value *row)
{
	struct na_value *to = na_put_object(c->r, list, NULL);

	na_case_copy(c, to, row, M_collective);
	na_put_real(c->r, to, M_slack_us,
		    na_number_at(row, M_slack_us "." M_mean));
	na_put_real(c->r, to, M_bytes, na_number_at(row, M_bytes));
	na_case_copy(c, to, row, M_required_gbps, M_devices_per_host);
	na_put_real(c->r, to, M_total_stall_s,
		    na_number_at(row, M_total_stall_us) / NA_US_PER_S);
}

/* What costs nothing needs no bandwidth. */
static bool bound(const struct na_case *c, const struct na_value *row)
{
	return na_flag_at(row, M_bandwidth_bound) &&
	       !(na_number_at(row, M_stall_share) < c->limits->slack_stall);
}

static const char *need_of(struct na_case *c, const struct na_value *row)
{
	double gbps = na_number_at(row, M_required_gbps) *
		      na_number_at(row, M_devices_per_host);

	if (!(gbps > 0) || gbps > BEYOND * c->capacity_gbps)
		return "has no slack: no bandwidth is enough";
	return na_case_text(c,
			    "needs %s Gbit/s of a host (%s for each of %lld "
			    "devices)",
			    na_case_number(c, gbps),
			    na_case_number(c,
					   na_number_at(row, M_required_gbps)),
			    (long long)na_count_at(row, M_devices_per_host));
}

static void judge_required(struct na_case *c)
{
	struct na_stalled all = na_stalled_of(c, bound);
	struct na_finding *f;
	struct na_value *list;

	if (!all.n)
		return;
	f = na_case_find(c, NA_SEV_WARNING, NA_LIKELY, "slack --sort required");
	f->lost_s = na_per_device_s(c, all.stall_us);
	f->title = na_case_text(
		c, "%s %s; a host has %s Gbit/s%s",
		na_text_at(all.worst, M_collective), need_of(c, all.worst),
		na_case_number(c, c->capacity_gbps),
		all.n > 1 ? na_case_text(c, " (%zu more like it)", all.n - 1)
			  : "");
	f->remedy = remedy;
	na_put_real(c->r, f->evidence, M_capacity_gbps, c->capacity_gbps);
	list = na_put_list(c->r, f->evidence, M_collectives);
	na_for_each (v, na_get(na_case_body(c, "slack"), M_collectives)) {
		if (bound(c, v))
			put_row(c, list, v);
	}
}

static void judge_bandwidth_bound(struct na_case *c)
{
	double plateau = na_number_at(na_case_body(c, "timeline"),
				      M_plateau_gbps);

	if (c->capacity_gbps > 0) {
		judge_full(c);
		judge_required(c);
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
	.question = "links at capacity, or collectives that need more",
	.needs = {"timeline"},
	.uses = {"slack"},
	.judge = judge_bandwidth_bound,
	.explains = NA_EXPLAINS_DEMAND,
	.named_as = "the job is bandwidth-bound: ",
};
