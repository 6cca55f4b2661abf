/*
 * Stretches of connections, and hosts that are held out: a port that delivers
 * slowly, and what is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "netan/evidence/held_out.h"
#include "tests/unit/hand_tcp.h"

enum { MS = 1000, FULL = 1000, HOSTS = 6, STEPS = 12 };

/* n full segments, gap_us between them, each acknowledged rtt_us later; the last
 * one is short. */
static uint32_t message(struct hand_tcp *h, uint32_t seq, int n, int64_t gap_us,
			int64_t rtt_us)
{
	for (int i = 0; i < n; i++) {
		uint32_t size = i + 1 < n ? FULL : FULL / 2;

		hand_data(h, i ? gap_us - rtt_us : 30 * MS, 0, seq, 901, size);
		seq += size;
		hand_ack(h, rtt_us, 1, 901, seq);
	}
	return seq;
}

static void shake(struct hand_tcp *h)
{
	struct na_packet p;

	hand_start(h, NULL);
	p = hand_packet(h, 0, 100, 0);
	p.flags = NA_TCP_SYN;
	p.mss = FULL;
	hand_feed(h, 0, p);
	p = hand_packet(h, 1, 900, 101);
	p.flags = NA_TCP_SYN | NA_TCP_ACK;
	p.mss = FULL;
	hand_feed(h, 50, p);
	hand_ack(h, 50, 0, 101, 901);
}

/* Pauses between messages are in none; the wide gaps inside of them are. */
static void spacing(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;
	uint32_t seq = 101;

	(void)state;
	shake(&h);
	for (int i = 0; i < 3; i++)
		seq = message(&h, seq, 20, 500, 20);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->stretches_kept, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(d->stretch[i].bytes, 19 * FULL);
		assert_in_range(d->stretch[i].took_ns, 18 * 500000,
				19 * 500000);
		assert_int_equal(d->stretch[i].marks, 0);
	}
	hand_free(&h);
}

/* Nine segments are too few; a closed window is the receiver's. */
static void none(void **state)
{
	struct hand_tcp h;
	struct na_packet p;
	uint32_t seq;

	(void)state;
	shake(&h);
	seq = message(&h, 101, 9, 500, 20);
	hand_data(&h, 30 * MS, 0, seq, 901, FULL);
	p = hand_packet(&h, 1, 901, seq + FULL);
	p.window = 0;
	hand_feed(&h, 20, p);
	message(&h, seq + FULL, 20, 500, 20);
	hand_end(&h);
	assert_int_equal(hand_conn(&h, 0)->dir[0].stretches_kept, 0);
	hand_free(&h);
}

/* All to all, one pair after the other, so that nobody shares a port.  Healthy
 * times differ by up to 10 %; what host `slow` receives takes `times` as long. */
static void fill(struct na_evidence *e, uint32_t slow, double times)
{
	double now_us = 0;

	*e = (struct na_evidence){.n_hosts = HOSTS};
	for (uint32_t i = 0; i < STEPS * HOSTS * HOSTS; i++) {
		uint32_t a = i / HOSTS % HOSTS, b = i % HOSTS;
		struct na_observation x = {
			.start_us = now_us,
			.took_us = 1000 + (double)(i * 37 % 101),
			.size_bytes = 65536,
			.src = a,
			.dst = b,
			.src_device = a,
			.dst_device = b,
			.step = i / (HOSTS * HOSTS),
		};

		if (a == b)
			continue;
		x.took_us *= b == slow ? times : 1;
		now_us += x.took_us + 1;
		assert_true(na_evidence_add(e, &x));
	}
}

static void held_out(void **state)
{
	struct na_judge_result r;
	struct na_evidence e;
	struct na_err err;

	(void)state;
	fill(&e, 4, 2);
	assert_int_equal(na_held_out(&e, &r, &err), NA_OK);
	assert_int_equal(r.outcome, NA_GUILTY);
	assert_int_equal(r.n_findings, 1);
	assert_int_equal(r.findings[0].place.cause, NA_CAUSE_DST);
	assert_int_equal(r.findings[0].place.a, 4);
	assert_int_equal(r.findings[0].transfers, STEPS * (HOSTS - 1));
	assert_true(r.findings[0].low < 0.694 && r.findings[0].high > 0.692);
	na_judge_result_fini(&r);
	na_evidence_fini(&e);
	fill(&e, HOSTS, 1);
	assert_int_equal(na_held_out(&e, &r, &err), NA_OK);
	assert_int_equal(r.outcome, NA_NOT_GUILTY);
	assert_int_equal(r.n_findings, 0);
	assert_true(r.upper < 1.43);
	na_judge_result_fini(&r);
	na_evidence_fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spacing),
		cmocka_unit_test(none),
		cmocka_unit_test(held_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
