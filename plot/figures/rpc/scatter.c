/* The cloud of transfers: darker where there are more, single ones as
 * points that never drown in it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "plot/figures/rpc/data.h"

/* More boxes than that would take an SVG towards its limit. */
enum { BOXES_MAX = 6000, LEVELS = 6, CORNERS = 5 };

struct cells {
	double *n; /* [column * rows + row] */
	size_t columns, rows;
	double most;
};

static void add_box(struct na_strokes *b, double x0, double y0, double x1,
		    double y1)
{
	na_strokes_to(b, x0, y0);
	na_strokes_to(b, x1, y0);
	na_strokes_to(b, x1, y1);
	na_strokes_to(b, x0, y1);
	na_strokes_break(b);
}

/* The level of a count: 0 for none, else 1 to LEVELS by its logarithm. */
static int level_of(double n, double most)
{
	int level;

	if (!(n > 0))
		return 0;
	level = 1 + (int)(log(n) / log(most * 1.001 + 1) * LEVELS);
	return level > LEVELS ? LEVELS : level;
}

/* Half as many columns, or rows. */
static void coarsen(struct cells *c, bool by_rows)
{
	size_t columns = by_rows ? c->columns : (c->columns + 1) / 2;
	size_t rows = by_rows ? (c->rows + 1) / 2 : c->rows;

	for (size_t i = 0; i < columns; i++) {
		for (size_t k = 0; k < rows; k++) {
			size_t x = by_rows ? i : 2 * i, y = by_rows ? 2 * k : k;
			double sum = c->n[x * c->rows + y];

			x += !by_rows;
			y += by_rows;
			if (x < c->columns && y < c->rows)
				sum += c->n[x * c->rows + y];
			/* Never ahead of what is still to be read. */
			c->n[i * rows + k] = sum;
		}
	}
	c->columns = columns;
	c->rows = rows;
}

static void find_most(struct cells *c)
{
	c->most = 0;
	for (size_t i = 0; i < c->columns * c->rows; i++)
		c->most = fmax(c->most, c->n[i]);
}

/* A box of cells of a level that is still growing to the right, by its
 * first row; end 0: none. */
struct open_box {
	size_t column, end;
};

/* Edges on whole units, so that no seam shows between neighbours. */
static void close_box(struct na_strokes *b, const struct cells *c,
		      const struct rpc_data *d, const struct rpc_axes *a,
		      size_t row, struct open_box *o, size_t column)
{
	double width = d->column_s * (double)d->columns / (double)c->columns;
	double step = log(d->cells_most_us / d->cells_least_us) /
		      (double)c->rows;
	double x0 =
		floor(na_scale_at(&a->x,
				  d->cells_from_s + width * (double)o->column));
	double x1 = floor(
		na_scale_at(&a->x, d->cells_from_s + width * (double)column));
	double lo = d->cells_least_us * exp(step * (double)row);
	double hi = d->cells_least_us * exp(step * (double)o->end);

	add_box(b, x0, ceil(na_scale_at(&a->y, lo)), fmax(x1, x0 + 1),
		floor(na_scale_at(&a->y, hi)));
	o->end = 0;
}

/* Cells at a level or above: runs within a column, as wide as columns with
 * the same run follow each other. */
static void add_level(struct na_strokes *b, const struct cells *c,
		      const struct rpc_data *d, const struct rpc_axes *a,
		      int level, struct open_box *open)
{
	for (size_t i = 0; i <= c->columns; i++) {
		const double *n = c->n + i * c->rows;

		for (size_t k = 0, end; k < c->rows; k++) {
			end = k;
			/* The start of a run, or none. */
			while (i < c->columns && end < c->rows &&
			       level_of(n[end], c->most) >= level)
				end++;
			if (k && end > k &&
			    level_of(n[k - 1], c->most) >= level)
				end = k;
			if (open[k].end && open[k].end != end)
				close_box(b, c, d, a, k, &open[k], i);
			if (end > k && !open[k].end)
				open[k] = (struct open_box){i, end};
		}
	}
}

/* All levels, one after the other; ends[level - 1]: where each ends.
 * False: too many boxes. */
static bool add_levels(struct na_strokes *b, const struct cells *c,
		       const struct rpc_data *d, const struct rpc_axes *a,
		       size_t ends[LEVELS], struct open_box *open)
{
	b->n = 0;
	for (int level = 1; level <= LEVELS; level++) {
		add_level(b, c, d, a, level, open);
		ends[level - 1] = b->n;
	}
	return b->n <= (size_t)BOXES_MAX * CORNERS || c->rows <= 8;
}

static enum na_status draw_cells(const struct na_layout *l,
				 const struct rpc_data *d,
				 const struct rpc_axes *a)
{
	struct cells c = {.columns = d->columns, .rows = d->rows};
	struct na_color hue = d->runs_apart ? l->theme->hue[NA_HUE_REST]
					    : l->theme->hue[NA_BLUE];
	struct open_box *open = na_calloc(c.rows, sizeof(*open));
	struct na_strokes b = {.n = 0};
	size_t ends[LEVELS];
	bool by_rows = true;

	c.n = na_calloc(c.columns * c.rows, sizeof(*c.n));
	if (!c.n || !open) {
		free(c.n);
		free(open);
		return NA_ENOMEM;
	}
	memcpy(c.n, d->counts, c.columns * c.rows * sizeof(*c.n));
	find_most(&c);
	while (!add_levels(&b, &c, d, a, ends, open)) {
		by_rows = !by_rows;
		coarsen(&c, by_rows);
		find_most(&c);
	}
	/* Each level is painted over the one below it. */
	for (size_t level = 0, from = 0; level < LEVELS && !b.failed; level++) {
		double share = 0.22 + 0.63 * (double)level / (LEVELS - 1);

		/* Behind runs in colours of their own. */
		share *= d->runs_apart ? 0.5 : 1;
		if (ends[level] > from)
			na_draw_area(l->canvas, b.v + from, ends[level] - from,
				     na_mix(l->theme->background, hue, share));
		from = ends[level];
	}
	free(open);
	na_vec_free(&b);
	free(c.n);
	return b.failed ? NA_ENOMEM : NA_OK;
}

/* A point on the page; those that cover each other are one. */
struct mark {
	int32_t x, y; /* in halves of a mark */
	int32_t hue;
	struct na_point at;
};

NA_ORDER(by_place, struct mark, NA_UP(hue), NA_UP(x), NA_UP(y), NA_UP(at.x))

static bool same_place(const struct mark *x, const struct mark *y)
{
	return x->hue == y->hue && x->x == y->x && x->y == y->y;
}

/* Of a run, else of a finding or of all others. */
static int32_t point_hue(const struct rpc_data *d, size_t i)
{
	bool found = d->point_tail[i] > 0 ||
		     (d->point_slow && d->point_slow[i] > 0);

	if (!d->runs_apart)
		return found ? NA_HUE_FINDING : NA_BLUE;
	return d->point_row[i] < (double)d->n_lines ? (int32_t)d->point_row[i]
						    : NA_HUE_REST;
}

static size_t place_marks(const struct rpc_data *d, const struct rpc_axes *a,
			  double size, struct mark *m)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_points; i++) {
		double x = na_scale_at(&a->x, d->point_s[i]);
		double y = na_scale_at(&a->y, d->point_us[i]);

		if (!isfinite(x) || !isfinite(y) || fabs(x) > 1e6 ||
		    fabs(y) > 1e6)
			continue;
		m[n++] = (struct mark){(int32_t)(x / size * 2),
				       (int32_t)(y / size * 2),
				       point_hue(d, i),
				       {x, y}};
	}
	na_sort(m, n, by_place);
	return n;
}

/* Marks of one colour whose place holds as many points as the level says:
 * 1, 2 to 3, 4 to 7, ... */
static size_t add_marks(const struct mark *m, size_t n, int32_t hue, int level,
			double size, struct na_point *p)
{
	size_t points = 0;

	for (size_t i = 0, end; i < n; i = end) {
		int found = 0;

		for (end = i + 1; end < n && same_place(&m[i], &m[end]); end++)
			;
		for (size_t k = end - i; k > 1 && found < 3; k /= 2)
			found++;
		if (m[i].hue != hue || found != level)
			continue;
		p[points++] = (struct na_point){m[i].at.x - size / 2,
						m[i].at.y};
		p[points++] = (struct na_point){m[i].at.x + size / 2,
						m[i].at.y};
		p[points++] = (struct na_point){NAN, NAN};
	}
	return points;
}

static enum na_status draw_points(const struct na_layout *l,
				  const struct rpc_data *d,
				  const struct rpc_axes *a, bool tail)
{
	double size = fmax((tail                 ? 5
			    : d->n_points > 2000 ? 2.2
			    : d->n_points > 200  ? 3.6
						 : 5) *
				   l->unit,
			   1.5);
	struct mark *m = na_calloc(d->n_points, sizeof(*m));
	struct na_point *p = na_calloc(3 * d->n_points, sizeof(*p));
	size_t n = m && p ? place_marks(d, a, size, m) : 0;
	bool ok = m && p;

	for (int32_t hue = 0; hue < NA_HUES; hue++) {
		if ((hue == NA_HUE_FINDING && !d->runs_apart) != tail)
			continue;
		for (int level = 0; level < 4; level++) {
			size_t k = add_marks(m, n, hue, level, size, p);
			double share = d->all_points ? 0.7 + 0.1 * level : 1;

			/* Clear of the line at which the tail lies. */
			if (k && tail)
				na_draw_polyline(
					l->canvas, p, k,
					&(struct na_pen){
						.color = l->theme->background,
						.width = size + 2 * l->unit});
			if (k)
				na_draw_polyline(
					l->canvas, p, k,
					&(struct na_pen){
						.color = na_fade(
							l->theme->hue[hue],
							share),
						.width = size});
		}
	}
	free(m);
	free(p);
	return ok ? NA_OK : NA_ENOMEM;
}

/* Crosses: a shape that no density hides. */
static enum na_status draw_failed(const struct na_layout *l,
				  const struct rpc_data *d,
				  const struct rpc_axes *a)
{
	struct na_point *p = na_calloc(6 * d->n_failed, sizeof(*p));
	double r = fmax(4 * l->unit, 3);
	size_t n = 0;

	if (!p)
		return NA_ENOMEM;
	for (size_t i = 0; i < d->n_failed; i++) {
		double x = na_scale_at(&a->x, d->failed_s[i]);
		double y = na_scale_at(&a->y, d->failed_us[i]);

		if (!isfinite(x) || !isfinite(y) || fabs(x) > 1e6 ||
		    fabs(y) > 1e6)
			continue;
		p[n++] = (struct na_point){x - r, y - r};
		p[n++] = (struct na_point){x + r, y + r};
		p[n++] = (struct na_point){NAN, NAN};
		p[n++] = (struct na_point){x - r, y + r};
		p[n++] = (struct na_point){x + r, y - r};
		p[n++] = (struct na_point){NAN, NAN};
	}
	if (n)
		na_draw_polyline(l->canvas, p, n,
				 NA_PEN(l, l->theme->hue[NA_HUE_FINDING], 1.6));
	free(p);
	return NA_OK;
}

enum na_status na_rpc_draw_scatter(const struct na_layout *l,
				   const struct rpc_data *d,
				   const struct rpc_axes *a)
{
	enum na_status st = d->counts ? draw_cells(l, d, a) : NA_OK;

	if (st == NA_OK && d->n_points)
		st = draw_points(l, d, a, false);
	return st;
}

enum na_status na_rpc_draw_tail(const struct na_layout *l,
				const struct rpc_data *d,
				const struct rpc_axes *a)
{
	enum na_status st = d->n_points ? draw_points(l, d, a, true) : NA_OK;

	return st == NA_OK && d->n_failed ? draw_failed(l, d, a) : st;
}
