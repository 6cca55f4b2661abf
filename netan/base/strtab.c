#include "netan/base/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

void na_strtab_fini(struct na_strtab *t)
{
	na_arena_fini(&t->arena);
	free(t->names);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}

/* Eight bytes at a time: multiply and fold. */
static uint32_t hash_bytes(const char *s, size_t len)
{
	uint64_t h = len * UINT64_C(0x9e3779b97f4a7c15), x = 0;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&x, s, 8);
		h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	if (len) {
		x = 0;
		memcpy(&x, s, len);
		h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	return (uint32_t)(h ^ h >> 16);
}

static size_t slot_of(const struct na_strtab *t, const char *s, size_t len,
		      uint32_t hash)
{
	size_t i = hash & (t->n_slots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->n_slots - 1)) {
		const struct na_interned *e = &t->names[t->slots[i] - 1];

		if (e->hash == hash && e->len == len &&
		    memcmp(e->s, s, len) == 0)
			break;
	}
	return i;
}

static int rehash(struct na_strtab *t)
{
	size_t n_slots = t->n_slots ? t->n_slots * 2 : 64;
	uint32_t *slots = na_calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -1;
	free(t->slots);
	t->slots = slots;
	t->n_slots = n_slots;
	for (size_t k = 0; k < t->n; k++) {
		size_t i = t->names[k].hash & (n_slots - 1);

		while (slots[i])
			i = (i + 1) & (n_slots - 1);
		slots[i] = (uint32_t)k + 1;
	}
	return 0;
}

uint32_t na_strtab_add(struct na_strtab *t, const char *s, size_t len)
{
	uint32_t hash = hash_bytes(s, len);
	char *copy;
	size_t i;

	if (2 * (t->n + 1) > t->n_slots && rehash(t) < 0)
		return NA_NO_NAME;
	i = slot_of(t, s, len, hash);
	if (t->slots[i])
		return t->slots[i] - 1;
	if (t->n >= UINT32_MAX - 2 || len > UINT32_MAX ||
	    !na_grow(&t->names, &t->cap, t->n + 1, sizeof(*t->names)))
		return NA_NO_NAME;
	copy = na_arena_strn(&t->arena, s, len);
	if (!copy)
		return NA_NO_NAME;
	t->names[t->n] = (struct na_interned){copy, (uint32_t)len, hash};
	t->slots[i] = (uint32_t)++t->n;
	return (uint32_t)t->n - 1;
}

uint32_t na_strtab_find(const struct na_strtab *t, const char *s, size_t len)
{
	size_t i;

	if (!t->n_slots)
		return NA_NO_NAME;
	i = slot_of(t, s, len, hash_bytes(s, len));
	return t->slots[i] ? t->slots[i] - 1 : NA_NO_NAME;
}

const char *na_strtab_at(const struct na_strtab *t, uint32_t name)
{
	return name < t->n ? t->names[name].s : "";
}
