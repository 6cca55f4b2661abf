#include "plot/trace.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"

/* A run of one column makes at most 2 * 3 points and the gap behind it. */
#define POINTS_PER_COLUMN 7

#define GAPS_MAX      40
#define GAP_MIN_WIDTH 6.0
#define HATCH_GAP     8.0

bool na_trace_init(struct na_trace *t, const double *bins, size_t n, double x0,
		   double x1)
{
	return na_trace_init_most(t, bins, n, x0, x1, NA_COLUMNS_MAX);
}

bool na_trace_init_most(struct na_trace *t, const double *bins, size_t n,
			double x0, double x1, double most)
{
	most = fmin(floor(fabs(x1 - x0)), most);

	*t = (struct na_trace){.x0 = x0, .x1 = x1};
	t->steps = (double)n * 1.5 <= most;
	t->n = t->steps ? n : most < 1 ? 1 : (size_t)most;
	t->columns = na_calloc(t->n, sizeof(*t->columns));
	t->points = na_calloc(t->n, POINTS_PER_COLUMN * sizeof(*t->points));
	if (!t->columns || !t->points) {
		na_trace_fini(t);
		return false;
	}
	na_trace_load(t, bins, n);
	return true;
}

void na_trace_fini(struct na_trace *t)
{
	free(t->columns);
	free(t->points);
	*t = (struct na_trace){.n = 0};
}

static double column_width(const struct na_trace *t)
{
	return (t->x1 - t->x0) / (double)t->n;
}

void na_trace_load(struct na_trace *t, const double *bins, size_t n)
{
	na_thin(bins, n, 0, (double)n, t->columns, t->n);
}

enum edge { EDGE_MIN, EDGE_MEAN, EDGE_MAX, EDGE_ZERO };

static double edge_of(const struct na_column_range *r, enum edge edge)
{
	switch (edge) {
	case EDGE_MIN:
		return r->min;
	case EDGE_MEAN:
		return r->mean;
	case EDGE_MAX:
		return r->max;
	default:
		return 0;
	}
}

/* Points outwards; a level stretch costs two, however many columns. */
static size_t add_point(struct na_point *p, size_t begin, size_t n, double x,
			double y)
{
	if (n >= begin + 2 && p[n - 1].y == y && p[n - 2].y == y)
		n--;
	p[n] = (struct na_point){x, y};
	return n + 1;
}

/* One edge of the run of columns [from, to), left to right from p[n] on. */
static size_t add_edge(const struct na_trace *t, const struct na_scale *y,
		       size_t from, size_t to, enum edge edge, size_t n)
{
	double dx = column_width(t);
	size_t begin = n;

	for (size_t i = from; i < to; i++) {
		double left = t->x0 + dx * (double)i;
		double at = na_scale_at(y, edge_of(&t->columns[i], edge));

		/* Wide bins are steps; narrow columns meet in their middle. */
		if (t->steps || i == from)
			n = add_point(t->points, begin, n, left, at);
		if (!t->steps && edge != EDGE_ZERO)
			n = add_point(t->points, begin, n, left + dx / 2, at);
		if (t->steps || i + 1 == to)
			n = add_point(t->points, begin, n, left + dx, at);
	}
	return n;
}

static void reverse(struct na_point *p, size_t from, size_t to)
{
	while (from + 1 < to) {
		struct na_point swap = p[from];

		p[from++] = p[--to];
		p[to] = swap;
	}
}

/* Every run of known columns: its upper edge, and, for an outline, back
 * along the lower one.  Returns the number of points. */
static size_t trace_outline(const struct na_trace *t, const struct na_scale *y,
			    enum edge upper, enum edge lower, bool closed)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n;) {
		size_t from = i, back;

		while (i < t->n && !isnan(t->columns[i].mean))
			i++;
		if (i == from) {
			i++;
			continue;
		}
		n = add_edge(t, y, from, i, upper, n);
		if (closed) {
			back = n;
			n = add_edge(t, y, from, i, lower, n);
			reverse(t->points, back, n);
		}
		t->points[n++] = (struct na_point){NAN, NAN};
	}
	return n;
}

void na_trace_band(struct na_canvas *c, const struct na_trace *t,
		   const struct na_scale *y, struct na_color color)
{
	size_t n = trace_outline(t, y, EDGE_MAX, EDGE_MIN, true);

	na_draw_area(c, t->points, n, color);
}

void na_trace_fill(struct na_canvas *c, const struct na_trace *t,
		   const struct na_scale *y, struct na_color color)
{
	size_t n = trace_outline(t, y, EDGE_MEAN, EDGE_ZERO, true);

	na_draw_area(c, t->points, n, color);
}

void na_trace_line(struct na_canvas *c, const struct na_trace *t,
		   const struct na_scale *y, const struct na_pen *pen)
{
	size_t n = trace_outline(t, y, EDGE_MEAN, EDGE_ZERO, false);

	na_draw_polyline(c, t->points, n, pen);
}

/* The next run of unknown columns from i on: [*from, the result). */
static size_t next_gap(const struct na_trace *t, size_t i, size_t *from)
{
	while (i < t->n && !isnan(t->columns[i].mean))
		i++;
	*from = i;
	while (i < t->n && isnan(t->columns[i].mean))
		i++;
	return i;
}

void na_trace_gaps(struct na_canvas *c, const struct na_trace *t,
		   struct na_box box, const struct na_pen *pen)
{
	size_t least = (size_t)ceil(GAP_MIN_WIDTH / column_width(t));
	size_t n = 0, from, to;

	for (to = next_gap(t, 0, &from); from < t->n;
	     to = next_gap(t, to, &from))
		n += to - from >= least;
	if (n > GAPS_MAX)
		return;
	for (to = next_gap(t, 0, &from); from < t->n;
	     to = next_gap(t, to, &from)) {
		struct na_box gap = {t->x0 + column_width(t) * (double)from,
				     box.y0,
				     t->x0 + column_width(t) * (double)to,
				     box.y1};

		if (to - from >= least)
			na_draw_hatch(c, gap, HATCH_GAP, pen);
	}
}
