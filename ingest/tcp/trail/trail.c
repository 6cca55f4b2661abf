#include "ingest/tcp/trail/trail.h"

#include <stdlib.h>
#include <string.h>

enum {
	NEAR = NA_TRAIL_NEAR, /* steps of IDs that count up, */
	FAR_BACK = 8192,      /* and how far back a copy may lie */
	MOST_MISSING = 15,    /* IDs, before a tail that was lost */
	REORDER_NS = 3000000  /* while no round trip is known */
};

/* What lies between a segment and its repeat, where nothing else calls for
 * it: a little less than the usual minimum of the timer. */
static const int64_t timer_ns = INT64_C(150000000);

/* A copy comes not much later than what it is one of. */
static const int64_t copied_ns = INT64_C(200000000);

static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0; /* RFC 1982 */
}

static struct na_trail_late *late_of(struct na_trail *f,
				     struct na_trail_room *room)
{
	if (!f->late && room->most - room->used >= sizeof(*f->late)) {
		f->late = calloc(1, sizeof(*f->late));
		room->used += f->late ? sizeof(*f->late) : 0;
		if (f->late && f->una_known && !before(f->una, f->longest_end))
			f->late->arrived_before = f->longest;
	}
	return f->late;
}

/* Room for one more; false: the oldest has to go. */
static bool grow(void *p, uint32_t *cap, size_t size,
		 struct na_trail_room *room)
{
	size_t more = *cap ? *cap : 4;
	void *old, *v;

	memcpy(&old, p, sizeof(old));
	if (*cap + more > NA_TRAIL_MOST ||
	    more * size > room->most - room->used)
		return false;
	v = realloc(old, (*cap + more) * size);
	if (!v)
		return false;
	memcpy(p, &v, sizeof(v));
	*cap += (uint32_t)more;
	room->used += more * size;
	return true;
}

void na_trail_fini(struct na_trail *f, struct na_trail_room *room)
{
	struct na_trail_late *l = f->late;

	if (l) {
		room->used -= sizeof(*l) + l->cap_gap * sizeof(*l->gap) +
			      l->cap_again * sizeof(*l->again) +
			      (l->lengths ? sizeof(*l->lengths) : 0);
		free(l->lengths);
		free(l->gap);
		free(l->again);
		free(l);
	}
	if (f->recent)
		room->used -= NA_TRAIL_RECENT * sizeof(*f->recent);
	free(f->recent);
	memset(f, 0, sizeof(*f));
}

/* ---- bytes that were not seen */

static void drop_gap(struct na_trail_late *l, size_t i)
{
	l->n_gap--;
	memmove(l->gap + i, l->gap + i + 1, (l->n_gap - i) * sizeof(*l->gap));
}

static void put_gap(struct na_trail_late *l, struct na_trail_room *room,
		    size_t i, struct na_trail_gap g)
{
	if (l->n_gap == l->cap_gap &&
	    !grow(&l->gap, &l->cap_gap, sizeof(*l->gap), room)) {
		if (!l->n_gap)
			return;
		drop_gap(l, 0);
		i -= i > 0;
	}
	memmove(l->gap + i + 1, l->gap + i, (l->n_gap - i) * sizeof(*l->gap));
	l->gap[i] = g;
	l->n_gap++;
}

static bool overlaps(const struct na_trail_gap *g, uint32_t seq, uint32_t end)
{
	return before(seq, g->to) && before(g->from, end);
}

/* The hole that seq..end is in; NULL: all of it was seen. */
static const struct na_trail_gap *hole(const struct na_trail *f, uint32_t seq,
				       uint32_t end)
{
	for (size_t i = 0; f->late && i < f->late->n_gap; i++)
		if (overlaps(&f->late->gap[i], seq, end))
			return &f->late->gap[i];
	return NULL;
}

/* seq..end is seen now. */
static void fill(struct na_trail_late *l, struct na_trail_room *room,
		 uint32_t seq, uint32_t end)
{
	for (size_t i = 0; i < l->n_gap; i++) {
		struct na_trail_gap *g = &l->gap[i], rest = *g;

		if (!overlaps(g, seq, end))
			continue;
		if (before(g->from, seq)) {
			g->to = seq;
			rest.from = end;
			if (before(end, rest.to)) {
				l->capture_holes += rest.acked && !rest.before;
				put_gap(l, room, ++i, rest);
			}
		} else if (before(end, g->to)) {
			g->from = end;
		} else {
			if (g->acked && !g->before && l->capture_holes > 0)
				l->capture_holes--; /* only recorded late */
			drop_gap(l, i--);
		}
	}
}

/* ---- numbers */

/* What one record stands for, where the card cuts segments. */
static uint32_t packets_of(const struct na_trail *f, uint32_t bytes)
{
	if (!f->full || bytes <= f->full)
		return 1;
	return (bytes + f->full - 1) / f->full;
}

static void count_step(struct na_trail *f, int step)
{
	if (step == 1)
		f->exact_steps++;
	else if (step <= NEAR && step >= -FAR_BACK)
		f->near_steps++;
	else
		f->far_steps++;
}

/* Without a SYN nobody says how large packets are: the IDs that a record
 * took do.  0: they do not. */
static uint32_t full_by_ids(const struct na_trail *f, int step)
{
	uint32_t bytes = f->last_bytes;

	if (f->full || step < 2 || step > 64 || bytes < 2000)
		return 0;
	bytes = (bytes + (uint32_t)step - 1) / (uint32_t)step;
	return bytes >= 500 && bytes <= 9000 ? bytes : 0;
}

static void learn_full(struct na_trail *f, int step)
{
	uint32_t full = full_by_ids(f, step);

	if (!full)
		return;
	f->full = full;
	f->segments += packets_of(f, f->last_bytes) - 1;
}

/* IDs of 0 are those of who does not count. */
static void look_at_id(struct na_trail *f, const struct na_packet *p,
		       struct na_trail_look *look)
{
	if (!p->ip_id || p->flags & (NA_TCP_SYN | NA_TCP_RST))
		return;
	look->step = f->id_known ? (int16_t)(p->ip_id - f->id) : 0;
	look->is_new = !f->id_known || look->step > 0 || look->step < -FAR_BACK;
}

static bool has_recent(const struct na_trail *f, const struct na_packet *p,
		       uint32_t end)
{
	for (size_t i = 0; f->recent && i < NA_TRAIL_RECENT; i++) {
		const struct na_trail_recent *x = &f->recent[i];

		/* The card may have cut what was recorded whole. */
		if (!before(p->seq, x->seq) && !before(x->end, end) &&
		    x->ts == p->ts_value && x->time_ns &&
		    p->time_ns - x->time_ns <= copied_ns)
			return true;
	}
	return false;
}

/* The last packet once more, with its ID and clock, or one of those just before
 * it: what is sent again has others, also where few packets have shown how IDs
 * count. */
static bool is_twin(const struct na_trail *f, const struct na_packet *p,
		    const struct na_trail_look *look)
{
	enum { JUST_BEFORE = 16 };

	if (p->time_ns - f->last_ns > copied_ns ||
	    (p->has_timestamps && f->ts_known && before(f->ts, p->ts_value)))
		return false;
	/* Who does not count may write the same number on all. */
	if (p->ip_id == f->id)
		return look->end == f->hi &&
		       p->payload_bytes == f->last_bytes &&
		       (!p->has_timestamps ||
			(f->ts_known && p->ts_value == f->ts));
	return look->step < 0 && look->step >= -JUST_BEFORE;
}

/* By its ID, which lies before the newest.  So far as IDs are not proven to
 * count, its timestamp has to agree. */
static bool is_older(const struct na_trail *f, const struct na_packet *p,
		     const struct na_trail_look *look)
{
	if (na_trail_has_ids(f) || is_twin(f, p, look))
		return true;
	return !f->far_steps && f->exact_steps + f->near_steps < 4 &&
	       p->has_timestamps && f->ts_known && !before(f->ts, p->ts_value);
}

bool na_trail_is_copy(struct na_trail *f, const struct na_packet *p,
		      struct na_trail_look *look)
{
	uint32_t fin = p->flags & NA_TCP_FIN ? 1 : 0;
	bool payload = p->payload_bytes + fin > 0;
	bool old;

	*look = (struct na_trail_look){
		.end = p->seq + p->payload_bytes + fin,
		.packets = packets_of(f, p->payload_bytes),
	};
	look_at_id(f, p, look);
	if (!f->hi_known || p->flags & NA_TCP_RST)
		return false;
	if (p->flags & NA_TCP_SYN) { /* the timer for it is a second */
		look->copy = f->start_known && f->start == p->seq + 1 &&
			     p->time_ns - f->last_ns <= copied_ns;
	} else if (p->ip_id) {
		old = !look->is_new && f->id_known &&
		      is_older(f, p, look);
		if (payload)
			look->copy = old && before(p->seq, f->hi) &&
				     !hole(f, p->seq, look->end);
		else
			look->copy = old;
	} else if (payload && p->has_timestamps && before(p->seq, f->hi)) {
		/* What is sent again carries the clock of now. */
		look->copy = !hole(f, p->seq, look->end) &&
			     ((f->ts_known && before(p->ts_value, f->ts)) ||
			      has_recent(f, p, look->end));
	}
	f->copies += look->copy;
	return look->copy;
}

/* An ACK may settle something. */
static bool waits(const struct na_trail *f)
{
	const struct na_trail_late *l = f->late;

	return f->beyond ||
	       (l && (l->n_open > 0 || l->run > 0 ||
		      (l->n_gap > 0 && !l->gap[l->n_gap - 1].acked)));
}

/* ---- sent */

static void remember(struct na_trail *f, struct na_trail_room *room,
		     const struct na_packet *p, uint32_t end)
{
	const size_t size = NA_TRAIL_RECENT * sizeof(*f->recent);

	if (!f->recent && room->most - room->used >= size) {
		f->recent = calloc(NA_TRAIL_RECENT, sizeof(*f->recent));
		room->used += f->recent ? size : 0;
	}
	if (!f->recent)
		return;
	f->recent[f->recent_at % NA_TRAIL_RECENT] =
		(struct na_trail_recent){p->time_ns, p->seq, end, p->ts_value};
	f->recent_at++;
}

/* Was it sent again, or only late? */
static bool is_resend(const struct na_trail *f, const struct na_packet *p,
		      const struct na_trail_look *look,
		      const struct na_trail_gap *in, int64_t rtt_ns)
{
	int64_t most = rtt_ns > 0 ? rtt_ns / 5 * 4 : REORDER_NS;
	bool young = in && p->time_ns - in->time_ns < most;

	if (p->ip_id && na_trail_has_ids(f))
		return look->is_new;
	if (p->has_timestamps && f->ts_known && p->ts_value != f->ts)
		return before(f->ts, p->ts_value);
	return !young;
}

static void put_again(struct na_trail_late *l, struct na_trail_room *room,
		      const struct na_trail_again *a)
{
	l->all_again += a->packets;
	if (l->n_again == l->cap_again &&
	    !grow(&l->again, &l->cap_again, sizeof(*l->again), room)) {
		if (!l->n_again)
			return;
		l->n_open -= l->again[0].state == NA_AGAIN_OPEN;
		l->n_again--;
		memmove(l->again, l->again + 1, l->n_again * sizeof(*l->again));
	}
	l->again[l->n_again++] = *a;
	l->n_open += a->state == NA_AGAIN_OPEN;
}

/* How often the same bytes went out, while nothing was acknowledged. */
static void count_run(struct na_trail_late *l, const struct na_packet *p)
{
	if (l->run && l->run_seq == p->seq) {
		l->run++;
		return;
	}
	if (l->run && before(l->run_seq, p->seq))
		return;
	l->run_seq = p->seq;
	l->run_bytes = p->payload_bytes;
	l->run_ns = p->time_ns;
	l->run = 1;
}

/* The event that p, sent again, is of: what is sent behind the end of the last
 * one may be lost anew. */
static uint32_t event_of(const struct na_trail *f, struct na_trail_late *l,
			 const struct na_packet *p)
{
	const uint32_t window_most = 1u << 30; /* RFC 7323 */
	uint32_t left = l->event_end - p->seq;

	if (!l->event || left == 0 || left > window_most) {
		l->event++;
		l->event_end = f->hi;
	}
	return l->event;
}

/* Which transmission the one at hand will be. */
static uint32_t next_number(const struct na_trail_late *l)
{
	return l && l->lengths ? l->lengths->next : 0;
}

static void note_length(struct na_trail *f, struct na_trail_room *room,
			const struct na_packet *p, bool again)
{
	struct na_trail_late *l = f->late;

	/* Lists of holes need room, too. */
	if (!l->lengths && room->most / 2 >= room->used + sizeof(*l->lengths)) {
		l->lengths = calloc(1, sizeof(*l->lengths));
		room->used += l->lengths ? sizeof(*l->lengths) : 0;
	}
	if (l->lengths)
		na_lengths_sent(l->lengths, p->seq, p->seq + p->payload_bytes,
				f->una, again);
}

static void send_late(struct na_trail *f, struct na_trail_room *room,
		      const struct na_packet *p,
		      const struct na_trail_look *look, int64_t rtt_ns,
		      bool shut, int64_t silent_ns)
{
	const struct na_trail_gap *in = hole(f, p->seq, look->end);
	bool again = is_resend(f, p, look, in, rtt_ns);
	struct na_trail_late *l = late_of(f, room);
	struct na_trail_again a = {
		.time_ns = p->time_ns,
		.silent_ns = f->over ? 0 : silent_ns,
		.seq = p->seq,
		.end = look->end,
		.ts = p->ts_value,
		.packets = f->over ? 0 : (uint16_t)look->packets,
		.number = next_number(l),
		.has_ts = p->has_timestamps,
		.fills = in && !in->earlier,
	};

	if (!l)
		return;
	if (!again) {
		/* What was acknowledged before came late into the file. */
		l->reordered += in && !in->acked;
	} else if (!shut) {
		count_run(l, p);
		l->n_sent_again++;
		a.event = event_of(f, l, p);
		if (f->una_known && !before(f->una, look->end)) {
			a.state = NA_AGAIN_NEEDLESS;
			l->needless += a.packets;
			l->vain_timeouts += a.silent_ns > 0;
		}
		put_again(l, room, &a);
	}
	if (in)
		fill(l, room, p->seq, look->end);
}

/* New bytes right behind the last: were these lost once, unseen? */
static void look_for_tail(struct na_trail *f, struct na_trail_room *room,
			  const struct na_packet *p,
			  const struct na_trail_look *look, int64_t rtt_ns)
{
	bool after = f->heard_data; /* it may only now have been called for */
	int64_t since = after ? f->heard_ns : f->last_ns;
	int64_t pause = p->time_ns - since;
	struct na_trail_late *l;

	if (look->step < 2 || look->step > MOST_MISSING + 1 ||
	    !na_trail_counts_ids(f) || rtt_ns <= 0 ||
	    pause <= (after ? rtt_ns + timer_ns : rtt_ns) || !f->last_whole ||
	    f->moved)
		return;
	l = late_of(f, room);
	if (!l)
		return;
	l->tail_losses++;
	l->tail_ns += since < f->since_ns ? p->time_ns - f->since_ns : pause;
}

/* No ID is missing before p, or nobody says so and nothing was heard yet: the
 * capture began while bytes were sent again. */
static bool is_earlier(const struct na_trail *f, const struct na_packet *p,
		       const struct na_trail_look *look)
{
	if (f->start_known)
		return false;
	if (!p->ip_id || !f->id_known)
		return !f->una_known;
	return look->step == 1 || full_by_ids(f, look->step) > 0;
}

/* What lies before p was sent, and not seen. */
static void skip_to(struct na_trail *f, struct na_trail_room *room,
		    const struct na_packet *p, const struct na_trail_look *look)
{
	struct na_trail_late *l = late_of(f, room);
	bool earlier = is_earlier(f, p, look);

	if (l)
		put_gap(l, room, l->n_gap,
			(struct na_trail_gap){f->hi, p->seq, p->time_ns, false,
					      earlier, earlier});
	f->hi = p->seq;
	f->moved = false;
}

static void send_bytes(struct na_trail *f, struct na_trail_room *room,
		       const struct na_packet *p,
		       const struct na_trail_look *look, int64_t rtt_ns,
		       bool shut, int64_t silent_ns)
{
	bool probe = p->payload_bytes <= 1 && !(p->flags & NA_TCP_FIN);

	if (!f->hi_known) {
		f->hi = look->end;
		f->hi_known = true;
		f->moved = false;
		return;
	}
	if (probe && (shut || p->seq == f->hi - 1))
		return; /* of a closed window, or keep-alive */
	if (before(p->seq, f->hi)) {
		send_late(f, room, p, look, rtt_ns, shut, silent_ns);
	} else if (p->seq == f->hi) {
		look_for_tail(f, room, p, look, rtt_ns);
	} else {
		skip_to(f, room, p, look);
	}
	if (before(f->hi, look->end)) {
		f->hi = look->end;
		f->moved = false;
	}
}

static void take_syn(struct na_trail *f, struct na_trail_room *room,
		     const struct na_packet *p)
{
	if (f->start_known && f->start == p->seq + 1) {
		struct na_trail_late *l = late_of(f, room);

		if (l)
			l->syns_again++;
		return;
	}
	f->start = p->seq + 1;
	f->start_known = true;
	f->hi = f->una = f->start + p->payload_bytes;
	f->hi_known = f->una_known = true;
	f->moved = false;
}

static void take_id(struct na_trail *f, struct na_trail_room *room,
		    const struct na_packet *p, const struct na_trail_look *look)
{
	bool pure = p->payload_bytes == 0 && !(p->flags & NA_TCP_FIN);

	if (!p->ip_id || p->flags & (NA_TCP_SYN | NA_TCP_RST))
		return;
	if (f->id_known && look->step != 0)
		count_step(f, look->step);
	if (pure && look->step > 1 && look->step <= MOST_MISSING + 1 &&
	    na_trail_counts_ids(f) && p->seq == f->hi && f->last_whole) {
		struct na_trail_late *l = late_of(f, room);

		if (l)
			l->acks_missing += (uint64_t)look->step - 1;
	}
	if (!look->is_new)
		return;
	learn_full(f, look->step);
	f->id = (uint16_t)(p->ip_id + look->packets - 1);
	f->id_known = true;
}

void na_trail_send(struct na_trail *f, struct na_trail_room *room,
		   const struct na_packet *p, const struct na_trail_look *look,
		   int64_t rtt_ns, bool shut, int64_t silent_ns)
{
	bool old = f->hi_known && before(p->seq, f->hi);

	if (p->flags & NA_TCP_RST)
		return;
	f->segments += p->payload_bytes ? look->packets : 0;
	if (p->payload_bytes > f->longest && !old) {
		f->longest = p->payload_bytes;
		f->longest_end = p->seq + p->payload_bytes;
	}
	if (p->flags & NA_TCP_SYN)
		take_syn(f, room, p);
	else if (look->end != p->seq)
		send_bytes(f, room, p, look, rtt_ns, shut, silent_ns);
	else if (f->hi_known && before(f->hi, p->seq))
		skip_to(f, room, p, look);
	if (f->late && p->payload_bytes)
		note_length(f, room, p, old);
	take_id(f, room, p, look);
	if (!p->ip_id && p->has_timestamps && look->end != p->seq)
		remember(f, room, p, look->end);
	if (p->has_timestamps && (!f->ts_known || before(f->ts, p->ts_value))) {
		f->ts = p->ts_value;
		f->ts_known = true;
	}
	f->last_whole = !f->full ? p->payload_bytes < 2000
				 : p->payload_bytes <= f->full;
	f->last_bytes = p->payload_bytes;
	f->last_ns = p->time_ns;
	f->heard_data = false;
	f->waits = waits(f);
}

/* ---- heard */

/* Acknowledged bytes that nobody saw. */
static void ack_gaps(struct na_trail_late *l, uint32_t ack)
{
	for (size_t i = l->n_gap; i-- > 0;) {
		if (before(ack, l->gap[i].to))
			continue;
		if (l->gap[i].acked)
			return; /* and so are those before */
		l->gap[i].acked = true;
		l->capture_holes += !l->gap[i].before;
	}
}

/* The ACK is ahead of all that was seen. */
static void ack_unseen(struct na_trail *f, struct na_trail_room *room,
		       const struct na_packet *p)
{
	struct na_trail_late *l = late_of(f, room);

	if (l) {
		l->capture_holes++;
		put_gap(l, room, l->n_gap,
			(struct na_trail_gap){f->hi, p->ack, p->time_ns, true,
					      false, false});
	}
	f->hi = p->ack;
	f->moved = true;
}

static bool tells_beyond(const struct na_packet *p)
{
	for (unsigned i = 0; i < p->n_sack; i++)
		if (before(p->ack, p->sack[i].right))
			return true;
	return false;
}

void na_trail_on_ack(struct na_trail *f, struct na_trail_room *room,
		     const struct na_packet *p, int64_t leg_ns)
{
	struct na_trail_late *l = f->late;

	if (p->payload_bytes > 0) {
		f->heard_data = true;
		f->heard_ns = p->time_ns;
	}
	if (!(p->flags & NA_TCP_ACK) || p->flags & NA_TCP_RST || !f->hi_known)
		return;
	if (p->n_sack > 0 && na_trail_tells_twice(f, p)) {
		l = late_of(f, room);
		if (l)
			na_trail_take_dsack(l, p);
	}
	f->beyond = tells_beyond(p);
	f->waits = waits(f);
	if (f->una_known && !before(f->una, p->ack)) {
		l = f->beyond ? late_of(f, room) : f->late;
		if (l)
			na_trail_note_passing(f, l, p);
		return;
	}
	if (before(f->hi, p->ack))
		ack_unseen(f, room, p);
	l = f->late;
	if (l) {
		l->run = 0;
		na_trail_forget_passing(l);
		if (l->n_open > 0)
			na_trail_settle_acked(f, l, p, leg_ns);
		if (l->n_gap > 0)
			ack_gaps(l, p->ack);
	}
	f->una = p->ack;
	f->una_known = true;
	f->waits = waits(f);
}
