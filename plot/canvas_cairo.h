/*
 * What the back ends over cairo share: the font, and the dashes.
 */
#ifndef PLOT_CANVAS_CAIRO_H
#define PLOT_CANVAS_CAIRO_H

#include <cairo.h>
#include <stdbool.h>

#include "plot/canvas.h"

void na_cairo_font(cairo_t *cr, bool bold, double size);
/* The same widths in every format and at every scale. */
void na_cairo_unhinted(cairo_t *cr);

#define NA_DASH_PARTS 6

/* Lengths on and off, in widths of the pen. */
struct na_dash_style {
	int n;
	double part[NA_DASH_PARTS];
};
extern const struct na_dash_style na_dash_styles[NA_DASHES];

#endif
