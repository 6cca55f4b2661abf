/*
 * A window of a connection: what is in it counts, what is known from before
 * stays known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "tests/unit/hand_tcp.h"

enum { MS = 1000, S = 1000 * 1000 };
#define MS_NS ((int64_t)1000 * 1000)

/* Sent again before the window, over its beginning, over its end, behind it. */
static void tell_losses(struct hand_tcp *h)
{
	hand_shake(h, 0, 0, 10 * MS);             /* 1.010 s */
	hand_data(h, 90 * MS, 0, 1, 1, 1000);     /* 1.100 */
	hand_data(h, 400 * MS, 0, 1, 1, 1000);    /* 1.500: again */
	hand_ack(h, 10 * MS, 1, 1, 1001);         /* 1.510 */
	hand_data(h, 390 * MS, 0, 1001, 1, 1000); /* 1.900 */
	hand_data(h, 300 * MS, 0, 1001, 1, 1000); /* 2.200: again */
	hand_ack(h, 10 * MS, 1, 1, 2001);         /* 2.210 */
	hand_data(h, 290 * MS, 0, 2001, 1, 1000); /* 2.500 */
	hand_data(h, 300 * MS, 0, 2001, 1, 1000); /* 2.800: again */
	hand_ack(h, 250 * MS, 1, 1, 3001);        /* 3.050 */
	hand_data(h, 10 * MS, 0, 3001, 1, 1000);  /* 3.060 */
	hand_data(h, 700 * MS, 0, 3001, 1, 1000); /* 3.760: again */
	hand_ack(h, 10 * MS, 1, 1, 4001);         /* 3.770 */
	hand_end(h);
}

static void what_is_inside(void **state)
{
	const struct na_connection *c;
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	hand_start_window(&h, 2 * S, 3 * S);
	tell_losses(&h);
	assert_int_equal(h.n_conn, 1);
	c = hand_conn(&h, 0);
	d = c->dir;
	assert_true(c->clipped);
	assert_int_equal(c->from_ps, 2 * NA_PS_PER_S);
	assert_int_equal(c->to_ps, 2800 * NA_PS_PER_MS);
	assert_int_equal(d[0].packets, 3);
	assert_int_equal(d[1].packets, 1);
	assert_int_equal(d[0].bytes, 3000);
	assert_int_equal(d[0].unique_bytes, 1000);
	assert_int_equal(d[0].retransmitted_bytes, 2000);
	assert_int_equal(d[0].retransmissions, 2);
	assert_int_equal(d[0].needed, 2); /* an ACK is behind the window */
	assert_int_equal(d[0].open_again, 0);
	assert_int_equal(d[0].needed_timeouts, 2);
	assert_int_equal(d[0].needed_silent_ns, 500 * MS_NS);
	assert_int_equal(d[0].timeouts, 2);
	/* The silence before 2.2 s counts from 2 s on. */
	assert_int_equal(d[0].timeout_total_ns, 500 * MS_NS);
	assert_int_equal(d[0].longest_timeout_ns, 300 * MS_NS);
	assert_true(d[0].saw_syn && d[1].saw_syn && d[1].known);
	assert_int_equal(c->initial_rtt_ns, 10 * MS_NS);
	assert_int_equal(h.counts.connections, 1);
	assert_int_equal(h.counts.connections_outside, 0);
	hand_free(&h);
}

static void windows_add_up(void **state)
{
	static const int64_t borders[] = {0,         1500 * MS,
					  2200 * MS, 2200 * MS + 1,
					  3 * S,     9 * S};
	uint64_t packets = 0, bytes = 0, again = 0;
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(borders) / sizeof(*borders); i++) {
		hand_start_window(&h, borders[i], borders[i + 1]);
		tell_losses(&h);
		assert_int_equal(h.n_conn, 1);
		d = hand_conn(&h, 0)->dir;
		packets += d[0].packets + d[1].packets;
		bytes += d[0].bytes;
		again += d[0].retransmissions;
		hand_free(&h);
	}
	hand_start(&h, NULL);
	tell_losses(&h);
	d = hand_conn(&h, 0)->dir;
	assert_int_equal(d[0].packets + d[1].packets, packets);
	assert_int_equal(d[0].bytes, bytes);
	assert_int_equal(d[0].retransmissions, again);
	assert_int_equal(again, 4);
	hand_free(&h);
}

/* Nothing of it, though it lasts on both sides, and nothing waits. */
static void nothing_inside(void **state)
{
	struct hand_tcp h;

	(void)state;
	hand_start_window(&h, 2300 * MS, 2400 * MS);
	tell_losses(&h);
	assert_int_equal(h.n_conn, 0);
	assert_int_equal(h.counts.connections_outside, 1);
	hand_free(&h);
}

/* Within a timeout nothing passes, and what ends it tells that data waited; of
 * what was acknowledged, and of a window that ends too soon to say, none. */
static void in_a_timeout(void **state)
{
	static const struct {
		int64_t from_us, to_us, stalled_ns;
		size_t n;
	} cases[] = {
		{1950 * MS, 2150 * MS, 200 * MS_NS, 1}, /* nothing in it */
		{1800 * MS, 2100 * MS, 200 * MS_NS, 1}, /* from 1.9 s on */
		{1900 * MS, 1905 * MS, 0, 1},           /* too soon */
		{2000 * MS, 3000 * MS, 0, 1},           /* sent again in it */
		{3052 * MS, 3055 * MS, 0, 0},           /* all acknowledged */
		{3400 * MS, 9000 * MS, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct na_connection *c;
		struct hand_tcp h;

		hand_start_window(&h, cases[i].from_us, cases[i].to_us);
		tell_losses(&h);
		assert_int_equal(h.n_conn, cases[i].n);
		c = cases[i].n ? hand_conn(&h, 0) : NULL;
		if (c) {
			assert_int_equal(c->dir[0].stalled_ns,
					 cases[i].stalled_ns);
			assert_int_equal(c->dir[0].stall_resent,
					 cases[i].stalled_ns > 0);
		}
		if (cases[i].stalled_ns)
			assert_int_equal(c->to_ps, cases[i].to_us *
							   NA_PS_PER_US);
		assert_int_equal(h.counts.connections_outside, 1 - cases[i].n);
		hand_free(&h);
	}
}

/* The capture ends in it: two segments may wait for a delayed ACK, more may
 * not.  Where another file goes on, this one has ended for all of them. */
static void until_the_end(void **state)
{
	(void)state;
	for (unsigned k = 2; k < 10; k++) {
		unsigned n = k / 2;
		struct hand_tcp h;

		hand_start(&h, NULL);
		hand_shake(&h, 0, 0, 10 * MS);
		for (unsigned i = 0; i < n; i++)
			hand_data(&h, 1, 0, 1 + 1460 * i, 1, 1460);
		h.port++; /* another connection */
		na_tcp_from(h.t, k % 2);
		hand_shake(&h, 0, 0, 10 * MS);
		hand_data(&h, n == 4 ? 300 * MS : 60 * MS, 0, 1, 1, 10);
		hand_ack(&h, 1, 1, 1, 11);
		hand_end(&h);
		assert_int_equal(hand_conn(&h, 0)->dir[0].stalled_ns > 0,
				 n > 2 && k % 2 == 0);
		assert_false(hand_conn(&h, 0)->dir[0].stall_resent);
		assert_int_equal(hand_conn(&h, 1)->dir[0].stalled_ns, 0);
		hand_free(&h);
	}
}

/* A window that was closed before keeps the sender waiting in it. */
static void closed_from_before(void **state)
{
	struct na_packet p;
	struct hand_tcp h;
	const struct na_direction *d;

	(void)state;
	hand_start_window(&h, 2 * S, 3 * S);
	hand_shake(&h, 0, 0, 10 * MS);
	hand_data(&h, 90 * MS, 0, 1, 1, 1000);
	p = hand_packet(&h, 1, 1, 1001);
	p.window = 0;
	hand_feed(&h, 400 * MS, p);         /* 1.500 s */
	hand_ack(&h, 900 * MS, 1, 1, 1001); /* 2.400 */
	hand_end(&h);
	d = hand_conn(&h, 0)->dir;
	assert_int_equal(d[1].zero_windows, 0); /* was told before */
	assert_int_equal(d[0].zero_window_ns, 400 * MS_NS);
	assert_int_equal(d[0].packets, 0);
	assert_true(d[0].known);
	hand_free(&h);
}

/* Who was reset before is not reset in it. */
static void reset_before(void **state)
{
	struct hand_tcp h;

	(void)state;
	hand_start_window(&h, 2 * S, 3 * S);
	hand_shake(&h, 0, 0, 10 * MS);
	hand_flags(&h, 90 * MS, 1, 1, 1, NA_TCP_RST | NA_TCP_ACK);
	hand_data(&h, 1000 * MS, 0, 1, 1, 10);
	hand_end(&h);
	assert_int_equal(hand_conn(&h, 0)->dir[1].reset, 0);
	assert_int_equal(hand_conn(&h, 0)->end, NA_CONN_OPEN);
	hand_free(&h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_inside),
		cmocka_unit_test(windows_add_up),
		cmocka_unit_test(nothing_inside),
		cmocka_unit_test(in_a_timeout),
		cmocka_unit_test(until_the_end),
		cmocka_unit_test(closed_from_before),
		cmocka_unit_test(reset_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
