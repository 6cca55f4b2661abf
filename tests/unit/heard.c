#include "tests/unit/heard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t hear_name(void *ctx, const char *s, size_t n)
{
	struct heard *h = ctx;

	return na_strtab_add(&h->names, s, n);
}

static enum na_status hear_call(void *ctx, const struct na_call *c)
{
	struct heard *h = ctx;

	assert_true(h->n_calls < TALK_HEARD);
	h->calls[h->n_calls++] = *c;
	return NA_OK;
}

static enum na_status hear_transfer(void *ctx, const struct na_transfer *t)
{
	struct heard *h = ctx;

	assert_true(h->n_transfers < TALK_HEARD);
	h->transfers[h->n_transfers++] = *t;
	return NA_OK;
}

void heard_init(struct heard *h, const struct na_call_limits *limits)
{
	struct na_calls_options o = {.limits = limits,
				     .zero_ns = 0,
				     .idle_gap_ns = NA_IDLE_GAP_NS,
				     .estimates = true,
				     .sink = &h->sink,
				     .addresses = &h->ends};

	memset(h, 0, sizeof(*h));
	memset(&h->names, 0, sizeof(h->names));
	h->sink = (struct na_sink){.ctx = h,
				   .call = hear_call,
				   .transfer = hear_transfer,
				   .name = hear_name,
				   .address = hear_name};
	h->base[0] = h->base[1] = 1;
	na_addresses_init(&h->ends, &h->sink);
	h->reader = na_calls_new(&o);
	assert_non_null(h->reader);
	h->user = na_calls_user(h->reader);
}

static const struct na_address ends[2] = {{{10, 0, 0, 1}, 4},
					  {{10, 0, 0, 2}, 4}};

static void send_packet(struct heard *h, struct na_tcp_packet *x)
{
	static const uint16_t ports[2] = {60000, 50051};

	x->connection = h->connection;
	x->mid_stream = h->mid_stream;
	for (int i = 0; i < 2; i++) {
		x->ends[i] = &ends[i];
		x->ports[i] = ports[i];
	}
	assert_int_equal(h->user.packet(h->user.ctx, &h->state, x), NA_OK);
}

void heard_syn(struct heard *h)
{
	struct na_packet p = {.kind = NA_PACKET_TCP, .flags = NA_TCP_SYN};
	struct na_tcp_packet x = {.p = &p, .dir = 0};

	send_packet(h, &x);
	p.flags = NA_TCP_SYN | NA_TCP_ACK;
	x.dir = 1;
	send_packet(h, &x);
}

static void send_bytes(struct heard *h, struct na_tcp_packet *x,
		       const uint8_t *p, size_t n, int64_t at_ns)
{
	size_t captured = h->cut && n > h->cut ? h->cut : n;
	uint8_t *copy = malloc(captured + !captured);
	struct na_packet packet = {.kind = NA_PACKET_TCP,
				   .time_ns = at_ns,
				   .flags = NA_TCP_ACK,
				   .payload = copy,
				   .payload_bytes = (uint32_t)n,
				   .payload_captured = (uint32_t)captured};

	assert_non_null(copy);
	if (captured)
		memcpy(copy, p, captured);
	x->p = &packet;
	send_packet(h, x);
	free(copy);
}

void heard_packet(struct heard *h, const struct talk *t,
		  const struct talk_packet *x)
{
	struct na_tcp_packet y = {
		.dir = x->dir,
		.seq = h->base[x->dir] + x->from,
		.ack = x->ack ? h->base[!x->dir] + x->ack : 0,
	};

	send_bytes(h, &y, t->bytes[x->dir] + x->from, x->to - x->from,
		   x->at_ns);
}

void heard_bytes(struct heard *h, uint8_t dir, uint64_t seq, const uint8_t *p,
		 size_t n, int64_t at_ns, uint32_t marks)
{
	struct na_tcp_packet y = {.dir = dir, .seq = seq, .marks = marks};

	send_bytes(h, &y, p, n, at_ns);
}

void heard_close(struct heard *h)
{
	h->user.close(h->user.ctx, &h->state, h->connection);
	assert_null(h->state);
	assert_int_equal(na_calls_status(h->reader), NA_OK);
	na_calls_counts(h->reader, &h->counts);
}

void heard_fini(struct heard *h)
{
	na_calls_free(h->reader);
	na_addresses_fini(&h->ends);
	na_strtab_fini(&h->names);
}
