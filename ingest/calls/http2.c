#include "ingest/calls/http2.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/calls/hpack.h"
#include "netan/base/vec.h"
#include "netan/model/transfer.h"

enum { STREAMS_AHEAD = 1 << 15, SOUGHT_MAX = 1 << 20 };

/* What the steps below pass on. */
struct work {
	struct na_http2 *d;
	struct na_http2_store *store;
	const struct na_http2_user *user;
};

void na_http2_begin(struct na_http2 *d)
{
	d->in_step = true;
}

void na_http2_join(struct na_http2 *d, const struct na_frame_probe *pr)
{
	d->in_step = pr->live;
	if (!pr->live)
		return;
	d->type = NA_FRAME_SKIPPED;
	d->left = pr->left;
	d->have = pr->have;
	memcpy(d->head, pr->head, sizeof(d->head));
}

void na_http2_forget_table(struct na_http2 *d)
{
	na_hpack_free(d->hpack);
	d->hpack = NULL;
}

static void drop_block(struct na_http2 *d, struct na_http2_store *store)
{
	store->block_bytes -= d->block_cap;
	free(d->block);
	d->block = NULL;
	d->block_n = d->block_cap = 0;
	d->block_open = d->block_ends = d->block_cut = false;
	d->block_headless = d->block_promise = d->block_goes_on = false;
}

void na_http2_fini(struct na_http2 *d, struct na_http2_store *store)
{
	na_http2_forget_table(d);
	drop_block(d, store);
	*d = (struct na_http2){.in_step = false};
}

static void lose_step(struct work *w)
{
	drop_block(w->d, w->store);
	na_http2_forget_table(w->d);
	w->d->in_step = false;
	w->d->damaged = true;
	w->d->left = w->d->prefix = 0;
	w->d->have = w->d->pad = 0;
}

/* ---- who watches */

static void matters(const struct work *w, const uint8_t *p, size_t n)
{
	const struct na_calls_watch *to = w->user->watch;

	if (to)
		to->matters(to->ctx, p + n, p, n);
}

static void watch_head(const struct work *w, const uint8_t *end)
{
	const struct na_calls_watch *to = w->user->watch;

	if (!to)
		return;
	to->matters(to->ctx, end, w->d->head, NA_FRAME_HEAD);
	if (w->d->type == NA_FRAME_HEADERS ||
	    w->d->type == NA_FRAME_PUSH_PROMISE)
		to->piece(to->ctx, NULL, 0);
}

static void watch_place(void *ctx, const uint8_t *name, const uint8_t *value,
			const uint8_t *end)
{
	const struct na_http2_fields *f = ctx;

	f->watch->place(f->watch->ctx, name, value, end);
}

/* ---- fields */

static bool is(const uint8_t *s, size_t n, const char *want)
{
	return n == strlen(want) && memcmp(s, want, n) == 0;
}

/* A decimal number. */
static int32_t number(const uint8_t *s, size_t n)
{
	int32_t v = 0;

	if (!n || n > 9)
		return NA_UNKNOWN_I32;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return NA_UNKNOWN_I32;
		v = v * 10 + (s[i] - '0');
	}
	return v;
}

static void take_field(void *ctx, const uint8_t *name, size_t name_n,
		       const uint8_t *value, size_t value_n)
{
	static const char grpc[] = "application/grpc";
	struct na_http2_fields *f = ctx;

	if (is(name, name_n, ":method")) {
		f->method = true;
	} else if (is(name, name_n, ":status")) {
		f->status = number(value, value_n);
	} else if (is(name, name_n, "grpc-status")) {
		f->grpc_status = number(value, value_n);
	} else if (is(name, name_n, "content-type")) {
		f->grpc |= value_n >= sizeof(grpc) - 1 &&
			   memcmp(value, grpc, sizeof(grpc) - 1) == 0;
	} else if (is(name, name_n, ":path") && !f->path_bytes) {
		f->path_too_long = value_n > sizeof(f->path);
		f->path_bytes = f->path_too_long ? 0 : value_n;
		memcpy(f->path, value, f->path_bytes);
	}
	if (f->watch)
		f->watch->field(f->watch->ctx, name, name_n, value, value_n);
}

static void take_unknown(void *ctx)
{
	struct na_http2_fields *f = ctx;

	f->unknown = true;
}

/* The block is complete, as far as it ever will be. */
static enum na_status finish_block(struct work *w, const uint8_t *p, size_t n)
{
	struct na_http2 *d = w->d;
	struct na_http2_fields *f = &w->store->fields;
	struct na_hpack_user user = {f, take_field, take_unknown, NULL};
	bool cut = d->block_cut, told = !d->block_headless && !d->block_promise,
	     ends = d->block_ends;
	uint32_t stream = d->block_stream;
	enum na_status status = NA_OK;

	f->method = f->grpc = f->unknown = f->path_too_long = false;
	f->status = f->grpc_status = NA_UNKNOWN_I32;
	f->path_bytes = 0;
	f->at = d->block_goes_on ? d->block_at : w->user->at;
	if (!d->hpack)
		d->hpack = na_hpack_new(w->store->table_bytes,
					&w->store->tables_used);
	if (!d->hpack)
		return NA_ENOMEM;
	f->watch = w->user->watch;
	if (f->watch) {
		user.place = watch_place;
		f->watch->block(f->watch->ctx, p, n);
	}
	if (n && !d->block_headless)
		status = na_hpack_block(d->hpack, p, n, !cut, &user);
	if (f->watch)
		f->watch->block_over(f->watch->ctx);
	if (status == NA_EFORMAT) {
		lose_step(w);
		return NA_OK;
	}
	if (stream > d->newest && !cut)
		d->newest = stream;
	if (cut || d->block_headless) {
		f->unknown = true;
		d->damaged = true;
		na_http2_forget_table(d);
	}
	drop_block(d, w->store);
	if (status != NA_OK || !told)
		return status;
	return w->user->headers(w->user->ctx, stream, f, ends);
}

static enum na_status keep(struct work *w, const uint8_t *p, size_t n)
{
	struct na_http2 *d = w->d;
	size_t before = d->block_cap;

	if (d->block_cut || d->block_headless)
		return NA_OK;
	if (n > NA_HTTP2_BLOCK_BYTES - d->block_n ||
	    w->store->block_bytes > w->store->max_block_bytes) {
		w->store->limits_hit++;
		d->block_cut = true;
		return NA_OK;
	}
	if (!na_grow(&d->block, &d->block_cap, d->block_n + n, 1))
		return NA_ENOMEM;
	w->store->block_bytes += d->block_cap - before;
	memcpy(d->block + d->block_n, p, n);
	d->block_n += n;
	return NA_OK;
}

/* ---- frames */

static void open_block(struct na_http2 *d)
{
	d->block_open = true;
	d->block_stream = d->stream;
	d->block_ends = d->type == NA_FRAME_HEADERS &&
			d->flags & NA_FRAME_END_STREAM;
	d->block_promise = d->type == NA_FRAME_PUSH_PROMISE;
	d->block_headless = d->type == NA_FRAME_CONTINUATION;
}

static bool carries_block(uint8_t type)
{
	return type == NA_FRAME_HEADERS || type == NA_FRAME_PUSH_PROMISE ||
	       type == NA_FRAME_CONTINUATION;
}

/* The header is complete.  False: it is none that may stand here. */
static bool begin_frame(struct na_http2 *d)
{
	struct na_frame_head h = na_frame_head(d->head);

	if (!na_frame_is_legal(&h))
		return false;
	if (d->block_open &&
	    (h.type != NA_FRAME_CONTINUATION || h.stream != d->block_stream))
		return false;
	d->type = h.type;
	d->flags = h.flags;
	d->stream = h.stream;
	d->left = h.length;
	d->have = d->pad = 0;
	d->prefix = na_frame_prefix(&h);
	if (!na_frame_is_padded(&h))
		d->flags &= (uint8_t)~NA_FRAME_PADDED;
	if (carries_block(h.type) && !d->block_open)
		open_block(d);
	return true;
}

static enum na_status end_frame(struct work *w)
{
	struct na_http2 *d = w->d;

	switch (d->type) {
	case NA_FRAME_DATA:
		return d->flags & NA_FRAME_END_STREAM
			       ? w->user->end(w->user->ctx, d->stream)
			       : NA_OK;
	case NA_FRAME_RST_STREAM:
		return w->user->reset(w->user->ctx, d->stream);
	case NA_FRAME_HEADERS:
		if (!(d->flags & NA_FRAME_END_HEADERS)) {
			d->block_at = w->user->at;
			d->block_goes_on = true;
		}
		/* fall through */
	case NA_FRAME_PUSH_PROMISE:
	case NA_FRAME_CONTINUATION:
		/* One that came whole is done already. */
		return d->block_open && d->flags & NA_FRAME_END_HEADERS
			       ? finish_block(w, d->block, d->block_n)
			       : NA_OK;
	}
	return NA_OK;
}

/* The bytes before the content.  How many of the k were eaten; *ok false:
 * more padding than frame. */
static size_t eat_prefix(struct na_http2 *d, const uint8_t *p, size_t k,
			 bool *ok)
{
	size_t n = k < d->prefix ? k : d->prefix;

	*ok = true;
	if (d->flags & NA_FRAME_PADDED) {
		uint32_t most = d->left - d->prefix;

		/* Lost: rather too few bytes than too many. */
		d->pad = p ? p[0] : (uint8_t)(most < 255 ? most : 255);
		d->flags &= (uint8_t)~NA_FRAME_PADDED;
		*ok = d->pad <= most;
	}
	d->prefix -= (uint32_t)n;
	d->left -= (uint32_t)n;
	return n;
}

/* k content bytes; p NULL: lost. */
static enum na_status content(struct work *w, const uint8_t *p, size_t k)
{
	struct na_http2 *d = w->d;
	bool all;

	if (d->type == NA_FRAME_DATA)
		return w->user->data(w->user->ctx, d->stream, p, k);
	if (!carries_block(d->type)) {
		if (p && na_frame_is_small(d->type))
			matters(w, p, k);
		return NA_OK;
	}
	if (p && w->user->watch)
		w->user->watch->piece(w->user->watch->ctx, p, k);
	if (!p) {
		d->block_cut = true;
		return NA_OK;
	}
	all = k == d->left && !d->pad && !d->block_n && !d->block_cut &&
	      d->flags & NA_FRAME_END_HEADERS;
	return all ? finish_block(w, p, k) : keep(w, p, k);
}

/* k bytes of the frame's payload, under c; c NULL: lost. */
static enum na_status payload(struct work *w, struct na_cursor *c, size_t k)
{
	struct na_http2 *d = w->d;
	enum na_status status = NA_OK;
	bool ok = true;
	size_t n;

	if (d->prefix) {
		n = eat_prefix(d, c ? c->p : NULL, k, &ok);
		if (!ok) {
			lose_step(w);
			return NA_OK;
		}
		k -= n;
		if (c) {
			matters(w, c->p, n);
			na_skip(c, n);
		}
	}
	n = d->left > d->pad ? d->left - d->pad : 0;
	n = k < n ? k : n;
	if (n)
		status = content(w, c ? c->p : NULL, n);
	if (!d->in_step || status != NA_OK)
		return status;
	d->left -= (uint32_t)k;
	return d->left ? NA_OK : end_frame(w);
}

/* Some of the header.  One that is none is not taken: perhaps a frame begins
 * within its bytes. */
static enum na_status take_head(struct work *w, struct na_cursor *c)
{
	struct na_cursor before = *c;

	if (!na_collect(c, w->d->head, NA_FRAME_HEAD, &w->d->have))
		return NA_OK;
	if (begin_frame(w->d)) {
		watch_head(w, c->p);
		return w->d->left ? NA_OK : end_frame(w);
	}
	lose_step(w);
	*c = before;
	return NA_OK;
}

/* Out of step: where frames begin again.  Streams go up, so one far above
 * those known is none; but not for ever, if no other is found. */
static size_t seek(struct na_http2 *d, const uint8_t *p, size_t n, bool starts,
		   bool whole)
{
	uint32_t max = d->newest ? d->newest + STREAMS_AHEAD : 0;
	size_t at = na_frames_seek(p, n, starts, whole, max);

	d->in_step = at < n;
	d->sought += (uint32_t)(at < SOUGHT_MAX ? at : SOUGHT_MAX);
	if (d->in_step)
		d->sought = 0;
	else if (d->sought > SOUGHT_MAX)
		d->newest = d->sought = 0;
	return at;
}

enum na_status na_http2_bytes(struct na_http2 *d, struct na_http2_store *store,
			      const struct na_http2_user *user,
			      const uint8_t *p, size_t n, bool starts,
			      bool whole)
{
	struct na_cursor c = na_cursor_of(p, n), part;
	struct work w = {d, store, user};
	enum na_status status = NA_OK;

	while (na_left(&c) && status == NA_OK) {
		n = na_left(&c);
		if (!d->in_step) {
			na_skip(&c, seek(d, c.p, n, starts, whole));
		} else if (!d->left) {
			status = take_head(&w, &c);
		} else {
			n = n < d->left ? n : d->left;
			na_sub(&c, n, &part);
			status = payload(&w, &part, n);
		}
		starts = starts && c.p == p;
	}
	return status;
}

enum na_status na_http2_gap(struct na_http2 *d, struct na_http2_store *store,
			    const struct na_http2_user *user, uint64_t n)
{
	struct work w = {d, store, user};
	size_t k = n < d->left ? (size_t)n : d->left;
	enum na_status status = NA_OK;

	/* The frame that is open ends in it, whatever follows. */
	if (d->in_step && k)
		status = payload(&w, NULL, k);
	if (!d->in_step || k == n || status != NA_OK)
		return status;
	/* What came of a block says whose call it is. */
	if (d->block_open) {
		d->block_cut = true;
		status = finish_block(&w, d->block, d->block_n);
	}
	lose_step(&w);
	return status;
}
