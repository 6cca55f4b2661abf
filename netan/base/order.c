#include "netan/base/order.h"

#include <stdbool.h>
#include <string.h>

#define PLAIN(name, type) \
	int name(const void *first, const void *second) \
	{ \
		const type *x = first, *y = second; \
\
		return NA_CMP(*x, *y); \
	}

PLAIN(na_order_i32, int32_t)
PLAIN(na_order_u32, uint32_t)
PLAIN(na_order_i64, int64_t)
PLAIN(na_order_f64, double)

int na_order_text(const void *first, const void *second)
{
	const char *const *x = first, *const *y = second;

	return strcmp(*x, *y);
}

/*
 * A stable merge sort of the runs that are there already (T. Peters'
 * listsort, in the order of merging of J. I. Munro and S. Wild, "Nearly-
 * Optimal Mergesorts", 2018): what arrives in a few sorted pieces, as the
 * lines of a trace do, costs little more than looking at it.
 */
enum { SHORT_RUN = 24, MOST_RUNS = 66 };

struct run {
	size_t from, n;
	unsigned power; /* of the boundary before it */
};

struct sort {
	char *v;
	size_t n, size;
	int (*order)(const void *, const void *);
	char *scratch; /* of half of the elements; NULL: none yet */
	bool no_memory;
	struct run runs[MOST_RUNS]; /* not merged yet, powers ascending */
	size_t n_runs;
};

/* Most elements are a number, or two, or three. */
static inline void put(char *to, const char *from, size_t size)
{
	if (size == 8)
		memcpy(to, from, 8);
	else if (size == 16)
		memcpy(to, from, 16);
	else if (size == 24)
		memcpy(to, from, 24);
	else
		memcpy(to, from, size);
}

static inline char *at(const struct sort *s, size_t i)
{
	return s->v + i * s->size;
}

static bool room(struct sort *s)
{
	if (!s->scratch)
		s->scratch = malloc((s->n / 2 + 1) * s->size);
	s->no_memory = !s->scratch;
	return s->scratch;
}

static void reverse(const struct sort *s, size_t from, size_t to)
{
	while (from + 1 < to) {
		put(s->scratch, at(s, from), s->size);
		put(at(s, from), at(s, --to), s->size);
		put(at(s, to), s->scratch, s->size);
		from++;
	}
}

/* What is sorted from `from` on; what descends, without equal ones, is turned
 * round. */
static size_t run_at(struct sort *s, size_t from)
{
	size_t to = from + 1;

	if (to == s->n)
		return to;
	if (s->order(at(s, from), at(s, to)) <= 0) {
		while (++to < s->n && s->order(at(s, to - 1), at(s, to)) <= 0)
			continue;
		return to;
	}
	while (++to < s->n && s->order(at(s, to - 1), at(s, to)) > 0)
		continue;
	if (room(s))
		reverse(s, from, to);
	return to;
}

/* [from, sorted) is; [from, to) will be. */
static void insert(struct sort *s, size_t from, size_t sorted, size_t to)
{
	for (size_t i = sorted; i < to; i++) {
		const char *x = at(s, i);
		size_t k = NA_BOUND(j, from, i, s->order(at(s, j), x) > 0);

		if (k == i)
			continue;
		put(s->scratch, x, s->size);
		memmove(at(s, k + 1), at(s, k), (i - k) * s->size);
		put(at(s, k), s->scratch, s->size);
	}
}

/* The left part is moved aside. */
static void merge_up(struct sort *s, size_t from, size_t middle, size_t to)
{
	const char *a = s->scratch, *a_end = a + (middle - from) * s->size;
	const char *b = at(s, middle), *b_end = at(s, to);
	char *v = at(s, from);

	memcpy(s->scratch, v, (size_t)(a_end - a));
	for (; a < a_end && b < b_end; v += s->size) {
		const char **x = s->order(a, b) <= 0 ? &a : &b;

		put(v, *x, s->size);
		*x += s->size;
	}
	memcpy(v, a, (size_t)(a_end - a));
}

/* The right one is. */
static void merge_down(struct sort *s, size_t from, size_t middle, size_t to)
{
	const size_t size = s->size;
	const char *a = at(s, middle), *a_end = at(s, from);
	const char *b = s->scratch + (to - middle) * size, *b_end = s->scratch;
	char *v = at(s, to);

	memcpy(s->scratch, a, (to - middle) * size);
	while (a > a_end && b > b_end) {
		const char **x = s->order(a - size, b - size) > 0 ? &a : &b;

		*x -= size;
		v -= size;
		put(v, *x, size);
	}
	memcpy(v - (b - b_end), b_end, (size_t)(b - b_end));
}

/* The last two runs are one.  What is in its place already stays there. */
static void merge_last(struct sort *s)
{
	struct run *a = &s->runs[s->n_runs - 2], *b = &s->runs[s->n_runs - 1];
	size_t middle = b->from, from = a->from, to = b->from + b->n;

	from = NA_BOUND(i, from, middle, s->order(at(s, i), at(s, middle)) > 0);
	if (from < middle)
		to = NA_BOUND(i, middle, to,
			      s->order(at(s, middle - 1), at(s, i)) <= 0);
	if (from < middle && middle < to && room(s)) {
		if (middle - from <= to - middle)
			merge_up(s, from, middle, to);
		else
			merge_down(s, from, middle, to);
	}
	a->n += b->n;
	s->n_runs--;
}

/* How deep in a balanced tree of merges the boundary of both would be. */
static unsigned power_of(const struct run *a, const struct run *b, size_t n)
{
	size_t x = 2 * a->from + a->n, y = 2 * b->from + b->n;
	unsigned power = 0;

	for (; x < 2 * n && y < 2 * n && (x < n) == (y < n); power++) {
		x = x < n ? 2 * x : 2 * (x - n);
		y = y < n ? 2 * y : 2 * (y - n);
	}
	return power;
}

static void sort(struct sort *s)
{
	for (size_t from = 0; from < s->n && !s->no_memory;) {
		struct run run = {from, run_at(s, from) - from, 0};
		size_t want = s->n - from;

		want = want < SHORT_RUN ? want : SHORT_RUN;
		if (run.n < want && room(s)) {
			insert(s, from, from + run.n, from + want);
			run.n = want;
		}
		if (s->n_runs)
			run.power = power_of(&s->runs[s->n_runs - 1], &run,
					     s->n);
		while (s->n_runs > 1 &&
		       s->runs[s->n_runs - 1].power >= run.power)
			merge_last(s);
		s->runs[s->n_runs++] = run;
		from += run.n;
	}
	while (s->n_runs > 1 && !s->no_memory)
		merge_last(s);
}

void na_sort_of(void *v, size_t n, size_t size,
		int (*order)(const void *, const void *))
{
	_Alignas(16) char little[1024];
	struct sort s = {.v = v, .n = n, .size = size, .order = order};
	bool fits = (n / 2 + 1) <= sizeof(little) / size;

	if (n < 2 || !v)
		return;
	if (fits)
		s.scratch = little;
	sort(&s);
	/* The library's takes memory that nobody counts. */
	if (s.no_memory)
		qsort(v, n, size, order);
	if (!fits)
		free(s.scratch);
}
