/*
 * The shift of quantiles: B's over A's at each of them, with the interval, on
 * a logarithmic axis around 1x; latency large, the other metrics beside it.
 * What moved: the middle, the tail, or all alike?
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/diff_data.h"
#include "plot/layout.h"

#define BAND_SHARE   0.18
#define NO_CHANGE    1.05 /* up to p90, and of the mean */
#define NO_CHANGE_UP 1.10

struct drawing {
	struct na_layout l;
	struct diff_figure f;
	const struct na_page *page;
};

struct plot {
	const struct diff_series *s;
	struct na_box box;
	bool large;
};

static double at_x(const struct plot *p, size_t i)
{
	double step = (p->box.x1 - p->box.x0) / (double)p->s->n;

	return p->box.x0 + ((double)i + 0.5) * step;
}

/* Far outside, it is cut by the clip. */
static double at_y(const struct plot *p, double ratio)
{
	double share = (log(ratio) - p->s->least) / (p->s->most - p->s->least);

	share = fmin(10, fmax(-10, share));
	return p->box.y1 - share * (p->box.y1 - p->box.y0);
}

static struct na_color color_of(const struct drawing *d, enum diff_word word)
{
	const struct na_theme *t = d->l.theme;

	switch (word) {
	case DIFF_WORSE:
		return t->hue[NA_HUE_FINDING];
	case DIFF_BETTER:
		return t->hue[NA_GREEN];
	case DIFF_MIX:
		return t->hue[NA_ORANGE];
	default:
		return t->hue[NA_BLUE];
	}
}

/* ---- axes */

/* In the order in which they are placed where there is room. */
static const double rounds[] = {1,    2,    0.5,  10,   0.1,  5,    0.2,
				1.2,  0.8,  1.1,  0.9,  1.5,  0.7,  3,
				0.3,  100,  0.01, 20,   0.05, 50,   0.02,
				1000, 1e-3, 1e4,  1e-4, 1.05, 0.95, 1e5,
				1e-5, 1e6,  1e-6, 1.02, 0.98};
enum { ROUNDS = NA_LEN(rounds) };

static const char *ratio_label(char *buf, double x)
{
	char number[NA_LABEL_BUF];

	if (x > 1000 || x < 0.001)
		snprintf(buf, NA_LABEL_BUF, "1e%dx", (int)lround(log10(x)));
	else
		snprintf(buf, NA_LABEL_BUF, "%.40sx",
			 na_label_short(number, x, 3));
	return buf;
}

static struct na_font label_font(const struct drawing *d, bool large)
{
	return na_layout_font(&d->l, large ? NA_SIZE_TEXT : NA_SIZE_SMALL,
			      d->l.theme->secondary);
}

static double label_width(const struct drawing *d, bool large)
{
	struct na_font font = label_font(d, large);

	return na_measure(d->l.canvas, "0.001x", &font);
}

static void y_axis(const struct drawing *d, const struct plot *p)
{
	struct na_font font = label_font(d, p->large);
	double placed[ROUNDS], apart = (p->large ? 2.4 : 1.5) * font.size;
	size_t n = 0;

	font.align = NA_RIGHT;
	for (size_t i = 0; i < ROUNDS; i++) {
		double y = at_y(p, rounds[i]);
		bool room = y >= p->box.y0 && y <= p->box.y1;
		char label[NA_LABEL_BUF];

		for (size_t k = 0; k < n; k++)
			room = room && fabs(placed[k] - y) >= apart;
		if (!room)
			continue;
		placed[n++] = y;
		na_draw_line(d->l.canvas, p->box.x0, y, p->box.x1, y,
			     NA_PEN(&d->l,
				    i ? d->l.theme->grid : d->l.theme->axis,
				    1));
		na_draw_text(d->l.canvas, p->box.x0 - d->l.gap,
			     y + 0.5 * na_text_ascent(&font),
			     ratio_label(label, rounds[i]), &font);
	}
}

/* Those that are named where not all have room. */
static bool is_landmark(const struct diff_point *p)
{
	static const char *const rows[] = {"p10", "p50", "p90", "p99"};

	for (size_t i = 0; i < NA_LEN(rows); i++) {
		if (strcmp(p->row, rows[i]) == 0)
			return true;
	}
	return p->mean;
}

/* Do all names have room beside each other? */
static bool names_fit(const struct drawing *d, const struct plot *p,
		      const struct na_font *font)
{
	double free = -INFINITY;
	char buf[16];

	for (size_t i = 0; i < p->s->n; i++) {
		double w = na_measure(d->l.canvas,
				      na_diff_row_name(buf,
							   &p->s->points[i]),
				      font);

		if (at_x(p, i) - w / 2 < free)
			return false;
		free = at_x(p, i) + w / 2 + d->l.gap;
	}
	return true;
}

static void x_axis(const struct drawing *d, const struct plot *p)
{
	struct na_font font = label_font(d, p->large);
	double free = p->box.x0 - 2 * d->l.gap, last, apart;
	bool brief = !names_fit(d, p, &font);
	char buf[16];
	const char *name;

	na_draw_line(d->l.canvas, p->box.x0, p->box.y1, p->box.x1, p->box.y1,
		     NA_PEN(&d->l, d->l.theme->axis, 1));
	if (!p->s->n)
		return;
	/* The mean stands for itself: its name has priority. */
	apart = brief ? d->l.gap / 2 : d->l.gap;
	name = na_diff_row_name(buf, &p->s->points[p->s->n - 1]);
	last = at_x(p, p->s->n - 1) - na_measure(d->l.canvas, name, &font) / 2;
	for (size_t i = 0; i < p->s->n; i++) {
		bool end = i + 1 == p->s->n;
		double w, x;

		if (brief && !is_landmark(&p->s->points[i]))
			continue;
		name = na_diff_row_name(buf, &p->s->points[i]);
		w = na_measure(d->l.canvas, name, &font);
		x = at_x(p, i) - w / 2;
		if (x < free || (!end && x + w + apart > last))
			continue;
		na_draw_text(d->l.canvas, x,
			     p->box.y1 + 0.4 * d->l.gap + 1.1 * font.size, name,
			     &font);
		free = x + w + apart;
	}
}

static double x_axis_height(const struct drawing *d, bool large)
{
	return 0.4 * d->l.gap + 1.6 * label_font(d, large).size;
}

/* ---- data */

/* Where a difference is no change. */
static void no_change(const struct drawing *d, const struct plot *p)
{
	double half = (p->box.x1 - p->box.x0) / (double)p->s->n / 2;
	struct na_color color = na_fade(d->l.theme->secondary, 0.10);
	size_t from = 0;

	for (size_t i = 1; i <= p->s->n; i++) {
		const struct diff_point *x = p->s->points;
		bool up = x[from].row[0] == 'p' && x[from].row[1] == '9' &&
			  x[from].row[2] != '0';
		double limit = up ? NO_CHANGE_UP : NO_CHANGE;

		na_draw_rect(d->l.canvas,
			     (struct na_box){at_x(p, from) - half,
					     at_y(p, limit),
					     at_x(p, i - 1) + half,
					     at_y(p, 1 / limit)},
			     color);
		from = i;
	}
}

static bool told(const struct diff_point *x)
{
	return isfinite(x->lo) && isfinite(x->hi);
}

/* Of neighbouring quantiles; the mean has a bar of its own. */
static void band(const struct drawing *d, const struct plot *p)
{
	struct na_color color = na_fade(d->l.theme->hue[NA_BLUE], BAND_SHARE);
	double half = 0.18 * (p->box.x1 - p->box.x0) / (double)p->s->n;

	for (size_t i = 0; i < p->s->n; i++) {
		const struct diff_point *x = &p->s->points[i];

		if (!told(x))
			continue;
		if (i + 1 < p->s->n && told(x + 1) && !x[1].mean)
			na_draw_area(d->l.canvas,
				     (struct na_point[]){
					     {at_x(p, i), at_y(p, x->hi)},
					     {at_x(p, i + 1), at_y(p, x[1].hi)},
					     {at_x(p, i + 1), at_y(p, x[1].lo)},
					     {at_x(p, i), at_y(p, x->lo)}},
				     4, color);
		if (x->mean)
			na_draw_rect(d->l.canvas,
				     (struct na_box){at_x(p, i) - half,
						     at_y(p, x->hi),
						     at_x(p, i) + half,
						     at_y(p, x->lo)},
				     color);
	}
}

static void line(const struct drawing *d, const struct plot *p, bool equal)
{
	struct na_point points[DIFF_POINTS];
	struct na_pen pen = {
		.color = d->l.theme->hue[equal ? NA_ORANGE : NA_BLUE],
		.width = fmax((p->large ? 1.8 : 1.4) * d->l.unit, 1),
		.dash = equal ? NA_DASHED : NA_SOLID,
	};
	size_t n = 0;

	for (size_t i = 0; i < p->s->n; i++) {
		const struct diff_point *x = &p->s->points[i];
		double ratio = equal ? x->equal : x->ratio;

		if (x->mean && !equal)
			continue;
		points[n++] = (struct na_point){at_x(p, i),
						isfinite(ratio) ? at_y(p, ratio)
								: (double)NAN};
	}
	na_draw_polyline(d->l.canvas, points, n, &pen);
}

/* What changed is larger, and has a colour of its own. */
static void dots(const struct drawing *d, const struct plot *p)
{
	for (size_t i = 0; i < p->s->n; i++) {
		const struct diff_point *x = &p->s->points[i];
		bool found = x->word > DIFF_SAME;
		double r = fmax((found      ? p->large ? 4.5 : 3.2
				 : p->large ? 2.5
					    : 1.8) *
					d->l.unit,
				1.5);
		double cx = at_x(p, i), cy = at_y(p, x->ratio);

		if (isfinite(x->ratio))
			na_draw_rect(d->l.canvas,
				     (struct na_box){cx - r, cy - r, cx + r,
						     cy + r},
				     color_of(d, x->word));
	}
}

static void draw_plot(const struct drawing *d, const struct plot *p)
{
	if (!p->s->ratios) {
		x_axis(d, p);
		na_sentence(&d->l, p->box, "No ratio: values are not above 0");
		return;
	}
	na_clip(d->l.canvas, p->box);
	no_change(d, p);
	na_unclip(d->l.canvas);
	y_axis(d, p);
	na_clip(d->l.canvas, p->box);
	band(d, p);
	line(d, p, false);
	if (p->s->equal)
		line(d, p, true);
	dots(d, p);
	na_unclip(d->l.canvas);
	x_axis(d, p);
}

/* ---- panels */

static double header_height(const struct drawing *d, bool large)
{
	return 1.9 * na_layout_font(&d->l, large ? NA_SIZE_NAME : NA_SIZE_TEXT,
				    d->l.theme->text)
			     .size;
}

static void header(const struct drawing *d, const struct diff_series *s,
		   struct na_box box, bool large)
{
	struct na_font name =
		na_layout_font(&d->l, large ? NA_SIZE_NAME : NA_SIZE_TEXT,
			       d->l.theme->text);
	struct na_font rest = na_layout_font(&d->l, NA_SIZE_SMALL,
					     d->l.theme->secondary);
	struct na_row row = {.x = box.x0,
			     .end = box.x1,
			     .y = box.y0 + 1.1 * name.size};
	struct words w = {.n = 0}, title = {.n = 0};

	if (large)
		rest.size = name.size * NA_SIZE_TEXT / NA_SIZE_NAME;
	name.bold = true;
	if (large)
		na_words_add(&title, "%s: %.60s over %.60s", s->name,
			     d->f.label_b, d->f.label_a);
	na_row_put(&d->l, &row, large ? title.text : s->name, &name);
	na_diff_header(s, &w);
	na_row_put(&d->l, &row, w.text, &rest);
}

static void panel(const struct drawing *d, const struct diff_series *s,
		  struct na_box box, bool large)
{
	struct plot p = {.s = s, .box = box, .large = large};

	header(d, s, box, large);
	p.box.y0 += header_height(d, large);
	p.box.y1 -= x_axis_height(d, large);
	p.box.x0 += label_width(d, large) + d->l.gap;
	if (p.box.y1 - p.box.y0 > 2 * label_font(d, large).size &&
	    p.box.x1 - p.box.x0 > 4 * label_font(d, large).size)
		draw_plot(d, &p);
}

static enum na_status panels(const struct drawing *d, struct na_err *err)
{
	struct na_font font = label_font(d, true);
	struct na_box box = d->l.body, side;
	size_t small = d->f.n - 1;
	double each;

	if (box.x1 - box.x0 < 20 * font.size || box.y1 - box.y0 < 8 * font.size)
		return na_no_room(d->page, err);
	side = box;
	/* The side panels need room of their own, or there are none. */
	each = small ? (box.y1 - box.y0) / (double)small : 0;
	if (small && box.x1 - box.x0 > 44 * font.size && each > 5 * font.size) {
		side.x0 = box.x0 + 0.62 * (box.x1 - box.x0);
		box.x1 = side.x0 - 3 * d->l.gap;
		for (size_t i = 0; i < small; i++) {
			side.y1 = side.y0 + each - d->l.gap;
			panel(d, &d->f.series[i + 1], side, false);
			side.y0 += each;
		}
	}
	panel(d, &d->f.series[0], box, true);
	return NA_OK;
}

static bool has_word(const struct diff_figure *f, enum diff_word word)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct diff_series *s = &f->series[i];

		for (size_t k = 0; k < s->n; k++) {
			const struct diff_point *p = &s->points[k];

			if ((p->word > DIFF_SAME ? p->word : DIFF_SAME) ==
				    word &&
			    isfinite(p->ratio))
				return true;
		}
	}
	return false;
}

static void diff_footnote(struct drawing *d)
{
	static const struct {
		enum diff_word word;
		const char *name;
	} squares[] = {
		{DIFF_WORSE, "B is worse"},
		{DIFF_BETTER, "B is better"},
		{DIFF_MIX, "changed, neither better nor worse"},
		{DIFF_SAME, "no change shown"},
	};
	struct words w = {.n = 0};
	bool equal = false;

	for (size_t i = 0; i < NA_LEN(squares); i++) {
		if (has_word(&d->f, squares[i].word))
			na_layout_footmark(&d->l,
					   color_of(d, squares[i].word),
					   squares[i].name);
	}
	for (size_t i = 0; i < d->f.n; i++)
		equal |= d->f.series[i].equal;
	na_words_add(&w,
		     "band: interval, all together 95 %%; grey: too small "
		     "to count%s",
		     equal ? "; dashes: at equal sizes and pairs" : "");
	na_layout_footnote(&d->l, w.text);
}

static void describe_diff(const struct drawing *d, struct na_canvas *c,
			  const char *title, const char *subtitle)
{
	struct words w = {.n = 0};

	na_words_add(&w, "%s", subtitle);
	for (size_t i = 0; i < d->f.n; i++) {
		na_words_add(&w, ". %s: ", d->f.series[i].name);
		na_diff_header(&d->f.series[i], &w);
	}
	if (d->f.empty)
		na_words_add(&w, ". %s", d->f.empty);
	na_canvas_describe(c, title, w.text);
}

static enum na_status diff_draw(struct na_canvas *c, const struct na_result *r,
				const struct na_page *page, struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0};
	struct drawing d = {.page = page};
	const char *title;
	enum na_status st;

	na_diff_read(&d.f, r);
	na_diff_title(&d.f, &own);
	na_diff_subtitle(&d.f, &subtitle);
	title = page->title ? page->title : own.text;
	na_layout_begin(&d.l, c, &na_fig_diff, page, title, subtitle.text);
	describe_diff(&d, c, title, subtitle.text);
	if (d.f.empty) {
		na_empty_plot(&d.l, d.l.body, d.f.empty);
		return NA_OK;
	}
	st = panels(&d, err);
	if (st == NA_OK)
		diff_footnote(&d);
	return st;
}

const struct na_figure na_fig_diff = {
	.name = "diff",
	.width = 1200,
	.height = 675,
	.draw = diff_draw,
};
