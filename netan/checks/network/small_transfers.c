/* small-transfers: many small transfers pay a fixed cost each; a remark where
 * nobody waits for them. */

#include "facts.h"
#include "members.h"
#include "netan/analyses/sizes/sizes.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

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
		na_case_needs(c, na_fact_needs_large_transfers());
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
	f->title = na_case_say(c, na_fact_many_are_small(count, time));
	f->remedy = na_case_say(c, na_of_ranks(c) || !planned
					   ? na_fact_send_as_one(na_of_ranks(c))
					   : na_fact_fuse_collectives());
	na_case_evidence(
		c, f,
		na_fact_bytes_of_small(na_count_at(g, M_count),
				       na_number_at(g, M_small_bytes_share)));
	na_put_int(c->r, f->evidence, M_transfers, na_count_at(g, M_count));
	na_case_copy(c, f->evidence, g, M_small_count_share,
		     M_small_bytes_share, M_small_time_share);
}

const struct na_check na_check_small_transfers = {
	.id = "small-transfers",
	.version = 1,
	.question = "many small transfers, each with its fixed cost",
	.does_not_mean = "that the network is slow: each transfer has a fixed "
			 "cost, whatever its size",
	.needs = {"sizes"},
	.uses = {"tcp", "slack", "steps"},
	.judge = judge_small_transfers,
	.of_either = true,
};
