#include "plot/canvas.h"

#include <math.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "plot/canvas_impl.h"

#define PAGE_MIN_WIDTH  320
#define PAGE_MIN_HEIGHT 240
#define PAGE_MAX        16384
#define PNG_MAX_SIDE    32767 /* cairo's own limit */
#define PNG_MAX_PIXELS  268435456.0

static const char ellipsis[] = "\xe2\x80\xa6";

static enum na_status check_page(const char *format,
				 const struct na_canvas_info *info,
				 struct na_err *err)
{
	double w = info->width * info->scale, h = info->height * info->scale;

	if (info->width < PAGE_MIN_WIDTH || info->height < PAGE_MIN_HEIGHT ||
	    info->width > PAGE_MAX || info->height > PAGE_MAX)
		return na_fail(err, NA_EUSAGE,
			       "a picture of %d x %d: needs "
			       "at least %d x %d and at most %d x %d",
			       info->width, info->height, PAGE_MIN_WIDTH,
			       PAGE_MIN_HEIGHT, PAGE_MAX, PAGE_MAX);
	if (strcmp(format, "png") != 0)
		return NA_OK;
	if (!(w >= 1 && h >= 1 && w <= PNG_MAX_SIDE && h <= PNG_MAX_SIDE &&
	      w * h <= PNG_MAX_PIXELS))
		return na_fail(err, NA_EUSAGE,
			       "a PNG of %.0f x %.0f pixels: "
			       "at most %d on a side and %.0f in all",
			       w, h, PNG_MAX_SIDE, PNG_MAX_PIXELS);
	return NA_OK;
}

enum na_status na_canvas_open(struct na_canvas **c, const char *format,
			      const struct na_canvas_info *info, FILE *out,
			      struct na_err *err)
{
	enum na_status status = check_page(format, info, err);

	*c = NULL;
	if (status < 0)
		return status;
	if (strcmp(format, "ink") == 0)
		*c = na_ink_new(err);
	else if (strcmp(format, "inline") == 0)
		*c = na_inline_new(info, err);
	else
		*c = na_cairo_new(format, info, err);
	if (!*c)
		return err->status;
	(*c)->info = *info;
	(*c)->out = out;
	return NA_OK;
}

void na_canvas_describe(struct na_canvas *c, const char *title,
			const char *desc)
{
	na_text_clean(c->title, sizeof(c->title), title);
	na_text_clean(c->desc, sizeof(c->desc), desc);
}

enum na_status na_canvas_finish(struct na_canvas *c, struct na_err *err)
{
	return c->ops->finish(c, err);
}

void na_canvas_free(struct na_canvas *c)
{
	if (c)
		c->ops->free(c);
}

void na_draw_rect(struct na_canvas *c, struct na_box b, struct na_color color)
{
	/* clang-format off */
	const struct na_point p[] = {
		{b.x0, b.y0}, {b.x1, b.y0}, {b.x1, b.y1}, {b.x0, b.y1}};

	na_draw_area(c, p, 4, color);
}

void na_draw_line(struct na_canvas *c, double x0, double y0, double x1,
		  double y1, const struct na_pen *pen)
{
	const struct na_point p[] = {{x0, y0}, {x1, y1}};

	na_draw_polyline(c, p, 2, pen);
}

void na_draw_polyline(struct na_canvas *c, const struct na_point *p, size_t n,
		      const struct na_pen *pen)
{
	if (n > 1 && pen->color.a)
		c->ops->polyline(c, p, n, pen);
}

void na_draw_area(struct na_canvas *c, const struct na_point *p, size_t n,
		  struct na_color color)
{
	if (n > 2 && color.a)
		c->ops->area(c, p, n, color);
}

size_t na_hatch_lines(struct na_box b, double gap,
		      struct na_point p[NA_HATCH_POINTS])
{
	double w = b.x1 - b.x0, h = b.y1 - b.y0;
	size_t n = 0;

	if (!(w > 0) || !(h > 0) || !(gap > 0))
		return 0;
	if ((w + h) / gap > NA_HATCH_POINTS / 3.0)
		gap = (w + h) / (NA_HATCH_POINTS / 3.0);
	/* The line x + y = d through the box, measured from its corner.  d
	 * is aligned to the page, so that neighbouring boxes line up. */
	for (double d = gap - fmod(b.x0 + b.y0, gap); d < w + h; d += gap) {
		double x0 = d > h ? d - h : 0, x1 = d < w ? d : w;

		if (n + 3 > NA_HATCH_POINTS)
			break;
		p[n++] = (struct na_point){b.x0 + x0, b.y0 + d - x0};
		p[n++] = (struct na_point){b.x0 + x1, b.y0 + d - x1};
		p[n++] = (struct na_point){NAN, NAN};
	}
	return n;
}

void na_draw_hatch(struct na_canvas *c, struct na_box b, double gap,
		   const struct na_pen *pen)
{
	struct na_point p[NA_HATCH_POINTS];

	na_draw_polyline(c, p, na_hatch_lines(b, gap, p), pen);
}

void na_draw_text(struct na_canvas *c, double x, double y, const char *s,
		  const struct na_font *font)
{
	char buf[NA_TEXT_MAX];

	na_text_clean(buf, sizeof(buf), s);
	if (!*buf)
		return;
	if (font->align != NA_LEFT) {
		double w = c->ops->width(c, buf, font);

		x -= font->align == NA_CENTER ? w / 2 : w;
	}
	c->ops->text(c, x, y, buf, font);
}

void na_clip(struct na_canvas *c, struct na_box b)
{
	c->ops->clip(c, b);
}

void na_unclip(struct na_canvas *c)
{
	c->ops->unclip(c);
}

double na_measure(struct na_canvas *c, const char *s,
		  const struct na_font *font)
{
	char buf[NA_TEXT_MAX];

	return c->ops->width(c, na_text_clean(buf, sizeof(buf), s), font);
}

double na_text_ascent(const struct na_font *font)
{
	return font->size * 0.76;
}

double na_text_descent(const struct na_font *font)
{
	return font->size * 0.24;
}

const char *na_text_clean(char *buf, size_t cap, const char *s)
{
	size_t n = na_escape(NA_ESC_TERMINAL, s ? s : "", buf, cap);

	if (n >= cap) {
		n = strnlen(buf, cap - sizeof(ellipsis));
		while (n && (buf[n] & 0xc0) == 0x80)
			n--;
		memcpy(buf + n, ellipsis, sizeof(ellipsis));
	}
	return buf;
}

/* `kept` of the characters of the clean text s, around an ellipsis.  A cut
 * in the middle keeps more of the end: names differ there. */
static void cut_to(char *buf, const char *s, const size_t *starts, size_t n,
		   size_t kept, enum na_cut cut)
{
	size_t head = cut == NA_CUT_END ? kept : kept * 2 / 5;
	size_t len = starts[head];

	/* No space before the ellipsis. */
	while (len && s[len - 1] == ' ')
		len--;
	memcpy(buf, s, len);
	memcpy(buf + len, ellipsis, sizeof(ellipsis));
	strcat(buf, s + starts[n - (kept - head)]);
}

const char *na_text_fit(struct na_canvas *c, char buf[NA_TEXT_MAX],
			const char *s, const struct na_font *font, double width,
			enum na_cut cut)
{
	char text[NA_TEXT_MAX - sizeof(ellipsis)];
	size_t starts[NA_TEXT_MAX], n = 0, low = 0, high;

	/* A width that was the sum of this one and others may have lost its
	 * last bit. */
	width += 0.01;
	na_text_clean(text, sizeof(text), s);
	strcpy(buf, text);
	if (c->ops->width(c, buf, font) <= width)
		return buf;
	for (size_t i = 0; text[i]; i++) {
		if ((text[i] & 0xc0) != 0x80)
			starts[n++] = i;
	}
	starts[n] = strlen(text);
	high = n;
	while (low + 1 < high) { /* low fits, or is 0 */
		size_t half = low + (high - low) / 2;

		cut_to(buf, text, starts, n, half, cut);
		if (c->ops->width(c, buf, font) <= width)
			low = half;
		else
			high = half;
	}
	cut_to(buf, text, starts, n, low, cut);
	if (low == 0 || c->ops->width(c, buf, font) > width)
		*buf = '\0';
	return buf;
}

/* clang-format on */

void na_strokes_to(struct na_strokes *s, double x, double y)
{
	s->failed = s->failed || !na_add(s, ((struct na_point){x, y}));
}

void na_strokes_break(struct na_strokes *s)
{
	na_strokes_to(s, NAN, NAN);
}

void na_strokes_line(struct na_strokes *s, double x0, double y0, double x1,
		     double y1)
{
	na_strokes_to(s, x0, y0);
	na_strokes_to(s, x1, y1);
	na_strokes_break(s);
}

bool na_strokes_draw(struct na_strokes *s, struct na_canvas *c,
		     const struct na_pen *pen)
{
	bool drawn = !s->failed;

	if (drawn && s->n)
		na_draw_polyline(c, s->v, s->n, pen);
	na_vec_free(s);
	return drawn;
}
