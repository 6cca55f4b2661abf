#include "netan/base/triples.h"

#include <stdlib.h>

#include "netan/base/vec.h"

enum { FIRST_SLOTS = 256, PAGE_BYTES = 4096 };

/* Multiplicative: only the high bits of a product are mixed well. */
static size_t slot_of(const struct na_triples *t, struct na_triple k)
{
	uint64_t h = ((uint64_t)k.a << 32 | k.b) * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 29 ^ k.c) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(h >> 32) & (t->n_slots - 1);
}

/* The slot that holds the key, or the free one where it belongs. */
static uint32_t *probe(const struct na_triples *t, struct na_triple k)
{
	size_t i = slot_of(t, k);

	for (;; i = (i + 1) & (t->n_slots - 1)) {
		const struct na_triple *at;

		if (!t->slots[i])
			return &t->slots[i];
		at = &t->keys[t->slots[i] - 1];
		if (at->a == k.a && at->b == k.b && at->c == k.c)
			return &t->slots[i];
	}
}

/* Where a key belongs that is not there: no other key is looked at. */
static uint32_t *free_slot(const struct na_triples *t, struct na_triple k)
{
	size_t i = slot_of(t, k);

	while (t->slots[i])
		i = (i + 1) & (t->n_slots - 1);
	return &t->slots[i];
}

/* A page that is read before it is written is mapped twice, and the second
 * time all processors are told. */
static void touch(volatile uint32_t *slots, size_t n)
{
	for (size_t i = 0; i < n; i += PAGE_BYTES / sizeof(*slots))
		slots[i] = 0;
}

static int widen(struct na_triples *t)
{
	size_t n = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS;
	uint32_t *slots = na_calloc(n, sizeof(*slots));

	if (!slots)
		return 0;
	touch(slots, n);
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	for (size_t i = 0; i < t->n; i++)
		*free_slot(t, t->keys[i]) = (uint32_t)i + 1;
	return 1;
}

static int holds(const struct na_triples *t, uint32_t i, struct na_triple k)
{
	return i < t->n && t->keys[i].a == k.a && t->keys[i].b == k.b &&
	       t->keys[i].c == k.c;
}

static uint32_t found(struct na_triples *t, uint32_t i)
{
	t->before = t->last;
	t->last = i;
	return i;
}

uint32_t na_triples_add(struct na_triples *t, struct na_triple key)
{
	uint32_t *slot;

	if (holds(t, t->last, key))
		return t->last;
	if (holds(t, t->before, key))
		return found(t, t->before);
	if (t->n >= NA_NO_TRIPLE - 1 || (2 * t->n >= t->n_slots && !widen(t)))
		return NA_NO_TRIPLE;
	slot = probe(t, key);
	if (*slot)
		return found(t, *slot - 1);
	if (!na_grow(&t->keys, &t->cap, t->n + 1, sizeof(*t->keys)))
		return NA_NO_TRIPLE;
	t->keys[t->n++] = key;
	*slot = (uint32_t)t->n;
	return found(t, *slot - 1);
}

void na_triples_expect(const struct na_triples *t, struct na_triple key)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[slot_of(t, key)], 1);
}

uint32_t na_triples_find(const struct na_triples *t, struct na_triple key)
{
	return t->slots ? *probe(t, key) - 1 : NA_NO_TRIPLE;
}

void na_triples_fit(struct na_triples *t)
{
	free(t->slots);
	t->slots = NULL;
	t->n_slots = 0;
	na_fit(&t->keys, &t->cap, t->n, sizeof(*t->keys));
}

void na_triples_fini(struct na_triples *t)
{
	free(t->keys);
	free(t->slots);
	*t = (struct na_triples){.keys = NULL};
}
