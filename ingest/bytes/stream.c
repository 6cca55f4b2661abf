#include "ingest/bytes/stream.h"

#include <stdlib.h>
#include <string.h>

struct na_held {
	struct na_held *prev, *next;
	uint64_t seq;
	size_t captured, wire;
	int64_t at_ps;
	uint8_t bytes[];
};

void na_stream_start(struct na_stream *s, uint64_t seq)
{
	s->next = seq;
	s->at_ps = INT64_MIN;
	s->started = true;
}

static size_t cost_of(const struct na_held *h)
{
	return sizeof(*h) + h->captured;
}

/* Unlinks the first. */
static struct na_held *take(struct na_stream *s, struct na_stream_store *store)
{
	struct na_held *h = s->first;

	s->first = h->next;
	if (s->first)
		s->first->prev = NULL;
	else
		s->last = NULL;
	s->n_held--;
	store->held_bytes -= cost_of(h);
	return h;
}

void na_stream_fini(struct na_stream *s, struct na_stream_store *store)
{
	while (s->first)
		free(take(s, store));
	*s = (struct na_stream){.at_ps = INT64_MIN};
}

/* x begins at or before s->next. */
static enum na_status deliver(struct na_stream *s, const struct na_piece *x,
			      const struct na_stream_user *user)
{
	uint64_t old = s->next - x->seq;
	size_t captured;
	uint64_t missing;
	enum na_status status = NA_OK;

	if (old >= x->wire)
		return NA_OK;
	s->at = s->next;
	s->next = x->seq + x->wire;
	s->at_ps = x->at_ps;
	captured = old < x->captured ? x->captured - (size_t)old : 0;
	missing = x->wire - old - captured;
	if (captured)
		status = user->bytes(user->ctx, x->p + (x->captured - captured),
				     captured, old == 0, missing == 0);
	if (status == NA_OK && missing)
		status = user->gap(user->ctx, missing);
	return status;
}

static enum na_status skip_to(struct na_stream *s, uint64_t seq,
			      const struct na_stream_user *user)
{
	uint64_t n = seq - s->next;

	s->next = seq;
	return user->gap(user->ctx, n);
}

/* What is held and due; holes that the other side has do not wait, up to
 * `limit`. */
static enum na_status drain(struct na_stream *s, struct na_stream_store *store,
			    uint64_t limit, const struct na_stream_user *user)
{
	enum na_status status = NA_OK;

	while (status == NA_OK) {
		uint64_t to = s->acked < limit ? s->acked : limit;

		if (s->first && s->first->seq <= s->next) {
			struct na_held *h = take(s, store);
			struct na_piece x = {
				.seq = h->seq,
				.p = h->bytes,
				.captured = h->captured,
				.wire = h->wire,
				.at_ps = h->at_ps > s->at_ps ? h->at_ps
							     : s->at_ps,
			};

			status = deliver(s, &x, user);
			free(h);
			continue;
		}
		if (s->first && s->first->seq < to)
			to = s->first->seq;
		if (to <= s->next)
			break;
		status = skip_to(s, to, user);
	}
	return status;
}

/* Before the first that begins later; a repeat of a held one is dropped. */
static enum na_status hold(struct na_stream *s, struct na_stream_store *store,
			   const struct na_piece *x)
{
	struct na_held *after = s->last, *h;

	while (after && after->seq > x->seq)
		after = after->prev;
	if (after && after->seq + after->wire >= x->seq + x->wire)
		return NA_OK;
	h = malloc(sizeof(*h) + x->captured);
	if (!h)
		return NA_ENOMEM;
	h->seq = x->seq;
	h->captured = x->captured;
	h->wire = x->wire;
	h->at_ps = x->at_ps;
	if (x->captured)
		memcpy(h->bytes, x->p, x->captured);
	h->prev = after;
	h->next = after ? after->next : s->first;
	if (after)
		after->next = h;
	else
		s->first = h;
	if (h->next)
		h->next->prev = h;
	else
		s->last = h;
	s->n_held++;
	store->held_bytes += cost_of(h);
	return NA_OK;
}

static bool is_full(const struct na_stream *s,
		    const struct na_stream_store *store)
{
	return s->first && (s->n_held > NA_STREAM_SEGMENTS ||
			    store->held_bytes > store->max_held_bytes);
}

enum na_status na_stream_push(struct na_stream *s,
			      struct na_stream_store *store,
			      const struct na_piece *x,
			      const struct na_stream_user *user)
{
	enum na_status status;

	if (!x->wire || x->seq > UINT64_MAX - x->wire)
		return NA_OK;
	if (!s->started)
		na_stream_start(s, x->seq);
	if (x->seq + x->wire <= s->next)
		return NA_OK;
	if (x->seq > s->next) {
		status = drain(s, store, x->seq, user);
		if (status != NA_OK)
			return status;
	}
	if (x->seq <= s->next) {
		status = deliver(s, x, user);
		if (status == NA_OK && s->first)
			status = drain(s, store, s->next, user);
		return status;
	}
	status = hold(s, store, x);
	while (status == NA_OK && is_full(s, store)) {
		store->limits_hit++;
		status = skip_to(s, s->first->seq, user);
		if (status == NA_OK)
			status = drain(s, store, s->next, user);
	}
	return status;
}

enum na_status na_stream_ack(struct na_stream *s, struct na_stream_store *store,
			     uint64_t ack, const struct na_stream_user *user)
{
	if (ack > s->acked)
		s->acked = ack;
	if (!s->first || s->acked <= s->next)
		return NA_OK;
	return drain(s, store, s->last->seq, user);
}
