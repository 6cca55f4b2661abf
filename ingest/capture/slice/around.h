/*
 * Which packets outside of its window a slice of a capture holds: all of the
 * connections and queue pairs that meet it, whose state they make, and the
 * first of each other one, so that they are counted and numbered as in the
 * original.  One for all files of a capture.
 */
#ifndef INGEST_CAPTURE_SLICE_AROUND_H
#define INGEST_CAPTURE_SLICE_AROUND_H

#include "ingest/capture/capfile.h"
#include "netan/base/err.h"

struct na_around;

/* NULL: no memory. */
struct na_around *na_around_new(void);
void na_around_free(struct na_around *a);

/* First of all packets of all files that may be in their slices, file by file
 * and in the order there; the nth of `file`.  A connection begins before
 * anybody knows that it meets the window, maybe in another file. */
enum na_status na_around_see(struct na_around *a, const struct na_record *r,
			     uint32_t file, uint64_t nth) NA_MUST_CHECK;

/* When packets of the connection or queue pair of one that was seen were seen;
 * false: of none. */
bool na_around_lasted(const struct na_around *a, const struct na_record *r,
		      int64_t *first_ns, int64_t *last_ns);
/* Is the nth packet of a file the first there of a connection, or of a queue
 * pair?  Quick where it is asked in order. */
bool na_around_begins(struct na_around *a, uint32_t file, uint64_t nth);

#endif
