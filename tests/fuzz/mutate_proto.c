/*
 * A protobuf message: one of its fields, at any depth, is changed, doubled,
 * moved or taken out, and the lengths of what it lies in follow.
 */
#include "tests/fuzz/mutate.h"

enum { MOST_FIELDS = 4096, DEPTH = 8, VARINT = 10, MOST_PIECE = 4096 };

struct field {
	uint32_t parent;         /* index and one; 0: the message itself */
	size_t at, value, end;   /* of the tag, of the value behind its length */
	size_t length_at;        /* of the length; value: it has none */
};

struct fields {
	struct field v[MOST_FIELDS];
	size_t n;
};

static bool get_varint(const uint8_t *p, size_t end, size_t *at, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *at < end && shift < 70; shift += 7) {
		uint8_t byte = p[(*at)++];

		*v |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
		if (!(byte & 128))
			return true;
	}
	return false;
}

static size_t put_varint(uint8_t to[VARINT], uint64_t v)
{
	size_t n = 0;

	for (; v > 127; v >>= 7)
		to[n++] = (uint8_t)(v | 128);
	to[n++] = (uint8_t)v;
	return n;
}

/* The next field at *at; false: none such. */
static bool get_field(const uint8_t *p, size_t *at, size_t end,
		      struct field *f)
{
	uint64_t tag, n = 0;

	f->at = *at;
	if (!get_varint(p, end, at, &tag) || !(tag >> 3))
		return false;
	f->length_at = f->value = *at;
	switch (tag & 7) {
	case 0:
		if (!get_varint(p, end, at, &n))
			return false;
		f->end = *at;
		return true;
	case 2:
		if (!get_varint(p, end, at, &n))
			return false;
		f->value = *at;
		break;
	case 1: n = 8; break;
	case 5: n = 4; break;
	default: return false;
	}
	if (n > end - *at)
		return false;
	f->end = *at += (size_t)n;
	return true;
}

/* All fields of a message; false where it is none. */
static bool is_message(const uint8_t *p, size_t at, size_t end)
{
	struct field f;

	while (at < end) {
		if (!get_field(p, &at, end, &f))
			return false;
	}
	return true;
}

static void find_fields(struct fields *l, const uint8_t *p, size_t at,
			size_t end, uint32_t parent, int depth)
{
	struct field f;

	while (at < end && l->n < MOST_FIELDS && get_field(p, &at, end, &f)) {
		f.parent = parent;
		l->v[l->n++] = f;
		if (f.length_at < f.value && f.value < f.end && depth < DEPTH &&
		    is_message(p, f.value, f.end))
			find_fields(l, p, f.value, f.end, (uint32_t)l->n,
				    depth + 1);
	}
}

/* with[n] in place of `was` bytes at `at`, which is in field `in` (index and
 * one), and in all that that is in. */
static bool replace(struct mutated *m, const struct fields *l, uint32_t in,
		    size_t at, size_t was, const uint8_t *with, size_t n)
{
	bool ok = mutate_splice(m, at, was, with, n);
	size_t grown = n - was; /* modulo 2^64 */

	for (; ok && in; in = l->v[in - 1].parent) {
		const struct field *f = &l->v[in - 1];
		uint8_t length[VARINT];
		size_t k = put_varint(length, f->end - f->value + grown);

		ok = mutate_splice(m, f->length_at, f->value - f->length_at,
				   length, k);
		grown += k - (f->value - f->length_at);
	}
	return ok;
}

static bool change_value(struct mutated *m, const struct fields *l,
			 const struct field *f)
{
	uint8_t piece[MOST_PIECE];
	size_t n = f->end - f->value;

	if (n > sizeof(piece) / 2)
		return false;
	memcpy(piece, m->p + f->value, n);
	n = LLVMFuzzerMutate(piece, n, sizeof(piece));
	if (f->length_at == f->value)
		return replace(m, l, f->parent, f->value, f->end - f->value,
			       piece, n);
	return replace(m, l, (uint32_t)(f - l->v) + 1, f->value,
		       f->end - f->value, piece, n);
}

/* A number as files have them: small, large, or next to a limit. */
static bool change_number(struct mutated *m, const struct fields *l,
			  const struct field *f, uint32_t *seed)
{
	uint64_t v = (uint64_t)1 << mutate_below(seed, 64);
	uint8_t piece[VARINT];
	size_t n;

	if (f->length_at < f->value || (m->p[f->at] & 7) != 0)
		return change_value(m, l, f);
	v += mutate_below(seed, 3) - 1;
	n = put_varint(piece, mutate_below(seed, 2) ? v : 0 - v);
	return replace(m, l, f->parent, f->value, f->end - f->value, piece, n);
}

/* A copy of one field in front of another, there or in another message. */
static bool copy_field(struct mutated *m, const struct fields *l,
		       const struct field *from, const struct field *to)
{
	uint8_t piece[MOST_PIECE];
	size_t n = from->end - from->at;

	if (n > sizeof(piece))
		return false;
	memcpy(piece, m->p + from->at, n);
	return replace(m, l, to->parent, to->at, 0, piece, n);
}

static bool mutate_fields(struct mutated *m, const struct fields *l,
			  uint32_t *seed)
{
	const struct field *f = &l->v[mutate_below(seed, l->n)];

	switch (mutate_below(seed, 8)) {
	case 0:
		return replace(m, l, f->parent, f->at, f->end - f->at, NULL, 0);
	case 1: return copy_field(m, l, f, f);
	case 2:
		return copy_field(m, l, f, &l->v[mutate_below(seed, l->n)]);
	case 3:
	case 4: return change_number(m, l, f, seed);
	default: return change_value(m, l, f);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	/* Large, and needed a thousand times a second. */
	static struct fields l;
	struct mutated m = {data, size, most};
	uint32_t random = seed;
	bool ok;

	l.n = 0;
	find_fields(&l, data, 0, size, 0, 0);
	/* Now and then without a plan, for what is no message. */
	ok = l.n && mutate_below(&random, 8) && mutate_fields(&m, &l, &random);
	return ok ? m.n : LLVMFuzzerMutate(data, m.n, most);
}
