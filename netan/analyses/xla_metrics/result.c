/* The result of `netan xla-metrics`, and how it comes about. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/xla_metrics/state.h"
#include "netan/base/units.h"

bool na_xla_tells(const struct na_xla_log *log)
{
	return log->reports || log->n_hints || log->n_stacks;
}

/* ---- metrics */

static const char *unit_of(enum na_xla_kind kind)
{
	return kind == NA_XLA_TIME    ? "_s"
	       : kind == NA_XLA_BYTES ? "_bytes"
				      : "";
}

static double number_of(const struct na_xla_value *v)
{
	if (v->kind == NA_XLA_NONE)
		return NAN;
	return v->kind == NA_XLA_TIME ? (double)v->ns / (double)NA_NS_PER_S
				      : v->number;
}

/* "total" as total_s, total_bytes or total. */
static void put_value(struct na_result *r, struct na_value *to,
		      const char *name, const struct na_xla_value *v)
{
	char full[80];

	if (v->kind == NA_XLA_NONE)
		return;
	snprintf(full, sizeof(full), "%s%s", name, unit_of(v->kind));
	na_put_real(r, to, full, number_of(v));
}

static void put_percentiles(struct na_result *r, struct na_value *row,
			    const struct na_xla_metric *m)
{
	struct na_value *to = na_put_object(r, row, M_percentiles);

	for (size_t i = 0; i < m->n_percentiles; i++) {
		const struct na_xla_percentile *p = &m->percentiles[i];
		char name[40];

		snprintf(name, sizeof(name), "p%.6g", p->percent);
		for (char *c = name; *c; c++)
			*c = *c == '.' ? '_' : *c; /* p99_9 */
		/* One list may not be in two units, but hostile ones are. */
		if (!na_get(to, name))
			put_value(r, to, name, &p->value);
	}
}

/* How fast it grows, between two reports or since the start. */
static void put_rates(struct na_result *r, struct na_value *row,
		      const struct na_xla_span *s, struct na_xla_grown g)
{
	na_put_real(r, row, M_per_step, (double)g.by / s->steps);
	na_put_real(r, row, M_per_s, (double)g.by / s->seconds);
}

static void put_process(struct na_result *r, struct na_value *row,
			const struct na_xla_case *c,
			const struct na_xla_span *s)
{
	char who[NA_XLA_WHO];

	na_put_text(r, row, M_process,
		    c->spans.n > 1 ? na_xla_who(s, who) : NULL);
}

static void put_metric(struct na_xla_case *c, struct na_value *list,
		       const struct na_xla_span *s,
		       const struct na_xla_metric *m)
{
	/* clang-format off */
	static const char *const kinds[] = {
		[NA_XLA_NONE] = NULL, [NA_XLA_TIME] = "time",
		[NA_XLA_BYTES] = "bytes", [NA_XLA_NUMBER] = "number",
	};
	/* clang-format on */
	const char *name = na_strtab_at(&s->to_log->names, m->name);
	struct na_xla_grown g = na_xla_samples(s, name);
	const struct na_xla_metric *before =
		s->from ? na_xla_metric_named(s->from_log, s->from, name)
			: NULL;
	struct na_result *r = c->r;
	struct na_value *row = na_put_object(r, list, NULL);
	double from = before && before->total.kind == m->total.kind
			      ? number_of(&before->total)
			      : 0;

	na_put_text(r, row, M_name, name);
	na_put_text(r, row, M_kind, kinds[m->total.kind]);
	na_put_int(r, row, M_samples, (int64_t)m->samples);
	put_value(r, row, M_total, &m->total);
	put_rates(r, row, s, g);
	if (s->from)
		na_put_int(r, row, M_new_samples, g.by);
	if (s->from && m->total.kind == NA_XLA_TIME)
		na_put_real(r, row, M_new_s, number_of(&m->total) - from);
	else if (s->from && m->total.kind == NA_XLA_BYTES)
		na_put_real(r, row, M_new_bytes, number_of(&m->total) - from);
	na_put_real(r, row, M_recent_per_s, m->rate);
	put_value(r, row, M_recent_value_per_s, &m->value_rate);
	put_percentiles(r, row, m);
	put_process(r, row, c, s);
}

static void put_metrics(struct na_xla_case *c)
{
	struct na_value *list = na_put_list(c->r, na_result_body(c->r),
					    M_metrics);

	for (size_t i = 0; i < c->spans.n; i++) {
		const struct na_xla_span *s = &c->spans.v[i];

		for (size_t k = 0; k < s->to->n_metrics; k++)
			put_metric(c, list, s, &s->to->metrics[k]);
	}
}

static void put_counters(struct na_xla_case *c)
{
	struct na_result *r = c->r;
	struct na_value *list = na_put_list(r, na_result_body(r), M_counters);

	for (size_t i = 0; i < c->spans.n; i++) {
		const struct na_xla_span *s = &c->spans.v[i];

		for (size_t k = 0; k < s->to->n_counters; k++) {
			const struct na_xla_counter *x = &s->to->counters[k];
			const char *name = na_strtab_at(&s->to_log->names,
							x->name);
			struct na_xla_grown g = na_xla_count_of(s, name);
			struct na_value *row = na_put_object(r, list, NULL);

			na_put_text(r, row, M_name, name);
			na_put_int(r, row, M_value, x->value);
			put_rates(r, row, s, g);
			if (s->from)
				na_put_int(r, row, M_new, g.by);
			put_process(r, row, c, s);
		}
	}
}

/* ---- who, and the answers */

static void put_processes(struct na_xla_case *c)
{
	struct na_result *r = c->r;
	struct na_value *list = na_put_list(r, na_result_body(r), M_processes);

	for (size_t i = 0; i < c->spans.n; i++) {
		const struct na_xla_span *s = &c->spans.v[i];
		struct na_value *row = na_put_object(r, list, NULL);
		char who[NA_XLA_WHO];

		na_put_text(r, row, M_process, na_xla_who(s, who));
		na_put_int(r, row, M_reports, (int64_t)s->reports);
		na_put_real(r, row, M_steps, s->steps);
		na_put_text(r, row, M_steps_from, s->steps_from);
		na_put_real(r, row, M_seconds, s->seconds);
		na_put_int(r, row, M_last_report_line,
			   (int64_t)s->to->first_line);
	}
}

static void put_answer(struct na_result *r, struct na_value *to,
		       const char *name, const struct na_xla_question *q)
{
	struct na_value *x = na_put_object(r, to, name);

	na_put_text(r, x, M_answer,
		    q->answer == NA_XLA_CANNOT_TELL ? "cannot_tell"
		    : q->answer == NA_XLA_NO        ? "no"
						    : "yes");
	na_put_text(r, x, M_text, q->text);
}

static void put_answers(struct na_xla_case *c)
{
	struct na_value *to = na_put_object(c->r, na_result_body(c->r),
					    M_questions);

	put_answer(c->r, to, M_compilations_grow, &c->compilations);
	put_answer(c->r, to, M_transfers_grow, &c->transfers);
	put_answer(c->r, to, M_operators_unlowered, &c->lowering);
}

/* ---- what was not used */

static void note_lost(struct na_xla_case *c, const char *path, uint64_t n,
		      const char *before, const char *behind)
{
	if (n)
		na_result_note(c->r, "%.200s: %s%" PRIu64 " %s", path, before,
			       n, behind);
}

static void note_all_lost(struct na_xla_case *c)
{
	for (size_t i = 0; i < c->asked->n_inputs; i++) {
		const struct na_xla_input *in = &c->asked->inputs[i];

		note_lost(c, in->path, in->log.unfinished, "",
			  "reports end amid a metric: the log is cut off, or "
			  "other lines came between");
		note_lost(c, in->path, in->log.damaged, "",
			  "values could not be read and are left out");
		note_lost(c, in->path, in->log.left_out,
			  "more than can be kept: ", "items are left out");
	}
}

static void put_program(struct na_xla_case *c)
{
	double largest = 0;

	for (size_t i = 0; i < c->asked->n_inputs; i++) {
		double gb = c->asked->inputs[i].log.program_gb;

		largest = gb > largest ? gb : largest;
	}
	if (largest > 0)
		na_put_real(c->r, na_result_body(c->r), M_largest_program_gb,
			    largest);
}

static void fill(struct na_xla_case *c)
{
	na_xla_answers(c);
	put_metrics(c);
	put_counters(c);
	na_xla_put_stacks(c);
	na_xla_findings(c);
	put_answers(c);
	put_processes(c);
	put_program(c);
	na_xla_views(c);
	note_all_lost(c);
}

enum na_status na_xla_judge(const struct na_xla_asked *asked,
			    struct na_result *r, enum na_severity *worst,
			    struct na_err *err)
{
	struct na_xla_case c = {.asked = asked, .r = r};

	if (na_xla_spans(&c, err) == NA_OK && na_xla_groups(&c, err) == NA_OK)
		fill(&c);
	*worst = c.worst;
	na_vec_free(&c.spans);
	na_vec_free(&c.groups);
	if (err->status == NA_OK && !na_result_ok(r))
		na_fail_nomem(err);
	return err->status;
}
