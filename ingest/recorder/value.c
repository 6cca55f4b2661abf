#include "ingest/recorder/value.h"

#include "netan/base/vec.h"

/* Few pages: each is zeroed for each file. */
enum { BLOCK = 1 << 15 };

void na_dump_store_fini(struct na_dump_store *s)
{
	na_arena_fini(&s->arena);
	s->p = s->end = NULL;
}

void *na_dump_alloc_past(struct na_dump_store *s, size_t size)
{
	if (size > BLOCK / 8)
		return na_arena_alloc(&s->arena, size);
	s->begin = na_arena_alloc(&s->arena, BLOCK);
	s->p = s->begin ? s->begin + size : NULL;
	s->end = s->begin ? s->begin + BLOCK : NULL;
	return s->begin;
}

bool na_dump_append(struct na_dump_store *s, struct na_dump_list *l,
		    const struct na_dump_value *v, size_t n)
{
	if (!n)
		return true;
	if (n > UINT32_MAX / 4 - l->n)
		return false;
	if (l->n + n > l->cap) {
		size_t cap = l->n ? 2 * (l->n + n) : n;
		struct na_dump_value *to = na_dump_alloc(s, cap * sizeof(*to));

		if (!to)
			return false;
		if (l->n)
			memcpy(to, l->v, l->n * sizeof(*to));
		l->v = to;
		l->cap = (uint32_t)cap;
	}
	memcpy(l->v + l->n, v, n * sizeof(*v));
	l->n += (uint32_t)n;
	return true;
}

const struct na_dump_value *na_dump_get(const struct na_dump_value *dict,
					const char *key)
{
	const struct na_dump_list *l = na_dump_items(dict, NA_DUMP_DICT);

	for (size_t i = l ? l->n : 0; i >= 2; i -= 2) {
		if (na_text_is(na_dump_text(&l->v[i - 2]), key))
			return &l->v[i - 1];
	}
	return NULL;
}

bool na_dump_digits(const struct na_dump_value *v, int64_t *x)
{
	struct na_text text = na_dump_text(v);
	bool minus = na_text_past(&text, "-");
	uint64_t u;

	if (!na_text_number(text, &u) || u > INT64_MAX)
		return false;
	*x = minus ? -(int64_t)u : (int64_t)u;
	return true;
}
