/*
 * One <svg> element for an HTML page, in two colour schemes.  cairo only
 * measures text and gives the outlines of letters; the elements are written
 * here, short: coordinates are whole eighths of a page unit (finer than any
 * screen), a letter is defined once and used by number.
 *
 * Colours stand apart from the elements, in the order of their use, and an
 * element has a mark where the number of its colour goes.  Two drawings that
 * differ in colours only have equal elements, and their colours pair up.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "plot/canvas_cairo.h"
#include "plot/canvas_impl.h"

#define MARK     '\1'
#define EIGHTHS  8
#define EM       1000 /* units in which letters are outlined */
#define FARTHEST 1e7  /* eighths; beyond any page */
#define MAX_ID   64

struct letter {
	unsigned long index; /* of the glyph in its font */
	bool bold;
};

struct inliner {
	struct na_canvas base;
	cairo_surface_t *surface;
	cairo_t *cr;
	struct na_bytes body, letters_drawn;
	NA_VEC(struct na_color) colors; /* of the marks in body */
	NA_VEC(struct letter) letters;
	size_t n_clips;
	bool failed;
};

static struct inliner *inliner(struct na_canvas *c)
{
	return (struct inliner *)c;
}

static void put(struct na_bytes *to, const char *fmt, ...) NA_PRINTF(2, 3);

static void put(struct na_bytes *to, const char *fmt, ...)
{
	char text[4 * MAX_ID + 256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	na_bytes_text(to, text);
}

/* Digits after the point only where there are some. */
static void put_real(struct na_bytes *to, double v)
{
	char text[40];
	size_t n = (size_t)snprintf(text, sizeof(text), "%.3f", v);

	while (text[n - 1] == '0')
		n--;
	n -= text[n - 1] == '.';
	na_bytes_add(to, text, n);
}

/* A class of the kind ("f": filled, "s": stroked) and of the colour. */
static void put_class(struct inliner *c, char kind, struct na_color color)
{
	const char mark[] = {kind, MARK};

	if (!na_add(&c->colors, color)) {
		c->failed = true;
		return;
	}
	na_bytes_text(&c->body, " class=\"");
	na_bytes_add(&c->body, mark, 2);
	na_bytes_text(&c->body, "\"");
}

struct path {
	struct na_bytes *to;
	long x, y;    /* where it has come */
	char command; /* the last one written; it holds for what follows */
};

static long whole(double v)
{
	return lround(v < -FARTHEST ? -FARTHEST : v > FARTHEST ? FARTHEST : v);
}

/* Numbers behind a command: a minus separates as well as a space. */
static void put_step(struct path *p, char command, const long *v, size_t n)
{
	bool bare = p->command == command;

	if (!bare)
		na_bytes_add(p->to, &command, 1);
	p->command = command;
	for (size_t i = 0; i < n; i++) {
		char text[24];

		snprintf(text, sizeof(text), "%s%ld",
			 (bare || i) && v[i] >= 0 ? " " : "", v[i]);
		na_bytes_text(p->to, text);
	}
}

static void move_to(struct path *p, long x, long y)
{
	const long v[] = {x, y};

	p->command = 0;
	put_step(p, 'M', v, 2);
	p->x = x;
	p->y = y;
}

static void line_to(struct path *p, long x, long y)
{
	const long v[] = {x - p->x, y - p->y};

	if (v[1] == 0)
		put_step(p, 'h', v, 1);
	else if (v[0] == 0)
		put_step(p, 'v', v + 1, 1);
	else
		put_step(p, 'l', v, 2);
	p->x = x;
	p->y = y;
}

static void curve_to(struct path *p, const cairo_path_data_t *at)
{
	long v[6];

	for (int i = 0; i < 3; i++) {
		v[2 * i] = whole(at[i].point.x) - p->x;
		v[2 * i + 1] = whole(at[i].point.y) - p->y;
	}
	put_step(p, 'c', v, 6);
	p->x += v[4];
	p->y += v[5];
}

static void put_points(struct na_bytes *to, const struct na_point *at, size_t n,
		       bool close)
{
	struct path p = {.to = to};
	bool open = false;

	na_bytes_text(to, " d=\"");
	for (size_t i = 0; i < n; i++) {
		long x, y;

		if (!isfinite(at[i].x) || !isfinite(at[i].y)) {
			if (open && close)
				na_bytes_text(to, "z");
			open = false;
			continue;
		}
		x = whole(at[i].x * EIGHTHS);
		y = whole(at[i].y * EIGHTHS);
		if (open)
			line_to(&p, x, y);
		else
			move_to(&p, x, y);
		open = true;
	}
	na_bytes_text(to, open && close ? "z\"" : "\"");
}

static void add_area(struct na_canvas *base, const struct na_point *p, size_t n,
		     struct na_color color)
{
	struct inliner *c = inliner(base);

	na_bytes_text(&c->body, "<path");
	put_class(c, 'f', color);
	put_points(&c->body, p, n, true);
	na_bytes_text(&c->body, "/>\n");
}

static void add_polyline(struct na_canvas *base, const struct na_point *p,
			 size_t n, const struct na_pen *pen)
{
	const struct na_dash_style *dash = &na_dash_styles[pen->dash];
	struct inliner *c = inliner(base);

	na_bytes_text(&c->body, "<path");
	put_class(c, 's', pen->color);
	na_bytes_text(&c->body, " stroke-width=\"");
	put_real(&c->body, pen->width * EIGHTHS);
	for (int i = 0; i < dash->n; i++) {
		na_bytes_text(&c->body, i ? " " : "\" stroke-dasharray=\"");
		put_real(&c->body, dash->part[i] * pen->width * EIGHTHS);
	}
	na_bytes_text(&c->body, "\"");
	put_points(&c->body, p, n, false);
	na_bytes_text(&c->body, "/>\n");
}

static double width_of(struct na_canvas *base, const char *s,
		       const struct na_font *font)
{
	cairo_text_extents_t e;

	na_cairo_font(inliner(base)->cr, font->bold, font->size);
	cairo_text_extents(inliner(base)->cr, s, &e);
	return e.x_advance;
}

/* The outline of a letter of the font that is set, once. */
static void outline_letter(struct inliner *c, unsigned long index,
			   size_t number)
{
	const cairo_glyph_t g = {index, 0, 0};
	struct na_bytes *to = &c->letters_drawn;
	struct path p = {.to = to};
	cairo_path_t *path;

	cairo_new_path(c->cr);
	cairo_glyph_path(c->cr, &g, 1);
	path = cairo_copy_path(c->cr);
	put(to, "<path id=\"%s-g%zu\" d=\"", c->base.info.id, number);
	for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
		const cairo_path_data_t *at = &path->data[i + 1];

		switch (path->data[i].header.type) {
		case CAIRO_PATH_MOVE_TO:
			/* cairo moves once more behind an outline's end */
			if (i + path->data[i].header.length < path->num_data)
				move_to(&p, whole(at->point.x),
					whole(at->point.y));
			break;
		case CAIRO_PATH_LINE_TO:
			line_to(&p, whole(at->point.x), whole(at->point.y));
			break;
		case CAIRO_PATH_CURVE_TO:
			curve_to(&p, at);
			break;
		case CAIRO_PATH_CLOSE_PATH:
			na_bytes_text(to, "z");
			break;
		}
	}
	cairo_path_destroy(path);
	na_bytes_text(to, "\"/>\n");
}

static size_t letter_of(struct inliner *c, unsigned long index, bool bold)
{
	size_t i = 0;

	while (i < c->letters.n &&
	       (c->letters.v[i].index != index || c->letters.v[i].bold != bold))
		i++;
	if (i < c->letters.n)
		return i;
	if (!na_add(&c->letters, ((struct letter){index, bold}))) {
		c->failed = true;
		return 0;
	}
	outline_letter(c, index, i);
	return i;
}

static void add_words(struct na_canvas *base, double x, double y, const char *s,
		      const struct na_font *font)
{
	struct inliner *c = inliner(base);
	cairo_glyph_t *g = NULL;
	int n = 0;

	na_cairo_font(c->cr, font->bold, EM);
	if (cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(c->cr), 0, 0,
					     s, -1, &g, &n, NULL, NULL,
					     NULL) != CAIRO_STATUS_SUCCESS) {
		c->failed = true;
		return;
	}
	na_bytes_text(&c->body, "<g");
	put_class(c, 'f', font->color);
	put(&c->body, " transform=\"translate(%ld %ld)scale(",
	    whole(x * EIGHTHS), whole(y * EIGHTHS));
	put_real(&c->body, font->size * EIGHTHS / EM);
	na_bytes_text(&c->body, ")\">");
	for (int i = 0; i < n; i++) {
		long at = whole(g[i].x);

		put(&c->body, "<use href=\"#%s-g%zu\"", c->base.info.id,
		    letter_of(c, g[i].index, font->bold));
		if (at)
			put(&c->body, " x=\"%ld\"", at);
		na_bytes_text(&c->body, "/>");
	}
	na_bytes_text(&c->body, "</g>\n");
	cairo_glyph_free(g);
}

static void add_clip(struct na_canvas *base, struct na_box b)
{
	/* clang-format off */
	const struct na_point p[] = {
		{b.x0, b.y0}, {b.x1, b.y0}, {b.x1, b.y1}, {b.x0, b.y1}};
	/* clang-format on */
	struct inliner *c = inliner(base);
	const char *id = c->base.info.id;

	put(&c->body, "<clipPath id=\"%s-c%zu\"><path", id, c->n_clips);
	put_points(&c->body, p, 4, true);
	put(&c->body, "/></clipPath>\n<g clip-path=\"url(#%s-c%zu)\">\n", id,
	    c->n_clips++);
}

static void add_unclip(struct na_canvas *base)
{
	na_bytes_text(&inliner(base)->body, "</g>\n");
}

struct pair {
	struct na_color light, dark;
};

struct pairs {
	struct pair *v;
	size_t n, cap;
	size_t *of; /* by mark */
};

static bool same(struct na_color a, struct na_color b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

/* Each mark's pair, numbered as they come. */
static bool pair_up(const struct inliner *light, const struct inliner *dark,
		    struct pairs *to)
{
	to->of = na_calloc(light->colors.n + 1, sizeof(*to->of));
	for (size_t i = 0; to->of && i < light->colors.n; i++) {
		const struct pair want = {light->colors.v[i],
					  dark->colors.v[i]};
		size_t k = 0;

		while (k < to->n && !(same(to->v[k].light, want.light) &&
				      same(to->v[k].dark, want.dark)))
			k++;
		if (k == to->n && !na_add(to, want))
			return false;
		to->of[i] = k;
	}
	return to->of != NULL;
}

static void put_scheme(struct na_bytes *to, const char *id,
		       const struct pairs *pairs, bool dark)
{
	put(to, "#%s{", id);
	for (size_t i = 0; i < pairs->n; i++) {
		struct na_color c = dark ? pairs->v[i].dark : pairs->v[i].light;

		put(to, "--c%zu:#%02x%02x%02x", i, c.r, c.g, c.b);
		if (c.a < 255)
			put(to, "%02x", c.a);
		na_bytes_text(to, ";");
	}
	na_bytes_text(to, "}");
}

static void put_style(struct na_bytes *to, const char *id,
		      const struct pairs *pairs)
{
	put_scheme(to, id, pairs, false);
	na_bytes_text(to, "\n@media screen and (prefers-color-scheme:dark){");
	put_scheme(to, id, pairs, true);
	na_bytes_text(to, "}\n");
	for (size_t i = 0; i < pairs->n; i++)
		put(to,
		    "#%s .f%zu{fill:var(--c%zu)}#%s .s%zu{stroke:var(--c%zu)}\n",
		    id, i, i, id, i, i);
}

static void put_head(struct na_bytes *to, const struct na_canvas *c)
{
	const char *id = c->info.id;

	put(to,
	    "<svg id=\"%s\" xmlns=\"http://www.w3.org/2000/svg\" "
	    "viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" "
	    "aria-labelledby=\"%s-title",
	    id, c->info.width, c->info.height, id);
	if (*c->desc)
		put(to, " %s-desc", id);
	put(to, "\">\n<title id=\"%s-title\">", id);
	na_svg_words(to, c->title);
	na_bytes_text(to, "</title>\n");
	if (*c->desc) {
		put(to, "<desc id=\"%s-desc\">", id);
		na_svg_words(to, c->desc);
		na_bytes_text(to, "</desc>\n");
	}
}

static void put_body(struct na_bytes *to, const struct na_bytes *body,
		     const struct pairs *pairs)
{
	const unsigned char *p = body->p, *end = p + body->n, *mark;
	size_t n = 0;

	while (p < end && (mark = memchr(p, MARK, (size_t)(end - p)))) {
		na_bytes_add(to, p, (size_t)(mark - p));
		put(to, "%zu", pairs->of[n++]);
		p = mark + 1;
	}
	na_bytes_add(to, p, (size_t)(end - p));
}

static bool good(const struct inliner *c)
{
	return !c->failed && !c->body.failed && !c->letters_drawn.failed &&
	       cairo_status(c->cr) == CAIRO_STATUS_SUCCESS;
}

static bool written(const struct na_bytes *b, FILE *out)
{
	return fwrite(b->p, 1, b->n, out) == b->n && fflush(out) == 0;
}

static void put_picture(struct na_bytes *to, const struct inliner *c,
			const struct na_bytes *style, const struct pairs *pairs)
{
	put_head(to, &c->base);
	if (!c->base.info.style) {
		na_bytes_text(to, "<style>\n");
		na_bytes_add(to, style->p, style->n);
		na_bytes_text(to, "</style>\n");
	}
	na_bytes_text(to, "<defs>\n");
	na_bytes_add(to, c->letters_drawn.p, c->letters_drawn.n);
	na_bytes_text(to, "</defs>\n<g transform=\"scale(.125)\" "
			  "fill=\"none\" stroke-linejoin=\"round\">\n");
	put_body(to, &c->body, pairs);
	na_bytes_text(to, "</g>\n</svg>\n");
}

static enum na_status write_pair(const struct inliner *light,
				 const struct inliner *dark, struct na_err *err)
{
	struct na_bytes file = {.n = 0}, style = {.n = 0};
	FILE *rules = light->base.info.style;
	struct pairs pairs = {.n = 0};
	enum na_status status = NA_OK;
	bool paired = good(light) && good(dark) && pair_up(light, dark, &pairs);

	if (paired) {
		put_style(&style, light->base.info.id, &pairs);
		put_picture(&file, light, &style, &pairs);
	}
	if (!paired || file.failed || style.failed)
		status = na_fail_nomem(err);
	else if (!written(&file, light->base.out) ||
		 (rules && !written(&style, rules)))
		status = na_fail_errno(err, "cannot write the picture");
	free(style.p);
	free(file.p);
	free(pairs.v);
	free(pairs.of);
	return status;
}

static bool alike(const struct inliner *a, const struct inliner *b)
{
	return a->body.n == b->body.n && a->colors.n == b->colors.n &&
	       a->letters_drawn.n == b->letters_drawn.n &&
	       (!a->body.n || memcmp(a->body.p, b->body.p, a->body.n) == 0) &&
	       (!a->letters_drawn.n ||
		memcmp(a->letters_drawn.p, b->letters_drawn.p,
		       a->letters_drawn.n) == 0);
}

static enum na_status end_alone(struct na_canvas *c, struct na_err *err)
{
	return write_pair(inliner(c), inliner(c), err);
}

static void inline_free(struct na_canvas *base)
{
	struct inliner *c = inliner(base);

	cairo_destroy(c->cr);
	cairo_surface_destroy(c->surface);
	free(c->body.p);
	free(c->letters_drawn.p);
	free(c->colors.v);
	free(c->letters.v);
	free(c);
}

static const struct na_canvas_ops inline_ops = {
	.area = add_area,
	.polyline = add_polyline,
	.text = add_words,
	.width = width_of,
	.clip = add_clip,
	.unclip = add_unclip,
	.finish = end_alone,
	.free = inline_free,
};

enum na_status na_canvas_finish_both(struct na_canvas *light,
				     struct na_canvas *dark, bool *paired,
				     struct na_err *err)
{
	*paired = light->ops == &inline_ops && dark->ops == &inline_ops &&
		  alike(inliner(light), inliner(dark));
	if (!*paired)
		return na_canvas_finish(light, err);
	return write_pair(inliner(light), inliner(dark), err);
}

/* Fit for an id, a selector of CSS and a reference. */
static bool is_id(const char *s)
{
	size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789-_")
		     : 0;

	return n && n <= MAX_ID && !s[n] && !strchr("0123456789-_", *s);
}

struct na_canvas *na_inline_new(const struct na_canvas_info *info,
				struct na_err *err)
{
	struct inliner *c;

	if (!is_id(info->id)) {
		na_fail(err, NA_EUSAGE,
			"an id of a picture has up to %d letters, digits, "
			"\"-\" and \"_\", a letter first",
			MAX_ID);
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c) {
		na_fail_nomem(err);
		return NULL;
	}
	c->base.ops = &inline_ops;
	c->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	c->cr = cairo_create(c->surface);
	na_cairo_unhinted(c->cr);
	return &c->base;
}
