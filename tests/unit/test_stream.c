/*
 * Segments in any order, repeated, overlapping, cut and lost: the bytes
 * handed out are the right ones, each once, and gaps are where they must be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/bytes/stream.h"
#include "netan/synth/rng.h"

enum { SIZE = 5000 };

/* Byte i is i * 7 + i / 256; what came is checked as it comes. */
struct taker {
	uint64_t at, bytes, gaps;
	bool starts_seen;
};

static uint8_t byte_at(uint64_t i)
{
	return (uint8_t)(i * 7 + i / 256);
}

static enum na_status take(void *ctx, const uint8_t *p, size_t n, bool starts,
			   bool whole)
{
	struct taker *t = ctx;

	(void)whole;
	assert_true(n > 0);
	t->starts_seen |= starts;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p[i], byte_at(t->at + i));
	t->at += n;
	t->bytes += n;
	return NA_OK;
}

static enum na_status miss(void *ctx, uint64_t n)
{
	struct taker *t = ctx;

	assert_true(n > 0);
	t->at += n;
	t->gaps += n;
	return NA_OK;
}

/* In a block of its own, so that nothing behind it can be read. */
static void push(struct na_stream *s, struct na_stream_store *store,
		 struct taker *t, uint64_t from, size_t wire, size_t captured)
{
	struct na_stream_user user = {t, take, miss};
	uint8_t *p = malloc(captured + !captured);
	struct na_piece x = {from, p, captured, wire, 0};

	assert_non_null(p);
	for (size_t i = 0; i < captured; i++)
		p[i] = byte_at(from + i);
	assert_int_equal(na_stream_push(s, store, &x, &user), NA_OK);
	free(p);
}

static void any_order(void **state)
{
	struct na_rng rng;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct na_stream_store store = {.max_held_bytes = 1 << 20};
		struct na_stream s = {.started = false};
		struct taker t = {.at = 0};
		struct {
			uint32_t from, n;
		} x[SIZE];
		size_t n = 0, at = 0;

		na_rng_seed(&rng, seed);
		while (at < SIZE) {
			uint32_t k = 1 + (uint32_t)na_rng_below(&rng, 300);

			k = k < SIZE - at ? k : (uint32_t)(SIZE - at);
			x[n].from = (uint32_t)at;
			x[n++].n = k;
			if (!na_rng_below(&rng, 3)) { /* some of it again */
				x[n].from = (uint32_t)na_rng_below(&rng,
								   at + 1);
				x[n].n = 1 + (uint32_t)na_rng_below(
						     &rng, SIZE - x[n].from);
				n++;
			}
			at += k;
		}
		for (size_t i = n - 1; i; i--) {
			size_t k = na_rng_below(&rng, i + 1);
			uint32_t from = x[i].from, len = x[i].n;

			x[i] = x[k];
			x[k].from = from;
			x[k].n = len;
		}
		na_stream_start(&s, 0);
		for (size_t i = 0; i < n; i++)
			push(&s, &store, &t, x[i].from, x[i].n, x[i].n);
		assert_int_equal(t.at, SIZE);
		assert_int_equal(t.gaps, 0);
		assert_int_equal(store.held_bytes, 0);
		assert_int_equal(store.limits_hit, 0);
		na_stream_fini(&s, &store);
	}
}

static void acknowledged_holes(void **state)
{
	struct na_stream_store store = {.max_held_bytes = 1 << 20};
	struct na_stream s = {.started = false};
	struct taker t = {.at = 10};
	struct na_stream_user user = {&t, take, miss};

	(void)state;
	push(&s, &store, &t, 10, 90, 90); /* starts where it is met */
	push(&s, &store, &t, 200, 50, 50);
	assert_int_equal(t.at, 100);
	/* An ACK of what is here says nothing. */
	assert_int_equal(na_stream_ack(&s, &store, 100, &user), NA_OK);
	assert_int_equal(t.at, 100);
	/* Some of the hole is gone for good, the rest may come. */
	assert_int_equal(na_stream_ack(&s, &store, 150, &user), NA_OK);
	assert_int_equal(t.at, 150);
	push(&s, &store, &t, 140, 30, 30);
	assert_int_equal(t.at, 170);
	assert_int_equal(na_stream_ack(&s, &store, 250, &user), NA_OK);
	assert_int_equal(t.at, 250);
	assert_int_equal(t.gaps, 50 + 30);
	assert_int_equal(store.held_bytes, 0);
	/* Acknowledged before anything behind it came. */
	assert_int_equal(na_stream_ack(&s, &store, 300, &user), NA_OK);
	assert_int_equal(t.at, 250);
	push(&s, &store, &t, 300, 1, 1);
	assert_int_equal(t.at, 301);
	na_stream_fini(&s, &store);
}

static void cut_by_snap_length(void **state)
{
	struct na_stream_store store = {.max_held_bytes = 1 << 20};
	struct na_stream s = {.started = false};
	struct taker t = {.at = 0};

	(void)state;
	push(&s, &store, &t, 0, 100, 30);
	assert_int_equal(t.at, 100);
	assert_int_equal(t.bytes, 30);
	/* Overlaps by more than was captured, then by less. */
	push(&s, &store, &t, 50, 100, 40);
	assert_int_equal(t.at, 150);
	assert_int_equal(t.bytes, 30);
	push(&s, &store, &t, 140, 100, 40);
	assert_int_equal(t.at, 240);
	assert_int_equal(t.bytes, 60);
	push(&s, &store, &t, 240, 10, 0);
	assert_int_equal(t.at, 250);
	na_stream_fini(&s, &store);
}

/* Both limits: what is held is bounded, a hole is given up instead. */
static void bounded(void **state)
{
	(void)state;
	for (int one = 0; one < 2; one++) {
		struct na_stream_store store = {
			.max_held_bytes = one ? 10000 : 1 << 30};
		struct na_stream s = {.started = false};
		struct taker t = {.at = 0};
		size_t n = 3 * NA_STREAM_SEGMENTS;

		na_stream_start(&s, 0);
		for (size_t i = 0; i < n; i++) {
			push(&s, &store, &t, 10 + 20 * i, 10, 10);
			assert_true(s.n_held <= NA_STREAM_SEGMENTS);
			assert_true(store.held_bytes <= store.max_held_bytes);
		}
		assert_true(store.limits_hit > 0);
		assert_true(t.gaps > 0 && t.bytes > 0);
		na_stream_fini(&s, &store);
		assert_int_equal(store.held_bytes, 0);
	}
}

static void far_away(void **state)
{
	struct na_stream_store store = {.max_held_bytes = 1 << 20};
	struct na_stream s = {.started = false};
	struct taker t = {.at = 0};
	struct na_stream_user user = {&t, take, miss};

	(void)state;
	na_stream_start(&s, 0);
	push(&s, &store, &t, UINT64_MAX - 5, 5, 5);
	push(&s, &store, &t, UINT64_MAX - 5, 10, 10); /* beyond the end */
	assert_int_equal(na_stream_ack(&s, &store, UINT64_MAX, &user), NA_OK);
	assert_true(t.at == UINT64_MAX);
	assert_int_equal(t.bytes, 5);
	na_stream_fini(&s, &store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(acknowledged_holes),
		cmocka_unit_test(cut_by_snap_length),
		cmocka_unit_test(bounded),
		cmocka_unit_test(far_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
