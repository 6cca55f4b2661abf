#include "plot/figure.h"

#include <string.h>

#include "plot/canvas.h"

const struct na_figure *const na_figures[] = {
#define NA_FIGURE(name) &na_fig_##name,
#include "plot/figures.def"
#undef NA_FIGURE
	NULL};

const struct na_figure *na_figure_find(const char *name)
{
	for (size_t i = 0; na_figures[i]; i++) {
		if (strcmp(na_figures[i]->name, name) == 0)
			return na_figures[i];
	}
	return NULL;
}

enum na_status na_no_room(const struct na_page *page, struct na_err *err)
{
	return na_fail(err, NA_EUSAGE,
		       "a picture of %d x %d has no room for this figure",
		       page->width, page->height);
}

static enum na_status drawn(struct na_canvas **c, const struct na_figure *f,
			    const struct na_result *r,
			    const struct na_page *page, const char *format,
			    FILE *out, struct na_err *err)
{
	const struct na_canvas_info info = {.width = page->width,
					    .height = page->height,
					    .scale = page->scale,
					    .version = page->version,
					    .command = page->command,
					    .id = page->id,
					    .style = page->style};
	enum na_status status = na_canvas_open(c, format, &info, out, err);

	return status < 0 ? status : f->draw(*c, r, page, err);
}

static enum na_status write_both(const struct na_figure *f,
				 const struct na_result *r,
				 struct na_page *page, FILE *out,
				 struct na_err *err)
{
	struct na_canvas *light = NULL, *dark = NULL;
	enum na_status status;
	bool paired;

	page->dark = false;
	status = drawn(&light, f, r, page, "inline", out, err);
	page->dark = true;
	if (status >= 0)
		status = drawn(&dark, f, r, page, "inline", out, err);
	if (status >= 0)
		status = na_canvas_finish_both(light, dark, &paired, err);
	na_canvas_free(light);
	na_canvas_free(dark);
	return status;
}

enum na_status na_figure_write(const struct na_figure *f,
			       const struct na_result *r,
			       const struct na_page *page, const char *format,
			       FILE *out, struct na_err *err)
{
	struct na_page full = *page;
	struct na_canvas *c = NULL;
	enum na_status status;

	if (!full.width)
		full.width = f->width;
	if (!full.height)
		full.height = f->height;
	if (full.scale == 0)
		full.scale = 1;
	if (!full.id)
		full.id = f->name;
	if (strcmp(format, "inline") == 0)
		return write_both(f, r, &full, out, err);
	status = drawn(&c, f, r, &full, format, out, err);
	if (status >= 0)
		status = na_canvas_finish(c, err);
	na_canvas_free(c);
	return status;
}
