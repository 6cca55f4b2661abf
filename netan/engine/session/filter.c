/* From the filter options as typed to a filter on records. */
#include <inttypes.h>
#include <string.h>

#include "netan/engine/session/session.h"

bool na_session_moment(const struct na_session *s, const char *text,
		       int64_t *ps)
{
	int64_t unix_ns;

	return na_parse_time(text, ps) ||
	       (na_parse_utc(text, &unix_ns) && s->one_clock &&
		na_ps_since(unix_ns, s->origin_unix_ns, ps));
}

static enum na_status no_time(const char *option, const char *text,
			      struct na_err *err)
{
	if (text[0] && !text[strspn(text, "0123456789.")])
		return na_fail(err, NA_EUSAGE,
			       "%s: \"%.40s\" lacks its unit: %.40ss or "
			       "%.40sms, say",
			       option, text, text, text);
	return na_fail(err, NA_EUSAGE,
		       "%s: \"%.60s\" is no time; give one from the origin "
		       "(1.5s, 200ms) or UTC (2026-11-20T21:28:00Z)",
		       option, text);
}

/* A time from the origin ("1.5s") or on the wall clock, in ps. */
static enum na_status moment(const struct na_session *s, const char *option,
			     const char *text, int64_t *ps, struct na_err *err)
{
	int64_t unix_ns;

	if (na_session_moment(s, text, ps))
		return NA_OK;
	if (!na_parse_utc(text, &unix_ns))
		return no_time(option, text, err);
	if (!s->one_clock)
		return na_fail(err, NA_EUSAGE,
			       "%s: not all inputs know the "
			       "wall clock; give a time from the origin (1.5s)",
			       option);
	return na_fail(err, NA_EUSAGE,
		       "%s: %.60s is more than 106 days from the origin",
		       option, text);
}

static enum na_status steps(const char *text, struct na_filter *f,
			    struct na_err *err)
{
	if (!na_slice_parse_steps(text, &f->first_step, &f->last_step))
		return na_fail(err, NA_EUSAGE,
			       "--step: \"%.40s\" is no step; "
			       "give N or N-M",
			       text);
	return NA_OK;
}

enum na_status na_session_filter(struct na_session *s, struct na_err *err)
{
	const struct na_request *c = s->request;
	const struct na_slice_mark *w = &s->window;
	struct na_filter *f = &s->filter;
	enum na_status st = na_session_window(s, err);

	na_filter_init(f);
	f->host = &c->host;
	f->src = &c->src;
	f->dst = &c->dst;
	f->collective = &c->collective;
	if (c->side)
		f->side = strcmp(c->side, "tx") == 0 ? NA_TX : NA_RX;
	f->min_bytes = c->min_size > 0 ? (uint64_t)c->min_size : 0;
	f->max_bytes = c->max_size >= 0 ? (uint64_t)c->max_size : UINT64_MAX;
	f->min_latency_ps = c->min_latency;
	f->include_loopback = c->include_loopback;
	f->max_rate_bps = c->max_rate;
	if (c->component >= 0)
		f->components = NA_COMP_BIT(c->component);
	if (st == NA_OK && w->from)
		st = moment(s, "--from", w->from, &f->from_ps, err);
	if (st == NA_OK && w->to)
		st = moment(s, "--to", w->to, &f->to_ps, err);
	if (st == NA_OK && f->from_ps >= f->to_ps)
		st = na_fail(err, NA_EUSAGE, "--from must lie before --to");
	if (st == NA_OK && w->step)
		st = steps(w->step, f, err);
	na_session_join_windows(s, f);
	return st == NA_OK ? na_session_say_cut(s, err) : st;
}
