/*
 * Header blocks to fields: HPACK, RFC 7541, by libnghttp2's decoder, which
 * keeps the header table.
 *
 * Of a table whose beginning was not seen only the entries are known that
 * came since: index i means the i-th newest entry, and eviction takes the
 * oldest, so every index up to the number of known entries is right whatever
 * was before and however large the table is at the other end.  Indices
 * beyond are unknown: such a field is told as unknown, an entry whose name
 * only is unknown goes into the table with a name that no header has.  So a
 * table smaller than the sender's, a lost one and a new one need no
 * difference in treatment.
 */
#ifndef INGEST_CALLS_HPACK_H
#define INGEST_CALLS_HPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/calls/watch.h"
#include "netan/base/err.h"

struct na_hpack;

/* Called for each field, borrowed for the call. */
struct na_hpack_user {
	void *ctx;
	void (*field)(void *ctx, const uint8_t *name, size_t name_n,
		      const uint8_t *value, size_t value_n);
	void (*unknown)(void *ctx); /* a field with an index not known */
	/* Before either: see watch.h; may be NULL. */
	void (*place)(void *ctx, const uint8_t *name, const uint8_t *value,
		      const uint8_t *end);
};

/* At most max_bytes of table (as RFC 7541 counts).  *used goes up and down
 * with the memory that it really takes; it outlives the table.  NULL: memory
 * is short. */
struct na_hpack *na_hpack_new(size_t max_bytes, size_t *used);
void na_hpack_free(struct na_hpack *h);

/*
 * One block, all frames of it.  `whole` false: its end is missing, and what
 * is told are the fields before.  NA_EFORMAT: not HPACK; the fields told so
 * far count for nothing.  After either the table is not good for anything
 * and must go.
 */
enum na_status na_hpack_block(struct na_hpack *h, const uint8_t *p, size_t n,
			      bool whole,
			      const struct na_hpack_user *user) NA_MUST_CHECK;

/* Do these bytes make up a block?  Looks at its structure alone. */
bool na_hpack_looks_whole(const uint8_t *p, size_t n);
/* Where its fields are that are written out, as far as it is one. */
void na_hpack_places(const uint8_t *p, size_t n,
		     const struct na_calls_watch *to);

#endif
