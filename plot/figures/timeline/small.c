#include "plot/figures/timeline/small.h"

#include <math.h>
#include <stdio.h>

#include "netan/base/units.h"
#include "plot/trace.h"

#define BAND_SHARE  0.42
#define SHARED_BAND 0.22 /* two of them in one panel */
#define LEAST_MEAN  0.001 /* what is less has no digits worth reading */

/* One of several lines of a small panel; `max` replaces the upper edge of
 * its band when it is known. */
static enum na_status draw_small(const struct na_layout *l,
				 const struct na_panel *p,
				 const struct timeline *t, const double *bins,
				 const double *max, const struct na_pen *pen,
				 struct na_err *err)
{
	struct na_trace upper, trace;
	enum na_status status = NA_OK;

	if (!bins)
		return NA_OK;
	if (!na_trace_init(&trace, bins, t->n, p->plot.x0, p->plot.x1))
		return na_fail_nomem(err);
	if (max && na_trace_init(&upper, max, t->n, p->plot.x0, p->plot.x1)) {
		for (size_t i = 0; i < trace.n; i++) {
			trace.columns[i].min = trace.columns[i].mean;
			trace.columns[i].max = fmax(upper.columns[i].max,
						    trace.columns[i].mean);
		}
		na_trace_fini(&upper);
	} else if (max) {
		status = na_fail_nomem(err);
	}
	na_clip(l->canvas, p->plot);
	if (max || !trace.steps)
		na_trace_band(l->canvas, &trace, &p->y,
			      na_fade(pen->color,
				      max ? BAND_SHARE : SHARED_BAND));
	na_trace_line(l->canvas, &trace, &p->y, pen);
	na_unclip(l->canvas);
	na_trace_fini(&trace);
	return status;
}

enum na_status na_timeline_draw_outstanding(const struct na_layout *l,
					    const struct na_panel *p,
					    const struct timeline *t,
					    struct na_err *err)
{
	static const char *const names[] = {"rx", "tx (dashed)"};
	struct na_font font = na_layout_font(l, NA_SIZE_NAME, l->theme->text);
	struct na_row row = p->header;
	enum na_status status = NA_OK;

	font.bold = true;
	na_panel_draw(l, p);
	na_row_put(l, &row, "Outstanding bytes", &font);
	font.size = na_layout_font(l, NA_SIZE_TEXT, font.color).size;
	for (enum side side = RX; side <= TX && status >= 0; side++) {
		struct na_pen pen = {
			.color = l->theme->hue[side == RX ? NA_HUE_RX
							  : NA_HUE_TX],
			.width = fmax(1.4 * l->unit, 1),
			.dash = side == RX ? NA_SOLID : NA_DASHED};

		if (!t->outstanding[side])
			continue;
		font.color = pen.color;
		na_row_put(l, &row, names[side], &font);
		status = draw_small(l, p, t, t->outstanding[side], NULL, &pen,
				    err);
	}
	return status;
}

enum na_status na_timeline_draw_pending(const struct na_layout *l,
					const struct na_panel *p,
					const struct timeline *t,
					struct na_err *err)
{
	struct na_pen pen = {.color = l->theme->hue[NA_HUE_PENDING],
			     .width = fmax(1.4 * l->unit, 1)};
	struct na_font font = na_layout_font(l, NA_SIZE_NAME, pen.color);
	struct na_row row = p->header;
	char name[NA_TEXT_MAX], mean[NA_LABEL_BUF], max[NA_UNIT_BUF];
	uint64_t count = p->max < 1e15 ? (uint64_t)ceil(p->max) : 0;
	double sum = 0, seen = 0;

	for (size_t i = 0; t->pending && i < t->n; i++) {
		if (isfinite(t->pending[i])) {
			sum += t->pending[i];
			seen++;
		}
	}
	na_panel_draw(l, p);
	font.bold = true;
	snprintf(name, sizeof(name), "Pending %.40s", t->pending_of);
	na_row_put(l, &row, name, &font);
	font = na_layout_font(l, NA_SIZE_TEXT, l->theme->secondary);
	if (seen > 0) {
		bool little = sum > 0 && sum / seen < LEAST_MEAN;

		snprintf(name, sizeof(name), "mean %s%s, max %s",
			 little ? "under " : "",
			 na_label_short(mean, little ? LEAST_MEAN : sum / seen,
					3),
			 na_print_count(max, count));
		na_row_put(l, &row, name, &font);
	}
	return draw_small(l, p, t, t->pending, t->pending_max, &pen, err);
}
