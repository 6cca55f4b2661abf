#include "ingest/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/bytes/stream.h"
#include "ingest/calls/exchange.h"
#include "ingest/calls/open_calls.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

const struct na_call_limits na_call_limits = {
	.streams = 16384,
	.table_bytes = 64 << 10,
	.tables_bytes = 10 << 20,
	.blocks_bytes = 1 << 20,
	.held_bytes = 2 << 20,
	.names = 4096,
	.probed_bytes = 128 << 10,
};

/*
 * Where the client's SYN was seen, HTTP/2 is what begins with the preface.
 * Without it the frames themselves must tell (frames.h); after so many bytes
 * that are not, only a preface at the start of a segment does (an upgrade
 * from HTTP/1.1 has one, too).
 */
enum mode { PREFACE, PROBE, PLAIN, HTTP2 };

struct reading { /* of a connection's bytes; a plain one has none */
	struct na_stream streams[2];
	struct na_frame_probe probes[2];
	struct na_http2 http2[2];
	struct na_call_owner owner;
	struct reading *older, *newer; /* of those with header tables */
	uint64_t probed_bytes;         /* in vain */
	uint8_t matched;               /* bytes of the preface */
	bool listed;
};

struct conn {
	struct reading *r;
	struct na_exchange exchange;
	uint64_t highest[2]; /* first byte not seen yet */
	bool seen[2];
	uint8_t mode;
	uint8_t client; /* direction */
	uint16_t server_port;
	uint32_t id;
	uint32_t ends[2];    /* endpoints, by direction; of those told */
	uint32_t collective; /* of estimates */
};

struct na_calls {
	const struct na_call_limits *limits;
	const struct na_sink *sink;
	struct na_addresses *addresses;
	struct na_stream_store streams;
	struct na_http2_store http2;
	struct na_open_calls *open;
	const struct na_calls_watch *watch;
	struct reading *oldest, *newest;
	int64_t zero_ns, gap_ps;
	uint64_t rpcs, connections, mid_stream, damaged, exchanges, limits_hit;
	enum na_status failed;
	bool estimates;
};

/* Who sent the SYN, before there are bytes: no memory for connections that
 * carry none.  The last two: only its answer was seen. */
static const struct conn marks[4] = {{.client = 0},
				     {.client = 1},
				     {.client = 1},
				     {.client = 0}};

static bool is_mark(const struct conn *c)
{
	return (uintptr_t)c - (uintptr_t)marks < sizeof(marks);
}

static struct conn *mark_of(uint8_t dir, bool ack)
{
	return (struct conn *)(uintptr_t)(marks + 2 * ack + dir);
}

struct na_calls *na_calls_new(const struct na_calls_options *o)
{
	struct na_calls *c = na_calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->limits = o->limits;
	c->sink = o->sink;
	c->addresses = o->addresses;
	c->zero_ns = o->zero_ns;
	if (!na_mul_i64(o->idle_gap_ns, NA_PS_PER_NS, &c->gap_ps))
		c->gap_ps = INT64_MAX;
	c->estimates = o->estimates;
	c->watch = o->watch;
	c->streams.max_held_bytes = o->limits->held_bytes;
	c->http2.max_block_bytes = o->limits->blocks_bytes;
	c->http2.table_bytes = o->limits->table_bytes;
	c->open = na_open_calls_new(o->limits->streams, o->limits->names,
				    o->sink);
	if (!c->open) {
		free(c);
		return NULL;
	}
	return c;
}

void na_calls_free(struct na_calls *c)
{
	if (!c)
		return;
	na_open_calls_free(c->open);
	free(c);
}

enum na_status na_calls_status(const struct na_calls *c)
{
	return c->failed;
}

/* ---- header tables, least recently used first */

static void unlist(struct na_calls *c, struct reading *r)
{
	if (!r->listed)
		return;
	*(r->older ? &r->older->newer : &c->oldest) = r->newer;
	*(r->newer ? &r->newer->older : &c->newest) = r->older;
	r->older = r->newer = NULL;
	r->listed = false;
}

static void bound_tables(struct na_calls *c, struct reading *r)
{
	if (c->newest != r) {
		unlist(c, r);
		r->older = c->newest;
		*(c->newest ? &c->newest->newer : &c->oldest) = r;
		c->newest = r;
		r->listed = true;
	}
	while (c->oldest && c->http2.tables_used > c->limits->tables_bytes) {
		struct reading *old = c->oldest;

		c->limits_hit++;
		unlist(c, old);
		na_http2_forget_table(&old->http2[0]);
		na_http2_forget_table(&old->http2[1]);
	}
}

/* ---- one packet's bytes */

struct turn {
	struct na_calls *c;
	struct conn *conn;
	const struct na_tcp_packet *x;
	int64_t at_ps;
	uint8_t dir;
	struct na_call_event event; /* the last */
};

static struct na_call_event *event_of(struct turn *t, uint32_t stream)
{
	t->event = (struct na_call_event){&t->conn->r->owner,
					  t->dir,
					  stream,
					  t->conn->r->streams[t->dir].at_ps,
					  t->x->setbacks,
					  {t->x->leg_ns[0], t->x->leg_ns[1]},
					  t->c->watch};
	return &t->event;
}

static enum na_status on_headers(void *ctx, uint32_t stream,
				 const struct na_http2_fields *f,
				 bool end_stream)
{
	struct turn *t = ctx;
	struct na_call_event *e = event_of(t, stream);

	e->at_ps = f->at;
	return na_open_calls_headers(t->c->open, e, f, end_stream);
}

static enum na_status on_data(void *ctx, uint32_t stream, const uint8_t *p,
			      size_t n)
{
	struct turn *t = ctx;

	return na_open_calls_data(t->c->open, event_of(t, stream), p, n);
}

static enum na_status on_end(void *ctx, uint32_t stream)
{
	struct turn *t = ctx;

	return na_open_calls_end(t->c->open, event_of(t, stream));
}

static enum na_status on_reset(void *ctx, uint32_t stream)
{
	struct turn *t = ctx;

	return na_open_calls_reset(t->c->open, event_of(t, stream));
}

static struct na_http2_user http2_user(struct turn *t)
{
	return (struct na_http2_user){
		t,      on_headers, on_data,
		on_end, on_reset,   t->conn->r->streams[t->dir].at_ps,
		t->c->watch,
	};
}

static enum na_status http2_bytes(struct turn *t, const uint8_t *p, size_t n,
				  bool starts, bool whole)
{
	struct na_http2_user user = http2_user(t);

	return n ? na_http2_bytes(&t->conn->r->http2[t->dir], &t->c->http2,
				  &user, p, n, starts, whole)
		 : NA_OK;
}

static void name_ends(struct na_calls *c, struct conn *conn,
		      const struct na_tcp_packet *x)
{
	for (int i = 0; i < 2; i++)
		conn->ends[i] = na_addresses_endpoint(c->addresses, x->ends[i]);
}

/* It is HTTP/2.  What was estimated of it so far is not told. */
static void claim(struct turn *t, bool by_preface)
{
	struct reading *r = t->conn->r;

	name_ends(t->c, t->conn, t->x);
	t->conn->mode = HTTP2;
	t->conn->exchange.open = false;
	na_call_owner_init(&r->owner);
	r->owner.connection = t->conn->id;
	r->owner.ends[0] = t->conn->ends[0];
	r->owner.ends[1] = t->conn->ends[1];
	t->c->connections++;
	t->c->mid_stream += !by_preface;
	if (by_preface) {
		r->owner.client = (int8_t)t->dir;
		na_http2_begin(&r->http2[t->dir]);
	} else {
		na_http2_join(&r->http2[t->dir], &r->probes[t->dir]);
	}
	/* A server that has said nothing yet begins with a frame. */
	if (by_preface && !r->streams[!t->dir].started)
		na_http2_begin(&r->http2[!t->dir]);
	else
		na_http2_join(&r->http2[!t->dir], &r->probes[!t->dir]);
	/* One that spoke first, in pieces that do not show where its frames
	 * begin: what it said is lost. */
	if (by_preface && !r->http2[!t->dir].in_step)
		r->http2[!t->dir].damaged = true;
}

static void watch_preface(const struct turn *t, const uint8_t *end)
{
	const struct na_calls_watch *to = t->c->watch;

	if (to)
		to->matters(to->ctx, end, na_http2_preface, NA_PREFACE_BYTES);
}

static bool is_preface(const uint8_t *p, size_t n)
{
	return n >= NA_PREFACE_BYTES && p[0] == na_http2_preface[0] &&
	       memcmp(p, na_http2_preface, NA_PREFACE_BYTES) == 0;
}

static enum na_status preface_bytes(struct turn *t, const uint8_t *p, size_t n,
				    bool whole)
{
	struct reading *r = t->conn->r;
	size_t k = NA_PREFACE_BYTES - r->matched;

	k = n < k ? n : k;
	if (memcmp(p, na_http2_preface + r->matched, k) != 0) {
		t->conn->mode = PLAIN;
		return NA_OK;
	}
	r->matched = (uint8_t)(r->matched + k);
	if (r->matched < NA_PREFACE_BYTES)
		return NA_OK;
	claim(t, true);
	watch_preface(t, p + k);
	return http2_bytes(t, p + k, n - k, false, whole);
}

/* n more bytes that told nothing; the server's, too, while its client has said
 * nothing: one of HTTP/2 may not say much then. */
static void give_up(struct turn *t, uint64_t n)
{
	t->conn->r->probed_bytes += n;
	if (t->conn->r->probed_bytes > t->c->limits->probed_bytes)
		t->conn->mode = PLAIN;
}

static enum na_status probe_bytes(struct turn *t, const uint8_t *p, size_t n,
				  bool starts, bool whole)
{
	struct reading *r = t->conn->r;
	size_t from;

	if (starts && is_preface(p, n)) {
		claim(t, true);
		watch_preface(t, p + NA_PREFACE_BYTES);
		return http2_bytes(t, p + NA_PREFACE_BYTES,
				   n - NA_PREFACE_BYTES, false, whole);
	}
	na_frame_probe(&r->probes[t->dir], p, n, starts, whole, &from);
	if (r->probes[0].points + r->probes[1].points < NA_PROBE_POINTS) {
		give_up(t, n);
		return NA_OK;
	}
	claim(t, false);
	if (from == n)
		return NA_OK;
	r->http2[t->dir] = (struct na_http2){.in_step = true};
	return http2_bytes(t, p + from, n - from, starts && !from, whole);
}

static void watch_reads(const struct turn *t, const uint8_t *p)
{
	const struct na_calls_watch *to = t->c->watch;
	struct reading *r = t->conn->r;

	r->probes[t->dir].watch = to;
	if (to)
		to->reads(to->ctx, t->conn->id, t->dir, r->streams[t->dir].at,
			  p);
}

static enum na_status on_bytes(void *ctx, const uint8_t *p, size_t n,
			       bool starts, bool whole)
{
	struct turn *t = ctx;
	struct conn *conn = t->conn;
	size_t from;

	watch_reads(t, p);
	switch (conn->mode) {
	case HTTP2:
		return http2_bytes(t, p, n, starts, whole);
	case PROBE:
		return probe_bytes(t, p, n, starts, whole);
	case PREFACE:
		if (t->dir == conn->client)
			return preface_bytes(t, p, n, whole);
		na_frame_probe(&conn->r->probes[t->dir], p, n, starts, whole,
			       &from);
		give_up(t, n);
	}
	return NA_OK;
}

static enum na_status on_gap(void *ctx, uint64_t n)
{
	struct turn *t = ctx;
	struct conn *conn = t->conn;
	struct na_http2_user user = http2_user(t);

	watch_reads(t, NULL);
	switch (conn->mode) {
	case HTTP2:
		return na_http2_gap(&conn->r->http2[t->dir], &t->c->http2,
				    &user, n);
	case PREFACE:
		na_frame_probe_gap(&conn->r->probes[t->dir], n);
		if (t->dir == conn->client)
			conn->mode = PROBE; /* its beginning is lost */
		else
			give_up(t, n);
		break;
	case PROBE:
		na_frame_probe_gap(&conn->r->probes[t->dir], n);
	}
	return NA_OK;
}

/* ---- estimates */

static enum na_status tell(struct na_calls *c, struct conn *conn,
			   const struct na_exchange *x)
{
	c->exchanges += x->answered;
	return na_exchange_tell(x, c->sink, conn->ends, conn->server_port,
				&conn->collective);
}

/* The client has begun, and its first bytes are not all here. */
static bool may_be_http2(const struct conn *conn)
{
	return conn->mode == PREFACE &&
	       (conn->r->matched || conn->r->streams[conn->client].first);
}

static enum na_status estimate(struct turn *t, uint64_t n)
{
	struct na_exchange done;

	if (!na_exchange_add(&t->conn->exchange, t->dir,
			     t->dir == t->conn->client, n, t->at_ps,
			     t->c->gap_ps, &done) ||
	    may_be_http2(t->conn))
		return NA_OK;
	return tell(t->c, t->conn, &done);
}

/* ---- connections */

static void end_reading(struct na_calls *c, struct conn *conn)
{
	struct reading *r = conn->r;

	if (!r)
		return;
	unlist(c, r);
	for (int i = 0; i < 2; i++) {
		na_stream_fini(&r->streams[i], &c->streams);
		na_http2_fini(&r->http2[i], &c->http2);
	}
	free(r);
	conn->r = NULL;
}

static struct conn *new_conn(struct na_calls *c, const struct conn *mark,
			     const struct na_tcp_packet *x)
{
	struct conn *conn = na_calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->id = x->connection;
	conn->collective = NA_UNKNOWN_U32;
	if (c->estimates)
		name_ends(c, conn, x);
	if (mark)
		conn->client = mark->client;
	else if (x->ports[0] == x->ports[1])
		conn->client = x->dir;
	else
		conn->client = x->ports[1] > x->ports[0];
	conn->server_port = x->ports[!conn->client];
	conn->mode = mark && mark < marks + 2 ? PREFACE : PROBE;
	if (conn->mode == PREFACE && x->dir == conn->client) {
		if (x->mid_stream)
			conn->mode = PROBE;
		else if (x->seq == 1 && x->p->payload_captured &&
			 x->p->payload[0] != na_http2_preface[0])
			conn->mode = PLAIN;
	}
	return conn;
}

/* So that the bytes of the connection are read, from this packet on. */
static bool begin_reading(struct conn *conn, const struct na_tcp_packet *x)
{
	bool late = conn->mode == PLAIN;
	uint64_t seen = conn->seen[!x->dir] ? conn->highest[!x->dir] : 0;
	uint64_t other = x->other > seen ? x->other : seen;

	if (conn->r ||
	    (late && !is_preface(x->p->payload, x->p->payload_captured)))
		return true;
	conn->r = na_calloc(1, sizeof(*conn->r));
	if (!conn->r || !late)
		return conn->r != NULL;
	conn->mode = PROBE;
	na_stream_start(&conn->r->streams[x->dir], x->seq);
	if (other) /* a plain one may not have been told of all packets */
		na_stream_start(&conn->r->streams[!x->dir], other);
	return true;
}

static void watch_over(const struct na_calls *c, const struct conn *conn)
{
	if (c->watch)
		c->watch->over(c->watch->ctx, conn->id, conn->mode == HTTP2);
}

static enum na_status read_bytes(struct turn *t, const struct na_tcp_packet *x)
{
	struct na_calls *c = t->c;
	struct reading *r = t->conn->r;
	struct na_stream_user user = {t, on_bytes, on_gap};
	struct na_piece piece = {
		.seq = x->seq,
		.p = x->p->payload,
		.captured = x->p->payload_captured,
		.wire = x->p->payload_bytes,
		.at_ps = t->at_ps,
	};
	struct na_stream *s = &r->streams[x->dir];
	enum na_status status;

	if (piece.captured > piece.wire)
		piece.captured = piece.wire;
	if (!s->started && piece.wire && !x->mid_stream &&
	    t->conn->mode != PROBE)
		na_stream_start(s, 1);
	status = na_stream_push(s, &c->streams, &piece, &user);
	if (status == NA_OK && x->ack) {
		t->dir = !x->dir;
		status = na_stream_ack(&r->streams[t->dir], &c->streams, x->ack,
				       &user);
		t->dir = x->dir;
	}
	if (t->conn->mode == PLAIN) {
		end_reading(c, t->conn);
		watch_over(c, t->conn);
	} else if (r->http2[0].hpack || r->http2[1].hpack) {
		bound_tables(c, r);
	}
	return status;
}

static void say_needs(const struct na_calls *c, const struct conn *conn,
		      const struct na_tcp_packet *x)
{
	if (!x->needs || !conn)
		return;
	*x->needs = !is_mark(conn) && conn->r       ? NA_TCP_NEEDS_ALL
		    : is_mark(conn) || c->estimates ? NA_TCP_NEEDS_PAYLOAD
						    : NA_TCP_NEEDS_OPENING;
}

static enum na_status on_packet(void *ctx, void **user,
				const struct na_tcp_packet *x)
{
	struct turn t = {.c = ctx, .conn = *user, .x = x, .dir = x->dir};
	struct na_calls *c = ctx;
	enum na_status status = NA_OK;
	bool syn = x->p->flags & NA_TCP_SYN, ack = x->p->flags & NA_TCP_ACK;
	bool moved = false;
	uint64_t n = 0;

	if (c->failed != NA_OK)
		return c->failed;
	if (syn && !t.conn)
		*user = t.conn = mark_of(x->dir, ack);
	if ((!t.conn || is_mark(t.conn)) && !x->p->payload_bytes) {
		say_needs(c, t.conn, x);
		return NA_OK;
	}
	if (!na_ps_since(x->p->time_ns, c->zero_ns, &t.at_ps))
		return NA_OK;
	if (!t.conn || is_mark(t.conn)) {
		t.conn = new_conn(c, t.conn, x);
		if (!t.conn)
			return NA_ENOMEM;
		*user = t.conn;
	}
	if (x->p->payload_bytes) {
		moved = na_exchange_fresh(t.conn->highest, t.conn->seen, x, &n);
		if (!begin_reading(t.conn, x))
			return NA_ENOMEM;
	}
	if (t.conn->r && c->watch && x->p->payload_bytes)
		c->watch->segment(c->watch->ctx, t.conn->id, x->dir, x->seq);
	if (t.conn->r)
		status = read_bytes(&t, x);
	if (status == NA_OK && moved && c->estimates && t.conn->mode != HTTP2)
		status = estimate(&t, n);
	say_needs(c, t.conn, x);
	return status;
}

static uint64_t on_close(void *ctx, void **user, uint32_t connection)
{
	struct na_calls *c = ctx;
	struct conn *conn = *user;
	enum na_status status = NA_OK;
	uint64_t calls = 0;

	(void)connection;
	*user = NULL;
	if (!conn || is_mark(conn))
		return 0;
	if (conn->mode == HTTP2) {
		calls = conn->r->owner.calls;
		c->rpcs += calls;
		c->damaged += conn->r->http2[0].damaged ||
			      conn->r->http2[1].damaged;
		status = na_open_calls_close(c->open, &conn->r->owner);
	} else if (conn->exchange.open && c->estimates) {
		status = tell(c, conn, &conn->exchange);
	}
	if (c->failed == NA_OK)
		c->failed = status;
	watch_over(c, conn);
	end_reading(c, conn);
	free(conn);
	return calls;
}

static uint64_t calls_of(void *ctx, const void *user)
{
	const struct conn *conn = user;

	(void)ctx;
	return conn && !is_mark(conn) && conn->mode == HTTP2
		       ? conn->r->owner.calls
		       : 0;
}

struct na_tcp_user na_calls_user(struct na_calls *c)
{
	return (struct na_tcp_user){c, on_packet, on_close, na_http2_preface[0],
				    calls_of};
}

void na_calls_counts(const struct na_calls *c, struct na_capture_counts *out)
{
	out->rpcs += c->rpcs;
	out->http2_connections += c->connections;
	out->http2_mid_stream += c->mid_stream;
	out->http2_damaged += c->damaged;
	out->exchanges += c->exchanges;
	out->limits_hit += c->limits_hit + c->streams.limits_hit +
			   c->http2.limits_hit +
			   na_open_calls_limits_hit(c->open);
}
