#include "plot/log_axis.h"

#include <math.h>
#include <stdio.h>

static struct na_font label_font(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_TEXT, l->theme->secondary);
}

static const char *label_of(char *buf, enum na_quantity q, double x)
{
	char number[NA_LABEL_BUF];

	if (q != NA_Q_COUNT)
		return na_label_quantity(buf, q, x, 3);
	snprintf(buf, NA_LABEL_BUF, "%.40s %%",
		 na_label_short(number, 100 * x, 3));
	return buf;
}

/* Where a decade does not pass, ticks are round numbers as on any axis. */
static void place_ticks(struct na_log_axis *a, size_t most)
{
	size_t named = 0;

	na_ticks_log(&a->ticks, a->scale.from, a->scale.to, most);
	for (size_t i = 0; i < a->ticks.n; i++)
		named += !a->ticks.minor[i];
	if (named < 2)
		na_ticks_linear(&a->ticks, a->scale.from, a->scale.to,
				most > 5 ? 5 : most);
}

void na_log_axis_init(const struct na_layout *l, struct na_log_axis *a,
		      enum na_quantity q, double from, double to, bool widen,
		      double at_from, double at_to)
{
	double size = label_font(l).size, length = fabs(at_to - at_from);
	double most = length / (at_from > at_to ? 2.2 * size : 5.5 * size);
	double more = widen ? pow(to / from, 0.03) : 1;

	if (widen && more < 1.02)
		more = 1.02;
	if (from >= to)
		more = fmax(more, 1.5);
	a->quantity = q;
	a->scale = (struct na_scale){.from = from / more,
				     .to = to * more,
				     .at_from = at_from,
				     .at_to = at_to,
				     .log = true};
	place_ticks(a, most < 1 ? 1 : (size_t)most);
}

double na_log_axis_width(const struct na_layout *l, const struct na_log_axis *a)
{
	struct na_font font = label_font(l);
	char label[NA_LABEL_BUF];
	double widest = 0;

	for (size_t i = 0; i < a->ticks.n; i++) {
		label_of(label, a->quantity, a->ticks.at[i]);
		if (!a->ticks.minor[i])
			widest = fmax(widest,
				      na_measure(l->canvas, label, &font));
	}
	return widest;
}

void na_log_axis_draw_y(const struct na_layout *l, const struct na_log_axis *a,
			struct na_box plot)
{
	struct na_pen pen = {.color = l->theme->grid,
			     .width = fmax(l->unit, 1)};
	struct na_font font = label_font(l);
	double free = INFINITY;

	font.align = NA_RIGHT;
	for (size_t i = 0; i < a->ticks.n; i++) {
		double y = na_scale_at(&a->scale, a->ticks.at[i]);
		double below = y + 0.5 * na_text_ascent(&font);
		char label[NA_LABEL_BUF];

		if (a->ticks.minor[i])
			continue;
		na_draw_line(l->canvas, plot.x0, y, plot.x1, y, &pen);
		if (below + na_text_descent(&font) > free)
			continue;
		label_of(label, a->quantity, a->ticks.at[i]);
		na_draw_text(l->canvas, plot.x0 - l->gap, below, label, &font);
		free = below - na_text_ascent(&font) - 1;
	}
}

void na_log_axis_draw_x(const struct na_layout *l, const struct na_log_axis *a,
			struct na_box plot, const char *name)
{
	struct na_pen pen = {.color = l->theme->axis,
			     .width = fmax(l->unit, 1)};
	struct na_font font = label_font(l);
	double tick = 0.5 * l->gap, free = l->body.x0;
	char text[NA_TEXT_MAX];

	na_draw_line(l->canvas, plot.x0, plot.y1, plot.x1, plot.y1, &pen);
	for (size_t i = 0; i < a->ticks.n; i++) {
		double at = na_scale_at(&a->scale, a->ticks.at[i]);
		double width, left;
		char label[NA_LABEL_BUF];

		na_draw_line(l->canvas, at, plot.y1, at,
			     plot.y1 + (a->ticks.minor[i] ? tick / 2 : tick),
			     &pen);
		if (a->ticks.minor[i])
			continue;
		label_of(label, a->quantity, a->ticks.at[i]);
		width = na_measure(l->canvas, label, &font);
		left = at - width / 2;
		if (left < free || left + width > plot.x1 + 2 * l->gap)
			continue;
		na_draw_text(l->canvas, left, plot.y1 + tick + 1.1 * font.size,
			     label, &font);
		free = left + width + l->gap;
	}
	na_text_fit(l->canvas, text, name, &font, plot.x1 - plot.x0,
		    NA_CUT_END);
	font.align = NA_CENTER;
	na_draw_text(l->canvas, (plot.x0 + plot.x1) / 2,
		     plot.y1 + tick + 2.4 * font.size, text, &font);
}
