/* What latency remembers. */
#ifndef NETAN_ANALYSES_LATENCY_STATE_H
#define NETAN_ANALYSES_LATENCY_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/sparse.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/early.h"
#include "netan/methods/groups.h"
#include "netan/stats/samples/sketch.h"
#include "netan/stats/tests/size_line.h"

enum { LATENCY_SLOWEST = 10 };

/* The latencies of one size class in one group, or in one row. */
struct latency_cell {
	uint32_t owner; /* group or row */
	uint32_t next;  /* cell of the same owner; LATENCY_NONE */
	unsigned klass;
	uint64_t n;
	na_i128 bytes, sum_ps;
	size_t at; /* its values begin here */
	double p50_us;
};
#define LATENCY_NONE UINT32_MAX

/* What one block has measured: values in order of its cells. */
struct latency_run {
	int64_t *values;
	uint32_t *cells; /* the main state's cell of each of its cells */
	uint32_t *n;     /* values of each */
	size_t n_cells;
	int64_t *actions; /* how long receives lasted */
	size_t n_actions;
};

/* One of the slowest. */
struct latency_worst {
	int64_t latency_ps, end_ps;
	uint64_t size_bytes;
	uint32_t src, dst; /* NA_UNKNOWN_U32: of an action */
	uint32_t collective, step;
	uint32_t input;
};

/*
 * Receives whose action's duration A is known beside their transport latency
 * L.  Both end together.  Of A, min(A, L) passed with the message under way;
 * of the wait before it, what passed while other messages were under way out
 * of the sender's host or into the receiver's counts as queued; the rest
 * passed with these links idle: the peer or its host was late.  Under way and
 * queued are the network's.  Of L, what exceeds A passed before the receive
 * was posted: the receiving host was late.  A receive is slow when A is more
 * than LATENCY_SLOW times the median A of all of them; it is the network's when
 * at least half of A is.
 *
 * What this cannot tell: the offset of the two clocks is in L; a link is
 * taken as busy with one message under way, however small; messages that the
 * inputs do not hold (of hosts without a file) or that a filter has left out
 * make a link look idle.
 */
#define LATENCY_SLOW        3
#define LATENCY_SPLIT_LEAST 20 /* receives; fewer say nothing */
struct latency_split {
	uint64_t n, slow, slow_network;
	na_i128 action_ps, wire_ps, queued_ps, latency_ps, unposted_ps;
};

/* When the links of each host had messages under way, in both directions: a
 * bit for each bin.  What hosts send comes first, then what they receive. */
typedef _Atomic uint64_t latency_bits;
struct latency_busy {
	/* [2 * hosts][words], in pages that come to be with their first bit;
	 * owned by the main state. */
	latency_bits *_Atomic *pages;
	size_t n_pages, words; /* words: of one direction */
	uint32_t *before; /* bits of a direction that are set before each word;
			     NULL until all are in, and of few words */
	int64_t first_ps;
	unsigned shift; /* a bin lasts 2^shift ps */
};

/* Bits that a block has not passed on yet: atomic operations are dear. */
struct latency_word {
	size_t at;
	uint64_t mask;
};

/* Survival: share of the transfers with at least this latency, and where
 * the quantile of that level may lie (NaN: unbounded). */
struct latency_curve {
	double *us, *share, *lower_us, *upper_us; /* [n], one block */
	size_t n;
};
enum { LATENCY_CURVE_EACH = 50, LATENCY_CURVE_MAX = 200 };

/* One line of the result: a group, or the rest. */
struct latency_row {
	uint64_t n;
	na_i128 sum_ps;
	uint32_t first_cell, n_cells;
	const double *us;       /* [n] ascending */
	double p50_us, slow_us; /* slow_us: of the slowest, the fastest */
	bool has_line;
	struct na_size_line line;

	/* Second pass. */
	struct na_sketch residual;   /* latency over expectation */
	struct latency_worst *worst; /* [n_worst] */
	size_t n_worst;
	struct latency_split split;
	struct latency_curve curve;
};

struct latency_state {
	const struct na_scope *scope;
	const struct latency_state *main; /* of a block state */
	unsigned pass;
	uint64_t untimed; /* receives whose action tells no duration */
	uint64_t calls;   /* first pass: those of captures, among used */

	/* First pass. */
	struct na_groups groups;
	NA_VEC(uint32_t)
	head; /* [groups] first cell, or LATENCY_NONE; in
				  * the second pass, of a block: row */
	NA_VEC(struct latency_cell) cells;
	uint32_t recent[NA_SIZE_CLASSES]; /* cell of a class, last time */
	NA_VEC(int64_t) values;           /* of a block: in order of input */
	NA_VEC(uint32_t) cell_of;
	NA_VEC(int64_t) actions;
	NA_VEC(struct latency_run) runs;

	/* Between the passes: rows. */
	struct na_shown shown;
	struct latency_row *rows; /* [n_rows] */
	size_t n_rows;
	struct latency_cell *row_cells;
	size_t n_row_cells;
	void *sorted;                        /* int64_t ps, then double us */
	double action_p50_us, action_p99_us; /* NaN: none known */
	int64_t slow_ps; /* receives that last longer are slow */
	struct latency_busy busy;
	struct latency_split split;
	/* By direction: */
	struct na_sparse marked; /* of a block: latency_word */
	/* With --by host each with the logarithm (base 2, in 2^-20) of its
	 * latency in ps. */
	struct na_early clocks;
};

/* Of a receive: what of its action's duration was whose. */
struct latency_parts {
	int64_t action_ps, latency_ps, wire_ps, queued_ps;
};

/* busy.c */
/* Times outside those that the store has seen count at its ends. */
bool na_latency_busy_init(struct latency_busy *b, const struct na_scope *scope);
void na_latency_busy_fini(struct latency_busy *b);
/* Of a block state: marks in the main one's bitmaps; then, once all are in,
 * reads them.  False: no memory. */
bool na_latency_mark(struct latency_state *s,
		     const struct na_transfer *t) NA_MUST_CHECK;
bool na_latency_marked(struct latency_state *s) NA_MUST_CHECK;
/* Of the main state, between; false: no memory. */
bool na_latency_busy_count(struct latency_busy *b, size_t n_hosts);
/* Where what the sender's host sends and the receiver's receives is kept: at
 * host, and all hosts further on; SIZE_MAX: the host is not known. */
void na_latency_directions(const struct latency_state *s,
			   const struct na_transfer *t, size_t direction[2]);
void na_latency_parts_of(const struct latency_state *s,
			 const struct na_transfer *t, int64_t action_ps,
			 int64_t latency_ps, struct latency_parts *p);
void na_latency_split_add(struct latency_split *x,
			  const struct latency_parts *p, int64_t slow_ps);
void na_latency_split_merge(struct latency_split *to,
			    const struct latency_split *from);

/* Its marks for another process, and those of one beside what is there. */
void na_latency_busy_pack(const struct latency_state *s,
			  struct na_serializer *to);
void na_latency_busy_unpack(struct latency_state *s,
			    struct na_deserializer *from);

/* clock.c */
/* What the counts of clocks sum up; 0: not asked for. */
int64_t na_latency_log_of(const struct latency_state *s,
			  const struct na_transfer *t);
/*
 * Which hosts stand out, as senders or as receivers?  True: senders differ more
 * than receivers do, by the geometric mean of what each sends or receives, the
 * slowest over the middle one; *factor is the slowest sender's, the host.
 * Needs three hosts of each with 20 transfers, and a fifth of a difference.
 */
bool na_latency_senders_differ(const struct latency_state *s, const char **host,
			       double *factor);

/* rows.c: after the first pass, from runs to sorted rows. */
enum na_status na_latency_rows(struct latency_state *s,
			       struct na_err *err) NA_MUST_CHECK;
/* What a transfer of this size is expected to take; 0: unknown. */
double na_latency_expected_us(const struct latency_row *row, double bytes);
/* The curve of a row; false: no memory. */
bool na_latency_curve(struct latency_row *row) NA_MUST_CHECK;

/* pack.c */
void na_latency_pack(void *state, enum na_packed_state what, unsigned pass,
		     struct na_serializer *to);
void na_latency_unpack(void *state, enum na_packed_state what, unsigned pass,
		       struct na_deserializer *from);

/* result.c */
enum na_status na_latency_finish(void *state, struct na_result *r,
				 struct na_err *err) NA_MUST_CHECK;
double na_latency_quantile(const struct latency_row *row, double p);
/* p99 / p50; NaN: unknown. */
double na_latency_tail_ratio(const struct latency_row *row);
/*
 * long_tail: p99 is 10 times what size explains (the size line; the median
 * where there is none), or of 1000 transfers and more p99.9 is 30 times;
 * spread: p99 is 3 times that; sizes: it is not, but p99 is 3 times p50;
 * else steady.  NULL: under 100 transfers.
 */
const char *na_latency_tail_word(const struct latency_row *row);
/* Of the receives' time; NaN: too few of them. */
double na_latency_network_share(const struct latency_split *x);
void na_latency_put_worst(struct na_result *r, struct na_value *list,
			  const struct latency_state *s,
			  const struct latency_row *row,
			  const struct latency_worst *w);

/* words.c: the sentences, and what a person sees in a terminal. */
void na_latency_say(struct na_result *r, const struct latency_state *s);

#endif
