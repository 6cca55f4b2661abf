/*
 * Hosts and their collectives.  A host's step: wait for input; then for each
 * stretch of compute: compute, launch the collective behind it, wait for the
 * ones whose result is needed here.  A launched collective copies its input
 * off the device, sends and receives by phases, adds up what reduces, and
 * copies the result to the device.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/engine.h"

enum {
	DISPATCH_NS = 12000,
	TAKE_NS = 1500,
	WAKE_NS = 1000,
	REDUCE_NS = 4000,
	COPY_NS = 10000
};

static const double reduce_ns_per_byte = 1 / 25.0;
static const double copy_ns_per_byte = 1 / 30.0;

/* ---- who is who */

struct place { /* of a graph */
	uint32_t step, collective, host, device;
};

static size_t graph_index(const struct sy_plan *p, const struct place *at)
{
	return (((size_t)at->step * p->n_collectives + at->collective) *
			p->n_hosts +
		at->host) *
		       p->n_devices +
	       at->device;
}

static struct place graph_place(const struct sy_plan *p, size_t index)
{
	struct place at = {.device = (uint32_t)(index % p->n_devices)};

	index /= p->n_devices;
	at.host = (uint32_t)(index % p->n_hosts);
	index /= p->n_hosts;
	at.collective = (uint32_t)(index % p->n_collectives);
	at.step = (uint32_t)(index / p->n_collectives);
	return at;
}

struct sy_graph *sy_graph_of(const struct sy_run *r, uint32_t step,
			     uint32_t collective, uint32_t host,
			     uint32_t device)
{
	struct place at = {step, collective, host, device};

	return &r->graphs[graph_index(r->plan, &at)];
}

/* The transfers of the group that a graph belongs to. */
static size_t group_base(const struct sy_run *r, const struct place *at)
{
	const struct sy_plan *p = r->plan;
	uint32_t group = at->host % p->hosts_per_slice;
	uint32_t moves = p->collectives[at->collective].program.n_moves;

	return r->first[at->collective] +
	       at->step * r->per_step[at->collective] +
	       ((size_t)group * p->n_devices + at->device) * moves;
}

static uint32_t rank_of(const struct sy_plan *p, uint32_t host)
{
	return host / p->hosts_per_slice;
}

static uint16_t *done_of(struct sy_engine *e, size_t graph)
{
	struct place at = graph_place(e->plan, graph);
	const struct sy_program *c =
		&e->plan->collectives[at.collective].program;

	return &e->done[e->done_from[at.collective] +
			(((size_t)at.step * e->plan->n_hosts + at.host) *
				 e->plan->n_devices +
			 at.device) *
				c->n_phases];
}

/* ---- a graph */

static void finish(struct sy_engine *e, size_t graph)
{
	const struct sy_plan *p = e->plan;
	struct sy_graph *g = &e->run->graphs[graph];
	struct place at = graph_place(p, graph);
	double bytes = (double)p->collectives[at.collective].bytes;
	double jitter = 1 + 0.1 * sy_draw(p, SY_D_COPY, graph, 1);

	g->copy_in = e->now;
	sy_push(e,
		e->now + (int64_t)((COPY_NS + bytes * copy_ns_per_byte) *
				   jitter),
		SY_E_IN, (uint32_t)graph, 0);
}

static void post(struct sy_engine *e, size_t transfer)
{
	struct sy_transfer *t = &e->run->transfers[transfer];

	t->posted = e->now;
	if (t->arrival != 0)
		sy_push(e, e->now + TAKE_NS, SY_E_TAKEN, (uint32_t)transfer, 0);
}

static void post_phase(struct sy_engine *e, size_t graph, uint32_t phase)
{
	struct place at = graph_place(e->plan, graph);
	const struct sy_program *c =
		&e->plan->collectives[at.collective].program;
	size_t base = group_base(e->run, &at);
	uint32_t cell = rank_of(e->plan, at.host) * (c->n_phases + 1) + phase;

	for (uint32_t i = c->recv_from[cell]; i < c->recv_from[cell + 1]; i++)
		post(e, base + c->recvs[i]);
}

static void send_phase(struct sy_engine *e, size_t graph, uint32_t phase)
{
	struct place at = graph_place(e->plan, graph);
	const struct sy_program *c =
		&e->plan->collectives[at.collective].program;
	size_t base = group_base(e->run, &at);
	uint32_t cell = rank_of(e->plan, at.host) * (c->n_phases + 1) + phase;

	for (uint32_t i = c->send_from[cell]; i < c->send_from[cell + 1]; i++)
		sy_fabric_send(e, (uint32_t)(base + i));
}

/* Goes on as far as what was received allows. */
static void advance(struct sy_engine *e, size_t graph)
{
	struct sy_graph *g = &e->run->graphs[graph];
	struct place at = graph_place(e->plan, graph);
	const struct sy_program *c =
		&e->plan->collectives[at.collective].program;
	uint32_t row = rank_of(e->plan, at.host) * (c->n_phases + 1);
	const uint16_t *done = done_of(e, graph);

	while (g->out && g->phase < c->n_phases) {
		uint32_t wanted = c->recv_from[row + g->phase + 1] -
				  c->recv_from[row + g->phase];

		if (done[g->phase] < wanted)
			return;
		g->phase++;
		if (g->phase == c->n_phases)
			break;
		if (e->plan->posts_in_turn)
			post_phase(e, graph, g->phase);
		send_phase(e, graph, g->phase);
	}
	if (g->out && g->phase == c->n_phases && g->copy_in == 0)
		finish(e, graph);
}

static void launched(struct sy_engine *e, size_t graph)
{
	const struct sy_plan *p = e->plan;
	struct place at = graph_place(p, graph);
	const struct sy_collective *c = &p->collectives[at.collective];
	double jitter = 1 + 0.1 * sy_draw(p, SY_D_COPY, graph, 0);
	uint32_t phases = p->posts_in_turn ? 1 : c->program.n_phases;

	e->run->graphs[graph].launch = e->now;
	for (uint32_t phase = 0; phase < phases; phase++)
		post_phase(e, graph, phase);
	sy_push(e,
		e->now + (int64_t)((COPY_NS +
				    (double)c->bytes * copy_ns_per_byte) *
				   jitter),
		SY_E_OUT, (uint32_t)graph, 0);
}

static void copied_out(struct sy_engine *e, size_t graph)
{
	struct sy_graph *g = &e->run->graphs[graph];

	g->copied_out = e->now;
	g->out = true;
	send_phase(e, graph, 0);
	advance(e, graph);
}

/* ---- receives */

void sy_job_arrived(struct sy_engine *e, uint32_t transfer)
{
	const struct sy_transfer *t = &e->run->transfers[transfer];
	double late = sy_draw(e->plan, SY_D_RECEIVE, transfer, 0);

	if (t->posted != 0)
		sy_push(e, e->now + TAKE_NS + (int64_t)(late * TAKE_NS),
			SY_E_TAKEN, transfer, 0);
}

static void received(struct sy_engine *e, const struct sy_transfer *t)
{
	struct place at = {t->step, t->collective, t->dst, t->device};
	size_t graph = graph_index(e->plan, &at);

	done_of(e, graph)[t->phase]++;
	advance(e, graph);
}

static void taken(struct sy_engine *e, uint32_t transfer)
{
	struct sy_transfer *t = &e->run->transfers[transfer];
	const struct sy_program *c =
		&e->plan->collectives[t->collective].program;
	double jitter = 1 + 0.3 * sy_draw(e->plan, SY_D_REDUCE, transfer, 0);

	t->taken = e->now;
	if (c->moves[t->move].reduces)
		sy_push(e,
			e->now + (int64_t)((REDUCE_NS +
					    (double)t->bytes *
						    reduce_ns_per_byte) *
					   jitter),
			SY_E_REDUCED, transfer, 0);
	else
		received(e, t);
}

static void reduced(struct sy_engine *e, uint32_t transfer)
{
	struct sy_transfer *t = &e->run->transfers[transfer];

	t->reduced = e->now;
	received(e, t);
}

/* ---- hosts */

static bool late_now(const struct sy_engine *e, uint32_t host, uint32_t step)
{
	const struct sy_plan *p = e->plan;

	return (e->run->faults >> SY_FAULTS & 1) && p->late_host == host &&
	       sy_draw(p, SY_D_LATE, host, step) < p->late_share;
}

/* sqrt(-2 log u) cos(2 pi v), Box and Muller. */
static double normal(const struct sy_plan *p, uint32_t what, uint64_t a,
		     uint64_t b)
{
	double u = 1 - sy_draw(p, what, a, 2 * b);
	double v = sy_draw(p, what, a, 2 * b + 1);

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static int64_t compute_time(const struct sy_engine *e, uint32_t host,
			    uint32_t step, uint32_t part)
{
	const struct sy_plan *p = e->plan;
	uint64_t cell = (uint64_t)step * SY_HOSTS + host;
	double ns = (double)p->compute_ns[part] *
		    exp(p->jitter * normal(p, SY_D_COMPUTE, cell, part));

	if (p->kind == SY_COMPUTE && late_now(e, host, step))
		ns *= p->late_factor;
	if (part == step % (p->n_collectives + 1) &&
	    sy_draw(p, SY_D_PAUSE, cell, 0) < p->pause)
		ns += 2e6 + 6e6 * sy_draw(p, SY_D_PAUSE, cell, 1);
	return (int64_t)ns + 4000;
}

static struct sy_day *day_of(struct sy_engine *e, uint32_t host)
{
	return &e->run->days[(size_t)e->hosts[host].step * e->plan->n_hosts +
			     host];
}

static int64_t input_time(const struct sy_engine *e, uint32_t host,
			  uint32_t step)
{
	const struct sy_plan *p = e->plan;
	int64_t ns = 20000 +
		     (int64_t)(40000 * sy_draw(p, SY_D_GAP, host, step));

	if (p->kind == SY_INPUT && late_now(e, host, step))
		ns += p->late_ns;
	return ns;
}

/* With an infeed the device's step begins, and waits; without one it begins
 * when the input is there. */
static void begin_step(struct sy_engine *e, uint32_t host)
{
	struct sy_host *h = &e->hosts[host];
	struct sy_day *d = day_of(e, host);

	d->input = e->now;
	d->input_end = e->now + input_time(e, host, h->step);
	d->start = e->plan->infeed ? e->now : d->input_end;
	d->compute_from[0] = d->input_end;
	d->compute_to[0] = d->input_end + compute_time(e, host, h->step, 0);
	h->at = 0;
	h->waits_for = SY_NONE;
	sy_push(e, d->compute_to[0], SY_E_HOST, host, 0);
}

static bool all_in(const struct sy_engine *e, uint32_t host, uint32_t k)
{
	for (uint32_t d = 0; d < e->plan->n_devices; d++)
		if (sy_graph_of(e->run, e->hosts[host].step, k, host, d)
			    ->copied_in == 0)
			return false;
	return true;
}

static void copied_in(struct sy_engine *e, size_t graph)
{
	struct place at = graph_place(e->plan, graph);
	const struct sy_host *h = &e->hosts[at.host];

	e->run->graphs[graph].copied_in = e->now;
	if (h->waits_for == at.collective && h->step == at.step &&
	    all_in(e, at.host, at.collective))
		sy_push(e, e->now + WAKE_NS, SY_E_HOST, at.host, 0);
}

static void launch(struct sy_engine *e, uint32_t host, uint32_t k)
{
	struct place at = {e->hosts[host].step, k, host, 0};

	day_of(e, host)->launch[k] = e->now;
	for (at.device = 0; at.device < e->plan->n_devices; at.device++)
		sy_push(e, e->now + DISPATCH_NS, SY_E_GRAPH,
			(uint32_t)graph_index(e->plan, &at), 0);
}

/* False while the host waits for a collective of this part. */
static bool waits_done(struct sy_engine *e, uint32_t host)
{
	struct sy_host *h = &e->hosts[host];
	struct sy_day *d = day_of(e, host);
	const struct sy_plan *p = e->plan;

	for (uint32_t k = 0; k < p->n_collectives; k++) {
		if (p->collectives[k].wait_after != h->at || d->wait_to[k] != 0)
			continue;
		if (d->wait_from[k] == 0)
			d->wait_from[k] = e->now;
		if (!all_in(e, host, k)) {
			h->waits_for = k;
			return false;
		}
		d->wait_to[k] = e->now + WAKE_NS;
		e->now += WAKE_NS;
	}
	h->waits_for = SY_NONE;
	return true;
}

static void go_on(struct sy_engine *e, uint32_t host)
{
	struct sy_host *h = &e->hosts[host];
	struct sy_day *d = day_of(e, host);
	const struct sy_plan *p = e->plan;

	if (d->end != 0) {
		h->step++;
		begin_step(e, host);
		return;
	}
	if (h->at < p->n_collectives && d->launch[h->at] == 0)
		launch(e, host, h->at);
	if (!waits_done(e, host))
		return;
	if (h->at == p->n_collectives) {
		d->end = e->now + 2000;
		if (h->step + 1 < p->n_steps)
			sy_push(e, d->end + 30000, SY_E_HOST, host, 0);
		return;
	}
	h->at++;
	d->compute_from[h->at] = e->now;
	d->compute_to[h->at] = e->now + compute_time(e, host, h->step, h->at);
	sy_push(e, d->compute_to[h->at], SY_E_HOST, host, 0);
}

void sy_job_begin(struct sy_engine *e, uint32_t host)
{
	begin_step(e, host);
}

void sy_job_event(struct sy_engine *e, const struct sy_event *ev)
{
	switch (ev->type) {
	case SY_E_HOST:
		go_on(e, ev->a);
		break;
	case SY_E_GRAPH:
		launched(e, ev->a);
		break;
	case SY_E_OUT:
		copied_out(e, ev->a);
		break;
	case SY_E_IN:
		copied_in(e, ev->a);
		break;
	case SY_E_TAKEN:
		taken(e, ev->a);
		break;
	default:
		reduced(e, ev->a);
		break;
	}
}
