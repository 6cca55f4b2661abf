/*
 * large-shards: the network waits for large buffers to be copied out of the
 * device.  A collective is named where that wait takes 5 % of the time of
 * its executions or more, and
 *
 *   serial  transfers of 32 MiB or more (four times the default shard), begun
 *           only when their whole copy was done, carry more than --large-shards
 *           of the bytes that the run sends; or
 *   gap     from the start of the copy to the first send more than --dma-gap
 *           pass in the median; with shards of 8 MiB the first is sent within
 *           a millisecond.
 *
 * Waiting for the network itself is no gap (netan/analyses/shards/state.h).
 * A job with default shards has neither: its sends are of 8 MiB, and a copy
 * takes 10 ms only from some hundred MiB on.
 */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/check.h"
#include "netan/checks/look.h"

#define LEAST_SHARE 0.05 /* of the executions' time */

static bool waits(const struct na_value *x)
{
	return na_number_at(x, M_gap_share) >= LEAST_SHARE;
}

/* Bytes of large transfers behind their copies, where that costs time. */
static double serial_share(const struct na_value *run)
{
	double all = na_number_at(run, M_bytes), serial = 0;

	na_for_each (x, na_get(run, M_collectives))
		serial += waits(x) ? na_number_at(x, M_serial_bytes) : 0;
	return all > 0 ? serial / all : 0;
}

struct named {
	const struct na_value *worst; /* they come by the length of gaps */
	size_t n;
	int64_t serial;
	double max_bytes;
	bool by_size;
};

/* Those that wait too long, into the list. */
static void name(struct na_case *c, const struct na_value *run,
		 struct named *out, struct na_value *list)
{
	na_for_each (x, na_get(run, M_collectives)) {
		int64_t serial = na_count_at(x, M_serial_sends);
		bool gap = na_number_at(x, M_gap_p50_s) * 1e3 >
			   c->limits->dma_gap;
		struct na_value *row;

		if (!waits(x) || (!gap && !(out->by_size && serial)))
			continue;
		if (!out->n++)
			out->worst = x;
		out->serial += serial;
		out->max_bytes = fmax(out->max_bytes,
				      na_number_at(x, M_max_bytes));
		row = na_put_object(c->r, list, NULL);
		na_case_copy(c, row, x, M_collective, M_executions, M_gap_p50_s,
			     M_gap_max_s, M_gap_share, M_serial_sends);
		na_put_real(c->r, row, M_max_bytes,
			    na_number_at(x, M_max_bytes));
	}
}

static void put_title(struct na_case *c, struct na_finding *f,
		      const struct na_value *run, const struct named *x,
		      double share)
{
	const char *label = na_text_or(run, M_label, NULL);
	const char *name = na_text_or(x->worst, M_collective, "?");
	double gap_s = na_number_at(x->worst, M_gap_p50_s);
	char most[NA_UNIT_BUF];

	f->title = na_case_say(
		c, x->by_size ? na_fact_transfers_behind_copies(
					x->serial, label,
					na_print_bytes(most, x->max_bytes, 3),
					share, name, gap_s)
			      : na_fact_network_waits_for_copies(
					name, (int64_t)x->n - 1, label, gap_s));
}

static void judge_run(struct na_case *c, const struct na_value *run)
{
	double share = serial_share(run);
	struct named x = {.by_size = share > c->limits->large_shards};
	struct na_value *list = na_case_list(c);
	struct na_finding *f;

	name(c, run, &x, list);
	if (!x.n)
		return;
	f = na_case_find(c, NA_SEV_INFO, NA_LIKELY, "sizes --side tx");
	put_title(c, f, run, &x, share);
	f->remedy = na_case_say(c, na_fact_lower_shard_size());
	na_case_evidence(c, f, na_fact_collectives_wait_for_copy((int64_t)x.n));
	na_case_evidence(c, f,
			 na_fact_copy_share(na_number_at(x.worst, M_gap_share),
					    na_text_or(x.worst, M_collective,
						       NULL)));
	f->sure = na_case_say(c, na_fact_wait_for_copy_counted());
	na_put_text(c->r, f->evidence, M_label, na_text_or(run, M_label, NULL));
	na_put_int(c->r, f->evidence, M_sends, na_count_at(run, M_sends));
	na_put_real(c->r, f->evidence, M_serial_bytes_share, share);
	na_put_alias(c->r, f->evidence, M_collectives, list);
}

static void judge_large_shards(struct na_case *c)
{
	na_for_each (run, na_get(na_case_body(c, "shards"), M_runs))
		judge_run(c, run);
}

const struct na_check na_check_large_shards = {
	.id = "large-shards",
	.version = 1,
	.question = "large transfers that wait for their copy off the device",
	.does_not_mean = "that the network is slow: these transfers wait for a "
			 "copy on their own host",
	.needs = {"shards"},
	.judge = judge_large_shards,
	.of_xla = true,
};
