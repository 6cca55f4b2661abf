/* latency: what a person sees in a terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/latency/latency.h"
#include "netan/base/vec.h"

enum { SHOWN_GROUPS = 40 };

/* Without --by: a line for each quantile, with its interval. */
static struct na_value *quantile_rows(struct na_result *r,
				      const struct na_value *group)
{
	/* clang-format off */
	static const char *const rows[][3] = {
		{"min", M_min_us, NULL},
		{"mean", M_mean_us, NULL},
		{"p50", M_p50_us, M_p50_ci95_us},
		{"p90", M_p90_us, M_p90_ci95_us},
		{"p95", M_p95_us, M_p95_ci95_us},
		{"p99", M_p99_us, M_p99_ci95_us},
		{"p99.9", M_p99_9_us, M_p99_9_ci95_us},
		{"p99.99", M_p99_99_us, M_p99_99_ci95_us},
		{"max", M_max_us, NULL},
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), "quantiles");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_value *o = na_put_object(r, list, NULL);
		size_t n = 0;
		const double *ends =
			rows[i][2] ? na_reals_of(na_get(group, rows[i][2]), &n)
				   : NULL;

		na_put_text(r, o, M_of, rows[i][0]);
		na_put_real(r, o, "us",
			    na_real_of(na_get(group, rows[i][1]), NAN));
		na_put_real(r, o, "lower", n == 2 ? ends[0] : NAN);
		na_put_real(r, o, "upper", n == 2 ? ends[1] : NAN);
	}
	return list;
}

static void quantiles_view(struct na_result *r, const struct na_value *group,
			   const char *message)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_of, "", NA_F_TEXT, 0, 0},
		{"us", "latency us", NA_F_NUMBER, 4, 0},
		{"lower", "95 % from", NA_F_NUMBER, 4, 0},
		{"upper", "to", NA_F_NUMBER, 4, 0},
	};
	/* clang-format on */

	na_result_view(r, message, quantile_rows(r, group), NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

/* Ratios and shares as people read them. */
static void flatten(struct na_result *r, struct na_value *to,
		    const struct na_value *group)
{
	double residual = na_real_of(na_get(group, M_residual_p99), NAN);
	double waiting = na_real_of(na_dig(group, M_split "." M_waiting_share),
				    NAN);

	na_put_real(r, to, M_tail_ratio,
		    na_real_of(na_get(group, M_tail_ratio), NAN));
	na_put_real(r, to, M_fixed_us,
		    na_real_of(na_get(group, M_fixed_us), NAN));
	na_put_real(r, to, M_bandwidth_gbps,
		    na_real_of(na_get(group, M_bandwidth_gbps), NAN));
	na_put_real(r, to, "over", exp(residual));
	na_put_real(r, to, "waiting_percent", 100 * waiting);
	na_put_int(r, to, M_slow,
		   na_int_of(na_dig(group, M_split "." M_slow), 0));
	na_put_int(r, to, M_slow_waiting,
		   na_int_of(na_dig(group, M_split "." M_slow_waiting), 0));
}

static void size_view(struct na_result *r, const struct na_value *group)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_tail_ratio, "p99 / p50", NA_F_NUMBER, 3, 0},
		{M_fixed_us, "fixed cost of a transfer, us", NA_F_NUMBER, 3, 0},
		{M_bandwidth_gbps, "bandwidth that a byte sees, Gbit/s",
		 NA_F_NUMBER, 3, 0},
		{"over", "p99 over what its size explains, times",
		 NA_F_NUMBER, 3, 0},
	};
	/* clang-format on */
	struct na_value *to = na_put_object(r, na_result_side(r), "size_line");

	flatten(r, to, group);
	if (isnan(na_real_of(na_get(group, M_fixed_us), NAN)))
		na_result_view(r, "tail (sizes do not vary enough for a line)",
			       to, NULL, cols, 1, 0);
	else
		na_result_view(r, "latency given size (robust line)", to, NULL,
			       cols, sizeof(cols) / sizeof(cols[0]), 0);
}

static void split_view(struct na_result *r, const struct lat_state *s)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_p50, "receive action p50, us", NA_F_NUMBER, 4, 0},
		{M_p99, "receive action p99, us", NA_F_NUMBER, 4, 0},
		{"under_way", "of it: message under way, %", NA_F_NUMBER, 3, 0},
		{"queued", "queued behind others, %", NA_F_NUMBER, 3, 0},
		{"idle", "links idle: waiting for the peer, %", NA_F_NUMBER, 3,
		 0},
		{"unposted", "transport before the receive was posted, %",
		 NA_F_NUMBER, 3, 0},
		{M_slow, "slow receives (over 3x the median)", NA_F_COUNT, 0,
		 0},
		{M_network, "of these, the network's", NA_F_COUNT, 0, 0},
		{M_waiting, "of these, waiting for the peer", NA_F_COUNT, 0,
		 0},
	};
	/* clang-format on */
	const struct na_value *x = na_get(na_result_body(r), M_split);
	struct na_value *to;

	if (!s->split.n || s->scope->store->n_runs > 1)
		return;
	to = na_put_object(r, na_result_side(r), "waits");
	na_put_real(r, to, M_p50, s->action_p50_us);
	na_put_real(r, to, M_p99, s->action_p99_us);
	na_put_real(r, to, "under_way",
		    100 * na_real_of(na_get(x, M_under_way_share), NAN));
	na_put_real(r, to, "queued",
		    100 * na_real_of(na_get(x, M_queued_share), NAN));
	na_put_real(r, to, "idle",
		    100 * na_real_of(na_get(x, M_waiting_share), NAN));
	na_put_real(r, to, "unposted",
		    100 * na_real_of(na_get(x, M_unposted_share), NAN));
	na_put_int(r, to, M_slow, (int64_t)s->split.slow);
	na_put_int(r, to, M_network, (int64_t)s->split.slow_network);
	na_put_int(r, to, M_waiting,
		   (int64_t)(s->split.slow - s->split.slow_network));
	na_result_view(r, "network or host: what receives waited for", to, NULL,
		       cols, sizeof(cols) / sizeof(cols[0]), 0);
}

/* Of --by: the JSON's rows, flat and short. */
static struct na_value *group_rows(struct na_result *r)
{
	static const char *const fields[] = {M_p50_us, M_p90_us, M_p99_us,
					     M_p99_9_us, M_max_us};
	struct na_value *list = na_put_list(r, na_result_side(r), M_table);
	const struct na_value *g = na_get(na_result_body(r), M_groups);

	for (g = g ? g->u.of.first : NULL; g; g = g->next) {
		struct na_value *o = na_put_object(r, list, NULL);
		struct na_value *to = na_put_object(r, o, M_key);
		const struct na_value *key = na_get(g, M_key);

		for (key = key ? key->u.of.first : NULL; key; key = key->next)
			na_put_text(r, to, key->name, na_text_of(key, ""));
		na_put_int(r, o, M_count, na_int_of(na_get(g, M_count), 0));
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			na_put_real(r, o, fields[i],
				    na_real_of(na_get(g, fields[i]), NAN));
		flatten(r, o, g);
	}
	return list;
}

static void groups_view(struct na_result *r, const struct lat_state *s,
			const char *message)
{
	/* clang-format off */
	static const struct na_column numbers[] = {
		{M_count, "count", NA_F_COUNT, 0, 0},
		{M_p50_us, "p50 us", NA_F_NUMBER, 4, 0},
		{M_p90_us, "p90 us", NA_F_NUMBER, 4, 0},
		{M_p99_us, "p99 us", NA_F_NUMBER, 4, 0},
		{M_p99_9_us, "p99.9 us", NA_F_NUMBER, 4, 0},
		{M_max_us, "max us", NA_F_NUMBER, 4, 0},
		{M_tail_ratio, "p99/p50", NA_F_NUMBER, 3, 0},
		{M_fixed_us, "fixed us", NA_F_NUMBER, 3, 0},
		{M_bandwidth_gbps, "Gbit/s", NA_F_NUMBER, 3, 0},
		{"waiting_percent", "waiting %", NA_F_NUMBER, 3, 0},
		{M_slow, "slow", NA_F_COUNT, 0, 0},
		{M_slow_waiting, "of them waiting", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	enum { ALL = sizeof(numbers) / sizeof(numbers[0]), OF_SPLIT = 3 };
	struct na_column cols[NA_MAX_KEYS + ALL];
	size_t n = na_groups_columns(&s->scope->by, cols);

	memcpy(cols + n, numbers, sizeof(numbers));
	n += s->split.n ? ALL : ALL - OF_SPLIT;
	na_result_view(r, message, group_rows(r), NULL, cols, n, SHOWN_GROUPS);
}

static int slower(const struct lat_worst *a, const struct lat_worst *b)
{
	if (a->latency_ps != b->latency_ps)
		return a->latency_ps > b->latency_ps;
	return a->end_ps < b->end_ps;
}

/* The slowest of all rows: each has its own in order. */
static struct na_value *slowest_rows(struct na_result *r,
				     const struct lat_state *s)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_slowest);
	size_t *at = na_calloc(s->n_rows, sizeof(*at));

	for (size_t k = 0; at && k < LAT_SLOWEST; k++) {
		size_t best = s->n_rows;

		for (size_t i = 0; i < s->n_rows; i++) {
			const struct lat_row *row = &s->rows[i];

			if (at[i] < row->n_worst &&
			    (best == s->n_rows ||
			     slower(&row->worst[at[i]],
				    &s->rows[best].worst[at[best]])))
				best = i;
		}
		if (best == s->n_rows)
			break;
		lat_put_worst(r, list, s, &s->rows[best],
			      &s->rows[best].worst[at[best]++]);
	}
	free(at);
	return list;
}

static void slowest_view(struct na_result *r, const struct lat_state *s)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_time_s, "end s", NA_F_FIXED, 6, 0},
		{M_latency_us, "latency us", NA_F_NUMBER, 4, 0},
		{M_times, "over its size, times", NA_F_NUMBER, 3, 0},
		{M_bytes, "bytes", NA_F_COUNT, 0, 0},
		{M_src, "src", NA_F_TEXT, 0, 0},
		{M_dst, "dst", NA_F_TEXT, 0, 0},
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_collective, "collective", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	struct na_value *list = slowest_rows(r, s);

	for (struct na_value *o = list ? list->u.of.first : NULL; o;
	     o = o->next)
		na_put_real(r, o, M_times,
			    exp(na_real_of(na_get(o, M_residual), NAN)));
	na_result_view(r, "slowest", list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

/* A quantile that rests on fewer transfers than it needs is marked. */
static void few_note(struct na_result *r, const struct lat_row *row)
{
	char n[NA_UNIT_BUF];
	const char *of = row->n < 2      ? "any quantile"
			 : row->n < 10   ? "p90 and above"
			 : row->n < 20   ? "p95 and above"
			 : row->n < 100  ? "p99 and above"
			 : row->n < 1000 ? "p99.9 and above"
					 : "p99.99";

	if (row->n < 10000)
		na_result_note(r, "%s transfer%s too few for %s",
			       na_print_count(n, row->n),
			       row->n == 1 ? " is" : "s are", of);
}

void lat_views(struct na_result *r, const struct lat_state *s)
{
	const char *message = na_result_get_word(r, NA_WORD_MESSAGE, NULL);
	const struct na_value *list = na_get(na_result_body(r), M_groups);

	if (s->scope->by.n) {
		groups_view(r, s, message);
	} else if (list && s->scope->used->n) {
		quantiles_view(r, list->u.of.first, message);
		size_view(r, list->u.of.first);
		few_note(r, &s->rows[0]);
	}
	if (!s->scope->used->n)
		return;
	split_view(r, s);
	slowest_view(r, s);
}
