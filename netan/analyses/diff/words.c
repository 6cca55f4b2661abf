/* diff: the finding in a sentence. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/analyses/diff/diff.h"

/* The row that says most of a metric: the median, else the mean, else p99,
 * else the first that changed. */
static const struct df_row *telling(const struct df_metric *m, size_t *at)
{
	static const size_t order[] = {4, DF_QUANTILES, 10};

	for (size_t i = 0; i < 3; i++) {
		*at = order[i];
		if (m->rows[*at].verdict == m->verdict)
			return &m->rows[*at];
	}
	for (*at = 0; *at < DF_ROWS; ++*at) {
		if (m->rows[*at].verdict > DF_SAME)
			return &m->rows[*at];
	}
	*at = 4;
	return &m->rows[4];
}

/* Percent reads well for what is a fraction of it, a factor for more. */
enum { FACTOR_FROM = 3 };
#define FACTOR_BELOW 0.05

const char *df_print_change(char *buf, double ratio, int digits)
{
	bool factor = ratio >= FACTOR_FROM || ratio < FACTOR_BELOW;
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

static void say_metric(char *buf, size_t size, const struct df_metric *m,
		       const struct df_kind *kind)
{
	size_t used = strlen(buf), at;
	const struct df_row *row = telling(m, &at);
	char n[NA_UNIT_BUF];

	if (isfinite(row->ratio))
		snprintf(buf + used, size - used, "%s%s %s %s%s",
			 used ? ", " : "", kind->name, df_row_names[at],
			 df_print_change(n, row->ratio, 3),
			 m->verdict == DF_MIX && kind->better != DF_NEITHER
				 ? " (mix)"
				 : "");
	else
		snprintf(buf + used, size - used, "%s%s %s %s",
			 used ? ", " : "", kind->name, df_row_names[at],
			 df_verdicts[m->verdict]);
}

/* The host, else the pair, else the collective that changed most; they are by
 * kind, and the slowest first. */
static void say_part(char *buf, size_t size, const struct df_state *s)
{
	const struct na_strtab *names = &s->scope->store->names.strings;
	const struct df_change *most = NULL;
	size_t used = strlen(buf);
	char n[NA_UNIT_BUF];

	for (size_t i = 0; i < s->n_changes; i++) {
		const struct df_change *c = &s->changes[i];
		bool host = c->kind < DF_PATH;

		if (!c->changed || (most && most->kind != c->kind &&
				    !(host && most->kind < DF_PATH)))
			continue;
		if (!most || fabs(log(c->ratio)) > fabs(log(most->ratio)))
			most = c;
	}
	if (!most)
		return;
	na_print_number(n, most->ratio, 3);
	if (most->kind == DF_COLLECTIVE)
		snprintf(buf + used, size - used, "%scollective %.60s %sx",
			 used ? "; " : "",
			 most->a == NA_UNKNOWN_U32
				 ? "without a name"
				 : na_strtab_at(names, most->a),
			 n);
	else if (most->kind == DF_PATH)
		snprintf(buf + used, size - used, "%s%.60s to %.60s %sx",
			 used ? "; " : "", df_host(s, most->a),
			 df_host(s, most->b), n);
	else
		snprintf(buf + used, size - used, "%s%s %.60s %sx",
			 used ? "; " : "",
			 most->kind == DF_SENDS ? "transfers from"
						: "transfers to",
			 df_host(s, most->a), n);
}

/* The smallest change that the medians would have shown. */
static void say_same(char *buf, size_t size, const struct df_state *s)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int m = 0; m < DF_WHATS; m++) {
		const struct df_row *row = &s->metrics[m].rows[4];
		char n[NA_UNIT_BUF];

		if (!s->metrics[m].compared || isnan(row->detectable) ||
		    m == DF_SIZES || isnan(row->p))
			continue;
		used = strlen(buf);
		snprintf(buf + used, size - used, "%s%s %s", used ? ", " : "",
			 df_kinds[m].name,
			 df_print_change(n, fmax(row->detectable, DF_EFFECT),
					 2));
	}
}

void df_put_message(struct na_result *r, const struct df_state *s)
{
	const char *b = s->labels[DF_B], *a = s->labels[DF_A];
	char list[600] = "";

	if (s->verdict == DF_SAME || s->verdict == DF_UNTOLD) {
		say_same(list, sizeof(list), s);
		na_result_wordf(
			r, NA_WORD_MESSAGE,
			s->verdict == DF_SAME
				? "No difference that this data can show "
				  "between %s and %s%s%s"
				: "Too little to compare %s and %s%s%s",
			a, b,
			*list ? "; it could show medians that differ by: " : "",
			list);
		return;
	}
	for (int m = 0; m < DF_WHATS; m++) {
		if (s->metrics[m].verdict > DF_SAME)
			say_metric(list, sizeof(list), &s->metrics[m],
				   &df_kinds[m]);
	}
	say_part(list, sizeof(list), s);
	na_result_wordf(r, NA_WORD_MESSAGE, "%s is %s %s: %s", b,
			s->verdict == DF_WORSE    ? "worse than"
			: s->verdict == DF_BETTER ? "better than"
			: s->verdict == DF_MIX ? "another mix of transfers than"
					       : "in part better, in part "
						 "worse than",
			a, list);
}
