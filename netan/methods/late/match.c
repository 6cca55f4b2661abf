/*
 * Which send is which receive's: the same collective, launch, iteration,
 * source, destination and chunk; where several are alike, in the order of
 * time.
 */
#include <stdlib.h>

#include "netan/base/order.h"
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
	int by = 0;

	for (int i = 0; !by && i < N_KEYS; i++)
		by = NA_CMP(x->key[i], y->key[i]);
	return by;
}

static int compare(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return NA_THEN(by_key(x, y), NA_CMP(x->side, y->side),
		       NA_CMP(x->end_ps, y->end_ps), NA_CMP(x->move, y->move));
}

static struct mark mark_of(const struct la_all *all, uint32_t i)
{
	const struct la_move *m = &all->moves.v[i];
	const struct la_action *a = &all->actions.v[m->action];

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

		all->moves.v[r].peer = s;
		all->moves.v[s].peer = r;
	}
}

bool na_late_match(struct la_all *all)
{
	size_t n = all->moves.n, to;
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
