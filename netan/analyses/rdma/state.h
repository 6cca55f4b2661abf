/*
 * rdma: what the analysis remembers, and the rules by which a queue pair gets
 * its verdict.
 */
#ifndef NETAN_ANALYSES_RDMA_STATE_H
#define NETAN_ANALYSES_RDMA_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"

/*
 * The costliest in time of
 *
 *   timeout             a repeat behind a silence that no NAK ended; cost: the
 *                       silences
 *   loss                a packet that was missing came again; cost: from the
 *                       NAK, or the first repeat, to the first new packet
 *   receiver_not_ready  a NAK that says so; cost: from the NAK to the repeat
 *
 * else
 *
 *   congested           RDMA_CNPS notifications, and for RDMA_SLOWED of the
 *                       duration the sender was within NA_QP_SLOWED_NS
 *                       behind one; or none, and RDMA_MARKS packets and
 *                       RDMA_MARKED of all of them carry a mark: nobody
 *                       answers marks
 *   healthy             none of these in RDMA_ENOUGH packets that are answered
 *   cannot_tell         none of these in fewer; no answers; a service that
 *                       has none; or the capture misses packets, RDMA_MISSING
 *                       of them or more (then neither loss unless more was
 *                       needed than is missing); or an answer is due at the
 *                       end, in silence
 */
#define RDMA_SLOWED  0.10
#define RDMA_MARKED  0.05
#define RDMA_MISSING 0.001
#define RDMA_MUCH    0.01 /* of the packets needed again: an error */
enum { RDMA_CNPS = 3, RDMA_MARKS = 10, RDMA_ENOUGH = 50 };

/* Rows of queue_pairs[] without --top. */
enum { RDMA_LISTED = 4096 };

enum rdma_verdict {
	RDMA_TIMEOUT,
	RDMA_LOSS,
	RDMA_NOT_READY,
	RDMA_CONGESTED,
	RDMA_CANNOT_TELL, /* from here on no trouble */
	RDMA_HEALTHY,
	RDMA_VERDICTS
};
extern const char *const na_rdma_verdict_names[RDMA_VERDICTS];

struct rdma_params {
	int64_t queue_pair; /* rank of the one that is drawn, from 1 */
};

/* Of one group and operation, over one queue pair. */
struct rdma_served {
	uint32_t group; /* a name */
	uint8_t operation;
	int64_t first, last; /* sequences; -1: none */
	uint64_t operations, transfers, bytes;
};

struct rdma_row {
	const struct na_queue_pair *q; /* of the store */
	enum rdma_verdict verdict;
	int64_t duration_ns, lost_ns;
	/* Of rdma_state.served, the most bytes first; and whose it is, where
	 * n_served is not 0. */
	size_t served, n_served;
	int32_t src_rank, dst_rank; /* -1: not told */
};

struct rdma_state {
	const struct na_scope *scope;
	const struct rdma_params *params;
	NA_VEC(struct rdma_row) rows;            /* worst first */
	NA_VEC(const struct na_qp_mark *) marks; /* by queue pair and time */
	NA_VEC(const struct na_qp_use *) uses;   /* by run and number */
	NA_VEC(struct rdma_served) served;
	uint64_t ambiguous; /* rows */
	uint64_t by_verdict[RDMA_VERDICTS];
	uint64_t stalled; /* of those that cannot tell */
	enum na_severity severity;
};

/* judge.c */
void na_rdma_judge(struct rdma_row *row);
void na_rdma_rank(struct rdma_state *s);
enum na_severity na_rdma_severity_of(const struct rdma_row *row);
/* Those of one queue pair; *n is how many. */
const struct na_qp_mark *const *na_rdma_marks(const struct rdma_state *s,
					      const struct na_queue_pair *q,
					      size_t *n);

/* served.c: who used which row; before they are ranked.  False: no memory. */
bool na_rdma_serve(struct rdma_state *s) NA_MUST_CHECK;
void na_rdma_put_served(struct na_result *r, struct na_value *to,
			const struct rdma_state *s, const struct rdma_row *row);
/* "r1 > r2"; "-" where it is not known. */
enum { RDMA_RANKS_BUF = 32 };
const char *na_rdma_ranks(char buf[RDMA_RANKS_BUF], const struct rdma_row *row);
/* What it served, where it is known. */
struct na_fact na_rdma_served_fact(const struct rdma_state *s,
				   const struct rdma_row *row);

/* words.c */
const char *na_rdma_summary(struct na_result *r, const struct rdma_state *s);
void na_rdma_put_evidence(struct na_result *r, struct na_value *list,
			  const struct rdma_state *s,
			  const struct rdma_row *row);
struct na_fact na_rdma_remedy(enum rdma_verdict v); /* or none */

/* hosts.c; false: no memory. */
bool na_rdma_put_hosts(struct na_result *r, struct na_value *body,
		       const struct rdma_state *s) NA_MUST_CHECK;
/* views.c */
void na_rdma_views(struct na_result *r, const struct rdma_state *s);
/* result.c */
enum na_status na_rdma_put_result(void *state, struct na_result *r,
				  struct na_err *err);

#endif
