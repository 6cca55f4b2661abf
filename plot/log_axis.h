/*
 * Logarithmic axes in engineering units: "10 us", "1 ms", "64 KiB", "1 %".
 */
#ifndef PLOT_LOG_AXIS_H
#define PLOT_LOG_AXIS_H

#include "plot/layout.h"
#include "plot/scale.h"

struct na_log_axis {
	struct na_scale scale;
	struct na_ticks ticks;
	enum na_quantity quantity; /* NA_Q_COUNT: shares, told in percent */
};

/* Covers [from, to], 0 < from <= to, and a little more when `widen`; at_from
 * and at_to are on the page. */
void na_log_axis_init(const struct na_layout *l, struct na_log_axis *a,
		      enum na_quantity q, double from, double to, bool widen,
		      double at_from, double at_to);

/* The width of a y axis' labels. */
double na_log_axis_width(const struct na_layout *l,
			 const struct na_log_axis *a);
/* Grid lines across the plot, labels at its left. */
void na_log_axis_draw_y(const struct na_layout *l, const struct na_log_axis *a,
			struct na_box plot);

/* As na_time_axis() does: line, ticks, labels and name, from the plot's
 * bottom down; needs na_time_axis_height(), and two gaps right of the plot. */
void na_log_axis_draw_x(const struct na_layout *l, const struct na_log_axis *a,
			struct na_box plot, const char *name);

#endif
