/*
 * The host plane: what the program's threads did, and in the older
 * generation the messages of the transport.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/synth/xspace/write.h"

enum { LINE_NS = 212990, FIRST_THREAD = 3116817, WORKERS = 4, MS = 1000 };

#define US NA_PS_PER_US

enum kind {
	RECEIVE,
	SEND,
	SENT,
	D2H,
	D2H_DONE,
	H2D,
	H2D_DONE,
	REDUCTION,
	REDUCTION_DONE,
	COPY,
	EXTRA,
	KINDS
};

struct msg {
	int64_t at_ps;
	uint32_t order, item, graph;
	uint8_t kind, worker;
};

struct ids {
	int64_t label, src_slice, src_dev, dst_slice, dst_dev, chunk, loop,
		size, duration, key, flow, buffer_size;
	int64_t names[KINDS];
};

struct cpu {
	struct na_writer *w;
	const struct na_job *job;
	struct na_plane plane;
	struct ids id;
	NA_VEC(struct msg) msgs;
};

static int64_t when(const struct cpu *c, int64_t ps)
{
	return na_host_time(c->job, c->w->host, ps);
}

static void plain_event(struct cpu *c, const char *name, int64_t start_ps,
			int64_t dur_ps)
{
	na_plane_event(&c->plane, na_plane_name(&c->plane, name),
		       when(c, start_ps), dur_ps);
	na_plane_event_end(&c->plane);
}

static int64_t jitter(struct cpu *c, int64_t below_us)
{
	return (int64_t)na_rng_below(&c->w->rng, (uint64_t)below_us) * US;
}

/* ---- ordinary threads */

/* Compiler passes whose names look like communication: they are none. */
static void write_compiler(struct cpu *c)
{
	/* clang-format off */
	static const char *const passes[] = {
		"all-reduce-combiner", "aggregate-send-recv",
		"schedule-aware-collective-cse", "all-gather-decomposer",
		"infeed-token-propagation"
	};
	/* clang-format on */
	int64_t t = -1900 * US;

	for (size_t i = 0; i < NA_LEN(passes); i++) {
		plain_event(c, passes[i], t, 20 * US);
		t += 30 * US;
	}
}

static void write_main_thread(struct cpu *c)
{
	const struct na_job *job = c->job;
	const struct na_dev *d =
		&job->devs[c->w->host * (uint32_t)job->cfg->devices];
	int64_t step_num = na_plane_stat(&c->plane, "step_num");
	char name[32];

	snprintf(name, sizeof(name), "main/%d", FIRST_THREAD);
	na_plane_line(&c->plane, FIRST_THREAD, name, LINE_NS);
	write_compiler(c);
	for (uint32_t s = 0; s < job->n_steps; s++) {
		int64_t t = d->steps[s].start_ps - 250 * US;
		int64_t span = d->steps[s].end_ps - t - 300 * US;

		na_plane_event(&c->plane, na_plane_name(&c->plane, "train"),
			       when(c, t), span);
		na_stat_int(&c->plane, step_num, s);
		na_plane_event_end(&c->plane);
		plain_event(c, "$train.py:212 train_step", t + 5 * US,
			    span - 20 * US);
		plain_event(c, "PjitFunction(train_step)", t + 12 * US,
			    180 * US + jitter(c, 40));
		plain_event(c, "ParseArguments", t + 14 * US, 9 * US);
		plain_event(c, "TpuExecute", t + 40 * US, 100 * US);
		plain_event(c, "$pjit.py:301 all_reduce_metrics", t + 300 * US,
			    40 * US + jitter(c, 20));
		plain_event(c, "$numpy.py:88 asarray", t + 400 * US,
			    span - 450 * US);
	}
	na_plane_line_end(&c->plane);
}

static void registration(struct cpu *c, int64_t at_ps, int64_t dur_ps)
{
	na_plane_event(&c->plane, na_plane_name(&c->plane, "MapDmaBuffer"),
		       when(c, at_ps), dur_ps);
	na_stat_ref(&c->plane, na_plane_stat(&c->plane, "size"), "67.1MB");
	na_plane_event_end(&c->plane);
}

/* A few registrations before the first step are as it should be. */
static void write_tasks_thread(struct cpu *c)
{
	const struct na_fault *f = na_job_fault(c->job, NA_FAULT_REGISTRATION,
						c->w->host);
	int64_t n = f ? f->value : 0, end = c->job->end_ps;
	char name[40];

	snprintf(name, sizeof(name), "pjrt-tpu-tasks/%d", FIRST_THREAD + 560);
	na_plane_line(&c->plane, FIRST_THREAD + 560, name, LINE_NS);
	for (int i = 0; i < 3; i++)
		registration(c, (-1600 + 400 * i) * US, 300 * US);
	for (int64_t i = 0; i < n; i++) {
		registration(c, end / 4 + end / 4 * 3 / (n + 1) * (i + 1),
			     500 * US + jitter(c, 2 * MS));
		c->w->trace.truth->registrations++;
	}
	na_plane_line_end(&c->plane);
}

/* ---- transport messages */

static void name_all(struct cpu *c)
{
	/* clang-format off */
	static const char *const names[KINDS] = {
		"MegaScale: Communication Transport Receive",
		"MegaScale: Communication Transport Send",
		"MegaScale: Send Finished",
		"MegaScale: Device to Host Action",
		"MegaScale: Device to Host Transfer Finished",
		"MegaScale: Host to Device Action",
		"MegaScale: Host to Device Transfer Finished",
		"MegaScale: Reduction",
		"MegaScale: Reduction Finished",
		"MegaScale: Memory Copy",
		"MegaScale: Communication Transport Receive",
	};
	/* clang-format on */
	struct na_plane *p = &c->plane;

	c->id.label = na_plane_stat(p, "dcn_label");
	c->id.src_slice = na_plane_stat(p, "dcn_source_slice_id");
	c->id.src_dev = na_plane_stat(p, "dcn_source_per_slice_device_id");
	c->id.dst_slice = na_plane_stat(p, "dcn_destination_slice_id");
	c->id.dst_dev = na_plane_stat(p, "dcn_destination_per_slice_device_id");
	c->id.chunk = na_plane_stat(p, "dcn_chunk");
	c->id.loop = na_plane_stat(p, "dcn_loop_index");
	c->id.size = na_plane_stat(p, "payload_size_bytes");
	c->id.duration = na_plane_stat(p, "duration_us");
	c->id.key = na_plane_stat(p, "key");
	c->id.flow = na_plane_stat(p, "flow");
	c->id.buffer_size = na_plane_stat(p, "buffer_size");
	for (int k = 0; k < KINDS; k++)
		c->id.names[k] = na_plane_name(p, names[k]);
}

static void add_msg(struct cpu *c, enum kind kind, int64_t at_ps,
		    uint32_t graph, uint32_t item)
{
	uint32_t worker = (graph / c->job->n_devs + item) % WORKERS;
	struct msg m = {at_ps, (uint32_t)c->msgs.n, item,
			graph, (uint8_t)kind,       (uint8_t)worker};

	c->plane.body.failed |= !na_add(&c->msgs, m);
}

static void collect_device(struct cpu *c, uint32_t d)
{
	const struct na_job *job = c->job;
	const struct na_writer *w = c->w;

	for (uint32_t i = w->sent.at[d]; i < w->sent.at[d + 1]; i++) {
		const struct na_xfer *x = &job->xfers[w->sent.ids[i]];

		add_msg(c, SEND, x->start_ps, x->src_graph, w->sent.ids[i]);
		add_msg(c, SENT, x->acked_ps, x->src_graph, w->sent.ids[i]);
	}
	for (uint32_t i = w->received.at[d]; i < w->received.at[d + 1]; i++) {
		const struct na_xfer *x = &job->xfers[w->received.ids[i]];

		add_msg(c, RECEIVE, x->end_ps, x->dst_graph,
			w->received.ids[i]);
	}
	for (uint32_t i = w->reduced.at[d]; i < w->reduced.at[d + 1]; i++) {
		const struct na_reduce *r = &job->reduces[w->reduced.ids[i]];

		add_msg(c, REDUCTION, r->start_ps, r->graph, i);
		add_msg(c, REDUCTION_DONE, r->end_ps, r->graph, i);
	}
	for (size_t g = d;
	     g < (size_t)job->n_steps * job->n_slots * job->n_devs;
	     g += job->n_devs) {
		const struct na_graph *x = &job->graphs[g];
		uint32_t graph = (uint32_t)g;

		add_msg(c, D2H, x->d2h_start_ps, graph, 0);
		add_msg(c, D2H_DONE, x->d2h_end_ps, graph, 0);
		add_msg(c, H2D, x->h2d_start_ps, graph, 0);
		add_msg(c, H2D_DONE, x->h2d_end_ps, graph, 0);
	}
}

static void collect_extras(struct cpu *c)
{
	for (size_t k = 0; k < NA_EXTRA_KINDS; k++) {
		const struct na_fault *f =
			na_job_fault(c->job, na_extra_kinds[k], c->w->host);

		for (int64_t i = 0; f && i < f->value; i++) {
			uint32_t g = na_graph_at(c->job, c->w->host, i,
						 f->value);

			add_msg(c, EXTRA, c->job->graphs[g].end_ps, g,
				(uint32_t)f->kind);
		}
	}
}

static void collect_copies(struct cpu *c)
{
	const struct na_fault *f = na_job_fault(c->job, NA_FAULT_COPY,
						c->w->host);

	for (int64_t i = 0; f && i < f->value; i++) {
		uint32_t g = na_graph_at(c->job, c->w->host, i, f->value);

		add_msg(c, COPY, c->job->graphs[g].start_ps + 3 * US, g,
			(uint32_t)i);
		c->w->trace.truth->copies++;
	}
}

NA_ORDER(by_time, struct msg, NA_UP(at_ps), NA_UP(order))

static void ends_of(struct cpu *c, const struct na_dev *src,
		    const struct na_dev *dst)
{
	struct na_plane *p = &c->plane;

	na_stat_int(p, c->id.src_slice, src->slice);
	na_stat_int(p, c->id.src_dev, src->in_slice);
	na_stat_int(p, c->id.dst_slice, dst->slice);
	na_stat_int(p, c->id.dst_dev, dst->in_slice);
}

static void transport_stats(struct cpu *c, const struct msg *m)
{
	const struct na_job *job = c->job;
	const struct na_xfer *x = &job->xfers[m->item];
	struct na_plane *p = &c->plane;
	uint32_t slot = na_graph_slot(job, m->graph);

	na_stat_ref(p, c->id.label, na_graph_coll(c->job, m->graph)->name);
	ends_of(c, &job->devs[x->src_dev], &job->devs[x->dst_dev]);
	na_stat_int(p, c->id.chunk, x->chunk);
	na_stat_int(p, c->id.loop, job->slots[slot].iteration);
	na_stat_int(p, c->id.size, (int64_t)x->bytes);
	/* Direction in the two lowest bits: 1 in, 2 out. */
	na_stat_uint(p, c->id.flow,
		     (uint64_t)m->item << 2 | (m->kind == RECEIVE ? 1 : 2));
}

static void write_receive(struct cpu *c, const struct msg *m)
{
	const struct na_xfer *x = &c->job->xfers[m->item];
	struct na_truth_host *t = c->w->trace.truth;
	int64_t us = na_seen_latency_us(c->job, x), end = when(c, m->at_ps);

	if (c->job->cfg->message_spans)
		na_plane_event(&c->plane, c->id.names[RECEIVE], end - us * US,
			       us * US);
	else
		na_plane_event(&c->plane, c->id.names[RECEIVE], end, 2 * US);
	transport_stats(c, m);
	na_stat_int(&c->plane, c->id.duration, us);
	na_plane_event_end(&c->plane);
	na_truth_rx(&t->message, us ? NA_RX_VALID : NA_RX_SKEW,
		    m->at_ps + t->ahead_ns * NA_PS_PER_NS, us, x->bytes, 1);
}

static void write_send(struct cpu *c, const struct msg *m)
{
	struct na_truth_host *t = c->w->trace.truth;
	int64_t at = m->at_ps + t->ahead_ns * NA_PS_PER_NS;

	na_plane_event(&c->plane, c->id.names[SEND], when(c, m->at_ps), 2 * US);
	transport_stats(c, m);
	na_plane_event_end(&c->plane);
	na_truth_tx(&t->message, at, at, c->job->xfers[m->item].bytes, 1);
	/* Told both ways the two name the same transfers. */
	if (c->job->cfg->generation == NA_GEN_MESSAGE)
		t->tails += c->job->xfers[m->item].tail;
}

static void write_extra(struct cpu *c, const struct msg *m)
{
	const struct na_dev *self =
		&c->job->devs[c->w->host * (uint32_t)c->job->cfg->devices];
	struct na_dev other = *self;
	struct na_truth_host *t = c->w->trace.truth;
	bool loop = m->item == NA_FAULT_LOOPBACK;
	bool bad = m->item == NA_FAULT_BAD_KEY;

	if (!loop)
		other.slice = (self->slice + 1) % c->job->n_slices;
	na_plane_event(&c->plane, c->id.names[EXTRA], when(c, m->at_ps),
		       2 * US);
	if (!bad)
		na_stat_ref(&c->plane, c->id.label,
			    na_graph_coll(c->job, m->graph)->name);
	ends_of(c, &other, self);
	na_stat_int(&c->plane, c->id.size, 4096);
	if (m->item != NA_FAULT_NO_LATENCY)
		na_stat_int(&c->plane, c->id.duration, 30);
	na_plane_event_end(&c->plane);
	na_truth_rx(&t->message,
		    bad    ? NA_RX_BAD
		    : loop ? NA_RX_LOOPBACK
			   : NA_RX_NO_LATENCY,
		    0, 0, 4096, 1);
}

static void write_other(struct cpu *c, const struct msg *m)
{
	struct na_truth_net *t = &c->w->trace.truth->message;
	enum kind kind = (enum kind)m->kind;

	na_plane_event(&c->plane, c->id.names[kind], when(c, m->at_ps),
		       kind == COPY ? 150 * US : 2 * US);
	na_stat_ref(&c->plane, c->id.key,
		    na_graph_coll(c->job, m->graph)->name);
	na_stat_int(&c->plane, c->id.buffer_size,
		    (int64_t)na_graph_coll(c->job, m->graph)->bytes);
	na_plane_event_end(&c->plane);
	t->d2h += kind == D2H_DONE;
	t->h2d += kind == H2D_DONE;
	t->compute += kind == REDUCTION_DONE;
}

static void write_worker(struct cpu *c, uint8_t worker)
{
	char name[40];

	snprintf(name, sizeof(name), "MegascaleEM2_Worker/%d",
		 FIRST_THREAD + 700 + worker);
	na_plane_line(&c->plane, FIRST_THREAD + 700 + worker, name, LINE_NS);
	for (size_t i = 0; i < c->msgs.n; i++) {
		const struct msg *m = &c->msgs.v[i];

		if (m->worker != worker)
			continue;
		if (m->kind == RECEIVE)
			write_receive(c, m);
		else if (m->kind == SEND)
			write_send(c, m);
		else if (m->kind == EXTRA)
			write_extra(c, m);
		else
			write_other(c, m);
	}
	na_plane_line_end(&c->plane);
}

static void write_transport(struct cpu *c)
{
	uint32_t per_host = (uint32_t)c->job->cfg->devices;

	if (c->job->cfg->generation != NA_GEN_GRAPH) {
		for (uint32_t i = 0; i < per_host; i++)
			collect_device(c, c->w->host * per_host + i);
		collect_extras(c);
	}
	collect_copies(c);
	if (!c->msgs.n)
		return;
	na_sort(c->msgs.v, c->msgs.n, by_time);
	name_all(c);
	for (uint8_t i = 0; i < WORKERS; i++)
		write_worker(c, i);
}

enum na_status na_write_host_cpu(struct na_writer *w, struct na_err *err)
{
	struct cpu c = {.w = w, .job = w->job};
	enum na_status st;

	na_plane_start(&c.plane, &w->trace, 0, "/host:CPU");
	write_main_thread(&c);
	write_tasks_thread(&c);
	write_transport(&c);
	st = na_plane_finish(&c.plane, err);
	na_vec_free(&c.msgs);
	return st;
}
