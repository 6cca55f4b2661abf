/*
 * RoCEv2 messages between one pair of queue pairs of a synthetic capture,
 * reliable connection; the capture point stands next to the requester.
 */
#ifndef NETAN_SYNTH_CAPTURE_ROCE_FLOW_H
#define NETAN_SYNTH_CAPTURE_ROCE_FLOW_H

#include "netan/synth/capture/frame_out.h"
#include "netan/synth/rng.h"

enum { NA_ROCE_PLANS = 256 };

struct na_roce_plan {
	int64_t time_ns;
	uint32_t psn, data; /* bytes behind the headers, before the pad */
	uint8_t opcode, ecn;
	bool back;        /* from the responder */
	uint8_t syndrome; /* of an AETH */
	uint32_t asked;   /* RETH */
};

struct na_roce_truth {
	uint64_t packets, messages, bytes, sends, writes, reads, atomics;
	uint64_t naks, rnr_naks, repeats, congestion, ce;
	int64_t latency_sum_ns, latency_max_ns;
};

struct na_roce_flow {
	struct na_frame_end ends[2]; /* requester, responder */
	uint32_t qp[2];              /* their queue pairs */
	uint32_t psn, msn, mtu;
	int64_t start_ns, now_ns, rtt_ns;
	uint64_t left; /* messages */
	struct na_roce_plan plans[NA_ROCE_PLANS];
	size_t first, n;
	struct na_roce_truth truth;
	struct na_rng rng;
};

void na_roce_flow_start(struct na_roce_flow *f, uint64_t messages);
/* Plans one message; none when all are sent. */
void na_roce_flow_more(struct na_roce_flow *f);
NA_MUST_CHECK enum na_status na_roce_flow_put(struct na_roce_flow *f,
					      struct na_frames *out,
					      struct na_err *err);

#endif
