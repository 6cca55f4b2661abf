/* dma-registration: memory is registered for DMA while the job trains,
 * instead of once when it starts. */
#include <inttypes.h>
#include <math.h>

#include "netan/base/units.h"
#include "netan/checks/host_events.h"

static void judge_run(struct na_case *c, const struct na_value *run)
{
	const struct na_value *k = na_get(run, "registrations");
	double share = na_real_of(na_get(k, "touched_share"), 0);
	int64_t n = na_int_of(na_get(k, "count"), 0);
	char took[NA_UNIT_BUF];
	struct na_finding *f = na_case_find(c,
					    share > c->limits->dma_overlap
						    ? NA_FINDING_ERROR
						    : NA_FINDING_WARNING,
					    NA_CERTAIN);

	if (!f)
		return;
	na_hostev_tell(c, f, run, "registrations");
	f->title = na_case_text(
		c,
		"%" PRId64 " registration%s of host memory (MapDmaBuffer) in "
		"the steady state, %s, %s in all, from %.3f s to %.3f s, "
		"during %.2g %% of the transfers",
		n, n == 1 ? "" : "s", na_hostev_where(c, run, "registrations"),
		na_hostev_time(took, k, "total_s"), f->from_s, f->to_s,
		share * 100);
	f->remedy = na_hostev_remedy;
	f->command = na_case_command(c, "info");
}

static void judge(struct na_case *c)
{
	const struct na_value *run = NULL;

	while ((run = na_hostev_next(c, "registrations", run)))
		judge_run(c, run);
}

const struct na_check na_check_dma_registration = {
	.id = "dma-registration",
	.question = "host memory registered for DMA after the start-up",
	.source = "playbook: dma-registration",
	.needs = {"host_events"},
	.judge = judge,
};
