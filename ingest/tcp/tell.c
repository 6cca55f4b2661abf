#include "ingest/tcp/tell.h"

#include <string.h>

#include "netan/base/units.h"

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
	o->rtt_p50_ns = na_rtt_quantile(&d->rtt, 0.5);
	o->rtt_p99_ns = na_rtt_quantile(&d->rtt, 0.99);
	o->ts_rtt_samples = d->ts_rtt.n;
	o->ts_rtt_min_ns = d->ts_rtt.n ? d->ts_rtt.min_ns : -1;
	o->ts_rtt_p50_ns = na_rtt_quantile(&d->ts_rtt, 0.5);
	o->ts_rtt_p99_ns = na_rtt_quantile(&d->ts_rtt, 0.99);
}

static void put_direction(struct na_direction *o, const struct na_tcp_dir *d,
			  const struct na_tcp_dir *other)
{
	memset(o, 0, sizeof(*o));
	o->packets = d->packets;
	o->wire_bytes = d->wire_bytes;
	o->bytes = d->bytes;
	o->unique_bytes = d->unique_bytes;
	o->retransmitted_bytes = d->bytes - d->unique_bytes;
	o->data_packets = d->data_packets;
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

static size_t room(const struct na_tcp_teller *t, const struct na_tcp_conn *c)
{
	if (troubled(&c->dir[0]) || troubled(&c->dir[1]))
		return t->most;
	return c->dir[0].bytes + c->dir[1].bytes > 0 ? t->most - t->most / 4
						     : t->most / 2;
}

enum na_status na_tcp_tell(struct na_tcp_teller *t, const struct na_tcp_conn *c,
			   bool evicted, uint64_t calls)
{
	struct na_connection o = {0};

	if (!t->wanted)
		return NA_OK;
	if (t->told >= room(t, c)) {
		t->dropped++;
		return NA_OK;
	}
	t->told++;
	o.id = c->id;
	o.src = na_addresses_endpoint(t->addresses, &c->end[0]);
	o.dst = na_addresses_endpoint(t->addresses, &c->end[1]);
	o.src_port = c->port[0];
	o.dst_port = c->port[1];
	o.end = (uint8_t)how(c, evicted);
	o.disordered = c->disordered;
	o.from_ps = to_ps(t, c->first_ns);
	o.to_ps = to_ps(t, c->newest_ns);
	o.initial_rtt_ns = c->first_rtt_ns ? c->first_rtt_ns : -1;
	o.calls = calls;
	put_direction(&o.dir[0], &c->dir[0], &c->dir[1]);
	put_direction(&o.dir[1], &c->dir[1], &c->dir[0]);
	return t->sink->connection(t->sink->ctx, &o);
}

static uint64_t behind(int64_t pos, int64_t from)
{
	return pos > from ? (uint64_t)(pos - from) : 0;
}

enum na_status na_tcp_tell_segment(struct na_tcp_teller *t,
				   const struct na_tcp_packet *x, int64_t from,
				   int64_t ack_from, const struct na_tcp_dir *r)
{
	const struct na_packet *p = x->p;
	struct na_segment s = {
		.time_ps = to_ps(t, p->time_ns),
		.seq = behind((int64_t)x->seq, from),
		.ack = behind((int64_t)x->ack, ack_from),
		.size_bytes = p->payload_bytes,
		.window_bytes = x->window_bytes,
		.connection = x->connection,
		.marks = (uint16_t)x->marks,
		.dir = x->dir,
		.n_sack = p->n_sack,
	};

	if (p->n_sack > 0 && r) {
		s.sack_from = behind(r->ref_pos + (int32_t)(p->sack[0].left -
							    r->ref_seq),
				     ack_from);
		s.sack_to = behind(r->ref_pos + (int32_t)(p->sack[0].right -
							  r->ref_seq),
				   ack_from);
	}
	return t->sink->segment(t->sink->ctx, &s);
}
