/* The panels below the throughputs. */
#ifndef PLOT_FIGURES_TIMELINE_SMALL_H
#define PLOT_FIGURES_TIMELINE_SMALL_H

#include "plot/figures/timeline/data.h"
#include "plot/layout.h"

/* Bytes under way. */
enum na_status na_timeline_draw_outstanding(const struct na_layout *l,
					    const struct na_panel *p,
					    const struct timeline *t,
					    struct na_err *err) NA_MUST_CHECK;

/* What has begun and not ended. */
enum na_status na_timeline_draw_pending(const struct na_layout *l,
					const struct na_panel *p,
					const struct timeline *t,
					struct na_err *err) NA_MUST_CHECK;

#endif
