/* What the oracle has of a session, the places where a fault could be, and
 * how well each explains it. */
#ifndef ACCURACY_SYNC_EVIDENCE_H
#define ACCURACY_SYNC_EVIDENCE_H

#include "tests/accuracy/sync/oracle.h"

struct sy_site { /* a place where a fault could be */
	/* For a pair of hosts: of SY_PLACES. */
	struct sy_fault fault;
	struct sy_suspect who;
	uint32_t *own; /* its transfers */
	size_t n_own;
};

enum sy_witness { SY_TIMERS, SY_EXCESS };

struct sy_evidence {
	const struct sy_plan *plan;
	const struct sy_transfer *transfers;
	size_t n_transfers;
	double *excess; /* of each transfer */
	double scale[SY_COLLECTIVES];
	bool *timer; /* one ended, that does not without the faults */
	bool *aside; /* said to be explained */
	size_t timers;
	double segments; /* both: of what is not set aside */
	struct sy_site *sites;
	size_t n_sites;
	/* of one site and collective */
	double *values, *sorted;
	double *gains, *other; /* of steps */
	uint32_t *steps;
};

/* False: no memory.  Release with sy_evidence_fini() in any case. */
bool sy_evidence_make(struct sy_evidence *e, const struct sy_run *with,
		      const struct sy_run *without);
void sy_evidence_fini(struct sy_evidence *e);

void sy_evidence_set_aside(struct sy_evidence *e, const struct sy_site *s);

/* Of each step, and their sum. */
double sy_gain(struct sy_evidence *e, const struct sy_site *s,
	       enum sy_witness witness, double *by_step);

#endif
