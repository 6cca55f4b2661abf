/*
 * The time-sequence graph of one direction of a connection: which bytes were
 * sent when, acknowledged when, and how far the receiver's window reached;
 * below it bytes in flight against the window, and round trips.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/tcp/time.h"
#include "plot/layout.h"
#include "plot/log_axis.h"

#define SIDE_SHARE  0.175 /* of the page: the legend */
#define SIDE_LEAST  110   /* units: below that there is none */
#define SILENT_FADE 0.18
#define LEAST_BAR   2.0 /* of what is smaller than a point */

enum part {
	PART_SEQUENCE,
	PART_FATES,
	PART_RESENT,
	PART_FLIGHT,
	PART_RTT,
	PARTS
};

struct drawing {
	struct na_layout l;
	struct tcp_figure f;
	const struct na_page *page;
	struct na_panel panels[PARTS];
	enum part parts[PARTS];
	size_t n_panels;
	double side; /* width of the legend; 0: none */
	bool wide;   /* there is room for whole sentences */
	struct na_cut_time x;
	struct na_log_axis trips; /* of PART_RTT, in seconds */
	struct na_point *points; /* scratch */
};

static void ask_panel(struct drawing *d, enum part part, double weight,
		      enum na_quantity quantity, double max)
{
	d->panels[d->n_panels] = (struct na_panel){.weight = weight,
						   .quantity = quantity,
						   .max = fmax(max, 1e-9)};
	d->parts[d->n_panels++] = part;
}

static void ask_panels(struct drawing *d)
{
	const struct tcp_figure *f = &d->f;

	ask_panel(d, PART_SEQUENCE, 3.2, NA_Q_BYTES,
		  f->empty ? 1 : f->top - f->base);
	if (f->empty)
		return;
	if (f->fates)
		ask_panel(d, PART_FATES, 1.3, NA_Q_BYTES, 1.2 * f->most_bytes);
	if (f->resent)
		ask_panel(d, PART_RESENT, 0.7, NA_Q_COUNT, f->resent_top);
	if (f->flight_max && f->flight && f->flight_top > 0)
		ask_panel(d, PART_FLIGHT, 1, NA_Q_BYTES, f->flight_top);
	if (f->rtt_min && f->rtt_max && f->rtt_top > 0)
		ask_panel(d, PART_RTT, 1.2, NA_Q_SECONDS, f->rtt_top);
}

static double least_trip_s(const struct tcp_figure *f)
{
	double least_us = f->rtt_top * 1e6;

	for (size_t i = 0; i < f->n; i++) {
		if (f->rtt_min[i] > 0)
			least_us = fmin(least_us, f->rtt_min[i]);
	}
	return least_us / 1e6;
}

/* Round trips from the capture point may differ a thousandfold: by logarithm.
 * Returns by how much its labels stand out of the page. */
static double place_trips(struct drawing *d)
{
	const struct na_panel *p = &d->panels[d->n_panels - 1];

	if (d->parts[d->n_panels - 1] != PART_RTT)
		return 0;
	na_log_axis_init(&d->l, &d->trips, NA_Q_SECONDS, least_trip_s(&d->f),
			 d->f.rtt_top, true, p->plot.y1, p->plot.y0);
	return d->l.body.x0 + na_log_axis_width(&d->l, &d->trips) + d->l.gap -
	       p->plot.x0;
}

/* As many panels as there is room for, with the legend or without. */
static size_t fit(struct drawing *d, struct na_box box)
{
	size_t want = d->n_panels;

	while (want &&
	       !na_panels_place(&d->l, box, d->panels, want,
				d->side > 0 ? d->side + 2 * d->l.gap : 0)) {
		if (want > 1) {
			want--;
		} else if (d->wide) {
			d->side = 0;
			d->wide = false;
		} else {
			want = 0;
		}
	}
	return want;
}

static bool has_legend(const struct tcp_figure *f)
{
	bool any = f->fates || f->silences > 0 || f->closures > 0;

	for (size_t k = 0; k < TMS; k++)
		any |= f->counts[k] > 0;
	return any;
}

static enum na_status place_tcp(struct drawing *d, struct na_err *err)
{
	struct na_box box = d->l.body;
	double more = 0;

	ask_panels(d);
	box.y1 -= na_time_axis_height(&d->l);
	d->side = SIDE_SHARE * d->page->width;
	d->wide = !d->f.empty && d->side >= SIDE_LEAST;
	if (!d->wide || !has_legend(&d->f))
		d->side = 0;
	d->n_panels = fit(d, box);
	if (d->n_panels)
		more = place_trips(d);
	if (more > 0) {
		box.x0 += more;
		d->n_panels = fit(d, box);
		if (d->n_panels)
			place_trips(d);
	}
	if (!d->n_panels)
		return na_no_room(d->page, err);
	if (!d->f.empty &&
	    !na_tcp_time_place(&d->x, &d->f, d->panels[0].plot.x0,
			       d->panels[0].plot.x1, na_cut_time_gap(&d->l)))
		return na_fail_nomem(err);
	return NA_OK;
}

static double column_x(const struct drawing *d, size_t i)
{
	double share = (double)i / (double)d->f.n;

	return na_cut_time_at(&d->x,
			      d->f.from_s + share * (d->f.to_s - d->f.from_s));
}

static double column_width(const struct drawing *d)
{
	return na_cut_time_width(&d->x,
				 (d->f.to_s - d->f.from_s) / (double)d->f.n);
}

/* Spans of time behind the data: hatched, or in a colour. */
static void draw_spans(const struct drawing *d, const struct na_panel *p,
		       const struct na_value *list, bool hatched)
{
	struct na_color c = na_fade(d->l.theme->hue[NA_HUE_FINDING],
				    SILENT_FADE);

	na_for_each (v, list) {
		double from = na_number_at(v, M_from_s);
		double to = na_number_at(v, M_to_s);
		struct na_box b = p->plot;

		if (!(from <= to))
			continue;
		b.x0 = fmax(b.x0, na_cut_time_at(&d->x, from));
		b.x1 = fmin(b.x1, fmax(na_cut_time_at(&d->x, to), b.x0 + 1));
		if (b.x1 <= b.x0)
			continue;
		if (!hatched)
			na_draw_rect(d->l.canvas, b, c);
		else if (b.x1 - b.x0 < 3)
			na_draw_rect(d->l.canvas, b,
				     na_fade(d->l.theme->hue[NA_PURPLE], 0.3));
		else
			na_draw_hatch(
				d->l.canvas, b, fmax(8 * d->l.unit, 5),
				NA_HAIRLINE(&d->l,
					    na_fade(d->l.theme->hue[NA_PURPLE],
						    0.5)));
	}
}

/* What a value was until the next one: a line of steps over all columns. */
static size_t steps(const struct drawing *d, const struct na_scale *y,
		    const double *course)
{
	struct na_point *p = d->points;
	double last = NAN;
	size_t n = 0;

	for (size_t i = 0; i < d->f.n; i++) {
		double x = column_x(d, i), at;

		if (isnan(course[i]))
			continue;
		at = na_scale_at(y, course[i]);
		if (at == last)
			continue;
		if (!isnan(last))
			p[n++] = (struct na_point){x, last};
		p[n++] = (struct na_point){x, at};
		last = at;
	}
	if (!isnan(last))
		p[n++] = (struct na_point){d->panels[0].plot.x1, last};
	return n;
}

static void draw_steps(const struct drawing *d, const struct na_scale *y,
		       const double *course, const struct na_pen *pen)
{
	if (course)
		na_draw_polyline(d->l.canvas, d->points, steps(d, y, course),
				 pen);
}

/* A piece of a column, at least `least` high, as the next points. */
static size_t add_bar(const struct drawing *d, size_t n, size_t column,
		      double y0, double y1, double least)
{
	double x = (column_x(d, column) + column_x(d, column + 1)) / 2;
	double more = fmax(least - (y0 - y1), 0) / 2;

	d->points[n++] = (struct na_point){x, y0 + more};
	d->points[n++] = (struct na_point){x, y1 - more};
	d->points[n++] = (struct na_point){NAN, NAN};
	return n;
}

/* From the lowest to the highest of each column. */
static void draw_bars(const struct drawing *d, const struct na_scale *y,
		      const double *from, const double *to, double least,
		      struct na_color color)
{
	size_t n = 0;

	for (size_t i = 0; i < d->f.n; i++) {
		if (!isnan(from[i]) && !isnan(to[i]))
			n = add_bar(d, n, i, na_scale_at(y, from[i]),
				    na_scale_at(y, to[i]), least);
	}
	na_draw_polyline(d->l.canvas, d->points, n,
			 &(struct na_pen){.color = color,
					  .width = fmax(column_width(d),
							least)});
}

static void draw_data(const struct drawing *d, const struct na_scale *y)
{
	double least = fmax(LEAST_BAR * d->l.unit, 1.2);
	size_t n = 0;

	for (size_t i = 0; i < d->f.n_data; i++) {
		const int64_t *x = &d->f.data[3 * i];

		if (x[0] >= 0 && (size_t)x[0] < d->f.n)
			n = add_bar(d, n, (size_t)x[0],
				    na_scale_at(y, (double)x[1]),
				    na_scale_at(y, (double)x[2]), least);
	}
	na_draw_polyline(d->l.canvas, d->points, n,
			 &(struct na_pen){.color = d->l.theme->hue[NA_BLUE],
					  .width = least});
}

static struct na_pen edge_pen(const struct drawing *d)
{
	return (struct na_pen){d->l.theme->limit, fmax(1.2 * d->l.unit, 1),
			       NA_DASHED};
}

static void header(const struct drawing *d, const struct na_panel *p,
		   const char *name, struct na_color color, const char *words)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_NAME, color);
	struct na_row row = p->header;

	font.bold = true;
	na_row_put(&d->l, &row, name, &font);
	font = na_layout_font(&d->l, NA_SIZE_TEXT, d->l.theme->secondary);
	if (*words)
		na_row_put(&d->l, &row, words, &font);
}

/* What the lines are; beside a legend there is room to say what they count. */
static void sequence_words(const struct drawing *d, struct words *w)
{
	char n[NA_UNIT_BUF];

	if (d->wide && d->f.base > 0)
		na_words_add(w, "bytes behind the first %s: ",
			     na_print_count(n, (uint64_t)d->f.base));
	else if (d->wide)
		na_words_add(w, "bytes from %s: ",
			     na_flag_at(d->f.sequence, M_mid_stream)
				     ? "the lowest number seen"
				     : "the connection's start");
	na_words_add(w, "data blue%s%s%s", d->f.ack ? ", ACKs green" : "",
		     d->f.edge ? ", window's edge dashed" : "",
		     d->wide ? "" : ", resent vermilion");
}

/* The capture point may stand beside the receiver. */
static void trip_words(const struct drawing *d, struct words *w)
{
	double path_us = na_number_or(d->f.sequence, M_path_rtt_us, NAN);
	char buf[NA_LABEL_BUF];

	na_words_add(w, "data to its ACK");
	if (!d->wide)
		return;
	na_words_add(w, ", from the capture point to %s and back",
		     na_text_or(d->f.sequence, M_dst, "?"));
	if (isfinite(path_us))
		na_words_add(w, "; the whole path takes %s",
			     na_label_quantity(buf, NA_Q_SECONDS, path_us / 1e6,
					       3));
}

static void fate_words(const struct drawing *d, struct words *w)
{
	char n[NA_UNIT_BUF];

	na_words_add(w, "of payload: %s bytes or more above the dashed line",
		     na_print_count(n, (uint64_t)d->f.long_bytes));
	if (!d->wide)
		na_words_add(w, ", crosses had to be sent again");
}

static void draw_header(const struct drawing *d, size_t i)
{
	const struct na_panel *p = &d->panels[i];
	const struct na_theme *theme = d->l.theme;
	char each[NA_LABEL_BUF + 32], buf[NA_LABEL_BUF];
	struct words lines = {.n = 0}, trip = {.n = 0}, fates = {.n = 0};

	trip_words(d, &trip);
	fate_words(d, &fates);
	snprintf(each, sizeof(each), "segments in each %s",
		 na_label_quantity(buf, NA_Q_SECONDS,
				   (d->f.to_s - d->f.from_s) /
					   (double)(d->f.resent_n +
						    !d->f.resent_n),
				   3));
	sequence_words(d, &lines);
	if (d->parts[i] == PART_SEQUENCE)
		header(d, p, "Sequence", theme->text, lines.text);
	else if (d->parts[i] == PART_FATES)
		header(d, p, "Packet length", theme->text, fates.text);
	else if (d->parts[i] == PART_RESENT)
		header(d, p, "Resent", theme->hue[NA_HUE_FINDING], each);
	else if (d->parts[i] == PART_FLIGHT)
		header(d, p, "In flight", theme->hue[NA_BLUE],
		       d->f.window ? "dashed: the window" : "");
	else
		header(d, p, "Round trip", theme->hue[NA_PURPLE], trip.text);
}

static enum na_status draw_sequence(const struct drawing *d,
				    const struct na_panel *p,
				    struct na_err *err)
{
	const struct tcp_figure *f = &d->f;
	struct na_pen ack = {.color = d->l.theme->hue[NA_GREEN],
			     .width = fmax(1.4 * d->l.unit, 1)};
	struct na_pen edge = edge_pen(d);
	struct na_scale y = p->y;
	enum na_status st;

	y.from += f->base;
	y.to += f->base;
	draw_steps(d, &y, f->edge, &edge);
	draw_data(d, &y);
	st = na_tcp_figure_marks(&d->l, f, &d->x, &y, err);
	draw_steps(d, &y, f->ack, &ack);
	return st;
}

static enum na_status draw_fates(const struct drawing *d,
				 const struct na_panel *p, struct na_err *err)
{
	double y = na_scale_at(&p->y,
			       (d->f.short_bytes + d->f.long_bytes) / 2);
	struct na_point limit[] = {{p->plot.x0, y}, {p->plot.x1, y}};
	struct na_pen pen = edge_pen(d);

	na_draw_polyline(d->l.canvas, limit, 2, &pen);
	return na_tcp_figure_fates(&d->l, &d->f, &d->x, &p->y, err);
}

static void draw_flight(const struct drawing *d, const struct na_panel *p)
{
	struct na_color color = d->l.theme->hue[NA_BLUE];
	struct na_pen pen = {.color = color, .width = fmax(1.4 * d->l.unit, 1)};
	struct na_pen edge = edge_pen(d);

	draw_bars(d, &p->y, d->f.flight, d->f.flight_max, 0,
		  na_fade(color, 0.42));
	draw_steps(d, &p->y, d->f.flight, &pen);
	draw_steps(d, &p->y, d->f.window, &edge);
}

static void draw_rtt(const struct drawing *d)
{
	struct na_scale us = d->trips.scale;

	us.from *= 1e6;
	us.to *= 1e6;
	draw_bars(d, &us, d->f.rtt_min, d->f.rtt_max,
		  fmax(1.2 * LEAST_BAR * d->l.unit, 1.5),
		  d->l.theme->hue[NA_PURPLE]);
}

static void draw_resent(const struct drawing *d, const struct na_panel *p)
{
	size_t n = d->f.resent_n, k = 0;
	double each = (d->f.to_s - d->f.from_s) / (double)n;
	double w = na_cut_time_width(&d->x, each);

	for (size_t i = 0; i < n; i++) {
		double x =
			na_cut_time_at(&d->x,
				       d->f.from_s + each * ((double)i + 0.5));

		if (!(d->f.resent[i] > 0))
			continue;
		d->points[k++] = (struct na_point){x, na_scale_at(&p->y, 0)};
		d->points[k++] =
			(struct na_point){x,
					  na_scale_at(&p->y, d->f.resent[i])};
		d->points[k++] = (struct na_point){NAN, NAN};
	}
	na_draw_polyline(
		d->l.canvas, d->points, k,
		&(struct na_pen){.color = d->l.theme->hue[NA_HUE_FINDING],
				 .width = 0.8 * w});
}

/* Whether data waited for its ACK in what was cut, or nobody sent any. */
static void say_flights(const struct drawing *d, const struct na_panel *p)
{
	char text[NA_LABEL_BUF];

	for (size_t i = 0; i + 1 < d->x.n; i++) {
		double bytes = na_tcp_time_flight(&d->f, d->x.parts[i].to);

		if (isnan(bytes))
			continue;
		na_label_quantity(text, NA_Q_BYTES, bytes, 2);
		na_cut_time_say(&d->l, &d->x, p->plot, i, 1,
				bytes > 0 ? text : "nothing");
		na_cut_time_say(&d->l, &d->x, p->plot, i, 2, "in flight");
	}
}

static enum na_status draw_panel(const struct drawing *d, size_t i,
				 struct na_err *err)
{
	const struct na_panel *p = &d->panels[i];
	struct na_box clip = p->plot;
	enum na_status st = NA_OK;

	clip.x0 -= d->l.gap / 2;
	clip.x1 += d->l.gap / 2;
	draw_header(d, i);
	draw_spans(d, p, d->f.closed, true);
	draw_spans(d, p, d->f.silent, false);
	if (d->parts[i] == PART_RTT)
		na_log_axis_draw_y(&d->l, &d->trips, p->plot);
	else
		na_panel_draw(&d->l, p);
	na_clip(d->l.canvas, clip);
	if (d->parts[i] == PART_SEQUENCE)
		st = draw_sequence(d, p, err);
	else if (d->parts[i] == PART_FATES)
		st = draw_fates(d, p, err);
	else if (d->parts[i] == PART_RESENT)
		draw_resent(d, p);
	else if (d->parts[i] == PART_FLIGHT)
		draw_flight(d, p);
	else
		draw_rtt(d);
	na_unclip(d->l.canvas);
	na_cut_time_cuts(&d->l, &d->x, p->plot, i == 0);
	if (i == 0)
		say_flights(d, p);
	return st;
}

/* Beside the panels; that of lengths beside its own. */
static void draw_legends(const struct drawing *d)
{
	size_t last = d->n_panels - 1;
	struct na_box side = d->panels[0].plot;

	side.x0 = d->l.body.x1 - d->side;
	side.x1 = d->l.body.x1;
	if (last > 0 && d->parts[1] == PART_FATES) {
		struct na_box lower = side;

		lower.y0 = d->panels[1].plot.y0;
		lower.y1 = d->panels[last].plot.y1;
		na_tcp_figure_fates_legend(&d->l, &d->f, lower);
		side.y1 = d->panels[0].plot.y1;
	} else {
		side.y1 = d->panels[last].plot.y1;
	}
	na_tcp_figure_legend(&d->l, &d->f, side);
}

static enum na_status draw_all(struct drawing *d, struct na_err *err)
{
	const struct na_box *plot = &d->panels[0].plot;
	enum na_status st = NA_OK;

	if (d->f.empty) {
		na_empty_plot(&d->l, *plot, d->f.empty);
		return NA_OK;
	}
	d->points = na_calloc(d->f.n > d->f.n_data ? d->f.n : d->f.n_data,
			      3 * sizeof(*d->points));
	if (!d->points)
		return na_fail_nomem(err);
	for (size_t i = 0; st == NA_OK && i < d->n_panels; i++)
		st = draw_panel(d, i, err);
	na_cut_time_axis(&d->l, &d->x, d->panels[d->n_panels - 1].plot.y1);
	if (d->side > 0)
		draw_legends(d);
	free(d->points);
	return st;
}

static void tcp_footnote(struct drawing *d)
{
	double s = (d->f.to_s - d->f.from_s) / (double)(d->f.n ? d->f.n : 1);
	struct words w = {.n = 0};
	char buf[NA_LABEL_BUF];

	if (d->f.empty)
		return;
	na_words_add(&w, "columns of %s: bars are what was sent in one",
		     na_label_quantity(buf, NA_Q_SECONDS, s, 3));
	if (d->f.counts[TM_LOST] + d->f.counts[TM_UNRECORDED] > 0)
		na_words_add(&w,
			     "; hole: one segment or more, not recorded: lost "
			     "before the capture point (upstream), or "
			     "acknowledged, so that the capture missed them");
	if (d->x.n > 1)
		na_words_add(&w, "; torn edges: a stretch without packets is "
				 "cut out");
	if (d->f.edge_above)
		na_words_add(&w, "; the window's edge lies above the plot "
				 "where it is not seen");
	na_layout_footnote(&d->l, w.text);
}

static enum na_status tcp_draw(struct na_canvas *c, const struct na_result *r,
			       const struct na_page *page, struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0}, desc = {.n = 0};
	struct drawing d = {.page = page};
	const char *title = page->title;
	enum na_status st = na_tcp_figure_read(&d.f, r, err);

	if (st != NA_OK)
		return st;
	na_tcp_figure_title(&d.f, &own);
	na_tcp_figure_subtitle(&d.f, &subtitle);
	title = title ? title : own.text;
	na_layout_begin(&d.l, c, &na_fig_tcp, page, title, subtitle.text);
	na_words_add(&desc, "%s", subtitle.text);
	na_tcp_figure_evidence(&d.f, &desc);
	if (d.f.empty)
		na_words_add(&desc, ". %s", d.f.empty);
	na_canvas_describe(c, title, desc.text);
	st = place_tcp(&d, err);
	if (st == NA_OK)
		st = draw_all(&d, err);
	if (st == NA_OK)
		tcp_footnote(&d);
	na_tcp_figure_fini(&d.f);
	return st;
}

const struct na_figure na_fig_tcp = {
	.name = "tcp",
	.width = 1200,
	.height = 675,
	.draw = tcp_draw,
};
