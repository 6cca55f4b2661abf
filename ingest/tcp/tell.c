#include "ingest/tcp/tell.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"

static const int64_t slower_ns = 10000000; /* than the median */

static int64_t to_ps(const struct na_tcp_teller *t, int64_t ns)
{
	/* In reach: track.c has cut it to that. */
	return (ns - t->zero_ns) * NA_PS_PER_NS;
}

static void put_rare(struct na_direction *o, const struct na_tcp_rare *x)
{
	const struct na_tcp_tally *n = &x->n;

	o->longest_timeout_ns = x->longest_timeout_ns;
	o->timeout_total_ns = x->timeout_total_ns;
	o->recovery_ns = x->recovery_ns;
	o->zero_window_ns = x->zero_window_ns;
	o->window_full_ns = x->window_full_ns;
	o->retransmissions = n->retransmissions;
	o->fast = n->fast;
	o->timeout = n->timeout;
	o->spurious = n->spurious;
	o->out_of_order = n->out_of_order;
	o->lost_before = n->lost_before;
	o->keep_alives = n->keep_alives;
	o->duplicate_acks = n->duplicate_acks;
	o->zero_windows = n->zero_windows;
	o->window_full = n->window_full;
	o->zero_probes = n->zero_probes;
	o->sack_blocks = n->sack_blocks;
	o->ce_marks = n->ce_marks;
	o->ece = n->ece;
	o->cwr = n->cwr;
	o->timeouts = n->timeouts;
}

static void put_rtt(struct na_direction *o, const struct na_tcp_dir *d)
{
	o->rtt_samples = d->rtt.n;
	o->rtt_min_ns = d->rtt.n ? d->rtt.min_ns : -1;
	o->rtt_least_ns = na_tcp_least_leg(d);
	o->rtt_p50_ns = na_rtt_quantile(&d->rtt, 0.5);
	o->rtt_p99_ns = na_rtt_quantile(&d->rtt, 0.99);
	o->ts_rtt_samples = d->ts_rtt.n;
	o->ts_rtt_min_ns = d->ts_rtt.n ? d->ts_rtt.min_ns : -1;
	o->ts_rtt_p50_ns = na_rtt_quantile(&d->ts_rtt, 0.5);
	o->ts_rtt_p99_ns = na_rtt_quantile(&d->ts_rtt, 0.99);
}

/* Nearly all within 15 % of the median: a timer. */
static bool is_even(const struct na_rtt *r)
{
	int64_t p50 = na_rtt_quantile(r, 0.5);

	return r->n > 0 && na_rtt_quantile(r, 0.15) >= p50 - p50 / 100 * 15 &&
	       na_rtt_quantile(r, 0.85) <= p50 + p50 / 100 * 15;
}

/* Holes that were only recorded late are taken back. */
static uint64_t less(uint64_t n, uint64_t before)
{
	return n > before ? n - before : 0;
}

static void put_lengths(struct na_direction *o, const struct na_trail *f)
{
	struct na_length_cut c = na_lengths_cut(f->late->lengths, f->una,
						f->late->arrived_before);

	o->length_cuts = c.cuts;
	o->short_most = c.short_most;
	o->long_least = c.long_least;
	o->short_sent = c.short_sent;
	o->short_lost = c.short_lost;
	o->long_sent = c.long_sent;
	o->long_lost = c.long_lost;
	o->long_lost_again = c.long_lost_again;
}

/* What an answer says of what was sent again. */
static void put_again(struct na_direction *o, const struct na_trail_late *l)
{
	o->needed = l->needed;
	o->needless = l->needless;
	o->loss_events = l->loss_events;
	o->lost_upstream = l->fills;
	o->open_again = less(l->all_again, l->needed + l->needless);
	o->needed_timeouts = l->timeouts;
	o->vain_timeouts = l->vain_timeouts;
	o->longest_vain_ns = l->longest_vain_ns;
	o->needed_silent_ns = l->silent_ns;
}

static void put_late(struct na_direction *o, const struct na_trail_late *l,
		     int64_t now_ns)
{
	put_again(o, l);
	o->reordered = l->reordered;
	o->capture_holes = less(l->capture_holes, l->before.capture_holes);
	o->tail_losses = l->tail_losses - l->before.tail_losses;
	o->syns_again = l->syns_again - l->before.syns_again;
	o->acks_missing = l->acks_missing;
	o->dsacks_alone = l->dsacks_alone;
	o->tail_ns = l->tail_ns;
	for (size_t i = 0; i < l->n_gap; i++) {
		const struct na_trail_gap *g = &l->gap[i];

		if (g->acked || g->before)
			continue;
		if (!o->missing_bytes)
			o->missing_ns = now_ns - g->time_ns;
		o->missing_bytes += g->to - g->from;
	}
	o->stuck_ns = l->run ? now_ns - l->run_ns : 0;
	o->last_again = l->run;
	o->last_again_bytes = l->run_bytes;
}

/* `twice`: copies are no less than 30 % of the others, so somebody recorded
 * all of them twice. */
static void put_trail(struct na_direction *o, const struct na_tcp_dir *d,
		      bool twice, int64_t now_ns)
{
	const struct na_trail *f = &d->trail;

	o->testified = 1;
	o->ids = na_trail_has_ids(f);
	*(twice ? &o->copies : &o->duplicated) = f->copies;
	o->data_segments = f->segments;
	o->full_bytes = f->full;
	if (f->late) {
		struct na_trail_passing x = na_trail_passing(f);

		put_late(o, f->late, now_ns);
		o->stuck_long = x.long_sent;
		o->stuck_short = x.short_arrived;
	}
	if (f->hi_known && f->una_known && (int32_t)(f->hi - f->una) > 0)
		o->unacked_bytes = f->hi - f->una;
	if (f->late && f->late->lengths)
		put_lengths(o, f);
	if (f->start_known && f->una_known)
		o->acked_bytes = f->una - f->start;
	o->edge_segments = d->edge;
	o->slow_acks = d->nagle.slow_acks;
	o->released = d->nagle.released;
	o->unanswered = d->nagle.unanswered + d->nagle.owed;
	o->released_p50_ns = na_rtt_quantile(&d->nagle.waits, 0.5);
	o->released_even = is_even(&d->nagle.waits);
	o->far_rtt_min_ns = d->far.n ? d->far.min_ns : -1;
	o->far_rtt_p50_ns = na_rtt_quantile(&d->far, 0.5);
	o->reset = d->saw_rst;
	o->closed = d->saw_fin;
}

static void put_turns(struct na_connection *o, const struct na_tcp_conn *c)
{
	const struct na_turns *t = &c->turns;
	uint64_t at_once = t->calls > t->upset_calls + t->serve.n
				   ? t->calls - t->upset_calls - t->serve.n
				   : 0;
	double half = 0.5 * (double)(at_once + t->serve.n);
	int64_t p50 = -1, slow;

	if (t->serve.n > 0)
		p50 = half <= (double)at_once
			      ? 0
			      : na_rtt_quantile(&t->serve,
						(half - (double)at_once) /
							t->serve.n);
	slow = 3 * p50 > p50 + slower_ns ? 3 * p50 : p50 + slower_ns;
	o->turns = t->calls;
	o->upset_turns = t->upset_calls;
	o->serves = t->serve.n;
	o->serve_ns = t->serve_ns;
	o->serve_p50_ns = p50;
	o->serve_p99_ns = na_rtt_quantile(&t->serve, 0.99);
	o->upset_ns = t->upset_ns;
	o->client = c->client;
	o->answered = t->asked && t->answered;
	if (p50 >= 0)
		o->slow_serves = na_rtt_above(&t->serve, slow,
					      &o->slow_serve_ns);
}

static bool recorded_twice(const struct na_tcp_conn *c)
{
	uint64_t copies = 0, all = 0;

	for (unsigned i = 0; i < 2; i++) {
		const struct na_tcp_dir *d = &c->dir[i];

		/* Of ACKs without an ID nobody knows. */
		copies += d->trail.copies;
		all += na_trail_has_ids(&d->trail)
			       ? d->packets - d->before.packets
			       : d->data_packets - d->before.data_packets;
	}
	return copies > 0 &&
	       (double)copies >= 0.3 * ((double)all - (double)copies);
}

static void put_direction(struct na_direction *o, const struct na_tcp_dir *d,
			  const struct na_tcp_dir *other)
{
	const struct na_tcp_volume *b = &d->before;

	memset(o, 0, sizeof(*o));
	o->packets = d->packets - b->packets;
	o->wire_bytes = d->wire_bytes - b->wire_bytes;
	o->bytes = d->bytes - b->bytes;
	o->unique_bytes = d->unique_bytes - b->unique_bytes;
	o->retransmitted_bytes = o->bytes - o->unique_bytes;
	o->data_packets = d->data_packets - b->data_packets;
	if (d->rare)
		put_rare(o, d->rare);
	put_rtt(o, d);
	o->max_in_flight_bytes = d->max_in_flight;
	o->max_window_bytes = d->max_window;
	o->min_window_bytes = d->min_window == UINT32_MAX ? 0 : d->min_window;
	o->idle_ns = d->idle_ns;
	o->idle_restarts = d->idle_restarts;
	o->longest_idle_ns = d->longest_idle_ns;
	o->mss = d->mss;
	o->window_shift = d->shift;
	o->sack_permitted = d->sack_permitted;
	o->timestamps = d->timestamps;
	o->saw_syn = d->saw_syn;
	o->window_scale_known = d->saw_syn && other->saw_syn;
}

static void put_stretches(struct na_direction *o, const struct na_stretches *s,
			  int64_t first_ns)
{
	if (!s)
		return;
	o->stretches_seen = s->seen;
	o->stretches_kept = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		o->stretch[i] = s->v[i];
		o->stretch[i].from_ns -= first_ns;
	}
}

static enum na_conn_end how(const struct na_tcp_conn *c, bool evicted)
{
	if (c->dir[0].saw_rst || c->dir[1].saw_rst)
		return NA_CONN_RST;
	if (c->dir[0].saw_fin && c->dir[1].saw_fin)
		return NA_CONN_FIN;
	return evicted ? NA_CONN_EVICTED : NA_CONN_OPEN;
}

static bool troubled(const struct na_tcp_dir *d)
{
	if (!d->rare)
		return false;
	return d->rare->n.retransmissions > 0 || d->rare->n.timeouts > 0 ||
	       d->rare->n.zero_windows > 0 || d->rare->n.window_full > 0;
}

static uint64_t bytes(const struct na_tcp_dir *d)
{
	return d->bytes - d->before.bytes;
}

static int64_t mute_ns(const struct na_tcp_conn *c, const struct na_tcp_dir *d)
{
	int64_t since_ns = d->heard_ns;

	if (!d->packets)
		return -1;
	if (since_ns < d->trail.since_ns)
		since_ns = d->trail.since_ns;
	return c->newest_ns > since_ns ? c->newest_ns - since_ns : 0;
}

static size_t room(const struct na_tcp_teller *t, const struct na_tcp_conn *c)
{
	if (troubled(&c->dir[0]) || troubled(&c->dir[1]))
		return t->most;
	return bytes(&c->dir[0]) + bytes(&c->dir[1]) > 0 ? t->most - t->most / 4
							 : t->most / 2;
}

/* Is c to be told, and is there room? */
static bool claim(struct na_tcp_teller *t, const struct na_tcp_conn *c)
{
	if (!t->wanted)
		return false;
	if (t->told >= room(t, c)) {
		t->dropped++;
		return false;
	}
	t->told++;
	return true;
}

static void put_stall(const struct na_tcp_teller *t, struct na_connection *o,
		      const struct na_tcp_conn *c)
{
	for (size_t i = 0; i < 2; i++) {
		o->dir[i].stalled_ns = c->dir[i].stalled_ns;
		o->dir[i].stall_resent = c->dir[i].resent;
	}
	if (c->stalled_to_ns)
		o->to_ps = to_ps(t, c->stalled_to_ns);
}

static struct na_connection row_of(struct na_tcp_teller *t,
				   const struct na_tcp_conn *c, bool evicted,
				   uint64_t calls)
{
	struct na_connection o = {0};

	o.id = c->id;
	o.src = na_addresses_endpoint(t->addresses, &c->end[0]);
	o.dst = na_addresses_endpoint(t->addresses, &c->end[1]);
	o.src_port = c->port[0];
	o.dst_port = c->port[1];
	o.end = (uint8_t)how(c, evicted);
	o.disordered = c->disordered;
	o.clipped = true;
	o.from_ps = to_ps(t, c->first_ns);
	o.to_ps = to_ps(t, c->newest_ns > c->first_ns ? c->newest_ns
						     : c->first_ns);
	o.initial_rtt_ns = c->first_rtt_ns ? c->first_rtt_ns : -1;
	o.calls = calls;
	put_direction(&o.dir[0], &c->dir[0], &c->dir[1]);
	put_direction(&o.dir[1], &c->dir[1], &c->dir[0]);
	for (unsigned i = 0; i < 2; i++) {
		put_trail(&o.dir[i], &c->dir[i], recorded_twice(c),
			  c->newest_ns);
		put_stretches(&o.dir[i], c->dir[i].stretches, c->first_ns);
		o.dir[i].mute_ns = mute_ns(c, &c->dir[i]);
		o.dir[i].known = c->dir[i].packets > 0;
	}
	put_stall(t, &o, c);
	put_turns(&o, c);
	return o;
}

enum na_status na_tcp_tell(struct na_tcp_teller *t, const struct na_tcp_conn *c,
			   bool evicted, uint64_t calls)
{
	struct na_connection o;

	if (!claim(t, c))
		return NA_OK;
	o = row_of(t, c, evicted, calls);
	return t->sink->connection(t->sink->ctx, &o);
}

enum na_status na_tcp_hold(struct na_tcp_teller *t, struct na_tcp_conn *c,
			   uint64_t calls)
{
	if (!claim(t, c))
		return NA_OK;
	c->held = malloc(sizeof(*c->held));
	if (!c->held)
		return NA_ENOMEM;
	*c->held = row_of(t, c, false, calls);
	return NA_OK;
}

enum na_status na_tcp_tell_held(struct na_tcp_teller *t,
				const struct na_tcp_conn *c)
{
	if (!t->wanted)
		return NA_OK;
	for (unsigned i = 0; i < 2; i++)
		if (c->dir[i].trail.late)
			put_again(&c->held->dir[i], c->dir[i].trail.late);
	put_stall(t, c->held, c);
	return t->sink->connection(t->sink->ctx, c->held);
}

static uint64_t positive(int64_t pos)
{
	return pos > 0 ? (uint64_t)pos : 0;
}

enum na_status na_tcp_tell_segment(struct na_tcp_teller *t,
				   const struct na_tcp_packet *x,
				   const struct na_tcp_dir *r)
{
	const struct na_packet *p = x->p;
	struct na_segment s = {
		.time_ps = to_ps(t, p->time_ns),
		.seq = positive((int64_t)x->seq),
		.ack = positive((int64_t)x->ack),
		.size_bytes = p->payload_bytes,
		.window_bytes = x->window_bytes,
		.connection = x->connection,
		.marks = (uint16_t)x->marks,
		.dir = x->dir,
		.n_sack = p->n_sack,
	};

	if (p->n_sack > 0 && r) {
		s.sack_from = positive(r->ref_pos +
				       (int32_t)(p->sack[0].left - r->ref_seq));
		s.sack_to = positive(r->ref_pos +
				     (int32_t)(p->sack[0].right - r->ref_seq));
	}
	return t->sink->segment(t->sink->ctx, &s);
}
