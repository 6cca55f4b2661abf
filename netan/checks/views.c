/* What a person sees of the findings. */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/checks/verdict.h"
#include "netan/result/emit.h"

enum { IN_A_LINE = 3 }; /* facts: more are a list */

static const char *evidence_of(struct na_case *c, const struct na_finding *f)
{
	bool many = f->facts && f->facts->n > IN_A_LINE;
	const char *text = "";

	na_for_each (v, f->facts)
		text = na_case_say(c, na_fact_evidence_list(
					      text, many, na_text_of(v, "")));
	return text;
}

static const char *when_of(struct na_case *c, const struct na_finding *f)
{
	char from[NA_UNIT_BUF], to[NA_UNIT_BUF];

	if (isnan(f->from_s) || isnan(f->to_s))
		return "";
	return na_case_say(c,
			   na_fact_when(na_print_fixed(from, f->from_s, 3),
					na_print_fixed(to, f->to_s, 3),
					f->window));
}

static const char *sure_of(struct na_case *c, const struct na_finding *f)
{
	return na_case_say(
		c, f->sure ? na_fact_confidence_because(
				     na_confidences[f->confidence], f->sure)
		   : f->confidence == NA_CERTAIN ? na_fact_sure_certain()
		   : f->confidence == NA_LIKELY	 ? na_fact_sure_likely()
						 : na_fact_sure_possible());
}

static const char *cost_of(struct na_case *c, const struct na_finding *f)
{
	double ms = f->cost_ms_per_step;

	/* Of packets, which know no steps: what waits, and whose. */
	if (f->lost_s > 0 && *f->of && !(f->cost_ms_per_step > 0))
		return na_case_say(
			c, na_fact_costs_with_owner(f->lost_s, f->of));
	/* The median step may not show it. */
	if (!(ms > 0))
		ms = f->mean_ms;
	if (!(ms > 0))
		return "";
	return na_case_say(
		c, na_fact_costs(f->roughly, ms / NA_MS_PER_S,
				 !(f->cost_ms_per_step > 0),
				 strcmp(f->roughly, "about ") == 0, f->base));
}

/* How sure it is and when it was seen: a terminal has room for what to do. */
static const char *details_of(struct na_case *c, const struct na_finding *f)
{
	return c->asked->brief
		       ? cost_of(c, f)
		       : na_case_say(c, na_fact_details(sure_of(c, f),
							cost_of(c, f),
							when_of(c, f)));
}

/* Does the verdict begin with this finding? */
static bool is_named(const struct na_case *c, size_t i)
{
	const char *verdict = na_text_at(na_result_get_body(c->r), M_verdict),
		   *culprit = c->findings[i]->culprit;

	return i == 0 && culprit && strstr(verdict, culprit);
}

/* headed: its title is not what the verdict has just said. */
static void put_finding(struct na_case *c, const struct na_finding *f,
			bool headed)
{
	na_result_text(c->r,
		       na_case_say(c, na_fact_finding_heading(
					      na_severity_name(f->severity),
					      f->check->id,
					      headed ? f->title : NULL)),
		       "%s",
		       na_case_say(c, na_fact_finding_body(
					      evidence_of(c, f),
					      details_of(c, f), f->remedy,
					      f->otherwise, f->command,
					      f->picture)));
	na_result_tone(c->r, f->severity);
}

/* Remarks, and how many checks had nothing to say: a line each, of which the
 * first is the heading of the others. */
static void put_short(struct na_case *c, size_t from)
{
	const struct na_value *body = na_result_get_body(c->r);
	const char *title = NULL, *text = "";

	for (size_t i = from; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];
		const char *line = na_case_say(
			c, na_fact_remark_line(f->check->id, f->title));

		text = title ? na_case_text(c, "%s%s\n", text, line) : text;
		title = title ? title : line;
	}
	text = na_case_text(c, "%s%s", text,
			    na_case_say(c, na_fact_checks_summary(
						   (int64_t)na_length(body,
								      M_passed),
						   (int64_t)na_length(
							   body, M_not_run))));
	na_result_text(c->r, title ? title : text, "%s", title ? text : "");
}

/* What a check lacks, in short: without what stands in parentheses, and what an
 * option is. */
static const char *brief(struct na_case *c, const char *missing)
{
	size_t n = strlen(missing);
	const char *end = strstr(missing, " (");

	if (c->asked->verbose)
		return missing;
	if (strncmp(missing, "--", 2) == 0)
		n = strcspn(missing, ":");
	else if (end && strcspn(end, ")") + 1 == strlen(end))
		n = (size_t)(end - missing);
	return na_case_text(c, "%.*s", (int)n, missing);
}

static bool lacks(struct na_case *c, const struct na_value *row,
		  const char *missing)
{
	return strcmp(brief(c, na_text_at(row, M_missing)), missing) == 0;
}

/* Checks that lack the same are told together, where the first stands. */
static const char *not_run(struct na_case *c, const struct na_value *list)
{
	const char *text = "";

	for (const struct na_value *v = list; v; v = v->next) {
		const char *missing = brief(c, na_text_at(v, M_missing));
		const char *ids = "";
		const struct na_value *w = list;

		while (w != v && !lacks(c, w, missing))
			w = w->next;
		if (w != v)
			continue;
		for (; w; w = w->next) {
			if (lacks(c, w, missing))
				ids = na_case_text(c, "%s%s%s", ids,
						   *ids ? ", " : "",
						   na_text_at(w, M_id));
		}
		text = na_case_text(c, "%s%s%s: %s", text, *text ? "\n" : "",
				    ids, missing);
	}
	return text;
}

static void put_rest(struct na_case *c)
{
	const struct na_value *body = na_result_get_body(c->r);
	const struct na_value *passed = na_get(body, M_passed);
	const char *text = not_run(c, na_first(body, M_not_run));

	if (passed && passed->n)
		na_result_text(c->r, na_case_say(c, na_fact_passed_heading()),
			       "%s",
			       na_case_names(c, passed, passed->n));
	if (*text)
		na_result_text(c->r, na_case_say(c, na_fact_skipped_heading()),
			       "%s", text);
}

void na_checks_views(struct na_case *c)
{
	const struct na_value *body = na_result_get_body(c->r);
	size_t n = c->n;

	na_result_headline(c->r, "%s", na_text_at(body, M_verdict));
	/* Findings come in the order of their severity. */
	while (c->asked->brief && n &&
	       c->findings[n - 1]->severity == NA_SEV_INFO)
		n--;
	for (size_t i = 0; i < n; i++)
		put_finding(c, c->findings[i],
			    !c->asked->brief || !is_named(c, i));
	if (c->asked->brief)
		put_short(c, n);
	else
		put_rest(c);
}
