/*
 * Queue pairs and the messages that wait for an answer, both bounded.  A
 * queue pair is what packets name: source and destination address,
 * destination queue pair, and for datagrams the source's one.
 */
#ifndef INGEST_ROCE_TABLE_H
#define INGEST_ROCE_TABLE_H

#include "ingest/roce/head.h"
#include "ingest/roce/roce.h"
#include "ingest/roce/trail.h"
#include "netan/base/vec.h"

enum { NA_ROCE_HOLES = 4 };
#define NA_ROCE_NONE UINT32_MAX

/* PSNs [from, to) that nobody has been credited for yet. */
struct na_roce_hole {
	uint32_t from, to;
};

/* A message that has begun. */
struct na_roce_open {
	bool on;
	bool known; /* READ: its request was seen, from_ns is its time */
	uint32_t first_psn;
	int64_t from_ns;
	uint64_t bytes;
	uint32_t qp; /* READ: the queue pair of the request; NONE */
	uint32_t qp_serial;
};

/* A whole message, or a READ or atomic request, without its answer. */
struct na_roce_wait {
	int64_t from_ns, last_ns;
	uint64_t bytes;
	uint32_t first_psn, last_psn;
	uint32_t qp, next;     /* of the same queue pair */
	uint32_t older, newer; /* of all */
	uint8_t kind, op;      /* head.h */
};

struct na_roce_qp {
	struct na_address src, dst;
	uint32_t dest, source;
	uint32_t serial; /* another one each time the place is used */
	uint32_t hash_next, pair_next, pair_prev, older, newer;
	uint32_t src_end, dst_end, name; /* of the sink; NA_UNKNOWN_U32 */
	uint8_t transport;
	bool named; /* the transport is told */
	/* Requests: the PSN that comes next.  Behind a READ request it is not
	 * known exactly, because its answers take one each. */
	bool started, answers_started;
	uint32_t next_min, next_max;
	struct na_roce_hole holes[NA_ROCE_HOLES];
	uint8_t n_holes;
	struct na_roce_open open, held;
	uint32_t held_end; /* where the next message began */
	uint32_t first_wait, last_wait;
	/* READ responses */
	uint32_t answer_next;
	struct na_roce_open reading;
	/* The queue pair whose requests this one's ACKs answer, and the one
	 * whose ACKs answer ours: index and serial. */
	uint32_t acks, acks_serial, acked_by, acked_by_serial;
	uint32_t misses;             /* ACKs of unknown requests */
	bool carries; /* requests or answers to them, at any time */
	struct na_roce_trail *trail; /* NULL: nothing seen yet, or unwanted */
};

struct na_roce {
	struct na_roce_limits limits;
	int64_t zero_ns;
	const struct na_sink *sink;
	struct na_addresses *addresses;
	NA_VEC(struct na_roce_qp) qps;
	NA_VEC(struct na_roce_wait) waits;
	uint32_t free_wait;
	uint32_t oldest_qp, newest_qp, oldest_wait, newest_wait;
	uint32_t *by_key, *by_pair;
	uint32_t mask, serials;
	uint64_t key; /* of by_key */
	size_t named;
	bool wanted; /* queue pairs are */
	bool trails; /* and the packet is not behind the window */
	int64_t from_ns, to_ns, now_ns;
	uint32_t file;	    /* that packets come from */
	int64_t *newest_ns; /* by file: of all its packets of RoCE */
	struct na_rtt_pages pages;
	struct na_capture_counts counts;
};

/* b - a, from -2^23 to 2^23 - 1. */
static inline int32_t na_roce_ahead(uint32_t a, uint32_t b)
{
	int32_t d = (int32_t)((b - a) & 0xffffff);

	return d < 1 << 23 ? d : d - (1 << 24);
}

/* roce.c: a message of queue pair `qp` to the sink; of kind READ_ASK the
 * bytes went from its destination to its source.  answered: to_ns is when. */
enum na_status na_roce_tell(struct na_roce *x, uint32_t qp,
			    const struct na_roce_wait *w, bool answered,
			    int64_t to_ns) NA_MUST_CHECK;
/* Nobody answers it: a READ is no message then. */
enum na_status na_roce_tell_lost(struct na_roce *x,
				 const struct na_roce_wait *w) NA_MUST_CHECK;

/* answer.c: packet p, whose header is h, on queue pair `qp`. */
enum na_status na_roce_answer(struct na_roce *x, uint32_t qp,
			      const struct na_packet *p,
			      const struct na_roce_head *h) NA_MUST_CHECK;
enum na_status na_roce_read_part(struct na_roce *x, uint32_t qp,
				 const struct na_packet *p,
				 const struct na_roce_head *h) NA_MUST_CHECK;

/* Found or made, and now the newest.  Making one may end the oldest. */
enum na_status na_roce_qp(struct na_roce *x, const struct na_packet *p,
			  const struct na_roce_head *h,
			  uint32_t *index) NA_MUST_CHECK;

/* The first of the queue pairs from a to b; then pair_next (which may lead
 * to other pairs). */
uint32_t na_roce_pair_first(const struct na_roce *x, const struct na_address *a,
			    const struct na_address *b);
bool na_roce_is_pair(const struct na_roce_qp *q, const struct na_address *a,
		     const struct na_address *b);

/* Behind the others of w->qp.  May tell the oldest of all. */
enum na_status na_roce_wait_add(struct na_roce *x,
				const struct na_roce_wait *w) NA_MUST_CHECK;
/* The first of a queue pair leaves; *w is what it was. */
void na_roce_wait_take(struct na_roce *x, uint32_t qp, struct na_roce_wait *w);
/* Nobody will answer these any more. */
enum na_status na_roce_wait_drop_all(struct na_roce *x,
				     uint32_t qp) NA_MUST_CHECK;

void na_roce_table_init(struct na_roce *x);
void na_roce_table_fini(struct na_roce *x);

#endif
