/*
 * What a transfer should have taken, given what went through its ports
 * during its life: base + bytes through the busier port / the port's rate.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define LEAST_BASE_US 10.0
#define AT_FULL_RATE  0.95 /* quantile over a host's transfers */
#define EMPTY         0.1  /* quantile: hardly anything besides */

/* A transfer begins, moves, and ends. */
enum { BEGINS, MOVES, ENDS };

struct edge {
	double at_us;
	uint32_t row, what;
};

NA_ORDER(by_time, struct edge, NA_UP(at_us), NA_UP(what), NA_UP(row))

struct port {
	struct wi *w;
	struct edge *edges;
	double *before; /* by row: bytes through the port when it began */
	double *bytes;  /* by row: the result, the larger of both ports */
	float *own;     /* by row: this side's port */
};

/* Each transfer spreads its bytes evenly over the time in which it moves. */
static void sweep(struct port *p, size_t n)
{
	double through = 0, rate = 0, last_us = n ? p->edges[0].at_us : 0;
	size_t moving = 0;

	na_sort(p->edges, n, by_time);
	for (size_t i = 0; i < n; i++) {
		const struct edge *e = &p->edges[i];
		double r = (double)p->w->in->rows[e->row].size_bytes /
			   (double)p->w->move_us[e->row];

		through += rate * (e->at_us - last_us);
		last_us = e->at_us;
		if (e->what == BEGINS)
			p->before[e->row] = through;
		else if (e->what == MOVES)
			rate = moving++ ? rate + r : r;
		else /* nothing moves: no rounding is carried on */
			rate = --moving ? rate - r : 0;
		if (e->what != ENDS)
			continue;
		r = fmax((double)p->w->in->rows[e->row].size_bytes,
			 through - p->before[e->row]);
		p->own[e->row] = (float)r;
		p->bytes[e->row] = fmax(p->bytes[e->row], r);
	}
}

static size_t put_edges(struct port *p, size_t n, uint32_t row)
{
	const struct na_wire_row *r = &p->w->in->rows[row];
	double end_us = r->start_us + r->took_us;

	p->edges[n++] = (struct edge){r->start_us, row, BEGINS};
	p->edges[n++] = (struct edge){end_us - (double)p->w->move_us[row], row,
				      MOVES};
	p->edges[n++] = (struct edge){end_us, row, ENDS};
	return n;
}

static void sweep_ports(struct port *p, enum wi_side side)
{
	struct wi *w = p->w;
	const uint32_t *order = w->order[side], *host = w->host[side];

	for (size_t i = 0, to; i < w->n; i = to) {
		size_t n = 0;

		for (to = i; to < w->n && host[order[to]] == host[order[i]];
		     to++)
			n = put_edges(p, n, order[to]);
		sweep(p, n);
	}
}

static void port_bytes(struct wi *w, double *bytes, double *before,
		       struct edge *edges)
{
	struct port p = {w, edges, before, bytes, NULL};

	for (size_t i = 0; i < w->n; i++)
		bytes[i] = (double)w->in->rows[i].size_bytes;
	for (int side = 0; side < WI_SIDES; side++) {
		p.own = w->port_bytes[side];
		sweep_ports(&p, (enum wi_side)side);
	}
}

static double middle_size(struct wi *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->room[i] = (double)w->in->rows[i].size_bytes;
	return na_median(w->room, w->n);
}

/* The rate of a port that is full: of each host its fastest times, and of
 * hosts the median, so that a slow one does not count. */
static double full_rate(struct wi *w, const double *bytes)
{
	double large = middle_size(w);
	double *rates = w->room + w->n;
	size_t hosts = 0;

	for (size_t i = 0, to; i < w->n; i = to) {
		const uint32_t *order = w->order[WI_TX];
		size_t n = 0;

		for (to = i; to < w->n && w->host[WI_TX][order[to]] ==
						  w->host[WI_TX][order[i]];
		     to++) {
			const struct na_wire_row *r = &w->in->rows[order[to]];

			if ((double)r->size_bytes >= large)
				w->room[n++] = bytes[order[to]] / r->took_us;
		}
		if (n)
			rates[hosts++] = na_quantile(w->room, n, AT_FULL_RATE);
	}
	return na_median(rates, hosts);
}

static double empty_time(struct wi *w, const double *bytes)
{
	for (size_t i = 0; i < w->n; i++)
		w->room[i] = w->in->rows[i].took_us - bytes[i] * w->us_per_byte;
	return fmax(LEAST_BASE_US, na_quantile(w->room, w->n, EMPTY));
}

/* Of what it took, all but the wait in its own queue; what is queued goes out
 * right behind the one before it, without the way there and back. */
static double moving(const struct wi *w, size_t row)
{
	return fmin(w->in->rows[row].took_us,
		    (double)w->move_us[row] + w->base_us);
}

static void compare(struct wi *w, const double *bytes)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct na_wire_row *r = &w->in->rows[i];
		double alone = w->base_us +
			       (double)r->size_bytes * w->us_per_byte;
		double shared = w->base_us + bytes[i] * w->us_per_byte;

		w->expected_us[i] = (float)shared;
		w->raw[i] = (float)log(moving(w, i) / alone);
		w->fluid[i] = (float)log(r->took_us / shared);
	}
}

bool wi_fluid(struct wi *w)
{
	double *bytes = na_calloc(w->n, sizeof(*bytes));
	double *before = na_calloc(w->n, sizeof(*before));
	struct edge *edges = na_calloc(3 * w->n, sizeof(*edges));
	bool ok = bytes && before && edges;

	for (size_t i = 0; ok && i < w->n; i++)
		w->move_us[i] = (float)w->in->rows[i].took_us;
	/* The rate is not known before the queues, nor these before it. */
	for (int round = 0; ok && round < 2; round++) {
		double rate;

		port_bytes(w, bytes, before, edges);
		rate = full_rate(w, bytes);
		w->us_per_byte = rate > 0 ? 1 / rate : 0;
		ok = round || wi_queue(w);
	}
	if (ok) {
		w->base_us = empty_time(w, bytes);
		compare(w, bytes);
	}
	free(bytes);
	free(before);
	free(edges);
	return ok;
}
