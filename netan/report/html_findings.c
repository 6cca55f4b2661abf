/* What is wrong: verdict, findings, what was looked at without one. */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/report/decides.h"
#include "netan/report/html_impl.h"
#include "netan/result/plain.h"

static void put_name(FILE *out, const char *name)
{
	char buf[NA_PLAIN_BUF];

	na_html_text(out, na_plain_name(buf, name));
}

static void put_value(FILE *out, const struct na_value *v)
{
	static const struct na_column text = {"v", "v", NA_F_TEXT, 0, 0};
	struct na_value row = {.kind = NA_V_OBJECT, .n = 1}, member = *v;
	char buf[NA_CELL_BUF], plain[NA_PLAIN_BUF];

	if (v->kind == NA_V_REAL || v->kind == NA_V_INT) {
		na_html_text(out, na_plain_number(plain, v));
		return;
	}
	member.name = "v";
	member.next = NULL;
	row.u.of.first = row.u.of.last = &member;
	na_html_text(out, na_cell_text(&text, &row, buf));
}

static bool is_scalar(const struct na_value *v)
{
	return !na_is_container(v) && v->kind != NA_V_ROWS &&
	       v->kind != NA_V_REALS;
}

/* What a check could not tell says nothing to a reader. */
static bool is_told(const struct na_value *v)
{
	return v->kind != NA_V_NULL && !(na_is_container(v) && !v->n) &&
	       !(v->kind == NA_V_REAL && !isfinite(v->u.d));
}

/* Fits on one line: nothing inside but scalars. */
static bool is_flat(const struct na_value *v)
{
	if (!na_is_container(v))
		return is_scalar(v);
	na_for_each (m, v)
		if (!is_scalar(m))
			return false;
	return true;
}

/* A list or an object tells by its first ones. */
enum { SHOWN_REALS = 8, SHOWN_IN_LINE = 24, SHOWN_OBJECTS = 5 };

static void put_reals(FILE *out, const struct na_value *v)
{
	char buf[NA_PLAIN_BUF];
	size_t n;
	const double *x = na_reals_of(v, &n);

	for (size_t i = 0; i < n && i < SHOWN_REALS; i++) {
		fputs(i ? ", " : "", out);
		na_html_text(out, na_plain_real(buf, v->name, x[i]));
	}
	if (n > SHOWN_REALS)
		fprintf(out, " and %zu more", n - SHOWN_REALS);
}

/* "kind src, host host-1" */
static void put_flat(FILE *out, const struct na_value *v)
{
	size_t shown = 0;

	if (!na_is_container(v)) {
		put_value(out, v);
		return;
	}
	na_for_each (m, v) {
		if (!is_told(m))
			continue;
		if (shown == SHOWN_IN_LINE) {
			fprintf(out, " and %zu more", v->n - SHOWN_IN_LINE);
			return;
		}
		fputs(shown++ ? ", " : "", out);
		put_name(out, m->name);
		fputs(m->name ? " " : "", out);
		put_value(out, m);
	}
}

static void put_evidence(FILE *out, const struct na_value *v, int depth);

static void put_member(FILE *out, const struct na_value *v, int depth)
{
	fputs("<li>", out);
	put_name(out, v->name);
	fputs(v->name ? ": " : "", out);
	if (v->kind == NA_V_REALS)
		put_reals(out, v);
	else if (is_flat(v))
		put_flat(out, v);
	else if (depth < 3 && na_is_container(v))
		put_evidence(out, v, depth + 1);
	else
		fprintf(out, "%zu rows", v->n);
	fputs("</li>\n", out);
}

static void put_evidence(FILE *out, const struct na_value *v, int depth)
{
	size_t shown = 0;

	if (!v || !na_is_container(v) || !v->u.of.first)
		return;
	fputs("<ul class=\"evidence\">\n", out);
	na_for_each (m, v) {
		if (v->kind == NA_V_LIST && shown++ == SHOWN_OBJECTS) {
			fprintf(out, "<li>and %zu more</li>\n",
				v->n - SHOWN_OBJECTS);
			break;
		}
		if (is_told(m))
			put_member(out, m, depth);
	}
	fputs("</ul>\n", out);
}

static void put_instant(FILE *out, const char *label, double s)
{
	char buf[NA_UNIT_BUF];

	if (isfinite(s))
		fprintf(out, "%s %s s", label, na_print_fixed(buf, s, 3));
}

static void put_cost(FILE *out, const struct na_value *f)
{
	double step_s = na_number_at(f, M_cost_ms_per_step) / NA_MS_PER_S;
	double lost_s = na_number_at(f, M_lost_s);
	const char *is = na_text_or(f, M_cost_is, "");
	char buf[NA_UNIT_BUF];

	if (step_s > 0 && step_s < 1e6)
		fprintf(out, "; costs %s%s%s of each step", is, *is ? " " : "",
			na_print_time(buf, na_ps_of_s(step_s), 3));
	else if (isfinite(lost_s) && fabs(lost_s) < 1e6)
		fprintf(out, "; time lost %s",
			na_print_time(buf, na_ps_of_s(lost_s), 3));
}

static void put_texts(FILE *out, const struct na_value *list)
{
	if (!list || !list->n)
		return;
	fputs("<ul class=\"evidence\">\n", out);
	na_for_each (v, list) {
		fputs("<li>", out);
		na_html_text(out, na_text_of(v, ""));
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

static void put_words(FILE *out, const char *class, const char *head,
		      const char *text)
{
	if (!text)
		return;
	fprintf(out, "<p class=\"%s\"><strong>%s</strong> ", class, head);
	na_html_sentence(out, text);
	fputs("</p>\n", out);
}

static void put_sure(FILE *out, const struct na_value *f)
{
	static const struct {
		const char *word, *means;
	} sure[] = {
		{"certain", "counted: the data says so"},
		{"likely", "a test rejects chance, or two sources agree"},
		{"possible", "it fits; other causes fit as well"},
	};
	const char *word = na_text_at(f, M_confidence);

	fputs("<p class=\"sure\">How sure: ", out);
	na_html_text(out, word);
	for (size_t i = 0; i < NA_LEN(sure); i++) {
		if (strcmp(sure[i].word, word) != 0)
			continue;
		fputs(" (", out);
		na_html_text(out, na_text_or(f, M_sure, sure[i].means));
		fputs(")", out);
	}
	put_instant(out, "; from", na_number_at(f, M_from_s));
	put_instant(out, " to", na_number_at(f, M_to_s));
	put_cost(out, f);
	fputs("</p>\n", out);
}

/* The class of a severity that a check can give; its word is shown too. */
static const char *severity_class(const char *severity)
{
	return strcmp(severity, "error") == 0     ? "error"
	       : strcmp(severity, "warning") == 0 ? "warning"
						  : "info";
}

static void put_finding(FILE *out, const struct na_value *f)
{
	const char *severity = na_text_at(f, M_severity);

	fprintf(out, "<article class=\"finding %s\">\n<h3><span class=\"sev\">",
		severity_class(severity));
	na_html_text(out, severity);
	fputs("</span> ", out);
	na_html_text(out, na_text_at(f, M_title));
	fputs("</h3>\n<p class=\"id\">check <code>", out);
	na_html_text(out, na_text_at(f, M_id));
	if (na_text_or(f, M_also, NULL)) {
		fputs("</code> and <code>", out);
		na_html_text(out, na_text_at(f, M_also));
	}
	fputs("</code></p>\n", out);
	put_texts(out, na_get(f, M_evidence_text));
	put_sure(out, f);
	put_words(out, "remedy", "What to do:", na_text_or(f, M_remedy, NULL));
	put_words(out, "sure",
		  "What else it could be:", na_text_or(f, M_otherwise, NULL));
	na_html_command(out, "More:", na_text_or(f, M_command, NULL));
	na_html_command(out, "Draw:", na_text_or(f, M_picture, NULL));
	if (na_get(f, M_evidence) && na_get(f, M_evidence)->n) {
		fputs("<details><summary>All numbers</summary>\n", out);
		put_evidence(out, na_get(f, M_evidence), 0);
		fputs("</details>\n", out);
	}
	fputs("</article>\n", out);
}

static void put_passed(FILE *out, const struct na_value *passed)
{
	const char *comma = "";

	if (!passed || !passed->n)
		return;
	fputs("<h3>Checked, and nothing found</h3>\n<p>", out);
	na_for_each (v, passed) {
		fputs(comma, out);
		fputs("<code>", out);
		na_html_text(out, na_text_of(v, ""));
		fputs("</code>", out);
		comma = ", ";
	}
	fputs("</p>\n", out);
}

static const char *missing_of(const struct na_value *row)
{
	return na_text_at(row, M_missing);
}

/* Checks that lack the same are told together, where the first stands. */
static void put_alike(FILE *out, const struct na_value *first)
{
	const char *missing = missing_of(first), *comma = "";

	fputs("<li>", out);
	for (const struct na_value *v = first; v; v = v->next) {
		if (strcmp(missing_of(v), missing) != 0)
			continue;
		fprintf(out, "%s<code>", comma);
		na_html_line(out, na_text_at(v, M_id));
		fputs("</code>", out);
		comma = ", ";
	}
	fputs(": ", out);
	na_html_line(out, missing);
	fputs("</li>\n", out);
}

static void put_not_run(FILE *out, const struct na_value *rows)
{
	if (!rows || !rows->n)
		return;
	fputs("<h3>Could not be checked, and what that takes</h3>\n<ul>\n",
	      out);
	na_for_each (v, rows) {
		const struct na_value *w = rows->u.of.first;

		while (w != v && strcmp(missing_of(w), missing_of(v)) != 0)
			w = w->next;
		if (w == v)
			put_alike(out, v);
	}
	fputs("</ul>\n", out);
}

void na_html_findings(FILE *out, const struct na_report *r, bool *failed)
{
	const struct na_value *body = na_result_get_body(r->check);
	const struct na_value *list = na_get(body, M_findings);
	size_t room = NA_FINDINGS_BYTES, dropped = 0;
	struct na_run run;
	int at = 0;

	fputs("<section id=\"findings\">\n<h2>Findings</h2>\n", out);
	if (!list || !list->n)
		fputs("<p>No check found anything wrong.</p>\n", out);
	na_for_each (f, list) {
		na_run_begin(&run, &room, failed);
		if (run.out && !dropped) {
			put_finding(run.out, f);
			na_run_piece(&run);
		}
		dropped += dropped || run.dropped;
		na_run_end(&run, out);
		if (!dropped || at < NA_DECIDED_MAX)
			na_html_deciding(out, r, at, f, failed);
		at++;
	}
	na_html_more(out, dropped, "finding", ": netan check lists them");
	put_passed(out, na_get(body, M_passed));
	put_not_run(out, na_get(body, M_not_run));
	fputs("</section>\n", out);
}
