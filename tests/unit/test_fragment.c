/*
 * Fragments in every order, twice, overlapping, too many, too old, too long;
 * and through the decoder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/fragment.h"
#include "tests/unit/packet_bytes.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint8_t datagram[70000]; /* byte i is i * 7 */

static const uint8_t *whole;
static size_t n_whole;

static bool add_at(struct na_fragments *f, uint32_t id, uint32_t from,
		   uint32_t to, bool more, int64_t time_ns)
{
	struct na_fragment x = {
		.src = {.bytes = {10, 0, 0, 1}, .family = 4},
		.dst = {.bytes = {10, 0, 0, 2}, .family = 4},
		.id = id,
		.protocol = 17,
		.offset = from,
		.more = more,
		.captured = to - from,
		.wire = to - from,
		.time_ns = time_ns,
	};
	uint8_t *block = malloc(x.captured);
	bool done;

	assert_true(block || !x.captured);
	if (x.captured)
		memcpy(block, datagram + from, x.captured);
	x.data = block;
	done = na_fragments_add(f, &x, &whole, &n_whole);
	free(block);
	return done;
}

static bool add(struct na_fragments *f, uint32_t id, uint32_t from, uint32_t to,
		bool more)
{
	return add_at(f, id, from, to, more, 0);
}

static void is_whole(size_t n)
{
	assert_int_equal(n_whole, n);
	assert_memory_equal(whole, datagram, n);
}

/* Four pieces in all 24 orders, another datagram's in between. */
static void orders(void **state)
{
	struct na_fragments *f = na_fragments_new();
	static const uint32_t ends[] = {0, 800, 1600, 2400, 2405};
	uint32_t id = 0;

	(void)state;
	assert_non_null(f);
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++)
			for (int c = 0; c < 4; c++) {
				int order[4] = {a, b, c, 6 - a - b - c};

				if (a == b || b == c || a == c)
					continue;
				for (int i = 0; i < 4; i++) {
					int k = order[i];
					uint32_t at = 8 * (uint32_t)i;
					bool done = add(f, id, ends[k],
							ends[k + 1], k < 3);

					assert_int_equal(done, i == 3);
					if (done)
						is_whole(2405);
					assert_false(add(f, id + 1000, at,
							 at + 8, true));
				}
				id++;
			}
	assert_int_equal(id, 24);
	assert_int_equal(na_fragments_seen(f), 24 * 8);
	assert_int_equal(na_fragments_lost(f), 24); /* the others */
	na_fragments_free(f);
}

static void repeated_and_overlapping(void **state)
{
	static const struct {
		uint32_t from, to;
		bool more;
	} bad[] = {
		{0, 808, true},     /* over the second's first bytes */
		{792, 1600, true},  /* over the first's last */
		{0, 1600, true},    /* over both */
		{800, 1600, false}, /* a second end, in front of the first */
		{2400, 2408, false},   {2400, 2404, true}, /* not a multiple */
		{65528, 65544, false},                     /* past the top */
		{1600, 1600, true},                        /* nothing */
	};
	struct na_fragments *f = na_fragments_new();

	(void)state;
	assert_non_null(f);
	/* Seen twice, as where two interfaces were captured. */
	assert_false(add(f, 1, 0, 800, true));
	assert_false(add(f, 1, 0, 800, true));
	assert_false(add(f, 1, 1600, 2405, false));
	assert_false(add(f, 1, 1600, 2405, false));
	assert_true(add(f, 1, 800, 1600, true));
	is_whole(2405);
	assert_int_equal(na_fragments_lost(f), 0);
	/* The same place, other bytes. */
	assert_false(add(f, 1, 0, 800, true));
	datagram[5] ^= 1;
	assert_false(add(f, 1, 0, 800, true));
	datagram[5] ^= 1;
	assert_false(add(f, 1, 800, 1600, false));
	assert_int_equal(na_fragments_lost(f), 1);
	for (size_t i = 0; i < COUNT(bad); i++) {
		uint32_t id = 10 + (uint32_t)i;

		assert_false(add(f, id, 0, 800, true));
		assert_false(add(f, id, 1600, 2405, false));
		assert_false(add(f, id, bad[i].from, bad[i].to, bad[i].more));
		/* nothing comes of it any more, and it counts once */
		assert_false(add(f, id, 800, 1600, true));
		assert_int_equal(na_fragments_lost(f), 2 + i);
	}
	na_fragments_free(f);
}

/* Cut by the snap length: such a datagram has a hole. */
static void cut_short(void **state)
{
	struct na_fragments *f = na_fragments_new();
	struct na_fragment x = {
		.protocol = 17,
		.more = true,
		.data = datagram,
		.captured = 60,
		.wire = 1480,
	};

	(void)state;
	assert_non_null(f);
	assert_false(na_fragments_add(f, &x, &whole, &n_whole));
	x.offset = 1480;
	x.more = false;
	x.wire = 60;
	assert_false(na_fragments_add(f, &x, &whole, &n_whole));
	assert_int_equal(na_fragments_lost(f), 1);
	na_fragments_free(f);
}

static void limits(void **state)
{
	struct na_fragments *f = na_fragments_new();
	uint64_t lost;

	(void)state;
	assert_non_null(f);
	/* More beginnings than there is room for: the oldest go. */
	for (uint32_t i = 0; i < NA_FRAGMENT_DATAGRAMS + 10; i++)
		assert_false(add(f, i, 0, 800, true));
	assert_int_equal(na_fragments_lost(f), NA_FRAGMENT_DATAGRAMS + 10);
	assert_false(add(f, 9, 800, 808, false));
	assert_true(add(f, NA_FRAGMENT_DATAGRAMS, 800, 808, false));
	is_whole(808);
	na_fragments_free(f);

	/* More bytes: each last fragment asks for a whole datagram's room. */
	f = na_fragments_new();
	assert_non_null(f);
	for (uint32_t i = 0; i < 200; i++)
		assert_false(add(f, i, 65520, 65530, false));
	assert_false(add(f, 0, 0, 65520, true)); /* went long ago */
	assert_true(add(f, 199, 0, 65520, true));
	is_whole(65530);
	na_fragments_free(f);

	/* A minute later the number means another datagram. */
	f = na_fragments_new();
	assert_non_null(f);
	assert_false(add_at(f, 1, 0, 800, true, 0));
	assert_true(add_at(f, 1, 800, 808, false, INT64_C(59000000000)));
	assert_false(add_at(f, 1, 0, 800, true, 0));
	assert_false(add_at(f, 1, 800, 808, false, INT64_C(61000000000)));
	lost = na_fragments_lost(f);
	assert_int_equal(lost, 2);
	assert_false(add_at(f, 2, 0, 800, true, INT64_MIN));
	assert_false(add_at(f, 2, 800, 808, false, INT64_MAX));
	na_fragments_free(f);
}

/* A TCP packet of 20 + 4 bytes in two fragments, the second first. */
static void decoded(void **state)
{
	struct na_fragments *f = na_fragments_new();
	struct bytes *tcp = calloc(1, sizeof(*tcp)), *b = calloc(1, sizeof(*b));

	(void)state;
	assert_true(f && tcp && b);
	b_tcp(tcp, 0x18, "");
	b_hex(tcp, "deadbeef");
	for (int six = 0; six < 2; six++)
		for (int last = 1; last >= 0; last--) {
			struct na_record r = {.data = b->p, .link = 101};
			struct na_packet p;

			b->n = 0;
			if (six) {
				b_ip6(b, last ? 16 : 24, 44);
				b_hex(b, last ? "0600 0010 0000abcd"
					      : "0600 0001 0000abcd");
			} else {
				b_ip4(b, last ? 28 : 36, 6, 5,
				      last ? 2 : 0x2000);
			}
			b_put(b, tcp->p + (last ? 16 : 0), last ? 8 : 16);
			r.captured_bytes = r.wire_bytes = (uint32_t)b->n;
			na_packet_decode(&p, &r, NULL);
			assert_int_equal(p.kind, NA_PACKET_FRAGMENT);
			na_packet_decode(&p, &r, f);
			assert_int_equal(p.kind, last ? NA_PACKET_FRAGMENT
						      : NA_PACKET_TCP);
			if (last)
				continue;
			assert_int_equal(p.src_port, 1000);
			assert_int_equal(p.payload_bytes, 4);
			assert_int_equal(p.payload_captured, 4);
			assert_memory_equal(p.payload, "\xde\xad\xbe\xef", 4);
		}
	assert_int_equal(na_fragments_seen(f), 4);
	assert_int_equal(na_fragments_lost(f), 0);
	na_fragments_free(f);
	free(tcp);
	free(b);
}

/* Fragments of a tunnel whose inner packets are fragments, too: the inner one
 * lies in the memory of the outer one. */
static void in_a_tunnel(void **state)
{
	struct na_fragments *f = na_fragments_new();
	static struct bytes inner[2], b;
	struct na_packet p;

	(void)state;
	assert_non_null(f);
	for (uint32_t i = 0; i < 2; i++) {
		b_ip4(&inner[i], 36, 6, 9, i ? 2 : 0x2000);
		if (i == 0)
			b_tcp(&inner[i], NA_TCP_ACK, "");
		inner[i].n = 36;
		if (i == 1)
			memset(inner[i].p + 20, 'x', 16);
		for (uint32_t k = 0; k < 2; k++) {
			uint32_t from = k * 24, n = k ? 12 : 24;
			struct na_record r = {.data = b.p, .link = 101};

			b.n = 0;
			b_ip4(&b, 20 + n, 4, i, k ? 3 : 0x2000);
			b_put(&b, inner[i].p + from, n);
			r.captured_bytes = r.wire_bytes = (uint32_t)b.n;
			na_packet_decode(&p, &r, f);
			if (i == 0 || k == 0)
				assert_int_equal(p.kind, NA_PACKET_FRAGMENT);
		}
	}
	assert_int_equal(p.kind, NA_PACKET_TCP);
	assert_int_equal(p.payload_captured, 12);
	assert_memory_equal(p.payload, "xxxxxxxxxxxx", 12);
	assert_int_equal(na_fragments_seen(f), 6);
	assert_int_equal(na_fragments_lost(f), 0);
	na_fragments_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(repeated_and_overlapping),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(limits),
		cmocka_unit_test(in_a_tunnel),
		cmocka_unit_test(decoded),
	};

	for (size_t i = 0; i < sizeof(datagram); i++)
		datagram[i] = (uint8_t)(i * 7);
	return cmocka_run_group_tests_name("fragment", tests, NULL, NULL);
}
