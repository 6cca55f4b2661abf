/*
 * Which events of a line stay.
 *
 *   steps, program executions; NCCL kernels of GPU planes; markers of steps
 *                                  all: they are counted from the beginning
 *   ops, kernels, launches         in the wide window
 *   transfers, actions             as their records say (na_slice.verdict):
 *                                  an event is drawn where it is logged, and
 *                                  may tell of what was long before
 *   what nobody reads              in the window, for people to look at
 *
 * The first event of a line that is read stays, too: that a device has such a
 * line tells how it is to be read.
 */
#include "ingest/xspace/cut.h"
#include "ingest/xspace/ops.h"

enum policy { CUT_NONE, CUT_ALL, CUT_WIDE, CUT_WINDOW, CUT_BY_RECORDS };

struct walk {
	struct na_xs_cut *c;
	const struct na_xs_line *line;
	enum policy policy;
	bool fits, kept_any;
	bool marks; /* the event that was read, a step */
	int64_t line_ps;
};

bool na_xs_cut_note(struct na_idmap *m, int64_t id)
{
	return na_idmap_at(m, id) != UINT32_MAX || na_idmap_set(m, id, 0);
}

bool na_xs_cut_note_stat(struct na_xs_cut *c, struct na_cursor stat)
{
	int64_t id = 0;
	struct na_field f;
	bool ok = true;

	if (c->of->names && !na_xs_cut_knows_stat(c, stat))
		return true;
	while (ok && na_field_next(&stat, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_VARINT))
			id = (int64_t)f.value;
		else if (f.tag == NA_TAG(7, NA_W_VARINT))
			ok = na_xs_cut_note(&c->stats, (int64_t)f.value);
	}
	return ok && na_xs_cut_note(&c->stats, id);
}

static bool note_event(struct na_xs_cut *c, const struct na_xs_event *e)
{
	struct na_cursor body = *e->body;
	struct na_field f;
	bool ok = true;

	while (ok && na_field_next(&body, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(4, NA_W_BYTES))
			ok = na_xs_cut_note_stat(c, f.body);
	}
	return ok && na_xs_cut_note(&c->types, e->metadata_id);
}

/* False: damaged. */
static bool read_event(struct walk *w, const struct na_cursor *body,
		       struct na_xs_event *e)
{
	struct na_cursor c = *body;
	enum na_next next;
	struct na_field f;

	*e = (struct na_xs_event){.body = body};
	w->marks = false;
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(4, NA_W_BYTES))
			na_xs_event_field(e, &f);
		else if (w->c->has_step_stat && !w->marks)
			w->marks = na_xs_stat_id(f.body) == w->c->step_stat;
	}
	e->type = na_xs_type_at(w->c->plane, e->metadata_id);
	return next == NA_NEXT_END;
}

/* Of a reader's own line; the window's where nobody reads it. */
static enum policy policy_of(const struct na_xs_line *l, bool hidden)
{
	bool device = l->plane->kind == XS_TPU || l->plane->kind == XS_GPU;

	if (l->plane->kind == XS_MEGASCALE)
		return CUT_BY_RECORDS;
	if (l->plane->kind == XS_LAUNCHES)
		return CUT_WIDE;
	if (!l->handler)
		return hidden ? CUT_NONE : CUT_WINDOW;
	if (device)
		return l->handler->wants & (NA_WANT_OPS | NA_WANT_BUSY)
			       ? CUT_WIDE
			       : CUT_ALL;
	return CUT_BY_RECORDS;
}

static bool in_window(const struct walk *w, const struct na_xs_event *e,
		      bool wide)
{
	const struct na_slice *of = w->c->of;
	int64_t start_ps, end_ps;

	/* How often, and not when. */
	if (e->aggregated || !w->fits ||
	    !na_xs_event_span(e, w->line_ps, &start_ps, &end_ps))
		return false;
	return wide ? na_slice_meets(start_ps, end_ps, of->wide_from_ps,
				     of->wide_to_ps)
		    : na_slice_meets(start_ps, end_ps, of->from_ps, of->to_ps);
}

/* From byte `from` on, as its reader reads it. */
static bool by_records(const struct walk *w, const struct na_xs_event *e,
		       const uint8_t *from, const uint8_t *end,
		       enum na_status *st)
{
	const struct na_slice *of = w->c->of;
	const struct na_block b = {w->line, from, end, NULL};

	if (!e->type || !e->type->kind)
		return !of->names && in_window(w, e, w->c->in->has_gpus);
	*st = w->c->in->reader->read(w->c->in, &b, of->sink, w->c->err);
	switch (of->verdict(of->ctx)) {
	case NA_SLICED_IN:
		return true;
	case NA_SLICED_OUT:
		return false;
	default:
		return in_window(w, e, false);
	}
}

static bool is_of_slice(const struct walk *w, const struct na_xs_event *e,
			const uint8_t *from, const uint8_t *end,
			enum na_status *st)
{
	bool talks = w->c->plane->kind == XS_GPU && e->type &&
		     e->type->kind == XS_OP_TALKS;

	switch (w->policy) {
	case CUT_NONE:
		return w->marks;
	case CUT_ALL:
		return true;
	case CUT_WIDE:
		return talks || !w->kept_any || in_window(w, e, true);
	case CUT_WINDOW:
		return w->marks || in_window(w, e, w->c->in->has_gpus);
	default:
		return w->marks || by_records(w, e, from, end, st);
	}
}

static enum na_status one_event(struct walk *w, const uint8_t *from,
				const struct na_field *f, const uint8_t *end)
{
	struct na_xs_cut *c = w->c;
	enum na_status st = NA_OK;
	struct na_xs_event e;

	c->counts->of_events++;
	if (!read_event(w, &f->body, &e) || !is_of_slice(w, &e, from, end, &st))
		return st;
	if (st != NA_OK)
		return st;
	w->kept_any = true;
	c->counts->events++;
	c->counts->inside += in_window(w, &e, false);
	return na_xs_cut_field(c, XS_PART_EVENT, f, from,
			       (size_t)(end - from)) &&
			       note_event(c, &e)
		       ? NA_OK
		       : na_fail_nomem(c->err);
}

enum na_status na_xs_cut_line(struct na_xs_cut *c, const struct na_xs_line *l)
{
	struct walk w = {.c = c,
			 .line = l,
			 .policy = policy_of(l, c->of->names)};
	size_t at = c->ranges.n, bytes;
	struct na_cursor body = l->body;
	const uint8_t *from = body.p;
	enum na_status st = NA_OK;
	struct na_field f;

	w.fits = na_xs_line_start(c->in, l, c->in->zero_ns, &w.line_ps);
	/* How long it is, is known afterwards. */
	if (!na_push(&c->ranges))
		return na_fail_nomem(c->err);
	bytes = c->bytes;
	for (; st == NA_OK && na_field_next(&body, &f) == NA_NEXT_FIELD;
	     from = body.p) {
		if (f.tag == NA_TAG(4, NA_W_BYTES))
			st = one_event(&w, from, &f, body.p);
		else if (!na_xs_cut_field(c, XS_PART_LINE, &f, from,
					  (size_t)(body.p - from)))
			st = na_fail_nomem(c->err);
	}
	if (st == NA_OK && !na_xs_cut_head(c, at, 3, c->bytes - bytes))
		st = na_fail_nomem(c->err);
	return st;
}
