/*
 * The action-graph plane: on each local device the executions of its
 * collectives, and each action's START and END.
 *
 * As in real captures the shown span of an END begins where the previous
 * event of the line ended; only its end is right, and the true duration is
 * the stat action_duration_ns.
 *
 * The actions of an execution are numbered through: action_index is 0 for
 * the copy out of the device, then the sends, the receives, the reductions,
 * and num_actions - 1 for the copy back.  action_inputs, on ENDs, lists what
 * an action waited for, "[0,7,8]"; a receive waits for nothing here: what it
 * waited for is the send at the other end, which has the same launch,
 * iteration, chunk and endpoints.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/synth/xspace/write.h"

enum action { D2H, SEND, RECEIVE, REDUCE, H2D, EXTRA };

/* Line origin: not zero, so that readers must add it. */
enum { LINE_NS = 100000 };
enum { FIRST_LAUNCH = 400 };

struct mark {                  /* an event of the actions line */
	int64_t at_ps, dur_ps; /* instant; END: action's duration */
	uint32_t order, graph, item, index;
	uint8_t action;
	bool is_end;
};

struct ids {
	int64_t graph_key, local_device_id, num_actions, collective_type,
		input_size, send_channel_id, recv_channel_id, slack_us,
		action_type, start_end_type, action_index, action_duration_ns,
		action_inputs, transfer_source, transfer_destinations,
		dcn_topology_level, buffer_sizes, compute_operation, chunk,
		launch_id, loop_iteration, transmission_budget_us,
		delay_budget_us, latency_us, activation_us, hlo_module;
	int64_t starts[5], ends[5]; /* event names by action */
};

struct mega {
	struct na_writer *w;
	const struct na_job *job;
	const struct na_dev *dev;
	uint32_t dev_number;
	struct na_plane plane;
	struct ids id;
	NA_VEC(struct mark) marks;
	uint32_t *sends, *recvs, *reduces; /* by graph: counted so far */
	struct na_index graph_recvs;       /* receives by graph */
	char *inputs;
	size_t cap_inputs;
	char key[160];
};

/* clang-format off */
static const char *const action_names[] = {
	"DeviceToHost", "NetworkSend", "NetworkReceive", "Reduce",
	"HostToDevice"
};
/* clang-format on */

static void name_all(struct mega *m)
{
	/* clang-format off */
	static const struct { const char *name; size_t at; } stats[] = {
#define ROW(field, name) { name, offsetof(struct ids, field) }
		ROW(graph_key, "graph_key"),
		ROW(local_device_id, "local_device_id"),
		ROW(num_actions, "num_actions"),
		ROW(collective_type, "collective_type"),
		ROW(input_size, "input_size"),
		ROW(send_channel_id, "send_channel_id"),
		ROW(recv_channel_id, "recv_channel_id"),
		ROW(slack_us, "slack_us"),
		ROW(action_type, "action_type"),
		ROW(start_end_type, "start_end_type"),
		ROW(action_index, "action_index"),
		ROW(action_duration_ns, "action_duration_ns"),
		ROW(action_inputs, "action_inputs"),
		ROW(transfer_source, "transfer_source"),
		ROW(transfer_destinations, "transfer_destinations"),
		ROW(dcn_topology_level, "dcn_topology_level"),
		ROW(buffer_sizes, "buffer_sizes"),
		ROW(compute_operation, "compute_operation"),
		ROW(chunk, "chunk"),
		ROW(launch_id, "launch_id"),
		ROW(loop_iteration, "loop_iteration"),
		ROW(transmission_budget_us, "transmission_budget_us"),
		ROW(delay_budget_us, "delay_budget_us"),
		ROW(latency_us, "network_transport_latency_us"),
		ROW(activation_us,
		    "activation_to_network_receive_duration_us"),
		ROW(hlo_module, "hlo_module"),
#undef ROW
	};
	/* clang-format on */
	char name[32];

	for (size_t i = 0; i < NA_LEN(stats); i++) {
		int64_t id = na_plane_stat(&m->plane, stats[i].name);

		memcpy((char *)&m->id + stats[i].at, &id, sizeof(id));
	}
	for (int a = D2H; a <= H2D; a++) {
		snprintf(name, sizeof(name), "%s START", action_names[a]);
		m->id.starts[a] = na_plane_name(&m->plane, name);
		snprintf(name, sizeof(name), "%s END", action_names[a]);
		m->id.ends[a] = na_plane_name(&m->plane, name);
	}
}

static const struct na_slot *slot_of(const struct mega *m, size_t graph)
{
	return &m->job->slots[na_graph_slot(m->job, graph)];
}

static const char *graph_key(struct mega *m, size_t graph)
{
	snprintf(m->key, sizeof(m->key),
		 "device_%" PRId64 "_gid_%s$l%" PRIu32 "^i%" PRIu32,
		 na_dev_id(m->dev), na_graph_coll(m->job, graph)->name,
		 FIRST_LAUNCH + na_graph_step(m->job, graph),
		 slot_of(m, graph)->iteration);
	return m->key;
}

static void add_mark(struct mega *m, enum action action, bool is_end,
		     int64_t at_ps, int64_t dur_ps, uint32_t graph,
		     uint32_t item, uint32_t index)
{
	struct mark k = {at_ps, dur_ps, (uint32_t)m->marks.n, graph,
			 item,  index,  (uint8_t)action,      is_end};

	m->plane.body.failed |= !na_add(&m->marks, k);
}

static void add_action(struct mega *m, enum action action, int64_t start_ps,
		       int64_t end_ps, uint32_t graph, uint32_t item,
		       uint32_t index)
{
	add_mark(m, action, false, start_ps, 0, graph, item, index);
	add_mark(m, action, true, end_ps, end_ps - start_ps, graph, item,
		 index);
}

NA_ORDER(by_time, struct mark, NA_UP(at_ps), NA_UP(order))

/* Receives that a fault plants: their item says which kind. */
static void add_extras(struct mega *m)
{
	const struct na_job *job = m->job;

	for (size_t k = 0; m->dev->local == 0 && k < NA_EXTRA_KINDS; k++) {
		const struct na_fault *f = na_job_fault(job, na_extra_kinds[k],
							m->w->host);

		for (int64_t i = 0; f && i < f->value; i++) {
			uint32_t g = na_graph_at(job, m->w->host, i, f->value);

			add_mark(m, EXTRA, true, job->graphs[g].end_ps,
				 40 * NA_PS_PER_US, g, (uint32_t)f->kind, 0);
		}
	}
}

/* ---- the numbers of actions, and what they wait for */

static uint32_t num_actions(const struct na_graph *g)
{
	return 2 + g->n_sends + g->n_recvs + g->reduces;
}

static uint32_t first_receive(const struct mega *m, size_t graph)
{
	return 1 + m->job->graphs[graph].n_sends;
}

static uint32_t first_reduction(const struct mega *m, size_t graph)
{
	return first_receive(m, graph) + m->job->graphs[graph].n_recvs;
}

static void add_input(struct mega *m, size_t *n, uint32_t index)
{
	if (!na_grow(&m->inputs, &m->cap_inputs, *n + 16, 1)) {
		m->plane.body.failed = true;
		return;
	}
	*n += (size_t)snprintf(m->inputs + *n, 16, "%s%" PRIu32,
			       *n > 1 ? "," : "", index);
}

/* What came in a phase. */
static void add_received(struct mega *m, size_t *n, size_t graph,
			 uint32_t phase)
{
	const struct na_index *x = &m->graph_recvs;

	for (uint32_t i = x->at[graph]; i < x->at[graph + 1]; i++)
		if (m->job->xfers[x->ids[i]].phase == phase)
			add_input(m, n,
				  first_receive(m, graph) + i - x->at[graph]);
}

/*
 * What began a phase; with one past the last, what ended the last.  A phase
 * that only passes on what came needs that, and its own share to be there.
 */
static void add_began(struct mega *m, size_t *n, size_t graph, uint32_t phase)
{
	const struct na_coll *c = na_graph_coll(m->job, graph);
	uint32_t reduced = phase;

	/* The phases that reduce are the first ones. */
	while (reduced && !na_phase_reduces(c, reduced - 1))
		reduced--;
	add_input(m, n, reduced ? first_reduction(m, graph) + reduced - 1 : 0);
	if (phase > reduced)
		add_received(m, n, graph, phase - 1);
}

static void inputs_stat(struct mega *m, const struct mark *k)
{
	size_t n = 1;

	if (!na_grow(&m->inputs, &m->cap_inputs, 16, 1)) {
		m->plane.body.failed = true;
		return;
	}
	m->inputs[0] = '[';
	if (k->action == SEND) {
		add_began(m, &n, k->graph, m->job->xfers[k->item].phase);
	} else if (k->action == REDUCE) {
		uint32_t phase = k->index - first_reduction(m, k->graph);

		add_began(m, &n, k->graph, phase);
		add_received(m, &n, k->graph, phase);
	} else if (k->action == H2D) {
		add_began(m, &n, k->graph,
			  na_graph_coll(m->job, k->graph)->phases);
	}
	if (m->plane.body.failed)
		return;
	snprintf(m->inputs + n, 2, "]");
	na_stat_str(&m->plane, m->id.action_inputs, m->inputs);
}

static void collect(struct mega *m)
{
	const struct na_job *job = m->job;
	const struct na_writer *w = m->w;
	uint32_t d = m->dev_number;

	m->marks.n = 0;
	for (size_t g = d;
	     g < (size_t)job->n_steps * job->n_slots * job->n_devs;
	     g += job->n_devs) {
		const struct na_graph *x = &job->graphs[g];
		uint32_t graph = (uint32_t)g;

		add_action(m, D2H, x->d2h_start_ps, x->d2h_end_ps, graph, 0, 0);
		add_action(m, H2D, x->h2d_start_ps, x->h2d_end_ps, graph, 0,
			   num_actions(x) - 1);
	}
	for (uint32_t i = w->sent.at[d]; i < w->sent.at[d + 1]; i++) {
		const struct na_xfer *x = &job->xfers[w->sent.ids[i]];

		add_action(m, SEND, x->start_ps, x->acked_ps, x->src_graph,
			   w->sent.ids[i], 1 + m->sends[x->src_graph]++);
	}
	for (uint32_t i = w->received.at[d]; i < w->received.at[d + 1]; i++) {
		const struct na_xfer *x = &job->xfers[w->received.ids[i]];

		add_action(m, RECEIVE, job->graphs[x->dst_graph].start_ps,
			   x->end_ps, x->dst_graph, w->received.ids[i],
			   first_receive(m, x->dst_graph) +
				   m->recvs[x->dst_graph]++);
	}
	for (uint32_t i = w->reduced.at[d]; i < w->reduced.at[d + 1]; i++) {
		const struct na_reduce *r = &job->reduces[w->reduced.ids[i]];

		add_action(m, REDUCE, r->start_ps, r->end_ps, r->graph,
			   w->reduced.ids[i],
			   first_reduction(m, r->graph) +
				   m->reduces[r->graph]++);
	}
	add_extras(m);
	na_sort(m->marks.v, m->marks.n, by_time);
}

/* ---- events */

static void write_graphs(struct mega *m)
{
	struct na_plane *p = &m->plane;
	const struct na_job *job = m->job;
	const struct ids *id = &m->id;

	for (size_t g = m->dev_number;
	     g < (size_t)job->n_steps * job->n_slots * job->n_devs;
	     g += job->n_devs) {
		const struct na_graph *x = &job->graphs[g];
		const struct na_coll *c = na_graph_coll(m->job, g);
		char name[96];
		int64_t slack_us = c->small_slack
					   ? 2
					   : job->cfg->step_ps / job->n_slots /
						     NA_PS_PER_US;

		snprintf(name, sizeof(name), "device_%" PRId64 "_gid_%s",
			 na_dev_id(m->dev), c->name);
		na_plane_event(p, na_plane_name(p, name),
			       na_host_time(job, m->w->host, x->start_ps),
			       x->end_ps - x->start_ps);
		na_stat_str(p, id->graph_key, graph_key(m, g));
		if (!na_job_without(job, NA_WITHOUT_LOCAL_IDS))
			na_stat_int(p, id->local_device_id, m->dev->local);
		na_stat_int(p, id->num_actions, num_actions(x));
		na_stat_ref(p, id->collective_type, na_coll_type(c->kind));
		na_stat_int(p, id->input_size, (int64_t)c->bytes);
		na_stat_int(p, id->send_channel_id, c->channel);
		na_stat_int(p, id->recv_channel_id, c->channel + 1);
		na_stat_int(p, id->slack_us, slack_us);
		na_stat_int(p, id->launch_id,
			    FIRST_LAUNCH + (int64_t)na_graph_step(job, g));
		na_stat_int(p, id->loop_iteration, slot_of(m, g)->iteration);
		na_stat_int(p, id->transmission_budget_us, slack_us * 3 / 4);
		na_stat_int(p, id->delay_budget_us, slack_us / 4);
		na_stat_ref(p, id->hlo_module, NA_MODULE_NAME);
		na_plane_event_end(p);
		m->w->trace.truth->graph.graphs++;
	}
}

static void common_stats(struct mega *m, const struct mark *k,
			 enum action action)
{
	/* clang-format off */
	static const char *const types[] = {
		"DEVICE_TO_HOST", "NETWORK_SEND", "NETWORK_RECEIVE",
		"COMPUTE", "HOST_TO_DEVICE"
	};
	/* clang-format on */
	struct na_plane *p = &m->plane;
	const struct ids *id = &m->id;

	na_stat_str(p, id->graph_key, graph_key(m, k->graph));
	if (!na_job_without(m->job, NA_WITHOUT_LOCAL_IDS))
		na_stat_int(p, id->local_device_id, m->dev->local);
	na_stat_ref(p, id->action_type, types[action]);
	na_stat_ref(p, id->start_end_type, k->is_end ? "END" : "START");
	na_stat_int(p, id->action_index, k->index);
	na_stat_int(p, id->launch_id,
		    FIRST_LAUNCH + (int64_t)na_graph_step(m->job, k->graph));
	na_stat_int(p, id->loop_iteration, slot_of(m, k->graph)->iteration);
	if (k->is_end)
		na_stat_int(p, id->action_duration_ns,
			    k->dur_ps / NA_PS_PER_NS);
}

static void buffer_sizes(const struct mega *m, const struct na_xfer *x,
			 char *buf, size_t size)
{
	size_t n = 0;

	for (uint32_t e = 0; e < x->entries && n < size; e++)
		n += (size_t)snprintf(buf + n, size - n,
				      "%ss%" PRId64 "->%" PRId64 "d|$c%" PRIu32
				      "=%" PRIu64,
				      e ? "," : "",
				      na_dev_id(&m->job->devs[x->src_dev]),
				      na_dev_id(&m->job->devs[x->dst_dev]),
				      x->chunk + e, x->bytes / x->entries);
}

static void transfer_stats(struct mega *m, const struct na_xfer *x)
{
	struct na_plane *p = &m->plane;
	char text[160];
	int64_t src = na_dev_id(&m->job->devs[x->src_dev]);
	int64_t dst = na_dev_id(&m->job->devs[x->dst_dev]);

	buffer_sizes(m, x, text, sizeof(text));
	na_stat_str(p, m->id.buffer_sizes, text);
	na_stat_int(p, m->id.transfer_source, src);
	snprintf(text, sizeof(text), "%" PRId64, dst);
	na_stat_str(p, m->id.transfer_destinations, text);
	na_stat_int(p, m->id.chunk, x->chunk);
	na_stat_int(p, m->id.dcn_topology_level, 0);
}

static void receive_stats(struct mega *m, const struct mark *k)
{
	const struct na_xfer *x = &m->job->xfers[k->item];
	struct na_truth_host *t = m->w->trace.truth;
	int64_t us = na_seen_latency_us(m->job, x);

	transfer_stats(m, x);
	na_stat_uint(&m->plane, m->id.latency_us, (uint64_t)us);
	na_stat_int(&m->plane, m->id.activation_us, k->dur_ps / NA_PS_PER_US);
	na_truth_rx(&t->graph, us ? NA_RX_VALID : NA_RX_SKEW,
		    x->end_ps + t->ahead_ns * NA_PS_PER_NS, us,
		    x->bytes / x->entries * x->entries, x->entries);
}

static void send_stats(struct mega *m, const struct mark *k)
{
	const struct na_xfer *x = &m->job->xfers[k->item];
	struct na_truth_host *t = m->w->trace.truth;
	int64_t ahead = t->ahead_ns * NA_PS_PER_NS;

	transfer_stats(m, x);
	t->tails += x->tail;
	na_truth_tx(&t->graph, x->start_ps + ahead, x->acked_ps + ahead,
		    x->bytes / x->entries * x->entries, x->entries);
}

static void extra_stats(struct mega *m, const struct mark *k)
{
	struct na_plane *p = &m->plane;
	struct na_truth_host *t = m->w->trace.truth;
	int64_t self = na_dev_id(m->dev);
	char text[96];

	if (k->item == NA_FAULT_BAD_KEY)
		snprintf(text, sizeof(text), "s?->%" PRId64 "d|$c0", self);
	else
		snprintf(text, sizeof(text),
			 "s%" PRId64 "->%" PRId64 "d|$c0=4096",
			 k->item == NA_FAULT_LOOPBACK
				 ? self
				 : (self + 100000) %
					   (m->job->n_slices * INT64_C(100000)),
			 self);
	na_stat_str(p, m->id.buffer_sizes, text);
	if (k->item != NA_FAULT_NO_LATENCY)
		na_stat_uint(p, m->id.latency_us, 30);
	na_truth_rx(&t->graph,
		    k->item == NA_FAULT_BAD_KEY    ? NA_RX_BAD
		    : k->item == NA_FAULT_LOOPBACK ? NA_RX_LOOPBACK
						   : NA_RX_NO_LATENCY,
		    0, 0, 4096, 1);
}

static void write_mark(struct mega *m, const struct mark *k, int64_t *shown_ps)
{
	struct na_truth_net *t = &m->w->trace.truth->graph;
	enum action action = k->action == EXTRA ? RECEIVE
						: (enum action)k->action;
	int64_t at = na_host_time(m->job, m->w->host, k->at_ps);
	int64_t from = at - k->dur_ps;

	if (from < *shown_ps)
		from = *shown_ps;
	if (from > at)
		from = at;
	na_plane_event(&m->plane,
		       k->is_end ? m->id.ends[action] : m->id.starts[action],
		       from, at - from);
	*shown_ps = at;
	common_stats(m, k, action);
	if (k->is_end && !na_job_without(m->job, NA_WITHOUT_INPUTS))
		inputs_stat(m, k);
	if (k->action == EXTRA)
		extra_stats(m, k);
	else if (k->is_end && action == RECEIVE)
		receive_stats(m, k);
	else if (k->is_end && action == SEND)
		send_stats(m, k);
	else if (k->is_end && action == REDUCE)
		na_stat_ref(&m->plane, m->id.compute_operation, "SUM");
	na_plane_event_end(&m->plane);
	t->d2h += k->is_end && action == D2H;
	t->h2d += k->is_end && action == H2D;
	t->compute += k->is_end && action == REDUCE;
}

static void write_device(struct mega *m)
{
	char name[48];
	int64_t shown_ps = 0;

	snprintf(name, sizeof(name), "device_%" PRId64 " graphs",
		 na_dev_id(m->dev));
	na_plane_line(&m->plane, 1 + 2 * (int64_t)m->dev->local, name, LINE_NS);
	write_graphs(m);
	na_plane_line_end(&m->plane);
	collect(m);
	snprintf(name, sizeof(name), "device_%" PRId64 " actions",
		 na_dev_id(m->dev));
	na_plane_line(&m->plane, 2 + 2 * (int64_t)m->dev->local, name, LINE_NS);
	for (size_t i = 0; i < m->marks.n; i++)
		write_mark(m, &m->marks.v[i], &shown_ps);
	na_plane_line_end(&m->plane);
}

static uint32_t receiver_of(const void *of, size_t i)
{
	return ((const struct na_job *)of)->xfers[i].dst_graph;
}

enum na_status na_write_megascale(struct na_writer *w, struct na_err *err)
{
	struct mega m = {.w = w, .job = w->job};
	uint32_t per_host = (uint32_t)w->job->cfg->devices;
	size_t n = (size_t)w->job->n_steps * w->job->n_slots * w->job->n_devs;
	enum na_status st;

	m.sends = na_calloc(n, sizeof(*m.sends));
	m.recvs = na_calloc(n, sizeof(*m.recvs));
	m.reduces = na_calloc(n, sizeof(*m.reduces));
	na_plane_start(&m.plane, &w->trace, 300,
		       "/device:CUSTOM:Megascale Trace");
	if (!m.sends || !m.recvs || !m.reduces ||
	    na_index_build(&m.graph_recvs, w->job, w->job->n_xfers, n,
			   receiver_of, err))
		m.plane.body.failed = true;
	else
		name_all(&m);
	for (uint32_t i = 0; i < per_host && !m.plane.body.failed; i++) {
		m.dev_number = w->host * per_host + i;
		m.dev = &w->job->devs[m.dev_number];
		write_device(&m);
	}
	st = na_plane_finish(&m.plane, err);
	na_index_fini(&m.graph_recvs);
	free(m.inputs);
	free(m.sends);
	free(m.recvs);
	free(m.reduces);
	na_vec_free(&m.marks);
	return st;
}
