#include "ingest/tcp/window.h"

#include <stdlib.h>
#include <string.h>

static int64_t not_before(int64_t ns, int64_t from_ns)
{
	return ns > from_ns ? ns : from_ns;
}

/* What calls are compared by (track.c, setbacks()) goes on, and is told
 * without what was there. */
static void late_from(struct na_trail_late *l)
{
	for (size_t i = 0; i < l->n_gap; i++)
		l->gap[i].before = true;
	for (size_t i = 0; i < l->n_again; i++) {
		l->again[i].packets = 0;
		l->again[i].silent_ns = 0;
	}
	l->run = 0;
	if (l->lengths) {
		memset(l->lengths->sent, 0, sizeof(l->lengths->sent));
		l->lengths->n_kinds = 0;
	}
	l->all_again = l->needed = l->needless = l->fills = l->reordered = 0;
	l->acks_missing = l->dsacks_alone = l->loss_events = 0;
	l->timeouts = l->vain_timeouts = 0;
	l->silent_ns = l->tail_ns = l->longest_vain_ns = 0;
	l->before.capture_holes = l->capture_holes;
	l->before.tail_losses = l->tail_losses;
	l->before.syns_again = l->syns_again;
}

static void rare_from(struct na_tcp_rare *x, int64_t from_ns)
{
	*x = (struct na_tcp_rare){
		.zero_since_ns = not_before(x->zero_since_ns, from_ns),
		.full_since_ns = not_before(x->full_since_ns, from_ns),
		.hole_ns = not_before(x->hole_ns, from_ns),
		.mending_ns = not_before(x->mending_ns, from_ns),
		.hole = x->hole,
		.mending = x->mending,
	};
}

static void nagle_from(struct na_nagle *n, struct na_rtt_pages *pages)
{
	n->slow_acks = n->released = n->unanswered = 0;
	n->owed = false;
	na_rtt_fini(&n->waits, pages);
}

static void direction_from(struct na_tcp_dir *d, struct na_rtt_pages *pages,
			   int64_t from_ns)
{
	d->before = (struct na_tcp_volume){
		.packets = d->packets,
		.wire_bytes = d->wire_bytes,
		.bytes = d->bytes,
		.unique_bytes = d->unique_bytes,
		.data_packets = d->data_packets,
	};
	d->base_ns = na_tcp_least_leg(d);
	na_rtt_fini(&d->rtt, pages);
	na_rtt_fini(&d->ts_rtt, pages);
	na_rtt_fini(&d->far, pages);
	nagle_from(&d->nagle, pages);
	d->max_in_flight = d->max_window = 0;
	d->min_window = UINT32_MAX;
	d->edge = d->idle_restarts = 0;
	d->idle_ns = d->longest_idle_ns = 0;
	d->saw_rst = false;
	d->trail.since_ns = from_ns;
	d->trail.copies = d->trail.segments = 0;
	if (d->trail.late)
		late_from(d->trail.late);
	memset(&d->stretch, 0, sizeof(d->stretch));
	free(d->stretches);
	d->stretches = NULL;
	if (d->rare)
		rare_from(d->rare, from_ns);
}

void na_tcp_count_from(struct na_tcp_conn *c, struct na_tcp_pools *pools,
		       int64_t from_ns, uint64_t calls)
{
	struct na_turns *t = &c->turns;

	c->first_ns = not_before(c->first_ns, from_ns);
	c->disordered = false;
	c->calls_before = calls;
	t->calls = t->upset_calls = 0;
	t->serve_ns = t->upset_ns = 0;
	na_rtt_fini(&t->serve, &pools->pages);
	for (unsigned i = 0; i < 2; i++)
		direction_from(&c->dir[i], &pools->pages, from_ns);
}

void na_tcp_count_no_more(struct na_tcp_conn *c)
{
	c->dir[0].trail.over = c->dir[1].trail.over = true;
}

static bool awaits(const struct na_trail_late *l)
{
	for (size_t i = 0; l && l->n_open > 0 && i < l->n_again; i++)
		if (l->again[i].state == NA_AGAIN_OPEN && l->again[i].packets)
			return true;
	return false;
}

bool na_tcp_is_open(const struct na_tcp_conn *c)
{
	return awaits(c->dir[0].trail.late) || awaits(c->dir[1].trail.late);
}
