/* steps: the tables for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"

enum { SHOWN_HOSTS = 20, SHOWN_STEPS = 10 };

static void label(struct na_columns *c, const struct st_state *s)
{
	if (s->scope->store->n_runs > 1)
		na_columns_add(c, M_label, "label", NA_F_TEXT, 0, 0);
}

/* Where somebody could wait for a later device. */
static bool waits(const struct st_state *s)
{
	for (size_t i = 0; i < s->n_hosts; i++) {
		const struct st_host *h = &s->hosts[i];

		if (s->matched[h->run] &&
		    (h->exposed_ps[NA_NET_ICI] || h->exposed_ps[NA_NET_GPU]))
			return true;
	}
	return false;
}

static void hosts(struct na_result *r, const struct st_state *s)
{
	const struct na_value *body = na_result_body(r);
	struct na_columns c = {.n = 0};

	label(&c, s);
	na_columns_add(&c, M_host, "host", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_steps, "steps", NA_F_COUNT, 0, 0);
	na_columns_add(&c, M_mean_ms, "mean ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_p99_ms, "p99 ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_compute_ms, "compute ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_exposed_ms, "exposed ms", NA_F_NUMBER, 4, 0);
	if (waits(s))
		na_columns_add(&c, M_waiting_ms, "waiting ms", NA_F_NUMBER, 4,
			       0);
	na_columns_add(&c, M_idle_ms, "idle ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_gap_ms, "gap ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_overlap_share, "overlap %", NA_F_NUMBER, 3, 100);
	na_columns_add(&c, M_slowest_share, "slowest %", NA_F_NUMBER, 3, 100);
	na_columns_add(&c, M_behind_ms, "behind ms", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, M_cause, "cause", NA_F_TEXT, 0, 0);
	na_result_view(r, na_text_of(na_get(body, M_verdict), "hosts"),
		       na_get(body, M_hosts), NULL, c.c, c.n,
		       s->scope->top ? s->scope->top : SHOWN_HOSTS);
}

static void stragglers(struct na_result *r, const struct st_state *s)
{
	const struct na_value *list = na_get(na_result_body(r), M_stragglers);
	struct na_columns c = {.n = 0};

	label(&c, s);
	na_columns_add(&c, M_host, "host", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_cause, "cause", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_kind, "kind", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_of, "of", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_times, "last", NA_F_COUNT, 0, 0);
	na_columns_add(&c, M_tried, "tried", NA_F_COUNT, 0, 0);
	na_columns_add(&c, M_expected_share, "expected %", NA_F_NUMBER, 3, 100);
	na_columns_add(&c, M_q_value, "q", NA_F_NUMBER, 2, 0);
	na_columns_add(&c, M_behind_ms, "behind ms", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, M_lost_ms, "lost ms", NA_F_NUMBER, 3, 0);
	if (list && list->n)
		na_result_view(r, "stragglers", list, NULL, c.c, c.n, 0);
}

static void changes(struct na_result *r, const struct st_state *s)
{
	const struct na_value *list = na_get(na_result_body(r), M_changes);
	struct na_columns c = {.n = 0};

	label(&c, s);
	na_columns_add(&c, M_kind, "kind", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_host, "host", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_step, "from step", NA_F_COUNT, 0, 0);
	na_columns_add(&c, M_from_ms, "from ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_to_ms, "to ms", NA_F_NUMBER, 4, 0);
	if (list && list->n)
		na_result_view(r,
			       "changes over the steps (no host: mean of "
			       "all; else its own time beside the others')",
			       list, NULL, c.c, c.n,
			       s->scope->top ? s->scope->top : SHOWN_HOSTS);
}

struct ranked {
	const struct na_value *row;
	double ms;
	size_t at;
};

NA_ORDER(longest_first, struct ranked, NA_DOWN(ms), NA_UP(at))

static void copy(struct na_result *r, struct na_value *to,
		 const struct na_value *row)
{
	for (const struct na_value *v = row->u.of.first; v; v = v->next) {
		if (v->kind == NA_V_INT)
			na_put_int(r, to, v->name, v->u.i);
		else if (v->kind == NA_V_REAL)
			na_put_real(r, to, v->name, v->u.d);
		else if (v->kind == NA_V_TEXT)
			na_put_text(r, to, v->name, v->u.text);
		else
			na_put_null(r, to, v->name);
	}
}

/* The longest ones, side by side with who was slowest in them. */
static bool steps(struct na_result *r, const struct st_state *s)
{
	const struct na_value *all = na_get(na_result_body(r), M_steps);
	struct na_value *list = na_put_list(r, na_result_side(r), "longest");
	size_t most = s->scope->top ? s->scope->top : SHOWN_STEPS, n = 0;
	struct ranked *x = calloc(all->n + 1, sizeof(*x));
	struct na_columns c = {.n = 0};

	if (!x)
		return false;
	for (const struct na_value *v = all->u.of.first; v; v = v->next, n++)
		x[n] = (struct ranked){v,
				       na_real_of(na_get(v, M_duration_ms), 0),
				       n};
	na_sort(x, n, longest_first);
	for (size_t i = 0; i < n && i < most; i++)
		copy(r, na_put_object(r, list, NULL), x[i].row);
	free(x);
	label(&c, s);
	na_columns_add(&c, M_step, "step", NA_F_COUNT, 0, 0);
	na_columns_add(&c, M_from_s, "from s", NA_F_NUMBER, 5, 0);
	na_columns_add(&c, M_duration_ms, "ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_compute_ms, "compute ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_exposed_ms, "exposed ms", NA_F_NUMBER, 4, 0);
	if (waits(s))
		na_columns_add(&c, M_waiting_ms, "waiting ms", NA_F_NUMBER, 4,
			       0);
	na_columns_add(&c, M_idle_ms, "idle ms", NA_F_NUMBER, 4, 0);
	na_columns_add(&c, M_spread_ms, "spread ms", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, M_slowest_host, "slowest host", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_behind_ms, "behind ms", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, M_cause, "cause", NA_F_TEXT, 0, 0);
	na_result_view(r, n > most ? "longest steps" : "steps, longest first",
		       list, NULL, c.c, c.n, 0);
	if (n > most)
		na_result_note(r,
			       "%zu shorter steps are not shown: --top N "
			       "shows more, --format csv all",
			       n - most);
	return true;
}

/* What to do about each cause that a straggler has. */
static void advise(struct na_result *r, const struct st_state *s)
{
	static const char *const what[ST_CAUSES] = {
		[ST_COMPUTATION] =
			"computation: compare the host's chips (clock, heat), "
			"its other processes and its share of the work with "
			"those of the others; it is not the network",
		[ST_INPUT] = "input: look at the host's data loading and CPUs; "
			     "it is not the network",
		[ST_NETWORK] = "network: netan pairs tells which side, path "
			       "or NIC, netan slack --waterfall what one "
			       "collective waited for",
		[ST_LATE_START] = "late_start: what came before the host's "
				  "first sends made them late: its own work, "
				  "or earlier sends; netan slack --waterfall "
				  "shows one collective, netan pairs its NIC",
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

static void coverage(struct na_result *r, const struct st_state *s)
{
	size_t programs = 0, untied = 0;

	for (size_t i = 0; i < s->n_lines; i++)
		programs += s->lines[i].programs;
	if (programs)
		na_result_note(r,
			       "%zu device%s without a Steps line: each run of "
			       "the program that takes most time is a step%s",
			       programs, programs == 1 ? "" : "s",
			       s->by_order ? ", numbered in order" : "");
	for (size_t i = 0; i < s->n_hosts; i++) {
		untied += s->hosts[i].n && !st_is_tied(s, s->hosts[i].host);
	}
	if (untied && s->n_hosts > 1)
		na_result_note(r,
			       "%zu host%s without transfers in both "
			       "directions: the clock is not tied to the "
			       "others', only durations are compared",
			       untied, untied == 1 ? "" : "s");
	if (cut_by_window(s))
		na_result_note(r, "a launch at an end of the window may lack "
				  "what is outside of it");
	if (s->repeated)
		na_result_note(r,
			       "%" PRIu64 " device steps with a number that "
			       "came before on that device are left out",
			       s->repeated);
	if (s->unnamed)
		na_result_note(r,
			       "%" PRIu64 " device steps without a number are "
			       "left out",
			       s->unnamed);
	if (s->cut)
		na_result_note(r,
			       "%" PRIu64 " device steps overlap the next one "
			       "and end where it begins",
			       s->cut);
}

void st_views(struct na_result *r, const struct st_state *s)
{
	if (!s->used.n)
		return;
	hosts(r, s);
	stragglers(r, s);
	changes(r, s);
	if (!steps(r, s))
		return;
	advise(r, s);
	coverage(r, s);
}
