/*
 * Packets of a window, as they stand in the file, and what says that they are
 * a slice (cut.h).  Of pcapng all blocks stay that hold no packet.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/calls/bare.h"
#include "ingest/capture/addresses.h"
#include "ingest/capture/capfile_parts.h"
#include "ingest/capture/capture.h"
#include "ingest/capture/slice/around.h"
#include "ingest/capture/slice/bare.h"
#include "ingest/capture/slice/cut.h"
#include "ingest/capture/filter.h"
#include "ingest/capture/packet_parts.h"
#include "ingest/slice.h"
#include "ingest/transfer_file/bytes.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

/* ---- what says that it is a slice */

static const char zero[] = "; time 0 is ";
static const char unit[] = " ns";

bool na_capture_mark_print(struct na_str *to, const char *said, int64_t zero_ns)
{
	na_str_addf(to, "%s%s%" PRId64 "%s", said, zero, zero_ns, unit);
	return !to->failed;
}

struct na_text na_capture_mark_frame(uint32_t link)
{
	static const char ethernet[14] = {[12] = '\x88', '\xb5'};
	static const char cooked[16] = {[14] = '\x88', '\xb5'};
	static const char cooked2[20] = {'\x88', '\xb5'};

	return link == NA_LINK_ETHERNET ? na_text_n(ethernet, sizeof(ethernet))
	       : link == NA_LINK_SLL    ? na_text_n(cooked, sizeof(cooked))
	       : link == NA_LINK_SLL2   ? na_text_n(cooked2, sizeof(cooked2))
					: na_text_n("", 0);
}

static bool number(struct na_text text, int64_t *ns)
{
	bool minus = na_text_past(&text, "-");
	uint64_t x;

	if (!na_text_number(text, &x) || x > INT64_MAX)
		return false;
	*ns = minus ? -(int64_t)x : (int64_t)x;
	return true;
}

bool na_capture_mark_find(struct na_text text, struct na_capfile_cut *cut)
{
	struct na_text rest = text, before, behind, last = {"", 0};

	if (!na_text_begins(text, na_slice_said) || !na_text_ends(text, unit))
		return false;
	rest.n -= sizeof(unit) - 1;
	while (na_text_split(rest, zero, &before, &behind))
		rest = last = behind;
	if (!last.n || !number(last, &cut->zero_ns))
		return false;
	cut->said = na_between(text.s, last.s - (sizeof(zero) - 1));
	return true;
}

enum {
	FILE_HEADER = 24,
	RECORD = 24,
	SECTION = 24,
	LOOK_UP_EVERY = 4096 /* packets: is it to end? */
};

struct cut {
	struct na_input *in;
	const struct na_slice *of;
	struct na_slice_counts *counts;
	struct na_err *err;
	struct na_capfile *file;
	struct na_capture_filter *filter;
	uint64_t nth;  /* packets that were read */
	uint64_t done; /* bytes of the file that were decided about */
	bool big;      /* there */
	struct na_hide hide; /* --anonymize */
	struct na_bare *bare;
	struct na_capture *capture;
	struct na_xf_bytes made; /* of it */
};

static enum na_status put(const struct cut *c, const void *p, size_t n)
{
	return n ? c->of->put(c->of->put_ctx, p, n, c->err) : NA_OK;
}

/* ---- which packets */

static bool named(const struct na_text_list *l, const struct na_address *a)
{
	char text[NA_ADDRESS_BUF];

	if (!a->family)
		return false;
	na_address_print(text, a);
	for (size_t i = 0; i < l->n; i++) {
		if (na_glob(l->items[i], text))
			return true;
	}
	return false;
}

static bool has_address(const struct cut *c, const struct na_record *r)
{
	const struct na_text_list *l = c->of->addresses;
	struct na_packet p;

	if (!l || !l->n)
		return true;
	na_packet_decode(&p, r, NULL);
	return named(l, &p.src) || named(l, &p.dst) || named(l, &p.outer_src) ||
	       named(l, &p.outer_dst);
}

static int64_t since(const struct cut *c, int64_t time_ns)
{
	int64_t ps;

	if (na_ps_since(time_ns, c->in->zero_ns, &ps))
		return ps;
	return time_ns < c->in->zero_ns ? NA_TIME_MIN : NA_TIME_MAX;
}

static bool in_window(const struct cut *c, const struct na_record *r)
{
	int64_t ps = since(c, r->time_ns);

	return ps >= c->of->from_ps && ps < c->of->to_ps;
}

static bool asked(const struct cut *c, const struct na_record *r)
{
	return has_address(c, r) &&
	       (!c->filter || na_capture_filter_pass(c->filter, r));
}

/* Of a connection or queue pair that meets the window? */
static bool meets(const struct cut *c, const struct na_record *r)
{
	int64_t first_ns, last_ns;

	return c->of->around &&
	       na_around_lasted(c->of->around, r, &first_ns, &last_ns) &&
	       na_slice_meets(since(c, first_ns), since(c, last_ns),
			      c->of->from_ps, c->of->to_ps);
}

/* Of the slice: not at all, as a beginning alone, or for what is asked for. */
enum stay { GONE, BEGINS, AROUND, INSIDE };

static enum stay stays(const struct cut *c, const struct na_record *r)
{
	if (!asked(c, r))
		return GONE;
	if (in_window(c, r))
		return INSIDE;
	if (meets(c, r))
		return AROUND;
	return c->of->around && na_around_begins(c->of->around, c->of->file,
						 c->nth)
		       ? BEGINS
		       : GONE;
}

/* ---- what is written */

/* What was made, and no more of it. */
static enum na_status put_made(struct cut *c)
{
	enum na_status st = c->made.failed
				    ? na_fail_nomem(c->err)
				    : put(c, c->made.p, c->made.n);

	c->made.n = 0;
	return st;
}

static enum na_status put_block(struct cut *c, const uint8_t *from, size_t n,
				const struct na_capfile_block *b)
{
	if (!c->of->names)
		return put(c, from, n);
	na_cut_bare_block(&c->made, from, n, b);
	return put_made(c);
}

/* Blocks of pcapng up to byte `end`: those without a packet stay. */
static enum na_status put_blocks(struct cut *c, uint64_t end)
{
	struct na_cursor at = c->file->c;
	enum na_status st = NA_OK;

	at.p = at.base + c->done;
	at.end = at.base + end;
	while (st == NA_OK && na_left(&at)) {
		const uint8_t *from = at.p;
		struct na_capfile_block b;

		if (!na_capfile_block(&at, c->big, &b))
			break; /* damage, which was said */
		c->big = b.big;
		if (b.kind != NA_BLOCK_PACKET)
			st = put_block(c, from, (size_t)(at.p - from), &b);
	}
	c->done = end;
	return st;
}

/* Without the file header's limit that would cut it. */
static enum na_status put_header(const struct cut *c, size_t mark_bytes)
{
	uint8_t head[FILE_HEADER];

	memcpy(head, c->in->data, sizeof(head));
	if (na_get32(head + 16, c->file->big) < mark_bytes)
		na_cut_set32(head + 16, (uint32_t)mark_bytes, c->file->big);
	return put(c, head, sizeof(head));
}

/* The first record: a frame of the slice's own, at its time 0. */
static enum na_status put_first(const struct cut *c, const char *words,
				size_t n)
{
	struct na_text frame = na_capture_mark_frame(c->file->link);
	int64_t ns = c->in->zero_ns > 0 ? c->in->zero_ns : 0;
	uint32_t bytes = (uint32_t)(frame.n + n), part = 1000000000;
	uint8_t record[RECORD] = {0};
	bool big = c->file->big;
	enum na_status st = put_header(c, bytes);

	na_cut_set32(record, (uint32_t)(ns / part), big);
	na_cut_set32(record + 4, (uint32_t)(ns % part) / (c->file->nano ? 1 : 1000),
	      big);
	na_cut_set32(record + 8, bytes, big);
	na_cut_set32(record + 12, bytes, big);
	if (st == NA_OK)
		st = put(c, record, na_capfile_header_size(c->file));
	if (st == NA_OK)
		st = put(c, frame.s, frame.n);
	return st == NA_OK ? put(c, words, n) : st;
}

/* Code and length, two bytes each. */
static void add_option(struct na_xf_bytes *to, uint32_t code, const char *s,
		       size_t n, bool big)
{
	static const uint8_t padding[4];

	na_cut_add32(to, big ? code << 16 | (uint32_t)n : (uint32_t)n << 16 | code,
	      big);
	na_xf_put(to, s, n);
	na_xf_put(to, padding, -n & 3);
}

/* The first section header with a comment, without that of an older slice.
 * How long the section is, it says no more: there are fewer packets in it. */
static enum na_status put_section(struct cut *c, const char *words, size_t n)
{
	struct na_cursor at = c->file->c, options;
	struct na_xf_bytes made = {.p = NULL};
	struct na_capfile_cut older;
	struct na_capfile_option o;
	struct na_capfile_block b;
	enum na_status st;

	at.p = at.base;
	if (!na_capfile_block(&at, c->big, &b) || na_at(&at) < SECTION + 4)
		return NA_OK;
	c->done = na_at(&at);
	c->big = b.big;
	options = at;
	options.p = at.base + SECTION;
	options.end = at.p - 4;
	na_xf_put(&made, at.base, SECTION - 8);
	na_cut_add32(&made, UINT32_MAX, b.big);
	na_cut_add32(&made, UINT32_MAX, b.big);
	add_option(&made, 1, words, n, b.big);
	while (na_capfile_option(&options, b.big, &o)) {
		if (!c->of->names && !na_capfile_is_mark(&o, &older))
			na_xf_put(&made, o.at, (size_t)(o.end - o.at));
	}
	add_option(&made, 0, "", 0, b.big);
	na_cut_add32(&made, (uint32_t)made.n + 4, b.big);
	if (!made.failed)
		na_cut_set32(made.p + 4, (uint32_t)made.n, b.big);
	st = made.failed ? na_fail_nomem(c->err) : put(c, made.p, made.n);
	na_xf_bytes_fini(&made);
	return st;
}

/* What says that it is a slice. */
static enum na_status put_mark(struct cut *c)
{
	struct na_str words = {.s = NULL};
	enum na_status st;

	if (!na_capture_mark_print(&words, c->of->said, c->in->zero_ns))
		st = na_fail_nomem(c->err);
	else if (c->file->ng)
		st = put_section(c, words.s, words.n);
	else
		st = put_first(c, words.s, words.n);
	free(words.s);
	return st;
}

static enum na_status put_packet(struct cut *c, const struct na_record *r,
				 uint64_t end)
{
	const uint8_t *from = c->file->c.base + r->at;

	if (!c->of->names)
		return put(c, from, (size_t)(end - r->at));
	na_bare_next(c->bare);
	na_cut_bare_record(&c->made, &c->hide, c->file, from, r);
	return put_made(c);
}

static enum na_status one_packet(struct cut *c, const struct na_record *r)
{
	uint64_t end = na_at(&c->file->c);
	enum na_status st = NA_OK;
	enum stay stay = stays(c, r);

	if (c->file->ng)
		st = put_blocks(c, r->at);
	c->big = c->file->big;
	c->counts->of_events++;
	c->counts->events += stay != GONE;
	c->counts->inside += stay >= AROUND;
	c->counts->around += stay == AROUND;
	if (st == NA_OK && stay != GONE)
		st = put_packet(c, r, end);
	c->nth++;
	c->done = end;
	return st;
}

/* What is damaged in the file is said as it is walked through. */
static enum na_status seek_packets(struct cut *c)
{
	enum na_status st = NA_OK;
	struct na_record r;

	for (; st == NA_OK && na_capfile_next(c->file, &r) == NA_OK; c->nth++) {
		if (c->of->around && asked(c, &r))
			st = na_around_see(c->of->around, &r, c->of->file,
					   c->nth);
		if (st == NA_OK && c->nth % LOOK_UP_EVERY == 0)
			st = c->of->put(c->of->put_ctx, "", 0, c->err);
	}
	return st == NA_ENOMEM ? na_fail_nomem(c->err) : st;
}

static enum na_status cut_packets(struct cut *c)
{
	enum na_status st;
	struct na_record r;

	c->nth = 0;
	c->done = c->file->ng ? 0 : na_at(&c->file->c);
	c->big = c->file->big;
	st = put_mark(c);
	while (st == NA_OK && na_capfile_next(c->file, &r) == NA_OK)
		st = one_packet(c, &r);
	if (st == NA_OK && c->file->ng)
		st = put_blocks(c, na_at(&c->file->c));
	return st;
}

static enum na_status see_bare(struct cut *c, const struct na_record *r)
{
	if (stays(c, r) == GONE)
		return NA_OK;
	na_bare_next(c->bare);
	return na_capture_record(c->capture, r);
}

static void put_bare(void *ctx, uint8_t *to, size_t n)
{
	na_bare_put(ctx, to, n);
}

/* A walk of its own over all packets. */
static enum na_status walk(struct cut *c,
			   enum na_status (*see)(struct cut *c,
						 const struct na_record *r))
{
	struct na_input probe = {.path = c->in->path,
				 .data = c->in->data,
				 .size = c->in->size,
				 .mapped = c->in->mapped,
				 .borrowed = true};
	enum na_status st = NA_OK;
	struct na_record r;

	probe.warnings_end = &probe.warnings;
	c->file = na_capfile_open(&probe, c->err);
	if (!c->file)
		return c->err->status;
	c->nth = 0;
	while (st == NA_OK && na_capfile_next(c->file, &r) == NA_OK) {
		st = see(c, &r);
		c->nth++;
	}
	na_capfile_close(c->file);
	na_arena_fini(&probe.arena);
	return st == NA_ENOMEM ? na_fail_nomem(c->err) : st;
}

/* --anonymize: what of the slice's payload anybody will read in it. */
static enum na_status find_bare(struct cut *c)
{
	struct na_capture_options o = {
		.wants = NA_WANT_TRANSFERS | NA_WANT_CALLS,
		.segments_of = NA_UNKNOWN_U32,
		.zero_ns = c->in->zero_ns,
		.sink = c->of->sink,
		.counted = true,
	};
	enum na_status st;

	c->bare = na_bare_new(c->of->names);
	if (!c->bare)
		return na_fail_nomem(c->err);
	o.watch = na_bare_watch(c->bare);
	c->capture = na_capture_new(&o);
	if (!c->capture)
		return na_fail_nomem(c->err);
	st = walk(c, see_bare);
	if (st == NA_OK)
		st = na_capture_finish(c->capture);
	if (st == NA_OK && !na_bare_again(c->bare))
		st = NA_ENOMEM;
	c->hide.ctx = c->bare;
	c->hide.stays = put_bare;
	return st == NA_ENOMEM ? na_fail_nomem(c->err) : st;
}

enum na_status na_capture_slice(struct na_input *in, const struct na_slice *of,
				struct na_slice_counts *counts,
				struct na_err *err)
{
	struct cut c = {.in = in,
			.of = of,
			.counts = counts,
			.err = err,
			.hide.masks = of->masks};
	enum na_status st = NA_OK;

	if (of->names && !of->learns && !of->seeks &&
	    !na_masks_settle(of->masks))
		st = na_fail_nomem(err);
	if (st == NA_OK && in->asks.filter)
		st = na_capture_filter_new(&c.filter, in->asks.filter, err);
	if (st == NA_OK && of->names && !of->seeks)
		st = find_bare(&c);
	if (st == NA_OK) {
		c.file = na_capfile_open(in, err);
		st = !c.file	 ? err->status
		     : of->seeks ? seek_packets(&c)
				 : cut_packets(&c);
		na_capfile_close(c.file);
	}
	na_xf_bytes_fini(&c.made);
	na_capture_free(c.capture);
	na_bare_free(c.bare);
	na_capture_filter_free(c.filter);
	return st;
}
