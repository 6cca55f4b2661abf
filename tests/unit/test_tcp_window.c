/*
 * Senders that may not send, or have nothing to send: closed and full
 * windows, probes, keep-alives, idle times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/hand_tcp.h"

enum { MS = 1000, S = 1000 * 1000, KB = 1000 };
#define MS_NS ((int64_t)1000 * 1000)

static uint32_t window(struct hand_tcp *h, int64_t after_us, unsigned dir,
		       uint32_t seq, uint32_t ack, uint16_t w)
{
	struct na_packet p = hand_packet(h, dir, seq, ack);

	p.window = w;
	return hand_feed(h, after_us, p);
}

/* The receiver closes its window for 300 ms; probes are no timeouts. */
static void zero_window(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 2 * MS);
	hand_data(&h, MS, 0, 101, 901, KB);
	assert_int_equal(window(&h, MS, 1, 901, 1101, 0), NA_SEG_ZERO_WINDOW);
	hand_data(&h, 100 * MS, 0, 1101, 901, 1); /* asks */
	assert_int_equal(window(&h, MS, 1, 901, 1101, 0), NA_SEG_ZERO_WINDOW);
	hand_data(&h, 150 * MS, 0, 1101, 901, 1);
	/* something old, to ask: the timer that probes */
	assert_int_equal(hand_data(&h, 40 * MS, 0, 501, 901, 500),
			 NA_SEG_RETRANSMIT | NA_SEG_SPURIOUS);
	assert_int_equal(window(&h, 9 * MS, 1, 901, 1101, 60000), 0);
	hand_data(&h, MS, 0, 1101, 901, KB);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(c->dir[1].zero_windows, 2);
	assert_int_equal(c->dir[0].zero_window_ns, 300 * MS_NS);
	assert_int_equal(c->dir[0].zero_probes, 2);
	assert_int_equal(c->dir[0].timeouts, 0);
	assert_int_equal(c->dir[1].min_window_bytes, 0);
	assert_int_equal(c->dir[1].zero_window_ns, 0);
	hand_free(&h);
}

/* What came while the window was closed was dropped: it is sent again one
 * round trip after the window opens, by no timer. */
static void discarded(void **state)
{
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 70 * MS);
	hand_data(&h, MS, 0, 101, 901, KB);
	hand_data(&h, MS, 0, 1101, 901, KB);
	window(&h, MS, 1, 901, 1101, 0);
	hand_data(&h, MS, 0, 2101, 901, KB);
	window(&h, 60 * MS, 1, 901, 1101, 60000);
	assert_int_equal(hand_data(&h, 75 * MS, 0, 1101, 901, KB),
			 NA_SEG_RETRANSMIT | NA_SEG_AGAIN);
	hand_end(&h);
	assert_int_equal(hand_conn(&h, 0)->dir[0].timeouts, 0);
	assert_int_equal(hand_conn(&h, 0)->dir[0].zero_window_ns, 61 * MS_NS);
	hand_free(&h);
}

static void window_full(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 2 * MS);
	window(&h, MS, 1, 901, 101, 3000);
	hand_data(&h, MS, 0, 101, 901, KB);
	hand_data(&h, MS, 0, 1101, 901, KB);
	assert_int_equal(hand_data(&h, MS, 0, 2101, 901, KB),
			 NA_SEG_WINDOW_FULL);
	window(&h, 10 * MS, 1, 901, 1101, 2000); /* the edge stays */
	window(&h, 30 * MS, 1, 901, 1101, 3000);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(c->dir[0].window_full, 1);
	assert_int_equal(c->dir[0].window_full_ns, 40 * MS_NS);
	assert_int_equal(c->dir[0].zero_window_ns, 0);
	hand_free(&h);
}

static void keep_alive(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 2 * MS);
	hand_data(&h, MS, 0, 101, 901, KB);
	hand_ack(&h, MS, 1, 901, 1101);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(hand_data(&h, 10 * S, 0, 1100, 901,
					   i == 2 ? 1 : 0),
				 NA_SEG_KEEP_ALIVE);
		hand_ack(&h, MS, 1, 901, 1101); /* no duplicate */
	}
	hand_data(&h, 10 * S, 0, 1101, 901, KB);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(c->dir[0].keep_alives, 3);
	assert_int_equal(c->dir[1].duplicate_acks, 0);
	assert_int_equal(c->dir[0].timeouts, 0);
	assert_int_equal(c->dir[0].retransmissions, 0);
	assert_int_equal(c->dir[0].unique_bytes, 2 * KB);
	assert_int_equal(c->dir[0].retransmitted_bytes, 1);
	/* idle from the ACK on; the last sending was longer ago than any RTO */
	assert_int_equal(c->dir[0].idle_restarts, 1);
	assert_int_equal(c->dir[0].longest_idle_ns,
			 (40 * (int64_t)1000 + 3) * MS_NS);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_window),
		cmocka_unit_test(discarded),
		cmocka_unit_test(window_full),
		cmocka_unit_test(keep_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
