/* diff: what a person sees in a terminal. */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/diff/state.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

static void put_interval(struct na_result *r, struct na_value *x,
			 const struct diff_row *row)
{
	const double *ci = row->of[DIFF_RATIO].ci;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (row->equal_values)
		na_put_text(r, x, M_interval, "all values equal");
	else if (!isfinite(ci[0]) || !isfinite(ci[1]))
		na_put_text(r, x, M_interval, "-");
	else if (!na_diff_telling(row))
		na_put_text(r, x, M_interval, "too few to tell");
	else
		na_put_textf(r, x, M_interval, "%s to %s",
			     na_print_times(a, ci[0], 3),
			     na_print_times(b, ci[1], 3));
}

/* A row of the body, and what only the table says of it. */
static void put_shown(struct na_result *r, struct na_value *list,
		      const struct na_value *told, const struct diff_row *row)
{
	struct na_value *x = na_put_object(r, list, NULL);
	const char *unit = na_text_at(told, M_unit);
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	na_put_alias(r, x, M_row, told);
	na_put_text(r, x, M_a, na_diff_in_unit(a, row->a, unit));
	na_put_text(r, x, M_b, na_diff_in_unit(b, row->b, unit));
	na_put_text(r, x, M_change, na_print_times(a, row->ratio, 3));
	put_interval(r, x, row);
	na_put_text(
		r, x, M_equal,
		na_print_times(
			a, row->equal ? row->equal_ratio : (double)NAN, 3));
	na_put_text(r, x, M_found,
		    row->verdict == DIFF_UNTOLD
			    ? "too few"
			    : na_diff_verdicts[row->verdict]);
}

/* A table shows these rows of each metric, and the one that the first line
 * names; the others are in the JSON and CSV. */
static bool is_shown(const struct diff_metric *m, size_t row)
{
	size_t named;

	na_diff_telling_row(m, &named);
	return row == DIFF_P10 || row == DIFF_P50 || row == DIFF_P90 ||
	       row == DIFF_P99 || row == DIFF_MEAN || row == named;
}

/* Whether any was compared at equal sizes and pairs, too. */
static bool put_shown_rows(struct na_result *r, struct na_value *list,
			   const struct diff_state *s)
{
	const struct na_value *v = na_first(na_result_body(r), M_metrics);
	bool equal = false;

	for (int i = 0; i < DIFF_WHATS; i++) {
		const struct diff_metric *m = &s->metrics[i];

		for (size_t k = 0; v && na_diff_any(m) && k < DIFF_ROWS; k++) {
			if (m->compared && is_shown(m, k))
				put_shown(r, list, v, &m->rows[k]);
			equal |= m->compared && m->rows[k].equal;
			v = v->next;
		}
	}
	return equal;
}

static void metrics_view(struct na_result *r, const struct diff_state *s)
{
	struct na_column cols[] = {
		{M_row "." M_name},
		{M_a, s->labels[DIFF_A]},
		{M_b, s->labels[DIFF_B]},
		{M_change},
		{M_found}, /* before what a narrow terminal has no room for */
		{M_interval},
		{M_equal},
	};
	size_t n = sizeof(cols) / sizeof(*cols);
	struct na_value *list = na_put_list(r, na_result_side(r), M_metrics);

	if (!put_shown_rows(r, list, s))
		n--;
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), list,
		       &na_table_diff_shown, cols, n, 0);
}

/* What all that changed have in common, with the runs' own names; the ratio
 * comes first, for a narrow terminal. */
static void part_view(struct na_result *r, const struct diff_state *s,
		      const char *list, const char *title,
		      const struct na_table *table, const char *const who[2])
{
	const char *a = s->labels[DIFF_A], *b = s->labels[DIFF_B];
	char count[DIFF_RUNS][96], typical[DIFF_RUNS][96];
	struct na_columns cols = {.n = 0};

	snprintf(count[DIFF_A], sizeof(*count), "transfers %.60s", a);
	snprintf(count[DIFF_B], sizeof(*count), "transfers %.60s", b);
	snprintf(typical[DIFF_A], sizeof(*typical), "typical %.60s us", a);
	snprintf(typical[DIFF_B], sizeof(*typical), "typical %.60s us", b);
	for (int i = 0; i < 2 && who[i]; i++)
		cols.c[cols.n++] = (struct na_column){.field = who[i]};
	cols.c[cols.n++] = (struct na_column){M_ratio};
	cols.c[cols.n++] = (struct na_column){M_a_us, typical[DIFF_A]};
	cols.c[cols.n++] = (struct na_column){M_b_us, typical[DIFF_B]};
	cols.c[cols.n++] = (struct na_column){M_a_count, count[DIFF_A]};
	cols.c[cols.n++] = (struct na_column){M_b_count, count[DIFF_B]};
	cols.c[cols.n++] = (struct na_column){M_q_value};
	if (na_length(na_result_body(r), list))
		na_result_view(r, title, na_get(na_result_body(r), list), table,
			       cols.c, cols.n, 0);
}

static void part_views(struct na_result *r, const struct diff_state *s)
{
	const struct na_value *body = na_result_body(r);

	part_view(r, s, M_hosts, "Hosts that changed",
		  &na_table_diff_result_hosts,
		  (const char *const[2]){M_host, M_side});
	part_view(r, s, M_pairs, "Pairs of hosts that changed",
		  &na_table_diff_result_pairs,
		  (const char *const[2]){M_src, M_dst});
	part_view(r, s, M_collectives, "Collectives that changed",
		  &na_table_diff_result_collectives,
		  (const char *const[2]){M_collective});
	if (na_length(body, M_fail_if))
		na_result_view(r, "Limits", na_get(body, M_fail_if),
			       &na_table_diff_result_fail_if,
			       NA_COLUMNS({M_limit}, {M_state}, {M_why}), 0);
}

/* ---- notes */

/* Whether a run had too few steps to cut into stretches. */
static bool by_events(const struct diff_state *s, int run)
{
	const struct diff_metric *m = &s->metrics[DIFF_LATENCY];

	if (!m->compared)
		m = &s->metrics[DIFF_STEPS];
	return m->compared && m->s[run].by_events;
}

static void note_intervals(struct na_result *r, const struct diff_state *s)
{
	char of[120] = "";
	bool a = by_events(s, DIFF_A), b = by_events(s, DIFF_B);

	for (int k = 0; k < DIFF_RUNS; k++) {
		if (by_events(s, k))
			na_result_note(
				r,
				"%s has fewer than %d steps, or pieces of time "
				"with transfers: its values were resampled one "
				"by one, as if they were independent; the "
				"intervals are too short if they are not",
				s->labels[k], NA_BOOT_LEAST);
	}
	if (!a || !b)
		snprintf(of, sizeof(of), "%s%.60s of %d stretches of %s",
			 a || b ? ", of " : "",
			 a   ? s->labels[DIFF_B]
			 : b ? s->labels[DIFF_A]
			     : "",
			 DIFF_STRETCHES,
			 na_diff_has_units(s, DIFF_A) &&
					 na_diff_has_units(s, DIFF_B)
				 ? "steps"
				 : "time");
	na_result_note(r,
		       "intervals: %d resamples%s, seed %d; all of them "
		       "together hold with 95 %%",
		       DIFF_RESAMPLES, of, DIFF_SEED);
}

static void note_clocks(struct na_result *r, const struct diff_state *s)
{
	for (uint32_t k = 0; k < DIFF_RUNS; k++) {
		int64_t ps = na_host_clocks_apart(s->clocks, k);
		char time[NA_UNIT_BUF];

		if (ps)
			na_result_note(r,
				       "%s: clocks of hosts differ by up to "
				       "%s: latencies are compared without "
				       "that",
				       s->labels[k],
				       na_print_time(time, ps, 3));
	}
}

static void note_judged(struct na_result *r, const struct diff_state *s)
{
	for (int k = 0; k < DIFF_RUNS; k++) {
		const char *verdict = s->params->judged[k].verdict;

		if (verdict)
			na_result_note(r, "check of %s: %s", s->labels[k],
				       verdict);
	}
}

static void note_parts(struct na_result *r, const struct diff_state *s)
{
	static const char *const more[][2] = {
		{M_more_hosts, "host"},
		{M_more_pairs, "pair"},
		{M_more_collectives, "collective"},
	};
	const struct na_value *rest = na_get(na_result_body(r), M_changes);
	char n[NA_COUNT_BUF];

	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		int64_t left = na_count_at(rest, more[i][0]);

		if (left)
			na_result_note(r, "not shown (--top): %s",
				       na_count_of(n, (uint64_t)left,
						   more[i][1]));
	}
	if (s->parts_apart)
		na_result_note(r,
			       "%s %s in one run only "
			       "(--format csv --table only)",
			       na_print_count(n, s->parts_apart),
			       s->parts_apart == 1
				       ? "host, pair or collective is"
				       : "hosts, pairs or collectives are");
}

/* Else a user finds two figures for the same steps. */
static void note_steps(struct na_result *r, const struct diff_state *s)
{
	if (s->metrics[DIFF_STEPS].compared && s->steps.n_steps)
		na_result_note(r, "steps: mean of all devices, with the gap "
				  "before a step; netan steps and check have "
				  "each host's slowest device, without it");
}

void na_diff_views(struct na_result *r, const struct diff_state *s)
{
	na_diff_put_message(r, s);
	metrics_view(r, s);
	na_diff_losses_view(r);
	part_views(r, s);
	note_judged(r, s);
	na_for_each (x, na_get(na_result_body(r), M_not_compared))
		na_result_note(r, "%s: not compared; %s", na_text_at(x, M_name),
			       na_text_at(x, M_why));
	note_clocks(r, s);
	note_parts(r, s);
	note_steps(r, s);
	note_intervals(r, s);
}
