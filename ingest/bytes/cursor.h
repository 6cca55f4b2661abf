/*
 * The only code that moves a pointer over binary input; na_rest does it for
 * packets, which have two lengths (packet_parts.h), na_scan for text.
 *
 * A cursor is a view of bytes inside one mapped file; `base` is that file's
 * first byte, so that a message can name the offset.  Functions that move it
 * return false, and leave it where it was, when the bytes are not there.
 */
#ifndef INGEST_BYTES_CURSOR_H
#define INGEST_BYTES_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "netan/base/scan.h"

/* Is this machine big endian? */
enum { NA_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

struct na_cursor {
	const uint8_t *p, *end; /* next unread byte, first beyond */
	const uint8_t *base;    /* offset 0 of the file */
};

static inline struct na_cursor na_cursor_of(const void *p, size_t n)
{
	const uint8_t *first = p;

	return (struct na_cursor){first, n ? first + n : first, first};
}

static inline size_t na_left(const struct na_cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline uint64_t na_at(const struct na_cursor *c)
{
	return (uint64_t)(c->p - c->base);
}

static inline struct na_text na_text_under(const struct na_cursor *c)
{
	return na_text_n((const char *)c->p, na_left(c));
}

/* Compare n with what is left: a sum of pointers could wrap. */
static inline bool na_skip(struct na_cursor *c, uint64_t n)
{
	if (n > na_left(c))
		return false;
	c->p += n;
	return true;
}

/* Cut a cursor over the next n bytes and move past them. */
static inline bool na_sub(struct na_cursor *c, uint64_t n,
			  struct na_cursor *out)
{
	if (n > na_left(c))
		return false;
	*out = (struct na_cursor){c->p, c->p + n, c->base};
	c->p += n;
	return true;
}

/* No more than n bytes from here on. */
static inline void na_clip(struct na_cursor *c, uint64_t n)
{
	if (n < na_left(c))
		c->end = c->p + n;
}

/* Nothing of the file from byte `at` on. */
static inline void na_clip_at(struct na_cursor *c, size_t at)
{
	if (at < (size_t)(c->end - c->base))
		c->end = c->base + at;
	if (c->p > c->end)
		c->p = c->end;
}

/* The next byte; the caller has seen that there is one. */
static inline uint8_t na_byte(struct na_cursor *c)
{
	return *c->p++;
}

/*
 * A header that may come in pieces: on to size bytes in buf, of which *have
 * are there.  True when it is complete.
 */
static inline bool na_collect(struct na_cursor *c, uint8_t *buf, uint8_t size,
			      uint8_t *have)
{
	size_t due = (size_t)(size - *have), n = na_left(c);

	n = n < due ? n : due;
	memcpy(buf + *have, c->p, n);
	c->p += n;
	*have = (uint8_t)(*have + n);
	return *have == size;
}

/* Numbers at p, of either byte order; the caller has seen that they are
 * there. */
static inline uint16_t na_get16(const uint8_t *p, bool big)
{
	uint16_t x;

	memcpy(&x, p, 2);
	return big == NA_BIG ? x : __builtin_bswap16(x);
}

static inline uint32_t na_get32(const uint8_t *p, bool big)
{
	uint32_t x;

	memcpy(&x, p, 4);
	return big == NA_BIG ? x : __builtin_bswap32(x);
}

static inline uint64_t na_get64(const uint8_t *p, bool big)
{
	uint64_t x;

	memcpy(&x, p, 8);
	return big == NA_BIG ? x : __builtin_bswap64(x);
}

static inline uint32_t na_be16(const uint8_t *p)
{
	return na_get16(p, true);
}

static inline uint32_t na_be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | na_be16(p + 1);
}

static inline uint32_t na_be32(const uint8_t *p)
{
	return na_get32(p, true);
}

/* Little endian. */
static inline bool na_fixed32(struct na_cursor *c, uint64_t *v)
{
	if (na_left(c) < 4)
		return false;
	*v = na_get32(c->p, false);
	c->p += 4;
	return true;
}

static inline bool na_fixed64(struct na_cursor *c, uint64_t *v)
{
	if (na_left(c) < 8)
		return false;
	*v = na_get64(c->p, false);
	c->p += 8;
	return true;
}

/* Any varint at p; returns the byte behind it, or NULL. */
const uint8_t *na_varint_slow(const uint8_t *p, const uint8_t *end,
			      uint64_t *v);

/* Base-128 varint: at most ten bytes, the tenth 0 or 1. */
static inline bool na_varint(struct na_cursor *c, uint64_t *v)
{
	const uint8_t *p = c->p;
	uint64_t x;

	if (p < c->end && p[0] < 0x80) {
		*v = p[0];
		c->p = p + 1;
		return true;
	}
	if (na_left(c) >= 2 && p[1] < 0x80) {
		*v = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		c->p = p + 2;
		return true;
	}
	p = na_varint_slow(p, c->end, &x);
	if (!p)
		return false;
	*v = x;
	c->p = p;
	return true;
}

#endif
