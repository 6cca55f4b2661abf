/* The three questions. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "netan/analyses/xla_metrics/state.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

bool na_xla_unlowered(const char *counter)
{
	return strncmp(counter, "aten::", 6) == 0 &&
	       strcmp(counter, "aten::_local_scalar_dense") != 0;
}

/* The worst answer stays; among equal ones the fastest growth. */
static void answer(struct na_xla_question *q, const struct na_xla_question *x,
		   const char *fmt, ...) NA_PRINTF(3, 4);
static void answer(struct na_xla_question *q, const struct na_xla_question *x,
		   const char *fmt, ...)
{
	bool worse = !q->processes || x->answer > q->answer;
	bool equal = q->processes && x->answer == q->answer;
	size_t n = worse ? 1 : q->processes + equal;
	va_list args;

	if (worse || (equal && x->per_step > q->per_step)) {
		*q = *x;
		va_start(args, fmt);
		vsnprintf(q->text, sizeof(q->text), fmt, args);
		va_end(args);
	}
	q->processes = n;
}

/* "400 in 1000 steps (MarkStep)", "none between the reports". */
static const char *amount(const struct na_xla_span *s, int64_t n, double steps,
			  char *buf, size_t size)
{
	char count[32] = "none";

	if (n)
		snprintf(count, sizeof(count), "%" PRId64, n);
	if (isnan(steps))
		snprintf(buf, size, "%s %s", count,
			 s->from ? "between the reports" : "since the start");
	else
		snprintf(buf, size, "%s in %s%.0f step%s (%s)", count,
			 s->from ? "" : "the first ", steps, na_plural(steps),
			 s->steps_from);
	return buf;
}

/* Steps are not known: only none is an answer. */
static void without_steps(struct na_xla_question *q, struct na_xla_question *x,
			  const char *said)
{
	x->answer = x->count ? NA_XLA_CANNOT_TELL : NA_XLA_NO;
	if (x->count)
		answer(q, x,
		       "cannot tell: %s, but in how many steps the log does "
		       "not say; add --steps N",
		       said);
	else
		answer(q, x, "no: %s", said);
}

/* The last report is cut off, or short, and tells nothing of this. */
static void not_told(struct na_xla_question *q, struct na_xla_question *x,
		     const char *name)
{
	answer(q, x,
	       "cannot tell: the last report does not count %s; is it cut "
	       "off, or a short one?",
	       name);
}

/* ---- compilations */

/* Every job compiles, and finds what it compiled. */
static bool compiles(const struct na_xla_span *s)
{
	return na_xla_samples(s, "CompileTime").there ||
	       na_xla_count_of(s, "UncachedCompile").there ||
	       na_xla_count_of(s, "CachedCompile").there;
}

static void ask_compilations(struct na_xla_case *c, const struct na_xla_span *s)
{
	struct na_xla_grown g = na_xla_samples(s, "CompileTime");
	struct na_xla_question x = {.span = s, .name = "CompileTime"};
	double warmup, steps, interval = (double)c->asked->log_interval;
	int64_t count;
	char said[200], rate[NA_UNIT_BUF];

	if (!g.there) {
		x.name = "UncachedCompile";
		g = na_xla_count_of(s, x.name);
	}
	if (g.lost || !compiles(s)) {
		not_told(&c->compilations, &x, "CompileTime");
		return;
	}
	x.count = g.by;
	amount(s, g.by, s->steps, said, sizeof(said));
	if (isnan(s->steps)) {
		without_steps(&c->compilations, &x, said);
		return;
	}
	if (g.by && g.last_by == 0 && s->last_steps > 0) {
		x.answer = NA_XLA_NO;
		answer(&c->compilations, &x,
		       "no: %s, but none since the report before the last, "
		       "%.0f steps",
		       said, s->last_steps);
		return;
	}
	warmup = s->steps_before < NA_XLA_WARMUP_STEPS
			 ? NA_XLA_WARMUP_STEPS - s->steps_before
			 : 0;
	steps = s->steps - warmup;
	count = g.by - (int64_t)warmup;
	if (steps <= 0 && g.by > 0) {
		answer(&c->compilations, &x,
		       "cannot tell: %s, all within the warm-up of %d steps; "
		       "give a later report",
		       said, NA_XLA_WARMUP_STEPS);
		return;
	}
	x.per_step = count > 0 ? (double)count / steps : 0;
	x.answer = x.per_step * interval >= 1 ? NA_XLA_YES : NA_XLA_NO;
	na_print_number(rate, x.per_step, 3);
	if (x.answer == NA_XLA_YES)
		answer(&c->compilations, &x, "yes: %s, %s per step%s", said,
		       rate, warmup > 0 ? " after the warm-up" : "");
	else if (g.by && count <= 0)
		answer(&c->compilations, &x,
		       "no: %s, no more than the warm-up takes", said);
	else if (g.by)
		answer(&c->compilations, &x,
		       "no: %s, less than one in %" PRId64 " steps%s", said,
		       c->asked->log_interval,
		       warmup > 0 ? " after the warm-up" : "");
	else
		answer(&c->compilations, &x, "no: %s", said);
}

/* ---- device-to-host transfers */

static void ask_transfers(struct na_xla_case *c, const struct na_xla_span *s)
{
	struct na_xla_grown g = na_xla_samples(s, "TransferFromDeviceTime");
	struct na_xla_question x = {.span = s,
				    .name = "TransferFromDeviceTime"};
	char said[200], rate[NA_UNIT_BUF], logged[NA_UNIT_BUF];
	double allowed;

	if (!g.there) {
		struct na_xla_grown old =
			na_xla_samples(s, "TransferFromServerTime");

		x.name = old.there || !g.lost ? "TransferFromServerTime"
					      : x.name;
		g = old.there || !g.lost ? old : g;
	}
	if (g.lost || !s->to->n_metrics) {
		not_told(&c->transfers, &x, "TransferFromDeviceTime");
		return;
	}
	x.count = g.by;
	amount(s, g.by, s->steps, said, sizeof(said));
	if (isnan(s->steps)) {
		without_steps(&c->transfers, &x, said);
		return;
	}
	allowed = s->steps / (double)c->asked->log_interval;
	x.per_step = (double)g.by / s->steps;
	if ((double)g.by - allowed >= s->steps)
		x.answer = NA_XLA_YES;
	else if ((double)g.by > 2 * allowed + 1)
		x.answer = NA_XLA_SLOWLY;
	else
		x.answer = NA_XLA_NO;
	na_print_number(rate, x.per_step, 3);
	na_print_number(logged, 1 / (double)c->asked->log_interval, 3);
	if (x.answer == NA_XLA_YES)
		answer(&c->transfers, &x, "yes: %s, %s per step", said, rate);
	else if (x.answer == NA_XLA_SLOWLY)
		answer(&c->transfers, &x,
		       "yes, but not in every step: %s, %s per step; logging "
		       "one tensor every %" PRId64 " steps takes %s",
		       said, rate, c->asked->log_interval, logged);
	else
		answer(&c->transfers, &x, "no: %s%s", said,
		       g.by ? ", no more than logging takes" : "");
}

/* ---- lowering */

static void ask_lowering(struct na_xla_case *c, const struct na_xla_span *s)
{
	struct na_xla_question x = {.span = s, .answer = NA_XLA_NO};
	const char *first = NULL;
	size_t ops = 0;
	int64_t most = -1;

	for (size_t i = 0; i < s->to->n_counters; i++) {
		const struct na_xla_counter *k = &s->to->counters[i];
		const char *name = na_strtab_at(&s->to_log->names, k->name);

		if (!na_xla_unlowered(name) || k->value <= 0)
			continue;
		ops++;
		x.per_step += (double)k->value;
		if (k->value > most) {
			most = k->value;
			first = name;
		}
	}
	x.name = first;
	x.count = (int64_t)ops;
	if (!ops && !s->to->n_counters) {
		x.answer = NA_XLA_CANNOT_TELL;
		answer(&c->lowering, &x,
		       "cannot tell: the last report has no counters; is it "
		       "cut off?");
		return;
	}
	if (!ops) {
		answer(&c->lowering, &x,
		       "no: no aten:: counter in the last report");
		return;
	}
	x.answer = NA_XLA_YES;
	answer(&c->lowering, &x, "yes: %.100s %" PRId64 " times%s", first, most,
	       ops > 1 ? ", and others below" : "");
}

/* ---- what only the profiler's lines tell */

static bool is_transfer(const char *name)
{
	return strcmp(name, "TransferFromDeviceTime") == 0 ||
	       strcmp(name, "TransferFromServerTime") == 0;
}

/* As far as the log goes, by its profiler lines. */
static uint64_t last_step(const struct na_xla_log *log)
{
	uint64_t last = 0;

	for (size_t i = 0; i < log->n_hints; i++) {
		if (log->hints[i].steps > last)
			last = log->hints[i].steps;
	}
	return last;
}

/* Between the first and the last line; since the start, if there is one. */
static double pace(const struct na_xla_hint *h, bool *between)
{
	*between = h->steps > h->first_steps && h->count >= h->first_count;
	if (*between)
		return (double)(h->count - h->first_count) /
		       (double)(h->steps - h->first_steps);
	return h->steps ? (double)h->count / (double)h->steps : 0;
}

/* The lines come when more than every other step compiled so far, which the
 * warm-up alone can do, and end when it is less. */
static enum na_xla_answer hinted_growth(const struct na_xla_case *c,
					const struct na_xla_log *log,
					const struct na_xla_hint *h,
					bool between, double per_step)
{
	if (!between && h->steps <= 2 * NA_XLA_WARMUP_STEPS)
		return NA_XLA_CANNOT_TELL;
	if (per_step * (double)c->asked->log_interval < 1)
		return NA_XLA_NO;
	return last_step(log) >= 2 * h->steps ? NA_XLA_CANNOT_TELL : NA_XLA_YES;
}

static enum na_xla_answer hinted_fetches(const struct na_xla_case *c,
					 double per_step)
{
	double logged = 1 / (double)c->asked->log_interval;

	if (per_step - logged >= 1)
		return NA_XLA_YES;
	return per_step > 2 * logged ? NA_XLA_SLOWLY : NA_XLA_NO;
}

static void ask_frequent(struct na_xla_case *c, const struct na_xla_log *log,
			 const struct na_xla_hint *h)
{
	static const char *const words[] = {
		[NA_XLA_CANNOT_TELL] = "cannot tell",
		[NA_XLA_NO] = "no",
		[NA_XLA_SLOWLY] = "yes, but not in every step",
		[NA_XLA_YES] = "yes",
	};
	const char *name = na_strtab_at(&log->names, h->name);
	bool compile = strcmp(name, "CompileTime") == 0, between;
	struct na_xla_question x = {.name = name, .count = (int64_t)h->count};
	struct na_xla_question *q = compile ? &c->compilations : &c->transfers;
	char rate[NA_UNIT_BUF], since[80] = "";

	if (!compile && !is_transfer(name))
		return;
	/* A report counts the same, and to the end. */
	if (q->span && q->answer != NA_XLA_CANNOT_TELL)
		return;
	x.per_step = pace(h, &between);
	x.answer = compile ? hinted_growth(c, log, h, between, x.per_step)
			   : hinted_fetches(c, x.per_step);
	if (x.answer == NA_XLA_CANNOT_TELL)
		snprintf(since, sizeof(since),
			 between ? ", but fewer since"
				 : ", which may be the "
				   "warm-up");
	else if (between)
		snprintf(since, sizeof(since),
			 ", %s per step since step %" PRIu64,
			 na_print_number(rate, x.per_step, 3), h->first_steps);
	else
		snprintf(since, sizeof(since), ", %s per step",
			 na_print_number(rate, x.per_step, 3));
	answer(q, &x,
	       "%s: %" PRIu64 " in the first %" PRIu64
	       " steps (pt-xla-profiler)%s",
	       words[x.answer], h->count, h->steps, since);
}

static void ask_hints(struct na_xla_case *c, const struct na_xla_log *log)
{
	struct na_xla_question x = {.answer = NA_XLA_YES};
	size_t ops = 0;

	for (size_t i = 0; i < log->n_hints; i++) {
		const struct na_xla_hint *h = &log->hints[i];

		if (h->kind == NA_XLA_TOO_FREQUENT)
			ask_frequent(c, log, h);
		if (h->kind == NA_XLA_NOT_LOWERED && !ops++)
			x.name = na_strtab_at(&log->names, h->name);
	}
	if (!ops)
		return;
	x.count = (int64_t)ops;
	answer(&c->lowering, &x, "yes: %.100s%s (pt-xla-profiler)", x.name,
	       ops > 1 ? " and others below" : "");
}

static void no_report(struct na_xla_question *q)
{
	static const char text[] = "cannot tell: no metrics report in the log";

	if (q->processes)
		return;
	memcpy(q->text, text, sizeof(text));
}

void na_xla_answers(struct na_xla_case *c)
{
	for (size_t i = 0; i < c->spans.n; i++) {
		ask_compilations(c, &c->spans.v[i]);
		ask_transfers(c, &c->spans.v[i]);
		ask_lowering(c, &c->spans.v[i]);
	}
	for (size_t i = 0; i < c->asked->n_inputs; i++)
		ask_hints(c, &c->asked->inputs[i].log);
	no_report(&c->compilations);
	no_report(&c->transfers);
	no_report(&c->lowering);
}
