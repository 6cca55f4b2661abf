/* The training steps, below the plots. */
#ifndef PLOT_FIGURES_TIMELINE_STEPS_H
#define PLOT_FIGURES_TIMELINE_STEPS_H

#include "netan/result/result.h"
#include "plot/layout.h"

/* As many as the member "steps" of a result lists. */
size_t na_steps_count(const struct na_value *body);

/* Their row, in a box that is na_marks_height() high; there is at least
 * one. */
enum na_status na_steps_draw(const struct na_layout *l,
			     const struct na_value *body,
			     const struct na_scale *x, struct na_box box,
			     struct na_err *err) NA_MUST_CHECK;

#endif
