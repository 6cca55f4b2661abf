/* What the files timeline*.c share: the state of the analysis. */
#ifndef NETAN_ANALYSES_TIMELINE_TIMELINE_H
#define NETAN_ANALYSES_TIMELINE_TIMELINE_H

#include "netan/analyses/analysis.h"
#include "netan/methods/groups.h"
#include "netan/stats/time/pending.h"

struct tl_params {
	int64_t bin_ps; /* 0: chosen */
	const char *capacity;
};

/* One line of the result: a group, or a side of a host. */
struct tl_row {
	na_i128 amount[2]; /* 2^-20 bytes, by side */
	uint64_t n[2];
	struct na_spread spread[2];
	bool used[2], any;
	int64_t from_ps, to_ps; /* of what was added */
};

struct tl_state {
	const struct na_scope *scope;
	const struct tl_params *params;
	double capacity_gbps; /* 0: none given */
	int64_t lo_ps, hi_ps; /* --from, --to */
	unsigned pass;

	/* First pass. */
	int64_t first_ps, last_ps; /* of the clipped transfers */
	bool any, closed;          /* closed: an instant at last_ps */
	int64_t open_ps, close_ps; /* of graph executions */
	bool any_graph;
	uint64_t instants;
	uint64_t n_side[2];
	uint64_t packets;      /* of those used, those that are packets */
	uint64_t spread_calls; /* transfers of captures without packets */
	bool *seen;            /* [sources] its packets are here */
	uint64_t *traffic;     /* [hosts] bytes of packets; NULL: no packets */
	struct na_groups groups;
	struct tl_row *rows; /* by group */
	size_t n_rows, cap_rows;

	/* Second pass. */
	struct na_bins bins;
	struct na_spread rate[2], outstanding[2], pending;
	struct tl_row *hosts;        /* [n_host_rows] */
	size_t n_host_rows;          /* the inputs, then hosts of captures */
	uint32_t *row_host;          /* [n_host_rows] host */
	uint32_t *host_row;          /* [hosts] row; NA_UNKNOWN_U32 */
	size_t n_busy;               /* hosts that packets touch */
	bool per_host;               /* hosts have series of their own */
	const struct tl_state *main; /* of a block state */
	uint32_t *row_of;            /* group -> shown row */
	uint32_t *shown;             /* shown row -> group; rest: last */
	size_t n_shown;
	bool has_rest;
	na_i128 amount[2], instant_amount;
	struct na_run open; /* pending, of a block */
	size_t cap_starts, cap_ends;
	struct na_run *runs; /* pending, of all blocks */
	size_t n_runs, cap_runs;
	double *most; /* pending, largest in each bin */
};

bool tl_pending_of_graphs(const struct tl_state *s);
/* First pass: this time belongs to the picture; closed: an instant. */
void tl_cover(struct tl_state *s, int64_t start_ps, int64_t end_ps,
	      bool closed);
/* NULL, false: no memory. */
struct tl_row *tl_group_row(struct tl_state *s, const uint64_t *values);
bool tl_row_add(struct tl_row *row, const struct tl_state *s, enum na_side side,
		int64_t start_ps, int64_t end_ps, uint64_t bytes);
/* Takes the spreads over where the main row has none yet. */
void tl_merge_rows(struct tl_row *to, struct tl_row *from, size_t n,
		   const struct na_bins *bins);

/* frames.c; false: no memory. */
bool tl_frames_init(struct tl_state *s);
/* The groups are runs, each with a duration of its own. */
bool tl_by_runs(const struct tl_state *s);
/* It came out of packets that are here themselves. */
bool tl_by_packets(const struct tl_state *s, const struct na_transfer *t);
enum na_status tl_add_packet(void *block, const struct na_wire_packet *w);
bool tl_traffic_init(struct tl_state *s);
void tl_traffic_merge(struct tl_state *s, const struct tl_state *b);
bool tl_choose_hosts(struct tl_state *s);

/* views.c */
void tl_views(struct na_result *r, const struct na_value *body,
	      const struct na_value *series, const struct tl_state *s,
	      size_t hosts, bool runs_apart);

/* result.c */
enum na_status tl_finish(void *state, struct na_result *r, struct na_err *err);

#endif
