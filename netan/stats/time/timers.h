/*
 * Do the late transfers come from a timer?  Excess over expectation is
 * counted by where it lies among the waits that TCP's timers cause
 * (docs/methods.md, "Late transfers and timers"; RFC 6298; Vasudevan et al.,
 * SIGCOMM 2009).
 *
 * "Late" is an excess above 8 times the expectation; a tail event is late
 * by more than 100 ms.
 */
#ifndef NETAN_STATS_TIME_TIMERS_H
#define NETAN_STATS_TIME_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NA_TIMER_MODES = 17, NA_TIMER_EDGES_MAX = 96 };
enum { NA_TAIL_MS = 100 }; /* a tail event is more than that late */

/* Times the wait: an excess that matches it lies from one to the other. */
#define NA_TIMER_LEAST 0.95
#define NA_TIMER_MOST  1.25

enum na_timer_cause {
	NA_TIMER_LOW_RTO,  /* a lowered minimum, 5 ms to 160 ms */
	NA_TIMER_ACK,      /* delayed acknowledgement, 40 ms */
	NA_TIMER_RTO,      /* 200 ms and its doublings */
	NA_TIMER_REPEATED, /* 600 and 1400 ms: running sums */
	NA_TIMER_INITIAL,  /* 1 s and its doublings */
	NA_N_TIMER_CAUSES
};

/* Between two edges every excess means the same. */
struct na_timer_edges {
	double ms[NA_TIMER_EDGES_MAX]; /* ascending */
	size_t n;
};
void na_timer_edges_init(struct na_timer_edges *e);

/* Counts by segment: [i] is from edge i up to the next. */
struct na_timer_counts {
	uint64_t n; /* transfers, late or not */
	uint64_t all[NA_TIMER_EDGES_MAX], late[NA_TIMER_EDGES_MAX];
};
void na_timer_add(struct na_timer_counts *c, const struct na_timer_edges *e,
		  double excess_ms, double expected_ms);
void na_timer_merge(struct na_timer_counts *into,
		    const struct na_timer_counts *from);

static inline bool na_is_late(double excess_ms, double expected_ms)
{
	return excess_ms > 8 * expected_ms;
}

static inline bool na_is_tail(double excess_ms, double expected_ms)
{
	return excess_ms > NA_TAIL_MS && na_is_late(excess_ms, expected_ms);
}

enum na_tail_kind {
	NA_TAIL_NONE,
	NA_TAIL_FEW,   /* one or two: nothing to judge by */
	NA_TAIL_TIMER, /* RTO-like */
	NA_TAIL_HEAVY
};

struct na_timer_mode {
	double ms;
	enum na_timer_cause cause;
	bool possible;  /* the data shows it (or it needs no showing) */
	uint64_t count; /* late transfers that match it */
};

struct na_timers {
	struct na_timer_mode modes[NA_TIMER_MODES]; /* ascending */
	uint64_t tail;                              /* tail events */
	uint64_t matched;                           /* of them, by any mode */
	uint64_t gap; /* excess in (50, 180) ms that no lower mode explains */
	enum na_tail_kind kind;
};

/*
 * A late transfer matches a mode when its excess lies in [NA_TIMER_LEAST,
 * NA_TIMER_MOST] times it (a timer adds the queueing after it, and takes
 * nothing away), of several the nearest in logarithms.  Modes below 200 ms are
 * possible only with three matches or more that stand out: what lies in (0.25,
 * 0.9) times the mode, unexplained by lower modes, is under 20 % of them; 40 ms
 * without a lower one is a delayed acknowledgement, and then also 60 % of what
 * is late by 20 to 100 ms.
 *
 * Kind: TIMER with three tail events or more, 60 % of them matched, and a
 * gap under 20 % of them.
 */
void na_timers_judge(const struct na_timer_counts *c,
		     const struct na_timer_edges *e, struct na_timers *out);

/* The mode of a late excess: its index, or -1. */
int na_timers_match(const struct na_timers *t, double excess_ms);

#endif
