/*
 * Classic pcap, and the door to pcapng.
 *
 *   magic 4, version 2+2, zone 4, accuracy 4, snap length 4, link type 4
 *   record: seconds 4, fraction 4, captured 4, on the wire 4, bytes
 *
 * The magic tells byte order and unit of the fraction; a1b2cd34 is the
 * "modified" format of old Linux kernels, with eight bytes more in each
 * record header.  Versions before 2.3 had the two lengths the other way
 * round, 2.3 itself either way.  A version that makes no sense is passed
 * over: the magic alone tells how to read on.
 */
#include "ingest/capture/capfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/capture/capfile_parts.h"
#include "ingest/capture/slice/cut.h"
#include "netan/base/vec.h"

enum { HEADER = 24 };
enum {
	AHEAD = 4,
	LINE = 64,
	PAGE_BYTES = 4096,
	HEADS = 256,
	CLIP_EVERY = 1 << 16
};

static const struct {
	uint32_t magic;
	bool nano, modified;
} magics[] = {
	{0xa1b2c3d4, false, false},
	{0xa1b23c4d, true, false},
	{0xa1b2cd34, false, true},
};

static bool read_magic(struct na_capfile *f, const uint8_t *p)
{
	for (int big = 0; big < 2; big++)
		for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
			if (na_get32(p, big) == magics[i].magic) {
				f->big = big;
				f->nano = magics[i].nano;
				f->modified = magics[i].modified;
				return true;
			}
	return false;
}

static bool is_ng(const uint8_t *p)
{
	return memcmp(p, "\x0a\x0d\x0d\x0a", 4) == 0;
}

enum na_sniff na_capfile_sniff(const uint8_t *head, size_t n, uint64_t size,
			       const char **why)
{
	struct na_capfile f;

	(void)size;
	if (n < 4)
		return NA_SNIFF_NO;
	if (is_ng(head)) {
		if (n < 12 || na_get32(head + 8, false) == 0x1a2b3c4d ||
		    na_get32(head + 8, true) == 0x1a2b3c4d)
			return NA_SNIFF_YES;
		*why = "a pcapng packet capture whose byte-order mark is "
		       "damaged";
		return NA_SNIFF_DAMAGED;
	}
	return read_magic(&f, head) ? NA_SNIFF_YES : NA_SNIFF_NO;
}

static enum na_status open_classic(struct na_capfile *f, struct na_err *err)
{
	uint32_t minor, major, snap;

	if (na_left(&f->c) < HEADER)
		return na_fail(err, NA_EFORMAT,
			       "the pcap file header needs %d bytes, the file "
			       "has %zu; capture or copy it again",
			       HEADER, na_left(&f->c));
	if (!read_magic(f, f->c.p))
		return na_fail(err, NA_EFORMAT,
			       "no pcap or pcapng capture: unknown magic "
			       "number");
	major = na_get16(f->c.p + 4, f->big);
	minor = na_get16(f->c.p + 6, f->big);
	if (major != 2 || minor > 4)
		na_input_warn(f->in,
			      "pcap version %" PRIu32 ".%" PRIu32
			      " at byte 4 is not 2.4; read as 2.4",
			      major, minor);
	f->swapped_lengths = major == 2 && minor <= 3;
	snap = na_get32(f->c.p + 16, f->big);
	f->limit_bytes = NA_RECORD_BYTES;
	if (snap > f->limit_bytes && snap <= NA_RECORD_BYTES_TOP)
		f->limit_bytes = snap;
	f->usual_bytes = snap > 0 && snap < NA_USUAL_BYTES ? snap
							   : NA_USUAL_BYTES;
	/* The upper bits tell of check sums behind frames. */
	f->link = na_get32(f->c.p + 20, f->big) & 0xffff;
	f->interfaces = 1;
	na_skip(&f->c, HEADER);
	return NA_OK;
}

/* The marker of a slice is its first record. */
static void pass_mark(struct na_capfile *f)
{
	struct na_text frame = na_capture_mark_frame(f->link), text;
	size_t head = na_capfile_header_size(f), left = na_left(&f->c), n;

	if (left < head)
		return;
	n = na_get32(f->c.p + 8, f->big);
	if (n > left - head || n < frame.n)
		return;
	text = na_text_n((const char *)f->c.p + head, n);
	if (memcmp(text.s, frame.s, frame.n) == 0 &&
	    na_capture_mark_find(na_text_from(text, frame.n), &f->cut))
		na_skip(&f->c, head + n);
}

bool na_capfile_cut(const struct na_capfile *f, struct na_text *said,
		    int64_t *zero_ns)
{
	*said = f->cut.said;
	*zero_ns = f->cut.zero_ns;
	return f->cut.said.n > 0;
}

struct na_capfile *na_capfile_open(struct na_input *in, struct na_err *err)
{
	struct na_capfile *f = na_calloc(1, sizeof(*f));
	enum na_status status;

	if (!f) {
		na_fail_nomem(err);
		return NULL;
	}
	f->in = in;
	f->c = na_cursor_of(in->data, in->size);
	f->ng = in->size >= 4 && is_ng(in->data);
	status = f->ng ? na_capfile_ng_open(f, err) : open_classic(f, err);
	if (status == NA_OK && !f->ng)
		pass_mark(f);
	if (status == NA_OK)
		return f;
	na_capfile_close(f);
	return NULL;
}

void na_capfile_close(struct na_capfile *f)
{
	if (!f)
		return;
	na_vec_free(&f->list);
	free(f);
}

size_t na_capfile_interfaces(const struct na_capfile *f)
{
	return f->interfaces;
}

bool na_capfile_is_ng(const struct na_capfile *f)
{
	return f->ng;
}

struct header {
	uint32_t seconds, fraction, captured, wire;
};

static inline void read_header(const struct na_capfile *f, const uint8_t *p,
			       struct header *h)
{
	h->seconds = na_get32(p, f->big);
	h->fraction = na_get32(p + 4, f->big);
	h->captured = na_get32(p + 8, f->big);
	h->wire = na_get32(p + 12, f->big);
	if (h->captured <= h->wire)
		return;
	if (f->swapped_lengths) {
		uint32_t x = h->captured;

		h->captured = h->wire;
		h->wire = x;
	} else {
		h->wire = h->captured;
	}
}

static inline bool far_apart(int64_t a_s, int64_t b_s)
{
	return (uint64_t)(a_s - b_s) + NA_CHAIN_APART_S >
	       2 * (uint64_t)NA_CHAIN_APART_S;
}

/* A few sane headers in a row, or so many until the file ends with one.
 * timed: their times are near each other and the last record's. */
static bool chain(const struct na_capfile *f, struct na_cursor c, bool timed)
{
	uint32_t fractions = f->nano ? 1000000000 : 1000000;
	int64_t last_s = f->last_s;
	size_t left, head = na_capfile_header_size(f);
	struct header h;

	for (int i = 0; i < NA_CHAIN; i++) {
		left = na_left(&c);
		if (i > 0 && left == 0)
			return true;
		if (left < head)
			return false;
		read_header(f, c.p, &h);
		if (h.fraction >= fractions || h.captured == 0 ||
		    h.captured > left - head || h.captured > f->limit_bytes ||
		    h.wire > NA_RECORD_BYTES_TOP)
			return false;
		if (timed && (i > 0 || f->has_last) &&
		    far_apart(last_s, h.seconds))
			return false;
		last_s = h.seconds;
		na_skip(&c, head + h.captured);
	}
	return true;
}

static bool plausible(const struct na_capfile *f, struct na_cursor c)
{
	return chain(f, c, true);
}

/* A time far from the one before, or more bytes than usual, may be true, or
 * the sign of a damaged length, here or before: then what follows makes no
 * sense either, and there is something behind it that does.  True: went on
 * there. */
static bool astray(struct na_capfile *f, const struct header *h)
{
	if (h->captured <= f->usual_bytes &&
	    (!f->has_last || !far_apart(f->last_s, h->seconds)))
		return false;
	if (f->searches >= NA_SEARCHES || chain(f, f->c, false))
		return false;
	f->searches++;
	return na_capfile_resync(f, 1, plausible);
}

/* What is lost by now is not there. */
static bool clip(struct na_capfile *f)
{
	if (!na_input_lost(f->in))
		return false;
	na_clip_at(&f->c, na_mapped_left(f->in->mapped));
	return true;
}

bool na_capfile_resync(struct na_capfile *f, size_t step, na_plausible_fn *fn)
{
	const struct na_cursor from = f->c;

	while (na_left(&f->c) > step) {
		if (na_at(&f->c) % CLIP_EVERY == 0)
			clip(f);
		na_skip(&f->c, step);
		if (!fn(f, f->c))
			continue;
		na_capfile_hurt(f,
				"damaged record at byte %" PRIu64
				": went on at byte %" PRIu64 ", %" PRIu64
				" bytes lost",
				na_at(&from), na_at(&f->c),
				na_at(&f->c) - na_at(&from));
		return true;
	}
	f->c = from;
	return false;
}

/* The header at f->c.p cannot be followed: the file was cut here, or it lies.
 * NA_OK if there is something to go on with. */
static enum na_status lost_way(struct na_capfile *f, const struct header *h)
{
	uint64_t at = na_at(&f->c);
	size_t left = na_left(&f->c);

	if (left >= na_capfile_header_size(f) &&
	    na_capfile_resync(f, 1, plausible))
		return NA_OK;
	if (left < na_capfile_header_size(f))
		na_capfile_hurt(f,
				"file cut in a record header at byte %" PRIu64
				": %zu bytes left of %zu",
				at, left, na_capfile_header_size(f));
	else if (h->wire == 0)
		na_capfile_hurt(f,
				"no record at byte %" PRIu64
				": a packet without a length; %zu bytes are "
				"not read",
				at, left);
	else if (h->captured <= f->limit_bytes)
		na_capfile_hurt(f,
				"file cut in the record at byte %" PRIu64
				": its packet has %" PRIu32 " bytes, %zu left",
				at, h->captured, left - na_capfile_header_size(f));
	else
		na_capfile_hurt(f,
				"damaged record at byte %" PRIu64
				": a packet of %" PRIu32
				" bytes; nothing after it looks like a record",
				at, h->captured);
	na_skip(&f->c, left);
	return NA_END;
}

/* The record at f->c.p, whose header is h. */
static inline void take(struct na_capfile *f, const struct header *h,
			struct na_record *r)
{
	size_t head = na_capfile_header_size(f);

	r->time_ns = (int64_t)h->seconds * 1000000000 +
		     (int64_t)h->fraction * (f->nano ? 1 : 1000);
	r->data = f->c.p + head;
	r->captured_bytes = h->captured;
	r->wire_bytes = h->wire;
	r->link = f->link;
	r->interface = 0;
	r->at = na_at(&f->c);
	f->last_ns = r->time_ns;
	f->last_s = h->seconds;
	if (h->fraction >= 1000000) /* of ns, or more than a second */
		f->last_s = r->time_ns / 1000000000;
	f->has_last = true;
	na_skip(&f->c, head + h->captured);
}

static enum na_status doubtful(struct na_capfile *f, struct na_record *r)
{
	size_t head = na_capfile_header_size(f), left;
	struct header h = {0};
	bool ok;

	for (;;) {
		left = na_left(&f->c);
		if (left == 0)
			return NA_END;
		ok = left >= head;
		if (ok) {
			read_header(f, f->c.p, &h);
			ok = h.captured <= f->limit_bytes &&
			     h.captured <= left - head && h.wire > 0;
		}
		if (ok && !astray(f, &h))
			break;
		if (!ok && lost_way(f, &h) != NA_OK)
			return NA_END;
	}
	na_capfile_wire(f, na_at(&f->c), h.captured, &h.wire);
	take(f, &h, r);
	return NA_OK;
}

/* Records are often of like size: what is some of them ahead. */
static inline void fetch_ahead(const struct na_capfile *f, size_t size)
{
	if (na_left(&f->c) <= AHEAD * size)
		return;
	__builtin_prefetch(f->c.p + AHEAD * size);
	__builtin_prefetch(f->c.p + AHEAD * size + LINE);
}

static enum na_status next_classic(struct na_capfile *f, struct na_record *r)
{
	size_t head = na_capfile_header_size(f), left = na_left(&f->c);
	struct header h;

	if (left < head)
		return doubtful(f, r);
	read_header(f, f->c.p, &h);
	if (h.captured > f->usual_bytes || h.captured > left - head ||
	    h.wire - 1 >= NA_RECORD_BYTES_TOP || !f->has_last ||
	    far_apart(f->last_s, h.seconds))
		return doubtful(f, r);
	take(f, &h, r);
	fetch_ahead(f, head + h.captured);
	return NA_OK;
}

/* The rest of the page in which a file ends is zeros: no record begins so. */
static void mind_end(struct na_capfile *f)
{
	uint64_t next[2];

	if (na_left(&f->c) < sizeof(next))
		return;
	memcpy(next, f->c.p, sizeof(next));
	if (!(next[0] | next[1]))
		na_mapped_look(f->in->mapped, f->in->path);
}

/* Headers of other layers decide what becomes of a packet: all of them are
 * there, or it is none. */
static bool there(struct na_capfile *f, const struct na_record *r)
{
	size_t n = r->captured_bytes < HEADS ? r->captured_bytes : HEADS;

	if (n &&
	    ((uintptr_t)r->data ^ (uintptr_t)(r->data + n - 1)) >= PAGE_BYTES)
		(void)*(const volatile uint8_t *)(r->data + n - 1);
	mind_end(f);
	return !clip(f) || r->data + r->captured_bytes <= f->c.end;
}

enum na_status na_capfile_next(struct na_capfile *f, struct na_record *r)
{
	enum na_status st = f->ng ? na_capfile_ng_next(f, r)
				  : next_classic(f, r);

	return st == NA_OK && f->in->mapped && !there(f, r) ? NA_END : st;
}
