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

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"

enum { LISTED = 10 };

static const double of_observed = 0.05;

static const char nobody_else[] =
	"somebody is slow, and this is how it shows, though no check names "
	"anybody";

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
		    na_number_at(row, M_total_stall_us) / NA_US_PER_S);
	na_case_copy(c, to, row, M_stall_share);
}

/* Where `slack` names another one first: with more slack it stalls longer. */
static void tell_longest(struct na_case *c, struct na_finding *f,
			 const struct na_value *row)
{
	const struct na_value *most = na_stalled_of(c, NULL).worst;

	if (most == row)
		return;
	na_case_fact(c, f,
		     "%s stalls them longer than each of these (%s all "
		     "together), with more slack (%s)",
		     na_text_at(most, M_collective),
		     na_case_seconds(c, na_number_at(most, M_total_stall_us) /
						NA_US_PER_S),
		     na_case_seconds(c,
				     na_number_at(most, M_slack_us "." M_mean) /
					     NA_US_PER_S));
}

static bool judge_small(struct na_case *c)
{
	struct na_stalled all = na_stalled_of(c, counts);
	const struct na_value *row = all.worst;
	struct na_finding *f;
	struct na_value *list;

	if (!row)
		return false;
	f = na_case_find(c, NA_SEV_WARNING, NA_CERTAIN, "slack --sort stall");
	f->base = ", which a device stalls in it in the mean";
	na_case_cost(c, f, na_per_device_s(c, all.stall_us));
	f->title = na_case_text(
		c,
		"%s%s too little slack: %s of %s in flight, between %s and %s; "
		"%s of stall on each device",
		na_text_at(row, M_collective),
		all.n > 1 ? na_case_text(c, " (and %zu more) have", all.n - 1)
			  : " has",
		na_case_seconds(c, na_number_at(row, M_slack_us "." M_mean) /
					   NA_US_PER_S),
		na_case_seconds(c, na_number_at(row, M_observed_us "." M_mean) /
					   NA_US_PER_S),
		na_text_at(row, M_send_op), na_text_at(row, M_recv_op),
		na_case_seconds(c, f->lost_s));
	f->brief = na_case_text(c,
				"%s%s too little slack: %s of stall on each "
				"device",
				na_text_at(row, M_collective),
				all.n > 1 ? na_case_text(c, " (and %zu more) "
							    "have", all.n - 1)
					  : " has",
				na_case_seconds(c, f->lost_s));
	f->remedy = na_case_text(
		c,
		"find what keeps computation from running between %s and %s: "
		"data dependencies, the schedule, collectives that are issued "
		"at once; overlap more, or send less",
		na_text_at(row, M_send_op), na_text_at(row, M_recv_op));
	na_case_fact(c, f,
		     "%zu collective%s, of which devices stall %s each in the "
		     "mean, %s all together",
		     all.n, na_plural(all.n), na_case_seconds(c, f->lost_s),
		     na_case_seconds(c, all.stall_us / NA_US_PER_S));
	na_case_fact(c, f, "its transfers take %s in the median",
		     na_case_seconds(c, na_number_at(row, M_network_p50_us) /
						NA_US_PER_S));
	tell_longest(c, f, row);
	f->otherwise = nobody_else;
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
	double share = na_number_at(row, M_stall_share);
	size_t n = na_length(body, M_late), home = 0;
	struct na_finding *f;

	na_for_each (v, na_get(body, M_late))
		home += at_home(v);
	if (!late || !*na_text_at(late, M_cause) || is_small(c, row) ||
	    !(share >= c->limits->stalled))
		return;
	f = na_case_find(c, n == home ? NA_SEV_WARNING : NA_SEV_INFO,
			 n == home ? NA_LIKELY : NA_POSSIBLE,
			 "slack --sort stall");
	na_case_draw(c, f, "slack --waterfall -o late.svg");
	if (n == home)
		f->sure = "each slow run that was looked at lost its time on "
			  "a host; why, the trace does not show";
	f->from_s = na_number_at(late, M_from_s);
	f->to_s = na_number_at(late, M_to_s);
	f->base = ", which a device stalls in it in the mean";
	na_case_cost(c, f,
		     na_per_device_s(c, na_number_at(row, M_total_stall_us)));
	f->culprit = na_case_text(c, "%s stalls its devices: %s",
				  na_text_at(row, M_collective),
				  na_text_at(late, M_cause));
	f->title = na_case_text(
		c,
		"%s of slack are too little for the slow runs of %s: its "
		"devices stall for %s %% of the step time",
		na_case_seconds(c, na_number_at(row, M_slack_us "." M_mean) /
					   NA_US_PER_S),
		na_text_at(row, M_collective), na_case_number(c, 100 * share));
	f->remedy = n == home
			    ? "look at the hosts' memory, PCIe and CPU: not "
			      "the network keeps the devices waiting"
			    : "look at its slowest run in the waterfall: what "
			      "of the path took long; send less, or earlier";
	na_case_fact(c, f, "each device stalls %s in it",
		     na_case_seconds(c, f->lost_s));
	f->how = na_text_at(late, M_cause);
	f->otherwise = nobody_else;
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
	f->remedy = na_case_text(c,
				 "mend %s first (%s), and look again: what "
				 "stalls then does so for the schedule",
				 e->culprit, e->check->id);
	f->title = na_case_text(c, "%s: in part a consequence of %s (%s)",
				f->title, e->culprit, e->check->id);
	na_case_fact(c, f, "%s costs %s%s of each step", e->culprit, e->roughly,
		     na_case_seconds(c, e->cost_ms_per_step / NA_MS_PER_S));
}

/* What steps wait for hosts that compute longer than the others or wait for
 * their input. */
struct own_waits {
	double ms;
	const char *who; /* NULL: nobody */
};

static struct own_waits own_waits_of(const struct na_case *c)
{
	static const char several[] = "the host that is last in each";
	struct own_waits x = {0};

	na_for_each (v, na_get(na_case_body(c, "steps"), M_steps)) {
		const char *host = na_text_at(v, M_slowest_host);

		if (!na_says(v, M_cause, "computation") &&
		    !na_says(v, M_cause, "input"))
			continue;
		x.ms += fmax(0, na_number_at(v, M_lost_ms));
		x.who = !x.who || strcmp(x.who, host) == 0 ? host : several;
	}
	return x;
}

/* Nobody is accused, and hosts keep each other waiting as long as it stalls:
 * the schedule is not to blame first. */
static void tell_own_waits(struct na_case *c, struct na_finding *f)
{
	struct own_waits x = own_waits_of(c);
	const char *waits;

	if (!f->brief || !x.who ||
	    !(x.ms >= EXPLAINS * f->lost_s * NA_MS_PER_S))
		return;
	waits = na_case_text(c, "steps wait %s for what %s does itself",
			     na_case_seconds(c, x.ms / NA_MS_PER_S), x.who);
	na_case_fact(c, f, "%s", waits);
	f->brief = na_case_text(c, "%s; %s", f->brief, waits);
	f->sure = "the stall is counted; why, is not known";
	f->remedy = na_case_text(c, "see first whom the steps wait for, in "
				    "more of them (netan steps); then: %s",
				 f->remedy);
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
		f->title = na_case_text(c, "%s: explained by %s (%s)", f->title,
					e->culprit, e->check->id);
		f->remedy = na_case_text(c,
					 "mend %s first (%s), and look again",
					 e->culprit, e->check->id);
		f->otherwise = NULL;
		f->confidence = e->confidence;
		f->sure = na_case_text(c,
				       "the stall is counted; its cause is as "
				       "sure as the finding %s",
				       e->check->id);
		f->culprit =
			na_case_text(c, "%s stalls its devices",
				     na_text_at(na_first(f->evidence, M_worst),
						M_collective));
	}
	if (!e && part_of(c, f)) {
		tell_part(c, f, part_of(c, f));
		f->how = NULL;
	} else if (!e) {
		tell_own_waits(c, f);
	}
	if (f->otherwise == nobody_else && names_somebody(c, f))
		f->otherwise = "somebody is slow, and this is how it shows: "
			       "see the other findings first";
	if (!f->how)
		return;
	if (!e && uncosted(c, f)) {
		e = uncosted(c, f);
		na_case_fact(c, f,
			     "what %s costs is not known: it may explain this "
			     "(%s)",
			     e->culprit, e->check->id);
	} else if (!e) {
		na_case_fact(c, f, "its slowest run: %s", f->how);
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
