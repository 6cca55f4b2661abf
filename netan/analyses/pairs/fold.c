/*
 * pairs at the level of devices: the devices of a host share its NIC.  When
 * several of them are named for the same side, the host is to blame, not
 * each of them.
 */
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/vec.h"

bool na_pairs_is_whole(const struct pairs_run *run,
		       const struct na_lz_finding *f)
{
	return run->devices && run->devices[f - run->found.findings] > 1;
}

static uint32_t host_of(const struct pairs_state *s,
			const struct pairs_run *run,
			const struct na_lz_finding *f)
{
	return na_pairs_node_at(s, run, f->who.a)->host;
}

static bool alike(const struct pairs_state *s, const struct pairs_run *run,
		  const struct na_lz_finding *a, const struct na_lz_finding *b)
{
	return a->who.kind == b->who.kind && a->who.kind <= NA_LZ_HOST &&
	       host_of(s, run, a) == host_of(s, run, b);
}

/* The mean of what n devices and one more show; the wider p is kept. */
static void join(struct na_lz_finding *a, uint32_t n,
		 const struct na_lz_finding *b)
{
	a->effect += (b->effect - a->effect) / (n + 1);
	a->ci_low += (b->ci_low - a->ci_low) / (n + 1);
	a->ci_high += (b->ci_high - a->ci_high) / (n + 1);
	a->p_value = b->p_value > a->p_value ? b->p_value : a->p_value;
	a->pairs += b->pairs;
	a->transfers += b->transfers;
	a->tails += b->tails;
	a->episodes += b->episodes;
	a->loses_packets |= b->loses_packets;
}

/* Whether another host's same side is named too. */
static bool has_company(const struct pairs_state *s,
			const struct pairs_run *run,
			const struct na_lz_finding *f)
{
	for (size_t i = 0; i < run->found.n_findings; i++) {
		const struct na_lz_finding *g = &run->found.findings[i];

		if (g->who.kind == f->who.kind &&
		    host_of(s, run, g) != host_of(s, run, f))
			return true;
	}
	return false;
}

enum na_status na_pairs_fold(struct pairs_state *s, struct pairs_run *run)
{
	struct na_lz_result *all = &run->found;
	struct na_lz_finding *f = all->findings;
	size_t kept = 0;

	run->devices = na_calloc(all->n_findings, sizeof(*run->devices));
	if (!run->devices)
		return NA_ENOMEM;
	for (size_t i = 0; i < all->n_findings; i++) {
		size_t k = 0;

		while (!s->of_hosts && k < kept && !alike(s, run, &f[k], &f[i]))
			k++;
		if (s->of_hosts || k == kept) {
			run->devices[kept] = 1;
			f[kept++] = f[i];
			continue;
		}
		join(&f[k], run->devices[k]++, &f[i]);
		free(f[i].windows);
		free(f[i].alternatives);
	}
	all->n_findings = kept;
	/* Several devices of one host have no uplink but the host's own. */
	for (size_t i = 0; i < kept; i++) {
		if (run->devices[i] > 1 && !has_company(s, run, &f[i]))
			f[i].needs = NULL;
	}
	return NA_OK;
}
