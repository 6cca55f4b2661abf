/* tcp: which of the rules of tcp.h hold for a connection. */
#include <string.h>

#include "netan/analyses/tcp/state.h"
#include "netan/base/order.h"

static int64_t add_ns(int64_t a, int64_t b)
{
	int64_t sum;

	return na_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

static int64_t at_least_zero(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/* Unknown times are below 0. */
static void add_to(int64_t *sum, int64_t ns)
{
	*sum = add_ns(*sum, at_least_zero(ns));
}

/* Retransmissions of a direction that were needed. */
static uint64_t needed_of(const struct na_direction *d)
{
	return d->retransmissions > d->spurious
		       ? d->retransmissions - d->spurious
		       : 0;
}

/* Each way's round trip begins and ends at the capture point; their sum is
 * that of the whole path, which the handshake tells as well. */
static int64_t path_rtt(const struct na_connection *c)
{
	int64_t sum = 0;

	for (size_t i = 0; i < 2; i++) {
		if (c->dir[i].rtt_samples)
			add_to(&sum, c->dir[i].rtt_min_ns);
	}
	return sum > c->initial_rtt_ns ? sum : at_least_zero(c->initial_rtt_ns);
}

/* The direction whose idle time counts. */
static uint8_t idler_of(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;
	bool both = d[0].bytes && d[1].bytes;

	return both && d[1 - row->way].idle_ns < d[row->way].idle_ns
		       ? (uint8_t)(1 - row->way)
		       : row->way;
}

static void judge_loss(struct tcp_row *row, const struct na_direction *d)
{
	uint64_t needed = needed_of(d);
	uint64_t least = d->fast ? 1 : TCP_LOSS_SEGMENTS;

	add_to(&row->cost_ns[TCP_NETWORK_LOSS], d->recovery_ns);
	add_to(&row->cost_ns[TCP_TIMEOUT_BOUND], d->timeout_total_ns);
	row->holds[TCP_NETWORK_LOSS] |=
		d->timeouts > 0 ||
		(needed >= least &&
		 (double)needed >= TCP_LOSS_SHARE * (double)d->data_packets);
}

static bool share_reached(const struct tcp_row *row, enum tcp_verdict v,
			  double share)
{
	return row->cost_ns[v] > 0 &&
	       (double)row->cost_ns[v] >= share * (double)row->active_ns;
}

/* Timers and recovery are two costs of one cause: which name it gets, and
 * both under that name. */
static void judge_timeouts(struct tcp_row *row)
{
	int64_t *cost = row->cost_ns;
	int64_t recovery = cost[TCP_NETWORK_LOSS];
	int64_t silent = cost[TCP_TIMEOUT_BOUND];

	row->holds[TCP_TIMEOUT_BOUND] =
		(row->c->dir[0].timeouts || row->c->dir[1].timeouts) &&
		share_reached(row, TCP_TIMEOUT_BOUND, TCP_TIMEOUT_SHARE) &&
		(silent >= recovery ||
		 share_reached(row, TCP_TIMEOUT_BOUND, TCP_TIMEOUT_MOST));
	cost[TCP_NETWORK_LOSS] = cost[TCP_TIMEOUT_BOUND] = add_ns(silent,
								  recovery);
}

/* Throughput <= window / RTT: is that what it comes to? */
static bool at_the_window(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	const struct na_direction *peer = &row->c->dir[1 - i];
	double window = (double)peer->max_window_bytes;
	double rate, limit;

	if (window <= 0 || !peer->window_scale_known || row->rtt_ns <= 0 ||
	    row->active_ns <= 0 || d->unique_bytes < TCP_WINDOW_BYTES ||
	    (double)d->unique_bytes < 4 * window ||
	    (double)d->max_in_flight_bytes < TCP_WINDOW_REACHED * window)
		return false;
	rate = (double)d->unique_bytes / (double)row->active_ns;
	limit = window / (double)row->rtt_ns;
	return rate >= TCP_WINDOW_RATE * limit;
}

static void judge_window(struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	bool shut = row->c->dir[1 - i].zero_windows > 0;
	enum tcp_verdict to = shut ? TCP_RECEIVER_TOO_SLOW : TCP_WINDOW_LIMITED;

	add_to(&row->cost_ns[TCP_RECEIVER_TOO_SLOW], d->zero_window_ns);
	add_to(&row->cost_ns[to], d->window_full_ns);
	if (!shut && at_the_window(row, i)) {
		row->holds[TCP_WINDOW_LIMITED] = true;
		if (row->cost_ns[TCP_WINDOW_LIMITED] < row->active_ns)
			row->cost_ns[TCP_WINDOW_LIMITED] = row->active_ns;
	}
}

/* The costliest of those that hold; of equal ones the first in the enum. */
static enum tcp_verdict choose(const struct tcp_row *row)
{
	enum tcp_verdict best = TCP_HEALTHY;

	for (enum tcp_verdict v = 0; v < TCP_SENDER_IDLE; v++) {
		if (row->holds[v] && (best == TCP_HEALTHY ||
				      row->cost_ns[v] > row->cost_ns[best]))
			best = v;
	}
	if (best == TCP_HEALTHY && row->holds[TCP_SENDER_IDLE])
		best = TCP_SENDER_IDLE;
	return best;
}

/* Time that ended up nowhere, at most the connection's own. */
static int64_t lost_of(const struct tcp_row *row)
{
	int64_t ns = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct na_direction *d = &row->c->dir[i];

		add_to(&ns, d->timeout_total_ns);
		add_to(&ns, d->zero_window_ns);
		add_to(&ns, d->window_full_ns);
		add_to(&ns, d->recovery_ns);
	}
	return ns < row->duration_ns ? ns : row->duration_ns;
}

void na_tcp_judge(struct tcp_row *row)
{
	const struct na_connection *c = row->c;
	uint64_t span = (uint64_t)c->to_ps - (uint64_t)c->from_ps;

	memset(row->holds, 0, sizeof(row->holds));
	memset(row->cost_ns, 0, sizeof(row->cost_ns));
	row->rtt_ns = path_rtt(c);
	row->way = c->dir[1].bytes > c->dir[0].bytes;
	row->duration_ns = c->to_ps > c->from_ps
				   ? (int64_t)(span / (uint64_t)NA_PS_PER_NS)
				   : 0;
	row->idler = idler_of(row);
	/* Whoever faces a closed window has something to send. */
	row->idle_ns =
		at_least_zero(at_least_zero(c->dir[row->idler].idle_ns) -
			      at_least_zero(c->dir[row->idler].zero_window_ns));
	if (row->idle_ns > row->duration_ns)
		row->idle_ns = row->duration_ns;
	row->active_ns = row->duration_ns - row->idle_ns;
	for (size_t i = 0; i < 2; i++) {
		judge_loss(row, &c->dir[i]);
		judge_window(row, i);
	}
	judge_timeouts(row);
	row->holds[TCP_RECEIVER_TOO_SLOW] =
		(c->dir[0].zero_windows || c->dir[1].zero_windows) &&
		share_reached(row, TCP_RECEIVER_TOO_SLOW, TCP_RECEIVER_SHARE);
	row->holds[TCP_WINDOW_LIMITED] |= share_reached(row, TCP_WINDOW_LIMITED,
							TCP_WINDOW_SHARE);
	row->cost_ns[TCP_SENDER_IDLE] = row->idle_ns;
	row->holds[TCP_SENDER_IDLE] = row->idle_ns > 0 &&
				      (double)row->idle_ns >=
					      TCP_IDLE_SHARE *
						      (double)row->duration_ns;
	row->verdict = choose(row);
	row->lost_ns = lost_of(row);
}

static uint64_t resent(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	return d[0].retransmitted_bytes + d[1].retransmitted_bytes;
}

static uint64_t bytes(const struct tcp_row *row)
{
	return row->c->dir[0].bytes + row->c->dir[1].bytes;
}

static bool troubled(const struct tcp_row *row)
{
	return row->verdict < TCP_SENDER_IDLE;
}

/* A total order. */
NA_ORDER(worse_first, struct tcp_row, NA_CMP(troubled(y), troubled(x)),
	 NA_DOWN(lost_ns), NA_CMP(resent(y), resent(x)),
	 NA_CMP(bytes(y), bytes(x)), NA_UP(c->input), NA_UP(c->id))

void na_tcp_rank(struct tcp_state *s)
{
	na_sort(s->rows.v, s->rows.n, worse_first);
}

static bool loses_much(const struct na_direction *d)
{
	return needed_of(d) >= TCP_LOSS_SEGMENTS &&
	       (double)needed_of(d) >= TCP_LOSS_ERROR * (double)d->data_packets;
}

enum na_severity na_tcp_severity_of(const struct tcp_row *row)
{
	static const enum na_severity severities[TCP_VERDICTS] = {
		[TCP_TIMEOUT_BOUND] = NA_SEV_ERROR,
		[TCP_RECEIVER_TOO_SLOW] = NA_SEV_WARNING,
		[TCP_NETWORK_LOSS] = NA_SEV_WARNING,
		[TCP_WINDOW_LIMITED] = NA_SEV_WARNING,
		[TCP_SENDER_IDLE] = NA_SEV_INFO,
	};

	if (row->verdict == TCP_NETWORK_LOSS &&
	    (loses_much(&row->c->dir[0]) || loses_much(&row->c->dir[1])))
		return NA_SEV_ERROR;
	return severities[row->verdict];
}
