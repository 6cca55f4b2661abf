/*
 * What checks of captures share: whose side of the network loses packets, by
 * counts of what had to be sent again, never by latencies.
 */
#ifndef NETAN_CHECKS_PACKETS_PACKETS_H
#define NETAN_CHECKS_PACKETS_PACKETS_H

#include "netan/checks/check.h"

/* Captures tell of the network, and no traces whose transfers do: what ranks
 * of GPU jobs send holds the wait for their peers. */
bool na_captures_alone(const struct na_case *c);
/* Traces of ranks are among them: a send or receive there lasts until its
 * peer has come, too, so that a rank beside a late one looks like a slow
 * NIC. */
bool na_sends_wait(const struct na_case *c);
/* bad_endpoint_ranks.c: what joined transfers of ranks say of their links.
 * False: not enough to say that nobody is slow. */
bool na_bad_endpoint_ranks(struct na_case *c);
/* bad_endpoint_two.c: a culprit of two hosts alone, one direction of which is
 * slower than the other. */
void na_bad_endpoint_two(struct na_case *c, const struct na_value *culprit);
/* What was compared, in words; NULL: nothing. */
const char *na_ranks_compared(struct na_case *c);
/* Some of them are slow. */
bool na_ranks_slow(const struct na_case *c);
/* All inputs are dumps of recorders. */
bool na_recorders_alone(const struct na_case *c);
/* The host of one end of a connection of `tcp`, M_src or M_dst: its name, else
 * its address. */
const char *na_packets_host(struct na_case *c, const struct na_value *row,
			    bool dst);
/* Who is the server, and who the client. */
const char *na_packets_server(struct na_case *c, const struct na_value *row);
const char *na_packets_client(struct na_case *c, const struct na_value *row);
/* "10.0.0.3:8471", where the server listens. */
const char *na_packets_listener(const struct na_value *row);

/* One directed pair of hosts, all its connections together. */
struct na_flow_sum {
	const char *src, *dst;
	uint32_t src_at, dst_at; /* their numbers */
	double segments, events;
	double again;   /* packets, for these events */
	double stalled; /* events of connections silent in timeouts */
};

/* In the case's arena; v NULL: no memory. */
struct na_flows {
	struct na_flow_sum *v;
	size_t n, hosts; /* hosts: that they are between */
};

/* A side of a host, or a path, that stands out. */
struct na_packets_side {
	const char *kind; /* "src", "dst", "host", "pair" */
	const char *host; /* src, dst, host */
	const char *src, *dst;
	double segments, events; /* of it */
	double again, stalled;
	double rest_segments, rest_events;
	double p_value; /* NaN: no test, it is the only one that could be */
	bool both_fit;  /* a pair: no other pair shows whose end it is */
};

/* Of fewer nobody is acquitted, and a doubt counts. */
enum { NA_FEW_PACKETS = 50 };
/* Of the data segments: with 1 % a connection of 10 ms reaches 14 Mbit/s
 * (MSS / RTT x sqrt(3 / (2 p)), Mathis et al., CCR 1997).  Who could not see
 * that acquits nobody. */
#define NA_RUINOUS_LOSS 0.01
/* The rule of three (Hanley and Lippman-Hand, JAMA 1983): what none of n
 * showed is, with 95 % confidence, rarer than 3 in n. */
double na_would_have_shown(double n);
/* What it takes that of so many data segments of TCP, or packets of RoCEv2, a
 * ruinous loss had shown, in words; NULL: it would have. */
const char *na_packets_few(struct na_case *c, double sent, bool roce);
/* verdict_open.c: of so many data segments, which of them may have been lost
 * and the captures do not hold what would tell, in words; NULL: none, or too
 * few to matter. */
const char *na_packets_open(struct na_case *c, double sent);
/* Connections, or queue pairs, in a wait that reaches beyond what is looked
 * at, in words; NULL: none. */
const char *na_packets_stalled(struct na_case *c);
const char *na_packets_rdma_stalled(struct na_case *c);
/* A check passes only if it might have found something: of n transfers, where
 * it takes `least`. */
void na_transfers_few(struct na_case *c, double n, double least);
enum { NA_SIDES_MOST = 8, NA_SEGMENTS_LEAST = 5, NA_LOST_SURELY = 10 };
/* Of the time looked at: what costs less, and came too seldom for a test
 * (NA_SEGMENTS_LEAST), is a remark. */
#define NA_TRIFLE 0.01
/*
 * Of flows: what shows `least` events or more, at more than three times the
 * rate of all others (binomial, P times twice the hosts below 0.001); the
 * largest ratio is taken out, and the rest is looked at again.  Where no test
 * says more, the only pair that has any: of `least` or more, or of two hosts.
 */
size_t na_packets_sides(struct na_case *c, const struct na_flows *f,
			double least,
			struct na_packets_side out[NA_SIDES_MOST]);
/* The connections in timeouts that show it explain it as well, with fewer than
 * NA_LOST_SURELY events: the side is no more than an alternative. */
bool na_packets_is_doubted(const struct na_packets_side *x);
/*
 * What all flows with events have in common: "src" or "dst" of the same host;
 * "host", an end of all of them; "pair", of two hosts alone, in the direction
 * of the first; or kind NULL.  `events` is how many flows.  False: none has.
 */
bool na_packets_common(const struct na_flows *f, struct na_packets_side *x);
/* Flows of `tcp`: data segments, and what `count` says of a direction of a
 * connection. */
struct na_flows na_packets_flows(struct na_case *c,
				 double (*count)(const struct na_value *row,
						 const struct na_value *way));
/* Flows of `rdma`: packets, and what `count` says of a queue pair. */
struct na_flows
na_packets_rdma_flows(struct na_case *c,
		      double (*count)(const struct na_value *row));
/* The host of one end of a queue pair: its name, else its address. */
const char *na_packets_end(const struct na_value *row, bool dst);
/* Of so many packets that were needed again those that do not follow from each
 * other, as a direction or a queue pair's repeats tell them; an older transfer
 * file does not: all. */
double na_loss_events(const struct na_value *of, double needed);
/* The directions whose verdict is loss: such events, which is what tests may
 * count. */
double na_packets_losses(const struct na_value *row,
			 const struct na_value *way);
/* The same: needed retransmissions. */
double na_packets_needed(const struct na_value *row,
			 const struct na_value *way);
/* "transmit side of h2", "path h1 -> h3" */
const char *na_packets_name(struct na_case *c, const struct na_packets_side *x);
/* "transmit side of h2 loses packets" */
const char *na_packets_loses(struct na_case *c,
			     const struct na_packets_side *x);
struct na_who na_packets_who(const struct na_packets_side *x);
/* Of flows with events, of which no side or path has more than its share: the
 * network somewhere between their hosts. */
struct na_who na_packets_between(struct na_case *c, const struct na_flows *f);

/*
 * slow_side.c: sides that `tcp` finds slow without loss, as findings; there are
 * some; or five hosts or more were compared.  Why, with nothing named, a
 * side may be slow all the same, in words; NULL: none is.  What was looked for
 * beside loss, for a verdict; "".
 */
void na_check_slow_sides(struct na_case *c);
bool na_packets_slow_side(const struct na_case *c);
bool na_packets_compared(const struct na_case *c);
const char *na_packets_slow_open(struct na_case *c);
const char *na_packets_looked_for(struct na_case *c);

/* bad_endpoint_packets.c: the check bad-endpoint, of captures alone. */
void na_bad_endpoint_packets(struct na_case *c);

/* The options of netan that draw a connection, a row of `tcp`, or a queue pair,
 * of `rdma`; its ends are globs there, and words of a shell: other names are
 * left out. */
const char *na_packets_more(struct na_case *c, const char *command,
			    const struct na_value *row);

/* Of one way: data segments that were sent, recorded or not, and of these the
 * lost ones; of results that lack these the packets that were recorded. */
double na_packets_segments(const struct na_value *way);
double na_packets_lost(const struct na_value *way);

/* "10.0.0.1:80 -> 10.0.0.2:99" of a connection or queue pair, or from its dst
 * to its src. */
const char *na_packets_ends(struct na_case *c, const struct na_value *row,
			    bool back);
/* Of n connections, or queue pairs, whose lost_s is that of the finding: named
 * where `how` does not. */
void na_packets_whose(struct na_case *c, struct na_finding *f, int64_t n,
		      bool queue_pairs, const char *ends);

/* rpc_failed.c: calls of captures that failed or got no answer. */
void na_check_failed_calls(struct na_case *c);

/* tcp_late.c: what delays packets and loses none. */
void na_check_queues(struct na_case *c);
void na_check_late(struct na_case *c);

#endif
