/* slack: what a person sees in a terminal. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/slack/slack.h"

enum { SHOWN_ROWS = 20 };

static void notes(struct na_result *r, const struct sl_state *s)
{
	const struct sl_left *x = &s->left;
	const struct {
		uint64_t n;
		const char *one, *many;
	} of[] = {
		{x->negative,
		 "execution has a slack below 0: others' ops took its time",
		 "executions have a slack below 0: others' ops took their "
		 "time"},
		{x->no_graph,
		 "execution has no graph execution on the host: no host stall, "
		 "and its observed time counts as time in flight",
		 "executions have no graph execution on the host: no host "
		 "stall, and their observed time counts as time in flight"},
		{x->no_collective,
		 "op is left out: nothing tells its collective",
		 "ops are left out: nothing tells their collective"},
		{x->done_first,
		 "recv-done is left out: its send is before the trace's begin",
		 "recv-dones are left out: their sends are not in the trace"},
		{x->strays,
		 "op is left out: the send of its execution is not there",
		 "ops are left out: the sends of their executions are not "
		 "there"},
		{x->cut, "send is left out: no recv-done follows it",
		 "sends are left out: no recv-done follows them"},
		{x->outside_modules,
		 "op is left out: it is not inside a program run",
		 "ops are left out: they are not inside a program run"},
		{x->outside, "execution is outside the window or the steps",
		 "executions are outside the window or the steps"},
		{x->hosts, "execution is on a host that --host leaves out",
		 "executions are on hosts that --host leaves out"},
	};
	char n[NA_UNIT_BUF];

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		if (of[i].n)
			na_result_note(r, "%s %s", na_print_count(n, of[i].n),
				       of[i].n == 1 ? of[i].one : of[i].many);
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
		if (!sl_matters(row))
			continue;
		small = row->small && !n_small++ ? row : small;
		bound = row->bound && !n_bound++ ? row : bound;
	}
	if (bound)
		na_result_note(r,
			       "needs more than the capacity of a host, %s: "
			       "%zu of %zu, first %s: send fewer bytes, or "
			       "start it earlier",
			       na_print_rate(cap, s->capacity_gbps * 1e9, 3),
			       n_bound, s->n_rows,
			       na_strtab_at(names, bound->collective));
	if (unsized)
		na_result_note(r,
			       "bytes of %zu of %zu are not known, nor what "
			       "bandwidth they require: neither the ops nor "
			       "their HLO tell transfer type and groups",
			       unsized, s->n_rows);
	if (small)
		na_result_note(r,
			       "too little slack for any network: %zu of %zu, "
			       "first %s, %s: start it earlier, or compute "
			       "more before its result is used",
			       n_small, s->n_rows,
			       na_strtab_at(names, small->collective),
			       na_print_time(buf,
					     sl_clamp(small->slack_ps /
						      (na_i128)small->n),
					     3));
}

static void view(struct na_result *r, const struct sl_state *s,
		 const char *title, const struct na_column *cols, size_t n_cols)
{
	struct na_column all[1 + NA_MAX_KEYS + 16] = {
		{M_collective, "collective", NA_F_TEXT, 0, 0}};
	size_t n = 1 + na_groups_columns(&s->by, all + 1);

	for (size_t i = 0; i < n_cols; i++)
		all[n++] = cols[i];
	na_result_view(r, title, na_get(na_result_body(r), M_collectives), NULL,
		       all, n, s->scope->top ? 0 : SHOWN_ROWS);
}

/* Of each collective that others overlapped, the two that did most. */
static void contention(struct na_result *r, const struct sl_state *s)
{
	static const struct na_column most[] = {
		{"most", "most with", NA_F_TEXT, 0, 0},
		{M_share, "% of its time", NA_F_NUMBER, 3, 100},
		{M_next, "then with", NA_F_TEXT, 0, 0},
		{"next_share", "%", NA_F_NUMBER, 3, 100},
	};
	struct na_column all[1 + NA_MAX_KEYS + 4] = {
		{M_of, "collective", NA_F_TEXT, 0, 0}};
	const struct na_value *rows = na_get(na_result_body(r), M_collectives);
	struct na_value *list = na_put_list(r, na_result_side(r), "contention");
	size_t n = 1 + na_groups_columns(&s->by, all + 1);

	for (const struct na_value *v = rows->u.of.first; v; v = v->next) {
		const struct na_value *o = na_get(v, M_overlaps), *to, *k;
		struct na_value *one, *keys;

		if (!o || !o->n)
			continue;
		one = na_put_object(r, list, NULL);
		to = o->u.of.first;
		na_put_text(r, one, M_of, na_text_of(na_get(to, M_of), NULL));
		keys = na_put_object(r, one, M_key);
		k = na_get(to, M_key);
		for (k = k ? k->u.of.first : NULL; k; k = k->next)
			na_put_text(r, keys, k->name, na_text_of(k, NULL));
		na_put_text(r, one, "most",
			    na_text_of(na_get(to, M_collective), NULL));
		na_put_real(r, one, M_share,
			    na_real_of(na_get(to, M_share), 0));
		if (!to->next)
			continue;
		na_put_text(r, one, M_next,
			    na_text_of(na_get(to->next, M_collective), NULL));
		na_put_real(r, one, "next_share",
			    na_real_of(na_get(to->next, M_share), 0));
	}
	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++)
		all[n++] = most[i];
	if (list->n)
		na_result_view(r, "in flight at the same time", list, NULL, all,
			       n, s->scope->top ? 0 : SHOWN_ROWS);
}

/* Two tables, since a terminal is not that wide. */
void sl_views(struct na_result *r, const struct sl_state *s)
{
	/* clang-format off */
	static const struct na_column costs[] = {
		{M_occurrences, "runs", NA_F_COUNT, 0, 0},
		{M_total_stall_us, "stall ms", NA_F_NUMBER, 4, 1e-3},
		{M_stall_share, "% of steps", NA_F_NUMBER, 3, 100},
		{M_slack_us "." M_mean, "slack us", NA_F_NUMBER, 4, 0},
		{"slack_us.p5", "p5 us", NA_F_NUMBER, 4, 0},
		{M_observed_us "." M_mean, "observed us", NA_F_NUMBER, 4, 0},
		{M_bytes, "MB", NA_F_NUMBER, 4, 1e-6},
		{M_required_gbps, "required Gbit/s", NA_F_NUMBER, 3, 0},
		{M_achieved_gbps, "achieved Gbit/s", NA_F_NUMBER, 3, 0},
	}, parts[] = {
		{M_transfer_type, "type", NA_F_TEXT, 0, 0},
		{M_devices, "devices", NA_F_COUNT, 0, 0},
		{M_stall_us "." M_mean, "stall us", NA_F_NUMBER, 4, 0},
		{M_send_us, "send us", NA_F_NUMBER, 4, 0},
		{M_send_done_us, "send-done us", NA_F_NUMBER, 4, 0},
		{M_recv_us, "recv us", NA_F_NUMBER, 4, 0},
		{M_recv_done_us, "recv-done us", NA_F_NUMBER, 4, 0},
		{M_host_stall_us, "host stall us", NA_F_NUMBER, 4, 0},
	};
	/* clang-format on */

	if (!s->used.n)
		return;
	view(r, s, na_result_get_word(r, NA_WORD_MESSAGE, ""), costs,
	     sizeof(costs) / sizeof(costs[0]));
	view(r, s, "what a run stalls, means", parts,
	     sizeof(parts) / sizeof(parts[0]));
	if (!s->params->reference)
		contention(r, s);
	warn(r, s);
	na_result_note(r, "kinds of ops joined to their collective: %s",
		       na_text_of(na_get(na_result_side(r), M_joined), "none"));
	notes(r, s);
}

void sl_late_view(struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_label, "label", NA_F_TEXT, 0, 0},
		{M_collective, "collective", NA_F_TEXT, 0, 0},
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_device, "device", NA_F_TEXT, 0, 0},
		{M_step, "step", NA_F_COUNT, 0, 0},
		{M_from_s, "from s", NA_F_FIXED, 4, 0},
		{M_stall_us, "stall us", NA_F_NUMBER, 4, 0},
		{M_clock_uncertainty_us, "clocks +- us", NA_F_NUMBER, 3, 0},
		{M_cause, "why it was late", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	const struct na_value *list = na_get(na_result_body(r), M_late);
	size_t from = list && list->n &&
		      !na_text_of(na_get(list->u.of.first, M_label), NULL);

	if (list && list->n)
		na_result_view(r,
			       "the slowest executions of the collective "
			       "that stalls most",
			       list, NULL, cols + from,
			       sizeof(cols) / sizeof(cols[0]) - from, 0);
}
