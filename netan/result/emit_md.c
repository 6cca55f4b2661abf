/*
 * Markdown (GitHub's tables): the headline, each view, the notes.
 */
#include <string.h>

#include "netan/base/text.h"
#include "netan/result/emit_impl.h"

static void put_text(FILE *out, const char *text)
{
	na_escape_to(NA_ESC_MD, text, out);
}

static void put_head(FILE *out, const struct na_view *view)
{
	char buf[NA_CELL_BUF];

	fputs("|", out);
	for (size_t k = 0; k < view->n_cols; k++) {
		putc(' ', out);
		put_text(out, na_cell_header(&view->cols[k], buf));
		fputs(" |", out);
	}
	fputs("\n|", out);
	for (size_t k = 0; k < view->n_cols; k++)
		fputs(na_cell_is_number(&view->cols[k]) ? " ---: |" : " --- |",
		      out);
	putc('\n', out);
}

static void put_row(FILE *out, const struct na_view *view,
		    const struct na_value *row)
{
	char buf[NA_CELL_BUF];

	putc('|', out);
	for (size_t k = 0; k < view->n_cols; k++) {
		putc(' ', out);
		put_text(out, na_cell_text(&view->cols[k], row, buf));
		fputs(" |", out);
	}
	putc('\n', out);
}

static void put_list(FILE *out, const struct na_view *view, size_t most)
{
	size_t hidden, shown = na_view_shown(view, &hidden);
	struct na_row_walk walk = na_row_walk(view->list);
	const struct na_value *row;

	if (!shown) {
		fputs("(none)\n", out);
		return;
	}
	if (most && shown > most) {
		hidden += shown - most;
		shown = most;
	}
	put_head(out, view);
	for (; shown && (row = na_row_next(&walk)); shown--)
		put_row(out, view, row);
	na_row_end(&walk);
	if (hidden)
		fprintf(out, "\n%zu more not shown here\n", hidden);
}

static void put_members(FILE *out, const struct na_view *view)
{
	char buf[NA_CELL_BUF];

	fputs("| name | value |\n| --- | ---: |\n", out);
	for (size_t k = 0; k < view->n_cols; k++) {
		fputs("| ", out);
		put_text(out, na_cell_header(&view->cols[k], buf));
		fputs(" | ", out);
		put_text(out, na_cell_text(&view->cols[k], view->list, buf));
		fputs(" |\n", out);
	}
}

void na_md_view(const struct na_view *view, const char *heading, size_t most,
		FILE *out)
{
	if (view->title) {
		fprintf(out, "%s ", heading);
		put_text(out, view->title);
		fputs("\n\n", out);
	}
	if (!view->list)
		na_put_words(NA_ESC_MD, view->text, "- ", "\n", out);
	else if (view->list->kind == NA_V_LIST)
		put_list(out, view, most);
	else
		put_members(out, view);
}

void na_md_notes(const struct na_result *r, FILE *out)
{
	const struct na_text_line *note = na_result_notes(r);

	if (note)
		putc('\n', out);
	for (; note; note = note->next) {
		fputs("- ", out);
		put_text(out, note->text);
		putc('\n', out);
	}
}

enum na_status na_emit_md(const struct na_result *r,
			  const struct na_emit_opts *o, FILE *out,
			  struct na_err *err)
{
	const struct na_view *view = na_result_views(r);
	const char *headline = na_result_get_headline(r);

	(void)o;
	if (headline) {
		put_text(out, headline);
		putc('\n', out);
	}
	for (; view; view = view->next) {
		if (headline || view != na_result_views(r))
			putc('\n', out);
		na_md_view(view, "###", 0, out);
	}
	na_md_notes(r, out);
	return na_emit_done(out, err);
}
