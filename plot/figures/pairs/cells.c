#include "plot/figures/pairs/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* On a dark ground the first steps of a colour are hardly seen. */
static double strength(const struct na_theme *t, int level)
{
	double share = level / (double)LEVELS;
	bool dark = t->background.r < t->text.r;

	return level && dark ? 0.14 + 0.86 * share : share;
}

/* Blue below, neutral at 1x, vermilion above; beyond the range darker. */
static struct na_color color_of(const struct na_theme *t, int level)
{
	struct na_color hue = t->hue[level < 0 ? NA_BLUE : NA_VERMILION];

	if (level == CELL_UNKNOWN)
		return na_mix(t->grid, t->axis, 0.6);
	if (level == CELL_WAITS)
		return na_mix(t->grid, t->axis, 0.25);
	if (abs(level) == BEYOND)
		return na_mix(hue, t->text, 0.45);
	return na_mix(t->grid, hue, strength(t, abs(level)));
}

#define MUTED 0.65 /* of the ground, where no colour may accuse */

static struct na_color shade_of(const struct na_theme *t, int level, bool muted)
{
	return na_mix(color_of(t, pairs_shade(level)), t->grid,
		      muted || pairs_is_few(level) ? MUTED : 0);
}

static struct na_color cell_color(const struct na_theme *t,
				  const struct pairs_matrix *m, int level)
{
	return shade_of(t, level, m->too_few);
}

struct stretch {
	size_t row, from, to;
};

/* The next run of equal squares of a level, or of none, in one row. */
static bool next_stretch(const struct pairs_matrix *m, int level,
			 struct stretch *s)
{
	for (; s->row < m->m; s->row++, s->to = 0) {
		const signed char *row = m->levels + s->row * m->m;

		for (s->from = s->to; s->from < m->m && row[s->from] != level;)
			s->from++;
		for (s->to = s->from; s->to < m->m && row[s->to] == level;)
			s->to++;
		if (s->to > s->from)
			return true;
	}
	return false;
}

/* One stroke for the squares of a level in all rows of one height. */
static bool draw_level(const struct na_layout *l, const struct cells *c,
		       int level, double height, struct na_color color)
{
	struct na_strokes lines = {.n = 0};
	struct stretch s = {0, 0, 0};

	while (next_stretch(c->m, level, &s)) {
		double y0 = cells_y(c, s.row), y1 = cells_y(c, s.row + 1);
		double y = (y0 + y1) / 2;

		if (fabs(y1 - y0 - height) <= 0.5)
			na_strokes_line(&lines, cells_x(c, s.from), y,
					cells_x(c, s.to), y);
	}
	return na_strokes_draw(&lines, l->canvas,
			       &(struct na_pen){color, height, NA_SOLID});
}

static bool draw_levels(const struct na_layout *l, const struct cells *c,
			int level, struct na_color color)
{
	double low = floor(cells_height(c));

	return (low < 1 || draw_level(l, c, level, low, color)) &&
	       draw_level(l, c, level, low + 1, color);
}

static double hatch_gap(const struct na_layout *l)
{
	return fmax(7 * l->unit, 4);
}

/* Squares without data: rows of equal stretches are one box. */
static bool draw_empty(const struct na_layout *l, const struct cells *c)
{
	struct na_strokes lines = {.n = 0};
	struct na_point one[NA_HATCH_POINTS];
	struct stretch s = {0, 0, 0}, last = {0, 0, 0};
	size_t since = 0;
	bool more = true;

	if (!draw_levels(l, c, CELL_NONE, l->theme->background))
		return false;
	while (more) {
		size_t k;

		more = next_stretch(c->m, CELL_NONE, &s);
		/* Whole rows alone are joined: that is where there is much
		 * to save. */
		if (more && last.to && s.from == 0 && s.to == c->m->m &&
		    last.from == 0 && last.to == c->m->m &&
		    s.row == last.row + 1) {
			last = s;
			continue;
		}
		if (last.to) {
			k = na_hatch_lines(
				(struct na_box){cells_x(c, last.from),
						cells_y(c, since),
						cells_x(c, last.to),
						cells_y(c, last.row + 1)},
				hatch_gap(l), one);
			for (size_t i = 0; i < k; i++)
				na_strokes_to(&lines, one[i].x, one[i].y);
		}
		last = s;
		since = s.row;
	}
	return na_strokes_draw(&lines, l->canvas,
			       NA_HAIRLINE(l, na_mix(l->theme->grid,
						     l->theme->axis, 0.5)));
}

/* Where colours end: a cross, in a corner where a number has the middle. */
static void add_cross(struct na_strokes *lines, struct na_box b)
{
	na_strokes_line(lines, b.x0, b.y0, b.x1, b.y1);
	na_strokes_line(lines, b.x0, b.y1, b.x1, b.y0);
}

static struct na_box cross_box(const struct cells *c, size_t i, bool corner)
{
	double h = cells_height(c), half = (corner ? 0.09 : 0.2) * h;
	double x = cells_x(c, i % c->m->m), y = cells_y(c, i / c->m->m);

	x += corner ? 0.84 * h : h / 2;
	y += corner ? 0.16 * h : h / 2;
	return (struct na_box){x - half, y - half, x + half, y + half};
}

/* If there is room. */
static bool draw_beyond(const struct na_layout *l, const struct cells *c,
			bool corner)
{
	const struct pairs_matrix *m = c->m;
	bool room = cells_height(c) > 7;
	struct na_strokes lines = {.n = 0};

	for (size_t i = 0; room && i < m->m * m->m; i++) {
		if (abs(pairs_shade(m->levels[i])) == BEYOND)
			add_cross(&lines, cross_box(c, i, corner));
	}
	return na_strokes_draw(&lines, l->canvas,
			       NA_PEN(l, l->theme->background, 1.5));
}

/* Lines between groups (slices, hosts, racks), where groups hold several
 * rows and the lines leave most of the squares to be seen. */
static void draw_groups(const struct na_layout *l, const struct cells *c)
{
	const struct pairs_matrix *m = c->m;
	struct na_point p[6 * 64];
	size_t n = 0, groups = 1;

	for (size_t i = 1; i < m->n; i++)
		groups += m->group[i] != m->group[i - 1];
	if (groups < 2 || 2 * groups > m->m || groups > 64 ||
	    cells_height(c) * (double)m->m / (double)groups < 8)
		return;
	for (size_t i = 1; i < m->m; i++) {
		double at = cells_x(c, i), y = cells_y(c, i);

		if (m->group[i * m->merged] == m->group[i * m->merged - 1])
			continue;
		p[n++] = (struct na_point){at, c->box.y0};
		p[n++] = (struct na_point){at, c->box.y1};
		p[n++] = (struct na_point){NAN, NAN};
		p[n++] = (struct na_point){c->box.x0, y};
		p[n++] = (struct na_point){c->box.x1, y};
		p[n++] = (struct na_point){NAN, NAN};
	}
	na_draw_polyline(l->canvas, p, n, NA_PEN(l, l->theme->secondary, 1));
}

static struct na_font number_font(const struct na_layout *l,
				  const struct cells *c)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);

	font.size = fmin(font.size, 0.32 * cells_height(c));
	font.align = NA_CENTER;
	return font;
}

/* Few enough squares, and room for "0.95" in each. */
static bool numbered(const struct na_layout *l, const struct cells *c)
{
	return c->m->excess && c->m->merged == 1 &&
	       number_font(l, c).size >= 0.9 * NA_SIZE_MIN;
}

static const char *excess_text(char buf[NA_LABEL_BUF], double x)
{
	return na_label_fixed(buf, x, x < 0.995 ? 2 : x < 9.95 ? 1 : 0);
}

/* How many times the expected; ">32" where 32.4 would read as where colours
 * end. */
static void put_excess(char text[NA_LABEL_BUF + 1],
		       const struct pairs_matrix *m, size_t i)
{
	char limit[NA_LABEL_BUF];

	if (m->most > 0) {
		na_label_fixed(text, m->excess[i], 0);
		return;
	}
	excess_text(text + 1, m->excess[i]);
	*text = '>';
	if (pairs_shade(m->levels[i]) != BEYOND ||
	    strcmp(text + 1, excess_text(limit, exp(m->limit))) != 0)
		memmove(text, text + 1, strlen(text));
}

/* Lines between the squares, and in each how many times the expected. */
static void draw_numbers(const struct na_layout *l, const struct cells *c)
{
	const struct pairs_matrix *m = c->m;
	struct na_font font = number_font(l, c);
	const struct na_pen *pen = NA_PEN(l, l->theme->background, 1);
	double up = na_text_ascent(&font) / 2;
	char text[NA_LABEL_BUF + 1];

	for (size_t i = 1; i < m->m; i++) {
		double x = cells_x(c, i), y = cells_y(c, i);

		na_draw_line(l->canvas, x, c->box.y0, x, c->box.y1, pen);
		na_draw_line(l->canvas, c->box.x0, y, c->box.x1, y, pen);
	}
	for (size_t i = 0; i < m->m * m->m; i++) {
		struct na_color ground = cell_color(l->theme, m, m->levels[i]);
		double x = cells_x(c, i % m->m) + cells_x(c, i % m->m + 1);
		double y = cells_y(c, i / m->m) + cells_y(c, i / m->m + 1);

		if (m->levels[i] == CELL_NONE || m->levels[i] == CELL_UNKNOWN)
			continue;
		font.color = l->theme->text;
		if (na_contrast(font.color, ground) <
		    na_contrast(l->theme->background, ground))
			font.color = l->theme->background;
		if (pairs_is_few(m->levels[i]))
			font.color = na_mix(font.color, ground, 0.4);
		put_excess(text, m, i);
		na_draw_text(l->canvas, x / 2, y / 2 + up, text, &font);
	}
}

enum na_status na_pairs_cells(const struct na_layout *l, const struct cells *c,
			      struct na_err *err)
{
	bool ok;

	na_draw_rect(l->canvas, c->box, color_of(l->theme, 0));
	ok = draw_empty(l, c) &&
	     draw_levels(l, c, CELL_UNKNOWN,
			 cell_color(l->theme, c->m, CELL_UNKNOWN)) &&
	     draw_levels(l, c, CELL_WAITS,
			 cell_color(l->theme, c->m, CELL_WAITS));
	for (int level = -BEYOND; ok && level <= FEW + BEYOND; level++) {
		if (pairs_shade(level))
			ok = draw_levels(l, c, level,
					 cell_color(l->theme, c->m, level));
	}
	if (!ok || !draw_beyond(l, c, numbered(l, c)))
		return na_fail_nomem(err);
	if (numbered(l, c))
		draw_numbers(l, c);
	draw_groups(l, c);
	return NA_OK;
}

double na_pairs_key_height(const struct na_layout *l)
{
	return 4.4 * na_layout_font(l, NA_SIZE_SMALL, l->theme->text).size;
}

static bool any_of(const struct pairs_figure *f, int what)
{
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct pairs_matrix *m = &f->matrices[i];

		any |= what == CELL_NONE      ? m->hatched
		       : what == CELL_UNKNOWN ? m->unknown
		       : what == CELL_WAITS   ? m->waits
		       : what == FEW          ? m->few > 0
		       : what == BEYOND       ? m->above
					      : m->below;
	}
	return any;
}

static void sample_cross(const struct na_layout *l, struct na_box b)
{
	double x = (b.x0 + b.x1) / 2, half = 0.3 * (b.y1 - b.y0);
	double y = (b.y0 + b.y1) / 2;
	const struct na_pen *pen = NA_PEN(l, l->theme->background, 1.5);

	na_draw_line(l->canvas, x - half, y - half, x + half, y + half, pen);
	na_draw_line(l->canvas, x - half, y + half, x + half, y - half, pen);
}

/* A sample of a look and its name, from x on; where it ends. */
static double sample(const struct na_layout *l, double x, double y, double end,
		     int level, const char *words)
{
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL,
					     l->theme->secondary);
	double size = 1.2 * font.size;
	struct na_box b = {x, y, x + 1.6 * size, y + size};
	char text[NA_TEXT_MAX];

	na_draw_rect(l->canvas, b,
		     level == CELL_NONE ? l->theme->background
					: shade_of(l->theme, level, false));
	if (level == CELL_NONE)
		na_draw_hatch(l->canvas, b, hatch_gap(l),
			      NA_HAIRLINE(l, l->theme->axis));
	if (abs(level) == BEYOND)
		sample_cross(l, b);
	x = b.x1 + l->gap / 2;
	na_text_fit(l->canvas, text, words, &font, end - x, NA_CUT_END);
	na_draw_text(l->canvas, x, y + 0.95 * font.size, text, &font);
	return x + na_measure(l->canvas, text, &font) + 1.5 * l->gap;
}

/* Powers of two below the squares, as many as have room. */
static void bar_labels(const struct na_layout *l, double limit, double middle,
		       double per_log, double y)
{
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL,
					     l->theme->secondary);
	int last = (int)floor(limit / log(2) + 1e-9);
	int by = log(2) * per_log < 5 * font.size ? last : 1;
	char text[NA_LABEL_BUF];

	font.align = NA_CENTER;
	for (int k = -last; k <= last; k++) {
		if (last && k % by)
			continue;
		snprintf(text, sizeof(text), "%s%dx", k < 0 ? "1/" : "",
			 1 << abs(k));
		na_draw_text(l->canvas, middle + k * log(2) * per_log, y, text,
			     &font);
	}
}

/* The most timeouts of a pair, where all matrices count these. */
static double counted(const struct pairs_figure *f)
{
	double most = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!(f->matrices[i].most > 0))
			return 0;
		most = fmax(most, f->matrices[i].most);
	}
	return most;
}

static void count_labels(const struct na_layout *l, double most, double x0,
			 double x1, double y)
{
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL,
					     l->theme->secondary);
	char text[NA_LABEL_BUF];

	font.align = NA_CENTER;
	na_draw_text(l->canvas, x0, y, "0", &font);
	na_draw_text(l->canvas, x1, y, na_label_fixed(text, most, 0), &font);
}

/* Squares of all levels, and what their edges stand for. */
static double draw_bar(const struct na_layout *l, const struct pairs_figure *f,
		       struct na_box box)
{
	double size = na_layout_font(l, NA_SIZE_SMALL, l->theme->text).size;
	double most = counted(f);
	int last = any_of(f, BEYOND) || any_of(f, -BEYOND) ? BEYOND : LEVELS;
	double step = fmin(16 * l->unit,
			   (box.x1 - box.x0) / 3 / (2 * last + 1));
	double x = box.x0 + 2 * l->gap, y = box.y0 + l->gap, high = 1.2 * size;
	double middle = x + step * (last + 0.5), from = x;

	for (int i = most > 0 ? 0 : -last; i <= last; i++) {
		na_draw_rect(l->canvas,
			     (struct na_box){x, y, x + step, y + high},
			     color_of(l->theme, i));
		x += step;
	}
	if (most > 0)
		count_labels(l, most, from + step / 2, x - step / 2,
			     y + high + 1.1 * size);
	else
		bar_labels(l, f->limit, middle,
			   step * (LEVELS + 0.5) / f->limit,
			   y + high + 1.1 * size);
	return x + 2 * l->gap;
}

/* As the result calls it; where runs differ, each matrix says its own. */
static const struct measure {
	const char *name, *brief, *words;
} measures[] = {
	{"expected", "latency over expected",
	 "median latency against what is expected of its transfers"},
	{"sends", "sends beside others",
	 "sends, by their sender's clock, against those of others in the same "
	 "collectives"},
	{"receives", "receives beside others",
	 "receives against those of others in the same collectives"},
	{"timeouts", "timeouts",
	 "transfers that waited for a retransmission timer"},
};

static const struct measure *measure_of(const struct pairs_matrix *m)
{
	for (size_t i = 0; i < NA_LEN(measures); i++) {
		if (strcmp(measures[i].name, m->measure) == 0)
			return &measures[i];
	}
	return &measures[0];
}

static bool measured_alike(const struct pairs_figure *f)
{
	for (size_t i = 1; i < f->n; i++) {
		if (measure_of(&f->matrices[i]) != measure_of(&f->matrices[0]))
			return false;
	}
	return true;
}

const char *na_pairs_measure(const struct pairs_figure *f)
{
	return !f->n || measured_alike(f)
		       ? measure_of(&f->matrices[0])->words
		       : "each run: what its suspect is named by, or latency "
			 "over what is expected";
}

const char *na_pairs_own_measure(const struct pairs_figure *f,
				 const struct pairs_matrix *m)
{
	return measured_alike(f) ? NULL : measure_of(m)->brief;
}

/* Of the matrix that asks most. */
static int64_t fewest(const struct pairs_figure *f)
{
	int64_t most = 0;

	for (size_t i = 0; i < f->n; i++)
		most = f->matrices[i].fewest > most ? f->matrices[i].fewest
						    : most;
	return most;
}

void na_pairs_key(const struct na_layout *l, const struct pairs_figure *f,
		  struct na_box box)
{
	double x = draw_bar(l, f, box), y = box.y0 + l->gap;
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL,
					     l->theme->secondary);
	char text[NA_TEXT_MAX];

	na_text_fit(l->canvas, text, na_pairs_measure(f), &font, box.x1 - x,
		    NA_CUT_END);
	na_draw_text(l->canvas, x, y + 2.3 * font.size + l->gap / 4, text,
		     &font);
	if (any_of(f, CELL_NONE))
		x = sample(l, x, y, box.x1, CELL_NONE, "no transfers");
	if (any_of(f, CELL_UNKNOWN))
		x = sample(l, x, y, box.x1, CELL_UNKNOWN,
			   "nothing to compare with");
	if (any_of(f, CELL_WAITS))
		x = sample(l, x, y, box.x1, CELL_WAITS,
			   "only waits, says its sender");
	if (any_of(f, FEW)) {
		snprintf(text, sizeof(text),
			 "muted: fewer than %" PRId64 " transfers",
			 fewest(f));
		x = sample(l, x, y, box.x1, FEW + LEVELS, text);
	}
	for (int level = BEYOND; level >= -BEYOND; level -= 2 * BEYOND) {
		char number[NA_LABEL_BUF];

		snprintf(text, sizeof(text), "beyond %s%sx",
			 level < 0 ? "1/" : "",
			 na_label_short(number, exp(f->limit), 2));
		if (any_of(f, level))
			x = sample(l, x, y, box.x1, level, text);
	}
}
