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
#include "plot/figures/slack/draw.h"
#include "plot/figures/slack/waterfall.h"
#include "plot/scale.h"

enum { BARS_MAX = 24 };

static const enum na_hue part_hue[SLACK_PARTS] = {NA_BLUE, NA_SKY, NA_GREEN,
						  NA_ORANGE};

double na_slack_line_height(const struct slack_drawing *d)
{
	return 1.5 * na_layout_font(&d->l, NA_SIZE_TEXT, d->l.theme->text).size;
}

struct na_row na_slack_header(const struct slack_drawing *d, struct na_box b)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);

	return (struct na_row){.x = b.x0,
			       .end = b.x1,
			       .y = b.y0 + na_text_ascent(&font)};
}

/* Beside each other on a wide page, else one below the other. */
static bool place_slack(struct slack_drawing *d)
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
	return d->scatter.y1 - d->scatter.y0 >
		       9 * na_slack_line_height(d) / 1.5 &&
	       d->bars.y1 - d->bars.y0 > 4 * na_slack_line_height(d) &&
	       d->scatter.x1 - d->scatter.x0 > 140 * fmax(d->l.unit, 0.8);
}

static void draw_bars_header(struct slack_drawing *d)
{
	struct na_font name = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_row row = na_slack_header(d, d->bars);

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

static void draw_bar(const struct slack_drawing *d, const struct slack_point *p,
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

static double widest_name(const struct slack_drawing *d, size_t n,
			  const struct na_font *font, double most)
{
	double width = 0;

	for (size_t i = 0; i < n; i++)
		width = fmax(width, na_measure(d->l.canvas, d->f.points[i].name,
					       font));
	return fmin(width, most);
}

static void draw_bars(struct slack_drawing *d)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->text);
	double high = na_slack_line_height(d) * 1.25, most = 0, tall, names,
	       values, per_s;
	struct na_box b = d->bars;
	char text[NA_TEXT_MAX], more[NA_LABEL_BUF];
	size_t n, room;

	draw_bars_header(d);
	b.y0 += na_slack_line_height(d) * 1.4;
	room = (size_t)fmax((b.y1 - b.y0) / high, 1);
	n = d->f.n < BARS_MAX ? d->f.n : BARS_MAX;
	if (n > room || d->f.n > n)
		n = room > 1 ? (n < room - 1 ? n : room - 1) : 1;
	/* Few bars are wider, and fill their half. */
	tall = (b.y1 - b.y0) / (double)(n + (d->f.n > n));
	high = fmin(fmax(high, tall), 3 * high);
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

static bool has_found(const struct slack_figure *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->points[i].found)
			return true;
	}
	return false;
}

/* Of marks those that are there. */
static void slack_footnote(struct slack_drawing *d)
{
	struct words w = {.n = 0};

	if (d->f.empty)
		return;
	na_words_add(&w, "slack: time that the network may take without "
			 "stalling the device; %% of step time; ringed: the "
			 "title's");
	if (has_found(&d->f))
		na_words_add(&w, "; vermilion: small slack%s",
			     isfinite(d->f.capacity_bps) ? ", or above capacity"
							 : "");
	if (d->f.n_none)
		na_words_add(&w, "; a triangle: slack that no rate can "
				 "meet");
	if (d->f.n_unknown)
		na_words_add(&w,
			     "; %zu of unknown size are not in the left "
			     "panel",
			     d->f.n_unknown);
	na_layout_footnote(&d->l, w.text);
}

static enum na_status draw_slack(struct slack_drawing *d,
				 const struct na_page *page, struct na_err *err)
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
	na_slack_draw_scatter(d);
	draw_bars(d);
	return NA_OK;
}

static enum na_status slack_draw(struct na_canvas *c, const struct na_result *r,
				 const struct na_page *page, struct na_err *err)
{
	const char *what = na_result_get_word(r, NA_WORD_PICTURE, "");
	struct slack_drawing *d;
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
