/*
 * What a transfer should have taken, given what went through its ports
 * during its life: base + bytes through the busier port / the port's rate.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/wire/state.h"
#include "netan/stats/tests/robust.h"

#define LEAST_BASE_US 10.0
#define AT_FULL_RATE  0.95 /* quantile over a host's transfers */
#define EMPTY         0.1  /* quantile: hardly anything besides */

/* A transfer begins, moves, and ends. */
enum { BEGINS, MOVES, ENDS, KINDS };

struct moment {
	double at_us;
	uint32_t row;
};

NA_ORDER(by_time, struct moment, NA_UP(at_us), NA_UP(row))

struct wi_ports {
	struct wi *w;
	uint32_t *rows[WI_SIDES][KINDS]; /* by port, then by that time */
	bool again;                      /* rows are in order of time */
	double middle_size; /* bytes: the median */
	struct moment *moments[KINDS]; /* of one port */
	double *before; /* by row: bytes through the port when it began */
	double *bytes;  /* by row: the result, the larger of both ports */
	float *own;     /* by row: this side's port */
};

/* Which comes next; at the same time what begins is before what ends. */
static int next_kind(const struct wi_ports *p, const size_t at[KINDS], size_t n)
{
	int kind = ENDS;

	for (int k = MOVES; k >= BEGINS; k--) {
		if (at[k] < n && p->moments[k][at[k]].at_us <=
					 p->moments[kind][at[kind]].at_us)
			kind = k;
	}
	return kind;
}

/* Each transfer spreads its bytes evenly over the time in which it moves. */
static void sweep(struct wi_ports *p, size_t n)
{
	double through = 0, rate = 0, last_us = n ? p->moments[0]->at_us : 0;
	size_t moving = 0, at[KINDS] = {0};

	/* Each begins and moves before it ends. */
	while (at[ENDS] < n) {
		int kind = next_kind(p, at, n);
		const struct moment *m = &p->moments[kind][at[kind]++];
		double bytes = (double)p->w->in->rows[m->row].size_bytes, r;

		through += rate * (m->at_us - last_us);
		last_us = m->at_us;
		if (kind == BEGINS) {
			p->before[m->row] = through;
		} else if (kind == MOVES) {
			r = bytes / (double)p->w->move_us[m->row];
			rate = moving++ ? rate + r : r;
		} else { /* nothing moves: no rounding is carried on */
			r = bytes / (double)p->w->move_us[m->row];
			rate = --moving ? rate - r : 0;
			r = fmax(bytes, through - p->before[m->row]);
			p->own[m->row] = (float)r;
			p->bytes[m->row] = fmax(p->bytes[m->row], r);
		}
	}
}

static double moment_of(const struct wi *w, uint32_t row, int kind)
{
	const struct na_wire_row *r = &w->in->rows[row];
	double end_us = r->start_us + r->took_us;

	return kind == BEGINS  ? r->start_us
	       : kind == MOVES ? end_us - (double)w->move_us[row]
			       : end_us;
}

/* In order of time; the rows, too, which are nearly so the next time. */
static void arrange(struct wi_ports *p, uint32_t *rows, size_t n, int kind)
{
	struct moment *m = p->moments[kind];

	for (size_t i = 0; i < n; i++)
		m[i] = (struct moment){moment_of(p->w, rows[i], kind), rows[i]};
	if (kind == BEGINS && p->again)
		return;
	na_sort(m, n, by_time);
	for (size_t i = 0; i < n; i++)
		rows[i] = m[i].row;
}

/* A port's: what began first is likely to move and to end first. */
static void line_up(struct wi_ports *p, enum wi_side side, size_t from,
		    size_t n)
{
	uint32_t *begins = p->rows[side][BEGINS] + from;

	arrange(p, begins, n, BEGINS);
	for (int kind = MOVES; kind < KINDS; kind++) {
		uint32_t *rows = p->rows[side][kind] + from;

		if (!p->again)
			memcpy(rows, begins, n * sizeof(*rows));
		arrange(p, rows, n, kind);
	}
}

static void sweep_ports(struct wi_ports *p, enum wi_side side)
{
	const uint32_t *host = p->w->host[side], *order = p->w->order[side];

	for (size_t i = 0, to; i < p->w->n; i = to) {
		for (to = i; to < p->w->n && host[order[to]] == host[order[i]];)
			to++;
		line_up(p, side, i, to - i);
		sweep(p, to - i);
	}
}

static void port_bytes(struct wi_ports *p)
{
	struct wi *w = p->w;

	for (size_t i = 0; i < w->n; i++)
		p->bytes[i] = (double)w->in->rows[i].size_bytes;
	for (int side = 0; side < WI_SIDES; side++) {
		p->own = w->port_bytes[side];
		sweep_ports(p, (enum wi_side)side);
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
static double full_rate(const struct wi_ports *p)
{
	struct wi *w = p->w;
	double *rates = w->room + w->n;
	size_t hosts = 0;

	for (size_t i = 0, to; i < w->n; i = to) {
		const uint32_t *order = w->order[WI_TX];
		size_t n = 0;

		for (to = i; to < w->n && w->host[WI_TX][order[to]] ==
						  w->host[WI_TX][order[i]];
		     to++) {
			const struct na_wire_row *r = &w->in->rows[order[to]];

			if ((double)r->size_bytes >= p->middle_size)
				w->room[n++] =
					p->bytes[order[to]] / r->took_us;
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

static bool open_ports(struct wi_ports *p)
{
	size_t n = p->w->n;
	bool ok = true;

	p->bytes = na_calloc(n, sizeof(*p->bytes));
	p->before = na_calloc(n, sizeof(*p->before));
	for (int kind = 0; kind < KINDS; kind++) {
		p->moments[kind] = na_calloc(n, sizeof(struct moment));
		ok &= p->moments[kind] != NULL;
		for (int side = 0; side < WI_SIDES; side++) {
			uint32_t *rows = na_calloc(n, sizeof(*rows));

			p->rows[side][kind] = rows;
			ok &= rows != NULL;
			if (rows && kind == BEGINS)
				memcpy(rows, p->w->order[side],
				       n * sizeof(*rows));
		}
	}
	p->middle_size = middle_size(p->w);
	return ok && p->bytes && p->before;
}

void wi_fluid_fini(struct wi *w)
{
	struct wi_ports *p = w->ports;

	for (int kind = 0; p && kind < KINDS; kind++) {
		free(p->moments[kind]);
		for (int side = 0; side < WI_SIDES; side++)
			free(p->rows[side][kind]);
	}
	if (p) {
		free(p->bytes);
		free(p->before);
	}
	free(p);
	w->ports = NULL;
}

static bool have_ports(struct wi *w)
{
	if (w->ports)
		return true;
	w->ports = na_calloc(1, sizeof(*w->ports));
	if (!w->ports)
		return false;
	w->ports->w = w;
	return open_ports(w->ports);
}

static bool queue_up(struct wi_ports *p)
{
	struct wi *w = p->w;

	for (size_t i = 0; i < w->n; i++)
		w->move_us[i] = (float)w->in->rows[i].took_us;
	/* The rate is not known before the queues, nor these before it. */
	for (int round = 0; round < 2; round++) {
		double rate;

		port_bytes(p);
		p->again = true;
		rate = full_rate(p);
		w->us_per_byte = rate > 0 ? 1 / rate : 0;
		if (!round && !wi_queue(w))
			return false;
	}
	return true;
}

bool wi_fluid(struct wi *w)
{
	bool ok = have_ports(w) && queue_up(w->ports);

	if (ok) {
		w->base_us = empty_time(w, w->ports->bytes);
		compare(w, w->ports->bytes);
	}
	if (!w->again)
		wi_fluid_fini(w);
	return ok;
}
