/*
 * What a person sees: the headline, each view as aligned columns, the notes.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/result/emit_impl.h"

enum {
	GAP = 2,
	NARROWEST = 12, /* that a text is shortened to */
	NAME = 20,      /* that it should have where columns are chosen, */
	OF_NAME = 4,    /* or such a part of the terminal */
	SENTENCE = 3,   /* spaces in one */
	LEGIBLE = 40,   /* that it is broken into */
	SET_IN = 2
};

struct table {
	FILE *out;
	const struct na_view *view;
	const struct na_emit_opts *opts;
	size_t *widths;
	size_t n_cols; /* that are shown: the first, which matter most */
};

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define RED   "\033[1;31m"
#define AMBER "\033[1;33m"
#define BLUE  "\033[1;34m"
#define PLAIN "\033[0m"

static void put_spaces(FILE *out, size_t n)
{
	for (; n; n--)
		putc(' ', out);
}

/* Prints from `s` what fits in `room` columns; gives what is left of it. */
static size_t put_some(FILE *out, const char *s, size_t room)
{
	while (*s) {
		uint32_t rune;
		size_t n = na_utf8_next(s, strnlen(s, 4), &rune);
		char one[8] = "";

		memcpy(one, s, n);
		if (na_text_width(one) > room)
			break;
		room -= na_text_width(one);
		na_escape_to(NA_ESC_TERMINAL, one, out);
		s += n;
	}
	return room;
}

/* The longest tail of `s` that fits in `room` columns. */
static const char *tail_of(const char *s, size_t room)
{
	size_t width = na_text_width(s);

	while (width > room) {
		uint32_t rune;
		size_t n = na_utf8_next(s, strnlen(s, 4), &rune);
		char one[8] = "";

		memcpy(one, s, n);
		width -= na_text_width(one);
		s += n;
	}
	return s;
}

/* Cut in the middle: both ends of a collective's name tell it apart. */
static void put_cut(FILE *out, const char *text, size_t width)
{
	size_t tail = (width - 1) / 2, head = width - 1 - tail;
	size_t left = put_some(out, text, head);
	const char *end = tail_of(text, tail + left);

	fputs("\xe2\x80\xa6", out); /* an ellipsis */
	left = put_some(out, end, tail + left);
	put_spaces(out, left);
}

/* Words, broken between them: no row is longer than `limit`; the first begins
 * at column `from`, those behind it with `in` spaces. */
static void put_broken(FILE *out, const char *text, size_t limit, size_t from,
		       size_t in)
{
	size_t at = from;

	while (*text) {
		size_t n = strcspn(text, " "), width;
		char *word = strndup(text, n);

		width = na_text_width(word ? word : "");
		if (at > from && at + 1 + width > limit) {
			putc('\n', out);
			put_spaces(out, in);
			at = from = in;
		} else if (at > from) {
			putc(' ', out);
			at++;
		}
		na_escape_to(NA_ESC_TERMINAL, word ? word : "", out);
		free(word);
		at += width;
		text += n + (text[n] == ' ');
	}
}

static bool is_sentence(const char *text)
{
	size_t spaces = 0;

	for (; *text; text++)
		spaces += *text == ' ';
	return spaces >= SENTENCE;
}

/* A sentence is read whole: in its column, or where that is narrow below its
 * row. */
static void put_sentence(const struct table *t, const char *text, size_t room)
{
	size_t limit = (size_t)t->opts->columns, in = limit - room;

	if (room < LEGIBLE) {
		in = SET_IN;
		putc('\n', t->out);
		put_spaces(t->out, in);
	}
	put_broken(t->out, text, limit, in, in);
}

static void put_cell(struct table *t, size_t k, const char *text)
{
	size_t width = na_text_width(text), room = t->widths[k];
	bool last = k + 1 == t->n_cols;

	if (k)
		put_spaces(t->out, GAP);
	if (width > room && last && is_sentence(text)) {
		put_sentence(t, text, room);
		return;
	}
	if (width > room) {
		put_cut(t->out, text, room);
		return;
	}
	if (na_cell_is_number(&t->view->cols[k]))
		put_spaces(t->out, room - width);
	na_escape_to(NA_ESC_TERMINAL, text, t->out);
	if (!na_cell_is_number(&t->view->cols[k]) && !last)
		put_spaces(t->out, room - width);
}

static void measure(struct table *t, size_t shown)
{
	struct na_row_walk walk = na_row_walk(t->view->list);
	const struct na_value *row;
	char buf[NA_CELL_BUF];

	for (size_t k = 0; k < t->view->n_cols; k++)
		t->widths[k] =
			na_text_width(na_cell_header(&t->view->cols[k], buf));
	for (; shown && (row = na_row_next(&walk)); shown--)
		for (size_t k = 0; k < t->view->n_cols; k++) {
			size_t w = na_text_width(
				na_cell_text(&t->view->cols[k], row, buf));

			if (w > t->widths[k])
				t->widths[k] = w;
		}
	na_row_end(&walk);
}

static bool is_text(const struct table *t, size_t k)
{
	return !na_cell_is_number(&t->view->cols[k]);
}

/* As many of the first columns as fit the terminal. */
static void choose(struct table *t)
{
	size_t limit = (size_t)t->opts->columns, total = 0;
	size_t name = limit / OF_NAME < NAME ? limit / OF_NAME : NAME;

	name = name < NARROWEST ? NARROWEST : name;
	t->n_cols = t->view->n_cols;
	if (t->opts->columns <= 0)
		return;
	for (t->n_cols = 0; t->n_cols < t->view->n_cols; t->n_cols++) {
		size_t w = t->widths[t->n_cols];

		total += (t->n_cols ? GAP : 0) +
			 (is_text(t, t->n_cols) && w > name ? name : w);
		if (t->n_cols && total > limit)
			return;
	}
}

/* Takes from the widest texts until the row fits the terminal. */
static void squeeze(struct table *t)
{
	size_t total = 0, limit = (size_t)t->opts->columns;

	if (t->opts->columns <= 0)
		return;
	for (size_t k = 0; k < t->n_cols; k++)
		total += t->widths[k] + (k ? GAP : 0);
	while (total > limit) {
		size_t widest = SIZE_MAX;

		for (size_t k = 0; k < t->n_cols; k++)
			if (is_text(t, k) && t->widths[k] > NARROWEST &&
			    (widest == SIZE_MAX ||
			     t->widths[k] > t->widths[widest]))
				widest = k;
		if (widest == SIZE_MAX)
			return;
		t->widths[widest]--;
		total--;
	}
}

static void put_rows(struct table *t, size_t shown)
{
	struct na_row_walk walk = na_row_walk(t->view->list);
	const struct na_value *row;
	char buf[NA_CELL_BUF];

	if (t->opts->color)
		fputs(BOLD, t->out);
	for (size_t k = 0; k < t->n_cols; k++)
		put_cell(t, k, na_cell_header(&t->view->cols[k], buf));
	if (t->opts->color)
		fputs(PLAIN, t->out);
	putc('\n', t->out);
	for (; shown && (row = na_row_next(&walk)); shown--) {
		for (size_t k = 0; k < t->n_cols; k++)
			put_cell(t, k,
				 na_cell_text(&t->view->cols[k], row, buf));
		putc('\n', t->out);
	}
	na_row_end(&walk);
}

/* One line of words, broken where the terminal is narrower; what follows the
 * first row is set in. */
static void put_words(FILE *out, const struct na_emit_opts *o,
		      const char *style, const char *text)
{
	if (o->color && style)
		fputs(style, out);
	put_broken(out, text, o->columns > 0 ? (size_t)o->columns : SIZE_MAX, 0,
		   SET_IN);
	if (o->color && style)
		fputs(PLAIN, out);
	putc('\n', out);
}

/* Columns that the terminal has no room for. */
static void put_left_out(struct table *t)
{
	char text[1024], buf[NA_CELL_BUF];
	struct na_str names = na_str_over(text, sizeof(text));

	if (t->n_cols == t->view->n_cols)
		return;
	na_str_addf(&names, "--wide has more columns");
	for (size_t k = t->n_cols; k < t->view->n_cols; k++)
		na_str_addf(&names, "%s %s", k == t->n_cols ? ":" : ",",
			    na_cell_header(&t->view->cols[k], buf));
	put_words(t->out, t->opts, DIM, text);
}

static bool put_list(struct table *t)
{
	size_t hidden, shown = na_view_shown(t->view, &hidden);

	if (!shown) {
		fputs("(none)\n", t->out);
		return true;
	}
	t->widths = na_calloc(t->view->n_cols, sizeof(*t->widths));
	if (!t->widths)
		return false;
	measure(t, shown);
	choose(t);
	squeeze(t);
	put_rows(t, shown);
	free(t->widths);
	t->widths = NULL;
	if (hidden)
		fprintf(t->out, "... and %zu more\n", hidden);
	put_left_out(t);
	return true;
}

/* An object: one "name  value" line for each column.  Numbers stand under
 * each other unless a text is among them. */
static void put_members(struct table *t)
{
	const struct na_view *view = t->view;
	char buf[NA_CELL_BUF], name[NA_CELL_BUF];
	size_t names = 0, values = 0;
	bool right = true;

	for (size_t k = 0; k < view->n_cols; k++) {
		const struct na_column *col = &view->cols[k];
		size_t wide = na_text_width(na_cell_header(col, name));
		size_t value =
			na_text_width(na_cell_text(col, view->list, buf));

		names = wide > names ? wide : names;
		values = value > values ? value : values;
		right = right && na_cell_is_number(col);
	}
	for (size_t k = 0; k < view->n_cols; k++) {
		const struct na_column *col = &view->cols[k];
		const char *text = na_cell_text(col, view->list, buf);
		const char *header = na_cell_header(col, name);
		size_t pad = names - na_text_width(header) + GAP;

		na_escape_to(NA_ESC_TERMINAL, header, t->out);
		put_spaces(t->out, pad);
		if (right)
			put_spaces(t->out, values - na_text_width(text));
		na_escape_to(NA_ESC_TERMINAL, text, t->out);
		putc('\n', t->out);
	}
}

static bool is_command(const char *line)
{
	return strncmp(line, "More: ", strlen("More: ")) == 0;
}

static void put_text(FILE *out, const struct na_emit_opts *o, const char *text)
{
	const struct na_emit_opts whole = {.color = o->color};

	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);

		put_words(out, line && is_command(line) ? &whole : o, NULL,
			  line ? line : "");
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
	struct table t = {.out = out, .view = view, .opts = o};

	if (view->title)
		put_words(out, o, tones[view->tone], view->title);
	if (!view->list)
		put_text(out, o, view->text);
	else if (view->list->kind == NA_V_LIST)
		return put_list(&t);
	else
		put_members(&t);
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
