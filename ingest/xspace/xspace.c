/*
 * XSpace reader: recognise, survey, cut into blocks, walk the events of a
 * block and hand each to the handler of its line.
 */
#include "ingest/xspace/xspace.h"
#include "ingest/xspace/markers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

/* Line stamps above this are nanoseconds since 1970, not since the start
 * of the capture (docs/formats.md, "XSpace: time"). */
#define EPOCH_NS INT64_C(1000000000000000)

/* clang-format off */
static const struct na_xs_handler handlers[] = {
	{XS_MEGASCALE, "", NA_WANT_TRANSFERS | NA_WANT_GRAPHS |
	 NA_WANT_ACTIONS, false, false, na_xs_mega_event},
	{XS_HOST, "", NA_WANT_TRANSFERS | NA_WANT_ACTIONS |
	 NA_WANT_HOST_EVENTS, false, false, na_xs_message_event},
	{XS_TPU, "Steps", NA_WANT_STEPS, true, false, na_xs_step_event},
	{XS_TPU, "XLA Modules", NA_WANT_MODULES, true, false,
	 na_xs_module_event},
	{XS_TPU, "XLA Ops", NA_WANT_OPS | NA_WANT_BUSY, true, true,
	 na_xs_op_event},
	{XS_GPU, "Steps", NA_WANT_STEPS, true, false, na_xs_step_event},
	{XS_GPU, "XLA Modules", NA_WANT_MODULES, true, false,
	 na_xs_module_event},
	{XS_GPU, "Stream #", NA_WANT_KERNELS | NA_WANT_OPS | NA_WANT_BUSY |
	 NA_WANT_STEPS, false, false, na_xs_kernel_event},
};
/* clang-format on */
enum { XS_LINE_NAME = 255 };
enum { N_HANDLERS = sizeof(handlers) / sizeof(handlers[0]) };

const struct na_xs_handler *na_xs_handler_of(enum na_xs_plane_kind kind,
					     const struct na_text *line,
					     uint32_t wants)
{
	for (size_t i = 0; i < N_HANDLERS; i++) {
		const struct na_xs_handler *h = &handlers[i];

		if (h->plane == kind && (h->wants & wants) &&
		    na_text_begins(*line, h->line))
			return h;
	}
	return NULL;
}

bool na_xs_plane_asked(enum na_xs_plane_kind kind, uint32_t wants)
{
	if (kind == XS_TASK ||
	    (kind == XS_METADATA && (wants & NA_WANT_PROGRAMS)) ||
	    (kind == XS_LAUNCHES && (wants & NA_WANT_STEPS)))
		return true;
	for (size_t i = 0; i < N_HANDLERS; i++) {
		if (handlers[i].plane == kind && (handlers[i].wants & wants))
			return true;
	}
	return false;
}

/* A host plane without a single name of interest is skipped whole. */
static bool has_kinds(const struct na_xs_plane *p)
{
	for (size_t i = 0; i < p->types.n; i++) {
		if (p->types.v[i].kind)
			return true;
	}
	return false;
}

/* --line: by the beginning of the name, where it is longer than any is. */
static bool line_wanted(const struct na_input *in, const struct na_xs_line *l)
{
	size_t n = l->name.n < XS_LINE_NAME ? l->name.n : XS_LINE_NAME;
	char name[XS_LINE_NAME + 1];

	if (l->plane->kind != XS_HOST || !in->asks.lines || !in->asks.lines->n)
		return true;
	memcpy(name, l->name.s, n);
	name[n] = '\0';
	for (size_t i = 0; i < in->asks.lines->n; i++) {
		if (na_glob(in->asks.lines->items[i], name))
			return true;
	}
	return false;
}

/* Steps are what kernels say then. */
static bool is_bare(const struct na_xs_plane *p)
{
	bool bare = p->kind == XS_GPU;

	for (size_t i = 0; bare && i < p->lines.n; i++)
		bare = !na_text_begins(p->lines.v[i].name, "Steps") &&
		       !na_text_begins(p->lines.v[i].name, "XLA Modules");
	return bare;
}

static void choose_lines(struct na_input *in, struct na_xs_plane *p)
{
	bool idle = p->kind == XS_HOST && !has_kinds(p);
	bool device = p->kind == XS_TPU || p->kind == XS_GPU;
	bool by_name = (device && na_xs_plane_asked(p->kind, in->wants)) ||
		       (p->kind == XS_HOST && in->asks.lines &&
			in->asks.lines->n) ||
		       (in->wants & NA_WANT_COUNTS);

	if (in->wants & NA_WANT_COUNTS)
		p->host_wants = na_xs_type_wants(p);
	for (size_t i = 0; i < p->lines.n; i++) {
		struct na_xs_line *l = &p->lines.v[i];

		l->plane = p; /* planes no longer move */
		if (l->late_name && by_name)
			na_xs_line_rest(l);
		l->handler = idle || !line_wanted(in, l)
				     ? NULL
				     : na_xs_handler_of(p->kind, &l->name,
							in->wants);
		if (l->handler && (in->wants & NA_WANT_COUNTS))
			l->wants = na_xs_line_wants(l);
		if (l->handler)
			na_xs_line_rest(l);
		else if (!(in->wants & NA_WANT_COUNTS))
			in->lines_skipped++;
	}
	p->bare = is_bare(p);
}

static enum na_status survey_plane(struct na_input *in, struct na_cursor body,
				   bool cut, struct na_err *err)
{
	struct na_xs_space *s = in->state;
	struct na_xs_plane *p;
	enum na_status st;

	if (s->planes.n == XS_MAX_PLANES)
		return na_fail(err, NA_ELIMIT, "more than %d planes",
			       XS_MAX_PLANES);
	if (!na_room(&s->planes, 1))
		return na_fail_nomem(err);
	p = &s->planes.v[s->planes.n++];
	*p = (struct na_xs_plane){.body = body, .name = {"", 0}, .cut = cut};
	st = na_xs_plane_scan(in, p, err);
	if (st == NA_OK && p->kind != XS_METADATA &&
	    na_xs_plane_asked(p->kind, in->wants))
		st = na_xs_plane_metadata(in, p, err);
	if (st == NA_OK && cut && p->lines.n && !p->types.n &&
	    na_xs_plane_asked(p->kind, in->wants))
		na_input_warn(in,
			      "plane \"%.*s\" is cut off before the names "
			      "of its events: they cannot be told apart",
			      (int)(p->name.n < 80 ? p->name.n : 80),
			      p->name.s);
	in->n_devices += p->kind == XS_TPU || p->kind == XS_GPU;
	in->has_tpus |= p->kind == XS_TPU;
	in->has_gpus |= p->kind == XS_GPU;
	return st;
}

/* The fields of XSpace; the last plane may be cut off. */
static enum na_status survey_planes(struct na_input *in, struct na_err *err)
{
	static const uint8_t nothing; /* an empty file is not mapped */
	const uint8_t *data = in->data ? in->data : &nothing;
	struct na_cursor c = na_cursor_of(data, in->size);
	struct na_xs_space *s = in->state;
	enum na_status st = NA_OK;
	struct na_field f;

	while (st == NA_OK && na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(1, NA_W_BYTES))
			st = survey_plane(in, f.body, false, err);
		else if (f.tag == NA_TAG(2, NA_W_BYTES))
			na_input_quote(in, "the profiler reported an error",
				       na_text_under(&f.body));
		else if (f.tag == NA_TAG(3, NA_W_BYTES))
			na_input_quote(in, "the profiler warned",
				       na_text_under(&f.body));
		else if (f.tag == NA_TAG(4, NA_W_BYTES) && !s->hostname.n)
			s->hostname = na_text_under(&f.body);
	}
	if (st != NA_OK || c.p == c.end)
		return st;
	in->damaged = true;
	if (*c.p == NA_TAG(1, NA_W_BYTES)) {
		uint64_t length, at = na_at(&c);

		na_skip(&c, 1);
		if (na_varint(&c, &length)) {
			na_input_warn(in,
				      "truncated: the plane at byte %" PRIu64
				      " needs %" PRIu64 " bytes, %zu are "
				      "left; read as far as it goes",
				      at, length, na_left(&c));
			return survey_plane(in, c, true, err);
		}
		c.p = in->data + at;
	}
	na_input_warn(in,
		      "byte %" PRIu64 ": not a field of an XSpace; %zu "
		      "bytes left out",
		      na_at(&c), na_left(&c));
	return NA_OK;
}

static void read_environment(struct na_input *in, const struct na_xs_plane *p)
{
	struct na_xs_values v = {.has = 0};
	struct na_cursor c = p->body;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(6, NA_W_BYTES))
			na_xs_values_add(&v, p, &f.body);
	}
	in->profile_start_ns = na_xs_int_or(&v, XS_PROFILE_START,
					    in->profile_start_ns);
	in->profile_stop_ns = na_xs_int_or(&v, XS_PROFILE_STOP,
					   in->profile_stop_ns);
	free(v.inflated);
}

int64_t na_xs_on_clock(const struct na_input *in, int64_t stamp_ns)
{
	int64_t ns = stamp_ns;

	if (in->has_wall && stamp_ns <= EPOCH_NS)
		na_add_i64(in->profile_start_ns, stamp_ns, &ns);
	return ns;
}

bool na_xs_line_start(const struct na_input *in, const struct na_xs_line *l,
		      int64_t origin_ns, int64_t *start_ps)
{
	int64_t ns;

	return na_add_i64(na_xs_on_clock(in, l->timestamp_ns),
			  origin_ns == INT64_MIN ? INT64_MAX : -origin_ns,
			  &ns) &&
	       na_mul_i64(ns, NA_PS_PER_NS, start_ps);
}

/* The smallest stamp of a line with events.  Lines whose stamp did not come
 * first may have none (0) or a late one: looked up only while 0 would be a
 * new minimum. */
static void survey_time(struct na_input *in)
{
	struct na_xs_space *s = in->state;
	bool epoch = true, any = false;

	for (size_t i = 0; i < s->planes.n; i++) {
		for (size_t k = 0; k < s->planes.v[i].lines.n; k++) {
			struct na_xs_line *l = &s->planes.v[i].lines.v[k];

			if (!l->has_events)
				continue;
			any = true;
			if (epoch && in->profile_start_ns <= 0)
				na_xs_line_rest(l);
			if (!l->late_stamp && l->timestamp_ns <= EPOCH_NS)
				epoch = false;
		}
	}
	in->has_wall = in->profile_start_ns > 0 || (any && epoch);
	for (size_t i = 0; i < s->planes.n; i++) {
		for (size_t k = 0; k < s->planes.v[i].lines.n; k++) {
			struct na_xs_line *l = &s->planes.v[i].lines.v[k];
			int64_t ns;

			if (!l->has_events)
				continue;
			ns = na_xs_on_clock(in, 0);
			if (l->late_stamp &&
			    !(in->has_time && in->first_ns <= ns))
				na_xs_line_rest(l);
			ns = na_xs_on_clock(in, l->timestamp_ns);
			if (!in->has_time || ns < in->first_ns)
				in->first_ns = ns;
			in->has_time = true;
		}
	}
}

static enum na_status list_sections(struct na_input *in, struct na_err *err)
{
	struct na_xs_space *s = in->state;

	in->sections = na_arena_alloc(&in->arena,
				      s->planes.n * sizeof(*in->sections));
	if (!in->sections)
		return na_fail_nomem(err);
	in->n_sections = s->planes.n;
	for (size_t i = 0; i < s->planes.n; i++) {
		struct na_section *to = &in->sections[i];
		const struct na_xs_plane *p = &s->planes.v[i];

		to->name = na_arena_strn(&in->arena, p->name.s, p->name.n);
		to->lines = to->n_parts = p->lines.n;
		to->parts = na_arena_alloc(&in->arena,
					   p->lines.n * sizeof(*to->parts));
		if (!to->name || !to->parts)
			return na_fail_nomem(err);
		for (size_t k = 0; k < p->lines.n; k++)
			to->parts[k].name = na_arena_strn(&in->arena,
							  p->lines.v[k].name.s,
							  p->lines.v[k].name.n);
		for (size_t k = 0; k < p->lines.n; k++)
			to->parts[k].wants = p->lines.v[k].wants;
	}
	return NA_OK;
}

static enum na_status xs_open(struct na_input *in, struct na_err *err)
{
	struct na_xs_space *s = calloc(1, sizeof(*s));
	enum na_status st;

	if (!s)
		return na_fail_nomem(err);
	s->hostname = (struct na_text){"", 0};
	s->was = in->first_kept;
	in->state = s;
	if (!in->size) {
		in->damaged = true;
		na_input_warn(in, "an empty file (0 bytes): nothing of this "
				  "host is here");
	}
	st = survey_planes(in, err);
	if (st == NA_OK && in->damaged &&
	    na_xs_text_damaged(in->data, in->size))
		st = na_fail(err, NA_EFORMAT, "%s", na_xs_damaged_by_text);
	for (size_t i = 0; st == NA_OK && i < s->planes.n; i++) {
		if (s->planes.v[i].kind == XS_TASK)
			read_environment(in, &s->planes.v[i]);
	}
	if (st == NA_OK) {
		for (size_t i = 0; i < s->planes.n; i++)
			choose_lines(in, &s->planes.v[i]);
		survey_time(in);
		st = na_xs_markers_find(in, err);
	}
	if (st == NA_OK)
		st = list_sections(in, err);
	if (st == NA_OK && !na_xs_cut_tell(in))
		st = na_fail_nomem(err);
	if (st == NA_OK && s->hostname.n)
		in->host = na_arena_strn(&in->arena, s->hostname.s,
					 s->hostname.n);
	return st;
}

static void xs_close(struct na_input *in)
{
	struct na_xs_space *s = in->state;

	for (size_t i = 0; s && i < s->planes.n; i++)
		na_xs_plane_fini(&s->planes.v[i]);
	if (s) {
		na_vec_free(&s->planes);
		na_xs_markers_fini(s->markers);
	}
	free(s);
	in->state = NULL;
}

/* ---- blocks of a line whose actions may be asked for later */

static bool keeps(const struct na_input *in, const struct na_xs_line *l)
{
	return (in->wants & NA_WANT_AGAIN) && l->plane->kind == XS_MEGASCALE;
}

/* NULL: no memory, and the next reading looks for itself. */
static struct na_xs_stretch *keep_stretch(struct na_input *in,
					  const struct na_block *b, bool last)
{
	struct na_xs_stretch *x = na_arena_alloc(&in->arena, sizeof(*x));
	struct na_xs_space *s = in->state;

	if (!x)
		return NULL;
	*x = (struct na_xs_stretch){.p = b->p, .end = b->end, .last = last};
	if (s->last_kept)
		s->last_kept->next = x;
	else
		in->kept = x;
	s->last_kept = x;
	return x;
}

/* All blocks of a line, where they were read before; else NULL. */
static struct na_xs_stretch *stretches_of(struct na_xs_space *s,
					  const struct na_xs_line *l)
{
	struct na_xs_stretch *x;

	while (s->was && s->was->p < l->body.p)
		s->was = s->was->next;
	if (!s->was || s->was->p != l->body.p)
		return NULL;
	for (x = s->was; !x->last; x = x->next) {
		if (!x->next || x->next->p != x->end)
			return NULL;
	}
	return s->was;
}

static bool passes_over(const struct na_block *b, const struct na_sink *sink)
{
	const struct na_xs_stretch *x = b->kept;

	if (!sink->looks_within || !x || !x->told || x->more)
		return false;
	for (uint8_t i = 0; i < x->n; i++) {
		const struct na_xs_when *w = &x->whens[i];

		if (sink->looks_within(sink->ctx,
				       sink->name(sink->ctx, w->name.s,
						  w->name.n),
				       w->from_ps, w->to_ps))
			return false;
	}
	return true;
}

/* Hop over events until the block is full or the line ends. */
static bool cut_line(struct na_input *in, struct na_xs_line *l,
		     const uint8_t *from, struct na_block *b)
{
	struct na_cursor c = {from, l->body.end, l->body.base};
	size_t block = l->handler ? NA_BLOCK_BYTES : SIZE_MAX;
	enum na_next next = NA_NEXT_FIELD;
	struct na_field f;

	while ((size_t)(c.p - from) < block &&
	       (next = na_field_next(&c, &f)) == NA_NEXT_FIELD)
		l->n_events += f.tag == NA_TAG(4, NA_W_BYTES);
	/* Names stand behind the lines. */
	*b = (struct na_block){l, from, c.p, l->plane->body.end, NULL};
	if (next != NA_NEXT_BAD)
		return c.p == c.end;
	in->damaged = true;
	/* Where the file ends inside the line, that was said already; where
	 * it ends since, that will be. */
	if (na_input_lost(in))
		return true;
	if (!l->plane->cut || l->body.end != l->plane->body.end)
		na_input_warn(in,
			      "line \"%.*s\": %s at byte %" PRIu64
			      " does not fit, %zu bytes of the line left out",
			      (int)(l->name.n < 80 ? l->name.n : 80), l->name.s,
			      *c.p == NA_TAG(4, NA_W_BYTES) ? "event" : "field",
			      na_at(&c), na_left(&c));
	return true;
}

/* True: the line ends with it. */
static bool cut_next(struct na_input *in, struct na_xs_line *l,
		     struct na_block *b)
{
	struct na_xs_space *s = in->state;
	struct na_xs_stretch *x = s->stretch;
	bool last;

	if (x) {
		s->stretch = x->last ? NULL : x->next;
		*b = (struct na_block){l, x->p, x->end, l->plane->body.end, x};
		return x->last;
	}
	last = cut_line(in, l, s->pos, b);
	if (keeps(in, l))
		b->kept = keep_stretch(in, b, last);
	return last;
}

static void line_done(struct na_input *in, const struct na_xs_space *s)
{
	const struct na_xs_line *l = &s->planes.v[s->plane].lines.v[s->line];
	struct na_section *to = &in->sections[s->plane];

	to->parts[s->line].events = l->n_events;
	to->events += l->n_events;
	in->events += l->n_events;
}

static enum na_status xs_cut(struct na_input *in, struct na_block *b,
			     struct na_err *err)
{
	struct na_xs_space *s = in->state;

	(void)err;
	while (s->plane < s->planes.n) {
		struct na_xs_plane *p = &s->planes.v[s->plane];
		struct na_xs_line *l;
		bool ours;

		if (s->line >= p->lines.n) {
			s->plane++;
			s->line = 0;
			continue;
		}
		l = &p->lines.v[s->line];
		ours = l->handler || (in->wants & NA_WANT_COUNTS);
		if (!s->pos) {
			s->pos = l->body.p;
			s->stretch = stretches_of(s, l);
		}
		if (!ours) {
			s->line++;
			s->pos = NULL;
			continue;
		}
		if (cut_next(in, l, b)) {
			line_done(in, s);
			s->line++;
			s->pos = NULL;
		} else {
			s->pos = b->end;
		}
		if (l->handler)
			return NA_OK;
	}
	return NA_END;
}

static bool interesting(const struct na_xs_handler *h,
			const struct na_xs_event *e)
{
	return h->every || (e->type && e->type->kind);
}

static bool has_key(const struct na_xs_read *r)
{
	return na_xs_has(&r->values, XS_GRAPH_KEY);
}

/*
 * One pass over an event.  In the canonical order the type stands before
 * the stats, so that stats are decoded on the way, and only where somebody
 * wants them; any other order takes a second pass.
 */
static bool read_event(struct na_xs_read *r, const struct na_xs_plane *p,
		       const struct na_cursor *body, struct na_xs_event *e)
{
	struct na_cursor c = {body->p, body->end, body->base};
	const struct na_xs_handler *h = r->line->handler;
	bool typed = false, begun = false, take = false, again = false;
	bool choice = false;
	struct na_field f;
	enum na_next next;

	*e = (struct na_xs_event){.body = body};
	while ((next = na_field_next(&c, &f)) == NA_NEXT_FIELD) {
		if (f.tag != NA_TAG(4, NA_W_BYTES)) {
			na_xs_event_field(e, &f);
			if (f.tag == NA_TAG(1, NA_W_VARINT)) {
				e->type = na_xs_type_at(p, e->metadata_id);
				typed = true;
				again |= begun;
			}
			continue;
		}
		if (!begun) {
			begun = true;
			take = typed && !h->plain && interesting(h, e);
			if (take)
				na_xs_values_begin(&r->values, p, e->type);
			choice = typed && r->choosy && !(take && has_key(r));
		}
		if (take && !na_xs_values_add(&r->values, p, &f.body)) {
			e->bad_stat = true;
			return false;
		}
		if (choice && (!take || has_key(r))) {
			choice = false;
			e->passed_over = !take || !na_xs_mega_looked_at(r);
			if (e->passed_over)
				return true;
		}
	}
	if (!typed)
		e->type = na_xs_type_at(p, 0);
	if (next == NA_NEXT_END && (again || !take) && !h->plain &&
	    interesting(h, e))
		e->bad_stat = !na_xs_values_read(&r->values, p, e);
	return next == NA_NEXT_END && !e->bad_stat;
}

static void damaged_event(struct na_xs_read *r, const struct na_cursor *c)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "event at byte %" PRIu64 " is damaged and left out", na_at(c));
	r->sink->left_out(r->sink->ctx, NA_LEFT_DAMAGED, 1);
	r->sink->warn(r->sink->ctx, na_at(c), text);
}

static enum na_status one_event(struct na_xs_read *r,
				const struct na_xs_plane *p,
				const struct na_cursor *body)
{
	const struct na_xs_handler *h = r->line->handler;
	struct na_xs_event e;
	enum na_status st = NA_OK;
	bool good = read_event(r, p, body, &e);

	if (e.passed_over)
		return NA_OK;
	if (r->sink->about)
		r->sink->about(r->sink->ctx,
			       h->wants & (e.type && (good || e.bad_stat)
						   ? e.type->wants
						   : UINT32_MAX));
	if (r->keeps && good && e.type && e.type->acts && !e.type->kind &&
	    !e.aggregated)
		na_xs_mega_keep(r, &e);
	if (!good) {
		damaged_event(r, body);
	} else if (!e.type && p->kind == XS_MEGASCALE) {
		na_xs_name_missing(r->sink, e.metadata_id);
	} else if (interesting(h, &e)) {
		if (e.aggregated)
			r->sink->left_out(r->sink->ctx, NA_LEFT_AGGREGATED, 1);
		else
			st = h->event(r, &e);
		if (st == NA_EFORMAT) {
			damaged_event(r, body);
			st = NA_OK;
		}
	}
	return st;
}

static enum na_status xs_read_block(const struct na_input *in,
				    const struct na_block *b,
				    const struct na_sink *sink,
				    struct na_err *err)
{
	struct na_xs_read r = {.in = in,
			       .line = b->owner,
			       .sink = sink,
			       .err = err};
	struct na_cursor c = {b->p, b->end, in->data};
	enum na_status st = NA_OK;
	struct na_field f;

	if (passes_over(b, sink))
		return NA_OK;
	r.keeps = in->first_kept ? NULL : b->kept;
	r.choosy = sink->looks_at && r.line->plane->kind == XS_MEGASCALE;
	r.line_fits = na_xs_line_start(in, r.line, in->zero_ns, &r.line_ps);
	while (st == NA_OK && na_field_next(&c, &f) == NA_NEXT_FIELD) {
		if (f.tag == NA_TAG(4, NA_W_BYTES))
			st = one_event(&r, r.line->plane, &f.body);
	}
	if (r.keeps)
		r.keeps->told = st == NA_OK;
	free(r.values.inflated);
	na_idmap_fini(&r.op_types);
	return st;
}

const struct na_reader na_reader_xspace = {
	.name = "xspace",
	.ending = ".xplane.pb",
	.alone = true,
	.sniff = na_xs_sniff,
	.spool = na_xs_spool,
	.spool_state_size = sizeof(struct na_xs_spool_state),
	.open = xs_open,
	.cut = xs_cut,
	.read = xs_read_block,
	.program_bytes = na_xs_program_bytes,
	.slice = na_xs_slice,
	.close = xs_close,
};
