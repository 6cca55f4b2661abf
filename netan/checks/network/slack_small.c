/*
 * slack-small: collectives that have no time to hide behind computation.
 * The rule for a row is that of `slack` (slack below 5 % of the observed
 * duration, or below the median network latency); what costs less than 1 % of
 * the step time is no finding.  Stalls of collectives that had slack enough
 * are told, too, with what `slack` found on their path: a warning where that
 * is copies or reductions, not the network.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"

enum { LISTED = 10 };

static const double of_observed = 0.05;

static bool is_small(const struct na_case *c, const struct na_value *row)
{
	double slack_us = na_number_at(row, M_slack_us "." M_mean);

	/* Where clocks differ, who knows the network's latency. */
	if (na_clocks_differ(c) &&
	    slack_us >=
		    of_observed * na_number_at(row, M_observed_us "." M_mean))
		return false;
	return na_flag_at(row, M_slack_small);
}

static bool counts(const struct na_case *c, const struct na_value *row)
{
	return is_small(c, row) &&
	       !(na_number_at(row, M_stall_share) < c->limits->slack_stall);
}

static double seconds_at(const struct na_value *in, const char *us)
{
	return na_number_at(in, us) / NA_US_PER_S;
}

static void put_row(struct na_case *c, struct na_value *list,
		    const struct na_value *row)
{
	struct na_value *to = na_put_object(c->r, list, NULL);

	na_case_copy(c, to, row, M_collective, M_send_op, M_recv_op);
	na_put_real(c->r, to, M_slack_us,
		    na_number_at(row, M_slack_us "." M_mean));
	na_put_real(c->r, to, M_observed_us,
		    na_number_at(row, M_observed_us "." M_mean));
	na_case_copy(c, to, row, M_network_p50_us);
	na_put_real(c->r, to, M_total_stall_s,
		    seconds_at(row, M_total_stall_us));
	na_case_copy(c, to, row, M_stall_share);
}

/* Where `slack` names another one first: with more slack it stalls longer. */
static void tell_longest(struct na_case *c, struct na_finding *f,
			 const struct na_value *row)
{
	const struct na_value *most = na_stalled_of(c, NULL).worst;

	if (most == row)
		return;
	na_case_evidence(
		c, f,
		na_fact_stalls_longer(na_text_at(most, M_collective),
				      seconds_at(most, M_total_stall_us),
				      seconds_at(most, M_slack_us "." M_mean)));
}

static bool judge_small(struct na_case *c)
{
	struct na_stalled all = na_stalled_of(c, counts);
	const struct na_value *row = all.worst;
	const char *collective = na_text_at(row, M_collective);
	const char *send = na_text_at(row, M_send_op);
	const char *recv = na_text_at(row, M_recv_op);
	struct na_finding *f;
	struct na_value *list;

	if (!row)
		return false;
	f = na_case_find(c, NA_SEV_WARNING, NA_CERTAIN, "slack --sort stall");
	f->base = na_case_say(c, na_fact_stalled_in_it());
	na_case_cost(c, f, na_per_device_s(c, all.stall_us));
	f->title = na_case_say(
		c, na_fact_too_little_slack(
			   collective, (int64_t)all.n - 1,
			   seconds_at(row, M_slack_us "." M_mean),
			   seconds_at(row, M_observed_us "." M_mean), send,
			   recv, f->lost_s));
	f->brief = na_case_say(
		c, na_fact_too_little_slack(collective, (int64_t)all.n - 1, NAN,
					    NAN, NULL, NULL, f->lost_s));
	f->remedy = na_case_say(c, na_fact_slack_remedy(send, recv));
	na_case_evidence(c, f,
			 na_fact_collectives_stall((int64_t)all.n, f->lost_s,
						   all.stall_us / NA_US_PER_S));
	na_case_evidence(
		c, f, na_fact_median_transfer(seconds_at(row, M_network_p50_us)));
	tell_longest(c, f, row);
	f->otherwise = na_case_say(c, na_fact_somebody_is_slow(false));
	na_put_int(c->r, f->evidence, M_collectives, (int64_t)all.n);
	na_put_real(c->r, f->evidence, M_stall_per_device_s, f->lost_s);
	list = na_put_list(c->r, f->evidence, M_worst);
	na_for_each (v, na_get(na_case_body(c, "slack"), M_collectives)) {
		if (list && list->n < LISTED && counts(c, v))
			put_row(c, list, v);
	}
	return true;
}

/* Most of the time of an execution went to the devices' own hosts. */
static bool at_home(const struct na_value *late)
{
	static const char *const kinds[] = {M_d2h, M_h2d, M_compute,
					    M_recv_done};
	const struct na_value *shares = na_get(late, M_shares), *most = NULL;

	na_for_each (v, shares) {
		if (!most || na_real_of(v, 0) > na_real_of(most, 0))
			most = v;
	}
	for (size_t i = 0; most && i < NA_LEN(kinds); i++) {
		if (strcmp(most->name, kinds[i]) == 0)
			return true;
	}
	return false;
}

static void judge_stalls(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "slack");
	const struct na_value *row = na_stalled_of(c, NULL).worst;
	const struct na_value *late = na_first(body, M_late);
	const char *collective = na_text_at(row, M_collective);
	const char *cause = na_text_at(late, M_cause);
	double share = na_number_at(row, M_stall_share);
	size_t n = na_length(body, M_late), home = 0;
	struct na_finding *f;

	na_for_each (v, na_get(body, M_late))
		home += at_home(v);
	if (!late || !*cause || is_small(c, row) ||
	    !(share >= c->limits->stalled))
		return;
	f = na_case_find(c, n == home ? NA_SEV_WARNING : NA_SEV_INFO,
			 n == home ? NA_LIKELY : NA_POSSIBLE,
			 "slack --sort stall");
	na_case_draw(c, f, "slack --waterfall -o late.svg");
	if (n == home)
		f->sure = na_case_say(c, na_fact_hosts_lost_the_time());
	f->from_s = na_number_at(late, M_from_s);
	f->to_s = na_number_at(late, M_to_s);
	f->base = na_case_say(c, na_fact_stalled_in_it());
	na_case_cost(c, f,
		     na_per_device_s(c, na_number_at(row, M_total_stall_us)));
	f->culprit = na_case_say(c, na_fact_stalls_its_devices(collective,
							       cause));
	f->title = na_case_say(
		c, na_fact_slow_runs_stall(
			   seconds_at(row, M_slack_us "." M_mean), collective,
			   share));
	f->remedy = na_case_say(c, na_fact_slow_runs_remedy(n == home));
	na_case_evidence(c, f, na_fact_device_stalls(f->lost_s));
	f->how = cause;
	f->otherwise = na_case_say(c, na_fact_somebody_is_slow(false));
	put_row(c, na_put_list(c->r, f->evidence, M_worst), row);
	na_put_real(c->r, f->evidence, M_stall_share, share);
	na_put_real(c->r, f->evidence, M_stall_per_device_s, f->lost_s);
}

/* Of the stall: so much makes a cause of it, or, where a cost is a lower
 * bound, hints at it; or its transfers on the slow runs' paths. */
#define EXPLAINS 0.5
#define HINTS    0.25
#define ON_PATHS 0.5

static bool explains(const struct na_case *c, const struct na_finding *e,
		     const struct na_finding *f)
{
	size_t steps = na_length(na_case_body(c, "steps"), M_steps);
	double stall_ms = f->lost_s * NA_MS_PER_S / (double)steps;
	bool least = strcmp(e->roughly, "at least ") == 0;

	return na_may_explain(e, f) &&
	       (e->cost_ms_per_step >= (least ? HINTS : EXPLAINS) * stall_ms ||
		na_number_at(e->evidence, M_path_share) >= ON_PATHS);
}

/* One of whom nobody knows what it costs. */
static const struct na_finding *uncosted(const struct na_case *c,
					 const struct na_finding *f)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *e = c->findings[i];

		if (na_may_explain(e, f) && isnan(e->cost_ms_per_step))
			return e;
	}
	return NULL;
}

/* The one that costs most. */
static const struct na_finding *explanation(const struct na_case *c,
					    const struct na_finding *f)
{
	const struct na_finding *best = NULL;

	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *e = c->findings[i];

		if (explains(c, e, f) &&
		    (!best || e->cost_ms_per_step > best->cost_ms_per_step))
			best = e;
	}
	return best;
}

/* One that is accused and makes a part of the stall. */
static const struct na_finding *part_of(const struct na_case *c,
					const struct na_finding *f)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *e = c->findings[i];

		if (na_may_explain(e, f) && e->cause == NA_CAUSE_NETWORK &&
		    e->cost_ms_per_step > 0)
			return e;
	}
	return NULL;
}

static void tell_part(struct na_case *c, struct na_finding *f,
		      const struct na_finding *e)
{
	f->picture = NULL;
	f->otherwise = NULL;
	f->remedy = na_case_say(
		c, na_fact_first_mend(e->culprit, e->check->id, true));
	f->title = na_case_say(
		c, na_fact_stall_is_explained(f->title, true, e->culprit,
					      e->check->id));
	na_case_evidence(c, f,
			 na_fact_costs_of_each_step(
				 e->culprit, e->roughly,
				 e->cost_ms_per_step / NA_MS_PER_S));
}

/* What steps wait for hosts that compute longer than the others or wait for
 * their input. */
struct own_waits {
	double ms;
	const char *host; /* the last one; NULL: none */
	bool several;
};

static struct own_waits own_waits_of(const struct na_case *c)
{
	struct own_waits x = {0};

	na_for_each (v, na_get(na_case_body(c, "steps"), M_steps)) {
		const char *host = na_text_at(v, M_slowest_host);

		if (!na_says(v, M_cause, "computation") &&
		    !na_says(v, M_cause, "input"))
			continue;
		x.ms += fmax(0, na_number_at(v, M_lost_ms));
		x.several |= x.host && strcmp(x.host, host) != 0;
		x.host = host;
	}
	return x;
}

/* Nobody is accused, and hosts keep each other waiting as long as it stalls:
 * the schedule is not to blame first. */
static void tell_own_waits(struct na_case *c, struct na_finding *f)
{
	struct own_waits x = own_waits_of(c);
	const char *waits;

	if (!f->brief || !x.host ||
	    !(x.ms >= EXPLAINS * f->lost_s * NA_MS_PER_S))
		return;
	waits = na_case_say(
		c, na_fact_steps_wait_for(x.ms / NA_MS_PER_S,
					  x.several ? NULL : x.host));
	na_put_text(c->r, f->facts, NULL, waits);
	f->brief = na_case_say(c, na_fact_one_and_other(f->brief, waits));
	f->sure = na_case_say(c, na_fact_stall_is_counted(NULL));
	f->remedy = na_case_say(c, na_fact_first_see_steps(f->remedy));
	f->otherwise = NULL;
}

/* Another finding is about somebody, or suspects that. */
static bool names_somebody(const struct na_case *c, const struct na_finding *f)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *e = c->findings[i];

		if (e != f && (e->culprit || e->suspicion))
			return true;
	}
	return false;
}

/* Who is late on the slowest path waits for somebody else as well, where that
 * one is known: then only that one is told. */
static void settle_stalls(struct na_case *c, struct na_finding *f)
{
	const struct na_finding *e = explanation(c, f);

	if (e) {
		f->cost_ms_per_step = NAN;
		/* One run of many would show whom it waits for, not why. */
		f->picture = NULL;
		f->title = na_case_say(
			c, na_fact_stall_is_explained(f->title, false,
						      e->culprit,
						      e->check->id));
		f->remedy = na_case_say(
			c, na_fact_first_mend(e->culprit, e->check->id, false));
		f->otherwise = NULL;
		f->confidence = e->confidence;
		f->sure = na_case_say(c, na_fact_stall_is_counted(e->check->id));
		f->culprit = na_case_say(
			c, na_fact_stalls_its_devices(
				   na_text_at(na_first(f->evidence, M_worst),
					      M_collective),
				   NULL));
	}
	if (!e && part_of(c, f)) {
		tell_part(c, f, part_of(c, f));
		f->how = NULL;
	} else if (!e) {
		tell_own_waits(c, f);
	}
	if (f->otherwise && names_somebody(c, f))
		f->otherwise = na_case_say(c, na_fact_somebody_is_slow(true));
	if (!f->how)
		return;
	if (!e && uncosted(c, f)) {
		e = uncosted(c, f);
		na_case_evidence(c, f,
				 na_fact_cost_not_known(e->culprit,
							e->check->id));
	} else if (!e) {
		na_case_evidence(c, f, na_fact_slowest_run(f->how));
		na_put_text(c->r, f->evidence, M_slowest_run, f->how);
	}
	f->how = NULL;
}

static void judge_slack_small(struct na_case *c)
{
	if (!judge_small(c))
		judge_stalls(c);
}

const struct na_check na_check_slack_small = {
	.id = "slack-small",
	.version = 1,
	.question = "collectives with too little slack to hide behind "
		    "computation",
	.does_not_mean = "which host is slow: all devices of the collective "
			 "wait for the last one",
	.needs = {"slack"},
	.uses = {"session", "pairs"},
	.judge = judge_slack_small,
	.settle = settle_stalls,
	.of_xla = true,
	.costs_stall = true,
	.each_host = true,
};
