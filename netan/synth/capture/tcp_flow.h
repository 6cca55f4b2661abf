/*
 * One TCP connection of a synthetic capture, planned a few packets ahead.
 * The capture point stands next to the sender of its bulk data, so that what
 * the network loses has been seen.
 *
 * Sequence numbers here count from 0 for the SYN; side 0 is the client.
 * Windows are given in bytes; both sides scale by 2^NA_FLOW_SHIFT.
 */
#ifndef NETAN_SYNTH_CAPTURE_TCP_FLOW_H
#define NETAN_SYNTH_CAPTURE_TCP_FLOW_H

#include "netan/synth/capture/frame_out.h"
#include "netan/synth/rng.h"

enum {
	NA_FLOW_SHIFT = 3,
	NA_FLOW_MSS = 1448, /* beside the timestamp option */
	NA_FLOW_PLANS = 192,
	NA_FLOW_ACKS = 64,
	NA_FLOW_STAMPS = 16
};

enum na_flow_condition {
	NA_FLOW_HEALTHY,
	NA_FLOW_LOSS,
	NA_FLOW_TIMEOUT,
	NA_FLOW_ZERO_WINDOW,
	NA_FLOW_WINDOW,
	NA_FLOW_IDLE,
	NA_FLOW_CALLS, /* gRPC; not to be asked for */
};
extern const char *const na_flow_words[NA_FLOW_CALLS + 1];

enum na_flow_mark {
	NA_PLAN_AGAIN = 1, /* retransmission */
	NA_PLAN_FAST = 2,
	NA_PLAN_TIMEOUT = 4,
	NA_PLAN_DUPLICATE = 8, /* ACK */
	NA_PLAN_KEEP_ALIVE = 16
};

struct na_flow_plan {
	int64_t time_ns;
	uint64_t seq, ack;
	uint32_t n; /* payload */
	uint32_t window_bytes;
	uint64_t sack[2];     /* none: equal */
	const uint8_t *bytes; /* NULL: the pattern */
	uint8_t side, flags, marks;
};

/* What a reader must find of one direction. */
struct na_flow_truth {
	uint64_t packets, wire_bytes, bytes, retransmitted_bytes, data_packets;
	uint64_t retransmissions, fast, timeout, duplicate_acks, zero_windows,
		window_full, keep_alives, sack_packets;
};

struct na_flow {
	enum na_flow_condition condition;
	uint8_t sender; /* side of the bulk data, next to the capture point */
	struct na_frame_end ends[2];
	uint32_t isn[2];
	int64_t start_ns, now_ns, rtt_ns, last_send_ns;
	int64_t gap_ns;             /* between packets of a burst */
	uint64_t next[2], acked[2]; /* first unsent; told by the other side */
	uint32_t window_bytes[2];   /* that each side announces */
	uint32_t window_segments;   /* of congestion control */
	unsigned odd;               /* segments without an ACK being due */
	unsigned talker;            /* side whose ACKs are due */
	struct {
		int64_t due_ns;
		uint64_t upto;
	} acks[NA_FLOW_ACKS];
	size_t first_ack, n_acks;
	struct na_flow_plan plans[NA_FLOW_PLANS];
	size_t first, n;
	/* What was put out so far: window full is judged by it. */
	uint64_t seen_ack[2];
	uint32_t seen_window[2];
	/* The last different times, in ms, of the packets of each side: what
	 * timestamps echo. */
	uint32_t seen_ms[2][NA_FLOW_STAMPS];
	struct na_flow_truth dir[2];
	uint64_t timeouts, idles;
	int64_t longest_timeout_ns, longest_idle_ns, zero_window_ns;
	int64_t first_ns, end_ns;
	struct na_rng rng;
	bool closed;
};

/* Three packets, the first at start_ns. */
void na_flow_open(struct na_flow *f);
/* FIN from the client, FIN from the server, the last ACK. */
void na_flow_close(struct na_flow *f);

/* Time from a packet of `side` until the other side's answer is seen. */
int64_t na_flow_turn_ns(const struct na_flow *f, unsigned side);

/* In order of time; later than what has been put out. */
void na_flow_plan(struct na_flow *f, const struct na_flow_plan *p);
/* One segment of `side` now; its ACK comes when it is due. */
void na_flow_send(struct na_flow *f, unsigned side, uint32_t n,
		  const uint8_t *bytes, uint8_t flags);
/* An ACK of `side` for the other side's bytes. */
void na_flow_ack(struct na_flow *f, unsigned side, int64_t time_ns,
		 uint64_t ack);

/* Can `side` send a segment of n bytes, by both windows? */
bool na_flow_room(const struct na_flow *f, unsigned side, uint32_t n);
/* The next ACK of what `side` sent; time goes on to it.  False: none due. */
bool na_flow_next_ack(struct na_flow *f, unsigned side);
/* All of them; the odd segment's comes with the delayed-ACK timer. */
void na_flow_drain(struct na_flow *f, unsigned side);

/* `side` begins to send at start_ns or later.  What it would acknowledge
 * after that goes with its data. */
void na_flow_turn(struct na_flow *f, unsigned side, int64_t start_ns);

/* The oldest plan as a frame; there must be one. */
NA_MUST_CHECK enum na_status
na_flow_put(struct na_flow *f, struct na_frames *out, struct na_err *err);

#endif
