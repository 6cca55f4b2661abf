/*
 * steps: what files evidence.c, jitter.c and judge.c share: the evidence of
 * who was last, and what becomes of it.
 */
#ifndef NETAN_ANALYSES_STEPS_COURT_H
#define NETAN_ANALYSES_STEPS_COURT_H

#include "netan/analyses/steps/steps.h"

enum { ST_STARTS_OF_ENDS = ST_TESTS };

struct st_lateness { /* of a host where it was last */
	uint32_t host;
	uint32_t list;    /* enum st_test, or ST_STARTS_OF_ENDS */
	uint32_t cluster; /* step or launch */
	int64_t ps;
};

struct st_durations { /* a vector */
	int64_t *v;
	size_t n, cap;
	int64_t median_ps; /* when all are there */
};

struct st_known {
	uint32_t group;
	int64_t ps;
};

struct st_court {
	struct st_state *s;
	struct st_host **by_host; /* by host of the store; NULL: none */
	NA_VEC(struct st_lateness) late;
	struct st_durations *typical; /* [run * ST_TESTS + test] */
	struct st_durations
		*usual; /* by run: mean latency of the median host */
	int64_t *tmp, *leads, *behind, *spreads; /* by host; by step */
	/* Hosts whose clocks are known, by group and how well. */
	NA_VEC(struct st_known) known;
	/* What one step decides is one decision, however many collectives
	 * tell it: launch, run; and list, cluster, run that were tried. */
	struct na_triples clusters, tried;
	size_t *n_tried;  /* [run * ST_TESTS + test] */
	size_t *n_last;   /* [host of the store * ST_TESTS + test] */
	uint32_t cluster; /* that is looked at */
};

/* The lower one of two; 0 for none.  Leaves x in order. */
int64_t na_steps_median_of(int64_t *x, size_t n);
/* From steps, and from instances of collectives: who was last in which, by
 * how much.  False: no memory. */
bool na_steps_try_steps(struct st_court *c) NA_MUST_CHECK;
bool na_steps_try_instances(struct st_court *c) NA_MUST_CHECK;
/*
 * Whether a host is last in most of its steps by more than jitter: over these,
 * the (lower) medians of how far it is behind the second and behind the median
 * host, below 0 where it is not last, against what the other hosts are apart
 * in three of four steps, so that their bad moments count, too.  Of two hosts,
 * whether it is last alone.  O(host steps).
 */
bool na_steps_stands_out(const struct st_court *c, const struct st_host *h);

#endif
