/*
 * tcp: what TCP did on each connection of a capture, worst first.  The
 * connections come ready from the reader; here they are judged, ordered and
 * told.  For a picture the inputs are read once more, for the segments of
 * one connection.
 */
#include "netan/analyses/tcp/state.h"

#include <stddef.h>

#include "netan/base/str.h"

/* clang-format off */
static const struct na_opt tcp_opts[] = {
	{NA_OPT_COUNT, 0, "connection", offsetof(struct tcp_params, connection),
	 "N", "1", 1, 1e9, "which connection the picture shows: row N of the "
	 "table; the first is the worst. Each window (--from, --to) numbers its "
	 "rows anew: --src and --dst name a connection in any"},
	{NA_OPT_CHOICE, 0, "direction", offsetof(struct tcp_params, way),
	 "auto|fwd|rev", "auto", 0, 0, "whose data the picture shows: fwd is "
	 "from the sender of the first packet; auto: the one that the verdict "
	 "is of, else the one with more"},
	NA_OPT_END,
};
/* clang-format on */

static enum na_status tcp_open(void *state, const struct na_scope *scope,
			       const void *params, struct na_err *err)
{
	struct tcp_state *s = state;

	s->scope = scope;
	s->params = params;
	for (size_t i = 0; i < scope->by.n; i++) {
		if (scope->by.keys[i] != NA_KEY_LABEL)
			return na_fail(err, NA_EUSAGE,
				       "--by: tcp judges each connection by "
				       "itself; filter instead, for example "
				       "--src or --host");
	}
	return NA_OK;
}

static enum na_status tcp_fork(void *block, const void *state, unsigned pass)
{
	const struct tcp_state *from = state;

	(void)pass;
	*(struct tcp_state *)block = (struct tcp_state){
		.scope = from->scope,
		.params = from->params,
	};
	return NA_OK;
}

static enum na_status tcp_add_connection(void *block,
					 const struct na_connection *c)
{
	struct tcp_state *s = block;
	struct tcp_row row = {.c = c};

	return na_add(&s->rows, row) ? NA_OK : NA_ENOMEM;
}

static enum na_status tcp_merge(void *state, void *block, unsigned pass)
{
	struct tcp_state *s = state;
	const struct tcp_state *b = block;

	(void)pass;
	return na_append(&s->rows, b->rows.v, b->rows.n) ? NA_OK : NA_ENOMEM;
}

static void sum_up(struct tcp_state *s)
{
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct tcp_row *row = &s->rows.v[i];
		enum na_severity found = na_tcp_severity_of(row);

		s->by_verdict[row->verdict]++;
		s->stalled += row->verdict == TCP_CANNOT_TELL &&
			      na_tcp_stalls(row);
		s->evicted += row->c->end == NA_CONN_EVICTED;
		if (found > s->severity)
			s->severity = found;
	}
}

/* Connections of the same time that the filters leave out by their ends. */
static bool add_others(struct tcp_state *s)
{
	const struct na_bound_filter *f = s->scope->bound;
	const struct na_store *store = s->scope->store;

	if (!f->end_ok && !f->src_ok && !f->dst_ok)
		return true;
	na_each_record (const struct na_connection, c, &store->connections) {
		struct tcp_row row = {.c = c};

		if (na_filter_connection_time(f, row.c) &&
		    !na_filter_connection(f, row.c) && !na_add(&s->rows, row))
			return false;
	}
	return true;
}

/* What a connection is told of the others of its hosts does not depend on
 * which of them are asked for. */
static bool place_all(struct tcp_state *s)
{
	size_t asked = s->rows.n;
	bool ok;

	na_tcp_place_missed(s);
	ok = !asked ||
	     (add_others(s) && na_tcp_place(s) && na_tcp_listeners(s));
	s->rows.n = asked;
	return ok;
}

static enum na_status tcp_turn(void *state, unsigned done, struct na_err *err)
{
	struct tcp_state *s = state;
	enum na_status st;

	(void)done;
	if (!place_all(s))
		return na_fail_nomem(err);
	for (size_t i = 0; i < s->rows.n; i++)
		na_tcp_judge(&s->rows.v[i]);
	na_tcp_rank(s);
	sum_up(s);
	st = na_tcp_judge_delivery(s, err);
	if (st != NA_OK || !s->scope->segments || !s->rows.n)
		return st;
	if ((uint64_t)s->params->connection > s->rows.n)
		return na_fail(err, NA_EUSAGE,
			       "--connection %lld: the table has %zu row%s%s",
			       (long long)s->params->connection, s->rows.n,
			       na_plural(s->rows.n),
			       na_tcp_windowed(s)
				       ? " between --from and --to, numbered "
					 "anew there; --src and --dst name a "
					 "connection in any window"
				       : "");
	return na_tcp_sequence_read(s, err);
}

bool na_tcp_windowed(const struct tcp_state *s)
{
	const struct na_filter *f = s->scope->filter;

	return f->from_ps != NA_TIME_MIN || f->to_ps != NA_TIME_MAX;
}

static void tcp_fini(void *state)
{
	struct tcp_state *s = state;

	na_vec_free(&s->rows);
	na_tcp_delivery_free(&s->delivery);
	na_tcp_sequence_free(s->drawn);
}

static enum na_severity tcp_severity(const void *state)
{
	return ((const struct tcp_state *)state)->severity;
}

const struct na_analysis na_an_tcp = {
	.info.name = "tcp",
	.info.usage = "[OPTION…] INPUT…",
	.info.question = "what TCP did on each connection of a capture, worst "
			 "first",
	.info.details =
		"Gives each connection a verdict and its evidence. IP IDs "
		"and timestamps separate retransmitted from late segments, "
		"DSACK and timestamp echoes needed from needless ones, and "
		"bytes that were acknowledged and never seen were missed by "
		"the capture. Packets that were recorded twice count once. "
		"The member verdict defines the words. Active time is the "
		"duration minus the time with nothing to send.\n"
		"Worst first: those with trouble; then by time lost "
		"(timeouts, recovery, closed and full windows), "
		"retransmitted bytes, bytes, first packet. Filters select "
		"connections: --host, --src and --dst name ends by host, "
		"address or address:port ('*:8471'), --src and --dst in "
		"either order; verdicts still use all connections of their "
		"hosts. --from and --to limit counts, times and verdict; "
		"earlier facts (numbers, window scale, shortest round trip) "
		"stay known, and later packets show whether a retransmission "
		"was needed. A transfer file holds whole connections: those "
		"that reach beyond the window are skipped.\n"
		"The picture is a time-sequence graph of one connection, or "
		"of the part between --from and --to. It needs the packets, "
		"which a transfer file does not have.",
	.info.example = "netan tcp job.pcap --top 10\n"
			"netan tcp job.pcap -o worst.svg\n"
			"netan tcp job.pcap --connection 3 --direction rev -o "
			"third.svg\n"
			"netan tcp job.pcap --from 12.1s --to 12.4s -o "
			"piece.svg\n"
			"netan tcp job.pcap --fail-on error -q -o tcp.json",
	.info.method = "marks as tshark's tcp.analysis; what was needed by IP "
		       "ID, RFC 7323, RFC 2883",
	.wants = NA_WANT_CONNECTIONS,
	.info.opts = tcp_opts,
	.info.params_size = sizeof(struct tcp_params),
	.begins = 2,
	.basis = true,
	.state_size = sizeof(struct tcp_state),
	.passes = 1,
	.counts = NA_COUNTS(CONNECTIONS),
	.open = tcp_open,
	.fork = tcp_fork,
	.add_connection = tcp_add_connection,
	.merge = tcp_merge,
	.turn = tcp_turn,
	.finish = na_tcp_put_result,
	.fini = tcp_fini,
	.severity = tcp_severity,
};
