/*
 * Any bytes as packets between a few ends, through a tracker with hardly any
 * room.  Whatever they say: every payload byte is counted once, as seen for
 * the first time or again, and what is told of a connection fits together.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/tcp/track.h"

enum { PACKET_BYTES = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct totals {
	uint64_t packets, bytes, wire_bytes;
	uint64_t told_packets, told_bytes, told_wire_bytes;
	uint64_t users, closed;
};

static void must(bool so)
{
	if (!so)
		abort();
}

static enum na_status on_packet(void *ctx, void **user,
				const struct na_tcp_packet *x)
{
	struct totals *t = ctx;

	if (!*user) {
		*user = t;
		t->users++;
	}
	must(x->dir < 2 && x->ends[0] && x->ends[1]);
	/* bytes never come from before the beginning */
	must(x->p->payload_bytes == 0 || x->seq < UINT64_MAX / 2);
	must(x->ack < UINT64_MAX / 2);
	return NA_OK;
}

static uint64_t on_close(void *ctx, void **user, uint32_t connection)
{
	struct totals *t = ctx;

	(void)connection;
	t->closed += *user != NULL;
	*user = NULL;
	return 0;
}

static void check(struct totals *t, const struct na_direction *d)
{
	t->told_packets += d->packets;
	t->told_bytes += d->bytes;
	t->told_wire_bytes += d->wire_bytes;
	must(d->unique_bytes + d->retransmitted_bytes == d->bytes);
	must(d->unique_bytes <= d->bytes);
	must(d->data_packets <= d->packets);
	must(d->fast + d->spurious <= d->retransmissions);
	must(d->timeout <= d->retransmissions);
	must(d->timeouts <= d->timeout);
	must(d->longest_timeout_ns <= d->timeout_total_ns);
	must(d->longest_idle_ns <= d->idle_ns);
	must(d->min_window_bytes <= d->max_window_bytes);
	must((d->rtt_samples > 0) == (d->rtt_min_ns >= 0));
	must(d->rtt_min_ns <= d->rtt_p50_ns && d->rtt_p50_ns <= d->rtt_p99_ns);
	must(d->ts_rtt_min_ns <= d->ts_rtt_p50_ns &&
	     d->ts_rtt_p50_ns <= d->ts_rtt_p99_ns);
	must(d->zero_window_ns >= 0 && d->window_full_ns >= 0);
}

static enum na_status on_connection(void *ctx, const struct na_connection *c)
{
	must(c->from_ps <= c->to_ps);
	check(ctx, &c->dir[0]);
	check(ctx, &c->dir[1]);
	return NA_OK;
}

static enum na_status on_segment(void *ctx, const struct na_segment *s)
{
	(void)ctx;
	must(s->dir < 2 && s->connection == 1);
	return NA_OK;
}

static uint32_t on_address(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	must(strlen(s) == n);
	return 0;
}

static uint32_t number(const uint8_t *d)
{
	return (uint32_t)d[0] | (uint32_t)d[1] << 8;
}

/* d[0] and d[1]: who to whom, and how wild; the rest in order. */
static void take(struct totals *t, struct na_tcp *tcp, const uint8_t *d,
		 int64_t *now_ns)
{
	static const int64_t steps[] = {0,      1000,      100000,  3000000,
					250000, 200000000, -700000, 1LL << 40};
	unsigned dir = d[0] & 1;
	int wide = d[0] & 2 ? 16 : 0;
	struct na_packet p = {
		.kind = NA_PACKET_TCP,
		.src = {.bytes = {1, (uint8_t)dir}, .family = 4},
		.dst = {.bytes = {1, (uint8_t)!dir}, .family = 4},
		.flags = d[2],
		.seq = number(d + 3) << wide,
		.ack = number(d + 5) << (d[0] & 4 ? 16 : 0),
		.window = (uint16_t)(d[7] << (d[0] & 8 ? 8 : 0)),
		.payload_bytes = d[0] & 16 ? number(d + 8) : d[8] & 15,
		.window_shift = d[1] & 1 ? d[10] : UINT8_MAX,
		.has_timestamps = d[1] & 2,
		.ts_value = d[11],
		.ts_echo = d[12],
		.n_sack = d[1] & 4 ? d[13] % (NA_MAX_SACK + 1) : 0,
		.ecn = d[1] >> 3 & 3,
	};

	p.src_port = (uint16_t)(dir ? 80 : d[0] >> 5);
	p.dst_port = (uint16_t)(dir ? d[0] >> 5 : 80);
	for (unsigned i = 0; i < p.n_sack; i++) {
		p.sack[i].left = p.ack + d[14];
		p.sack[i].right = p.ack + d[15];
	}
	*now_ns += steps[d[1] >> 5];
	p.time_ns = *now_ns;
	p.wire_bytes = p.payload_bytes + 40;
	t->packets++;
	t->bytes += p.payload_bytes;
	t->wire_bytes += p.wire_bytes;
	must(na_tcp_packet(tcp, &p) == NA_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct na_tcp_limits few = {4, 24, 1 << 30};
	struct totals t = {0};
	struct na_sink sink = {.ctx = &t,
			       .connection = on_connection,
			       .segment = on_segment,
			       .address = on_address};
	struct na_tcp_user user = {&t, on_packet, on_close, 0, NULL};
	struct na_addresses ends;
	struct na_tcp *tcp;
	int64_t now_ns = 0;

	na_addresses_init(&ends, &sink);
	tcp = na_tcp_new(&(struct na_tcp_options){
		.limits = &few,
		.wants = NA_WANT_CONNECTIONS | NA_WANT_SEGMENTS,
		.segments_of = 1,
		.user = &user,
		.sink = &sink,
		.addresses = &ends,
	});

	must(tcp);
	for (; size >= PACKET_BYTES; size -= PACKET_BYTES) {
		take(&t, tcp, data, &now_ns);
		data += PACKET_BYTES;
	}
	must(na_tcp_finish(tcp) == NA_OK);
	na_tcp_free(tcp);
	na_addresses_fini(&ends);
	must(t.users == t.closed);
	must(t.told_packets == t.packets && t.told_bytes == t.bytes &&
	     t.told_wire_bytes == t.wire_bytes);
	return 0;
}
