/*
 * Round trips of one direction: the first few exactly, then counts in
 * buckets of 1/32 octave, whose middle is within 1.6 % of all in them.
 * Octaves are pages out of a shared budget; a sample that finds none is
 * counted, and its minimum kept, but no quantile knows it.
 */
#ifndef INGEST_TCP_RTT_H
#define INGEST_TCP_RTT_H

#include <stddef.h>
#include <stdint.h>

enum { NA_RTT_OWN = 2, NA_RTT_EXACT = 16, NA_RTT_PARTS = 32 };

struct na_rtt_page;
struct na_rtt_pages { /* what all connections share */
	size_t most, used;
	struct na_rtt_page *free;
	uint64_t dropped;
};

struct na_rtt {
	uint32_t n; /* stops at its greatest value */
	uint32_t paged;
	int64_t min_ns;
	union {
		int64_t own[NA_RTT_OWN];
		struct na_rtt_page *pages;
	};
};

void na_rtt_fini(struct na_rtt *r, struct na_rtt_pages *b); /* all zero: new */
void na_rtt_pages_fini(struct na_rtt_pages *b);
void na_rtt_add(struct na_rtt *r, struct na_rtt_pages *b, int64_t rtt_ns);

/* How many are greater than ns (to within a bucket), and their sum. */
uint64_t na_rtt_above(const struct na_rtt *r, int64_t ns, int64_t *sum_ns);
/* Nearest rank, 0 < p <= 1; -1 without samples. */
int64_t na_rtt_quantile(const struct na_rtt *r, double p);

#endif
