/*
 * What each queue pair did, one way: counted packet by packet, told at the
 * end as a na_queue_pair with its na_qp_marks.
 *
 * A sender repeats from some PSN on (go-back-N; InfiniBand Architecture
 * Specification vol. 1, 9.7.5 to 9.7.8): because a NAK asked for that PSN
 * (sequence error: the packet was missing; receiver not ready: it was not),
 * or because its timer ran out, which is a repeat behind a silence of
 * NA_ROCE_SILENCE_NS and without a NAK (the least timer that NICs take is
 * 4.096 us * 2^8, 1 ms; half of it lets a late ACK pass).  The first packet
 * of such a run is the one that was `needed`: those behind it follow because
 * the receiver keeps none out of order.  It was not when the receiver was
 * not ready, or had acknowledged it before; nor where answers are recorded
 * and none of them asks: that is a capture that has packets twice.  What
 * comes late without being asked for was reordered.
 *
 * Of a READ whose responses are lost, the request comes again: a repeat of
 * it.  Responses seen twice are repeats of their sender.
 */
#ifndef INGEST_ROCE_TRAIL_H
#define INGEST_ROCE_TRAIL_H

#include "ingest/roce/head.h"
#include "ingest/tcp/rtt.h"
#include "netan/base/err.h"
#include "netan/base/vec.h"
#include "netan/model/queue_pair.h"

#define NA_ROCE_SILENCE_NS INT64_C(500000)
/* NCCL's timer, 4.096 us * 2^20, which may run out as late as four times that
 * (9.7.6.1.3): who is silent for longer waits for none. */
#define NA_ROCE_LONGEST_NS (INT64_C(4096) * 4 << 20)

struct na_roce;
struct na_packet;

enum na_roce_news { NA_ROCE_FRESH, NA_ROCE_LATE, NA_ROCE_REPEAT };

/* PSNs of requests, or of the responses to READs. */
struct na_roce_course {
	bool begun;
	bool back;     /* in a run of repeats */
	uint32_t last; /* PSN of the packet before */
	int64_t at;    /* the same, from the first one, unwrapped */
	int64_t front; /* the farthest */
	int64_t last_ns, back_ns;
};

struct na_roce_mark {
	int64_t column, from, to;
	uint32_t count;
	uint8_t kind;
};

struct na_roce_trail {
	struct na_queue_pair sum; /* times and names apart */
	int64_t from_ns, to_ns;   /* of packets with data */
	/* The window has begun: `sum` is of what is in it. */
	bool within;
	bool carries, heard; /* data; answers, ever */
	struct na_roce_course requests, responses;
	uint8_t nak; /* enum na_roce_answer: YES none that is not obeyed yet */
	uint32_t nak_psn;
	int64_t nak_ns;
	bool lost_any, acked_any;
	uint32_t lost_psn; /* of the last that was needed */
	uint32_t acked;     /* the last PSN acknowledged */
	uint64_t open;      /* never seen, and not acknowledged yet */
	int64_t slow_to_ns; /* behind the last notification */
	/* That came before the queue pair was known that they are for. */
	uint64_t waiting_cnps, waiting_naks[3];
	/* stall.c: the last request that asks for an answer; the last answer;
	 * how long answers take; and at the end of the window: it waits for
	 * one, since wait_ns. */
	bool due_any, left, awaits;
	uint32_t due_psn, file;
	int64_t heard_ns, usual_ns, wait_ns, stalled_to_ns;
	struct na_rtt latency;
	int64_t width_ns; /* of a column, 2^n */
	NA_VEC(struct na_roce_mark) marks;
	uint32_t last_of[NA_QP_MARKS];
};

/* All of these: queue pair `qp`, and nothing where nobody wants them. */

/* A packet with data or a request; gap: PSNs left out before it. */
enum na_status na_roce_trail_sent(struct na_roce *x, uint32_t qp,
				  const struct na_packet *p,
				  const struct na_roce_head *h,
				  enum na_roce_news news,
				  uint32_t gap) NA_MUST_CHECK;
/* An ACK, NAK or response on `from` for the requests of `qp`, which may be
 * NA_ROCE_NONE. */
enum na_status na_roce_trail_answer(struct na_roce *x, uint32_t from,
				    uint32_t qp, const struct na_packet *p,
				    const struct na_roce_head *h) NA_MUST_CHECK;
enum na_status
na_roce_trail_congestion(struct na_roce *x, uint32_t from,
			 const struct na_packet *p) NA_MUST_CHECK;
void na_roce_trail_latency(struct na_roce *x, uint32_t qp, int64_t ns);
void na_roce_trail_message(struct na_roce *x, uint32_t qp);
/* stall.c: of `t`.  A new request before the end of the window, behind which
 * comes PSN `next`; an answer. */
void na_roce_stall_due(const struct na_roce *x, struct na_roce_trail *t,
		       const struct na_roce_head *h, uint32_t next);
void na_roce_stall_heard(const struct na_roce *x, struct na_roce_trail *t);
/* One behind the window. */
void na_roce_stall_sent(const struct na_roce *x, struct na_roce_trail *t,
			const struct na_roce_head *h, enum na_roce_news news);
void na_roce_stall_answered(const struct na_roce *x, struct na_roce_trail *t,
			    const struct na_roce_head *h);
/* No packet of it comes any more, or nobody looks.  Does it stall? */
bool na_roce_stall_end(const struct na_roce *x, struct na_roce_trail *t,
		       bool evicted);
/* To the sink, and gone. */
enum na_status na_roce_trail_tell(struct na_roce *x, uint32_t qp,
				  bool evicted) NA_MUST_CHECK;
enum na_status na_roce_trails_tell(struct na_roce *x) NA_MUST_CHECK;
void na_roce_trails_fini(struct na_roce *x);

#endif
