/* The plane of action graphs: each collective's execution on a device, and
 * START and END of each of its actions, by time. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/accuracy/sync/session.h"

enum { TEXT = 256, LAUNCH_ID = 4001, SHOWN_NS = 1000 };

enum mark_type {
	M_GRAPH,
	M_OUT, /* DeviceToHost */
	M_SEND,
	M_RECEIVE,
	M_COMPUTE,
	M_IN /* HostToDevice */
};

struct mark {         /* an event of the plane */
	int64_t at;   /* true time of START, END, or the graph's start */
	size_t which; /* transfer or graph */
	enum mark_type type;
	bool end;
};

struct marks {
	NA_VEC(struct mark) list;
	bool ok;
};

static void mark(struct marks *m, enum mark_type type, size_t which,
		 int64_t from, int64_t to)
{
	m->ok = m->ok &&
		na_add(&m->list, ((struct mark){from, which, type, false})) &&
		na_add(&m->list, ((struct mark){to, which, type, true}));
}

static int by_time(const void *x, const void *y)
{
	const struct mark *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->end != b->end)
		return a->end ? 1 : -1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return a->which < b->which ? -1 : a->which > b->which;
}

struct writing {
	const struct sy_run *r;
	struct sy_plane *out;
	uint32_t host;
	const struct sy_share *share;
};

/* ---- which events */

static size_t graph_index(const struct sy_run *r, const struct sy_graph *g)
{
	return (size_t)(g - r->graphs);
}

static bool collect(const struct writing *w, struct marks *m)
{
	const struct sy_run *r = w->r;
	const struct sy_plan *p = r->plan;

	for (uint32_t s = 0; s < p->n_steps; s++)
		for (uint32_t i = 0; i < p->n_collectives * p->n_devices; i++) {
			const struct sy_graph *g =
				sy_graph_of(r, s, i / p->n_devices, w->host,
					    i % p->n_devices);
			size_t which = graph_index(r, g);

			mark(m, M_GRAPH, which, g->launch, g->end);
			mark(m, M_OUT, which, g->launch, g->copied_out);
			mark(m, M_IN, which, g->copy_in, g->copied_in);
		}
	for (size_t i = 0; i < w->share->n_sent; i++) {
		const struct sy_transfer *t = &r->transfers[w->share->sent[i]];

		mark(m, M_SEND, w->share->sent[i], t->begin, sy_send_end(p, t));
	}
	for (size_t i = 0; i < w->share->n_got; i++) {
		const struct sy_transfer *t = &r->transfers[w->share->got[i]];

		mark(m, M_RECEIVE, w->share->got[i], t->posted, t->taken);
		if (t->reduced)
			mark(m, M_COMPUTE, w->share->got[i], t->taken,
			     t->reduced);
	}
	return m->ok;
}

/* ---- how they look */

static const char *action_name(enum mark_type type)
{
	static const char *const names[] = {
		"",        "DeviceToHost", "NetworkSend", "NetworkReceive",
		"Compute", "HostToDevice"};

	return names[type];
}

struct where { /* whose graph, of which step */
	uint32_t step, collective, device;
};

static struct where where(const struct writing *w, const struct mark *m)
{
	const struct sy_plan *p = w->r->plan;
	size_t i = m->which;

	if (m->type == M_SEND || m->type == M_RECEIVE || m->type == M_COMPUTE)
		return (struct where){w->r->transfers[i].step,
				      w->r->transfers[i].collective,
				      w->r->transfers[i].device};
	return (struct where){
		(uint32_t)(i / p->n_devices / p->n_hosts / p->n_collectives),
		(uint32_t)(i / p->n_devices / p->n_hosts % p->n_collectives),
		(uint32_t)(i % p->n_devices)};
}

static void key(const struct writing *w, const struct where *at, bool whole,
		char text[TEXT])
{
	const struct sy_plan *p = w->r->plan;
	char name[SY_NAME];

	sy_collective_name(p, at->collective, name);
	if (whole)
		snprintf(text, TEXT, "device_%u_gid_%s$l%u^i0",
			 sy_device_id(p, w->host, at->device), name,
			 LAUNCH_ID + at->step);
	else
		snprintf(text, TEXT, "device_%u_gid_%s",
			 sy_device_id(p, w->host, at->device), name);
}

static void shared(const struct writing *w, const struct where *at)
{
	char text[TEXT];

	key(w, at, true, text);
	sy_plane_ref(w->out, "graph_key", text);
	sy_plane_int(w->out, "local_device_id", at->device);
	sy_plane_int(w->out, "launch_id", LAUNCH_ID + (int64_t)at->step);
}

static void graph_event(const struct writing *w, const struct mark *m,
			const struct where *at)
{
	const struct sy_plan *p = w->r->plan;
	const struct sy_graph *g = &w->r->graphs[m->which];
	const struct sy_collective *c = &p->collectives[at->collective];
	int64_t from = sy_stamp(p, w->host, g->launch);
	char text[TEXT];

	key(w, at, false, text);
	sy_plane_event(w->out, sy_plane_plain(w->out, text), from,
		       sy_stamp(p, w->host, g->end) - from);
	shared(w, at);
	sy_plane_int(w->out, "input_size", sy_result_bytes(c));
	sy_plane_ref(w->out, "collective_type", sy_type_name(c->pattern));
	sy_plane_int(w->out, "send_channel_id", at->collective + 1);
	sy_plane_int(w->out, "recv_channel_id", at->collective + 1);
	sy_plane_event_end(w->out);
}

static void of_transfer(const struct writing *w, const struct mark *m)
{
	const struct sy_plan *p = w->r->plan;
	const struct sy_transfer *t = &w->r->transfers[m->which];
	uint32_t src = sy_device_id(p, t->src, t->device);
	uint32_t dst = sy_device_id(p, t->dst, t->device);
	char text[TEXT];

	if (m->type == M_COMPUTE) {
		sy_plane_ref(w->out, "compute_operation", "SUM");
		return;
	}
	snprintf(text, sizeof(text), "s%u->%ud|$c%u=%lld", src, dst, t->phase,
		 (long long)t->bytes);
	sy_plane_ref(w->out, "buffer_sizes", text);
	sy_plane_int(w->out, "transfer_source", src);
	sy_plane_int(w->out, "transfer_destinations", dst);
	if (m->type == M_RECEIVE && m->end) {
		sy_plane_uint(w->out, "network_transport_latency_us",
			      sy_latency_us(w->r, t));
		sy_plane_int(w->out,
			     "activation_to_network_receive_duration_us",
			     (t->taken - t->posted) / 1000);
	}
}

static int64_t begin_of(const struct writing *w, const struct mark *m)
{
	const struct sy_transfer *t = &w->r->transfers[m->which];
	const struct sy_graph *g = &w->r->graphs[m->which];

	return m->type == M_OUT       ? g->launch
	       : m->type == M_IN      ? g->copy_in
	       : m->type == M_SEND    ? t->begin
	       : m->type == M_RECEIVE ? t->posted
				      : t->taken;
}

/* An END is shown as a short event that ends when the action did. */
static void action_event(const struct writing *w, const struct mark *m,
			 const struct where *at)
{
	const struct sy_plan *p = w->r->plan;
	int64_t end = sy_stamp(p, w->host, m->at), shown = 0;
	int64_t took = end - sy_stamp(p, w->host, begin_of(w, m));
	char text[TEXT];

	if (m->end)
		shown = took < SHOWN_NS ? took : SHOWN_NS;
	snprintf(text, sizeof(text), "%s %s", action_name(m->type),
		 m->end ? "END" : "START");
	sy_plane_event(w->out, sy_plane_plain(w->out, text), end - shown,
		       shown);
	shared(w, at);
	sy_plane_ref(w->out, "action_type", action_name(m->type));
	sy_plane_ref(w->out, "start_end_type", m->end ? "END" : "START");
	sy_plane_int(w->out, "action_index",
		     m->type == M_OUT || m->type == M_IN
			     ? 0
			     : w->r->transfers[m->which].move);
	if (m->end)
		sy_plane_int(w->out, "action_duration_ns", took);
	if (m->type != M_OUT && m->type != M_IN)
		of_transfer(w, m);
	sy_plane_event_end(w->out);
}

bool sy_write_actions(const struct sy_run *r, uint32_t host,
		      struct sy_plane *out)
{
	struct sy_share share;
	struct writing w = {r, out, host, &share};
	struct marks m = {.ok = true};
	bool ok = sy_share_make(r, host, &share) && collect(&w, &m);

	if (ok) {
		qsort(m.list.v, m.list.n, sizeof(*m.list.v), by_time);
		sy_plane_line(out, 1, "Megascale",
			      sy_stamp(r->plan, host, m.list.v[0].at));
	}
	for (size_t i = 0; ok && i < m.list.n; i++) {
		struct where at = where(&w, &m.list.v[i]);

		if (m.list.v[i].type != M_GRAPH)
			action_event(&w, &m.list.v[i], &at);
		else if (!m.list.v[i].end)
			graph_event(&w, &m.list.v[i], &at);
	}
	if (ok)
		sy_plane_line_end(out);
	na_vec_free(&m.list);
	sy_share_fini(&share);
	return ok;
}
