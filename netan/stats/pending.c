#include "netan/stats/pending.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void one_digit(const int64_t *x, int64_t *to, size_t n, int64_t low,
		      int shift)
{
	size_t at[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[((uint64_t)x[i] - (uint64_t)low) >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[((uint64_t)x[i] - (uint64_t)low) >> shift &
		      (DIGITS - 1)]++] = x[i];
}

void na_sort_i64(int64_t *x, int64_t *tmp, size_t n)
{
	int64_t low, high, *from = x, *to = tmp, *swap;
	bool sorted = true;

	if (n < 2)
		return;
	low = high = x[0];
	for (size_t i = 1; i < n; i++) {
		sorted &= x[i - 1] <= x[i];
		low = x[i] < low ? x[i] : low;
		high = x[i] > high ? x[i] : high;
	}
	for (int shift = 0;
	     !sorted && shift < 64 && ((uint64_t)high - (uint64_t)low) >> shift;
	     shift += DIGIT_BITS) {
		one_digit(from, to, n, low, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != x)
		memcpy(x, from, n * sizeof(*x));
}

/*
 * The smallest head of many ascending lists: a binary heap.  Runs that
 * follow each other in time are chained to one list first, so that the heap
 * stays as small as the lists really overlap.
 */
struct list {
	const int64_t *p, *end;
	size_t next; /* run behind this one, or NO_RUN */
};
struct heap {
	const struct na_run *runs;
	bool ends;    /* of the runs; else their starts */
	size_t *next; /* [n_runs] */
	struct list *lists;
	size_t n;
};
#define NO_RUN SIZE_MAX

static void sift(struct heap *h, size_t i)
{
	struct list top = h->lists[i];

	for (;;) {
		size_t k = 2 * i + 1;

		if (k + 1 < h->n && *h->lists[k + 1].p < *h->lists[k].p)
			k++;
		if (k >= h->n || *top.p <= *h->lists[k].p)
			break;
		h->lists[i] = h->lists[k];
		i = k;
	}
	h->lists[i] = top;
}

static struct list list_of(const struct heap *h, size_t run)
{
	const struct na_run *r = &h->runs[run];
	const int64_t *x = h->ends ? r->ends : r->starts;

	return (struct list){x, x + r->n, h->next[run]};
}

/* Chain each run to the first list that ends before it; tails[] holds the
 * last run of each list. */
static void chain(struct heap *h, size_t n_runs, size_t *tails, size_t *heads)
{
	for (size_t i = 0; i < n_runs; i++) {
		struct list run = list_of(h, i);
		size_t k = 0;

		h->next[i] = NO_RUN;
		if (!h->runs[i].n)
			continue;
		while (k < h->n && list_of(h, tails[k]).end[-1] > *run.p)
			k++;
		if (k == h->n)
			heads[h->n++] = i;
		else
			h->next[tails[k]] = i;
		tails[k] = i;
	}
}

static bool heap_init(struct heap *h, const struct na_run *runs, size_t n,
		      bool ends)
{
	size_t *tails = na_calloc(n, sizeof(*tails));
	size_t *heads = na_calloc(n, sizeof(*heads));
	bool ok;

	*h = (struct heap){.runs = runs, .ends = ends};
	h->next = na_calloc(n, sizeof(*h->next));
	h->lists = na_calloc(n, sizeof(*h->lists));
	ok = tails && heads && h->next && h->lists;
	if (ok)
		chain(h, n, tails, heads);
	for (size_t i = 0; ok && i < h->n; i++)
		h->lists[i] = list_of(h, heads[i]);
	for (size_t i = ok ? h->n : 0; i-- > 0;)
		sift(h, i);
	free(tails);
	free(heads);
	return ok;
}

static void heap_fini(struct heap *h)
{
	free(h->next);
	free(h->lists);
}

/* Drop all heads equal to `at`; how many there were. */
static int64_t drop(struct heap *h, int64_t at)
{
	int64_t n = 0;

	while (h->n && *h->lists[0].p == at) {
		struct list *top = &h->lists[0];

		n++;
		if (++top->p == top->end) {
			if (top->next != NO_RUN)
				*top = list_of(h, top->next);
			else
				*top = h->lists[--h->n];
		}
		if (h->n)
			sift(h, 0);
	}
	return n;
}

static void raise_bins(const struct na_bins *b, int64_t from, int64_t to,
		       double level, double *out)
{
	na_i128 base = (na_i128)b->first * b->bin_ps;
	na_i128 lo = (na_i128)from - base, hi = (na_i128)to - base - 1;
	na_i128 k0 = lo < 0 ? 0 : lo / b->bin_ps;
	na_i128 k1 = hi < 0 ? -1 : hi / b->bin_ps;

	if (k1 >= (na_i128)b->n)
		k1 = (na_i128)b->n - 1;
	for (na_i128 k = k0; k <= k1; k++) {
		if (out[k] < level)
			out[k] = level;
	}
}

bool na_pending_max(const struct na_run *runs, size_t n_runs,
		    const struct na_bins *b, double *out)
{
	struct heap starts = {.n = 0}, ends = {.n = 0};
	bool ok = heap_init(&starts, runs, n_runs, false) &&
		  heap_init(&ends, runs, n_runs, true);
	int64_t level = 0;

	memset(out, 0, b->n * sizeof(*out));
	while (ok && ends.n) {
		int64_t at = *ends.lists[0].p, until;

		if (starts.n && *starts.lists[0].p < at)
			at = *starts.lists[0].p;
		level -= drop(&ends, at);
		level += drop(&starts, at);
		if (!ends.n)
			break;
		until = *ends.lists[0].p;
		if (starts.n && *starts.lists[0].p < until)
			until = *starts.lists[0].p;
		if (level > 0)
			raise_bins(b, at, until, (double)level, out);
	}
	heap_fini(&starts);
	heap_fini(&ends);
	return ok;
}
