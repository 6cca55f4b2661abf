/*
 * What a person sees: the headline, each view as aligned columns, the notes.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/result/emit_lines.h"

enum { GAP = 2, SET_IN = 2 };

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define RED   "\033[1;31m"
#define AMBER "\033[1;33m"
#define BLUE  "\033[1;34m"
#define PLAIN "\033[0m"

/* One line of words, broken where the terminal is narrower; what follows the
 * first row is set in. */
static void put_words(FILE *out, const struct na_emit_opts *o,
		      const char *style, const char *text)
{
	if (o->color && style)
		fputs(style, out);
	na_put_broken(out, text, o->columns > 0 ? (size_t)o->columns : SIZE_MAX,
		      0, SET_IN);
	if (o->color && style)
		fputs(PLAIN, out);
	putc('\n', out);
}

/* Of an object's members: the widest name, the widest value; whether numbers
 * alone are among them, which stand under each other then. */
static bool measure(const struct na_view *view, size_t *names, size_t *values)
{
	char buf[NA_CELL_BUF], name[NA_CELL_BUF];
	bool numbers = true;

	*names = *values = 0;
	for (size_t k = 0; k < view->n_cols; k++) {
		const struct na_column *col = &view->cols[k];
		size_t wide = na_text_width(na_cell_header(col, name));
		size_t value =
			na_text_width(na_cell_text(col, view->list, buf));

		*names = wide > *names ? wide : *names;
		*values = value > *values ? value : *values;
		numbers = numbers && na_cell_is_number(col);
	}
	return numbers;
}

/* An object: one "name  value" line for each column.  Where the terminal is
 * narrow, long names are broken, and a long value stands below its name. */
static void put_members(FILE *out, const struct na_view *view, size_t limit)
{
	char buf[NA_CELL_BUF], header[NA_CELL_BUF];
	size_t names, values;
	bool right = measure(view, &names, &values);
	size_t most = limit > 2 * GAP ? limit / 2 - GAP : SIZE_MAX;

	if (names + GAP + values > limit && limit && names > most)
		names = values + GAP + most < limit ? limit - values - GAP
						    : most;
	for (size_t k = 0; k < view->n_cols; k++) {
		const struct na_column *col = &view->cols[k];
		const char *text = na_cell_text(col, view->list, buf);
		const char *name = na_cell_header(col, header);
		size_t width, n = na_words_fit(name, names, &width);

		for (; name[n]; n = na_words_fit(name, names, &width)) {
			na_put_part(out, name, n);
			putc('\n', out);
			name += n + 1;
		}
		na_put_part(out, name, n);
		na_put_spaces(out, names > width ? names - width + GAP : GAP);
		width = na_text_width(text);
		if (right && values > width)
			na_put_spaces(out, values - width);
		na_put_broken(out, text, limit ? limit : SIZE_MAX, names + GAP,
			      names + GAP);
		putc('\n', out);
	}
}

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* "More: ...", "Draw: ...", "Do: on host-3: ...": what stands there is for
 * pasting, and not prose as in "Do: on the host of rank 3, look at ...". */
static bool is_command(const char *line)
{
	const char *host = line + strlen("Do: on ");
	size_t n;

	if (begins(line, "More: ") || begins(line, "Draw: "))
		return true;
	if (!begins(line, "Do: on "))
		return false;
	n = strcspn(host, " ");
	return n && host[n - 1] == ':';
}

static void put_text(FILE *out, const struct na_emit_opts *o,
		     const struct na_view *view)
{
	const struct na_emit_opts whole = {.color = o->color};

	for (const char *text = view->text; *text;) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);

		put_words(out,
			  view->whole || (line && is_command(line)) ? &whole
								    : o,
			  NULL, line ? line : "");
		free(line);
		text += n + (text[n] == '\n');
	}
}

/* clang-format off */
static const char *const tones[] = {
	[NA_SEV_NONE] = BOLD, [NA_SEV_INFO] = BLUE,
	[NA_SEV_WARNING] = AMBER, [NA_SEV_ERROR] = RED,
};
/* clang-format on */

static bool put_view(FILE *out, const struct na_view *view,
		     const struct na_emit_opts *o)
{
	if (view->title)
		put_words(out, o, tones[view->tone], view->title);
	if (!view->list)
		put_text(out, o, view);
	else if (view->list->kind == NA_V_LIST)
		return na_put_columns(out, view, o);
	else
		put_members(out, view, o->columns > 0 ? (size_t)o->columns : 0);
	return true;
}

enum na_status na_emit_table(const struct na_result *r,
			     const struct na_emit_opts *o, FILE *out,
			     struct na_err *err)
{
	const struct na_text_line *note = na_result_notes(r);
	const char *headline = na_result_get_headline(r);
	bool first = true;

	if (headline) {
		put_words(out, o, BOLD, headline);
		first = false;
	}
	for (const struct na_view *v = na_result_views(r); v; v = v->next) {
		if (!first)
			putc('\n', out);
		first = false;
		if (!put_view(out, v, o))
			return na_fail_nomem(err);
	}
	if (note && !first)
		putc('\n', out);
	for (; note; note = note->next)
		put_words(out, o, DIM, note->text);
	return na_emit_done(out, err);
}
