/* collectives: which devices take part in a row of the data-center network. */
#include <stdlib.h>

#include "netan/analyses/collectives/state.h"

enum { FIRST_SLOTS = 256 };

static bool is(const struct coll_members *m, uint32_t i, uint32_t row,
	       uint32_t endpoint)
{
	return i < m->n && m->v[i].row == row && m->v[i].endpoint == endpoint;
}

/* The slot that holds it, or the free one where it belongs. */
static uint32_t *probe(const struct coll_members *m, uint32_t row,
		       uint32_t endpoint)
{
	uint64_t h = ((uint64_t)row << 32 | endpoint) *
		     UINT64_C(0x9e3779b97f4a7c15);
	size_t i;

	/* Only the high bits of a product are mixed well. */
	h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	i = (size_t)(h >> 32) & (m->n_slots - 1);
	while (m->slots[i] && !is(m, m->slots[i] - 1, row, endpoint))
		i = (i + 1) & (m->n_slots - 1);
	return &m->slots[i];
}

static bool widen(struct coll_members *m)
{
	size_t n = m->n_slots ? m->n_slots * 2 : FIRST_SLOTS;
	uint32_t *slots;

	while (n <= 2 * m->n) /* they were given back */
		n *= 2;
	slots = na_calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	free(m->slots);
	m->slots = slots;
	m->n_slots = n;
	for (size_t i = 0; i < m->n; i++)
		*probe(m, m->v[i].row, m->v[i].endpoint) = (uint32_t)i + 1;
	return true;
}

static struct coll_member *found(struct coll_members *m, uint32_t i)
{
	m->before = m->last;
	m->last = i;
	return &m->v[i];
}

struct coll_member *na_collectives_member(struct coll_members *m, uint32_t row,
					  uint32_t endpoint)
{
	uint32_t *slot;

	if (is(m, m->last, row, endpoint))
		return &m->v[m->last];
	if (is(m, m->before, row, endpoint))
		return found(m, m->before);
	if (m->n >= UINT32_MAX - 1 || (2 * m->n >= m->n_slots && !widen(m)))
		return NULL;
	slot = probe(m, row, endpoint);
	if (*slot)
		return found(m, *slot - 1);
	if (!na_add(m, ((struct coll_member){.row = row,
					     .endpoint = endpoint})))
		return NULL;
	*slot = (uint32_t)m->n;
	return found(m, *slot - 1);
}

bool na_collectives_executes(struct coll_member *m, uint64_t times)
{
	if (times > COLL_EXECUTIONS_MAX - (uint64_t)m->executions)
		return false;
	m->executions = (m->executions + (uint32_t)times) &
			(uint32_t)COLL_EXECUTIONS_MAX;
	return true;
}

void na_collectives_members_fit(struct coll_members *m)
{
	free(m->slots);
	m->slots = NULL;
	m->n_slots = 0;
	na_vec_fit(m);
}

void na_collectives_members_fini(struct coll_members *m)
{
	free(m->v);
	free(m->slots);
	*m = (struct coll_members){.n = 0};
}
