/* rpc: calls of captures as a person reads them. */
#include <math.h>

#include "members.h"
#include "netan/analyses/rpc/calls.h"

void na_rpc_calls_views(struct na_result *r)
{
	if (!na_count_at(na_result_side(r), M_calls))
		return;
	na_result_view(r, "methods, the highest p99 first",
		       na_get(na_result_body(r), M_methods),
		       &na_table_rpc_method,
		       NA_COLUMNS({M_method}, {M_calls}, {M_failed},
				  {M_unanswered}, {M_p50_us}, {M_p99_us},
				  {M_max_us}),
		       10);
	na_result_view(r, "slowest calls",
		       na_get(na_result_side(r), M_slow_calls),
		       &na_table_rpc_slow_call,
		       NA_COLUMNS({M_time_s}, {M_src}, {M_dst}, {M_method},
				  {M_state}, {M_first_us}, {M_end_us},
				  {M_bytes_req}, {M_bytes_resp}),
		       0);
}

const char *na_rpc_time(char buf[NA_UNIT_BUF], double us)
{
	return na_print_time(buf,
			     (int64_t)fmin(us * (double)NA_PS_PER_US, 9e18), 3);
}

static const char *count(char buf[NA_UNIT_BUF], const struct na_value *in,
			 const char *name)
{
	return na_print_count(buf, (uint64_t)na_count_at(in, name));
}

/* "; 3 of 120 calls failed (2 UNAVAILABLE, 1 INTERNAL)" */
static void add_failures(struct na_str *to, const struct na_value *side)
{
	const struct na_value *f = na_first(side, M_failures);
	char n[NA_UNIT_BUF], m[NA_UNIT_BUF];
	int shown = 0;

	if (na_count_at(side, M_calls_failed))
		na_str_addf(to, "; %s of %s calls failed",
			    count(n, side, M_calls_failed),
			    count(m, side, M_calls));
	for (; f && shown < 3; f = f->next)
		na_str_addf(to, "%s%s %s", shown++ ? ", " : " (",
			    count(n, f, M_calls), na_text_at(f, M_status));
	if (shown)
		na_str_addf(to, "%s)", f ? ", ..." : "");
	if (na_count_at(side, M_calls_unanswered))
		na_str_addf(to, "; %s without an answer",
			    count(n, side, M_calls_unanswered));
}

/* The method with the highest p99, where there are others. */
static void add_method(struct na_str *to, const struct na_value *body)
{
	const struct na_value *m = na_first(body, M_methods);
	size_t n = na_length(body, M_methods);
	char p50[NA_UNIT_BUF], p99[NA_UNIT_BUF];

	while (m && isnan(na_number_at(m, M_p99_us)))
		m = m->next;
	if (m && n > 1)
		na_str_addf(to,
			    "; slowest of %zu methods: %.100s (p50 %s, p99 %s)",
			    n, na_text_or(m, M_method, "unknown"),
			    na_rpc_time(p50, na_number_at(m, M_p50_us)),
			    na_rpc_time(p99, na_number_at(m, M_p99_us)));
}

void na_rpc_calls_say(struct na_str *to, struct na_result *r)
{
	const struct na_value *side = na_result_side(r);

	if (!na_count_at(side, M_calls))
		return;
	add_method(to, na_result_body(r));
	add_failures(to, side);
}
