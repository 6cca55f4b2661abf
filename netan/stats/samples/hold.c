#include "netan/stats/samples/hold.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

__extension__ typedef unsigned __int128 u128;

/* Room for the levels [base, base + n), as much again towards `level`. */
static bool reach(struct na_hold *h, int64_t level)
{
	int64_t base = h->base, end = h->base + (int64_t)h->n;
	uint64_t *ps;

	if (!h->n) {
		base = level;
		end = level + 1;
	} else if (level < base) {
		base = level < (int64_t)h->n ? 0 : level - (int64_t)h->n;
	} else {
		end = level + 1 + (int64_t)h->n;
	}
	ps = na_calloc((size_t)(end - base), sizeof(*ps));
	if (!ps)
		return false;
	if (h->n)
		memcpy(ps + (h->base - base), h->ps, h->n * sizeof(*ps));
	free(h->ps);
	*h = (struct na_hold){ps, base, (size_t)(end - base)};
	return true;
}

bool na_hold_add(struct na_hold *h, int64_t level, uint64_t ps)
{
	if (!ps)
		return true;
	if ((!h->n || level < h->base || level - h->base >= (int64_t)h->n) &&
	    !reach(h, level))
		return false;
	h->ps[level - h->base] += ps;
	return true;
}

bool na_hold_merge(struct na_hold *into, const struct na_hold *from)
{
	for (size_t i = from->n; i-- > 0;) {
		if (!na_hold_add(into, from->base + (int64_t)i, from->ps[i]))
			return false;
	}
	return true;
}

void na_hold_fini(struct na_hold *h)
{
	free(h->ps);
	*h = (struct na_hold){NULL, 0, 0};
}

uint64_t na_hold_between(const struct na_hold *h, int64_t from, int64_t to)
{
	int64_t end = h->base + (int64_t)h->n;
	uint64_t sum = 0;

	from = from < h->base ? h->base : from;
	to = to > end ? end : to;
	for (int64_t level = from; level < to; level++)
		sum += h->ps[level - h->base];
	return sum;
}

uint64_t na_hold_total(const struct na_hold *h)
{
	return na_hold_between(h, h->base, h->base + (int64_t)h->n);
}

/* The smallest level up to which the time adds up to a share of percent /
 * 100, decided in integers. */
static int64_t quantile(const struct na_hold *h, uint64_t total,
			unsigned percent)
{
	uint64_t sum = 0;
	size_t i = 0;

	for (; i + 1 < h->n; i++) {
		sum += h->ps[i];
		if ((u128)sum * 100 >= (u128)total * percent)
			break;
	}
	return h->base + (int64_t)i;
}

bool na_hold_read(const struct na_hold *h, struct na_hold_stats *out)
{
	uint64_t total = na_hold_total(h);
	double square = 0;
	u128 sum = 0;

	if (!total)
		return false;
	*out = (struct na_hold_stats){.max = h->base + (int64_t)h->n - 1};
	while (!h->ps[out->max - h->base])
		out->max--;
	for (size_t i = 0; i < h->n; i++)
		sum += (u128)h->ps[i] * (uint64_t)(h->base + (int64_t)i);
	out->mean = (double)sum / (double)total;
	for (size_t i = 0; i < h->n; i++) {
		double d = (double)(h->base + (int64_t)i) - out->mean;

		square += d * d * (double)h->ps[i];
	}
	out->variance = square / (double)total;
	out->idle = (double)na_hold_between(h, 0, 1) / (double)total;
	out->p50 = quantile(h, total, 50);
	out->p90 = quantile(h, total, 90);
	out->p99 = quantile(h, total, 99);
	return true;
}
