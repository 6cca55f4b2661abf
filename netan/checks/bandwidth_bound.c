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

/* One side of one host, of all regions. */
struct side {
	const char *host, *side;
	double seconds, gbps_seconds, from_s, to_s;
};

static bool same(const struct na_value *region, const struct side *x)
{
	return strcmp(na_text_at(region, M_host), x->host) == 0 &&
	       strcmp(na_text_at(region, M_side), x->side) == 0;
}

/* Regions of one host and side do not overlap. */
static struct side sum_of(const struct na_value *body,
			  const struct na_value *of)
{
	struct side x = {.host = na_text_at(of, M_host),
			 .side = na_text_at(of, M_side),
			 .from_s = INFINITY,
			 .to_s = -INFINITY};

	na_for_each (v, na_get(body, M_saturated)) {
		double from = na_number_at(v, M_from_s);
		double to = na_number_at(v, M_to_s);

		if (!same(v, &x))
			continue;
		x.seconds += to - from;
		x.gbps_seconds += (to - from) * na_number_at(v, M_mean_gbps);
		x.from_s = fmin(x.from_s, from);
		x.to_s = fmax(x.to_s, to);
	}
	return x;
}

static bool first_of_its_side(const struct na_value *body,
			      const struct na_value *region)
{
	const struct side x = {.host = na_text_at(region, M_host),
			       .side = na_text_at(region, M_side)};

	na_for_each (v, na_get(body, M_saturated)) {
		if (same(v, &x))
			return v == region;
	}
	return true;
}

static void put_side(struct na_case *c, struct na_value *list,
		     const struct side *x, double duration_s)
{
	struct na_value *to = na_put_object(c->r, list, NULL);

	na_put_text(c->r, to, M_host, x->host);
	na_put_text(c->r, to, M_side, x->side);
	na_put_real(c->r, to, "saturated_s", x->seconds);
	na_put_real(c->r, to, "saturated_share", x->seconds / duration_s);
	na_put_real(c->r, to, M_mean_gbps, x->gbps_seconds / x->seconds);
}

/* Of all sides above the limit, the one that is full for longest. */
static bool full(struct na_case *c, struct na_value *list, struct side *worst,
		 double *share)
{
	const struct na_value *body = na_case_body(c, "timeline");
	double duration_s = na_number_at(na_case_doc(c, "timeline"),
					 M_duration_s);

	*share = 0;
	na_for_each (v, na_get(body, M_saturated)) {
		struct side x;

		if (!first_of_its_side(body, v))
			continue;
		x = sum_of(body, v);
		if (!(x.seconds > c->limits->saturated * duration_s))
			continue;
		put_side(c, list, &x, duration_s);
		if (x.seconds / duration_s > *share) {
			*share = x.seconds / duration_s;
			*worst = x;
		}
	}
	return *share > 0;
}

static const char *remedy = "a larger batch per replica, another sharding or "
			    "more overlap of communication with computation; "
			    "confirm the hosts' network settings (netan "
			    "sysctl) and the capacity that was given";

static void judge_full(struct na_case *c)
{
	struct na_value *list = na_put_list(c->r, na_result_side(c->r), "full");
	struct na_finding *f;
	struct side worst = {.host = ""};
	double share;

	if (!full(c, list, &worst, &share))
		return;
	f = na_case_find(c, NA_SEV_WARNING, NA_CERTAIN);
	if (!f)
		return;
	f->from_s = worst.from_s;
	f->to_s = worst.to_s;
	f->culprit = na_case_text(c, "the link of %s is full", worst.host);
	f->title = na_case_text(
		c, "%s %s at capacity for %s %% of the time%s", worst.host,
		strcmp(worst.side, "rx") == 0 ? "receives" : "sends",
		na_case_number(c, 100 * share),
		list->n > 1 ? na_case_text(c, " (and %zu more host sides)",
					   list->n - 1)
			    : "");
	f->remedy = remedy;
	f->command = na_case_command(c, "timeline --by host");
	na_put_real(c->r, f->evidence, M_capacity_gbps, c->capacity_gbps);
	na_put_alias(c->r, f->evidence, M_sides, list);
}

static void put_row(struct na_case *c, struct na_value *list,
		    const struct na_value *row)
{
	struct na_value *to = na_put_object(c->r, list, NULL);

	na_put_text(c->r, to, M_collective, na_text_at(row, M_collective));
	na_put_real(c->r, to, M_slack_us,
		    na_number_at(row, M_slack_us "." M_mean));
	na_put_real(c->r, to, M_bytes, na_number_at(row, M_bytes));
	na_put_real(c->r, to, M_required_gbps,
		    na_number_at(row, M_required_gbps));
	na_put_int(c->r, to, M_devices_per_host,
		   na_count_at(row, M_devices_per_host));
	na_put_real(c->r, to, "total_stall_s",
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
	const struct na_value *body = na_case_body(c, "slack"), *worst = NULL;
	double devices = na_number_at(body, M_total "." M_devices),
	       stall_us = 0;
	struct na_finding *f;
	struct na_value *list;
	size_t n = 0;

	na_for_each (v, na_get(body, M_collectives)) {
		if (!bound(c, v))
			continue;
		n++;
		stall_us += na_number_at(v, M_total_stall_us);
		if (!worst || na_number_at(v, M_total_stall_us) >
				      na_number_at(worst, M_total_stall_us))
			worst = v;
	}
	f = n ? na_case_find(c, NA_SEV_WARNING, NA_LIKELY) : NULL;
	if (!f)
		return;
	f->lost_s = devices > 0 ? stall_us / devices / NA_US_PER_S
				: (double)NAN;
	f->title = na_case_text(
		c, "%s %s; a host has %s Gbit/s%s",
		na_text_at(worst, M_collective), need_of(c, worst),
		na_case_number(c, c->capacity_gbps),
		n > 1 ? na_case_text(c, " (%zu more like it)", n - 1) : "");
	f->remedy = remedy;
	f->command = na_case_command(c, "slack --sort required");
	na_put_real(c->r, f->evidence, M_capacity_gbps, c->capacity_gbps);
	list = na_put_list(c->r, f->evidence, M_collectives);
	na_for_each (v, na_get(body, M_collectives)) {
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
