#include "netan/stats/pending.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

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
	bool ends;      /* of the runs; else their starts */
	int64_t lo, hi; /* only times in [lo, hi) */
	size_t *next;   /* [n_runs] */
	struct list *lists;
	size_t n;
	int64_t before; /* how many times lie before lo */
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

/* How many of x are below `at`. */
static size_t below(const int64_t *x, size_t n, int64_t at)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (x[mid] < at)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

static struct list list_of(const struct heap *h, size_t run)
{
	const struct na_run *r = &h->runs[run];
	const int64_t *x = h->ends ? r->ends : r->starts;

	return (struct list){x + below(x, r->n, h->lo),
			     x + below(x, r->n, h->hi), h->next[run]};
}

/* Chain each run to the first list that ends before it; tails[] holds the
 * last time of each list, and its run. */
struct tail {
	int64_t last;
	size_t run;
};

static void chain(struct heap *h, size_t n_runs, struct tail *tails)
{
	for (size_t i = 0; i < n_runs; i++) {
		struct list run;
		size_t k = 0;

		h->next[i] = NO_RUN;
		run = list_of(h, i);
		h->before += run.p -
			     (h->ends ? h->runs[i].ends : h->runs[i].starts);
		if (run.p == run.end)
			continue;
		while (k < h->n && tails[k].last > *run.p)
			k++;
		if (k == h->n)
			h->lists[h->n++].next = i; /* made once chained */
		else
			h->next[tails[k].run] = i;
		tails[k] = (struct tail){run.end[-1], i};
	}
}

static bool heap_init(struct heap *h, const struct na_run *runs, size_t n)
{
	struct tail *tails = na_calloc(n, sizeof(*tails));

	h->runs = runs;
	h->next = na_calloc(n, sizeof(*h->next));
	h->lists = na_calloc(n, sizeof(*h->lists));
	if (!tails || !h->next || !h->lists) {
		free(tails);
		return false;
	}
	chain(h, n, tails);
	for (size_t k = 0; k < h->n; k++)
		h->lists[k] = list_of(h, h->lists[k].next);
	for (size_t i = h->n; i-- > 0;)
		sift(h, i);
	free(tails);
	return true;
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

/* A sweep over time, bin by bin. */
struct sweep {
	int64_t at, level;
	na_i128 border; /* end of bin k */
	size_t k;
	int64_t bin_ps;
	double *out;
};

/* The level holds until `until`. */
static void hold(struct sweep *w, int64_t until)
{
	while (w->border <= w->at) {
		w->border += w->bin_ps;
		w->k++;
	}
	while (w->level > 0 && w->at < until) {
		if (w->out[w->k] < (double)w->level)
			w->out[w->k] = (double)w->level;
		if (w->border >= until)
			break;
		w->border += w->bin_ps;
		w->k++;
	}
	w->at = until;
}

static int64_t clamp_time(na_i128 t)
{
	return t < NA_TIME_MIN   ? NA_TIME_MIN
	       : t > NA_TIME_MAX ? NA_TIME_MAX
				 : (int64_t)t;
}

bool na_pending_max(const struct na_run *runs, size_t n_runs,
		    const struct na_bins *b, size_t from, size_t to,
		    double *out)
{
	na_i128 start = ((na_i128)b->first + (na_i128)from) * b->bin_ps;
	na_i128 end = ((na_i128)b->first + (na_i128)to) * b->bin_ps;
	struct heap starts = {.lo = clamp_time(start), .hi = clamp_time(end)};
	struct heap ends = starts;
	struct sweep w = {.at = starts.lo,
			  .border = start + b->bin_ps,
			  .k = from,
			  .bin_ps = b->bin_ps,
			  .out = out};
	bool ok;

	ends.ends = true;
	ok = heap_init(&starts, runs, n_runs);
	ok = heap_init(&ends, runs, n_runs) && ok;
	memset(out + from, 0, (to - from) * sizeof(*out));
	w.level = starts.before - ends.before;
	while (ok && (starts.n || ends.n)) {
		int64_t next = ends.n ? *ends.lists[0].p : NA_TIME_MAX;

		if (starts.n && *starts.lists[0].p < next)
			next = *starts.lists[0].p;
		hold(&w, next);
		w.level -= drop(&ends, next);
		w.level += drop(&starts, next);
	}
	if (ok && from < to)
		hold(&w, starts.hi);
	heap_fini(&starts);
	heap_fini(&ends);
	return ok;
}
