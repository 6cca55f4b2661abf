/* tcp: what was lost, what was not, and what the capture missed. */
#include "netan/analyses/tcp/words.h"

struct na_fact na_tcp_tell_stall(const struct told *t)
{
	if (t->d->stalled_ns <= 0)
		return (struct na_fact){NA_NO_FACT};
	return na_fact_ack_is_awaited(t->who, na_s_of_ns(t->d->stalled_ns),
				      !t->d->stall_resent);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : (double)NAN;
}

/* As the marks go; the evidence says which of them were needed. */
static struct na_fact marked(const struct told *t)
{
	const struct na_direction *d = t->d;
	/* A SYN or FIN that is sent again is no data segment. */
	uint64_t of = d->retransmissions <= d->data_packets ? d->data_packets
							    : 0;

	return na_fact_segments_resent(
		(int64_t)d->retransmissions, (int64_t)of, t->who,
		percent(d->retransmissions, of), (int64_t)d->fast,
		(int64_t)d->timeout, (int64_t)d->spurious);
}

/* The round trip from the capture point to whom the data went: the shortest of
 * this connection, whichever others are looked at; else what these tell. */
static int64_t leg_of(const struct told *t)
{
	int64_t own = na_tcp_least_rtt(t->d);

	return own > 0 ? own : t->row->leg_ns[1 - t->i];
}

/* And where, as far as it is known: what was recorded and lost then, was lost
 * behind the capture point. */
static struct na_fact data_lost(const struct told *t)
{
	const struct tcp_row *row = t->row;
	const struct na_direction *d = t->d;
	uint64_t lost = na_tcp_data_lost(row, t->i);
	uint64_t sent = na_tcp_data_sent(row, t->i);
	uint64_t before = na_tcp_data_unseen(row, t->i);
	bool behind = !before &&
		      (d->saw_syn || d->long_lost + d->short_lost > 0) &&
		      row->place != (t->i ? TCP_AT_DST : TCP_AT_SRC);
	bool is_near = (before || behind) &&
		       row->place == (t->i ? TCP_AT_SRC : TCP_AT_DST);

	return na_fact_data_segments_lost(
		(int64_t)lost, (int64_t)sent, t->who, percent(lost, sent),
		(int64_t)before, before == lost, behind, t->other,
		is_near ? na_s_of_ns(leg_of(t)) : (double)NAN,
		na_s_of_ns(row->rtt_ns));
}

struct na_fact na_tcp_tell_loss(const struct told *t)
{
	const struct na_direction *d = t->d;
	uint64_t lost = na_tcp_data_lost(t->row, t->i);
	uint64_t syns = t->row->needed[t->i] - lost;
	struct na_fact what = {NA_NO_FACT};

	if (d->testified ? !(lost + syns) : !d->retransmissions)
		return what;
	if (!d->testified)
		what = marked(t);
	else if (lost)
		what = data_lost(t);
	return na_fact_loss_lasted(
		na_result_say(t->r, what), d->testified ? (int64_t)syns : 0,
		t->who, na_tcp_some_s(d->recovery_ns),
		na_s_of_ns(t->row->duration_ns),
		na_tcp_some_s(na_tcp_silent_ns(t->row, t->i)));
}

/* Records that hold several segments: those are cut, or were joined, by a
 * card or a driver, not by TCP. */
static bool is_offloaded(const struct na_direction *d)
{
	return d->full_bytes > 0 && d->long_least > d->full_bytes;
}

struct na_fact na_tcp_tell_lengths(const struct told *t)
{
	const struct na_direction *d = t->d;

	if (!na_tcp_long_die(t->row, t->i))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_long_packets_die(
		d->long_sent, t->who, d->long_least,
		(int64_t)d->short_sent - d->short_lost, d->short_sent,
		d->short_most, na_tcp_length_p(d),
		is_offloaded(d) ? d->full_bytes : 0);
}

struct na_fact na_tcp_hole_cause(const struct tcp_state *s,
				 const struct tcp_row *row, size_t i,
				 char address[NA_ENDPOINT_BUF])
{
	const struct na_connection *c = row->c;

	return na_fact_black_hole_on_way(na_tcp_host(s, c, i ? c->src : c->dst,
						     address),
					 row->verdict == TCP_PEER_VANISHED);
}

struct na_fact na_tcp_hole_remedy(const struct tcp_row *row, size_t i)
{
	return na_tcp_long_die(row, i) && is_offloaded(&row->c->dir[i])
		       ? na_fact_do_switch_offload_off()
		       : na_fact_tcp_no_full_packet_remedy();
}

/* A record for each segment of the wire. */
static bool is_whole(const struct na_direction *d)
{
	return d->copies || na_tcp_data_seen(d) == d->data_packets;
}

static bool is_accounted(const struct na_direction *d)
{
	return d->testified && d->needed + d->needless + d->open_again &&
	       (d->retransmissions != d->needed || !is_whole(d) ||
		d->open_again);
}

/* The same of those that are lost as na_tcp_tell_loss() says, so that the
 * two add up: last segments of which only the second one was seen count. */
static uint64_t again_of(const struct told *t)
{
	return na_tcp_data_lost(t->row, t->i) + t->d->needless +
	       t->d->open_again;
}

/* All that was sent again, in the segments of the wire. */
struct na_fact na_tcp_tell_accounts(const struct told *t)
{
	const struct na_direction *d = t->d;

	if (!is_accounted(d))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_all_segments_resent(
		(int64_t)again_of(t), t->who,
		(int64_t)na_tcp_data_lost(t->row, t->i), (int64_t)d->needless,
		(int64_t)d->open_again);
}

struct na_fact na_tcp_tell_wireshark(const struct told *t)
{
	const struct na_direction *d = t->d;
	uint64_t both = d->retransmissions + d->out_of_order;

	if (!is_accounted(d))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_wireshark_calls((int64_t)d->retransmissions,
				       both == again_of(t) ? (int64_t)both : 0,
				       t->who, (int64_t)d->out_of_order,
				       !is_whole(d));
}

/* What is late, needless or twice, and was not lost. */
struct na_fact na_tcp_tell_harmless(const struct told *t)
{
	return na_fact_segments_harmless((int64_t)t->d->needless,
					 (int64_t)t->d->reordered, t->who);
}

struct na_fact na_tcp_tell_twice(const struct told *t)
{
	const struct na_direction *d = t->d;
	uint64_t twice = d->duplicated > d->dsacks_alone ? d->duplicated
							 : d->dsacks_alone;

	return na_fact_packets_seen_twice((int64_t)d->copies, (int64_t)twice,
					  t->who);
}

struct na_fact na_tcp_tell_unrecorded(const struct told *t)
{
	return na_fact_packets_unrecorded((int64_t)t->d->capture_holes,
					  (int64_t)t->d->acks_missing, t->who);
}

struct na_fact na_tcp_tell_timeouts(const struct told *t)
{
	const struct na_direction *d = t->d;

	if (!d->timeouts || (d->testified && !d->needed_timeouts))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_timeouts_silent(
		(int64_t)d->timeouts, t->who, na_s_of_ns(d->longest_timeout_ns),
		na_s_of_ns(d->timeout_total_ns),
		na_s_of_ns(t->row->duration_ns),
		d->testified && d->vain_timeouts
			? na_s_of_ns(d->needed_silent_ns)
			: (double)NAN,
		d->timeout > d->timeouts ? (int64_t)d->timeout : 0,
		t->peer->packets ? NULL : t->other, t->peer->known);
}
