#include "ingest/tcp/talk.h"

enum { SMALL = 1000 }; /* where nobody said how large segments may be */

static bool all_acked(const struct na_tcp_dir *d)
{
	return d->trail.una_known && !na_tcp_before(d->trail.una, d->trail.hi);
}

/* Does it end less than a segment before the edge that the peer told? */
static bool near_edge(const struct na_tcp_dir *f, const struct na_tcp_dir *r,
		      const struct na_packet *p)
{
	int shift = f->saw_syn && r->saw_syn && r->shift > 0 && f->shift >= 0
			    ? r->shift
			    : 0;
	uint32_t room = (uint32_t)r->window << shift;
	uint32_t left = r->last_ack + room - (p->seq + p->payload_bytes);

	return f->saw_syn && r->saw_syn && r->window != UINT32_MAX &&
	       r->last_ack && left < f->trail.full;
}

static void say(struct na_tcp_conn *c, struct na_tcp_dir *f,
		struct na_tcp_dir *r, const struct na_packet *p,
		struct na_rtt_pages *pages)
{
	if (f == &c->dir[c->client])
		na_turns_ask(&c->turns, p);
	else if (c->turns.asked && !c->turns.answered)
		na_turns_answer(&c->turns, pages, p, na_tcp_least_leg(r),
				r->srtt_ns);
	na_nagle_answer(&r->nagle);
	if (f->nagle.late_ns || !f->nagle.sent_ns)
		na_nagle_send(&f->nagle, pages, p,
			      p->payload_bytes <
				      (f->trail.full ? f->trail.full : SMALL),
			      na_tcp_least_leg(r));
	else
		f->nagle.sent_ns = p->time_ns;
	f->edge += near_edge(f, r, p) && f->edge != UINT32_MAX;
}

/* From an ACK of f's to data of the peer that echoes it; the peer sends all
 * the time, or its own pause would be in it. */
static void see_far(struct na_tcp_dir *r, const struct na_packet *p,
		    struct na_rtt_pages *pages)
{
	int64_t rtt = p->time_ns - r->far_ns, pause;

	pause = p->time_ns - r->far_data_ns;
	r->far_data_ns = p->time_ns;
	if (!r->far_ns || (int32_t)(p->ts_echo - r->far_ts) < 0)
		return;
	if (p->ts_echo == r->far_ts && rtt > 0 && pause < rtt / 2)
		na_rtt_add(&r->far, pages, rtt);
	r->far_ns = 0;
}

void na_tcp_talk(struct na_tcp_conn *c, struct na_tcp_dir *f,
		 struct na_tcp_dir *r, const struct na_packet *p, bool fresh,
		 struct na_rtt_pages *pages)
{
	if (!fresh && p->payload_bytes > 0)
		na_nagle_repeat(&f->nagle);
	if (fresh) {
		say(c, f, r, p, pages);
		if (p->has_timestamps)
			see_far(r, p, pages);
	} else if (p->payload_bytes == 0 && p->has_timestamps && !f->far_ns &&
		   p->ts_value != f->far_ts) {
		f->far_ns = p->time_ns;
		f->far_ts = p->ts_value;
	}
	if (p->payload_bytes == 0 && r->nagle.sent_ns && all_acked(r))
		na_nagle_hear(&r->nagle, p, na_tcp_least_leg(r));
}
