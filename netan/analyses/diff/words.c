/* diff: the finding in a sentence. */
#include <math.h>
#include <stdio.h>

#include "netan/analyses/diff/state.h"
#include "netan/base/str.h"

/* The row that says most of a metric: the median, else the mean, else p99,
 * else the first that changed. */
static const struct diff_row *telling(const struct diff_metric *m, size_t *at)
{
	static const size_t order[] = {DIFF_P50, DIFF_MEAN, DIFF_P99};

	for (size_t i = 0; i < 3; i++) {
		*at = order[i];
		if (m->rows[*at].verdict == m->verdict)
			return &m->rows[*at];
	}
	for (*at = 0; *at < DIFF_ROWS; ++*at) {
		if (m->rows[*at].verdict > DIFF_SAME)
			return &m->rows[*at];
	}
	*at = DIFF_P50;
	return &m->rows[DIFF_P50];
}

/* Percent reads well for what is a fraction of it, a factor for more. */
enum { FACTOR_FROM = 3 };
#define FACTOR_BELOW 0.05

bool na_diff_factor(double ratio)
{
	return ratio >= FACTOR_FROM || ratio < FACTOR_BELOW;
}

const char *na_diff_print_ratio(char *buf, double ratio, int digits,
				bool factor)
{
	double x = factor ? ratio : (ratio - 1) * 100;
	char n[NA_UNIT_BUF];

	if (!factor && fabs(x) < 1 && x != 0)
		na_print_fixed(n, x, 2);
	else
		na_print_number(n, x, digits);
	if (isfinite(x))
		snprintf(buf, NA_UNIT_BUF, "%s%.40s%s",
			 factor || n[0] == '-' ? "" : "+", n,
			 factor ? "x" : " %");
	else
		snprintf(buf, NA_UNIT_BUF, "-");
	return buf;
}

const char *na_diff_print_change(char *buf, double ratio, int digits)
{
	return na_diff_print_ratio(buf, ratio, digits, na_diff_factor(ratio));
}

bool na_diff_telling(const struct diff_row *row)
{
	const double *ci = row->of[DIFF_RATIO].ci;

	return ci[1] <= ci[0] * DIFF_SPREAD;
}

static void say_metric(struct na_str *to, const struct diff_metric *m,
		       const struct diff_kind *kind)
{
	size_t at;
	const struct diff_row *row = telling(m, &at);
	bool mix = m->verdict == DIFF_MIX && kind->better != DIFF_NEITHER;
	char n[NA_UNIT_BUF];

	na_str_join(to, ", ", "%s %s ", kind->name, na_diff_row_names[at]);
	if (isfinite(row->ratio))
		na_str_addf(to, "%s%s", na_diff_print_change(n, row->ratio, 3),
			    mix ? " (mix)" : "");
	else
		na_str_addf(to, "%s", na_diff_verdicts[m->verdict]);
}

/* The host, else the pair, else the collective that changed most; they are by
 * kind, and the slowest first. */
static const struct diff_change *most_changed(const struct diff_state *s)
{
	const struct diff_change *most = NULL;

	for (size_t i = 0; i < s->n_changes; i++) {
		const struct diff_change *c = &s->changes[i];
		bool host = c->kind < DIFF_PATH;

		if (!c->changed || (most && most->kind != c->kind &&
				    !(host && most->kind < DIFF_PATH)))
			continue;
		if (!most || fabs(log(c->ratio)) > fabs(log(most->ratio)))
			most = c;
	}
	return most;
}

static void say_part(struct na_str *to, const struct diff_state *s)
{
	const struct diff_change *c = most_changed(s);
	const char *name;
	char n[NA_UNIT_BUF];

	if (!c)
		return;
	na_print_number(n, c->ratio, 3);
	if (c->kind == DIFF_COLLECTIVE) {
		name = na_diff_collective(s, c->a);
		na_str_join(to, "; ", "collective %.60s %sx",
			    name ? name : "without a name", n);
	} else if (c->kind == DIFF_PATH) {
		na_str_join(to, "; ", "%.60s to %.60s %sx",
			    na_diff_host(s, c->a), na_diff_host(s, c->b), n);
	} else {
		na_str_join(to, "; ", "transfers %s %.60s %sx",
			    c->kind == DIFF_SENDS ? "from" : "to",
			    na_diff_host(s, c->a), n);
	}
}

/* The smallest change that the medians would have shown. */
static void say_same(struct na_str *to, const struct diff_state *s)
{
	for (int m = 0; m < DIFF_WHATS; m++) {
		const struct diff_row *row = &s->metrics[m].rows[DIFF_P50];
		char n[NA_UNIT_BUF];

		if (!s->metrics[m].compared || isnan(row->detectable) ||
		    m == DIFF_SIZES || isnan(row->p) || row->equal_values ||
		    !na_diff_telling(row))
			continue;
		na_str_join(to, ", ", "%s %s", na_diff_kinds[m].name,
			    na_diff_print_change(
				    n, fmax(row->detectable, DIFF_EFFECT), 2));
	}
}

void na_diff_put_message(struct na_result *r, const struct diff_state *s)
{
	const char *b = s->labels[DIFF_B], *a = s->labels[DIFF_A];
	char buf[600];
	struct na_str list = na_str_over(buf, sizeof(buf));

	if (s->verdict == DIFF_SAME && na_diff_unchanged(s)) {
		na_result_wordf(r, NA_WORD_MESSAGE,
				"Nothing changed: all values of %s and %s are "
				"equal",
				a, b);
		return;
	}
	if (s->verdict == DIFF_SAME) {
		na_result_wordf(r, NA_WORD_MESSAGE,
				"%s and %s are the same: medians within 5 %%, "
				"p99 within 10 %%",
				a, b);
		return;
	}
	if (s->verdict < DIFF_SAME) {
		say_same(&list, s);
		na_result_wordf(
			r, NA_WORD_MESSAGE,
			s->verdict == DIFF_UNCLEAR
				? "No difference that this data can show "
				  "between %s and %s, which is not to say that "
				  "they are the same%s%s"
				: "Too little to compare %s and %s%s%s",
			a, b,
			list.n ? "; it could show medians that differ by: "
			       : "",
			buf);
		return;
	}
	for (int m = 0; m < DIFF_WHATS; m++) {
		if (s->metrics[m].verdict > DIFF_SAME)
			say_metric(&list, &s->metrics[m], &na_diff_kinds[m]);
	}
	say_part(&list, s);
	na_result_wordf(r, NA_WORD_MESSAGE, "%s is %s %s: %s", b,
			s->verdict == DIFF_WORSE    ? "worse than"
			: s->verdict == DIFF_BETTER ? "better than"
			: s->verdict == DIFF_MIX
				? "another mix of transfers than"
				: "in part better, in part "
				  "worse than",
			a, buf);
}
