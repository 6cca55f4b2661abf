/*
 * IPv4 and IPv6 fragments put together (RFC 791, 8200, 5722: overlapping
 * ones are dropped), in bounded memory: so many datagrams and bytes at once,
 * the oldest goes first and is counted.
 */
#ifndef INGEST_CAPTURE_FRAGMENT_H
#define INGEST_CAPTURE_FRAGMENT_H

#include "ingest/capture/packet.h"

enum { NA_FRAGMENT_DATAGRAMS = 256 };
#define NA_FRAGMENT_BYTES ((size_t)4 << 20)

struct na_fragments *na_fragments_new(void);
void na_fragments_free(struct na_fragments *f);
uint64_t na_fragments_seen(const struct na_fragments *f);
uint64_t na_fragments_lost(const struct na_fragments *f); /* incomplete */

/* One fragment's payload (behind the unfragmentable headers).  True when it
 * completes its datagram: *whole and *n are valid until the next call.
 * `wire` is how long the payload is on the wire, n how much was captured. */
struct na_fragment {
	struct na_address src, dst;
	uint32_t id;
	uint8_t protocol;
	uint32_t offset; /* bytes */
	bool more;
	const uint8_t *data;
	size_t captured, wire;
	int64_t time_ns;
};
bool na_fragments_add(struct na_fragments *f, const struct na_fragment *x,
		      const uint8_t **whole, size_t *n);

#endif
