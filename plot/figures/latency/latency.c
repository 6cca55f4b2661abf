/*
 * Survival curves on logarithmic axes: which share of the transfers takes at
 * least so long, with the intervals of the quantiles, and the percentiles in
 * a table beside them.  How long is the tail, and whose is it?
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/latency/data.h"
#include "plot/figures/latency/table.h"
#include "plot/layout.h"
#include "plot/log_axis.h"

#define BAND_SHARE 0.2
#define US         1e-6
#define SHARE_MOST 0.4 /* at the foot of the axis: one transfer is 100 % */

enum { DOTS = 60 }; /* curves of no more points show each */

struct drawing {
	struct na_layout l;
	struct latency t;
	const struct na_page *page;
	struct na_log_axis x, y;
	struct na_box plot, table; /* table: x0 == x1: none */
	struct na_row header;
	struct na_point *points;
	size_t cap;
};

static double at_x(const struct drawing *d, double us)
{
	return na_scale_at(&d->x.scale, us * US);
}

static double at_y(const struct drawing *d, double share)
{
	return na_scale_at(&d->y.scale, share);
}

static bool drawable(const struct latency_group *g, size_t i)
{
	return g->curve_us[i] > 0 && g->share[i] > 0 &&
	       isfinite(g->curve_us[i]) && isfinite(g->share[i]);
}

/* Between two latencies as many are as slow as the next one. */
static size_t curve_points(struct drawing *d, const struct latency_group *g)
{
	double last_y = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		double x, y;

		if (!drawable(g, i))
			continue;
		x = at_x(d, g->curve_us[i]);
		y = at_y(d, g->share[i]);
		if (n)
			d->points[n++] = (struct na_point){x, last_y};
		d->points[n++] = (struct na_point){x, y};
		last_y = y;
	}
	/* All transfers take at least nothing. */
	if (n)
		d->points[n++] = (struct na_point){d->plot.x0, last_y};
	return n;
}

static void draw_dots(const struct drawing *d, const struct latency_group *g,
		      struct na_color color)
{
	double r = fmax(2.2 * d->l.unit, 1.5);

	for (size_t i = 0; g->n <= DOTS && i < g->n; i++) {
		double x, y;

		if (!drawable(g, i))
			continue;
		x = at_x(d, g->curve_us[i]);
		y = at_y(d, g->share[i]);
		na_draw_rect(d->l.canvas,
			     (struct na_box){x - r, y - r, x + r, y + r},
			     color);
	}
}

/* One side of a band, in steps as the curve's, from the smallest share to
 * the largest; returns how many points. */
static size_t band_side(const struct drawing *d, const struct latency_group *g,
			const double *ends, struct na_point *p)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		double x, y;

		if (!drawable(g, i) || !(g->lower_us[i] > 0) ||
		    !(g->upper_us[i] > 0))
			continue;
		x = at_x(d, ends[i]);
		y = at_y(d, g->share[i]);
		if (n) {
			p[n] = (struct na_point){x, p[n - 1].y};
			n++;
		}
		p[n++] = (struct na_point){x, y};
	}
	return n;
}

/* Between the interval's ends, where both are known: up one side, down the
 * other. */
static void draw_band(struct drawing *d, const struct latency_group *g,
		      struct na_color color)
{
	size_t n;

	if (!g->lower_us || !g->upper_us)
		return;
	n = band_side(d, g, g->upper_us, d->points);
	band_side(d, g, g->lower_us, d->points + n);
	for (size_t a = n, b = 2 * n; a + 1 < b; a++) {
		struct na_point p = d->points[--b];

		d->points[b] = d->points[a];
		d->points[a] = p;
	}
	if (n > 2)
		na_draw_area(d->l.canvas, d->points, 2 * n,
			     na_fade(color, BAND_SHARE));
}

static bool make_room(struct drawing *d, const struct latency_group *g)
{
	return na_grow(&d->points, &d->cap, 4 * g->n + 4, sizeof(*d->points));
}

static bool draw_curve(struct drawing *d, const struct latency_group *g,
		       struct na_pen pen)
{
	if (!make_room(d, g))
		return false;
	na_draw_polyline(d->l.canvas, d->points, curve_points(d, g), &pen);
	draw_dots(d, g, pen.color);
	return true;
}

/* Others below, then bands, then the curves, the first one on top. */
static enum na_status draw_curves(struct drawing *d, struct na_err *err)
{
	struct na_pen grey = na_latency_pen(&d->l, &d->t, SIZE_MAX);
	const struct na_value *v = d->t.others;
	bool ok = true;

	grey.color = na_fade(grey.color, 0.45);
	na_clip(d->l.canvas, d->plot);
	for (size_t i = 0; ok && i < na_latency_grey(&d->t); i++, v = v->next) {
		struct latency_group g;

		na_latency_group(&g, v);
		ok = draw_curve(d, &g, grey);
	}
	for (size_t i = d->t.n_top; ok && i-- > 0;) {
		struct na_pen pen = na_latency_pen(&d->l, &d->t, i);

		ok = make_room(d, &d->t.top[i]);
		if (ok)
			draw_band(d, &d->t.top[i], pen.color);
	}
	for (size_t i = d->t.n_top; ok && i-- > 0;)
		ok = draw_curve(d, &d->t.top[i],
				na_latency_pen(&d->l, &d->t, i));
	na_unclip(d->l.canvas);
	return ok ? NA_OK : na_fail_nomem(err);
}

/* p50 and p99 across the plot, named at its left end, where tails are not. */
static void draw_marks(const struct drawing *d)
{
	static const struct {
		double share;
		const char *name;
		enum na_dash dash;
	} marks[] = {{0.5, "p50", NA_SOLID},
		     {0.01, "p99", NA_DASHED},
		     {0.0001, "p99.99", NA_DOTTED}};
	struct na_font font = na_layout_font(&d->l, NA_SIZE_SMALL,
					     d->l.theme->secondary);
	double free = d->plot.y0;

	for (size_t i = 0; i < NA_LEN(marks); i++) {
		double y = at_y(d, marks[i].share), top;

		top = y - 0.3 * font.size - na_text_ascent(&font);
		if (top < free || y > d->plot.y1)
			continue;
		na_draw_line(d->l.canvas, d->plot.x0, y, d->plot.x1, y,
			     &(struct na_pen){.color = d->l.theme->axis,
					      .width = fmax(0.8 * d->l.unit,
							    0.8),
					      .dash = marks[i].dash});
		na_draw_text(d->l.canvas, d->plot.x0 + 0.5 * d->l.gap,
			     y - 0.3 * font.size, marks[i].name, &font);
		free = y + na_text_descent(&font);
	}
}

/* Plot and table side by side; a page without room for both has no table. */
static enum na_status place_latency(struct drawing *d, struct na_err *err)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	struct na_box box = d->l.body;
	double width = na_latency_table_width(&d->l, &d->t,
					      0.46 * (box.x1 - box.x0));

	d->table = (struct na_box){box.x1 - width, box.y0, box.x1, box.y1};
	box.y0 += 1.75 * font.size;
	box.y1 -= na_time_axis_height(&d->l);
	if (width > 0)
		box.x1 -= width + 3 * d->l.gap;
	if (box.y1 - box.y0 < 3 * font.size || box.x1 - box.x0 < 12 * font.size)
		return na_no_room(d->page, err);
	na_log_axis_init(&d->l, &d->y, NA_Q_COUNT,
			 fmin(d->t.least_share, SHARE_MOST), 1, false, box.y1,
			 box.y0);
	box.x0 += na_log_axis_width(&d->l, &d->y) + d->l.gap;
	na_log_axis_init(&d->l, &d->x, NA_Q_SECONDS, d->t.from_us * US,
			 d->t.to_us * US, true, box.x0, box.x1);
	d->plot = box;
	d->header = (struct na_row){.x = d->l.body.x0,
				    .end = box.x1,
				    .y = box.y0 - 0.8 * font.size};
	return NA_OK;
}

static void draw_empty(const struct drawing *d)
{
	struct na_box plot = d->l.body;

	na_empty_plot(&d->l, plot, d->t.empty);
}

/* The picture in words. */
static void describe_latency(const struct drawing *d, struct na_canvas *c,
			     const char *title, const char *subtitle)
{
	struct words w = {.n = 0};

	na_words_add(&w, "%s", subtitle);
	for (size_t i = 0; i < d->t.n_top && !d->t.empty; i++) {
		const struct latency_group *g = &d->t.top[i];
		char p50[NA_LABEL_BUF], p99[NA_LABEL_BUF], max[NA_LABEL_BUF];

		na_words_add(&w, ". %s%sp50 %s, p99 %s, max %s", g->name,
			     *g->name ? ": " : "",
			     na_latency_text(p50, g->us[MARK_P50]),
			     na_latency_text(p99, g->us[MARK_P99]),
			     na_latency_text(max, g->us[MARK_MAX]));
	}
	if (d->t.empty)
		na_words_add(&w, ". %s", d->t.empty);
	na_canvas_describe(c, title, w.text);
}

static void latency_footnote(struct drawing *d)
{
	bool few = false, band = false;
	struct words w = {.n = 0};

	for (size_t i = 0; i < d->t.n_top; i++) {
		const struct latency_group *g = &d->t.top[i];

		for (size_t m = 0; m < MARKS; m++)
			few = few || (g->few[m] && m != MARK_P99_99);
		band = band || g->n > 4;
	}
	if (band)
		na_words_add(&w, "band: 95 %% interval of the quantile, if "
				 "transfers were independent");
	if (few)
		na_words_add(&w, "%s(in brackets): too few transfers for it",
			     w.n ? "; " : "");
	if (w.n)
		na_layout_footnote(&d->l, w.text);
}

static enum na_status draw_latency(struct drawing *d, struct na_canvas *c,
				   struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0};
	const char *title = d->page->title;
	struct na_font name;
	enum na_status status;

	na_latency_title(&d->t, &own);
	na_latency_subtitle(&d->t, &subtitle);
	title = title ? title : own.text;
	na_layout_begin(&d->l, c, &na_fig_latency, d->page, title,
			subtitle.text);
	describe_latency(d, c, title, subtitle.text);
	if (d->t.empty) {
		draw_empty(d);
		return NA_OK;
	}
	status = place_latency(d, err);
	if (status < 0)
		return status;
	name = na_layout_font(&d->l, NA_SIZE_NAME, d->l.theme->text);
	name.bold = true;
	na_row_put(&d->l, &d->header, "Share that takes at least so long",
		   &name);
	na_log_axis_draw_y(&d->l, &d->y, d->plot);
	draw_marks(d);
	status = draw_curves(d, err);
	if (status < 0)
		return status;
	na_log_axis_draw_x(&d->l, &d->x, d->plot, "latency");
	if (d->table.x1 > d->table.x0)
		na_latency_table(&d->l, &d->t, d->table);
	latency_footnote(d);
	return NA_OK;
}

static enum na_status latency_draw(struct na_canvas *c,
				   const struct na_result *r,
				   const struct na_page *page,
				   struct na_err *err)
{
	struct drawing d = {.page = page};
	enum na_status status;

	na_latency_read(&d.t, r);
	status = draw_latency(&d, c, err);
	free(d.points);
	return status;
}

const struct na_figure na_fig_latency = {
	.name = "latency",
	.width = 1200,
	.height = 675,
	.draw = latency_draw,
};
