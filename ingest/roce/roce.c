/*
 * RoCEv2 requests to messages, and messages to the sink.
 */
#include "ingest/roce/roce.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/roce/table.h"
#include "netan/base/units.h"

/* Some 8 MiB together; 50 MiB more for marks where queue pairs are wanted. */
const struct na_roce_limits na_roce_limits = {
	.queue_pairs = 16384,
	.messages = 65536,
	.named = 65536,
	.marks = 1 << 20,
};

enum {
	ATOMIC_BYTES = 8,
	/* A PSN so far behind is a new life of the queue pair. */
	BACK_PACKETS = 1 << 16,
	/* A READ's answers take one PSN for each of these many bytes. */
	LEAST_MTU = 256,
	LARGEST_MTU = 4096,
	PSN_MASK = 0xffffff
};

struct na_roce *na_roce_new(const struct na_roce_limits *limits,
			    int64_t zero_ns, uint32_t wants, uint32_t files,
			    const struct na_sink *sink,
			    struct na_addresses *addresses)
{
	struct na_roce *x = calloc(1, sizeof(*x));

	files = files ? files : 1;
	if (x)
		x->newest_ns = na_calloc(files, sizeof(*x->newest_ns));
	if (!x || !x->newest_ns) {
		free(x);
		return NULL;
	}
	for (uint32_t i = 0; i < files; i++)
		x->newest_ns[i] = INT64_MIN;
	x->limits = *limits;
	x->zero_ns = zero_ns;
	x->sink = sink;
	x->wanted = x->trails = wants & NA_WANT_QUEUE_PAIRS;
	na_roce_window(x, INT64_MIN, INT64_MAX);
	x->pages.most = limits->queue_pairs;
	x->addresses = addresses;
	na_roce_table_init(x);
	return x;
}

void na_roce_window(struct na_roce *x, int64_t from_ns, int64_t to_ns)
{
	x->from_ns = x->now_ns = from_ns;
	x->to_ns = to_ns;
}

void na_roce_free(struct na_roce *x)
{
	if (!x)
		return;
	na_roce_trails_fini(x);
	na_roce_table_fini(x);
	free(x->newest_ns);
	free(x);
}

void na_roce_from(struct na_roce *x, uint32_t file)
{
	x->file = file;
}

/* The sink's numbers for the addresses and the queue pair, asked once.  A
 * flood of made-up pairs does not fill its memory with names. */
static void name_qp(struct na_roce *x, struct na_roce_qp *q)
{
	const struct na_sink *s = x->sink;
	char buf[32];

	if (q->name != NA_UNKNOWN_U32)
		return;
	q->src_end = na_addresses_endpoint(x->addresses, &q->src);
	q->dst_end = na_addresses_endpoint(x->addresses, &q->dst);
	if (x->named >= x->limits.named) {
		x->counts.limits_hit++;
		q->name = s->name(s->ctx, "roce:other", 10);
		return;
	}
	x->named++;
	snprintf(buf, sizeof(buf), "roce:0x%06" PRIx32, q->dest);
	q->name = s->name(s->ctx, buf, strlen(buf));
}

enum na_status na_roce_tell(struct na_roce *x, uint32_t qp,
			    const struct na_roce_wait *w, bool answered,
			    int64_t to_ns)
{
	const struct na_sink *s = x->sink;
	struct na_roce_qp *q = &x->qps.v[qp];
	const char *type = na_roce_op_name(q->transport, w->op);
	bool back = w->kind == NA_ROCE_READ_ASK;
	struct na_transfer t = {
		NA_TRANSFER_OF_CAPTURE,
		.size_bytes = w->bytes,
		.style = NA_STYLE_CAPTURE,
		.component = NA_COMP_NETWORK,
	};

	/* The capture's clock went back: the latency is not known. */
	if (answered && to_ns < w->from_ns)
		answered = false;
	if (!na_ps_since(answered ? w->from_ns : w->last_ns, x->zero_ns,
			 &t.start_ps) ||
	    !na_ps_since(answered ? to_ns : w->last_ns, x->zero_ns,
			 &t.end_ps)) {
		s->left_out(s->ctx, NA_LEFT_DAMAGED, 1);
		return NA_OK;
	}
	t.klass = !answered                              ? NA_NO_LATENCY
		  : t.start_ps == t.end_ps               ? NA_CLOCK_SKEW
		  : na_roce_is_pair(q, &q->dst, &q->src) ? NA_LOOPBACK
							 : NA_VALID;
	if (answered)
		na_roce_trail_latency(x, qp, to_ns - w->from_ns);
	name_qp(x, q);
	t.src = back ? q->dst_end : q->src_end;
	t.dst = back ? q->src_end : q->dst_end;
	t.collective = q->name;
	t.type = s->name(s->ctx, type, strlen(type));
	return s->transfer(s->ctx, &t);
}

enum na_status na_roce_tell_lost(struct na_roce *x,
				 const struct na_roce_wait *w)
{
	if (w->kind == NA_ROCE_READ_ASK)
		return NA_OK;
	return na_roce_tell(x, w->qp, w, false, 0);
}

/* A gap is remembered: what is in it may still come, and is new then. */
static void add_hole(struct na_roce_qp *q, uint32_t from, uint32_t to)
{
	struct na_roce_hole *last = &q->holes[q->n_holes ? q->n_holes - 1 : 0];

	if (q->n_holes && last->to == from) {
		last->to = to;
		return;
	}
	if (q->n_holes == NA_ROCE_HOLES) {
		memmove(q->holes, q->holes + 1,
			(NA_ROCE_HOLES - 1) * sizeof(*q->holes));
		q->n_holes--;
	}
	q->holes[q->n_holes++] = (struct na_roce_hole){from, to};
}

/* True when psn was in a hole.  What is before it there is given up: a
 * sender that goes back sends in order. */
static bool fill_hole(struct na_roce_qp *q, uint32_t psn)
{
	for (size_t i = 0; i < q->n_holes; i++) {
		struct na_roce_hole *h = &q->holes[i];

		if (na_roce_ahead(h->from, psn) < 0 ||
		    na_roce_ahead(psn, h->to) <= 0)
			continue;
		h->from = (psn + 1) & PSN_MASK;
		if (h->from != h->to)
			return true;
		q->n_holes--;
		memmove(h, h + 1, (q->n_holes - i) * sizeof(*h));
		return true;
	}
	return false;
}

/* A request takes from `least` to `most` sequence numbers. */
static enum na_status follow_psn(struct na_roce *x, uint32_t qp, uint32_t psn,
				 uint32_t least, uint32_t most,
				 enum na_roce_news *news, uint32_t *gap)
{
	struct na_roce_qp *q = &x->qps.v[qp];
	int32_t ahead = na_roce_ahead(q->next_max, psn);
	enum na_status st = NA_OK;

	*news = NA_ROCE_FRESH;
	*gap = 0;
	if (q->transport == NA_ROCE_UD)
		return NA_OK;
	if (q->started && na_roce_ahead(q->next_min, psn) < 0) {
		if (na_roce_ahead(q->next_min, psn) >= -BACK_PACKETS) {
			*news = fill_hole(q, psn) ? NA_ROCE_LATE
						  : NA_ROCE_REPEAT;
			x->counts.roce_psn_repeats += *news == NA_ROCE_REPEAT;
			return NA_OK;
		}
		st = na_roce_wait_drop_all(x, qp);
		q->n_holes = 0;
		q->open.on = q->held.on = false;
	} else if (q->started && ahead > 0) {
		x->counts.roce_psn_gaps++;
		add_hole(q, q->next_max, psn);
		*gap = (uint32_t)ahead;
	}
	q->started = true;
	q->next_min = (psn + least) & PSN_MASK;
	q->next_max = (psn + most) & PSN_MASK;
	return st;
}

/* A message begins.  One that is not whole yet is held: its sender went back
 * and comes to it again, or what is missing of it may still come. */
static void begin(struct na_roce_qp *q, uint32_t psn, int64_t now_ns)
{
	struct na_roce_open fresh = {.on = true,
				     .first_psn = psn,
				     .from_ns = now_ns};

	if (q->open.on && q->open.first_psn == psn)
		return;
	if (q->held.on && q->held.first_psn == psn) {
		q->open = q->held;
		q->held.on = false;
		return;
	}
	if (q->open.on) {
		q->held = q->open;
		q->held_end = psn;
	}
	q->open = fresh;
}

/* The message that a Middle or Last belongs to; NULL: its First is missing. */
static struct na_roce_open *open_at(struct na_roce_qp *q, uint32_t psn)
{
	if (q->open.on && na_roce_ahead(q->open.first_psn, psn) > 0)
		return &q->open;
	if (q->held.on && na_roce_ahead(q->held.first_psn, psn) > 0 &&
	    na_roce_ahead(psn, q->held_end) > 0)
		return &q->held;
	return NULL;
}

/* Whole: reliable ones wait for their ACK. */
static enum na_status complete(struct na_roce *x, struct na_roce_wait *w,
			       enum na_roce_news news)
{
	uint8_t transport = x->qps.v[w->qp].transport;

	x->counts.roce_messages++;
	if (news == NA_ROCE_REPEAT)
		return NA_OK;
	na_roce_trail_message(x, w->qp);
	if (transport == NA_ROCE_UC || transport == NA_ROCE_UD)
		return na_roce_tell_lost(x, w);
	return na_roce_wait_add(x, w);
}

static enum na_status part(struct na_roce *x, uint32_t qp,
			   const struct na_packet *p,
			   const struct na_roce_head *h)
{
	struct na_roce_qp *q = &x->qps.v[qp];
	struct na_roce_open *o, only = {.on = true};
	struct na_roce_wait w;
	enum na_roce_news news;
	uint32_t gap;
	enum na_status st = follow_psn(x, qp, h->psn, 1, 1, &news, &gap);

	if (!st)
		st = na_roce_trail_sent(x, qp, p, h, news, gap);
	if (st)
		return st;
	if (h->place == (NA_ROCE_BEGINS | NA_ROCE_ENDS)) {
		only.first_psn = h->psn;
		only.from_ns = p->time_ns;
		o = &only;
	} else {
		if (h->place & NA_ROCE_BEGINS)
			begin(q, h->psn, p->time_ns);
		o = h->place & NA_ROCE_BEGINS ? &q->open : open_at(q, h->psn);
	}
	if (!o) {
		if (news == NA_ROCE_FRESH)
			add_hole(q, h->psn, (h->psn + 1) & PSN_MASK);
		return NA_OK;
	}
	if (news != NA_ROCE_REPEAT)
		o->bytes += h->bytes;
	if (!(h->place & NA_ROCE_ENDS))
		return NA_OK;
	o->on = false;
	w = (struct na_roce_wait){
		.from_ns = o->from_ns,
		.last_ns = p->time_ns,
		.bytes = o->bytes,
		.first_psn = o->first_psn,
		.last_psn = h->psn,
		.qp = qp,
		.kind = NA_ROCE_PART,
		.op = h->op,
	};
	return complete(x, &w, news);
}

/* READ and atomic requests. */
static enum na_status ask(struct na_roce *x, uint32_t qp,
			  const struct na_packet *p,
			  const struct na_roce_head *h)
{
	struct na_roce_wait w = {
		.from_ns = p->time_ns,
		.last_ns = p->time_ns,
		.first_psn = h->psn,
		.last_psn = h->psn,
		.qp = qp,
		.kind = h->kind,
		.op = h->op,
	};
	uint32_t least = 1, most = 1, gap;
	enum na_roce_news news;
	enum na_status st;

	if (h->kind == NA_ROCE_READ_ASK && h->dma_bytes) {
		least = (h->dma_bytes - 1) / LARGEST_MTU + 1;
		most = (h->dma_bytes - 1) / LEAST_MTU + 1;
	}
	/* More than half of the numbers: a lie, or nothing to be told by. */
	if (most >= 1 << 22)
		least = most = 1;
	st = follow_psn(x, qp, h->psn, least, most, &news, &gap);
	if (!st)
		st = na_roce_trail_sent(x, qp, p, h, news, gap);
	if (st)
		return st;
	if (h->kind == NA_ROCE_ATOMIC_ASK) {
		w.bytes = ATOMIC_BYTES;
		return complete(x, &w, news);
	}
	return news == NA_ROCE_REPEAT ? NA_OK : na_roce_wait_add(x, &w);
}

enum na_status na_roce_packet(struct na_roce *x, const struct na_packet *p)
{
	struct na_roce_head h;
	enum na_status st;
	uint32_t qp;

	if (!na_roce_head_read(&h, p->payload, p->payload_captured,
			       p->payload_bytes)) {
		x->counts.malformed++;
		return NA_OK;
	}
	x->now_ns = p->time_ns;
	if (p->time_ns > x->newest_ns[x->file])
		x->newest_ns[x->file] = p->time_ns;
	x->trails = x->wanted && p->time_ns < x->to_ns;
	x->counts.roce_packets++;
	x->counts.roce_ce_marks += p->ecn == 3;
	if (h.kind == NA_ROCE_CONGESTION)
		x->counts.roce_congestion++;
	if (h.kind == NA_ROCE_OTHER ||
	    (h.kind == NA_ROCE_CONGESTION && !x->trails))
		return NA_OK;
	st = na_roce_qp(x, p, &h, &qp);
	if (st)
		return st;
	switch (h.kind) {
	case NA_ROCE_CONGESTION:
		return na_roce_trail_congestion(x, qp, p);
	case NA_ROCE_PART:
		return part(x, qp, p, &h);
	case NA_ROCE_READ_ASK:
	case NA_ROCE_ATOMIC_ASK:
		return ask(x, qp, p, &h);
	case NA_ROCE_READ_PART:
		return na_roce_read_part(x, qp, p, &h);
	default:
		return na_roce_answer(x, qp, p, &h);
	}
}

enum na_status na_roce_finish(struct na_roce *x)
{
	enum na_status st = NA_OK;

	while (!st && x->oldest_wait != NA_ROCE_NONE) {
		struct na_roce_wait w;

		na_roce_wait_take(x, x->waits.v[x->oldest_wait].qp, &w);
		st = na_roce_tell_lost(x, &w);
	}
	return st || !x->wanted ? st : na_roce_trails_tell(x);
}

void na_roce_counts(const struct na_roce *x, struct na_capture_counts *c)
{
	c->malformed += x->counts.malformed;
	c->limits_hit += x->counts.limits_hit;
	c->roce_pairs_outside = x->counts.roce_pairs_outside;
	c->roce_packets = x->counts.roce_packets;
	c->roce_messages = x->counts.roce_messages;
	c->roce_naks = x->counts.roce_naks;
	c->roce_rnr_naks = x->counts.roce_rnr_naks;
	c->roce_psn_gaps = x->counts.roce_psn_gaps;
	c->roce_psn_repeats = x->counts.roce_psn_repeats;
	c->roce_congestion = x->counts.roce_congestion;
	c->roce_ce_marks = x->counts.roce_ce_marks;
}
