#include "tests/unit/hand_tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/vec.h"

static enum na_status on_packet(void *ctx, void **user,
				const struct na_tcp_packet *x)
{
	struct hand_tcp *h = ctx;

	if (!*user) {
		*user = h;
		h->opened++;
	}
	assert_ptr_equal(*user, h);
	h->last = *x;
	h->last.p = NULL;
	h->told = true;
	return NA_OK;
}

static uint64_t on_close(void *ctx, void **user, uint32_t connection)
{
	struct hand_tcp *h = ctx;

	h->closed += *user != NULL;
	*user = NULL;
	return connection + 7;
}

static enum na_status on_connection(void *ctx, const struct na_connection *c)
{
	struct hand_tcp *h = ctx;

	if (!na_grow(&h->conn, &h->cap_conn, h->n_conn + 1, sizeof(*c)))
		return NA_ENOMEM;
	h->conn[h->n_conn++] = *c;
	return NA_OK;
}

static enum na_status on_segment(void *ctx, const struct na_segment *s)
{
	struct hand_tcp *h = ctx;

	h->seg = *s;
	h->n_seg++;
	return NA_OK;
}

static uint32_t on_address(void *ctx, const char *s, size_t n)
{
	struct hand_tcp *h = ctx;

	assert_true(n > 0 && strlen(s) == n);
	h->addresses++;
	return (uint32_t)s[n - 1];
}

static void start(struct hand_tcp *h, const struct na_tcp_limits *limits,
		  int64_t zero_ns, int64_t from_us, int64_t to_us)
{
	memset(h, 0, sizeof(*h));
	h->sink = (struct na_sink){
		.ctx = h,
		.connection = on_connection,
		.segment = on_segment,
		.address = on_address,
	};
	h->user = (struct na_tcp_user){h, on_packet, on_close, 0, NULL};
	h->port = 1000;
	h->now_us = 1000000;
	na_addresses_init(&h->ends, &h->sink);
	h->t = na_tcp_new(&(struct na_tcp_options){
		.limits = limits ? limits : &na_tcp_limits,
		.wants = NA_WANT_CONNECTIONS | NA_WANT_SEGMENTS,
		.segments_of = 0,
		.zero_ns = zero_ns,
		.windowed = from_us < to_us,
		.from_ns = from_us * 1000,
		.to_ns = to_us * 1000,
		.files = 2,
		.user = &h->user,
		.sink = &h->sink,
		.addresses = &h->ends,
	});
	assert_non_null(h->t);
}

void hand_start_at(struct hand_tcp *h, const struct na_tcp_limits *limits,
		   int64_t zero_ns)
{
	start(h, limits, zero_ns, 0, 0);
}

void hand_start_window(struct hand_tcp *h, int64_t from_us, int64_t to_us)
{
	start(h, NULL, 0, from_us, to_us);
}

void hand_start(struct hand_tcp *h, const struct na_tcp_limits *limits)
{
	hand_start_at(h, limits, 0);
}

struct na_packet hand_packet(const struct hand_tcp *h, unsigned dir,
			     uint32_t seq, uint32_t ack)
{
	static const struct na_address end[2] = {{{10, 0, 0, 1}, 4},
						 {{10, 0, 0, 2}, 4}};

	return (struct na_packet){
		.wire_bytes = 40,
		.kind = NA_PACKET_TCP,
		.src = end[dir],
		.dst = end[!dir],
		.src_port = dir ? 80 : h->port,
		.dst_port = dir ? h->port : 80,
		.seq = seq,
		.ack = ack,
		.flags = NA_TCP_ACK,
		.window = 60000,
		.window_shift = UINT8_MAX,
	};
}

uint32_t hand_feed(struct hand_tcp *h, int64_t after_us, struct na_packet p)
{
	h->now_us += after_us;
	p.time_ns = h->now_us * 1000;
	p.wire_bytes += p.payload_bytes;
	h->told = false;
	assert_int_equal(na_tcp_packet(h->t, &p), NA_OK);
	return h->told ? h->last.marks & 0xfffff : 0;
}

uint32_t hand_data(struct hand_tcp *h, int64_t after_us, unsigned dir,
		   uint32_t seq, uint32_t ack, uint32_t n)
{
	struct na_packet p = hand_packet(h, dir, seq, ack);

	p.payload_bytes = n;
	return hand_feed(h, after_us, p);
}

uint32_t hand_flags(struct hand_tcp *h, int64_t after_us, unsigned dir,
		    uint32_t seq, uint32_t ack, uint8_t flags)
{
	struct na_packet p = hand_packet(h, dir, seq, ack);

	p.flags = flags;
	return hand_feed(h, after_us, p);
}

uint32_t hand_ack(struct hand_tcp *h, int64_t after_us, unsigned dir,
		  uint32_t seq, uint32_t ack)
{
	return hand_data(h, after_us, dir, seq, ack, 0);
}

void hand_shake(struct hand_tcp *h, uint32_t isn0, uint32_t isn1,
		int64_t rtt_us)
{
	hand_flags(h, 0, 0, isn0, 0, NA_TCP_SYN);
	hand_flags(h, rtt_us / 2, 1, isn1, isn0 + 1, NA_TCP_SYN | NA_TCP_ACK);
	hand_ack(h, rtt_us - rtt_us / 2, 0, isn0 + 1, isn1 + 1);
}

void hand_end(struct hand_tcp *h)
{
	assert_int_equal(na_tcp_finish(h->t), NA_OK);
	na_tcp_counts(h->t, &h->counts);
	na_tcp_free(h->t);
	na_addresses_fini(&h->ends);
	h->t = NULL;
	assert_int_equal(h->opened, h->closed);
}

void hand_free(struct hand_tcp *h)
{
	if (h->t)
		hand_end(h);
	free(h->conn);
	h->conn = NULL;
}

const struct na_connection *hand_conn(const struct hand_tcp *h, uint32_t id)
{
	for (size_t i = 0; i < h->n_conn; i++)
		if (h->conn[i].id == id)
			return &h->conn[i];
	fail_msg("no connection %u", id);
	return NULL;
}
