/*
 * What a culprit of `pairs` costs the job: what `pairs` says of its steps; where
 * it cannot tell, an estimate along the critical paths of the slowest
 * executions of its collectives.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

static bool is_a(const struct na_value *culprit, const char *kind)
{
	return na_says(culprit, M_kind, kind);
}

/* Who receives what this part of a path is about: the parts of one transfer
 * (its waits, its send, the network) follow each other. */
static const char *receiver(const struct na_value *part)
{
	const char *src = na_text_at(part, M_src);
	const char *dst = na_text_at(part, M_dst);

	for (const struct na_value *v = part; v; v = v->next) {
		if (!na_says(v, M_src, src) || !na_says(v, M_dst, dst))
			break;
		if (na_says(v, M_kind, "network"))
			return na_text_at(v, M_host);
	}
	return "";
}

static bool is_its(const struct na_value *culprit, const struct na_value *part)
{
	const char *src = na_text_at(part, M_src_host), *dst = receiver(part);

	if (!*src)
		return false;
	if (is_a(culprit, "src") || is_a(culprit, "rack_uplink"))
		return na_touches(culprit, src);
	if (is_a(culprit, "dst") || is_a(culprit, "rack_downlink"))
		return na_touches(culprit, dst);
	if (is_a(culprit, "pair"))
		return na_says(culprit, M_src_host, src) &&
		       na_says(culprit, M_dst_host, dst);
	return na_touches(culprit, src) || na_touches(culprit, dst);
}

/* Of the slowest executions, along their critical paths. */
struct on_paths {
	double its_us, all_us; /* of the paths: the culprit's transfers, from
				  when they could have been sent; in all */
	double saved_us, stall_us; /* of their stalls: without that, in all */
};

/* `keeps` of what a transfer takes would remain without the culprit; no stall
 * is shortened by more than it lasts. */
static struct on_paths on_paths(const struct na_case *c,
				const struct na_value *culprit, double keeps)
{
	struct on_paths sum = {.its_us = 0};

	na_for_each (run, na_get(na_case_body(c, "slack"), M_late)) {
		double its_us = 0, stall_us = na_number_at(run, M_stall_us);

		na_for_each (v, na_get(run, M_path)) {
			double us = na_number_at(v, M_duration_us);

			sum.all_us += us;
			its_us += is_its(culprit, v) ? us : 0;
		}
		if (!na_length(run, M_path) || !(stall_us > 0))
			continue;
		sum.its_us += its_us;
		sum.stall_us += stall_us;
		sum.saved_us += fmin(stall_us, its_us * (1 - keeps));
	}
	return sum;
}

/* What its timeouts waited: episodes of them, each the mean wait of the modes
 * at its hosts.  Nothing that happens at once counts twice. */
static double waited_s(const struct na_case *c, const struct na_value *culprit)
{
	double ms = 0, n = 0;

	na_for_each (mode, na_get(na_case_body(c, "rpc"), M_modes)) {
		bool its = false;

		na_for_each (host, na_get(mode, M_hosts))
			its |= na_touches(culprit, na_text_of(host, ""));
		if (!its)
			continue;
		n += na_number_at(mode, M_count);
		ms += na_number_at(mode, M_count) *
		      na_number_at(mode, M_latency_ms);
	}
	return n > 0 ? na_number_at(culprit, M_episodes) * ms / n / NA_MS_PER_S
		     : (double)NAN;
}

/* By how much steps are longer than the quickest of them: now and then costs no
 * more.  NaN: no two steps. */
static double beyond_quickest_s(const struct na_case *c)
{
	double least = INFINITY, all = 0;
	size_t n = 0;

	na_for_each (v, na_get(na_case_body(c, "steps"), M_steps)) {
		double s = na_number_at(v, M_duration_ms) / NA_MS_PER_S;

		if (!isfinite(s))
			continue;
		least = fmin(least, s);
		all += s;
		n++;
	}
	return n > 1 ? all - (double)n * least : (double)NAN;
}

/* A lower bound below this share of a step says nothing about the cost. */
static const double bound_least = 0.001;

/* False: `pairs` does not know it. */
static bool told(struct na_case *c, struct na_finding *f,
		 const struct na_value *culprit)
{
	double ms = na_number_at(culprit, M_cost_ms_per_step);
	double mean_ms = na_number_at(culprit, M_mean_cost_ms_per_step);
	bool at_least = na_flag_at(culprit, M_cost_at_least);

	if (!isfinite(ms) ||
	    (at_least && fmax(ms, mean_ms) < bound_least * na_step_ms(c)))
		return false;
	/* What strikes fewer than half of the steps the median hardly shows. */
	if (mean_ms > 2 * ms) {
		na_case_evidence(c, f,
				 na_fact_cost_of_steps(ms > 0 ? ms / NA_MS_PER_S
							      : (double)NAN,
						       mean_ms / NA_MS_PER_S));
		f->mean_ms = mean_ms;
	}
	f->cost_ms_per_step = ms;
	f->roughly = at_least ? "at least " : "";
	f->lost_s = mean_ms / NA_MS_PER_S *
		    (double)na_length(na_case_body(c, "steps"), M_steps);
	return true;
}

/* What a step waits in all, the culprit or not. */
static const char *of_waits(struct na_case *c)
{
	double ms = na_exposed_ms(c);

	return ms > 0 ? na_case_say(c, na_fact_waits_in_all(ms / NA_MS_PER_S))
		      : "";
}

void na_culprit_cost(struct na_case *c, struct na_finding *f,
		     const struct na_value *culprit)
{
	double excess = fmax(1, na_number_at(culprit, M_excess));
	double all_s = na_stall_s(c), steps_s = na_steps_ms(c) / NA_MS_PER_S;
	struct on_paths x;

	f->base = of_waits(c);
	if (told(c, f, culprit))
		return;
	f->roughly = "about ";
	if (na_says(culprit, M_channel, "rate")) {
		double lost_s = fmin(waited_s(c, culprit),
				     beyond_quickest_s(c));

		if (isfinite(lost_s))
			na_case_cost(c, f,
				     fmin(lost_s,
					  isnan(all_s) ? steps_s : all_s));
		return;
	}
	if (na_flag_at(culprit, M_intermittent))
		return;
	x = on_paths(c, culprit, 1 / excess);
	if (!(x.its_us > 0))
		return;
	na_put_real(c->r, f->evidence, M_path_share, x.its_us / x.all_us);
	na_case_cost(c, f, x.saved_us / x.stall_us * all_s);
}
