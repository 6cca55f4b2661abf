/* pairs: which pairs of hosts belong to a finding. */
#include "netan/analyses/pairs/state.h"

bool na_pairs_is_it(const struct pairs_run *run, const struct na_place *x,
		    bool whole, uint32_t node)
{
	if (node == x->a)
		return true;
	if (whole)
		return run->nodes[node].host == run->nodes[x->a].host;
	return na_pairs_group_of(run, x->a) &&
	       run->first_of[node] == run->first_of[x->a];
}

static bool crosses(const struct pairs_run *run, const struct na_place *who,
		    uint32_t src, uint32_t dst)
{
	const uint32_t *rack = run->rack_of;

	if (!rack || rack[src] == rack[dst])
		return false;
	return who->cause == NA_JUDGE_RACK_UPLINK ? rack[src] == who->a
	       : who->cause == NA_JUDGE_RACK_DOWNLINK
		       ? rack[dst] == who->a
		       : rack[src] == who->a && rack[dst] == who->b;
}

bool na_pairs_is_of(const struct pairs_run *run, const struct na_place *x,
		    bool whole, uint32_t src, uint32_t dst)
{
	switch (x->cause) {
	case NA_JUDGE_SRC:
		return na_pairs_is_it(run, x, whole, src);
	case NA_JUDGE_DST:
		return na_pairs_is_it(run, x, whole, dst);
	case NA_JUDGE_HOST:
		return na_pairs_is_it(run, x, whole, src) ||
		       na_pairs_is_it(run, x, whole, dst);
	case NA_JUDGE_PAIR:
		return src == x->a && dst == x->b;
	default:
		return crosses(run, x, src, dst);
	}
}

bool na_pairs_is_suspect(const struct pairs_run *run,
			 const struct pairs_pair *p)
{
	for (size_t i = 0; !p->local && i < run->found.n_findings; i++) {
		const struct na_judge_finding *f = &run->found.findings[i];

		if (na_pairs_is_of(run, &f->place, na_pairs_is_whole(run, f),
				   p->src, p->dst))
			return true;
	}
	return false;
}
