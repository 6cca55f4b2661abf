/*
 * Who wants to know which bytes of connections matter to what reads calls:
 * headers of frames, header blocks, lengths of gRPC messages, small numbers.
 * All else could be anything.  NULL where nobody does.
 */
#ifndef INGEST_CALLS_WATCH_H
#define INGEST_CALLS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the direction that is read now.  `end` is in the bytes that are read. */
struct na_calls_watch {
	void *ctx;
	/* The n bytes before `end` are these, and matter. */
	void (*matters)(void *ctx, const uint8_t *end, const uint8_t *p,
			size_t n);
	/* The next bytes of a header block; NULL: another begins. */
	void (*piece)(void *ctx, const uint8_t *p, size_t n);
	/* The pieces are these n bytes.  Of each field: where its name (no
	 * bytes: an index stands for it) and its value stand in them, name
	 * NULL where an index says all; and what it says, where that is
	 * known. */
	void (*block)(void *ctx, const uint8_t *p, size_t n);
	void (*place)(void *ctx, const uint8_t *name, const uint8_t *value,
		      const uint8_t *end);
	void (*field)(void *ctx, const uint8_t *name, size_t name_n,
		      const uint8_t *value, size_t value_n);
	void (*block_over)(void *ctx);
	/* Bytes of a direction are read, the first of which is its `seq`. */
	void (*reads)(void *ctx, uint32_t connection, uint8_t dir,
		      uint64_t seq, const uint8_t *p);
	/* The packet's payload begins at `seq`. */
	void (*segment)(void *ctx, uint32_t connection, uint8_t dir,
			uint64_t seq);
	void (*over)(void *ctx, uint32_t connection, bool http2);
};

#endif
