/* steps: what ranks of a GPU job wait for each other. */
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/methods/ranks/ranks.h"

int32_t na_steps_rank_of(const struct st_state *s, uint32_t host)
{
	const struct na_devices *d = &s->scope->store->devices;
	int32_t rank = -1;

	for (size_t i = 0; i < d->n_cores; i++) {
		const struct na_core *c = &d->cores[i];

		if (c->input != host || c->kind != NA_DEVICE_RANK)
			continue;
		if (rank >= 0)
			return -1;
		rank = c->number;
	}
	return rank;
}

/* Their steps, which anchor what has no sequence. */
static struct na_span *steps_of(const struct st_state *s, size_t *n)
{
	const struct na_core *cores = s->scope->store->devices.cores;
	struct na_span *x = na_calloc(s->got.spans.n + 1, sizeof(*x));

	*n = 0;
	for (size_t i = 0; x && i < s->got.spans.n; i++) {
		const struct st_span *p = &s->got.spans.v[i];

		if (!p->program && cores[p->core].kind == NA_DEVICE_RANK)
			x[(*n)++] = (struct na_span){.kind = NA_SPAN_STEP,
						     .start_ps = p->start_ps,
						     .end_ps = p->end_ps,
						     .number = p->number,
						     .core = p->core};
	}
	return x;
}

/* On the rank's own clock: what it takes longer than the shortest. */
static bool add_wait(struct st_state *s, const struct na_ranks *r, size_t part)
{
	const struct na_comm *c = &r->comms[r->parts.v[part].comm];
	int64_t wait_ps = na_rank_wait(r, part);

	if (wait_ps > c->end_ps - c->start_ps)
		wait_ps = c->end_ps - c->start_ps;
	return wait_ps <= 0 || !na_steps_passes(s, c->core) ||
	       na_add(&s->waits,
		      ((struct st_wait){c->start_ps, c->start_ps + wait_ps,
					c->core}));
}

bool na_steps_find_rank_waits(struct st_state *s)
{
	struct na_ranks r = {.store = s->scope->store,
			     .comms = s->got.comms.v,
			     .n_comms = s->got.comms.n};
	struct na_span *steps;
	bool ok;

	if (!r.n_comms)
		return true;
	steps = steps_of(s, &r.n_steps);
	r.steps = steps;
	ok = steps && na_ranks_join(&r);
	for (size_t i = 0; ok && i < r.instances.n; i++) {
		const struct na_rank_instance *x = &r.instances.v[i];

		if (x->times != NA_RANK_RAN)
			continue;
		s->matched[r.groups.v[x->group].run] = true;
		for (size_t k = x->from; ok && k < x->to; k++)
			ok = add_wait(s, &r, k);
	}
	na_ranks_fini(&r);
	free(steps);
	return ok;
}
