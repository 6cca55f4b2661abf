/*
 * Segments of one direction that no ACK has covered yet, ordered by the byte
 * behind them (of equals the older first), in a ring that grows out of a
 * shared budget of cells.  When the budget or FLIGHT_MOST is used up, the
 * lowest goes and the budget counts it.
 */
#ifndef INGEST_TCP_FLIGHT_H
#define INGEST_TCP_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NA_FLIGHT_MOST = 4096, NA_FLIGHT_OWN = 2 };

struct na_cells { /* what all rings and lists of holes share */
	size_t most, used;
	uint64_t dropped;
};

struct na_cell {
	uint32_t seq, next; /* next: behind its last byte, SYN or FIN */
	int64_t time_ns;
};

struct na_flight {
	struct na_cell *grown;     /* NULL while `own` is enough */
	uint16_t head, count, cap; /* cap: a power of two */
	bool nested; /* some segment begins before its predecessor */
	struct na_cell own[NA_FLIGHT_OWN];
};

void na_flight_init(struct na_flight *f);
void na_flight_fini(struct na_flight *f, struct na_cells *budget);

static inline struct na_cell *na_flight_at(struct na_flight *f, unsigned i)
{
	return (f->grown ? f->grown : f->own) + ((f->head + i) & (f->cap - 1u));
}

/* Any segment. */
void na_flight_put(struct na_flight *f, struct na_cells *budget, uint32_t seq,
		   uint32_t next, int64_t time_ns);

/* Most are the newest, and there is room.  Not through a struct na_cell:
 * written in parts and read as one, it would stall on each packet. */
static inline void na_flight_add(struct na_flight *f, struct na_cells *budget,
				 uint32_t seq, uint32_t next, int64_t time_ns)
{
	const struct na_cell *last = na_flight_at(f, f->count - 1u);

	if (f->count < f->cap &&
	    (f->count == 0 || ((int32_t)(next - last->next) >= 0 &&
			       (int32_t)(seq - last->seq) >= 0))) {
		struct na_cell *x = na_flight_at(f, f->count++);

		x->seq = seq;
		x->next = next;
		x->time_ns = time_ns;
	} else {
		na_flight_put(f, budget, seq, next, time_ns);
	}
}

/* What `ack` covers goes, what it covers in part begins at it.  True when a
 * segment ends right at it: *sent_ns is when the oldest such was seen. */
bool na_flight_ack(struct na_flight *f, struct na_cells *budget, uint32_t ack,
		   int64_t *sent_ns);

uint32_t na_flight_span_nested(const struct na_flight *f);

/* From the first to the last byte of all; 0 when empty. */
static inline uint32_t na_flight_span(const struct na_flight *f)
{
	const struct na_cell *v = f->grown ? f->grown : f->own;

	if (f->count == 0)
		return 0;
	if (f->nested)
		return na_flight_span_nested(f);
	return v[(f->head + f->count - 1u) & (f->cap - 1u)].next -
	       v[f->head].seq;
}

#endif
