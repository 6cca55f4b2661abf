#include "ingest/transfer_file/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "ingest/bytes/wire.h"
#include "ingest/transfer_file/format.h"
#include "netan/base/vec.h"

enum { ZSTD_LEVEL = 4 };

void na_xf_bytes_fini(struct na_xf_bytes *b)
{
	free(b->p);
	*b = (struct na_xf_bytes){.p = NULL};
}

static bool room(struct na_xf_bytes *b, size_t n)
{
	if (b->failed || n > SIZE_MAX - b->n ||
	    !na_grow(&b->p, &b->cap, b->n + n, 1))
		b->failed = true;
	return !b->failed;
}

void na_xf_put(struct na_xf_bytes *b, const void *p, size_t n)
{
	if (n && room(b, n)) {
		memcpy(b->p + b->n, p, n);
		b->n += n;
	}
}

static size_t varint(uint8_t *out, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

void na_xf_put_varint(struct na_xf_bytes *b, uint64_t v)
{
	if (room(b, 10))
		b->n += varint(b->p + b->n, v);
}

void na_xf_put_uint(struct na_xf_bytes *b, uint32_t field, uint64_t v)
{
	if (!v)
		return;
	na_xf_put_varint(b, NA_TAG(field, NA_W_VARINT));
	na_xf_put_varint(b, v);
}

void na_xf_put_sint(struct na_xf_bytes *b, uint32_t field, int64_t v)
{
	na_xf_put_uint(b, field, na_xf_zigzag(v));
}

void na_xf_put_field(struct na_xf_bytes *b, uint32_t field, const void *p,
		     size_t n)
{
	na_xf_put_varint(b, NA_TAG(field, NA_W_BYTES));
	na_xf_put_varint(b, n);
	na_xf_put(b, p, n);
}

void na_xf_put_message(struct na_xf_bytes *to, uint32_t field,
		       struct na_xf_bytes *message)
{
	na_xf_put_field(to, field, message->p, message->n);
	to->failed |= message->failed;
	na_xf_bytes_fini(message);
}

void na_xf_put_text(struct na_xf_bytes *b, uint32_t field, const char *s)
{
	if (s && *s)
		na_xf_put_field(b, field, s, strlen(s));
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static size_t length_of(uint64_t v)
{
	return ((size_t)(63 - __builtin_clzll(v | 1)) + 7) / 7;
}

/* What of a column decides its form. */
struct shape {
	bool constant, unknown; /* all alike; some are unknown */
	int64_t min;            /* of the known */
	uint64_t raw_unit, delta_unit;
	uint64_t raw_bytes, delta_bytes;
};

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void extent(struct shape *s, const int64_t *v, size_t n, int64_t unknown)
{
	bool any = false;

	s->constant = true;
	for (size_t i = 0; i < n; i++) {
		s->constant &= v[i] == v[0];
		if (unknown && v[i] == unknown) {
			s->unknown = true;
			continue;
		}
		if (!any || v[i] < s->min)
			s->min = v[i];
		any = true;
	}
}

/* The greatest common divisor, and what is left to write. */
static void weigh(struct shape *s, const int64_t *v, size_t n, int64_t unknown)
{
	for (size_t i = 0; i < n; i++) {
		if (!(unknown && v[i] == unknown) && s->raw_unit != 1)
			s->raw_unit = gcd(s->raw_unit,
					  (uint64_t)minus(v[i], s->min));
		if (i && s->delta_unit != 1)
			s->delta_unit = gcd(s->delta_unit,
					    magnitude(minus(v[i], v[i - 1])));
	}
	s->raw_unit += !s->raw_unit;
	s->delta_unit += !s->delta_unit;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = (uint64_t)minus(v[i], s->min) / s->raw_unit;
		int64_t d = i ? minus(v[i], v[i - 1]) : 0;

		s->raw_bytes += length_of(x);
		s->delta_bytes += length_of(2 * (magnitude(d) / s->delta_unit));
	}
}

static void put_raw(struct na_xf_bytes *b, const struct shape *s,
		    const int64_t *v, size_t n, int64_t unknown)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t x = (uint64_t)minus(v[i], s->min) / s->raw_unit;

		if (s->unknown)
			x = v[i] == unknown ? 0 : x + 1;
		b->n += varint(b->p + b->n, x);
	}
}

static void put_delta(struct na_xf_bytes *b, const struct shape *s,
		      const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t d = i ? minus(v[i], v[i - 1]) : 0;
		uint64_t x = magnitude(d) / s->delta_unit;

		/* -2^63 / 1 stays itself in two's complement. */
		x = na_xf_zigzag((int64_t)(d < 0 ? 0 - x : x));
		b->n += varint(b->p + b->n, x);
	}
}

static void put_rows(struct na_xf_bytes *to, const struct shape *s,
		     enum na_xf_mode mode, const int64_t *v, size_t n,
		     int64_t unknown)
{
	struct na_xf_bytes rows = {.p = NULL};

	if (n <= SIZE_MAX / 10 && room(&rows, 10 * n)) {
		if (mode == XF_RAW)
			put_raw(&rows, s, v, n, unknown);
		else
			put_delta(&rows, s, v, n);
		na_xf_put_field(to, 6, rows.p, rows.n);
	}
	to->failed |= rows.failed;
	na_xf_bytes_fini(&rows);
}

void na_xf_put_column(struct na_xf_bytes *b, uint32_t field, const int64_t *v,
		      size_t n, int64_t unknown)
{
	struct shape s = {.constant = true};
	struct na_xf_bytes c = {.p = NULL};
	enum na_xf_mode mode;

	if (!n)
		return;
	extent(&s, v, n, unknown);
	if (s.constant && !v[0])
		return;
	na_xf_put_uint(&c, 1, field);
	if (s.constant) {
		na_xf_put_sint(&c, 3, v[0]);
	} else {
		weigh(&s, v, n, unknown);
		/* Differences hide that values repeat: they must save more. */
		mode = !s.unknown && s.delta_bytes + n / 2 < s.raw_bytes
			       ? XF_DELTA
			       : XF_RAW;
		na_xf_put_uint(&c, 2, mode);
		na_xf_put_sint(&c, 3, mode == XF_RAW ? s.min : v[0]);
		na_xf_put_uint(&c, 4,
			       mode == XF_RAW ? s.raw_unit : s.delta_unit);
		na_xf_put_uint(&c, 5, mode == XF_RAW && s.unknown);
		put_rows(&c, &s, mode, v, n, unknown);
	}
	na_xf_put_field(b, 1, c.p, c.n);
	b->failed |= c.failed;
	na_xf_bytes_fini(&c);
}

void na_xf_put_packed(struct na_xf_bytes *b, struct ZSTD_CCtx_s *z,
		      uint32_t raw_bytes, const struct na_xf_bytes *payload)
{
	size_t bound = ZSTD_compressBound(payload->n), n;
	struct na_xf_bytes packed = {.p = NULL};

	if (room(&packed, bound)) {
		n = z ? ZSTD_compressCCtx(z, packed.p, bound, payload->p,
					  payload->n, ZSTD_LEVEL)
		      : ZSTD_compress(packed.p, bound, payload->p, payload->n,
				      ZSTD_LEVEL);
		packed.failed = ZSTD_isError(n) != 0;
		na_xf_put_uint(b, raw_bytes, payload->n);
		if (!packed.failed)
			na_xf_put_field(b, raw_bytes + 1, packed.p, n);
	}
	b->failed |= payload->failed || packed.failed;
	na_xf_bytes_fini(&packed);
}

void na_xf_put_section(struct na_xf_bytes *b, struct ZSTD_CCtx_s *z,
		       uint32_t kind, uint64_t n,
		       const struct na_xf_bytes *payload)
{
	struct na_xf_bytes s = {.p = NULL};

	na_xf_put_uint(&s, 1, kind);
	na_xf_put_uint(&s, 2, n);
	na_xf_put_packed(&s, z, 3, payload);
	na_xf_put_field(b, 1, s.p, s.n);
	b->failed |= s.failed;
	na_xf_bytes_fini(&s);
}
