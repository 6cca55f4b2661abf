/* What a person sees of it, from the members of the result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/judges/xla_metrics/parts.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct na_value *body_list(const struct na_xla_case *c,
					const char *name)
{
	const struct na_value *list = na_get(na_result_body(c->r), name);

	return list && list->n ? list : NULL;
}

static void count_of(char *text, size_t size, size_t n, const char *what,
		     bool last)
{
	size_t at = strlen(text);

	if (n || (last && !at))
		snprintf(text + at, size - at, "%s%zu %s%s", at ? ", " : "", n,
			 what, n == 1 ? "" : "s");
}

static void headline(struct na_xla_case *c)
{
	size_t reports = 0, blocks = 0, hints = 0, n = c->asked->n_inputs;
	const struct na_xla_span *s = c->n_spans == 1 ? c->spans : NULL;
	char steps[200] = "", text[200] = "", more[60] = "";

	for (size_t i = 0; i < n; i++) {
		const struct na_xla_log *log = &c->asked->inputs[i].log;

		reports += log->reports;
		blocks += log->blocks;
		hints += log->hint_lines;
	}
	count_of(text, sizeof(text), reports, "metrics report", false);
	if (c->n_spans > 1)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 " of %zu processes", c->n_spans);
	count_of(text, sizeof(text), hints, "profiler line", false);
	count_of(text, sizeof(text), blocks, "analysis block", true);
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	if (s && !isnan(s->steps))
		snprintf(steps, sizeof(steps), "; %.0f steps (%s)", s->steps,
			 s->steps_from);
	na_result_headline(c->r, "%.200s%s: %s%s", c->asked->inputs[0].path,
			   more, text, steps);
}

static void questions(struct na_xla_case *c)
{
	na_result_text(c->r, NULL,
		       "Do compilations grow with steps? %s\n"
		       "Do device-to-host transfers grow with steps? %s\n"
		       "Does any operator lack a lowering? %s",
		       c->compilations.text, c->transfers.text,
		       c->lowering.text);
}

static void findings(struct na_xla_case *c)
{
	const struct na_value *list = body_list(c, "findings");
	const struct na_value *f = list ? list->u.of.first : NULL;

	for (; f; f = f->next) {
		char title[80];

		snprintf(title, sizeof(title), "%s: %s",
			 na_text_of(na_get(f, M_severity), ""),
			 na_text_of(na_get(f, M_id), ""));
		na_result_text(c->r, title, "%s\nRemedy: %s",
			       na_text_of(na_get(f, M_title), ""),
			       na_text_of(na_get(f, M_remedy), ""));
	}
}

static void operators(struct na_xla_case *c)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"op", "operator", NA_F_TEXT, 0, 0},
		{M_count, "times", NA_F_COUNT, 0, 0},
		{M_per_step, "per step", NA_F_NUMBER, 3, 0},
	};
	/* clang-format on */
	const struct na_value *list = body_list(c, "findings");
	const struct na_value *f = list ? list->u.of.first : NULL;

	for (; f; f = f->next) {
		const struct na_value *ops = na_dig(f, "evidence.ops");

		if (ops && ops->n)
			na_result_view(c->r, "Operators without a lowering",
				       ops, NULL, cols, COUNT(cols),
				       c->asked->top);
	}
}

static void stacks(struct na_xla_case *c)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_count, "times", NA_F_COUNT, 0, 0},
		{M_what, "what", NA_F_TEXT, 0, 0},
		{M_graphs, "graphs", NA_F_COUNT, 0, 0},
		{M_cause, "cause", NA_F_TEXT, 0, 0},
		{M_user_frame, "user's frame", NA_F_TEXT, 0, 0},
		{M_operator, "calls", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	const struct na_value *list = body_list(c, "stacks");

	if (list)
		na_result_view(c->r,
			       "Python stacks behind compilations and "
			       "executions",
			       list, NULL, cols, COUNT(cols), c->asked->top);
}

/* ---- metrics by unit */

static double of(const struct na_value *row, const char *name)
{
	return na_real_of(na_dig(row, name), NAN);
}

static void put_row(struct na_xla_case *c, struct na_value *list,
		    const struct na_value *m, const char *unit)
{
	struct na_value *row = na_put_object(c->r, list, NULL);
	char name[40];

	na_put_text(c->r, row, M_process,
		    na_text_of(na_get(m, M_process), NULL));
	na_put_text(c->r, row, M_name, na_text_of(na_get(m, M_name), NULL));
	na_put_int(c->r, row, M_samples, na_int_of(na_get(m, M_samples), 0));
	na_put_real(c->r, row, M_per_step, of(m, M_per_step));
	na_put_real(c->r, row, M_per_s, of(m, M_per_s));
	na_put_real(c->r, row, M_recent_per_s, of(m, M_recent_per_s));
	snprintf(name, sizeof(name), "total%s", unit);
	na_put_real(c->r, row, M_total, of(m, name));
	snprintf(name, sizeof(name), "percentiles.p50%s", unit);
	na_put_real(c->r, row, M_p50, of(m, name));
	snprintf(name, sizeof(name), "percentiles.p99%s", unit);
	na_put_real(c->r, row, M_p99, of(m, name));
}

static void metrics_of(struct na_xla_case *c, const char *kind,
		       const char *unit, const char *title,
		       const struct na_column *values)
{
	struct na_column cols[9];
	size_t n = 0;
	struct na_value *list = na_put_list(c->r, na_result_side(c->r), kind);
	const struct na_value *all = body_list(c, "metrics");
	const struct na_value *m = all ? all->u.of.first : NULL;
	bool timed = false;

	for (size_t i = 0; i < c->n_spans; i++)
		timed = timed || !isnan(c->spans[i].seconds);
	for (; m && list; m = m->next) {
		if (strcmp(na_text_of(na_get(m, M_kind), ""), kind) == 0)
			put_row(c, list, m, unit);
	}
	if (!list || !list->n)
		return;
	if (c->n_spans > 1)
		cols[n++] = (struct na_column){M_process, "process", NA_F_TEXT,
					       0, 0};
	cols[n++] = (struct na_column){M_name, "metric", NA_F_TEXT, 0, 0};
	cols[n++] = (struct na_column){M_samples, "samples", NA_F_COUNT, 0, 0};
	cols[n++] = (struct na_column){M_per_step, "per step", NA_F_NUMBER, 3,
				       0};
	if (timed)
		cols[n++] = (struct na_column){M_per_s, "per s", NA_F_NUMBER, 3,
					       0};
	cols[n++] = (struct na_column){M_recent_per_s, "recent per s",
				       NA_F_NUMBER, 3, 0};
	memcpy(cols + n, values, 3 * sizeof(*values));
	na_result_view(c->r, title, list, NULL, cols, n + 3, c->asked->top);
}

static void metrics(struct na_xla_case *c)
{
	/* clang-format off */
	static const struct na_column times[] = {
		{M_total, "total s", NA_F_NUMBER, 4, 0},
		{M_p50, "p50 ms", NA_F_NUMBER, 4, 1e3},
		{M_p99, "p99 ms", NA_F_NUMBER, 4, 1e3},
	};
	static const struct na_column bytes[] = {
		{M_total, "total MB", NA_F_NUMBER, 4, 1e-6},
		{M_p50, "p50 kB", NA_F_NUMBER, 4, 1e-3},
		{M_p99, "p99 kB", NA_F_NUMBER, 4, 1e-3},
	};
	static const struct na_column numbers[] = {
		{M_total, "total", NA_F_NUMBER, 4, 0},
		{M_p50, "p50", NA_F_NUMBER, 4, 0},
		{M_p99, "p99", NA_F_NUMBER, 4, 0},
	};
	/* clang-format on */

	metrics_of(c, "time", "_s", "Times", times);
	metrics_of(c, "bytes", "_bytes", "Sizes", bytes);
	metrics_of(c, "number", "", "Numbers", numbers);
}

static void counters(struct na_xla_case *c)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_process, "process", NA_F_TEXT, 0, 0},
		{M_name, "counter", NA_F_TEXT, 0, 0},
		{M_value, "value", NA_F_COUNT, 0, 0},
		{M_per_step, "per step", NA_F_NUMBER, 3, 0},
	};
	/* clang-format on */
	const struct na_value *list = body_list(c, "counters");
	size_t skip = c->n_spans == 1;

	if (list)
		na_result_view(c->r, "Counters", list, NULL, cols + skip,
			       COUNT(cols) - skip, c->asked->top);
}

void na_xla_views(struct na_xla_case *c)
{
	headline(c);
	questions(c);
	findings(c);
	operators(c);
	stacks(c);
	metrics(c);
	counters(c);
}
