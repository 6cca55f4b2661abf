/* slack: what a person sees in a terminal. */
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/slack/slack.h"
#include "netan/base/str.h"

enum { SHOWN_ROWS = 20 };

static void notes(struct na_result *r, const struct sl_state *s)
{
	const struct na_fact of[] = {
		na_fact_slack_below_zero((int64_t)s->left[SL_NEGATIVE]),
		na_fact_execution_has_no_graph((int64_t)s->left[SL_NO_GRAPH]),
		na_fact_op_has_no_collective(
			(int64_t)s->left[SL_NO_COLLECTIVE]),
		na_fact_send_is_before_trace((int64_t)s->left[SL_DONE_FIRST]),
		na_fact_op_has_no_send((int64_t)s->left[SL_STRAYS]),
		na_fact_send_has_no_end((int64_t)s->left[SL_CUT]),
		na_fact_op_is_outside_runs(
			(int64_t)s->left[SL_OUTSIDE_MODULES]),
		na_fact_execution_is_cut((int64_t)s->left[SL_OUTSIDE]),
		na_fact_execution_is_on_other_host((int64_t)s->left[SL_HOSTS]),
	};

	for (size_t i = 0; i < NA_LEN(of); i++) {
		if (of[i].arg[0].integer)
			na_result_note_fact(r, of[i]);
	}
}

/* What is too tight, and what to do; the row that is the worst of them. */
static void warn(struct na_result *r, const struct sl_state *s)
{
	const struct sl_row *small = NULL, *bound = NULL;
	const struct na_strtab *names = &s->scope->store->names.strings;
	char cap[NA_UNIT_BUF];
	size_t n_small = 0, n_bound = 0, unsized = 0;

	for (size_t i = 0; i < s->n_rows; i++) {
		const struct sl_row *row = &s->rows[s->ranked[i]];

		unsized += !row->sized;
		if (!na_slack_matters(row))
			continue;
		small = row->small && !n_small++ ? row : small;
		bound = row->bound && !n_bound++ ? row : bound;
	}
	if (bound)
		na_result_note_fact(
			r, na_fact_needs_more_than_capacity(
				   na_print_rate(cap,
						 s->capacity_gbps * NA_GIGA, 3),
				   (int64_t)n_bound, (int64_t)s->n_rows,
				   na_strtab_at(names, bound->collective)));
	if (unsized)
		na_result_note_fact(
			r, na_fact_bytes_are_not_known((int64_t)unsized,
						       (int64_t)s->n_rows));
	if (small)
		na_result_note_fact(
			r, na_fact_slack_is_too_small(
				   (int64_t)n_small, (int64_t)s->n_rows,
				   na_strtab_at(names, small->collective),
				   na_s(small->slack_ps / (na_i128)small->n)));
}

/* Of each row the collective, the key and these. */
static void view(struct na_result *r, const struct sl_state *s,
		 const char *title, const struct na_value *list,
		 const struct na_column *cols, size_t n_cols)
{
	struct na_column all[NA_MAX_COLUMNS] = {{M_collective}};
	size_t n = 1 + na_groups_columns(&s->by, all + 1);

	memcpy(all + n, cols, n_cols * sizeof(*cols));
	na_result_view(r, title, list, &na_table_slack_slack_row, all,
		       n + n_cols, s->scope->top ? 0 : SHOWN_ROWS);
}

/* Of each collective that others overlapped, the two that did most. */
static void view_overlaps(struct na_result *r, const struct sl_state *s,
			  const struct na_value *rows)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_contention);

	na_for_each (v, rows) {
		if (na_length(v, M_overlaps))
			na_put_alias(r, list, NULL, v);
	}
	if (list && list->n)
		view(r, s, na_result_say(r, na_fact_title_overlaps()), list,
		     NA_COLUMNS({M_overlaps ".0." M_collective, "most with"},
				{M_overlaps ".0." M_share},
				{M_overlaps ".1." M_collective, "then with"},
				{M_overlaps ".1." M_share, "%"}));
}

static void note_joins(struct na_result *r, const struct sl_state *s)
{
	struct na_str t = {0};
	uint64_t n[NA_N_OPJOINS];

	na_slack_count_joins(s, n);
	for (int i = 1; i <= NA_N_OPJOINS; i++) {
		int k = i % NA_N_OPJOINS; /* to none last */

		if (!n[k])
			continue;
		na_str_addf(&t, "%s", t.n ? ", " : "");
		na_say_to(&t,
			  na_fact_kinds_joined_by((int64_t)n[k],
						  k == NA_OPJOIN_GRAPH,
						  k == NA_OPJOIN_CHANNEL,
						  k == NA_OPJOIN_SUFFIX,
						  k == NA_OPJOIN_LONG_NAME,
						  k == NA_OPJOIN_INSTRUCTION));
	}
	na_result_note_fact(r, na_fact_kinds_joined(na_result_keep(r, &t)));
}

/* Two tables, since a terminal is not that wide. */
void na_slack_views(struct na_result *r, const struct sl_state *s)
{
	const struct na_value *rows = na_get(na_result_body(r), M_collectives);

	if (!s->used.n)
		return;
	view(r, s, na_result_get_word(r, NA_WORD_MESSAGE, ""), rows,
	     NA_COLUMNS({M_occurrences}, {M_total_stall_us}, {M_stall_share},
			{M_slack_us "." M_mean, "slack us", NA_F_NUMBER, 4},
			{M_required_gbps}, {M_achieved_gbps}, {M_bytes},
			{M_observed_us "." M_mean, "observed us", NA_F_NUMBER,
			 4},
			{M_slack_us "." M_p5, "slack p5 us", NA_F_NUMBER, 4}));
	view(r, s, na_result_say(r, na_fact_title_stalls()), rows,
	     NA_COLUMNS({M_transfer_type}, {M_devices},
			{M_stall_us "." M_mean, "stall us", NA_F_NUMBER, 4},
			{M_host_stall_us}, {M_send_us}, {M_send_done_us},
			{M_recv_us}, {M_recv_done_us}));
	if (!s->params->reference)
		view_overlaps(r, s, rows);
	warn(r, s);
	note_joins(r, s);
	notes(r, s);
}

void na_slack_late_view(struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_label}, {M_collective}, {M_host}, {M_device}, {M_step},
		{M_stall_us}, {M_from_s}, {M_cause}, {M_clock_uncertainty_us},
	};
	/* clang-format on */
	const struct na_value *list = na_get(na_result_body(r), M_late);
	size_t from = !na_get(na_items(list), M_label);

	if (list && list->n)
		na_result_view(r,
			       na_result_say(r,
					     na_fact_title_late_executions()),
			       list, &na_table_slack_slack_late, cols + from,
			       NA_LEN(cols) - from, 0);
}
