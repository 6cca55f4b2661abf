#include "plot/strokes.h"

#include <math.h>

#include "netan/base/vec.h"

void na_strokes_to(struct na_strokes *s, double x, double y)
{
	s->failed = s->failed || !na_add(s, ((struct na_point){x, y}));
}

void na_strokes_break(struct na_strokes *s)
{
	na_strokes_to(s, NAN, NAN);
}

void na_strokes_line(struct na_strokes *s, double x0, double y0, double x1,
		     double y1)
{
	na_strokes_to(s, x0, y0);
	na_strokes_to(s, x1, y1);
	na_strokes_break(s);
}

bool na_strokes_draw(struct na_strokes *s, struct na_canvas *c,
		     const struct na_pen *pen)
{
	bool drawn = !s->failed;

	if (drawn && s->n)
		na_draw_polyline(c, s->v, s->n, pen);
	na_vec_free(s);
	return drawn;
}
