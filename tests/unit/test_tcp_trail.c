/*
 * What TCP testifies: packets made by hand, of which the truth is known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/hand_tcp.h"

enum { ISN = 1000, PEER = 5000, MSS = 1000, RTT_US = 10000 };

/* Two ends: IDs and clocks that count, as Linux has them. */
struct ends {
	struct hand_tcp h;
	uint16_t id[2];
	uint32_t ts[2]; /* the newest value of each */
	bool no_ids, no_ts;
};

static void stamp(struct ends *e, unsigned dir, struct na_packet *p)
{
	p->ip_id = e->no_ids ? 0 : e->id[dir]++;
	if (e->no_ts)
		return;
	p->has_timestamps = true;
	e->ts[dir] = (uint32_t)(e->h.now_us / 1000);
	p->ts_value = e->ts[dir];
	p->ts_echo = e->ts[!dir];
}

static struct na_packet made(struct ends *e, unsigned dir, uint32_t seq,
			     uint32_t ack, uint32_t n)
{
	struct na_packet p = hand_packet(&e->h, dir, seq, ack);

	p.payload_bytes = n;
	stamp(e, dir, &p);
	return p;
}

/* What is made now leaves after_us later. */
static void feed(struct ends *e, int64_t after_us, struct na_packet p)
{
	hand_feed(&e->h, after_us, p);
}

static void data(struct ends *e, int64_t after_us, unsigned dir, uint32_t seq,
		 uint32_t ack)
{
	e->h.now_us += after_us;
	feed(e, 0, made(e, dir, seq, ack, MSS));
}

static void ack(struct ends *e, int64_t after_us, uint32_t upto)
{
	e->h.now_us += after_us;
	feed(e, 0, made(e, 1, PEER + 1, upto, 0));
}

static void dsack(struct ends *e, int64_t after_us, uint32_t upto,
		  uint32_t left)
{
	struct na_packet p;

	e->h.now_us += after_us;
	p = made(e, 1, PEER + 1, upto, 0);
	p.n_sack = 1;
	p.sack[0].left = left;
	p.sack[0].right = left + MSS;
	feed(e, 0, p);
}

static void shake(struct ends *e, unsigned dir, int64_t after_us, uint8_t flags)
{
	struct na_packet p;

	e->h.now_us += after_us;
	p = made(e, dir, dir ? PEER : ISN, dir ? ISN + 1 : 0, 0);
	p.flags = flags;
	p.mss = MSS + 12;
	if (dir)
		p.ip_id = 0;
	feed(e, 0, p);
}

/* A handshake, and `warm` segments that are acknowledged one by one: from
 * there on IDs are proven.  Beside the sender: the peer is 10 ms away. */
static uint32_t begin(struct ends *e, unsigned warm)
{
	uint32_t at = ISN + 1;

	hand_start(&e->h, NULL);
	e->id[0] = 40000;
	e->id[1] = 60;
	shake(e, 0, 0, NA_TCP_SYN);
	shake(e, 1, RTT_US, NA_TCP_SYN | NA_TCP_ACK);
	e->h.now_us += 10;
	feed(e, 0, made(e, 0, at, PEER + 1, 0));
	for (unsigned i = 0; i < warm; i++) {
		data(e, 100, 0, at, PEER + 1);
		at += MSS;
		ack(e, RTT_US, at);
	}
	return at;
}

static const struct na_direction *end(struct ends *e)
{
	hand_end(&e->h);
	assert_int_equal(e->h.n_conn, 1);
	assert_int_equal(e->h.conn[0].dir[0].testified, 1);
	return &e->h.conn[0].dir[0];
}

static void clean(void **state)
{
	struct ends e = {.no_ids = false};
	const struct na_direction *d;

	(void)state;
	begin(&e, 8);
	d = end(&e);
	assert_int_equal(d->needed, 0);
	assert_int_equal(d->copies, 0);
	assert_int_equal(d->capture_holes, 0);
	assert_int_equal(d->ids, 1);
	assert_int_equal(d->acked_bytes, 8 * MSS);
	hand_free(&e.h);
}

/* Each packet twice, the second one 50 us later: both ends, or -i any. */
static void recorded_twice(void **state)
{
	(void)state;
	for (int no_ids = 0; no_ids < 2; no_ids++) {
		struct ends e = {.no_ids = no_ids};
		uint32_t at = begin(&e, 8);
		const struct na_direction *d;

		for (int i = 0; i < 20; i++) {
			struct na_packet p = made(&e, 0, at, PEER + 1, MSS);

			feed(&e, 1000, p);
			feed(&e, 50, p);
			at += MSS;
			e.h.now_us += RTT_US;
			p = made(&e, 1, PEER + 1, at, 0);
			feed(&e, 0, p);
			feed(&e, 50, p);
		}
		d = end(&e);
		assert_int_equal(d->copies, 20);
		assert_int_equal(d->duplicated, 0);
		assert_int_equal(d->needed, 0);
		assert_int_equal(d->needless, 0);
		assert_int_equal(e.h.conn[0].dir[1].copies, no_ids ? 0 : 20);
		hand_free(&e.h);
	}
}

/* Captures of both ends in one file, of a connection whose few packets do not
 * prove that IDs count, nor do clocks: a question and its answer. */
static void short_twice(void **state)
{
	static const int64_t apart_us[] = {20, RTT_US / 2};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct ends e = {.no_ts = true, .id = {40000, 60}};
		const struct na_direction *d;
		struct na_packet p;

		hand_start(&e.h, NULL);
		for (unsigned dir = 0; dir < 2; dir++) {
			p = made(&e, dir, dir ? PEER : ISN, dir ? ISN + 50 : PEER,
				 dir ? 70 : 50);
			e.h.now_us += RTT_US;
			feed(&e, 0, p);
			feed(&e, apart_us[k], p);
		}
		p = made(&e, 0, ISN + 50, PEER + 70, 0);
		feed(&e, 1000, p);
		feed(&e, apart_us[k], p);
		d = end(&e);
		assert_int_equal(d->copies, 2);
		assert_int_equal(e.h.conn[0].dir[1].copies, 1);
		for (unsigned dir = 0; dir < 2; dir++) {
			assert_int_equal(e.h.conn[0].dir[dir].needed, 0);
			assert_int_equal(e.h.conn[0].dir[dir].needless, 0);
		}
		hand_free(&e.h);
	}
}

/* Two segments, then both of them once more. */
static void pair_twice(void **state)
{
	struct ends e = {.no_ts = true, .id = {40000, 60}};
	const struct na_direction *d;
	struct na_packet p[2];

	(void)state;
	hand_start(&e.h, NULL);
	for (unsigned i = 0; i < 2; i++)
		p[i] = made(&e, 0, ISN + i * MSS, PEER, MSS);
	for (unsigned i = 0; i < 4; i++)
		feed(&e, 10, p[i % 2]);
	feed(&e, RTT_US, made(&e, 1, PEER, ISN + 2 * MSS, 0));
	d = end(&e);
	assert_int_equal(d->copies, 2);
	assert_int_equal(d->needed + d->needless, 0);
	hand_free(&e.h);
}

/* Sent again at once, with an ID of its own: no copy. */
static void short_again(void **state)
{
	struct ends e = {.no_ts = true, .id = {40000, 60}};
	const struct na_direction *d;

	(void)state;
	hand_start(&e.h, NULL);
	for (int i = 0; i < 2; i++)
		feed(&e, 20000, made(&e, 0, ISN, PEER, 50));
	feed(&e, RTT_US, made(&e, 1, PEER, ISN + 50, 0));
	d = end(&e);
	assert_int_equal(d->copies, 0);
	assert_int_equal(d->needed + d->needless, 1);
	hand_free(&e.h);
}

/* The same of one packet: the network brought it twice. */
static void duplicated(void **state)
{
	struct ends e = {.no_ids = false};
	uint32_t at = begin(&e, 8);
	struct na_packet p = made(&e, 0, at, PEER + 1, MSS);
	const struct na_direction *d;

	(void)state;
	feed(&e, 1000, p);
	feed(&e, 50, p);
	ack(&e, RTT_US, at + MSS);
	d = end(&e);
	assert_int_equal(d->copies, 0);
	assert_int_equal(d->duplicated, 1);
	assert_int_equal(d->needed, 0);
	hand_free(&e.h);
}

/* Sent, lost behind the capture point, sent again 210 ms later. */
static void lost_downstream(void **state)
{
	(void)state;
	for (int without = 0; without < 4; without++) {
		struct ends e = {.no_ids = without & 1, .no_ts = without & 2};
		uint32_t at = begin(&e, 8);
		const struct na_direction *d;

		data(&e, 100, 0, at, PEER + 1);
		data(&e, 210000, 0, at, PEER + 1);
		ack(&e, RTT_US, at + MSS);
		d = end(&e);
		assert_int_equal(d->needed, 1);
		assert_int_equal(d->lost_upstream, 0);
		assert_int_equal(d->needless, 0);
		assert_int_equal(d->needed_timeouts, 1);
		assert_true(d->needed_silent_ns > 190 * 1000000);
		hand_free(&e.h);
	}
}

/* One segment three times over: one loss.  Another one, sent after that: one
 * more. */
static void loss_events(void **state)
{
	struct ends e = {.no_ids = false};
	uint32_t at = begin(&e, 8);
	const struct na_direction *d;

	(void)state;
	data(&e, 100, 0, at, PEER + 1);
	data(&e, 210000, 0, at, PEER + 1);
	data(&e, 420000, 0, at, PEER + 1);
	ack(&e, RTT_US, at + MSS);
	data(&e, 100, 0, at + MSS, PEER + 1);
	data(&e, 210000, 0, at + MSS, PEER + 1);
	ack(&e, RTT_US, at + 2 * MSS);
	d = end(&e);
	assert_int_equal(d->needed, 3);
	assert_int_equal(d->loss_events, 2);
	hand_free(&e.h);
}

/* A hole that a newer ID fills: lost before the capture point.  An older one:
 * it came late, and nothing was lost. */
static void holes(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct ends e = {.no_ids = false};
		uint32_t at = begin(&e, 8);
		struct na_packet p = made(&e, 0, at, PEER + 1, MSS);
		const struct na_direction *d;

		data(&e, 100, 0, at + MSS, PEER + 1);
		data(&e, 100, 0, at + 2 * MSS, PEER + 1);
		ack(&e, 100, at);
		if (late)
			feed(&e, RTT_US, p);
		else
			data(&e, RTT_US, 0, at, PEER + 1);
		ack(&e, RTT_US, at + 3 * MSS);
		d = end(&e);
		assert_int_equal(d->needed, !late);
		assert_int_equal(d->lost_upstream, !late);
		assert_int_equal(d->reordered, late);
		assert_int_equal(d->capture_holes, 0);
		hand_free(&e.h);
	}
}

/* A receiver that puts what filled a hole into the first block, below its ACK:
 * all of it was needed.  What it tells of when nothing was missing behind is a
 * DSACK. */
static void fills_not_twice(void **state)
{
	struct ends e = {.no_ids = false};
	uint32_t at = begin(&e, 8);
	const struct na_direction *d;
	struct na_packet p;

	(void)state;
	for (int i = 0; i < 4; i++)
		data(&e, 100, 0, at + (uint32_t)i * MSS, PEER + 1);
	p = made(&e, 1, PEER + 1, at, 0); /* the last arrived */
	p.n_sack = 1;
	p.sack[0].left = at + 3 * MSS;
	p.sack[0].right = at + 4 * MSS;
	feed(&e, RTT_US, p);
	for (uint32_t i = 0; i < 3; i++) {
		e.h.now_us += RTT_US;
		data(&e, 100, 0, at + i * MSS, PEER + 1);
		e.h.now_us += RTT_US;
		p = made(&e, 1, PEER + 1, at + (i + (i == 2 ? 2 : 1)) * MSS, 0);
		p.n_sack = i == 2 ? 1 : 2;
		p.sack[0].left = at + i * MSS;
		p.sack[0].right = p.ack;
		p.sack[1].left = at + 3 * MSS;
		p.sack[1].right = at + 4 * MSS;
		feed(&e, 0, p);
	}
	d = end(&e);
	assert_int_equal(d->needed, 3);
	assert_int_equal(d->loss_events, 1);
	assert_int_equal(d->needless, 0);
	assert_int_equal(d->dsacks_alone, 0);
	hand_free(&e.h);
}

/* The capture begins while the sender sends again: what lies between that and
 * the first new bytes was sent before, and nobody lost it. */
static void begun_in_the_middle(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct ends e = {.no_ids = false};
		const struct na_direction *d;
		uint32_t at = ISN;

		hand_start(&e.h, NULL);
		e.id[0] = 40000;
		e.id[1] = 60;
		data(&e, 0, 0, at, PEER + 1);
		for (uint32_t i = 10; i < 20; i++) {
			e.id[0] = (uint16_t)(e.id[0] + (lost && i == 15));
			data(&e, 100, 0, at + (i + (lost && i >= 15)) * MSS,
			     PEER + 1);
		}
		ack(&e, RTT_US, at + MSS);
		data(&e, 100, 0, at + MSS, PEER + 1);
		if (lost)
			data(&e, 100, 0, at + 15 * MSS, PEER + 1);
		ack(&e, RTT_US, at + (20 + (uint32_t)lost) * MSS);
		d = end(&e);
		assert_int_equal(d->needed, 1 + lost);
		assert_int_equal(d->lost_upstream, lost);
		assert_int_equal(d->capture_holes, 0);
		hand_free(&e.h);
	}
}

/* Acknowledged and never seen: the capture missed it. */
static void capture_loss(void **state)
{
	struct ends e = {.no_ids = false};
	uint32_t at = begin(&e, 8);
	const struct na_direction *d;

	(void)state;
	made(&e, 0, at, PEER + 1, MSS);
	data(&e, 100, 0, at + MSS, PEER + 1);
	ack(&e, RTT_US, at + 2 * MSS);
	/* And once at the end of all that was sent. */
	made(&e, 0, at + 2 * MSS, PEER + 1, MSS);
	ack(&e, RTT_US, at + 3 * MSS);
	d = end(&e);
	assert_int_equal(d->capture_holes, 2);
	assert_int_equal(d->needed, 0);
	hand_free(&e.h);
}

/* The first one had arrived: three witnesses, one at a time. */
static void needless(void **state)
{
	(void)state;
	for (int how = 0; how < 4; how++) {
		/* By time and by DSACK: without clocks. */
		struct ends e = {.no_ts = how >= 2};
		uint32_t at = begin(&e, 8), echo;
		const struct na_direction *d;
		struct na_packet p;

		data(&e, 100, 0, at, PEER + 1);
		echo = e.ts[0];
		if (how == 0) /* acknowledged before it was sent again */
			ack(&e, RTT_US, at + MSS);
		data(&e, 210000, 0, at, PEER + 1);
		if (how == 1) { /* the ACK echoes the first one's clock */
			e.h.now_us += RTT_US;
			p = made(&e, 1, PEER + 1, at + MSS, 0);
			p.ts_echo = echo;
			feed(&e, 0, p);
		} else if (how == 2) { /* too early for the second one */
			ack(&e, 1000, at + MSS);
		} else if (how == 3) { /* and it is told to be known later */
			ack(&e, RTT_US, at + MSS);
			dsack(&e, 100, at + MSS, at);
		}
		d = end(&e);
		if (d->needed != 0 || d->needless != 1)
			fail_msg("witness %d: %u needed, %u needless", how,
				 (unsigned)d->needed, (unsigned)d->needless);
		assert_int_equal(d->dsacks_alone, 0);
		hand_free(&e.h);
	}
}

/* Twice sent again, and one of them told to be needless. */
static void one_of_two(void **state)
{
	struct ends e = {.no_ts = true, .id = {40000, 60}};
	uint32_t at = begin(&e, 8);
	const struct na_direction *d;

	(void)state;
	data(&e, 100, 0, at, PEER + 1);
	data(&e, 210000, 0, at, PEER + 1);
	data(&e, 400000, 0, at, PEER + 1);
	ack(&e, RTT_US, at + MSS);
	dsack(&e, 100, at + MSS, at);
	d = end(&e);
	assert_int_equal(d->needed, 1);
	assert_int_equal(d->needless, 1);
	hand_free(&e.h);
}

/* Beside the receiver: the last segment never came; a newer ID brings it
 * after the timer.  Without a missing ID it is nothing but a pause. */
static void tail(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct ends e = {.no_ids = false};
		uint32_t at = begin(&e, 20);
		const struct na_direction *d;

		data(&e, 100, 0, at, PEER + 1);
		if (lost)
			made(&e, 0, at + MSS, PEER + 1, MSS);
		data(&e, 210000, 0, at + MSS, PEER + 1);
		ack(&e, 100, at + 2 * MSS);
		d = end(&e);
		assert_int_equal(d->tail_losses, lost);
		assert_int_equal(d->needed, 0);
		hand_free(&e.h);
	}
}

/* An ACK that stands behind bytes nobody saw tells that they were sent. */
static void skipped(void **state)
{
	struct ends e = {.no_ids = false};
	uint32_t at = begin(&e, 8);
	const struct na_direction *d;

	(void)state;
	made(&e, 0, at, PEER + 1, MSS); /* lost */
	e.h.now_us += 200000;
	feed(&e, 0, made(&e, 0, at + MSS, PEER + 1, 0));
	data(&e, 10000, 0, at, PEER + 1);
	ack(&e, 100, at + MSS);
	d = end(&e);
	assert_int_equal(d->needed, 1);
	assert_int_equal(d->lost_upstream, 1);
	hand_free(&e.h);
}

/* Never acknowledged: open, neither needed nor needless. */
static void gone(void **state)
{
	struct ends e = {.no_ids = false};
	uint32_t at = begin(&e, 8);
	const struct na_direction *d;

	(void)state;
	for (int64_t us = 210000, i = 0; i < 4; i++, us *= 2)
		data(&e, us, 0, at, PEER + 1);
	d = end(&e);
	assert_int_equal(d->needed, 0);
	assert_int_equal(d->last_again, 3);
	assert_int_equal(d->last_again_bytes, MSS);
	assert_true(e.h.conn[0].dir[1].mute_ns > 1000000000);
	hand_free(&e.h);
}

/* The same bytes again and again; meanwhile a short segment behind them is
 * told of by SACK, and the peer gets the ACKs of what it sends. */
static void passing(void **state)
{
	const struct {
		uint32_t sacked;   /* bytes behind the first two segments */
		bool talks, twice; /* the peer; what it says again */
		uint32_t longs, shorts;
	} rows[] = {
		{0, false, false, 3, 0},
		{200, false, false, 3 + 2, 1},
		{MSS, false, false, 0, 0}, /* not by length */
		{200, true, false, 3 + 2, 1 + 4},
		{200, true, true, 3 + 2, 1}, /* no ACK arrives there */
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct ends e = {.no_ids = false};
		uint32_t at = begin(&e, 8), said = PEER + 1;
		uint32_t to = at + 2 * MSS, n = rows[k].sacked;
		const struct na_direction *d;

		data(&e, 100, 0, at, said);
		data(&e, 100, 0, at + MSS, said);
		if (n) {
			struct na_packet p;

			feed(&e, 100, made(&e, 0, to, said, n));
			e.h.now_us += RTT_US;
			p = made(&e, 1, said, at, 0);
			p.n_sack = 1;
			p.sack[0].left = to;
			p.sack[0].right = to + n;
			feed(&e, 0, p);
		}
		for (int64_t us = 210000, i = 0; i < 3; i++, us *= 2)
			data(&e, us, 0, at, said);
		for (int i = 0; rows[k].talks && i < 5; i++) {
			feed(&e, 300000, made(&e, 1, said, at, 50));
			said += rows[k].twice ? 0 : 50;
			feed(&e, 100, made(&e, 0, to + n, said, 0));
		}
		d = end(&e);
		assert_int_equal(d->stuck_long, rows[k].longs);
		assert_int_equal(d->stuck_short, rows[k].shorts);
		assert_int_equal(d->unacked_bytes, 2 * MSS + n);
		hand_free(&e.h);
	}
}

/* A keep-alive and a window probe are no resends. */
static void probes(void **state)
{
	struct ends e = {.no_ids = false};
	uint32_t at = begin(&e, 8);
	const struct na_direction *d;
	struct na_packet p = made(&e, 0, at - 1, PEER + 1, 1);

	(void)state;
	feed(&e, 1000000, p);
	ack(&e, RTT_US, at);
	d = end(&e);
	assert_int_equal(d->needed + d->needless + d->open_again, 0);
	hand_free(&e.h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean),
		cmocka_unit_test(recorded_twice),
		cmocka_unit_test(short_twice),
		cmocka_unit_test(pair_twice),
		cmocka_unit_test(short_again),
		cmocka_unit_test(duplicated),
		cmocka_unit_test(lost_downstream),
		cmocka_unit_test(loss_events),
		cmocka_unit_test(holes),
		cmocka_unit_test(fills_not_twice),
		cmocka_unit_test(begun_in_the_middle),
		cmocka_unit_test(capture_loss),
		cmocka_unit_test(needless),
		cmocka_unit_test(one_of_two),
		cmocka_unit_test(tail),
		cmocka_unit_test(skipped),
		cmocka_unit_test(gone),
		cmocka_unit_test(passing),
		cmocka_unit_test(probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
