/*
 * The contract between canvas.c and its back ends.  Strings that reach a
 * back end are clean; text starts at its left end.
 */
#ifndef PLOT_CANVAS_IMPL_H
#define PLOT_CANVAS_IMPL_H

#include "plot/canvas.h"

struct na_canvas_ops {
	void (*area)(struct na_canvas *c, const struct na_point *p, size_t n,
		     struct na_color color);
	void (*polyline)(struct na_canvas *c, const struct na_point *p,
			 size_t n, const struct na_pen *pen);
	void (*text)(struct na_canvas *c, double x, double y, const char *s,
		     const struct na_font *font);
	double (*width)(struct na_canvas *c, const char *s,
			const struct na_font *font);
	void (*clip)(struct na_canvas *c, struct na_box b);
	void (*unclip)(struct na_canvas *c);
	enum na_status (*finish)(struct na_canvas *c, struct na_err *err);
	void (*free)(struct na_canvas *c); /* and the struct itself */
};

/* A back end's own struct begins with this one. */
struct na_canvas {
	const struct na_canvas_ops *ops;
	struct na_canvas_info info;
	FILE *out;
	char title[NA_TEXT_MAX], desc[2 * NA_TEXT_MAX];
};

/* NULL with *err set: memory, or the page is no good. */
struct na_canvas *na_ink_new(struct na_err *err);
struct na_canvas *na_cairo_new(const char *format,
			       const struct na_canvas_info *info,
			       struct na_err *err);
struct na_canvas *na_inline_new(const struct na_canvas_info *info,
				struct na_err *err);

/* Bytes on their way to the file. */
struct na_bytes {
	unsigned char *p;
	size_t n, cap;
	bool failed; /* memory was short */
};

void na_bytes_add(struct na_bytes *b, const void *p, size_t n);
void na_bytes_text(struct na_bytes *b, const char *s);
/* The words between two tags: escaped. */
void na_svg_words(struct na_bytes *b, const char *s);

/*
 * The finished file from what cairo made of the drawing, appended to `to`.
 *   PNG: chunks sRGB, Software, Description and Command are added: tEXt
 *        where Latin-1 can say it, else iTXt
 *   SVG: role="img", <title> and <desc> are added, and the id that cairo
 *        takes from a counter of the process goes: it would make the bytes
 *        of a picture depend on the pictures before it
 * False: these are not the bytes of such a file.
 */
bool na_png_dress(struct na_bytes *to, const unsigned char *png, size_t n,
		  const struct na_canvas *c);
bool na_svg_dress(struct na_bytes *to, const unsigned char *svg, size_t n,
		  const struct na_canvas *c);

#endif
