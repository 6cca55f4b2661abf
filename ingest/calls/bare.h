/*
 * --anonymize of what TCP carries: of HTTP/2 and gRPC stays what calls are
 * made of (watch.h), without names; of all else nothing.
 *
 *	header fields   those that calls are told by, and a few that name
 *	                nobody; a path with pseudonyms, what stands behind its
 *	                question mark as one; of others as many letters x
 *	frames          headers, settings, windows, resets
 *	gRPC            how long messages are
 *
 * A capture is read once; then packets are asked about, in the same order.
 */
#ifndef INGEST_CALLS_BARE_H
#define INGEST_CALLS_BARE_H

#include "ingest/calls/watch.h"

struct na_bare;
struct na_pseudonyms;

/* NULL: no memory. */
struct na_bare *na_bare_new(struct na_pseudonyms *names);
void na_bare_free(struct na_bare *b);
/* For whoever reads; na_bare_next() comes before each packet. */
const struct na_calls_watch *na_bare_watch(struct na_bare *b);
void na_bare_next(struct na_bare *b);

/* It is read; the packets begin anew.  False: memory was short. */
bool na_bare_again(struct na_bare *b);
/* n bytes of the packet's TCP payload: what stays of them. */
void na_bare_put(const struct na_bare *b, uint8_t *to, size_t n);

#endif
