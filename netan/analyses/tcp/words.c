/* tcp: what was found, in sentences with numbers and units. */
#include <stdarg.h>

#include "netan/analyses/tcp/tcp.h"
#include "netan/analyses/tcp/words.h"

/* clang-format off */
const char *const na_tcp_verdict_names[TCP_VERDICTS] = {
	"refused",        "peer_vanished",    "reset",
	"timeout_bound",  "receiver_too_slow", "network_loss",
	"server_slow",    "queueing",         "window_limited",
	"delayed_ack",    "capture_loss",     "sender_idle",
	"cannot_tell",    "healthy",
};
/* clang-format on */

void na_tcp_say(struct told *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	na_str_addv(&t->said, fmt, ap);
	va_end(ap);
}

const char *na_tcp_time(char *buf, int64_t ns)
{
	int64_t ps;

	if (!na_mul_i64(ns, NA_PS_PER_NS, &ps))
		ps = INT64_MAX;
	return na_print_time(buf, ps, 3);
}

void na_tcp_say_count(struct told *t, uint64_t n, const char *noun)
{
	char buf[NA_COUNT_BUF];

	na_tcp_say(t, "%s", na_count_of(buf, n, noun));
}

void na_tcp_say_of(struct told *t, int64_t part_ns, int64_t whole_ns)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	na_tcp_say(t, "%s of %s", na_tcp_time(a, part_ns),
		   na_tcp_time(b, whole_ns));
}

static void receiver(struct told *t)
{
	const struct na_direction *d = t->d;

	if (!t->peer->zero_windows)
		return;
	na_tcp_say(t, "receive window of %s closed: ", t->other);
	na_tcp_say_count(t, t->peer->zero_windows, "zero window");
	na_tcp_say(t, ", ");
	na_tcp_say_of(t, d->zero_window_ns, t->row->duration_ns);
	na_tcp_say(t, " could not be sent");
	if (d->window_full_ns > 0) {
		char a[NA_UNIT_BUF];

		na_tcp_say(t, ", %s more with a full window",
			   na_tcp_time(a, d->window_full_ns));
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
	na_tcp_say(t, "%s of %s in flight at most, window of %s at most %s",
		   na_print_bytes(a, (double)d->max_in_flight_bytes, 3), t->who,
		   t->other, na_print_bytes(b, most, 3));
	if (d->window_full) {
		na_tcp_say(t, ", full ");
		na_tcp_say_count(t, d->window_full, "time");
		if (d->window_full_ns > 0)
			na_tcp_say(t, " for %s",
				   na_tcp_time(a, d->window_full_ns));
	}
	/* Nothing to be said where the window did not hold it back. */
	if (t->row->rtt_ns > 0 && t->row->active_ns > 0) {
		allowed = most * 8e9 / (double)t->row->rtt_ns;
		sent = (double)d->unique_bytes * 8e9 /
		       (double)t->row->active_ns;
	}
	if (sent > 0 && sent <= allowed)
		na_tcp_say(t, "; window / RTT (%s) allows %s, sent were %s",
			   na_tcp_time(a, t->row->rtt_ns),
			   na_print_rate(b, allowed, 3),
			   na_print_rate(rate, sent, 3));
}

static void order(struct told *t)
{
	/* The evidence says more of both. */
	if (t->d->testified)
		return;
	if (t->d->out_of_order) {
		na_tcp_say_count(t, t->d->out_of_order, "segment");
		na_tcp_say(t, " of %s out of order", t->who);
	}
	if (t->d->lost_before) {
		na_tcp_say(t, "%s", t->said.n ? "; " : "");
		na_tcp_say_count(t, t->d->lost_before, "hole");
		na_tcp_say(
			t,
			" in what was recorded of %s: lost before the capture "
			"point, or missed by the capture",
			t->who);
	}
}

static void server(struct told *t)
{
	const struct na_connection *c = t->row->c;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (t->i == c->client || !c->serves || !t->row->holds[TCP_SERVER_SLOW])
		return;
	na_tcp_say(t, "server %s took ", t->who);
	na_tcp_say_of(t, c->serve_ns, na_tcp_calls_ns(t->row));
	na_tcp_say(t, " in ");
	na_tcp_say_count(t, c->turns, "call");
	na_tcp_say(t, " itself");
	na_tcp_say(t, ", nothing was sent again meanwhile");
	if (c->slow_serves) {
		na_tcp_say(t, "; ");
		na_tcp_say_count(t, c->slow_serves, "slow answer");
		na_tcp_say(t, ", %s together",
			   na_tcp_time(a, c->slow_serve_ns));
	}
	if (c->serve_p50_ns)
		na_tcp_say(t, "; median %s, p99 %s",
			   na_tcp_time(a, c->serve_p50_ns),
			   na_tcp_time(b, c->serve_p99_ns));
	else
		na_tcp_say(t, "; most within 1 ms, p99 %s",
			   na_tcp_time(b, c->serve_p99_ns));
}

static void queue(struct told *t)
{
	const struct na_direction *d = t->d;
	const struct na_direction *peer = t->peer;
	int64_t usual = d->rtt_p50_ns, least = na_tcp_least_rtt(d);
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (!t->row->holds[TCP_QUEUEING] || d->data_packets < TCP_STREAM)
		return;
	if (peer->far_rtt_p50_ns > usual) {
		usual = peer->far_rtt_p50_ns;
		least = t->row->rtt_ns;
	}
	na_tcp_say(
		t,
		"round trips of %s grow from %s to %s (median) under its own data: "
		"a queue on the path (bufferbloat), nothing needs to be lost",
		t->who, na_tcp_time(a, least), na_tcp_time(b, usual));
}

static void nagle(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF];

	if (!na_tcp_held_ns(t->row, t->i))
		return;
	na_tcp_say_count(t, d->released, "small segment");
	na_tcp_say(
		t,
		" of %s left only with an ACK of %s that was %s late: Nagle's "
		"algorithm waits for a delayed acknowledgement",
		t->who, t->other, na_tcp_time(a, d->released_p50_ns));
}

static void edge(struct told *t)
{
	const struct na_direction *d = t->d;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	if (!t->row->holds[TCP_WINDOW_LIMITED] ||
	    (double)d->edge_segments <=
		    TCP_EDGE_SHARE * (double)d->data_packets ||
	    !d->data_packets)
		return;
	na_tcp_say(
		t,
		"%s of %s segments of %s end where one more would not fit into "
		"the window of %s",
		na_print_count(a, d->edge_segments),
		na_print_count(b, d->data_packets), t->who, t->other);
}

static void congestion(struct told *t)
{
	if (!t->d->ce_marks)
		return;
	na_tcp_say_count(t, t->d->ce_marks, "packet");
	na_tcp_say(t, " of %s marked by a congested router (ECN)", t->who);
}

static void idle(struct told *t)
{
	const struct na_direction *d = &t->row->c->dir[t->row->idler];
	char a[NA_UNIT_BUF];

	/* A pause before a closed window is none of the sender's. */
	if (t->row->verdict != TCP_SENDER_IDLE &&
	    (!d->idle_restarts || d->zero_window_ns > 0))
		return;
	na_tcp_say(t, "nothing to send for ");
	na_tcp_say_of(t, t->row->idle_ns, t->row->duration_ns);
	if (d->longest_idle_ns > 0 && d->longest_idle_ns <= t->row->idle_ns)
		na_tcp_say(t, ", longest pause %s",
			   na_tcp_time(a, d->longest_idle_ns));
	if (d->idle_restarts) {
		na_tcp_say(t, "; ");
		na_tcp_say_count(t, d->idle_restarts, "restart");
		na_tcp_say(t, " after a pause of a timeout or more: slow start "
			      "again");
	}
}

/* Numbers that say how well it went, where nothing went wrong. */
static void course(struct told *t)
{
	const struct na_direction *d = &t->row->c->dir[t->row->way];
	char a[NA_UNIT_BUF];

	na_tcp_say(t, "%s of payload",
		   na_print_bytes(a, (double)d->unique_bytes, 3));
	if (t->row->duration_ns > 0)
		na_tcp_say(t, " in %s", na_tcp_time(a, t->row->duration_ns));
	if (t->row->rtt_ns > 0)
		na_tcp_say(t, ", RTT %s", na_tcp_time(a, t->row->rtt_ns));
	if (na_tcp_late_ack_ns(d))
		na_tcp_say(t, "; an ACK took %s",
			   na_tcp_time(a, na_tcp_late_ack_ns(d)));
	else
		na_tcp_say(t, ", no sign of trouble");
}

/* Why what stands above is no trouble. */
static void sound(struct told *t)
{
	const struct na_direction *d = t->row->c->dir;
	char a[NA_UNIT_BUF];

	na_tcp_say(t, "no segment was lost in %s packets",
		   na_print_count(a, d[0].packets + d[1].packets));
}

static void few(struct told *t)
{
	na_tcp_say(t, "%s", na_tcp_missing(t->row));
}

static void (*const tellers[])(struct told *) = {
	na_tcp_tell_left,
	na_tcp_tell_answer,
	na_tcp_tell_ends,
	na_tcp_tell_gone,
	na_tcp_tell_timeouts,
	na_tcp_tell_stall,
	receiver,
	na_tcp_tell_loss,
	na_tcp_tell_lengths,
	na_tcp_tell_accounts,
	na_tcp_tell_harmless,
	na_tcp_tell_twice,
	na_tcp_tell_unrecorded,
	na_tcp_tell_wireshark,
	server,
	queue,
	window,
	edge,
	nagle,
	order,
	congestion,
};

/* What the verdict stands on: told before all else. */
static void (*const leaders[TCP_VERDICTS])(struct told *) = {
	[TCP_REFUSED] = na_tcp_tell_ends,
	[TCP_RESET] = na_tcp_tell_ends,
	[TCP_PEER_VANISHED] = na_tcp_tell_gone,
	[TCP_CAPTURE_LOSS] = na_tcp_tell_unrecorded,
	[TCP_SERVER_SLOW] = server,
	[TCP_QUEUEING] = queue,
	[TCP_DELAYED_ACK] = nagle,
	[TCP_TIMEOUT_BOUND] = na_tcp_tell_timeouts,
	[TCP_CANNOT_TELL] = na_tcp_tell_stall,
	[TCP_RECEIVER_TOO_SLOW] = receiver,
	[TCP_NETWORK_LOSS] = na_tcp_tell_loss,
	[TCP_WINDOW_LIMITED] = window,
};

const char *na_tcp_host(const struct tcp_state *s,
			const struct na_connection *c, uint32_t endpoint,
			char address[NA_ENDPOINT_BUF])
{
	const struct na_store *store = s->scope->store;
	uint32_t host = na_store_host_of(store,
					 na_store_run_of(store, c->input),
					 endpoint);

	*address = 0;
	if (endpoint >= store->names.n_endpoints)
		return address;
	na_endpoint_print(address, &store->names,
			  &store->names.endpoints[endpoint]);
	if (host >= store->n_hosts ||
	    strcmp(store->hosts[host].name, address) == 0)
		return address;
	return store->hosts[host].name;
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

	t->i = i;
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
	bool by_size = na_tcp_long_die(row, 0) || na_tcp_long_die(row, 1);
	void (*lead)(struct told *) = by_size ? na_tcp_tell_lengths
					      : leaders[row->verdict];
	struct told t = {.s = s, .row = row, .r = r, .in = in};

	/* The direction that it is of first. */
	for (size_t k = 0; k < 2 && lead; k++) {
		face(&t, s, k ? 1u - row->told : row->told);
		let_tell(&t, lead);
	}
	if (row->verdict == TCP_SENDER_IDLE)
		let_tell(&t, idle);
	for (size_t k = 0; k < 2; k++) {
		face(&t, s, k ? 1u - row->told : row->told);
		for (size_t i = 0; i < sizeof(tellers) / sizeof(*tellers); i++)
			if (tellers[i] != lead)
				let_tell(&t, tellers[i]);
	}
	if (row->verdict != TCP_SENDER_IDLE)
		let_tell(&t, idle);
	if (in && row->verdict == TCP_HEALTHY)
		let_tell(&t, in->n ? sound : course);
	if (row->verdict == TCP_CANNOT_TELL)
		let_tell(&t, few);
}

static const char missed[] =
	"packets that the capture missed: capture again with a larger buffer "
	"(tcpdump -B), or fewer bytes of each packet (-s 96)";

const char *na_tcp_missing(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	if (row->verdict == TCP_CANNOT_TELL && na_tcp_stalls(row))
		return "what becomes of data that waits for its ACK: a longer "
		       "window, or a longer capture";
	if (!d[0].packets || !d[1].packets)
		return "one direction alone was recorded: capture where both "
		       "pass";
	if (row->verdict == TCP_CAPTURE_LOSS)
		return missed;
	/* Of a window and of the slice of it the same. */
	if (row->verdict == TCP_CANNOT_TELL)
		return "too few packets to say that nothing is wrong: a longer "
		       "window, or a longer capture";
	return NULL;
}

/* In the window, or before it. */
static bool is_heard(const struct na_direction *d)
{
	return d->packets || d->known;
}

static const char *loss_remedy(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;
	bool timeouts = row->verdict == TCP_TIMEOUT_BOUND;

	if (timeouts && (!is_heard(&d[0]) || !is_heard(&d[1])))
		return "one side never answered: is it up and listening, does "
		       "a firewall drop the packets, or does the capture see "
		       "one way only";
	if (timeouts && (d[0].syns_again || d[1].syns_again))
		return "find what drops packets, the first ones of a "
		       "connection among them (accept queue: nstat "
		       "TcpExtListenDrops; firewall; ethtool -S)";
	if (na_tcp_is_far(row))
		return "find the stretch of this long path that drops packets "
		       "(mtr --tcp from both ends, a capture at the far one), "
		       "and who runs it; at home the uplink (its queue, "
		       "ethtool -S); BBR bears such loss better than CUBIC";
	if (!row->whole_rtt)
		return "find what drops packets: in a network of one's own "
		       "ethtool -S and nstat TcpExtTCPTimeouts on both hosts, "
		       "on a long path mtr --tcp from both ends; this capture "
		       "does not tell how long it is (no handshake, no data "
		       "both ways)";
	if (timeouts)
		return "find what drops packets (ethtool -S, nstat "
		       "TcpExtTCPTimeouts); a minimum RTO of 5 ms (ip route "
		       "... rto_min 5ms) shortens each silence from 200 ms";
	return "find what drops packets (drop and error counters of NIC and "
	       "switch, ethtool -S); fq as queueing discipline paces bursts";
}

const char na_tcp_delayed_remedy[] =
	"set TCP_NODELAY in the sending program, or write a message in one "
	"piece; TCP_QUICKACK in the other one, before each read, where only "
	"that can be changed";

const char *na_tcp_remedy(const struct tcp_row *row)
{
	const char *hole = na_tcp_hole_remedy(row, 0);

	hole = hole ? hole : na_tcp_hole_remedy(row, 1);
	switch (row->verdict) {
	case TCP_REFUSED:
		return "nothing listens on that port: start the server, or "
		       "correct the address";
	case TCP_RESET:
		return "ask the program that reset: its log, a crash, or a "
		       "timeout of its own; no packet was needed for that";
	case TCP_PEER_VANISHED:
		if (hole)
			return hole;
		return "is the peer up and reachable, does a firewall drop "
		       "the packets; a capture beside it tells whether they "
		       "arrive";
	case TCP_CAPTURE_LOSS:
		return missed;
	case TCP_SERVER_SLOW:
		return "look at the server's program, CPU and disk: its own "
		       "time, not the network, is what calls wait for";
	case TCP_QUEUEING:
		return "a queue on the path fills: pace the sender (fq, or BBR "
		       "as congestion control), smaller buffers or an active "
		       "queue at the slowest link";
	case TCP_DELAYED_ACK:
		return na_tcp_delayed_remedy;
	case TCP_TIMEOUT_BOUND:
	case TCP_NETWORK_LOSS:
		return hole ? hole : loss_remedy(row);
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
		{"refused", "refused"},
		{"peer vanished", "peers vanished"},
		{"reset", "reset"},
		{"bound by timeouts", "bound by timeouts"},
		{"receiver too slow", "receivers too slow"},
		{"loses packets", "lose packets"},
		{"server slow", "servers slow"},
		{"queueing", "queueing"},
		{"limited by the window", "limited by the window"},
		{"waits for delayed ACKs", "wait for delayed ACKs"},
		{"not recorded whole", "not recorded whole"},
		{"idle sender", "idle senders"},
		{"too little to tell", "too little to tell"},
		{"healthy", "healthy"},
	};
	/* clang-format on */
	static const char *const waits[] = {"waits for an ACK at the end",
					    "wait for an ACK at the end"};
	struct na_str to = na_str_over(buf, TCP_SUMMARY_BUF), all;
	char list[TCP_SUMMARY_BUF], n[NA_COUNT_BUF];

	all = na_str_over(list, sizeof(list));
	for (size_t v = 0; v < TCP_VERDICTS; v++) {
		bool open = v == TCP_CANNOT_TELL;

		if (open)
			na_str_join_count(&all, s->stalled, waits);
		na_str_join_count(&all, s->by_verdict[v] - open * s->stalled,
				  words[v]);
	}
	na_str_addf(&to, "%s%s%s", na_count_of(n, s->rows.n, "connection"),
		    all.n ? ": " : "", list);
	return buf;
}
