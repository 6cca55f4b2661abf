/* pairs: which pairs of hosts belong to a finding. */
#include "netan/analyses/pairs/state.h"

/* Nodes are those of the run. */
static bool is_it(const struct pairs_state *s, const struct pairs_run *run,
		  const struct na_place *x, bool whole, uint32_t node)
{
	if (node == x->a)
		return true;
	if (whole)
		return na_pairs_node_at(s, run, node)->host ==
		       na_pairs_node_at(s, run, x->a)->host;
	return na_pairs_group_of(s, run, x->a) &&
	       run->first_of[node] == run->first_of[x->a];
}

static bool crosses(const struct pairs_run *run, const struct na_place *who,
		    uint32_t src, uint32_t dst)
{
	const uint32_t *rack = run->rack_of;

	if (!rack || rack[src] == rack[dst])
		return false;
	return who->cause == NA_CAUSE_RACK_UPLINK     ? rack[src] == who->a
	       : who->cause == NA_CAUSE_RACK_DOWNLINK ? rack[dst] == who->a
						  : rack[src] == who->a &&
							    rack[dst] == who->b;
}

bool na_pairs_is_of(const struct pairs_state *s, const struct pairs_run *run,
		    const struct na_place *x, bool whole, uint32_t src,
		    uint32_t dst)
{
	switch (x->cause) {
	case NA_CAUSE_SRC:
		return is_it(s, run, x, whole, src);
	case NA_CAUSE_DST:
		return is_it(s, run, x, whole, dst);
	case NA_CAUSE_HOST:
		return is_it(s, run, x, whole, src) || is_it(s, run, x, whole, dst);
	case NA_CAUSE_PAIR:
		return src == x->a && dst == x->b;
	default:
		return crosses(run, x, src, dst);
	}
}

bool na_pairs_is_suspect(const struct pairs_state *s,
			 const struct pairs_run *run, size_t pair)
{
	const struct pairs_pair *p = &s->pairs[run->pair0 + pair];
	uint32_t src = p->src - (uint32_t)run->node0;
	uint32_t dst = p->dst - (uint32_t)run->node0;

	for (size_t i = 0; i < run->found.n_findings; i++) {
		const struct na_judge_finding *f = &run->found.findings[i];

		if (na_pairs_is_of(s, run, &f->place, na_pairs_is_whole(run, f),
				   src, dst))
			return true;
	}
	return false;
}
