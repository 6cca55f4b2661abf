#include "netan/base/wire_out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { MAX_VARINT = 10 };

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

static void put_tag(struct na_wire *w, unsigned field, unsigned type,
		    uint64_t v)
{
	uint8_t *p;

	if (!na_wire_room(w, NA_WIRE_FIELD))
		return;
	p = na_put_varint(w->p + w->n, field << 3 | type);
	p = na_put_varint(p, v);
	w->n = (size_t)(p - w->p);
}

void na_wire_uint(struct na_wire *w, unsigned field, uint64_t v)
{
	put_tag(w, field, NA_WIRE_VARINT, v);
}

void na_wire_int(struct na_wire *w, unsigned field, int64_t v)
{
	put_tag(w, field, NA_WIRE_VARINT, (uint64_t)v);
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
	if (na_wire_room(w, NA_WIRE_FIELD))
		w->n = (size_t)(na_put_fixed64(w->p + w->n, field, v) - w->p);
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
		w->n = (size_t)(na_put_varint(w->p + w->n, v) - w->p);
}

void na_wire_header(struct na_wire *w, unsigned field, uint64_t n)
{
	put_tag(w, field, NA_WIRE_BYTES, n);
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
	put_tag(w, field, NA_WIRE_BYTES, 0);
	return w->n;
}

void na_wire_end(struct na_wire *w, size_t at)
{
	if (!w->failed && na_wire_room(w, MAX_VARINT))
		w->n = (size_t)(na_put_end(w->p + at, w->p + w->n) - w->p);
}
