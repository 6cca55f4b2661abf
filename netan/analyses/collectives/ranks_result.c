/* collectives: what is told of rows and executions of ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/collectives/ranks.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/methods/put.h"

/* Of the ranks that come last, those that do so most often. */
enum { LAST_MAX = 16 };

static const char *const arrivals[NA_N_RANK_TIMES] = {"start", "queue", "none"};

/* The first instance of a group, whose parts tell its ranks. */
static const struct na_rank_instance *first_of(const struct na_ranks *k,
					       uint32_t group)
{
	for (size_t i = 0; i < k->instances.n; i++) {
		if (k->instances.v[i].group == group)
			return &k->instances.v[i];
	}
	return NULL;
}

const char *na_collectives_group(const struct coll_state *s,
				 const struct na_ranks *k, uint32_t group,
				 const struct na_rank_instance *x,
				 struct na_str *text)
{
	const struct na_rank_group *g;

	if (group == NA_UNKNOWN_U32)
		return NULL;
	g = &k->groups.v[group];
	if (g->name != NA_UNKNOWN_U32)
		return na_strtab_at(&s->scope->store->names.strings, g->name);
	text->n = 0;
	if (g->src >= 0) {
		na_str_addf(text, "%d->%d", (int)g->src, (int)g->dst);
		return text->s;
	}
	x = x ? x : first_of(k, group);
	for (size_t i = x ? x->from : 0; x && i < x->to; i++)
		na_str_join(text, ",", "%d",
			    (int)k->ranks.v[k->parts.v[i].rank].number);
	return x ? text->s : NULL;
}

const char *na_collectives_host(const struct coll_state *s,
				const struct na_ranks *k, uint32_t rank)
{
	const struct na_store *store = s->scope->store;

	return store->hosts[store->devices.cores[k->ranks.v[rank].core].input]
		.name;
}

static void put_ranks(struct na_result *r, struct na_value *to,
		      const struct coll_ranks *k, size_t from, size_t n)
{
	struct na_value *list = na_put_list(r, to, M_ranks);
	int32_t *all = na_calloc(n + 1, sizeof(*all));

	for (size_t i = 0; all && i < n; i++)
		all[i] = k->joined.ranks.v[k->counts.v[from + i].rank].number;
	na_sort(all, all ? n : 0, na_order_i32);
	for (size_t i = 0; all && i < n; i++)
		na_put_int(r, list, NULL, all[i]);
	free(all);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* [n] names, sorted; false: of some rank nothing tells it. */
static bool find_hosts(const struct coll_state *s, const struct coll_ranks *k,
		       size_t from, size_t n, const char **names)
{
	const struct na_store *store = s->scope->store;

	for (size_t i = 0; i < n; i++) {
		uint32_t rank = k->counts.v[from + i].rank;
		uint32_t core = k->joined.ranks.v[rank].core;
		uint32_t input = store->devices.cores[core].input;

		if (store->sources[input].no_host)
			return false;
		names[i] = store->hosts[input].name;
	}
	na_sort(names, n, by_text);
	return true;
}

static void put_hosts(struct na_result *r, struct na_value *to,
		      const struct coll_state *s, const struct coll_ranks *k,
		      size_t from, size_t n)
{
	struct na_value *list = na_put_list(r, to, M_hosts);
	const char **names = na_calloc(n, sizeof(*names));

	if (names && find_hosts(s, k, from, n, names)) {
		for (size_t i = 0; i < n; i++) {
			if (!i || strcmp(names[i], names[i - 1]) != 0)
				na_put_text(r, list, NULL, names[i]);
		}
	}
	free(names);
}

static void put_last(struct na_result *r, struct na_value *to,
		     const struct coll_state *s, const struct coll_ranks *k,
		     size_t from, size_t n, uint64_t instances)
{
	struct na_value *list = na_put_list(r, to, M_last), *one;

	for (size_t i = from; i < from + n && i < from + LAST_MAX; i++) {
		const struct coll_rank_count *c = &k->counts.v[i];

		if (!c->last)
			break;
		one = na_put_object(r, list, NULL);
		na_put_int(r, one, M_rank, k->joined.ranks.v[c->rank].number);
		na_put_text(r, one, M_host,
			    na_collectives_host(s, &k->joined, c->rank));
		na_put_real(r, one, M_share,
			    (double)c->last / (double)instances);
	}
}

static void put_durations(struct na_result *r, struct na_value *to,
			  const struct coll_matched *x)
{
	struct na_value *one = na_put_object(r, to, M_skew_us);
	bool timed = x->instances && x->times != NA_RANK_QUEUED;

	na_put_real(r, one, M_p50, x->us[COLL_SKEW_P50]);
	na_put_real(r, one, M_p99, x->us[COLL_SKEW_P99]);
	na_put_real(r, one, M_max, x->us[COLL_SKEW_MAX]);
	one = na_put_object(r, to, M_transfer_us);
	na_put_real(r, one, M_p50, timed ? x->us[COLL_TIME_P50] : NAN);
	na_put_real(r, one, M_p99, timed ? x->us[COLL_TIME_P99] : NAN);
}

/* How far recorders say that operations came. */
static void put_states(struct na_result *r, struct na_value *to,
		       const struct coll_matched *x)
{
	bool told = x->times == NA_RANK_QUEUED;

	na_put_whole(r, to, M_completed,
		     told ? (na_i128)(x->executions - x->begun) : -1);
	na_put_whole(r, to, M_started, told ? (na_i128)x->begun : -1);
	na_put_whole(r, to, M_queued, told ? (na_i128)x->queued : -1);
	na_put_whole(r, to, M_unfinished,
		     told ? (na_i128)(x->begun + x->queued) : -1);
}

void na_collectives_put_ranks(struct na_result *r, struct na_value *to,
			      const struct coll_state *s,
			      const struct coll_found *f,
			      const struct coll_matched *x)
{
	const struct coll_ranks *k = f->ranks;
	struct na_str text = {0};
	double bits = (double)x->sized_bytes * 8, ps = (double)x->sized_ps;
	uint32_t i = x->id - k->first_row;
	size_t from, n;

	from = NA_BOUND(c, 0, k->counts.n, k->counts.v[c].row >= i);
	n = NA_BOUND(c, from, k->counts.n, k->counts.v[c].row > i) - from;
	na_put_text(r, to, M_group,
		    na_collectives_group(s, &k->joined, x->group, NULL, &text));
	na_put_text(r, to, M_arrival, arrivals[x->times]);
	put_states(r, to, x);
	put_ranks(r, to, k, from, n);
	put_hosts(r, to, s, k, from, n);
	na_put_whole(r, to, M_min_bytes,
		     x->sized ? (na_i128)x->least_bytes : -1);
	na_put_whole(r, to, M_max_bytes,
		     x->sized ? (na_i128)x->most_bytes : -1);
	put_durations(r, to, x);
	na_put_real(r, to, M_algbw_gbps,
		    x->instances && ps > 0 ? bits / ps * 1e3 : NAN);
	na_put_real(r, to, M_busbw_gbps,
		    x->instances && ps > 0 ? x->bus_bits / ps * 1e3 : NAN);
	put_last(r, to, s, k, from, n, x->instances);
	free(text.s);
}

/* What the clocks of hosts were corrected by, for those who ask. */
static void put_clocks(struct na_result *r, const struct na_ranks *k)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_clocks);

	for (size_t i = 0; i < k->clocks.n; i++) {
		const struct na_rank_clock *c = &k->clocks.v[i];
		struct na_value *to;

		if (!c->corrected || c->own)
			continue;
		to = na_put_object(r, list, NULL);
		na_put_text(r, to, M_host, k->store->hosts[c->host].name);
		na_put_real(r, to, M_ahead_us, na_us(c->ahead_ps));
		na_put_real(r, to, M_uncertainty_us, na_us(c->uncertainty_ps));
	}
}

/* Completed: by all its ranks; queued: begun by none of them. */
static const char *state_of(const struct na_ranks *k,
			    const struct na_rank_instance *x)
{
	size_t held = 0, begun = 0;

	if (x->times != NA_RANK_QUEUED)
		return NULL;
	for (size_t i = x->from; i < x->to; i++) {
		uint8_t source = k->comms[k->parts.v[i].comm].source;

		held += source == NA_COMM_HELD;
		begun += source == NA_COMM_BEGUN;
	}
	return held == x->to - x->from ? "queued"
	       : held + begun          ? "started"
				       : "completed";
}

void na_collectives_put_instances(struct na_result *r, struct na_value *body,
				  const struct coll_state *s,
				  const struct coll_found *f)
{
	static const char *const by[NA_N_RANK_BYS] = {"sequence", "ordinal"};
	const struct na_ranks *k = f->ranks ? &f->ranks->joined : NULL;
	struct na_value *list, *to;
	struct na_str text = {0};

	if (!k)
		return;
	put_clocks(r, k);
	list = na_put_packed(r, body, M_executions);
	for (size_t i = 0; i < k->instances.n; i++) {
		const struct na_rank_instance *x = &k->instances.v[i];
		const struct na_rank_group *g = &k->groups.v[x->group];
		uint8_t opcode = g->src >= 0 ? NA_OPCODE_SEND_RECV
					     : x->operation;
		bool arrives, ends;

		if (!na_collectives_instance_in_window(s, k, x) ||
		    !na_filter_collective(s->scope->filter,
					  na_collectives_word(opcode)))
			continue;
		to = na_put_object(r, list, NULL);
		na_put_text(r, to, M_collective, na_collectives_word(opcode));
		na_put_text(r, to, M_group,
			    na_collectives_group(s, k, x->group, x, &text));
		na_put_int(r, to, M_sequence, x->sequence);
		na_put_text(r, to, M_by, by[x->by]);
		na_put_text(r, to, M_state, state_of(k, x));
		arrives = x->times != NA_RANK_LASTED;
		ends = x->times == NA_RANK_RAN;
		na_put_real(r, to, M_from_s, arrives ? na_s(x->first_ps) : NAN);
		na_put_whole(r, to, M_last_rank,
			     arrives ? k->ranks.v[x->last].number : -1);
		na_put_real(r, to, M_skew_us,
			    arrives ? na_us(x->skew_ps) : NAN);
		na_put_real(r, to, M_transfer_us,
			    x->times == NA_RANK_QUEUED ? NAN
						       : na_us(x->transfer_ps));
		na_put_real(r, to, M_end_spread_us,
			    ends ? na_us(x->end_spread_ps) : NAN);
		na_put_whole(r, to, M_bytes,
			     x->size_bytes == NA_UNKNOWN_U64
				     ? -1
				     : (na_i128)x->size_bytes);
	}
	free(text.s);
}
