/* Axes of time, and logarithmic ones. */
#include "plot/log_axis.h"

#include <math.h>
#include <stdio.h>

static struct na_font label_font(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_TEXT, l->theme->secondary);
}

double na_time_axis_height(const struct na_layout *l)
{
	return 0.5 * l->gap + 2.7 * label_font(l).size;
}

/* What stands along a time axis. */
struct time_labels {
	struct na_ticks ticks; /* counted from base */
	struct na_axis_unit unit;
	double base; /* seconds */
	int digits;
};

/* Ticks of [from, to], as many as have room for their labels. */
static void place_time_ticks(const struct na_layout *l, double from, double to,
			     double width, const struct na_font *font,
			     struct time_labels *t)
{
	size_t most = (size_t)(width / (5 * font->size)) + 1;

	for (; most > 0; most--) {
		char label[NA_LABEL_BUF];
		double widest = 0;

		if (t->unit.factor == 1)
			na_ticks_time(&t->ticks, from, to, most);
		else
			na_ticks_in_unit(&t->ticks, from, to, most,
					 t->unit.factor);
		t->digits = na_label_digits(t->ticks.step, t->unit.factor);
		for (size_t i = 0; i < t->ticks.n; i++) {
			na_label_fixed(label, t->ticks.at[i] / t->unit.factor,
				       t->digits);
			widest = fmax(widest,
				      na_measure(l->canvas, label, font));
		}
		if (t->ticks.n < 2 ||
		    widest + 2 * l->gap < width * t->ticks.step / (to - from))
			break;
	}
	/* A part too short for two: the roundest instant in it. */
	for (most = 2; !t->ticks.n && most < NA_TICKS_MAX; most++) {
		na_ticks_in_unit(&t->ticks, from, to, most, t->unit.factor);
		t->digits = na_label_digits(t->ticks.step, t->unit.factor);
	}
	if (most > 2 && t->ticks.n > 1)
		t->ticks.n = 1;
}

/* A short span far from the origin: labels count from a round instant just
 * before it, which the axis names. */
static double base_of(double from, double to)
{
	double round = pow(10, ceil(log10(to - from)) + 1);

	return fabs(from) > 1e4 * (to - from) ? floor(from / round) * round : 0;
}

/* Returns where the next label may begin. */
static double draw_time_labels(const struct na_layout *l,
			       const struct na_scale *x, double y,
			       const struct na_font *font,
			       const struct time_labels *t, double free)
{
	struct na_pen pen = {.color = l->theme->axis,
			     .width = fmax(l->unit, 1)};
	double tick = 0.5 * l->gap;

	for (size_t i = 0; i < t->ticks.n; i++) {
		double at = na_scale_at(x, t->base + t->ticks.at[i]);
		double width, left;
		char text[NA_LABEL_BUF];

		na_label_fixed(text, t->ticks.at[i] / t->unit.factor,
			       t->digits);
		na_draw_line(l->canvas, at, y, at, y + tick, &pen);
		width = na_measure(l->canvas, text, font);
		left = fmin(at - width / 2, l->body.x1 - width);
		/* Clear of the zero beside the plot. */
		left = fmax(left, x->at_from - l->gap);
		if (left < free || left + width > l->body.x1)
			continue;
		na_draw_text(l->canvas, left, y + tick + 1.1 * font->size, text,
			     font);
		free = left + width + l->gap;
	}
	return free;
}

/* Centred below all parts of the axis. */
static void draw_axis_name(const struct na_layout *l, const struct na_scale *x,
			   double y, const char *name,
			   const struct time_labels *t)
{
	struct na_font font = label_font(l);
	char words[NA_TEXT_MAX], text[NA_TEXT_MAX], base[NA_LABEL_BUF];

	if (t->base == 0)
		snprintf(words, sizeof(words), "%s (%s)", name, t->unit.name);
	else
		snprintf(words, sizeof(words), "%s (%s after %s s)", name,
			 t->unit.name, na_label_short(base, t->base, 15));
	na_text_fit(l->canvas, text, words, &font, x->at_to - x->at_from,
		    NA_CUT_END);
	font.align = NA_CENTER;
	na_draw_text(l->canvas, (x->at_from + x->at_to) / 2,
		     y + 0.5 * l->gap + 2.4 * font.size, text, &font);
}

void na_time_axis_parts(const struct na_layout *l, const struct na_scale *parts,
			size_t n, double y, const char *name)
{
	const struct na_scale *last = &parts[n - 1];
	struct na_scale all = {parts[0].from, last->to, parts[0].at_from,
			       last->at_to, false};
	struct na_font font = label_font(l);
	struct time_labels t = {.base = base_of(all.from, all.to)};
	double free = l->body.x0;

	t.unit = na_unit_for(NA_Q_SECONDS, fmax(fabs(all.from - t.base),
						fabs(all.to - t.base)));
	for (size_t i = 0; i < n; i++) {
		const struct na_scale *x = &parts[i];

		na_draw_line(l->canvas, x->at_from, y, x->at_to, y,
			     NA_PEN(l, l->theme->axis, 1));
		place_time_ticks(l, x->from - t.base, x->to - t.base,
				 fabs(x->at_to - x->at_from), &font, &t);
		free = draw_time_labels(l, x, y, &font, &t, free);
	}
	draw_axis_name(l, &all, y, name, &t);
}

void na_time_axis(const struct na_layout *l, const struct na_scale *x, double y,
		  const char *name)
{
	na_time_axis_parts(l, x, 1, y, name);
	if (l->axis)
		*l->axis = (struct na_page_axis){l->width,   l->height,
						 x->at_from, l->body.y0,
						 x->at_to,   y,
						 x->from,    x->to};
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

static size_t named_ticks(struct na_log_axis *a, size_t most)
{
	size_t named = 0;

	na_ticks_log(&a->ticks, a->scale.from, a->scale.to, most);
	for (size_t i = 0; i < a->ticks.n; i++)
		named += !a->ticks.minor[i];
	return named;
}

/* Every decade rather than every second one, of which there is one alone; and
 * where a decade does not pass, ticks are round numbers as on any axis. */
static void place_ticks(struct na_log_axis *a, size_t most)
{
	size_t named = named_ticks(a, most);

	if (named < 2 && a->scale.to >= 10 * a->scale.from)
		named = named_ticks(a, 2 * most);
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
