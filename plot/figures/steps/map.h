/* The heat map of steps.c: hosts by steps. */
#ifndef PLOT_FIGURES_STEPS_MAP_H
#define PLOT_FIGURES_STEPS_MAP_H

#include "plot/figures/steps/data.h"
#include "plot/layout.h"

/* No host stands out: what differs is noise, and its colours are pale. */
bool na_fig_steps_muted(const struct steps_figure *f);

/* What the names at its right need, at most `most`. */
double na_fig_steps_names_width(const struct na_layout *l,
				const struct steps_figure *f, double most);
/* Cells, outlines of stragglers and names. */
enum na_status na_fig_steps_map(const struct na_layout *l,
				const struct steps_figure *f,
				struct na_box plot,
				struct na_err *err) NA_MUST_CHECK;
/* What the colours mean, behind the name of the panel. */
void na_fig_steps_key(const struct na_layout *l, const struct steps_figure *f,
		      struct na_row *row);

#endif
