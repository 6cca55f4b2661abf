#include "netan/stats/sizeline.h"

#include <stdlib.h>

#define SMALL_BYTES 8192.0
#define LARGE_BYTES 131072.0

enum { ENOUGH = 20 };

static int by_bytes(const void *a, const void *b)
{
	const struct na_sized *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Equal values must sum their weights in one order. */
static int by_latency(const void *a, const void *b)
{
	const struct na_sized *x = a, *y = b;

	if (x->latency_us != y->latency_us)
		return x->latency_us > y->latency_us ? 1 : -1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}

/* Of latency_us. */
static double weighted_median(struct na_sized *x, size_t n)
{
	double all = 0, sum = 0;

	qsort(x, n, sizeof(*x), by_latency);
	for (size_t i = 0; i < n; i++)
		all += x[i].weight;
	for (size_t i = 0; i < n; i++) {
		sum += x[i].weight;
		if (sum * 2 >= all)
			return x[i].latency_us;
	}
	return n ? x[n - 1].latency_us : 0;
}

/* How many of x, by size, are at most `bytes`. */
static size_t up_to(const struct na_sized *x, size_t n, double bytes)
{
	size_t k = 0;

	while (k < n && x[k].bytes <= bytes)
		k++;
	return k;
}

static size_t below(const struct na_sized *x, size_t n, double bytes)
{
	size_t k = 0;

	while (k < n && x[k].bytes < bytes)
		k++;
	return k;
}

void na_sizeline_fit(struct na_sized *x, size_t n, struct na_sizeline *line)
{
	size_t small, large, kept = 0;
	double from;

	*line = (struct na_sizeline){0, 0};
	if (!n)
		return;
	qsort(x, n, sizeof(*x), by_bytes);
	small = up_to(x, n, SMALL_BYTES);
	if (small < ENOUGH)
		small = up_to(x, n, x[(n - 1) * 3 / 10].bytes);
	large = below(x, n, LARGE_BYTES);
	if (n - large < ENOUGH)
		large = below(x, n, x[n - 1 - (n - 1) * 3 / 10].bytes);
	from = x[large].bytes; /* before the small ones are reordered */
	line->fixed_us = weighted_median(x, small);
	for (size_t i = 0; i < n; i++) {
		double over = x[i].latency_us - line->fixed_us;

		if (x[i].bytes < from || x[i].bytes <= 0)
			continue;
		x[kept] = x[i];
		x[kept++].latency_us = over > 0 ? over / x[i].bytes : 0;
	}
	line->us_per_byte = weighted_median(x, kept);
}

double na_sizeline_at(const struct na_sizeline *line, double bytes)
{
	double us = line->fixed_us + line->us_per_byte * bytes;

	return us > 1 ? us : 1;
}
