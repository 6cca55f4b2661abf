/*
 * RoCEv2 (InfiniBand transport in UDP, destination port 4791; InfiniBand
 * Architecture Specification vol. 1, chapter 9, annex A17): messages of each
 * queue pair with operation, size and, where acknowledged, latency; gaps in
 * packet sequence numbers, NAKs, congestion notifications, ECN marks.
 *
 * One na_transfer for each message: style CAPTURE, component NETWORK,
 * collective "roce:0x<destination QP>", type the operation.  Latency from
 * the first packet to the ACK that covers the last (READ: to the last
 * response); without one the class is NO_LATENCY.
 */
#ifndef INGEST_ROCE_H
#define INGEST_ROCE_H

#include "ingest/packet.h"
#include "netan/model/sink.h"

enum { NA_ROCE_PORT = 4791 };

struct na_roce_limits {
	size_t queue_pairs; /* the least recently used goes first */
	size_t messages;    /* not yet acknowledged, all queue pairs */
};
extern const struct na_roce_limits na_roce_limits;

struct na_roce;

struct na_roce *na_roce_new(const struct na_roce_limits *limits,
			    int64_t zero_ns, const struct na_sink *sink);
void na_roce_free(struct na_roce *x);
/* p->kind is NA_PACKET_UDP to port 4791. */
enum na_status na_roce_packet(struct na_roce *x, const struct na_packet *p);
/* Messages that nobody acknowledged go to the sink as well. */
enum na_status na_roce_finish(struct na_roce *x);
void na_roce_counts(const struct na_roce *x, struct na_capture_counts *c);

#endif
