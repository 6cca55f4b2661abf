/* What stands around the course of the pending count. */
#ifndef PLOT_FIGURES_BURSTS_PARTS_H
#define PLOT_FIGURES_BURSTS_PARTS_H

#include "plot/figures/bursts/data.h"
#include "plot/layout.h"

/* Where bursts are, as a strip below the top edge of a plot; paler where
 * they fill a column of pixels in part. */
enum na_status na_bursts_strip(const struct na_layout *l,
			       const struct bursts *b, const struct na_scale *x,
			       struct na_box plot,
			       struct na_err *err) NA_MUST_CHECK;

/* The share of the time that more is pending than y says, beside the plot of
 * p whose y axis it shares, from x0 to x1. */
void na_bursts_distribution(const struct na_layout *l, const struct bursts *b,
			    const struct na_panel *p, double x0, double x1);

/* One line for each group, and the names of the lines in a box. */
enum na_status na_bursts_groups(const struct na_layout *l,
				const struct bursts *b,
				const struct na_panel *p, struct na_box legend,
				struct na_err *err) NA_MUST_CHECK;

#endif
