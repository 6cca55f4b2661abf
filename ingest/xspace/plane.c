/*
 * Planes of an XSpace: which lines they have, and their metadata maps.
 */
#include "ingest/xspace/xspace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/similar.h"
#include "netan/base/vec.h"

/* "/device:TPU:12" and nothing behind it; SparseCore planes have more. */
static bool device_number(const struct na_text *name, const char *prefix,
			  int32_t *n)
{
	size_t at = strlen(prefix);
	uint64_t x;

	if (!na_text_begins(*name, prefix) || name->n > at + 7 ||
	    !na_text_number(na_text_from(*name, at), &x))
		return false;
	*n = (int32_t)x;
	return true;
}

enum na_xs_plane_kind na_xs_plane_kind_of(const struct na_text *name,
					  int32_t *n)
{
	*n = -1;
	if (device_number(name, "/device:TPU:", n))
		return XS_TPU;
	if (device_number(name, "/device:GPU:", n))
		return XS_GPU;
	if (na_same_nocase(name->s, name->n, "/device:CUSTOM:Megascale Trace"))
		return XS_MEGASCALE;
	if (na_same_nocase(name->s, name->n, "/host:CPU"))
		return XS_HOST;
	if (na_same_nocase(name->s, name->n, "Task Environment"))
		return XS_TASK;
	if (na_same_nocase(name->s, name->n, "/host:metadata"))
		return XS_METADATA;
	if (na_same_nocase(name->s, name->n, "/host:CUPTI") ||
	    na_same_nocase(name->s, name->n, "/host:ROCTRACER"))
		return XS_LAUNCHES;
	return XS_OTHER;
}

/* A line's fields up to its first event: the canonical order has the name
 * and the stamp before it. */
static void line_head(struct na_xs_line *l)
{
	struct na_cursor c = l->body;
	struct na_field f;
	bool stamped = false, named = false;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		switch (f.tag) {
		case NA_TAG(2, NA_W_BYTES):
			l->name = na_text_under(&f.body);
			named = true;
			break;
		case NA_TAG(3, NA_W_VARINT):
			l->timestamp_ns = (int64_t)f.value;
			stamped = true;
			break;
		case NA_TAG(4, NA_W_BYTES):
			l->has_events = true;
			l->late_stamp = !stamped;
			l->late_name = !named;
			return;
		}
	}
	/* A first event that is cut off still makes it a line with events. */
	if (c.p != c.end && *c.p == NA_TAG(4, NA_W_BYTES))
		l->has_events = true;
}

void na_xs_line_rest(struct na_xs_line *l)
{
	bool late = l->late_stamp || l->late_name;
	struct na_cursor c = l->body;
	struct na_field f;

	while (late && na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(3, NA_W_VARINT))
			l->timestamp_ns = (int64_t)f.value;
		else if (f.tag == NA_TAG(2, NA_W_BYTES))
			l->name = na_text_under(&f.body);
	}
	l->late_stamp = l->late_name = false;
}

/* Entries are larger in memory than they must be in the file: bound them. */
static enum na_status one_more_entry(struct na_input *in, struct na_err *err)
{
	struct na_xs_space *s = in->state;

	if (++s->n_entries > XS_MAX_ENTRIES)
		return na_fail(err, NA_ELIMIT,
			       "more than %d lines and "
			       "metadata entries; no XProf trace has so many",
			       XS_MAX_ENTRIES);
	return NA_OK;
}

static enum na_status add_line(struct na_input *in, struct na_xs_plane *p,
			       struct na_cursor body, struct na_err *err)
{
	struct na_xs_line *l;

	if (one_more_entry(in, err) != NA_OK)
		return NA_ELIMIT;
	if (!na_room(&p->lines, 1))
		return na_fail_nomem(err);
	l = &p->lines.v[p->lines.n++];
	*l = (struct na_xs_line){.body = body, .name = {"", 0}};
	line_head(l);
	return NA_OK;
}

enum na_status na_xs_plane_scan(struct na_input *in, struct na_xs_plane *p,
				struct na_err *err)
{
	struct na_cursor c = p->body;
	struct na_field f;
	enum na_next next;
	enum na_status st;

	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(2, NA_W_BYTES))
			p->name = na_text_under(&f.body);
		if (f.tag != NA_TAG(3, NA_W_BYTES))
			continue;
		st = add_line(in, p, f.body, err);
		if (st != NA_OK)
			return st;
	}
	if (next == NA_NEXT_BAD) {
		/* Where the file ends inside it, that was said already. */
		if (!p->cut)
			na_input_warn(in,
				      "plane \"%.*s\": field at byte %" PRIu64
				      " does not fit, %zu bytes of the plane "
				      "left out",
				      (int)(p->name.n < 80 ? p->name.n : 80),
				      p->name.s, na_at(&c), na_left(&c));
		in->damaged = true;
		/* A line that is cut off still holds whole events. */
		if (c.p != c.end && *c.p == NA_TAG(3, NA_W_BYTES)) {
			uint64_t length;

			na_skip(&c, 1);
			if (na_varint(&c, &length)) {
				st = add_line(in, p, c, err);
				if (st != NA_OK)
					return st;
			}
		}
	}
	p->kind = na_xs_plane_kind_of(&p->name, &p->number);
	return NA_OK;
}

static uint8_t kind_of(const struct na_xs_plane *p, const struct na_text *name,
		       uint32_t wants)
{
	switch (p->kind) {
	case XS_MEGASCALE:
		return na_xs_mega_kind(name, wants);
	case XS_HOST:
		return na_xs_message_kind(name, wants);
	case XS_GPU:
		return na_xs_kernel_kind(name, wants);
	default:
		return 0;
	}
}

struct na_text na_xs_shown_name(const struct na_xs_event_type *t)
{
	return t->display_n ? na_xs_display(t) : na_xs_name(t);
}

void na_xs_name_missing(const struct na_sink *sink, int64_t id)
{
	char text[64];
	int n = snprintf(text, sizeof(text),
			 "(no name for metadata id %" PRId64 ")", id);

	sink->unknown_name(sink->ctx, text, (size_t)n, 1);
	sink->left_out(sink->ctx, NA_LEFT_UNKNOWN_NAME, 1);
}

/* Where a text of the message is. */
static void part(const struct na_xs_event_type *t, const struct na_cursor *c,
		 uint32_t *at, uint32_t *n)
{
	*at = (uint32_t)(c->p - t->in);
	*n = (uint32_t)na_left(c);
}

static bool read_event_type(const struct na_xs_plane *p, struct na_cursor body,
			    uint32_t wants, struct na_xs_event_type *t)
{
	struct na_field f;
	enum na_next next;
	struct na_text shown;

	*t = (struct na_xs_event_type){.in = body.p};
	/* A message has 2 GiB at most. */
	if (na_left(&body) > INT32_MAX)
		return false;
	t->n = (uint32_t)na_left(&body);
	while ((next = na_field_next(&body, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(2, NA_W_BYTES))
			part(t, &f.body, &t->name, &t->name_n);
		else if (f.tag == NA_TAG(4, NA_W_BYTES))
			part(t, &f.body, &t->display, &t->display_n);
		else if (f.tag == NA_TAG(5, NA_W_BYTES))
			t->has_stats = true;
	}
	shown = na_xs_shown_name(t);
	t->kind = kind_of(p, &shown, wants);
	t->acts = p->kind == XS_MEGASCALE && (wants & NA_WANT_AGAIN) &&
		  na_xs_mega_acts(&shown);
	return next == NA_NEXT_END;
}

static bool read_stat_type(struct na_cursor body, struct na_xs_stat_type *t)
{
	struct na_field f;
	enum na_next next;

	t->name = (struct na_text){"", 0};
	while ((next = na_field_next(&body, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(2, NA_W_BYTES))
			t->name = na_text_under(&f.body);
	}
	t->slot = na_xs_slot_of(&t->name);
	return next == NA_NEXT_END;
}

bool na_xs_map_entry(struct na_cursor c, int64_t *key, struct na_cursor *value)
{
	struct na_field f;
	enum na_next next;

	*key = 0;
	*value = (struct na_cursor){c.p, c.p, c.base};
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			*key = (int64_t)f.value;
		else if (f.tag == NA_TAG(2, NA_W_BYTES))
			*value = f.body;
	}
	return next == NA_NEXT_END;
}

static enum na_status add_entry(struct na_xs_plane *p, uint32_t tag,
				int64_t key, struct na_cursor value,
				uint32_t wants, bool *good, struct na_err *err)
{
	if (tag == NA_TAG(4, NA_W_BYTES)) {
		if (!na_room(&p->types, 1) ||
		    !na_idmap_set(&p->type_of, key, (uint32_t)p->types.n))
			return na_fail_nomem(err);
		*good = read_event_type(p, value, wants,
					&p->types.v[p->types.n]);
		p->types.n++;
	} else {
		if (!na_room(&p->stats, 1) ||
		    !na_idmap_set(&p->stat_of, key, (uint32_t)p->stats.n))
			return na_fail_nomem(err);
		*good = read_stat_type(value, &p->stats.v[p->stats.n++]);
	}
	return NA_OK;
}

enum na_status na_xs_plane_metadata(struct na_input *in, struct na_xs_plane *p,
				    struct na_err *err)
{
	struct na_cursor c = p->body;
	struct na_field f;
	size_t damaged = 0;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		struct na_cursor value;
		enum na_status st;
		int64_t key;
		bool good = true;

		if (f.tag != NA_TAG(4, NA_W_BYTES) &&
		    f.tag != NA_TAG(5, NA_W_BYTES))
			continue;
		if (!na_xs_map_entry(f.body, &key, &value)) {
			damaged++;
			continue;
		}
		st = one_more_entry(in, err);
		if (st == NA_OK)
			st = add_entry(p, f.tag, key, value, in->wants, &good,
				       err);
		if (st != NA_OK)
			return st;
		damaged += !good;
	}
	if (damaged) {
		na_input_warn(in,
			      "plane \"%.*s\": %zu damaged metadata "
			      "entries",
			      (int)(p->name.n < 80 ? p->name.n : 80), p->name.s,
			      damaged);
		in->damaged = true;
	}
	if (p->kind == XS_TPU && (in->wants & (NA_WANT_OPS | NA_WANT_BUSY)) &&
	    !na_xs_ops_survey(p))
		return na_fail_nomem(err);
	return NA_OK;
}

void na_xs_plane_fini(struct na_xs_plane *p)
{
	na_vec_free(&p->lines);
	na_vec_free(&p->types);
	na_vec_free(&p->stats);
	na_idmap_fini(&p->type_of);
	na_idmap_fini(&p->stat_of);
}
