/*
 * A window of a PyTorch trace: the document with fewer events.
 *
 *   steps, kernels that communicate, what they were called with
 *                      all: they are counted from the beginning
 *   other kernels      in the wide window
 *   other events       in the window
 *   those that have no time of their own, the first one of all (the origin),
 *   the first kernel of each device, the first call of the process
 */
#include <stdio.h>
#include <string.h>

#include "ingest/json/json.h"
#include "ingest/kineto/cut.h"
#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

const char kt_cut_member[] = "netan slice";
enum { SAID_BYTES = 4096 };

enum na_status kt_cut_put(const struct kt_cut *c, const char *s, size_t n)
{
	return n ? c->of->put(c->of->put_ctx, s, n, c->err) : NA_OK;
}

enum na_status kt_cut_put_bare(struct kt_cut *c)
{
	struct na_xf_bytes *b = &c->bare.out;
	enum na_status st =
		b->failed ? na_fail_nomem(c->err)
			  : kt_cut_put(c, (const char *)b->p, b->n);

	b->n = 0;
	return st;
}

bool kt_cut_meets(const struct kt_cut *c, int64_t start_ps, int64_t end_ps,
		  bool wide)
{
	const struct na_slice *of = c->of;

	return na_slice_meets(start_ps, end_ps,
			      wide ? of->wide_from_ps : of->from_ps,
			      wide ? of->wide_to_ps : of->to_ps);
}

static bool meets(const struct kt_cut *c, const struct na_kineto_event *e,
		  bool wide)
{
	int64_t start_ps, end_ps, dur = 0;

	if (!kt_starts_at(c->in, e->ts, &start_ps))
		return false;
	if (e->dur.s && (!na_json_decimal(e->dur, 6, &dur) || dur < 0))
		dur = 0;
	return na_add_i64(start_ps, dur, &end_ps) &&
	       kt_cut_meets(c, start_ps, end_ps, wide);
}

static bool is_first(struct kt_cut *c, const struct na_kineto_event *e)
{
	const struct kineto *k = c->in->state;
	int64_t ns;

	if (c->has_first || !kt_time_ns(e->ts, &ns) || ns != k->first_ns)
		return false;
	c->has_first = true;
	return true;
}

static bool is_kernel(const struct na_kineto_event *e)
{
	return na_same_nocase(e->cat.s, e->cat.n, "kernel");
}

/* Without names, only what somebody reads is of a window. */
static bool stays(struct kt_cut *c, const struct na_kineto_event *e)
{
	bool first, bare = c->of->names;

	if (!na_text_is(e->ph, "X"))
		return !bare && (!e->ts.s || na_text_is(e->ph, "M") ||
				 meets(c, e, false));
	first = is_first(c, e);
	if (is_kernel(e)) {
		uint64_t device = UINT64_C(1) << kt_device_of(e->pid);

		first |= !(c->devices & device);
		c->devices |= device;
		return first || na_kernel_talks(e->name) || meets(c, e, true);
	}
	if (!c->has_process && (na_text_is(e->cat, "cpu_op") ||
				na_text_is(e->cat, "cuda_runtime")))
		first = c->has_process = true;
	return first || kt_is_counted(e->name) ||
	       (!bare && meets(c, e, false));
}

/* Users have homes in paths of events that go, too. */
static void learn(struct kt_cut *c, const struct na_kineto_event *e)
{
	kt_bare_learn(&c->bare, e->name, false);
	kt_bare_learn(&c->bare, e->args, true);
}

static enum na_status put_event(struct kt_cut *c,
				const struct na_kineto_event *e,
				const char *s, size_t n)
{
	if (!c->of->names)
		return kt_cut_put(c, s, n);
	kt_bare_event(&c->bare, e, is_kernel(e) || kt_is_counted(e->name));
	return kt_cut_put_bare(c);
}

static enum na_status one_event(struct kt_cut *c,
				const struct na_kineto_event *e,
				const char *s, size_t n)
{
	bool any = c->any;

	c->counts->of_events++;
	if (c->of->learns)
		learn(c, e);
	if (!stays(c, e))
		return NA_OK;
	c->any = true;
	c->counts->events++;
	c->counts->inside += na_text_is(e->ph, "X") && meets(c, e, false);
	if (kt_cut_put(c, any ? ",\n" : "\n", any ? 2 : 1) != NA_OK)
		return c->err->status;
	return put_event(c, e, s, n);
}

/* Where the file breaks off among the events, what is open is closed. */
static enum na_status put_rest(const struct kt_cut *c, const char *s,
			       const char *end, bool bare)
{
	if (c->of->names)
		return kt_cut_put(c, "\n]}\n", 4);
	if (s < end && *s == ']')
		return kt_cut_put(c, s, (size_t)(end - s));
	return kt_cut_put(c, "\n]}\n", bare ? 2 : 3);
}

/* The events are all there is, without an object around them. */
static bool is_array(const char *s, const char *end)
{
	struct na_text text = na_between(s, end);
	struct na_json j;

	if (na_text_begins(text, "\xef\xbb\xbf"))
		text = na_text_from(text, 3);
	j = na_json_of(text, 0);
	return na_json_next(&j) == NA_JSON_ARRAY;
}

/* What an older slice says. */
static const char *past_member(const char *s, const char *end)
{
	struct na_text rest = na_between(s, end), before, behind;

	return na_text_past(&rest, "\"") &&
			       na_text_past(&rest, kt_cut_member) &&
			       na_text_past(&rest, "\": \"") &&
			       na_text_split(rest, "\",\n", &before, &behind)
		       ? behind.s
		       : s;
}

enum na_status kt_cut_put_mark(const struct kt_cut *c, const char **s,
			       const char *end)
{
	char said[SAID_BYTES], member[SAID_BYTES + 64];
	const char *from = *s;
	enum na_status st;

	while (from < end && *from != '{' && *from != '[')
		from++;
	if (from == end || *from == '[')
		return NA_OK;
	from++;
	na_escape(NA_ESC_JSON, c->of->said, said, sizeof(said));
	snprintf(member, sizeof(member), "\"%s\": \"%s\",\n", kt_cut_member,
		 said);
	st = kt_cut_put(c, *s, (size_t)(from - *s));
	if (st == NA_OK)
		st = kt_cut_put(c, member, strlen(member));
	*s = past_member(from, end);
	return st;
}

/* Up to the events; of an object, first of all that it is a slice. */
static enum na_status put_head(struct kt_cut *c, const char *s,
			       const char *events)
{
	enum na_status st;

	if (c->of->names) {
		kt_bare_head(&c->bare, c->in, c->of);
		return kt_cut_put_bare(c);
	}
	st = kt_cut_put_mark(c, &s, events);
	return st == NA_OK ? kt_cut_put(c, s, (size_t)(events - s)) : st;
}

static enum na_status cut_events(struct kt_cut *c, size_t array)
{
	const char *data = (const char *)c->in->data, *end = data + c->in->size;
	const char *s = data + array, *next;
	struct na_kineto_shape shape = {0};
	struct na_kineto_event e;
	enum na_status st = put_head(c, data, s);

	while (st == NA_OK) {
		s = kt_past_comma(s, end);
		if (s == end || *s != '{')
			break;
		next = na_kineto_event(s, end, &shape, &e);
		if (!next)
			break;
		st = one_event(c, &e, s, (size_t)(next - s));
		s = next;
	}
	return st == NA_OK ? put_rest(c, s, end, is_array(data, end)) : st;
}

enum na_status kt_slice(struct na_input *in, const struct na_slice *of,
			struct na_slice_counts *counts, struct na_err *err)
{
	struct kt_cut c = {.in = in,
			.of = of,
			.counts = counts,
			.err = err,
			.bare.names = of->names};
	size_t array = kt_array_in(
		na_text_n((const char *)in->data, in->size));
	enum na_status st;

	if (array)
		st = cut_events(&c, array);
	else if (strcmp(in->format, "rocprof") == 0)
		st = kt_cut_rocprof(&c);
	else
		st = na_fail(err, NA_EUSAGE,
			     "%s: a trace without traceEvents is not cut",
			     in->path);
	kt_bare_fini(&c.bare);
	return st;
}
