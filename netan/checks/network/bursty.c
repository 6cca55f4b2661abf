/*
 * bursty: collectives that start all at once, or never come to an end within
 * a step.  All devices of a job start a collective at once: that is a warning
 * only where they are seen to wait.  Of captures, whose transfers have no
 * schedule, and of steps that overlap, which may be meant: a remark.
 */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

static double idc_of(const struct na_value *body, int64_t window_ms)
{
	na_for_each (v, na_get(body, M_dispersion)) {
		if (na_count_at(v, M_window_ms) == window_ms)
			return na_number_at(v, M_idc);
	}
	return NAN;
}

/* Whether something is pending in all of a step; steps of fewer than three
 * whole bins tell nothing. */
static int never_idle(const struct na_value *body, const struct na_value *step)
{
	size_t n, m, whole = 0;
	const double *t = na_reals_of(na_get(body, M_time_s), &n);
	const double *least = na_reals_of(na_get(body, M_pending_min), &m);
	double bin_s = na_number_at(body, M_bin_s);
	double from_s = na_number_at(step, M_from_s);
	double to_s = na_number_at(step, M_to_s);

	for (size_t i = 0; t && least && i < n && i < m; i++) {
		if (!(t[i] >= from_s && t[i] + bin_s <= to_s))
			continue;
		whole++;
		if (!(least[i] > 0))
			return 0;
	}
	return whole >= 3 ? 1 : -1;
}

/* A count, not 2.00. */
static int64_t most_pending(const struct na_value *body)
{
	return (int64_t)fmax(0, na_number_at(body, M_pending "." M_max));
}

static void put_evidence(struct na_case *c, struct na_finding *f,
			 const struct na_value *body, double idc, double peak)
{
	double idle = na_number_at(body, M_pending "." M_idle_share);

	na_case_evidence(c, f,
			 na_fact_pending(na_number_at(body, M_pending
						      "." M_time_mean),
					 most_pending(body)));
	na_case_evidence(c, f, na_fact_nothing_pending(idle));
	na_put_text(c->r, f->evidence, M_pending_of,
		    na_text_at(body, M_pending_of));
	na_put_real(c->r, f->evidence, M_idc_10ms, idc);
	na_put_real(c->r, f->evidence, M_pending_mean,
		    na_number_at(body, M_pending "." M_time_mean));
	na_put_real(c->r, f->evidence, M_pending_max,
		    na_number_at(body, M_pending "." M_max));
	na_put_real(c->r, f->evidence, M_peak_to_mean, peak);
	na_put_real(c->r, f->evidence, M_idle_share, idle);
}

static void judge_steps(struct na_case *c, const struct na_value *body,
			double idc, double peak)
{
	size_t busy = 0, told = 0;
	struct na_finding *f;

	/* Steps beside which they lie are the traces'. */
	if (c->captured)
		return;
	na_for_each (v, na_get(body, M_steps)) {
		int x = never_idle(body, v);

		busy += x > 0;
		told += x >= 0;
	}
	if (!told || 2 * busy <= told)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_CERTAIN, "bursts");
	f->title = na_case_say(
		c, na_fact_steps_never_idle(na_text_at(body, M_pending_of),
					    (int64_t)busy, (int64_t)told));
	f->remedy = na_case_say(c, na_fact_steps_never_idle_remedy());
	put_evidence(c, f, body, idc, peak);
	na_put_int(c->r, f->evidence, M_steps_never_idle, (int64_t)busy);
	na_put_int(c->r, f->evidence, M_steps, (int64_t)told);
}

/* All n in one window make the index no more than n. */
static void tell_few(struct na_case *c, const struct na_value *body, double idc)
{
	na_transfers_few(c, na_number_or(body, M_pending "." M_count, 0),
			 floor(c->limits->burst_idc) + 1);
	if (!c->missing && isnan(idc))
		na_case_needs(c,
			      na_fact_needs_more_windows(na_packets_told(c)));
}

static void judge_bursty(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "bursts");
	double idc = idc_of(body, 10);
	double peak = na_number_at(body, M_pending "." M_max) /
		      na_number_at(body, M_pending "." M_time_mean);
	bool planned = na_says(body, M_pending_of, "collectives");
	struct na_finding *f;

	if (!(idc > c->limits->burst_idc && peak > c->limits->burst_peak)) {
		judge_steps(c, body, idc, peak);
		tell_few(c, body, idc);
		return;
	}
	f = na_case_find(c,
			 planned && na_waiting_share(c) >= NA_HIDDEN
				 ? NA_SEV_WARNING
				 : NA_SEV_INFO,
			 NA_CERTAIN, "bursts");
	f->title = na_case_say(c, na_fact_start_in_bursts(planned,
							  most_pending(body),
							  peak, idc));
	f->remedy = na_case_say(c, na_fact_bursts_remedy(planned));
	put_evidence(c, f, body, idc, peak);
}

const struct na_check na_check_bursty = {
	.id = "bursty",
	.version = 1,
	.question = "collectives that start all at once, or never end",
	.does_not_mean = "that the job waits: a burst hurts where its "
			 "transfers finish too late",
	.needs = {"bursts"},
	.uses = {"slack", "steps"},
	.judge = judge_bursty,
	.of_either = true,
};
