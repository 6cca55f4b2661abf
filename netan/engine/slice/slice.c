#include "netan/engine/slice/slice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/capture/slice/around.h"
#include "ingest/capture/slice/masks.h"
#include "ingest/spool.h"
#include "netan/base/pseudonyms.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/engine/drive.h"
#include "netan/engine/parallel.h"
#include "netan/engine/session/reread.h"

/* What tells the window; all of a pipe stays. */
enum {
	WANTS = NA_WANT_STEPS | NA_WANT_MODULES | NA_WANT_GRAPHS | NA_WANT_WHOLE
};

enum { NAME_BYTES = 256 }; /* of the file that was cut */

/* ---- the window */

/* What of an execution or a step lies beyond the window belongs to it. */
struct reach {
	int64_t from_ps, to_ps; /* of the window */
	int64_t first_ps, last_ps;
	int64_t longest_ps;
};

static void reach_to(struct reach *x, int64_t start_ps, int64_t end_ps)
{
	int64_t length = na_time_between(start_ps, end_ps);

	if (!na_slice_meets(start_ps, end_ps, x->from_ps, x->to_ps))
		return;
	if (start_ps < x->first_ps)
		x->first_ps = start_ps;
	if (end_ps > x->last_ps)
		x->last_ps = end_ps;
	if (length > x->longest_ps)
		x->longest_ps = length;
}

/* Before and after it as long again as the longest lasted: why one was late
 * is looked for there (netan/methods/late). */
static void widen(struct na_slice *of, const struct na_store *s)
{
	struct reach x = {of->from_ps, of->to_ps, of->from_ps, of->to_ps, 0};

	na_each_record (const struct na_span, p, &s->spans)
		reach_to(&x, p->start_ps, p->end_ps);
	na_each_record (const struct na_span, m, &s->modules)
		reach_to(&x, m->start_ps, m->end_ps);
	na_each_record (const struct na_packed_exec, e, &s->graphs) {
		const struct na_exec g = na_unpack_exec(e);

		reach_to(&x, g.start_ps, g.end_ps);
	}
	if (!na_add_i64(x.first_ps, -x.longest_ps, &of->wide_from_ps))
		of->wide_from_ps = NA_TIME_MIN;
	if (!na_add_i64(x.last_ps, x.longest_ps, &of->wide_to_ps))
		of->wide_to_ps = NA_TIME_MAX;
}

/* Where no line of steps tells it: as netan steps has it, runs of programs. */
static enum na_status told_window(struct na_slicer *z, struct na_err *err)
{
	const struct na_grouping by = {.n = 0};
	struct na_result *r = na_result_new();
	struct na_driven d = {.used = 0};
	enum na_status st =
		r ? na_drive(&z->session, na_analysis_find("steps"), NULL, &by,
			     r, &d, err)
		  : na_fail_nomem(err);

	if (st == NA_OK && d.used) {
		z->of.from_ps = d.first_ps;
		z->of.to_ps = d.last_ps;
	}
	na_result_free(r);
	return st;
}

/* From the first of the steps to the last, on any device. */
static enum na_status steps_window(struct na_slicer *z, struct na_err *err)
{
	struct na_session *s = &z->session;
	struct na_bound_filter bound;
	bool ok = na_filter_bind(&bound, &s->filter, &s->store);

	if (bound.steps_from_ps > z->of.from_ps)
		z->of.from_ps = bound.steps_from_ps;
	if (bound.steps_to_ps < z->of.to_ps)
		z->of.to_ps = bound.steps_to_ps;
	na_filter_unbind(&bound);
	if (!ok)
		return na_fail_nomem(err);
	if (z->of.from_ps >= z->of.to_ps && told_window(z, err) != NA_OK)
		return err->status;
	if (z->of.from_ps < z->of.to_ps)
		return NA_OK;
	return na_fail(err, NA_EFORMAT,
		       "--step %s: no line of steps tells it; netan steps says "
		       "when steps are, for --from and --to",
		       s->window.step);
}

static bool all_captures(const struct na_session *s)
{
	bool all = true;

	for (size_t i = 0; i < s->n_inputs; i++)
		all &= s->inputs[i].capture != NULL;
	return all;
}

static enum na_status find_window(struct na_slicer *z, struct na_err *err)
{
	struct na_session *s = &z->session;
	enum na_status st = na_session_filter(s, err);

	z->of.from_ps = z->of.wide_from_ps = s->filter.from_ps;
	z->of.to_ps = z->of.wide_to_ps = s->filter.to_ps;
	/* Whether --hosts names anybody, packets tell. */
	if (st != NA_OK ||
	    (all_captures(s) && s->filter.first_step < 0 && !s->hosts))
		return st;
	st = na_session_read(s, false, err);
	if (st == NA_OK && s->interrupted)
		st = na_fail(err, NA_END, "interrupted");
	if (st == NA_OK && s->filter.first_step >= 0)
		st = steps_window(z, err);
	if (st == NA_OK)
		widen(&z->of, &s->store);
	return st;
}

static const char *in_ps(int64_t ps, struct na_arena *a)
{
	struct na_str text = {.s = NULL};

	na_str_addf(&text, "%" PRId64 "ps", ps);
	return na_str_keep(&text, a);
}

/* As it was typed, or without the spaces that an option has no place for. */
static const char *one_word(const char *time, int64_t ps, struct na_arena *a)
{
	return time && strpbrk(time, " \t\n") ? in_ps(ps, a) : time;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Connections that reach beyond the window? */
static bool loses(const struct na_slicer *z)
{
	return !z->of.around && (z->of.from_ps != NA_TIME_MIN ||
				 z->of.to_ps != NA_TIME_MAX);
}

static bool any_capture(const struct na_session *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_inputs; i++)
		any |= s->inputs[i].capture != NULL;
	return any;
}

bool na_slicer_loses(const struct na_slicer *z)
{
	return any_capture(&z->session) && loses(z);
}

/* Packets of it, by whose they are? */
static bool picks(const struct na_session *s, const struct na_input *in)
{
	return in->reader && in->reader->packets &&
	       (s->request->host.n || s->request->filter);
}

bool na_slicer_picks(const struct na_slicer *z)
{
	const struct na_session *s = &z->session;
	bool any = false;

	for (size_t i = 0; i < s->n_inputs; i++)
		any |= picks(s, &s->inputs[i]);
	return any;
}

bool na_slicer_parts(const struct na_slicer *z)
{
	const struct na_session *s = &z->session;
	bool all = true;

	for (size_t i = 0; i < s->n_inputs; i++)
		all &= na_slicer_asked(z, i);
	return !all;
}

static enum na_status is_one(void *ctx, const struct na_program_bytes *x,
			     struct na_err *err)
{
	(void)err;
	*(bool *)ctx = x != NULL;
	return NA_END;
}

static bool has_programs(struct na_input *in)
{
	struct na_err unheard = {.status = NA_OK};
	bool any = false;

	if (in->reader->program_bytes)
		na_in_err(in->reader->program_bytes(in, is_one, &any,
						    &unheard));
	return any;
}

static const char *says(struct na_slicer *z, size_t input, bool no_programs,
			struct na_arena *a)
{
	const struct na_session *s = &z->session;
	const struct na_input *in = &s->inputs[input];
	struct na_slice_mark m, older = {.from = NULL};
	struct na_str said = {.s = NULL};
	char name[NAME_BYTES];

	if (in->cut && !na_slice_mark_read(&older, in->cut, a))
		return NULL;
	m = s->window;
	m.from = one_word(m.from, s->filter.from_ps, a);
	m.to = one_word(m.to, s->filter.to_ps, a);
	m.packets_alone = in->capture && (older.packets_alone || loses(z));
	m.damaged = in->damaged;
	m.other_hosts = !in->capture &&
			(older.other_hosts || na_slicer_parts(z));
	m.other_packets = older.other_packets || picks(s, in);
	m.no_programs = older.no_programs || no_programs;
	/* When they were: alone a capture tells no steps. */
	if (in->capture && m.step) {
		m.from = in_ps(z->of.from_ps, a);
		m.to = in_ps(z->of.to_ps, a);
	}
	m.of = z->of.names ? na_pseudonym(z->of.names, NA_ALIAS_INPUT, in->path)
	       : older.of  ? older.of
			   : name_of(in->path);
	if (!m.of)
		return NULL;
	na_escape(NA_ESC_TERMINAL, m.of, name, sizeof(name));
	m.of = name;
	na_slice_mark_print(&said, &m);
	return na_str_keep(&said, a);
}

const char *na_slicer_says(struct na_slicer *z, size_t input,
			   struct na_arena *a)
{
	return says(z, input, false, a);
}

void na_slicer_close(struct na_slicer *z)
{
	na_session_close(&z->session);
	na_masks_free(z->of.masks);
	na_around_free(z->of.around);
}

/* ---- files */

bool na_slicer_asked(const struct na_slicer *z, size_t input)
{
	const struct na_session *s = &z->session;
	const struct na_text_list *l = s->filter.host;
	bool asked = !l || !l->n || s->inputs[input].capture;

	for (size_t i = 0; l && !asked && i < l->n; i++)
		asked = na_glob(l->items[i], s->sources[input].host);
	return asked;
}

bool na_slicer_takes(const struct na_slicer *z, size_t input)
{
	const struct na_session *s = &z->session;

	bool asked = false;

	if (input && s->inputs[input].path == s->inputs[input - 1].path)
		return false;
	for (size_t i = input; !asked && i < s->n_inputs &&
			       s->inputs[i].path == s->inputs[input].path;
	     i++)
		asked = na_slicer_asked(z, i);
	return asked;
}

static enum na_status not_cut(const struct na_input *in, struct na_err *err)
{
	const char *whole = in->reader->whole;

	return na_fail(err, NA_EUSAGE,
		       "%s: a file of this format (%s) is not cut: %s",
		       in->path, in->format,
		       whole ? whole
			     : "netan ingest makes a transfer file of it, "
			       "which is");
}

static enum na_status drop(void *ctx, const void *p, size_t n,
			   struct na_err *err)
{
	(void)ctx;
	(void)p;
	(void)n;
	return na_interrupted() ? na_fail(err, NA_END, "interrupted") : NA_OK;
}

enum na_status na_slicer_learn(struct na_slicer *z, size_t input,
			       struct na_err *err)
{
	struct na_slice_counts counts;
	enum na_status st;

	z->of.learns = true;
	st = na_slicer_cut(z, input, drop, NULL, &counts, err);
	z->of.learns = false;
	return st;
}

/* Over what is left of it; less than a reader could know is nothing. */
static enum na_status open_left(struct na_input *in, const struct na_input *of,
				struct na_err *err)
{
	struct na_input left = *of;
	enum na_status st;
	const char *why;
	size_t n;

	n = left.size = na_input_left(of);
	if (n < of->size &&
	    (!n || of->reader->sniff(of->data,
				     n < NA_HEAD_BYTES ? n : NA_HEAD_BYTES, n,
				     &why) != NA_SNIFF_YES))
		return na_fail(err, NA_EFORMAT,
			       "%s: truncated while it was read, at byte %zu: "
			       "too little is left to cut",
			       of->path, n);
	st = na_reread_open(in, &left, NA_WANT_SLICED, NA_UNKNOWN_U32, err);
	/* What tells the wall clock may be lost: the origin on its own. */
	if (st == NA_OK && of->has_wall && !in->has_wall &&
	    !na_add_i64(of->zero_ns, -of->profile_start_ns, &in->zero_ns))
		in->zero_ns = of->zero_ns;
	return st;
}

enum na_status
na_slicer_cut(struct na_slicer *z, size_t input,
	      enum na_status (*put)(void *ctx, const void *p, size_t n,
				    struct na_err *err),
	      void *ctx, struct na_slice_counts *counts, struct na_err *err)
{
	struct na_input *first = &z->session.inputs[input];
	struct na_slice of = z->of;
	struct na_keeper keeper;
	struct na_input in;
	enum na_status st;
	bool drops;

	*counts = (struct na_slice_counts){.events = 0};
	z->lost = false;
	/* Readers may make another format of theirs. */
	if (!first->reader->slice || strcmp(first->format, "jax") == 0)
		return not_cut(first, err);
	st = open_left(&in, first, err);
	if (st != NA_OK)
		na_input_settle(first);
	if (st != NA_OK)
		return st;
	na_keeper_init(&keeper, of.wide_from_ps, of.wide_to_ps);
	of.sink = &keeper.sink;
	of.verdict = na_keeper_verdict;
	of.ctx = &keeper;
	drops = (of.no_programs || of.names) && has_programs(&in);
	z->drops_programs |= drops;
	of.said = says(z, input, drops, &in.arena);
	of.host = z->session.sources[input].host;
	of.file = (uint32_t)input;
	if (of.names)
		of.host = na_pseudonym(of.names, NA_ALIAS_HOST, of.host);
	of.put = put;
	of.put_ctx = ctx;
	st = of.said && of.host ? in.reader->slice(&in, &of, counts, err)
				: na_fail_nomem(err);
	na_keeper_fini(&keeper);
	z->lost = na_input_left(&in) < in.size;
	if (!z->lost)
		na_input_tell(first, &in);
	na_input_settle(first);
	na_input_close(&in);
	return st;
}

/* ---- all files */

/* What connections there are, of all captures before the first is cut, as they
 * may go on from file to file; what is wrong with a file is said when it is
 * cut. */
static enum na_status seek_all(struct na_slicer *z, struct na_err *err)
{
	const struct na_session *s = &z->session;
	enum na_status st = NA_OK;

	z->of.seeks = true;
	for (size_t i = 0; st == NA_OK && i < s->n_inputs; i++) {
		struct na_err unheard = {.status = NA_OK};
		struct na_slice_counts counts;

		if (!s->inputs[i].capture || !na_slicer_takes(z, i))
			continue;
		st = na_slicer_cut(z, i, drop, NULL, &counts, &unheard);
		z->session.interrupted |= st == NA_END && na_interrupted();
		if (st == NA_ENOMEM || z->session.interrupted)
			*err = unheard;
		else
			st = NA_OK;
	}
	z->of.seeks = false;
	return st;
}

enum na_status na_slicer_open(struct na_slicer *z, const struct na_request *q,
			      const struct na_slicing *how)
{
	struct na_err err = {.status = NA_OK};
	enum na_status st;

	*z = (struct na_slicer){.of.no_programs = how->no_programs,
				.of.addresses = &q->host,
				.of.names = q->pseudonyms};
	st = na_session_open(&z->session, q,
			     WANTS | (q->hosts ? NA_WANT_CONNECTIONS : 0));
	if (st != NA_OK)
		return st;
	if (q->pseudonyms)
		z->of.masks = na_masks_new();
	if (!how->no_connections)
		z->of.around = na_around_new();
	st = (q->pseudonyms && !z->of.masks) ||
			     (!how->no_connections && !z->of.around)
		     ? na_fail_nomem(&err)
		     : find_window(z, &err);
	if (st == NA_OK)
		st = seek_all(z, &err);
	if (err.status != NA_OK && !z->session.interrupted)
		na_say_error(q, "%s", err.text);
	if (err.status == NA_EFORMAT)
		na_session_say_there_is(&z->session);
	return st;
}
