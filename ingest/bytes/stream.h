/*
 * The bytes of one direction of a connection in order, out of segments as
 * they were captured.  Bytes seen before are dropped, what overlaps is cut
 * (the first copy counts), what comes early is held, in bounded memory.
 *
 * Bytes that the capture does not have become a gap: at once where the snap
 * length cut them off a packet; where a whole segment is missing, when later
 * bytes are here and the other side has acknowledged the missing ones, or
 * when too much is held.
 */
#ifndef INGEST_BYTES_STREAM_H
#define INGEST_BYTES_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

enum { NA_STREAM_SEGMENTS = 1024 }; /* held of one direction */

/* What all streams share: the memory that they hold. */
struct na_stream_store {
	size_t held_bytes, max_held_bytes;
	uint64_t limits_hit;
};

/* One segment: `captured` bytes of the `wire` ones are at p. */
struct na_piece {
	uint64_t seq;
	const uint8_t *p;
	size_t captured, wire;
	int64_t at_ps;
};

/* Called in the order of the bytes.  `starts`: p is where a segment begins;
 * `whole`: and ends where it ends. */
struct na_stream_user {
	void *ctx;
	enum na_status (*bytes)(void *ctx, const uint8_t *p, size_t n,
				bool starts, bool whole);
	enum na_status (*gap)(void *ctx, uint64_t n);
};

struct na_stream {
	uint64_t next;  /* first byte that was not handed out */
	uint64_t acked; /* the other side has all before */
	uint64_t at;    /* first of the bytes that are handed out now */
	struct na_held *first, *last;
	int64_t at_ps; /* when the bytes handed out now were complete: held
			  ones with what they waited for, if that came */
	uint32_t n_held;
	bool started;
};

/* Bytes count from `seq` on. */
void na_stream_start(struct na_stream *s, uint64_t seq);
void na_stream_fini(struct na_stream *s, struct na_stream_store *store);

/* A stream that was not started starts with the piece.  NA_ENOMEM, or what
 * the user says. */
enum na_status na_stream_push(struct na_stream *s,
			      struct na_stream_store *store,
			      const struct na_piece *x,
			      const struct na_stream_user *user) NA_MUST_CHECK;
/* The other side acknowledged all before `ack`. */
enum na_status na_stream_ack(struct na_stream *s, struct na_stream_store *store,
			     uint64_t ack,
			     const struct na_stream_user *user) NA_MUST_CHECK;

#endif
