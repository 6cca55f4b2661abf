/*
 * One execution of a collective as a waterfall: what it took the device,
 * and below it the actions on all its hosts, the critical path outlined.
 */
#ifndef PLOT_FIGURES_SLACK_WATERFALL_H
#define PLOT_FIGURES_SLACK_WATERFALL_H

#include "plot/figure.h"

/* The side "waterfall" of a result, and the first of its list "late". */
enum na_status na_slack_waterfall(struct na_canvas *c,
				  const struct na_figure *f,
				  const struct na_result *r,
				  const struct na_page *page,
				  struct na_err *err) NA_MUST_CHECK;

#endif
