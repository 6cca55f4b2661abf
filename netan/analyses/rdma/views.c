/* rdma: the table for people, and what to do about the worst. */
#include <math.h>

#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/rdma/state.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/methods/put.h"

enum { DEFAULT_TOP = 20, TOLD = 5 };

static void put_row(struct na_result *r, struct na_value *list, size_t rank,
		    const struct na_value *v, const struct rdma_row *row)
{
	const struct na_queue_pair *q = row->q;
	struct na_value *to = na_put_object(r, list, NULL);
	char ranks[RDMA_RANKS_BUF];

	na_put_int(r, to, M_rank, (int64_t)rank + 1);
	na_put_text(r, to, M_ranks, na_rdma_ranks(ranks, row));
	na_put_alias(r, to, M_row, v);
	na_put_real(r, to, M_seconds, na_s_of_ns(row->duration_ns));
	na_put_int(r, to, M_needed, (int64_t)q->needed);
	na_put_int(r, to, M_naks,
		   (int64_t)(q->naks_sequence + q->naks_rnr + q->naks_other));
	na_put_real(r, to, M_p50,
		    q->latencies ? na_us_of_ns(q->latency_p50_ns) : NAN);
	na_put_real(r, to, M_p99,
		    q->latencies ? na_us_of_ns(q->latency_p99_ns) : NAN);
	na_put_real(r, to, M_lost_ms, na_ms_of_ns(row->lost_ns));
}

static void table(struct na_result *r, const struct rdma_state *s,
		  const struct na_value *listed)
{
	static const struct na_column cols[] = {
		{M_rank},
		{M_row "." M_label},
		{M_row "." M_src},
		{M_row "." M_src_host},
		{M_row "." M_dst},
		{M_row "." M_dst_host},
		{M_row "." M_qp},
		{M_row "." M_verdict},
		{M_lost_ms},
		{M_ranks},
		{M_seconds},
		{M_row "." M_packets},
		{M_row "." M_bytes},
		{M_needed},
		{M_naks},
		{M_row "." M_timeouts},
		{M_row "." M_cnps},
		{M_p50},
		{M_p99},
	};
	const struct na_store *store = s->scope->store;
	struct na_value *list = na_put_list(r, na_result_side(r), M_table);
	struct na_columns c = {.n = 0};
	size_t i = 0;

	na_for_each (v, listed) {
		put_row(r, list, i, v, &s->rows.v[i]);
		i++;
	}
	for (size_t k = 0; k < NA_LEN(cols); k++) {
		if ((k != 1 || store->n_runs > 1) &&
		    ((k != 3 && k != 5) || store->n_named) &&
		    (strcmp(cols[k].field, M_ranks) != 0 || s->served.n))
			c.c[c.n++] = cols[k];
	}
	na_result_view(r, na_rdma_summary(r, s), list, &na_table_rdma_shown,
		       c.c, c.n, s->scope->top ? s->scope->top : DEFAULT_TOP);
}

/* How many at the head of the list are told of. */
static size_t troubled(const struct rdma_state *s)
{
	size_t n = 0;

	while (n < s->rows.n && n < TOLD && s->rows.v[n].verdict < RDMA_HEALTHY)
		n++;
	return n;
}

/* One line for each kind of trouble, from its worst queue pair. */
static void remedies(struct na_result *r, const struct rdma_state *s)
{
	bool told[RDMA_VERDICTS] = {false};

	for (size_t i = 0; i < s->rows.n && i < TOLD; i++) {
		enum rdma_verdict v = s->rows.v[i].verdict;
		struct na_fact what = na_rdma_remedy(v);

		if (what.id && !told[v])
			na_result_note(r, "%s: %s", na_rdma_verdict_names[v],
				       na_result_say(r, what));
		told[v] = true;
	}
}

void na_rdma_views(struct na_result *r, const struct rdma_state *s)
{
	const struct na_value *listed = na_get(na_result_body(r),
					       M_queue_pairs);

	if (!s->rows.n || !listed)
		return;
	table(r, s, listed);
	na_put_worst(r, listed, troubled(s), &na_table_rdma_shown_why);
	remedies(r, s);
	if (s->ambiguous)
		na_result_note_fact(r, na_fact_queue_pairs_ambiguous(
					       (int64_t)s->ambiguous));
	else if (s->uses.n && !s->served.n)
		na_result_note_fact(r, na_fact_queue_pairs_of_ranks_missing());
	if (s->scope->top && s->rows.n > listed->n)
		na_result_note_fact(r, na_fact_rows_more((int64_t)(s->rows.n -
								   listed->n)));
}
