#include "ingest/tcp/rtt.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"

enum { LOW_BITS = 5 }; /* NA_RTT_PARTS parts; below 64 ns one for each ns */

struct na_rtt_page {
	struct na_rtt_page *next;
	int32_t octave; /* EXACT: samples, not counts */
	uint32_t used;  /* samples of an exact page */
	union {
		uint32_t count[NA_RTT_PARTS];
		int64_t exact[NA_RTT_EXACT];
	};
};

enum { EXACT = -1 };

static struct na_rtt_page *take(struct na_rtt_pages *b, int32_t octave)
{
	struct na_rtt_page *p = b->free;

	if (p) {
		b->free = p->next;
	} else {
		if (b->used >= b->most)
			return NULL;
		p = malloc(sizeof(*p));
		if (!p)
			return NULL;
		b->used++;
	}
	memset(p, 0, sizeof(*p));
	p->octave = octave;
	return p;
}

static void give(struct na_rtt_pages *b, struct na_rtt_page *p)
{
	p->next = b->free;
	b->free = p;
}

void na_rtt_pages_fini(struct na_rtt_pages *b)
{
	while (b->free) {
		struct na_rtt_page *p = b->free;

		b->free = p->next;
		free(p);
		b->used--;
	}
}

void na_rtt_fini(struct na_rtt *r, struct na_rtt_pages *b)
{
	while (r->paged && r->pages) {
		struct na_rtt_page *p = r->pages;

		r->pages = p->next;
		give(b, p);
	}
	memset(r, 0, sizeof(*r));
}

static int32_t octave_of(int64_t x, unsigned *part)
{
	int top = 63 - __builtin_clzll((uint64_t)x | 1);
	int shift = top > LOW_BITS ? top - LOW_BITS : 0;
	uint64_t v = (uint64_t)x >> shift;

	*part = (unsigned)(v % NA_RTT_PARTS);
	return (int32_t)((unsigned)shift + (v >= NA_RTT_PARTS));
}

/* The middle of a bucket. */
static int64_t value_of(int32_t octave, unsigned part)
{
	int shift;

	if (octave == 0)
		return part;
	shift = octave - 1;
	return ((int64_t)(part + NA_RTT_PARTS) << shift) +
	       (shift ? (int64_t)1 << (shift - 1) : 0);
}

/* Count x, in the page of its octave, which goes to the front. */
static bool count(struct na_rtt *r, struct na_rtt_pages *b, int64_t x)
{
	unsigned part;
	int32_t octave = octave_of(x, &part);
	struct na_rtt_page **at = &r->pages, *p;

	while (*at && (*at)->octave != octave)
		at = &(*at)->next;
	p = *at;
	if (p)
		*at = p->next;
	else
		p = take(b, octave);
	if (!p)
		return false;
	p->next = r->pages;
	r->pages = p;
	p->count[part] += p->count[part] != UINT32_MAX;
	return true;
}

/* The exact page is full: its samples become counts. */
static void spread(struct na_rtt *r, struct na_rtt_pages *b)
{
	struct na_rtt_page *full = r->pages;
	int64_t x[NA_RTT_EXACT];
	uint32_t n = full->used;

	memcpy(x, full->exact, sizeof(x));
	r->pages = NULL;
	give(b, full);
	for (uint32_t i = 0; i < n; i++)
		b->dropped += !count(r, b, x[i]);
}

static bool first_page(struct na_rtt *r, struct na_rtt_pages *b)
{
	struct na_rtt_page *p = take(b, EXACT);

	if (!p)
		return false;
	p->used = NA_RTT_OWN;
	memcpy(p->exact, r->own, sizeof(r->own));
	r->pages = p;
	r->paged = true;
	return true;
}

void na_rtt_add(struct na_rtt *r, struct na_rtt_pages *b, int64_t x)
{
	r->min_ns = r->n == 0 || x < r->min_ns ? x : r->min_ns;
	if (r->n < NA_RTT_OWN) {
		r->own[r->n++] = x;
		return;
	}
	r->n += r->n != UINT32_MAX;
	if (!r->paged && !first_page(r, b)) {
		b->dropped++;
		return;
	}
	if (r->pages && r->pages->octave == EXACT) {
		if (r->pages->used < NA_RTT_EXACT) {
			r->pages->exact[r->pages->used++] = x;
			return;
		}
		spread(r, b);
	}
	b->dropped += !count(r, b, x);
}

static uint64_t rank_of(uint64_t n, double p)
{
	double k = ceil(p * (double)n);

	return k < 1 ? 0 : k > (double)n ? n - 1 : (uint64_t)k - 1;
}

static int64_t exact_quantile(const int64_t *v, size_t n, double p)
{
	int64_t x[NA_RTT_EXACT];

	memcpy(x, v, n * sizeof(*x));
	na_sort(x, n, na_order_i64);
	return x[rank_of(n, p)];
}

/* The page of the lowest octave from `from` on. */
static const struct na_rtt_page *lowest(const struct na_rtt *r, int32_t from)
{
	const struct na_rtt_page *best = NULL;

	for (const struct na_rtt_page *p = r->pages; p; p = p->next)
		if (p->octave >= from && (!best || p->octave < best->octave))
			best = p;
	return best;
}

int64_t na_rtt_quantile(const struct na_rtt *r, double p)
{
	const struct na_rtt_page *g;
	uint64_t total = 0, rank, before = 0;

	if (r->n == 0)
		return -1;
	if (!r->paged)
		return exact_quantile(r->own,
				      r->n < NA_RTT_OWN ? r->n : NA_RTT_OWN, p);
	if (r->pages && r->pages->octave == EXACT)
		return exact_quantile(r->pages->exact, r->pages->used, p);
	for (g = r->pages; g; g = g->next)
		for (unsigned i = 0; i < NA_RTT_PARTS; i++)
			total += g->count[i];
	rank = rank_of(total, p);
	for (g = lowest(r, 0); g; g = lowest(r, g->octave + 1)) {
		for (unsigned i = 0; i < NA_RTT_PARTS; i++) {
			before += g->count[i];
			if (before > rank) {
				int64_t x = value_of(g->octave, i);

				return x < r->min_ns ? r->min_ns : x;
			}
		}
	}
	return r->min_ns; /* no page was to be had */
}

static void above(int64_t x, uint64_t n, int64_t least, uint64_t *count,
		  int64_t *sum)
{
	int64_t all;

	if (x <= least || n == 0)
		return;
	*count += n;
	if (__builtin_mul_overflow(x, (int64_t)n, &all) ||
	    __builtin_add_overflow(*sum, all, sum))
		*sum = INT64_MAX;
}

uint64_t na_rtt_above(const struct na_rtt *r, int64_t ns, int64_t *sum_ns)
{
	const struct na_rtt_page *g = r->paged ? r->pages : NULL;
	uint64_t count = 0;

	*sum_ns = 0;
	for (uint32_t i = 0; !r->paged && i < r->n && i < NA_RTT_OWN; i++)
		above(r->own[i], 1, ns, &count, sum_ns);
	for (; g; g = g->next) {
		for (uint32_t i = 0; g->octave == EXACT && i < g->used; i++)
			above(g->exact[i], 1, ns, &count, sum_ns);
		for (unsigned i = 0; g->octave != EXACT && i < NA_RTT_PARTS;
		     i++)
			above(value_of(g->octave, i), g->count[i], ns, &count,
			      sum_ns);
	}
	return count;
}
