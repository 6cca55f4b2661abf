/*
 * RoCEv2 by hand-made packets, and the one real capture where it is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/fragment.h"
#include "ingest/roce.h"
#include "ingest/roce_head.h"
#include "netan/synth/rng.h"
#include "tests/unit/capfile_reading.h"

enum { MAX = 400, US = 1000 };

/* What came out: names in plain text. */
struct told {
	struct na_transfer t;
	const char *src, *dst, *collective, *type;
};

static struct world {
	struct na_roce *x;
	struct na_sink sink;
	struct na_capture_counts c;
	char names[MAX][48];
	uint32_t n_names;
	struct told told[MAX];
	size_t n;
	uint64_t left_out;
	int64_t now_us;
} w;

static uint32_t intern(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	for (uint32_t i = 0; i < w.n_names; i++)
		if (strlen(w.names[i]) == n && !memcmp(w.names[i], s, n))
			return i;
	assert_true(w.n_names < MAX && n < sizeof(w.names[0]));
	memcpy(w.names[w.n_names], s, n);
	w.names[w.n_names][n] = '\0';
	return w.n_names++;
}

static enum na_status take(void *ctx, const struct na_transfer *t)
{
	struct told *o = &w.told[w.n++];

	(void)ctx;
	assert_true(w.n <= MAX);
	*o = (struct told){*t, w.names[t->src], w.names[t->dst],
			   w.names[t->collective], w.names[t->type]};
	assert_int_equal(t->style, NA_STYLE_CAPTURE);
	assert_int_equal(t->component, NA_COMP_NETWORK);
	assert_true(t->start_ps <= t->end_ps);
	return NA_OK;
}

static void left_out(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	(void)why;
	w.left_out += n;
}

static void begin(size_t queue_pairs, size_t messages, size_t named)
{
	struct na_roce_limits limits = {queue_pairs, messages, named};

	memset(&w, 0, sizeof(w));
	w.sink = (struct na_sink){
		.transfer = take,
		.name = intern,
		.address = intern,
		.left_out = left_out,
	};
	w.x = na_roce_new(&limits, 0, &w.sink);
	assert_non_null(w.x);
}

static void begin_large(void)
{
	begin(100, 100, 100);
}

static void end(void)
{
	assert_int_equal(na_roce_finish(w.x), NA_OK);
	na_roce_counts(w.x, &w.c);
	na_roce_free(w.x);
}

/* ---- packets */

struct shot {
	int from, to; /* host numbers */
	uint8_t opcode;
	uint32_t qp, psn;
	uint32_t n; /* bytes of message in it */
	uint8_t syndrome;
	uint32_t asked;     /* RETH */
	uint32_t source_qp; /* DETH */
	uint32_t cut;       /* captured bytes; 0: all */
	uint8_t ecn;
	int64_t at_us;
};

/* Extension headers in front of the payload, per opcode, from the tables of
 * the specification: 255 is an opcode that does not exist. */
static unsigned extension(unsigned opcode)
{
	/* clang-format off */
	static const uint8_t rc[32] = {
		0, 0, 0, 4, 0, 4,         /* SEND */
		16, 0, 0, 4, 16, 20,      /* WRITE */
		16, 4, 0, 4, 4,           /* READ */
		4, 12, 28, 28,            /* ACK, atomics */
		255, 4, 4,                /* -, SEND with invalidate */
		255, 255, 255, 255, 255, 255, 255, 255,
	};
	/* clang-format on */
	unsigned op = opcode & 31;

	switch (opcode >> 5) {
	case 0:
		return rc[op];
	case 1:
		return op <= 11 ? rc[op] : 255;
	case 3:
		return op == 4 ? 8 : op == 5 ? 12 : 255;
	case 5: /* responses have no XRCETH */
		return rc[op] == 255          ? 255
		       : op >= 13 && op <= 18 ? rc[op]
					      : rc[op] + 4u;
	default:
		return 255;
	}
}

static void be(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> (8 * (n - 1 - i)));
}

static void shoot(struct shot s)
{
	static uint8_t b[8192];
	unsigned e = extension(s.opcode);
	uint32_t pad = -s.n & 3u, n;
	struct na_packet p = {
		.kind = NA_PACKET_UDP,
		.time_ns = (s.at_us ? s.at_us : ++w.now_us) * US,
		.dst_port = NA_ROCE_PORT,
		.ecn = s.ecn,
		.src = {{10, 0, 0, (uint8_t)s.from}, 4},
		.dst = {{10, 0, 0, (uint8_t)s.to}, 4},
		.payload = b,
	};

	e = e == 255 ? 0 : e;
	n = 12 + e + s.n + pad + 4;
	assert_true(n <= sizeof(b));
	memset(b, 0, sizeof(b));
	b[0] = s.opcode;
	b[1] = (uint8_t)(pad << 4);
	be(b + 5, s.qp, 3);
	be(b + 9, s.psn & 0xffffff, 3);
	if (s.source_qp)
		be(b + 12 + 5, s.source_qp, 3);
	if ((s.opcode & 31) == 0x0c)
		be(b + 12 + 12, s.asked, 4);
	if ((s.opcode & 31) >= 0x0d && (s.opcode & 31) <= 0x12)
		b[12] = s.syndrome;
	p.payload_bytes = n;
	p.payload_captured = s.cut && s.cut < n ? s.cut : n;
	assert_int_equal(na_roce_packet(w.x, &p), NA_OK);
}

/* Requests go from host 1 to queue pair 0x22 of host 2, answers come back to
 * queue pair 0x11. */
static void request(unsigned opcode, uint32_t psn, uint32_t n)
{
	shoot((struct shot){.from = 1,
			    .to = 2,
			    .qp = 0x22,
			    .opcode = (uint8_t)opcode,
			    .psn = psn,
			    .n = n});
}

static void answer(unsigned opcode, uint32_t psn, unsigned syndrome, uint32_t n)
{
	shoot((struct shot){.from = 2,
			    .to = 1,
			    .qp = 0x11,
			    .opcode = (uint8_t)opcode,
			    .psn = psn,
			    .syndrome = (uint8_t)syndrome,
			    .n = n});
}

static void ack(uint32_t psn)
{
	answer(0x11, psn, 0x1f, 0);
}

static void expect(size_t i, const char *type, uint64_t bytes,
		   enum na_class klass, int64_t latency_us)
{
	const struct told *o = &w.told[i];

	assert_true(i < w.n);
	assert_string_equal(o->type, type);
	assert_int_equal(o->t.size_bytes, bytes);
	assert_int_equal(o->t.klass, klass);
	assert_int_equal(o->t.end_ps - o->t.start_ps, latency_us * 1000000);
}

/* ---- headers */

static void every_opcode(void **state)
{
	uint8_t b[2048] = {0};

	(void)state;
	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned n = 0; n < 9; n++) {
			unsigned pad = -n & 3u, e = extension(opcode);
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
	begin_large();
	request(0x00, 10, 1024); /* at 1 us */
	request(0x01, 11, 1024);
	request(0x03, 12, 7);
	ack(12); /* at 4 us */
	request(0x0a, 13, 100);
	ack(13);
	request(0x17, 14, 0);
	ack(14);
	request(0xa4, 15, 3); /* XRC */
	ack(15);
	end();
	assert_int_equal(w.n, 4);
	expect(0, "SEND_IMM", 2055, NA_VALID, 3);
	expect(1, "WRITE", 100, NA_VALID, 1);
	expect(2, "SEND_INV", 0, NA_VALID, 1);
	assert_int_equal(w.told[3].t.size_bytes, 3);
	assert_string_equal(w.told[0].src, "10.0.0.1");
	assert_string_equal(w.told[0].dst, "10.0.0.2");
	assert_string_equal(w.told[0].collective, "roce:0x000022");
	assert_int_equal(w.c.roce_packets, 10);
	assert_int_equal(w.c.roce_messages, 4);
	assert_int_equal(w.c.roce_psn_gaps + w.c.roce_psn_repeats, 0);
}

/* One ACK for several messages; one in the middle of a message is for those
 * before it.  The numbers wrap. */
static void coalesced_and_wrapped(void **state)
{
	(void)state;
	begin_large();
	request(0x04, 0xfffffe, 1);
	request(0x04, 0xffffff, 2);
	request(0x00, 0, 1024);
	ack(0); /* at 4 us */
	request(0x02, 1, 5);
	request(0x04, 2, 6);
	ack(2); /* at 7 us */
	end();
	assert_int_equal(w.n, 4);
	expect(0, "SEND", 1, NA_VALID, 3);
	expect(1, "SEND", 2, NA_VALID, 2);
	expect(2, "SEND", 1029, NA_VALID, 4);
	expect(3, "SEND", 6, NA_VALID, 1);
	assert_int_equal(w.c.roce_psn_gaps, 0);
}

/* The packet was lost behind the capture point: all is sent again from it.
 * One message, one transfer, its bytes once. */
static void nak_and_back(void **state)
{
	(void)state;
	begin_large();
	request(0x04, 4, 9);
	request(0x06, 5, 1024); /* at 2 us */
	request(0x07, 6, 1024);
	request(0x08, 7, 10);
	answer(0x11, 6, 0x60, 0); /* acknowledges what is before */
	request(0x07, 6, 1024);
	request(0x08, 7, 10);
	ack(7); /* at 8 us */
	end();
	assert_int_equal(w.n, 2);
	expect(0, "SEND", 9, NA_VALID, 4);
	expect(1, "WRITE", 2058, NA_VALID, 6);
	assert_int_equal(w.c.roce_messages, 2);
	assert_int_equal(w.c.roce_naks, 1);
	assert_int_equal(w.c.roce_rnr_naks, 0);
	assert_int_equal(w.c.roce_psn_repeats, 2);
}

/* Sent again whole: on the wire twice, one transfer from the first time. */
static void receiver_not_ready(void **state)
{
	(void)state;
	begin_large();
	request(0x04, 5, 50);
	answer(0x11, 5, 0x2c, 0);
	request(0x04, 5, 50);
	ack(5);
	end();
	assert_int_equal(w.n, 1);
	expect(0, "SEND", 50, NA_VALID, 3);
	assert_int_equal(w.c.roce_messages, 2);
	assert_int_equal(w.c.roce_naks, 0);
	assert_int_equal(w.c.roce_rnr_naks, 1);
	assert_int_equal(w.c.roce_psn_repeats, 1);
}

/* Lost before the capture point: a gap, and what comes later fills it. */
static void gap_filled(void **state)
{
	(void)state;
	begin_large();
	request(0x00, 1, 1000);
	request(0x02, 3, 10); /* 2 is missing */
	request(0x04, 4, 5);
	answer(0x11, 2, 0x60, 0);
	request(0x04, 8, 7); /* 5 to 7: a message nobody saw */
	request(0x00, 5, 1000);
	request(0x01, 6, 1000);
	request(0x02, 7, 20);
	request(0x04, 8, 7);
	ack(8); /* at 10 us */
	end();
	assert_int_equal(w.n, 4);
	expect(0, "SEND", 1010, NA_VALID, 9);
	expect(2, "SEND", 7, NA_VALID, 5);
	expect(3, "SEND", 2020, NA_VALID, 4);
	assert_int_equal(w.c.roce_psn_gaps, 2);
	assert_int_equal(w.c.roce_psn_repeats, 1);
	assert_int_equal(w.c.roce_messages, 5);
}

/* The Last of one message and the First of the next are lost before the
 * capture point, then all is sent again. */
static void lost_between_messages(void **state)
{
	(void)state;
	begin_large();
	request(0x00, 1, 1000);
	request(0x00, 3, 1000); /* 2, a Last, is missing */
	request(0x02, 4, 11);
	request(0x02, 2, 22);
	request(0x00, 3, 1000);
	request(0x02, 4, 11);
	ack(4);
	request(0x01, 6, 1000); /* 5, a First, is missing */
	request(0x02, 7, 33);
	request(0x00, 5, 1000);
	request(0x01, 6, 1000);
	request(0x02, 7, 33);
	ack(7);
	end();
	assert_int_equal(w.n, 3);
	expect(0, "SEND", 1011, NA_VALID, 5);
	expect(1, "SEND", 1022, NA_VALID, 6);
	expect(2, "SEND", 2033, NA_VALID, 3);
}

/* A sender that goes back in mid-message comes to it again. */
static void interrupted(void **state)
{
	(void)state;
	begin_large();
	request(0x00, 1, 1000);
	request(0x02, 2, 1);
	request(0x06, 3, 1000); /* at 3 us */
	request(0x07, 4, 1000);
	answer(0x11, 1, 0x60, 0);
	request(0x00, 1, 1000);
	request(0x02, 2, 1);
	request(0x06, 3, 1000);
	request(0x07, 4, 1000);
	request(0x08, 5, 500);
	ack(5); /* at 11 us */
	end();
	assert_int_equal(w.n, 2);
	expect(0, "SEND", 1001, NA_VALID, 10);
	expect(1, "WRITE", 2500, NA_VALID, 8);
	assert_int_equal(w.c.roce_messages, 3);
}

static void unanswered(void **state)
{
	(void)state;
	begin_large();
	request(0x04, 1, 8);
	request(0x24, 2, 9);  /* UC is not answered */
	request(0x04, 3, 10); /* answered by nobody */
	end();
	assert_int_equal(w.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w.told[i].t.klass, NA_NO_LATENCY);
	assert_int_equal(w.c.roce_messages, 3);
}

static void times_that_are_none(void **state)
{
	(void)state;
	begin_large();
	w.now_us = 100;
	request(0x04, 1, 8);
	shoot((struct shot){.from = 2,
			    .to = 1,
			    .qp = 0x11,
			    .opcode = 0x11,
			    .psn = 1,
			    .at_us = 50}); /* time went back */
	request(0x04, 2, 8);
	shoot((struct shot){.from = 2,
			    .to = 1,
			    .qp = 0x11,
			    .opcode = 0x11,
			    .psn = 2,
			    .at_us = 102});
	shoot((struct shot){.from = 3, .to = 3, .qp = 5, .opcode = 4, .n = 2});
	shoot((struct shot){.from = 3, .to = 3, .qp = 6, .opcode = 0x11});
	shoot((struct shot){.from = 1,
			    .to = 2,
			    .qp = 0x22,
			    .opcode = 0x04,
			    .psn = 3,
			    .at_us = INT64_MAX / US});
	end();
	assert_int_equal(w.n, 3);
	expect(0, "SEND", 8, NA_NO_LATENCY, 0);
	expect(1, "SEND", 8, NA_CLOCK_SKEW, 0);
	expect(2, "SEND", 2, NA_LOOPBACK, 1);
	assert_int_equal(w.left_out, 1);
}

/* ---- READ, atomics, datagrams */

static void read_with_request(void **state)
{
	(void)state;
	begin_large();
	request(0x04, 1, 5);
	shoot((struct shot){.from = 1,
			    .to = 2,
			    .qp = 0x22,
			    .opcode = 0x0c,
			    .psn = 2,
			    .asked = 2058}); /* at 2 us */
	request(0x04, 5, 6);
	answer(0x0d, 2, 0x1f, 1024); /* answers the SEND before, too */
	answer(0x0e, 3, 0, 1024);
	answer(0x0f, 4, 0x1f, 10); /* at 6 us */
	ack(5);
	end();
	assert_int_equal(w.n, 3);
	expect(0, "SEND", 5, NA_VALID, 3);
	expect(1, "READ", 2058, NA_VALID, 4);
	expect(2, "SEND", 6, NA_VALID, 4);
	assert_string_equal(w.told[1].src, "10.0.0.2");
	assert_string_equal(w.told[1].dst, "10.0.0.1");
	assert_string_equal(w.told[1].collective, "roce:0x000022");
	assert_int_equal(w.c.roce_messages, 3);
	/* The READ's own numbers are no gap. */
	assert_int_equal(w.c.roce_psn_gaps, 0);
}

static void read_in_part(void **state)
{
	(void)state;
	begin_large();
	answer(0x10, 7, 0x1f, 33);    /* the request was not captured */
	answer(0x0d, 20, 0x1f, 1024); /* nor this one's, and 21 is lost */
	answer(0x0f, 22, 0x1f, 5);
	answer(0x10, 7, 0x1f, 33); /* once more */
	end();
	assert_int_equal(w.n, 2);
	expect(0, "READ", 33, NA_NO_LATENCY, 0);
	expect(1, "READ", 1029, NA_NO_LATENCY, 0);
	assert_string_equal(w.told[0].src, "10.0.0.2");
	assert_int_equal(w.c.roce_psn_gaps, 1);
	assert_int_equal(w.c.roce_psn_repeats, 1);
	assert_int_equal(w.c.roce_messages, 3);
}

static void atomics(void **state)
{
	(void)state;
	begin_large();
	request(0x13, 1, 0);
	request(0x14, 2, 0);
	answer(0x12, 1, 0x1f, 0);
	answer(0x12, 2, 0x1f, 0);
	request(0x14, 3, 0);
	request(0x04, 4, 1);
	ack(4); /* the atomic's answer was not captured */
	end();
	assert_int_equal(w.n, 4);
	expect(0, "COMPARE_SWAP", 8, NA_VALID, 2);
	expect(1, "FETCH_ADD", 8, NA_VALID, 2);
	expect(2, "FETCH_ADD", 8, NA_NO_LATENCY, 0);
	assert_int_equal(w.c.roce_messages, 4);
}

/* Datagrams: the sender's queue pair keeps them apart, their numbers count
 * over all destinations. */
static void datagrams(void **state)
{
	struct shot s = {.from = 1, .to = 2, .qp = 1, .opcode = 0x64, .n = 256};

	(void)state;
	begin_large();
	for (uint32_t i = 0; i < 6; i++) {
		s.source_qp = 7 + i % 2;
		s.psn = i * 100;
		shoot(s);
	}
	end();
	assert_int_equal(w.n, 6);
	for (size_t i = 0; i < 6; i++)
		expect(i, "UD_SEND", 256, NA_NO_LATENCY, 0);
	assert_int_equal(w.c.roce_psn_gaps, 0);
}

static void marks(void **state)
{
	struct shot s = {.from = 2, .to = 1, .qp = 1, .opcode = 0x81, .n = 16};
	uint8_t b[12] = {4};
	struct na_packet p = {.kind = NA_PACKET_UDP,
			      .payload = b,
			      .payload_bytes = 12,
			      .payload_captured = 12};

	(void)state;
	begin_large();
	shoot(s);
	s.ecn = 3;
	shoot(s);
	s.opcode = 0x1f; /* no such operation */
	shoot(s);
	assert_int_equal(na_roce_packet(w.x, &p), NA_OK); /* no room for ICRC */
	end();
	assert_int_equal(w.c.roce_congestion, 2);
	assert_int_equal(w.c.roce_ce_marks, 2);
	assert_int_equal(w.c.roce_packets, 3);
	assert_int_equal(w.c.malformed, 1);
	assert_int_equal(w.n, 0);
}

/* Sizes are those on the wire; an ACK whose syndrome was cut off could be a
 * NAK, and answers nothing. */
static void cut_by_snap_length(void **state)
{
	struct shot s = {.from = 1, .to = 2, .qp = 0x22, .opcode = 4, .n = 900};

	(void)state;
	begin_large();
	s.cut = 12;
	shoot(s);
	s = (struct shot){.from = 2, .to = 1, .qp = 0x11, .opcode = 0x11};
	s.cut = 15;
	shoot(s);
	s.cut = 16;
	shoot(s);
	end();
	assert_int_equal(w.n, 1);
	expect(0, "SEND", 900, NA_VALID, 2);
}

/* ---- which ACK is for whom */

/* Between two hosts, `n` queue pairs: requests to 100 + i, ACKs to 200 + i.
 * Even with one first number for all, an ACK finds its own from the second
 * message on, where they differ. */
static void many_queue_pairs(void **state)
{
	(void)state;
	begin_large();
	for (uint32_t round = 0; round < 5; round++)
		for (uint32_t i = 0; i < 8; i++)
			shoot((struct shot){.from = 1,
					    .to = 2,
					    .qp = 100 + i,
					    .opcode = 4,
					    .psn = i * 1000 + round,
					    .n = 1 + i});
	for (uint32_t i = 8; i-- > 0;)
		shoot((struct shot){.from = 2,
				    .to = 1,
				    .qp = 200 + i,
				    .opcode = 0x11,
				    .psn = i * 1000 + 4});
	end();
	assert_int_equal(w.n, 40);
	for (size_t k = 0; k < 40; k++) {
		/* The answers come for queue pair 107 first. */
		assert_int_equal(w.told[k].t.size_bytes, 8 - k / 5);
		assert_int_equal(w.told[k].t.klass, NA_VALID);
	}
}

/* Taken for the wrong one at first; a number that was never sent there, but
 * ends a message elsewhere, puts it right. */
static void learns_anew(void **state)
{
	struct shot a = {.from = 1, .to = 2, .qp = 100, .opcode = 4, .n = 1};
	struct shot b = {.from = 1, .to = 2, .qp = 101, .opcode = 4, .n = 2};
	struct shot r = {.from = 2, .to = 1, .qp = 201, .opcode = 0x11};

	(void)state;
	begin_large();
	a.psn = b.psn = 5;
	shoot(a);
	shoot(b);
	r.psn = 5;
	shoot(r); /* is for b, but a waits longer */
	b.psn = 6;
	shoot(b);
	r.psn = 6;
	shoot(r);
	r.qp = 200;
	r.psn = 5;
	shoot(r);
	a.psn = 6;
	shoot(a);
	r.psn = 6;
	shoot(r);
	end();
	assert_int_equal(w.n, 4);
	expect(0, "SEND", 1, NA_VALID, 2);
	expect(1, "SEND", 2, NA_VALID, 3);
	expect(2, "SEND", 2, NA_VALID, 1);
	expect(3, "SEND", 1, NA_VALID, 1);
}

/* ---- limits */

static void limits(void **state)
{
	(void)state;
	begin(2, 4, 3);
	for (uint32_t i = 0; i < 10; i++)
		request(0x04, i, 1 + i);
	assert_int_equal(w.n, 6);
	for (uint32_t i = 0; i < 9; i++) /* others push the first one out */
		shoot((struct shot){
			.from = 3, .to = 4, .qp = i, .opcode = 4, .n = 50});
	end();
	assert_int_equal(w.n, 19);
	assert_int_equal(w.c.roce_messages, 19);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(w.told[i].t.size_bytes, 1 + i);
	assert_string_equal(w.told[18].src, "other");
	assert_string_equal(w.told[18].collective, "roce:other");
	/* 7 messages (one for the first of the others), 8 queue pairs, and 7
	 * names. */
	assert_int_equal(w.c.limits_hit, 7 + 8 + 7);
}

/* Any packets at all: nothing is told twice, nothing more than was sent. */
static void any_packets(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 40; seed++) {
		struct na_rng r;
		size_t n = 300;

		na_rng_seed(&r, seed);
		begin(1 + na_rng_below(&r, 8), 1 + na_rng_below(&r, 8), 50);
		for (size_t i = 0; i < n; i++) {
			int from = (int)na_rng_below(&r, 2);
			struct shot s = {
				.from = from,
				.to = !from,
				.opcode = (uint8_t)na_rng_below(&r, 24),
				.qp = (uint32_t)na_rng_below(&r, 3),
				.psn = (uint32_t)na_rng_below(&r, 12) - 3,
				.n = (uint32_t)na_rng_below(&r, 8),
				.asked = (uint32_t)na_rng_below(&r, 3000),
				.syndrome = (uint8_t)na_rng_below(&r, 128),
			};

			shoot(s);
		}
		end();
		assert_true(w.n <= w.c.roce_messages);
		assert_true(w.c.roce_packets == n);
	}
}

/* ---- a real capture */

static int by_latency(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	int64_t d = x->t.end_ps - x->t.start_ps - y->t.end_ps + y->t.start_ps;

	return (d > 0) - (d < 0);
}

/* tshark: 105 packets; 34 messages one way, 33 of them of 2048 bytes, and
 * one of 141 bytes the other way; all 35 acknowledged after 15.02 to 25.034
 * us, median 20.027 us (rounded by its floating-point times). */
static void real(void **state)
{
	struct na_input in;
	struct na_record r;
	struct na_capfile *f;
	char path[4096];
	uint64_t bytes = 0;

	(void)state;
	f = capfile_real(&in, "rocev2_send_sport69.pcap", path, sizeof(path));
	if (!f)
		skip();
	begin_large();
	while (na_capfile_next(f, &r) == NA_OK) {
		struct na_packet p;

		na_packet_decode(&p, &r, NULL);
		if (p.kind == NA_PACKET_UDP && p.dst_port == NA_ROCE_PORT) {
			/* Relative: the sink's origin is 0 here. */
			p.time_ns -= INT64_C(1650970174376937000);
			assert_int_equal(na_roce_packet(w.x, &p), NA_OK);
		}
	}
	end();
	capfile_real_end(&in, f);
	assert_int_equal(w.c.roce_packets, 105);
	assert_int_equal(w.c.roce_messages, 35);
	assert_int_equal(w.n, 35);
	assert_int_equal(w.c.roce_psn_gaps + w.c.roce_psn_repeats, 0);
	for (size_t i = 0; i < w.n; i++)
		bytes += w.told[i].t.size_bytes;
	assert_int_equal(bytes, 67037 + 141);
	qsort(w.told, w.n, sizeof(*w.told), by_latency);
	expect(0, "SEND_IMM", w.told[0].t.size_bytes, NA_VALID, 15);
	expect(17, "SEND_IMM", w.told[17].t.size_bytes, NA_VALID, 20);
	expect(31, "SEND_IMM", w.told[31].t.size_bytes, NA_VALID, 24);
	expect(34, "SEND_IMM", w.told[34].t.size_bytes, NA_VALID, 25);
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
		cmocka_unit_test(many_queue_pairs),
		cmocka_unit_test(learns_anew),
		cmocka_unit_test(limits),
		cmocka_unit_test(any_packets),
		cmocka_unit_test(real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
