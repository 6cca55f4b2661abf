/*
 * The bytes of TCP connections as requests and responses: cleartext HTTP/2
 * (RFC 9113, 7541) with gRPC on it; for anything else, encrypted too, an
 * estimate from direction changes and idle gaps.  A client of tcp/track.h.
 *
 * Into the sink go: for each HTTP/2 call one na_call and one na_transfer
 * (style CAPTURE, component RPC, src the client, collective the path); for
 * each estimated exchange with an answer one na_transfer (style ESTIMATE,
 * component RPC, collective "tcp:PORT" of the server); for each message that
 * nobody answered one na_transfer (style ESTIMATE, component NETWORK, from
 * first to last byte; a single packet has no latency).
 */
#ifndef INGEST_CALLS_CALLS_H
#define INGEST_CALLS_CALLS_H

#include "ingest/calls/watch.h"
#include "ingest/tcp/track.h"

struct na_call_limits {
	size_t streams;      /* open HTTP/2 streams, all connections */
	size_t table_bytes;  /* of one header table, as RFC 7541 counts */
	size_t tables_bytes; /* memory of all header tables; the least recently
				used goes first, its names become unknown */
	size_t blocks_bytes; /* header blocks in pieces, all connections */
	size_t held_bytes;   /* out of order, all connections */
	size_t names;        /* different paths; the rest is "other" */
	size_t probed_bytes; /* of a connection without a beginning, to see
				whether it is HTTP/2 */
};
extern const struct na_call_limits na_call_limits;

enum { NA_IDLE_GAP_NS = 10 * 1000 * 1000 };

struct na_calls;

struct na_calls_options {
	const struct na_call_limits *limits;
	int64_t zero_ns, idle_gap_ns;
	bool estimates; /* also other TCP */
	const struct na_sink *sink;
	struct na_addresses *addresses; /* of the same sink */
	const struct na_calls_watch *watch; /* or NULL */
};

struct na_calls *na_calls_new(const struct na_calls_options *o);
void na_calls_free(struct na_calls *c);
struct na_tcp_user na_calls_user(struct na_calls *c);
/* What went wrong in a close, where no status can be handed back. */
enum na_status na_calls_status(const struct na_calls *c) NA_MUST_CHECK;
/* After na_tcp_finish(). */
void na_calls_counts(const struct na_calls *c, struct na_capture_counts *out);

#endif
