/*
 * The back end for tests: one line of text for each stroke, coordinates
 * rounded to 0.1.  Every character is 0.6 em wide, so the lines do not
 * depend on the fonts of the machine.
 *
 *	page WIDTH HEIGHT
 *	area #rrggbbaa X,Y X,Y ...
 *	line #rrggbbaa WIDTH DASH X,Y X,Y - X,Y ...
 *	text #rrggbbaa SIZE regular|bold X0 Y0 X1 Y1 WORDS
 *	clip X0 Y0 X1 Y1
 *	unclip
 *	title WORDS
 *	desc WORDS
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/canvas_impl.h"

struct ink {
	struct na_canvas base;
	bool begun;
};

static void put_number(FILE *out, double x)
{
	long long v = x > 1e15    ? (long long)1e16
		      : x < -1e15 ? (long long)-1e16
				  : llround(x * 10);
	unsigned long long u = v < 0 ? 0ULL - (unsigned long long)v
				     : (unsigned long long)v;

	fprintf(out, "%s%llu.%llu", v < 0 ? "-" : "", u / 10, u % 10);
}

static void put_color(FILE *out, struct na_color c)
{
	fprintf(out, " #%02x%02x%02x%02x", c.r, c.g, c.b, c.a);
}

static void put_box(FILE *out, double x0, double y0, double x1, double y1)
{
	const double v[] = {x0, y0, x1, y1};

	for (size_t i = 0; i < 4; i++) {
		putc(' ', out);
		put_number(out, v[i]);
	}
}

static void put_points(FILE *out, const struct na_point *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		putc(' ', out);
		if (!isfinite(p[i].x) || !isfinite(p[i].y)) {
			putc('-', out);
			continue;
		}
		put_number(out, p[i].x);
		putc(',', out);
		put_number(out, p[i].y);
	}
	putc('\n', out);
}

/* The word that begins a line; the first one is preceded by the page. */
static FILE *begin(struct na_canvas *c, const char *word)
{
	struct ink *k = (struct ink *)c;

	if (!k->begun)
		fprintf(c->out, "page %d %d\n", c->info.width, c->info.height);
	k->begun = true;
	fputs(word, c->out);
	return c->out;
}

static void ink_area(struct na_canvas *c, const struct na_point *p, size_t n,
		     struct na_color color)
{
	FILE *out = begin(c, "area");

	put_color(out, color);
	put_points(out, p, n);
}

static void ink_polyline(struct na_canvas *c, const struct na_point *p,
			 size_t n, const struct na_pen *pen)
{
	/* clang-format off */
	static const char *const dashes[NA_DASHES] = {
		[NA_SOLID] = "solid",
		[NA_DASHED] = "dash",
		[NA_DOTTED] = "dot",
		[NA_LONG_DASHED] = "longdash",
		[NA_DASH_DOT] = "dashdot",
		[NA_DASH_DOT_DOT] = "dashdotdot",
	};
	/* clang-format on */
	FILE *out = begin(c, "line");

	put_color(out, pen->color);
	putc(' ', out);
	put_number(out, pen->width);
	fprintf(out, " %s", dashes[pen->dash]);
	put_points(out, p, n);
}

static double ink_width(struct na_canvas *c, const char *s,
			const struct na_font *font)
{
	size_t n = 0;

	(void)c;
	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return (double)n * font->size * 0.6;
}

static void ink_text(struct na_canvas *c, double x, double y, const char *s,
		     const struct na_font *font)
{
	FILE *out = begin(c, "text");

	put_color(out, font->color);
	putc(' ', out);
	put_number(out, font->size);
	fputs(font->bold ? " bold" : " regular", out);
	put_box(out, x, y - na_text_ascent(font), x + ink_width(c, s, font),
		y + na_text_descent(font));
	fprintf(out, " %s\n", s);
}

static void ink_clip(struct na_canvas *c, struct na_box b)
{
	FILE *out = begin(c, "clip");

	put_box(out, b.x0, b.y0, b.x1, b.y1);
	putc('\n', out);
}

static void ink_unclip(struct na_canvas *c)
{
	begin(c, "unclip\n");
}

static enum na_status ink_finish(struct na_canvas *c, struct na_err *err)
{
	begin(c, "title");
	fprintf(c->out, " %s\ndesc %s\n", c->title, c->desc);
	if (fflush(c->out) != 0 || ferror(c->out))
		return na_fail_errno(err, "cannot write the picture");
	return NA_OK;
}

static void ink_free(struct na_canvas *c)
{
	free(c);
}

static const struct na_canvas_ops ink_ops = {
	.area = ink_area,
	.polyline = ink_polyline,
	.text = ink_text,
	.width = ink_width,
	.clip = ink_clip,
	.unclip = ink_unclip,
	.finish = ink_finish,
	.free = ink_free,
};

struct na_canvas *na_ink_new(struct na_err *err)
{
	struct ink *k = calloc(1, sizeof(*k));

	if (!k) {
		na_fail_nomem(err);
		return NULL;
	}
	k->base.ops = &ink_ops;
	return &k->base;
}
