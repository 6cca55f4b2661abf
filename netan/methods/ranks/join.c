/* From records to instances. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/methods/ranks/impl.h"

bool na_rank_synchronous(uint8_t operation, bool pair)
{
	/* A root, or a sender, may leave before the others. */
	return !pair && operation != NA_OPCODE_BROADCAST &&
	       operation != NA_OPCODE_REDUCE && operation != NA_OPCODE_SEND &&
	       operation != NA_OPCODE_RECV;
}

/* Times that sums and differences may be taken of. */
static bool usable(const struct na_comm *x)
{
	return x->end_ps >= x->start_ps && x->start_ps > NA_TIME_MIN / 4 &&
	       x->end_ps < NA_TIME_MAX / 4;
}

/* A send to nobody knows whom: it is none of the group's collectives. */
static bool no_peer(const struct na_comm *x)
{
	return (x->operation == NA_OPCODE_SEND ||
		x->operation == NA_OPCODE_RECV) &&
	       x->peer < 0;
}

enum na_rank_times na_rank_times_of(const struct na_comm *x)
{
	return x->source == NA_COMM_QUEUED || na_comm_pending(x->source)
		       ? NA_RANK_QUEUED
	       : x->source == NA_COMM_LASTED ? NA_RANK_LASTED
					     : NA_RANK_RAN;
}

static struct na_rank_group group_of(const struct na_ranks *r, uint32_t rank,
				     const struct na_comm *x)
{
	const struct na_rank *k = &r->ranks.v[rank];
	struct na_rank_group g = {.run = k->run,
				  .name = x->group,
				  .src = -1,
				  .dst = -1,
				  .stream = x->stream,
				  .times = (uint8_t)na_rank_times_of(x),
				  .size = x->group_size};

	if (!na_rank_is_pair(x))
		return g;
	g.src = x->operation == NA_OPCODE_SEND ? k->number : x->peer;
	g.dst = x->operation == NA_OPCODE_SEND ? x->peer : k->number;
	g.name = g.stream = NA_UNKNOWN_U32;
	g.size = 2;
	return g;
}

static struct na_triple key_of(const struct na_rank_group *g)
{
	uint32_t run = (g->run * NA_N_RANK_TIMES + g->times) * 3;

	if (g->src >= 0)
		return (struct na_triple){run + 2, (uint32_t)g->src,
					  (uint32_t)g->dst};
	if (g->name != NA_UNKNOWN_U32)
		return (struct na_triple){run, g->name, g->purpose};
	return (struct na_triple){run + 1, g->stream, 0};
}

/* Of names of groups: the one purpose that is told of each; 0: several. */
struct purposes {
	struct na_triples names; /* run, name */
	NA_VEC(uint16_t) of;
};

static bool note_purpose(struct purposes *p, uint32_t run,
			 const struct na_comm *x)
{
	uint32_t at;

	if (!x->purpose || x->group == NA_UNKNOWN_U32)
		return true;
	at = na_triples_add(&p->names, (struct na_triple){run, x->group, 0});
	if (at == NA_NO_TRIPLE ||
	    (at == p->of.n && !na_add(&p->of, x->purpose)))
		return false;
	if (p->of.v[at] != x->purpose)
		p->of.v[at] = 0;
	return true;
}

static uint16_t purpose_of(const struct purposes *p, uint32_t run,
			   const struct na_comm *x)
{
	uint32_t at;

	if (x->purpose || x->group == NA_UNKNOWN_U32)
		return x->purpose;
	at = na_triples_find(&p->names, (struct na_triple){run, x->group, 0});
	return at == NA_NO_TRIPLE ? 0 : p->of.v[at];
}

static bool enter(struct na_ranks *r, struct rank_entry *e, size_t *n)
{
	struct na_triples keys = {0};
	struct purposes purposes = {{0}};
	bool ok = true;

	for (size_t i = 0; ok && i < r->n_comms; i++) {
		uint32_t rank = r->rank_of[r->comms[i].core];

		ok = rank == NA_UNKNOWN_U32 ||
		     note_purpose(&purposes, r->ranks.v[rank].run,
				  &r->comms[i]);
	}
	for (size_t i = 0; ok && i < r->n_comms; i++) {
		const struct na_comm *x = &r->comms[i];
		uint32_t rank = r->rank_of[x->core], at;
		struct na_rank_group g;

		r->group_of[i] = NA_UNKNOWN_U32;
		if (rank == NA_UNKNOWN_U32 || !usable(x) || no_peer(x)) {
			na_ranks_part(r, i, NA_RANK_COUNTS);
			continue;
		}
		if (r->apart[i] == NA_RANK_AGAIN) {
			na_ranks_part(r, i, NA_RANK_AGAIN);
			continue;
		}
		g = group_of(r, rank, x);
		g.purpose = g.src < 0 ? purpose_of(&purposes, g.run, x) : 0;
		at = na_triples_add(&keys, key_of(&g));
		ok = at != NA_NO_TRIPLE &&
		     (at < r->groups.n || na_add(&r->groups, g));
		r->group_of[i] = at;
		e[(*n)++] = (struct rank_entry){i, 0, rank, at};
	}
	na_triples_fini(&keys);
	na_triples_fini(&purposes.names);
	na_vec_free(&purposes.of);
	return ok;
}

NA_ORDER(by_group, struct rank_entry, NA_UP(group), NA_UP(rank), NA_UP(comm))

/* As large on all ranks, but where each has a
 * share of its own. */
static bool same_size(uint8_t operation)
{
	return operation != NA_OPCODE_ALL_TO_ALL &&
	       operation != NA_OPCODE_RAGGED_ALL_TO_ALL &&
	       operation != NA_OPCODE_SEND_RECV && operation != NA_OPCODE_OTHER;
}

static void part_all(struct na_ranks *r, const struct rank_entry *e, size_t n,
		     enum na_rank_apart why)
{
	for (size_t i = 0; i < n; i++)
		na_ranks_part(r, e[i].comm, why);
}

/* Whether [0, n) of one key are each of another rank, and all of them; with
 * the same size, whose larger value is *size. */
static bool fits(struct na_ranks *r, const struct rank_entry *e, size_t n,
		 const struct rank_members *m, uint64_t *size)
{
	const struct na_comm *first = &r->comms[e->comm];
	bool whole = n == m->n, equal = true;

	*size = NA_UNKNOWN_U64;
	for (size_t i = 0; i < n; i++) {
		const struct na_comm *x = &r->comms[e[i].comm];

		whole = whole && e[i].rank == m->v[i];
		if (x->size_bytes == NA_UNKNOWN_U64)
			continue;
		equal = equal &&
			(*size == NA_UNKNOWN_U64 || *size == x->size_bytes);
		if (*size == NA_UNKNOWN_U64 || x->size_bytes > *size)
			*size = x->size_bytes;
	}
	if (whole && (equal || !same_size(first->operation)))
		return true;
	part_all(r, e, n, whole ? NA_RANK_SIZES : NA_RANK_MISSING);
	return false;
}

static bool add_instance(struct na_ranks *r, const struct rank_entry *e,
			 size_t n, enum na_rank_by by, uint64_t size)
{
	const struct na_comm *first = &r->comms[e->comm];
	const struct na_rank_group *g = &r->groups.v[e->group];
	uint32_t at = (uint32_t)r->instances.n;

	if (at == NA_UNKNOWN_U32 || !na_room(&r->parts, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct na_comm *x = &r->comms[e[i].comm];

		r->parts.v[r->parts.n++] =
			(struct na_rank_part){x->start_ps, x->end_ps, e[i].comm,
					      e[i].rank, at};
	}
	return na_add(&r->instances,
		      ((struct na_rank_instance){
			      .from = r->parts.n - n,
			      .to = r->parts.n,
			      .sequence = e->key,
			      .size_bytes = size,
			      .group = e->group,
			      .by = (uint8_t)by,
			      .operation = first->operation,
			      .times = g->times,
			      .synchronous =
				      g->times == NA_RANK_RAN &&
				      na_rank_synchronous(first->operation,
							  g->src >= 0)}));
}

/* Sorted by key, then operation: a group of the same ones. */
static bool same_key(const struct na_ranks *r, const struct rank_entry *a,
		     const struct rank_entry *b, bool pair)
{
	return a->key == b->key &&
	       (pair ||
		r->comms[a->comm].operation == r->comms[b->comm].operation);
}

struct keyed {
	struct rank_entry e;
	uint8_t operation;
};

NA_ORDER(by_operation, struct keyed, NA_UP(e.key), NA_UP(operation),
	 NA_UP(e.rank), NA_UP(e.comm))

/* A communicator that counts each operation by itself uses a number twice. */
static bool sort_keys(const struct na_ranks *r, struct rank_entry *e, size_t n,
		      bool pair)
{
	struct keyed *x = na_calloc(n + 1, sizeof(*x));

	for (size_t i = 0; x && i < n; i++)
		x[i] = (struct keyed){e[i],
				      pair ? 0 : r->comms[e[i].comm].operation};
	na_sort(x, x ? n : 0, by_operation);
	for (size_t i = 0; x && i < n; i++)
		e[i] = x[i].e;
	free(x);
	return x;
}

static bool join_members(struct na_ranks *r, struct rank_entry *e, size_t n,
			 const struct rank_members *m)
{
	struct na_rank_group *g = &r->groups.v[e->group];
	bool pair = g->src >= 0;
	enum na_rank_by by;
	uint64_t size;

	if (!g->size)
		g->size = (uint32_t)m->n;
	if (m->n < 2) {
		part_all(r, e, n, NA_RANK_ALONE);
		return true;
	}
	/* A name that several groups bear is none. */
	if (m->n > g->size) {
		part_all(r, e, n, NA_RANK_COUNTS);
		return true;
	}
	by = na_ranks_keys(r, e, &n, m);
	if (!sort_keys(r, e, n, pair))
		return false;
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i + 1; to < n && same_key(r, &e[i], &e[to], pair);)
			to++;
		if (fits(r, &e[i], to - i, m, &size) &&
		    !add_instance(r, &e[i], to - i, by, size))
			return false;
	}
	return true;
}

static bool join_groups(struct na_ranks *r, struct rank_entry *e, size_t n)
{
	bool ok = true;

	na_sort(e, n, by_group);
	for (size_t i = 0, to; ok && i < n; i = to) {
		struct rank_members m;

		for (to = i; to < n && e[to].group == e[i].group;)
			to++;
		ok = na_ranks_members(r, &e[i], to - i, &m) &&
		     join_members(r, &e[i], to - i, &m);
		free(m.v);
	}
	return ok;
}

static void count(struct na_ranks *r)
{
	for (size_t i = 0; i < r->instances.n; i++) {
		const struct na_rank_instance *x = &r->instances.v[i];

		r->instances_by[x->by]++;
		r->joined[x->by] += x->to - x->from;
		for (size_t k = x->from; k < x->to; k++) {
			r->parts.v[k].instance = (uint32_t)i;
			r->apart[r->parts.v[k].comm] = NA_N_RANK_APARTS;
		}
	}
	for (size_t i = 0; i < r->clocks.n; i++)
		r->clocks_from_ends += r->clocks.v[i].corrected;
}

bool na_ranks_join(struct na_ranks *r)
{
	struct rank_entry *e = na_calloc(r->n_comms + 1, sizeof(*e));
	size_t n = 0;
	bool ok;

	r->group_of = na_calloc(r->n_comms + 1, sizeof(*r->group_of));
	r->apart = na_calloc(r->n_comms + 1, sizeof(*r->apart));
	ok = e && r->group_of && r->apart && na_ranks_table(r) &&
	     na_ranks_again(r) && enter(r, e, &n) && join_groups(r, e, n) &&
	     na_ranks_clocks(r) && na_ranks_measure(r) && na_ranks_roots(r);
	free(e);
	if (ok)
		count(r);
	return ok;
}

void na_ranks_fini(struct na_ranks *r)
{
	na_vec_free(&r->ranks);
	na_vec_free(&r->clocks);
	na_vec_free(&r->groups);
	na_vec_free(&r->parts);
	na_vec_free(&r->instances);
	free(r->rank_of);
	free(r->group_of);
	free(r->apart);
}
