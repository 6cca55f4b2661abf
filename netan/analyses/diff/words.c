/* diff: the finding in a sentence. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/analyses/diff/state.h"
#include "netan/base/str.h"

/* The row that says most of a metric: the median, else the mean, else p99,
 * else the first that changed. */
const struct diff_row *na_diff_telling_row(const struct diff_metric *m,
					  size_t *at)
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

const char *na_diff_in_unit(char buf[NA_UNIT_BUF], double x, const char *unit)
{
	if (!isfinite(x))
		return NULL;
	if (strcmp(unit, "bytes") == 0)
		return na_print_bytes(buf, x, 4);
	if (strcmp(unit, "gbps") == 0)
		return na_print_rate(buf, x * 1e9, 4);
	return na_print_time(
		buf,
		na_ps_of_s(x / (*unit == 'm' ? NA_MS_PER_S : NA_US_PER_S)), 4);
}

bool na_diff_telling(const struct diff_row *row)
{
	const double *ci = row->of[DIFF_RATIO].ci;

	return ci[1] <= ci[0] * DIFF_SPREAD;
}

/* Of next to nothing a ratio tells little. */
#define RATIO_MOST 100.0

/* "2.16x (74.56 ms to 161.2 ms; mix)", "from 3 us to 1.142 ms" */
static void say_change(struct na_str *to, const struct diff_row *row,
		       const struct diff_kind *kind, bool mix)
{
	char n[NA_UNIT_BUF], a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	na_diff_in_unit(a, row->a, kind->unit);
	na_diff_in_unit(b, row->b, kind->unit);
	if (row->ratio < RATIO_MOST && row->ratio > 1 / RATIO_MOST)
		na_str_addf(to, "%s (%s to %s%s)",
			    na_print_times(n, row->ratio, 3), a, b,
			    mix ? "; mix" : "");
	else
		na_str_addf(to, "from %s to %s%s", a, b, mix ? " (mix)" : "");
}

static void say_metric(struct na_str *to, const struct diff_metric *m,
		       const struct diff_kind *kind)
{
	size_t at;
	const struct diff_row *row = na_diff_telling_row(m, &at);
	bool mix = m->verdict == DIFF_MIX && kind->better != DIFF_NEITHER;

	na_str_join(to, ", ", "%s %s ", kind->name, na_diff_row_names[at]);
	if (isfinite(row->ratio) && isfinite(row->a) && isfinite(row->b))
		say_change(to, row, kind, mix);
	else
		na_str_addf(to, "%s", na_diff_verdicts[m->verdict]);
}

/* Senders and receivers are of one kind here: hosts. */
static bool is_of(const struct diff_change *c, enum diff_part last)
{
	return last == DIFF_RECEIVES ? c->kind < DIFF_PATH : c->kind == last;
}

static const struct diff_change *most_of(const struct diff_state *s,
					 enum diff_part last)
{
	const struct diff_change *most = NULL;

	for (size_t i = 0; i < s->n_changes; i++) {
		const struct diff_change *c = &s->changes[i];

		if (is_of(c, last) && c->changed &&
		    (!most || fabs(log(c->ratio)) > fabs(log(most->ratio))))
			most = c;
	}
	return most;
}

/* Its whole interval lies beyond most others of its kind: where all changed
 * alike, or two are all there are, nobody is to be named. */
static bool stands_apart(const struct diff_state *s,
			 const struct diff_change *c)
{
	double near = c->ratio > 1 ? c->ratio_ci[0] : 1 / c->ratio_ci[1];
	size_t n = 0, beyond = 0;

	for (size_t i = 0; i < s->n_changes; i++) {
		const struct diff_change *o = &s->changes[i];
		double other = c->ratio > 1 ? o->ratio : 1 / o->ratio;

		if (o == c || o->kind != c->kind || isnan(other))
			continue;
		n++;
		beyond += near > other * DIFF_EFFECT_NAMED;
	}
	return n > 1 && near > DIFF_EFFECT_NAMED &&
	       (double)beyond >= DIFF_OTHERS * (double)n;
}

/* Of one of the runs check would have named somebody, had it seen enough. */
static bool is_open(const struct diff_state *s)
{
	const struct diff_judged *j = s->params->judged;

	for (int k = 0; k < DIFF_RUNS; k++) {
		if (j[k].verdict && strcmp(j[k].outcome, "cannot_tell") == 0)
			return true;
	}
	return false;
}

/* The host, else the pair, else the collective that changed most, if it stands
 * apart; a host or pair never where check leaves open who it is. */
static const struct diff_change *most_changed(const struct diff_state *s)
{
	static const enum diff_part kinds[] = {DIFF_RECEIVES, DIFF_PATH,
					       DIFF_COLLECTIVE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct diff_change *c = most_of(s, kinds[i]);

		if (kinds[i] < DIFF_COLLECTIVE && is_open(s))
			continue;
		if (c && stands_apart(s, c))
			return c;
	}
	return NULL;
}

static void say_part(struct na_str *to, const struct diff_state *s)
{
	const struct diff_change *c = most_changed(s);
	const char *name;
	char n[NA_UNIT_BUF];

	if (!c)
		return;
	na_print_times(n, c->ratio, 3);
	if (c->kind == DIFF_COLLECTIVE) {
		name = na_diff_collective(s, c->a);
		na_str_join(to, "; ", "collective %.60s %s",
			    name ? name : "without a name", n);
	} else if (c->kind == DIFF_PATH) {
		na_str_join(to, "; ", "%.60s to %.60s %s",
			    na_diff_host(s, c->a), na_diff_host(s, c->b), n);
	} else {
		na_str_join(to, "; ", "transfers %s %.60s %s",
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
			    na_print_times(
				    n, fmax(row->detectable, DIFF_EFFECT), 3));
	}
}

/* ---- whom check accuses */

static bool accuses(const struct diff_judged *j, const char *who)
{
	for (size_t i = 0; i < j->n; i++) {
		if (strcmp(j->accused[i].who, who) == 0)
			return true;
	}
	return false;
}

/* Of a run those that the other has not, or has as well. */
static void say_who(struct na_str *to, const struct diff_judged *of,
		    const struct diff_judged *other, bool both,
		    const char *where)
{
	const char *sep = where;

	for (size_t i = 0; i < of->n; i++) {
		const struct diff_accused *x = &of->accused[i];

		if (accuses(other, x->who) != both)
			continue;
		if (sep == where)
			na_str_join(to, "; ", "%s: ", where);
		else
			na_str_addf(to, ", ");
		na_str_addf(to, "%.200s (%s)", x->who, x->confidence);
		sep = NULL;
	}
}

/* "accused in B alone: ...", or what is not known of the other one. */
static void say_alone(struct na_str *to, const struct diff_state *s, int run)
{
	const struct diff_judged *j = s->params->judged;
	int other = DIFF_A + DIFF_B - run;
	const char *unsure = !j[other].verdict ? "was not asked"
			     : strcmp(j[other].outcome, "cannot_tell") == 0
				     ? "cannot tell"
				     : NULL;
	char where[180];

	if (unsure)
		snprintf(where, sizeof(where),
			 "accused in %.60s (of %.60s check %s)", s->labels[run],
			 s->labels[other], unsure);
	else
		snprintf(where, sizeof(where), "accused in %.60s alone",
			 s->labels[run]);
	say_who(to, &j[run], &j[other], false, where);
}

static void say_accused(struct na_str *to, const struct diff_state *s)
{
	const struct diff_judged *j = s->params->judged;

	say_alone(to, s, DIFF_B);
	say_alone(to, s, DIFF_A);
	say_who(to, &j[DIFF_B], &j[DIFF_A], true, "accused in both");
}

/* ---- the sentence */

static void say_not_alike(struct na_str *to, const struct diff_state *s)
{
	const char *between = ": ";

	na_str_addf(to,
		    "%s and %s do not show the same work, so neither is better",
		    s->labels[DIFF_A], s->labels[DIFF_B]);
	for (int i = 0; i < DIFF_UNLIKES; i++) {
		if (!*s->unlike[i])
			continue;
		na_str_addf(to, "%s%s", between, s->unlike[i]);
		between = "; ";
	}
	na_str_addf(to, ". ");
}

/* As far as check was asked. */
static bool judged_alike(const struct diff_state *s)
{
	const char *a = s->params->judged[DIFF_A].verdict;
	const char *b = s->params->judged[DIFF_B].verdict;

	return !a || !b || strcmp(a, b) == 0;
}

static void say_alike(struct na_result *r, const struct diff_state *s,
		      const char *first)
{
	const char *b = s->labels[DIFF_B], *a = s->labels[DIFF_A];
	char buf[300];
	struct na_str list = na_str_over(buf, sizeof(buf));

	if (s->verdict == DIFF_SAME && na_diff_unchanged(s)) {
		na_result_wordf(r, NA_WORD_MESSAGE,
				judged_alike(s)
					? "%sNothing changed: all values of %s "
					  "and %s are equal"
					: "%sAll values of %s and %s that are "
					  "compared here are equal, what check "
					  "says of them is not",
				first, a, b);
		return;
	}
	if (s->metrics[DIFF_SLACK].verdict == DIFF_BETTER) {
		say_metric(&list, &s->metrics[DIFF_SLACK],
			   &na_diff_kinds[DIFF_SLACK]);
		na_result_wordf(r, NA_WORD_MESSAGE,
				"%sNothing but slack shows that %s and %s "
				"differ, and more of it alone is no better: %s",
				first, a, b, buf);
		return;
	}
	if (s->verdict == DIFF_SAME) {
		na_result_wordf(r, NA_WORD_MESSAGE,
				"%s%s and %s are the same: medians within 5 "
				"%%, p99 within 10 %%",
				first, a, b);
		return;
	}
	say_same(&list, s);
	na_result_wordf(r, NA_WORD_MESSAGE,
			s->verdict == DIFF_UNCLEAR
				? "%sNo difference that this data can show "
				  "between %s and %s, which is not to say that "
				  "they are the same%s%s"
				: "%sToo little to compare %s and %s%s%s",
			first, a, b,
			list.n ? "; it could show medians that differ by: "
			       : "",
			buf);
}

/* Of a picture that has a plot for each: what is as the verdict says, or the
 * first that differs. */
static void say_foremost(struct na_str *to, const struct diff_state *s)
{
	int of = -1;

	for (int m = DIFF_WHATS - 1; m >= 0; m--) {
		bool fits = s->metrics[m].verdict == s->verdict;

		if (s->metrics[m].verdict > DIFF_SAME &&
		    (fits || of < 0 || s->metrics[of].verdict != s->verdict))
			of = m;
	}
	if (of >= 0)
		say_metric(to, &s->metrics[of], &na_diff_kinds[of]);
}

static void say_differs(struct na_result *r, const struct diff_state *s,
			const char *first)
{
	const char *b = s->labels[DIFF_B], *a = s->labels[DIFF_A];
	const char *is;
	char buf[1000], most[300];
	struct na_str list = na_str_over(buf, sizeof(buf));
	struct na_str foremost = na_str_over(most, sizeof(most));

	for (int m = 0; m < DIFF_WHATS; m++) {
		if (s->metrics[m].verdict > DIFF_SAME)
			say_metric(&list, &s->metrics[m], &na_diff_kinds[m]);
	}
	if (!*first)
		say_part(&list, s);
	if (s->verdict == DIFF_UNLIKE) {
		na_result_wordf(r, NA_WORD_MESSAGE, "%s%s over %s: %s", first,
				b, a, list.n ? buf : "no figure differs");
		/* It ends in ". ". */
		na_result_wordf(r, NA_WORD_TITLE, "%.*s",
				(int)strlen(first) - 2, first);
		return;
	}
	if (!list.n) {
		na_result_wordf(r, NA_WORD_MESSAGE,
				na_diff_losses_verdict(s) > DIFF_SAME
					? "%sNo time, size or rate shows that "
					  "%s and %s differ"
					: "%sNo metric shows that %s and %s "
					  "differ; of their hosts, pairs and "
					  "collectives some do, which is no "
					  "verdict on any of them",
				first, a, b);
		return;
	}
	is = s->verdict == DIFF_WORSE	 ? "worse than"
	     : s->verdict == DIFF_BETTER ? "better than"
	     : s->verdict == DIFF_MIX	 ? "another mix of transfers than"
					 : "in part better, in part worse than";
	na_result_wordf(r, NA_WORD_MESSAGE, "%s%s is %s %s: %s", first, b, is,
			a, buf);
	say_foremost(&foremost, s);
	na_result_wordf(r, NA_WORD_TITLE, "%s%s is %s %s%s%s", first, b, is, a,
			foremost.n ? ": " : "", most);
}

void na_diff_put_message(struct na_result *r, const struct diff_state *s)
{
	char buf[2000], who[1200];
	struct na_str first = na_str_over(buf, sizeof(buf));
	struct na_str accused = na_str_over(who, sizeof(who));

	if (na_diff_is_unlike(s))
		say_not_alike(&first, s);
	na_diff_say_losses(&first, s);
	say_accused(&accused, s);
	if (accused.n) {
		*who = 'A'; /* "Accused in ..." */
		na_str_addf(&first, "%s. ", who);
	}
	if (s->verdict <= DIFF_SAME)
		say_alike(r, s, buf);
	else
		say_differs(r, s, buf);
}
