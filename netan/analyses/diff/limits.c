/*
 * diff: --fail-if, a change that is not to be.
 *
 *   METRIC '>' ['+'] N '%'   B more than N % above A (or '<' '-' N '%')
 *   METRIC '>' VALUE [UNIT]  B above VALUE
 *
 * Met where the whole interval lies beyond, not met where none of it does.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/diff/state.h"
#include "netan/base/similar.h"

const char *na_diff_name(char buf[DIFF_NAME_BUF], enum diff_what what,
			 size_t row)
{
	snprintf(buf, DIFF_NAME_BUF, "%s.%s", na_diff_kinds[what].name,
		 na_diff_row_names[row]);
	return buf;
}

/* "p99.9" is "p99_9". */
static bool same_name(const char *typed, size_t n, const char *name)
{
	if (strlen(name) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (typed[i] != name[i] && !(typed[i] == '.' && name[i] == '_'))
			return false;
	}
	return true;
}

static bool find_metric(const char *typed, size_t n, struct diff_limit *l)
{
	char name[DIFF_NAME_BUF];

	for (enum diff_what m = 0; m < DIFF_WHATS; m++) {
		for (size_t k = 0; k < DIFF_ROWS; k++) {
			if (!same_name(typed, n, na_diff_name(name, m, k)))
				continue;
			l->what = m;
			l->row = k;
			return true;
		}
	}
	return false;
}

static enum na_status unknown_metric(const char *text, size_t n,
				     struct na_err *err)
{
	char best[DIFF_NAME_BUF] = "", name[DIFF_NAME_BUF];
	size_t least = SIZE_MAX;

	for (enum diff_what m = 0; m < DIFF_WHATS; m++) {
		for (size_t k = 0; k < DIFF_ROWS; k++) {
			size_t d;

			na_diff_name(name, m, k);
			d = na_edit_distance(text, n, name, strlen(name));
			if (d < least) {
				least = d;
				memcpy(best, name, sizeof(best));
			}
		}
	}
	return na_fail(err, NA_EUSAGE,
		       "--fail-if %.60s: at character 1: there is no metric "
		       "'%.*s'; did you mean %s?",
		       text, n < 40 ? (int)n : 40, text, best);
}

static enum na_status wrong(const char *text, const char *at, const char *want,
			    struct na_err *err)
{
	return na_fail(err, NA_EUSAGE, "--fail-if %.60s: at character %zu: %s",
		       text, (size_t)(at - text) + 1, want);
}

/* What stands behind a value, in the unit of the metric. */
static bool unit_of(const char *unit, enum diff_what what, double *factor)
{
	static const struct {
		const char *unit, *name;
		double factor;
	} units[] = {
		{"us", "ns", 1e-3},       {"us", "us", 1},
		{"us", "ms", 1e3},        {"us", "s", 1e6},
		{"ms", "us", 1e-3},       {"ms", "ms", 1},
		{"ms", "s", 1e3},         {"bytes", "B", 1},
		{"bytes", "KiB", 1024},   {"bytes", "MiB", 1048576},
		{"bytes", "GiB", 0x1p30}, {"bytes", "kB", 1e3},
		{"bytes", "MB", 1e6},     {"bytes", "GB", 1e9},
		{"gbps", "Gbps", 1},      {"gbps", "Mbps", 1e-3},
		{"gbps", "Gbit/s", 1},    {"gbps", "Mbit/s", 1e-3},
		{"gbps", "gbps", 1},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(units[i].unit, na_diff_kinds[what].unit) == 0 &&
		    strcmp(units[i].name, unit) == 0) {
			*factor = units[i].factor;
			return true;
		}
	}
	return false;
}

/* Digits and one point; never what strtod() knows beside that. */
static bool number(const char **p, double *out)
{
	double value = 0, place = 1;
	bool any = false;

	for (; **p >= '0' && **p <= '9'; ++*p, any = true)
		value = value * 10 + (**p - '0');
	if (**p == '.') {
		for (++*p; **p >= '0' && **p <= '9'; ++*p, any = true) {
			place /= 10;
			value += place * (**p - '0');
		}
	}
	*out = value;
	return any && value < 1e18;
}

enum na_status na_diff_limit_parse(const char *text, struct diff_limit *l,
				   struct na_err *err)
{
	size_t n = strcspn(text, "<>"), lead = strspn(text, " ");
	const char *p = text + n;
	char sign = 0;
	double factor;

	*l = (struct diff_limit){.text = text};
	if (!*p)
		return wrong(text, p, "wanted > or <, as in latency.p99>+10%",
			     err);
	while (n > lead && text[n - 1] == ' ')
		n--;
	if (n <= lead || !find_metric(text + lead, n - lead, l))
		return unknown_metric(text, n, err);
	l->above = *p++ == '>';
	p += strspn(p, " ");
	if (*p == '+' || *p == '-')
		sign = *p++;
	if (!number(&p, &l->value))
		return wrong(text, p, "wanted a number", err);
	if (*p == '%') {
		if (p[1])
			return wrong(text, p + 1, "nothing follows the %", err);
		l->relative = true;
		l->value = 1 + (sign == '-' ? -1 : 1) * l->value / 100;
		if (sign)
			return NA_OK;
		return wrong(text, text + n + 1,
			     "wanted the sign of the change, as in >+10% or "
			     "<-10%",
			     err);
	}
	if (!unit_of(p, l->what, &factor)) {
		char want[96];

		snprintf(want, sizeof(want),
			 "wanted %% or a unit of %s, such as %s",
			 na_diff_kinds[l->what].name,
			 l->what == DIFF_THROUGHPUT ? "Gbps"
			 : l->what == DIFF_SIZES    ? "KiB"
						    : "ms");
		return wrong(text, p, want, err);
	}
	l->value *= factor * (sign == '-' ? -1 : 1);
	return NA_OK;
}

enum na_status na_diff_check(const void *params, struct na_err *err)
{
	const struct diff_params *p = params;
	struct diff_limit l;

	for (size_t i = 0; i < p->fail_if.n; i++) {
		if (na_diff_limit_parse(p->fail_if.items[i], &l, err) != NA_OK)
			return err->status;
	}
	return NA_OK;
}

enum diff_met na_diff_limit_met(const struct diff_state *s,
				const struct diff_limit *l, char *why,
				size_t size)
{
	const struct diff_metric *m = &s->metrics[l->what];
	const struct diff_row *row = &m->rows[l->row];
	const double *ci = row->of[l->relative ? DIFF_RATIO : DIFF_ALONE].ci;
	double at = l->relative ? row->ratio : row->b;
	bool beyond, none;

	if (!m->compared || isnan(row->p)) {
		snprintf(why, size, "%s",
			 m->compared ? "too few values to judge this one"
				     : "one of the runs has nothing to measure "
				       "it by");
		return DIFF_UNDECIDED;
	}
	if (l->relative && na_diff_is_unlike(s)) {
		snprintf(why, size, "the runs do not show the same work");
		return DIFF_UNDECIDED;
	}
	if (isnan(ci[0])) {
		snprintf(why, size, "there is no %s: values are not above 0",
			 l->relative ? "ratio" : "interval");
		return DIFF_UNDECIDED;
	}
	beyond = l->above ? ci[0] > l->value : ci[1] < l->value;
	none = l->above ? ci[1] <= l->value : ci[0] >= l->value;
	snprintf(why, size, "%s %.4g, interval %.4g to %.4g, limit %.4g%s%s",
		 l->relative ? "ratio" : s->labels[DIFF_B], at, ci[0], ci[1],
		 l->value, l->relative ? "" : " ",
		 l->relative ? "" : na_diff_kinds[l->what].unit);
	return beyond ? DIFF_MET : none ? DIFF_NOT_MET : DIFF_UNDECIDED;
}
