/*
 * The analysis rules: those of Wireshark's TCP analysis (User's Guide, 7.5,
 * version 4.0) on packets in time order, written from their description and
 * checked against tshark's answers.  Ours differ in these, by name:
 *
 * "zero is a number": tshark takes a next sequence number of 0 for "none
 *	seen yet"; here that is a flag.
 * "no age below zero": where time steps back from packet to packet, an old
 *	segment is out of order (it was sent before the one that passed it),
 *	not retransmitted, and no round trip is negative.
 * "bounded flight": of more than NA_FLIGHT_MOST unacknowledged segments in
 *	one direction, or when the shared budget is used up, the lowest is
 *	forgotten (counted); its round trip is lost, and the bytes in flight
 *	begin behind it.
 * "flight from before": bytes sent again from before the first packet of a
 *	connection picked up in mid-stream are in flight; tshark shows none.
 * "options cut": a packet whose TCP options the snap length cuts is judged
 *	by its fixed header; tshark gives up on it.
 */
#include "ingest/tcp/marks.h"

enum {
	CONTROL = NA_TCP_SYN | NA_TCP_FIN | NA_TCP_RST,
	TAKES_ONE = NA_TCP_SYN | NA_TCP_FIN, /* a sequence number */
	FAST_NS = 20 * 1000 * 1000,
	REORDER_NS = 3 * 1000 * 1000, /* while no round trip is known */
	MOST_SACKS = 3,
	MOST_IN_FLIGHT = 2000000000
};

#define DUP_ACKS_MANY UINT32_MAX

struct view { /* of one packet */
	const struct na_packet *p;
	uint32_t seq, marks;
	struct na_tcp_conn *c;
	struct na_tcp_dir *f, *r; /* its direction, the reverse one */
	uint32_t len;
};

/* A SYN seen before, or one that answers with another number than known. */
static void again(struct view *v)
{
	struct na_tcp_dir *f = v->f;

	if (!(v->p->flags & NA_TCP_SYN) || !f->base_known)
		return;
	if (!(v->p->flags & NA_TCP_ACK)) {
		f->next_seq = f->most_to_ack;
		f->next_known = f->most_known;
	} else if (v->seq != f->base_seq) {
		f->base_seq = v->seq;
		v->marks |= NA_TCP_MARK_REUSED;
	}
}

static void mark_base(struct view *v)
{
	if (!v->f->base_known) {
		v->f->base_seq = v->p->flags & NA_TCP_SYN ? v->seq : v->seq - 1;
		v->f->base_known = true;
	}
	if (!v->r->base_known && v->p->flags & NA_TCP_ACK) {
		v->r->base_seq = v->p->ack - 1;
		v->r->base_known = true;
	}
}

/* The edge of the window that the other side told last. */
static inline bool fills_window(const struct view *v)
{
	const struct na_tcp_dir *r = v->r;
	int shift = r->first_ack_due || r->scale < 0 ? 0 : r->scale;

	return v->len > 0 && r->scale != -1 && !(v->p->flags & CONTROL) &&
	       v->seq + v->len == r->last_ack + (r->window << shift);
}

/* An empty segment that says nothing new. */
static void mark_repeat(struct view *v)
{
	struct na_tcp_dir *f = v->f;
	uint32_t window = v->p->window;

	if (v->len > 0 || v->p->flags & CONTROL || !f->next_known ||
	    v->seq != f->next_seq || v->p->ack != f->last_ack || window == 0 ||
	    window != f->window)
		return;
	if (v->r->was_keep_alive) {
		v->marks |= NA_TCP_MARK_KEEP_ALIVE_ACK;
		return;
	}
	f->dup_acks = f->dup_acks == DUP_ACKS_MANY ? 1 : f->dup_acks + 1;
	v->marks |= NA_SEG_DUPLICATE_ACK;
}

static void mark_forward(struct view *v)
{
	struct na_tcp_dir *f = v->f;
	uint8_t flags = v->p->flags;

	if (v->len == 1 && f->next_known && v->seq == f->next_seq &&
	    v->r->window == 0) {
		v->marks |= NA_TCP_MARK_ZERO_PROBE;
		return;
	}
	if (v->p->window == 0 && !(flags & CONTROL))
		v->marks |= NA_SEG_ZERO_WINDOW;
	if (f->next_known && na_tcp_before(f->next_seq, v->seq) &&
	    !(flags & NA_TCP_RST)) {
		v->marks |= NA_SEG_LOST_BEFORE;
		f->flight_valid = false; /* until the next ACK */
	}
	if (v->len <= 1 && f->next_known && v->seq == f->next_seq - 1 &&
	    !(flags & CONTROL))
		v->marks |= NA_SEG_KEEP_ALIVE;
	if (fills_window(v))
		v->marks |= NA_SEG_WINDOW_FULL;
	mark_repeat(v);
}

/* An ACK of bytes that were never seen; once for each gap. */
static void mark_ack_lost(struct view *v)
{
	struct na_tcp_dir *r = v->r;

	if (!r->most_known || !(v->p->flags & NA_TCP_ACK) ||
	    !na_tcp_before(r->most_to_ack, v->p->ack))
		return;
	if (na_tcp_before(r->most_to_ack, r->next_seq)) {
		r->most_to_ack = r->next_seq;
		v->marks |= NA_TCP_MARK_ACK_LOST;
		return;
	}
	if (r->dup_acks == 0)
		v->marks |= NA_TCP_MARK_ACK_LOST;
	r->dup_acks = DUP_ACKS_MANY; /* a loss is known of */
}

static bool is_reordered(const struct view *v)
{
	const struct na_tcp_dir *f = v->f;
	int64_t age = v->p->time_ns - f->next_time_ns;
	int64_t most = v->c->first_rtt_ns ? v->c->first_rtt_ns : REORDER_NS;
	uint32_t end = v->seq + v->len + (v->p->flags & TAKES_ONE ? 1 : 0);

	return age < most && end != f->next_seq;
}

static void mark_old(struct view *v)
{
	const struct na_tcp_dir *f = v->f, *r = v->r;
	int64_t since = v->p->time_ns - r->heard_ns;

	if ((v->len == 0 && !(v->p->flags & TAKES_ONE)) ||
	    v->marks & NA_SEG_KEEP_ALIVE)
		return;
	if (v->len > 0 && r->last_ack &&
	    !na_tcp_before(r->last_ack, v->seq + v->len)) {
		v->marks |= NA_SEG_SPURIOUS | NA_SEG_RETRANSMIT;
		return;
	}
	if (!f->next_known || !na_tcp_before(v->seq, f->next_seq) ||
	    (v->len > 1 && v->seq == f->next_seq - 1))
		return;
	if (r->dup_acks >= 2 && r->last_ack == v->seq && since >= 0 &&
	    since < FAST_NS)
		v->marks |= NA_SEG_FAST | NA_SEG_RETRANSMIT;
	else if (is_reordered(v))
		v->marks |= NA_SEG_OUT_OF_ORDER;
	else
		v->marks |= NA_SEG_RETRANSMIT;
}

/* What p leaves behind for the packets after it. */
static void advance(struct view *v, struct na_cells *cells)
{
	struct na_tcp_dir *f = v->f;
	uint32_t one = v->p->flags & TAKES_ONE ? 1 : 0;
	uint32_t next = v->seq + v->len + one;
	bool probe = v->marks & NA_TCP_MARK_ZERO_PROBE;

	if (v->len > 0 || one)
		na_flight_add(&f->flight, cells, v->seq, next, v->p->time_ns);
	if (!probe && (!f->next_known || na_tcp_before(f->next_seq, next))) {
		f->next_seq = next;
		f->next_known = true;
		f->next_time_ns = v->p->time_ns;
	}
	if (!probe && (!f->most_known || v->seq == f->most_to_ack)) {
		f->most_to_ack = f->next_seq;
		f->most_known = true;
	}
	f->window = v->p->window;
	f->last_ack = v->p->ack;
	f->heard_ns = v->p->time_ns;
	f->was_keep_alive = v->marks & NA_SEG_KEEP_ALIVE;
}

static inline void take_ack(struct view *v, struct na_tcp_pools *pools)
{
	int64_t sent_ns, rtt;

	if (v->r->flight.count == 0 ||
	    !na_flight_ack(&v->r->flight, &pools->cells, v->p->ack, &sent_ns))
		return;
	rtt = v->p->time_ns - sent_ns;
	if (rtt <= 0) /* tshark shows none of 0 either */
		return;
	na_rtt_add(&v->r->rtt, &pools->pages, rtt);
	na_tcp_stall_rtt(v->r, sent_ns, rtt);
	v->marks |= NA_TCP_MARK_RTT;
}

static inline void measure_flight(struct view *v)
{
	uint32_t n;

	if (v->len == 0 || !v->f->flight_valid)
		return;
	n = na_flight_span(&v->f->flight) - v->r->sacked_bytes;
	if (n == 0 || n >= MOST_IN_FLIGHT)
		return;
	n -= v->p->flags & TAKES_ONE ? 1 : 0;
	if (n > v->f->max_in_flight)
		v->f->max_in_flight = n;
}

static void take_options(struct view *v)
{
	struct na_tcp_dir *f = v->f, *r = v->r;
	const struct na_packet *p = v->p;

	f->sacked_bytes = 0;
	for (unsigned i = 0; i < p->n_sack && i < MOST_SACKS; i++)
		f->sacked_bytes += p->sack[i].right - p->sack[i].left;
	if (!(p->flags & NA_TCP_SYN)) {
		if (p->flags & NA_TCP_ACK)
			f->first_ack_due = false;
		return;
	}
	if (p->window_shift != UINT8_MAX)
		f->scale = p->window_shift > 14 ? 14 : p->window_shift;
	if (f->scale == -1)
		f->scale = r->scale = -2;
	else if (p->flags & NA_TCP_ACK && r->scale == -2)
		f->scale = -2;
	f->first_ack_due = true;
}

/* From the last SYN to the first ACK without SYN, whoever sends it. */
static void first_rtt(struct view *v)
{
	struct na_tcp_conn *c = v->c;
	uint8_t kind = v->p->flags & (NA_TCP_SYN | NA_TCP_ACK);

	if (kind == NA_TCP_SYN) {
		c->syn_ns = v->p->time_ns;
		c->any_syn = true;
	} else if (kind == NA_TCP_ACK && c->any_syn && c->first_rtt_ns == 0 &&
		   v->p->time_ns > c->syn_ns) {
		c->first_rtt_ns = v->p->time_ns - c->syn_ns;
	}
}

/* The next bytes of a stream, or an ACK that covers more: nothing that any of
 * the rules marks, but for a window that is full. */
static inline bool is_plain(const struct view *v)
{
	const struct na_tcp_dir *f = v->f, *r = v->r;
	const struct na_packet *p = v->p;

	if ((p->flags & (CONTROL | NA_TCP_ACK)) != NA_TCP_ACK ||
	    !f->base_known || !r->base_known || !f->next_known ||
	    !f->most_known || v->seq != f->next_seq || p->window == 0 ||
	    !r->most_known || na_tcp_before(r->most_to_ack, p->ack))
		return false;
	if (v->len == 0)
		return p->ack != f->last_ack || p->window != f->window;
	return v->len > 1 && (int32_t)v->len > 0 &&
	       !(r->last_ack && !na_tcp_before(r->last_ack, v->seq + v->len));
}

static inline void send_plain(struct view *v, struct na_cells *cells)
{
	struct na_tcp_dir *f = v->f;
	int64_t now = v->p->time_ns;
	uint32_t next = v->seq + v->len;

	if (fills_window(v))
		v->marks = NA_SEG_WINDOW_FULL;
	if (v->marks || !na_tcp_stall_is_calm(f, v->r))
		v->marks |= na_tcp_stall_send(v->c, f, v->r, v->p, v->marks);
	else if (now > f->sent_ns)
		f->sent_ns = now;
	na_flight_add(&f->flight, cells, v->seq, next, now);
	if (v->seq == f->most_to_ack)
		f->most_to_ack = next;
	f->next_seq = next;
	f->next_time_ns = now;
}

/* As `na_tcp_marks`, of a plain one. */
static inline void mark_plain(struct view *v, struct na_tcp_pools *pools)
{
	struct na_tcp_dir *f = v->f, *r = v->r;
	const struct na_packet *p = v->p;
	bool advanced = !f->last_ack || na_tcp_before(f->last_ack, p->ack);

	r->flight_valid = true;
	if (p->ack != f->last_ack)
		f->dup_acks = 0;
	if (v->len > 0)
		send_plain(v, &pools->cells);
	f->window = p->window;
	f->last_ack = p->ack;
	f->heard_ns = p->time_ns;
	f->was_keep_alive = false;
	take_ack(v, pools);
	measure_flight(v);
	if (p->n_sack > 0 || !na_tcp_stall_is_open(r)) {
		na_tcp_stall_hear(f, r, p, v->marks, advanced);
	} else if (advanced) {
		r->told_ns = p->time_ns;
		if (r->next_known && !na_tcp_before(p->ack, r->next_seq))
			r->all_acked_ns = p->time_ns;
	}
	if (p->n_sack > 0 || v->c->first_rtt_ns == 0) {
		take_options(v);
		first_rtt(v);
	} else {
		f->sacked_bytes = 0;
		f->first_ack_due = false;
	}
}

uint32_t na_tcp_marks(struct na_tcp_conn *c, struct na_tcp_dir *f,
		      struct na_tcp_dir *r, const struct na_packet *p,
		      bool copy, struct na_tcp_pools *pools)
{
	struct view v = {p, p->seq, 0, c, f, r, p->payload_bytes};
	bool advanced;

	if (is_plain(&v)) {
		mark_plain(&v, pools);
		return v.marks;
	}
	again(&v);
	mark_base(&v);
	if (p->flags & NA_TCP_ACK)
		v.r->flight_valid = true;
	mark_forward(&v);
	if (p->ack != v.f->last_ack)
		v.f->dup_acks = 0;
	mark_ack_lost(&v);
	mark_old(&v);
	if (!copy)
		v.marks |= na_tcp_stall_send(c, f, r, p, v.marks);
	advanced = p->flags & NA_TCP_ACK &&
		   (!v.f->last_ack || na_tcp_before(v.f->last_ack, p->ack));
	advance(&v, &pools->cells);
	take_ack(&v, pools);
	measure_flight(&v);
	if (!copy)
		na_tcp_stall_hear(f, r, p, v.marks, advanced);
	take_options(&v);
	first_rtt(&v);
	return v.marks;
}
