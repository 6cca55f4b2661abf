/*
 * Writing protobuf wire format into memory, lengths in their shortest form
 * as the C++ library writes them.  A nested message is begun, filled and
 * ended; the end puts the length in front and moves the body if it needs
 * more than one byte.  When memory runs out the writer stops and says so
 * in `failed`: look once, at the end.
 *
 *	size_t at = na_wire_begin(w, 4);
 *	na_wire_int(w, 1, id);
 *	na_wire_end(w, at);
 */
#ifndef NETAN_BASE_WIRE_OUT_H
#define NETAN_BASE_WIRE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "netan/base/err.h"

/* Where there is room: to p, and p behind it comes back.  A field takes at
 * most NA_WIRE_FIELD bytes, and what its header says. */
enum { NA_WIRE_VARINT = 0, NA_WIRE_FIXED64 = 1, NA_WIRE_BYTES = 2 };
enum { NA_WIRE_FIELD = 16 };

static inline uint8_t *na_put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 128) {
		*p++ = (uint8_t)(v | 128);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *na_put_uint(uint8_t *p, unsigned field, uint64_t v)
{
	return na_put_varint(na_put_varint(p, field << 3 | NA_WIRE_VARINT), v);
}

/* The length of n bytes that follow; of 0 it takes the byte that
 * na_put_end() will change. */
static inline uint8_t *na_put_header(uint8_t *p, unsigned field, uint64_t n)
{
	return na_put_varint(na_put_varint(p, field << 3 | NA_WIRE_BYTES), n);
}

static inline uint8_t *na_put_fixed64(uint8_t *p, unsigned field, uint64_t v)
{
	p = na_put_varint(p, field << 3 | NA_WIRE_FIXED64);
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
	return p + 8;
}

/* The message of the header that ends at `at` ends at p; it is moved where its
 * length takes more than a byte. */
static inline uint8_t *na_put_end(uint8_t *at, uint8_t *p)
{
	size_t n = (size_t)(p - at), extra = 0;

	if (n < 128) {
		at[-1] = (uint8_t)n;
		return p;
	}
	for (size_t rest = n; rest >= 128; rest >>= 7)
		extra++;
	memmove(at + extra, at, n);
	na_put_varint(at - 1, n);
	return p + extra;
}

struct na_wire { /* starts as zeroes */
	uint8_t *p;
	size_t n, cap;
	bool failed;
};

void na_wire_fini(struct na_wire *w);

/* Room for `more` bytes behind the end; false when memory is short. */
bool na_wire_room(struct na_wire *w, size_t more);

/* A number that is always written, 0 too (members of a oneof). */
void na_wire_uint(struct na_wire *w, unsigned field, uint64_t v);
void na_wire_int(struct na_wire *w, unsigned field, int64_t v);

/* A proto3 scalar: nothing is written for 0. */
void na_wire_scalar(struct na_wire *w, unsigned field, int64_t v);

void na_wire_double(struct na_wire *w, unsigned field, double v);
void na_wire_fixed64(struct na_wire *w, unsigned field, uint64_t v);
void na_wire_bytes(struct na_wire *w, unsigned field, const void *p, size_t n);
void na_wire_str(struct na_wire *w, unsigned field, const char *s);

/* A number without a tag: members of packed fields. */
void na_wire_varint(struct na_wire *w, uint64_t v);

/* Bytes as they are, without a tag; text without its NUL. */
void na_wire_raw(struct na_wire *w, const void *p, size_t n);
void na_wire_text(struct na_wire *w, const char *fmt, ...) NA_PRINTF(2, 3);

/* Only the tag and length of a message whose body of n bytes follows. */
void na_wire_header(struct na_wire *w, unsigned field, uint64_t n);

size_t na_wire_begin(struct na_wire *w, unsigned field);
void na_wire_end(struct na_wire *w, size_t at);

#endif
