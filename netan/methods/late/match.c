/*
 * Which send is which receive's: the same collective, launch, iteration,
 * source, destination and chunk; where several are alike, in the order of
 * time.
 */
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/late/state.h"

struct mark {
	uint32_t key[7]; /* run, collective, launch, iteration, src, dst,
			    chunk */
	int64_t end_ps;
	uint32_t move;
	uint8_t side;
};

enum { N_KEYS = sizeof(((struct mark *)NULL)->key) / sizeof(uint32_t) };

static int by_key(const struct mark *x, const struct mark *y)
{
	for (int i = 0; i < N_KEYS; i++) {
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	int d = by_key(x, y);

	if (d)
		return d;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->end_ps != y->end_ps)
		return x->end_ps < y->end_ps ? -1 : 1;
	return x->move < y->move ? -1 : x->move > y->move;
}

static struct mark mark_of(const struct la_all *all, uint32_t i)
{
	const struct la_move *m = &all->moves[i];
	const struct la_action *a = &all->actions[m->action];

	return (struct mark){{all->store->sources[a->host].run, a->collective,
			      a->launch, a->iteration, m->src, m->dst,
			      (uint32_t)m->chunk},
			     a->end_ps,
			     i,
			     m->side};
}

/* Equally many of both: the first receive is of the first send. */
static void join(struct la_all *all, const struct mark *m, size_t n)
{
	size_t received = 0, half = n / 2;

	while (received < n && m[received].side == NA_RX)
		received++;
	if (2 * received != n)
		return;
	for (size_t i = 0; i < half; i++) {
		uint32_t r = m[i].move, s = m[half + i].move;

		all->moves[r].peer = s;
		all->moves[s].peer = r;
	}
}

bool la_match(struct la_all *all)
{
	size_t n = all->n_moves, to;
	struct mark *m = na_calloc(n, sizeof(*m));

	if (!m)
		return false;
	for (uint32_t i = 0; i < n; i++)
		m[i] = mark_of(all, i);
	na_sort(m, n, compare);
	for (size_t from = 0; from < n; from = to) {
		for (to = from + 1; to < n && by_key(&m[from], &m[to]) == 0;)
			to++;
		join(all, m + from, to - from);
	}
	free(m);
	return true;
}
