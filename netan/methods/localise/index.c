/* Who is beside whom: rows, columns, reverse paths, classes; shares. */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"

void *na_lz_take(struct lz_memory *m, size_t n, size_t size)
{
	void *p = n > SIZE_MAX / size ? NULL
				      : na_arena_alloc(&m->arena, n * size);

	m->failed |= !p;
	return p;
}

static void side_init(struct lz *z, struct lz_index *x, bool row)
{
	const struct na_lz_input *in = z->in;
	const struct na_lz_pair *p = in->pairs;

	x->first = na_lz_take(&z->memory, in->n_hosts + 2, sizeof(*x->first));
	x->list = na_lz_take(&z->memory, in->n_pairs, sizeof(*x->list));
	if (z->memory.failed)
		return;
	/* Counted two further on, so that filling in leaves it right. */
	for (size_t i = 0; i < in->n_pairs; i++) {
		if (p[i].n)
			x->first[(row ? p[i].src : p[i].dst) + 2]++;
	}
	for (size_t h = 0; h < in->n_hosts; h++)
		x->first[h + 1] += x->first[h];
	for (size_t i = 0; i < in->n_pairs; i++) {
		uint32_t h = row ? p[i].src : p[i].dst;

		if (p[i].n)
			x->list[x->first[h + 1]++] = (uint32_t)i;
	}
}

uint32_t na_lz_find_pair(const struct lz *z, uint32_t src, uint32_t dst)
{
	const uint32_t *list = z->row.list;
	const struct na_lz_pair *pairs = z->in->pairs;
	size_t end = z->row.first[src + 1];
	size_t at = NA_BOUND(i, z->row.first[src], end,
			     pairs[list[i]].dst >= dst);

	return at < end && pairs[list[at]].dst == dst ? list[at] : NA_LZ_NONE;
}

size_t na_lz_distinct(uint32_t *x, size_t n)
{
	size_t m = 0;

	na_sort(x, n, na_order_u32);
	for (size_t i = 0; i < n; i++) {
		if (!m || x[i] != x[m - 1])
			x[m++] = x[i];
	}
	return m;
}

/* Classes are any numbers; dense ones keep their order. */
static bool number_classes(struct lz *z)
{
	size_t n = z->in->n_pairs, m;
	uint32_t *all = na_calloc(n, sizeof(*all));

	if (!all)
		return false;
	for (size_t i = 0; i < n; i++)
		all[i] = z->in->pairs[i].locality;
	m = na_lz_distinct(all, n);
	z->n_classes = m;
	if (m > 1)
		z->class_of = na_lz_take(&z->memory, n, sizeof(*z->class_of));
	for (size_t i = 0; z->class_of && i < n; i++) {
		const uint32_t *at = bsearch(&z->in->pairs[i].locality, all, m,
					     sizeof(*all), na_order_u32);

		z->class_of[i] = (uint32_t)(at - all);
	}
	free(all);
	return !z->memory.failed;
}

static void put_reverse(struct lz *z, size_t pair)
{
	const struct na_lz_pair *p = &z->in->pairs[pair];
	uint32_t back = na_lz_find_pair(z, p->dst, p->src);
	size_t n = z->in->n_pairs;

	if (back == NA_LZ_NONE)
		return;
	if (!z->reverse) {
		z->reverse = na_lz_take(&z->memory, n, sizeof(*z->reverse));
		for (size_t i = 0; z->reverse && i < n; i++)
			z->reverse[i] = NA_LZ_NONE;
	}
	if (z->reverse)
		z->reverse[pair] = back;
}

bool na_lz_index_pairs(struct lz *z)
{
	const struct na_lz_input *in = z->in;
	struct lz_memory *m = &z->memory;

	side_init(z, &z->row, true);
	side_init(z, &z->col, false);
	if (m->failed || !number_classes(z))
		return false;
	for (size_t i = 0; i < in->n_pairs; i++) {
		const struct na_lz_pair *p = &in->pairs[i];

		if (!p->n)
			continue;
		z->pairs++;
		if (p->n > z->max_n)
			z->max_n = p->n;
		if (p->src != p->dst)
			put_reverse(z, i);
	}
	for (uint32_t h = 0; h < in->n_hosts; h++)
		z->hosts += lz_degree(&z->row, h) || lz_degree(&z->col, h);
	return !m->failed;
}

void na_lz_fini(struct lz *z)
{
	na_arena_fini(&z->memory.arena);
	for (size_t i = 0; i < z->found.n; i++) {
		free(z->found.v[i].windows);
		free(z->found.v[i].alternatives);
	}
	free(z->found.v);
	free(z->tails.v);
	free(z->base.context);
}

void na_lz_share(size_t n, size_t share, size_t *from, size_t *to)
{
	*from = n / LZ_SHARES * share + n % LZ_SHARES * share / LZ_SHARES;
	share++;
	*to = n / LZ_SHARES * share + n % LZ_SHARES * share / LZ_SHARES;
}

enum na_status na_lz_shares(const struct lz *z,
			    void (*job)(void *arg, size_t share), void *arg,
			    struct na_err *err)
{
	if (z->opt->parallel) {
		if (!z->opt->parallel(z->opt->parallel_ctx, LZ_SHARES, job,
				      arg))
			return na_fail_nomem(err);
		return NA_OK;
	}
	for (size_t i = 0; i < LZ_SHARES; i++)
		job(arg, i);
	return NA_OK;
}

struct each_pair {
	const struct lz *z;
	void (*job)(void *arg, size_t p, struct lz_room *room);
	void *arg;
	bool failed[LZ_SHARES];
};

static void do_share(void *arg, size_t share)
{
	struct each_pair *e = arg;
	struct lz_room room;
	size_t from, to, most = 0;

	na_lz_share(e->z->in->n_pairs, share, &from, &to);
	for (size_t p = from; p < to; p++) {
		if (e->z->in->pairs[p].n > most)
			most = e->z->in->pairs[p].n;
	}
	room.x = na_calloc(most, sizeof(*room.x));
	room.tmp = na_calloc(most, sizeof(*room.tmp));
	e->failed[share] = !room.x || !room.tmp;
	for (size_t p = from; p < to && !e->failed[share]; p++)
		e->job(e->arg, p, &room);
	free(room.x);
	free(room.tmp);
}

enum na_status na_lz_each_pair(const struct lz *z,
			       void (*job)(void *arg, size_t p,
					   struct lz_room *room),
			       void *arg, struct na_err *err)
{
	struct each_pair e = {.z = z, .job = job, .arg = arg};
	enum na_status s = na_lz_shares(z, do_share, &e, err);

	for (size_t i = 0; s == NA_OK && i < LZ_SHARES; i++) {
		if (e.failed[i])
			s = na_fail_nomem(err);
	}
	return s;
}
