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

#include "netan/base/err.h"

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
