/*
 * tcp-connection: what holds TCP connections of a capture back, as `tcp`
 * judges them: a finding for each kind of trouble and each host that is to
 * blame for it.  Loss accuses a side or a path of the network; where several
 * hosts let a test say which, bad-endpoint does.  Who resets, refuses, answers
 * late or does not read is named, and acquits the network of that.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/checks/packets/packets.h"
#include "netan/checks/packets/tcp_loss.h"
#include "netan/checks/verdict.h"

enum {
	LISTED = 10,
	SLOW_LEAST = 3,
	GROUPS = 8
};

static const double slow_share = 0.05, slow_ms = 10; /* of a server's calls */
static const double trifle = 0.01, mostly = 0.9;     /* of the time */
static const double waited_ms = 1000; /* for an answer, before a reset */

/* Who is to blame, of a connection; NULL: this trouble is none of it. */
typedef const char *(*host_fn)(struct na_case *c, const struct na_value *row,
			       enum na_cause *cause);

static enum na_cause party(struct na_case *c, const struct na_value *row,
			   const char *host)
{
	return strcmp(host, na_packets_client(c, row)) == 0 ? NA_CAUSE_CLIENT
							    : NA_CAUSE_SERVER;
}

static bool is_harmless(const struct na_value *row)
{
	return na_flag_at(row, M_harmless);
}

static const char *by_server(struct na_case *c, const struct na_value *row,
			     enum na_cause *cause)
{
	*cause = NA_CAUSE_SERVER;
	return na_packets_server(c, row);
}

static const char *by_refuser(struct na_case *c, const struct na_value *row,
			      enum na_cause *cause)
{
	return is_harmless(row) ? NULL : by_server(c, row, cause);
}

static const char *reset_by(struct na_case *c, const struct na_value *row)
{
	return na_packets_host(c, row, !na_flag_at(row, M_fwd "." M_reset));
}

/* The client, after a silence of its server: who is to blame is not known. */
static bool has_waited(struct na_case *c, const struct na_value *row)
{
	return na_number_at(row, M_reset_after_ms) >= waited_ms &&
	       party(c, row, reset_by(c, row)) == NA_CAUSE_CLIENT;
}

static const char *by_reset(struct na_case *c, const struct na_value *row,
			    enum na_cause *cause)
{
	const char *host = reset_by(c, row);

	*cause = has_waited(c, row) ? NA_CAUSE_NONE : party(c, row, host);
	return is_harmless(row) ? NULL : host;
}

/* Nothing came of it: a remark that blames nobody. */
static const char *by_late_listener(struct na_case *c,
				    const struct na_value *row,
				    enum na_cause *cause)
{
	*cause = NA_CAUSE_NONE;
	return is_harmless(row) ? na_packets_server(c, row) : NULL;
}

static const char *by_leaver(struct na_case *c, const struct na_value *row,
			     enum na_cause *cause)
{
	*cause = NA_CAUSE_NONE;
	return is_harmless(row) ? reset_by(c, row) : NULL;
}

static const char *by_reader(struct na_case *c, const struct na_value *row,
			     enum na_cause *cause)
{
	const char *host = na_packets_host(
		c, row, !(na_number_at(row, M_fwd "." M_zero_windows) > 0));

	*cause = party(c, row, host);
	return host;
}

/* Whose window it is: the one who gets more. */
static const char *by_window(struct na_case *c, const struct na_value *row,
			     enum na_cause *cause)
{
	bool up = na_number_at(row, M_rev "." M_bytes) >
		  na_number_at(row, M_fwd "." M_bytes);

	*cause = NA_CAUSE_SETTINGS;
	return na_packets_host(c, row, !up);
}

/* Of both ways: beside whatever else the connection suffers from. */
static double held_ms(const struct na_value *row)
{
	return na_number_or(row, M_fwd "." M_held_back_ms, 0) +
	       na_number_or(row, M_rev "." M_held_back_ms, 0);
}

/* Half of what is held back, or more, was answered. */
static bool is_awaited(const struct na_value *row)
{
	double all = na_number_or(row, M_fwd "." M_held_back, 0) +
		     na_number_or(row, M_rev "." M_held_back, 0);
	double none = na_number_or(row, M_fwd "." M_held_back_unanswered, 0) +
		      na_number_or(row, M_rev "." M_held_back_unanswered, 0);

	return none * 2 <= all;
}

static const char *by_writer(struct na_case *c, const struct na_value *row,
			     enum na_cause *cause)
{
	const char *fwd = held_ms(row) > 0 ? M_fwd "." M_held_back_ms
					   : M_fwd "." M_held_back;
	const char *rev = held_ms(row) > 0 ? M_rev "." M_held_back_ms
					   : M_rev "." M_held_back;
	bool dst = na_number_at(row, rev) > na_number_or(row, fwd, 0);

	*cause = is_awaited(row) ? NA_CAUSE_SETTINGS : NA_CAUSE_NONE;
	return na_packets_host(c, row, dst);
}

static const char *by_loss(struct na_case *c, const struct na_value *row,
			   enum na_cause *cause)
{
	(void)c;
	*cause = NA_CAUSE_NETWORK;
	return na_loss_is_hole(row) ? NULL : "";
}

static const char *by_hole(struct na_case *c, const struct na_value *row,
			   enum na_cause *cause)
{
	*cause = NA_CAUSE_NETWORK;
	return na_loss_is_hole(row)
		       ? na_packets_host(c, row,
					 na_flag_at(row,
						    M_fwd "." M_black_hole))
		       : NULL;
}

static const char *by_peer(struct na_case *c, const struct na_value *row,
			   enum na_cause *cause)
{
	*cause = NA_CAUSE_NONE;
	return na_loss_is_hole(row)
		       ? NULL
		       : na_packets_host(c, row,
					 na_flag_at(row, M_fwd "." M_gone) ||
						 !na_flag_at(row,
							     M_rev "." M_gone));
}

/* clang-format off */
static const struct trouble {
	const char *verdict;
	struct na_fact (*title)(int64_t n);
	struct na_fact (*culprit)(const char *who); /* NULL: tcp_loss.c says */
	struct na_fact (*remedy)(void); /* NULL: as tcp says */
	host_fn host;
	enum na_severity severity;
	enum na_confidence confidence;
} troubles[] = {
	{"timeout_bound", na_fact_tcp_no_long_packet, NULL, NULL,
	 by_hole, NA_SEV_ERROR, NA_LIKELY},
	{"network_loss", na_fact_tcp_no_long_packet, NULL, NULL,
	 by_hole, NA_SEV_ERROR, NA_LIKELY},
	{"timeout_bound", na_fact_tcp_timeouts, NULL,
	 na_fact_tcp_timeouts_remedy,
	 by_loss, NA_SEV_ERROR, NA_LIKELY},
	{"network_loss", na_fact_tcp_loss, NULL, na_fact_tcp_loss_remedy,
	 by_loss, NA_SEV_WARNING, NA_LIKELY},
	{"peer_vanished", na_fact_tcp_no_full_packet, NULL,
	 na_fact_tcp_no_full_packet_remedy,
	 by_hole, NA_SEV_ERROR, NA_LIKELY},
	{"peer_vanished", na_fact_tcp_not_answered, na_fact_tcp_not_answered_by,
	 na_fact_tcp_not_answered_remedy,
	 by_peer, NA_SEV_WARNING, NA_POSSIBLE},
	{"refused", na_fact_tcp_refused, na_fact_tcp_not_listening_yet,
	 na_fact_tcp_not_listening_yet_remedy,
	 by_late_listener, NA_SEV_INFO, NA_CERTAIN},
	{"reset", na_fact_tcp_ends_reset, na_fact_tcp_idle_reset_by,
	 na_fact_tcp_idle_reset_remedy,
	 by_leaver, NA_SEV_INFO, NA_CERTAIN},
	{"refused", na_fact_tcp_refused, na_fact_tcp_refused_by,
	 na_fact_tcp_refused_remedy,
	 by_refuser, NA_SEV_WARNING, NA_CERTAIN},
	{"reset", na_fact_tcp_reset, na_fact_tcp_reset_by,
	 na_fact_tcp_reset_remedy,
	 by_reset, NA_SEV_WARNING, NA_CERTAIN},
	{"receiver_too_slow", na_fact_tcp_not_read, na_fact_tcp_not_read_by,
	 na_fact_tcp_not_read_remedy,
	 by_reader, NA_SEV_WARNING, NA_LIKELY},
	{"server_slow", na_fact_tcp_waits_for_server, na_fact_tcp_server_slow,
	 na_fact_tcp_server_slow_remedy,
	 by_server, NA_SEV_WARNING, NA_LIKELY},
	{"window_limited", na_fact_tcp_window_limited,
	 na_fact_tcp_window_too_small, na_fact_tcp_window_remedy,
	 by_window, NA_SEV_WARNING, NA_LIKELY},
	{"delayed_ack", na_fact_tcp_delayed_acks, na_fact_tcp_small_writes,
	 na_fact_tcp_delayed_acks_remedy,
	 by_writer, NA_SEV_WARNING, NA_LIKELY},
};
/* clang-format on */

/* Across a city or the Internet no switch is one's own, and the floor of the
 * timer does not matter; a capture may not tell how long the path is. */
static const char *remedy_of(struct na_case *c, const struct trouble *t,
			     const struct na_value *worst)
{
	if (!t->remedy)
		return "";
	if (t->host == by_loss && na_flag_at(worst, M_far))
		return na_case_say(c, na_fact_tcp_loss_far_remedy());
	if (t->host == by_loss && !isfinite(na_number_at(worst, M_path_rtt_us)))
		return na_case_say(c, na_fact_tcp_loss_some_remedy());
	return na_case_say(c, t->remedy());
}

/* Where nobody listens on one port, another one may do well. */
static bool is_listener(const struct trouble *t)
{
	return t->host == by_refuser || t->host == by_late_listener;
}

/* Connections of one trouble, and one who is to blame. */
struct group {
	const char *host;
	const char *at; /* as it is called: a port that refuses, or the host */
	enum na_cause cause;
	const struct na_value *worst;
	struct na_value *list;
	double lost_s, from_s, to_s;
	double let_in_s; /* until all were; NaN: some never were */
	double waited_s; /* most that a reset waited; NaN: of some unknown */
	double server_ms, calls, slow_calls, p50_ms, wire_ms, held_ms;
	size_t n;
	bool much;
	bool idle; /* all of them, for most of their time */
	bool reset_idle; /* all of them */
};

static struct group *group_of(struct na_case *c, struct group *g, size_t *n,
			      const char *host, const char *at,
			      enum na_cause cause)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(g[i].at, at) == 0 && g[i].cause == cause)
			return &g[i];
	/* Of a host with so many ports that refuse all others are one. */
	for (size_t i = 0; *n == GROUPS && i < *n; i++) {
		if (strcmp(g[i].host, host) == 0 && g[i].cause == cause) {
			g[i].at = host;
			return &g[i];
		}
	}
	if (*n == GROUPS)
		return NULL;
	g[*n] = (struct group){.host = host,
			       .at = at,
			       .cause = cause,
			       .from_s = INFINITY,
			       .to_s = -INFINITY,
			       .idle = true,
			       .reset_idle = true,
			       .list = na_case_list(c)};
	return &g[(*n)++];
}

/* NaN: not known of all. */
static void add_most(double *most_s, const struct na_value *v, const char *name)
{
	double s = na_number_at(v, name) / NA_MS_PER_S;

	*most_s = isnan(s) || isnan(*most_s) ? (double)NAN : fmax(*most_s, s);
}

static void add_to(struct na_case *c, struct group *g, const struct na_value *v)
{
	double n = na_number_or(v, M_calls "." M_n, 0);
	struct na_value *to;

	g->worst = g->worst ? g->worst : v;
	g->lost_s = fmax(g->lost_s, na_number_at(v, M_lost_ms) / NA_MS_PER_S);
	g->from_s = fmin(g->from_s, na_number_at(v, M_from_s));
	g->to_s = fmax(g->to_s, na_number_at(v, M_to_s));
	add_most(&g->let_in_s, v, M_let_in_ms);
	add_most(&g->waited_s, v, M_reset_after_ms);
	g->server_ms += na_number_or(v, M_calls "." M_server_ms, 0);
	g->wire_ms += n * na_number_or(v, M_path_rtt_us, 0) / NA_US_PER_MS +
		      na_number_or(v, M_calls "." M_network_ms, 0);
	g->held_ms += held_ms(v);
	g->calls += n;
	g->slow_calls += na_number_or(v, M_calls "." M_slow, 0);
	g->p50_ms = fmax(g->p50_ms,
			 na_number_or(v, M_calls "." M_server_p50_ms, 0));
	g->much |= na_loss_is_much(v);
	g->idle &= na_number_at(v, M_idle_ms) >
		   mostly * (na_number_or(v, M_active_ms, 0) +
			     na_number_at(v, M_idle_ms));
	g->reset_idle &= na_flag_at(v, M_reset_idle);
	if (g->n++ >= LISTED)
		return;
	to = na_put_object(c->r, g->list, NULL);
	na_case_copy(c, to, v, M_src, M_dst, M_lost_ms);
	na_put_text(c->r, to, M_what,
		    na_text_of(na_first(v, M_evidence), NULL));
}

/* Connections come worst first. */
static size_t gather(struct na_case *c, const struct trouble *t,
		     struct group g[GROUPS])
{
	size_t n = 0;

	na_for_each (v, na_get(na_case_body(c, "tcp"), M_connections)) {
		enum na_cause cause = NA_CAUSE_NONE;
		const char *host, *at;
		struct group *to;

		if (!na_says(v, M_verdict, t->verdict) &&
		    !(t->host == by_writer && held_ms(v) > 0))
			continue;
		host = t->host(c, v, &cause);
		at = is_listener(t) ? na_packets_listener(v) : host;
		to = host ? group_of(c, g, &n, host, at, cause) : NULL;
		if (to)
			add_to(c, to, v);
	}
	return n;
}

static void accuse(struct na_case *c, struct na_finding *f,
		   const struct trouble *t, const struct group *g)
{
	if (t->culprit)
		f->culprit = na_case_say(c, t->culprit(g->at));
	if (t->host == by_loss) {
		na_loss_accuse(c, f, g->worst);
	} else if (t->host == by_hole) {
		na_loss_accuse_hole(c, f, g->worst);
	} else if (g->cause == NA_CAUSE_NONE) {
		f->suspicion = t->host == by_peer;
	} else {
		na_case_accuse(f, g->cause,
			       (struct na_who){.kind = "host", .host = g->host},
			       f->culprit);
	}
}

/* How often, and for how long; also where the client got in in the end. */
static void say_turned_away(struct na_case *c, struct na_finding *f,
			    const struct group *g)
{
	bool vanished = na_says(g->worst, M_verdict, "peer_vanished");
	bool let_in = g->let_in_s > 0;

	if ((!vanished && !na_says(g->worst, M_verdict, "refused")) ||
	    (!let_in && g->n == 1))
		return;
	if (vanished && let_in)
		f->culprit = na_case_say(c,
					 na_fact_no_answer_at_first(g->host));
	f->culprit = na_case_say(
		c, na_fact_turned_away(f->culprit, (int64_t)g->n,
				       let_in ? g->let_in_s : NAN,
				       let_in ? NAN : g->to_s - g->from_s));
}

/* Where lost_s is a sum. */
static void say_on_all(struct na_case *c, struct na_finding *f,
		       const struct group *g)
{
	if (g->n > 1)
		f->of = f->of_named = na_case_say(c, na_fact_on_all_connections(
							     (int64_t)g->n));
	else
		f->of = f->of_named;
}

static void say_server(struct na_case *c, struct na_finding *f,
		       const struct group *g)
{
	double all_ms = g->server_ms + g->wire_ms;
	struct na_fact how = na_fact_server_own_time(g->server_ms / NA_MS_PER_S,
						     all_ms / NA_MS_PER_S,
						     (int64_t)g->calls);

	if (!(g->calls > 0))
		return;
	f->how = na_case_say(c, how);
	/* Of one, its evidence says as much. */
	if (g->n > 1)
		na_case_evidence(c, f, how);
	f->otherwise = na_case_say(c, na_fact_tcp_server_slow_otherwise());
	say_on_all(c, f, g);
	na_packets_cost(c, f, g->server_ms / NA_MS_PER_S);
}

/* Connections wait one beside the other, and each by itself. */
static void say_held(struct na_case *c, struct na_finding *f,
		     const struct group *g)
{
	if (!(g->held_ms > 0))
		return;
	say_on_all(c, f, g);
	na_packets_cost(c, f, g->held_ms / NA_MS_PER_S);
	na_case_evidence(c, f,
			 na_fact_held_back(g->held_ms / NA_MS_PER_S,
					   g->cause == NA_CAUSE_NONE));
}

/* A server that takes its time now and then is a remark; so is one that did
 * once or twice, or once for each client, which a store of keys does that waits
 * for the last of them.  A window that is full now and then, of a connection that
 * has nothing to send for most of its time, costs nobody anything, nor does a
 * client that resets what it did not use any more, nor small writes that wait
 * for ACKs where nobody waits for them. */
static enum na_severity severity_of(const struct trouble *t,
				    const struct group *g)
{
	if (t->host == by_loss && g->much)
		return NA_SEV_ERROR;
	if (strcmp(t->verdict, "server_slow") == 0 && g->p50_ms < slow_ms &&
	    (g->slow_calls < SLOW_LEAST || g->slow_calls <= (double)g->n ||
	     g->slow_calls < slow_share * g->calls))
		return NA_SEV_INFO;
	if (t->host == by_reset && g->reset_idle)
		return NA_SEV_INFO;
	if (t->host == by_writer && g->cause == NA_CAUSE_NONE)
		return NA_SEV_INFO;
	return t->host == by_window && g->idle && g->lost_s > 0 &&
			       g->lost_s < trifle * (g->to_s - g->from_s)
		       ? NA_SEV_INFO
		       : t->severity;
}

static void tell(struct na_case *c, const struct trouble *t,
		 const struct group *g)
{
	bool loss = t->host == by_loss;
	bool back = (loss || t->host == by_hole || t->host == by_peer) &&
		    na_loss_is_back(g->worst);
	int64_t n = loss ? na_loss_connections(c, t->verdict) : (int64_t)g->n;
	int64_t all = na_count_at(na_case_body(c, "tcp"), M_connections_used);
	const char *ends = na_packets_ends(c, g->worst, back);
	const char *more = na_packets_more(c, "tcp", g->worst);
	struct na_finding *f = na_case_find(c, severity_of(t, g), t->confidence,
					    more);

	na_case_draw(c, f, na_case_text(c, "%s -o tcp.svg", more));
	f->from_s = g->from_s;
	f->to_s = g->to_s;
	f->title = na_case_say(c, na_fact_connections_in_trouble(
					  n, all, false,
					  na_case_say(c, t->title(n)), ends));
	f->how = f->title;
	f->remedy = remedy_of(c, t, g->worst);
	accuse(c, f, t, g);
	if (f->confidence == NA_LIKELY && !f->sure)
		f->sure = na_case_say(c,
				      na_fact_counted_where_packets_were(true));
	if (t->host != by_hole)
		say_turned_away(c, f, g);
	if (t->host == by_reset && g->cause == NA_CAUSE_NONE)
		f->culprit = na_case_say(c, na_fact_after_silence(f->culprit,
								  g->waited_s));
	if (!loss)
		f->title = na_case_say(c, na_fact_statement_on(f->culprit,
							       f->title));
	na_packets_cost(c, f, g->lost_s);
	na_packets_whose(c, f, n, false, ends);
	if (t->host == by_writer)
		say_held(c, f, g);
	else if (na_says(g->worst, M_verdict, "server_slow"))
		say_server(c, f, g);
	na_for_each (v, na_get(g->worst, M_evidence))
		na_put_text(c->r, f->facts, NULL, na_text_of(v, ""));
	na_put_int(c->r, f->evidence, M_connections, n);
	na_put_int(c->r, f->evidence, M_of, all);
	na_put_alias(c->r, f->evidence, M_worst, g->list);
}

/* To pass; NULL: enough. */
static const char *few_segments(struct na_case *c)
{
	const struct na_value *t = na_get(na_case_body(c, "tcp"), M_totals);
	double n = na_number_or(t, M_data_segments,
				na_number_or(t, M_packets, 0));
	static const char cannot_tell[] = "cannot_tell"; /* a verdict */
	int64_t all = na_count_at(na_case_body(c, "tcp"), M_connections_used);
	const char *stalled = na_packets_stalled(c);
	const char *few = na_packets_few(c, n, false);

	if (stalled)
		return na_case_say(c, na_fact_waiting_data_to_end(stalled));
	if (na_packets_unseen(c))
		return na_packets_unseen(c);
	if (!few && all > 0 &&
	    na_int_of(na_get(na_get(t, M_verdicts), cannot_tell), 0) == all)
		return na_case_say(c, na_fact_longer_connections(all));
	return few;
}

static void judge_tcp_connection(struct na_case *c)
{
	for (size_t i = 0; i < NA_LEN(troubles); i++) {
		struct group g[GROUPS];
		size_t n = gather(c, &troubles[i], g);

		for (size_t k = 0; k < n; k++)
			tell(c, &troubles[i], &g[k]);
	}
	na_check_queues(c);
	na_check_late(c);
	c->missing = few_segments(c);
}

const struct na_check na_check_tcp_connection = {
	.id = "tcp-connection",
	.version = 1,
	.question = "captured connections that lose packets or wait",
	.does_not_mean = "that the network loses packets: a receive window or "
			 "a program that pauses holds data back, too",
	.needs = {"tcp"},
	.judge = judge_tcp_connection,
	.acquits = NA_ACQUITS_PACKETS,
};
