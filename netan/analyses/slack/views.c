/* slack: what a person sees in a terminal. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/slack/slack.h"
#include "netan/base/str.h"

enum { SHOWN_ROWS = 20 };

static void notes(struct na_result *r, const struct sl_state *s)
{
	static const struct {
		enum sl_left which;
		const char *one, *many;
	} of[] = {
		{SL_NEGATIVE,
		 "execution has a slack below 0: others' ops took its time",
		 "executions have a slack below 0: others' ops took their "
		 "time"},
		{SL_NO_GRAPH,
		 "execution has no graph execution on the host: no host stall, "
		 "and its observed time counts as time in flight",
		 "executions have no graph execution on the host: no host "
		 "stall, and their observed time counts as time in flight"},
		{SL_NO_COLLECTIVE,
		 "op is left out: nothing says which collective it belongs to",
		 "ops are left out: nothing says which collectives they belong "
		 "to"},
		{SL_DONE_FIRST,
		 "recv-done is left out: its send is before the trace's begin",
		 "recv-dones are left out: their sends are not in the trace"},
		{SL_STRAYS,
		 "op is left out: the send of its execution is not there",
		 "ops are left out: the sends of their executions are not "
		 "there"},
		{SL_CUT, "send is left out: no recv-done follows it",
		 "sends are left out: no recv-done follows them"},
		{SL_OUTSIDE_MODULES,
		 "op is left out: it is not inside a program run",
		 "ops are left out: they are not inside a program run"},
		{SL_OUTSIDE,
		 "execution reaches into the window or the steps, and is not "
		 "of them",
		 "executions reach into the window or the steps, and are not "
		 "of them"},
		{SL_HOSTS, "execution is on a host that --host leaves out",
		 "executions are on hosts that --host leaves out"},
	};
	char n[NA_UNIT_BUF];

	for (size_t i = 0; i < NA_LEN(of); i++) {
		uint64_t left = s->left[of[i].which];

		if (left)
			na_result_note(r, "%s %s", na_print_count(n, left),
				       left == 1 ? of[i].one : of[i].many);
	}
}

/* What is too tight, and what to do; the row that is the worst of them. */
static void warn(struct na_result *r, const struct sl_state *s)
{
	const struct sl_row *small = NULL, *bound = NULL;
	const struct na_strtab *names = &s->scope->store->names.strings;
	char buf[NA_UNIT_BUF], cap[NA_UNIT_BUF];
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
		na_result_note(r,
			       "needs more than the capacity of a host, %s: "
			       "%zu of %zu, first %s: send fewer bytes, or "
			       "start it earlier",
			       na_print_rate(cap, s->capacity_gbps * NA_GIGA,
					     3),
			       n_bound, s->n_rows,
			       na_strtab_at(names, bound->collective));
	if (unsized)
		na_result_note(r,
			       "bytes of %zu of %zu are not known, nor what "
			       "bandwidth they require: neither the ops nor "
			       "their HLO give transfer type and groups",
			       unsized, s->n_rows);
	if (small)
		na_result_note(r,
			       "too little slack for any network: %zu of %zu, "
			       "first %s, %s: start it earlier, or compute "
			       "more before its result is used",
			       n_small, s->n_rows,
			       na_strtab_at(names, small->collective),
			       na_print_time(buf,
					     na_slack_clamp(small->slack_ps /
							    (na_i128)small->n),
					     3));
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
		view(r, s, "in flight at the same time", list,
		     NA_COLUMNS({M_overlaps ".0." M_collective, "most with"},
				{M_overlaps ".0." M_share},
				{M_overlaps ".1." M_collective, "then with"},
				{M_overlaps ".1." M_share, "%"}));
}

static void note_joins(struct na_result *r, const struct sl_state *s)
{
	/* clang-format off */
	static const char *const words[NA_N_OPJOINS] = {
		"to none", "by HLO operands", "by channel",
		"by the number in their name", "by their own text in the trace",
		"by their HLO instruction",
	};
	/* clang-format on */
	char text[400];
	struct na_str t = na_str_over(text, sizeof(text));
	uint64_t n[NA_N_OPJOINS];

	na_slack_count_joins(s, n);
	for (int i = 1; i <= NA_N_OPJOINS; i++) {
		int k = i % NA_N_OPJOINS; /* "to none" last */

		if (n[k])
			na_str_join(&t, ", ", "%" PRIu64 " %s", n[k], words[k]);
	}
	na_result_note(r, "kinds of ops joined to their collective: %s", text);
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
	view(r, s, "what a run stalls, means", rows,
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
			       "the slowest executions of the collective "
			       "that stalls most",
			       list, &na_table_slack_slack_late, cols + from,
			       NA_LEN(cols) - from, 0);
}
