#include "ingest/kineto/jax_space.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"
#include "netan/base/units.h"

/* A trace is not that long; stamps beyond are of a clock, whose begin is far
 * before. */
enum { DAYS = 11 };
#define LONGEST_US (DAYS * INT64_C(86400000000))
#define BEFORE_US  INT64_C(3600000000)

enum { SEPARATOR = 0x1f };

/* ---- texts */

/* To the end of x->text, without escapes. */
static bool put_text(struct jx_space *x, struct na_text raw)
{
	char *plain;

	if (!raw.n || !memchr(raw.s, '\\', raw.n)) {
		na_xf_put(&x->text, raw.s, raw.n);
		return !x->text.failed;
	}
	/* Three bytes of U+FFFD for a backslash alone. */
	plain = malloc(3 * raw.n + 1);
	if (!plain)
		return false;
	na_xf_put(&x->text, plain, na_json_unescape(raw, plain, 3 * raw.n + 1));
	free(plain);
	return !x->text.failed;
}

/* The text as the only one there. */
static bool set_text(struct jx_space *x, struct na_text raw)
{
	x->text.n = 0;
	return put_text(x, raw);
}

static bool keep_text(struct jx_space *x, struct na_text raw, char **to)
{
	char *copy;

	if (!set_text(x, raw))
		return false;
	copy = malloc(x->text.n + 1);
	if (!copy)
		return false;
	if (x->text.n)
		memcpy(copy, x->text.p, x->text.n);
	copy[x->text.n] = '\0';
	free(*to);
	*to = copy;
	return true;
}

/* Index of x->text in a table. */
static bool index_of(struct na_strtab *t, const struct na_xf_bytes *text,
		     uint32_t *index)
{
	*index = na_strtab_add(t, text->n ? (const char *)text->p : "",
			       text->n);
	return *index != NA_NO_NAME;
}

/* ---- planes and lines */

static bool plane_of(struct jx_space *x, const struct na_kineto_event *e,
		     uint32_t *plane)
{
	if (!set_text(x, e->pid) || !index_of(&x->pids, &x->text, plane))
		return false;
	return *plane < x->planes.n || na_push(&x->planes);
}

static bool line_of(struct jx_space *x, const struct na_kineto_event *e,
		    uint32_t *line)
{
	struct jx_plane *p;
	uint32_t plane;

	if (!plane_of(x, e, &plane))
		return false;
	na_xf_put(&x->text, "/", 1);
	if (!put_text(x, e->tid) || !index_of(&x->tids, &x->text, line))
		return false;
	if (*line < x->lines.n)
		return true;
	if (!na_add(&x->lines, ((struct jx_line){.plane = plane})))
		return false;
	p = &x->planes.v[plane];
	if (p->last)
		x->lines.v[p->last - 1].next = *line + 1;
	else
		p->first = *line + 1;
	p->last = *line + 1;
	return true;
}

/* {"name":"/device:TPU:0"} */
static struct na_text name_in(struct na_text args)
{
	struct na_json j = na_json_of(args, 0);
	struct na_text name = {"", 0};

	na_json_next(&j);
	while (na_json_next(&j) == NA_JSON_KEY) {
		bool is = na_json_is(&j, "name");
		struct na_text value = na_json_value(&j);

		if (is)
			name = value;
	}
	return name;
}

/* "process_name", "thread_name" */
static bool add_name(struct jx_space *x, const struct na_kineto_event *e)
{
	uint32_t at;

	if (na_text_is(e->name, "process_name"))
		return plane_of(x, e, &at) &&
		       keep_text(x, name_in(e->args), &x->planes.v[at].name);
	if (na_text_is(e->name, "thread_name"))
		return line_of(x, e, &at) &&
		       keep_text(x, name_in(e->args), &x->lines.v[at].name);
	return true;
}

/* ---- events */

/* To the nearest picosecond, where it has that many digits before. */
static bool time_of(struct na_text text, int64_t base_us, int64_t *ps)
{
	int64_t us, tenths;
	int32_t rest;

	if (!base_us && na_json_decimal(text, 7, &tenths) &&
	    tenths < INT64_MAX - 5) {
		*ps = (tenths + 5) / 10;
		return tenths >= 0;
	}
	return kt_time(text, &us, &rest) && us >= base_us &&
	       na_mul_i64(us - base_us, NA_PS_PER_US, ps) &&
	       na_add_i64(*ps, rest, ps);
}

/* "50" is a number of the XSpace's; -1 has none that anybody looks at. */
static bool put_stat(struct jx_space *x, struct jx_plane *p, struct na_text key,
		     struct na_text value, bool escaped)
{
	struct na_xf_bytes stat = {.p = NULL};
	uint32_t name;
	uint64_t number;
	bool ok;

	if (!set_text(x, key) || !index_of(&p->stats, &x->text, &name))
		return false;
	na_xf_put_uint(&stat, 1, (uint64_t)name + 1);
	if (na_text_number(value, &number) && number <= INT64_MAX) {
		/* XStat.uint64_value, also where it is 0. */
		na_xf_put_varint(&stat, 3 << 3);
		na_xf_put_varint(&stat, number);
	} else if (escaped) {
		ok = set_text(x, value);
		na_xf_put_field(&stat, 5, x->text.p, ok ? x->text.n : 0);
	} else {
		na_xf_put_field(&stat, 5, value.s, value.n);
	}
	na_xf_put_field(&x->event, 4, stat.p, stat.n);
	ok = !stat.failed && !x->event.failed && !x->text.failed;
	na_xf_bytes_fini(&stat);
	return ok;
}

/* All but the long name, which is part of the type's. */
static bool put_stats(struct jx_space *x, struct jx_plane *p,
		      struct na_text args, struct na_text *long_name)
{
	struct na_json j = na_json_of(args, 0);

	*long_name = na_text_n("", 0);
	if (!args.s)
		return true;
	na_json_next(&j);
	while (na_json_next(&j) == NA_JSON_KEY) {
		struct na_text key = j.text, value;
		bool is_long = na_json_is(&j, "long_name"), escaped;

		value = na_json_value(&j);
		escaped = j.kind == NA_JSON_STRING && j.escaped;
		if (is_long)
			*long_name = value;
		else if (j.kind != NA_JSON_STRING && j.kind != NA_JSON_NUMBER)
			continue;
		else if (!put_stat(x, p, key, value, escaped))
			return false;
	}
	return true;
}

static bool put_type(struct jx_space *x, struct jx_plane *p,
		     struct na_text name, struct na_text long_name,
		     uint32_t *type)
{
	static const char separator = SEPARATOR;

	if (!set_text(x, name))
		return false;
	if (long_name.n) {
		na_xf_put(&x->text, &separator, 1);
		if (!put_text(x, long_name))
			return false;
	}
	return index_of(&p->types, &x->text, type);
}

static bool add_event(struct jx_space *x, const struct na_kineto_event *e)
{
	int64_t offset, took = 0, us;
	struct na_text long_name;
	struct na_xf_bytes head = {.p = NULL};
	struct jx_plane *p;
	struct jx_line *l;
	uint32_t line, type;
	int32_t rest;
	bool ok;

	if (!line_of(x, e, &line))
		return false;
	l = &x->lines.v[line];
	p = &x->planes.v[l->plane];
	if (!x->n_events++ && kt_time(e->ts, &us, &rest) && us > LONGEST_US)
		x->base_us = us - BEFORE_US;
	x->event.n = 0;
	if (na_text_begins(e->name, "$") ||
	    !time_of(e->ts, x->base_us, &offset) ||
	    (e->dur.s && !time_of(e->dur, 0, &took))) {
		na_xf_put_field(&l->events, 4, "", 0);
		return !l->events.failed;
	}
	if (took <= 1)
		took = 0; /* an instant, as it is written */
	if (!put_stats(x, p, e->args, &long_name) ||
	    !put_type(x, p, e->name, long_name, &type))
		return false;
	na_xf_put_uint(&head, 1, (uint64_t)type + 1);
	na_xf_put_uint(&head, 2, (uint64_t)offset);
	na_xf_put_uint(&head, 3, (uint64_t)took);
	na_xf_put(&head, x->event.p, x->event.n);
	na_xf_put_field(&l->events, 4, head.p, head.n);
	ok = !head.failed && !l->events.failed;
	na_xf_bytes_fini(&head);
	return ok;
}

bool jx_space_add(struct jx_space *x, const struct na_kineto_event *e)
{
	if (!e->pid.s)
		return true;
	if (na_text_is(e->ph, "M"))
		return add_name(x, e);
	return !na_text_is(e->ph, "X") || !e->ts.s || add_event(x, e);
}

/* ---- the XSpace */

/* An entry of a map of metadata; `text` may hold a name and a long one. */
static void put_entry(struct na_xf_bytes *plane, uint32_t field, uint64_t id,
		      const char *text)
{
	struct na_xf_bytes entry = {.p = NULL}, value = {.p = NULL};
	const char *longer = strchr(text, SEPARATOR);

	na_xf_put_uint(&value, 1, id);
	if (longer) {
		na_xf_put_text(&value, 2, longer + 1);
		na_xf_put_field(&value, 4, text, (size_t)(longer - text));
	} else {
		na_xf_put_text(&value, 2, text);
	}
	na_xf_put_uint(&entry, 1, id);
	na_xf_put_field(&entry, 2, value.p, value.n);
	na_xf_put_field(plane, field, entry.p, entry.n);
	plane->failed |= value.failed || entry.failed;
	na_xf_bytes_fini(&value);
	na_xf_bytes_fini(&entry);
}

static void put_line(struct na_xf_bytes *plane, const struct jx_line *l,
		     uint64_t id)
{
	struct na_xf_bytes line = {.p = NULL};

	na_xf_put_uint(&line, 1, id);
	na_xf_put_text(&line, 2, l->name ? l->name : "");
	na_xf_put(&line, l->events.p, l->events.n);
	na_xf_put_field(plane, 3, line.p, line.n);
	plane->failed |= line.failed;
	na_xf_bytes_fini(&line);
}

bool jx_space_write(const struct jx_space *x, struct na_xf_bytes *out)
{
	for (uint32_t i = 0; i < x->planes.n; i++) {
		const struct jx_plane *p = &x->planes.v[i];
		struct na_xf_bytes plane = {.p = NULL};

		na_xf_put_uint(&plane, 1, (uint64_t)i + 1);
		na_xf_put_text(&plane, 2, p->name ? p->name : "");
		for (uint32_t k = p->first; k; k = x->lines.v[k - 1].next)
			put_line(&plane, &x->lines.v[k - 1], k);
		for (uint32_t k = 0; k < p->types.n; k++)
			put_entry(&plane, 4, (uint64_t)k + 1,
				  na_strtab_at(&p->types, k));
		for (uint32_t k = 0; k < p->stats.n; k++)
			put_entry(&plane, 5, (uint64_t)k + 1,
				  na_strtab_at(&p->stats, k));
		na_xf_put_field(out, 1, plane.p, plane.n);
		out->failed |= plane.failed;
		na_xf_bytes_fini(&plane);
	}
	return !out->failed;
}

void jx_space_fini(struct jx_space *x)
{
	for (size_t i = 0; i < x->planes.n; i++) {
		free(x->planes.v[i].name);
		na_strtab_fini(&x->planes.v[i].types);
		na_strtab_fini(&x->planes.v[i].stats);
	}
	for (size_t i = 0; i < x->lines.n; i++) {
		free(x->lines.v[i].name);
		na_xf_bytes_fini(&x->lines.v[i].events);
	}
	na_vec_free(&x->planes);
	na_vec_free(&x->lines);
	na_strtab_fini(&x->pids);
	na_strtab_fini(&x->tids);
	na_xf_bytes_fini(&x->event);
	na_xf_bytes_fini(&x->text);
}
