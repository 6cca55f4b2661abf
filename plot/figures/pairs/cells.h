/* The coloured squares of pairs.c and the key to their colours. */
#ifndef PLOT_FIGURES_PAIRS_CELLS_H
#define PLOT_FIGURES_PAIRS_CELLS_H

#include <math.h>

#include "plot/figures/pairs/data.h"
#include "plot/layout.h"

struct cells {
	const struct pairs_matrix *m;
	struct na_box box;          /* of the squares */
	double left, right, bottom; /* where words may reach */
	bool cut;                   /* names without what all begin with */
};

/* Edges lie on whole points, so that no seam shows between squares. */
static inline double cells_x(const struct cells *c, size_t i)
{
	double w = c->box.x1 - c->box.x0;

	return c->box.x0 + round(w * (double)i / (double)c->m->m);
}

static inline double cells_y(const struct cells *c, size_t i)
{
	return c->box.y0 + cells_x(c, i) - c->box.x0;
}

static inline double cells_height(const struct cells *c)
{
	return (c->box.y1 - c->box.y0) / (double)c->m->m;
}

enum na_status na_pairs_cells(const struct na_layout *l, const struct cells *c,
			      struct na_err *err) NA_MUST_CHECK;

/* What squares are the excess of. */
const char *na_pairs_measure(const struct pairs_figure *f);
/* Of one of several that differ; NULL: they do not. */
const char *na_pairs_own_measure(const struct pairs_figure *f,
				 const struct pairs_matrix *m);

/* The steps of colour, what they mean, and the other looks of a square. */
double na_pairs_key_height(const struct na_layout *l);
void na_pairs_key(const struct na_layout *l, const struct pairs_figure *f,
		  struct na_box box);

#endif
