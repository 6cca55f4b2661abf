/* compute-latency: a host whose reductions are slow against the others';
 * each is compared with the other hosts of its run (collectives). */
#include <math.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

static void find(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f =
		na_case_find(c, NA_SEV_WARNING, NA_LIKELY,
			     "latency --component compute --by host");
	const char *host = na_text_or(x, M_host, "?");
	const char *label = na_text_or(x, M_label, NULL);
	char p50[NA_UNIT_BUF];

	na_print_time(p50, (int64_t)fmin(na_number_at(x, M_p50_us) * 1e6, 9e18),
		      3);
	f->title = na_case_text(c,
				"reductions on %.100s%s%.60s take %.3g times "
				"as long as on the other hosts: %s in the "
				"median of %s (robust z %.3g)",
				host, label ? " of " : "", label ? label : "",
				na_number_at(x, M_ratio), p50,
				na_case_count(c, na_count_at(x, M_count)),
				na_number_at(x, M_z));
	na_case_fact(c, f, "%s reductions, median %s, p99 %s",
		     na_case_count(c, na_count_at(x, M_count)), p50,
		     na_case_seconds(c,
				     na_number_at(x, M_p99_us) / NA_US_PER_S));
	na_case_fact(c, f, "%.3g robust deviations above the other hosts",
		     na_number_at(x, M_z));
	f->sure = "a robust test over all hosts rejects chance; why, the trace "
		  "does not show";
	f->otherwise = "it reduces more, or larger pieces, than the others";
	f->remedy = na_case_text(c,
				 "look at the CPU and the memory of %.100s: "
				 "what else runs there, its clock rate, memory "
				 "errors, NUMA placement",
				 host);
	na_case_accuse(
		f, NA_CAUSE_COMPUTE,
		(struct na_who){.kind = "host", .host = host},
		na_case_text(c, "slow reductions on %.100s: its CPU or memory",
			     host));
	na_put_text(c->r, f->evidence, M_host, host);
	na_put_text(c->r, f->evidence, M_label, label);
	na_put_int(c->r, f->evidence, M_reductions, na_count_at(x, M_count));
	na_case_copy(c, f->evidence, x, M_p50_us, M_p99_us, M_total_s, M_z,
		     M_ratio);
}

static void judge_compute_latency(struct na_case *c)
{
	bool compared = false;

	na_for_each (x, na_get(na_case_body(c, "collectives"), M_reductions)) {
		compared |= !isnan(na_number_at(x, M_z));
		if (na_number_at(x, M_z) > c->limits->compute_z &&
		    na_number_at(x, M_ratio) > c->limits->compute_ratio)
			find(c, x);
	}
	/* Two others at least tell what is usual. */
	if (!compared)
		na_case_missing(c, "reductions on three hosts or more, "
				   "which only action graphs record");
}

const struct na_check na_check_compute_latency = {
	.id = "compute-latency",
	.question = "a host that computes its reductions slowly",
	.does_not_mean = "that the host's network is slow: the reduction runs "
			 "on its processors",
	.needs = {"collectives"},
	.judge = judge_compute_latency,
	.of_xla = true,
	.each_host = true,
};
