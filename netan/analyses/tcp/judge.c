/* tcp: which of the rules of tcp.h hold for a connection. */
#include <math.h>
#include <string.h>

#include "netan/analyses/tcp/state.h"
#include "netan/base/order.h"

bool na_tcp_is_far(const struct tcp_row *row)
{
	return row->whole_rtt && row->rtt_ns >= TCP_FAR_NS;
}

double na_tcp_goodput(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	uint64_t open = d->unacked_bytes > d->missing_bytes
				? d->unacked_bytes - d->missing_bytes
				: 0;

	if (!d->unique_bytes || !row->c->dir[1 - i].packets ||
	    row->duration_ns <= 0)
		return (double)NAN;
	if (open > d->unique_bytes)
		open = d->unique_bytes;
	return (double)(d->unique_bytes - open) / na_s_of_ns(row->duration_ns);
}

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

/* Of records without that evidence: what was not spurious. */
static uint64_t plainly_needed(const struct na_direction *d)
{
	return d->retransmissions > d->spurious
		       ? d->retransmissions - d->spurious
		       : 0;
}

static enum tcp_place sender_place(size_t i)
{
	return i ? TCP_AT_DST : TCP_AT_SRC;
}

/* A last segment that was lost upstream; beside its sender the capture has
 * missed it.  Where the capture misses others, some of these, too. */
static uint64_t tails(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	double chance = row->missed > 0
				? 3 + 2 * row->missed * (double)row->c->turns
				: 0;

	if (row->place == sender_place(i) || !row->c->dir[1 - i].packets ||
	    (double)d->tail_losses <= chance)
		return 0;
	return d->tail_losses;
}

/* SYNs that were answered in the end. */
static uint64_t syns(const struct tcp_row *row, size_t i)
{
	const struct na_direction *peer = &row->c->dir[1 - i];

	return peer->saw_syn || peer->bytes ? row->c->dir[i].syns_again : 0;
}

static uint64_t needed_of(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	return d->testified ? d->needed + tails(row, i) + syns(row, i)
			    : plainly_needed(d);
}

uint64_t na_tcp_loss_events(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	uint64_t n = d->loss_events + tails(row, i) + (syns(row, i) > 0);

	return row->needed[i] > 0 && !n ? 1 : n;
}

uint64_t na_tcp_data_lost(const struct tcp_row *row, size_t i)
{
	return row->c->dir[i].testified ? row->needed[i] - syns(row, i)
					: row->needed[i];
}

uint64_t na_tcp_data_seen(const struct na_direction *d)
{
	return d->data_segments ? d->data_segments : d->data_packets;
}

uint64_t na_tcp_data_unseen(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	return d->testified ? d->lost_upstream + tails(row, i) : 0;
}

uint64_t na_tcp_data_sent(const struct tcp_row *row, size_t i)
{
	return na_tcp_data_seen(&row->c->dir[i]) + na_tcp_data_unseen(row, i);
}

/* ACKs that a host surely sent are missing beside it; elsewhere the network
 * may have lost them, and that harms nobody. */
static uint64_t unrecorded_of(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	uint64_t n = d->capture_holes;

	if (row->c->dir[0].copies + row->c->dir[1].copies > 0)
		return 0;
	/* IDs alone do not convict: another connection may have taken them. */
	if (row->place == sender_place(i) &&
	    row->c->dir[0].capture_holes + row->c->dir[1].capture_holes > 0)
		n += d->acks_missing + d->tail_losses;
	return n;
}

int64_t na_tcp_least_rtt(const struct na_direction *d)
{
	int64_t own = d->rtt_samples ? at_least_zero(d->rtt_min_ns) : 0;

	return d->rtt_least_ns > 0 && (!own || d->rtt_least_ns < own)
		       ? d->rtt_least_ns
		       : own;
}

/* Each way's round trip begins and ends at the capture point; their sum is
 * that of the whole path, which the handshake tells as well. */
static int64_t path_rtt(const struct na_connection *c)
{
	int64_t sum = 0;

	for (size_t i = 0; i < 2; i++) {
		add_to(&sum, na_tcp_least_rtt(&c->dir[i]));
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

bool na_tcp_loses(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	uint64_t vain = d->needless + d->reordered, n = row->needed[i];
	uint64_t least = d->fast ? 1 : TCP_LOSS_SEGMENTS;

	if (!d->testified)
		return d->timeouts > 0 ||
		       (n >= least &&
			(double)n >= TCP_LOSS_SHARE * (double)d->data_packets);
	return n > 0 &&
	       !(vain >= TCP_LOSS_SEGMENTS && vain / n >= TCP_NEEDLESS);
}

static uint64_t timeouts_of(const struct na_direction *d)
{
	return d->testified ? d->needed_timeouts : d->timeouts;
}

int64_t na_tcp_silent_ns(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	if (!d->testified)
		return d->timeout_total_ns;
	return add_ns(d->needed_silent_ns, tails(row, i) ? d->tail_ns : 0);
}

static int64_t recovery_of(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	return d->testified && !na_tcp_loses(row, i) ? 0 : d->recovery_ns;
}

static void judge_loss(struct tcp_row *row, size_t i)
{
	row->needed[i] = needed_of(row, i);
	if (na_tcp_loses(row, i)) {
		row->holds[TCP_NETWORK_LOSS] = true;
		add_to(&row->cost_ns[TCP_TIMEOUT_BOUND],
		       na_tcp_silent_ns(row, i));
	}
	add_to(&row->cost_ns[TCP_NETWORK_LOSS], recovery_of(row, i));
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
		(timeouts_of(&row->c->dir[0]) ||
		 timeouts_of(&row->c->dir[1])) &&
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
	/* Beside the receiver little is seen in flight. */
	bool far = row->place == sender_place(1 - i);
	double rate, limit;

	if (window <= 0 || !peer->window_scale_known || row->rtt_ns <= 0 ||
	    row->active_ns <= 0 || d->unique_bytes < TCP_WINDOW_BYTES ||
	    (double)d->unique_bytes < 4 * window ||
	    (!far &&
	     (double)d->max_in_flight_bytes < TCP_WINDOW_REACHED * window))
		return false;
	rate = (double)d->unique_bytes / (double)row->active_ns;
	limit = window / (double)row->rtt_ns;
	return rate >= TCP_WINDOW_RATE * limit;
}

static bool at_the_edge(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	return d->data_packets >= TCP_STREAM &&
	       (double)d->edge_segments >
		       TCP_EDGE_SHARE * (double)d->data_packets;
}

static void judge_window(struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	bool shut = row->c->dir[1 - i].zero_windows > 0;
	enum tcp_verdict to = shut ? TCP_RECEIVER_TOO_SLOW : TCP_WINDOW_LIMITED;

	add_to(&row->cost_ns[TCP_RECEIVER_TOO_SLOW], d->zero_window_ns);
	add_to(&row->cost_ns[to], d->window_full_ns);
	if (!shut && (at_the_window(row, i) || at_the_edge(row, i))) {
		row->holds[TCP_WINDOW_LIMITED] = true;
		if (row->cost_ns[TCP_WINDOW_LIMITED] < row->active_ns)
			row->cost_ns[TCP_WINDOW_LIMITED] = row->active_ns;
	}
}

/* ---- ends */

static void judge_refused(struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	row->holds[TCP_REFUSED] = na_tcp_refused(row->c);
	row->holds[TCP_RESET] = !row->holds[TCP_REFUSED] &&
				(d[0].reset || d[1].reset) && !d[0].closed &&
				!d[1].closed && d[0].packets && d[1].packets;
}

static void judge_gone(struct tcp_row *row)
{
	for (size_t i = 0; i < 2; i++) {
		if (!row->c->dir[i].testified ||
		    !(na_tcp_gone(row, i) || na_tcp_stuck(row, i)))
			continue;
		row->holds[TCP_PEER_VANISHED] = true;
		add_to(&row->cost_ns[TCP_PEER_VANISHED],
		       row->c->dir[1 - i].packets || row->c->dir[1 - i].known
			       ? row->c->dir[1 - i].mute_ns
			       : row->duration_ns);
	}
}

/* ---- who waits */

int64_t na_tcp_calls_ns(const struct tcp_row *row)
{
	const struct na_connection *c = row->c;
	int64_t trips, sum = add_ns(at_least_zero(c->serve_ns),
				    at_least_zero(c->upset_ns));

	if (c->turns > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)c->turns, row->rtt_ns, &trips))
		trips = INT64_MAX; /* a hostile file says so */
	return add_ns(sum, trips);
}

static void judge_server(struct tcp_row *row)
{
	const struct na_connection *c = row->c;
	double all = (double)na_tcp_calls_ns(row);
	bool always = c->serves >= TCP_SERVER_CALLS &&
		      c->serve_p50_ns >= TCP_SLOW_MEDIAN_NS &&
		      c->serve_p50_ns / 5 >= row->rtt_ns &&
		      (double)c->serve_ns > TCP_SERVER_SHARE * all;
	bool now_and_then = c->slow_serves > 0 &&
			    (row->server_outliers ||
			     c->slow_serves >= TCP_SERVER_CALLS) &&
			    (double)c->slow_serve_ns > TCP_SERVER_SHARE * all;

	/* Who waits behind a queue, or whose times go back and forth, says
	 * nothing of the server. */
	if (row->queue_on_path || c->disordered)
		return;
	/* Clocks of two recorders may differ by a few milliseconds. */
	if (c->dir[0].copies + c->dir[1].copies > 0)
		now_and_then &= c->slow_serve_ns / TCP_APART_NS >=
				(int64_t)c->slow_serves;
	row->holds[TCP_SERVER_SLOW] = always || now_and_then;
	row->cost_ns[TCP_SERVER_SLOW] = always ? c->serve_ns : c->slow_serve_ns;
}

static bool grows(int64_t usual_ns, int64_t empty_ns, int64_t least_ns)
{
	return empty_ns > 0 && usual_ns / TCP_QUEUE_RATIO > empty_ns &&
	       usual_ns - empty_ns > least_ns;
}

/* As its sender sees it, whose segments follow each other; or the receiver,
 * by its timestamps. */
bool na_tcp_direction_queues(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	const struct na_direction *peer = &row->c->dir[1 - i];
	uint64_t half = (peer->mss ? peer->mss : TCP_FULL_SIZE) / 2u;
	bool stream = d->data_packets >= TCP_STREAM &&
		      d->bytes / d->data_packets >= half;

	/* Clocks of two recorders may differ. */
	int64_t least = d->copies ? (int64_t)TCP_APART_NS : TCP_QUEUE_NS;

	if (!d->testified || !stream ||
	    d->reordered + d->needless >= TCP_LOSS_SEGMENTS)
		return false;
	return grows(d->rtt_p50_ns, na_tcp_least_rtt(d), least) ||
	       grows(peer->far_rtt_p50_ns, path_rtt(row->c), least);
}

bool na_tcp_queues(const struct tcp_row *row)
{
	return na_tcp_direction_queues(row, 0) ||
	       na_tcp_direction_queues(row, 1);
}

static void judge_queue(struct tcp_row *row)
{
	row->holds[TCP_QUEUEING] = na_tcp_queues(row);
	if (row->holds[TCP_QUEUEING])
		row->cost_ns[TCP_QUEUEING] = row->active_ns / 2;
}

int64_t na_tcp_held_ns(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	int64_t ns;

	if (!row->held_alike[i] &&
	    (d->released < TCP_NAGLE_WAITS || !d->released_even ||
	     (double)d->released * 2 < (double)d->slow_acks))
		return 0;
	if (d->released > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)d->released, d->released_p50_ns,
				   &ns))
		ns = INT64_MAX; /* a hostile file says so */
	return ns;
}

static void judge_nagle(struct tcp_row *row)
{
	for (size_t i = 0; i < 2; i++) {
		int64_t ns = na_tcp_held_ns(row, i);

		row->holds[TCP_DELAYED_ACK] |= ns > 0;
		add_to(&row->cost_ns[TCP_DELAYED_ACK], ns);
	}
}

/* The costliest of from..to that hold; of equal ones the first. */
static enum tcp_verdict costliest(const struct tcp_row *row,
				  enum tcp_verdict from, enum tcp_verdict to)
{
	enum tcp_verdict best = TCP_HEALTHY;

	for (enum tcp_verdict v = from; v <= to; v++) {
		if (row->holds[v] && (best == TCP_HEALTHY ||
				      row->cost_ns[v] > row->cost_ns[best]))
			best = v;
	}
	return best;
}

bool na_tcp_stalls(const struct tcp_row *row)
{
	return row->c->dir[0].stalled_ns > 0 || row->c->dir[1].stalled_ns > 0;
}

/* Enough was seen to say that nothing is wrong. */
static bool enough(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	return !na_tcp_stalls(row) &&
	       d[0].packets + d[1].packets >= TCP_ENOUGH && d[0].packets &&
	       d[1].packets;
}

static enum tcp_verdict choose(const struct tcp_row *row)
{
	enum tcp_verdict v;

	for (v = TCP_REFUSED; v <= TCP_RESET; v++)
		if (row->holds[v])
			return v;
	v = costliest(row, TCP_TIMEOUT_BOUND, TCP_NETWORK_LOSS);
	if (row->holds[TCP_CAPTURE_LOSS] && v != TCP_RECEIVER_TOO_SLOW &&
	    row->needed[0] + row->needed[1] < TCP_LOSS_SEGMENTS)
		v = TCP_HEALTHY; /* an ACK that would clear it may be missing */
	if (v == TCP_HEALTHY)
		v = costliest(row, TCP_SERVER_SLOW, TCP_DELAYED_ACK);
	if (v == TCP_HEALTHY && row->holds[TCP_CAPTURE_LOSS])
		return TCP_CAPTURE_LOSS;
	if (v == TCP_HEALTHY && row->holds[TCP_SENDER_IDLE] &&
	    !na_tcp_stalls(row))
		v = TCP_SENDER_IDLE;
	return v == TCP_HEALTHY && !enough(row) ? TCP_CANNOT_TELL : v;
}

/* Time that ended up nowhere, at most the connection's own. */
static int64_t lost_of(const struct tcp_row *row)
{
	int64_t ns = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct na_direction *d = &row->c->dir[i];

		add_to(&ns, na_tcp_silent_ns(row, i));
		add_to(&ns, d->zero_window_ns);
		add_to(&ns, d->window_full_ns);
		add_to(&ns, recovery_of(row, i));
		add_to(&ns, at_least_zero(d->stalled_ns));
		if (na_tcp_long_stuck(row, i))
			add_to(&ns, d->stuck_ns);
	}
	return ns < row->duration_ns ? ns : row->duration_ns;
}

/* What the verdict costs in direction i. */
static double weight(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	switch (row->verdict) {
	case TCP_PEER_VANISHED:
		return na_tcp_gone(row, i) || na_tcp_stuck(row, i);
	case TCP_TIMEOUT_BOUND:
	case TCP_NETWORK_LOSS:
		return na_tcp_loses(row, i)
			       ? 1 + (double)add_ns(na_tcp_silent_ns(row, i),
						    recovery_of(row, i))
			       : 0;
	case TCP_RECEIVER_TOO_SLOW:
		return (double)d->zero_window_ns;
	case TCP_WINDOW_LIMITED:
		return (double)d->window_full_ns;
	case TCP_QUEUEING:
		return na_tcp_direction_queues(row, i);
	case TCP_DELAYED_ACK:
		return (double)na_tcp_held_ns(row, i);
	default:
		return 0;
	}
}

/* Its own handshake or data both ways; else what others between these hosts
 * have shown; else a lower bound, of the one side that is known. */
static void judge_rtt(struct tcp_row *row)
{
	const struct na_connection *c = row->c;
	const int64_t *leg = row->leg_ns;

	row->rtt_ns = path_rtt(c);
	row->whole_rtt = c->initial_rtt_ns > 0 ||
			 (na_tcp_least_rtt(&c->dir[0]) > 0 &&
			  na_tcp_least_rtt(&c->dir[1]) > 0);
	if (row->whole_rtt || leg[0] <= 0 || leg[1] <= 0)
		return;
	row->whole_rtt = true;
	if (add_ns(leg[0], leg[1]) > row->rtt_ns)
		row->rtt_ns = add_ns(leg[0], leg[1]);
}

void na_tcp_judge(struct tcp_row *row)
{
	const struct na_connection *c = row->c;
	uint64_t span = (uint64_t)c->to_ps - (uint64_t)c->from_ps;

	memset(row->holds, 0, sizeof(row->holds));
	memset(row->cost_ns, 0, sizeof(row->cost_ns));
	judge_rtt(row);
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
	row->unrecorded = unrecorded_of(row, 0) + unrecorded_of(row, 1);
	for (size_t i = 0; i < 2; i++) {
		judge_loss(row, i);
		judge_window(row, i);
	}
	judge_timeouts(row);
	judge_refused(row);
	judge_gone(row);
	judge_server(row);
	judge_queue(row);
	judge_nagle(row);
	row->holds[TCP_CAPTURE_LOSS] = row->unrecorded >= TCP_HOLES;
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
	row->told = row->way;
	if (weight(row, 1u - row->way) > weight(row, row->way))
		row->told = 1 - row->way;
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

static bool loses_much(const struct tcp_row *row, size_t i)
{
	return na_tcp_data_lost(row, i) >= TCP_LOSS_SEGMENTS &&
	       (double)na_tcp_data_lost(row, i) >=
		       TCP_LOSS_ERROR * (double)na_tcp_data_sent(row, i);
}

enum na_severity na_tcp_severity_of(const struct tcp_row *row)
{
	static const enum na_severity severities[TCP_VERDICTS] = {
		[TCP_REFUSED] = NA_SEV_WARNING,
		[TCP_RESET] = NA_SEV_WARNING,
		[TCP_PEER_VANISHED] = NA_SEV_ERROR,
		[TCP_TIMEOUT_BOUND] = NA_SEV_ERROR,
		[TCP_RECEIVER_TOO_SLOW] = NA_SEV_WARNING,
		[TCP_NETWORK_LOSS] = NA_SEV_WARNING,
		[TCP_CAPTURE_LOSS] = NA_SEV_WARNING,
		[TCP_SERVER_SLOW] = NA_SEV_WARNING,
		[TCP_QUEUEING] = NA_SEV_WARNING,
		[TCP_WINDOW_LIMITED] = NA_SEV_WARNING,
		[TCP_DELAYED_ACK] = NA_SEV_WARNING,
		[TCP_SENDER_IDLE] = NA_SEV_INFO,
	};

	if (na_tcp_harmless(row) || na_tcp_reset_idle(row))
		return NA_SEV_INFO;
	if (row->verdict == TCP_NETWORK_LOSS &&
	    (loses_much(row, 0) || loses_much(row, 1)))
		return NA_SEV_ERROR;
	return severities[row->verdict];
}
