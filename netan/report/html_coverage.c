/* What was read, what was used, and what was left out and why. */
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/report/html_impl.h"

static void put_input(FILE *out, const struct na_value *in)
{
	const struct na_value *bytes = na_get(in, M_bytes);
	const struct na_value *why = na_get(in, M_warnings);
	char size[NA_UNIT_BUF];

	fputs("<tr><th scope=\"row\">", out);
	na_html_text(out, na_text_or(in, M_path, "-"));
	fputs("</th><td>", out);
	na_html_text(out, na_text_or(in, M_format, "not readable"));
	fputs("</td><td>", out);
	na_html_text(out, na_text_or(in, M_host, "-"));
	if (bytes && bytes->kind == NA_V_INT)
		fprintf(out,
			"</td><td class=\"n\" data-value=\"%lld\">%s</td>"
			"<td class=\"n\">",
			(long long)bytes->u.i,
			na_print_count(size, (uint64_t)bytes->u.i));
	else
		fputs("</td><td class=\"n\">-</td><td class=\"n\">", out);
	na_html_text(out,
		     na_print_count(size,
				    (uint64_t)na_count_at(in, M_transfers)));
	fputs("</td><td class=\"hash\"><code>", out);
	na_html_text(out, na_text_or(in, M_sha256, "-"));
	fputs("</code></td><td>", out);
	if (!why || !why->n)
		fputs("none", out);
	na_for_each (w, why) {
		na_html_text(out, na_text_of(w, ""));
		fputs(w->next ? "<br>" : "", out);
	}
	fputs("</td></tr>\n", out);
}

static void put_inputs(FILE *out, const struct na_value *inputs, bool *failed)
{
	static const char head[] =
		"<thead><tr>"
		"<th scope=\"col\">name</th><th scope=\"col\">format</th>"
		"<th scope=\"col\">host</th>"
		"<th scope=\"col\" class=\"n\">bytes</th>"
		"<th scope=\"col\" class=\"n\">transfers</th>"
		"<th scope=\"col\">SHA-256</th>"
		"<th scope=\"col\">warnings</th></tr></thead>\n<tbody>\n";
	size_t room = NA_INPUTS_BYTES;
	struct na_run run;

	na_html_begin_table(out, "sortable inputs", "Inputs");
	fputs(head, out);
	na_run_begin(&run, &room, failed);
	for (const struct na_value *in = na_items(inputs); in && run.out;
	     in = in->next) {
		if (!run.dropped)
			put_input(run.out, in);
		na_run_piece(&run);
	}
	na_run_end(&run, out);
	fputs("</tbody>\n</table>\n</div>\n", out);
	na_html_more(out, run.dropped, "input", "");
}

static int64_t left_out_of(const struct na_value *coverage)
{
	int64_t sum = 0;

	na_for_each (v, na_get(coverage, M_left_out))
		if (!na_add_i64(sum, na_int_of(v, 0), &sum))
			return NA_TIME_MAX;
	return sum;
}

static void put_reasons(FILE *out, const struct na_value *coverage)
{
	const struct na_value *reasons = na_get(coverage, M_left_out);
	char count[NA_UNIT_BUF], reason[NA_UNIT_BUF];

	if (!reasons || !reasons->n)
		fputs("nothing", out);
	na_for_each (v, reasons) {
		fprintf(out, "%s ",
			na_print_count(count, (uint64_t)na_int_of(v, 0)));
		na_html_text(out,
			     na_print_words(reason, sizeof(reason), v->name));
		fputs(v->next ? ", " : "", out);
	}
}

static void put_count(FILE *out, int64_t n)
{
	char count[NA_UNIT_BUF];

	fprintf(out, "<td class=\"n\" data-value=\"%lld\">%s</td>",
		(long long)n, na_print_count(count, (uint64_t)n));
}

/* A row for each analysis: each leaves out what it cannot use. */
static void put_used(FILE *out, const struct na_report *r)
{
	na_html_begin_table(out, "sortable", "Used and left out");
	fputs("<thead><tr>"
	      "<th scope=\"col\">analysis</th>"
	      "<th scope=\"col\" class=\"n\">events read</th>"
	      "<th scope=\"col\" class=\"n\">used</th>"
	      "<th scope=\"col\" class=\"n\">left out</th>"
	      "<th scope=\"col\">why</th></tr></thead>\n<tbody>\n",
	      out);
	for (size_t i = 0; i < r->n_parts; i++) {
		const struct na_report_part *p = &r->parts[i];
		const struct na_value *c = na_get(na_result_get_doc(p->result),
						  M_coverage);

		if (!c)
			continue;
		fputs("<tr><th scope=\"row\">", out);
		na_html_text(out, p->name);
		fputs("</th>", out);
		put_count(out, na_count_at(c, M_events));
		put_count(out, na_count_at(c, M_used));
		put_count(out, left_out_of(c));
		fputs("<td>", out);
		put_reasons(out, c);
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody>\n</table>\n</div>\n", out);
}

static void put_unknown(FILE *out, const struct na_value *coverage)
{
	const struct na_value *names = na_get(coverage, M_unknown_names);
	size_t shown = 0;

	if (!names || !names->n)
		return;
	fputs("<p>Event names that were not understood: ", out);
	na_for_each (v, names) {
		if (shown++ == 20)
			break;
		fputs(shown > 1 ? ", <code>" : "<code>", out);
		na_html_line(out, na_text_of(v, ""));
		fputs("</code>", out);
	}
	if (names->n > 20)
		fprintf(out, " and %zu more", names->n - 20);
	fputs("</p>\n", out);
}

void na_html_coverage(FILE *out, const struct na_report *r, bool *failed)
{
	const struct na_value *doc = na_result_get_doc(r->check);
	size_t room = NA_PART_BYTES;

	fputs("<section id=\"coverage\">\n<h2>What was read</h2>\n", out);
	put_inputs(out, na_get(doc, M_inputs), failed);
	put_used(out, r);
	put_unknown(out, na_get(doc, M_coverage));
	na_html_notes(out, r->check, NULL, &room, failed);
	fputs("</section>\n", out);
}
