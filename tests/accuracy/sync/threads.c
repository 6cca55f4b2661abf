/* The host's threads: the training loop and its input; of older runtimes
 * also the messages of the network and the copies. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/accuracy/sync/session.h"

struct writing {
	const struct sy_run *r;
	struct sy_plane *out;
	uint32_t host;
};

static const struct sy_day *day_of(const struct writing *w, uint32_t step)
{
	return &w->r->days[(size_t)step * w->r->plan->n_hosts + w->host];
}

static void span(const struct writing *w, const char *name, int64_t from,
		 int64_t to)
{
	const struct sy_plan *p = w->r->plan;
	int64_t start = sy_stamp(p, w->host, from);

	sy_plane_event(w->out, sy_plane_plain(w->out, name), start,
		       sy_stamp(p, w->host, to) - start);
}

static void line(const struct writing *w, uint64_t id, const char *name)
{
	sy_plane_line(w->out, id, name,
		      sy_stamp(w->r->plan, w->host, day_of(w, 0)->input));
}

/* A late input is a long wait for the iterator. */
static void training_loop(const struct writing *w)
{
	line(w, 101, "python3");
	for (uint32_t s = 0; s < w->r->plan->n_steps; s++) {
		const struct sy_day *d = day_of(w, s);

		span(w, "train", d->input, d->end);
		sy_plane_int(w->out, "step_num", s);
		sy_plane_int(w->out, "_r", 1);
		sy_plane_event_end(w->out);
		span(w, "PjitFunction(train_step)", d->input_end,
		     d->compute_to[0]);
		sy_plane_event_end(w->out);
	}
	sy_plane_line_end(w->out);
	line(w, 102, "tf_data_iterator_get_next");
	for (uint32_t s = 0; s < w->r->plan->n_steps; s++) {
		const struct sy_day *d = day_of(w, s);

		span(w, "IteratorGetNextOp::DoCompute", d->input, d->input_end);
		sy_plane_int(w->out, "step_num", s);
		sy_plane_event_end(w->out);
	}
	sy_plane_line_end(w->out);
}

/* ---- old style */

struct message {
	int64_t at;
	size_t transfer;
	bool received;
};

static int by_time(const void *x, const void *y)
{
	const struct message *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->received != b->received)
		return a->received ? 1 : -1;
	return a->transfer < b->transfer ? -1 : a->transfer > b->transfer;
}

static void endpoints(const struct writing *w, const struct sy_transfer *t)
{
	const struct sy_plan *p = w->r->plan;
	char name[SY_NAME];

	sy_collective_name(p, t->collective, name);
	sy_plane_ref(w->out, "dcn_label", name);
	sy_plane_int(w->out, "dcn_source_slice_id", sy_slice(p, t->src));
	sy_plane_int(w->out, "dcn_source_per_slice_device_id",
		     sy_device(p, t->src, t->device));
	sy_plane_int(w->out, "dcn_destination_slice_id", sy_slice(p, t->dst));
	sy_plane_int(w->out, "dcn_destination_per_slice_device_id",
		     sy_device(p, t->dst, t->device));
	sy_plane_int(w->out, "dcn_chunk", t->phase);
	sy_plane_int(w->out, "payload_size_bytes", t->bytes);
}

/* The event of a message is an instant, at its end. */
static void message(const struct writing *w, const struct message *m)
{
	const struct sy_plan *p = w->r->plan;
	const struct sy_transfer *t = &w->r->transfers[m->transfer];

	span(w,
	     m->received ? "MegaScale: Communication Transport Receive"
			 : "MegaScale: Communication Transport Send",
	     m->at, m->at);
	endpoints(w, t);
	if (m->received)
		sy_plane_int(w->out, "duration_us",
			     (int64_t)sy_latency_us(w->r, t));
	else
		sy_plane_int(w->out, "duration_us",
			     (sy_send_end(p, t) - t->begin) / 1000);
	sy_plane_event_end(w->out);
}

static bool messages(const struct writing *w)
{
	const struct sy_plan *p = w->r->plan;
	struct sy_share s;
	struct message *all = NULL;
	bool ok = sy_share_make(w->r, w->host, &s);
	size_t n = ok ? s.n_sent + s.n_got : 0;

	all = ok ? na_calloc(n, sizeof(*all)) : NULL;
	ok = all != NULL;
	for (size_t i = 0; ok && i < n; i++) {
		bool received = i >= s.n_sent;
		size_t which = received ? s.got[i - s.n_sent] : s.sent[i];
		const struct sy_transfer *t = &w->r->transfers[which];

		all[i] = (struct message){!received          ? sy_send_end(p, t)
					  : p->latency_waits ? t->taken
							     : t->arrival,
					  which, received};
	}
	if (ok) {
		qsort(all, n, sizeof(*all), by_time);
		line(w, 201, "MegascaleEM2_Worker_0");
		for (size_t i = 0; i < n; i++)
			message(w, &all[i]);
		sy_plane_line_end(w->out);
	}
	free(all);
	sy_share_fini(&s);
	return ok;
}

static void copy(const struct writing *w, const char *name, int64_t at)
{
	span(w, name, at, at);
	sy_plane_event_end(w->out);
}

static void copies(const struct writing *w)
{
	const struct sy_plan *p = w->r->plan;

	line(w, 202, "MegascaleEM2_Worker_1");
	for (uint32_t s = 0; s < p->n_steps; s++)
		for (uint32_t i = 0; i < p->n_collectives * p->n_devices; i++) {
			const struct sy_graph *g =
				sy_graph_of(w->r, s, i / p->n_devices, w->host,
					    i % p->n_devices);

			copy(w, "MegaScale: Device to Host Action", g->launch);
			copy(w, "MegaScale: Device to Host Transfer Finished",
			     g->copied_out);
			copy(w, "MegaScale: Host to Device Action", g->copy_in);
			copy(w, "MegaScale: Host to Device Transfer Finished",
			     g->copied_in);
		}
	sy_plane_line_end(w->out);
}

bool sy_write_threads(const struct sy_run *r, uint32_t host,
		      struct sy_plane *out)
{
	struct writing w = {r, out, host};

	training_loop(&w);
	if (!r->plan->old_style)
		return true;
	copies(&w);
	return messages(&w);
}
