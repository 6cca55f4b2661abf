#include "netan/synth/xspace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"

/* Field numbers of the format; see ingest/proto/xplane.proto. */
enum { SPACE_PLANES = 1 };
enum {
	PLANE_ID = 1,
	PLANE_NAME = 2,
	PLANE_LINES = 3,
	PLANE_EVENTS = 4,
	PLANE_STAT_NAMES = 5,
	PLANE_STATS = 6
};
enum { LINE_ID = 1, LINE_NAME = 2, LINE_TIME = 3, LINE_EVENTS = 4 };
enum { EVENT_NAME = 1, EVENT_OFFSET = 2, EVENT_DUR = 3, EVENT_STATS = 4 };
enum {
	STAT_ID = 1,
	STAT_DOUBLE = 2,
	STAT_UINT = 3,
	STAT_INT = 4,
	STAT_STR = 5,
	STAT_BYTES = 6,
	STAT_REF = 7
};
enum { MAP_KEY = 1, MAP_VALUE = 2 };
enum { META_ID = 1, META_NAME = 2, META_SHOWN = 4, META_STATS = 5 };

static struct na_truth_plane *plane_truth(struct na_plane *p)
{
	struct na_truth_host *h = p->trace->truth;

	return h->planes.n ? &h->planes.v[h->planes.n - 1] : NULL;
}

static void count_plane(struct na_plane *p, const char *name)
{
	struct na_truth_plane *plane = na_push(&p->trace->truth->planes);

	if (plane)
		plane->name = strdup(name);
	p->body.failed |= !plane || !plane->name;
}

static void stats_to(struct na_plane *p, struct na_wire *w, unsigned field)
{
	p->stats_to = w;
	p->stats_field = field;
}

void na_plane_start(struct na_plane *p, struct na_trace *trace, int64_t id,
		    const char *name)
{
	memset(p, 0, sizeof(*p));
	p->trace = trace;
	stats_to(p, &p->stats, PLANE_STATS);
	count_plane(p, name);
	na_wire_scalar(&p->body, PLANE_ID, id);
	na_wire_str(&p->body, PLANE_NAME, name);
}

static void put_stat_names(struct na_plane *p)
{
	for (size_t i = 0; i < p->stat_names.n; i++) {
		size_t at = na_wire_begin(&p->names, PLANE_STAT_NAMES), in;
		const char *s = na_strtab_at(&p->stat_names, (uint32_t)i);

		na_wire_int(&p->names, MAP_KEY, (int64_t)i + 1);
		in = na_wire_begin(&p->names, MAP_VALUE);
		na_wire_int(&p->names, META_ID, (int64_t)i + 1);
		na_wire_str(&p->names, META_NAME, s);
		na_wire_end(&p->names, in);
		na_wire_end(&p->names, at);
	}
}

enum na_status na_plane_finish(struct na_plane *p, struct na_err *err)
{
	struct na_wire head = {0};
	enum na_status st;

	put_stat_names(p);
	na_wire_header(&head, SPACE_PLANES,
		       p->body.n + p->names.n + p->stats.n);
	if (p->body.failed || p->names.failed || p->stats.failed || head.failed)
		st = na_fail_nomem(err);
	else
		st = na_out_write(p->trace->out, head.p, head.n, err);
	if (!st)
		st = na_out_write(p->trace->out, p->body.p, p->body.n, err);
	if (!st && p->names.n)
		st = na_out_write(p->trace->out, p->names.p, p->names.n, err);
	if (!st && p->stats.n)
		st = na_out_write(p->trace->out, p->stats.p, p->stats.n, err);
	na_wire_fini(&head);
	na_wire_fini(&p->body);
	na_wire_fini(&p->names);
	na_wire_fini(&p->stats);
	na_strtab_fini(&p->events);
	na_strtab_fini(&p->stat_names);
	return st;
}

void na_plane_line(struct na_plane *p, int64_t id, const char *name,
		   int64_t timestamp_ns)
{
	struct na_truth_plane *t = plane_truth(p);
	struct na_truth_line *line = t ? na_push(&t->lines) : NULL;

	p->line_at = na_wire_begin(&p->body, PLANE_LINES);
	na_wire_scalar(&p->body, LINE_ID, id);
	na_wire_str(&p->body, LINE_NAME, name);
	na_wire_scalar(&p->body, LINE_TIME, timestamp_ns);
	p->line_ns = timestamp_ns;
	p->line_events = 0;
	if (line)
		line->name = strdup(name);
	p->body.failed |= !line || !line->name;
}

void na_plane_line_end(struct na_plane *p)
{
	struct na_truth_plane *t = plane_truth(p);

	na_wire_end(&p->body, p->line_at);
	if (p->body.failed || !t || !t->lines.n)
		return;
	t->lines.v[t->lines.n - 1].events = p->line_events;
	t->events += p->line_events;
	p->trace->truth->events += p->line_events;
	if (p->line_events && p->line_ns < p->trace->truth->first_line_ns)
		p->trace->truth->first_line_ns = p->line_ns;
}

static int64_t add_name(struct na_strtab *t, struct na_wire *w,
			const char *name, bool *is_new)
{
	size_t before = t->n;
	uint32_t i = na_strtab_add(t, name, strlen(name));

	if (i == NA_NO_NAME)
		w->failed = true;
	*is_new = t->n > before;
	return (int64_t)i + 1;
}

int64_t na_plane_stat(struct na_plane *p, const char *name)
{
	bool is_new;

	return add_name(&p->stat_names, &p->names, name, &is_new);
}

static size_t open_definition(struct na_plane *p, int64_t id, const char *name,
			      const char *display)
{
	/* The entry and the value in it end together. */
	size_t at = na_wire_begin(&p->names, PLANE_EVENTS);

	na_wire_int(&p->names, MAP_KEY, id);
	p->define_at = na_wire_begin(&p->names, MAP_VALUE);
	na_wire_int(&p->names, META_ID, id);
	na_wire_str(&p->names, META_NAME, name);
	if (display)
		na_wire_str(&p->names, META_SHOWN, display);
	stats_to(p, &p->names, META_STATS);
	return at;
}

void na_plane_define_end(struct na_plane *p, size_t at)
{
	na_wire_end(&p->names, p->define_at);
	na_wire_end(&p->names, at);
	stats_to(p, &p->body, EVENT_STATS);
}

int64_t na_plane_define(struct na_plane *p, const char *name,
			const char *display, size_t *at)
{
	bool is_new;
	int64_t id = add_name(&p->events, &p->names, name, &is_new);

	*at = open_definition(p, id, name, display);
	return id;
}

void na_plane_define_as(struct na_plane *p, int64_t id, const char *name,
			size_t *at)
{
	*at = open_definition(p, id, name, NULL);
}

int64_t na_plane_name(struct na_plane *p, const char *name)
{
	bool is_new;
	int64_t id = add_name(&p->events, &p->names, name, &is_new);

	if (is_new)
		na_plane_define_end(p, open_definition(p, id, name, NULL));
	return id;
}

void na_plane_event(struct na_plane *p, int64_t name_id, int64_t start_ps,
		    int64_t dur_ps)
{
	stats_to(p, &p->body, EVENT_STATS);
	p->event_at = na_wire_begin(&p->body, LINE_EVENTS);
	na_wire_int(&p->body, EVENT_NAME, name_id);
	na_wire_int(&p->body, EVENT_OFFSET,
		    start_ps - p->line_ns * NA_PS_PER_NS);
	na_wire_scalar(&p->body, EVENT_DUR, dur_ps);
	p->line_events++;
}

void na_plane_event_end(struct na_plane *p)
{
	na_wire_end(&p->body, p->event_at);
}

static struct na_wire *open_stat(struct na_plane *p, int64_t id, size_t *at)
{
	*at = na_wire_begin(p->stats_to, p->stats_field);
	na_wire_int(p->stats_to, STAT_ID, id);
	return p->stats_to;
}

void na_stat_int(struct na_plane *p, int64_t id, int64_t v)
{
	size_t at;
	struct na_wire *w = open_stat(p, id, &at);

	na_wire_int(w, STAT_INT, v);
	na_wire_end(w, at);
}

void na_stat_uint(struct na_plane *p, int64_t id, uint64_t v)
{
	size_t at;
	struct na_wire *w = open_stat(p, id, &at);

	na_wire_uint(w, STAT_UINT, v);
	na_wire_end(w, at);
}

void na_stat_double(struct na_plane *p, int64_t id, double v)
{
	size_t at;
	struct na_wire *w = open_stat(p, id, &at);

	na_wire_double(w, STAT_DOUBLE, v);
	na_wire_end(w, at);
}

void na_stat_str(struct na_plane *p, int64_t id, const char *s)
{
	size_t at;
	struct na_wire *w = open_stat(p, id, &at);

	na_wire_str(w, STAT_STR, s);
	na_wire_end(w, at);
}

void na_stat_ref(struct na_plane *p, int64_t id, const char *s)
{
	int64_t ref = na_plane_stat(p, s);
	size_t at;
	struct na_wire *w = open_stat(p, id, &at);

	na_wire_int(w, STAT_REF, ref);
	na_wire_end(w, at);
}

void na_stat_bytes(struct na_plane *p, int64_t id, const void *b, size_t n)
{
	size_t at;
	struct na_wire *w = open_stat(p, id, &at);

	na_wire_bytes(w, STAT_BYTES, b, n);
	na_wire_end(w, at);
}

enum na_status na_plane_clock(struct na_trace *t, int64_t last_ps,
			      struct na_err *err)
{
	uint64_t start = (uint64_t)t->truth->start_unix_ns;
	struct na_plane p = {0};

	na_plane_start(&p, t, 0, "Task Environment");
	na_stat_uint(&p, na_plane_stat(&p, "profile_start_time"), start);
	na_stat_uint(&p, na_plane_stat(&p, "profile_stop_time"),
		     start + 1000000 + (uint64_t)(last_ps / NA_PS_PER_NS));
	return na_plane_finish(&p, err);
}
