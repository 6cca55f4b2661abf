/*
 * tcp: one direction of a connection, being told in facts.
 */
#ifndef NETAN_ANALYSES_TCP_WORDS_H
#define NETAN_ANALYSES_TCP_WORDS_H

#include <math.h>

#include "facts.h"
#include "netan/analyses/tcp/state.h"

struct told { /* one direction, being told */
	const struct tcp_state *s;
	const struct tcp_row *row;
	size_t i; /* the direction */
	const struct na_direction *d, *peer;
	char who[NA_SOCKET_BUF], other[NA_SOCKET_BUF];
	struct na_result *r; /* keeps what is a part of a sentence */
};

/* NaN, which is no argument, where there is none. */
static inline double na_tcp_some_s(int64_t ns)
{
	return ns > 0 ? na_s_of_ns(ns) : (double)NAN;
}

/* A sentence each, or none.  words_gone.c */
struct na_fact na_tcp_tell_ends(const struct told *t);
struct na_fact na_tcp_tell_gone(const struct told *t);
/* words_loss.c */
struct na_fact na_tcp_tell_timeouts(const struct told *t);
struct na_fact na_tcp_tell_stall(const struct told *t);
struct na_fact na_tcp_tell_loss(const struct told *t);
struct na_fact na_tcp_tell_lengths(const struct told *t);
struct na_fact na_tcp_tell_accounts(const struct told *t);
struct na_fact na_tcp_tell_wireshark(const struct told *t);
struct na_fact na_tcp_tell_harmless(const struct told *t);
struct na_fact na_tcp_tell_twice(const struct told *t);
struct na_fact na_tcp_tell_unrecorded(const struct told *t);
/* words_waits.c */
struct na_fact na_tcp_tell_left(const struct told *t);
struct na_fact na_tcp_tell_answer(const struct told *t);
/* The latest ACK, where one was later than Linux delays it while data flows;
 * 0. */
int64_t na_tcp_late_ack_ns(const struct na_direction *d);

#endif
