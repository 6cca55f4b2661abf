/*
 * One operation of a communication library on all its ranks, from what each
 * rank's own trace tells (netan/model/comm.h).
 *
 * Joined by group, operation and sequence; where the input has no sequence,
 * by ordinal in the group, counted from the first operation after the first
 * step that all ranks have, else from the start, and only where all ranks
 * have the same operations in the same order.  Kernels whose group nothing
 * tells are of the group of all ranks if that holds for their stream.
 *
 * Ranks leave a synchronous operation together.  So ends give the clocks of
 * hosts (median over operations, and a slope where it is more than chance),
 * and what is left of their spread tests the join: it is refused where that
 * is over ten times the median one.  Ranges on CPUs (gloo) end apart by
 * milliseconds: their ends correct clocks only where, as the clocks are, a
 * rank would leave before another comes, and refuse a join only by that.  Who
 * comes last does not wait: the
 * shortest kernel is the transfer, what others take longer is waiting.
 *
 * What a recorder tells arrives when it is queued, and nobody knows when its
 * kernel ran: such records are joined with each other alone, tell no transfer
 * and no clock.  Records of durations without their times tell the transfer
 * alone.  What a rank's trace tells, or of its time what another input tells
 * better (na_told), is not taken again.
 *
 * Memory: 24 bytes for each record and 40 for each part of an instance.
 */
#ifndef NETAN_METHODS_RANKS_RANKS_H
#define NETAN_METHODS_RANKS_RANKS_H

#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/model/comm.h"
#include "netan/model/store.h"

/* Ends on one clock differ by a few us (network and rounding): a smaller
 * offset is none. */
#define NA_RANK_CLOCK_PS (10 * NA_PS_PER_US)
/* Clocks of hosts are hardly farther apart. */
#define NA_RANK_HOSTS_PS (10 * NA_PS_PER_MS)
/* What is left of ends is refused over so many medians, and no median is
 * below the rounding of traces. */
#define NA_RANK_RESIDUALS   10
#define NA_RANK_RESIDUAL_PS (2 * NA_PS_PER_US)

/* More is no operation's size; 1 EiB. */
#define NA_RANK_BYTES_MAX (UINT64_C(1) << 60)

enum na_rank_by { NA_RANK_BY_SEQUENCE, NA_RANK_BY_ORDINAL, NA_N_RANK_BYS };

/* Why a record is part of no instance. */
enum na_rank_apart {
	NA_RANK_ALONE,   /* no other rank of its group is in the input */
	NA_RANK_COUNTS,  /* ranks have other operations, or not as many */
	NA_RANK_MISSING, /* a rank of its group lacks this one, or has two */
	NA_RANK_SIZES,   /* ranks tell other sizes */
	NA_RANK_ENDS,    /* ends do not agree */
	NA_RANK_AGAIN,   /* another input of the rank tells of it */
	NA_N_RANK_APARTS
};

/* What the times of a record are. */
enum na_rank_times {
	NA_RANK_RAN,
	NA_RANK_QUEUED, /* arrivals alone */
	NA_RANK_LASTED, /* durations alone */
	NA_N_RANK_TIMES
};

struct na_rank {
	uint32_t run, core; /* of those with its number, of the input that
			       tells most of it, the first */
	uint32_t clock;     /* of na_ranks.clocks */
	int32_t number;
	enum na_told told; /* by that input */
	bool ran, queued;  /* it has a trace, or a plugin's log; a dump */
	int64_t anchor_ps; /* start of the first common step, or NA_TIME_MIN */
};

/* A host of a run.  What it shows is ahead_ps + drift * (time - at_ps) more
 * than what the first of its component shows; none where that is within
 * NA_RANK_CLOCK_PS, unless files count from begins of their own. */
struct na_rank_clock {
	uint32_t run, host; /* of the store: the first with its name */
	uint32_t component;
	int64_t at_ps, ahead_ps, uncertainty_ps;
	double drift, drift_uncertainty; /* 1: a second in a second */
	uint64_t n;                      /* operations it is from */
	bool own; /* of one file, from whose begin it counts */
	bool corrected;
};

struct na_rank_group {
	uint32_t run, name; /* NA_UNKNOWN_U32: not told, or two ranks */
	int32_t src, dst;   /* of point-to-point operations; else -1 */
	uint32_t stream;    /* where `name` is not told */
	uint16_t purpose;   /* of na_comm; 0: not told, or of no importance */
	uint8_t times;      /* enum na_rank_times */
	uint32_t size;      /* ranks: as told, else that are there */
};

/* One rank's part, on the common clock. */
struct na_rank_part {
	int64_t start_ps, end_ps;
	size_t comm;
	uint32_t rank, instance;
};

struct na_rank_instance {
	size_t from, to; /* parts, by rank */
	int64_t sequence;
	int64_t first_ps;
	int64_t skew_ps;                    /* LASTED: 0 */
	int64_t transfer_ps, end_spread_ps; /* QUEUED: 0 */
	uint64_t size_bytes;                /* NA_UNKNOWN_U64 */
	uint32_t group;
	uint32_t last; /* rank that arrives last; LASTED: nobody knows */
	/* Who made it late: not `last` where that one had waited for others
	 * before, for most of what it is late. */
	uint32_t root;
	uint8_t by, operation, times; /* times: enum na_rank_times */
	bool synchronous;             /* and its ends are told */
};

struct na_ranks {
	/* The caller's; `looked` NULL: all inputs. */
	const struct na_store *store;
	const struct na_bound_filter *looked;
	const struct na_comm *comms;
	size_t n_comms;
	const struct na_span *steps; /* NA_SPAN_STEP; others are passed over */
	size_t n_steps;

	NA_VEC(struct na_rank) ranks; /* by run and number */
	NA_VEC(struct na_rank_clock) clocks;
	NA_VEC(struct na_rank_group) groups;
	NA_VEC(struct na_rank_part) parts;
	NA_VEC(struct na_rank_instance) instances; /* by run, first arrival */
	uint32_t *rank_of;                         /* by core; NA_UNKNOWN_U32 */
	uint32_t *group_of; /* by record; NA_UNKNOWN_U32: damaged */
	uint8_t *apart;     /* by record; NA_N_RANK_APARTS: it is joined */
	uint64_t joined[NA_N_RANK_BYS],
		unjoined[NA_N_RANK_APARTS]; /* records */
	uint64_t instances_by[NA_N_RANK_BYS];
	uint64_t clocks_from_ends;
};

/* All but the caller's is zero before.  False: no memory. */
bool na_ranks_join(struct na_ranks *r) NA_MUST_CHECK;
void na_ranks_fini(struct na_ranks *r);

/* All its ranks leave together. */
bool na_rank_synchronous(uint8_t operation, bool pair);
static inline bool na_rank_is_pair(const struct na_comm *x)
{
	return (x->operation == NA_OPCODE_SEND ||
		x->operation == NA_OPCODE_RECV) &&
	       x->peer >= 0;
}
enum na_rank_times na_rank_times_of(const struct na_comm *x);
/* Part i: what it takes longer than the shortest of its instance; QUEUED: 0. */
static inline int64_t na_rank_wait(const struct na_ranks *r, size_t i)
{
	const struct na_rank_part *p = &r->parts.v[i];
	const struct na_rank_instance *x = &r->instances.v[p->instance];

	return x->times == NA_RANK_QUEUED
		       ? 0
		       : p->end_ps - p->start_ps - x->transfer_ps;
}
/* Whether the transfer is what passed the links: of kernels, which nobody left
 * before the others. */
bool na_rank_measures(const struct na_ranks *r,
		      const struct na_rank_instance *x);
/* What a rank is called in transfers (r3); NA_UNKNOWN_U32: in none. */
uint32_t na_rank_endpoint(const struct na_store *store, int32_t number);
/* An instant of a rank on the common clock. */
int64_t na_rank_time(const struct na_ranks *r, uint32_t rank, int64_t at_ps);

#endif
