/* The percentile table beside the survival curves; also their legend. */
#ifndef PLOT_FIGURES_LATENCY_TABLE_H
#define PLOT_FIGURES_LATENCY_TABLE_H

#include "plot/figures/latency/data.h"
#include "plot/layout.h"

/* The look of a curve; SIZE_MAX: of one of the others. */
struct na_pen na_latency_pen(const struct na_layout *l, const struct latency *t,
			     size_t i);

/* What the table takes of `most`; 0: there is no room for one. */
double na_latency_table_width(const struct na_layout *l,
			      const struct latency *t, double most);
void na_latency_table(const struct na_layout *l, const struct latency *t,
		      struct na_box box);

#endif
