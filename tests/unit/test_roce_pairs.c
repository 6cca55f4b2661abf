/*
 * RoCEv2: which ACK is for which queue pair, limits, and the one real capture
 * where it is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/capture/fragment.h"
#include "netan/synth/rng.h"
#include "tests/unit/capfile_reading.h"
#include "tests/unit/roce_shots.h"

/* ---- which ACK is for whom */

/* Between two hosts, `n` queue pairs: requests to 100 + i, ACKs to 200 + i.
 * Even with one first number for all, an ACK finds its own from the second
 * message on, where they differ. */
static void many_queue_pairs(void **state)
{
	(void)state;
	roce_begin_large();
	for (uint32_t round = 0; round < 5; round++)
		for (uint32_t i = 0; i < 8; i++)
			roce_shoot((struct roce_shot){.from = 1,
						      .to = 2,
						      .qp = 100 + i,
						      .opcode = 4,
						      .psn = i * 1000 + round,
						      .n = 1 + i});
	for (uint32_t i = 8; i-- > 0;)
		roce_shoot((struct roce_shot){.from = 2,
					      .to = 1,
					      .qp = 200 + i,
					      .opcode = 0x11,
					      .psn = i * 1000 + 4});
	roce_end();
	assert_int_equal(roce_world.n, 40);
	for (size_t k = 0; k < 40; k++) {
		/* The answers come for queue pair 107 first. */
		assert_int_equal(roce_world.told[k].t.size_bytes, 8 - k / 5);
		assert_int_equal(roce_world.told[k].t.klass, NA_VALID);
	}
}

/* Taken for the wrong one at first; a number that was never sent there, but
 * ends a message elsewhere, puts it right. */
static void learns_anew(void **state)
{
	struct roce_shot a = {
		.from = 1, .to = 2, .qp = 100, .opcode = 4, .n = 1};
	struct roce_shot b = {
		.from = 1, .to = 2, .qp = 101, .opcode = 4, .n = 2};
	struct roce_shot r = {.from = 2, .to = 1, .qp = 201, .opcode = 0x11};

	(void)state;
	roce_begin_large();
	a.psn = b.psn = 5;
	roce_shoot(a);
	roce_shoot(b);
	r.psn = 5;
	roce_shoot(r); /* is for b, but a waits longer */
	b.psn = 6;
	roce_shoot(b);
	r.psn = 6;
	roce_shoot(r);
	r.qp = 200;
	r.psn = 5;
	roce_shoot(r);
	a.psn = 6;
	roce_shoot(a);
	r.psn = 6;
	roce_shoot(r);
	roce_end();
	assert_int_equal(roce_world.n, 4);
	roce_expect(0, "SEND", 1, NA_VALID, 2);
	roce_expect(1, "SEND", 2, NA_VALID, 3);
	roce_expect(2, "SEND", 2, NA_VALID, 1);
	roce_expect(3, "SEND", 1, NA_VALID, 1);
}

/* ---- limits */

static void limits(void **state)
{
	(void)state;
	roce_begin(2, 4, 3);
	for (uint32_t i = 0; i < 10; i++)
		roce_request(0x04, i, 1 + i);
	assert_int_equal(roce_world.n, 6);
	for (uint32_t i = 0; i < 9; i++) /* others push the first one out */
		roce_shoot((struct roce_shot){
			.from = 3, .to = 4, .qp = i, .opcode = 4, .n = 50});
	roce_end();
	assert_int_equal(roce_world.n, 19);
	assert_int_equal(roce_world.c.roce_messages, 19);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(roce_world.told[i].t.size_bytes, 1 + i);
	/* Addresses have a limit of their own (addresses.h). */
	assert_string_equal(roce_world.told[18].src, "10.0.0.3");
	assert_string_equal(roce_world.told[18].collective, "roce:other");
	/* 7 messages (one for the first of the others), 8 queue pairs, and 7
	 * names. */
	assert_int_equal(roce_world.c.limits_hit, 7 + 8 + 7);
}

/* Any packets at all: nothing is told twice, nothing more than was sent. */
static void any_packets(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 40; seed++) {
		struct na_rng r;
		size_t n = 300;

		na_rng_seed(&r, seed);
		roce_begin(1 + na_rng_below(&r, 8), 1 + na_rng_below(&r, 8),
			   50);
		for (size_t i = 0; i < n; i++) {
			int from = (int)na_rng_below(&r, 2);
			struct roce_shot s = {
				.from = from,
				.to = !from,
				.opcode = (uint8_t)na_rng_below(&r, 24),
				.qp = (uint32_t)na_rng_below(&r, 3),
				.psn = (uint32_t)na_rng_below(&r, 12) - 3,
				.n = (uint32_t)na_rng_below(&r, 8),
				.asked = (uint32_t)na_rng_below(&r, 3000),
				.syndrome = (uint8_t)na_rng_below(&r, 128),
			};

			roce_shoot(s);
		}
		roce_end();
		assert_true(roce_world.n <= roce_world.c.roce_messages);
		assert_true(roce_world.c.roce_packets == n);
	}
}

/* ---- a real capture */

static int by_latency(const void *a, const void *b)
{
	const struct roce_told *x = a, *y = b;
	int64_t d = x->t.end_ps - x->t.start_ps - y->t.end_ps + y->t.start_ps;

	return (d > 0) - (d < 0);
}

/* tshark: 105 packets; 34 messages one way, 33 of them of 2048 bytes, and
 * one of 141 bytes the other way; all 35 acknowledged after 15.02 to 25.034
 * us, median 20.027 us (rounded by its floating-point times). */
static void real(void **state)
{
	struct na_input in;
	struct na_record r;
	struct na_capfile *f;
	char path[4096];
	uint64_t bytes = 0;

	(void)state;
	f = capfile_real(&in, "rocev2_send_sport69.pcap", path, sizeof(path));
	if (!f) {
		puts("skip: NETAN_TEST_DATA is not set, or has "
		     "no such file");
		skip();
	}
	roce_begin_large();
	while (na_capfile_next(f, &r) == NA_OK) {
		struct na_packet p;

		na_packet_decode(&p, &r, NULL);
		if (p.kind == NA_PACKET_UDP && p.dst_port == NA_ROCE_PORT) {
			/* Relative: the sink's origin is 0 here. */
			p.time_ns -= INT64_C(1650970174376937000);
			assert_int_equal(na_roce_packet(roce_world.x, &p),
					 NA_OK);
		}
	}
	roce_end();
	capfile_real_end(&in, f);
	assert_int_equal(roce_world.c.roce_packets, 105);
	assert_int_equal(roce_world.c.roce_messages, 35);
	assert_int_equal(roce_world.n, 35);
	assert_int_equal(roce_world.c.roce_psn_gaps +
				 roce_world.c.roce_psn_repeats,
			 0);
	for (size_t i = 0; i < roce_world.n; i++)
		bytes += roce_world.told[i].t.size_bytes;
	assert_int_equal(bytes, 67037 + 141);
	qsort(roce_world.told, roce_world.n, sizeof(*roce_world.told),
	      by_latency);
	roce_expect(0, "SEND_IMM", roce_world.told[0].t.size_bytes, NA_VALID,
		    15);
	roce_expect(17, "SEND_IMM", roce_world.told[17].t.size_bytes, NA_VALID,
		    20);
	roce_expect(31, "SEND_IMM", roce_world.told[31].t.size_bytes, NA_VALID,
		    24);
	roce_expect(34, "SEND_IMM", roce_world.told[34].t.size_bytes, NA_VALID,
		    25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_queue_pairs),
		cmocka_unit_test(learns_anew),
		cmocka_unit_test(limits),
		cmocka_unit_test(any_packets),
		cmocka_unit_test(real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
