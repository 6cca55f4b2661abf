/*
 * gzip (RFC 1952, several members) and zstd (RFC 8878, several frames) as a
 * stream.  ISA-L inflates gzip, two to three times as fast as zlib; libzstd
 * does zstd.
 */
#ifndef INGEST_BYTES_INFLATE_H
#define INGEST_BYTES_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

enum na_packing { NA_PLAIN, NA_GZIP, NA_ZSTD };

/* By the magic number of the first n bytes. */
enum na_packing na_packing_of(const uint8_t *head, size_t n);
const char *na_packing_name(enum na_packing p); /* NULL for NA_PLAIN */

struct na_inflate;

/* p is not NA_PLAIN.  NULL when memory is short; else for na_inflate_free(),
 * which takes NULL too. */
struct na_inflate *na_inflate_new(enum na_packing p);
void na_inflate_free(struct na_inflate *z);

/*
 * Consume *in, which goes on as far as it was read, and produce up to n bytes.
 *
 *   in    [in_end - *in]  packed bytes; borrowed for the call
 *   out   [n]             unpacked; *made of them are written
 *
 * NA_OK: go on, with more room or more input; NA_END: the stream is complete
 * and what is left of *in is no further member; NA_EFORMAT: damaged there,
 * *made bytes before are good.
 */
enum na_status na_inflate_step(struct na_inflate *z, const uint8_t **in,
			       const uint8_t *in_end, uint8_t *out, size_t n,
			       size_t *made, struct na_err *err) NA_MUST_CHECK;

/* True when the input may end here: between members. */
bool na_inflate_at_end(const struct na_inflate *z);

/* A short gzip string, all at once; *n is the room in out, then the length.
 * False: not gzip, damaged, longer than the room, or no memory. */
bool na_inflate_small(const uint8_t *p, size_t left, char *out, size_t *n);

#endif
