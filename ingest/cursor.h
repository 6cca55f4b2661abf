/*
 * The only code that moves a pointer over input.  A cursor is a view of
 * bytes inside one mapped file; `base` is that file's first byte, so that a
 * message can name the offset.  All functions return false, and leave the
 * cursor where it was, when the bytes are not there.
 */
#ifndef INGEST_CURSOR_H
#define INGEST_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "netan/base/scan.h"

struct na_cursor {
	const uint8_t *p, *end; /* next unread byte, first beyond */
	const uint8_t *base;    /* offset 0 of the file */
};

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
	return na_piece((const char *)c->p, na_left(c));
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

static inline bool na_fixed64(struct na_cursor *c, uint64_t *v)
{
	uint64_t x = 0;

	if (na_left(c) < 8)
		return false;
	for (int i = 7; i >= 0; i--)
		x = x << 8 | c->p[i];
	*v = x;
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
