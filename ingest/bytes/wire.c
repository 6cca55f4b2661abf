#include "ingest/bytes/wire.h"

const uint8_t *na_varint_slow(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	size_t left = (size_t)(end - p), n = left < 10 ? left : 10;
	uint64_t x = 0;

	for (size_t i = 0; i < n; i++) {
		uint8_t b = p[i];

		if (i == 9 && b > 1)
			return NULL;
		x |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b < 0x80) {
			*v = x;
			return p + i + 1;
		}
	}
	return NULL;
}

enum na_next na_field_slow(struct na_cursor *c, struct na_field *f)
{
	struct na_cursor at = *c;
	uint64_t tag;
	bool ok = false;

	if (!na_varint(&at, &tag) || tag < 8 || tag > UINT32_MAX)
		return NA_NEXT_BAD;
	f->tag = (uint32_t)tag;
	f->body = at;
	switch (tag & 7) {
	case NA_W_VARINT:
		ok = na_varint(&at, &f->value);
		break;
	case NA_W_FIXED64:
		ok = na_fixed64(&at, &f->value);
		break;
	case NA_W_FIXED32:
		ok = na_fixed32(&at, &f->value);
		break;
	case NA_W_BYTES:
		ok = na_varint(&at, &f->value) &&
		     na_sub(&at, f->value, &f->body);
		break;
	}
	if (!ok)
		return NA_NEXT_BAD;
	c->p = at.p;
	return NA_NEXT_FIELD;
}
