#include "netan/base/serialize.h"

#include <stdlib.h>

#include "netan/base/vec.h"

__extension__ typedef unsigned __int128 u128;

void na_serializer_fini(struct na_serializer *p)
{
	free(p->p);
	*p = (struct na_serializer){.p = NULL};
}

static uint8_t *room(struct na_serializer *p, size_t n)
{
	p->failed = p->failed || n > SIZE_MAX - p->n ||
		    !na_grow(&p->p, &p->cap, p->n + n, 1);
	return p->failed ? NULL : p->p + p->n;
}

void na_pack_number(struct na_serializer *p, uint64_t v)
{
	uint8_t *to = room(p, 1 + sizeof(v));
	size_t n = 0;

	if (!to)
		return;
	for (; v; v >>= 8)
		to[++n] = (uint8_t)v;
	to[0] = (uint8_t)n;
	p->n += 1 + n;
}

void na_pack_signed(struct na_serializer *p, int64_t v)
{
	na_pack_number(p, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

void na_pack_wide(struct na_serializer *p, na_i128 v)
{
	bool fits = v == (int64_t)v;

	/* What does not fit has its upper half in front. */
	na_pack_number(p, !fits);
	if (!fits)
		na_pack_signed(p, (int64_t)(v >> 64));
	na_pack_signed(p, (int64_t)v);
}

void na_unpack_must(struct na_deserializer *p, bool holds)
{
	p->failed |= !holds;
}

static bool there(struct na_deserializer *p, uint64_t n)
{
	na_unpack_must(p, n <= (size_t)(p->end - p->p));
	return !p->failed;
}

uint64_t na_unpack_number(struct na_deserializer *p)
{
	uint64_t v = 0;
	size_t n;

	if (!there(p, 1))
		return 0;
	n = *p->p;
	na_unpack_must(p, n <= sizeof(v));
	if (!there(p, 1 + n))
		return 0;
	for (size_t i = n; i > 0; i--)
		v = v << 8 | p->p[i];
	p->p += 1 + n;
	return v;
}

size_t na_unpack_index(struct na_deserializer *p, uint64_t limit)
{
	uint64_t v = na_unpack_number(p);

	na_unpack_must(p, v < limit);
	return p->failed ? 0 : (size_t)v;
}

size_t na_unpack_count(struct na_deserializer *p)
{
	uint64_t n = na_unpack_number(p);

	return there(p, n) ? (size_t)n : 0;
}

int64_t na_unpack_signed(struct na_deserializer *p)
{
	uint64_t v = na_unpack_number(p);

	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

na_i128 na_unpack_wide(struct na_deserializer *p)
{
	int64_t upper;

	if (!na_unpack_index(p, 2))
		return na_unpack_signed(p);
	upper = na_unpack_signed(p);
	return (na_i128)((u128)upper << 64 | (uint64_t)na_unpack_signed(p));
}

uint64_t na_unpack_tally(struct na_deserializer *p)
{
	return na_unpack_index(p, UINT64_C(1) << 40);
}

na_i128 na_unpack_sum(struct na_deserializer *p)
{
	const na_i128 most = (na_i128)1 << 104;
	na_i128 v = na_unpack_wide(p);

	na_unpack_must(p, v >= 0 && v < most);
	return p->failed ? 0 : v;
}
