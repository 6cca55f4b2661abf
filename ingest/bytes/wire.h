/*
 * Protobuf wire format: fields of one message.
 * Source: protobuf.dev, "Encoding"; the messages themselves are described
 * in xspace.h.  Groups (wire types 3 and 4) and field number 0 are refused.
 */
#ifndef INGEST_BYTES_WIRE_H
#define INGEST_BYTES_WIRE_H

#include "ingest/bytes/cursor.h"

enum na_wire {
	NA_W_VARINT = 0,
	NA_W_FIXED64 = 1,
	NA_W_BYTES = 2,
	NA_W_FIXED32 = 5
};

/* Tag value as it stands in the file: field << 3 | wire type. */
#define NA_TAG(field, wire) ((uint32_t)(field) << 3 | (uint32_t)(wire))

/* One field of a message; `body` is borrowed from its bytes. */
struct na_field {
	uint32_t tag;          /* NA_TAG(number, wire type) */
	uint64_t value;        /* varint, fixed; length of bytes */
	struct na_cursor body; /* of NA_W_BYTES */
};

enum na_next { NA_NEXT_FIELD, NA_NEXT_END, NA_NEXT_BAD };

/* Out of line: any tag, any wire type. */
enum na_next na_field_slow(struct na_cursor *c, struct na_field *f);

/*
 * The next field of the message under c, past which c goes.  NA_NEXT_BAD
 * leaves c at the field that could not be read: an unknown wire type, field
 * number 0, a length beyond the message, a varint that does not end; what
 * stands before it was good.  A loop over fields ends, since each takes a
 * byte at least.
 */
static inline enum na_next na_field_next(struct na_cursor *c,
					 struct na_field *f)
{
	struct na_cursor at = *c;

	if (c->p == c->end)
		return NA_NEXT_END;
	f->tag = na_byte(&at);
	if (f->tag < 8 || (f->tag & 0x80) ||
	    ((f->tag & 7) != NA_W_VARINT && (f->tag & 7) != NA_W_BYTES)) {
		/* Copies, so that c and f may live in registers. */
		struct na_cursor slow = *c;
		struct na_field found;
		enum na_next next = na_field_slow(&slow, &found);

		if (next == NA_NEXT_FIELD) {
			*f = found;
			*c = slow;
		}
		return next;
	}
	if (!na_varint(&at, &f->value))
		return NA_NEXT_BAD;
	f->body = at;
	if ((f->tag & 7) == NA_W_BYTES && !na_sub(&at, f->value, &f->body))
		return NA_NEXT_BAD;
	c->p = at.p;
	return NA_NEXT_FIELD;
}

#endif
