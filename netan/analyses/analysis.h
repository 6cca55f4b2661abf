/*
 * What an analysis is: an accumulator.  The driver (netan/engine) cuts the
 * kept records into blocks of fixed size, gives each block a state of its
 * own, and merges the states in input order; so one thread and sixteen,
 * one machine and many, give the same result.
 *
 *   open    the state, from parameters and what is known before any record;
 *           NA_END when no record would tell anything
 *   fork    an empty block state, for pass `pass`
 *   add     records into a block state (transfers; graph executions and
 *           actions; what captures tell: calls, frames, connections,
 *           segments; what device planes tell: ops, busy times, steps and
 *           program runs)
 *   seal    a block state that is complete
 *   merge   a block state into the main one
 *   turn    after a pass: what it found decides how to go on; NA_END when
 *           no further pass is needed
 *   share   a part of what finish needs, beside other parts
 *   finish  the result
 *
 * An analysis never opens a file, prints or draws.
 */
#ifndef NETAN_ANALYSES_ANALYSIS_H
#define NETAN_ANALYSES_ANALYSIS_H

#include "netan/base/face.h"
#include "netan/model/scope.h"
#include "netan/result/result.h"

struct na_analysis {
	struct na_face face;
	const char *source;  /* where the method is from */
	uint32_t wants;      /* enum na_want bits */
	bool clips;          /* --from/--to clip, not select */
	bool suspects;       /* its culprits may go to a ledger */
	bool instants;       /* sees clock_skew and no_latency, too */
	bool censored;       /* sees clock_skew, which counts as left out */
	bool both_sides;     /* without --side: rx and tx, not rx alone */
	bool by_steps;       /* needs the step of every transfer */
	bool every_host;     /* sees ops, steps and program runs of hosts that
				--host leaves out, too: to count them */
	uint32_t components; /* NA_COMP_BIT()s that --component may ask for;
				0: the network's alone */
	uint32_t besides;    /* that it sees whatever is asked for */
	size_t state_size;
	unsigned passes;

	/* The parameters alone, before any file is opened; may be NULL. */
	enum na_status (*check)(const void *params, struct na_err *err);
	enum na_status (*open)(void *state, const struct na_scope *scope,
			       const void *params, struct na_err *err);
	/* These: NA_ENOMEM only. */
	enum na_status (*fork)(void *block, const void *state, unsigned pass);
	/* NULL: looks at no transfers. */
	enum na_status (*add)(void *block, const struct na_transfer *t);
	enum na_status (*add_exec)(void *block, const struct na_exec *e);
	/* Of captures; each may be NULL.  `sides`: what a frame is to the
	 * hosts that are looked at, see na_filter_frame(). */
	enum na_status (*add_call)(void *block, const struct na_call *c);
	enum na_status (*add_frame)(void *block, const struct na_frame *w,
				    unsigned sides);
	enum na_status (*add_connection)(void *block,
					 const struct na_connection *c);
	enum na_status (*add_segment)(void *block, const struct na_segment *s);
	/* Of device planes, of hosts that --host lets pass: nothing else is
	 * filtered, since what an op costs depends on those around it.
	 * na_scope.late answers for times.  Records come in input order and,
	 * of one line, in its order.  Each may be NULL. */
	enum na_status (*add_op)(void *block, const struct na_op *x);
	enum na_status (*add_busy)(void *block, uint32_t core, int64_t start_ps,
				   int64_t end_ps);
	enum na_status (*add_step)(void *block, const struct na_span *s);
	enum na_status (*add_module)(void *block, const struct na_span *s);
	/* What host threads did, by na_filter_host_event(); may be NULL. */
	enum na_status (*add_host_event)(void *block,
					 const struct na_host_event *e);
	/* Once a block has all its records, still on its thread; may be
	 * NULL. */
	enum na_status (*seal)(void *block);
	enum na_status (*merge)(void *state, void *block, unsigned pass);
	enum na_status (*turn)(void *state, unsigned done, struct na_err *err);
	/* Heavy work before finish that can run side by side: share i of n,
	 * always the same n.  May be NULL. */
	enum na_status (*share)(void *state, size_t i, size_t n);
	enum na_status (*finish)(void *state, struct na_result *r,
				 struct na_err *err);
	/* Of main and block states alike; all-zero states too. */
	void (*fini)(void *state);

	/* About how many bytes a block state of the next pass takes: the
	 * driver keeps few at once when they are large.  May be NULL. */
	size_t (*weight)(const void *state);

	/* How bad is what was found, for --fail-on: enum na_severity; may be
	 * NULL.  After finish. */
	enum na_severity (*severity)(const void *state);

	/* Filled in by the driver for the envelope; the analysis says how
	 * many transfers it used and over which time. */
	void (*used)(const void *state, uint64_t *n, int64_t *first_ps,
		     int64_t *last_ps);
};

extern const struct na_analysis *const na_analyses[];         /* NULL ends */
const struct na_analysis *na_analysis_find(const char *name); /* or NULL */

#endif
