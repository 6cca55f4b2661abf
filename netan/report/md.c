/* The report as Markdown, beside its pictures. */
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/report/decides.h"
#include "netan/result/emit_impl.h"

static void put_text(FILE *out, const char *s)
{
	na_escape_to(NA_ESC_MD, s ? s : "", out);
}

/* Code shows as it is, whatever runs of backticks it holds. */
static void put_code(FILE *out, const char *s)
{
	size_t run = 0, longest = 2;

	for (const char *p = s; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i <= longest; i++)
			putc('`', out);
		putc('\n', out);
		if (side)
			continue;
		na_escape_to(NA_ESC_TERMINAL, s, out);
		putc('\n', out);
	}
}

static void put_command(FILE *out, const char *label, const char *command)
{
	if (!command)
		return;
	fprintf(out, "\n%s\n\n", label);
	put_code(out, command);
}

static void put_title(FILE *out, const struct na_report *r)
{
	fputs(r->title ? "# " : "# Network report: ", out);
	put_text(out, r->title ? r->title : r->inputs);
	putc('\n', out);
}

static void put_trace(FILE *out, const char *name)
{
	if (!name)
		return;
	fputs("\nBeside this file: ", out);
	put_text(out, name);
	fputs(", the course of it all as a trace: open it in "
	      "ui.perfetto.dev.\n",
	      out);
}

static void put_picture(FILE *out, const struct na_report_part *p)
{
	const char *found = na_result_message(p->result);

	if (!p->png)
		return;
	fprintf(out, "\n![%s: ", p->name);
	put_text(out, found ? found : na_result_get_headline(p->result));
	fprintf(out, "](%s)\n", p->png);
}

/* The figure and the table that decide the finding of number `at`. */
static void put_deciding(FILE *out, const struct na_report *r, int at,
			 const struct na_value *finding)
{
	const struct na_report_part *p = na_report_decides(r, finding);

	if (!p || na_report_shown_at(r, p) != at)
		return;
	put_picture(out, p);
	if (na_report_table(p)) {
		putc('\n', out);
		na_md_view(na_report_table(p), "####", NA_MD_ROWS, out);
	}
}

/* Verdict and findings, as netan check has them: each has a view, and they
 * come first. */
static void put_check(FILE *out, const struct na_report *r)
{
	const struct na_view *v = na_result_views(r->check);
	const struct na_value *f =
		na_items(na_get(na_result_get_body(r->check), M_findings));
	int at = 0;

	fputs("\n**", out);
	put_text(out, na_text_or(na_result_get_body(r->check), M_verdict,
				 "cannot tell"));
	fputs("**\n", out);
	put_command(out, "This report again:", r->command);
	fputs("\n## Findings\n", out);
	if (!v)
		fputs("\nNo check found anything wrong.\n", out);
	for (; v; v = v->next) {
		putc('\n', out);
		na_md_view(v, "###", NA_MD_ROWS, out);
		if (!f)
			continue;
		put_deciding(out, r, at++, f);
		f = f->next;
	}
}

static void put_input(FILE *out, const struct na_value *in)
{
	const struct na_value *bytes = na_get(in, M_bytes);
	const struct na_value *why = na_get(in, M_warnings);
	char n[NA_UNIT_BUF];

	fputs("| ", out);
	put_text(out, na_text_or(in, M_path, "-"));
	fputs(" | ", out);
	put_text(out, na_text_or(in, M_format, "not readable"));
	fputs(" | ", out);
	put_text(out, na_text_or(in, M_host, "-"));
	fprintf(out, " | %s |",
		bytes && bytes->kind == NA_V_INT
			? na_print_count(n, (uint64_t)bytes->u.i)
			: "-");
	fprintf(out, " %s | ",
		na_print_count(n, (uint64_t)na_count_at(in, M_transfers)));
	put_text(out, na_text_or(in, M_sha256, "-"));
	fprintf(out, " | %zu |\n", why ? why->n : 0);
}

static void put_inputs(FILE *out, const struct na_value *list)
{
	size_t shown = 0;

	fputs("\n| input | format | host | bytes | transfers | SHA-256 | "
	      "warnings |\n"
	      "| --- | --- | --- | ---: | ---: | --- | ---: |\n",
	      out);
	na_for_each (in, list) {
		if (shown++ == NA_MD_INPUTS)
			break;
		put_input(out, in);
	}
	if (list && list->n > NA_MD_INPUTS)
		fprintf(out, "\n%zu more inputs not shown here\n",
			list->n - NA_MD_INPUTS);
}

/* The warnings behind the counts of the table. */
static void put_warnings(FILE *out, const struct na_value *list)
{
	size_t shown = 0, all = 0;

	na_for_each (in, list) {
		const struct na_value *why = na_get(in, M_warnings);

		na_for_each (w, why) {
			if (all++ >= NA_MD_ROWS)
				continue;
			fputs(shown++ ? "- " : "\n- ", out);
			put_text(out, na_text_or(in, M_path, "-"));
			fputs(": ", out);
			put_text(out, na_text_of(w, ""));
			putc('\n', out);
		}
	}
	if (all > shown)
		fprintf(out, "\n%zu more warnings not shown here\n",
			all - shown);
}

static void put_used(FILE *out, const struct na_report_part *p)
{
	const struct na_value *c = na_get(na_result_get_doc(p->result),
					  M_coverage);
	const struct na_value *why = na_get(c, M_left_out);
	char n[NA_UNIT_BUF], reason[NA_UNIT_BUF];

	if (!c)
		return;
	fprintf(out, "| %s | %s |", p->name,
		na_print_count(n, (uint64_t)na_count_at(c, M_used)));
	if (!why || !why->n)
		fputs(" none", out);
	na_for_each (v, why) {
		fprintf(out, " %s ",
			na_print_count(n, (uint64_t)na_int_of(v, 0)));
		put_text(out,
			 na_print_words(reason, sizeof(reason), v->name));
		fputs(v->next ? "," : "", out);
	}
	fputs(" |\n", out);
}

static void put_coverage(FILE *out, const struct na_report *r)
{
	const struct na_value *inputs = na_get(na_result_get_doc(r->check),
					       M_inputs);

	fputs("\n## What was read\n", out);
	put_inputs(out, inputs);
	put_warnings(out, inputs);
	fputs("\n| analysis | used | left out |\n| --- | ---: | --- |\n", out);
	for (size_t i = 0; i < r->n_parts; i++)
		put_used(out, &r->parts[i]);
	na_md_notes(r->check, out);
}

static void put_part(FILE *out, const struct na_report *r,
		     const struct na_report_part *p)
{
	bool above = na_report_shown_at(r, p) >= 0;
	const struct na_view *table = above ? na_report_table(p) : NULL;

	fprintf(out, "\n## %s: ", p->name);
	put_text(out, p->question);
	fputs("\n\n", out);
	put_text(out, na_result_get_headline(p->result));
	putc('\n', out);
	if (above)
		fputs(p->png ? "\nIts figure stands under the finding that it "
			       "decides.\n"
			     : "\nIts table stands under the finding that it "
			       "decides.\n",
		      out);
	else
		put_picture(out, p);
	for (const struct na_view *v = na_result_views(p->result); v;
	     v = v->next) {
		if (v == table)
			continue;
		putc('\n', out);
		na_md_view(v, "###", NA_MD_ROWS, out);
	}
	na_md_notes(p->result, out);
	put_command(out, p->png ? "Figure and data again:" : "Data again:",
		    p->command);
}

static void put_missing(FILE *out, const struct na_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_parts; i++) {
		const struct na_report_part *p = &r->parts[i];

		if (p->result)
			continue;
		if (!n++)
			fputs("\n## Not run\n\n", out);
		fprintf(out, "- %s (", p->name);
		put_text(out, p->question);
		fputs("): ", out);
		put_text(out, p->missing);
		putc('\n', out);
	}
}

enum na_status na_report_md(const struct na_report *r, FILE *out,
			    struct na_err *err)
{
	fputs(NA_REPORT_MARK "\n", out);
	put_title(out, r);
	put_trace(out, r->trace);
	put_check(out, r);
	put_coverage(out, r);
	for (size_t i = 0; i < r->n_parts; i++) {
		if (r->parts[i].result)
			put_part(out, r, &r->parts[i]);
	}
	put_missing(out, r);
	fprintf(out, "\nMade by netan %s.\n", r->version);
	return na_emit_done(out, err);
}
