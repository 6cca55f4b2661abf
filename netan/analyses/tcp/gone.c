/* tcp: does what was sent last arrive: a peer that is gone, a path that takes
 * short packets alone. */
#include <math.h>

#include "netan/analyses/tcp/state.h"
#include "netan/stats/tests/tests.h"

/* Only the handshake was acknowledged, the peer is there, and what is large
 * does not arrive: seen beside the sender, which sends it again, or behind the
 * hole, where it is known to be missing. */
static bool stuck_on_size(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	if ((!row->c->dir[1 - i].packets && !row->c->dir[1 - i].known) ||
	    !d->saw_syn || d->acked_bytes > 1)
		return false;
	return (d->last_again + 1 >= TCP_GONE_RESENDS &&
		d->stuck_ns > TCP_GONE_NS &&
		d->last_again_bytes >= TCP_FULL_SIZE) ||
	       (d->missing_bytes >= TCP_FULL_SIZE && !d->bytes &&
		row->c->dir[1 - i].bytes);
}

/* The peer is heard, and does not get these bytes, however often. */
static bool is_starved(const struct na_direction *d)
{
	return d->last_again >= TCP_GONE_RESENDS && d->stuck_ns > TCP_GONE_NS;
}

bool na_tcp_lacks(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	const struct na_direction *peer = &row->c->dir[1 - i];

	/* Heard long after, and still without an ACK of them. */
	return d->testified && d->missing_bytes > 0 && d->packets > 0 &&
	       d->unacked_bytes >= d->missing_bytes && peer->packets > 0 &&
	       d->missing_ns - peer->mute_ns > TCP_GONE_NS;
}

bool na_tcp_gone(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];
	const struct na_direction *peer = &row->c->dir[1 - i];

	if (!d->testified)
		return false;
	if (!peer->packets && !peer->known)
		return (d->syns_again + 1 >= TCP_GONE_RESENDS ||
			(row->syns >= TCP_GONE_RESENDS &&
			 row->syns_ns >= TCP_GONE_NS)) &&
		       !d->bytes;
	if (na_tcp_lacks(row, i))
		return true;
	return d->last_again + 1 >= TCP_GONE_RESENDS &&
	       (peer->mute_ns > TCP_GONE_NS || is_starved(d) ||
		stuck_on_size(row, i));
}

bool na_tcp_stuck(const struct tcp_row *row, size_t i)
{
	return row->c->dir[i].testified && stuck_on_size(row, i);
}

double na_tcp_length_p(const struct na_direction *d)
{
	uint64_t all = (uint64_t)d->long_sent + d->short_sent;
	uint64_t lost = (uint64_t)d->long_lost + d->short_lost;

	return fmin(1,
		    d->length_cuts * na_fisher_upper(d->long_lost, d->long_sent,
						     lost, all));
}

double na_tcp_stuck_p(const struct na_direction *d)
{
	uint64_t n = d->stuck_long;

	return na_fisher_upper(n, n, n, n + d->stuck_short);
}

bool na_tcp_long_die(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	return d->testified && d->long_lost >= TCP_LONG_LEAST &&
	       d->long_lost == d->long_sent &&
	       d->long_lost_again >= TCP_LONG_AGAIN &&
	       d->short_lost <= d->short_sent &&
	       d->short_sent - d->short_lost >= TCP_LONG_LEAST &&
	       na_tcp_length_p(d) < TCP_BY_CHANCE;
}

bool na_tcp_long_stuck(const struct tcp_row *row, size_t i)
{
	const struct na_direction *d = &row->c->dir[i];

	return na_tcp_gone(row, i) && d->stuck_ns > TCP_GONE_NS &&
	       d->last_again_bytes >= TCP_FULL_SIZE &&
	       d->stuck_long >= TCP_LONG_LEAST &&
	       na_tcp_stuck_p(d) < TCP_BY_CHANCE;
}

bool na_tcp_black_hole(const struct tcp_row *row, size_t i)
{
	return na_tcp_stuck(row, i) || na_tcp_long_die(row, i) ||
	       na_tcp_long_stuck(row, i);
}
