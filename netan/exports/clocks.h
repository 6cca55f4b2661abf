/*
 * By how much clocks are off, for exports that bring instants to one clock or
 * tell who would: of hosts from transfers in both directions, of ranks from
 * the ends of operations that they leave together.
 */
#ifndef NETAN_EXPORTS_CLOCKS_H
#define NETAN_EXPORTS_CLOCKS_H

#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/methods/ranks/ranks.h"
#include "netan/model/scope.h"

struct na_export_clocks {
	const struct na_scope *scope;
	const struct na_host_clocks *hosts;
	struct na_host_clocks own; /* where nobody shares them */
	NA_VEC(struct na_comm) comms; /* that the filter lets pass */
	NA_VEC(struct na_span) rank_steps;
	struct na_ranks ranks; /* of comms; empty without */
	uint32_t *alike; /* by rank clock: those that it is compared with */
};

/* Of all records in the store, which must be whole.  False: no memory; to be
 * ended whatever it says. */
bool na_export_clocks_find(struct na_export_clocks *x,
			   const struct na_scope *scope) NA_MUST_CHECK;
void na_export_clocks_fini(struct na_export_clocks *x);

struct na_export_clock {
	int64_t ahead_ps; /* as it is corrected; 0: it may be right */
	int64_t uncertainty_ps; /* NA_TIME_MAX: nothing is known */
	bool own; /* of one file alone, which counts from its own begin */
};
/* Of a host of the store. */
struct na_export_clock na_export_clock_of(const struct na_export_clocks *x,
					  uint32_t host);
/* Of the core of a rank. */
struct na_export_clock na_export_rank_clock(const struct na_export_clocks *x,
					    uint32_t core);

#endif
