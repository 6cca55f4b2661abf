/* tcp: the table for people, and what to do about the worst. */
#include <math.h>

#include "members.h"
#include "netan/analyses/tcp/state.h"
#include "netan/analyses/tcp/words.h"
#include "netan/methods/put.h"

enum { DEFAULT_TOP = 20, TOLD = 5 };

/* Of the way that loses more. */
static double lost_percent(const struct tcp_row *row)
{
	double most = NAN;

	for (size_t i = 0; i < 2; i++) {
		double sent = (double)na_tcp_data_sent(row, i);

		if (sent > 0)
			most = fmax(most,
				    100 * (double)na_tcp_data_lost(row, i) /
					    sent);
	}
	return most;
}

/* From the capture point to who gets d's data, and back. */
static double usual_ms(const struct na_direction *d)
{
	return d->rtt_samples ? na_ms_of_ns(d->rtt_p50_ns) : NAN;
}

/* What the table says of both ways in one number, and in other units: these
 * are exact, a scaled member would be rounded twice. */
static void put_row(struct na_result *r, struct na_value *list, size_t rank,
		    const struct na_value *v, const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_int(r, to, M_rank, (int64_t)rank + 1);
	na_put_alias(r, to, M_row, v);
	na_put_real(r, to, M_seconds, na_s_of_ns(row->duration_ns));
	na_put_real(r, to, M_lost_percent, lost_percent(row));
	na_put_int(r, to, M_zero_windows,
		   (int64_t)(d[0].zero_windows + d[1].zero_windows));
	na_put_real(r, to, M_goodput, 8 * na_tcp_goodput(row, row->way) / 1e6);
	na_put_real(r, to, M_path_ms,
		    row->whole_rtt ? na_ms_of_ns(row->rtt_ns) : NAN);
	na_put_real(r, to, M_to_src_ms, usual_ms(&d[1]));
	na_put_real(r, to, M_to_dst_ms, usual_ms(&d[0]));
	na_put_real(r, to, M_lost_s, na_s_of_ns(row->lost_ns));
}

static void table(struct na_result *r, const struct tcp_state *s,
		  const struct na_value *listed)
{
	static const struct na_column cols[] = {
		{M_rank},
		{M_row "." M_label},
		{M_row "." M_src},
		{M_row "." M_src_host},
		{M_row "." M_dst},
		{M_row "." M_dst_host},
		{M_row "." M_verdict},
		{M_lost_s},
		{M_lost_percent},
		{M_row "." M_timeouts},
		{M_seconds},
		{M_row "." M_fwd "." M_bytes, "src sent KiB"},
		{M_row "." M_rev "." M_bytes, "dst sent KiB"},
		{M_goodput},
		{M_path_ms},
		{M_to_src_ms},
		{M_to_dst_ms},
		{M_zero_windows},
	};
	const struct na_store *store = s->scope->store;
	struct na_value *list = na_put_list(r, na_result_side(r), M_table);
	struct na_columns c = {.n = 0};
	size_t i = 0;

	na_for_each (v, listed) {
		put_row(r, list, i, v, &s->rows.v[i]);
		i++;
	}
	for (size_t k = 0; k < sizeof(cols) / sizeof(*cols); k++) {
		if ((k != 1 || store->n_runs > 1) &&
		    ((k != 3 && k != 5) || store->n_named))
			c.c[c.n++] = cols[k];
	}
	na_result_view(r, na_tcp_summary(r, s), list, &na_table_tcp_shown, c.c,
		       c.n, s->scope->top ? s->scope->top : DEFAULT_TOP);
}

/* How many at the head of the list are told of. */
static size_t troubled(const struct tcp_state *s)
{
	size_t n = 0;

	while (n < s->rows.n && n < TOLD &&
	       s->rows.v[n].verdict < TCP_SENDER_IDLE)
		n++;
	return n;
}

/* One line for each thing to do, of the worst connection. */
static void remedies(struct na_result *r, const struct tcp_state *s)
{
	int told[TOLD];
	size_t n = 0;

	for (size_t i = 0; i < s->rows.n && i < TOLD; i++) {
		const struct tcp_row *row = &s->rows.v[i];
		struct na_fact what = na_tcp_remedy(row);
		bool again = false;

		for (size_t k = 0; k < n; k++)
			again |= told[k] == what.id;
		if (!what.id || again)
			continue;
		told[n++] = what.id;
		na_result_note(r, "%s: %s", na_tcp_verdict_names[row->verdict],
			       na_result_say(r, what));
	}
}

static void note_count(struct na_result *r, struct na_fact (*fact)(int64_t n),
		       uint64_t n)
{
	if (n)
		na_result_note_fact(r, fact((int64_t)n));
}

/* Rows that the table calls healthy. */
static void waits(struct na_result *r, const struct tcp_state *s, size_t listed)
{
	int64_t longest_ns = 0;
	size_t at = 0, all = 0;

	for (size_t i = 0; i < listed; i++) {
		int64_t ns = s->rows.v[i].verdict == TCP_HEALTHY
				     ? na_tcp_unexplained_ns(&s->rows.v[i])
				     : 0;

		all += ns > 0;
		at = ns > longest_ns ? i : at;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	if (all)
		na_result_note_fact(
			r, na_fact_waits_of_healthy((int64_t)all,
						    na_s_of_ns(longest_ns),
						    (int64_t)at + 1));
}

static void coverage(struct na_result *r, const struct tcp_state *s,
		     size_t listed)
{
	size_t middle = 0;

	if (s->scope->top)
		note_count(r, na_fact_rows_more, s->rows.n - listed);
	na_result_note_fact(r, na_fact_rtt_columns());
	for (size_t i = 0; i < s->rows.n; i++)
		middle += !s->rows.v[i].c->dir[0].saw_syn &&
			  !s->rows.v[i].c->dir[1].saw_syn;
	note_count(r, na_fact_connections_without_syn, middle);
	note_count(r, na_fact_connections_only_counted, na_tcp_not_told(s));
	note_count(r, na_fact_connections_reported_early, s->evicted);
}

void na_tcp_views(struct na_result *r, const struct tcp_state *s)
{
	const struct na_value *listed = na_get(na_result_body(r),
					       M_connections);

	if (!s->rows.n || !listed)
		return;
	table(r, s, listed);
	na_put_worst(r, listed, troubled(s), &na_table_tcp_shown_why);
	remedies(r, s);
	waits(r, s, listed->n);
	coverage(r, s, listed->n);
}
