/* tcp: the table for people, and what to do about the worst. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/tcp/tcp.h"

enum { DEFAULT_TOP = 20, TOLD = 5, CLAUSES = 4 };

/* What the table says of both ways in one number. */
static void put_row(struct na_result *r, struct na_value *list, size_t rank,
		    const struct na_value *v, const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;
	const struct na_direction *main = &d[row->way];
	struct na_value *to = na_put_object(r, list, NULL);
	double sent = (double)d[0].data_packets + (double)d[1].data_packets;
	double again = (double)d[0].retransmissions +
		       (double)d[1].retransmissions;

	na_put_int(r, to, M_rank, (int64_t)rank + 1);
	na_put_text(r, to, M_label, na_text_of(na_get(v, M_label), NULL));
	na_put_text(r, to, M_src, na_text_of(na_get(v, M_src), NULL));
	na_put_text(r, to, M_dst, na_text_of(na_get(v, M_dst), NULL));
	na_put_text(r, to, M_src_host, na_text_of(na_get(v, M_src_host), NULL));
	na_put_text(r, to, M_dst_host, na_text_of(na_get(v, M_dst_host), NULL));
	na_put_real(r, to, M_seconds, (double)row->duration_ns / 1e9);
	na_put_real(r, to, "fwd_kb", (double)d[0].bytes / 1e3);
	na_put_real(r, to, "rev_kb", (double)d[1].bytes / 1e3);
	na_put_real(r, to, "retransmitted",
		    sent > 0 ? 100 * again / sent : NAN);
	na_put_int(r, to, M_timeouts, (int64_t)(d[0].timeouts + d[1].timeouts));
	na_put_int(r, to, M_zero_windows,
		   (int64_t)(d[0].zero_windows + d[1].zero_windows));
	na_put_real(r, to, M_p50,
		    main->rtt_samples ? (double)main->rtt_p50_ns / 1e6 : NAN);
	na_put_real(r, to, M_p99,
		    main->rtt_samples ? (double)main->rtt_p99_ns / 1e6 : NAN);
	na_put_real(r, to, "lost", (double)row->lost_ns / 1e9);
	na_put_text(r, to, M_verdict, tcp_verdict_names[row->verdict]);
}

static void table(struct na_result *r, const struct tcp_state *s,
		  const struct na_value *listed)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_table);
	char title[TCP_SUMMARY_BUF];
	struct na_columns c = {.n = 0};
	size_t i = 0;

	for (const struct na_value *v = listed->u.of.first; v; v = v->next, i++)
		put_row(r, list, i, v, &s->rows[i]);
	na_columns_add(&c, M_rank, "", NA_F_COUNT, 0, 0);
	if (s->scope->store->n_runs > 1)
		na_columns_add(&c, M_label, "label", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_src, "src", NA_F_TEXT, 0, 0);
	if (s->scope->store->n_named)
		na_columns_add(&c, M_src_host, "host", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_dst, "dst", NA_F_TEXT, 0, 0);
	if (s->scope->store->n_named)
		na_columns_add(&c, M_dst_host, "host", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_seconds, "s", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, "fwd_kb", "fwd kB", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, "rev_kb", "rev kB", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, "retransmitted", "retrans %", NA_F_NUMBER, 2, 0);
	na_columns_add(&c, M_timeouts, "timeouts", NA_F_COUNT, 0, 0);
	na_columns_add(&c, M_p50, "rtt p50 ms", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, M_p99, "p99 ms", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, M_zero_windows, "zero win", NA_F_COUNT, 0, 0);
	na_columns_add(&c, "lost", "lost s", NA_F_NUMBER, 3, 0);
	na_columns_add(&c, M_verdict, "verdict", NA_F_TEXT, 0, 0);
	na_result_view(r, tcp_summary(title, s), list, NULL, c.c, c.n,
		       s->scope->top ? s->scope->top : DEFAULT_TOP);
}

/* The evidence of the worst, one sentence a line. */
static void worst(struct na_result *r, const struct tcp_state *s,
		  const struct na_value *listed)
{
	struct na_value *list = na_put_list(r, na_result_side(r), "told");
	struct na_columns c = {.n = 0};
	size_t i = 0;

	for (const struct na_value *v = listed->u.of.first;
	     v && i < TOLD && s->rows[i].verdict < TCP_SENDER_IDLE;
	     v = v->next, i++) {
		const struct na_value *e = na_get(v, M_evidence);
		size_t said = 0;

		e = e ? e->u.of.first : NULL;
		for (; e && said < CLAUSES; e = e->next, said++) {
			struct na_value *to = na_put_object(r, list, NULL);

			if (said)
				na_put_text(r, to, M_rank, "");
			else
				na_put_int(r, to, M_rank, (int64_t)i + 1);
			na_put_text(r, to, M_what, na_text_of(e, ""));
		}
	}
	na_columns_add(&c, M_rank, "", NA_F_TEXT, 0, 0);
	na_columns_add(&c, M_what, "evidence", NA_F_TEXT, 0, 0);
	if (list && list->n)
		na_result_view(r, "the worst", list, NULL, c.c, c.n, 0);
}

/* One line for each kind of trouble, from its worst connection. */
static void remedies(struct na_result *r, const struct tcp_state *s)
{
	bool told[TCP_VERDICTS] = {false};

	for (size_t i = 0; i < s->n && i < TOLD; i++) {
		const struct tcp_row *row = &s->rows[i];
		const char *what = tcp_remedy(row);

		if (!what || told[row->verdict])
			continue;
		told[row->verdict] = true;
		na_result_note(r, "%s: %s", tcp_verdict_names[row->verdict],
			       what);
	}
}

static void coverage(struct na_result *r, const struct tcp_state *s,
		     size_t listed)
{
	char n[NA_UNIT_BUF];
	size_t middle = 0;

	if (s->scope->top && s->n > listed)
		na_result_note(r, "%s more", na_print_count(n, s->n - listed));

	for (size_t i = 0; i < s->n; i++)
		middle += !s->rows[i].c->dir[0].saw_syn &&
			  !s->rows[i].c->dir[1].saw_syn;
	if (middle)
		na_result_note(r,
			       "%s without their SYN in the capture: window "
			       "scale and MSS unknown there",
			       na_print_count(n, middle));
	if (tcp_not_told(s))
		na_result_note(r,
			       "%s more connections were only counted, to "
			       "bound memory: --filter tells those of interest",
			       na_print_count(n, tcp_not_told(s)));
	if (s->evicted)
		na_result_note(r,
			       "%s told before their end: too many were open "
			       "at once",
			       na_print_count(n, s->evicted));
}

void tcp_views(struct na_result *r, const struct tcp_state *s)
{
	const struct na_value *listed = na_get(na_result_body(r),
					       M_connections);

	if (!s->n || !listed)
		return;
	table(r, s, listed);
	worst(r, s, listed);
	remedies(r, s);
	coverage(r, s, listed->n);
}
