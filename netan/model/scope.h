/*
 * What every analysis and every method may know before the first record, and
 * what it may ask of whoever drives it: work on all threads, and a further
 * walk through the inputs.
 */
#ifndef NETAN_MODEL_SCOPE_H
#define NETAN_MODEL_SCOPE_H

#include "netan/model/extent.h"
#include "netan/model/group.h"
#include "netan/model/hlo.h"
#include "netan/model/store.h"

/* Executions whose actions are wanted again: of a collective in a run, all
 * actions that meet [from, to] on their own host's clock. */
struct na_execution {
	uint32_t collective, run;
	int64_t from_ps, to_ps;
};

/* One action as the trace tells it: names and endpoints are the store's;
 * with the transfers that its event told, for sends and receives. */
struct na_replay {
	uint32_t input;
	const struct na_action *action;
	const struct na_transfer *transfers;
	size_t n;
};

struct na_shared_clocks; /* netan/methods/clocks/host_clocks.h */

struct na_scope {
	const struct na_store *store; /* resolved */
	const struct na_filter *filter;
	const struct na_bound_filter *bound; /* the same, with its verdicts */
	const struct na_hlo *programs;       /* NULL: none were asked for */
	const struct na_op_joins *joins;     /* likewise */
	struct na_grouping by;
	size_t top;          /* --top N; 0: the analysis's own */
	uint32_t components; /* NA_COMP_BIT()s that are asked for */
	bool step_hosts; /* each host in each step is wanted, beside both */
	/* Does a filter let pass what a slice among the inputs does not hold?
	 * NULL: there is none. */
	bool (*beyond_slices)(void *ctx, const struct na_filter *f);
	void *beyond_ctx;
	bool executions; /* each execution of a device, beside its collective */
	/* job(arg, 0) to job(arg, n - 1) on all threads, for work in turn and
	 * finish; n must not depend on the threads.  False: not done, no
	 * memory.  NULL: no threads; see na_side_by_side(). */
	bool (*parallel)(void *ctx, size_t n, void (*job)(void *arg, size_t i),
			 void *arg);
	void *parallel_ctx;
	/* Once more through the inputs for the segments of one connection, in
	 * their order; none where an input does not hold packets.  NULL:
	 * nobody draws them. */
	enum na_status (*segments)(
		void *ctx, const struct na_connection *c,
		enum na_status (*each)(void *arg, const struct na_segment *x),
		void *arg, struct na_err *err);
	void *segments_ctx;
	/* Once more through the traces for the actions of some executions;
	 * NULL, or NA_END: there is no trace to read again. */
	enum na_status (*actions)(
		void *ctx, const struct na_execution *of, size_t n,
		enum na_status (*each)(void *arg, const struct na_replay *x),
		void *arg, struct na_err *err);
	void *actions_ctx;
	/* That captures hold, with those that were not told one by one to
	 * bound memory; 0: nothing counted them. */
	uint64_t connections;
	uint64_t connections_outside; /* of these: no packet in the window */
	/* Of the hosts, by all transfers; NULL: nobody shares them. */
	struct na_shared_clocks *clocks;
	/* What was used so far, of all blocks: the driver's, and in finish the
	 * analysis's. */
	struct na_extent *used;
	/* By source, ns: what its times count from, on its lines' own clock;
	 * NULL: 0. */
	const int64_t *zero_ns;
};

/* The jobs of `parallel`, also where there are no threads: then one after the
 * other.  Returns when all are done; false: no memory, and none was run. */
bool na_side_by_side(const struct na_scope *scope, size_t n,
		     void (*job)(void *arg, size_t i), void *arg);

#endif
