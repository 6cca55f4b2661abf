/*
 * Writers of results.  Every one writes UTF-8 to `out` and returns NA_EIO
 * when the stream fails; numbers never depend on the locale; names from
 * inputs are escaped for the format (control characters, bidirectional
 * marks, formulas in CSV, pipes in Markdown).
 */
#ifndef NETAN_RESULT_EMIT_H
#define NETAN_RESULT_EMIT_H

#include <stdio.h>

#include "netan/base/str.h"
#include "netan/result/result.h"

struct na_emit_opts {
	const char *table; /* --table NAME; NULL: the first */
	bool color;        /* table only */
	int columns;       /* width of the terminal; 0: unbounded */
};

/* A row of the table of output formats (emit.c): "json" is both the word
 * for --format and the ending of -o. */
struct na_emitter {
	const char *name;
	enum na_status (*write)(const struct na_result *r,
				const struct na_emit_opts *o, FILE *out,
				struct na_err *err);
};

/* A value as JSON on one line, without its name and without an end of line. */
void na_emit_line(const struct na_value *v, FILE *out);

extern const struct na_emitter na_emitters[]; /* ends with name NULL */
/* By the exact name; NULL: there is none. */
const struct na_emitter *na_emitter_find(const char *name);

/*
 * CSV and TSV print one table of the body: a list of objects, or the run of
 * packed arrays of equal length that stand in the body itself (named after
 * any of them, the first by default).  Objects inside a row are flattened
 * up to two levels: key.host -> "host", else slack_us.p50 -> "slack_us.p50";
 * lists inside a row are left out.  A body without arrays is one row of
 * scalars.
 *
 * Rows that hold packed arrays as long as the first one of the body (time_s)
 * are printed in long form, a line for each element: that array, the members
 * of the row's key, the row's arrays (time_s,host,rx_gbps,tx_gbps).  The
 * scalars of the row are left out.  Are the lengths not all the same, the
 * arrays are left out instead.
 */

/* ": findings; --table takes another: passed, ..."; of a result with one
 * table, nothing. */
void na_csv_others(const struct na_result *r, struct na_str *says);

/* The reader side of the struct, for emitters only. */
struct na_view {
	const char *title;
	const struct na_value *list; /* NULL: words */
	struct na_column *cols;
	size_t n_cols, max_rows;
	const char *text; /* then */
	bool whole;       /* its lines are for pasting: none is broken */
	enum na_severity tone;
	struct na_view *next;
};
struct na_text_line {
	const char *text;
	struct na_text_line *next;
};
const char *na_result_get_headline(const struct na_result *r);
const struct na_view *na_result_views(const struct na_result *r);
const struct na_text_line *na_result_notes(const struct na_result *r);
/* What was found, in a line: for who does not see the picture, or nothing
 * else.  NULL: nothing. */
const char *na_result_message(const struct na_result *r);
/* Read-only trees, the result's: they go with it. */
const struct na_value *na_result_get_doc(const struct na_result *r);
const struct na_value *na_result_get_body(const struct na_result *r);
const struct na_value *na_result_get_side(const struct na_result *r);

#endif
