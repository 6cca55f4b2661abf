/* One small picture for each host (device, pair), on one scale. */
#ifndef PLOT_FIGURES_TIMELINE_EACH_H
#define PLOT_FIGURES_TIMELINE_EACH_H

#include "plot/figures/timeline/data.h"
#include "plot/layout.h"

/* For what na_timeline_by_each() says.  `l` has its title; NA_EUSAGE where
 * the page has no room. */
enum na_status na_timeline_draw_each(struct na_layout *l,
				     const struct timeline *t,
				     const struct na_page *page,
				     struct na_err *err) NA_MUST_CHECK;

#endif
