/*
 * tcp: what the analysis remembers, and the rules by which a connection gets
 * its verdict.
 */
#ifndef NETAN_ANALYSES_TCP_STATE_H
#define NETAN_ANALYSES_TCP_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"
#include "netan/judge/judge.h"

/*
 * The rules.  Shares of time are of the connection's active time: its
 * duration less the time in which its sender had nothing to send and no closed
 * window before it (of both, where both send data: the shorter).  A verdict's
 * cost is the time that its cause took.
 *
 * Proven ends come first:
 *
 *   refused            the SYN was answered by a reset
 *   peer_vanished      TCP_GONE_RESENDS times the same bytes, or SYNs (of
 *                      one client to one listener, from whichever ports)
 *                      that nobody answered, and nothing from the peer for
 *                      TCP_GONE_NS; or the peer is heard and lacks them for
 *                      as long; or nothing but the handshake was
 *                      acknowledged, and packets of TCP_FULL_SIZE do not
 *                      arrive (a black hole of the MTU); which it is, too,
 *                      where short ones arrive meanwhile (na_tcp_long_stuck)
 *   reset              a reset, and no side had closed before
 *
 * then the costliest of those that hold
 *
 *   timeout_bound      silent in retransmission timeouts that were needed for
 *                      TCP_TIMEOUT_SHARE of the active time, and for no less
 *                      than recovery took or for TCP_TIMEOUT_MOST of it: the
 *                      timers cost more than what was lost; cost: timeouts and
 *                      recovery
 *   receiver_too_slow  the peer's window closed for TCP_RECEIVER_SHARE of it;
 *                      cost: the time with a closed window, and with a full
 *                      one on the same side
 *   network_loss       a segment was sent again and needed (ingest/tcp/trail/trail.h)
 *                      in a direction where those that were not needed, or
 *                      only late, are not TCP_NEEDLESS times as many; cost:
 *                      needed timeouts and recovery (na_direction.recovery_ns:
 *                      from the first sign of a hole until it is filled)
 *
 * (network_loss and timeout_bound not where the capture has TCP_HOLES holes
 * and fewer than TCP_LOSS_SEGMENTS packets were needed: an ACK that tells
 * otherwise may not be recorded); else the costliest of
 *
 *   server_slow        the server's own time is more than TCP_SERVER_SHARE of
 *                      that of all calls: in TCP_SERVER_CALLS outliers of this
 *                      server (of all its connections), or in the median call
 *   queueing           round trips of a stream are TCP_QUEUE_RATIO times those
 *                      of the empty path, and TCP_QUEUE_NS longer
 *   window_limited     the window never closed, but was full for
 *                      TCP_WINDOW_SHARE of the active time; or of
 *                      TCP_EDGE_SHARE of the segments less than one more would
 *                      have fitted; or bytes in flight came to
 *                      TCP_WINDOW_REACHED of the largest window and the
 *                      throughput to TCP_WINDOW_RATE of window / RTT; cost:
 *                      time with a full window, or the active time
 *   delayed_ack        TCP_NAGLE_WAITS small segments left with an ACK that
 *                      was 30 to 250 ms late, half of all such ACKs, nearly
 *                      all of one length; on this connection, or on all of
 *                      this sender to the same listener
 *
 * and else
 *
 *   capture_loss       TCP_HOLES holes of the capture
 *   sender_idle        idle for TCP_IDLE_SHARE of the duration: no fault of
 *                      the network
 *   healthy            none of these, in TCP_ENOUGH packets both ways
 *   cannot_tell        none of these, in fewer, or in one direction alone; or
 *                      data waits for its ACK in silence at the end
 *
 * Of records without that evidence (transfer files of earlier versions)
 * network_loss is TCP_LOSS_SEGMENTS retransmissions that were not spurious, or
 * one where duplicate ACKs asked for it, and TCP_LOSS_SHARE of the data
 * segments; or a timeout.
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
#define TCP_NEEDLESS       4
#define TCP_SERVER_SHARE   0.50
#define TCP_EDGE_SHARE     0.30
#define TCP_QUEUE_RATIO    5
#define TCP_BY_CHANCE      1e-3
#define TCP_ALIKE_SHARE    0.70 /* of waits: nearly all of one length */

enum {
	TCP_GONE_RESENDS = 3, /* the first one among them */
	TCP_HOLES = 2,
	TCP_FULL_SIZE = 1000, /* bytes: a black hole takes those */
	TCP_LONG_LEAST = 5,
	TCP_LONG_AGAIN = 2,
	TCP_SERVER_CALLS = 3,
	TCP_NAGLE_WAITS = 5,
	TCP_ALIKE = 15, /* %: waits for one timer */
	TCP_ENOUGH = 50,
	TCP_STREAM = 50, /* data segments, to speak of its round trips */
	TCP_GONE_NS = 1000000000,
	TCP_QUEUE_NS = 8000000,
	TCP_FAR_NS = 10000000, /* there and back: no one building */
	TCP_AT_ONCE_NS = 50000000,
	TCP_IDLE_RESET_NS = 1000000000,
	TCP_LATE_ACK_NS = 100000000,
	TCP_APART_NS = 30000000,      /* clocks of two recorders, at most */
	TCP_SLOW_MEDIAN_NS = 10000000 /* of a server, for each call */
};

/* A job that starts has listeners that are not up yet for so long. */
static const int64_t TCP_START_NS = INT64_C(60000000000);

/* Rows of connections[] without --top: what fits a few megabytes. */
enum { TCP_LISTED = 4096 };

enum tcp_verdict {
	TCP_REFUSED,
	TCP_PEER_VANISHED,
	TCP_RESET,
	TCP_TIMEOUT_BOUND,
	TCP_RECEIVER_TOO_SLOW,
	TCP_NETWORK_LOSS,
	TCP_SERVER_SLOW,
	TCP_QUEUEING,
	TCP_WINDOW_LIMITED,
	TCP_DELAYED_ACK,
	TCP_CAPTURE_LOSS,
	TCP_SENDER_IDLE, /* from here on no trouble */
	TCP_CANNOT_TELL,
	TCP_HEALTHY,
	TCP_VERDICTS
};
extern const char *const na_tcp_verdict_names[TCP_VERDICTS];

enum tcp_way { TCP_BUSIER, TCP_FWD, TCP_REV };

struct tcp_params {
	int64_t connection; /* rank of the one that is drawn, from 1 */
	int way;            /* enum tcp_way */
};

/* Where it was recorded; beside an end means that legs to it are less than a
 * third of those to the other one. */
enum tcp_place { TCP_SOMEWHERE, TCP_AT_SRC, TCP_AT_DST, TCP_BETWEEN };

/* A connection and what is to be said of it. */
struct tcp_row {
	const struct na_connection *c; /* of the store */
	/* From the capture point to each end and back, the shortest of all
	 * connections between these hosts; 0: not known. */
	int64_t leg_ns[2];
	enum tcp_place place;
	uint64_t needed[2];   /* by direction: packets */
	uint64_t unrecorded;  /* packets and holes that the capture missed */
	double missed;        /* by the capture, of all its packets */
	bool server_outliers; /* this server has enough of them */
	bool held_alike[2];   /* those of this sender to this listener wait
				 alike, and are enough */
	bool queue_on_path;   /* another connection there shows a queue */
	/* From the first SYN of this client, in a row, that this listener
	 * refused or did not answer until it let the client in; 0: it never
	 * did.  It had let nobody in yet. */
	int64_t let_in_ns;
	bool not_up_yet;
	/* In a row without an answer, and how long they go on. */
	uint64_t syns;
	int64_t syns_ns;
	enum tcp_verdict verdict;
	bool holds[TCP_VERDICTS];
	int64_t cost_ns[TCP_VERDICTS];
	int64_t duration_ns, active_ns, idle_ns;
	int64_t lost_ns; /* what the order goes by */
	int64_t rtt_ns;  /* of the whole path; 0: unknown */
	bool whole_rtt;  /* else of one side of the capture point alone */
	uint8_t way;     /* the direction with more payload */
	uint8_t told;    /* the one that the verdict is of; else way */
	uint8_t idler;   /* the one that idle_ns is of */
};

struct tcp_delivery {
	uint32_t *hosts; /* of the store, by the judge's numbers */
	size_t n_hosts;
	uint64_t stretches;
	bool judged;
	struct na_judge_result found;
};

struct tcp_state {
	const struct na_scope *scope;
	const struct tcp_params *params;
	NA_VEC(struct tcp_row) rows; /* worst first */
	uint64_t evicted;
	uint64_t by_verdict[TCP_VERDICTS];
	uint64_t stalled; /* of those that cannot tell */
	enum na_severity severity;
	struct tcp_sequence *drawn; /* NULL: no picture */
	struct tcp_delivery delivery;
};

/* deliver.c: who is slow without losing anything, of all connections of the
 * time that is asked for. */
enum na_status na_tcp_judge_delivery(struct tcp_state *s,
				     struct na_err *err) NA_MUST_CHECK;
void na_tcp_delivery_free(struct tcp_delivery *d);
void na_tcp_put_delivery(struct na_result *r, struct na_value *body,
			 const struct tcp_state *s);
/* place.c: what connections of the same hosts know of each other: legs, slow
 * answers of a server, queues.  False: no memory. */
bool na_tcp_place(struct tcp_state *s) NA_MUST_CHECK;
/* Where a capture misses packets of some connections, it misses those of
 * others, too. */
void na_tcp_place_missed(struct tcp_state *s);
/* listeners.c: what clients of one listener know of it.  False: no memory. */
bool na_tcp_listeners(struct tcp_state *s) NA_MUST_CHECK;
/* By SYNs alone: one side asked, and the other one only reset. */
bool na_tcp_refused(const struct na_connection *c);
/* Nothing but SYNs, and nobody says a word. */
bool na_tcp_ignored(const struct na_connection *c);
/* The other end's silence before its only reset; -1. */
int64_t na_tcp_reset_after_ns(const struct tcp_row *row);
/* It was refused or reset, and nothing came of it. */
bool na_tcp_harmless(const struct tcp_row *row);
/* By a client that nothing kept waiting: it was done with it, or its own timer
 * for connections that nobody uses ran out. */
bool na_tcp_reset_idle(const struct tcp_row *row);
/* judge.c: verdict, costs, rank.  Of a row that na_tcp_place() has not seen it
 * goes by this connection alone. */
void na_tcp_judge(struct tcp_row *row);
/* Payload of direction i that was acknowledged, each byte once, over the
 * duration, bytes a second; NaN: nothing was sent, or no ACK was seen. */
double na_tcp_goodput(const struct tcp_row *row, size_t i);
/* The shortest round trip of d's data, also from before the window; 0: not
 * known. */
int64_t na_tcp_least_rtt(const struct na_direction *d);
/* Its ends are far apart: what lies between is seldom one's own. */
bool na_tcp_is_far(const struct tcp_row *row);
/* Its calls, their round trips and all that was waited for in them. */
int64_t na_tcp_calls_ns(const struct tcp_row *row);
bool na_tcp_queues(const struct tcp_row *row);
/* Data waits for its ACK at the end, in silence. */
bool na_tcp_stalls(const struct tcp_row *row);
bool na_tcp_direction_queues(const struct tcp_row *row, size_t i);
/* gone.c.  The peer of direction i's sender never acknowledged its last data or SYN. */
bool na_tcp_gone(const struct tcp_row *row, size_t i);
/* Bytes of direction i that later packets tell of came neither here nor to
 * their peer, which is heard. */
bool na_tcp_lacks(const struct tcp_row *row, size_t i);
/* What is sent again in direction i is larger than all that was acknowledged:
 * full-size packets alone die, and the connection goes no further. */
bool na_tcp_stuck(const struct tcp_row *row, size_t i);
/* None of the long segments arrived, and shorter ones did: TCP_LONG_LEAST of
 * each, TCP_LONG_AGAIN of them when they were sent again, and less often by
 * chance than TCP_BY_CHANCE (Fisher's exact test, for each possible cut). */
bool na_tcp_long_die(const struct tcp_row *row, size_t i);
/* The same of what was never acknowledged: long ones are sent again and again,
 * and shorter ones arrive meanwhile. */
bool na_tcp_long_stuck(const struct tcp_row *row, size_t i);
double na_tcp_stuck_p(const struct na_direction *d);
/* One of these. */
bool na_tcp_black_hole(const struct tcp_row *row, size_t i);
/* Of direction i: silent in timeouts that were needed, or before a last segment
 * was sent again.  With recovery_ns it is what loss costs. */
int64_t na_tcp_silent_ns(const struct tcp_row *row, size_t i);
/* What small segments of direction i waited for delayed ACKs; 0: too few of
 * them, or not all alike. */
int64_t na_tcp_held_ns(const struct tcp_row *row, size_t i);
/* Data left right behind an ACK that was so late, or an answer took so long, and
 * no verdict says why; 0. */
int64_t na_tcp_unexplained_ns(const struct tcp_row *row);
/*
 * Rates of loss have one base: the segments with payload that were sent, which
 * are those that were recorded, as they were on the wire, and those of the
 * lost that were not, since they were lost before the capture point.  What the
 * capture missed is in none of them.
 *
 *	data_lost    of needed[i] what is no SYN
 *	data_unseen  of these: never recorded, told by what was sent again
 *	data_sent    data_seen + data_unseen
 */
uint64_t na_tcp_data_lost(const struct tcp_row *row, size_t i);
/* Of needed[i]: those that do not follow from each other (ingest/tcp/trail/
 * trail.h); the SYNs of one connection are one. */
uint64_t na_tcp_loss_events(const struct tcp_row *row, size_t i);
uint64_t na_tcp_data_unseen(const struct tcp_row *row, size_t i);
uint64_t na_tcp_data_seen(const struct na_direction *d);
uint64_t na_tcp_data_sent(const struct tcp_row *row, size_t i);
/* That chance alone kills so many long ones. */
double na_tcp_length_p(const struct na_direction *d);
/* Of direction i: what was lost, and what was not. */
bool na_tcp_loses(const struct tcp_row *row, size_t i);
void na_tcp_rank(struct tcp_state *s);
enum na_severity na_tcp_severity_of(const struct tcp_row *row);

/* words.c: sentences with numbers and units, into the list `in`. */
void na_tcp_put_evidence(struct na_result *r, struct na_value *in,
			 const struct tcp_state *s, const struct tcp_row *row);
/* Direction i of the connection: its sender, and the other end. */
void na_tcp_ends(const struct tcp_state *s, const struct na_connection *c,
		 size_t i, char who[NA_SOCKET_BUF], char other[NA_SOCKET_BUF]);
/* What would tell more than this capture, or none. */
struct na_fact na_tcp_missing(const struct tcp_row *row);
/* Of --from and --to. */
bool na_tcp_windowed(const struct tcp_state *s);
/* The name of a host, or its address. */
const char *na_tcp_host(const struct tcp_state *s,
			const struct na_connection *c, uint32_t endpoint,
			char address[NA_ENDPOINT_BUF]);
/* Of a black hole in direction i, where there is one.  The cause as `check`
 * and the picture say it: "long packets never arrive at host-3, ..."; a host
 * without a name has its address in it. */
struct na_fact na_tcp_hole_cause(const struct tcp_state *s,
				 const struct tcp_row *row, size_t i,
				 char address[NA_ENDPOINT_BUF]);
struct na_fact na_tcp_hole_remedy(const struct tcp_row *row, size_t i);
/* The same cause; else of a healthy connection that it waited; or none. */
struct na_fact na_tcp_cause(const struct tcp_state *s,
			    const struct tcp_row *row, size_t i,
			    char address[NA_ENDPOINT_BUF]);
/* What to do, or none. */
struct na_fact na_tcp_remedy(const struct tcp_row *row);
/* "3 lose packets, 1 receiver too slow, 582 healthy". */
const char *na_tcp_summary(struct na_result *r, const struct tcp_state *s);

/* result.c */
/* Connections that the reader has only counted. */
uint64_t na_tcp_not_told(const struct tcp_state *s);
enum na_status na_tcp_put_result(void *state, struct na_result *r,
				 struct na_err *err) NA_MUST_CHECK;
/* hosts.c: the member hosts[].  False: no memory. */
bool na_tcp_put_hosts(struct na_result *r, struct na_value *body,
		      const struct tcp_state *s) NA_MUST_CHECK;
/* views.c: the tables for people. */
void na_tcp_views(struct na_result *r, const struct tcp_state *s);

/*
 * sequence.c: the segments of one direction of one connection, as many
 * as there are, into columns of equal width over its time.
 */
enum { TCP_COLUMNS = 1200, TCP_SPANS = 400 };

enum tcp_mark {
	TCP_MARK_FAST,       /* retransmitted, duplicate ACKs asked for it */
	TCP_MARK_TIMEOUT,    /* retransmitted after a timeout */
	TCP_MARK_OTHER,      /* retransmitted, neither of these */
	TCP_MARK_SPURIOUS,   /* retransmitted in vain */
	TCP_MARK_DISORDER,   /* out of order */
	TCP_MARK_LOST,       /* behind a hole of what was lost upstream */
	TCP_MARK_UNRECORDED, /* behind a hole that ACKs cover: the capture's */
	TCP_MARK_FULL,       /* fills the window */
	TCP_MARK_CE,         /* marked by a congested router */
	TCP_MARK_SACK,       /* blocks that the receiver has beyond a hole */
	TCP_MARK_DUPLICATE,  /* duplicate ACK */
	TCP_MARK_ZERO,       /* the receiver's window is closed */
	TCP_MARKS
};

/* Of so many columns between both times the one of a time. */
size_t na_tcp_column(int64_t from_ps, int64_t to_ps, int64_t time_ps,
		     size_t columns);
enum na_status na_tcp_sequence_read(struct tcp_state *s,
				    struct na_err *err) NA_MUST_CHECK;
void na_tcp_sequence_put(struct na_result *r, const struct tcp_state *s);
void na_tcp_sequence_free(struct tcp_sequence *q);

#endif
