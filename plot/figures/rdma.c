/*
 * PSNs over time of one queue pair: what was sent when, what of it again, and
 * what asked for it; below it congestion notifications, where there are any.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/canvas.h"
#include "plot/figures/cut_time.h"
#include "plot/figure.h"
#include "plot/layout.h"
#include "plot/words.h"

#define SIDE_MOST 0.16 /* of the page: the legend */
#define LEAST_BAR 2.0  /* of what is smaller than a point */

enum {
	MOMENTS = 1 << 16, /* of the time, that hold packets or none */
	FEW = 500,	   /* packets */
	COLUMNS = 100,	   /* of notifications */
};

enum kind { DATA, REPEAT, NAK, RNR, CNP, ECN, KINDS };

/* In the order of drawing: the later, the more in front. */
static const struct look {
	const char *word, *name;
	enum na_hue hue;
} looks[KINDS] = {
	[DATA] = {"data", "sent", NA_BLUE},
	[REPEAT] = {"repeat", "sent again", NA_VERMILION},
	[NAK] = {"nak", "NAK", NA_ORANGE},
	[RNR] = {"receiver_not_ready", "not ready", NA_PURPLE},
	[CNP] = {"cnp", "notification", NA_GREEN},
	[ECN] = {"ecn", "marked", NA_GREY},
};

enum { PART_PSN, PART_CNP, PARTS };

struct drawing {
	struct na_layout l;
	const struct na_page *page;
	const struct na_result *result;
	const struct na_value *body, *sequence;
	const char *empty; /* NULL: there is something to draw */
	double from_s, to_s, psn_from, psn_to;
	int64_t counts[KINDS];
	/* Notifications by column of that time: how many, when in the mean. */
	double cnps[COLUMNS], cnp_s[COLUMNS];
	struct na_panel panels[PARTS];
	size_t n_panels;
	struct na_cut_time x;
	struct na_legend_entry legend[KINDS];
	char names[KINDS][NA_COUNT_BUF + 32];
	size_t n_legend;
	double side; /* width of the legend; 0: none */
	struct na_strokes strokes;
};

static enum kind kind_of(const struct na_value *mark)
{
	const char *word = na_text_at(mark, M_kind);
	size_t k = 0;

	while (k < KINDS && strcmp(word, looks[k].word) != 0)
		k++;
	return (enum kind)k;
}

static void read_marks(struct drawing *d)
{
	d->psn_from = INFINITY;
	d->psn_to = -INFINITY;
	na_for_each (m, na_get(d->sequence, M_marks)) {
		enum kind k = kind_of(m);

		if (k == KINDS)
			continue;
		d->counts[k] += na_count_at(m, M_count);
		d->to_s = fmax(d->to_s, na_number_or(m, M_to_s, 0));
		if (k == CNP)
			continue;
		d->psn_from = fmin(d->psn_from,
				   na_number_or(m, M_from_psn, INFINITY));
		d->psn_to = fmax(d->psn_to,
				 na_number_or(m, M_to_psn, -INFINITY));
	}
}

static void read_notifications(struct drawing *d)
{
	double per_s = COLUMNS / (d->to_s - d->from_s);

	na_for_each (m, na_get(d->sequence, M_marks)) {
		double n = (double)na_count_at(m, M_count);
		double s = (na_number_at(m, M_from_s) +
			    na_number_at(m, M_to_s)) /
			   2;
		double at = fmin(fmax((s - d->from_s) * per_s, 0),
				 COLUMNS - 1);
		size_t i = isfinite(at) ? (size_t)at : 0;

		if (kind_of(m) != CNP || !(n > 0) || !isfinite(s))
			continue;
		d->cnps[i] += n;
		d->cnp_s[i] += (s - d->cnp_s[i]) * n / d->cnps[i];
	}
}

static void read_figure(struct drawing *d, const struct na_result *r)
{
	d->result = r;
	d->body = na_result_get_body(r);
	d->sequence = na_get(d->body, M_sequence);
	if (!d->sequence) {
		d->empty = na_result_get_word(
			r, NA_WORD_EMPTY,
			"There is no RoCEv2 queue pair to draw.");
		return;
	}
	d->from_s = na_number_or(d->sequence, M_from_s, 0);
	d->to_s = na_number_or(d->sequence, M_to_s, 0);
	read_marks(d);
	if (!(d->psn_from <= d->psn_to))
		d->empty = "The result holds no marks to draw.";
	if (!(d->to_s > d->from_s))
		d->to_s = d->from_s + 1e-6;
	read_notifications(d);
}

static void name_legend(struct drawing *d)
{
	char n[NA_COUNT_BUF];

	for (size_t k = 0; k < KINDS; k++) {
		if (!d->counts[k])
			continue;
		snprintf(d->names[k], sizeof(d->names[k]), "%s %s",
			 looks[k].name,
			 na_print_count(n, (uint64_t)d->counts[k]));
		d->legend[d->n_legend++] =
			(struct na_legend_entry){d->names[k],
						 d->l.theme->hue[looks[k].hue]};
	}
}

static void see(const struct drawing *d, bool *seen, double from, double to)
{
	double per_s = MOMENTS / (d->to_s - d->from_s);
	double i = fmax((from - d->from_s) * per_s, 0);

	for (to = (to - d->from_s) * per_s; i <= to && i < MOMENTS; i++)
		seen[(size_t)i] = true;
}

/* Seconds without packets are cut out: the rest would be two lines. */
static bool place_time(struct drawing *d)
{
	bool *seen = na_calloc(MOMENTS, sizeof(*seen));

	if (!seen)
		return false;
	na_for_each (m, na_get(d->sequence, M_marks))
		see(d, seen, na_number_or(m, M_from_s, 0),
		    na_number_or(m, M_to_s, 0));
	na_cut_time_place(&d->x, seen, MOMENTS, d->from_s, d->to_s,
			  d->panels[0].plot.x0, d->panels[0].plot.x1,
			  na_cut_time_gap(&d->l));
	free(seen);
	return true;
}

static enum na_status place(struct drawing *d, struct na_err *err)
{
	struct na_box box = d->l.body;
	size_t want = !d->empty && d->counts[CNP] ? PARTS : 1;

	d->panels[PART_PSN] = (struct na_panel){
		.weight = 3,
		.quantity = NA_Q_COUNT,
		.max = d->empty ? 1 : fmax(d->psn_to - d->psn_from, 1)};
	d->panels[PART_CNP] = (struct na_panel){.weight = 1,
						.quantity = NA_Q_COUNT,
						.max = na_largest(d->cnps,
								  COLUMNS)};
	box.y1 -= na_time_axis_height(&d->l);
	if (!d->empty)
		d->side = na_legend_width(&d->l, d->legend, d->n_legend,
					  SIDE_MOST * d->page->width);
	d->n_panels = na_panels_fit(&d->l, box, d->panels, want, &d->side);
	if (!d->n_panels)
		return na_no_room(d->page, err);
	return place_time(d) ? NA_OK : na_fail_nomem(err);
}

/* Of what is smaller: few packets have room to be seen. */
static double least_bar(const struct drawing *d)
{
	return LEAST_BAR * (d->counts[DATA] < FEW ? 2 : 1);
}

static void flush(struct drawing *d, enum kind k, bool area)
{
	struct na_color c = d->l.theme->hue[looks[k].hue];

	if (area)
		na_draw_area(d->l.canvas, d->strokes.v, d->strokes.n, c);
	else
		na_draw_polyline(d->l.canvas, d->strokes.v, d->strokes.n,
				 NA_PEN(&d->l, c, least_bar(d)));
	d->strokes.n = 0;
}

/* From the first PSN of a column to its last. */
static void add_bar(struct drawing *d, const struct na_value *m,
		    const struct na_scale *y)
{
	double least = (kind_of(m) == DATA ? 1 : 4) *
		       fmax(least_bar(d) * d->l.unit, 1.2);
	double x = na_cut_time_at(&d->x, (na_number_at(m, M_from_s) +
				       na_number_at(m, M_to_s)) /
					      2);
	double y0 = na_scale_at(y, na_number_at(m, M_from_psn) - d->psn_from);
	double y1 = na_scale_at(y, na_number_at(m, M_to_psn) - d->psn_from);
	double more = fmax(least - (y0 - y1), 0) / 2;

	na_strokes_to(&d->strokes, x, y0 + more);
	na_strokes_to(&d->strokes, x, y1 - more);
	na_strokes_break(&d->strokes);
}

/* A triangle that points at the PSN that it names. */
static void add_arrow(struct drawing *d, const struct na_value *m,
		      const struct na_scale *y)
{
	double r = fmax(4 * d->l.unit, 2.5);
	double x = na_cut_time_at(&d->x, na_number_at(m, M_from_s));
	double at = na_scale_at(y, na_number_at(m, M_to_psn) - d->psn_from);

	na_strokes_to(&d->strokes, x, at);
	na_strokes_to(&d->strokes, x - r, at - 1.6 * r);
	na_strokes_to(&d->strokes, x + r, at - 1.6 * r);
	na_strokes_break(&d->strokes);
}

static void draw_notifications(struct drawing *d, const struct na_scale *y)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		double x = na_cut_time_at(&d->x, d->cnp_s[i]);

		if (!(d->cnps[i] > 0))
			continue;
		na_strokes_to(&d->strokes, x, na_scale_at(y, 0));
		na_strokes_to(&d->strokes, x, na_scale_at(y, d->cnps[i]));
		na_strokes_break(&d->strokes);
	}
	flush(d, CNP, false);
}

static void draw_kind(struct drawing *d, enum kind k, const struct na_scale *y)
{
	bool arrow = k == NAK || k == RNR;

	na_for_each (m, na_get(d->sequence, M_marks)) {
		if (kind_of(m) != k)
			continue;
		if (arrow)
			add_arrow(d, m, y);
		else
			add_bar(d, m, y);
	}
	flush(d, k, arrow);
}

static void draw_panel(struct drawing *d, size_t i)
{
	const struct na_panel *p = &d->panels[i];
	struct na_font font = na_layout_font(&d->l, NA_SIZE_NAME,
					     d->l.theme->text);
	struct na_row row = p->header;
	struct na_box clip = p->plot;
	struct words w = {.n = 0};
	char n[NA_UNIT_BUF], each[NA_LABEL_BUF];

	font.bold = true;
	na_row_put(&d->l, &row, i ? "Notifications" : "PSN", &font);
	font = na_layout_font(&d->l, NA_SIZE_TEXT, d->l.theme->secondary);
	if (i)
		na_words_add(&w, "in each %s; %s in all",
			     na_label_quantity(each, NA_Q_SECONDS,
					       (d->to_s - d->from_s) / COLUMNS,
					       3),
			     na_print_count(n, (uint64_t)d->counts[CNP]));
	else
		na_words_add(&w, "packet sequence number, from the first");
	na_row_put(&d->l, &row, w.text, &font);
	na_panel_draw(&d->l, p);
	clip.x0 -= d->l.gap / 2;
	clip.x1 += d->l.gap / 2;
	na_clip(d->l.canvas, clip);
	if (i == PART_CNP)
		draw_notifications(d, &p->y);
	for (size_t k = 0; k < KINDS && i == PART_PSN; k++)
		if (k != CNP)
			draw_kind(d, (enum kind)k, &p->y);
	na_unclip(d->l.canvas);
	na_cut_time_cuts(&d->l, &d->x, p->plot, i == PART_PSN);
}

static enum na_status draw_all(struct drawing *d, struct na_err *err)
{
	const struct na_box *plot = &d->panels[0].plot;
	bool failed;

	if (d->empty) {
		na_empty_plot(&d->l, *plot, d->empty);
		return NA_OK;
	}
	for (size_t i = 0; i < d->n_panels; i++)
		draw_panel(d, i);
	na_cut_time_axis(&d->l, &d->x, d->panels[d->n_panels - 1].plot.y1);
	if (d->x.n > 1)
		na_layout_footnote(&d->l, "torn edges: a stretch without "
					  "packets is cut out");
	if (d->side > 0)
		na_legend(&d->l, d->legend, d->n_legend,
			  (struct na_box){d->l.body.x1 - d->side, plot->y0,
					  d->l.body.x1,
					  d->panels[d->n_panels - 1].plot.y1});
	failed = d->strokes.failed;
	return failed ? na_fail_nomem(err) : NA_OK;
}

static void add_title(const struct drawing *d, struct words *w)
{
	static const char *const words[][2] = {
		{"timeout", "Waits for timeouts"},
		{"loss", "Packets are lost"},
		{"receiver_not_ready", "Receiver not ready"},
		{"congested", "Congested"},
		{"healthy", "Nothing wrong seen"},
	};
	const char *verdict = na_text_or(d->sequence, M_verdict, "");
	const char *name = d->sequence ? "RoCEv2 queue pair"
				       : "No RoCEv2 queue pair to draw";

	for (size_t i = 0; i < NA_LEN(words); i++)
		if (strcmp(verdict, words[i][0]) == 0)
			name = words[i][1];
	na_words_add(w, "%s", name);
	na_for_each (v, na_get(d->sequence, M_evidence)) {
		na_words_add(w, ": %s", na_text_of(v, ""));
		break;
	}
}

static void add_subtitle(const struct drawing *d, struct words *w)
{
	char n[NA_COUNT_BUF], m[NA_COUNT_BUF];

	na_words_inputs(d->result, w);
	if (!d->sequence)
		return;
	na_words_break(w);
	na_words_add(w, "%s to queue pair %lld of %s",
		     na_text_or(d->sequence, M_src, "?"),
		     (long long)na_count_at(d->sequence, M_qp),
		     na_text_or(d->sequence, M_dst, "?"));
	na_words_break(w);
	na_words_add(w, "queue pair %s of %s, worst first",
		     na_print_count(n,
				    (uint64_t)na_count_at(d->sequence, M_rank)),
		     na_print_count(m,
				    (uint64_t)na_count_at(d->body,
							  M_queue_pairs_used)));
}

static enum na_status rdma_draw(struct na_canvas *c, const struct na_result *r,
				const struct na_page *page, struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0}, desc = {.n = 0};
	struct drawing d = {.page = page};
	const char *title = page->title;
	enum na_status st;

	read_figure(&d, r);
	add_title(&d, &own);
	add_subtitle(&d, &subtitle);
	title = title ? title : own.text;
	na_layout_begin(&d.l, c, &na_fig_rdma, page, title, subtitle.text);
	na_words_add(&desc, "%s", subtitle.text);
	na_for_each (v, na_get(d.sequence, M_evidence))
		na_words_add(&desc, ". %s", na_text_of(v, ""));
	if (d.empty)
		na_words_add(&desc, ". %s", d.empty);
	na_canvas_describe(c, title, desc.text);
	name_legend(&d);
	st = place(&d, err);
	if (st == NA_OK)
		st = draw_all(&d, err);
	na_vec_free(&d.strokes);
	return st;
}

const struct na_figure na_fig_rdma = {
	.name = "rdma",
	.width = 1200,
	.height = 675,
	.draw = rdma_draw,
};
