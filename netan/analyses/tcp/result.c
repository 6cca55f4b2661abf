/* tcp: the result, connection by connection. */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/tcp/state.h"

static void put_us(struct na_result *r, struct na_value *in, const char *name,
		   int64_t ns)
{
	na_put_real(r, in, name, ns >= 0 ? na_us_of_ns(ns) : NAN);
}

static void put_ms(struct na_result *r, struct na_value *in, const char *name,
		   int64_t ns)
{
	na_put_real(r, in, name, ns >= 0 ? na_ms_of_ns(ns) : NAN);
}

static void put_retransmissions(struct na_result *r, struct na_value *in,
				const struct na_direction *d)
{
	struct na_value *to = na_put_object(r, in, M_retransmissions);

	na_put_count(r, to, M_total, d->retransmissions);
	na_put_count(r, to, M_fast, d->fast);
	na_put_count(r, to, M_timeout, d->timeout);
	na_put_count(r, to, M_spurious, d->spurious);
}

static void put_rtt(struct na_result *r, struct na_value *in, const char *name,
		    uint64_t n, const int64_t ns[3])
{
	struct na_value *to = na_put_object(r, in, name);

	put_us(r, to, M_min, n ? ns[0] : -1);
	put_us(r, to, M_p50, n ? ns[1] : -1);
	put_us(r, to, M_p99, n ? ns[2] : -1);
	na_put_count(r, to, M_samples, n);
}

/* What a direction says and totals do, too. */
static void put_volume(struct na_result *r, struct na_value *to,
		       const struct na_direction *d)
{
	na_put_count(r, to, M_packets, d->packets);
	na_put_count(r, to, M_bytes, d->bytes);
	na_put_count(r, to, M_unique_bytes, d->unique_bytes);
	na_put_count(r, to, M_retransmitted_bytes, d->retransmitted_bytes);
	na_put_count(r, to, M_wire_bytes, d->wire_bytes);
	na_put_count(r, to, M_data_packets, d->data_packets);
}

static void put_counts(struct na_result *r, struct na_value *to,
		       const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	uint64_t needed = row->needed[i];
	uint64_t syns = needed - na_tcp_data_lost(row, i);

	put_volume(r, to, d);
	put_retransmissions(r, to, d);
	na_put_count(r, to, M_out_of_order, d->out_of_order);
	na_put_count(r, to, M_lost_before, d->lost_before);
	na_put_count(r, to, M_copies, d->copies);
	na_put_count(r, to, M_needed_retransmissions, needed);
	na_put_count(r, to, M_needless_retransmissions, d->needless);
	na_put_count(r, to, M_open_retransmissions,
		     d->open_again + d->syns_again - syns);
	na_put_count(r, to, M_lost_upstream, d->lost_upstream);
	na_put_count(r, to, M_reordered, d->reordered);
	na_put_count(r, to, M_duplicated, d->duplicated);
	na_put_count(r, to, M_capture_holes, d->capture_holes);
	na_put_count(r, to, M_acks_missing, d->acks_missing);
	na_put_count(r, to, M_duplicate_acks, d->duplicate_acks);
	na_put_count(r, to, M_zero_windows, d->zero_windows);
	na_put_count(r, to, M_window_full, d->window_full);
	na_put_count(r, to, M_zero_window_probes, d->zero_probes);
	na_put_count(r, to, M_keep_alives, d->keep_alives);
	na_put_count(r, to, M_sack_packets, d->sack_blocks);
}

static void put_lengths(struct na_result *r, struct na_value *in,
			const struct na_direction *d)
{
	struct na_value *to;

	if (!d->length_cuts)
		return;
	to = na_put_object(r, in, M_lengths);
	na_put_count(r, to, M_short_most, d->short_most);
	na_put_count(r, to, M_long_least, d->long_least);
	na_put_count(r, to, M_short_sent, d->short_sent);
	na_put_count(r, to, M_short_lost, d->short_lost);
	na_put_count(r, to, M_long_sent, d->long_sent);
	na_put_count(r, to, M_long_lost, d->long_lost);
	na_put_real(r, to, M_segment_bytes,
		    d->full_bytes ? d->full_bytes : (double)NAN);
	na_put_real(r, to, M_p_value, na_tcp_length_p(d));
}

static void put_hole(struct na_result *r, struct na_value *to,
		     const struct tcp_state *s, const struct tcp_row *row,
		     size_t i)
{
	bool is_hole = na_tcp_black_hole(row, i);
	char address[NA_ENDPOINT_BUF];

	na_put_bool(r, to, M_black_hole, is_hole);
	if (!is_hole)
		return;
	na_put_fact(r, to, M_black_hole_cause,
		    na_tcp_hole_cause(s, row, i, address));
	na_put_fact(r, to, M_black_hole_remedy, na_tcp_hole_remedy(row, i));
}

static void put_direction(struct na_result *r, struct na_value *in,
			  const char *name, const struct tcp_state *s,
			  const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	const int64_t rtt[] = {d->rtt_min_ns, d->rtt_p50_ns, d->rtt_p99_ns};
	const int64_t ts[] = {d->ts_rtt_min_ns, d->ts_rtt_p50_ns,
			      d->ts_rtt_p99_ns};
	struct na_value *to = na_put_object(r, in, name);

	put_counts(r, to, row, i);
	na_put_real(r, to, M_goodput_gbps, 8 * na_tcp_goodput(row, i) / 1e9);
	na_put_count(r, to, M_data_segments, na_tcp_data_sent(row, i));
	na_put_count(r, to, M_lost_data_segments, na_tcp_data_lost(row, i));
	na_put_count(r, to, M_unseen_data_segments, na_tcp_data_unseen(row, i));
	na_put_count(r, to, M_loss_events, na_tcp_loss_events(row, i));
	na_put_count(r, to, M_vain_timeouts, d->vain_timeouts);
	put_ms(r, to, M_longest_vain_ms,
	       d->vain_timeouts ? d->longest_vain_ns : -1);
	na_put_count(r, to, M_held_back, d->released);
	put_ms(r, to, M_held_back_ms, na_tcp_held_ns(row, i));
	na_put_count(r, to, M_held_back_unanswered, d->unanswered);
	na_put_bool(r, to, M_reset, d->reset);
	na_put_bool(r, to, M_queueing, na_tcp_direction_queues(row, i));
	put_hole(r, to, s, row, i);
	put_lengths(r, to, d);
	na_put_bool(r, to, M_gone, na_tcp_gone(row, i));
	na_put_bool(r, to, M_loses, na_tcp_loses(row, i));
	put_rtt(r, to, M_rtt_us, d->rtt_samples, rtt);
	put_rtt(r, to, M_timestamp_rtt_us, d->ts_rtt_samples, ts);
	na_put_count(r, to, M_max_in_flight_bytes, d->max_in_flight_bytes);
	na_put_count(r, to, M_max_window_bytes, d->max_window_bytes);
	na_put_count(r, to, M_min_window_bytes, d->min_window_bytes);
	na_put_real(r, to, M_window_shift,
		    d->window_shift >= 0 ? d->window_shift : (double)NAN);
	na_put_real(r, to, M_mss, d->mss ? d->mss : (double)NAN);
	na_put_bool(r, to, M_sack, d->sack_permitted);
	na_put_bool(r, to, M_timestamps, d->timestamps);
	na_put_count(r, to, M_ecn_marks, d->ce_marks);
	na_put_count(r, to, M_ece, d->ece);
	na_put_count(r, to, M_cwr, d->cwr);
	na_put_count(r, to, M_timeouts, d->timeouts);
	put_ms(r, to, M_longest_timeout_ms,
	       d->timeouts ? d->longest_timeout_ns : -1);
	put_ms(r, to, M_timeout_ms, d->timeout_total_ns);
	put_ms(r, to, M_stalled_ms, d->stalled_ns > 0 ? d->stalled_ns : -1);
	if (d->stalled_ns > 0)
		na_put_bool(r, to, M_stalled_sent_again, d->stall_resent);
	put_ms(r, to, M_recovery_ms, d->recovery_ns);
	put_ms(r, to, M_zero_window_ms, d->zero_window_ns);
	put_ms(r, to, M_window_full_ms, d->window_full_ns);
	put_ms(r, to, M_idle_ms, d->idle_ns);
	put_ms(r, to, M_longest_idle_ms, d->longest_idle_ns);
	na_put_count(r, to, M_idle_restarts, d->idle_restarts);
	na_put_bool(r, to, M_mid_stream, !d->saw_syn);
}

static void put_host(struct na_result *r, struct na_value *row,
		     const char *name, const struct tcp_state *s,
		     const struct na_connection *c, uint32_t endpoint)
{
	char address[NA_ENDPOINT_BUF];
	const char *host = na_tcp_host(s, c, endpoint, address);

	if (host != address)
		na_put_text(r, row, name, host);
}

static void put_ends(struct na_result *r, struct na_value *to,
		     const struct tcp_state *s, const struct na_connection *c)
{
	const struct na_store *store = s->scope->store;
	char text[NA_SOCKET_BUF];

	if (store->n_runs > 1 && c->input < store->n_sources)
		na_put_text(r, to, M_label, store->sources[c->input].label);
	na_put_text(r, to, M_src,
		    na_socket_print(text, &store->names, c->src, c->src_port));
	na_put_text(r, to, M_dst,
		    na_socket_print(text, &store->names, c->dst, c->dst_port));
	put_host(r, to, M_src_host, s, c, c->src);
	put_host(r, to, M_dst_host, s, c, c->dst);
	na_put_real(r, to, M_from_s, na_s(c->from_ps));
	na_put_real(r, to, M_to_s, na_s(c->to_ps));
}

static void put_turns(struct na_result *r, struct na_value *in,
		      const struct na_connection *c)
{
	struct na_value *to = na_put_object(r, in, M_calls);

	na_put_text(r, to, M_client, c->client ? "dst" : "src");
	na_put_count(r, to, M_n, c->turns);
	na_put_count(r, to, M_upset, c->upset_turns);
	na_put_count(r, to, M_slow, c->slow_serves);
	put_ms(r, to, M_server_ms, c->serve_ns);
	put_ms(r, to, M_server_p50_ms, c->serves ? c->serve_p50_ns : -1);
	put_ms(r, to, M_server_p99_ms, c->serves ? c->serve_p99_ns : -1);
	put_ms(r, to, M_network_ms, c->upset_ns);
}

static int64_t longest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void put_connection(struct na_result *r, struct na_value *list,
			   const struct tcp_state *s, const struct tcp_row *row)
{
	static const char *const ends[] = {"open", "fin", "rst", "evicted"};
	static const char *const places[] = {"unknown", "at_src", "at_dst",
					     "between"};
	const struct na_connection *c = row->c;
	const struct na_direction *d = c->dir;
	struct na_value *to = na_put_object(r, list, NULL);
	uint64_t timeouts = d[0].timeouts + d[1].timeouts;

	put_ends(r, to, s, c);
	put_direction(r, to, M_fwd, s, row, 0);
	put_direction(r, to, M_rev, s, row, 1);
	put_us(r, to, M_initial_rtt_us, c->initial_rtt_ns);
	put_us(r, to, M_path_rtt_us, row->whole_rtt ? row->rtt_ns : -1);
	na_put_bool(r, to, M_far, na_tcp_is_far(row));
	na_put_count(r, to, M_timeouts, timeouts);
	put_ms(r, to, M_longest_timeout_ms,
	       timeouts ? longest(d[0].longest_timeout_ns,
				  d[1].longest_timeout_ns)
			: -1);
	na_put_text(r, to, M_verdict, na_tcp_verdict_names[row->verdict]);
	na_tcp_put_evidence(r, na_put_list(r, to, M_evidence), s, row);
	put_ms(r, to, M_lost_ms, row->lost_ns);
	na_put_text(r, to, M_recorded, places[row->place]);
	na_put_fact(r, to, M_missing, na_tcp_missing(row));
	put_turns(r, to, c);
	put_ms(r, to, M_active_ms, row->active_ns);
	put_ms(r, to, M_idle_ms, row->idle_ns);
	na_put_text(r, to, M_end, ends[c->end <= NA_CONN_EVICTED ? c->end : 0]);
	na_put_bool(r, to, M_disordered, c->disordered);
	na_put_count(r, to, M_rpcs, c->calls);
	na_put_int(r, to, M_id, c->id);
	na_put_bool(r, to, M_harmless, na_tcp_harmless(row));
	put_ms(r, to, M_let_in_ms, row->let_in_ns > 0 ? row->let_in_ns : -1);
	na_put_bool(r, to, M_reset_idle, na_tcp_reset_idle(row));
	put_ms(r, to, M_reset_after_ms, na_tcp_reset_after_ns(row));
}

static void put_totals(struct na_result *r, struct na_value *body,
		       const struct tcp_state *s)
{
	struct na_value *to = na_put_object(r, body, M_totals), *verdicts;
	struct na_direction sum = {.packets = 0};
	uint64_t sent = 0, lost = 0, events = 0;

	for (size_t i = 0; i < 2 * s->rows.n; i++) {
		const struct na_direction *d = &s->rows.v[i / 2].c->dir[i % 2];

		sum.packets += d->packets;
		sum.bytes += d->bytes;
		sum.wire_bytes += d->wire_bytes;
		sum.unique_bytes += d->unique_bytes;
		sum.retransmitted_bytes += d->retransmitted_bytes;
		sum.data_packets += d->data_packets;
		sum.retransmissions += d->retransmissions;
		sum.needed += s->rows.v[i / 2].needed[i % 2];
		sum.needless += d->needless;
		sent += na_tcp_data_sent(&s->rows.v[i / 2], i % 2);
		lost += na_tcp_data_lost(&s->rows.v[i / 2], i % 2);
		events += na_tcp_loss_events(&s->rows.v[i / 2], i % 2);
		sum.copies += d->copies;
		sum.duplicated += d->duplicated;
		sum.reordered += d->reordered;
		sum.capture_holes += i % 2 ? s->rows.v[i / 2].unrecorded : 0;
		sum.zero_windows += d->zero_windows;
		sum.timeouts += d->timeouts;
	}
	put_volume(r, to, &sum);
	na_put_count(r, to, M_data_segments, sent);
	na_put_count(r, to, M_lost_data_segments, lost);
	na_put_count(r, to, M_loss_events, events);
	na_put_count(r, to, M_retransmissions, sum.retransmissions);
	na_put_count(r, to, M_needed_retransmissions, sum.needed);
	na_put_count(r, to, M_needless_retransmissions, sum.needless);
	na_put_count(r, to, M_copies, sum.copies);
	na_put_count(r, to, M_duplicated, sum.duplicated);
	na_put_count(r, to, M_reordered, sum.reordered);
	na_put_count(r, to, M_unrecorded, sum.capture_holes);
	na_put_count(r, to, M_zero_windows, sum.zero_windows);
	na_put_count(r, to, M_timeouts, sum.timeouts);
	verdicts = na_put_object(r, to, M_verdicts);
	for (size_t v = 0; v < TCP_VERDICTS; v++)
		na_put_count(r, verdicts, na_tcp_verdict_names[v],
			     s->by_verdict[v]);
}

uint64_t na_tcp_not_told(const struct tcp_state *s)
{
	uint64_t told = s->scope->store->connections.n +
			s->scope->connections_outside;

	return s->scope->connections > told ? s->scope->connections - told : 0;
}

enum na_status na_tcp_put_result(void *state, struct na_result *r,
				 struct na_err *err)
{
	struct tcp_state *s = state;
	struct na_value *body = na_result_body(r), *list;
	size_t listed = s->scope->top ? s->scope->top : TCP_LISTED;
	size_t told = s->scope->store->connections.n +
		      s->scope->connections_outside;

	if (listed > s->rows.n)
		listed = s->rows.n;
	na_result_word(r, NA_WORD_NOUN, "connection");
	na_result_about(r)->left_out = (int64_t)(told - s->rows.n);
	list = na_put_list(r, body, M_connections);
	for (size_t i = 0; i < listed; i++)
		put_connection(r, list, s, &s->rows.v[i]);
	na_put_count(r, body, M_connections_seen, told + na_tcp_not_told(s));
	na_put_count(r, body, M_connections_not_told, na_tcp_not_told(s));
	na_put_count(r, body, M_connections_filtered, told - s->rows.n);
	na_put_count(r, body, M_connections_used, s->rows.n);
	na_put_count(r, body, M_connections_not_listed, s->rows.n - listed);
	na_put_count(r, body, M_connections_evicted, s->evicted);
	put_totals(r, body, s);
	if (!na_tcp_put_hosts(r, body, s))
		return na_fail_nomem(err);
	na_tcp_put_delivery(r, body, s);
	na_put_text(r, body, M_verdict,
		    s->rows.n ? na_tcp_summary(r, s) : NULL);
	na_tcp_sequence_put(r, s);
	na_tcp_views(r, s);
	return na_result_ok(r) ? NA_OK : na_fail_nomem(err);
}
