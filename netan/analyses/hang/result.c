/* hang: the members of the result. */
#include <math.h>

#include "members.h"
#include "netan/analyses/hang/hang.h"
#include "netan/base/units.h"
#include "netan/methods/put.h"

static const char *name(const struct na_hangs *x, uint32_t n)
{
	return n == NA_NO_NAME ? NULL : na_hangs_name(x, n);
}

static void put_said(const struct na_hangs *x, struct na_result *r,
		     struct na_value *in, const char *member,
		     struct na_fact fact)
{
	na_put_text(r, in, member, fact.id ? na_hangs_say(x, fact) : NULL);
}

static void put_names(const struct na_hangs *x, struct na_result *r,
		      struct na_value *in, const char *member,
		      const struct na_hang_names *names)
{
	struct na_value *list = na_put_list(r, in, member);

	for (size_t i = 0; i < names->n; i++)
		na_put_text(r, list, NULL, name(x, names->v[i]));
}

static void put_culprits(const struct na_hangs *x,
			 const struct na_hangs_event *e, struct na_result *r,
			 struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_culprits);

	for (size_t i = 0; i < e->culprits.n; i++) {
		const struct na_hangs_culprit *c = &e->culprits.v[i];
		struct na_value *o = na_put_object(r, list, NULL);

		na_put_text(r, o, M_job, name(x, c->worker.job));
		na_put_text(r, o, M_task, name(x, c->worker.task));
		na_put_text(r, o, M_host, name(x, c->worker.host));
		na_put_text(r, o, M_chip, name(x, c->worker.chip));
		na_put_text(r, o, M_core, name(x, c->worker.core));
		na_put_text(r, o, M_pc, name(x, c->pc));
		na_put_text(r, o, M_error, name(x, c->error));
	}
}

static void put_modules(const struct na_hangs *x,
			const struct na_hangs_event *e, struct na_result *r,
			struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_modules);

	for (size_t i = 0; i < e->modules.n; i++) {
		const struct na_hangs_module *m = &e->modules.v[i];
		struct na_value *o = na_put_object(r, list, NULL);

		na_put_text(r, o, M_module, name(x, m->module));
		na_put_text(r, o, M_fingerprint, name(x, m->fingerprint));
		na_put_whole(r, o, M_launch_id, m->launch_id);
		put_names(x, r, o, M_hosts, &m->hosts);
	}
}

static void put_next(const struct na_hangs *x, const struct na_hangs_event *e,
		     struct na_result *r, struct na_value *row)
{
	struct na_value *list = na_put_list(r, row, M_next);
	const char *s;

	for (size_t i = 0; (s = na_hangs_next(x, e, i)); i++)
		na_put_text(r, list, NULL, s);
}

/* Of the detections, else the oldest that the states tell. */
static int64_t launch_of(const struct na_hangs_event *e)
{
	int64_t oldest = e->launch_id;

	for (size_t i = 0; e->launch_id < 0 && i < e->modules.n; i++) {
		int64_t id = e->modules.v[i].launch_id;

		if (id >= 0 && (oldest < 0 || id < oldest))
			oldest = id;
	}
	return oldest;
}

/* Where it was told, and what the digest says besides. */
static void put_report(const struct na_hangs *x, const struct na_hangs_event *e,
		       struct na_result *r, struct na_value *row)
{
	const struct na_hang_record *t = na_hangs_report(x, e);
	const struct na_hang_record *at =
		t ? t : &x->logs->records.v[e->records.v[0]];
	struct na_value *in;

	na_put_int(r, row, M_detections, (int64_t)e->detections);
	na_put_int(r, row, M_reports, (int64_t)e->reports);
	na_put_int(r, row, M_sources, (int64_t)e->sources);
	na_put_text(r, row, M_file, x->logs->files.v[at->file].path);
	na_put_int(r, row, M_line, (int64_t)at->line);
	na_put_text(r, row, M_source, name(x, at->source));
	na_put_text(r, row, M_cause_text, t ? name(x, t->cause_text) : NULL);
	in = na_put_object(r, row, M_first_error);
	na_put_text(r, in, M_time, t ? name(x, t->error_time) : NULL);
	na_put_text(r, in, M_type, t ? name(x, t->error_type) : NULL);
	put_said(x, r, row, M_counters, na_hangs_counter_fact(x, e));
	if (t)
		put_names(x, r, row, M_other_lines, &t->texts);
	else
		na_put_list(r, row, M_other_lines);
}

static void put_event(const struct na_hangs *x, const struct na_hangs_event *e,
		      struct na_result *r, struct na_value *list)
{
	struct na_value *row = na_put_object(r, list, NULL);
	char buf[NA_HANG_TIME_BUF];
	const char *who;
	uint32_t four[4];

	na_put_text(r, row, M_time, na_hang_time_text(&e->time, buf));
	na_put_text(r, row, M_cause, na_hang_cause_word(e->cause));
	who = na_hangs_names(x, four, na_hangs_blamed(e, four));
	na_put_text(r, row, M_culprit, *who ? who : NULL);
	na_hangs_evidence(r, row, NA_BY_MEGASCALE);
	na_put_whole(r, row, M_launch_id, launch_of(e));
	na_put_real(r, row, M_timeout_s,
		    e->timeout_ps < 0 ? (double)NAN : na_s(e->timeout_ps));
	na_put_whole(r, row, M_awaited, e->awaited);
	na_put_whole(r, row, M_completed, e->completed);
	if (e->step_in_progress < 0)
		na_put_null(r, row, M_step_in_progress);
	else
		na_put_bool(r, row, M_step_in_progress,
			    e->step_in_progress > 0);
	put_culprits(x, e, r, row);
	put_modules(x, e, r, row);
	put_names(x, r, row, M_blocked_by, &e->blocked_by);
	put_said(x, r, row, M_blocked_why, e->why);
	put_names(x, r, row, M_waiting, &e->waiting);
	put_next(x, e, r, row);
	put_report(x, e, r, row);
}

static void put_causes(struct na_result *r, struct na_value *in, uint32_t bits)
{
	struct na_value *list = na_put_list(r, in, M_causes);

	for (int c = 0; c < NA_N_HANG_CAUSES; c++) {
		if (bits >> c & 1)
			na_put_text(r, list, NULL,
				    na_hang_cause_word((enum na_hang_cause)c));
	}
}

static void put_links(const struct na_hangs *x, struct na_result *r,
		      struct na_value *list)
{
	for (size_t i = 0; i < x->links.n; i++) {
		const struct na_hangs_link *l = &x->links.v[i];
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_a, name(x, l->a));
		na_put_text(r, row, M_b, name(x, l->b));
		na_put_int(r, row, M_events, (int64_t)l->events);
	}
}

static void put_offenders(const struct na_hangs *x, struct na_result *r,
			  struct na_value *list)
{
	for (size_t i = 0; i < x->offenders.n; i++) {
		const struct na_hangs_suspect *s = &x->offenders.v[i];
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_host, name(x, s->host));
		na_put_int(r, row, M_events, (int64_t)s->events);
		na_put_int(r, row, M_of, (int64_t)x->naming);
		na_put_int(r, row, M_seen, (int64_t)s->seen);
		put_causes(r, row, s->causes);
		na_put_bool(r, row, M_faulty, s->events > NA_HANGS_REPEATED);
	}
}

static void put_localised(const struct na_hangs *x, struct na_result *r,
			  struct na_value *list)
{
	for (size_t i = 0; i < x->localised.n; i++) {
		const struct na_hangs_suspect *s = &x->localised.v[i];
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_host, name(x, s->host));
		na_put_int(r, row, M_links, (int64_t)s->links);
		na_put_int(r, row, M_of, (int64_t)x->links.n);
		na_put_int(r, row, M_events, (int64_t)s->events);
	}
}

bool na_hangs_result(const struct na_hangs *x, struct na_result *r)
{
	struct na_value *body = na_result_body(r);
	struct na_value *events = na_put_list(r, body, M_events);

	for (size_t i = 0; i < x->events.n; i++)
		put_event(x, &x->events.v[i], r, events);
	na_stalls_result(&x->stalls, r, events);
	put_links(x, r, na_put_list(r, body, M_links));
	put_offenders(x, r, na_put_list(r, body, M_repeat_offenders));
	put_localised(x, r, na_put_list(r, body, M_localised));
	return (!x->stalls.v.n ||
		na_stalls_progress(&x->stalls, r,
				   na_put_list(r, body, M_progress))) &&
	       !x->phrases.failed;
}
