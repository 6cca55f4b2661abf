/*
 * HTTP/2 calls that have begun: a bounded table over all connections, found
 * by connection and stream.  When it is full, the call that began first goes
 * to the sink as one without an end, and that is counted.
 *
 * A call is a stream whose request HEADERS were seen.  It starts with the
 * packet that completes them; its first byte is the packet that completes
 * the first final response HEADERS (informational 1xx ones are not the
 * response); it ends with the responder's END_STREAM, or with RST_STREAM of
 * either side, and then it is marked.
 */
#ifndef INGEST_CALLS_OPEN_CALLS_H
#define INGEST_CALLS_OPEN_CALLS_H

#include "ingest/calls/http2.h"
#include "netan/model/sink.h"

struct na_open_calls;

/* One connection's. */
struct na_call_owner {
	uint32_t connection;
	uint32_t ends[2]; /* endpoints, by direction */
	int8_t client;    /* direction; -1: not known yet */
	uint32_t first;   /* of its calls; NA_UNKNOWN_U32 */
	uint32_t newest;  /* highest stream with a request; 0: none */
	uint64_t calls;   /* requests */
};

struct na_open_calls *na_open_calls_new(size_t max_open, size_t max_names,
					const struct na_sink *sink);
void na_open_calls_free(struct na_open_calls *o);
uint64_t na_open_calls_limits_hit(const struct na_open_calls *o);

void na_call_owner_init(struct na_call_owner *w);

/* What was read from direction dir in a packet at `at_ps`. */
struct na_call_event {
	struct na_call_owner *owner;
	uint8_t dir;
	uint32_t stream;
	int64_t at_ps;
	uint64_t setbacks; /* of the connection, up to here */
	int64_t leg_ns[2]; /* as na_tcp_packet has them */
	const struct na_calls_watch *watch;
};
enum na_status na_open_calls_headers(struct na_open_calls *o,
				     const struct na_call_event *e,
				     const struct na_http2_fields *f,
				     bool end_stream) NA_MUST_CHECK;
enum na_status na_open_calls_data(struct na_open_calls *o,
				  const struct na_call_event *e,
				  const uint8_t *p, size_t n) NA_MUST_CHECK;
enum na_status na_open_calls_end(struct na_open_calls *o,
				 const struct na_call_event *e) NA_MUST_CHECK;
enum na_status na_open_calls_reset(struct na_open_calls *o,
				   const struct na_call_event *e) NA_MUST_CHECK;
/* The connection is over: what is open goes to the sink, oldest first. */
enum na_status na_open_calls_close(struct na_open_calls *o,
				   struct na_call_owner *w) NA_MUST_CHECK;

#endif
