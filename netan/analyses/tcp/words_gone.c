/* tcp: connections that were refused or reset, or whose peer says no more. */
#include "netan/analyses/tcp/words.h"

struct na_fact na_tcp_tell_ends(const struct told *t)
{
	const struct tcp_row *row = t->row;

	if (row->holds[TCP_REFUSED] && t->d->saw_syn)
		return na_fact_connection_refused(t->other,
						  na_tcp_some_s(
							  row->let_in_ns));
	if (row->holds[TCP_RESET] && t->d->reset)
		return na_fact_connection_reset(t->who, na_tcp_reset_idle(row),
						na_tcp_harmless(row),
						t->d->saw_syn ||
							t->peer->saw_syn);
	return (struct na_fact){NA_NO_FACT};
}

/* By the listener, whichever port the client asks from. */
static struct na_fact ignored(const struct told *t)
{
	const struct tcp_row *row = t->row;
	uint64_t own = t->d->syns_again + 1;

	return na_fact_syns_unanswered(t->other, (int64_t)own, t->who,
				       na_tcp_some_s(row->duration_ns),
				       row->syns > own ? (int64_t)row->syns : 0,
				       na_s_of_ns(row->syns_ns),
				       na_tcp_some_s(row->let_in_ns));
}

/* Of the handshake alone, or of what was sent again. */
static double stuck_bytes(const struct na_direction *d)
{
	return (double)(d->last_again ? d->last_again_bytes : d->missing_bytes);
}

/* They are too few to tell whether long ones alone die. */
static int64_t shorter(const struct na_direction *d)
{
	return d->last_again_bytes >= TCP_FULL_SIZE ? d->stuck_short : 0;
}

struct na_fact na_tcp_tell_gone(const struct told *t)
{
	const struct na_direction *d = t->d;
	int64_t mute_ns = t->peer->mute_ns;

	if (!t->row->holds[TCP_PEER_VANISHED])
		return (struct na_fact){NA_NO_FACT};
	if (na_tcp_ignored(t->row->c) && d->saw_syn)
		return ignored(t);
	if (na_tcp_stuck(t->row, t->i))
		return na_fact_only_handshake_passes(t->who, stuck_bytes(d),
						     (int64_t)d->last_again);
	if (na_tcp_long_stuck(t->row, t->i))
		return na_fact_long_packets_stuck((int64_t)d->last_again_bytes,
						  t->who,
						  (int64_t)d->last_again,
						  na_s_of_ns(d->stuck_ns),
						  d->stuck_long, d->stuck_short,
						  na_tcp_stuck_p(d));
	if (na_tcp_lacks(t->row, t->i))
		return na_fact_bytes_do_not_come((int64_t)d->missing_bytes,
						 t->who,
						 na_s_of_ns(d->missing_ns),
						 t->other);
	if (na_tcp_gone(t->row, t->i))
		return na_fact_bytes_unacknowledged(
			(int64_t)d->last_again_bytes, t->who,
			(int64_t)d->last_again, t->other,
			mute_ns > TCP_GONE_NS ? na_s_of_ns(mute_ns)
					      : (double)NAN,
			na_s_of_ns(d->stuck_ns), shorter(d));
	return (struct na_fact){NA_NO_FACT};
}
