/* hang: what a person sees. */
#include <ctype.h>
#include <stdio.h>

#include "members.h"
#include "netan/analyses/hang/stall_words.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"

enum { DETAILS_MAX = 10 }; /* events told one by one, unless --top */

/* "host-17 (job trainer, task 3, chip 1, pc 0x1f)" */
static void add_culprit(const struct na_hangs *x,
			const struct na_hangs_culprit *c, struct na_str *to)
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
	const char *before = " (";

	na_str_addf(to, "%s%.100s", hostless ? "task " : "",
		    na_hangs_name(x, na_hangs_who(&c->worker)));
	for (size_t i = 0; i < NA_LEN(parts); i++) {
		if (parts[i].name == NA_NO_NAME || (hostless && i == 1))
			continue;
		na_str_addf(to, "%s%s %.60s", before, parts[i].what,
			    na_hangs_name(x, parts[i].name));
		before = ", ";
	}
	if (before[0] == ',')
		na_str_addf(to, ")");
}

static void culprits_text(const struct na_hangs *x,
			  const struct na_hangs_event *e, size_t most,
			  char *buf, size_t size)
{
	struct na_str to = na_str_over(buf, size);
	size_t n = e->culprits.n;

	for (size_t i = 0; i < n && i < most; i++) {
		na_str_addf(&to, "%s", i ? ", " : "");
		add_culprit(x, &e->culprits.v[i], &to);
	}
	if (n > most)
		na_str_addf(&to, " and %s more", na_grouped(n - most));
}

/* ---- the first line */

static void causes_text(const struct na_hangs *x, char *buf, size_t size)
{
	struct na_str to = na_str_over(buf, size);
	size_t counts[NA_N_HANG_CAUSES] = {0};

	for (size_t i = 0; i < x->events.n; i++)
		counts[x->events.v[i].cause]++;
	for (int c = 0; c < NA_N_HANG_CAUSES; c++) {
		if (counts[c])
			na_str_join(&to, ", ", "%s (%s)",
				    na_hang_cause_text((enum na_hang_cause)c),
				    na_grouped(counts[c]));
	}
}

/* Who is named again and again, more often than anybody else. */
static void offender_text(const struct na_hangs *x, char *to, size_t size)
{
	const struct na_hangs_suspect *s = x->offenders.v;

	to[0] = '\0';
	if (x->offenders.n == 1 ||
	    (x->offenders.n > 1 && s[0].events > s[1].events))
		snprintf(to, size, "; %.100s is named in %s%s",
			 na_hangs_name(x, s->host), na_grouped(s->events),
			 s->events > NA_HANGS_REPEATED ? ": very likely faulty"
						       : "");
}

/* The title of the picture, which says what the text says. */
static void stalls_message(const struct na_stalls *s, struct na_result *r)
{
	char text[900];
	struct na_str to = na_str_over(text, sizeof(text));
	size_t at;

	if (s->v.n > 1)
		na_str_addf(&to, "%s hangs; the first: ",
			    na_grouped(s->v.n));
	at = to.n;
	na_stall_sentence(s, &s->v.v[0], &to);
	if (at)
		text[at] = (char)tolower((unsigned char)text[at]);
	na_result_word(r, NA_WORD_MESSAGE, text);
}

static void stalls_headline(const struct na_hangs *x, struct na_result *r)
{
	const struct na_stalls *s = &x->stalls;
	char text[400], second[400], lasted[NA_UNIT_BUF];
	const char *known = na_stall_lasted(&s->v.v[0], lasted);

	stalls_message(s, r);
	na_stall_title(s, &s->v.v[0], text, sizeof(text));
	if (s->v.n == 1)
		na_result_headline(r, "hang: %s%s%s (dumps of %s rank%s)",
				   text, *known ? ", for at least " : "", known,
				   na_grouped(s->ranks->dumps.n),
				   na_plural(s->ranks->dumps.n));
	else if (s->v.n == 2) {
		na_stall_title(s, &s->v.v[1], second, sizeof(second));
		na_result_headline(r, "2 hangs: %s; %s (dumps of %s ranks)",
				   text, second,
				   na_grouped(s->ranks->dumps.n));
	} else
		na_result_headline(r,
				   "%s hangs, the first: %s (dumps of %s "
				   "ranks)",
				   na_grouped(s->v.n), text,
				   na_grouped(s->ranks->dumps.n));
}

static void headline(const struct na_hangs *x, struct na_result *r)
{
	char lines[NA_COUNT_BUF], logs[200], text[600], most[200];
	uint64_t n = 0;
	size_t files = 0;

	for (size_t i = 0; i < x->logs->files.n; i++) {
		if (!x->logs->files.v[i].read)
			continue;
		n += x->logs->files.v[i].lines;
		files++;
	}
	snprintf(logs, sizeof(logs), "%s of %s file%s",
		 na_count_of(lines, n, "line"), na_grouped(files),
		 na_plural(files));
	if (!x->events.n && x->stalls.v.n) {
		stalls_headline(x, r);
	} else if (!x->events.n && x->stalls.ranks &&
		   x->stalls.ranks->dumps.n) {
		na_result_headline(r, "%s in the dumps of %zu rank%s",
				   x->stalls.running
					   ? "no hang is told, and ranks are "
					     "apart as in a job that runs,"
					   : "no operation is unfinished",
				   x->stalls.ranks->dumps.n,
				   na_plural(x->stalls.ranks->dumps.n));
	} else if (!x->events.n) {
		na_result_headline(r, "no hang message in %s", logs);
	} else if (x->events.n == 1) {
		const struct na_hangs_event *e = &x->events.v[0];

		culprits_text(x, e, 3, text, sizeof(text));
		na_result_headline(r, "hang: %s%s%s (in %s)",
				   na_hang_cause_text(e->cause),
				   text[0] ? ": " : "", text, logs);
	} else {
		causes_text(x, text, sizeof(text));
		offender_text(x, most, sizeof(most));
		na_result_headline(r, "%zu hangs: %s%s (in %s)", x->events.n,
				   text, most, logs);
	}
	/* Else whoever has it in a file is told the title of a table. */
	if (!na_result_get_word(r, NA_WORD_MESSAGE, NULL))
		na_result_word(r, NA_WORD_MESSAGE, na_result_get_headline(r));
}

/* ---- tables */

static void put_cell(const struct na_hangs *x, struct na_result *r,
		     struct na_value *row, const char *member,
		     const uint32_t *names, size_t n)
{
	char text[300];

	na_hangs_names(x, names, n, text, sizeof(text));
	na_put_text(r, row, member, text[0] ? text : NULL);
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
	na_result_view(r, "Hangs", list, &na_table_hang_shown,
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
		na_result_view(r, "Modules", list, &na_table_hang_shown_module,
			       NA_COLUMNS({M_hang}, {M_module "." M_module},
					  {M_module "." M_fingerprint},
					  {M_module "." M_launch_id},
					  {M_number}, {M_hosts}),
			       top);
}

static void view_if_any(struct na_result *r, const char *title,
			const char *name, const struct na_table *table,
			const struct na_column *cols, size_t n, size_t top)
{
	const struct na_value *list = na_get(na_result_body(r), name);

	if (list && list->n)
		na_result_view(r, title, list, table, cols, n, top);
}

static void links_views(size_t top, struct na_result *r)
{
	view_if_any(r, "Broken links", M_links, &na_table_hang_links,
		    NA_COLUMNS({M_a}, {M_b}, {M_events}), top);
	view_if_any(r, "Hosts that explain several broken links", M_localised,
		    &na_table_hang_localised,
		    NA_COLUMNS({M_host}, {M_links}, {M_of}, {M_events}), top);
	view_if_any(r, "Hosts named in several hangs", M_repeat_offenders,
		    &na_table_hang_offenders,
		    NA_COLUMNS({M_host}, {M_events}, {M_of}, {M_seen},
			       {M_causes}),
		    top);
}

/* ---- one by one */

static void blockers_text(const struct na_hangs *x,
			  const struct na_hangs_event *e, struct na_str *to)
{
	char names[300];

	na_hangs_names(x, e->blocked_by.v, e->blocked_by.n, names,
		       sizeof(names));
	if (names[0])
		na_str_addf(to, "blocked by: %s (%s)\n", names, e->why);
	else if (e->why)
		na_str_addf(to, "blocked by: cannot tell, %s\n", e->why);
}

static void errors_text(const struct na_hangs *x,
			const struct na_hangs_event *e, struct na_str *to)
{
	const struct na_hang_record *t = na_hangs_report(x, e);

	for (size_t k = 0; k < e->culprits.n && k < 4; k++) {
		const struct na_hangs_culprit *c = &e->culprits.v[k];

		if (c->error != NA_NO_NAME)
			na_str_addf(to, "error of %.80s: %.300s\n",
				    na_hangs_name(x, na_hangs_who(&c->worker)),
				    na_hangs_name(x, c->error));
	}
	if (t && t->error_type != NA_NO_NAME)
		na_str_addf(to, "first error: %.100s %.100s\n",
			    na_hangs_name(x, t->error_type),
			    na_hangs_name(x, t->error_time));
	if (!t || e->cause != NA_HANG_UNKNOWN)
		return;
	for (size_t k = 0; k < t->texts.n && k < 8; k++)
		na_str_addf(to, "digest: %.200s\n",
			    na_hangs_name(x, t->texts.v[k]));
}

static void event_text(const struct na_hangs *x, size_t i, struct na_result *r)
{
	const struct na_hangs_event *e = &x->events.v[i];
	char title[80], lines[4096], buf[NA_HANGS_ADVICE_BUF], culprits[900];
	struct na_str to = na_str_over(lines, sizeof(lines));
	const char *s;

	snprintf(title, sizeof(title), "Hang %zu: %s", i + 1,
		 na_hang_cause_text(e->cause));
	culprits_text(x, e, 8, culprits, sizeof(culprits));
	if (culprits[0])
		na_str_addf(&to, "culprits: %s\n", culprits);
	if ((s = na_hangs_counter_word(x, e)))
		na_str_addf(&to, "counters: %s\n", s);
	blockers_text(x, e, &to);
	errors_text(x, e, &to);
	for (size_t k = 0; (s = na_hangs_next(x, e, k, buf)); k++)
		na_str_addf(&to, "next: %s\n", s);
	na_result_text(r, title, "%s", lines);
}

static void offenders_note(const struct na_hangs *x, struct na_result *r)
{
	for (size_t i = 0; i < x->offenders.n; i++) {
		const struct na_hangs_suspect *s = &x->offenders.v[i];

		if (s->events > NA_HANGS_REPEATED)
			na_result_note(r,
				       "%.100s is named in %s of %s hangs: "
				       "very likely faulty; leave it out of "
				       "the job",
				       na_hangs_name(x, s->host),
				       na_grouped(s->events),
				       na_grouped(x->naming));
	}
}

void na_hangs_views(const struct na_hangs *x, size_t top, struct na_result *r)
{
	size_t details = top ? top : DETAILS_MAX;

	headline(x, r);
	if (!x->stalls.v.n)
		na_result_word(r, NA_WORD_UNDRAWN,
			       x->events.n
				       ? "launches that logs tell of have no "
					 "picture; the text and -o FILE.json "
					 "say who hangs"
				       : "there is no hang to draw");
	na_stalls_view(x, top ? top : 20, r);
	na_stalls_texts(x, details, r);
	na_stalls_notes(&x->stalls, r);
	if (!x->events.n)
		return;
	events_view(x, top ? top : 20, r);
	modules_view(x, top ? top : 20, r);
	links_views(top ? top : 20, r);
	for (size_t i = 0; i < x->events.n && i < details; i++)
		event_text(x, i, r);
	if (x->events.n > details)
		na_result_note(r, "hangs listed one by one: %s of %s (--top)",
			       na_grouped(details), na_grouped(x->events.n));
	offenders_note(x, r);
}
