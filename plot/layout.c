#include "plot/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

#define SUBTITLE_LINES 2
#define SEPARATOR      "\xc2\xb7 " /* after a space */
#define MIN_PLOT_LINES 3           /* of text: room for two ticks */

struct na_font na_layout_font(const struct na_layout *l, double size,
			      struct na_color color)
{
	/* On a small page text shrinks less than the picture does. */
	double least = NA_SIZE_MIN + 0.4 * (size - NA_SIZE_MIN);

	return (struct na_font){.size = fmax(size * l->unit, least),
				.color = color};
}

/* Where the line that begins at s ends: at the last separator in its later
 * half, else at the last space, or NULL when not even one word fits. */
static const char *line_end(struct na_canvas *c, const char *s,
			    const struct na_font *font, double width)
{
	const char *space = NULL, *separator = NULL, *p = s;
	char part[NA_TEXT_MAX];

	while (*p) {
		size_t n;

		p += strcspn(p + 1, " ") + 1;
		n = (size_t)(p - s);
		memcpy(part, s, n);
		part[n] = '\0';
		if (na_measure(c, part, font) > width)
			break;
		if (!*p)
			return p;
		/* "34 %" stays together. */
		if (p[1] == '%')
			continue;
		space = p;
		if (strncmp(p + 1, SEPARATOR, sizeof(SEPARATOR) - 1) == 0)
			separator = p;
	}
	return separator && separator - s > (p - s) / 2 ? separator : space;
}

/* Draws s on at most `lines` lines; returns the y below them. */
static double wrapped(const struct na_layout *l, const char *s, double x,
		      double y, double width, const struct na_font *font,
		      int lines)
{
	char text[NA_TEXT_MAX], cut[NA_TEXT_MAX];
	const char *rest = na_text_clean(text, sizeof(text), s);
	double left = font->align == NA_CENTER ? x + width / 2 : x;

	for (; *rest && lines > 0; lines--) {
		const char *end = lines == 1 ? NULL
					     : line_end(l->canvas, rest, font,
							width);

		if (end) {
			memcpy(cut, rest, (size_t)(end - rest));
			cut[end - rest] = '\0';
		} else {
			na_text_fit(l->canvas, cut, rest, font, width,
				    NA_CUT_END);
			end = rest + strlen(rest);
		}
		na_draw_text(l->canvas, left, y + font->size, cut, font);
		y += font->size * 1.35;
		rest = end + strspn(end, " ");
		/* A separator is no way to begin a line. */
		if (strncmp(rest, SEPARATOR, sizeof(SEPARATOR) - 1) == 0)
			rest += sizeof(SEPARATOR) - 1;
	}
	return y;
}

/* The version, on the page's last line, which footnote shares. */
static void draw_version(struct na_layout *l, const char *version)
{
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL, l->theme->faint);
	char text[NA_TEXT_MAX];

	l->foot = (struct na_row){.x = l->body.x0,
				  .end = l->body.x1,
				  .y = l->body.y1 - na_text_descent(&font)};
	l->body.y1 -= font.size * 1.3;
	if (!version)
		return;
	snprintf(text, sizeof(text), "netan %s", version);
	font.align = NA_RIGHT;
	na_draw_text(l->canvas, l->foot.end, l->foot.y, text, &font);
	l->foot.end -= na_measure(l->canvas, text, &font) + 2 * l->gap;
}

void na_layout_footnote(struct na_layout *l, const char *s)
{
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL,
					     l->theme->secondary);

	na_row_put(l, &l->foot, s, &font);
}

void na_layout_footmark(struct na_layout *l, struct na_color color,
			const char *s)
{
	struct na_font font = na_layout_font(l, NA_SIZE_SMALL,
					     l->theme->secondary);
	double side = na_text_ascent(&font), x = l->foot.x;

	l->foot.x += side + 0.4 * l->gap;
	if (l->foot.x + na_measure(l->canvas, s, &font) > l->foot.end ||
	    !na_row_put(l, &l->foot, s, &font)) {
		l->foot.x = x;
		return;
	}
	na_draw_rect(l->canvas,
		     (struct na_box){x, l->foot.y - side, x + side, l->foot.y},
		     color);
}

static bool in_brackets(const char *from, const char *at)
{
	int depth = 0;

	for (; from < at; from++)
		depth += (*from == '(') - (*from == ')');
	return depth > 0;
}

/* The last such end within the line, outside of brackets; a colon in its first
 * third is none: it leaves too little.  NULL. */
static const char *last_end(const struct na_layout *l, const char *title,
			    const char *mark, const struct na_font *font)
{
	double most = l->body.x1 - l->body.x0;
	double least = *mark == ':' ? most / 3 : 0, width = 0;
	char cut[NA_TEXT_MAX];
	const char *end = NULL;

	for (const char *p = strstr(title, mark); p && p - title < NA_TEXT_MAX;
	     p = strstr(p + 1, mark)) {
		memcpy(cut, title, (size_t)(p - title));
		cut[p - title] = '\0';
		width = na_measure(l->canvas, cut, font);
		if (width > most)
			break;
		if (width > least && !in_brackets(title, p))
			end = p;
	}
	return end;
}

/* A title ends within its line where it has an end there: what follows a
 * semicolon, or else a comma or a colon, or else what is in brackets, begins
 * the subtitle then. */
static const char *within_line(const struct na_layout *l, const char *title,
			       const struct na_font *font,
			       char cut[NA_TEXT_MAX])
{
	const char *end, *colon;

	if (na_measure(l->canvas, title, font) <= l->body.x1 - l->body.x0)
		return NULL;
	end = last_end(l, title, "; ", font);
	if (!end) {
		end = last_end(l, title, ", ", font);
		colon = last_end(l, title, ": ", font);
		end = !end || (colon && colon > end) ? colon : end;
	}
	if (!end)
		end = last_end(l, title, " (", font);
	if (!end)
		return NULL;
	memcpy(cut, title, (size_t)(end - title));
	cut[end - title] = '\0';
	return end + (*end == ' ' ? 1 : 2);
}

void na_layout_begin(struct na_layout *l, struct na_canvas *c,
		     const struct na_figure *f, const struct na_page *page,
		     const char *title_words, const char *subtitle_words)
{
	const struct na_box all = {0, 0, page->width, page->height};
	char cut[NA_TEXT_MAX], below[2 * NA_TEXT_MAX];
	struct na_font title, subtitle;
	const char *rest;
	double margin;

	l->canvas = c;
	l->axis = page->axis;
	l->width = page->width;
	l->height = page->height;
	l->theme = page->dark ? &na_theme_dark : &na_theme_light;
	l->unit = fmin((double)page->width / f->width,
		       (double)page->height / f->height);
	l->gap = fmax(8 * l->unit, 5);
	margin = fmax(16 * l->unit, 8);
	l->body = (struct na_box){margin, margin, all.x1 - margin,
				  all.y1 - 0.6 * margin};
	na_draw_rect(c, all, l->theme->background);
	title = na_layout_font(l, NA_SIZE_TITLE, l->theme->text);
	title.bold = true;
	subtitle = na_layout_font(l, NA_SIZE_TEXT, l->theme->secondary);
	rest = page->title ? NULL : within_line(l, title_words, &title, cut);
	if (rest) {
		snprintf(below, sizeof(below), "%s " SEPARATOR "%s", rest,
			 subtitle_words);
		title_words = cut;
		subtitle_words = below;
	}
	l->body.y0 = wrapped(l, title_words, l->body.x0,
			     l->body.y0 - 0.2 * title.size,
			     l->body.x1 - l->body.x0, &title,
			     page->height < 400 ? 1 : 2);
	l->body.y0 = wrapped(l, subtitle_words, l->body.x0, l->body.y0,
			     l->body.x1 - l->body.x0, &subtitle,
			     page->height < 400 ? 1 : SUBTITLE_LINES);
	l->body.y0 += l->gap;
	draw_version(l, page->version);
}

bool na_row_put(const struct na_layout *l, struct na_row *row, const char *s,
		const struct na_font *font)
{
	double width = na_measure(l->canvas, s, font);
	char text[NA_TEXT_MAX];

	if (row->x + width > row->end && row->used)
		return false;
	na_text_fit(l->canvas, text, s, font, row->end - row->x, NA_CUT_END);
	na_draw_text(l->canvas, row->x, row->y, text, font);
	row->x += width + 1.5 * l->gap;
	row->used = true;
	return true;
}

static struct na_font label_font(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_TEXT, l->theme->secondary);
}

/* The height of a panel's header. */
static double header_height(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_NAME, l->theme->text).size * 1.75;
}

/* At most that many; of what is counted, and of a byte, no half of one. */
static void place_ticks(struct na_panel *p, double most)
{
	bool whole = (p->quantity == NA_Q_COUNT || p->quantity == NA_Q_BYTES) &&
		     p->unit.factor <= 1 && p->y.to >= 1;

	na_ticks_from_zero(&p->ticks, p->y.to, (size_t)most, p->unit.factor);
	while (whole && p->ticks.step < 1 && --most >= 1)
		na_ticks_in_unit(&p->ticks, 0, p->y.to, (size_t)most,
				 p->unit.factor);
}

/* Scale, unit and ticks from the plot's height; the width of its labels. */
static double place_y(const struct na_layout *l, struct na_panel *p)
{
	struct na_font font = label_font(l);
	double height = p->plot.y1 - p->plot.y0, widest;
	double top = p->label_above ? 1.6 * font.size : 0.04 * height;
	double max = p->max > 0 && isfinite(p->max) ? p->max : 1;
	char label[NA_LABEL_BUF];
	double most = fmin(fmax(floor(height / (2 * font.size)), 1), 6);

	if (p->quantity == NA_Q_BYTES)
		max = fmax(max, 1);
	p->y = (struct na_scale){.from = 0,
				 .to = max / (1 - top / height),
				 .at_from = p->plot.y1,
				 .at_to = p->plot.y0};
	p->unit = na_unit_for(p->quantity, max);
	place_ticks(p, most);
	p->digits = na_label_digits(p->ticks.step, p->unit.factor);
	widest = na_measure(l->canvas, p->unit.name, &font);
	for (size_t i = 0; i < p->ticks.n; i++) {
		na_label_fixed(label, p->ticks.at[i] / p->unit.factor,
			       p->digits);
		widest = fmax(widest, na_measure(l->canvas, label, &font));
	}
	return widest;
}

bool na_panels_place(const struct na_layout *l, struct na_box box,
		     struct na_panel *p, size_t n, double right)
{
	double least = MIN_PLOT_LINES * label_font(l).size;
	double header = header_height(l), weights = 0, left = 0, y = box.y0;
	double room = box.y1 - box.y0;

	for (size_t i = 0; i < n; i++) {
		weights += p[i].weight;
		room -= header + (i + 1 < n ? l->gap : 0);
	}
	for (size_t i = 0; i < n; i++) {
		double height = weights > 0 ? room * p[i].weight / weights : 0;

		if (room < 0 || (p[i].weight > 0 && height < least))
			return false;
		p[i].plot = (struct na_box){0, y + header, box.x1 - right,
					    y + header + height};
		y += header + height + l->gap;
		if (p[i].weight > 0)
			left = fmax(left, place_y(l, &p[i]));
	}
	left += box.x0 + l->gap;
	for (size_t i = 0; i < n; i++) {
		p[i].plot.x0 = left;
		p[i].header =
			(struct na_row){.x = left,
					.end = p[i].plot.x1,
					.y = p[i].plot.y0 - 0.45 * header};
	}
	/* Below this the labels have taken the picture. */
	return box.x1 - right - left > 8 * label_font(l).size;
}

size_t na_panels_fit(const struct na_layout *l, struct na_box box,
		     struct na_panel *p, size_t n, double *side)
{
	while (n && !na_panels_place(l, box, p, n,
				     *side > 0 ? *side + 2 * l->gap : 0)) {
		if (*side > 0)
			*side = 0;
		else
			n--;
	}
	return n;
}

void na_panel_draw(const struct na_layout *l, const struct na_panel *p)
{
	struct na_point grid[3 * NA_TICKS_MAX];
	struct na_font font = label_font(l);
	double x = p->plot.x0 - l->gap;
	size_t n = 0;

	font.align = NA_RIGHT;
	for (size_t i = 0; i < p->ticks.n; i++) {
		double y = na_scale_at(&p->y, p->ticks.at[i]);
		char label[NA_LABEL_BUF];

		grid[n++] = (struct na_point){p->plot.x0, y};
		grid[n++] = (struct na_point){p->plot.x1, y};
		grid[n++] = (struct na_point){NAN, NAN};
		na_label_fixed(label, p->ticks.at[i] / p->unit.factor,
			       p->digits);
		na_draw_text(l->canvas, x, y + 0.5 * na_text_ascent(&font),
			     label, &font);
	}
	na_draw_polyline(l->canvas, grid, n, NA_PEN(l, l->theme->grid, 1));
	na_draw_text(l->canvas, x, p->header.y, p->unit.name, &font);
}

void na_panel_limit(const struct na_layout *l, const struct na_panel *p,
		    double x, const char *words)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->limit);
	double y = na_scale_at(&p->y, x), width = p->plot.x1 - p->plot.x0;
	char text[NA_TEXT_MAX];

	na_draw_line(l->canvas, p->plot.x0, y, p->plot.x1, y,
		     &(struct na_pen){.color = l->theme->limit,
				      .width = 1.5 * fmax(l->unit, 0.8),
				      .dash = NA_DASHED});
	font.align = NA_RIGHT;
	na_text_fit(l->canvas, text, words, &font, width, NA_CUT_END);
	y -= 0.35 * font.size;
	if (*text)
		na_draw_text(l->canvas, p->plot.x1, y, text, &font);
}

void na_sentence(const struct na_layout *l, struct na_box box, const char *s)
{
	struct na_font font = na_layout_font(l, NA_SIZE_NAME,
					     l->theme->secondary);
	double width = box.x1 - box.x0 - 4 * l->gap;
	double height = box.y1 - box.y0;
	int lines = (int)(height / (1.35 * font.size));
	int taken = (int)ceil(na_measure(l->canvas, s, &font) / width);

	if (lines < 1)
		lines = 1;
	if (taken > lines)
		taken = lines;
	font.align = NA_CENTER;
	wrapped(l, s, box.x0 + 2 * l->gap,
		box.y0 + (height - taken * 1.35 * font.size) / 2, width, &font,
		lines > 5 ? 5 : lines);
}

void na_empty_plot(const struct na_layout *l, struct na_box box,
		   const char *why)
{
	const struct na_pen *pen = NA_PEN(l, l->theme->axis, 1);

	na_draw_line(l->canvas, box.x0, box.y0, box.x0, box.y1, pen);
	na_draw_line(l->canvas, box.x0, box.y1, box.x1, box.y1, pen);
	na_sentence(l, box, why);
}

double na_marks_height(const struct na_layout *l)
{
	return 1.7 * label_font(l).size;
}

/* Many short vertical lines, drawn as few strokes. */
struct tick_lines {
	const struct na_layout *l;
	struct na_point p[3 * 128];
	size_t n;
};

static void flush_ticks(struct tick_lines *t)
{
	na_draw_polyline(t->l->canvas, t->p, t->n,
			 NA_PEN(t->l, t->l->theme->axis, 1));
	t->n = 0;
}

static void add_tick(struct tick_lines *t, double x, double y0, double y1)
{
	if (t->n + 3 > NA_LEN(t->p))
		flush_ticks(t);
	t->p[t->n++] = (struct na_point){x, y0};
	t->p[t->n++] = (struct na_point){x, y1};
	t->p[t->n++] = (struct na_point){NAN, NAN};
}

/* A short plain number, or -1. */
static long number_of(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && !name[digits] && digits < 10 ? strtol(name, NULL, 10)
						      : -1;
}

/* By how much the names are ahead of their positions: with numbers in a
 * row, the names to write are round. */
static size_t first_number(const struct na_mark *marks, size_t n)
{
	long first = number_of(marks[0].name);
	long last = number_of(marks[n - 1].name);

	return first >= 0 && last - first == (long)n - 1 ? (size_t)first : 0;
}

/* Every how many marks a name has room: 1, 2, 5, 10, ... */
static size_t name_every(double apart, double width)
{
	size_t k = 1;

	while (k < 100000000 && apart * (double)k < width) {
		if (apart * 2 * (double)k >= width)
			return 2 * k;
		if (apart * 5 * (double)k >= width)
			return 5 * k;
		k *= 10;
	}
	return k;
}

/* The room that a name needs, judged by the first and the last. */
static double name_room(const struct na_layout *l, const struct na_mark *marks,
			size_t n, const struct na_font *font)
{
	double a = na_measure(l->canvas, marks[0].name, font);
	double b = na_measure(l->canvas, marks[n - 1].name, font);

	return fmin(fmax(a, b), 8 * font->size) + 1.2 * font->size;
}

void na_marks(const struct na_layout *l, const char *title,
	      const struct na_mark *marks, size_t n, struct na_box box)
{
	struct na_font font = na_layout_font(l, 11, l->theme->secondary);
	double y = box.y1 - 0.3 * font.size, free = box.x0;
	double pad = 0.3 * font.size, apart, drawn = -INFINITY;
	struct tick_lines ticks = {.l = l};
	size_t k, first;

	if (!n)
		return;
	apart = n > 1 ? fabs(marks[n - 1].at - marks[0].at) / (double)(n - 1)
		      : box.x1 - box.x0;
	k = name_every(apart, name_room(l, marks, n, &font));
	first = first_number(marks, n);
	for (size_t i = 0; i < n; i++) {
		double at = marks[i].at, width;
		bool turn = (first + i) % k == 0 && at >= free;
		char name[NA_TEXT_MAX];

		if (!(at >= box.x0 - 0.5 && at <= box.x1 + 0.5))
			continue;
		/* Too dense to count: only the named ones. */
		if (!turn && (apart < 4 || at < drawn + 2))
			continue;
		drawn = at;
		add_tick(&ticks, at, box.y0,
			 turn ? box.y1 : (box.y0 + box.y1) / 2);
		na_text_fit(l->canvas, name, marks[i].name, &font,
			    8 * font.size, NA_CUT_MIDDLE);
		width = na_measure(l->canvas, name, &font);
		if (!turn || at + pad + width > box.x1)
			continue;
		na_draw_text(l->canvas, at + pad, y, name, &font);
		free = at + width + 4 * pad;
	}
	flush_ticks(&ticks);
	font.align = NA_RIGHT;
	na_draw_text(l->canvas, box.x0 - l->gap, y, title, &font);
}

double na_legend_width(const struct na_layout *l,
		       const struct na_legend_entry *e, size_t n, double most)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	double widest = 0;

	for (size_t i = 0; i < n; i++)
		widest = fmax(widest, na_measure(l->canvas, e[i].name, &font));
	return fmin(widest + 1.4 * font.size, most);
}

static void draw_swatch(const struct na_layout *l, struct na_box box,
			const struct na_legend_entry *e)
{
	if (!e->hatched) {
		na_draw_rect(l->canvas, box, e->color);
		return;
	}
	na_draw_rect(l->canvas, box,
		     na_mix(l->theme->background, e->color, 0.22));
	na_draw_hatch(l->canvas, box, 5 * fmax(l->unit, 0.7),
		      &(struct na_pen){.color = e->color,
				       .width = 1.2 * fmax(l->unit, 0.8)});
}

void na_legend(const struct na_layout *l, const struct na_legend_entry *e,
	       size_t n, struct na_box box)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	double line = 1.4 * font.size, side = 0.8 * font.size, y = box.y0;

	for (size_t i = 0; i < n; i++, y += line) {
		struct na_box swatch = {box.x0, y + 0.25 * font.size,
					box.x0 + side,
					y + 0.25 * font.size + side};
		char name[NA_TEXT_MAX];

		/* The last line tells how many have found no room. */
		if (i + 1 < n && y + 2 * line > box.y1) {
			snprintf(name, sizeof(name), "and %zu more", n - i);
			na_draw_text(l->canvas, box.x0, y + font.size, name,
				     &font);
			return;
		}
		draw_swatch(l, swatch, &e[i]);
		na_text_fit(l->canvas, name, e[i].name, &font,
			    box.x1 - box.x0 - 1.4 * font.size, NA_CUT_MIDDLE);
		na_draw_text(l->canvas, box.x0 + 1.4 * font.size, y + font.size,
			     name, &font);
	}
}
