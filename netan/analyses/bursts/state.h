/* What the files of bursts share: the state of the analysis. */
#ifndef NETAN_ANALYSES_BURSTS_STATE_H
#define NETAN_ANALYSES_BURSTS_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/methods/groups.h"
#include "netan/stats/time/inflight.h"

struct bursts_params {
	int64_t gap_ps;
};

enum bursts_kind { BURSTS_TRANSFERS, BURSTS_COLLECTIVES, BURSTS_KINDS };

/* What a pass does. */
enum bursts_stage { BURSTS_SURVEY, BURSTS_KEEP, BURSTS_GATHER };

/* Intervals of a block, before they are sorted.  A cell is what they are
 * told apart by: source and shown row. */
struct bursts_kept {
	int64_t *starts, *ends;
	uint32_t *cell; /* [n_cell]; behind them all are in cell 0 */
	size_t n, n_cell, cap_starts, cap_ends, cap_cell;
	struct na_groups cells;
	uint32_t source, row, in; /* of the latest: its cell */
	uint32_t *cut;            /* by cell: began before --from */
	size_t n_cut, cap_cut;
};

struct bursts_run { /* of one block and cell, ascending */
	struct na_run run;
	uint32_t source, row, cut;
};

struct bursts_runs {
	struct bursts_run *v;
	size_t n, cap;
	int64_t **owned; /* what the runs are parts of */
	size_t n_owned, cap_owned;
};

/* A transfer that ended a burst. */
struct bursts_end {
	int64_t end_ps;
	uint64_t latency_ps;
	uint32_t src, dst;
};
enum { BURSTS_LAST = 4 };

struct bursts_burst {
	struct na_burst b;
	uint64_t transfers;
	na_i128 amount;                      /* 2^-20 bytes */
	struct bursts_end last[BURSTS_LAST]; /* ascending */
	size_t n_last;
};

/* What a sweep over some of the intervals found. */
struct bursts_sum {
	uint64_t n; /* intervals */
	na_i128 amount;
	bool timed; /* hold is defined */
	struct na_hold_stats hold;
	struct na_arrival_stats arrivals;
	uint64_t arrived;
	int64_t first_ps, last_ps;
	uint64_t bursts, busy_ps;
	double *course; /* [bins]: mean level; groups only */
};

struct bursts_state {
	const struct na_scope *scope;
	const struct bursts_params *params;
	const struct bursts_state *main; /* of a block state */
	int64_t lo_ps, hi_ps;            /* --from, --to */
	enum bursts_stage stage;

	/* Survey: the groups. */
	struct na_groups groups;
	na_i128 *amounts; /* bytes, by group */
	size_t n_amounts, cap_amounts;

	/* Keep: the intervals. */
	uint32_t *row_of; /* group -> shown row */
	uint32_t *shown;  /* shown row -> group; rest: last */
	size_t n_shown;
	bool has_rest;
	uint64_t instants;
	struct bursts_kept kept[BURSTS_KINDS];
	struct bursts_runs runs[BURSTS_KINDS];
	struct bursts_sum *rows; /* by shown row */

	/* Between: the sweep. */
	struct na_bins bins;
	double *mean, *least, *most; /* [bins.n] of what is pending */
	struct na_inflight fleet[BURSTS_KINDS];
	struct bursts_sum whole[BURSTS_KINDS];
	struct bursts_sum *hosts; /* by source */
	double period_ps;         /* of bursts; NaN: none */

	/* Gather: the longest bursts, in order of time. */
	struct bursts_burst *bursts;
	size_t n_bursts, at_burst;
};

/* What is pending, as pending_of says it. */
enum bursts_kind na_bursts_pending_kind(const struct bursts_state *s);
/* Longest bursts that are listed. */
size_t na_bursts_listed(const struct bursts_state *s);

/* kept.c: from intervals to sorted runs. */
enum na_status na_bursts_keep(struct bursts_state *s, enum bursts_kind kind,
			      int64_t start_ps, int64_t end_ps, bool cut,
			      uint32_t source, uint32_t row);
enum na_status na_bursts_seal(void *block);
enum na_status na_bursts_take(struct bursts_runs *to, struct bursts_kept *from);
void na_bursts_kept_fini(struct bursts_kept *k);
void na_bursts_runs_fini(struct bursts_runs *r);

/* sweep.c: everything that needs all intervals in order. */
enum na_status na_bursts_sweep(struct bursts_state *s, struct na_err *err);

/* gather.c: which transfers made the listed bursts. */
enum na_status na_bursts_gather(struct bursts_state *s,
				const struct na_transfer *t);
enum na_status na_bursts_gather_merge(struct bursts_state *s,
				      const struct bursts_state *b);

/* result.c, views.c */
enum na_status na_bursts_finish(void *state, struct na_result *r,
				struct na_err *err);
void na_bursts_views(struct na_result *r, const struct bursts_state *s);

#endif
