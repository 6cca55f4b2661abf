/* rpc: calls of captures as a person reads them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rpc/calls.h"
#include "netan/base/text.h"

static void methods_view(struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_method, "method", NA_F_TEXT, 0, 0},
		{M_calls, "calls", NA_F_COUNT, 0, 0},
		{M_failed, "failed", NA_F_COUNT, 0, 0},
		{M_unanswered, "no answer", NA_F_COUNT, 0, 0},
		{M_p50_us, "p50 us", NA_F_NUMBER, 4, 0},
		{M_p99_us, "p99 us", NA_F_NUMBER, 4, 0},
		{M_max_us, "max us", NA_F_NUMBER, 4, 0},
	};
	/* clang-format on */

	na_result_view(r, "methods, the highest p99 first",
		       na_get(na_result_body(r), M_methods), NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 10);
}

static void slowest_view(struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_time_s, "at s", NA_F_FIXED, 6, 0},
		{M_src, "client", NA_F_TEXT, 0, 0},
		{M_dst, "server", NA_F_TEXT, 0, 0},
		{M_method, "method", NA_F_TEXT, 0, 0},
		{M_state, "status", NA_F_TEXT, 0, 0},
		{M_first_us, "first byte us", NA_F_NUMBER, 4, 0},
		{M_end_us, "latency us", NA_F_NUMBER, 4, 0},
		{M_bytes_req, "request B", NA_F_COUNT, 0, 0},
		{M_bytes_resp, "response B", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */

	na_result_view(r, "slowest calls",
		       na_get(na_result_side(r), "slow_calls"), NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

void na_rpc_calls_views(struct na_result *r)
{
	if (!na_int_of(na_get(na_result_side(r), M_calls), 0))
		return;
	methods_view(r);
	slowest_view(r);
}

struct words {
	char *text;
	size_t size, n;
};

static void add(struct words *w, const char *fmt, ...) NA_PRINTF(2, 3);
static void add(struct words *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->n = na_text_append(w->text, w->size, w->n, fmt, ap);
	va_end(ap);
}

static const char *count(char buf[NA_UNIT_BUF], const struct na_value *in,
			 const char *name)
{
	return na_print_count(buf, (uint64_t)na_int_of(na_get(in, name), 0));
}

/* "; 3 of 120 calls failed (2 UNAVAILABLE, 1 INTERNAL)" */
static void add_failures(struct words *w, const struct na_value *side)
{
	const struct na_value *f = na_get(side, "failures");
	char n[NA_UNIT_BUF], m[NA_UNIT_BUF];
	int shown = 0;

	if (na_int_of(na_get(side, "calls_failed"), 0))
		add(w, "; %s of %s calls failed",
		    count(n, side, "calls_failed"), count(m, side, "calls"));
	for (f = f ? f->u.of.first : NULL; f && shown < 3; f = f->next)
		add(w, "%s%s %s", shown++ ? ", " : " (", count(n, f, "calls"),
		    na_text_of(na_get(f, M_status), ""));
	if (shown)
		add(w, "%s)", f ? ", ..." : "");
	if (na_int_of(na_get(side, "calls_unanswered"), 0))
		add(w, "; %s without an answer",
		    count(n, side, "calls_unanswered"));
}

/* The method with the highest p99, where there are others. */
static void add_method(struct words *w, const struct na_value *body)
{
	const struct na_value *list = na_get(body, M_methods);
	const struct na_value *m = list ? list->u.of.first : NULL;
	char p50[NA_UNIT_BUF], p99[NA_UNIT_BUF];

	while (m && isnan(na_real_of(na_get(m, M_p99_us), NAN)))
		m = m->next;
	if (!m || list->n < 2)
		return;
	na_print_time(p50,
		      (int64_t)fmin(na_real_of(na_get(m, M_p50_us), 0) * 1e6,
				    9e18),
		      3);
	na_print_time(p99,
		      (int64_t)fmin(na_real_of(na_get(m, M_p99_us), 0) * 1e6,
				    9e18),
		      3);
	add(w, "; slowest of %zu methods: %.100s (p50 %s, p99 %s)", list->n,
	    na_text_of(na_get(m, M_method), "unknown"), p50, p99);
}

void na_rpc_calls_say(char *text, size_t size, struct na_result *r)
{
	const struct na_value *side = na_result_side(r);
	struct words w = {text, size, strlen(text)};

	if (!na_int_of(na_get(side, M_calls), 0))
		return;
	add_method(&w, na_result_body(r));
	add_failures(&w, side);
}
