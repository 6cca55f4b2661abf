/*
 * The survey of a transfer file: its blocks, one after the other.  A damaged
 * block costs itself: the next one is found by its sync mark.
 */
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "ingest/transfer_file/bytes.h"
#include "ingest/transfer_file/read.h"
#include "netan/base/vec.h"

bool na_xf_crc_good(const struct na_xf_block *b)
{
	return crc32_z(0, b->rest.p, na_left(&b->rest)) == b->crc;
}

static void parse_source(struct na_cursor c, struct na_xf_source *s)
{
	struct na_field f;

	*s = (struct na_xf_source){.first = XF_NO_BLOCK, .last = XF_NO_BLOCK};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		switch (f.tag) {
		case NA_TAG(1, NA_W_BYTES):
			s->host = na_text_under(&f.body);
			break;
		case NA_TAG(2, NA_W_BYTES):
			s->label = na_text_under(&f.body);
			break;
		case NA_TAG(3, NA_W_BYTES):
			s->format = na_text_under(&f.body);
			break;
		case NA_TAG(4, NA_W_BYTES):
			s->path = na_text_under(&f.body);
			break;
		case NA_TAG(5, NA_W_VARINT):
			s->has_time = f.value != 0;
			break;
		case NA_TAG(6, NA_W_VARINT):
			s->has_wall = f.value != 0;
			break;
		case NA_TAG(7, NA_W_VARINT):
			s->first_ns = na_xf_unzigzag(f.value);
			break;
		case NA_TAG(8, NA_W_VARINT):
			s->zero_ns = na_xf_unzigzag(f.value);
			break;
		case NA_TAG(9, NA_W_VARINT):
			s->profile_start_ns = na_xf_unzigzag(f.value);
			break;
		case NA_TAG(10, NA_W_VARINT):
			s->profile_stop_ns = na_xf_unzigzag(f.value);
			break;
		case NA_TAG(11, NA_W_VARINT):
			s->n_devices = f.value;
			break;
		case NA_TAG(12, NA_W_VARINT):
			s->ranks = f.value != 0;
			break;
		case NA_TAG(13, NA_W_VARINT):
			s->on_cpus = f.value != 0;
			break;
		case NA_TAG(14, NA_W_VARINT):
			if (f.value <= NA_TOLD_RECORDER)
				s->told = (enum na_told)f.value;
			break;
		case NA_TAG(15, NA_W_VARINT):
			s->rank = f.value;
			break;
		case NA_TAG(16, NA_W_VARINT):
			s->world_size = f.value;
			break;
		case NA_TAG(17, NA_W_VARINT):
			s->pid = f.value;
			break;
		case NA_TAG(18, NA_W_VARINT):
			s->file_bytes = f.value;
			break;
		case NA_TAG(19, NA_W_VARINT):
			s->has_tpus = f.value != 0;
			break;
		case NA_TAG(20, NA_W_VARINT):
			s->has_gpus = f.value != 0;
			break;
		case NA_TAG(21, NA_W_BYTES):
			s->cut = na_text_under(&f.body);
			break;
		case NA_TAG(22, NA_W_VARINT):
			s->content_bytes = f.value;
			break;
		case NA_TAG(23, NA_W_VARINT):
			s->content_hash = f.value;
			break;
		}
	}
}

static enum na_status parse_header(struct na_xf_file *x, struct na_cursor c,
				   struct na_err *err)
{
	uint64_t version = 0;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			version = f.value;
		if (f.tag == NA_TAG(2, NA_W_BYTES))
			x->program = na_text_under(&f.body);
		if (f.tag == NA_TAG(4, NA_W_VARINT))
			x->anonymized = f.value != 0;
		if (f.tag == NA_TAG(6, NA_W_VARINT))
			x->asked = f.value;
		if (f.tag != NA_TAG(5, NA_W_BYTES))
			continue;
		if (x->sources.n == NA_INPUTS_MAX)
			return na_fail(err, NA_ELIMIT, "more than %d sources",
				       NA_INPUTS_MAX);
		if (!na_room(&x->sources, 1))
			return na_fail_nomem(err);
		parse_source(f.body, &x->sources.v[x->sources.n++]);
	}
	if (version != XF_VERSION)
		return na_fail(err, NA_EFORMAT,
			       "a transfer file of version %" PRIu64 "; this "
			       "netan reads version %d",
			       version, XF_VERSION);
	if (!x->sources.n)
		return na_fail(err, NA_EFORMAT,
			       "a transfer file whose header names no source");
	x->header = true;
	return NA_OK;
}

static void parse_trailer(struct na_input *in, struct na_xf_file *x,
			  struct na_cursor c)
{
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

static enum na_status add_block(struct na_xf_file *x, struct na_xf_block *b,
				struct na_err *err)
{
	struct na_xf_source *s = &x->sources.v[b->source];
	size_t i = x->blocks.n;

	b->records = b->records < XF_MAX_RECORDS ? b->records : XF_MAX_RECORDS;
	b->next = XF_NO_BLOCK;
	if (!na_add(&x->blocks, *b))
		return na_fail_nomem(err);
	if (s->first == XF_NO_BLOCK)
		s->first = i;
	else
		x->blocks.v[s->last].next = i;
	s->last = i;
	x->seen_records += b->records;
	return NA_OK;
}

/* A block whose extent is known; its records' checksum is the decoder's. */
static enum na_status take_block(struct na_input *in, struct na_xf_file *x,
				 struct na_cursor c, uint64_t at,
				 struct na_err *err)
{
	struct na_cursor header = {.p = NULL}, end = {.p = NULL};
	struct na_cursor trailer = {.p = NULL};
	struct na_xf_block b = {.at = at};
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
	if (!b.content.p && !na_xf_crc_good(&b)) {
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
		parse_trailer(in, x, trailer);
		return NA_OK;
	}
	x->seen_blocks++;
	if (header.p && !x->header)
		return parse_header(x, header, err);
	if (b.source >= x->sources.n) {
		bad_block(in, at, "of a source that the header does not name");
		return NA_OK;
	}
	if (end.p)
		x->sources.v[b.source].end = end;
	return b.content.p ? add_block(x, &b, err) : NA_OK;
}

/* A sync mark, or as much of it as the end of the file has left. */
static bool at_sync(const struct na_cursor *c)
{
	size_t n = na_left(c) < XF_SYNC_BYTES ? na_left(c) : XF_SYNC_BYTES;

	return memcmp(c->p, XF_SYNC, n) == 0;
}

/* Its checksum, where a length that lies would not lead to a sync mark. */
static bool whole(struct na_cursor block)
{
	struct na_xf_block b = {.at = 0};
	struct na_field f;

	if (na_field_next(&block, &f) != NA_NEXT_FIELD ||
	    f.tag != NA_TAG(1, NA_W_FIXED32))
		return false;
	b.crc = (uint32_t)f.value;
	b.rest = block;
	return na_xf_crc_good(&b);
}

/* The block behind a sync mark, which another one or the end must follow. */
static bool next_extent(struct na_xf_file *x, struct na_cursor *c,
			struct na_cursor *block)
{
	struct na_cursor at = *c;
	struct na_field f;

	if (!at_sync(&at) || !na_skip(&at, XF_SYNC_BYTES) ||
	    na_field_next(&at, &f) != NA_NEXT_FIELD ||
	    f.tag != NA_TAG(3, NA_W_BYTES))
		return false;
	if (!at_sync(&at) && (x->doubts++ >= XF_MAX_DOUBTS || !whole(f.body)))
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

enum na_status na_xf_survey(struct na_input *in, struct na_xf_file *x,
			    struct na_err *err)
{
	struct na_cursor c = {in->data + XF_MAGIC_BYTES, in->data + in->size,
			      in->data};
	enum na_status st = NA_OK;

	while (st == NA_OK && c.p < c.end) {
		struct na_cursor block;
		uint64_t at = na_at(&c);

		if (next_extent(x, &c, &block))
			st = take_block(in, x, block, at, err);
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
	x->broken = in->damaged || !x->trailer;
	if (st != NA_OK || x->trailer)
		return st;
	if (!in->damaged)
		na_input_warn(in, "not finished: there is no trailer at its "
				  "end; what was written is read");
	in->damaged = true;
	return NA_OK;
}
