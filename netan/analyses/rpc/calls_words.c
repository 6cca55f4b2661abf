/* rpc: calls of captures as a person reads them. */
#include <math.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/rpc/calls.h"

void na_rpc_calls_views(struct na_result *r)
{
	if (!na_count_at(na_result_side(r), M_calls))
		return;
	na_result_view(r, na_result_say(r, na_fact_title_methods()),
		       na_get(na_result_body(r), M_methods),
		       &na_table_rpc_method,
		       NA_COLUMNS({M_method}, {M_calls}, {M_failed},
				  {M_unanswered}, {M_p50_us}, {M_p99_us},
				  {M_max_us}),
		       10);
	na_result_view(r, na_result_say(r, na_fact_title_slow_calls()),
		       na_get(na_result_side(r), M_slow_calls),
		       &na_table_rpc_slow_call,
		       NA_COLUMNS({M_time_s}, {M_src}, {M_dst}, {M_method},
				  {M_state}, {M_first_us}, {M_end_us},
				  {M_bytes_req}, {M_bytes_resp}),
		       0);
}

/* "2 UNAVAILABLE, 1 INTERNAL" */
static const char *statuses(struct na_result *r)
{
	const struct na_value *f = na_first(na_result_side(r), M_failures);
	struct na_str list = {0};

	for (int shown = 0; f && shown < 3; f = f->next, shown++)
		na_str_join(&list, ", ", "%s %s",
			    na_grouped(na_count_at(f, M_calls)),
			    na_text_at(f, M_status));
	if (f)
		na_str_addf(&list, ", ...");
	return list.n ? na_result_keep(r, &list) : NULL;
}

/* The method with the highest p99, where there are others. */
static void add_method(struct na_str *to, const struct na_value *body)
{
	const struct na_value *m = na_first(body, M_methods);
	size_t n = na_length(body, M_methods);

	while (m && isnan(na_number_at(m, M_p99_us)))
		m = m->next;
	if (m && n > 1)
		na_say_to(to, na_fact_slowest_method(
				      (int64_t)n,
				      na_text_or(m, M_method, "unknown"),
				      na_number_at(m, M_p50_us) / NA_US_PER_S,
				      na_number_at(m, M_p99_us) / NA_US_PER_S));
}

void na_rpc_calls_say(struct na_str *to, struct na_result *r)
{
	const struct na_value *side = na_result_side(r);

	if (!na_count_at(side, M_calls))
		return;
	add_method(to, na_result_body(r));
	na_say_to(to, na_fact_calls_without_success(
			      na_count_at(side, M_calls_failed),
			      na_count_at(side, M_calls), statuses(r),
			      na_count_at(side, M_calls_unanswered)));
}
