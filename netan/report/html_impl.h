/*
 * What the files that write the page share.
 */
#ifndef NETAN_REPORT_HTML_IMPL_H
#define NETAN_REPORT_HTML_IMPL_H

#include <stdbool.h>

#include "netan/base/text.h"
#include "netan/report/report.h"
#include "netan/result/emit.h"
#include "netan/result/emit_impl.h"

/* netan/report/page.css and page.js, as the build makes them. */
extern const char na_page_css[], na_page_js[];

/* A run of rows, paragraphs or notes with a bound: what would pass it is
 * dropped, and counted. */
struct na_run {
	FILE *out;      /* of the piece that is being written */
	char *text;     /* memory of `out` */
	size_t size;    /* what it holds */
	size_t kept;    /* bytes of whole pieces */
	size_t dropped; /* pieces */
	size_t *room;   /* bytes that are left */
	bool *failed;   /* memory was short */
};

/* Writes into memory from now on; out is NULL where there is none.  Pieces
 * that are kept take from *room. */
void na_run_begin(struct na_run *p, size_t *room, bool *failed);
/* One piece is finished.  Once one was dropped so are all that follow, and need
 * not be written. */
void na_run_piece(struct na_run *p);
/* What was kept, to `out`. */
void na_run_end(struct na_run *p, FILE *out);
/* "3 more rows not shown here: how to see them"; nothing for none.  `one` is
 * what each of them is called. */
void na_html_more(FILE *out, size_t n, const char *one, const char *how);

/* Escaped text; nothing for NULL. */
void na_html_text(FILE *out, const char *s);
/* A sentence: commands and options in it are code, each in one piece:
 * "ethtool -S", "py-spy dump --pid 12", "--topology FILE". */
void na_html_sentence(FILE *out, const char *s);
/* One line: a title, a headline. */
enum { NA_LINE_BYTES = 2 << 10, NA_COMMAND_BYTES = 8 << 10 };
void na_html_line(FILE *out, const char *s);
/* An open tag around an escaped text: <h2>text</h2>. */
void na_html_in(FILE *out, const char *tag, const char *s);
/* A command line in a block of its own. */
void na_html_command(FILE *out, const char *label, const char *command);

/* A table that scrolls in a place of its own, below a heading. */
void na_html_begin_table(FILE *out, const char *class, const char *title);
/* One view as a table, within *room bytes, which it takes from. */
void na_html_view(FILE *out, const struct na_view *view, const char *caption,
		  size_t *room, bool *failed);

/* Sections of the page. */
void na_html_findings(FILE *out, const struct na_report *r, bool *failed);
void na_html_coverage(FILE *out, const struct na_report *r, bool *failed);
/* Below the finding of number `at`: the figure and the table that decide
 * it, or where they are. */
void na_html_deciding(FILE *out, const struct na_report *r, int at,
		      const struct na_value *finding, bool *failed);
void na_html_part(FILE *out, const struct na_report *r,
		  const struct na_report_part *part, bool *failed);
/* Notes that `said` (NULL: nothing) does not have as well. */
void na_html_notes(FILE *out, const struct na_result *r,
		   const struct na_result *said, size_t *room, bool *failed);
/* Numbers behind a time figure, for the script; nothing where there are
 * none. */
void na_html_hover(FILE *out, const struct na_report_part *part, bool *failed);

#endif
