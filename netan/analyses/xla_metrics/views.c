/* What a person sees of it, from the members of the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/xla_metrics/state.h"
#include "netan/base/str.h"

static const struct na_value *body_list(const struct na_xla_case *c,
					const char *name)
{
	const struct na_value *list = na_get(na_result_body(c->r), name);

	return list && list->n ? list : NULL;
}

static void add_count(struct na_str *to, size_t n, const char *what, bool last)
{
	if (n || (last && !to->n))
		na_str_join(to, ", ", "%zu %s%s", n, what, na_plural(n));
}

static void headline(struct na_xla_case *c)
{
	size_t reports = 0, blocks = 0, hints = 0, n = c->asked->n_inputs;
	const struct na_xla_span *s = c->spans.n == 1 ? c->spans.v : NULL;
	char steps[200] = "", text[200], more[60] = "";
	struct na_str to = na_str_over(text, sizeof(text));

	for (size_t i = 0; i < n; i++) {
		const struct na_xla_log *log = &c->asked->inputs[i].log;

		reports += log->reports;
		blocks += log->blocks;
		hints += log->hint_lines;
	}
	add_count(&to, reports, "metrics report", false);
	if (c->spans.n > 1)
		na_str_addf(&to, " of %zu processes", c->spans.n);
	add_count(&to, hints, "profiler line", false);
	add_count(&to, blocks, "analysis block", true);
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	if (s && !isnan(s->steps))
		snprintf(steps, sizeof(steps), "; %.0f steps (%s)", s->steps,
			 s->steps_from);
	na_result_headline(c->r, "%.200s%s: %s%s", c->asked->inputs[0].path,
			   more, text, steps);
}

static void tell_answers(struct na_xla_case *c)
{
	na_result_text(c->r, NULL,
		       "Do compilations grow with steps? %s\n"
		       "Do device-to-host transfers grow with steps? %s\n"
		       "Does any operator lack a lowering? %s",
		       c->compilations.text, c->transfers.text,
		       c->lowering.text);
}

static void tell_findings(struct na_xla_case *c)
{
	na_for_each (f, body_list(c, M_findings)) {
		char title[80];

		snprintf(title, sizeof(title), "%s: %s",
			 na_text_at(f, M_severity), na_text_at(f, M_id));
		na_result_text(c->r, title, "%s\nRemedy: %s",
			       na_text_at(f, M_title), na_text_at(f, M_remedy));
	}
}

static void operators_view(struct na_xla_case *c)
{
	na_for_each (f, body_list(c, M_findings)) {
		const struct na_value *ops = na_dig(f, M_evidence "." M_ops);

		if (ops && ops->n)
			na_result_view(c->r, "Operators without a lowering",
				       ops, &na_table_xla_metrics_operator,
				       NA_COLUMNS({M_op}, {M_count},
						  {M_per_step}),
				       c->asked->top);
	}
}

static void stacks_view(struct na_xla_case *c)
{
	na_result_view(c->r, "Python stacks behind compilations and executions",
		       body_list(c, M_stacks), &na_table_xla_metrics_stacks,
		       NA_COLUMNS({M_count}, {M_what}, {M_graphs}, {M_cause},
				  {M_user_frame}, {M_operator}),
		       c->asked->top);
}

/* ---- metrics by unit */

static void metrics_of(struct na_xla_case *c, const char *kind,
		       const char *title, const struct na_column values[3])
{
	struct na_value *list = na_put_list(c->r, na_result_side(c->r), kind);
	struct na_columns cols = {.n = 0};
	bool timed = false;

	for (size_t i = 0; i < c->spans.n; i++)
		timed = timed || !isnan(c->spans.v[i].seconds);
	na_for_each (m, body_list(c, M_metrics)) {
		if (strcmp(na_text_at(m, M_kind), kind) == 0)
			na_put_alias(c->r, list, NULL, m);
	}
	if (!list || !list->n)
		return;
	if (c->spans.n > 1)
		cols.c[cols.n++].field = M_process;
	cols.c[cols.n++].field = M_name;
	cols.c[cols.n++].field = M_samples;
	cols.c[cols.n++].field = M_per_step;
	if (timed)
		cols.c[cols.n++].field = M_per_s;
	cols.c[cols.n++].field = M_recent_per_s;
	for (size_t i = 0; i < 3; i++)
		cols.c[cols.n++] = values[i];
	na_result_view(c->r, title, list, &na_table_xla_metrics_metrics, cols.c,
		       cols.n, c->asked->top);
}

static void metrics_views(struct na_xla_case *c)
{
	static const struct na_column times[] = {
		{M_total_s},
		{M_percentiles "." M_p50_s, "p50 ms", NA_F_NUMBER, 4, 1e3},
		{M_percentiles "." M_p99_s, "p99 ms", NA_F_NUMBER, 4, 1e3},
	};
	static const struct na_column bytes[] = {
		{M_total_bytes},
		{M_percentiles "." M_p50_bytes, "p50 KiB", NA_F_NUMBER, 4,
		 0x1p-10},
		{M_percentiles "." M_p99_bytes, "p99 KiB", NA_F_NUMBER, 4,
		 0x1p-10},
	};
	static const struct na_column numbers[] = {
		{M_total},
		{M_percentiles "." M_p50, "p50", NA_F_NUMBER, 4},
		{M_percentiles "." M_p99, "p99", NA_F_NUMBER, 4},
	};

	metrics_of(c, "time", "Times", times);
	metrics_of(c, "bytes", "Sizes", bytes);
	metrics_of(c, "number", "Numbers", numbers);
}

static void counters_view(struct na_xla_case *c)
{
	static const struct na_column cols[] = {{M_process},
						{M_name},
						{M_value},
						{M_per_step}};
	size_t skip = c->spans.n == 1;

	na_result_view(c->r, "Counters", body_list(c, M_counters),
		       &na_table_xla_metrics_counters, cols + skip,
		       NA_LEN(cols) - skip, c->asked->top);
}

void na_xla_views(struct na_xla_case *c)
{
	headline(c);
	tell_answers(c);
	tell_findings(c);
	operators_view(c);
	stacks_view(c);
	metrics_views(c);
	counters_view(c);
}
