/* latency: when the links of a host had messages under way, and so what
 * receives waited for. */
#include <stdatomic.h>
#include <stdlib.h>

#include "netan/analyses/latency/state.h"
#include "netan/base/vec.h"

#define ALL_BITS (UINT64_C(1) << 27) /* of all hosts: at most 16 MiB */

/* A millionth of the time is fine enough, and stays in the caches. */
enum { MOST_WORDS = 1 << 14, LEAST_WORDS = 4 };
enum { PAGE_WORDS = 8192 }; /* few enough to find them in the caches */
enum { FEW_WORDS = 16 };    /* to count whenever they are asked */
enum { LEAST_SHIFT = 20 };  /* bins of 2^20 ps and more: about 1 us */

static void clip(struct na_extent *seen, int64_t from_ps, int64_t to_ps)
{
	if (from_ps >= 0 && from_ps < seen->last_ps)
		seen->first_ps = from_ps;
	if (to_ps > seen->first_ps && to_ps < seen->last_ps)
		seen->last_ps = to_ps;
}

/* Over all transfers of all inputs, or the window: bins begin where it does,
 * so that a slice has the same. */
static uint64_t span_of(const struct na_scope *scope, int64_t *first_ps)
{
	const struct na_bound_filter *l = scope->bound;
	const struct na_store *store = scope->store;
	struct na_extent seen = {0};

	for (size_t i = 0; i < store->n_sources; i++)
		na_extent_join(&seen, &store->tallies[i].seen);
	if (l)
		clip(&seen, l->filter->from_ps, l->filter->to_ps);
	if (l && l->filter->first_step >= 0)
		clip(&seen, l->steps_from_ps, l->steps_to_ps);
	*first_ps = seen.first_ps;
	return (uint64_t)seen.last_ps - (uint64_t)seen.first_ps;
}

bool na_latency_busy_init(struct latency_busy *b, const struct na_scope *scope)
{
	const struct na_store *store = scope->store;
	uint64_t span = span_of(scope, &b->first_ps);
	size_t words = ALL_BITS / 64 / (2 * store->n_hosts + 1);

	if (words > MOST_WORDS)
		words = MOST_WORDS;
	if (words < LEAST_WORDS)
		words = LEAST_WORDS;
	for (b->shift = LEAST_SHIFT; span >> b->shift >= words * 64;)
		b->shift++;
	b->words = (size_t)(span >> b->shift) / 64 + 1;
	b->n_pages = 2 * store->n_hosts * b->words / PAGE_WORDS + 1;
	b->pages = na_calloc(b->n_pages, sizeof(*b->pages));
	return b->pages;
}

void na_latency_busy_fini(struct latency_busy *b)
{
	for (size_t i = 0; b->pages && i < b->n_pages; i++)
		free((void *)(uintptr_t)atomic_load(&b->pages[i]));
	free((void *)(uintptr_t)b->pages);
	free(b->before);
}

/* Blocks mark side by side: who comes second takes the other's page. */
static latency_bits *make_page(const struct latency_busy *b, size_t page)
{
	latency_bits *made = na_calloc(PAGE_WORDS, sizeof(*made)),
		     *known = NULL;

	if (!made ||
	    atomic_compare_exchange_strong(&b->pages[page], &known, made))
		return made;
	free((void *)(uintptr_t)made);
	return known;
}

/* A word for writing; NULL: no memory. */
static latency_bits *word_for(const struct latency_busy *b, size_t at)
{
	latency_bits *page = atomic_load_explicit(&b->pages[at / PAGE_WORDS],
						  memory_order_acquire);

	if (!page)
		page = make_page(b, at / PAGE_WORDS);
	return page ? page + at % PAGE_WORDS : NULL;
}

static uint64_t word_at(const struct latency_busy *b, size_t at)
{
	latency_bits *page = atomic_load_explicit(&b->pages[at / PAGE_WORDS],
						  memory_order_acquire);

	return page ? atomic_load_explicit(&page[at % PAGE_WORDS],
					   memory_order_relaxed)
		    : 0;
}

static size_t bin_of(const struct latency_busy *b, int64_t ps)
{
	size_t bin = (size_t)(((uint64_t)ps - (uint64_t)b->first_ps) >>
			      b->shift);

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

/* Most bits are set already. */
static bool flush(const struct latency_busy *b, size_t direction,
		  struct latency_word *p)
{
	latency_bits *bits;

	if (!p->mask)
		return true;
	bits = word_for(b, direction * b->words + p->at);
	if (!bits)
		return false;
	if (~atomic_load_explicit(bits, memory_order_relaxed) & p->mask)
		atomic_fetch_or_explicit(bits, p->mask, memory_order_relaxed);
	p->mask = 0;
	return true;
}

static bool mark(const struct latency_busy *b, size_t direction,
		 struct latency_word *p, size_t from, size_t to)
{
	for (size_t w = from / 64; w <= to / 64; w++) {
		if (w != p->at && !flush(b, direction, p))
			return false;
		p->at = w;
		p->mask |= mask_of(w, from, to);
	}
	return true;
}

bool na_latency_busy_count(struct latency_busy *b, size_t n_hosts)
{
	if (b->words <= FEW_WORDS)
		return true;
	b->before = na_calloc(2 * n_hosts, b->words * sizeof(*b->before));
	for (size_t d = 0; b->before && d < 2 * n_hosts; d++) {
		uint32_t set = 0;

		for (size_t w = d * b->words; w < (d + 1) * b->words; w++) {
			b->before[w] = set;
			set += (uint32_t)__builtin_popcountll(word_at(b, w));
		}
	}
	return b->before;
}

/* Bins of a direction that were busy, before this one. */
static uint64_t busy_before(const struct latency_busy *b, size_t direction,
			    size_t bin)
{
	size_t first = direction * b->words, at = first + bin / 64;
	uint64_t mask = (UINT64_C(1) << bin % 64) - 1, n;

	n = (uint64_t)__builtin_popcountll(word_at(b, at) & mask);
	if (b->before)
		return n + b->before[at];
	for (; first < at; first++)
		n += (uint64_t)__builtin_popcountll(word_at(b, first));
	return n;
}

/* How much of [start, end) was busy, to the resolution of a bin; 0 where it
 * is shorter than that. */
static int64_t busy_during(const struct latency_busy *b, size_t direction,
			   int64_t start_ps, int64_t end_ps)
{
	size_t from = bin_of(b, start_ps) + 1, to = bin_of(b, end_ps);
	uint64_t set;
	double ps;

	/* Whole bins between: the message's own begins in the last one. */
	if (to <= from)
		return 0;
	set = busy_before(b, direction, to) - busy_before(b, direction, from);
	ps = (double)set / (double)(to - from) *
	     ((double)end_ps - (double)start_ps);
	return ps < 0x1p63 ? (int64_t)ps : INT64_MAX;
}

void na_latency_directions(const struct latency_state *s,
			   const struct na_transfer *t, size_t direction[2])
{
	const struct na_store *store = s->scope->store;
	uint32_t run = store->sources[t->input].run;
	uint32_t src = na_store_host_of(store, run, t->src);
	uint32_t dst = na_store_host_of(store, run, t->dst);

	direction[0] = src < store->n_hosts ? src : SIZE_MAX;
	direction[1] = dst < store->n_hosts ? store->n_hosts + dst : SIZE_MAX;
}

void na_latency_parts_of(const struct latency_state *s,
			 const struct na_transfer *t, int64_t action_ps,
			 int64_t latency_ps, struct latency_parts *p)
{
	int64_t wire_ps = action_ps < latency_ps ? action_ps : latency_ps;
	int64_t posted_ps;
	size_t direction[2];

	*p = (struct latency_parts){action_ps, latency_ps, wire_ps, 0};
	if (action_ps == wire_ps ||
	    !na_add_i64(t->end_ps, -action_ps, &posted_ps))
		return;
	na_latency_directions(s, t, direction);
	for (size_t i = 0; i < 2; i++) {
		int64_t ps = direction[i] == SIZE_MAX
				     ? 0
				     : busy_during(&s->main->busy, direction[i],
						   posted_ps, t->start_ps);

		p->queued_ps = ps > p->queued_ps ? ps : p->queued_ps;
	}
}

bool na_latency_mark(struct latency_state *s, const struct na_transfer *t)
{
	const struct latency_busy *b = &s->main->busy;
	size_t from = bin_of(b, t->start_ps), to = bin_of(b, t->end_ps);
	size_t direction[2];

	na_latency_directions(s, t, direction);
	for (size_t i = 0; i < 2; i++) {
		struct latency_word *p;

		if (direction[i] == SIZE_MAX)
			continue;
		p = na_sparse_at(&s->marked, direction[i]);
		if (!p || !mark(b, direction[i], p, from, to))
			return false;
	}
	return true;
}

bool na_latency_marked(struct latency_state *s)
{
	size_t n = s->marked.pages ? 2 * s->scope->store->n_hosts : 0;

	na_each_sparse(i, &s->marked, n)
	{
		if (!flush(&s->main->busy, i, na_sparse_at(&s->marked, i)))
			return false;
	}
	return true;
}

void na_latency_split_add(struct latency_split *x,
			  const struct latency_parts *p, int64_t slow_ps)
{
	int64_t network_ps;

	if (!na_add_i64(p->wire_ps, p->queued_ps, &network_ps))
		network_ps = INT64_MAX;
	x->n++;
	x->action_ps += p->action_ps;
	x->latency_ps += p->latency_ps;
	x->wire_ps += p->wire_ps;
	x->queued_ps += p->queued_ps;
	x->unposted_ps += p->latency_ps - p->wire_ps;
	if (p->action_ps <= slow_ps)
		return;
	x->slow++;
	x->slow_network += network_ps >= p->action_ps - network_ps;
}

void na_latency_split_merge(struct latency_split *to,
			    const struct latency_split *from)
{
	to->n += from->n;
	to->slow += from->slow;
	to->slow_network += from->slow_network;
	to->action_ps += from->action_ps;
	to->wire_ps += from->wire_ps;
	to->queued_ps += from->queued_ps;
	to->latency_ps += from->latency_ps;
	to->unposted_ps += from->unposted_ps;
}

/* ---- for other processes: runs of bits that are set, and what is between */

void na_latency_busy_pack(const struct latency_state *s,
			  struct na_serializer *to)
{
	const struct latency_busy *b = &s->busy;
	size_t words = 2 * s->scope->store->n_hosts * b->words;
	size_t from = 0, end = 0; /* of the run; of the one before */
	bool open = false;

	for (size_t w = 0; w < words; w++) {
		uint64_t x = word_at(b, w), next;
		unsigned at = 0;

		while ((next = (open ? ~x : x) >> at) != 0) {
			at += (unsigned)__builtin_ctzll(next);
			open = !open;
			if (open) {
				from = w * 64 + at;
				continue;
			}
			na_pack_number(to, w * 64 + at - from);
			na_pack_number(to, from - end);
			end = w * 64 + at;
		}
	}
	if (open) {
		na_pack_number(to, words * 64 - from);
		na_pack_number(to, from - end);
	}
	na_pack_number(to, 0);
}

void na_latency_busy_unpack(struct latency_state *s,
			    struct na_deserializer *from)
{
	const struct latency_busy *b = &s->busy;
	size_t left = 2 * s->scope->store->n_hosts * b->words * 64, at = 0, n;

	while ((n = na_unpack_index(from, left + 1)) > 0) {
		at += na_unpack_index(from, left - n + 1);
		if (from->failed)
			return;
		for (size_t w = at / 64; w <= (at + n - 1) / 64; w++) {
			latency_bits *bits = word_for(b, w);

			na_unpack_must(from, bits != NULL);
			if (!bits)
				return;
			atomic_fetch_or_explicit(bits,
						 mask_of(w, at, at + n - 1),
						 memory_order_relaxed);
		}
		at += n;
		left = 2 * s->scope->store->n_hosts * b->words * 64 - at;
	}
}
