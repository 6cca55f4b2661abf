/*
 * How many transfers there are of each size, and how many bytes they carry:
 * two panels over one size axis, a bar for each size, or for each power of
 * two where sizes are many; groups or runs side by side.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/sizes_data.h"
#include "plot/layout.h"
#include "plot/scale.h"

#define LEAST_RANGE 4 /* powers of two */

struct drawing {
	struct na_layout l;
	struct size_figure f;
	struct na_panel panels[AMOUNTS];
	struct na_scale x; /* as na_sizes_place() */
	double legend_width;
};

static struct na_color series_color(const struct drawing *d, size_t i)
{
	bool rest = d->f.has_rest && i + 1 == d->f.n_series;

	return d->l.theme->hue[rest ? NA_HUE_REST : (enum na_hue)i];
}

/* Small transfers are the finding where they are the verdict, and it tells
 * something. */
static struct na_color small_color(const struct drawing *d)
{
	const char *verdict = na_text_at(d->f.body, M_verdict);
	bool found = strcmp(verdict, "many_small") == 0 &&
		     !na_result_get_word(d->f.result, NA_WORD_DOUBT, NULL);

	return d->l.theme->hue[found ? NA_HUE_FINDING : NA_ORANGE];
}

/* What a bar stands for: amounts, of runs the share in percent. */
static double height_of(const struct drawing *d, size_t i, enum amount a,
			double value)
{
	double total = d->f.series[i].total[a];

	if (!d->f.runs_apart)
		return value;
	return total > 0 ? 100 * value / total : 0;
}

static double tallest(const struct drawing *d, enum amount a)
{
	double max = 0;

	for (size_t i = 0; i < d->f.n_series; i++) {
		for (size_t k = 0; k < d->f.n_slots; k++)
			max = fmax(max,
				   height_of(d, i, a, d->f.series[i].of[a][k]));
	}
	return max;
}

static void ask_panels(struct drawing *d)
{
	for (enum amount a = COUNT; a < AMOUNTS; a++) {
		d->panels[a] = (struct na_panel){
			.weight = 1,
			.quantity = a == COUNT || d->f.runs_apart ? NA_Q_COUNT
								  : NA_Q_BYTES,
			.max = tallest(d, a),
			.label_above = true,
		};
	}
}

/* What is shown: all bars, and never so little that a bar fills the page. */
static void choose_range(struct drawing *d)
{
	const struct size_slot *slots = d->f.slots;
	double from = 0, to = 0;

	if (d->f.n_slots) {
		from = floor(slots[0].from);
		to = ceil(slots[d->f.n_slots - 1].to);
	}
	while (to - from < LEAST_RANGE) {
		to = fmin(to + 1, SIZE_SLOTS);
		from = fmax(from - 1, 0);
	}
	d->x.from = from;
	d->x.to = to;
}

static enum na_status place_sizes(struct drawing *d, const struct na_page *page,
				  struct na_err *err)
{
	double right = d->legend_width > 0 ? d->legend_width + 2 * d->l.gap : 0;
	struct na_box box = d->l.body;

	ask_panels(d);
	choose_range(d);
	box.y1 -= na_time_axis_height(&d->l);
	if (!na_panels_place(&d->l, box, d->panels, AMOUNTS, right))
		return na_no_room(page, err);
	d->x.at_from = d->panels[0].plot.x0;
	d->x.at_to = d->panels[0].plot.x1;
	return NA_OK;
}

/* The room of a series within a slot. */
static struct na_box bar_of(const struct drawing *d, const struct na_panel *p,
			    size_t i, size_t k)
{
	double from = na_scale_at(&d->x, d->f.slots[k].from);
	double to = na_scale_at(&d->x, d->f.slots[k].to);
	double width = (to - from) / (double)d->f.n_series;

	return (struct na_box){from + width * (double)i, p->plot.y0,
			       from + width * (double)(i + 1), p->plot.y1};
}

static void draw_bar(const struct drawing *d, enum amount a, size_t i, size_t k)
{
	const struct na_panel *p = &d->panels[a];
	const struct size_series *s = &d->f.series[i];
	struct na_box all = bar_of(d, p, i, k), small = all;
	struct na_color color = series_color(d, i);

	if (!(s->of[a][k] > 0))
		return;
	all.y0 = na_scale_at(&p->y, height_of(d, i, a, s->of[a][k]));
	small.y0 = na_scale_at(&p->y, height_of(d, i, a, s->small[a][k]));
	if (d->f.grouped) {
		na_draw_rect(d->l.canvas, all, color);
		/* Colour alone must not tell neighbours apart. */
		if (i % 2)
			na_draw_hatch(d->l.canvas, all, 5 * d->l.unit,
				      &(struct na_pen){
					      .color = d->l.theme->background,
					      .width = d->l.unit});
		return;
	}
	all.y1 = small.y0;
	if (all.y1 > all.y0)
		na_draw_rect(d->l.canvas, all, color);
	if (s->small[a][k] > 0)
		na_draw_rect(d->l.canvas, small, small_color(d));
}

/* A vertical line with words beside its top end. */
static void draw_upright(const struct drawing *d, const struct na_panel *p,
			 double x, const char *words)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->limit);
	double width = na_measure(d->l.canvas, words, &font);
	double y = p->plot.y0 + na_text_ascent(&font);
	double left = x + d->l.gap / 2;
	char text[NA_TEXT_MAX];

	na_draw_line(d->l.canvas, x, p->plot.y0, x, p->plot.y1,
		     &(struct na_pen){.color = d->l.theme->limit,
				      .width = 1.5 * fmax(d->l.unit, 0.8),
				      .dash = NA_DASHED});
	if (left + width > p->plot.x1 && x - d->l.gap / 2 - width > p->plot.x0)
		left = x - d->l.gap / 2 - width;
	na_text_fit(d->l.canvas, text, words, &font, p->plot.x1 - left,
		    NA_CUT_END);
	na_draw_text(d->l.canvas, left, y, text, &font);
}

/* Of single sizes, the bar of one that is just small stands at its left. */
static double limit_place(const struct drawing *d)
{
	double at = na_sizes_place(d->f.small_bytes);

	for (size_t k = 0; d->f.single_sizes && k < d->f.n_slots; k++) {
		if ((double)d->f.slots[k].first <= d->f.small_bytes)
			at = fmax(at, d->f.slots[k].to + 0.05);
	}
	return at;
}

static void draw_limit(const struct drawing *d)
{
	char words[NA_LABEL_BUF + 32], size[NA_LABEL_BUF];
	double at = limit_place(d), x = na_scale_at(&d->x, at);

	if (at < d->x.from || at > d->x.to)
		return;
	na_label_quantity(size, NA_Q_BYTES, d->f.small_bytes, 4);
	snprintf(words, sizeof(words), "small: up to %s", size);
	draw_upright(d, &d->panels[COUNT], x, words);
	draw_upright(d, &d->panels[BYTES], x, "");
}

/* A mark above the bar in which half of a series' bytes are reached. */
static void draw_half(const struct drawing *d)
{
	const struct na_panel *p = &d->panels[BYTES];
	double r = fmax(4 * d->l.unit, 2.5);

	for (size_t i = 0; i < d->f.n_series; i++) {
		const struct size_series *s = &d->f.series[i];
		size_t k = s->half_at;
		struct na_box bar;
		double x, y;

		if (!(s->half >= 0) || k >= d->f.n_slots)
			continue;
		bar = bar_of(d, p, i, k);
		x = (bar.x0 + bar.x1) / 2;
		y = na_scale_at(&p->y, height_of(d, i, BYTES, s->of[BYTES][k]));
		y -= 2 * d->l.unit;
		na_draw_area(d->l.canvas,
			     (struct na_point[]){{x, y},
						 {x - r, y - 1.6 * r},
						 {x + r, y - 1.6 * r}},
			     3, d->l.theme->text);
	}
}

static void put_small_share(const struct drawing *d, struct na_row *row,
			    enum amount a)
{
	static const char *const names[] = {M_small_count_share,
					    M_small_bytes_share};
	double share = na_number_at(d->f.total, names[a]);
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     small_color(d));
	char number[NA_LABEL_BUF], size[NA_LABEL_BUF];
	struct words w = {.n = 0};

	if (!isfinite(share) || d->f.runs_apart)
		return;
	font.bold = true;
	if (d->f.grouped)
		font.color = d->l.theme->secondary;
	na_words_add(&w, "small (up to %s): %s %%",
		     na_label_quantity(size, NA_Q_BYTES, d->f.small_bytes, 4),
		     na_label_short(number, 100 * share, 3));
	na_row_put(&d->l, row, w.text, &font);
}

static void draw_header(const struct drawing *d, enum amount a)
{
	static const char *const names[2][2] = {
		{"Transfers by size", "Bytes by size of their transfer"},
		{"Transfers by size, % of each run",
		 "Bytes by size of their transfer, % of each run"}};
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_font plain = na_layout_font(&d->l, NA_SIZE_TEXT,
					      d->l.theme->secondary);
	double half = na_number_at(d->f.total, M_half_bytes_size);
	struct na_row row = d->panels[a].header;
	char number[NA_LABEL_BUF];
	struct words w = {.n = 0};

	name.bold = true;
	na_row_put(&d->l, &row, names[d->f.runs_apart][a], &name);
	if (d->f.empty)
		return;
	put_small_share(d, &row, a);
	if (a == COUNT || d->f.runs_apart || !isfinite(half))
		return;
	na_words_add(&w, "half of all bytes: in sizes of %s or more",
		     na_label_quantity(number, NA_Q_BYTES, half, 4));
	na_row_put(&d->l, &row, w.text, &plain);
}

static void draw_panels(const struct drawing *d)
{
	for (enum amount a = COUNT; a < AMOUNTS; a++) {
		draw_header(d, a);
		if (d->f.empty) {
			na_sentence(&d->l, d->panels[a].plot,
				    a == COUNT ? d->f.empty : "");
			continue;
		}
		na_panel_draw(&d->l, &d->panels[a]);
		for (size_t i = 0; i < d->f.n_series; i++) {
			for (size_t k = 0; k < d->f.n_slots; k++)
				draw_bar(d, a, i, k);
		}
	}
	if (d->f.empty)
		return;
	draw_limit(d);
	draw_half(d);
}

/* "64 KiB" at the left border of a class; "0 B" in the middle of its own. */
static double tick_of(const struct drawing *d, unsigned k, char *label)
{
	na_label_quantity(label, NA_Q_BYTES, k ? ldexp(1, (int)k - 1) : 0, 4);
	if (!k)
		strcpy(label, "0 B");
	return na_scale_at(&d->x, k ? (double)k : 0.5);
}

/* Every 1, 2, 5 or 10 classes, so that labels have room; of 1 KiB, 1 MiB,
 * ... on, where they are sparse. */
static unsigned tick_step(const struct drawing *d, const struct na_font *font)
{
	static const unsigned steps[] = {1, 2, 5, 10};
	double class = na_scale_at(&d->x, 1) - na_scale_at(&d->x, 0);
	double width = na_measure(d->l.canvas, "512 KiB", font) + 2 * d->l.gap;
	size_t i = 0;

	while (i < 3 && class * steps[i] < width)
		i++;
	return steps[i];
}

static void draw_axis(const struct drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	struct na_pen pen = {.color = d->l.theme->axis,
			     .width = fmax(d->l.unit, 1)};
	double y = d->panels[BYTES].plot.y1, tick = 0.5 * d->l.gap;
	double free = d->x.at_from - 0.5 * d->l.gap;
	unsigned step = tick_step(d, &font);
	char label[NA_LABEL_BUF];

	na_draw_line(d->l.canvas, d->x.at_from, y, d->x.at_to, y, &pen);
	for (unsigned k = (unsigned)d->x.from; k <= (unsigned)d->x.to; k++) {
		double at = tick_of(d, k, label), width, left;

		na_draw_line(d->l.canvas, at, y, at, y + tick, &pen);
		width = na_measure(d->l.canvas, label, &font);
		left = fmin(at - width / 2, d->l.body.x1 - width);
		if (at <= d->x.at_from)
			left = fmax(left, free);
		if ((k && (k - 1) % step) || left < free)
			continue;
		na_draw_text(d->l.canvas, left, y + tick + 1.1 * font.size,
			     label, &font);
		free = left + width + d->l.gap;
	}
	font.align = NA_CENTER;
	na_draw_text(d->l.canvas, (d->x.at_from + d->x.at_to) / 2,
		     y + tick + 2.4 * font.size, "size of a transfer", &font);
}

static size_t entries(const struct drawing *d,
		      struct na_legend_entry e[NA_TOP_SERIES + 1])
{
	for (size_t i = 0; i < d->f.n_series; i++)
		e[i] = (struct na_legend_entry){d->f.series[i].name,
						series_color(d, i)};
	return d->f.grouped && !d->f.empty ? d->f.n_series : 0;
}

static void draw_legend(const struct drawing *d)
{
	struct na_legend_entry e[NA_TOP_SERIES + 1];
	size_t n = entries(d, e);

	if (n)
		na_legend(&d->l, e, n,
			  (struct na_box){d->l.body.x1 - d->legend_width,
					  d->panels[COUNT].plot.y0,
					  d->l.body.x1,
					  d->panels[BYTES].plot.y1});
}

static void sizes_footnote(struct drawing *d)
{
	struct words w = {.n = 0};

	if (d->f.empty)
		return;
	na_words_add(&w,
		     "%s; the triangle: half of the bytes are in this "
		     "size or larger ones",
		     d->f.single_sizes ? "a bar for each size"
				       : "a bar for each power of two");
	if (d->f.grouped)
		na_words_add(&w, "; bars in the legend's order, every second "
				 "hatched");
	na_layout_footnote(&d->l, w.text);
}

static void describe_sizes(const struct drawing *d, const char *title,
			   const char *subtitle)
{
	struct words w = {.n = 0};
	char a[NA_LABEL_BUF], b[NA_LABEL_BUF];

	na_words_add(&w, "%s", subtitle);
	for (size_t i = 0; i < d->f.n_series && !d->f.empty; i++) {
		const struct size_series *s = &d->f.series[i];

		na_words_add(&w, ". %s%s%s transfers, %s", s->name,
			     d->f.grouped ? ": " : "",
			     na_label_short(a, s->total[COUNT], 7),
			     na_label_quantity(b, NA_Q_BYTES, s->total[BYTES],
					       4));
		if (isfinite(s->half))
			na_words_add(&w,
				     ", half of them in sizes of %s or more",
				     na_label_quantity(a, NA_Q_BYTES, s->half,
						       4));
	}
	if (d->f.empty)
		na_words_add(&w, ". %s", d->f.empty);
	na_canvas_describe(d->l.canvas, title, w.text);
}

static enum na_status draw_on(struct na_canvas *c, struct drawing *d,
			      const struct na_result *r,
			      const struct na_page *page, struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0};
	struct na_legend_entry e[NA_TOP_SERIES + 1];
	const char *title = page->title;
	enum na_status status;
	size_t n;

	na_sizes_read(&d->f, r);
	na_sizes_title(&d->f, &own);
	na_sizes_subtitle(&d->f, &subtitle);
	if (!title)
		title = own.text;
	na_layout_begin(&d->l, c, &na_fig_sizes, page, title, subtitle.text);
	describe_sizes(d, title, subtitle.text);
	n = entries(d, e);
	if (n)
		d->legend_width = na_legend_width(&d->l, e, n,
						  0.2 * page->width);
	status = place_sizes(d, page, err);
	if (status < 0)
		return status;
	draw_panels(d);
	draw_axis(d);
	draw_legend(d);
	sizes_footnote(d);
	return NA_OK;
}

static enum na_status sizes_draw(struct na_canvas *c, const struct na_result *r,
				 const struct na_page *page, struct na_err *err)
{
	struct drawing *d = na_calloc(1, sizeof(*d));
	enum na_status st = d ? draw_on(c, d, r, page, err)
			      : na_fail_nomem(err);

	free(d);
	return st;
}

const struct na_figure na_fig_sizes = {
	.name = "sizes",
	.width = 1200,
	.height = 675,
	.draw = sizes_draw,
};
