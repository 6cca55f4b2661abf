/*
 * ACKs, NAKs and READ responses: whose they are, and what they end.
 */
#include "ingest/roce/table.h"

enum {
	/* How far the search for an ACK's queue pair goes. */
	SEARCH_QPS = 256,
	SEARCH_WAITS = 8,
	/* After so many in vain, only one in so many tries. */
	MISSES = 16
};

struct candidate {
	uint32_t qp;
	int rank; /* 2: a message ends there */
	int64_t from_ns;
};

static bool alive(const struct na_roce *x, uint32_t qp, uint32_t serial)
{
	return qp != NA_ROCE_NONE && x->qps.v[qp].serial == serial;
}

static bool sent(const struct na_roce_qp *q, uint32_t psn)
{
	return q->started && na_roce_ahead(psn, q->next_max) > 0;
}

/* How well an answer with this PSN fits the requests of q. */
static void judge(const struct na_roce *x, uint32_t qp, uint32_t psn,
		  struct candidate *best)
{
	const struct na_roce_qp *q = &x->qps.v[qp];
	struct candidate c = {qp, 1, q->open.from_ns};
	uint32_t first = q->open.first_psn, w = q->first_wait;

	if (q->transport == NA_ROCE_UC || q->transport == NA_ROCE_UD ||
	    !sent(q, psn) || (w == NA_ROCE_NONE && !q->open.on))
		return;
	if (w != NA_ROCE_NONE) {
		first = x->waits.v[w].first_psn;
		c.from_ns = x->waits.v[w].from_ns;
	}
	if (na_roce_ahead(first, psn) < 0)
		return;
	for (int i = 0; w != NA_ROCE_NONE && i < SEARCH_WAITS; i++) {
		if (x->waits.v[w].last_psn == psn)
			c.rank = 2;
		w = x->waits.v[w].next;
	}
	if (best->rank < c.rank ||
	    (best->rank == c.rank && (c.from_ns < best->from_ns ||
				      (c.from_ns == best->from_ns &&
				       q->serial < x->qps.v[best->qp].serial))))
		*best = c;
}

/* The requests that an answer on `qp` is for; least: the rank it needs. */
static uint32_t search(struct na_roce *x, uint32_t qp, uint32_t psn, int least)
{
	const struct na_roce_qp *r = &x->qps.v[qp];
	struct candidate best = {NA_ROCE_NONE, 0, 0};
	uint32_t i = na_roce_pair_first(x, &r->dst, &r->src);

	for (int n = 0; i != NA_ROCE_NONE && n < SEARCH_QPS; n++) {
		const struct na_roce_qp *q = &x->qps.v[i];

		if (na_roce_is_pair(q, &r->dst, &r->src) &&
		    (q->acked_by == qp ||
		     !alive(x, q->acked_by, q->acked_by_serial)))
			judge(x, i, psn, &best);
		i = q->pair_next;
	}
	return best.rank >= least ? best.qp : NA_ROCE_NONE;
}

/* Answers on r are for requests on q, and the other way round. */
static void bind(struct na_roce *x, uint32_t r, uint32_t q)
{
	struct na_roce_qp *a = &x->qps.v[r], *b = &x->qps.v[q];

	a->acks = q;
	a->acks_serial = b->serial;
	b->acked_by = r;
	b->acked_by_serial = a->serial;
	if (alive(x, b->acks, b->acks_serial) ||
	    alive(x, a->acked_by, a->acked_by_serial))
		return;
	b->acks = r;
	b->acks_serial = a->serial;
	a->acked_by = q;
	a->acked_by_serial = b->serial;
}

static uint32_t requests_of(struct na_roce *x, uint32_t qp, uint32_t psn)
{
	struct na_roce_qp *r = &x->qps.v[qp];
	bool bound = alive(x, r->acks, r->acks_serial);
	uint32_t q;

	if (bound && sent(&x->qps.v[r->acks], psn))
		return r->acks;
	if (r->misses >= MISSES && r->misses % MISSES) {
		r->misses++;
		return NA_ROCE_NONE;
	}
	q = search(x, qp, psn, bound ? 2 : 1);
	if (q == NA_ROCE_NONE) {
		r->misses++;
		return NA_ROCE_NONE;
	}
	if (bound) {
		x->qps.v[r->acks].acked_by = NA_ROCE_NONE;
		if (x->qps.v[r->acks].acks == qp)
			x->qps.v[r->acks].acks = NA_ROCE_NONE;
		if (r->acked_by == r->acks)
			r->acked_by = NA_ROCE_NONE;
	}
	r->misses = 0;
	bind(x, qp, q);
	return q;
}

/* Everything that ends before `psn` has been answered by now.  A READ or an
 * atomic should have had its own answer: that was not captured. */
static enum na_status settle(struct na_roce *x, uint32_t qp, uint32_t psn,
			     int64_t now_ns)
{
	enum na_status st = NA_OK;

	while (!st) {
		uint32_t i = x->qps.v[qp].first_wait;
		struct na_roce_wait w;

		if (i == NA_ROCE_NONE ||
		    na_roce_ahead(x->waits.v[i].last_psn, psn) <= 0)
			break;
		na_roce_wait_take(x, qp, &w);
		st = w.kind == NA_ROCE_PART
			     ? na_roce_tell(x, qp, &w, true, now_ns)
			     : na_roce_tell_lost(x, &w);
	}
	return st;
}

enum na_status na_roce_answer(struct na_roce *x, uint32_t qp,
			      const struct na_packet *p,
			      const struct na_roce_head *h)
{
	struct na_roce_wait w;
	enum na_status st;
	uint32_t q, i;

	if (h->kind == NA_ROCE_ACK) {
		x->counts.roce_naks += h->answer == NA_ROCE_NO ||
				       h->answer == NA_ROCE_REFUSED;
		x->counts.roce_rnr_naks += h->answer == NA_ROCE_RNR;
		if (h->answer == NA_ROCE_UNREAD)
			return NA_OK;
	}
	q = requests_of(x, qp, h->psn);
	st = na_roce_trail_answer(x, qp, q, p, h);
	if (st || q == NA_ROCE_NONE)
		return st;
	/* A NAK answers what is before its PSN, an ACK that too. */
	if (h->kind == NA_ROCE_ACK && h->answer == NA_ROCE_YES)
		return settle(x, q, (h->psn + 1) & 0xffffff, p->time_ns);
	st = settle(x, q, h->psn, p->time_ns);
	i = x->qps.v[q].first_wait;
	if (st || h->kind != NA_ROCE_ATOMIC_ACK || i == NA_ROCE_NONE ||
	    x->waits.v[i].kind != NA_ROCE_ATOMIC_ASK ||
	    x->waits.v[i].last_psn != h->psn)
		return st;
	na_roce_wait_take(x, q, &w);
	return na_roce_tell(x, q, &w, true, p->time_ns);
}

/* The first response: which request is it for? */
static enum na_status begin_reading(struct na_roce *x, uint32_t qp,
				    uint32_t psn, int64_t now_ns)
{
	struct na_roce_open *o = &x->qps.v[qp].reading;
	uint32_t q = requests_of(x, qp, psn), i;
	struct na_roce_wait w;
	enum na_status st = NA_OK;

	*o = (struct na_roce_open){
		.on = true,
		.first_psn = psn,
		.from_ns = now_ns,
		.qp = q,
		.qp_serial = q == NA_ROCE_NONE ? 0 : x->qps.v[q].serial,
	};
	if (q == NA_ROCE_NONE)
		return NA_OK;
	st = settle(x, q, psn, now_ns);
	i = x->qps.v[q].first_wait;
	if (st || i == NA_ROCE_NONE || x->waits.v[i].kind != NA_ROCE_READ_ASK ||
	    x->waits.v[i].first_psn != psn)
		return st;
	na_roce_wait_take(x, q, &w);
	o->known = true;
	o->from_ns = w.from_ns;
	return NA_OK;
}

/* A whole READ.  Without its request it is told as the response's queue
 * pair. */
static enum na_status tell_reading(struct na_roce *x, uint32_t qp,
				   const struct na_roce_open *o, int64_t now_ns)
{
	bool known = o->known && alive(x, o->qp, o->qp_serial);
	struct na_roce_wait w = {
		.from_ns = o->from_ns,
		.last_ns = now_ns,
		.bytes = o->bytes,
		.qp = known ? o->qp : qp,
		.kind = known ? NA_ROCE_READ_ASK : NA_ROCE_READ_PART,
		.op = NA_ROCE_READ,
	};

	return na_roce_tell(x, w.qp, &w, known, now_ns);
}

enum na_status na_roce_read_part(struct na_roce *x, uint32_t qp,
				 const struct na_packet *p,
				 const struct na_roce_head *h)
{
	struct na_roce_qp *r = &x->qps.v[qp];
	struct na_roce_open *o = &r->reading;
	int32_t ahead = r->answers_started
				? na_roce_ahead(r->answer_next, h->psn)
				: 0;
	/* A READ that is asked for again, in part: the same message. */
	bool again = o->on && na_roce_ahead(o->first_psn, h->psn) > 0 &&
		     ahead <= 0;
	bool repeat = ahead < 0 && ahead > -(1 << 16);
	enum na_status st = NA_OK;

	x->counts.roce_psn_repeats += repeat;
	st = na_roce_trail_sent(x, qp, p, h,
				repeat ? NA_ROCE_REPEAT : NA_ROCE_FRESH,
				ahead > 0 && !(h->place & NA_ROCE_BEGINS)
					? (uint32_t)ahead
					: 0);
	if (st)
		return st;
	if (!repeat) {
		r->answers_started = true;
		r->answer_next = (h->psn + 1) & 0xffffff;
	}
	if (h->place & NA_ROCE_BEGINS && !again)
		st = begin_reading(x, qp, h->psn, p->time_ns);
	else if (ahead > 0)
		x->counts.roce_psn_gaps++;
	if (st || !o->on)
		return st;
	st = na_roce_trail_answer(x, qp,
				  alive(x, o->qp, o->qp_serial) ? o->qp
								: NA_ROCE_NONE,
				  p, h);
	if (st)
		return st;
	o->bytes += repeat ? 0 : h->bytes;
	if (!(h->place & NA_ROCE_ENDS))
		return NA_OK;
	o->on = false;
	x->counts.roce_messages++;
	if (!repeat)
		na_roce_trail_message(x, alive(x, o->qp, o->qp_serial) ? o->qp
								       : qp);
	return repeat ? NA_OK : tell_reading(x, qp, o, p->time_ns);
}
