/*
 * Why was it late?  The critical path of one execution of a collective on
 * one device through its action graph, and, where the traces of the other
 * hosts are there, on through theirs; with the clocks of the hosts brought
 * together.
 */
#ifndef NETAN_METHODS_LATE_LATE_H
#define NETAN_METHODS_LATE_LATE_H

#include "netan/methods/clocks/host_clocks.h"
#include "netan/model/scope.h"
#include "netan/result/result.h"

struct na_late_ask {            /* an execution that is to be explained */
	uint32_t collective;    /* name */
	uint32_t core;          /* of whose device plane it was late */
	int64_t from_ps, to_ps; /* send start to recv-done end, its own clock */
	int64_t stall_ps;
	/* Of its graph execution, where the asker knows which; else both
	 * are 0, and the one that overlaps most is taken. */
	int64_t graph_from_ps, graph_to_ps;
};

/*
 * Puts list `late` into the body: one object for each ask, in order, and
 * the actions of the first one into the side, for the waterfall.  Reads the
 * inputs once more, through scope->actions; without it (no trace at hand)
 * the list is empty, and a note says why; without asks it is empty.
 *
 *   asks  [n]  times in ps, each on the clock of its own host; borrowed
 *
 * NA_ENOMEM, or what kept the inputs from being read again.
 */
enum na_status na_put_late(const struct na_scope *scope,
			   const struct na_host_clocks *clocks,
			   const struct na_late_ask *asks, size_t n,
			   struct na_result *r,
			   struct na_err *err) NA_MUST_CHECK;

#endif
