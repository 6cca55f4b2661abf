/*
 * What a report says, apart from how: the result of the checks and, for each
 * analysis, its result, its picture and the command that makes both again.
 * The writers (html.c) know nothing else.
 *
 * Every text here may hold what a hostile input calls itself; writers escape
 * it.  A figure is markup of our own making (plot/).
 */
#ifndef NETAN_REPORT_REPORT_H
#define NETAN_REPORT_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "netan/base/err.h"
#include "netan/result/result.h"

/* A page of any input stays below NA_PAGE_BYTES: all figures together below
 * NA_FIGURES_BYTES (the largest are left out first), each part of it below
 * its own bound.  What does not fit is counted and said. */
enum {
	NA_PAGE_BYTES = 5 << 20,
	NA_FIGURE_BYTES = 1 << 20,
	NA_FIGURES_BYTES = 11 << 18, /* 2.75 MiB */
	NA_PART_BYTES = 64 << 10,    /* tables and notes of an analysis */
	NA_INPUTS_BYTES = 192 << 10,
	NA_FINDINGS_BYTES = 256 << 10,
	NA_HOVER_BYTES = 128 << 10, /* numbers behind one figure */
	NA_TABLE_ROWS = 200,
	NA_HOVER_POINTS = 2000
};

/* Where the time axis of a figure is, in its own units. */
struct na_report_axis {
	double width, height;  /* of the whole figure; 0: no time axis */
	double x0, y0, x1, y1; /* the plots */
	double from_s, to_s;   /* at x0 and x1 */
};

struct na_report_part {
	const char *name, *question;    /* those of the command */
	const struct na_result *result; /* NULL: there was nothing */
	const char *missing;            /* then: what it would take */
	const char *command;            /* makes figure and data again */
	const char *figure;             /* an <svg>; NULL: none */
	size_t figure_bytes;
	const char *style;     /* rules that the figure needs, or NULL */
	const char *no_figure; /* why it was left out, or NULL */
	struct na_report_axis axis;
	const char *png; /* its file, beside the Markdown; NULL: none */
};

struct na_report {
	const char *title;             /* NULL: of the inputs */
	const char *inputs;            /* in a few words */
	const struct na_result *check; /* verdict, findings, envelope */
	const char *command;           /* makes this page again */
	const char *version;           /* of netan */
	const char *figure_css;        /* what all figures need */
	const char *trace; /* for Perfetto, a file beside the page; or NULL */
	const struct na_report_part *parts;
	size_t n_parts;
};

/* One self-contained page.  NA_EIO when `out` fails, NA_ENOMEM. */
enum na_status na_report_html(const struct na_report *r, FILE *out,
			      struct na_err *err) NA_MUST_CHECK;

/*
 * The same for an issue tracker: Markdown as GitHub reads it.  It begins with
 * NA_REPORT_MARK, shows the first NA_MD_ROWS rows of tables, says what it
 * leaves out, and refers to each part's `png`.
 */
#define NA_REPORT_MARK "<!-- netan report -->"
enum { NA_MD_ROWS = 20, NA_MD_INPUTS = 100 };
enum na_status na_report_md(const struct na_report *r, FILE *out,
			    struct na_err *err) NA_MUST_CHECK;

#endif
