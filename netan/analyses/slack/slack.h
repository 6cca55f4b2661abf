/*
 * What the files of slack share: an execution of a collective on one device
 * ("occurrence"), the rows that sum them up, and the state.
 *
 * Definitions: docs/methods.md, "Slack and stall".  On one device, in the order
 * of start times:
 *
 *   overlap   durations of all DCN ops from the send on, itself included,
 *             to the last one before the recv-done
 *   slack     recv-done start - send start - overlap; may be negative
 *   observed  recv-done end - send start
 *   stall     durations of the occurrence's own four ops
 *   host stall  end of its graph execution - recv-done start
 */
#ifndef NETAN_ANALYSES_SLACK_SLACK_H
#define NETAN_ANALYSES_SLACK_SLACK_H

#include "netan/analyses/analysis.h"
#include "netan/base/triples.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/methods/groups.h"

/* Small slack: docs/methods.md, "Slack and stall". */
#define SL_SMALL_SHARE 0.05 /* slack of the observed time */
#define SL_LEAST_US    1.0  /* less slack is none: no rate would do */
#define SL_STALL_SHARE 0.01 /* of the step time: less is not worth a word */

enum {
	/* Unfinished occurrences of one collective on one device; of more,
	 * the oldest are given up. */
	SL_OPEN_MAX = 64,
	/* Occurrences in flight at once on one device whose overlap is told;
	 * of more, the ones that began first are not looked at any more. */
	SL_FLIGHT_MAX = 256,
	SL_GRAPHS_SEEN = 64, /* of one collective, for one occurrence */
	SL_LATE_MAX = 64,    /* executions that can be explained */
	SL_OVERLAPS = 8,     /* listed of a row */
	SL_TOP = 1024        /* rows without --top */
};

enum sl_part { SL_SEND, SL_SEND_DONE, SL_RECV, SL_RECV_DONE, SL_PARTS };

enum sl_sort { SL_BY_STALL, SL_BY_REQUIRED };

struct sl_params {
	bool reference;
	int sort; /* enum sl_sort */
	const char *capacity;
	int64_t late;   /* how many executions to explain */
	bool waterfall; /* draw the first of them */
};

struct sl_occ {
	int64_t start_ps, end_ps; /* send start, recv-done end */
	int64_t done_ps;          /* recv-done start */
	int64_t slack_ps, observed_ps, stall_ps;
	int64_t part_ps[SL_PARTS];
	int64_t host_stall_ps; /* NA_UNKNOWN_PS: no graph execution */
	int64_t wire_ps;       /* length of that, else of what was observed */
	uint32_t types[SL_PARTS]; /* NA_UNKNOWN_U32: that op was not seen */
	uint32_t collective;
	uint32_t step; /* of the store; NA_UNKNOWN_U32 */
	uint32_t row;
	uint32_t core;
};

/* What became of ops and occurrences that are not in a row; of a window or of
 * steps those that meet it, as nobody asked for others, and a slice has fewer
 * of them. */
enum sl_left {
	SL_NO_COLLECTIVE,   /* ops */
	SL_DONE_FIRST,      /* recv-done without a send before it */
	SL_STRAYS,          /* other ops without the ones before them */
	SL_CUT,             /* sends without a recv-done */
	SL_OUTSIDE,         /* occurrences that end outside of the window */
	SL_HOSTS,           /* occurrences: --host */
	SL_OUTSIDE_MODULES, /* --reference: ops in no program run */
	SL_N_LEFT,
	SL_NEGATIVE = SL_N_LEFT, /* occurrences; these are in rows */
	SL_NO_GRAPH,             /* likewise */
	SL_ELSEWHERE, /* occurrences that do not meet the window: filtered */
	SL_N_COUNTS
};

struct sl_core { /* one device plane */
	struct na_op *ops;
	size_t n_ops;
	const struct na_span *modules, *steps; /* by start */
	size_t n_modules, n_steps;
	NA_VEC(struct sl_occ) occs;
	uint64_t left[SL_N_COUNTS];
	bool failed; /* no memory */
};

/* Sums over the occurrences of a collective in a group. */
struct sl_row {
	uint32_t collective, group, base;
	uint64_t n, devices, graphs, sized;
	uint64_t first; /* in sl_state.order */
	na_i128 slack_ps, observed_ps, stall_ps, part_ps[SL_PARTS];
	na_i128 host_stall_ps, wire_ps;
	na_i128 bytes, sized_wire_ps; /* of those whose size is known */
	na_i128 step_ps;              /* of the devices it ran on */
	uint32_t send_type, recv_type, transfer_type;
	uint64_t host_devices; /* most on one host, of the collective */
	bool estimate, mixed_bytes;
	/* As printed. */
	double network_us; /* median latency of its transfers; NaN */
	double slack_us, observed_us, stall_us, required_gbps, achieved_gbps;
	bool small, bound;
};

struct sl_overlap {
	uint32_t row, collective;
	const char *name; /* of it */
	na_i128 ps;
};

/* What blocks gather, and the main state from all of them; there by core once
 * all is read. */
struct sl_gathered {
	NA_VEC(struct na_op) ops;
	NA_VEC(struct na_span) modules;
	NA_VEC(struct na_span) steps;
	uint64_t other_ops; /* not over the data-center network */
};

struct sl_block {
	const struct sl_state *main;
	struct sl_gathered got;
};

struct sl_state {
	const struct na_scope *scope;
	const struct sl_params *params;
	struct na_grouping by; /* of rows, beside the collective */
	double capacity_gbps;  /* NaN: not given */
	struct sl_gathered got;

	struct sl_core *cores; /* [store's cores] */
	struct sl_occ *occs;   /* by core and start */
	size_t n;
	uint64_t left[SL_N_COUNTS];
	struct na_groups groups, bases;
	struct na_triples keys; /* collective, group: the row */
	struct sl_row *rows;
	size_t n_rows, cap_rows;
	uint32_t *order;             /* occurrences by row */
	uint32_t *ranked;            /* rows as they are told */
	struct sl_overlap *overlaps; /* by row, longest first */
	size_t n_overlaps;
	na_i128 stall_ps, step_ps; /* of all that is looked at */
	struct na_extent used;     /* occurrences in rows */
	uint64_t devices;
	const char *verdict;
	enum na_severity severity;
};

/* a - b, as far as int64_t reaches. */
int64_t na_slack_minus(int64_t a, int64_t b);
int64_t na_slack_clamp(na_i128 x);
int64_t na_slack_duration(const struct na_op *x);
/* enum sl_part; SL_PARTS: it is none of the four. */
enum sl_part na_slack_part_of(const struct na_op_type *t);

/* walk.c: from the ops of a core to its occurrences, complete ones
 * alone and by start. */
bool na_slack_walk(const struct sl_state *s, struct sl_core *c) NA_MUST_CHECK;
/* Finds its step, too.  In the window by its end; in --step by its own step,
 * or by the time of all devices' steps where its device tells none. */
bool na_slack_wanted(const struct sl_state *s, const struct sl_core *c,
		     struct sl_occ *o);
/* Does what lasts from start to end meet the window, and any of the steps? */
bool na_slack_meets(const struct sl_state *s, int64_t start_ps,
		    int64_t end_ps);
/* One that is not wanted. */
void na_slack_leave_out(const struct sl_state *s, struct sl_core *c,
			const struct sl_occ *o);
/* reference.c: the same, as the reference does it; times are whole
 * microseconds. */
bool na_slack_walk_reference(const struct sl_state *s,
			     struct sl_core *c) NA_MUST_CHECK;
/* graphs.c: host stall and time on the wire. */
bool na_slack_join_graphs(struct sl_state *s) NA_MUST_CHECK;
/* rows.c: rows and what they sum up. */
bool na_slack_sum_up(struct sl_state *s) NA_MUST_CHECK;
/* Which step of the store; NA_UNKNOWN_U32. */
uint32_t na_slack_store_step(const struct na_store *store,
			     const struct na_span *x);
/* overlaps.c */
bool na_slack_overlaps(struct sl_state *s) NA_MUST_CHECK;
/* bytes.c: what one device sends over the network in an execution;
 * false: not known.  `estimate`: an upper bound, or of the first group. */
bool na_slack_bytes(const struct sl_state *s, const struct sl_occ *o,
		    na_i128 *bytes, bool *estimate);
uint32_t na_slack_transfer_type(const struct sl_state *s,
				const struct sl_occ *o);
/* late.c: median latencies into the rows; list "late" of the body. */
bool na_slack_latencies(struct sl_state *s) NA_MUST_CHECK;
enum na_status na_slack_put_late(const struct sl_state *s, struct na_result *r,
				 struct na_err *err) NA_MUST_CHECK;
/* judge.c: means, rates and flags of the rows; their order; the
 * verdict. */
bool na_slack_judge(struct sl_state *s) NA_MUST_CHECK;
/* Of collectives that nobody waits for, nothing needs to be said. */
bool na_slack_matters(const struct sl_row *row);
/* Of a sum over n occurrences, in us; as the reference divides. */
double na_slack_mean_us(const struct sl_state *s, na_i128 sum_ps, uint64_t n);
double na_slack_total_stall_us(const struct sl_state *s,
			       const struct sl_row *row);

/* result.c: the body, and the finding in a sentence. */
enum na_status na_slack_finish(void *state, struct na_result *r,
			       struct na_err *err) NA_MUST_CHECK;
/* How the ops that were looked at got their collective, in kinds of ops. */
void na_slack_count_joins(const struct sl_state *s, uint64_t n[NA_N_OPJOINS]);
/* views.c: the tables for people. */
void na_slack_views(struct na_result *r, const struct sl_state *s);
/* Of the list "late", where it is there. */
void na_slack_late_view(struct na_result *r);

#endif
