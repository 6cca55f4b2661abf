/*
 * Throughput over time against the capacity, what was outstanding and
 * pending, and the steps, on one time axis: how full was the network, when,
 * and against which limit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/figures/timeline/data.h"
#include "plot/figures/timeline/each.h"
#include "plot/figures/timeline/each_data.h"
#include "plot/figures/timeline/runs.h"
#include "plot/figures/timeline/saturation.h"
#include "plot/figures/timeline/small.h"
#include "plot/figures/timeline/steps.h"
#include "plot/layout.h"
#include "plot/scale.h"
#include "plot/trace.h"

#define BAND_SHARE 0.42
#define FILL_SHARE 0.14

enum part { PART_RX, PART_TX, PART_OUTSTANDING, PART_PENDING, PARTS };

struct drawing {
	struct na_layout l;
	struct timeline t;
	const struct na_page *page;
	struct na_panel panels[PARTS];
	enum part parts[PARTS]; /* what each panel shows */
	size_t n_panels;
	struct na_scale x;
	size_t want; /* panels */
	double legend_width;
	struct saturation saturation[2];
	double *scratch; /* [bins] */
};

/* clang-format off */
static const char *const side_names[] = {
	[RX] = "RX throughput", [TX] = "TX throughput"};

static const char *side_name(const struct timeline *t, enum side side)
{
	if (!t->packets)
		return side_names[side];
	if (side == RX && !t->gbps[TX])
		return "Packets on the wire";
	return side == RX ? "Packets received" : "Packets sent";
}

static struct na_color hue(const struct drawing *d, enum na_hue h)
{
	return d->l.theme->hue[h];
}

static struct na_color side_color(const struct drawing *d, enum side side)
{
	return hue(d, side == RX ? NA_HUE_RX : NA_HUE_TX);
}

static void ask_throughput(const struct drawing *d, struct na_panel *p,
			   enum side side)
{
	const struct timeline *t = &d->t;

	/* A side that was not recorded, beside one that was. */
	if (!t->gbps[side] && t->gbps[side == RX ? TX : RX]) {
		*p = (struct na_panel){.weight = 0};
		return;
	}
	*p = (struct na_panel){.weight = 3, .quantity = NA_Q_RATE};
	/* One scale: what is higher is more, on either side. */
	p->max = fmax(na_timeline_top(t, RX), na_timeline_top(t, TX)) * NA_GIGA;
	if (na_timeline_draws_capacity(t)) {
		p->max = fmax(p->max, t->capacity_gbps * NA_GIGA);
		p->label_above = true;
	}
}

static void ask_panel(const struct drawing *d, struct na_panel *p,
		      enum part part)
{
	const struct timeline *t = &d->t;

	if (part == PART_RX || part == PART_TX) {
		ask_throughput(d, p, part == PART_RX ? RX : TX);
		return;
	}
	*p = (struct na_panel){.weight = 1.25};
	if (part == PART_OUTSTANDING) {
		p->quantity = NA_Q_BYTES;
		p->max = fmax(na_largest(t->outstanding[RX], t->n),
			      na_largest(t->outstanding[TX], t->n));
	} else {
		p->quantity = NA_Q_COUNT;
		p->max = fmax(na_largest(t->pending, t->n),
			      na_largest(t->pending_max, t->n));
	}
}

/* Where runs are apart, nothing would tell whose step is whose. */
static bool has_steps(const struct timeline *t)
{
	return !t->runs_apart && na_steps_count(t->body);
}

/* As many panels as the page has room for, the throughputs first. */
static enum na_status place_timeline(struct drawing *d, struct na_err *err)
{
	double below = na_time_axis_height(&d->l);
	struct na_box box = d->l.body;
	double right = d->legend_width > 0 ? d->legend_width + 2 * d->l.gap : 0;
	size_t want = d->want;

	if (has_steps(&d->t))
		below += na_marks_height(&d->l);
	box.y1 -= below;
	for (; want > 0; want--) {
		d->n_panels = 0;
		for (enum part i = 0; i < want; i++) {
			/* Packets that were only seen are not sent as well. */
			if (d->t.packets && i == PART_TX && !d->t.gbps[TX])
				continue;
			d->parts[d->n_panels] = i;
			ask_panel(d, &d->panels[d->n_panels++], i);
		}
		if (na_panels_place(&d->l, box, d->panels, d->n_panels, right))
			break;
	}
	if (!want)
		return na_no_room(d->page, err);
	d->x = (struct na_scale){.from = d->t.from_s,
				 .to = d->t.to_s,
				 .at_from = d->panels[0].plot.x0,
				 .at_to = d->panels[0].plot.x1};
	return NA_OK;
}

/* Bins in units of the axis (bit/s) for the trace. */
static const double *in_bits(struct drawing *d, const double *gbps)
{
	for (size_t i = 0; i < d->t.n; i++)
		d->scratch[i] = gbps[i] * NA_GIGA;
	return d->scratch;
}

static enum na_status draw_total(struct drawing *d, const struct na_panel *p,
				 enum side side, struct na_err *err)
{
	const double *bins = in_bits(d, d->t.gbps[side]);
	struct na_color color = side_color(d, side);
	struct na_trace trace;

	if (!na_trace_init(&trace, bins, d->t.n, p->plot.x0, p->plot.x1))
		return na_fail_nomem(err);
	na_trace_fill(d->l.canvas, &trace, &p->y, na_fade(color, FILL_SHARE));
	na_timeline_draw_saturation(&d->l, p, &d->t, side);
	na_panel_draw(&d->l, p);
	na_trace_gaps(d->l.canvas, &trace, p->plot,
		      NA_PEN(&d->l, d->l.theme->grid, 1));
	if (!trace.steps)
		na_trace_band(d->l.canvas, &trace, &p->y,
			      na_fade(color, BAND_SHARE));
	na_trace_line(d->l.canvas, &trace, &p->y,
		      NA_PEN(&d->l, color, 1.4));
	na_trace_fini(&trace);
	return NA_OK;
}

static struct na_color series_color(const struct drawing *d, size_t i)
{
	bool rest = d->t.has_rest && i + 1 == d->t.n_series;

	return hue(d, rest ? NA_HUE_REST : (enum na_hue)i);
}

/* Layers are painted from the whole stack down, each over the one above:
 * so a layer costs one edge, and no gap can open between two. */
static enum na_status draw_stack(struct drawing *d, const struct na_panel *p,
				 enum side side, struct na_err *err)
{
	const struct timeline *t = &d->t;
	struct na_trace trace;

	if (!na_trace_init(&trace, in_bits(d, t->gbps[side]), t->n, p->plot.x0,
			   p->plot.x1))
		return na_fail_nomem(err);
	na_timeline_draw_saturation(&d->l, p, t, side);
	na_panel_draw(&d->l, p);
	na_trace_band(d->l.canvas, &trace, &p->y,
		      na_fade(d->l.theme->secondary, 0.35));
	for (size_t k = t->n_series; k-- > 0;) {
		memset(d->scratch, 0, t->n * sizeof(*d->scratch));
		for (size_t j = 0; j <= k; j++) {
			const double *rate = t->series[j].rate[side];

			for (size_t i = 0; rate && i < t->n; i++)
				d->scratch[i] += rate[i];
		}
		na_trace_load(&trace, d->scratch, t->n);
		na_trace_fill(d->l.canvas, &trace, &p->y, series_color(d, k));
	}
	na_trace_fini(&trace);
	return NA_OK;
}

static void put_finding(const struct drawing *d, struct na_row *row,
			enum side side)
{
	const struct saturation *s = &d->saturation[side];
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     hue(d, NA_HUE_FINDING));
	char share[NA_LABEL_BUF], time[NA_LABEL_BUF];
	struct words w = {.n = 0};

	if (!s->regions || d->t.runs_apart)
		return;
	font.bold = true;
	na_label_short(share, s->share * 100, 3);
	na_label_quantity(time, NA_Q_SECONDS, s->seconds, 3);
	if (d->t.hosts > 1)
		na_words_add(&w,
			     "saturated %s %% of host time (%zu of %" PRId64
			     " hosts, %s)",
			     share, s->hosts, d->t.hosts, time);
	else
		na_words_add(&w, "saturated %s %% of the time (%s)", share,
			     time);
	if (na_row_put(&d->l, row, w.text, &font))
		return;
	w.n = 0;
	na_words_add(&w, "saturated %s %%", share);
	na_row_put(&d->l, row, w.text, &font);
}

/* Name, finding and numbers of a throughput, in one row. */
static const char *nothing(enum side side)
{
	return side == RX ? "nothing to draw: no receive was used"
			  : "nothing to draw: no send with a duration was used";
}

/* How much of the capacity is used, where it is not drawn; what its line is,
 * where data lie over it. */
static void put_capacity(const struct drawing *d, struct na_row *row,
			 enum side side)
{
	struct na_font font = na_layout_font(&d->l, NA_SIZE_TEXT,
					     d->l.theme->secondary);
	const struct timeline *t = &d->t;
	double times = na_timeline_top(t, side) / t->capacity_gbps;
	struct words w = {.n = 0}, much;
	char a[NA_LABEL_BUF];

	if (!na_timeline_draws_capacity(t)) {
		na_words_add(&w, "%s of ", na_timeline_share(a, times));
		na_timeline_capacity(t, &w);
	} else if (times > 1) {
		na_words_add(&w, "dashed: ");
		na_timeline_capacity(t, &w);
	}
	much = w;
	/* Short bins overshoot a little; more is a wrong capacity. */
	if (times > 1.1)
		na_words_add(&much, " (the peak is %s times that)",
			     na_label_short(a, times, 2));
	if (w.n && !na_row_put(&d->l, row, much.text, &font))
		na_row_put(&d->l, row, w.text, &font);
}

static void draw_side_header(const struct drawing *d, const struct na_panel *p,
			     enum side side)
{
	const struct timeline *t = &d->t;
	struct na_row row = p->header;
	/* Where colours tell runs, they do not tell sides. */
	struct na_font name = na_layout_font(
		&d->l, NA_SIZE_NAME,
		t->runs_apart ? d->l.theme->text : side_color(d, side));
	double peak = t->runs_apart ? na_timeline_top(t, side)
				    : t->peak_gbps[side];
	struct na_font plain = na_layout_font(&d->l, NA_SIZE_TEXT,
					      d->l.theme->secondary);
	struct words w = {.n = 0};
	char a[NA_LABEL_BUF];

	name.bold = true;
	na_row_put(&d->l, &row, side_name(t, side), &name);
	if (p->weight <= 0) {
		if (!na_row_put(&d->l, &row, nothing(side), &plain))
			na_row_put(&d->l, &row, "none", &plain);
		return;
	}
	put_finding(d, &row, side);
	if (!isnan(t->mean_gbps[side]) && !t->runs_apart) {
		na_words_add(&w, "mean %s",
			     na_timeline_rate(a, t->mean_gbps[side]));
		na_row_put(&d->l, &row, w.text, &plain);
	}
	if (!isnan(peak)) {
		w.n = 0;
		na_words_add(&w, "peak %s", na_timeline_rate(a, peak));
		na_row_put(&d->l, &row, w.text, &plain);
	}
	if (!isnan(t->capacity_gbps))
		put_capacity(d, &row, side);
}

static enum na_status draw_side(struct drawing *d, const struct na_panel *p,
				enum side side, struct na_err *err)
{
	const struct timeline *t = &d->t;
	enum na_status status = NA_OK;
	struct words w = {.n = 0};

	draw_side_header(d, p, side);
	if (p->weight <= 0)
		return NA_OK;
	if (!t->gbps[side]) {
		na_panel_draw(&d->l, p);
		na_sentence(&d->l, p->plot,
			    "No transfer moved any bytes here.");
		return NA_OK;
	}
	if (t->runs_apart)
		status = na_timeline_draw_runs(&d->l, p, t, side, err);
	else if (t->n_series)
		status = draw_stack(d, p, side, err);
	else
		status = draw_total(d, p, side, err);
	if (na_timeline_draws_capacity(t)) {
		if (na_timeline_top(t, side) <= t->capacity_gbps)
			na_timeline_capacity(t, &w);
		na_panel_limit(&d->l, p, t->capacity_gbps * NA_GIGA, w.text);
	}
	return status;
}

static enum na_status draw_panels(struct drawing *d, struct na_err *err)
{
	enum na_status status = NA_OK;

	if (d->t.empty) {
		const struct na_box *plot = &d->panels[0].plot;

		na_draw_line(d->l.canvas, plot->x0, plot->y0, plot->x0,
			     plot->y1,
			     NA_PEN(&d->l, d->l.theme->axis, 1));
		na_sentence(&d->l, *plot, d->t.empty);
		return NA_OK;
	}
	for (size_t i = 0; i < d->n_panels && status >= 0; i++) {
		const struct na_panel *p = &d->panels[i];

		if (d->parts[i] == PART_OUTSTANDING)
			status = na_timeline_draw_outstanding(&d->l, p, &d->t,
							      err);
		else if (d->parts[i] == PART_PENDING)
			status = na_timeline_draw_pending(&d->l, p, &d->t, err);
		else
			status = draw_side(
				d, p, d->parts[i] == PART_RX ? RX : TX, err);
	}
	return status;
}

static enum na_status draw_axis(const struct drawing *d, struct na_err *err)
{
	const struct na_box *last = &d->panels[d->n_panels - 1].plot;
	struct na_box box = {last->x0, last->y1, last->x1, last->y1};
	enum na_status status = NA_OK;

	if (has_steps(&d->t)) {
		box.y1 += na_marks_height(&d->l);
		status = na_steps_draw(&d->l, d->t.body, &d->x, box, err);
	}
	if (d->t.has_time)
		na_time_axis(&d->l, &d->x, box.y1, "time from the origin");
	else
		na_draw_line(d->l.canvas, box.x0, box.y1, box.x1, box.y1,
			     NA_PEN(&d->l, d->l.theme->axis, 1));
	return status;
}

static void draw_legend(const struct drawing *d)
{
	const struct timeline *t = &d->t;
	struct na_legend_entry e[NA_TOP_SERIES + 1];
	struct na_box box = {d->l.body.x1 - d->legend_width,
			     d->panels[0].plot.y0, d->l.body.x1,
			     d->panels[d->n_panels - 1].plot.y1};

	for (size_t i = 0; t->runs_apart && i < d->n_panels; i++) {
		box.y0 = d->panels[i].plot.y0;
		box.y1 = d->panels[i].plot.y1;
		if (d->panels[i].weight > 0)
			na_timeline_runs_legend(
				&d->l, t, d->parts[i] == PART_RX ? RX : TX,
				box);
	}
	if (t->runs_apart)
		return;
	/* In the order of the stack. */
	for (size_t i = 0; i < t->n_series; i++) {
		size_t k = t->n_series - 1 - i;

		e[i] = (struct na_legend_entry){t->series[k].name,
						series_color(d, k)};
	}
	na_legend(&d->l, e, t->n_series, box);
}

static void timeline_footnote(struct drawing *d)
{
	double columns = d->x.at_to - d->x.at_from, bins = (double)d->t.n;
	char a[NA_LABEL_BUF], b[NA_LABEL_BUF];
	struct words w = {.n = 0};

	if (d->t.empty)
		return;
	if (d->n_panels + (d->t.packets && !d->t.gbps[TX]) < d->want)
		na_words_add(&w, "a taller picture shows more panels; ");
	if (d->t.packets && !d->t.gbps[TX])
		na_words_add(&w, "--host GLOB tells what hosts send from what "
				 "they receive; ");
	if (na_timeline_has_gaps(&d->t))
		na_words_add(&w, "hatched: not recorded; ");
	na_words_add(&w, "bin %s",
		     na_label_quantity(a, NA_Q_SECONDS, d->t.bin_s, 3));
	/* As in na_trace_init(): is a column drawn, or a bin? */
	columns = fmin(floor(columns), NA_COLUMNS_MAX);
	if (bins * 1.5 > columns)
		na_words_add(&w,
			     ", pixel column %s: the line is its mean, the "
			     "band its least to most",
			     na_label_quantity(b, NA_Q_SECONDS,
					       d->t.bin_s * bins / columns, 2));
	na_layout_footnote(&d->l, w.text);
}

/* The picture in words. */
static void describe_timeline(const struct drawing *d, struct na_canvas *c,
		     const char *title, const char *subtitle)
{
	char mean[NA_LABEL_BUF], peak[NA_LABEL_BUF];
	struct words w = {.n = 0};

	na_words_add(&w, "%s", subtitle);
	for (enum side side = RX; side <= TX && !d->t.empty; side++) {
		const struct saturation *s = &d->saturation[side];

		if (!d->t.gbps[side])
			continue;
		if (d->t.runs_apart) {
			na_words_add(&w, ". %s: ", side_name(&d->t, side));
			na_timeline_runs_words(&d->t, side, &w);
			continue;
		}
		na_words_add(&w, ". %s: mean %s, peak %s", side_name(&d->t, side),
			     na_timeline_rate(mean, d->t.mean_gbps[side]),
			     na_timeline_rate(peak, d->t.peak_gbps[side]));
		if (s->regions)
			na_words_add(&w, ", saturated %s %%",
				     na_label_short(mean, s->share * 100, 3));
	}
	if (d->t.empty)
		na_words_add(&w, ". %s", d->t.empty);
	na_canvas_describe(c, title, w.text);
}

static void measure_legend(struct drawing *d)
{
	struct na_legend_entry e[NA_TOP_SERIES + 1];
	double most = 0.2 * d->page->width;

	if (d->t.runs_apart) {
		d->legend_width = na_timeline_runs_width(&d->l, &d->t, most);
		return;
	}
	for (size_t i = 0; i < d->t.n_series; i++)
		e[i].name = d->t.series[i].name;
	d->legend_width = na_legend_width(&d->l, e, d->t.n_series, most);
}

static enum na_status draw_timeline(struct drawing *d, struct na_canvas *c,
			   struct na_err *err)
{
	struct words own = {.n = 0}, subtitle = {.n = 0};
	const char *title = d->page->title;
	enum na_status status;

	na_timeline_title(&d->t, &own);
	na_timeline_subtitle(&d->t, &subtitle);
	for (enum side side = RX; side <= TX; side++) {
		status = na_timeline_saturation(&d->saturation[side], &d->t,
						side, err);
		if (status < 0)
			return status;
	}
	status = na_timeline_by_each(&d->t)
			 ? na_timeline_each_worst(&d->t, &own, err)
			 : NA_OK;
	if (status < 0)
		return status;
	if (!title)
		title = own.text;
	na_layout_begin(&d->l, c, &na_fig_timeline, d->page, title,
			subtitle.text);
	describe_timeline(d, c, title, subtitle.text);
	if (na_timeline_by_each(&d->t))
		return na_timeline_draw_each(&d->l, &d->t, d->page, err);
	d->want = d->t.empty ? 1 : d->t.runs_apart ? PART_TX + 1 : PARTS;
	if (d->t.n_series)
		measure_legend(d);
	status = place_timeline(d, err);
	if (status >= 0)
		status = draw_panels(d, err);
	if (status >= 0)
		status = draw_axis(d, err);
	if (status < 0)
		return status;
	timeline_footnote(d);
	if (d->t.n_series)
		draw_legend(d);
	return NA_OK;
}

static enum na_status timeline_draw(struct na_canvas *c,
				    const struct na_result *r,
				    const struct na_page *page,
				    struct na_err *err)
{
	struct drawing d = {.page = page};
	enum na_status status = na_timeline_read(&d.t, r, err);

	if (status < 0)
		return status;
	d.scratch = na_calloc(d.t.n, sizeof(*d.scratch));
	status = d.scratch ? draw_timeline(&d, c, err) : na_fail_nomem(err);
	free(d.scratch);
	na_timeline_fini(&d.t);
	return status;
}

/* clang-format off */
static const struct na_figure_series series[] = {
	{M_rx_gbps, "RX", "Gbit/s", 1, "blue", false},
	{M_tx_gbps, "TX", "Gbit/s", 1, "vermilion", false},
	{M_rx_outstanding_bytes, "outstanding RX", "MiB", 1.0 / (1 << 20),
	 "sky", false},
	{M_tx_outstanding_bytes, "outstanding TX", "MiB", 1.0 / (1 << 20),
	 "orange", false},
	{M_pending, "mean", "pending", 1, "green", false},
	{M_pending_max, "largest", "pending", 1, "purple", false},
	{NULL, NULL, NULL, 0, NULL, false}
};
/* clang-format on */

const struct na_figure na_fig_timeline = {
	.name = "timeline",
	.width = 1200,
	.height = 675,
	.series = series,
	.draw = timeline_draw,
};
