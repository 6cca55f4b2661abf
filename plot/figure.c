#include "plot/figure.h"

#include <string.h>

#include "plot/canvas.h"

/* clang-format off */
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

enum na_status na_figure_write(const struct na_figure *f,
			       const struct na_result *r,
			       const struct na_page *page, const char *format,
			       FILE *out, struct na_err *err)
{
	struct na_page full = *page;
	struct na_canvas_info info;
	struct na_canvas *c;
	enum na_status status;

	if (!full.width)
		full.width = f->width;
	if (!full.height)
		full.height = f->height;
	if (full.scale == 0)
		full.scale = 1;
	info = (struct na_canvas_info){.width = full.width,
				       .height = full.height,
				       .scale = full.scale,
				       .version = full.version,
				       .command = full.command};
	status = na_canvas_open(&c, format, &info, out, err);
	if (status < 0)
		return status;
	status = f->draw(c, r, &full, err);
	if (status >= 0)
		status = na_canvas_finish(c, err);
	na_canvas_free(c);
	return status;
}

/* clang-format on */