/* What the files of rpc share: the state of the analysis. */
#ifndef NETAN_ANALYSES_RPC_STATE_H
#define NETAN_ANALYSES_RPC_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/analyses/rpc/calls.h"
#include "netan/base/sparse.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/methods/groups.h"
#include "netan/stats/samples/sample.h"
#include "netan/stats/samples/sketch.h"
#include "netan/stats/tests/size_line.h"
#include "netan/stats/time/spread.h"
#include "netan/stats/time/timers.h"

#define RPC_BIN_PS (100 * NA_PS_PER_MS) /* without --bin */

struct rpc_params {
	int64_t bin_ps; /* 0: RPC_BIN_PS, or wider */
};

/* The scatter: latency in rows of equal height in logarithms, time in
 * columns; and the longest transfers one by one. */
enum {
	RPC_COLUMNS = 600,
	RPC_ROWS = 120,
	RPC_POINTS_ALL = 20000, /* up to here every transfer is a point */
	RPC_POINTS_MAX = 5000,  /* else the longest, p99.9 or tail events */
	RPC_OCTAVE = 128        /* steps of the row table */
};

struct rpc_point {
	int64_t end_ps, latency_ps;
	uint32_t row, tail; /* tail: 1 for a tail event */
	double times;       /* the latency over what to expect */
};

/* The longest `max` of them; a heap, the shortest first, once it is full. */
struct rpc_longest {
	NA_VEC(struct rpc_point) heap;
	size_t max;
	struct rpc_point least; /* what is no longer than this is not among */
	bool has_least;         /* them: known from blocks before */
};

/* One of the sample from which the size line is drawn. */
struct rpc_sized {
	uint64_t hash;
	double bytes, latency_us;
	uint32_t run, size_class;
};

/* One that takes more than 100 ms. */
struct rpc_slow {
	uint64_t hash;
	double bytes, latency_us, excess_ms;
	uint32_t run, group, src, dst; /* hosts */
};

/* The host side with the largest share of tail events of those with more
 * than half; share 0: none has. */
struct rpc_constant {
	size_t side;             /* host, or hosts + host where it receives */
	double share, excess_ms; /* excess: median */
};

/* One late transfer, by so much or more: where the lowest mode begins. */
#define RPC_LATE_MS 4.75
struct rpc_late {
	uint64_t hash;
	int64_t end_ps, latency_ps;
	double excess_ms, expected_ms;
	uint32_t src, dst; /* hosts */
	uint32_t src_end, dst_end, row;
	uint32_t run;
	bool constant; /* of a side that is always late */
	uint8_t style;
};

/* A line of the result: a group, or all. */
struct rpc_row {
	struct na_timer_counts timers;
	struct na_timers verdict;
	size_t n;
	uint64_t constant; /* tail events of sides that are always late,
			      not among the timers' */
	double p50_us, p99_us, p99_9_us, max_us, hill;
};

/* Bytes by host side and bin, what the links carried.  Where a few bins are
 * all there is, no bin is usual: none are counted. */
enum { RPC_LOAD_LEAST = 4 };
struct rpc_load {
	uint64_t *bytes;     /* [(side * hosts + host) * bins + bin] */
	size_t bins, factor; /* factor: bins of the result in one of these */
};

struct rpc_state {
	const struct na_scope *scope;
	const struct rpc_params *params;
	unsigned pass;
	const struct rpc_state *main; /* of a block state */
	/* Of all transfers: latencies are told on one clock. */
	const struct na_host_clocks *clocks;
	struct na_host_clocks own_clocks;

	/* First pass. */
	uint64_t n_calls;         /* transfers of component rpc */
	struct na_extent ends;    /* of transfers */
	struct na_extent latency; /* the least and the most */
	struct na_groups groups;
	NA_VEC(na_i128) group_n;
	struct na_sparse exposure; /* uint64_t [side * hosts + host]:
				      transfers */
	struct na_sample sized, slow;
	struct rpc_calls calls;

	/* Second pass. */
	bool *constant; /* [side * hosts + host]: mostly tail events */
	struct rpc_constant worst;
	struct na_size_line *lines; /* by run */
	struct na_timer_edges edges;
	struct na_bins bins;
	int64_t column_ps;               /* width of a column */
	uint8_t row_of[64 * RPC_OCTAVE]; /* of the scatter, by latency */
	double scatter_lo_us, scatter_hi_us;
	struct na_shown shown;
	struct rpc_row *rows, all;
	struct rpc_load load;
	struct na_sketch times; /* latency over what to expect of the size */
	struct na_sample late;
	struct rpc_longest longest;
	uint32_t *grid; /* [column * RPC_ROWS + row] */
	uint32_t *cell; /* row * bins + bin, TAIL_BIT: a tail event */
	int64_t *latency_ps;
	size_t n_kept, cap_cells, cap_latency;

	bool tcp_seen;           /* of captures: witness.c */
	bool tcp_waited;
	struct na_triples lossy; /* ends of such connections, with calls */

	/* In finish. */
	int64_t *sorted_ps;      /* latencies by row, bin, value */
	size_t *cell_at;         /* [rows * bins + 1] into sorted_ps */
	uint64_t *tail_cell;     /* [rows * bins] */
	double *p50, *p99, *max; /* [(rows + 1) * bins]; last: all */
	double *carried;         /* load, summed up, and the peak:
				    [side of host][bins + 2] */
};
#define RPC_TAIL_BIT (UINT32_C(1) << 31)

#define RPC_ALL_ROWS UINT32_MAX

/* rpc.c */
int64_t na_rpc_bin_ps(const struct rpc_state *s);
size_t na_rpc_hosts(const struct rpc_state *s);
/* What is counted by side * hosts + host. */
static inline uint64_t na_rpc_counted(const struct na_sparse *x, size_t side)
{
	const uint64_t *n = na_sparse_get(x, side);

	return n ? *n : 0;
}

/* rows.c, between the passes; false when memory is short.  Ranking and
 * constant sides come from a sample where many transfers take 100 ms. */
bool na_rpc_fit_lines(struct rpc_state *s) NA_MUST_CHECK;
bool na_rpc_choose_rows(struct rpc_state *s) NA_MUST_CHECK;
/* What a transfer of that size should take, in ms; at least 1 us. */
double na_rpc_expected_ms(const struct na_size_line *line, double bytes);

/* scatter.c: keeping the longest, and the density of the others. */
bool na_rpc_longest_add(struct rpc_longest *l,
			const struct rpc_point *p) NA_MUST_CHECK;
void na_rpc_scatter_scale(struct rpc_state *s);
void na_rpc_scatter_add(struct rpc_state *s, int64_t end_ps,
			int64_t latency_ps);
/* The slowest 1 % for their size take so many times as long as the median does;
 * below RPC_LONG_TAIL nobody is told. */
#define RPC_LONG_TAIL 10.0
double na_rpc_long_tail(const struct rpc_state *s);
void na_rpc_put_scatter(struct na_result *r, struct rpc_state *s);

/* bins.c: from kept latencies to quantiles by row and bin. */
enum na_status na_rpc_sort_cells(struct rpc_state *s) NA_MUST_CHECK;
enum na_status na_rpc_share(void *state, size_t i, size_t n) NA_MUST_CHECK;
/* False when memory is short. */
bool na_rpc_sort_rows(struct rpc_state *s) NA_MUST_CHECK;

/* witness.c: once, before modes are judged, false when memory is short; then
 * of each verdict (RPC_ALL_ROWS: of all): modes that TCP does not bear out
 * go. */
bool na_rpc_ask_tcp(struct rpc_state *s) NA_MUST_CHECK;
void na_rpc_hear_tcp(const struct rpc_state *s, uint32_t row,
		     struct na_timers *t);

/* words.c: the one-line answer, and the tables; calls_words.c those of
 * calls. */
void na_rpc_say(struct na_result *r, const struct rpc_state *s);

/* result.c */
enum na_status na_rpc_finish(void *state, struct na_result *r,
			     struct na_err *err) NA_MUST_CHECK;

#endif
