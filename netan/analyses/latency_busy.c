/* latency: when the links of a host had messages under way. */
#include <stdatomic.h>
#include <stdlib.h>

#include "netan/analyses/latency.h"
#include "netan/base/vec.h"

#define ALL_BITS  (UINT64_C(1) << 27) /* of all hosts: 16 MiB */
#define LEAST_BIN NA_PS_PER_US

enum { MOST_WORDS = 1 << 18, LEAST_WORDS = 4 };

bool lat_busy_init(struct lat_busy *b, size_t hosts, int64_t first_ps,
		   int64_t last_ps)
{
	uint64_t span = (uint64_t)last_ps - (uint64_t)first_ps, bins;

	b->words = ALL_BITS / 64 / (2 * hosts + 1);
	if (b->words > MOST_WORDS)
		b->words = MOST_WORDS;
	if (b->words < LEAST_WORDS)
		b->words = LEAST_WORDS;
	bins = b->words * 64;
	b->first_ps = first_ps;
	b->bin_ps = (int64_t)(span / bins) + 1;
	if (b->bin_ps < LEAST_BIN)
		b->bin_ps = LEAST_BIN;
	b->words = (size_t)(span / (uint64_t)b->bin_ps / 64) + 1;
	b->bits = na_calloc(2 * hosts, b->words * sizeof(*b->bits));
	return b->bits;
}

static size_t bin_of(const struct lat_busy *b, int64_t ps)
{
	uint64_t at = (uint64_t)ps - (uint64_t)b->first_ps;
	size_t bin = (size_t)(at / (uint64_t)b->bin_ps);

	if (ps <= b->first_ps)
		return 0;
	return bin < b->words * 64 ? bin : b->words * 64 - 1;
}

/* Bits from ... to of word w, both included. */
static uint64_t mask_of(size_t w, size_t from, size_t to)
{
	uint64_t mask = UINT64_MAX;

	if (from > w * 64)
		mask <<= from - w * 64;
	if (to < w * 64 + 63)
		mask &= UINT64_MAX >> (w * 64 + 63 - to);
	return mask;
}

void lat_busy_mark(const struct lat_busy *b, size_t direction, int64_t start_ps,
		   int64_t end_ps)
{
	_Atomic uint64_t *bits = b->bits + direction * b->words;
	size_t from = bin_of(b, start_ps), to = bin_of(b, end_ps);

	for (size_t w = from / 64; w <= to / 64; w++) {
		uint64_t mask = mask_of(w, from, to);

		/* Most are set already. */
		if (~atomic_load_explicit(&bits[w], memory_order_relaxed) &
		    mask)
			atomic_fetch_or_explicit(&bits[w], mask,
						 memory_order_relaxed);
	}
}

int64_t lat_busy_during(const struct lat_busy *b, size_t direction,
			int64_t start_ps, int64_t end_ps)
{
	const _Atomic uint64_t *bits = b->bits + direction * b->words;
	size_t from = bin_of(b, start_ps) + 1, to = bin_of(b, end_ps);
	uint64_t set = 0;

	/* Whole bins between: the message's own begins in the last one. */
	if (to <= from)
		return 0;
	for (size_t w = from / 64; w <= (to - 1) / 64; w++)
		set += (uint64_t)__builtin_popcountll(
			atomic_load_explicit(&bits[w], memory_order_relaxed) &
			mask_of(w, from, to - 1));
	return (int64_t)((double)set / (double)(to - from) *
			 ((double)end_ps - (double)start_ps));
}
