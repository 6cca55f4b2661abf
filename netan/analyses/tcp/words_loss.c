/* tcp: what was lost, what was not, and what the capture missed. */
#include <stdio.h>

#include "netan/analyses/tcp/words.h"

static void share(struct told *t, uint64_t part, uint64_t whole)
{
	char a[NA_UNIT_BUF];

	if (whole)
		na_tcp_say(t, " (%s %%)",
			   na_print_number(a,
					   100 * (double)part / (double)whole,
					   2));
}

void na_tcp_tell_stall(struct told *t)
{
	char a[NA_UNIT_BUF];

	if (t->d->stalled_ns > 0)
		na_tcp_say(t,
			   "data of %s waits for its ACK, and nobody says "
			   "anything for the last %s: a retransmission "
			   "timeout%s",
			   t->who, na_tcp_time(a, t->d->stalled_ns),
			   t->d->stall_resent ? ""
					      : ", or an ACK that takes longer");
}

/* As the marks go; the evidence says which of them were needed. */
static void marked(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	/* A SYN or FIN that is sent again is no data segment. */
	if (d->retransmissions > d->data_packets) {
		na_tcp_say_count(t, d->retransmissions, "segment");
		na_tcp_say(t, " of %s sent again", t->who);
	} else {
		na_tcp_say(t, "%s of %s data segments of %s retransmitted",
			   na_print_count(a, d->retransmissions),
			   na_print_count(b, d->data_packets), t->who);
		share(t, d->retransmissions, d->data_packets);
	}
	if (d->fast)
		na_tcp_say(t, ", %s fast", na_print_count(a, d->fast));
	if (d->timeout)
		na_tcp_say(t, ", %s after timeouts",
			   na_print_count(a, d->timeout));
	if (d->spurious)
		na_tcp_say(t, ", %s unnecessary resends",
			   na_print_count(a, d->spurious));
}

/* The round trip from the capture point to whom the data went: the shortest of
 * this connection, whichever others are looked at; else what these tell. */
static int64_t leg_of(const struct told *t)
{
	int64_t own = na_tcp_least_rtt(t->d);

	return own > 0 ? own : t->row->leg_ns[1 - t->i];
}

/* Where, as far as it is known: what was recorded and lost then, was lost
 * behind the capture point. */
static void where(struct told *t)
{
	const struct tcp_row *row = t->row;
	const struct na_direction *d = t->d;
	uint64_t before = na_tcp_data_unseen(row, t->i);
	bool behind = d->saw_syn || d->long_lost + d->short_lost > 0;
	size_t to = 1 - t->i;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (before && before == na_tcp_data_lost(row, t->i))
		na_tcp_say(t, ", all of them before the capture point");
	else if (before)
		na_tcp_say(t, ", %s of them before the capture point",
			   na_print_count(a, before));
	else if (behind && row->place != (t->i ? TCP_AT_DST : TCP_AT_SRC))
		na_tcp_say(t, ", between the capture point and %s", t->other);
	else
		return;
	if (row->place == (to ? TCP_AT_DST : TCP_AT_SRC))
		na_tcp_say(t, ", which is near %s (%s of a round trip of %s)",
			   before ? t->other : "it", na_tcp_time(a, leg_of(t)),
			   na_tcp_time(b, row->rtt_ns));
}

void na_tcp_tell_loss(struct told *t)
{
	const struct na_direction *d = t->d;
	uint64_t lost = na_tcp_data_lost(t->row, t->i);
	uint64_t syns = t->row->needed[t->i] - lost;
	uint64_t sent = na_tcp_data_sent(t->row, t->i);
	int64_t silent_ns = na_tcp_silent_ns(t->row, t->i);
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (d->testified ? !(lost + syns) : !d->retransmissions)
		return;
	if (!d->testified) {
		marked(t);
	} else if (lost) {
		na_tcp_say(t,
			   "%s of %s data segments of %s lost and sent again",
			   na_print_count(a, lost), na_print_count(b, sent),
			   t->who);
		share(t, lost, sent);
		where(t);
	}
	if (syns && d->testified) {
		na_tcp_say(t, "%s", lost ? "; " : "");
		na_tcp_say_count(t, syns, "SYN");
		na_tcp_say(t, " of %s lost and sent again", t->who);
	}
	if (d->recovery_ns > 0) {
		na_tcp_say(t, "; ");
		na_tcp_say_of(t, d->recovery_ns, t->row->duration_ns);
		na_tcp_say(t, " until the holes were filled");
		if (silent_ns > 0)
			na_tcp_say(t, ", %s more silent in timeouts",
				   na_tcp_time(a, silent_ns));
	}
}

/* Records that hold several segments: those are cut, or were joined, by a
 * card or a driver, not by TCP. */
static bool is_offloaded(const struct na_direction *d)
{
	return d->full_bytes > 0 && d->long_least > d->full_bytes;
}

void na_tcp_tell_lengths(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (!na_tcp_long_die(t->row, t->i))
		return;
	na_tcp_say(t, "none of %s packets of %s with %s bytes or more arrived",
		   na_print_count(a, d->long_sent), t->who,
		   na_print_count(b, d->long_least));
	na_tcp_say(t, ", %s of %s",
		   na_print_count(a, d->short_sent - d->short_lost),
		   na_print_count(b, d->short_sent));
	na_tcp_say(t,
		   " with %s or fewer did, of those that ACKs decide: loss by "
		   "size, not by chance (p %s)",
		   na_print_count(a, d->short_most),
		   na_print_number(b, na_tcp_length_p(d), 2));
	if (is_offloaded(d))
		na_tcp_say(
			t,
			"; each of these holds several segments of %s bytes, "
			"joined by segmentation offload",
			na_print_count(a, d->full_bytes));
}

const char *na_tcp_hole_cause(const struct tcp_state *s,
			      const struct tcp_row *row, size_t i,
			      char buf[TCP_CAUSE_BUF])
{
	const struct na_connection *c = row->c;
	char address[NA_ENDPOINT_BUF];
	const char *at = na_tcp_host(s, c, i ? c->src : c->dst, address);

	if (!na_tcp_black_hole(row, i))
		return NULL;
	snprintf(buf, TCP_CAUSE_BUF,
		 row->verdict == TCP_PEER_VANISHED
			 ? "an MTU black hole on the way to %s: small packets "
			   "pass, full-size packets die"
			 : "long packets never arrive at %s, short ones do",
		 at);
	return buf;
}

const char *na_tcp_hole_remedy(const struct tcp_row *row, size_t i)
{
	if (!na_tcp_black_hole(row, i))
		return NULL;
	if (na_tcp_long_die(row, i) && is_offloaded(&row->c->dir[i]))
		return "switch off segmentation and receive offload one by one "
		       "(ethtool -K DEVICE lro off gro off tso off gso off), "
		       "first on what forwards the packets at the capture "
		       "point: joined segments are longer than the MTU; and "
		       "compare the MTU there with what the path carries (ping "
		       "-M do -s 1472 finds the size)";
	return "lower the MTU of both hosts to what the path carries, or let "
	       "ICMP \"packet too big\" through; ping -M do -s 1472 finds the "
	       "size";
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
void na_tcp_tell_accounts(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF];

	if (!is_accounted(d))
		return;
	na_tcp_say_count(t, again_of(t), "segment");
	na_tcp_say(t, " of %s sent again in all: %s lost", t->who,
		   na_print_count(a, na_tcp_data_lost(t->row, t->i)));
	if (d->needless)
		na_tcp_say(t, ", %s for nothing",
			   na_print_count(a, d->needless));
	if (d->open_again)
		na_tcp_say(t,
			   ", %s of which the end of the capture does not tell",
			   na_print_count(a, d->open_again));
}

void na_tcp_tell_wireshark(struct told *t)
{
	const struct na_direction *d = t->d;
	uint64_t both = d->retransmissions + d->out_of_order;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], n[NA_UNIT_BUF];

	if (!is_accounted(d))
		return;
	na_tcp_say(t, "Wireshark, which goes by the age of packets, calls ");
	if (both == again_of(t)) {
		na_tcp_say(t,
			   "%s of these %s of %s retransmitted and %s out of "
			   "order",
			   na_print_count(a, d->retransmissions),
			   na_print_count(b, both), t->who,
			   na_print_count(n, d->out_of_order));
		return;
	}
	na_tcp_say_count(t, d->retransmissions, "packet");
	na_tcp_say(t, " of %s retransmitted, %s out of order%s", t->who,
		   na_print_count(a, d->out_of_order),
		   is_whole(d) ? "" : ", some of several segments");
}

/* What is late, needless or twice, and was not lost. */
void na_tcp_tell_harmless(struct told *t)
{
	const struct na_direction *d = t->d;

	if (d->needless) {
		na_tcp_say_count(t, d->needless, "segment");
		na_tcp_say(
			t,
			" of %s sent again for nothing: they had arrived, as "
			"ACKs, DSACK or timestamps tell",
			t->who);
	}
	if (d->reordered) {
		na_tcp_say(t, "%s", t->said.n ? "; " : "");
		na_tcp_say_count(t, d->reordered, "segment");
		na_tcp_say(t, " of %s came out of order", t->who);
	}
}

void na_tcp_tell_twice(struct told *t)
{
	const struct na_direction *d = t->d;

	if (d->copies) {
		na_tcp_say_count(t, d->copies, "packet");
		na_tcp_say(t, " of %s recorded twice, and counted once",
			   t->who);
	}
	if (d->duplicated + d->dsacks_alone) {
		na_tcp_say(t, "%s", t->said.n ? "; " : "");
		na_tcp_say_count(t,
				 d->duplicated > d->dsacks_alone
					 ? d->duplicated
					 : d->dsacks_alone,
				 "packet");
		na_tcp_say(t, " of %s duplicated by the network", t->who);
	}
}

void na_tcp_tell_unrecorded(struct told *t)
{
	const struct na_direction *d = t->d;

	if (d->capture_holes) {
		na_tcp_say_count(t, d->capture_holes, "hole");
		na_tcp_say(
			t,
			" in what was recorded of %s, all acknowledged: the "
			"capture missed packets, the network lost none of them",
			t->who);
	}
	if (d->acks_missing) {
		na_tcp_say(t, "%s", t->said.n ? "; " : "");
		na_tcp_say_count(t, d->acks_missing, "ACK");
		na_tcp_say(t, " of %s lost or not recorded: harmless", t->who);
	}
}

void na_tcp_tell_timeouts(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF];

	if (!d->timeouts)
		return;
	if (d->testified && !d->needed_timeouts) {
		return;
	}
	na_tcp_say_count(t, d->timeouts, "retransmission timeout");
	na_tcp_say(t, " of %s, up to %s: ", t->who,
		   na_tcp_time(a, d->longest_timeout_ns));
	na_tcp_say_of(t, d->timeout_total_ns, t->row->duration_ns);
	na_tcp_say(t, " silent");
	if (d->testified && d->vain_timeouts)
		na_tcp_say(t, " (%s for what was lost)",
			   na_tcp_time(a, d->needed_silent_ns));
	if (d->timeout > d->timeouts) {
		na_tcp_say(t, "; ");
		na_tcp_say_count(t, d->timeout, "segment");
		na_tcp_say(t, " sent again after them");
	}
	if (!t->peer->packets)
		na_tcp_say(t, "; %s %s", t->other,
			   t->peer->known ? "did not answer"
					  : "never answered");
}
