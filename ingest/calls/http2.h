/*
 * One direction of an HTTP/2 connection (RFC 9113): frames, header blocks,
 * what they say of which stream.  Bytes come in order, in pieces of any
 * size, with gaps; they are read in place, and DATA payload is not touched.
 *
 * A gap inside one frame's payload leaves the frames in step; a larger one,
 * and bytes that are no frame, end that, and a new start is sought
 * (na_frames_seek).  Wherever part of a header block may be lost, the header
 * table is forgotten (hpack.h): names become unknown, never wrong.
 */
#ifndef INGEST_CALLS_HTTP2_H
#define INGEST_CALLS_HTTP2_H

#include "ingest/calls/frames.h"
#include "ingest/calls/watch.h"
#include "netan/base/err.h"

enum {
	NA_HTTP2_BLOCK_BYTES = 1 << 16, /* of one header block kept */
	NA_HTTP2_PATH_BYTES = 1024      /* a longer path is "other" */
};

/* What matters of a header block. */
struct na_http2_fields {
	bool method;  /* there is a :method: a request */
	bool grpc;    /* content-type application/grpc... */
	bool unknown; /* there are fields that are not known */
	bool path_too_long;
	int32_t status, grpc_status; /* NA_UNKNOWN_I32 */
	size_t path_bytes;           /* 0: not there or not known */
	char path[NA_HTTP2_PATH_BYTES];
	int64_t at; /* `at` of the end of its HEADERS frame */
	const struct na_calls_watch *watch;
};

/* What all connections share: memory, counted, and room for fields. */
struct na_http2_store {
	size_t block_bytes, max_block_bytes; /* pieces of blocks, all */
	size_t table_bytes;                  /* limit of one, RFC 7541 */
	size_t tables_used;                  /* memory they really take */
	uint64_t limits_hit;
	struct na_http2_fields fields;
};

struct na_http2_user {
	void *ctx;
	enum na_status (*headers)(void *ctx, uint32_t stream,
				  const struct na_http2_fields *f,
				  bool end_stream);
	/* p NULL: n bytes that the capture lost.  Padding apart. */
	enum na_status (*data)(void *ctx, uint32_t stream, const uint8_t *p,
			       size_t n);
	enum na_status (*end)(void *ctx, uint32_t stream); /* of DATA */
	enum na_status (*reset)(void *ctx, uint32_t stream);
	int64_t at; /* time of these bytes, in units of the user */
	const struct na_calls_watch *watch;
};

struct na_http2 {
	struct na_hpack *hpack; /* NULL: empty, or lost */
	uint8_t *block;         /* the open block, when in several pieces */
	size_t block_n, block_cap;
	uint32_t left;   /* payload of the frame, padding too */
	uint32_t prefix; /* bytes before its content that still come */
	uint32_t stream, block_stream;
	int64_t block_at; /* end of its HEADERS frame, when it goes on */
	uint32_t newest;  /* highest stream of a header block; 0 unknown */
	uint32_t sought;  /* bytes, since the last frame */
	uint8_t type, flags, pad;
	uint8_t head[NA_FRAME_HEAD], have;
	bool in_step;
	bool block_open;     /* CONTINUATION is due */
	bool block_goes_on;  /* past its HEADERS frame */
	bool block_ends;     /* its HEADERS had END_STREAM */
	bool block_cut;      /* its end is lost, or does not fit */
	bool block_headless; /* its beginning was not seen */
	bool block_promise;  /* of a PUSH_PROMISE */
	bool damaged;        /* something was lost at some time */
};

/* Frames begin with the next byte; or where `pr` is in its chain (not live:
 * at a place to be sought). */
void na_http2_begin(struct na_http2 *d);
void na_http2_join(struct na_http2 *d, const struct na_frame_probe *pr);
void na_http2_fini(struct na_http2 *d, struct na_http2_store *store);
/* To save memory. */
void na_http2_forget_table(struct na_http2 *d);

/* `starts`, `whole`: see stream.h. */
enum na_status na_http2_bytes(struct na_http2 *d, struct na_http2_store *store,
			      const struct na_http2_user *user,
			      const uint8_t *p, size_t n, bool starts,
			      bool whole) NA_MUST_CHECK;
enum na_status na_http2_gap(struct na_http2 *d, struct na_http2_store *store,
			    const struct na_http2_user *user,
			    uint64_t n) NA_MUST_CHECK;

#endif
