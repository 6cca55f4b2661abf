/* What several inputs of one rank tell of the same time. */
#include <stdlib.h>

#include "netan/methods/ranks/impl.h"

#define BETTER NA_TOLD_RECORDER /* so many others may tell it better */

/* Of a rank, when inputs of each kind tell of kernels. */
struct windows {
	struct na_extent of[BETTER];
};

static enum na_told told_of(const struct na_ranks *r, const struct na_comm *x)
{
	return r->store->sources[r->store->devices.cores[x->core].input].told;
}

static bool meets(const struct na_extent *x, const struct na_comm *c)
{
	return x->n && c->start_ps <= x->last_ps && c->end_ps >= x->first_ps;
}

bool na_ranks_again(struct na_ranks *r)
{
	struct windows *w = na_calloc(r->ranks.n + 1, sizeof(*w));
	bool ok = w;

	for (size_t i = 0; w && i < r->n_comms; i++) {
		const struct na_comm *x = &r->comms[i];
		uint32_t rank = r->rank_of[x->core];
		enum na_told told = told_of(r, x);

		if (rank != NA_UNKNOWN_U32 && told < BETTER &&
		    na_rank_times_of(x) == NA_RANK_RAN)
			na_extent_add(&w[rank].of[told], x->start_ps,
				      x->end_ps);
	}
	for (size_t i = 0; w && i < r->n_comms; i++) {
		const struct na_comm *x = &r->comms[i];
		uint32_t rank = r->rank_of[x->core];
		enum na_told told = told_of(r, x);

		/* What has not ended has no kernel to tell of it. */
		if (rank == NA_UNKNOWN_U32 || na_comm_pending(x->source))
			continue;
		for (int k = 0; k < (int)told; k++) {
			if (meets(&w[rank].of[k], x))
				r->apart[i] = NA_RANK_AGAIN;
		}
	}
	free(w);
	return ok;
}
