#include "ingest/tcp/trail/trail.h"

static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0; /* RFC 1982 */
}

static bool counts(const struct na_trail_again *a, uint32_t event)
{
	return a->event == event && a->state == NA_AGAIN_NEEDED &&
	       a->packets > 0;
}

/* Whether no other one that was needed is of the event of a.  Those of one
 * event stand side by side. */
static bool is_alone(const struct na_trail_late *l,
		     const struct na_trail_again *a)
{
	size_t at = (size_t)(a - l->again);

	for (size_t i = at; i-- > 0 && l->again[i].event == a->event;)
		if (counts(&l->again[i], a->event))
			return false;
	for (size_t i = at + 1; i < l->n_again; i++) {
		if (l->again[i].event != a->event)
			break;
		if (counts(&l->again[i], a->event))
			return false;
	}
	return true;
}

/* Of a window nothing counts that was sent again before it. */
static void count_event(struct na_trail_late *l, const struct na_trail_again *a,
			bool needed)
{
	if (!a->packets || !is_alone(l, a))
		return;
	if (needed)
		l->loss_events++;
	else if (a->state == NA_AGAIN_NEEDED && l->loss_events > 0)
		l->loss_events--;
}

static void settle(struct na_trail_late *l, struct na_trail_again *a,
		   bool needed)
{
	int sign = needed ? 1 : -1;

	l->n_open -= a->state == NA_AGAIN_OPEN;
	count_event(l, a, needed);
	if (a->state == NA_AGAIN_NEEDED || needed) {
		l->needed += (uint64_t)(sign * a->packets);
		l->fills += a->fills ? (uint64_t)(sign * a->packets) : 0;
		if (a->silent_ns > 0) {
			l->timeouts += (uint64_t)(int64_t)sign;
			l->silent_ns += sign * a->silent_ns;
		}
	}
	if (!needed) {
		l->needless += a->packets;
		l->vain_timeouts += a->silent_ns > 0;
		if (a->silent_ns > l->longest_vain_ns)
			l->longest_vain_ns = a->silent_ns;
	}
	if (l->lengths && (needed || a->state == NA_AGAIN_NEEDED))
		na_lengths_needed(l->lengths, a->number, a->seq, a->end,
				  needed);
	a->state = needed ? NA_AGAIN_NEEDED : NA_AGAIN_NEEDLESS;
}

/* Without an ID nobody knows whether it is another one. */
static bool told_again(struct na_trail_late *l, const struct na_packet *p)
{
	bool same = !p->ip_id && l->dsack_left == p->sack[0].left &&
		    l->dsack_right == p->sack[0].right;

	l->dsack_left = p->sack[0].left;
	l->dsack_right = p->sack[0].right;
	return same;
}

/* The receiver got left..right twice: one of what was sent again was not
 * needed, for each byte. */
void na_trail_take_dsack(struct na_trail_late *l, const struct na_packet *p)
{
	uint32_t left = p->sack[0].left, right = p->sack[0].right;
	uint32_t explained = 0;
	bool any = false;

	if (told_again(l, p))
		return;

	for (size_t i = l->n_again; i-- > 0;) {
		struct na_trail_again *a = &l->again[i];

		if (!before(a->seq, right) || !before(left, a->end) ||
		    a->dsacked || (any && a->seq == explained))
			continue;
		any = a->dsacked = true;
		explained = a->seq;
		if (a->state != NA_AGAIN_NEEDLESS)
			settle(l, a, false);
	}
	l->dsacks_alone += !any;
}

/* RFC 2883: below the ACK, or inside of the second block. */
static bool dsack_in(const struct na_packet *p)
{
	if (!before(p->sack[0].left, p->sack[0].right))
		return false;
	if (!before(p->ack, p->sack[0].right))
		return true;
	return p->n_sack > 1 && !before(p->sack[0].left, p->sack[1].left) &&
	       !before(p->sack[1].right, p->sack[0].right);
}

/* The first block begins where the last ACK stood, and there was data behind
 * the hole: it fills that. */
static bool fills_hole(const struct na_trail *f, const struct na_packet *p)
{
	return f->beyond && f->una_known && before(f->una, p->ack) &&
	       !before(p->sack[0].left, f->una);
}

bool na_trail_tells_twice(const struct na_trail *f, const struct na_packet *p)
{
	return dsack_in(p) &&
	       (before(p->ack, p->sack[0].right) || !fills_hole(f, p));
}

static bool needless(const struct na_trail *f, const struct na_trail_again *a,
		     const struct na_packet *p, int64_t leg_ns)
{
	if (leg_ns > 0 && p->time_ns - a->time_ns < leg_ns / 2)
		return true;
	return a->has_ts && p->has_timestamps && before(p->ts_echo, a->ts) &&
	       !before(f->una, a->seq);
}

void na_trail_settle_acked(const struct na_trail *f, struct na_trail_late *l,
			   const struct na_packet *p, int64_t leg_ns)
{
	for (size_t i = 0; l->n_open > 0 && i < l->n_again; i++) {
		struct na_trail_again *a = &l->again[i];

		if (a->state == NA_AGAIN_OPEN && !before(p->ack, a->end))
			settle(l, a, !needless(f, a, p, leg_ns));
	}
}
