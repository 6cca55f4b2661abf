/* tcp: waits that no verdict explains. */
#include <stdio.h>

#include "netan/analyses/tcp/words.h"

/* What is no verdict, as it came too seldom; but nobody may say that nothing
 * waited. */
static bool left_late(const struct tcp_row *row, size_t i)
{
	return row->verdict >= TCP_SENDER_IDLE && row->c->dir[i].released > 0 &&
	       row->c->dir[i].released_p50_ns > 0 && !na_tcp_held_ns(row, i);
}

static int64_t answer_ns(const struct tcp_row *row)
{
	const struct na_connection *c = row->c;

	return row->verdict >= TCP_SENDER_IDLE && c->slow_serves > 0
		       ? c->slow_serve_ns / (int64_t)c->slow_serves
		       : 0;
}

int64_t na_tcp_unexplained_ns(const struct tcp_row *row)
{
	int64_t most = answer_ns(row);

	for (size_t i = 0; i < 2; i++) {
		int64_t ns = row->c->dir[i].released_p50_ns;

		if (left_late(row, i) && ns > most)
			most = ns;
	}
	return most;
}

int64_t na_tcp_late_ack_ns(const struct na_direction *d)
{
	return d->slow_acks && d->rtt_samples && d->rtt_p99_ns >= TCP_LATE_ACK_NS
		       ? d->rtt_p99_ns
		       : 0;
}

const char *na_tcp_cause(const struct tcp_state *s, const struct tcp_row *row,
			 size_t i, char buf[TCP_CAUSE_BUF])
{
	const char *hole = na_tcp_hole_cause(s, row, i, buf);
	int64_t wait = na_tcp_unexplained_ns(row);
	int64_t ack = na_tcp_late_ack_ns(&row->c->dir[i]);
	char a[NA_UNIT_BUF];

	if (hole || row->verdict != TCP_HEALTHY || (!wait && !ack))
		return hole;
	snprintf(buf, TCP_CAUSE_BUF,
		 wait ? "a wait of %s is not explained" : "an ACK took %s",
		 na_tcp_time(a, wait ? wait : ack));
	return buf;
}

void na_tcp_tell_left(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF];

	if (!left_late(t->row, t->i))
		return;
	na_tcp_say_count(t, d->released, "small segment");
	na_tcp_say(t,
		   " of %s left right behind an ACK of %s that was %s late; "
		   "whether it had to wait for that (Nagle) is not known",
		   t->who, t->other, na_tcp_time(a, d->released_p50_ns));
}

void na_tcp_tell_answer(struct told *t)
{
	const struct na_connection *c = t->row->c;
	char a[NA_UNIT_BUF];

	if (t->i == c->client || !answer_ns(t->row))
		return;
	na_tcp_say(t, "server %s answered ", t->who);
	na_tcp_say_count(t, c->slow_serves, "call");
	na_tcp_say(t, " only after %s%s; too few to call it slow",
		   na_tcp_time(a, answer_ns(t->row)),
		   c->slow_serves > 1 ? " in the mean" : "");
}
