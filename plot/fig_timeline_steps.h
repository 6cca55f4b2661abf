/* The training steps, below the plots. */
#ifndef NETAN_PLOT_FIG_TIMELINE_STEPS_H
#define NETAN_PLOT_FIG_TIMELINE_STEPS_H

#include "plot/fig_timeline_data.h"
#include "plot/layout.h"

/* As many as are drawn. */
size_t na_timeline_count_steps(const struct timeline *t);

/* Their row, in a box that is na_marks_height() high; there is at least
 * one. */
enum na_status na_timeline_draw_steps(const struct na_layout *l,
				      const struct timeline *t,
				      const struct na_scale *x,
				      struct na_box box, struct na_err *err);

#endif
