#include "tests/unit/odd_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bytes {
	uint8_t *p;
	size_t n, cap;
};

/* Encoded fields; those with one number keep their order. */
struct piece {
	uint32_t queue;
	struct bytes b;
};
struct pieces {
	struct piece *at;
	size_t n;
	struct na_rng *rng;
};

static void put(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n) + 16;
		b->p = realloc(b->p, b->cap);
		assert_non_null(b->p);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_varint(struct bytes *b, uint64_t x)
{
	uint8_t byte;

	for (; x >= 0x80; x >>= 7) {
		byte = (uint8_t)(x | 0x80);
		put(b, &byte, 1);
	}
	byte = (uint8_t)x;
	put(b, &byte, 1);
}

/* Now and then one byte longer than it must be. */
static void put_odd_varint(struct bytes *b, uint64_t x, struct na_rng *rng)
{
	put_varint(b, x);
	if (x < UINT64_C(1) << 60 && na_rng_below(rng, 16) == 0) {
		b->p[b->n - 1] |= 0x80;
		put(b, "", 1);
	}
}

static struct bytes *piece(struct pieces *s, uint32_t queue)
{
	s->at = realloc(s->at, (s->n + 1) * sizeof(*s->at));
	assert_non_null(s->at);
	s->at[s->n] = (struct piece){queue, {NULL, 0, 0}};
	return &s->at[s->n++].b;
}

static void put_text(struct bytes *b, uint32_t field, const void *p, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	put(b, p, n);
}

static void put_message(struct bytes *b, uint32_t field,
			const ProtobufCMessage *m, struct na_rng *rng)
{
	size_t n;
	uint8_t *p = odd_pack(m, rng, &n);

	put_text(b, field, p, n);
	free(p);
}

/* One value at `at`, of a field or of a list. */
static void put_value(struct bytes *b, const ProtobufCFieldDescriptor *f,
		      const void *at, struct na_rng *rng)
{
	const ProtobufCBinaryData *data = at;
	const char *text;
	uint64_t x;

	switch (f->type) {
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_UINT64:
		memcpy(&x, at, 8);
		put_varint(b, f->id << 3);
		put_odd_varint(b, x, rng);
		break;
	case PROTOBUF_C_TYPE_DOUBLE:
		put_varint(b, f->id << 3 | 1);
		put(b, at, 8);
		break;
	case PROTOBUF_C_TYPE_STRING:
		memcpy(&text, at, sizeof(text));
		put_text(b, f->id, text, strlen(text));
		break;
	case PROTOBUF_C_TYPE_BYTES:
		put_text(b, f->id, data->data, data->len);
		break;
	case PROTOBUF_C_TYPE_MESSAGE:
		memcpy(&text, at, sizeof(text));
		put_message(b, f->id, (const void *)text, rng);
		break;
	default:
		fail_msg("type %d is not packed here", (int)f->type);
	}
}

static bool is_default(const ProtobufCFieldDescriptor *f, const void *at)
{
	const char *text;

	if (f->type == PROTOBUF_C_TYPE_BYTES)
		return ((const ProtobufCBinaryData *)at)->len == 0;
	memcpy(&text, at, sizeof(text));
	if (f->type == PROTOBUF_C_TYPE_STRING)
		return !text || !*text;
	return text == NULL; /* eight zero bytes, or no message */
}

/* Something else of the same type, which the real value then overrides. */
static void put_decoy(struct bytes *b, const ProtobufCFieldDescriptor *f,
		      struct na_rng *rng)
{
	uint64_t x = na_rng_below(rng, 100);

	switch (f->type) {
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_UINT64:
		put_varint(b, f->id << 3);
		put_varint(b, x);
		break;
	case PROTOBUF_C_TYPE_STRING:
		put_text(b, f->id, "decoy", 5);
		break;
	default:
		break;
	}
}

static bool contains_planes(const ProtobufCMessage *m)
{
	return strcmp(m->descriptor->short_name, "XPlane") == 0 ||
	       strcmp(m->descriptor->short_name, "XSpace") == 0;
}

static void singular(struct pieces *s, const ProtobufCMessage *m,
		     const ProtobufCFieldDescriptor *f)
{
	const void *at = (const char *)m + f->offset;
	bool oneof = f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
	uint32_t queue = oneof ? 1000 : f->id;
	int set = 0;

	if (oneof) {
		memcpy(&set, (const char *)m + f->quantifier_offset,
		       sizeof(set));
		if (set != (int)f->id)
			return;
	} else if (is_default(f, at)) {
		if (f->type == PROTOBUF_C_TYPE_INT64 &&
		    na_rng_below(s->rng, 4) == 0)
			put_value(piece(s, queue), f, at, s->rng);
		return;
	}
	/* The name of a plane and the head of a line count at first sight. */
	if (!contains_planes(m) &&
	    strcmp(m->descriptor->short_name, "XLine") != 0 &&
	    na_rng_below(s->rng, 8) == 0)
		put_decoy(piece(s, queue), f, s->rng);
	put_value(piece(s, queue), f, at, s->rng);
}

static void repeated(struct pieces *s, const ProtobufCMessage *m,
		     const ProtobufCFieldDescriptor *f)
{
	const char *list;
	size_t n, step = f->type == PROTOBUF_C_TYPE_BYTES
				 ? sizeof(ProtobufCBinaryData)
				 : 8;

	memcpy(&n, (const char *)m + f->quantifier_offset, sizeof(n));
	memcpy(&list, (const char *)m + f->offset, sizeof(list));
	for (size_t i = 0; i < n; i++)
		put_value(piece(s, f->id), f, list + i * step, s->rng);
}

static void unknown(struct pieces *s)
{
	uint32_t field = 20 + (uint32_t)na_rng_below(s->rng, 3000);
	struct bytes *b = piece(s, 2000);

	switch (na_rng_below(s->rng, 4)) {
	case 0:
		put_varint(b, field << 3);
		put_varint(b, UINT64_MAX);
		break;
	case 1:
		put_varint(b, field << 3 | 1);
		put(b, "\x12\x34\x56\x78\x9a\xbc\xde\xf0", 8);
		break;
	case 2:
		put_text(b, field, "\x0a\xff what is this \x22", 16);
		break;
	default:
		put_varint(b, field << 3 | 5);
		put(b, "\xff\xff\xff\xff", 4);
	}
}

/* Take the pieces in any order, but those of one queue in theirs. */
static void shuffle(struct pieces *s, struct bytes *out)
{
	size_t left = s->n;

	while (left) {
		size_t k = (size_t)na_rng_below(s->rng, s->n);

		while (s->at[k].queue == UINT32_MAX)
			k = (k + 1) % s->n;
		for (size_t i = 0; i < k; i++) {
			if (s->at[i].queue == s->at[k].queue) {
				k = i;
				break;
			}
		}
		put(out, s->at[k].b.p, s->at[k].b.n);
		s->at[k].queue = UINT32_MAX;
		left--;
	}
}

uint8_t *odd_pack(const ProtobufCMessage *m, struct na_rng *rng, size_t *n)
{
	struct pieces s = {NULL, 0, rng};
	struct bytes out = {NULL, 0, 0};

	for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];

		if (f->label == PROTOBUF_C_LABEL_REPEATED)
			repeated(&s, m, f);
		else
			singular(&s, m, f);
	}
	if (!contains_planes(m) && na_rng_below(rng, 6) == 0)
		unknown(&s);
	if (s.n)
		shuffle(&s, &out);
	/* The first field of a file and of a plane tell what it is. */
	if (contains_planes(m) && s.n && na_rng_below(rng, 3) == 0) {
		unknown(&s);
		put(&out, s.at[s.n - 1].b.p, s.at[s.n - 1].b.n);
	}
	for (size_t i = 0; i < s.n; i++)
		free(s.at[i].b.p);
	free(s.at);
	if (!out.p)
		out.p = malloc(1);
	*n = out.n;
	return out.p;
}
