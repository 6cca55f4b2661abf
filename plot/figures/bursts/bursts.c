/*
 * How many were pending when, and for how much of the time: one axis of
 * counts for both.  Bursts of transfers are marked above; groups follow
 * below.
 */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/bursts/data.h"
#include "plot/figures/bursts/parts.h"
#include "plot/figures/timeline/steps.h"
#include "plot/layout.h"
#include "plot/trace.h"

#define BAND_SHARE 0.42
#define SIDE_SHARE 0.2 /* of the page: distribution, legend */
#define SIDE_LEAST 90  /* units: below that there is no side */

enum part { PART_PENDING, PART_GROUPS, PARTS };

struct drawing {
	struct na_layout l;
	struct bursts b;
	const struct na_page *page;
	struct na_panel panels[PARTS];
	enum part parts[PARTS];
	size_t n_panels;
	double side; /* width; 0: none */
	struct na_scale x;
};

static bool has_steps(const struct bursts *b)
{
	return !b->empty && !b->runs_apart && na_steps_count(b->body);
}

static void ask_panels(struct drawing *d)
{
	const struct bursts *b = &d->b;

	if (!b->runs_apart) {
		d->panels[d->n_panels] =
			(struct na_panel){.weight = 3,
					  .quantity = NA_Q_COUNT,
					  .max = fmax(b->top, 1),
					  .label_above = true};
		d->parts[d->n_panels++] = PART_PENDING;
	}
	if (b->n_groups && !b->empty) {
		d->panels[d->n_panels] =
			(struct na_panel){.weight = 1.6,
					  .quantity = NA_Q_COUNT,
					  .max = b->groups_top};
		d->parts[d->n_panels++] = PART_GROUPS;
	}
}

/* What the name of the steps' row takes beyond the labels of the axis. */
static double missing_left(const struct drawing *d)
{
	struct na_font font = na_layout_font(&d->l, 11, d->l.theme->secondary);
	double left = d->panels[0].plot.x0 - d->l.gap - d->l.body.x0;

	if (!has_steps(&d->b))
		return 0;
	return fmax(na_measure(d->l.canvas, "step", &font) - left, 0);
}

static bool place_within(struct drawing *d, struct na_box box)
{
	d->n_panels = na_panels_fit(&d->l, box, d->panels, d->n_panels,
				    &d->side);
	return d->n_panels > 0;
}

static enum na_status place_bursts(struct drawing *d, struct na_err *err)
{
	struct na_box box = d->l.body;
	bool ok;

	ask_panels(d);
	box.y1 -= na_time_axis_height(&d->l);
	if (has_steps(&d->b))
		box.y1 -= na_marks_height(&d->l);
	d->side = SIDE_SHARE * d->page->width;
	if (d->b.empty || d->side < SIDE_LEAST)
		d->side = 0;
	ok = place_within(d, box);
	if (ok && missing_left(d) > 0) {
		box.x0 += missing_left(d);
		ok = place_within(d, box);
	}
	if (!ok)
		return na_no_room(d->page, err);
	d->x = (struct na_scale){.from = d->b.from_s,
				 .to = d->b.to_s,
				 .at_from = d->panels[0].plot.x0,
				 .at_to = d->panels[0].plot.x1};
	return NA_OK;
}

static void put_number(const struct drawing *d, struct words *w,
		       const char *path, const char *before, double scale,
		       const char *behind)
{
	double x = na_bursts_real(&d->b, path);
	char buf[NA_LABEL_BUF];

	if (!isnan(x))
		na_words_add(w, "%s%s%s%s", w->n ? ", " : "", before,
			     na_label_short(buf, x * scale, 3), behind);
}

static void put_pending(const struct drawing *d, struct words *w)
{
	put_number(d, w, M_pending "." M_time_mean, "mean ", 1, "");
	put_number(d, w, M_pending "." M_p50, "p50 ", 1, "");
	put_number(d, w, M_pending "." M_p99, "p99 ", 1, "");
	put_number(d, w, M_pending "." M_max, "max ", 1, "");
}

static void draw_header(const struct drawing *d, const struct na_panel *p)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->hue[NA_HUE_PENDING]);
	struct words name = {.n = 0}, numbers = {.n = 0}, bursts = {.n = 0};
	double idle = na_bursts_real(&d->b, M_pending "." M_idle_share);
	struct na_row row = p->header;
	char percent[NA_UNIT_BUF];

	font.bold = true;
	na_words_add(&name, "Pending %.40s", d->b.pending_of);
	na_row_put(&d->l, &row, name.text, &font);
	font = na_layout_font(&d->l, NA_SIZE_TEXT, d->l.theme->secondary);
	put_pending(d, &numbers);
	if (!isnan(idle))
		na_words_add(&numbers, "%snone %s %%",
			     numbers.n ? ", " : "",
			     na_print_percent(percent, idle));
	na_row_put(&d->l, &row, numbers.text, &font);
	font.color = d->l.theme->hue[NA_PURPLE];
	put_number(d, &bursts, M_burst_share, "strip: bursts of transfers in ",
		   100, " % of this time");
	na_row_put(&d->l, &row, bursts.text, &font);
}

/* Mean as a line, least to most as a band. */
static enum na_status draw_course(const struct drawing *d,
				  const struct na_panel *p, struct na_err *err)
{
	const struct bursts *b = &d->b;
	struct na_color color = d->l.theme->hue[NA_HUE_PENDING];
	struct na_pen pen = {.color = color, .width = fmax(1.4 * d->l.unit, 1)};
	struct na_trace mean, edge;

	if (!na_trace_init(&mean, b->mean, b->n, p->plot.x0, p->plot.x1))
		return na_fail_nomem(err);
	if (!na_trace_init(&edge, b->mean, b->n, p->plot.x0, p->plot.x1)) {
		na_trace_fini(&mean);
		return na_fail_nomem(err);
	}
	if (b->least)
		na_trace_load(&edge, b->least, b->n);
	for (size_t i = 0; i < mean.n; i++)
		mean.columns[i].min = fmin(mean.columns[i].min,
					   edge.columns[i].min);
	if (b->most)
		na_trace_load(&edge, b->most, b->n);
	for (size_t i = 0; i < mean.n; i++)
		mean.columns[i].max = fmax(mean.columns[i].max,
					   edge.columns[i].max);
	na_clip(d->l.canvas, p->plot);
	na_trace_band(d->l.canvas, &mean, &p->y, na_fade(color, BAND_SHARE));
	na_trace_line(d->l.canvas, &mean, &p->y, &pen);
	na_unclip(d->l.canvas);
	na_trace_fini(&mean);
	na_trace_fini(&edge);
	return NA_OK;
}

static enum na_status draw_pending(const struct drawing *d,
				   const struct na_panel *p, struct na_err *err)
{
	enum na_status st;

	draw_header(d, p);
	na_panel_draw(&d->l, p);
	st = na_bursts_strip(&d->l, &d->b, &d->x, p->plot, err);
	if (st == NA_OK && d->b.mean)
		st = draw_course(d, p, err);
	if (d->side > 0)
		na_bursts_distribution(&d->l, &d->b, p, d->l.body.x1 - d->side,
				       d->l.body.x1);
	return st;
}

static enum na_status draw_groups(const struct drawing *d,
				  const struct na_panel *p, struct na_err *err)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_font grey = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	struct na_row row = p->header;
	struct na_box legend = {d->l.body.x1 - d->side, p->plot.y0,
				d->l.body.x1, p->plot.y1};

	/* Below the numbers of the axis of the other plot. */
	if (d->n_panels > 1)
		legend.y0 = fmax(legend.y0, d->panels[0].plot.y1 + d->l.gap +
						    1.6 * grey.size);
	font.bold = true;
	na_row_put(&d->l, &row,
		   d->b.runs_apart ? "Pending transfers of each run"
				   : "Pending transfers of each group",
		   &font);
	na_row_put(&d->l, &row, "beside the names: mean over time", &grey);
	return na_bursts_groups(&d->l, &d->b, p, legend, err);
}

static enum na_status draw_panels(const struct drawing *d, struct na_err *err)
{
	enum na_status st = NA_OK;

	if (d->b.empty) {
		const struct na_box *plot = &d->panels[0].plot;

		na_draw_line(d->l.canvas, plot->x0, plot->y0, plot->x0,
			     plot->y1, NA_PEN(&d->l, d->l.theme->axis, 1));
		na_sentence(&d->l, *plot, d->b.empty);
		return NA_OK;
	}
	for (size_t i = 0; i < d->n_panels && st == NA_OK; i++)
		st = d->parts[i] == PART_PENDING
			     ? draw_pending(d, &d->panels[i], err)
			     : draw_groups(d, &d->panels[i], err);
	return st;
}

static enum na_status draw_axis(const struct drawing *d, struct na_err *err)
{
	const struct na_box *last = &d->panels[d->n_panels - 1].plot;
	struct na_box box = {last->x0, last->y1, last->x1, last->y1};
	enum na_status st = NA_OK;

	if (has_steps(&d->b)) {
		box.y1 += na_marks_height(&d->l);
		st = na_steps_draw(&d->l, d->b.body, &d->x, box, err);
	}
	if (d->b.n)
		na_time_axis(&d->l, &d->x, box.y1, "time from the origin");
	else
		na_draw_line(d->l.canvas, box.x0, box.y1, box.x1, box.y1,
			     NA_PEN(&d->l, d->l.theme->axis, 1));
	return st;
}

static void bursts_footnote(struct drawing *d)
{
	const struct na_value *list = na_get(d->b.body, M_bursts);
	int64_t total = na_count_at(d->b.body, M_bursts_total);
	char a[NA_UNIT_BUF + NA_LABEL_BUF], b[NA_UNIT_BUF];
	struct words w = {.n = 0};

	if (d->b.empty)
		return;
	na_words_add(&w, "bin %s: the line is its mean",
		     na_label_quantity(a, NA_Q_SECONDS, d->b.bin_s, 3));
	if (!d->b.runs_apart)
		na_words_add(&w, ", the band its least to most");
	if (!d->b.runs_apart && list && total > (int64_t)list->n)
		na_words_add(&w, "; strip: the %s longest of %s bursts",
			     na_print_count(a, list->n),
			     na_print_count(b, (uint64_t)total));
	if (d->b.n_groups && d->parts[d->n_panels - 1] != PART_GROUPS)
		na_words_add(&w, "; a taller picture shows the groups");
	na_layout_footnote(&d->l, w.text);
}

static void describe_bursts(const struct drawing *d, const char *title,
			    const char *subtitle)
{
	struct words w = {.n = 0}, numbers = {.n = 0};

	na_words_add(&w, "%s", subtitle);
	if (d->b.empty) {
		na_words_add(&w, ". %s", d->b.empty);
	} else if (!d->b.runs_apart) {
		put_pending(d, &numbers);
		na_words_add(&w, ". Pending %.40s: %s", d->b.pending_of,
			     numbers.text);
	}
	na_canvas_describe(d->l.canvas, title, w.text);
}

static enum na_status bursts_draw(struct na_canvas *c,
				  const struct na_result *r,
				  const struct na_page *page,
				  struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0};
	struct drawing d = {.page = page};
	const char *title = page->title;
	enum na_status st;

	na_bursts_read(&d.b, r);
	na_bursts_title(&d.b, &own);
	na_bursts_subtitle(&d.b, &subtitle);
	title = title ? title : own.text;
	na_layout_begin(&d.l, c, &na_fig_bursts, page, title, subtitle.text);
	describe_bursts(&d, title, subtitle.text);
	st = place_bursts(&d, err);
	if (st == NA_OK)
		st = draw_panels(&d, err);
	if (st == NA_OK)
		st = draw_axis(&d, err);
	if (st == NA_OK)
		bursts_footnote(&d);
	return st;
}

/* clang-format off */
static const struct na_figure_series series[] = {
	{M_pending_mean, "mean", "pending", 1, "green", false},
	{M_pending_max, "largest", "pending", 1, "purple", false},
	{NULL, NULL, NULL, 0, NULL, false}
};
/* clang-format on */

const struct na_figure na_fig_bursts = {
	.name = "bursts",
	.width = 1200,
	.height = 675,
	.series = series,
	.draw = bursts_draw,
};
