/*
 * dma-registration: memory is registered for DMA while the job trains,
 * instead of once when it starts.  Where nothing crosses the network, as in a
 * trace of one slice, no transfer waits for it: info, and another remedy; the
 * playbook, which is about jobs of several slices, has no row for that.
 */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/checks/host/host_events.h"
#include "netan/checks/look.h"

static enum na_severity severity(const struct na_case *c, int64_t transfers,
				 double share)
{
	if (!transfers)
		return NA_SEV_INFO;
	return share > c->limits->dma_overlap ? NA_SEV_ERROR : NA_SEV_WARNING;
}

static void judge_run(struct na_case *c, const struct na_value *run)
{
	const struct na_value *k = na_get(run, M_registrations);
	int64_t transfers = na_count_at(run, M_transfers);
	double share = na_number_or(k, M_touched_share, 0);
	int64_t n = na_count_at(k, M_count);
	struct na_finding *f = na_case_find(c, severity(c, transfers, share),
					    NA_CERTAIN, "info");
	const char *where = na_hostev_where(c, run, M_registrations);

	na_hostev_tell(c, f, run, M_registrations);
	f->title = na_case_say(c, na_fact_registrations_title(
					  n, where, na_number_at(k, M_total_s),
					  f->from_s, f->to_s,
					  transfers ? share : (double)NAN));
	f->brief = na_case_say(c, na_fact_memory_is_registered(where));
	f->remedy = na_case_say(c, na_fact_raise_premap_memory(!transfers));
}

/* Registrations, and nothing tells which are of the start-up. */
static bool all_start_up(struct na_case *c, const struct na_value *run)
{
	int64_t n = na_count_at(run, M_registrations "." M_startup);
	const struct na_value *seen = na_get(run, M_steady_seen);

	if (!n || !seen || seen->u.flag)
		return false;
	na_case_needs(c, na_fact_registrations_of_start_up(n));
	return true;
}

static void judge_dma_registration(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "host_events"), *run;

	for (run = na_first(body, M_runs); run; run = run->next) {
		if (all_start_up(c, run))
			return;
	}
	while ((run = na_hostev_next(c, M_registrations, run)))
		judge_run(c, run);
}

const struct na_check na_check_dma_registration = {
	.id = "dma-registration",
	.version = 1,
	.question = "host memory registered for DMA after the start-up",
	.does_not_mean = "that the NIC is slow: memory is registered while "
			 "transfers wait for it",
	.needs = {"host_events"},
	.judge = judge_dma_registration,
	.of_xla = true,
	.each_host = true,
};
