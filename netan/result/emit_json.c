/*
 * JSON (RFC 8259): two spaces a level; an object or list of scalars that
 * fits stands on one line, packed arrays fill lines.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/result/emit_impl.h"

enum { ONE_LINE = 78, FILL = 120, MAX_DEPTH = 64 };

struct json {
	FILE *out;
	int depth;
	bool flat; /* on one line, whatever its length */
};

static const char *scalar(const struct na_value *v, char buf[NA_UNIT_BUF])
{
	switch (v->kind) {
	case NA_V_BOOL:
		return v->u.flag ? "true" : "false";
	case NA_V_INT:
		snprintf(buf, NA_UNIT_BUF, "%lld", (long long)v->u.i);
		return buf;
	case NA_V_ID:
		snprintf(buf, NA_UNIT_BUF, "%" PRIu64, v->u.id);
		return buf;
	case NA_V_REAL:
		return na_print_double(buf, v->u.d);
	default:
		return "null";
	}
}

static const char *real(double x, char buf[NA_UNIT_BUF])
{
	return isfinite(x) ? na_print_double(buf, x) : "null";
}

static bool is_leaf(const struct na_value *v)
{
	return !na_is_container(v) && v->kind != NA_V_REALS &&
	       v->kind != NA_V_ROWS;
}

/* Whether v is a container of leaves that fits in `room` columns. */
static bool fits(const struct na_value *v, size_t room)
{
	char buf[NA_UNIT_BUF];
	size_t width = 2;

	if (v->packed) /* objects */
		return !v->n;
	na_for_each (m, v) {
		if (!is_leaf(m))
			return false;
		width += 2;
		if (m->name)
			width += na_escape(NA_ESC_JSON, m->name, NULL, 0) + 4;
		if (m->kind == NA_V_TEXT)
			width += na_escape(NA_ESC_JSON, m->u.text, NULL, 0) + 2;
		else
			width += strlen(scalar(m, buf));
		if (width > room)
			return false;
	}
	return true;
}

static void put_string(struct json *j, const char *s)
{
	putc('"', j->out);
	na_escape_to(NA_ESC_JSON, s, j->out);
	putc('"', j->out);
}

static void new_line(struct json *j)
{
	if (!j->flat)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

static void put_leaf(struct json *j, const struct na_value *v)
{
	char buf[NA_UNIT_BUF];

	if (v->kind == NA_V_TEXT)
		put_string(j, v->u.text);
	else
		fputs(scalar(v, buf), j->out);
}

static void put_name(struct json *j, const struct na_value *v)
{
	if (!v->name)
		return;
	put_string(j, v->name);
	fputs(": ", j->out);
}

/* Numbers side by side, a new line where one is full. */
static void put_reals(struct json *j, const struct na_value *v)
{
	char buf[NA_UNIT_BUF];
	size_t at = 0;

	putc('[', j->out);
	j->depth++;
	for (size_t k = 0; k < v->n; k++) {
		const char *text = real(v->u.reals[k], buf);
		size_t n = strlen(text);

		if (k)
			putc(',', j->out);
		if (k && at + n + 2 > FILL) {
			new_line(j);
			at = 0;
		} else if (k) {
			putc(' ', j->out);
		}
		fputs(text, j->out);
		at += n + 2;
	}
	j->depth--;
	putc(']', j->out);
}

/* Looks as a list of objects does. */
static void put_rows(struct json *j, const struct na_value *v)
{
	const int64_t *cell = v->u.rows.cells;

	putc('[', j->out);
	j->depth++;
	for (size_t k = 0; k < v->n; k++) {
		if (k)
			putc(',', j->out);
		new_line(j);
		putc('{', j->out);
		for (const char *const *f = v->u.rows.fields; *f; f++)
			fprintf(j->out, "%s \"%s\": %" PRId64,
				f == v->u.rows.fields ? "" : ",", *f, *cell++);
		fputs(" }", j->out);
	}
	j->depth--;
	if (v->n)
		new_line(j);
	putc(']', j->out);
}

static void put_value(struct json *j, const struct na_value *v);

static void put_container(struct json *j, const struct na_value *v)
{
	bool list = v->kind == NA_V_LIST;
	size_t indent = 2 * (size_t)j->depth;
	size_t name = v->name ? strlen(v->name) + 4 : 0;
	bool one_line = indent + name < ONE_LINE &&
			fits(v, ONE_LINE - indent - name);
	struct na_row_walk walk = na_row_walk(v);
	const struct na_value *m;

	putc(list ? '[' : '{', j->out);
	if (one_line && !list && v->n)
		putc(' ', j->out);
	j->depth++;
	while ((m = na_row_next(&walk))) {
		if (!one_line)
			new_line(j);
		put_name(j, m);
		put_value(j, m);
		if (na_row_more(&walk))
			fputs(one_line || j->flat ? ", " : ",", j->out);
	}
	j->depth--;
	if (!one_line)
		new_line(j);
	else if (!list && v->n)
		putc(' ', j->out);
	putc(list ? ']' : '}', j->out);
}

static void put_value(struct json *j, const struct na_value *v)
{
	/* Trees are built by us; the limit only guards against a mistake. */
	if (j->depth > MAX_DEPTH)
		fputs("null", j->out);
	else if (na_is_container(v))
		put_container(j, v);
	else if (v->kind == NA_V_REALS)
		put_reals(j, v);
	else if (v->kind == NA_V_ROWS)
		put_rows(j, v);
	else
		put_leaf(j, v);
}

enum na_status na_emit_json(const struct na_result *r,
			    const struct na_emit_opts *o, FILE *out,
			    struct na_err *err)
{
	struct json j = {.out = out};

	(void)o;
	put_value(&j, na_result_get_doc(r));
	putc('\n', out);
	return na_emit_done(out, err);
}

void na_emit_line(const struct na_value *v, FILE *out)
{
	struct json j = {.out = out, .flat = true};

	put_value(&j, v);
}
