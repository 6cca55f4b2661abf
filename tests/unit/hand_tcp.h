/*
 * TCP packets made by hand, two ends and what the tracker says of them.
 */
#ifndef TESTS_UNIT_HAND_TCP_H
#define TESTS_UNIT_HAND_TCP_H

#include "ingest/tcp/track.h"

struct hand_tcp {
	struct na_tcp *t;
	struct na_sink sink;
	struct na_addresses ends;
	struct na_tcp_user user;
	struct na_tcp_packet last; /* what the user was told; p is gone */
	bool told;                 /* the last packet reached the user */
	struct na_connection *conn;
	size_t n_conn, cap_conn;
	struct na_segment seg; /* the last one */
	size_t n_seg, opened, closed, addresses;
	struct na_capture_counts counts; /* after hand_end() */
	int64_t now_us;
	uint16_t port; /* of end 0 */
};

/* Of two files, packets from the first unless na_tcp_from() says otherwise.
 * limits: NULL for the program's own.  All connections, and the segments of
 * the first one. */
void hand_start_at(struct hand_tcp *h, const struct na_tcp_limits *limits,
		   int64_t zero_ns);
void hand_start(struct hand_tcp *h, const struct na_tcp_limits *limits);
/* Only what happens in [from_us, to_us) counts. */
void hand_start_window(struct hand_tcp *h, int64_t from_us, int64_t to_us);
/* An empty ACK of end `dir` with seq and ack; change what you like. */
struct na_packet hand_packet(const struct hand_tcp *h, unsigned dir,
			     uint32_t seq, uint32_t ack);
/* after_us later; returns the marks. */
uint32_t hand_feed(struct hand_tcp *h, int64_t after_us, struct na_packet p);
/* n bytes, or flags, or an ACK. */
uint32_t hand_data(struct hand_tcp *h, int64_t after_us, unsigned dir,
		   uint32_t seq, uint32_t ack, uint32_t n);
uint32_t hand_flags(struct hand_tcp *h, int64_t after_us, unsigned dir,
		    uint32_t seq, uint32_t ack, uint8_t flags);
uint32_t hand_ack(struct hand_tcp *h, int64_t after_us, unsigned dir,
		  uint32_t seq, uint32_t ack);
/* SYN, SYN-ACK after half of rtt_us, ACK: first bytes are isn + 1. */
void hand_shake(struct hand_tcp *h, uint32_t isn0, uint32_t isn1,
		int64_t rtt_us);
void hand_end(struct hand_tcp *h); /* finish; counts and conn stay */
void hand_free(struct hand_tcp *h);

/* The connection with that id. */
const struct na_connection *hand_conn(const struct hand_tcp *h, uint32_t id);

#endif
