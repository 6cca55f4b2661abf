#include "ingest/roce/trail.h"

#include <stdlib.h>

#include "ingest/roce/table.h"
#include "netan/base/units.h"

enum {
	MARKS_MOST = 512, /* of one queue pair; fewer where there are many */
	MARKS_LEAST = 32,
	WIDTH_NS = 1 << 10
};

static int64_t not_before(int64_t ns, int64_t from_ns)
{
	return ns > from_ns ? ns : from_ns;
}

static void forget_marks(struct na_roce_trail *t)
{
	t->marks.n = 0;
	t->width_ns = WIDTH_NS;
	for (size_t k = 0; k < NA_QP_MARKS; k++)
		t->last_of[k] = NA_ROCE_NONE;
}

/* The window begins: what is known stays, and nothing that was counted
 * counts. */
static void count_from(struct na_roce_trail *t, struct na_rtt_pages *pages,
		       int64_t from_ns)
{
	t->sum = (struct na_queue_pair){.service = t->sum.service};
	t->lost_any = false;
	t->requests.back_ns = not_before(t->requests.back_ns, from_ns);
	t->responses.back_ns = not_before(t->responses.back_ns, from_ns);
	t->nak_ns = not_before(t->nak_ns, from_ns);
	t->open = t->waiting_cnps = 0;
	for (size_t i = 0; i < 3; i++)
		t->waiting_naks[i] = 0;
	na_rtt_fini(&t->latency, pages);
	forget_marks(t);
}

static struct na_roce_trail *trail_of(struct na_roce *x, uint32_t qp)
{
	struct na_roce_trail **t = &x->qps.v[qp].trail;
	bool is_new = !*t;

	if (is_new)
		*t = na_calloc(1, sizeof(**t));
	if (is_new && *t)
		forget_marks(*t);
	if (*t && !(*t)->within && x->now_ns >= x->from_ns) {
		(*t)->within = true;
		if (!is_new)
			count_from(*t, &x->pages, x->from_ns);
	}
	return *t;
}

/* From a to b, at least 0; clocks may be anywhere. */
static int64_t since_ns(int64_t a, int64_t b)
{
	int64_t ns;

	if (b <= a)
		return 0;
	return __builtin_sub_overflow(b, a, &ns) ? INT64_MAX : ns;
}

static void add_ns(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

/* ---- marks in columns of time */

static bool join(struct na_roce_trail *t, const struct na_roce_mark *m)
{
	uint32_t last = t->last_of[m->kind];
	struct na_roce_mark *l = last == NA_ROCE_NONE ? NULL
						      : &t->marks.v[last];

	if (!l || l->column != m->column)
		return false;
	l->from = m->from < l->from ? m->from : l->from;
	l->to = m->to > l->to ? m->to : l->to;
	l->count += m->count > UINT32_MAX - l->count ? 0 : m->count;
	return true;
}

static void put_mark(struct na_roce_trail *t, const struct na_roce_mark *m)
{
	if (join(t, m))
		return;
	t->last_of[m->kind] = (uint32_t)t->marks.n;
	t->marks.v[t->marks.n++] = *m;
}

/* Columns twice as wide. */
static void widen(struct na_roce_trail *t)
{
	size_t n = t->marks.n;

	t->width_ns *= 2;
	t->marks.n = 0;
	for (size_t k = 0; k < NA_QP_MARKS; k++)
		t->last_of[k] = NA_ROCE_NONE;
	for (size_t i = 0; i < n; i++) {
		struct na_roce_mark m = t->marks.v[i];

		m.column /= 2;
		put_mark(t, &m);
	}
}

static size_t most_marks(const struct na_roce *x)
{
	size_t n = x->limits.marks / (x->qps.n + 1);

	return n > MARKS_MOST ? MARKS_MOST : n < MARKS_LEAST ? MARKS_LEAST : n;
}

static enum na_status mark(struct na_roce *x, struct na_roce_trail *t,
			   enum na_qp_mark_kind kind, int64_t now_ns,
			   int64_t psn)
{
	int64_t since = t->sum.packets ? since_ns(t->from_ns, now_ns) : 0;
	struct na_roce_mark m = {since / t->width_ns, psn, psn, 1,
				 (uint8_t)kind};

	if (join(t, &m))
		return NA_OK;
	if (!na_room(&t->marks, 1))
		return NA_ENOMEM;
	put_mark(t, &m);
	while (t->marks.n >= most_marks(x) && t->width_ns < INT64_MAX / 4)
		widen(t);
	return NA_OK;
}

/* ---- what is sent */

static bool acknowledged(const struct na_roce_trail *t, uint32_t psn)
{
	return t->acked_any && na_roce_ahead(psn, t->acked) >= 0;
}

static void count_lost(struct na_roce_trail *t, uint32_t psn)
{
	t->sum.needed++;
	t->sum.loss_events += !t->lost_any || t->lost_psn != psn;
	t->lost_any = true;
	t->lost_psn = psn;
}

/* The first packet of a run: why does the sender go back?  False: it does
 * not, the packet was recorded twice or only late. */
static bool goes_back(const struct na_roce *x, struct na_roce_trail *t,
		      const struct na_packet *p, const struct na_roce_head *h,
		      enum na_roce_news news)
{
	struct na_roce_course *c = &t->requests;
	int64_t silent = since_ns(c->last_ns, p->time_ns);
	bool asked = t->nak != NA_ROCE_YES && h->psn == t->nak_psn;
	bool lost = !acknowledged(t, h->psn);

	if (!asked && silent < NA_ROCE_SILENCE_NS) {
		if (news == NA_ROCE_LATE) {
			t->sum.reordered++;
			return false;
		}
		if (h->psn == c->last)
			return false;
		lost &= !t->heard;
	}
	c->back_ns = p->time_ns;
	if (asked && t->nak == NA_ROCE_RNR) {
		add_ns(&t->sum.rnr_ns, since_ns(t->nak_ns, p->time_ns));
		lost = false;
	} else if (asked) {
		c->back_ns = t->nak_ns;
		lost = t->nak == NA_ROCE_NO;
	} else if (silent >= NA_ROCE_SILENCE_NS) {
		silent = since_ns(not_before(c->last_ns, x->from_ns),
				  p->time_ns);
		t->sum.timeouts++;
		add_ns(&t->sum.silent_ns, silent);
		if (silent > t->sum.longest_silent_ns)
			t->sum.longest_silent_ns = silent;
	}
	t->nak = NA_ROCE_YES;
	/* Some response came: the request had arrived. */
	if (h->kind == NA_ROCE_READ_ASK && t->acked_any &&
	    na_roce_ahead(h->psn, (t->acked + 1) & 0xffffff) >= 0)
		lost = false;
	if (lost)
		count_lost(t, h->psn);
	return true;
}

static void end_run(struct na_roce_trail *t, struct na_roce_course *c,
		    int64_t now_ns)
{
	if (!c->back)
		return;
	c->back = false;
	add_ns(&t->sum.recovery_ns, since_ns(c->back_ns, now_ns));
}

/* Of responses nobody asks but the requester, with a request. */
static bool responds_again(struct na_roce_trail *t, const struct na_packet *p,
			   const struct na_roce_head *h)
{
	struct na_roce_course *c = &t->responses;

	if (h->psn == c->last &&
	    since_ns(c->last_ns, p->time_ns) < NA_ROCE_SILENCE_NS)
		return false;
	c->back_ns = p->time_ns;
	count_lost(t, h->psn);
	return true;
}

/* Is it a repeat? */
static bool is_repeat(const struct na_roce *x, struct na_roce_trail *t,
		      const struct na_packet *p, const struct na_roce_head *h,
		      enum na_roce_news news)
{
	bool read = h->kind == NA_ROCE_READ_PART;
	struct na_roce_course *c = read ? &t->responses : &t->requests;
	bool follows = c->back && na_roce_ahead(c->last, h->psn) > 0;

	if (news == NA_ROCE_FRESH) {
		end_run(t, c, p->time_ns);
		return false;
	}
	if (follows)
		return true;
	end_run(t, c, p->time_ns);
	c->back = read ? responds_again(t, p, h) : goes_back(x, t, p, h, news);
	return c->back;
}

/* Where its PSN is; one that starts anew goes on behind the last. */
static int64_t move(struct na_roce_course *c, uint32_t psn,
		    enum na_roce_news news, int64_t now_ns)
{
	int32_t ahead = c->begun ? na_roce_ahead(c->last, psn) : 0;
	int64_t at = c->at + ahead;

	if (c->begun && news == NA_ROCE_FRESH && ahead <= 0)
		at = c->front + 1;
	c->begun = true;
	c->last_ns = now_ns;
	/* A late one leaves the others where they are. */
	if (news == NA_ROCE_LATE && !c->back)
		return at;
	c->last = psn;
	c->at = at;
	if (at > c->front)
		c->front = at;
	return at;
}

static void add_up(struct na_roce_trail *t, const struct na_packet *p,
		   const struct na_roce_head *h)
{
	if (!t->sum.packets)
		t->from_ns = t->to_ns = p->time_ns;
	if (p->time_ns < t->from_ns)
		t->from_ns = p->time_ns;
	if (p->time_ns > t->to_ns)
		t->to_ns = p->time_ns;
	t->sum.packets++;
	t->sum.bytes += h->bytes;
	t->sum.ce_marks += p->ecn == 3;
	t->sum.service = h->transport == NA_ROCE_UD   ? NA_QP_DATAGRAM
			 : h->transport == NA_ROCE_UC ? NA_QP_UNRELIABLE
						      : NA_QP_RELIABLE;
}

enum na_status na_roce_trail_sent(struct na_roce *x, uint32_t qp,
				  const struct na_packet *p,
				  const struct na_roce_head *h,
				  enum na_roce_news news, uint32_t gap)
{
	struct na_roce_trail *t;
	struct na_roce_course *c;
	enum na_status st;
	bool again;
	int64_t at;

	x->qps.v[qp].carries = true;
	if (!x->trails) {
		if (x->qps.v[qp].trail)
			na_roce_stall_sent(x, x->qps.v[qp].trail, h, news);
		return NA_OK;
	}
	t = trail_of(x, qp);
	if (!t)
		return NA_ENOMEM;
	c = h->kind == NA_ROCE_READ_PART ? &t->responses : &t->requests;
	t->carries = true;
	add_up(t, p, h);
	again = is_repeat(x, t, p, h, news);
	t->sum.repeats += again;
	t->sum.repeated_bytes += again ? h->bytes : 0;
	t->sum.psn_gaps += gap > 0;
	t->open += gap;
	if (news == NA_ROCE_LATE && t->open)
		t->open--;
	if (c == &t->requests && news == NA_ROCE_FRESH)
		na_roce_stall_due(x, t, h, x->qps.v[qp].next_min);
	at = move(c, h->psn, news, p->time_ns);
	st = mark(x, t, again ? NA_QP_REPEAT : NA_QP_DATA, p->time_ns, at);
	if (!st && p->ecn == 3)
		st = mark(x, t, NA_QP_CE, p->time_ns, at);
	return st;
}

/* ---- what comes back */

/* What came on `from` before it was known that it is for `qp`. */
static void settle_waiting(struct na_roce_trail *from, struct na_roce_trail *t)
{
	t->sum.cnps += from->waiting_cnps;
	t->sum.naks_rnr += from->waiting_naks[0];
	t->sum.naks_sequence += from->waiting_naks[1];
	t->sum.naks_other += from->waiting_naks[2];
	from->waiting_cnps = 0;
	for (size_t i = 0; i < 3; i++)
		from->waiting_naks[i] = 0;
}

static enum na_status refuse(struct na_roce *x, struct na_roce_trail *t,
			     const struct na_packet *p,
			     const struct na_roce_head *h)
{
	bool rnr = h->answer == NA_ROCE_RNR;
	int64_t at = t->requests.at + na_roce_ahead(t->requests.last, h->psn);

	t->sum.naks_rnr += rnr;
	t->sum.naks_sequence += h->answer == NA_ROCE_NO;
	t->sum.naks_other += h->answer == NA_ROCE_REFUSED;
	t->nak = h->answer;
	t->nak_psn = h->psn;
	t->nak_ns = p->time_ns;
	return mark(x, t, rnr ? NA_QP_RNR : NA_QP_NAK, p->time_ns,
		    t->requests.begun ? at : 0);
}

enum na_status na_roce_trail_answer(struct na_roce *x, uint32_t from,
				    uint32_t qp, const struct na_packet *p,
				    const struct na_roce_head *h)
{
	bool no = h->kind == NA_ROCE_ACK && h->answer != NA_ROCE_YES;
	uint32_t psn = no ? (h->psn - 1) & 0xffffff : h->psn;
	struct na_roce_trail *t, *f;

	if (!x->trails) {
		if (qp != NA_ROCE_NONE && x->qps.v[qp].trail)
			na_roce_stall_answered(x, x->qps.v[qp].trail, h);
		return NA_OK;
	}
	f = trail_of(x, from);
	t = qp == NA_ROCE_NONE ? NULL : trail_of(x, qp);
	if (!f || (qp != NA_ROCE_NONE && !t))
		return NA_ENOMEM;
	if (!t) {
		f->waiting_naks[0] += no && h->answer == NA_ROCE_RNR;
		f->waiting_naks[1] += no && h->answer == NA_ROCE_NO;
		f->waiting_naks[2] += no && h->answer == NA_ROCE_REFUSED;
		return NA_OK;
	}
	settle_waiting(f, t);
	t->sum.answers++;
	t->heard = true;
	na_roce_stall_heard(x, t);
	/* And responses are asked for. */
	f->sum.answers += h->kind == NA_ROCE_READ_PART;
	f->heard |= h->kind == NA_ROCE_READ_PART;
	if (!t->acked_any || na_roce_ahead(t->acked, psn) > 0) {
		t->acked = psn;
		t->acked_any = true;
		if (!no && na_roce_ahead(t->requests.last, psn) >= 0) {
			t->sum.missing += t->open;
			t->open = 0;
		}
	}
	return no ? refuse(x, t, p, h) : NA_OK;
}

/* The only queue pair with data the other way; NONE: several. */
static uint32_t only_one(const struct na_roce *x, const struct na_roce_qp *r)
{
	uint32_t i = na_roce_pair_first(x, &r->dst, &r->src);
	uint32_t found = NA_ROCE_NONE;

	for (int n = 0; i != NA_ROCE_NONE; i = x->qps.v[i].pair_next) {
		const struct na_roce_qp *q = &x->qps.v[i];

		if (n++ == 64)
			return NA_ROCE_NONE;
		if (!na_roce_is_pair(q, &r->dst, &r->src) || !q->trail ||
		    !q->trail->carries)
			continue;
		if (found != NA_ROCE_NONE)
			return NA_ROCE_NONE;
		found = i;
	}
	return found;
}

static uint32_t sender_of(const struct na_roce *x, uint32_t from)
{
	const struct na_roce_qp *r = &x->qps.v[from];

	return r->acks != NA_ROCE_NONE &&
			       x->qps.v[r->acks].serial == r->acks_serial
		       ? r->acks
		       : only_one(x, r);
}

enum na_status na_roce_trail_congestion(struct na_roce *x, uint32_t from,
					const struct na_packet *p)
{
	struct na_roce_trail *t, *f;
	int64_t since = p->time_ns, to;
	uint32_t qp;

	if (!x->trails)
		return NA_OK;
	f = trail_of(x, from);
	if (!f)
		return NA_ENOMEM;
	qp = sender_of(x, from);
	if (qp == NA_ROCE_NONE) {
		f->waiting_cnps++;
		return NA_OK;
	}
	t = trail_of(x, qp);
	if (!t)
		return NA_ENOMEM;
	settle_waiting(f, t);
	if (t->sum.cnps++ && t->slow_to_ns > since)
		since = t->slow_to_ns;
	if (!__builtin_add_overflow(p->time_ns, NA_QP_SLOWED_NS, &to) &&
	    to > since) {
		add_ns(&t->sum.slowed_ns, since_ns(since, to));
		t->slow_to_ns = to;
	}
	return mark(x, t, NA_QP_CNP, p->time_ns, t->requests.at);
}

void na_roce_trail_latency(struct na_roce *x, uint32_t qp, int64_t ns)
{
	struct na_roce_trail *t = x->trails ? trail_of(x, qp) : NULL;

	if (!t)
		return;
	na_rtt_add(&t->latency, &x->pages, ns);
	t->usual_ns = t->usual_ns ? t->usual_ns + (ns - t->usual_ns) / 8 : ns;
	t->sum.latencies++;
	if (ns > t->sum.latency_max_ns)
		t->sum.latency_max_ns = ns;
}

void na_roce_trail_message(struct na_roce *x, uint32_t qp)
{
	struct na_roce_trail *t = x->trails ? trail_of(x, qp) : NULL;

	if (t)
		t->sum.messages++;
}

/* ---- to the sink */

static enum na_status tell_marks(struct na_roce *x,
				 const struct na_roce_trail *t, uint32_t id)
{
	const struct na_sink *s = x->sink;
	enum na_status st = NA_OK;

	for (size_t i = 0; !st && i < t->marks.n; i++) {
		const struct na_roce_mark *m = &t->marks.v[i];
		int64_t ns = t->from_ns, off;
		struct na_qp_mark out = {
			.psn_from = m->from,
			.psn_to = m->to,
			.queue_pair = id,
			.count = m->count,
			.kind = m->kind,
		};

		if (__builtin_mul_overflow(m->column, t->width_ns, &off) ||
		    __builtin_add_overflow(ns, off, &ns) ||
		    !na_ps_since(ns, x->zero_ns, &out.time_ps) ||
		    __builtin_mul_overflow(t->width_ns, 1000, &out.width_ps))
			continue;
		st = s->qp_mark(s->ctx, &out);
	}
	return st;
}

/* The sender's own number: where its ACKs go. */
static uint32_t source_qp(const struct na_roce *x, const struct na_roce_qp *q)
{
	return q->acked_by != NA_ROCE_NONE && x->qps.v[q->acked_by].serial ==
						      q->acked_by_serial
		       ? x->qps.v[q->acked_by].dest
		       : NA_UNKNOWN_U32;
}

static enum na_status tell(struct na_roce *x, const struct na_roce_qp *q,
			   struct na_roce_trail *t, bool evicted)
{
	const struct na_sink *s = x->sink;
	struct na_queue_pair *out = &t->sum;
	enum na_status st;

	end_run(t, &t->requests, t->to_ns);
	end_run(t, &t->responses, t->to_ns);
	if (out->slowed_ns > since_ns(t->from_ns, t->to_ns))
		out->slowed_ns = since_ns(t->from_ns, t->to_ns);
	/* Frames so far off are counted where they are read. */
	if (!na_ps_since(t->from_ns, x->zero_ns, &out->from_ps) ||
	    !na_ps_since(t->to_ns, x->zero_ns, &out->to_ps))
		return NA_OK;
	out->id = q->serial;
	out->src = na_addresses_endpoint(x->addresses, &q->src);
	out->dst = na_addresses_endpoint(x->addresses, &q->dst);
	out->qp = q->dest;
	out->source_qp = source_qp(x, q);
	out->evicted = evicted;
	out->clipped = true;
	out->latency_p50_ns = na_rtt_quantile(&t->latency, 0.5);
	out->latency_p99_ns = na_rtt_quantile(&t->latency, 0.99);
	if (!out->latencies)
		out->latency_max_ns = -1;
	st = s->queue_pair(s->ctx, out);
	return st ? st : tell_marks(x, t, out->id);
}

static void drop(struct na_roce *x, struct na_roce_qp *q)
{
	if (!q->trail)
		return;
	na_rtt_fini(&q->trail->latency, &x->pages);
	na_vec_free(&q->trail->marks);
	free(q->trail);
	q->trail = NULL;
}

/* Also of one that is silent in the whole window. */
static void take_stall(struct na_roce *x, struct na_roce_trail *t)
{
	int64_t stalled_ns = t->sum.stalled_ns;
	uint8_t resent = t->sum.stall_resent;

	end_run(t, &t->requests, t->to_ns);
	end_run(t, &t->responses, t->to_ns);
	if (!t->within)
		count_from(t, &x->pages, x->from_ns);
	t->within = true;
	if (!t->sum.packets)
		t->from_ns = x->from_ns;
	t->to_ns = t->stalled_to_ns;
	t->sum.stalled_ns = stalled_ns;
	t->sum.stall_resent = resent;
}

enum na_status na_roce_trail_tell(struct na_roce *x, uint32_t qp, bool evicted)
{
	struct na_roce_qp *q = &x->qps.v[qp];
	uint32_t to = q->trail ? sender_of(x, qp) : NA_ROCE_NONE;
	enum na_status st = NA_OK;

	if (to != NA_ROCE_NONE && x->qps.v[to].trail && q->trail->within)
		settle_waiting(q->trail, x->qps.v[to].trail);
	if (q->trail && na_roce_stall_end(x, q->trail, evicted))
		take_stall(x, q->trail);
	if (q->trail && q->trail->within &&
	    (q->trail->sum.packets || q->trail->sum.stalled_ns))
		st = tell(x, q, q->trail, evicted);
	else
		x->counts.roce_pairs_outside += q->carries;
	q->carries = false;
	drop(x, q);
	return st;
}

enum na_status na_roce_trails_tell(struct na_roce *x)
{
	enum na_status st = NA_OK;

	for (uint32_t i = 0; i < x->qps.n; i++) {
		struct na_roce_qp *q = &x->qps.v[i];
		uint32_t to = q->trail ? sender_of(x, i) : NA_ROCE_NONE;

		if (to != NA_ROCE_NONE && x->qps.v[to].trail &&
		    q->trail->within)
			settle_waiting(q->trail, x->qps.v[to].trail);
	}
	for (uint32_t i = 0; !st && i < x->qps.n; i++)
		st = na_roce_trail_tell(x, i, false);
	return st;
}

void na_roce_trails_fini(struct na_roce *x)
{
	for (size_t i = 0; i < x->qps.n; i++)
		drop(x, &x->qps.v[i]);
	na_rtt_pages_fini(&x->pages);
}
