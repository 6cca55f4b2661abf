#include "tests/accuracy/sync/pb.h"

enum { VARINT = 0, LENGTH = 2, VARINT_MAX = 10 };

static size_t varint(uint8_t *out, uint64_t v)
{
	size_t n = 0;

	while (v >= 0x80) {
		out[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	out[n++] = (uint8_t)v;
	return n;
}

static void put(struct sy_pb *b, const void *data, size_t n)
{
	b->failed = b->failed ||
		    !na_append(&b->bytes, (const uint8_t *)data, n);
}

static void put_varint(struct sy_pb *b, uint64_t v)
{
	uint8_t out[VARINT_MAX];

	put(b, out, varint(out, v));
}

void sy_pb_int(struct sy_pb *b, uint32_t field, uint64_t value)
{
	put_varint(b, (uint64_t)field << 3 | VARINT);
	put_varint(b, value);
}

void sy_pb_bytes(struct sy_pb *b, uint32_t field, const void *data, size_t n)
{
	put_varint(b, (uint64_t)field << 3 | LENGTH);
	put_varint(b, n);
	put(b, data, n);
}

void sy_pb_text(struct sy_pb *b, uint32_t field, const char *text)
{
	sy_pb_bytes(b, field, text, strlen(text));
}

size_t sy_pb_begin(struct sy_pb *b, uint32_t field)
{
	put_varint(b, (uint64_t)field << 3 | LENGTH);
	return b->bytes.n;
}

/* The length stands before what it counts, which moves behind it. */
void sy_pb_end(struct sy_pb *b, size_t mark)
{
	uint8_t out[VARINT_MAX];
	size_t length = b->bytes.n - mark, n = varint(out, length);

	put(b, out, n);
	if (b->failed)
		return;
	memmove(b->bytes.v + mark + n, b->bytes.v + mark, length);
	memcpy(b->bytes.v + mark, out, n);
}

void sy_pb_fini(struct sy_pb *b)
{
	na_vec_free(&b->bytes);
}
