/* compute-latency: a host whose reductions are slow against the others';
 * each is compared with the other hosts of its run (collectives). */
#include <math.h>

#include "facts.h"
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
	double p50_s = na_number_at(x, M_p50_us) / NA_US_PER_S;
	double p99_s = na_number_at(x, M_p99_us) / NA_US_PER_S;
	int64_t n = na_count_at(x, M_count);

	f->title = na_case_say(c, na_fact_slow_reductions_title(
					  host, label, na_number_at(x, M_ratio),
					  p50_s, n, na_number_at(x, M_z)));
	na_case_evidence(c, f, na_fact_reductions_take(n, p50_s, p99_s));
	na_case_evidence(c, f,
			 na_fact_deviations_above_others(na_number_at(x, M_z)));
	f->sure = na_case_say(c, na_fact_robust_test_over_hosts());
	f->otherwise = na_case_say(c, na_fact_or_reduces_more());
	f->remedy = na_case_say(c, na_fact_look_at_cpu_and_memory(host));
	na_case_accuse(f, NA_CAUSE_COMPUTE,
		       (struct na_who){.kind = "host", .host = host},
		       na_case_say(c, na_fact_slow_reductions(host)));
	na_put_text(c->r, f->evidence, M_host, host);
	na_put_text(c->r, f->evidence, M_label, label);
	na_put_int(c->r, f->evidence, M_reductions, n);
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
		na_case_needs(c, na_fact_reductions_on_three_hosts());
}

const struct na_check na_check_compute_latency = {
	.id = "compute-latency",
	.version = 1,
	.question = "a host that computes its reductions slowly",
	.does_not_mean = "that the host's network is slow: the reduction runs "
			 "on its processors",
	.needs = {"collectives"},
	.judge = judge_compute_latency,
	.of_xla = true,
	.each_host = true,
};
