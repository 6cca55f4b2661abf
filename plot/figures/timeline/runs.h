/*
 * Throughputs of several runs.  They never happened together, so nothing
 * adds them up: each is a line of its own.
 */
#ifndef PLOT_FIGURES_TIMELINE_RUNS_H
#define PLOT_FIGURES_TIMELINE_RUNS_H

#include "plot/figures/timeline/data.h"
#include "plot/layout.h"

/* One side of every run across the panel. */
enum na_status na_timeline_draw_runs(const struct na_layout *l,
				     const struct na_panel *p,
				     const struct timeline *t, enum side side,
				     struct na_err *err) NA_MUST_CHECK;

/* The width of the column beside the panels, at most `most`. */
double na_timeline_runs_width(const struct na_layout *l,
			      const struct timeline *t, double most);
/* What each run moved on this side, with its line. */
void na_timeline_runs_legend(const struct na_layout *l,
			     const struct timeline *t, enum side side,
			     struct na_box box);

/* The runs of one side in words. */
void na_timeline_runs_words(const struct timeline *t, enum side side,
			    struct words *w);

#endif
