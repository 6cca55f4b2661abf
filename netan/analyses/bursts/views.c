/* bursts: what a person sees in a terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/bursts/state.h"
#include "netan/base/vec.h"

enum { SHOWN_BURSTS = 10, SHOWN_ROWS = 20 };

static const char *text(const struct na_value *in, const char *name)
{
	return na_text_of(na_get(in, name), "");
}

/* A copy of a number under the words of the table. */
static void copy(struct na_result *r, struct na_value *to, const char *name,
		 const char *path)
{
	na_put_real(r, to, name,
		    na_real_of(na_dig(na_result_body(r), path), NAN));
}

static void sums_view(struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_time_mean, "pending, mean over time", NA_F_NUMBER, 3, 0},
		{M_p50, "p50", NA_F_NUMBER, 1, 0},
		{M_p90, "p90", NA_F_NUMBER, 1, 0},
		{M_p99, "p99", NA_F_NUMBER, 1, 0},
		{M_max, "max", NA_F_NUMBER, 1, 0},
		{M_idle_share, "time without any, %", NA_F_NUMBER, 3, 100},
		{M_burstiness, "burstiness of starts (-1 even, 0 random, 1)",
		 NA_F_NUMBER, 3, 0},
		{M_memory, "memory of their gaps", NA_F_NUMBER, 3, 0},
		{M_bursts, "bursts of transfers", NA_F_COUNT, 0, 0},
		{M_burst_distance_ms, "from burst to burst, median ms",
		 NA_F_NUMBER, 4, 0},
		{M_burst_period_ms, "period of what is pending, ms",
		 NA_F_NUMBER, 4, 0},
		{M_step_period_ms, "from step to step, median ms",
		 NA_F_NUMBER, 4, 0},
	};
	static const char *const of[] = {
		M_pending "." M_time_mean, M_pending "." M_p50, M_pending "." M_p90,
		"pending.p99", "pending.max", "pending.idle_share",
		"burstiness", "memory", M_bursts_total, M_burst_distance_ms,
		M_burst_period_ms, M_step_period_ms,
	};
	/* clang-format on */
	enum { ALL = sizeof(cols) / sizeof(cols[0]) };
	struct na_value *to = na_put_object(r, na_result_side(r), "sums");

	for (size_t i = 0; i < ALL; i++) {
		if (cols[i].format == NA_F_COUNT)
			na_put_int(r, to, cols[i].field,
				   na_int_of(na_dig(na_result_body(r), of[i]),
					     0));
		else
			copy(r, to, cols[i].field, of[i]);
	}
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), to,
		       NULL, cols, ALL, 0);
}

static void dispersion_view(struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_window_ms, "window ms", NA_F_COUNT, 0, 0},
		{M_idc, "idc (1: random)", NA_F_NUMBER, 3, 0},
		{M_windows, "windows", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */

	na_result_view(r, "dispersion of starts",
		       na_get(na_result_body(r), M_dispersion), NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

struct ranked {
	double length;
	const struct na_value *row;
	size_t place;
};

static int longer_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->length != y->length)
		return x->length > y->length ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static double number(const struct na_value *row, const char *name)
{
	return na_real_of(na_get(row, name), NAN);
}

/* "s0d1->s1d0", of the transfer that ended the burst. */
static void put_line(struct na_result *r, struct na_value *list,
		     const struct na_value *b)
{
	struct na_value *row = na_put_object(r, list, NULL);
	const struct na_value *last = na_get(b, M_last);
	const char *const names[] = {M_from_s, "transfers", "bytes",
				     M_max_overlap, M_mean_gbps};

	last = last ? last->u.of.last : NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		na_put_real(r, row, names[i], number(b, names[i]));
	na_put_real(r, row, "ms",
		    (number(b, M_to_s) - number(b, M_from_s)) * 1e3);
	na_put_textf(r, row, M_last, "%s->%s", text(last, "src"),
		     text(last, "dst"));
	na_put_real(r, row, "last_us", number(last, M_latency_us));
}

static void bursts_view(struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_from_s, "from s", NA_F_FIXED, 4, 0},
		{"ms", "ms", NA_F_NUMBER, 4, 0},
		{M_transfers, "transfers", NA_F_NUMBER, 1, 0},
		{M_bytes, "MB", NA_F_NUMBER, 4, 1e-6},
		{M_max_overlap, "at once", NA_F_NUMBER, 1, 0},
		{M_mean_gbps, "Gbit/s", NA_F_NUMBER, 3, 0},
		{M_last, "ended by", NA_F_TEXT, 0, 0},
		{"last_us", "latency us", NA_F_NUMBER, 4, 0},
	};
	/* clang-format on */
	const struct na_value *all = na_get(na_result_body(r), M_bursts), *v;
	struct na_value *list = na_put_list(r, na_result_side(r), "longest");
	struct ranked *x = na_calloc(all ? all->n : 0, sizeof(*x));
	char title[80], many[NA_UNIT_BUF];
	size_t n = 0;

	for (v = all && x ? all->u.of.first : NULL; v; v = v->next, n++)
		x[n] = (struct ranked){number(v, M_to_s) - number(v, M_from_s),
				       v, n};
	if (n)
		qsort(x, n, sizeof(*x), longer_first);
	for (size_t i = 0; i < n && i < SHOWN_BURSTS; i++)
		put_line(r, list, x[i].row);
	free(x);
	snprintf(title, sizeof(title), "longest bursts of transfers (of %s)",
		 na_print_count(many, (uint64_t)number(na_result_body(r),
						       M_bursts_total)));
	na_result_view(r, title, list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

/* clang-format off */
static const struct na_column pending_cols[] = {
	{M_pending "." M_time_mean, "mean", NA_F_NUMBER, 3, 0},
	{M_pending "." M_p50, "p50", NA_F_NUMBER, 1, 0},
	{M_pending "." M_p99, "p99", NA_F_NUMBER, 1, 0},
	{M_pending "." M_max, "max", NA_F_NUMBER, 1, 0},
	{M_pending "." M_idle_share, "idle %", NA_F_NUMBER, 3, 100},
	{M_burstiness, "burstiness", NA_F_FIXED, 2, 0},
};
/* clang-format on */
enum { PENDING_COLS = sizeof(pending_cols) / sizeof(pending_cols[0]) };

static void hosts_view(struct na_result *r, const struct bursts_state *s)
{
	struct na_column cols[1 + PENDING_COLS] = {
		{M_host, "host", NA_F_TEXT, 0, 0}};
	const struct na_value *list = na_get(na_result_body(r), M_hosts);
	char title[64];

	if (!list || list->n < 2)
		return;
	for (size_t i = 0; i < PENDING_COLS; i++)
		cols[1 + i] = pending_cols[i];
	snprintf(title, sizeof(title), "pending %s of each host",
		 na_bursts_pending_kind(s) == BURSTS_COLLECTIVES ? "collectives"
								 : "transfers");
	na_result_view(r, title, list, NULL, cols, 1 + PENDING_COLS,
		       SHOWN_ROWS);
}

static void groups_view(struct na_result *r, const struct bursts_state *s)
{
	/* clang-format off */
	static const struct na_column more[] = {
		{M_transfers, "transfers", NA_F_COUNT, 0, 0},
		{M_bytes, "MB", NA_F_NUMBER, 4, 1e-6},
		{M_bursts, "bursts", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	enum { MORE = sizeof(more) / sizeof(more[0]) };
	struct na_column cols[NA_MAX_KEYS + MORE + PENDING_COLS + 1];
	size_t n = na_groups_columns(&s->scope->by, cols);

	for (size_t i = 0; i < MORE; i++)
		cols[n++] = more[i];
	for (size_t i = 0; i < PENDING_COLS; i++)
		cols[n++] = pending_cols[i];
	cols[n++] = (struct na_column){M_verdict, "verdict", NA_F_TEXT, 0, 0};
	na_result_view(r, "pending transfers of each group",
		       na_get(na_result_body(r), M_groups), NULL, cols, n, 0);
}

void na_bursts_views(struct na_result *r, const struct bursts_state *s)
{
	/* Runs side by side are never added up. */
	if (s->scope->store->n_runs == 1) {
		sums_view(r);
		dispersion_view(r);
		bursts_view(r);
		hosts_view(r, s);
	}
	if (s->scope->by.n)
		groups_view(r, s);
}
