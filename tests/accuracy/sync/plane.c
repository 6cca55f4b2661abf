#include <stdlib.h>
#include <string.h>

#include "netan/base/hash.h"
#include "tests/accuracy/sync/plane.h"

enum { /* fields of xplane.proto */
       SPACE_PLANES = 1,
       PLANE_ID = 1,
       PLANE_NAME = 2,
       PLANE_LINES = 3,
       PLANE_EVENT_TYPES = 4,
       PLANE_STAT_TYPES = 5,
       LINE_ID = 1,
       LINE_NAME = 2,
       LINE_NS = 3,
       LINE_EVENTS = 4,
       EVENT_TYPE = 1,
       EVENT_OFFSET_PS = 2,
       EVENT_DURATION_PS = 3,
       EVENT_STATS = 4,
       STAT_TYPE = 1,
       STAT_UINT = 3,
       STAT_INT = 4,
       STAT_TEXT = 5,
       STAT_BYTES = 6,
       STAT_REF = 7,
       TYPE_ID = 1,
       TYPE_NAME = 2,
       TYPE_DISPLAY = 4,
       TYPE_STATS = 5,
       MAP_KEY = 1,
       MAP_VALUE = 2
};

/* ---- names */

static uint64_t hash(const char *s)
{
	return na_fnv1a(NA_FNV1A, s, strlen(s));
}

static const char *name_of(const struct sy_names *n, uint32_t number)
{
	return n->text.v + n->at.v[number - 1];
}

static bool widen(struct sy_names *n)
{
	size_t slots = n->n_slots ? n->n_slots * 2 : 64;
	uint32_t *wide = na_calloc(slots, sizeof(*wide));

	if (!wide)
		return false;
	for (uint32_t i = 1; i <= n->at.n; i++) {
		size_t at = hash(name_of(n, i)) % slots;

		while (wide[at])
			at = (at + 1) % slots;
		wide[at] = i;
	}
	free(n->slots);
	n->slots = wide;
	n->n_slots = slots;
	return true;
}

/* The number of a text; 0: no memory. */
static uint32_t number_of(struct sy_names *n, const char *text, bool *fresh)
{
	size_t at;

	*fresh = false;
	if (n->at.n * 2 >= n->n_slots && !widen(n))
		return 0;
	at = hash(text) % n->n_slots;
	for (; n->slots[at]; at = (at + 1) % n->n_slots)
		if (strcmp(name_of(n, n->slots[at]), text) == 0)
			return n->slots[at];
	if (!na_add(&n->at, n->text.n) ||
	    !na_append(&n->text, text, strlen(text) + 1))
		return 0;
	*fresh = true;
	n->slots[at] = (uint32_t)n->at.n;
	return n->slots[at];
}

static void names_fini(struct sy_names *n)
{
	na_vec_free(&n->text);
	na_vec_free(&n->at);
	free(n->slots);
}

uint64_t sy_plane_name(struct sy_plane *p, const char *name, bool *fresh)
{
	uint32_t number = number_of(&p->events, name, fresh);

	p->failed = p->failed || number == 0;
	return number;
}

uint64_t sy_plane_stat(struct sy_plane *p, const char *name)
{
	bool fresh;
	uint32_t number = number_of(&p->stats, name, &fresh);

	p->failed = p->failed || number == 0;
	return number;
}

/* ---- types */

size_t sy_plane_type_begin(struct sy_plane *p, uint64_t number,
			   const char *name, const char *display)
{
	struct sy_pb *b = &p->event_types;
	size_t entry = sy_pb_begin(b, PLANE_EVENT_TYPES);

	sy_pb_int(b, MAP_KEY, number);
	p->event = sy_pb_begin(b, MAP_VALUE);
	sy_pb_int(b, TYPE_ID, number);
	sy_pb_text(b, TYPE_NAME, name);
	if (display)
		sy_pb_text(b, TYPE_DISPLAY, display);
	return entry;
}

void sy_plane_type_text(struct sy_plane *p, const char *stat, const char *text)
{
	struct sy_pb *b = &p->event_types;
	uint64_t name = sy_plane_stat(p, stat), value = sy_plane_stat(p, text);
	size_t mark = sy_pb_begin(b, TYPE_STATS);

	sy_pb_int(b, STAT_TYPE, name);
	sy_pb_int(b, STAT_REF, value);
	sy_pb_end(b, mark);
}

void sy_plane_type_bytes(struct sy_plane *p, const char *stat,
			 const struct sy_pb *bytes)
{
	struct sy_pb *b = &p->event_types;
	uint64_t name = sy_plane_stat(p, stat);
	size_t mark = sy_pb_begin(b, TYPE_STATS);

	sy_pb_int(b, STAT_TYPE, name);
	sy_pb_bytes(b, STAT_BYTES, bytes->bytes.v, bytes->bytes.n);
	sy_pb_end(b, mark);
}

void sy_plane_type_end(struct sy_plane *p, size_t mark)
{
	sy_pb_end(&p->event_types, p->event);
	sy_pb_end(&p->event_types, mark);
}

uint64_t sy_plane_plain(struct sy_plane *p, const char *name)
{
	bool fresh;
	uint64_t number = sy_plane_name(p, name, &fresh);

	if (fresh)
		sy_plane_type_end(p,
				  sy_plane_type_begin(p, number, name, NULL));
	return number;
}

/* ---- lines and events */

void sy_plane_line(struct sy_plane *p, uint64_t id, const char *name,
		   int64_t ns)
{
	p->line = sy_pb_begin(&p->body, PLANE_LINES);
	p->line_ns = ns;
	sy_pb_int(&p->body, LINE_ID, id);
	sy_pb_text(&p->body, LINE_NAME, name);
	sy_pb_int(&p->body, LINE_NS, (uint64_t)ns);
}

void sy_plane_line_end(struct sy_plane *p)
{
	sy_pb_end(&p->body, p->line);
}

void sy_plane_event(struct sy_plane *p, uint64_t number, int64_t from_ns,
		    int64_t ns)
{
	struct sy_pb *b = &p->body;

	p->event = sy_pb_begin(b, LINE_EVENTS);
	sy_pb_int(b, EVENT_TYPE, number);
	sy_pb_int(b, EVENT_OFFSET_PS,
		  (uint64_t)((from_ns - p->line_ns) * 1000));
	if (ns > 0)
		sy_pb_int(b, EVENT_DURATION_PS, (uint64_t)ns * 1000);
}

void sy_plane_event_end(struct sy_plane *p)
{
	sy_pb_end(&p->body, p->event);
}

static void stat_number(struct sy_plane *p, const char *stat, uint32_t field,
			uint64_t value)
{
	uint64_t name = sy_plane_stat(p, stat);
	size_t mark = sy_pb_begin(&p->body, EVENT_STATS);

	sy_pb_int(&p->body, STAT_TYPE, name);
	sy_pb_int(&p->body, field, value);
	sy_pb_end(&p->body, mark);
}

void sy_plane_int(struct sy_plane *p, const char *stat, int64_t value)
{
	stat_number(p, stat, STAT_INT, (uint64_t)value);
}

void sy_plane_uint(struct sy_plane *p, const char *stat, uint64_t value)
{
	stat_number(p, stat, STAT_UINT, value);
}

void sy_plane_ref(struct sy_plane *p, const char *stat, const char *text)
{
	stat_number(p, stat, STAT_REF, sy_plane_stat(p, text));
}

void sy_plane_text(struct sy_plane *p, const char *stat, const char *text)
{
	uint64_t name = sy_plane_stat(p, stat);
	size_t mark = sy_pb_begin(&p->body, EVENT_STATS);

	sy_pb_int(&p->body, STAT_TYPE, name);
	sy_pb_text(&p->body, STAT_TEXT, text);
	sy_pb_end(&p->body, mark);
}

/* ---- the plane */

static void append(struct sy_pb *to, const struct sy_pb *from)
{
	to->failed = to->failed || from->failed ||
		     !na_append(&to->bytes, from->bytes.v, from->bytes.n);
}

void sy_plane_write(struct sy_plane *p, struct sy_pb *space, uint64_t id,
		    const char *name)
{
	size_t plane = sy_pb_begin(space, SPACE_PLANES);

	sy_pb_int(space, PLANE_ID, id);
	sy_pb_text(space, PLANE_NAME, name);
	append(space, &p->body);
	append(space, &p->event_types);
	for (uint32_t i = 1; i <= p->stats.at.n; i++) {
		size_t entry = sy_pb_begin(space, PLANE_STAT_TYPES), value;

		sy_pb_int(space, MAP_KEY, i);
		value = sy_pb_begin(space, MAP_VALUE);
		sy_pb_int(space, TYPE_ID, i);
		sy_pb_text(space, TYPE_NAME, name_of(&p->stats, i));
		sy_pb_end(space, value);
		sy_pb_end(space, entry);
	}
	sy_pb_end(space, plane);
	space->failed = space->failed || p->failed;
}

void sy_plane_fini(struct sy_plane *p)
{
	sy_pb_fini(&p->body);
	sy_pb_fini(&p->event_types);
	names_fini(&p->events);
	names_fini(&p->stats);
	*p = (struct sy_plane){0};
}
