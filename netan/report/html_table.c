/* Views of a result as tables, which the script can sort. */
#include <math.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/report/html_impl.h"

static void put_heading(FILE *out, const char *title)
{
	fputs("<h3>", out);
	na_html_line(out, title);
	fputs("</h3>\n", out);
}

void na_html_begin_table(FILE *out, const char *class, const char *title)
{
	put_heading(out, title);
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      out);
	na_html_line(out, title);
	fprintf(out, "\">\n<table class=\"%s\">\n<caption>", class);
	na_html_line(out, title);
	fputs("</caption>\n", out);
}

/* What a column sorts by, where its text does not say it. */
static double sort_key(const struct na_column *col, const struct na_value *row)
{
	double x = na_number_at(row, col->field);

	if (col->format == NA_F_FACTOR)
		return exp(x);
	return col->scale < 0 ? x / -col->scale : x;
}

static void put_cell(FILE *out, const struct na_column *col,
		     const struct na_value *row, bool first)
{
	bool number = na_cell_is_number(col);
	const char *tag = first && !number ? "th scope=\"row\"" : "td";
	char buf[NA_CELL_BUF], value[NA_UNIT_BUF];
	double key = number ? sort_key(col, row) : NAN;

	fprintf(out, "<%s", tag);
	if (number)
		fputs(" class=\"n\"", out);
	if (isfinite(key))
		fprintf(out, " data-value=\"%s\"", na_print_double(value, key));
	putc('>', out);
	na_html_text(out, na_cell_text(col, row, buf));
	fputs(first && !number ? "</th>" : "</td>", out);
}

static void put_head(FILE *out, const struct na_view *view)
{
	char buf[NA_CELL_BUF];

	fputs("<thead><tr>", out);
	for (size_t k = 0; k < view->n_cols; k++) {
		fprintf(out, "<th scope=\"col\"%s>",
			na_cell_is_number(&view->cols[k]) ? " class=\"n\""
							  : "");
		na_html_text(out, na_cell_header(&view->cols[k], buf));
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

static void put_row(FILE *out, const struct na_view *view,
		    const struct na_value *row)
{
	fputs("<tr>", out);
	for (size_t k = 0; k < view->n_cols; k++)
		put_cell(out, &view->cols[k], row, k == 0);
	fputs("</tr>\n", out);
}

static void put_list(FILE *out, const struct na_view *view, const char *caption,
		     size_t *room, bool *failed)
{
	size_t hidden, shown = na_view_shown(view, &hidden);
	struct na_row_walk walk = na_row_walk(view->list);
	const struct na_value *row;
	struct na_run run;

	if (shown > NA_TABLE_ROWS) {
		hidden += shown - NA_TABLE_ROWS;
		shown = NA_TABLE_ROWS;
	}
	na_run_begin(&run, room, failed);
	for (; shown && run.out && (row = na_row_next(&walk)); shown--) {
		if (!run.dropped)
			put_row(run.out, view, row);
		na_run_piece(&run);
	}
	na_row_end(&walk);
	hidden += run.dropped;
	na_html_begin_table(out, "sortable", caption);
	put_head(out, view);
	fputs("<tbody>\n", out);
	na_run_end(&run, out);
	fputs("</tbody>\n</table>\n</div>\n", out);
	na_html_more(out, hidden, "row",
		     "; the command below writes all of them");
}

/* An object: its members as rows of name and value. */
static void put_members(FILE *out, const struct na_view *view,
			const char *caption, size_t *room, bool *failed)
{
	char buf[NA_CELL_BUF];
	struct na_run run;

	na_html_begin_table(out, "members", caption);
	fputs("<thead><tr><th scope=\"col\">name</th>"
	      "<th scope=\"col\" class=\"n\">value</th></tr></thead>\n<tbody>\n",
	      out);
	na_run_begin(&run, room, failed);
	for (size_t k = 0; k < view->n_cols && run.out; k++) {
		const struct na_column *col = &view->cols[k];

		fputs("<tr><th scope=\"row\">", run.out);
		na_html_text(run.out, na_cell_header(col, buf));
		fputs("</th><td class=\"n\">", run.out);
		na_html_text(run.out, na_cell_text(col, view->list, buf));
		fputs("</td></tr>\n", run.out);
		na_run_piece(&run);
	}
	na_run_end(&run, out);
	fputs("</tbody>\n</table>\n</div>\n", out);
}

static void put_none(FILE *out, const char *caption)
{
	fputs("<p>", out);
	na_html_line(out, caption);
	fputs(": none</p>\n", out);
}

void na_html_view(FILE *out, const struct na_view *view, const char *caption,
		  size_t *room, bool *failed)
{
	struct na_run run;

	if (view->list && view->list->kind == NA_V_LIST) {
		if (view->list->n)
			put_list(out, view, view->title ? view->title : caption,
				 room, failed);
		else
			put_none(out, view->title ? view->title : caption);
		return;
	}
	if (view->list) {
		put_members(out, view, view->title ? view->title : caption,
			    room, failed);
		return;
	}
	if (view->title)
		put_heading(out, view->title);
	na_run_begin(&run, room, failed);
	if (run.out) {
		na_put_words(NA_ESC_HTML, view->text, "<p>", "</p>\n", run.out);
		na_run_piece(&run);
	}
	na_run_end(&run, out);
}
