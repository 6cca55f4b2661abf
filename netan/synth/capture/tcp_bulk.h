/*
 * What befalls the bulk connections of a synthetic capture.
 */
#ifndef NETAN_SYNTH_CAPTURE_TCP_BULK_H
#define NETAN_SYNTH_CAPTURE_TCP_BULK_H

#include "netan/synth/capture/tcp_flow.h"

struct na_bulk {
	struct na_flow flow;
	uint64_t left_bytes;        /* to be sent yet */
	uint64_t transfer_bytes;    /* of it, in the transfer under way */
	int64_t loss_q16;           /* share of segments */
	int64_t owed_q16, next_q16; /* losses owed; the next one's time */
	uint32_t ssthresh;
	uint64_t episodes; /* of trouble, so far */
};

/* flow: condition, sender, ends, isn, start_ns and rng are given. */
void na_bulk_start(struct na_bulk *b, uint64_t bytes, int64_t loss_q16);

/* Plans some packets; none when all is over. */
void na_bulk_more(struct na_bulk *b);

#endif
