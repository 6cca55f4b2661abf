/* Retransmissions, SACK blocks and the like over a time-sequence graph, and
 * the legend that names them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "plot/figures/tcp/time.h"

enum { LEGEND_MAX = 8, LEAST_HIGH = 5 /* units, of a bar */ };

enum glyph {
	G_BAR,
	G_CROSS,
	G_PLUS,
	G_UP,
	G_DOWN,
	G_DIAMOND,
	G_SQUARE,
	G_TICK
};

static const struct look {
	enum na_hue hue;
	enum glyph glyph;
	const char *name;
} looks[TMS] = {
	[TM_SACK] = {NA_PURPLE, G_BAR, "SACK block"},
	[TM_DUPLICATE] = {NA_GREEN, G_TICK, "duplicate ACK"},
	[TM_FULL] = {NA_GREY, G_SQUARE, "fills the window"},
	[TM_DISORDER] = {NA_ORANGE, G_PLUS, "out of order"},
	[TM_LOST] = {NA_SKY, G_DOWN, "holes, lost upstream:"},
	[TM_UNRECORDED] = {NA_GREY, G_DOWN, "holes, not captured:"},
	[TM_ECN] = {NA_ORANGE, G_SQUARE, "ECN mark"},
	[TM_ZERO] = {NA_PURPLE, G_SQUARE, "zero window"},
	[TM_SPURIOUS] = {NA_VERMILION, G_CROSS, "resent, was ACKed"},
	[TM_OTHER] = {NA_VERMILION, G_PLUS, "resent otherwise"},
	[TM_FAST] = {NA_VERMILION, G_UP, "resent fast"},
	[TM_TIMEOUT] = {NA_VERMILION, G_DIAMOND, "resent after timeouts"},
};

static void add_piece(struct na_strokes *s, const double (*at)[2], size_t n,
		      double x, double y, double size)
{
	for (size_t i = 0; i < n; i++)
		na_strokes_to(s, x + at[i][0] * size, y + at[i][1] * size);
	na_strokes_break(s);
}

static void add_glyph(struct na_strokes *lines, struct na_strokes *fills,
		      enum glyph glyph, double x, double y, double r)
{
	static const double cross[][2] = {{-1, -1}, {1, 1}};
	static const double back[][2] = {{-1, 1}, {1, -1}};
	static const double flat[][2] = {{-1, 0}, {1, 0}};
	static const double steep[][2] = {{0, -1}, {0, 1}};
	static const double up[][2] = {{-1, 0.8}, {1, 0.8}, {0, -1}};
	static const double down[][2] = {{-1, -0.8}, {1, -0.8}, {0, 1}};
	static const double diamond[][2] = {{-1.2, 0},
					    {0, -1.2},
					    {1.2, 0},
					    {0, 1.2}};
	static const double square[][2] = {{-0.8, -0.8},
					   {0.8, -0.8},
					   {0.8, 0.8},
					   {-0.8, 0.8}};

	switch (glyph) {
	case G_CROSS:
		add_piece(lines, cross, 2, x, y, r);
		add_piece(lines, back, 2, x, y, r);
		break;
	case G_PLUS:
		add_piece(lines, flat, 2, x, y, r);
		add_piece(lines, steep, 2, x, y, r);
		break;
	case G_TICK:
		add_piece(lines, steep, 2, x, y, 0.7 * r);
		break;
	case G_UP:
		add_piece(fills, up, 3, x, y, r);
		break;
	case G_DOWN:
		add_piece(fills, down, 3, x, y, r);
		break;
	case G_DIAMOND:
		add_piece(fills, diamond, 4, x, y, r);
		break;
	case G_SQUARE:
		add_piece(fills, square, 4, x, y, r);
		break;
	case G_BAR:
		break;
	}
}

static double glyph_size(const struct na_layout *l)
{
	return fmax(5 * l->unit, 2.5);
}

static struct na_color color_of(const struct na_layout *l, size_t kind)
{
	return l->theme->hue[looks[kind].hue];
}

static void flush_in(const struct na_layout *l, struct na_color c, double width,
		     struct na_strokes *lines, struct na_strokes *fills)
{
	na_draw_polyline(l->canvas, lines->v, lines->n, NA_PEN(l, c, width));
	na_draw_area(l->canvas, fills->v, fills->n, c);
	lines->n = fills->n = 0;
}

static void flush(const struct na_layout *l, const struct tcp_figure *f,
		  size_t kind, struct na_strokes *lines,
		  struct na_strokes *fills)
{
	struct na_color c = color_of(l, kind);

	/* What is behind shall be seen. */
	if (f->shown[kind] > TCP_GLYPHS_MAX)
		c = na_fade(c, 0.6);
	flush_in(l, c, 2, lines, fills);
}

/* A bar from the first byte to the last, and its glyph on top. */
static void add_mark(const struct na_layout *l, const struct tcp_figure *f,
		     const struct tcp_figure_row *m, const struct na_cut_time *x,
		     const struct na_scale *y, struct na_strokes *lines,
		     struct na_strokes *fills)
{
	double at = na_cut_time_at(x, m->time_s);
	double y0 = na_scale_at(y, m->from), y1 = na_scale_at(y, m->to);
	bool glyphs = f->shown[m->kind] <= TCP_GLYPHS_MAX &&
		      looks[m->kind].glyph != G_BAR;

	if (!glyphs && y0 - y1 < LEAST_HIGH * l->unit) {
		y0 += LEAST_HIGH * l->unit / 2;
		y1 -= LEAST_HIGH * l->unit / 2;
	}
	if (y0 > y1)
		na_strokes_line(lines, at, y0, at, y1);
	if (glyphs)
		add_glyph(lines, fills, looks[m->kind].glyph, at, (y0 + y1) / 2,
			  glyph_size(l));
}

enum na_status na_tcp_figure_marks(const struct na_layout *l,
				   const struct tcp_figure *f,
				   const struct na_cut_time *x,
				   const struct na_scale *y, struct na_err *err)
{
	struct na_strokes lines = {.n = 0}, fills = {.n = 0};
	bool failed;

	for (size_t kind = 0; kind < TMS; kind++) {
		for (size_t i = 0; i < f->n_marks; i++) {
			if (f->marks[i].kind == (enum tcp_figure_mark)kind)
				add_mark(l, f, &f->marks[i], x, y, &lines,
					 &fills);
		}
		flush(l, f, kind, &lines, &fills);
	}
	failed = lines.failed || fills.failed;
	na_vec_free(&lines);
	na_vec_free(&fills);
	return failed ? na_fail_nomem(err) : NA_OK;
}

/* ---- packets by length */

enum { FATES = 3 };

static const struct fate {
	const char *name, *words;
	enum glyph glyph;
} fates[FATES] = {
	{"arrived", "arrived", G_SQUARE},
	{"lost", "sent again", G_CROSS},
	{"open", "not acknowledged", G_TICK},
};

static size_t fate_of(const struct na_value *v)
{
	size_t k = 0;

	while (k < FATES && strcmp(na_text_at(v, M_fate), fates[k].name) != 0)
		k++;
	return k;
}

static bool is_long(const struct tcp_figure *f, const struct na_value *v)
{
	return na_number_at(v, M_least_bytes) >= f->long_bytes;
}

static struct na_color color_of_length(const struct na_layout *l, bool is_long)
{
	return l->theme->hue[is_long ? NA_HUE_FINDING : NA_BLUE];
}

static void add_fate(const struct na_layout *l, const struct na_value *v,
		     enum glyph glyph, const struct na_cut_time *x,
		     const struct na_scale *y, struct na_strokes *lines,
		     struct na_strokes *fills)
{
	double at = na_cut_time_at(x, na_number_at(v, M_time_s));
	double y0 = na_scale_at(y, na_number_at(v, M_least_bytes));
	double y1 = na_scale_at(y, na_number_at(v, M_most_bytes));

	if (!isfinite(at) || !isfinite(y0) || !isfinite(y1))
		return;
	if (y0 > y1)
		na_strokes_line(lines, at, y0, at, y1);
	add_glyph(lines, fills, glyph, at, (y0 + y1) / 2, glyph_size(l));
}

enum na_status na_tcp_figure_fates(const struct na_layout *l,
				   const struct tcp_figure *f,
				   const struct na_cut_time *x,
				   const struct na_scale *y, struct na_err *err)
{
	struct na_strokes lines = {.n = 0}, fills = {.n = 0};
	bool failed;

	for (size_t kind = 0; kind < 2 * FATES; kind++) {
		bool long_ones = kind >= FATES;
		struct na_color c = color_of_length(l, long_ones);

		na_for_each (v, na_get(f->fates, M_packets))
			if (fate_of(v) == kind % FATES &&
			    is_long(f, v) == long_ones)
				add_fate(l, v, fates[kind % FATES].glyph, x, y,
					 &lines, &fills);
		flush_in(l, c, 1.5, &lines, &fills);
	}
	failed = lines.failed || fills.failed;
	na_vec_free(&lines);
	na_vec_free(&fills);
	return failed ? na_fail_nomem(err) : NA_OK;
}

/* ---- the legend */

/* One line of the legend after the other, as long as there is room. */
struct legend {
	const struct na_layout *l;
	struct na_box box;
	double y, line;
	struct na_font font;
	size_t lines;
};

/* The middle of the sample, or NAN: no room. */
static double legend_line(struct legend *g, const char *words)
{
	double x = g->box.x0 + 2.2 * g->font.size, y = g->y;
	char text[NA_TEXT_MAX];

	if (y + g->line > g->box.y1)
		return NAN;
	na_text_fit(g->l->canvas, text, words, &g->font, g->box.x1 - x,
		    NA_CUT_END);
	na_draw_text(g->l->canvas, x, y + g->font.size, text, &g->font);
	g->y += g->line;
	g->lines++;
	return y + 0.65 * g->font.size;
}

static void legend_band(struct legend *g, const struct na_color *fill,
			const char *what, int64_t n, double seconds)
{
	char words[160], t[NA_LABEL_BUF];
	struct na_box b;
	double y;

	if (!n)
		return;
	snprintf(words, sizeof(words), "%s %s (%" PRId64 ")", what,
		 na_label_quantity(t, NA_Q_SECONDS, seconds, 3), n);
	y = legend_line(g, words);
	if (isnan(y))
		return;
	b = (struct na_box){g->box.x0, y - 0.4 * g->font.size,
			    g->box.x0 + 1.7 * g->font.size,
			    y + 0.4 * g->font.size};
	if (fill)
		na_draw_rect(g->l->canvas, b, *fill);
	else
		na_draw_hatch(g->l->canvas, b, fmax(5 * g->l->unit, 4),
			      NA_HAIRLINE(g->l, g->l->theme->hue[NA_PURPLE]));
}

static void legend_mark(struct legend *g, const struct tcp_figure *f, size_t k)
{
	struct na_strokes lines = {.n = 0}, fills = {.n = 0};
	char words[160], n[NA_UNIT_BUF];
	double x = g->box.x0 + 0.85 * g->font.size, y, high;

	snprintf(words, sizeof(words), "%s %s", looks[k].name,
		 na_print_count(n, (uint64_t)f->counts[k]));
	y = legend_line(g, words);
	if (isnan(y))
		return;
	high = 0.45 * g->font.size;
	if (looks[k].glyph == G_BAR || f->shown[k] > TCP_GLYPHS_MAX) {
		na_strokes_line(&lines, x, y - high, x, y + high);
	} else {
		add_glyph(&lines, &fills, looks[k].glyph, x, y,
			  glyph_size(g->l));
	}
	flush(g->l, f, k, &lines, &fills);
	na_vec_free(&lines);
	na_vec_free(&fills);
}

/* Kinds of segments that were sent again, and how many there are in all. */
static size_t resent_kinds(const struct tcp_figure *f, int64_t *all)
{
	size_t n = 0;

	*all = 0;
	for (size_t k = TM_SPURIOUS; k < TMS; k++) {
		n += f->counts[k] > 0;
		*all += f->counts[k];
	}
	return n;
}

/* Behind the last of several kinds: what they add up to. */
static void legend_sum(struct legend *g, int64_t all)
{
	char words[80], n[NA_UNIT_BUF];

	snprintf(words, sizeof(words), "all resent packets %s",
		 na_print_count(n, (uint64_t)all));
	legend_line(g, words);
}

/* The gravest first; what is left over small, below one line for it. */
static void legend_marks(struct legend *g, const struct tcp_figure *f)
{
	size_t n = 0, room = LEGEND_MAX - g->lines;
	size_t again, left;
	bool small = false;
	int64_t all;

	again = left = resent_kinds(f, &all);
	for (size_t k = 0; k < TMS; k++)
		n += f->counts[k] > 0;
	if (n > room)
		room--;
	for (size_t k = TMS; k-- > 0;) {
		if (f->counts[k] <= 0)
			continue;
		if (!room && !small) {
			small = true;
			g->font = na_layout_font(g->l, NA_SIZE_SMALL,
						 g->l->theme->secondary);
			legend_line(g, "and, behind these:");
			g->line = 1.45 * g->font.size;
		}
		room -= room > 0;
		legend_mark(g, f, k);
		if (k >= TM_SPURIOUS && again > 1 && !--left)
			legend_sum(g, all);
	}
}

void na_tcp_figure_legend(const struct na_layout *l, const struct tcp_figure *f,
			  struct na_box box)
{
	struct legend g = {.l = l, .box = box, .y = box.y0};
	struct na_color silent = na_fade(l->theme->hue[NA_HUE_FINDING], 0.18);

	g.font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	g.line = 1.45 * g.font.size;
	legend_band(&g, &silent, "timeouts", f->silences, f->silent_s);
	legend_band(&g, NULL, "closed", f->closures, f->closed_s);
	legend_marks(&g, f);
}

static bool any_fate(const struct tcp_figure *f, bool long_ones, size_t fate)
{
	na_for_each (v, na_get(f->fates, M_packets)) {
		if (fate_of(v) == fate && is_long(f, v) == long_ones)
			return true;
	}
	return false;
}

void na_tcp_figure_fates_legend(const struct na_layout *l,
				const struct tcp_figure *f, struct na_box side)
{
	struct legend g = {.l = l, .box = side, .y = side.y0};

	g.font = na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
	g.line = 1.45 * g.font.size;
	for (size_t kind = 2 * FATES; kind-- > 0;) {
		const struct fate *t = &fates[kind % FATES];
		struct na_strokes lines = {.n = 0}, fills = {.n = 0};
		bool long_ones = kind >= FATES;
		char words[80];
		double y;

		if (!any_fate(f, long_ones, kind % FATES))
			continue;
		snprintf(words, sizeof(words), "%s, %s",
			 long_ones ? "long" : "short", t->words);
		y = legend_line(&g, words);
		if (isnan(y))
			return;
		add_glyph(&lines, &fills, t->glyph,
			  side.x0 + 0.85 * g.font.size, y, glyph_size(l));
		flush_in(l, color_of_length(l, long_ones), 1.5, &lines, &fills);
		na_vec_free(&lines);
		na_vec_free(&fills);
	}
}
