#include "plot/figures/cut_time.h"

#include <math.h>
#include <stdio.h>
#define CUT_LEAST 0.12 /* of the time shown, of one */
#define CUT_WORTH 0.4  /* of all together */
#define KEEP      0.01 /* of the time, on either side of a cut, but no more */
#define KEEP_SHOWN 0.1 /* of what is left */

struct stall {
	size_t from, to; /* columns */
};

static size_t length(const struct stall *s)
{
	return s->to - s->from;
}

/* The longest, in the order of time. */
static size_t find_stalls(const bool *seen, size_t n, struct stall *s)
{
	size_t kept = 0;

	for (size_t i = 0, from; i < n; i++) {
		struct stall one;
		size_t least = 0;

		for (from = i; i < n && !seen[i];)
			i++;
		one = (struct stall){from, i};
		if ((double)length(&one) < CUT_LEAST * (double)n)
			continue;
		if (kept < NA_CUTS_MAX) {
			s[kept++] = one;
			continue;
		}
		for (size_t k = 1; k < kept; k++) {
			if (length(&s[k]) < length(&s[least]))
				least = k;
		}
		if (length(&s[least]) >= length(&one))
			continue;
		for (size_t k = least; k + 1 < kept; k++)
			s[k] = s[k + 1];
		s[kept - 1] = one;
	}
	return kept;
}

static size_t total(const struct stall *s, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += length(&s[i]);
	return sum;
}

/* Lays the parts side by side, all of one slope. */
static void place_parts(struct na_cut_time *t, double x0, double x1, double gap)
{
	double shown = 0, slope;

	for (size_t i = 0; i < t->n; i++)
		shown += t->parts[i].to - t->parts[i].from;
	slope = (x1 - x0 - gap * (double)(t->n - 1)) / shown;
	for (size_t i = 0; i < t->n; i++) {
		struct na_scale *p = &t->parts[i];

		p->at_from = x0;
		p->at_to = x0 + slope * (p->to - p->from);
		x0 = p->at_to + gap;
	}
}

void na_cut_time_place(struct na_cut_time *t, const bool *seen, size_t n,
		       double from, double to, double x0, double x1, double gap)
{
	struct stall stalls[NA_CUTS_MAX];
	double column = (to - from) / (double)n, begin = from, keep;
	size_t cuts = find_stalls(seen, n, stalls), sum = total(stalls, cuts);

	if ((double)sum < CUT_WORTH * (double)n ||
	    gap * (double)cuts > 0.4 * (x1 - x0))
		cuts = 0;
	keep = fmin(KEEP * (to - from),
		    KEEP_SHOWN * column * (double)(n - sum));
	t->n = cuts + 1;
	for (size_t i = 0; i <= cuts; i++) {
		t->parts[i] = (struct na_scale){.from = begin, .to = to};
		if (i == cuts)
			break;
		t->parts[i].to = from + column * (double)stalls[i].from + keep;
		begin = from + column * (double)stalls[i].to - keep;
	}
	place_parts(t, x0, x1, gap);
}

double na_cut_time_at(const struct na_cut_time *t, double s)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct na_scale *p = &t->parts[i], *next = p + 1;
		struct na_scale cut;

		if (s <= p->to || i + 1 == t->n)
			return na_scale_at(p, s);
		cut = (struct na_scale){p->to, next->from, p->at_to,
					next->at_from, false};
		if (s < next->from)
			return na_scale_at(&cut, s);
	}
	return NAN;
}

double na_cut_time_width(const struct na_cut_time *t, double s)
{
	const struct na_scale *p = &t->parts[0];

	return s * (p->at_to - p->at_from) / (p->to - p->from);
}

void na_cut_time_axis(const struct na_layout *l, const struct na_cut_time *t,
		      double y)
{
	na_time_axis_parts(l, t->parts, t->n, y, "time from the origin");
}

static struct na_font cut_font(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_SMALL + 1, l->theme->secondary);
}

double na_cut_time_gap(const struct na_layout *l)
{
	struct na_font font = cut_font(l);

	return na_measure(l->canvas, "in flight", &font) + l->gap;
}

void na_cut_time_say(const struct na_layout *l, const struct na_cut_time *t,
		     struct na_box plot, size_t i, int line, const char *text)
{
	struct na_font font = cut_font(l);

	font.align = NA_CENTER;
	na_draw_text(l->canvas, (t->parts[i].at_to + t->parts[i + 1].at_from) / 2,
		     (plot.y0 + plot.y1) / 2 + 1.3 * line * font.size, text,
		     &font);
}

void na_cut_time_cuts(const struct na_layout *l, const struct na_cut_time *t,
		      struct na_box plot, bool words)
{
	char text[NA_LABEL_BUF];

	for (size_t i = 0; i + 1 < t->n; i++) {
		const struct na_scale *a = &t->parts[i], *b = a + 1;
		struct na_box box = {a->at_to, plot.y0, b->at_from, plot.y1};
		double tooth = l->gap / 2;
		struct na_strokes s = {.n = 0};

		na_draw_rect(l->canvas, box,
			     na_mix(l->theme->background, l->theme->grid, 0.5));
		/* Torn edges. */
		for (int side = 0; side < 2; side++) {
			double x = side ? box.x1 : box.x0, y = box.y0;

			for (int k = 0; y < box.y1; k++, y += tooth)
				na_strokes_to(&s,
					      k % 2 ? x + tooth / 2
						    : x - tooth / 2,
					      y);
			na_strokes_break(&s);
		}
		if (!na_strokes_draw(&s, l->canvas,
				     NA_PEN(l, l->theme->axis, 1)) ||
		    !words)
			continue;
		na_label_quantity(text, NA_Q_SECONDS, b->from - a->to, 3);
		na_cut_time_say(l, t, plot, i, 0, text);
		na_cut_time_say(l, t, plot, i, -1, "cut:");
	}
}
