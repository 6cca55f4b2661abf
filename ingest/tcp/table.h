/*
 * Connections by their two ends: an open-addressed index of hashes over
 * slabs, and lists in order of use: of those of one side only so far (a
 * flood of SYNs stays among them), of open and of finished ones.  How often
 * a connection moves to the front of its list is bounded (lazy), so the
 * order is exact to a quarter of the limit.
 */
#ifndef INGEST_TCP_TABLE_H
#define INGEST_TCP_TABLE_H

#include <string.h>

#include "ingest/tcp/flight.h"
#include "ingest/tcp/rtt.h"
#include "ingest/tcp/seen.h"
#include "ingest/tcp/track.h"
#include "ingest/tcp/trail/trail.h"
#include "ingest/tcp/turns.h"

enum { NA_TS_SLOTS = 2 };

/* Marks that no na_segment carries. */
enum {
	NA_TCP_MARK_ZERO_PROBE = 1 << 16,
	NA_TCP_MARK_ACK_LOST = 1 << 17,
	NA_TCP_MARK_REUSED = 1 << 18,
	NA_TCP_MARK_KEEP_ALIVE_ACK = 1 << 19,
	NA_TCP_MARK_RTT = 1 << 20 /* this ACK gave a sample */
};

/* Small counts stop at their greatest value. */
struct na_tcp_tally {
	uint32_t retransmissions, fast, timeout, spurious;
	uint32_t out_of_order, lost_before, keep_alives;
	uint32_t duplicate_acks, zero_windows, window_full, zero_probes;
	uint32_t sack_blocks, ce_marks, ece, cwr;
	uint32_t timeouts;
};

/* What a direction without trouble has none of; made when first needed. */
struct na_tcp_rare {
	struct na_tcp_tally n;
	int64_t zero_since_ns, full_since_ns; /* window closed; full */
	int64_t zero_window_ns, window_full_ns;
	int64_t longest_timeout_ns, timeout_total_ns;
	int64_t hole_ns, mending_ns; /* first sign of a hole; counted from */
	int64_t recovery_ns;
	bool hole, mending;
};

struct na_tcp_volume {
	uint64_t packets, wire_bytes, bytes, unique_bytes, data_packets;
};

/* Payload of all connections of a host: that it sent, that it acknowledged. */
struct na_tcp_port {
	uint64_t sent, got;
};

/* The stretch that goes on; numbers as on the wire. */
struct na_tcp_stretch {
	int64_t from_ns, acked_ns, before_ns; /* last ACK, the one before */
	/* Of the sender's port, since its first record; of the receiver's. */
	int64_t send_ns, sent_ns;
	uint64_t send_bytes, sent_bytes, get_bytes, got_bytes, got_before;
	uint32_t first, sent, acked, before;
	bool on, promised, later, again, shut, windowed;
};

/* Those that ended. */
struct na_stretches {
	uint32_t seen, every, n; /* of so many seen each so-manieth is kept */
	struct na_stretch v[NA_STRETCHES_KEPT];
};

/* One direction: what its sender sent, and what of it is known.  In this
 * order, what each packet touches lies together: 64 bytes for each block. */
struct na_tcp_dir {
	/* The rules of marks.c; sequence numbers as on the wire. */
	uint32_t base_seq, next_seq, most_to_ack, last_ack;
	uint32_t window;       /* unscaled; UINT32_MAX: none yet */
	uint32_t sacked_bytes; /* by its last packet */
	uint32_t dup_acks;
	uint32_t ref_seq;
	int64_t ref_pos; /* of ref_seq, unwrapped */
	int16_t scale;   /* -1 unknown, -2 not used */
	int8_t shift;    /* of the SYN; -1 none */
	bool base_known, next_known, most_known;
	bool first_ack_due, flight_valid;
	bool was_keep_alive;      /* its last packet */
	bool placed, start_known; /* ref is set; and from a SYN */
	bool sent_any, zero_now, full_now, recovering, recover_known;
	bool asked; /* a window opened: more may come */
	bool saw_syn, saw_fin, timestamps;
	uint8_t ts_first, ts_n;
	bool ts_any;

	int64_t next_time_ns, heard_ns; /* of next_seq; of any packet */
	int64_t sent_ns;                /* last segment: stall.c */
	int64_t told_ns, all_acked_ns;  /* peer's news */
	uint32_t ts_newest, max_in_flight;
	uint32_t max_window, min_window; /* scaled */
	uint64_t packets;

	uint64_t wire_bytes, bytes, unique_bytes, data_packets;
	struct na_seen seen;

	struct na_flight flight;
	int64_t srtt_ns, rttvar_ns; /* 0: no sample */

	struct na_rtt rtt;
	struct {
		uint32_t value;
		int64_t time_ns;
	} ts[NA_TS_SLOTS];

	struct na_rtt ts_rtt;
	int64_t again_ns; /* last retransmission */
	struct na_trail trail;
	/* talk.c */
	int64_t far_ns; /* of the ACK that is awaited; 0 none */
	uint32_t far_ts;
	uint32_t edge;       /* segments that end a segment before the edge */
	int64_t far_data_ns; /* peer's data */
	struct na_nagle nagle;
	struct na_rtt far; /* from its ACKs to data that answers them */

	/* stall.c */
	int64_t idle_ns, longest_idle_ns;
	uint32_t full_edge, recover; /* right edge; end of recovery */
	uint32_t fin_next;           /* the number behind its FIN */
	uint32_t idle_restarts;
	uint16_t mss;
	bool fin_acked, saw_rst, sack_permitted;
	struct na_tcp_rare *rare; /* NULL: all zero */
	struct na_tcp_port *port; /* of its sender */
	struct na_tcp_stretch stretch;
	struct na_stretches *stretches; /* NULL: none */
	/* window.c: what of these was before the window; the least round trip
	 * there, 0: none */
	struct na_tcp_volume before;
	int64_t base_ns;
	/* At its end: what is not acknowledged, and waited for so long. */
	bool awaits, resent; /* it was sent again behind the window */
	uint32_t awaited;    /* the byte behind it */
	int64_t wait_ns, stalled_ns;
};

/* Where a connection stands beside the window that is asked for: packets so
 * far were before it; one was in it; one was behind it, and it was told. */
enum { NA_TCP_BEFORE, NA_TCP_WITHIN, NA_TCP_BEHIND };

struct na_tcp_conn {
	struct na_address end[2]; /* [0]: sender of the first packet */
	uint16_t port[2];
	uint32_t hash, id;
	uint32_t newer, older; /* in its list; the list of free ones: newer */
	uint64_t moved;        /* packet number of its last move */
	int64_t first_ns, last_ns, newest_ns;
	int64_t syn_ns, first_rtt_ns;
	int64_t stalled_to_ns; /* data waits, until then; 0: none does */
	struct na_turns turns;
	uint8_t client; /* direction: who sent the SYN, or has the higher port */
	uint32_t file;  /* of its last packet */
	void *user;
	bool any_syn, disordered;
	bool silent;   /* in the window */
	uint8_t in;    /* which list */
	uint8_t when;  /* NA_TCP_BEFORE, ... */
	uint8_t needs; /* of user: enum na_tcp_needs */
	uint64_t calls_before; /* of user, before the window */
	struct na_connection *held; /* see na_tcp_hold(); else NULL */
	struct na_tcp_dir dir[2];
};

#define NA_TCP_NONE UINT32_MAX

enum { NA_TCP_RECENT = 1 << 10 };

enum { NA_TCP_FINISHED, NA_TCP_OPEN, NA_TCP_FRESH, NA_TCP_LISTS };

struct na_tcp_list {
	uint32_t newest, oldest;
	size_t n;
};

struct na_tcp_table {
	struct na_tcp_conn **slab;
	size_t n_slabs, cap_slabs, made;
	uint32_t unused; /* list of given back */
	struct na_tcp_slot {
		uint32_t hash, at;
	} * slot;
	size_t mask, used;
	uint32_t recent[NA_TCP_RECENT]; /* by their ports, or NA_TCP_NONE */
	uint64_t key;                   /* of the hashes */
	struct na_tcp_list list[NA_TCP_LISTS];
};

/* The least time from data of d to an ACK of it, ever; 0: not known. */
static inline int64_t na_tcp_least_leg(const struct na_tcp_dir *d)
{
	int64_t own = d->rtt.n ? d->rtt.min_ns : 0;

	return d->base_ns && (!own || d->base_ns < own) ? d->base_ns : own;
}

/* d's own, made now if it has none; NULL: no memory, nothing is counted. */
struct na_tcp_rare *na_tcp_rare(struct na_tcp_dir *d);

bool na_tcp_table_init(struct na_tcp_table *t);
void na_tcp_table_fini(struct na_tcp_table *t);

enum { NA_TCP_SLAB_BITS = 4, NA_TCP_SLAB = 1 << NA_TCP_SLAB_BITS };

static inline struct na_tcp_conn *na_tcp_at(const struct na_tcp_table *t,
					    uint32_t at)
{
	return t->slab[at >> NA_TCP_SLAB_BITS] + (at & (NA_TCP_SLAB - 1));
}

static inline bool na_tcp_is_from(const struct na_tcp_conn *c, unsigned dir,
				  const struct na_packet *p)
{
	return c->port[dir] == p->src_port && c->port[!dir] == p->dst_port &&
	       na_address_same(&c->end[dir], &p->src) &&
	       na_address_same(&c->end[!dir], &p->dst);
}

/* Where the index is spared for those of these ports that go on. */
static inline uint32_t *na_tcp_recent(struct na_tcp_table *t, uint16_t a_port,
				      uint16_t b_port)
{
	return t->recent + ((a_port ^ b_port) & (NA_TCP_RECENT - 1));
}

/* Is c between p's ends?  *dir is p's. */
static inline bool na_tcp_is(const struct na_tcp_conn *c,
			     const struct na_packet *p, unsigned *dir)
{
	*dir = 0;
	if (na_tcp_is_from(c, 0, p))
		return true;
	*dir = 1;
	return na_tcp_is_from(c, 1, p);
}

uint32_t na_tcp_hash(const struct na_tcp_table *t, const struct na_packet *p);
/* The connection between p's ends, or NA_TCP_NONE; *dir is p's. */
uint32_t na_tcp_find(struct na_tcp_table *t, uint32_t hash,
		     const struct na_packet *p, unsigned *dir);
/* A new one with p's ends, zero otherwise, in the list of fresh ones;
 * NA_TCP_NONE: no memory. */
uint32_t na_tcp_insert(struct na_tcp_table *t, uint32_t hash,
		       const struct na_packet *p);
void na_tcp_remove(struct na_tcp_table *t, uint32_t at);
void na_tcp_move(struct na_tcp_table *t, uint32_t at, unsigned list);

/* Packet `now` is of c, which has index `at`. */
static inline void na_tcp_use(struct na_tcp_table *t, struct na_tcp_conn *c,
			      uint32_t at, uint64_t now, uint64_t slack)
{
	if (c->newer == NA_TCP_NONE || now - c->moved < slack)
		return;
	c->moved = now;
	na_tcp_move(t, at, c->in);
}

#endif
