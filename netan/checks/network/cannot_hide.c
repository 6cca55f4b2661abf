/*
 * cannot-hide: the link is not full, but collectives cannot hide behind the
 * computation beside them: what they need (bytes over slack, times the devices
 * of a host) is above the capacity, and they stall the devices for 1 % of the
 * step time or more.  Where the link is full, that is the reason, and
 * bandwidth-bound tells it.
 */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

enum { BEYOND = 1000 }; /* times the capacity: nobody builds it */

static const double matters = 0.05; /* of the step time: a warning */

/* What costs nothing needs no bandwidth. */
static bool bound(const struct na_case *c, const struct na_value *row)
{
	return na_flag_at(row, M_bandwidth_bound) &&
	       !(na_number_at(row, M_stall_share) < c->limits->slack_stall);
}

static double stall_share(const struct na_case *c)
{
	double share = 0;

	na_for_each (v, na_get(na_case_body(c, "slack"), M_collectives)) {
		if (bound(c, v))
			share += na_number_at(v, M_stall_share);
	}
	return share;
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

static struct na_fact need_of(const struct na_case *c,
			      const struct na_value *row)
{
	double gbps = na_number_at(row, M_required_gbps);
	double host_gbps = gbps * na_number_at(row, M_devices_per_host);
	bool any = host_gbps > 0 && host_gbps <= BEYOND * c->capacity_gbps;

	return na_fact_rate_to_hide(any ? host_gbps : (double)NAN, gbps,
				    na_count_at(row, M_devices_per_host),
				    c->capacity_gbps);
}

static void find(struct na_case *c, const struct na_stalled *all)
{
	double share = stall_share(c);
	bool warn = share >= matters;
	struct na_finding *f = na_case_find(c,
					    warn ? NA_SEV_WARNING : NA_SEV_INFO,
					    NA_LIKELY, "slack --sort required");
	struct na_value *list;

	na_case_cost(c, f, na_per_device_s(c, all->stall_us));
	f->title = na_case_say(c, na_fact_cannot_hide(na_text_at(all->worst,
								 M_collective),
						      (int64_t)all->n - 1));
	f->culprit = f->title;
	na_case_evidence(c, f, need_of(c, all->worst));
	na_case_evidence(c, f, na_fact_devices_stall_in_it(share));
	f->remedy = na_case_say(c, na_fact_cannot_hide_remedy());
	f->sure = na_case_say(c, na_fact_need_is_computed());
	na_put_real(c->r, f->evidence, M_capacity_gbps, c->capacity_gbps);
	na_put_real(c->r, f->evidence, M_stall_share, share);
	list = na_put_list(c->r, f->evidence, M_collectives);
	na_for_each (v, na_get(na_case_body(c, "slack"), M_collectives)) {
		if (bound(c, v))
			put_row(c, list, v);
	}
}

static void judge_cannot_hide(struct na_case *c)
{
	struct na_stalled all = na_stalled_of(c, bound);

	if (!(c->capacity_gbps > 0)) {
		na_case_needs(c, na_fact_needs_capacity(NAN));
		return;
	}
	if (!all.n)
		return;
	if (na_link_is_full(c))
		na_case_needs(c, na_fact_needs_room());
	else
		find(c, &all);
}

const struct na_check na_check_cannot_hide = {
	.id = "cannot-hide",
	.version = 1,
	.question = "collectives that cannot hide behind computation",
	.does_not_mean = "that the network is slow: the computation is too "
			 "short for these bytes at the given capacity",
	.needs = {"slack", "timeline"},
	.judge = judge_cannot_hide,
	.of_xla = true,
	.explains = NA_EXPLAINS_SOME,
	.costs_stall = true,
	.each_host = true,
};
