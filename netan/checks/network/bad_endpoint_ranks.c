/*
 * bad-endpoint of ranks of a GPU job.  Their sends hold the wait for the peer
 * and say nothing; what all ranks of an operation transfer after the last one
 * has come does (links[] of `collectives`).
 */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/base/ranges.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"

enum { HOSTS_LEAST = 3 };

static struct na_who who_of(const struct na_value *x)
{
	struct na_who who = na_who_of(x);
	const struct na_value *ranks = na_get(x, M_ranks);

	if (na_length(x, M_ranks) == 1 && !na_flag_at(x, M_whole))
		who.rank = ranks->u.of.first;
	return who;
}

static void judge_culprit(struct na_case *c, const struct na_value *x)
{
	struct na_finding *f = na_case_find(c, NA_SEV_ERROR, NA_LIKELY,
					    "collectives");
	double excess = na_number_at(x, M_excess);
	bool pair = na_says(x, M_kind, "pair");

	f->culprit = na_text_at(x, M_suspect);
	f->how = na_case_say(
		c, na_fact_ranks_are_slower(excess, na_count_at(x, M_groups)));
	na_case_accuse(f, NA_CAUSE_NETWORK, who_of(x), f->culprit);
	f->title = na_case_say(c, na_fact_endpoint_title(f->culprit, f->how,
							 NULL));
	f->sure = na_case_say(c, na_fact_ranks_slow_in_all_groups());
	f->otherwise = na_case_say(c, na_fact_ranks_otherwise(pair));
	f->remedy = na_case_say(c, na_fact_ranks_remedy(pair));
	na_case_copy(c, f->evidence, x, M_kind, M_host, M_src_host, M_dst_host,
		     M_ranks, M_excess, M_groups, M_instances);
	na_case_evidence(c, f,
			 na_fact_ranks_excess(na_count_at(x, M_instances),
					      excess, na_number_at(x, M_low),
					      na_number_at(x, M_high)));
}

/* The slowest group that is surely slow, or NULL. */
static const struct na_value *slowest(const struct na_value *links)
{
	na_for_each (v, na_get(links, M_groups)) {
		if (na_says(v, M_verdict, "slow"))
			return v;
	}
	return NULL;
}

/* Some are slow, and nothing tells whose link it is. */
static void judge_undecided(struct na_case *c, const struct na_value *links,
			    const struct na_value *group)
{
	struct na_finding *f = na_case_find(c, NA_SEV_INFO, NA_POSSIBLE,
					    "collectives");
	char ranks[120];

	f->title = na_text_at(links, M_verdict);
	f->suspicion = true;
	f->remedy = na_case_say(c, na_fact_ranks_undecided_remedy());
	na_case_evidence(
		c, f,
		na_fact_group_is_slower(na_ranges_of(na_text_at(group, M_group),
						     ranks, sizeof(ranks)),
					na_number_at(group, M_excess)));
	na_case_copy(c, f->evidence, links, M_suspects, M_suspect_ranks);
}

bool na_bad_endpoint_ranks(struct na_case *c)
{
	bool looked = false;

	na_for_each (x, na_get(na_case_body(c, "collectives"), M_links)) {
		const struct na_value *group = slowest(x);
		int64_t hosts = na_count_at(x, M_hosts);

		na_for_each (v, na_get(x, M_culprits))
			judge_culprit(c, v);
		if (!na_length(x, M_culprits) && group)
			judge_undecided(c, x, group);
		looked |= group || (hosts >= HOSTS_LEAST &&
				    na_count_at(x, M_hosts_apart) == hosts);
	}
	return looked;
}

bool na_ranks_slow(const struct na_case *c)
{
	return slowest(na_first(na_case_body(c, "collectives"), M_links)) !=
	       NULL;
}

const char *na_ranks_compared(struct na_case *c)
{
	const struct na_value *x = na_first(na_case_body(c, "collectives"),
					    M_links);

	return na_length(x, M_groups) ? na_text_at(x, M_verdict) : NULL;
}
