/*
 * Lines of the client-side profiler, behind "pt-xla-profiler: ":
 *
 *	CompileTime too frequent: 21 counts during 22 steps
 *	CompileTime too slow: longest instance took 21m37s... . Please ...
 *	Op(s) not lowered: aten::a, aten::b,  Please open a GitHub issue ...
 *	Following metrics too frequent: X (9 counts), during 10 steps. ...
 *
 * Counts are those so far, so a later line supersedes an earlier one.
 */
#include <string.h>

#include "ingest/logs/xla_parts.h"
#include "netan/base/vec.h"

/* Lines without a prefix are of any process. */
static bool same_process(const struct na_xla_log *log, size_t a, size_t b)
{
	return a == b || log->processes[a].prefix == NA_NO_NAME ||
	       log->processes[b].prefix == NA_NO_NAME;
}

/* The hint of this kind and name; a new one if there is none.  NULL with
 * NA_OK: there are too many. */
static enum na_status hint_of(struct na_xla_reader *r, size_t stream,
			      enum na_xla_hint_kind kind, struct na_text text,
			      struct na_xla_hint **out, struct na_err *err)
{
	struct na_xla_log *log = r->log;
	uint32_t name;

	*out = NULL;
	if (na_xla_name(log, text.s, text.n, &name, err) != NA_OK)
		return err->status;
	for (size_t i = 0; name != NA_NO_NAME && i < log->n_hints; i++) {
		struct na_xla_hint *h = &log->hints[i];

		if (h->kind == kind && h->name == name &&
		    same_process(log, h->process, stream)) {
			*out = h;
			return NA_OK;
		}
	}
	if (name == NA_NO_NAME || log->n_hints >= NA_XLA_HINTS_MAX) {
		log->left_out++;
		return NA_OK;
	}
	if (!na_grow(&log->hints, &log->cap_hints, log->n_hints + 1,
		     sizeof(*log->hints)))
		return na_fail_nomem(err);
	*out = &log->hints[log->n_hints++];
	memset(*out, 0, sizeof(**out));
	(*out)->kind = kind;
	(*out)->process = (uint32_t)stream;
	(*out)->name = name;
	r->streams[stream].kept = true;
	return NA_OK;
}

static enum na_status frequent(struct na_xla_reader *r, size_t stream,
			       struct na_text name, uint64_t count,
			       uint64_t steps, struct na_err *err)
{
	struct na_xla_hint *h;

	if (hint_of(r, stream, NA_XLA_TOO_FREQUENT, name, &h, err) != NA_OK)
		return err->status;
	if (!h)
		return NA_OK;
	/* Fewer steps than before: another run, from here on. */
	if (!h->times++ || steps < h->steps) {
		h->first_count = count;
		h->first_steps = steps;
	}
	h->count = count;
	h->steps = steps;
	return NA_OK;
}

static enum na_status damaged(struct na_xla_reader *r)
{
	r->log->damaged++;
	return NA_OK;
}

/* "during 22 steps" stands behind `before`. */
static bool steps_in(struct na_text x, struct na_text *before, uint64_t *steps)
{
	struct na_text behind;

	return na_text_split(x, "during ", before, &behind) &&
	       na_xla_count(behind.s, behind.n, steps);
}

/* "21 counts during 22 steps" */
static enum na_status too_frequent(struct na_xla_reader *r, size_t stream,
				   struct na_text name, struct na_text x,
				   struct na_err *err)
{
	uint64_t count, steps;

	if (!na_xla_count(x.s, x.n, &count) || !steps_in(x, &x, &steps))
		return damaged(r);
	return frequent(r, stream, name, count, steps, err);
}

/* "X (9 counts), Y (8 counts), during 10 steps." */
static enum na_status several(struct na_xla_reader *r, size_t stream,
			      struct na_text x, struct na_err *err)
{
	struct na_text name, behind;
	uint64_t count, steps;

	if (!steps_in(x, &x, &steps))
		return damaged(r);
	while (na_text_split(x, " (", &name, &behind) &&
	       na_xla_count(behind.s, behind.n, &count)) {
		if (frequent(r, stream, name, count, steps, err) != NA_OK)
			return err->status;
		if (!na_text_split(x, ")", &name, &x))
			break;
		while (x.n && (x.s[0] == ',' || na_xla_is_blank(x.s[0])))
			x = na_text_from(x, 1);
	}
	return NA_OK;
}

/* "longest instance took 21m37s... ." */
static enum na_status too_slow(struct na_xla_reader *r, size_t stream,
			       struct na_text name, struct na_text x,
			       struct na_err *err)
{
	struct na_text before, took = {"", 0};
	struct na_xla_hint *h;
	size_t n = 0;
	int64_t ns;

	na_text_split(x, " took ", &before, &took);
	while (n < took.n && !na_xla_is_blank(took.s[n]))
		n++;
	while (n && took.s[n - 1] == '.')
		n--;
	if (!na_xla_duration(took.s, n, r->how, &ns))
		return damaged(r);
	if (hint_of(r, stream, NA_XLA_TOO_SLOW, name, &h, err) != NA_OK)
		return err->status;
	if (!h)
		return NA_OK;
	h->times++;
	if (ns > h->longest_ns)
		h->longest_ns = ns;
	return NA_OK;
}

static enum na_status not_lowered(struct na_xla_reader *r, size_t stream,
				  struct na_text x, struct na_err *err)
{
	struct na_text behind;

	na_text_split(x, " Please", &x, &behind);
	while (x.n) {
		struct na_text op = x, rest = {"", 0};
		struct na_xla_hint *h;

		na_text_split(x, ",", &op, &rest);
		x = rest;
		op = na_xla_trimmed(op);
		if (!op.n)
			continue;
		if (hint_of(r, stream, NA_XLA_NOT_LOWERED, op, &h, err) !=
		    NA_OK)
			return err->status;
		if (h)
			h->times++;
	}
	return NA_OK;
}

enum na_status na_xla_hint_line(struct na_xla_reader *r, size_t stream,
				const struct na_xla_found *f,
				struct na_err *err)
{
	struct na_text x = f->rest, name, rest;

	r->log->lines++;
	r->log->hint_lines++;
	if (na_text_past(&x, "Op(s) not lowered: "))
		return not_lowered(r, stream, x, err);
	if (na_text_past(&x, "Following metrics too frequent: "))
		return several(r, stream, x, err);
	if (na_text_split(x, " too frequent: ", &name, &rest))
		return too_frequent(r, stream, name, rest, err);
	if (na_text_split(x, " too slow: ", &name, &rest))
		return too_slow(r, stream, name, x, err);
	r->log->lines--;
	r->log->hint_lines--;
	return NA_OK;
}
