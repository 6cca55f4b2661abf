#include "tests/unit/proto_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void add(struct proto_bytes *to, const void *p, size_t n)
{
	assert_true(n <= sizeof(to->p) - to->n);
	memcpy(to->p + to->n, p, n);
	to->n += n;
}

void proto_varint(struct proto_bytes *to, uint64_t x)
{
	uint8_t b;

	for (; x >= 0x80; x >>= 7) {
		b = (uint8_t)(x | 0x80);
		add(to, &b, 1);
	}
	b = (uint8_t)x;
	add(to, &b, 1);
}

void proto_number(struct proto_bytes *to, uint32_t field, uint64_t x)
{
	proto_varint(to, (uint64_t)field << 3);
	proto_varint(to, x);
}

static void bytes(struct proto_bytes *to, uint32_t field, const void *p,
		  size_t n)
{
	proto_varint(to, (uint64_t)field << 3 | 2);
	proto_varint(to, n);
	add(to, p, n);
}

void proto_text(struct proto_bytes *to, uint32_t field, const char *s)
{
	bytes(to, field, s, strlen(s));
}

void proto_message(struct proto_bytes *to, uint32_t field,
		   const struct proto_bytes *m)
{
	bytes(to, field, m->p, m->n);
}

void proto_packed(struct proto_bytes *to, uint32_t field, const int64_t *x)
{
	struct proto_bytes all = {.n = 0};

	for (; *x >= 0; x++)
		proto_varint(&all, (uint64_t)*x);
	proto_message(to, field, &all);
}
