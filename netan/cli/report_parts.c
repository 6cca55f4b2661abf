#include "netan/cli/report_parts.h"

#include <stdlib.h>
#include <string.h>

#include "netan/cli/command_line.h"
#include "netan/cli/common.h"
#include "plot/figure.h"

/* "-o timeline.svg -o timeline.json" */
static char *command_of(const struct na_battery *b,
			const struct na_command *command)
{
	const char *name = command->face->name;
	char extra[96];

	if (na_figure_find(name))
		snprintf(extra, sizeof(extra), "-o %.30s.svg -o %.30s.json",
			 name, name);
	else
		snprintf(extra, sizeof(extra), "-o %.30s.json", name);
	return na_command_like(b->session.cli, command, extra);
}

enum na_status na_report_parts_of(const struct na_battery *b,
				  struct na_report_parts *p, struct na_err *err)
{
	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < b->n; i++) {
		const struct na_exhibit *x = &b->exhibits[i];
		const struct na_command *command = na_command_find(x->name);

		/* The others are evidence for checks, which cite them. */
		if (!command)
			continue;
		p->commands[p->n] = command_of(b, command);
		if (!p->commands[p->n])
			return na_fail_nomem(err);
		p->of[p->n] = (struct na_report_part){
			.name = command->face->name,
			.question = command->face->question,
			.result = x->result,
			.missing = x->missing,
			.command = p->commands[p->n],
		};
		p->n++;
	}
	return NA_OK;
}

struct drawing {
	struct na_report_parts *parts;
	struct na_err errs[NA_MAX_EVIDENCE];
};

/* Behind the XML declaration, which has no place within a page. */
static void trim(struct na_report_part *part)
{
	const char *svg = strstr(part->figure, "<svg");

	if (!svg)
		return;
	part->figure_bytes -= (size_t)(svg - part->figure);
	part->figure = svg;
}

static void draw_one(void *ctx, size_t i)
{
	struct drawing *d = ctx;
	struct na_report_part *part = &d->parts->of[i];
	const struct na_figure *f = na_figure_find(part->name);
	struct na_page page = {.version = NETAN_VERSION,
			       .command = part->command,
			       .id = part->name};
	size_t size = 0;
	FILE *out;

	if (!f || !part->result)
		return;
	out = open_memstream(&d->parts->figures[i], &size);
	if (!out) {
		na_fail_nomem(&d->errs[i]);
		return;
	}
	na_figure_write(f, part->result, &page, "svg", out, &d->errs[i]);
	if (fclose(out) != 0)
		na_fail_nomem(&d->errs[i]);
	if (d->errs[i].status != NA_OK)
		return;
	part->figure = d->parts->figures[i];
	part->figure_bytes = size;
	trim(part);
}

static void leave_out(struct na_report_part *part)
{
	part->figure = NULL;
	part->figure_bytes = 0;
	part->no_figure = "The figure would make this page too large: the "
			  "command below draws it into a file of its own.";
}

/* The largest go first. */
static void fit(struct na_report_parts *p)
{
	for (;;) {
		size_t sum = 0, largest = 0;

		for (size_t i = 0; i < p->n; i++) {
			if (p->of[i].figure_bytes > NA_FIGURE_BYTES)
				leave_out(&p->of[i]);
			sum += p->of[i].figure_bytes;
			if (p->of[i].figure_bytes > p->of[largest].figure_bytes)
				largest = i;
		}
		if (sum <= NA_FIGURES_BYTES)
			return;
		leave_out(&p->of[largest]);
	}
}

enum na_status na_report_draw(const struct na_battery *b,
			      struct na_report_parts *p, struct na_err *err)
{
	struct drawing d = {.parts = p};

	if (!na_parallel(b->session.threads, p->n, draw_one, &d))
		return na_fail_nomem(err);
	for (size_t i = 0; i < p->n; i++) {
		if (d.errs[i].status != NA_OK)
			return na_fail(err, d.errs[i].status, "%s: %s",
				       p->of[i].name, d.errs[i].text);
	}
	fit(p);
	return NA_OK;
}

void na_report_parts_free(struct na_report_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->commands[i]);
		free(p->figures[i]);
	}
	memset(p, 0, sizeof(*p));
}
