#include "plot/figures/tcp/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/vec.h"

#define CUT_LEAST 0.12 /* of the time shown, of one */
#define CUT_WORTH 0.4  /* of all together */
#define KEEP      0.01 /* of the time, on either side of a cut */

struct stall {
	size_t from, to; /* columns */
};

static size_t length(const struct stall *s)
{
	return s->to - s->from;
}

static void mark(bool *seen, size_t n, double column)
{
	if (column >= 0 && column < (double)n)
		seen[(size_t)column] = true;
}

/* Columns in which something was sent, acknowledged or marked. */
static void find_seen(const struct tcp_figure *f, bool *seen)
{
	double per_s = (double)f->n / (f->to_s - f->from_s);

	seen[0] = seen[f->n - 1] = true;
	for (size_t i = 0; i < f->n_data; i++)
		mark(seen, f->n, (double)f->data[3 * i]);
	for (size_t i = 0; f->ack && i < f->n; i++)
		seen[i] |= !isnan(f->ack[i]);
	for (size_t i = 0; i < f->n_marks; i++)
		mark(seen, f->n, (f->marks[i].time_s - f->from_s) * per_s);
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
		if (kept < TCP_CUTS_MAX) {
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

static bool worth_it(const struct stall *s, size_t n, size_t columns)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += length(&s[i]);
	return (double)sum >= CUT_WORTH * (double)columns;
}

bool na_tcp_time_place(struct tcp_time *t, const struct tcp_figure *f,
		       double x0, double x1, double gap)
{
	bool *seen = na_calloc(f->n + 1, sizeof(*seen));
	struct stall stalls[TCP_CUTS_MAX];
	double column_s = (f->to_s - f->from_s) / (double)f->n, shown = 0;
	double keep = KEEP * (f->to_s - f->from_s), slope, from = f->from_s;
	size_t n = 0;

	if (!seen)
		return false;
	if (f->n)
		find_seen(f, seen);
	n = find_stalls(seen, f->n, stalls);
	free(seen);
	if (!worth_it(stalls, n, f->n) || gap * (double)n > 0.4 * (x1 - x0))
		n = 0;
	t->n = n + 1;
	for (size_t i = 0; i <= n; i++) {
		double to = f->to_s;

		if (i < n)
			to = f->from_s + column_s * (double)stalls[i].from +
			     keep;
		t->parts[i] = (struct na_scale){.from = from, .to = to};
		shown += to - from;
		if (i < n)
			from = f->from_s + column_s * (double)stalls[i].to -
			       keep;
	}
	slope = (x1 - x0 - gap * (double)n) / shown;
	for (size_t i = 0; i <= n; i++) {
		struct na_scale *p = &t->parts[i];

		p->at_from = x0;
		p->at_to = x0 + slope * (p->to - p->from);
		x0 = p->at_to + gap;
	}
	return true;
}

double na_tcp_time_at(const struct tcp_time *t, double s)
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

double na_tcp_time_width(const struct tcp_time *t, double s)
{
	const struct na_scale *p = &t->parts[0];

	return s * (p->at_to - p->at_from) / (p->to - p->from);
}

void na_tcp_time_axis(const struct na_layout *l, const struct tcp_time *t,
		      double y)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	double wide = na_measure(l->canvas, "time from the origin (ms)", &font);
	double narrow = na_measure(l->canvas, "time (ms)", &font);

	for (size_t i = 0; i < t->n; i++) {
		const struct na_scale *p = &t->parts[i];
		double width = p->at_to - p->at_from;

		/* Of a sliver the neighbour says enough. */
		if (width < narrow && t->n > 1)
			na_draw_line(l->canvas, p->at_from, y, p->at_to, y,
				     NA_PEN(l, l->theme->axis, 1));
		else
			na_time_axis(l, p, y,
				     width < wide ? "time"
						  : "time from the origin");
	}
}

static struct na_font cut_font(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_SMALL + 1, l->theme->secondary);
}

double na_tcp_time_gap(const struct na_layout *l)
{
	struct na_font font = cut_font(l);

	return na_measure(l->canvas, "999 ms", &font) + l->gap;
}

void na_tcp_time_cuts(const struct na_layout *l, const struct tcp_time *t,
		      struct na_box plot, bool words)
{
	struct na_font font = cut_font(l);
	char text[NA_LABEL_BUF];

	font.align = NA_CENTER;
	for (size_t i = 0; i + 1 < t->n; i++) {
		const struct na_scale *a = &t->parts[i], *b = a + 1;
		double middle = (a->at_to + b->at_from) / 2;
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
		na_draw_text(l->canvas, middle, (box.y0 + box.y1) / 2, text,
			     &font);
		na_draw_text(l->canvas, middle,
			     (box.y0 + box.y1) / 2 - 1.3 * font.size,
			     "cut:", &font);
	}
}
