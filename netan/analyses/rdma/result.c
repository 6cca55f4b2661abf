/* rdma: the result, queue pair by queue pair. */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/rdma/state.h"
#include "netan/base/units.h"

enum { RATE_COLUMNS = 100 };

static void put_us(struct na_result *r, struct na_value *in, const char *name,
		   int64_t ns)
{
	na_put_real(r, in, name, ns >= 0 ? na_us_of_ns(ns) : NAN);
}

static void put_end(struct na_result *r, struct na_value *row, const char *name,
		    const char *host_name, const struct rdma_state *s,
		    const struct na_queue_pair *q, uint32_t endpoint)
{
	const struct na_store *store = s->scope->store;
	uint32_t host = na_store_host_of(store,
					 na_store_run_of(store, q->input),
					 endpoint);
	char address[NA_ENDPOINT_BUF] = "";

	if (endpoint < store->names.n_endpoints)
		na_endpoint_print(address, &store->names,
				  &store->names.endpoints[endpoint]);
	na_put_text(r, row, name, address);
	if (host_name && host < store->n_hosts &&
	    strcmp(store->hosts[host].name, address) != 0)
		na_put_text(r, row, host_name, store->hosts[host].name);
}

/* In RATE_COLUMNS of its time, or as many as marks can tell apart. */
static void put_rates(struct na_result *r, struct na_value *to,
		      const struct rdma_state *s, const struct na_queue_pair *q)
{
	struct na_value *list = na_put_list(r, to, M_cnp_per_s);
	uint64_t counts[RATE_COLUMNS] = {0};
	int64_t width = (q->to_ps - q->from_ps) / RATE_COLUMNS;
	size_t n;
	const struct na_qp_mark *const *marks = na_rdma_marks(s, q, &n);

	if (width < 1)
		width = 1;
	for (size_t i = 0; i < n; i++) {
		int64_t at = (marks[i]->time_ps - q->from_ps) / width;

		if (marks[i]->kind != NA_QP_CNP || at < 0)
			continue;
		counts[at < RATE_COLUMNS ? at : RATE_COLUMNS - 1] +=
			marks[i]->count;
	}
	for (int64_t i = 0; i < RATE_COLUMNS; i++) {
		struct na_value *row;

		if (!counts[i])
			continue;
		row = na_put_object(r, list, NULL);
		na_put_real(r, row, M_time_s, na_s(q->from_ps + i * width));
		na_put_real(r, row, M_rate, (double)counts[i] / na_s(width));
	}
}

static void put_counts(struct na_result *r, struct na_value *to,
		       const struct na_queue_pair *q)
{
	struct na_value *in;

	na_put_count(r, to, M_packets, q->packets);
	na_put_count(r, to, M_bytes, q->bytes);
	na_put_count(r, to, M_repeated_bytes, q->repeated_bytes);
	na_put_count(r, to, M_messages, q->messages);
	na_put_count(r, to, M_psn_gaps, q->psn_gaps);
	na_put_count(r, to, M_missing, q->missing);
	na_put_count(r, to, M_reordered, q->reordered);
	in = na_put_object(r, to, M_repeats);
	na_put_count(r, in, M_total, q->repeats);
	na_put_count(r, in, M_needed, q->needed);
	na_put_count(r, in, M_loss_events, q->loss_events);
	in = na_put_object(r, to, M_naks);
	na_put_count(r, in, M_sequence, q->naks_sequence);
	na_put_count(r, in, M_receiver_not_ready, q->naks_rnr);
	na_put_count(r, in, M_other, q->naks_other);
	na_put_count(r, to, M_timeouts, q->timeouts);
	na_put_real(r, to, M_longest_silence_ms,
		    q->timeouts ? na_ms_of_ns(q->longest_silent_ns) : NAN);
	na_put_count(r, to, M_ecn_marks, q->ce_marks);
	na_put_count(r, to, M_cnps, q->cnps);
}

static void put_queue_pair(struct na_result *r, struct na_value *list,
			   const struct rdma_state *s,
			   const struct rdma_row *row)
{
	static const char *const services[] = {"reliable", "unreliable",
					       "datagram"};
	const struct na_queue_pair *q = row->q;
	const struct na_store *store = s->scope->store;
	struct na_value *to = na_put_object(r, list, NULL), *in;

	if (store->n_runs > 1 && q->input < store->n_sources)
		na_put_text(r, to, M_label, store->sources[q->input].label);
	put_end(r, to, M_src, M_src_host, s, q, q->src);
	put_end(r, to, M_dst, M_dst_host, s, q, q->dst);
	na_put_int(r, to, M_qp, q->qp);
	na_put_real(r, to, M_from_s, na_s(q->from_ps));
	na_put_real(r, to, M_to_s, na_s(q->to_ps));
	put_counts(r, to, q);
	put_rates(r, to, s, q);
	in = na_put_object(r, to, M_latency_us);
	put_us(r, in, M_p50, q->latency_p50_ns);
	put_us(r, in, M_p99, q->latency_p99_ns);
	put_us(r, in, M_max, q->latency_max_ns);
	na_put_count(r, in, M_samples, q->latencies);
	na_put_text(r, to, M_verdict, na_rdma_verdict_names[row->verdict]);
	na_rdma_put_evidence(r, na_put_list(r, to, M_evidence), s, row);
	na_put_real(r, to, M_lost_ms, na_ms_of_ns(row->lost_ns));
	na_put_real(r, to, M_slowed_ms, na_ms_of_ns(q->slowed_ns));
	na_put_real(r, to, M_stalled_ms,
		    q->stalled_ns > 0 ? na_ms_of_ns(q->stalled_ns) : NAN);
	if (q->stalled_ns > 0)
		na_put_bool(r, to, M_stalled_sent_again, q->stall_resent);
	na_put_count(r, to, M_answers, q->answers);
	na_put_text(r, to, M_service, services[q->service]);
	na_put_int(r, to, M_id, q->id);
	if (q->source_qp == NA_UNKNOWN_U32)
		na_put_null(r, to, M_source_qp);
	else
		na_put_int(r, to, M_source_qp, q->source_qp);
	na_rdma_put_served(r, to, s, row);
}

static void put_totals(struct na_result *r, struct na_value *body,
		       const struct rdma_state *s)
{
	struct na_value *to = na_put_object(r, body, M_totals), *verdicts;
	struct na_queue_pair sum = {.packets = 0};
	uint64_t naks = 0;

	for (size_t i = 0; i < s->rows.n; i++) {
		const struct na_queue_pair *q = s->rows.v[i].q;

		sum.packets += q->packets;
		sum.bytes += q->bytes;
		sum.messages += q->messages;
		sum.psn_gaps += q->psn_gaps;
		sum.missing += q->missing;
		sum.repeats += q->repeats;
		sum.needed += q->needed;
		sum.loss_events += q->loss_events;
		sum.naks_sequence += q->naks_sequence;
		sum.timeouts += q->timeouts;
		sum.ce_marks += q->ce_marks;
		sum.cnps += q->cnps;
		naks += q->naks_sequence + q->naks_rnr + q->naks_other;
	}
	na_put_count(r, to, M_packets, sum.packets);
	na_put_count(r, to, M_bytes, sum.bytes);
	na_put_count(r, to, M_messages, sum.messages);
	na_put_count(r, to, M_psn_gaps, sum.psn_gaps);
	na_put_count(r, to, M_missing, sum.missing);
	na_put_count(r, to, M_repeats, sum.repeats);
	na_put_count(r, to, M_needed_repeats, sum.needed);
	na_put_count(r, to, M_loss_events, sum.loss_events);
	na_put_count(r, to, M_naks, naks);
	na_put_count(r, to, M_sequence_naks, sum.naks_sequence);
	na_put_count(r, to, M_timeouts, sum.timeouts);
	na_put_count(r, to, M_ecn_marks, sum.ce_marks);
	na_put_count(r, to, M_cnps, sum.cnps);
	verdicts = na_put_object(r, to, M_verdicts);
	for (size_t v = 0; v < RDMA_VERDICTS; v++)
		na_put_count(r, verdicts, na_rdma_verdict_names[v],
			     s->by_verdict[v]);
}

static void put_marks(struct na_result *r, struct na_value *to,
		      const struct rdma_state *s, const struct na_queue_pair *q)
{
	static const char *const kinds[NA_QP_MARKS] = {
		"data", "repeat", "nak", "receiver_not_ready", "cnp", "ecn"};
	struct na_value *list = na_put_list(r, to, M_marks);
	size_t n;
	const struct na_qp_mark *const *marks = na_rdma_marks(s, q, &n);

	for (size_t i = 0; i < n; i++) {
		const struct na_qp_mark *m = marks[i];
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_kind, kinds[m->kind]);
		na_put_real(r, row, M_from_s, na_s(m->time_ps));
		na_put_real(r, row, M_to_s,
			    na_s(m->time_ps) + na_s(m->width_ps));
		na_put_real(r, row, M_from_psn, (double)m->psn_from);
		na_put_real(r, row, M_to_psn, (double)m->psn_to);
		na_put_count(r, row, M_count, m->count);
	}
}

/* What the picture shows. */
static void put_sequence(struct na_result *r, struct na_value *body,
			 const struct rdma_state *s)
{
	size_t rank = (size_t)s->params->queue_pair;
	const struct rdma_row *row;
	struct na_value *to;

	if (!s->scope->segments || !rank || rank > s->rows.n)
		return;
	row = &s->rows.v[rank - 1];
	to = na_put_object(r, body, M_sequence);
	na_put_count(r, to, M_rank, rank);
	put_end(r, to, M_src, NULL, s, row->q, row->q->src);
	put_end(r, to, M_dst, NULL, s, row->q, row->q->dst);
	na_put_int(r, to, M_qp, row->q->qp);
	na_put_text(r, to, M_verdict, na_rdma_verdict_names[row->verdict]);
	na_rdma_put_evidence(r, na_put_list(r, to, M_evidence), s, row);
	na_put_real(r, to, M_from_s, na_s(row->q->from_ps));
	na_put_real(r, to, M_to_s, na_s(row->q->to_ps));
	put_rates(r, to, s, row->q);
	put_marks(r, to, s, row->q);
}

enum na_status na_rdma_put_result(void *state, struct na_result *r,
				  struct na_err *err)
{
	struct rdma_state *s = state;
	struct na_value *body = na_result_body(r), *list;
	size_t listed = s->scope->top ? s->scope->top : RDMA_LISTED;
	size_t told = s->scope->store->queue_pairs.n;
	uint64_t evicted = 0;

	if (listed > s->rows.n)
		listed = s->rows.n;
	na_result_word(r, NA_WORD_NOUN, "queue pair");
	na_result_about(r)->left_out = (int64_t)(told - s->rows.n);
	list = na_put_list(r, body, M_queue_pairs);
	for (size_t i = 0; i < listed; i++)
		put_queue_pair(r, list, s, &s->rows.v[i]);
	for (size_t i = 0; i < s->rows.n; i++)
		evicted += s->rows.v[i].q->evicted;
	na_put_count(r, body, M_queue_pairs_used, s->rows.n);
	na_put_count(r, body, M_queue_pairs_not_listed, s->rows.n - listed);
	na_put_count(r, body, M_queue_pairs_evicted, evicted);
	if (s->uses.n)
		na_put_count(r, body, M_queue_pairs_ambiguous, s->ambiguous);
	put_totals(r, body, s);
	if (!na_rdma_put_hosts(r, body, s))
		return na_fail_nomem(err);
	na_put_text(r, body, M_verdict,
		    s->rows.n ? na_rdma_summary(r, s) : NULL);
	put_sequence(r, body, s);
	na_rdma_views(r, s);
	return na_result_ok(r) ? NA_OK : na_fail_nomem(err);
}
