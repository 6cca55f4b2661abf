#include "plot/figures/bursts/parts.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "plot/trace.h"

#define STRIP_HEIGHT 0.55 /* of the font */
#define SHADES       4

/* Share of each column that bursts cover. */
static void cover(const struct bursts *b, const struct na_scale *x, double x0,
		  double *share, size_t n)
{
	na_for_each (v, na_get(b->body, M_bursts)) {
		double from = na_number_at(v, M_from_s);
		double to = na_number_at(v, M_to_s);
		size_t k;

		from = fmax(na_scale_at(x, from) - x0, 0);
		to = fmin(na_scale_at(x, to) - x0, (double)n);
		if (!(to > from))
			continue;
		for (k = (size_t)from; k < n && (double)k < to; k++)
			share[k] += fmin(to, (double)k + 1) -
				    fmax(from, (double)k);
	}
}

static int shade_of(double share)
{
	return share > 0 ? (int)fmin(ceil(share * SHADES - 1e-6), SHADES) : 0;
}

enum na_status na_bursts_strip(const struct na_layout *l,
			       const struct bursts *b, const struct na_scale *x,
			       struct na_box plot, struct na_err *err)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	double width = floor(plot.x1 - plot.x0);
	size_t n = width > 1 ? (size_t)width : 1;
	double *share = na_calloc(n, sizeof(*share));

	if (!share)
		return na_fail_nomem(err);
	cover(b, x, plot.x0, share, n);
	for (size_t i = 0, k; i < n; i = k) {
		int shade = shade_of(share[i]);

		for (k = i + 1; k < n && shade_of(share[k]) == shade; k++)
			;
		if (!shade)
			continue;
		na_draw_rect(l->canvas,
			     (struct na_box){plot.x0 + (double)i, plot.y0,
					     plot.x0 + (double)k,
					     plot.y0 +
						     STRIP_HEIGHT * font.size},
			     na_mix(l->theme->background,
				    l->theme->hue[NA_PURPLE],
				    0.2 + 0.8 * shade / SHADES));
	}
	free(share);
	return NA_OK;
}

struct level {
	double from, to, above; /* share of the time at `from` or more */
};

/* From the highest down; returns how many above zero. */
static size_t read_levels(const struct bursts *b, struct level *out, size_t max)
{
	const struct na_value *list = na_get(b->body, M_levels), *v;
	double sum = 0, all = 0;
	size_t n = 0;

	v = na_items(list);
	for (; v && n < max; v = v->next) {
		double from = na_number_or(v, M_from, 0);
		double share = na_number_or(v, M_share, 0);

		all += share;
		if (from < 1)
			continue;
		out[n++] = (struct level){from, na_number_or(v, M_to, 0),
					  share};
	}
	for (size_t i = n; i-- > 0;) {
		sum += out[i].above;
		out[i].above = all > 0 ? fmin(sum / all, 1) : 0;
	}
	return n;
}

static void draw_shares(const struct na_layout *l, const struct bursts *b,
			const struct na_panel *p, struct na_box box)
{
	enum { MOST = 256 };
	struct level level[MOST];
	struct na_point area[2 * MOST + 3];
	size_t n = read_levels(b, level, MOST), k = 0;
	struct na_color color = l->theme->hue[NA_HUE_PENDING];
	double width = box.x1 - box.x0;

	for (size_t i = 0; i < n; i++) {
		double x = box.x0 + width * level[i].above;

		area[k++] = (struct na_point){x,
					      na_scale_at(&p->y,
							  level[i].from - 1)};
		area[k++] = (struct na_point){x, na_scale_at(&p->y,
							     level[i].to - 1)};
	}
	if (!n)
		return;
	area[k] = (struct na_point){box.x0, area[k - 1].y};
	k++;
	na_draw_polyline(l->canvas, area, k, NA_PEN(l, color, 1.4));
	area[k++] = (struct na_point){box.x0, box.y1};
	na_draw_area(l->canvas, area, k, na_fade(color, 0.3));
}

/* 50 and 100 % below the box; beside its corner stand labels of the time. */
static void draw_percent(const struct na_layout *l, struct na_box box)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT,
					     l->theme->secondary);
	struct na_pen pen = {.color = l->theme->axis,
			     .width = fmax(l->unit, 1)};
	static const char *const words[] = {NULL, "50 %", "100 %"};
	double y = box.y1 + 0.5 * l->gap + 1.1 * font.size;
	bool all = box.x1 - box.x0 > 14 * font.size;

	na_draw_line(l->canvas, box.x0, box.y1, box.x1, box.y1, &pen);
	for (int i = 0; i < 3; i++) {
		double x = box.x0 + (box.x1 - box.x0) * i / 2;

		na_draw_line(l->canvas, x, box.y1, x, box.y1 + 0.5 * l->gap,
			     &pen);
		font.align = i == 1 ? NA_CENTER : NA_RIGHT;
		if (words[i] && (i != 1 || all))
			na_draw_text(l->canvas, x, y, words[i], &font);
	}
}

/* Quantiles as lines, named where there is room. */
static void draw_quantiles(const struct na_layout *l, const struct bursts *b,
			   const struct na_panel *p, struct na_box box)
{
	static const char *const names[] = {M_max, M_p99, M_p50};
	static const enum na_dash dashes[] = {NA_DOTTED, NA_DASHED, NA_SOLID};
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL, l->theme->text);
	const struct na_value *pending = na_get(b->body, M_pending);
	double free = -INFINITY;

	font.align = NA_RIGHT;
	for (int i = 0; i < 3; i++) {
		double x = na_number_at(pending, names[i]), y;
		char text[NA_LABEL_BUF], value[NA_LABEL_BUF];

		if (!isfinite(x))
			continue;
		y = na_scale_at(&p->y, x);
		na_draw_line(l->canvas, box.x0, y, box.x1, y,
			     &(struct na_pen){.color = l->theme->secondary,
					      .width = fmax(l->unit, 1),
					      .dash = dashes[i]});
		if (y - 1.3 * font.size < free)
			continue;
		snprintf(text, sizeof(text), "%s %.40s", names[i],
			 na_label_short(value, x, 6));
		if (na_measure(l->canvas, text, &font) > box.x1 - box.x0)
			continue;
		na_draw_text(l->canvas, box.x1, y - 0.3 * font.size, text,
			     &font);
		free = y;
	}
}

void na_bursts_distribution(const struct na_layout *l, const struct bursts *b,
			    const struct na_panel *p, double x0, double x1)
{
	struct na_box box = {x0, p->plot.y0, x1, p->plot.y1};
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT,
					     l->theme->secondary);
	struct na_row row = {.x = x0, .end = x1, .y = p->header.y};

	na_row_put(l, &row, "time with more", &font);
	draw_shares(l, b, p, box);
	draw_quantiles(l, b, p, box);
	draw_percent(l, box);
}

static struct na_pen pen_of(const struct na_layout *l, size_t i)
{
	/* clang-format off */
	static const enum na_dash dashes[NA_TOP_SERIES] = {
		NA_SOLID,       NA_DASHED,   NA_DOTTED,
		NA_LONG_DASHED, NA_DASH_DOT, NA_DASH_DOT_DOT};
	/* clang-format on */

	return (struct na_pen){.color = l->theme->hue[i],
			       .width = fmax(1.4 * l->unit, 1),
			       .dash = dashes[i]};
}

/* Sample, name, mean: on two lines. */
static void draw_entry(const struct na_layout *l, const struct bursts_group *g,
		       size_t i, struct na_box line)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	double y = line.y0 + font.size, sample = 2.2 * font.size;
	double middle = y - na_text_ascent(&font) / 2;
	struct na_pen pen = pen_of(l, i);
	char words[2 * NA_LABEL_BUF + sizeof(g->name)], mean[NA_LABEL_BUF];
	char text[NA_TEXT_MAX];

	na_draw_line(l->canvas, line.x0, middle, line.x0 + sample, middle,
		     &pen);
	snprintf(words, sizeof(words), "%s", g->name);
	if (isfinite(g->time_mean))
		snprintf(words, sizeof(words), "%s %s", g->name,
			 na_label_short(mean, g->time_mean, 3));
	sample += 0.5 * font.size;
	na_text_fit(l->canvas, text, words, &font, line.x1 - line.x0 - sample,
		    NA_CUT_MIDDLE);
	na_draw_text(l->canvas, line.x0 + sample, y, text, &font);
}

static void draw_legend(const struct na_layout *l, const struct bursts *b,
			struct na_box box)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT,
					     l->theme->secondary);
	double height = 1.4 * font.size;
	size_t lines = (size_t)fmax((box.y1 - box.y0) / height, 1);
	size_t n = b->n_groups;
	char words[NA_LABEL_BUF], text[NA_TEXT_MAX];

	if (n + (b->more_groups > 0) > lines)
		n = lines - 1;
	for (size_t i = 0; i < n; i++, box.y0 += height)
		draw_entry(l, &b->groups[i], i,
			   (struct na_box){box.x0, box.y0, box.x1,
					   box.y0 + height});
	if (b->more_groups + b->n_groups == n)
		return;
	snprintf(words, sizeof(words), "and %zu more",
		 b->more_groups + b->n_groups - n);
	if (b->has_rest)
		snprintf(words, sizeof(words), "and more");
	na_text_fit(l->canvas, text, words, &font, box.x1 - box.x0, NA_CUT_END);
	na_draw_text(l->canvas, box.x0, box.y0 + font.size, text, &font);
}

enum na_status na_bursts_groups(const struct na_layout *l,
				const struct bursts *b,
				const struct na_panel *p, struct na_box legend,
				struct na_err *err)
{
	struct na_trace trace;

	na_panel_draw(l, p);
	if (!na_trace_init(&trace, b->groups[0].mean, b->n, p->plot.x0,
			   p->plot.x1))
		return na_fail_nomem(err);
	/* What is dashed on top: what it covers shows through. */
	for (size_t i = 0; i < b->n_groups; i++) {
		struct na_pen pen = pen_of(l, i);

		na_trace_load(&trace, b->groups[i].mean, b->n);
		na_trace_line(l->canvas, &trace, &p->y, &pen);
	}
	na_trace_fini(&trace);
	if (legend.x1 > legend.x0)
		draw_legend(l, b, legend);
	return NA_OK;
}
