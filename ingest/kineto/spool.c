/*
 * The survey of events as they are unpacked: each is looked at while it is in
 * the caches, and those that give no record are not written down.  What stands
 * before and behind the array of events is, and is read when all is there.
 */
#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"

/* What no event begins or ends in is left to the survey of the whole file. */
enum { FAR_BYTES = 1 << 19 };

size_t kt_array_in(struct na_text text)
{
	const char *from = text.s;
	struct na_json j;

	if (na_text_begins(text, "\xef\xbb\xbf"))
		text = na_text_from(text, 3);
	j = na_json_of(text, 0);
	if (na_json_next(&j) == NA_JSON_ARRAY)
		return (size_t)(j.p - from);
	while (na_json_next(&j) == NA_JSON_KEY && !kt_is_rocprof(&j)) {
		bool events = na_json_is(&j, "traceEvents");

		if (!events)
			na_json_skip(&j);
		else if (na_json_next(&j) == NA_JSON_ARRAY)
			return (size_t)(j.p - from);
		else
			na_json_skip(&j);
	}
	return 0;
}

static uint64_t rest(struct kineto *k, bool *keep)
{
	k->spool.phase = KT_REST;
	*keep = true;
	return UINT64_MAX;
}

/* The next event, with what stands before it; 0: more bytes are needed. */
static uint64_t next_event(struct kineto *k, struct na_text text, bool last,
			   uint32_t wants, bool *keep)
{
	const char *end = text.s + text.n, *s = kt_past_comma(text.s, end);
	size_t had = k->events.n + k->calls.n + k->p2p_calls.n;
	struct na_err err = {.status = NA_OK};
	struct na_kineto_event e;
	const char *next = NULL;

	if (s < end && *s != '{')
		return rest(k, keep);
	if (s < end)
		next = na_kineto_event(s, end, &k->spool.shape, &e);
	if (!next)
		return last || text.n >= FAR_BYTES ? rest(k, keep) : 0;
	if (kt_take_event(k, wants, &e, s, next,
			  k->spool.at + (uint64_t)(s - text.s), &err) != NA_OK)
		k->spool.failed = true;
	*keep = k->events.n + k->calls.n + k->p2p_calls.n > had;
	k->spool.stop = k->spool.at + (uint64_t)(next - text.s);
	return (uint64_t)(next - text.s);
}

uint64_t kt_spool(void *state, const uint8_t *p, size_t n, bool last,
		  uint32_t wants, bool *keep)
{
	struct na_text text = {(const char *)p, n};
	struct kineto *k = state;
	uint64_t run = 0;

	if (wants & NA_WANT_WHOLE)
		return rest(k, keep);
	if (k->spool.phase == KT_EVENTS) {
		run = next_event(k, text, last, wants, keep);
	} else if (k->spool.phase == KT_HEAD) {
		run = kt_array_in(text);
		*keep = true;
		if (run) {
			k->spool.phase = KT_EVENTS;
			k->spool.array = k->spool.stop = run;
		} else if (last || n >= FAR_BYTES) {
			run = rest(k, keep);
		}
	}
	k->spool.at += run;
	return run;
}
