/*
 * rpc: what TCP says of late calls.  A timer is behind them only where the
 * connections of the capture waited for one; a single late call is a late call.
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

/* Some connection waited for a retransmission that was needed. */
static bool waited(const struct na_store *store)
{
	na_each_record (const struct na_connection, c, &store->connections) {
		if (lost(&c->dir[0]) || lost(&c->dir[1]))
			return true;
	}
	return false;
}

void na_rpc_hear_tcp(const struct rpc_state *s, struct na_timers *t)
{
	bool timers = s->tcp_waited;

	if (!na_rpc_captured(s->scope->store))
		return;
	for (size_t i = 0; i < NA_TIMER_MODES; i++) {
		struct na_timer_mode *m = &t->modes[i];

		if (m->count >= EPISODES_LEAST &&
		    (timers || m->cause == NA_TIMER_ACK))
			continue;
		t->matched -= t->matched < m->count ? t->matched : m->count;
		m->count = 0;
		m->possible = false;
	}
	if (t->kind == NA_TAIL_TIMER && t->matched * 5 < t->tail * 3)
		t->kind = NA_TAIL_HEAVY;
}

void na_rpc_ask_tcp(struct rpc_state *s)
{
	s->tcp_waited = waited(s->scope->store);
}
