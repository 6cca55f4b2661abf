/*
 * Any bytes as the segments of one connection, both ways.  The first byte
 * says how it begins; then each segment: a control byte, a length, bytes.
 *
 *	control: 1 direction, 2 hole before it, 4 sent again, 8 acknowledges
 *	all of the other side, 16 cut short by the snap length, 32 longer
 *
 * Whatever comes out must be possible.  With nothing lost, byte by byte must
 * give the same calls.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/bytes/cursor.h"
#include "ingest/calls/calls.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STREAMS = 16, NAMES = 8, HELD = 4096, TABLES = 16384 };

static const struct na_call_limits small = {
	.streams = STREAMS,
	.table_bytes = 4096,
	.tables_bytes = TABLES,
	.blocks_bytes = 4096,
	.held_bytes = HELD,
	.names = NAMES,
	.probed_bytes = 1 << 20,
};

struct run {
	uint64_t calls, ended, sum; /* sum: of what was told, in any order */
	uint64_t n_names;
	int64_t now_ps;
};

static uint32_t name(void *ctx, const char *s, size_t n)
{
	uint32_t h = 1;

	(void)ctx;
	for (size_t i = 0; i < n; i++)
		h = h * 31 + (uint8_t)s[i];
	return h & 0xffffff;
}

static enum na_status call(void *ctx, const struct na_call *c)
{
	struct run *r = ctx;

	walk_must(c->stream % 2 == 1);
	walk_must(c->start_ps >= 0 && c->start_ps <= r->now_ps);
	walk_must(c->end_ps == NA_UNKNOWN_PS ||
		  (c->end_ps >= 0 && c->end_ps <= r->now_ps));
	walk_must(c->first_ps == NA_UNKNOWN_PS ||
		  (c->first_ps >= 0 && c->first_ps <= r->now_ps));
	walk_must(c->src != c->dst);
	r->calls++;
	r->sum += (c->bytes_req * 3 + c->bytes_resp * 5 + c->messages_req * 7U +
		   c->messages_resp * 11U + (uint32_t)c->http_status +
		   (uint32_t)c->grpc_status + c->method + c->reset) *
		  (c->stream * UINT64_C(0x9e3779b97f4a7c15));
	return NA_OK;
}

static enum na_status transfer(void *ctx, const struct na_transfer *t)
{
	(void)ctx;
	walk_must(t->klass == NA_VALID ? t->end_ps > t->start_ps
				       : t->end_ps == t->start_ps);
	walk_must(t->size_bytes < UINT64_C(1) << 40);
	return NA_OK;
}

static void bytes(struct na_tcp_user *user, void **state, struct run *r,
		  struct na_tcp_packet *x, const uint8_t *p, size_t n,
		  size_t wire)
{
	static const struct na_address ends[2] = {{{1}, 4}, {{2}, 4}};
	uint8_t *copy = malloc(n + !n);
	struct na_packet packet = {.kind = NA_PACKET_TCP,
				   .payload = copy,
				   .payload_bytes = (uint32_t)wire,
				   .payload_captured = (uint32_t)n};

	if (!copy)
		abort();
	if (n)
		memcpy(copy, p, n);
	r->now_ps += 1000;
	packet.time_ns = r->now_ps / 1000;
	packet.flags = wire ? NA_TCP_ACK : NA_TCP_SYN;
	x->p = &packet;
	for (int i = 0; i < 2; i++) {
		x->ends[i] = &ends[i];
		x->ports[i] = (uint16_t)(1000 + i);
	}
	walk_must(user->packet(user->ctx, state, x) == NA_OK);
	free(copy);
}

/* `single`: in order, byte by byte. */
static void run(struct run *r, struct na_capture_counts *counts,
		struct na_cursor c, bool lossless, bool single)
{
	struct na_sink sink = {.ctx = r,
			       .call = call,
			       .transfer = transfer,
			       .name = name,
			       .address = name};
	struct na_addresses ends;
	struct na_calls_options o = {.limits = &small,
				     .idle_gap_ns = NA_IDLE_GAP_NS,
				     .estimates = true,
				     .sink = &sink,
				     .addresses = &ends};
	struct na_calls *calls;
	struct na_tcp_user user;
	struct na_tcp_packet x = {.dir = 0};
	uint64_t next[2] = {1, 1};
	void *state = NULL;
	bool syn;

	na_addresses_init(&ends, &sink);
	calls = na_calls_new(&o);
	if (!calls)
		abort();
	user = na_calls_user(calls);
	syn = lossless || (na_left(&c) && c.p[0] & 1);
	na_skip(&c, 1);
	if (syn)
		bytes(&user, &state, r, &x, NULL, 0, 0);
	x.mid_stream = !syn;
	while (na_left(&c) > 2) {
		uint8_t how = c.p[0];
		size_t n = c.p[1] * (how & 32 ? 16U : 1U), k;
		struct na_cursor part = {0};

		na_skip(&c, 2);
		if (n > na_left(&c))
			n = na_left(&c);
		na_sub(&c, n, &part);
		x.dir = how & 1;
		x.ack = how & 8 && !lossless ? next[!x.dir] : 0;
		x.seq = next[x.dir];
		if (!lossless && how & 2)
			x.seq += (how >> 6) + 1U;
		if (!lossless && how & 4)
			x.seq -= x.seq > n / 2 ? n / 2 : 0;
		k = !lossless && how & 16 ? n / 2 : n;
		if (x.seq + n > next[x.dir])
			next[x.dir] = x.seq + n;
		for (size_t i = 0; single && i < n; i++) {
			bytes(&user, &state, r, &x, part.p + i, 1, 1);
			x.seq++;
		}
		if (!single && n)
			bytes(&user, &state, r, &x, part.p, k, n);
	}
	user.close(user.ctx, &state, 0);
	walk_must(!state && na_calls_status(calls) == NA_OK);
	na_calls_counts(calls, counts);
	walk_must(counts->rpcs == r->calls);
	na_calls_free(calls);
	na_addresses_fini(&ends);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_cursor c = na_cursor_of(data, size);
	struct na_capture_counts counts = {0}, one = {0}, all = {0};
	struct run r = {0}, a = {0}, b = {0};

	if (walk_way(size, 3)) {
		run(&r, &counts, c, false, false);
		return 0;
	}
	run(&a, &all, c, true, false);
	run(&b, &one, c, true, true);
	/* A late preface is seen at the start of a segment only. */
	if (all.http2_connections == one.http2_connections &&
	    !all.http2_mid_stream && !all.http2_damaged && !all.limits_hit &&
	    !one.http2_mid_stream && !one.http2_damaged && !one.limits_hit)
		walk_must(a.calls == b.calls && a.sum == b.sum);
	return 0;
}
