/* diff: what a person sees in a terminal. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/diff/diff.h"

/* Without --top a table shows these rows of each metric; the others are in
 * the JSON and CSV. */
static bool shown(size_t row)
{
	static const char *const names[] = {"p10", "p50", "p90", "p99", "mean"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(df_row_names[row], names[i]) == 0)
			return true;
	}
	return false;
}

static void metric_rows(struct na_result *r, struct na_value *list,
			const struct df_state *s, enum df_what what)
{
	const struct df_metric *m = &s->metrics[what];

	for (size_t k = 0; m->compared && k < DF_ROWS; k++) {
		const struct df_row *row = &m->rows[k];
		char change[NA_UNIT_BUF], lo[NA_UNIT_BUF], hi[NA_UNIT_BUF];
		struct na_value *x;

		if (!shown(k))
			continue;
		x = na_put_object(r, list, NULL);
		na_put_textf(r, x, M_name, "%s.%s", df_kinds[what].name,
			     df_row_names[k]);
		na_put_text(r, x, M_unit, df_kinds[what].unit);
		na_put_real(r, x, M_a, row->a);
		na_put_real(r, x, M_b, row->b);
		df_print_change(change, row->ratio, 3);
		df_print_change(lo, row->ratio_ci[0], 3);
		df_print_change(hi, row->ratio_ci[1], 3);
		na_put_text(r, x, "change", change);
		if (isfinite(row->ratio_ci[0]))
			na_put_textf(r, x, "ci", "%s to %s", lo, hi);
		else
			na_put_text(r, x, "ci", "-");
		df_print_change(change,
				row->equal ? row->equal_ratio : (double)NAN, 3);
		na_put_text(r, x, "equal", change);
		na_put_text(r, x, M_verdict,
			    row->verdict == DF_UNTOLD
				    ? "too few"
				    : df_verdicts[row->verdict]);
	}
}

static void metrics_view(struct na_result *r, const struct df_state *s)
{
	/* clang-format off */
	struct na_column cols[] = {
		{M_name, "metric", NA_F_TEXT, 0, 0},
		{M_unit, "unit", NA_F_TEXT, 0, 0},
		{"a", s->labels[DF_A], NA_F_NUMBER, 4, 0},
		{"b", s->labels[DF_B], NA_F_NUMBER, 4, 0},
		{"change", "change", NA_F_TEXT, 0, 0},
		{"ci", "95 % interval", NA_F_TEXT, 0, 0},
		{"equal", "at equal mix", NA_F_TEXT, 0, 0},
		{M_verdict, "verdict", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	enum { N = sizeof(cols) / sizeof(*cols) };
	struct na_value *list = na_put_list(r, na_result_side(r), "rows");
	bool equal = false;

	for (int m = 0; m < DF_WHATS; m++) {
		metric_rows(r, list, s, (enum df_what)m);
		for (size_t k = 0; s->metrics[m].compared && k < DF_ROWS; k++)
			equal |= s->metrics[m].rows[k].equal;
	}
	if (!equal)
		cols[N - 2] = cols[N - 1];
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), list,
		       NULL, cols, equal ? N : N - 1, 0);
}

static void list_view(struct na_result *r, const char *name, const char *title,
		      const struct na_column *names, size_t n_names)
{
	static const struct na_column rest[] = {
		{M_a_count, "transfers A", NA_F_COUNT, 0, 0},
		{M_b_count, "B", NA_F_COUNT, 0, 0},
		{M_a_us, "typical A us", NA_F_NUMBER, 4, 0},
		{M_b_us, "B us", NA_F_NUMBER, 4, 0},
		{M_ratio, "ratio at equal sizes", NA_F_NUMBER, 3, 0},
		{M_q_value, "q", NA_F_NUMBER, 2, 0},
	};
	enum { REST = sizeof(rest) / sizeof(*rest) };
	struct na_column cols[REST + 2];
	const struct na_value *list = na_get(na_result_body(r), name);

	if (!list || !list->n)
		return;
	memcpy(cols, names, n_names * sizeof(*names));
	memcpy(cols + n_names, rest, sizeof(rest));
	na_result_view(r, title, list, NULL, cols, n_names + REST, 0);
}

static void part_views(struct na_result *r)
{
	static const struct na_column host[] = {
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_side, "side", NA_F_TEXT, 0, 0},
	};
	static const struct na_column pair[] = {
		{M_src, "src", NA_F_TEXT, 0, 0},
		{M_dst, "dst", NA_F_TEXT, 0, 0},
	};
	static const struct na_column collective[] = {
		{M_collective, "collective", NA_F_TEXT, 0, 0},
	};

	list_view(r, "hosts", "Hosts that changed", host, 2);
	list_view(r, "pairs", "Pairs of hosts that changed", pair, 2);
	list_view(r, "collectives", "Collectives that changed", collective, 1);
}

static void limits_view(struct na_result *r)
{
	static const struct na_column cols[] = {
		{M_limit, "--fail-if", NA_F_TEXT, 0, 0},
		{M_state, "state", NA_F_TEXT, 0, 0},
		{M_why, "why", NA_F_TEXT, 0, 0},
	};
	const struct na_value *list = na_get(na_result_body(r), M_fail_if);

	if (list && list->n)
		na_result_view(r, "Limits", list, NULL, cols, 3, 0);
}

/* ---- notes */

static void note_missing(struct na_result *r)
{
	const struct na_value *list = na_get(na_result_body(r), M_not_compared);

	for (const struct na_value *x = list ? list->u.of.first : NULL; x;
	     x = x->next)
		na_result_note(r, "%s: not compared; %s",
			       na_text_of(na_get(x, M_name), ""),
			       na_text_of(na_get(x, M_why), ""));
}

static void note_events(struct na_result *r, const struct df_state *s)
{
	const struct df_metric *m = &s->metrics[DF_LATENCY];

	for (int k = 0; m->compared && k < DF_RUNS; k++) {
		if (m->s[k].by_events)
			na_result_note(
				r,
				"%s has fewer than %d steps: transfers were "
				"resampled one by one, as if they were "
				"independent; the intervals are too short if "
				"they are not",
				s->labels[k], NA_BOOT_LEAST);
	}
}

static void note_parts(struct na_result *r, const struct df_state *s)
{
	const struct na_value *rest = na_get(na_result_body(r), M_changes);
	char n[NA_UNIT_BUF];

	for (const struct na_value *x = rest ? rest->u.of.first : NULL; x;
	     x = x->next) {
		if (strncmp(x->name, "more_", 5) == 0 && x->u.i)
			na_result_note(r, "not shown (--top): %s %s",
				       na_print_count(n, (uint64_t)x->u.i),
				       x->name + 5);
	}
	if (s->parts_apart)
		na_result_note(r,
			       "%s host, pair or collective%s in one run only "
			       "(--format csv --table only)",
			       na_print_count(n, s->parts_apart),
			       s->parts_apart == 1 ? " is" : "s are");
}

void df_views(struct na_result *r, const struct df_state *s)
{
	df_put_message(r, s);
	metrics_view(r, s);
	part_views(r);
	limits_view(r);
	note_missing(r);
	note_events(r, s);
	note_parts(r, s);
	na_result_note(r,
		       "intervals: %d resamples of %d stretches of steps, "
		       "seed %d; all of them together hold with 95 %%",
		       DF_RESAMPLES, DF_STRETCHES, DF_SEED);
}
