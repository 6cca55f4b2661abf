/*
 * pairs: receives of ranks of GPU jobs.  A rank's own kernel holds the wait
 * for its peer; where both sides are there, the shorter one is what the
 * transfer took (netan/methods/ranks).
 */
#include <stdlib.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/order.h"
#include "netan/methods/ranks/ranks.h"

enum na_status na_pairs_add_comm(void *block, const struct na_comm *x)
{
	struct pairs_state *s = block;

	return s->pass || na_add(&s->comms, *x) ? NA_ASIDE : NA_ENOMEM;
}

enum na_status na_pairs_add_step(void *block, const struct na_span *x)
{
	struct pairs_state *s = block;

	return s->pass || x->device != NA_DEVICE_RANK ||
			       na_add(&s->rank_steps, *x)
		       ? NA_OK
		       : NA_ENOMEM;
}

NA_ORDER(by_time, struct pairs_joined, NA_UP(input), NA_UP(start_ps),
	 NA_UP(end_ps), NA_UP(src))

bool na_pairs_join_ranks(struct pairs_state *s)
{
	struct na_ranks r = {.store = s->scope->store,
			     .looked = s->scope->bound,
			     .comms = s->comms.v,
			     .n_comms = s->comms.n,
			     .steps = s->rank_steps.v,
			     .n_steps = s->rank_steps.n};
	bool ok = !r.n_comms || na_ranks_join(&r);

	for (size_t i = 0; ok && i < r.parts.n; i++) {
		const struct na_rank_instance *x =
			&r.instances.v[r.parts.v[i].instance];
		const struct na_comm *c = &r.comms[r.parts.v[i].comm];

		if (c->operation != NA_OPCODE_RECV ||
		    !na_rank_measures(&r, x) || r.groups.v[x->group].src < 0 ||
		    r.apart[r.parts.v[i].comm] != NA_N_RANK_APARTS)
			continue;
		ok = na_add(&s->joined,
			    ((struct pairs_joined){
				    c->start_ps, c->end_ps, x->transfer_ps,
				    na_rank_endpoint(r.store, c->peer),
				    c->input}));
	}
	na_sort(s->joined.v, s->joined.n, by_time);
	na_ranks_fini(&r);
	na_vec_free(&s->comms);
	na_vec_free(&s->rank_steps);
	return ok;
}

int64_t na_pairs_took(const struct pairs_state *main,
		      const struct na_transfer *t)
{
	const struct pairs_joined key = {t->start_ps, t->end_ps, 0, t->src,
					 t->input};
	const struct pairs_joined *x = main->joined.n && t->side == NA_RX
					       ? bsearch(&key, main->joined.v,
							 main->joined.n,
							 sizeof(key), by_time)
					       : NULL;

	return x ? x->took_ps : na_time_between(t->start_ps, t->end_ps);
}
