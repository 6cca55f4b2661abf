/* Which window counts: the one that is asked for, or that of the slices. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/engine/session/session.h"

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_window(const struct na_slice_mark *a,
			const struct na_slice_mark *b)
{
	return same(a->from, b->from) && same(a->to, b->to) &&
	       same(a->step, b->step);
}

static bool has_window(const struct na_slice_mark *m)
{
	return m->from || m->to || m->step;
}

/* ---- none is asked for */

static enum na_status note(struct na_session *s, struct na_str *said,
			   struct na_err *err)
{
	char *kept = na_str_keep(said, &s->arena);

	if (!kept || !na_grow(&s->notes, &s->cap_notes, s->n_notes + 1,
			      sizeof(*s->notes)))
		return na_fail_nomem(err);
	s->notes[s->n_notes++] = kept;
	return NA_OK;
}

static enum na_status note_window(struct na_session *s, const char *label,
				  const struct na_slice_mark *m,
				  struct na_err *err)
{
	struct na_str said = {.s = NULL};

	if (label)
		na_str_addf(&said, "%s", label);
	else
		na_str_addf(&said, "the input");
	na_str_addf(&said, " is a slice: only the window that it was cut with "
			   "counts (");
	na_slice_print_window(&said, m);
	na_str_addf(&said, ")");
	return note(s, &said, err);
}

static bool tells_steps(const struct na_session *s, uint32_t run)
{
	bool any = false;

	for (size_t i = 0; i < s->n_inputs; i++)
		any |= s->sources[i].run == run && !s->inputs[i].capture;
	return any;
}

/* Times, which a capture bears beside steps, count where nothing tells
 * steps. */
static void choose(struct na_slice_mark *m, bool steps)
{
	if (!steps)
		m->step = NULL;
	else if (m->step)
		m->from = m->to = NULL;
}

/* What a file says of itself may be anything. */
static bool usable(const struct na_session *s, const struct na_slice_mark *m)
{
	int64_t from_ps = NA_TIME_MIN, to_ps = NA_TIME_MAX;

	return (!m->from || na_session_moment(s, m->from, &from_ps)) &&
	       (!m->to || na_session_moment(s, m->to, &to_ps)) &&
	       from_ps < to_ps;
}

/* That of the slices of a run, which is none where it is not that of all its
 * inputs. */
static enum na_status find_window(struct na_session *s, uint32_t run,
				  struct na_slice_mark *found,
				  struct na_err *err)
{
	const struct na_request *q = s->request;
	const struct na_input *cut = NULL, *other = NULL;
	struct na_slice_mark first = {.from = NULL}, m;
	bool steps = tells_steps(s, run);

	*found = first;
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (s->sources[i].run != run)
			continue;
		m = (struct na_slice_mark){.from = NULL};
		if (in->cut && !na_slice_mark_read(&m, in->cut, &s->arena))
			return na_fail_nomem(err);
		if (in->capture)
			choose(&m, steps);
		if (!has_window(&m) || (cut && !same_window(&m, &first))) {
			other = in;
		} else if (!cut) {
			cut = in;
			first = m;
		}
	}
	if (!cut)
		return NA_OK;
	if (other) {
		na_say_warning(q,
			       "%s is a slice, %s, and %s is not of the same "
			       "window: where one of them ends, numbers are "
			       "too low; --from and --to, or --step, choose "
			       "what all of them hold",
			       cut->path, cut->cut, other->path);
		return NA_OK;
	}
	if (!usable(s, &first)) {
		na_say_warning(q,
			       "%s is a slice, %s, which is no window: all of "
			       "it counts",
			       cut->path, cut->cut);
		return NA_OK;
	}
	*found = (struct na_slice_mark){
		.from = first.from, .to = first.to, .step = first.step};
	return NA_OK;
}

static uint32_t count_runs(const struct na_session *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++)
		n = s->sources[i].run >= n ? s->sources[i].run + 1 : n;
	return n;
}

static const char *label_of(const struct na_session *s, uint32_t run)
{
	size_t i = 0;

	while (s->sources[i].run != run)
		i++;
	return s->sources[i].label;
}

/* Times and steps of a window that is usable. */
static struct na_run_window times_of(const struct na_session *s,
				     const struct na_slice_mark *m)
{
	struct na_run_window w = {NA_TIME_MIN, NA_TIME_MAX, -1, -1};

	if ((m->from && !na_session_moment(s, m->from, &w.from_ps)) ||
	    (m->to && !na_session_moment(s, m->to, &w.to_ps)) ||
	    (m->step &&
	     !na_slice_parse_steps(m->step, &w.first_step, &w.last_step)))
		return (struct na_run_window){NA_TIME_MIN, NA_TIME_MAX, -1,
					      -1};
	return w;
}

/* Runs that were not cut alike: each has its own. */
static enum na_status set_apart(struct na_session *s,
				const struct na_slice_mark *marks, uint32_t n,
				struct na_err *err)
{
	enum na_status st = NA_OK;

	s->by_run = na_arena_alloc(&s->arena, n * sizeof(*s->by_run));
	if (!s->by_run)
		return na_fail_nomem(err);
	for (uint32_t run = 0; st == NA_OK && run < n; run++) {
		s->by_run[run] = times_of(s, &marks[run]);
		if (has_window(&marks[run]))
			st = note_window(s, label_of(s, run), &marks[run],
					 err);
	}
	return st;
}

enum na_status na_session_window(struct na_session *s, struct na_err *err)
{
	const struct na_request *q = s->request;
	uint32_t n = count_runs(s);
	struct na_slice_mark *marks;
	enum na_status st = NA_OK;
	bool alike = true;

	s->by_run = NULL;
	s->window = (struct na_slice_mark){q->from, q->to, q->step, NULL};
	if (has_window(&s->window) || !n)
		return NA_OK;
	marks = na_calloc(n, sizeof(*marks));
	if (!marks)
		return na_fail_nomem(err);
	for (uint32_t run = 0; st == NA_OK && run < n; run++) {
		st = find_window(s, run, &marks[run], err);
		alike = alike && same_window(&marks[run], &marks[0]);
	}
	if (st == NA_OK && !alike) {
		st = set_apart(s, marks, n, err);
	} else if (st == NA_OK && has_window(&marks[0])) {
		s->window = marks[0];
		st = note_window(s, NULL, &s->window, err);
	}
	free(marks);
	return st;
}

/* All of them hold these. */
void na_session_join_windows(const struct na_session *s, struct na_filter *f)
{
	uint32_t n = count_runs(s);
	bool open = false;

	f->by_run = s->by_run;
	if (!f->by_run)
		return;
	f->from_ps = NA_TIME_MAX;
	f->to_ps = NA_TIME_MIN;
	for (uint32_t run = 0; run < n; run++) {
		const struct na_run_window *w = &f->by_run[run];

		f->from_ps = w->from_ps < f->from_ps ? w->from_ps : f->from_ps;
		f->to_ps = w->to_ps > f->to_ps ? w->to_ps : f->to_ps;
		open |= w->first_step < 0;
		if (w->first_step < 0)
			continue;
		if (f->first_step < 0 || w->first_step < f->first_step)
			f->first_step = w->first_step;
		if (w->last_step > f->last_step)
			f->last_step = w->last_step;
	}
	if (open && f->first_step >= 0) {
		f->first_step = 0;
		f->last_step = INT64_MAX;
	}
}

/* ---- one is asked for */

/* Does the filter let pass what lies before or behind the slice? */
static bool beyond(const struct na_session *s, const struct na_filter *f,
		   const struct na_slice_mark *m)
{
	int64_t ps, first, last;

	if (m->from && na_session_moment(s, m->from, &ps) && f->from_ps < ps)
		return f->first_step < 0;
	if (m->to && na_session_moment(s, m->to, &ps) && f->to_ps > ps)
		return f->first_step < 0;
	if ((m->from || m->to) && f->first_step < 0)
		return false;
	return m->step && na_slice_parse_steps(m->step, &first, &last) &&
	       (f->first_step < first || f->last_step > last);
}

/* What slices lack, beside what is outside of their window. */
enum lack {
	LACKS_BEFORE,
	LACKS_HOSTS,
	LACKS_PACKETS,
	LACKS_PROGRAMS,
	N_LACKS
};

static bool lacks(const struct na_session *s, const struct na_slice_mark *m,
		  enum lack which)
{
	switch (which) {
	case LACKS_BEFORE:
		return m->packets_alone;
	case LACKS_HOSTS:
		return m->other_hosts;
	case LACKS_PACKETS:
		return m->other_packets &&
		       s->wants & (NA_WANT_CONNECTIONS | NA_WANT_QUEUE_PAIRS);
	default:
		return m->no_programs && s->wants & NA_WANT_PROGRAMS;
	}
}

static enum na_status note_lack(struct na_session *s, enum lack which,
				struct na_err *err)
{
	static const char *const what[N_LACKS] = {
		[LACKS_BEFORE] =
			"of packets alone (--no-connections): what began "
			"before the window is missing or shorter, so that "
			"numbers and verdicts may differ from those of the "
			"capture",
		[LACKS_HOSTS] =
			"without the other hosts of the job (--host): where "
			"these are missing here, times are by the host's own "
			"clock, and who waits for whom is not told",
		[LACKS_PACKETS] =
			"without the packets of others (--host, --filter): "
			"what their connections tell of a server or a path is "
			"missing, so that verdicts may differ from those of "
			"the capture",
		[LACKS_PROGRAMS] =
			"without HLO modules (--no-programs, --anonymize): "
			"bytes, groups and networks of operations that these "
			"tell are missing, and no programs are compared",
	};
	const struct na_input *first = NULL;
	struct na_str said = {.s = NULL};
	struct na_slice_mark m;
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (!in->cut)
			continue;
		if (!na_slice_mark_read(&m, in->cut, &s->arena))
			return na_fail_nomem(err);
		first = first || !lacks(s, &m, which) ? first : in;
		n += lacks(s, &m, which);
	}
	if (!n)
		return NA_OK;
	na_str_addf(&said, "%s%s slice%s %s", first->path,
		    n > 1 ? " and others are" : " is a", na_plural(n),
		    what[which]);
	return note(s, &said, err);
}

enum na_status na_session_say_cut(struct na_session *s, struct na_err *err)
{
	const struct na_input *worst = NULL;
	struct na_slice_mark m;
	size_t n = 0;
	enum na_status st = NA_OK;

	for (enum lack i = 0; st == NA_OK && i < N_LACKS; i++)
		st = note_lack(s, i, err);
	if (st != NA_OK)
		return st;
	/* None: whether that is right, na_session_window() has said. */
	for (size_t i = 0; has_window(&s->window) && i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (!in->cut)
			continue;
		if (!na_slice_mark_read(&m, in->cut, &s->arena))
			return na_fail_nomem(err);
		if (!beyond(s, &s->filter, &m))
			continue;
		worst = worst ? worst : in;
		n++;
	}
	if (n)
		na_say_warning(
			s->request,
			"%s is a slice, %s%s: what lies outside of that "
			"is mostly not in it, and its numbers are too low",
			worst->path, worst->cut,
			n > 1 ? ", as others are" : "");
	return NA_OK;
}

bool na_session_is_narrower(const struct na_session *s,
			    const struct na_filter *f)
{
	struct na_arena words = {.blocks = NULL};
	struct na_slice_mark m;
	bool narrower = false;

	for (size_t i = 0; !narrower && i < s->n_inputs; i++)
		narrower = s->inputs[i].cut &&
			   na_slice_mark_read(&m, s->inputs[i].cut, &words) &&
			   beyond(s, f, &m);
	na_arena_fini(&words);
	return narrower;
}

/* ---- what lasts */

uint64_t na_session_left_whole(const struct na_session *s)
{
	struct na_bound_filter bound;
	uint64_t n = 0;

	if (!(s->wants & NA_WANT_CONNECTIONS) ||
	    !na_filter_bind(&bound, &s->filter, &s->store))
		return 0;
	na_each_record (const struct na_connection, c, &s->store.connections) {
		struct na_connection part = *c;

		part.clipped = true;
		n += !na_filter_connection(&bound, c) &&
		     na_filter_connection(&bound, &part);
	}
	na_filter_unbind(&bound);
	return n;
}

static bool any_clipped(const struct na_session *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_inputs; i++)
		any |= s->inputs[i].capture && !s->inputs[i].away;
	return any && s->wants & (NA_WANT_CONNECTIONS | NA_WANT_QUEUE_PAIRS);
}

/* Is there one whose bytes come but once, which would be gone? */
static bool any_stream(const struct na_session *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];
		struct stat st;

		if (strcmp(in->path, "-") == 0)
			any |= !in->capture;
		else
			any |= stat(in->path, &st) == 0 && !S_ISREG(st.st_mode);
	}
	return any;
}

/* When the steps are, which other inputs tell, must be known before captures
 * are read. */
static enum na_status steps_window(const struct na_session *s, int64_t *from_ps,
				   int64_t *to_ps)
{
	struct na_err unheard = {.status = NA_OK};
	struct na_request q = *s->request;
	struct na_bound_filter bound;
	struct na_session steps;
	enum na_status st;

	q.speaker = (struct na_speaker){.ctx = NULL};
	st = na_session_open(&steps, &q, NA_WANT_STEPS);
	if (st == NA_OK)
		st = na_session_filter(&steps, &unheard);
	if (st == NA_OK)
		st = na_session_read(&steps, false, &unheard);
	if (st == NA_OK && !steps.interrupted) {
		if (!na_filter_bind(&bound, &steps.filter, &steps.store))
			st = NA_ENOMEM;
		if (st == NA_OK && bound.steps_from_ps < bound.steps_to_ps) {
			*from_ps = bound.steps_from_ps;
			*to_ps = bound.steps_to_ps;
		}
		na_filter_unbind(&bound);
	}
	na_session_close(&steps);
	return st == NA_ENOMEM ? st : NA_OK;
}

enum na_status na_session_clip(struct na_session *s, struct na_err *err)
{
	int64_t from_ps = s->filter.from_ps, to_ps = s->filter.to_ps;
	enum na_status st = NA_OK;
	/* Of steps, also those of captures that reach beyond them, wherever
	 * it is not known yet when these are. */
	bool whole = s->filter.first_step >= 0 && any_clipped(s);

	if (whole && !s->request->mpi) {
		if (any_stream(s))
			na_say_warning(s->request,
				       "connections count whole, also what is "
				       "outside of these steps: when steps are "
				       "must be read first, and a pipe can be "
				       "read but once; give files");
		else
			st = steps_window(s, &from_ps, &to_ps);
	}
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct na_input *in = &s->inputs[i];
		const struct na_run_window *own =
			s->by_run ? &s->by_run[s->sources[i].run] : NULL;

		in->from_ps = own ? own->from_ps : from_ps;
		in->to_ps = own ? own->to_ps : to_ps;
		in->windowed = in->from_ps != NA_TIME_MIN ||
			       in->to_ps != NA_TIME_MAX || whole;
	}
	return st == NA_OK ? st : na_fail_nomem(err);
}
