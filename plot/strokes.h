/*
 * Many pieces of one look, drawn as one stroke or one area: points in canvas
 * units that grow as they come, with a break behind each piece.
 *
 *	struct na_strokes s = {.n = 0};
 *
 *	na_strokes_line(&s, x0, y0, x1, y1);
 *	return na_strokes_draw(&s, canvas, &pen);
 */
#ifndef NETAN_PLOT_STROKES_H
#define NETAN_PLOT_STROKES_H

#include "plot/canvas.h"

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

#endif
