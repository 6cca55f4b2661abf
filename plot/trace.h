/*
 * A time series as it is drawn: one range for each column of pixels, or for
 * each bin where bins are wider than pixels.
 */
#ifndef PLOT_TRACE_H
#define PLOT_TRACE_H

#include "plot/canvas.h"
#include "plot/scale.h"
#include "plot/thin.h"

/* More columns than that would let an SVG of seven series pass 1 MiB. */
#define NA_COLUMNS_MAX 1200

struct na_trace {
	struct na_column_range *columns;
	struct na_point *points; /* scratch */
	size_t n;
	double x0, x1; /* page */
	bool steps;    /* columns are bins */
};

/* All n bins (n > 0) across [x0, x1] of the page; with at most so many
 * columns. */
bool na_trace_init(struct na_trace *t, const double *bins, size_t n, double x0,
		   double x1);
bool na_trace_init_most(struct na_trace *t, const double *bins, size_t n,
			double x0, double x1, double most);
void na_trace_fini(struct na_trace *t);

/* Replace the ranges by those of these bins, as many as before. */
void na_trace_load(struct na_trace *t, const double *bins, size_t n);

/* From min to max. */
void na_trace_band(struct na_canvas *c, const struct na_trace *t,
		   const struct na_scale *y, struct na_color color);
/* From zero to the mean. */
void na_trace_fill(struct na_canvas *c, const struct na_trace *t,
		   const struct na_scale *y, struct na_color color);
/* The mean. */
void na_trace_line(struct na_canvas *c, const struct na_trace *t,
		   const struct na_scale *y, const struct na_pen *pen);

/* Hatches what is not known, inside the box; columns too few to see and
 * series that are mostly holes are left alone. */
void na_trace_gaps(struct na_canvas *c, const struct na_trace *t,
		   struct na_box box, const struct na_pen *pen);

#endif
