#include "ingest/xspace/markers.h"

#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum { LAUNCHES = 64 }; /* ids of a block */

struct finder {
	const struct na_input *in;
	struct na_xs_markers *to;
	struct na_xs_values values;
	NA_VEC(struct na_xs_marker) markers; /* by line, once sorted */
	bool rooted; /* some are XProf's roots (_r): only those count */
	enum na_xs_slot slot; /* events with this stat are looked for */
	bool (*keep)(struct finder *f, int64_t start_ps, int64_t end_ps);
	uint32_t line; /* the same whichever are looked for */
	int64_t line_ps;
};

/* ---- what is there */

static bool has_stat(const struct na_xs_plane *p, enum na_xs_slot slot)
{
	for (size_t i = 0; i < p->stats.n; i++) {
		if (p->stats.v[i].slot == slot)
			return true;
	}
	return false;
}

/* Whether any event of a line has the stat. */
static bool line_has(const struct na_xs_line *l, enum na_xs_slot slot,
		     struct na_xs_values *v)
{
	struct na_cursor c = l->body;
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD) {
		struct na_xs_event e = {.body = &f.body};

		if (f.tag == NA_TAG(4, NA_W_BYTES) &&
		    na_xs_values_read(v, l->plane, &e) && na_xs_has(v, slot))
			return true;
	}
	return false;
}

/* XProf names the stat in each plane, whether or not it grouped anything. */
static bool is_grouped(const struct na_xs_plane *p, struct na_xs_values *v)
{
	bool any = false;

	if (!p->bare || !has_stat(p, XS_GROUP_ID))
		return false;
	for (size_t i = 0; !any && i < p->lines.n; i++)
		any = p->lines.v[i].handler &&
		      line_has(&p->lines.v[i], XS_GROUP_ID, v);
	return any;
}

static bool needs_markers(const struct na_input *in)
{
	const struct na_xs_space *s = in->state;
	bool bare = false, marked = false, grouped = false;
	struct na_xs_values v = {.has = 0};

	for (size_t i = 0; i < s->planes.n; i++) {
		const struct na_xs_plane *p = &s->planes.v[i];

		bare = bare || (p->bare && p->lines.n);
		marked = marked ||
			 (p->kind == XS_HOST && has_stat(p, XS_STEP_NUM));
	}
	for (size_t i = 0; bare && marked && !grouped && i < s->planes.n; i++)
		grouped = is_grouped(&s->planes.v[i], &v);
	free(v.inflated);
	return bare && marked && !grouped;
}

/* ---- gathering */

/* Whether its stat is one that we look for; one that does not begin with its
 * id may be. */
static bool sought(const struct finder *f, const struct na_xs_plane *p,
		   struct na_cursor stat)
{
	uint32_t entry;
	uint64_t id;

	if (stat.p == stat.end || *stat.p != NA_TAG(1, NA_W_VARINT))
		return true;
	na_skip(&stat, 1);
	if (!na_varint(&stat, &id))
		return false;
	entry = na_idmap_at(&p->stat_of, (int64_t)id);
	return entry < p->stats.n && p->stats.v[entry].slot == f->slot;
}

static bool keep_marker(struct finder *f, int64_t start_ps, int64_t end_ps)
{
	const struct na_xs_values *v = &f->values;
	struct na_xs_marker m = {start_ps, end_ps, 0, f->line, 0};
	bool root = na_xs_int_or(v, XS_IS_ROOT, 0) > 0;

	if (!na_xs_int(v, XS_STEP_NUM, &m.number) || m.number < 0 ||
	    (f->rooted && !root))
		return true;
	if (root && !f->rooted)
		f->markers.n = 0;
	f->rooted = root;
	return na_add(&f->markers, m);
}

static bool take_event(struct finder *f, const struct na_xs_plane *p,
		       const struct na_cursor *body)
{
	struct na_cursor c = *body;
	struct na_xs_event e = {.body = body};
	int64_t start_ps, end_ps;
	bool ours = false;
	struct na_field x;

	while (na_field_next(&c, &x) == NA_NEXT_FIELD) {
		if (x.tag != NA_TAG(4, NA_W_BYTES))
			na_xs_event_field(&e, &x);
		else if (!ours)
			ours = sought(f, p, x.body);
	}
	if (!ours || e.aggregated ||
	    !na_xs_event_span(&e, f->line_ps, &start_ps, &end_ps) ||
	    !na_xs_values_read(&f->values, p, &e))
		return true;
	return f->keep(f, start_ps, end_ps);
}

static bool take_line(struct finder *f, struct na_xs_line *l)
{
	struct na_cursor c = l->body;
	struct na_field x;
	bool ok = true;

	na_xs_line_rest(l);
	if (!na_xs_line_start(f->in, l, f->in->first_ns, &f->line_ps))
		return true;
	while (ok && na_field_next(&c, &x) == NA_NEXT_FIELD) {
		if (x.tag == NA_TAG(4, NA_W_BYTES))
			ok = take_event(f, l->plane, &x.body);
	}
	return ok;
}

static bool gather(struct finder *f, enum na_xs_slot slot,
		   bool (*keep)(struct finder *f, int64_t start_ps,
				int64_t end_ps))
{
	struct na_xs_space *s = f->in->state;
	bool ok = true;

	f->line = 0;
	f->slot = slot;
	f->keep = keep;
	for (size_t i = 0; i < s->planes.n; i++) {
		struct na_xs_plane *p = &s->planes.v[i];
		bool has = (p->kind == XS_HOST || p->kind == XS_LAUNCHES) &&
			   has_stat(p, slot);

		for (size_t k = 0; ok && k < p->lines.n; k++, f->line++)
			ok = !has || take_line(f, &p->lines.v[k]);
	}
	return ok;
}

/* ---- markers in order */

NA_ORDER(by_line, struct na_xs_marker, NA_UP(line), NA_UP(start_ps),
	 NA_DOWN(end_ps))
NA_ORDER(by_time, struct na_xs_marker, NA_UP(start_ps), NA_UP(end_ps),
	 NA_UP(line))
NA_ORDER(by_number, struct na_xs_marker, NA_UP(number))
NA_ORDER(by_id, struct na_xs_launched, NA_UP(block), NA_UP(marker), NA_UP(told))

static void drop_nested(struct finder *f)
{
	struct na_xs_marker *v = f->markers.v;
	size_t n = 0;

	na_sort(v, f->markers.n, by_line);
	for (size_t i = 0; i < f->markers.n; i++) {
		if (n && v[n - 1].line == v[i].line &&
		    v[i].end_ps <= v[n - 1].end_ps)
			continue;
		v[n++] = v[i];
	}
	f->markers.n = n;
}

static bool repeats(struct finder *f)
{
	const struct na_xs_marker *v = f->markers.v;
	bool any = false;

	na_sort(f->markers.v, f->markers.n, by_number);
	for (size_t i = 1; i < f->markers.n; i++)
		any = any || v[i].number == v[i - 1].number;
	return any;
}

/* In time in f->to, by line in f. */
static bool put_in_order(struct finder *f)
{
	struct na_xs_markers *to = f->to;
	struct na_xs_marker *v = f->markers.v;
	bool count = repeats(f);
	int64_t apart = 0;
	size_t n = f->markers.n;

	na_sort(v, n, by_time);
	for (size_t i = 0; i < n; i++) {
		v[i].order = (uint32_t)i;
		v[i].number = count ? (int64_t)i : v[i].number;
		if (i &&
		    na_time_between(v[i - 1].start_ps, v[i].start_ps) > apart)
			apart = na_time_between(v[i - 1].start_ps,
						v[i].start_ps);
	}
	if (!na_append(&to->in_time, v, n))
		return false;
	if (!na_add_i64(v[n - 1].start_ps, apart, &to->end_ps) ||
	    to->end_ps < v[n - 1].end_ps)
		to->end_ps = v[n - 1].end_ps;
	na_sort(v, n, by_line);
	return true;
}

/* ---- whose a launch is */

/* The last marker that began by then, and whose window is not over. */
static uint32_t in_window(const struct na_xs_markers *m, int64_t at_ps)
{
	size_t from = 0, to = m->in_time.n;

	if (at_ps > m->end_ps)
		return UINT32_MAX;
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (m->in_time.v[mid].start_ps <= at_ps)
			from = mid + 1;
		else
			to = mid;
	}
	return from ? (uint32_t)(from - 1) : UINT32_MAX;
}

/* Of the thread's own markers, the last one that began by then, or its
 * first; NULL: it has none. */
static const struct na_xs_marker *of_thread(const struct finder *f,
					    int64_t at_ps)
{
	const struct na_xs_marker *v = f->markers.v;
	size_t from = 0, to = f->markers.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (v[mid].line < f->line ||
		    (v[mid].line == f->line && v[mid].start_ps <= at_ps))
			from = mid + 1;
		else
			to = mid;
	}
	if (from && v[from - 1].line == f->line)
		return &v[from - 1];
	return from < f->markers.n && v[from].line == f->line ? &v[from] : NULL;
}

static struct na_xs_launched place(const struct finder *f, int64_t at_ps)
{
	const struct na_xs_markers *m = f->to;
	const struct na_xs_marker *own = of_thread(f, at_ps);
	struct na_xs_launched x = {.told = NA_STEP_BY_LAUNCH};

	if (own) {
		bool held = own->start_ps <= at_ps && at_ps <= own->end_ps;

		x.marker = held ? own->order : UINT32_MAX;
		return x;
	}
	x.marker = in_window(m, at_ps);
	if (x.marker != UINT32_MAX && at_ps > m->in_time.v[x.marker].end_ps)
		x.told = NA_STEP_BY_TIME;
	return x;
}

static bool keep_launch(struct finder *f, int64_t start_ps, int64_t end_ps)
{
	size_t n = f->to->launched.n;
	struct na_xs_launched x, *last = n ? &f->to->launched.v[n - 1] : NULL;
	int64_t id;

	(void)end_ps;
	if (!na_xs_int(&f->values, XS_CORRELATION, &id))
		return true;
	x = place(f, start_ps);
	x.block = (uint64_t)id / LAUNCHES;
	x.ids = UINT64_C(1) << (uint64_t)id % LAUNCHES;
	if (!last || by_id(last, &x) != 0)
		return na_add(&f->to->launched, x);
	last->ids |= x.ids;
	return true;
}

/* An id that is launched twice is of the first marker, so that a block has no
 * more entries than ids. */
static void merge_launches(struct na_xs_markers *m)
{
	struct na_xs_launched *v = m->launched.v;
	uint64_t taken = 0;
	size_t n = 0;

	na_sort(v, m->launched.n, by_id);
	for (size_t i = 0; i < m->launched.n; i++) {
		struct na_xs_launched x = v[i];

		if (n && v[n - 1].block != x.block)
			taken = 0;
		x.ids &= ~taken;
		taken |= x.ids;
		if (n && by_id(&v[n - 1], &x) == 0)
			v[n - 1].ids |= x.ids;
		else if (x.ids)
			v[n++] = x;
	}
	m->launched.n = n;
}

enum na_status na_xs_markers_find(struct na_input *in, struct na_err *err)
{
	struct na_xs_space *s = in->state;
	struct finder f = {.in = in};
	bool ok = true;

	if (!(in->wants & NA_WANT_STEPS) ||
	    !na_xs_plane_asked(XS_HOST, in->wants) || !needs_markers(in))
		return NA_OK;
	s->markers = na_calloc(1, sizeof(*s->markers));
	f.to = s->markers;
	ok = f.to && gather(&f, XS_STEP_NUM, keep_marker);
	if (ok && f.markers.n) {
		drop_nested(&f);
		ok = put_in_order(&f) &&
		     gather(&f, XS_CORRELATION, keep_launch);
		merge_launches(f.to);
	}
	free(f.values.inflated);
	na_vec_free(&f.markers);
	return ok ? NA_OK : na_fail_nomem(err);
}

void na_xs_markers_fini(struct na_xs_markers *m)
{
	if (!m)
		return;
	na_vec_free(&m->in_time);
	na_vec_free(&m->launched);
	free(m);
}

/* ---- whose a kernel is */

static const struct na_xs_launched *launch_of(const struct na_xs_markers *m,
					      const struct na_xs_values *v)
{
	const struct na_xs_launched *all = m->launched.v;
	uint64_t block, bit;
	int64_t id;
	size_t at;

	if (!na_xs_int(v, XS_CORRELATION, &id))
		return NULL;
	block = (uint64_t)id / LAUNCHES;
	bit = UINT64_C(1) << (uint64_t)id % LAUNCHES;
	at = NA_BOUND(i, 0, m->launched.n, all[i].block >= block);
	while (at < m->launched.n && all[at].block == block) {
		if (all[at].ids & bit)
			return &all[at];
		at++;
	}
	return NULL;
}

bool na_xs_marker_of(const struct na_xs_read *r, int64_t start_ps,
		     struct na_xs_mark *to)
{
	const struct na_xs_space *s = r->in->state;
	const struct na_xs_markers *m = s->markers;
	const struct na_xs_launched *x;
	uint32_t marker = UINT32_MAX;
	int64_t shift_ps, at_ps;

	if (!m || !m->in_time.n)
		return false;
	x = launch_of(m, &r->values);
	to->told = x ? (enum na_step_told)x->told : NA_STEP_BY_TIME;
	if (x)
		marker = x->marker;
	else if (na_mul_i64(na_time_between(r->in->zero_ns, r->in->first_ns),
			    NA_PS_PER_NS, &shift_ps) &&
		 na_add_i64(start_ps, -shift_ps, &at_ps))
		marker = in_window(m, at_ps);
	if (marker == UINT32_MAX)
		return false;
	to->order = marker;
	to->number = m->in_time.v[marker].number;
	return true;
}
