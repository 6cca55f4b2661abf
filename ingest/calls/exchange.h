/*
 * Requests and responses of a connection whose bytes nobody reads: an
 * estimate from who speaks when.
 *
 * The client is who sent the SYN; without one, the end with the higher port
 * (equal ports: who spoke first).
 *
 *  - Bytes of the client begin a message, the request.  More of them belong
 *    to it, until the server answers or the client is silent for longer than
 *    the idle gap: then what it has sent was a message nobody answered, and
 *    a new one begins.
 *  - Bytes of the server after a request are its response, however long the
 *    server took.  The exchange is over when the client speaks again (what
 *    comes of a response after that counts as the answer to the new request:
 *    pipelined requests look shorter than they are), or when the server was
 *    silent for longer than the idle gap.
 *  - Other bytes of the server (a greeting, a push, what follows a pause)
 *    are a message nobody answers, until a gap or until the client speaks.
 *
 * Latency of an exchange is from the first byte of the request to the last
 * of the response.  Keep-alives and bytes that were acknowledged before count
 * for nothing; bytes that fill a hole or are sent again because they were
 * lost move the last byte's time.
 */
#ifndef INGEST_CALLS_EXCHANGE_H
#define INGEST_CALLS_EXCHANGE_H

#include "ingest/tcp/track.h"
#include "netan/model/sink.h"

/* One message, and perhaps its answer. */
struct na_exchange {
	int64_t first_ps, last_ps; /* of the message's bytes */
	int64_t answered_ps;       /* last byte of the response */
	uint64_t bytes[2];         /* message, response */
	uint32_t packets;
	uint8_t dir; /* who sent the message */
	bool open, answered;
};

/* n new bytes of direction dir, 0 for bytes that fill a hole.  True: *done
 * is what ended before them. */
bool na_exchange_add(struct na_exchange *x, uint8_t dir, bool from_client,
		     uint64_t n, int64_t at_ps, int64_t gap_ps,
		     struct na_exchange *done);

/* To the sink as one transfer.  ends: endpoints by direction; *collective:
 * "tcp:PORT" of the server, once it is known, else NA_UNKNOWN_U32. */
enum na_status na_exchange_tell(const struct na_exchange *x,
				const struct na_sink *sink,
				const uint32_t ends[2], uint16_t server_port,
				uint32_t *collective) NA_MUST_CHECK;

/* The payload of x moves what is new: how many bytes.  False: nothing to say.
 * By direction: seen, and the first byte not seen yet. */
bool na_exchange_fresh(uint64_t highest[2], bool seen[2],
		       const struct na_tcp_packet *x, uint64_t *n);

#endif
