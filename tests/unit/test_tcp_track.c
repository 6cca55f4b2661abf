/*
 * What the tracker says of little TCP stories, each told by hand; the
 * expectations follow from the RFCs and the headers, not from the code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/hand_tcp.h"

enum { MS = 1000, S = 1000 * 1000, KB = 1000 };
#define MS_NS ((int64_t)1000 * 1000)

/* By their age, and as the connection testifies. */
enum {
	AGAIN = NA_SEG_RETRANSMIT | NA_SEG_AGAIN,
	LATE = NA_SEG_OUT_OF_ORDER | NA_SEG_LATE
};

static void handshake_options(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;
	struct na_packet p;

	(void)state;
	hand_start(&h, NULL);
	p = hand_packet(&h, 0, 100, 0);
	p.flags = NA_TCP_SYN;
	p.window_shift = 7;
	p.mss = 1460;
	p.sack_permitted = true;
	hand_feed(&h, 0, p);
	p = hand_packet(&h, 1, 900, 101);
	p.flags = NA_TCP_SYN | NA_TCP_ACK;
	p.window_shift = 2;
	p.mss = 1400;
	hand_feed(&h, 3 * MS, p);
	p = hand_packet(&h, 0, 101, 901);
	p.window = 10;
	hand_feed(&h, 4 * MS, p);
	assert_int_equal(h.last.window_bytes, 1280);
	assert_int_equal(h.last.seq, 1);
	assert_int_equal(h.last.ack, 1);
	assert_false(h.last.mid_stream);
	hand_end(&h);
	assert_int_equal(h.n_conn, 1);
	c = hand_conn(&h, 0);
	assert_int_equal(c->initial_rtt_ns, 7 * MS_NS);
	assert_int_equal(c->dir[0].mss, 1460);
	assert_int_equal(c->dir[1].mss, 1400);
	assert_int_equal(c->dir[0].window_shift, 7);
	assert_int_equal(c->dir[1].window_shift, 2);
	assert_true(c->dir[0].window_scale_known);
	assert_true(c->dir[0].sack_permitted);
	assert_false(c->dir[1].sack_permitted);
	assert_int_equal(c->dir[0].max_window_bytes, 1280);
	assert_int_equal(c->dir[0].rtt_samples, 1); /* the SYN's */
	assert_int_equal(c->dir[0].rtt_min_ns, 3 * MS_NS);
	assert_int_equal(c->dir[1].rtt_min_ns, 4 * MS_NS);
	assert_int_equal(c->end, NA_CONN_OPEN);
	assert_int_equal(c->calls, 7); /* what close said */
	assert_int_equal(c->src_port, 1000);
	assert_int_equal(c->dst_port, 80);
	hand_free(&h);
}

/* Only one side offers scaling: none is used (RFC 7323, 2.2). */
static void scaling_refused(void **state)
{
	struct hand_tcp h;
	struct na_packet p;

	(void)state;
	hand_start(&h, NULL);
	p = hand_packet(&h, 0, 100, 0);
	p.flags = NA_TCP_SYN;
	p.window_shift = 7;
	hand_feed(&h, 0, p);
	hand_flags(&h, MS, 1, 900, 101, NA_TCP_SYN | NA_TCP_ACK);
	p = hand_packet(&h, 0, 101, 901);
	p.window = 10;
	hand_feed(&h, MS, p);
	assert_int_equal(h.last.window_bytes, 10);
	hand_free(&h);
}

static void wraps(void **state)
{
	const struct na_direction *d;
	uint32_t isn = UINT32_MAX - 1500, seq = isn + 1;
	struct hand_tcp h;
	uint64_t pos = 1;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, isn, 5, 2 * MS);
	/* 5 GiB: more than once around */
	for (int i = 0; i < 110000; i++) {
		assert_int_equal(hand_data(&h, 10, 0, seq, 6, 50 * KB), 0);
		assert_true(h.last.seq == pos);
		seq += 50 * KB;
		pos += 50 * KB;
		assert_int_equal(hand_ack(&h, 10, 1, 6, seq), 0);
		assert_true(h.last.ack == pos);
	}
	/* the same once more is spurious */
	assert_int_equal(hand_data(&h, 10, 0, seq - 50 * KB, 6, 50 * KB),
			 AGAIN | NA_SEG_SPURIOUS);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_true(d->unique_bytes == (uint64_t)110000 * 50 * KB);
	assert_int_equal(d->retransmitted_bytes, 50 * KB);
	assert_int_equal(d->bytes, d->unique_bytes + d->retransmitted_bytes);
	assert_int_equal(d->rtt_samples, 110001);
	assert_int_equal(d->max_in_flight_bytes, 50 * KB);
	assert_int_equal(h.counts.limits_hit, 0);
	hand_free(&h);
}

/* 200 ms, 400 ms, 800 ms: three timeouts, and what is sent again behind the
 * last belongs to it. */
static void backs_off(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 10 * MS);
	for (uint32_t i = 0; i < 4; i++)
		hand_data(&h, 1, 0, 101 + i * KB, 901, KB);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hand_data(&h, 200 * MS << i, 0, 101, 901, KB),
				 AGAIN | NA_SEG_TIMEOUT);
	hand_ack(&h, 10 * MS, 1, 901, 1101);
	for (uint32_t i = 1; i < 3; i++)
		assert_int_equal(hand_data(&h, 10, 0, 101 + i * KB, 901, KB),
				 AGAIN | NA_SEG_TIMEOUT);
	hand_ack(&h, 10 * MS, 1, 901, 4101);
	assert_int_equal(hand_data(&h, 10, 0, 4101, 901, KB), 0);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->timeouts, 3);
	assert_int_equal(d->longest_timeout_ns, 800 * MS_NS);
	assert_int_equal(d->timeout_total_ns, 1400 * MS_NS);
	assert_int_equal(d->timeout, 5);
	assert_int_equal(d->retransmissions, 5);
	assert_int_equal(d->retransmitted_bytes, 5 * KB);
	assert_int_equal(d->unique_bytes, 5 * KB);
	hand_free(&h);
}

/* From the first duplicate ACK until the hole and all that was sent behind it
 * are acknowledged; of a timeout only what comes behind it. */
static void recovers_in(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 10 * MS);
	for (uint32_t i = 0; i < 5; i++)
		hand_data(&h, 1, 0, 101 + i * KB, 901, KB);
	hand_ack(&h, 10 * MS, 1, 901, 1101);
	for (int i = 0; i < 3; i++)
		hand_ack(&h, MS, 1, 901, 1101);
	assert_int_equal(hand_data(&h, MS, 0, 1101, 901, KB),
			 AGAIN | NA_SEG_FAST);
	hand_data(&h, MS, 0, 5101, 901, KB);
	hand_ack(&h, 8 * MS, 1, 901, 3101); /* part of it */
	hand_ack(&h, 5 * MS, 1, 901, 5101); /* 17 ms after the first */
	hand_ack(&h, MS, 1, 901, 6101);
	/* In vain after a silence (its ACK is lost): nothing to recover. */
	hand_data(&h, 50 * MS, 0, 5101, 901, KB);
	hand_data(&h, MS, 0, 6101, 901, KB);
	assert_int_equal(hand_data(&h, 200 * MS, 0, 6101, 901, KB),
			 AGAIN | NA_SEG_TIMEOUT);
	hand_ack(&h, 10 * MS, 1, 901, 7101);
	/* Never acknowledged: until it is sent for the last time. */
	hand_data(&h, MS, 0, 7101, 901, KB);
	hand_data(&h, 200 * MS, 0, 7101, 901, KB);
	hand_data(&h, 400 * MS, 0, 7101, 901, KB);
	hand_flags(&h, 900 * MS, 1, 901, 7101, NA_TCP_RST);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->timeout_total_ns, (50 + 800) * MS_NS);
	assert_int_equal(d->recovery_ns, (17 + 10) * MS_NS);
	hand_free(&h);
}

/* A host whose least RTO is 5 ms, round trips of 100 us. */
static void low_rto(void **state)
{
	const struct na_direction *d;
	uint32_t seq = 101;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 100);
	for (int i = 0; i < 20; i++, seq += KB) {
		hand_data(&h, 50, 0, seq, 901, KB);
		hand_ack(&h, 100, 1, 901, seq + KB);
	}
	hand_data(&h, 50, 0, seq, 901, KB);
	assert_int_equal(hand_data(&h, 5100, 0, seq, 901, KB),
			 AGAIN | NA_SEG_TIMEOUT);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->timeouts, 1);
	assert_int_equal(d->longest_timeout_ns, 5100 * 1000);
	hand_free(&h);
}

static void syn_again(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_flags(&h, 0, 0, 100, 0, NA_TCP_SYN);
	hand_flags(&h, 1 * S, 0, 100, 0, NA_TCP_SYN);
	hand_flags(&h, 2 * S, 0, 100, 0, NA_TCP_SYN);
	hand_flags(&h, 5 * MS, 1, 900, 101, NA_TCP_SYN | NA_TCP_ACK);
	hand_ack(&h, 5 * MS, 0, 101, 901);
	hand_end(&h);
	assert_int_equal(h.n_conn, 1);
	c = hand_conn(&h, 0);
	assert_int_equal(c->dir[0].timeouts, 2);
	assert_int_equal(c->dir[0].longest_timeout_ns, 2000 * MS_NS);
	/* from the last SYN, as tshark has it */
	assert_int_equal(c->initial_rtt_ns, 10 * MS_NS);
	hand_free(&h);
}

/* Duplicate ACKs call for what is missing: fast, and no timeout. */
static void fast(void **state)
{
	const struct na_connection *c;
	struct na_packet p;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 20 * MS);
	hand_data(&h, MS, 0, 101, 901, KB); /* lost behind us */
	for (uint32_t i = 1; i < 5; i++)
		hand_data(&h, 10, 0, 101 + i * KB, 901, KB);
	for (uint32_t i = 1; i < 5; i++) {
		p = hand_packet(&h, 1, 901, 101);
		p.n_sack = 1;
		p.sack[0].left = 1101;
		p.sack[0].right = 1101 + i * KB;
		assert_int_equal(hand_feed(&h, i == 1 ? 20 * MS : 10, p),
				 NA_SEG_DUPLICATE_ACK);
	}
	assert_int_equal(h.seg.n_sack, 1);
	assert_int_equal(h.seg.sack_from, 1001);
	assert_int_equal(h.seg.sack_to, 5001);
	assert_int_equal(h.seg.ack, 1);
	/* 20 ms after the last of them at most */
	assert_int_equal(hand_data(&h, 19999, 0, 101, 901, KB),
			 AGAIN | NA_SEG_FAST);
	assert_int_equal(hand_data(&h, 1, 0, 101, 901, KB), AGAIN);
	hand_ack(&h, 20 * MS, 1, 901, 5101);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(c->dir[0].fast, 1);
	assert_int_equal(c->dir[0].retransmissions, 2);
	assert_int_equal(c->dir[0].timeouts, 0);
	assert_int_equal(c->dir[1].duplicate_acks, 4);
	assert_int_equal(c->dir[1].sack_blocks, 4);
	assert_int_equal(c->dir[0].max_in_flight_bytes, 5 * KB);
	hand_free(&h);
}

/* At the receiver what a SACK block calls for comes a whole round trip later,
 * and somewhat more: no timeout, though no ACK is a duplicate. */
static void called_by_sack(void **state)
{
	struct na_packet p;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 20 * MS);
	hand_data(&h, MS, 0, 1101, 901, KB);
	p = hand_packet(&h, 1, 901, 101);
	p.window = 58000;
	p.n_sack = 1;
	p.sack[0].left = 1101;
	p.sack[0].right = 2101;
	hand_feed(&h, 10, p);
	assert_int_equal(hand_data(&h, 38 * MS, 0, 101, 901, KB),
			 AGAIN);
	assert_int_equal(hand_data(&h, 45 * MS, 0, 101, 901, KB),
			 AGAIN | NA_SEG_TIMEOUT);
	hand_free(&h);
}

/* At the receiver: the lost segment never passed, what comes one round trip
 * later is new here, though a retransmission; nothing was seen twice. */
static void hole_filled(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 20 * MS);
	assert_int_equal(hand_data(&h, MS, 0, 1101, 901, KB),
			 NA_SEG_LOST_BEFORE);
	hand_ack(&h, 10, 1, 901, 101);
	assert_int_equal(hand_data(&h, 25 * MS, 0, 101, 901, KB),
			 AGAIN);
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->lost_before, 1);
	assert_int_equal(d->retransmitted_bytes, 0);
	assert_int_equal(d->unique_bytes, 2 * KB);
	assert_int_equal(d->timeouts, 0);
	hand_free(&h);
}

static void reordered(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 20 * MS);
	assert_int_equal(hand_data(&h, MS, 0, 1101, 901, KB),
			 NA_SEG_LOST_BEFORE);
	assert_int_equal(hand_data(&h, MS, 0, 101, 901, KB),
			 LATE);
	/* "no age below zero": stamped before the one that passed it */
	assert_int_equal(hand_data(&h, 50 * MS, 0, 3101, 901, KB),
			 NA_SEG_LOST_BEFORE);
	assert_int_equal(hand_data(&h, -40 * MS, 0, 2101, 901, KB),
			 LATE);
	hand_ack(&h, -5 * MS, 1, 901, 4101);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_true(c->disordered);
	assert_int_equal(c->dir[0].out_of_order, 2);
	assert_int_equal(c->dir[0].retransmissions, 0);
	assert_int_equal(c->dir[0].unique_bytes, 4 * KB);
	assert_int_equal(c->dir[0].rtt_samples, 1); /* none below zero */
	hand_free(&h);
}

static uint32_t numbered(struct hand_tcp *h, uint16_t id, uint32_t seq)
{
	struct na_packet p = hand_packet(h, 0, seq, 901);

	p.payload_bytes = KB;
	p.ip_id = id;
	return hand_feed(h, MS, p);
}

/* A hole that is filled within a round trip looks reordered; the ID says
 * whether it was sent again. */
static void resent_at_once(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 20 * MS);
	for (uint32_t i = 0; i < 8; i++)
		numbered(&h, (uint16_t)(i + 1), 101 + i * KB);
	numbered(&h, 10, 101 + 9 * KB);
	numbered(&h, 11, 101 + 10 * KB);
	assert_int_equal(numbered(&h, 12, 101 + 8 * KB),
			 NA_SEG_OUT_OF_ORDER | NA_SEG_AGAIN);
	numbered(&h, 14, 101 + 12 * KB);
	numbered(&h, 15, 101 + 13 * KB);
	assert_int_equal(numbered(&h, 13, 101 + 11 * KB), LATE);
	hand_ack(&h, 20 * MS, 1, 901, 101 + 14 * KB);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(c->dir[0].out_of_order, 2);
	assert_int_equal(c->dir[0].needed, 1);
	assert_int_equal(c->dir[0].reordered, 1);
	hand_free(&h);
}

static void mid_stream(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;
	uint64_t first;

	(void)state;
	hand_start(&h, NULL);
	hand_data(&h, 0, 0, 5000, 77000, KB);
	assert_true(h.last.mid_stream);
	first = h.last.seq;
	assert_true(h.seg.seq == first && first > INT32_MAX);
	hand_ack(&h, MS, 1, 77000, 6000);
	assert_true(h.last.ack == first + KB);
	/* from before the beginning: new here, and its place is right */
	hand_data(&h, MS, 0, 3000, 77000, KB);
	assert_true(h.told && h.last.seq == first - 2000);
	hand_data(&h, MS, 0, 3500, 77000, KB);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(c->dir[0].unique_bytes, 2500);
	assert_int_equal(c->dir[0].retransmitted_bytes, 500);
	assert_false(c->dir[0].saw_syn);
	assert_false(c->dir[0].window_scale_known);
	assert_int_equal(c->initial_rtt_ns, -1);
	hand_free(&h);
}

static void ports_reused(void **state)
{
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 2 * MS);
	hand_flags(&h, MS, 0, 101, 901, NA_TCP_FIN | NA_TCP_ACK);
	hand_flags(&h, MS, 1, 901, 102, NA_TCP_FIN | NA_TCP_ACK);
	hand_ack(&h, MS, 0, 102, 902);
	/* late, but of the same connection */
	hand_flags(&h, MS, 1, 901, 102, NA_TCP_FIN | NA_TCP_ACK);
	assert_int_equal(h.last.connection, 0);
	hand_flags(&h, S, 0, 70100, 0, NA_TCP_SYN);
	assert_int_equal(h.last.connection, 1);
	assert_int_equal(h.n_conn, 1);
	hand_flags(&h, S, 1, 3, 70101, NA_TCP_RST | NA_TCP_ACK);
	hand_end(&h);
	assert_int_equal(h.n_conn, 2);
	assert_int_equal(h.counts.connections, 2);
	assert_int_equal(h.counts.connections_evicted, 0);
	assert_int_equal(hand_conn(&h, 0)->end, NA_CONN_FIN);
	assert_int_equal(hand_conn(&h, 0)->dir[1].packets, 3);
	assert_int_equal(hand_conn(&h, 1)->end, NA_CONN_RST);
	hand_free(&h);
}

/* RFC 9293, figure 8. */
static void both_open(void **state)
{
	const struct na_connection *c;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_flags(&h, 0, 0, 100, 0, NA_TCP_SYN);
	hand_flags(&h, MS, 1, 300, 0, NA_TCP_SYN);
	hand_flags(&h, MS, 0, 100, 301, NA_TCP_SYN | NA_TCP_ACK);
	hand_flags(&h, MS, 1, 300, 101, NA_TCP_SYN | NA_TCP_ACK);
	hand_data(&h, MS, 0, 101, 301, KB);
	assert_int_equal(h.last.seq, 1);
	assert_int_equal(h.last.ack, 1);
	hand_data(&h, MS, 1, 301, 1101, KB);
	hand_end(&h);
	c = hand_conn(&h, 0);
	assert_int_equal(h.n_conn, 1);
	assert_int_equal(c->dir[0].unique_bytes, KB);
	assert_int_equal(c->dir[1].unique_bytes, KB);
	assert_true(c->dir[0].saw_syn && c->dir[1].saw_syn);
	hand_free(&h);
}

/* Old segments, some with other borders: every byte is counted once. */
static void other_borders(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 2 * MS);
	hand_data(&h, MS, 0, 101, 901, 1000);
	hand_data(&h, MS, 0, 2101, 901, 1000);      /* hole of 1000 */
	hand_data(&h, 30 * MS, 0, 601, 901, 1000);  /* 500 new */
	hand_data(&h, 30 * MS, 0, 1301, 901, 3000); /* 500, then 1200 new */
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_int_equal(d->bytes, 6000);
	assert_int_equal(d->unique_bytes, 1000 + 1000 + 500 + 500 + 1200);
	assert_int_equal(d->retransmitted_bytes, 6000 - 4200);
	hand_free(&h);
}

static void timestamps(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;
	struct na_packet p;

	(void)state;
	hand_start(&h, NULL);
	hand_shake(&h, 100, 900, 2 * MS);
	for (uint32_t i = 0; i < 10; i++) {
		/* the same clock tick twice: the first counts */
		for (uint32_t k = 0; k < 2; k++) {
			p = hand_packet(&h, 0, 101 + (2 * i + k) * KB, 901);
			p.payload_bytes = KB;
			p.has_timestamps = true;
			p.ts_value = UINT32_MAX - 4 + i;
			hand_feed(&h, k ? 100 : 1000, p);
		}
		p = hand_packet(&h, 1, 901, 101 + (2 * i + 2) * KB);
		p.has_timestamps = true;
		p.ts_value = i;
		p.ts_echo = UINT32_MAX - 4 + i;
		hand_feed(&h, 3000 + i, p);
	}
	hand_end(&h);
	d = &hand_conn(&h, 0)->dir[0];
	assert_true(d->timestamps);
	assert_int_equal(d->ts_rtt_samples, 10);
	assert_int_equal(d->ts_rtt_min_ns, 3100 * 1000);
	assert_int_equal(d->ts_rtt_p50_ns, 3104 * 1000);
	assert_int_equal(d->ts_rtt_p99_ns, 3109 * 1000);
	assert_int_equal(d->rtt_samples, 11);
	hand_free(&h);
}

static void congestion_marks(void **state)
{
	const struct na_direction *d;
	struct hand_tcp h;
	struct na_packet p;

	(void)state;
	hand_start(&h, NULL);
	hand_flags(&h, 0, 0, 100, 0, NA_TCP_SYN | NA_TCP_ECE | NA_TCP_CWR);
	hand_flags(&h, 9, 1, 900, 101, NA_TCP_SYN | NA_TCP_ACK | NA_TCP_ECE);
	p = hand_packet(&h, 0, 101, 901);
	p.payload_bytes = KB;
	p.ecn = 3;
	assert_int_equal(hand_feed(&h, 9, p) & NA_SEG_CE, NA_SEG_CE);
	hand_flags(&h, 9, 1, 901, 1101, NA_TCP_ACK | NA_TCP_ECE);
	hand_flags(&h, 9, 0, 1101, 901, NA_TCP_ACK | NA_TCP_CWR);
	hand_end(&h);
	d = hand_conn(&h, 0)->dir;
	assert_int_equal(d[0].ce_marks, 1);
	assert_int_equal(d[0].ece, 0);
	assert_int_equal(d[0].cwr, 1);
	assert_int_equal(d[1].ece, 1);
	hand_free(&h);
}

/* Six times two small writes, of which the second waits for the ACK of the
 * first; which the peer delays, or loses what it is for; and answers, or not. */
static void small_writes_wait(void **state)
{
	static const struct {
		int64_t delay_us;
		bool again, answers;
		uint64_t released, unanswered;
	} cases[] = {
		{40 * MS, false, true, 6, 0},
		{200 * MS, false, true, 6, 0},
		{40 * MS, false, false, 6, 6},
		{200 * MS, true, true, 0, 0}, /* behind a timeout */
		{20 * MS, false, true, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t seq = 1, ack = 1;
		const struct na_direction *d;
		struct hand_tcp h;

		hand_start(&h, NULL);
		hand_shake(&h, 0, 0, 2 * MS);
		for (int k = 0; k < 6; k++) {
			hand_data(&h, 5 * MS, 0, seq, ack, 100);
			if (cases[i].again)
				hand_data(&h, cases[i].delay_us, 0, seq, ack,
					  100);
			hand_ack(&h, cases[i].again ? MS : cases[i].delay_us, 1,
				 ack, seq + 100);
			hand_data(&h, 100, 0, seq + 100, ack, 100);
			seq += 200;
			if (cases[i].answers)
				hand_data(&h, 2 * MS, 1, ack, seq, 50);
			else
				hand_ack(&h, 2 * MS, 1, ack, seq);
			ack += cases[i].answers ? 50 : 0;
			hand_ack(&h, 100, 0, seq, ack);
		}
		hand_end(&h);
		d = &hand_conn(&h, 0)->dir[0];
		assert_int_equal(d->released, cases[i].released);
		assert_int_equal(d->unanswered, cases[i].unanswered);
		assert_int_equal(d->released_even, cases[i].released > 0);
		assert_true(!d->released ||
			    (d->released_p50_ns <= cases[i].delay_us * 1000 &&
			     d->released_p50_ns >=
				     (cases[i].delay_us - 3 * MS) * 1000));
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handshake_options),
		cmocka_unit_test(scaling_refused),
		cmocka_unit_test(wraps),
		cmocka_unit_test(backs_off),
		cmocka_unit_test(recovers_in),
		cmocka_unit_test(low_rto),
		cmocka_unit_test(syn_again),
		cmocka_unit_test(fast),
		cmocka_unit_test(called_by_sack),
		cmocka_unit_test(hole_filled),
		cmocka_unit_test(reordered),
		cmocka_unit_test(resent_at_once),
		cmocka_unit_test(mid_stream),
		cmocka_unit_test(ports_reused),
		cmocka_unit_test(both_open),
		cmocka_unit_test(other_borders),
		cmocka_unit_test(timestamps),
		cmocka_unit_test(small_writes_wait),
		cmocka_unit_test(congestion_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
