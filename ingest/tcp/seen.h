/*
 * Which bytes of one direction were seen: everything from `low` to `high`
 * but for some holes.  Positions are unwrapped.  Of more than NA_SEEN_MOST
 * holes, or when the shared budget is used up, the lowest counts as seen.
 */
#ifndef INGEST_TCP_SEEN_H
#define INGEST_TCP_SEEN_H

#include "ingest/tcp/flight.h"

enum { NA_SEEN_MOST = 1024 };

struct na_hole {
	int64_t from, to;
};

struct na_seen {
	int64_t low, high;
	struct na_hole *hole; /* [n], in order, apart */
	uint16_t n, cap;
};

void na_seen_init(struct na_seen *s, int64_t start);
void na_seen_fini(struct na_seen *s, struct na_cells *budget);

/* Bytes from..to are seen: how many of them for the first time. */
uint64_t na_seen_add(struct na_seen *s, struct na_cells *budget, int64_t from,
		     int64_t to);

#endif
