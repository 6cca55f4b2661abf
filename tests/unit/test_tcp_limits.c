/*
 * What the tracker does when there is more than it keeps, and what it hands
 * to the picture of one connection.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/hand_tcp.h"

enum { MS = 1000, KB = 1000 };

/* One-packet flows without end: the oldest go, one after the other, and
 * take no more than an eighth of the room; what is used stays. */
static void flood(void **state)
{
	static const struct na_tcp_limits few = {16, 64, 10};
	struct hand_tcp h;
	uint32_t seq = 101;

	(void)state;
	hand_start(&h, &few);
	hand_shake(&h, 100, 900, 2 * MS);
	for (uint16_t i = 0; i < 1000; i++) {
		h.port = (uint16_t)(2000 + i);
		hand_flags(&h, 1, 0, i, 0, NA_TCP_SYN);
		h.port = 1000;
		hand_data(&h, 1, 0, seq, 901, KB);
		assert_int_equal(h.last.connection, 0);
		seq += KB;
		hand_ack(&h, 1, 1, 901, seq);
	}
	hand_end(&h);
	assert_int_equal(h.counts.connections, 1001);
	assert_int_equal(h.counts.connections_evicted, 1001 - 3);
	assert_int_equal(h.closed, 1001);
	/* of those without payload half the room, then they are counted */
	assert_int_equal(h.n_conn, 6);
	assert_int_equal(h.counts.limits_hit, 1001 - 6);
	assert_int_equal(hand_conn(&h, 0)->dir[0].bytes, 1000 * KB);
	assert_int_equal(hand_conn(&h, 1)->end, NA_CONN_EVICTED);
	hand_free(&h);
}

/* Data that nobody acknowledges, with holes all over: bounded, told. */
static void no_acks(void **state)
{
	static const struct na_tcp_limits few = {16, 64, 10};
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, &few);
	for (uint32_t i = 0; i < 5000; i++)
		hand_data(&h, 1, 0, 101 + 2 * i * KB, 901, KB);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->unique_bytes, 5000 * KB);
	assert_int_equal(d->lost_before, 4999);
	assert_true(h.counts.limits_hit > 5000);
	hand_free(&h);
}

/* Those that ended make room first, and nobody calls that evicted. */
static void finished_go_first(void **state)
{
	static const struct na_tcp_limits few = {8, 64, 200};
	struct hand_tcp h;

	(void)state;
	hand_start(&h, &few);
	hand_shake(&h, 100, 900, 2 * MS);
	for (uint16_t i = 0; i < 100; i++) {
		h.port = (uint16_t)(2000 + i);
		hand_shake(&h, 100, 900, 2 * MS);
		hand_flags(&h, MS, i % 2, 101, 901, NA_TCP_RST);
	}
	h.port = 1000;
	hand_data(&h, MS, 0, 101, 901, KB);
	assert_int_equal(h.last.connection, 0);
	hand_end(&h);
	assert_int_equal(h.counts.connections, 101);
	assert_int_equal(h.counts.connections_evicted, 0);
	hand_free(&h);
}

/* Of more connections than are told, those that had trouble have the most
 * room: 4 without payload, 2 with, 2 that repeated. */
static void kept(void **state)
{
	static const struct na_tcp_limits few = {64, 64, 8};
	struct hand_tcp h;
	size_t told[3] = {0};

	(void)state;
	hand_start(&h, &few);
	for (uint16_t i = 0; i < 30; i++) {
		h.port = (uint16_t)(2000 + i);
		hand_shake(&h, 100, 900, 2 * MS);
		if (i >= 10)
			hand_data(&h, MS, 0, 101, 901, KB);
		if (i >= 20)
			hand_data(&h, MS * 500, 0, 101, 901, KB);
		hand_flags(&h, MS, 0, 101, 901, NA_TCP_RST);
	}
	hand_end(&h);
	assert_int_equal(h.n_conn, 8);
	assert_int_equal(h.counts.limits_hit, 22);
	for (size_t i = 0; i < h.n_conn; i++)
		told[h.conn[i].id / 10]++;
	assert_int_equal(told[0], 4);
	assert_int_equal(told[1], 2);
	assert_int_equal(told[2], 2);
	hand_free(&h);
}

static void segments(void **state)
{
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 2 * MS);
	assert_int_equal(h.n_seg, 3);
	assert_int_equal(h.seg.seq, 1);
	hand_data(&h, MS, 1, 901, 101, KB);
	assert_int_equal(h.seg.dir, 1);
	assert_int_equal(h.seg.size_bytes, KB);
	assert_int_equal(h.seg.window_bytes, 60000);
	assert_int_equal(h.seg.time_ps, h.now_us * 1000000);
	hand_flags(&h, MS, 1, 1901, 101, NA_TCP_RST);
	assert_int_equal(h.seg.marks, NA_SEG_RST);
	h.port = 999; /* another connection: not asked for */
	hand_data(&h, MS, 1, 901, 101, KB);
	assert_int_equal(h.n_seg, 5);
	hand_free(&h);
}

/* Times at the ends of what 64 bits hold. */
static void far_times(void **state)
{
	static const int64_t times[] = {INT64_MIN, INT64_MAX, 0,
					-5,        INT64_MAX, INT64_MIN};
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	for (uint32_t i = 0; i < 6; i++) {
		struct na_packet p = hand_packet(&h, i % 2, 100, 100);

		p.time_ns = times[i];
		p.payload_bytes = 10;
		assert_int_equal(na_tcp_packet(h.t, &p), NA_OK);
	}
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_true(c->disordered);
	assert_true(c->from_ps < c->to_ps);
	hand_free(&h);
}

/* A closed window in time that goes back and forth between the ends of what
 * can be told. */
static void far_and_back(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	for (uint32_t i = 0; i < 4000; i++) {
		struct na_packet p = hand_packet(&h, i % 2, 100, 100);

		p.time_ns = i / 2 % 2 ? INT64_MAX : INT64_MIN;
		p.window = i / 2 % 2 ? 6000 : 0;
		assert_int_equal(na_tcp_packet(h.t, &p), NA_OK);
	}
	hand_end(&h);
	d = hand_conn(&h, 0)->dir;
	assert_true(d[0].zero_window_ns == INT64_MAX);
	assert_true(d[1].zero_window_ns == INT64_MAX);
	hand_free(&h);
}

/* Behind 2043, where 2^61 ns since 1970 end. */
static void late_years(void **state)
{
	const int64_t start_ns = INT64_C(3000000000) * 1000000000;
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start_at(&h, NULL, start_ns);
	for (uint32_t i = 0; i < 2; i++) {
		struct na_packet p = hand_packet(&h, i, 100, 100);

		p.time_ns = start_ns + 1000 * (int64_t)i;
		assert_int_equal(na_tcp_packet(h.t, &p), NA_OK);
	}
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(c->from_ps, 0);
	assert_int_equal(c->to_ps, 1000000);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flood),
		cmocka_unit_test(no_acks),
		cmocka_unit_test(finished_go_first),
		cmocka_unit_test(kept),
		cmocka_unit_test(segments),
		cmocka_unit_test(far_times),
		cmocka_unit_test(far_and_back),
		cmocka_unit_test(late_years),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
