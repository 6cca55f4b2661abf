/*
 * Varints and fields, each in a block of exactly its size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/bytes/wire.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define B(...) \
	sizeof((const uint8_t[]){__VA_ARGS__}), \
	{ \
		__VA_ARGS__ \
	}

/* A cursor over a copy that ends where its block does. */
static uint8_t *exact(const uint8_t *bytes, size_t n, struct na_cursor *c)
{
	uint8_t *p = malloc(n);

	assert_non_null(p);
	memcpy(p, bytes, n);
	*c = (struct na_cursor){p, p + n, p};
	return p;
}

static void varints(void **state)
{
	static const struct {
		uint64_t want;
		size_t takes, n; /* takes 0: refused */
		uint8_t b[12];
	} rows[] = {
		{0, 1, B(0x00)},
		{127, 1, B(0x7f)},
		{128, 2, B(0x80, 0x01)},
		{300, 2, B(0xac, 0x02, 0xff)},
		{16383, 2, B(0xff, 0x7f)},
		{16384, 3, B(0x80, 0x80, 0x01)},
		/* Longer than it must be. */
		{5, 2, B(0x85, 0x00)},
		{5, 3, B(0x85, 0x80, 0x00)},
		{5, 10,
		 B(0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00)},
		{UINT64_MAX, 10,
		 B(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)},
		{UINT64_C(1) << 63, 10,
		 B(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)},
		{INT64_MAX, 9,
		 B(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)},
		/* The tenth byte is 0 or 1, and the last. */
		{0, 0,
		 B(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02)},
		{0, 0,
		 B(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f)},
		{0, 0,
		 B(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81,
		   0x00)},
		{0, 0, B(0x80)},
		{0, 0, B(0x80, 0x80)},
		{0, 0, B(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t got = 77;
		struct na_cursor c;
		uint8_t *p = exact(rows[i].b, rows[i].n, &c);
		bool ok = na_varint(&c, &got);

		assert_int_equal(ok, rows[i].takes > 0);
		assert_true(c.p == p + rows[i].takes);
		assert_true(got == (ok ? rows[i].want : 77));
		free(p);
	}
}

static void varints_of_nothing(void **state)
{
	uint8_t byte = 0;
	struct na_cursor c = {&byte, &byte, &byte};
	struct na_field f;
	uint64_t v;

	(void)state;
	assert_false(na_varint(&c, &v));
	assert_false(na_fixed64(&c, &v));
	assert_int_equal(na_field_next(&c, &f), NA_NEXT_END);
	assert_true(na_skip(&c, 0));
	assert_false(na_skip(&c, 1));
	assert_false(na_skip(&c, UINT64_MAX));
}

static void fields(void **state)
{
	static const struct {
		enum na_next want;
		uint32_t tag;
		uint64_t value;
		size_t takes, n;
		uint8_t b[16];
	} rows[] = {
		{NA_NEXT_FIELD, 0x08, 1, 2, B(0x08, 0x01)},
		{NA_NEXT_FIELD, 0x0a, 0, 2, B(0x0a, 0x00, 0x08)},
		{NA_NEXT_FIELD, 0x0a, 2, 4, B(0x0a, 0x02, 'x', 'y', 'z')},
		{NA_NEXT_FIELD, 0x11, UINT64_C(0x8877665544332211), 9,
		 B(0x11, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88)},
		{NA_NEXT_FIELD, 0x15, 0, 5, B(0x15, 1, 2, 3, 4)},
		/* Large field numbers; a tag longer than it must be. */
		{NA_NEXT_FIELD, 0x80 | 0x02, 1, 4, B(0x82, 0x01, 0x01, 'x')},
		{NA_NEXT_FIELD, 0x08, 7, 3, B(0x88, 0x00, 0x07)},
		{NA_NEXT_FIELD, UINT32_MAX - 7, 1, 6,
		 B(0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x80, 0x80, 0x80, 0x80, 0x10, 0x01)},
		/* Field 0, groups, wire types that there are not. */
		{NA_NEXT_BAD, 0, 0, 0, B(0x00, 0x01)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x02, 0x00)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x80, 0x00, 0x01)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x0b, 0x0c)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x0c)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x0e, 0x00)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x0f, 0x00)},
		/* Cut off. */
		{NA_NEXT_BAD, 0, 0, 0, B(0x08)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x08, 0x80)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x0a)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x0a, 0x02, 'x')},
		{NA_NEXT_BAD, 0, 0, 0, B(0x11, 1, 2, 3, 4, 5, 6, 7)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x15, 1, 2, 3)},
		{NA_NEXT_BAD, 0, 0, 0, B(0x80)},
		/* Lengths that a sum of pointers would wrap with. */
		{NA_NEXT_BAD, 0, 0, 0,
		 B(0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		   0x01, 'x')},
		{NA_NEXT_BAD, 0, 0, 0,
		 B(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		   0x01, 'x')},
		{NA_NEXT_BAD, 0, 0, 0,
		 B(0x82, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		   0x7f, 'x')},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct na_cursor c;
		struct na_field f = {.tag = 0};
		uint8_t *p = exact(rows[i].b, rows[i].n, &c);

		assert_int_equal(na_field_next(&c, &f), rows[i].want);
		assert_true(c.p == p + rows[i].takes);
		if (rows[i].want == NA_NEXT_FIELD) {
			assert_int_equal(f.tag, rows[i].tag);
			assert_true((f.tag & 7) == NA_W_FIXED32 ||
				    f.value == rows[i].value);
			if ((f.tag & 7) == NA_W_BYTES)
				assert_true(f.body.end == c.p &&
					    na_left(&f.body) == f.value);
		}
		free(p);
	}
}

/* An inner message cannot reach outside its own bytes. */
static void bodies_are_bounded(void **state)
{
	static const uint8_t bytes[] = {0x0a, 0x02, 0x0a, 0x05, 'a',
					'b',  'c',  'd',  'e'};
	struct na_cursor c;
	struct na_field f, inner;
	uint8_t *p = exact(bytes, sizeof(bytes), &c);

	(void)state;
	assert_int_equal(na_field_next(&c, &f), NA_NEXT_FIELD);
	assert_int_equal(na_at(&f.body), 2);
	assert_int_equal(na_field_next(&f.body, &inner), NA_NEXT_BAD);
	assert_int_equal(na_at(&c), 4);
	free(p);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints),
		cmocka_unit_test(varints_of_nothing),
		cmocka_unit_test(fields),
		cmocka_unit_test(bodies_are_bounded),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
