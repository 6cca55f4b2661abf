/* What the two halves of the picture of slack share. */
#ifndef PLOT_FIGURES_SLACK_DRAW_H
#define PLOT_FIGURES_SLACK_DRAW_H

#include "plot/figures/slack/data.h"
#include "plot/layout.h"
#include "plot/log_axis.h"

enum { PLACED_MAX = 512 };

struct slack_drawing {
	struct na_layout l;
	struct slack_figure f;
	struct na_box scatter, bars; /* with their headers and axes */
	struct na_box plot, strip;   /* strip: no slack, beside it */
	struct na_log_axis x, y;
	struct na_box placed[PLACED_MAX]; /* what no label may touch */
	size_t n_placed;
};

double na_slack_line_height(const struct slack_drawing *d);
struct na_row na_slack_header(const struct slack_drawing *d, struct na_box b);

/* Slack against required bandwidth, a dot for each collective. */
void na_slack_draw_scatter(struct slack_drawing *d);

#endif
