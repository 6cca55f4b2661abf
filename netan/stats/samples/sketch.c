#include "netan/stats/samples/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

#define GAMMA ((1 + NA_SKETCH_ERROR) / (1 - NA_SKETCH_ERROR))

enum { SPARE = 32 };         /* buckets beside those that are asked for */
enum { FARTHEST = 1 << 17 }; /* buckets from 1 to any double */

void na_sketch_fini(struct na_sketch *s)
{
	free(s->count);
	*s = (struct na_sketch){.count = NULL};
}

/* Room for buckets from ... to, both included. */
static bool cover(struct na_sketch *s, int32_t from, int32_t to)
{
	int32_t last = s->first + (int32_t)s->n - 1;
	uint64_t *count;
	size_t n;

	if (s->n && from >= s->first && to <= last)
		return true;
	if (s->n && s->first < from)
		from = s->first;
	if (s->n && last > to)
		to = last;
	from -= SPARE;
	to += SPARE;
	n = (size_t)(to - from) + 1;
	count = na_calloc(n, sizeof(*count));
	if (!count)
		return false;
	if (s->n)
		memcpy(count + (s->first - from), s->count,
		       s->n * sizeof(*count));
	free(s->count);
	s->count = count;
	s->first = from;
	s->n = n;
	return true;
}

bool na_sketch_add(struct na_sketch *s, double x)
{
	int32_t i;

	if (x > 0) {
		i = (int32_t)ceil(log(x) * (1 / log(GAMMA)));
		if (!cover(s, i, i))
			return false;
		s->count[i - s->first]++;
	} else {
		s->zeros++;
	}
	s->total++;
	return true;
}

bool na_sketch_merge(struct na_sketch *into, const struct na_sketch *from)
{
	if (from->n &&
	    !cover(into, from->first, from->first + (int32_t)from->n - 1))
		return false;
	for (size_t i = 0; i < from->n; i++)
		into->count[from->first - into->first + (int32_t)i] +=
			from->count[i];
	into->zeros += from->zeros;
	into->total += from->total;
	return true;
}

double na_sketch_quantile(const struct na_sketch *s, double p)
{
	uint64_t rank, below = s->zeros;
	size_t i = 0;

	if (!s->total)
		return NAN;
	rank = (uint64_t)floor((double)(s->total - 1) * p);
	if (rank < below)
		return 0;
	while (i + 1 < s->n && (below += s->count[i]) <= rank)
		i++;
	return exp(log(GAMMA) * (s->first + (double)i) + log(2 / (GAMMA + 1)));
}

void na_sketch_pack(const struct na_sketch *s, struct na_serializer *to)
{
	size_t from = 0, n = s->n;

	while (n > 0 && !s->count[n - 1])
		n--;
	while (from < n && !s->count[from])
		from++;
	na_pack_number(to, s->zeros);
	na_pack_number(to, n - from);
	na_pack_signed(to, s->first + (int64_t)from);
	for (; from < n; from++)
		na_pack_number(to, s->count[from]);
}

void na_sketch_unpack(struct na_sketch *s, struct na_deserializer *from)
{
	int64_t first;
	size_t n;

	s->total = s->zeros = na_unpack_tally(from);
	n = na_unpack_count(from);
	first = na_unpack_signed(from);
	na_unpack_must(from, n <= FARTHEST && first >= -FARTHEST &&
				     first <= FARTHEST);
	if (from->failed || !n)
		return;
	s->count = na_calloc(n, sizeof(*s->count));
	na_unpack_must(from, s->count != NULL);
	s->first = (int32_t)first;
	for (; !from->failed && s->n < n; s->n++) {
		s->count[s->n] = na_unpack_tally(from);
		s->total += s->count[s->n];
	}
}
