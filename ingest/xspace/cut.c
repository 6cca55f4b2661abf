/* The planes of a slice: lines, then the names that are left. */
#include "ingest/xspace/cut.h"

#include "ingest/xspace/ops.h"

enum { CHILD_TURNS = 16 }; /* types have children that have children */

const char na_xs_cut_plane[] = "netan slice";

/* ---- ranges */

bool na_xs_cut_keep(struct na_xs_cut *c, const uint8_t *p, size_t n)
{
	struct na_xs_range *last = c->ranges.n ? &c->ranges.v[c->ranges.n - 1]
					       : NULL;

	if (!n)
		return true;
	c->bytes += n;
	if (last && last->p && last->p + last->n == p) {
		last->n += n;
		return true;
	}
	return na_add(&c->ranges, ((struct na_xs_range){p, n}));
}

bool na_xs_cut_head(struct na_xs_cut *c, size_t range, uint32_t field,
		    uint64_t length)
{
	struct na_xf_bytes head = {.p = NULL};
	const char *copy;

	na_xf_put_varint(&head, NA_TAG(field, NA_W_BYTES));
	na_xf_put_varint(&head, length);
	copy = head.failed
		       ? NULL
		       : na_arena_strn(&c->made, (const char *)head.p, head.n);
	if (copy)
		c->ranges.v[range] = (struct na_xs_range){(const uint8_t *)copy,
							  head.n};
	c->bytes += head.n;
	na_xf_bytes_fini(&head);
	return copy;
}

static enum na_status put(struct na_xs_cut *c, const void *p, size_t n)
{
	return n ? c->of->put(c->of->put_ctx, p, n, c->err) : NA_OK;
}

/* A field of the space that the ranges are. */
static enum na_status put_ranges(struct na_xs_cut *c)
{
	struct na_xf_bytes head = {.p = NULL};
	enum na_status st;

	na_xf_put_varint(&head, NA_TAG(1, NA_W_BYTES));
	na_xf_put_varint(&head, c->bytes);
	st = head.failed ? na_fail_nomem(c->err) : put(c, head.p, head.n);
	for (size_t i = 0; st == NA_OK && i < c->ranges.n; i++)
		st = put(c, c->ranges.v[i].p, c->ranges.v[i].n);
	na_xf_bytes_fini(&head);
	return st;
}

/* ---- the maps of names */

static bool used(const struct na_idmap *m, int64_t id)
{
	return na_idmap_at(m, id) != UINT32_MAX;
}

static bool note_child(struct na_xs_cut *c, uint64_t id, bool *more)
{
	*more |= !used(&c->types, (int64_t)id);
	return na_xs_cut_note(&c->types, (int64_t)id);
}

/* Children may stand anywhere: another turn, as long as there are new ones. */
static bool note_children(struct na_xs_cut *c, struct na_cursor value,
			  bool *more)
{
	struct na_field f;
	uint64_t id;
	bool ok = true;

	while (ok && na_field_next(&value, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(6, NA_W_VARINT))
			ok = note_child(c, f.value, more);
		while (ok && f.tag == NA_TAG(6, NA_W_BYTES) &&
		       na_varint(&f.body, &id))
			ok = note_child(c, id, more);
	}
	return ok;
}

/* What the types that stay refer to; those that communicate all stay, since
 * the ends of an operation are known by both of their types. */
static bool note_types(struct na_xs_cut *c)
{
	const struct na_xs_plane *p = c->plane;
	bool device = p->kind == XS_TPU || p->kind == XS_GPU;
	bool more = true, ok = true;

	for (int turn = 0; ok && more && turn < CHILD_TURNS; turn++) {
		struct na_cursor body = p->body, value;
		struct na_field f;
		int64_t id;

		more = false;
		while (ok && na_field_next(&body, &f) == NA_NEXT_FIELD) {
			const struct na_xs_event_type *type;

			if (f.tag != NA_TAG(4, NA_W_BYTES))
				continue;
			na_xs_map_entry(f.body, &id, &value);
			type = na_xs_type_at(p, id);
			if (turn == 0 && device && type &&
			    type->kind == XS_OP_TALKS)
				ok = na_xs_cut_note(&c->types, id);
			if (ok && used(&c->types, id))
				ok = note_children(c, value, &more);
		}
	}
	return ok;
}

/* Stats of the types that stay, and of the plane. */
static bool note_stats(struct na_xs_cut *c)
{
	struct na_cursor body = c->plane->body, value;
	struct na_field f, in;
	bool ok = true;
	int64_t id;

	while (ok && na_field_next(&body, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(6, NA_W_BYTES))
			ok = na_xs_cut_note_stat(c, f.body);
		if (f.tag != NA_TAG(4, NA_W_BYTES))
			continue;
		na_xs_map_entry(f.body, &id, &value);
		while (ok && used(&c->types, id) &&
		       na_field_next(&value, &in) == NA_NEXT_FIELD) {
			if (in.tag == NA_TAG(5, NA_W_BYTES))
				ok = na_xs_cut_note_stat(c, in.body);
		}
	}
	return ok;
}

/* Does an entry of a map stay? */
static bool is_used(const struct na_xs_cut *c, const struct na_field *f)
{
	struct na_cursor value;
	int64_t id;

	na_xs_map_entry(f->body, &id, &value);
	return used(f->tag == NA_TAG(4, NA_W_BYTES) ? &c->types : &c->stats,
		    id);
}

/* ---- planes */

static enum na_status cut_lines(struct na_xs_cut *c)
{
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < c->plane->lines.n; i++)
		st = na_xs_cut_line(c, &c->plane->lines.v[i]);
	return st;
}

/* Those that are in front of lines, those that are behind. */
static bool stays(const struct na_xs_cut *c, const struct na_field *f,
		  bool front)
{
	bool programs = c->plane->kind == XS_METADATA;

	switch (f->tag) {
	case NA_TAG(1, NA_W_VARINT):
	case NA_TAG(2, NA_W_BYTES):
		return front;
	case NA_TAG(3, NA_W_BYTES):
		return false;
	case NA_TAG(4, NA_W_BYTES):
		return !front &&
		       (programs ? !c->of->no_programs : is_used(c, f));
	case NA_TAG(5, NA_W_BYTES):
		return !front && (programs || is_used(c, f));
	default:
		return !front;
	}
}

static enum na_xs_part part_of(const struct na_field *f)
{
	return f->tag == NA_TAG(4, NA_W_BYTES)   ? XS_PART_TYPE
	       : f->tag == NA_TAG(5, NA_W_BYTES) ? XS_PART_STAT
						 : XS_PART_PLANE;
}

static bool cut_fields(struct na_xs_cut *c, bool front)
{
	struct na_cursor body = c->plane->body;
	const uint8_t *from = body.p;
	struct na_field f;
	bool ok = true;

	for (; ok && na_field_next(&body, &f) == NA_NEXT_FIELD; from = body.p) {
		if (stays(c, &f, front))
			ok = na_xs_cut_field(c, part_of(&f), &f, from,
					     (size_t)(body.p - from));
	}
	return ok;
}

/* By what a thread marks its steps (markers.h). */
static void find_step_stat(struct na_xs_cut *c)
{
	struct na_cursor body = c->plane->body, value;
	struct na_field f;
	int64_t id;

	c->has_step_stat = false;
	while (!c->has_step_stat && na_field_next(&body, &f) == NA_NEXT_FIELD) {
		uint32_t at;

		if (f.tag != NA_TAG(5, NA_W_BYTES))
			continue;
		na_xs_map_entry(f.body, &id, &value);
		at = na_idmap_at(&c->plane->stat_of, id);
		if (at >= c->plane->stats.n ||
		    c->plane->stats.v[at].slot != XS_STEP_NUM)
			continue;
		c->step_stat = id;
		c->has_step_stat = true;
	}
}

static void next_plane(struct na_xs_cut *c, const struct na_xs_plane *p)
{
	c->plane = p;
	c->ranges.n = 0;
	c->bytes = 0;
	na_arena_fini(&c->made);
	na_idmap_fini(&c->types);
	na_idmap_fini(&c->stats);
	if (p && p->kind == XS_HOST)
		find_step_stat(c);
}

/* One that is there already is not kept; of others nobody knows what names are
 * in them. */
static bool leaves_out(const struct na_xs_cut *c, const struct na_xs_plane *p)
{
	return na_text_is(p->name, na_xs_cut_plane) ||
	       (c->of->names &&
		(p->kind == XS_OTHER || p->kind == XS_METADATA));
}

static enum na_status cut_plane(struct na_xs_cut *c,
				const struct na_xs_plane *p)
{
	if (leaves_out(c, p))
		return NA_OK;
	next_plane(c, p);
	if (!cut_fields(c, true))
		return na_fail_nomem(c->err);
	if (cut_lines(c) != NA_OK)
		return c->err->status;
	if (!note_types(c) || !note_stats(c) || !cut_fields(c, false))
		return na_fail_nomem(c->err);
	return put_ranges(c);
}

/* The stamp of the origin, as this file's lines have theirs. */
static int64_t origin_stamp(const struct na_input *in)
{
	int64_t stamp;

	if (na_xs_on_clock(in, in->zero_ns) == in->zero_ns ||
	    __builtin_sub_overflow(in->zero_ns, in->profile_start_ns, &stamp))
		return in->zero_ns;
	return stamp;
}

/* What its event is called. */
static struct na_text said_in(const struct na_xs_plane *p)
{
	struct na_cursor body = p->body, value;
	struct na_text said = {"", 0};
	struct na_field f, in;
	int64_t id;

	while (na_field_next(&body, &f) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(4, NA_W_BYTES))
			continue;
		na_xs_map_entry(f.body, &id, &value);
		while (na_field_next(&value, &in) == NA_NEXT_FIELD) {
			if (in.tag == NA_TAG(2, NA_W_BYTES))
				said = na_text_under(&in.body);
		}
	}
	return said;
}

bool na_xs_cut_tell(struct na_input *in)
{
	struct na_xs_space *s = in->state;
	bool ok = true;

	for (size_t i = 0; i < s->planes.n; i++) {
		const struct na_xs_plane *p = &s->planes.v[i];

		if (!na_text_is(p->name, na_xs_cut_plane) || !p->lines.n ||
		    !p->lines.v[0].name.n)
			continue;
		s->hostname = p->lines.v[0].name;
		in->host_kept = true;
		ok &= na_slice_take_mark(in, said_in(p));
	}
	return ok;
}

/* That it is a slice, and where its times count from. */
static enum na_status put_marker(struct na_xs_cut *c)
{
	struct na_xf_bytes plane = {.p = NULL}, line = {.p = NULL},
			   event = {.p = NULL}, type = {.p = NULL},
			   entry = {.p = NULL}, all = {.p = NULL};
	enum na_status st;

	na_xf_put_uint(&event, 1, 1);
	na_xf_put_uint(&line, 1, 1);
	na_xf_put_text(&line, 2, c->of->host);
	na_xf_put_uint(&line, 3, (uint64_t)origin_stamp(c->in));
	na_xf_put_message(&line, 4, &event);
	na_xf_put_uint(&type, 1, 1);
	na_xf_put_text(&type, 2, c->of->said);
	na_xf_put_uint(&entry, 1, 1);
	na_xf_put_message(&entry, 2, &type);
	na_xf_put_text(&plane, 2, na_xs_cut_plane);
	na_xf_put_message(&plane, 3, &line);
	na_xf_put_message(&plane, 4, &entry);
	na_xf_put_message(&all, 1, &plane);
	st = all.failed ? na_fail_nomem(c->err) : put(c, all.p, all.n);
	na_xf_bytes_fini(&all);
	return st;
}

/* What the space has beside planes: host names, what its profiler said. */
static enum na_status put_others(struct na_xs_cut *c)
{
	struct na_cursor space = na_cursor_of(c->in->data, c->in->size);
	const uint8_t *from = space.p;
	enum na_status st = NA_OK;
	struct na_field f;

	for (; st == NA_OK && na_field_next(&space, &f) == NA_NEXT_FIELD;
	     from = space.p) {
		if (f.tag != NA_TAG(1, NA_W_BYTES))
			st = put(c, from, (size_t)(space.p - from));
	}
	return st;
}

enum na_status na_xs_slice(struct na_input *in, const struct na_slice *of,
			   struct na_slice_counts *counts, struct na_err *err)
{
	struct na_xs_cut c = {.in = in, .of = of, .counts = counts, .err = err};
	const struct na_xs_space *s = in->state;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < s->planes.n; i++)
		st = cut_plane(&c, &s->planes.v[i]);
	if (st == NA_OK && in->has_time)
		st = put_marker(&c);
	if (st == NA_OK && !of->names)
		st = put_others(&c);
	next_plane(&c, NULL);
	na_vec_free(&c.ranges);
	na_xs_hidden_fini(&c.hidden);
	return st;
}
