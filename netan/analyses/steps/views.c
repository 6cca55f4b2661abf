/* steps: the tables for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
		bool is = strcmp(na_text_at(v, M_cause),
				 "network") == 0;

		network |= is;
		slow |= !is;
	}
	return !network ? "stragglers"
	       : !slow	? "whose transfers take longest (slow itself, or "
			  "waiting for who is: netan check)"
			: "stragglers, and whose transfers take longest";
}

static void view_stragglers(struct na_result *r, const struct st_state *s)
{
	static const char *const members[] = {M_label,     M_rank,
					      M_host,      M_cause,
					      M_behind_ms, M_cost_ms_per_step,
					      M_cost_is,
					      M_kind,      M_of,
					      M_times,     M_tried,
					      M_posterior, M_expected_share,
					      NULL};

	view(r, s, stragglers_title(r), na_get(na_result_body(r), M_stragglers),
	     &na_table_steps_straggler, members, 0);
}

static void view_changes(struct na_result *r, const struct st_state *s)
{
	static const char *const members[] = {M_label, M_kind,    M_host,
					      M_step,  M_from_ms, M_to_ms,
					      NULL};

	view(r, s,
	     "changes over the steps (no host: mean of all; else its own time "
	     "beside the others')",
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
	char median[NA_UNIT_BUF], mean[NA_UNIT_BUF], exposed[NA_UNIT_BUF];
	double sum_ms = 0, exposed_ms = 0;

	for (size_t i = 0; i < n; i++) {
		sum_ms += x[i].ms;
		exposed_ms += na_number_at(x[i].row, M_exposed_ms);
	}
	if (n < 2 || !isfinite(exposed_ms))
		return;
	na_result_note(r,
		       "a step takes %s ms in the median, %s ms in the mean; "
		       "of that, devices wait %s ms in the mean for "
		       "communication (exposed)",
		       na_print_number(median,
				       (x[(n - 1) / 2].ms + x[n / 2].ms) / 2,
				       3),
		       na_print_number(mean, sum_ms / (double)n, 3),
		       na_print_number(exposed, exposed_ms / (double)n, 3));
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
	view(r, s,
	     n > most ? "longest steps (compute to idle: means over the hosts)"
		      : "steps, longest first (compute to idle: means over "
			"the hosts)",
	     list, &na_table_steps_step, members, 0);
	if (n > most)
		na_result_note(r,
			       "%s shorter step%s not shown: --top N shows "
			       "more%s",
			       na_grouped(n - most),
			       n - most == 1 ? " is" : "s are",
			       s->scope->top ? "" : ", --format csv all");
	return true;
}

/* A cause in a row is of its slowest steps, whoever is accused. */
static void note_causes(struct na_result *r, const struct st_state *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_hosts; i++)
		any |= s->hosts[i].cause != ST_NONE;
	if (any && !s->n_stragglers)
		na_result_note(r, "cause: why a host is last in the few steps "
				  "where it is; no host is a suspect "
				  "for it; netan check names suspects");
}

/* What to do about each cause that a straggler has. */
static void advise(struct na_result *r, const struct st_state *s)
{
	static const char *const what[ST_CAUSES] = {
		[ST_COMPUTATION] =
			"computation: compare the host's chips (clock, heat), "
			"its other processes and its share of the work with "
			"those of the others; it is not this host's network "
			"(netan pairs says whether another NIC or path is slow "
			"as well)",
		[ST_INPUT] = "input: look at the host's data loading and CPUs; "
			     "it does not wait for the network (netan pairs "
			     "says whether a NIC or path is slow as well)",
		[ST_NETWORK] = "network: netan pairs says which side, path or "
			       "NIC, netan check what its transfers cost the "
			       "steps, netan slack --waterfall -o late.svg "
			       "what one collective waited for",
		[ST_LATE_START] = "late_start: what came before the host's "
				  "first sends made them late: its own work, "
				  "or earlier sends; netan slack --waterfall "
				  "-o late.svg shows one collective, netan "
				  "pairs its NIC",
	};
	bool said[ST_CAUSES] = {false};

	for (size_t i = 0; i < s->n_stragglers; i++)
		said[s->stragglers[i]->cause] = true;
	for (size_t i = 0; i < ST_CAUSES; i++)
		if (said[i] && what[i])
			na_result_note(r, "%s", what[i]);
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
		na_result_note(r,
			       "%s GPU%s without a Steps line: a step is what "
			       "the kernels of one group_id last together",
			       na_grouped(n[NA_STEP_BY_GROUP]),
			       na_plural(n[NA_STEP_BY_GROUP]));
	if (markers)
		na_result_note(r,
			       "%s GPU%s without a Steps line or group_id: a "
			       "step is what the kernels last together that "
			       "the host launched in one of its step markers "
			       "(step_num)",
			       na_grouped(markers), na_plural(markers));
	if (n[NA_STEP_BY_TIME])
		na_result_note(r,
			       "%s of them by time, in part: of some kernels "
			       "no launch is there, or it came after its "
			       "marker had ended; these are of the last marker "
			       "that began before",
			       na_grouped(n[NA_STEP_BY_TIME]));
}

static void coverage(struct na_result *r, const struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	size_t programs = 0, untied = 0;

	for (size_t i = 0; i < s->n_lines; i++)
		programs += s->lines[i].programs;
	if (programs)
		na_result_note(r,
			       "%s device%s without a Steps line: each run of "
			       "the program that takes most time is a step%s",
			       na_grouped(programs), na_plural(programs),
			       s->by_order ? ", numbered in order" : "");
	say_told(r, s);
	for (size_t i = 0; i < s->n_hosts; i++)
		untied += s->hosts[i].n && !na_store_of_ranks(store) &&
			  !na_steps_is_tied(s, s->hosts[i].host);
	if (untied && s->n_hosts > 1)
		na_result_note(r,
			       "%s host%s without transfers in both "
			       "directions: the clock is not tied to the "
			       "others', only durations are compared",
			       na_grouped(untied), na_plural(untied));
	if (cut_by_window(s))
		na_result_note(r, "a launch at an end of the window may lack "
				  "what is outside of it");
	if (s->repeated)
		na_result_note(r,
			       "%s device steps with a number that "
			       "came before on that device are left out",
			       na_grouped(s->repeated));
	if (s->unnamed)
		na_result_note(r,
			       "%s device steps without a number are "
			       "left out",
			       na_grouped(s->unnamed));
	if (s->cut)
		na_result_note(r,
			       "%s device steps overlap the next one "
			       "and end where it begins",
			       na_grouped(s->cut));
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
