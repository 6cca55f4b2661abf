/*
 * Pipes and packed files become a mapped file: bytes are inflated into an
 * unlinked temporary file, at their own offsets; what the format's reader
 * refuses on the way stays a hole and is never read.
 */
#ifndef INGEST_SPOOL_H
#define INGEST_SPOOL_H

#include "ingest/bytes/feed.h"
#include "ingest/input.h"

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
