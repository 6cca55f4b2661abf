/*
 * TCP connections out of packets, without keeping packets: a bounded table
 * of connections, and for each direction what tells retransmission, loss,
 * reordering, round trips, windows and timeouts apart.
 *
 * The marks are tshark's tcp.analysis.* where packets come in time order;
 * where ours differ, marks.c names the rule and why.
 */
#ifndef INGEST_TCP_TRACK_H
#define INGEST_TCP_TRACK_H

#include "ingest/capture/addresses.h"
#include "netan/model/sink.h"

/* Named limits; `connections` may be lowered for tests. */
struct na_tcp_limits {
	size_t connections; /* live; the least recently used goes first, of
			     * those of one side only when they are an eighth */
	size_t segments;    /* unacknowledged ones and holes, together */
	size_t kept;        /* connections told one by one: see tell.h */
};
extern const struct na_tcp_limits na_tcp_limits;

struct na_tcp;

/* What reads the bytes of a connection (calls.h) is called for every TCP
 * packet, in file order, after the marks are known; but not for payload from
 * before the SYN, which is no part of the stream.  `user` is a place in
 * the connection where the reader keeps its state. */
struct na_tcp_packet {
	const struct na_packet *p;
	uint32_t connection;   /* id: order of first packets */
	uint8_t dir;           /* 0: from the sender of the first packet */
	bool mid_stream;       /* neither the SYN of this direction nor its
				answer was seen */
	uint64_t seq;          /* of the payload's first byte, unwrapped; the
				first byte behind the SYN is 1; in mid-stream
				the first seen is 2^32 + 1, for older ones may
				come */
	uint64_t ack;          /* of the other side's bytes; 0: none */
	uint64_t other;        /* behind the other side's last byte so far; 0:
				none seen */
	uint32_t window_bytes; /* scaled */
	uint32_t marks;        /* enum na_segment_mark */
	const struct na_address *ends[2]; /* [0]: sender of the first packet */
	uint16_t ports[2];
	uint64_t setbacks; /* sent again or lost so far, both ways */
	int64_t leg_ns[2]; /* least, from data of each to its ACK; 0 */
	uint8_t *needs; /* enum na_tcp_needs, for the reader to set; or NULL */
};

/* Which packets of a connection its reader is called for from now on. */
enum na_tcp_needs {
	NA_TCP_NEEDS_ALL, /* as it begins */
	NA_TCP_NEEDS_PAYLOAD,
	NA_TCP_NEEDS_OPENING /* whose payload begins with user.opening */
};

struct na_tcp_user {
	void *ctx;
	enum na_status (*packet)(void *ctx, void **user,
				 const struct na_tcp_packet *x);
	/* The connection is over or evicted: *user goes.  Also tells how many
	 * calls were seen on it. */
	uint64_t (*close)(void *ctx, void **user, uint32_t connection);
	uint8_t opening; /* see NA_TCP_NEEDS_OPENING */
	/* How many calls were seen on it so far. */
	uint64_t (*calls)(void *ctx, const void *user);
};

/* Connections go to the sink as they end (and all at finish); times from
 * zero_ns.  `segments_of` is the id of the connection whose segments go to the
 * sink, or NA_UNKNOWN_U32. */
struct na_tcp_options {
	const struct na_tcp_limits *limits;
	uint32_t wants; /* NA_WANT_CONNECTIONS, NA_WANT_SEGMENTS */
	uint32_t segments_of;
	int64_t zero_ns;
	/* Only what happens in [from_ns, to_ns) is told of a connection, where
	 * `windowed`; the reader gets all packets. */
	bool windowed;
	int64_t from_ns, to_ns;
	uint32_t files; /* that packets come from; 0: one */
	const struct na_tcp_user *user; /* may be NULL */
	const struct na_sink *sink;
	struct na_addresses *addresses; /* of the same sink */
};

struct na_tcp *na_tcp_new(const struct na_tcp_options *o);
void na_tcp_free(struct na_tcp *t);
/* Those that follow come from this one of the files: each ends when it does. */
void na_tcp_from(struct na_tcp *t, uint32_t file);
/* p->kind is NA_PACKET_TCP; times beyond NA_REACH_NS of zero_ns are taken as
 * the farthest.  NA_ENOMEM, or what sink or user say. */
enum na_status na_tcp_packet(struct na_tcp *t,
			     const struct na_packet *p) NA_MUST_CHECK;
/* The rest of the connections to the sink, worst limits counted. */
enum na_status na_tcp_finish(struct na_tcp *t) NA_MUST_CHECK;
void na_tcp_counts(const struct na_tcp *t, struct na_capture_counts *c);

#endif
