/* steps: the tables for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/str.h"

enum { SHOWN_HOSTS = 20, SHOWN_STEPS = 10 };

/* Where somebody could wait for a later device. */
static bool can_wait(const struct st_state *s)
{
	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *h = &s->hosts[i];

		if (s->matched[h->run] && (h->sums.exposed_ps[NA_NET_ICI] ||
					   h->sums.exposed_ps[NA_NET_GPU]))
			return true;
	}
	return false;
}

static bool says_something(const struct st_state *s, const char *member)
{
	const struct na_store *store = s->scope->store;

	if (strcmp(member, M_label) == 0)
		return store->n_runs > 1;
	if (strcmp(member, M_rank) == 0 || strcmp(member, M_slowest_rank) == 0)
		return store->ranked.ranks;
	if (strcmp(member, M_host) == 0 || strcmp(member, M_slowest_host) == 0)
		return store->ranked.hosts || !store->ranked.ranks ||
		       store->ranked.inputs < store->n_sources;
	return strcmp(member, M_waiting_ms) != 0 || can_wait(s);
}

/* Without the columns that say nothing here. */
static void view(struct na_result *r, const struct st_state *s,
		 const char *title, const struct na_value *list,
		 const struct na_table *table, const char *const *members,
		 size_t most)
{
	struct na_columns c = {.n = 0};

	for (; *members; members++) {
		if (says_something(s, *members))
			c.c[c.n++] = (struct na_column){*members};
	}
	if (list && list->n)
		na_result_view(r, title, list, table, c.c, c.n, most);
}

static size_t shown(const struct st_state *s, size_t most)
{
	return s->scope->top ? s->scope->top : most;
}

static void view_hosts(struct na_result *r, const struct st_state *s)
{
	static const char *const members[] = {
		M_label,         M_rank,    M_host,          M_steps,
		M_mean_ms,       M_cause,   M_behind_ms,     M_compute_ms,
		M_exposed_ms,    M_p99_ms,  M_slowest_share, M_waiting_ms,
		M_overlap_share, M_idle_ms, M_gap_ms,        NULL};
	const struct na_value *body = na_result_body(r);

	view(r, s, na_text_or(body, M_verdict, "hosts"), na_get(body, M_hosts),
	     &na_table_steps_host, members, shown(s, SHOWN_HOSTS));
}

/* Whose transfers take longest may wait for another: no straggler. */
static const char *stragglers_title(struct na_result *r)
{
	bool slow = false, network = false;

	na_for_each (v, na_get(na_result_body(r), M_stragglers)) {
		bool is = strcmp(na_text_at(v, M_cause), "network") == 0;

		network |= is;
		slow |= !is;
	}
	return na_result_say(r, na_fact_title_stragglers(slow, network));
}

static void view_stragglers(struct na_result *r, const struct st_state *s)
{
	static const char *const members[] = {
		M_label,          M_rank,      M_host,
		M_cause,          M_behind_ms, M_cost_ms_per_step,
		M_cost_is,        M_kind,      M_of,
		M_times,          M_tried,     M_posterior,
		M_expected_share, NULL};

	view(r, s, stragglers_title(r), na_get(na_result_body(r), M_stragglers),
	     &na_table_steps_straggler, members, 0);
}

static void view_changes(struct na_result *r, const struct st_state *s)
{
	static const char *const members[] = {M_label, M_kind,    M_host,
					      M_step,  M_from_ms, M_to_ms,
					      NULL};

	view(r, s, na_result_say(r, na_fact_title_step_changes()),
	     na_get(na_result_body(r), M_changes), &na_table_steps_change,
	     members, shown(s, SHOWN_HOSTS));
}

struct ranked {
	const struct na_value *row;
	double ms;
	size_t at;
};

NA_ORDER(longest_first, struct ranked, NA_DOWN(ms), NA_UP(at))
NA_ORDER(in_order, struct ranked, NA_UP(at))

/* Also those that --top leaves out of the list. */
static const struct na_value *all_steps(struct na_result *r)
{
	const struct na_value *all = na_get(na_result_side(r), M_steps);

	return all ? all : na_get(na_result_body(r), M_steps);
}

/* Longest first; NULL: no memory. */
static struct ranked *rank_steps(const struct na_value *all)
{
	struct ranked *x = na_calloc(all->n + 1, sizeof(*x));
	size_t n = 0;

	na_for_each (v, x ? all : NULL) {
		x[n] = (struct ranked){v, na_number_or(v, M_duration_ms, 0), n};
		n++;
	}
	if (x)
		na_sort(x, n, longest_first);
	return x;
}

bool na_steps_put_longest(struct na_result *r, struct na_value *list,
			  const struct na_value *all, size_t n)
{
	struct ranked *x = rank_steps(all);

	if (!x)
		return false;
	na_sort(x, n, in_order);
	for (size_t i = 0; i < n; i++)
		na_put_alias(r, list, NULL, x[i].row);
	free(x);
	return true;
}

/* The figures that `check` sets costs against; x is sorted. */
static void note_usual(struct na_result *r, const struct ranked *x, size_t n)
{
	double sum_ms = 0, exposed_ms = 0;

	for (size_t i = 0; i < n; i++) {
		sum_ms += x[i].ms;
		exposed_ms += na_number_at(x[i].row, M_exposed_ms);
	}
	if (n < 2 || !isfinite(exposed_ms))
		return;
	na_result_note_fact(
		r,
		na_fact_step_takes((x[(n - 1) / 2].ms + x[n / 2].ms) / 2,
				   sum_ms / (double)n, exposed_ms / (double)n));
}

/* The longest ones, side by side with who was slowest in them. */
static bool view_steps(struct na_result *r, const struct st_state *s)
{
	static const char *const members[] = {M_label,        M_step,
					      M_from_s,       M_duration_ms,
					      M_slowest_rank, M_slowest_host,
					      M_behind_ms,    M_cause,
					      M_compute_ms,   M_exposed_ms,
					      M_waiting_ms,   M_idle_ms,
					      M_spread_ms,    NULL};
	const struct na_value *all = all_steps(r);
	struct na_value *list = na_put_list(r, na_result_side(r), M_longest);
	size_t most = shown(s, SHOWN_STEPS), n = all ? all->n : 0;
	struct ranked *x = all ? rank_steps(all) : NULL;

	if (!x)
		return !all;
	for (size_t i = 0; i < n && i < most; i++)
		na_put_alias(r, list, NULL, x[i].row);
	if (s->scope->store->n_runs == 1)
		note_usual(r, x, n);
	free(x);
	view(r, s, na_result_say(r, na_fact_title_longest_steps(n > most)),
	     list, &na_table_steps_step, members, 0);
	if (n > most)
		na_result_note_fact(
			r, na_fact_shorter_steps_not_shown((int64_t)(n - most),
							   s->scope->top > 0));
	return true;
}

/* A cause in a row is of its slowest steps, whoever is accused. */
static void note_causes(struct na_result *r, const struct st_state *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_hosts; i++)
		any |= s->hosts[i].cause != ST_NONE;
	if (any && !s->n_stragglers)
		na_result_note_fact(r, na_fact_cause_accuses_nobody());
}

/* What to do about it. */
static struct na_fact advice(enum st_cause cause)
{
	switch (cause) {
	case ST_COMPUTATION:
		return na_fact_advice_for_computation();
	case ST_INPUT:
		return na_fact_advice_for_input();
	case ST_NETWORK:
		return na_fact_advice_for_network();
	case ST_LATE_START:
		return na_fact_advice_for_late_start();
	default:
		return (struct na_fact){NA_NO_FACT, {{0}}};
	}
}

/* Of each cause that a straggler has. */
static void advise(struct na_result *r, const struct st_state *s)
{
	bool said[ST_CAUSES] = {false};

	for (size_t i = 0; i < s->n_stragglers; i++)
		said[s->stragglers[i]->cause] = true;
	for (enum st_cause i = ST_NONE; i < ST_CAUSES; i++)
		if (said[i] && advice(i).id)
			na_result_note_fact(r, advice(i));
}

/* Of launches only the transfers within are seen; steps are whole. */
static bool cut_by_window(const struct st_state *s)
{
	const struct na_filter *f = s->scope->filter;
	bool launches = false;

	for (size_t i = 0; i < s->scope->store->n_runs; i++)
		launches = launches || s->by_launch[i];
	return launches &&
	       (f->from_ps != NA_TIME_MIN || f->to_ps != NA_TIME_MAX);
}

void na_steps_count_told(const struct st_state *s,
			 size_t n[NA_STEP_BY_TIME + 1])
{
	memset(n, 0, (NA_STEP_BY_TIME + 1) * sizeof(*n));
	for (size_t i = 0; i < s->n_lines; i++) {
		const struct st_line *x = &s->lines[i];

		n[x->told] += x->cell_to > x->cell_from;
	}
}

/* GPUs whose steps are what kernels say. */
static void say_told(struct na_result *r, const struct st_state *s)
{
	size_t n[NA_STEP_BY_TIME + 1], markers;

	na_steps_count_told(s, n);
	markers = n[NA_STEP_BY_LAUNCH] + n[NA_STEP_BY_TIME];
	if (n[NA_STEP_BY_GROUP])
		na_result_note_fact(r, na_fact_steps_of_gpus_by_group(
					       (int64_t)n[NA_STEP_BY_GROUP]));
	if (markers)
		na_result_note_fact(r, na_fact_steps_of_gpus_by_marker(
					       (int64_t)markers));
	if (n[NA_STEP_BY_TIME])
		na_result_note_fact(r, na_fact_steps_of_gpus_by_time(
					       (int64_t)n[NA_STEP_BY_TIME]));
}

static void coverage(struct na_result *r, const struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	size_t programs = 0, untied = 0;

	for (size_t i = 0; i < s->n_lines; i++)
		programs += s->lines[i].programs;
	if (programs)
		na_result_note_fact(r, na_fact_steps_of_devices_by_program(
					       (int64_t)programs, s->by_order));
	say_told(r, s);
	for (size_t i = 0; i < s->n_hosts; i++)
		untied += s->hosts[i].n && !na_store_of_ranks(store) &&
			  !na_steps_is_tied(s, s->hosts[i].host);
	if (untied && s->n_hosts > 1)
		na_result_note_fact(r,
				    na_fact_clock_is_not_tied((int64_t)untied));
	if (cut_by_window(s))
		na_result_note_fact(r, na_fact_launch_is_cut());
	if (s->repeated)
		na_result_note_fact(r, na_fact_steps_repeated(
					       (int64_t)s->repeated));
	if (s->unnamed)
		na_result_note_fact(r, na_fact_steps_without_number(
					       (int64_t)s->unnamed));
	if (s->cut)
		na_result_note_fact(r, na_fact_steps_overlap((int64_t)s->cut));
}

void na_steps_views(struct na_result *r, const struct st_state *s)
{
	if (!s->used.n)
		return;
	view_hosts(r, s);
	view_stragglers(r, s);
	view_changes(r, s);
	if (!view_steps(r, s))
		return;
	note_causes(r, s);
	advise(r, s);
	coverage(r, s);
}
