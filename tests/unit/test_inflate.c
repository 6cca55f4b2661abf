/*
 * gzip and zstd as streams: members, padding, cuts, damage, and outputs of
 * every size around the buffers' borders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "ingest/bytes/feed.h"
#include "netan/synth/rng.h"
#include "tests/unit/reading.h"

struct bytes {
	uint8_t *p;
	size_t n;
};

static struct bytes joined(struct bytes a, struct bytes b)
{
	struct bytes both = {malloc(a.n + b.n + 1), a.n + b.n};

	assert_non_null(both.p);
	if (a.n)
		memcpy(both.p, a.p, a.n);
	if (b.n)
		memcpy(both.p + a.n, b.p, b.n);
	free(a.p);
	free(b.p);
	return both;
}

static struct bytes copied(const void *p, size_t n)
{
	struct bytes b = {malloc(n + 1), n};

	assert_non_null(b.p);
	memcpy(b.p, p, n);
	return b;
}

static struct bytes gzip(const struct bytes *x)
{
	struct bytes b;

	b.p = gzip_of(x->p, x->n, &b.n);
	return b;
}

static struct bytes zstd(const struct bytes *x)
{
	size_t room = ZSTD_compressBound(x->n);
	struct bytes b = {malloc(room), 0};

	assert_non_null(b.p);
	b.n = ZSTD_compress(b.p, room, x->p, x->n, 3);
	assert_false(ZSTD_isError(b.n));
	return b;
}

/* Compressible, but not all alike; or a run of one byte. */
static struct bytes content(size_t n, bool run)
{
	struct bytes b = {malloc(n + 1), n};
	struct na_rng r;

	assert_non_null(b.p);
	na_rng_seed(&r, n);
	for (size_t i = 0; i < n; i++)
		b.p[i] = run ? 'x' : (uint8_t)na_rng_below(&r, 9);
	return b;
}

struct outcome {
	struct bytes out;
	bool cut;
	char why[160];
};

/* Reads to the end, at most `step` bytes at a time; `ahead`: a thread of its
 * own unpacks. */
static struct outcome unpack_by(const struct bytes *in, size_t step, bool ahead)
{
	struct outcome o = {{NULL, 0}, false, ""};
	struct na_err err = {.status = NA_OK};
	int fd = file_of(in->p, in->n);
	struct na_feed s;
	size_t cap = 0, got = 1;

	lseek(fd, 0, SEEK_SET);
	assert_int_equal(na_feed_open(&s, fd, "packed", &err), NA_OK);
	if (ahead)
		na_feed_start_readahead(&s);
	while (got) {
		if (o.out.n + step > cap) {
			cap = 2 * (o.out.n + step);
			o.out.p = realloc(o.out.p, cap);
			assert_non_null(o.out.p);
		}
		assert_int_equal(na_feed_read(&s, o.out.p + o.out.n, step, &got,
					      &err),
				 NA_OK);
		o.out.n += got;
	}
	o.cut = s.cut;
	memcpy(o.why, s.why, sizeof(o.why));
	na_feed_close(&s);
	return o;
}

static struct outcome unpack(const struct bytes *in, size_t step)
{
	return unpack_by(in, step, false);
}

static void expect_by(const struct bytes *in, size_t step, bool ahead,
		      const struct bytes *want, const char *why)
{
	struct outcome o = unpack_by(in, step, ahead);

	if (o.cut != (why != NULL) || (why && !strstr(o.why, why)))
		fail_msg("step %zu of %zu: cut %d, \"%s\"", step, want->n,
			 o.cut, o.why);
	assert_int_equal(o.out.n, want->n);
	if (want->n)
		assert_memory_equal(o.out.p, want->p, want->n);
	free(o.out.p);
}

static void expect(const struct bytes *in, size_t step,
		   const struct bytes *want, const char *why)
{
	expect_by(in, step, false, want, why);
	expect_by(in, step, true, want, why);
}

/* Who wants no more leaves the thread in the middle. */
static void ahead_and_away(void **state)
{
	struct bytes a = content(4000000, true), g = gzip(&a);
	struct na_err err = {.status = NA_OK};
	uint8_t some[100];
	struct na_feed s;
	size_t got;

	(void)state;
	for (size_t reads = 0; reads < 3; reads++) {
		int fd = file_of(g.p, g.n);

		lseek(fd, 0, SEEK_SET);
		assert_int_equal(na_feed_open(&s, fd, "packed", &err), NA_OK);
		na_feed_start_readahead(&s);
		for (size_t i = 0; i < reads; i++) {
			assert_int_equal(na_feed_read(&s, some, sizeof(some),
						      &got, &err),
					 NA_OK);
			assert_memory_equal(some, a.p + i * sizeof(some), got);
		}
		na_feed_close(&s);
	}
	free(a.p);
	free(g.p);
}

static void packing_by_first_bytes(void **state)
{
	(void)state;
	assert_int_equal(na_packing_of((const uint8_t *)"\x1f\x8b", 2),
			 NA_GZIP);
	assert_int_equal(na_packing_of((const uint8_t *)"\x1f\x8b", 1),
			 NA_PLAIN);
	assert_int_equal(na_packing_of((const uint8_t *)"\x28\xb5\x2f\xfd", 4),
			 NA_ZSTD);
	assert_int_equal(na_packing_of((const uint8_t *)"\x28\xb5\x2f", 3),
			 NA_PLAIN);
	assert_int_equal(na_packing_of(NULL, 0), NA_PLAIN);
	assert_string_equal(na_packing_name(NA_GZIP), "gzip");
	assert_null(na_packing_name(NA_PLAIN));
}

/* What is decoded and did not fit must come with the next call, also when
 * all input has been taken. */
static void every_size_and_step(void **state)
{
	static const size_t sizes[] = {0,       1,       100,     65535,
				       65536,   65537,   131072,  200000,
				       1048576, 1048577, 1050000, 1200000};
	static const size_t steps[] = {1000, 65536, 99999, 1048576};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int run = 0; run < 2; run++) {
			struct bytes x = content(sizes[i], run != 0);
			struct bytes g = gzip(&x), z = zstd(&x);

			for (size_t k = 0; k < 4; k++) {
				expect(&g, steps[k], &x, NULL);
				expect(&z, steps[k], &x, NULL);
			}
			free(x.p);
			free(g.p);
			free(z.p);
		}
	}
}

static void members(void **state)
{
	struct bytes a = content(70000, false), b = content(10, true), all;
	struct bytes g, z;

	(void)state;
	g = joined(joined(gzip(&a), gzip(&b)), gzip(&a));
	z = joined(joined(zstd(&a), zstd(&b)), zstd(&a));
	all = joined(joined(copied(a.p, a.n), b), copied(a.p, a.n));
	for (size_t step = 7; step < 300000; step *= 9) {
		expect(&g, step, &all, NULL);
		expect(&z, step, &all, NULL);
	}
	free(a.p);
	free(g.p);
	free(z.p);
	free(all.p);
}

static void padding(void **state)
{
	struct bytes a = content(5000, false), g, z;
	uint8_t zeros[600] = {0};

	(void)state;
	g = joined(gzip(&a), copied(zeros, sizeof(zeros)));
	expect(&g, 4096, &a, NULL);
	z = joined(zstd(&a), copied(zeros, sizeof(zeros)));
	expect(&z, 4096, &a, "zstd");
	free(a.p);
	free(g.p);
	free(z.p);
}

/* Every cut gives a first part of the content, the same whatever room there
 * was, and says so. */
static void cuts(void **state)
{
	struct bytes a = content(3000, false), packed[2];

	(void)state;
	packed[0] = gzip(&a);
	packed[1] = zstd(&a);
	for (int i = 0; i < 2; i++) {
		for (size_t n = 4; n < packed[i].n; n++) {
			struct bytes part = {packed[i].p, n};
			struct outcome o = unpack(&part, 10);
			struct outcome roomy = unpack(&part, 100000);

			assert_true(o.cut && o.why[0]);
			assert_true(o.out.n <= a.n);
			assert_int_equal(o.out.n, roomy.out.n);
			free(roomy.out.p);
			if (o.out.n)
				assert_memory_equal(o.out.p, a.p, o.out.n);
			free(o.out.p);
		}
		free(packed[i].p);
	}
	free(a.p);
}

static void damage(void **state)
{
	struct bytes a = content(3000, false), g = gzip(&a), z = zstd(&a);

	(void)state;
	g.p[g.n - 6] ^= 1; /* of the checksum */
	expect(&g, 1000, &a, "checksum");
	g.p[g.n - 6] ^= 1;
	for (size_t i = 0; i < g.n; i++) {
		struct outcome o;

		g.p[i] ^= 0x55;
		o = unpack(&g, 1000);
		assert_true(o.out.n <= 4000000);
		free(o.out.p);
		g.p[i] ^= 0x55;
	}
	for (size_t i = 0; i < z.n; i++) {
		struct outcome o;

		z.p[i] ^= 0x55;
		o = unpack(&z, 1000);
		assert_true(o.out.n <= 4000000);
		free(o.out.p);
		z.p[i] ^= 0x55;
	}
	free(a.p);
	free(g.p);
	free(z.p);
}

static void small_strings(void **state)
{
	(void)state;
	for (size_t n = 0; n < 70000; n = n * 3 + 1) {
		struct bytes x = content(n, false), g = gzip(&x);
		char *out = malloc(n + 1);
		size_t room = n + 1;

		assert_non_null(out);
		assert_true(na_inflate_small(g.p, g.n, out, &room));
		assert_int_equal(room, n);
		assert_memory_equal(out, x.p, n);
		/* No room for the last byte. */
		room = n ? n - 1 : 0;
		assert_int_equal(na_inflate_small(g.p, g.n, out, &room),
				 n == 0);
		for (size_t cut = 0; cut < g.n; cut += 1 + cut / 8) {
			room = n + 1;
			assert_false(na_inflate_small(g.p, cut, out, &room));
		}
		free(x.p);
		free(g.p);
		free(out);
	}
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packing_by_first_bytes),
		cmocka_unit_test(every_size_and_step),
		cmocka_unit_test(members),
		cmocka_unit_test(padding),
		cmocka_unit_test(ahead_and_away),
		cmocka_unit_test(cuts),
		cmocka_unit_test(damage),
		cmocka_unit_test(small_strings),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
