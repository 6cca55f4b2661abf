/* tcp: connections that were refused or reset, or whose peer says no more. */
#include "netan/analyses/tcp/words.h"

static void refused(struct told *t)
{
	char b[NA_UNIT_BUF];

	na_tcp_say(t, "%s refused the connection: a reset answers the SYN",
		   t->other);
	if (t->row->let_in_ns > 0)
		na_tcp_say(t, "; it let the client in %s after its first SYN",
			   na_tcp_time(b, t->row->let_in_ns));
}

void na_tcp_tell_ends(struct told *t)
{
	const struct tcp_row *row = t->row;

	if (row->holds[TCP_REFUSED] && t->d->saw_syn)
		refused(t);
	else if (row->holds[TCP_RESET] && t->d->reset)
		na_tcp_say(t, "%s reset the connection (RST)%s", t->who,
			   na_tcp_reset_idle(row)
				   ? ", after a while in which nothing was "
				     "asked"
			   : !na_tcp_harmless(row) ? ""
			   : t->d->saw_syn || t->peer->saw_syn
				   ? ", with all it had asked for"
				   : ", and may have closed it before the "
				     "capture began");
}

/* By the listener, whichever port the client asks from. */
static void ignored(struct told *t)
{
	const struct tcp_row *row = t->row;
	uint64_t own = t->d->syns_again + 1;
	char b[NA_UNIT_BUF];

	na_tcp_say(t, "%s never answered ", t->other);
	na_tcp_say_count(t, own, "SYN");
	na_tcp_say(t, " of %s", t->who);
	if (row->duration_ns > 0)
		na_tcp_say(t, " in %s", na_tcp_time(b, row->duration_ns));
	if (row->syns > own) {
		na_tcp_say(t, ", of this client ");
		na_tcp_say_count(t, row->syns, "SYN");
		na_tcp_say(t, " in %s", na_tcp_time(b, row->syns_ns));
	}
	if (row->let_in_ns > 0)
		na_tcp_say(t, "; it let the client in %s after the first",
			   na_tcp_time(b, row->let_in_ns));
}

/* In the middle of the connection, and for good. */
static void stuck(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	na_tcp_say_count(t, d->last_again_bytes, "byte");
	na_tcp_say(t,
		   " of %s sent again %s times in %s and never acknowledged: "
		   "none of ",
		   t->who, na_print_count(a, d->last_again),
		   na_tcp_time(b, d->stuck_ns));
	na_tcp_say_count(t, d->stuck_long, "packet");
	na_tcp_say(t,
		   " as long arrived, %s shorter ones did (p %s): an MTU "
		   "black hole, where long packets die",
		   na_print_count(a, d->stuck_short),
		   na_print_number(b, na_tcp_stuck_p(d), 2));
}

void na_tcp_tell_gone(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (!t->row->holds[TCP_PEER_VANISHED])
		return;
	if (na_tcp_ignored(t->row->c) && d->saw_syn) {
		ignored(t);
	} else if (na_tcp_stuck(t->row, t->i)) {
		na_tcp_say(t,
			   "nothing of %s but the handshake was acknowledged, ",
			   t->who);
		if (d->last_again)
			na_tcp_say(t, "%s were sent again %s times",
				   na_print_bytes(b,
						  (double)d->last_again_bytes,
						  3),
				   na_print_count(a, d->last_again));
		else
			na_tcp_say(t, "%s never arrived",
				   na_print_bytes(b, (double)d->missing_bytes,
						  3));
		na_tcp_say(t,
			   ", and small packets pass: an MTU black hole, where "
			   "full-size packets die");
	} else if (na_tcp_long_stuck(t->row, t->i)) {
		stuck(t);
	} else if (na_tcp_lacks(t->row, t->i)) {
		na_tcp_say_count(t, d->missing_bytes, "byte");
		na_tcp_say(t,
			   " of %s were lost before the capture point and did "
			   "not come again in %s; %s does not acknowledge them",
			   t->who, na_tcp_time(b, d->missing_ns), t->other);
	} else if (na_tcp_gone(t->row, t->i)) {
		na_tcp_say_count(t, d->last_again_bytes, "byte");
		na_tcp_say(
			t,
			" of %s sent again %s times and never acknowledged: ",
			t->who, na_print_count(a, d->last_again));
		if (t->peer->mute_ns > TCP_GONE_NS)
			na_tcp_say(
				t,
				"%s is gone or cannot be reached, silent for "
				"the last %s",
				t->other, na_tcp_time(b, t->peer->mute_ns));
		else
			na_tcp_say(t,
				   "%s is heard, and does not get them in %s",
				   t->other, na_tcp_time(b, d->stuck_ns));
		if (d->stuck_short && d->last_again_bytes >= TCP_FULL_SIZE) {
			na_tcp_say(t, "; ");
			na_tcp_say_count(t, d->stuck_short, "shorter packet");
			na_tcp_say(t, " arrived: too few to tell whether long "
				      "ones alone die (MTU)");
		}
	}
}
