/*
 * What queue pairs did, by hand-made packets: why a sender goes back, what
 * was needed, what the capture missed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/roce_shots.h"

enum {
	FIRST = 0x00,
	MIDDLE = 0x01,
	ONLY = 0x04,
	READ = 0x0c,
	ACK = 0x11,
	FETCH = 0x14,
	UC_ONLY = 0x24,
	UD_ONLY = 0x64,
	CNP = 0x81,
	RNR = 0x28,
	NAK = 0x60,
	LOST = 0x62, /* remote access error */
	REPLY = 0x1f
};

static void only(uint32_t psn)
{
	roce_request(ONLY, psn, 100);
}

static void nak(uint32_t psn, unsigned syndrome)
{
	roce_answer(ACK, psn, syndrome, 0);
}

/* Beside the sender, its numbers at their end. */
static void goes_back_for_a_nak(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	for (uint32_t i = 0; i < 6; i++)
		only(0xfffffd + i);
	nak(0xffffff, NAK);
	for (uint32_t i = 2; i < 7; i++)
		only(0xfffffd + i);
	roce_ack(0xfffffd + 6);
	roce_end();
	assert_int_equal(roce_world.n_qps, 1);
	q = roce_qp(0x22);
	assert_int_equal(q->packets, 11);
	assert_int_equal(q->bytes, 1100);
	assert_int_equal(q->messages, 7);
	assert_int_equal(q->repeats, 4);
	assert_int_equal(q->repeated_bytes, 400);
	assert_int_equal(q->needed, 1);
	assert_int_equal(q->naks_sequence, 1);
	assert_int_equal(q->psn_gaps, 0);
	assert_int_equal(q->timeouts, 0);
	assert_int_equal(q->answers, 2);
	assert_int_equal(q->latencies, 7);
	/* From the NAK until a new packet. */
	assert_int_equal(q->recovery_ns, 5 * US);
	assert_int_equal(roce_world.marked[NA_QP_DATA], 7);
	assert_int_equal(roce_world.marked[NA_QP_REPEAT], 4);
	assert_int_equal(roce_world.marked[NA_QP_NAK], 1);
}

/* Beside the receiver: the first one never came by. */
static void gap_then_nak(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	only(1);
	only(3);
	only(4);
	nak(2, NAK);
	only(2);
	only(3);
	only(4);
	roce_ack(4);
	roce_end();
	q = roce_qp(0x22);
	assert_int_equal(q->psn_gaps, 1);
	assert_int_equal(q->repeats, 3);
	assert_int_equal(q->needed, 1);
	assert_int_equal(q->missing, 0);
	assert_int_equal(q->reordered, 0);
}

static void timeout_after_silence(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	only(1);
	roce_ack(1);
	only(2);
	roce_world.now_us += 70000;
	only(2);
	roce_ack(2);
	/* Acknowledged, but that did not reach the sender. */
	roce_world.now_us += 1000;
	only(2);
	roce_end();
	q = roce_qp(0x22);
	assert_int_equal(q->repeats, 2);
	assert_int_equal(q->timeouts, 2);
	assert_int_equal(q->needed, 1);
	assert_int_equal(q->longest_silent_ns, 70001 * US);
	assert_int_equal(q->silent_ns, 71003 * US);
	assert_int_equal(q->naks_sequence, 0);
}

static void not_ready(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	only(1);
	nak(1, RNR);
	roce_world.now_us += 9;
	only(1);
	nak(1, RNR);
	roce_world.now_us += 700; /* told to wait: no timeout */
	only(1);
	roce_ack(1);
	nak(2, LOST);
	roce_end();
	q = roce_qp(0x22);
	assert_int_equal(q->naks_rnr, 2);
	assert_int_equal(q->naks_other, 1);
	assert_int_equal(q->repeats, 2);
	assert_int_equal(q->needed, 0);
	assert_int_equal(q->timeouts, 0);
	assert_int_equal(q->rnr_ns, 711 * US);
}

/* Nobody answers: what comes again at once was needed as far as is known. */
static void one_direction(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	for (uint32_t i = 0; i < 60; i++)
		only(i == 30 ? 28 : i);
	roce_end();
	q = roce_qp(0x22);
	assert_int_equal(q->answers, 0);
	assert_int_equal(q->repeats, 1);
	assert_int_equal(q->needed, 1);
	assert_int_equal(q->latency_max_ns, -1);
}

static void capture_misses(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	only(1);
	only(5);
	roce_ack(5);
	only(8); /* and nobody acknowledges these */
	roce_end();
	q = roce_qp(0x22);
	assert_int_equal(q->psn_gaps, 2);
	assert_int_equal(q->missing, 3);
	assert_int_equal(q->needed, 0);
	assert_int_equal(q->repeats, 0);
}

/* Both sides of a mirrored port; a packet that overtook another. */
static void twice_and_late(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	for (uint32_t i = 1; i < 9; i++) {
		only(i);
		only(i);
		roce_ack(i);
		roce_ack(i);
	}
	only(10);
	only(9);
	only(11);
	roce_ack(11);
	roce_end();
	q = roce_qp(0x22);
	assert_int_equal(q->packets, 19);
	assert_int_equal(q->repeats, 0);
	assert_int_equal(q->needed, 0);
	assert_int_equal(q->reordered, 1);
	assert_int_equal(q->missing, 0);
}

/* Of a READ the second response is lost: it is asked for again. */
static void lost_response(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	for (int again = 0; again < 2; again++) {
		roce_shoot((struct roce_shot){.from = 1,
					      .to = 2,
					      .qp = 0x22,
					      .opcode = READ,
					      .psn = 10 + (uint32_t)again,
					      .asked = 12288});
		if (!again)
			roce_answer(0x0d, 10, REPLY, 4096);
		else
			roce_answer(0x0d, 11, REPLY, 4096);
		if (!again)
			roce_world.now_us += 5000;
	}
	roce_answer(0x0f, 12, REPLY, 4096);
	roce_end();
	assert_int_equal(roce_world.n_qps, 2);
	q = roce_qp(0x22);
	assert_int_equal(q->packets, 2);
	assert_int_equal(q->bytes, 0);
	assert_int_equal(q->timeouts, 1);
	assert_int_equal(q->repeats, 1);
	assert_int_equal(q->needed, 0); /* the request had come */
	assert_int_equal(q->messages, 1);
	q = roce_qp(0x11);
	assert_int_equal(q->packets, 3);
	assert_int_equal(q->bytes, 12288);
	assert_int_equal(q->repeats, 0);
	assert_true(q->answers > 0);
}

static void other_services(void **state)
{
	const struct na_queue_pair *q;

	(void)state;
	roce_begin_large();
	roce_request(UC_ONLY, 1, 10);
	roce_request(UC_ONLY, 3, 10);
	roce_shoot((struct roce_shot){.from = 1,
				      .to = 2,
				      .qp = 0x33,
				      .opcode = UD_ONLY,
				      .psn = 70,
				      .n = 8,
				      .source_qp = 5});
	roce_shoot((struct roce_shot){.from = 1,
				      .to = 2,
				      .qp = 0x33,
				      .opcode = UD_ONLY,
				      .psn = 9,
				      .n = 8,
				      .source_qp = 5});
	roce_shoot((struct roce_shot){
		.from = 1, .to = 2, .qp = 0x44, .opcode = FETCH, .psn = 9});
	roce_end();
	q = roce_qp(0x22);
	assert_int_equal(q->service, NA_QP_UNRELIABLE);
	assert_int_equal(q->psn_gaps, 1);
	assert_int_equal(q->messages, 2);
	q = roce_qp(0x33);
	assert_int_equal(q->service, NA_QP_DATAGRAM);
	assert_int_equal(q->psn_gaps, 0);
	assert_int_equal(q->repeats, 0);
	q = roce_qp(0x44);
	assert_int_equal(q->service, NA_QP_RELIABLE);
	assert_int_equal(q->packets, 1);
	assert_int_equal(q->bytes, 0);
}

static void notify(uint32_t qp)
{
	roce_shoot((
		struct roce_shot){.from = 2, .to = 1, .qp = qp, .opcode = CNP});
}

/* Before its queue pair is known, and with another one beside it. */
static void notifications(void **state)
{
	(void)state;
	roce_begin_large();
	notify(0x11);
	only(1);
	roce_shoot((struct roce_shot){.from = 1,
				      .to = 2,
				      .qp = 0x33,
				      .opcode = ONLY,
				      .psn = 500,
				      .n = 100,
				      .ecn = 3});
	notify(0x11);
	roce_ack(1);
	notify(0x11);
	roce_world.now_us += 300;
	notify(0x11);
	roce_world.now_us += 5000;
	only(2);
	roce_ack(2);
	roce_end();
	assert_int_equal(roce_qp(0x22)->cnps, 4);
	assert_int_equal(roce_qp(0x33)->cnps, 0);
	assert_int_equal(roce_qp(0x33)->ce_marks, 1);
	assert_int_equal(roce_qp(0x22)->ce_marks, 0);
	/* A millisecond behind each, where they meet once. */
	assert_true(roce_qp(0x22)->slowed_ns >= 1000 * US);
	assert_true(roce_qp(0x22)->slowed_ns <= 1302 * US);
}

/* Marks take a bounded room, and none is lost. */
static void marks_are_bounded(void **state)
{
	(void)state;
	roce_begin_large();
	for (uint32_t i = 0; i < 5000; i++)
		roce_request(i ? MIDDLE : FIRST, i, 100);
	roce_end();
	assert_int_equal(roce_world.marked[NA_QP_DATA], 5000);
	assert_true(roce_world.n_marks <= 64);
}

static void told_early(void **state)
{
	(void)state;
	roce_begin(2, 10, 10);
	for (uint32_t i = 0; i < 5; i++)
		roce_shoot((struct roce_shot){.from = 1,
					      .to = 2,
					      .n = 9,
					      .qp = 0x40 + i,
					      .opcode = ONLY,
					      .psn = 7});
	roce_end();
	assert_int_equal(roce_world.n_qps, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(roce_qp(0x40 + i)->evicted, i < 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_back_for_a_nak),
		cmocka_unit_test(gap_then_nak),
		cmocka_unit_test(timeout_after_silence),
		cmocka_unit_test(not_ready),
		cmocka_unit_test(one_direction),
		cmocka_unit_test(capture_misses),
		cmocka_unit_test(twice_and_late),
		cmocka_unit_test(lost_response),
		cmocka_unit_test(other_services),
		cmocka_unit_test(notifications),
		cmocka_unit_test(marks_are_bounded),
		cmocka_unit_test(told_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
