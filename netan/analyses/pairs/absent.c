/*
 * pairs: devices whose files are missing.  Each is a host of its own in every
 * table; who is slow is asked of those together that may share a host
 * (netan/model/hosts/absent.h).
 */
#include "netan/analyses/pairs/state.h"

/* None where no two of them may share a host. */
static bool find_first(struct pairs_run *run)
{
	struct pairs_state *s = run->of;
	uint32_t *first = NA_NEW(&s->mem, uint32_t, s->absent.n);

	run->first_of = NA_NEW(&s->mem, uint32_t, run->n_nodes);
	for (size_t k = 0; first && k < s->absent.n; k++)
		first[k] = NA_UNKNOWN_U32;
	for (uint32_t i = 0; first && run->first_of && i < run->n_nodes; i++) {
		uint32_t group = s->absent.of[run->nodes[i].host];

		run->first_of[i] = i;
		if (group == NA_UNKNOWN_U32)
			continue;
		if (first[group] == NA_UNKNOWN_U32)
			first[group] = i;
		run->first_of[i] = first[group];
	}
	return first && run->first_of;
}

bool na_pairs_find_absent(struct pairs_state *s)
{
	bool ok = na_absent_find(&s->absent, s->scope->store);

	for (size_t i = 0;
	     ok && s->absent.n && s->of_hosts && i < s->scope->store->n_runs;
	     i++)
		ok = find_first(&s->runs[i]);
	return ok;
}

const struct na_absent_group *na_pairs_group_of(const struct pairs_run *run,
						uint32_t node)
{
	if (!run->by_groups)
		return NULL;
	return na_absent_at(&run->of->absent, run->nodes[node].host);
}
