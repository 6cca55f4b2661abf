#include "netan/stats/samples/sample.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

void na_sample_init(struct na_sample *s, size_t size, size_t max)
{
	*s = (struct na_sample){.size = size, .max = max};
}

void na_sample_fini(struct na_sample *s)
{
	free(s->items);
	s->items = NULL;
	s->n = s->cap = 0;
}

static uint64_t hash_of(const unsigned char *item)
{
	uint64_t hash;

	memcpy(&hash, item, sizeof(hash));
	return hash;
}

static void drop_others(struct na_sample *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		const unsigned char *item = s->items + i * s->size;

		if (!na_sample_wants(s, hash_of(item)))
			continue;
		memmove(s->items + kept++ * s->size, item, s->size);
	}
	s->n = kept;
}

bool na_sample_add(struct na_sample *s, const void *item)
{
	if (!na_sample_wants(s, hash_of(item)))
		return true;
	if (!na_grow(&s->items, &s->cap, s->n + 1, s->size))
		return false;
	memcpy(s->items + s->n++ * s->size, item, s->size);
	/* Equal hashes cannot be told apart: they go together, or stay. */
	while (s->n > s->max && s->shift < 63) {
		s->shift++;
		drop_others(s);
	}
	return true;
}

bool na_sample_merge(struct na_sample *into, const struct na_sample *from)
{
	if (from->shift > into->shift) {
		into->shift = from->shift;
		drop_others(into);
	}
	for (size_t i = 0; i < from->n; i++) {
		if (!na_sample_add(into, from->items + i * from->size))
			return false;
	}
	return true;
}
