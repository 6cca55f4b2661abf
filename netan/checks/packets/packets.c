#include "netan/checks/packets/packets.h"

#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/strtab.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/checks/joined.h"
#include "netan/checks/look.h"
#include "netan/methods/sides.h"
#include "netan/stats/tests/tests.h"

enum { FLOWS_MOST = 4096, HOSTS_LEAST = 3, EVENTS_LEAST = 5 };

static const double by_chance = 1e-3;
static const double times_the_rest = 3;

static const struct na_value *queue_pairs_of(const struct na_case *c)
{
	return na_get(na_case_body(c, "rdma"), M_queue_pairs);
}

bool na_captures_alone(const struct na_case *c)
{
	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		if (na_flag_at(v, M_trace) && !na_flag_at(v, M_queued) &&
		    !na_flag_at(v, M_of_ranks) && na_count_at(v, M_transfers))
			return false;
	}
	return na_case_body(c, "tcp") || queue_pairs_of(c);
}

bool na_sends_wait(const struct na_case *c)
{
	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		if (na_flag_at(v, M_of_ranks))
			return true;
	}
	return false;
}

bool na_recorders_alone(const struct na_case *c)
{
	size_t n = 0;

	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs)) {
		if (!na_flag_at(v, M_queued))
			return false;
		n++;
	}
	return n > 0;
}

/* "10.0.0.1:80", "[fd00::1]:80" */
static const char *address_of(struct na_case *c, const char *socket)
{
	const char *end = strrchr(socket, ':');
	size_t n = end ? (size_t)(end - socket) : strlen(socket);

	if (n > 2 && socket[0] == '[') {
		socket++;
		n -= 2;
	}
	return na_case_text(c, "%.*s", (int)n, socket);
}

const char *na_packets_host(struct na_case *c, const struct na_value *row,
			    bool dst)
{
	const char *name = na_text_at(row, dst ? M_dst_host : M_src_host);

	return *name ? name
		     : address_of(c, na_text_at(row, dst ? M_dst : M_src));
}

static bool server_is_dst(const struct na_value *row)
{
	return !na_says(row, M_calls "." M_client, "dst");
}

const char *na_packets_server(struct na_case *c, const struct na_value *row)
{
	return na_packets_host(c, row, server_is_dst(row));
}

const char *na_packets_client(struct na_case *c, const struct na_value *row)
{
	return na_packets_host(c, row, !server_is_dst(row));
}

const char *na_packets_listener(const struct na_value *row)
{
	return na_text_at(row, server_is_dst(row) ? M_dst : M_src);
}

double na_packets_segments(const struct na_value *way)
{
	return na_number_or(way, M_data_segments,
			    na_number_or(way, M_data_packets, 0));
}

double na_packets_lost(const struct na_value *way)
{
	return na_number_or(way, M_lost_data_segments,
			    na_number_or(way, M_needed_retransmissions, 0));
}

double na_loss_events(const struct na_value *of, double needed)
{
	return fmin(needed, na_number_or(of, M_loss_events, needed));
}

double na_packets_losses(const struct na_value *row, const struct na_value *way)
{
	return na_loss_events(way, na_packets_needed(row, way));
}

double na_packets_needed(const struct na_value *row, const struct na_value *way)
{
	bool loss = na_says(row, M_verdict, "network_loss") ||
		    na_says(row, M_verdict, "timeout_bound");

	return loss && na_flag_at(way, M_loses)
		       ? na_number_at(way, M_needed_retransmissions)
		       : 0;
}

/* Hosts and pairs of them by number, as they come. */
struct numbers {
	struct na_strtab hosts;
	struct na_triples pairs;
};

/* The flow from a to b, all zero where it is new; NULL: one too many, or no
 * memory. */
static struct na_flow_sum *flow_of(struct na_case *c, struct na_flows *f,
				   struct numbers *k, const char *a,
				   const char *b)
{
	struct na_triple key = {na_strtab_add(&k->hosts, a, strlen(a)),
				na_strtab_add(&k->hosts, b, strlen(b)), 0};
	uint32_t at = NA_NO_TRIPLE;

	if (key.a != NA_NO_NAME && key.b != NA_NO_NAME)
		at = f->n < FLOWS_MOST ? na_triples_add(&k->pairs, key)
				       : na_triples_find(&k->pairs, key);
	c->failed |= at == NA_NO_TRIPLE && f->n < FLOWS_MOST;
	if (at == NA_NO_TRIPLE)
		return NULL;
	if (at == f->n)
		f->v[f->n++] = (struct na_flow_sum){.src = a,
						    .dst = b,
						    .src_at = key.a,
						    .dst_at = key.b};
	return &f->v[at];
}

static void add_row(struct na_case *c, struct na_flows *f, struct numbers *k,
		    const struct na_value *row,
		    double (*count)(const struct na_value *row,
				    const struct na_value *way))
{
	const char *ends[] = {na_packets_host(c, row, false),
			      na_packets_host(c, row, true)};
	bool stalled = na_says(row, M_verdict, "timeout_bound");

	for (int i = 0; i < 2; i++) {
		const struct na_value *way = na_get(row, i ? M_rev : M_fwd);
		/* SYNs that were lost are events, too. */
		double segments = na_packets_segments(way) +
				  na_number_or(way, M_needed_retransmissions,
					       0) -
				  na_packets_lost(way);
		double events = count(row, way);
		struct na_flow_sum *to;

		if (!(segments > 0 || events > 0))
			continue;
		to = flow_of(c, f, k, ends[i], ends[!i]);
		if (to) {
			to->segments += segments;
			to->events += events;
			to->again += na_packets_needed(row, way);
			to->stalled += stalled ? events : 0;
		}
	}
}

static void make_room(struct na_case *c, struct na_flows *f, size_t most)
{
	most = most < FLOWS_MOST ? most : FLOWS_MOST;
	f->v = na_arena_alloc(c->arena, (most + 1) * sizeof(*f->v));
	c->failed |= !f->v;
}

static void number(struct na_flows *f, struct numbers *k)
{
	f->hosts = k->hosts.n;
	na_strtab_fini(&k->hosts);
	na_triples_fini(&k->pairs);
}

struct na_flows na_packets_flows(struct na_case *c,
				 double (*count)(const struct na_value *row,
						 const struct na_value *way))
{
	const struct na_value *rows = na_get(na_case_body(c, "tcp"),
					     M_connections);
	size_t most = rows ? 2 * rows->n : 0;
	struct numbers k = {.pairs = {.n = 0}};
	struct na_flows f = {NULL, 0, 0};

	make_room(c, &f, most);
	na_for_each (row, f.v ? rows : NULL)
		add_row(c, &f, &k, row, count);
	number(&f, &k);
	return f;
}

const char *na_packets_end(const struct na_value *row, bool dst)
{
	const char *name = na_text_at(row, dst ? M_dst_host : M_src_host);

	return *name ? name : na_text_at(row, dst ? M_dst : M_src);
}

struct na_flows
na_packets_rdma_flows(struct na_case *c,
		      double (*count)(const struct na_value *row))
{
	const struct na_value *rows = queue_pairs_of(c);
	struct numbers k = {.pairs = {.n = 0}};
	struct na_flows f = {NULL, 0, 0};

	make_room(c, &f, rows ? rows->n : 0);
	na_for_each (row, f.v ? rows : NULL) {
		struct na_flow_sum *to = flow_of(c, &f, &k,
						 na_packets_end(row, false),
						 na_packets_end(row, true));

		if (!to)
			continue;
		to->segments += na_number_or(row, M_packets, 0);
		to->events += count(row);
	}
	number(&f, &k);
	return f;
}

static bool is_in(const struct na_packets_side *x, const struct na_flow_sum *f)
{
	if (strcmp(x->kind, "src") == 0)
		return strcmp(f->src, x->host) == 0;
	if (strcmp(x->kind, "dst") == 0)
		return strcmp(f->dst, x->host) == 0;
	if (strcmp(x->kind, "host") == 0)
		return strcmp(f->src, x->host) == 0 ||
		       strcmp(f->dst, x->host) == 0;
	return strcmp(f->src, x->src) == 0 && strcmp(f->dst, x->dst) == 0;
}

struct tally {
	double segments, events, again, stalled;
};

static void add_to(struct tally *t, const struct na_flow_sum *f)
{
	t->segments += f->segments;
	t->events += f->events;
	t->again += f->again;
	t->stalled += f->stalled;
}

/* Of the flows that are not told already: all, and by host what it sends, gets,
 * and has to do with. */
struct tallies {
	struct tally all, *src, *dst, *host;
};

static bool tallies_alloc(struct na_case *c, struct tallies *t, size_t hosts)
{
	size_t bytes = (hosts + 1) * sizeof(struct tally);

	t->src = na_arena_alloc(c->arena, bytes);
	t->dst = na_arena_alloc(c->arena, bytes);
	t->host = na_arena_alloc(c->arena, bytes);
	return t->src && t->dst && t->host;
}

static void sum_up(struct tallies *t, const struct na_flows *f,
		   const bool *told)
{
	t->all = (struct tally){0};
	for (size_t i = 0; i < f->hosts; i++)
		t->src[i] = t->dst[i] = t->host[i] = t->all;
	for (size_t i = 0; i < f->n; i++) {
		const struct na_flow_sum *x = &f->v[i];

		if (told[i])
			continue;
		add_to(&t->all, x);
		add_to(&t->src[x->src_at], x);
		add_to(&t->dst[x->dst_at], x);
		add_to(&t->host[x->src_at], x);
		if (x->src_at != x->dst_at)
			add_to(&t->host[x->dst_at], x);
	}
}

/* Against all others: what is told already is not among the rest. */
static void try_side(struct na_packets_side *x, const struct tally *its,
		     const struct tally *all, size_t hosts)
{
	double rate;

	x->segments = its->segments;
	x->events = its->events;
	x->again = its->again;
	x->stalled = its->stalled;
	x->rest_segments = all->segments - its->segments;
	x->rest_events = all->events - its->events;
	x->p_value = 1;
	if (!(x->rest_segments > 0 && x->segments > 0))
		return;
	rate = fmax(x->rest_events, 0.5) / x->rest_segments;
	if (rate < 1 && x->events <= x->segments)
		x->p_value =
			fmin(1, 2 * (double)hosts *
					na_binomial_upper((uint64_t)x->events,
							  (uint64_t)x->segments,
							  rate));
}

static double ratio_of(const struct na_packets_side *x)
{
	return x->events / x->segments /
	       (fmax(x->rest_events, 0.5) / x->rest_segments);
}

static bool stands_out(const struct na_packets_side *x, double least)
{
	return x->events >= least && x->p_value < by_chance &&
	       ratio_of(x) > times_the_rest;
}

static void keep_better(struct na_packets_side *best,
			const struct na_packets_side *x, double least)
{
	double more;

	if (!stands_out(x, least))
		return;
	more = best->kind ? ratio_of(x) / ratio_of(best) : 2;
	if (more < 1.0001 && best->kind && more > 0.9999 &&
	    strcmp(x->kind, "pair") == 0)
		best->both_fit = true;
	if (more > 1.0001)
		*best = *x;
}

/* The largest ratio; a side before a pair that is all of it. */
static struct na_packets_side find_one(const struct na_flows *f,
				       const struct tallies *t,
				       const bool *told, double least)
{
	struct na_packets_side best = {.kind = NULL};

	for (size_t i = 0; i < f->n; i++) {
		const struct na_flow_sum *v = &f->v[i];
		struct tally own = {v->segments, v->events, v->again,
				    v->stalled};
		struct {
			struct na_packets_side side;
			const struct tally *its;
		} x[] = {
			{{.kind = "src", .host = v->src}, &t->src[v->src_at]},
			{{.kind = "dst", .host = v->dst}, &t->dst[v->dst_at]},
			{{.kind = "pair", .src = v->src, .dst = v->dst}, &own},
			{{.kind = "host", .host = v->src}, &t->host[v->src_at]},
			{{.kind = "host", .host = v->dst}, &t->host[v->dst_at]},
		};

		if (told[i] || !(v->events > 0))
			continue;
		for (size_t k = 0; k < NA_LEN(x); k++) {
			try_side(&x[k].side, x[k].its, &t->all, f->hosts);
			keep_better(&best, &x[k].side, least);
		}
	}
	return best;
}

/* Both sides of one host: the host. */
static size_t join_sides(struct na_packets_side *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			if (!out[i].host || !out[k].host ||
			    strcmp(out[i].host, out[k].host) != 0)
				continue;
			out[i].kind = "host";
			out[i].segments += out[k].segments;
			out[i].events += out[k].events;
			out[i].again += out[k].again;
			out[i].stalled += out[k].stalled;
			out[k] = out[--n];
		}
	}
	return n;
}

/* A side of which one pair alone is known to have trouble is no more than that
 * pair: as far as is seen, either may be to blame. */
static void narrow(struct na_packets_side *x, const struct na_flow_sum *v,
		   size_t n, const bool *told)
{
	const struct na_flow_sum *only = NULL;

	if (strcmp(x->kind, "pair") == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (told[i] || !is_in(x, &v[i]))
			continue;
		if (only)
			return;
		only = &v[i];
	}
	if (!only)
		return;
	x->kind = "pair";
	x->host = NULL;
	x->src = only->src;
	x->dst = only->dst;
	x->both_fit = true;
}

/* All events are those of one pair, and no test can say more. */
static size_t the_only(const struct na_flows *f, double least,
		       struct na_packets_side *out)
{
	const struct na_flow_sum *v = f->v;
	const struct na_flow_sum *only = NULL;

	for (size_t i = 0; i < f->n; i++) {
		if (!(v[i].events > 0))
			continue;
		if (only)
			return 0;
		only = &v[i];
	}
	/* Of several pairs any has the first few. */
	if (!only || (f->hosts >= HOSTS_LEAST && only->events < least))
		return 0;
	*out = (struct na_packets_side){.kind = "pair",
					.src = only->src,
					.dst = only->dst,
					.segments = only->segments,
					.events = only->events,
					.again = only->again,
					.stalled = only->stalled,
					.p_value = NAN,
					.both_fit = true};
	return 1;
}

size_t na_packets_sides(struct na_case *c, const struct na_flows *f,
			double least, struct na_packets_side out[NA_SIDES_MOST])
{
	bool *told = na_arena_alloc(c->arena, f->n + 1);
	struct tallies t;
	size_t found = 0;

	if (!told || !tallies_alloc(c, &t, f->hosts)) {
		c->failed = true;
		return 0;
	}
	memset(told, 0, f->n + 1);
	while (f->hosts >= HOSTS_LEAST && found < NA_SIDES_MOST) {
		struct na_packets_side x;

		sum_up(&t, f, told);
		x = find_one(f, &t, told, least);
		if (!x.kind)
			break;
		narrow(&x, f->v, f->n, told);
		for (size_t i = 0; i < f->n; i++)
			told[i] |= is_in(&x, &f->v[i]);
		out[found++] = x;
	}
	if (!found)
		return the_only(f, least, out);
	return join_sides(out, found);
}

bool na_packets_is_doubted(const struct na_packets_side *x)
{
	return x->events < NA_LOST_SURELY && 2 * x->stalled >= x->events;
}

static bool ends_in(const struct na_flow_sum *f, const char *host)
{
	return strcmp(f->src, host) == 0 || strcmp(f->dst, host) == 0;
}

bool na_packets_common(const struct na_flows *f, struct na_packets_side *x)
{
	const struct na_flow_sum *first = NULL;
	bool src = true, dst = true, a = true, b = true;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct na_flow_sum *v = &f->v[i];

		if (!(v->events > 0))
			continue;
		first = first ? first : v;
		src &= strcmp(v->src, first->src) == 0;
		dst &= strcmp(v->dst, first->dst) == 0;
		a &= ends_in(v, first->src);
		b &= ends_in(v, first->dst);
		n++;
	}
	if (!first)
		return false;
	*x = (struct na_packets_side){.kind = a && b   ? "pair"
					      : src    ? "src"
					      : dst    ? "dst"
					      : a || b ? "host"
						       : NULL,
				      .src = first->src,
				      .dst = first->dst,
				      .host = a ? first->src : first->dst,
				      .events = (double)n};
	return true;
}

const char *na_packets_name(struct na_case *c, const struct na_packets_side *x)
{
	if (strcmp(x->kind, "pair") == 0)
		return na_case_say(c, na_fact_path_of_hosts(x->src, x->dst));
	return na_case_say(c,
			   na_fact_side_of_host(na_side_of(x->kind), x->host));
}

const char *na_packets_loses(struct na_case *c, const struct na_packets_side *x)
{
	return na_case_say(c, na_fact_network_loses_packets(
				      na_packets_name(c, x),
				      strcmp(x->kind, "host") == 0, false));
}

struct na_who na_packets_who(const struct na_packets_side *x)
{
	if (strcmp(x->kind, "pair") == 0)
		return (struct na_who){.kind = "pair",
				       .src_host = x->src,
				       .dst_host = x->dst};
	return (struct na_who){.kind = x->kind, .host = x->host};
}

struct na_who na_packets_between(struct na_case *c, const struct na_flows *f)
{
	struct na_value *hosts = na_case_list(c);
	bool *listed = na_arena_alloc(c->arena, f->hosts + 1);

	c->failed |= !listed;
	if (!listed)
		return (struct na_who){NULL};
	memset(listed, 0, f->hosts + 1);
	for (size_t i = 0; f->v && i < f->n; i++) {
		const struct na_flow_sum *v = &f->v[i];

		if (!(v->events > 0))
			continue;
		if (!listed[v->src_at])
			na_put_text(c->r, hosts, NULL, v->src);
		listed[v->src_at] = true;
		if (!listed[v->dst_at])
			na_put_text(c->r, hosts, NULL, v->dst);
		listed[v->dst_at] = true;
	}
	return (struct na_who){.hosts = hosts};
}

const char *na_packets_more(struct na_case *c, const char *command,
			    const struct na_value *row)
{
	static const char plain[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ.:-_";
	const char *src = na_text_at(row, M_src), *dst = na_text_at(row, M_dst);

	if (!*src || src[strspn(src, plain)] || !*dst ||
	    dst[strspn(dst, plain)])
		return command;
	return na_case_text(c, "%s --src %s --dst %s", command, src, dst);
}

double na_would_have_shown(double n)
{
	return 3 / fmax(3, n);
}

const char *na_packets_few(struct na_case *c, double sent, bool roce)
{
	double shown = na_would_have_shown(sent);

	if (shown <= NA_RUINOUS_LOSS)
		return NULL;
	return na_case_say(
		c, na_fact_packets_too_few((int64_t)(3 / NA_RUINOUS_LOSS), roce,
					   (int64_t)sent, shown));
}

void na_transfers_few(struct na_case *c, double n, double least)
{
	if (n < least)
		na_case_needs(c, na_fact_transfers_too_few((int64_t)ceil(least),
							   (int64_t)n));
}

const char *na_packets_ends(struct na_case *c, const struct na_value *row,
			    bool back)
{
	return na_case_say(c, na_fact_ends_of_connection(
				      na_text_at(row, back ? M_dst : M_src),
				      na_text_at(row, back ? M_src : M_dst)));
}

void na_packets_whose(struct na_case *c, struct na_finding *f, int64_t n,
		      bool queue_pairs, const char *ends)
{
	bool said = f->how && strstr(f->how, ends);

	f->of_named = na_case_say(c, na_fact_on_ends(n > 1, queue_pairs, ends));
	f->of = said ? na_case_say(c, na_fact_on_those_ends(n > 1, queue_pairs))
		     : f->of_named;
}
