/* One analysis: headline, picture, tables, notes, how to get it again. */
#include <string.h>

#include "netan/base/strtab.h"
#include "netan/report/decides.h"
#include "netan/report/html_impl.h"
#include "plot/figure.h"

static void put_figure(FILE *out, const struct na_report_part *p, bool *failed)
{
	const struct na_figure *f = na_figure_find(p->name);

	if (p->no_figure) {
		fputs("<p class=\"more\">", out);
		na_html_text(out, p->no_figure);
		fputs("</p>\n", out);
	}
	if (!p->figure)
		return;
	fprintf(out,
		"<figure id=\"figure-%s\">\n<div class=\"picture\" "
		"tabindex=\"0\" role=\"region\" aria-label=\"figure of %s\">"
		"<div class=\"sheet%s\">\n",
		p->name, p->name, f && f->width <= f->height ? " square" : "");
	fwrite(p->figure, 1, p->figure_bytes, out);
	fputs("</div></div>\n", out);
	na_html_hover(out, p, failed);
	fputs("</figure>\n", out);
}

/* Notes are as many as inputs make them: each is looked up, not compared. */
static void gather_notes(struct na_strtab *to, const struct na_result *r,
			 bool *failed)
{
	for (const struct na_text_line *l = r ? na_result_notes(r) : NULL; l;
	     l = l->next)
		*failed |= na_strtab_add(to, l->text, strlen(l->text)) ==
			   NA_NO_NAME;
}

void na_html_notes(FILE *out, const struct na_result *r,
		   const struct na_result *said, size_t *room, bool *failed)
{
	struct na_strtab known = {0};
	struct na_run run;

	gather_notes(&known, said, failed);
	na_run_begin(&run, room, failed);
	for (const struct na_text_line *l = na_result_notes(r); l && run.out;
	     l = l->next) {
		if (na_strtab_find(&known, l->text, strlen(l->text)) !=
		    NA_NO_NAME)
			continue;
		/* What is only counted needs no text. */
		if (!run.dropped)
			na_html_in(run.out, "li", l->text);
		na_run_piece(&run);
	}
	if (run.kept)
		fputs("<ul class=\"notes\">\n", out);
	na_run_end(&run, out);
	if (run.kept)
		fputs("</ul>\n", out);
	na_html_more(out, run.dropped, "note", "");
	na_strtab_fini(&known);
}

void na_html_deciding(FILE *out, const struct na_report *r, int at,
		      const struct na_value *finding, bool *failed)
{
	const struct na_report_part *p = na_report_decides(r, finding);
	const struct na_view *table = p ? na_report_table(p) : NULL;
	size_t room = NA_PART_BYTES;

	if (!p)
		return;
	if (na_report_shown_at(r, p) == at) {
		fprintf(out, "<div class=\"deciding\" id=\"deciding-%s\">\n",
			p->name);
		put_figure(out, p, failed);
		if (table)
			na_html_view(out, table, p->name, &room, failed);
		fprintf(out,
			"<p class=\"more\"><a href=\"#%s\">All that %s "
			"found</a></p>\n</div>\n",
			p->name, p->name);
	} else {
		fprintf(out,
			"<p class=\"more\">What decides it: <a "
			"href=\"#%s%s\">%s</a></p>\n",
			na_report_shown_at(r, p) < 0 ? "" : "deciding-",
			p->name, p->name);
	}
}

void na_html_part(FILE *out, const struct na_report *r,
		  const struct na_report_part *p, bool *failed)
{
	bool above = na_report_shown_at(r, p) >= 0;
	const struct na_view *table = above ? na_report_table(p) : NULL;
	size_t room = NA_PART_BYTES;

	fprintf(out, "<section id=\"%s\">\n<h2>%s: ", p->name, p->name);
	na_html_text(out, p->question);
	fputs("</h2>\n<p class=\"headline\">", out);
	na_html_line(out, na_result_get_headline(p->result));
	fputs("</p>\n", out);
	if (above)
		fprintf(out,
			"<p class=\"more\">%s under the <a "
			"href=\"#deciding-%s\">finding that it decides</a>"
			".</p>\n",
			p->figure ? "Its figure stands" : "Its table stands",
			p->name);
	else
		put_figure(out, p, failed);
	for (const struct na_view *v = na_result_views(p->result); v;
	     v = v->next)
		if (v != table)
			na_html_view(out, v, p->name, &room, failed);
	na_html_notes(out, p->result, r->check, &room, failed);
	na_html_command(out, "Figure and data again:", p->command);
	fputs("</section>\n", out);
}
