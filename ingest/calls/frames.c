#include "ingest/calls/frames.h"

#include <string.h>

#include "ingest/calls/hpack.h"

/* The same header again and again counts where the frames are long: short
 * patterns repeat in other bytes, too. */
enum { LONG_FRAME = 1024, STREAM_WINDOW = 1 << 16 };

const uint8_t na_http2_preface[NA_PREFACE_BYTES] =
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum { NO_STREAM = 1, ON_STREAM = 2 };

/* clang-format off */
static const struct {
	uint8_t stream;      /* where it may be */
	uint8_t flags;       /* those that are defined */
	int32_t length;      /* exactly; -1: any */
} rules[NA_FRAME_TYPES] = {
	[NA_FRAME_DATA] = {ON_STREAM, 0x09, -1},
	[NA_FRAME_HEADERS] = {ON_STREAM, 0x2d, -1},
	[NA_FRAME_PRIORITY] = {ON_STREAM, 0, 5},
	[NA_FRAME_RST_STREAM] = {ON_STREAM, 0, 4},
	[NA_FRAME_SETTINGS] = {NO_STREAM, 0x01, -1},
	[NA_FRAME_PUSH_PROMISE] = {ON_STREAM, 0x0c, -1},
	[NA_FRAME_PING] = {NO_STREAM, 0x01, 8},
	[NA_FRAME_GOAWAY] = {NO_STREAM, 0, -1},
	[NA_FRAME_WINDOW_UPDATE] = {NO_STREAM | ON_STREAM, 0, 4},
	[NA_FRAME_CONTINUATION] = {ON_STREAM, 0x04, -1},
};
/* clang-format on */

bool na_frame_is_legal(const struct na_frame_head *h)
{
	if (h->type >= NA_FRAME_TYPES)
		return true;
	if (!(rules[h->type].stream & (h->stream ? ON_STREAM : NO_STREAM)))
		return false;
	if (rules[h->type].length >= 0 &&
	    h->length != (uint32_t)rules[h->type].length)
		return false;
	if (h->length < na_frame_prefix(h))
		return false;
	switch (h->type) {
	case NA_FRAME_SETTINGS:
		return h->length % 6 == 0 &&
		       !(h->length && h->flags & NA_FRAME_END_STREAM);
	case NA_FRAME_GOAWAY:
		return h->length >= 8;
	}
	return true;
}

/* Does it look like one where nothing is known: known type and flags, and
 * what an idle or broken stream of other bytes shows is refused. */
static bool is_plausible(const struct na_frame_head *h)
{
	if (h->reserved || h->type >= NA_FRAME_TYPES ||
	    h->length > NA_FRAME_DEFAULT_MAX ||
	    h->flags & ~rules[h->type].flags || !na_frame_is_legal(h))
		return false;
	/* Streams that a server opens are left to those who are in step. */
	if (h->stream && h->stream % 2 == 0)
		return false;
	switch (h->type) {
	case NA_FRAME_DATA:
		return h->length || h->flags & NA_FRAME_END_STREAM;
	case NA_FRAME_HEADERS:
		return h->length > 0;
	case NA_FRAME_SETTINGS:
		return h->flags ? !h->length : h->length && h->length <= 120;
	case NA_FRAME_PUSH_PROMISE:
	case NA_FRAME_CONTINUATION:
		return false;
	}
	return true;
}

/* The payload, where all of it is under c. */
static bool payload_fits(const struct na_frame_head *h,
			 const struct na_cursor *c)
{
	const uint8_t *p = c->p;

	if (na_left(c) < h->length)
		return true;
	switch (h->type) {
	case NA_FRAME_HEADERS:
		return !(h->flags & NA_FRAME_END_HEADERS) ||
		       h->flags & (NA_FRAME_PADDED | NA_FRAME_PRIORITISED) ||
		       na_hpack_looks_whole(p, h->length);
	case NA_FRAME_RST_STREAM:
		return !p[0] && !p[1] && !p[2] && p[3] < 16;
	case NA_FRAME_WINDOW_UPDATE:
		return p[0] < 128 && (p[0] || p[1] || p[2] || p[3]);
	case NA_FRAME_SETTINGS:
		return !h->length || (!p[0] && p[1] && p[1] < 32);
	}
	return true;
}

/* The cheap part of "plausible" for bytes that are mostly something else. */
static bool could_be(const uint8_t *p)
{
	return !p[0] && p[3] < NA_FRAME_TYPES && p[5] < 128;
}

static bool is_repeat(const struct na_frame_head *a,
		      const struct na_frame_head *b)
{
	return a->length == b->length && a->type == b->type &&
	       a->flags == b->flags && a->stream == b->stream &&
	       a->length < LONG_FRAME;
}

static bool far_apart(uint32_t a, uint32_t b)
{
	return a && b && (a > b ? a - b : b - a) > STREAM_WINDOW;
}

static bool plausible_to(const struct na_frame_head *h, uint32_t max_stream)
{
	return is_plausible(h) && (!max_stream || h->stream <= max_stream);
}

static bool linked(struct na_cursor c, bool whole, uint32_t max_stream)
{
	struct na_frame_head h = na_frame_head(c.p), next;
	struct na_cursor payload;

	na_skip(&c, NA_FRAME_HEAD);
	if (!plausible_to(&h, max_stream) || !h.length ||
	    !na_sub(&c, h.length, &payload) || !payload_fits(&h, &payload))
		return false;
	if (na_left(&c) < NA_FRAME_HEAD)
		return !na_left(&c) && whole;
	next = na_frame_head(c.p);
	return plausible_to(&next, max_stream) && !is_repeat(&h, &next) &&
	       !far_apart(h.stream, next.stream);
}

/* At the start of a segment what follows need not be seen. */
static bool leads(struct na_cursor c, uint32_t max_stream)
{
	struct na_frame_head h;

	if (!could_be(c.p))
		return false;
	h = na_frame_head(c.p);
	na_skip(&c, NA_FRAME_HEAD);
	return plausible_to(&h, max_stream) && h.length && payload_fits(&h, &c);
}

size_t na_frames_seek(const uint8_t *p, size_t n, bool starts, bool whole,
		      uint32_t max_stream)
{
	struct na_cursor c = na_cursor_of(p, n);

	if (n >= NA_FRAME_HEAD && starts && leads(c, max_stream))
		return 0;
	for (; na_left(&c) >= NA_FRAME_HEAD; na_skip(&c, 1)) {
		const uint8_t *zero = memchr(c.p, 0, na_left(&c) - 8);

		if (!zero)
			break;
		na_skip(&c, (size_t)(zero - c.p));
		if (could_be(c.p) && linked(c, whole, max_stream))
			return na_at(&c);
	}
	return n;
}

/* ---- suspicion */

static void forget(struct na_frame_probe *pr)
{
	*pr = (struct na_frame_probe){.watch = pr->watch};
}

static void watch(const struct na_frame_probe *pr, const uint8_t *end,
		  const uint8_t *p, size_t n)
{
	if (pr->watch && n)
		pr->watch->matters(pr->watch->ctx, end, p, n);
}

static void add_points(struct na_frame_probe *pr, unsigned n)
{
	pr->points = (uint8_t)(pr->points + n < 100 ? pr->points + n : 100);
}

/* A header block that is all there, as is_block() will want to see it. */
static void watch_block(const struct na_frame_probe *pr, struct na_cursor c)
{
	const struct na_calls_watch *to = pr->watch;

	if (!to || pr->last.type != NA_FRAME_HEADERS ||
	    !(pr->last.flags & NA_FRAME_END_HEADERS) ||
	    pr->last.flags & (NA_FRAME_PADDED | NA_FRAME_PRIORITISED) ||
	    na_left(&c) < pr->left)
		return;
	to->piece(to->ctx, NULL, 0);
	to->piece(to->ctx, c.p, pr->left);
	to->block(to->ctx, c.p, pr->left);
	na_hpack_places(c.p, pr->left, to);
	to->block_over(to->ctx);
}

/* The header is complete.  False: it is none. */
static bool take_head(struct na_frame_probe *pr, bool first)
{
	struct na_frame_head h = na_frame_head(pr->head);

	if (!is_plausible(&h) || (!first && far_apart(h.stream, pr->stream)))
		return false;
	if (!first && pr->last.length >= LONG_FRAME)
		add_points(pr, 1);
	pr->chain = !first && (pr->chain || !is_repeat(&h, &pr->last));
	pr->last = h;
	pr->left = h.length;
	pr->stream = h.stream ? h.stream : pr->stream;
	pr->have = 0;
	return true;
}

/* Follow the chain.  False where it breaks. */
static bool follow(struct na_frame_probe *pr, struct na_cursor c, bool first)
{
	while (na_left(&c)) {
		size_t k = na_left(&c) < pr->left ? na_left(&c) : pr->left;

		if (na_frame_is_small(pr->last.type))
			watch(pr, c.p + k, c.p, k);
		na_skip(&c, k);
		pr->left -= (uint32_t)k;
		if (!na_left(&c) ||
		    !na_collect(&c, pr->head, NA_FRAME_HEAD, &pr->have))
			break;
		if (!take_head(pr, first))
			return false;
		watch(pr, c.p, pr->head, NA_FRAME_HEAD);
		watch_block(pr, c);
		first = false;
	}
	return true;
}

static bool is_block(struct na_cursor c)
{
	struct na_frame_head h;

	if (na_left(&c) < NA_FRAME_HEAD)
		return false;
	h = na_frame_head(c.p);
	na_skip(&c, NA_FRAME_HEAD);
	return na_left(&c) >= h.length && h.type == NA_FRAME_HEADERS &&
	       h.flags & NA_FRAME_END_HEADERS &&
	       !(h.flags & (NA_FRAME_PADDED | NA_FRAME_PRIORITISED)) &&
	       na_hpack_looks_whole(c.p, h.length);
}

void na_frame_probe(struct na_frame_probe *pr, const uint8_t *p, size_t n,
		    bool starts, bool whole, size_t *from)
{
	bool due = pr->live && !pr->left && !pr->have, ok = false;
	struct na_cursor c = na_cursor_of(p, n);

	*from = n;
	if (pr->live) {
		ok = follow(pr, c, false);
		if (ok && due)
			*from = 0;
		if (!ok)
			forget(pr);
	}
	if (!ok) {
		*from = na_frames_seek(p, n, starts, whole, 0);
		pr->left = pr->have = 0;
		pr->stream = 0;
		na_skip(&c, *from);
		ok = na_left(&c) && follow(pr, c, true);
		if (!ok) {
			forget(pr);
			*from = n;
			return;
		}
		pr->live = true;
	}
	if (whole && !pr->left && !pr->have) {
		add_points(pr, (!*from && starts ? 2U : 1U) + pr->chain);
		pr->chain = false;
	}
	if (*from < n && is_block(c))
		add_points(pr, 1);
}

void na_frame_probe_gap(struct na_frame_probe *pr, uint64_t n)
{
	uint8_t points = pr->points;

	if (!pr->live)
		return;
	if (!pr->have && n <= pr->left) {
		pr->left -= (uint32_t)n;
		return;
	}
	/* Nothing speaks against it: what was seen still counts, with one
	 * more for a header at the start of a packet that was cut. */
	forget(pr);
	pr->points = (uint8_t)(points + 1);
}
