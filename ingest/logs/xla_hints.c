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

/* Where `what` begins in the text; n: nowhere. */
static size_t find(const char *s, size_t n, const char *what)
{
	const char *at = memmem(s, n, what, strlen(what));

	return at ? (size_t)(at - s) : n;
}

/* Lines without a prefix are of any process. */
static bool same_process(const struct na_xla_log *log, size_t a, size_t b)
{
	return a == b || log->processes[a].prefix == NA_NO_NAME ||
	       log->processes[b].prefix == NA_NO_NAME;
}

/* The hint of this kind and name; a new one if there is none.  NULL with
 * NA_OK: there are too many. */
static enum na_status hint_of(struct na_xla_reader *r, size_t stream,
			      enum na_xla_hint_kind kind, const char *s,
			      size_t n, struct na_xla_hint **out,
			      struct na_err *err)
{
	struct na_xla_log *log = r->log;
	uint32_t name;

	*out = NULL;
	if (na_xla_name(log, s, n, &name, err) != NA_OK)
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
			       const char *name, size_t n, uint64_t count,
			       uint64_t steps, struct na_err *err)
{
	struct na_xla_hint *h;

	if (hint_of(r, stream, NA_XLA_TOO_FREQUENT, name, n, &h, err) != NA_OK)
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

/* "21 counts during 22 steps" */
static enum na_status too_frequent(struct na_xla_reader *r, size_t stream,
				   const char *s, size_t n, size_t name_n,
				   struct na_err *err)
{
	static const char word[] = " too frequent: ", during[] = "during ";
	const char *name = s;
	uint64_t count, steps;
	size_t k;

	s += name_n + sizeof(word) - 1;
	n -= name_n + sizeof(word) - 1;
	k = find(s, n, during);
	if (!na_xla_count(s, n, &count) || k == n ||
	    !na_xla_count(s + k + sizeof(during) - 1,
			  n - k - (sizeof(during) - 1), &steps)) {
		r->log->damaged++;
		return NA_OK;
	}
	return frequent(r, stream, name, name_n, count, steps, err);
}

/* "X (9 counts), Y (8 counts), during 10 steps." */
static enum na_status several(struct na_xla_reader *r, size_t stream,
			      const char *s, size_t n, struct na_err *err)
{
	static const char during[] = "during ";
	size_t end = find(s, n, during);
	uint64_t count, steps;

	if (end == n || !na_xla_count(s + end + sizeof(during) - 1,
				      n - end - (sizeof(during) - 1), &steps)) {
		r->log->damaged++;
		return NA_OK;
	}
	while (end) {
		size_t open = find(s, end, " ("), close;

		if (open == end ||
		    !na_xla_count(s + open + 2, end - open - 2, &count))
			break;
		if (frequent(r, stream, s, open, count, steps, err) != NA_OK)
			return err->status;
		close = find(s, end, ")");
		if (close == end)
			break;
		close++;
		while (close < end &&
		       (s[close] == ',' || na_xla_is_blank(s[close])))
			close++;
		s += close;
		end -= close;
	}
	return NA_OK;
}

static enum na_status too_slow(struct na_xla_reader *r, size_t stream,
			       const char *s, size_t n, size_t name_n,
			       struct na_err *err)
{
	static const char took[] = " took ";
	size_t k = find(s, n, took), end;
	struct na_xla_hint *h;
	int64_t ns;

	if (k == n)
		end = k;
	else
		for (end = k += sizeof(took) - 1;
		     end < n && !na_xla_is_blank(s[end]);)
			end++;
	while (end > k && s[end - 1] == '.')
		end--;
	if (!na_xla_duration(s + k, end - k, r->how, &ns)) {
		r->log->damaged++;
		return NA_OK;
	}
	if (hint_of(r, stream, NA_XLA_TOO_SLOW, s, name_n, &h, err) != NA_OK)
		return err->status;
	if (!h)
		return NA_OK;
	h->times++;
	if (ns > h->longest_ns)
		h->longest_ns = ns;
	return NA_OK;
}

static enum na_status not_lowered(struct na_xla_reader *r, size_t stream,
				  const char *s, size_t n, struct na_err *err)
{
	n = find(s, n, " Please");
	while (n) {
		size_t comma = find(s, n, ","), from = 0, to = comma;
		struct na_xla_hint *h;

		while (from < to && na_xla_is_blank(s[from]))
			from++;
		while (to > from && na_xla_is_blank(s[to - 1]))
			to--;
		if (to > from) {
			if (hint_of(r, stream, NA_XLA_NOT_LOWERED, s + from,
				    to - from, &h, err) != NA_OK)
				return err->status;
			if (h)
				h->times++;
		}
		comma += comma < n;
		s += comma;
		n -= comma;
	}
	return NA_OK;
}

enum na_status na_xla_hint_line(struct na_xla_reader *r, size_t stream,
				const struct na_xla_found *f,
				struct na_err *err)
{
	static const char ops[] = "Op(s) not lowered: ";
	static const char following[] = "Following metrics too frequent: ";
	const char *s = f->rest;
	size_t n = f->n, k;

	r->log->lines++;
	r->log->hint_lines++;
	if (na_xla_starts(s, n, ops))
		return not_lowered(r, stream, s + sizeof(ops) - 1,
				   n - (sizeof(ops) - 1), err);
	if (na_xla_starts(s, n, following))
		return several(r, stream, s + sizeof(following) - 1,
			       n - (sizeof(following) - 1), err);
	k = find(s, n, " too frequent: ");
	if (k < n)
		return too_frequent(r, stream, s, n, k, err);
	k = find(s, n, " too slow: ");
	if (k < n)
		return too_slow(r, stream, s, n, k, err);
	r->log->lines--;
	r->log->hint_lines--;
	return NA_OK;
}
