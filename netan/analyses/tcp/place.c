/* tcp: what the connections of the same hosts know of each other. */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/tcp/state.h"
#include "netan/base/order.h"

/* The two hosts of a row, the lower endpoint first. */
struct pair {
	uint32_t run, low, high;
	struct tcp_row *row;
};

NA_ORDER(by_hosts, struct pair, NA_UP(run), NA_UP(low), NA_UP(high), NA_UP(row))

struct server {
	uint32_t run, host;
	struct tcp_row *row;
};

NA_ORDER(by_server, struct server, NA_UP(run), NA_UP(host), NA_UP(row))

static void shorter(int64_t *least, const struct na_direction *d)
{
	int64_t own = na_tcp_least_rtt(d);

	if (own > 0 && (!*least || own < *least))
		*least = own;
}

static enum tcp_place place_of(const int64_t leg_ns[2])
{
	if (leg_ns[0] <= 0 || leg_ns[1] <= 0)
		return TCP_SOMEWHERE;
	if (leg_ns[0] < leg_ns[1] / 3)
		return TCP_AT_SRC;
	return leg_ns[1] < leg_ns[0] / 3 ? TCP_AT_DST : TCP_BETWEEN;
}

/* Data to an end, and its ACK back.  Where one side sent none, the handshake
 * of all of them tells the rest. */
static void share_legs(const struct pair *p, size_t n)
{
	int64_t leg[2] = {0, 0}, whole = 0; /* to low, to high */
	bool queue = false;

	for (size_t i = 0; i < n; i++) {
		const struct na_connection *c = p[i].row->c;
		bool up = c->src == p[i].low;

		shorter(&leg[up], &c->dir[0]);
		shorter(&leg[!up], &c->dir[1]);
		if (c->initial_rtt_ns > 0 &&
		    (!whole || c->initial_rtt_ns < whole))
			whole = c->initial_rtt_ns;
		queue |= na_tcp_queues(p[i].row);
	}
	for (size_t k = 0; k < 2; k++)
		if (!leg[k] && leg[!k] > 0 && whole > leg[!k])
			leg[k] = whole - leg[!k];
	for (size_t i = 0; i < n; i++) {
		struct tcp_row *row = p[i].row;
		bool up = row->c->src == p[i].low;

		row->leg_ns[0] = leg[!up];
		row->leg_ns[1] = leg[up];
		row->place = place_of(row->leg_ns);
		row->queue_on_path = queue;
	}
}

/* Captures of other runs were taken elsewhere. */
static uint32_t run_of(const struct tcp_state *s, const struct na_connection *c)
{
	return na_store_run_of(s->scope->store, c->input);
}

static bool same_pair(const struct pair *a, const struct pair *b)
{
	return a->run == b->run && a->low == b->low && a->high == b->high;
}

static bool place_pairs(struct tcp_state *s)
{
	size_t n = s->rows.n;
	struct pair *p = na_calloc(n, sizeof(*p));

	if (!p)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct na_connection *c = s->rows.v[i].c;
		bool up = c->src < c->dst;

		p[i] = (struct pair){run_of(s, c), up ? c->src : c->dst,
				     up ? c->dst : c->src, &s->rows.v[i]};
	}
	na_sort(p, n, by_hosts);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && same_pair(&p[end], &p[i]); end++)
			;
		share_legs(p + i, end - i);
	}
	free(p);
	return true;
}

static bool place_servers(struct tcp_state *s)
{
	size_t n = s->rows.n;
	struct server *v = na_calloc(n, sizeof(*v));

	if (!v)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct na_connection *c = s->rows.v[i].c;

		v[i] = (struct server){run_of(s, c),
				       c->client ? c->src : c->dst,
				       &s->rows.v[i]};
	}
	na_sort(v, n, by_server);
	for (size_t i = 0, end; i < n; i = end) {
		uint64_t slow = 0;

		for (end = i; end < n && v[end].host == v[i].host &&
			      v[end].run == v[i].run;
		     end++)
			slow += v[end].row->c->slow_serves;
		for (size_t k = i; k < end; k++)
			v[k].row->server_outliers = slow >= TCP_SERVER_CALLS;
	}
	free(v);
	return true;
}

/* One direction with ACKs that were delayed: who sends, and the listener. */
struct writer {
	uint32_t run, sender;
	uint64_t peer; /* and the listener's port */
	uint8_t way;
	int64_t wait_ns; /* for one of them; INT64_MAX: not alike, or none */
	struct tcp_row *row;
};

NA_ORDER(by_writer, struct writer, NA_UP(run), NA_UP(sender), NA_UP(peer),
	 NA_UP(wait_ns), NA_UP(row), NA_UP(way))

static bool same_writer(const struct writer *a, const struct writer *b)
{
	return a->run == b->run && a->sender == b->sender && a->peer == b->peer;
}

static const struct na_direction *way_of(const struct writer *w)
{
	return &w->row->c->dir[w->way];
}

/* No more than any capture has: a hostile file may say so. */
static double released(const struct writer *w)
{
	return fmin((double)way_of(w)->released, 1e12);
}

static bool as_long(const struct writer *w, const struct writer *least)
{
	return w->wait_ns != INT64_MAX &&
	       w->wait_ns - least->wait_ns <= least->wait_ns / 100 * TCP_ALIKE;
}

/* Connections of one writer, the shortest wait first, each with a few: enough
 * of them wait alike, and those are nearly all of them: among many any wait
 * has some like it.  Where most delayed ACKs release nothing, those that do may
 * by chance. */
static void share_held(const struct writer *w, size_t n)
{
	double slow = 0, even = 0, all = 0, near = 0, least;
	size_t to = 0, told = 0;

	for (size_t i = 0; i < n; i++) {
		slow += (double)way_of(&w[i])->slow_acks;
		all += released(&w[i]);
		even += w[i].wait_ns != INT64_MAX ? released(&w[i]) : 0;
	}
	if (even * 2 < slow)
		return;
	least = fmax(TCP_NAGLE_WAITS, TCP_ALIKE_SHARE * all);
	for (size_t from = 0; from < n; from++) {
		for (; to < n && as_long(&w[to], &w[from]); to++)
			near += released(&w[to]);
		if (near >= least)
			for (told = told > from ? told : from; told < to;
			     told++)
				w[told].row->held_alike[w[told].way] = true;
		near -= to > from ? released(&w[from]) : 0;
		to = to > from ? to : from + 1;
	}
}

static bool place_writers(struct tcp_state *s)
{
	struct writer *v = na_calloc(2 * s->rows.n, sizeof(*v));
	size_t n = 0;

	if (!v)
		return false;
	for (size_t i = 0; i < 2 * s->rows.n; i++) {
		struct tcp_row *row = &s->rows.v[i / 2];
		const struct na_connection *c = row->c;
		const struct na_direction *d = &c->dir[i % 2];
		uint16_t port = c->client ? c->src_port : c->dst_port;
		bool alike = d->released > 0 && d->released_even &&
			     d->released_p50_ns > 0;

		if (!d->slow_acks && !d->released)
			continue;
		v[n++] = (struct writer){
			.run = run_of(s, c),
			.sender = i % 2 ? c->dst : c->src,
			.peer = (uint64_t)(i % 2 ? c->src : c->dst) << 16 | port,
			.way = i % 2,
			.wait_ns = alike ? d->released_p50_ns : INT64_MAX,
			.row = row,
		};
	}
	na_sort(v, n, by_writer);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && same_writer(&v[end], &v[i]); end++)
			;
		share_held(v + i, end - i);
	}
	free(v);
	return true;
}

void na_tcp_place_missed(struct tcp_state *s)
{
	double holes = 0, packets = 0;

	for (size_t i = 0; i < 2 * s->rows.n; i++) {
		const struct na_direction *d = &s->rows.v[i / 2].c->dir[i % 2];

		holes += (double)d->capture_holes;
		packets += (double)d->packets;
	}
	for (size_t i = 0; i < s->rows.n; i++)
		s->rows.v[i].missed = holes >= TCP_HOLES ? holes / packets : 0;
}

bool na_tcp_place(struct tcp_state *s)
{
	return place_pairs(s) && place_servers(s) && place_writers(s);
}
