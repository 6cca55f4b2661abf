/*
 * rpc: what TCP says of late calls.  A timer is behind them only where the
 * connections between the same ends waited for one; a single late call is a late call.
 */
#include "netan/analyses/rpc/state.h"

enum { EPISODES_LEAST = 3 };

/* Of this side's data something was lost, and sent again. */
static bool lost(const struct na_direction *d)
{
	if (!d->testified)
		return d->retransmissions > 0;
	return d->needed + d->tail_losses + d->syns_again > 0;
}

/* Calls, and estimates of what is none, are transfers of their own. */
static struct na_triple ends_of(uint32_t a, uint32_t b, bool calls)
{
	return (struct na_triple){a < b ? a : b, a < b ? b : a, calls};
}

/* Of packets, and no connection of its ends had to send anything again: it
 * waited for something else. */
static bool is_acquitted(const struct rpc_state *s, const struct rpc_late *x)
{
	return (1U << x->style & NA_STYLES_OF_PACKETS) &&
	       na_triples_find(&s->lossy,
			       ends_of(x->src_end, x->dst_end,
				       x->style == NA_STYLE_CAPTURE)) ==
		       NA_NO_TRIPLE;
}

/* Most of those that are so late. */
static bool is_borne_out(const struct rpc_state *s, uint32_t row,
			 const struct na_timers *t, int mode)
{
	const struct rpc_late *all = (const void *)s->late.items;
	size_t n = 0, acquitted = 0;

	for (size_t i = 0; i < s->late.n; i++) {
		const struct rpc_late *x = &all[i];

		if ((row != RPC_ALL_ROWS && x->row != row) || x->constant ||
		    na_timers_match(t, x->excess_ms) != mode)
			continue;
		n++;
		acquitted += is_acquitted(s, x);
	}
	return 2 * acquitted <= n;
}

static bool stays(const struct rpc_state *s, uint32_t row,
		  const struct na_timers *t, int mode)
{
	const struct na_timer_mode *m = &t->modes[mode];

	if (m->count < EPISODES_LEAST)
		return false;
	if (m->cause == NA_TIMER_ACK && s->tcp_seen)
		return true;
	/* Without TCP no connection is lossy: all packets are acquitted. */
	return (m->cause == NA_TIMER_ACK || s->tcp_waited) &&
	       is_borne_out(s, row, t, mode);
}

/* Some of what was looked at may have gone over connections that are known:
 * not those of captures that are left to others. */
static bool hears(const struct rpc_state *s)
{
	const struct na_store *store = s->scope->store;
	bool any = store->calls.n && !s->scope->bound->aside;

	for (uint32_t i = 0; i < store->n_sources; i++)
		any |= !na_filter_aside(s->scope->bound, i) &&
		       (na_store_styles_in(store, i) & (NA_STYLES_OF_PACKETS));
	return any;
}

void na_rpc_hear_tcp(const struct rpc_state *s, uint32_t row,
		     struct na_timers *t)
{
	bool keep[NA_TIMER_MODES];

	if (!hears(s))
		return;
	for (int i = 0; i < NA_TIMER_MODES; i++)
		keep[i] = stays(s, row, t, i);
	for (size_t i = 0; i < NA_TIMER_MODES; i++) {
		struct na_timer_mode *m = &t->modes[i];

		if (keep[i])
			continue;
		t->matched -= t->matched < m->count ? t->matched : m->count;
		m->count = 0;
		m->possible = false;
	}
	if (t->kind == NA_TAIL_TIMER && t->matched * 5 < t->tail * 3)
		t->kind = NA_TAIL_HEAVY;
}

bool na_rpc_ask_tcp(struct rpc_state *s)
{
	na_each_record (struct na_connection, c,
			&s->scope->store->connections) {
		if (na_filter_aside(s->scope->bound, c->input))
			continue;
		s->tcp_seen = true;
		if (!lost(&c->dir[0]) && !lost(&c->dir[1]))
			continue;
		s->tcp_waited = true;
		if (na_triples_add(&s->lossy,
				   ends_of(c->src, c->dst, c->calls > 0)) ==
		    NA_NO_TRIPLE)
			return false;
	}
	return true;
}
