/*
 * Latencies over time: every transfer or the density of millions, the
 * quantiles of each bin, and the waits of TCP's timers where transfers lie
 * at them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/figure.h"
#include "plot/figures/rpc/data.h"
#include "plot/figures/timeline/data.h"
#include "plot/layout.h"
#include "plot/thin.h"
#include "plot/trace.h"

enum { MODES_DRAWN = 5, LABELS_MAX = 3 * NA_TOP_SERIES };

struct drawing {
	struct na_layout l;
	struct rpc_data d;
	const struct na_page *page;
	struct rpc_axes a;
	struct na_ticks ticks;
	struct na_row header;
	double right; /* kept free for the names of lines */
};

/* A name beside the end of its line. */
struct label {
	const char *text;
	double x, y;
	struct na_color color;
};

static struct na_font text_font(const struct drawing *g, struct na_color color)
{
	return na_layout_font(&g->l, NA_SIZE_TEXT, color);
}

static const char *time_label(char *buf, double us)
{
	return na_label_quantity(buf, NA_Q_SECONDS, us * 1e-6, 3);
}

static double widest_tick(const struct drawing *g, const struct na_font *font)
{
	double widest = 0;
	char buf[NA_LABEL_BUF];

	for (size_t i = 0; i < g->ticks.n; i++) {
		if (!g->ticks.minor[i])
			widest =
				fmax(widest,
				     na_measure(g->l.canvas,
						time_label(buf, g->ticks.at[i]),
						font));
	}
	return widest;
}

static double name_width(const struct drawing *g, const struct na_font *font)
{
	double widest = na_measure(g->l.canvas, "p99", font);

	for (size_t i = 0; g->d.runs_apart && i < g->d.n_lines; i++) {
		char name[300];

		snprintf(name, sizeof(name), "%s p99", g->d.lines[i].name);
		widest = fmax(widest, na_measure(g->l.canvas, name, font));
	}
	return fmin(fmax(widest, na_measure(g->l.canvas, "max", font)),
		    0.2 * g->page->width);
}

/* All transfers lie in one bin: the axis is theirs, not the bin's. */
static void narrow(struct drawing *g)
{
	double from = INFINITY, to = -INFINITY, rim;

	if (g->d.n != 1 || !g->d.all_points)
		return;
	for (size_t i = 0; i < g->d.n_points; i++) {
		from = fmin(from, g->d.point_s[i]);
		to = fmax(to, g->d.point_s[i]);
	}
	rim = (to - from) / 20;
	if (!(rim > 0) || !isfinite(rim))
		return;
	g->a.x.from = fmax(g->d.from_s, from - rim);
	g->a.x.to = fmin(g->d.to_s, to + rim);
}

static enum na_status place_rpc(struct drawing *g, struct na_err *err)
{
	struct na_font font = text_font(g, g->l.theme->secondary);
	struct na_box box = g->l.body;
	double header =
		1.75 *
		na_layout_font(&g->l, NA_SIZE_NAME, g->l.theme->text).size;
	double height;

	box.y0 += header;
	box.y1 -= na_time_axis_height(&g->l);
	height = box.y1 - box.y0;
	g->right = name_width(g, &font) + g->l.gap;
	na_ticks_log(&g->ticks, g->d.least_us, g->d.most_us,
		     (size_t)fmax(height / (2.2 * font.size), 1));
	box.x0 += widest_tick(g, &font) + g->l.gap;
	box.x1 -= g->right;
	if (height < 4 * font.size || box.x1 - box.x0 < 8 * font.size)
		return na_no_room(g->page, err);
	g->a.plot = box;
	g->a.x = (struct na_scale){.from = g->d.from_s,
				   .to = g->d.to_s,
				   .at_from = box.x0,
				   .at_to = box.x1};
	narrow(g);
	g->a.y = (struct na_scale){.from = g->d.least_us,
				   .to = g->d.most_us,
				   .at_from = box.y1,
				   .at_to = box.y0,
				   .log = true};
	g->header = (struct na_row){.x = box.x0,
				    .end = box.x1,
				    .y = box.y0 - 0.45 * header};
	return NA_OK;
}

static void draw_grid(const struct drawing *g)
{
	struct na_font font = text_font(g, g->l.theme->secondary);
	const struct na_box *plot = &g->a.plot;
	struct na_point grid[3 * NA_TICKS_MAX];
	char buf[NA_LABEL_BUF];
	size_t n = 0;

	font.align = NA_RIGHT;
	for (size_t i = 0; i < g->ticks.n; i++) {
		double y = na_scale_at(&g->a.y, g->ticks.at[i]);

		if (g->ticks.minor[i])
			continue;
		grid[n++] = (struct na_point){plot->x0, y};
		grid[n++] = (struct na_point){plot->x1, y};
		grid[n++] = (struct na_point){NAN, NAN};
		na_draw_text(g->l.canvas, plot->x0 - g->l.gap,
			     y + 0.5 * na_text_ascent(&font),
			     time_label(buf, g->ticks.at[i]), &font);
	}
	if (n)
		na_draw_polyline(g->l.canvas, grid, n,
				 NA_PEN(&g->l, g->l.theme->grid, 1));
}

/* One value for each column of the page, or each bin where these are
 * wider: the largest in it, so that no peak is lost, or the mean. */
struct course {
	struct na_column_range *columns;
	struct na_point *p; /* [3 * n] */
	double *bins;
	size_t n;
};

static bool course_init(struct course *c, const struct drawing *g)
{
	size_t most = (size_t)(g->a.plot.x1 - g->a.plot.x0);

	most = most < NA_COLUMNS_MAX ? most : NA_COLUMNS_MAX;
	c->n = g->d.n < most ? g->d.n : most;
	c->columns = na_calloc(c->n, sizeof(*c->columns));
	c->p = na_calloc(3 * c->n, sizeof(*c->p));
	c->bins = na_calloc(g->d.n, sizeof(*c->bins));
	return c->columns && c->p && c->bins;
}

static void course_fini(struct course *c)
{
	free(c->columns);
	free(c->p);
	free(c->bins);
}

/* Fewer transfers in a bin have no such quantile: they are points. */
enum { MEDIAN_LEAST = 10, P99_LEAST = 100 };

/* Gaps where a bin holds fewer than `least`. */
static void load_course(struct course *c, const struct drawing *g,
			const double *us, const double *count, double least)
{
	for (size_t i = 0; i < g->d.n; i++)
		c->bins[i] = !count || count[i] >= least ? us[i] : (double)NAN;
	na_thin(c->bins, g->d.n, 0, (double)g->d.n, c->columns, c->n);
}

/* A jump by this factor is no line: most of the plot would be its ups and
 * downs. */
#define JUMP 1.5

/* Bins so narrow and so few with a quantile would be a speck between points,
 * with a name over them: the header tells the quantiles. */
#define LINE_LEAST 24.0 /* of the page, at its own size */

static bool is_speck(const struct drawing *g, const struct course *c, bool mean)
{
	double width = (g->a.plot.x1 - g->a.plot.x0) / (double)c->n;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += (mean ? c->columns[i].mean : c->columns[i].max) > 0;
	return g->d.all_points && (double)n * width < LINE_LEAST * g->l.unit;
}

/* Where a line ends: NaN, it has no point. */
static struct na_point draw_course(const struct drawing *g, struct course *c,
				   bool mean, const struct na_pen *pen)
{
	double width = (g->a.plot.x1 - g->a.plot.x0) / (double)c->n;
	struct na_point last = {NAN, NAN};
	double before = NAN;
	size_t n = 0;

	if (is_speck(g, c, mean))
		return last;
	for (size_t i = 0; i < c->n; i++) {
		double v = mean ? c->columns[i].mean : c->columns[i].max;
		double x = g->a.plot.x0 + width * (double)i;
		double y = v > 0 ? na_scale_at(&g->a.y, v) : NAN;

		if (!mean && (v > before * JUMP || v * JUMP < before))
			c->p[n++] = (struct na_point){NAN, NAN};
		before = v;
		if (isfinite(y))
			last = (struct na_point){x + width, y};
		c->p[n++] = (struct na_point){x, y};
		c->p[n++] = (struct na_point){x + width, y};
	}
	na_draw_polyline(g->l.canvas, c->p, n, pen);
	return last;
}

NA_ORDER(by_height, struct label, NA_UP(y))

/* Beside the plot, or right at a line that ends far from its edge: there on
 * a ground of its own, as points may lie behind it. */
static void draw_label(const struct drawing *g, const struct label *label,
		       const char *text, const struct na_font *font)
{
	const struct na_box *plot = &g->a.plot;
	double x = plot->x1 + 0.5 * g->l.gap, y = label->y + 0.4 * font->size;
	double width = na_measure(g->l.canvas, text, font);

	if (label->x + width + 2 * g->l.gap < plot->x1) {
		x = label->x + 0.5 * g->l.gap;
		na_draw_rect(g->l.canvas,
			     (struct na_box){x - 0.2 * g->l.gap,
					     y - na_text_ascent(font),
					     x + width + 0.2 * g->l.gap,
					     y + na_text_descent(font)},
			     na_fade(g->l.theme->background, 0.85));
	}
	na_draw_text(g->l.canvas, x, y, text, font);
}

/* Beside the plot, moved apart where they would touch. */
static void draw_labels(const struct drawing *g, struct label *labels, size_t n)
{
	struct na_font font = text_font(g, g->l.theme->text);
	double line = 1.15 * font.size, least = g->a.plot.y0;
	char text[NA_TEXT_MAX];

	na_sort(labels, n, by_height);
	for (size_t i = 0; i < n; i++) {
		/* Not into the labels of the time axis. */
		double most = g->a.plot.y1 - 0.7 * font.size -
			      line * (double)(n - 1 - i);

		labels[i].y = fmin(fmax(labels[i].y, least), most);
		least = labels[i].y + line;
		font.color = labels[i].color;
		na_text_fit(g->l.canvas, text, labels[i].text, &font,
			    g->right - 0.5 * g->l.gap, NA_CUT_MIDDLE);
		draw_label(g, &labels[i], text, &font);
	}
}

static void put_label(struct label *labels, size_t *n, struct na_point at,
		      const char *text, struct na_color color)
{
	if (isfinite(at.y))
		labels[(*n)++] = (struct label){text, at.x, at.y, color};
}

static enum na_status draw_lines(const struct drawing *g, struct na_err *err)
{
	struct label labels[LABELS_MAX];
	char names[NA_TOP_SERIES][300];
	struct course c = {.n = 0};
	size_t n = 0;

	if (!course_init(&c, g)) {
		course_fini(&c);
		return na_fail_nomem(err);
	}
	for (size_t i = 0; i < g->d.n_lines; i++) {
		const struct rpc_lines *x = &g->d.lines[i];
		bool one = !g->d.runs_apart;
		struct na_pen pen = {.color = one ? g->l.theme->text
						  : g->l.theme->hue[i],
				     .width = fmax(1.5 * g->l.unit, 1)};
		struct na_point at;

		snprintf(names[i], sizeof(names[i]), "%s p99", x->name);
		load_course(&c, g, x->p50, x->count, MEDIAN_LEAST);
		at = draw_course(g, &c, true, &pen);
		put_label(labels, &n, at, one ? "p50" : x->name, pen.color);
		pen.dash = NA_DASHED;
		load_course(&c, g, x->p99, x->count, P99_LEAST);
		at = draw_course(g, &c, false, &pen);
		put_label(labels, &n, at, one ? "p99" : names[i], pen.color);
		/* Where each transfer is a point, so is the largest. */
		if (!one || g->d.all_points)
			continue;
		pen.dash = NA_DOTTED;
		load_course(&c, g, x->max, x->count, MEDIAN_LEAST);
		at = draw_course(g, &c, false, &pen);
		put_label(labels, &n, at, "max", pen.color);
	}
	course_fini(&c);
	draw_labels(g, labels, n);
	return NA_OK;
}

/* "65 at 200 ms: like retransmission timeout, host-1" */
static void mode_words(const struct na_value *m, struct words *w)
{
	const struct na_value *hosts = na_get(m, M_hosts);
	const struct na_value *v = na_items(hosts);
	char at[NA_LABEL_BUF], count[NA_UNIT_BUF], host[96];

	na_label_quantity(at, NA_Q_SECONDS,
			  na_number_at(m, M_latency_ms) * 1e-3, 3);
	na_print_count(count, (uint64_t)na_count_at(m, M_count));
	na_words_add(w, "%s at %s: like %s", count, at, na_text_at(m, M_cause));
	for (size_t i = 0; v && i < 2; v = v->next, i++)
		na_words_add(w, "%s%s", i ? " and " : ", ",
			     na_text_clean(host, sizeof(host),
					   na_text_of(v, "")));
	if (v)
		na_words_add(w, " and others");
}

/* A line at the wait itself; its label above, at the left, where it does
 * not touch the one before. */
static void draw_modes(const struct drawing *g)
{
	const struct na_value *list = na_get(g->d.body, M_modes);
	const struct na_value *m = na_items(list);
	struct na_font font = text_font(g, g->l.theme->hue[NA_HUE_FINDING]);
	const struct na_box *plot = &g->a.plot;
	double taken[MODES_DRAWN];
	size_t n = 0;

	for (size_t i = 0; m && i < MODES_DRAWN; m = m->next, i++) {
		double ms = na_number_at(m, M_latency_ms);
		double y = na_scale_at(&g->a.y, ms * 1e3), width, base;
		struct words w = {.n = 0};
		char text[NA_TEXT_MAX];
		bool room = true;

		if (!(y > plot->y0 && y < plot->y1))
			continue;
		na_draw_line(g->l.canvas, plot->x0, y, plot->x1, y,
			     &(struct na_pen){.color = na_fade(font.color, 0.6),
					      .width = fmax(1.2 * g->l.unit, 1),
					      .dash = NA_LONG_DASHED});
		/* Below the line and the lower halves of points on it: a timer
		 * adds, so that most lie above. */
		base = y + 0.7 * g->l.gap + na_text_ascent(&font);
		for (size_t k = 0; k < n; k++)
			room &= fabs(taken[k] - base) > 1.3 * font.size;
		if (!room || base + na_text_descent(&font) > plot->y1)
			continue;
		taken[n++] = base;
		mode_words(m, &w);
		na_text_fit(g->l.canvas, text, w.text, &font,
			    plot->x1 - plot->x0 - g->l.gap, NA_CUT_END);
		width = na_measure(g->l.canvas, text, &font);
		na_draw_rect(g->l.canvas,
			     (struct na_box){plot->x0 + 0.3 * g->l.gap,
					     base - na_text_ascent(&font) - 1,
					     plot->x0 + 0.7 * g->l.gap + width,
					     base + na_text_descent(&font)},
			     na_fade(g->l.theme->background, 0.8));
		na_draw_text(g->l.canvas, plot->x0 + 0.5 * g->l.gap, base, text,
			     &font);
	}
}

/* "x 12 of 300 calls failed" */
static void put_failed(struct drawing *g)
{
	int64_t n = na_count_at(g->d.side, M_calls_failed);
	struct na_font font = text_font(g, g->l.theme->hue[NA_HUE_FINDING]);
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	struct words w = {.n = 0};

	if (n <= 0 || g->d.runs_apart)
		return;
	na_words_add(&w, "%s%s of %s calls failed",
		     g->d.n_failed ? "\xc3\x97 " : "",
		     na_print_count(a, (uint64_t)n),
		     na_print_count(b,
				    (uint64_t)na_count_at(g->d.side, M_calls)));
	na_row_put(&g->l, &g->header, w.text, &font);
}

/* Squares in the colour of a finding need their name. */
static void put_late(struct drawing *g)
{
	struct na_font font = text_font(g, g->l.theme->hue[NA_HUE_FINDING]);
	bool late = false, slow = false;

	for (size_t i = 0; !g->d.runs_apart && i < g->d.n_points; i++) {
		late |= g->d.point_tail[i] > 0;
		slow |= g->d.point_slow && g->d.point_slow[i] > 0;
	}
	if (late || slow)
		na_row_put(&g->l, &g->header,
			   late ? "\xe2\x96\xa0 over 100 ms late"
				: "\xe2\x96\xa0 slowest 1 % for their size",
			   &font);
}

static void draw_header(struct drawing *g)
{
	static const char *const names[] = {M_p50_us, M_p99_us, M_p99_9_us,
					    M_max_us};
	static const char *const words[] = {"p50", "p99", "p99.9", "max"};
	/* Of fewer transfers it is the largest. */
	static const int64_t least[] = {0, P99_LEAST, 10 * P99_LEAST, 0};
	struct na_font name = na_layout_font(&g->l, NA_SIZE_NAME,
					     g->l.theme->text);
	struct na_font plain = text_font(g, g->l.theme->secondary);
	const struct na_value *all = na_get(g->d.body, M_overall);
	char buf[NA_LABEL_BUF];

	name.bold = true;
	na_row_put(&g->l, &g->header, "latency", &name);
	for (size_t i = 0; !g->d.runs_apart && i < NA_LEN(names); i++) {
		double us = na_number_at(all, names[i]);
		struct words w = {.n = 0};

		if (isnan(us) || na_count_at(all, M_transfers) < least[i])
			continue;
		na_words_add(&w, "%s %s", words[i], time_label(buf, us));
		na_row_put(&g->l, &g->header, w.text, &plain);
	}
	put_late(g);
	put_failed(g);
	if (g->d.others) {
		struct words w = {.n = 0};

		na_words_add(&w, "%zu more runs not drawn", g->d.others);
		na_row_put(&g->l, &g->header, w.text, &plain);
	}
}

/* Most of the transfers in so little of the time: a picture of that alone would
 * tell them apart. */
#define CROWD_SHARE 0.9
#define CROWD_TIME  0.15

static void crowd_footnote(const struct drawing *g, struct words *w)
{
	size_t n = g->d.n_points, most = (size_t)(CROWD_SHARE * (double)n);
	const double *s = g->d.point_s;
	size_t at = 0;

	if (!g->d.all_points || most < MEDIAN_LEAST)
		return;
	for (size_t i = 1; i + most <= n; i++) {
		if (s[i + most - 1] - s[i] < s[at + most - 1] - s[at])
			at = i;
	}
	if (s[at + most - 1] - s[at] >
	    CROWD_TIME * (g->d.to_s - g->d.from_s))
		return;
	na_words_add(w,
		     "; %.0f %% of them from %.3f s to %.3f s (--from, --to)",
		     100 * CROWD_SHARE, s[at], s[at + most - 1]);
}

static void rpc_footnote(struct drawing *g)
{
	char a[NA_LABEL_BUF], count[NA_UNIT_BUF];
	struct words w = {.n = 0};
	double columns = g->a.plot.x1 - g->a.plot.x0;

	na_words_add(&w, "bin %s",
		     na_label_quantity(a, NA_Q_SECONDS, g->d.bin_s, 3));
	if ((double)g->d.n > fmin(columns, NA_COLUMNS_MAX))
		na_words_add(&w, ", of each pixel column the mean p50 and the "
				 "largest p99 and max");
	na_print_count(count, g->d.n_points);
	if (g->d.counts)
		na_words_add(
			&w,
			"; stronger: more transfers, by logarithm; %s late or "
			"beyond p99.9 one by one",
			count);
	else
		na_words_add(&w, "; every transfer is a point");
	crowd_footnote(g, &w);
	na_layout_footnote(&g->l, w.text);
}

static enum na_status draw_plot(struct drawing *g, struct na_err *err)
{
	const struct na_box *plot = &g->a.plot;
	enum na_status st;

	if (g->d.empty) {
		na_empty_plot(&g->l, *plot, g->d.empty);
		return NA_OK;
	}
	draw_grid(g);
	draw_header(g);
	na_clip(g->l.canvas, *plot);
	st = na_rpc_draw_scatter(&g->l, &g->d, &g->a);
	na_unclip(g->l.canvas);
	if (st != NA_OK)
		return na_fail_nomem(err);
	st = draw_lines(g, err);
	if (!g->d.runs_apart)
		draw_modes(g);
	na_clip(g->l.canvas, *plot);
	if (st == NA_OK && na_rpc_draw_tail(&g->l, &g->d, &g->a) != NA_OK)
		st = na_fail_nomem(err);
	na_unclip(g->l.canvas);
	na_time_axis(&g->l, &g->a.x, plot->y1, "time from the origin");
	rpc_footnote(g);
	return st;
}

/* The picture in words. */
static void describe_rpc(const struct drawing *g, struct na_canvas *c,
			 const char *title, const char *subtitle)
{
	const struct na_value *list = na_get(g->d.body, M_modes);
	const struct na_value *m = na_items(list);
	struct words w = {.n = 0};

	na_words_add(&w, "%s", subtitle);
	for (; m && !g->d.runs_apart; m = m->next) {
		na_words_add(&w, ". ");
		mode_words(m, &w);
	}
	if (g->d.empty)
		na_words_add(&w, ". %s", g->d.empty);
	na_canvas_describe(c, title, w.text);
}

static enum na_status rpc_draw(struct na_canvas *c, const struct na_result *r,
			       const struct na_page *page, struct na_err *err)
{
	struct drawing g = {.page = page};
	struct timeline inputs;
	struct words subtitle = {.n = 0};
	const char *title = page->title;
	enum na_status st;

	na_rpc_read(&g.d, r);
	inputs = (struct timeline){
		.doc = g.d.doc,
		.body = g.d.body,
		.result = r,
		.side = g.d.side,
		.from_s = g.d.from_s,
		.to_s = g.d.to_s,
		.host_capacity_gbps = NAN,
		.hosts = na_count_at(g.d.side, M_hosts),
		.runs_apart = g.d.runs_apart,
	};
	na_timeline_subtitle(&inputs, &subtitle);
	if (!title)
		title = na_result_get_word(g.d.result, NA_WORD_MESSAGE,
					   "Latency over time");
	na_layout_begin(&g.l, c, &na_fig_rpc, page, title, subtitle.text);
	describe_rpc(&g, c, title, subtitle.text);
	st = place_rpc(&g, err);
	return st == NA_OK ? draw_plot(&g, err) : st;
}

/* clang-format off */
static const struct na_figure_series series[] = {
	{M_p50_us, "p50", "us", 1, "blue", true},
	{M_p99_us, "p99", "us", 1, "vermilion", true},
	{M_max_us, "max", "us", 1, "purple", true},
	{M_count, "count", "transfers", 1, "green", false},
	{NULL, NULL, NULL, 0, NULL, false}
};
/* clang-format on */

const struct na_figure na_fig_rpc = {
	.name = "rpc",
	.width = 1200,
	.height = 675,
	.series = series,
	.draw = rpc_draw,
};
