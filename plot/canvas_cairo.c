/*
 * PNG, SVG and PDF.  cairo draws into memory and keeps the first error; the
 * finished bytes go to the file at once, so a failure leaves it untouched.
 */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plot/canvas_cairo.h"
#include "plot/canvas_impl.h"

enum format { PNG, SVG, PDF };

struct painter {
	struct na_canvas base;
	enum format format;
	cairo_surface_t *surface;
	cairo_t *cr;
	struct na_bytes raw; /* what cairo has written */
};

static struct painter *painter(struct na_canvas *c)
{
	return (struct painter *)c;
}

static cairo_status_t collect(void *to, const unsigned char *p, unsigned n)
{
	struct na_bytes *b = to;

	na_bytes_add(b, p, n);
	return b->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void set_color(cairo_t *cr, struct na_color c)
{
	cairo_set_source_rgba(cr, c.r / 255.0, c.g / 255.0, c.b / 255.0,
			      c.a / 255.0);
}

/* cairo prints six decimals of what it is given; an eighth needs three and
 * is finer than any screen. */
static double rounded(const struct painter *p, double x)
{
	return p->format == SVG ? nearbyint(x * 8) / 8 : x;
}

static void trace(struct painter *c, const struct na_point *p, size_t n,
		  bool close)
{
	bool open = false;

	cairo_new_path(c->cr);
	for (size_t i = 0; i < n; i++) {
		double x, y;

		if (!isfinite(p[i].x) || !isfinite(p[i].y)) {
			if (open && close)
				cairo_close_path(c->cr);
			open = false;
			continue;
		}
		x = rounded(c, p[i].x);
		y = rounded(c, p[i].y);
		if (open)
			cairo_line_to(c->cr, x, y);
		else
			cairo_move_to(c->cr, x, y);
		open = true;
	}
	if (open && close)
		cairo_close_path(c->cr);
}

static void paint_area(struct na_canvas *c, const struct na_point *p, size_t n,
		       struct na_color color)
{
	struct painter *to = painter(c);

	trace(to, p, n, true);
	set_color(to->cr, color);
	cairo_fill(to->cr);
}

/* clang-format off */
const struct na_dash_style na_dash_styles[NA_DASHES] = {
	[NA_SOLID] = {0, {0}},
	[NA_DASHED] = {2, {5, 3}},
	[NA_DOTTED] = {2, {1.5, 2}},
	[NA_LONG_DASHED] = {2, {10, 3}},
	[NA_DASH_DOT] = {4, {6, 2, 1.5, 2}},
	[NA_DASH_DOT_DOT] = {6, {6, 2, 1.5, 2, 1.5, 2}},
};
/* clang-format on */

static void paint_polyline(struct na_canvas *c, const struct na_point *p,
			   size_t n, const struct na_pen *pen)
{
	int parts = na_dash_styles[pen->dash].n;
	struct painter *to = painter(c);
	double dash[NA_DASH_PARTS];

	trace(to, p, n, false);
	set_color(to->cr, pen->color);
	cairo_set_line_width(to->cr, pen->width);
	cairo_set_line_join(to->cr, CAIRO_LINE_JOIN_ROUND);
	for (int i = 0; i < parts; i++)
		dash[i] = na_dash_styles[pen->dash].part[i] * pen->width;
	cairo_set_dash(to->cr, dash, parts, 0);
	cairo_stroke(to->cr);
}

/* Where DejaVu Sans is missing, fontconfig takes the nearest relative, then
 * the machine's sans-serif. */
void na_cairo_font(cairo_t *cr, bool bold, double size)
{
	cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD
				    : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, size);
}

void na_cairo_unhinted(cairo_t *cr)
{
	cairo_font_options_t *options = cairo_font_options_create();

	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_set_font_options(cr, options);
	cairo_font_options_destroy(options);
}

static double paint_width(struct na_canvas *c, const char *s,
			  const struct na_font *font)
{
	cairo_text_extents_t e;

	na_cairo_font(painter(c)->cr, font->bold, font->size);
	cairo_text_extents(painter(c)->cr, s, &e);
	return e.x_advance;
}

static void paint_words(struct na_canvas *c, double x, double y, const char *s,
			const struct na_font *font)
{
	cairo_t *cr = painter(c)->cr;

	na_cairo_font(cr, font->bold, font->size);
	set_color(cr, font->color);
	cairo_move_to(cr, rounded(painter(c), x), rounded(painter(c), y));
	cairo_show_text(cr, s);
}

static void paint_clip_to(struct na_canvas *c, struct na_box b)
{
	cairo_t *cr = painter(c)->cr;

	cairo_save(cr);
	cairo_rectangle(cr, b.x0, b.y0, b.x1 - b.x0, b.y1 - b.y0);
	cairo_clip(cr);
}

static void paint_unclip(struct na_canvas *c)
{
	cairo_restore(painter(c)->cr);
}

/* Everything that would change from run to run is fixed or left out. */
static void describe_pdf(struct painter *c)
{
	char creator[NA_TEXT_MAX];
	const char *version = c->base.info.version;

	snprintf(creator, sizeof(creator), "netan %s", version ? version : "");
	cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE,
				       c->base.title);
	cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_SUBJECT,
				       c->base.desc);
	cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATOR,
				       creator);
	cairo_pdf_surface_set_metadata(c->surface,
				       CAIRO_PDF_METADATA_CREATE_DATE,
				       "2000-01-01T00:00:00Z");
}

static cairo_status_t end_drawing(struct painter *c)
{
	cairo_status_t status;

	if (c->format == PDF)
		describe_pdf(c);
	status = cairo_status(c->cr);
	if (status == CAIRO_STATUS_SUCCESS && c->format == PNG)
		status = cairo_surface_write_to_png_stream(c->surface, collect,
							   &c->raw);
	cairo_surface_finish(c->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_status(c->surface);
	return status;
}

static enum na_status paint_end(struct na_canvas *base, struct na_err *err)
{
	struct painter *c = painter(base);
	struct na_bytes file = {.n = 0};
	const struct na_bytes *all = &file;
	cairo_status_t drawn = end_drawing(c);
	enum na_status status = NA_OK;
	bool good = true;

	if (drawn == CAIRO_STATUS_NO_MEMORY)
		return na_fail_nomem(err);
	if (drawn != CAIRO_STATUS_SUCCESS)
		return na_fail(err, NA_EIO, "cannot draw the picture: %s",
			       cairo_status_to_string(drawn));
	if (c->format == PNG)
		good = na_png_dress(&file, c->raw.p, c->raw.n, base);
	else if (c->format == SVG)
		good = na_svg_dress(&file, c->raw.p, c->raw.n, base);
	else
		all = &c->raw;
	if (file.failed)
		status = na_fail_nomem(err);
	else if (!good)
		status = na_fail(err, NA_EIO,
				 "cannot draw the picture: "
				 "unexpected output from cairo %s",
				 cairo_version_string());
	else if (fwrite(all->p, 1, all->n, base->out) != all->n ||
		 fflush(base->out) != 0)
		status = na_fail_errno(err, "cannot write the picture");
	free(file.p);
	return status;
}

static void paint_free(struct na_canvas *base)
{
	struct painter *c = painter(base);

	cairo_destroy(c->cr);
	cairo_surface_destroy(c->surface);
	free(c->raw.p);
	free(c);
}

static const struct na_canvas_ops paint_ops = {
	.area = paint_area,
	.polyline = paint_polyline,
	.text = paint_words,
	.width = paint_width,
	.clip = paint_clip_to,
	.unclip = paint_unclip,
	.finish = paint_end,
	.free = paint_free,
};

static void open_surface(struct painter *c, const struct na_canvas_info *info)
{
	double w = info->width, h = info->height;

	if (c->format == PNG) {
		c->surface = cairo_image_surface_create(
			CAIRO_FORMAT_RGB24, (int)lround(w * info->scale),
			(int)lround(h * info->scale));
	} else if (c->format == SVG) {
		c->surface = cairo_svg_surface_create_for_stream(collect,
								 &c->raw, w, h);
		cairo_svg_surface_set_document_unit(c->surface,
						    CAIRO_SVG_UNIT_PX);
	} else {
		c->surface = cairo_pdf_surface_create_for_stream(collect,
								 &c->raw, w, h);
	}
}

struct na_canvas *na_cairo_new(const char *format,
			       const struct na_canvas_info *info,
			       struct na_err *err)
{
	/* clang-format off */
	static const char *const names[] = {
		[PNG] = "png", [SVG] = "svg", [PDF] = "pdf"};
	struct painter *c;
	size_t f = 0;

	while (f < 3 && strcmp(names[f], format) != 0)
		f++;
	if (f == 3) {
		na_fail(err, NA_EUSAGE, "no picture format %s: svg, png, pdf",
			format);
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c) {
		na_fail_nomem(err);
		return NULL;
	}
	c->base.ops = &paint_ops;
	c->format = (enum format)f;
	open_surface(c, info);
	c->cr = cairo_create(c->surface);
	if (c->format == PNG)
		cairo_scale(c->cr, info->scale, info->scale);
	na_cairo_unhinted(c->cr);
	return &c->base;
}

/*
 * cairo and fontconfig keep fonts for the life of the process, behind
 * pointers that the leak sanitizer cannot follow.
 */
#if defined(__SANITIZE_ADDRESS__)
#define LEAKS_ARE_CHECKED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_ARE_CHECKED
#endif
#endif

#ifdef LEAKS_ARE_CHECKED
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig.so\n";
}

/* Not a word about it: stderr may be compared. */
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}
#endif

/* clang-format on */
/* In one of their directories a font may be a link. */
static void linked_fonts(void (*each)(void *ctx, const char *path), void *ctx)
{
	const FcFontSet *set = FcConfigGetFonts(NULL, FcSetSystem);
	struct stat sb;
	FcChar8 *file;

	for (int i = 0; set && i < set->nfont; i++) {
		if (FcPatternGetString(set->fonts[i], FC_FILE, 0, &file) ==
			    FcResultMatch &&
		    lstat((const char *)file, &sb) == 0 && S_ISLNK(sb.st_mode))
			each(ctx, (const char *)file);
	}
}

void na_canvas_fonts(void (*each)(void *ctx, const char *path), void *ctx)
{
	FcStrList *dirs;
	const FcChar8 *dir;

	if (!FcInit() || !each)
		return;
	linked_fonts(each, ctx);
	dirs = FcConfigGetFontDirs(NULL);
	while (dirs && (dir = FcStrListNext(dirs)))
		each(ctx, (const char *)dir);
	if (dirs)
		FcStrListDone(dirs);
}
