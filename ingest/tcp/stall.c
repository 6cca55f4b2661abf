/*
 * Why a sender was silent.
 *
 * Timeout: the retransmission of the first unacknowledged segment (or of an
 * older one) that nothing called for: the sender sent nothing, and heard no
 * ACK that covers more, no duplicate ACK, no SACK block and no window that
 * opens, for longer than an answer to such takes.  That is the round trip (the smoothed one, or
 * that of the handshake, which no capture point shortens, if greater) and
 * twice its variation; during loss recovery, where an ACK may have called
 * for it one round trip ago, two round trips; at least 1 ms; and 200 ms
 * where no round trip is known, or during recovery only the part between
 * capture point and receiver.  Every RTO of RFC 6298 is longer.  The peer's
 * window is open, else the timer is the one that probes.  A fixed 200 ms
 * would miss hosts with a lowered minimum.  What is sent again below the
 * then highest byte belongs to that timeout.  A tail loss probe (RFC 8985,
 * 7) that repeats the only segment in flight counts too: the wire does not
 * tell it from an RTO, and the sender waited for it.
 *
 * Recovery: from the first duplicate ACK or SACK block that tells of a hole
 * (else the first retransmission) until an ACK passes all that had been sent
 * at that retransmission (the recovery point of RFC 6582 and RFC 6675), less
 * the silences of timeouts in it.  Of a sender whose peer is not heard, and
 * of what was acknowledged before, there is none; a hole that no ACK closes
 * counts until the last retransmission.
 *
 * Stall: at the end of a window data waits for its ACK, for longer than an
 * answer takes, and is sent again behind it; or at the end of the capture, for
 * longer than a delayed ACK takes.
 *
 * Idle: new data when all before was acknowledged.  It is a restart (RFC
 * 5681, 4.1) when the last segment is older than the RTO: smoothed round
 * trip and at least 200 ms, as Linux has it.
 */
#include "ingest/tcp/marks.h"

enum {
	LEAST_SILENCE_NS = 1000 * 1000,
	LEAST_RTO_NS = 200 * 1000 * 1000,
	TAKES_ONE = NA_TCP_SYN | NA_TCP_FIN
};

/* The first timeout of RFC 6298, where no round trip is known. */
static const int64_t FIRST_RTO_NS = INT64_C(1000000000);

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t since(int64_t now, int64_t then)
{
	return now > then ? now - then : 0;
}

/* What was sent up to the last retransmission is not all acknowledged. */
static bool recovers(const struct na_tcp_dir *f, const struct na_tcp_dir *r)
{
	return f->recover_known &&
	       (!r->last_ack || na_tcp_before(r->last_ack, f->recover));
}

static int64_t answer_ns(const struct na_tcp_conn *c,
			 const struct na_tcp_dir *f, const struct na_tcp_dir *r)
{
	int64_t rtt = most(f->srtt_ns, c->first_rtt_ns);
	bool called = recovers(f, r) || r->dup_acks > 0 ||
		      r->sacked_bytes > 0 || f->asked;
	bool whole = c->first_rtt_ns > 0;

	if (!whole && r->srtt_ns > 0) { /* the two parts of the way */
		rtt = f->srtt_ns + r->srtt_ns;
		whole = f->srtt_ns > 0;
	}
	if (rtt == 0 || (called && !whole))
		return LEAST_RTO_NS;
	return most(LEAST_SILENCE_NS,
		    called ? 2 * rtt : rtt + 2 * f->rttvar_ns);
}

static bool is_shut(const struct na_tcp_dir *r)
{
	return r->packets > 0 && r->window == 0;
}

static uint32_t timeout(struct na_tcp_conn *c, struct na_tcp_dir *f,
			const struct na_tcp_dir *r, const struct na_packet *p)
{
	int64_t then = most(f->sent_ns, f->told_ns);
	int64_t silent = since(p->time_ns, then);
	struct na_tcp_rare *x;

	if (!f->sent_any || is_shut(r) ||
	    (r->last_ack && na_tcp_before(r->last_ack, p->seq)) ||
	    silent < answer_ns(c, f, r))
		return 0;
	x = na_tcp_rare(f);
	if (!x)
		return 0;
	silent = since(p->time_ns, most(then, f->trail.since_ns));
	na_tcp_count(&x->n.timeouts);
	x->longest_timeout_ns = most(x->longest_timeout_ns, silent);
	na_tcp_add_ns(&x->timeout_total_ns, silent);
	f->recovering = f->recover_known = true;
	f->recover = f->next_seq;
	if (x->mending)
		x->mending_ns += least(silent,
				       since(p->time_ns, x->mending_ns));
	return NA_SEG_TIMEOUT;
}

/* A hole is being filled: count from its first sign. */
static void mend(struct na_tcp_dir *f, const struct na_tcp_dir *r,
		 const struct na_packet *p)
{
	struct na_tcp_rare *x = na_tcp_rare(f);

	if (!x || x->mending || !r->last_ack)
		return;
	x->mending = true;
	x->mending_ns = x->hole ? x->hole_ns : p->time_ns;
}

static void mended(struct na_tcp_dir *s, int64_t now)
{
	if (s->rare && s->rare->mending) {
		na_tcp_add_ns(&s->rare->recovery_ns,
			      since(now, s->rare->mending_ns));
		s->rare->mending = false;
	}
}

/* What an ACK says of a hole in what s sent.  A SACK block at or below the
 * ACK tells of a repeat (RFC 2883). */
static void look_for_hole(struct na_tcp_dir *s, const struct na_packet *p,
			  uint32_t marks, bool advanced)
{
	bool sign = p->n_sack > 0 ? na_tcp_before(p->ack, p->sack[0].left)
				  : marks & NA_SEG_DUPLICATE_ACK;

	if (s->rare && advanced)
		s->rare->hole = false;
	if (sign && na_tcp_rare(s) && !s->rare->hole) {
		s->rare->hole = true;
		s->rare->hole_ns = p->time_ns;
	}
}

static void idle(struct na_tcp_dir *f, const struct na_tcp_dir *r, int64_t now)
{
	int64_t gap, rto;

	if (!f->sent_any || !r->last_ack ||
	    na_tcp_before(r->last_ack, f->next_seq))
		return;
	gap = since(now, most(most(f->sent_ns, f->all_acked_ns),
			      f->trail.since_ns));
	na_tcp_add_ns(&f->idle_ns, gap);
	f->longest_idle_ns = most(f->longest_idle_ns, gap);
	rto = f->srtt_ns + most(LEAST_RTO_NS, 4 * f->rttvar_ns);
	if (since(now, f->sent_ns) > rto)
		na_tcp_count(&f->idle_restarts);
}

uint32_t na_tcp_stall_send(struct na_tcp_conn *c, struct na_tcp_dir *f,
			   const struct na_tcp_dir *r,
			   const struct na_packet *p, uint32_t marks)
{
	uint32_t more = 0;

	if ((p->payload_bytes == 0 && !(p->flags & TAKES_ONE)) ||
	    marks & (NA_SEG_KEEP_ALIVE | NA_TCP_MARK_ZERO_PROBE))
		return 0;
	if (!recovers(f, r))
		f->recovering = f->recover_known = false;
	if (marks & NA_SEG_RETRANSMIT) {
		if (!(marks & NA_SEG_FAST)) {
			more = timeout(c, f, r, p);
			if (f->recovering && na_tcp_before(p->seq, f->recover))
				more = NA_SEG_TIMEOUT;
		}
		if (!(marks & NA_SEG_SPURIOUS))
			mend(f, r, p);
		if (!f->recover_known)
			f->recover = f->next_seq;
		f->recover_known = true;
		f->again_ns = p->time_ns;
	} else if (p->payload_bytes > 0 && !(marks & NA_SEG_OUT_OF_ORDER)) {
		idle(f, r, p->time_ns);
	}
	f->sent_ns = f->sent_any ? most(f->sent_ns, p->time_ns) : p->time_ns;
	f->sent_any = true;
	f->asked = false;
	if (marks & NA_SEG_WINDOW_FULL && !f->full_now && !f->zero_now &&
	    na_tcp_rare(f)) {
		f->full_now = true;
		f->rare->full_since_ns = p->time_ns;
		f->full_edge = p->seq + p->payload_bytes;
	}
	return more;
}

static void open_full(struct na_tcp_dir *s, int64_t now)
{
	if (s->full_now)
		na_tcp_add_ns(&s->rare->window_full_ns,
			      since(now, s->rare->full_since_ns));
	s->full_now = false;
}

static void open_zero(struct na_tcp_dir *s, int64_t now)
{
	if (s->zero_now)
		na_tcp_add_ns(&s->rare->zero_window_ns,
			      since(now, s->rare->zero_since_ns));
	s->zero_now = false;
}

void na_tcp_stall_hear(const struct na_tcp_dir *f, struct na_tcp_dir *s,
		       const struct na_packet *p, uint32_t marks, bool advanced)
{
	int shift = f->first_ack_due || f->scale < 0 ? 0 : f->scale;
	uint32_t edge = p->ack + ((uint32_t)p->window << shift);

	if (s->zero_now && p->window > 0) /* the sender goes on */
		s->asked = true;
	if (advanced || marks & NA_SEG_DUPLICATE_ACK || p->n_sack > 0 ||
	    s->asked)
		s->told_ns = p->time_ns;
	look_for_hole(s, p, marks, advanced);
	if (advanced && !recovers(s, f))
		mended(s, p->time_ns);
	if (advanced && s->next_known && !na_tcp_before(p->ack, s->next_seq))
		s->all_acked_ns = p->time_ns;
	if (marks & NA_SEG_ZERO_WINDOW) {
		open_full(s, p->time_ns);
		if (!s->zero_now && na_tcp_rare(s)) {
			s->rare->zero_since_ns = p->time_ns;
			s->zero_now = true;
		}
	} else if (p->flags & NA_TCP_RST) {
		open_zero(s, p->time_ns);
		open_full(s, p->time_ns);
	} else {
		if (p->window > 0)
			open_zero(s, p->time_ns);
		if (s->full_now && na_tcp_before(s->full_edge, edge))
			open_full(s, p->time_ns);
	}
}

/* RFC 6298, 2.2 and 2.3; and Karn's: no segment in whose time something was
 * sent again. */
void na_tcp_stall_rtt(struct na_tcp_dir *d, int64_t sent_ns, int64_t rtt_ns)
{
	int64_t off;

	if (d->again_ns && d->again_ns >= sent_ns)
		return;
	if (d->srtt_ns == 0) {
		d->srtt_ns = rtt_ns;
		d->rttvar_ns = rtt_ns / 2;
		return;
	}
	off = d->srtt_ns - rtt_ns;
	d->rttvar_ns += ((off < 0 ? -off : off) - d->rttvar_ns) / 4;
	d->srtt_ns -= off / 8;
}

bool na_tcp_awaits(const struct na_tcp_conn *c, unsigned dir)
{
	const struct na_tcp_dir *f = &c->dir[dir], *r = &c->dir[!dir];

	return f->next_known && f->sent_any && !is_shut(r) && !f->saw_rst &&
	       !r->saw_rst &&
	       (!r->last_ack || na_tcp_before(r->last_ack, f->next_seq));
}

/* Of what it awaits: since the oldest was sent, or the peer had news. */
static int64_t waits_since(struct na_tcp_dir *f)
{
	return most(f->told_ns, f->flight.count
					? na_flight_at(&f->flight, 0)->time_ns
					: f->sent_ns);
}

int64_t na_tcp_wait_ns(struct na_tcp_conn *c, unsigned dir, int64_t from_ns,
		       int64_t to_ns)
{
	struct na_tcp_dir *f = &c->dir[dir];
	int64_t then = waits_since(f);

	if (since(to_ns, then) < answer_ns(c, f, &c->dir[!dir]))
		return 0;
	return since(to_ns, most(then, from_ns));
}

bool na_tcp_resends(const struct na_tcp_conn *c, unsigned dir,
		    const struct na_packet *p)
{
	return (p->payload_bytes > 0 || p->flags & TAKES_ONE) &&
	       na_tcp_before(p->seq, c->dir[dir].next_seq);
}

/* One or two segments may wait for a delayed acknowledgement (RFC 1122,
 * 4.2.3.2), which comes within the least timeout. */
static int64_t patience_ns(const struct na_tcp_conn *c,
			   const struct na_tcp_dir *f,
			   const struct na_tcp_dir *r)
{
	uint32_t full = f->trail.full ? f->trail.full : NA_TRAIL_SMALL;
	int64_t ns = answer_ns(c, f, r);

	return f->next_seq - r->last_ack > 2 * full ? ns
						    : most(ns, LEAST_RTO_NS);
}

/* At most: timeouts double.  Who says nothing for longer waits for none. */
static int64_t next_rto_ns(const struct na_tcp_dir *f)
{
	int64_t longest = f->rare ? f->rare->longest_timeout_ns : 0;

	return 2 * most(FIRST_RTO_NS, longest);
}

bool na_tcp_is_overdue(struct na_tcp_conn *c, unsigned dir, int64_t now_ns)
{
	struct na_tcp_dir *f = &c->dir[dir], *r = &c->dir[!dir];
	int64_t ns = since(now_ns, waits_since(f));
	bool fin = f->saw_fin && r->last_ack + 1 == f->fin_next;

	return r->last_ack && !fin && ns >= patience_ns(c, f, r) &&
	       ns <= next_rto_ns(f);
}

void na_tcp_stall_end(struct na_tcp_conn *c)
{
	for (unsigned i = 0; i < 2; i++) {
		open_zero(&c->dir[i], c->newest_ns);
		open_full(&c->dir[i], c->newest_ns);
		mended(&c->dir[i], c->dir[i].again_ns);
	}
}
