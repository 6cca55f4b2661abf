#include "plot/figures/steps/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"

#define MUTED 0.35 /* of the colour, where no host stands out */

static struct na_color color_of(const struct na_theme *t,
				const struct steps_figure *f, int level)
{
	double share = level / (double)STEP_LEVELS;

	if (level == STEP_NO_DATA)
		return na_mix(t->grid, t->axis, 0.5);
	return na_mix(t->grid, t->hue[NA_BLUE],
		      na_fig_steps_muted(f) ? MUTED * share : share);
}

/* Edges lie on whole points, so that no seam shows. */
static double row_y(const struct steps_figure *f, struct na_box b, size_t row)
{
	return b.y0 + round((b.y1 - b.y0) * (double)row / (double)f->map.rows);
}

static double column_x(const struct steps_figure *f, struct na_box b, size_t c)
{
	double at = fmin((double)(c * f->map.columns_each), (double)f->n);

	return b.x0 + (b.x1 - b.x0) * at / (double)f->n;
}

/* One stroke for the cells of a level in all rows of one height. */
static bool draw_level(const struct na_layout *l, const struct steps_figure *f,
		       struct na_box b, int level, double height)
{
	const struct step_rows *m = &f->map;
	struct na_strokes lines = {.n = 0};

	for (size_t r = 0; r < m->rows; r++) {
		const signed char *row = m->levels + r * m->columns;
		double y0 = row_y(f, b, r), y1 = row_y(f, b, r + 1);
		double y = (y0 + y1) / 2;

		if (fabs(y1 - y0 - height) > 0.5)
			continue;
		for (size_t c = 0, to; c < m->columns; c = to) {
			for (to = c; to < m->columns && row[to] == row[c];)
				to++;
			if (row[c] == level)
				na_strokes_line(&lines, column_x(f, b, c), y,
						column_x(f, b, to), y);
		}
	}
	return na_strokes_draw(&lines, l->canvas,
			       &(struct na_pen){color_of(l->theme, f, level),
						height, NA_SOLID});
}

static bool draw_cells(const struct na_layout *l, const struct steps_figure *f,
		       struct na_box b)
{
	double low = floor((b.y1 - b.y0) / (double)f->map.rows);
	bool ok = true;

	na_draw_rect(l->canvas, b, color_of(l->theme, f, 0));
	for (int k = STEP_NO_DATA; ok && k <= STEP_LEVELS; k++) {
		if (k == 0)
			continue;
		ok = (low < 1 || draw_level(l, f, b, k, low)) &&
		     draw_level(l, f, b, k, low + 1);
	}
	return ok;
}

bool na_fig_steps_muted(const struct steps_figure *f)
{
	for (size_t i = 0; i < f->n_lines; i++) {
		if (f->lines[i].cause)
			return false;
	}
	return true;
}

double na_fig_steps_names_width(const struct na_layout *l,
				const struct steps_figure *f, double most)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	double width = 0;
	struct words w;

	font.bold = true;
	for (size_t i = 0; i < f->n_lines && width < most; i++) {
		na_fig_steps_name(&f->lines[i], &w);
		width = fmax(width, na_measure(l->canvas, w.text, &font));
	}
	return fmin(width, most);
}

/* A frame; where it would hide its row, a mark at both ends. */
static void outline_map(const struct na_layout *l, const struct steps_figure *f,
			struct na_box b, size_t i)
{
	size_t row = i / f->map.each;
	const struct na_pen pen = {.color = l->theme->hue[NA_HUE_FINDING],
				   .width = fmax(1.6 * l->unit, 1)};
	double y0 = row_y(f, b, row) - 1, y1 = row_y(f, b, row + 1) + 1;
	double middle = (y0 + y1) / 2, tick = 0.7 * l->gap;
	const struct na_point p[] = {{b.x0 - 1, y0},
				     {b.x1 + 1, y0},
				     {b.x1 + 1, y1},
				     {b.x0 - 1, y1},
				     {b.x0 - 1, y0}};

	if (y1 - y0 > 6 * pen.width) {
		na_draw_polyline(l->canvas, p, 5, &pen);
		return;
	}
	na_draw_line(l->canvas, b.x0 - tick, middle, b.x0, middle, &pen);
	na_draw_line(l->canvas, b.x1, middle, b.x1 + tick, middle, &pen);
}

struct names {
	const struct na_layout *l;
	const struct steps_figure *f;
	struct na_box box;
	struct na_box *taken;
	size_t n;
};

/* Where a row's name stands, unless another is there. */
static bool put_name(struct names *x, size_t i, const struct na_font *font)
{
	size_t row = i / x->f->map.each;
	double y = (row_y(x->f, x->box, row) + row_y(x->f, x->box, row + 1)) /
		   2;
	double left = x->box.x1 + x->l->gap, half = 0.65 * font->size;
	char text[NA_TEXT_MAX];
	struct words w;

	/* Above the plot there is room beside its header. */
	y = fmin(y, x->box.y1 - half);
	for (size_t k = 0; k < x->n; k++) {
		if (y - half < x->taken[k].y1 && y + half > x->taken[k].y0)
			return false;
	}
	na_fig_steps_name(&x->f->lines[i], &w);
	na_text_fit(x->l->canvas, text, w.text, font, x->l->body.x1 - left,
		    NA_CUT_MIDDLE);
	na_draw_text(x->l->canvas, left, y + na_text_ascent(font) / 2, text,
		     font);
	x->taken[x->n++] = (struct na_box){left, y - half, left, y + half};
	return true;
}

/* Stragglers first; then as many of the others as find room.  Whose transfers
 * take longest is named, and no culprit. */
static bool draw_names(const struct na_layout *l, const struct steps_figure *f,
		       struct na_box b)
{
	struct na_font plain = na_layout_font(l, NA_SIZE_TEXT,
					      l->theme->secondary);
	struct na_font bold = plain;
	double row = (b.y1 - b.y0) / (double)f->map.rows;
	size_t step = f->map.each *
		      (size_t)fmax(ceil(1.4 * plain.size / row), 1);
	struct names x = {.l = l, .f = f, .box = b};

	bold.bold = true;
	bold.color = l->theme->hue[NA_HUE_FINDING];
	x.taken = na_calloc(f->n_lines + 1, sizeof(*x.taken));
	for (size_t i = 0; x.taken && i < f->n_lines; i++) {
		if (!f->lines[i].cause)
			continue;
		if (na_fig_steps_is_itself(&f->lines[i]))
			outline_map(l, f, b, i);
		put_name(&x, i,
			 na_fig_steps_is_itself(&f->lines[i]) ? &bold : &plain);
	}
	for (size_t i = 0; x.taken && i < f->n_lines; i += step) {
		if (!f->lines[i].cause)
			put_name(&x, i, &plain);
	}
	free(x.taken);
	return x.taken;
}

enum na_status na_fig_steps_map(const struct na_layout *l,
				const struct steps_figure *f,
				struct na_box plot, struct na_err *err)
{
	if (!draw_cells(l, f, plot) || !draw_names(l, f, plot))
		return na_fail_nomem(err);
	return NA_OK;
}

void na_fig_steps_key(const struct na_layout *l, const struct steps_figure *f,
		      struct na_row *row)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT,
					     l->theme->secondary);
	double size = na_text_ascent(&font), x = row->x + 2 * l->gap, width;
	char number[NA_LABEL_BUF];
	struct words w = {.n = 0};

	na_words_add(&w, "%s or more",
		     na_label_quantity(number, NA_Q_SECONDS,
				       f->map.max_ms / NA_MS_PER_S, 3));
	width = (STEP_LEVELS + 1) * size;
	if (!(f->map.max_ms > 0) ||
	    x + 2 * size + width + 2 * l->gap +
			    na_measure(l->canvas, w.text, &font) >
		    row->end)
		return;
	na_draw_text(l->canvas, x, row->y, "0", &font);
	x += na_measure(l->canvas, "0", &font) + l->gap / 2;
	for (int k = 0; k <= STEP_LEVELS; k++, x += size)
		na_draw_rect(l->canvas,
			     (struct na_box){x, row->y - size, x + size,
					     row->y},
			     color_of(l->theme, f, k));
	na_draw_text(l->canvas, x + l->gap / 2, row->y, w.text, &font);
}
