#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/world.h"

struct moves {
	NA_VEC(struct sy_move) list;
	bool ok;
};

static void move(struct moves *m, uint32_t src, uint32_t dst, uint32_t phase,
		 bool reduces)
{
	struct sy_move one = {(uint8_t)src, (uint8_t)dst, reduces,
			      (uint16_t)phase};

	m->ok = m->ok && na_add(&m->list, one);
}

static void ring(struct moves *m, uint32_t n, uint32_t from, uint32_t phases,
		 bool backward, bool reduces)
{
	for (uint32_t p = 0; p < phases; p++)
		for (uint32_t r = 0; r < n; r++)
			move(m, r, (backward ? r + n - 1 : r + 1) % n, from + p,
			     reduces);
}

static void all(struct moves *m, uint32_t n, uint32_t phase, bool reduces)
{
	for (uint32_t d = 1; d < n; d++)
		for (uint32_t r = 0; r < n; r++)
			move(m, r, (r + d) % n, phase, reduces);
}

/* Rank r's parent is (r - 1) / 2; a rank sends up in the phase of its height
 * and down in that of its depth. */
static void tree(struct moves *m, uint32_t n)
{
	uint32_t levels = 0;

	while ((UINT32_C(1) << levels) < n + 1)
		levels++;
	for (uint32_t r = 1; r < n; r++) {
		uint32_t depth = 0;

		while ((UINT32_C(2) << depth) <= r + 1)
			depth++;
		move(m, r, (r - 1) / 2, levels - 1 - depth, true);
		move(m, (r - 1) / 2, r, levels - 2 + depth, false);
	}
}

static void draw_pattern(struct moves *m, enum sy_pattern pattern, uint32_t n)
{
	switch (pattern) {
	case SY_RING_GATHER:
		ring(m, n, 0, n - 1, false, false);
		break;
	case SY_RING_SCATTER:
		ring(m, n, 0, n - 1, false, true);
		break;
	case SY_RING_REDUCE:
		ring(m, n, 0, n - 1, false, true);
		ring(m, n, n - 1, n - 1, false, false);
		break;
	case SY_BIRING_GATHER:
		ring(m, n, 0, n / 2, false, false);
		ring(m, n, 0, (n - 1) / 2, true, false);
		break;
	case SY_TREE_REDUCE:
		tree(m, n);
		break;
	case SY_DIRECT_GATHER:
	case SY_ALL_TO_ALL:
		all(m, n, 0, false);
		break;
	case SY_DIRECT_REDUCE:
		all(m, n, 0, true);
		all(m, n, 1, false);
		break;
	case SY_NEXT:
		for (uint32_t r = 0; r + 1 < n; r++)
			move(m, r, r + 1, 0, false);
		break;
	case SY_ACROSS:
	case SY_PATTERNS:
		for (uint32_t r = 0; r < n; r++)
			move(m, r, (r + n / 2) % n, 0, false);
		break;
	}
}

/* Where each (rank, phase) begins; `at` counts, then fills. */
static uint32_t *slots(const struct sy_program *p, bool by_source)
{
	uint32_t stride = p->n_phases + 1, total = 0;
	uint32_t *at = na_calloc((size_t)p->n_ranks * stride + 1, sizeof(*at));

	if (!at)
		return NULL;
	for (uint32_t i = 0; i < p->n_moves; i++) {
		const struct sy_move *m = &p->moves[i];

		at[(by_source ? m->src : m->dst) * stride + m->phase]++;
	}
	for (uint32_t i = 0; i < p->n_ranks * stride; i++) {
		uint32_t n = at[i];

		at[i] = total;
		total += n;
	}
	return at;
}

/* The moves by (rank, phase), in the order in which they were given: a
 * counting sort.  order[place] is a move. */
static bool sort(const struct sy_program *p, const uint32_t *at, bool by_source,
		 uint32_t *order)
{
	uint32_t stride = p->n_phases + 1;
	uint32_t *used = na_calloc((size_t)p->n_ranks * stride, sizeof(*used));

	if (!used)
		return false;
	for (uint32_t i = 0; i < p->n_moves; i++) {
		const struct sy_move *m = &p->moves[i];
		uint32_t cell = (by_source ? m->src : m->dst) * stride +
				m->phase;

		order[at[cell] + used[cell]++] = i;
	}
	free(used);
	return true;
}

static bool index_moves(struct sy_program *p, struct sy_move *given)
{
	uint32_t *order = na_calloc(p->n_moves, sizeof(*order));
	bool ok;

	p->moves = given;
	p->send_from = slots(p, true);
	p->recv_from = slots(p, false);
	p->recvs = na_calloc(p->n_moves, sizeof(*p->recvs));
	p->moves = na_calloc(p->n_moves, sizeof(*p->moves));
	ok = order && p->send_from && p->recv_from && p->recvs && p->moves;
	if (ok) {
		struct sy_program unsorted = *p;

		unsorted.moves = given;
		ok = sort(&unsorted, p->send_from, true, order);
		for (uint32_t i = 0; ok && i < p->n_moves; i++)
			p->moves[i] = given[order[i]];
		ok = ok && sort(p, p->recv_from, false, p->recvs);
	}
	free(order);
	return ok;
}

bool sy_program_make(struct sy_program *p, enum sy_pattern pattern,
		     uint32_t n_ranks)
{
	struct moves m = {.ok = true};
	bool ok;

	*p = (struct sy_program){.n_ranks = n_ranks};
	draw_pattern(&m, pattern, n_ranks);
	p->n_moves = (uint32_t)m.list.n;
	for (size_t i = 0; i < m.list.n; i++)
		if (m.list.v[i].phase + UINT32_C(1) > p->n_phases)
			p->n_phases = m.list.v[i].phase + UINT32_C(1);
	ok = m.ok && m.list.n > 0 && index_moves(p, m.list.v);
	na_vec_free(&m.list);
	return ok;
}

void sy_program_fini(struct sy_program *p)
{
	free(p->moves);
	free(p->send_from);
	free(p->recv_from);
	free(p->recvs);
	*p = (struct sy_program){0};
}
