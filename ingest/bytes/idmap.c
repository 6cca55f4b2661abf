#include "ingest/bytes/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { DENSE_MAX = 1 << 20, DENSE_SLACK = 4096 };

void na_idmap_fini(struct na_idmap *m)
{
	free(m->dense);
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

static size_t slot_of(const struct na_idmap *m, int64_t id)
{
	uint64_t h = (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(h >> 20) & (m->n_slots - 1);

	while (m->slots[i].index1 && m->slots[i].id != id)
		i = (i + 1) & (m->n_slots - 1);
	return i;
}

static bool grow_slots(struct na_idmap *m)
{
	struct na_idslot *old = m->slots;
	size_t n_old = m->n_slots;

	m->n_slots = n_old ? n_old * 2 : 64;
	m->slots = na_calloc(m->n_slots, sizeof(*m->slots));
	if (!m->slots) {
		m->slots = old;
		m->n_slots = n_old;
		return false;
	}
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].index1)
			m->slots[slot_of(m, old[i].id)] = old[i];
	}
	free(old);
	return true;
}

/* Dense as long as the table stays in proportion to the ids in it. */
static bool grow_dense(struct na_idmap *m, uint64_t id, uint32_t index)
{
	size_t n = m->n_dense ? m->n_dense : 64;
	uint32_t *dense;

	if (id >= DENSE_MAX || id > 4 * (uint64_t)index + DENSE_SLACK)
		return false;
	while (n <= id)
		n *= 2;
	dense = realloc(m->dense, n * sizeof(*dense));
	if (!dense)
		return false;
	memset(dense + m->n_dense, 0, (n - m->n_dense) * sizeof(*dense));
	m->dense = dense;
	m->n_dense = n;
	/* What went to the hash before the table reached it moves over. */
	for (size_t i = 0; i < m->n_slots; i++) {
		struct na_idslot *s = &m->slots[i];

		if (s->index1 && (uint64_t)s->id < n)
			dense[s->id] = s->index1;
	}
	return true;
}

bool na_idmap_set(struct na_idmap *m, int64_t id, uint32_t index)
{
	size_t i;

	if ((uint64_t)id < m->n_dense || grow_dense(m, (uint64_t)id, index)) {
		m->dense[id] = index + 1;
		return true;
	}
	if (2 * (m->used + 1) > m->n_slots && !grow_slots(m))
		return false;
	i = slot_of(m, id);
	m->used += !m->slots[i].index1;
	m->slots[i] = (struct na_idslot){id, index + 1};
	return true;
}

uint32_t na_idmap_hashed(const struct na_idmap *m, int64_t id)
{
	return m->slots[slot_of(m, id)].index1 - 1;
}
