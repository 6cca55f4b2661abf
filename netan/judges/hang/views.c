/* hang: what a person sees. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/judges/hang/hang.h"

enum { DETAILS_MAX = 10 }; /* events told one by one, unless --top */

static const char *name(const struct na_hangs *x, uint32_t n)
{
	return na_strtab_at(&x->logs->names, n);
}

/* "host-17 (job trainer, task 3, chip 1, pc 0x1f)" */
static size_t culprit_text(const struct na_hangs *x,
			   const struct na_hangs_culprit *c, char *buf,
			   size_t size)
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
	size_t at = (size_t)snprintf(buf, size, "%s%.100s",
				     hostless ? "task " : "",
				     name(x, na_hangs_who(&c->worker)));
	const char *before = " (";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].name == NA_NO_NAME || at >= size ||
		    (hostless && i == 1))
			continue;
		at += (size_t)snprintf(buf + at, size - at, "%s%s %.60s",
				       before, parts[i].what,
				       name(x, parts[i].name));
		before = ", ";
	}
	if (before[0] == ',' && at < size)
		at += (size_t)snprintf(buf + at, size - at, ")");
	return at < size ? at : size - 1;
}

static void culprits_text(const struct na_hangs *x,
			  const struct na_hangs_event *e, size_t most,
			  char *buf, size_t size)
{
	size_t at = 0, n = e->culprits.n;

	buf[0] = '\0';
	for (size_t i = 0; i < n && i < most && at + 1 < size; i++) {
		if (i)
			at += (size_t)snprintf(buf + at, size - at, ", ");
		if (at < size)
			at += culprit_text(x, &e->culprits.items[i], buf + at,
					   size - at);
	}
	if (n > most && at + 1 < size)
		snprintf(buf + at, size - at, " and %zu more", n - most);
}

/* ---- the first line */

static void causes_text(const struct na_hangs *x, char *buf, size_t size)
{
	size_t counts[NA_N_HANG_CAUSES] = {0}, at = 0;

	for (size_t i = 0; i < x->events.n; i++)
		counts[x->events.items[i].cause]++;
	buf[0] = '\0';
	for (int c = 0; c < NA_N_HANG_CAUSES && at < size; c++) {
		if (counts[c])
			at += (size_t)snprintf(buf + at, size - at,
					       "%s%s (%zu)", at ? ", " : "",
					       na_hang_cause_text(
						       (enum na_hang_cause)c),
					       counts[c]);
	}
}

/* Who is named again and again, more often than anybody else. */
static void offender_text(const struct na_hangs *x, char *to, size_t size)
{
	const struct na_hangs_suspect *s = x->offenders.items;

	to[0] = '\0';
	if (x->offenders.n == 1 ||
	    (x->offenders.n > 1 && s[0].events > s[1].events))
		snprintf(to, size, "; %.100s is named in %" PRIu64 "%s",
			 name(x, s->host), s->events,
			 s->events > NA_HANGS_REPEATED ? ": very likely faulty"
						       : "");
}

static void headline(const struct na_hangs *x, struct na_result *r)
{
	char lines[NA_UNIT_BUF], text[600], most[200];
	uint64_t n = 0;
	size_t files = 0;

	for (size_t i = 0; i < x->logs->files.n; i++) {
		if (!x->logs->files.items[i].read)
			continue;
		n += x->logs->files.items[i].lines;
		files++;
	}
	na_print_count(lines, n);
	if (!x->events.n) {
		na_result_headline(r,
				   "no hang message in %s line%s of %zu file%s",
				   lines, n == 1 ? "" : "s", files,
				   files == 1 ? "" : "s");
		return;
	}
	if (x->events.n == 1) {
		const struct na_hangs_event *e = &x->events.items[0];

		culprits_text(x, e, 3, text, sizeof(text));
		na_result_headline(r,
				   "hang: %s%s%s (in %s line%s of %zu file%s)",
				   na_hang_cause_text(e->cause),
				   text[0] ? ": " : "", text, lines,
				   n == 1 ? "" : "s", files,
				   files == 1 ? "" : "s");
		return;
	}
	causes_text(x, text, sizeof(text));
	offender_text(x, most, sizeof(most));
	na_result_headline(r, "%zu hangs: %s%s (in %s line%s of %zu file%s)",
			   x->events.n, text, most, lines, n == 1 ? "" : "s",
			   files, files == 1 ? "" : "s");
}

/* ---- tables */

static void put_cell(const struct na_hangs *x, struct na_result *r,
		     struct na_value *row, const char *member,
		     const struct na_hang_names *names)
{
	char text[300];

	na_hangs_names(x, names->items, names->n, text, sizeof(text));
	na_put_text(r, row, member, text[0] ? text : NULL);
}

static void events_view(const struct na_hangs *x, size_t top,
			struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"n", "hang", NA_F_COUNT, 0, 0},
		{M_time, "time", NA_F_TEXT, 0, 0},
		{M_cause, "cause", NA_F_TEXT, 0, 0},
		{M_launch_id, "launch", NA_F_COUNT, 0, 0},
		{M_timeout_s, "timeout s", NA_F_NUMBER, 3, 0},
		{M_awaited, "awaited", NA_F_COUNT, 0, 0},
		{M_completed, "completed", NA_F_COUNT, 0, 0},
		{M_step, "step goes on", NA_F_TEXT, 0, 0},
		{M_sources, "told by", NA_F_COUNT, 0, 0},
		{M_culprits, "culprits", NA_F_TEXT, 0, 0},
		{M_blocked_by, "blocked by", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	static const char *const members[] = {M_launch_id, "awaited",
					      "completed", "sources"};
	struct na_value *list = na_put_list(r, na_result_side(r), "hangs");
	const struct na_value *all = na_get(na_result_body(r), M_events);
	const struct na_value *v = all ? all->u.of.first : NULL;

	for (size_t i = 0; v && i < x->events.n; v = v->next, i++) {
		const struct na_hangs_event *e = &x->events.items[i];
		struct na_value *row = na_put_object(r, list, NULL);
		struct na_hang_names names = {NULL, 0, 0};
		uint32_t four[4];

		na_put_int(r, row, "n", (int64_t)i + 1);
		na_put_text(r, row, M_time,
			    na_text_of(na_get(v, M_time), NULL));
		na_put_text(r, row, M_cause, na_hang_cause_text(e->cause));
		for (size_t m = 0; m < 4; m++) {
			int64_t n = na_int_of(na_get(v, members[m]), -1);

			if (n >= 0)
				na_put_int(r, row, members[m], n);
		}
		if (e->timeout_ps >= 0)
			na_put_real(r, row, M_timeout_s,
				    (double)e->timeout_ps / 1e12);
		if (e->step_in_progress >= 0)
			na_put_text(r, row, M_step,
				    e->step_in_progress ? "yes" : "no");
		names.n = na_hangs_blamed(e, four);
		names.items = four;
		put_cell(x, r, row, "culprits", &names);
		put_cell(x, r, row, M_blocked_by, &e->blocked_by);
	}
	na_result_view(r, "Hangs", list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), top);
}

static void modules_view(const struct na_hangs *x, size_t top,
			 struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"n", "hang", NA_F_COUNT, 0, 0},
		{M_module, "module", NA_F_TEXT, 0, 0},
		{M_fingerprint, "fingerprint", NA_F_TEXT, 0, 0},
		{M_launch_id, "launch", NA_F_COUNT, 0, 0},
		{"number", "hosts", NA_F_COUNT, 0, 0},
		{M_hosts, "which", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), M_modules);
	size_t rows = 0;

	for (size_t i = 0; i < x->events.n; i++) {
		const struct na_hangs_event *e = &x->events.items[i];

		for (size_t k = 0; k < e->modules.n; k++, rows++) {
			const struct na_hangs_module *m = &e->modules.items[k];
			struct na_value *row = na_put_object(r, list, NULL);

			na_put_int(r, row, "n", (int64_t)i + 1);
			na_put_text(r, row, M_module,
				    m->module == NA_NO_NAME
					    ? NULL
					    : name(x, m->module));
			na_put_text(r, row, M_fingerprint,
				    m->fingerprint == NA_NO_NAME
					    ? NULL
					    : name(x, m->fingerprint));
			if (m->launch_id >= 0)
				na_put_int(r, row, M_launch_id, m->launch_id);
			na_put_int(r, row, "number", (int64_t)m->hosts.n);
			put_cell(x, r, row, "hosts", &m->hosts);
		}
	}
	if (rows)
		na_result_view(r, "Modules", list, NULL, cols,
			       sizeof(cols) / sizeof(cols[0]), top);
}

static void links_views(size_t top, struct na_result *r)
{
	/* clang-format off */
	static const struct na_column links[] = {
		{M_a, "host", NA_F_TEXT, 0, 0},
		{M_b, "host", NA_F_TEXT, 0, 0},
		{M_events, "hangs", NA_F_COUNT, 0, 0},
	};
	static const struct na_column localised[] = {
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_links, "broken links", NA_F_COUNT, 0, 0},
		{M_of, "of", NA_F_COUNT, 0, 0},
		{M_events, "hangs", NA_F_COUNT, 0, 0},
	};
	static const struct na_column offenders[] = {
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_events, "named in", NA_F_COUNT, 0, 0},
		{M_of, "of", NA_F_COUNT, 0, 0},
		{M_seen, "seen in", NA_F_COUNT, 0, 0},
		{M_causes, "causes", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	const struct na_value *body = na_result_body(r), *v;

	if ((v = na_get(body, M_links)) && v->n)
		na_result_view(r, "Broken links", v, NULL, links, 3, top);
	if ((v = na_get(body, M_localised)) && v->n)
		na_result_view(r, "Hosts that explain several broken links", v,
			       NULL, localised, 4, top);
	if ((v = na_get(body, M_repeat_offenders)) && v->n)
		na_result_view(r, "Hosts named in several hangs", v, NULL,
			       offenders, 5, top);
}

/* ---- one by one */

static void event_text(const struct na_hangs *x, size_t i, struct na_result *r)
{
	const struct na_hangs_event *e = &x->events.items[i];
	const struct na_hang_record *t = na_hangs_report(x, e);
	char title[80], lines[4096], buf[NA_HANGS_ADVICE_BUF], part[900];
	const char *s;
	size_t at = 0;

#define LINE(...) \
	(at += at < sizeof(lines) \
		       ? (size_t)snprintf(lines + at, sizeof(lines) - at, \
					  __VA_ARGS__) \
		       : 0)
	snprintf(title, sizeof(title), "Hang %zu: %s", i + 1,
		 na_hang_cause_text(e->cause));
	culprits_text(x, e, 8, part, sizeof(part));
	if (part[0])
		LINE("culprits: %s\n", part);
	if ((s = na_hangs_counter_word(x, e)))
		LINE("counters: %s\n", s);
	na_hangs_names(x, e->blocked_by.items, e->blocked_by.n, part,
		       sizeof(part));
	if (part[0])
		LINE("blocked by: %s (%s)\n", part, e->why);
	else if (e->why)
		LINE("blocked by: cannot tell, %s\n", e->why);
	for (size_t k = 0; k < e->culprits.n && k < 4; k++) {
		if (e->culprits.items[k].error != NA_NO_NAME)
			LINE("error of %.80s: %.300s\n",
			     name(x,
				  na_hangs_who(&e->culprits.items[k].worker)),
			     name(x, e->culprits.items[k].error));
	}
	if (t && t->error_type != NA_NO_NAME)
		LINE("first error: %.100s %.100s\n", name(x, t->error_type),
		     t->error_time == NA_NO_NAME ? "" : name(x, t->error_time));
	for (size_t k = 0;
	     e->cause == NA_HANG_UNKNOWN && t && k < t->texts.n && k < 8; k++)
		LINE("digest: %.200s\n", name(x, t->texts.items[k]));
	for (size_t k = 0; (s = na_hangs_next(x, e, k, buf)); k++)
		LINE("next: %s\n", s);
#undef LINE
	na_result_text(r, title, "%s", lines);
}

static void offenders_note(const struct na_hangs *x, struct na_result *r)
{
	for (size_t i = 0; i < x->offenders.n; i++) {
		const struct na_hangs_suspect *s = &x->offenders.items[i];

		if (s->events > NA_HANGS_REPEATED)
			na_result_note(r,
				       "%.100s is named in %" PRIu64
				       " of %" PRIu64 " hangs: very likely "
				       "faulty; leave it out of the job",
				       name(x, s->host), s->events, x->naming);
	}
}

void na_hangs_views(const struct na_hangs *x, size_t top, struct na_result *r)
{
	size_t details = top ? top : DETAILS_MAX;

	headline(x, r);
	if (!x->events.n)
		return;
	events_view(x, top ? top : 20, r);
	modules_view(x, top ? top : 20, r);
	links_views(top ? top : 20, r);
	for (size_t i = 0; i < x->events.n && i < details; i++)
		event_text(x, i, r);
	if (x->events.n > details)
		na_result_note(r, "hangs told one by one: %zu of %zu (--top)",
			       details, x->events.n);
	offenders_note(x, r);
}
