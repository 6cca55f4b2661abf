/* tcp: what was found, in sentences with numbers and units. */
#include <stdarg.h>

#include "netan/analyses/tcp/state.h"
#include "netan/base/str.h"

/* clang-format off */
const char *const na_tcp_verdict_names[TCP_VERDICTS] = {
	"timeout_bound", "receiver_too_slow", "network_loss",
	"window_limited", "sender_idle", "healthy",
};
/* clang-format on */

struct told { /* one direction, being told */
	const struct tcp_row *row;
	const struct na_direction *d, *peer;
	char who[NA_SOCKET_BUF], other[NA_SOCKET_BUF];
	struct na_result *r;
	struct na_value *in;
	struct na_str said; /* one sentence */
};

static NA_PRINTF(2, 3) void say(struct told *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	na_str_addv(&t->said, fmt, ap);
	va_end(ap);
}

static const char *time_text(char *buf, int64_t ns)
{
	int64_t ps;

	if (!na_mul_i64(ns, NA_PS_PER_NS, &ps))
		ps = INT64_MAX;
	return na_print_time(buf, ps, 3);
}

static void say_count(struct told *t, uint64_t n, const char *noun)
{
	char buf[NA_COUNT_BUF];

	say(t, "%s", na_count_of(buf, n, noun));
}

/* "4.2 s of 17.3 s". */
static void say_of(struct told *t, int64_t part_ns, int64_t whole_ns)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	say(t, "%s of %s", time_text(a, part_ns), time_text(b, whole_ns));
}

static void loss(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (!d->retransmissions)
		return;
	/* A SYN or FIN that is sent again is no data segment. */
	if (d->retransmissions > d->data_packets) {
		say_count(t, d->retransmissions, "segment");
		say(t, " of %s sent again", t->who);
	} else {
		say(t, "%s of %s data segments of %s retransmitted",
		    na_print_count(a, d->retransmissions),
		    na_print_count(b, d->data_packets), t->who);
		if (d->data_packets)
			say(t, " (%s %%)",
			    na_print_number(a,
					    100 * (double)d->retransmissions /
						    (double)d->data_packets,
					    2));
	}
	if (d->fast)
		say(t, ", %s fast", na_print_count(a, d->fast));
	if (d->timeout)
		say(t, ", %s after timeouts", na_print_count(a, d->timeout));
	if (d->spurious)
		say(t, ", %s in vain", na_print_count(a, d->spurious));
	if (d->recovery_ns > 0) {
		say(t, "; ");
		say_of(t, d->recovery_ns, t->row->duration_ns);
		say(t, " until the holes were filled");
	}
}

static void timeouts(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF];

	if (!d->timeouts)
		return;
	say_count(t, d->timeouts, "retransmission timeout");
	say(t, " of %s, up to %s: ", t->who,
	    time_text(a, d->longest_timeout_ns));
	say_of(t, d->timeout_total_ns, t->row->duration_ns);
	say(t, " silent");
	if (!t->peer->packets)
		say(t, "; %s never answered", t->other);
}

static void receiver(struct told *t)
{
	const struct na_direction *d = t->d;

	if (!t->peer->zero_windows)
		return;
	say(t, "receive window of %s closed: ", t->other);
	say_count(t, t->peer->zero_windows, "zero window");
	say(t, ", ");
	say_of(t, d->zero_window_ns, t->row->duration_ns);
	say(t, " could not be sent");
	if (d->window_full_ns > 0) {
		char a[NA_UNIT_BUF];

		say(t, ", %s more with a full window",
		    time_text(a, d->window_full_ns));
	}
}

static void window(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], rate[NA_UNIT_BUF];
	double most = (double)t->peer->max_window_bytes;
	double allowed = 0, sent = 0;

	if (t->peer->zero_windows ||
	    (!d->window_full && !t->row->holds[TCP_WINDOW_LIMITED]) ||
	    !d->max_in_flight_bytes)
		return;
	say(t, "%s of %s in flight at most, window of %s at most %s",
	    na_print_bytes(a, (double)d->max_in_flight_bytes, 3), t->who,
	    t->other, na_print_bytes(b, most, 3));
	if (d->window_full) {
		say(t, ", full ");
		say_count(t, d->window_full, "time");
		if (d->window_full_ns > 0)
			say(t, " for %s", time_text(a, d->window_full_ns));
	}
	/* Nothing to be said where the window did not hold it back. */
	if (t->row->rtt_ns > 0 && t->row->active_ns > 0) {
		allowed = most * 8e9 / (double)t->row->rtt_ns;
		sent = (double)d->unique_bytes * 8e9 /
		       (double)t->row->active_ns;
	}
	if (sent > 0 && sent <= allowed)
		say(t, "; window / RTT (%s) allows %s, sent were %s",
		    time_text(a, t->row->rtt_ns), na_print_rate(b, allowed, 3),
		    na_print_rate(rate, sent, 3));
}

static void order(struct told *t)
{
	if (t->d->out_of_order) {
		say_count(t, t->d->out_of_order, "segment");
		say(t, " of %s out of order", t->who);
	}
	if (t->d->lost_before) {
		say(t, "%s", t->said.n ? "; " : "");
		say_count(t, t->d->lost_before, "gap");
		say(t,
		    " in what was captured of %s: lost before the capture "
		    "point, or not recorded",
		    t->who);
	}
}

static void congestion(struct told *t)
{
	if (!t->d->ce_marks)
		return;
	say_count(t, t->d->ce_marks, "packet");
	say(t, " of %s marked by a congested router (ECN)", t->who);
}

static void idle(struct told *t)
{
	const struct na_direction *d = &t->row->c->dir[t->row->idler];
	char a[NA_UNIT_BUF];

	/* A pause before a closed window is none of the sender's. */
	if (t->row->verdict != TCP_SENDER_IDLE &&
	    (!d->idle_restarts || d->zero_window_ns > 0))
		return;
	say(t, "nothing to send for ");
	say_of(t, t->row->idle_ns, t->row->duration_ns);
	if (d->longest_idle_ns > 0 && d->longest_idle_ns <= t->row->idle_ns)
		say(t, ", longest pause %s", time_text(a, d->longest_idle_ns));
	if (d->idle_restarts) {
		say(t, "; ");
		say_count(t, d->idle_restarts, "restart");
		say(t, " after a pause of a timeout or more: slow start "
		       "again");
	}
}

/* Numbers that say how well it went, where nothing went wrong. */
static void course(struct told *t)
{
	const struct na_direction *d = &t->row->c->dir[t->row->way];
	char a[NA_UNIT_BUF];

	say(t, "%s of payload", na_print_bytes(a, (double)d->unique_bytes, 3));
	if (t->row->duration_ns > 0)
		say(t, " in %s", time_text(a, t->row->duration_ns));
	if (t->row->rtt_ns > 0)
		say(t, ", RTT %s", time_text(a, t->row->rtt_ns));
	say(t, ", no sign of trouble");
}

static void (*const tellers[])(struct told *) = {
	timeouts, receiver, loss, window, order, congestion,
};

/* What the verdict stands on: told before all else. */
static void (*leader(enum tcp_verdict v))(struct told *)
{
	switch (v) {
	case TCP_TIMEOUT_BOUND:
		return timeouts;
	case TCP_RECEIVER_TOO_SLOW:
		return receiver;
	case TCP_NETWORK_LOSS:
		return loss;
	case TCP_WINDOW_LIMITED:
		return window;
	default:
		return NULL;
	}
}

void na_tcp_ends(const struct tcp_state *s, const struct na_connection *c,
		 size_t i, char who[NA_SOCKET_BUF], char other[NA_SOCKET_BUF])
{
	na_socket_print(i ? other : who, &s->scope->store->names, c->src,
			c->src_port);
	na_socket_print(i ? who : other, &s->scope->store->names, c->dst,
			c->dst_port);
}

/* Direction i of the connection. */
static void face(struct told *t, const struct tcp_state *s, size_t i)
{
	const struct na_connection *c = t->row->c;

	t->d = &c->dir[i];
	t->peer = &c->dir[1 - i];
	na_tcp_ends(s, c, i, t->who, t->other);
}

/* What one has to say is a sentence. */
static void let_tell(struct told *t, void (*tell)(struct told *))
{
	char text[400];

	t->said = na_str_over(text, sizeof(text));
	tell(t);
	if (t->said.n)
		na_put_text(t->r, t->in, NULL, text);
}

void na_tcp_put_evidence(struct na_result *r, struct na_value *in,
			 const struct tcp_state *s, const struct tcp_row *row)
{
	void (*lead)(struct told *) = leader(row->verdict);
	struct told t = {.row = row, .r = r, .in = in};

	/* The direction with more payload first. */
	for (size_t k = 0; k < 2 && lead; k++) {
		face(&t, s, k ? 1u - row->way : row->way);
		let_tell(&t, lead);
	}
	if (row->verdict == TCP_SENDER_IDLE)
		let_tell(&t, idle);
	for (size_t k = 0; k < 2; k++) {
		face(&t, s, k ? 1u - row->way : row->way);
		for (size_t i = 0; i < sizeof(tellers) / sizeof(*tellers); i++)
			if (tellers[i] != lead)
				let_tell(&t, tellers[i]);
	}
	if (row->verdict != TCP_SENDER_IDLE)
		let_tell(&t, idle);
	if (in && !in->n && row->verdict == TCP_HEALTHY)
		let_tell(&t, course);
}

const char *na_tcp_remedy(const struct tcp_row *row)
{
	switch (row->verdict) {
	case TCP_TIMEOUT_BOUND:
		if (!row->c->dir[0].packets || !row->c->dir[1].packets)
			return "one side never answered: is it up and "
			       "listening, does a firewall drop the packets, "
			       "or does the capture see one way only";
		return "find what drops packets (ethtool -S, nstat "
		       "TcpExtTCPTimeouts); a minimum RTO of 5 ms (ip route "
		       "... rto_min 5ms) shortens each silence from 200 ms";
	case TCP_NETWORK_LOSS:
		return "find what drops packets (drop and error counters of "
		       "NIC and switch, ethtool -S); fq as queueing "
		       "discipline paces bursts";
	case TCP_RECEIVER_TOO_SLOW:
		return "the receiving program does not read fast enough: look "
		       "at its CPU, threads and disk; more receive memory "
		       "(tcp_rmem) only covers bursts";
	case TCP_WINDOW_LIMITED:
		return "more socket memory: third value of tcp_rmem and "
		       "tcp_wmem, rmem_max and wmem_max at least bandwidth x "
		       "RTT (16 MiB or more); no fixed SO_RCVBUF";
	case TCP_SENDER_IDLE:
		return row->c->dir[0].idle_restarts ||
				       row->c->dir[1].idle_restarts
			       ? "the sender waits for its program; "
				 "tcp_slow_start_after_idle = 0 keeps the "
				 "window over pauses"
			       : "the sender waits for its program, not for "
				 "the network";
	default:
		return NULL;
	}
}

const char *na_tcp_summary(char buf[TCP_SUMMARY_BUF], const struct tcp_state *s)
{
	/* clang-format off */
	static const char *const words[TCP_VERDICTS][2] = {
		{"bound by timeouts", "bound by timeouts"},
		{"receiver too slow", "receivers too slow"},
		{"loses packets", "lose packets"},
		{"limited by the window", "limited by the window"},
		{"idle sender", "idle senders"},
		{"healthy", "healthy"},
	};
	/* clang-format on */
	struct na_str to = na_str_over(buf, TCP_SUMMARY_BUF);
	const char *between = ": ";
	char n[NA_COUNT_BUF];

	na_str_addf(&to, "%s", na_count_of(n, s->rows.n, "connection"));
	for (size_t v = 0; v < TCP_VERDICTS; v++) {
		if (!s->by_verdict[v])
			continue;
		na_str_addf(&to, "%s%s %s", between,
			    na_print_count(n, s->by_verdict[v]),
			    words[v][s->by_verdict[v] != 1]);
		between = ", ";
	}
	return buf;
}
