/*
 * Protobuf messages being written: bytes that grow.  After a failed
 * allocation nothing more is added and `failed` says so.
 */
#ifndef INGEST_TRANSFER_FILE_BYTES_H
#define INGEST_TRANSFER_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct na_xf_bytes {
	uint8_t *p;
	size_t n, cap;
	bool failed;
};

void na_xf_bytes_fini(struct na_xf_bytes *b);
void na_xf_put(struct na_xf_bytes *b, const void *p, size_t n);
void na_xf_put_varint(struct na_xf_bytes *b, uint64_t v);

static inline uint64_t na_xf_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t na_xf_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

/* Fields of a message; a number that is 0 is the default and left out. */
void na_xf_put_uint(struct na_xf_bytes *b, uint32_t field, uint64_t v);
void na_xf_put_sint(struct na_xf_bytes *b, uint32_t field, int64_t v);
void na_xf_put_field(struct na_xf_bytes *b, uint32_t field, const void *p,
		     size_t n);
void na_xf_put_text(struct na_xf_bytes *b, uint32_t field, const char *s);
/* A message as a field of another one; it is freed. */
void na_xf_put_message(struct na_xf_bytes *to, uint32_t field,
		       struct na_xf_bytes *message);

/* The same values as a column, in its smallest form (netan.proto). */
void na_xf_put_column(struct na_xf_bytes *b, uint32_t field, const int64_t *v,
		      size_t n, int64_t unknown);

struct ZSTD_CCtx_s;

/* How long a payload is in field `raw_bytes`, and behind it the payload,
 * packed; with z, from ZSTD_createCCtx(), again and again sooner; NULL: of
 * its own. */
void na_xf_put_packed(struct na_xf_bytes *b, struct ZSTD_CCtx_s *z,
		      uint32_t raw_bytes, const struct na_xf_bytes *payload);

/* A section of n rows, packed. */
void na_xf_put_section(struct na_xf_bytes *b, struct ZSTD_CCtx_s *z,
		       uint32_t kind, uint64_t n,
		       const struct na_xf_bytes *payload);

#endif
