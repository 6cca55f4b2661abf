/*
 * Every source against every destination: how much longer than expected
 * their transfers take, and whose row, column or cell stands out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figures/pairs/cells.h"
#include "plot/figures/pairs/data.h"
#include "plot/layout.h"

enum { TOLD_MAX = 4 }; /* marks with words, on each edge */

#define LONGEST 0.12 /* of names, of the width */

struct drawing {
	struct na_layout l;
	struct pairs_figure f;
};

static struct na_font small_font(const struct na_layout *l,
				 struct na_color color)
{
	return na_layout_font(l, NA_SIZE_SMALL + 1, color);
}

static bool is(const struct pairs_mark *k, const char *kind)
{
	return strcmp(k->kind, kind) == 0;
}

/* Marks on columns are named below the matrix, all others beside it. */
static bool below(const struct pairs_mark *k)
{
	return is(k, "dst") || is(k, "rack_downlink");
}

static size_t count_told(const struct pairs_matrix *m, bool down)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_marks; i++)
		n += below(&m->marks[i]) == down;
	return n < TOLD_MAX ? n : TOLD_MAX;
}

static const char *short_name(const struct pairs_matrix *m, size_t i, bool cut)
{
	return m->names[i] + (cut ? m->prefix : 0);
}

static double widest(const struct na_layout *l, const struct pairs_matrix *m,
		     bool cut)
{
	struct na_font font = small_font(l, l->theme->secondary);
	double w = 0;

	/* As many as can be told apart; names of one job are alike. */
	for (size_t i = 0; i < m->n; i += 1 + m->n / 512)
		w = fmax(w,
			 na_measure(l->canvas, short_name(m, i, cut), &font));
	return w;
}

/* Long names would leave half of the page to the squares: what all begin with
 * stands once, over them. */
static bool long_names(const struct na_layout *l, const struct pairs_matrix *m,
		       struct na_box box)
{
	return m->prefix > 1 &&
	       widest(l, m, false) > LONGEST * (box.x1 - box.x0);
}

/* Of a mark: "from ...3". */
static const char *mark_words(const struct pairs_matrix *m,
			      const struct pairs_mark *k, bool cut,
			      char buf[NA_TEXT_MAX])
{
	struct na_str t = na_str_over(buf, NA_TEXT_MAX);
	const char *p = k->words, *at;
	char all[NA_TEXT_MAX];

	snprintf(all, sizeof(all), "%.*s", (int)m->prefix,
		 m->n ? m->names[0] : "");
	while (cut && *all && (at = strstr(p, all))) {
		na_str_addf(&t, "%.*s\xe2\x80\xa6", (int)(at - p), p);
		p = at + strlen(all);
	}
	na_str_addf(&t, "%s", p);
	return buf;
}

/* What is in excess is latency, unless said otherwise. */
static void factor(char *buf, const struct pairs_mark *k)
{
	char number[NA_LABEL_BUF];

	snprintf(buf, NA_LABEL_BUF, "%s%.40sx", k->timeouts ? "timeouts " : "",
		 na_label_short(number, k->excess, 3));
}

/* Of what stands beside the matrix. */
static double widest_words(const struct na_layout *l,
			   const struct pairs_matrix *m, bool cut)
{
	struct na_font font = small_font(l, l->theme->text), bold = font;
	char buf[NA_LABEL_BUF], text[NA_TEXT_MAX];
	double w = 0;

	bold.bold = true;
	for (size_t i = 0; i < m->n_marks; i++) {
		if (below(&m->marks[i]))
			continue;
		factor(buf, &m->marks[i]);
		w = fmax(w, na_measure(l->canvas, buf, &bold));
		w = fmax(w,
			 na_measure(l->canvas,
				    mark_words(m, &m->marks[i], cut, text),
				    &font));
	}
	return w;
}

/* Room for names, words and the matrix in a box. */
static struct na_box cell_box(const struct na_layout *l,
			      const struct pairs_matrix *m, bool cut,
			      struct na_box box)
{
	struct na_font font = small_font(l, l->theme->text);
	double line = 1.5 * font.size, width = box.x1 - box.x0, side;
	double left = fmin(widest(l, m, cut), 0.22 * width) + l->gap;
	double right = count_told(m, false)
			       ? fmin(widest_words(l, m, cut), 0.25 * width) +
					 2 * l->gap
			       : 0;
	double top = 3 * line + (m->label ? line : 0);
	double bottom = line * (double)count_told(m, true) +
			(count_told(m, true) ? line : 0.3 * line);

	/* A mark without words beside the matrix leaves its outline room. */
	side = fmin(width - left - right, box.y1 - box.y0 - top - bottom);
	side = fmax(side - 4, 0);
	if (m->m && side > (double)m->m)
		side = floor(side); /* cells end on whole points */
	return (struct na_box){floor(box.x0 + left), floor(box.y0 + top),
			       floor(box.x0 + left) + side,
			       floor(box.y0 + top) + side};
}

/* How many rows lie between two labels of a size, and round. */
static size_t stride(double cell, double need)
{
	static const size_t steps[] = {1,  2,  4,  5,   8,   10,  16, 20,
				       32, 50, 64, 100, 128, 200, 256};
	size_t i = 0;

	while (i + 1 < NA_LEN(steps) && cell * (double)steps[i] < need)
		i++;
	return steps[i];
}

static void row_labels(const struct na_layout *l, const struct cells *c)
{
	const struct pairs_matrix *m = c->m;
	struct na_font font = small_font(l, l->theme->secondary);
	double room;
	size_t step = stride(cells_height(c), 1.35 * font.size);
	char text[NA_TEXT_MAX];

	font.align = NA_RIGHT;
	for (size_t i = 0; i < m->m; i += step) {
		double y = (cells_y(c, i) + cells_y(c, i + 1)) / 2;
		room = c->box.x0 - c->left - l->gap / 2;
		na_text_fit(l->canvas, text,
			    short_name(m, i * m->merged, c->cut), &font, room,
			    NA_CUT_MIDDLE);
		na_draw_text(l->canvas, c->box.x0 - l->gap / 2,
			     y + 0.5 * na_text_ascent(&font), text, &font);
	}
}

/* "from" stands over the names of rows and "to" over the matrix; where the
 * names leave no room, "to" gives way. */
static void axis_words(const struct na_layout *l, const struct cells *c,
		       bool cut, double y)
{
	static const char from[] = "from \xe2\x86\x93";
	struct na_font font = small_font(l, l->theme->secondary);
	double end = fmax(c->left + na_measure(l->canvas, from, &font),
			  c->box.x0 - l->gap / 2);
	double left = end + l->gap;
	char text[NA_TEXT_MAX], title[NA_TEXT_MAX];

	snprintf(title, sizeof(title), "to \xe2\x86\x92 %.*s%s",
		 cut ? (int)c->m->prefix : 0, c->m->names[0],
		 cut ? "\xe2\x80\xa6" : "");
	na_text_fit(l->canvas, text, title, &font, c->right - left,
		    NA_CUT_END);
	na_draw_text(l->canvas, left, y, text, &font);
	font.align = NA_RIGHT;
	na_draw_text(l->canvas, end, y, from, &font);
}

static void column_labels(const struct na_layout *l, const struct cells *c)
{
	const struct pairs_matrix *m = c->m;
	struct na_font font = small_font(l, l->theme->secondary);
	double cell = cells_height(c), wide = widest(l, m, false);
	bool cut = c->cut || (wide + l->gap > cell && m->prefix > 1);
	double width = (cut ? widest(l, m, true) : wide) + l->gap;
	size_t step = stride(cell, width);
	double y = c->box.y0 - 0.9 * font.size, last = -1;
	char text[NA_TEXT_MAX];

	font.align = NA_CENTER;
	for (size_t i = 0; i < m->m; i += step) {
		double x = (cells_x(c, i) + cells_x(c, i + 1)) / 2, half;

		na_text_fit(l->canvas, text, short_name(m, i * m->merged, cut),
			    &font, fmin(width, c->right - c->box.x0),
			    NA_CUT_MIDDLE);
		half = na_measure(l->canvas, text, &font) / 2;
		if (x - half < last || x + half > c->right)
			continue;
		na_draw_text(l->canvas, x, y, text, &font);
		last = x + half + l->gap / 2;
	}
	axis_words(l, c, cut, y - 1.5 * font.size);
}

/* The rows (or columns) of a mark: a node's, or a rack's. */
static bool covers(const struct pairs_matrix *m, size_t row, size_t who,
		   size_t rows, bool rack)
{
	if (!rack)
		return who < m->n && who / m->merged <= row &&
		       (who + rows - 1) / m->merged >= row;
	for (size_t i = row * m->merged; i < (row + 1) * m->merged; i++) {
		if (i < m->n && m->rack && m->rack[i] >= 0 &&
		    (size_t)m->rack[i] == who)
			return true;
	}
	return false;
}

/* A stretch of rows (or columns). */
struct band {
	size_t from, to;
};

/* The next stretch that a mark covers, or leaves out. */
static bool next_band(const struct pairs_matrix *m, size_t who, size_t rows,
		      bool rack, bool inside, struct band *b)
{
	b->from = b->to;
	while (b->from < m->m && covers(m, b->from, who, rows, rack) != inside)
		b->from++;
	b->to = b->from;
	while (b->to < m->m && covers(m, b->to, who, rows, rack) == inside)
		b->to++;
	return b->to > b->from;
}

static void outline_cells(const struct na_layout *l, const struct cells *c,
			  size_t row0, size_t row1, size_t col0, size_t col1)
{
	double w = fmax(2 * l->unit, 1.5), o = w / 2;
	const struct na_box b = {cells_x(c, col0) - o, cells_y(c, row0) - o,
				 cells_x(c, col1) + o, cells_y(c, row1) + o};
	const struct na_point p[] = {{b.x0, b.y0},
				     {b.x1, b.y0},
				     {b.x1, b.y1},
				     {b.x0, b.y1},
				     {b.x0, b.y0 - o}};

	na_draw_polyline(l->canvas, p, 5,
			 &(struct na_pen){l->theme->hue[NA_HUE_FINDING], w,
					  NA_SOLID});
}

/* Rows of a mark and the columns that they are slow to, or the reverse: all
 * columns for a host, those of other racks for a rack. */
static void outline_bands(const struct na_layout *l, const struct cells *c,
			  const struct pairs_mark *k)
{
	const struct pairs_matrix *m = c->m;
	bool rack = strncmp(k->kind, "rack", 4) == 0;
	bool cell = is(k, "pair") || is(k, "rack_pair");
	struct band a = {0, 0};

	while (next_band(m, k->a, k->rows, rack, true, &a)) {
		struct band b = {0, cell || rack ? 0 : m->m};

		if (!cell && !rack && !below(k))
			outline_cells(l, c, a.from, a.to, b.from, b.to);
		if (is(k, "dst") || is(k, "host"))
			outline_cells(l, c, b.from, b.to, a.from, a.to);
		while ((cell || rack) &&
		       next_band(m, cell ? k->b : k->a, 1, rack, cell, &b)) {
			if (below(k))
				outline_cells(l, c, b.from, b.to, a.from, a.to);
			else
				outline_cells(l, c, a.from, a.to, b.from, b.to);
		}
	}
}

/* First row of the marks beside the matrix, first column of those below. */
static double where(const struct cells *c, const struct pairs_mark *k)
{
	bool rack = strncmp(k->kind, "rack", 4) == 0;
	struct band b = {0, 0};

	next_band(c->m, k->a, k->rows, rack, true, &b);
	return below(k) ? (cells_x(c, b.from) + cells_x(c, b.to)) / 2
			: (cells_y(c, b.from) + cells_y(c, b.to)) / 2;
}

struct told {
	const struct pairs_mark *mark;
	double at;
};

NA_ORDER(by_place, struct told, NA_UP(at))

static size_t list_told(const struct cells *c, bool down,
			struct told to[TOLD_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < c->m->n_marks && n < TOLD_MAX; i++) {
		const struct pairs_mark *k = &c->m->marks[i];

		if (below(k) == down)
			to[n++] = (struct told){k, where(c, k)};
	}
	na_sort(to, n, by_place);
	return n;
}

/* Factor and words beside the row, pushed down where rows are near. */
static void words_beside(const struct na_layout *l, const struct cells *c)
{
	struct na_color color = l->theme->hue[NA_HUE_FINDING];
	struct na_font font = small_font(l, color);
	double x = c->box.x1 + 1.5 * l->gap, y = c->box.y0;
	struct told t[TOLD_MAX];
	size_t n = list_told(c, false, t);
	double tall = 2.8 * font.size, least = c->box.y1 - tall * (double)n;
	char buf[NA_LABEL_BUF], text[NA_TEXT_MAX], words[NA_TEXT_MAX];

	for (size_t i = 0; i < n; i++) {
		struct na_font bold = font;

		y = fmax(y, fmin(t[i].at - 0.9 * font.size,
				 least + tall * (double)i));
		if (y + 2.5 * font.size > c->bottom)
			break; /* its outline says it */
		na_draw_line(l->canvas, c->box.x1 + l->gap / 4, t[i].at,
			     x - l->gap / 4, y + 0.6 * font.size,
			     NA_PEN(l, color, 1));
		bold.bold = true;
		factor(buf, t[i].mark);
		na_text_fit(l->canvas, text, buf, &bold, c->right - x,
			    NA_CUT_END);
		na_draw_text(l->canvas, x, y + font.size, text, &bold);
		na_text_fit(l->canvas, text,
			    mark_words(c->m, t[i].mark, c->cut, words), &font,
			    c->right - x, NA_CUT_MIDDLE);
		na_draw_text(l->canvas, x, y + 2.2 * font.size, text, &font);
		y += tall;
	}
}

/* One line for each below the columns, the rightmost column first, so that
 * no leader crosses words. */
static void words_below(const struct na_layout *l, const struct cells *c)
{
	struct na_color color = l->theme->hue[NA_HUE_FINDING];
	struct na_font font = small_font(l, color);
	struct told t[TOLD_MAX];
	size_t n = list_told(c, true, t);
	double y = c->box.y1 + 0.4 * font.size;
	char buf[NA_LABEL_BUF], text[NA_TEXT_MAX], words[NA_TEXT_MAX];
	char line[NA_TEXT_MAX + NA_LABEL_BUF];

	font.bold = true;
	while (n-- > 0) {
		double x = t[n].at + l->gap / 2, width;

		y += 1.5 * font.size;
		factor(buf, t[n].mark);
		snprintf(line, sizeof(line), "%s %s", buf,
			 mark_words(c->m, t[n].mark, c->cut, words));
		na_text_fit(l->canvas, text, line, &font, c->right - c->left,
			    NA_CUT_MIDDLE);
		width = na_measure(l->canvas, text, &font);
		x = fmax(fmin(x, c->right - width), c->left);
		na_draw_line(l->canvas, t[n].at, c->box.y1 + l->gap / 4,
			     t[n].at, y - font.size, NA_PEN(l, color, 1));
		na_draw_text(l->canvas, x, y, text, &font);
	}
}

/* Which run it is, and what its squares are, where runs differ in that. */
static void matrix_name(const struct na_layout *l,
			const struct pairs_figure *f,
			const struct pairs_matrix *m, struct na_box box)
{
	struct na_font name = na_layout_font(l, NA_SIZE_NAME, l->theme->text);
	struct na_font plain = small_font(l, l->theme->secondary);
	struct na_row row = {.x = box.x0,
			     .end = box.x1,
			     .y = box.y0 + name.size};
	const char *measure = na_pairs_own_measure(f, m);
	char text[NA_TEXT_MAX];

	if (!m->label)
		return;
	name.bold = true;
	na_text_fit(l->canvas, text, m->label, &name, box.x1 - box.x0,
		    NA_CUT_MIDDLE);
	na_row_put(l, &row, text, &name);
	if (measure)
		na_row_put(l, &row, measure, &plain);
}

static enum na_status draw_matrix(const struct na_layout *l,
				  const struct pairs_figure *f,
				  const struct pairs_matrix *m,
				  struct na_box box, struct na_err *err)
{
	bool cut = long_names(l, m, box);
	struct cells c = {.m = m,
			  .box = cell_box(l, m, cut, box),
			  .cut = cut,
			  .left = box.x0,
			  .right = box.x1,
			  .bottom = box.y1};
	enum na_status st;

	if (count_told(m, true))
		c.bottom = c.box.y1;
	matrix_name(l, f, m, box);
	if (!m->n) {
		na_sentence(l, box, "No pairs in this run.");
		return NA_OK;
	}
	if (c.box.x1 - c.box.x0 < 32) {
		na_sentence(l, box, "Too small for the matrix.");
		return NA_OK;
	}
	st = na_pairs_cells(l, &c, err);
	if (st != NA_OK)
		return st;
	row_labels(l, &c);
	column_labels(l, &c);
	for (size_t i = 0; i < m->n_marks; i++)
		outline_bands(l, &c, &m->marks[i]);
	words_beside(l, &c);
	words_below(l, &c);
	return NA_OK;
}

/* Runs in a grid, each with its name. */
static enum na_status draw_all(const struct drawing *d, struct na_box body,
			       struct na_err *err)
{
	size_t n = d->f.n, wide = n > 1 ? 2 : 1, tall = n > 2 ? 2 : 1;
	double w = (body.x1 - body.x0) / (double)wide;
	double h = (body.y1 - body.y0) / (double)tall;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < n; i++) {
		double x = body.x0 + w * (double)(i % wide);
		double y = body.y0 + h * (double)(i / wide);

		st = draw_matrix(&d->l, &d->f, &d->f.matrices[i],
				 (struct na_box){x, y, x + w - d->l.gap,
						 y + h - d->l.gap / 2},
				 err);
	}
	return st;
}

/* Grey cells are not "nothing there": say why. */
static void clocks_footnote(struct drawing *d)
{
	size_t timeless = 0;
	char text[160];

	for (size_t i = 0; i < d->f.n; i++)
		timeless += d->f.matrices[i].timeless;
	if (!timeless)
		return;
	snprintf(text, sizeof(text),
		 "clocks differ: most transfers of %zu pair%s show no time, "
		 "and nothing compares these",
		 timeless, na_plural((int64_t)timeless));
	na_layout_footnote(&d->l, text);
}

static void pairs_footnote(struct drawing *d)
{
	size_t merged = 1, more = 0;
	char text[160];

	clocks_footnote(d);

	for (size_t i = 0; i < d->f.n; i++) {
		const struct pairs_matrix *m = &d->f.matrices[i];

		merged = m->merged > merged ? m->merged : merged;
		more += m->more_marks;
	}
	if (merged > 1) {
		snprintf(text, sizeof(text),
			 "each square: the pair that stands out most of "
			 "%zu x %zu %s",
			 merged, merged, d->f.ends);
		na_layout_footnote(&d->l, text);
	}
	if (d->f.n == 1 && d->f.matrices[0].too_few)
		na_layout_footnote(&d->l, "muted: too few pairs to tell who is "
					  "slow");
	if (more) {
		snprintf(text, sizeof(text), "%zu more suspects in the table",
			 more);
		na_layout_footnote(&d->l, text);
	}
	if (d->f.more) {
		snprintf(text, sizeof(text), "%zu more runs in the table",
			 d->f.more);
		na_layout_footnote(&d->l, text);
	}
}

/* The picture in words. */
static void describe_pairs(const struct drawing *d, struct na_canvas *c,
			   const char *title)
{
	struct words w = d->f.subtitle;
	char buf[NA_LABEL_BUF];

	for (size_t i = 0; i < d->f.n; i++) {
		const struct pairs_matrix *m = &d->f.matrices[i];

		for (size_t k = 0; k < m->n_marks; k++) {
			factor(buf, &m->marks[k]);
			na_words_add(&w, ". %s%.40s%s %s",
				     m->label ? m->label : "",
				     m->label ? ": " : "", buf,
				     m->marks[k].words);
		}
	}
	if (d->f.empty)
		na_words_add(&w, ". %s", d->f.empty);
	else
		na_words_add(&w, ". Squares: %s", na_pairs_measure(&d->f));
	for (size_t i = 0; i < d->f.n; i++) {
		const struct pairs_matrix *m = &d->f.matrices[i];

		if (m->few)
			na_words_add(&w,
				     "; %s%.40s%zu muted, of fewer than "
				     "%" PRId64 " transfers",
				     m->label ? m->label : "",
				     m->label ? ": " : "", m->few, m->fewest);
	}
	na_canvas_describe(c, title, w.text);
}

static enum na_status draw_pairs(struct drawing *d, struct na_canvas *c,
				 const struct na_page *page, struct na_err *err)
{
	const char *title = page->title ? page->title : d->f.title;
	struct na_box body;

	na_layout_begin(&d->l, c, &na_fig_pairs, page, title,
			d->f.subtitle.text);
	describe_pairs(d, c, title);
	body = d->l.body;
	if (d->f.empty) {
		na_empty_plot(&d->l, body, d->f.empty);
		return NA_OK;
	}
	body.y1 -= na_pairs_key_height(&d->l);
	na_pairs_key(&d->l, &d->f,
		     (struct na_box){body.x0, body.y1, body.x1, d->l.body.y1});
	pairs_footnote(d);
	return draw_all(d, body, err);
}

static enum na_status pairs_draw(struct na_canvas *c, const struct na_result *r,
				 const struct na_page *page, struct na_err *err)
{
	struct drawing d;
	enum na_status st;

	memset(&d, 0, sizeof(d));
	st = na_pairs_read(&d.f, r, err);
	if (st == NA_OK)
		st = draw_pairs(&d, c, page, err);
	na_pairs_fini(&d.f);
	return st;
}

const struct na_figure na_fig_pairs = {
	.name = "pairs",
	.width = 900,
	.height = 900,
	.draw = pairs_draw,
};
