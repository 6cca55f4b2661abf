/*
 * What the wire does to frames: an ordered list of rules.
 *
 *	tx:2>* loss p=0.01 only=data
 *	rx:1>3 delay ms=1
 *
 * tx is the side of the sender, before the tap in the middle; rx is that of
 * the receiver, behind it.  SRC>DST are numbers of hosts, or *.  Times count
 * from the first TCP frame.
 *
 *	loss p= [burst=]    with probability p; burst: that many in a row on
 *	                    average (Gilbert: all lost in the bad state)
 *	every n=            each n-th frame
 *	drop [over=]        all; over: only IP packets longer than that
 *	first n= p=         of each direction of a connection the first n, where
 *	                    the connection is one of share p
 *	delay ms= [to_ms=] [keep=1] [p=]
 *	                    for so long, or uniform up to to_ms, of share p;
 *	                    keep: nobody overtakes
 *	dup p=              comes twice
 *	rate mbit= queue_ms=
 *	                    one queue, what would wait longer is dropped
 *	hold period_s= ms=  stands still for ms in each period, then goes on
 *
 * Each takes from_s=, to_s=, flows= (a share of the directions of connections,
 * the same for all rules, as where paths are chosen by ports), and only=data|ack|syn|tail: with payload; without
 * payload, SYN, FIN and RST; with SYN; the first copy of a segment that ends
 * a message (PSH, shorter than a full one).
 */
#ifndef ACCURACY_TCP_RULES_H
#define ACCURACY_TCP_RULES_H

#include "netan/synth/rng.h"
#include "tests/accuracy/tcp/frame.h"

enum { RULES_MAX = 64, FLOWS_MAX = 4096 };

enum rule_kind {
	RULE_LOSS,
	RULE_EVERY,
	RULE_DROP,
	RULE_FIRST,
	RULE_DELAY,
	RULE_DUP,
	RULE_RATE,
	RULE_HOLD,
	RULE_KINDS
};

enum rule_only { ONLY_ALL, ONLY_DATA, ONLY_ACK, ONLY_SYN, ONLY_TAIL, ONLY_N };

struct rule {
	enum rule_kind kind;
	enum rule_only only;
	bool tx;
	unsigned src, dst; /* 0: any */
	double p, burst, ms, to_ms, mbit, queue_ms, period_s, from_s, to_s;
	double n, over, keep, flows;
	/* What it remembers. */
	bool bad;
	uint64_t seen;
	int64_t free_ns; /* rate: the queue is empty; keep: newest departure */
};

/* One direction of a connection, as far as it came to the wire. */
struct flow {
	struct frame_end src, dst;
	bool began;
	uint32_t hi; /* behind the highest byte seen */
	uint64_t frames, data, payload_bytes;
	uint64_t dropped_data, dropped_acks, dropped_syns, duplicated;
	uint64_t reordered; /* left after one that had come later */
	uint64_t arrivals, last_left;
};

struct rules {
	struct rule v[RULES_MAX];
	size_t n;
	struct na_rng rng;
	int64_t start_ns; /* first TCP frame; INT64_MIN: there was none */
};

/* False, with a message on stderr: no rule. */
bool rule_parse(const char *text, struct rule *out);

struct rule_verdict {
	bool drop, twice;
	int64_t at_ns; /* when it leaves the rule */
};

/* What rule r does to a frame that reaches it at at_ns; fresh: its payload was
 * not seen before. */
struct rule_verdict rule_apply(struct rules *all, struct rule *r,
			       const struct frame_view *v, size_t n,
			       const struct flow *flow, bool fresh,
			       int64_t at_ns);

#endif
