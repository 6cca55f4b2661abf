/* tcp: clients of one listener: was one that was refused, or got no answer, let
 * in later, and had the listener let anybody in before? */
#include <stdlib.h>

#include "netan/analyses/tcp/state.h"
#include "netan/base/order.h"

struct attempt {
	uint32_t run, server, client;
	uint16_t port;
	int64_t from_ps;
	struct tcp_row *row;
};

NA_ORDER(by_client, struct attempt, NA_UP(run), NA_UP(server), NA_UP(port),
	 NA_UP(client), NA_UP(from_ps), NA_UP(row))

/* The direction of who asked: of one SYN its sender. */
static size_t asker_of(const struct na_connection *c)
{
	return c->dir[0].saw_syn != c->dir[1].saw_syn ? c->dir[1].saw_syn
						      : c->client;
}

bool na_tcp_refused(const struct na_connection *c)
{
	const struct na_direction *d = &c->dir[asker_of(c)];
	const struct na_direction *peer = &c->dir[!asker_of(c)];

	return d->saw_syn && !peer->saw_syn && peer->reset && !d->bytes &&
	       !peer->bytes;
}

bool na_tcp_ignored(const struct na_connection *c)
{
	const struct na_direction *d = &c->dir[asker_of(c)];
	const struct na_direction *peer = &c->dir[!asker_of(c)];

	return d->saw_syn && d->testified && !d->bytes && !d->closed &&
	       !peer->packets && !peer->known;
}

static bool is_let_in(const struct na_connection *c)
{
	return c->dir[0].saw_syn && c->dir[1].saw_syn;
}

/* Also before the capture began. */
static bool is_heard(const struct na_connection *c)
{
	const struct na_direction *d = &c->dir[!asker_of(c)];

	return d->saw_syn || d->bytes;
}

static struct attempt attempt_of(const struct tcp_state *s, struct tcp_row *row)
{
	const struct na_connection *c = row->c;
	bool down = asker_of(c) == 1;

	return (struct attempt){
		.run = na_store_run_of(s->scope->store, c->input),
		.server = down ? c->src : c->dst,
		.client = down ? c->dst : c->src,
		.port = down ? c->src_port : c->dst_port,
		.from_ps = c->from_ps,
		.row = row,
	};
}

static bool same_listener(const struct attempt *a, const struct attempt *b)
{
	return a->run == b->run && a->server == b->server && a->port == b->port;
}

static int64_t ns_between(int64_t from_ps, int64_t to_ps)
{
	uint64_t span = (uint64_t)to_ps - (uint64_t)from_ps;

	return (int64_t)(span / (uint64_t)NA_PS_PER_NS);
}

/* SYNs without an answer, and how long from the first to the last. */
static uint64_t count_syns(const struct attempt *v, size_t n, int64_t *took_ns)
{
	int64_t from_ps = 0, to_ps = 0;
	uint64_t syns = 0;

	for (size_t i = 0; i < n; i++) {
		const struct na_connection *c = v[i].row->c;

		if (!na_tcp_ignored(c))
			continue;
		if (!syns)
			from_ps = to_ps = v[i].from_ps;
		syns += 1 + c->dir[asker_of(c)].syns_again;
		to_ps = c->to_ps > to_ps ? c->to_ps : to_ps;
	}
	*took_ns = ns_between(from_ps, to_ps);
	return syns;
}

/* Turned away from v[0] on, in a row; NULL: never let in. */
static void tell_streak(const struct attempt *v, size_t n,
			const struct attempt *let_in, int64_t heard_ps)
{
	int64_t took_ns;
	uint64_t syns = count_syns(v, n, &took_ns);

	for (size_t i = 0; i < n; i++) {
		struct tcp_row *row = v[i].row;

		row->not_up_yet = heard_ps > v[i].from_ps;
		if (let_in)
			row->let_in_ns = ns_between(v[0].from_ps,
						    let_in->from_ps);
		if (!na_tcp_ignored(row->c))
			continue;
		row->syns = syns;
		row->syns_ns = took_ns;
	}
}

static bool is_turned_away(const struct na_connection *c)
{
	return na_tcp_refused(c) || na_tcp_ignored(c);
}

/* Of one client, in order of time. */
static void tell_client(const struct attempt *v, size_t n, int64_t heard_ps)
{
	for (size_t i = 0, end; i < n; i = end + 1) {
		for (end = i; end < n && is_turned_away(v[end].row->c); end++)
			;
		if (end > i)
			tell_streak(v + i, end - i,
				    end < n && is_let_in(v[end].row->c)
					    ? &v[end]
					    : NULL,
				    heard_ps);
	}
}

static void note_listener(const struct attempt *v, size_t n)
{
	int64_t heard_ps = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (is_heard(v[i].row->c) && v[i].from_ps < heard_ps)
			heard_ps = v[i].from_ps;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].client == v[i].client; end++)
			;
		tell_client(v + i, end - i, heard_ps);
	}
}

bool na_tcp_listeners(struct tcp_state *s)
{
	size_t n = s->rows.n;
	struct attempt *v = na_calloc(n, sizeof(*v));

	if (!v)
		return false;
	for (size_t i = 0; i < n; i++)
		v[i] = attempt_of(s, &s->rows.v[i]);
	na_sort(v, n, by_client);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && same_listener(&v[end], &v[i]); end++)
			;
		note_listener(v + i, end - i);
	}
	free(v);
	return true;
}

int64_t na_tcp_reset_after_ns(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	return row->verdict == TCP_RESET && d[0].reset != d[1].reset
		       ? d[d[0].reset].mute_ns
		       : -1;
}

/* Nobody saw it begin, and the one who resets says next to nothing else: it may
 * have closed before.  Not where the other one sends again to it. */
static bool may_have_closed(const struct na_connection *c)
{
	const struct na_direction *d = c->dir;
	const struct na_direction *resets = &d[d[1].reset];
	const struct na_direction *peer = &d[!d[1].reset];

	return !d[0].saw_syn && !d[1].saw_syn && !resets->bytes &&
	       resets->packets < TCP_GONE_RESENDS && !peer->last_again;
}

/* Its client resets it at once when it has all answers; or it is not known
 * whether the one who resets had closed before the capture began. */
static bool lets_go(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;
	size_t i = row->c->client;

	if (d[0].reset == d[1].reset)
		return false;
	if (may_have_closed(row->c))
		return true;
	return d[i].reset && row->c->turns > 0 && d[0].testified &&
	       d[1].testified && !d[0].unacked_bytes && !d[1].unacked_bytes &&
	       na_tcp_reset_after_ns(row) >= 0 &&
	       na_tcp_reset_after_ns(row) < TCP_AT_ONCE_NS;
}

bool na_tcp_reset_idle(const struct tcp_row *row)
{
	const struct na_direction *d = row->c->dir;

	return d[row->c->client].reset && row->c->answered &&
	       !d[0].unacked_bytes && !d[1].unacked_bytes &&
	       na_tcp_reset_after_ns(row) >= TCP_IDLE_RESET_NS;
}

bool na_tcp_harmless(const struct tcp_row *row)
{
	if (row->verdict == TCP_RESET)
		return lets_go(row);
	return row->verdict == TCP_REFUSED && row->not_up_yet &&
	       row->let_in_ns > 0 && row->let_in_ns <= TCP_START_NS;
}
