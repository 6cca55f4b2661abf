/*
 * A hang of ranks: for each group that stands still the ranks that came
 * equally far, and of the last operations of the group which of them they
 * completed, began, queued or never called; culprits first, and theirs
 * outlined.  The group of the hang stands first, then those that wait for it.
 */
#include <math.h>
#include <stdio.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/hang/data.h"
#include "plot/layout.h"
#include "plot/words.h"

enum { ROWS_MOST = 12, ROWS_BESIDE = 4 /* of those that wait for it */ };

#define WHO_MOST  0.30 /* of the page */
#define SAYS_MOST 0.36
#define CELL_MOST 150.0 /* page units */
#define ROW_MOST  225.0

struct drawing {
	struct na_layout l;
	struct hang_figure f;
	size_t panels, rows; /* that there is room for; rows: of a panel */
	double header, row, ticks; /* heights */
	double who, cell, says;    /* widths */
};

/* Where words stand in a line below the cells: of each column, and of the
 * operation and both ends, tried first. */
struct taken {
	double x0[HANG_COLUMNS + 3], x1[HANG_COLUMNS + 3];
	size_t n;
};

/* In the legend, behind the kinds: the outline alone. */
enum { MARKED = CELL_KINDS, LEGENDS };

static const char *const cell_names[LEGENDS] = {
	[CELL_COMPLETED] = "completed",
	[CELL_STARTED] = "begun, not ended",
	[CELL_QUEUED] = "called, not known to have begun",
	[CELL_NEVER] = "not called",
	[CELL_MISSED] = "missed by the culprit",
	[CELL_UNKNOWN] = "not told",
	[MARKED] = "of the culprit",
};

static struct na_font font_of(const struct drawing *d, bool culprit)
{
	struct na_font font =
		na_layout_font(&d->l, NA_SIZE_TEXT,
			       culprit ? d->l.theme->hue[NA_HUE_FINDING]
				       : d->l.theme->text);

	font.bold = culprit;
	return font;
}

/* ---- cells */

static void outline(const struct drawing *d, struct na_box b,
		    const struct na_pen *pen)
{
	const struct na_point p[] = {{b.x0, b.y0},
				     {b.x1, b.y0},
				     {b.x1, b.y1},
				     {b.x0, b.y1},
				     {b.x0, b.y0}};

	na_draw_polyline(d->l.canvas, p, NA_LEN(p), pen);
}

static void draw_cross(const struct drawing *d, struct na_box b)
{
	double x = (b.x0 + b.x1) / 2, y = (b.y0 + b.y1) / 2;
	double r = 0.32 * fmin(b.x1 - b.x0, b.y1 - b.y0);
	struct na_color c = d->l.theme->hue[NA_HUE_FINDING];

	na_draw_line(d->l.canvas, x - r, y - r, x + r, y + r,
		     NA_PEN(&d->l, c, 2.2));
	na_draw_line(d->l.canvas, x - r, y + r, x + r, y - r,
		     NA_PEN(&d->l, c, 2.2));
}

/* Full, hatched, empty, a dot, a cross: told apart without colours, too. */
static void draw_cell(const struct drawing *d, struct na_box b,
		      enum hang_cell kind, bool marked)
{
	const struct na_theme *t = d->l.theme;
	struct na_color blue = t->hue[NA_BLUE];
	double x = (b.x0 + b.x1) / 2, y = (b.y0 + b.y1) / 2;
	double dot = fmax(1.5 * d->l.unit, 1);

	if (kind == CELL_COMPLETED) {
		na_draw_rect(d->l.canvas, b, blue);
	} else if (kind == CELL_STARTED) {
		na_draw_rect(d->l.canvas, b, na_mix(t->background, blue, 0.2));
		na_draw_hatch(d->l.canvas, b, fmax(5 * d->l.unit, 4),
			      NA_PEN(&d->l, blue, 1.4));
		outline(d, b, NA_PEN(&d->l, blue, 1.2));
	} else if (kind == CELL_QUEUED) {
		outline(d, b, NA_PEN(&d->l, blue, 1.2));
	} else if (kind == CELL_NEVER) {
		na_draw_rect(d->l.canvas,
			     (struct na_box){x - dot, y - dot, x + dot,
					     y + dot},
			     t->secondary);
	} else if (kind == CELL_UNKNOWN) {
		na_draw_rect(d->l.canvas, b, t->grid);
	} else if (kind == CELL_MISSED) {
		draw_cross(d, b);
	}
	if (marked)
		outline(d, b, NA_PEN(&d->l, t->hue[NA_HUE_FINDING], 2.2));
}

/* ---- the legend */

static double legend_line(const struct drawing *d)
{
	return na_layout_font(&d->l, NA_SIZE_TEXT, d->l.theme->text).size * 1.5;
}

/* Lays the entries out, in as many lines as it takes; draws them from y on,
 * or only counts where y is NaN. */
static size_t legend(const struct drawing *d, const bool used[LEGENDS],
		     double y)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	double x = d->l.body.x0, size = 0.8 * font.size;
	size_t lines = 1;

	for (int k = 0; k < LEGENDS; k++) {
		double width = 1.6 * size + d->l.gap / 2 +
			       na_measure(d->l.canvas, cell_names[k], &font);

		if (!used[k])
			continue;
		if (x > d->l.body.x0 && x + width > d->l.body.x1) {
			x = d->l.body.x0;
			lines++;
		}
		if (isfinite(y)) {
			double base = y +
				      ((double)lines - 0.3) * legend_line(d);

			draw_cell(d,
				  (struct na_box){x, base - size,
						  x + 1.6 * size, base},
				  (enum hang_cell)k,
				  k >= CELL_MISSED && k != CELL_UNKNOWN);
			na_draw_text(d->l.canvas, x + 1.6 * size + d->l.gap / 2,
				     base, cell_names[k], &font);
		}
		x += width + 2 * d->l.gap;
	}
	return lines;
}

/* ---- where everything stands */

static size_t rows_of(const struct hang_panel *p, size_t most)
{
	if (!p->own && most > ROWS_BESIDE)
		most = ROWS_BESIDE;
	return p->n < most ? p->n : most;
}

static double panel_height(const struct drawing *d, const struct hang_panel *p,
			   size_t rows)
{
	return d->header + (double)rows_of(p, rows) * d->row + d->ticks +
	       d->l.gap;
}

static double height_of(const struct drawing *d, size_t panels, size_t rows)
{
	double sum = 0;

	for (size_t i = 0; i < panels; i++)
		sum += panel_height(d, &d->f.panels[i], rows);
	return sum;
}

/* As many panels as there is room for with three rows, else with fewer. */
static bool choose(struct drawing *d, double height)
{
	static const size_t least[] = {3, 2, 1};

	for (size_t k = 0; k < NA_LEN(least); k++) {
		for (size_t n = d->f.n; n > 0; n--) {
			for (size_t r = ROWS_MOST; r >= least[k]; r--) {
				if (height_of(d, n, r) > height)
					continue;
				d->panels = n;
				d->rows = r;
				return true;
			}
		}
	}
	return false;
}

static void row_at(const struct drawing *d, const struct hang_panel *p,
		   const struct na_value *v, size_t i, struct hang_row *row)
{
	if (i + 1 == rows_of(p, d->rows) && i + 1 < p->n)
		na_fig_hang_rest(v, row);
	else
		na_fig_hang_row(p, v, row);
}

static void measure(struct drawing *d, double width)
{
	double who = 0, says = 0, left;
	struct hang_row row;

	for (size_t k = 0; k < d->panels; k++) {
		const struct hang_panel *p = &d->f.panels[k];
		size_t i = 0;

		na_for_each (v, p->positions) {
			struct na_font font;

			if (i == rows_of(p, d->rows))
				break;
			row_at(d, p, v, i++, &row);
			font = font_of(d, row.culprit);
			who = fmax(who,
				   na_measure(d->l.canvas, row.who, &font));
			says = fmax(says,
				    na_measure(d->l.canvas, row.says, &font));
		}
	}
	d->who = fmin(who, WHO_MOST * width);
	d->says = fmin(says, SAYS_MOST * width);
	left = d->l.body.x1 - d->l.body.x0 - d->who - d->says - 4 * d->l.gap;
	d->cell = fmin(left / (double)d->f.columns, CELL_MOST * d->l.unit);
}

/* The cells that may be drawn, before any is. */
static void find_kinds(const struct drawing *d, bool used[LEGENDS])
{
	struct hang_row row;

	for (size_t k = 0; k < d->f.n; k++) {
		const struct hang_panel *p = &d->f.panels[k];

		na_for_each (v, p->positions) {
			na_fig_hang_row(p, v, &row);
			for (size_t c = 0; c < na_fig_hang_columns(p); c++)
				used[na_fig_hang_cell(p, &row, c)] = true;
			used[MARKED] = used[MARKED] ||
				       (row.culprit &&
					row.state != CELL_MISSED);
		}
	}
}

static enum na_status place(struct drawing *d, const struct na_page *page,
			    double height, struct na_err *err)
{
	double text = font_of(d, false).size, rows = 0;

	d->header = 1.8 *
		    na_layout_font(&d->l, NA_SIZE_NAME, d->l.theme->text).size;
	d->ticks = 1.5 *
		   na_layout_font(&d->l, NA_SIZE_SMALL, d->l.theme->text).size;
	d->row = 1.5 * text;
	if (!choose(d, height))
		return na_no_room(page, err);
	for (size_t i = 0; i < d->panels; i++)
		rows += (double)rows_of(&d->f.panels[i], d->rows);
	/* Few rows are as high as they fill the page. */
	d->row += (height - height_of(d, d->panels, d->rows)) / rows;
	d->row = fmin(d->row, ROW_MOST * d->l.unit);
	measure(d, page->width);
	return NA_OK;
}

/* ---- a panel */

static double column_x(const struct drawing *d, size_t k)
{
	return d->l.body.x0 + d->who + 2 * d->l.gap + (double)k * d->cell;
}

/* Words below a column, unless they touch some that are there. */
static void draw_tick(const struct drawing *d, size_t column, double y,
		      const char *text, bool bold, struct taken *taken)
{
	struct na_font font =
		na_layout_font(&d->l, NA_SIZE_SMALL,
			       bold ? d->l.theme->text
				    : d->l.theme->secondary);
	double width, x;

	font.bold = bold;
	width = na_measure(d->l.canvas, text, &font);
	x = fmax(column_x(d, column) + (d->cell - width) / 2, d->l.body.x0);
	for (size_t k = 0; k < taken->n; k++) {
		if (x + width + d->l.gap >= taken->x0[k] &&
		    x <= taken->x1[k] + d->l.gap)
			return;
	}
	if (x + width > d->l.body.x1)
		return;
	taken->x0[taken->n] = x;
	taken->x1[taken->n++] = x + width;
	na_draw_text(d->l.canvas, x, y + font.size, text, &font);
}

static void draw_number(const struct drawing *d, const struct hang_panel *p,
			int64_t sequence, double y, struct taken *taken)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)sequence);
	draw_tick(d, (size_t)(sequence - p->from), y, text,
		  sequence == p->sequence, taken);
}

/* The number of each column as far as there is room: first of the operation
 * and of both ends.  Sends and receives have none. */
static void draw_ticks(const struct drawing *d, const struct hang_panel *p,
		       double y)
{
	struct taken taken = {.n = 0};

	if (p->sequence < 0) {
		draw_tick(d, 0, y, "sends and receives", false, &taken);
		return;
	}
	draw_number(d, p, p->sequence, y, &taken);
	draw_number(d, p, p->from, y, &taken);
	draw_number(d, p, p->to, y, &taken);
	for (int64_t i = p->from + 1; i < p->to; i++)
		draw_number(d, p, i, y, &taken);
}

static void draw_text(const struct drawing *d, double x, double y, double width,
		      const char *s, bool culprit)
{
	struct na_font font = font_of(d, culprit);
	char text[NA_TEXT_MAX];

	if (width > 0)
		na_draw_text(d->l.canvas, x, y + na_text_ascent(&font) / 2,
			     na_text_fit(d->l.canvas, text, s, &font, width,
					 NA_CUT_END),
			     &font);
}

static void draw_row(const struct drawing *d, const struct hang_panel *p,
		     const struct hang_row *row, double y)
{
	double middle = y + d->row / 2, half = 0.38 * d->row;
	size_t n = na_fig_hang_columns(p);
	bool rest = row->state == CELL_KINDS;
	double says = column_x(d, n) + d->l.gap;

	draw_text(d, d->l.body.x0, middle,
		  rest ? d->l.body.x1 - d->l.body.x0 : d->who, row->who,
		  row->culprit);
	for (size_t k = 0; k < n && !rest; k++) {
		double x = column_x(d, k), gap = 0.08 * d->cell;
		bool at = p->sequence < 0 ||
			  p->from + (int64_t)k == p->sequence;

		draw_cell(d,
			  (struct na_box){x + gap, middle - half,
					  x + d->cell - gap, middle + half},
			  na_fig_hang_cell(p, row, k), at && row->culprit);
	}
	if (!rest)
		draw_text(d, says, middle, d->l.body.x1 - says, row->says,
			  row->culprit);
}

/* A ground behind the operation in question. */
static void draw_band(const struct drawing *d, const struct hang_panel *p,
		      double y0, double y1)
{
	const struct na_theme *t = d->l.theme;
	size_t k;

	if (p->sequence < 0)
		return;
	k = (size_t)(p->sequence - p->from);
	na_draw_rect(d->l.canvas,
		     (struct na_box){column_x(d, k), y0, column_x(d, k + 1),
				     y1},
		     p->own ? na_mix(t->background, t->hue[NA_HUE_FINDING],
				     0.15)
			    : t->grid);
}

static double draw_panel(const struct drawing *d, const struct hang_panel *p,
			 double y)
{
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_font of = na_layout_font(&d->l, NA_SIZE_TEXT,
					   d->l.theme->secondary);
	struct na_row header = {.x = d->l.body.x0,
				.end = d->l.body.x1,
				.y = y + 0.7 * d->header};
	struct hang_row row;
	size_t i = 0;

	name.bold = p->own;
	na_row_put(&d->l, &header, p->name, &name);
	na_row_put(&d->l, &header, p->of, &of);
	y += d->header;
	draw_band(d, p, y, y + (double)rows_of(p, d->rows) * d->row);
	na_for_each (v, p->positions) {
		if (i == rows_of(p, d->rows))
			break;
		row_at(d, p, v, i++, &row);
		draw_row(d, p, &row, y);
		y += d->row;
	}
	draw_ticks(d, p, y);
	return y + d->ticks + d->l.gap;
}

static enum na_status draw_all(struct drawing *d, const struct na_page *page,
			       struct na_err *err)
{
	bool used[LEGENDS] = {false};
	double foot, y = d->l.body.y0;
	char text[100];

	if (d->f.empty) {
		na_sentence(&d->l, d->l.body, d->f.empty);
		return NA_OK;
	}
	find_kinds(d, used);
	foot = d->l.body.y1 - (double)legend(d, used, NAN) * legend_line(d) -
	       d->l.gap;
	if (place(d, page, foot - y, err) != NA_OK)
		return err->status;
	for (size_t i = 0; i < d->panels; i++)
		y = draw_panel(d, &d->f.panels[i], y);
	legend(d, used, foot + d->l.gap / 2);
	if (d->panels < d->f.n) {
		size_t more = d->f.n - d->panels;

		snprintf(text, sizeof(text), "%s more group%s wait%s",
			 na_grouped(more), na_plural(more),
			 more == 1 ? "s" : "");
		na_layout_footnote(&d->l, text);
	}
	return NA_OK;
}

/* Panel by panel what its rows say. */
static void describe(const struct drawing *d, struct words *w)
{
	struct hang_row row;

	for (size_t k = 0; k < d->f.n; k++) {
		const struct hang_panel *p = &d->f.panels[k];

		na_words_add(w, ". %s %s", p->name, p->of);
		na_for_each (v, p->positions) {
			na_fig_hang_row(p, v, &row);
			na_words_add(w, "; %s: %s", row.who, row.says);
		}
	}
	if (d->f.empty)
		na_words_add(w, ". %s", d->f.empty);
}

static enum na_status hang_draw(struct na_canvas *c, const struct na_result *r,
				const struct na_page *page, struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0}, desc = {.n = 0};
	struct drawing d = {.panels = 0};
	const char *title = page->title;

	na_fig_hang_read(&d.f, r);
	na_fig_hang_title(&d.f, &own);
	na_fig_hang_subtitle(&d.f, &subtitle);
	title = title ? title : own.text;
	na_layout_begin(&d.l, c, &na_fig_hang, page, title, subtitle.text);
	na_words_add(&desc, "%s", subtitle.text);
	describe(&d, &desc);
	na_canvas_describe(c, title, desc.text);
	return draw_all(&d, page, err);
}

const struct na_figure na_fig_hang = {
	.name = "hang",
	.width = 1200,
	.height = 675,
	.draw = hang_draw,
};
