/*
 * RoCEv2 messages, by hand-made packets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ingest/roce/head.h"
#include "tests/unit/roce_shots.h"

/* ---- headers */

static void every_opcode(void **state)
{
	uint8_t b[2048] = {0};

	(void)state;
	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned n = 0; n < 9; n++) {
			unsigned pad = -n & 3u, e = roce_extension(opcode);
			uint32_t all = 12 + (e == 255 ? 0 : e) + n + pad + 4;
			struct na_roce_head h;

			b[0] = (uint8_t)opcode;
			b[1] = (uint8_t)(pad << 4);
			assert_true(na_roce_head_read(&h, b, 12, all));
			assert_false(na_roce_head_read(&h, b, 11, all));
			assert_true(na_roce_head_read(&h, b, all, all));
			if (opcode == 0x81 || e == 255) {
				assert_int_equal(h.kind,
						 opcode == 0x81
							 ? NA_ROCE_CONGESTION
							 : NA_ROCE_OTHER);
				continue;
			}
			assert_int_not_equal(h.kind, NA_ROCE_OTHER);
			assert_int_equal(h.bytes, n);
			/* Too short for its headers and pad. */
			assert_false(na_roce_head_read(&h, b, all,
						       12 + e + pad + 3));
		}
}

static void names_of_operations(void **state)
{
	(void)state;
	assert_string_equal(na_roce_op_name(NA_ROCE_RC, NA_ROCE_READ), "READ");
	assert_string_equal(na_roce_op_name(NA_ROCE_UC, NA_ROCE_WRITE),
			    "UC_WRITE");
	assert_string_equal(na_roce_op_name(NA_ROCE_UD, NA_ROCE_SEND_IMM),
			    "UD_SEND_IMM");
	for (unsigned t = 0; t < 8; t++)
		for (unsigned op = 0; op < 8; op++)
			assert_non_null(na_roce_op_name(t, op));
}

/* ---- messages and their ACKs */

static void sends_and_writes(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x00, 10, 1024); /* at 1 us */
	roce_request(0x01, 11, 1024);
	roce_request(0x03, 12, 7);
	roce_ack(12); /* at 4 us */
	roce_request(0x0a, 13, 100);
	roce_ack(13);
	roce_request(0x17, 14, 0);
	roce_ack(14);
	roce_request(0xa4, 15, 3); /* XRC */
	roce_ack(15);
	roce_end();
	assert_int_equal(roce_world.n, 4);
	roce_expect(0, "SEND_IMM", 2055, NA_VALID, 3);
	roce_expect(1, "WRITE", 100, NA_VALID, 1);
	roce_expect(2, "SEND_INV", 0, NA_VALID, 1);
	assert_int_equal(roce_world.told[3].t.size_bytes, 3);
	assert_string_equal(roce_world.told[0].src, "10.0.0.1");
	assert_string_equal(roce_world.told[0].dst, "10.0.0.2");
	assert_string_equal(roce_world.told[0].collective, "roce:0x000022");
	assert_int_equal(roce_world.c.roce_packets, 10);
	assert_int_equal(roce_world.c.roce_messages, 4);
	assert_int_equal(roce_world.c.roce_psn_gaps +
				 roce_world.c.roce_psn_repeats,
			 0);
}

/* One ACK for several messages; one in the middle of a message is for those
 * before it.  The numbers wrap. */
static void coalesced_and_wrapped(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x04, 0xfffffe, 1);
	roce_request(0x04, 0xffffff, 2);
	roce_request(0x00, 0, 1024);
	roce_ack(0); /* at 4 us */
	roce_request(0x02, 1, 5);
	roce_request(0x04, 2, 6);
	roce_ack(2); /* at 7 us */
	roce_end();
	assert_int_equal(roce_world.n, 4);
	roce_expect(0, "SEND", 1, NA_VALID, 3);
	roce_expect(1, "SEND", 2, NA_VALID, 2);
	roce_expect(2, "SEND", 1029, NA_VALID, 4);
	roce_expect(3, "SEND", 6, NA_VALID, 1);
	assert_int_equal(roce_world.c.roce_psn_gaps, 0);
}

/* The packet was lost behind the capture point: all is sent again from it.
 * One message, one transfer, its bytes once. */
static void nak_and_back(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x04, 4, 9);
	roce_request(0x06, 5, 1024); /* at 2 us */
	roce_request(0x07, 6, 1024);
	roce_request(0x08, 7, 10);
	roce_answer(0x11, 6, 0x60, 0); /* acknowledges what is before */
	roce_request(0x07, 6, 1024);
	roce_request(0x08, 7, 10);
	roce_ack(7); /* at 8 us */
	roce_end();
	assert_int_equal(roce_world.n, 2);
	roce_expect(0, "SEND", 9, NA_VALID, 4);
	roce_expect(1, "WRITE", 2058, NA_VALID, 6);
	assert_int_equal(roce_world.c.roce_messages, 2);
	assert_int_equal(roce_world.c.roce_naks, 1);
	assert_int_equal(roce_world.c.roce_rnr_naks, 0);
	assert_int_equal(roce_world.c.roce_psn_repeats, 2);
}

/* Sent again whole: on the wire twice, one transfer from the first time. */
static void receiver_not_ready(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x04, 5, 50);
	roce_answer(0x11, 5, 0x2c, 0);
	roce_request(0x04, 5, 50);
	roce_ack(5);
	roce_end();
	assert_int_equal(roce_world.n, 1);
	roce_expect(0, "SEND", 50, NA_VALID, 3);
	assert_int_equal(roce_world.c.roce_messages, 2);
	assert_int_equal(roce_world.c.roce_naks, 0);
	assert_int_equal(roce_world.c.roce_rnr_naks, 1);
	assert_int_equal(roce_world.c.roce_psn_repeats, 1);
}

/* Lost before the capture point: a gap, and what comes later fills it. */
static void gap_filled(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x00, 1, 1000);
	roce_request(0x02, 3, 10); /* 2 is missing */
	roce_request(0x04, 4, 5);
	roce_answer(0x11, 2, 0x60, 0);
	roce_request(0x04, 8, 7); /* 5 to 7: a message nobody saw */
	roce_request(0x00, 5, 1000);
	roce_request(0x01, 6, 1000);
	roce_request(0x02, 7, 20);
	roce_request(0x04, 8, 7);
	roce_ack(8); /* at 10 us */
	roce_end();
	assert_int_equal(roce_world.n, 4);
	roce_expect(0, "SEND", 1010, NA_VALID, 9);
	roce_expect(2, "SEND", 7, NA_VALID, 5);
	roce_expect(3, "SEND", 2020, NA_VALID, 4);
	assert_int_equal(roce_world.c.roce_psn_gaps, 2);
	assert_int_equal(roce_world.c.roce_psn_repeats, 1);
	assert_int_equal(roce_world.c.roce_messages, 5);
}

/* The Last of one message and the First of the next are lost before the
 * capture point, then all is sent again. */
static void lost_between_messages(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x00, 1, 1000);
	roce_request(0x00, 3, 1000); /* 2, a Last, is missing */
	roce_request(0x02, 4, 11);
	roce_request(0x02, 2, 22);
	roce_request(0x00, 3, 1000);
	roce_request(0x02, 4, 11);
	roce_ack(4);
	roce_request(0x01, 6, 1000); /* 5, a First, is missing */
	roce_request(0x02, 7, 33);
	roce_request(0x00, 5, 1000);
	roce_request(0x01, 6, 1000);
	roce_request(0x02, 7, 33);
	roce_ack(7);
	roce_end();
	assert_int_equal(roce_world.n, 3);
	roce_expect(0, "SEND", 1011, NA_VALID, 5);
	roce_expect(1, "SEND", 1022, NA_VALID, 6);
	roce_expect(2, "SEND", 2033, NA_VALID, 3);
}

/* A sender that goes back in mid-message comes to it again. */
static void interrupted(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x00, 1, 1000);
	roce_request(0x02, 2, 1);
	roce_request(0x06, 3, 1000); /* at 3 us */
	roce_request(0x07, 4, 1000);
	roce_answer(0x11, 1, 0x60, 0);
	roce_request(0x00, 1, 1000);
	roce_request(0x02, 2, 1);
	roce_request(0x06, 3, 1000);
	roce_request(0x07, 4, 1000);
	roce_request(0x08, 5, 500);
	roce_ack(5); /* at 11 us */
	roce_end();
	assert_int_equal(roce_world.n, 2);
	roce_expect(0, "SEND", 1001, NA_VALID, 10);
	roce_expect(1, "WRITE", 2500, NA_VALID, 8);
	assert_int_equal(roce_world.c.roce_messages, 3);
}

static void unanswered(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x04, 1, 8);
	roce_request(0x24, 2, 9);  /* UC is not answered */
	roce_request(0x04, 3, 10); /* answered by nobody */
	roce_end();
	assert_int_equal(roce_world.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(roce_world.told[i].t.klass, NA_NO_LATENCY);
	assert_int_equal(roce_world.c.roce_messages, 3);
}

static void times_that_are_none(void **state)
{
	(void)state;
	roce_begin_large();
	roce_world.now_us = 100;
	roce_request(0x04, 1, 8);
	roce_shoot((struct roce_shot){.from = 2,
				      .to = 1,
				      .qp = 0x11,
				      .opcode = 0x11,
				      .psn = 1,
				      .at_us = 50}); /* time went back */
	roce_request(0x04, 2, 8);
	roce_shoot((struct roce_shot){.from = 2,
				      .to = 1,
				      .qp = 0x11,
				      .opcode = 0x11,
				      .psn = 2,
				      .at_us = 102});
	roce_shoot((struct roce_shot){
		.from = 3, .to = 3, .qp = 5, .opcode = 4, .n = 2});
	roce_shoot((
		struct roce_shot){.from = 3, .to = 3, .qp = 6, .opcode = 0x11});
	roce_shoot((struct roce_shot){.from = 1,
				      .to = 2,
				      .qp = 0x22,
				      .opcode = 0x04,
				      .psn = 3,
				      .at_us = INT64_MAX / US});
	roce_end();
	assert_int_equal(roce_world.n, 3);
	roce_expect(0, "SEND", 8, NA_NO_LATENCY, 0);
	roce_expect(1, "SEND", 8, NA_CLOCK_SKEW, 0);
	roce_expect(2, "SEND", 2, NA_LOOPBACK, 1);
	assert_int_equal(roce_world.left_out, 1);
}

/* ---- READ, atomics, datagrams */

static void read_with_request(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x04, 1, 5);
	roce_shoot((struct roce_shot){.from = 1,
				      .to = 2,
				      .qp = 0x22,
				      .opcode = 0x0c,
				      .psn = 2,
				      .asked = 2058}); /* at 2 us */
	roce_request(0x04, 5, 6);
	roce_answer(0x0d, 2, 0x1f, 1024); /* answers the SEND before, too */
	roce_answer(0x0e, 3, 0, 1024);
	roce_answer(0x0f, 4, 0x1f, 10); /* at 6 us */
	roce_ack(5);
	roce_end();
	assert_int_equal(roce_world.n, 3);
	roce_expect(0, "SEND", 5, NA_VALID, 3);
	roce_expect(1, "READ", 2058, NA_VALID, 4);
	roce_expect(2, "SEND", 6, NA_VALID, 4);
	assert_string_equal(roce_world.told[1].src, "10.0.0.2");
	assert_string_equal(roce_world.told[1].dst, "10.0.0.1");
	assert_string_equal(roce_world.told[1].collective, "roce:0x000022");
	assert_int_equal(roce_world.c.roce_messages, 3);
	/* The READ's own numbers are no gap. */
	assert_int_equal(roce_world.c.roce_psn_gaps, 0);
}

static void read_in_part(void **state)
{
	(void)state;
	roce_begin_large();
	roce_answer(0x10, 7, 0x1f, 33);    /* the request was not captured */
	roce_answer(0x0d, 20, 0x1f, 1024); /* nor this one's, and 21 is lost */
	roce_answer(0x0f, 22, 0x1f, 5);
	roce_answer(0x10, 7, 0x1f, 33); /* once more */
	roce_end();
	assert_int_equal(roce_world.n, 2);
	roce_expect(0, "READ", 33, NA_NO_LATENCY, 0);
	roce_expect(1, "READ", 1029, NA_NO_LATENCY, 0);
	assert_string_equal(roce_world.told[0].src, "10.0.0.2");
	assert_int_equal(roce_world.c.roce_psn_gaps, 1);
	assert_int_equal(roce_world.c.roce_psn_repeats, 1);
	assert_int_equal(roce_world.c.roce_messages, 3);
}

static void atomics(void **state)
{
	(void)state;
	roce_begin_large();
	roce_request(0x13, 1, 0);
	roce_request(0x14, 2, 0);
	roce_answer(0x12, 1, 0x1f, 0);
	roce_answer(0x12, 2, 0x1f, 0);
	roce_request(0x14, 3, 0);
	roce_request(0x04, 4, 1);
	roce_ack(4); /* the atomic's answer was not captured */
	roce_end();
	assert_int_equal(roce_world.n, 4);
	roce_expect(0, "COMPARE_SWAP", 8, NA_VALID, 2);
	roce_expect(1, "FETCH_ADD", 8, NA_VALID, 2);
	roce_expect(2, "FETCH_ADD", 8, NA_NO_LATENCY, 0);
	assert_int_equal(roce_world.c.roce_messages, 4);
}

/* Datagrams: the sender's queue pair keeps them apart, their numbers count
 * over all destinations. */
static void datagrams(void **state)
{
	struct roce_shot s = {
		.from = 1, .to = 2, .qp = 1, .opcode = 0x64, .n = 256};

	(void)state;
	roce_begin_large();
	for (uint32_t i = 0; i < 6; i++) {
		s.source_qp = 7 + i % 2;
		s.psn = i * 100;
		roce_shoot(s);
	}
	roce_end();
	assert_int_equal(roce_world.n, 6);
	for (size_t i = 0; i < 6; i++)
		roce_expect(i, "UD_SEND", 256, NA_NO_LATENCY, 0);
	assert_int_equal(roce_world.c.roce_psn_gaps, 0);
}

static void marks(void **state)
{
	struct roce_shot s = {
		.from = 2, .to = 1, .qp = 1, .opcode = 0x81, .n = 16};
	uint8_t b[12] = {4};
	struct na_packet p = {.kind = NA_PACKET_UDP,
			      .payload = b,
			      .payload_bytes = 12,
			      .payload_captured = 12};

	(void)state;
	roce_begin_large();
	roce_shoot(s);
	s.ecn = 3;
	roce_shoot(s);
	s.opcode = 0x1f; /* no such operation */
	roce_shoot(s);
	assert_int_equal(na_roce_packet(roce_world.x, &p),
			 NA_OK); /* no room for ICRC */
	roce_end();
	assert_int_equal(roce_world.c.roce_congestion, 2);
	assert_int_equal(roce_world.c.roce_ce_marks, 2);
	assert_int_equal(roce_world.c.roce_packets, 3);
	assert_int_equal(roce_world.c.malformed, 1);
	assert_int_equal(roce_world.n, 0);
}

/* Sizes are those on the wire; an ACK whose syndrome was cut off could be a
 * NAK, and answers nothing. */
static void cut_by_snap_length(void **state)
{
	struct roce_shot s = {
		.from = 1, .to = 2, .qp = 0x22, .opcode = 4, .n = 900};

	(void)state;
	roce_begin_large();
	s.cut = 12;
	roce_shoot(s);
	s = (struct roce_shot){.from = 2, .to = 1, .qp = 0x11, .opcode = 0x11};
	s.cut = 15;
	roce_shoot(s);
	s.cut = 16;
	roce_shoot(s);
	roce_end();
	assert_int_equal(roce_world.n, 1);
	roce_expect(0, "SEND", 900, NA_VALID, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opcode),
		cmocka_unit_test(names_of_operations),
		cmocka_unit_test(sends_and_writes),
		cmocka_unit_test(coalesced_and_wrapped),
		cmocka_unit_test(nak_and_back),
		cmocka_unit_test(receiver_not_ready),
		cmocka_unit_test(gap_filled),
		cmocka_unit_test(lost_between_messages),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(unanswered),
		cmocka_unit_test(times_that_are_none),
		cmocka_unit_test(read_with_request),
		cmocka_unit_test(read_in_part),
		cmocka_unit_test(atomics),
		cmocka_unit_test(datagrams),
		cmocka_unit_test(marks),
		cmocka_unit_test(cut_by_snap_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
