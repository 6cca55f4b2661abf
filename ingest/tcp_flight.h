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
	struct na_cell *grown; /* NULL while `own` is enough */
	struct na_cell own[NA_FLIGHT_OWN];
	uint16_t head, count, cap; /* cap: a power of two */
	bool nested; /* some segment begins before its predecessor */
};

void na_flight_init(struct na_flight *f);
void na_flight_fini(struct na_flight *f, struct na_cells *budget);

void na_flight_add(struct na_flight *f, struct na_cells *budget,
		   const struct na_cell *x);

/* What `ack` covers goes, what it covers in part begins at it.  True when a
 * segment ends right at it: *sent_ns is when the oldest such was seen. */
bool na_flight_ack(struct na_flight *f, struct na_cells *budget, uint32_t ack,
		   int64_t *sent_ns);

/* From the first to the last byte of all; 0 when empty. */
uint32_t na_flight_span(const struct na_flight *f);

#endif
