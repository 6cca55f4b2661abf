/*
 * Who kept whom waiting on a connection: a request of the client, until the
 * server's first new byte (later pauses may be those of a server that has
 * nothing more to say yet); and small writes that waited for an ACK which was delayed (RFC 1122,
 * 4.2.3.2 and 4.2.3.4: Nagle's algorithm and delayed acknowledgements).
 *
 * A wait is from the last packet of the client to the first of the answer,
 * less the shortest time in which the server acknowledges data (behind a long
 * request: the usual one): what is left is the server's own.  Waits under 1 ms are
 * none.  One in whose time something was sent again is the network's, and
 * kept apart.
 */
#ifndef INGEST_TCP_TURNS_H
#define INGEST_TCP_TURNS_H

#include "ingest/capture/packet.h"
#include "ingest/tcp/rtt.h"

struct na_turns {
	int64_t asked_ns;     /* last bytes of the client */
	uint64_t asked_bytes; /* of the request so far */
	uint32_t calls, upset_calls;
	bool asked, answered, upset;
	int64_t serve_ns, upset_ns;
	struct na_rtt serve;
};

/* New payload of the client. */
static inline void na_turns_ask(struct na_turns *t, const struct na_packet *p)
{
	if (t->answered || !t->asked) {
		t->upset = false;
		t->asked_bytes = 0;
	}
	t->asked_bytes += p->payload_bytes;
	t->asked = true;
	t->answered = false;
	t->asked_ns = p->time_ns;
}

/* The first new payload of the server since it was asked.  leg_ns: the
 * shortest time to the server and back, 0 not known; `usual_ns` with the
 * queue of a long request. */
void na_turns_answer(struct na_turns *t, struct na_rtt_pages *pages,
		     const struct na_packet *p, int64_t leg_ns,
		     int64_t usual_ns);

/* Of one direction: ACKs that take 30 to 250 ms longer than the path asks
 * for, and small segments that leave when one arrives.  One for which the
 * timer of a retransmission ran out was not delayed, but late or lost. */
struct na_nagle {
	int64_t sent_ns, late_ns; /* late: when a slow ACK came */
	int64_t waited_ns;
	uint32_t slow_acks, released;
	uint32_t unanswered; /* of the released: nothing of the peer followed
			      * until the next one */
	bool owed;           /* an answer to the last released one */
	struct na_rtt waits;
};

/* New payload of the sender; `rtt_ns` as far as known. */
void na_nagle_send(struct na_nagle *n, struct na_rtt_pages *pages,
		   const struct na_packet *p, bool small, int64_t rtt_ns);
/* New payload of the peer. */
static inline void na_nagle_answer(struct na_nagle *n)
{
	n->late_ns = 0;
	n->owed = false;
}
/* The sender sends something again. */
static inline void na_nagle_repeat(struct na_nagle *n)
{
	n->late_ns = n->sent_ns = 0;
}
/* An ACK of all that was sent. */
void na_nagle_hear(struct na_nagle *n, const struct na_packet *p,
		   int64_t leg_ns);

#endif
