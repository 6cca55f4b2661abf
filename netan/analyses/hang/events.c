/* Which records are one event; see hang.h. */
#include "netan/analyses/hang/hang.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

#define DEFAULT_TIMEOUT_NS INT64_C(300000000000)

static const struct na_hang_record *record(const struct na_hangs *x, size_t i)
{
	return &x->logs->records.v[i];
}

const struct na_hang_record *na_hangs_report(const struct na_hangs *x,
					     const struct na_hangs_event *e)
{
	return e->report == SIZE_MAX ? NULL : record(x, e->report);
}

uint32_t na_hangs_who(const struct na_hang_worker *w)
{
	return w->host != NA_NO_NAME ? w->host : w->task;
}

/* ---- order */

struct in_time {
	int class; /* with a year, without one, not known */
	int64_t ns;
	size_t record; /* as they were read: by file and line */
};

NA_ORDER(by_time, struct in_time, NA_UP(class), NA_UP(ns), NA_UP(record))

static struct in_time in_time(const struct na_hang_record *r, size_t i)
{
	const struct na_hang_time *t = &r->time;

	if (!t->known)
		return (struct in_time){2, 0, i};
	return (struct in_time){t->has_year ? 0 : 1, t->ns, i};
}

/* ---- alike */

static bool same_workers(const struct na_hang_record *a,
			 const struct na_hang_record *b)
{
	bool any = false;

	for (size_t i = 0; i < a->culprits.n; i++) {
		uint32_t who = na_hangs_who(&a->culprits.v[i]);

		any = false;
		for (size_t k = 0; k < b->culprits.n && !any; k++)
			any = na_hangs_who(&b->culprits.v[k]) == who;
		if (!any)
			return false;
	}
	return true;
}

/* One may be cut short, and name nobody. */
static bool same_report(const struct na_hang_record *a,
			const struct na_hang_record *b)
{
	if (a->cause != b->cause)
		return false;
	if (!a->culprits.n || !b->culprits.n)
		return true;
	/* Long lists are compared by what is quick to compare. */
	if (a->culprits.n > 256 || b->culprits.n > 256)
		return a->culprits.n == b->culprits.n &&
		       na_hangs_who(&a->culprits.v[0]) ==
			       na_hangs_who(&b->culprits.v[0]);
	return same_workers(a, b) && same_workers(b, a);
}

static int64_t window_ns(const struct na_hangs_event *e,
			 const struct na_hang_record *r)
{
	int64_t ps = e->timeout_ps > r->timeout_ps ? e->timeout_ps
						   : r->timeout_ps;
	int64_t ns = ps > 0 ? ps / NA_PS_PER_NS : DEFAULT_TIMEOUT_NS;

	return ns > INT64_MAX / 2 ? INT64_MAX : 2 * ns;
}

static bool near_launch(const struct na_hangs_event *e,
			const struct na_hang_record *r)
{
	int64_t apart = e->launch_id - r->launch_id;

	return e->launch_id < 0 || r->launch_id < 0 ||
	       (apart >= -NA_HANGS_APART && apart <= NA_HANGS_APART);
}

static bool joins_timed(const struct na_hangs *x,
			const struct na_hangs_event *e,
			const struct na_hang_record *r)
{
	const struct na_hang_record *told = na_hangs_report(x, e);
	int64_t between;

	if (__builtin_sub_overflow(r->time.ns, e->last.ns, &between) ||
	    between > window_ns(e, r))
		return false;
	if (r->detection)
		return near_launch(e, r);
	return !told || same_report(told, r);
}

static bool joins_untimed(const struct na_hangs *x,
			  const struct na_hangs_event *e,
			  const struct na_hang_record *r)
{
	const struct na_hang_record *told = na_hangs_report(x, e);
	const struct na_hang_record *last =
		record(x, e->records.v[e->records.n - 1]);

	if (r->detection && r->launch_id >= 0)
		return e->launch_id == r->launch_id;
	if (r->detection)
		return !told && last->file == r->file;
	if (!told)
		return last->file == r->file;
	return same_report(told, r) &&
	       (told->file != r->file || told->source != r->source);
}

static bool joins(const struct na_hangs *x, const struct na_hangs_event *e,
		  const struct na_hang_record *r)
{
	return r->time.known && e->last.known &&
			       r->time.has_year == e->last.has_year
		       ? joins_timed(x, e, r)
		       : joins_untimed(x, e, r);
}

/* ---- into events */

/* The report that says most. */
static size_t weight(const struct na_hang_record *r)
{
	return r->culprits.n + r->listed.n + r->states.n + r->at_places.n +
	       r->counters.n + r->fingerprints.n + r->errors.n +
	       (r->cause != NA_HANG_UNKNOWN) + r->digest + r->verdict;
}

static void take_detection(struct na_hangs_event *e,
			   const struct na_hang_record *r)
{
	e->detections++;
	if (r->timeout_ps > e->timeout_ps)
		e->timeout_ps = r->timeout_ps;
	if (e->detections > 1 &&
	    (r->launch_id < 0 ||
	     (e->launch_id >= 0 && r->launch_id >= e->launch_id)))
		return;
	e->launch_id = r->launch_id;
	e->awaited = r->awaited;
	e->completed = r->completed;
	e->step_in_progress = r->step_in_progress;
}

static bool new_source(const struct na_hangs *x, const struct na_hangs_event *e,
		       const struct na_hang_record *r)
{
	size_t n = e->records.n, from = n > 256 ? n - 256 : 0;

	for (size_t i = n; i > from; i--) {
		const struct na_hang_record *o = record(x, e->records.v[i - 1]);

		if (o->file == r->file && o->source == r->source)
			return false;
	}
	return true;
}

static bool take_record(struct na_hangs *x, struct na_hangs_event *e, size_t i)
{
	const struct na_hang_record *r = record(x, i);

	e->sources += new_source(x, e, r);
	if (!na_add(&e->records, i))
		return false;
	if (r->time.known &&
	    (!e->last.known || e->last.has_year == r->time.has_year))
		e->last = r->time;
	if (!e->time.known)
		e->time = r->time;
	if (r->detection) {
		take_detection(e, r);
		return true;
	}
	e->reports++;
	if (e->report == SIZE_MAX || weight(r) > weight(record(x, e->report))) {
		e->report = i;
		e->cause = r->cause;
	}
	return true;
}

/* The only one that still lacks a report: where nothing else tells, that is
 * whose report it is. */
static struct na_hangs_event *lonely(struct na_hangs *x)
{
	struct na_hangs_event *one = NULL;

	for (size_t i = 0; i < x->events.n; i++) {
		if (x->events.v[i].report != SIZE_MAX)
			continue;
		if (one)
			return NULL;
		one = &x->events.v[i];
	}
	return one;
}

static struct na_hangs_event *event_for(struct na_hangs *x,
					const struct na_hang_record *r)
{
	size_t n = x->events.n;
	size_t from = n > NA_HANGS_LOOK_BACK ? n - NA_HANGS_LOOK_BACK : 0;
	struct na_hangs_event *e;

	for (size_t i = n; i > from; i--) {
		if (joins(x, &x->events.v[i - 1], r))
			return &x->events.v[i - 1];
	}
	if (!r->detection && !r->time.known && n <= NA_HANGS_LOOK_BACK &&
	    (e = lonely(x)))
		return e;
	return na_add(&x->events,
		      ((struct na_hangs_event){.cause = NA_HANG_UNKNOWN,
					       .launch_id = -1,
					       .timeout_ps = -1,
					       .awaited = -1,
					       .completed = -1,
					       .step_in_progress = -1,
					       .report = SIZE_MAX}))
		       ? &x->events.v[n]
		       : NULL;
}

static enum na_status group_records(struct na_hangs *x, struct na_err *err)
{
	size_t n = x->logs->records.n;
	struct in_time *order = na_calloc(n, sizeof(*order));
	enum na_status st = order ? NA_OK : na_fail_nomem(err);

	for (size_t i = 0; order && i < n; i++)
		order[i] = in_time(record(x, i), i);
	if (order)
		na_sort(order, n, by_time);
	for (size_t i = 0; st == NA_OK && i < n; i++) {
		size_t k = order[i].record;
		struct na_hangs_event *e = event_for(x, record(x, k));

		if (!e || !take_record(x, e, k))
			st = na_fail_nomem(err);
	}
	free(order);
	return st;
}

/* ---- all of it */

static enum na_severity severity_of(const struct na_hangs *x)
{
	enum na_severity worst = NA_SEV_NONE;

	for (size_t i = 0; i < x->events.n; i++) {
		if (x->events.v[i].cause != NA_HANG_UNKNOWN)
			return NA_SEV_ERROR;
		worst = NA_SEV_WARNING;
	}
	for (size_t i = 0; i < x->stalls.v.n; i++) {
		if (x->stalls.v.v[i].cause != NA_HANG_UNKNOWN)
			return NA_SEV_ERROR;
		worst = NA_SEV_WARNING;
	}
	for (size_t i = 0; i < x->offenders.n; i++) {
		if (x->offenders.v[i].events > NA_HANGS_REPEATED)
			return NA_SEV_ERROR;
	}
	return worst;
}

enum na_status na_hangs_judge(struct na_hangs *x, const struct na_hang *logs,
			      const struct na_flight_record *ranks,
			      struct na_err *err)
{
	memset(x, 0, sizeof(*x));
	x->logs = logs;
	if (group_records(x, err) != NA_OK)
		return err->status;
	for (size_t i = 0; i < x->events.n; i++) {
		if (!na_hangs_accuse(x, &x->events.v[i]))
			return na_fail_nomem(err);
	}
	if (!na_hangs_suspects(x))
		return na_fail_nomem(err);
	if (ranks && na_stalls_judge(&x->stalls, ranks, err) != NA_OK)
		return err->status;
	x->phrases.arena = &x->arena;
	x->stalls.phrases = &x->phrases;
	x->severity = severity_of(x);
	return NA_OK;
}

void na_hangs_fini(struct na_hangs *x)
{
	for (size_t i = 0; i < x->events.n; i++) {
		struct na_hangs_event *e = &x->events.v[i];

		for (size_t k = 0; k < e->modules.n; k++)
			na_vec_free(&e->modules.v[k].hosts);
		na_vec_free(&e->modules);
		na_vec_free(&e->records);
		na_vec_free(&e->culprits);
		na_vec_free(&e->blocked_by);
		na_vec_free(&e->waiting);
	}
	na_vec_free(&x->events);
	na_vec_free(&x->links);
	na_vec_free(&x->offenders);
	na_vec_free(&x->localised);
	na_stalls_fini(&x->stalls);
	na_arena_fini(&x->arena);
}
