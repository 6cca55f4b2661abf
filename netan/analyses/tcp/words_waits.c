/* tcp: waits that no verdict explains. */
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

struct na_fact na_tcp_cause(const struct tcp_state *s,
			    const struct tcp_row *row, size_t i,
			    char address[NA_ENDPOINT_BUF])
{
	int64_t wait = na_tcp_unexplained_ns(row);
	int64_t ack = na_tcp_late_ack_ns(&row->c->dir[i]);

	if (na_tcp_black_hole(row, i))
		return na_tcp_hole_cause(s, row, i, address);
	if (row->verdict != TCP_HEALTHY || (!wait && !ack))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_wait_unexplained(na_tcp_some_s(wait),
					na_tcp_some_s(ack));
}

struct na_fact na_tcp_tell_left(const struct told *t)
{
	const struct na_direction *d = t->d;

	if (!left_late(t->row, t->i))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_segments_behind_late_ack((int64_t)d->released, t->who,
						t->other,
						na_s_of_ns(d->released_p50_ns));
}

struct na_fact na_tcp_tell_answer(const struct told *t)
{
	const struct na_connection *c = t->row->c;

	if (t->i == c->client || !answer_ns(t->row))
		return (struct na_fact){NA_NO_FACT};
	return na_fact_server_answers_late(t->who, (int64_t)c->slow_serves,
					   na_s_of_ns(answer_ns(t->row)));
}
