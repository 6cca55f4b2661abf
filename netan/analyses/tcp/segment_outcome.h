/*
 * Of a direction in which long packets never arrive: each packet that is
 * drawn, whether it is a long one, and what became of it.  Of bounded size.
 */
#ifndef NETAN_ANALYSES_TCP_SEGMENT_OUTCOME_H
#define NETAN_ANALYSES_TCP_SEGMENT_OUTCOME_H

#include "netan/analyses/tcp/state.h"

struct tcp_outcomes;

/* Bytes of payload of the shortest packet that is long; 0: it is not size that
 * decides, or nothing of that size was recorded. */
uint32_t na_tcp_long_bytes(const struct tcp_row *row, size_t way);

/* NULL: no memory.  Of segments between both times, the rest is not drawn. */
struct tcp_outcomes *na_tcp_outcomes_new(uint32_t long_bytes, int64_t from_ps,
					 int64_t to_ps);
void na_tcp_outcomes_free(struct tcp_outcomes *f);

/* Data is sent. */
void na_tcp_outcomes_sent(struct tcp_outcomes *f, const struct na_segment *x,
			  bool inside);
/* The other side tells what has arrived. */
void na_tcp_outcomes_acked(struct tcp_outcomes *f, const struct na_segment *x);
/* What is not decided by now never is. */
void na_tcp_outcomes_end(struct tcp_outcomes *f);

void na_tcp_outcomes_put(struct na_result *r, struct na_value *in,
			 const struct tcp_outcomes *f);

#endif
