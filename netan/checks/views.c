/* What a person sees of the findings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/checks/look.h"
#include "netan/result/emit.h"

enum { SHOWN = 5 };

/* Units of names, and how they read. */
/* clang-format off */
static const struct unit {
	const char *suffix, *unit;
	double scale;
} units[] = {
	{"_share", " %", 100},
	{"_gbps", " Gbit/s", 1},
	{"_us", " us", 1},
	{"_ms", " ms", 1},
	{"_s", " s", 1},
};
/* clang-format on */

static const struct unit *unit_of(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t k = strlen(units[i].suffix);

		if (n > k && strcmp(name + n - k, units[i].suffix) == 0)
			return &units[i];
	}
	return NULL;
}

/* "total_stall_s" as "total stall". */
static const char *words_of(struct na_case *c, const char *name,
			    const struct unit *unit)
{
	size_t n = strlen(name) - (unit ? strlen(unit->suffix) : 0);
	char text[64];

	if (unit && unit->scale == 100)
		n += strlen(" share");
	snprintf(text, sizeof(text), "%.*s", (int)(n < 63 ? n : 63), name);
	for (char *p = text; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return na_case_text(c, "%s", text);
}

static const char *number(struct na_case *c, const struct na_value *v)
{
	const struct unit *unit = unit_of(v->name);
	double x = na_real_of(v, NAN) * (unit ? unit->scale : 1);
	char buf[NA_UNIT_BUF];

	if (v->kind == NA_V_INT && !unit && v->u.i >= 0)
		return na_case_text(c, "%s %s", words_of(c, v->name, NULL),
				    na_print_count(buf, (uint64_t)v->u.i));
	return na_case_text(c, "%s %s%s", words_of(c, v->name, unit),
			    na_print_number(buf, x, 3), unit ? unit->unit : "");
}

/* A list of texts in a line; lists of objects are for JSON. */
static const char *one(struct na_case *c, const struct na_value *v)
{
	switch (v->kind) {
	case NA_V_INT:
	case NA_V_REAL:
		return number(c, v);
	case NA_V_TEXT:
		return na_case_text(c, "%s %s", words_of(c, v->name, NULL),
				    v->u.text);
	case NA_V_LIST:
		if (v->n && v->u.of.first->kind == NA_V_TEXT)
			return na_case_text(c, "%s %s",
					    words_of(c, v->name, NULL),
					    na_case_names(c, v, NULL, SHOWN));
		return NULL;
	default:
		return NULL;
	}
}

static const char *evidence_of(struct na_case *c, const struct na_finding *f)
{
	const char *text = "";

	for (const struct na_value *v = f->evidence ? f->evidence->u.of.first
						    : NULL;
	     v; v = v->next) {
		const char *part = one(c, v);

		if (part)
			text = na_case_text(c, "%s%s%s", text,
					    *text ? ", " : "", part);
	}
	return text;
}

/* clang-format off */
static const char *const severities[] = {
	[NA_FINDING_INFO] = "info",
	[NA_FINDING_WARNING] = "warning",
	[NA_FINDING_ERROR] = "error",
};
static const char *const sure[] = {
	[NA_CERTAIN] = "certain: counted",
	[NA_LIKELY] = "likely: a test rejects chance, or two sources agree",
	[NA_POSSIBLE] = "possible: it fits, and so may other causes",
};
static const enum na_tone tones[] = {
	[NA_FINDING_INFO] = NA_TONE_INFO,
	[NA_FINDING_WARNING] = NA_TONE_WARNING,
	[NA_FINDING_ERROR] = NA_TONE_ERROR,
};
/* clang-format on */

static const char *when_of(struct na_case *c, const struct na_finding *f)
{
	char from[NA_UNIT_BUF], to[NA_UNIT_BUF];

	if (isnan(f->from_s) || isnan(f->to_s))
		return "";
	return na_case_text(c, "When: %s s to %s s\n",
			    na_print_fixed(from, f->from_s, 3),
			    na_print_fixed(to, f->to_s, 3));
}

static void put_finding(struct na_case *c, const struct na_finding *f)
{
	na_result_text(c->r,
		       na_case_text(c, "%s %s: %s", severities[f->severity],
				    f->check->id, f->title),
		       "Evidence: %s\nSure: %s\n%sDo: %s\nMore: %s",
		       evidence_of(c, f), sure[f->confidence], when_of(c, f),
		       f->remedy, f->command);
	na_result_tone(c->r, tones[f->severity]);
}

static void put_rest(struct na_case *c)
{
	const struct na_value *body = na_result_get_body(c->r);
	const struct na_value *passed = na_get(body, "passed");
	const char *text = "";

	if (passed && passed->n)
		na_result_text(c->r, "passed", "%s",
			       na_case_names(c, passed, NULL, passed->n));
	for (const struct na_value *v = na_first(body, "not_run"); v;
	     v = v->next)
		text = na_case_text(c, "%s%s%s needs %s", text,
				    *text ? "\n" : "", na_text_at(v, "id"),
				    na_text_at(v, "missing"));
	if (*text)
		na_result_text(c->r, "could not run", "%s", text);
}

void na_checks_views(struct na_case *c)
{
	const struct na_value *body = na_result_get_body(c->r);

	na_result_headline(c->r, "%s", na_text_at(body, "verdict"));
	for (size_t i = 0; i < c->n; i++)
		put_finding(c, c->findings[i]);
	put_rest(c);
}
