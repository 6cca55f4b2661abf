/*
 * Event-driven simulation of the job.  One heap holds what happens next;
 * equal times are taken in the order in which they were planned, so a run
 * depends on nothing but its configuration.
 */
#include <stdlib.h>

#include "netan/base/units.h"
#include "netan/synth/job/job.h"
#include "netan/base/queue.h"

enum { LANES = 4 };
enum what {
	DEV_RUN,
	GRAPH_START,
	D2H_DONE,
	XFER_TRY,
	XFER_END,
	XFER_ACK,
	REDUCED,
	H2D_DONE
};

#define US   NA_PS_PER_US
#define NONE UINT32_MAX

/* Medians and widths (in powers of two) of what is drawn. */
static const int64_t op_sigma = 3000, host_sigma = 20000, base_sigma = 12000;
static const int64_t slow_median = 6554, slow_sigma = 78000;
static const int64_t ici_sigma = 9000;
static const int64_t dma_ps_per_byte = 40; /* 200 Gbit/s */
static const int64_t reduce_ps_per_byte = 25;
static const int64_t base_ps = 42 * US, ack_ps = 12 * US;
static const int64_t tail_ps = 200 * NA_PS_PER_MS;

struct dev_state {
	uint32_t pc, step, blocked; /* blocked: graph waited for, or NONE */
	int64_t step_start_ps, block_ps, d2h_free_ps, h2d_free_ps;
};

struct sim {
	struct na_job *job;
	struct na_rng *rng;
	struct na_queue queue;
	struct dev_state *devs;
	uint32_t *got;              /* receives by graph and phase */
	uint64_t *got_at;           /* where a graph's phases begin */
	int64_t *tx_free, *rx_free; /* [host * LANES + lane] */
	int64_t *distance_q16;      /* [src * n_hosts + dst], 1 to 1.25 */
	int64_t *ici_end_ps;        /* [dev * n_icis + which] */
	int64_t lane_q16;           /* ps per byte on one lane */
	int64_t now;
	bool failed;
};

static int64_t whole_ns(int64_t ps)
{
	return (ps + NA_PS_PER_NS - 1) / NA_PS_PER_NS * NA_PS_PER_NS;
}

static void plan_event(struct sim *s, int64_t at_ps, enum what what, size_t id)
{
	if (!na_queue_put(&s->queue, at_ps, what, (uint32_t)id))
		s->failed = true;
}

static int64_t host_delay(struct sim *s, int64_t median_ps)
{
	return whole_ns(na_rng_lognormal(s->rng, median_ps, host_sigma));
}

static const struct na_coll *coll_of(const struct sim *s, size_t graph)
{
	return na_graph_coll(s->job, graph);
}

static uint32_t graph_at(const struct sim *s, uint32_t step, uint32_t slot,
			 uint32_t dev)
{
	return (step * s->job->n_slots + slot) * s->job->n_devs + dev;
}

/* ---- devices */

static void log_op(struct sim *s, uint32_t dev, int64_t start, int64_t dur)
{
	struct dev_state *st = &s->devs[dev];

	s->failed |=
		!na_add(&s->job->devs[dev].ops,
			((struct na_op_event){st->pc, st->step, start, dur}));
}

static int64_t compute_time(struct sim *s, uint32_t dev, int64_t mean_ps)
{
	const struct na_fault *f;
	int64_t t = na_rng_lognormal(s->rng, mean_ps, op_sigma);

	f = na_job_fault(s->job, NA_FAULT_SLOW_COMPUTE, s->job->devs[dev].host);
	return f ? na_mul_q16(t, f->value_q16) : t;
}

/* A collective inside the slice; its -done waits for what is left. */
static int64_t ici_time(struct sim *s, uint32_t dev, const struct na_op *op,
			int64_t now)
{
	int64_t *end = &s->ici_end_ps[dev * s->job->n_icis + op->slot];

	if (op->kind == NA_OP_ICI_DONE)
		return *end > now ? *end - now : US / 2;
	*end = now + na_rng_lognormal(s->rng, s->job->icis[op->slot].mean_ps,
				      ici_sigma);
	return op->kind == NA_OP_ICI ? *end - now : US;
}

/* True when the op at pc has what it waits for. */
static bool may_finish(const struct sim *s, const struct na_op *op,
		       uint32_t graph)
{
	const struct na_graph *g = &s->job->graphs[graph];

	if (op->kind == NA_OP_SEND_DONE)
		return g->d2h_end_ps && g->d2h_end_ps <= s->now;
	return g->done;
}

static void end_step(struct sim *s, uint32_t dev, int64_t t)
{
	struct dev_state *st = &s->devs[dev];
	struct na_span *span = &s->job->devs[dev].steps[st->step];

	span->start_ps = st->step_start_ps;
	span->end_ps = t + US;
	if (span->end_ps > s->job->end_ps)
		s->job->end_ps = span->end_ps;
	st->pc = 0;
	st->step_start_ps = t + host_delay(s, 45 * US);
	if (++st->step < s->job->n_steps)
		plan_event(s, st->step_start_ps, DEV_RUN, dev);
}

/*
 * Run ops until one must wait or the step is over.  Ops that only compute
 * are run ahead of the clock: nothing else depends on them.
 */
static void run_device(struct sim *s, uint32_t dev)
{
	struct dev_state *st = &s->devs[dev];
	const struct na_job *job = s->job;
	int64_t t = s->now, dur;

	if (!st->pc)
		t += US + job->late_ps[job->devs[dev].host * job->n_steps +
				       st->step];
	for (; st->pc < job->n_ops; st->pc++) {
		const struct na_op *op = &job->ops[st->pc];
		uint32_t graph = NONE;

		if (na_op_is_dcn(op->kind))
			graph = graph_at(s, st->step, op->slot, dev);
		if (op->kind == NA_OP_SEND_DONE ||
		    op->kind == NA_OP_RECV_DONE) {
			if (t > s->now) {
				plan_event(s, t, DEV_RUN, dev);
				return;
			}
			if (!may_finish(s, op, graph)) {
				st->blocked = graph;
				st->block_ps = t;
				return;
			}
			dur = US * 3 / 4;
		} else if (op->kind == NA_OP_COMPUTE) {
			dur = compute_time(s, dev, op->mean_ps);
		} else if (!na_op_is_dcn(op->kind)) {
			dur = ici_time(s, dev, op, t);
		} else {
			dur = compute_time(s, dev, 2 * US);
		}
		log_op(s, dev, t, dur);
		t += dur;
		if (op->kind == NA_OP_SEND)
			plan_event(s, t + host_delay(s, 14 * US), GRAPH_START,
				   graph);
		t += 5000;
	}
	end_step(s, dev, t);
}

/* The wait of a blocked device is over: its op ends a little after now. */
static void wake_device(struct sim *s, uint32_t graph)
{
	uint32_t dev = s->job->graphs[graph].dev;
	struct dev_state *st = &s->devs[dev];
	int64_t end = s->now + host_delay(s, 3 * US);

	if (st->blocked != graph || !may_finish(s, &s->job->ops[st->pc], graph))
		return;
	st->blocked = NONE;
	log_op(s, dev, st->block_ps, end - st->block_ps);
	st->pc++;
	plan_event(s, end + 5000, DEV_RUN, dev);
}

/* ---- transfers */

static int64_t *earliest(int64_t *free_ps, uint32_t host)
{
	int64_t *lane = &free_ps[host * LANES], *best = lane;

	for (int i = 1; i < LANES; i++)
		if (lane[i] < *best)
			best = &lane[i];
	return best;
}

static int64_t slowed(const struct sim *s, int64_t ps, uint32_t src,
		      uint32_t dst)
{
	const struct na_job *job = s->job;

	for (size_t i = 0; i < job->n_faults; i++) {
		const struct na_fault *f = &job->faults[i];
		bool hit = false;

		if (f->kind == NA_FAULT_SLOW_SENDER)
			hit = f->host == src;
		else if (f->kind == NA_FAULT_SLOW_RECEIVER)
			hit = f->host == dst;
		else if (f->kind == NA_FAULT_SLOW_HOST)
			hit = f->host == src || f->host == dst;
		else if (f->kind == NA_FAULT_SLOW_PATH)
			hit = f->host == src && f->peer == dst;
		if (hit)
			ps = na_mul_q16(ps, f->value_q16);
	}
	return ps;
}

static int64_t draw_latency(struct sim *s, struct na_xfer *x, uint32_t src,
			    uint32_t dst)
{
	const struct na_fault *f = na_job_fault(s->job, NA_FAULT_TAIL, src);
	int64_t wire = na_mul_q16((int64_t)x->bytes, s->lane_q16) + 1;
	int64_t extra = na_rng_lognormal(s->rng, slow_median, slow_sigma);
	int64_t ps = na_rng_lognormal(s->rng, base_ps, base_sigma);

	ps += na_mul_q16(wire, NA_Q16_ONE + extra);
	ps = na_mul_q16(ps, s->distance_q16[src * s->job->n_hosts + dst]);
	ps = slowed(s, ps, src, dst);
	if (f && na_rng_hit(s->rng, f->value_q16)) {
		x->tail = true;
		ps += tail_ps +
		      (int64_t)na_rng_below(s->rng, (uint64_t)tail_ps / 20);
	}
	return whole_ns(ps);
}

static void try_xfer(struct sim *s, uint32_t id)
{
	struct na_xfer *x = &s->job->xfers[id];
	uint32_t src = s->job->devs[x->src_dev].host;
	uint32_t dst = s->job->devs[x->dst_dev].host;
	int64_t *tx = earliest(s->tx_free, src);
	int64_t *rx = earliest(s->rx_free, dst);

	x->start_ps = s->now;
	if (x->start_ps < *tx)
		x->start_ps = *tx;
	if (x->start_ps < *rx)
		x->start_ps = *rx;
	x->end_ps = x->start_ps + draw_latency(s, x, src, dst);
	x->acked_ps = x->end_ps + host_delay(s, ack_ps);
	*rx = x->end_ps;
	*tx = x->acked_ps;
	plan_event(s, x->end_ps, XFER_END, id);
	plan_event(s, x->acked_ps, XFER_ACK, id);
}

static void add_xfer(struct sim *s, uint32_t graph, uint32_t peer_slice,
		     uint32_t chunk, uint64_t bytes, uint32_t entries)
{
	struct na_job *job = s->job;
	const struct na_graph *g = &job->graphs[graph];
	uint32_t per_slice = job->n_devs / job->n_slices;
	uint32_t dst = peer_slice * per_slice + job->devs[g->dev].in_slice;
	uint32_t to = graph - g->dev + dst, id = (uint32_t)job->n_xfers;
	struct na_xfer *x;

	if (!na_grow(&job->xfers, &job->cap_xfers, job->n_xfers + 1,
		     sizeof(*job->xfers))) {
		s->failed = true;
		return;
	}
	x = &job->xfers[job->n_xfers++];
	*x = (struct na_xfer){.src_dev = g->dev,
			      .dst_dev = dst,
			      .src_graph = graph,
			      .dst_graph = to,
			      .phase = g->phase,
			      .chunk = chunk,
			      .next = NONE,
			      .entries = entries,
			      .bytes = bytes};
	job->graphs[graph].n_sends++;
	job->graphs[graph].sends_left++;
	job->graphs[to].n_recvs++;
	if (job->graphs[to].started) {
		plan_event(s, s->now, XFER_TRY, id);
	} else {
		x->next = job->graphs[to].waiting;
		job->graphs[to].waiting = id;
	}
}

/* Everything that one phase of a graph sends. */
static void send_phase(struct sim *s, uint32_t graph)
{
	const struct na_coll *c = coll_of(s, graph);
	const struct na_graph *g = &s->job->graphs[graph];
	uint32_t slice = s->job->devs[g->dev].slice;
	uint32_t n = na_coll_pieces(s->job, c), phase = g->phase, entries = 1;
	uint64_t share = na_coll_share(s->job, c);

	/* Gathers tell two chunks in one message, as the format allows. */
	if (c->kind == NA_COLL_ALL_GATHER && share % 2 == 0)
		entries = 2;
	for (uint32_t p = 1; p <= na_coll_peers(s->job, c); p++)
		for (uint32_t i = 0; i < n; i++) {
			uint64_t from = share * i / n / 2 * 2;
			uint64_t to = share * (i + 1) / n / 2 * 2;

			add_xfer(s, graph, (slice + p) % s->job->n_slices,
				 (phase * n + i) * entries, to - from, entries);
		}
}

/* ---- graphs */

/* Copies between host and device: one at a time each way. */
static int64_t copy_start(struct sim *s, int64_t free_ps)
{
	int64_t start = s->now + host_delay(s, 6 * US);

	return start < free_ps ? free_ps : start;
}

static int64_t copy_time(struct sim *s, uint64_t bytes)
{
	int64_t dma = (int64_t)bytes * dma_ps_per_byte;
	int64_t begin = host_delay(s, 8 * US);

	return begin + whole_ns(na_rng_lognormal(s->rng, dma, op_sigma));
}

static void start_graph(struct sim *s, uint32_t graph)
{
	struct na_graph *g = &s->job->graphs[graph];
	struct dev_state *st = &s->devs[g->dev];

	g->started = true;
	g->start_ps = s->now;
	g->d2h_start_ps = copy_start(s, st->d2h_free_ps);
	g->d2h_end_ps = g->d2h_start_ps +
			copy_time(s, coll_of(s, graph)->bytes);
	st->d2h_free_ps = g->d2h_end_ps;
	plan_event(s, g->d2h_end_ps, D2H_DONE, graph);
	for (uint32_t id = g->waiting; id != NONE; id = s->job->xfers[id].next)
		plan_event(s, s->now, XFER_TRY, id);
}

static void start_h2d(struct sim *s, uint32_t graph)
{
	struct na_graph *g = &s->job->graphs[graph];
	struct dev_state *st = &s->devs[g->dev];
	const struct na_coll *c = coll_of(s, graph);

	g->h2d_start_ps = copy_start(s, st->h2d_free_ps);
	g->h2d_end_ps = g->h2d_start_ps + copy_time(s, c->out_bytes) +
			c->stall_ps;
	st->h2d_free_ps = g->h2d_end_ps;
	plan_event(s, g->h2d_end_ps, H2D_DONE, graph);
}

static void finish_graph(struct sim *s, uint32_t graph)
{
	struct na_graph *g = &s->job->graphs[graph];

	if (g->done || g->sends_left || !g->h2d_end_ps ||
	    g->h2d_end_ps > s->now)
		return;
	g->done = true;
	g->end_ps = s->now;
	wake_device(s, graph);
}

static void next_phase(struct sim *s, uint32_t graph)
{
	struct na_graph *g = &s->job->graphs[graph];

	if (++g->phase < coll_of(s, graph)->phases)
		send_phase(s, graph);
	else
		start_h2d(s, graph);
}

static int64_t reduced(const struct sim *s, uint32_t graph, int64_t ps)
{
	const struct na_job *job = s->job;
	uint32_t host = job->devs[job->graphs[graph].dev].host;
	const struct na_fault *f = na_job_fault(job, NA_FAULT_SLOW_REDUCTION,
						host);

	return f ? whole_ns(na_mul_q16(ps, f->value_q16)) : ps;
}

static void start_reduce(struct sim *s, uint32_t graph)
{
	struct na_job *job = s->job;
	int64_t work = (int64_t)na_coll_share(job, coll_of(s, graph)) *
		       reduce_ps_per_byte;
	struct na_reduce r = {graph, s->now + host_delay(s, 4 * US), 0};

	r.end_ps = r.start_ps +
		   reduced(s, graph, host_delay(s, 6 * US) + whole_ns(work));
	if (!na_grow(&job->reduces, &job->cap_reduces, job->n_reduces + 1,
		     sizeof(*job->reduces))) {
		s->failed = true;
		return;
	}
	job->reduces[job->n_reduces++] = r;
	job->graphs[graph].reduces++;
	plan_event(s, r.end_ps, REDUCED, graph);
}

/* What a graph received in a phase. */
static uint32_t *got_in(const struct sim *s, uint32_t graph, uint32_t phase)
{
	uint64_t step = na_graph_step(s->job, graph);
	uint64_t row = step * s->job->n_devs + s->job->graphs[graph].dev;

	return &s->got[s->got_at[na_graph_slot(s->job, graph)] +
		       row * coll_of(s, graph)->phases + phase];
}

/* A peer that is ahead may send for a phase that is not yet awaited: it is
 * counted where it belongs and found when its turn comes. */
static void check_phase(struct sim *s, uint32_t graph)
{
	const struct na_coll *c = coll_of(s, graph);
	const struct na_graph *g = &s->job->graphs[graph];
	uint32_t *got;

	/* Not before its own share is on the way (equal times happen). */
	if (g->phase >= c->phases || !g->n_sends)
		return;
	got = got_in(s, graph, g->phase);
	if (*got < na_coll_peers(s->job, c) * na_coll_pieces(s->job, c))
		return;
	*got = 0;
	if (na_phase_reduces(c, g->phase)) {
		start_reduce(s, graph);
	} else {
		next_phase(s, graph);
		check_phase(s, graph);
	}
}

static void end_xfer(struct sim *s, uint32_t id)
{
	const struct na_xfer *x = &s->job->xfers[id];

	++*got_in(s, x->dst_graph, x->phase);
	check_phase(s, x->dst_graph);
}

static void handle(struct sim *s, enum what what, uint32_t id)
{
	switch (what) {
	case DEV_RUN:
		run_device(s, id);
		break;
	case GRAPH_START:
		start_graph(s, id);
		break;
	case D2H_DONE:
		send_phase(s, id);
		wake_device(s, id);
		check_phase(s, id);
		break;
	case XFER_TRY:
		try_xfer(s, id);
		break;
	case XFER_END:
		end_xfer(s, id);
		break;
	case XFER_ACK:
		s->job->graphs[s->job->xfers[id].src_graph].sends_left--;
		finish_graph(s, s->job->xfers[id].src_graph);
		break;
	case REDUCED:
		next_phase(s, id);
		check_phase(s, id);
		break;
	case H2D_DONE:
		finish_graph(s, id);
		break;
	}
}

static bool sim_alloc(struct sim *s)
{
	struct na_job *job = s->job;
	uint64_t per_slot = (uint64_t)job->n_steps * job->n_devs, phases = 0;
	size_t n_graphs = per_slot * job->n_slots;

	s->got_at = na_calloc(job->n_slots, sizeof(*s->got_at));
	for (uint32_t i = 0; s->got_at && i < job->n_slots; i++) {
		s->got_at[i] = phases * per_slot;
		phases += job->colls[job->slots[i].coll].phases;
	}
	s->got = na_calloc(phases * per_slot, sizeof(*s->got));
	s->ici_end_ps = na_calloc((size_t)job->n_devs * job->n_icis,
				  sizeof(*s->ici_end_ps));
	s->devs = na_calloc(job->n_devs, sizeof(*s->devs));
	s->tx_free = na_calloc(job->n_hosts * LANES, sizeof(*s->tx_free));
	s->rx_free = na_calloc(job->n_hosts * LANES, sizeof(*s->rx_free));
	s->distance_q16 = na_calloc((size_t)job->n_hosts * job->n_hosts,
				    sizeof(*s->distance_q16));
	job->graphs = na_calloc(n_graphs, sizeof(*job->graphs));
	if (n_graphs >= NONE || !s->got_at || !s->got || !s->devs ||
	    !s->ici_end_ps || !s->tx_free || !s->rx_free || !s->distance_q16 ||
	    !job->graphs)
		return false;
	for (size_t i = 0; i < n_graphs; i++) {
		job->graphs[i].dev = (uint32_t)(i % job->n_devs);
		job->graphs[i].waiting = NONE;
	}
	return true;
}

static void sim_setup(struct sim *s)
{
	struct na_job *job = s->job;
	/* One division, rounded up: a lane never gets ahead of its rate. */
	double q16 = 8e12 * LANES * 65536.0 / job->cfg->link_rate;

	s->lane_q16 = (int64_t)q16 + 1;
	for (uint32_t a = 0; a < job->n_hosts; a++)
		for (uint32_t b = 0; b < job->n_hosts; b++)
			s->distance_q16[a * job->n_hosts + b] =
				NA_Q16_ONE +
				(int64_t)na_rng_below(s->rng, NA_Q16_ONE / 4);
	na_job_repeat(job, s->rng);
	for (uint32_t d = 0; d < job->n_devs; d++) {
		s->devs[d].blocked = NONE;
		s->devs[d].step_start_ps = host_delay(s, 300 * US);
		plan_event(s, s->devs[d].step_start_ps, DEV_RUN, d);
	}
}

enum na_status na_sim_run(struct na_job *job, struct na_rng *rng,
			  struct na_err *err)
{
	struct sim s = {.job = job, .rng = rng};
	enum na_status st = NA_OK;
	unsigned what;
	uint32_t id;

	if (sim_alloc(&s)) {
		sim_setup(&s);
		while (!s.failed && na_queue_take(&s.queue, &s.now, &what, &id))
			handle(&s, (enum what)what, id);
	} else {
		s.failed = true;
	}
	if (s.failed)
		st = na_fail(err, NA_ENOMEM,
			     "out of memory while simulating; "
			     "fewer --hosts, --steps or --collectives need "
			     "less");
	na_queue_fini(&s.queue);
	free(s.devs);
	free(s.ici_end_ps);
	free(s.got);
	free(s.got_at);
	free(s.tx_free);
	free(s.rx_free);
	free(s.distance_q16);
	return st;
}
