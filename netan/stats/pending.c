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

/* Whether the first list has to give way. */
static bool passed(const struct heap *h)
{
	const struct list *l = h->lists;

	return (h->n > 1 && *l[1].p < *l[0].p) ||
	       (h->n > 2 && *l[2].p < *l[0].p);
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
		if (passed(h))
			sift(h, 0);
	}
	return n;
}

struct na_walk {
	struct heap starts, ends;
	int64_t level;
};

struct na_walk *na_walk_new(const struct na_run *runs, size_t n_runs,
			    int64_t lo, int64_t hi, int64_t *level)
{
	struct na_walk *w = na_calloc(1, sizeof(*w));
	bool ok;

	if (!w)
		return NULL;
	w->starts.lo = w->ends.lo = lo;
	w->starts.hi = w->ends.hi = hi;
	w->ends.ends = true;
	ok = heap_init(&w->starts, runs, n_runs);
	ok = heap_init(&w->ends, runs, n_runs) && ok;
	if (!ok) {
		na_walk_free(w);
		return NULL;
	}
	w->level = w->starts.before - w->ends.before;
	*level = w->level;
	return w;
}

bool na_walk_next(struct na_walk *w, struct na_instant *out)
{
	const struct heap *s = &w->starts, *e = &w->ends;

	if (!s->n && !e->n)
		return false;
	out->at = e->n ? *e->lists[0].p : *s->lists[0].p;
	if (s->n && *s->lists[0].p < out->at)
		out->at = *s->lists[0].p;
	out->ends = drop(&w->ends, out->at);
	out->starts = drop(&w->starts, out->at);
	w->level += out->starts - out->ends;
	out->level = w->level;
	return true;
}

void na_walk_free(struct na_walk *w)
{
	if (!w)
		return;
	heap_fini(&w->starts);
	heap_fini(&w->ends);
	free(w);
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

void na_bins_time(const struct na_bins *b, size_t from, size_t to, int64_t *lo,
		  int64_t *hi)
{
	*lo = clamp_time(((na_i128)b->first + (na_i128)from) * b->bin_ps);
	*hi = clamp_time(((na_i128)b->first + (na_i128)to) * b->bin_ps);
}

bool na_pending_max(const struct na_run *runs, size_t n_runs,
		    const struct na_bins *b, size_t from, size_t to,
		    double *out)
{
	na_i128 start = ((na_i128)b->first + (na_i128)from) * b->bin_ps;
	struct sweep w = {.border = start + b->bin_ps,
			  .k = from,
			  .bin_ps = b->bin_ps,
			  .out = out};
	struct na_instant i;
	struct na_walk *walk;
	int64_t hi;

	na_bins_time(b, from, to, &w.at, &hi);
	walk = na_walk_new(runs, n_runs, w.at, hi, &w.level);
	memset(out + from, 0, (to - from) * sizeof(*out));
	while (walk && na_walk_next(walk, &i)) {
		hold(&w, i.at);
		w.level = i.level;
	}
	if (walk && from < to)
		hold(&w, hi);
	na_walk_free(walk);
	return walk != NULL;
}
