/* Findings, as those of check: what, with which numbers, what to do; worst
 * first, so they are gone through once for each severity. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/xla_metrics/state.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

/* Limits of the client-side profiler itself. */
#define COMPILE_SLOW_S 300.0
#define EXECUTE_SLOW_S 30.0
#define TOO_FREQUENT   0.5 /* per step */

enum { OPS_MAX = 100 };

static struct na_value *finding(struct na_xla_case *c, const char *id,
				enum na_severity severity, const char *title,
				const char *remedy)
{
	struct na_value *row, *evidence;

	if (severity != c->pass)
		return NULL;
	row = na_put_object(c->r, c->findings, NULL);
	na_put_text(c->r, row, M_id, id);
	na_put_text(c->r, row, M_severity, na_severity_name(severity));
	na_put_text(c->r, row, M_title, title);
	evidence = na_put_object(c->r, row, M_evidence);
	na_put_null(c->r, row, M_from_s);
	na_put_null(c->r, row, M_to_s);
	na_put_text(c->r, row, M_confidence, "certain");
	na_put_text(c->r, row, M_remedy, remedy);
	na_put_null(c->r, row, M_command);
	if (severity > c->worst)
		c->worst = severity;
	return evidence;
}

static void put_where(struct na_xla_case *c, struct na_value *to,
		      const struct na_xla_span *s)
{
	char who[NA_XLA_WHO];

	if (!s)
		return;
	na_put_text(c->r, to, M_process, na_xla_who(s, who));
	na_put_real(c->r, to, M_steps, s->steps);
	na_put_text(c->r, to, M_steps_from, s->steps_from);
}

static const struct na_xla_group *first_stack(const struct na_xla_case *c,
					      bool execution, bool early)
{
	for (size_t i = 0; i < c->groups.n; i++) {
		const struct na_xla_group *g = &c->groups.v[i];

		if (early ? g->early : g->stack->execution == execution)
			return g;
	}
	return NULL;
}

/* Where in the user's code, of the stack seen most; and what is called
 * there.  What is built in has no frame. */
static const char *at_frame(const struct na_xla_group *g, char *buf,
			    size_t size)
{
	const char *called = g && g->early ? ".item(), torch.equal or a "
					     "condition there"
					   : "";

	*buf = 0;
	if (!g || !g->user)
		return buf;
	called = g->operator? g->operator: called;
	snprintf(buf, size, ", most often at %.150s%s%.150s", g->user,
		 *called ? ": " : "", called);
	return buf;
}

static void put_stack(struct na_xla_case *c, struct na_value *to,
		      const struct na_xla_group *g)
{
	if (!g)
		return;
	na_put_text(c->r, to, M_user_frame, g->user);
	na_put_text(c->r, to, M_operator, g->operator);
	na_put_int(c->r, to, M_stack_count, (int64_t)g->count);
	na_put_int(c->r, to, M_stack_graphs, (int64_t)g->graphs);
}

static const char *of_processes(const struct na_xla_case *c, size_t n,
				char *buf, size_t size)
{
	*buf = 0;
	if (c->spans.n > 1 && n)
		snprintf(buf, size, " (in %zu of %zu processes)", n,
			 c->spans.n);
	return buf;
}

/* That it happens so often per step, in so many processes, mostly there. */
static struct na_value *put_growth(struct na_xla_case *c, const char *id,
				   const struct na_xla_question *q,
				   enum na_severity severity, const char *what,
				   const struct na_xla_group *g,
				   const char *remedy)
{
	char title[900], rate[NA_UNIT_BUF], where[400], procs[80];
	struct na_value *to;

	snprintf(title, sizeof(title), "%s: %s per step%s%s", what,
		 na_print_number(rate, q->per_step, 3),
		 of_processes(c, q->processes, procs, sizeof(procs)),
		 at_frame(g, where, sizeof(where)));
	to = finding(c, id, severity, title, remedy);
	na_put_text(c->r, to, M_metric, q->name);
	na_put_int(c->r, to, M_count, q->count);
	na_put_real(c->r, to, M_per_step, q->per_step);
	return to;
}

static void recompilation(struct na_xla_case *c)
{
	const struct na_xla_question *q = &c->compilations;
	const struct na_xla_group *g = first_stack(c, false, false);
	struct na_xla_grown uncached = {.there = false};
	struct na_value *to;

	if (q->answer != NA_XLA_YES)
		return;
	to = put_growth(
		c, "recompilation", q,
		q->per_step > TOO_FREQUENT ? NA_SEV_ERROR : NA_SEV_WARNING,
		"the program is compiled again and again", g,
		"shapes or graphs change from step to step: pad or bucket "
		"inputs to few shapes, and keep values that change out of the "
		"graph; with PT_XLA_DEBUG_LEVEL=1 the log names the Python "
		"line of each compilation");
	if (q->span)
		uncached = na_xla_count_of(q->span, "UncachedCompile");
	if (uncached.there)
		na_put_int(c->r, to, M_uncached, uncached.by);
	put_where(c, to, q->span);
	put_stack(c, to, g);
}

static void transfers(struct na_xla_case *c)
{
	const struct na_xla_question *q = &c->transfers;
	const struct na_xla_group *g = first_stack(c, true, true);
	struct na_value *to;

	if (q->answer < NA_XLA_SLOWLY)
		return;
	to = put_growth(
		c, "device-to-host-transfers", q,
		q->answer == NA_XLA_YES ? NA_SEV_WARNING : NA_SEV_INFO,
		"values are fetched from the device", g,
		"look for .item(), print(), torch.equal and conditions on "
		"tensors in the step; log less often, or in a step closure "
		"(xm.add_step_closure)");
	na_put_int(c->r, to, M_log_interval, c->asked->log_interval);
	put_where(c, to, q->span);
	put_stack(c, to, g);
}

/* ---- early evaluation */

/* The process in which values are fetched most. */
static const struct na_xla_span *
most_early(const struct na_xla_case *c, struct na_xla_grown *most, size_t *n)
{
	const struct na_xla_span *found = NULL;

	*n = 0;
	for (size_t i = 0; i < c->spans.n; i++) {
		struct na_xla_grown g =
			na_xla_count_of(&c->spans.v[i],
					"aten::_local_scalar_dense");

		if (g.by <= 0)
			continue;
		++*n;
		if (!found || g.by > most->by) {
			found = &c->spans.v[i];
			*most = g;
		}
	}
	return found;
}

static void early_evaluation(struct na_xla_case *c)
{
	struct na_xla_grown g = {.by = 0};
	size_t n;
	const struct na_xla_span *s = most_early(c, &g, &n);
	const struct na_xla_group *stack = first_stack(c, true, true);
	char title[900], where[400], procs[80], count[120];
	bool logging;
	struct na_value *to;

	if (!s && !stack)
		return;
	if (s)
		snprintf(count, sizeof(count),
			 "aten::_local_scalar_dense %" PRId64 " times", g.by);
	else
		snprintf(count, sizeof(count),
			 "%" PRIu64 " graphs were cut before the end of a step",
			 stack->count);
	logging = s && !stack &&
		  (double)g.by <=
			  2 * s->steps / (double)c->asked->log_interval + 1;
	snprintf(title, sizeof(title), "tensors are evaluated early: %s%s%s%s",
		 count, logging ? ", no more than logging takes" : "",
		 of_processes(c, n, procs, sizeof(procs)),
		 at_frame(stack, where, sizeof(where)));
	to = finding(c, "early-evaluation",
		     logging ? NA_SEV_INFO : NA_SEV_WARNING, title,
		     "the value of a tensor is asked for within the step "
		     "(.item(), a condition, torch.equal): keep it on the "
		     "device (torch.where), or ask at the end of the step; "
		     "with PT_XLA_DEBUG_LEVEL=2 the log names the Python line "
		     "of each");
	na_put_text(c->r, to, M_op, "aten::_local_scalar_dense");
	na_put_int(c->r, to, M_count, s ? g.by : (int64_t)stack->count);
	na_put_real(c->r, to, M_per_step,
		    s ? (double)g.by / s->steps : (double)NAN);
	put_where(c, to, s);
	put_stack(c, to, stack);
}

/* ---- operators without a lowering */

static void put_ops_of_log(struct na_xla_case *c, struct na_value *list,
			   const struct na_xla_log *log)
{
	for (size_t i = 0; i < log->n_hints; i++) {
		const struct na_xla_hint *h = &log->hints[i];
		struct na_value *row;

		if (h->kind != NA_XLA_NOT_LOWERED || list->n >= OPS_MAX)
			continue;
		row = na_put_object(c->r, list, NULL);
		na_put_text(c->r, row, M_op,
			    na_strtab_at(&log->names, h->name));
		na_put_null(c->r, row, M_count);
		na_put_null(c->r, row, M_per_step);
	}
}

/* Most frequent first, one after the other: there are few. */
static void put_ops_of_span(struct na_xla_case *c, struct na_value *list,
			    const struct na_xla_span *s)
{
	const struct na_xla_report *to = s->to;
	int64_t below = INT64_MAX;
	size_t after = 0;

	while (list->n < OPS_MAX) {
		const struct na_xla_counter *best = NULL;
		struct na_value *row;
		const char *name;

		/* The next in the order of count, then place. */
		for (size_t i = 0; i < to->n_counters; i++) {
			const struct na_xla_counter *k = &to->counters[i];

			name = na_strtab_at(&s->to_log->names, k->name);
			if (!na_xla_unlowered(name) || k->value <= 0 ||
			    k->value > below ||
			    (k->value == below && i < after))
				continue;
			if (!best || k->value > best->value)
				best = k;
		}
		if (!best)
			return;
		below = best->value;
		after = (size_t)(best - to->counters) + 1;
		name = na_strtab_at(&s->to_log->names, best->name);
		row = na_put_object(c->r, list, NULL);
		na_put_text(c->r, row, M_op, name);
		na_put_int(c->r, row, M_count, best->value);
		na_put_real(c->r, row, M_per_step,
			    (double)na_xla_count_of(s, name).by / s->steps);
	}
}

static void unlowered(struct na_xla_case *c)
{
	const struct na_xla_question *q = &c->lowering;
	char title[400], procs[80];
	struct na_value *to, *list;

	if (q->answer != NA_XLA_YES)
		return;
	snprintf(title, sizeof(title),
		 "%" PRId64 " operator%s run%s on the CPU: %.100s%s%s",
		 q->count, na_plural(q->count), q->count == 1 ? "s" : "",
		 q->name, q->count > 1 ? " most" : "",
		 of_processes(c, q->span ? q->processes : 0, procs,
			      sizeof(procs)));
	to = finding(c, "unlowered-op", NA_SEV_WARNING, title,
		     "these operators have no XLA lowering: each cuts the "
		     "graph and moves data to the host and back; replace them "
		     "(torch.nonzero and boolean indexing by torch.where), or "
		     "ask for a lowering at pytorch/xla");
	put_where(c, to, q->span);
	list = na_put_list(c->r, to, M_ops);
	if (!list)
		return;
	if (q->span)
		put_ops_of_span(c, list, q->span);
	else
		for (size_t i = 0; i < c->asked->n_inputs; i++)
			put_ops_of_log(c, list, &c->asked->inputs[i].log);
}

/* ---- slow ones */

struct slow {
	double longest_s;
	const struct na_xla_span *span;
};

static void take_longer(struct slow *slow, int64_t ns,
			const struct na_xla_span *span)
{
	double seconds = (double)ns / (double)NA_NS_PER_S;

	if (seconds > slow->longest_s)
		*slow = (struct slow){seconds, span};
}

static void slow_in_reports(const struct na_xla_case *c, const char *metric,
			    struct slow *slow)
{
	for (size_t i = 0; i < c->spans.n; i++) {
		const struct na_xla_span *s = &c->spans.v[i];
		const struct na_xla_metric *m =
			na_xla_metric_named(s->to_log, s->to, metric);

		for (size_t k = 0; m && k < m->n_percentiles; k++) {
			const struct na_xla_value *v = &m->percentiles[k].value;

			if (v->kind == NA_XLA_TIME)
				take_longer(slow, v->ns, s);
		}
	}
}

static void slow_in_hints(const struct na_xla_case *c, const char *metric,
			  struct slow *slow)
{
	for (size_t i = 0; i < c->asked->n_inputs; i++) {
		const struct na_xla_log *log = &c->asked->inputs[i].log;

		for (size_t k = 0; k < log->n_hints; k++) {
			const struct na_xla_hint *h = &log->hints[k];

			if (h->kind == NA_XLA_TOO_SLOW &&
			    strcmp(na_strtab_at(&log->names, h->name),
				   metric) == 0)
				take_longer(slow, h->longest_ns, NULL);
		}
	}
}

static void too_slow(struct na_xla_case *c, const char *id, const char *metric,
		     double limit_s, const char *what, const char *remedy)
{
	struct slow slow = {.longest_s = 0};
	char title[200], longest[NA_UNIT_BUF], limit[NA_UNIT_BUF];
	struct na_value *to;

	slow_in_reports(c, metric, &slow);
	slow_in_hints(c, metric, &slow);
	if (!(slow.longest_s > limit_s))
		return;
	snprintf(title, sizeof(title),
		 "%s took %s s, more than the %s s that are usual at most",
		 what, na_print_number(longest, slow.longest_s, 4),
		 na_print_number(limit, limit_s, 3));
	to = finding(c, id, NA_SEV_WARNING, title, remedy);
	na_put_text(c->r, to, M_metric, metric);
	na_put_real(c->r, to, M_longest_s, slow.longest_s);
	na_put_real(c->r, to, M_limit_s, limit_s);
	put_where(c, to, slow.span);
}

static void all(struct na_xla_case *c)
{
	recompilation(c);
	transfers(c);
	early_evaluation(c);
	unlowered(c);
	too_slow(c, "slow-compile", "CompileTime", COMPILE_SLOW_S,
		 "a compilation",
		 "look for loops that Python unrolls into one graph; keep a "
		 "persistent compilation cache (xr.initialize_cache)");
	too_slow(c, "slow-execute", "ExecuteTime", EXECUTE_SLOW_S,
		 "an execution",
		 "look at the step in a profile; on several hosts, look for "
		 "the one that the others wait for (netan steps, netan hang)");
}

void na_xla_findings(struct na_xla_case *c)
{
	c->findings = na_put_list(c->r, na_result_body(c->r), M_findings);
	for (int severity = NA_SEV_ERROR; severity >= NA_SEV_INFO; severity--) {
		c->pass = (enum na_severity)severity;
		all(c);
	}
}
