/* tcp: what was found, in sentences with numbers and units. */
#include <string.h>

#include "netan/analyses/tcp/words.h"

/* clang-format off */
const char *const na_tcp_verdict_names[TCP_VERDICTS] = {
	"refused",        "peer_vanished",    "reset",
	"timeout_bound",  "receiver_too_slow", "network_loss",
	"server_slow",    "queueing",         "window_limited",
	"delayed_ack",    "capture_loss",     "sender_idle",
	"cannot_tell",    "healthy",
};
/* clang-format on */

static struct na_fact receiver(const struct told *t)
{
	const struct na_direction *d = t->d;

	if (!t->peer->zero_windows)
		return (struct na_fact){NA_NO_FACT};
	return na_fact_receive_window_closed(t->other,
					     (int64_t)t->peer->zero_windows,
					     na_s_of_ns(d->zero_window_ns),
					     na_s_of_ns(t->row->duration_ns),
					     na_tcp_some_s(d->window_full_ns));
}

static struct na_fact window(const struct told *t)
{
	const struct na_direction *d = t->d;
	const struct tcp_row *row = t->row;
	double most = (double)t->peer->max_window_bytes;
	double allowed = 0, sent = 0;

	if (t->peer->zero_windows ||
	    (!d->window_full && !row->holds[TCP_WINDOW_LIMITED]) ||
	    !d->max_in_flight_bytes)
		return (struct na_fact){NA_NO_FACT};
	if (row->rtt_ns > 0 && row->active_ns > 0) {
		allowed = most * 8e9 / (double)row->rtt_ns;
		sent = (double)d->unique_bytes * 8e9 / (double)row->active_ns;
	}
	/* Nothing to be said where the window did not hold it back. */
	return na_fact_window_and_flight(
		(double)d->max_in_flight_bytes, t->who, t->other, most,
		(int64_t)d->window_full, na_tcp_some_s(d->window_full_ns),
		na_tcp_some_s(row->rtt_ns), allowed,
		sent > 0 && sent <= allowed ? sent : (double)NAN);
}

static struct na_fact order(const struct told *t)
{
	/* The evidence says more of both. */
	if (t->d->testified)
		return (struct na_fact){NA_NO_FACT};
	return na_fact_segments_out_of_order((int64_t)t->d->out_of_order,
					     (int64_t)t->d->lost_before,
					     t->who);
}

static struct na_fact server(const struct told *t)
{
	const struct na_connection *c = t->row->c;

	if (t->i == c->client || !c->serves || !t->row->holds[TCP_SERVER_SLOW])
		return (struct na_fact){NA_NO_FACT};
	return na_fact_server_takes(t->who, na_s_of_ns(c->serve_ns),
				    na_s_of_ns(na_tcp_calls_ns(t->row)),
				    (int64_t)c->turns, (int64_t)c->slow_serves,
				    na_s_of_ns(c->slow_serve_ns),
				    na_tcp_some_s(c->serve_p50_ns),
				    na_s_of_ns(c->serve_p99_ns));
}

static struct na_fact queue(const struct told *t)
{
	const struct na_direction *d = t->d;
	const struct na_direction *peer = t->peer;
	int64_t usual = d->rtt_p50_ns, least = na_tcp_least_rtt(d);

	if (!t->row->holds[TCP_QUEUEING] || d->data_packets < TCP_STREAM)
		return (struct na_fact){NA_NO_FACT};
	if (peer->far_rtt_p50_ns > usual) {
		usual = peer->far_rtt_p50_ns;
		least = t->row->rtt_ns;
	}
	return na_fact_path_queues(t->who, na_s_of_ns(least),
				   na_s_of_ns(usual));
}

static struct na_fact nagle(const struct told *t)
{
	if (!na_tcp_held_ns(t->row, t->i))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_segments_wait_for_ack((int64_t)t->d->released, t->who,
					     t->other,
					     na_s_of_ns(t->d->released_p50_ns));
}

static struct na_fact edge(const struct told *t)
{
	const struct na_direction *d = t->d;

	if (!t->row->holds[TCP_WINDOW_LIMITED] ||
	    (double)d->edge_segments <=
		    TCP_EDGE_SHARE * (double)d->data_packets ||
	    !d->data_packets)
		return (struct na_fact){NA_NO_FACT};
	return na_fact_segments_end_at_window((int64_t)d->edge_segments,
					      (int64_t)d->data_packets, t->who,
					      t->other);
}

static struct na_fact congestion(const struct told *t)
{
	if (!t->d->ce_marks)
		return (struct na_fact){NA_NO_FACT};
	return na_fact_packets_marked((int64_t)t->d->ce_marks, t->who);
}

static struct na_fact idle(const struct told *t)
{
	const struct tcp_row *row = t->row;
	const struct na_direction *d = &row->c->dir[row->idler];

	/* A pause before a closed window is none of the sender's. */
	if (row->verdict != TCP_SENDER_IDLE &&
	    (!d->idle_restarts || d->zero_window_ns > 0))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_nothing_to_send(na_s_of_ns(row->idle_ns),
				       na_s_of_ns(row->duration_ns),
				       d->longest_idle_ns <= row->idle_ns
					       ? na_tcp_some_s(
							 d->longest_idle_ns)
					       : (double)NAN,
				       (int64_t)d->idle_restarts);
}

/* Numbers that say how well it went, where nothing went wrong. */
static struct na_fact course(const struct told *t)
{
	const struct tcp_row *row = t->row;
	const struct na_direction *d = &row->c->dir[row->way];

	return na_fact_payload_went((double)d->unique_bytes,
				    na_tcp_some_s(row->duration_ns),
				    na_tcp_some_s(row->rtt_ns),
				    na_tcp_some_s(na_tcp_late_ack_ns(d)));
}

/* Why what stands above is no trouble. */
static struct na_fact sound(const struct told *t)
{
	const struct na_direction *d = t->row->c->dir;

	return na_fact_no_segment_lost((int64_t)(d[0].packets + d[1].packets));
}

static struct na_fact few(const struct told *t)
{
	return na_tcp_missing(t->row);
}

static struct na_fact (*const tellers[])(const struct told *) = {
	na_tcp_tell_left,
	na_tcp_tell_answer,
	na_tcp_tell_ends,
	na_tcp_tell_gone,
	na_tcp_tell_timeouts,
	na_tcp_tell_stall,
	receiver,
	na_tcp_tell_loss,
	na_tcp_tell_lengths,
	na_tcp_tell_accounts,
	na_tcp_tell_harmless,
	na_tcp_tell_twice,
	na_tcp_tell_unrecorded,
	na_tcp_tell_wireshark,
	server,
	queue,
	window,
	edge,
	nagle,
	order,
	congestion,
};

/* What the verdict stands on: told before all else. */
static struct na_fact (*const leaders[TCP_VERDICTS])(const struct told *) = {
	[TCP_REFUSED] = na_tcp_tell_ends,
	[TCP_RESET] = na_tcp_tell_ends,
	[TCP_PEER_VANISHED] = na_tcp_tell_gone,
	[TCP_CAPTURE_LOSS] = na_tcp_tell_unrecorded,
	[TCP_SERVER_SLOW] = server,
	[TCP_QUEUEING] = queue,
	[TCP_DELAYED_ACK] = nagle,
	[TCP_TIMEOUT_BOUND] = na_tcp_tell_timeouts,
	[TCP_CANNOT_TELL] = na_tcp_tell_stall,
	[TCP_RECEIVER_TOO_SLOW] = receiver,
	[TCP_NETWORK_LOSS] = na_tcp_tell_loss,
	[TCP_WINDOW_LIMITED] = window,
};

const char *na_tcp_host(const struct tcp_state *s,
			const struct na_connection *c, uint32_t endpoint,
			char address[NA_ENDPOINT_BUF])
{
	const struct na_store *store = s->scope->store;
	uint32_t host = na_store_host_of(store,
					 na_store_run_of(store, c->input),
					 endpoint);

	*address = 0;
	if (endpoint >= store->names.n_endpoints)
		return address;
	na_endpoint_print(address, &store->names,
			  &store->names.endpoints[endpoint]);
	if (host >= store->n_hosts ||
	    strcmp(store->hosts[host].name, address) == 0)
		return address;
	return store->hosts[host].name;
}

void na_tcp_ends(const struct tcp_state *s, const struct na_connection *c,
		 size_t i, char who[NA_SOCKET_BUF], char other[NA_SOCKET_BUF])
{
	na_socket_print(i ? other : who, &s->scope->store->names, c->src,
			c->src_port);
	na_socket_print(i ? who : other, &s->scope->store->names, c->dst,
			c->dst_port);
}

/* Direction i of the connection. */
static void face(struct told *t, const struct tcp_state *s, size_t i)
{
	const struct na_connection *c = t->row->c;

	t->i = i;
	t->d = &c->dir[i];
	t->peer = &c->dir[1 - i];
	na_tcp_ends(s, c, i, t->who, t->other);
}

void na_tcp_put_evidence(struct na_result *r, struct na_value *in,
			 const struct tcp_state *s, const struct tcp_row *row)
{
	bool by_size = na_tcp_long_die(row, 0) || na_tcp_long_die(row, 1);
	struct na_fact (*lead)(const struct told *) =
		by_size ? na_tcp_tell_lengths : leaders[row->verdict];
	struct told t = {.s = s, .row = row, .r = r};

	/* The direction that it is of first. */
	for (size_t k = 0; k < 2 && lead; k++) {
		face(&t, s, k ? 1u - row->told : row->told);
		na_put_fact(r, in, NULL, lead(&t));
	}
	if (row->verdict == TCP_SENDER_IDLE)
		na_put_fact(r, in, NULL, idle(&t));
	for (size_t k = 0; k < 2; k++) {
		face(&t, s, k ? 1u - row->told : row->told);
		for (size_t i = 0; i < sizeof(tellers) / sizeof(*tellers); i++)
			if (tellers[i] != lead)
				na_put_fact(r, in, NULL, tellers[i](&t));
	}
	if (row->verdict != TCP_SENDER_IDLE)
		na_put_fact(r, in, NULL, idle(&t));
	if (in && row->verdict == TCP_HEALTHY)
		na_put_fact(r, in, NULL, (in->n ? sound : course)(&t));
	if (row->verdict == TCP_CANNOT_TELL)
		na_put_fact(r, in, NULL, few(&t));
}

struct na_fact na_tcp_missing(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	if (row->verdict == TCP_CANNOT_TELL && na_tcp_stalls(row))
		return na_fact_needs_what_becomes_of_data();
	if (!d[0].packets || !d[1].packets)
		return na_fact_one_direction();
	if (row->verdict == TCP_CAPTURE_LOSS)
		return na_fact_needs_packets_missed();
	/* Of a window and of the slice of it the same. */
	if (row->verdict == TCP_CANNOT_TELL)
		return na_fact_needs_more_packets();
	return (struct na_fact){NA_NO_FACT};
}

/* In the window, or before it. */
static bool is_heard(const struct na_direction *d)
{
	return d->packets || d->known;
}

static struct na_fact loss_remedy(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;
	bool timeouts = row->verdict == TCP_TIMEOUT_BOUND;

	if (timeouts && (!is_heard(&d[0]) || !is_heard(&d[1])))
		return na_fact_side_never_answered_remedy();
	if (timeouts && (d[0].syns_again || d[1].syns_again))
		return na_fact_syns_lost_remedy();
	if (na_tcp_is_far(row))
		return na_fact_far_loss_remedy();
	if (!row->whole_rtt)
		return na_fact_loss_on_some_path_remedy();
	return timeouts ? na_fact_connection_timeouts_remedy()
			: na_fact_connection_loss_remedy();
}

static struct na_fact hole_remedy(const struct tcp_row *row,
				  struct na_fact otherwise)
{
	for (size_t i = 0; i < 2; i++)
		if (na_tcp_black_hole(row, i))
			return na_tcp_hole_remedy(row, i);
	return otherwise;
}

struct na_fact na_tcp_remedy(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	switch (row->verdict) {
	case TCP_REFUSED:
		return na_fact_tcp_refused_remedy();
	case TCP_RESET:
		return na_fact_connection_reset_remedy();
	case TCP_PEER_VANISHED:
		return hole_remedy(row, na_fact_peer_vanished_remedy());
	case TCP_CAPTURE_LOSS:
		return na_fact_needs_packets_missed();
	case TCP_SERVER_SLOW:
		return na_fact_tcp_server_slow_remedy();
	case TCP_QUEUEING:
		return na_fact_queueing_remedy();
	case TCP_DELAYED_ACK:
		return na_fact_tcp_delayed_acks_remedy();
	case TCP_TIMEOUT_BOUND:
	case TCP_NETWORK_LOSS:
		return hole_remedy(row, loss_remedy(row));
	case TCP_RECEIVER_TOO_SLOW:
		return na_fact_connection_receiver_remedy();
	case TCP_WINDOW_LIMITED:
		return na_fact_connection_window_remedy();
	case TCP_SENDER_IDLE:
		return na_fact_sender_idle_remedy(d[0].idle_restarts ||
						  d[1].idle_restarts);
	default:
		return (struct na_fact){NA_NO_FACT};
	}
}

const char *na_tcp_summary(struct na_result *r, const struct tcp_state *s)
{
	static struct na_fact (*const facts[TCP_VERDICTS])(int64_t n) = {
		na_fact_n_refused,
		na_fact_n_peers_vanished,
		na_fact_n_reset,
		na_fact_n_bound_by_timeouts,
		na_fact_n_receivers_slow,
		na_fact_n_lose_packets,
		na_fact_n_servers_slow,
		na_fact_n_queueing,
		na_fact_n_limited_by_window,
		na_fact_n_wait_for_delayed_acks,
		na_fact_n_not_recorded_whole,
		na_fact_n_idle_senders,
		na_fact_n_too_little,
		na_fact_n_healthy,
	};
	struct na_str all = {0};

	for (size_t v = 0; v < TCP_VERDICTS; v++) {
		uint64_t open = v == TCP_CANNOT_TELL ? s->stalled : 0;

		na_say_join(&all, na_fact_n_wait_at_end((int64_t)open, false));
		na_say_join(&all, facts[v]((int64_t)(s->by_verdict[v] - open)));
	}
	return na_result_say(r,
			     na_fact_connections_are((int64_t)s->rows.n,
						     na_result_keep(r, &all)));
}
