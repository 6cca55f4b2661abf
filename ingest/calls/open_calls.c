#include "ingest/calls/open_calls.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/bytes/cursor.h"
#include "ingest/capture/addresses.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

enum { NONE = NA_UNKNOWN_U32, MESSAGE_HEAD = 5 };

/* gRPC's length-prefixed messages: | compressed 8 | length 32 | message */
struct messages {
	uint32_t left;
	uint8_t head[MESSAGE_HEAD], have;
	bool lost; /* the capture lost a header */
};

struct open_call {
	struct na_call c;
	struct na_call_owner *owner;
	uint32_t chain;        /* next of the same slot, or free */
	uint32_t newer, older; /* over all connections */
	uint32_t prev, next;   /* of its connection */
	struct messages messages[2];
	uint64_t setbacks;  /* of the connection when it began */
	bool grpc, done[2]; /* END_STREAM: of the request, of the response */
};

struct na_open_calls {
	const struct na_sink *sink;
	struct open_call *calls;
	size_t n, cap, max_open, max_names;
	uint32_t *slots;
	size_t n_slots;
	uint64_t key;
	uint32_t free, oldest, newest;
	struct na_strtab names;
	uint64_t limits_hit;
};

struct na_open_calls *na_open_calls_new(size_t max_open, size_t max_names,
					const struct na_sink *sink)
{
	struct na_open_calls *o = na_calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->sink = sink;
	o->key = na_hash_key();
	o->max_open = max_open;
	o->max_names = max_names;
	o->free = o->oldest = o->newest = NONE;
	return o;
}

void na_open_calls_free(struct na_open_calls *o)
{
	if (!o)
		return;
	na_strtab_fini(&o->names);
	free(o->calls);
	free(o->slots);
	free(o);
}

uint64_t na_open_calls_limits_hit(const struct na_open_calls *o)
{
	return o->limits_hit;
}

void na_call_owner_init(struct na_call_owner *w)
{
	*w = (struct na_call_owner){.client = -1, .first = NONE};
}

/* ---- the table */

static size_t slot_of(const struct na_open_calls *o, uint32_t connection,
		      uint32_t stream)
{
	uint64_t h = na_hash_mix(o->key ^ ((uint64_t)connection << 32 | stream),
				 0x9e3779b97f4a7c15);

	return (size_t)h & (o->n_slots - 1);
}

static struct open_call *find(const struct na_open_calls *o,
			      const struct na_call_event *e)
{
	uint32_t i;

	if (!o->n_slots || e->owner->first == NONE)
		return NULL;
	i = o->slots[slot_of(o, e->owner->connection, e->stream)];
	while (i != NONE && (o->calls[i].owner != e->owner ||
			     o->calls[i].c.stream != e->stream))
		i = o->calls[i].chain;
	return i == NONE ? NULL : o->calls + i;
}

static void into_slot(struct na_open_calls *o, uint32_t i)
{
	const struct na_call *c = &o->calls[i].c;
	size_t s = slot_of(o, c->connection, c->stream);

	o->calls[i].chain = o->slots[s];
	o->slots[s] = i;
}

/* As many slots as calls; all are in use when this is called. */
static bool more_slots(struct na_open_calls *o)
{
	size_t n = o->n_slots ? o->n_slots * 2 : 64;
	uint32_t *slots = malloc(n * sizeof(*slots));

	if (!slots)
		return false;
	free(o->slots);
	o->slots = slots;
	o->n_slots = n;
	memset(slots, 255, n * sizeof(*slots));
	for (uint32_t i = 0; i < o->n; i++)
		into_slot(o, i);
	return true;
}

static void unlink_call(struct na_open_calls *o, uint32_t i)
{
	struct open_call *x = o->calls + i;
	uint32_t *at = o->slots + slot_of(o, x->c.connection, x->c.stream);

	while (*at != i)
		at = &o->calls[*at].chain;
	*at = x->chain;
	*(x->older == NONE ? &o->oldest : &o->calls[x->older].newer) = x->newer;
	*(x->newer == NONE ? &o->newest : &o->calls[x->newer].older) = x->older;
	*(x->prev == NONE ? &x->owner->first
			  : &o->calls[x->prev].next) = x->next;
	if (x->next != NONE)
		o->calls[x->next].prev = x->prev;
	x->chain = o->free;
	o->free = i;
}

static void link_call(struct na_open_calls *o, uint32_t i)
{
	struct open_call *x = o->calls + i;

	into_slot(o, i);
	x->newer = NONE;
	x->older = o->newest;
	*(o->newest == NONE ? &o->oldest : &o->calls[o->newest].newer) = i;
	o->newest = i;
	x->prev = NONE;
	x->next = x->owner->first;
	if (x->next != NONE)
		o->calls[x->next].prev = i;
	x->owner->first = i;
}

/* ---- to the sink */

static enum na_status tell(struct na_open_calls *o, const struct open_call *x)
{
	const struct na_sink *sink = o->sink;
	const struct na_call *c = &x->c;
	const char *type = x->grpc ? "gRPC" : "HTTP/2";
	bool ended = c->end_ps != NA_UNKNOWN_PS,
	     valid = c->end_ps > c->start_ps;
	bool back = ended && c->end_ps < c->start_ps;
	struct na_transfer t = {
		.start_ps = c->start_ps,
		.end_ps = valid ? c->end_ps : c->start_ps,
		NA_TRANSFER_OF_CAPTURE,
		.size_bytes = c->bytes_req + c->bytes_resp,
		.src = c->src,
		.dst = c->dst,
		.collective = c->method,
		.klass = back ? NA_CLOCK_SKEW
			      : (valid ? NA_VALID : NA_NO_LATENCY),
		.style = NA_STYLE_CAPTURE,
		.component = NA_COMP_RPC,
	};
	enum na_status status = sink->call(sink->ctx, c);

	if (status != NA_OK)
		return status;
	if (c->method == NA_UNKNOWN_U32)
		t.collective = sink->name(sink->ctx, "unknown", 7);
	t.type = sink->name(sink->ctx, type, strlen(type));
	return sink->transfer(sink->ctx, &t);
}

static enum na_status finish(struct na_open_calls *o, uint32_t i)
{
	unlink_call(o, i);
	return tell(o, o->calls + i);
}

static enum na_status evict(struct na_open_calls *o)
{
	const struct na_call *c = &o->calls[o->oldest].c;

	/* One that only waits for the end of its request loses nothing; one
	 * that its client gave up seldom does. */
	o->limits_hit += c->end_ps == NA_UNKNOWN_PS && !c->reset;
	return finish(o, o->oldest);
}

/* ---- a request */

static uint32_t method_of(struct na_open_calls *o,
			  const struct na_http2_fields *f)
{
	const struct na_sink *sink = o->sink;
	bool known, room = o->names.n < o->max_names;

	if (f->path_bytes) {
		known = na_strtab_find(&o->names, f->path, f->path_bytes) !=
			NA_NO_NAME;
		if (known ||
		    (room && na_strtab_add(&o->names, f->path, f->path_bytes) !=
				     NA_NO_NAME))
			return sink->name(sink->ctx, f->path, f->path_bytes);
	} else if (!f->path_too_long) {
		return NA_UNKNOWN_U32;
	}
	o->limits_hit++;
	return sink->name(sink->ctx, "other", 5);
}

static enum na_status place(struct na_open_calls *o, uint32_t *i)
{
	enum na_status status = NA_OK;

	if (o->free == NONE && o->n == o->max_open) {
		status = evict(o);
		if (status != NA_OK)
			return status;
	}
	if (o->free != NONE) {
		*i = o->free;
		o->free = o->calls[*i].chain;
		return NA_OK;
	}
	if (!na_grow(&o->calls, &o->cap, o->n + 1, sizeof(*o->calls)) ||
	    (o->n == o->n_slots && !more_slots(o)))
		return NA_ENOMEM;
	*i = (uint32_t)o->n++;
	return NA_OK;
}

static enum na_status open_call(struct na_open_calls *o,
				const struct na_call_event *e,
				const struct na_http2_fields *f,
				bool end_stream)
{
	struct na_call_owner *w = e->owner;
	enum na_status status;
	uint32_t i;

	status = place(o, &i);
	if (status != NA_OK)
		return status;
	o->calls[i] = (struct open_call){
		.c = {.start_ps = e->at_ps,
		      .first_ps = NA_UNKNOWN_PS,
		      .end_ps = NA_UNKNOWN_PS,
		      .src = w->ends[w->client],
		      .dst = w->ends[!w->client],
		      .method = method_of(o, f),
		      .connection = w->connection,
		      .stream = e->stream,
		      .http_status = NA_UNKNOWN_I32,
		      .grpc_status = NA_UNKNOWN_I32},
		.owner = w,
		.setbacks = e->setbacks,
		.grpc = f->grpc,
		.done = {end_stream, false},
	};
	link_call(o, i);
	w->calls++;
	if (e->stream > w->newest)
		w->newest = e->stream;
	return NA_OK;
}

/* ---- events */

static bool is_response(const struct na_call_event *e)
{
	return e->dir != e->owner->client;
}

/* END_STREAM of one side. */
static enum na_status side_done(struct na_open_calls *o, struct open_call *x,
				const struct na_call_event *e)
{
	bool response = is_response(e);

	x->done[response] = true;
	if (response) {
		uint64_t n = e->setbacks > x->setbacks
				     ? e->setbacks - x->setbacks
				     : 0;

		x->c.setbacks = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
		x->c.leg_ns = e->leg_ns[e->owner->client];
	}
	if (response && x->c.end_ps == NA_UNKNOWN_PS)
		x->c.end_ps = e->at_ps;
	return x->done[1] && (x->done[0] || x->c.reset)
		       ? finish(o, (uint32_t)(x - o->calls))
		       : NA_OK;
}

/* Who is the client, where nobody saw the preface. */
static void learn_client(const struct na_call_event *e,
			 const struct na_http2_fields *f)
{
	if (e->owner->client >= 0)
		return;
	if (f->method)
		e->owner->client = (int8_t)e->dir;
	else if (f->status != NA_UNKNOWN_I32)
		e->owner->client = !e->dir;
}

/* Without a status that is known they may be trailers whose first headers
 * were lost, or informational: no first byte then. */
static void response(struct open_call *x, const struct na_call_event *e,
		     const struct na_http2_fields *f)
{
	if (x->c.first_ps == NA_UNKNOWN_PS && f->status != NA_UNKNOWN_I32)
		x->c.first_ps = e->at_ps;
	if (x->c.http_status == NA_UNKNOWN_I32)
		x->c.http_status = f->status;
	if (f->grpc_status != NA_UNKNOWN_I32)
		x->c.grpc_status = f->grpc_status;
	x->grpc |= f->grpc;
}

enum na_status na_open_calls_headers(struct na_open_calls *o,
				     const struct na_call_event *e,
				     const struct na_http2_fields *f,
				     bool end_stream)
{
	struct open_call *x = find(o, e);
	bool informational = f->status >= 100 && f->status < 200;

	learn_client(e, f);
	if (e->owner->client < 0)
		return NA_OK;
	if (is_response(e)) {
		if (!x || informational)
			return NA_OK;
		response(x, e, f);
	} else if (!x) {
		/* A request, or trailers of one that began before. */
		if (e->stream % 2 == 0 ||
		    (!f->method &&
		     !(f->unknown && e->stream > e->owner->newest)))
			return NA_OK;
		return open_call(o, e, f, end_stream);
	}
	return end_stream ? side_done(o, x, e) : NA_OK;
}

/* Message headers among n bytes of DATA; p NULL: lost. */
static uint32_t count_messages(struct messages *m, const uint8_t *p, size_t n,
			       const struct na_calls_watch *watch)
{
	struct na_cursor c = na_cursor_of(p, p ? n : 0);
	uint32_t found = 0;

	if (!p) {
		m->lost |= n > m->left;
		m->left -= m->lost ? m->left : (uint32_t)n;
	}
	while (na_left(&c) && !m->lost) {
		size_t k = na_left(&c) < m->left ? na_left(&c) : m->left;
		const uint8_t *from;
		bool whole;

		na_skip(&c, k);
		m->left -= (uint32_t)k;
		if (!na_left(&c))
			break;
		from = c.p;
		whole = na_collect(&c, m->head, MESSAGE_HEAD, &m->have);
		if (watch)
			watch->matters(watch->ctx, c.p, from,
				       (size_t)(c.p - from));
		if (!whole)
			break;
		found++;
		m->have = 0;
		m->left = na_be32(m->head + 1);
	}
	return found;
}

enum na_status na_open_calls_data(struct na_open_calls *o,
				  const struct na_call_event *e,
				  const uint8_t *p, size_t n)
{
	struct open_call *x = find(o, e);
	bool way;

	if (!x)
		return NA_OK;
	way = is_response(e);
	*(way ? &x->c.bytes_resp : &x->c.bytes_req) += n;
	if (x->grpc)
		*(way ? &x->c.messages_resp : &x->c.messages_req) +=
			count_messages(&x->messages[way], p, n, e->watch);
	return NA_OK;
}

enum na_status na_open_calls_end(struct na_open_calls *o,
				 const struct na_call_event *e)
{
	struct open_call *x = find(o, e);

	return x ? side_done(o, x, e) : NA_OK;
}

enum na_status na_open_calls_reset(struct na_open_calls *o,
				   const struct na_call_event *e)
{
	struct open_call *x = find(o, e);

	if (!x)
		return NA_OK;
	if (x->c.end_ps == NA_UNKNOWN_PS && !x->c.reset)
		x->c.reset = is_response(e) ? NA_RESET_BY_SERVER
					    : NA_RESET_BY_CLIENT;
	/* An answer may be on its way to a client that does not wait. */
	if (x->c.end_ps == NA_UNKNOWN_PS && !is_response(e))
		return NA_OK;
	return finish(o, (uint32_t)(x - o->calls));
}

enum na_status na_open_calls_close(struct na_open_calls *o,
				   struct na_call_owner *w)
{
	enum na_status status = NA_OK, s;
	uint32_t last = w->first;

	while (last != NONE && o->calls[last].next != NONE)
		last = o->calls[last].next;
	while (last != NONE) {
		uint32_t prev = o->calls[last].prev;

		s = finish(o, last);
		if (status == NA_OK)
			status = s;
		last = prev;
	}
	return status;
}
