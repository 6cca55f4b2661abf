/* A feed that a thread of its own reads, ahead of who wants its bytes. */
#ifndef INGEST_BYTES_READAHEAD_H
#define INGEST_BYTES_READAHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

struct na_readahead;
struct na_feed;

/* Takes what the feed is over and begins.  NULL, and the feed as it was: no
 * memory, or no thread. */
struct na_readahead *na_readahead_new(struct na_feed *s);
/* Stops; NULL is taken, too. */
void na_readahead_free(struct na_readahead *a);

/* As na_feed_read().  What `s` tells of itself is as far as these bytes. */
enum na_status na_readahead_read(struct na_readahead *a, struct na_feed *s,
				 uint8_t *out, size_t n, size_t *got,
				 struct na_err *err) NA_MUST_CHECK;

#endif
