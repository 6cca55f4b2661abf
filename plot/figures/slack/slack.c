/*
 * Which collectives have too little slack, and what they cost: slack against
 * the bandwidth that it requires of a host, with the line beyond which the
 * job is bandwidth bound; and the total stall of each, split into the four
 * ops in which it passes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/result/emit.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/slack/data.h"
#include "plot/figures/slack/waterfall.h"
#include "plot/layout.h"
#include "plot/log_axis.h"
#include "plot/scale.h"

enum {
	NAMED = 8,
	PLACED_MAX = 64,
	BARS_MAX = 24,
	ROUND = 400,
	POINTS_MAX = 4000
};

struct drawing {
	struct na_layout l;
	struct slack_figure f;
	struct na_box scatter, bars; /* with their headers and axes */
	struct na_box plot, strip;   /* strip: no slack */
	struct na_log_axis x, y;
	struct na_box placed[PLACED_MAX]; /* what no label may touch */
	size_t n_placed;
};

static const enum na_hue part_hue[SLACK_PARTS] = {NA_BLUE, NA_SKY, NA_GREEN,
						  NA_ORANGE};

static double line_height(const struct drawing *d)
{
	return 1.5 * na_layout_font(&d->l, NA_SIZE_TEXT, d->l.theme->text).size;
}

static struct na_row header_of(const struct drawing *d, struct na_box b)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);

	return (struct na_row){.x = b.x0,
			       .end = b.x1,
			       .y = b.y0 + na_text_ascent(&font)};
}

/* Beside each other on a wide page, else one below the other. */
static bool place_slack(struct drawing *d)
{
	struct na_box b = d->l.body;
	double width = b.x1 - b.x0, height = b.y1 - b.y0;

	d->scatter = d->bars = b;
	if (width > 1.1 * height) {
		d->scatter.x1 = b.x0 + 0.52 * width - d->l.gap;
		d->bars.x0 = b.x0 + 0.52 * width + 2 * d->l.gap;
	} else {
		d->scatter.y1 = b.y0 + 0.55 * height - d->l.gap;
		d->bars.y0 = b.y0 + 0.55 * height + d->l.gap;
	}
	return d->scatter.y1 - d->scatter.y0 > 9 * line_height(d) / 1.5 &&
	       d->bars.y1 - d->bars.y0 > 4 * line_height(d) &&
	       d->scatter.x1 - d->scatter.x0 > 140 * fmax(d->l.unit, 0.8);
}

/* ---- slack against required bandwidth */

static bool has_place(const struct slack_point *p)
{
	return !p->none && p->required_bps > 0 && p->slack_s > 0 &&
	       isfinite(p->required_bps) && isfinite(p->slack_s);
}

static void widen(double *from, double *to, double x)
{
	*from = fmin(*from, x);
	*to = fmax(*to, x);
}

static void place_axes(struct drawing *d)
{
	double x0 = INFINITY, x1 = 0, y0 = INFINITY, y1 = 0;
	struct na_box b = d->scatter;
	double tick;

	for (size_t i = 0; i < d->f.n; i++) {
		if (!has_place(&d->f.points[i]))
			continue;
		widen(&x0, &x1, d->f.points[i].slack_s);
		widen(&y0, &y1, d->f.points[i].required_bps);
	}
	if (!(x1 > 0)) {
		x0 = y0 = 1e-5;
		x1 = 1e-2;
		y0 = 1e9;
		y1 = 1e11;
	}
	if (d->f.capacity_bps > 0)
		widen(&y0, &y1, d->f.capacity_bps);
	y1 = fmax(y1, 10 * y0);
	x1 = fmax(x1, 10 * x0);
	b.y0 += line_height(d) * 1.4;
	b.y1 -= na_time_axis_height(&d->l);
	tick = b.y1;
	na_log_axis_init(&d->l, &d->y, NA_Q_RATE, y0, y1, true, tick, b.y0);
	b.x0 += na_log_axis_width(&d->l, &d->y) + d->l.gap;
	b.x1 -= 2 * d->l.gap;
	d->strip = d->plot = b;
	if (d->f.n_none) {
		struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
						     d->l.theme->text);

		d->strip.x1 = b.x0 +
			      na_measure(d->l.canvas, "under 1 us", &font) +
			      d->l.gap;
		d->plot.x0 = d->strip.x1 + d->l.gap;
	}
	na_log_axis_init(&d->l, &d->x, NA_Q_SECONDS, x0, x1, true, d->plot.x0,
			 d->plot.x1);
}

static bool touches(const struct na_box *a, const struct na_box *b)
{
	return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

static bool is_free(const struct drawing *d, struct na_box b)
{
	if (b.x0 < d->strip.x0 || b.x1 > d->scatter.x1 || b.y0 < d->plot.y0 ||
	    b.y1 > d->plot.y1)
		return false;
	for (size_t i = 0; i < d->n_placed; i++) {
		if (touches(&d->placed[i], &b))
			return false;
	}
	return true;
}

static void keep_clear(struct drawing *d, struct na_box b)
{
	if (d->n_placed < PLACED_MAX)
		d->placed[d->n_placed++] = b;
}

static double radius(const struct drawing *d)
{
	return fmax(5 * d->l.unit, 3);
}

/* What lies beyond the capacity. */
static void draw_capacity(struct drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->limit);
	double y = na_scale_at(&d->y.scale, d->f.capacity_bps), width;
	double up = na_text_ascent(&font);
	struct na_box all = {d->strip.x0, d->plot.y0, d->plot.x1, y};
	char words[NA_LABEL_BUF + 48], rate[NA_LABEL_BUF], text[NA_TEXT_MAX];

	if (!(d->f.capacity_bps > 0))
		return;
	na_draw_rect(d->l.canvas, all,
		     na_fade(d->l.theme->hue[NA_HUE_FINDING], 0.10));
	na_draw_line(d->l.canvas, all.x0, y, all.x1, y,
		     &(struct na_pen){.color = d->l.theme->limit,
				      .width = 1.5 * fmax(d->l.unit, 0.8),
				      .dash = NA_DASHED});
	snprintf(words, sizeof(words), "capacity of a host: %s",
		 na_label_quantity(rate, NA_Q_RATE, d->f.capacity_bps, 4));
	na_text_fit(d->l.canvas, text, words, &font, all.x1 - all.x0,
		    NA_CUT_END);
	width = na_measure(d->l.canvas, text, &font);
	for (int k = 0; k < 4; k++) {
		double x = k % 2 ? all.x1 - width : d->plot.x0;
		double base = k < 2 ? y + 1.25 * up + 2 : y - 0.4 * up;
		struct na_box b = {x, base - up, x + width,
				   base + na_text_descent(&font)};

		if (!is_free(d, b))
			continue;
		na_draw_text(d->l.canvas, x, base, text, &font);
		keep_clear(d, b);
		return;
	}
}

/* Of thousands a diamond does: an SVG stays small. */
static void draw_disc(const struct drawing *d, double x, double y, double r,
		      struct na_color color, bool round)
{
	enum { CORNERS = 16, FEWER = 4 };
	struct na_point p[CORNERS];
	int n = round ? CORNERS : FEWER;

	for (int i = 0; i < n; i++) {
		double a = 2 * 3.14159265358979 * i / n;

		p[i] = (struct na_point){x + r * cos(a), y + r * sin(a)};
	}
	na_draw_area(d->l.canvas, p, (size_t)n, color);
}

/* A triangle that points to where no axis reaches. */
static void draw_beyond(const struct drawing *d, double x, double y, double r,
			struct na_color color)
{
	na_draw_area(d->l.canvas,
		     (struct na_point[]){{x, y - 1.2 * r},
					 {x + 1.1 * r, y + 0.8 * r},
					 {x - 1.1 * r, y + 0.8 * r}},
		     3, color);
}

/* Where a point stands; of the k-th without slack, in the strip. */
static struct na_point at_of(const struct drawing *d, size_t i, size_t k)
{
	const struct slack_point *p = &d->f.points[i];
	double r = radius(d), step;

	if (!p->none)
		return (struct na_point){na_scale_at(&d->x.scale, p->slack_s),
					 na_scale_at(&d->y.scale,
						     p->required_bps)};
	step = fmin(line_height(d),
		    (d->plot.y1 - d->plot.y0 - 4 * r) / (double)d->f.n_none);
	return (struct na_point){d->strip.x0 + 2 * r,
				 d->plot.y0 + 2 * r + step * (double)k};
}

static void draw_point(struct drawing *d, size_t i, struct na_point at)
{
	const struct slack_point *p = &d->f.points[i];
	double r = radius(d);
	struct na_color color =
		d->l.theme->hue[p->found ? NA_HUE_FINDING : NA_BLUE];

	if (p->none)
		draw_beyond(d, at.x, at.y, r, color);
	else
		draw_disc(d, at.x, at.y, r, na_fade(color, 0.85), i < ROUND);
}

enum { PLACES = 6 };

/* Right of its point, left, above or below: where it is free. */
static void draw_name(struct drawing *d, size_t i, struct na_point at)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	double r = radius(d), up = na_text_ascent(&font), width;
	double down = na_text_descent(&font);
	char text[NA_TEXT_MAX];
	const char *name = na_text_fit(d->l.canvas, text, d->f.points[i].name,
				       &font, 0.45 * (d->plot.x1 - d->plot.x0),
				       NA_CUT_MIDDLE);
	double places[PLACES][2];

	width = na_measure(d->l.canvas, name, &font);
	places[0][0] = at.x + 1.6 * r;
	places[1][0] = at.x - 1.6 * r - width;
	places[2][0] = places[3][0] = at.x - width / 2;
	places[0][1] = places[1][1] = at.y + up / 2;
	places[2][1] = at.y - 1.6 * r - down;
	places[3][1] = at.y + 1.6 * r + up;
	places[4][0] = places[5][0] = at.x - r;
	places[4][1] = at.y + 1.9 * r + up;
	places[5][1] = at.y + 1.9 * r + 2.4 * up;
	for (size_t k = 0; k < PLACES && *name; k++) {
		double x = places[k][0], y = places[k][1];
		struct na_box b = {x - 1, y - up - 1, x + width + 1,
				   y + down + 1};

		if (!is_free(d, b))
			continue;
		na_draw_text(d->l.canvas, x, y, name, &font);
		keep_clear(d, b);
		return;
	}
}

static void draw_points(struct drawing *d)
{
	size_t k = 0;

	/* The worst are drawn last, and named first. */
	for (size_t i = d->f.n < POINTS_MAX ? d->f.n : POINTS_MAX; i-- > 0;) {
		if (has_place(&d->f.points[i]))
			draw_point(d, i, at_of(d, i, 0));
	}
	for (size_t i = 0, named = 0; i < d->f.n && k < POINTS_MAX; i++) {
		const struct slack_point *p = &d->f.points[i];
		struct na_point at = at_of(d, i, k);

		if (!p->none && !has_place(p))
			continue;
		if (p->none) {
			draw_point(d, i, at);
			k++;
		}
		if (named < NAMED) {
			draw_name(d, i, at);
			named++;
		}
	}
}

/* Names and words keep off the worst points. */
static void keep_off_points(struct drawing *d)
{
	double r = radius(d);

	for (size_t i = 0; i < d->f.n && d->n_placed < PLACED_MAX / 2; i++) {
		struct na_point at = at_of(d, i, 0);

		if (has_place(&d->f.points[i]))
			keep_clear(d, (struct na_box){at.x - r, at.y - r,
						      at.x + r, at.y + r});
	}
}

static void draw_strip(const struct drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);

	if (!d->f.n_none)
		return;
	na_draw_rect(d->l.canvas, d->strip,
		     na_mix(d->l.theme->background,
			    d->l.theme->hue[NA_HUE_FINDING], 0.12));
	na_draw_text(d->l.canvas, d->strip.x0,
		     d->strip.y1 + 0.5 * d->l.gap + 2.4 * font.size,
		     "under 1 us", &font);
}

static void draw_scatter(struct drawing *d)
{
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_row row = header_of(d, d->scatter);
	struct na_box grid;

	name.bold = true;
	na_row_put(&d->l, &row, "Bandwidth that a host needs, by slack", &name);
	place_axes(d);
	grid = d->plot;
	grid.x0 = d->strip.x0;
	draw_strip(d);
	na_log_axis_draw_y(&d->l, &d->y, grid);
	na_log_axis_draw_x(&d->l, &d->x, d->plot, "mean slack");
	keep_off_points(d);
	draw_capacity(d);
	draw_points(d);
}

/* ---- bars of total stall */

static void draw_bars_header(struct drawing *d)
{
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_row row = header_of(d, d->bars);

	name.bold = true;
	na_row_put(&d->l, &row, "Total stall", &name);
	for (size_t k = 0; k < SLACK_PARTS; k++) {
		struct na_font font =
			na_layout_font(&d->l, NA_SIZE_TEXT,
				       d->l.theme->hue[part_hue[k]]);

		font.bold = true;
		na_row_put(&d->l, &row, na_slack_parts[k], &font);
	}
}

static void draw_bar(const struct drawing *d, const struct slack_point *p,
		     struct na_box b, double per_s)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	char stall[NA_LABEL_BUF], share[NA_LABEL_BUF];
	char words[2 * NA_LABEL_BUF + 16], text[NA_TEXT_MAX];
	double x = b.x0, end = b.x0 + p->stall_s * per_s;

	for (size_t k = 0; k < SLACK_PARTS; k++) {
		struct na_box part = b;

		part.x0 = x;
		x = fmin(x + p->part_s[k] * per_s, fmax(end, b.x0 + 1));
		part.x1 = x;
		if (part.x1 > part.x0)
			na_draw_rect(d->l.canvas, part,
				     d->l.theme->hue[part_hue[k]]);
	}
	na_label_quantity(stall, NA_Q_SECONDS, p->stall_s, 3);
	if (isfinite(p->share))
		snprintf(words, sizeof(words), "%s, %s %%", stall,
			 na_label_short(share, 100 * p->share, 2));
	else
		snprintf(words, sizeof(words), "%s", stall);
	x = fmax(x, b.x0) + d->l.gap / 2;
	na_text_fit(d->l.canvas, text, words, &font, d->bars.x1 - x,
		    NA_CUT_END);
	na_draw_text(d->l.canvas, x,
		     (b.y0 + b.y1) / 2 + 0.5 * na_text_ascent(&font), text,
		     &font);
}

static double widest_name(const struct drawing *d, size_t n,
			  const struct na_font *font, double most)
{
	double width = 0;

	for (size_t i = 0; i < n; i++)
		width = fmax(width, na_measure(d->l.canvas, d->f.points[i].name,
					       font));
	return fmin(width, most);
}

static void draw_bars(struct drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	double high = line_height(d) * 1.25, most = 0, names, values, per_s;
	struct na_box b = d->bars;
	char text[NA_TEXT_MAX], more[NA_LABEL_BUF];
	size_t n, room;

	draw_bars_header(d);
	b.y0 += line_height(d) * 1.4;
	room = (size_t)fmax((b.y1 - b.y0) / high, 1);
	n = d->f.n < BARS_MAX ? d->f.n : BARS_MAX;
	if (n > room || d->f.n > n)
		n = room > 1 ? (n < room - 1 ? n : room - 1) : 1;
	for (size_t i = 0; i < n; i++)
		most = fmax(most, d->f.points[i].stall_s);
	names = widest_name(d, n, &font, 0.42 * (b.x1 - b.x0));
	values = na_measure(d->l.canvas, "999.9 ms, 99.9 %", &font);
	per_s = most > 0 ? fmax(b.x1 - b.x0 - names - values - 2 * d->l.gap,
				0.1 * (b.x1 - b.x0)) /
				   most
			 : 0;
	for (size_t i = 0; i < n; i++) {
		struct na_box bar = {b.x0 + names + d->l.gap,
				     b.y0 + high * (double)i, b.x1,
				     b.y0 + high * ((double)i + 0.72)};
		double y = (bar.y0 + bar.y1) / 2 + 0.5 * na_text_ascent(&font);

		font.align = NA_RIGHT;
		na_text_fit(d->l.canvas, text, d->f.points[i].name, &font,
			    names, NA_CUT_MIDDLE);
		na_draw_text(d->l.canvas, b.x0 + names, y, text, &font);
		draw_bar(d, &d->f.points[i], bar, per_s);
	}
	if (d->f.n <= n || room < 2)
		return;
	font.align = NA_LEFT;
	font.color = d->l.theme->secondary;
	snprintf(more, sizeof(more), "and %zu more", d->f.n - n);
	na_draw_text(d->l.canvas, b.x0,
		     b.y0 + high * ((double)n + 0.36) +
			     0.5 * na_text_ascent(&font),
		     more, &font);
}

static void slack_footnote(struct drawing *d)
{
	struct words w = {.n = 0};

	if (d->f.empty)
		return;
	na_words_add(&w,
		     "slack: time that the network may take without "
		     "stalling the device; %% of step time; vermilion: "
		     "small slack%s; a triangle: no slack at all",
		     isfinite(d->f.capacity_bps) ? ", or above capacity" : "");
	if (d->f.n_unknown)
		na_words_add(&w,
			     "; %zu of unknown size are not in the left "
			     "panel",
			     d->f.n_unknown);
	na_layout_footnote(&d->l, w.text);
}

static enum na_status draw_slack(struct drawing *d, const struct na_page *page,
				 struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0}, words = {.n = 0};
	const char *title = page->title;

	na_slack_title(&d->f, &own);
	na_slack_subtitle(&d->f, &subtitle);
	if (!title)
		title = own.text;
	na_layout_begin(&d->l, d->l.canvas, &na_fig_slack, page, title,
			subtitle.text);
	na_words_add(&words, "%s", subtitle.text);
	na_slack_describe(&d->f, &words);
	na_canvas_describe(d->l.canvas, title, words.text);
	slack_footnote(d);
	if (d->f.empty) {
		na_sentence(&d->l, d->l.body, d->f.empty);
		return NA_OK;
	}
	if (!place_slack(d))
		return na_no_room(page, err);
	draw_scatter(d);
	draw_bars(d);
	return NA_OK;
}

static enum na_status slack_draw(struct na_canvas *c, const struct na_result *r,
				 const struct na_page *page, struct na_err *err)
{
	const char *what = na_result_get_word(r, NA_WORD_PICTURE, "");
	struct drawing *d;
	enum na_status st;

	if (strcmp(what, "waterfall") == 0)
		return na_slack_waterfall(c, &na_fig_slack, r, page, err);
	d = calloc(1, sizeof(*d));
	if (!d)
		return na_fail_nomem(err);
	d->l.canvas = c;
	st = na_slack_read(&d->f, r) ? draw_slack(d, page, err)
				     : na_fail_nomem(err);
	free(d->f.points);
	free(d);
	return st;
}

const struct na_figure na_fig_slack = {
	.name = "slack",
	.width = 1200,
	.height = 675,
	.draw = slack_draw,
};
