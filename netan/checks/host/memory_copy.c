/* memory-copy: the transport copies what it should hand on as it is. */
#include "facts.h"
#include "members.h"
#include "netan/checks/host/host_events.h"
#include "netan/checks/look.h"

static void judge_run(struct na_case *c, const struct na_value *run)
{
	const struct na_value *k = na_get(run, M_copies);
	double share = na_number_or(k, M_touched_share, 0);
	int64_t n = na_count_at(k, M_count);
	const char *where = na_hostev_where(c, run, M_copies);
	struct na_finding *f = na_case_find(c,
					    share > c->limits->copy_touched
						    ? NA_SEV_ERROR
						    : NA_SEV_WARNING,
					    NA_CERTAIN, "info");

	na_hostev_tell(c, f, run, M_copies);
	f->title = na_case_say(
		c, na_fact_copies_title(n, where, na_number_at(k, M_total_s),
					na_number_at(k, M_p50_s),
					na_number_at(k, M_p99_s), share));
	f->brief = na_case_say(c, na_fact_memory_is_copied(where));
	f->remedy = na_case_say(c, na_fact_raise_premap_memory(false));
}

static void judge_memory_copy(struct na_case *c)
{
	const struct na_value *run = NULL;

	while ((run = na_hostev_next(c, M_copies, run)))
		judge_run(c, run);
}

const struct na_check na_check_memory_copy = {
	.id = "memory-copy",
	.version = 1,
	.question = "transfers that are copied on the host",
	.does_not_mean = "that the network is slow: the host copies the bytes "
			 "once more than it has to",
	.needs = {"host_events"},
	.judge = judge_memory_copy,
	.of_xla = true,
	.each_host = true,
};
