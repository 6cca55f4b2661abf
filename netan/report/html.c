/* The page as a whole: head, contents, sections. */
#include <string.h>

#include "members.h"
#include "netan/base/sha256.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/report/html_impl.h"

static const char *verdict_of(const struct na_report *r)
{
	return na_text_or(na_result_get_body(r->check), M_verdict,
			  "cannot tell");
}

static void put_title(FILE *out, const struct na_report *r)
{
	fputs(r->title ? "" : "Network report: ", out);
	na_html_line(out, r->title ? r->title : r->inputs);
}

/* Nothing may be loaded from anywhere; our own script is named by hash. */
static void put_policy(FILE *out)
{
	char hash[NA_SHA256_BASE64];

	na_sha256_base64(na_page_js, strlen(na_page_js), hash);
	fprintf(out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'unsafe-inline'; "
		"img-src data:; script-src 'sha256-%s'; base-uri 'none'; "
		"form-action 'none'\">\n",
		hash);
}

static void put_head(FILE *out, const struct na_report *r)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n",
	      out);
	put_policy(out);
	fputs("<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<meta name=\"generator\" content=\"netan ",
	      out);
	na_html_text(out, r->version);
	fputs("\">\n<title>", out);
	put_title(out, r);
	fputs("</title>\n<style>\n", out);
	fputs(na_page_css, out);
	if (r->figure_css)
		fputs(r->figure_css, out);
	for (size_t i = 0; i < r->n_parts; i++) {
		if (r->parts[i].figure && r->parts[i].style)
			fputs(r->parts[i].style, out);
	}
	fputs("</style>\n</head>\n", out);
}

/* The worst finding colours the verdict. */
static const char *worst_of(const struct na_report *r)
{
	const struct na_value *list = na_get(na_result_get_body(r->check),
					     M_findings);
	const char *severity = na_text_or(na_items(list), M_severity, "none");

	return strcmp(severity, "error") == 0     ? "error"
	       : strcmp(severity, "warning") == 0 ? "warning"
						  : "fine";
}

/* A name as a relative address: what is no letter or digit is in numbers. */
static void put_address(FILE *out, const char *name)
{
	fputs("./", out);
	for (; *name; name++) {
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			   "0123456789-._~",
			   *name))
			fputc(*name, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*name);
	}
}

static void put_trace(FILE *out, const char *name)
{
	if (!name)
		return;
	fputs("<p class=\"facts\">Beside this page: <a href=\"", out);
	put_address(out, name);
	fputs("\" download>", out);
	na_html_line(out, name);
	fputs("</a>, the course of it all as a trace: open it in "
	      "ui.perfetto.dev.</p>\n",
	      out);
}

static void put_header(FILE *out, const struct na_report *r)
{
	const struct na_value *doc = na_result_get_doc(r->check);
	const struct na_value *origin = na_get(doc, M_origin_unix_ns);
	const struct na_value *list = na_get(na_result_get_body(r->check),
					     M_findings);
	char buf[NA_UNIT_BUF];

	fputs("<header>\n<h1>", out);
	put_title(out, r);
	fprintf(out, "</h1>\n<p class=\"verdict %s\"><strong>", worst_of(r));
	na_html_line(out, verdict_of(r));
	fprintf(out, "</strong> <span>%zu finding%s</span></p>\n",
		list ? list->n : 0, na_plural(list ? list->n : 0));
	fputs("<p class=\"facts\">", out);
	if (origin && origin->kind == NA_V_INT)
		fprintf(out, "Times count from %s. ",
			na_print_utc(buf, origin->u.i));
	fputs("Made by netan ", out);
	na_html_text(out, r->version);
	fputs("; nothing on this page is loaded from anywhere.</p>\n", out);
	put_trace(out, r->trace);
	na_html_command(out, "This page again:", r->command);
	fputs("</header>\n", out);
}

static void put_contents(FILE *out, const struct na_report *r)
{
	fputs("<nav aria-label=\"Contents\">\n<ul>\n"
	      "<li><a href=\"#findings\">Findings</a></li>\n"
	      "<li><a href=\"#coverage\">What was read</a></li>\n",
	      out);
	for (size_t i = 0; i < r->n_parts; i++) {
		if (r->parts[i].result)
			fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n",
				r->parts[i].name, r->parts[i].name);
	}
	fputs("<li><a href=\"#missing\">Not run</a></li>\n</ul>\n</nav>\n",
	      out);
}

/* What the inputs had nothing for. */
static void put_missing(FILE *out, const struct na_report *r)
{
	size_t n = 0;

	fputs("<section id=\"missing\">\n<h2>Not run</h2>\n", out);
	for (size_t i = 0; i < r->n_parts; i++) {
		const struct na_report_part *p = &r->parts[i];

		if (p->result)
			continue;
		fputs(n++ ? "<li><code>" : "<ul>\n<li><code>", out);
		na_html_text(out, p->name);
		fputs("</code> (", out);
		na_html_text(out, p->question);
		fputs("): ", out);
		na_html_line(out, p->missing);
		fputs("</li>\n", out);
	}
	fputs(n ? "</ul>\n" : "<p>Every analysis found what it needs.</p>\n",
	      out);
	fputs("</section>\n", out);
}

static void put_body(FILE *out, const struct na_report *r, bool *failed)
{
	fputs("<body>\n<a class=\"skip\" href=\"#findings\">Skip to the "
	      "findings</a>\n",
	      out);
	put_header(out, r);
	put_contents(out, r);
	fputs("<main>\n", out);
	na_html_findings(out, r, failed);
	fputs("<h2 id=\"appendix\">Appendix: what was read, and all that each "
	      "analysis found</h2>\n",
	      out);
	na_html_coverage(out, r, failed);
	for (size_t i = 0; i < r->n_parts; i++) {
		if (r->parts[i].result)
			na_html_part(out, r, &r->parts[i], failed);
	}
	put_missing(out, r);
	fputs("</main>\n<script>", out);
	fputs(na_page_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
}

enum na_status na_report_html(const struct na_report *r, FILE *out,
			      struct na_err *err)
{
	bool failed = false;

	put_head(out, r);
	put_body(out, r, &failed);
	if (failed)
		return na_fail_nomem(err);
	return na_emit_done(out, err);
}
