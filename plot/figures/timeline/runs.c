#include "plot/figures/timeline/runs.h"

#include <math.h>
#include <stdio.h>

#include "plot/scale.h"
#include "plot/trace.h"

#define BAND_SHARE 0.18 /* six of them in one panel */
#define CROWD      3    /* more lines than that are thinner */

#define SAMPLE     2.6 /* of a line, in sizes of the font */
#define SAMPLE_GAP 0.5
#define NAME_LEAST 3.0 /* below that the bytes give way */

static struct na_pen pen_of(const struct na_layout *l, const struct timeline *t,
			    size_t i)
{
	/* clang-format off */
	static const enum na_dash dashes[NA_TOP_SERIES] = {
		NA_SOLID,       NA_DASHED,   NA_DOTTED,
		NA_LONG_DASHED, NA_DASH_DOT, NA_DASH_DOT_DOT};
	double width = t->n_series > CROWD ? 1.3 : 1.6;

	return (struct na_pen){.color = l->theme->hue[i],
			       .width = fmax(width * l->unit, 1),
			       .dash = dashes[i]};
}

/* What is dashed on top, so that what it covers shows through; all bands
 * below all lines. */
static void draw_layer(const struct na_layout *l, const struct na_panel *p,
		       const struct timeline *t, enum side side, bool bands,
		       struct na_trace *trace)
{
	for (size_t i = 0; i < t->n_series; i++) {
		struct na_pen pen = pen_of(l, t, i);
		const double *rate = t->series[i].rate[side];

		if (!(na_largest(rate, t->n) > 0))
			continue;
		na_trace_load(trace, rate, t->n);
		if (bands)
			na_trace_band(l->canvas, trace, &p->y,
				      na_fade(pen.color, BAND_SHARE));
		else
			na_trace_line(l->canvas, trace, &p->y, &pen);
	}
}

enum na_status na_timeline_draw_runs(const struct na_layout *l,
				     const struct na_panel *p,
				     const struct timeline *t, enum side side,
				     struct na_err *err)
{
	struct na_trace trace;

	if (!na_trace_init(&trace, t->gbps[side], t->n, p->plot.x0, p->plot.x1))
		return na_fail_nomem(err);
	na_panel_draw(l, p);
	if (!trace.steps)
		draw_layer(l, p, t, side, true, &trace);
	draw_layer(l, p, t, side, false, &trace);
	na_trace_fini(&trace);
	return NA_OK;
}

static const char *bytes_of(char *buf, const struct timeline_series *s,
			    enum side side)
{
	return na_label_quantity(buf, NA_Q_BYTES, s->side_bytes[side], 3);
}

/* "and 3 more", or "" */
static const char *others_of(char *buf, const struct timeline *t, size_t hidden)
{
	size_t n = t->others + hidden;

	buf[0] = '\0';
	if (t->others_unknown)
		snprintf(buf, NA_LABEL_BUF, "and more");
	else if (n)
		snprintf(buf, NA_LABEL_BUF, "and %zu more", n);
	return buf;
}

double na_timeline_runs_width(const struct na_layout *l,
			      const struct timeline *t, double most)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	double name = 0, bytes = 0, others;
	char buf[NA_LABEL_BUF];

	for (size_t i = 0; i < t->n_series; i++) {
		const struct timeline_series *s = &t->series[i];

		name = fmax(name, na_measure(l->canvas, s->name, &font));
		for (enum side side = RX; side <= TX; side++)
			bytes = fmax(bytes,
				     na_measure(l->canvas,
						bytes_of(buf, s, side), &font));
	}
	others = na_measure(l->canvas, others_of(buf, t, 0), &font);
	return fmin((SAMPLE + SAMPLE_GAP) * font.size +
			    fmax(name + l->gap + bytes, others),
		    most);
}

/* One line of the legend: sample, name, and the bytes at the right. */
static void draw_entry(const struct na_layout *l, const struct timeline *t,
		       size_t i, enum side side, struct na_box line)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	struct na_font grey = na_layout_font(l, NA_SIZE_TEXT,
					     l->theme->secondary);
	double y = line.y0 + font.size, middle = y - na_text_ascent(&font) / 2;
	double x = line.x0 + (SAMPLE + SAMPLE_GAP) * font.size;
	double least = fmin(na_measure(l->canvas, t->series[i].name, &font),
			    NAME_LEAST * font.size);
	double bytes;
	char name[NA_TEXT_MAX], buf[NA_LABEL_BUF];
	struct na_pen pen = pen_of(l, t, i);

	na_draw_line(l->canvas, line.x0, middle, line.x0 + SAMPLE * font.size,
		     middle, &pen);
	bytes = na_measure(l->canvas, bytes_of(buf, &t->series[i], side),
			   &grey) +
		l->gap;
	/* Measuring rounds. */
	if (line.x1 - x - bytes >= least - 0.01) {
		grey.align = NA_RIGHT;
		na_draw_text(l->canvas, line.x1, y, buf, &grey);
		line.x1 -= bytes;
	}
	na_text_fit(l->canvas, name, t->series[i].name, &font, line.x1 - x,
		    NA_CUT_MIDDLE);
	na_draw_text(l->canvas, x, y, name, &font);
}

void na_timeline_runs_legend(const struct na_layout *l,
			     const struct timeline *t, enum side side,
			     struct na_box box)
{
	struct na_font font = na_layout_font(l, NA_SIZE_TEXT,
					     l->theme->secondary);
	double height = 1.4 * font.size;
	size_t lines = (size_t)fmax((box.y1 - box.y0) / height, 1);
	bool more = t->others || t->others_unknown;
	size_t n = t->n_series;
	char buf[NA_LABEL_BUF], text[NA_TEXT_MAX];

	/* The last line tells how many have found no room. */
	if (n + more > lines)
		n = lines - 1;
	for (size_t i = 0; i < n; i++) {
		draw_entry(l, t, i, side,
			   (struct na_box){box.x0, box.y0, box.x1,
					   box.y0 + height});
		box.y0 += height;
	}
	others_of(buf, t, t->n_series - n);
	na_text_fit(l->canvas, text, buf, &font, box.x1 - box.x0, NA_CUT_END);
	na_draw_text(l->canvas, box.x0, box.y0 + font.size, text, &font);
}

void na_timeline_runs_words(const struct timeline *t, enum side side,
			    struct words *w)
{
	char bytes[NA_LABEL_BUF], peak[NA_LABEL_BUF], name[NA_LABEL_BUF];

	for (size_t i = 0; i < t->n_series; i++) {
		const struct timeline_series *s = &t->series[i];

		na_words_add(w, "%s%s %s, peak %s", i ? "; " : "",
			     na_text_clean(name, sizeof(name), s->name),
			     bytes_of(bytes, s, side),
			     na_label_quantity(
				     peak, NA_Q_RATE,
				     na_largest(s->rate[side], t->n),
				     3));
	}
	others_of(bytes, t, 0);
	if (*bytes)
		na_words_add(w, "; %s", bytes);
}

/* clang-format on */