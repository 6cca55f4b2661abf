/*
 * timeline: what ranks of GPU jobs move in collectives.  Nobody sees their
 * packets: each rank's bus bytes, in and out, are spread over the time in
 * which nobody waits any more, the last `transfer` of its kernel.
 */
#include <stdlib.h>

#include "netan/analyses/timeline/state.h"
#include "netan/methods/ranks/bus.h"
#include "netan/methods/ranks/ranks.h"

enum na_status na_timeline_add_comm(void *block, const struct na_comm *x)
{
	struct timeline_state *s = block;

	/* Point-to-point operations are transfers. */
	if (s->pass || na_rank_is_pair(x))
		return NA_ASIDE;
	/* Used is what was joined. */
	return na_add(&s->comms, *x) ? NA_ASIDE : NA_ENOMEM;
}

enum na_status na_timeline_add_step(void *block, const struct na_span *x)
{
	struct timeline_state *s = block;

	return s->pass || x->device != NA_DEVICE_RANK ||
			       na_add(&s->rank_steps, *x)
		       ? NA_OK
		       : NA_ENOMEM;
}

/* Groups that need no endpoint, which a collective has not. */
static bool grouped(const struct timeline_state *s)
{
	const struct na_grouping *by = &s->scope->by;

	return !na_grouping_has(by, NA_KEY_SRC) &&
	       !na_grouping_has(by, NA_KEY_DST) &&
	       !na_grouping_has(by, NA_KEY_PAIR) &&
	       !na_grouping_has(by, NA_KEY_DEVICE) &&
	       !na_grouping_has(by, NA_KEY_CLASS);
}

static bool add_part(struct timeline_state *s, const struct na_ranks *r,
		     const struct na_rank_instance *x, size_t part)
{
	const struct na_rank_part *p = &r->parts.v[part];
	uint32_t n = r->groups.v[x->group].size;
	struct na_transfer t = {
		.start_ps = p->end_ps - x->transfer_ps,
		.end_ps = p->end_ps,
		.size_bytes = (uint64_t)((double)x->size_bytes *
					 na_bus_factor(x->operation, n)),
		.src = NA_UNKNOWN_U32,
		.dst = NA_UNKNOWN_U32,
		.collective = NA_UNKNOWN_U32,
		.type = NA_UNKNOWN_U32,
		.step = NA_UNKNOWN_U32,
		.launch = NA_UNKNOWN_U32,
		.level = -1,
		.input = r->comms[p->comm].input,
		.style = NA_STYLE_GRAPH,
		.klass = NA_VALID,
		.component = NA_COMP_NETWORK,
	};

	if (t.end_ps <= s->lo_ps || t.start_ps >= s->hi_ps)
		return true;
	for (int side = 0; side < 2; side++) {
		t.side = (uint8_t)side;
		if (!na_add(&s->moved, t))
			return false;
	}
	return true;
}

void na_timeline_use_ranks(const struct timeline_state *s)
{
	for (size_t i = 0; i < s->moved.n; i++) {
		const struct na_transfer *t = &s->moved.v[i];

		if (t->side == NA_RX)
			na_extent_add(s->scope->used, t->start_ps, t->end_ps);
	}
}

bool na_timeline_join_ranks(struct timeline_state *s)
{
	struct na_ranks r = {.store = s->scope->store,
			     .looked = s->scope->bound,
			     .comms = s->comms.v,
			     .n_comms = s->comms.n,
			     .steps = s->rank_steps.v,
			     .n_steps = s->rank_steps.n};
	bool ok;

	if (!r.n_comms)
		return true;
	ok = na_ranks_join(&r);
	s->not_drawn = s->apart = r.n_comms;
	for (size_t i = 0; ok && i < r.instances.n; i++) {
		const struct na_rank_instance *x = &r.instances.v[i];

		s->apart -= x->to - x->from;
		if (x->size_bytes >= NA_RANK_BYTES_MAX)
			s->no_size += x->to - x->from;
		if (x->size_bytes >= NA_RANK_BYTES_MAX || !grouped(s) ||
		    x->times != NA_RANK_RAN)
			continue;
		s->not_drawn -= x->to - x->from;
		for (size_t k = x->from; ok && k < x->to; k++)
			ok = add_part(s, &r, x, k);
	}
	na_ranks_fini(&r);
	return ok;
}
