/* Slack against the bandwidth that it requires of a host. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/canvas.h"
#include "plot/figures/slack/draw.h"

#define STRIP_SHARE 0.42 /* of the panel, at most */

enum { NAMED = 8, ROUND = 400, POINTS_MAX = 4000 };

static const char strip_name[] = "slack under 1 us";

static bool has_place(const struct slack_point *p)
{
	return !p->none && p->required_bps > 0 && p->slack_s > 0 &&
	       isfinite(p->required_bps) && isfinite(p->slack_s);
}

static double radius(const struct slack_drawing *d)
{
	return fmax(5 * d->l.unit, 3);
}

static void widen(double *from, double *to, double x)
{
	*from = fmin(*from, x);
	*to = fmax(*to, x);
}

/* At least a decade, and what there is in its middle. */
static void stretch(double *from, double *to)
{
	double more = sqrt(10 * *from / *to);

	if (more > 1) {
		*from /= more;
		*to *= more;
	}
}

/* Those without slack that the strip names, a line each; the last line counts
 * the rest. */
static size_t strip_rows(const struct slack_drawing *d)
{
	double room = (d->strip.y1 - d->strip.y0) / na_slack_line_height(d);
	size_t most = (size_t)fmax(room, 1);

	return d->f.n_none <= most ? d->f.n_none : most - 1;
}

static const char *slack_of(const struct slack_point *p, char *buf)
{
	return na_label_quantity(buf, NA_Q_SECONDS, p->slack_s, 2);
}

/* As wide as its names and values, but the plot keeps most of the panel. */
static double strip_width(const struct slack_drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	double most = STRIP_SHARE * (d->scatter.x1 - d->scatter.x0);
	double width = na_measure(d->l.canvas, strip_name, &font);
	char buf[NA_LABEL_BUF];
	size_t left = strip_rows(d);

	for (size_t i = 0; i < d->f.n && left; i++) {
		const struct slack_point *p = &d->f.points[i];

		if (!p->none)
			continue;
		width = fmax(width, 4 * radius(d) + 2 * d->l.gap +
				   na_measure(d->l.canvas, p->name, &font) +
				   na_measure(d->l.canvas, slack_of(p, buf),
					      &font));
		left--;
	}
	return fmin(width, most);
}

static void place_axes(struct slack_drawing *d)
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
	stretch(&y0, &y1);
	stretch(&x0, &x1);
	b.y0 += na_slack_line_height(d) * 1.4;
	b.y1 -= na_time_axis_height(&d->l);
	tick = b.y1;
	na_log_axis_init(&d->l, &d->y, NA_Q_RATE, y0, y1, true, tick, b.y0);
	d->strip = b;
	d->strip.x1 = b.x0 + strip_width(d);
	if (d->f.n_none)
		b.x0 = d->strip.x1 + d->l.gap;
	b.x0 += na_log_axis_width(&d->l, &d->y) + d->l.gap;
	b.x1 -= 2 * d->l.gap;
	d->plot = b;
	na_log_axis_init(&d->l, &d->x, NA_Q_SECONDS, x0, x1, true, d->plot.x0,
			 d->plot.x1);
}

static bool touches(const struct na_box *a, const struct na_box *b)
{
	return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

static bool is_free(const struct slack_drawing *d, struct na_box b)
{
	if (b.x0 < d->plot.x0 || b.x1 > d->scatter.x1 || b.y0 < d->plot.y0 ||
	    b.y1 > d->plot.y1)
		return false;
	for (size_t i = 0; i < d->n_placed; i++) {
		if (touches(&d->placed[i], &b))
			return false;
	}
	return true;
}

static void keep_clear(struct slack_drawing *d, struct na_box b)
{
	if (d->n_placed < PLACED_MAX)
		d->placed[d->n_placed++] = b;
}

/* What lies beyond the capacity. */
static void draw_capacity(struct slack_drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->limit);
	double y = na_scale_at(&d->y.scale, d->f.capacity_bps), width;
	double up = na_text_ascent(&font);
	struct na_box all = {d->plot.x0, d->plot.y0, d->plot.x1, y};
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
		break;
	}
	keep_clear(d, (struct na_box){all.x0, y - 1, all.x1, y + 1});
}

/* Of thousands a diamond does: an SVG stays small. */
static void draw_disc(const struct slack_drawing *d, double x, double y,
		      double r, struct na_color color, bool round)
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
static void draw_beyond(const struct slack_drawing *d, double x, double y,
			double r, struct na_color color)
{
	na_draw_area(d->l.canvas,
		     (struct na_point[]){{x, y - 1.2 * r},
					 {x + 1.1 * r, y + 0.8 * r},
					 {x - 1.1 * r, y + 0.8 * r}},
		     3, color);
}

static struct na_point at_of(const struct slack_drawing *d, size_t i)
{
	const struct slack_point *p = &d->f.points[i];

	return (struct na_point){na_scale_at(&d->x.scale, p->slack_s),
				 na_scale_at(&d->y.scale, p->required_bps)};
}

static struct na_color color_of(const struct slack_drawing *d,
				const struct slack_point *p)
{
	return d->l.theme->hue[p->found ? NA_HUE_FINDING : NA_BLUE];
}

/* The one that the title names. */
static void draw_ring(const struct slack_drawing *d, struct na_point at)
{
	enum { CORNERS = 24 };
	double r = 1.7 * radius(d);
	struct na_point p[CORNERS + 1];

	for (int i = 0; i <= CORNERS; i++) {
		double a = 2 * 3.14159265358979 * i / CORNERS;

		p[i] = (struct na_point){at.x + r * cos(a), at.y + r * sin(a)};
	}
	na_draw_polyline(d->l.canvas, p, CORNERS + 1,
			 NA_PEN(&d->l, d->l.theme->text, 1.6));
}

enum { PLACES = 6 };

/* The name of k behind that of i: its key alone where the collective is the
 * same, as in "all-reduce.1, before, after". */
static const char *name_behind(const struct slack_drawing *d, size_t i,
			       size_t k)
{
	const struct slack_point *a = &d->f.points[i], *b = &d->f.points[k];
	const char *key = b->name + b->collective;
	bool same = a->collective == b->collective &&
		    memcmp(a->name, b->name, a->collective) == 0;

	return same && strncmp(key, ", ", 2) == 0 ? key + 2 : b->name;
}

/* Of dots that cover each other: "a, b and 2 more", in one place, and brief
 * "a and 3 more". */
static void names_at(const struct slack_drawing *d, size_t i,
		     struct na_point at, bool told[POINTS_MAX], struct words *w,
		     struct words *brief)
{
	double near = 2 * radius(d);
	size_t more = 0;

	na_words_add(w, "%s", d->f.points[i].name);
	na_words_add(brief, "%s", d->f.points[i].name);
	for (size_t k = i + 1; k < d->f.n && k < POINTS_MAX; k++) {
		struct na_point other = at_of(d, k);

		if (told[k] || !has_place(&d->f.points[k]) ||
		    hypot(other.x - at.x, other.y - at.y) > near)
			continue;
		told[k] = true;
		if (++more < 3)
			na_words_add(w, ", %s", name_behind(d, i, k));
	}
	if (more > 2)
		na_words_add(w, " and %zu more", more - 2);
	if (more)
		na_words_add(brief, " and %zu more", more);
}

/* Right of its point, left, above or below: where it is free; else false. */
static bool put_name(struct slack_drawing *d, size_t i, struct na_point at,
		     const char *name, const struct na_font *font)
{
	double r = radius(d) * (i ? 1 : 1.5); /* a ring */
	double up = na_text_ascent(font), down = na_text_descent(font);
	double width = na_measure(d->l.canvas, name, font);
	const double places[PLACES][2] = {
		{at.x + 1.6 * r, at.y + up / 2},
		{at.x - 1.6 * r - width, at.y + up / 2},
		{at.x - width / 2, at.y - 1.6 * r - down},
		{at.x - width / 2, at.y + 1.6 * r + up},
		{at.x - r, at.y + 1.9 * r + up},
		{at.x - r, at.y + 1.9 * r + 2.4 * up},
	};

	for (size_t k = 0; k < PLACES && *name; k++) {
		double x = places[k][0], y = places[k][1];
		struct na_box b = {x - 1, y - up - 1, x + width + 1,
				   y + down + 1};

		if (!is_free(d, b))
			continue;
		na_draw_text(d->l.canvas, x, y, name, font);
		keep_clear(d, b);
		return true;
	}
	return false;
}

/* In full where that has room, else brief, else shortened. */
static void draw_name(struct slack_drawing *d, size_t i, struct na_point at,
		      const char *words, const char *brief)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	char text[NA_TEXT_MAX];

	font.bold = i == 0;
	if (put_name(d, i, at, words, &font) ||
	    put_name(d, i, at, brief, &font))
		return;
	na_text_fit(d->l.canvas, text, brief, &font,
		    0.45 * (d->plot.x1 - d->plot.x0), NA_CUT_MIDDLE);
	put_name(d, i, at, text, &font);
}

static void draw_points(struct slack_drawing *d)
{
	bool told[POINTS_MAX] = {false};
	size_t n = d->f.n < POINTS_MAX ? d->f.n : POINTS_MAX;

	/* The worst are drawn last, and named first. */
	for (size_t i = n; i-- > 0;) {
		const struct slack_point *p = &d->f.points[i];
		struct na_point at = at_of(d, i);

		if (has_place(p))
			draw_disc(d, at.x, at.y, radius(d),
				  na_fade(color_of(d, p), 0.85), i < ROUND);
	}
	for (size_t i = 0, named = 0; i < n && named < NAMED; i++) {
		struct words w = {.n = 0}, brief = {.n = 0};

		if (!has_place(&d->f.points[i]) || told[i])
			continue;
		if (i == 0)
			draw_ring(d, at_of(d, i));
		names_at(d, i, at_of(d, i), told, &w, &brief);
		draw_name(d, i, at_of(d, i), w.text, brief.text);
		named++;
	}
}

/* Names and words keep off the worst points. */
static void keep_off_points(struct slack_drawing *d)
{
	double r = radius(d);

	for (size_t i = 0; i < d->f.n && d->n_placed < PLACED_MAX / 2; i++) {
		struct na_point at = at_of(d, i);

		if (has_place(&d->f.points[i]))
			keep_clear(d, (struct na_box){at.x - r, at.y - r,
						      at.x + r, at.y + r});
	}
}

/* A triangle, its name and how much slack it has, in a line of the strip. */
static void draw_without(const struct slack_drawing *d, size_t i, double y)
{
	const struct slack_point *p = &d->f.points[i];
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	struct na_font value = na_layout_font(&d->l, NA_SIZE_TEXT,
					      d->l.theme->secondary);
	double r = radius(d), x = d->strip.x0 + 4 * r, end, up;
	char buf[NA_LABEL_BUF], text[NA_TEXT_MAX];

	draw_beyond(d, d->strip.x0 + 2 * r, y, r, color_of(d, p));
	if (i == 0)
		draw_ring(d, (struct na_point){d->strip.x0 + 2 * r, y});
	up = na_text_ascent(&font) / 2;
	slack_of(p, buf);
	end = d->strip.x1 - d->l.gap - na_measure(d->l.canvas, buf, &value);
	value.align = NA_RIGHT;
	na_draw_text(d->l.canvas, d->strip.x1 - d->l.gap / 2, y + up, buf,
		     &value);
	font.bold = i == 0;
	na_text_fit(d->l.canvas, text, p->name, &font, end - x, NA_CUT_MIDDLE);
	na_draw_text(d->l.canvas, x, y + up, text, &font);
}

/* Those that no axis reaches: their height there means nothing. */
static void draw_strip(const struct slack_drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	double line = na_slack_line_height(d), y = d->strip.y0 + line / 2;
	size_t rows = strip_rows(d), k = 0;
	char text[NA_TEXT_MAX], more[NA_LABEL_BUF];

	if (!d->f.n_none)
		return;
	na_draw_rect(d->l.canvas, d->strip,
		     na_mix(d->l.theme->background,
			    d->l.theme->hue[NA_HUE_FINDING], 0.12));
	for (size_t i = 0; i < d->f.n && k < rows; i++) {
		if (!d->f.points[i].none)
			continue;
		draw_without(d, i, y + line * (double)k);
		k++;
	}
	snprintf(more, sizeof(more), "and %zu more", d->f.n_none - rows);
	if (d->f.n_none > rows)
		na_draw_text(d->l.canvas, d->strip.x0 + 4 * radius(d),
			     y + line * (double)k + na_text_ascent(&font) / 2,
			     more, &font);
	na_text_fit(d->l.canvas, text, strip_name, &font,
		    d->strip.x1 - d->strip.x0, NA_CUT_END);
	na_draw_text(d->l.canvas, d->strip.x0,
		     d->strip.y1 + 0.5 * d->l.gap + font.size, text, &font);
}

void na_slack_draw_scatter(struct slack_drawing *d)
{
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_row row = na_slack_header(d, d->scatter);

	name.bold = true;
	na_row_put(&d->l, &row, "Bandwidth that a host needs, by slack", &name);
	place_axes(d);
	draw_strip(d);
	na_log_axis_draw_y(&d->l, &d->y, d->plot);
	na_log_axis_draw_x(&d->l, &d->x, d->plot, "mean slack");
	keep_off_points(d);
	draw_capacity(d);
	draw_points(d);
}
