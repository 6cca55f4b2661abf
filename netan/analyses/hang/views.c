/* hang: what a person sees. */
#include <ctype.h>
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"

enum { DETAILS_MAX = 10 }; /* events told one by one, unless --top */

/* "host-17 (job trainer, task 3, chip 1, pc 0x1f)" */
static const char *culprit_text(const struct na_hangs *x,
				const struct na_hangs_culprit *c)
{
	const struct {
		const char *what;
		uint32_t name;
	} parts[] = {{"job", c->worker.job},
		     {"task", c->worker.task},
		     {"chip", c->worker.chip},
		     {"core", c->worker.core},
		     {"pc", c->pc}};
	bool hostless = c->worker.host == NA_NO_NAME;
	struct na_str list = {0};

	for (size_t i = 0; i < NA_LEN(parts); i++) {
		if (parts[i].name != NA_NO_NAME && !(hostless && i == 1))
			na_str_join(&list, ", ", "%s %s", parts[i].what,
				    na_hangs_name(x, parts[i].name));
	}
	return na_hangs_say(
		x, na_fact_worker_at(hostless,
				     na_hangs_name(x, na_hangs_who(&c->worker)),
				     na_say_all(x->stalls.phrases, &list)));
}

static const char *culprits_text(const struct na_hangs *x,
				 const struct na_hangs_event *e, size_t most)
{
	struct na_str list = {0};
	size_t n = e->culprits.n;

	for (size_t i = 0; i < n && i < most; i++)
		na_str_join(&list, ", ", "%s",
			    culprit_text(x, &e->culprits.v[i]));
	return na_hangs_say(
		x, na_fact_names_and_more(na_say_all(x->stalls.phrases, &list),
					  n > most ? (int64_t)(n - most) : 0));
}

/* ---- the first line */

static const char *causes_text(const struct na_hangs *x)
{
	size_t counts[NA_N_HANG_CAUSES] = {0};
	struct na_str to = {0};

	for (size_t i = 0; i < x->events.n; i++)
		counts[x->events.v[i].cause]++;
	for (int c = 0; c < NA_N_HANG_CAUSES; c++) {
		if (counts[c])
			na_str_join(&to, ", ", "%s (%s)",
				    na_hang_cause_text((enum na_hang_cause)c),
				    na_grouped(counts[c]));
	}
	return na_say_all(x->stalls.phrases, &to);
}

/* Who is named again and again, more often than anybody else. */
static struct na_fact worst_offender(const struct na_hangs *x)
{
	const struct na_hangs_suspect *s = x->offenders.v;

	if (!x->offenders.n ||
	    (x->offenders.n > 1 && s[0].events <= s[1].events))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_host_is_named_in(na_hangs_name(x, s->host),
					(int64_t)s->events,
					s->events > NA_HANGS_REPEATED);
}

/* The title of the picture, which says what the text says. */
static void stalls_message(const struct na_stalls *s, struct na_result *r)
{
	const char *text = na_stall_sentence(s, &s->v.v[0]);

	if (s->v.n > 1)
		na_result_word(r, NA_WORD_MESSAGE,
			       na_say(s->phrases,
				      na_fact_first_of_hangs((int64_t)s->v.n,
							     text)));
	else if (*text)
		na_result_wordf(r, NA_WORD_MESSAGE, "%c%s",
				toupper((unsigned char)*text), text + 1);
}

static struct na_fact stalls_headline(const struct na_stalls *s,
				      struct na_result *r)
{
	size_t n = s->v.n;

	stalls_message(s, r);
	return na_fact_hangs_of_ranks((int64_t)n, na_stall_title(s, &s->v.v[0]),
				      n == 2 ? na_stall_title(s, &s->v.v[1])
					     : NULL,
				      n == 1 ? na_stall_lasted_s(&s->v.v[0])
					     : (double)NAN,
				      (int64_t)s->ranks->dumps.n);
}

static const char *logs_text(const struct na_hangs *x)
{
	uint64_t lines = 0;
	int64_t files = 0;

	for (size_t i = 0; i < x->logs->files.n; i++) {
		if (!x->logs->files.v[i].read)
			continue;
		lines += x->logs->files.v[i].lines;
		files++;
	}
	return na_hangs_say(x, na_fact_lines_of_files((int64_t)lines, files));
}

static struct na_fact headline_fact(const struct na_hangs *x,
				    struct na_result *r)
{
	const struct na_stalls *s = &x->stalls;
	size_t n = x->events.n;

	if (!n && s->v.n)
		return stalls_headline(s, r);
	if (!n && s->ranks && s->ranks->dumps.n)
		return na_fact_no_hang_in_dumps(s->running > 0,
						(int64_t)s->ranks->dumps.n);
	if (!n)
		return na_fact_no_hang_in_logs(logs_text(x));
	if (n == 1)
		return na_fact_hang_in_logs(
			na_hang_cause_text(x->events.v[0].cause),
			culprits_text(x, &x->events.v[0], 3), logs_text(x));
	return na_fact_hangs_in_logs((int64_t)n, causes_text(x),
				     na_hangs_say(x, worst_offender(x)),
				     logs_text(x));
}

static void headline(const struct na_hangs *x, struct na_result *r)
{
	na_result_headline(r, "%s", na_hangs_say(x, headline_fact(x, r)));
	/* Else whoever has it in a file is told the title of a table. */
	if (!na_result_get_word(r, NA_WORD_MESSAGE, NULL))
		na_result_word(r, NA_WORD_MESSAGE, na_result_get_headline(r));
}

/* ---- tables */

static void put_cell(const struct na_hangs *x, struct na_result *r,
		     struct na_value *row, const char *member,
		     const uint32_t *names, size_t n)
{
	const char *text = na_hangs_names(x, names, n);

	na_put_text(r, row, member, *text ? text : NULL);
}

static void events_view(const struct na_hangs *x, size_t top,
			struct na_result *r)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_events);
	size_t i = 0;

	na_for_each (v, na_get(na_result_body(r), M_events)) {
		const struct na_hangs_event *e = &x->events.v[i];
		struct na_value *row;
		uint32_t four[4];

		if (i++ == x->events.n) /* those of ranks follow */
			break;
		row = na_put_object(r, list, NULL);
		na_put_int(r, row, M_hang, (int64_t)i);
		na_put_alias(r, row, M_event, v);
		na_put_text(r, row, M_cause, na_hang_cause_text(e->cause));
		put_cell(x, r, row, M_culprits, four, na_hangs_blamed(e, four));
		put_cell(x, r, row, M_blocked_by, e->blocked_by.v,
			 e->blocked_by.n);
	}
	na_result_view(r, na_hangs_say(x, na_fact_title_hangs()), list,
		       &na_table_hang_shown,
		       NA_COLUMNS({M_hang}, {M_event "." M_time}, {M_cause},
				  {M_event "." M_launch_id},
				  {M_event "." M_timeout_s},
				  {M_event "." M_awaited},
				  {M_event "." M_completed},
				  {M_event "." M_step_in_progress},
				  {M_event "." M_sources}, {M_culprits},
				  {M_blocked_by}),
		       top);
}

static void modules_view(const struct na_hangs *x, size_t top,
			 struct na_result *r)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_modules);
	size_t i = 0;

	na_for_each (v, na_get(na_result_body(r), M_events)) {
		const struct na_hangs_module *m;

		if (i == x->events.n) /* those of ranks follow */
			break;
		m = x->events.v[i++].modules.v;
		na_for_each (module, na_get(v, M_modules)) {
			struct na_value *row = na_put_object(r, list, NULL);

			na_put_int(r, row, M_hang, (int64_t)i);
			na_put_alias(r, row, M_module, module);
			na_put_int(r, row, M_number, (int64_t)m->hosts.n);
			put_cell(x, r, row, M_hosts, m->hosts.v, m->hosts.n);
			m++;
		}
	}
	if (list && list->n)
		na_result_view(r, na_hangs_say(x, na_fact_title_modules()),
			       list, &na_table_hang_shown_module,
			       NA_COLUMNS({M_hang}, {M_module "." M_module},
					  {M_module "." M_fingerprint},
					  {M_module "." M_launch_id},
					  {M_number}, {M_hosts}),
			       top);
}

static void view_if_any(const struct na_hangs *x, struct na_result *r,
			struct na_fact title, const char *name,
			const struct na_table *table,
			const struct na_column *cols, size_t n, size_t top)
{
	const struct na_value *list = na_get(na_result_body(r), name);

	if (list && list->n)
		na_result_view(r, na_hangs_say(x, title), list, table, cols, n,
			       top);
}

static void links_views(const struct na_hangs *x, size_t top,
			struct na_result *r)
{
	view_if_any(x, r, na_fact_title_links(), M_links, &na_table_hang_links,
		    NA_COLUMNS({M_a}, {M_b}, {M_events}), top);
	view_if_any(x, r, na_fact_title_explaining_hosts(), M_localised,
		    &na_table_hang_localised,
		    NA_COLUMNS({M_host}, {M_links}, {M_of}, {M_events}), top);
	view_if_any(x, r, na_fact_title_repeated_hosts(), M_repeat_offenders,
		    &na_table_hang_offenders,
		    NA_COLUMNS({M_host}, {M_events}, {M_of}, {M_seen},
			       {M_causes}),
		    top);
}

/* ---- one by one */

static void errors_text(const struct na_hangs *x,
			const struct na_hangs_event *e, struct na_str *to)
{
	const struct na_hang_record *t = na_hangs_report(x, e);

	for (size_t k = 0; k < e->culprits.n && k < 4; k++) {
		const struct na_hangs_culprit *c = &e->culprits.v[k];

		if (c->error != NA_NO_NAME)
			na_stall_line(
				&x->stalls, to,
				na_fact_error_of(
					na_hangs_name(x,
						      na_hangs_who(&c->worker)),
					na_hangs_quoted(x, c->error)));
	}
	if (t && t->error_type != NA_NO_NAME)
		na_stall_line(
			&x->stalls, to,
			na_fact_first_error(na_hangs_quoted(x, t->error_type),
					    na_hangs_name(x, t->error_time)));
	if (!t || e->cause != NA_HANG_UNKNOWN)
		return;
	for (size_t k = 0; k < t->texts.n && k < 8; k++)
		na_stall_line(&x->stalls, to,
			      na_fact_digest_says(
				      na_hangs_quoted(x, t->texts.v[k])));
}

void na_hangs_text(const struct na_hangs *x, size_t i, enum na_hang_cause cause,
		   struct na_str *lines, struct na_result *r)
{
	struct na_fact title = na_fact_hang_number((int64_t)i + 1,
						   na_hang_cause_text(cause));

	na_result_text(r, na_hangs_say(x, title), "%s",
		       na_say_all(x->stalls.phrases, lines));
}

static void event_text(const struct na_hangs *x, size_t i, struct na_result *r)
{
	const struct na_hangs_event *e = &x->events.v[i];
	struct na_fact counters = na_hangs_counter_fact(x, e);
	const char *culprits = culprits_text(x, e, 8), *s;
	struct na_str to = {0};

	if (*culprits)
		na_stall_line(&x->stalls, &to, na_fact_culprits_are(culprits));
	if (counters.id)
		na_stall_line(&x->stalls, &to,
			      na_fact_counters_say(na_hangs_say(x, counters)));
	if (e->why.id)
		na_stall_line(
			&x->stalls, &to,
			na_fact_blocked_by(na_hangs_names(x, e->blocked_by.v,
							  e->blocked_by.n),
					   na_hangs_say(x, e->why)));
	errors_text(x, e, &to);
	for (size_t k = 0; (s = na_hangs_next(x, e, k)); k++)
		na_stall_line(&x->stalls, &to, na_fact_next_step(s));
	na_hangs_text(x, i, e->cause, &to, r);
}

static void offenders_note(const struct na_hangs *x, struct na_result *r)
{
	for (size_t i = 0; i < x->offenders.n; i++) {
		const struct na_hangs_suspect *s = &x->offenders.v[i];

		if (s->events > NA_HANGS_REPEATED)
			na_result_note(
				r, "%s",
				na_hangs_say(x,
					     na_fact_host_is_faulty(
						     na_hangs_name(x, s->host),
						     (int64_t)s->events,
						     (int64_t)x->naming)));
	}
}

bool na_hangs_views(const struct na_hangs *x, size_t top, struct na_result *r)
{
	size_t details = top ? top : DETAILS_MAX;

	headline(x, r);
	if (!x->stalls.v.n)
		na_result_word(r, NA_WORD_UNDRAWN,
			       na_hangs_say(x, na_fact_hang_is_not_drawn(
						       x->events.n > 0)));
	na_stalls_view(x, top ? top : 20, r);
	na_stalls_texts(x, details, r);
	na_stalls_notes(&x->stalls, r);
	if (!x->events.n)
		return !x->phrases.failed;
	events_view(x, top ? top : 20, r);
	modules_view(x, top ? top : 20, r);
	links_views(x, top ? top : 20, r);
	for (size_t i = 0; i < x->events.n && i < details; i++)
		event_text(x, i, r);
	if (x->events.n > details)
		na_result_note(r, "%s",
			       na_hangs_say(x, na_fact_hangs_listed(
						       (int64_t)details,
						       (int64_t)x->events.n)));
	offenders_note(x, r);
	return !x->phrases.failed;
}
