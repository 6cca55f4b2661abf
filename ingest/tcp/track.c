#include "ingest/tcp/track.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/tcp/clock.h"
#include "ingest/tcp/marks.h"
#include "ingest/tcp/stretch.h"
#include "ingest/tcp/talk.h"
#include "ingest/tcp/tell.h"
#include "ingest/tcp/window.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

const struct na_tcp_limits na_tcp_limits = {
	.connections = 1 << 18,
	.segments = 1 << 19,
	.kept = 1 << 14,
};

enum {
	COUNTED = NA_SEG_RETRANSMIT | NA_SEG_OUT_OF_ORDER | NA_SEG_LOST_BEFORE |
		  NA_SEG_DUPLICATE_ACK | NA_SEG_ZERO_WINDOW |
		  NA_SEG_WINDOW_FULL | NA_SEG_KEEP_ALIVE |
		  NA_TCP_MARK_ZERO_PROBE,
	RTT_PAGES = 1 << 15,
	RTT_PAGES_EACH = 1, /* more, for each connection */
	TRAIL_BYTES = 12 << 20,
	PORTS = 1 << 14,   /* hosts with counts of their own, nearly all */
	FINISHED = 2048,   /* wait for late packets */
	FRESH_SHARE = 8,   /* of the limit, those of one side only */
	FRESH_PACKETS = 4, /* one side may be all that passes here */
	CE = 3,
	REMARKABLE = NA_TCP_SYN | NA_TCP_FIN | NA_TCP_RST | NA_TCP_ECE |
		     NA_TCP_CWR
};

/* Where the numbers of a direction begin whose SYN was not seen: bytes may
 * come to light that lie before the first. */
#define MID_STREAM ((int64_t)1 << 32)

struct na_tcp {
	struct na_tcp_options o;
	int64_t lowest_ns, highest_ns; /* times that can be told */
	struct na_tcp_table table;
	struct na_tcp_pools pools;
	struct na_tcp_teller teller;
	uint64_t packets, evicted, outside;
	uint32_t file;	    /* that packets come from */
	int64_t *newest_ns; /* by file: of all its packets */
	struct na_tcp_port *ports; /* by hash: few hosts share one */
	bool ending;	    /* no more of them come */
	uint32_t next_id;
};

struct na_tcp *na_tcp_new(const struct na_tcp_options *o)
{
	struct na_tcp *t = calloc(1, sizeof(*t));
	size_t files = o->files ? o->files : 1;

	if (!t)
		return NULL;
	t->o = *o;
	if (!o->windowed) {
		t->o.from_ns = INT64_MIN;
		t->o.to_ns = INT64_MAX;
	}
	na_reach(o->zero_ns, &t->lowest_ns, &t->highest_ns);
	t->pools.cells.most = o->limits->segments;
	t->pools.pages.most = RTT_PAGES;
	t->pools.room.most = TRAIL_BYTES;
	t->teller = (struct na_tcp_teller){
		.sink = o->sink,
		.addresses = o->addresses,
		.zero_ns = o->zero_ns,
		.most = o->wants & NA_WANT_CONNECTIONS ? o->limits->kept : 0,
		.wanted = o->wants & NA_WANT_CONNECTIONS,
	};
	t->newest_ns = na_calloc(files, sizeof(*t->newest_ns));
	t->ports = na_calloc(PORTS, sizeof(*t->ports));
	if (!t->newest_ns || !t->ports || !na_tcp_table_init(&t->table)) {
		free(t->newest_ns);
		free(t->ports);
		free(t);
		return NULL;
	}
	for (size_t i = 0; i < files; i++)
		t->newest_ns[i] = INT64_MIN;
	return t;
}

void na_tcp_from(struct na_tcp *t, uint32_t file)
{
	t->file = file;
}

static enum na_status tell(struct na_tcp *t, struct na_tcp_conn *c,
			   bool evicted, uint64_t calls)
{
	na_tcp_stall_end(c);
	for (unsigned i = 0; i < 2; i++)
		na_tcp_stretch_end(&c->dir[i]);
	return na_tcp_tell(&t->teller, c, evicted, calls - c->calls_before);
}

/* The first packet of c in the window, or what comes behind it. */
static void enter(struct na_tcp *t, struct na_tcp_conn *c, uint64_t calls)
{
	c->when = NA_TCP_WITHIN;
	if (c->dir[0].packets + c->dir[1].packets > 0)
		na_tcp_count_from(c, &t->pools, t->o.from_ns, calls);
}

/* What is outstanding when the window ends. */
static bool await(struct na_tcp_conn *c, int64_t from_ns, int64_t to_ns)
{
	for (unsigned i = 0; i < 2; i++) {
		struct na_tcp_dir *d = &c->dir[i];

		d->awaits = na_tcp_awaits(c, i);
		d->awaited = d->next_seq;
		d->wait_ns = d->awaits ? na_tcp_wait_ns(c, i, from_ns, to_ns)
				       : 0;
		d->awaits &= d->wait_ns > 0;
	}
	return c->dir[0].awaits || c->dir[1].awaits;
}

static void stall(struct na_tcp_conn *c, unsigned dir, int64_t to_ns,
		  bool resent)
{
	c->dir[dir].stalled_ns = c->dir[dir].wait_ns;
	c->dir[dir].resent = resent;
	c->dir[dir].awaits = false;
	c->stalled_to_ns = to_ns;
}

/* p, from side dir, comes behind the window. */
static void settle(struct na_tcp_conn *c, unsigned dir,
		   const struct na_packet *p, int64_t to_ns)
{
	struct na_tcp_dir *f = &c->dir[dir], *r = &c->dir[!dir];

	if (p->flags & NA_TCP_RST)
		f->awaits = r->awaits = false;
	if (f->awaits && na_tcp_before(p->seq, f->awaited) &&
	    na_tcp_resends(c, dir, p))
		stall(c, dir, to_ns, true);
	if (p->flags & NA_TCP_ACK && !na_tcp_before(p->ack, r->awaited))
		r->awaits = false;
}

/* No packet comes any more: of the window, or of the capture, which ends for c
 * where the file does that its last packet is from. */
static void await_end(struct na_tcp *t, struct na_tcp_conn *c)
{
	int64_t newest_ns = t->newest_ns[c->file];
	int64_t to_ns = newest_ns < t->o.to_ns ? newest_ns : t->o.to_ns;

	if (c->when != NA_TCP_BEHIND &&
	    (to_ns <= t->o.from_ns || !await(c, t->o.from_ns, to_ns)))
		return;
	for (unsigned i = 0; i < 2; i++)
		if (c->dir[i].awaits && na_tcp_is_overdue(c, i, newest_ns))
			stall(c, i, to_ns, false);
}

/* Over, or no longer followed: user and sink are told, all of it goes. */
static enum na_status end(struct na_tcp *t, uint32_t at, bool evicted)
{
	struct na_tcp_conn *c = na_tcp_at(&t->table, at);
	enum na_status st = NA_OK;
	uint64_t calls = 0;

	if (t->o.user)
		calls = t->o.user->close(t->o.user->ctx, &c->user, c->id);
	if (t->ending)
		await_end(t, c);
	if (c->when == NA_TCP_BEFORE && c->stalled_to_ns)
		enter(t, c, calls);
	if (c->when == NA_TCP_WITHIN)
		st = tell(t, c, evicted, calls);
	else if (c->held && (!c->silent || c->stalled_to_ns))
		st = na_tcp_tell_held(&t->teller, c);
	t->teller.told -= c->held && c->silent && !c->stalled_to_ns;
	free(c->held);
	t->outside += c->when == NA_TCP_BEFORE ||
		      (c->silent && !c->stalled_to_ns);
	for (unsigned i = 0; i < 2; i++) {
		struct na_tcp_dir *d = &c->dir[i];

		na_flight_fini(&d->flight, &t->pools.cells);
		na_seen_fini(&d->seen, &t->pools.cells);
		na_rtt_fini(&d->rtt, &t->pools.pages);
		na_rtt_fini(&d->ts_rtt, &t->pools.pages);
		na_rtt_fini(&d->far, &t->pools.pages);
		na_rtt_fini(&d->nagle.waits, &t->pools.pages);
		na_trail_fini(&d->trail, &t->pools.room);
		free(d->rare);
		free(d->stretches);
	}
	na_rtt_fini(&c->turns.serve, &t->pools.pages);
	na_tcp_remove(&t->table, at);
	return st;
}

static enum na_status end_all(struct na_tcp *t)
{
	enum na_status st = NA_OK;

	for (unsigned i = 0; i < NA_TCP_LISTS; i++) {
		const struct na_tcp_list *l = &t->table.list[i];

		while (l->n > 0) {
			enum na_status s = end(t, l->oldest, false);

			st = st == NA_OK ? s : st;
		}
	}
	return st;
}

void na_tcp_free(struct na_tcp *t)
{
	if (!t)
		return;
	t->teller.wanted = false;
	end_all(t);
	na_rtt_pages_fini(&t->pools.pages);
	na_tcp_table_fini(&t->table);
	free(t->newest_ns);
	free(t->ports);
	free(t);
}

enum na_status na_tcp_finish(struct na_tcp *t)
{
	t->ending = true;
	return end_all(t);
}

/* Room for one more. */
static enum na_status make_room(struct na_tcp *t)
{
	const struct na_tcp_list *l = t->table.list;
	size_t most = t->o.limits->connections;
	bool full = t->table.used >= most;

	if (l[NA_TCP_FINISHED].n > 0 &&
	    (full || l[NA_TCP_FINISHED].n >= FINISHED))
		return end(t, l[NA_TCP_FINISHED].oldest, false);
	if (l[NA_TCP_FRESH].n > 0 &&
	    (full || l[NA_TCP_FRESH].n >= most / FRESH_SHARE)) {
		t->evicted++;
		return end(t, l[NA_TCP_FRESH].oldest, true);
	}
	if (l[NA_TCP_OPEN].n > 0 && full) {
		t->evicted++;
		return end(t, l[NA_TCP_OPEN].oldest, true);
	}
	return NA_OK;
}

static enum na_status start(struct na_tcp *t, uint32_t hash,
			    const struct na_packet *p, uint32_t *at)
{
	struct na_tcp_conn *c;
	enum na_status st = make_room(t);

	if (st != NA_OK)
		return st;
	*at = na_tcp_insert(&t->table, hash, p);
	if (*at == NA_TCP_NONE)
		return NA_ENOMEM;
	t->pools.pages.most = RTT_PAGES + RTT_PAGES_EACH * t->table.used;
	c = na_tcp_at(&t->table, *at);
	c->id = t->next_id++;
	c->moved = t->packets;
	c->first_ns = c->last_ns = c->newest_ns = p->time_ns;
	c->client = p->flags & NA_TCP_SYN ? (p->flags & NA_TCP_ACK) != 0
					  : p->src_port < p->dst_port;
	for (unsigned i = 0; i < 2; i++) {
		struct na_tcp_dir *d = &c->dir[i];

		/* The key is always the same: what is told depends on it. */
		d->port = &t->ports[na_hash_address(0, &c->end[i]) % PORTS];
		d->window = UINT32_MAX;
		d->scale = -1;
		d->shift = -1;
		d->flight_valid = true;
		d->min_window = UINT32_MAX;
		d->trail.since_ns = INT64_MIN;
		na_flight_init(&d->flight);
	}
	return NA_OK;
}

static void place(struct na_tcp_dir *d, uint32_t seq, int64_t pos)
{
	d->ref_seq = seq;
	d->ref_pos = pos;
	d->placed = true;
}

/* Unwrapped: within 2^31 of the highest so far. */
static int64_t position(const struct na_tcp_dir *d, uint32_t seq)
{
	return d->ref_pos + (int32_t)(seq - d->ref_seq);
}

static void place_both(struct na_tcp_dir *f, struct na_tcp_dir *r,
		       const struct na_packet *p)
{
	uint8_t syn = p->flags & NA_TCP_SYN;

	if (syn && !f->start_known) {
		if (f->bytes == 0)
			place(f, p->seq, 0);
		f->start_known = true;
	} else if (!f->placed) {
		place(f, p->seq, MID_STREAM + 1);
	}
	if (!(p->flags & NA_TCP_ACK))
		return;
	if (syn && !r->start_known && r->bytes == 0) {
		place(r, p->ack, 1);
		r->start_known = true;
	} else if (!r->placed) {
		place(r, p->ack, MID_STREAM + 1);
	}
}

static void add_bytes(struct na_tcp *t, struct na_tcp_dir *f,
		      const struct na_packet *p, int64_t pos)
{
	int64_t end_pos = pos + p->payload_bytes;

	f->data_packets++;
	f->bytes += p->payload_bytes;
	if (f->seen.n == 0 && pos == f->seen.high &&
	    f->seen.high != f->seen.low) {
		f->seen.high = end_pos;
		f->unique_bytes += p->payload_bytes;
	} else {
		f->unique_bytes += na_seen_add(&f->seen, &t->pools.cells, pos,
					       end_pos);
	}
	if (end_pos > f->ref_pos)
		place(f,
		      p->seq + (p->flags & NA_TCP_SYN ? 1 : 0) +
			      p->payload_bytes,
		      end_pos);
}

static void count_marks(struct na_tcp_dir *f, uint32_t marks)
{
	struct na_tcp_tally *n;

	if (!(marks & COUNTED) || !na_tcp_rare(f))
		return;
	n = &f->rare->n;
	if (marks & NA_SEG_RETRANSMIT)
		na_tcp_count(&n->retransmissions);
	if (marks & NA_SEG_FAST)
		na_tcp_count(&n->fast);
	if (marks & NA_SEG_TIMEOUT)
		na_tcp_count(&n->timeout);
	if (marks & NA_SEG_SPURIOUS)
		na_tcp_count(&n->spurious);
	if (marks & NA_SEG_OUT_OF_ORDER)
		na_tcp_count(&n->out_of_order);
	if (marks & NA_SEG_LOST_BEFORE)
		na_tcp_count(&n->lost_before);
	if (marks & NA_SEG_KEEP_ALIVE)
		na_tcp_count(&n->keep_alives);
	if (marks & NA_SEG_DUPLICATE_ACK)
		na_tcp_count(&n->duplicate_acks);
	if (marks & NA_SEG_ZERO_WINDOW)
		na_tcp_count(&n->zero_windows);
	if (marks & NA_SEG_WINDOW_FULL)
		na_tcp_count(&n->window_full);
	if (marks & NA_TCP_MARK_ZERO_PROBE)
		na_tcp_count(&n->zero_probes);
}

static void count_signals(struct na_tcp_dir *f, const struct na_packet *p)
{
	/* of a SYN the flags negotiate */
	uint8_t flags = p->flags & NA_TCP_SYN
				? 0
				: p->flags & (NA_TCP_ECE | NA_TCP_CWR);

	if ((p->ecn != CE && p->n_sack == 0 && !flags) || !na_tcp_rare(f))
		return;
	if (p->ecn == CE)
		na_tcp_count(&f->rare->n.ce_marks);
	if (p->n_sack > 0)
		na_tcp_count(&f->rare->n.sack_blocks);
	if (flags & NA_TCP_ECE)
		na_tcp_count(&f->rare->n.ece);
	if (flags & NA_TCP_CWR)
		na_tcp_count(&f->rare->n.cwr);
}

static uint32_t flag_marks(struct na_tcp_dir *f, const struct na_packet *p)
{
	uint32_t marks = 0;

	if (p->ecn == CE)
		marks = NA_SEG_CE;
	if (p->flags & NA_TCP_FIN) {
		f->saw_fin = true;
		f->fin_next = p->seq + p->payload_bytes + 1;
		marks |= NA_SEG_FIN;
	}
	if (p->flags & NA_TCP_RST) {
		f->saw_rst = true;
		marks |= NA_SEG_RST;
	}
	if (p->flags & NA_TCP_SYN) {
		f->saw_syn = true;
		f->shift = p->window_shift > 14
				   ? p->window_shift == UINT8_MAX ? -1 : 14
				   : (int8_t)p->window_shift;
		f->mss = p->mss ? p->mss : f->mss;
		f->sack_permitted = p->sack_permitted;
		return marks | NA_SEG_SYN;
	}
	return marks;
}

static uint32_t scaled_window(struct na_tcp_dir *f, const struct na_tcp_dir *r,
			      const struct na_packet *p)
{
	bool on = f->shift > 0 && (!r->saw_syn || r->shift >= 0) &&
		  !(p->flags & NA_TCP_SYN);
	uint32_t w = (uint32_t)p->window << (on ? f->shift : 0);

	if (p->flags & (NA_TCP_SYN | NA_TCP_RST))
		return w;
	if (w > f->max_window)
		f->max_window = w;
	if (w < f->min_window)
		f->min_window = w;
	return w;
}

/* Is there anybody to tell of it? */
static bool is_needed(const struct na_tcp *t, const struct na_tcp_conn *c,
		      const struct na_packet *p)
{
	if (t->o.wants & NA_WANT_SEGMENTS)
		return true;
	if (!t->o.user)
		return false;
	if (c->needs == NA_TCP_NEEDS_OPENING)
		return p->payload_captured > 0 &&
		       p->payload[0] == t->o.user->opening;
	return p->payload_bytes > 0 || c->needs == NA_TCP_NEEDS_ALL;
}

/* What was sent again, lost before that, or not recorded. */
static uint64_t setbacks(const struct na_trail *f, const struct na_trail *r)
{
	uint64_t n = 0;

	if (f->late)
		n = f->late->n_sent_again + f->late->tail_losses +
		    f->late->syns_again + f->late->capture_holes;
	if (r->late)
		n += r->late->n_sent_again + r->late->tail_losses +
		     r->late->syns_again + r->late->capture_holes;
	return n;
}

static enum na_status tell_packet(struct na_tcp *t, struct na_tcp_conn *c,
				  const struct na_tcp_dir *f,
				  const struct na_tcp_dir *r,
				  const struct na_packet *p, uint32_t marks,
				  uint32_t window)
{
	int64_t pos = position(f, p->seq) + (p->flags & NA_TCP_SYN ? 1 : 0);
	int64_t ack = p->flags & NA_TCP_ACK ? position(r, p->ack) : 0;
	struct na_tcp_packet x = {
		.p = p,
		.connection = c->id,
		.dir = f != c->dir,
		.mid_stream = !f->start_known,
		.seq = (uint64_t)pos,
		.ack = ack > 0 ? (uint64_t)ack : 0,
		.other = r->bytes > 0 && r->ref_pos > 0 ? (uint64_t)r->ref_pos
							: 0,
		.window_bytes = window,
		.marks = marks,
		.ends = {&c->end[0], &c->end[1]},
		.ports = {c->port[0], c->port[1]},
		.setbacks = setbacks(&f->trail, &r->trail),
		.leg_ns = {na_tcp_least_leg(&c->dir[0]),
			   na_tcp_least_leg(&c->dir[1])},
		.needs = &c->needs,
	};
	enum na_status st = NA_OK;

	if (t->o.wants & NA_WANT_SEGMENTS && c->id == t->o.segments_of)
		st = na_tcp_tell_segment(&t->teller, &x,
					 r->placed ? r : NULL);
	/* Bytes from before the connection are no part of its stream. */
	if (st == NA_OK && t->o.user && (pos >= 0 || p->payload_bytes == 0)) {
		if (pos < 0)
			x.seq = 0;
		st = t->o.user->packet(t->o.user->ctx, &c->user, &x);
	}
	return st;
}

/* Which list it is in now. */
static void take_ends(struct na_tcp *t, uint32_t at, unsigned dir,
		      const struct na_packet *p)
{
	struct na_tcp_conn *c = na_tcp_at(&t->table, at);
	struct na_tcp_dir *r = &c->dir[!dir];

	if (r->saw_fin && p->flags & NA_TCP_ACK &&
	    !na_tcp_before(p->ack, r->fin_next))
		r->fin_acked = true;
	if (c->in != NA_TCP_FINISHED &&
	    ((c->dir[0].fin_acked && c->dir[1].fin_acked) ||
	     p->flags & NA_TCP_RST))
		na_tcp_move(&t->table, at, NA_TCP_FINISHED);
	else if (c->in == NA_TCP_FRESH &&
		 (r->packets > 0 || c->dir[dir].packets >= FRESH_PACKETS))
		na_tcp_move(&t->table, at, NA_TCP_OPEN);
}

static void take_time(struct na_tcp_conn *c, int64_t now)
{
	if (now >= c->newest_ns) {
		c->newest_ns = now;
	} else {
		c->disordered |= now < c->last_ns;
		if (now < c->first_ns)
			c->first_ns = now;
	}
	c->last_ns = now;
}

/* What a packet of either side holds at most: what both SYNs say. */
static void take_mss(struct na_tcp_dir *f, struct na_tcp_dir *r,
		     const struct na_packet *p)
{
	uint32_t full = r->mss && r->mss < p->mss ? r->mss : p->mss;

	if (p->flags & NA_TCP_ACK && p->has_timestamps && full > 100)
		full -= 12; /* RFC 6691: options come out of it */
	f->trail.full = r->trail.full = full;
}

/* What the trail has made of bytes below the highest. */
static uint32_t retransmit_kind(const struct na_trail *f, uint64_t again,
				uint64_t late)
{
	if (!f->late)
		return 0;
	if (f->late->n_sent_again > again)
		return NA_SEG_AGAIN;
	return f->late->reordered > late ? NA_SEG_LATE : 0;
}

/* Marks of p; and what it testifies. */
__attribute__((noinline)) static uint32_t
classify_segment(struct na_tcp *t, struct na_tcp_conn *c, struct na_tcp_dir *f,
		 struct na_tcp_dir *r, const struct na_packet *p,
		 const struct na_trail_look *look)
{
	bool shut = r->packets > 0 && r->window == 0;
	int64_t silent = f->rare ? f->rare->timeout_total_ns : 0, rtt;
	uint64_t again = f->trail.late ? f->trail.late->n_sent_again : 0;
	uint64_t late = f->trail.late ? f->trail.late->reordered : 0;
	uint64_t upset;
	uint32_t hi;
	bool known, fresh;
	uint32_t marks = na_tcp_marks(c, f, r, p, false, &t->pools);

	rtt = c->first_rtt_ns ? c->first_rtt_ns : f->srtt_ns + r->srtt_ns;
	silent = f->rare ? f->rare->timeout_total_ns - silent : 0;
	hi = f->trail.hi;
	known = f->trail.hi_known;
	upset = setbacks(&f->trail, &r->trail);
	na_trail_send(&f->trail, &t->pools.room, p, look, rtt, shut, silent);
	marks |= retransmit_kind(&f->trail, again, late);
	na_trail_on_ack(&r->trail, &t->pools.room, p, na_tcp_least_leg(r));
	c->turns.upset |= setbacks(&f->trail, &r->trail) > upset;
	fresh = p->payload_bytes > 0 &&
		(!known || na_tcp_before(hi, f->trail.hi));
	na_tcp_talk(c, f, r, p, fresh, &t->pools.pages);
	na_tcp_stretch(f, r, p, marks, fresh);
	return marks;
}

/* p from f's side.  Not inlined: gcc would multiply by the size of a direction
 * at each use of one. */
__attribute__((noinline)) static enum na_status
take(struct na_tcp *t, struct na_tcp_conn *c, struct na_tcp_dir *f,
     struct na_tcp_dir *r, const struct na_packet *p, uint32_t marks)
{
	struct na_trail_look look = {.copy = false};
	uint32_t window;

	/* Copies are marked as tshark marks them, and tell nothing else. */
	if (na_trail_plain(&f->trail, &r->trail, p)) {
		marks |= na_tcp_marks(c, f, r, p, false, &t->pools);
		na_tcp_talk(c, f, r, p, p->payload_bytes > 0, &t->pools.pages);
		na_tcp_stretch(f, r, p, marks, true);
	} else if (na_trail_is_copy(&f->trail, p, &look)) {
		marks |= na_tcp_marks(c, f, r, p, true, &t->pools);
	} else {
		marks |= classify_segment(t, c, f, r, p, &look);
	}
	f->packets++;
	f->wire_bytes += p->wire_bytes;
	if (p->flags & NA_TCP_SYN || !f->placed || !r->placed)
		place_both(f, r, p);
	if (p->payload_bytes > 0)
		add_bytes(t, f, p,
			  position(f, p->seq) +
				  (p->flags & NA_TCP_SYN ? 1 : 0));
	if (p->flags & REMARKABLE || p->ecn == CE || p->n_sack > 0) {
		marks |= flag_marks(f, p);
		count_signals(f, p);
	}
	count_marks(f, marks);
	if (p->flags & NA_TCP_SYN && p->mss)
		take_mss(f, r, p);
	if (p->has_timestamps) {
		f->timestamps = true;
		na_tcp_clock_send(f, p);
		if (p->flags & NA_TCP_ACK)
			na_tcp_clock_echo(r, &t->pools.pages, p);
	}
	window = scaled_window(f, r, p);
	take_time(c, p->time_ns);
	return !look.copy && is_needed(t, c, p)
		       ? tell_packet(t, c, f, r, p, marks, window)
		       : NA_OK;
}

/* What was sent again in the window, and what waits at its end, is told with
 * what becomes of it. */
static enum na_status leave(struct na_tcp *t, struct na_tcp_conn *c,
			    uint64_t calls)
{
	bool awaits = await(c, t->o.from_ns, t->o.to_ns);

	if (c->when == NA_TCP_BEFORE && !awaits)
		return NA_OK;
	c->silent = c->when == NA_TCP_BEFORE;
	if (c->silent)
		enter(t, c, calls);
	c->when = NA_TCP_BEHIND;
	if (!awaits && !na_tcp_is_open(c))
		return tell(t, c, false, calls);
	na_tcp_stall_end(c);
	for (unsigned i = 0; i < 2; i++)
		na_tcp_stretch_end(&c->dir[i]);
	na_tcp_count_no_more(c);
	return na_tcp_hold(&t->teller, c, calls - c->calls_before);
}

/* p, from side dir, is the first packet of c in the window, or comes behind
 * it. */
static enum na_status cross(struct na_tcp *t, struct na_tcp_conn *c,
			    unsigned dir, const struct na_packet *p)
{
	const struct na_tcp_user *user = t->o.user;
	bool behind = p->time_ns >= t->o.to_ns;
	enum na_status st = NA_OK;
	uint64_t calls = 0;

	if (p->time_ns < t->o.from_ns)
		return NA_OK;
	if (c->when != NA_TCP_BEHIND && user && user->calls)
		calls = user->calls(user->ctx, c->user);
	if (!behind && c->when == NA_TCP_BEFORE)
		enter(t, c, calls);
	else if (behind && c->when != NA_TCP_BEHIND)
		st = leave(t, c, calls);
	if (behind && (c->dir[0].awaits || c->dir[1].awaits))
		settle(c, dir, p, t->o.to_ns);
	return st;
}

/* p's connection, or NA_TCP_NONE. */
static inline uint32_t find(struct na_tcp *t, const struct na_packet *p,
			    unsigned *dir)
{
	uint32_t at = *na_tcp_recent(&t->table, p->src_port, p->dst_port);

	if (at != NA_TCP_NONE && na_tcp_is(na_tcp_at(&t->table, at), p, dir))
		return at;
	return na_tcp_find(&t->table, na_tcp_hash(&t->table, p), p, dir);
}

static enum na_status packet(struct na_tcp *t, const struct na_packet *p)
{
	unsigned dir = 0;
	uint32_t at = find(t, p, &dir), marks = 0;
	enum na_status st = NA_OK;
	struct na_tcp_conn *c;

	t->packets++;
	if (p->time_ns > t->newest_ns[t->file])
		t->newest_ns[t->file] = p->time_ns;
	if (at == NA_TCP_NONE) {
		st = start(t, na_tcp_hash(&t->table, p), p, &at);
	} else if (na_tcp_begins(na_tcp_at(&t->table, at), dir, p)) {
		st = end(t, at, false);
		if (st == NA_OK)
			st = start(t, na_tcp_hash(&t->table, p), p, &at);
		dir = 0;
		marks = NA_TCP_MARK_REUSED;
	}
	if (st != NA_OK)
		return st;
	c = na_tcp_at(&t->table, at);
	na_tcp_use(&t->table, c, at, t->packets, t->o.limits->connections / 4);
	c->file = t->file;
	if (c->when == NA_TCP_BEFORE || p->time_ns >= t->o.to_ns)
		st = cross(t, c, dir, p);
	if (st == NA_OK)
		st = take(t, c, &c->dir[dir], &c->dir[!dir], p, marks);
	if (c->in != NA_TCP_OPEN || c->dir[!dir].saw_fin ||
	    p->flags & NA_TCP_RST)
		take_ends(t, at, dir, p);
	return st;
}

enum na_status na_tcp_packet(struct na_tcp *t, const struct na_packet *p)
{
	struct na_packet near;

	if (p->time_ns >= t->lowest_ns && p->time_ns <= t->highest_ns)
		return packet(t, p);
	/* Cut, so that no difference of times overflows. */
	near = *p;
	near.time_ns = p->time_ns < t->lowest_ns ? t->lowest_ns : t->highest_ns;
	return packet(t, &near);
}

void na_tcp_counts(const struct na_tcp *t, struct na_capture_counts *c)
{
	c->connections += t->next_id;
	c->connections_outside += t->outside;
	c->connections_evicted += t->evicted;
	c->limits_hit += t->pools.cells.dropped + t->pools.pages.dropped +
			 t->teller.dropped;
}
