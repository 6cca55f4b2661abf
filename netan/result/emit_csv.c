/*
 * CSV (RFC 4180, lines end with LF) and TSV: one table of the body.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit_impl.h"

struct column {
	char outer[48]; /* path of its object; "": the row itself */
	const char *name;
	bool dotted; /* header "outer.name" */
	int end;     /* of an interval: 0 lower, 1 upper; WHOLE: no interval */
	const struct na_value *at; /* in the row being written, long form */
};

enum { WHOLE = -1 };

struct sheet {
	FILE *out;
	char comma;
	enum na_escape how;
	struct column *cols;
	size_t n, cap;
	bool failed; /* memory */
};

static void put_text(struct sheet *s, const char *text)
{
	bool quote = s->comma == ',' &&
		     (strpbrk(text, ",\"\n\r") || text[0] == ' ' ||
		      (text[0] && text[strlen(text) - 1] == ' '));

	if (quote)
		putc('"', s->out);
	na_escape_to(s->how, text, s->out);
	if (quote)
		putc('"', s->out);
}

static void put_real(struct sheet *s, double x)
{
	char buf[NA_UNIT_BUF];

	if (isfinite(x))
		fputs(na_print_double(buf, x), s->out);
}

static void put_value(struct sheet *s, const struct na_value *v)
{
	if (!v)
		return;
	switch (v->kind) {
	case NA_V_BOOL:
		fputs(v->u.flag ? "true" : "false", s->out);
		break;
	case NA_V_INT:
		fprintf(s->out, "%lld", (long long)v->u.i);
		break;
	case NA_V_ID:
		fprintf(s->out, "%" PRIu64, v->u.id);
		break;
	case NA_V_REAL:
		put_real(s, v->u.d);
		break;
	case NA_V_TEXT:
		put_text(s, v->u.text);
		break;
	default:
		break;
	}
}

/* Two ends, each a column of its own. */
static bool is_interval(const struct na_value *v)
{
	return v->kind == NA_V_REALS && v->n == 2 && v->name &&
	       strstr(v->name, "ci95");
}

static bool same(const struct column *c, const char *outer, const char *name,
		 int end)
{
	return c->end == end && strcmp(c->name, name) == 0 &&
	       strcmp(outer, c->outer) == 0;
}

/* Rows mostly agree, so the column is mostly at `hint`. */
static void add_column(struct sheet *s, size_t *hint, const char *outer,
		       const char *name, int end)
{
	struct column c = {"", name, *outer && strcmp(outer, "key") != 0, end,
			   NULL};

	if (*hint < s->n && same(&s->cols[*hint], outer, name, end)) {
		++*hint;
		return;
	}
	for (size_t k = 0; k < s->n; k++)
		if (same(&s->cols[k], outer, name, end)) {
			*hint = k + 1;
			return;
		}
	if (!na_grow(&s->cols, &s->cap, s->n + 1, sizeof(*s->cols))) {
		s->failed = true;
		return;
	}
	snprintf(c.outer, sizeof(c.outer), "%s", outer);
	s->cols[s->n++] = c;
	*hint = s->n;
}

/* Of an object in the row, and of those in it. */
static void add_object(struct sheet *s, size_t *hint, const char *outer,
		       const struct na_value *in)
{
	char path[sizeof(s->cols->outer)];

	na_for_each (m, in) {
		if (na_is_scalar(m))
			add_column(s, hint, outer, m->name, WHOLE);
		if (m->kind != NA_V_OBJECT || strchr(outer, '.') ||
		    strlen(outer) > 22 || strlen(m->name) > 22)
			continue;
		snprintf(path, sizeof(path), "%.22s.%.22s", outer, m->name);
		add_object(s, hint, path, m);
	}
}

static void add_columns(struct sheet *s, const struct na_value *row)
{
	size_t hint = 0;

	if (row->kind != NA_V_OBJECT)
		return;
	na_for_each (v, row) {
		if (na_is_scalar(v))
			add_column(s, &hint, "", v->name, WHOLE);
		for (int end = 0; end < 2 && is_interval(v); end++)
			add_column(s, &hint, "", v->name, end);
		if (v->kind == NA_V_OBJECT &&
		    strlen(v->name) < sizeof(s->cols->outer))
			add_object(s, &hint, v->name, v);
	}
}

/* A group key named like a column of the row keeps its outer name. */
static void part_names(struct sheet *s)
{
	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->n; i++)
			if (i != k && *s->cols[k].outer &&
			    strcmp(s->cols[i].name, s->cols[k].name) == 0)
				s->cols[k].dotted = true;
}

static void put_header(struct sheet *s)
{
	for (size_t k = 0; k < s->n; k++) {
		if (k)
			putc(s->comma, s->out);
		if (s->cols[k].dotted)
			fprintf(s->out, "%s.", s->cols[k].outer);
		fputs(s->cols[k].name, s->out);
		if (s->cols[k].end != WHOLE)
			fputs(s->cols[k].end ? ".upper" : ".lower", s->out);
	}
	putc('\n', s->out);
}

static void put_end(struct sheet *s, const struct na_value *interval, int end)
{
	size_t n;
	const double *ends = na_reals_of(interval, &n);

	if (ends && n == 2)
		put_real(s, ends[end]);
}

static void put_row(struct sheet *s, const struct na_value *row)
{
	const struct na_value *v = row->kind == NA_V_OBJECT ? row->u.of.first
							    : NULL;

	for (size_t k = 0; k < s->n; k++) {
		const struct column *c = &s->cols[k];
		const struct na_value *in = *c->outer ? na_dig(row, c->outer)
						      : row;

		if (k)
			putc(s->comma, s->out);
		if (c->end != WHOLE) {
			put_end(s, na_get(in, c->name), c->end);
			v = v && c->end ? v->next : v;
			continue;
		}
		/* The next member is the wanted one in all but odd rows. */
		if (!*c->outer && v && strcmp(v->name, c->name) == 0)
			put_value(s, v);
		else
			put_value(s, na_get(in, c->name));
		if (v)
			v = v->next;
	}
	putc('\n', s->out);
}

static void put_plain_list(struct sheet *s, const struct na_value *list)
{
	fprintf(s->out, "%s\n", list->name ? list->name : "value");
	na_for_each (v, list) {
		put_value(s, v);
		putc('\n', s->out);
	}
}

/* The array of the body that the packed arrays of all rows run along; NULL
 * when there is none, or when one of them has another length. */
static const struct na_value *axis_of(const struct na_value *body,
				      const struct na_value *list)
{
	const struct na_value *axis = body->u.of.first;
	bool any = false;

	while (axis && axis->kind != NA_V_REALS)
		axis = axis->next;
	if (!axis)
		return NULL;
	na_each_row (row, list) {
		if (row->kind != NA_V_OBJECT)
			return NULL;
		na_for_each (v, row) {
			if (v->kind != NA_V_REALS)
				continue;
			if (v->n != axis->n)
				return NULL;
			any = true;
		}
	}
	return any ? axis : NULL;
}

static void add_key_columns(struct sheet *s, const struct na_value *list,
			    size_t first)
{
	na_each_row (row, list) {
		const struct na_value *key = na_get(row, "key");
		size_t hint = first;

		if (!key || key->kind != NA_V_OBJECT)
			continue;
		add_object(s, &hint, "key", key);
	}
}

static void add_long_columns(struct sheet *s, const struct na_value *list,
			     const struct na_value *axis)
{
	size_t hint = 0, n_keys;

	add_column(s, &hint, "", axis->name, WHOLE);
	add_key_columns(s, list, 1);
	n_keys = s->n;
	na_each_row (row, list) {
		hint = n_keys;
		na_for_each (v, row)
			if (v->kind == NA_V_REALS)
				add_column(s, &hint, "", v->name, WHOLE);
	}
}

/* Key columns are cells, all others packed arrays. */
static const struct na_value *find_at(const struct column *c,
				      const struct na_value *row)
{
	const struct na_value *v;

	v = na_get(*c->outer ? na_get(row, c->outer) : row, c->name);
	return v && (*c->outer ? na_is_scalar(v) : v->kind == NA_V_REALS)
		       ? v
		       : NULL;
}

static void put_elements(struct sheet *s, const struct na_value *row,
			 const struct na_value *axis)
{
	for (size_t c = 0; c < s->n; c++)
		s->cols[c].at = find_at(&s->cols[c], row);
	if (!s->cols[0].at)
		s->cols[0].at = axis;
	for (size_t k = 0; k < axis->n; k++) {
		for (size_t c = 0; c < s->n; c++) {
			const struct na_value *v = s->cols[c].at;

			if (c)
				putc(s->comma, s->out);
			if (v && v->kind == NA_V_REALS)
				put_real(s, v->u.reals[k]);
			else
				put_value(s, v);
		}
		putc('\n', s->out);
	}
}

/* A line for each element.  Scalars of a row would repeat, and be summed up
 * by mistake: only its key stays. */
static void put_long(struct sheet *s, const struct na_value *list,
		     const struct na_value *axis)
{
	add_long_columns(s, list, axis);
	part_names(s);
	if (s->failed)
		return;
	put_header(s);
	na_each_row (row, list)
		put_elements(s, row, axis);
}

static void put_list(struct sheet *s, const struct na_value *body,
		     const struct na_value *list)
{
	const struct na_value *axis;

	if (list->n && !list->packed && na_is_scalar(list->u.of.first)) {
		put_plain_list(s, list);
		return;
	}
	axis = axis_of(body, list);
	if (axis) {
		put_long(s, list, axis);
		return;
	}
	na_each_row (v, list)
		add_columns(s, v);
	part_names(s);
	if (s->failed)
		return;
	if (s->n)
		put_header(s);
	na_each_row (v, list)
		put_row(s, v);
}

static void put_object(struct sheet *s, const struct na_value *object)
{
	add_columns(s, object);
	part_names(s);
	if (s->failed)
		return;
	put_header(s);
	put_row(s, object);
}

bool na_csv_is_matrix(const struct na_value *body)
{
	const struct na_value *columns = na_get(body, M_columns),
			      *rows = na_get(body, M_rows);

	return columns && rows && columns->kind == NA_V_LIST &&
	       rows->kind == NA_V_LIST;
}

/* Lists in a list, with their columns in another. */
static void put_matrix(struct sheet *s, const struct na_value *columns,
		       const struct na_value *rows)
{
	na_for_each (name, columns) {
		put_value(s, name);
		putc(name->next ? s->comma : '\n', s->out);
	}
	na_for_each (row, rows)
		na_for_each (v, row) {
			put_value(s, v);
			putc(v->next ? s->comma : '\n', s->out);
		}
}

/* Columns of a list inside the rows of a list: the outer key's, then its
 * own.  Returns how many the key has. */
static size_t add_inner_columns(struct sheet *s, const struct na_value *list,
				const char *name)
{
	size_t hint = 0, n_keys;

	add_key_columns(s, list, 0);
	n_keys = s->n;
	na_each_row (row, list) {
		const struct na_value *inner = na_get(row, name);

		hint = n_keys;
		if (inner && inner->kind == NA_V_ROWS) {
			for (size_t k = 0; inner->u.rows.fields[k]; k++)
				add_column(s, &hint, "",
					   inner->u.rows.fields[k], WHOLE);
		} else if (inner && inner->kind == NA_V_LIST) {
			na_for_each (v, inner)
				add_columns(s, v);
		}
	}
	return n_keys;
}

static void put_key_cells(struct sheet *s, const struct na_value *row,
			  size_t n_keys)
{
	for (size_t c = 0; c < n_keys; c++) {
		put_value(s, na_dig(na_get(row, "key"), s->cols[c].name));
		putc(s->comma, s->out);
	}
}

static void put_inner_rows(struct sheet *s, const struct na_value *row,
			   const struct na_value *inner, size_t n_keys)
{
	const int64_t *cell = inner->u.rows.cells;

	for (size_t k = 0; k < inner->n; k++) {
		put_key_cells(s, row, n_keys);
		for (size_t c = n_keys; c < s->n; c++) {
			if (c > n_keys)
				putc(s->comma, s->out);
			fprintf(s->out, "%" PRId64, *cell++);
		}
		putc('\n', s->out);
	}
}

static void put_inner_list(struct sheet *s, const struct na_value *row,
			   const struct na_value *inner, size_t n_keys)
{
	na_for_each (v, inner) {
		put_key_cells(s, row, n_keys);
		for (size_t c = n_keys; c < s->n; c++) {
			if (c > n_keys)
				putc(s->comma, s->out);
			if (s->cols[c].end != WHOLE)
				put_end(s, na_get(v, s->cols[c].name),
					s->cols[c].end);
			else
				put_value(s, na_get(v, s->cols[c].name));
		}
		putc('\n', s->out);
	}
}

/* The list `name` of every row of `list`, one behind the other. */
static void put_inner(struct sheet *s, const struct na_value *list,
		      const char *name)
{
	size_t n_keys = add_inner_columns(s, list, name);

	part_names(s);
	if (s->failed)
		return;
	put_header(s);
	na_each_row (row, list) {
		const struct na_value *inner = na_get(row, name);

		if (inner && inner->kind == NA_V_ROWS)
			put_inner_rows(s, row, inner, n_keys);
		else if (inner && inner->kind == NA_V_LIST)
			put_inner_list(s, row, inner, n_keys);
	}
}

/* Packed arrays of the length of `like`, side by side. */
static void put_run(struct sheet *s, const struct na_value *in,
		    const struct na_value *like)
{
	bool first = true;

	na_for_each (v, in) {
		if (v->kind != NA_V_REALS || v->n != like->n)
			continue;
		if (!first)
			putc(s->comma, s->out);
		fputs(v->name, s->out);
		first = false;
	}
	putc('\n', s->out);
	for (size_t k = 0; k < like->n; k++) {
		first = true;
		na_for_each (v, in) {
			if (v->kind != NA_V_REALS || v->n != like->n)
				continue;
			if (!first)
				putc(s->comma, s->out);
			put_real(s, v->u.reals[k]);
			first = false;
		}
		putc('\n', s->out);
	}
}

static enum na_status emit(const struct na_result *r,
			   const struct na_emit_opts *o, struct sheet *s,
			   struct na_err *err)
{
	const struct na_value *body = na_result_get_body(r);
	struct na_err why = {.status = NA_OK};
	struct na_csv_table t;

	if (!o->table && na_csv_is_matrix(body)) {
		put_matrix(s, na_get(body, M_columns), na_get(body, M_rows));
		return na_emit_done(s->out, err);
	}
	if (na_csv_pick(body, o->table, &t, &why) != NA_OK) {
		if (na_csv_put_empty(r, o->table, s->comma, s->out))
			return na_emit_done(s->out, err);
		*err = why;
		return err->status;
	}
	if (t.v->kind == NA_V_LIST && !t.v->n &&
	    na_csv_put_empty(r, t.v->name, s->comma, s->out))
		return na_emit_done(s->out, err);
	if (t.inner)
		put_inner(s, t.v, o->table);
	else if (t.v->kind == NA_V_REALS)
		put_run(s, body, t.v);
	else if (t.v->kind == NA_V_LIST)
		put_list(s, body, t.v);
	else
		put_object(s, t.v);
	free(s->cols);
	if (s->failed)
		return na_fail_nomem(err);
	return na_emit_done(s->out, err);
}

enum na_status na_emit_csv(const struct na_result *r,
			   const struct na_emit_opts *o, FILE *out,
			   struct na_err *err)
{
	struct sheet s = {.out = out, .comma = ',', .how = NA_ESC_CSV};

	return emit(r, o, &s, err);
}

enum na_status na_emit_tsv(const struct na_result *r,
			   const struct na_emit_opts *o, FILE *out,
			   struct na_err *err)
{
	struct sheet s = {.out = out, .comma = '\t', .how = NA_ESC_TSV};

	return emit(r, o, &s, err);
}
