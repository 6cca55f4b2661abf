/*
 * tcp: what the analysis remembers, and the rules by which a connection gets
 * its verdict.
 */
#ifndef NETAN_ANALYSES_TCP_STATE_H
#define NETAN_ANALYSES_TCP_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"

/*
 * The rules.  Shares of time are of the connection's active time: its
 * duration less the time in which its sender had nothing to send and no closed
 * window before it (of both, where both send data: the shorter).  A verdict's
 * cost is the time that its cause took; of several that hold the costliest is
 * said, the others are in the evidence.
 *
 *   timeout_bound      silent in retransmission timeouts for TCP_TIMEOUT_SHARE
 *                      of the active time, and for no less than recovery took
 *                      or for TCP_TIMEOUT_MOST of it: the timers cost more
 *                      than what was lost; cost: timeouts and recovery
 *   receiver_too_slow  the peer's window closed for TCP_RECEIVER_SHARE of it;
 *                      cost: the time with a closed window, and with a full
 *                      one on the same side
 *   network_loss       TCP_LOSS_SEGMENTS retransmissions that were needed, or
 *                      one where duplicate ACKs asked for it, and
 *                      TCP_LOSS_SHARE of the data segments; or one timeout;
 *                      cost: timeouts and recovery (na_direction.recovery_ns:
 *                      from the first sign of a hole until it is filled)
 *   window_limited     the window never closed, but was full for
 *                      TCP_WINDOW_SHARE of the active time; or bytes in
 *                      flight came to TCP_WINDOW_REACHED of the largest
 *                      window and the throughput to TCP_WINDOW_RATE of window
 *                      / RTT; cost: time with a full window, or the active
 *                      time
 *   sender_idle        none of these, and idle for TCP_IDLE_SHARE of the
 *                      duration: no fault of the network
 *   healthy            none of these
 */
#define TCP_TIMEOUT_SHARE  0.10
#define TCP_TIMEOUT_MOST   0.30
#define TCP_RECEIVER_SHARE 0.10
#define TCP_LOSS_SHARE     0.001
#define TCP_LOSS_SEGMENTS  3
#define TCP_LOSS_ERROR     0.01 /* of data segments: an error, not a warning */
#define TCP_WINDOW_SHARE   0.10
#define TCP_WINDOW_REACHED 0.90
#define TCP_WINDOW_RATE    0.80
#define TCP_WINDOW_BYTES   65536 /* sent: less does not test a window */
#define TCP_IDLE_SHARE     0.50

/* Rows of connections[] without --top: what fits a few megabytes. */
enum { TCP_LISTED = 4096 };

enum tcp_verdict {
	TCP_TIMEOUT_BOUND,
	TCP_RECEIVER_TOO_SLOW,
	TCP_NETWORK_LOSS,
	TCP_WINDOW_LIMITED,
	TCP_SENDER_IDLE,
	TCP_HEALTHY,
	TCP_VERDICTS
};
extern const char *const na_tcp_verdict_names[TCP_VERDICTS];

enum tcp_way { TCP_BUSIER, TCP_FWD, TCP_REV };

struct tcp_params {
	int64_t connection; /* rank of the one that is drawn, from 1 */
	int way;            /* enum tcp_way */
};

/* A connection and what is to be said of it. */
struct tcp_row {
	const struct na_connection *c; /* of the store */
	enum tcp_verdict verdict;
	bool holds[TCP_VERDICTS];
	int64_t cost_ns[TCP_VERDICTS];
	int64_t duration_ns, active_ns, idle_ns;
	int64_t lost_ns; /* what the order goes by */
	int64_t rtt_ns;  /* of the whole path; 0: unknown */
	uint8_t way;     /* the direction with more payload */
	uint8_t idler;   /* the one that idle_ns is of */
};

struct tcp_state {
	const struct na_scope *scope;
	const struct tcp_params *params;
	NA_VEC(struct tcp_row) rows; /* worst first */
	uint64_t evicted;
	uint64_t by_verdict[TCP_VERDICTS];
	enum na_severity severity;
	struct tcp_sequence *drawn; /* NULL: no picture */
};

/* judge.c: verdict, costs, rank. */
void na_tcp_judge(struct tcp_row *row);
void na_tcp_rank(struct tcp_state *s);
enum na_severity na_tcp_severity_of(const struct tcp_row *row);

/* words.c: sentences with numbers and units, into the list `in`; what to
 * do, or NULL. */
void na_tcp_put_evidence(struct na_result *r, struct na_value *in,
			 const struct tcp_state *s, const struct tcp_row *row);
/* Direction i of the connection: its sender, and the other end. */
void na_tcp_ends(const struct tcp_state *s, const struct na_connection *c,
		 size_t i, char who[NA_SOCKET_BUF], char other[NA_SOCKET_BUF]);
const char *na_tcp_remedy(const struct tcp_row *row);
/* "3 lose packets, 1 receiver too slow, 582 healthy". */
enum { TCP_SUMMARY_BUF = 400 };
const char *na_tcp_summary(char buf[TCP_SUMMARY_BUF],
			   const struct tcp_state *s);

/* result.c */
/* Connections that the reader has only counted. */
uint64_t na_tcp_not_told(const struct tcp_state *s);
enum na_status na_tcp_put_result(void *state, struct na_result *r,
				 struct na_err *err) NA_MUST_CHECK;
/* views.c: the tables for people. */
void na_tcp_views(struct na_result *r, const struct tcp_state *s);

/*
 * sequence.c: the segments of one direction of one connection, as many
 * as there are, into columns of equal width over its time.
 */
enum { TCP_COLUMNS = 1200, TCP_SPANS = 400 };

enum tcp_mark {
	TCP_MARK_FAST,      /* retransmitted, duplicate ACKs asked for it */
	TCP_MARK_TIMEOUT,   /* retransmitted after a timeout */
	TCP_MARK_OTHER,     /* retransmitted, neither of these */
	TCP_MARK_SPURIOUS,  /* retransmitted in vain */
	TCP_MARK_DISORDER,  /* out of order */
	TCP_MARK_LOST,      /* segments before it are missing in the capture */
	TCP_MARK_FULL,      /* fills the window */
	TCP_MARK_CE,        /* marked by a congested router */
	TCP_MARK_SACK,      /* blocks that the receiver has beyond a hole */
	TCP_MARK_DUPLICATE, /* duplicate ACK */
	TCP_MARK_ZERO,      /* the receiver's window is closed */
	TCP_MARKS
};

enum na_status na_tcp_sequence_read(struct tcp_state *s,
				    struct na_err *err) NA_MUST_CHECK;
void na_tcp_sequence_put(struct na_result *r, const struct tcp_state *s);
void na_tcp_sequence_free(struct tcp_sequence *q);

#endif
