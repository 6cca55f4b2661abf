/*
 * What each host needs for a step, over the steps: lines, or a heat map of
 * what hosts are behind the median one, with the stragglers named; below it
 * what a step is made of.  Of several runs: their step times.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/steps/data.h"
#include "plot/figures/steps/map.h"
#include "plot/layout.h"
#include "plot/scale.h"
#include "plot/trace.h"

#define SAMPLE 2.6 /* of a line, in sizes of the font */

enum panel { TOP, BOTTOM, PANELS };

struct drawing {
	struct na_layout l;
	struct steps_figure f;
	struct na_panel panels[PANELS];
	size_t n_panels;
	struct na_scale x; /* columns */
	double right;
};

#define LEAST_SHARE 0.001 /* less is not told in digits */

static const enum na_hue part_hues[PARTS] = {NA_BLUE, NA_GREEN, NA_VERMILION,
					     NA_GREY};
static const char *const part_names[PARTS] = {"compute", "overlapped",
					      "exposed", "idle"};

static double top_ms(const struct steps_figure *f)
{
	double max = na_largest(f->mean, f->n);

	for (size_t i = 0; i < f->n_lines; i++)
		max = fmax(max, na_largest(f->lines[i].own, f->n));
	return max;
}

static void ask_panels(struct drawing *d)
{
	const struct steps_figure *f = &d->f;
	bool map = na_fig_steps_is_map(f);

	d->panels[TOP] = (struct na_panel){
		.weight = 1.6,
		.quantity = map ? NA_Q_COUNT : NA_Q_SECONDS,
		.max = map ? 1 : top_ms(f) / NA_MS_PER_S,
		.label_above = !map,
	};
	d->panels[BOTTOM] = (struct na_panel){.weight = 1,
					      .quantity = NA_Q_SECONDS,
					      .max = na_largest(f->mean, f->n) /
						     NA_MS_PER_S};
	d->n_panels = f->mean ? PANELS : 1;
}

static struct na_scale in_ms(const struct na_panel *p)
{
	struct na_scale y = p->y;

	y.from *= NA_MS_PER_S;
	y.to *= NA_MS_PER_S;
	return y;
}

static double axis_height(const struct drawing *d)
{
	return na_time_axis_height(&d->l);
}

static enum na_status place_steps(struct drawing *d, const struct na_page *page,
				  struct na_err *err)
{
	double right = d->right > 0 ? d->right + 2 * d->l.gap : 0;
	struct na_box box = d->l.body;

	ask_panels(d);
	box.y1 -= axis_height(d);
	while (!na_panels_place(&d->l, box, d->panels, d->n_panels, right)) {
		if (--d->n_panels == 0)
			return na_no_room(page, err);
	}
	d->x = (struct na_scale){.from = 0,
				 .to = d->f.n ? (double)d->f.n : 1,
				 .at_from = d->panels[0].plot.x0,
				 .at_to = d->panels[0].plot.x1};
	return NA_OK;
}

/* Vermilion is for stragglers, not for who may only wait. */
static struct na_pen pen_of(const struct drawing *d, size_t i)
{
	static const enum na_hue hues[STEP_LINES] = {NA_BLUE,   NA_GREEN,
						     NA_PURPLE, NA_SKY,
						     NA_ORANGE, NA_GREY};
	/* clang-format off */
	static const enum na_dash dashes[STEP_LINES] = {
		NA_SOLID,       NA_DASHED,   NA_DOTTED,
		NA_LONG_DASHED, NA_DASH_DOT, NA_DASH_DOT_DOT};
	/* clang-format on */
	bool named = na_fig_steps_is_itself(&d->f.lines[i]);

	return (struct na_pen){
		.color = d->l.theme->hue[named ? NA_HUE_FINDING
					       : hues[i % STEP_LINES]],
		.width = fmax((named ? 2.2 : 1.4) * d->l.unit, 1),
		.dash = dashes[i % STEP_LINES]};
}

static struct na_pen mean_pen(const struct drawing *d)
{
	return (struct na_pen){.color = d->l.theme->text,
			       .width = fmax(1.6 * d->l.unit, 1)};
}

static size_t shown_lines(const struct steps_figure *f)
{
	return f->n_lines < STEP_LINES ? f->n_lines : STEP_LINES;
}

static enum na_status draw_lines(const struct drawing *d, struct na_err *err)
{
	const struct na_panel *p = &d->panels[TOP];
	const struct steps_figure *f = &d->f;
	struct na_scale y = in_ms(p);
	struct na_trace trace;
	struct na_pen pen;

	if (!na_trace_init(&trace, f->lines[0].own, f->n, p->plot.x0,
			   p->plot.x1))
		return na_fail_nomem(err);
	na_panel_draw(&d->l, p);
	if (f->mean) {
		na_trace_load(&trace, f->mean, f->n);
		pen = mean_pen(d);
		na_trace_line(d->l.canvas, &trace, &y, &pen);
	}
	for (int named = 0; named < 2; named++) {
		for (size_t i = 0; i < shown_lines(f); i++) {
			if ((f->lines[i].cause != NULL) != named)
				continue;
			na_trace_load(&trace, f->lines[i].own, f->n);
			pen = pen_of(d, i);
			na_trace_line(d->l.canvas, &trace, &y, &pen);
		}
	}
	na_trace_fini(&trace);
	return NA_OK;
}

/* ---- beside the lines */

static double lines_width(const struct drawing *d, double most)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	double width = na_measure(d->l.canvas, "step time, mean", &font);
	struct words w;

	font.bold = true;
	for (size_t i = 0; i < shown_lines(&d->f); i++) {
		na_fig_steps_name(&d->f.lines[i], &w);
		width = fmax(width, na_measure(d->l.canvas, w.text, &font));
	}
	return fmin(width + (SAMPLE + 0.5) * font.size, most);
}

static void entry(const struct drawing *d, double *y, const char *words,
		  const struct na_pen *pen, bool bold)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     bold ? pen->color
						  : d->l.theme->text);
	double left = d->l.body.x1 - d->right;
	double x = left + (SAMPLE + 0.5) * font.size;
	char text[NA_TEXT_MAX];

	font.bold = bold;
	if (*y + 1.4 * font.size > d->panels[TOP].plot.y1)
		return;
	na_draw_line(d->l.canvas, left,
		     *y + font.size - na_text_ascent(&font) / 2,
		     left + SAMPLE * font.size,
		     *y + font.size - na_text_ascent(&font) / 2, pen);
	na_text_fit(d->l.canvas, text, words, &font, d->l.body.x1 - x,
		    NA_CUT_MIDDLE);
	na_draw_text(d->l.canvas, x, *y + font.size, text, &font);
	*y += 1.4 * font.size;
}

static void draw_legend(const struct drawing *d)
{
	double y = d->panels[TOP].plot.y0;
	struct na_pen pen = mean_pen(d);
	struct words w;

	if (d->f.mean)
		entry(d, &y, "step time, mean", &pen, false);
	for (size_t i = 0; i < shown_lines(&d->f); i++) {
		pen = pen_of(d, i);
		na_fig_steps_name(&d->f.lines[i], &w);
		entry(d, &y, w.text, &pen,
		      na_fig_steps_is_itself(&d->f.lines[i]));
	}
	if (d->f.n_lines > shown_lines(&d->f)) {
		w.n = 0;
		na_words_add(&w, "and %s more",
			     na_grouped(d->f.n_lines - shown_lines(&d->f)));
		pen.color.a = 0;
		entry(d, &y, w.text, &pen, false);
	}
}

/* ---- panels */

static bool of_ranks(const struct drawing *d)
{
	return na_result_get_word(d->f.result, NA_WORD_HOST, NULL);
}

static void draw_top_header(const struct drawing *d)
{
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_font plain = na_layout_font(&d->l, NA_SIZE_TEXT,
					      d->l.theme->secondary);
	struct na_row row = d->panels[TOP].header;

	name.bold = true;
	if (d->f.runs_apart) {
		na_row_put(&d->l, &row, "Step time, mean of all hosts", &name);
		return;
	}
	if (!na_fig_steps_is_map(&d->f) && d->f.launches) {
		na_row_put(&d->l, &row, "Launches of each host", &name);
		na_row_put(&d->l, &row,
			   "from the first send to the end of the last "
			   "transfer: who starts late has short ones",
			   &plain);
		return;
	}
	if (!na_fig_steps_is_map(&d->f)) {
		na_row_put(&d->l, &row,
			   of_ranks(d) ? "Own time of each rank"
				       : "Own time of each host",
			   &name);
		na_row_put(&d->l, &row,
			   "without waiting for others: the longest is who "
			   "they wait for",
			   &plain);
		return;
	}
	na_row_put(&d->l, &row,
		   of_ranks(d) ? "Ranks: behind the median rank"
			       : "Hosts: behind the median host",
		   &name);
	na_fig_steps_key(&d->l, &d->f, &row);
}

static void draw_bottom_header(const struct drawing *d)
{
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_row row = d->panels[BOTTOM].header;
	char number[NA_LABEL_BUF];

	name.bold = true;
	row.end = d->l.body.x1; /* nothing stands beside this panel */
	na_row_put(&d->l, &row, "Mean step", &name);
	for (int k = 0; k < PARTS; k++) {
		struct na_font font =
			na_layout_font(&d->l, NA_SIZE_TEXT,
				       d->l.theme->hue[part_hues[k]]);
		struct words w = {.n = 0};

		font.bold = true;
		na_words_add(&w, "%s %s %%", part_names[k],
			     d->f.share[k] > 0 && d->f.share[k] < LEAST_SHARE
				     ? "< 0.1"
				     : na_label_short(number,
						      100 * d->f.share[k], 2));
		na_row_put(&d->l, &row, w.text, &font);
	}
}

/* From the whole stack down, each layer over the one above. */
static enum na_status draw_parts(const struct drawing *d, struct na_err *err)
{
	const struct na_panel *p = &d->panels[BOTTOM];
	const struct steps_figure *f = &d->f;
	double *sum = na_calloc(f->n + 1, sizeof(*sum));
	struct na_scale y = in_ms(p);
	struct na_trace trace;

	if (!sum)
		return na_fail_nomem(err);
	if (!na_trace_init(&trace, f->mean, f->n, p->plot.x0, p->plot.x1)) {
		free(sum);
		return na_fail_nomem(err);
	}
	na_panel_draw(&d->l, p);
	for (int k = PARTS; k-- > 0;) {
		for (size_t i = 0; i < f->n; i++) {
			sum[i] = 0;
			for (int j = 0; j <= k; j++)
				sum[i] += f->part[j][i];
		}
		na_trace_load(&trace, sum, f->n);
		na_trace_fill(d->l.canvas, &trace, &y,
			      d->l.theme->hue[part_hues[k]]);
	}
	na_trace_gaps(d->l.canvas, &trace, p->plot,
		      NA_PEN(&d->l, d->l.theme->grid, 1));
	na_trace_fini(&trace);
	free(sum);
	return NA_OK;
}

/* A dashed line where the level changes, and the levels, where there is
 * room. */
static void draw_changes(const struct drawing *d)
{
	const struct na_panel *p = &d->panels[TOP];
	const struct na_pen pen = {.color = d->l.theme->limit,
				   .width = fmax(d->l.unit, 0.8),
				   .dash = NA_DASHED};
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	double free_from = p->plot.x0, y = p->plot.y0;
	bool words = !na_fig_steps_is_map(&d->f);

	for (size_t i = 0; i < d->f.n_changes; i++) {
		const struct step_change *c = &d->f.changes[i];
		double x = na_scale_at(&d->x, c->at), width, end;
		char a[NA_LABEL_BUF], b[NA_LABEL_BUF], text[3 * NA_LABEL_BUF];

		if (c->drift || !(x > p->plot.x0) || x > p->plot.x1)
			continue;
		for (size_t k = 0; k < d->n_panels; k++)
			na_draw_line(d->l.canvas, x, d->panels[k].plot.y0, x,
				     d->panels[k].plot.y1, &pen);
		na_label_quantity(a, NA_Q_SECONDS, c->from_ms / NA_MS_PER_S, 3);
		na_label_quantity(b, NA_Q_SECONDS, c->to_ms / NA_MS_PER_S, 3);
		snprintf(text, sizeof(text), "step %s \xe2\x86\x92 %s", a, b);
		width = na_measure(d->l.canvas, text, &font);
		end = i + 1 < d->f.n_changes
			      ? na_scale_at(&d->x, d->f.changes[i + 1].at)
			      : p->plot.x1;
		if (!words || x + d->l.gap / 2 < free_from ||
		    x + d->l.gap + width > fmin(end, p->plot.x1))
			continue;
		na_draw_text(d->l.canvas, x + d->l.gap / 2,
			     y + na_text_ascent(&font), text, &font);
		free_from = x + width + 2 * d->l.gap;
	}
}

/* In the middle of its step, where labels may begin at `free_from`; returns
 * where the next one may. */
static double draw_tick(const struct drawing *d, double y, double first,
			double step, double free_from)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	double middle = d->f.each > 1 ? 0 : 0.5, tick = 0.5 * d->l.gap;
	double x = na_scale_at(&d->x, (step - first) / d->f.each + middle);
	char label[NA_LABEL_BUF];
	double width, left;

	if (step != rint(step) || x > d->x.at_to)
		return free_from;
	na_draw_line(d->l.canvas, x, y, x, y + tick,
		     NA_PEN(&d->l, d->l.theme->axis, 1));
	na_label_fixed(label, step, 0);
	width = na_measure(d->l.canvas, label, &font);
	left = fmin(x - width / 2, d->l.body.x1 - width);
	/* Clear of the zero beside the plot. */
	left = fmax(left, d->x.at_from - 0.5 * d->l.gap);
	if (left < free_from)
		return free_from;
	na_draw_text(d->l.canvas, left, y + tick + 1.1 * font.size, label,
		     &font);
	return left + width + d->l.gap;
}

static void draw_axis(const struct drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	double y = d->panels[d->n_panels - 1].plot.y1, tick = 0.5 * d->l.gap;
	double first = d->f.by_order || d->f.runs_apart ? 0 : d->f.first;
	double end = first + (double)d->f.n * d->f.each;
	double free_from = d->l.body.x0;
	struct na_ticks t;

	na_draw_line(d->l.canvas, d->x.at_from, y, d->x.at_to, y,
		     NA_PEN(&d->l, d->l.theme->axis, 1));
	na_ticks_linear(&t, first, end, 12);
	for (size_t i = 0; i < t.n; i++)
		free_from = draw_tick(d, y, first, t.at[i], free_from);
	/* Else the axis seems to end with its last round number. */
	if (t.n && end - d->f.each > t.at[t.n - 1] + t.step / 3)
		draw_tick(d, y, first, end - d->f.each, free_from);
	font.align = NA_CENTER;
	na_draw_text(d->l.canvas, (d->x.at_from + d->x.at_to) / 2,
		     y + tick + 2.4 * font.size,
		     d->f.runs_apart ? "steps since the first of the run"
		     : d->f.by_order ? "steps in their order"
				     : "step",
		     &font);
}

static enum na_status draw_panels(const struct drawing *d, struct na_err *err)
{
	enum na_status st = NA_OK;

	if (d->f.empty) {
		na_sentence(&d->l, d->panels[TOP].plot, d->f.empty);
		return NA_OK;
	}
	draw_top_header(d);
	if (na_fig_steps_is_map(&d->f)) {
		st = na_fig_steps_map(&d->l, &d->f, d->panels[TOP].plot, err);
	} else {
		st = draw_lines(d, err);
		draw_legend(d);
	}
	if (st == NA_OK && d->n_panels == PANELS) {
		draw_bottom_header(d);
		st = draw_parts(d, err);
	}
	draw_changes(d);
	draw_axis(d);
	return st;
}

/* In the map there is no room for the levels beside the line. */
static void change_words(const struct drawing *d, struct words *w)
{
	const struct step_change *first = NULL;
	char a[NA_LABEL_BUF], b[NA_LABEL_BUF];
	size_t n = 0;

	for (size_t i = d->f.n_changes; i-- > 0;) {
		if (d->f.changes[i].drift)
			continue;
		first = &d->f.changes[i];
		n++;
	}
	if (n != 1)
		na_words_add(w, n ? "dashed: the step time changes; " : "");
	else
		na_words_add(w, "dashed: the step time changes, %s \xe2\x86\x92 "
				"%s; ",
			     na_label_quantity(a, NA_Q_SECONDS,
					       first->from_ms / NA_MS_PER_S, 3),
			     na_label_quantity(b, NA_Q_SECONDS,
					       first->to_ms / NA_MS_PER_S, 3));
}

static void steps_footnote(struct drawing *d)
{
	struct words w = {.n = 0};

	if (d->f.empty)
		return;
	if (d->f.each > 1)
		na_words_add(&w, "a column is %.0f steps, %s: the longest; ",
			     d->f.each, of_ranks(d) ? "ranks" : "hosts");
	if (na_fig_steps_is_map(&d->f) && d->f.map.each > 1)
		na_words_add(&w, "a row is %s %s, the worst; ",
			     na_grouped(d->f.map.each),
			     of_ranks(d) ? "ranks" : "hosts");
	if (na_fig_steps_is_map(&d->f))
		change_words(d, &w);
	if (na_fig_steps_is_map(&d->f) && na_fig_steps_muted(&d->f))
		na_words_add(&w, "muted: no %s stands out; ",
			     of_ranks(d) ? "rank" : "host");
	if (d->f.launches)
		na_words_add(&w, "no device plane has steps: these are program "
				 "launches, and what they were spent on is not "
				 "known");
	else if (!d->f.runs_apart)
		na_words_add(&w, "own time: gap, compute and idle; a mean step "
				 "from below: compute, overlapped, exposed "
				 "(waiting), idle");
	if (w.n)
		na_layout_footnote(&d->l, w.text);
}

static void describe_steps(const struct drawing *d, const char *title,
			   const char *subtitle)
{
	const char *verdict = na_text_at(d->f.body, M_verdict);
	struct words w = {.n = 0};

	na_words_add(&w, "%s. %s", subtitle, d->f.empty ? d->f.empty : verdict);
	na_canvas_describe(d->l.canvas, title, w.text);
}

static enum na_status steps_draw(struct na_canvas *c, const struct na_result *r,
				 const struct na_page *page, struct na_err *err)
{
	struct drawing d = {.right = 0};
	struct words subtitle = {.n = 0};
	const char *title = page->title;
	enum na_status st;

	if (!na_fig_steps_read(&d.f, r)) {
		na_fig_steps_free(&d.f);
		return na_fail_nomem(err);
	}
	na_fig_steps_subtitle(&d.f, &subtitle);
	if (!title)
		title = na_result_get_word(d.f.result, NA_WORD_MESSAGE,
					   "Steps");
	na_layout_begin(&d.l, c, &na_fig_steps, page, title, subtitle.text);
	describe_steps(&d, title, subtitle.text);
	if (!d.f.empty)
		d.right = na_fig_steps_is_map(&d.f)
				  ? na_fig_steps_names_width(&d.l, &d.f,
							     0.25 * page->width)
				  : lines_width(&d, 0.32 * page->width);
	st = place_steps(&d, page, err);
	if (st == NA_OK)
		st = draw_panels(&d, err);
	if (st == NA_OK)
		steps_footnote(&d);
	na_fig_steps_free(&d.f);
	return st;
}

const struct na_figure na_fig_steps = {
	.name = "steps",
	.width = 1200,
	.height = 675,
	.draw = steps_draw,
};
