/*
 * What TCP itself testifies of one direction: which packets were recorded
 * twice, which segments were sent again because they were missing, which for
 * nothing, which were only late, and what the capture did not record.
 *
 * The witnesses are the IP IDs, where a sender's count up; the timestamp
 * option (RFC 7323); DSACK (RFC 2883, 3708); and the order in which bytes are
 * sent, seen and acknowledged.
 *
 *	copy         an ID that was there before, with bytes that were seen or
 *	             an ACK that says nothing new; without IDs bytes that were
 *	             seen with an older timestamp than the newest, or the
 *	             timestamp of a segment not long before
 *	sent again   bytes below the highest, with a newer ID (without IDs: a
 *	             newer timestamp; else what does not look reordered)
 *	reordered    the same with an older ID or timestamp, filling a hole;
 *	             without either: a hole younger than 0.8 round trips
 *	needed       sent again and acknowledged, unless it was needless: the
 *	             bytes were acknowledged before; a DSACK tells of them (it
 *	             may come later); the ACK came within half of the shortest
 *	             round trip; or it echoes a timestamp older than the resend's
 *	             while no older byte was missing
 *	loss event   what was needed of bytes that had been sent before the
 *	             first of them was sent again (a recovery of RFC 6582):
 *	             losses within a round trip, all repeats of a segment
 *	DSACK        not: a first block that begins where the last ACK stood,
 *	             of a receiver that holds data behind the hole.  It answers
 *	             each segment at once, so the first copy would have moved the
 *	             ACK: some receivers put there what filled the hole
 *	capture hole bytes that were acknowledged and never seen
 *	from before  bytes that were not seen, and no ID is missing there: sent
 *	             before the capture began, in the middle of the connection
 *	tail loss    new bytes after a pause, with IDs missing before them, that
 *	             no ACK called for, nor data of the peer in the last 150 ms:
 *	             the last segment was lost before the capture point, and
 *	             this is it again
 *
 * Constant time a packet; lists are walked only where segments are late or
 * wait for their ACK, and hold NA_TRAIL_MOST entries at most.
 */
#ifndef INGEST_TCP_TRAIL_H
#define INGEST_TCP_TRAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "ingest/capture/packet.h"
#include "ingest/tcp/trail/lengths.h"

enum {
	NA_TRAIL_MOST = 256,
	NA_TRAIL_RECENT = 256,
	NA_TRAIL_SMALL = 1460,
	NA_TRAIL_NEAR = 512
};

struct na_trail_room { /* for the lists of all connections, in bytes */
	size_t most, used;
};

struct na_trail_gap { /* bytes that the capture has not seen */
	uint32_t from, to;
	int64_t time_ns; /* of what came behind */
	bool acked;
	bool before;  /* the window: not of what is counted */
	bool earlier; /* from before the capture, and so before the window */
};

enum na_trail_state { NA_AGAIN_OPEN, NA_AGAIN_NEEDED, NA_AGAIN_NEEDLESS };

struct na_trail_again {                /* sent again */
	int64_t time_ns, silent_ns;    /* silent: before a timeout; 0 none */
	uint32_t seq, end, ts, number; /* in lengths */
	uint32_t event;                /* na_trail_late.event, then */
	uint16_t packets;
	uint8_t state; /* enum na_trail_state */
	bool has_ts, fills, dsacked;
};

struct na_trail_recent { /* of a sender without IDs */
	int64_t time_ns;
	uint32_t seq, end, ts;
};

/* What a direction without trouble has none of. */
struct na_trail_late {
	struct na_trail_gap *gap;
	struct na_trail_again *again; /* the oldest first */
	uint32_t n_gap, cap_gap, n_again, cap_again, n_open;
	uint32_t dsack_left, dsack_right; /* the last one */
	uint32_t run_seq, run_bytes, run; /* sent again, and no ACK since */
	int64_t run_ns;                   /* its first */
	uint32_t event, event_end; /* the last one began with this much sent */
	/* What passed since an ACK said anything new, short of these bytes:
	 * told by SACK blocks, or by a peer that got the ACKs of its data. */
	uint32_t sacked, sacked_bytes, sacked_widest, sacked_to;
	uint32_t news, news_end;
	int64_t news_ns, newest_ns;
	bool news_again;
	struct na_lengths *lengths;       /* or NULL */
	uint32_t arrived_before;          /* longest record, without trouble */
	uint64_t all_again;               /* packets */
	uint64_t needed, needless, fills; /* packets; of the needed */
	uint64_t loss_events;             /* of the needed */
	uint64_t reordered, capture_holes, tail_losses, dsacks_alone;
	uint64_t syns_again, acks_missing, n_sent_again;
	uint64_t timeouts;      /* needed */
	uint64_t vain_timeouts; /* needless: late, not lost */
	int64_t silent_ns, tail_ns, longest_vain_ns;
	struct { /* of these, before the window */
		uint64_t capture_holes, tail_losses, syns_again;
	} before;
};

struct na_trail {
	/* What each packet touches. */
	uint32_t hi, una; /* behind the highest byte; acknowledged */
	uint32_t ts;      /* the newest */
	uint32_t full;    /* payload of a packet; 0: not known yet */
	uint32_t last_bytes;
	uint32_t exact_steps; /* of IDs, by one */
	int64_t last_ns;      /* of the last packet */
	int64_t heard_ns;     /* of the peer's last data */
	uint16_t id;          /* the newest, of all its segment stands for */
	bool hi_known, una_known, id_known, ts_known, start_known;
	bool heard_data; /* of the peer, since the last packet */
	bool moved;      /* an ACK moved hi */
	bool last_whole; /* the last record was one packet */
	bool waits;      /* for an ACK of what is in the lists */
	bool beyond;     /* the peer's last ACK told of data behind a hole */

	uint8_t recent_at;
	bool over; /* the window: what is sent again is not counted */
	uint32_t near_steps, far_steps; /* others: near by; farther */
	uint32_t start;                 /* behind the SYN */
	uint64_t copies;
	uint64_t segments;             /* packets with payload, copies apart */
	uint32_t longest, longest_end; /* record with payload; the first such */
	int64_t since_ns; /* the window: what was before it took no time */
	struct na_trail_recent *recent; /* [NA_TRAIL_RECENT], or NULL */
	struct na_trail_late *late;
};

/* What is to be known of a packet before its direction moves on. */
struct na_trail_look {
	uint32_t end;     /* behind its last byte or FIN */
	uint32_t packets; /* that it stands for: segmentation offload */
	int step;         /* of IDs; 0: of no use */
	bool is_new;      /* its ID is the newest so far */
	bool copy;
};

/* True: p, from f's sender, was recorded before, and nothing else is to be
 * done with it. */
bool na_trail_is_copy(struct na_trail *f, const struct na_packet *p,
		      struct na_trail_look *look);
/* What p means for its own direction f.  `rtt_ns`: of the path, 0 not known;
 * `shut`: the peer's window is closed; `silent_ns` before a timeout, 0. */
void na_trail_send(struct na_trail *f, struct na_trail_room *room,
		   const struct na_packet *p, const struct na_trail_look *look,
		   int64_t rtt_ns, bool shut, int64_t silent_ns);
/* What p, from the peer, means for what was sent in direction f.  `leg_ns`:
 * the shortest time from f's data to an ACK of it; 0 not known. */
void na_trail_on_ack(struct na_trail *f, struct na_trail_room *room,
		     const struct na_packet *p, int64_t leg_ns);
/* At least four steps of IDs, 80 % of them small. */
static inline bool na_trail_has_ids(const struct na_trail *f)
{
	uint64_t small = (uint64_t)f->exact_steps + f->near_steps;

	return small + f->far_steps >= 4 && small >= 4 * (uint64_t)f->far_steps;
}

/* And most of them by one: no other connection takes numbers. */
static inline bool na_trail_counts_ids(const struct na_trail *f)
{
	uint64_t others = (uint64_t)f->near_steps + f->far_steps;

	return na_trail_has_ids(f) && f->exact_steps >= 9 * others;
}

/* Most packets: the next bytes or an ACK, no ID of note missing, nothing waits for
 * its ACK.  False: nothing was done, the functions above are for it. */
static inline bool na_trail_plain(struct na_trail *f, struct na_trail *r,
				  const struct na_packet *p)
{
	const uint8_t odd = NA_TCP_SYN | NA_TCP_FIN | NA_TCP_RST;
	uint16_t step = (uint16_t)(p->ip_id - f->id);

	if ((p->flags & (odd | NA_TCP_ACK)) != NA_TCP_ACK || !f->id_known ||
	    step == 0 || step > NA_TRAIL_NEAR || !p->ip_id ||
	    (step > 1 && na_trail_counts_ids(f)) || !f->hi_known ||
	    !r->hi_known || !r->una_known || p->n_sack > 0 || r->waits ||
	    (int32_t)(r->hi - p->ack) < 0 ||
	    p->payload_bytes > (f->full ? f->full : NA_TRAIL_SMALL))
		return false;
	if (p->payload_bytes > 0) {
		if (p->seq != f->hi || p->payload_bytes == 1)
			return false;
		if (f->late && f->late->lengths)
			na_lengths_sent(f->late->lengths, p->seq,
					p->seq + p->payload_bytes, f->una,
					false);
		f->hi += p->payload_bytes;
		f->segments++;
		if (p->payload_bytes > f->longest) {
			f->longest = p->payload_bytes;
			f->longest_end = f->hi;
		}
		f->moved = false;
		r->heard_data = true;
		r->heard_ns = p->time_ns;
	} else if ((int32_t)(f->hi - p->seq) < 0) {
		return false;
	}
	f->exact_steps += step == 1;
	f->near_steps += step != 1;
	f->id = p->ip_id;
	f->last_ns = p->time_ns;
	f->last_bytes = p->payload_bytes;
	f->last_whole = true;
	f->heard_data = false;
	if (p->has_timestamps && (int32_t)(p->ts_value - f->ts) > 0) {
		f->ts = p->ts_value;
		f->ts_known = true;
	}
	if ((int32_t)(p->ack - r->una) > 0)
		r->una = p->ack;
	return true;
}

void na_trail_fini(struct na_trail *f, struct na_trail_room *room);

/* passing.c: bytes are sent again and again, and do not arrive; does what is
 * shorter? */
struct na_trail_passing {
	uint32_t long_sent; /* as long as these bytes: none arrived */
	uint32_t short_arrived;
};
/* p, from the peer, acknowledges nothing new. */
void na_trail_note_passing(const struct na_trail *f, struct na_trail_late *l,
			   const struct na_packet *p);
/* An ACK moved on: begin anew. */
void na_trail_forget_passing(struct na_trail_late *l);
struct na_trail_passing na_trail_passing(const struct na_trail *f);

/* settle.c: what p, which acknowledges more or tells of something twice, says
 * of what was sent again; before una moves. */
void na_trail_settle_acked(const struct na_trail *f, struct na_trail_late *l,
			   const struct na_packet *p, int64_t leg_ns);
/* p's first SACK block tells what the receiver got twice (RFC 2883). */
bool na_trail_tells_twice(const struct na_trail *f, const struct na_packet *p);
void na_trail_take_dsack(struct na_trail_late *l, const struct na_packet *p);

#endif
