/*
 * Drawing on one page.  The same calls make a PNG, an SVG, a PDF, an <svg>
 * element for an HTML page ("inline"), or "ink": each stroke as a line of
 * text, for tests.  Lengths are page units, y runs
 * downwards.  Errors are kept and told once, by na_canvas_finish().
 *
 * Text may come from hostile inputs.  Every string that is drawn, measured
 * or written as metadata passes na_text_clean() here, so callers hand over
 * names as they are.
 */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "netan/base/err.h"
#include "plot/theme.h"

enum na_dash {
	NA_SOLID,
	NA_DASHED,
	NA_DOTTED,
	NA_LONG_DASHED,
	NA_DASH_DOT,
	NA_DASH_DOT_DOT,
	NA_DASHES
};
enum na_align { NA_LEFT, NA_CENTER, NA_RIGHT };
enum na_cut { NA_CUT_MIDDLE, NA_CUT_END };

struct na_point {
	double x, y;
};

struct na_box {
	double x0, y0, x1, y1; /* x0 <= x1, y0 <= y1 */
};

struct na_pen {
	struct na_color color;
	double width;
	enum na_dash dash;
};

struct na_font {
	double size;
	struct na_color color;
	bool bold;
	enum na_align align; /* of x within the text */
};

struct na_canvas_info {
	int width, height;   /* page units */
	double scale;        /* PNG pixels per unit */
	const char *version; /* of netan; NULL: unknown */
	const char *command; /* NULL: unknown */
	const char *id;      /* "inline": what its ids begin with */
	FILE *style;         /* "inline": for its rules; NULL: in it */
};

struct na_canvas;

/* A page from 320 x 240 to 16384 x 16384 units, and as PNG up to 32767
 * pixels on a side and 2^28 in all: NA_EUSAGE otherwise, for an unknown
 * format, and for an id that is not letters, digits, "-" and "_" after a
 * letter.  `out` and the texts of `info` are borrowed until the free. */
enum na_status na_canvas_open(struct na_canvas **c, const char *format,
			      const struct na_canvas_info *info, FILE *out,
			      struct na_err *err) NA_MUST_CHECK;

/* What the picture says, for readers that do not see it.  Copied. */
void na_canvas_describe(struct na_canvas *c, const char *title,
			const char *desc);

/* Writes the picture.  Until then `out` stays untouched, ink apart. */
enum na_status na_canvas_finish(struct na_canvas *c,
				struct na_err *err) NA_MUST_CHECK;

/*
 * Of two "inline" canvases, drawn alike in the colours of the light and of
 * the dark theme, one element: a custom property for each pair of colours,
 * declared for both colour schemes, light in print.  Where more than colours
 * differs, the light one alone; *paired says so.  Written to light's file.
 */
enum na_status na_canvas_finish_both(struct na_canvas *light,
				     struct na_canvas *dark, bool *paired,
				     struct na_err *err) NA_MUST_CHECK;
void na_canvas_free(struct na_canvas *c);

void na_draw_rect(struct na_canvas *c, struct na_box b, struct na_color color);
void na_draw_line(struct na_canvas *c, double x0, double y0, double x1,
		  double y1, const struct na_pen *pen);
/* A point that is not finite ends one line or outline and begins the next:
 * many pieces of one look cost one stroke. */
void na_draw_polyline(struct na_canvas *c, const struct na_point *p, size_t n,
		      const struct na_pen *pen);
void na_draw_area(struct na_canvas *c, const struct na_point *p, size_t n,
		  struct na_color color);
/*
 * Points that grow as they come, with a break behind each piece:
 *
 *	struct na_strokes s = {.n = 0};
 *
 *	na_strokes_line(&s, x0, y0, x1, y1);
 *	return na_strokes_draw(&s, canvas, &pen);
 */
struct na_strokes {
	struct na_point *v;
	size_t n, cap;
	bool failed; /* memory was short: nothing is added any more */
};

void na_strokes_to(struct na_strokes *s, double x, double y);
void na_strokes_break(struct na_strokes *s);
void na_strokes_line(struct na_strokes *s, double x0, double y0, double x1,
		     double y1);
/* Draws what there is, if any, and frees it; false: memory was short. */
bool na_strokes_draw(struct na_strokes *s, struct na_canvas *c,
		     const struct na_pen *pen);

/* Diagonal lines `gap` apart, cut off at the box. */
void na_draw_hatch(struct na_canvas *c, struct na_box b, double gap,
		   const struct na_pen *pen);
/* Its lines for na_draw_polyline, to draw those of many boxes at once, where
 * neighbours line up; at most NA_HATCH_POINTS points, returns how many. */
#define NA_HATCH_POINTS 768
size_t na_hatch_lines(struct na_box b, double gap,
		      struct na_point p[NA_HATCH_POINTS]);
/* (x, y) is on the baseline. */
void na_draw_text(struct na_canvas *c, double x, double y, const char *s,
		  const struct na_font *font);

/* Until the unclip, nothing is drawn outside the box.  Not nested. */
void na_clip(struct na_canvas *c, struct na_box b);
void na_unclip(struct na_canvas *c);

double na_measure(struct na_canvas *c, const char *s,
		  const struct na_font *font);
/* What digits and capitals reach above the baseline, and what letters like
 * p reach below it. */
double na_text_ascent(const struct na_font *font);
double na_text_descent(const struct na_font *font);

/* Room for any text that is drawn; longer ones are cut, with "…". */
#define NA_TEXT_MAX 1024

/*
 * Valid UTF-8 on one line, fit for XML: control characters and invisible or
 * bidirectional marks show as they do on a terminal ("\u202e"), broken bytes
 * as U+FFFD.  Cut to cap - 1 bytes (cap >= 8) between characters.  A clean
 * text stays as it is.  Returns buf.
 */
const char *na_text_clean(char *buf, size_t cap, const char *s);

/* The text if it is at most `width` wide, else as much of both ends (or of
 * the beginning) as fits around "…"; "" when not even that fits. */
const char *na_text_fit(struct na_canvas *c, char buf[NA_TEXT_MAX],
			const char *s, const struct na_font *font, double width,
			enum na_cut cut);

/* Looks up which fonts there are, as the first text would, and may keep what it
 * found in the user's cache.  `each`, or NULL, gets the files and directories
 * where they are: if only these can be read afterwards, texts are the same. */
void na_canvas_fonts(void (*each)(void *ctx, const char *path), void *ctx);

#endif
