/*
 * CSV (RFC 4180, lines end with LF) and TSV: one table of the body.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit_impl.h"

struct column {
	const char *outer; /* NULL: a member of the row itself */
	const char *name;
	bool dotted; /* header "outer.name" */
};

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
	case NA_V_REAL:
		put_real(s, v->u.d);
		break;
	case NA_V_TEXT:
		put_text(s, v->u.text);
		break;
	case NA_V_NULL:
	case NA_V_OBJECT:
	case NA_V_LIST:
	case NA_V_REALS:
		break;
	}
}

static bool is_cell(const struct na_value *v)
{
	return v->kind != NA_V_OBJECT && v->kind != NA_V_LIST &&
	       v->kind != NA_V_REALS;
}

static bool same(const struct column *c, const char *outer, const char *name)
{
	if (strcmp(c->name, name) != 0)
		return false;
	return outer && c->outer ? strcmp(outer, c->outer) == 0
				 : outer == c->outer;
}

/* Rows mostly agree, so the column is mostly at `hint`. */
static void add_column(struct sheet *s, size_t *hint, const char *outer,
		       const char *name)
{
	struct column c = {outer, name, outer && strcmp(outer, "key") != 0};

	if (*hint < s->n && same(&s->cols[*hint], outer, name)) {
		++*hint;
		return;
	}
	for (size_t k = 0; k < s->n; k++)
		if (same(&s->cols[k], outer, name)) {
			*hint = k + 1;
			return;
		}
	if (!na_grow(&s->cols, &s->cap, s->n + 1, sizeof(*s->cols))) {
		s->failed = true;
		return;
	}
	s->cols[s->n++] = c;
	*hint = s->n;
}

static void add_columns(struct sheet *s, const struct na_value *row)
{
	size_t hint = 0;

	if (row->kind != NA_V_OBJECT)
		return;
	for_each_member (v, row) {
		if (is_cell(v))
			add_column(s, &hint, NULL, v->name);
		if (v->kind != NA_V_OBJECT)
			continue;
		for_each_member (m, v)
			if (is_cell(m))
				add_column(s, &hint, v->name, m->name);
	}
}

/* A group key named like a column of the row keeps its outer name. */
static void part_names(struct sheet *s)
{
	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->n; i++)
			if (i != k && s->cols[k].outer &&
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
	}
	putc('\n', s->out);
}

static void put_row(struct sheet *s, const struct na_value *row)
{
	const struct na_value *v = row->kind == NA_V_OBJECT ? row->u.of.first
							    : NULL;

	for (size_t k = 0; k < s->n; k++) {
		const struct column *c = &s->cols[k];
		const struct na_value *in = c->outer ? na_get(row, c->outer)
						     : row;

		if (k)
			putc(s->comma, s->out);
		/* The next member is the wanted one in all but odd rows. */
		if (!c->outer && v && strcmp(v->name, c->name) == 0)
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
	for_each_member (v, list) {
		put_value(s, v);
		putc('\n', s->out);
	}
}

static void put_list(struct sheet *s, const struct na_value *list)
{
	if (list->n && is_cell(list->u.of.first)) {
		put_plain_list(s, list);
		return;
	}
	for_each_member (v, list)
		add_columns(s, v);
	part_names(s);
	if (s->failed)
		return;
	if (s->n)
		put_header(s);
	for_each_member (v, list)
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

/* Packed arrays of the length of `like`, side by side. */
static void put_run(struct sheet *s, const struct na_value *in,
		    const struct na_value *like)
{
	bool first = true;

	for_each_member (v, in) {
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
		for_each_member (v, in) {
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

static bool is_table(const struct na_value *v)
{
	return v->kind == NA_V_LIST || v->kind == NA_V_REALS;
}

static enum na_status no_such_table(const struct na_value *body,
				    const char *name, struct na_err *err)
{
	char names[300] = "";
	size_t used = 0;

	for_each_member (v, body) {
		size_t n = strlen(v->name);

		if (is_cell(v) || used + n + 3 > sizeof(names))
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%s", used ? ", " : "", v->name);
	}
	return na_fail(err, NA_EUSAGE,
		       "--table %s: there is no such table; "
		       "there %s%s",
		       name, used ? "are: " : "is none", names);
}

static enum na_status pick(const struct na_value *body, const char *name,
			   const struct na_value **table, struct na_err *err)
{
	if (name) {
		*table = na_dig(body, name);
		if (*table && !is_cell(*table))
			return NA_OK;
		return no_such_table(body, name, err);
	}
	for_each_member (v, body)
		if (is_table(v)) {
			*table = v;
			return NA_OK;
		}
	*table = body; /* scalars only: one row */
	return NA_OK;
}

static enum na_status emit(const struct na_result *r,
			   const struct na_emit_opts *o, struct sheet *s,
			   struct na_err *err)
{
	const struct na_value *body = na_result_get_body(r);
	const struct na_value *table;
	enum na_status st;

	st = pick(body, o->table, &table, err);
	if (st != NA_OK)
		return st;
	if (table->kind == NA_V_REALS)
		put_run(s, body, table);
	else if (table->kind == NA_V_LIST)
		put_list(s, table);
	else
		put_object(s, table);
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
