/*
 * HTTP/2 frame headers (RFC 9113, section 4.1), and how to find them in a
 * connection whose beginning was not seen.
 *
 *	| length 24 | type 8 | flags 8 | reserved 1, stream 31 | payload
 */
#ifndef INGEST_CALLS_FRAMES_H
#define INGEST_CALLS_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/bytes/cursor.h"
#include "ingest/calls/watch.h"

enum { NA_FRAME_HEAD = 9, NA_FRAME_DEFAULT_MAX = 16384, NA_PREFACE_BYTES = 24 };

extern const uint8_t na_http2_preface[NA_PREFACE_BYTES];

enum na_frame_type {
	NA_FRAME_DATA,
	NA_FRAME_HEADERS,
	NA_FRAME_PRIORITY,
	NA_FRAME_RST_STREAM,
	NA_FRAME_SETTINGS,
	NA_FRAME_PUSH_PROMISE,
	NA_FRAME_PING,
	NA_FRAME_GOAWAY,
	NA_FRAME_WINDOW_UPDATE,
	NA_FRAME_CONTINUATION,
	NA_FRAME_TYPES,
	NA_FRAME_SKIPPED = 255 /* nothing is known of it but its length */
};

enum {
	NA_FRAME_END_STREAM = 1, /* SETTINGS, PING: ACK */
	NA_FRAME_END_HEADERS = 4,
	NA_FRAME_PADDED = 8,
	NA_FRAME_PRIORITISED = 32
};

struct na_frame_head {
	uint32_t length, stream;
	uint8_t type, flags;
	bool reserved;
};

static inline struct na_frame_head na_frame_head(const uint8_t *p)
{
	return (struct na_frame_head){
		.length = na_be24(p),
		.type = p[3],
		.flags = p[4],
		.stream = na_be32(p + 5) & INT32_MAX,
		.reserved = p[5] >> 7,
	};
}

static inline bool na_frame_is_padded(const struct na_frame_head *h)
{
	return h->flags & NA_FRAME_PADDED &&
	       (h->type == NA_FRAME_DATA || h->type == NA_FRAME_HEADERS ||
		h->type == NA_FRAME_PUSH_PROMISE);
}

/* Bytes before its content: length of padding, priority, promised stream. */
static inline uint32_t na_frame_prefix(const struct na_frame_head *h)
{
	uint32_t n = na_frame_is_padded(h);

	if (h->type == NA_FRAME_HEADERS && h->flags & NA_FRAME_PRIORITISED)
		n += 5;
	return h->type == NA_FRAME_PUSH_PROMISE ? n + 4 : n;
}

/* Is its payload nothing but numbers, which tell a frame from other bytes? */
static inline bool na_frame_is_small(uint8_t type)
{
	return type == NA_FRAME_PRIORITY || type == NA_FRAME_RST_STREAM ||
	       type == NA_FRAME_SETTINGS || type == NA_FRAME_WINDOW_UPDATE;
}

/* May it stand where a header is due?  Unknown types may. */
bool na_frame_is_legal(const struct na_frame_head *h);

/*
 * Where in p[0..n) a chain of frames begins, or n: a plausible header at the
 * start of a segment, or anywhere one whose frame ends at another plausible
 * header or at the end of the (whole) segment.  max_stream: no stream can be
 * above; 0: not known.
 */
size_t na_frames_seek(const uint8_t *p, size_t n, bool starts, bool whole,
		      uint32_t max_stream);

/*
 * The suspicion that one direction speaks HTTP/2.  Points: 1 where a frame
 * ends exactly where a segment does, 1 more if one began where the segment
 * did, 1 for different frames on the way, 1 for a header block that is built
 * like one, 1 for a header right behind a long frame.  They go where a header
 * is due and something else comes.  Streams that are far apart, and short
 * patterns that repeat, are found in arrays of small numbers, and count for
 * nothing.
 */
struct na_frame_probe {
	struct na_frame_head last;
	uint32_t left;   /* to the next header */
	uint32_t stream; /* last one that is not 0 */
	uint8_t head[NA_FRAME_HEAD], have;
	bool live, chain;
	uint8_t points;
	const struct na_calls_watch *watch;
};
enum { NA_PROBE_POINTS = 3 }; /* enough, over both directions */

/* *from is set to where in p frames begin that are worth reading if that
 * was enough, or n. */
void na_frame_probe(struct na_frame_probe *pr, const uint8_t *p, size_t n,
		    bool starts, bool whole, size_t *from);
void na_frame_probe_gap(struct na_frame_probe *pr, uint64_t n);

#endif
