/*
 * Reader of netan's own transfer files; each source in one is an input of
 * its own.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "ingest/slice.h"
#include "ingest/transfer_file/bytes.h"
#include "ingest/transfer_file/read.h"
#include "netan/base/units.h"

/* As files of older versions have them. */
#define SLIM_PROGRAM NA_TAG(4, NA_W_BYTES)

enum { ZSTD_BLOCK_BYTES = 128 << 10 };

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

static void parse_line(struct na_input *in, struct na_section *to,
		       struct na_cursor c, struct na_part_line *line)
{
	struct na_text name = {"", 0};
	struct na_field f;

	*line = (struct na_part_line){.events = 0};
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			name = na_text_under(&f.body);
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
			name = na_text_under(&f.body);
		if (f.tag == NA_TAG(3, NA_W_VARINT)) {
			to->events += f.value;
			in->events += f.value;
		}
		if (f.tag != NA_TAG(2, NA_W_BYTES))
			continue;
		parse_line(in, to, f.body, &to->parts[to->n_parts]);
		if (!to->parts[to->n_parts++].name)
			return false;
	}
	to->name = na_arena_strn(&in->arena, name.s, name.n);
	return to->name != NULL;
}

bool na_xf_is_capture(const struct na_xf_source *s)
{
	return s->format.n >= 4 && memcmp(s->format.s, "pcap", 4) == 0;
}

static void parse_capture(struct na_input *in, struct na_cursor c)
{
	struct na_xf_input *x = in->state;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		int64_t n = (int64_t)f.value;

		for (size_t i = 0; i < na_xf_capture.n_fields; i++) {
			if (f.tag ==
			    NA_TAG(na_xf_capture.fields[i].number, NA_W_VARINT))
				na_xf_store(&x->capture, na_xf_capture.size,
					    &na_xf_capture.fields[i], &n, 1);
		}
	}
	in->capture = &x->capture;
}

/* What was said when the file was made, and may hold what its input said. */
static void say_again(struct na_input *in, struct na_text said)
{
	const struct na_xf_input *x = in->state;

	if (x->file->anonymized)
		na_input_warn(in, "%.*s", (int)(said.n < 400 ? said.n : 400),
			      said.s);
	else
		na_input_quote(in, NULL, said);
}

static enum na_status parse_end(struct na_input *in, struct na_cursor c,
				struct na_err *err)
{
	size_t n = count_of(c, NA_TAG(1, NA_W_BYTES)), told = 0, kept = 0;
	struct na_field f;

	in->sections = na_arena_alloc(&in->arena, n * sizeof(*in->sections));
	if (!in->sections)
		return na_fail_nomem(err);
	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES) &&
		    !parse_plane(in, f.body, &in->sections[in->n_sections++]))
			return na_fail_nomem(err);
		if (f.tag == NA_TAG(2, NA_W_VARINT))
			in->damaged |= f.value != 0;
		if (f.tag == NA_TAG(3, NA_W_BYTES) && ++kept)
			say_again(in, na_text_under(&f.body));
		if (f.tag == NA_TAG(4, NA_W_VARINT))
			told = (size_t)f.value;
		if (f.tag == NA_TAG(5, NA_W_VARINT) && !n)
			in->events = f.value;
		if (f.tag == NA_TAG(6, NA_W_BYTES))
			parse_capture(in, f.body);
		if (f.tag == NA_TAG(7, NA_W_BYTES))
			in->slim_programs |= count_of(f.body, SLIM_PROGRAM) > 0;
	}
	in->n_warnings += told > kept ? told - kept : 0;
	return NA_OK;
}

/* More than any job has are none. */
static int32_t told_number(uint64_t one_more)
{
	return one_more <= NA_CORES_MAX ? (int32_t)one_more - 1 : -1;
}

static void tell_ranks(struct na_input *in, const struct na_xf_source *s)
{
	in->ranks = s->ranks;
	in->on_cpus = s->on_cpus;
	in->told = s->told;
	in->has_tpus = s->has_tpus;
	in->has_gpus = s->has_gpus;
	in->rank = told_number(s->rank);
	in->world_size = told_number(s->world_size);
	in->pid = s->pid <= INT64_MAX ? (int64_t)s->pid - 1 : -1;
}

static enum na_status tell_source(struct na_input *in,
				  const struct na_xf_source *s,
				  struct na_err *err)
{
	struct na_xf_input *x = in->state;

	in->has_time = s->has_time;
	in->has_wall = s->has_wall;
	in->first_ns = s->first_ns;
	in->profile_start_ns = s->profile_start_ns;
	in->profile_stop_ns = s->profile_stop_ns;
	in->n_devices = s->n_devices;
	in->anonymous = x->file->anonymized;
	tell_ranks(in, s);
	in->host = na_arena_strn(&in->arena, s->host.s, s->host.n);
	if (s->label.n)
		in->label = na_arena_strn(&in->arena, s->label.s, s->label.n);
	if (!in->host || (s->label.n && !in->label) ||
	    !na_slice_take_mark(in, s->cut))
		return na_fail_nomem(err);
	if (na_xf_is_capture(s))
		in->capture = &x->capture;
	return s->end.p ? parse_end(in, s->end, err) : NA_OK;
}

static enum na_status open_netan(struct na_input *in, struct na_err *err)
{
	struct na_xf_input *x = calloc(1, sizeof(*x));
	const struct na_xf_input *first = in->first_state;
	enum na_status st = NA_OK;

	if (!x)
		return na_fail_nomem(err);
	in->state = x;
	x->file = first ? first->file : &x->own;
	if (!first)
		st = na_xf_survey(in, &x->own, err);
	if (st != NA_OK)
		return st;
	in->n_sources = x->file->sources.n;
	x->next = x->file->sources.v[in->source].first;
	return tell_source(in, &x->file->sources.v[in->source], err);
}

static void close_netan(struct na_input *in)
{
	struct na_xf_input *x = in->state;

	na_vec_free(&x->own.sources);
	na_vec_free(&x->own.blocks);
	free(x);
	in->state = NULL;
}

static enum na_status cut(struct na_input *in, struct na_block *b,
			  struct na_err *err)
{
	struct na_xf_input *x = in->state;
	const struct na_xf_block *next;

	(void)err;
	if (x->next == XF_NO_BLOCK)
		return NA_END;
	next = &x->file->blocks.v[x->next];
	x->next = next->next;
	*b = (struct na_block){next, next->rest.p, next->rest.end};
	return NA_OK;
}

static enum na_status read_netan(const struct na_input *in,
				 const struct na_block *b,
				 const struct na_sink *sink, struct na_err *err)
{
	const struct na_xf_input *x = in->state;
	const struct na_xf_block *block = b->owner;
	int64_t ps;

	/* Without times nothing is moved. */
	if (!na_ps_since(x->file->sources.v[block->source].zero_ns, in->zero_ns,
			 &ps))
		ps = 0;
	return na_xf_decode(block, in->wants, ps, sink, err);
}

/* ---- programs */

/* Whether `packed` can hold so much: a few bytes are not to cost half a
 * gigabyte of memory.  zstd writes the size, which may lie; a block of its own
 * has 3 bytes at least, and holds ZSTD_BLOCK_BYTES. */
static bool may_hold(struct na_cursor packed, uint64_t raw_bytes)
{
	size_t left = packed.p ? na_left(&packed) : 0;
	unsigned long long told = ZSTD_getFrameContentSize(packed.p, left);

	return raw_bytes <= XF_MAX_PROGRAM_BYTES && left &&
	       (told == ZSTD_CONTENTSIZE_UNKNOWN || told == raw_bytes) &&
	       raw_bytes <= left / 3 * ZSTD_BLOCK_BYTES;
}

static bool unpack_program(struct na_cursor packed, uint64_t raw_bytes,
			   void *to)
{
	size_t n = ZSTD_decompress(to, (size_t)raw_bytes, packed.p,
				   na_left(&packed));

	return !ZSTD_isError(n) && n == raw_bytes;
}

static enum na_status one_program(struct na_input *in, struct na_cursor c,
				  na_program_take take, void *ctx,
				  struct na_err *err)
{
	struct na_program_bytes x = {.name = {"", 0}, .at = na_at(&c)};
	struct na_cursor packed = {.p = NULL};
	enum na_status st = NA_OK;
	struct na_field f;
	void *raw = NULL;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES)) {
			x.name = na_text_under(&f.body);
		} else if (f.tag == NA_TAG(2, NA_W_VARINT)) {
			x.id = f.value;
		} else if (f.tag == NA_TAG(3, NA_W_VARINT) ||
			   f.tag == NA_TAG(5, NA_W_VARINT)) {
			x.n = f.value;
		} else if (f.tag == SLIM_PROGRAM ||
			   f.tag == NA_TAG(6, NA_W_BYTES)) {
			packed = f.body;
		}
	}
	if (may_hold(packed, x.n)) {
		raw = malloc(x.n + 1);
		if (!raw)
			return na_fail_nomem(err);
	}
	x.p = raw;
	if (raw && unpack_program(packed, x.n, raw)) {
		st = take(ctx, &x, err);
	} else {
		in->damaged = true;
		na_input_warn(in,
			      "the program at byte %" PRIu64
			      " is malformed: left out",
			      x.at);
	}
	free(raw);
	return st;
}

static enum na_status program_bytes(struct na_input *in, na_program_take take,
				    void *ctx, struct na_err *err)
{
	const struct na_xf_input *x = in->state;
	struct na_cursor c = x->file->sources.v[in->source].end;
	enum na_status st = NA_OK;
	struct na_field f;

	while (st == NA_OK && c.p && na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(7, NA_W_BYTES))
			st = one_program(in, f.body, take, ctx, err);
	}
	return st;
}

const struct na_reader na_reader_netan = {
	.name = "netan",
	.sniff = sniff,
	.open = open_netan,
	.cut = cut,
	.read = read_netan,
	.program_bytes = program_bytes,
	.close = close_netan,
};
