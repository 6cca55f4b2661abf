/*
 * Stretches of connections, and the rates of ports: one that is slow, and what
 * is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "netan/evidence/ports.h"
#include "tests/unit/hand_tcp.h"

enum { MS = 1000, FULL = 1000, HOSTS = 6, ROUNDS = 12 };

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

/* Two connections of one host, segment by segment in turn: each takes the
 * whole time for half of what its ports send and get. */
static void shared(void **state)
{
	uint32_t seq[2] = {101, 101};
	struct hand_tcp h;
	uint16_t port;

	(void)state;
	shake(&h);
	port = h.port;
	h.port = port + 1;
	hand_shake(&h, 100, 900, 20);
	for (int i = 0; i < 60; i++) {
		int c = i % 2;

		h.port = (uint16_t)(port + c);
		hand_data(&h, 480, 0, seq[c], 901, FULL);
		seq[c] += FULL;
		hand_ack(&h, 20, 1, 901, seq[c]);
	}
	hand_end(&h);
	for (uint32_t c = 0; c < 2; c++) {
		const struct na_stretch *x = hand_conn(&h, c)->dir[0].stretch;

		assert_int_equal(hand_conn(&h, c)->dir[0].stretches_kept, 1);
		assert_int_equal(x->bytes, 29 * FULL);
		assert_in_range(x->took_ns, 28 * MS * 1000, 28.1 * MS * 1000);
		assert_in_range(x->src_ns, 14.4 * MS * 1000, 14.6 * MS * 1000);
		assert_in_range(x->dst_ns, 14.0 * MS * 1000, 14.6 * MS * 1000);
	}
	hand_free(&h);
}

/* A sender's clock that goes back says nothing of its port. */
static void set_back(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;
	uint32_t seq = 101;

	(void)state;
	shake(&h);
	for (int i = 0; i < 20; i++, seq += FULL)
		hand_data(&h, i ? -10 : 30 * MS, 0, seq, 901, FULL);
	for (int i = 19; i >= 0; i--)
		hand_ack(&h, 500, 1, 901, seq - (uint32_t)i * FULL);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->stretches_kept, 1);
	assert_true(d->stretch[0].took_ns > 0);
	assert_int_equal(d->stretch[0].src_ns, 0);
	assert_true(d->stretch[0].dst_ns > 0);
	hand_free(&h);
}

/* All to all, at rates that differ by up to 4 %; what host `slow` receives
 * takes `times` as long, what host `idle` does now and then. */
static void fill(struct na_port_rows *rows, uint32_t slow, double times,
		 uint32_t idle)
{
	*rows = (struct na_port_rows){0};
	for (uint32_t i = 0; i < ROUNDS * HOSTS * HOSTS; i++) {
		uint32_t a = i / HOSTS % HOSTS, b = i % HOSTS;
		double x = 1 + (double)(i * 37 % 101) / 2500,
		       more = b == slow ? times
			      : b == idle && i / (HOSTS * HOSTS) % 3
				      ? 1 + i * 53 % 101 / 50.0
				      : 1;

		if (a != b)
			assert_true(na_add(&rows->rows,
					   ((struct na_port_row){
						   {a, b}, {x, x * more}})));
	}
}

static void judge(struct na_port_rows *rows, struct na_judge_result *r)
{
	struct na_err err;

	assert_int_equal(na_ports_judge(rows, HOSTS, r, &err), NA_OK);
	na_vec_free(&rows->rows);
}

/* At half the rate; and one that is not always full. */
static void ports(void **state)
{
	struct na_judge_result r;
	struct na_port_rows rows;

	(void)state;
	fill(&rows, 4, 2, HOSTS);
	judge(&rows, &r);
	assert_int_equal(r.outcome, NA_JUDGE_GUILTY);
	assert_int_equal(r.n_findings, 1);
	assert_int_equal(r.findings[0].place.cause, NA_JUDGE_DST);
	assert_int_equal(r.findings[0].place.a, 4);
	assert_int_equal(r.findings[0].pairs, HOSTS - 1);
	assert_int_equal(r.findings[0].transfers, ROUNDS * (HOSTS - 1));
	assert_true(r.findings[0].low < 0.694 && r.findings[0].high > 0.692);
	na_judge_result_fini(&r);
	fill(&rows, HOSTS, 1, HOSTS);
	judge(&rows, &r);
	assert_int_equal(r.outcome, NA_JUDGE_NOT_GUILTY);
	assert_true(r.upper < 1.43);
	na_judge_result_fini(&r);
	fill(&rows, HOSTS, 1, 2);
	judge(&rows, &r);
	assert_int_equal(r.n_findings, 0);
	na_judge_result_fini(&r);
}

/* A ring, where host 1 gets what host 0 sends slowly, and at the same rate: no
 * port alone; unless host 0 is seen to be faster. */
static void ring(void **state)
{
	(void)state;
	for (int faster = 0; faster < 2; faster++) {
		struct na_port_rows rows = {0};
		struct na_judge_result r;

		for (uint32_t i = 0; i < ROUNDS * HOSTS; i++) {
			uint32_t a = i % HOSTS;
			double x = (a ? 1 : 2) + (double)(i * 37 % 101) / 2500;
			double src = faster && i / HOSTS % 2 ? 1 : x;

			assert_true(na_add(&rows.rows,
					   ((struct na_port_row){
						   {a, (a + 1) % HOSTS},
						   {src, x}})));
		}
		judge(&rows, &r);
		assert_int_equal(r.n_findings, 1);
		assert_int_equal(r.findings[0].place.cause,
				 faster ? NA_JUDGE_DST : NA_JUDGE_PAIR);
		assert_int_equal(r.findings[0].place.a, faster ? 1 : 0);
		na_judge_result_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spacing),
		cmocka_unit_test(none),
		cmocka_unit_test(shared),
		cmocka_unit_test(set_back),
		cmocka_unit_test(ports),
		cmocka_unit_test(ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
