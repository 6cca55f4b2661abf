/*
 * tcp: one direction of a connection, being told in sentences.
 */
#ifndef NETAN_ANALYSES_TCP_WORDS_H
#define NETAN_ANALYSES_TCP_WORDS_H

#include "netan/analyses/tcp/state.h"
#include "netan/base/str.h"

struct told { /* one direction, being told */
	const struct tcp_state *s;
	const struct tcp_row *row;
	size_t i; /* the direction */
	const struct na_direction *d, *peer;
	char who[NA_SOCKET_BUF], other[NA_SOCKET_BUF];
	struct na_result *r;
	struct na_value *in;
	struct na_str said; /* one sentence */
};

void na_tcp_say(struct told *t, const char *fmt, ...) NA_PRINTF(2, 3);
void na_tcp_say_count(struct told *t, uint64_t n, const char *noun);
/* "4.2 s of 17.3 s". */
void na_tcp_say_of(struct told *t, int64_t part_ns, int64_t whole_ns);
const char *na_tcp_time(char *buf, int64_t ns);

/* A sentence each, or none.  words_gone.c */
void na_tcp_tell_ends(struct told *t);
void na_tcp_tell_gone(struct told *t);
/* words_loss.c */
void na_tcp_tell_timeouts(struct told *t);
void na_tcp_tell_stall(struct told *t);
void na_tcp_tell_loss(struct told *t);
void na_tcp_tell_lengths(struct told *t);
void na_tcp_tell_accounts(struct told *t);
void na_tcp_tell_wireshark(struct told *t);
void na_tcp_tell_harmless(struct told *t);
void na_tcp_tell_twice(struct told *t);
void na_tcp_tell_unrecorded(struct told *t);
/* words_waits.c */
void na_tcp_tell_left(struct told *t);
void na_tcp_tell_answer(struct told *t);
/* The latest ACK, where one was later than Linux delays it while data flows;
 * 0. */
int64_t na_tcp_late_ack_ns(const struct na_direction *d);

#endif
