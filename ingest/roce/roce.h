/*
 * RoCEv2 (InfiniBand transport in UDP, destination port 4791; InfiniBand
 * Architecture Specification vol. 1, chapter 9, annex A17): messages of each
 * queue pair with operation, size and, where acknowledged, latency; gaps in
 * packet sequence numbers, NAKs, congestion notifications, ECN marks.
 *
 * A message is what the capture has whole: one Only packet, First to Last of
 * a queue pair, one atomic request, or the responses to one READ.  Its bytes
 * are those of UDP without headers, pad and ICRC (an atomic's: 8, the operand).
 * Each is one na_transfer: style CAPTURE, component NETWORK, collective
 * "roce:0x<destination QP>" (of the request), type the operation
 * (head.h).  Latency from the first packet to the ACK that covers the
 * last one, READ: from the request to the last response; without one the class
 * is NO_LATENCY.  A message sent again, and seen before, counts in
 * roce_messages once more but is no transfer of its own: its latency runs from
 * the first time.
 *
 * PSNs are followed for the requests of a queue pair and, apart from them,
 * inside the responses to one READ.  ACKs carry the PSN of what they answer,
 * so those say nothing about gaps; nor do datagrams, whose numbers count over
 * all destinations of their sender.
 *
 * An ACK names the requester's queue pair, a request the responder's, and no
 * packet both.  Which belong together is learnt: of the queue pairs of the
 * opposite direction that nobody else's ACKs answer, those where the ACK's PSN
 * is sent and not answered yet are possible; one with a message that ends at
 * that PSN goes before the others, then the one that waits longest.  It stays
 * so (both ways: the pair is symmetrical) until an ACK names a PSN that was
 * not sent on it but ends a message on another one.
 */
#ifndef INGEST_ROCE_ROCE_H
#define INGEST_ROCE_ROCE_H

#include "ingest/capture/addresses.h"
#include "netan/model/sink.h"

enum { NA_ROCE_PORT = 4791 };

struct na_roce_limits {
	size_t queue_pairs; /* the least recently used goes first; from 1 */
	size_t messages;    /* not yet acknowledged, all queue pairs; from 1 */
	size_t marks;       /* of all queue pairs, about; from 1 */
	size_t named; /* queue pairs told by name; the rest is "roce:other" */
};
extern const struct na_roce_limits na_roce_limits;

struct na_roce;

/* wants: of enum na_want, QUEUE_PAIRS; the others are told anyway.  Packets
 * come from so many files, 0 is one. */
struct na_roce *na_roce_new(const struct na_roce_limits *limits,
			    int64_t zero_ns, uint32_t wants, uint32_t files,
			    const struct na_sink *sink,
			    struct na_addresses *addresses);
/* Before the first packet: of queue pairs only what happens in [from_ns,
 * to_ns) is told. */
void na_roce_window(struct na_roce *x, int64_t from_ns, int64_t to_ns);
void na_roce_free(struct na_roce *x);
/* Those that follow come from this one of the files: each ends when it does. */
void na_roce_from(struct na_roce *x, uint32_t file);
/* p->kind is NA_PACKET_UDP to port 4791.  NA_ENOMEM, or what the sink says. */
enum na_status na_roce_packet(struct na_roce *x,
			      const struct na_packet *p) NA_MUST_CHECK;
/* Messages that nobody acknowledged go to the sink as well. */
enum na_status na_roce_finish(struct na_roce *x) NA_MUST_CHECK;
void na_roce_counts(const struct na_roce *x, struct na_capture_counts *c);

#endif
