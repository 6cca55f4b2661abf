/* What the files of bursts share: the state of the analysis. */
#ifndef NETAN_ANALYSES_BURSTS_STATE_H
#define NETAN_ANALYSES_BURSTS_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/early.h"
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
	size_t n, cap_starts, cap_ends;
	NA_VEC(uint32_t) cell; /* behind the last of them all are in cell 0 */
	struct na_groups cells;
	uint32_t source, row, in; /* of the latest: its cell */
	NA_VEC(uint32_t) cut;     /* by cell: began before --from */
};

struct bursts_run { /* of one block and cell, ascending */
	struct na_run run;
	uint32_t source, row, cut;
};

struct bursts_runs {
	NA_VEC(struct bursts_run) list;
	NA_VEC(int64_t *) owned; /* what the runs are parts of */
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
	NA_VEC(na_i128) amounts; /* bytes, by group */

	/* Keep: the intervals. */
	struct na_shown shown;
	uint64_t instants;
	struct na_early clocks;
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
const struct bursts_sum *na_bursts_pending(const struct bursts_state *s);
const char *na_bursts_pending_of(const struct bursts_state *s);
/* Longest bursts that are listed. */
size_t na_bursts_listed(const struct bursts_state *s);

enum bursts_stage na_bursts_stage(const struct na_scope *scope, unsigned pass);

/* pack.c */
void na_bursts_pack(void *state, enum na_packed_state what, unsigned pass,
		    struct na_serializer *to);
void na_bursts_unpack(void *state, enum na_packed_state what, unsigned pass,
		      struct na_deserializer *from);

/* kept.c: from intervals to sorted runs. */
enum na_status na_bursts_keep(struct bursts_state *s, enum bursts_kind kind,
			      int64_t start_ps, int64_t end_ps, bool cut,
			      uint32_t source, uint32_t row) NA_MUST_CHECK;
enum na_status na_bursts_seal(void *block) NA_MUST_CHECK;
enum na_status na_bursts_hand_over(struct bursts_runs *to,
				   struct bursts_kept *from) NA_MUST_CHECK;
/* Sealed ones for another process, and there into an empty block's: of so many
 * sources and rows. */
void na_bursts_kept_pack(const struct bursts_kept *k, struct na_serializer *to);
void na_bursts_kept_unpack(struct bursts_kept *k, size_t sources, size_t rows,
			   struct na_deserializer *from);
void na_bursts_kept_fini(struct bursts_kept *k);
void na_bursts_runs_fini(struct bursts_runs *r);

/* sweep.c: everything that needs all intervals in order. */
enum na_status na_bursts_sweep(struct bursts_state *s,
			       struct na_err *err) NA_MUST_CHECK;

/* gather.c: which transfers made the listed bursts. */
enum na_status na_bursts_gather(struct bursts_state *s,
				const struct na_transfer *t) NA_MUST_CHECK;
enum na_status
na_bursts_gather_merge(struct bursts_state *s,
		       const struct bursts_state *b) NA_MUST_CHECK;

/* result.c */
enum na_status na_bursts_finish(void *state, struct na_result *r,
				struct na_err *err) NA_MUST_CHECK;

/* words.c: the one-line answer, which begins with the verdict, and what a
 * person reads. */
void na_bursts_say(struct na_result *r, const struct bursts_state *s,
		   const char *verdict);

#endif
