/*
 * pairs at the level of devices: the devices of a host share its NIC.  When
 * several of them are named for the same side, the host is to blame, not
 * each of them.
 */
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/vec.h"

bool na_pairs_is_whole(const struct pairs_run *run,
		       const struct na_judge_finding *f)
{
	return run->devices && run->devices[f - run->found.findings] > 1;
}

static bool alike(const struct pairs_run *run, const struct na_judge_finding *a,
		  const struct na_judge_finding *b)
{
	return a->place.cause == b->place.cause &&
	       a->place.cause <= NA_JUDGE_HOST &&
	       run->nodes[a->place.a].host == run->nodes[b->place.a].host;
}

/* The mean of what n devices and one more show; the less certain one counts. */
static void join(struct na_judge_finding *a, uint32_t n,
		 const struct na_judge_finding *b)
{
	a->effect += (b->effect - a->effect) / (n + 1);
	a->low += (b->low - a->low) / (n + 1);
	a->high += (b->high - a->high) / (n + 1);
	a->posterior = b->posterior < a->posterior ? b->posterior
						   : a->posterior;
	a->pairs += b->pairs;
	a->transfers += b->transfers;
	a->late += b->late;
}

bool na_pairs_fold(struct pairs_run *run)
{
	struct na_judge_result *all = &run->found;
	struct na_judge_finding *f = all->findings;
	size_t kept = 0;

	run->devices = NA_NEW(&run->of->mem, uint32_t, all->n_findings);
	for (size_t i = 0; run->devices && i < all->n_findings; i++) {
		size_t k = 0;

		while (k < kept && !alike(run, &f[k], &f[i]))
			k++;
		if (k == kept) {
			run->devices[kept] = 1;
			f[kept++] = f[i];
			continue;
		}
		join(&f[k], run->devices[k]++, &f[i]);
		free(f[i].alternatives);
	}
	if (run->devices)
		all->n_findings = kept;
	return run->devices;
}
