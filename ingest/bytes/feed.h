/*
 * Bytes of a file or a pipe in their order, unpacked on the way.
 */
#ifndef INGEST_BYTES_FEED_H
#define INGEST_BYTES_FEED_H

#include <sys/stat.h>

#include "ingest/bytes/inflate.h"
#include "ingest/bytes/monotone.h"
#include "ingest/bytes/readahead.h"

/* Bytes that come one after the other: from a descriptor, unpacked where that
 * is needed. */
struct na_feed {
	int fd; /* closed with it */
	const char *path;
	uint8_t *in; /* packed bytes read ahead */
	size_t room; /* of in */
	const uint8_t *p, *end;
	bool eof;
	uint64_t taken; /* bytes read from fd */
	enum na_packing packing;
	struct na_inflate *z;
	struct na_readahead *ahead; /* who reads it now, or NULL */
	bool full;              /* more may come without input */
	bool cut;               /* it ended early, or was written over */
	struct stat was;        /* of a file, when it was opened */
	bool endless;           /* it is no file, and may be */
	struct na_monotone said;
	char why[160];
};

/* The feed owns fd from here on, and is to be closed also after a failure.
 * `path` is borrowed, for messages.  The first bytes say how they are packed.
 * NA_EIO, NA_ENOMEM. */
enum na_status na_feed_open(struct na_feed *s, int fd, const char *path,
			    struct na_err *err) NA_MUST_CHECK;
void na_feed_close(struct na_feed *s);

/* A packed one is unpacked on a thread of its own from here on, where there is
 * one; others are as they were.  Not of a pipe, which a signal is to
 * interrupt. */
void na_feed_start_readahead(struct na_feed *s);

/*
 * Up to n bytes to out; *got of 0 is the end.  Damaged or truncated packing
 * is an end, too, and no failure, and so is a pipe or a device that says the
 * same for long, and the end of a plain file that somebody truncated or wrote
 * over meanwhile (not of one that has grown, as logs do): `cut` and `why` say
 * so, what came before stays good.  NA_EIO where the system refuses.
 */
enum na_status na_feed_read(struct na_feed *s, uint8_t *out, size_t n,
			    size_t *got, struct na_err *err) NA_MUST_CHECK;

#endif
