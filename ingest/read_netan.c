/*
 * Reader of netan's own transfer files: recognise, survey the blocks, hand
 * them out.  A damaged block costs itself: the next one is found by its sync
 * mark.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "ingest/xfer_bytes.h"
#include "ingest/xfer_read.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum { MAX_SOURCES = 65535 };

static enum na_sniff sniff(const uint8_t *head, size_t n, uint64_t size,
			   const char **why)
{
	if (n >= XF_MAGIC_BYTES && !memcmp(head, XF_MAGIC, XF_MAGIC_BYTES))
		return NA_SNIFF_YES;
	if (n != size || n < 2 || n >= XF_MAGIC_BYTES ||
	    memcmp(head, XF_MAGIC, n) != 0)
		return NA_SNIFF_NO;
	*why = "a transfer file of netan's, cut off in its first bytes";
	return NA_SNIFF_DAMAGED;
}

bool xf_crc_good(const struct xf_block *b)
{
	return crc32_z(0, b->rest.p, na_left(&b->rest)) == b->crc;
}

static struct na_text text_of(const struct na_field *f)
{
	return (struct na_text){(const char *)f->body.p, na_left(&f->body)};
}

static void parse_source(struct na_cursor c, struct xf_source *s)
{
	struct na_field f;

	*s = (struct xf_source){.host = {"", 0}};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		switch (f.tag) {
		case NA_TAG(1, NA_W_BYTES):
			s->host = text_of(&f);
			break;
		case NA_TAG(2, NA_W_BYTES):
			s->label = text_of(&f);
			break;
		case NA_TAG(3, NA_W_BYTES):
			s->format = text_of(&f);
			break;
		case NA_TAG(4, NA_W_BYTES):
			s->path = text_of(&f);
			break;
		case NA_TAG(5, NA_W_VARINT):
			s->has_time = f.value != 0;
			break;
		case NA_TAG(6, NA_W_VARINT):
			s->has_wall = f.value != 0;
			break;
		case NA_TAG(7, NA_W_VARINT):
			s->first_ns = xf_unzigzag(f.value);
			break;
		case NA_TAG(8, NA_W_VARINT):
			s->zero_ns = xf_unzigzag(f.value);
			break;
		case NA_TAG(9, NA_W_VARINT):
			s->profile_start_ns = xf_unzigzag(f.value);
			break;
		case NA_TAG(10, NA_W_VARINT):
			s->profile_stop_ns = xf_unzigzag(f.value);
			break;
		case NA_TAG(11, NA_W_VARINT):
			s->n_devices = f.value;
			break;
		}
	}
}

static enum na_status parse_header(struct na_input *in, struct na_cursor c,
				   struct na_err *err)
{
	struct xf_file *x = in->state;
	uint64_t version = 0;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			version = f.value;
		if (f.tag != NA_TAG(5, NA_W_BYTES))
			continue;
		if (x->n_sources == MAX_SOURCES)
			return na_fail(err, NA_ELIMIT, "more than %d sources",
				       MAX_SOURCES);
		if (!na_grow(&x->sources, &x->cap_sources, x->n_sources + 1,
			     sizeof(*x->sources)))
			return na_fail_nomem(err);
		parse_source(f.body, &x->sources[x->n_sources++]);
	}
	if (version != XF_VERSION)
		return na_fail(err, NA_EFORMAT,
			       "a transfer file of version %" PRIu64 "; this "
			       "netan reads version %d",
			       version, XF_VERSION);
	if (!x->n_sources)
		return na_fail(err, NA_EFORMAT,
			       "a transfer file whose header names no source");
	x->header = true;
	return NA_OK;
}

static void parse_line(struct na_input *in, struct na_section *to,
		       struct na_cursor c, struct na_part_line *line)
{
	struct na_text name = {"", 0};
	struct na_field f;

	*line = (struct na_part_line){.events = 0};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			name = text_of(&f);
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			line->events = f.value;
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			line->wants = (uint32_t)f.value;
	}
	line->name = na_arena_strn(&in->arena, name.s, name.n);
	to->lines++;
	if (in->wants & (NA_WANT_COUNTS | line->wants)) {
		to->events += line->events;
		in->events += line->events;
	} else {
		in->lines_skipped++;
	}
}

static size_t count_of(struct na_cursor c, uint32_t tag)
{
	struct na_field f;
	size_t n = 0;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD)
		n += f.tag == tag;
	return n;
}

static bool parse_plane(struct na_input *in, struct na_cursor c,
			struct na_section *to)
{
	size_t n = count_of(c, NA_TAG(2, NA_W_BYTES));
	struct na_text name = {"", 0};
	struct na_field f;

	to->parts = na_arena_alloc(&in->arena, n * sizeof(*to->parts));
	if (!to->parts)
		return false;
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			name = text_of(&f);
		if (f.tag != NA_TAG(2, NA_W_BYTES))
			continue;
		parse_line(in, to, f.body, &to->parts[to->n_parts]);
		if (!to->parts[to->n_parts++].name)
			return false;
	}
	to->name = na_arena_strn(&in->arena, name.s, name.n);
	return to->name != NULL;
}

static enum na_status parse_end(struct na_input *in, const struct xf_block *b,
				struct na_cursor c, struct na_err *err)
{
	size_t n = count_of(c, NA_TAG(1, NA_W_BYTES)), told = 0, kept = 0;
	struct xf_file *x = in->state;
	struct na_section *all;
	struct na_field f;

	x->sources[b->source].ended = true;
	all = na_arena_alloc(&in->arena, (in->n_sections + n) * sizeof(*all));
	if (!all)
		return na_fail_nomem(err);
	if (in->n_sections)
		memcpy(all, in->sections, in->n_sections * sizeof(*all));
	in->sections = all;
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES) &&
		    !parse_plane(in, f.body, &all[in->n_sections++]))
			return na_fail_nomem(err);
		if (f.tag == NA_TAG(2, NA_W_VARINT))
			in->damaged |= f.value != 0;
		if (f.tag == NA_TAG(3, NA_W_BYTES) && ++kept)
			na_input_warn(in, "%.*s",
				      (int)(f.value < 400 ? f.value : 400),
				      (const char *)f.body.p);
		if (f.tag == NA_TAG(4, NA_W_VARINT))
			told = (size_t)f.value;
	}
	in->n_warnings += told > kept ? told - kept : 0;
	return NA_OK;
}

static void parse_trailer(struct na_input *in, struct na_cursor c)
{
	struct xf_file *x = in->state;
	uint64_t blocks = 0, records = 0;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			blocks = f.value;
		else if (f.tag == NA_TAG(2, NA_W_VARINT))
			records = f.value;
	}
	x->trailer = true;
	if (x->seen_blocks == blocks && x->seen_records == records)
		return;
	in->damaged = true;
	na_input_warn(in,
		      "%" PRIu64 " blocks with %" PRIu64 " records were "
		      "written, %" PRIu64 " with %" PRIu64 " are here",
		      blocks, records, x->seen_blocks, x->seen_records);
}

static void bad_block(struct na_input *in, uint64_t at, const char *what)
{
	in->damaged = true;
	na_input_warn(in, "block at byte %" PRIu64 ": %s; it is left out", at,
		      what);
}

/* A block whose extent is known; its records' checksum is the decoder's. */
static enum na_status take_block(struct na_input *in, struct na_cursor c,
				 uint64_t at, struct na_err *err)
{
	struct na_cursor header = {NULL}, end = {NULL}, trailer = {NULL};
	struct xf_block b = {.at = at};
	struct xf_file *x = in->state;
	struct na_field f;

	if (na_field_next(&c, &f) != NA_NEXT_FIELD ||
	    f.tag != NA_TAG(1, NA_W_FIXED32)) {
		bad_block(in, at, "no checksum");
		return NA_OK;
	}
	b.crc = (uint32_t)f.value;
	b.rest = c;
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(2, NA_W_VARINT))
			b.source = (uint32_t)f.value;
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			b.records = f.value;
		else if (f.tag == NA_TAG(4, NA_W_BYTES))
			header = f.body;
		else if (f.tag == NA_TAG(5, NA_W_BYTES))
			b.content = f.body;
		else if (f.tag == NA_TAG(6, NA_W_BYTES))
			end = f.body;
		else if (f.tag == NA_TAG(7, NA_W_BYTES))
			trailer = f.body;
	}
	if ((header.p || end.p || trailer.p) && !xf_crc_good(&b)) {
		if (!x->header)
			return na_fail(err, NA_EFORMAT,
				       "a transfer file whose header is "
				       "damaged: nothing can be made of it");
		bad_block(in, at, "its checksum is wrong");
		return NA_OK;
	}
	if (!x->header && !header.p)
		return na_fail(err, NA_EFORMAT,
			       "a transfer file without its header");
	if (trailer.p) {
		parse_trailer(in, trailer);
		return NA_OK;
	}
	x->seen_blocks++;
	if (header.p && !x->header)
		return parse_header(in, header, err);
	if (b.source >= x->n_sources) {
		bad_block(in, at, "of a source that the header does not name");
		return NA_OK;
	}
	if (end.p)
		return parse_end(in, &b, end, err);
	if (!b.content.p)
		return NA_OK; /* of a kind that is not known yet */
	b.records = b.records < XF_MAX_RECORDS ? b.records : XF_MAX_RECORDS;
	x->seen_records += b.records;
	if (!na_grow(&x->blocks, &x->cap_blocks, x->n_blocks + 1,
		     sizeof(*x->blocks)))
		return na_fail_nomem(err);
	x->blocks[x->n_blocks++] = b;
	return NA_OK;
}

static bool at_sync(const struct na_cursor *c)
{
	return na_left(c) >= XF_SYNC_BYTES &&
	       memcmp(c->p, XF_SYNC, XF_SYNC_BYTES) == 0;
}

/* The block behind a sync mark, which another one or the end must follow. */
static bool next_extent(struct na_cursor *c, struct na_cursor *block)
{
	struct na_cursor at = *c;
	struct na_field f;

	if (!at_sync(&at) || !na_skip(&at, XF_SYNC_BYTES) ||
	    na_field_next(&at, &f) != NA_NEXT_FIELD ||
	    f.tag != NA_TAG(3, NA_W_BYTES) || (at.p != at.end && !at_sync(&at)))
		return false;
	*block = f.body;
	*c = at;
	return true;
}

/* To the next sync mark, or to the end. */
static void find_sync(struct na_input *in, struct na_cursor *c)
{
	const uint8_t *from = c->p;
	const uint8_t *p = memmem(from + 1, na_left(c) - 1, XF_SYNC,
				  XF_SYNC_BYTES);

	in->damaged = true;
	c->p = p ? p : c->end;
	if (p)
		na_input_warn(in,
			      "byte %" PRIu64 ": not a whole block; %zu bytes "
			      "are left out, up to the next one",
			      (uint64_t)(from - c->base), (size_t)(p - from));
	else
		na_input_warn(in,
			      "truncated: the block at byte %" PRIu64 " is not "
			      "whole, its %zu bytes are left out",
			      (uint64_t)(from - c->base),
			      (size_t)(c->end - from));
}

static enum na_status survey(struct na_input *in, struct na_err *err)
{
	struct na_cursor c = {in->data + XF_MAGIC_BYTES, in->data + in->size,
			      in->data};
	struct xf_file *x = in->state;
	enum na_status st = NA_OK;

	while (st == NA_OK && c.p < c.end) {
		struct na_cursor block;
		uint64_t at = na_at(&c);

		if (next_extent(&c, &block))
			st = take_block(in, block, at, err);
		else if (!x->header)
			return na_fail(err, NA_EFORMAT,
				       "a transfer file whose header is "
				       "damaged: nothing can be made of it");
		else
			find_sync(in, &c);
	}
	if (st == NA_OK && !x->header)
		st = na_fail(err, NA_EFORMAT,
			     "a transfer file that ends before its header");
	if (st != NA_OK || x->trailer)
		return st;
	if (!in->damaged)
		na_input_warn(in, "not finished: there is no trailer at its "
				  "end; what was written is read");
	in->damaged = true;
	return NA_OK;
}

static bool tell_source(struct na_input *in, const struct xf_source *s)
{
	in->has_time = s->has_time;
	in->has_wall = s->has_wall;
	in->first_ns = s->first_ns;
	in->profile_start_ns = s->profile_start_ns;
	in->profile_stop_ns = s->profile_stop_ns;
	in->n_devices = s->n_devices;
	in->host = na_arena_strn(&in->arena, s->host.s, s->host.n);
	return in->host != NULL;
}

static enum na_status open_netan(struct na_input *in, struct na_err *err)
{
	struct xf_file *x = calloc(1, sizeof(*x));
	enum na_status st;

	if (!x)
		return na_fail_nomem(err);
	in->state = x;
	st = survey(in, err);
	if (st == NA_OK && !tell_source(in, &x->sources[0]))
		st = na_fail_nomem(err);
	return st;
}

static void close_netan(struct na_input *in)
{
	struct xf_file *x = in->state;

	free(x->sources);
	free(x->blocks);
	free(x);
	in->state = NULL;
}

static enum na_status cut(struct na_input *in, struct na_block *b,
			  struct na_err *err)
{
	struct xf_file *x = in->state;
	const struct xf_block *next = &x->blocks[x->next];

	(void)err;
	if (x->next == x->n_blocks)
		return NA_END;
	x->next++;
	*b = (struct na_block){next, next->rest.p, next->rest.end};
	return NA_OK;
}

static enum na_status read_netan(const struct na_input *in,
				 const struct na_block *b,
				 const struct na_sink *sink, struct na_err *err)
{
	const struct xf_file *x = in->state;
	const struct xf_block *block = b->owner;
	int64_t ns, ps;

	/* Without times nothing is moved. */
	if (__builtin_sub_overflow(x->sources[block->source].zero_ns,
				   in->zero_ns, &ns) ||
	    !na_mul_i64(ns, NA_PS_PER_NS, &ps))
		ps = 0;
	return xf_decode(block, in->wants, ps, sink, err);
}

const struct na_reader na_reader_netan = {
	.name = "netan",
	.sniff = sniff,
	.open = open_netan,
	.cut = cut,
	.read = read_netan,
	.close = close_netan,
};
