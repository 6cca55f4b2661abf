#include "netan/cli/commands/report_parts.h"
#include "netan/base/vec.h"

#include <stdlib.h>
#include <string.h>

#include "netan/cli/again.h"
#include "netan/cli/common.h"
#include "plot/figure.h"
#include "plot/theme.h"

/* "netan timeline -o timeline.svg -o timeline.json run/" */
static const char *command_of(const struct na_cli *cli, const char *name,
			      struct na_arena *arena)
{
	const char *rest = na_again(cli, name, arena);
	bool draws = na_figure_find(name) != NULL;
	size_t size = rest ? strlen(rest) + 4 * strlen(name) + 64 : 0;
	char *text = size ? na_arena_alloc(arena, size) : NULL;

	if (text)
		snprintf(text, size, "netan %s%s%s%s -o %s.json %s", name,
			 draws ? " -o " : "", draws ? name : "",
			 draws ? ".svg" : "", name, rest);
	return text;
}

enum na_status na_report_parts_of(const struct na_cli *cli,
				  const struct na_battery *b,
				  struct na_report_parts *p, struct na_err *err)
{
	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < b->n; i++) {
		const struct na_exhibit *x = &b->exhibits[i];
		const struct na_command *command = na_command_find(x->name);

		/* The others are evidence for checks, which cite them. */
		if (!command)
			continue;
		p->of[p->n] = (struct na_report_part){
			.name = command->info->name,
			.question = command->info->question,
			.result = x->result,
			.missing = x->missing,
			.command = command_of(cli, x->name, &p->arena),
		};
		if (!p->of[p->n++].command)
			return na_fail_nomem(err);
	}
	return NA_OK;
}

struct drawing {
	struct na_report_parts *parts;
	struct na_err *errs;           /* one for each part */
	size_t bytes[NA_MAX_EVIDENCE]; /* of the figure and its rules */
};

static void draw_one(void *ctx, size_t i)
{
	struct drawing *d = ctx;
	struct na_report_parts *p = d->parts;
	struct na_report_part *part = &p->of[i];
	const struct na_figure *f = na_figure_find(part->name);
	struct na_page_axis axis = {.width = 0};
	struct na_page page = {.version = NETAN_VERSION,
			       .command = part->command,
			       .axis = &axis};
	size_t bytes = 0, style_bytes = 0;
	char id[40];
	FILE *out;

	if (!f || !part->result ||
	    na_result_get_word(part->result, NA_WORD_UNDRAWN, NULL))
		return;
	snprintf(id, sizeof(id), "fig-%.30s", part->name);
	page.id = id;
	out = open_memstream(&p->figures[i], &bytes);
	page.style = open_memstream(&p->styles[i], &style_bytes);
	if (out && page.style)
		na_in_err(na_figure_write(f, part->result, &page, "inline", out,
					  &d->errs[i]));
	if (!out || fclose(out) != 0)
		na_fail_nomem(&d->errs[i]);
	if (!page.style || fclose(page.style) != 0)
		na_fail_nomem(&d->errs[i]);
	if (d->errs[i].status != NA_OK)
		return;
	part->figure = p->figures[i];
	part->style = p->styles[i];
	part->figure_bytes = bytes;
	d->bytes[i] = bytes + style_bytes;
	part->axis = (struct na_report_axis){axis.width,  axis.height, axis.x0,
					     axis.y0,     axis.x1,     axis.y1,
					     axis.from_s, axis.to_s};
}

static void leave_out(struct drawing *d, size_t i)
{
	struct na_report_part *part = &d->parts->of[i];

	d->bytes[i] = 0;
	part->figure = NULL;
	part->no_figure = "The figure would make this page too large: the "
			  "command below draws it into a file of its own.";
}

/* The largest go first. */
static void fit(struct drawing *d)
{
	for (;;) {
		size_t sum = 0, largest = 0;

		for (size_t i = 0; i < d->parts->n; i++) {
			if (d->bytes[i] > NA_FIGURE_BYTES)
				leave_out(d, i);
			sum += d->bytes[i];
			if (d->bytes[i] > d->bytes[largest])
				largest = i;
		}
		if (sum <= NA_FIGURES_BYTES)
			return;
		leave_out(d, largest);
	}
}

static enum na_status put_theme(struct na_report_parts *p, struct na_err *err)
{
	size_t size = 0;
	FILE *out = open_memstream(&p->theme, &size);

	if (!out)
		return na_fail_nomem(err);
	na_theme_css(out);
	return fclose(out) == 0 ? NA_OK : na_fail_nomem(err);
}

enum na_status na_report_draw(const struct na_battery *b,
			      struct na_report_parts *p, struct na_err *err)
{
	struct drawing d = {.parts = p};

	d.errs = na_calloc(p->n, sizeof(*d.errs));
	if (!d.errs || !na_parallel(b->session.threads, p->n, draw_one, &d))
		na_fail_nomem(err);
	for (size_t i = 0; err->status == NA_OK && i < p->n; i++) {
		if (d.errs[i].status != NA_OK)
			na_fail(err, d.errs[i].status, "%s: %s", p->of[i].name,
				d.errs[i].text);
	}
	free(d.errs);
	if (err->status != NA_OK)
		return err->status;
	fit(&d);
	return put_theme(p, err);
}

void na_report_parts_free(struct na_report_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->figures[i]);
		free(p->styles[i]);
	}
	free(p->theme);
	na_arena_fini(&p->arena);
	memset(p, 0, sizeof(*p));
}
