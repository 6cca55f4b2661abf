/*
 * Which tables of a result CSV can hold, and which one is meant.
 */
#include <stdio.h>
#include <string.h>

#include "netan/result/emit_impl.h"

/* Any of them: rows may lack it. */
static bool row_has(const struct na_value *list, const char *name)
{
	struct na_row_walk w = na_row_walk(list);
	const struct na_value *row;
	bool has = false;

	while (!has && (row = na_row_next(&w)))
		has = na_is_rows(na_get(row, name));
	na_row_end(&w);
	return has;
}

/* The list of the body whose rows have a list of that name. */
static const struct na_value *outer_of(const struct na_value *body,
				       const char *name)
{
	na_for_each (v, body) {
		if (v->kind == NA_V_LIST && v->n && row_has(v, name))
			return v;
	}
	return NULL;
}

/* Packed arrays of one length are one table, named after the first. */
static bool names_table(const struct na_value *body, const struct na_value *v)
{
	if (v->kind != NA_V_REALS)
		return !na_is_scalar(v);
	na_for_each (m, body)
		if (m->kind == NA_V_REALS && m->n == v->n)
			return m == v;
	return false;
}

static void add_name(struct na_str *l, const struct na_value *v,
		     const struct na_value *but)
{
	if (v != but)
		na_str_join(l, ", ", "%s", v->name);
}

/* All but one. */
static void add_names(struct na_str *l, const struct na_value *body,
		      const struct na_value *but)
{
	na_for_each (v, body)
		if (names_table(body, v))
			add_name(l, v, but);
	/* Those inside the rows of another. */
	na_for_each (list, body) {
		struct na_row_walk w =
			na_row_walk(list->kind == NA_V_LIST ? list : NULL);
		const struct na_value *row = na_row_next(&w);

		if (row && row->kind == NA_V_OBJECT) {
			na_for_each (v, row)
				if (na_is_rows(v))
					add_name(l, v, but);
		}
		na_row_end(&w);
	}
}

static enum na_status no_such_table(const struct na_value *body,
				    const char *name, struct na_err *err)
{
	char buf[300];
	struct na_str names = na_str_over(buf, sizeof(buf));

	add_names(&names, body, NULL);
	return na_fail(err, NA_EUSAGE,
		       "--table %s: there is no such table; there %s%s", name,
		       names.n ? "are: " : "is none", names.s);
}

enum na_status na_csv_pick(const struct na_value *body, const char *name,
			   struct na_csv_table *t, struct na_err *err)
{
	*t = (struct na_csv_table){.v = name ? na_dig(body, name) : NULL};
	if (name) {
		if (!t->v || na_is_scalar(t->v)) {
			t->v = outer_of(body, name);
			t->inner = t->v != NULL;
		}
		return t->v ? NA_OK : no_such_table(body, name, err);
	}
	na_for_each (v, body)
		if (v->kind == NA_V_LIST || v->kind == NA_V_REALS) {
			t->v = v;
			return NA_OK;
		}
	t->v = body; /* scalars only: one row */
	return NA_OK;
}

void na_csv_others(const struct na_result *r, struct na_str *says)
{
	const struct na_value *body = na_result_get_body(r);
	struct na_err unheard = {.status = NA_OK};
	struct na_csv_table t;
	char buf[300];
	struct na_str others = na_str_over(buf, sizeof(buf));

	if (na_csv_pick(body, NULL, &t, &unheard) != NA_OK || t.v == body ||
	    na_csv_is_matrix(body))
		return;
	add_names(&others, body, t.v);
	if (others.n)
		na_str_addf(says, ": %s; --table takes another: %s", t.v->name,
			    others.s);
}
