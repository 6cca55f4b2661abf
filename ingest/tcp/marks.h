/*
 * What one packet says about its connection: see marks.c for the rules.
 */
#ifndef INGEST_TCP_MARKS_H
#define INGEST_TCP_MARKS_H

#include "ingest/tcp/table.h"

struct na_tcp_pools {
	struct na_cells cells;
	struct na_rtt_pages pages;
	struct na_trail_room room;
};

/* A SYN that begins another connection between the same ends. */
static inline bool na_tcp_begins(const struct na_tcp_conn *c, unsigned dir,
				 const struct na_packet *p)
{
	const struct na_tcp_dir *f = &c->dir[dir];

	return (p->flags & (NA_TCP_SYN | NA_TCP_ACK)) == NA_TCP_SYN &&
	       f->base_known && p->seq != f->base_seq;
}

/* Marks of p, sent by f's side, its counts and round trip; the state moves
 * on.  A `copy` of what was recorded before stalls and mends nothing. */
uint32_t na_tcp_marks(struct na_tcp_conn *c, struct na_tcp_dir *f,
		      struct na_tcp_dir *r, const struct na_packet *p,
		      bool copy, struct na_tcp_pools *pools);

/* stall.c: timeouts, idle restarts, windows that hold the sender.  `send`
 * before the state moves on: what to add to the marks.  `hear` after:
 * `advanced` when p's ACK covers more than any before. */
uint32_t na_tcp_stall_send(struct na_tcp_conn *c, struct na_tcp_dir *f,
			   const struct na_tcp_dir *r,
			   const struct na_packet *p, uint32_t marks);
void na_tcp_stall_hear(const struct na_tcp_dir *f, struct na_tcp_dir *s,
		       const struct na_packet *p, uint32_t marks,
		       bool advanced);
/* New data with no marks, or an ACK of a peer whose window stays open: does
 * it tell `send`, or `hear`, more than its time? */
static inline bool na_tcp_stall_is_calm(const struct na_tcp_dir *f,
					const struct na_tcp_dir *r)
{
	return f->sent_any && !f->recover_known && !f->asked &&
	       (!r->last_ack || (int32_t)(r->last_ack - f->next_seq) < 0);
}
static inline bool na_tcp_stall_is_open(const struct na_tcp_dir *s)
{
	return !s->zero_now && !s->full_now && !s->asked &&
	       !(s->rare && (s->rare->hole || s->rare->mending));
}
/* A round trip of d's segment sent at sent_ns. */
void na_tcp_stall_rtt(struct na_tcp_dir *d, int64_t sent_ns, int64_t rtt_ns);
void na_tcp_stall_end(struct na_tcp_conn *c);
/* What side dir sent is not all acknowledged, and its peer's window is open. */
bool na_tcp_awaits(const struct na_tcp_conn *c, unsigned dir);
/* Of what it awaits: how long it did at the end of [from_ns, to_ns); 0: it has
 * for less than an answer takes. */
int64_t na_tcp_wait_ns(struct na_tcp_conn *c, unsigned dir, int64_t from_ns,
		       int64_t to_ns);
/* And for longer than any answer takes that is not lost, nor given up. */
bool na_tcp_is_overdue(struct na_tcp_conn *c, unsigned dir, int64_t now_ns);
/* p, of side dir, holds what it sent before. */
bool na_tcp_resends(const struct na_tcp_conn *c, unsigned dir,
		    const struct na_packet *p);

static inline bool na_tcp_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0; /* RFC 1982 */
}

static inline void na_tcp_count(uint32_t *n)
{
	*n += *n != UINT32_MAX;
}

/* Time that goes back and forth gives any sum. */
static inline void na_tcp_add_ns(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

#endif
