/*
 * What the emitters share among themselves.
 */
#ifndef NETAN_RESULT_EMIT_IMPL_H
#define NETAN_RESULT_EMIT_IMPL_H

#include <stdio.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/result/emit.h"

enum na_status na_emit_json(const struct na_result *r,
			    const struct na_emit_opts *o, FILE *out,
			    struct na_err *err) NA_MUST_CHECK;
enum na_status na_emit_csv(const struct na_result *r,
			   const struct na_emit_opts *o, FILE *out,
			   struct na_err *err) NA_MUST_CHECK;
enum na_status na_emit_tsv(const struct na_result *r,
			   const struct na_emit_opts *o, FILE *out,
			   struct na_err *err) NA_MUST_CHECK;
enum na_status na_emit_md(const struct na_result *r,
			  const struct na_emit_opts *o, FILE *out,
			  struct na_err *err) NA_MUST_CHECK;
enum na_status na_emit_table(const struct na_result *r,
			     const struct na_emit_opts *o, FILE *out,
			     struct na_err *err) NA_MUST_CHECK;

/* Flushes; NA_EIO with the system's reason when the stream has failed. */
enum na_status na_emit_done(FILE *out, struct na_err *err) NA_MUST_CHECK;

/*
 * The text of one cell for people, not escaped: in `buf`, or borrowed from
 * the result.  Null and absent values are "-"; a list of scalars is joined
 * with ", " and cut with "..." where buf ends.
 */
enum { NA_CELL_BUF = 512 };
const char *na_cell_text(const struct na_column *col,
			 const struct na_value *row, char buf[NA_CELL_BUF]);

/* Its header: without the unit where each figure has its own best one. */
const char *na_cell_header(const struct na_column *col, char buf[NA_CELL_BUF]);

/* Whether the column holds numbers and is aligned right. */
bool na_cell_is_number(const struct na_column *col);

/* Words of a view, line by line, each escaped and between `before` and
 * `after`. */
void na_put_words(enum na_escape how, const char *text, const char *before,
		  const char *after, FILE *out);

/* One view in Markdown, its title behind `heading` ("###"), with at most so
 * many rows (0: all that it shows); and the notes, as a list. */
void na_md_view(const struct na_view *view, const char *heading, size_t most,
		FILE *out);
void na_md_notes(const struct na_result *r, FILE *out);

/* Rows of a view that are shown, and how many are not. */
size_t na_view_shown(const struct na_view *view, size_t *hidden);

/* One cell; the rows of a table inside another's row. */
static inline bool na_is_scalar(const struct na_value *v)
{
	return v->kind <= NA_V_TEXT;
}

static inline bool na_is_rows(const struct na_value *v)
{
	return v && (v->kind == NA_V_LIST || v->kind == NA_V_ROWS);
}

/* Is it but one table, of "columns" and "rows"? */
bool na_csv_is_matrix(const struct na_value *body);

/* The table of that name, or the first; inner: each row of v holds some of
 * its rows.  NA_EUSAGE: there is none, and which are. */
struct na_csv_table {
	const struct na_value *v;
	bool inner;
};
enum na_status na_csv_pick(const struct na_value *body, const char *name,
			   struct na_csv_table *t,
			   struct na_err *err) NA_MUST_CHECK;

/* The line of a table without rows; false, and nothing is written: the command
 * declares no such table. */
bool na_csv_put_empty(const struct na_result *r, const char *name, char comma,
		      FILE *out);

#endif
