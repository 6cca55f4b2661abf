/*
 * Queue pairs that wait for an answer when the window ends, or the capture: by
 * hand-made packets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "tests/unit/roce_shots.h"

enum { MS = 1000, ONLY = 0x04, READ = 0x0c, ACK = 0x11, RNR = 0x28, NAK = 0x60 };
#define MS_NS INT64_C(1000000)

static void ask(int64_t at_us, uint32_t psn, bool asks)
{
	roce_shoot((struct roce_shot){.from = 1,
				      .to = 2,
				      .qp = 0x22,
				      .opcode = ONLY,
				      .psn = psn,
				      .n = 100,
				      .asks = asks,
				      .at_us = at_us});
}

static void answer(int64_t at_us, uint8_t opcode, uint32_t psn,
		   uint8_t syndrome)
{
	roce_shoot((struct roce_shot){.from = 2,
				      .to = 1,
				      .qp = 0x11,
				      .opcode = opcode,
				      .psn = psn,
				      .syndrome = syndrome,
				      .at_us = at_us});
}

static void ack(int64_t at_us, uint32_t psn)
{
	answer(at_us, ACK, psn, 0x1f);
}

/* 3 is lost at 30 ms, and sent again at 100 ms. */
static void tell_timeout(void)
{
	for (uint32_t i = 1; i < 3; i++) {
		ask(10 * MS * i, i, true);
		ack(10 * MS * i + 10, i);
	}
	ask(30 * MS, 3, true);
	ask(100 * MS, 3, true);
	ack(100 * MS + 10, 3);
	ask(110 * MS, 4, true);
	ack(110 * MS + 10, 4);
	ask(200 * MS, 5, true);
	ack(200 * MS + 10, 5);
}

static void windows(void **state)
{
	static const struct {
		int64_t from_us, to_us, stalled_ns;
		size_t n;
		uint64_t packets, timeouts;
	} cases[] = {
		{40 * MS, 90 * MS, 50 * MS_NS, 1, 0, 0}, /* nothing in it */
		{5 * MS, 60 * MS, 30 * MS_NS, 1, 3, 0},
		{5 * MS, 30 * MS + 400, 0, 1, 3, 0}, /* too soon to say */
		{5 * MS, 101 * MS, 0, 1, 4, 1},      /* sent again in it */
		{120 * MS, 190 * MS, 0, 0, 0, 0},    /* all answered */
		{50 * MS, 105 * MS, 0, 1, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t from_us = cases[i].packets ? 10 * MS : cases[i].from_us;
		const struct na_queue_pair *q;

		roce_begin_window(cases[i].from_us, cases[i].to_us);
		tell_timeout();
		roce_end();
		assert_int_equal(roce_world.n_qps, cases[i].n);
		assert_int_equal(roce_world.c.roce_pairs_outside,
				 1 - cases[i].n);
		if (!cases[i].n)
			continue;
		q = roce_qp(0x22);
		assert_int_equal(q->stalled_ns, cases[i].stalled_ns);
		assert_int_equal(q->stall_resent, cases[i].stalled_ns > 0);
		assert_int_equal(q->packets, cases[i].packets);
		assert_int_equal(q->timeouts, cases[i].timeouts);
		if (!q->stalled_ns)
			continue;
		assert_int_equal(q->from_ps, from_us * NA_PS_PER_US);
		assert_int_equal(q->to_ps, cases[i].to_us * NA_PS_PER_US);
	}
}

/* An answer that is late, or that says when to come again, is no timeout; a
 * packet that asks for none waits for none. */
static void answers(void **state)
{
	static const struct {
		bool asks;
		uint8_t opcode, syndrome;
		int64_t again_us; /* 0: not sent again */
		bool stalls;
	} cases[] = {
		{true, ACK, 0x1f, 0, false},
		{true, ACK, RNR, 90 * MS, false},
		{true, ACK, NAK, 90 * MS, true}, /* it is missing */
		{true, 0, 0, 90 * MS, true},
		{false, 0, 0, 90 * MS, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		roce_begin_window(5 * MS, 60 * MS);
		ask(10 * MS, 1, true);
		ack(10 * MS + 10, 1);
		ask(30 * MS, 2, cases[i].asks);
		if (cases[i].opcode)
			answer(80 * MS, cases[i].opcode, 2, cases[i].syndrome);
		if (cases[i].again_us)
			ask(cases[i].again_us, 2, true);
		ack(95 * MS, 2);
		roce_end();
		assert_int_equal(roce_qp(0x22)->stalled_ns > 0,
				 cases[i].stalls);
	}
}

/* Of a READ some answers came: those that miss are asked for again. */
static void half_a_read(void **state)
{
	static const uint8_t parts[] = {0x0d, 0x0e, 0x0f};

	(void)state;
	for (uint32_t came = 0; came < 4; came++) {
		struct roce_shot s = {.from = 1,
				      .to = 2,
				      .qp = 0x22,
				      .opcode = READ,
				      .psn = 1,
				      .asked = 3 * 4096,
				      .at_us = 10 * MS};

		roce_begin_window(0, 60 * MS);
		ask(1 * MS, 0, true);
		ack(1 * MS + 10, 0);
		roce_shoot(s);
		for (uint32_t i = 0; i < came; i++)
			answer(11 * MS + i, parts[i], 1 + i, 0x1f);
		s.psn = 1 + came;
		s.asked = (3 - came) * 4096;
		s.at_us = 90 * MS;
		if (came < 3)
			roce_shoot(s);
		roce_end();
		assert_int_equal(roce_qp(0x22)->stalled_ns > 0, came < 3);
	}
}

/* The answer to a READ of the other side is no request, and its numbers are
 * that side's: sent again, it says nothing of an own one that waits. */
static void the_others_read(void **state)
{
	const struct roce_shot part = {.from = 1,
				       .to = 2,
				       .qp = 0x22,
				       .opcode = 0x10,
				       .psn = 50,
				       .n = 100};

	(void)state;
	for (int again = 0; again < 2; again++) {
		struct roce_shot s = part;

		roce_begin_window(0, 60 * MS);
		ask(1 * MS, 40, true);
		ack(1 * MS + 10, 40);
		s.at_us = 5 * MS;
		roce_shoot(s);
		for (uint32_t psn = 41; psn <= 60; psn++)
			ask(30 * MS + psn, psn, psn == 60);
		s.at_us = 70 * MS;
		if (again)
			roce_shoot(s);
		ack(95 * MS, 60);
		roce_end();
		assert_int_equal(roce_qp(0x22)->stalled_ns, 0);
	}
}

/* The capture ends: nobody knows, unless an answer may still be on its way, or
 * would have come long ago. */
static void until_the_end(void **state)
{
	static const struct {
		int64_t silent_us;
		uint32_t file; /* that others come from */
		bool stalls;
	} cases[] = {
		{400, 0, false},
		{30 * MS, 0, false}, /* answers take 10 ms */
		{50 * MS, 0, true},
		{50 * MS, 1, false}, /* this file ended before */
		{17000 * MS, 0, true},
		{18000 * MS, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		roce_begin_large();
		for (uint32_t k = 0; k < 40; k++) {
			ask(20 * MS * (k + 1), k, true);
			ack(20 * MS * (k + 1) + 10 * MS, k);
		}
		ask(1000 * MS, 40, true);
		na_roce_from(roce_world.x, cases[i].file);
		roce_shoot((struct roce_shot){
			.from = 3,
			.to = 4,
			.qp = 9,
			.opcode = ONLY,
			.at_us = 1000 * MS + cases[i].silent_us});
		roce_end();
		assert_int_equal(roce_qp(0x22)->stalled_ns > 0,
				 cases[i].stalls);
		assert_false(roce_qp(0x22)->stall_resent);
		assert_int_equal(roce_qp(9)->stalled_ns, 0);
	}
}

/* A few answers tell as well how long they take. */
static void after_few(void **state)
{
	static const struct {
		uint32_t answers;
		int64_t silent_us;
		bool stalls;
	} cases[] = {
		{1, 19 * MS, false},
		{1, 21 * MS, true},
		{2, 19 * MS, false},
		{2, 21 * MS, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		roce_begin_large();
		for (uint32_t k = 0; k < cases[i].answers; k++) {
			ask(10 * MS * k, k, true);
			ack(10 * MS * k + 5 * MS, k);
		}
		ask(50 * MS, cases[i].answers, true);
		roce_shoot((struct roce_shot){
			.from = 3,
			.to = 4,
			.qp = 9,
			.opcode = ONLY,
			.at_us = 50 * MS + cases[i].silent_us});
		roce_end();
		assert_int_equal(roce_qp(0x22)->stalled_ns > 0,
				 cases[i].stalls);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(answers),
		cmocka_unit_test(half_a_read),
		cmocka_unit_test(the_others_read),
		cmocka_unit_test(until_the_end),
		cmocka_unit_test(after_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
