/*
 * What only packet captures tell: calls with their first byte, what TCP did
 * on each connection, single packets and segments.  Beside transfers
 * (transfer.h), which captures fill as well: one for each call or message.
 *
 * Times are picoseconds since the origin, unless the name says another unit.
 */
#ifndef NETAN_MODEL_PACKETS_H
#define NETAN_MODEL_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/model/transfer.h"

/* Who ended a call before its answer did. */
enum na_call_reset {
	NA_RESET_NONE,
	NA_RESET_BY_SERVER, /* or by either, of an older transfer file */
	NA_RESET_BY_CLIENT
};

/* Request and response; src is the client.  Beside each goes one transfer,
 * from start to end, of the bytes of both ways. */
struct na_call {
	int64_t start_ps; /* packet that completes the request's HEADERS */
	int64_t first_ps; /* of the first response; NA_UNKNOWN_PS */
	int64_t end_ps;   /* the responder's END_STREAM; NA_UNKNOWN_PS */
	uint64_t bytes_req, bytes_resp;       /* DATA payload, padding apart */
	uint32_t messages_req, messages_resp; /* gRPC messages */
	uint32_t src, dst;                    /* endpoints */
	uint32_t method;                      /* name: :path; NA_UNKNOWN_U32 */
	uint32_t connection, stream; /* na_connection.id; HTTP/2 stream */
	int32_t http_status;         /* NA_UNKNOWN_I32 */
	int32_t grpc_status;         /* NA_UNKNOWN_I32: no gRPC or not seen */
	uint32_t input;              /* na_store fills it in */
	uint8_t reset; /* RST_STREAM before its end: enum na_call_reset */
	/* Until it ended, on its connection: sent again, lost or not recorded.
	 * And the shortest time to the server and back, ns; 0 not known. */
	uint32_t setbacks;
	int64_t leg_ns;
};

/* One captured packet, for throughput over time; src and dst are the outermost
 * IP addresses (an endpoint "non-IP" where there is none). */
struct na_wire_packet {
	int64_t time_ps;
	uint32_t size_bytes; /* on the wire, headers and all */
	uint32_t src, dst;
	uint32_t input;
};

/* Data that came without a pause of its program, and how long it took until it
 * was acknowledged (ingest/tcp/stretch.h). */
enum { NA_STRETCHES_KEPT = 16 };
enum na_stretch_mark {
	NA_STRETCH_LATER = 1, /* it goes on with the one before */
	NA_STRETCH_AGAIN = 2  /* some of it was sent again */
};
struct na_stretch {
	int64_t from_ns; /* of a record: since its from_ps */
	uint32_t took_ns, bytes;
	/* The time that its sender's port took for as many bytes of all that
	 * it sent meanwhile, and its receiver's for all that was acknowledged;
	 * 0: not known. */
	uint32_t src_ns, dst_ns;
	uint8_t marks; /* enum na_stretch_mark */
};

/* What a connection's sender did in one direction. */
struct na_direction {
	uint64_t packets;
	uint64_t wire_bytes; /* whole packets, as on the wire */
	uint64_t bytes;      /* TCP payload, repeats included */
	uint64_t unique_bytes, retransmitted_bytes; /* seen twice */
	uint64_t data_packets;
	/* Segments marked as tshark marks them; `retransmissions` is the
	 * union of the three, `timeout` those sent because of an RTO. */
	uint64_t retransmissions, fast, timeout, spurious;
	uint64_t out_of_order, lost_before, keep_alives;
	uint64_t duplicate_acks, zero_windows, window_full, zero_probes;
	uint64_t sack_blocks;        /* packets that carry SACK blocks */
	uint64_t ce_marks, ece, cwr; /* IP CE; TCP flags */
	uint64_t max_in_flight_bytes;
	uint64_t max_window_bytes, min_window_bytes; /* scaled */
	/* Of this sender's data, told by the other side's ACKs; nearest rank
	 * within 2 % or exact.  -1: no sample. */
	uint64_t rtt_samples, ts_rtt_samples;
	int64_t rtt_min_ns, rtt_p50_ns, rtt_p99_ns;
	int64_t ts_rtt_min_ns, ts_rtt_p50_ns, ts_rtt_p99_ns;
	/* RTO events of this sender and how long it was silent before each */
	uint64_t timeouts;
	int64_t longest_timeout_ns, timeout_total_ns;
	/* Time in which this side could not send: its peer's window was closed
	 * or full; or had nothing outstanding and sent nothing. */
	int64_t zero_window_ns, window_full_ns, idle_ns, longest_idle_ns;
	uint64_t idle_restarts; /* sends after an idle RTO: slow start again */
	uint32_t mss;           /* from its SYN; 0 unknown */
	int16_t window_shift;   /* from its SYN; -1 unknown */
	uint8_t sack_permitted, timestamps, saw_syn;
	uint8_t window_scale_known;
	/* From the first sign of a hole (duplicate ACK, SACK block, else the
	 * retransmission) until an ACK passes all that was sent when the first
	 * byte was sent again; the silences of timeouts apart. */
	int64_t recovery_ns;
	/* TCP's own evidence, where `testified` is set (ingest/tcp/trail/trail.h):
	 * packets; `copies` are those recorded twice, or where they are fewer
	 * than 30 % of the rest, those that the network duplicated. */
	uint64_t copies, needed, needless, reordered, duplicated;
	/* Of the needed, losses within a round trip and all repeats of a
	 * segment as one; 0 with some needed: an older file tells none. */
	uint64_t loss_events;
	uint64_t capture_holes; /* acknowledged, and never seen */
	uint64_t lost_upstream; /* of the needed: the capture never saw the
				   first one */
	uint64_t tail_losses;   /* of last segments, upstream; not in needed */
	uint64_t syns_again, acks_missing;
	uint64_t dsacks_alone; /* the receiver got twice what was sent once */
	uint64_t open_again;   /* sent again and never acknowledged */
	uint64_t needed_timeouts;
	int64_t needed_silent_ns, tail_ns; /* silence before those */
	uint64_t vain_timeouts; /* what they sent again had only come late */
	int64_t longest_vain_ns;
	/* The bytes sent again last, while nothing was acknowledged. */
	uint64_t last_again, last_again_bytes;
	int64_t stuck_ns; /* since the first of these resends */
	/* As long, and none arrived; shorter ones that did meanwhile. */
	uint32_t stuck_long, stuck_short;
	uint64_t unacked_bytes; /* at the end; not seen ones among them */
	/* Sent, as later packets tell, and neither seen nor acknowledged; how
	 * long that is known. */
	uint64_t missing_bytes;
	int64_t missing_ns;
	uint64_t acked_bytes;    /* behind the handshake */
	uint64_t edge_segments;  /* end less than a segment before the edge */
	uint64_t slow_acks;      /* of this data: 30 to 250 ms late */
	uint64_t released;       /* small segments that left with one */
	uint64_t unanswered;     /* of these: nothing of the peer followed until
				  * the next one */
	int64_t released_p50_ns; /* -1: none */
	/* From this side's ACKs to data that answers them; -1. */
	int64_t far_rtt_min_ns, far_rtt_p50_ns;
	int64_t mute_ns; /* from its last packet to the end; -1: sent none */
	uint8_t testified, ids, reset, closed; /* IDs count up; RST, FIN */
	uint8_t released_even;                 /* nearly all wait alike */
	/* Of a window: it sent something in it or before, and the shortest
	 * round trip ever; 0 not known. */
	uint8_t known;
	int64_t rtt_least_ns;
	/* At the end, of the window or of the capture: data waits for its ACK,
	 * and nobody says anything, for so long; a timeout if it was sent again
	 * behind the window. */
	int64_t stalled_ns;
	uint8_t stall_resent;
	/* Packets with payload as they were on the wire, copies apart: a
	 * record that holds several, as a card cuts or has joined them, counts
	 * as many; the payload of one, 0 not known. */
	uint64_t data_segments;
	uint32_t full_bytes;
	/* Records by length, where loss differs most by it (ingest/tcp/
	 * trail/lengths.h): of so many possible cuts; 0: none. */
	uint32_t length_cuts, short_most, long_least;
	uint32_t short_sent, short_lost, long_sent, long_lost;
	uint32_t long_lost_again; /* and had been sent before */
	/* Of so many stretches some, evenly over all. */
	uint32_t stretches_seen, stretches_kept;
	struct na_stretch stretch[NA_STRETCHES_KEPT];
};

enum na_conn_end { NA_CONN_OPEN, NA_CONN_FIN, NA_CONN_RST, NA_CONN_EVICTED };

struct na_connection {
	uint32_t id;       /* order of first packets, from 0 */
	uint32_t src, dst; /* endpoints: sender of the first packet, other */
	uint16_t src_port, dst_port;
	uint32_t input;     /* na_store fills it in */
	uint8_t end;        /* enum na_conn_end */
	uint8_t disordered; /* packets of it went back in time */
	uint8_t clipped;    /* of a window only what is in it was counted */
	int64_t from_ps, to_ps;
	int64_t initial_rtt_ns; /* SYN to the ACK of SYN-ACK; -1 */
	uint64_t calls;         /* HTTP/2 requests seen on it */
	/* Waits for the server's own time, of 1 ms or more, in which nothing
	 * was sent again; and waits in which something was. */
	uint64_t turns, upset_turns; /* requests that were answered */
	uint64_t serves, slow_serves;
	/* Slow: more than three times the median, and 10 ms more.  The median
	 * is of all answers, 0 where most come in less than 1 ms; -1 none. */
	int64_t serve_ns, slow_serve_ns, serve_p50_ns, serve_p99_ns;
	int64_t upset_ns;
	uint8_t client;             /* direction */
	uint8_t answered; /* what it asked last, or a part of that */
	struct na_direction dir[2]; /* [0] is from src */
};

/* One segment of the one connection that is drawn. */
enum na_segment_mark {
	NA_SEG_RETRANSMIT = 1,
	NA_SEG_FAST = 2,
	NA_SEG_TIMEOUT = 4,
	NA_SEG_SPURIOUS = 8,
	NA_SEG_OUT_OF_ORDER = 16,
	NA_SEG_LOST_BEFORE = 32,
	NA_SEG_DUPLICATE_ACK = 64,
	NA_SEG_ZERO_WINDOW = 128,
	NA_SEG_WINDOW_FULL = 256,
	NA_SEG_KEEP_ALIVE = 512,
	NA_SEG_SYN = 1024,
	NA_SEG_FIN = 2048,
	NA_SEG_RST = 4096,
	NA_SEG_CE = 8192,
	/* Which of both it is where the marks above go by age alone: TCP's own
	 * evidence (ingest/tcp/trail/trail.h). */
	NA_SEG_AGAIN = 16384, /* sent again */
	NA_SEG_LATE = 32768   /* sent once, and passed by others */
};

struct na_segment {
	int64_t time_ps;
	/* Of its first byte, unwrapped: from the sender's SYN, or without one
	 * from a number so large that what was sent before fits below. */
	uint64_t seq;
	uint64_t ack; /* of the other side's bytes, likewise; 0 none */
	uint32_t size_bytes, window_bytes; /* payload; scaled window */
	uint32_t connection;
	uint16_t marks;              /* enum na_segment_mark */
	uint8_t dir;                 /* 0: from na_connection.src */
	uint8_t n_sack;              /* blocks it carries */
	uint64_t sack_from, sack_to; /* the first of them */
};

/* Counts of one capture file. */
struct na_capture_counts {
	uint64_t packets, captured_bytes, wire_bytes;
	int64_t earliest_ns, latest_ns; /* since 1970; 0 without packets */
	uint64_t cut_packets;           /* by the snap length */
	/* In the window: time went back from packet to packet. */
	uint64_t backward_steps;
	uint64_t interfaces;
	uint64_t tcp, udp, other_ip, non_ip;
	uint64_t malformed; /* in the window: a header that lies or ends early */
	uint64_t fragments, fragments_lost;
	uint64_t filtered; /* by --filter */
	/* outside: without a packet in the window */
	uint64_t connections, connections_evicted, connections_outside;
	uint64_t roce_packets, roce_messages, roce_naks, roce_psn_gaps,
		roce_congestion, roce_ce_marks;
	uint64_t roce_pairs_outside; /* queue pairs without a packet in the
					window, where they are wanted */
	/* Receiver not ready, apart from the other NAKs; packets seen twice. */
	uint64_t roce_rnr_naks, roce_psn_repeats;
	uint64_t rpcs; /* HTTP/2 requests */
	uint64_t http2_connections, http2_mid_stream, http2_damaged;
	uint64_t exchanges;  /* estimated, other TCP */
	uint64_t limits_hit; /* something was dropped to bound memory */
};

#endif
