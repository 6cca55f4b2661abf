/*
 * Figures: one row of figures.def is one picture, drawn from a result and
 * nothing else.  The look is fixed by the project's figure language: see
 * plot/theme.h.
 */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

#include "netan/base/err.h"
#include "netan/result/result.h"

/* Where a figure's axis of time is, in its own units. */
struct na_page_axis {
	double width, height;  /* of the page; 0: there is none */
	double x0, y0, x1, y1; /* what stands on the axis */
	double from_s, to_s;   /* from the origin, at x0 and x1 */
};

struct na_page {
	int width, height; /* 0: the figure's default */
	double scale;      /* PNG pixels per unit; 0 means 1 */
	bool dark;
	const char *title;         /* NULL: the figure's own message */
	const char *version;       /* "0.1.0" */
	const char *command;       /* the command line, for PNG text */
	const char *id;            /* "inline": what ids in it begin with */
	FILE *style;               /* "inline": the rules go there, not into a
			      * <style> in it; NULL: into it */
	struct na_page_axis *axis; /* filled in; NULL: nobody asks */
};

struct na_canvas;

/* A series over the figure's time whose values a page shows where one points:
 * a member of the result's body, as many as its "time_s".  Those of one unit
 * share a panel. */
struct na_figure_series {
	const char *member; /* NULL ends */
	const char *name, *unit;
	double scale;
	const char *hue; /* of the theme */
	bool log;        /* its panel's axis */
};

struct na_figure {
	const char *name; /* the command's name */
	int width, height;
	const struct na_figure_series *series; /* NULL: none */
	enum na_status (*draw)(struct na_canvas *c, const struct na_result *r,
			       const struct na_page *page, struct na_err *err);
};

#define NA_FIGURE(name) extern const struct na_figure na_fig_##name;
#include "plot/figures.def"
#undef NA_FIGURE

extern const struct na_figure *const na_figures[]; /* NULL at the end */
/* By a command's exact name; NULL: it draws no picture. */
const struct na_figure *na_figure_find(const char *name);

/* The picture is too small for what the figure has to show: NA_EUSAGE, with
 * its size in the message. */
enum na_status na_no_room(const struct na_page *page,
			  struct na_err *err) NA_MUST_CHECK;

/*
 * Draws r, which is only read, into `out`, which stays open.
 *
 *   page    width and height in page units; a width, height, title or id of
 *           0 or NULL is the figure's own.  Its axis is filled in where the
 *           figure has one of time
 *   format  "svg", "png", "pdf", "inline", or "ink" (each stroke as a line of
 *           text, for tests)
 *
 * NA_EUSAGE where the picture is too small, NA_EIO when `out` fails, NA_ENOMEM;
 * then `out` may hold a part of the picture.
 *
 * "inline" is one <svg> element for an HTML page, as wide as its container,
 * in the colours of both schemes whatever page->dark says; all its ids are
 * page->id (NULL: the figure's name) or begin with it and "-".  Its colours
 * are custom properties of that element, so they stand for themselves.
 */
enum na_status na_figure_write(const struct na_figure *f,
			       const struct na_result *r,
			       const struct na_page *page, const char *format,
			       FILE *out, struct na_err *err) NA_MUST_CHECK;

#endif
