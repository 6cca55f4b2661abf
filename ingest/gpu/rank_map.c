#include "ingest/gpu/rank_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

static int by_text(struct na_text a, struct na_text b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.s, b.s, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

const struct na_comm_rank *na_comm_rank_of(const struct na_input *in,
					   struct na_text group)
{
	size_t n = in->n_comm_ranks;
	size_t at = NA_BOUND(i, 0, n,
			     by_text(in->comm_ranks[i].group, group) >= 0);

	return at < n && na_text_same(in->comm_ranks[at].group, group)
		       ? &in->comm_ranks[at]
		       : NULL;
}

int32_t na_comm_rank_job(const struct na_comm_rank *x, int64_t rank)
{
	size_t at;

	if (rank < 0 || rank >= x->size)
		return -1;
	if (x->world)
		return (int32_t)rank;
	at = NA_BOUND(i, 0, x->n_taken, x->taken[i].rank >= rank);
	return at < x->n_taken && x->taken[at].rank == rank ? x->taken[at].job
							    : -1;
}

bool na_comm_rank_add(struct na_input *in, struct na_text group, int32_t rank,
		      int32_t size)
{
	size_t n = in->n_comm_ranks, at;
	struct na_comm_rank *more;

	if (n == NA_COMM_RANKS_MAX || na_comm_rank_of(in, group))
		return true;
	/* Room is doubled. */
	if (!(n & (n - 1))) {
		more = na_arena_alloc(&in->arena,
				      (n ? 2 * n : 1) * sizeof(*more));
		if (!more)
			return false;
		if (n)
			memcpy(more, in->comm_ranks, n * sizeof(*more));
		in->comm_ranks = more;
	}
	at = NA_BOUND(i, 0, n, by_text(in->comm_ranks[i].group, group) >= 0);
	memmove(&in->comm_ranks[at + 1], &in->comm_ranks[at],
		(n - at) * sizeof(*in->comm_ranks));
	in->comm_ranks[at] = (struct na_comm_rank){.group = group,
						   .rank = rank,
						   .size = size};
	in->n_comm_ranks++;
	return true;
}

/* ---- ranks of all inputs, by communicator */

struct place {
	struct na_comm_rank *member;
	size_t input;
};

struct places {
	NA_VEC(struct place);
};

NA_ORDER(by_member, struct place, by_text(x->member->group, y->member->group),
	 NA_CMP(x->member->rank, y->member->rank), NA_UP(input))

/* How many from i on are of its communicator. */
static size_t same_group(const struct places *p, size_t i)
{
	size_t n = 1;

	while (i + n < p->n &&
	       na_text_same(p->v[i].member->group, p->v[i + n].member->group))
		n++;
	return n;
}

static bool gather(struct na_input *const *v, size_t n, struct places *to)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < v[i]->n_comm_ranks; k++) {
			if (!na_add(to,
				    ((struct place){&v[i]->comm_ranks[k], i})))
				return false;
		}
	}
	na_sort(to->v, to->n, by_member);
	return true;
}

/* ---- processes */

struct process {
	const struct na_input *in;
	size_t input;
	int32_t number;
};

static int by_process(const void *first, const void *second)
{
	const struct process *a = first, *b = second;
	int order = na_natural_order(a->in->host, b->in->host);

	if (!order)
		order = strcmp(a->in->host, b->in->host);
	if (!order && a->in->pid != b->in->pid)
		order = a->in->pid < b->in->pid ? -1 : 1;
	/* Of one that is not told, its file stands for it. */
	if (!order && a->in->pid < 0)
		order = strcmp(a->in->path, b->in->path);
	return order;
}

static int by_input(const void *first, const void *second)
{
	const struct process *a = first, *b = second;

	return a->input < b->input ? -1 : a->input > b->input;
}

/* Numbers them by host and process id; how many there are. */
static size_t number(struct na_input *const *v, size_t n, struct process *to)
{
	int32_t count = 0;

	for (size_t i = 0; i < n; i++)
		to[i] = (struct process){v[i], i, 0};
	na_sort(to, n, by_process);
	for (size_t i = 0; i < n; i++) {
		count += i && by_process(&to[i - 1], &to[i]) != 0;
		to[i].number = count;
	}
	na_sort(to, n, by_input);
	return (size_t)count + 1;
}

/* ---- the communicator of the whole job */

/* Is every process in it, each as another rank?  A process may be there
 * twice; who holds both inputs refuses that. */
static bool is_whole(const struct place *p, size_t n, const struct process *of,
		     size_t n_processes)
{
	size_t ranks = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i].member->size != p->member->size)
			return false;
		if (i && p[i].member->rank == p[i - 1].member->rank &&
		    of[p[i].input].number != of[p[i - 1].input].number)
			return false;
		ranks += !i || p[i].member->rank != p[i - 1].member->rank;
	}
	return ranks == n_processes;
}

static bool same_ranks(const struct place *a, size_t n, const struct place *b,
		       size_t n_b)
{
	if (n != n_b)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (a[i].input != b[i].input ||
		    a[i].member->rank != b[i].member->rank)
			return false;
	}
	return true;
}

/* Where it begins in `p`; SIZE_MAX: there is none, or several as large ones
 * tell other ranks. */
static size_t find_world(const struct places *p, const struct process *of,
			 size_t n_processes)
{
	size_t found = SIZE_MAX, n_found = 0;
	bool doubt = false;

	for (size_t i = 0, n; i < p->n; i += n) {
		int32_t size = p->v[i].member->size;

		n = same_group(p, i);
		if ((n_found && size < p->v[found].member->size) ||
		    !is_whole(p->v + i, n, of, n_processes))
			continue;
		if (n_found && size == p->v[found].member->size) {
			doubt |= !same_ranks(p->v + i, n, p->v + found,
					     n_found);
			continue;
		}
		found = i;
		n_found = n;
		doubt = false;
	}
	return doubt ? SIZE_MAX : found;
}

/* ---- what they are in the job */

static bool list_ranks(struct na_comm_rank *x, struct na_arena *a)
{
	enum { RANK_BYTES = 11 };
	size_t most = (size_t)x->size * RANK_BYTES, n = 0;
	int32_t *ranks;
	char *text;

	if (x->size > NA_COMM_RANKS_LISTED ||
	    (!x->world && x->n_taken != (size_t)x->size))
		return true;
	ranks = na_calloc((size_t)x->size, sizeof(*ranks));
	text = na_arena_alloc(a, most + 1);
	for (int32_t i = 0; ranks && i < x->size; i++)
		ranks[i] = x->world ? i : x->taken[i].job;
	na_sort(ranks, ranks ? (size_t)x->size : 0, na_order_i32);
	for (int32_t i = 0; ranks && text && i < x->size; i++)
		n += (size_t)snprintf(text + n, most + 1 - n, "%s%d",
				      i ? "," : "", (int)ranks[i]);
	x->list = na_text_n(text, ranks && text ? n : 0);
	free(ranks);
	return ranks && text;
}

/* The n ranks of one communicator. */
static bool settle_group(const struct place *p, size_t n,
			 struct na_input *const *v, bool world,
			 struct na_arena *a)
{
	struct na_job_rank *taken = na_arena_alloc(a, n * sizeof(*taken));
	size_t n_taken = 0;

	if (!taken)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct na_job_rank t = {p[i].member->rank, v[p[i].input]->rank};

		if (!n_taken || taken[n_taken - 1].rank != t.rank)
			taken[n_taken++] = t;
	}
	for (size_t i = 0; i < n; i++) {
		struct na_comm_rank *x = p[i].member;

		x->world = world;
		x->taken = taken;
		x->n_taken = n_taken;
		x->list = (struct na_text){NULL, 0};
		if (i && x->size == p->member->size)
			x->list = p->member->list;
		else if (!list_ranks(x, a))
			return false;
	}
	return true;
}

NA_ORDER(by_list, struct place, by_text(x->member->list, y->member->list),
	 NA_UP(input))

/* Communicators of the same ranks; a head's input is where it begins in p. */
static void number_twins(struct place *heads, size_t n, const struct places *p)
{
	na_sort(heads, n, by_list);
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i + 1;
		     to < n && na_text_same(heads[i].member->list,
					    heads[to].member->list);)
			to++;
		for (size_t k = i; k < to && to - i > 1; k++) {
			size_t at = heads[k].input, end = at;

			for (end += same_group(p, at); at < end; at++)
				p->v[at].member->twin = (uint16_t)(k - i + 1);
		}
	}
}

static void place_ranks(struct na_input *const *v, size_t n,
			const struct places *p, size_t world,
			const struct process *of)
{
	for (size_t i = 0; i < n; i++) {
		v[i]->rank = of[i].number;
		v[i]->world_size = -1;
	}
	if (world == SIZE_MAX)
		return;
	for (size_t i = world, k = same_group(p, world); k-- > 0; i++) {
		v[p->v[i].input]->rank = p->v[i].member->rank;
		v[p->v[i].input]->world_size = p->v[i].member->size;
	}
}

static bool settle_groups(const struct places *p, struct na_input *const *v,
			  size_t world, struct na_arena *a)
{
	struct places heads = {0};
	bool ok = true;

	for (size_t i = 0, n; ok && i < p->n; i += n) {
		n = same_group(p, i);
		ok = settle_group(p->v + i, n, v, i == world, a) &&
		     (!p->v[i].member->list.n ||
		      na_add(&heads, ((struct place){p->v[i].member, i})));
	}
	if (ok)
		number_twins(heads.v, heads.n, p);
	na_vec_free(&heads);
	return ok;
}

bool na_rank_map_known(struct na_input *const *v, size_t n, struct na_arena *a)
{
	struct places p = {0};
	bool ok = gather(v, n, &p) && settle_groups(&p, v, SIZE_MAX, a);

	na_vec_free(&p);
	return ok;
}

bool na_rank_map_settle(struct na_input *const *v, size_t n, struct na_arena *a,
			bool *stand_in)
{
	struct process *of = na_calloc(n, sizeof(*of));
	struct places p = {0};
	size_t world = SIZE_MAX;
	bool ok = of && gather(v, n, &p);

	if (ok) {
		world = find_world(&p, of, number(v, n, of));
		place_ranks(v, n, &p, world, of);
	}
	ok = ok && settle_groups(&p, v, world, a);
	*stand_in = ok && world == SIZE_MAX;
	na_vec_free(&p);
	free(of);
	return ok;
}
