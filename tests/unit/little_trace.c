#include "tests/unit/little_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/wire_out.h"
#include "tests/unit/reading.h"

enum { IDS_MAX = 400 };

struct ids {
	const char *names[IDS_MAX];
	size_t n;
};

static uint64_t id_of(struct ids *ids, const char *name)
{
	for (size_t i = 0; i < ids->n; i++) {
		if (strcmp(ids->names[i], name) == 0)
			return i + 1;
	}
	assert_true(ids->n < IDS_MAX);
	ids->names[ids->n++] = name;
	return ids->n;
}

static void put_packed(struct na_wire *w, const char *text)
{
	size_t n;
	uint8_t *p = gzip_of(text, strlen(text), &n);

	na_wire_bytes(w, 8, p, n);
	free(p);
}

static void put_hex(struct na_wire *w, const char *hex)
{
	uint8_t bytes[256];
	size_t n = 0;
	unsigned x;

	for (; sscanf(hex, "%2x", &x) == 1; hex += 2) {
		assert_true(n < sizeof(bytes));
		bytes[n++] = (uint8_t)x;
	}
	na_wire_bytes(w, 6, bytes, n);
}

static void put_stat(struct na_wire *w, unsigned field, struct ids *ids,
		     const struct little_stat *s)
{
	size_t at = na_wire_begin(w, field);
	const char *value = s->value + 2;

	na_wire_uint(w, 1, id_of(ids, s->name));
	switch (s->value[0]) {
	case 'i':
		na_wire_int(w, 4, strtoll(value, NULL, 10));
		break;
	case 'u':
		na_wire_uint(w, 3, strtoull(value, NULL, 10));
		break;
	case 's':
		na_wire_str(w, 5, value);
		break;
	case 'r':
		na_wire_uint(w, 7, id_of(ids, value));
		break;
	case 'd':
		na_wire_double(w, 2, strtod(value, NULL));
		break;
	case 'b':
		put_hex(w, value);
		break;
	case 'z':
		put_packed(w, value);
		break;
	default:
		fail_msg("no such value: %s", s->value);
	}
	na_wire_end(w, at);
}

static void put_line(struct na_wire *w, const struct little_trace *t,
		     struct ids *types, struct ids *stats)
{
	const char *name = t->line ? t->line : "line";
	size_t line = na_wire_begin(w, 3);

	na_wire_str(w, 2, name);
	na_wire_int(w, 3, t->line_ns);
	for (size_t i = 0; i < t->n; i++) {
		const struct little_event *e = &t->events[i];
		size_t at = na_wire_begin(w, 4);

		na_wire_uint(w, 1, id_of(types, e->name));
		na_wire_int(w, 2, e->at_ps);
		na_wire_int(w, 3, e->dur_ps);
		for (size_t k = 0; k < 12 && e->stats[k].name; k++)
			put_stat(w, 4, stats, &e->stats[k]);
		na_wire_end(w, at);
	}
	na_wire_end(w, line);
}

static void put_type(struct na_wire *w, const struct little_trace *t,
		     const char *name, struct ids *stats)
{
	for (size_t i = 0; i < t->n_types; i++) {
		const struct little_type *x = &t->types[i];

		if (strcmp(x->name, name) != 0)
			continue;
		if (x->display)
			na_wire_str(w, 4, x->display);
		for (size_t k = 0; k < 12 && x->stats[k].name; k++)
			put_stat(w, 5, stats, &x->stats[k]);
	}
}

/* `t`: ids of event types, which may have stats; NULL: of stats. */
static void put_ids(struct na_wire *w, const struct ids *ids, unsigned field,
		    const struct little_trace *t, struct ids *stats)
{
	for (size_t i = 0; i < ids->n; i++) {
		size_t entry = na_wire_begin(w, field), value;

		na_wire_uint(w, 1, i + 1);
		value = na_wire_begin(w, 2);
		na_wire_uint(w, 1, i + 1);
		na_wire_str(w, 2, ids->names[i]);
		if (t)
			put_type(w, t, ids->names[i], stats);
		na_wire_end(w, value);
		na_wire_end(w, entry);
	}
}

static void put_environment(struct na_wire *w, int64_t wall_ns)
{
	struct ids stats = {{NULL}, 0};
	size_t plane = na_wire_begin(w, 1), at;

	na_wire_str(w, 2, "Task Environment");
	at = na_wire_begin(w, 6);
	na_wire_uint(w, 1, id_of(&stats, "profile_start_time"));
	na_wire_int(w, 3, wall_ns);
	na_wire_end(w, at);
	put_ids(w, &stats, 5, NULL, NULL);
	na_wire_end(w, plane);
}

uint8_t *little_bytes(const struct little_trace *t, size_t *n)
{
	static struct ids types, stats; /* too large for the stack */
	struct na_wire w = {0};
	size_t plane;

	types.n = stats.n = 0;
	plane = na_wire_begin(&w, 1);
	na_wire_str(&w, 2, t->plane);
	put_line(&w, t, &types, &stats);
	for (size_t i = 0; i < t->n_types; i++)
		id_of(&types, t->types[i].name);
	put_ids(&w, &types, 4, t, &stats);
	put_ids(&w, &stats, 5, NULL, NULL);
	na_wire_end(&w, plane);
	if (t->wall_ns)
		put_environment(&w, t->wall_ns);
	assert_false(w.failed);
	*n = w.n;
	return w.p;
}
