/*
 * What passed the ports at both ends while a transfer lived ("Fluid"): its
 * own bytes, and those of others that shared the sender's or the receiver's
 * link.  Each transfer's bytes are spread evenly over its life.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* A life begins or ends. */
struct event {
	uint32_t tick;
	uint32_t of; /* 2 * number, 1 more: it ends */
};

struct port {
	struct event *event, *tmp; /* tmp: once sorted, room for `before` */
	size_t *at; /* transfers, by number */
	double *rate;
	size_t n;
};

struct fluid {
	struct lz *z;
	enum na_lz_kind side;
	bool failed[LZ_SHARES];
};

static bool port_init(struct port *p, size_t n)
{
	p->event = na_calloc(2 * n, sizeof(*p->event));
	p->tmp = na_calloc(2 * n, sizeof(*p->tmp));
	p->at = na_calloc(n, sizeof(*p->at));
	p->rate = na_calloc(n, sizeof(*p->rate));
	return p->event && p->tmp && p->at && p->rate;
}

static void port_fini(struct port *p)
{
	free(p->event);
	free(p->tmp);
	free(p->at);
	free(p->rate);
}

static void add_life(struct port *port, const struct lz *z, size_t pair,
		     size_t at)
{
	const struct na_lz_transfer *t = &z->in->transfers[at];
	double ticks = lz_latency(z, pair, t) / z->tick_us;
	uint32_t n = (uint32_t)port->n, life, start;

	life = ticks < 1            ? 1
	       : ticks < UINT32_MAX ? (uint32_t)ticks
				    : UINT32_MAX;
	start = t->tick > life ? t->tick - life : 0;
	port->at[n] = at;
	port->rate[n] = (double)t->size_bytes / (double)life;
	port->event[2 * n] = (struct event){start, 2 * n};
	port->event[2 * n + 1] = (struct event){start + life, 2 * n + 1};
	port->n++;
}

/* By digits of the tick; equal ones keep their order. */
static void sort_events(struct port *p)
{
	size_t n = 2 * p->n;

	for (unsigned shift = 0; shift < 32; shift += DIGIT_BITS) {
		uint32_t first[DIGITS + 1] = {0};
		struct event *was = p->event;

		for (size_t i = 0; i < n; i++)
			first[(was[i].tick >> shift) % DIGITS + 1]++;
		for (size_t d = 0; d < DIGITS; d++)
			first[d + 1] += first[d];
		for (size_t i = 0; i < n; i++)
			p->tmp[first[(was[i].tick >> shift) % DIGITS]++] =
				was[i];
		p->event = p->tmp;
		p->tmp = was;
	}
}

static void sweep(struct port *p, float *volume)
{
	double sum = 0, rate = 0, *before = (void *)p->tmp;
	size_t alive = 0;
	uint32_t now = 0;

	for (size_t i = 0; i < 2 * p->n; i++) {
		struct event e = p->event[i];
		size_t k = e.of / 2;

		sum += rate * (double)(e.tick - now);
		now = e.tick;
		if (e.of % 2 == 0) {
			before[k] = sum;
			rate += p->rate[k];
			alive++;
			continue;
		}
		rate = --alive ? rate - p->rate[k] : 0;
		sum -= before[k];
		if ((float)sum > volume[p->at[k]])
			volume[p->at[k]] = (float)sum;
		sum += before[k];
	}
}

static bool measure(const struct fluid *f, uint32_t host)
{
	const struct lz *z = f->z;
	struct port port = {.n = 0};
	size_t n = 0;
	bool ok;

	lz_for_side (p, z, f->side, host)
		n += z->in->pairs[*p].n;
	ok = n <= UINT32_MAX / 2 && port_init(&port, n);
	if (ok) {
		lz_for_side (p, z, f->side, host) {
			const struct na_lz_pair *pair = &z->in->pairs[*p];

			for (size_t i = 0; i < pair->n; i++)
				add_life(&port, z, *p, pair->first + i);
		}
		sort_events(&port);
		sweep(&port, z->shared);
	}
	port_fini(&port);
	return ok;
}

static void measure_share(void *arg, size_t share)
{
	struct fluid *f = arg;
	size_t from, to;

	na_lz_share(f->z->in->n_hosts, share, &from, &to);
	for (size_t h = from; h < to && !f->failed[share]; h++)
		f->failed[share] = !measure(f, (uint32_t)h);
}

enum na_status na_lz_fluid(struct lz *z, struct na_err *err)
{
	struct fluid f = {.z = z};
	enum na_status s = NA_OK;

	if (!z->shared)
		z->shared = na_lz_take(&z->memory, z->in->n_transfers,
				       sizeof(*z->shared));
	if (!z->shared)
		return na_fail_nomem(err);
	for (size_t i = 0; i < z->in->n_transfers; i++)
		z->shared[i] = z->in->transfers[i].size_bytes;
	for (int side = 0; s == NA_OK && side < 2; side++) {
		f.side = side ? NA_LZ_DST : NA_LZ_SRC;
		s = na_lz_shares(z, measure_share, &f, err);
		for (size_t i = 0; s == NA_OK && i < LZ_SHARES; i++) {
			if (f.failed[i])
				s = na_fail_nomem(err);
		}
	}
	return s;
}
