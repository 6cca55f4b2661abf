#include "netan/stats/time/bursts.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

static uint64_t length(const struct na_burst *b)
{
	return (uint64_t)b->to_ps - (uint64_t)b->from_ps;
}

NA_ORDER(longer_first, struct na_burst, NA_CMP(length(y), length(x)),
	 NA_UP(from_ps))

NA_ORDER(earlier_first, struct na_burst, NA_UP(from_ps))

static void prune(struct na_bursts *b)
{
	na_sort(b->longest.v, b->longest.n, longer_first);
	b->longest.n = b->keep;
}

/* A burst that nothing can be joined to any more. */
static bool settle_burst(struct na_bursts *b, const struct na_burst *x)
{
	if (!b->keep)
		return true;
	if (!na_add(&b->longest, *x))
		return false;
	if (b->longest.n == 2 * b->keep)
		prune(b);
	return true;
}

static bool joins(const struct na_bursts *b, int64_t from_ps)
{
	return b->n && (na_i128)from_ps - b->last.to_ps <= b->gap_ps;
}

static bool open_burst(struct na_bursts *b, const struct na_burst *x)
{
	if (b->n == 1)
		b->first = b->last;
	else if (b->n && !settle_burst(b, &b->last))
		return false;
	if (b->distances &&
	    !na_grow(&b->starts, &b->cap_starts, b->n + 1, sizeof(*b->starts)))
		return false;
	if (b->distances)
		b->starts[b->n] = x->from_ps;
	b->last = *x;
	b->n++;
	return true;
}

static void extend(struct na_bursts *b, const struct na_burst *x)
{
	b->last.to_ps = x->to_ps;
	if (x->peak > b->last.peak)
		b->last.peak = x->peak;
}

static bool put(struct na_bursts *b, const struct na_burst *x)
{
	if (!joins(b, x->from_ps))
		return open_burst(b, x);
	extend(b, x);
	return true;
}

bool na_bursts_add(struct na_bursts *b, int64_t from_ps, int64_t to_ps,
		   int64_t level)
{
	struct na_burst x = {from_ps, to_ps, level};

	b->busy_ps += length(&x);
	return put(b, &x);
}

void na_bursts_fit(struct na_bursts *b)
{
	na_fit(&b->starts, &b->cap_starts, b->n, sizeof(*b->starts));
}

/* The bursts of `next` between its first and its last. */
static bool take_inner(struct na_bursts *b, const struct na_bursts *next)
{
	size_t inner = next->n - 2;

	if (b->n == 1)
		b->first = b->last;
	else if (!settle_burst(b, &b->last))
		return false;
	for (size_t i = 0; i < next->longest.n; i++) {
		if (!settle_burst(b, &next->longest.v[i]))
			return false;
	}
	if (b->distances && !na_grow(&b->starts, &b->cap_starts,
				     b->n + inner + 1, sizeof(*b->starts)))
		return false;
	for (size_t i = 0; b->distances && i <= inner; i++)
		b->starts[b->n + i] = next->starts[1 + i];
	b->n += inner + 1;
	b->last = next->last;
	return true;
}

bool na_bursts_join(struct na_bursts *b, const struct na_bursts *next)
{
	b->busy_ps += next->busy_ps;
	if (!next->n)
		return true;
	if (next->n == 1)
		return put(b, &next->last);
	return put(b, &next->first) && take_inner(b, next);
}

bool na_bursts_end(struct na_bursts *b, size_t *n)
{
	*n = 0;
	if (!b->n || !b->keep)
		return true;
	if (!settle_burst(b, &b->last) ||
	    (b->n > 1 && !settle_burst(b, &b->first)))
		return false;
	if (b->longest.n > b->keep)
		prune(b);
	na_sort(b->longest.v, b->longest.n, earlier_first);
	*n = b->longest.n;
	return true;
}

enum { DIGIT_BITS = 10, DIGITS = 1 << DIGIT_BITS, TOP_SHIFT = 60 };

/* The k-th smallest, from 0: digit by digit from the top, in place. */
static uint64_t kth(const int64_t *x, size_t n, size_t k)
{
	uint64_t prefix = 0, mask = 0;

	for (int shift = TOP_SHIFT; shift >= 0; shift -= DIGIT_BITS) {
		size_t count[DIGITS] = {0}, d = 0;

		for (size_t i = 0; i < n; i++) {
			uint64_t v = (uint64_t)x[i];

			if (((v ^ prefix) & mask) == 0)
				count[v >> shift & (DIGITS - 1)]++;
		}
		while (k >= count[d])
			k -= count[d++];
		prefix |= (uint64_t)d << shift;
		mask |= (uint64_t)(DIGITS - 1) << shift;
	}
	return prefix;
}

double na_bursts_period(struct na_bursts *b)
{
	size_t n = b->n - 1;
	int64_t *x = b->starts;

	if (b->n < 2 || !b->distances)
		return NAN;
	for (size_t i = 0; i < n; i++)
		x[i] = (int64_t)((uint64_t)x[i + 1] - (uint64_t)x[i]);
	if (n % 2)
		return (double)kth(x, n, n / 2);
	return ((double)kth(x, n, n / 2 - 1) + (double)kth(x, n, n / 2)) / 2;
}

void na_bursts_fini(struct na_bursts *b)
{
	free(b->longest.v);
	free(b->starts);
	b->longest.v = NULL;
	b->starts = NULL;
}
