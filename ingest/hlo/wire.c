#include "ingest/hlo/wire.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ingest/hlo/line.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

bool na_hlo_next_number(const struct na_field *f, struct na_cursor *c,
			bool *first, uint64_t *out)
{
	if ((f->tag & 7) == NA_W_BYTES)
		return na_varint(c, out);
	*out = f->value;
	if (!*first)
		return false;
	*first = false;
	return (f->tag & 7) == NA_W_VARINT;
}

/* ---- shapes */

struct shape {
	uint64_t type, elements, element_bits;
	bool sized; /* every dimension is told */
	uint64_t members;
};

static uint64_t add_sizes(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (a == NA_UNKNOWN_U64 || b == NA_UNKNOWN_U64 ||
	    __builtin_add_overflow(a, b, &sum))
		return NA_UNKNOWN_U64;
	return sum;
}

static void dimensions(struct shape *s, const struct na_field *f)
{
	struct na_cursor c = f->body;
	bool first = true;
	uint64_t x;

	while (na_hlo_next_number(f, &c, &first, &x)) {
		if (x > INT64_MAX ||
		    __builtin_mul_overflow(s->elements, x, &s->elements))
			s->sized = false;
	}
}

static void layout(struct shape *s, struct na_cursor c)
{
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(7, NA_W_VARINT))
			s->element_bits = f.value;
	}
}

/* Elements below a byte take one, unless the layout packs them. */
static uint64_t array_bytes(const struct shape *s)
{
	int bits = na_hlo_type_number_bits(s->type);
	uint64_t all;

	if (bits == 0)
		return 0;
	if (bits < 0 || !s->sized)
		return NA_UNKNOWN_U64;
	if (s->element_bits && s->element_bits < 8)
		bits = (int)s->element_bits;
	else if (bits < 8)
		bits = 8;
	if (__builtin_mul_overflow(s->elements, (uint64_t)bits, &all))
		return NA_UNKNOWN_U64;
	return all / 8 + (all % 8 != 0);
}

static bool shape_bytes(struct na_cursor c, int depth, uint64_t *bytes)
{
	struct shape s = {.elements = 1, .sized = true};
	enum na_next next;
	struct na_field f;
	uint64_t member;

	*bytes = NA_UNKNOWN_U64;
	if (depth == HLO_SHAPE_DEPTH)
		return true;
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(2, NA_W_VARINT)) {
			s.type = f.value;
		} else if (f.tag >> 3 == 3) {
			dimensions(&s, &f);
		} else if (f.tag == NA_TAG(5, NA_W_BYTES)) {
			layout(&s, f.body);
		} else if (f.tag == NA_TAG(4, NA_W_BYTES)) {
			if (!shape_bytes(f.body, depth + 1, &member))
				return false;
			s.members = add_sizes(s.members, member);
		}
	}
	*bytes = add_sizes(array_bytes(&s), s.members);
	return next == NA_NEXT_END;
}

bool na_hlo_shape_bytes(struct na_cursor shape, uint64_t *bytes)
{
	return shape_bytes(shape, 0, bytes);
}

/* PrimitiveType by number. */
/* clang-format off */
static const char *const type_names[] = {
	"invalid", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32",
	"u64", "f16", "f32", "f64", "tuple", "opaque", "c64", "bf16",
	"token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz",
	"f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2", "f8e4m3", "f8e3m4", "s1",
	"u1", "f4e2m1fn", "f8e8m0fnu", "buffer"
};
/* clang-format on */
enum { N_TYPES = sizeof(type_names) / sizeof(type_names[0]) };

static void put_numbers(struct na_hlo_buf *b, const struct na_field *f,
			bool *any)
{
	struct na_cursor c = f->body;
	bool first = true;
	uint64_t x;

	while (na_hlo_next_number(f, &c, &first, &x)) {
		na_hlo_putf(b, "%s%" PRId64, *any ? "," : "", (int64_t)x);
		*any = true;
	}
}

/* All values of one repeated number. */
static void put_list(struct na_hlo_buf *b, struct na_cursor c, uint32_t number)
{
	bool any = false;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag >> 3 == number)
			put_numbers(b, &f, &any);
	}
}

/* What a layout says beside the order of its dimensions is told apart, but
 * not spelled out. */
static void put_layout(struct na_hlo_buf *b, struct na_cursor c)
{
	struct na_cursor all = c;
	uint64_t more = 0;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag >> 3 != 1)
			more = na_hlo_hash(na_hlo_mix(more, f.tag), f.body.p,
					   (size_t)(c.p - f.body.p));
	}
	na_hlo_put(b, "{", 1);
	put_list(b, all, 1);
	if (more)
		na_hlo_putf(b, ":#%08" PRIx32, (uint32_t)(more >> 32));
	na_hlo_put(b, "}", 1);
}

void na_hlo_shape_text(struct na_hlo_buf *b, struct na_cursor shape, int depth)
{
	struct na_cursor c = shape;
	uint64_t type = 0;
	bool any = false;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(2, NA_W_VARINT))
			type = f.value;
	}
	c = shape;
	if (na_hlo_type_number_bits(type) != 0) {
		na_hlo_putf(b, "%s[", type < N_TYPES ? type_names[type] : "?");
		put_list(b, shape, 3);
		na_hlo_put(b, "]", 1);
		while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
			if (f.tag == NA_TAG(5, NA_W_BYTES))
				put_layout(b, f.body);
		}
		return;
	}
	if (type != 13) {
		na_hlo_putf(b, "%s[]", type < N_TYPES ? type_names[type] : "?");
		return;
	}
	na_hlo_put(b, "(", 1);
	while (depth < HLO_SHAPE_DEPTH &&
	       na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(4, NA_W_BYTES))
			continue;
		na_hlo_put(b, ", ", any ? 2 : 0);
		na_hlo_shape_text(b, f.body, depth + 1);
		any = true;
	}
	na_hlo_put(b, ")", 1);
}

/* ---- groups */

bool na_hlo_group_add(struct na_hlo_groups *g, struct na_cursor c)
{
	enum na_next next;
	struct na_field f;
	uint32_t size = 0;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		struct na_cursor ids = f.body;
		bool first = true;
		uint64_t x;

		while (f.tag >> 3 == 1 && size < UINT32_MAX &&
		       na_hlo_next_number(&f, &ids, &first, &x))
			size++;
	}
	if (!g->n)
		g->first_size = size;
	g->uneven |= size != g->first_size;
	g->n += g->n < UINT32_MAX;
	return next == NA_NEXT_END;
}

static bool iota(struct na_hlo_groups *g, struct na_cursor c)
{
	enum na_next next;
	struct na_field f;

	*g = (struct na_hlo_groups){.n = 0};
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		uint32_t x = f.value <= INT32_MAX ? (uint32_t)f.value : 0;

		if (f.tag == NA_TAG(1, NA_W_VARINT))
			g->n = x;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			g->first_size = x;
	}
	return next == NA_NEXT_END;
}

bool na_hlo_device_list(struct na_hlo_groups *g, struct na_cursor c)
{
	enum na_next next;
	struct na_field f;

	*g = (struct na_hlo_groups){.n = 0};
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES) &&
		    !na_hlo_group_add(g, f.body))
			return false;
		if (f.tag == NA_TAG(2, NA_W_BYTES) && !iota(g, f.body))
			return false;
	}
	return next == NA_NEXT_END;
}

void na_hlo_group_text(struct na_hlo_buf *b, struct na_cursor group)
{
	na_hlo_put(b, "{", 1);
	put_list(b, group, 1);
	na_hlo_put(b, "}", 1);
}

static void iota_text(struct na_hlo_buf *b, struct na_cursor c)
{
	struct na_hlo_groups g;

	iota(&g, c);
	na_hlo_putf(b, "[%" PRIu32 ",%" PRIu32 "]<=[", g.n, g.first_size);
	put_list(b, c, 3);
	na_hlo_put(b, "]T(", 3);
	put_list(b, c, 4);
	na_hlo_put(b, ")", 1);
}

void na_hlo_device_list_text(struct na_hlo_buf *b, struct na_cursor c)
{
	bool any = false;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		na_hlo_put(b, ",", any);
		any = true;
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			na_hlo_group_text(b, f.body);
		else if (f.tag == NA_TAG(2, NA_W_BYTES))
			iota_text(b, f.body);
		else
			na_hlo_putf(b, "#%" PRIu32, f.tag >> 3);
	}
}

/* ---- attributes */

static bool entry(struct na_cursor c, struct na_hlo_pair *p)
{
	enum na_next next;
	struct na_field f;

	*p = (struct na_hlo_pair){{"", 0}, {"", 0}};
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			p->key = na_text_under(&f.body);
		else if (f.tag == NA_TAG(2, NA_W_BYTES))
			p->value = na_text_under(&f.body);
	}
	return next == NA_NEXT_END;
}

static int compare(struct na_text a, struct na_text b)
{
	int order = memcmp(a.s, b.s, a.n < b.n ? a.n : b.n);

	return order ? order : NA_CMP(a.n, b.n);
}

NA_ORDER(by_key, struct na_hlo_pair, compare(x->key, y->key),
	 compare(x->value, y->value))

bool na_hlo_attributes(struct na_cursor c, struct na_hlo_pair **pairs,
		       size_t *n, bool *nomem)
{
	enum na_next next;
	struct na_field f;
	size_t cap = 0;

	*pairs = NULL;
	*n = 0;
	*nomem = false;
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(1, NA_W_BYTES))
			continue;
		if (!na_grow(pairs, &cap, *n + 1, sizeof(**pairs))) {
			*nomem = true;
			return false;
		}
		if (!entry(f.body, &(*pairs)[(*n)++]))
			return false;
	}
	na_sort(*pairs, *n, by_key);
	return next == NA_NEXT_END;
}
