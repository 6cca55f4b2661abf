/* A run from its plan: what it fills, the events until none is left. */
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/engine.h"

static bool allocate(struct sy_engine *e)
{
	struct sy_run *r = e->run;
	const struct sy_plan *p = e->plan;
	size_t done = 0,
	       graphs = (size_t)p->n_steps * p->n_hosts * p->n_devices;

	for (uint32_t k = 0; k < p->n_collectives; k++) {
		const struct sy_program *c = &p->collectives[k].program;

		r->first[k] = r->n_transfers;
		r->per_step[k] = (size_t)c->n_moves * p->hosts_per_slice *
				 p->n_devices;
		r->n_transfers += r->per_step[k] * p->n_steps;
		e->done_from[k] = done;
		done += graphs * c->n_phases;
	}
	r->n_graphs = graphs * p->n_collectives;
	r->transfers = na_calloc(r->n_transfers, sizeof(*r->transfers));
	r->graphs = na_calloc(r->n_graphs, sizeof(*r->graphs));
	r->days = na_calloc((size_t)p->n_steps * p->n_hosts, sizeof(*r->days));
	e->done = na_calloc(done, sizeof(*e->done));
	return r->transfers && r->graphs && r->days && e->done;
}

static void name_transfer(const struct sy_plan *p, struct sy_transfer *t,
			  uint32_t index, uint32_t collective, size_t of_step)
{
	const struct sy_collective *c = &p->collectives[collective];
	uint32_t moves = c->program.n_moves;
	const struct sy_move *m = &c->program.moves[of_step % moves];
	uint32_t lane = (uint32_t)(of_step / moves);
	uint32_t group = lane / p->n_devices;
	uint64_t ends;

	t->move = (uint32_t)(of_step % moves);
	t->device = (uint8_t)(lane % p->n_devices);
	t->src = (uint8_t)(m->src * p->hosts_per_slice + group);
	t->dst = (uint8_t)(m->dst * p->hosts_per_slice + group);
	t->collective = (uint8_t)collective;
	t->phase = m->phase;
	t->bytes = c->bytes;
	t->spine = SY_ANY;
	ends = (uint64_t)t->src << 16 | (uint64_t)t->dst << 8 | t->device;
	if (p->rack_of[t->src] != p->rack_of[t->dst])
		t->spine =
			(uint8_t)(sy_draw(p, SY_D_SPINE, ends,
					  p->spray ? index + UINT64_C(1) : 0) *
				  p->n_spines);
}

static void name_transfers(struct sy_run *r)
{
	const struct sy_plan *p = r->plan;

	for (uint32_t k = 0; k < p->n_collectives; k++)
		for (size_t i = 0; i < r->per_step[k] * p->n_steps; i++) {
			size_t at = r->first[k] + i;
			struct sy_transfer *t = &r->transfers[at];

			t->step = (uint32_t)(i / r->per_step[k]);
			name_transfer(p, t, (uint32_t)at, k,
				      i % r->per_step[k]);
		}
}

/* A graph's end: its last action. */
static void end_graphs(struct sy_run *r)
{
	for (size_t i = 0; i < r->n_graphs; i++)
		r->graphs[i].end = r->graphs[i].copied_in;
	for (size_t i = 0; i < r->n_transfers; i++) {
		const struct sy_transfer *t = &r->transfers[i];
		struct sy_graph *g = sy_graph_of(r, t->step, t->collective,
						 t->src, t->device);
		int64_t end = r->plan->local_end ? t->left : t->acked;

		if (g->end < end)
			g->end = end;
	}
}

bool sy_run_make(struct sy_run *r, const struct sy_plan *p, uint32_t faults)
{
	struct sy_engine *e = na_calloc(1, sizeof(*e));
	struct sy_event ev;
	bool ok;

	*r = (struct sy_run){.plan = p, .faults = faults};
	if (!e)
		return false;
	e->run = r;
	e->plan = p;
	ok = allocate(e) && sy_fabric_init(e);
	if (ok)
		name_transfers(r);
	for (uint32_t h = 0; ok && h < p->n_hosts; h++) {
		e->now = 1000000 +
			 (int64_t)(200000 * sy_draw(p, SY_D_START, h, 0));
		sy_job_begin(e, h);
	}
	while (ok && sy_pop(e, &ev)) {
		e->now = ev.t;
		if (ev.type < SY_E_SEND)
			sy_job_event(e, &ev);
		else
			sy_fabric_event(e, &ev);
	}
	ok = ok && !e->no_memory;
	if (ok)
		end_graphs(r);
	free(e->heap);
	free(e->connections);
	free(e->after);
	free(e->done);
	free(e);
	return ok;
}

void sy_run_fini(struct sy_run *r)
{
	free(r->transfers);
	free(r->graphs);
	free(r->days);
	*r = (struct sy_run){0};
}
