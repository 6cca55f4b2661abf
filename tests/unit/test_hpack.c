/*
 * Header blocks: the examples of RFC 7541, appendix C; a decoder that missed
 * any number of blocks says the truth or nothing; damage is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/calls/hpack.h"
#include "netan/synth/rng.h"

struct fields {
	char text[8192];
	size_t n, unknown;
};

static void take(void *ctx, const uint8_t *name, size_t name_n,
		 const uint8_t *value, size_t value_n)
{
	struct fields *f = ctx;
	int n = snprintf(f->text + f->n, sizeof(f->text) - f->n, "%.*s=%.*s;",
			 (int)name_n, (const char *)name, (int)value_n,
			 (const char *)value);

	f->n += (size_t)n;
	assert_true(f->n < sizeof(f->text));
}

static void take_unknown(void *ctx)
{
	((struct fields *)ctx)->unknown++;
}

/* In a block of exactly its size. */
static enum na_status block(struct na_hpack *h, const void *p, size_t n,
			    bool whole, struct fields *f)
{
	struct na_hpack_user user = {f, take, take_unknown};
	uint8_t *copy = malloc(n + !n);
	enum na_status status;

	assert_non_null(copy);
	memcpy(copy, p, n);
	*f = (struct fields){.n = 0};
	status = na_hpack_block(h, copy, n, whole, &user);
	free(copy);
	return status;
}

/* Appendix C.4: three requests of one connection, Huffman coded. */
static const struct {
	size_t n;
	const char *bytes, *want;
} rfc[] = {
	{17,
	 "\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff",
	 ":method=GET;:scheme=http;:path=/;:authority=www.example.com;"},
	{12, "\x82\x86\x84\xbe\x58\x86\xa8\xeb\x10\x64\x9c\xbf",
	 ":method=GET;:scheme=http;:path=/;:authority=www.example.com;"
	 "cache-control=no-cache;"},
	{24,
	 "\x82\x87\x85\xbf\x40\x88\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f\x89\x25\xa8"
	 "\x49\xe9\x5b\xb8\xe8\xb4\xbf",
	 ":method=GET;:scheme=https;:path=/index.html;"
	 ":authority=www.example.com;custom-key=custom-value;"},
};

static void by_the_book(void **state)
{
	size_t used = 0;
	struct na_hpack *h = na_hpack_new(4096, &used);
	struct fields f;

	(void)state;
	assert_non_null(h);
	for (size_t i = 0; i < sizeof(rfc) / sizeof(rfc[0]); i++) {
		assert_true(na_hpack_looks_whole((const uint8_t *)rfc[i].bytes,
						 rfc[i].n));
		assert_int_equal(block(h, rfc[i].bytes, rfc[i].n, true, &f),
				 NA_OK);
		assert_string_equal(f.text, rfc[i].want);
		assert_int_equal(f.unknown, 0);
	}
	assert_true(used > 0);
	na_hpack_free(h);
	assert_int_equal(used, 0);
}

/* The same without the first block: entries count from the newest. */
static void beginning_missed(void **state)
{
	size_t used = 0;
	struct na_hpack *h = na_hpack_new(4096, &used);
	struct fields f;

	(void)state;
	assert_int_equal(block(h, rfc[1].bytes, rfc[1].n, true, &f), NA_OK);
	assert_string_equal(
		f.text,
		":method=GET;:scheme=http;:path=/;cache-control=no-cache;");
	assert_int_equal(f.unknown, 1);
	assert_int_equal(block(h, rfc[2].bytes, rfc[2].n, true, &f), NA_OK);
	assert_string_equal(f.text, ":method=GET;:scheme=https;"
				    ":path=/index.html;"
				    "custom-key=custom-value;");
	assert_int_equal(f.unknown, 1);
	na_hpack_free(h);
}

static void nameless_entry(void **state)
{
	size_t used = 0;
	struct na_hpack *h = na_hpack_new(4096, &used);
	struct fields f;

	(void)state;
	/* Entry 70 names it; then "a: b" new; then both by index. */
	assert_int_equal(block(h,
			       "\x7f\x07\x02/x\x40\x01\x61\x01\x62\xbe\xbf\xc0",
			       13, true, &f),
			 NA_OK);
	assert_string_equal(f.text, "a=b;a=b;?=/x;");
	assert_int_equal(f.unknown, 2);
	na_hpack_free(h);
}

static void sizes(void **state)
{
	size_t used = 0;
	struct na_hpack *h = na_hpack_new(4096, &used);
	struct fields f;

	(void)state;
	/* More than we keep is kept as far as we do; zero empties it. */
	assert_int_equal(block(h, "\x3f\xe1\xff\x7f\x40\x01\x61\x01\x62", 9,
			       true, &f),
			 NA_OK);
	assert_int_equal(block(h, "\xbe", 1, true, &f), NA_OK);
	assert_string_equal(f.text, "a=b;");
	assert_int_equal(block(h, "\x20\x3f\xe1\x1f\xbe", 5, true, &f), NA_OK);
	assert_int_equal(f.unknown, 1);
	/* Only at the beginning of a block. */
	assert_int_equal(block(h, "\x82\x20", 2, true, &f), NA_EFORMAT);
	na_hpack_free(h);
}

static void damage(void **state)
{
	static const struct {
		size_t n;
		const char *bytes;
	} rows[] = {
		{1, "\x80"},                         /* index 0 */
		{1, "\xff"},                         /* no end of a number */
		{7, "\xff\xff\xff\xff\xff\xff\x7f"}, /* too large */
		{3, "\x40\x05\x61"},                 /* shorter than it says */
		{2, "\x04\x7f"},                     /* no end of a length */
		{4, "\x04\x82\xff\xff"},             /* no Huffman code */
	};
	struct fields f;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t used = 0;
		struct na_hpack *h = na_hpack_new(4096, &used);

		assert_int_equal(block(h, rows[i].bytes, rows[i].n, true, &f),
				 NA_EFORMAT);
		na_hpack_free(h);
		assert_int_equal(used, 0);
	}
}

/* Cut at every length: the fields before the cut, no more and no other. */
static void cut(void **state)
{
	(void)state;
	for (size_t n = 0; n < rfc[0].n; n++) {
		size_t used = 0;
		struct na_hpack *h = na_hpack_new(4096, &used);
		struct fields f;

		assert_int_equal(block(h, rfc[0].bytes, n, false, &f), NA_OK);
		assert_true(strncmp(f.text, rfc[0].want, f.n) == 0);
		assert_int_equal(f.n, n < 1 ? 0 : n < 2 ? 12 : n < 3 ? 25 : 33);
		na_hpack_free(h);
	}
}

static void anything(void **state)
{
	uint8_t p[600];
	struct na_rng rng;
	struct fields f;

	(void)state;
	na_rng_seed(&rng, 1);
	for (int i = 0; i < 20000; i++) {
		size_t used = 0, n = na_rng_below(&rng, 40);
		struct na_hpack *h = na_hpack_new(300, &used);

		for (int k = 0; k < 5; k++) {
			for (size_t b = 0; b < n; b++)
				p[b] = (uint8_t)na_rng_next(&rng);
			if (block(h, p, n, na_rng_below(&rng, 2), &f) != NA_OK)
				break;
		}
		na_hpack_free(h);
		assert_int_equal(used, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_book),
		cmocka_unit_test(nameless_entry),
		cmocka_unit_test(beginning_missed),
		cmocka_unit_test(sizes),
		cmocka_unit_test(damage),
		cmocka_unit_test(cut),
		cmocka_unit_test(anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
