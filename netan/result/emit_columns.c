/*
 * A list as aligned columns.  On a terminal those that matter most, which come
 * first, as many as it has room for: phrases are broken between words, and
 * names are shortened only where nothing else is left.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/result/emit_lines.h"

enum {
	GAP = 2,
	NARROWEST = 12, /* that a text is shortened to */
	NAME = 20,      /* that it should have where columns are chosen, */
	OF_NAME = 4,    /* or such a part of the terminal */
	PHRASE = 3,     /* that stays whole: so many eighths of it */
	SENTENCE = 3,   /* spaces in one */
	LEGIBLE = 40,   /* that it is broken into */
	LINES = 8,      /* of a cell, but in the last column */
	NAMED = 12,     /* columns that are not shown */
	SET_IN = 2
};

/* Of a column. */
struct measure {
	size_t width, word, head; /* all, its longest word, its header's */
	size_t least;             /* that it gives up to */
	bool words;               /* more than one in a cell or the header */
	bool sentence, told;      /* not "-" in each row */
};

struct table {
	FILE *out;
	const struct na_view *view;
	size_t limit; /* columns of the terminal; 0: unbounded */
	struct measure *measures;
	size_t *shown; /* columns, those that are shown first; */
	size_t n_shown;
	bool below; /* sentences of the last one stand under their row */
};

struct cell {
	const char *rest; /* that is not printed yet */
	char buf[NA_CELL_BUF];
};

static size_t at_least(size_t a, size_t b)
{
	return a > b ? a : b;
}

static bool is_sentence(const char *text)
{
	size_t spaces = 0;

	for (; *text; text++)
		spaces += *text == ' ';
	return spaces >= SENTENCE;
}

/* ---- how wide */

static size_t longest_word(const char *text)
{
	size_t longest = 0, width;

	while (*text) {
		text += na_words_fit(text, 0, &width);
		text += strspn(text, " ");
		longest = at_least(longest, width);
	}
	return longest;
}

static void measure_text(struct measure *m, const char *text, bool limited)
{
	size_t width = na_text_width(text);

	m->width = at_least(m->width, width);
	m->told |= strcmp(text, "-") != 0;
	if (!limited)
		return;
	m->word = at_least(m->word, longest_word(text));
	m->words |= strchr(text, ' ') != NULL;
	m->sentence |= width > LEGIBLE && is_sentence(text);
}

static void measure(struct table *t, size_t rows)
{
	struct na_row_walk walk = na_row_walk(t->view->list);
	const struct na_value *row;
	char buf[NA_CELL_BUF];

	for (size_t k = 0; k < t->view->n_cols; k++) {
		const struct na_column *col = &t->view->cols[k];

		measure_text(&t->measures[k], na_cell_header(col, buf),
			     t->limit);
		t->measures[k].head = t->measures[k].word;
		t->measures[k].told = false;
	}
	for (; rows && (row = na_row_next(&walk)); rows--) {
		for (size_t k = 0; k < t->view->n_cols; k++) {
			const struct na_column *col = &t->view->cols[k];

			measure_text(&t->measures[k],
				     na_cell_text(col, row, buf), t->limit);
		}
	}
	na_row_end(&walk);
}

static bool is_text(const struct table *t, size_t k)
{
	return !na_cell_is_number(&t->view->cols[k]);
}

/* The longest word of a phrase stays whole, unless that is no word. */
static size_t whole_words(const struct measure *m)
{
	size_t word = m->word < LEGIBLE ? m->word : LEGIBLE;

	return at_least(m->head, m->words ? word : 0);
}

/* What a column should have where it is chosen. */
static size_t fair(const struct table *t, size_t k)
{
	const struct measure *m = &t->measures[k];
	size_t name = t->limit / OF_NAME < NAME ? t->limit / OF_NAME : NAME;
	size_t whole = m->words ? at_least(name, t->limit * PHRASE / 8) : name;

	if (!is_text(t, k) || m->width <= whole)
		return m->width;
	return at_least(at_least(name, NARROWEST), whole_words(m));
}

/* What is left to a column that gives what it can. */
static size_t least(const struct table *t, size_t k, bool cut)
{
	const struct measure *m = &t->measures[k];
	size_t width = at_least(NARROWEST, cut ? m->head : whole_words(m));

	if (!is_text(t, k) || (!cut && !m->words))
		return m->width;
	return width < m->width ? width : m->width;
}

/* Of the first columns as many as fit, of all or of those that tell
 * something. */
static void pick(struct table *t, bool all)
{
	size_t total = 0;

	t->n_shown = 0;
	for (size_t k = 0; k < t->view->n_cols; k++) {
		size_t gap = t->n_shown ? GAP : 0;

		if (!all && !t->measures[k].told)
			continue;
		if (t->n_shown && total + gap + fair(t, k) > t->limit)
			return;
		total += gap + fair(t, k);
		t->shown[t->n_shown++] = k;
	}
}

static void choose(struct table *t)
{
	if (!t->limit) {
		for (size_t k = 0; k < t->view->n_cols; k++)
			t->shown[t->n_shown++] = k;
		return;
	}
	pick(t, true);
	if (t->n_shown < t->view->n_cols)
		pick(t, false);
	if (!t->n_shown)
		pick(t, true);
}

static size_t total_of(const struct table *t, size_t n)
{
	size_t total = n ? (n - 1) * GAP : 0;

	for (size_t i = 0; i < n; i++)
		total += t->measures[t->shown[i]].width;
	return total;
}

/* Takes from the widest of the first n columns until they fit in `limit`. */
static void squeeze(struct table *t, size_t n, size_t limit, bool cut)
{
	size_t total = total_of(t, n);

	for (size_t i = 0; i < n; i++)
		t->measures[t->shown[i]].least = least(t, t->shown[i], cut);
	while (total > limit) {
		struct measure *widest = NULL;

		for (size_t i = 0; i < n; i++) {
			struct measure *m = &t->measures[t->shown[i]];

			if (m->width > m->least &&
			    (!widest || m->width > widest->width))
				widest = m;
		}
		if (!widest)
			return;
		widest->width--;
		total--;
	}
}

static void fit(struct table *t)
{
	size_t n = t->n_shown, limit = t->limit, others;
	struct measure *last = n ? &t->measures[t->shown[n - 1]] : NULL;
	bool apart = last && last->sentence && n > 1 &&
		     is_text(t, t->shown[n - 1]);

	if (!limit || !n)
		return;
	if (apart) {
		n--;
		limit -= GAP + last->head < limit ? GAP + last->head : limit;
	}
	squeeze(t, n, limit, false);
	squeeze(t, n, limit, true);
	if (!apart)
		return;
	others = total_of(t, n) + GAP;
	limit = t->limit > others ? t->limit - others : last->head;
	t->below = last->width > limit && limit < LEGIBLE;
	last->width = last->width < limit ? last->width : limit;
}

/* ---- rows */

/* The next line of a cell; gives its width. */
static size_t put_piece(struct table *t, struct cell *c, size_t room, bool end)
{
	size_t width = na_text_width_to(c->rest, room), n;

	if (width <= room) {
		na_escape_to(NA_ESC_TERMINAL, c->rest, t->out);
		c->rest = "";
		return width;
	}
	n = na_words_fit(c->rest, room, &width);
	if (width > room || end) {
		char *word = strndup(c->rest, end ? strlen(c->rest) : n);

		na_put_cut(t->out, word ? word : "", room);
		free(word);
		width = room;
		n = end ? strlen(c->rest) : n;
	} else {
		na_put_part(t->out, c->rest, n);
	}
	c->rest += n + (c->rest[n] == ' ');
	return width;
}

/* A line of a row, which has more of them: true. */
static bool put_line(struct table *t, struct cell *cells, size_t line)
{
	size_t gap = 0;
	bool more = false;

	for (size_t i = 0; i < t->n_shown; i++) {
		size_t k = t->shown[i], room = t->measures[k].width, width;
		struct cell *c = &cells[k];
		bool last = i + 1 == t->n_shown;

		gap += i ? GAP : 0;
		if (!*c->rest) {
			gap += room;
			continue;
		}
		width = na_text_width_to(c->rest, room);
		if (!is_text(t, k) && width < room)
			gap += room - width;
		na_put_spaces(t->out, gap);
		width = put_piece(t, c, room, !last && line + 1 == LINES);
		gap = is_text(t, k) ? room - width : 0;
		more |= *c->rest != '\0';
	}
	return more;
}

static void put_row(struct table *t, struct cell *cells)
{
	size_t end = t->n_shown ? t->shown[t->n_shown - 1] : 0;
	const char *text = t->n_shown ? cells[end].rest : "";
	bool below = t->below &&
		     na_text_width_to(text, t->measures[end].width) >
			     t->measures[end].width;

	if (below)
		cells[end].rest = "";
	for (size_t line = 0; put_line(t, cells, line); line++)
		putc('\n', t->out);
	if (!below)
		return;
	putc('\n', t->out);
	na_put_spaces(t->out, SET_IN);
	na_put_broken(t->out, text, t->limit, SET_IN, SET_IN);
}

static bool put_rows(struct table *t, size_t rows, bool color)
{
	struct cell *cells = na_calloc(t->view->n_cols, sizeof(*cells));
	struct na_row_walk walk = na_row_walk(t->view->list);
	const struct na_value *row;

	if (color)
		fputs("\033[1m", t->out);
	for (size_t k = 0; cells && k < t->view->n_cols; k++)
		cells[k].rest = na_cell_header(&t->view->cols[k], cells[k].buf);
	if (cells)
		put_row(t, cells);
	fputs(color ? "\033[0m\n" : "\n", t->out);
	for (; cells && rows && (row = na_row_next(&walk)); rows--) {
		for (size_t k = 0; k < t->view->n_cols; k++)
			cells[k].rest = na_cell_text(&t->view->cols[k], row,
						     cells[k].buf);
		put_row(t, cells);
		putc('\n', t->out);
	}
	na_row_end(&walk);
	free(cells);
	return cells;
}

/* Columns that the terminal has no room for. */
static void put_left_out(const struct table *t, bool color)
{
	char text[1024], buf[NA_CELL_BUF];
	struct na_str names = na_str_over(text, sizeof(text));
	size_t at = 0, n = 0;

	if (t->n_shown == t->view->n_cols)
		return;
	na_str_addf(&names, "--wide has more columns");
	for (size_t k = 0; k < t->view->n_cols; k++) {
		if (at < t->n_shown && t->shown[at] == k) {
			at++;
			continue;
		}
		if (n++ < NAMED)
			na_str_addf(&names, "%s %s", n > 1 ? "," : ":",
				    na_cell_header(&t->view->cols[k], buf));
	}
	if (n > NAMED)
		na_str_addf(&names, " and %zu more", n - NAMED);
	fputs(color ? "\033[2m" : "", t->out);
	na_put_broken(t->out, text, t->limit, 0, SET_IN);
	fputs(color ? "\033[0m\n" : "\n", t->out);
}

bool na_put_columns(FILE *out, const struct na_view *view,
		    const struct na_emit_opts *o)
{
	size_t hidden, rows = na_view_shown(view, &hidden);
	struct table t = {.out = out,
			  .view = view,
			  .limit = o->columns > 0 ? (size_t)o->columns : 0};
	bool ok;

	if (!rows) {
		fputs("(none)\n", out);
		return true;
	}
	t.measures = na_calloc(view->n_cols, sizeof(*t.measures));
	t.shown = na_calloc(view->n_cols, sizeof(*t.shown));
	ok = t.measures && t.shown;
	if (ok) {
		measure(&t, rows);
		choose(&t);
		fit(&t);
		ok = put_rows(&t, rows, o->color);
	}
	if (ok && hidden)
		fprintf(out, "... and %zu more\n", hidden);
	if (ok)
		put_left_out(&t, o->color);
	free(t.measures);
	free(t.shown);
	return ok;
}
