/* Which reports belong together, and how many steps lie between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/xla_metrics/state.h"
#include "netan/base/units.h"

const char *na_xla_who(const struct na_xla_span *s, char buf[NA_XLA_WHO])
{
	const char *name = s->label ? s->label : s->path;

	if (s->prefix)
		snprintf(buf, NA_XLA_WHO, "%.150s, process %.120s", name,
			 s->prefix);
	else
		snprintf(buf, NA_XLA_WHO, "%.200s", name);
	return buf;
}

/* ---- what grew */

static int64_t samples_in(const struct na_xla_log *log,
			  const struct na_xla_report *r, const char *name,
			  bool *there)
{
	const struct na_xla_metric *m = r ? na_xla_metric_named(log, r, name)
					  : NULL;

	*there = m != NULL;
	return m ? (int64_t)m->samples : 0;
}

static int64_t value_in(const struct na_xla_log *log,
			const struct na_xla_report *r, const char *name,
			bool *there)
{
	const struct na_xla_counter *x = r ? na_xla_counter_named(log, r, name)
					   : NULL;

	*there = x != NULL;
	return x ? x->value : 0;
}

typedef int64_t look(const struct na_xla_log *log,
		     const struct na_xla_report *r, const char *name,
		     bool *there);

/* Reports leave out what is zero; but what was counted once stays, and all
 * of them end with counters. */
static struct na_xla_grown grown(const struct na_xla_span *s, const char *name,
				 look *in)
{
	struct na_xla_grown g = {.last_by = -1};
	bool there;

	g.to = in(s->to_log, s->to, name, &g.there);
	g.by = g.to - in(s->from_log, s->from, name, &there);
	g.lost = !g.there && (there || !s->to->n_counters);
	if (s->before)
		g.last_by = g.to - in(s->to_log, s->before, name, &there);
	g.by = g.by < 0 ? 0 : g.by;
	return g;
}

struct na_xla_grown na_xla_samples(const struct na_xla_span *s,
				   const char *metric)
{
	return grown(s, metric, samples_in);
}

struct na_xla_grown na_xla_count_of(const struct na_xla_span *s,
				    const char *counter)
{
	return grown(s, counter, value_in);
}

/* ---- steps */

static bool steps_by(struct na_xla_span *s, struct na_xla_grown g,
		     const char *name)
{
	if (g.by <= 0)
		return false;
	s->steps = (double)g.by;
	s->steps_from = name;
	s->steps_before = s->from ? (double)(g.to - g.by) : 0;
	s->last_steps = g.last_by >= 0 ? (double)g.last_by : NAN;
	return true;
}

static bool steps_by_title(struct na_xla_span *s)
{
	int64_t from = s->from ? s->from->step : 0;

	if (s->to->step < 0 || from < 0 || s->to->step <= from)
		return false;
	s->steps = (double)(s->to->step - from);
	s->steps_from = "the titles of the reports";
	s->steps_before = (double)from;
	if (s->before && s->before->step >= 0 && s->before->step < s->to->step)
		s->last_steps = (double)(s->to->step - s->before->step);
	return true;
}

static void find_steps(struct na_xla_span *s, int64_t asked)
{
	static const char *const executions[] = {"ExecuteReplicatedTime",
						 "ExecuteChainedTime",
						 "ExecuteTime", NULL};
	bool found = steps_by_title(s) ||
		     steps_by(s, na_xla_count_of(s, "MarkStep"), "MarkStep") ||
		     steps_by(s, na_xla_count_of(s, "ExecuteComputation"),
			      "ExecuteComputation");

	for (size_t i = 0; !found && executions[i]; i++)
		found = steps_by(s, na_xla_samples(s, executions[i]),
				 executions[i]);
	if (!asked)
		return;
	/* What the reports tell is in another proportion then. */
	if (found && !isnan(s->last_steps))
		s->last_steps *= (double)asked / s->steps;
	s->steps = (double)asked;
	s->steps_from = "--steps";
	if (!s->from)
		s->steps_before = 0;
}

static void find_seconds(struct na_xla_span *s)
{
	const struct na_xla_stamp *a, *b;

	if (!s->from)
		return;
	a = &s->from->stamp;
	b = &s->to->stamp;
	if (a->kind == b->kind && a->kind != NA_XLA_NO_STAMP && b->us > a->us)
		s->seconds = (double)(b->us - a->us) / NA_US_PER_S;
}

/* ---- who is compared with whom */

/* The k-th process of an input. */
static enum na_status add_span(struct na_xla_case *c,
			       const struct na_xla_input *in, size_t k,
			       struct na_err *err)
{
	const struct na_xla_process *p = &in->log.processes[k];
	struct na_xla_span span;
	bool alone = true;

	for (size_t i = 0; i < in->log.n_processes; i++)
		alone = alone && (i == k || !in->log.processes[i].n_reports);
	span = (struct na_xla_span){
		.path = in->path,
		.label = in->label,
		.prefix = alone || p->prefix == NA_NO_NAME
				  ? NULL
				  : na_strtab_at(&in->log.names, p->prefix),
		.from_log = &in->log,
		.to_log = &in->log,
		.from = p->n_reports > 1 ? &p->first : NULL,
		.before = p->n_reports > 2 ? &p->before : NULL,
		.to = &p->last,
		.reports = p->n_reports,
		.steps = NAN,
		.steps_before = NAN,
		.last_steps = NAN,
		.seconds = NAN,
	};
	return na_add(&c->spans, span) ? NA_OK : na_fail_nomem(err);
}

static void say_restarts(struct na_xla_case *c, const struct na_xla_input *in)
{
	for (size_t i = 0; i < in->log.n_processes; i++) {
		const struct na_xla_process *p = &in->log.processes[i];
		char more[60] = "";

		if (!p->restarts)
			continue;
		if (p->restarts > 1)
			snprintf(more, sizeof(more), " (%zu times so far)",
				 p->restarts);
		na_result_note(c->r,
			       "%.200s: not one run: %.100s shrinks at line "
			       "%llu%s, so the process began anew or cleared "
			       "its counters; what is above it is not used",
			       in->path,
			       na_strtab_at(&in->log.names, p->shrank),
			       (unsigned long long)p->restart_line, more);
	}
}

/* Two files with a report each may be the start and the end of one run. */
static bool is_pair(const struct na_xla_case *c)
{
	const char *a = c->asked->inputs[0].label;
	const char *b = c->spans.n == 2 ? c->asked->inputs[1].label : NULL;

	if (c->asked->n_inputs != 2 || c->spans.n != 2 ||
	    c->spans.v[0].path == c->spans.v[1].path)
		return false;
	return c->spans.v[0].reports == 1 && c->spans.v[1].reports == 1 &&
	       (a == b || (a && b && strcmp(a, b) == 0));
}

/* Two workers at the same step, rather than one at two. */
static bool same_step(const struct na_xla_span *a, const struct na_xla_span *b)
{
	struct na_xla_grown x = na_xla_count_of(a, "MarkStep");
	struct na_xla_grown y = na_xla_count_of(b, "MarkStep");

	return x.there && y.there && x.to == y.to;
}

static void pair_up(struct na_xla_case *c)
{
	struct na_xla_span *a = &c->spans.v[0], *b = &c->spans.v[1], late;
	const char *shrinks = na_xla_shrinks(a->to_log, a->to, b->to_log,
					     b->to);

	if (same_step(a, b)) {
		na_result_note(c->r,
			       "%.200s and %.200s are at the same step: they "
			       "are taken for two processes",
			       a->path, b->path);
		return;
	}
	if (shrinks && na_xla_shrinks(b->to_log, b->to, a->to_log, a->to)) {
		na_result_note(c->r,
			       "not two reports of one run: %.100s shrinks "
			       "from %.200s to %.200s, and others grow; each "
			       "is judged by itself",
			       shrinks, a->path, b->path);
		return;
	}
	if (shrinks) {
		late = *a;
		*a = *b;
		*b = late;
	}
	na_result_note(c->r,
		       "taken for two reports of one run, %.200s the earlier "
		       "one, for its counts are smaller; --label NAME before "
		       "each keeps two processes apart",
		       a->path);
	b->from_log = a->to_log;
	b->from = a->to;
	b->reports = 2;
	*a = *b;
	c->spans.n = 1;
}

enum na_status na_xla_spans(struct na_xla_case *c, struct na_err *err)
{
	for (size_t i = 0; i < c->asked->n_inputs; i++) {
		const struct na_xla_input *in = &c->asked->inputs[i];

		for (size_t k = 0; k < in->log.n_processes; k++) {
			if (in->log.processes[k].n_reports &&
			    add_span(c, in, k, err) != NA_OK)
				return err->status;
		}
		say_restarts(c, in);
	}
	if (is_pair(c))
		pair_up(c);
	for (size_t i = 0; i < c->spans.n; i++) {
		find_steps(&c->spans.v[i], c->asked->steps);
		find_seconds(&c->spans.v[i]);
	}
	return NA_OK;
}
