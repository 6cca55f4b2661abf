/*
 * RoCEv2 messages between one pair of queue pairs of a synthetic capture,
 * reliable connection; the capture point stands next to the requester.
 */
#ifndef NETAN_SYNTH_CAPTURE_ROCE_FLOW_H
#define NETAN_SYNTH_CAPTURE_ROCE_FLOW_H

#include "netan/synth/capture/frame_out.h"
#include "netan/synth/rng.h"

enum { NA_ROCE_PLANS = 256 };

/* What its requests meet with; MIXED: a little of all but timeouts. */
enum na_roce_condition {
	NA_ROCE_MIXED,
	NA_ROCE_HEALTHY,
	NA_ROCE_LOSS,
	NA_ROCE_TIMEOUT,
	NA_ROCE_NOT_READY,
	NA_ROCE_CONGESTED,
	NA_ROCE_CONDITIONS
};
extern const char *const na_roce_words[NA_ROCE_CONDITIONS];

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
	uint64_t naks, rnr_naks, repeats, needed, timeouts, congestion, ce;
	int64_t silent_ns, latency_sum_ns, latency_max_ns;
};

struct na_roce_flow {
	struct na_frame_end ends[2]; /* requester, responder */
	uint32_t qp[2];              /* their queue pairs */
	enum na_roce_condition condition;
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
