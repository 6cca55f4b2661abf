/* small-transfers: many small transfers pay a fixed cost each; a remark where
 * nobody waits for them. */

#include "members.h"
#include "netan/analyses/sizes/sizes.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

static const char collectives[] =
	"fuse collectives into fewer, larger transfers; raise "
	"--megascale_sparse_reduction_threshold (default 256 KiB: below it "
	"only a subset of participants reduces)";

static const char of_ranks[] =
	"where these are many calls that belong together, send them as one "
	"(coalesced point-to-point operations, larger buckets of gradients)";

static void judge_small_transfers(struct na_case *c)
{
	const struct na_value *g = na_first(na_case_body(c, "sizes"), M_groups);
	double count = na_number_at(g, M_small_count_share);
	double time = na_number_at(g, M_small_time_share);
	struct na_finding *f;
	bool planned;

	/* Of packets: requests and answers, which nobody can fuse; where all of
	 * them are small, there is nothing to compare them with. */
	planned = !na_case_body(c, "tcp") || !na_packets_told(c);
	if (na_of_ranks(c) || !planned)
		na_transfers_few(c, (double)na_count_at(g, M_count),
				 NA_SIZES_LEAST);
	if (!c->missing && na_packets_told(c) && !planned && !(count < 1))
		na_case_missing(c, "transfers that are not small, too, to "
				   "compare these with");
	if (!(count > c->limits->small_count && time > c->limits->small_time) ||
	    ((na_of_ranks(c) || !planned) &&
	     na_count_at(g, M_count) < NA_SIZES_LEAST) ||
	    (!planned && !(count < 1)))
		return;
	f = na_case_find(c,
			 planned && !(na_waiting_share(c) < NA_HIDDEN)
				 ? NA_SEV_WARNING
				 : NA_SEV_INFO,
			 NA_CERTAIN, "sizes");
	f->title = na_case_text(c,
				"%.0f %% of the transfers are small and take "
				"%.0f %% of all transfer time",
				count * 100, time * 100);
	f->remedy =
		na_of_ranks(c) ? of_ranks
		: planned      ? collectives
			  : "where these are many calls that belong together, "
			    "send them as one; else nothing";
	na_case_fact(c, f,
		     "%s transfers, the small ones with %.0f %% of the "
		     "bytes",
		     na_case_count(c, na_count_at(g, M_count)),
		     100 * na_number_at(g, M_small_bytes_share));
	na_put_int(c->r, f->evidence, M_transfers, na_count_at(g, M_count));
	na_case_copy(c, f->evidence, g, M_small_count_share,
		     M_small_bytes_share, M_small_time_share);
}

const struct na_check na_check_small_transfers = {
	.id = "small-transfers",
	.question = "many small transfers, each with its fixed cost",
	.does_not_mean = "that the network is slow: each transfer has a fixed "
			 "cost, whatever its size",
	.needs = {"sizes"},
	.uses = {"tcp", "slack", "steps"},
	.judge = judge_small_transfers,
	.of_either = true,
};
