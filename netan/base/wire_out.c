#include "netan/base/wire_out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };
enum { MAX_VARINT = 10, MAX_TAG_AND_VARINT = 16 };

void na_wire_fini(struct na_wire *w)
{
	free(w->p);
	memset(w, 0, sizeof(*w));
}

bool na_wire_room(struct na_wire *w, size_t more)
{
	if (w->cap - w->n >= more)
		return true;
	if (w->failed || more > SIZE_MAX - w->n ||
	    !na_grow(&w->p, &w->cap, w->n + more, 1)) {
		w->failed = true;
		return false;
	}
	return true;
}

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	while (v >= 128) {
		*p++ = (uint8_t)(v | 128);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static void put_tag(struct na_wire *w, unsigned field, unsigned type,
		    uint64_t v)
{
	uint8_t *p;

	if (!na_wire_room(w, MAX_TAG_AND_VARINT))
		return;
	p = put_varint(w->p + w->n, field << 3 | type);
	p = put_varint(p, v);
	w->n = (size_t)(p - w->p);
}

void na_wire_uint(struct na_wire *w, unsigned field, uint64_t v)
{
	put_tag(w, field, VARINT, v);
}

void na_wire_int(struct na_wire *w, unsigned field, int64_t v)
{
	put_tag(w, field, VARINT, (uint64_t)v);
}

void na_wire_scalar(struct na_wire *w, unsigned field, int64_t v)
{
	if (v)
		na_wire_int(w, field, v);
}

void na_wire_double(struct na_wire *w, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	na_wire_fixed64(w, field, bits);
}

void na_wire_fixed64(struct na_wire *w, unsigned field, uint64_t v)
{
	uint8_t le[8];

	for (unsigned i = 0; i < 8; i++)
		le[i] = (uint8_t)(v >> 8 * i);
	if (!na_wire_room(w, MAX_TAG_AND_VARINT))
		return;
	w->n = (size_t)(put_varint(w->p + w->n, field << 3 | FIXED64) - w->p);
	na_wire_raw(w, le, sizeof(le));
}

void na_wire_raw(struct na_wire *w, const void *p, size_t n)
{
	if (!n || !na_wire_room(w, n))
		return;
	memcpy(w->p + w->n, p, n);
	w->n += n;
}

void na_wire_text(struct na_wire *w, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (na_wire_room(w, (size_t)n + 1)) {
		vsnprintf((char *)w->p + w->n, (size_t)n + 1, fmt, ap);
		w->n += (size_t)n;
	}
	va_end(ap);
}

void na_wire_varint(struct na_wire *w, uint64_t v)
{
	if (na_wire_room(w, MAX_VARINT))
		w->n = (size_t)(put_varint(w->p + w->n, v) - w->p);
}

void na_wire_header(struct na_wire *w, unsigned field, uint64_t n)
{
	put_tag(w, field, BYTES, n);
}

void na_wire_bytes(struct na_wire *w, unsigned field, const void *p, size_t n)
{
	na_wire_header(w, field, n);
	na_wire_raw(w, p, n);
}

void na_wire_str(struct na_wire *w, unsigned field, const char *s)
{
	na_wire_bytes(w, field, s, strlen(s));
}

size_t na_wire_begin(struct na_wire *w, unsigned field)
{
	/* A length of 0 takes the one byte that end() will patch. */
	put_tag(w, field, BYTES, 0);
	return w->n;
}

void na_wire_end(struct na_wire *w, size_t at)
{
	uint8_t head[MAX_VARINT];
	size_t body, extra;

	if (w->failed)
		return;
	body = w->n - at;
	extra = (size_t)(put_varint(head, body) - head) - 1;
	if (extra) {
		if (!na_wire_room(w, extra))
			return;
		memmove(w->p + at + extra, w->p + at, body);
		w->n += extra;
	}
	memcpy(w->p + at - 1, head, extra + 1);
}
