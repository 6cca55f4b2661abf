/*
 * Packets of a window, as they stand in the file.
 *
 * The origin of a capture is its first packet, so that one stays: where it is
 * not of the slice, without a byte of its own, as a record of its time and
 * length.  Of pcapng all blocks stay that hold no packet.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/capture/capfile_parts.h"
#include "ingest/capture/cut.h"
#include "ingest/capture/filter.h"
#include "ingest/capture/packet.h"
#include "ingest/slice.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

enum { EMPTY = 32 }; /* a block of a packet without any bytes */

struct cut {
	struct na_input *in;
	const struct na_slice *of;
	struct na_slice_counts *counts;
	struct na_err *err;
	struct na_capfile *file;
	struct na_capture_filter *filter;
	uint64_t done; /* bytes of the file that were decided about */
	bool big;      /* there */
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
	return named(l, &p.src) || named(l, &p.dst) ||
	       named(l, &p.outer_src) || named(l, &p.outer_dst);
}

static bool in_window(const struct cut *c, const struct na_record *r)
{
	int64_t ps;

	return na_ps_since(r->time_ns, c->in->zero_ns, &ps) &&
	       ps >= c->of->from_ps && ps < c->of->to_ps;
}

static bool passes(const struct cut *c, const struct na_record *r)
{
	return in_window(c, r) && has_address(c, r) &&
	       (!c->filter || na_capture_filter_pass(c->filter, r));
}

/* ---- what is written */

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
		if (!b.packet)
			st = put(c, from, (size_t)(at.p - from));
	}
	c->done = end;
	return st;
}

static void set32(uint8_t *p, uint32_t x, bool big)
{
	for (int i = 0; i < 4; i++)
		p[big ? 3 - i : i] = (uint8_t)(x >> 8 * i);
}

/* A packet of which no byte was captured. */
static enum na_status put_empty(const struct cut *c, const struct na_record *r)
{
	const uint8_t *raw = c->file->c.base + r->at;
	uint8_t out[EMPTY] = {0};
	bool big = c->file->big;

	if (!c->file->ng) {
		size_t n = na_capfile_header_size(c->file);

		memcpy(out, raw, n);
		set32(out + 8, 0, big);
		set32(out + 12, r->wire_bytes, big);
		return put(c, out, n);
	}
	if (!na_capfile_has_time(c->file, raw))
		return NA_OK; /* a simple packet */
	memcpy(out, raw, EMPTY - 4);
	set32(out + 4, EMPTY, big);
	set32(out + 20, 0, big);
	set32(out + 24, r->wire_bytes, big);
	set32(out + 28, EMPTY, big);
	return put(c, out, EMPTY);
}

static enum na_status one_packet(struct cut *c, const struct na_record *r,
				 bool first)
{
	const uint8_t *base = c->file->c.base;
	uint64_t end = na_at(&c->file->c);
	enum na_status st = NA_OK;
	bool stays = passes(c, r);

	if (c->file->ng)
		st = put_blocks(c, r->at);
	c->big = c->file->big;
	c->counts->of_events++;
	c->counts->events += stays;
	c->counts->inside += stays;
	if (st == NA_OK && stays)
		st = put(c, base + r->at, (size_t)(end - r->at));
	else if (st == NA_OK && first)
		st = put_empty(c, r);
	c->done = end;
	return st;
}

static enum na_status cut_packets(struct cut *c)
{
	enum na_status st = NA_OK;
	struct na_record r;
	bool first = true;

	c->done = c->file->ng ? 0 : na_at(&c->file->c);
	c->big = c->file->big;
	if (!c->file->ng)
		st = put(c, c->in->data, (size_t)c->done);
	while (st == NA_OK && na_capfile_next(c->file, &r) == NA_OK) {
		st = one_packet(c, &r, first);
		first = false;
	}
	if (st == NA_OK && c->file->ng)
		st = put_blocks(c, na_at(&c->file->c));
	return st;
}

enum na_status na_capture_slice(struct na_input *in, const struct na_slice *of,
				struct na_slice_counts *counts,
				struct na_err *err)
{
	struct cut c = {.in = in, .of = of, .counts = counts, .err = err};
	enum na_status st = NA_OK;

	if (in->asks.filter)
		st = na_capture_filter_new(&c.filter, in->asks.filter, err);
	if (st == NA_OK) {
		c.file = na_capfile_open(in, err);
		st = c.file ? cut_packets(&c) : err->status;
		na_capfile_close(c.file);
	}
	na_capture_filter_free(c.filter);
	return st;
}
