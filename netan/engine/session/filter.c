/* From the filter options as typed to a filter on records. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/engine/session/session.h"

/* A time from the origin ("1.5s") or on the wall clock, in ps. */
static enum na_status moment(const struct na_session *s, const char *option,
			     const char *text, int64_t *ps, struct na_err *err)
{
	int64_t unix_ns;

	if (na_parse_time(text, ps))
		return NA_OK;
	if (!na_parse_utc(text, &unix_ns))
		return na_fail(err, NA_EUSAGE,
			       "%s: \"%.60s\" is no time; give "
			       "one from the origin (1.5s, 200ms) or UTC "
			       "(2026-11-20T21:28:00Z)",
			       option, text);
	if (!s->one_clock)
		return na_fail(err, NA_EUSAGE,
			       "%s: not all inputs know the "
			       "wall clock; give a time from the origin (1.5s)",
			       option);
	if (!na_ps_since(unix_ns, s->origin_unix_ns, ps))
		return na_fail(err, NA_EUSAGE,
			       "%s: %.60s is more than 106 "
			       "days from the origin",
			       option, text);
	return NA_OK;
}

static enum na_status steps(const char *text, struct na_filter *f,
			    struct na_err *err)
{
	char *end;

	f->first_step = f->last_step = strtoll(text, &end, 10);
	if (end != text && *end == '-' && end[1])
		f->last_step = strtoll(end + 1, &end, 10);
	if (end == text || *end || f->first_step < 0 ||
	    f->last_step < f->first_step)
		return na_fail(err, NA_EUSAGE,
			       "--step: \"%.40s\" is no step; "
			       "give N or N-M",
			       text);
	return NA_OK;
}

enum na_status na_session_filter(struct na_session *s, struct na_err *err)
{
	const struct na_request *c = s->request;
	struct na_filter *f = &s->filter;
	enum na_status st = NA_OK;

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
	if (c->from)
		st = moment(s, "--from", c->from, &f->from_ps, err);
	if (st == NA_OK && c->to)
		st = moment(s, "--to", c->to, &f->to_ps, err);
	if (st == NA_OK && f->from_ps >= f->to_ps)
		st = na_fail(err, NA_EUSAGE, "--from must lie before --to");
	if (st == NA_OK && c->step)
		st = steps(c->step, f, err);
	return st;
}
