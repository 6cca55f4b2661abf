#include "ingest/calls/hpack.h"

#include <malloc.h>
#include <stdlib.h>

#include <nghttp2/nghttp2.h>

#include "ingest/bytes/cursor.h"

enum { MAX_INTEGER = 1 << 28 };

struct na_hpack {
	nghttp2_mem mem;
	nghttp2_hd_inflater *inflater;
	size_t max_bytes;
};

/* ---- memory that is counted */

static void *count(void *p, size_t *used)
{
	if (p)
		*used += malloc_usable_size(p);
	return p;
}

static void mem_free(void *p, void *used)
{
	if (p)
		*(size_t *)used -= malloc_usable_size(p);
	free(p);
}

static void *mem_malloc(size_t n, void *used)
{
	return count(malloc(n), used);
}

static void *mem_calloc(size_t n, size_t size, void *used)
{
	return count(calloc(n, size), used);
}

static void *mem_realloc(void *p, size_t n, void *used)
{
	size_t before = p ? malloc_usable_size(p) : 0;
	void *new = realloc(p, n);

	if (new)
		*(size_t *)used += malloc_usable_size(new) - before;
	return new;
}

struct na_hpack *na_hpack_new(size_t max_bytes, size_t *used)
{
	struct na_hpack *h = mem_malloc(sizeof(*h), used);

	if (!h)
		return NULL;
	h->mem = (nghttp2_mem){used, mem_malloc, mem_free, mem_calloc,
			       mem_realloc};
	h->max_bytes = max_bytes;
	if (nghttp2_hd_inflate_new2(&h->inflater, &h->mem) != 0) {
		mem_free(h, used);
		return NULL;
	}
	if (nghttp2_hd_inflate_change_table_size(h->inflater, max_bytes) != 0) {
		na_hpack_free(h);
		return NULL;
	}
	return h;
}

void na_hpack_free(struct na_hpack *h)
{
	if (!h)
		return;
	nghttp2_hd_inflate_del(h->inflater);
	mem_free(h, h->mem.mem_user_data);
}

/* ---- the structure of a block (RFC 7541, section 6) */

enum kind { INDEXED, INSERT, SIZE, LITERAL };

struct step {
	enum kind kind;
	uint32_t index; /* of the field or its name; SIZE: the new size */
	const uint8_t *p, *name_end, *end; /* name_end: the value follows */
};

static bool integer(struct na_cursor *c, unsigned bits, uint32_t *out)
{
	uint32_t mask = (UINT32_C(1) << bits) - 1, v;
	unsigned shift = 0;
	uint8_t b;

	if (!na_left(c))
		return false;
	v = na_byte(c) & mask;
	if (v == mask) {
		do {
			if (!na_left(c) || shift > 21)
				return false;
			b = na_byte(c);
			v += (uint32_t)(b & 127) << shift;
			shift += 7;
		} while (b & 128);
	}
	*out = v;
	return v < MAX_INTEGER;
}

static bool string(struct na_cursor *c)
{
	uint32_t n;

	return integer(c, 7, &n) && na_skip(c, n);
}

static bool next_step(struct na_cursor *c, struct step *s)
{
	uint8_t b = *c->p;

	s->p = s->name_end = c->p;
	if (b & 128) {
		s->kind = INDEXED;
		if (!integer(c, 7, &s->index) || !s->index)
			return false;
	} else if ((b & 0xe0) == 0x20) {
		s->kind = SIZE;
		if (!integer(c, 5, &s->index))
			return false;
	} else {
		s->kind = b & 64 ? INSERT : LITERAL;
		if (!integer(c, b & 64 ? 6 : 4, &s->index) ||
		    (!s->index && !string(c)))
			return false;
		s->name_end = c->p;
		if (!string(c))
			return false;
	}
	s->end = c->p;
	return true;
}

static bool is_written_out(const struct step *s)
{
	return s->kind == INSERT || s->kind == LITERAL;
}

/* No bytes where an index stands for it. */
static const uint8_t *name_of(const struct step *s)
{
	return s->index ? s->name_end : s->p + 1;
}

void na_hpack_places(const uint8_t *p, size_t n,
		     const struct na_calls_watch *to)
{
	struct na_cursor c = na_cursor_of(p, n);
	struct step s;

	while (na_left(&c) && next_step(&c, &s)) {
		if (is_written_out(&s))
			to->place(to->ctx, name_of(&s), s.name_end, s.end);
	}
}

bool na_hpack_looks_whole(const uint8_t *p, size_t n)
{
	struct na_cursor c = na_cursor_of(p, n);
	struct step s;

	while (na_left(&c)) {
		if (!next_step(&c, &s))
			return false;
	}
	return n > 0;
}

/* ---- into the decoder */

static enum na_status feed(struct na_hpack *h, const uint8_t *p, size_t n,
			   const struct na_hpack_user *user)
{
	struct na_cursor c = na_cursor_of(p, n);

	while (na_left(&c)) {
		nghttp2_nv nv;
		int flags = 0;
		ssize_t took = nghttp2_hd_inflate_hd2(h->inflater, &nv, &flags,
						      c.p, na_left(&c), 0);

		if (took == NGHTTP2_ERR_NOMEM)
			return NA_ENOMEM;
		if (took < 0 || !na_skip(&c, (size_t)took))
			return NA_EFORMAT;
		if (flags & NGHTTP2_HD_INFLATE_EMIT)
			user->field(user->ctx, nv.name, nv.namelen, nv.value,
				    nv.valuelen);
		else if (!took)
			return NA_EFORMAT;
	}
	return NA_OK;
}

static void ignore(void *ctx, const uint8_t *name, size_t name_n,
		   const uint8_t *value, size_t value_n)
{
	(void)ctx, (void)name, (void)name_n, (void)value, (void)value_n;
}

static const struct na_hpack_user nobody = {.field = ignore};

/* What the sender says of its table, as far as ours goes. */
static enum na_status resize(struct na_hpack *h, uint32_t size)
{
	uint8_t b[6] = {0x3f};
	size_t n = 1;
	uint32_t v;

	if (size > h->max_bytes)
		size = (uint32_t)h->max_bytes;
	if (size < 31) {
		b[0] = (uint8_t)(0x20 | size);
		return feed(h, b, 1, &nobody);
	}
	for (v = size - 31; v > 127; v >>= 7)
		b[n++] = (uint8_t)(128 | (v & 127));
	b[n++] = (uint8_t)v;
	return feed(h, b, n, &nobody);
}

static enum na_status step(struct na_hpack *h, const struct step *s,
			   const struct na_hpack_user *user)
{
	static const uint8_t nameless[] = {0x40, 1, '?'};
	enum na_status status;

	if (s->kind == SIZE)
		return resize(h, s->index);
	if (s->index <= nghttp2_hd_inflate_get_num_table_entries(h->inflater))
		return feed(h, s->p, (size_t)(s->end - s->p), user);
	user->unknown(user->ctx);
	if (s->kind != INSERT)
		return NA_OK;
	status = feed(h, nameless, sizeof(nameless), &nobody);
	if (status != NA_OK)
		return status;
	return feed(h, s->name_end, (size_t)(s->end - s->name_end), &nobody);
}

enum na_status na_hpack_block(struct na_hpack *h, const uint8_t *p, size_t n,
			      bool whole, const struct na_hpack_user *user)
{
	struct na_cursor c = na_cursor_of(p, n);
	enum na_status status = NA_OK;
	bool fields = false;
	struct step s;

	while (na_left(&c) && status == NA_OK) {
		if (!next_step(&c, &s))
			return whole ? NA_EFORMAT : NA_OK;
		if (s.kind == SIZE && fields)
			return NA_EFORMAT;
		fields |= s.kind != SIZE;
		if (user->place)
			user->place(user->ctx,
				    is_written_out(&s) ? name_of(&s) : NULL,
				    s.name_end, s.end);
		status = step(h, &s, user);
	}
	nghttp2_hd_inflate_end_headers(h->inflater);
	return status;
}
