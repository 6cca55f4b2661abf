#include "plot/figures/slack/waterfall.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/result/emit.h"
#include "plot/canvas.h"
#include "plot/figures/slack/waterfall_data.h"
#include "plot/layout.h"
#include "plot/scale.h"

enum { ENTRIES = WF_KINDS + 2 }; /* of the legend: kinds, and their waits */

#define LABEL_SHARE 0.3  /* of the width, at most */
#define BAR_SHARE   0.66 /* of a line */
#define MOST_LINE   2.0  /* of the small text: few rows do not grow */

struct drawing {
	struct na_layout l;
	struct waterfall w;
	struct na_scale x; /* us */
	struct na_box plot;
	struct na_box strip; /* the device */
	double line;         /* height of a row */
	double legend;       /* width; 0: none */
	double label;        /* width */
};

static struct na_color color_of(const struct drawing *d, enum wf_kind kind)
{
	static const enum na_hue hues[WF_KINDS] = {
		[WF_D2H] = NA_SKY,          [WF_SEND] = NA_HUE_TX,
		[WF_NETWORK] = NA_HUE_RX,   [WF_COMPUTE] = NA_GREEN,
		[WF_H2D] = NA_PURPLE,       [WF_WAIT] = NA_GREY,
		[WF_LATE_PEER] = NA_ORANGE, [WF_RECV_DONE] = NA_GREY,
		[WF_RECEIVE] = NA_HUE_RX,
	};
	struct na_color color = d->l.theme->hue[hues[kind]];

	return kind == WF_RECEIVE ? na_mix(d->l.theme->background, color, 0.28)
				  : color;
}

/* On the path: time in which nothing moves. */
static bool waits(enum wf_kind kind)
{
	return kind == WF_WAIT || kind == WF_LATE_PEER || kind == WF_SEND;
}

static struct na_font small_font(const struct drawing *d, struct na_color color)
{
	return na_layout_font(&d->l, NA_SIZE_SMALL, color);
}

/* Never thinner than a pixel: it would not be there. */
static struct na_box bar_at(const struct drawing *d, double y, double from_us,
			    double to_us)
{
	double x0 = na_scale_at(&d->x, from_us), x1 = na_scale_at(&d->x, to_us);
	double half = BAR_SHARE * d->line / 2;

	x0 = fmin(fmax(x0, d->plot.x0), d->plot.x1);
	x1 = fmin(fmax(x1, d->plot.x0), d->plot.x1);
	return (struct na_box){x0, y - half, fmax(x1, x0 + 1), y + half};
}

static void fill_part(const struct drawing *d, struct na_box b,
		      enum wf_kind kind)
{
	na_draw_rect(d->l.canvas, b, color_of(d, kind));
}

static void fill_step(const struct drawing *d, struct na_box b,
		      enum wf_kind kind)
{
	struct na_color color = color_of(d, kind);

	if (!waits(kind)) {
		fill_part(d, b, kind);
		return;
	}
	na_draw_rect(d->l.canvas, b,
		     na_mix(d->l.theme->background, color, 0.22));
	na_draw_hatch(d->l.canvas, b, 5 * fmax(d->l.unit, 0.7),
		      &(struct na_pen){.color = color,
				       .width = 1.2 * fmax(d->l.unit, 0.8)});
}

static void outline_box(const struct drawing *d, struct na_box b)
{
	const struct na_point p[] = {{b.x0, b.y0},
				     {b.x1, b.y0},
				     {b.x1, b.y1},
				     {b.x0, b.y1},
				     {b.x0, b.y0}};

	na_draw_polyline(d->l.canvas, p, 5,
			 &(struct na_pen){.color = d->l.theme->text,
					  .width = 1.4 * fmax(d->l.unit, 0.8)});
}

/* ---- where everything stands */

static size_t entries(const struct drawing *d,
		      struct na_legend_entry e[ENTRIES])
{
	/* clang-format off */
	static const char *const names[WF_KINDS] = {
		[WF_D2H] = "device to host", [WF_SEND] = "send",
		[WF_NETWORK] = "network", [WF_COMPUTE] = "reduce",
		[WF_H2D] = "host to device", [WF_WAIT] = "waiting",
		[WF_LATE_PEER] = "late peer", [WF_RECV_DONE] = "host was done",
	};
	/* clang-format on */
	bool there[WF_KINDS] = {false}, held = false;
	double least = d->w.length_us / 1e3;
	size_t n = 0;

	/* What is too short to be seen needs no name. */
	for (size_t i = 0; i < d->w.n_steps; i++) {
		const struct wf_step *s = &d->w.steps[i];

		bool seen = s->to_us - s->from_us >= least;

		there[s->kind] |= seen;
		held |= seen && s->kind == WF_SEND;
	}
	for (size_t i = 0; i < d->w.n_rows; i++) {
		const struct wf_row *row = &d->w.rows[i];
		double moves = row->kind == WF_RECEIVE && row->network_us > 0
				       ? row->network_us
				       : 0;

		if (!row->shown)
			continue;
		there[WF_NETWORK] |= moves > 0;
		there[row->kind] |= row->kind != WF_RECEIVE ||
				    row->to_us - row->from_us - moves >= least;
	}
	for (size_t k = 0; k < WF_KINDS; k++) {
		if (there[k] && names[k])
			e[n++] = (struct na_legend_entry){
				names[k], color_of(d, (enum wf_kind)k),
				k == WF_WAIT || k == WF_LATE_PEER};
		if (k == WF_SEND && held)
			e[n++] = (struct na_legend_entry){
				"waits to be sent", color_of(d, WF_SEND), true};
	}
	if (there[WF_RECEIVE])
		e[n++] = (struct na_legend_entry){"before data left",
						  color_of(d, WF_RECEIVE),
						  false};
	return n;
}

static void strip_label(const struct drawing *d, struct words *w)
{
	char buf[NA_LABEL_BUF];

	na_words_add(w, "%s send to recv-done, %s",
		     na_text_or(d->w.late, M_device, "?"),
		     na_label_quantity(buf, NA_Q_SECONDS,
				       d->w.length_us / NA_US_PER_S, 3));
}

static double label_width(const struct drawing *d, double most)
{
	struct na_font font = small_font(d, d->l.theme->text);
	struct words strip = {.n = 0};
	double width;

	strip_label(d, &strip);
	width = na_measure(d->l.canvas, strip.text, &font);

	for (size_t i = 0; i < d->w.n_rows; i++) {
		struct words w = {.n = 0};

		if (!d->w.rows[i].shown)
			continue;
		na_wf_label(&d->w.rows[i], &w);
		width = fmax(width, na_measure(d->l.canvas, w.text, &font));
	}
	return fmin(width, most);
}

/* Lines from the top: the device, then each host's name and its rows. */
static void place_rows(struct drawing *d)
{
	double y = d->plot.y0 + 0.6 * d->line;

	d->strip = (struct na_box){d->plot.x0, y - 0.45 * d->line, d->plot.x1,
				   y + 0.45 * d->line};
	y += 0.6 * d->line;
	for (size_t h = 0; h < d->w.n_hosts; h++) {
		if (!d->w.hosts[h].shown)
			continue;
		y += d->line;
		d->w.hosts[h].y = y - 0.42 * d->line;
		for (size_t i = 0; i < d->w.n_rows; i++) {
			if (d->w.rows[i].host != h || !d->w.rows[i].shown)
				continue;
			d->w.rows[i].y = y + d->line / 2;
			y += d->line;
		}
	}
}

static bool place_waterfall(struct drawing *d)
{
	struct na_font font = small_font(d, d->l.theme->text);
	double width = d->l.body.x1 - d->l.body.x0, used = 2;
	double least = 1.5 * font.size, height;
	struct na_legend_entry e[ENTRIES];

	d->plot = d->l.body;
	d->plot.y1 -= na_time_axis_height(&d->l);
	height = d->plot.y1 - d->plot.y0;
	if (height < 6 * least || width < 20 * font.size)
		return false;
	na_wf_choose(&d->w, (size_t)(height / least - 2));
	for (size_t h = 0; h < d->w.n_hosts; h++)
		used += d->w.hosts[h].shown ? (double)d->w.hosts[h].shown + 1
					    : 0;
	d->line = fmin(height / used, MOST_LINE * font.size);
	d->plot.y1 = fmin(d->plot.y1,
			  d->plot.y0 + used * d->line + d->line * 0.4);
	d->legend = na_legend_width(&d->l, e, entries(d, e), 0.2 * width);
	d->label = label_width(d, LABEL_SHARE * width);
	d->plot.x0 += d->label + d->l.gap;
	d->plot.x1 -= d->legend + d->l.gap;
	d->x = (struct na_scale){.from = d->w.from_us,
				 .to = d->w.to_us,
				 .at_from = d->plot.x0,
				 .at_to = d->plot.x1};
	place_rows(d);
	return d->plot.x1 - d->plot.x0 > 8 * font.size;
}

/* ---- what is drawn */

/* The path as the device's own time. */
static void draw_strip(const struct drawing *d)
{
	struct na_font font = small_font(d, d->l.theme->text);
	double middle = (d->strip.y0 + d->strip.y1) / 2;
	char text[NA_TEXT_MAX];
	struct words w = {.n = 0};
	struct na_box all;

	for (size_t i = 0; i < d->w.n_steps; i++) {
		const struct wf_step *s = &d->w.steps[i];
		struct na_box b = bar_at(d, middle, s->from_us, s->to_us);

		b.y0 = d->strip.y0;
		b.y1 = d->strip.y1;
		fill_step(d, b, s->kind);
	}
	all = bar_at(d, middle, 0, d->w.length_us);
	all.y0 = d->strip.y0;
	all.y1 = d->strip.y1;
	outline_box(d, all);
	strip_label(d, &w);
	font.align = NA_RIGHT;
	na_text_fit(d->l.canvas, text, w.text, &font, d->label, NA_CUT_END);
	na_draw_text(d->l.canvas, d->plot.x0 - d->l.gap,
		     middle + na_text_ascent(&font) / 2, text, &font);
}

/* Who waits longest on the path, a victim of somebody as a rule: it is named,
 * and not marked as a finding; NULL: nobody. */
static const struct wf_step *longest_wait(const struct drawing *d)
{
	const struct wf_step *most = NULL;

	for (size_t i = 0; i < d->w.n_steps; i++) {
		const struct wf_step *s = &d->w.steps[i];

		if (waits(s->kind) && s->row >= 0 &&
		    (!most ||
		     s->to_us - s->from_us > most->to_us - most->from_us))
			most = s;
	}
	return most;
}

static void draw_host(const struct drawing *d, const struct wf_host *h)
{
	const struct wf_step *wait = longest_wait(d);
	bool worst = wait &&
		     &d->w.hosts[d->w.rows[wait->row].host] == h;
	char length[NA_LABEL_BUF];
	struct na_font name = small_font(d, d->l.theme->text);
	struct na_font plain = small_font(d, d->l.theme->secondary);
	double end = worst ? na_scale_at(&d->x, 0) - d->l.gap / 2
			   : d->plot.x1;
	struct na_row row = {d->l.body.x0, end,
			     h->y + na_text_ascent(&name) / 2, false};
	struct words w = {.n = 0};

	name.bold = true;
	na_draw_line(d->l.canvas, d->l.body.x0, h->y - d->line / 2, d->plot.x1,
		     h->y - d->line / 2, NA_PEN(&d->l, d->l.theme->grid, 1));
	na_row_put(&d->l, &row, h->name, &name);
	name.bold = false;
	if (worst) {
		na_words_add(&w, "the longest wait: %s",
			     na_label_quantity(length, NA_Q_SECONDS,
					       (wait->to_us - wait->from_us) /
						       NA_US_PER_S,
					       3));
		na_row_put(&d->l, &row, w.text, &name);
		w.n = 0;
	}
	if (h->rows > h->shown)
		na_words_add(&w, "%zu of %zu actions shown", h->shown, h->rows);
	if (w.n)
		na_row_put(&d->l, &row, w.text, &plain);
}

static void draw_row(const struct drawing *d, const struct wf_row *row)
{
	struct na_font font = small_font(d, row->critical
						    ? d->l.theme->text
						    : d->l.theme->secondary);
	struct na_box b = bar_at(d, row->y, row->from_us, row->to_us);
	char text[NA_TEXT_MAX];
	struct words w = {.n = 0};

	if (row->to_us >= d->w.from_us && row->from_us <= d->w.to_us)
		fill_part(d, b, row->kind);
	if (row->kind == WF_RECEIVE && row->network_us > 0)
		fill_part(d,
			  bar_at(d, row->y,
				 fmax(row->to_us - row->network_us,
				      row->from_us),
				 row->to_us),
			  WF_NETWORK);
	na_wf_label(row, &w);
	font.align = NA_RIGHT;
	na_text_fit(d->l.canvas, text, w.text, &font, d->label, NA_CUT_MIDDLE);
	na_draw_text(d->l.canvas, d->plot.x0 - d->l.gap,
		     row->y + na_text_ascent(&font) / 2, text, &font);
}

/* From where the path left an action to where it reaches the next: straight
 * up or down, or dotted from one to the other where it went through actions
 * that are not shown. */
static void draw_turn(const struct drawing *d, struct na_point from,
		      struct na_point to, bool hidden)
{
	struct na_pen pen = {.color = d->l.theme->text,
			     .width = 1.2 * fmax(d->l.unit, 0.8),
			     .dash = hidden ? NA_DOTTED : NA_SOLID};

	if (!isfinite(from.y) || fabs(from.y - to.y) <= d->line / 2)
		return;
	if (!hidden)
		from.x = to.x;
	na_draw_line(d->l.canvas, from.x, from.y, to.x, to.y, &pen);
}

static bool is_hidden(const struct drawing *d, const struct wf_step *s)
{
	return s->row >= 0 && !d->w.rows[s->row].shown;
}

/* Outlined where it goes along an action, and from one to the next. */
static void draw_path(const struct drawing *d)
{
	struct na_point before = {NAN, NAN};
	bool hidden = false;

	for (size_t i = 0; i < d->w.n_steps; i++) {
		const struct wf_step *s = &d->w.steps[i];
		const struct wf_row *row = s->row < 0 ? NULL
						      : &d->w.rows[s->row];
		double x = na_scale_at(&d->x, s->from_us);

		hidden |= is_hidden(d, s);
		if (!row || !row->shown)
			continue;
		if (waits(s->kind))
			fill_step(d, bar_at(d, row->y, s->from_us, s->to_us),
				  s->kind);
		else
			outline_box(d, bar_at(d, row->y, s->from_us, s->to_us));
		draw_turn(d, before, (struct na_point){x, row->y}, hidden);
		before = (struct na_point){na_scale_at(&d->x, s->to_us),
					   row->y};
		hidden = false;
	}
}

/* Where the device's time begins and ends. */
static void draw_ends(const struct drawing *d)
{
	const double at[] = {0, d->w.length_us};

	for (size_t i = 0; i < 2; i++) {
		double x = na_scale_at(&d->x, at[i]);

		na_draw_line(d->l.canvas, x, d->plot.y0, x, d->plot.y1,
			     &(struct na_pen){.color = d->l.theme->limit,
					      .width = fmax(d->l.unit, 0.8),
					      .dash = NA_DASHED});
	}
}

static void draw_axis(const struct drawing *d)
{
	struct na_scale s = d->x;

	s.from /= NA_US_PER_S;
	s.to /= NA_US_PER_S;
	na_time_axis(&d->l, &s, d->plot.y1, "time from the device's send");
}

static void draw_all(const struct drawing *d)
{
	struct na_legend_entry e[ENTRIES];
	size_t n = entries(d, e);

	draw_ends(d);
	draw_strip(d);
	for (size_t h = 0; h < d->w.n_hosts; h++) {
		if (d->w.hosts[h].shown)
			draw_host(d, &d->w.hosts[h]);
	}
	for (size_t i = 0; i < d->w.n_rows; i++) {
		if (d->w.rows[i].shown)
			draw_row(d, &d->w.rows[i]);
	}
	draw_path(d);
	draw_axis(d);
	na_legend(&d->l, e, n,
		  (struct na_box){d->l.body.x1 - d->legend, d->plot.y0,
				  d->l.body.x1, d->l.body.y1});
}

static void draw_nothing(const struct drawing *d)
{
	struct na_box b = d->l.body;

	b.y1 -= na_time_axis_height(&d->l);
	na_empty_plot(&d->l, b, d->w.empty.text);
}

static void waterfall_footnote(struct drawing *d)
{
	struct words w = {.n = 0};
	bool hidden = false;

	na_words_add(&w, "outlined: the critical path");
	for (size_t i = 0; i < d->w.n_steps && !hidden; i++)
		hidden = is_hidden(d, &d->w.steps[i]);
	if (hidden)
		na_words_add(&w, "; dotted: through actions that are not "
				 "shown");
	if (d->w.hidden)
		na_words_add(&w, "; %zu more actions are not shown",
			     d->w.hidden);
	na_layout_footnote(&d->l, w.text);
}

static void describe_waterfall(const struct drawing *d, const char *title,
			       const char *subtitle)
{
	const struct na_value *v = na_get(d->w.late, M_path);
	struct words w = {.n = 0};
	char buf[NA_LABEL_BUF];

	na_words_add(&w, "%s", subtitle);
	if (d->w.empty.n)
		na_words_add(&w, ". %s", d->w.empty.text);
	for (v = na_items(v); v; v = v->next)
		na_words_add(&w, ". %s on %s: %s", na_text_or(v, M_kind, "?"),
			     na_text_or(v, M_host, "?"),
			     na_label_quantity(buf, NA_Q_SECONDS,
					       na_number_or(v, M_duration_us,
							    0) /
						       NA_US_PER_S,
					       3));
	na_canvas_describe(d->l.canvas, title, w.text);
}

enum na_status na_slack_waterfall(struct na_canvas *c,
				  const struct na_figure *f,
				  const struct na_result *r,
				  const struct na_page *page,
				  struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0};
	struct drawing d = {.legend = 0};
	enum na_status st = na_wf_read(&d.w, r, err);
	const char *title = page->title;

	if (st == NA_OK) {
		na_wf_title(&d.w, &own);
		na_wf_subtitle(&d.w, r, &subtitle);
		title = title ? title : own.text;
		na_layout_begin(&d.l, c, f, page, title, subtitle.text);
		describe_waterfall(&d, title, subtitle.text);
		if (d.w.empty.n) {
			draw_nothing(&d);
		} else if (place_waterfall(&d)) {
			draw_all(&d);
			waterfall_footnote(&d);
		} else {
			st = na_no_room(page, err);
		}
	}
	na_wf_fini(&d.w);
	return st;
}
