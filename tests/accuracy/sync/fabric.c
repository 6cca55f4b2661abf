/*
 * Segments on links.  A link serves what arrives in its order; the time of a
 * segment is its bytes over the link's rate, plus a NIC's fixed work.  Load
 * of others takes a share of a link for spans of one length.  A sender keeps
 * a window of bytes on their way, halved by a loss.
 * A lost segment is sent again after about two round trips if others behind
 * it tell of the loss, else when the timer ends.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/draw.h"
#include "tests/accuracy/sync/engine.h"

enum { ATTEMPT_SHIFT = 26, SEGMENT_MASK = (1 << ATTEMPT_SHIFT) - 1 };

static struct sy_link link_of(double gbps, int64_t segment_ns, double load,
			      uint32_t id)
{
	return (struct sy_link){.ns_per_byte = 8 / gbps,
				.segment_ns = segment_ns,
				.load = load,
				.id = id};
}

bool sy_fabric_init(struct sy_engine *e)
{
	const struct sy_plan *p = e->plan;
	size_t n = (size_t)p->n_hosts * p->n_hosts * p->n_devices;
	uint32_t id = 0;

	for (uint32_t h = 0; h < p->n_hosts; h++) {
		e->tx[h] = link_of(p->nic_gbps, p->segment_ns, p->nic_load,
				   id++);
		e->rx[h] = link_of(p->nic_gbps, p->segment_ns, p->nic_load,
				   id++);
	}
	for (uint32_t r = 0; r < p->n_racks; r++)
		for (uint32_t s = 0; s < p->n_spines; s++) {
			e->up[r][s] = link_of(p->link_gbps, 0, p->load, id++);
			e->down[r][s] = link_of(p->link_gbps, 0, p->load, id++);
		}
	for (uint32_t i = 0; i < p->n_faults; i++)
		e->path[i] = link_of(p->faults[i].spine == SY_ANY
					     ? p->link_gbps * p->n_spines
					     : p->link_gbps,
				     0, 0, id++);
	e->losses = p->loss > 0 || p->buffer_ns > 0;
	for (uint32_t i = 0; i < p->n_faults; i++)
		e->losses = e->losses || p->faults[i].how == SY_LOSS;
	e->connections = na_calloc(n, sizeof(*e->connections));
	e->after = na_calloc(e->run->n_transfers, sizeof(*e->after));
	if (!e->connections || !e->after)
		return false;
	for (size_t i = 0; i < n; i++)
		e->connections[i] =
			(struct sy_connection){.window =
						       (double)p->window_bytes,
					       .head = SY_NONE,
					       .tail = SY_NONE,
					       .deliver = SY_NONE};
	return true;
}

static struct sy_connection *connection_of(struct sy_engine *e,
					   const struct sy_transfer *t)
{
	const struct sy_plan *p = e->plan;

	return &e->connections[((size_t)t->src * p->n_hosts + t->dst) *
				       p->n_devices +
			       t->device];
}

static int64_t bytes_of(const struct sy_engine *e, const struct sy_transfer *t,
			uint32_t segment)
{
	int64_t left = t->bytes - (int64_t)segment * e->plan->segment_bytes;

	return left < e->plan->segment_bytes ? left : e->plan->segment_bytes;
}

/* ---- faults */

static bool on(const struct sy_engine *e, uint32_t fault)
{
	const struct sy_fault *f = &e->plan->faults[fault];

	return (e->run->faults >> fault & 1) &&
	       (f->window_ns == 0 ||
		sy_draw(e->plan, SY_D_FAULT_ON, fault,
			(uint64_t)(e->now / f->window_ns)) < f->on_share);
}

/* Which link of a transfer's way. */
static bool sits(const struct sy_fault *f, const struct sy_transfer *t,
		 const struct sy_plan *p, enum sy_event_type at)
{
	bool right = at == SY_E_SEND ? f->place == SY_SRC || f->place == SY_HOST
		     : at == SY_E_RX ? f->place == SY_DST || f->place == SY_HOST
		     : at == SY_E_UP ? f->place == SY_UPLINK
		     : at == SY_E_DOWN ? f->place == SY_DOWNLINK
		     : at == SY_E_PATH ? f->place == SY_PATH
				       : false;

	if (!right)
		return false;
	if (at == SY_E_SEND)
		return f->host == t->src;
	if (at == SY_E_RX)
		return f->host == t->dst;
	return sy_passes(f, p, t);
}

bool sy_passes(const struct sy_fault *f, const struct sy_plan *p,
	       const struct sy_transfer *t)
{
	uint32_t from = p->rack_of[t->src], to = p->rack_of[t->dst];

	switch (f->place) {
	case SY_SRC:
		return f->host == t->src;
	case SY_DST:
		return f->host == t->dst;
	case SY_HOST:
		return f->host == t->src || f->host == t->dst;
	case SY_UPLINK:
	case SY_DOWNLINK:
		return from != to &&
		       f->rack == (f->place == SY_UPLINK ? from : to) &&
		       (f->spine == SY_ANY || f->spine == t->spine);
	case SY_PATH:
	case SY_PLACES:
		break;
	}
	return f->rack == from && f->toward == to &&
	       (f->spine == SY_ANY || f->spine == t->spine);
}

/* ---- links */

/* Serves a segment and says when it leaves. */
static int64_t serve(struct sy_engine *e, struct sy_link *l,
		     const struct sy_transfer *t, int64_t bytes,
		     enum sy_event_type at)
{
	const struct sy_plan *p = e->plan;
	double moving = (double)bytes * l->ns_per_byte;
	double fixed = (double)l->segment_ns;
	double u;

	for (uint32_t i = 0; i < p->n_faults; i++) {
		const struct sy_fault *f = &p->faults[i];

		if (f->how == SY_LOSS || !sits(f, t, p, at) || !on(e, i))
			continue;
		moving *= f->factor;
		if (f->how == SY_SERVICE)
			fixed *= f->factor;
	}
	u = sy_draw(p, SY_D_LOAD, l->id, (uint64_t)(e->now / p->load_ns));
	/* Mostly little, at times much: the square of a uniform has a mean
	 * of one third. */
	u = 3 * l->load * u * u;
	moving /= 1 - (u < 0.9 ? u : 0.9);
	if (l->free < e->now)
		l->free = e->now;
	l->free += (int64_t)(moving + fixed);
	return l->free;
}

/* ---- loss */

static void lose(struct sy_engine *e, uint32_t transfer, uint32_t b,
		 uint32_t cause)
{
	const struct sy_plan *p = e->plan;
	struct sy_transfer *t = &e->run->transfers[transfer];
	uint32_t segment = b & SEGMENT_MASK, attempt = b >> ATTEMPT_SHIFT;
	int64_t delay = 2 * (p->ack_ns + 4 * p->hop_ns) + 50000;
	struct sy_connection *c = connection_of(e, t);

	if (attempt > 0 || segment + 3 >= t->n_segments ||
	    sy_draw(p, SY_D_FAST, transfer, segment) < 0.15) {
		delay = p->timer_ns << (attempt < 3 ? attempt : 3);
		t->timeouts++;
		if (cause < SY_FAULTS)
			t->caused[cause]++;
	}
	c->window = c->window / 2;
	if (c->window < (double)p->segment_bytes)
		c->window = (double)p->segment_bytes;
	if (attempt < 30)
		b += UINT32_C(1) << ATTEMPT_SHIFT;
	sy_push(e, e->now + delay, SY_E_SEND, transfer, b);
}

/* A segment that a fault, chance or a full buffer takes away here. */
static bool lost(struct sy_engine *e, const struct sy_link *l,
		 uint32_t transfer, uint32_t b, enum sy_event_type at)
{
	const struct sy_plan *p = e->plan;
	const struct sy_transfer *t = &e->run->transfers[transfer];
	uint64_t which = (uint64_t)transfer << 32 | b;
	double u;

	if (!e->losses)
		return false;
	u = sy_draw(p, SY_D_LOSS, which, (uint64_t)at);

	for (uint32_t i = 0; i < p->n_faults; i++) {
		const struct sy_fault *f = &p->faults[i];

		if (f->how == SY_LOSS && sits(f, t, p, at) && on(e, i) &&
		    u < f->loss) {
			lose(e, transfer, b, i);
			return true;
		}
	}
	if ((at == SY_E_RX && u > 1 - p->loss) ||
	    (p->buffer_ns > 0 && l->free - e->now > p->buffer_ns &&
	     sy_draw(p, SY_D_OVERFLOW, which, (uint64_t)at) < 0.002)) {
		lose(e, transfer, b, SY_FAULTS);
		return true;
	}
	return false;
}

/* ---- the way of a segment */

/* Interrupts and threads of the receiver, which take no link's time. */
static int64_t noise(const struct sy_plan *p, uint32_t transfer,
		     uint32_t segment)
{
	double u = 1 - sy_draw(p, SY_D_NOISE, transfer, segment);

	return p->noise_ns > 0 ? (int64_t)(-log(u) * p->noise_ns) : 0;
}

static void forward(struct sy_engine *e, const struct sy_event *ev,
		    struct sy_link *l)
{
	struct sy_run *r = e->run;
	const struct sy_plan *p = e->plan;
	struct sy_transfer *t = &r->transfers[ev->a];
	uint32_t segment = ev->b & SEGMENT_MASK;
	enum sy_event_type next = SY_E_ARRIVED;
	int64_t out;

	if (ev->type != SY_E_SEND && lost(e, l, ev->a, ev->b, ev->type))
		return;
	out = serve(e, l, t, bytes_of(e, t, segment), ev->type);
	if (ev->type == SY_E_SEND) {
		if (out > t->left && ev->b >> ATTEMPT_SHIFT == 0)
			t->left = out;
		if (lost(e, l, ev->a, ev->b, ev->type))
			return;
		next = t->spine == SY_ANY ? SY_E_RX : SY_E_UP;
	} else if (ev->type == SY_E_UP) {
		next = SY_E_DOWN;
		for (uint32_t i = 0; i < p->n_faults; i++)
			if (p->faults[i].place == SY_PATH && on(e, i) &&
			    sy_passes(&p->faults[i], p, t))
				next = SY_E_PATH;
	} else if (ev->type == SY_E_PATH) {
		next = SY_E_DOWN;
	} else if (ev->type == SY_E_DOWN) {
		next = SY_E_RX;
	}
	if (next == SY_E_ARRIVED)
		out += noise(p, ev->a, segment);
	sy_push(e, out + p->hop_ns, next, ev->a, ev->b);
}

/* A path fault's own server, where one slow path is. */
static struct sy_link *path_of(struct sy_engine *e, const struct sy_transfer *t)
{
	for (uint32_t i = 0; i < e->plan->n_faults; i++)
		if (e->plan->faults[i].place == SY_PATH &&
		    sy_passes(&e->plan->faults[i], e->plan, t))
			return &e->path[i];
	return &e->path[0];
}

static void pump(struct sy_engine *e, struct sy_connection *c)
{
	while (c->head != SY_NONE) {
		struct sy_transfer *t = &e->run->transfers[c->head];
		int64_t bytes = bytes_of(e, t, t->next);

		if (c->inflight > 0 &&
		    (double)(c->inflight + bytes) > c->window)
			return;
		c->inflight += bytes;
		if (t->next == 0)
			t->sent = e->now;
		sy_push(e, e->now, SY_E_SEND, c->head, t->next++);
		if (t->next == t->n_segments)
			c->head = e->after[c->head];
	}
}

void sy_fabric_send(struct sy_engine *e, uint32_t transfer)
{
	struct sy_transfer *t = &e->run->transfers[transfer];
	struct sy_connection *c = connection_of(e, t);
	int64_t segment = e->plan->segment_bytes;

	t->begin = e->now;
	t->n_segments = (uint32_t)((t->bytes + segment - 1) / segment);
	e->after[transfer] = SY_NONE;
	if (c->tail != SY_NONE)
		e->after[c->tail] = transfer;
	c->tail = transfer;
	if (c->head == SY_NONE)
		c->head = transfer;
	if (c->deliver == SY_NONE)
		c->deliver = transfer;
	pump(e, c);
}

/* Bytes are handed over in the order in which they were sent. */
static void arrived(struct sy_engine *e, const struct sy_event *ev)
{
	struct sy_transfer *t = &e->run->transfers[ev->a];
	struct sy_connection *c = connection_of(e, t);

	t->arrived++;
	if (t->arrived == t->n_segments)
		t->landed = e->now;
	while (c->deliver != SY_NONE) {
		uint32_t first = c->deliver;
		struct sy_transfer *d = &e->run->transfers[first];

		if (d->arrived < d->n_segments)
			break;
		d->arrival = e->now;
		d->acked = e->now + e->plan->ack_ns;
		c->deliver = e->after[first];
		sy_job_arrived(e, first);
	}
	sy_push(e, e->now + e->plan->ack_ns, SY_E_ACK, ev->a, ev->b);
}

/* The window grows back by one segment in a round trip. */
static void acked(struct sy_engine *e, const struct sy_event *ev)
{
	const struct sy_plan *p = e->plan;
	struct sy_transfer *t = &e->run->transfers[ev->a];
	struct sy_connection *c = connection_of(e, t);
	int64_t bytes = bytes_of(e, t, ev->b & SEGMENT_MASK);

	c->inflight -= bytes;
	c->window += (double)bytes * (double)p->segment_bytes / c->window;
	if (c->window > (double)p->window_bytes)
		c->window = (double)p->window_bytes;
	pump(e, c);
}

void sy_fabric_event(struct sy_engine *e, const struct sy_event *ev)
{
	const struct sy_transfer *t = &e->run->transfers[ev->a];
	const uint32_t *rack = e->plan->rack_of;

	switch (ev->type) {
	case SY_E_SEND:
		forward(e, ev, &e->tx[t->src]);
		break;
	case SY_E_UP:
		forward(e, ev, &e->up[rack[t->src]][t->spine]);
		break;
	case SY_E_PATH:
		forward(e, ev, path_of(e, t));
		break;
	case SY_E_DOWN:
		forward(e, ev, &e->down[rack[t->dst]][t->spine]);
		break;
	case SY_E_RX:
		forward(e, ev, &e->rx[t->dst]);
		break;
	case SY_E_ARRIVED:
		arrived(e, ev);
		break;
	case SY_E_ACK:
		acked(e, ev);
		break;
	default:
		break;
	}
}
