/*
 * Stalls of GPU jobs: from what each rank holds (netan/model/logs/recorder.h)
 * to who is stuck.
 *
 * An operation is a sequence of a group that some rank holds: has enqueued,
 * and not completed.  Of the other members, one whose last enqueued is
 * smaller never came; else it came and left.
 *
 *   mismatch      the tellers of one sequence differ in operation, type or,
 *                 where all must be equal, size; those beside the majority
 *                 (also of one that all have left, if these called nothing
 *                 after it, and others hold the next)
 *   device stuck  a member came and left, none never came: who holds it
 *   host stuck    who never came, and holds no earlier one of the group
 *   missing rank  nobody of these, and a member of whom there is no dump
 *
 * A culprit is told with the first of its operations: of what it holds by its
 * own list, of what it never called by those of others (order.h).
 *
 * In groups with point-to-point operations the last numbers mix both kinds;
 * there the entries tell, if completed ones were written, too.
 * Point-to-point: a peer that does not hold the
 * other end is waited for, and blamed only if nobody else is.
 *
 * Logs of NCCL's calls alone tell of no ends, and ranks of a job that runs are
 * apart, too: a stall in them is one if the watchdog says so, or if the logs
 * go on without a call for NA_STALL_QUIET_NS.  A mismatch needs neither.
 *
 * Who never came may wait elsewhere.  Ranks wait for those whom the
 * operations that they hold are blamed on; a host that so reaches another
 * culprit who does not wait for it is a victim.  Of hosts that wait for each
 * other in a ring, those whom most ranks wait for.
 *
 * Sources: pytorch/pytorch torch/distributed/flight_recorder (which sizes
 * must be equal); docs/methods.md, "Hangs".
 */
#ifndef NETAN_ANALYSES_HANG_STALL_H
#define NETAN_ANALYSES_HANG_STALL_H

#include "netan/model/logs/hang.h"
#include "netan/model/logs/recorder.h"
#include "netan/phrases/phrases.h"

/* Between the last call and the last line of logs: checkpoints and
 * evaluations on one rank take less as a rule. */
#define NA_STALL_QUIET_NS (INT64_C(120) * 1000000000)

struct na_stall_ranks { /* ascending, each once */
	NA_VEC(int32_t);
};

struct na_stall_culprit {
	int32_t rank;
	enum na_hang_cause kind;
};

/* Some ranks in an operation, and whom they wait for there. */
struct na_stall_wait {
	uint32_t group;
	int64_t sequence; /* -1: point-to-point */
	int64_t since_ns;
	struct na_stall_ranks waiting, waits_for;
};

/* What a rank takes a sequence for. */
struct na_stall_differs {
	int32_t rank;
	const struct na_fr_entry *entry;
};

/* Another operation that a culprit may not have called before. */
struct na_stall_other {
	uint32_t group, operation;
	int64_t sequence; /* -1: point-to-point */
	struct na_stall_ranks waiting;
};

/* Where the code of a rank stands. */
struct na_stall_frames {
	const struct na_fr_dump *dump;
	const struct na_fr_entry *entry;
};

struct na_stall {
	enum na_hang_cause cause;
	uint32_t evidence;            /* enum na_hang_evidence bits */
	uint32_t group, operation;    /* of the ranks; NA_NO_NAME: none */
	int64_t sequence;             /* -1: none */
	int64_t since_ns, timeout_ms; /* INT64_MIN, -1: not told */
	int64_t until_ns; /* the last time that the inputs tell; INT64_MIN */
	int64_t ran_ms;   /* so long it ran, as logs tell; 0: none does */
	NA_VEC(struct na_stall_culprit) culprits; /* by rank */
	NA_VEC(struct na_stall_wait) chain; /* nearest first, then by time */
	NA_VEC(struct na_stall_frames) frames;
	NA_VEC(struct na_stall_differs) differs;
	/* Nobody tells whether these come before the operation: who is to
	 * blame is as certain without. */
	NA_VEC(struct na_stall_other) others;
	struct na_stall_ranks missing, overflow, waiting;
	/* Others, whose operations all members have called: behind those. */
	struct na_stall_ranks behind;
	int64_t spread_ns; /* of the dumps' last times; -1: not told */
	struct na_fact why; /* nobody is blamed */
};

struct na_stalls {
	const struct na_flight_record *ranks;
	/* Operations that some ranks had not called when the logs end, of a
	 * job of which nothing says that it stood still by then. */
	size_t running;
	NA_VEC(struct na_stall) v; /* by time */
	struct na_phrases *phrases; /* what is told of them in words */
};

/* Borrows `ranks`.  na_stalls_fini() is due in any case. */
enum na_status na_stalls_judge(struct na_stalls *x,
			       const struct na_flight_record *ranks,
			       struct na_err *err) NA_MUST_CHECK;
void na_stalls_fini(struct na_stalls *x);

/* ---- among themselves */

/* An entry of a dump, by group, sequence and rank. */
struct na_stall_entry {
	uint32_t group;
	int32_t rank;
	int64_t sequence;
	const struct na_fr_dump *dump;
	const struct na_fr_entry *entry;
};

/* A sequence of a group that somebody holds. */
struct na_stall_op {
	uint32_t group;
	int64_t sequence;
	const struct na_stall_entry *entries; /* of all who tell of it */
	size_t n;
	int64_t since_ns;
	enum na_hang_cause cause;    /* UNKNOWN: nobody is to blame */
	struct na_stall_ranks holds; /* who holds it; none: a mismatch that all
					left, and its culprits came no further */
	struct na_stall_ranks blame;
	struct na_stall_ranks late; /* wait at an earlier one of the group */
	bool differs;               /* a mismatch, whoever is right */
	bool p2p;
};

struct na_stall_work {
	const struct na_flight_record *ranks;
	const struct na_fr_dump **dumps;        /* by rank; NULL: none */
	size_t n_ranks;                         /* one more than the largest */
	NA_VEC(struct na_stall_entry) entries;
	NA_VEC(struct na_stall_entry) sends; /* point-to-point, held */
	NA_VEC(struct na_stall_op) ops;
	bool *mixed;  /* by group: it has point-to-point operations */
	uint32_t *in; /* by rank: 1 + the group of the last op it holds */
	struct na_stall_ranks members;           /* of all groups */
	struct na_stall_ranks missing, overflow; /* of the job */
	bool stood; /* the job, by what logs of calls alone tell */
	size_t running;
};

bool na_stall_add(struct na_stall_ranks *to, int32_t rank); /* at the end */
void na_stall_order(struct na_stall_ranks *r); /* sorts, each once */
bool na_stall_has(const struct na_stall_ranks *r, int32_t rank);
/* One of its culprits, which are in order. */
bool na_stall_blames(const struct na_stall *s, int32_t rank);

/* Does what is not in its dump say that the rank does not hold it? */
bool na_stall_testifies(const struct na_fr_dump *d);
/* Of a dump that is cut off: by its counters the rank may be held in an
 * operation of some group, and so a victim. */
bool na_stall_may_wait(const struct na_fr_dump *d);
/* Of the ranks that are blamed, those whose dump is damaged. */
size_t na_stall_damaged(const struct na_stalls *x, const struct na_stall *s);
/* Does it, or say at least how far the rank came in its groups? */
bool na_stall_counts(const struct na_fr_dump *d);
static inline bool na_stall_held(const struct na_fr_entry *e)
{
	return e->state != NA_FR_COMPLETED;
}

/* From dumps to operations with their blame. */
bool na_stall_gather(struct na_stall_work *w);
bool na_stall_gather_p2p(struct na_stall_work *w);
void na_stall_work_fini(struct na_stall_work *w);
/* Whom each rank's operations make it wait for, and who is the root. */
bool na_stall_roots(struct na_stall_work *w, struct na_stalls *x);

#endif
