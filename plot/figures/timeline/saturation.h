/* When one side of the network was full. */
#ifndef PLOT_FIGURES_TIMELINE_SATURATION_H
#define PLOT_FIGURES_TIMELINE_SATURATION_H

#include "plot/figures/timeline/data.h"
#include "plot/layout.h"

struct saturation {
	size_t regions, hosts;
	double seconds; /* with at least one host saturated */
	double share;   /* of the hosts' time; as the analysis says it */
};

enum na_status na_timeline_saturation(struct saturation *s,
				      const struct timeline *t, enum side side,
				      struct na_err *err) NA_MUST_CHECK;

/* Bands behind the data, deeper where more hosts are saturated, and a solid
 * edge on top that needs no colour to be seen. */
void na_timeline_draw_saturation(const struct na_layout *l,
				 const struct na_panel *p,
				 const struct timeline *t, enum side side);

#endif
