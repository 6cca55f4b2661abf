/*
 * Pipes and packed files become a mapped file: bytes are inflated into an
 * unlinked temporary file, at their own offsets; what the format's reader
 * refuses on the way stays a hole and is never read.
 */
#ifndef INGEST_BYTES_SPOOL_H
#define INGEST_BYTES_SPOOL_H

#include "ingest/bytes/inflate.h"
#include "ingest/input.h"

/* Bytes that come one after the other: from a descriptor, unpacked where that
 * is needed. */
struct na_feed {
	int fd; /* closed with it */
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

/* The feed owns fd from here on, and is to be closed also after a failure.
 * `path` is borrowed, for messages.  The first bytes say how they are packed.
 * NA_EIO, NA_ENOMEM. */
enum na_status na_feed_open(struct na_feed *s, int fd, const char *path,
			    struct na_err *err) NA_MUST_CHECK;
void na_feed_close(struct na_feed *s);

/*
 * Up to n bytes to out; *got of 0 is the end.  Damaged or truncated packing
 * is an end, too, and no failure: `cut` and `why` say so, what came before
 * stays good.  NA_EIO where the system refuses.
 */
enum na_status na_feed_read(struct na_feed *s, uint8_t *out, size_t n,
			    size_t *got, struct na_err *err) NA_MUST_CHECK;

/*
 * Reads the feed to its end and fills in in->data, in->size and in->reader;
 * na_input_close() unmaps them.  NA_EFORMAT with the reason when no reader
 * takes the bytes; NA_ELIMIT for what inflates beyond all measure; NA_EIO
 * when the temporary file has no room.
 */
enum na_status na_spool(struct na_input *in, struct na_feed *s,
			struct na_err *err) NA_MUST_CHECK;

/*
 * Sets in->reader by the first n bytes (up to NA_HEAD_BYTES) of `size`;
 * UINT64_MAX: not known yet.  NA_EFORMAT says what they are instead.
 */
enum na_status na_choose_reader(struct na_input *in, const uint8_t *head,
				size_t n, uint64_t size,
				struct na_err *err) NA_MUST_CHECK;
enum { NA_HEAD_BYTES = 65536 };

#endif
