#include "plot/figures/timeline/saturation.h"
#include "members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"

struct region {
	double from, to;
	const char *host;
};

NA_ORDER(by_start, struct region, NA_UP(from))

NA_ORDER(by_host, struct region, strcmp(x->host, y->host))

/* The regions of one side inside the picture; NULL when there are none or
 * memory is short. */
static struct region *side_regions(const struct timeline *t, enum side side,
				   size_t *n, bool *short_of_memory)
{
	struct region *regions = NULL;
	size_t cap = 0;

	*n = 0;
	na_for_each (v, na_get(t->body, M_saturated)) {
		const char *word = na_text_at(v, M_side);
		struct region one = {fmax(na_number_at(v, M_from_s), t->from_s),
				     fmin(na_number_at(v, M_to_s), t->to_s),
				     na_text_at(v, M_host)};

		if (strcmp(word, side == RX ? "rx" : "tx") != 0 ||
		    !(one.to > one.from))
			continue;
		if (!na_grow(&regions, &cap, *n + 1, sizeof(*regions))) {
			free(regions);
			*short_of_memory = true;
			return NULL;
		}
		regions[(*n)++] = one;
	}
	return regions;
}

enum na_status na_timeline_saturation(struct saturation *s,
				      const struct timeline *t, enum side side,
				      struct na_err *err)
{
	bool short_of_memory = false;
	double end = -INFINITY, host_seconds = 0, share;
	double hosts = t->hosts > 1 ? (double)t->hosts : 1;
	struct region *r;
	size_t n;

	*s = (struct saturation){.regions = 0};
	r = side_regions(t, side, &n, &short_of_memory);
	if (short_of_memory)
		return na_fail_nomem(err);
	share = na_number_at(t->side, side == RX ? M_rx_saturated_share
						 : M_tx_saturated_share);
	if (n) {
		na_sort(r, n, by_start);
		for (size_t i = 0; i < n; i++) {
			s->seconds += fmax(r[i].to - fmax(end, r[i].from), 0);
			end = fmax(end, r[i].to);
			host_seconds += r[i].to - r[i].from;
		}
		na_sort(r, n, by_host);
		for (size_t i = 0; i < n; i++)
			s->hosts += !i || strcmp(r[i].host, r[i - 1].host);
	}
	s->regions = n;
	s->share = share >= 0 && share <= 1
			   ? share
			   : fmin(host_seconds / hosts / (t->to_s - t->from_s),
				  1);
	free(r);
	return NA_OK;
}

#define COLUMNS_MAX 400
#define LEVELS      3

/* How many host-seconds of each column are saturated, as a share of the
 * column's; columns [n]. */
static void saturated_columns(const struct timeline *t, enum side side,
			      double *columns, size_t n)
{
	double width = (t->to_s - t->from_s) / (double)n;
	double hosts = t->hosts > 1 ? (double)t->hosts : 1;

	na_for_each (v, na_get(t->body, M_saturated)) {
		const char *word = na_text_at(v, M_side);
		double from = na_number_at(v, M_from_s);
		double to = na_number_at(v, M_to_s);

		if (strcmp(word, side == RX ? "rx" : "tx") != 0)
			continue;
		from = fmax((from - t->from_s) / width, 0);
		to = fmin((to - t->from_s) / width, (double)n);
		for (size_t i = (size_t)from; from < to && i < n; i++) {
			double part = fmin(to, (double)i + 1) -
				      fmax(from, (double)i);

			if (part <= 0)
				break;
			columns[i] += part / hosts;
		}
	}
}

/* The columns from `least` to `most` levels as rectangles from the top of
 * the plot to `bottom`. */
__attribute__((noinline)) static void
draw_levels(const struct na_layout *l, const struct na_box *plot,
	    const double *columns, size_t n, double least, double most,
	    double bottom, struct na_color color)
{
	struct na_point p[5 * (COLUMNS_MAX / 2)]; /* a gap behind each */
	double dx = (plot->x1 - plot->x0) / (double)n;
	size_t points = 0;

	for (size_t i = 0; i < n;) {
		size_t from = i;
		double x0, x1;

		while (i < n && columns[i] >= least && columns[i] <= most)
			i++;
		if (i == from) {
			i++;
			continue;
		}
		/* Whole pixels: no seam between one level and the next. */
		x0 = nearbyint(plot->x0 + dx * (double)from);
		x1 = nearbyint(plot->x0 + dx * (double)i);
		p[points++] = (struct na_point){x0, plot->y0};
		p[points++] = (struct na_point){x1, plot->y0};
		p[points++] = (struct na_point){x1, bottom};
		p[points++] = (struct na_point){x0, bottom};
		p[points++] = (struct na_point){NAN, NAN};
	}
	na_draw_area(l->canvas, p, points, color);
}

void na_timeline_draw_saturation(const struct na_layout *l,
				 const struct na_panel *p,
				 const struct timeline *t, enum side side)
{
	double columns[COLUMNS_MAX] = {0};
	double width = p->plot.x1 - p->plot.x0, edge = fmax(4 * l->unit, 3);
	struct na_color full = l->theme->hue[NA_HUE_FINDING];
	size_t n = (size_t)fmin(width / 2, COLUMNS_MAX);

	if (n < 1)
		return;
	saturated_columns(t, side, columns, n);
	for (size_t i = 0; i < n; i++) {
		if (columns[i] > 0)
			columns[i] = fmin(ceil(columns[i] * LEVELS), LEVELS);
	}
	/* Opaque: what lies below would turn it grey. */
	for (int level = 1; level <= LEVELS; level++)
		draw_levels(l, &p->plot, columns, n, level, level, p->plot.y1,
			    na_mix(l->theme->background, full,
				   0.06 + 0.06 * level));
	draw_levels(l, &p->plot, columns, n, 1, LEVELS, p->plot.y0 + edge,
		    full);
}
