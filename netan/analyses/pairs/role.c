/*
 * pairs: what a pair has to do with a culprit: it is one of its own, or its
 * receiver only waited.  What a sender's own clock says that it took tells the
 * two apart.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"

/* Of what the receiver says: less, and most of that is no sending. */
#define SENT_SHARE 0.5

/* clang-format off */
const char *const na_pairs_role_names[] = {
	[PAIRS_NO_ROLE] = NULL,
	[PAIRS_CULPRIT] = "suspect",
	[PAIRS_WAITS] = "waits",
};
/* clang-format on */

/* Nodes are those of the run.  Devices may stand for their host. */
static bool is_it(const struct pairs_state *s, const struct pairs_run *run,
		  const struct na_lz_finding *f, uint32_t node)
{
	if (node == f->who.a)
		return true;
	if (na_pairs_is_whole(run, f))
		return na_pairs_node_at(s, run, node)->host ==
		       na_pairs_node_at(s, run, f->who.a)->host;
	return na_pairs_group_of(s, run, f->who.a) &&
	       run->first_of[node] == run->first_of[f->who.a];
}

static bool crosses(const struct pairs_run *run, const struct na_lz_who *who,
		    uint32_t src, uint32_t dst)
{
	const uint32_t *rack = run->found.rack_of;

	if (!rack || rack[src] == rack[dst])
		return false;
	return who->kind == NA_LZ_RACK_UPLINK     ? rack[src] == who->a
	       : who->kind == NA_LZ_RACK_DOWNLINK ? rack[dst] == who->a
						  : rack[src] == who->a &&
							    rack[dst] == who->b;
}

static bool is_of(const struct pairs_state *s, const struct pairs_run *run,
		  const struct na_lz_finding *f, uint32_t src, uint32_t dst)
{
	switch (f->who.kind) {
	case NA_LZ_SRC:
		return is_it(s, run, f, src);
	case NA_LZ_DST:
		return is_it(s, run, f, dst);
	case NA_LZ_HOST:
		return is_it(s, run, f, src) || is_it(s, run, f, dst);
	case NA_LZ_PAIR:
		return src == f->who.a && dst == f->who.b;
	default:
		return crosses(run, &f->who, src, dst);
	}
}

static bool is_culprits(const struct pairs_state *s,
			const struct pairs_run *run, size_t pair)
{
	const struct pairs_pair *p = &s->pairs[run->pair0 + pair];
	uint32_t src = p->src - (uint32_t)run->node0;
	uint32_t dst = p->dst - (uint32_t)run->node0;

	for (size_t i = 0; i < run->found.n_findings; i++) {
		if (is_of(s, run, &run->found.findings[i], src, dst))
			return true;
	}
	return false;
}

static bool only_waits(const struct pairs_state *s, const struct pairs_run *run,
		       size_t pair)
{
	return run->sent_us &&
	       run->found.pairs[pair].effect > log(PAIRS_SLOWER) &&
	       run->sent_us[pair] <
		       SENT_SHARE * s->quantiles[run->pair0 + pair].p50_us;
}

bool na_pairs_find_roles(const struct pairs_state *s, struct pairs_run *run)
{
	if (!run->found.n_findings || !run->found.pairs)
		return true;
	run->tells_sent = run->sent_us != NULL;
	run->tells_alike = run->alike != NULL;
	run->roles = na_calloc(run->n_remote, sizeof(*run->roles));
	for (size_t i = 0; run->roles && i < run->n_remote; i++)
		run->roles[i] = is_culprits(s, run, i)  ? PAIRS_CULPRIT
				: only_waits(s, run, i) ? PAIRS_WAITS
							: PAIRS_NO_ROLE;
	return run->roles;
}

enum pairs_role na_pairs_role_of(const struct pairs_run *run, size_t pair)
{
	return run->roles && pair < run->n_remote
		       ? (enum pairs_role)run->roles[pair]
		       : PAIRS_NO_ROLE;
}
