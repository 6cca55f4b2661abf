#include "ingest/tcp/flight.h"

#include <stdlib.h>
#include <string.h>

enum { SHRINK_FROM = 64 };

/* Serial number arithmetic, RFC 1982. */
static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

void na_flight_init(struct na_flight *f)
{
	memset(f, 0, sizeof(*f));
	f->cap = NA_FLIGHT_OWN;
}

void na_flight_fini(struct na_flight *f, struct na_cells *budget)
{
	if (f->grown) {
		free(f->grown);
		budget->used -= f->cap;
	}
	na_flight_init(f);
}

static bool grow(struct na_flight *f, struct na_cells *budget)
{
	size_t old = f->grown ? f->cap : 0;
	size_t cap = (size_t)f->cap * (f->grown ? 2 : 4);
	struct na_cell *v;

	if (cap > NA_FLIGHT_MOST || cap - old > budget->most - budget->used)
		return false;
	v = malloc(cap * sizeof(*v));
	if (!v)
		return false;
	for (unsigned i = 0; i < f->count; i++)
		v[i] = *na_flight_at(f, i);
	free(f->grown);
	f->grown = v;
	f->head = 0;
	f->cap = (uint16_t)cap;
	budget->used += cap - old;
	return true;
}

/* Where x goes: behind all that end before or where it ends. */
static unsigned place(struct na_flight *f, const struct na_cell *x)
{
	unsigned lo = 0, hi = f->count;

	if (hi == 0 || !before(x->next, na_flight_at(f, hi - 1)->next))
		return hi;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (before(x->next, na_flight_at(f, mid)->next))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* A free place at i; the shorter side moves. */
static void open_at(struct na_flight *f, unsigned i)
{
	if (i * 2 < f->count) {
		f->head = (uint16_t)((f->head - 1u) & (f->cap - 1u));
		f->count++;
		for (unsigned k = 0; k < i; k++)
			*na_flight_at(f, k) = *na_flight_at(f, k + 1);
	} else {
		f->count++;
		for (unsigned k = f->count - 1u; k > i; k--)
			*na_flight_at(f, k) = *na_flight_at(f, k - 1);
	}
}

static void pop(struct na_flight *f)
{
	f->head = (uint16_t)((f->head + 1u) & (f->cap - 1u));
	f->count--;
}

void na_flight_put(struct na_flight *f, struct na_cells *budget, uint32_t seq,
		   uint32_t next, int64_t time_ns)
{
	struct na_cell x = {seq, next, time_ns};
	unsigned i;

	if (f->count == f->cap && !grow(f, budget)) {
		pop(f);
		budget->dropped++;
	}
	i = place(f, &x);
	open_at(f, i);
	*na_flight_at(f, i) = x;
	if ((i > 0 && before(seq, na_flight_at(f, i - 1)->seq)) ||
	    (i + 1u < f->count && before(na_flight_at(f, i + 1)->seq, seq)))
		f->nested = true;
}

static void trim(struct na_flight *f, uint32_t ack)
{
	bool all = f->nested;
	uint32_t last = 0;

	f->nested = false;
	for (unsigned i = 0; i < f->count; i++) {
		struct na_cell *c = na_flight_at(f, i);

		if (before(c->seq, ack))
			c->seq = ack;
		else if (!all)
			break;
		f->nested |= i > 0 && before(c->seq, last);
		last = c->seq;
	}
}

bool na_flight_ack(struct na_flight *f, struct na_cells *budget, uint32_t ack,
		   int64_t *sent_ns)
{
	struct na_cell *v = f->grown ? f->grown : f->own;
	unsigned mask = f->cap - 1u, head = f->head, n = f->count;
	bool found = false;

	for (; n > 0 && !before(ack, v[head].next); n--) {
		if (v[head].next == ack && !found) {
			found = true;
			*sent_ns = v[head].time_ns;
		}
		head = (head + 1) & mask;
	}
	f->head = (uint16_t)head;
	f->count = (uint16_t)n;
	if (n == 0) {
		f->nested = false;
		if (f->cap >= SHRINK_FROM)
			na_flight_fini(f, budget);
	} else if (f->nested || before(v[head].seq, ack)) {
		trim(f, ack);
	}
	return found;
}

/* Some begin before their predecessors. */
uint32_t na_flight_span_nested(const struct na_flight *f)
{
	const struct na_cell *v = f->grown ? f->grown : f->own;
	unsigned mask = f->cap - 1u;
	uint32_t first = v[f->head].seq;

	for (unsigned i = 1; i < f->count; i++) {
		uint32_t seq = v[(f->head + i) & mask].seq;

		if (before(seq, first))
			first = seq;
	}
	return v[(f->head + f->count - 1u) & mask].next - first;
}
