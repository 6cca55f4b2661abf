#include "plot/figures/timeline/each.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/figures/timeline/each_data.h"
#include "plot/trace.h"

#define FILL_SHARE   0.35
#define BAND_SHARE   0.35
#define MEDIAN_SHARE 0.4

/* Of all panels together: an SVG stays below 1 MiB. */
#define COLUMNS_ALL 2000.0

enum { HALF_TICKS = 2 }; /* above zero, and as many below */

struct drawing {
	struct na_layout *l;
	struct each e;
	struct na_scale x[3]; /* by column */
	struct na_box body;   /* of all panels, with what stands around them */
	size_t panels, columns, rows;
	double header, left, gap; /* heights and widths */
	struct na_axis_unit unit;
	struct na_ticks ticks;
	int digits;
	double top_bps;
};

static struct na_font small_font(const struct na_layout *l,
				 struct na_color color)
{
	return na_layout_font(l, NA_SIZE_SMALL + 1, color);
}

static const char *tick_label(const struct drawing *d, char *buf, size_t i)
{
	return na_label_fixed(buf, d->ticks.at[i] / d->unit.factor, d->digits);
}

/* As few columns as leave each panel a height worth looking at. */
static bool place_grid(struct drawing *d)
{
	struct na_font font = small_font(d->l, d->l->theme->secondary);
	double height, least = 5.5 * font.size, width;
	char label[NA_LABEL_BUF];

	d->panels = d->e.shown + (d->e.rest[RX] != NULL);
	d->body = d->l->body;
	d->body.y1 -= na_time_axis_height(d->l);
	d->header = 1.9 * font.size;
	d->gap = 3 * d->l->gap;
	height = d->body.y1 - d->body.y0;
	d->columns = d->panels <= 3 ? 1 : d->panels <= 8 ? 2 : 3;
	d->rows = (d->panels + d->columns - 1) / d->columns;
	/* A small page has room for the first ones. */
	while (d->rows > 1 && height / (double)d->rows < least)
		d->rows--;
	d->left = na_measure(d->l->canvas, d->unit.name, &font);
	for (size_t i = 0; i < d->ticks.n; i++)
		d->left = fmax(d->left,
			       na_measure(d->l->canvas, tick_label(d, label, i),
					  &font));
	d->left += d->l->gap;
	width = d->body.x1 - d->body.x0 - d->left;
	while (d->columns > 1 && width / (double)d->columns < 9 * font.size)
		d->columns--;
	if (d->panels > d->columns * d->rows)
		d->panels = d->columns * d->rows;
	return height / (double)d->rows >= least && width > 9 * font.size;
}

static void place_scales(struct drawing *d)
{
	double capacity = d->e.t->host_capacity_gbps;

	d->top_bps = d->e.top_gbps * NA_GIGA;
	if (d->e.by_host && capacity <= 3 * d->e.top_gbps)
		d->top_bps = fmax(d->top_bps, capacity * NA_GIGA);
	d->top_bps = fmax(d->top_bps, 1) * 1.04;
	d->unit = na_unit_for(NA_Q_RATE, d->top_bps);
	na_ticks_from_zero(&d->ticks, d->top_bps, HALF_TICKS, d->unit.factor);
	d->digits = na_label_digits(d->ticks.step, d->unit.factor);
}

static struct na_box panel_box(const struct drawing *d, size_t i)
{
	double width = d->body.x1 - d->body.x0 - d->left;
	double height = (d->body.y1 - d->body.y0) / (double)d->rows;
	double each = (width - d->gap * (double)(d->columns - 1)) /
		      (double)d->columns;
	double x = d->body.x0 + d->left +
		   (each + d->gap) * (double)(i / d->rows);
	double y = d->body.y0 + height * (double)(i % d->rows);

	return (struct na_box){x, y + d->header, x + each,
			       y + height - 0.6 * d->l->gap};
}

/* RX up, TX down; from the middle where both were recorded. */
static double zero_y(const struct drawing *d, struct na_box box)
{
	return !d->e.has[TX]   ? box.y1
	       : !d->e.has[RX] ? box.y0
			       : (box.y0 + box.y1) / 2;
}

static struct na_scale half_scale(const struct drawing *d, struct na_box box,
				  enum side side)
{
	return (struct na_scale){.from = 0,
				 .to = d->top_bps / NA_GIGA,
				 .at_from = zero_y(d, box),
				 .at_to = side == RX ? box.y0 : box.y1};
}

static void draw_grid(const struct drawing *d, struct na_box box, bool labels)
{
	struct na_font font = small_font(d->l, d->l->theme->secondary);
	char label[NA_LABEL_BUF];

	font.align = NA_RIGHT;
	for (enum side side = RX; side <= TX; side++) {
		struct na_scale y = half_scale(d, box, side);

		for (size_t i = 0; i < d->ticks.n; i++) {
			double at = na_scale_at(&y, d->ticks.at[i] / NA_GIGA);
			bool zero = !(d->ticks.at[i] > 0);

			if (!d->e.has[side] || (zero && side && d->e.has[RX]))
				continue;
			na_draw_line(d->l->canvas, box.x0, at, box.x1, at,
				     NA_PEN(d->l,
					    zero ? d->l->theme->axis
						 : d->l->theme->grid,
					    1));
			if (labels)
				na_draw_text(d->l->canvas, box.x0 - d->l->gap,
					     at + 0.5 * na_text_ascent(&font),
					     tick_label(d, label, i), &font);
		}
	}
	if (labels)
		na_draw_text(d->l->canvas, box.x0 - d->l->gap,
			     box.y0 - 0.35 * d->header, d->unit.name, &font);
}

enum { SATURATED_MAX = 100 }; /* columns of a panel; bounds an SVG */

/* The share of each column in which a side of the host is full. */
static void saturated_columns(const struct timeline *t, const char *host,
			      enum side side, double *columns, size_t n)
{
	double width = (t->to_s - t->from_s) / (double)n;

	na_for_each (v, na_get(t->body, M_saturated)) {
		bool tx = strcmp(na_text_at(v, M_side), "tx") == 0;
		double from = (na_number_at(v, M_from_s) - t->from_s) / width;
		double to = (na_number_at(v, M_to_s) - t->from_s) / width;

		if (tx != (side == TX) ||
		    strcmp(na_text_at(v, M_host), host) != 0)
			continue;
		from = fmax(from, 0);
		to = fmin(to, (double)n);
		for (size_t i = (size_t)from; from < to && i < n; i++) {
			double part = fmin(to, (double)i + 1) -
				      fmax(from, (double)i);

			if (part <= 0)
				break;
			columns[i] += part;
		}
	}
}

/* Paler where it is full for less than half of a column. */
static void draw_saturated(const struct drawing *d, struct na_box box,
			   const char *host)
{
	double each = (box.x1 - box.x0) / SATURATED_MAX;
	double middle = zero_y(d, box);

	for (enum side side = RX; side <= TX; side++) {
		double columns[SATURATED_MAX] = {0};

		saturated_columns(d->e.t, host, side, columns, SATURATED_MAX);
		for (size_t i = 0, to; i < SATURATED_MAX; i = to) {
			bool half = columns[i] >= 0.5;
			struct na_box b = {box.x0 + each * (double)i,
					   side == TX ? middle : box.y0, 0,
					   side == TX ? box.y1 : middle};

			to = i + 1;
			if (!(columns[i] > 0))
				continue;
			while (to < SATURATED_MAX && columns[to] > 0 &&
			       (columns[to] >= 0.5) == half)
				to++;
			b.x1 = box.x0 + each * (double)to;
			na_draw_rect(d->l->canvas, b,
				     na_mix(d->l->theme->background,
					    d->l->theme->hue[NA_HUE_FINDING],
					    half ? 0.2 : 0.09));
		}
	}
}

/* The course of one side, before that of the median one in grey. */
static bool draw_half(const struct drawing *d, struct na_box box,
		      enum side side, const double *rate, const double *median)
{
	struct na_color color =
		d->l->theme->hue[side == RX ? NA_HUE_RX : NA_HUE_TX];
	struct na_scale y = half_scale(d, box, side);
	struct na_trace trace;

	if (!rate || !d->e.has[side])
		return true;
	if (!na_trace_init_most(&trace, rate, d->e.t->n, box.x0, box.x1,
				COLUMNS_ALL / (double)d->panels))
		return false;
	if (median) {
		na_trace_load(&trace, median, d->e.t->n);
		na_trace_fill(d->l->canvas, &trace, &y,
			      na_mix(d->l->theme->background,
				     d->l->theme->secondary, MEDIAN_SHARE));
		na_trace_load(&trace, rate, d->e.t->n);
	}
	if (!trace.steps)
		na_trace_band(d->l->canvas, &trace, &y,
			      na_fade(color, BAND_SHARE));
	if (!median)
		na_trace_fill(d->l->canvas, &trace, &y,
			      na_fade(color, FILL_SHARE));
	na_trace_line(d->l->canvas, &trace, &y, NA_HAIRLINE(d->l, color));
	na_trace_fini(&trace);
	return true;
}

/* That of a host holds for nothing else, and may lie far above all data. */
static bool shows_capacity(const struct drawing *d)
{
	return d->e.by_host &&
	       d->e.t->host_capacity_gbps * NA_GIGA <= d->top_bps;
}

static void draw_capacity(const struct drawing *d, struct na_box box)
{
	double capacity = d->e.t->host_capacity_gbps;

	if (!shows_capacity(d))
		return;
	for (enum side side = RX; side <= TX; side++) {
		struct na_scale y = half_scale(d, box, side);
		double at = na_scale_at(&y, capacity);

		if (!d->e.has[side])
			continue;

		na_draw_line(d->l->canvas, box.x0, at, box.x1, at,
			     &(struct na_pen){.color = d->l->theme->limit,
					      .width = fmax(d->l->unit, 0.8),
					      .dash = NA_DASHED});
	}
}

static void draw_name(const struct drawing *d, struct na_box box,
		      const char *name, const char *words, bool found)
{
	struct na_font font = small_font(d->l, d->l->theme->text);
	struct na_row row = {.x = box.x0,
			     .end = box.x1,
			     .y = box.y0 - 0.35 * d->header};

	font.bold = true;
	if (found)
		font.color = d->l->theme->hue[NA_HUE_FINDING];
	na_row_put(d->l, &row, name, &font);
	font.bold = false;
	if (!found)
		font.color = d->l->theme->secondary;
	if (*words)
		na_row_put(d->l, &row, words, &font);
}

static bool draw_one(const struct drawing *d, size_t i)
{
	const struct each *e = &d->e;
	const struct each_row *row = i < e->shown ? &e->rows[i] : NULL;
	struct na_box box = panel_box(d, i);
	struct words name = {.n = 0}, words = {.n = 0};
	bool ok = true;

	if (row) {
		na_words_add(&name, "%s", row->name);
		na_timeline_each_words(e, row, &words);
		draw_saturated(d, box, row->name);
	} else {
		na_words_add(&name, "median of the other %zu %ss",
			     e->n - e->shown, e->one);
	}
	draw_grid(d, box, i < d->rows);
	for (enum side side = RX; ok && side <= TX; side++)
		ok = draw_half(d, box, side,
			       row ? na_timeline_each_rate(e, row, side)
				   : e->rest[side],
			       row && e->n > 2 ? e->median[side] : NULL);
	draw_capacity(d, box);
	draw_name(d, box, name.text, words.text,
		  row && words.n && na_timeline_each_suspect(row));
	return ok;
}

/* Below each column, whose last panel is the lowest; labels keep within. */
static void draw_axes(const struct drawing *d)
{
	const struct timeline *t = d->e.t;

	for (size_t k = 0; k < d->columns; k++) {
		struct na_box box = panel_box(d, k * d->rows);
		struct na_scale x = {t->from_s, t->to_s, box.x0, box.x1, false};
		struct na_layout own = *d->l;

		own.body.x0 = box.x0 - 0.5 * d->l->gap;
		own.body.x1 = box.x1 + 0.5 * d->l->gap;
		if (k * d->rows < d->panels)
			na_time_axis(&own, &x,
				     panel_box(d, k * d->rows + d->rows - 1).y1,
				     "time from the origin");
	}
}

static void each_footnote(const struct drawing *d)
{
	const struct each *e = &d->e;
	struct words w = {.n = 0};
	char a[NA_LABEL_BUF];

	na_words_add(&w, "%s%s%s", e->has[RX] ? "blue, up: received" : "",
		     e->has[RX] && e->has[TX] ? "; " : "",
		     e->has[TX] ? "vermilion, down: sent" : "");
	if (shows_capacity(d))
		na_words_add(&w, "; dashed: capacity");
	else if (e->by_host && isfinite(e->t->host_capacity_gbps))
		na_words_add(&w, "; capacity lies above all panels");
	if (e->n > 2)
		na_words_add(&w, "; grey: the median %s", e->one);
	na_words_add(&w, "; bin %s",
		     na_label_quantity(a, NA_Q_SECONDS, e->t->bin_s, 3));
	if (e->n > 2)
		na_words_add(&w,
			     "; first those %swho differ most in time or "
			     "bytes",
			     isnan(e->t->host_capacity_gbps)
				     ? ""
				     : "at capacity, then those ");
	if (d->panels < e->shown + (e->rest[RX] != NULL))
		na_words_add(&w, "; a larger picture shows more of them");
	if (e->more)
		na_words_add(&w, "; --top left others out");
	na_layout_footnote(d->l, w.text);
}

enum na_status na_timeline_draw_each(struct na_layout *l,
				     const struct timeline *t,
				     const struct na_page *page,
				     struct na_err *err)
{
	struct drawing d = {.l = l};
	enum na_status st = na_timeline_read_each(&d.e, t, err);

	l->axis = NULL; /* several: nothing to point at */
	if (st == NA_OK) {
		place_scales(&d);
		if (!place_grid(&d))
			st = na_no_room(page, err);
	}
	for (size_t i = 0; st == NA_OK && i < d.panels; i++) {
		if (!draw_one(&d, i))
			st = na_fail_nomem(err);
	}
	if (st == NA_OK) {
		draw_axes(&d);
		each_footnote(&d);
	}
	na_timeline_free_each(&d.e);
	return st;
}
