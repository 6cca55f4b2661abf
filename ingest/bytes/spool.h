/*
 * Pipes and packed files become a mapped file: bytes are inflated into an
 * unlinked temporary file, at their own offsets; what the format's reader
 * refuses on the way stays a hole and is never read.
 */
#ifndef INGEST_BYTES_SPOOL_H
#define INGEST_BYTES_SPOOL_H

#include "ingest/bytes/inflate.h"
#include "ingest/input.h"

/* A stream of bytes: from a descriptor, unpacked where that is needed. */
struct na_stream {
	int fd;
	const char *path;
	uint8_t *in; /* packed bytes read ahead */
	const uint8_t *p, *end;
	bool eof;
	uint64_t taken; /* bytes read from fd */
	enum na_packing packing;
	struct na_inflate *z;
	bool full; /* more may come without input */
	bool cut;  /* packed stream ended early */
	char why[160];
};

enum na_status na_stream_open(struct na_stream *s, int fd, const char *path,
			      struct na_err *err) NA_MUST_CHECK;
void na_stream_close(struct na_stream *s);

/* Up to n bytes; 0 at the end.  Damaged or truncated packing ends the
 * stream: `cut` and `why` say so, what came before stays good. */
enum na_status na_stream_read(struct na_stream *s, uint8_t *out, size_t n,
			      size_t *got, struct na_err *err) NA_MUST_CHECK;

/*
 * Fill in->data, in->size and in->reader from the stream.  NA_EFORMAT with
 * the reason when no reader takes the bytes.
 */
enum na_status na_spool(struct na_input *in, struct na_stream *s,
			struct na_err *err) NA_MUST_CHECK;

/* Which reader takes these first bytes; NA_EFORMAT says what they are. */
enum na_status na_choose_reader(struct na_input *in, const uint8_t *head,
				size_t n, uint64_t size,
				struct na_err *err) NA_MUST_CHECK;
enum { NA_HEAD_BYTES = 65536 };

#endif
