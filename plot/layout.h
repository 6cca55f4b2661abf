/*
 * What all figures share between the canvas and their data: the title
 * block, panels over one time axis, legends.  Every margin comes from
 * measured text.
 */
#ifndef PLOT_LAYOUT_H
#define PLOT_LAYOUT_H

#include <math.h>

#include "plot/canvas.h"
#include "plot/figure.h"
#include "plot/scale.h"
#include "plot/theme.h"

/* Words of different looks in one row, from the left. */
struct na_row {
	double x, end, y; /* y: baseline */
	bool used;
};

struct na_layout {
	struct na_canvas *canvas;
	const struct na_theme *theme;
	double unit;        /* this page against the default */
	double gap;         /* between things that must not touch */
	struct na_box body; /* what the title block leaves */
	struct na_row foot; /* below it, beside the version */
	/* For na_time_axis to fill in, or NULL: that of the page, and how
	 * large this is. */
	struct na_page_axis *axis;
	double width, height;
};

/* Fills l and draws the background, title, subtitle (parts set apart by " · "),
 * each on two lines at most and cut there, and the version.  page->width and
 * height are above 0; canvas and theme are borrowed.  l->body is what is left,
 * and may be empty on a tiny page. */
void na_layout_begin(struct na_layout *l, struct na_canvas *c,
		     const struct na_figure *f, const struct na_page *page,
		     const char *title_words, const char *subtitle_words);

/* One more remark at the bottom left, beside those before it; left out when it
 * has no room there. */
void na_layout_footnote(struct na_layout *l, const char *s);
/* Likewise a square of that colour, and what it means. */
void na_layout_footmark(struct na_layout *l, struct na_color color,
			const char *s);

/* `size` is one of theme.h, for the default page; on a small page text shrinks
 * less than the picture does. */
struct na_font na_layout_font(const struct na_layout *l, double size,
			      struct na_color color);
/* A line of `width` on a page of common size, never below a pixel; and the
 * thinnest there is.  Pointers, for na_draw_... */
#define NA_PEN(l, color, width) \
	(&(struct na_pen){(color), fmax((width) * (l)->unit, 1), NA_SOLID})
#define NA_HAIRLINE(l, color) \
	(&(struct na_pen){(color), fmax((l)->unit, 0.8), NA_SOLID})

/* The next words.  False, and nothing drawn, when they have no room; but the
 * first are shortened instead. */
bool na_row_put(const struct na_layout *l, struct na_row *row, const char *s,
		const struct na_font *font);

/* One of several plots above each other. */
struct na_panel {
	/* asked */
	double weight; /* of its height; 0: its name alone */
	enum na_quantity quantity;
	double max;       /* largest value to show */
	bool label_above; /* room for a text above max */
	/* answered by na_panels_place */
	struct na_row header;
	struct na_box plot;
	struct na_scale y;
	struct na_axis_unit unit;
	struct na_ticks ticks;
	int digits;
};

/*
 * Divides the height of `box` among n panels by their weights, with a common
 * left edge, as far in as the widest tick label, and right edge; `right` page
 * units are kept free beside the plots.  A max that is not above 0 and finite
 * counts as 1.  False: too small for so many panels; nothing is drawn either
 * way.
 */
bool na_panels_place(const struct na_layout *l, struct na_box box,
		     struct na_panel *p, size_t n, double right);
/* As many of the first n as there is room for.  What stands beside them, *side
 * wide, makes room first: then *side is 0. */
size_t na_panels_fit(const struct na_layout *l, struct na_box box,
		     struct na_panel *p, size_t n, double *side);

/* Grid lines, tick labels and unit. */
void na_panel_draw(const struct na_layout *l, const struct na_panel *p);

/* A dashed line across the plot at x (data), with words above its right end:
 * "" where data lie over it. */
void na_panel_limit(const struct na_layout *l, const struct na_panel *p,
		    double x, const char *words);

/* A sentence in the middle of a box, on as many lines as it takes. */
void na_sentence(const struct na_layout *l, struct na_box box, const char *s);
/* A plot without data: two axes, and why there is nothing between them. */
void na_empty_plot(const struct na_layout *l, struct na_box box,
		   const char *why);

/* The height that na_time_axis needs below the last plot. */
double na_time_axis_height(const struct na_layout *l);
/* Line, ticks, labels and name of the axis x (seconds from the origin), from y
 * down.  Far from the origin the labels count from a round instant, which the
 * name tells.  Fills in l->axis. */
void na_time_axis(const struct na_layout *l, const struct na_scale *x, double y,
		  const char *name);
/* One axis in n parts of one slope, in one unit and under one name.  Leaves
 * l->axis as it is. */
void na_time_axis_parts(const struct na_layout *l, const struct na_scale *parts,
			size_t n, double y, const char *name);

/* Named ticks in a row, the title left of the box: as many as fit, names more
 * sparsely.  Marks outside the box are passed over; without marks nothing is
 * drawn. */
struct na_mark {
	double at; /* page */
	const char *name;
};
double na_marks_height(const struct na_layout *l);
void na_marks(const struct na_layout *l, const char *title,
	      const struct na_mark *marks, size_t n, struct na_box box);

struct na_legend_entry {
	const char *name;
	struct na_color color;
	bool hatched;
};
/* The width of the column in page units, at most `most`. */
double na_legend_width(const struct na_layout *l,
		       const struct na_legend_entry *e, size_t n, double most);
/* One line each, from the top of the box; the last that fits says how many
 * more there are.  Names are shortened in the middle. */
void na_legend(const struct na_layout *l, const struct na_legend_entry *e,
	       size_t n, struct na_box box);

#endif
