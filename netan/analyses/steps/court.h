/*
 * steps: what files evidence.c and judge.c share: the evidence of
 * who was last, and what becomes of it.
 */
#ifndef NETAN_ANALYSES_STEPS_COURT_H
#define NETAN_ANALYSES_STEPS_COURT_H

#include "netan/analyses/steps/steps.h"
#include "netan/judge/units.h"

/* Lists beside those of tests: starts of those that end last, and what the
 * transfers of a step take. */
enum { ST_STARTS_OF_ENDS = ST_TESTS, ST_NETWORK_OF_STEPS };

struct st_seen { /* of a host in a step or launch */
	uint32_t run, list, host, replicate;
	int64_t ps;
};

struct st_lateness { /* of a host where it was last */
	uint32_t host;
	uint32_t list;    /* enum st_test, or ST_STARTS_OF_ENDS */
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
	NA_VEC(struct st_seen) seen;
	struct na_units_row *rows;   /* [seen] */
	double *unsure;              /* by host of the steps */
	struct na_units_result *odds;
	bool *by_network; /* by host: mostly slowest by its transfers */
	int64_t *tmp;     /* by host */
	/* Hosts whose clocks are known, by group and how well. */
	NA_VEC(struct st_known) known;
	struct na_triples clusters; /* launch, run: replicates */
};

/* The lower one of two; 0 for none.  Leaves x in order. */
int64_t na_steps_median_of(int64_t *x, size_t n);
/* From steps, and from instances of collectives: who was last in which, by
 * how much.  False: no memory. */
bool na_steps_try_steps(struct st_court *c) NA_MUST_CHECK;
bool na_steps_try_instances(struct st_court *c) NA_MUST_CHECK;
#endif
